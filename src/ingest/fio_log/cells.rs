//! Single I/Os into cells of time: the grids and histograms of one stretch of a log.
//!
//! Goes in: rows, one by one or as parts of a [`Batch`]. Comes out: a [`Segment`]. Everything is a sum, a
//! least or a largest of whole numbers, so that several of these, filled by several threads from any
//! parts of the stretch, [merge](Cells::merge) to the same bits.
//!
//! A block of rows that lies in one cell, as nearly all do in a log that is long, is summed up as vectors
//! before a cell is touched. Counts go to dense tables first: one for each of the cells of the
//! histogram over time that rows were met in last, since rows of several jobs come in turn.

mod columns;
mod few;

use super::batch::{Batch, ROWS, Span};
use super::collect::Scale;
use super::row::{DIRECTIONS, Row};
use crate::ingest::Segment;
use crate::model::{CellGrid, GridCell, SeriesKind, TimedHistogram, bucket_of};
use columns::{Columns, Sums};
use few::Few;
use pulp::NullaryFnOnce;
use std::ops::Range;

/// Buckets of a histogram, rounded up to a power of two so that an index can be masked.
const BUCKETS: usize = 4096;

/// Counts of a table: those of three directions, rounded up likewise.
const PLACES: usize = 4 * BUCKETS;

/// Dense tables that are open at a time.
const TABLES: usize = 16;

/// The I/Os of one stretch.
pub(super) struct Cells {
    scale: Scale,
    /// What the clock begins with, ms.
    origin: u64,
    series: [Option<Box<Filling>>; DIRECTIONS.len()],
    tables: Vec<Table>,
    /// The table that was used last, and the stamps as written that it takes.
    table: usize,
    present: Range<u64>,
    /// Room for the buckets of a table.
    counted: Vec<(u32, u64)>,
    /// Room for rows that lie in several cells.
    few: Option<Box<[Few; 2]>>,
}

/// The series of a direction.
struct Filling {
    grid: CellGrid,
    rows: u64,
    /// Index of the cell that was used last, and the stamps as written that it takes.
    cell: usize,
    present: Range<u64>,
}

/// Counts of one cell of the histograms over time, by direction and bucket.
struct Table {
    /// Beginning of the cell, ms of run time, and its width.
    from: u64,
    width: u64,
    counts: Box<[u32; PLACES]>,
    /// Values that were counted: the counts must not overflow.
    counted: u32,
    /// Least and largest bucket.
    least: u32,
    most: u32,
}

impl Cells {
    /// Collects I/Os whose clock begins at `origin`.
    pub(super) fn new(scale: Scale, origin: u64) -> Cells {
        Cells {
            scale,
            origin,
            series: Default::default(),
            tables: Vec::new(),
            table: 0,
            present: 0..0,
            counted: Vec::new(),
            few: None,
        }
    }

    /// Rows taken.
    pub(super) fn rows(&self) -> u64 {
        self.series.iter().flatten().map(|series| series.rows).sum()
    }

    /// Takes a row.
    pub(super) fn add(&mut self, row: &Row) {
        self.add_to_grid(row);
        if self.scale.is_latency() {
            self.count(row);
        }
    }

    fn add_to_grid(&mut self, row: &Row) {
        let at_ms = row.t.saturating_sub(self.origin);
        // Rates of single I/Os are no throughput: bandwidth and IOPS come from bytes and counts.
        let value = if self.scale.is_latency() { row.value.saturating_mul(self.scale.factor) } else { 0 };
        let series = self.open(row.direction);
        series.grid.add(at_ms, value, row.bytes);
        series.rows += 1;
        // The grid may have become coarser.
        series.present = 0..0;
    }

    /// Counts the latency of a row whose direction has a series.
    fn count(&mut self, row: &Row) {
        let bucket = bucket_of(row.value.saturating_mul(self.scale.factor));
        let table = self.table_at(row.t);
        table.counts[place(row.direction, bucket)] += 1;
        table.counted += 1;
        table.least = table.least.min(bucket);
        table.most = table.most.max(bucket);
        self.close_if_full();
    }

    /// Takes some rows of a batch.
    pub(super) fn add_rows(&mut self, batch: &Batch, rows: Range<usize>) {
        pulp::Arch::new().dispatch(AddRows { cells: self, batch, rows });
    }

    /// Takes a full span that lies in the present cells.
    #[inline(always)]
    fn add_whole(&mut self, batch: &Batch, span: &Span) {
        let from = span.rows.start;
        let value = batch.value[from..].first_chunk::<ROWS>();
        let bytes = batch.bytes[from..].first_chunk::<ROWS>();
        let direction = batch.direction[from..].first_chunk::<ROWS>();
        if let (Some(value), Some(bytes), Some(direction)) = (value, bytes, direction) {
            self.add_columns(&Columns { value, bytes, direction }, ROWS, span.directions, &span.newest);
        }
    }

