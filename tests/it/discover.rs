//! Inputs as people name them: any mix, order and spelling.

use plotgen::discover::{DiscoverOptions, Discovered, Glob, MANIFEST, Role, Siblings, discover};
use plotgen::model::Severity;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A directory with these files in it, each with its own name as content.
fn tree(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    dir
}

fn find(dir: &TempDir, inputs: &[&str]) -> Discovered {
    find_with(dir, inputs, &DiscoverOptions::default())
}

fn find_with(dir: &TempDir, inputs: &[&str], options: &DiscoverOptions) -> Discovered {
    let inputs: Vec<String> = inputs
        .iter()
        .map(|input| if *input == "-" { "-".to_owned() } else { format!("{}/{input}", dir.path().display()) })
        .collect();
    discover(&inputs, options)
}

fn names(found: &Discovered) -> Vec<&str> {
    found.sources.iter().map(|source| source.relative.as_str()).collect()
}

fn remarks(found: &Discovered) -> Vec<(Severity, &str, &str)> {
    found.diagnostics.iter().map(|d| (d.severity, d.path.as_str(), d.message.as_str())).collect()
}

#[test]
fn a_directory_is_walked_in_natural_order() {
    let dir = tree(&["r/run10/a.json", "r/run2/b.json", "r/run2/a.json", "r/z.json", "r/run2.json"]);
    let found = find(&dir, &["r"]);
    assert_eq!(names(&found), ["run2/a.json", "run2/b.json", "run2.json", "run10/a.json", "z.json"]);
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    assert!(found.root.ends_with("r"));
    assert!(found.sources[0].shown.ends_with("/r/run2/a.json"));
}

#[test]
fn order_and_spelling_of_the_inputs_change_nothing() {
    let dir = tree(&["r/a/x.json", "r/b/y.json", "r/c/z.json"]);
    let plain = find(&dir, &["r/a", "r/b", "r/c/z.json"]);
    assert_eq!(names(&plain), ["a/x.json", "b/y.json", "c/z.json"]);
    for inputs in [
        &["r/c/z.json", "r/b", "r/a"][..],
        &["./r/a/", "r/../r/b/.", "r/c//z.json"],
        &["r/*", "r/a"],
        &["r/b", "r/a/*.json", "r/**/[xz].json", "r/b/y.json"],
    ] {
        let other = find(&dir, inputs);
        assert_eq!(names(&other), names(&plain), "{inputs:?}");
        assert_eq!(other.root, plain.root, "{inputs:?}");
        let paths = |found: &Discovered| found.sources.iter().map(|s| s.path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&other), paths(&plain), "{inputs:?}");
    }
}

#[test]
fn the_root_is_the_deepest_directory_that_holds_all() {
    let dir = tree(&["r/run1/x.json", "r/run10/x.json"]);
    assert_eq!(names(&find(&dir, &["r"])), ["run1/x.json", "run10/x.json"]);
    assert_eq!(names(&find(&dir, &["r/run1", "r/run10"])), ["run1/x.json", "run10/x.json"]);
    assert_eq!(names(&find(&dir, &["r/run1"])), ["x.json"]);
    assert_eq!(names(&find(&dir, &["r/run1/x.json"])), ["x.json"]);
    assert_eq!(names(&find(&dir, &["r/run1/x.json", "r"])), ["run1/x.json", "run10/x.json"]);
}

#[test]
fn outputs_beside_named_logs_come_along() {
    let dir = tree(&[
        "r/a_bw.1.log",
        "r/a_iops.1.log",
        "r/a.json",
        "r/b.out",
        "r/a.cmd",
        "r/other.cmd",
        "r/c.json.gz",
        "r/deep/d.json",
        "r/.hidden.json",
    ]);
    let found = find(&dir, &["r/*_bw.1.log"]);
    let roles: Vec<(&str, Role)> = found.sources.iter().map(|s| (s.relative.as_str(), s.role)).collect();
    assert_eq!(
        roles,
        [
            ("a.cmd", Role::Sibling),
            ("a.json", Role::Sibling),
            ("a_bw.1.log", Role::Named),
            ("b.out", Role::Sibling),
            ("c.json.gz", Role::Sibling),
        ]
    );
    let none = DiscoverOptions { siblings: Siblings::Ignore, ..DiscoverOptions::default() };
    assert_eq!(names(&find_with(&dir, &["r/a_bw.1.log"], &none)), ["a_bw.1.log"]);
    let both = find(&dir, &["r/a_bw.1.log", "r/a.json"]);
    let json = both.sources.iter().find(|s| s.relative == "a.json").unwrap();
    assert_eq!(json.role, Role::Named);
}

