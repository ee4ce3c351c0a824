//! Pages, tables and links.

use super::sample::{campaign, hostile, pictures};
use super::{report, text};
use crate::gallery::{GalleryError, PageOptions, build};
use std::collections::BTreeMap;

fn pages(report: &BTreeMap<String, Vec<u8>>) -> Vec<(String, String)> {
    report
        .keys()
        .filter(|path| path.ends_with(".html"))
        .map(|path| (path.clone(), text(report, path)))
        .collect()
}

/// Values of `name="..."` within tags, entities resolved.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(open) = rest.find('<') {
        let Some(close) = rest[open..].find('>') else { break };
        let tag = &rest[open..open + close];
        if let Some(at) = tag.find(&format!(" {name}=\"")) {
            let value = &tag[at + name.len() + 3..];
            found.push(value[..value.find('"').unwrap()].replace("&#39;", "'").replace("&amp;", "&"));
        }
        rest = &rest[open + close..];
    }
    found
}

#[test]
fn every_link_of_every_page_leads_to_a_file_of_the_report() {
    let report = report();
    let mut seen = 0;
    for (path, page) in pages(&report) {
        for link in ["href", "src", "srcset"].iter().flat_map(|name| attributes(&page, name)) {
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let resolved = match target.strip_prefix("../") {
                Some(above) => above.to_owned(),
                None if target.is_empty() => path.clone(),
                None if folder.is_empty() => target.to_owned(),
                None => format!("{folder}/{target}"),
            };
            assert!(report.contains_key(&resolved), "{path}: {link} leads to {resolved}");
            assert!(
                anchor.is_empty() || text(&report, &resolved).contains(&format!("id=\"{anchor}\"")),
                "{path}: {link}"
            );
            seen += 1;
        }
    }
    assert!(seen > 400, "{seen} links");
}

