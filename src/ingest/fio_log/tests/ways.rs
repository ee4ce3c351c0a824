//! The reader of many lines at once against the simple one: the same cells, counts and remarks, bit for bit.

use super::super::lines::Lines;
use super::super::{Way, read_rows};
use super::*;
use std::fmt::Write as _;

/// Everything that a way of reading makes of a log, to be compared.
fn made(way: Way, name: &str, bytes: &[u8]) -> String {
    let context = ReadContext { name, lat_unit: None, layout: None, runtime_ms: None };
    let mut input = bytes;
    let lines = Lines::new(&mut input).unwrap();
    match read_rows(lines, LogName::parse(name).unwrap(), &context, way) {
        Ok(parsed) => format!("{parsed:?}"),
        Err(error) => format!("{error:?}"),
    }
}

#[track_caller]
fn same(name: &str, bytes: &[u8]) {
    let (fast, simple) = (made(Way::Fastest, name, bytes), made(Way::RowByRow, name, bytes));
    if fast != simple {
        let at = fast.bytes().zip(simple.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(80);
        let show =
            |text: &str| String::from_utf8_lossy(&text.as_bytes()[at..text.len().min(at + 400)]).into_owned();
        panic!("fast:\n{}\nsimple:\n{}", show(&fast), show(&simple));
    }
}

/// A log of windows, two directions, with something odd in place of some rows.
fn windows_of(rows: u64, columns: usize, separator: &str, odd: impl Fn(u64) -> Option<String>) -> String {
    let row = |row: u64| {
        let cells = [(row / 2 + 1) * 1000 + row % 3, 40_000 + row * 7919 % 90_000, row % 2, 0, 0, 0];
        let cells: Vec<String> = cells.iter().take(columns).map(u64::to_string).collect();
        cells.join(separator)
    };
    (0..rows).map(|at| odd(at).unwrap_or_else(|| row(at)) + "\n").collect()
}

/// What reading makes of a log that is whole in its head, and what recognising and reading it at once makes of it.
fn at_once(name: &str, bytes: &[u8]) -> [Option<String>; 2] {
    let context = ReadContext { name, lat_unit: None, layout: None, runtime_ms: None };
    let head = Head { name, bytes, whole: true };
    let apart =
        FioLog.detect(&head).map(|claim| format!("{claim:?} {:?}", FioLog.read(&mut { bytes }, &context)));
    let once = FioLog.read_whole(&head, &context).map(|(claim, parsed)| format!("{claim:?} {parsed:?}"));
    [apart, once]
}

#[test]
fn block_sizes_of_a_log_read_before_are_not_those_of_a_log_without() {
    // On one thread, which keeps the room of the first log for the second.
    let sized = log_of(60_000, 5, ", ", "\n", |_| None);
    same("sized_lat.1.log", sized.as_bytes());
    let zeros = log_of(60_000, 3, ", ", "\n", |row| (row % 40 == 9).then_some("0, 0, 0"));
    same("bare_lat.1.log", zeros.as_bytes());
}

#[test]
fn short_logs_are_the_same_recognised_and_read_at_once() {
    let odd = [
        "",
        "fio: error",
        "5, 5",
        "1000, 1, 7, 0, 0",
        "  1000, 7, 1, 0, 0 ",
        "0, 0, 0, 0, 0",
        "99999999, 7, 0, 0, 0",
    ];
    for columns in 3..=6 {
        for separator in [", ", ",", " , "] {
            for kind in ["lat", "iops", "bw", "clat", "slat", "clat_hist"] {
                let name = format!("a_{kind}.1.log");
                let clean = windows_of(120, columns, separator, |_| None);
                let appended = format!("{clean}{clean}");
                let cut = &clean[..clean.len() - 3];
                let few = windows_of(2, columns, separator, |_| None);
                let ios = log_of(300, columns, separator, "\n", |_| None);
                for text in [&clean, &appended, cut, &few, &ios, "", "\n"] {
                    let [apart, once] = at_once(&name, text.as_bytes());
                    assert_eq!(apart, once, "{name}, {columns} columns");
                }
                for odd in odd {
                    let text =
                        windows_of(120, columns, separator, |row| (row % 50 == 7).then(|| odd.to_owned()));
                    let [apart, once] = at_once(&name, text.as_bytes());
                    assert_eq!(apart, once, "{name}, {columns} columns, `{odd}`");
                }
            }
        }
    }
    let [apart, once] = at_once("a_lat.1.log", windows_of(120, 4, ", ", |_| None).as_bytes());
    assert!(apart.is_some_and(|made| made.contains("rows: 120")) && once.is_some());
}

/// With so many threads.
fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// A log of single I/Os, longer than two texts, with something odd in some rows.
fn log_of(
    rows: u64,
    columns: usize,
    separator: &str,
    end: &str,
    odd: impl Fn(u64) -> Option<&'static str>,
) -> String {
    let mut text = String::new();
    for row in 0..rows {
        if let Some(odd) = odd(row) {
            text.push_str(odd);
            text.push_str(end);
            continue;
        }
        let mix = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let value = [mix % 100, 40_000 + mix % 90_000, 123_456_789 + mix % 1_000_000_000]
            [usize::from(mix % 50 > 0) + usize::from(mix % 31 == 3)];
        let cells =
            [row / 40, value, mix % 10 / 7, [4096, 65_536][(mix % 5 / 4) as usize], mix % 5000 * 4096, 0];
        for (index, cell) in cells.iter().take(columns).enumerate() {
            let separator = if index == 0 { "" } else { separator };
            let _ = write!(text, "{separator}{cell}");
        }
        text.push_str(end);
    }
    text
}

#[test]
fn clean_logs_of_every_width_are_the_same_either_way() {
    for columns in 3..=6 {
        for (separator, end) in [(", ", "\n"), (",", "\n"), (", ", "\r\n"), (",", "\r\n")] {
            same("a_clat.1.log", log_of(12_000, columns, separator, end, |_| None).as_bytes());
        }
    }
}

#[test]
fn bandwidth_and_iops_are_the_same_either_way() {
    let text = log_of(12_000, 5, ", ", "\n", |_| None);
    same("a_bw.1.log", text.as_bytes());
    let ones: String = text
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split(", ").collect();
            cells[1] = "1";
            cells.join(", ") + "\n"
        })
        .collect();
    same("a_iops.1.log", ones.as_bytes());
}

