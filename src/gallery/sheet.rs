//! A contact sheet: one picture of each kind of chart on one page.
//!
//! In: cards. Out: a page that stands alone, with its own style. Draws nothing, and knows no campaign.

use super::GalleryError;
use super::page::Pages;
use serde::Serialize;

/// A kind of chart on a contact sheet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Card {
    /// Name; capitals stand for a word of the user's.
    pub name: String,
    /// What it answers.
    pub answers: String,
    /// What it needs.
    pub needs: String,
    /// Why there is no picture.
    pub missing: Option<String>,
    /// The command that makes the picture.
    pub command: String,
    /// Name of the picture's file beside the page; empty where the picture is in the page or there is none.
    pub file: String,
    /// The picture itself, as SVG; empty where it is a file or there is none.
    pub svg: String,
    /// The picture in words.
    pub alt: String,
}

/// What the page shows.
#[derive(Serialize)]
struct Sheet<'a> {
    title: &'a str,
    cards: Vec<&'a Card>,
    missing: Vec<&'a Card>,
    generator: String,
    count: String,
}

/// The page: the cards with a picture in their order, then what is missing and why.
///
/// # Errors
/// When the template is broken.
pub fn contact_sheet(title: &str, cards: &[Card]) -> Result<Vec<u8>, GalleryError> {
    let pages = Pages::load(None)?;
    let has_picture = |card: &&Card| !card.file.is_empty() || !card.svg.is_empty();
    let (shown, missing): (Vec<&Card>, Vec<&Card>) = cards.iter().partition(has_picture);
    let kinds = if shown.len() == 1 { "kind" } else { "kinds" };
    let sheet = Sheet {
        title,
        count: format!("{} {kinds} of charts", shown.len()),
        generator: format!("plotgen {}", env!("CARGO_PKG_VERSION")),
        cards: shown,
        missing,
    };
    pages.render("sheet.html", &sheet)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_shows_pictures_and_says_what_is_missing() {
        let card =
            |name: &str| Card { name: name.to_owned(), answers: "a & b".to_owned(), ..Card::default() };
        let cards = [
            Card { svg: "<svg id=\"inside\"></svg>".to_owned(), ..card("METRIC-inside") },
            Card { file: "beside.svg".to_owned(), alt: "A <chart>.".to_owned(), ..card("METRIC-beside") },
            Card { missing: Some("no run has logs".to_owned()), ..card("METRIC-missing") },
        ];
        let page = String::from_utf8(contact_sheet("Drives < 4", &cards).unwrap()).unwrap();
        assert!(page.contains("<svg id=\"inside\"></svg>") && page.contains("src=\"beside.svg\""), "{page}");
        assert!(page.contains("2 kinds of charts") && page.contains("Drives &lt; 4"), "{page}");
        assert!(page.contains("alt=\"A &lt;chart&gt;.\"") && page.contains("a &amp; b"), "{page}");
        let after = page.split_once("METRIC-missing").unwrap().1;
        assert!(after.contains("no run has logs"), "{page}");
    }
}
