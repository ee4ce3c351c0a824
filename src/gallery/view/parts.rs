//! Pieces that several pages show.

use crate::gallery::view::{PicturePage, RunPage, Site, Sketch};
use crate::model::{Diagnostic, Dimension, Metric, Operation, Run, Severity, Tool, Value};
use crate::spec::{Channel, XChannel};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What every page has.
#[derive(Serialize)]
pub(super) struct Head {
    /// Title of the page.
    pub(super) title: String,
    /// Title of the report.
    pub(super) report: String,
    /// Way from the page to the report's folder: empty or `../`.
    pub(super) root: &'static str,
    /// Pages above this one, outermost first.
    pub(super) crumbs: Vec<Link>,
    /// Program and version.
    pub(super) generator: &'static str,
}

impl Head {
    /// The head of a page one folder down.
    pub(super) fn below(site: &Site<'_>, title: String, section: &str, anchor: &str) -> Self {
        let report = report_title(site);
        let crumbs =
            vec![Link::to("index.html", &report), Link::to(&format!("index.html#{anchor}"), section)];
        Head { title, report, root: "../", crumbs, generator: GENERATOR }
    }
}

/// Program and version, as pages name them.
pub(super) const GENERATOR: &str = concat!("plotgen ", env!("CARGO_PKG_VERSION"));

/// Title of the report; a neutral one when the campaign has none.
pub(super) fn report_title(site: &Site<'_>) -> String {
    let title = shown(&site.campaign.title);
    if title.is_empty() { "Benchmark report".to_owned() } else { title }
}

/// A link; `href` is percent-encoded and relative to the report's folder.
#[derive(Serialize)]
pub(super) struct Link {
    pub(super) href: String,
    pub(super) text: String,
    /// More about the target, for a tooltip.
    pub(super) title: String,
    /// True when the target is a run that reported errors.
    pub(super) error: bool,
}

impl Link {
    pub(super) fn to(href: &str, text: &str) -> Self {
        Link { href: encoded(href), text: text.to_owned(), title: String::new(), error: false }
    }

    /// A link to a run's page under its name.
    pub(super) fn run(page: &RunPage<'_>) -> Self {
        Link::run_as(page, elided(&page.name))
    }

    /// A link to a run's page under another text.
    pub(super) fn run_as(page: &RunPage<'_>, text: String) -> Self {
        let run = &page.record.run;
        Link { title: shown(&run.id), error: run.has_error(), ..Link::to(&page.page(), &text) }
    }

    /// Links to the runs of these indices.
    pub(super) fn runs(site: &Site<'_>, indices: &[usize]) -> Vec<Link> {
        site.runs_at(indices).map(Link::run).collect()
    }
}

/// What people call a run; its id when it has no label.
pub(super) fn label(run: &Run) -> String {
    let label = shown(&run.label);
    if label.is_empty() { shown(&run.id) } else { label }
}

/// Where a run's figures come from, after its number: `of fio 3.33`, `from tables (rbench format)`.
pub(super) fn origin(tool: &Tool) -> String {
    // rbench names a format of tables; what measured is not in them.
    if tool.name == "rbench" {
        return "from tables (rbench format)".to_owned();
    }
    match shown(&tool.to_string()) {
        name if name.is_empty() => "of an unnamed tool".to_owned(),
        name => format!("of {name}"),
    }
}

/// A name and what it stands for.
#[derive(Serialize)]
pub(super) struct Fact {
    pub(super) name: String,
    pub(super) value: String,
    /// Where it came from; empty when that goes without saying.
    pub(super) from: String,
}

impl Fact {
    pub(super) fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Fact { name: name.into(), value: value.into(), from: String::new() }
    }

    /// One for each entry.
    pub(super) fn list(map: &BTreeMap<String, String>) -> Vec<Fact> {
        map.iter().map(|(name, value)| Fact::new(shown(name), shown(value))).collect()
    }
}

