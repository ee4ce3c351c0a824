//! From values to axes: domains, ticks and their labels.
//!
//! In: values in display units and the room for ticks. Out: an [`Axis`] whose
//! ticks lie inside its domain, at equal steps, with distinct labels in one
//! unit. Places nothing.

use super::{Axis, AxisScale, Tick};
use crate::model::unit::{DisplayUnit, UnitSystem, group_thousands};

/// Largest share of a series' values that may be cut so that the rest can be read.
const CUT_SHARE: f64 = 0.03;
/// How far beyond the bulk a value must lie to be cut.
pub(super) const CUT_FACTOR: f64 = 2.5;
/// Series shorter than this are never cut.
const CUT_LENGTH: usize = 10;

/// What the y axis must cover, in base units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    /// Smallest value shown.
    pub min: f64,
    /// Smallest value above zero, for log axes.
    pub min_positive: f64,
    /// Largest value that the axis must cover.
    pub max: f64,
    /// True when larger values exist and are cut.
    pub cut: bool,
}

/// The extent of the bulk of several series.
///
/// A value is cut only when it lies more than 2.5 times above the bulk of every
/// series, and never more than 3 % of a series: a phase of a run is not an
/// outlier, a single stall is.
pub(super) fn robust_extent(series: &[Vec<f64>]) -> Extent {
    let finite = |s: &Vec<f64>| s.iter().copied().filter(|v| v.is_finite()).collect::<Vec<_>>();
    let series: Vec<Vec<f64>> = series.iter().map(finite).collect();
    let all = || series.iter().flatten().copied();
    let max = all().fold(0.0, f64::max);
    let bulk = series.iter().map(|s| bulk_of(s)).fold(0.0, f64::max);
    let limit = bulk * CUT_FACTOR;
    let cut = bulk > 0.0 && max > limit;
    let kept = if cut { all().filter(|&v| v <= limit).fold(bulk, f64::max) } else { max };
    Extent {
        min: all().fold(0.0, f64::min),
        min_positive: all().filter(|&v| v > 0.0).fold(f64::INFINITY, f64::min),
        max: kept,
        cut,
    }
}

