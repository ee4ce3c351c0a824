#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::analyze::{AnalyzeOptions, analyze};
use crate::discover::{DiscoverOptions, discover};
use crate::ingest::{IngestOptions, ingest};
use crate::model::{Campaign, Ddir, Measure, Stat};
use crate::spec::{
    Channel, Filter, Font, Mark, Order, Reference, Rgb, ScaleKind, Size, Transform, builtins, named, suggest,
};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

fn package(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn samples() -> Campaign {
    let found = discover(&[package("sample-logs")], &DiscoverOptions::default());
    analyze(ingest(found, &IngestOptions::default(), &|_, _| ()), &AnalyzeOptions::default())
}

const SCHEMA: &str = "docs/chart.schema.json";

fn published() -> String {
    fs::read_to_string(package(SCHEMA)).unwrap()
}

/// A file of charts as JSON, against the published schema.
fn faults(toml: &str) -> Vec<String> {
    let document: serde_json::Value = serde_json::to_value(toml.parse::<toml::Table>().unwrap()).unwrap();
    crate::schema::faults(&published(), &document)
}

#[test]
fn the_published_schema_is_what_the_types_say() {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let chart = generator.subschema_for::<ChartSpec>();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Charts of plotgen",
        "description": "A file for `plotgen chart --spec`: one chart, a list of charts, or a table with such a list under `chart`. The entries of [[chart]] in plotgen.toml are the same.",
        "anyOf": [
            chart,
            { "type": "array", "items": chart },
            {
                "type": "object",
                "properties": { "chart": { "type": "array", "items": chart } },
                "required": ["chart"],
                "additionalProperties": false
            }
        ],
        "$defs": generator.take_definitions(true)
    });
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("PLOTGEN_BLESS").is_some() {
        fs::write(package(SCHEMA), &text).unwrap();
    }
    assert!(text == published(), "{SCHEMA} is out of date; PLOTGEN_BLESS=1 writes it anew");
}

#[test]
fn every_chart_of_the_sample_logs_follows_the_schema_and_comes_back_the_same() {
    let data = samples();
    let mut specs = suggest(&data);
    for name in [
        "iops-time",
        "lat-p99-by-raid-and-chunk",
        "iops-time-by-raid",
        "lat-iops-over-iodepth",
        "iops-steady",
        "iops-jobs",
        "iops-lat-time",
        "bw-amount-time",
        "iops-total-time",
        "iops-jobs-stack",
    ] {
        specs.extend(named(name, &data).unwrap());
    }
    assert!(specs.len() > 100 && builtins().len() > 8);
    for spec in specs {
        let toml = to_toml(&spec);
        assert_eq!(faults(&toml), Vec::<String>::new(), "{toml}");
        assert_eq!(read_charts(&toml), Ok(vec![spec.clone()]), "{toml}");
    }
}

#[test]
fn the_schema_refuses_what_is_refused_when_it_is_read() {
    let chart = "[[chart]]\nid = 'a'\nmark = 'line'\nx = 'time'\ny = { metric = 'iops', stat = 'mean' }\n";
    assert_eq!(faults(chart), Vec::<String>::new());
    for wrong in [
        "titel = 'x'",
        "color = 'colour'",
        "order = 'random'",
        "colors = { read = 'blue' }",
        "transforms = ['smoothen']",
        "filter = { ddir = ['read'] }",
        "size = { width = 100, height = 100, depth = 1 }",
        "total = 'yes'",
    ] {
        let text = format!("{chart}{wrong}\n");
        assert!(!faults(&text).is_empty(), "{wrong} passes the schema");
        assert!(read_charts(&text).is_err(), "{wrong} is read");
    }
}

/// The examples of a page of the documentation: blocks in TOML or JSON.
fn examples(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(package(page)).unwrap();
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n').map(str::to_owned)).collect()
}

#[test]
fn the_examples_of_the_documentation_follow_the_schema_and_draw_on_the_sample_logs() {
    let data = samples();
    let toml = examples("docs/charts.md", "toml");
    assert!(toml.len() >= 10, "{} examples", toml.len());
    for text in &toml {
        assert_eq!(faults(text), Vec::<String>::new(), "{text}");
    }
    let json = examples("docs/charts.md", "json");
    assert!(!json.is_empty());
    for text in &json {
        let faults = crate::schema::faults(&published(), &serde_json::from_str(text).unwrap());
        assert_eq!(faults, Vec::<String>::new(), "{text}");
    }
    for text in toml.iter().chain(&json) {
        for spec in read_charts(text).unwrap_or_else(|error| panic!("{error}\n{text}")) {
            spec.dimensions().for_each(|d| crate::spec::occurs(&data, d).unwrap());
            let figure = crate::chart::chart(&data, &spec);
            let figure = figure.unwrap_or_else(|error| panic!("{}: {error}", spec.id));
            let pooled = figure.notes.iter().find(|note| crate::chart::tells_of_pooling(note));
            assert_eq!(pooled, None, "{}", spec.id);
            let back = read_charts(&to_toml(&spec)).unwrap();
            assert_eq!(back, [spec]);
        }
    }
}

