//! Figure 6.1: one agent by time, and whether its spikes are the JVM's garbage collections.

use trunkline_distributions::summary::Summary;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::trial::Trials;

use super::{ONE, delays, described, drawings, ms};

/// Figure 6.1.
pub(in super::super::super) fn figure_6_1(trials: &Trials) -> Sheet {
    let heads = [
        "mean (ms)",
        "std (ms)",
        "median (ms)",
        "IQR (ms)",
        "min (ms)",
        "max (ms)",
        "spikes",
        "between spikes (s)",
    ];
    let mut sheet = Sheet::new(ONE, "delays of one agent by time", &heads).without_ratios();
    sheet.note = format!(
        "A spike is a delay of more than {SPIKE:.0} times the median; those within a second are one. The deliverable saw one each {SPIKES_EVERY:.0} s, and says that it is garbage collection: RMI's distributed \
         collector wanted one each minute, and JDKs since 6 want one each hour. Whether the spikes here are collections, the table collections has from the JVMs' own logs."
    );
    let printed = [None, None, None, None, None, None, None, Some(SPIKES_EVERY)];
    sheet.row("paper: JMX, 1 agent", &printed, &[], 0);
    for group in trials.groups(ONE) {
        let all = delays(&group.one);
        let mut ours: Vec<Option<f64>> = described(&all).map_or_else(|| vec![None; 6], Into::into);
        let spikes = spikes(group);
        let at = |spike: Option<&Vec<[u64; 2]>>| spike.map(|spike| spike[0][0] as f64 / 1e9);
        let between = at(spikes.first()).zip(at(spikes.last())).filter(|_| spikes.len() > 1);
        ours.push((!all.is_empty()).then_some(spikes.len() as f64));
        ours.push(between.map(|(first, last)| (last - first) / (spikes.len() - 1) as f64));
        sheet.row(group.series.clone(), &[], &ours, all.len());
    }
    sheet.drawings.extend(drawings::by_time(&trials.groups(ONE).collect::<Vec<_>>()));
    sheet
}

/// The spikes, each as its requests: from when each was due to when it was answered, nanoseconds.
fn spikes(group: &GroupRecord) -> Vec<Vec<[u64; 2]>> {
    let all = delays(&group.one);
    let Some(summary) = Summary::of(&all) else { return vec![] };
    let mut spikes: Vec<Vec<[u64; 2]>> = Vec::new();
    for (one, delay) in group.one.iter().zip(all) {
        if delay <= SPIKE * summary.median {
            continue;
        }
        let request = under_way(one);
        match spikes.last_mut() {
            Some(spike) if request[0].saturating_sub(spike[0][0]) <= 1_000_000_000 => spike.push(request),
            _ => spikes.push(vec![request]),
        }
    }
    spikes
}

/// From when a request was due to when it was answered.
fn under_way(&[due, waited, took]: &[u64; 3]) -> [u64; 2] {
    [due, due.saturating_add(waited).saturating_add(took)]
}

/// The garbage collections while requests were counted; `None` of agents without a JVM.
pub(super) fn collections_of(group: &GroupRecord) -> Option<Vec<[u64; 3]>> {
    let [first, last] = [group.one.first()?, group.one.last()?].map(under_way);
    let all = group.collections.as_ref()?.iter().copied();
    Some(all.filter(|[from, to, _]| *to >= first[0] && *from <= last[1]).collect())
}

/// Whether a request was under way during one of these collections.
fn is_in_one(&[due, ended]: &[u64; 2], collections: &[[u64; 3]]) -> bool {
    collections.iter().any(|&[from, to, _]| due <= to && ended >= from)
}

/// The garbage collections of JVMs by their own logs, beside the spikes of figure 6.1. `None` without a JVM.
pub(in super::super::super) fn collections(trials: &Trials) -> Option<Sheet> {
    let heads = [
        "collections",
        "between them (s)",
        "longest stop (ms)",
        "requests in one (%)",
        "spikes",
        "spikes in one",
        "p by chance",
        "longest delay in one (ms)",
        "longest delay outside (ms)",
    ];
    let title = "spikes of figure 6.1, and the garbage collections that the JVM's log has at the same time";
    let mut sheet = Sheet::new("emanics2006/collections", title, &heads);
    sheet.note = "Begin, end and stops of each collection are from the JVM's log (-Xlog:gc), on the same monotonic clock as the requests. A request, or one of a spike, is in a collection if it was due before the end of the collection and \
                  answered after its begin. p: the probability that at least so many of the spikes are in collections if they were anywhere, as the share of all requests is. If it is small, and no delay outside is long, the spikes are the \
                  collections; a collection beside the program has no spike, although requests are in it. The figure has the collections as bands."
        .into();
    for group in trials.groups(ONE) {
        let Some(collections) = collections_of(group) else { continue };
        let requests: Vec<[u64; 2]> = group.one.iter().map(under_way).collect();
        let longest = |inside: bool| {
            let some = requests.iter().filter(|it| is_in_one(it, &collections) == inside);
            some.map(|[due, ended]| ms(ended - due)).reduce(f64::max)
        };
        let within = requests.iter().filter(|it| is_in_one(it, &collections)).count();
        let share = within as f64 / requests.len() as f64;
        let spikes = spikes(group);
        let hit = spikes.iter().filter(|spike| spike.iter().any(|it| is_in_one(it, &collections))).count();
        let begins = collections.first().zip(collections.last()).filter(|_| collections.len() > 1);
        let between = begins.map(|(first, last)| last[0].saturating_sub(first[0]) as f64 / 1e9);
        let ours = [
            Some(collections.len() as f64),
            between.map(|all| all / (collections.len() - 1) as f64),
            collections.iter().map(|it| it[2]).max().map(ms),
            Some(share * 100.0),
            Some(spikes.len() as f64),
            Some(hit as f64),
            (!spikes.is_empty()).then(|| at_least(hit, spikes.len(), share)),
            longest(true),
            longest(false),
        ];
        sheet.row(group.series.clone(), &[], &ours, requests.len());
    }
    (!sheet.rows.is_empty()).then_some(sheet)
}

