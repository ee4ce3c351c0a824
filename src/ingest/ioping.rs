//! ioping: its request lines, statistics, raw lines and JSON.
//!
//! In: a text with outputs of ioping 0.6 to 1.3, several in a text, other text between.
//! Out: a run for each call. Latency is total latency (`lat`): ioping's own figures, and a
//! histogram of the single requests where they were printed, warm-up requests left out.
//! ioping waits a second between requests unless told otherwise (`-i`), and prints as
//! `iops` what would be if it did not: IOPS and bandwidth are read only from calls whose
//! requests followed one another at once, as generated requests over elapsed time.
//!
//! ```text
//! 4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=2 time=392.4 us
//! 7 requests completed in 8.47 ms, 28 KiB read, 826 iops, 3.23 MiB/s
//! generated 8 requests in 1.40 s, 32 KiB, 5 iops, 22.8 KiB/s
//! min/avg/max/mdev = 81.0 us / 1.21 ms / 3.84 ms / 1.36 ms
//! ```

mod call;
mod json;
mod line;
mod raw;
mod run;
#[cfg(test)]
mod tests;

use super::transcript::{self, Above, Line, Placed};
use super::{Claim, Content, Format, Head, IngestError, Parsed, ReadContext, Remark};
use crate::model::Severity;
use call::Call;
use line::{Item, command, item};
use raw::{Group, Raw};
use std::io::Read;

/// Reader of ioping's output.
pub struct Ioping;

impl Format for Ioping {
    fn name(&self) -> &'static str {
        "ioping"
    }

    fn describe(&self) -> &'static str {
        "ioping's lines, statistics, raw lines (-B, -p) and JSON: 4 KiB <<< . (ext4 /dev/sda1): request=1 time=0.2 ms"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = String::from_utf8_lossy(head.bytes);
        let text = if head.whole { &text } else { text.rsplit_once('\n').map_or("", |(whole, _)| whole) };
        if json::looks_like(text) {
            return Some(Claim { reason: "JSON of ioping: objects with `io` and `request`".to_owned() });
        }
        let mut items =
            transcript::lines(text).map(|line| line.text).filter(|line| item(line).is_some()).peekable();
        let example = items.peek().copied().unwrap_or_default();
        transcript::claim(items.count(), "line of ioping", "lines of ioping", example)
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut reader = Reader::default();
        if json::looks_like(&text) {
            reader.rows += json::read(&text, &mut reader.placed, &mut reader.remarks);
        } else {
            for line in transcript::lines(&text) {
                reader.line(line);
            }
            reader.remarks.extend(transcript::passed_over(&text, self.name()));
        }
        Ok(reader.into_parsed())
    }
}

/// True for a line that belongs to ioping.
pub(super) fn owns(line: &str) -> bool {
    item(line).is_some() || command(line).is_some() || version(line).is_some() || line.trim() == INTERRUPT
}

/// What a terminal shows when a call is ended by hand.
const INTERRUPT: &str = "^C";

