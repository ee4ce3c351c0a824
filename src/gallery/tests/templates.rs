//! The user's templates over the built-in ones.

use super::sample::{campaign, pictures};
use crate::gallery::{GalleryError, PageOptions, build};
use std::collections::BTreeMap;

fn with(name: &str, content: &str) -> Result<BTreeMap<String, Vec<u8>>, GalleryError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    let options = PageOptions { templates: Some(folder.path().to_owned()), ..PageOptions::default() };
    build(&campaign(), &pictures(), BTreeMap::new(), &options)
}

#[test]
fn a_template_of_the_same_name_takes_the_place_of_the_built_in_one() {
    let report = with("run.html", "{{ id }}").unwrap();
    assert_eq!(report["runs/raid0-randread-run1.html"], b"raid0/randread_run1");
    let report = with("style.css", "p { color: red }").unwrap();
    assert_eq!(report["assets/style.css"], b"p { color: red }");
}

#[test]
fn what_a_users_template_shows_is_escaped_too() {
    let report = with("run.html", "{{ head.title }}").unwrap();
    let bad = report.iter().find(|(path, _)| path.starts_with("runs/script-alert")).unwrap().1;
    assert!(bad.starts_with(b"../&lt;script&gt;alert(&#39;x&#39;)"));
}

#[test]
fn an_unknown_variable_is_an_error_with_its_template_line_and_name() {
    let error = with("run.html", "line one\n\n{{ nonsense }}").unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("template run.html:3: ") && text.contains("nonsense"), "{text}");
}

#[test]
fn broken_syntax_is_an_error_with_its_template_and_line() {
    let text = with("chart.html", "\n{% if %}").unwrap_err().to_string();
    assert!(text.starts_with("template chart.html:2: "), "{text}");
}

#[test]
fn a_file_that_overrides_nothing_is_an_error_that_names_what_would() {
    let text = with("indx.html", "").unwrap_err().to_string();
    assert!(text.contains("indx.html") && text.contains("index.html"), "{text}");
    assert!(with("_mine.html", "").is_ok());
}
