//! A campaign of 4 RAID levels x 2 workloads x 3 repeats, and one run with a hostile name.

use crate::analyze::repeat;
use crate::chart::{Figure, Spelling, Table, TableCell};
use crate::gallery::Picture;
use crate::model::*;
use crate::spec::{Channel, ChartSpec, Filter, Mark, Size, XChannel};
use std::collections::BTreeMap;

/// A name that breaks whatever forgets to escape it.
pub(super) fn hostile() -> String {
    format!("../<script>alert('x')</script>\n\"&#39;🔥%2e%2e/ {}", "n".repeat(300))
}

fn entry(dimension: &Dimension, text: &str, from: DimensionOrigin) -> (Dimension, DimensionEntry) {
    (dimension.clone(), DimensionEntry { value: Value::canonical(dimension, text), from })
}

fn statistic(metric: Metric, ddir: Ddir, stat: Stat, value: f64) -> Statistic {
    Statistic { metric, ddir, stat, value, origin: Origin::Reported, n: Some(9_000), supported: true }
}

fn record(id: &str, label: &str, raid: &str, rw: &str, repeat: &str, iops: f64) -> RunRecord {
    let ddir = if rw == "randread" { Ddir::Read } else { Ddir::Write };
    let dimensions = BTreeMap::from([
        entry(&Dimension::Raid, raid, DimensionOrigin::Directory),
        entry(&Dimension::Rw, rw, DimensionOrigin::Option),
        entry(&Dimension::Bs, "4k", DimensionOrigin::Option),
        entry(&Dimension::Iodepth, "4", DimensionOrigin::FileName),
        entry(&Dimension::Repeat, repeat, DimensionOrigin::FileName),
    ]);
    let latency = 4e9 / iops;
    let mut statistics = vec![
        statistic(Metric::Bw, ddir, Stat::Mean, iops * 4096.0),
        statistic(Metric::Iops, ddir, Stat::Mean, iops),
        statistic(Metric::Iops, ddir, Stat::Stddev, iops / 10.0),
        statistic(Metric::Clat, ddir, Stat::Mean, latency),
        statistic(Metric::Clat, ddir, Stat::P50, latency * 0.9),
        statistic(Metric::Clat, ddir, Stat::P99, latency * 3.1),
        statistic(Metric::Clat, ddir, Stat::P9999, latency * 9.0),
    ];
    statistics[6].supported = false;
    statistics.push(Statistic {
        origin: Origin::Log,
        n: Some(60),
        ..statistic(Metric::Iops, ddir, Stat::Mean, iops * 1.004)
    });
    RunRecord {
        run: Run {
            id: id.to_owned(),
            label: label.to_owned(),
            tool: Tool { name: "fio".to_owned(), version: Some("3.33".to_owned()) },
            sources: vec![Source {
                path: format!("{id}.json"),
                sha256: "ab".repeat(32),
                format: "fio-json".to_owned(),
                rows: 1,
                skipped: 0,
            }],
            dimensions,
            options: BTreeMap::from([
                ("ioengine".to_owned(), "libaio".to_owned()),
                ("runtime".to_owned(), "30".to_owned()),
            ]),
            environment: BTreeMap::from([("host".to_owned(), "array1".to_owned())]),
            jobs: vec![Job {
                name: label.to_owned(),
                clones: 1,
                runtime_ms: BTreeMap::from([(ddir, 30_000.0)]),
                bytes: BTreeMap::from([(ddir, 36_864_000)]),
                ios: BTreeMap::from([(ddir, 9_000)]),
                ..Job::default()
            }],
            series: Vec::new(),
            summaries: Vec::new(),
        },
        series: Vec::new(),
        statistics,
        little: None,
        steady: Vec::new(),
        phases: Vec::new(),
    }
}

/// Values of each dimension in natural order.
fn values(runs: &[RunRecord]) -> BTreeMap<Dimension, Vec<Value>> {
    let mut values: BTreeMap<Dimension, Vec<Value>> = BTreeMap::new();
    for record in runs {
        for (dimension, entry) in &record.run.dimensions {
            values.entry(dimension.clone()).or_default().push(entry.value.clone());
        }
    }
    for list in values.values_mut() {
        list.sort();
        list.dedup();
    }
    values
}

