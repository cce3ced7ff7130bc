//! What there is, and its summary.

use trunkline_distributions::{Edf, Summary};
use trunkline_labkit::findings::Sheet;

use super::label;
use crate::drawings;
use crate::group::{Group, NAME};

/// How many requests ended in which way.
pub(super) fn requests(groups: &[Group]) -> Sheet {
    let heads = [
        "requests",
        "answered",
        "after limit",
        "lost",
        "failed",
        "unsent",
        "agents",
        "whole rounds",
        "group",
    ];
    let mut sheet = Sheet::new(&format!("{NAME}/requests"), "requests and how they ended", &heads);
    let metrics = groups.iter().filter_map(|group| {
        let header = group.header.as_ref()?;
        let protocol =
            if header.protocol.is_empty() { String::new() } else { format!(" ({})", header.protocol) };
        Some(format!("{}: {}{protocol}", group.name, header.metric))
    });
    let metrics: Vec<String> = metrics.collect();
    sheet.note = "After limit: answered after they were given up; their delays are known, and among those of answered requests (summary). What is later than D is in quality. Failed: answered with an error. Unsent: due, and never sent by the manager.".into();
    if !metrics.is_empty() {
        sheet.note += &format!(" Metrics: {}.", metrics.join("; "));
    }
    for group in groups {
        let counts = group.counts;
        let rounds = group.gathering.rounds().count();
        let known = |count: usize| (count > 0).then_some(count as f64);
        let ours = [
            Some(counts.requests as f64),
            Some(counts.answered as f64),
            Some(counts.late as f64),
            Some(counts.lost as f64),
            Some(counts.failed as f64),
            Some(counts.unsent as f64),
            known(group.gathering.agents().len()),
            known(rounds),
            known(group.size() as usize),
        ];
        sheet.row(group.name.clone(), &[], &ours, 0);
    }
    sheet
}

/// What is typical, and what is extreme.
pub(super) fn summary(groups: &[Group]) -> Sheet {
    let heads = ["mean", "sd", "median", "IQR", "min", "p99", "max"];
    let mut sheet = Sheet::new(&format!("{NAME}/summary"), "delays of answered requests (ms)", &heads);
    sheet.note = "Median and interquartile range (IQR) tell what is typical, mean and standard deviation (sd, divisor n - 1) what extremes there are: \
                  D7.1 advises the latter for monitoring in real time. Quantiles by Hyndman and Fan's definition 7."
        .into();
    for group in groups {
        let named = match group.both() {
            Some(both) => both.map(|(name, sample)| (name, sample)).into(),
            None => group.delays().map(|sample| vec![("", sample)]).unwrap_or_default(),
        };
        for (name, sample) in named {
            let Some(it) = Summary::of(sample.observed()) else { continue };
            let ours = [it.mean, it.sd, it.median, it.iqr(), it.min, it.p99, it.max].map(Some);
            sheet.row(label(groups, group, name), &[], &ours, it.count);
        }
    }
    let samples: Vec<(&str, Edf)> = groups
        .iter()
        .filter_map(|group| Some((group.name.as_str(), Edf::of(&group.delays().ok()?))))
        .collect();
    if !samples.is_empty() {
        sheet.drawings = drawings::edf(&samples, groups[0].gathering.tolerable());
    }
    sheet
}