/// The largest value of a series without the few that may be cut.
fn bulk_of(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    let spared =
        if values.len() < CUT_LENGTH { 0 } else { ((values.len() as f64 * CUT_SHARE) as usize).max(1) };
    let place = values.len().checked_sub(spared + 1);
    place.map_or(0.0, |place| *values.select_nth_unstable_by(place, f64::total_cmp).1)
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `raw`.
pub(super) fn nice_step(raw: f64) -> f64 {
    if !raw.is_finite() || raw <= 0.0 {
        return 1.0;
    }
    let power = raw.log10().floor();
    // A power below -300 would make the division below infinite.
    let base = 10f64.powf(power.max(-300.0));
    let lead = raw / base;
    [1.0, 2.0, 5.0, 10.0].into_iter().find(|&m| lead <= m * (1.0 + 1e-9)).unwrap_or(10.0) * base
}

/// Decimals that tell multiples of `step` apart.
fn decimals_of(step: f64) -> usize {
    let whole = |digits: i32| {
        let scaled = step * 10f64.powi(digits);
        scaled >= 0.999_999 && (scaled - scaled.round()).abs() <= 1e-6 * scaled
    };
    (0..=12).find(|&digits| whole(digits)).unwrap_or(12) as usize
}

/// A multiple of a tick's step as text.
fn number(value: f64, decimals: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.abs() >= 1e15 {
        return format!("{value:e}");
    }
    group_thousands(&format!("{value:.decimals$}"))
}

/// Multiples of `step` from `min` to `max`, both within a hair.
pub(super) fn multiples(min: f64, max: f64, step: f64) -> Vec<f64> {
    if !(step > 0.0 && min.is_finite() && max.is_finite()) {
        return Vec::new();
    }
    let first = (min / step - 1e-6).ceil();
    let scale = 10f64.powi(decimals_of(step) as i32);
    (0..200)
        .map(|i| first + f64::from(i))
        .take_while(|k| *k <= max / step + 1e-6)
        .map(|k| {
            let exact = k * step;
            // 3 * 0.1 is 0.30000000000000004; a tick stands at 0.3.
            let round = (exact * scale).round() / scale;
            if round.is_finite() { round } else { exact }
        })
        .map(|v| v.clamp(min, max))
        .collect()
}

/// Labels of linear ticks: one number of decimals, the unit at the last one.
pub(super) fn linear_ticks(at: &[f64], step: f64, unit: &DisplayUnit) -> Vec<Tick> {
    let decimals = decimals_of(step);
    let last = at.len().saturating_sub(1);
    at.iter()
        .enumerate()
        .map(|(i, &at)| Tick { at, label: unit_label(&number(at, decimals), unit, i == last), grid: true })
        .collect()
}

/// A tick's number with its unit: a count's letter at every tick, words at the last alone.
fn unit_label(number: &str, unit: &DisplayUnit, last: bool) -> String {
    let letter = matches!(unit.suffix, "k" | "M" | "G");
    let number = if letter && number != "0" { format!("{number}{}", unit.suffix) } else { number.to_owned() };
    match (last, unit.suffix) {
        (false, _) => number,
        (true, "" | "k" | "M" | "G") => format!("{number} {}", unit.counted()),
        (true, suffix) => format!("{number} {suffix}"),
    }
}

/// Gives an axis the ends that were chosen for it (base units of `unit`), with ticks that suit them.
///
/// A log axis keeps its own start where the one that was chosen is not above zero.
pub(super) fn limit(axis: &mut Axis, limits: (Option<f64>, Option<f64>), unit: &DisplayUnit, steps: usize) {
    let before = (axis.min, axis.max);
    limit_ends(axis, (limits.0.map(|v| v / unit.divisor), limits.1.map(|v| v / unit.divisor)));
    if (axis.min, axis.max) == before {
        return;
    }
    if axis.scale == AxisScale::Linear || axis.ticks.len() < 2 {
        let step = nice_step((axis.max - axis.min) / steps.max(1) as f64);
        axis.ticks = linear_ticks(&multiples(axis.min, axis.max, step), step, unit);
    }
    if let Some(last) = axis.ticks.last_mut() {
        last.label = unit_label(&number(last.at, decimals_of(last.at)), unit, true);
    }
}

/// Gives an axis the ends that were chosen for it, and keeps the ticks between them.
pub(super) fn limit_ends(axis: &mut Axis, (low, high): (Option<f64>, Option<f64>)) {
    let low = low.filter(|v| v.is_finite() && (axis.scale == AxisScale::Linear || *v > 0.0));
    let (low, high) = (low.unwrap_or(axis.min), high.filter(|v| v.is_finite()).unwrap_or(axis.max));
    // Limits beyond all values leave an axis without a length.
    if low < high {
        (axis.min, axis.max) = (low, high);
        axis.ticks.retain(|tick| (low..=high).contains(&tick.at));
    }
}

/// A linear axis for `extent` (base units) in `unit`, from zero to a tick above the largest value.
///
/// `headroom` is the share of the height that stays free above the largest value.
pub(super) fn linear_axis(extent: &Extent, unit: &DisplayUnit, steps: usize, headroom: f64) -> Axis {
    let max = (extent.max / unit.divisor) / (1.0 - headroom.clamp(0.0, 0.5));
    let min = (extent.min / unit.divisor).min(0.0);
    let max = if max.is_finite() && max > 1e-9 { max.min(1e300) } else { 1.0 };
    let min = if min.is_finite() && min < -1e-9 { min.max(-1e300) } else { 0.0 };
    let step = nice_step((max - min) / steps.max(1) as f64);
    let (low, high) = ((min / step + 1e-9).floor() * step, (max / step - 1e-9).ceil() * step);
    let at = multiples(low, high, step);
    // The ends come from the ticks, so that the last tick stands exactly at the end.
    let (low, high) = (at.first().copied().unwrap_or(low), at.last().copied().unwrap_or(high));
    Axis {
        scale: AxisScale::Linear,
        min: low,
        max: high,
        ticks: linear_ticks(&at, step, unit),
        title: String::new(),
    }
}

/// A log axis for `extent` with ticks at powers of `base` (10 also at 2 and 5 where few powers fit).
pub(super) fn log_axis(extent: &Extent, unit: &DisplayUnit, base: f64, steps: usize) -> Axis {
    let low = extent.min_positive / unit.divisor;
    let high = extent.max / unit.divisor;
    let (low, high) = if low.is_finite() && low > 1e-300 && high >= low && high < 1e300 {
        (low, high)
    } else {
        (1.0, base)
    };
    let (first, last) = (exponent(low, base).floor(), exponent(high, base).ceil());
    let last = if last > first { last } else { first + 1.0 };
    let stride = ((last - first) / steps.max(1) as f64).ceil().max(1.0);
    let leads: &[f64] =
        if base == 10.0 && last - first <= 2.0 && steps > 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut at = Vec::new();
    let mut power = first;
    while power <= last && at.len() < 200 {
        at.extend(leads.iter().map(|lead| lead * base.powf(power)));
        power += stride;
    }
    let (min, max) = if base == 10.0 { snug(&mut at, low, high) } else { trimmed(&mut at, low, high) };
    let end = at.len().saturating_sub(1);
    let ticks = at
        .iter()
        .enumerate()
        .map(|(i, &at)| {
            let text = number(at, decimals_of(at));
            Tick { at, label: unit_label(&text, unit, i == end), grid: true }
        })
        .collect();
    Axis { scale: AxisScale::Log, min, max, ticks, title: String::new() }
}

/// `log_base(value)`, with whole exponents whole.
fn exponent(value: f64, base: f64) -> f64 {
    let raw = value.log(base);
    if (raw - raw.round()).abs() < 1e-9 { raw.round() } else { raw }
}

/// Ends at 1, 2 or 5 times a power of ten close around the values, so that no decade stays empty.
fn snug(at: &mut Vec<f64>, low: f64, high: f64) -> (f64, f64) {
    let first = low.log10().floor().max(-300.0);
    let steps: Vec<f64> = (0..)
        .map(|i| first + f64::from(i))
        .take_while(|power| *power <= high.log10().ceil().min(300.0))
        .flat_map(|power| [1.0, 2.0, 5.0].map(|lead| lead * 10f64.powf(power)))
        .collect();
    let min = steps.iter().copied().rfind(|&v| v <= low * (1.0 + 1e-9)).unwrap_or(low);
    let above = |v: &f64| *v >= high * (1.0 - 1e-9) && *v > min;
    let max = steps.iter().copied().find(above).unwrap_or(high.max(min * 10.0));
    let within = |v: &f64| *v >= min * (1.0 - 1e-9) && *v <= max * (1.0 + 1e-9);
    at.retain(within);
    if at.len() < 2 {
        *at = steps.into_iter().filter(within).collect();
    }
    (min, max)
}

/// Drops ticks beyond the first one below `low` and the first above `high`; returns the ends.
fn trimmed(at: &mut Vec<f64>, low: f64, high: f64) -> (f64, f64) {
    let start = at.iter().rposition(|&v| v <= low * (1.0 + 1e-9)).unwrap_or(0);
    let end = at.iter().position(|&v| v >= high * (1.0 - 1e-9)).unwrap_or(at.len().saturating_sub(1));
    let end = end.max(start + 1).min(at.len().saturating_sub(1));
    *at = at.get(start..=end).map(<[f64]>::to_vec).unwrap_or_default();
    let (first, last) = (at.first().copied().unwrap_or(1.0), at.last().copied().unwrap_or(10.0));
    (first.min(low), last.max(high))
}

/// A unit of run time, or of the data moved in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TimeUnit {
    /// Milliseconds, or bytes, in one unit.
    pub divisor: f64,
    /// `s`, `min`, `h`.
    pub suffix: &'static str,
    /// Steps that people count in, ascending.
    steps: &'static [f64],
}

