//! What the name of a fio log says: prefix, kind, job number, host.
//!
//! `<prefix>_<kind>[.<N>].log[.fz][.<host>]`, read from the right; a user-given
//! `x.log` as prefix gives `x.log_bw.1.log`. Sources: fio HOWTO, `write_bw_log`.

use serde::{Deserialize, Serialize};

/// A file name without the endings of packed files.
#[must_use]
pub fn without_packing(name: &str) -> &str {
    let mut name = name;
    while let Some(shorter) = [".gz", ".zst", ".xz", ".bz2"].iter().find_map(|end| name.strip_suffix(end)) {
        name = shorter;
    }
    name
}

/// Which of fio's logs it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// Bandwidth.
    Bw,
    /// IOPS.
    Iops,
    /// Total latency.
    Lat,
    /// Completion latency.
    Clat,
    /// Submission latency.
    Slat,
    /// Completion latency histograms.
    ClatHist,
}

impl LogKind {
    /// The word in the file name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LogKind::Bw => "bw",
            LogKind::Iops => "iops",
            LogKind::Lat => "lat",
            LogKind::Clat => "clat",
            LogKind::Slat => "slat",
            LogKind::ClatHist => "clat_hist",
        }
    }
}

/// A fio log's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LogName {
    /// What the user or fio put in front.
    pub prefix: String,
    /// Which log.
    pub kind: LogKind,
    /// fio's thread number, from 1; None where all jobs share a file.
    pub number: Option<u32>,
    /// Host, for logs that a fio server sent.
    pub host: Option<String>,
}

impl LogName {
    /// Takes a file name apart; None when it does not look like a fio log's.
    ///
    /// Endings of packed files are passed over.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        // The last `.log` that ends the name or is followed by `.host` and has `_kind[.N]` before it.
        let mut end = name.len();
        while let Some(at) = name[..end].rfind(".log") {
            let rest = &name[at + 4..];
            if (rest.is_empty() || rest.starts_with('.'))
                && let Some(parsed) = LogName::parse_stem(&name[..at], rest)
            {
                return Some(parsed);
            }
            end = at;
        }
        None
    }

    fn parse_stem(stem: &str, rest: &str) -> Option<Self> {
        let (body, number) = match stem.rsplit_once('.') {
            Some((body, digits)) if !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()) => {
                (body, digits.parse().ok())
            }
            _ => (stem, None),
        };
        // Longest word first: `clat_hist` before `hist` can be taken for a prefix, `clat` before `lat`.
        let kinds =
            [LogKind::ClatHist, LogKind::Iops, LogKind::Clat, LogKind::Slat, LogKind::Lat, LogKind::Bw];
        let (prefix, kind) = kinds.into_iter().find_map(|kind| {
            let prefix = body.strip_suffix(kind.as_str())?;
            let prefix = match prefix.strip_suffix('_') {
                Some(prefix) => prefix,
                None if prefix.is_empty() => prefix,
                None => return None,
            };
            Some((prefix.to_owned(), kind))
        })?;
        let mut rest = without_packing(rest);
        // fio's own (`log_store_compressed`), and what people name such a file once it is unpacked.
        for ending in [".txt", ".inflated", ".fz"] {
            rest = rest.strip_suffix(ending).unwrap_or(rest);
        }
        let host = rest.strip_prefix('.').filter(|host| !host.is_empty()).map(str::to_owned);
        Some(LogName { prefix, kind, number, host })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(name: &str) -> Option<(String, LogKind, Option<u32>, Option<String>)> {
        LogName::parse(name).map(|n| (n.prefix, n.kind, n.number, n.host))
    }

    #[test]
    fn names_are_split_from_the_right() {
        assert_eq!(parsed("a_bw.1.log"), Some(("a".into(), LogKind::Bw, Some(1), None)));
        assert_eq!(parsed("my_clat_test_lat.log"), Some(("my_clat_test".into(), LogKind::Lat, None, None)));
        assert_eq!(parsed("x.log_bw.1.log"), Some(("x.log".into(), LogKind::Bw, Some(1), None)));
        assert_eq!(parsed("a_clat_hist.2.log"), Some(("a".into(), LogKind::ClatHist, Some(2), None)));
        assert_eq!(
            parsed("a_iops.3.log.node1"),
            Some(("a".into(), LogKind::Iops, Some(3), Some("node1".into())))
        );
        assert_eq!(
            parsed("a_iops.3.log.10.0.0.1.gz"),
            Some(("a".into(), LogKind::Iops, Some(3), Some("10.0.0.1".into())))
        );
        assert_eq!(parsed("data_slat.log.gz"), Some(("data".into(), LogKind::Slat, None, None)));
        for name in ["a_clat.1.log.fz", "a_clat.1.log.inflated.txt", "a_clat.1.log.fz.inflated.txt"] {
            assert_eq!(parsed(name), Some(("a".into(), LogKind::Clat, Some(1), None)), "{name}");
        }
        assert_eq!(
            parsed("--write_iops_log_bw.1.log"),
            Some(("--write_iops_log".into(), LogKind::Bw, Some(1), None))
        );
    }

    #[test]
    fn other_names_are_no_log_names() {
        for name in ["fio.log", "guest.log", "a_bw.txt", "catalog", "flat.log", "a_bw.1.log2"] {
            assert_eq!(parsed(name), None, "{name}");
        }
    }
}
