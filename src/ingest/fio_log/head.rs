//! The beginning of a log: is it one, and which rows can conclusions be drawn from?

use super::layout::Layout;
use super::row::{Columns, MAX_COLUMNS, MIN_COLUMNS};
use super::{content, defect::excerpt};
use crate::ingest::IngestError;
use memchr::memchr;

/// Unreadable lines before the first row after which a file is given up.
const PATIENCE: usize = 100;

/// No row is shorter: three digits, two commas and a line feed.
const SHORTEST: usize = 6;

/// The least block size of a device.
const SECTOR: u64 = 512;

/// The rows of a head.
pub(super) struct HeadRows {
    /// Lines that are rows.
    pub(super) rows: Vec<Columns>,
    /// All lines that were looked at.
    lines: u64,
    /// Lines that are no rows.
    unreadable: usize,
    /// Line and beginning of the first unreadable line.
    first_unreadable: Option<(u64, String)>,
}

/// True for bytes that say nothing at a line's ends.
pub(in crate::ingest) fn is_blank(byte: &u8) -> bool {
    matches!(byte, 0 | b'\n' | b'\r' | b' ' | b'\t')
}

impl HeadRows {
    /// Parses the complete lines of a head; the last line, without its end, only when `whole`.
    ///
    /// A file that was cut in the middle of a row ends in something else than a row;
    /// that says nothing against the rows before it.
    /// Gives up when nothing among the first lines is a row.
    pub(super) fn of(head: &[u8], whole: bool) -> HeadRows {
        let mut found = HeadRows { rows: Vec::new(), lines: 0, unreadable: 0, first_unreadable: None };
        // As many as there are when all are as short as the first.
        let first = memchr(b'\n', head).map_or(head.len(), |end| end + 1);
        found.rows.reserve(head.len() / first.max(SHORTEST) + 1);
        let mut rest = head;
        while !rest.is_empty() {
            found.lines += 1;
            if let Some((columns, length)) = Columns::parse_usual(rest) {
                found.rows.push(columns);
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
            let (line, behind) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
            rest = behind;
            let Some(from) = line.iter().position(|byte| !is_blank(byte)) else { continue };
            let ended = line.ends_with(b"\n");
            if !ended && !whole {
                continue;
            }
            let to = line.iter().rposition(|byte| !is_blank(byte)).map_or(line.len(), |last| last + 1);
            let text = &line[from..to];
            match Columns::parse(text) {
                Some(columns) if !ended && found.rows.last().is_some_and(|row| row.len != columns.len) => {}
                Some(columns) => found.rows.push(columns),
                None if !ended && !found.rows.is_empty() => {}
                None => {
                    let number = found.lines;
                    found.unreadable += 1;
                    found.first_unreadable.get_or_insert_with(|| (number, excerpt(text)));
                    if found.rows.is_empty() && found.unreadable >= PATIENCE {
                        break;
                    }
                }
            }
        }
        found
    }

    /// True when each line is a row.
    pub(super) fn is_clean(&self) -> bool {
        self.rows.len() as u64 == self.lines
    }

    /// The layout when this is the head of a log of fio; None when it is something else.
    ///
    /// Nine lines in ten are rows with a direction. Where the name says nothing, time moves
    /// forward and block sizes are block sizes, too.
    pub(super) fn layout(&self, named: bool) -> Option<Layout> {
        let layout = Layout::candidates(&self.rows).into_iter().next()?;
        let fits = |columns: &&Columns| columns.len == layout.len() && !layout.contradicts(columns);
        let fitting = self.rows.iter().filter(fits).count();
        if fitting * 10 < (self.rows.len() + self.unreadable) * 9 {
            return None;
        }
        if !named {
            let rows: Vec<_> = self.rows.iter().filter_map(|columns| layout.row(0, columns).ok()).collect();
            let forward = rows.windows(2).filter(|pair| pair[0].t <= pair[1].t).count();
            let sized = rows.iter().all(|row| row.bytes == 0 || row.bytes >= SECTOR);
            if rows.len() < 3 || layout.len() == MIN_COLUMNS || forward * 10 < (rows.len() - 1) * 9 || !sized
            {
                return None;
            }
        }
        Some(layout)
    }

    /// The error for a file without a row.
    pub(super) fn no_rows(&self) -> IngestError {
        let expected = format!("expected rows of {MIN_COLUMNS} to {MAX_COLUMNS} numbers");
        match &self.first_unreadable {
            Some((line, found)) => content(Some(*line), format!("{expected}, found `{found}`")),
            None => content(Some(1), format!("{expected}, found no complete line: the file was cut")),
        }
    }
}
