//! The colour ramp of cells: from a figure to a step, and the scale that explains it.
//!
//! In: the figures of all cells. Out: steps of the ramp, even on a linear or a log scale, and the
//! strip with its two ends under the subtitle. Knows no colour: a theme has those.

use super::labels::{Canvas, fit, placed};
use super::layout::Style;
use super::{Ink, RAMP, Role, Stroke, text};
use crate::spec::Size;

/// From this ratio of the largest to the smallest figure on, steps are equal ratios.
const WIDE: f64 = 30.0;

/// How figures become steps of the ramp.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ramp {
    low: f64,
    high: f64,
    /// True when steps are equal ratios.
    log: bool,
    /// What the colours stand for, with the unit.
    caption: String,
    /// The smallest and the largest figure, as text.
    ends: (String, String),
}

impl Ramp {
    /// The ramp from the smallest to the largest of these figures; `text` writes them.
    pub(super) fn over(
        values: impl Iterator<Item = f64>,
        caption: &str,
        text: impl Fn(f64) -> String,
    ) -> Ramp {
        let (low, high) = values
            .filter(|v| v.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |e, v| (e.0.min(v), e.1.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let log = low > 0.0 && high / low > WIDE;
        let caption = if log { format!("{caption}, log scale") } else { caption.to_owned() };
        Ramp { low, high, log, caption, ends: (text(low), text(high)) }
    }

    /// The step of a figure: the first for the smallest, the last for the largest, the middle where all are equal.
    pub(super) fn step(&self, value: f64) -> u8 {
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if !share.is_finite() {
            return RAMP / 2;
        }
        (share * f64::from(RAMP)).floor().clamp(0.0, f64::from(RAMP - 1)) as u8
    }

    /// The colours as a strip between the smallest and the largest figure; returns the lower edge.
    pub(super) fn legend(
        &self,
        canvas: &mut Canvas,
        strokes: &mut Vec<Stroke>,
        (style, size): (&Style, Size),
        top: f64,
    ) -> f64 {
        let gap = style.label * 0.6;
        let baseline = top + Style::leading(style.label) + 5.0;
        let middle = (baseline - 0.35 * style.label).round();
        let (line, full) = fit(&self.caption, style.label, false, (size.width - 2.0 * style.pad) * 0.45);
        let mut caption = placed(line, style.pad, baseline, style.label, Role::Label);
        (caption.full, caption.ink) = (full, Ink::Text);
        let mut x = caption.bounds().right() + 1.6 * gap;
        canvas.place(caption, 0.0);
        canvas.place(placed(self.ends.0.as_str(), x, baseline, style.value, Role::Value), 0.0);
        x = (x + text::width(&self.ends.0, style.value, false) + gap).round();
        let steps: Vec<u8> = if self.low < self.high { (0..RAMP).collect() } else { vec![RAMP / 2] };
        let width = (style.label * 1.3).round();
        for step in &steps {
            strokes.push(Stroke {
                points: vec![(x, middle), (x + width, middle)],
                ink: Ink::Ramp(*step),
                width: (0.9 * style.label).round(),
                // One dash over the whole length: strokes without dashes have round ends.
                dash: vec![width, 1.0],
            });
            x += width;
        }
        if steps.len() > 1 {
            canvas.place(placed(self.ends.1.as_str(), x + gap, baseline, style.value, Role::Value), 0.0);
        }
        baseline + 0.5 * style.label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(values: &[f64]) -> Ramp {
        Ramp::over(values.iter().copied(), "IOPS", |v| v.to_string())
    }

    #[test]
    fn the_ends_have_the_first_and_the_last_step() {
        let linear = ramp(&[100.0, 220.0, 340.0]);
        // 12 steps of 20: 100 to 120 is the first, 220 starts the seventh.
        assert_eq!([100.0, 119.0, 121.0, 220.0, 340.0].map(|v| linear.step(v)), [0, 0, 1, 6, 11]);
        assert_eq!(linear.caption, "IOPS");
    }

    #[test]
    fn figures_far_apart_share_the_ramp_by_ratio() {
        let log = ramp(&[1.0, 4096.0]);
        // 12 doublings, one a step.
        assert_eq!([1.0, 3.0, 5.0, 2048.5, 4096.0].map(|v| log.step(v)), [0, 1, 2, 11, 11]);
        assert_eq!(log.caption, "IOPS, log scale");
    }

    #[test]
    fn equal_and_hostile_figures_have_a_step_too() {
        assert_eq!(ramp(&[5.0, 5.0]).step(5.0), 6);
        assert_eq!(ramp(&[]).step(1.0), 6);
        assert_eq!(ramp(&[f64::NAN, 1.0, 2.0]).step(f64::NAN), 6);
        assert_eq!(ramp(&[0.0, 1000.0]).step(1000.0), 11);
    }
}
