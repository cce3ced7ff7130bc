//! From the samples of section 2 to its tables: a pure function.

use std::collections::BTreeMap;

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::picked::over;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::super::paper;
use super::TABLE;
use super::measure::{IDLE, crossing, managers_of, setting_up};
use super::scene::CROSSINGS;
use super::schedule::Way;
use super::settings::STATED;

/// All of them. Those of a smaller population have nothing that compares with PIONIER's station.
pub(in super::super) fn sheets(trials: &Trials) -> Vec<Sheet> {
    let station = is_whole(trials).then(|| station(trials));
    let more = [octets(trials), times(trials), crossings(trials)];
    std::iter::once(ways(trials)).chain(station).chain(more).collect()
}

/// Whether the population is that of the deliverable.
fn is_whole(trials: &Trials) -> bool {
    let [networks, all] = [paper::NODES.to_vec(), vec![paper::NODES.iter().sum()]];
    let mut whole = [networks, all].concat();
    whole.sort_unstable();
    parts(trials) == whole
}

/// The four ways.
fn ways(trials: &Trials) -> Sheet {
    let columns = [
        "octets/s",
        "packets/s",
        "kbit/s at 300 s",
        "packets/s at 300 s",
        "NOC's CPU (%)",
        "agents' CPU (%)",
        "managers' CPU (%)",
        "age (s)",
        "known after (s)",
    ];
    let mut sheet = Sheet::new(TABLE, "central, mid-level and delegated management (section 2)", &columns);
    let period = mean(trials, Way::Gets.name(), 0, Quantity::ElapsedNs)
        .or_else(|| mean(trials, Way::Tables.name(), 0, Quantity::ElapsedNs));
    let period = period.map_or_else(String::new, |it| format!(" of {:.0} s", it.value() / 1e9));
    sheet.note = format!(
        "The task is the same: tell when a statistic crosses its limit, and keep values. Octets and packets are those of IP at the NOC's end of the link, both ways, counted exactly, in rounds{period} without a crossing; and the same rounds spread over 300 s. Processor time is that of the NOC's \
         thread, of all agents together, and of the three managers together, in per cent of one processor; while nobody asks it is in the last row. The age of a value at the NOC is a mean over time, from when it was requested; that of aggregates counts from the oldest value in them. \
         Known after: from a crossing to when the NOC knows of it, mean of all devices. The deliverable has the population only; its 12 kbit/s (\"another dozen\") are beside (a), though it does not say of what, nor how they were collected."
    );
    for way in Way::ALL {
        let papers = if way == Way::Gets && is_whole(trials) {
            vec![None, None, Some(paper::STATION_KBIT[1])]
        } else {
            vec![]
        };
        let name = way.name();
        let per = |quantity| per_second(trials, name, name, quantity);
        let stated = |quantity, unit: f64| {
            mean(trials, name, 0, quantity).map(|it| it.map(|figure| figure / STATED as f64 / unit))
        };
        let cpu = |series: &str, quantity| {
            per_second(trials, series, name, quantity).map(|it| it.map(|ns| ns / NS * 100.0))
        };
        let ours = [
            per(Quantity::IpOctets),
            per(Quantity::Packets),
            stated(Quantity::IpOctets, OCTETS_IN_KBIT),
            stated(Quantity::Packets, 1.0),
            cpu(name, Quantity::WorkNs),
            cpu(name, Quantity::AgentCpuNs),
            cpu(&managers_of(way), Quantity::AgentCpuNs),
            mean(trials, name, 0, Quantity::AgeNs).map(|it| it.map(|ns| ns / NS)),
            reaction(trials, way),
        ];
        sheet.estimates(name, &papers, &ours);
    }
    let idle = Way::ALL.iter().find_map(|way| per_second(trials, IDLE, way.name(), Quantity::AgentCpuNs));
    let idle = idle.map(|it| it.map(|ns| ns / NS * 100.0));
    sheet.estimates(IDLE, &[], &[None, None, None, None, None, idle]);
    sheet
}

/// The traffic of PIONIER's management station.
fn station(trials: &Trials) -> Sheet {
    let mut sheet = Sheet::new(
        "emanics2006/station",
        "traffic of the management station (kbit/s, section 2.1)",
        &["kbit/s at 300 s", "octets a statistic"],
    );
    let [others, statistics] = paper::STATION_KBIT;
    sheet.note = format!(
        "\"Roughly estimated mean traffic to / from PIONIER management station is currently about 10 kbit/s (not including statistics gathering, which consumes another dozen of kbit/s)\". Whose statistics the dozen are is not said: of all networks they are 121 octets a statistic \
         at a period of {STATED} s, of PIONIER alone 395, and 79 at a minute. Ours is a Get for each statistic. What the other traffic was is not said either, and nothing of ours compares."
    );
    let [pionier, all] = [paper::NODES[0], paper::NODES.iter().sum()];
    for (label, nodes, of) in [
        ("statistics, of all networks", all, paper::STATISTICS.iter().sum()),
        ("statistics, of PIONIER alone", pionier, paper::STATISTICS[0]),
    ] {
        let octets = mean(trials, Way::Gets.name(), nodes, Quantity::IpOctets);
        let scaled = |by: f64| octets.as_ref().map(|it| it.map(|octets| octets / by));
        let ours = [scaled(STATED as f64 * OCTETS_IN_KBIT), scaled(f64::from(of))];
        let printed = statistics * OCTETS_IN_KBIT * STATED as f64 / f64::from(of);
        sheet.estimates(label, &[Some(statistics), Some(printed)], &ours);
    }
    sheet.estimates("without statistics", &[Some(others)], &[]);
    sheet
}

