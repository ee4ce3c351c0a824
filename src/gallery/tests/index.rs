//! The first page: what leads it, its comparisons, and what it folds away.

use super::sample::{campaign, pictures};
use super::{index_of, report, section, text};
use crate::gallery::{PageOptions, build};
use crate::model::unit::UnitSystem;
use crate::model::{
    Campaign, Diagnostic, Dimension, DimensionEntry, DimensionOrigin, Severity, Tool, Value, Verdict,
};
use std::collections::BTreeMap;

#[test]
fn the_overview_says_what_was_compared_repeated_and_shared() {
    let index = text(&report(), "index.html");
    assert!(index.contains(
        "25 runs of fio 3.33, each configuration 3 to 4 times. They compare RAID level (0, 5, 6 and 10).</p>"
    ));
    assert!(index.contains("<span class=\"muted\">All runs:</span> 4 KiB blocks · iodepth 4</p>"));
}

#[test]
fn what_casts_doubt_on_the_figures_is_counted_at_the_top() {
    let index = text(&report(), "index.html");
    let top = &index[..index.find("</header>").unwrap()];
    for notice in [
        "<a href=\"#runs\">1 run reported errors</a>",
        "<a href=\"#files\">1 file could not be read</a>",
        "<a href=\"#checks\">1 doubt about the method</a>",
        "<a href=\"#remarks-files\">4 remarks on files</a>",
    ] {
        assert!(top.contains(notice), "{notice}: {top}");
    }
    let mut campaign = campaign();
    let remark = "read lat: the log rows have a mean of 21 ms, the tool's summary says 19 ms";
    campaign.diagnostics = vec![Diagnostic::new(Severity::Info, "raid5/randread_run1", remark)];
    let index = index_of(&campaign, &pictures());
    assert!(index.contains("<a href=\"#remarks-data\">1 remark on the data</a>"));
    let remarks = section(&index, "diagnostics");
    assert!(remarks.contains("<details id=\"remarks-data\" open>"), "{remarks}");
    assert!(remarks.contains("href=\"runs/raid5-randread-run1.html\">raid5/randread_run1</a>"), "{remarks}");
}

#[test]
fn a_comparison_has_its_table_and_the_charts_of_its_runs() {
    let comparison = section(&text(&report(), "index.html"), "by-raid");
    assert!(comparison.contains("<h2>RAID level</h2>"), "{comparison}");
    assert!(
        comparison.contains("<p class=\"held\">Same in all of them: 4 KiB blocks, iodepth 4.</p>"),
        "{comparison}"
    );
    for group in ["Random read", "Random write"] {
        assert!(comparison.contains(&format!("colspan=\"4\" class=\"over\">{group}</th>")), "{comparison}");
    }
    let cards: Vec<&str> =
        comparison.match_indices("href=\"charts/").map(|(at, _)| &comparison[at + 13..at + 35]).collect();
    assert_eq!(cards, ["iops-mean-by-raid-writ", "iops-mean-by-raid-read"]);
    let table = &comparison[comparison.find("<tbody>").unwrap()..comparison.find("</tbody>").unwrap()];
    let first = &table[..table.find("</tr>").unwrap()];
    assert!(first.contains("<th scope=\"row\">RAID 0</th>"), "{first}");
    // By hand: 1100 * 1.02 = 1,122; s = 0.01 * 1100, half = 4.302653 * 11 / sqrt(3) = 27.3.
    assert!(first.contains("<strong>1,122</strong>") && first.contains("± 27<"), "{first}");
    // Percentiles are a range: 3.1 * 4e9 / (1100 * 1.03) = 10.94 ms to 3.1 * 4e9 / (1100 * 1.01) = 11.16 ms.
    assert!(first.contains("10.9 to 11.2"), "{first}");
    // The verdicts mark RAID 0 in reads alone; latency has none, percentiles never have.
    assert_eq!((table.matches("(best)").count(), first.matches("(best)").count()), (1, 1));
    assert!(comparison.contains("<strong>Bold</strong>: better than every other row."), "{comparison}");
    let why = "Of the other means none is marked: the repeats do not set one apart from all others by more than 5 %.";
    assert!(comparison.contains(why), "{comparison}");
}

#[test]
fn nothing_is_marked_where_the_analysis_names_no_best() {
    let marks = |campaign: &Campaign| {
        let comparison = section(&index_of(campaign, &pictures()), "by-raid");
        (comparison.matches("(best)").count(), comparison.contains(" No mean is marked: the repeats do not"))
    };
    let mut open = campaign();
    for comparison in &mut open.comparisons {
        comparison.pairs[0].verdict = Verdict::Inconclusive;
    }
    assert_eq!(marks(&open), (0, true));
    // A row that the comparison does not hold: its verdicts are not those of the table.
    let mut other = campaign();
    other.contrasts[0].runs.retain(|run| ![12, 13, 14].contains(run));
    assert_eq!(marks(&other), (0, true));
}