    /// Takes some rows that lie in several cells: those of one time after those of another.
    #[inline(always)]
    fn add_parts(&mut self, batch: &Batch, rows: Range<usize>) {
        /// Times after which the rest is taken row by row.
        const MOST: usize = 6;
        let mut few = self.few.take().unwrap_or_default();
        let [left, part] = &mut *few;
        left.fill(batch, rows);
        for _ in 0..MOST {
            let (least, most) = left.least_and_most();
            // Each direction has a row of that time or later, as no row is earlier.
            let end = self.move_all_to(left.directions(), least);
            if most < end {
                self.add_few(left);
                self.few = Some(few);
                return;
            }
            left.take_before(end, part);
            self.add_few(part);
        }
        for row in left.rows() {
            self.add(&row);
        }
        self.few = Some(few);
    }

    /// Takes rows that lie in the present cells.
    #[inline(always)]
    fn add_few(&mut self, few: &Few) {
        self.add_columns(&few.columns(), few.len(), few.directions(), &few.newest());
    }

    /// Takes the first `len` rows of columns, which lie in the present cells of their `directions`; `newest` are the largest
    /// stamps of these.
    #[inline(always)]
    fn add_columns(
        &mut self,
        columns: &Columns<'_>,
        len: usize,
        directions: u8,
        newest: &[u64; DIRECTIONS.len()],
    ) {
        for (index, newest) in newest.iter().enumerate() {
            if directions >> index & 1 == 1 {
                self.add_sums(index, &columns.sums(index as u8, self.scale), *newest);
            }
        }
        if self.scale.is_latency() {
            let buckets = columns.buckets(self.scale.factor);
            let Some(table) = self.tables.get_mut(self.table) else { return };
            table.count_all(&columns.direction[..len], &buckets[..len]);
            self.close_if_full();
        }
    }
}

impl Cells {
    /// The series of a direction, which begins with its first row.
    #[inline(always)]
    fn open(&mut self, direction: usize) -> &mut Filling {
        if self.series[direction].is_none() {
            // Tables are as wide as the finest of the histograms that they go to.
            self.close_tables();
        }
        self.series[direction].get_or_insert_with(|| {
            Box::new(Filling { grid: CellGrid::new(), rows: 0, cell: 0, present: 0..0 })
        })
    }

    /// Makes the cells, and the table, for a stamp the present ones of some directions; gives the first later stamp that
    /// one of them does not take. Each of the directions has a row of that time or later.
    #[inline(always)]
    fn move_all_to(&mut self, directions: u8, t: u64) -> u64 {
        let mut end = u64::MAX;
        for direction in 0..DIRECTIONS.len() {
            if directions >> direction & 1 == 1 {
                self.open(direction);
                end = end.min(self.move_to(direction, t).end);
            }
        }
        if self.scale.is_latency() {
            self.table_at(t);
            end = end.min(self.present.end);
        }
        end
    }

    /// Makes the cell for a stamp of a direction the present one; gives the stamps that it takes.
    ///
    /// The direction has a row of that time or later, or its grid would become too coarse.
    #[inline(always)]
    fn move_to(&mut self, direction: usize, t: u64) -> Range<u64> {
        let origin = self.origin;
        let series = self.open(direction);
        if !series.present.contains(&t) {
            series.cell = series.grid.reach(t.saturating_sub(origin));
            series.present = stamps(origin, series.cell as u64, series.grid.cell_ms);
        }
        series.present.clone()
    }

    /// Adds to the present cell of a direction.
    #[inline(always)]
    fn add_sums(&mut self, direction: usize, sums: &Sums, newest: u64) {
        let at_ms = newest.saturating_sub(self.origin);
        let series = self.open(direction);
        let grid = &mut series.grid;
        if let Some(cell) = grid.cells.get_mut(series.cell) {
            let Sums { count, sum, least, most, bytes, .. } = *sums;
            cell.merge(&GridCell { count, sum, min: least, max: most, bytes });
        }
        grid.sum_squares = grid.sum_squares.saturating_add(sums.squares);
        grid.last_ms = grid.last_ms.max(at_ms);
        series.rows += sums.count;
    }

    /// The table for a stamp, which becomes the present one. Some direction has a row of that time.
    #[inline(always)]
    fn table_at(&mut self, t: u64) -> &mut Table {
        if !self.present.contains(&t) {
            self.open_table(t);
        }
        &mut self.tables[self.table]
    }

