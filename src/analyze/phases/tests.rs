//! The search for changes of level: what it finds, and how often it finds what is not there.

use super::*;

/// Seeded noise: xorshift64 and the Box-Muller transform.
struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// `n` windows around 1 with that coefficient of variation and autocorrelation, never below 0.
    fn windows(&mut self, n: usize, cov: f64, rho: f64) -> Vec<f64> {
        let mut state = self.normal();
        (0..n)
            .map(|_| {
                let value = (1.0 + cov * state).max(0.0);
                state = rho * state + (1.0 - rho * rho).sqrt() * self.normal();
                value
            })
            .collect()
    }
}

fn false_alarms(n: usize, cov: f64, rho: f64, rounds: u32) -> f64 {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d ^ u64::from(rounds) ^ n as u64);
    let found = (0..rounds).filter(|_| !cuts(&dice.windows(n, cov, rho)).is_empty()).count();
    found as f64 / f64::from(rounds)
}

#[test]
fn noise_alone_is_one_level_at_least_98_times_in_100() {
    for (n, cov, rho) in [
        (80, 0.15, 0.0),
        (80, 0.15, 0.5),
        (80, 0.10, 0.7),
        (40, 0.15, 0.5),
        (20, 0.15, 0.0),
        (12, 0.15, 0.5),
        (80, 0.40, 0.0),
        (80, 0.30, 0.5),
        (240, 0.15, 0.5),
    ] {
        let rate = false_alarms(n, cov, rho, 2000);
        println!("{n} windows, CoV {cov}, AR(1) {rho}: {:.2} %", 100.0 * rate);
        assert!(rate < 0.02, "{n} windows, CoV {cov}, AR(1) {rho}: {rate}");
    }
}

#[test]
fn a_fall_to_half_is_found_within_two_windows_of_its_place() {
    for rho in [0.0, 0.5] {
        let mut dice = Dice(77);
        let mut found = 0;
        for _ in 0..500 {
            let mut values = dice.windows(80, 0.10, rho);
            values.iter_mut().skip(30).for_each(|v| *v *= 0.5);
            found += usize::from(matches!(cuts(&values)[..], [cut] if cut.abs_diff(30) <= 2));
        }
        println!("AR(1) {rho}: found {found} of 500");
        assert!(found >= if rho > 0.0 { 440 } else { 485 }, "AR(1) {rho}: {found} of 500");
    }
}

#[test]
fn a_change_of_less_than_a_quarter_is_none_however_clear_it_is() {
    let step = |to: f64| [vec![100.0; 40], vec![to; 40]].concat();
    assert_eq!(cuts(&step(80.0)), Vec::<usize>::new());
    assert_eq!(cuts(&step(124.0)), Vec::<usize>::new());
    assert_eq!(cuts(&step(74.0)), [40]);
    assert_eq!(cuts(&step(126.0)), [40]);
}

#[test]
fn a_drift_is_no_step() {
    let line: Vec<f64> = (0..80).map(|i| 100.0 - 0.75 * f64::from(i)).collect();
    assert_eq!(cuts(&line), Vec::<usize>::new());
}

#[test]
fn a_stall_shorter_than_five_windows_is_no_phase_and_a_longer_one_is() {
    let stall = |windows: usize| [vec![100.0; 40], vec![0.0; windows], vec![100.0; 40]].concat();
    assert_eq!(cuts(&stall(3)), Vec::<usize>::new());
    assert_eq!(cuts(&stall(6)), [40, 46]);
}

#[test]
fn two_falls_are_two_cuts() {
    let mut dice = Dice(5);
    let mut values = dice.windows(90, 0.08, 0.3);
    values.iter_mut().skip(20).for_each(|v| *v *= 0.4);
    values.iter_mut().skip(50).for_each(|v| *v *= 0.3);
    assert_eq!(cuts(&values), [20, 50]);
}

#[test]
fn what_has_no_level_has_no_phases() {
    assert_eq!(cuts(&[]), Vec::<usize>::new());
    assert_eq!(cuts(&[0.0; 50]), Vec::<usize>::new());
    assert_eq!(cuts(&[f64::NAN; 50]), Vec::<usize>::new());
    assert_eq!(cuts(&[f64::MAX; 50]), Vec::<usize>::new());
    assert_eq!(cuts(&[1e-300; 50]), Vec::<usize>::new());
    assert_eq!(cuts(&[5.0, 1.0, 5.0]), Vec::<usize>::new());
}

#[test]
fn the_last_level_is_what_a_run_settles_at_unless_it_was_there_before() {
    let series = |values: Vec<f64>| TimeSeries {
        metric: Metric::Iops,
        ddir: Ddir::Write,
        job: None,
        start_ms: 0.0,
        cell_ms: 500.0,
        values: values.into_iter().map(Some).collect(),
        extremes: None,
    };
    let settled = |levels: [f64; 3]| {
        let rate = series(levels.iter().flat_map(|l| vec![*l; 10]).collect());
        super::settled(&cut_times(&rate, &(0..30)), &rate)
    };
    assert_eq!(settled([900.0, 100.0, 150.0]), Some(2));
    assert_eq!(settled([900.0, 100.0, 50.0]), Some(2));
    assert_eq!(settled([100.0, 40.0, 105.0]), None);
}
