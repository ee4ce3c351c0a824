//! The lines of a text that fio wrote, without what terminals and clients put around them.
//!
//! In: a text. Out: trimmed lines with their numbers. Carriage returns of the progress line, the
//! progress itself (`Jobs: 1 (f=1): [r(1)][50.0%]...[eta 00m:01s]`) and `<host> ` prefixes of
//! client runs are taken off; what a line means is not decided here.

/// A line, or one of several that carriage returns separate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) struct Line<'a> {
    /// Counted from 1.
    pub(in crate::ingest) number: u64,
    /// What stands in it, without blanks around it.
    pub(in crate::ingest) text: &'a str,
    /// From a `<host> ` prefix.
    pub(in crate::ingest) host: Option<&'a str>,
    /// False for the last line of a text that ends without a line end.
    pub(in crate::ingest) ended: bool,
}

/// The lines of a text, blank ones included.
pub(in crate::ingest) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    (1..).zip(text.split_inclusive('\n')).flat_map(|(number, raw)| {
        let ended = raw.ends_with('\n');
        raw.trim_end().split('\r').map(move |segment| line(number, segment, ended))
    })
}

fn line(number: u64, segment: &str, ended: bool) -> Line<'_> {
    let mut text = segment.trim();
    if let Some(eta) = text.rfind("[eta ")
        && let Some(end) = text[eta..].find(']')
    {
        text = text[eta + end + 1..].trim_start();
    }
    let prefixed = text.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let host = prefixed.filter(|(host, rest)| {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '/' | ',');
        !host.is_empty() && host.chars().all(plain) && (rest.is_empty() || rest.starts_with(' '))
    });
    match host {
        Some((host, rest)) => Line { number, text: rest.trim_start(), host: Some(host), ended },
        None => Line { number, text, host: None, ended },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(u64, &str, Option<&str>)> {
        lines(text).filter(|l| !l.text.is_empty()).map(|l| (l.number, l.text, l.host)).collect()
    }

    #[test]
    fn progress_and_hosts_are_taken_off() {
        assert_eq!(texts("a\r\n  b"), [(1, "a", None), (2, "b", None)]);
        assert_eq!(
            texts("Jobs: 2 (f=2): [m(2)][eta 00m:00s]\r<vm> \ncs: (groupid=0"),
            [(2, "cs: (groupid=0", None)]
        );
        assert_eq!(texts("Jobs: 1 [eta 00m:01s]x: (groupid=0"), [(1, "x: (groupid=0", None)]);
        assert_eq!(texts("<node-1> Starting 2 processes"), [(1, "Starting 2 processes", Some("node-1"))]);
        assert_eq!(texts("<a href=x> y"), [(1, "<a href=x> y", None)]);
    }

    #[test]
    fn a_last_line_without_its_end_is_known() {
        let ended: Vec<bool> = lines("a\nb").map(|line| line.ended).collect();
        assert_eq!(ended, [true, false]);
    }
}
