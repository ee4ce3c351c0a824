//! The unit of a latency log, which fio does not write down.
//!
//! fio 1 and 2 wrote microseconds, fio 3 (from 2.99) nanoseconds. Known from the
//! caller, or from columns that only one of them has: three are fio 1, a
//! priority or a maximum is fio 3.18 and later. Otherwise a guess, marked so.

use super::layout::Layout;
use super::mode::{Mode, median};
use super::row::Row;
use crate::ingest::{LatUnit, LogKind, UnitCertainty};

/// The unit of the latencies in a log, concluded from its head.
pub(super) fn lat_unit(kind: LogKind, layout: &Layout, mode: Mode, rows: &[Row]) -> (LatUnit, UnitCertainty) {
    use LatUnit::{Microseconds, Nanoseconds};
    use UnitCertainty::{Guessed, Known};
    if layout.is_recent() {
        return (Nanoseconds, Known);
    }
    if layout.len() == 3 {
        return (Microseconds, Known);
    }
    let mut values: Vec<u64> = rows.iter().map(|row| row.value).collect();
    values.sort_unstable();
    let middle = median(&values).unwrap_or(0.0);
    if layout.is_undecided() {
        // A priority in nearly every log; the offset of a windowed log of fio 2 is 0 as well, but
        // below these bounds nanoseconds are out of reach of a device, above them microseconds.
        let (least, sure) = if kind == LogKind::Slat { (50.0, 500.0) } else { (5e3, 5e4) };
        return match middle {
            m if m < least => (Microseconds, Guessed),
            m if m < sure && mode == Mode::Windowed => (Nanoseconds, Guessed),
            _ => (Nanoseconds, Known),
        };
    }
    let nanoseconds = match (kind, mode) {
        (LogKind::Slat, _) => middle >= 200.0,
        (_, Mode::PerIo) => is_nanoseconds_by_depth(rows, middle),
        // 30 us or 30 ms: flash answers above the former, hard disks below the latter.
        (_, Mode::Windowed) => middle >= 3e4,
    };
    (if nanoseconds { Nanoseconds } else { Microseconds }, Guessed)
}

/// Little's law: rate times latency is the number of I/Os in flight.
///
/// Read as nanoseconds it is 1 at depth 1 and a thousandth when the values are
/// microseconds; the bound lies between, and higher where a device would have to
/// answer within 2 us.
fn is_nanoseconds_by_depth(rows: &[Row], middle: f64) -> bool {
    let stamps = rows.iter().map(|row| row.t);
    let span = stamps.clone().max().unwrap_or(0) - stamps.min().unwrap_or(0);
    let rate = rows.len() as f64 * 1000.0 / span.max(1) as f64;
    let depth = rate * middle * 1e-9;
    if middle < 2e3 { depth >= 0.3 || rate > 5e5 } else { depth >= 0.03 }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn unit(layout: &str, mode: Mode, rows: &[(u64, u64)]) -> (LatUnit, UnitCertainty) {
        let layout = Layout::given(layout).unwrap();
        let rows: Vec<Row> =
            rows.iter().map(|&(t, value)| Row { line: 1, t, value, direction: 0, bytes: 4096 }).collect();
        lat_unit(LogKind::Clat, &layout, mode, &rows)
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
        assert_eq!(unit("t,v,d,bs", Mode::Windowed, &[(500, 140)]), (LatUnit::Microseconds, Guessed));
        assert_eq!(unit("t,v,d,bs", Mode::Windowed, &[(500, 183_923)]), (LatUnit::Nanoseconds, Guessed));
    }
}
