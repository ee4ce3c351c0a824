//! Finds absolute paths and known names in a text.

/// Where a text comes from, which decides where a path in it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A sentence: a path ends at a blank.
    Text,
    /// A value: a path that it begins with may hold blanks, and colons separate several.
    Value,
    /// The same, of files: the last part is a name, no place.
    File,
}

impl Kind {
    /// By fio's option (HOWTO, "Target file/device" and "Measurements and reporting").
    pub(super) fn of_option(key: &str) -> Kind {
        match key {
            "filename" | "read_iolog" | "write_iolog" | "mem_file" => Kind::File,
            key if key.starts_with("write_") && key.ends_with("_log") => Kind::File,
            _ => Kind::Value,
        }
    }
}

/// A name to look for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word {
    /// As it stands in texts, in lower case.
    pub(super) text: String,
    /// The name in full.
    pub(super) name: String,
    /// `host` or `user`.
    pub(super) kind: &'static str,
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Nothing to take out.
    Plain(&'a str),
    /// A known name.
    Word(&'a Word),
    /// An absolute path that is no device.
    Path {
        /// All of it.
        whole: &'a str,
        /// The place: all of it, or what stands before the name.
        folder: &'a str,
        /// The last part where that is a file's name.
        name: Option<&'a str>,
    },
}

/// Takes a text apart; the longest of `words` come first.
pub(super) fn scan<'a>(text: &'a str, kind: Kind, words: &'a [Word], piece: &mut dyn FnMut(Piece<'a>)) {
    let mut at = 0;
    let mut plain = 0;
    let mut before = None;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let found = path_length(text, at, before, kind)
            .map(|length| {
                let whole = &rest[..length];
                let (folder, name) = match whole.rfind(['/', '\\']) {
                    Some(slash) if kind == Kind::File && slash > 0 && slash + 1 < length => {
                        (&whole[..slash], Some(&whole[slash + 1..]))
                    }
                    _ => (whole.trim_end_matches(['/', '\\']), None),
                };
                (
                    length,
                    if is_device(whole) { Piece::Plain(whole) } else { Piece::Path { whole, folder, name } },
                )
            })
            .or_else(|| word_at(rest, before, words).map(|word| (word.text.len(), Piece::Word(word))));
        match found {
            Some((length, found)) => {
                if plain < at {
                    piece(Piece::Plain(&text[plain..at]));
                }
                piece(found);
                before = rest[..length].chars().next_back();
                at += length;
                plain = at;
            }
            None => {
                before = Some(next);
                at += next.len_utf8();
            }
        }
    }
    if plain < at {
        piece(Piece::Plain(&text[plain..at]));
    }
}

/// The known word that a text begins with and that ends there.
///
/// Separators are equal: dimensions and file names write `db1-example-org` for `db1.example.org`.
fn word_at<'w>(rest: &str, before: Option<char>, words: &'w [Word]) -> Option<&'w Word> {
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let plain = |c: char| if "._- ".contains(c) { '-' } else { c };
    words.iter().find(|Word { text, .. }| {
        let here = rest.get(..text.len()).is_some_and(|here| {
            here.chars().flat_map(char::to_lowercase).map(plain).eq(text.chars().map(plain))
        });
        here && !rest[text.len()..].starts_with(char::is_alphanumeric)
    })
}

/// The length of the absolute path that starts at `at`, in bytes.
fn path_length(text: &str, at: usize, before: Option<char>, kind: Kind) -> Option<usize> {
    let rest = &text[at..];
    let opens = match before {
        None => true,
        Some('/') => text[..at].ends_with("file://"),
        Some(before) => before.is_whitespace() || "\"'`=:,;([{<>|@".contains(before),
    };
    let root = root_length(rest).filter(|_| opens)?;
    let in_part = |c: &char| c.is_alphanumeric() || "._-~%+@#$ ".contains(*c);
    rest[root..].chars().next().filter(|c| in_part(c) && *c != ' ')?;
    // A value that begins with a path, or one behind a colon, is nothing but paths.
    let value = kind != Kind::Text && matches!(before, None | Some(':'));
    let mut escaped = false;
    let mut length = rest.len();
    for (offset, c) in rest.char_indices().skip_while(|(offset, _)| *offset < root) {
        let ends = match c {
            ':' => !escaped,
            _ if value => c.is_control(),
            c => c.is_whitespace() || "\"'`,;)]}<>|".contains(c),
        };
        if ends {
            length = offset;
            break;
        }
        escaped = c == '\\';
    }
    let path = &rest[..length];
    // The full stop of a sentence is no part of a name.
    Some(if value { path.len() } else { path.trim_end_matches(['.', '?', '!']).len() })
}

/// The length of what makes a path absolute: `/`, `C:\` (`C\:\` as fio escapes it), `\\`.
fn root_length(rest: &str) -> Option<usize> {
    match rest.as_bytes() {
        [b'/', ..] => Some(1),
        [b'\\', b'\\', next, ..] if *next != b'\\' => Some(2),
        [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic() => Some(3),
        [drive, b'\\', b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic() => Some(4),
        _ => None,
    }
}

fn is_device(path: &str) -> bool {
    path == "/dev" || path.starts_with("/dev/") || path.starts_with("\\\\.\\")
}

/// The user in whose home directory a path lies.
pub(super) fn owner(path: &str) -> Option<String> {
    let mut parts = path.split(['/', '\\']).filter(|part| !part.is_empty());
    parts.find(|part| ["home", "users"].contains(&part.to_lowercase().as_str()))?;
    parts.next().map(str::to_owned)
}
