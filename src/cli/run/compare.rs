//! `plotgen compare`: two sides in, a table and an exit code out.

use super::{Analysed, Session, exit};
use crate::analyze::baseline::{self, BaselineRun, report_json};
use crate::cli::args::{Against, CompareArgs};
use crate::cli::config::units_of;
use crate::cli::{Exit, Failure, changes, output};
use crate::model::{Baseline, Verdict};
use std::ffi::OsString;
use std::fs;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

/// `plotgen compare`.
pub(in crate::cli) fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?.unhashed();
    if let Some(units) = args.units {
        session.settings.pictures.units = units_of(units);
    }
    let target = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let (base, base_exit) = side(&mut session, &args.base, target)?;
    let (new, new_exit) = side(&mut session, &args.new, target)?;
    let found = baseline::compare(&base, &new, &session.settings.analyze.threshold);
    if found.changes.is_empty() {
        return Err(nothing(&found));
    }
    let bytes = changes::write(&found, args.format, session.settings.pictures.units, args.fail_inconclusive)?;
    let written = match target {
        Some(target) => output::to_file(target, &bytes)?,
        None => output::to_stdout(&bytes)?,
    };
    let verdict = match found.overall {
        Verdict::Worse => Exit::Regression,
        Verdict::Inconclusive if args.fail_inconclusive => Exit::Inconclusive,
        _ => Exit::Done,
    };
    // The codes are in the order of what a script must hear first.
    Ok(verdict.max(written).max(base_exit).max(new_exit))
}

/// Reads the baseline that is asked for, so that the analysis compares the new runs with it.
pub(super) fn against(session: &mut Session, flags: &Against) -> Result<Exit, Failure> {
    let configured = session.settings.baseline.as_ref().map(|path| path.clone().into_os_string());
    let Some(input) = flags.baseline.clone().or(configured) else { return Ok(Exit::Done) };
    let (runs, exit) = side(session, &input, None).map_err(|Failure(message)| {
        // What is told already needs no second word.
        Failure(if message.is_empty() { message } else { format!("the baseline: {message}") })
    })?;
    session.settings.analyze.baseline = Some(runs);
    Ok(exit)
}

/// The runs of a side, from results or from an earlier report.
fn side(
    session: &mut Session,
    input: &OsString,
    target: Option<&Path>,
) -> Result<(Vec<BaselineRun>, Exit), Failure> {
    let Some((path, bytes)) = report(Path::new(input)) else {
        let Analysed { campaign, .. } = session.analyse(std::slice::from_ref(input), target)?;
        let exit = exit(&campaign.files, &campaign.diagnostics);
        return Ok((baseline::side_of(ManuallyDrop::into_inner(campaign)), exit));
    };
    if let Some(target) = target {
        output::check(target, std::slice::from_ref(&path))?;
    }
    if session.settings.analyze.span().is_some() {
        return Err(Failure(format!(
            "{}: an earlier report holds figures of whole runs, of which no part can be taken; name its results, or leave --from and --to out",
            path.display()
        )));
    }
    let mut runs =
        report_json::read(&bytes).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    let wanted = &session.settings.analyze.where_;
    runs.retain(|run| {
        wanted.iter().all(|(dimension, _)| {
            let value = run.dimensions.get(dimension);
            wanted.iter().any(|(other, accepted)| other == dimension && value == Some(accepted))
        })
    });
    if runs.is_empty() {
        return Err(Failure(format!(
            "{}: no run is left; the report has none, or --where is too strict",
            path.display()
        )));
    }
    Ok((runs, Exit::Done))
}

/// The `report.json` that a path is, or that lies in the report's folder.
fn report(path: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let file = if path.is_dir() { path.join("report.json") } else { path.to_path_buf() };
    if file.extension().is_none_or(|suffix| suffix != "json") {
        return None;
    }
    let bytes = fs::read(&file).ok()?;
    report_json::is_report(&bytes).then_some((file, bytes))
}

/// Why nothing can be compared: what stands on each side.
fn nothing(found: &Baseline) -> Failure {
    let list = |names: &[String]| match names {
        [] => "nothing".to_owned(),
        [.., _] if names.len() > 4 => format!("{} and {} more", names[..4].join("; "), names.len() - 4),
        _ => names.join("; "),
    };
    Failure(format!(
        "nothing to compare: no run of the baseline ({}) has the dimensions of a new one ({}); `plotgen inspect` lists them",
        list(&found.only_in_base),
        list(&found.only_in_new)
    ))
}
