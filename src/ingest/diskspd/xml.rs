//! diskspd's XML.
//!
//! In: `Results` with a `Profile` and a `TimeSpan` for each span. Out: one run for each span; IOPS over
//! time where `-D` was given. Elements that are not there state nothing.

use super::{Moved, Parameters, push, run};
use crate::ingest::words::{self, MS, Reading, broken};
use crate::ingest::{Claim, Format, Head, IngestError, Parsed, ReadContext};
use crate::model::{Ddir, Dimension, Metric};
use roxmltree::{Document, Node};
use std::io::Read;

/// Reader of diskspd's XML.
pub struct DiskspdXml;

impl Format for DiskspdXml {
    fn name(&self) -> &'static str {
        "diskspd-xml"
    }

    fn describe(&self) -> &'static str {
        "diskspd -Rxml: <Results> ... <TimeSpan><TestTimeSeconds>30.02</TestTimeSeconds> ..."
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let mut body = text.trim_start_matches('\u{feff}').trim_start();
        if body.starts_with("<?xml") {
            body = body.split_once("?>")?.1.trim_start();
        }
        let own = ["<TimeSpan>", "<Profile>", "<System>"].iter().any(|name| body.contains(name));
        (body.starts_with("<Results>") && own)
            .then(|| Claim { reason: "XML with diskspd's root `Results`".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let document =
            Document::parse(text.trim_start_matches('\u{feff}').trim_start()).map_err(|error| {
                let line = u64::from(error.pos().row);
                broken(
                    line,
                    format!(
                        "expected XML to the end of `Results`, found a fault: {error}; copy the file again"
                    ),
                )
            })?;
        let root = document.root_element();
        let version = find(root, &["System", "Tool", "Version"]).and_then(|node| node.text());
        let mut reading = Reading {
            version: version.map(str::to_owned),
            layout: Some("Results".to_owned()),
            ..Reading::default()
        };
        let profiles: Vec<Parameters> = find(root, &["Profile", "TimeSpans"])
            .into_iter()
            .flat_map(|spans| children(spans, "TimeSpan"))
            .map(parameters)
            .collect();
        for (at, span) in children(root, "TimeSpan").enumerate() {
            reading.rows += 1;
            read_span(span, profiles.get(at).or(profiles.last()), root, &mut reading);
        }
        if reading.rows == 0 {
            return Err(broken(
                None,
                "expected a `TimeSpan` with results in `Results`, found none; let diskspd finish",
            ));
        }
        reading.finish("time spans without I/O")
    }
}

fn children<'a, 'input>(
    node: Node<'a, 'input>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn find<'a, 'input>(node: Node<'a, 'input>, path: &[&'static str]) -> Option<Node<'a, 'input>> {
    path.iter().try_fold(node, |node, name| children(node, name).next())
}

fn text<'a>(node: Node<'a, '_>, name: &'static str) -> Option<&'a str> {
    find(node, &[name])?.text().map(str::trim)
}

fn number(node: Node<'_, '_>, name: &'static str) -> Option<f64> {
    words::number(text(node, name)?)
}

/// What the targets of a span's profile state.
fn parameters(span: Node<'_, '_>) -> Parameters {
    let mut all = Parameters::default();
    for target in find(span, &["Targets"]).into_iter().flat_map(|targets| children(targets, "Target")) {
        for (name, dimension) in [
            ("BlockSize", Dimension::Bs),
            ("RequestCount", Dimension::Iodepth),
            ("ThreadsPerFile", Dimension::Numjobs),
            ("FileSize", words::other("size")),
        ] {
            // A file size of 0 is that of the file that is there, no threads per file those of the span.
            if let Some(value) = text(target, name).filter(|value| *value != "0") {
                all.state(dimension, value);
            }
        }
        if let Some(cached) = text(target, "DisableOSCache") {
            all.state(Dimension::Direct, cached);
        }
        // `RandomAccess` is a hint to the system; `Random` is the alignment of random I/O.
        let random = number(target, "RandomRatio").map(|share| share > 0.0);
        all.random = random
            .or_else(|| Some(number(target, "Random")? > 0.0))
            .or(text(target, "StrideSize").map(|_| false));
        all.reads_percent = number(target, "WriteRatio").map(|share| (100.0 - share).max(0.0));
        all.path = all.path.or(text(target, "Path").map(str::to_owned));
    }
    if let Some(threads) = text(span, "ThreadCount").filter(|threads| *threads != "0") {
        all.state(Dimension::Numjobs, threads);
    }
    all
}

