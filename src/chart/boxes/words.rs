//! Words and numbers of boxes: subtitle, description, table.
//!
//! In: a scene of boxes. Out: texts that say what a box stands for and what it rests on.

use super::Spot;
use crate::chart::names::duration;
use crate::chart::scene::{Scene, range};
use crate::chart::table::{count, number};
use crate::chart::{Spelling, Table, TableCell};
use crate::model::unit::{DisplayUnit, plain};

/// What a box is made of, and how it is read.
pub(in crate::chart) fn subtitle(scene: &Scene) -> String {
    let spots = || scene.series.iter().flat_map(|s| s.data.spots());
    let n = spots().fold((usize::MAX, 0), |(a, b), s| (a.min(s.spread.n), b.max(s.spread.n)));
    let lengths =
        spots().fold((f64::INFINITY, 0.0f64), |(a, b), s| (a.min(s.window_ms.0), b.max(s.window_ms.1)));
    let length = if lengths.0 == lengths.1 {
        duration(lengths.0)
    } else {
        format!("{} to {}", duration(lengths.0), duration(lengths.1))
    };
    let each = if spots().count() > 1 { " each" } else { "" };
    let them = scene.them();
    let of = if scene.repeats.1 > 1 { format!(", {} {them}", scene.repeats_text()) } else { String::new() };
    format!(
        "Box: middle half and median, whiskers: 5 to 95 %, ±: standard deviation as a share of the mean; {} windows of {length}{each}{of}",
        range(n)
    )
}

/// One box in words: `a median of 407 IOPS and varies by 4.5 %`.
pub(in crate::chart) fn alt(spot: &Spot, number: impl Fn(f64) -> String) -> String {
    let s = &spot.spread;
    let cov = s.cov.map(|cov| format!(" and varies by {} %", plain(cov * 100.0, 2))).unwrap_or_default();
    format!("has a median of {}{cov}", number(s.median))
}

/// A row for each box.
pub(in crate::chart) fn table(scene: &Scene, (head, unit): (&str, &DisplayUnit)) -> Table {
    let mut columns: Vec<String> = ["panel", "series", head, "windows"].map(str::to_owned).to_vec();
    let names = ["smallest", "5 %", "25 %", "median", "75 %", "95 %", "largest"];
    columns.extend(names.map(|name| format!("{name} ({})", unit.axis)));
    columns.push("variation (%)".to_owned());
    let rows = scene.series.iter().flat_map(|series| {
        series.data.spots().iter().map(move |spot| {
            let s = &spot.spread;
            let mut row = vec![
                TableCell::Text(series.facet.clone()),
                TableCell::Text(series.name.clone()),
                TableCell::Text(spot.key.clone()),
                count(s.n),
            ];
            row.extend(
                [s.min, s.low, s.first, s.median, s.third, s.high, s.max].map(|value| number(value, unit)),
            );
            row.push(s.cov.map_or(TableCell::Empty, |cov| TableCell::Number {
                value: cov * 100.0,
                spelling: Spelling::Own(plain(cov * 100.0, 3).into()),
            }));
            row
        })
    });
    Table { columns, rows: rows.collect() }
}
