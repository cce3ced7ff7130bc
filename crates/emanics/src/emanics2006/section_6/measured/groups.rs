//! What is read off the delays as they are.

use trunkline_distributions::summary::{Summary, mean_and_sd};
use trunkline_labkit::findings::{Sheet, Shown};
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::trial::Trials;

use super::super::paper;
use super::{BOUNDED, GROUPS, NOTIFICATION, agents, delays, described, drawings, ms, of, series, sizes};

/// Figure 6.2: several agents by time, in the smallest group and in the largest.
pub(in super::super::super) fn figure_6_2(trials: &Trials) -> Sheet {
    let heads = ["std, smallest (ms)", "std, largest (ms)", "ratio"];
    let mut sheet = Sheet::new(
        "emanics2006/figure-6.2",
        "delays of some agents by time, by the size of the group",
        &heads,
    );
    sheet.note = "The mean of the standard deviations of four agents' delays. The deliverable says that delays are more random in a larger group, and has no figure. Drawn where there are three rounds or more.".into();
    for name in series(trials, GROUPS) {
        let groups = of(trials, GROUPS, name);
        let (Some(least), Some(most)) = (groups.first(), groups.last()) else { continue };
        let deviation = |group: &GroupRecord| {
            let all = group.others.iter().chain([&group.one]);
            let each: Vec<f64> = all.filter_map(|one| mean_and_sd(&delays(one)).map(|(_, sd)| sd)).collect();
            mean_and_sd(&each).map(|(mean, _)| mean)
        };
        let (small, large) = (deviation(least), deviation(most));
        let ratio = small.zip(large).filter(|(small, _)| *small > 0.0).map(|(small, large)| large / small);
        sheet.row(name, &[], &[small, large, ratio], most.one.len());
        if most.one.len() >= LEAST_SERIES {
            sheet.drawings.push(drawings::some_agents(name, [least, most]));
        }
    }
    sheet.shown = Shown::OnPage;
    sheet
}

/// Table 6.1: one agent of each group.
pub(in super::super::super) fn table_6_1(trials: &Trials) -> Sheet {
    let heads = [
        "mean (ms)",
        "std (ms)",
        "median (ms)",
        "IQR (ms)",
        "min (ms)",
        "max (ms)",
        "mean from sending (ms)",
    ];
    let title = "delays of one agent, by the size of its group";
    let mut sheet = Sheet::new(GROUPS, title, &heads).without_ratios();
    sheet.note = "An arbitrary agent of each group, as in the deliverable; there the delay is that from the sending. A short run has few samples of one agent, and hardly its extremes: figure-6.3 has those of all. \
                  What was not answered is in no figure of this table; monitoring-error counts it. Erratum: the deliverable says that mean and standard deviation increase with the group; its mean of 490 agents, 561.55 ms, is below \
                  that of 420, 675.24 ms. Its clock counted whole milliseconds, so that its median and its least are 1 and its interquartile range 0 in every group."
        .into();
    for size in sizes(trials) {
        if let Some(at) = paper::GROUPS.iter().position(|&it| it == size) {
            let [median, iqr, min] = [paper::MEDIAN, paper::IQR, paper::MEDIAN];
            let printed = [paper::MEAN[at], paper::STD[at], median, iqr, min, paper::MAX[at]].map(Some);
            sheet.row(format!("paper: JMX, {}", agents(size)), &printed, &[], 0);
        }
        for group in trials.groups(GROUPS).filter(|it| it.agents == size) {
            let all = delays(&group.one);
            let sent: Vec<f64> = group.one.iter().map(|[.., took]| ms(*took)).collect();
            let mut ours: Vec<Option<f64>> = described(&all).map_or_else(|| vec![None; 6], Into::into);
            ours.push(mean_and_sd(&sent).map(|(mean, _)| mean));
            sheet.row(format!("{}: {}", agents(size), group.series), &[], &ours, all.len());
        }
    }
    sheet
}