/// The campaign: 24 plain runs, then the hostile one, which reported an error.
pub(super) fn campaign() -> Campaign {
    let mut runs = Vec::new();
    for (raid, level) in [("0", 440.0), ("5", 97.0), ("6", 71.0), ("10", 210.0)] {
        for (rw, factor) in [("randread", 2.5), ("randwrite", 1.0)] {
            for repeat in 1..=3 {
                let id = format!("raid{raid}/{rw}_run{repeat}");
                let iops = level * factor * (1.0 + 0.01 * f64::from(repeat));
                runs.push(record(&id, &format!("raid{raid} {rw}"), raid, rw, &repeat.to_string(), iops));
            }
        }
    }
    let mut bad = record(&hostile(), &hostile(), "10", "randwrite", "4", 12.5);
    bad.run.jobs[0].error = 5;
    bad.run.options.insert(hostile(), hostile());
    runs.push(bad);
    let file = |path: &str, status, reason: &str| FileReport {
        path: path.to_owned(),
        status,
        format: (status == FileState::Read).then(|| "fio-json".to_owned()),
        version: None,
        layout: None,
        reason: reason.to_owned(),
        run: None,
        jobs: None,
        dimensions: BTreeMap::new(),
        window_ms: None,
        rows: 1,
        skipped: 0,
        sha256: None,
        diagnostics: Vec::new(),
    };
    let mut files: Vec<FileReport> = runs
        .iter()
        .map(|r| FileReport {
            run: Some(r.run.id.clone()),
            ..file(&format!("{}.json", r.run.id), FileState::Read, "a JSON document with `fio version`")
        })
        .collect();
    files[0].skipped = 12;
    files.push(file("raid0/job.fio", FileState::Ignored, "a job file"));
    files.push(file("raid0/cut.json", FileState::Failed, "the JSON ends in the middle of `jobs`"));
    let mut campaign = Campaign {
        title: "RAID levels on six disks".to_owned(),
        dimensions: vec![
            Dimension::Raid,
            Dimension::Rw,
            Dimension::Bs,
            Dimension::Iodepth,
            Dimension::Repeat,
        ],
        values: values(&runs),
        runs,
        files,
        ..Campaign::default()
    };
    campaign.diagnostics = vec![
        Diagnostic::new(
            Severity::Error,
            "raid0/cut.json",
            "expected `}`, found the end of the file; copy it again",
        )
        .at_line(118),
        Diagnostic::new(
            Severity::Warning,
            format!("{}.json", hostile()),
            format!("job {} reported error 5", hostile()),
        ),
        Diagnostic::new(Severity::Info, "raid5/randread_run1.json", "no ramp time"),
        Diagnostic::new(Severity::Info, "raid5/randread_run2.json", "no ramp time"),
    ];
    let filter = Filter {
        dimensions: BTreeMap::from([(Dimension::Rw, vec![Value::canonical(&Dimension::Rw, "randwrite")])]),
        ..Filter::default()
    };
    let cells =
        repeat::cells(&campaign, &filter, Measure::mean(Metric::Iops), Ddir::Write, &[Dimension::Raid]);
    campaign.comparisons = vec![Comparison {
        metric: Metric::Iops,
        ddir: Ddir::Write,
        by: Dimension::Raid,
        held: BTreeMap::new(),
        pairs: vec![Pair {
            a: Value::canonical(&Dimension::Raid, "10"),
            b: Value::canonical(&Dimension::Raid, "5"),
            ratio: Some(2.16),
            low: Some(2.13),
            high: Some(2.18),
            p_adjusted: None,
            verdict: Verdict::NoDifference,
        }],
        cells,
    }];
    // Of reads RAID 0 beats all others, of writes nothing beats all others.
    for (ddir, rw, beaten) in [(Ddir::Read, "randread", 3), (Ddir::Write, "randwrite", 2)] {
        campaign.comparisons.push(judged(&campaign, ddir, rw, beaten));
    }
    campaign.thresholds = BTreeMap::from([(Metric::Iops, 0.05)]);
    let held = |dimension: &Dimension, text| (dimension.clone(), Value::canonical(dimension, text));
    campaign.contrasts = vec![Contrast {
        by: Dimension::Raid,
        second: None,
        held: BTreeMap::from([held(&Dimension::Bs, "4k"), held(&Dimension::Iodepth, "4")]),
        runs: (0..24).collect(),
    }];
    campaign.findings = vec![Finding {
        kind: "winner".to_owned(),
        text: "RAID 10 writes 210 IOPS, 2.16 times RAID 5 (95 % interval 2.13 to 2.18, n = 3).".to_owned(),
        runs: vec![9, 10, 11, 21, 22, 23],
        values: BTreeMap::from([("ratio".to_owned(), 2.16), ("nothing".to_owned(), f64::NAN)]),
    }];
    campaign.checks = vec![
        Check {
            id: "no-ramp-time".to_owned(),
            severity: Severity::Info,
            runs: (0..24).collect(),
            evidence: BTreeMap::new(),
            advice: "Consider ramp_time.".to_owned(),
        },
        Check {
            id: "one-fact".to_owned(),
            severity: Severity::Warning,
            runs: vec![24],
            evidence: BTreeMap::from([("error".to_owned(), "5".to_owned())]),
            advice: "Run it again: a job reported an error.".to_owned(),
        },
    ];
    campaign.model = vec![ModelPoint {
        run: 21,
        ddir: Ddir::Write,
        expected: 225.0,
        shallow: None,
        measured: 212.1,
        efficiency: 212.1 / 225.0,
        drives: 6,
        drive_iops: 75.0,
        drive_run: None,
    }];
    campaign
}

