//! From the samples of a comparison to its tables: a pure function. What is measured and what is computed stand apart.

use crate::kit::doubt::Doubt;
use crate::kit::findings::{Findings, Sheet};
use crate::kit::open_sessions::WITH_SESSIONS;
use crate::kit::picked::{Picked, fit, total_ms};
use crate::kit::protocol::Protocol;
use crate::kit::report::figure::{
    Axis, Entry as Legend, Figure, Line, Mark, Panel, Point, Scale, Stroke, Style,
};
use crate::kit::trial::{OpenSessionsRecord, SessionRecord, Trials};

use super::{COLD, COLD_BESIDE, Fleet, KEPT, KEPT_BESIDE, MEASURED};

/// All tables.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let ways = ways(trials);
    let ranked = ranked(&ways);
    findings.sheets.push(ranks(&ways, &ranked, trials));
    findings.sheets.push(measured(&ways, &ranked));
    if let Some(fleet) = &trials.setting::<Fleet>() {
        findings.sheets.push(computed(&ways, &ranked, fleet));
        findings.doubt_all(conditions(fleet));
    }
    findings.doubt_all(trials.doubts());
    findings
}

/// A way to ask a device again and again, and what one round of it takes.
#[derive(Debug, Clone)]
struct Way {
    label: String,
    kept: bool,
    samples: usize,
    /// Octets of IP packets to the agent and to the manager, lost ones included.
    octets: [f64; 2],
    packets: f64,
    time_ms: f64,
    manager_cpu_ms: Option<f64>,
    agent_cpu_ms: Option<f64>,
    /// What a session that is open takes of agent and manager, octets; 0 where none is kept, nothing where it was not
    /// measured.
    memory: [Option<f64>; 2],
}

impl Way {
    fn all_octets(&self) -> f64 {
        self.octets[0] + self.octets[1]
    }

    fn cpu_ms(&self) -> Option<f64> {
        Some(self.manager_cpu_ms? + self.agent_cpu_ms?)
    }

    fn memory_of_both(&self) -> Option<f64> {
        Some(self.memory[0]? + self.memory[1]?)
    }

    /// What it is ranked by: octets, time, CPU time, memory.
    fn figures(&self) -> [Option<f64>; 4] {
        [Some(self.all_octets()), Some(self.time_ms), self.cpu_ms(), self.memory_of_both()]
    }
}

/// The ways that were measured.
fn ways(trials: &Trials) -> Vec<Way> {
    let mut ways = Vec::new();
    for protocol in Protocol::all() {
        let pick = |what| trials.pick(MEASURED, what, protocol, None);
        let (cold, kept) = ([pick(COLD), pick(COLD_BESIDE)], [pick(KEPT), pick(KEPT_BESIDE)]);
        ways.extend(cold_way(protocol, &cold));
        ways.extend(kept_way(protocol, &cold, &kept, trials));
    }
    ways
}

