//! Bytes of good files changed at random, through the whole library: nothing panics.

use crate::bad_inputs::numbers;
use crate::support::{campaign, sample};
use plotgen::chart::chart;
use plotgen::render::{ImageFormat, Theme, render};
use plotgen::spec::suggest;
use std::fs;

/// What is put in place of good bytes.
const SPLINTERS: &[&[u8]] = &[
    b"",
    b"\0",
    b"\n",
    b",",
    b"-",
    b"\"",
    b"{",
    b"]",
    b"nan",
    b"1e999",
    b"-1e308",
    b"18446744073709551616",
    b"9223372036854775807",
    b"99999999999999999999999999999999999999999999",
    b"0",
    b"\xff\xfe",
    b"\xf0\x9f\x94\xa5",
    b"\x1f\x8b\x08",
    b"null",
    b"[[[[[[[[[[[[[[[[",
    b"  : ",
];

fn mutate(bytes: &mut Vec<u8>, numbers: &mut impl Iterator<Item = u64>) {
    let mut next = |below: usize| (numbers.next().unwrap() >> 11) as usize % below.max(1);
    for _ in 0..=next(6) {
        let at = next(bytes.len());
        let until = (at + [0, 1, 3, 20, 400][next(5)]).min(bytes.len());
        match next(4) {
            0 => drop(bytes.drain(at..until)),
            1 => {
                let copy = bytes[at..until].to_vec();
                let to = next(bytes.len());
                bytes.splice(to..to, copy);
            }
            2 => bytes[at..until].iter_mut().for_each(|byte| *byte = byte.wrapping_add(1)),
            _ => drop(bytes.splice(at..until, SPLINTERS[next(SPLINTERS.len())].iter().copied())),
        }
        if bytes.is_empty() {
            return;
        }
    }
}

#[test]
fn two_hundred_mutations_of_good_inputs_go_through_without_a_panic() {
    let name = "raid10_chunk64k_randread_qd16_run1";
    let jobs = "raid10_chunk64k_randrw75_qd4_jobs4_run1";
    let mut good: Vec<(String, Vec<u8>)> = Vec::new();
    for ending in [".json", "_bw.1.log", "_clat.1.log"] {
        let name = format!("{name}{ending}");
        good.push((name.clone(), fs::read(sample("qd-sweep").join(name)).unwrap()));
    }
    for ending in [".json", "_bw.1.log", "_bw.2.log"] {
        let name = format!("{jobs}{ending}");
        good.push((name.clone(), fs::read(sample("special").join(name)).unwrap()));
    }
    let table = "raid-levels.rbench.csv";
    good.push((table.to_owned(), fs::read(sample("whole-surface").join(table)).unwrap()));
    let dir = tempfile::tempdir().unwrap();
    let mut numbers = numbers(0x9e37_79b9_7f4a_7c15).skip(10);
    let mut drawn = 0;
    for _ in 0..200 {
        for (name, bytes) in &good {
            let mut bytes = bytes.clone();
            mutate(&mut bytes, &mut numbers);
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let campaign = campaign(&[dir.path()]);
        for spec in suggest(&campaign) {
            if let Ok(figure) = chart(&campaign, &spec) {
                render(&figure, ImageFormat::Svg, &Theme::light()).unwrap();
                drawn += 1;
            }
        }
    }
    assert!(drawn > 200, "{drawn}");
}
