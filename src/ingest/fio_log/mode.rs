//! A row per I/O, or a row per window: concluded from the head of each file.
//!
//! fio says it nowhere. The rules, by log:
//!
//! - **Latency.** Rows of a window have block size 0, rows of an I/O have the
//!   I/O's. Logs without block sizes (fio before 1.26.3) are per I/O unless
//!   their rows come at even distances.
//! - **IOPS.** With block sizes: per I/O when every row is 1, which fio 2.10 and
//!   later writes for each I/O; a row of 1 of an older fio is one I/O as well, so
//!   that counting is right for both. Without block sizes: windows.
//! - **Bandwidth.** Without block sizes: windows. With block sizes: fio to 2.9
//!   wrote windows of 500 ms all the same, later versions a row per I/O. Columns
//!   that only fio 3.18 and later has mean per I/O. Otherwise rows are windows
//!   when few stand close together and their distances are even: half of
//!   them within 20 % of the median for distances from 400 ms, nine tenths from
//!   100 ms. I/Os that come at random have 14 % there.
//!
//! `log_compression` together with `log_avg_msec` damages bw and iops logs: they
//! hold means of single I/Os' rates, several rows a window, block size 0, and
//! IOPS 1 throughout (axboe/fio #1746). No throughput can be had from them. Such logs
//! hold 2.5 and more rows a window; late windows of a loaded fio (2.13 to 3.24), which
//! come in bursts, stay below 1.4.

use super::layout::Layout;
use super::row::{DIRECTIONS, Row};
use crate::ingest::LogKind;

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) enum Mode {
    /// One I/O.
    PerIo,
    /// All I/Os of one direction in one window.
    Windowed,
}

/// No run is idle for so long, ms, unless its windows are that long or its output says so.
pub(in crate::ingest) const LONGEST_IDLE_MS: u64 = 600_000;

/// Windows below this are not looked for bursts in, ms.
const SHORTEST_WINDOW_MS: u64 = 20;

/// How the rows of a head lie in time.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ingest) struct Rhythm {
    /// Median positive distance of rows of one direction, ms; None when no two rows differ.
    pub(in crate::ingest) period: Option<f64>,
    /// Share of distances within 20 % of the period.
    pub(super) even: f64,
    /// Rows of one direction a window, on average: those within a tenth of a window stand together.
    pub(super) together: f64,
    /// True when more rows step back than forward: the file was turned round.
    pub(in crate::ingest) backwards: bool,
}

impl Rhythm {
    /// Measures rows in file order.
    pub(in crate::ingest) fn of(rows: &[Row]) -> Rhythm {
        let mut distances = Vec::with_capacity(rows.len());
        let (mut forward, mut back) = (0usize, 0usize);
        let mut last = [None; DIRECTIONS.len()];
        for row in rows {
            if let Some(before) = last[row.direction].replace(row.t) {
                match row.t.checked_sub(before) {
                    Some(distance) => distances.push(distance),
                    None => back += 1,
                }
                forward += usize::from(row.t > before);
            }
        }
        sort(&mut distances);
        let positive = &distances[distances.partition_point(|&distance| distance == 0)..];
        // A wild stamp makes two wild distances, too many for the median of a short log.
        let sane = &positive[..positive.partition_point(|&distance| distance <= LONGEST_IDLE_MS)];
        let period = median(if sane.is_empty() { positive } else { sane });
        let is_near = |distance: u64| period.is_some_and(|p| (distance as f64 - p).abs() <= 0.2 * p);
        // In order, those that are near stand together.
        let below = |&distance: &u64| period.is_some_and(|p| (distance as f64) < p) && !is_near(distance);
        let from = positive.partition_point(below);
        let near = positive[from..].partition_point(|&distance| is_near(distance));
        let even = near as f64 / distances.len().max(1) as f64;
        // Idle windows stretch distances, so the usual long one is taken, not the longest.
        let long = median(&distances[distances.partition_point(|&distance| distance < SHORTEST_WINDOW_MS)..]);
        let close =
            long.map_or(0, |long| distances.partition_point(|&distance| (distance as f64) < long / 10.0));
        let together = distances.len() as f64 / (distances.len() - close).max(1) as f64;
        Rhythm { period, even, together, backwards: back > forward && back > 2 }
    }

