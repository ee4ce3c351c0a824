//! Words for people: how far apart two are, how a list, a sentence and an id are written.
//!
//! In: texts. Out: texts and counts. What a value or a figure is called is told beside its type.

use sha2::{Digest, Sha256};

/// The first letter as a capital.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// `a, b and c`.
pub(crate) fn list<S: AsRef<str>>(words: &[S]) -> String {
    let (last, head) = match words {
        [] => return String::new(),
        [one] => return one.as_ref().to_owned(),
        [head @ .., last] => (last.as_ref(), head),
    };
    let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
    format!("{} and {last}", head.join(", "))
}

/// At most `most` of the words, with the number of the others: `a, b and 7 more`.
pub(crate) fn few<S: AsRef<str>>(words: &[S], most: usize) -> String {
    let mut named: Vec<String> = words.iter().take(most).map(|word| word.as_ref().to_owned()).collect();
    if words.len() > most {
        named.push(format!("{} more", words.len() - most));
    }
    list(&named)
}

/// Letters to insert, drop, replace or swap with their neighbour (optimal string alignment).
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Letters and digits of a text in lower case, everything between them as one hyphen.
pub(crate) fn slug(text: &str) -> String {
    let folded: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    folded.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Bytes as hexadecimal digits, as people write hashes.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|half| DIGITS[usize::from(half)]);
    bytes.iter().flat_map(digits).collect()
}

/// [`slug`] in at most `most` bytes (20 or more): a longer one is cut and ends in a hash of the whole text, so that
/// it stays the same and apart from others that begin so.
pub(crate) fn short_slug(text: &str, most: usize) -> String {
    let whole = slug(text);
    if whole.len() <= most {
        return whole;
    }
    let hash = hexadecimal(&Sha256::digest(text)[..4]);
    // A slug is ASCII: any place can be cut.
    format!("{}-{hash}", whole[..most - 9].trim_end_matches('-'))
}

/// The candidate nearest to `word`, when it is near enough to be a slip of the finger.
pub(crate) fn nearest<'a, S: AsRef<str>>(word: &str, candidates: &'a [S]) -> Option<&'a str> {
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
    fn a_long_slug_is_cut_and_keeps_its_own_end() {
        assert_eq!(short_slug("RAID 5/Run 1", 48), "raid-5-run-1");
        let (a, b) = (short_slug(&"x".repeat(250), 48), short_slug(&"x".repeat(251), 48));
        assert!(a.len() == 48 && b.len() == 48 && a != b, "{a} {b}");
        assert!(a.starts_with(&"x".repeat(39)) && a.as_bytes()[39] == b'-');
    }

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