/// A round with a session of its own: `cold` over the link and over the loopback.
fn cold_way(protocol: Protocol, [cold, beside]: &[Picked<'_>; 2]) -> Option<Way> {
    Some(Way {
        label: format!("{protocol}, cold"),
        kept: false,
        samples: cold.count(),
        octets: [cold.mean_of_some(to_agent)?, cold.mean_of_some(to_manager)?],
        packets: cold.mean_of_some(packets)?,
        time_ms: cold.mean(total_ms)?,
        manager_cpu_ms: beside.median_of_some(manager_cpu_ms),
        agent_cpu_ms: beside.median_of_some(agent_cpu_ms),
        memory: [Some(0.0); 2],
    })
}

/// A round of a kept session: what a session of several rounds takes more than one of one, and how long its later exchanges
/// are.
fn kept_way(
    protocol: Protocol,
    [cold, cold_beside]: &[Picked<'_>; 2],
    [kept, kept_beside]: &[Picked<'_>; 2],
    trials: &Trials,
) -> Option<Way> {
    let each = |long: Option<f64>, short: Option<f64>, more: f64| Some((long? - short?) / more);
    let more = more_rounds(kept)?;
    let mean = |figure: fn(&SessionRecord) -> Option<f64>| {
        each(kept.mean_of_some(figure), cold.mean_of_some(figure), more).map(|it| it.max(0.0))
    };
    let more_beside = more_rounds(kept_beside);
    let median = |figure: fn(&SessionRecord) -> Option<f64>| {
        each(kept_beside.median_of_some(figure), cold_beside.median_of_some(figure), more_beside?)
            .filter(|it| *it > 0.0)
    };
    Some(Way {
        label: format!("{protocol}, kept"),
        kept: true,
        samples: cold.count().min(kept.count()),
        octets: [mean(to_agent)?, mean(to_manager)?],
        packets: mean(packets)?,
        time_ms: kept.mean_of_some(later_ms)?,
        manager_cpu_ms: median(manager_cpu_ms),
        agent_cpu_ms: median(agent_cpu_ms),
        memory: memory(protocol, trials),
    })
}

/// How many rounds these sessions have beside their first.
fn more_rounds(kept: &Picked<'_>) -> Option<f64> {
    let rounds = kept.iter().map(|it| it.case.messages).max()?;
    Some(f64::from(rounds.saturating_sub(1).max(1)))
}

/// A round behind the first, milliseconds.
fn later_ms(session: &SessionRecord) -> Option<f64> {
    let rounds = session.case.messages as usize;
    let first = session.each_ns.len() / rounds.max(1);
    let later: u64 = session.each_ns.get(first..)?.iter().sum();
    (rounds > 1).then(|| later as f64 / 1e6 / (rounds - 1) as f64)
}

/// What an open session of this transport takes, octets: the slope over the readings.
fn memory(protocol: Protocol, trials: &Trials) -> [Option<f64>; 2] {
    if !WITH_SESSIONS.contains(&protocol.transport) {
        return [Some(0.0); 2];
    }
    let slope = |figure: fn(&OpenSessionsRecord) -> u64| {
        let records = trials.memory(MEASURED).filter(|it| it.protocol.transport == protocol.transport);
        let points: Vec<(f64, f64)> = records.map(|it| (f64::from(it.sessions), figure(it) as f64)).collect();
        fit(&points).map(|line| line.slope.max(0.0))
    };
    [slope(|it| it.resident), slope(|it| it.manager_resident)]
}

fn to_agent(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.to_agent.sent.ip_octets as f64)
}

fn to_manager(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.to_manager.sent.ip_octets as f64)
}

fn packets(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.sent().packets as f64)
}

fn manager_cpu_ms(session: &SessionRecord) -> Option<f64> {
    Some(session.manager_cpu_ns? as f64 / 1e6)
}

fn agent_cpu_ms(session: &SessionRecord) -> Option<f64> {
    Some(session.agent_cpu_ns? as f64 / 1e6)
}

/// A way's place in the whole, its rank by each figure, and their sum.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    at: usize,
    ranks: [Option<usize>; 4],
    sum: usize,
}

/// The ways in their order: by the sum of their four ranks, then by octets.
fn ranked(ways: &[Way]) -> Vec<Ranked> {
    let rank = |at: usize, figure: usize| -> Option<usize> {
        let own = ways[at].figures()[figure]?;
        // Equal figures have an equal rank.
        let better = ways.iter().filter_map(|way| way.figures()[figure]).filter(|other| *other < own);
        Some(1 + better.count())
    };
    let mut all: Vec<Ranked> = (0..ways.len())
        .map(|at| {
            let ranks = [0, 1, 2, 3].map(|figure| rank(at, figure));
            // What could not be measured counts as last.
            let sum = ranks.iter().map(|rank| rank.unwrap_or(ways.len())).sum();
            Ranked { at, ranks, sum }
        })
        .collect();
    all.sort_by(|one, other| {
        let octets = |it: &Ranked| ways[it.at].all_octets();
        one.sum.cmp(&other.sum).then(octets(one).total_cmp(&octets(other)))
    });
    all
}