/// `ioping 0.9`.
fn version(line: &str) -> Option<&str> {
    line.trim().strip_prefix("ioping ").filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

#[derive(Default)]
struct Reader {
    above: Above,
    version: Option<String>,
    call: Option<Call>,
    /// The last time stamp that the text holds by itself.
    stamp: Option<u64>,
    groups: Vec<Group>,
    /// True while the last line was a raw line of the last group.
    in_group: bool,
    rows: u64,
    placed: Vec<Placed>,
    remarks: Vec<Remark>,
    /// Calls whose direction nothing tells, and the first line of them.
    undirected: Option<(u64, u64)>,
    /// Calls whose printed rates are none, and the first line of them.
    paced: Option<(u64, u64)>,
}

/// Counts one more, and keeps the first line.
fn count(counter: &mut Option<(u64, u64)>, line: u64) {
    let (n, first) = counter.unwrap_or((0, line));
    *counter = Some((n + 1, first));
}

impl Reader {
    fn line(&mut self, line: Line<'_>) {
        let Some(item) = item(line.text) else {
            self.other(line);
            return;
        };
        self.rows += 1;
        if let Item::Raw(raw) = item {
            self.raw(line.number, raw);
            return;
        }
        let fresh = self.call.as_ref().is_none_or(|call| !call.continues(&item));
        if fresh {
            self.finish_call();
            let mut call = Call::new(line.number, self.above.for_block());
            // Raw lines right before the statistics are the periods of this call: `-q -p`.
            if self.in_group && matches!(item, Item::Place(_)) {
                call.periods = self.groups.pop().map(|group| group.rows).unwrap_or_default();
            }
            self.call = Some(call);
        }
        self.in_group = false;
        if let Some(call) = &mut self.call {
            call.add(item);
        }
    }

    fn raw(&mut self, line: u64, raw: Raw) {
        match &mut self.call {
            Some(call) if call.is_open() => call.periods.push(raw),
            _ => {
                self.finish_call();
                if !self.in_group {
                    let (stamp, above) = (self.stamp, self.above.for_block());
                    self.groups.push(Group { line, stamp, above, rows: Vec::new() });
                }
                if let Some(group) = self.groups.last_mut() {
                    group.rows.push(raw);
                }
                self.in_group = true;
            }
        }
    }

    fn other(&mut self, line: Line<'_>) {
        let text = line.text.trim();
        if text.is_empty() {
            return;
        }
        if let Some(version) = version(text) {
            self.version = Some(version.to_owned());
            return;
        }
        if text == INTERRUPT {
            return;
        }
        self.in_group = false;
        if let Some(command) = command(line.text) {
            self.finish_call();
            self.above.set_command(command);
        } else if let Some(stamp) = transcript::stamp(text) {
            self.stamp = Some(stamp);
        } else if let Some(heading) = line::fragment_heading(text).or_else(|| transcript::heading(text)) {
            self.finish_call();
            self.above.set_heading(heading);
        }
    }

    fn finish_call(&mut self) {
        let Some(call) = self.call.take() else { return };
        let line = call.line;
        let Some(made) = call.into_part(self.version.clone()) else {
            self.remarks.push(
                Remark::new(
                    Severity::Warning,
                    "expected requests or `min/avg/max/mdev` with ioping's statistics, found neither; left out",
                )
                .at_line(line),
            );
            return;
        };
        if made.assumed_read {
            count(&mut self.undirected, line);
        }
        if made.paced {
            count(&mut self.paced, line);
        }
        self.remarks.extend(made.remark.map(|remark| remark.at_line(line)));
        self.placed.push(made.placed);
    }

    fn into_parsed(mut self) -> Parsed {
        self.finish_call();
        for made in raw::parts(std::mem::take(&mut self.groups), &mut self.remarks) {
            if made.assumed_read {
                count(&mut self.undirected, made.line);
            }
            if made.paced {
                count(&mut self.paced, made.line);
            }
            self.placed.push(made.placed);
        }
        let of = |n: u64| if n == 1 { "this call".to_owned() } else { format!("{n} calls from here on") };
        if let Some((n, line)) = self.paced {
            let message = format!(
                "the iops and bandwidth that ioping prints for {} are what its latency would allow, not what was done: \
                 nothing says that requests followed one another at once (`-i 0`); only latency is read",
                of(n)
            );
            self.remarks.push(Remark::new(Severity::Info, message).at_line(line));
        }
        if let Some((n, line)) = self.undirected {
            let message = format!(
                "nothing says whether {} read or wrote; taken for reads, which is what ioping does without `-W`",
                of(n)
            );
            self.remarks.push(Remark::new(Severity::Info, message).at_line(line));
        }
        let parts = transcript::finish(self.placed, "ioping");
        Parsed {
            version: self.version,
            layout: Some(format!("ioping, {} run{}", parts.len(), if parts.len() == 1 { "" } else { "s" })),
            rows: self.rows,
            skipped: 0,
            content: if parts.is_empty() {
                Content::Nothing("no request and no statistics of ioping in it".to_owned())
            } else {
                Content::Runs(parts)
            },
            remarks: self.remarks,
        }
    }
}
