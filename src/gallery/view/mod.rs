//! View models: what each template shows, as plain text and lists.
//!
//! Campaign and pictures go in, structs for the templates come out. Every text
//! is still raw: the templates escape it.

mod baseline;
mod chart;
mod comparison;
mod figures;
mod index;
mod method;
mod overview;
mod parts;
mod run;
mod sentence;
mod summary;
mod verdict;

pub(crate) use chart::chart;
pub(crate) use index::index;
pub(crate) use run::run;

use crate::gallery::view::parts::{ddirs, label, shown};
use crate::gallery::{Picture, slugs};
use crate::model::unit::UnitSystem;
use crate::model::{Campaign, Check, Diagnostic, Dimension, Finding, ModelPoint, Run, RunRecord};
use crate::spec::ChartSpec;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

/// A campaign and its pictures, with the name of each page.
pub(crate) struct Site<'a> {
    /// What is reported.
    pub(crate) campaign: &'a Campaign,
    /// Its runs, in their order.
    pub(crate) runs: Vec<RunPage<'a>>,
    /// The pictures, in their order.
    pub(crate) pictures: Vec<PicturePage>,
    /// Remarks on the pictures, beside those of the campaign.
    pub(crate) remarks: Vec<Diagnostic>,
    /// Prefixes for bandwidth.
    units: UnitSystem,
    /// Places among all remarks, by what they are on; looked up once all are there.
    remarked: OnceLock<BTreeMap<String, Vec<usize>>>,
    /// Places of the pictures that show each run.
    shown: Vec<Vec<usize>>,
    /// Places of the campaign's findings, checks and points of the RAID model on each run.
    on_runs: OnRuns,
    /// Places of the runs, by their ids.
    by_id: HashMap<&'a str, usize>,
}

/// A run and the name of its page.
pub(crate) struct RunPage<'a> {
    /// Index into the campaign's runs.
    pub(crate) index: usize,
    /// The run.
    pub(crate) record: &'a RunRecord,
    /// What links call it: its label, with more where several runs share that.
    name: String,
    slug: String,
}

/// What the rest of a report shows of a picture: everything but its shapes, numbers and bytes.
pub(crate) struct Sketch {
    /// What was asked for.
    pub(crate) spec: ChartSpec,
    /// What is said of it.
    pub(crate) figure: Caption,
    /// Names of its files below `charts/`, with their sizes in bytes.
    pub(crate) files: BTreeMap<String, usize>,
}

/// The words of a figure, and the runs that it shows.
pub(crate) struct Caption {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) alt: String,
    pub(crate) notes: Vec<String>,
    pub(crate) runs: Vec<usize>,
}

impl Sketch {
    /// The part of a picture that outlives its drawing.
    pub(crate) fn of(picture: &Picture) -> Self {
        let figure = &picture.figure;
        Sketch {
            spec: picture.spec.clone(),
            figure: Caption {
                title: figure.title.clone(),
                subtitle: figure.subtitle.clone(),
                alt: figure.alt.clone(),
                notes: figure.notes.clone(),
                runs: figure.runs.clone(),
            },
            files: picture.files.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect(),
        }
    }
}

/// A picture and the name of its page.
pub(crate) struct PicturePage {
    /// Place among the pictures.
    pub(crate) index: usize,
    /// The picture.
    pub(crate) picture: Sketch,
    /// Name of its page and files.
    pub(crate) slug: String,
    /// The directions that it shows. Looked up once: a picture of all runs stands on the pages of all.
    pub(crate) ddirs: Vec<&'static str>,
}