fn ranks(ways: &[Way], ranked: &[Ranked], trials: &Trials) -> Sheet {
    let columns = ["rank", "by octets", "by time", "by CPU", "by memory"];
    let mut sheet = Sheet::new("compare/ranks", "every way to ask these devices, the best first", &columns);
    let what = trials.setting::<Fleet>().map_or_else(String::new, |fleet| {
        let Fleet { link, devices, objects, every, .. } = &fleet;
        format!("{devices} devices, {objects} ifTable objects of each every {every} s, link {link}. ")
    });
    sheet.note = format!(
        "{what}The order is by the sum of four ranks of a round with one device: octets on the link, time, CPU time of manager and \
         agent, memory of both for a session that is kept. Cold: a session is opened for each round and closed behind it. Kept: \
         it stays open."
    );
    for (place, it) in ranked.iter().enumerate() {
        let way = &ways[it.at];
        let numbers = it.ranks.map(|rank| rank.map(|rank| rank as f64));
        let figures: Vec<Option<f64>> = [Some((place + 1) as f64)].into_iter().chain(numbers).collect();
        sheet.row(&way.label, &[], &figures, way.samples);
    }
    sheet.drawings.extend(drawing(ways));
    sheet
}

fn measured(ways: &[Way], ranked: &[Ranked]) -> Sheet {
    let columns = [
        "to agent (octets)",
        "to manager (octets)",
        "packets",
        "time (ms)",
        "manager CPU (ms)",
        "agent CPU (ms)",
        "agent memory (KB)",
        "manager memory (KB)",
    ];
    let mut sheet = Sheet::new(MEASURED, "measured: one round with one device on the link", &columns);
    sheet.note = "Octets of IP packets, lost ones included, and packets: means, as the times. Kept: what a session with several \
                  rounds takes more than one with one round, divided by how many more; its time is that of the later rounds. CPU \
                  times: medians over the loopback. Memory of a session that is open and not used, KB of 1024 octets: over the \
                  loopback, for each transport once."
        .into();
    for it in ranked {
        let way = &ways[it.at];
        let memory = way.memory.map(|octets| octets.filter(|_| way.kept).map(|octets| octets / 1024.0));
        let figures = [
            Some(way.octets[0]),
            Some(way.octets[1]),
            Some(way.packets),
            Some(way.time_ms),
            way.manager_cpu_ms,
            way.agent_cpu_ms,
            memory[0],
            memory[1],
        ];
        sheet.row(&way.label, &[], &figures, way.samples);
    }
    sheet
}

fn computed(ways: &[Way], ranked: &[Ranked], fleet: &Fleet) -> Sheet {
    let columns = [
        "all, MB a day",
        "own link used (%)",
        "one link for all used (%)",
        "round fits, own links (1: yes)",
        "round fits, one link (1: yes)",
        "manager CPU (% of a core)",
        "agent CPU (% of a core)",
        "manager memory (MB)",
    ];
    let mut sheet = Sheet::new("compare/computed", "computed: what all devices make of it", &columns);
    sheet.note = "By arithmetic from the measured table alone. Used: the octets of the busier direction by what the link carries in \
                  the time from one round to the next. A round fits own links when it takes less than that time with one device \
                  and the manager's CPU time with all does; it fits one link for all when that link carries all of it besides. MB \
                  are 1,000,000 octets."
        .into();
    let devices = f64::from(fleet.devices);
    for it in ranked {
        let way = &ways[it.at];
        let used = fleet.rate.map(|rate| way.octets[0].max(way.octets[1]) * 8.0 / (rate * fleet.every));
        let cpu = way.manager_cpu_ms.map(|ms| ms / 1e3 * devices / fleet.every);
        let own = way.time_ms / 1e3 <= fleet.every && cpu.is_none_or(|share| share <= 1.0);
        let shared = own && used.is_none_or(|share| share * devices <= 1.0);
        let percent = |share: f64| share * 100.0;
        let yes = |fits: bool| Some(f64::from(u8::from(fits)));
        let figures = [
            Some(way.all_octets() * devices * DAY / fleet.every / 1e6),
            used.map(percent),
            used.map(|share| percent(share * devices)),
            yes(own),
            yes(shared),
            cpu.map(percent),
            way.agent_cpu_ms.map(|ms| percent(ms / 1e3 / fleet.every)),
            way.memory[1].map(|octets| octets * devices / 1e6),
        ];
        sheet.row(&way.label, &[], &figures, way.samples);
    }
    sheet
}

