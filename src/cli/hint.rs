//! The word that a mistyped one was meant to be.

use crate::model::text::edit_distance;

/// The candidate nearest to `word`, when it is near enough to be a slip of the finger.
pub(super) fn nearest<'a, S: AsRef<str>>(word: &str, candidates: &'a [S]) -> Option<&'a str> {
    // One slip in a short word, two in a long one.
    let allowed = if word.chars().count() <= 4 { 1 } else { 2 };
    candidates
        .iter()
        .map(|candidate| (edit_distance(word, candidate.as_ref()), candidate.as_ref()))
        .filter(|&(slips, candidate)| {
            slips <= allowed
                || (word.len() >= 3 && word.len() < candidate.len() && candidate.starts_with(word))
        })
        .min_by_key(|&(slips, candidate)| (slips, candidate.len().abs_diff(word.len())))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["report", "chart", "charts", "summary", "inspect"];
        assert_eq!(nearest("chrat", &names), Some("chart"));
        assert_eq!(nearest("sumary", &names), Some("summary"));
        assert_eq!(nearest("sum", &names), Some("summary"));
        assert_eq!(nearest("charst", &names), Some("charts"));
        assert_eq!(nearest("results", &names), None);
        assert_eq!(nearest("data", &names), None);
        assert_eq!(nearest("", &names), None);
    }
}
