//! Which column of a log is what.
//!
//! fio writes no header and no version: the layout is concluded from the number
//! of columns and from what stands in them. Source: fio's `iolog.c` at its
//! tags 1.1 to 3.42:
//!
//! | columns | row |
//! |---|---|
//! | 3 | `t, v, d` (before 1.26.3) |
//! | 4 | `t, v, d, bs` |
//! | 5 | `t, v, d, bs, off` (`log_offset`, to 3.17) or `t, v, d, bs, p` (from 3.18) |
//! | 6 | `t, v, d, bs, off, p` or `t, v, max, d, bs, p` (`log_window_value=both`, from 3.37) |
//! | 7 | `t, v, d, bs, off, p, issue` or `t, v, max, d, bs, off, p` |
//! | 8 | `t, v, max, d, bs, off, p, issue` |
//!
//! With 6 and 7 columns the direction is in the third or in the fourth. Where
//! the head allows both, both are read side by side and the file's end decides:
//! the layout that fewer rows contradict.

use super::row::Columns;
use std::fmt;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// Time stamp, ms.
    Time,
    /// The value.
    Value,
    /// Maximum over the window (`log_window_value=both`).
    Max,
    /// Direction: 0 read, 1 write, 2 trim.
    Direction,
    /// Block size, bytes; 0 in windowed logs.
    BlockSize,
    /// Offset, bytes.
    Offset,
    /// I/O priority.
    Priority,
    /// Issue time, ns.
    Issue,
    /// Offset or priority: zero in every row of the head.
    Zero,
}

/// The words of `--layout` and the names for people.
const WORDS: [(Column, &str, &str); 8] = [
    (Column::Time, "t", "time"),
    (Column::Value, "v", "value"),
    (Column::Max, "max", "maximum"),
    (Column::Direction, "d", "direction"),
    (Column::BlockSize, "bs", "block size"),
    (Column::Offset, "off", "offset"),
    (Column::Priority, "p", "priority"),
    (Column::Issue, "issue", "issue time"),
];

/// The columns of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    columns: Vec<Column>,
    /// Indices from 0.
    pub(super) time: usize,
    pub(super) value: usize,
    pub(super) direction: usize,
    pub(super) max: Option<usize>,
    pub(super) block_size: Option<usize>,
}

impl Layout {
    /// A layout of these columns; None when time, value or direction is missing.
    fn new(columns: Vec<Column>) -> Option<Layout> {
        let find = |wanted| columns.iter().position(|&column| column == wanted);
        Some(Layout {
            time: find(Column::Time)?,
            value: find(Column::Value)?,
            direction: find(Column::Direction)?,
            max: find(Column::Max),
            block_size: find(Column::BlockSize),
            columns,
        })
    }

    /// The layout that a user wrote: `t,v,d,bs,off,p`.
    ///
    /// # Errors
    /// A message for an unknown or repeated word, or when t, v or d is missing.
    pub(super) fn given(text: &str) -> Result<Layout, String> {
        let known = || WORDS.map(|(_, word, _)| word).join(", ");
        let mut columns = Vec::new();
        for word in text.split(',').map(str::trim) {
            let Some((column, ..)) = WORDS.iter().find(|(_, known, _)| *known == word) else {
                return Err(format!(
                    "layout `{text}`: unknown column `{word}`; expected some of {}",
                    known()
                ));
            };
            if columns.contains(column) {
                return Err(format!("layout `{text}`: column `{word}` occurs twice"));
            }
            columns.push(*column);
        }
        Layout::new(columns).ok_or_else(|| format!("layout `{text}`: needs the columns t, v and d"))
    }

    /// The layout of three to five columns, the only one that [`Layout::candidates`] gives there; `fifth` is all that
    /// stands in the fifth column, bit by bit, and none of it hexadecimal.
    pub(super) fn of_windows(columns: usize, fifth: u64) -> Option<Layout> {
        use Column::{BlockSize, Direction, Time, Value};
        let last = match fifth {
            0 => Column::Zero,
            1 => Column::Priority,
            _ => Column::Offset,
        };
        let all = [Time, Value, Direction, BlockSize, last];
        Layout::new(all.get(..columns)?.to_vec())
    }