#[test]
fn odd_rows_among_clean_ones_are_the_same_either_way() {
    const ODD: [&str; 24] = [
        "",
        "fio: io_u error",
        "12, 18446744073709551615, 0, 4096, 0",
        "12, 5, 7, 4096, 0",
        "12, 5",
        "12, 5, 0, 4096, 0, 9, 9",
        " 12 ,\t34567, 1 , 512, 0",
        "\u{0}\u{0}12, 34567, 1, 512, 0\u{0}",
        "0, 0, 0, 0, 0",
        "12, 00000000000000000000077, 0, 4096, 0",
        "12, 77, 00, 4096, 0",
        "12, 77, 01, 4096, 0",
        "12, 1000000000000001, 0, 4096, 0",
        "12, 5, 0, 2199023255552, 0",
        "12, 5, 0, 0x10, 0",
        "12, 5, 0, 4096, 0x2003",
        "12, 5, 0, 4096, -1",
        "12,, 5, 0, 4096",
        "12, 5, 0, 4096,",
        ", 12, 5, 0, 4096",
        "12,  5, 0, 4096, 0",
        "12 5 0 4096 0",
        "99999999999999999, 5, 0, 4096, 0",
        "12, 5, 0, 4096, 0\r",
    ];
    for every in [1000, 97, 11] {
        let odd = |row: u64| (row % every == 3).then(|| ODD[(row / every % ODD.len() as u64) as usize]);
        for (separator, end) in [(", ", "\n"), (",", "\r\n")] {
            same("a_clat.1.log", log_of(12_000, 5, separator, end, odd).as_bytes());
        }
    }
}

#[test]
fn hexadecimal_priorities_are_the_same_either_way() {
    let text = log_of(12_000, 4, ", ", "\n", |_| None);
    for endings in [
        ["0x2003", "0x400f"],
        ["0", "0xABCD"],
        ["0x12345", "0x0001"],
        ["0xg000", "0x200"],
        ["x0x2003", "1x2003"],
    ] {
        for end in ["\n", "\r\n"] {
            let rows = text.lines().enumerate();
            let hex: String = rows
                .map(|(row, line)| format!("{line}, {}{end}", endings[usize::from(row % 3 == 0)]))
                .collect();
            same("a_clat.1.log", hex.as_bytes());
        }
    }
}

#[test]
fn a_text_may_end_anywhere_in_a_row() {
    let text = log_of(26_000, 5, ", ", "\n", |row| (row % 211 == 0).then_some("fio: warning"));
    assert!(text.len() > 2 * Lines::LONGEST);
    for shift in 0..30 {
        let shifted = format!("0, {:0>1$}, 0, 4096, 0\n{text}", 5, shift + 1);
        same("a_clat.1.log", shifted.as_bytes());
        same("a_clat.1.log", &shifted.as_bytes()[..shifted.len() - shift % 40]);
    }
}

#[test]
fn long_lines_and_holes_are_the_same_either_way() {
    let text = log_of(15_000, 5, ", ", "\n", |_| None);
    let at = text.len() / 2;
    let at = at + text[at..].find('\n').unwrap() + 1;
    for hole in [5, 5000, Lines::LONGEST - 1, Lines::LONGEST, Lines::LONGEST + 1, 3 * Lines::LONGEST] {
        for byte in [0u8, b'7', b','] {
            for end in ["\n", ""] {
                let filler = vec![byte; hole];
                same(
                    "a_clat.1.log",
                    &[&text.as_bytes()[..at], &filler, end.as_bytes(), &text.as_bytes()[at..]].concat(),
                );
                same("a_clat.1.log", &[text.as_bytes(), &filler, end.as_bytes()].concat());
            }
        }
    }
}

