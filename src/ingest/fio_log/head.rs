//! The beginning of a log: is it one, and which rows can conclusions be drawn from?

use super::layout::Layout;
use super::row::{Columns, MAX_COLUMNS, MIN_COLUMNS};
use super::{content, defect::excerpt};
use crate::ingest::IngestError;

/// Unreadable lines before the first row after which a file is given up.
const PATIENCE: usize = 100;

/// The least block size of a device.
const SECTOR: u64 = 512;

/// The rows of a head.
pub(super) struct HeadRows {
    /// Lines that are rows.
    pub(super) rows: Vec<Columns>,
    /// Lines that are not.
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
        let mut found = HeadRows { rows: Vec::new(), unreadable: 0, first_unreadable: None };
        for (number, line) in (1..).zip(head.split_inclusive(|&byte| byte == b'\n')) {
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