#[test]
fn a_figure_that_some_runs_of_its_row_lack_says_its_n_and_its_column_is_not_marked() {
    let table = |campaign: &Campaign| {
        let comparison = section(&index_of(campaign, &pictures()), "by-raid");
        let rows = comparison[comparison.find("<tbody>").unwrap()..].to_owned();
        (rows.matches("(best)").count(), rows.matches("(n = 2)").count(), comparison)
    };
    assert_eq!((table(&campaign()).0, table(&campaign()).1), (1, 0));
    // One of the three random reads on RAID 0 has no IOPS: the marked column stands for two of three.
    let mut lacking = campaign();
    lacking.runs[0].statistics.retain(|statistic| statistic.metric != crate::model::Metric::Iops);
    for comparison in &mut lacking.comparisons {
        let cells = &mut comparison.cells;
        cells.iter_mut().for_each(|cell| cell.runs.retain(|run| *run != 0));
    }
    let (marked, told, text) = table(&lacking);
    assert_eq!((marked, told), (0, 1), "{text}");
    assert!(
        text.contains("A figure with an n of its own is one that other runs of the row do not have"),
        "{text}"
    );
}

#[test]
fn without_findings_the_highest_and_lowest_mean_lead_the_page() {
    let mut campaign = campaign();
    assert!(!index_of(&campaign, &pictures()).contains("id=\"glance\""));
    campaign.findings.clear();
    let glance = section(&index_of(&campaign, &pictures()), "glance");
    // By hand: 440 * 2.5 * 1.02 = 1,122, 71 * 2.5 * 1.02 = 181.05, their ratio 440 / 71 = 6.197.
    assert!(
        glance.contains(
            "<dd>Random read: highest mean 1,122 IOPS (RAID 0), 6.20 times the lowest, 181 IOPS (RAID 6); \
             95 % interval of the ratio 6.08 to 6.32, n = 3.</dd>"
        ),
        "{glance}"
    );
    campaign.contrasts[0].runs = vec![0, 18];
    let glance = section(&index_of(&campaign, &pictures()), "glance");
    assert!(glance.contains("single runs cannot tell a difference from chance."), "{glance}");
}

#[test]
fn a_sentence_holds_the_second_dimension_where_its_ends_lie_widest_apart() {
    let mut campaign = campaign();
    campaign.findings.clear();
    // Levels 0 and 5 on one file system, 6 and 10 on another: 440 / 97 = 4.536, 210 / 71 = 2.958.
    for (i, record) in campaign.runs.iter_mut().enumerate() {
        let fs = Value::canonical(&Dimension::Fs, if i < 12 { "xfs" } else { "ext4" });
        record.run.dimensions.insert(Dimension::Fs, DimensionEntry { value: fs, from: DimensionOrigin::Set });
    }
    campaign.contrasts[0].second = Some(Dimension::Fs);
    let index = index_of(&campaign, &pictures());
    assert!(
        section(&index, "glance").contains(
            "Random write, widest apart with xfs: highest mean 449 IOPS (RAID 0), 4.54 times the lowest, \
             98.9 IOPS (RAID 5); n = 3, no verdict on the two."
        ),
        "{}",
        section(&index, "glance")
    );
    let comparison = section(&index, "by-raid-and-fs");
    assert!(comparison.contains("<h2>RAID level, ext4 and xfs</h2>"), "{comparison}");
    assert_eq!(comparison.matches("<th scope=\"rowgroup\" colspan=").count(), 2, "{comparison}");
}

#[test]
fn long_tables_are_folded_and_short_ones_are_not() {
    let mut campaign = campaign();
    let folded =
        |campaign: &Campaign| section(&index_of(campaign, &pictures()), "by-raid").contains("<details>");
    assert!(!folded(&campaign));
    for (i, record) in campaign.runs.iter_mut().enumerate() {
        let entry = record.run.dimensions.get_mut(&Dimension::Raid).unwrap();
        entry.value = Value::canonical(&Dimension::Raid, &format!("level{i}"));
    }
    assert!(!folded(&campaign));
    campaign.contrasts[0].runs.push(24);
    assert!(folded(&campaign));
}

#[test]
fn charts_of_one_run_stand_on_its_page_unless_there_are_no_others() {
    let report = report();
    let index = text(&report, "index.html");
    assert!(!index.contains("src=\"assets/thumbs/clat-mean-by-raid.svg\""));
    let bad = report.keys().find(|path| path.starts_with("runs/script-alert")).unwrap();
    assert!(text(&report, bad).contains("href=\"../charts/clat-mean-by-raid.html\""));
    let index = index_of(&campaign(), &pictures()[2..]);
    assert!(section(&index, "charts").contains("src=\"assets/thumbs/clat-mean-by-raid.svg\""));
}

