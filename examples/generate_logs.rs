//! Makes logs for benchmarks, the same bytes for the same arguments:
//!
//! ```text
//! cargo run --release --no-default-features --example generate_logs -- \
//!     --rows 50000000 --columns 5 --kind lat --seed 1 -o /tmp/big_lat.1.log
//! ```
//!
//! | argument | meaning | default |
//! |---|---|---|
//! | `-o FILE` | where to write; with `--files N` a folder | (required) |
//! | `--rows N` | rows of a log | 1000000 |
//! | `--columns N` | 3 to 6: time, value, direction, block size, priority or offset, priority | 5 |
//! | `--kind K` | `lat`, `iops` or `bw` | `lat` |
//! | `--window MS` | a row for each window and direction in place of one for each I/O | 0 |
//! | `--rate N` | I/Os in a second | 100000 |
//! | `--seed S` | another log of the same kind | 1 |
//! | `--hostile H` | what makes reading hard, see [`Hostile`] | `none` |
//! | `--files N` | that many logs of different seeds, `FOLDER/job_LAT.1.log` and so on | 1 |
//! | `--json` | outputs of fio in place of logs; a thousand rows are a job | |
//!
//! Reads and writes stand side by side, seven to three. Latencies are skewed, with a tail. The
//! name of a log must tell its kind to plotgen: `x_lat.1.log`, `x_iops.1.log`, `x_bw.1.log`.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What makes a log hard to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hostile {
    /// Nothing.
    None,
    /// Stamps of nine and more digits: a run above 27 hours.
    LongTimes,
    /// Stamps in Unix milliseconds.
    Epoch,
    /// One value in twenty is above 100 ms, nine and more digits.
    LongValues,
    /// Stretches of a few thousand rows, each beginning at 0.
    Segments,
    /// Rows of two jobs in turn, one 15 ms behind the other.
    Interleaved,
    /// Rows of two jobs in turn, one 300 ms behind the other.
    Lagging,
    /// Line ends of Windows.
    Crlf,
    /// No blank after a comma.
    NoBlanks,
    /// The last column is a hexadecimal priority.
    Hex,
    /// One row in a hundred is none: cut, a word, an impossible direction, a counter that wrapped.
    Bad,
    /// Several at once: long times and values, Windows line ends, no blanks, bad rows.
    All,
}

const HOSTILE: [(&str, Hostile); 12] = [
    ("none", Hostile::None),
    ("long-times", Hostile::LongTimes),
    ("epoch", Hostile::Epoch),
    ("long-values", Hostile::LongValues),
    ("segments", Hostile::Segments),
    ("interleaved", Hostile::Interleaved),
    ("lagging", Hostile::Lagging),
    ("crlf", Hostile::Crlf),
    ("no-blanks", Hostile::NoBlanks),
    ("hex", Hostile::Hex),
    ("bad", Hostile::Bad),
    ("all", Hostile::All),
];

/// What is made.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) rows: u64,
    pub(crate) columns: usize,
    pub(crate) kind: String,
    pub(crate) window: u64,
    pub(crate) rate: u64,
    pub(crate) seed: u64,
    pub(crate) hostile: Hostile,
    pub(crate) files: u64,
    pub(crate) json: bool,
    pub(crate) out: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            rows: 1_000_000,
            columns: 5,
            kind: "lat".to_owned(),
            window: 0,
            rate: 100_000,
            seed: 1,
            hostile: Hostile::None,
            files: 1,
            json: false,
            out: PathBuf::new(),
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// A latency in ns: 40 us and more, mostly below 200 us, one in a thousand some ms.
    fn latency(&mut self) -> u64 {
        let bits = self.next();
        let base = 40_000 + (bits & 0xffff) + (bits >> 16 & 0x7fff);
        match bits >> 48 {
            0..64 => base * 40,
            64..2048 => base * 4,
            _ => base,
        }
    }
}

