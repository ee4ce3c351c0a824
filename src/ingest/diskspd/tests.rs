//! Text and XML. Both fixtures are synthetic, in the layout of diskspd 2.0 and 2.1.

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, refusal, runs, shared, warnings};

#[test]
fn a_mix_has_two_directions_with_their_percentiles() {
    let runs = runs(&Diskspd, &fixture("diskspd/mix-latency.txt"));
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.stated(), "rw=randrw bs=8k iodepth=8 numjobs=2 direct=1 rwmixread=70");
    // 573440000 bytes in 10 s, not 54.69 MiB/s.
    assert_close(run.mean_of(Metric::Bw, Ddir::Read), 57_344_000.0);
    assert_close(run.mean_of(Metric::Iops, Ddir::Write), 3000.0);
    let lat = run.figures(Metric::Lat, Ddir::Read).cloned().unwrap_or_else(|| panic!("latency"));
    assert_close(lat.mean, 1.5e6);
    assert_close(lat.stddev, 0.4e6);
    assert_close(lat.min, 86_000.0);
    assert_close(lat.max, 38_058_000.0);
    let quantiles: Vec<f64> = lat.percentiles.iter().map(|(q, _)| *q).collect();
    assert_eq!(quantiles, [0.25, 0.5, 0.99, 0.999]);
    assert_close(lat.percentiles.last().map(|p| p.1), 6e6);
    assert_eq!(lat.count, Some(70_000));
}

#[test]
fn xml_has_iops_over_time() {
    let runs = runs(&DiskspdXml, &fixture("diskspd/sequential-write.xml"));
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.tool.version.as_deref(), Some("2.1.0-dev"));
    assert_eq!(run.stated(), "rw=write bs=64k iodepth=4 numjobs=2 direct=1 size=1g");
    // Two threads of 209715200 bytes and 3200 I/Os in 2 s.
    assert_close(run.mean_of(Metric::Bw, Ddir::Write), 209_715_200.0);
    assert_close(run.mean_of(Metric::Iops, Ddir::Write), 3200.0);
    assert_close(run.mean_of(Metric::Lat, Ddir::Write), 2.5e6);
    assert_eq!(run.rows(Metric::Iops, Ddir::Write), [(1000, 3100.0), (2000, 3300.0)]);
    assert!(run.figures(Metric::Bw, Ddir::Read).is_none());
    let lat = run.figures(Metric::Lat, Ddir::Write).map(|s| (s.min, s.max, s.percentiles.len()));
    assert_eq!(lat, Some((Some(400_000.0), Some(9e6), 2)));
}

#[test]
fn text_in_utf16_as_powershell_writes_it_is_read() {
    let text = fixture("diskspd/mix-latency.txt");
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    let Ok(mut opened) =
        crate::envelope::from_reader(std::io::Cursor::new(bytes), crate::envelope::Hashed::No)
    else {
        panic!("opens")
    };
    let head = Head { name: "x", bytes: opened.head(), whole: opened.whole() };
    assert!(Diskspd.detect(&head).is_some());
    let parsed = Diskspd.read(&mut opened, &ReadContext::default());
    assert_eq!(parsed.map(|p| p.rows).ok(), Some(3));
}

#[test]
fn a_text_that_ends_before_its_tables_is_refused() {
    let text = fixture("diskspd/mix-latency.txt");
    let cut = text.split("Total IO").next().unwrap_or_default();
    let message = "expected the tables `Total IO`, `Read IO` and `Write IO` behind the parameters, found the end of the text; let diskspd finish";
    assert_eq!(refusal(&Diskspd, cut), (Some(2), message.to_owned()));
}

#[test]
fn a_total_that_is_no_number_is_named() {
    let text = fixture("diskspd/mix-latency.txt").replace("573440000", "57344000O");
    let message = "`bytes`: expected a number from 0 on, found `57344000O`; left out";
    assert_eq!(warnings(&Diskspd, &text), [(Some(59), message.to_owned())]);
}

#[test]
fn xml_that_is_cut_or_has_no_time_is_refused() {
    let text = fixture("diskspd/sequential-write.xml");
    let cut: String = text.lines().take(40).map(|line| format!("{line}\n")).collect();
    let (line, message) = refusal(&DiskspdXml, &cut);
    assert!(
        line.is_some() && message.starts_with("expected XML to the end of `Results`, found a fault: "),
        "{message}"
    );
    let timeless = text.replace("<TestTimeSeconds>2.00", "<TestTimeSeconds>soon");
    let message =
        "`TestTimeSeconds`: expected a number above 0, found none; the rates of this time span are left out";
    assert_eq!(refusal(&DiskspdXml, &timeless), (Some(26), message.to_owned()));
    let message = "expected a `TimeSpan` with results in `Results`, found none; let diskspd finish";
    assert_eq!(refusal(&DiskspdXml, "<Results><Profile></Profile></Results>"), (None, message.to_owned()));
}

#[test]
fn other_markup_is_not_claimed() {
    for text in
        ["<html><body></body></html>", "<Results/>", "<?xml version=\"1.0\"?><testsuite><Results><TimeSpan>"]
    {
        assert!(!claims(&DiskspdXml, text), "{text}");
    }
}

#[test]
fn results_of_others_agree_with_their_bytes_and_time() {
    let Some(text) = shared("corpus/public/other-tools/diskspd_result.xml") else { return };
    let runs = runs(&DiskspdXml, &text);
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.stated(), "rw=read bs=64k iodepth=2 numjobs=4 direct=1 size=800m");
    let sum = |tag: &str| -> f64 {
        text.split(&format!("<{tag}>"))
            .skip(1)
            .filter_map(|rest| rest.split('<').next()?.parse::<f64>().ok())
            .sum()
    };
    assert_close(run.mean_of(Metric::Bw, Ddir::Read), sum("ReadBytes") / 30.02);
    assert_close(run.mean_of(Metric::Iops, Ddir::Read), sum("ReadCount") / 30.02);
}
