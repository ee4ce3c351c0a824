//! Makes a report file by file, and forgets each picture once its files are made.
//!
//! In: a campaign, then its pictures in their order, then what was remarked. Out: paths and bytes,
//! handed to whoever keeps them. Of a picture that is done only its words remain, so that memory
//! grows with what a report says and not with what it draws.

use crate::gallery::page::Pages;
use crate::gallery::view::{self, Site, Sketch};
use crate::gallery::{GalleryError, PageOptions, Picture, data, file_name, report_json, slugs};
use crate::model::{Campaign, Diagnostic};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Takes in a file of the report: its path below the folder, and its bytes.
pub type Keep<'k> = &'k mut (dyn FnMut(&str, &[u8]) -> Result<(), GalleryError> + Send);

/// Pages of runs that are made at a time.
const RUNS: usize = 64;

/// A report under way.
pub struct Builder<'a> {
    site: Site<'a>,
    pages: Pages,
    /// Id and name of the pages of pictures that are to come.
    slugs: VecDeque<(String, String)>,
    /// The last picture, whose page names the one after it.
    waiting: Option<(usize, Picture)>,
    files: Files<'a>,
}

/// The files made so far.
struct Files<'a> {
    taken: BTreeSet<String>,
    keep: Keep<'a>,
}

impl Files<'_> {
    fn add(&mut self, path: String, bytes: &[u8]) -> Result<(), GalleryError> {
        if self.taken.contains(&path) {
            return Err(GalleryError::Duplicate { path });
        }
        (self.keep)(&path, bytes)?;
        self.taken.insert(path);
        Ok(())
    }
}

impl<'a> Builder<'a> {
    /// Begins a report; `ids` are those of all pictures that may come, in their order.
    ///
    /// # Errors
    /// When a template is broken.
    pub fn new(
        campaign: &'a Campaign,
        ids: &[String],
        options: &PageOptions,
        keep: Keep<'a>,
    ) -> Result<Self, GalleryError> {
        Ok(Builder {
            site: Site::new(campaign, options.units),
            pages: Pages::load(options.templates.as_deref())?,
            slugs: ids.iter().cloned().zip(slugs(ids)).collect(),
            waiting: None,
            files: Files { taken: BTreeSet::new(), keep },
        })
    }

    /// Adds pictures, in the order of the ids; those of ids that are passed over will not come.
    ///
    /// # Errors
    /// When a file cannot be made or kept, or has the name of another.
    pub fn add(&mut self, pictures: Vec<Picture>) -> Result<(), GalleryError> {
        let mut ready: Vec<(usize, Picture)> = self.waiting.take().into_iter().collect();
        for picture in pictures {
            let slug = loop {
                match self.slugs.pop_front() {
                    Some((id, slug)) if id == picture.spec.id => break slug,
                    Some(_) => {}
                    None => return Err(GalleryError::Duplicate { path: picture.spec.id }),
                }
            };
            let index = self.site.push(Sketch::of(&picture), slug);
            for (name, bytes) in &picture.files {
                self.files.add(format!("charts/{}", file_name(name)?), bytes)?;
            }
            if let Some(page) = self.site.pictures.get(index) {
                self.files.add(page.thumb(), &picture.thumb)?;
                self.files.add(page.csv(), &data::table(&page.csv(), &picture.figure.table)?)?;
            }
            ready.push((index, picture));
        }
        self.waiting = ready.pop();
        self.chart_pages(&ready)
    }

    fn chart_pages(&mut self, pictures: &[(usize, Picture)]) -> Result<(), GalleryError> {
        let (site, pages) = (&self.site, &self.pages);
        let made: Vec<(String, Result<Vec<u8>, GalleryError>)> = pictures
            .par_iter()
            .filter_map(|(index, picture)| {
                let page = site.pictures.get(*index)?;
                Some((page.page(), pages.render("chart.html", &view::chart(site, page, picture))))
            })
            .collect();
        for (path, page) in made {
            self.files.add(path, &page?)?;
        }
        Ok(())
    }

    /// Makes what is left: the pages of the runs, the first page, the tables.
    ///
    /// `remarks` are those on the pictures; `extra` holds files made elsewhere, by their path.
    ///
    /// # Errors
    /// As [`Builder::add`].
    pub fn finish(
        mut self,
        remarks: Vec<Diagnostic>,
        extra: BTreeMap<String, Vec<u8>>,
    ) -> Result<(), GalleryError> {
        let last: Vec<(usize, Picture)> = self.waiting.take().into_iter().collect();
        self.chart_pages(&last)?;
        drop(last);
        self.site.remarks = remarks;
        let Builder { site, pages, mut files, .. } = self;
        for runs in site.runs.chunks(RUNS) {
            let made: Vec<Result<Vec<u8>, GalleryError>> =
                runs.par_iter().map(|run| pages.render("run.html", &view::run(&site, run))).collect();
            for (run, page) in runs.iter().zip(made) {
                files.add(run.page(), &page?)?;
            }
        }
        let mut downloads = vec!["report.json".to_owned(), data::SUMMARY.to_owned()];
        downloads.extend(extra.keys().cloned());
        files.add("index.html".to_owned(), &pages.render("index.html", &view::index(&site, &downloads))?)?;
        files.add(data::SUMMARY.to_owned(), &data::summary(site.campaign)?)?;
        files.add("report.json".to_owned(), &report_json::document(&site)?)?;
        for (name, bytes) in pages.assets() {
            files.add(format!("assets/{name}"), bytes)?;
        }
        for (path, bytes) in extra {
            for part in path.split('/') {
                file_name(part)?;
            }
            files.add(path, &bytes)?;
        }
        Ok(())
    }
}