fn main() -> ExitCode {
    match options(std::env::args().skip(1)).and_then(|options| run(&options).map_err(|e| e.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("generate_logs: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(name) = arguments.next() {
        if name == "--json" {
            options.json = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number =
            || value.parse::<u64>().map_err(|_| format!("{name}: expected a number, found `{value}`"));
        match name.as_str() {
            "--rows" => options.rows = number()?,
            "--columns" => options.columns = number()?.clamp(3, 6) as usize,
            "--kind" => options.kind.clone_from(&value),
            "--window" => options.window = number()?,
            "--rate" => options.rate = number()?.max(1),
            "--seed" => options.seed = number()?,
            "--files" => options.files = number()?,
            "-o" => options.out = PathBuf::from(&value),
            "--hostile" => {
                let known = HOSTILE.iter().find(|(word, _)| *word == value);
                let words = HOSTILE.map(|(word, _)| word).join(", ");
                options.hostile =
                    known.ok_or_else(|| format!("--hostile: expected one of {words}, found `{value}`"))?.1;
            }
            _ => return Err(format!("unknown argument `{name}`")),
        }
    }
    if !["lat", "iops", "bw"].contains(&options.kind.as_str()) {
        return Err(format!("--kind: expected lat, iops or bw, found `{}`", options.kind));
    }
    if options.out.as_os_str().is_empty() {
        return Err("-o FILE is needed".to_owned());
    }
    Ok(options)
}

/// Makes it.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    if options.files <= 1 {
        return write(options, options.seed, &options.out);
    }
    fs::create_dir_all(&options.out)?;
    for file in 0..options.files {
        let ending = if options.json { "json".to_owned() } else { format!("log_{}.1.log", options.kind) };
        let name = format!("disk{}_qd{}_run{}_{ending}", file / 40, 1 << (file / 5 % 8), file % 5 + 1);
        let name = if options.json { name.replace("_json", ".json") } else { name.replace("_log_", "_") };
        write(options, options.seed + file, &options.out.join(name))?;
    }
    Ok(())
}

fn write(options: &Options, seed: u64, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    if options.json {
        json(options, seed, &mut out)?;
    } else {
        log(options, seed, &mut out)?;
    }
    out.flush()
}

/// Digits of a number, and nothing else.
fn push(line: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}

fn log(options: &Options, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let Options { rows, columns, window, rate, hostile, .. } = *options;
    let all = hostile == Hostile::All;
    let mut random = Random(seed);
    let separator: &[u8] = if all || hostile == Hostile::NoBlanks { b"," } else { b", " };
    let end: &[u8] = if all || hostile == Hostile::Crlf { b"\r\n" } else { b"\n" };
    let long_values = all || hostile == Hostile::LongValues;
    let start = match hostile {
        Hostile::LongTimes | Hostile::All => 100_000_000,
        Hostile::Epoch => 1_796_140_927_722,
        _ => 0,
    };
    // At most a thousand stretches, as a log may have.
    let stretch = (rows / 1000).max(5000);
    let mut line = Vec::with_capacity(128);
    for row in 0..rows {
        line.clear();
        let bits = random.next();
        let mut direction = u64::from(bits % 10 >= 7);
        let mut t = if window > 0 { (row / 2 + 1) * window + bits % 3 } else { row * 1000 / rate };
        match hostile {
            Hostile::Segments => t = row % stretch * 1000 / rate,
            Hostile::Interleaved if row % 2 == 1 => t = t.saturating_sub(15),
            Hostile::Lagging if row % 2 == 1 => t = t.saturating_sub(300),
            _ => {}
        }
        if window > 0 {
            direction = row % 2;
        }
        let latency = match random.latency() {
            long if long_values && bits >> 8 & 0xff < 13 => 100_000_000 + long * 1000,
            usual => usual,
        };
        let value = match options.kind.as_str() {
            "iops" if window > 0 => rate + bits % 1000,
            "iops" => 1,
            "bw" if window > 0 => rate * 4 + bits % 1000,
            "bw" => 4_000_000_000 / latency,
            _ => latency,
        };
        if (all || hostile == Hostile::Bad) && bits >> 20 & 0x7f == 0 {
            match bits >> 28 & 3 {
                0 => line.extend_from_slice(b"fio: io_u error"),
                1 => direction = 7,
                2 => line.extend_from_slice(b"12345, 18446744073709551615, 0, 4096, 0"),
                _ => line.extend_from_slice(b"12345, 1"),
            }
        }
        if line.is_empty() {
            push(&mut line, start + t);
            line.extend_from_slice(separator);
            push(&mut line, value);
            line.extend_from_slice(separator);
            push(&mut line, direction);
            if columns > 3 {
                line.extend_from_slice(separator);
                push(&mut line, if window > 0 { 0 } else { 4096 });
            }
            if columns == 6 {
                line.extend_from_slice(separator);
                push(&mut line, (bits >> 16 & 0xff_ffff) * 4096);
            }
            if columns > 4 {
                line.extend_from_slice(separator);
                match hostile {
                    Hostile::Hex => line.extend_from_slice(if bits & 1 == 0 { b"0x2003" } else { b"0x400f" }),
                    _ => line.push(b'0'),
                }
            }
        }
        line.extend_from_slice(end);
        out.write_all(&line)?;
    }
    Ok(())
}

/// An output of fio 3.36 with a job for each thousand rows, as `--output-format=json` writes it.
fn json(options: &Options, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random(seed);
    writeln!(out, "{{\n  \"fio version\" : \"fio-3.36\",\n  \"timestamp\" : 1700000000,")?;
    writeln!(
        out,
        "  \"global options\" : {{ \"bs\" : \"4k\", \"ioengine\" : \"libaio\" }},\n  \"jobs\" : ["
    )?;
    let jobs = options.rows.div_ceil(1000).max(1);
    for job in 0..jobs {
        let mut text = String::new();
        let _ = write!(
            text,
            "    {{\n      \"jobname\" : \"job{job}\", \"groupid\" : {job}, \"error\" : 0, \"elapsed\" : 61,\n      \
             \"job options\" : {{ \"rw\" : \"randrw\", \"iodepth\" : \"{}\", \"runtime\" : \"60\" }}",
            1 << (seed % 8)
        );
        for direction in ["read", "write", "trim"] {
            let ios = if direction == "trim" { 0 } else { options.rate * 60 + random.below(1000) };
            let _ = write!(
                text,
                ",\n      \"{direction}\" : {{\n        \"io_bytes\" : {}, \"bw_bytes\" : {}, \"bw\" : {}, \
                 \"iops\" : {}.5, \"runtime\" : 60000, \"total_ios\" : {ios}",
                ios * 4096,
                ios * 4096 / 60,
                ios * 4 / 60,
                ios / 60
            );
            for name in ["slat_ns", "clat_ns", "lat_ns"] {
                let mean = if ios == 0 { 0 } else { random.latency() };
                let _ = write!(
                    text,
                    ",\n        \"{name}\" : {{ \"min\" : {}, \"max\" : {}, \"mean\" : {mean}.25, \"stddev\" : {}.75, \
                     \"N\" : {ios}",
                    mean / 4,
                    mean * 90,
                    mean / 3
                );
                if name == "clat_ns" && ios > 0 {
                    text.push_str(", \"percentile\" : {");
                    let points = [
                        1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5,
                        99.9, 99.95, 99.99,
                    ];
                    for (index, point) in points.into_iter().enumerate() {
                        let comma = if index == 0 { "" } else { "," };
                        let _ = write!(
                            text,
                            "{comma}\n          \"{point:.6}\" : {}",
                            mean / 4 + mean * index as u64 / 8
                        );
                    }
                    text.push_str("\n        }");
                }
                text.push_str(" }");
            }
            let _ = write!(
                text,
                ",\n        \"bw_min\" : 100, \"bw_max\" : 900, \"bw_agg\" : 100.0, \"bw_mean\" : 500.5, \"bw_dev\" : \
                 3.25, \"bw_samples\" : 119, \"iops_min\" : 25, \"iops_max\" : 225, \"iops_mean\" : 125.5, \
                 \"iops_stddev\" : 1.5, \"iops_samples\" : 119\n      }}"
            );
        }
        let _ = writeln!(
            text,
            ",\n      \"job_runtime\" : 60000, \"usr_cpu\" : 3.5, \"sys_cpu\" : 9.25, \"ctx\" : 12345, \"majf\" : 0, \
             \"minf\" : 12\n    }}{}",
            if job + 1 == jobs { "" } else { "," }
        );
        out.write_all(text.as_bytes())?;
    }
    writeln!(out, "  ]\n}}")
}