#[test]
fn runs_in_no_comparison_are_listed_with_the_reason() {
    let runs = section(&text(&report(), "index.html"), "runs");
    let (_, alone) = runs.split_once("1 run in no comparison: no other run differs").unwrap();
    assert_eq!(alone.matches("href=\"runs/").count(), 1);
    assert!(alone.contains("href=\"runs/script-alert"), "{alone}");
}

#[test]
fn comparisons_of_one_dimension_are_told_apart_by_what_each_holds() {
    let mut campaign = campaign();
    let mut other = campaign.contrasts[0].clone();
    other.held.insert(Dimension::Iodepth, Value::canonical(&Dimension::Iodepth, "8"));
    campaign.contrasts.push(other);
    let index = index_of(&campaign, &pictures());
    assert!(section(&index, "by-raid").contains("<h2>RAID level (iodepth 4)</h2>"));
    assert!(section(&index, "by-raid-2").contains("<h2>RAID level (iodepth 8)</h2>"));
}

#[test]
fn a_run_shows_its_rates_and_latencies_first_in_the_units_asked_for() {
    let page = |units| {
        let options = PageOptions { units, ..PageOptions::default() };
        let report = build(&campaign(), &pictures(), BTreeMap::new(), &options).unwrap();
        (section(&text(&report, "runs/raid0-randread-run1.html"), "key"), text(&report, "index.html"))
    };
    // By hand: 440 * 2.5 * 1.01 = 1,111 IOPS of 4,096 bytes are 4,550,656 B/s; 4e9 / 1111 = 3.60 ms.
    let (key, index) = page(UnitSystem::Iec);
    for figure in [">1,111<", ">4.34 MiB/s<", ">3.60 ms<", ">3.24 ms<", ">11.2 ms<"] {
        assert!(key.contains(figure), "{figure}: {key}");
    }
    assert!(index.contains("4.38 MiB/s") && !index.contains(" MB/s"));
    let (key, index) = page(UnitSystem::Si);
    assert!(key.contains(">4.55 MB/s<"), "{key}");
    assert!(index.contains("4.60 MB/s") && !index.contains(" MiB/s"));
}

#[test]
fn checks_that_cast_no_doubt_are_folded_away() {
    let index = text(&report(), "index.html");
    let (before, after) = index.split_once("1 for information").unwrap();
    assert!(before.contains("<strong>one-fact</strong>") && after.contains("<strong>no-ramp-time</strong>"));
}

#[test]
fn the_users_description_stands_under_the_title_in_paragraphs() {
    let mut campaign = campaign();
    campaign.description = Some("Six <drives>\nin one box.\n\n \nMeasured at night.".to_owned());
    let index = index_of(&campaign, &pictures());
    let first = "</h1>\n<p class=\"description\">Six &lt;drives&gt; in one box.</p>";
    assert!(index.contains(first), "{}", &index[..2000]);
    assert!(index.contains("<p class=\"description\">Measured at night.</p>\n<p class=\"lead\">"));
}

#[test]
fn how_it_was_measured_is_told_with_what_the_files_do_not_say() {
    let mut campaign = campaign();
    for record in &mut campaign.runs[..6] {
        record.run.environment.insert("timestamp".to_owned(), "2026-12-01T10:00:00Z".to_owned());
    }
    campaign.runs.last_mut().unwrap().run.tool = Tool { name: "rbench".to_owned(), version: None };
    let index = index_of(&campaign, &pictures());
    assert!(
        index.contains(
            "25 runs: 24 of fio 3.33 and 1 from tables (rbench format), each configuration 3 to 4 times, \
             6 of them dated 1 December 2026."
        ),
        "{}",
        &index[..2000]
    );
    let method = section(&index, "method");
    for text in [
        "<strong>24 runs of fio 3.33</strong>: libaio, 4 KiB blocks, 30 s each, each configuration 3 times, \
         6 of them dated 1 December 2026.",
        "<strong>1 run from tables (rbench format)</strong>: libaio, 4 KiB blocks, 30 s each.",
        "Not in the files: direct I/O and date.",
        "Not in the files: file system and number of drives.",
        "<code>--set fs=xfs --set drives=6</code>",
    ] {
        assert!(method.contains(text), "{text}: {method}");
    }
}

#[test]
fn ignored_files_are_one_line_with_a_fold() {
    let mut campaign = campaign();
    campaign.diagnostics = vec![Diagnostic::new(Severity::Info, "raid0/job.fio", "ignored: a job file")];
    let remarks = section(&index_of(&campaign, &pictures()), "diagnostics");
    let line =
        "<details id=\"remarks-ignored\"><summary>1 file ignored: no benchmark output, or empty</summary>";
    assert!(remarks.contains(line), "{remarks}");
    assert!(remarks.contains("<li>raid0/job.fio: ignored: a job file</li>"), "{remarks}");
    assert!(!remarks.contains("remarks-files"), "{remarks}");
}