/// Figure 6.5: the means of agents, by the size of the group.
pub(in super::super::super) fn figure_6_5(trials: &Trials) -> Sheet {
    let heads = ["5 % (ms)", "median (ms)", "95 % (ms)", "mean (ms)", "agents with lost answers"];
    let title = "mean delays of agents, by the size of the group";
    let mut sheet = Sheet::new("emanics2006/figure-6.5", title, &heads);
    sheet.note =
        "Quantiles of the agents' mean delays. In the deliverable they move to the right with the size. Far from any limit they may move to the left: the fewer requests, the deeper processors sleep between two, and waking them is in the delay."
            .into();
    for name in series(trials, GROUPS) {
        let groups = of(trials, GROUPS, name);
        for group in &groups {
            let [whole, lost] = &group.means;
            let mut means: Vec<f64> = whole.iter().map(|&ns| ms(ns)).collect();
            means.sort_by(f64::total_cmp);
            let at = |part| trunkline_distributions::summary::quantile(&means, part);
            let ours =
                [at(0.05), at(0.5), at(0.95), mean_and_sd(&means).map(|it| it.0), Some(lost.len() as f64)];
            let ours = if means.is_empty() { [None, None, None, None, ours[4]] } else { ours };
            sheet.row(format!("{}: {name}", agents(group.agents)), &[], &ours, means.len());
        }
        sheet.drawings.extend(drawings::means(name, &groups));
    }
    sheet
}

/// Group delays: parallel, bounded and serial rounds.
pub(in super::super::super) fn group_delay(trials: &Trials) -> Sheet {
    let heads = ["mean (ms)", "median (ms)", "max (ms)", "sum of delays (ms)", "rounds with losses"];
    let title = "the delay of a whole group, by how its requests are sent";
    let mut sheet = Sheet::new(BOUNDED, title, &heads);
    sheet.note = "From when the first request of a round could be sent to its last answer: of parallel rounds, whose requests are due evenly over the period, the longest delay, as the deliverable defines it; \
                  of serial rounds, and of those with at most ten outstanding, whose requests are all due at their beginning, the time of the round. The deliverable's group delay of a serial round is the \
                  sum of the delays from the sending, which is beside. It has no figures of group delays."
        .into();
    let all = || trials.groups(GROUPS).chain(trials.groups(BOUNDED));
    for group in all() {
        let rounds: Vec<f64> = group.rounds[0].iter().map(|&ns| ms(ns)).collect();
        let sums: Vec<f64> = group.sums.iter().map(|&ns| ms(ns)).collect();
        let summary = Summary::of(&rounds);
        let ours = [
            summary.map(|it| it.mean),
            summary.map(|it| it.median),
            summary.map(|it| it.max),
            mean_and_sd(&sums).map(|(mean, _)| mean),
            Some(group.rounds[1].len() as f64),
        ];
        let how = match group.bound {
            None => "parallel".to_owned(),
            Some(1) => "serial".to_owned(),
            Some(most) => format!("at most {most} outstanding"),
        };
        sheet.row(format!("{}, {how}: {}", agents(group.agents), group.series), &[], &ours, rounds.len());
    }
    sheet.drawings.extend(drawings::group_delays(&all().collect::<Vec<_>>()));
    sheet
}

/// Notifications one way.
pub(in super::super::super) fn notification(trials: &Trials) -> Sheet {
    let heads = ["median (ms)", "99 % (ms)", "max (ms)", "median from sending (ms)", "lost"];
    let title = "notifications: the delay one way, by the size of the group";
    let mut sheet = Sheet::new(NOTIFICATION, title, &heads);
    sheet.note = "From when a trap was due, or sent, to when the receiver has decoded it. The deliverable defines this delay, and has no figures. Polling has the round trip of table-6.1.".into();
    for group in trials.groups(NOTIFICATION) {
        let took: Vec<f64> =
            group.others.iter().chain([&group.one]).flatten().map(|[.., took]| ms(*took)).collect();
        let [median, most, longest] = group.quantiles.map(|ns| (group.ended.answered > 0).then(|| ms(ns)));
        let lost = group.ended.all().saturating_sub(group.ended.answered);
        let sent = Summary::of(&took).map(|it| it.median);
        let ours = [median, most, longest, sent, Some(lost as f64)];
        sheet.row(
            format!("{}: {}", agents(group.agents), group.series),
            &[],
            &ours,
            group.ended.answered as usize,
        );
    }
    sheet.drawings.extend(drawings::one_way(&trials.groups(NOTIFICATION).collect::<Vec<_>>()));
    sheet
}

/// Requests of one agent that are drawn by time.
const LEAST_SERIES: usize = 3;
