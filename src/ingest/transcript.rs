//! What the readers of tools that print a few lines share: lines, commands, headings and stamps of a transcript.
//!
//! In: a text in which outputs of several tools may stand between prompts, dates and
//! anything else. Out: its lines with what they are to nobody's tool: a command, a
//! heading, a time stamp. Nothing here reads a figure.

use super::{Claim, Format, Head, Remark, RunPart, labels};
use super::{dd, hdparm, ioping};
use crate::model::{Dimension, Severity, Value};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A pattern that is known to compile; one that did not would match nothing.
pub(super) type Pattern = LazyLock<Option<Regex>>;

/// Longest text that serves as a heading, characters.
const LONGEST_HEADING: usize = 80;

/// A line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Counted from 1; the parts of a line that a carriage return overwrites share one.
    pub(super) number: u64,
    /// Without its end.
    pub(super) text: &'a str,
    /// True for what a terminal shows for a moment only: one of several texts between carriage returns.
    pub(super) overwritten: bool,
}

/// Takes a text apart at line feeds, and lines at carriage returns.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let text = text.trim_start_matches('\u{feff}');
    // Without any line feed, carriage returns are the ends of lines.
    let (end, inner) = if text.contains('\n') { ('\n', '\r') } else { ('\r', '\n') };
    (1..).zip(text.split(end)).flat_map(move |(number, line)| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let overwritten = line.contains(inner);
        line.split(inner).filter(move |part| !overwritten || !part.trim().is_empty()).map(move |text| Line {
            number,
            text,
            overwritten,
        })
    })
}

/// The command in a line, from the tool's name up to the end of its words; None when the line calls another tool or none.
///
/// A prompt, `sudo`, `time` and other commands may stand before it. `first` says
/// whether a word can be the first argument, so that prose about the tool is no command.
pub(super) fn command<'a>(line: &'a str, tool: &str, first: fn(&str) -> bool) -> Option<&'a str> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(tool) {
        let start = from + at;
        let behind = start + tool.len();
        let begins = line[..start]
            .chars()
            .next_back()
            .is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '=')));
        let rest = line.get(behind..)?;
        if begins
            && rest.starts_with(' ')
            && let Some(word) = rest.split_whitespace().next()
            && first(word)
        {
            let end = rest.find([';', '|', '&', '>']).unwrap_or(rest.len());
            // A note behind the command: `(run 3 times)`.
            let end = rest.find(" (").map_or(end, |note| note.min(end));
            return Some(line[start..behind + end].trim());
        }
        from = behind;
    }
    None
}

/// The words of a heading; None for a line that is none.
///
/// A heading is set off by signs (`=== RAID 5 ===`, `# cached`) or ends with a colon.
pub(super) fn heading(line: &str) -> Option<&str> {
    let sign = |c: char| matches!(c, '=' | '#' | '-' | '*' | '_' | '~' | '>' | '+');
    let line = line.trim();
    let inner = line.trim_matches(|c: char| sign(c) || c.is_whitespace());
    let inner = inner.strip_suffix(':').map_or(inner, str::trim_end);
    // `# ` may be the prompt of root: words alone are a comment, anything of the shell's a command.
    let comment = line.starts_with("# ")
        && !inner.contains(['/', '|', ';', '&', '$', '<', '>', '=', '"', '\''])
        && !inner.split_whitespace().any(|word| word.starts_with('-'))
        && inner.split_whitespace().count() > 1;
    let decorated = comment || line.chars().take_while(|&c| sign(c)).count() >= 2;
    let fits = inner.chars().count() <= LONGEST_HEADING && inner.chars().any(char::is_alphabetic);
    let prose = line.ends_with(':') && inner.split_whitespace().count() <= 8 && !inner.contains('=');
    ((decorated || prose) && fits && !inner.starts_with('/')).then_some(inner)
}

/// Unix time in s of a line that is a time stamp and nothing else.
///
/// `160425-011752`, `20160425_011752`, `2016-04-25 01:17:52`, `date`'s own
/// `Mon Apr 25 01:17:52 UTC 2016`, seconds since the epoch. Zones are passed over:
/// only distances between the stamps of one text count.
pub(super) fn stamp(line: &str) -> Option<u64> {
    static DIGITS: Pattern = LazyLock::new(|| {
        Regex::new(r"^([0-9]{2}|[0-9]{4})[-/]?([0-9]{2})[-/]?([0-9]{2})[-_T ]([0-9]{2}):?([0-9]{2}):?([0-9]{2})(?:[.,][0-9]+)?(?:Z| ?[-+][0-9]{2}:?[0-9]{2})?$").ok()
    });
    static DATE: Pattern = LazyLock::new(|| {
        Regex::new(r"^[A-Z][a-z]{2},? ([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) (?:\S+ )?([0-9]{4})$").ok()
    });
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let line = line.trim();
    if line.len() == 10 && line.bytes().all(|c| c.is_ascii_digit()) && line.starts_with('1') {
        return line.parse().ok();
    }
    if let Some(found) = DIGITS.as_ref()?.captures(line) {
        let part = |index: usize| found.get(index).and_then(|text| text.as_str().parse::<u64>().ok());
        let year = part(1)?;
        let year = if year < 100 { 2000 + year } else { year };
        return seconds(year, part(2)?, part(3)?, part(4)?, part(5)?, part(6)?);
    }
    let found = DATE.as_ref()?.captures(line)?;
    let part = |index: usize| found.get(index).map(|text| text.as_str());
    let number = |index: usize| part(index).and_then(|text| text.parse::<u64>().ok());
    let month = MONTHS.find(part(1)?).filter(|at| at % 3 == 0)? as u64 / 3 + 1;
    seconds(number(6)?, month, number(2)?, number(3)?, number(4)?, number(5)?)
}