/// Rows whose stamps do what stamps should not.
fn stamped(rows: u64, t: impl Fn(u64) -> u64) -> String {
    let mut text = String::new();
    for row in 0..rows {
        let mix = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let _ = writeln!(text, "{}, {}, {}, 4096, 0", t(row), 20_000 + mix % 100_000, mix % 10 / 7);
    }
    text
}

#[test]
fn stamps_of_every_kind_are_the_same_either_way() {
    let kinds: [fn(u64) -> u64; 12] = [
        |row| row / 40,
        |row| 100_000_000 + row / 40,
        |row| 1_796_140_927_722 + row / 40,
        |row| row % 5000 / 40,
        |row| (row / 4).saturating_sub(row % 2 * 15),
        |row| (row / 4).saturating_sub(row % 2 * 300),
        |row| (row / 4).saturating_sub(row % 2 * 3000),
        |row| if row % 777 == 5 { 99_000_000_000 } else { row / 40 },
        |row| row / 40 + row / 10_000 * 700_000,
        |row| if row % 3 == 0 { 0 } else { row },
        |row| 30_000u64.saturating_sub(row),
        |row| row * 500,
    ];
    for (kind, t) in kinds.into_iter().enumerate() {
        println!("kind {kind}");
        let text = stamped(14_000, t);
        same("a_clat.1.log", text.as_bytes());
        same("a_bw.1.log", text.as_bytes());
    }
}

#[test]
fn windows_are_the_same_either_way() {
    let mut text = String::new();
    for window in 1..20_000u64 {
        let _ = write!(
            text,
            "{}, {}, 0, 0, 0\n{}, {}, 1, 0, 0\n",
            window * 500,
            window % 977,
            window * 500 + window % 3,
            window % 31
        );
    }
    for name in ["a_bw.1.log", "a_iops.1.log", "a_lat.1.log"] {
        same(name, text.as_bytes());
        same(name, text.repeat(3).as_bytes());
    }
}

#[test]
fn any_number_of_threads_makes_the_same() {
    let odd = |row: u64| (row % 997 == 3).then_some("fio: warning");
    let mixed =
        log_of(120_000, 5, ", ", "\n", odd) + &stamped(40_000, |row| (row / 4).saturating_sub(row % 2 * 300));
    let one = on(1, || made(Way::Fastest, "a_clat.1.log", mixed.as_bytes()));
    for threads in [2, 3, 8] {
        for _ in 0..5 {
            assert!(
                on(threads, || made(Way::Fastest, "a_clat.1.log", mixed.as_bytes())) == one,
                "{threads} threads"
            );
        }
    }
}

/// A row, or something like one.
fn line() -> impl Strategy<Value = String> {
    let number = || {
        prop_oneof![
            6 => (0u64..200_000).prop_map(|n| n.to_string()),
            2 => any::<u64>().prop_map(|n| (n >> (n % 64)).to_string()),
            1 => Just("0".to_owned()),
            1 => "[0-9x, -]{0,4}",
        ]
    };
    let row = (
        0u64..400,
        number(),
        0u64..4,
        prop::sample::select(vec!["4096", "512", "0", "4096, 77"]),
        prop::sample::select(vec![", 0", ", 0", ", 0x2003", "", ", 1\t"]),
    )
        .prop_map(|(t, value, direction, bytes, last)| format!("{t}, {value}, {direction}, {bytes}{last}"));
    prop_oneof![20 => row, 1 => "[ -~]{0,60}", 1 => "[0-9, \r\t]{0,40}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn any_lines_are_the_same_either_way(
        name in prop::sample::select(vec!["a_bw.1.log", "a_iops.1.log", "a_clat.1.log", "a_slat.log"]),
        lines in prop::collection::vec(line(), 1..300),
        rising in any::<bool>(),
        end in prop::sample::select(vec!["\n", "\n", "\r\n"]),
    ) {
        let mut lines = lines;
        if rising {
            lines.sort_by_key(|line| line.split(',').next().and_then(|t| t.parse::<u64>().ok()));
        }
        let text = lines.join(end) + end;
        prop_assert_eq!(made(Way::Fastest, name, text.as_bytes()), made(Way::RowByRow, name, text.as_bytes()));
    }
}

#[test]
fn a_wild_value_in_a_line_that_is_no_row_hides_no_least_one() {
    for wild in
        ["1000000000000001", "9300000000000000000", "18446744073709551615", "100000000000000000000000"]
    {
        for rows in [2, 63, 64, 65, 200] {
            let mut log: String =
                (0..rows).map(|row| format!("{}, {}, 1, 4096\n", 1500 + row, 762_979 - row * 7)).collect();
            log += &format!("{}, {wild}, 1, 4096\n", 1500 + rows);
            same("a_lat.1.log", log.as_bytes());
        }
    }
}