fn read_span(span: Node<'_, '_>, profile: Option<&Parameters>, root: Node<'_, '_>, reading: &mut Reading) {
    let latency = find(span, &["Latency"]);
    let in_ms = |name: &'static str| Some(number(latency?, name)? * MS);
    let mut moved = Vec::new();
    let names = [
        (Ddir::Read, ["ReadBytes", "ReadCount"], ["AverageReadMilliseconds", "ReadLatencyStdev"]),
        (Ddir::Write, ["WriteBytes", "WriteCount"], ["AverageWriteMilliseconds", "WriteLatencyStdev"]),
    ];
    for (ddir, [bytes, ios], [mean, stddev]) in names {
        let targets = children(span, "Thread").flat_map(|thread| children(thread, "Target"));
        let sums = targets.fold((0.0, 0.0), |(b, i), target| {
            (b + number(target, bytes).unwrap_or(0.0), i + number(target, ios).unwrap_or(0.0))
        });
        let figures = Moved {
            bytes: sums.0,
            ios: sums.1,
            lat: in_ms(mean),
            lat_stddev: in_ms(stddev),
            ..Moved::default()
        };
        moved.push((ddir, figures));
    }
    let percentiles: Vec<(f64, [Option<f64>; 3])> = latency
        .into_iter()
        .flat_map(|latency| children(latency, "Bucket"))
        .filter_map(|bucket| {
            let ms = |name: &'static str| number(bucket, name).map(|ms| ms * MS);
            let quantile = number(bucket, "Percentile").filter(|q| *q <= 100.0)? / 100.0;
            Some((quantile, [ms("ReadMilliseconds"), ms("WriteMilliseconds"), ms("TotalMilliseconds")]))
        })
        .collect();
    let seconds = number(span, "TestTimeSeconds").filter(|seconds| *seconds > 0.0);
    if seconds.is_none() {
        reading.skip(
            u64::from(root.document().text_pos_at(span.range().start).row),
            "`TestTimeSeconds`: expected a number above 0, found none; the rates of this time span are left out",
        );
        return;
    }
    let Some(mut part) = run(reading.version.as_deref(), &moved, &percentiles, seconds) else { return };
    if let Some(profile) = profile {
        let ddirs: Vec<Ddir> = super::busy(&moved).map(|(ddir, _)| *ddir).collect();
        profile.describe(&mut part, &ddirs);
    }
    part.note(
        "hostname",
        find(root, &["System", "ComputerName"]).and_then(|node| node.text()).unwrap_or_default(),
    );
    part.note("time", find(root, &["System", "RunTime"]).and_then(|node| node.text()).unwrap_or_default());
    for (ddir, attribute) in [(Ddir::Read, "Read"), (Ddir::Write, "Write")] {
        let rows: Vec<(u64, f64)> = find(span, &["Iops"])
            .into_iter()
            .flat_map(|iops| children(iops, "Bucket"))
            .filter_map(|bucket| {
                let end = words::number(bucket.attribute("SampleMillisecond")?)? as u64;
                Some((end, words::number(bucket.attribute(attribute)?)?))
            })
            .collect();
        let ends: Vec<f64> = rows.iter().map(|(end, _)| *end as f64).collect();
        let ascending = ends.windows(2).all(|pair| pair[0] < pair[1]);
        if ascending && rows.iter().any(|(_, iops)| *iops > 0.0) {
            let window = words::period(&ends).or(ends.first().copied()).unwrap_or(1000.0);
            part.windows(Metric::Iops, ddir, window, rows);
        }
    }
    push(part, reading);
}