#[test]
fn what_is_missing_is_an_error_and_the_rest_goes_on() {
    let dir = tree(&["r/a.json"]);
    let found = find(&dir, &["r", "resluts", "r/*.csv"]);
    assert_eq!(names(&found), ["a.json"]);
    let remarks = remarks(&found);
    assert_eq!(remarks.len(), 2);
    assert!(remarks[0].1.ends_with("/r/*.csv") && remarks[0].2.contains("matches no file"), "{remarks:?}");
    assert!(remarks[1].1.ends_with("/resluts") && remarks[1].2.contains("no such file"), "{remarks:?}");
    assert!(remarks.iter().all(|remark| remark.0 == Severity::Error));
}

#[test]
fn a_name_with_brackets_is_a_name_when_it_exists() {
    let dir = tree(&["r/a[1].json", "r/a1.json"]);
    assert_eq!(names(&find(&dir, &["r/a[1].json"])), ["a[1].json"]);
}

#[test]
fn earlier_reports_are_skipped_whole_however_they_are_named() {
    let manifest = format!("report/{MANIFEST}");
    let dir = tree(&["a.json", &manifest, "report/report.json", "report/data/summary.csv"]);
    for inputs in
        [&["."][..], &["a.json", "report"], &["*"], &["a.json", "report/data", "report/report.json"]]
    {
        let found = find(&dir, inputs);
        assert_eq!(names(&found), ["a.json"], "{inputs:?}");
        assert_eq!(found.skipped_reports.len(), 1, "{inputs:?}");
        assert!(found.diagnostics.is_empty(), "{inputs:?}");
        assert!(found.passed_over.iter().all(|d| d.severity == Severity::Info), "{inputs:?}");
        assert!(!found.passed_over.is_empty());
    }
}

#[test]
fn hidden_directories_are_left_alone_unless_they_are_named() {
    let dir = tree(&["r/.git/a.json", "r/b.json"]);
    assert_eq!(names(&find(&dir, &["r"])), ["b.json"]);
    assert_eq!(names(&find(&dir, &["r/**/*.json"])), ["b.json"]);
    assert_eq!(names(&find(&dir, &["r/.git"])), ["a.json"]);
}

#[test]
fn exclusions_match_paths_directories_and_names() {
    let dir = tree(&["r/a/x.json", "r/a/x.bak", "r/old/y.json", "r/b/old.json"]);
    let exclude = ["*.bak", "old", "b/*"].iter().map(|glob| Glob::new(glob).unwrap()).collect();
    let options = DiscoverOptions { exclude, ..DiscoverOptions::default() };
    assert_eq!(names(&find_with(&dir, &["r"], &options)), ["a/x.json"]);
}

#[test]
fn standard_input_has_a_name_that_no_file_has() {
    let dir = tree(&["r/stdin"]);
    let found = find(&dir, &["-", "r", "-"]);
    assert_eq!(names(&found), ["stdin", "stdin~"]);
    assert!(found.sources[1].stdin && found.sources[1].path == Path::new("-"));
    assert_eq!(found.sources[1].shown, "-");
}