impl<'a> Site<'a> {
    /// Names the pages of all runs; pictures come later.
    pub(crate) fn new(campaign: &'a Campaign, units: UnitSystem) -> Self {
        let run_ids: Vec<String> = campaign.runs.iter().map(|record| record.run.id.clone()).collect();
        let runs = campaign.runs.iter().zip(names(campaign).into_iter().zip(slugs(&run_ids))).enumerate();
        Site {
            campaign,
            runs: runs.map(|(index, (record, (name, slug)))| RunPage { index, record, name, slug }).collect(),
            pictures: Vec::new(),
            remarks: Vec::new(),
            units,
            remarked: OnceLock::new(),
            shown: vec![Vec::new(); campaign.runs.len()],
            on_runs: OnRuns::of(campaign),
            by_id: campaign.runs.iter().map(|record| record.run.id.as_str()).zip(0..).collect(),
        }
    }

    /// Takes in a picture whose page and files are called `slug`; its index.
    pub(crate) fn push(&mut self, picture: Sketch, slug: String) -> usize {
        let index = self.pictures.len();
        let ddirs = ddirs(self, &picture);
        let runs: BTreeSet<usize> = picture.figure.runs.iter().copied().collect();
        for run in runs {
            if let Some(shown) = self.shown.get_mut(run) {
                shown.push(index);
            }
        }
        self.pictures.push(PicturePage { index, picture, slug, ddirs });
        index
    }

    /// Everything that was remarked, on the inputs first.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.campaign.diagnostics.iter().chain(&self.remarks)
    }

    /// What was remarked on files and runs of these names, in the order of all remarks, which must be there by now.
    pub(crate) fn diagnostics_on(&self, names: &BTreeSet<&str>) -> Vec<&Diagnostic> {
        let remarked = self.remarked.get_or_init(|| {
            let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (place, diagnostic) in self.diagnostics().enumerate() {
                places.entry(diagnostic.path.clone()).or_default().push(place);
            }
            places
        });
        let own = self.campaign.diagnostics.len();
        let places: BTreeSet<usize> =
            names.iter().filter_map(|&name| remarked.get(name)).flatten().copied().collect();
        let at = |place: usize| match place.checked_sub(own) {
            Some(place) => self.remarks.get(place),
            None => self.campaign.diagnostics.get(place),
        };
        places.into_iter().filter_map(at).collect()
    }

    /// The run of an id.
    pub(crate) fn run(&self, id: &str) -> Option<&RunPage<'a>> {
        self.by_id.get(id).and_then(|&index| self.runs.get(index))
    }

    /// The pictures that show a run, in their order.
    pub(crate) fn pictures_of(&self, run: usize) -> impl Iterator<Item = &PicturePage> {
        self.shown.get(run).into_iter().flatten().filter_map(|&index| self.pictures.get(index))
    }

    /// The findings on a run, in their order.
    pub(crate) fn findings_on(&self, run: usize) -> impl Iterator<Item = &Finding> {
        listed(&self.on_runs.findings, run).filter_map(|at| self.campaign.findings.get(at))
    }

    /// The checks that speak of a run, in their order.
    pub(crate) fn checks_on(&self, run: usize) -> impl Iterator<Item = &Check> {
        listed(&self.on_runs.checks, run).filter_map(|at| self.campaign.checks.get(at))
    }

    /// True for evidence of a check that is called by the label or id of a run.
    pub(crate) fn names_a_run(&self, key: &str) -> bool {
        self.on_runs.named.contains(key)
    }

    /// The points of the RAID model that are of a run, in their order.
    pub(crate) fn model_of(&self, run: usize) -> impl Iterator<Item = &ModelPoint> {
        listed(&self.on_runs.model, run).filter_map(|at| self.campaign.model.get(at))
    }

    /// True when every run has the same value of a dimension.
    fn is_shared(&self, dimension: &Dimension) -> bool {
        let mut values = self.runs.iter().map(|page| page.record.run.value(dimension));
        values.next().flatten().is_some_and(|first| values.all(|value| value == Some(first)))
    }

    /// The runs of these indices; an index that no run has is left out.
    pub(crate) fn runs_at<'s>(&'s self, indices: &'s [usize]) -> impl Iterator<Item = &'s RunPage<'a>> {
        indices.iter().filter_map(|&index| self.runs.get(index))
    }

    /// Ids of the runs of these indices.
    pub(crate) fn ids(&self, indices: &[usize]) -> Vec<&'a str> {
        self.runs_at(indices).map(|run| run.record.run.id.as_str()).collect()
    }
}