/// A picture in the gallery.
#[derive(Serialize)]
pub(super) struct Card {
    pub(super) href: String,
    pub(super) thumb: String,
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) alt: String,
    /// Metrics on its axes, for the filter, separated by blanks.
    pub(super) metrics: String,
    /// Directions, separated by blanks.
    pub(super) ddirs: String,
    /// What is compared, one key for each, separated by line breaks.
    pub(super) compares: String,
    /// What the text search looks at, in lower case.
    pub(super) words: String,
}

impl Card {
    pub(super) fn new(page: &PicturePage) -> Self {
        Card::within(page, "")
    }

    /// A card whose section has words of its own that a search finds it by.
    pub(super) fn within(page: &PicturePage, context: &str) -> Self {
        let figure = &page.picture.figure;
        let (title, subtitle) = (figure_title(page), shown(&figure.subtitle));
        let ddirs = page.ddirs.join(" ");
        let words = format!("{title} {subtitle} {} {ddirs} {context}", shown(&page.picture.spec.id));
        Card {
            href: encoded(&page.page()),
            thumb: encoded(&page.thumb()),
            title,
            subtitle,
            alt: shown(&figure.alt),
            metrics: metrics(page).into_iter().map(Metric::as_str).collect::<Vec<_>>().join(" "),
            ddirs,
            compares: compared(page).into_keys().collect::<Vec<_>>().join("\n"),
            words: words.trim().to_lowercase(),
        }
    }
}

/// The metrics on a picture's axes.
pub(super) fn metrics(page: &PicturePage) -> BTreeSet<Metric> {
    let spec = &page.picture.spec;
    let across = match spec.x {
        XChannel::Measure { metric, .. } => Some(metric),
        _ => None,
    };
    across.into_iter().chain([spec.y.metric]).collect()
}

/// Title of a picture; its id when it has none.
pub(super) fn figure_title(page: &PicturePage) -> String {
    let title = shown(&page.picture.figure.title);
    if title.is_empty() { shown(&page.picture.spec.id) } else { title }
}

/// The directions that a picture shows, as the rows of tables call them.
pub(super) fn ddirs(site: &Site<'_>, picture: &Sketch) -> Vec<&'static str> {
    let spec = &picture.spec;
    if spec.y.metric == Metric::Fsync {
        return vec![Operation::Fsync.as_str()];
    }
    crate::model::Ddir::ALL
        .iter()
        .filter(|&&ddir| {
            spec.filter.accepts_ddir(ddir)
                && site
                    .runs_at(&picture.figure.runs)
                    .any(|run| run.record.ddirs(spec.y.metric).contains(&ddir))
        })
        .map(|ddir| ddir.as_str())
        .collect()
}

/// What a picture compares: key for the filter and words for people.
pub(super) fn compared(page: &PicturePage) -> BTreeMap<String, String> {
    let spec = &page.picture.spec;
    let mut compared = BTreeMap::new();
    let mut dimension = |d: &Dimension| {
        compared.insert(d.as_str().to_owned(), shown(d.title()));
    };
    spec.x.dimension().into_iter().chain(&spec.rows).for_each(&mut dimension);
    for channel in [&spec.color, &spec.facet].into_iter().flatten() {
        if let Channel::Dimension(d) = channel {
            dimension(d);
        }
    }
    if spec.x == XChannel::Time {
        compared.insert("time".to_owned(), "run time".to_owned());
    }
    compared
}

/// A severity as class and word.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// Remarks of one severity and one wording.
#[derive(Serialize)]
pub(super) struct DiagnosticGroup {
    pub(super) severity: &'static str,
    pub(super) message: String,
    pub(super) count: usize,
    pub(super) places: Vec<Place>,
}

/// What a remark is about.
#[derive(Serialize)]
pub(super) struct Place {
    /// `path:line`, or the name of a run.
    pub(super) text: String,
    /// The page of the run; empty for a file.
    pub(super) href: String,
}

/// Remarks grouped by severity and wording, worst first.
pub(super) fn grouped<'d>(
    site: &Site<'_>,
    diagnostics: impl Iterator<Item = &'d Diagnostic>,
) -> Vec<DiagnosticGroup> {
    let mut groups: BTreeMap<(std::cmp::Reverse<Severity>, &str), Vec<Place>> = BTreeMap::new();
    for diagnostic in diagnostics {
        let path = shown(&diagnostic.path);
        let text = match diagnostic.line {
            Some(line) => format!("{path}:{line}"),
            None => path,
        };
        let run = site.run(&diagnostic.path);
        let href = run.map(|page| encoded(&page.page())).unwrap_or_default();
        let group = groups.entry((std::cmp::Reverse(diagnostic.severity), &diagnostic.message)).or_default();
        group.push(Place { text, href });
    }
    groups
        .into_iter()
        .map(|((worst, message), places)| DiagnosticGroup {
            severity: severity(worst.0),
            message: shown(message),
            count: places.len(),
            places,
        })
        .collect()
}

