//! The unit of a latency log, which fio does not write down.
//!
//! fio 1 and 2 wrote microseconds, fio 3 (from 2.99) nanoseconds. Known from the
//! caller, or from columns that only one of them has: three are fio 1, a
//! priority or a maximum is fio 3.18 and later. Otherwise a guess, marked so.

use super::layout::Layout;
use super::mode::{LONGEST_IDLE_MS, Mode};
use super::row::Row;
use crate::ingest::{LatUnit, LogKind, LogName, UnitCertainty};

/// The unit of the latencies in a log, concluded from its head.
pub(super) fn lat_unit(
    name: &LogName,
    layout: &Layout,
    mode: Mode,
    rows: &[Row],
) -> (LatUnit, UnitCertainty) {
    use LatUnit::{Microseconds, Nanoseconds};
    use UnitCertainty::{Guessed, Known};
    if layout.is_recent() {
        return (Nanoseconds, Known);
    }
    if layout.len() == 3 {
        return (Microseconds, Known);
    }
    let middle = middle(rows.iter().map(|row| row.value).collect());
    let slat = name.kind == LogKind::Slat;
    if layout.is_undecided() {
        // I/Os at offset 0 only: it is the priority. Windows have no offset either, and fio 2 could
        // write it; but below these bounds nanoseconds are out of reach, above them microseconds are.
        let (least, sure) = if slat { (50.0, 500.0) } else { (5e3, 5e4) };
        return match middle {
            _ if mode == Mode::PerIo => (Nanoseconds, Known),
            m if m < least => (Microseconds, Guessed),
            m if m < sure => (Nanoseconds, Guessed),
            _ => (Nanoseconds, Known),
        };
    }
    // Up to 2.1.10 no log had a number, later few have none: microseconds are likelier there.
    let numbered = name.number.is_some();
    let nanoseconds = match mode {
        Mode::PerIo if !slat => is_nanoseconds_by_law(rows, middle),
        // 30 us or 30 ms: flash answers above the former, hard disks below the latter.
        _ if !slat => middle >= if numbered { 3e4 } else { 4e5 },
        Mode::Windowed if !numbered => middle >= 1e3,
        _ => middle >= 200.0,
    };
    (if nanoseconds { Nanoseconds } else { Microseconds }, Guessed)
}

/// The median, without putting all values in order; 0 of none.
fn middle(mut values: Vec<u64>) -> f64 {
    let half = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable(half);
    let lower = below.iter().max().copied().filter(|_| even).unwrap_or(upper);
    (lower as f64 + upper as f64) / 2.0
}

/// Two laws: an I/O takes no longer than its job has run, and the rate times the
/// latency is the number of I/Os in flight (Little).
///
/// Read as nanoseconds the latter is 1 at depth 1, and a thousandth when the values
/// are microseconds. Values that as microseconds break the former leave room for runs
/// that were held back (`rate_iops`); otherwise the bound is high, for the answer would
/// come within a few microseconds.
fn is_nanoseconds_by_law(rows: &[Row], middle: f64) -> bool {
    let stamps = rows.iter().map(|row| row.t);
    let first = stamps.clone().min().unwrap_or(0);
    let span = stamps.max().unwrap_or(0) - first;
    let rate = rows.len() as f64 * 1000.0 / span.max(1) as f64;
    let depth = rate * middle * 1e-9;
    // Far from 0 it is another clock, which began about when the first I/O ended.
    let start = if first > LONGEST_IDLE_MS { first } else { 0 };
    let beginning = &rows[..rows.len().min(8)];
    // Thrice, and 2 ms, because ramp time may restart the clock under I/Os in flight.
    let too_long = |row: &&Row| row.value / 1000 > 3 * (row.t.saturating_sub(start) + 2);
    let broken = beginning.iter().filter(too_long).count() * 2 >= beginning.len();
    depth >= if broken { 0.005 } else { 0.3 } || rate > 5e5
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn unit(layout: &str, mode: Mode, rows: &[(u64, u64)]) -> (LatUnit, UnitCertainty) {
        let layout = Layout::given(layout).unwrap();
        let rows: Vec<Row> =
            rows.iter().map(|&(t, value)| Row { line: 1, t, value, direction: 0, bytes: 4096 }).collect();
        let name = LogName::parse("a_clat.1.log").unwrap();
        lat_unit(&name, &layout, mode, &rows)
    }

    #[test]
    fn columns_of_one_age_settle_the_unit() {
        use UnitCertainty::Known;
        let rows = [(500, 10), (1000, 20)];
        assert_eq!(unit("t,v,d", Mode::PerIo, &rows), (LatUnit::Microseconds, Known));
        assert_eq!(unit("t,v,d,bs,p", Mode::Windowed, &rows), (LatUnit::Nanoseconds, Known));
        assert_eq!(unit("t,v,max,d,bs,p", Mode::Windowed, &rows), (LatUnit::Nanoseconds, Known));
    }

    #[test]
    fn four_columns_are_guessed_by_size_and_depth() {
        use UnitCertainty::Guessed;
        // 100 IOPS at 8 ms.
        let disk = [(0, 8000), (10, 8000), (20, 8000), (30, 8000)];
        assert_eq!(unit("t,v,d,bs", Mode::PerIo, &disk), (LatUnit::Microseconds, Guessed));
        // 1000 IOPS at 0.2 ms.
        let flash = [(0, 200_000), (1, 200_000), (2, 200_000), (3, 200_000)];
        assert_eq!(unit("t,v,d,bs", Mode::PerIo, &flash), (LatUnit::Nanoseconds, Guessed));
        // 100 IOPS at 0.1 ms: held back. As microseconds the first I/O would be older than its job.
        let held = [(0, 100_000), (10, 100_000), (20, 100_000)];
        assert_eq!(unit("t,v,d,bs", Mode::PerIo, &held), (LatUnit::Nanoseconds, Guessed));
        assert_eq!(unit("t,v,d,bs", Mode::Windowed, &[(500, 140)]), (LatUnit::Microseconds, Guessed));
        assert_eq!(unit("t,v,d,bs", Mode::Windowed, &[(500, 183_923)]), (LatUnit::Nanoseconds, Guessed));
    }
}
