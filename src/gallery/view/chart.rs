//! The page of a chart: the picture, its numbers, its files, and how to embed it.

use crate::chart::{Table, TableCell};
use crate::gallery::Picture;
use crate::gallery::view::parts::{Head, Link, elided, encoded, figure_title, is_plain, shown};
use crate::gallery::view::{PicturePage, Site};
use crate::spec::Size;
use serde::Serialize;
use std::collections::BTreeMap;

/// Bytes up to which an SVG becomes part of the page.
const INLINE: usize = 200_000;

/// `charts/ID.html`.
#[derive(Serialize)]
pub(crate) struct ChartPage {
    head: Head,
    subtitle: String,
    /// The SVG itself; empty when the page refers to a file.
    svg: String,
    /// The picture's file; empty when there is none.
    image: String,
    /// The same for dark pages; empty when there is none.
    dark: String,
    /// The smaller drawing for narrow screens.
    small: String,
    width: f64,
    height: f64,
    alt: String,
    footer: String,
    notes: Vec<String>,
    columns: Vec<Column>,
    /// The rows of the table as HTML; empty for none.
    rows: String,
    downloads: Vec<Link>,
    html: String,
    markdown: String,
    /// True when the file of the snippets takes the colours of the reader's system.
    follows: bool,
    /// The picture as PNG, which does not; empty when there is none.
    png: String,
    runs: Vec<Link>,
    previous: Option<Link>,
    next: Option<Link>,
}

/// A column's head.
#[derive(Serialize)]
struct Column {
    head: String,
    /// True when the column holds numbers.
    number: bool,
    /// True for a long text, which may break anywhere.
    long: bool,
}

/// Characters from which a text in a table may break anywhere.
const LONG: usize = 40;

/// The page of one picture.
pub(crate) fn chart(site: &Site<'_>, page: &PicturePage, picture: &Picture) -> ChartPage {
    let figure = &picture.figure;
    let files = Files::of(page, picture);
    let title = figure_title(page);
    let alt = if figure.alt.is_empty() { title.clone() } else { shown(&figure.alt) };
    let filled = filled(&figure.table);
    let path = |name: Option<&str>| name.map(|n| encoded(&format!("charts/{n}"))).unwrap_or_default();
    let image = path(files.image());
    let mut named: Vec<(&String, &Vec<u8>)> = picture.files.iter().collect();
    // SVG before PNG, plain before dark and scaled ones.
    named.sort_by_key(|(name, _)| (!name.ends_with(".svg"), name.len()));
    let mut downloads: Vec<Link> = named
        .into_iter()
        .map(|(name, bytes)| download(&format!("charts/{name}"), name, bytes.len()))
        .collect();
    downloads
        .push(Link { title: "the numbers behind the picture".to_owned(), ..Link::to(&page.csv(), "CSV") });
    let neighbour = |index: Option<usize>| {
        index
            .and_then(|i| site.pictures.get(i))
            .map(|page| Link::to(&page.page(), &elided(&figure_title(page))))
    };
    ChartPage {
        head: Head::below(site, title, "Charts", "charts"),
        subtitle: shown(&figure.subtitle),
        svg: files.inline().unwrap_or_default(),
        dark: path(files.dark),
        small: encoded(&page.thumb()),
        width: figure.size.width,
        height: figure.size.height,
        footer: shown(&figure.footer),
        notes: figure.notes.iter().map(|note| shown(note)).collect(),
        columns: filled.iter().map(|&place| column(&figure.table, place)).collect(),
        rows: rows(&figure.table, &filled),
        downloads,
        html: html_snippet(page, figure.size, &image, &alt),
        follows: files.follows(),
        png: path(files.png),
        markdown: format!("[![{}]({image})]({})", markdown_text(&alt), encoded(&page.page())),
        runs: Link::runs(site, &figure.runs),
        previous: neighbour(page.index.checked_sub(1)),
        next: neighbour(page.index.checked_add(1)),
        image,
        alt,
    }
}

/// The files of a picture by what they are good for on a page.
struct Files<'a> {
    svg: Option<(&'a str, &'a [u8])>,
    png: Option<&'a str>,
    dark: Option<&'a str>,
}

impl<'a> Files<'a> {
    fn of(page: &PicturePage, picture: &'a Picture) -> Self {
        let files: &BTreeMap<String, Vec<u8>> = &picture.files;
        let named = |end: &str| {
            files
                .iter()
                .find(|(name, _)| name.strip_suffix(end) == Some(page.picture.spec.id.as_str()))
                .or_else(|| files.iter().find(|(name, _)| name.strip_suffix(end) == Some(page.slug.as_str())))
                .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        };
        let name = |file: Option<(&'a str, &'a [u8])>| file.map(|(name, _)| name);
        Files {
            svg: named(".svg"),
            png: name(named(".png")),
            dark: name(named("-dark.svg")).or(name(named("-dark.png"))),
        }
    }

    /// True when the SVG is dark where the reader's system is, whatever the page around it.
    fn follows(&self) -> bool {
        let asks: &[u8] = b"prefers-color-scheme";
        self.svg.is_some_and(|(_, bytes)| bytes.windows(asks.len()).any(|part| part == asks))
    }

