//! Charts by name, as `plotgen chart NAME` asks for them.
//!
//! In: a name and a campaign. Out: the suggested chart of that name, the one whose name begins so, or one made from
//! the name's words. Of several suggested charts that begin so none is taken: the words alone would pool their runs.

use super::distribution::{Kind, boxes};
use super::run_word;
use super::{bars, change, grid, load_curve, over, over_time, steady, suggest, time, workloads};
use crate::model::text::edit_distance;
use crate::model::{Campaign, Ddir, Dimension, Measure, Metric, Stat};
use crate::spec::{Channel, ChartSpec};

/// Most names that an error lists.
const LISTED: usize = 8;
/// Most names that are told as near.
const NEAR: usize = 3;

/// The charts of a name: of those that suit the campaign, or one made from the name's words.
///
/// # Errors
/// A sentence that says what was not understood, is not there or fits several charts, and which names are near.
pub fn named(name: &str, campaign: &Campaign) -> Result<Vec<ChartSpec>, String> {
    let suggested = suggest(campaign);
    if let Some(spec) = suggested.iter().find(|spec| spec.id == name) {
        return Ok(vec![spec.clone()]);
    }
    match suggested.iter().filter(|spec| is_stem(name, &spec.id)).collect::<Vec<_>>().as_slice() {
        [] => {}
        [one] => return Ok(vec![(*one).clone()]),
        several => {
            let mut names: Vec<&str> = several.iter().map(|spec| spec.id.as_str()).collect();
            let more = names.len().saturating_sub(LISTED);
            names.truncate(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            return Err(format!("several charts begin so; name one of {}{more}", names.join(", ")));
        }
    }
    if let Some((run, rest)) = of_run(name, campaign) {
        let mut specs = named(rest, campaign)?;
        for spec in &mut specs {
            spec.id = name.to_owned();
            // One run is told apart by nothing but its directions.
            if spec.color == Some(Channel::Run) {
                spec.color = Some(Channel::Ddir);
                spec.facet = spec.facet.take().filter(|facet| *facet != Channel::Ddir);
            }
            spec.filter.runs = vec![run.to_owned()];
        }
        return Ok(specs);
    }
    if let Some(spec) = parse(name, campaign) {
        return Ok(vec![spec?]);
    }
    let near = near(name, suggested.iter().map(|spec| spec.id.as_str()));
    Err(format!(
        "no chart is named `{name}`; near names: {}; `plotgen charts INPUTS` lists all",
        if near.is_empty() { "none".to_owned() } else { near.join(", ") }
    ))
}

/// The run that `run-ID-REST` names, and what to show of it; the longest id that fits.
fn of_run<'a>(name: &'a str, campaign: &'a Campaign) -> Option<(&'a str, &'a str)> {
    let name = name.strip_prefix("run-")?;
    let fits = campaign.runs.iter().filter_map(|record| {
        let own = run_word(&record.run.id);
        let rest = name.strip_prefix(own.as_str())?.strip_prefix('-')?;
        Some((own.len(), record.run.id.as_str(), rest))
    });
    fits.max_by_key(|(length, ..)| *length).map(|(_, run, rest)| (run, rest))
}

/// True when a suggested chart is `name`, told apart by what its runs share.
///
/// `iops-by-raid-and-chunk` and `iops-time-by-raid` answer other questions than `iops-by-raid` and `iops-time`.
fn is_stem(name: &str, id: &str) -> bool {
    let rest = id.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
    rest.is_some_and(|rest| !rest.starts_with("and-") && !rest.starts_with("by-"))
}

/// The names most like `name`: first those that hold all of its words, then those with the fewest other letters.
fn near<'a>(name: &str, ids: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let lacks = |id: &str| !name.split('-').all(|word| id.split('-').any(|part| part == word));
    let mut near: Vec<(bool, usize, &str)> = ids.map(|id| (lacks(id), edit_distance(name, id), id)).collect();
    near.sort_unstable();
    near.into_iter().take(NEAR).map(|(_, _, id)| id).collect()
}

/// Whether a run has the dimension.
///
/// # Errors
/// A sentence that names those that occur.
pub(crate) fn occurs(campaign: &Campaign, dimension: &Dimension) -> Result<(), String> {
    if campaign.dimensions.contains(dimension) {
        return Ok(());
    }
    let have: Vec<&str> = campaign.dimensions.iter().map(Dimension::as_str).collect();
    let have = if have.is_empty() { "none".to_owned() } else { have.join(", ") };
    Err(format!("no run has the dimension `{dimension}`; these occur: {have}"))
}