#[test]
fn every_key_of_a_chart_is_explained() {
    let text = fs::read_to_string(package("docs/charts.md")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&published()).unwrap();
    let keys = schema.pointer("/$defs/ChartSpec/properties").unwrap().as_object().unwrap();
    assert!(keys.len() > 30);
    let missing: Vec<&String> = keys.keys().filter(|key| !text.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/charts.md does not name {missing:?}");
}

#[test]
fn amounts_have_the_unit_of_their_axis() {
    let read = |rest: &str| {
        let text = format!("id = 'a'\nmark = 'line'\n{rest}\n");
        read_charts(&text).map(|specs| specs[0].clone()).map_err(|error| error.message)
    };
    let spec = read(
        "x = 'time'\ny = { metric = 'lat', stat = 'mean' }\ny_max = '50 ms'\nfrom = 10\nto = '1m'\nskip = '2500ms'\n\
         transforms = [{ smooth = '5 s' }]\nreferences = [{ value = '20 ms', label = 'limit' }]\n",
    )
    .unwrap();
    assert_eq!((spec.y_max, spec.references[0].value), (Some(50e6), 20e6));
    assert_eq!((spec.from_ms, spec.to_ms, spec.skip_ms), (Some(10e3), Some(60e3), Some(2500.0)));
    assert_eq!((spec.span_ms(), spec.smooth_ms()), ((Some(10e3), Some(60e3)), Some(5e3)));
    let sweep = read(
        "x = { dimension = 'bs' }\nx_max = '64k'\ny = { metric = 'bw', stat = 'mean' }\ny_min = '1 MiB/s'",
    )
    .unwrap();
    assert_eq!((sweep.x_max, sweep.y_min), (Some(65_536.0), Some(1_048_576.0)));
    let sum =
        read("x = 'time'\ny = { metric = 'bw', stat = 'mean' }\ny_max = '2 GiB'\ntransforms = ['cumulate']")
            .unwrap();
    assert_eq!(sum.y_max, Some(2_147_483_648.0));
    let wrong = read("x = 'time'\ny = { metric = 'iops', stat = 'mean' }\ny_max = '20 ms'").unwrap_err();
    assert_eq!(wrong, "y_max: expected a number, alone (1/s) or with 1/s, k, M");
    let wrong = read("x = 'time'\ny = { metric = 'iops', stat = 'mean' }\nskip = 'soon'").unwrap_err();
    assert!(wrong.starts_with("skip: ") && wrong.contains("a span of run time such as"), "{wrong}");
}

#[test]
fn slips_are_told_with_what_may_have_been_meant() {
    let chart = "id = 'a'\nmark = 'line'\nx = 'time'\ny = { metric = 'iops', stat = 'mean' }\n";
    // The chart has four lines: what is added stands on the fifth.
    let all = |rest: &str| read_charts(&format!("{chart}{rest}")).unwrap_err().to_string();
    let error = |rest: &str| all(rest).trim_start_matches("5: ").to_owned();
    assert!(all("skipp = '10s'").starts_with("5: "), "{}", all("skipp = '10s'"));
    assert_eq!(error("skipp = '10s'"), "unknown key `skipp`; did you mean `skip`?");
    assert_eq!(
        error("color = 'ddri'"),
        "color: unknown variant `ddri`, expected one of `dimension`, `ddir`, `job`, `run`, `stat`, `metric`; did you mean `ddir`?"
    );
    assert_eq!(
        error("facet = 'metric'"),
        "`metrics` and facet = \"metric\" go together: the one names the panels of the other"
    );
    assert_eq!(all("from = '1m'\nto = '10s'"), "6: the span from 60 s to 10 s is empty");
    assert_eq!(
        error("x_max = 5"),
        "x_min and x_max: an axis of run time is limited by `from`, `to` and `skip`"
    );
    assert_eq!(all("y_min = 5\ny_max = 5"), "6: y_min 5 is not below y_max 5");
    assert_eq!(error("font = { size = 9 }"), "font: size 9: expected a factor from 0.5 to 3");
    assert!(error("font = { family = 'a\"/>' }").starts_with("font: family: "));
    assert!(error("transforms = [{ smooth = 0 }]").starts_with("transforms: a moving mean"));
    assert!(
        error("colors = { a = 'red' }").contains("`red` is no colour"),
        "{}",
        error("colors = { a = 'red' }")
    );
    assert_eq!(all("= 5").split(':').next(), Some("5"));
    let two = format!("[[chart]]\n{chart}[[chart]]\n{chart}");
    assert_eq!(read_charts(&two).unwrap_err().to_string(), "7: chart 2: a chart before it has the id `a`");
    assert!(read_charts("").is_err() && read_charts("[]").is_err() && read_charts("chart = 3").is_err());
    let beside = format!("title = 'x'\n[[chart]]\n{chart}");
    assert!(read_charts(&beside).unwrap_err().message.starts_with("unknown key `title` beside `chart`"));
}

#[test]
fn a_fault_of_value_has_its_line_in_toml_and_in_json() {
    let toml = "[[chart]]\nid = 'a'\nmark = 'line'\nx = 'time'\ny = { metric = 'iops', stat = 'mean' }\n\
        references = [\n  { value = 5, label = 'a' },\n  { value = '5 ms', label = 'b' },\n]\n";
    let told = |text: &str| read_charts(text).unwrap_err().to_string();
    assert!(told(toml).starts_with("8: references: expected a number, alone (1/s)"), "{}", told(toml));
    let json = "[{\"id\": \"a\", \"x\": \"time\",\n \"mark\": \"lien\",\n \"y\": {\"metric\": \"iops\",\n  \"stat\": \"mean\"}}]";
    assert!(told(json).starts_with("2: mark: unknown variant `lien`"), "{}", told(json));
    let stat = json.replace("lien", "line").replace("mean", "men");
    assert!(told(&stat).starts_with("4: y.stat: "), "{}", told(&stat));
    // What a chart lacks has the line on which the chart begins.
    let lacks = toml.replace("mark = 'line'\n", "").replace("'5 ms'", "5");
    assert!(told(&format!("\n{lacks}")).starts_with("2: "), "{}", told(&format!("\n{lacks}")));
    assert!(told("title = 'x'\n\n[[chart]]\nid = 'a'\n").starts_with("1: unknown key `title` beside"));
}

#[test]
fn json_is_read_as_toml_is() {
    let json = r#"{"chart": [{"id": "a", "mark": "bar", "title": null, "x": {"dimension": "raid"},
        "y": {"metric": "iops", "stat": "mean"}, "order": [10, "5"], "labels": {"10": "mirror"}}]}"#;
    let toml = "[[chart]]\nid = 'a'\nmark = 'bar'\nx = { dimension = 'raid' }\n\
        y = { metric = 'iops', stat = 'mean' }\norder = ['10', 5]\nlabels = { 10 = 'mirror' }\n";
    assert_eq!(read_charts(json), read_charts(toml));
    assert_eq!(read_charts(json).unwrap()[0].order, Order::Listed(vec!["10".to_owned(), "5".to_owned()]));
    let broken = read_charts("\n{\"id\": \"a\",\n \"mark\": }").unwrap_err();
    assert_eq!(broken.line, Some(3));
}