#[test]
fn a_chart_page_has_its_numbers_as_a_table_for_those_who_cannot_see_the_picture() {
    let mut seen = 0;
    for (path, page) in pages(&report()).into_iter().filter(|(path, _)| path.starts_with("charts/")) {
        let Some(section) = page.split_once("<section id=\"numbers\">") else { continue };
        assert_eq!(attributes(&page, "aria-details"), ["numbers"], "{path}");
        let (table, _) = section.1.split_once("</table>").unwrap();
        assert!(table.contains("<table aria-label=\"The numbers behind the picture\">"), "{path}");
        assert!(table.contains("<th scope=\"col\"") && table.contains("<td"), "{path}");
        assert!(attributes(&page, "alt").iter().all(|alt| !alt.is_empty()), "{path}");
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn names_never_become_markup() {
    for (path, page) in pages(&report()) {
        assert!(!page.contains("<script>alert"), "{path}");
        assert!(!page.contains("alert('x')"), "{path}");
        for (at, _) in page.match_indices("<script") {
            assert!(page[at..].starts_with("<script src=\"assets/filter.js\" defer></script>"), "{path}");
        }
    }
}

#[test]
fn pages_ask_for_nothing_from_elsewhere() {
    let report = report();
    for (path, page) in pages(&report) {
        for link in ["href", "src", "srcset", "action"].iter().flat_map(|name| attributes(&page, name)) {
            assert!(!link.contains(':') && !link.starts_with("//"), "{path}: {link}");
        }
    }
    for asset in ["assets/style.css", "assets/filter.js"] {
        assert!(!text(&report, asset).contains("http"), "{asset}");
    }
}

#[test]
fn the_report_has_the_files_that_scripts_rely_on() {
    let report = report();
    for path in [
        "index.html",
        "charts/iops-mean-by-raid-write.html",
        "charts/iops-mean-by-raid-write.svg",
        "charts/iops-mean-by-raid-write.png",
        "charts/iops-mean-by-raid-write@2x.png",
        "data/iops-mean-by-raid-write.csv",
        "data/summary.csv",
        "data/summary.parquet",
        "runs/raid0-randread-run1.html",
        "report.json",
        "assets/style.css",
        "assets/filter.js",
    ] {
        assert!(report.contains_key(path), "{path}");
    }
    assert_eq!(report.keys().filter(|path| path.starts_with("runs/")).count(), 25);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(report(), report());
}

#[test]
fn runs_that_share_a_label_are_told_apart_by_repeat_or_id() {
    let page = text(&report(), "charts/iops-mean-by-raid-read.html");
    assert!(page.contains(">raid0 randread · repeat 2</a>"));
    let mut campaign = campaign();
    for record in &mut campaign.runs {
        record.run.dimensions.remove(&crate::model::Dimension::Repeat);
    }
    let report = build(&campaign, &pictures(), BTreeMap::new(), &PageOptions::default()).unwrap();
    assert!(text(&report, "charts/iops-mean-by-raid-read.html").contains(">raid0/randread_run2</a>"));
}

#[test]
fn runs_with_errors_are_marked_wherever_they_are_linked() {
    let report = report();
    let index = text(&report, "index.html");
    let bad = report.keys().find(|path| path.starts_with("runs/script-alert")).unwrap();
    let links = index.matches(&format!("href=\"{bad}\"")).count();
    assert!(links > 2);
    assert_eq!(index.matches("<span class=\"sr\"> reported errors</span>").count(), links);
    assert!(text(&report, bad).contains("1 of 1 job reported an error (number 5"));
}

#[test]
fn an_unsupported_percentile_is_marked_on_the_page_of_its_run() {
    let page = text(&report(), "runs/raid0-randread-run1.html");
    assert_eq!(page.matches("<span class=\"sr\"> unsupported</span>").count(), 1);
}

#[test]
fn tables_leave_as_exact_csv() {
    let report = report();
    assert_eq!(
        text(&report, "data/iops-mean-by-raid-write.csv"),
        "RAID level,IOPS,note\n0,440.123,\n5,97.5,\n6,71,\n10,0.1,\n"
    );
    let summary = text(&report, "data/summary.csv");
    let mut lines = summary.lines();
    assert_eq!(lines.next(), Some("run,raid,rw,bs,iodepth,repeat,metric,ddir,stat,value,unit,origin,n"));
    assert_eq!(
        lines.next(),
        Some("raid0/randread_run1,0,randread,4k,4,1,bw,read,mean,4550656,B/s,reported,9000")
    );
    let mut reader = csv::Reader::from_reader(summary.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 25 * 8);
    assert_eq!(&rows[rows.len() - 1][0], hostile());
}

#[test]
fn two_charts_of_one_name_are_an_error() {
    let twice = [&pictures()[..1], &pictures()[..1]].concat();
    let error = build(&campaign(), &twice, BTreeMap::new(), &PageOptions::default()).unwrap_err();
    assert!(
        matches!(&error, GalleryError::Duplicate { path } if path == "charts/iops-mean-by-raid-write.png"),
        "{error}"
    );
}

#[test]
fn a_file_name_that_leads_elsewhere_is_an_error() {
    for name in ["../x.svg", "a/b.svg", "", ".htaccess", "a\nb.svg", "C:x.svg"] {
        let mut pictures = pictures();
        pictures[0].files.insert(name.to_owned(), Vec::new());
        let error = build(&campaign(), &pictures, BTreeMap::new(), &PageOptions::default()).unwrap_err();
        assert!(matches!(&error, GalleryError::FileName { .. }), "{name:?}: {error}");
    }
}

#[test]
fn a_campaign_of_nothing_is_a_report_too() {
    let report =
        build(&crate::model::Campaign::default(), &[], BTreeMap::new(), &PageOptions::default()).unwrap();
    let index = text(&report, "index.html");
    assert!(index.contains("No run was found in the inputs.") && index.contains("<h1>Benchmark report</h1>"));
}

#[test]
fn figures_of_no_number_stay_texts() {
    let mut campaign = campaign();
    for record in &mut campaign.runs {
        for statistic in &mut record.statistics {
            statistic.value = f64::NAN;
        }
    }
    campaign.runs[0].statistics[0].value = f64::INFINITY;
    let index =
        text(&build(&campaign, &pictures(), BTreeMap::new(), &PageOptions::default()).unwrap(), "index.html");
    assert!(!index.contains("NaN") && !index.contains("inf "));
}

#[test]
fn the_environment_of_a_run_is_told_in_words() {
    let mut campaign = campaign();
    for key in ["disk_util", "latency_distribution"] {
        campaign.runs[0].run.environment.insert(key.to_owned(), "vda 99 %".to_owned());
    }
    let report = build(&campaign, &pictures(), BTreeMap::new(), &PageOptions::default()).unwrap();
    let run = text(&report, "runs/raid0-randread-run1.html");
    assert!(run.contains("<dt>disk utilisation</dt><dd>vda 99 %</dd>"), "{run}");
    assert!(run.contains("<dt>latency distribution</dt>"), "{run}");
}

#[test]
fn columns_that_hold_nothing_are_not_shown() {
    let report = build(&campaign(), &pictures(), BTreeMap::new(), &PageOptions::default()).unwrap();
    let chart = text(&report, "charts/iops-mean-by-raid-write.html");
    assert!(chart.contains("<th scope=\"col\" class=\"number\">IOPS</th>"), "{chart}");
    assert!(!chart.contains("<th scope=\"col\">note</th>"), "{chart}");
    assert!(text(&report, "data/iops-mean-by-raid-write.csv").starts_with("RAID level,IOPS,note"));
}

#[test]
fn snippets_fit_their_column_and_tell_of_a_picture_that_turns_dark() {
    let page = |svg: Option<&str>| {
        let mut pictures = pictures();
        if let Some(svg) = svg {
            pictures[0].files.insert("iops-mean-by-raid-write.svg".to_owned(), svg.as_bytes().to_vec());
        }
        let report = build(&campaign(), &pictures, BTreeMap::new(), &PageOptions::default()).unwrap();
        text(&report, "charts/iops-mean-by-raid-write.html")
    };
    let light = page(None);
    assert!(light.contains("style=&quot;max-width:100%;height:auto&quot;"), "{light}");
    assert!(!light.contains("--theme light"), "{light}");
    let both = page(Some("<svg><style>@media (prefers-color-scheme:dark){.a{fill:#fff}}</style></svg>"));
    assert!(
        both.contains("take <code>charts/iops-mean-by-raid-write.png</code> or a report made with <code>--theme light</code>."),
        "{both}"
    );
}
