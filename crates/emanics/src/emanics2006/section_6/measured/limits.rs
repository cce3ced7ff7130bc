//! How far each line goes, and what ends it.

use trunkline_distributions::summary::median;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::group::{AT_LIMIT, GroupRecord};
use trunkline_labkit::report::text::three_digits;
use trunkline_labkit::trial::Trials;

use super::{MS, SATURATION, agents, drawings, ms, of, series};

/// Sizes and rates until the manager, or its agents, have no time left.
pub(in super::super::super) fn saturation(trials: &Trials) -> Sheet {
    let heads = [
        "late after (ms)",
        "late answers (%)",
        "late agents (%)",
        "late rounds (%)",
        "not answered",
        "median (ms)",
        "99 % (ms)",
        "before sending (ms)",
        "manager (%)",
        "agents (%)",
    ];
    let title = "larger groups and higher rates, with the processor time of both sides";
    let mut sheet = Sheet::new(SATURATION, title, &heads);
    sheet.note = "Late is later than the period, which is the time to the next request to the same agent: a second over UDP, and a tenth of it where agents in sessions are asked ten times as often. 1 - q in its three readings, where what is not answered is late. Before sending: how long requests waited in the manager, the median of up to four agents; near the median of all, the limit is the manager, whatever its processor did. Manager: the share of its processor that it used; agents: the same of the simulated \
                  fleet, of our agent or of the JVM, which may have several. Where one side is near 100 % of what it has, it is the limit. Rates are in the order in which they were asked."
        .into();
    for group in trials.groups(SATURATION) {
        let percent = |share: Option<f64>| share.map(|it| it * 100.0);
        let answered = group.ended.answered.saturating_add(group.ended.late);
        let [median, most, _] = group.quantiles.map(|ns| (answered > 0).then(|| ms(ns)));
        let ours = [
            Some(ms(group.period_ns)),
            percent(group.share_late(0)),
            percent(group.share_late(1)),
            percent(group.share_late(2)),
            Some(group.ended.all().saturating_sub(answered) as f64),
            median,
            most,
            before_sending(group),
            percent(Some(group.manager_utilisation())),
            percent(group.agents_utilisation()),
        ];
        let again = if group.again { ", again" } else { "" };
        let rate = a_second(group);
        let label = format!("{}, {rate:.0} a second{again}: {}", agents(group.agents), group.series);
        sheet.row(label, &[], &ours, group.late[2][1] as usize);
    }
    sheet.drawings.extend(drawings::saturation(&trials.groups(SATURATION).collect::<Vec<_>>()));
    sheet
}

/// How long requests waited in the manager, ms: the median of the agents whose delays are kept one by one.
fn before_sending(group: &GroupRecord) -> Option<f64> {
    let all = group.others.iter().chain([&group.one]).flatten();
    median(&all.map(|[_, waited, _]| ms(*waited)).collect::<Vec<_>>())
}

/// The ends of a line: the largest rate without an error, and the least with one.
pub(in super::super) struct Ends<'a> {
    /// Without.
    pub(in super::super) without: Option<&'a GroupRecord>,
    /// With.
    pub(in super::super) with: Option<&'a GroupRecord>,
}

impl Ends<'_> {
    /// The ends of a series. What was asked twice is as it was the second time.
    pub(in super::super) fn of<'a>(trials: &'a Trials, name: &'a str) -> Ends<'a> {
        let all = of(trials, SATURATION, name);
        let is_asked_again = |it: &GroupRecord| {
            let is_it = |other: &&GroupRecord| (other.agents, other.period_ns) == (it.agents, it.period_ns);
            !it.again && all.iter().any(|other| other.again && is_it(other))
        };
        let mut groups: Vec<&GroupRecord> = all.iter().copied().filter(|it| !is_asked_again(it)).collect();
        groups.sort_by(|one, other| a_second(one).total_cmp(&a_second(other)));
        let without = groups.iter().copied().take_while(|it| is_without_error(it)).last();
        Ends { without, with: groups.into_iter().find(|it| !is_without_error(it)) }
    }

    /// What ends the line, in words.
    pub(in super::super) fn limit(&self) -> &'static str {
        match self.with.map(GroupRecord::at_limit) {
            None => "not reached",
            Some([true, true]) => "manager and agents",
            Some([true, false]) => "the manager",
            Some([false, true]) => "the agents",
            Some([false, false]) => "no processor of theirs",
        }
    }
}