fn conditions(fleet: &Fleet) -> Vec<Doubt> {
    let condition = |table: &str, text: String| Doubt::Condition { table: table.into(), text };
    vec![
        condition(
            "compare/measured",
            format!("measured with one agent on an emulated link of {}, one session at a time", fleet.link),
        ),
        condition(
            "compare/computed",
            format!(
                "computed for {} devices from what one takes: that they disturb each other on one link (queues, losses by \
                 overflow) is not in it",
                fleet.devices
            ),
        ),
    ]
}

/// Each way by octets and time.
fn drawing(ways: &[Way]) -> Option<(Figure, String)> {
    let kinds = [(false, "cold", Mark::Ring), (true, "kept", Mark::Disc)];
    let (mut lines, mut legend) = (Vec::new(), Vec::new());
    for (transport, colour) in
        [("UDP", "#57606a"), ("TCP", "#9a6700"), ("/TLS", "#1a7f37"), ("DTLS", "#0b7b83"), ("SSH", "#b3261e")]
    {
        for (kept, name, mark) in kinds {
            let of_this = ways.iter().filter(|way| way.kept == kept && way.label.contains(transport));
            let points: Vec<Point> =
                of_this.map(|way| Point { x: way.all_octets(), y: way.time_ms, interval: None }).collect();
            if !points.is_empty() {
                let style = Style { colour, stroke: Stroke::None, mark };
                legend.push(Legend::Line(style, format!("{}, {name}", transport.trim_start_matches('/'))));
                lines.push(Line { style, points });
            }
        }
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let title = "Time and octets of a round, for every way";
    let figure = Figure {
        title: title.into(),
        x: axis("octets on the link"),
        y: axis("ms for a round"),
        panels: vec![Panel { lines, ..Panel::default() }],
        legend,
    };
    let caption = "Each mark is a protocol, transport and security level: to the left fewer octets, below less time. Both axes are \
                   logarithmic.";
    (!figure.panels[0].lines.is_empty()).then(|| (figure, caption.into()))
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::place::link::LinkCounts;
    use crate::kit::protocol::{Mode, SnmpVersion};
    use crate::kit::transport::Transport;
    use crate::kit::trial::Entry;
    use crate::kit::trial::tests::{session, trial};

    const KEPT_ROUNDS: u32 = 4;

    fn one(what: &str, protocol: Protocol, rounds: u32, octets: u64, ms: f64) -> Entry {
        let mut record = session(MEASURED, what, protocol, rounds, 1, [0.0, ms, 0.0]);
        let mut link = LinkCounts::default();
        link.to_agent.sent.ip_octets = octets;
        link.to_manager.sent.ip_octets = 3 * octets;
        link.to_agent.sent.packets = u64::from(rounds);
        record.link = Some(link);
        record.manager_cpu_ns = Some(1_000_000 * u64::from(rounds));
        record.agent_cpu_ns = Some(500_000 * u64::from(rounds));
        let later = (ms - 900.0) / f64::from(rounds.saturating_sub(1).max(1));
        record.each_ns = (0..rounds).map(|round| if round == 0 { 1 } else { (later * 1e6) as u64 }).collect();
        Entry::Session(record)
    }

    fn trials() -> Trials {
        let tls = Protocol::session(SnmpVersion::V3, Transport::Tls, Mode::Secure);
        let udp = Protocol::v2c(Transport::Udp);
        let mut trial = trial("compare");
        let fleet =
            Fleet { link: "64k".into(), rate: Some(64_000.0), devices: 500, objects: 66, every: 60.0 };
        trial.setting = serde_json::to_value(fleet).unwrap();
        let memory = |sessions: u32| {
            Entry::Memory(OpenSessionsRecord {
                table: MEASURED.into(),
                protocol: tls,
                sessions,
                resident: 1_000_000 + u64::from(sessions) * 10_240,
                virtual_size: 0,
                manager_resident: 2_000_000 + u64::from(sessions) * 20_480,
            })
        };
        let entries = vec![
            one(COLD, udp, 1, 100, 200.0),
            one(COLD_BESIDE, udp, 1, 100, 1.0),
            one(COLD, tls, 1, 3000, 900.0),
            one(COLD_BESIDE, tls, 1, 3000, 3.0),
            one(KEPT_BESIDE, tls, 11, 3000, 9.0),
            one(
                KEPT,
                tls,
                1 + KEPT_ROUNDS,
                3000 + 120 * u64::from(KEPT_ROUNDS),
                900.0 + 210.0 * f64::from(KEPT_ROUNDS),
            ),
            memory(0),
            memory(100),
        ];
        Trials { trial, entries }
    }

    #[test]
    fn a_kept_sessions_round_is_what_a_long_one_takes_more() {
        let findings = findings(&trials());
        let sheet = findings.sheet(MEASURED).unwrap();
        let kept = sheet.find("v3/TSM/TLS, kept").unwrap();
        let figures: Vec<f64> = kept.ours.iter().map(|it| it.unwrap().round()).collect();
        assert_eq!(figures, [120.0, 360.0, 1.0, 210.0, 1.0, 1.0, 10.0, 20.0], "{kept:?}");
        assert_eq!(sheet.find("v2c/UDP, cold").unwrap().ours[..2], [Some(100.0), Some(300.0)]);
        // What was not measured is not there.
        assert!(sheet.find("v2c/UDP, kept").is_none());
    }

    #[test]
    fn memory_that_was_not_measured_is_not_nothing() {
        let mut trials = trials();
        trials.entries.retain(|entry| !matches!(entry, Entry::Memory(_)));
        let findings = findings(&trials);
        let kept = findings.sheet(MEASURED).unwrap().find("v3/TSM/TLS, kept").unwrap();
        assert_eq!(kept.ours[6..], [None, None]);
        assert_eq!(findings.sheet("compare/ranks").unwrap().find("v3/TSM/TLS, kept").unwrap().ours[4], None);
    }

    #[test]
    fn the_best_is_first_and_what_follows_is_arithmetic() {
        let findings = findings(&trials());
        let ranks = &findings.sheet("compare/ranks").unwrap().rows;
        let order: Vec<&str> = ranks.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(order, ["v2c/UDP, cold", "v3/TSM/TLS, kept", "v3/TSM/TLS, cold"]);
        let computed = findings.sheet("compare/computed").unwrap();
        let udp = &computed.find("v2c/UDP, cold").unwrap().ours;
        // 400 octets of 500 devices, 1440 times a day
        assert_eq!(udp[0], Some(400.0 * 500.0 * 1440.0 / 1e6));
        // 300 octets in 60 s of 64 kbit/s
        assert!((udp[2].unwrap() - 300.0 * 8.0 * 500.0 / (64_000.0 * 60.0) * 100.0).abs() < 1e-9);
        assert_eq!((udp[3], udp[4]), (Some(1.0), Some(1.0)));
        // 9000 octets of each of 500 devices are more than 64 kbit/s carry in a minute
        let cold = &computed.find("v3/TSM/TLS, cold").unwrap().ours;
        assert_eq!((cold[3], cold[4]), (Some(1.0), Some(0.0)));
    }
}
