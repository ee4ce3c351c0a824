//! Reads one fio log and prints what it holds: `cargo run --example parse_log -- FILE`.

use plotgen::analyze::{AnalyzeOptions, analyze};
use plotgen::discover::{DiscoverOptions, Siblings, discover};
use plotgen::ingest::{IngestOptions, ingest};
use plotgen::model::unit::{UnitSystem, humanize};
use plotgen::model::{Measure, Origin};

pub(crate) fn main() {
    let default = "sample-logs/level-sweep/raid10_chunk64k_randwrite_qd4_run1_iops.1.log";
    // `cargo test` runs this file as well, with arguments of its own.
    let file =
        std::env::args().skip(1).find(|arg| arg.ends_with(".log")).unwrap_or_else(|| default.to_owned());
    let alone = DiscoverOptions { siblings: Siblings::Ignore, ..DiscoverOptions::default() };
    let ingested = ingest(discover(&[file], &alone), &IngestOptions::default(), &|_, _| ());
    for file in &ingested.files {
        println!(
            "{}: {}, {} rows, window {:?} ms ({})",
            file.path, file.status, file.rows, file.window_ms, file.reason
        );
    }
    let campaign = analyze(ingested, &AnalyzeOptions::default());
    for record in &campaign.runs {
        for series in &record.series {
            let mean = record.statistic_from(Measure::mean(series.metric), series.ddir, Origin::Log);
            let mean =
                mean.map_or("no mean".into(), |s| humanize(s.value, series.metric.unit(), UnitSystem::Iec));
            println!(
                "{} {}: mean {mean} over {} cells of {} ms",
                series.ddir,
                series.metric,
                series.values.len(),
                series.cell_ms
            );
        }
    }
}
