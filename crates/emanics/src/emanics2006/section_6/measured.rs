//! The tables and figures of what was measured for section 6: pure functions of the samples.

mod drawings;
mod fits;
mod groups;
mod limits;
mod one_agent;

pub(super) use fits::{core_and_tail, fitted, nearest};
pub(in super::super) use fits::{figure_6_3, figure_6_4, figure_6_6, monitoring_error};
pub(in super::super) use groups::{figure_6_2, figure_6_5, group_delay, notification, table_6_1};
pub(super) use limits::{Ends, a_second, is_without_error};
pub(in super::super) use limits::{largest, saturation};
pub(in super::super) use one_agent::{collections, figure_6_1};

use std::collections::BTreeSet;

use trunkline_distributions::Sample;
use trunkline_distributions::summary::Summary;
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::trial::Trials;

/// The table of the groups' records.
pub(super) const GROUPS: &str = "emanics2006/table-6.1";
pub(super) const ONE: &str = "emanics2006/figure-6.1";
pub(super) const BOUNDED: &str = "emanics2006/group-delay";
pub(super) const NOTIFICATION: &str = "emanics2006/notification";
pub(super) const SATURATION: &str = "emanics2006/saturation";
/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;

fn ms(ns: u64) -> f64 {
    ns as f64 / MS
}

/// The series of a table, in order of first appearance.
pub(super) fn series<'a>(trials: &'a Trials, table: &'a str) -> Vec<&'a str> {
    let mut series: Vec<&str> = Vec::new();
    for group in trials.groups(table) {
        if !series.contains(&group.series.as_str()) {
            series.push(&group.series);
        }
    }
    series
}

/// The sizes of the groups of [`GROUPS`], the smallest first.
fn sizes(trials: &Trials) -> BTreeSet<u32> {
    trials.groups(GROUPS).map(|it| it.agents).collect()
}

/// The groups of a series, the smallest first.
pub(super) fn of<'a>(trials: &'a Trials, table: &'a str, series: &'a str) -> Vec<&'a GroupRecord> {
    let mut groups: Vec<&GroupRecord> = trials.groups(table).filter(|it| it.series == series).collect();
    groups.sort_by_key(|it| it.agents);
    groups
}

/// Delays with those that were not answered, ms; `None` if nothing was answered.
pub(super) fn sample([answered, waited]: &[Vec<u64>; 2]) -> Option<Sample> {
    let all = |some: &[u64]| some.iter().map(|&ns| ms(ns)).collect();
    Sample::censored_at(all(answered), all(waited)).ok()
}

/// The delays of one agent from when its requests were due, ms.
pub(super) fn delays(one: &[[u64; 3]]) -> Vec<f64> {
    one.iter().map(|[_, waited, took]| ms(*waited) + ms(*took)).collect()
}

/// What is typical and what extreme of one agent's delays: mean, standard deviation, median, interquartile range, least, most.
fn described(delays: &[f64]) -> Option<[Option<f64>; 6]> {
    let it = Summary::of(delays)?;
    Some([it.mean, it.sd, it.median, it.iqr(), it.min, it.max].map(Some))
}

/// `70 agents`.
fn agents(count: u32) -> String {
    if count == 1 { "1 agent".into() } else { format!("{count} agents") }
}

#[cfg(test)]
pub(super) mod tests {
    use trunkline_distributions::{Continuous, Weibull};
    use trunkline_labkit::group::Ended;
    use trunkline_labkit::sample::trial;
    use trunkline_labkit::trial::Entry;

    use super::*;
    use crate::emanics2006::section_6::line::LINES;

    /// Groups of these sizes whose agents' delays are Weibull, scaled by the size.
    pub(in super::super) fn trials(sizes: &[u32]) -> Trials {
        let mut random = fastrand::Rng::with_seed(6);
        let mut entries = Vec::new();
        for line in &LINES[..2] {
            for &agents in sizes {
                let delays = Weibull { scale: f64::from(agents) / 70.0, shape: 2.0 };
                let mut draw = || (delays.quantile(random.f64().max(1e-9)) * MS) as u64;
                let one = (0..20).map(|round| [round * 1_000_000_000, 1000, draw()]).collect::<Vec<_>>();
                let group = GroupRecord {
                    table: GROUPS.into(),
                    series: line.to_string(),
                    agents,
                    period_ns: 1_000_000_000,
                    file: "delays/x".into(),
                    ended: Ended { answered: u64::from(agents) * 20, ..Ended::default() },
                    late: [[0, u64::from(agents) * 20], [0, agents.into()], [0, 20]],
                    others: vec![one.clone(); 3],
                    one,
                    means: [(0..agents).map(|_| draw()).collect(), vec![]],
                    rounds: [(0..20).map(|_| draw()).collect(), vec![]],
                    sums: (0..20).map(|_| draw()).collect(),
                    some: [(0..2000).map(|_| draw()).collect(), vec![]],
                    quantiles: [1_000_000, 2_000_000, 3_000_000],
                    elapsed_ns: 20_000_000_000,
                    manager_cpu_ns: 1_000_000_000,
                    agents_cpu_ns: Some(2_000_000_000),
                    ..GroupRecord::default()
                };
                for (table, bound, size) in [
                    (GROUPS, None, agents),
                    (BOUNDED, Some(1), agents),
                    (NOTIFICATION, None, agents),
                    (SATURATION, None, agents),
                    (ONE, None, 1),
                ] {
                    let group = GroupRecord { table: table.into(), bound, agents: size, ..group.clone() };
                    entries.push(Entry::Group(Box::new(group)));
                }
            }
        }
        Trials { trial: trial("emanics2006"), entries }
    }

