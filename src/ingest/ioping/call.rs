//! One call of ioping: its requests, periods and statistics as a run.

use super::line::{Flags, Item, Place, Request, Totals};
use super::raw::{Pool, Raw, periods};
use super::run::{Latency, Made, Outcome, snapped};
use crate::ingest::Remark;
use crate::ingest::transcript::Above;
use crate::model::{Ddir, Histogram, Severity};

/// A call while its lines come in.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) line: u64,
    above: Above,
    requests: Vec<Request>,
    place: Option<Place>,
    completed: Option<Totals>,
    generated: Option<Totals>,
    spread: Option<[f64; 4]>,
    /// Raw lines between the requests.
    pub(super) periods: Vec<Raw>,
}

impl Call {
    pub(super) fn new(line: u64, above: Above) -> Self {
        Call { line, above, ..Call::default() }
    }

    /// True while requests come in.
    pub(super) fn is_open(&self) -> bool {
        !self.requests.is_empty() && self.place.is_none() && self.spread.is_none()
    }

    /// True when `item` can be the next line of this call.
    pub(super) fn continues(&self, item: &Item) -> bool {
        match item {
            Item::Request(request) => {
                self.is_open() && self.requests.last().is_some_and(|last| last.number < request.number)
            }
            Item::Place(_) => self.is_open(),
            Item::Completed(_) => {
                self.completed.is_none() && self.generated.is_none() && self.spread.is_none()
            }
            Item::Generated(_) => self.generated.is_none() && self.spread.is_none(),
            Item::Spread(_) => self.spread.is_none(),
            Item::Raw(_) => self.is_open(),
        }
    }

    pub(super) fn add(&mut self, item: Item) {
        match item {
            Item::Request(request) => self.requests.push(request),
            Item::Place(place) => self.place = Some(place),
            Item::Completed(totals) => self.completed = Some(totals),
            Item::Generated(totals) => self.generated = Some(totals),
            Item::Spread(spread) => self.spread = Some(spread),
            Item::Raw(raw) => self.periods.push(raw),
        }
    }

    /// The run; None when the call holds no figure.
    pub(super) fn into_part(self, version: Option<String>) -> Option<Made> {
        let counted: Vec<f64> = self.requests.iter().filter(|r| !r.warmup).map(|r| r.ns).collect();
        let (latency, remark) = self.latency(&counted);
        if latency.is_none() && self.generated.is_none() && self.completed.is_none() {
            return None;
        }
        // ioping 1.x adds up latencies in `completed in` and gives the elapsed time as `generated in`.
        let elapsed = self.generated.or(self.completed.filter(|totals| totals.ddir.is_none()));
        let of_totals =
            |totals: Totals| Some(snapped(totals.bytes? / totals.requests)).filter(|_| totals.requests > 0.0);
        let first = self.requests.first();
        let bytes = first
            .and_then(|request| request.bytes)
            .or_else(|| self.completed.and_then(of_totals))
            .or_else(|| self.generated.and_then(of_totals));
        let flags = self.above.command.as_deref().map(Flags::parse);
        let ddir: Option<Ddir> = first.map(|r| r.ddir).or_else(|| self.completed.and_then(|c| c.ddir));
        let outcome = Outcome {
            bytes,
            ddir,
            place: self.place.or_else(|| first.map(|request| request.place.clone())).unwrap_or_default(),
            series: periods(&self.periods),
            latency: latency.unwrap_or_default(),
            elapsed: elapsed.map(|totals| (totals.requests, totals.ns)),
            prints_rates: self.completed.is_some() || self.generated.is_some(),
            flags,
            above: self.above,
            version,
        };
        Some(Made { remark, ..outcome.into_made(self.line) })
    }

    /// ioping's own figures, else those of the requests or periods.
    fn latency(&self, counted: &[f64]) -> (Option<Latency>, Option<Remark>) {
        let histogram = (!counted.is_empty()).then(|| {
            let mut histogram = Histogram::default();
            counted.iter().for_each(|&ns| histogram.record(ns as u64, 1));
            histogram
        });
        if let Some([min, mean, max, mdev]) = self.spread {
            let printed = self.completed.map(|totals| totals.requests.round() as u64);
            let single = (!counted.is_empty()).then_some(counted.len() as u64);
            let latency = Latency {
                count: single.or(printed),
                min: Some(min),
                mean: Some(mean),
                max: Some(max),
                stddev: Some(mdev),
                histogram,
            };
            return (Some(latency), None);
        }
        let missing = |what: String| {
            Remark::new(
                Severity::Warning,
                format!(
                    "expected `min/avg/max/mdev` at the end of this call, found none: it was cut; figures come from its {what}"
                ),
            )
        };
        if counted.is_empty() {
            let pool = Pool::of(&self.periods);
            let rows = self.periods.len();
            return (pool.latency(), (rows > 0).then(|| missing(format!("{rows} raw lines"))));
        }
        let n = counted.len() as f64;
        let mean = counted.iter().sum::<f64>() / n;
        let squares: f64 = counted.iter().map(|ns| (ns - mean).powi(2)).sum();
        let latency = Latency {
            count: Some(counted.len() as u64),
            min: counted.iter().copied().reduce(f64::min),
            mean: Some(mean),
            max: counted.iter().copied().reduce(f64::max),
            stddev: (n > 1.0).then(|| (squares / (n - 1.0)).sqrt()),
            histogram,
        };
        (Some(latency), Some(missing(format!("{} request lines", counted.len()))))
    }
}
