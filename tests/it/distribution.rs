//! Distributions against what the tools say themselves.

use crate::support::{campaign, sample, shared};
use plotgen::analyze::supports;
use plotgen::chart::{Shape, chart};
use plotgen::model::{Ddir, Metric};
use plotgen::spec::{named, suggest};

/// fio 3.x finds the percentile in the same buckets: the drawn step is at most one bucket (1.6 %) away,
/// and half of one for the middle that stands for it.
#[test]
fn drawn_quantiles_agree_with_the_percentiles_that_fio_prints() {
    let mut compared = 0;
    for version in ["2.21", "3.1", "3.33", "3.42-head"] {
        let Some(path) = shared(&format!("corpus/fio-versions/{version}/json_plus")) else { return };
        let data = campaign(&[path.as_path()]);
        let spec = named("clat-percentiles", &data).unwrap().remove(0);
        let figure = chart(&data, &spec).unwrap();
        let divisor = match &figure.panels[0].y.title {
            title if title.contains("(ms") => 1e6,
            title if title.contains("(µs") => 1e3,
            title => panic!("unknown unit in {title}"),
        };
        let run = &data.runs[0].run;
        for ddir in [Ddir::Read, Ddir::Write] {
            let Some(told) = run.reported_percentiles(Metric::Clat, ddir) else { continue };
            let n = run.histogram(Metric::Clat, ddir).unwrap().count();
            let line = figure.panels.iter().flat_map(|p| &p.shapes).find_map(|shape| match shape {
                Shape::Line { parts, name, .. }
                    if name.starts_with(ddir.as_str()) && !name.contains("fewer") =>
                {
                    Some(parts.concat())
                }
                _ => None,
            });
            let line = line.unwrap_or_else(|| panic!("no line of {ddir}"));
            for &(p, value) in told.iter().filter(|(p, _)| *p > 0.02 && supports(n, *p)) {
                let depth = 1.0 / (1.0 - p);
                // On a vertical of the steps both ends count: which one is drawn is a matter of rounding.
                let near = line.windows(2).filter(|w| w[0].0 <= depth * 1.01 && depth * 0.99 <= w[1].0);
                let best = near
                    .flat_map(|w| [w[0].1, w[1].1])
                    .map(|y| (y * divisor / value - 1.0).abs())
                    .fold(f64::INFINITY, f64::min);
                assert!(best < 0.024, "fio {version} {ddir} p{}: {value} ns, off by {best}", p * 100.0);
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn each_run_with_percentiles_has_its_tail_and_comparisons_have_few_charts() {
    let data = campaign(&[sample("").as_path()]);
    let specs = suggest(&data);
    let tails = specs.iter().filter(|s| s.id.starts_with("run-") && s.id.ends_with("-percentiles"));
    // A table of figures holds no percentiles.
    let told = data.runs.iter().filter(|r| r.run.sources.iter().all(|source| source.format != "rbench"));
    assert_eq!(tails.count(), told.count());
    let compared: Vec<&str> = specs
        .iter()
        .map(|s| s.id.as_str())
        .filter(|id| !id.starts_with("run-") && ["-percentiles", "-box-"].iter().any(|w| id.contains(w)))
        .collect();
    assert!(compared.len() <= 2 * data.contrasts.len(), "{compared:?}");
    for name in
        ["clat-percentiles-by-raid", "iops-box-by-raid", "clat-ecdf-by-raid", "clat-exceedance", "iops-box"]
    {
        let spec = named(name, &data).unwrap().remove(0);
        chart(&data, &spec).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
