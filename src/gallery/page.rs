//! Templates: the built-in ones, the user's over them, and the pages made with them.
//!
//! The one user of tera. Templates hold loops and conditions only; whatever
//! they show was computed in [`crate::gallery::view`].

use crate::gallery::GalleryError;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tera::{Context, ErrorKind, Tera};

/// Templates of pages and what they include.
const TEMPLATES: &[(&str, &str)] = &[
    ("base.html", include_str!("../../templates/base.html")),
    ("parts.html", include_str!("../../templates/parts.html")),
    ("index.html", include_str!("../../templates/index.html")),
    ("chart.html", include_str!("../../templates/chart.html")),
    ("run.html", include_str!("../../templates/run.html")),
    ("sheet.html", include_str!("../../templates/sheet.html")),
];

/// Files that pages refer to.
const ASSETS: &[(&str, &str)] = &[
    ("style.css", include_str!("../../templates/style.css")),
    ("filter.js", include_str!("../../templates/filter.js")),
    ("icon.svg", include_str!("../../templates/icon.svg")),
];

/// Compiled templates and the assets that go with them.
pub(crate) struct Pages {
    tera: Tera,
    assets: BTreeMap<String, Vec<u8>>,
}

impl Pages {
    /// The built-in templates, with the files of `overrides` in place of those of the same name.
    pub(crate) fn load(overrides: Option<&Path>) -> Result<Self, GalleryError> {
        let mut templates: BTreeMap<String, String> = owned(TEMPLATES);
        let mut assets: BTreeMap<String, Vec<u8>> =
            owned(ASSETS).into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
        if let Some(folder) = overrides {
            read_overrides(folder, &mut templates, &mut assets)?;
        }
        let mut tera = Tera::default();
        tera.add_raw_templates(templates).map_err(|error| described("", &error))?;
        Ok(Pages { tera, assets })
    }

    /// The page that `template` makes of `view`.
    pub(crate) fn render<V: Serialize>(&self, template: &str, view: &V) -> Result<Vec<u8>, GalleryError> {
        let context = Context::from_serialize(view).map_err(|error| described(template, &error))?;
        let page = self.tera.render(template, &context).map_err(|error| described(template, &error))?;
        Ok(page.into_bytes())
    }

    /// Name and bytes of each asset.
    pub(crate) fn assets(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.assets.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }
}

fn owned(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// Reads the files of `folder` over the built-in ones; hidden files are not looked at.
fn read_overrides(
    folder: &Path,
    templates: &mut BTreeMap<String, String>,
    assets: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), GalleryError> {
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| GalleryError::Io { action: "read", path, source }
    };
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(failed(folder))?
        .into_iter()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('.') {
            continue;
        }
        if templates.contains_key(&name) || (name.starts_with('_') && name.ends_with(".html")) {
            templates.insert(name, std::fs::read_to_string(&path).map_err(failed(&path))?);
        } else if let Some(asset) = assets.get_mut(&name) {
            *asset = std::fs::read(&path).map_err(failed(&path))?;
        } else {
            let known = TEMPLATES.iter().chain(ASSETS).map(|&(name, _)| name).collect::<Vec<_>>();
            return Err(GalleryError::UnknownTemplate { path, expected: known.join(", ") });
        }
    }
    Ok(())
}

/// tera's error with the place that it names; `template` where it names none.
fn described(template: &str, error: &tera::Error) -> GalleryError {
    match error.kind() {
        ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report) => GalleryError::Template {
            name: report.filename().to_owned(),
            line: Some(report.span().start_line),
            message: report.message().to_owned(),
        },
        other => GalleryError::Template { name: template.to_owned(), line: None, message: other.to_string() },
    }
}