/// A number of at most 15 digits, which JSON readers agree on.
fn decimal(range: std::ops::Range<f64>) -> impl Strategy<Value = f64> {
    range.prop_map(|v| (v * 1e3).round() / 1e3)
}

fn amounts() -> impl Strategy<Value = f64> {
    prop_oneof![
        decimal(0.001..1e11),
        (1u32..100_000).prop_map(f64::from),
        (1u32..1000).prop_map(|n| f64::from(n) * 1e6)
    ]
}

fn texts() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 _.,:'\"#\\\\é=-]{0,12}"
}

fn channels() -> impl Strategy<Value = Channel> {
    prop_oneof![
        Just(Channel::Ddir),
        Just(Channel::Job),
        Just(Channel::Run),
        Just(Channel::Stat),
        "[a-z]{1,8}".prop_map(|name| Channel::Dimension(Dimension::named(&name))),
    ]
}

fn measures() -> impl Strategy<Value = Measure> {
    (prop::sample::select(Metric::ALL), prop::sample::select(Stat::ALL))
        .prop_map(|(metric, stat)| Measure { metric, stat })
}

fn xs() -> impl Strategy<Value = XChannel> {
    prop_oneof![
        Just(XChannel::Run),
        Just(XChannel::Value),
        Just(XChannel::Quantile),
        Just(XChannel::Dimension(Dimension::Bs)),
        measures().prop_map(|m| XChannel::Measure {
            metric: m.metric,
            stat: m.stat,
            over: Dimension::Iodepth
        }),
    ]
}