/// Places of what is said of each run: looked up once, since each page of thousands would else look at what is said of
/// all.
struct OnRuns {
    findings: Vec<Vec<usize>>,
    checks: Vec<Vec<usize>>,
    model: Vec<Vec<usize>>,
    /// What the evidence of checks is called that names a run, by its label or id.
    named: BTreeSet<String>,
}

impl OnRuns {
    fn of(campaign: &Campaign) -> Self {
        let count = campaign.runs.len();
        let keys: BTreeSet<&String> =
            campaign.checks.iter().flat_map(|check| check.evidence.keys()).collect();
        let named =
            keys.into_iter().filter(|key| campaign.runs.iter().any(|other| names_run(&other.run, key)));
        OnRuns {
            named: named.cloned().collect(),
            findings: by_run(count, campaign.findings.iter().map(|finding| finding.runs.as_slice())),
            checks: by_run(count, campaign.checks.iter().map(|check| check.runs.as_slice())),
            model: by_run(count, campaign.model.iter().map(|point| std::slice::from_ref(&point.run))),
        }
    }
}

/// True for evidence of a check that is called by the label or id of this run.
fn names_run(run: &Run, key: &str) -> bool {
    key.starts_with(&run.label) || key.starts_with(&run.id)
}

/// Turns the runs of each thing into the places of the things of each run, ascending.
fn by_run<'r>(count: usize, things: impl Iterator<Item = &'r [usize]>) -> Vec<Vec<usize>> {
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (place, runs) in things.enumerate() {
        for &run in runs {
            if let Some(own) = places.get_mut(run).filter(|own| own.last() != Some(&place)) {
                own.push(place);
            }
        }
    }
    places
}

/// The places that are listed for a run.
fn listed(places: &[Vec<usize>], run: usize) -> impl Iterator<Item = usize> + '_ {
    places.get(run).into_iter().flatten().copied()
}

/// The shortest of label, label with repeat, and id that tells each run from the others.
fn names(campaign: &Campaign) -> Vec<String> {
    let labels: Vec<String> = campaign.runs.iter().map(|record| label(&record.run)).collect();
    let with_repeat =
        campaign.runs.iter().zip(&labels).map(|(record, label)| match record.run.value(&Dimension::Repeat) {
            Some(repeat) => format!("{label} · {}", shown(&Dimension::Repeat.phrase(repeat))),
            None => label.clone(),
        });
    let with_repeat: Vec<String> = with_repeat.collect();
    let (once, once_repeated) = (counts(&labels), counts(&with_repeat));
    let choose = |i: usize| {
        if once[labels[i].as_str()] == 1 {
            labels[i].clone()
        } else if once_repeated[with_repeat[i].as_str()] == 1 {
            with_repeat[i].clone()
        } else {
            shown(&campaign.runs[i].run.id)
        }
    };
    (0..campaign.runs.len()).map(choose).collect()
}

fn counts(texts: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for text in texts {
        *counts.entry(text.as_str()).or_default() += 1;
    }
    counts
}

impl RunPage<'_> {
    /// Path of its page.
    pub(crate) fn page(&self) -> String {
        format!("runs/{}.html", self.slug)
    }
}

impl PicturePage {
    /// True for a chart of one run, which stands on the page of that run.
    pub(crate) fn is_of_one_run(&self) -> bool {
        self.picture.figure.runs.len() == 1 && !self.is_change()
    }

    /// Path of its page.
    pub(crate) fn page(&self) -> String {
        format!("charts/{}.html", self.slug)
    }

    /// Path of its table.
    pub(crate) fn csv(&self) -> String {
        format!("data/{}.csv", self.slug)
    }

    /// Path of the SVG for cards.
    pub(crate) fn thumb(&self) -> String {
        format!("assets/thumbs/{}.svg", self.slug)
    }
}
