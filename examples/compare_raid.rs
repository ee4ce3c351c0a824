//! Mean IOPS of each RAID level with a 95 % interval from repeats, as text.

use plotgen::analyze::repeat::cells;
use plotgen::analyze::{AnalyzeOptions, analyze};
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::ingest::{IngestOptions, ingest};
use plotgen::model::{Ddir, Dimension, Measure, Metric, Value};
use plotgen::spec::Filter;

pub(crate) fn main() {
    let found = discover(&["sample-logs/level-sweep"], &DiscoverOptions::default());
    let campaign = analyze(ingest(found, &IngestOptions::default(), &|_, _| ()), &AnalyzeOptions::default());
    for ddir in [Ddir::Read, Ddir::Write] {
        println!("{ddir}");
        for cell in
            cells(&campaign, &Filter::default(), Measure::mean(Metric::Iops), ddir, &[Dimension::Raid])
        {
            let level = cell.key[0].as_ref().map_or("?", Value::as_str);
            let interval =
                cell.interval.map_or("no interval".into(), |(low, high)| format!("{low:.1} to {high:.1}"));
            println!("  RAID {level:>2}: {:6.1} IOPS ({interval}, n = {})", cell.mean, cell.values.len());
        }
    }
}
