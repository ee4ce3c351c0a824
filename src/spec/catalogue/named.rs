//! Charts by name, as `plotgen chart NAME` asks for them.
//!
//! In: a name and a campaign. Out: the suggested chart of that name, or one made from the name's words.

use super::{bars, load_curve, steady, suggest, time};
use crate::model::text::edit_distance;
use crate::model::{Campaign, Dimension, Measure, Metric, Stat};
use crate::spec::{Channel, ChartSpec};

/// The charts of a name: of those that suit the campaign, or one made from the name's words.
///
/// # Errors
/// A sentence that says what was not understood or is not there, and which names are near.
pub fn named(name: &str, campaign: &Campaign) -> Result<Vec<ChartSpec>, String> {
    let suggested = suggest(campaign);
    if let Some(spec) = suggested.iter().find(|spec| spec.id == name) {
        return Ok(vec![spec.clone()]);
    }
    if let Some(spec) = parse(name, campaign) {
        return Ok(vec![spec?]);
    }
    let mut near: Vec<(usize, &str)> =
        suggested.iter().map(|spec| (edit_distance(name, &spec.id), spec.id.as_str())).collect();
    near.sort_unstable();
    let near: Vec<&str> = near.iter().take(3).map(|(_, id)| *id).collect();
    Err(format!(
        "no chart is named `{name}`; near names: {}; `plotgen charts INPUTS` lists all",
        if near.is_empty() { "none".to_owned() } else { near.join(", ") }
    ))
}

/// A chart made from the words of its name: `lat-p99-by-raid-and-chunk`, `bw-time-by-raid`, `lat-iops-over-iodepth`.
fn parse(name: &str, campaign: &Campaign) -> Option<Result<ChartSpec, String>> {
    let known = |word: &str| {
        let dimension = Dimension::named(word);
        if campaign.dimensions.contains(&dimension) {
            return Ok(dimension);
        }
        let have: Vec<&str> = campaign.dimensions.iter().map(Dimension::as_str).collect();
        Err(format!("no run has the dimension `{word}`; these occur: {}", have.join(", ")))
    };
    if let Some(over) = name.strip_prefix("lat-iops-over-") {
        return Some(known(over).map(|over| load_curve(name, over, None)));
    }
    let (subject, by) = match name.split_once("-by-") {
        Some((subject, by)) => (subject, Some(by)),
        None => (name, None),
    };
    let mut words = subject.splitn(2, '-');
    let metric: Metric = words.next()?.parse().ok()?;
    let rest = words.next();
    match (rest, by) {
        (Some("time"), by) => {
            let color = match by.map(known) {
                None => Ok(Channel::Run),
                Some(dimension) => dimension.map(Channel::Dimension),
            };
            Some(color.map(|color| time(name, metric, color)))
        }
        (Some("steady"), None) => Some(Ok(steady(name, metric))),
        (Some("jobs"), None) => Some(Ok(time(name, metric, Channel::Job))),
        (stat, Some(by)) => {
            let stat: Stat = match stat {
                None => Stat::Mean,
                Some(stat) => stat.parse().ok()?,
            };
            let (first, second) = match by.split_once("-and-") {
                Some((first, second)) => (first, Some(second)),
                None => (by, None),
            };
            Some(known(first).and_then(|first| {
                let second = second.map(known).transpose()?;
                let mut spec = bars(name, Measure { metric, stat }, first, second);
                spec.facet = Some(Channel::Ddir);
                Ok(spec)
            }))
        }
        (_, None) => None,
    }
}