    /// The layouts that the rows of a head allow, the likeliest first; at least one for 3 to 8 columns.
    ///
    /// A few contradicting rows in a hundred are defects of the rows, not of the layout.
    pub(super) fn candidates(rows: &[Columns]) -> Vec<Layout> {
        use Column::{BlockSize, Direction, Issue, Max, Offset, Priority, Time, Value};
        let Some(len) = usual_len(rows) else { return Vec::new() };
        let rows: Vec<&Columns> = rows.iter().filter(|row| row.len == len).collect();
        let plain = [Time, Value, Direction, BlockSize];
        let both = [Time, Value, Max, Direction, BlockSize];
        let columns = match len {
            3 => vec![vec![Time, Value, Direction]],
            4 => vec![plain.to_vec()],
            5 => vec![[&plain[..], &[fifth_column(&rows)]].concat()],
            6 => vec![[&plain[..], &[Offset, Priority]].concat(), [&both[..], &[Priority]].concat()],
            7 => {
                vec![
                    [&plain[..], &[Offset, Priority, Issue]].concat(),
                    [&both[..], &[Offset, Priority]].concat(),
                ]
            }
            8 => vec![[&both[..], &[Offset, Priority, Issue]].concat()],
            _ => return Vec::new(),
        };
        let mut layouts: Vec<(usize, Layout)> = columns
            .into_iter()
            .filter_map(Layout::new)
            .map(|layout| (rows.iter().filter(|row| layout.contradicts(row)).count(), layout))
            .collect();
        // Where nothing contradicts either, a fifth column that is not zero is the block size of a
        // per-I/O log, in which fio prints the maximum as 0.
        if rows.iter().any(|row| row.at(4) != 0) {
            layouts.reverse();
        }
        let fewest = layouts.iter().map(|&(count, _)| count).min().unwrap_or(0);
        layouts.retain(|&(count, _)| count == fewest || count * 100 <= rows.len());
        layouts.sort_by_key(|&(count, _)| count * 100 > rows.len());
        layouts.into_iter().map(|(_, layout)| layout).collect()
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// True when a row cannot have been written with this layout.
    pub(super) fn contradicts(&self, row: &Columns) -> bool {
        if !(0..=2).contains(&row.at(self.direction)) {
            return true;
        }
        // The maximum of a window is no less than its mean; per-I/O rows print 0.
        match (self.max, self.block_size) {
            (Some(max), Some(bytes)) => row.at(bytes) == 0 && row.at(max) < row.at(self.value),
            _ => false,
        }
    }

    /// True when only fio 3.18 and later writes these columns.
    pub(super) fn is_recent(&self) -> bool {
        self.columns.contains(&Column::Priority) || self.max.is_some()
    }

    /// True when the last column may be the priority of a recent fio or the offset of an old one.
    pub(super) fn is_undecided(&self) -> bool {
        self.columns.contains(&Column::Zero)
    }
}

/// `time, value, direction, block size`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, column) in self.columns.iter().enumerate() {
            let name = WORDS.iter().find(|(known, ..)| known == column).map(|&(.., name)| name);
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{}", name.unwrap_or("priority or offset"))?;
        }
        Ok(())
    }
}

/// The commonest number of columns; of equals the first.
pub(super) fn usual_len(rows: &[Columns]) -> Option<usize> {
    let mut counts = [0usize; super::row::MAX_COLUMNS + 1];
    for row in rows {
        counts[row.len] += 1;
    }
    let most = *counts.iter().max()?;
    (most > 0).then(|| counts.iter().position(|&count| count == most)).flatten()
}

