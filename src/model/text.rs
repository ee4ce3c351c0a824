//! Words for people: how far apart two are, how a list, a sentence and an id are written.
//!
//! In: texts. Out: texts and counts. What a value or a figure is called is told beside its type.

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
