//! What goes to standard error: diagnostics, progress, the last word.
//!
//! On a terminal coloured and wrapped; into a pipe or file one line each,
//! `severity: path:line: message`.

use crate::chart::tells_of_pooling;
use crate::model::{Diagnostic, Severity};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::env;
use std::io::{self, IsTerminal, Write};

/// Remarks of one kind that a terminal shows in full; of more, [`SHOWN`] and a count.
const MANY: usize = 20;
const SHOWN: usize = 3;

/// How much is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Errors.
    Quiet,
    /// Errors, warnings and the last word.
    #[default]
    Normal,
    /// Notes as well.
    Verbose,
}

/// Speaks to the user.
#[derive(Debug, Clone, Copy)]
pub(super) struct Talk {
    level: Level,
    /// Width of the terminal; None for a pipe or file.
    terminal: Option<usize>,
    colour: bool,
}

impl Default for Talk {
    fn default() -> Self {
        Talk::new(Level::Normal)
    }
}

impl Talk {
    pub(super) fn new(level: Level) -> Self {
        let terminal = io::stderr().is_terminal().then(|| {
            terminal_size::terminal_size_of(io::stderr())
                .map_or(80, |(width, _)| usize::from(width.0).clamp(40, 120))
        });
        // https://no-color.org: set and not empty.
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        Talk { level, terminal, colour: terminal.is_some() && !refused }
    }

    /// Why nothing was written.
    pub(super) fn failure(&self, message: &str) {
        self.line(Severity::Error, &clean(message));
    }

    /// The last word of a command that has written something.
    pub(super) fn done(&self, message: &str) {
        if self.level > Level::Quiet {
            print(&format!("{}\n", clean(message)));
        }
    }

    /// What a figure says of itself; runs that were pooled change its meaning.
    pub(super) fn notes(&self, name: &str, notes: &[String]) {
        if self.level == Level::Quiet {
            return;
        }
        for note in notes {
            if tells_of_pooling(note) {
                self.line(Severity::Warning, &clean(&format!("{name}: {note}")));
            } else {
                print(&clean(&format!("note: {name}: {note}\n")));
            }
        }
    }

    /// Prints remarks, under the names that the user gave the files; returns how many notes were held back.
    pub(super) fn diagnostics<'d>(
        &self,
        remarks: impl IntoIterator<Item = &'d Diagnostic, IntoIter: Clone>,
        shown: &BTreeMap<String, String>,
    ) -> usize {
        let remarks = remarks.into_iter();
        let least = match self.level {
            Level::Quiet => Severity::Error,
            Level::Normal => Severity::Warning,
            Level::Verbose => Severity::Info,
        };
        let told: Vec<&Diagnostic> = remarks.clone().filter(|remark| remark.severity >= least).collect();
        let mut kinds: BTreeMap<(Severity, String), (usize, usize)> = BTreeMap::new();
        // A pipe gets them all, of whatever kind.
        let kept = |remark: &Diagnostic| self.terminal.is_some().then(|| kind(remark));
        for kind in told.iter().filter_map(|remark| kept(remark)) {
            kinds.entry(kind).or_default().0 += 1;
        }
        let mut text = String::new();
        for remark in told {
            let (count, printed) = match kept(remark).and_then(|kind| kinds.get_mut(&kind)) {
                Some((count, printed)) => {
                    *printed += 1;
                    (*count, *printed)
                }
                None => (1, 1),
            };
            if count <= MANY || printed <= SHOWN {
                let path = shown.get(&remark.path).unwrap_or(&remark.path);
                self.add_line(remark.severity, &remark.located(path), &mut text);
            } else if printed == SHOWN + 1 {
                let rest = count - SHOWN;
                let more = format!("{rest} more like this one; the report and a pipe have them all");
                self.add_line(remark.severity, &more, &mut text);
            }
        }
        print(&text);
        remarks.filter(|remark| remark.severity < least && remark.severity == Severity::Info).count()
    }

    /// A bar that counts to `length`, on a terminal only.
    pub(super) fn progress(&self, what: &'static str, length: usize) -> ProgressBar {
        if self.level == Level::Quiet || self.terminal.is_none() {
            return ProgressBar::hidden();
        }
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let bar = ProgressBar::with_draw_target(Some(length as u64), target).with_message(what);
        match ProgressStyle::with_template("{msg} {bar:40} {pos}/{len}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }

    fn line(&self, severity: Severity, text: &str) {
        let mut line = String::new();
        self.add_line(severity, text, &mut line);
        print(&line);
    }

    /// Adds a line to what is printed together.
    fn add_line(&self, severity: Severity, text: &str, lines: &mut String) {
        let colour = match severity {
            Severity::Error => "\x1b[1;31m",
            Severity::Warning => "\x1b[1;33m",
            Severity::Info => "\x1b[1;36m",
        };
        let severity = severity.as_str();
        let (before, behind) = if self.colour { (colour, "\x1b[0m") } else { ("", "") };
        let wrap = |width| wrapped(&format!("{severity}: {text}"), width);
        let wrapped = self.terminal.map(wrap);
        let parts = match &wrapped {
            Some(wrapped) => [before, severity, behind, "", &wrapped[severity.len()..], "\n"],
            None => [before, severity, behind, ": ", text, "\n"],
        };
        lines.extend(parts);
    }
}

/// Prints lines, in one piece: standard error keeps nothing back.
fn print(lines: &str) {
    // Nobody may be listening any more; that is no reason to stop.
    let _ = io::stderr().lock().write_all(lines.as_bytes());
}

/// Remarks that differ in numbers and quoted names alone are of one kind.
fn kind(remark: &Diagnostic) -> (Severity, String) {
    let mut kind = String::with_capacity(remark.message.len());
    for (index, part) in remark.message.split('`').enumerate() {
        if index % 2 == 0 {
            kind.extend(part.chars().filter(|c| !c.is_ascii_digit()));
        }
    }
    (remark.severity, kind)
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// Breaks lines at blanks; what follows is indented.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            lines.push_str("\n    ");
            column = 4;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_wrap_at_blanks_and_long_words_stay_whole() {
        assert_eq!(wrapped("error: a/b: no such file", 14), "error: a/b: no\n    such file");
        assert_eq!(wrapped("aaaaaaaaaaaa b", 8), "aaaaaaaaaaaa\n    b");
    }

    #[test]
    fn remarks_that_differ_in_numbers_and_quoted_names_are_of_one_kind() {
        let remark = |message: &str| kind(&Diagnostic::new(Severity::Warning, "a", message));
        assert_eq!(remark("12 rows of `a` skipped"), remark("7 rows of `b` skipped"));
        assert_ne!(remark("12 rows skipped"), remark("12 rows read"));
    }
}
