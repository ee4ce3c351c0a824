//! View models: what each template shows, as plain text and lists.
//!
//! Campaign and pictures go in, structs for the templates come out. Every text
//! is still raw: the templates escape it.

mod chart;
mod index;
mod overview;
mod parts;
mod run;
mod summary;

pub(crate) use chart::chart;
pub(crate) use index::index;
pub(crate) use run::run;

use crate::gallery::{Picture, slugs};
use crate::model::{Campaign, RunRecord};

/// A campaign and its pictures, with the name of each page.
pub(crate) struct Site<'a> {
    /// What is reported.
    pub(crate) campaign: &'a Campaign,
    /// Its runs, in their order.
    pub(crate) runs: Vec<RunPage<'a>>,
    /// The pictures, in their order.
    pub(crate) pictures: Vec<PicturePage<'a>>,
}

/// A run and the name of its page.
pub(crate) struct RunPage<'a> {
    /// Index into the campaign's runs.
    pub(crate) index: usize,
    /// The run.
    pub(crate) record: &'a RunRecord,
    slug: String,
}

/// A picture and the name of its page.
pub(crate) struct PicturePage<'a> {
    /// Place among the pictures.
    pub(crate) index: usize,
    /// The picture.
    pub(crate) picture: &'a Picture,
    /// Name of its page and files.
    pub(crate) slug: String,
}

impl<'a> Site<'a> {
    /// Names the pages of all runs and pictures.
    pub(crate) fn new(campaign: &'a Campaign, pictures: &'a [Picture]) -> Self {
        let run_ids: Vec<String> = campaign.runs.iter().map(|record| record.run.id.clone()).collect();
        let picture_ids: Vec<String> = pictures.iter().map(|picture| picture.spec.id.clone()).collect();
        let runs = campaign.runs.iter().zip(slugs(&run_ids)).enumerate();
        let pictures = pictures.iter().zip(slugs(&picture_ids)).enumerate();
        Site {
            campaign,
            runs: runs.map(|(index, (record, slug))| RunPage { index, record, slug }).collect(),
            pictures: pictures.map(|(index, (picture, slug))| PicturePage { index, picture, slug }).collect(),
        }
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

impl RunPage<'_> {
    /// Path of its page.
    pub(crate) fn page(&self) -> String {
        format!("runs/{}.html", self.slug)
    }
}

impl PicturePage<'_> {
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