/// The probability of at least so many of n, each with this probability.
fn at_least(some: usize, of: usize, share: f64) -> f64 {
    if some == 0 || share >= 1.0 {
        return 1.0;
    }
    // Of exactly so many, and of more, each from the one before.
    let others = i32::try_from(of - some).unwrap_or(i32::MAX);
    let ways = (0..some).map(|at| (of - at) as f64 / (at + 1) as f64 * share);
    let mut exactly = (1.0 - share).powi(others) * ways.product::<f64>();
    let mut all = 0.0;
    for at in some..=of {
        all += exactly;
        exactly *= (of - at) as f64 / (at + 1) as f64 * share / (1.0 - share);
    }
    all.min(1.0)
}

/// A spike, in medians.
const SPIKE: f64 = 10.0;
/// Between two spikes of figure 6.1, seconds.
const SPIKES_EVERY: f64 = 60.0;

#[cfg(test)]
mod tests {
    use trunkline_labkit::sample::trial;
    use trunkline_labkit::trial::Entry;

    use super::*;

    const S: u64 = 1_000_000_000;
    const ONE_MS: u64 = 1_000_000;

    /// A request each 50 ms, answered after 1 ms; one that is due while everything stops, after the stop.
    fn group(stops: &[[u64; 2]], logged: &[[u64; 2]]) -> GroupRecord {
        let took = |due: u64| {
            let stop = stops.iter().find(|[from, to]| (*from..*to).contains(&due));
            stop.map_or(ONE_MS, |[_, to]| to - due + ONE_MS)
        };
        GroupRecord {
            table: ONE.into(),
            series: "jmx/RMI, serial collector".into(),
            agents: 1,
            one: (20..140).map(|at| at * 50 * ONE_MS).map(|due| [due, 0, took(due)]).collect(),
            collections: Some(logged.iter().map(|[from, to]| [*from, *to, to - from]).collect()),
            ..GroupRecord::default()
        }
    }

    fn row(group: GroupRecord) -> Vec<Option<f64>> {
        let entries = vec![Entry::Group(Box::new(group))];
        collections(&Trials { trial: trial("emanics2006"), entries }).unwrap().rows[0].ours.clone()
    }

    #[test]
    fn spikes_of_stops_are_in_collections_and_others_are_not() {
        let stops = [2, 4, 6].map(|at| [at * S - 10 * ONE_MS, at * S + 70 * ONE_MS]);
        // One of them before the first request that counts.
        let logged = [&[[S / 4, S / 2]], &stops[..]].concat();
        let found = row(group(&stops, &logged));
        assert_eq!(found[..3], [Some(3.0), Some(2.0), Some(80.0)]);
        assert_eq!((found[4], found[5]), (Some(3.0), Some(3.0)));
        assert_eq!((found[7], found[8]), (Some(71.0), Some(1.0)));
        // Two of twenty requests a second, in three of six seconds.
        let share = found[3].unwrap() / 100.0;
        assert!(
            (share - 6.0 / 120.0).abs() < 1e-9 && (found[6].unwrap() / share.powi(3) - 1.0).abs() < 1e-9,
            "{found:?}"
        );
        // The log has other times: the spikes are something else.
        let elsewhere = stops.map(|[from, to]| [from + 500 * ONE_MS, to + 500 * ONE_MS]);
        let found = row(group(&stops, &elsewhere));
        assert_eq!((found[4], found[5], found[6]), (Some(3.0), Some(0.0), Some(1.0)));
        assert_eq!((found[7], found[8]), (Some(1.0), Some(71.0)));
        // Collections beside the program.
        let found = row(group(&[], &stops));
        assert_eq!((found[0], found[4], found[5], found[6]), (Some(3.0), Some(0.0), Some(0.0), None));
    }

    #[test]
    fn without_a_jvm_there_is_no_table() {
        let group = GroupRecord { collections: None, ..group(&[], &[]) };
        let trials = Trials { trial: trial("emanics2006"), entries: vec![Entry::Group(Box::new(group))] };
        assert!(collections(&trials).is_none());
        assert!(figure_6_1(&trials).find("jmx/RMI, serial collector").is_some());
    }

    #[test]
    fn the_binomial_tail() {
        assert!((at_least(2, 3, 0.5) - 0.5).abs() < 1e-12);
        assert!((at_least(1, 4, 0.1) - (1.0 - 0.9_f64.powi(4))).abs() < 1e-12);
        assert_eq!((at_least(0, 3, 0.2), at_least(3, 3, 1.0), at_least(1, 3, 0.0)), (1.0, 1.0, 0.0));
    }
}