    #[test]
    fn every_sheet_has_a_row_for_each_line_and_the_printed_figures() {
        let trials = trials(&[70, 140, 700]);
        let table = table_6_1(&trials);
        // Three sizes, each printed and measured twice.
        assert_eq!(table.rows.len(), 9);
        let printed = table.find("paper: JMX, 70 agents").unwrap();
        assert_eq!((printed.paper[0], printed.ours[0]), (Some(1.02), None));
        let ours = table.find("70 agents: v2c/UDP").unwrap();
        assert!(ours.ours[..7].iter().all(Option::is_some) && ours.samples == 20, "{ours:?}");
        for sheet in [
            figure_6_1(&trials),
            figure_6_2(&trials),
            figure_6_3(&trials),
            figure_6_4(&trials),
            figure_6_5(&trials),
            figure_6_6(&trials),
            group_delay(&trials),
            notification(&trials),
            saturation(&trials),
        ] {
            assert!(!sheet.drawings.is_empty(), "{}", sheet.id);
            assert!(sheet.rows.iter().any(|row| row.ours.iter().any(Option::is_some)), "{}", sheet.id);
            assert!(sheet.rows.iter().any(|row| row.label.contains("v2c/UDP")), "{}", sheet.id);
        }
        let at = figure_6_6(&trials);
        let row = at.find("140 agents: v2c/UDP").unwrap();
        assert!((row.ours[0].unwrap() / 2.0 - 1.0).abs() < 0.15, "{row:?}");
        assert!((row.ours[1].unwrap() / 2.0 - 1.0).abs() < 0.3, "{row:?}");
        let error = monitoring_error(&trials).unwrap();
        assert_eq!(error.find("700 agents: v2c/UDP").unwrap().ours[0], Some(0.0));
        let saturated = saturation(&trials);
        let row = saturated.find("700 agents, 700 a second: v2c/UDP").unwrap();
        assert_eq!(row.ours[row.ours.len() - 2..], [Some(5.0), Some(10.0)]);
        let largest = largest(&trials);
        let row = largest.find("v2c/UDP").unwrap();
        assert_eq!(row.ours[..4], [Some(700.0), Some(5.0), Some(10.0), None]);
    }

    #[test]
    fn without_samples_there_are_no_rows_and_nothing_fails() {
        let trials = Trials { trial: trial("emanics2006"), entries: vec![] };
        let sheets = [
            table_6_1(&trials),
            figure_6_1(&trials),
            figure_6_4(&trials),
            figure_6_6(&trials),
            saturation(&trials),
        ];
        assert!(sheets.iter().all(|sheet| sheet.rows.iter().all(|row| row.ours.iter().all(Option::is_none))));
        assert!(monitoring_error(&trials).is_none());
        // A group of which nothing was answered, and one that no run writes.
        let most = u64::MAX;
        let wrong = GroupRecord {
            table: SATURATION.into(),
            agents: u32::MAX,
            one: vec![[1, most, most], [0, most, most]],
            rounds: [vec![most, most], vec![]],
            sums: vec![most, most],
            ended: Ended { answered: most, late: most, ..Ended::default() },
            late: [[most, 1]; 3],
            ..GroupRecord::default()
        };
        let entries = [GROUPS, ONE, BOUNDED, SATURATION, NOTIFICATION]
            .map(|table| Entry::Group(Box::new(GroupRecord { table: table.into(), ..wrong.clone() })));
        let hostile = Trials { trial: trial("emanics2006"), entries: entries.into() };
        for make in [
            table_6_1,
            figure_6_1,
            figure_6_2,
            figure_6_3,
            figure_6_4,
            figure_6_5,
            figure_6_6,
            group_delay,
            notification,
            saturation,
            largest,
        ] {
            let _ = make(&hostile);
        }
        let group = GroupRecord { table: GROUPS.into(), agents: 7, ..GroupRecord::default() };
        let trials = Trials { trial: trial("emanics2006"), entries: vec![Entry::Group(Box::new(group))] };
        assert_eq!(table_6_1(&trials).rows.last().unwrap().ours[0], None);
        assert!(figure_6_5(&trials).rows.iter().all(|row| row.ours[0].is_none()));
    }
}