/// Octets of a round, by the number of devices.
fn octets(trials: &Trials) -> Sheet {
    let title = "octets of a round, by devices (section 2)";
    let mut sheet = by_devices(trials, "emanics2006/round-octets", title, Quantity::IpOctets, 1.0);
    sheet.note =
        "One round of requests to each network alone and to all, at the NOC's end of the link, with the headers of IP. A network has one manager, so that (c) depends on how many networks there are, not devices."
            .into();
    sheet
}

/// The time of a round, by the number of devices.
fn times(trials: &Trials) -> Sheet {
    let title = "time of a round, by devices (ms; section 2)";
    let mut sheet = by_devices(trials, "emanics2006/round-time", title, Quantity::DelayNs, 1e6);
    sheet.note = "The same rounds: one request after another, each when the one before is answered; to have all statistics of the devices in (a) and (b), what was computed of them in (c), and those of a tenth in (d).".into();
    sheet
}

/// What crossings send, and what it takes to delegate.
fn crossings(trials: &Trials) -> Sheet {
    let columns = [
        "of a crossing (octets)",
        "of a crossing (packets)",
        "setting up (octets)",
        "setting up (packets)",
        "setting up (s)",
    ];
    let mut sheet =
        Sheet::new("emanics2006/crossings", "what crossings and delegation send (section 2)", &columns);
    sheet.note = "Of a crossing at all devices at once: what is sent in its rounds beyond what quiet rounds send, so that it has their variation: notifications, and longer numbers. On a busy machine some requests of a round are counted with the next, and what looks like octets of a crossing in (a) is those: a crossing sends nothing there. Setting up: the rows of two triggers at each device, by six Sets, one after another; managers have theirs from a file."
        .into();
    for way in Way::ALL {
        let of = |series: &str, quantity| mean(trials, series, 0, quantity);
        let (with, setting_up) = (crossing(way), setting_up(way));
        let beyond = |quantity| {
            let quiet = of(way.name(), quantity)?;
            let all = of(&with, quantity)?;
            let [lasted, period] = [&*with, way.name()].map(|it| of(it, Quantity::ElapsedNs));
            let rounds = lasted?.value() / period?.value();
            Some(Estimate::combine(&[&all, &quiet], |of| (of[0] - of[1] * rounds) / f64::from(CROSSINGS)))
        };
        let ours = [
            beyond(Quantity::IpOctets),
            beyond(Quantity::Packets),
            of(&setting_up, Quantity::IpOctets),
            of(&setting_up, Quantity::Packets),
            of(&setting_up, Quantity::ElapsedNs).map(|it| it.map(|ns| ns / NS)),
        ];
        sheet.estimates(way.name(), &[], &ours);
    }
    sheet
}

fn by_devices(trials: &Trials, id: &str, title: &str, quantity: Quantity, unit: f64) -> Sheet {
    let parts = parts(trials);
    let columns: Vec<String> = parts.iter().map(|it| format!("{it} devices")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, title, &columns);
    for way in Way::ALL {
        let of = |nodes: &u32| mean(trials, way.name(), *nodes, quantity).map(|it| it.map(|of| of / unit));
        sheet.estimates(way.name(), &[], &parts.iter().map(of).collect::<Vec<_>>());
    }
    sheet
}

/// Numbers of devices of rounds, ascending; the last is of all.
pub(super) fn parts(trials: &Trials) -> Vec<u32> {
    trials.places(TABLE, Quantity::DelayNs)
}

/// The mean of readings of the table.
pub(super) fn mean(trials: &Trials, series: &str, at: u32, quantity: Quantity) -> Option<Estimate> {
    trials.read(TABLE, series, at, quantity).mean_estimate()
}

/// What of a round is of a second of a way's period.
fn per_second(trials: &Trials, series: &str, way: &str, quantity: Quantity) -> Option<Estimate> {
    let period = mean(trials, way, 0, Quantity::ElapsedNs)?.value() / NS;
    mean(trials, series, 0, quantity).map(|it| it.map(|figure| figure / period))
}