/// The unit in which an amount of data reads best.
pub(super) fn amount_unit(bytes: f64, system: UnitSystem) -> TimeUnit {
    let (base, suffixes) = match system {
        UnitSystem::Iec => (1024.0, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]),
        UnitSystem::Si => (1000.0, ["B", "kB", "MB", "GB", "TB", "PB"]),
    };
    let mut unit = TimeUnit { divisor: 1.0, suffix: suffixes[0], steps: &[] };
    for suffix in &suffixes[1..] {
        if bytes < 2.0 * unit.divisor * base {
            break;
        }
        unit = TimeUnit { divisor: unit.divisor * base, suffix, ..unit };
    }
    unit
}

/// The unit in which a span of run time reads best.
pub(super) fn time_unit(span_ms: f64) -> TimeUnit {
    const DECIMAL: &[f64] = &[];
    const SECONDS: &[f64] = &[0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0];
    const MINUTES: &[f64] = &[0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0];
    const HOURS: &[f64] = &[0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0];
    const DAYS: &[f64] = &[0.5, 1.0, 2.0, 5.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0, 365.0];
    const DAY: f64 = 24.0 * 3.6e6;
    let (divisor, suffix, steps) = match span_ms {
        s if s < 1_500.0 => (1.0, "ms", DECIMAL),
        s if s <= 240_000.0 => (1e3, "s", SECONDS),
        s if s <= 4.0 * 3_600_000.0 => (6e4, "min", MINUTES),
        s if s <= 4.0 * DAY => (3.6e6, "h", HOURS),
        s if s <= 1000.0 * DAY => (DAY, "d", DAYS),
        _ => (365.25 * DAY, "years", DECIMAL),
    };
    TimeUnit { divisor, suffix, steps }
}

