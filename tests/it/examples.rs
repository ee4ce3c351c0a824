//! The examples run, from the package's folder, as a reader of the README would run them.

#[path = "../../examples/compare_raid.rs"]
mod compare_raid;
#[path = "../../examples/custom_chart.rs"]
mod custom_chart;
#[path = "../../examples/gallery.rs"]
mod gallery;
#[path = "../../examples/parse_log.rs"]
mod parse_log;

#[test]
fn a_log_is_parsed() {
    parse_log::main();
}

#[test]
fn a_chart_of_ones_own_is_drawn() {
    custom_chart::main().unwrap();
}

#[test]
fn raid_levels_are_compared() {
    compare_raid::main();
}

#[test]
fn a_report_is_made_from_the_library() {
    gallery::main().unwrap();
}