/// IOPS by RAID level of one workload; RAID 0 is better than the first `beaten` of the others.
fn judged(campaign: &Campaign, ddir: Ddir, rw: &str, beaten: usize) -> Comparison {
    let raid = |text: &str| Value::canonical(&Dimension::Raid, text);
    let runs = campaign.runs.iter().take(24).map(|record| record.run.id.clone()).collect();
    let filter = Filter { runs, ..Filter::default() };
    let held = [(Dimension::Rw, rw), (Dimension::Bs, "4k"), (Dimension::Iodepth, "4")];
    let pair = |(place, (level, ratio)): (usize, (&str, f64))| Pair {
        // The pair is seen from the other side.
        a: raid(level),
        b: raid("0"),
        ratio: Some(1.0 / ratio),
        low: Some(0.98 / ratio),
        high: Some(1.02 / ratio),
        p_adjusted: None,
        verdict: if place < beaten { Verdict::Worse } else { Verdict::Inconclusive },
    };
    let others = [("5", 440.0 / 97.0), ("6", 440.0 / 71.0), ("10", 440.0 / 210.0)];
    Comparison {
        metric: Metric::Iops,
        ddir,
        by: Dimension::Raid,
        held: held.into_iter().map(|(d, text)| (d.clone(), Value::canonical(&d, text))).collect(),
        cells: repeat::cells(campaign, &filter, Measure::mean(Metric::Iops), ddir, &[Dimension::Raid]),
        pairs: others.into_iter().enumerate().map(pair).collect(),
    }
}

fn svg(id: &str, hues: [&str; 4], width: f64, height: f64) -> Vec<u8> {
    let bars: String = hues
        .iter()
        .enumerate()
        .map(|(i, hue)| {
            let tall = height * [0.62, 0.2, 0.14, 0.36][i];
            let x = width * (0.12 + 0.21 * i as f64);
            format!(
                r#"<rect x="{x:.1}" y="{:.1}" width="{:.1}" height="{tall:.1}" fill="{hue}"/>"#,
                height * 0.9 - tall,
                width * 0.13
            )
        })
        .collect();
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"><title id="{id}-t">{id}</title><rect width="100%" height="100%" fill="#fff"/><path d="M{a:.1} {b:.1}H{c:.1}" stroke="#888"/>{bars}</svg>"##,
        a = width * 0.08, b = height * 0.9, c = width * 0.96
    )
    .into_bytes()
}

fn picture(id: &str, title: &str, metric: Metric, ddir: Ddir, runs: Vec<usize>) -> Picture {
    let mut spec = ChartSpec::new(id, Mark::Bar, XChannel::Dimension(Dimension::Raid), Measure::mean(metric));
    spec.color = Some(Channel::Ddir);
    spec.filter.ddirs = vec![ddir];
    let hues = ["#0072b2", "#e69f00", "#cc79a7", "#009e73"];
    let number = |value: f64| TableCell::Number { value, spelling: Spelling::Significant };
    let rows = ["0", "5", "6", "10"].iter().zip([440.123, 97.5, 71.0, 0.1]);
    let figure = Figure {
        id: id.to_owned(),
        size: Size::FULL,
        title: title.to_owned(),
        subtitle: format!("Mean {}, 4 KiB random {ddir}, iodepth 4, 3 repeats", metric.title()),
        footer: "Source: fio 3.33, array1".to_owned(),
        alt: format!("Bars of {} by RAID level; RAID 0 is highest, RAID 6 lowest.", metric.title()),
        panels: Vec::new(),
        texts: Vec::new(),
        strokes: Vec::new(),
        hatched: false,
        notes: vec!["RAID 10, repeat 4: one run only, no interval.".to_owned()],
        table: Table {
            columns: vec!["RAID level".to_owned(), metric.title().to_owned(), "note".to_owned()],
            rows: rows
                .map(|(raid, v)| vec![TableCell::Text((*raid).to_owned()), number(v), TableCell::Empty])
                .collect(),
        },
        runs,
        family: None,
    };
    let full = svg(id, hues, 1200.0, 675.0);
    let files = BTreeMap::from([
        (format!("{id}.svg"), full),
        (format!("{id}.png"), b"png".to_vec()),
        (format!("{id}@2x.png"), b"png twice".to_vec()),
    ]);
    Picture { spec, figure, files, thumb: svg(id, hues, 560.0, 350.0) }
}

/// Three pictures; the last is in the way of nothing but holds hostile words.
pub(super) fn pictures() -> Vec<Picture> {
    let mut last = picture("clat-mean-by-raid", &hostile(), Metric::Clat, Ddir::Write, vec![24]);
    last.figure.alt = hostile();
    last.figure.table.columns[0] = hostile();
    last.figure.notes = vec![hostile()];
    vec![
        picture(
            "iops-mean-by-raid-write",
            "RAID 0 writes most, RAID 6 least",
            Metric::Iops,
            Ddir::Write,
            vec![3, 4, 5, 21, 22, 23],
        ),
        picture(
            "iops-mean-by-raid-read",
            "Reads scale with the drives",
            Metric::Iops,
            Ddir::Read,
            vec![0, 1, 2],
        ),
        last,
    ]
}