impl TimeUnit {
    /// An axis of run time with at most `most` steps.
    pub(super) fn axis(&self, start_ms: f64, end_ms: f64, most: usize) -> Axis {
        let (min, max) = (start_ms / self.divisor, end_ms / self.divisor);
        let max = if max > min { max } else { min + 1.0 };
        let raw = (max - min) / most.max(1) as f64;
        let step = self.steps.iter().copied().find(|&s| s >= raw).unwrap_or_else(|| nice_step(raw));
        let decimals = decimals_of(step);
        let label = |at: f64| match number(at, decimals) {
            zero if zero == "0" => zero,
            text => format!("{text} {}", self.suffix),
        };
        let ticks = multiples(min, max, step)
            .into_iter()
            .map(|at| Tick { at, label: label(at), grid: false })
            .collect();
        Axis { scale: AxisScale::Linear, min, max, ticks, title: String::new() }
    }
}

/// True when a sweep over these values (ascending) reads best in doublings.
pub(super) fn doubles(values: &[f64]) -> bool {
    let steps_double = values.windows(2).all(|w| w[0] > 0.0 && w[1] / w[0] >= 1.9);
    let span = match (values.first(), values.last()) {
        (Some(&a), Some(&b)) if a > 0.0 => b / a,
        _ => 0.0,
    };
    steps_double && span >= 4.0
}

/// An axis with a tick at each of the (ascending) values of a sweep and nowhere else.
pub(super) fn value_axis(values: &[(f64, String)], log: bool) -> Axis {
    let first = values.first().map_or(0.0, |v| v.0);
    let last = values.last().map_or(1.0, |v| v.0);
    let (min, max) = if log {
        // A pad of 4 % of the length at both ends keeps dots off the edges.
        let pad = (last / first).powf(0.04).max(1.1);
        (first / pad, last * pad)
    } else {
        let pad = if last > first { (last - first) * 0.04 } else { first.abs().max(1.0) * 0.5 };
        (first - pad, last + pad)
    };
    Axis {
        scale: if log { AxisScale::Log } else { AxisScale::Linear },
        min,
        max,
        ticks: values.iter().map(|(at, label)| Tick { at: *at, label: label.clone(), grid: false }).collect(),
        title: String::new(),
    }
}

