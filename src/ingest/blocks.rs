//! Several formats in one file, as transcripts of scripts hold them: what each read becomes one content.
//!
//! In: what each format read from the file. Out: one [`Parsed`], every run once, under a key of its own.

use crate::ingest::{Claim, Content, IngestError, Parsed, Remark, RunPart};
use crate::model::Severity;
use std::collections::{BTreeMap, BTreeSet};

/// The blocks of one file as one content. A run that several formats describe counts once, by the first of them.
pub(super) fn together(
    mut blocks: Vec<(&'static str, Claim, Result<Parsed, IngestError>)>,
) -> Option<(String, Claim, Result<Parsed, IngestError>)> {
    if blocks.len() < 2 || blocks.iter().all(|(_, _, parsed)| parsed.is_err()) {
        return (!blocks.is_empty()).then(|| blocks.swap_remove(0)).map(|(n, c, p)| (n.to_owned(), c, p));
    }
    let mut names: Vec<&str> = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    let mut layouts: Vec<String> = Vec::new();
    let mut whole = Parsed {
        version: None,
        layout: None,
        rows: 0,
        skipped: 0,
        content: Content::Runs(Vec::new()),
        remarks: Vec::new(),
    };
    let mut runs: Vec<RunPart> = Vec::new();
    for (name, claim, parsed) in blocks {
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                let line = error.line();
                let message = format!("{name}: {error}");
                whole.remarks.push(Remark { severity: Severity::Error, line, message });
                continue;
            }
        };
        names.push(name);
        reasons.push(claim.reason);
        layouts.extend(parsed.layout);
        whole.version = whole.version.or(parsed.version);
        whole.rows += parsed.rows;
        whole.skipped += parsed.skipped;
        whole.remarks.extend(parsed.remarks);
        if let Content::Runs(parts) = parsed.content {
            let earlier: BTreeSet<Subject> = runs.iter().map(subject).collect();
            let before = parts.len();
            let first = runs.len();
            runs.extend(parts.into_iter().filter(|part| !earlier.contains(&subject(part))));
            let repeated = before - (runs.len() - first);
            if repeated > 0 {
                let message = format!(
                    "{name}: {repeated} of its runs stand in this file in a more exact format as well; counted once"
                );
                whole.remarks.push(Remark::new(Severity::Info, message));
            }
        }
    }
    // The words of a name that one of the blocks explains are explained for all.
    let explained: BTreeSet<String> = runs.iter().flat_map(|part| part.explained.iter().cloned()).collect();
    for part in &mut runs {
        part.explained.clone_from(&explained);
    }
    // Keys tell the runs of one file apart; two formats may have used the same.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for part in &mut runs {
        let count = seen.entry(part.key.clone()).or_default();
        *count += 1;
        if *count > 1 {
            part.key = format!("{}{}{count}", part.key, if part.key.is_empty() { "" } else { "." });
        }
    }
    whole.layout = (!layouts.is_empty()).then(|| layouts.join("; "));
    whole.content =
        if runs.is_empty() { Content::Nothing("no run in it".into()) } else { Content::Runs(runs) };
    Some((names.join("+"), Claim { reason: reasons.join("; ") }, Ok(whole)))
}

/// What tells executions apart that several outputs may report on: tool, group and job names.
pub(super) type Subject = (String, String, BTreeSet<String>);

/// The execution that a part describes.
pub(super) fn subject(part: &RunPart) -> Subject {
    let names = part.jobs.iter().map(|job| job.name.clone()).collect();
    (part.tool.name.clone(), part.key.clone(), names)
}