/// A chart made from the words of its name: `lat-p99-by-raid-and-chunk`, `bw-time-by-raid`, `lat-iops-over-iodepth`.
fn parse(name: &str, campaign: &Campaign) -> Option<Result<ChartSpec, String>> {
    let known = |word: &str| {
        let dimension = Dimension::named(word);
        occurs(campaign, &dimension).map(|()| dimension)
    };
    if let Some(spec) = over_time::parse(name) {
        return Some(Ok(spec));
    }
    if let Some(over) = name.strip_prefix("lat-iops-over-") {
        return Some(known(over).map(|over| load_curve(name, over, None)));
    }
    if let Some(kind) = grid::Kind::ALL.into_iter().find(|kind| kind.word() == name) {
        return Some(grid::first(campaign, kind, None));
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
            Some(color.map(|color| {
                let mut spec = time(name, metric, color);
                spec.facet = spec.facet.filter(|_| facet(campaign, metric, &[]) == Some(Channel::Ddir));
                spec
            }))
        }
        (Some("heatmap"), None) => Some(Ok(over::heatmap(name, metric))),
        (Some("percentiles-time"), None) => Some(Ok(over::percentiles(name, metric))),
        (Some("amount"), by) => {
            let color = match by.map(known) {
                None => Ok(Channel::Run),
                Some(dimension) => dimension.map(Channel::Dimension),
            };
            Some(color.map(|color| over::amount(name, metric, color)))
        }
        (Some("change"), None) => Some(Ok(change(name, metric))),
        (Some(kind), by) if Kind::named(kind).is_some() => {
            let kind = Kind::named(kind)?;
            // Of one run there are only directions to tell apart.
            let alone = if campaign.runs.len() == 1 { Channel::Ddir } else { Channel::Run };
            Some(dimensions(by, &known).map(|(color, second)| {
                let mut spec = kind.spec(name, metric, color.map_or(alone, Channel::Dimension));
                spec.facet = second.map_or(spec.facet, |second| Some(Channel::Dimension(second)));
                spec
            }))
        }
        (Some("box"), by) => Some(dimensions(by, &known).map(|(x, second)| boxes(name, metric, x, second))),
        (Some("steady"), None) => Some(Ok(steady(name, metric))),
        (Some("jobs"), None) => Some(Ok(time(name, metric, Channel::Job))),
        (Some(words), by) if grid_of(words).is_some() => {
            let (stat, kind) = grid_of(words)?;
            let y = Measure { metric, stat };
            let Some(by) = by else { return Some(grid::first(campaign, kind, Some(y))) };
            let Some((x, rows)) = by.split_once("-and-") else {
                return Some(Err(format!(
                    "`{name}` names one dimension; a grid has two: {name}-and-DIMENSION"
                )));
            };
            Some(known(x).and_then(|x| {
                let rows = known(rows)?;
                let facet = facet(campaign, metric, &[&x, &rows]);
                let mut spec = grid::grid(kind, y, (x, rows), "");
                name.clone_into(&mut spec.id);
                spec.facet = facet;
                Ok(spec)
            }))
        }
        (stat, Some(by)) => {
            let stat: Stat = match stat {
                None => Stat::Mean,
                Some(stat) => stat.parse().ok()?,
            };
            Some(dimensions(Some(by), &known).and_then(|(first, second)| {
                let first = first.ok_or_else(|| "the name ends after `by`".to_owned())?;
                let said: Vec<&Dimension> = std::iter::once(&first).chain(&second).collect();
                let facet = facet(campaign, metric, &said);
                let mut spec = bars(name, Measure { metric, stat }, first, second);
                spec.facet = facet;
                Ok(spec)
            }))
        }
        (_, None) => None,
    }
}

/// The statistic and the kind of `matrix`, `p99-bars3d`.
fn grid_of(words: &str) -> Option<(Stat, grid::Kind)> {
    let (stat, kind) = words.rsplit_once('-').map_or((None, words), |(stat, kind)| (Some(stat), kind));
    let kind = grid::Kind::ALL.into_iter().find(|known| known.word() == kind)?;
    Some((stat.map_or(Some(Stat::Mean), |stat| stat.parse().ok())?, kind))
}

/// A panel for each direction, or for each workload where figures have no direction, as the use of a device.
fn facet(campaign: &Campaign, metric: Metric, said: &[&Dimension]) -> Option<Channel> {
    let directed = campaign.runs.iter().any(|r| r.ddirs(metric).iter().any(|d| *d != Ddir::Mixed));
    let all: Vec<usize> = (0..campaign.runs.len()).collect();
    if directed { Some(Channel::Ddir) } else { workloads(campaign, &all, said) }
}

/// The dimensions of `raid-and-chunk`; none of nothing.
fn dimensions(
    by: Option<&str>,
    known: &impl Fn(&str) -> Result<Dimension, String>,
) -> Result<(Option<Dimension>, Option<Dimension>), String> {
    let Some(by) = by else { return Ok((None, None)) };
    let (first, second) = match by.split_once("-and-") {
        Some((first, second)) => (first, Some(second)),
        None => (by, None),
    };
    Ok((Some(known(first)?), second.map(known).transpose()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_followed_by_what_tells_charts_apart_and_not_by_another_question() {
        assert!(is_stem("iops-by-raid", "iops-by-raid-level-sweep"));
        assert!(is_stem("iops-by-raid", "iops-by-raid-2"));
        assert!(!is_stem("iops-by-raid", "iops-by-raid"));
        assert!(!is_stem("iops-by-ra", "iops-by-raid-level-sweep"));
        assert!(!is_stem("iops-by-raid", "iops-by-raid-and-chunk-whole-surface"));
        assert!(!is_stem("iops-time", "iops-time-by-raid"));
    }

    #[test]
    fn names_with_all_the_words_are_nearer_than_names_with_few_other_letters() {
        let ids = ["bw-by-raid", "clat-p99-by-raid-level-sweep", "lat-by-raid"];
        assert_eq!(near("p99-by-raid", ids.into_iter())[0], "clat-p99-by-raid-level-sweep");
        assert_eq!(near("bw-by-rad", ids.into_iter())[0], "bw-by-raid");
    }
}