/// The largest rate without an error, for each line, and the least with one.
pub(in super::super::super) fn largest(trials: &Trials) -> Sheet {
    let heads = [
        "requests a second without error",
        "manager (%)",
        "agents (%)",
        "least with errors",
        "late answers (%)",
        "manager (%)",
        "agents (%)",
    ];
    let title =
        "the largest rate at which nothing is later than the period, and the least at which something is";
    let mut sheet = Sheet::new("emanics2006/largest", title, &heads);
    let percent = |share: f64| share * 100.0;
    let shares = |group: Option<&GroupRecord>| {
        let manager = group.map(|it| percent(it.manager_utilisation()));
        [manager, group.and_then(|it| it.agents_utilisation().map(percent))]
    };
    let mut limits = Vec::new();
    for name in series(trials, SATURATION) {
        let ends = Ends::of(trials, name);
        let Ends { without, with } = ends;
        let ([manager, of_agents], [manager_with, of_agents_with]) = (shares(without), shares(with));
        let late = with.and_then(|it| it.share_late(0).map(percent));
        let ours = [
            without.map(a_second),
            manager,
            of_agents,
            with.map(a_second),
            late,
            manager_with,
            of_agents_with,
        ];
        let rate = with.map_or_else(String::new, |it| format!(" at {} a second", three_digits(a_second(it))));
        limits.push(format!("{name}: {}{rate}", ends.limit()));
        sheet.row(name, &[], &ours, of(trials, SATURATION, name).len());
    }
    sheet.note = format!(
        "Of the points of saturation: all three readings of 1 - q are 0 in the first, one of them is not in the other; a rate that was asked twice counts as it was the second time. The limit is who had used {:.0} % or more of its \
         processors at the least rate with errors; \"no processor of theirs\": answers waited for something else, as a buffer, a stop of a JVM, or other work of the machine, which the run's load shows. Sessions are held to a stricter limit than UDP: each answer has to be there before \
         the next request to its agent. Limits: {}.",
        percent(AT_LIMIT),
        limits.join("; ")
    );
    sheet
}

/// Whether no answer, no agent and no round was late.
pub(in super::super) fn is_without_error(group: &GroupRecord) -> bool {
    group.late.iter().all(|[some, of]| *some == 0 && *of > 0)
}

/// Requests a second.
pub(in super::super) fn a_second(group: &GroupRecord) -> f64 {
    f64::from(group.agents) * 1000.0 / (group.period_ns as f64 / MS).max(1e-9)
}

#[cfg(test)]
mod tests {
    use trunkline_labkit::sample::trial;
    use trunkline_labkit::trial::Entry;

    use super::*;

    /// A group that is asked once a second, with late answers, and what both sides used of a processor.
    fn group(agents: u32, late: u64, used: [u64; 2], again: bool) -> Entry {
        let requests = u64::from(agents);
        Entry::Group(Box::new(GroupRecord {
            table: SATURATION.into(),
            series: "v2c/UDP".into(),
            agents,
            period_ns: 1_000_000_000,
            late: [[late, requests], [0, requests], [0, 2]],
            elapsed_ns: 100,
            manager_cpu_ns: used[0],
            agents_cpu_ns: Some(used[1]),
            again,
            ..GroupRecord::default()
        }))
    }

    /// Most of the delay was in the manager, which the shares of processors did not show.
    #[test]
    fn what_waited_in_the_manager_stands_beside_the_delay() {
        let one = vec![[0, 924_000_000, 385_000_000], [0, 900_000_000, 385_000_000], [0, 950_000_000, 1]];
        let entries = vec![Entry::Group(Box::new(GroupRecord {
            one,
            table: SATURATION.into(),
            ..GroupRecord::default()
        }))];
        let sheet = saturation(&Trials { trial: trial("emanics2006"), entries });
        assert_eq!(sheet.rows[0].ours[7], Some(924.0));
    }

    #[test]
    fn the_ends_of_a_line_say_who_had_no_time_left() {
        let found = |entries: Vec<Entry>| {
            let sheet = largest(&Trials { trial: trial("emanics2006"), entries });
            (sheet.rows[0].ours[0], sheet.rows[0].ours[3], sheet.note)
        };
        let whole = || group(700, 0, [10, 10], false);
        for (used, says) in [
            ([95, 50], "v2c/UDP: the manager at 7000 a second"),
            ([50, 99], "v2c/UDP: the agents at 7000 a second"),
            ([96, 99], "v2c/UDP: manager and agents at 7000 a second"),
            ([50, 50], "v2c/UDP: no processor of theirs at 7000 a second"),
        ] {
            let (without, with, note) = found(vec![group(7_000, 9, used, false), whole()]);
            assert_eq!((without, with), (Some(700.0), Some(7_000.0)));
            assert!(note.contains(says), "{note}");
        }
        assert!(found(vec![whole()]).2.contains("v2c/UDP: not reached."));
        // The second time nothing was late.
        let entries = vec![whole(), group(7_000, 1, [5, 5], false), group(7_000, 0, [5, 5], true)];
        let (without, with, _) = found(entries.clone());
        assert_eq!((without, with), (Some(7_000.0), None));
        let sheet = saturation(&Trials { trial: trial("emanics2006"), entries });
        let labels: Vec<&str> = sheet.rows.iter().map(|row| &*row.label).collect();
        assert_eq!(
            labels[1..],
            ["7000 agents, 7000 a second: v2c/UDP", "7000 agents, 7000 a second, again: v2c/UDP"]
        );
    }
}