    fn is_regular(&self) -> bool {
        let Some(period) = self.period else { return false };
        let needed = if period >= 400.0 { 0.5 } else { 0.9 };
        period >= 100.0 && self.together < 1.2 && self.even >= needed
    }
}

/// Puts numbers in order. Distances of rows are few different numbers close together: those are counted.
pub(in crate::ingest) fn sort(numbers: &mut [u64]) {
    /// Most different numbers that are counted.
    const SPAN: usize = 1024;
    /// Fewer are as well compared.
    const FEW: usize = 64;
    let (least, most) = numbers.iter().fold((u64::MAX, 0), |(least, most), &n| (least.min(n), most.max(n)));
    let close = most.saturating_sub(least) < SPAN as u64;
    if !close || numbers.len() < FEW || numbers.len() > usize::from(u16::MAX) {
        return numbers.sort_unstable();
    }
    let mut counts = [0u16; SPAN];
    for number in numbers.iter() {
        counts[(number - least) as usize] += 1;
    }
    let mut rest = numbers;
    for (number, &count) in (least..=most).zip(&counts) {
        let (equal, behind) = rest.split_at_mut(usize::from(count));
        equal.fill(number);
        rest = behind;
    }
}

/// The median of sorted numbers.
pub(in crate::ingest) fn median(sorted: &[u64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = if sorted.len().is_multiple_of(2) { sorted[sorted.len() / 2 - 1] } else { upper };
    Some((lower as f64 + upper as f64) / 2.0)
}

/// What the rows of a head stand for.
///
/// # Errors
/// When `log_compression` made the log useless; the message says so.
pub(super) fn mode(kind: LogKind, layout: &Layout, rows: &[Row], rhythm: &Rhythm) -> Result<Mode, String> {
    let sized = rows.iter().filter(|row| row.bytes > 0).count() * 2 > rows.len();
    let ones = matches!(kind, LogKind::Iops | LogKind::Bw)
        && rows.iter().filter(|row| row.value == 1).count() * 100 >= rows.len() * 99;
    let per_io = match kind {
        LogKind::Lat | LogKind::Clat | LogKind::Slat | LogKind::ClatHist => {
            sized || (layout.block_size.is_none() && !rhythm.is_regular())
        }
        LogKind::Iops => sized && ones,
        LogKind::Bw => sized && (layout.is_recent() || !is_sampled(rows, rhythm)),
    };
    // A slow disk has rows of 1 as well, but one a window.
    let damage = match kind {
        LogKind::Iops if ones => rhythm.together >= 1.5,
        LogKind::Iops | LogKind::Bw => rhythm.together >= 2.0 && rows.len() >= 8,
        _ => false,
    };
    if damage && !sized {
        return Err(format!(
            "expected one row a window, found {:.1} without a block size{}: fio's log_compression together with \
             log_avg_msec writes such logs (axboe/fio #1746), and the rate cannot be had from them; run without \
             log_compression",
            rhythm.together,
            if ones { ", all of them 1" } else { "" }
        ));
    }
    Ok(if per_io { Mode::PerIo } else { Mode::Windowed })
}

/// True for bandwidth samples of fio to 2.9, which carry the block size of some I/O.
fn is_sampled(rows: &[Row], rhythm: &Rhythm) -> bool {
    match rhythm.period {
        Some(_) => rhythm.is_regular(),
        // One row a direction: a sample comes after half a second.
        None => rows.iter().all(|row| row.t >= 400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(texts: &[(u64, u64, usize, u64)]) -> Vec<Row> {
        texts
            .iter()
            .map(|&(t, value, direction, bytes)| Row { line: 1, t, value, direction, bytes })
            .collect()
    }

    fn decide(kind: LogKind, layout: &str, texts: &[(u64, u64, usize, u64)]) -> Result<Mode, String> {
        let layout = Layout::given(layout)?;
        let rows = rows(texts);
        mode(kind, &layout, &rows, &Rhythm::of(&rows))
    }

    const OLD: &str = "t,v,d,bs";
    const RECENT: &str = "t,v,d,bs,p";

    #[test]
    fn half_second_samples_with_block_sizes_are_windows() {
        let samples =
            [(500, 1216, 0, 4096), (500, 632, 1, 4096), (1003, 1200, 0, 4096), (1003, 600, 1, 4096)];
        assert_eq!(decide(LogKind::Bw, OLD, &samples), Ok(Mode::Windowed));
        let samples = [(500, 304, 0, 4096), (1003, 302, 0, 4096), (1503, 298, 0, 4096)];
        assert_eq!(decide(LogKind::Iops, OLD, &samples), Ok(Mode::Windowed));
    }

    #[test]
    fn rows_close_together_with_block_sizes_are_ios() {
        let ios = [(0, 16593, 0, 4096), (0, 13675, 0, 4096), (3, 1200, 0, 4096), (9, 600, 0, 4096)];
        assert_eq!(decide(LogKind::Bw, OLD, &ios), Ok(Mode::PerIo));
        assert_eq!(decide(LogKind::Lat, OLD, &ios), Ok(Mode::PerIo));
    }

    #[test]
    fn even_rows_of_a_recent_fio_with_block_sizes_are_ios() {
        let ios = [(500, 16593, 0, 4096), (1000, 13675, 0, 4096), (1500, 1200, 0, 4096)];
        assert_eq!(decide(LogKind::Bw, RECENT, &ios), Ok(Mode::PerIo));
    }

    #[test]
    fn iops_of_one_are_counted_with_block_sizes_and_windows_without() {
        let ios = [(0, 1, 0, 4096), (0, 1, 0, 4096), (700, 1, 0, 4096)];
        assert_eq!(decide(LogKind::Iops, RECENT, &ios), Ok(Mode::PerIo));
        let slow = [(500, 1, 0, 0), (1000, 1, 0, 0), (1500, 1, 0, 0), (7500, 1, 0, 0), (8000, 1, 0, 0)];
        assert_eq!(decide(LogKind::Iops, RECENT, &slow), Ok(Mode::Windowed));
    }

    #[test]
    fn several_iops_of_one_a_window_without_block_sizes_are_refused() {
        let damaged =
            [(499, 1, 0, 0), (499, 1, 0, 0), (500, 1, 0, 0), (999, 1, 0, 0), (999, 1, 0, 0), (1000, 1, 0, 0)];
        let refused = decide(LogKind::Iops, RECENT, &damaged);
        assert!(refused.is_err_and(|message| message.contains("log_compression")));
    }

    #[test]
    fn latencies_without_block_sizes_are_ios_unless_even() {
        let ios = [(35, 1891, 0, 0), (35, 247, 0, 0), (41, 300, 0, 0)];
        assert_eq!(decide(LogKind::Clat, "t,v,d", &ios), Ok(Mode::PerIo));
        let windows = [(1000, 1891, 0, 0), (2000, 247, 0, 0), (3001, 300, 0, 0)];
        assert_eq!(decide(LogKind::Clat, "t,v,d", &windows), Ok(Mode::Windowed));
    }

    #[test]
    fn counted_numbers_are_in_the_order_that_comparing_gives() {
        let mixed = |n: u64, span: u64| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % span;
        for len in [0, 1, 63, 64, 65, 600, 70_000] {
            for span in [1, 2, 1023, 1024, 1025, 1 << 40] {
                let numbers: Vec<u64> = (0..len).map(|n| 5 + mixed(n, span)).collect();
                let (mut counted, mut compared) = (numbers.clone(), numbers);
                sort(&mut counted);
                compared.sort_unstable();
                assert_eq!(counted, compared, "{len} numbers over {span}");
            }
        }
    }

    #[test]
    fn a_turned_file_is_noticed() {
        let turned = rows(&[(2000, 1, 0, 0), (1500, 1, 0, 0), (1000, 1, 0, 0), (500, 1, 0, 0)]);
        assert!(Rhythm::of(&turned).backwards);
        let forward = rows(&[(500, 1, 0, 0), (1000, 1, 0, 0), (500, 1, 0, 0), (1000, 1, 0, 0)]);
        assert!(!Rhythm::of(&forward).backwards);
        assert_eq!(Rhythm::of(&forward).period, Some(500.0));
    }
}