    #[cold]
    #[inline(never)]
    fn open_table(&mut self, t: u64) {
        let at_ms = t.saturating_sub(self.origin);
        // No wider than any of the histograms will be: all have whole numbers of these cells in one of theirs.
        let finest = self.series.iter().flatten().map(|series| series.grid.timed.cell_ms()).min();
        let mut width = finest.unwrap_or(TimedHistogram::START_MS);
        while at_ms / width >= TimedHistogram::MAX_CELLS as u64 {
            width *= 2;
        }
        let cell = at_ms / width;
        let index = (cell % TABLES as u64) as usize;
        while self.tables.len() <= index {
            self.tables.push(Table::new());
        }
        let table = &self.tables[index];
        if table.counted > 0 && (table.from, table.width) != (cell * width, width) {
            self.close_table(index);
        }
        (self.tables[index].from, self.tables[index].width) = (cell * width, width);
        self.table = index;
        self.present = stamps(self.origin, cell, width);
    }

    /// Closes the present table when its counts might overflow.
    #[inline(always)]
    fn close_if_full(&mut self) {
        if self.tables.get(self.table).is_some_and(|table| table.counted > u32::MAX / 2) {
            self.close_table(self.table);
        }
    }

    /// Hands the counts of a table to the histograms.
    #[inline(never)]
    fn close_table(&mut self, index: usize) {
        self.present = 0..0;
        let table = &mut self.tables[index];
        for (direction, series) in self.series.iter_mut().enumerate() {
            let Some(series) = series else { continue };
            self.counted.clear();
            for bucket in table.least..=table.most {
                let count = std::mem::take(&mut table.counts[place(direction, bucket)]);
                if count > 0 {
                    self.counted.push((bucket, u64::from(count)));
                }
            }
            series.grid.timed.record_buckets(table.from, &self.counted);
        }
        (table.counted, table.least, table.most) = (0, u32::MAX, 0);
    }

    /// Hands all counts to the histograms, and gives the room for them back.
    pub(super) fn close(&mut self) {
        self.close_tables();
        self.tables = Vec::new();
    }

    fn close_tables(&mut self) {
        (0..self.tables.len()).for_each(|index| self.close_table(index));
    }

    /// Adds what others have of the same stretch.
    pub(super) fn merge(&mut self, mut other: Cells) {
        self.close_tables();
        other.close_tables();
        for (own, other) in self.series.iter_mut().zip(other.series) {
            let Some(other) = other else { continue };
            match own {
                None => *own = Some(other),
                Some(own) => {
                    own.grid.merge(&other.grid);
                    own.rows += other.rows;
                    own.present = 0..0;
                }
            }
        }
    }

    /// The segment; None without a row.
    pub(super) fn finish(mut self) -> Option<Segment> {
        self.close_tables();
        let mut segment = Segment { series: Vec::new(), last_ms: 0 };
        for (series, direction) in self.series.into_iter().zip(DIRECTIONS) {
            let Some(series) = series else { continue };
            let mut grid = series.grid;
            grid.histogram = grid.timed.total();
            grid.cells.shrink_to_fit();
            segment.last_ms = segment.last_ms.max(grid.last_ms);
            segment.series.push((direction, SeriesKind::Cells(grid)));
        }
        (!segment.series.is_empty()).then_some(segment)
    }
}

/// Adds rows, compiled for the processor at hand.
struct AddRows<'a> {
    cells: &'a mut Cells,
    batch: &'a Batch,
    rows: Range<usize>,
}

impl NullaryFnOnce for AddRows<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let AddRows { cells, batch, rows } = self;
        for span in &batch.spans()[rows.start / ROWS..rows.end.div_ceil(ROWS)] {
            let part = span.rows.start.max(rows.start)..span.rows.end.min(rows.end);
            if part.len() == ROWS && span.most < cells.move_all_to(span.directions, span.least) {
                cells.add_whole(batch, span);
            } else {
                cells.add_parts(batch, part);
            }
        }
    }
}

/// The stamps as written that fall into a cell; those before the origin fall into the first.
fn stamps(origin: u64, cell: u64, width: u64) -> Range<u64> {
    let from = if cell == 0 { 0 } else { origin.saturating_add(cell * width) };
    from..origin.saturating_add((cell + 1).saturating_mul(width))
}

/// Where a table counts a bucket of a direction.
#[inline(always)]
fn place(direction: usize, bucket: u32) -> usize {
    (direction * BUCKETS + bucket as usize) % PLACES
}

impl Table {
    fn new() -> Table {
        Table { from: 0, width: 0, counts: Box::new([0; PLACES]), counted: 0, least: u32::MAX, most: 0 }
    }