fn transforms() -> impl Strategy<Value = Transform> {
    prop_oneof![
        decimal(0.001..1e7).prop_map(Transform::Smooth),
        (1u32..100).prop_map(|s| Transform::Smooth(f64::from(s) * 1e3)),
        prop::sample::select(vec![
            Transform::Rounds,
            Transform::Cumulate,
            Transform::Stack,
            Transform::Bin,
            Transform::Ecdf,
            Transform::Exceedance,
        ]),
    ]
}

proptest! {
    #[test]
    fn a_chart_that_is_written_and_read_is_the_same(
        (x, y, color, facet) in (xs(), measures(), prop::option::of(channels()), prop::option::of(channels())),
        (title, source, about) in (prop::option::of(texts()), prop::option::of(texts()), prop::option::of(texts())),
        mark in prop::sample::select(vec![Mark::Line, Mark::Bar, Mark::Dot, Mark::Area, Mark::Box, Mark::Cell]),
        (transforms, stats) in (prop::collection::vec(transforms(), 0..3), prop::collection::vec(prop::sample::select(Stat::ALL), 0..3)),
        (from, span, skip) in (prop::option::of(decimal(0.0..1e6)), prop::option::of(decimal(1.1e6..1e9)), prop::option::of(decimal(0.0..1e6))),
        (x_min, x_max, y_min, y_max) in (prop::option::of(Just(1.5f64)), prop::option::of(amounts().prop_map(|v| v + 2.0)), prop::option::of(Just(0.25f64)), prop::option::of(amounts().prop_map(|v| v + 1.0))),
        order in prop_oneof![Just(Order::Natural), Just(Order::Ascending), Just(Order::Descending), prop::collection::vec(texts(), 0..4).prop_map(Order::Listed)],
        labels in prop::collection::btree_map(texts(), texts(), 0..3),
        colors in prop::collection::btree_map(texts(), any::<[u8; 3]>().prop_map(Rgb), 0..3),
        references in prop::collection::vec((amounts(), texts()).prop_map(|(value, label)| Reference { value, label }), 0..3),
        (size, scale, font) in ((decimal(240.0..4000.0), decimal(180.0..4000.0)), prop::option::of(decimal(0.25..7.9)), (decimal(0.5..2.9), prop::option::of("[A-Za-z ,']{1,20}"))),
        ddirs in prop::collection::vec(prop::sample::select(Ddir::ALL), 0..3),
        chunks in prop::collection::vec(prop::sample::select(vec!["4k", "64k", "1m"]), 0..3),
        total in any::<bool>(),
    ) {
        let mut spec = ChartSpec::new("a-chart", mark, x, y);
        (spec.title, spec.source, spec.about, spec.color, spec.facet) = (title, source, about, color, facet);
        (spec.transforms, spec.stats, spec.order, spec.labels, spec.colors) = (transforms, stats, order, labels, colors);
        (spec.from_ms, spec.to_ms, spec.skip_ms, spec.total) = (from, span, skip, total);
        (spec.x_min, spec.x_max, spec.y_min, spec.y_max) = (x_min, x_max, y_min, y_max);
        (spec.references, spec.scale) = (references, scale);
        spec.size = Size { width: size.0, height: size.1 };
        spec.font = Font { size: font.0, family: font.1 };
        spec.x_scale = ScaleKind::Log10;
        let chunk = Dimension::Chunk;
        let chunks: Vec<Value> = chunks.into_iter().map(|v| Value::canonical(&chunk, v)).collect();
        spec.filter = Filter { ddirs, dimensions: [(chunk, chunks)].into(), ..Filter::default() };
        let toml = to_toml(&spec);
        prop_assert_eq!(read_charts(&toml).map_err(|e| format!("{e}\n{toml}")), Ok(vec![spec.clone()]));
        let json = serde_json::to_string(&spec).unwrap();
        prop_assert_eq!(read_charts(&json).map_err(|e| format!("{e}\n{json}")), Ok(vec![spec.clone()]));
    }

    #[test]
    fn a_number_in_toml_comes_back_to_the_last_bit(y_max in 1e-300f64..1e300, from in 0.0f64..1e15, size in 0.5f64..3.0) {
        let mut spec = ChartSpec::new("a", Mark::Line, XChannel::Time, Measure::mean(Metric::Lat));
        (spec.y_max, spec.from_ms, spec.font.size) = (Some(y_max), Some(from), size);
        prop_assert_eq!(read_charts(&to_toml(&spec)), Ok(vec![spec]));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,60}", key in "[a-z_]{1,10}") {
        let _ = read_charts(&text);
        let _ = read_charts(&format!("[[chart]]\nid = 'a'\nmark = 'line'\nx = 'time'\ny = {{ metric = 'lat', stat = 'cov' }}\n{key} = {text:?}"));
    }
}