/// Seconds from a crossing to when the NOC knows of it: of each crossing the mean over devices, and the mean of these. Each crossing is a
/// sample of its own, since its moment was drawn for it alone.
pub(super) fn reaction(trials: &Trials, way: Way) -> Option<Estimate> {
    let mut crossings: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let of_way = |it: &&trunkline_labkit::reading::Reading| {
        it.quantity == Quantity::ReactionNs && it.series == way.name()
    };
    for reading in trials.readings(TABLE).filter(of_way) {
        crossings.entry(reading.repetition).or_default().push(reading.figure / NS);
    }
    let means = crossings.values().map(|all| all.iter().sum::<f64>() / all.len() as f64);
    Estimate::mean(&means.collect::<Vec<f64>>())
}

/// The ratio of one way to another in a round of all devices.
pub(super) fn beside(trials: &Trials, one: Way, other: Way, quantity: Quantity) -> Option<Estimate> {
    let all = *parts(trials).last()?;
    let of = |way: Way| mean(trials, way.name(), all, quantity);
    over(of(one).as_ref(), of(other).as_ref())
}

/// Octets of a kbit.
const OCTETS_IN_KBIT: f64 = 125.0;
/// Nanoseconds in a second.
const NS: f64 = 1e9;

#[cfg(test)]
mod tests {
    use trunkline_labkit::reading::Reading;
    use trunkline_labkit::trial::Entry;

    use super::*;

    fn reading(series: &str, at: u32, quantity: Quantity, repetition: u32, figure: f64) -> Entry {
        Entry::Reading(Reading {
            table: TABLE.into(),
            series: series.into(),
            at,
            quantity,
            repetition,
            figure,
        })
    }

    #[test]
    fn figures_of_a_round_are_stated_by_the_second_and_for_five_minutes() {
        let name = Way::Gets.name();
        let mut entries = Vec::new();
        for repetition in 1..=6 {
            entries.push(reading(name, 0, Quantity::IpOctets, repetition, 600_000.0));
            entries.push(reading(name, 0, Quantity::ElapsedNs, repetition, 6e9));
            entries.push(reading(name, 0, Quantity::WorkNs, repetition, 6e8));
            entries.push(reading(name, 135, Quantity::IpOctets, repetition, 600_000.0));
            for nodes in [27, 40, 68, 135] {
                entries.push(reading(name, nodes, Quantity::DelayNs, repetition, 1e9));
            }
        }
        // Two devices, two crossings.
        for (device, repetition, ns) in [(1, 1, 1e9), (2, 1, 3e9), (1, 2, 5e9), (2, 2, 7e9)] {
            entries.push(reading(name, device, Quantity::ReactionNs, repetition, ns));
        }
        let trials = Trials { trial: trunkline_labkit::sample::trial("emanics2006"), entries };
        let sheets = super::sheets(&trials);
        let row = sheets[0].find(name).unwrap();
        let close = |at: usize, figure: f64| (row.ours[at].unwrap() - figure).abs() < 1e-6;
        assert!(close(0, 100_000.0) && close(2, 16.0) && close(4, 10.0) && close(8, 4.0), "{row:?}");
        assert_eq!((row.paper[2], sheets[0].rows.len()), (Some(12.0), 5));
        let all = sheets[1].find("statistics, of all networks").unwrap();
        assert!((all.paper[1].unwrap() - 121.3).abs() < 0.1 && (all.ours[0].unwrap() - 16.0).abs() < 1e-6);
        let pionier = sheets[1].find("statistics, of PIONIER alone").unwrap();
        assert!((pionier.paper[1].unwrap() - 395.4).abs() < 0.2 && pionier.ours[0].is_none());
        assert_eq!(sheets[2].columns, ["27 devices", "40 devices", "68 devices", "135 devices"]);
    }

    #[test]
    fn other_devices_have_nothing_of_the_deliverable_beside_them() {
        let name = Way::Gets.name();
        let of = |nodes: [u32; 4]| {
            let kinds = [(0, Quantity::IpOctets, 6e5), (0, Quantity::ElapsedNs, 6e9)];
            let whole = kinds.map(|(at, quantity, figure)| reading(name, at, quantity, 1, figure));
            let parts = nodes.map(|nodes| reading(name, nodes, Quantity::DelayNs, 1, 1e9));
            let entries = whole.into_iter().chain(parts).collect();
            let trials = Trials { trial: trunkline_labkit::sample::trial("emanics2006"), entries };
            let sheets = sheets(&trials);
            let row = sheets[0].find(name).unwrap();
            (row.paper[2], row.ratio[2].is_some(), sheets.iter().any(|it| it.id == "emanics2006/station"))
        };
        assert_eq!(of([27, 40, 68, 135]), (Some(12.0), true, true));
        // As many in all.
        assert_eq!(of([44, 45, 46, 135]), (None, false, false));
        assert_eq!(of([1, 2, 3, 6]), (None, false, false));
    }
}