/// Seconds from 1970 on; None for what is no date of the Gregorian calendar since then.
fn seconds(year: u64, month: u64, day: u64, hour: u64, minute: u64, second: u64) -> Option<u64> {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let months = *BEFORE.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let before = year - 1;
    let leap_days = before / 4 - before / 100 + before / 400 - 477;
    let days = (year - 1970) * 365 + leap_days + months + u64::from(leap && month > 2) + day - 1;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// What stands above a block: the last command of its tool, or the last heading, whichever is nearer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Above {
    /// The command, as it stands there.
    pub(super) command: Option<String>,
    /// The heading.
    pub(super) heading: Option<String>,
    nearest: Nearest,
    /// True once a block stood under the command.
    answered: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Nearest {
    #[default]
    Command,
    Heading,
}

impl Above {
    /// A command begins: what it prints follows.
    pub(super) fn set_command(&mut self, command: &str) {
        self.command = Some(command.to_owned());
        self.nearest = Nearest::Command;
        self.answered = false;
    }

    /// For a block that begins here.
    pub(super) fn for_block(&mut self) -> Above {
        self.answered = true;
        self.clone()
    }

    /// A heading begins. A command above it is none of the blocks below it.
    ///
    /// What a command prints before its figures (`Password:`) is no heading.
    pub(super) fn set_heading(&mut self, heading: &str) {
        if self.command.is_some() && !self.answered {
            return;
        }
        self.command = None;
        self.heading = Some(heading.to_owned());
        self.nearest = Nearest::Heading;
    }

    /// The name of a block below.
    pub(super) fn label(&self) -> Option<String> {
        match self.nearest {
            Nearest::Command => self.command.clone().or_else(|| self.heading.clone()),
            Nearest::Heading => self.heading.clone(),
        }
    }
}

/// A part with the heading that it stood under.
pub(super) struct Placed {
    pub(super) part: RunPart,
    pub(super) heading: Option<String>,
}

/// Finishes the parts of one text: headings state dimensions, equal parts become numbered repeats, keys tell them apart.
pub(super) fn finish(mut placed: Vec<Placed>, kind: &str) -> Vec<RunPart> {
    let section = Dimension::Other("section".to_owned());
    let mut words: BTreeSet<String> = BTreeSet::new();
    for Placed { part, heading } in &mut placed {
        let Some(heading) = heading else { continue };
        let stated = labels::from_file_stem(heading);
        for (dimension, entry) in stated.dimensions {
            part.dimensions.entry(dimension).or_insert(entry.value);
        }
        *heading = stated.leftover;
        words.insert(heading.clone());
    }
    if words.len() > 1 {
        for Placed { part, heading } in &mut placed {
            let Some(heading) = heading.as_ref().filter(|text| !text.is_empty()) else { continue };
            part.dimensions.insert(section.clone(), Value::canonical(&section, heading));
        }
    }
    let mut parts: Vec<RunPart> = placed.into_iter().map(|placed| placed.part).collect();
    number_repeats(&mut parts);
    let single = parts.len() == 1;
    for (index, part) in parts.iter_mut().enumerate() {
        part.first_log_number = 1;
        if part.key.is_empty() && !single {
            part.key = format!("{kind}{}", index + 1);
        }
    }
    unique_keys(&mut parts);
    parts
}

/// Parts with equal dimensions and options are repeats, numbered from 1 in the order of the text.
fn number_repeats(parts: &mut [RunPart]) {
    type Conditions = (BTreeMap<Dimension, Value>, BTreeMap<String, String>);
    let mut equal: BTreeMap<Conditions, Vec<usize>> = BTreeMap::new();
    for (index, part) in parts.iter().enumerate() {
        let options = part.jobs.first().map(|job| job.options.clone()).unwrap_or_default();
        equal.entry((part.dimensions.clone(), options)).or_default().push(index);
    }
    for repeats in equal.into_values().filter(|indices| indices.len() > 1) {
        for (number, index) in (1..).zip(repeats) {
            let value = Value::canonical(&Dimension::Repeat, &format!("{number}"));
            parts[index].dimensions.entry(Dimension::Repeat).or_insert(value);
        }
    }
}

/// Numbers the keys that occur more than once.
fn unique_keys(parts: &mut [RunPart]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts.iter() {
        *count.entry(part.key.clone()).or_default() += 1;
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts.iter_mut().filter(|part| count.get(&part.key).is_some_and(|&n| n > 1)) {
        let number = seen.entry(part.key.clone()).or_default();
        *number += 1;
        part.key = format!("{}{number}", part.key);
    }
}

/// Says how many lines of a text belong to none of the tools that print a few lines; the first reader that takes the text says it.
pub(super) fn passed_over(text: &str, reader: &str) -> Option<Remark> {
    type Reader = (&'static dyn Format, fn(&str) -> bool);
    let readers: [Reader; 3] =
        [(&dd::Dd, dd::owns), (&hdparm::Hdparm, hdparm::owns), (&ioping::Ioping, ioping::owns)];
    let head = Head { name: "", bytes: text.as_bytes(), whole: true };
    let first = readers.iter().find(|(format, _)| format.detect(&head).is_some())?;
    if first.0.name() != reader {
        return None;
    }
    let is_foreign = |line: &Line<'_>| {
        let text = line.text.trim();
        !text.is_empty()
            && heading(text).is_none()
            && stamp(text).is_none()
            && !readers.iter().any(|(_, owns)| owns(line.text))
    };
    let foreign = lines(text).filter(is_foreign).count();
    let s = if foreign == 1 { "" } else { "s" };
    let verb = if foreign == 1 { "is" } else { "are" };
    (foreign > 0).then(|| {
        Remark::new(
            Severity::Info,
            format!("{foreign} line{s} {verb} none of dd's, hdparm's or ioping's; passed over"),
        )
    })
}

/// A claim for `count` things found, `one` or `many` of them.
pub(super) fn claim(count: usize, one: &str, many: &str, example: &str) -> Option<Claim> {
    let what = if count == 1 { one } else { many };
    (count > 0).then(|| Claim { reason: format!("{count} {what}: `{}`", example.trim()) })
}

/// A number with a decimal point or a decimal comma.
pub(super) fn decimal(text: &str) -> Option<f64> {
    text.replace(',', ".").parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_between_carriage_returns_are_overwritten() {
        let found: Vec<_> = lines("a\r\n\rb\rc\nd").map(|l| (l.number, l.text, l.overwritten)).collect();
        assert_eq!(found, [(1, "a", false), (2, "b", true), (2, "c", true), (3, "d", false)]);
        let old: Vec<_> = lines("a\rb").map(|l| (l.text, l.overwritten)).collect();
        assert_eq!(old, [("a", false), ("b", false)]);
    }

    #[test]
    fn a_command_begins_at_the_tools_name_whatever_stands_before_it() {
        let operand = |word: &str| word.contains('=');
        let dd = |line| command(line, "dd", operand);
        assert_eq!(dd("xen:/var/log# time dd if=/dev/sda bs=256k"), Some("dd if=/dev/sda bs=256k"));
        assert_eq!(
            dd("$ sync; dd of=f if=/dev/zero bs=1M (run 3 times)"),
            Some("dd of=f if=/dev/zero bs=1M")
        );
        assert_eq!(dd("/bin/dd if=/dev/zero bs=1M | md5sum"), Some("dd if=/dev/zero bs=1M"));
        assert_eq!(dd("we add dd to the list"), None);
        assert_eq!(dd("git add a=b"), None);
    }

    #[test]
    fn headings_are_set_off_or_end_with_a_colon() {
        assert_eq!(heading("=== runc I/O ==="), Some("runc I/O"));
        assert_eq!(heading("RAID 5, write:"), Some("RAID 5, write"));
        assert_eq!(heading("# cached reads"), Some("cached reads"));
        assert_eq!(heading("/dev/sda:"), None);
        assert_eq!(heading("-----"), None);
        assert_eq!(heading("Filesystem     1K-blocks    Used"), None);
    }

    #[test]
    fn stamps_of_scripts_are_told_from_numbers() {
        // date -u -d '2016-04-25 01:17:52' +%s
        for text in ["160425-011752", "2016-04-25 01:17:52", "Mon Apr 25 01:17:52 UTC 2016", "1461547072"] {
            assert_eq!(stamp(text), Some(1_461_547_072), "{text}");
        }
        // date -u -d '2000-03-01 00:00:00' +%s
        assert_eq!(stamp("20000301-000000"), Some(951_868_800));
        for text in ["100 17430 5737 23499713 170 174 211 5", "20161325-011752", "1.5", ""] {
            assert_eq!(stamp(text), None, "{text}");
        }
    }
}