/// A result of the audit.
#[derive(Serialize)]
pub(super) struct CheckView {
    pub(super) id: String,
    pub(super) severity: &'static str,
    pub(super) advice: String,
    pub(super) evidence: Vec<Fact>,
    pub(super) runs: Vec<Link>,
}

impl CheckView {
    pub(super) fn new(site: &Site<'_>, check: &crate::model::Check) -> Self {
        CheckView {
            id: shown(&check.id),
            severity: severity(check.severity),
            advice: shown(&check.advice),
            evidence: Fact::list(&check.evidence),
            runs: Link::runs(site, &check.runs),
        }
    }

    /// The check as it concerns one run: without the evidence and the links of others.
    pub(super) fn of_run(site: &Site<'_>, check: &crate::model::Check, run: &crate::model::Run) -> Self {
        let others = |key: &str| key == "…" || site.names_a_run(key);
        let mut own = check.clone();
        own.evidence.retain(|key, _| super::names_run(run, key) || !others(key));
        own.runs.clear();
        CheckView::new(site, &own)
    }
}

/// A dimension's value under a head that names the dimension: `10`, `64 KiB`, `direct`.
pub(super) fn value_text(dimension: &Dimension, value: &Value) -> String {
    match dimension {
        Dimension::Chunk | Dimension::Bs => shown(&value.size_phrase()),
        Dimension::Direct => shown(&dimension.phrase(value)),
        _ => shown(value.as_str()),
    }
}

/// `1 run`, `2 runs`, `1,200 runs`.
pub(super) fn counted(n: usize, one: &str) -> String {
    let number = crate::model::unit::group_thousands(&n.to_string());
    format!("{number} {one}{}", if n == 1 { "" } else { "s" })
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn joined(mut parts: Vec<String>) -> String {
    match parts.pop() {
        None => String::new(),
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} and {last}", parts.join(", ")),
    }
}

/// `text` on one line, without characters that turn or hide other text.
pub(super) fn shown(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let visible: String = text
        .chars()
        .map(|c| if c.is_control() || c == '\u{2028}' || c == '\u{2029}' { ' ' } else { c })
        .filter(|c| !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}'))
        .collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True for what [`shown`] leaves as it is: words of ASCII, one blank between them.
pub(super) fn is_plain(text: &str) -> bool {
    let printed = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    printed && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ")
}

/// `text` cut in its middle to at most 64 characters.
pub(super) fn elided(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= 64 {
        return text.to_owned();
    }
    chars[..40].iter().chain(std::iter::once(&'…')).chain(&chars[chars.len() - 23..]).collect()
}

/// A path as a URL: bytes other than unreserved ones, `/`, `@` and `#` are percent-encoded.
pub(super) fn encoded(path: &str) -> String {
    let mut url = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@#".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_line_breaks_and_characters_that_turn_what_follows() {
        assert_eq!(shown("a\n\tb\u{202E}c\u{0}"), "a bc");
        assert_eq!(shown("Grüße 🔥"), "Grüße 🔥");
    }

    #[test]
    fn paths_become_urls_byte_by_byte() {
        assert_eq!(encoded("charts/a b\"é@2x.png"), "charts/a%20b%22%C3%A9@2x.png");
    }
}