    #[inline(always)]
    fn count_all(&mut self, directions: &[u8], buckets: &[u32]) {
        self.least = buckets.iter().fold(self.least, |least, &bucket| least.min(bucket));
        self.most = buckets.iter().fold(self.most, |most, &bucket| most.max(bucket));
        self.counted += buckets.len() as u32;
        let mut places = [0; ROWS];
        for ((into, &direction), &bucket) in places.iter_mut().zip(directions).zip(buckets) {
            *into = (u32::from(direction) * BUCKETS as u32 + bucket) as u16;
        }
        for &place in &places[..buckets.len().min(ROWS)] {
            self.counts[usize::from(place) % PLACES] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::timeline::Bounds;
    use super::*;
    use crate::ingest::LogKind;
    use proptest::prelude::*;

    /// The grids that rows make when each is added by itself, with nothing in between.
    fn plainly(rows: &[Row], scale: Scale, origin: u64) -> Vec<(usize, CellGrid)> {
        let mut grids: [Option<CellGrid>; DIRECTIONS.len()] = Default::default();
        for row in rows {
            let grid = grids[row.direction].get_or_insert_with(CellGrid::new);
            let at_ms = row.t.saturating_sub(origin);
            let value = row.value.saturating_mul(scale.factor);
            if scale.is_latency() {
                grid.timed.record(at_ms, bucket_of(value), 1);
            }
            grid.add(at_ms, if scale.is_latency() { value } else { 0 }, row.bytes);
        }
        for grid in grids.iter_mut().flatten() {
            grid.histogram = grid.timed.total();
        }
        (0..).zip(grids).filter_map(|(direction, grid)| Some((direction, grid?))).collect()
    }

    fn grids(cells: Cells) -> Vec<(usize, CellGrid)> {
        let series = cells.finish().map(|segment| segment.series).unwrap_or_default();
        let index = |ddir| DIRECTIONS.iter().position(|of| *of == ddir).unwrap_or(0);
        let grid = |kind| if let SeriesKind::Cells(grid) = kind { Some(grid) } else { None };
        series.into_iter().filter_map(|(ddir, kind)| Some((index(ddir), grid(kind)?))).collect()
    }

    /// Rows whose stamps move on by up to `step`, and may lie a little behind.
    fn rows(step: u64) -> impl Strategy<Value = Vec<Row>> {
        let value = prop_oneof![
            8 => 40_000u64..200_000,
            1 => 0u64..200,
            1 => any::<u64>().prop_map(|value| (value >> (value % 60)) % 1_000_000_000_000_000),
        ];
        let row = (0..=step, value, prop::sample::select(vec![0usize, 0, 1, 2]), 0u64..900, 0u64..1 << 40);
        prop::collection::vec(row, 1..1500).prop_map(|rows| {
            let mut t = 0u64;
            let row = |(on, value, direction, late, bytes)| {
                t += on;
                let t = if late < 90 { t.saturating_sub(late * 4) } else { t };
                Row { line: 0, t, value, direction, bytes }
            };
            rows.into_iter().map(row).collect()
        })
    }

    proptest! {
        #[test]
        fn sums_of_many_rows_are_those_of_each_wherever_they_are_cut(
            rows in prop::sample::select(vec![0u64, 1, 40, 3000, 2_000_000]).prop_flat_map(rows),
            cut in 0usize..1500,
            origin in prop::sample::select(vec![0u64, 0, 77, 10_000]),
            kind in prop::sample::select(vec![LogKind::Clat, LogKind::Clat, LogKind::Bw]),
            factor in prop::sample::select(vec![1u64, 1000, 1_000_000]),
            left_over in prop::sample::select(vec![0u64, 1 << 63, u64::MAX]),
        ) {
            let bounds = Bounds { step: 0, late: 20, back: 1000, ahead: 600_000, origin: 0, backwards: false };
            let scale = Scale { kind, factor };
            let mut batch = Batch::of(&rows, &bounds);
            // What lines that were no rows left behind the last row.
            for column in [&mut batch.t, &mut batch.value, &mut batch.bytes] {
                column[rows.len()..].fill(left_over);
            }
            let cut = cut.min(rows.len());
            let (mut first, mut second) = (Cells::new(scale, origin), Cells::new(scale, origin));
            first.add_rows(&batch, cut..rows.len());
            second.add_rows(&batch, 0..cut);
            prop_assert_eq!(first.rows() + second.rows(), rows.len() as u64);
            first.merge(second);
            prop_assert_eq!(grids(first), plainly(&rows, scale, origin));
        }
    }
}
