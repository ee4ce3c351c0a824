//! From the bytes of a file to the JSON documents in it.
//!
//! In: bytes as a shell redirect, a terminal log or an editor left them. Out: byte ranges of
//! documents that serde_json accepts. Text around the documents is passed over; what fio prints
//! against the rules of JSON (`nan`, raw control characters, single backslashes) is softened in
//! place, so that offsets stay those of the file. Nothing here knows what a document means.

use memchr::memmem;

/// The key that every fio document starts with.
const VERSION_KEY: &[u8] = b"\"fio version\"";

/// Bytes of a file as UTF-8; those that are none are replaced.
pub(in crate::ingest) fn lossy(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => text.into_bytes(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into_bytes(),
    }
}

/// True when the beginning of a file shows an object with fio's keys.
pub(super) fn shows_fio(head: &[u8]) -> bool {
    let opens = |key_at: usize| memchr::memchr(b'{', &head[..key_at]).is_some();
    let key = |word: &[u8]| memmem::find_iter(head, word).find(|&at| is_key(&head[at + word.len()..]));
    if key(VERSION_KEY).is_some_and(opens) {
        return true;
    }
    key(b"\"jobs\"").is_some_and(opens) && (key(b"\"jobname\"").is_some() || key(b"\"groupid\"").is_some())
}

/// True when what follows a quoted word makes it a key; a head may be cut right behind the word.
fn is_key(rest: &[u8]) -> bool {
    rest.iter().find(|c| !c.is_ascii_whitespace()).is_none_or(|&c| c == b':')
}

/// Where a document may start, from `from` on: an object with a quoted key at the beginning of
/// a line, or anywhere when the key is `fio version` (an ETA line without its end stands before
/// some documents, an array or another object around others).
pub(super) fn next_start(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr(b'{', rest)) {
        let start = at + found;
        let first_in_line = text[..start]
            .iter()
            .rev()
            .take_while(|&&c| c != b'\n' && c != b'\r')
            .all(u8::is_ascii_whitespace);
        let key = after_blanks(&text[start + 1..]);
        if key.starts_with(VERSION_KEY) || (first_in_line && key.first() == Some(&b'"')) {
            return Some(start);
        }
        // Blanks in front of the key were looked at; no brace can hide among them.
        at = start + 1;
    }
    None
}

/// True when another document of fio begins inside of the one in `text`.
pub(super) fn holds_another(text: &[u8]) -> bool {
    memmem::find_iter(text, VERSION_KEY).any(|key| {
        let before = text[..key].trim_ascii_end();
        before.len() > 1 && before.ends_with(b"{")
    })
}

fn after_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|c| c.is_ascii_whitespace()).count();
    &text[blanks..]
}

/// Where a document ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Behind its closing brace.
    Closed(usize),
    /// At the first byte of another fio document: this one was cut.
    Interrupted(usize),
    /// At the end of the file: this one was cut.
    Missing,
}

