//! The pages in a real browser: filters, their state in the address, and no page wider than its window.
//!
//! Needs Chromium: the one that `CHROMIUM` names, or the one in PATH.

use crate::support::sample;
use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::{env, fs};
use tempfile::TempDir;

/// The browser; None where there is none, with a line that says so.
pub(crate) fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = env::var_os("CHROMIUM").map(PathBuf::from).or_else(|| {
        let path = env::var_os("PATH")?;
        let candidates: Vec<PathBuf> =
            env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).collect();
        candidates.into_iter().find(|candidate| candidate.is_file())
    });
    if found.is_none() {
        eprintln!("skipped: no chromium");
    }
    found
}

/// A report of the four RAID levels and the queue depths, SVG only.
fn report(dir: &TempDir) -> PathBuf {
    let out = dir.path().join("report");
    let mut command = Command::cargo_bin("plotgen").unwrap();
    command.current_dir(dir.path()).args([sample("whole-surface"), sample("qd-sweep")]);
    command.args(["--format", "svg", "-q", "-o"]).arg(&out).assert().success();
    out
}

/// The page as the browser has it after its scripts ran, and what it had to complain about.
fn page(chromium: &Path, path: &Path, fragment: &str, width: u32) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--virtual-time-budget=3000"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}{fragment}", path.display()))
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(|line| format!("{line}\n"))
        .collect();
    (String::from_utf8(output.stdout).unwrap(), complaints)
}

/// Chart ids of the cards that are shown, sorted.
fn shown(dom: &str) -> Vec<String> {
    let mut shown: Vec<String> = dom
        .split("<li class=\"card\"")
        .skip(1)
        .filter_map(|card| {
            let (attributes, rest) = card.split_once('>')?;
            let id = rest.split_once("href=\"charts/")?.1.split_once(".html")?.0;
            (!attributes.contains("hidden")).then(|| id.to_owned())
        })
        .collect();
    shown.sort();
    shown
}

#[test]
fn the_address_says_which_cards_are_shown() {
    let Some(chromium) = chromium() else { return };
    let dir = tempfile::tempdir().unwrap();
    let index = report(&dir).join("index.html");
    let ask = |fragment: &str| {
        let (dom, complaints) = page(&chromium, &index, fragment, 1280);
        assert_eq!(complaints, "", "{fragment}");
        assert!(
            dom.contains("<form class=\"filters\" role=\"search\""),
            "{fragment}: the filters are hidden"
        );
        (shown(&dom), dom)
    };

    let (all, dom) = ask("");
    let by_raid = ["clat-p99-by-raid", "iops-by-raid", "lat-by-raid"];
    let by_depth = [
        "clat-p99-by-iodepth",
        "clat-percentiles-by-iodepth",
        "iops-box-by-iodepth",
        "iops-by-iodepth",
        "iops-time-by-iodepth",
        "lat-by-iodepth",
        "lat-iops-over-iodepth",
        "lat-time-by-iodepth",
    ];
    let mut everything = [&by_raid[..], &by_depth[..]].concat();
    everything.sort_unstable();
    assert_eq!(all, everything);
    assert!(dom.contains("<output>11 charts</output>"));

    let (lat, dom) = ask("#metric=lat");
    assert_eq!(lat, ["lat-by-iodepth", "lat-by-raid", "lat-iops-over-iodepth", "lat-time-by-iodepth"]);
    assert!(dom.contains("<output>4 of 11 charts</output>"));

    // The queue depths were read only; their section shrinks to its heading.
    let (write, dom) = ask("#ddir=write");
    assert_eq!(write, by_raid);
    assert!(dom.contains("<section id=\"by-iodepth\" class=\"comparison empty\""));
    assert!(dom.contains("<section id=\"by-raid\" class=\"comparison\""));

    assert_eq!(ask("#by=iodepth").0, by_depth);
    assert_eq!(ask("#q=over+TIME").0, ["iops-time-by-iodepth", "lat-time-by-iodepth"]);
    assert_eq!(ask("#q=qd-sweep").0, by_depth);
    assert_eq!(ask("#metric=iops&by=raid&ddir=read&q=mean").0, Vec::<String>::new());
    assert_eq!(ask("#metric=iops&by=raid&ddir=read&q=level").0, ["iops-by-raid"]);

    // What is no state, or names nothing, hides nothing.
    for fragment in ["#runs", "#metric=nonsense", "#by-raid"] {
        assert_eq!(ask(fragment).0, everything, "{fragment}");
    }
}

/// By how many pixels a page is wider than a frame of this width, every fold open.
fn overhang(chromium: &Path, out: &Path, name: &str, width: u32) -> i64 {
    // A headless window is never narrower than 500 px; a frame is. It tells its size, since
    // pages of files may not look into each other.
    let measure = "<script>addEventListener('load', function () {\
        document.querySelectorAll('details').forEach(function (one) { one.open = true; });\
        var root = document.documentElement;\
        parent.postMessage(root.scrollWidth - root.clientWidth, '*');\
        });</script></body>";
    let text = fs::read_to_string(out.join(name)).unwrap().replace("</body>", measure);
    fs::write(out.join(name.replace(".html", "-measured.html")), text).unwrap();
    let frame = format!(
        "<script>onmessage = function (event) {{ document.body.dataset.over = event.data; }}</script>\
         <body><iframe width={width} height=900 src=\"{}\"></iframe></body>",
        name.replace(".html", "-measured.html")
    );
    let path = out.join("frame.html");
    fs::write(&path, frame).unwrap();
    let (dom, complaints) = page(chromium, &path, "", 1400);
    assert_eq!(complaints, "", "{name}");
    let (_, rest) = dom.split_once("data-over=\"").unwrap_or_else(|| panic!("{name} told no width: {dom}"));
    rest.split_once('"').unwrap().0.parse().unwrap()
}

#[test]
fn no_page_is_wider_than_its_window() {
    let Some(chromium) = chromium() else { return };
    let dir = tempfile::tempdir().unwrap();
    let out = report(&dir);
    for name in [
        "index.html",
        "charts/iops-by-raid.html",
        "charts/lat-time-by-iodepth.html",
        "runs/qd-sweep-raid10-chunk64k-randread-qd64-run1.html",
        "runs/whole-surface-raid-levels-raid-0-rw-randread.html",
    ] {
        for width in [360, 1280] {
            assert_eq!(overhang(&chromium, &out, name, width), 0, "{name} at {width} px");
        }
    }
}
