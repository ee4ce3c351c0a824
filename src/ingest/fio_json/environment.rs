//! What fio's JSON tells about a run besides its figures: in words, a line each, for people.
//!
//! In: a document, and the entries of a group. Out: names and texts. Shares of several jobs are means over them.

use super::document::{Direction, Document, JobEntry, Latency};
use super::value::Shares;
use crate::ingest::fio_report::error_phrase;
use crate::model::unit::{BaseUnit, UnitSystem, humanize};
use std::collections::{BTreeMap, BTreeSet};

/// What a document says of all its groups: the names of what is said, and the words.
pub(super) fn of_document(document: &Document) -> Vec<(&'static str, String)> {
    let stamp = document.written_ms().and_then(|(ms, _)| iso_utc(ms / 1000));
    let disks: BTreeSet<&str> = document.disks.as_slice().iter().map(|disk| disk.name.as_str()).collect();
    let said = [
        ("timestamp", stamp.unwrap_or_else(|| document.time.as_str().trim().to_owned())),
        ("fio_version", document.version.as_str().to_owned()),
        ("disks", disks.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")),
        ("disk_util", disk_util(document)),
    ];
    said.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// Time, hosts, disks and the tables that have no place among the figures, in words; `shared` is what
/// [`of_document`] gave.
pub(super) fn environment(shared: &[(&str, String)], jobs: &[&JobEntry]) -> BTreeMap<String, String> {
    let hosts: BTreeSet<&str> = jobs.iter().filter_map(|job| host(job)).collect();
    let own = [
        ("hostname", hosts.into_iter().collect::<Vec<_>>().join(", ")),
        ("cpu", cpu(jobs)),
        ("iodepth_level", shares(jobs, |job| [("", &job.depths)], "")),
        ("latency_distribution", shares(jobs, latency_tables, "up to ")),
        ("sync_latency", syncs(jobs)),
        ("priorities", priorities(jobs)),
        ("steady_state", steady_state(jobs)),
        ("errors", errors(jobs)),
    ];
    let own = own.into_iter().filter(|(_, text)| !text.is_empty());
    let shared = shared.iter().map(|(key, text)| (*key, text.clone()));
    own.chain(shared).map(|(key, text)| (key.to_owned(), text)).collect()
}

fn latency_tables(job: &JobEntry) -> [(&'static str, &Shares); 3] {
    [("ns", &job.latency_ns), ("us", &job.latency_us), ("ms", &job.latency_ms)]
}

/// Name of the server that ran the job, in client mode.
pub(super) fn host(job: &JobEntry) -> Option<&str> {
    Some(job.hostname.as_str()).filter(|host| !host.is_empty())
}

/// `usr 3.07 %, sys 32.7 %`; shares of one processor.
fn cpu(jobs: &[&JobEntry]) -> String {
    let mean = |of: fn(&JobEntry) -> Option<f64>| {
        let known: Vec<f64> = jobs.iter().filter_map(|job| of(job)).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let (usr, sys) = (mean(|job| job.usr_cpu.figure()), mean(|job| job.sys_cpu.figure()));
    let words = [("usr", usr), ("sys", sys)];
    let words = words.into_iter().filter_map(|(name, share)| Some(format!("{name} {}", percent(share?))));
    each_of(jobs, words.collect())
}

/// Two digits after the point at most, as fio prints its tables.
fn percent(share: f64) -> String {
    /// Up to here hundredths are what the shortest digits of the float say.
    const PLAIN: f64 = 1e12;
    let hundredths = (share * 100.0).round();
    if !(0.0..PLAIN).contains(&hundredths) {
        return format!("{} %", hundredths / 100.0);
    }
    let hundredths = hundredths as u64;
    let whole = hundredths / 100;
    match (hundredths / 10 % 10, hundredths % 10) {
        (0, 0) => format!("{whole} %"),
        (tenths, 0) => format!("{whole}.{tenths} %"),
        (tenths, rest) => format!("{whole}.{tenths}{rest} %"),
    }
}

/// Joins words; says that they are means where there are several jobs.
fn each_of(jobs: &[&JobEntry], words: Vec<String>) -> String {
    match words.as_slice() {
        [] => String::new(),
        _ if jobs.len() == 1 => words.join(", "),
        _ => format!("{} (mean of {} entries)", words.join(", "), jobs.len()),
    }
}

/// Tables of shares in percent, each with the unit of its keys; what rounds to nothing is left out.
fn shares<'a, const N: usize>(
    jobs: &[&'a JobEntry],
    tables: impl Fn(&'a JobEntry) -> [(&'static str, &'a Shares); N],
    before: &str,
) -> String {
    /// fio prints two digits.
    const LEAST: f64 = 0.005;
    /// More rows than fio's tables have.
    const MOST: usize = 64;
    let mut sums: Vec<((&str, &str), f64)> = Vec::new();
    for (unit, Shares(table)) in jobs.iter().flat_map(|job| tables(job)) {
        for (key, share) in table {
            let name = (key.as_str(), unit);
            let share = share.figure().filter(|share| *share <= 100.0).unwrap_or(0.0);
            match sums.iter().position(|(known, _)| *known == name) {
                Some(at) => sums[at].1 += share,
                None if sums.len() < MOST => sums.push((name, share)),
                None => {}
            }
        }
    }
    let means = sums.into_iter().map(|(name, sum)| (name, sum / jobs.len().max(1) as f64));
    let words = means.filter(|(_, mean)| *mean >= LEAST).map(|((key, unit), mean)| {
        let before = if key.starts_with('>') { "" } else { before };
        format!("{before}{key}{}{unit}: {}", if unit.is_empty() { "" } else { " " }, percent(mean))
    });
    each_of(jobs, words.collect())
}

/// `vda 82.4 %, vdb 3.1 %`.
fn disk_util(document: &Document) -> String {
    let disks = document.disks.as_slice().iter().filter(|disk| !disk.name.as_str().is_empty());
    let words = disks.filter_map(|disk| {
        let aggregate = disk.aggr_util.figure().filter(|util| *util > 0.0);
        let busy = disk.util.figure().map(|util| format!("{} {}", disk.name.as_str(), percent(util)))?;
        Some(match aggregate {
            Some(members) => format!("{busy} (members {})", percent(members)),
            None => busy,
        })
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The count, mean and extremes of a kind of latency in nanoseconds.
fn latency_words(latency: &Latency) -> Option<String> {
    let n = latency.n.count().filter(|&n| n > 0)?;
    let nanoseconds = |value: f64| humanize(value, BaseUnit::Nanoseconds, UnitSystem::Iec);
    let mut words = vec![n.to_string()];
    words.extend(latency.mean.figure().map(|mean| format!("mean {}", nanoseconds(mean))));
    let p99 = latency.percentiles.0.iter().find(|(percent, _)| (percent - 99.0).abs() < 1e-6);
    words.extend(p99.and_then(|(_, value)| value.figure()).map(|p99| format!("p99 {}", nanoseconds(p99))));
    words.extend(latency.max.figure().map(|max| format!("max {}", nanoseconds(max))));
    Some(words.join(", "))
}

/// Latency of `fsync` and its kin, by job. The number of them is `N`: `total_ios` may be 0 beside it.
fn syncs(jobs: &[&JobEntry]) -> String {
    let words = jobs.iter().filter_map(|job| {
        let words = latency_words(job.sync.as_ref()?.lat_ns.as_ref()?)?;
        Some(if jobs.len() == 1 { words } else { format!("{}: {words}", job.name.as_str()) })
    });
    few(words.collect())
}

/// Joins texts of jobs, not more than a page can show.
fn few(mut words: Vec<String>) -> String {
    const MOST: usize = 8;
    let more = words.len().saturating_sub(MOST);
    words.truncate(MOST);
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words.join("; ")
}

/// Completion latency by I/O priority, where there are several.
fn priorities(jobs: &[&JobEntry]) -> String {
    let mut words = Vec::new();
    for job in jobs {
        for (ddir, direction) in job.directions() {
            let found = by_priority(direction);
            if found.len() > 1 {
                words.extend(found.into_iter().map(|(name, text)| format!("{ddir} {name}: {text}")));
            }
        }
    }
    few(words)
}

fn by_priority(direction: &Direction) -> Vec<(String, String)> {
    let listed = direction.priorities.as_slice().iter().filter_map(|priority| {
        let latency = priority.clat_ns.as_ref().or(priority.lat_ns.as_ref())?;
        let name = format!("class {} level {}", priority.class.code(), priority.level.code());
        Some((name, latency_words(latency)?))
    });
    // fio 3.18 to 3.29 knew two.
    let two = [("high priority", &direction.high_priority), ("low priority", &direction.low_priority)];
    let two = two
        .into_iter()
        .filter_map(|(name, latency)| Some((name.to_owned(), latency_words(latency.as_ref()?)?)));
    listed.chain(two).collect()
}

/// `iops:50.000000% attained, 51319 IOPS and 200 MiB/s over 3 s`.
fn steady_state(jobs: &[&JobEntry]) -> String {
    let words = jobs.iter().filter_map(|job| {
        let steady = job.steady.as_ref()?;
        let target = Some(steady.target.as_str()).filter(|target| !target.is_empty())?;
        let attained = if steady.attained.code() > 0 { "attained" } else { "not attained" };
        let mut text = format!("{target} {attained}");
        if let Some(data) = &steady.data
            && let (Some(iops), Some(bw)) = (data.iops_mean.figure(), data.bw_mean.figure())
        {
            let rate = |value, unit| humanize(value, unit, UnitSystem::Iec);
            text.push_str(&format!(
                ", {} IOPS and {} over the last {} samples",
                iops.round(),
                rate(bw, BaseUnit::BytesPerSecond),
                data.iops.as_slice().len()
            ));
        }
        Some(if jobs.len() == 1 { text } else { format!("{}: {text}", job.name.as_str()) })
    });
    few(words.collect())
}

/// `a: error 5 (input/output error)`.
fn errors(jobs: &[&JobEntry]) -> String {
    let failed = jobs.iter().filter(|job| job.error.code() != 0);
    let words = failed.map(|job| {
        let error = job.error.code();
        format!("{}: error {error}{}", job.name.as_str(), error_phrase(error))
    });
    few(words.collect())
}

/// A Unix time in seconds as `2026-12-01T15:45:18Z`; None after the year 9999.
fn iso_utc(seconds: u64) -> Option<String> {
    let days = i64::try_from(seconds / 86_400).ok().filter(|&days| days <= 2_932_896)?;
    // Years start in March, eras are 400 years: the leap day comes last in both.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_two_digits_at_most() {
        for (share, text) in [
            (0.0, "0 %"),
            (3.07, "3.07 %"),
            (32.7, "32.7 %"),
            (100.0, "100 %"),
            (0.004, "0 %"),
            (0.005, "0.01 %"),
        ] {
            assert_eq!(percent(share), text);
        }
        for hundredths in (0..2_000_000u64).step_by(37).chain([999_999_999_999]) {
            let share = hundredths as f64 / 100.0;
            assert_eq!(percent(share), format!("{} %", (share * 100.0).round() / 100.0));
        }
        assert_eq!(percent(-1.5), "-1.5 %");
    }

    #[test]
    fn unix_times_become_dates() {
        // Worked out with `date -u -d @N`.
        assert_eq!(iso_utc(0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(iso_utc(951_782_400).as_deref(), Some("2000-02-29T00:00:00Z"));
        assert_eq!(iso_utc(1_796_139_918).as_deref(), Some("2026-12-01T15:45:18Z"));
        assert_eq!(iso_utc(253_402_300_799).as_deref(), Some("9999-12-31T23:59:59Z"));
        assert_eq!(iso_utc(253_402_300_800), None);
    }
}
