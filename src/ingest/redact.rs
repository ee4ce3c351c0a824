//! Takes names of hosts, users and places out of what was read, before anything is made of it.
//!
//! In: runs, files and remarks. Out: the same with placeholders (`host1`, `user1`, `path1`),
//! the same one for the same name everywhere, numbered in the natural order of the names that
//! occur, so that neither this machine nor the order of reading shows. Hosts are what outputs,
//! logs and dimensions call so; users are who owns a home directory; paths are absolute ones, of
//! which devices (`/dev/...`) stay. A name that no input states as such is not known here.

mod scan;
#[cfg(test)]
mod tests;

use crate::ingest::{Ingested, LogName};
use crate::model::{Diagnostic, Dimension, DimensionEntry, FileReport, Run, Value, natural_order};
use scan::{Kind, Piece, Word, scan};
use std::collections::{BTreeMap, BTreeSet};

/// Names of accounts that tell nobody apart, and are words of reports.
const COMMON_ACCOUNTS: [&str; 12] = [
    "admin",
    "bench",
    "benchmark",
    "fio",
    "guest",
    "public",
    "root",
    "runner",
    "shared",
    "test",
    "user",
    "users",
];

/// What stands for what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redactor {
    /// What to look for, the longest first.
    words: Vec<Word>,
    /// Placeholders of the names that occur, by the name in full.
    names: BTreeMap<String, String>,
    /// Placeholders of absolute paths.
    paths: BTreeMap<String, String>,
}

/// Redacts all that is known of the inputs.
///
/// `elsewhere` are texts that do not leave and may still tell who a user is, such as the inputs'
/// paths as they were typed. What it returns redacts further texts in the same way.
pub fn redact(ingested: &mut Ingested, elsewhere: &[String]) -> Redactor {
    let mut redactor = Redactor::known(ingested, elsewhere);
    let mut used = Used::default();
    each_text(ingested, &mut |text, kind| used.look(&redactor, text, kind));
    redactor.number(&used);
    each_text(ingested, &mut |text, kind| *text = redactor.apply(text, kind));
    // A host in full in one folder's name and in short in another's has made them equal.
    let mut ids = BTreeSet::new();
    for run in &mut ingested.runs {
        while !ids.insert(run.id.clone()) {
            run.id.push('~');
        }
    }
    redactor
}

/// The names that occur.
#[derive(Default)]
struct Used {
    names: BTreeMap<String, &'static str>,
    paths: BTreeSet<String>,
    /// Words that look like placeholders.
    taken: BTreeSet<String>,
}

impl Used {
    fn look(&mut self, redactor: &Redactor, text: &str, kind: Kind) {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            if letters.len() < word.len() && ["host", "user", "path"].contains(&letters) {
                self.taken.insert(word.to_owned());
            }
        }
        scan(text, kind, &redactor.words, &mut |piece| match piece {
            Piece::Plain(_) => {}
            Piece::Word(word) => drop(self.names.insert(word.name.clone(), word.kind)),
            Piece::Path { folder, .. } => drop(self.paths.insert(folder.to_owned())),
        });
    }
}

impl Redactor {
    /// The names that the inputs state.
    fn known(ingested: &mut Ingested, elsewhere: &[String]) -> Redactor {
        let mut hosts: BTreeSet<String> = ingested.runs.iter().flat_map(hosts).collect();
        hosts.extend(ingested.files.iter().filter_map(|file| {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            LogName::parse(name)?.host
        }));
        let mut users: BTreeSet<String> = ingested.runs.iter().flat_map(accounts).collect();
        let mut look = |text: &str, kind: Kind| {
            scan(text, kind, &[], &mut |piece| {
                if let Piece::Path { whole, .. } = piece {
                    users.extend(scan::owner(whole));
                }
            });
        };
        elsewhere.iter().for_each(|text| look(text, Kind::Value));
        each_text(ingested, &mut |text, kind| look(text, kind));

        let mut words: Vec<Word> = Vec::new();
        for user in users.iter().map(|user| user.to_lowercase()) {
            if is_name(&user) && !COMMON_ACCOUNTS.contains(&user.as_str()) {
                words.push(Word { text: user.clone(), name: user, kind: "user" });
            }
        }
        for host in hosts.iter().map(|host| host.trim().to_lowercase()) {
            // `db1` of `db1.example.org` is the host as well; an address has no short form.
            if let Some((short, _)) = host.split_once('.')
                && is_name(short)
                && !host.starts_with(|c: char| c.is_ascii_digit())
            {
                words.push(Word { text: short.to_owned(), name: host.clone(), kind: "host" });
            }
            if is_name(&host) && host != "localhost" {
                words.push(Word { text: host.clone(), name: host, kind: "host" });
            }
        }
        // A name in full goes before the same as the short form of another.
        words.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then_with(|| a.cmp(b)));
        words.dedup_by(|later, first| later.text == first.text);
        Redactor { words, ..Redactor::default() }
    }

    /// Gives the names that occur their placeholders, in natural order.
    fn number(&mut self, used: &Used) {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut next = |kind: &str| loop {
            let count = counts.entry(kind.to_owned()).or_default();
            *count += 1;
            let placeholder = format!("{kind}{count}");
            // A folder that is called `host1` already is another one.
            if !used.taken.contains(&placeholder) || used.names.contains_key(&placeholder) {
                break placeholder;
            }
        };
        let mut names: Vec<(&String, &'static str)> =
            used.names.iter().map(|(name, kind)| (name, *kind)).collect();
        names.sort_by(|(a, _), (b, _)| natural_order(a, b));
        self.names = names.into_iter().map(|(name, kind)| (name.clone(), next(kind))).collect();
        let mut paths: Vec<&String> = used.paths.iter().collect();
        paths.sort_by(|a, b| natural_order(a, b));
        self.paths = paths.into_iter().map(|path| (path.clone(), next("path"))).collect();
    }

    /// A text of any kind, redacted.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.apply(text, Kind::Text)
    }

    /// A name of a file or run, redacted.
    #[must_use]
    pub fn name(&self, text: &str) -> String {
        self.apply(text, Kind::Value)
    }

    /// A value of a dimension, redacted.
    #[must_use]
    pub fn value(&self, dimension: &Dimension, value: &Value) -> Value {
        Value::canonical(dimension, &self.apply(value.as_str(), Kind::Value))
    }

    fn apply(&self, text: &str, kind: Kind) -> String {
        let mut redacted = String::with_capacity(text.len());
        scan(text, kind, &self.words, &mut |piece| match piece {
            Piece::Plain(plain) => redacted.push_str(plain),
            // A name that occurs in no input has no number.
            Piece::Word(word) => {
                redacted.push_str(self.names.get(&word.name).map_or(word.kind, String::as_str))
            }
            Piece::Path { folder, name, .. } => {
                redacted.push_str(self.paths.get(folder).map_or("path", String::as_str));
                if let Some(name) = name {
                    redacted.push('/');
                    redacted.push_str(&self.apply(name, Kind::Text));
                }
            }
        });
        redacted
    }
}