/// An axis of categories at 0, 1, 2, ...
pub(super) fn category_axis(labels: &[String]) -> Axis {
    Axis {
        scale: AxisScale::Linear,
        min: -0.5,
        max: labels.len().max(1) as f64 - 0.5,
        ticks: labels
            .iter()
            .enumerate()
            .map(|(i, label)| Tick { at: i as f64, label: label.clone(), grid: false })
            .collect(),
        title: String::new(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::model::unit::{BaseUnit, UnitSystem};
    use proptest::prelude::*;

    fn extent(max: f64) -> Extent {
        Extent { min: 0.0, min_positive: max, max, cut: false }
    }

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.label.as_str()).collect()
    }

    fn unit(base: BaseUnit, typical: f64) -> DisplayUnit {
        DisplayUnit::choose(base, typical, UnitSystem::Iec)
    }

    #[test]
    fn the_unit_stands_at_the_top_tick_alone() {
        let axis = linear_axis(&extent(41e6), &unit(BaseUnit::Nanoseconds, 20e6), 5, 0.0);
        assert_eq!(labels(&axis), ["0", "10", "20", "30", "40", "50 ms"]);
        let axis = linear_axis(&extent(98_000.0), &unit(BaseUnit::PerSecond, 60_000.0), 5, 0.0);
        assert_eq!(labels(&axis), ["0", "20k", "40k", "60k", "80k", "100k IOPS"]);
        let axis = linear_axis(&extent(407.0), &unit(BaseUnit::PerSecond, 200.0), 5, 0.0);
        assert_eq!(labels(&axis), ["0", "100", "200", "300", "400", "500 IOPS"]);
    }

    #[test]
    fn fractions_share_their_decimals() {
        let axis = linear_axis(&extent(2.9e6), &unit(BaseUnit::Nanoseconds, 2e6), 6, 0.0);
        assert_eq!(labels(&axis), ["0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0 ms"]);
    }

    #[test]
    fn nothing_but_zeros_still_makes_an_axis() {
        let axis = linear_axis(&robust_extent(&[vec![0.0; 5]]), &unit(BaseUnit::PerSecond, 0.0), 4, 0.0);
        assert_eq!((axis.min, axis.max), (0.0, 1.0));
    }

    #[test]
    fn one_stall_is_cut_and_a_phase_is_not() {
        let mut stall = vec![20.0; 80];
        stall[40] = 737.0;
        let extent = robust_extent(&[stall]);
        assert_eq!((extent.max, extent.cut), (20.0, true));
        let mut phase = vec![200.0; 100];
        phase[..8].fill(2000.0);
        assert_eq!(robust_extent(&[phase]).max, 2000.0);
    }

    #[test]
    fn a_slow_run_among_fast_ones_is_never_cut() {
        let mut series = vec![vec![5.0; 80]; 40];
        series.push(vec![500.0; 80]);
        let extent = robust_extent(&series);
        assert_eq!((extent.max, extent.cut), (500.0, false));
    }

    #[test]
    fn run_time_reads_in_seconds_minutes_or_hours() {
        let texts = |ms: f64| time_unit(ms).axis(0.0, ms, 6).ticks.last().unwrap().label.clone();
        assert_eq!(texts(40_000.0), "40 s");
        assert_eq!(texts(600_000.0), "10 min");
        assert_eq!(texts(6.0 * 3.6e6), "6 h");
        assert_eq!(texts(500.0), "500 ms");
        let day = 24.0 * 3.6e6;
        assert_eq!(texts(3.0 * day), "72 h");
        assert_eq!(texts(30.0 * day), "30 d");
        assert_eq!(texts(10.0 * 365.25 * day), "10 years");
    }

    #[test]
    fn amounts_of_data_read_in_the_prefixes_asked_for() {
        let texts = |bytes: f64, system| {
            amount_unit(bytes, system).axis(0.0, bytes / 1.0, 5).ticks.last().unwrap().label.clone()
        };
        assert_eq!(texts(5.0 * 1024f64.powi(3), UnitSystem::Iec), "5 GiB");
        assert_eq!(texts(300e6, UnitSystem::Si), "300 MB");
        assert_eq!(texts(500.0, UnitSystem::Iec), "500 B");
        assert_eq!(texts(1.5 * 1024f64.powi(2), UnitSystem::Iec), "1,500 KiB");
    }

    #[test]
    fn depths_and_sizes_double_and_drives_do_not() {
        assert!(doubles(&[1.0, 2.0, 4.0, 8.0]));
        assert!(doubles(&[4096.0, 65536.0, 1_048_576.0]));
        assert!(!doubles(&[1.0, 2.0, 3.0, 4.0]));
        assert!(!doubles(&[0.0, 2.0, 4.0]));
        assert!(!doubles(&[4.0]));
    }

    #[test]
    fn log_axes_have_ticks_at_powers() {
        let span = Extent { min: 0.0, min_positive: 3e3, max: 40e6, cut: false };
        let axis = log_axis(&span, &unit(BaseUnit::Nanoseconds, 2e6), 10.0, 6);
        assert_eq!(labels(&axis), ["0.01", "0.1", "1", "10 ms"]);
        assert!((axis.min - 0.002).abs() < 1e-9 && (axis.max - 50.0).abs() < 1e-6, "{axis:?}");
        let span = Extent { min: 0.0, min_positive: 1.3e6, max: 40e6, cut: false };
        let axis = log_axis(&span, &unit(BaseUnit::Nanoseconds, 2e6), 10.0, 6);
        assert_eq!(labels(&axis), ["1", "2", "5", "10", "20", "50 ms"]);
    }

    proptest! {
        #[test]
        fn linear_ticks_are_inside_even_and_distinct(max in 1e-3f64..1e14, steps in 1usize..8, headroom in 0.0f64..0.3) {
            for base in [BaseUnit::Nanoseconds, BaseUnit::PerSecond, BaseUnit::BytesPerSecond, BaseUnit::One] {
                let unit = unit(base, max * 0.6);
                let axis = linear_axis(&extent(max), &unit, steps, headroom);
                prop_assert!(axis.ticks.len() >= 2, "{axis:?}");
                prop_assert!(axis.max >= max / unit.divisor * (1.0 - 1e-6));
                let at: Vec<f64> = axis.ticks.iter().map(|t| t.at).collect();
                let step = at[1] - at[0];
                for pair in at.windows(2) {
                    prop_assert!((pair[1] - pair[0] - step).abs() < step * 1e-6, "{at:?}");
                }
                prop_assert!(at.iter().all(|&v| v >= axis.min && v <= axis.max));
                let mut names = labels(&axis);
                for (tick, name) in at.iter().zip(&names) {
                    let read = name.trim_end_matches(|c: char| !c.is_ascii_digit()).replace(',', "");
                    let read: f64 = read.parse().unwrap();
                    prop_assert!((read - tick).abs() <= step * 1e-3, "{name} at {tick}");
                }
                names.sort_unstable();
                names.dedup();
                prop_assert_eq!(names.len(), at.len());
            }
        }

        #[test]
        fn time_ticks_are_inside_the_run(start in 0.0f64..1e6, span in 1.0f64..1e9, most in 1usize..12) {
            let axis = time_unit(span).axis(start, start + span, most);
            prop_assert!(axis.ticks.iter().all(|t| t.at >= axis.min && t.at <= axis.max));
            prop_assert!(axis.ticks.len() <= most + 1);
        }

        #[test]
        fn hostile_values_make_an_axis(max in proptest::num::f64::ANY, low in proptest::num::f64::ANY) {
            let span = robust_extent(&[vec![max, low]]);
            for base in [BaseUnit::Nanoseconds, BaseUnit::PerSecond] {
                let unit = unit(base, span.max * 0.6);
                for axis in [linear_axis(&span, &unit, 5, 0.1), log_axis(&span, &unit, 10.0, 5)] {
                    prop_assert!(axis.min.is_finite() && axis.max.is_finite() && axis.min < axis.max, "{axis:?}");
                }
            }
        }
    }
}
