//! The methodology audit as text: a block for each check.

use crate::model::{Campaign, Check, Severity};

/// The checks of a campaign, gravest first, and a count.
pub(super) fn text(campaign: &Campaign) -> String {
    let mut text: String = campaign.checks.iter().map(|check| block(check, campaign.runs.len())).collect();
    let count = |severity| campaign.checks.iter().filter(|check| check.severity == severity).count();
    let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Info));
    text.push_str(&format!(
        "{}: {}, {}, {}\n",
        plural(campaign.runs.len(), "run"),
        plural(errors, "error"),
        plural(warnings, "warning"),
        plural(notes, "note")
    ));
    text
}

/// `warning: too-short (7 of 24 runs)`, the evidence below, what to do last.
fn block(check: &Check, runs: usize) -> String {
    let mut text =
        format!("{}: {} ({} of {})\n", check.severity, check.id, check.runs.len(), plural(runs, "run"));
    for (name, seen) in &check.evidence {
        text.push_str(&format!("  {}: {}\n", clean(name), clean(seen)));
    }
    text.push_str(&format!("  -> {}\n\n", check.advice));
    text
}

fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