    /// The file that pages and posts show.
    fn image(&self) -> Option<&'a str> {
        self.svg.map(|(name, _)| name).or(self.png)
    }

    /// The SVG element, where it is small and serves light and dark pages alike.
    fn inline(&self) -> Option<String> {
        let (_, bytes) = self.svg?;
        if bytes.len() >= INLINE || self.dark.is_some() {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        // What stands before the element (XML declaration, doctype) has no place in HTML.
        let start = text.find("<svg")?;
        text.get(start..).map(str::to_owned)
    }
}

/// Places of the columns that hold anything; an interval, for one, takes repeats.
fn filled(table: &Table) -> Vec<usize> {
    let holds = |&place: &usize| {
        table.rows.iter().any(|row| match row.get(place) {
            Some(TableCell::Text(text)) => !text.trim().is_empty(),
            Some(TableCell::Number { .. }) => true,
            Some(TableCell::Empty) | None => false,
        })
    };
    (0..table.columns.len()).filter(holds).collect()
}

fn column(table: &Table, place: usize) -> Column {
    let head = shown(table.columns.get(place).map(String::as_str).unwrap_or_default());
    let number = table.rows.iter().any(|row| matches!(row.get(place), Some(TableCell::Number { .. })));
    Column { long: is_long(&head), head, number }
}

fn is_long(text: &str) -> bool {
    text.len() >= LONG && text.chars().count() >= LONG
}

/// The rows of a table as HTML, of the columns at these places.
///
/// Not by the template: a picture has thousands of numbers behind it, and to a template each is a map of values.
fn rows(table: &Table, places: &[usize]) -> String {
    let mut html = String::new();
    for row in &table.rows {
        html.push_str("\n<tr>");
        for &place in places {
            match row.get(place) {
                Some(cell @ TableCell::Number { .. }) => {
                    html.push_str("<td class=\"number\">");
                    cell.push_text(&mut html);
                }
                Some(TableCell::Text(text)) => {
                    let long = is_long(text) && is_long(&shown(text));
                    html.push_str(if long { "<td class=\"long\">" } else { "<td>" });
                    push(&mut html, text);
                }
                Some(TableCell::Empty) | None => html.push_str("<td>"),
            }
            html.push_str("</td>");
        }
        html.push_str("</tr>");
    }
    html
}

/// Appends a text as it is shown.
fn push(html: &mut String, text: &str) {
    if is_plain(text) && !text.contains(['&', '<', '>', '"', '\'']) {
        html.push_str(text);
    } else {
        html.push_str(&attribute(&shown(text)).replace('\'', "&#39;"));
    }
}

/// A link to a file under its kind: `SVG`, `PNG @2x`, `SVG dark`.
fn download(path: &str, name: &str, bytes: usize) -> Link {
    let (stem, suffix) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut text = suffix.to_ascii_uppercase();
    if stem.contains("-dark") {
        text.push_str(" dark");
    }
    if let Some((_, scale)) = stem.rsplit_once('@') {
        text.push_str(&format!(" {scale}"));
    }
    let size = crate::model::unit::size_phrase(bytes as u64);
    Link { title: format!("{name}, {size}"), ..Link::to(path, &text) }
}

/// An HTML line that shows the picture and leads to its page; in a narrow column it shrinks as a whole.
fn html_snippet(page: &PicturePage, size: Size, image: &str, alt: &str) -> String {
    format!(
        r#"<a href="{}"><img src="{image}" width="{}" height="{}" style="max-width:100%;height:auto" alt="{}"></a>"#,
        encoded(&page.page()),
        size.width,
        size.height,
        attribute(alt)
    )
}

/// `text` within a quoted HTML attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

/// `text` within the brackets of a Markdown link, where no character of it is markup.
fn markdown_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() && "\\`*_{}[]<>()#!|&~".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Spelling;

    #[test]
    fn snippets_hold_any_text() {
        assert_eq!(attribute(r#"a "b" <c> & d"#), "a &quot;b&quot; &lt;c&gt; &amp; d");
        assert_eq!(markdown_text("a](x) <b> _c_"), r"a\]\(x\) \<b\> \_c\_");
    }

    #[test]
    fn rows_hold_any_text_and_nothing_where_there_is_nothing() {
        let cell = |text: &str| TableCell::Text(text.to_owned());
        let number = TableCell::Number { value: 1234.4, spelling: Spelling::Significant };
        let long = "x".repeat(40);
        let table = Table {
            columns: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
            rows: vec![
                vec![cell(" <b>\n'it' & \"so\" "), TableCell::Empty, number],
                vec![cell(&long), TableCell::Empty],
            ],
        };
        assert_eq!(
            rows(&table, &[0, 2]),
            format!(
                "\n<tr><td>&lt;b&gt; &#39;it&#39; &amp; &quot;so&quot;</td><td class=\"number\">1,234</td></tr>\
                 \n<tr><td class=\"long\">{long}</td><td></td></tr>"
            )
        );
        assert_eq!(rows(&Table::default(), &[]), "");
    }

    #[test]
    fn downloads_are_named_by_what_they_are() {
        assert_eq!(download("charts/a.svg", "a.svg", 10).text, "SVG");
        assert_eq!(download("charts/a-dark@2x.png", "a-dark@2x.png", 2048).text, "PNG dark 2x");
        assert_eq!(download("charts/a@2x.png", "a@2x.png", 2048).title, "a@2x.png, 2 KiB");
    }
}
