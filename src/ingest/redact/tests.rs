//! Names that leave, and words that stay.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::model::{DimensionOrigin, Severity};

/// What was read of two runs on two hosts.
fn ingested() -> Ingested {
    let run = |host: &str, id: &str| {
        let option = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let host_entry =
            DimensionEntry { value: Value::canonical(&Dimension::Host, host), from: DimensionOrigin::Option };
        Run {
            id: id.to_owned(),
            label: format!("randread on {host}"),
            tool: crate::model::Tool { name: "fio".to_owned(), version: None },
            sources: Vec::new(),
            dimensions: BTreeMap::from([(Dimension::Host, host_entry)]),
            options: BTreeMap::from([
                option("filename", "/home/jdoe/bench/file:/dev/md0:/srv/acme corp/file"),
                option("directory", "/srv/acme corp"),
                option("bs", "4k"),
            ]),
            environment: BTreeMap::from([option("hostname", host)]),
            jobs: Vec::new(),
            series: Vec::new(),
            summaries: Vec::new(),
        }
    };
    let message =
        "`/srv/acme corp/file` and /home/jdoe/notes.txt: read by JDoe at 5 B/s, see https://fio.org/x.";
    Ingested {
        runs: vec![
            run("db10.example.org", "db10.example.org/jdoe/a"),
            run("db2.example.org", "db2.example.org/host1/a"),
        ],
        diagnostics: vec![Diagnostic::new(Severity::Info, "/home/jdoe/missing file.json", message)],
        ..Ingested::default()
    }
}

#[test]
fn names_get_one_placeholder_each_in_natural_order() {
    let mut ingested = ingested();
    redact(&mut ingested, &[]);
    // db2 stands before db10; host1 is taken by a folder of that name.
    let ids: Vec<&str> = ingested.runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, ["host3/user1/a", "host2/host1/a"]);
    let run = &ingested.runs[0];
    assert_eq!((run.label.as_str(), run.environment["hostname"].as_str()), ("randread on host3", "host3"));
    assert_eq!(run.value(&Dimension::Host).unwrap().as_str(), "host3");
    assert_eq!(run.options["bs"], "4k");
}

#[test]
fn paths_lose_their_folders_and_devices_stay() {
    let mut ingested = ingested();
    redact(&mut ingested, &[]);
    let options = &ingested.runs[0].options;
    // In order: /home/jdoe/bench, /home/jdoe/missing file.json, /home/jdoe/notes.txt, /srv/acme, /srv/acme corp.
    assert_eq!(options["filename"], "path1/file:/dev/md0:path5/file");
    assert_eq!(options["directory"], "path5");
    let remark = &ingested.diagnostics[0];
    assert_eq!(remark.path, "path2");
    let expected = "`path4 corp/file` and path3: read by user1 at 5 B/s, see https://fio.org/x.";
    assert_eq!(remark.message, expected);
}

#[test]
fn what_was_typed_tells_users_and_leaves_no_trace_of_itself() {
    let mut plain = ingested();
    redact(&mut plain, &[]);
    let mut other = ingested();
    redact(&mut other, &["/home/zoe/results".to_owned(), "/var/lib/x".to_owned()]);
    assert_eq!(other.runs, plain.runs);
    let mut named = ingested();
    named.runs[0].label = "by zoe".to_owned();
    let redactor = redact(&mut named, &["/home/zoe/results".to_owned()]);
    assert_eq!(named.runs[0].label, "by user2");
    assert_eq!(redactor.text("zoe, zoey and jdoe"), "user2, zoey and user1");
}

#[test]
fn a_host_is_the_same_in_short_and_with_other_separators() {
    let mut ingested = ingested();
    ingested.runs[0].label = "db10, DB10-example-org, db10_example.org, db100, db10.other".to_owned();
    ingested.runs[1].id = "db10/jdoe/a".to_owned();
    redact(&mut ingested, &[]);
    assert_eq!(ingested.runs[0].label, "host2, host2, host2, db100, host2.other");
    let ids: Vec<&str> = ingested.runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, ["host2/user1/a", "host2/user1/a~"]);
}

/// The pieces of a text, paths in brackets.
fn pieces(text: &str, kind: Kind) -> String {
    let mut found = String::new();
    scan(text, kind, &[], &mut |piece| match piece {
        Piece::Plain(plain) => found.push_str(plain),
        Piece::Word(_) => found.push('?'),
        Piece::Path { folder, name, .. } => {
            found.push_str(&format!("[{folder}{}]", name.map(|name| format!("|{name}")).unwrap_or_default()));
        }
    });
    found
}

#[test]
fn absolute_paths_are_found_and_nothing_else() {
    for (text, expected) in [
        ("/a/b", "[/a/b]"),
        ("see /a/b.", "see [/a/b]."),
        ("(/a/b), `/c d`", "([/a/b]), `[/c] d`"),
        ("key=/a/b:7: bad", "key=[/a/b]:7: bad"),
        ("5 MB/s and 3 1/s, read/write", "5 MB/s and 3 1/s, read/write"),
        ("/dev/md0 and /dev/mapper/x", "/dev/md0 and /dev/mapper/x"),
        ("https://a.b/c", "https://a.b/c"),
        ("file:///a/b", "file://[/a/b]"),
        ("C:\\Users\\jd\\x.log is", "[C:\\Users\\jd\\x.log] is"),
        ("\\\\server\\share and \\\\.\\PhysicalDrive1", "[\\\\server\\share] and \\\\.\\PhysicalDrive1"),
        ("a / b // c", "a / b // c"),
        ("", ""),
    ] {
        assert_eq!(pieces(text, Kind::Text), expected);
    }
    assert_eq!(pieces("/a b/c:/dev/sda:/d", Kind::Value), "[/a b/c]:/dev/sda:[/d]");
    assert_eq!(pieces("C\\:\\x y\\f:/g/h", Kind::File), "[C\\:\\x y|f]:[/g|h]");
    assert_eq!(pieces("relative/a", Kind::Value), "relative/a");
}

#[test]
fn homes_have_owners() {
    for (path, user) in [
        ("/home/jd/x", Some("jd")),
        ("/export/home/jd", Some("jd")),
        ("C:\\Users\\jd\\x", Some("jd")),
        ("/home", None),
        ("/srv/x", None),
    ] {
        assert_eq!(scan::owner(path).as_deref(), user);
    }
}

proptest::proptest! {
    #[test]
    fn every_text_comes_back_whole_from_its_pieces(text in "[/\\\\:a-zC.dev\u{e4}\u{1f525} `=]{0,40}") {
        for kind in [Kind::Text, Kind::Value, Kind::File] {
            let mut again = String::new();
            let words = [Word { text: "a".into(), name: "a".into(), kind: "user" }];
            scan(&text, kind, &words, &mut |piece| match piece {
                Piece::Plain(plain) => again.push_str(plain),
                Piece::Word(_) => again.push('a'),
                Piece::Path { whole, .. } => again.push_str(whole),
            });
            proptest::prop_assert_eq!(&again, &text);
        }
    }
}