/// Softens the document that starts at `start` and finds its end.
///
/// `nan`, `-nan(ind)`, `inf` and the like become an empty string of the same width, which reads
/// as an absent figure; each counts one in `absent`. Control characters inside strings become
/// blanks, a backslash that escapes nothing becomes a slash.
pub(super) fn soften(text: &mut [u8], start: usize, absent: &mut u64) -> End {
    let mut depth = 0usize;
    let mut at = start;
    while let Some(&c) = text.get(at) {
        match c {
            b'{' if at > start && after_blanks(&text[at + 1..]).starts_with(VERSION_KEY) => {
                return End::Interrupted(at);
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return End::Closed(at + 1);
                }
            }
            b'"' => match soften_string(text, at + 1) {
                StringEnd::Closed(end) => {
                    at = end;
                    continue;
                }
                StringEnd::Interrupted(end) => return End::Interrupted(end),
                StringEnd::Missing => return End::Missing,
            },
            _ if is_word_byte(c) => {
                let width = text[at..].iter().take_while(|&&c| is_word_byte(c)).count();
                let word = &mut text[at..at + width];
                if is_no_number(word) {
                    word.fill(b' ');
                    // Two bytes at least: every such word is as long as `nan`.
                    word[..2].copy_from_slice(b"\"\"");
                    *absent += 1;
                }
                at += width;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    End::Missing
}

enum StringEnd {
    /// Behind the closing quote.
    Closed(usize),
    Interrupted(usize),
    Missing,
}

fn soften_string(text: &mut [u8], start: usize) -> StringEnd {
    let mut at = start;
    while let Some(&c) = text.get(at) {
        match c {
            b'"' => return StringEnd::Closed(at + 1),
            // Quotes inside strings are escaped, so this can only be the next document.
            b'{' if after_blanks(&text[at + 1..]).starts_with(VERSION_KEY) => {
                return StringEnd::Interrupted(at);
            }
            b'\\' => {
                if escapes(&text[at + 1..]) {
                    at += 1;
                } else {
                    text[at] = b'/';
                }
            }
            c if c < 0x20 => text[at] = b' ',
            _ => {}
        }
        at += 1;
    }
    StringEnd::Missing
}

/// True when the bytes behind a backslash make it an escape.
fn escapes(rest: &[u8]) -> bool {
    match rest {
        [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => true,
        [b'u', a, b, c, d, ..] => [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()),
        _ => false,
    }
}

fn is_word_byte(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.' | b'#' | b'(' | b')')
}

/// True for what C libraries print in place of a number: `nan`, `-nan`, `-nan(ind)`, `inf`, `1.#IND00`.
fn is_no_number(word: &[u8]) -> bool {
    let holds = |part: &[u8]| word.windows(part.len()).any(|w| w.eq_ignore_ascii_case(part));
    word.len() >= 2 && (holds(b"nan") || holds(b"inf") || holds(b".#"))
}

/// Line and column of a byte, both from 1.
pub(super) fn position(text: &[u8], offset: usize) -> (u64, u64) {
    let before = &text[..offset.min(text.len())];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    (line as u64, (before.len() - line_start + 1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn softened(text: &str) -> (String, End, u64) {
        let mut bytes = text.as_bytes().to_vec();
        let mut absent = 0;
        let end = soften(&mut bytes, 0, &mut absent);
        (String::from_utf8_lossy(&bytes).into_owned(), end, absent)
    }

    #[test]
    fn words_in_place_of_numbers_become_empty_strings_of_the_same_width() {
        let (text, end, absent) = softened(r#"{"a" : -nan, "b":inf,"c":-nan(ind),"d":1.#QNAN0,"nan":true}"#);
        assert_eq!(text, r#"{"a" : ""  , "b":"" ,"c":""       ,"d":""      ,"nan":true}"#);
        assert_eq!((end, absent), (End::Closed(text.len()), 4));
    }

    #[test]
    fn strings_lose_control_characters_and_single_backslashes() {
        let (text, _, _) = softened("{\"a\":\"x\ty\\:z\\\"q\\\\\"}");
        assert_eq!(text, "{\"a\":\"x y/:z\\\"q\\\\\"}");
    }

    #[test]
    fn braces_inside_strings_do_not_count() {
        assert_eq!(softened(r#"{"a":"}{"} tail"#).1, End::Closed(10));
    }

    #[test]
    fn a_document_inside_an_open_one_cuts_it() {
        assert_eq!(softened("{\"a\":{\n{\n\"fio version\":1}").1, End::Interrupted(7));
        assert_eq!(softened("{\"a\":\"cut he{\"fio version\":1}").1, End::Interrupted(12));
        assert_eq!(softened("{\"a\":{").1, End::Missing);
    }

    #[test]
    fn documents_start_lines_or_with_the_version() {
        assert_eq!(next_start(b"note: {x}\n  { \"a\":1}", 0), Some(12));
        assert_eq!(next_start(b"[r(1)][100%]{\"fio version\":1}", 0), Some(12));
        assert_eq!(next_start(b"x {\"a\":1}", 0), None);
        assert_eq!(next_start(b"eta\r{\"a\":1}", 0), Some(4));
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        assert_eq!(position(b"ab\ncd", 0), (1, 1));
        assert_eq!(position(b"ab\ncd", 4), (2, 2));
        assert_eq!(position(b"ab\ncd", 99), (2, 3));
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(lossy(b"a\xe4b".to_vec()), "a\u{fffd}b".as_bytes());
    }
}