/// True for what can be told from a number or a letter in a text.
fn is_name(name: &str) -> bool {
    name.len() > 1 && name.contains(|c: char| !c.is_ascii_digit())
}

/// The hosts that a run names.
fn hosts(run: &Run) -> Vec<String> {
    let mut hosts: Vec<String> = run.jobs.iter().filter_map(|job| job.host.clone()).collect();
    hosts.extend(run.value(&Dimension::Host).map(|host| host.as_str().to_owned()));
    for (key, text) in &run.environment {
        let key = key.to_lowercase();
        let words = text.split([',', ' ', ';']).filter(|word| !word.is_empty()).map(str::to_owned);
        if key == "uname" {
            // `Linux db1 6.1.0 ...`
            hosts.extend(words.skip(1).take(1));
        } else if key.contains("host") || key == "node" || key == "nodename" {
            hosts.extend(words);
        }
    }
    hosts
}

/// The users that a run names.
fn accounts(run: &Run) -> Vec<String> {
    let named = |(key, _): &(&String, &String)| {
        let key = key.to_lowercase();
        ["user", "username", "login", "account", "owner"].contains(&key.as_str())
    };
    run.environment.iter().filter(named).map(|(_, user)| user.trim().to_owned()).collect()
}

/// Calls `f` on every text that leaves.
fn each_text(ingested: &mut Ingested, f: &mut dyn FnMut(&mut String, Kind)) {
    for run in &mut ingested.runs {
        each_of_run(run, f);
    }
    for file in &mut ingested.files {
        each_of_file(file, f);
    }
    for remark in &mut ingested.diagnostics {
        each_of_remark(remark, f);
    }
}

fn each_of_run(run: &mut Run, f: &mut dyn FnMut(&mut String, Kind)) {
    let Run { id, label, tool: _, sources, dimensions, options, environment, jobs, series: _, summaries: _ } =
        run;
    f(id, Kind::Value);
    f(label, Kind::Value);
    sources.iter_mut().for_each(|source| f(&mut source.path, Kind::Value));
    each_of_dimensions(dimensions, f);
    options.iter_mut().for_each(|(key, value)| f(value, Kind::of_option(key)));
    environment.values_mut().for_each(|text| f(text, Kind::Text));
    for job in jobs {
        f(&mut job.name, Kind::Value);
        job.host.iter_mut().for_each(|host| f(host, Kind::Value));
        job.options.iter_mut().for_each(|(key, value)| f(value, Kind::of_option(key)));
    }
}

fn each_of_file(file: &mut FileReport, f: &mut dyn FnMut(&mut String, Kind)) {
    f(&mut file.path, Kind::Value);
    f(&mut file.reason, Kind::Text);
    file.layout.iter_mut().for_each(|layout| f(layout, Kind::Text));
    file.run.iter_mut().for_each(|run| f(run, Kind::Value));
    each_of_dimensions(&mut file.dimensions, f);
    file.diagnostics.iter_mut().for_each(|remark| each_of_remark(remark, f));
}

fn each_of_remark(remark: &mut Diagnostic, f: &mut dyn FnMut(&mut String, Kind)) {
    f(&mut remark.path, Kind::Value);
    f(&mut remark.message, Kind::Text);
}

fn each_of_dimensions(
    dimensions: &mut BTreeMap<Dimension, DimensionEntry>,
    f: &mut dyn FnMut(&mut String, Kind),
) {
    for (dimension, entry) in dimensions {
        let mut text = entry.value.as_str().to_owned();
        f(&mut text, Kind::Value);
        if text != entry.value.as_str() {
            entry.value = Value::canonical(dimension, &text);
        }
    }
}
