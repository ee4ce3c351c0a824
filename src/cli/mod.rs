//! The command line: arguments in, an exit code out.
//!
//! `args` holds what was typed, `config` what was meant: flags over
//! plotgen.toml over defaults. `run` calls the stages in their order. All that
//! a person or a script reads on standard output and error is written below here.

mod args;
mod changes;
mod charts;
mod checks;
mod config;
mod output;
mod pictures;
mod quantity;
mod rerun;
mod run;
mod tables;
mod talk;
mod threads;

use crate::model::text::nearest;
use args::{Args, Command};
use clap::{CommandFactory, Parser};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use talk::Talk;

/// How a command ended, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    /// Done.
    Done = 0,
    /// Written, but an input was missing, or recognised and broken.
    Partial = 1,
    /// Wrong usage, nothing readable, or nothing written.
    Nothing = 2,
    /// `compare`: the new results are worse.
    Regression = 3,
    /// A check found something at the level at which it fails.
    Finding = 4,
    /// `compare --fail-inconclusive`: the repeats do not decide.
    Inconclusive = 5,
}

/// Why nothing was written; the text says what was expected, found, and to do. Empty where that was said before.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failure(String);

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    /// A failure whose reasons stand on standard error already.
    fn told() -> Self {
        Failure(String::new())
    }
}

/// Runs the command line `args`, the program's name first, and returns its exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let parsed = Args::try_parse_from(&args);
    if let Some(message) = mistyped_command(&args, parsed.as_ref().ok()) {
        Talk::default().failure(&message);
        return Exit::Nothing as u8;
    }
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version go to standard output with code 0, all else to standard error with 2.
            // A closed pipe is no reason to fail.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(Exit::Nothing as u8);
        }
    };
    match dispatch(parsed) {
        Ok(exit) => exit as u8,
        Err(Failure(message)) => {
            if !message.is_empty() {
                Talk::default().failure(&message);
            }
            Exit::Nothing as u8
        }
    }
}

fn dispatch(args: Args) -> Result<Exit, Failure> {
    match args.command.unwrap_or(Command::Report(args.report)) {
        Command::Report(args) => run::report(&args),
        Command::Chart(args) => run::chart(&args),
        Command::Charts(args) => run::charts(&args),
        Command::Summary(args) => run::summary(&args),
        Command::Inspect(args) => run::inspect(&args),
        Command::Ingest(args) => run::ingest(&args),
        Command::Check(args) => run::check(&args),
        Command::Compare(args) => run::compare(&args),
        Command::Formats => output::to_stdout(tables::formats().as_bytes()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "plotgen", &mut script);
            output::to_stdout(&script)
        }
        Command::Man { command } => output::to_stdout(&man(command.as_deref())?),
    }
}

/// The manual page of the program or of one subcommand.
fn man(command: Option<&str>) -> Result<Vec<u8>, Failure> {
    let mut program = Args::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => {
            let names = command_names();
            program.find_subcommand(name).cloned().ok_or_else(|| {
                let near = nearest(name, &names).map(|near| format!("; did you mean `{near}`?"));
                Failure(format!(
                    "no subcommand `{name}`{}",
                    near.unwrap_or_else(|| format!("; there are {}", names.join(", ")))
                ))
            })?
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff).map_err(|error| Failure(error.to_string()))?;
    Ok(roff)
}

fn command_names() -> Vec<String> {
    Args::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// A message when the first word is no file and almost a subcommand, or is one in the wrong place.
///
/// Without it the word would be an input that does not exist, and a report of the others would be written.
fn mistyped_command(args: &[OsString], parsed: Option<&Args>) -> Option<String> {
    let first = args.get(1).and_then(|word| word.to_str())?;
    // Most first words are options or inputs that exist; to ask for the names of all commands takes a while.
    if !first.starts_with('-') && Path::new(first).exists() {
        return None;
    }
    let names = command_names();
    if names.iter().any(|name| name == first) || first == "help" {
        return None;
    }
    let word = first_word(args, parsed, &names)?;
    // What looks like a path is an input, and is missed as one.
    if Path::new(word).exists() || !word.bytes().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    if names.iter().any(|name| name == word) {
        return Some(format!(
            "`{word}` is a subcommand and comes first: `plotgen {word} ...`; for an input of that name write `./{word}`"
        ));
    }
    // Any other word is an input that is missed, as scripts that name several count on.
    let near = nearest(word, &names)?;
    Some(format!(
        "no file or subcommand `{word}`; did you mean `plotgen {near}`? For an input of that name write `./{word}`"
    ))
}

/// The word that stands where the subcommand would, behind options as well: `plotgen --threads 2 summary results`.
fn first_word<'a>(args: &'a [OsString], parsed: Option<&'a Args>, names: &[String]) -> Option<&'a str> {
    let mut words = args.iter().skip(1).filter_map(|word| word.to_str());
    let first = words.next()?;
    if !first.starts_with('-') {
        return Some(first);
    }
    match parsed {
        Some(parsed) => parsed.report.inputs.inputs.first()?.to_str(),
        // An option of the subcommand, perhaps, which a report does not know.
        None => {
            let found = words.find(|word| !word.starts_with('-'))?;
            (names.iter().any(|name| name == found) && !takes_value(args, found)).then_some(found)
        }
    }
}

/// True when `word` may be the value of the option before it.
fn takes_value(args: &[OsString], word: &str) -> bool {
    let before = args.iter().position(|arg| arg == word).and_then(|at| args.get(at.checked_sub(1)?));
    !before.is_some_and(|option| {
        ["-q", "-v", "--quiet", "--verbose", "--strict", "--no-cache", "--verify"]
            .iter()
            .any(|o| option == OsStr::new(o))
    })
}