#[cfg(unix)]
#[test]
fn links_that_form_a_loop_or_lead_nowhere_are_remarked_on() {
    use std::os::unix::fs::symlink;
    let dir = tree(&["r/a/x.json"]);
    let at = |name: &str| dir.path().join(name);
    symlink("..", at("r/a/up")).unwrap();
    symlink(".", at("r/self")).unwrap();
    symlink("nowhere", at("r/broken")).unwrap();
    symlink("one", at("r/two")).unwrap();
    symlink("two", at("r/one")).unwrap();
    symlink("a", at("r/again")).unwrap();
    symlink("a/x.json", at("r/link.json")).unwrap();
    assert_eq!(names(&find(&dir, &["r/**/*"])), ["x.json"]);
    for inputs in [&["r"][..], &["r", "r/a/up/self"]] {
        let found = find(&dir, inputs);
        assert_eq!(names(&found), ["a/x.json"], "{inputs:?}");
        let broken = found.diagnostics.iter().find(|d| d.path == "broken").unwrap();
        assert!(broken.message.starts_with("broken symbolic link"), "{broken}");
        assert!(
            found.diagnostics.iter().any(|d| d.path == "link.json" && d.message.contains("counted once"))
        );
    }
    let found = find(&dir, &["r"]);
    let paths: Vec<&str> = found.diagnostics.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(paths, ["a/up", "again", "broken", "link.json", "one", "self", "two"]);
}

#[cfg(unix)]
#[test]
fn a_link_keeps_its_telling_name_when_the_target_is_elsewhere() {
    use std::os::unix::fs::symlink;
    let dir = tree(&["store/ab12", "elsewhere/x_bw.1.log"]);
    fs::create_dir(dir.path().join("r")).unwrap();
    symlink("../store/ab12", dir.path().join("r/raid10_bw.1.log")).unwrap();
    symlink("../elsewhere", dir.path().join("r/raid5")).unwrap();
    let found = find(&dir, &["r"]);
    assert_eq!(names(&found), ["raid5/x_bw.1.log", "raid10_bw.1.log"]);
}

#[cfg(unix)]
#[test]
fn a_lattice_of_links_is_walked_in_no_time() {
    use std::os::unix::fs::symlink;
    let dir = tree(&["r/00/x.json"]);
    for level in 1..40 {
        let home = dir.path().join(format!("r/{level:02}"));
        fs::create_dir(&home).unwrap();
        for name in ["a", "b"] {
            symlink(format!("../{:02}", level - 1), home.join(name)).unwrap();
        }
    }
    assert_eq!(
        names(&find(&dir, &["r/39"])),
        ["a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/x.json"]
    );
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_never_opened() {
    let dir = tree(&["r/a.json"]);
    let socket = dir.path().join("r/socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let found = find(&dir, &["r"]);
    assert_eq!(names(&found), ["a.json"]);
    assert_eq!(remarks(&found), [(Severity::Info, "socket", "a socket; not opened")]);
    let named = discover(&["/dev/null"], &DiscoverOptions::default());
    assert!(named.sources.is_empty());
    assert_eq!(remarks(&named)[0].0, Severity::Error);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_stay_distinct() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = tree(&["r/a%FF.json"]);
    let odd = dir.path().join("r").join(OsStr::from_bytes(b"a\xff.json"));
    if fs::write(&odd, "x").is_err() {
        println!("skipped: the file system takes UTF-8 names only");
        return;
    }
    let found = find(&dir, &["r"]);
    assert_eq!(names(&found), ["a%FF.json", "a%FF.json~"]);
    assert_eq!(names(&find(&dir, &["r/*"])), names(&found));
    let named = discover(&[odd.as_os_str()], &DiscoverOptions::default());
    assert_eq!(named.sources.len(), 1);
}

#[test]
fn ten_thousand_files_are_found_once_each_however_they_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for host in 0..100 {
        let home = dir.path().join(format!("host{host}"));
        fs::create_dir(&home).unwrap();
        for log in 0..100 {
            fs::write(home.join(format!("job_bw.{log}.log")), "").unwrap();
        }
    }
    let found = find(&dir, &["."]);
    assert_eq!(found.sources.len(), 10_000);
    let files: Vec<_> = found.sources.iter().map(|source| source.path.clone()).collect();
    let named = discover(&files, &DiscoverOptions::default());
    assert_eq!(names(&named), names(&found));
}
