//! The layout of a packed record, and the line that it stands for.
//!
//! | fio | record | bytes |
//! |---|---|---|
//! | 2.1.11–3.8 | `u64 t, u64 v, u32 d, u32 bs [, u64 off]` | 24, 32 |
//! | 3.9–3.36 | `u64 t, u64 v, u32 d, u16 prio, pad, u64 bs [, u64 off]` | 32, 40 |
//! | 3.37 on | `u64 t, u64 v, u64 max, u32 d, u16 prio, pad, u64 bs [, u64 off [, u64 issue]]` | 40, 48, 56 |
//!
//! Little-endian. The high bits of `d` say which of the columns the log has.

use std::fmt;
use std::io::Write;

const OFFSET: u32 = 0x8000_0000;
const PRIORITY: u32 = 0x4000_0000;
const BOTH: u32 = 0x2000_0000;
const ISSUE: u32 = 0x1000_0000;
const FLAGS: u32 = OFFSET | PRIORITY | BOTH | ISSUE;

/// Times and block sizes above are none.
const MOST: u64 = 1 << 50;

/// Records that a layout is held against.
const ENOUGH: usize = 1024;

/// Which fio wrote the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// Up to 3.8.
    Old,
    /// 3.9 to 3.36.
    Middle,
    /// From 3.37 on.
    Recent,
}

/// The layout of the records of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    age: Age,
    /// What all records have in the high bits of the direction.
    flags: u32,
}

/// The fields of a record.
struct Fields {
    t: u64,
    value: u64,
    max: u64,
    direction: u32,
    priority: u16,
    bytes: u64,
    offset: u64,
    issue: u64,
}

impl Layout {
    /// The layout in which the beginning of a log makes sense; None when it is something else.
    pub(super) fn of(beginning: &[u8]) -> Option<Layout> {
        let allowed = [(Age::Old, OFFSET), (Age::Middle, OFFSET | PRIORITY), (Age::Recent, FLAGS)];
        allowed.into_iter().find_map(|(age, allowed)| {
            // The flags of the first record tell its size.
            let bare = Layout { age, flags: 0 };
            let flags = bare.fields(beginning.get(..bare.size())?)?.direction & FLAGS;
            let layout = Layout { age, flags };
            let sane = flags & !allowed == 0
                && beginning.len() >= layout.size()
                && beginning.chunks_exact(layout.size()).take(ENOUGH).all(|record| layout.fits(record));
            sane.then_some(layout)
        })
    }

    /// Bytes of a record.
    pub(super) fn size(self) -> usize {
        let base = match self.age {
            Age::Old => 24,
            Age::Middle => 32,
            Age::Recent => 40,
        };
        base + [OFFSET, ISSUE].into_iter().filter(|flag| self.flags & flag != 0).count() * 8
    }

    /// The columns of the text, as `--layout` names them.
    pub(super) fn words(self) -> String {
        let mut words = vec!["t", "v"];
        if self.flags & BOTH != 0 {
            words.push("max");
        }
        words.extend(["d", "bs"]);
        if self.flags & OFFSET != 0 {
            words.push("off");
        }
        if self.age != Age::Old {
            words.push("p");
        }
        if self.flags & ISSUE != 0 {
            words.push("issue");
        }
        words.join(",")
    }

    /// Appends the line that fio writes for a record, without compression.
    pub(super) fn write(self, record: &[u8], text: &mut Vec<u8>) {
        let Some(fields) = self.fields(record) else { return };
        let Fields { t, value, max, direction, priority, bytes, offset, issue } = fields;
        let mut put = |arguments: fmt::Arguments<'_>| {
            // Writing to memory does not fail.
            let _ = text.write_fmt(arguments);
        };
        put(format_args!("{t}, {value}"));
        if self.flags & BOTH != 0 {
            put(format_args!(", {max}"));
        }
        put(format_args!(", {}, {bytes}", direction & !FLAGS));
        if self.flags & OFFSET != 0 {
            put(format_args!(", {offset}"));
        }
        if self.age != Age::Old {
            if self.flags & PRIORITY != 0 {
                put(format_args!(", 0x{priority:04x}"));
            } else {
                // The real-time class, 1, in the upper three bits; 3.18 to 3.27 had a flag of its own.
                put(format_args!(", {}", u8::from(priority >> 13 == 1 || priority == 1)));
            }
        }
        if self.flags & ISSUE != 0 {
            put(format_args!(", {issue}"));
        }
        text.push(b'\n');
    }

    fn fits(self, record: &[u8]) -> bool {
        self.fields(record).is_some_and(|fields| {
            fields.direction & FLAGS == self.flags
                && fields.direction & !FLAGS <= 2
                && fields.t < MOST
                && fields.bytes < MOST
                // Without `log_window_value=both` there is no maximum.
                && (fields.max == 0 || self.flags & BOTH != 0)
        })
    }

    fn fields(self, record: &[u8]) -> Option<Fields> {
        let mut rest = record;
        let mut next = |bytes: usize| {
            let (field, after) = rest.split_at_checked(bytes)?;
            rest = after;
            Some(field.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte)))
        };
        let (t, value) = (next(8)?, next(8)?);
        let max = if self.age == Age::Recent { next(8)? } else { 0 };
        let direction = next(4)? as u32;
        let (priority, bytes) = match self.age {
            Age::Old => (0, next(4)?),
            Age::Middle | Age::Recent => {
                let priority = next(2)? as u16;
                next(2)?;
                (priority, next(8)?)
            }
        };
        let offset = if self.flags & OFFSET != 0 { next(8)? } else { 0 };
        let issue = if self.flags & ISSUE != 0 { next(8)? } else { 0 };
        Some(Fields { t, value, max, direction, priority, bytes, offset, issue })
    }
}

/// `packed records of 40 bytes (fio 3.9 to 3.36)`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let age = match self.age {
            Age::Old => "fio up to 3.8",
            Age::Middle => "fio 3.9 to 3.36",
            Age::Recent => "fio 3.37 or later",
        };
        write!(f, "packed records of {} bytes ({age})", self.size())
    }
}