/// Priorities are hexadecimal or a flag, offsets any number.
fn fifth_column(rows: &[&Columns]) -> Column {
    let hex = rows.iter().any(|row| row.hex & 0b1_0000 != 0);
    let flags = rows.iter().all(|row| matches!(row.at(4), 0 | 1));
    let zeros = rows.iter().all(|row| row.at(4) == 0);
    match (hex, flags, zeros) {
        (false, _, true) => Column::Zero,
        (true, ..) | (_, true, _) => Column::Priority,
        _ => Column::Offset,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn candidates(lines: &[&str]) -> Vec<String> {
        let rows: Vec<Columns> = lines.iter().map(|line| Columns::parse(line.as_bytes()).unwrap()).collect();
        Layout::candidates(&rows).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_number_of_columns_has_its_layout() {
        assert_eq!(candidates(&["35, 1891940, 0"]), ["time, value, direction"]);
        assert_eq!(candidates(&["500, 81920, 1, 4096"]), ["time, value, direction, block size"]);
        assert_eq!(
            candidates(&["0, 8572, 0, 4096, 0x2003", "0, 8572, 0, 4096, 0x0000"]),
            ["time, value, direction, block size, priority"]
        );
        assert_eq!(
            candidates(&["0, 128726, 0, 4096, 1", "3, 274247, 0, 4096, 0"]),
            ["time, value, direction, block size, priority"]
        );
        assert_eq!(
            candidates(&["0, 6502, 0, 4096, 0", "0, 5830, 0, 4096, 49676288"]),
            ["time, value, direction, block size, offset"]
        );
        assert_eq!(
            candidates(&["500, 81920, 1, 0, 0"]),
            ["time, value, direction, block size, priority or offset"]
        );
        assert_eq!(
            candidates(&["511, 127814, 19769630, 0, 0, 0, 0x0000, 0"]),
            ["time, value, maximum, direction, block size, offset, priority, issue time"]
        );
    }

    #[test]
    fn six_columns_are_told_apart_by_the_direction() {
        let offset = "time, value, direction, block size, offset, priority";
        let both = "time, value, maximum, direction, block size, priority";
        assert_eq!(candidates(&["0, 45874, 0, 4096, 4046848, 0", "2, 1874, 1, 4096, 49676288, 0"]), [offset]);
        assert_eq!(candidates(&["500, 68160, 68160, 0, 0, 0"]), [both]);
        // Windowed with an offset: the third column is no maximum, it is below the mean.
        assert_eq!(candidates(&["500, 119789, 0, 0, 0, 0", "500, 176088, 1, 0, 0, 0"]), [offset]);
        // A row per I/O prints the maximum as 0.
        assert_eq!(
            candidates(&["20, 20479684, 0, 0, 4096, 0", "20, 20493574, 0, 1, 4096, 0"]),
            [both, offset]
        );
        // A slow disk: either.
        assert_eq!(candidates(&["500, 1, 1, 0, 0, 0", "1000, 1, 1, 0, 0, 0"]), [offset, both]);
    }

    #[test]
    fn seven_columns_are_told_apart_by_the_direction() {
        assert_eq!(
            candidates(&["0, 169989, 0, 4096, 65564672, 0, 144123"]),
            ["time, value, direction, block size, offset, priority, issue time"]
        );
        assert_eq!(
            candidates(&["500, 127814, 19769630, 1, 0, 0, 0x0000"]),
            ["time, value, maximum, direction, block size, offset, priority"]
        );
    }

    #[test]
    fn a_given_layout_is_taken_as_it_is() {
        let layout = Layout::given("t, d,v,bs").unwrap();
        assert_eq!((layout.time, layout.direction, layout.value, layout.block_size), (0, 1, 2, Some(3)));
    }

    #[test]
    fn a_wrong_word_in_a_layout_is_answered_with_the_known_ones() {
        let message = Layout::given("t,v,dir").unwrap_err();
        assert!(
            message.contains("`dir`") && message.contains("t, v, max, d, bs, off, p, issue"),
            "{message}"
        );
        assert!(Layout::given("t,v,v,d").unwrap_err().contains("twice"));
        assert!(Layout::given("t,v").unwrap_err().contains("t, v and d"));
    }
}
