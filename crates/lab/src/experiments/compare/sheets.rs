//! From the samples of a comparison to its tables: a pure function. Measured and computed figures are kept apart.

use std::fmt;

use crate::kit::doubt::Doubt;
use crate::kit::findings::{Findings, Sheet};
use crate::kit::open_sessions::{self, WITH_SESSIONS};
use crate::kit::picked::{Picked, hardly_lost, total_ms};
use crate::kit::protocol::Protocol;
use crate::kit::report::figure::{Axis, Figure, Line, Mark, Panel, Point, Scale, Style};
use crate::kit::report::palette;
use crate::kit::trial::{OpenSessionsRecord, SessionRecord, Trials};

use super::answer;
use super::{COLD, COLD_BESIDE, Fleet, KEPT, KEPT_BESIDE, MEASURED};

/// All tables.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let ways = ways(trials);
    // Every run records it.
    if let Some(fleet) = &trials.setting::<Fleet>() {
        let plans = answer::plans(&ways, fleet);
        let order = answer::order(&ways, &plans, fleet);
        findings.answer = answer::sentences(&ways, &plans, &order, fleet);
        let mut plan = answer::sheet(&ways, &plans, &order, fleet);
        plan.drawings.extend(drawing(&ways));
        let lossy = fleet.loss > 0.0;
        let computed = computed(&ways, &plans, &order, fleet);
        findings.sheets.extend([plan, measured(&ways, &order, lossy), computed]);
        findings.doubt_all(conditions(fleet));
        if lossy {
            let few = |way: &Way| hardly_lost(MEASURED, &way.to_string(), way.sent_and_lost);
            findings.doubt_all(ways.iter().filter_map(few));
        }
    }
    findings.doubt_all(trials.doubts());
    findings
}

/// A way to poll a device, and the cost of one round.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub protocol: Protocol,
    pub kept: bool,
    pub samples: usize,
    /// Octets of IP packets to the agent and to the manager, including lost ones.
    octets: [f64; 2],
    packets: f64,
    /// Packets that all its sessions sent on the link, and that the link lost.
    sent_and_lost: (u64, u64),
    pub time_ms: f64,
    pub manager_cpu_ms: Option<f64>,
    agent_cpu_ms: Option<f64>,
    /// The memory of an open session in agent and manager, octets; 0 if none is kept, `None` if it was not
    /// measured.
    memory: [Option<f64>; 2],
}

/// `v2c/UDP, kept`.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.protocol, if self.kept { "kept" } else { "cold" })
    }
}

impl Way {
    fn all_octets(&self) -> f64 {
        self.octets[0] + self.octets[1]
    }

    /// Octets of the direction with more of them.
    pub fn busier(&self) -> f64 {
        self.octets[0].max(self.octets[1])
    }

    /// CPU time of manager and agent.
    pub fn cpu_ms(&self) -> Option<f64> {
        Some(self.manager_cpu_ms? + self.agent_cpu_ms?)
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

/// A round with a separate session: `cold` over the link and over the loopback.
fn cold_way(protocol: Protocol, [cold, beside]: &[Picked<'_>; 2]) -> Option<Way> {
    Some(Way {
        protocol,
        kept: false,
        sent_and_lost: cold.sent_and_lost(),
        samples: cold.count(),
        octets: [cold.mean_of_some(to_agent)?, cold.mean_of_some(to_manager)?],
        packets: cold.mean_of_some(packets)?,
        time_ms: cold.mean(total_ms)?,
        manager_cpu_ms: beside.median_of_some(manager_cpu_ms),
        agent_cpu_ms: beside.median_of_some(agent_cpu_ms),
        memory: [Some(0.0); 2],
    })
}

/// A round of a kept session: the excess of a session of several rounds over one of one, and the duration of its
/// later exchanges.
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
        protocol,
        kept: true,
        sent_and_lost: kept.sent_and_lost(),
        samples: cold.count().min(kept.count()),
        octets: [mean(to_agent)?, mean(to_manager)?],
        packets: mean(packets)?,
        time_ms: kept.mean_of_some(later_ms)?,
        manager_cpu_ms: median(manager_cpu_ms),
        agent_cpu_ms: median(agent_cpu_ms),
        memory: memory(protocol, trials),
    })
}

/// How many rounds these sessions have after their first.
fn more_rounds(kept: &Picked<'_>) -> Option<f64> {
    let rounds = kept.iter().map(|it| it.case.messages).max()?;
    Some(f64::from(rounds.saturating_sub(1).max(1)))
}

/// A round after the first, milliseconds.
fn later_ms(session: &SessionRecord) -> Option<f64> {
    let rounds = session.case.messages as usize;
    let first = session.each_ns.len() / rounds.max(1);
    let later: u64 = session.each_ns.get(first..)?.iter().sum();
    (rounds > 1).then(|| later as f64 / 1e6 / (rounds - 1) as f64)
}

/// The memory of an open session over this transport, octets: the slope over the readings.
fn memory(protocol: Protocol, trials: &Trials) -> [Option<f64>; 2] {
    if !WITH_SESSIONS.contains(&protocol.transport) {
        return [Some(0.0); 2];
    }
    let slope = |figure: fn(&OpenSessionsRecord) -> u64| {
        let records = trials.memory(MEASURED).filter(|it| it.protocol.transport == protocol.transport);
        let points: Vec<(f64, f64)> = records.map(|it| (f64::from(it.sessions), figure(it) as f64)).collect();
        open_sessions::each(&points).map(|line| line.slope.max(0.0))
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
    session.sent_packets().map(|packets| packets as f64)
}

fn manager_cpu_ms(session: &SessionRecord) -> Option<f64> {
    Some(session.manager_cpu_ns? as f64 / 1e6)
}

fn agent_cpu_ms(session: &SessionRecord) -> Option<f64> {
    Some(session.agent_cpu_ns? as f64 / 1e6)
}

fn measured(ways: &[Way], order: &[usize], lossy: bool) -> Sheet {
    let mut columns = vec![
        "to agent (octets)",
        "to manager (octets)",
        "packets",
        "time (ms)",
        "manager CPU (ms)",
        "agent CPU (ms)",
        "agent memory (KB)",
        "manager memory (KB)",
    ];
    if lossy {
        columns.extend(["packets sent", "packets lost"]);
    }
    let mut sheet = Sheet::new(MEASURED, "measured: one round with one device on the link", &columns);
    sheet.note = "Octets of IP packets, lost ones included, and packets: means, as the times. Kept: what a session with several \
                  rounds takes more than one with one round, divided by how many more; its time is that of the later rounds. CPU \
                  times: medians over the loopback. Memory of a session that is open and not used, KB of 1024 octets: over the \
                  loopback, for each transport once: the slope over 25, 50 and 100 sessions."
        .into();
    if lossy {
        sheet.note += " The last two columns count all sessions of a way: the fewer packets were lost, the less its time shows what \
                       loss costs.";
    }
    for &at in order {
        let way = &ways[at];
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
            Some(way.sent_and_lost.0 as f64),
            Some(way.sent_and_lost.1 as f64),
        ];
        sheet.row(way.to_string(), &[], &figures, way.samples);
    }
    sheet
}

fn computed(ways: &[Way], plans: &[answer::Plan], order: &[usize], fleet: &Fleet) -> Sheet {
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
    for &at in order {
        let (way, answer::Plan { used, manager, .. }) = (&ways[at], plans[at]);
        let own = way.time_ms / 1e3 <= fleet.every && manager.is_none_or(|share| share <= 1.0);
        let shared = own && used.is_none_or(|share| share <= 1.0);
        let percent = |share: f64| share * 100.0;
        let yes = |fits: bool| Some(f64::from(u8::from(fits)));
        let figures = [
            Some(way.all_octets() * devices * DAY / fleet.every / 1e6),
            used.map(|share| percent(share / devices)),
            used.map(percent),
            yes(own),
            yes(shared),
            manager.map(percent),
            way.agent_cpu_ms.map(|ms| percent(ms / 1e3 / fleet.every)),
            way.memory[1].map(|octets| octets * devices / 1e6),
        ];
        sheet.row(way.to_string(), &[], &figures, way.samples);
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

/// A plot of each way by octets and time.
fn drawing(ways: &[Way]) -> Option<(Figure, String)> {
    let lines = ways.iter().map(|way| {
        let style = palette::protocol(way.protocol).points();
        let (name, mark) = if way.kept { ("kept", Mark::Disc) } else { ("cold", Mark::Ring) };
        let name = format!("{}, {name}", way.protocol);
        Line::new(name, Style { mark, ..style }, [Point::at(way.all_octets(), way.time_ms)])
    });
    let lines: Vec<Line> = lines.collect();
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let title = "Time and octets of a round, for every way";
    let figure = Figure {
        title: title.into(),
        x: axis("octets on the link"),
        y: axis("ms for a round"),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = "Each mark is a protocol, transport and security level: to the left fewer octets, below less time. Both axes are \
                   logarithmic.";
    (!figure.panels[0].lines.is_empty()).then(|| (figure, caption.into()))
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::kit::place::link::LinkCounts;
    use crate::kit::protocol::{Level, Mode, SnmpVersion};
    use crate::kit::transport::Transport;
    use crate::kit::trial::Entry;
    use crate::kit::trial::tests::{session, trial};

    const KEPT_ROUNDS: u32 = 4;

    /// A way with this many octets in its busier direction.
    pub(in super::super) fn way(protocol: Protocol, kept: bool, octets: f64, time_ms: f64) -> Way {
        Way {
            protocol,
            kept,
            samples: 1,
            octets: [70.0, octets],
            packets: 2.0,
            sent_and_lost: (0, 0),
            time_ms,
            manager_cpu_ms: Some(0.1),
            agent_cpu_ms: Some(0.1),
            memory: [Some(0.0); 2],
        }
    }

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
        let fleet = Fleet {
            link: "64k".into(),
            rate: Some(64_000.0),
            loss: 0.0,
            devices: 500,
            objects: 66,
            every: 60.0,
            security: Level::NoAuthNoPriv,
            max_share: 0.5,
        };
        trial.setting = serde_json::to_value(fleet).unwrap();
        let memory_record = |sessions: u32| OpenSessionsRecord {
            table: MEASURED.into(),
            protocol: tls,
            sessions,
            resident: 1_000_000 + u64::from(sessions) * 10_240,
            virtual_size: 0,
            manager_resident: 2_000_000 + u64::from(sessions) * 20_480,
        };
        let memory = |sessions: u32| Entry::Memory(memory_record(sessions));
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
            // What the first session takes is not what each takes.
            Entry::Memory(OpenSessionsRecord { resident: 500_000, ..memory_record(0) }),
            memory(50),
            memory(100),
        ];
        Trials { trial, entries }
    }

    #[test]
    fn a_round_of_a_kept_session_is_the_excess_of_a_long_one() {
        let findings = findings(&trials());
        let sheet = findings.sheet(MEASURED).unwrap();
        let kept = sheet.find("v3/TSM/TLS, kept").unwrap();
        let figures: Vec<f64> = kept.ours.iter().map(|it| it.unwrap().round()).collect();
        assert_eq!(figures, [120.0, 360.0, 1.0, 210.0, 1.0, 1.0, 10.0, 20.0], "{kept:?}");
        assert_eq!(sheet.find("v2c/UDP, cold").unwrap().ours[..2], [Some(100.0), Some(300.0)]);
        // A way that was not measured is missing.
        assert!(sheet.find("v2c/UDP, kept").is_none());
    }

    #[test]
    fn a_link_that_loses_shows_how_much_it_lost() {
        let mut trials = trials();
        let findings = findings(&trials);
        assert_eq!(findings.sheet(MEASURED).unwrap().columns.len(), 8);
        assert!(!findings.doubts.iter().any(|it| matches!(it, Doubt::HardlyLost { .. })));
        trials.trial.setting["loss"] = 0.005.into();
        let lost = |trials: &mut Trials, lost: u64| {
            for entry in &mut trials.entries {
                if let Entry::Session(session) = entry {
                    session.link.as_mut().unwrap().to_agent.lost = lost;
                }
            }
        };
        lost(&mut trials, 1);
        let findings = super::findings(&trials);
        let udp = findings.sheet(MEASURED).unwrap().find("v2c/UDP, cold").unwrap();
        assert_eq!(udp.ours[8..], [Some(1.0), Some(1.0)]);
        let doubts = findings.doubts.iter().filter(|it| matches!(it, Doubt::HardlyLost { lost: 1, .. }));
        assert_eq!(doubts.count(), 3);
        lost(&mut trials, 10);
        let findings = super::findings(&trials);
        assert!(!findings.doubts.iter().any(|it| matches!(it, Doubt::HardlyLost { .. })));
    }

    #[test]
    fn every_way_is_drawn() {
        for protocol in Protocol::all() {
            for kept in [false, true] {
                let way = way(protocol, kept, 100.0, 1.0);
                let name = way.to_string();
                let (figure, _) = drawing(&[way]).unwrap_or_else(|| panic!("{name} is not drawn"));
                assert_eq!(figure.panels[0].lines.len(), 1, "{protocol}");
            }
        }
    }

    #[test]
    fn unmeasured_memory_is_not_zero() {
        let mut trials = trials();
        trials.entries.retain(|entry| !matches!(entry, Entry::Memory(_)));
        let findings = findings(&trials);
        let kept = findings.sheet(MEASURED).unwrap().find("v3/TSM/TLS, kept").unwrap();
        assert_eq!(kept.ours[6..], [None, None]);
    }

    #[test]
    fn the_best_is_first_and_the_totals_are_arithmetic() {
        let findings = findings(&trials());
        let plan = &findings.sheet("compare/plan").unwrap().rows;
        let order: Vec<&str> = plan.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(order, ["v2c/UDP, cold", "v3/TSM/TLS, kept", "v3/TSM/TLS, cold"]);
        assert!(findings.answer[0].contains("use v2c/UDP, cold."), "{:?}", findings.answer);
        let computed = findings.sheet("compare/computed").unwrap();
        let udp = &computed.find("v2c/UDP, cold").unwrap().ours;
        // 400 octets of 500 devices, 1440 times a day
        assert_eq!(udp[0], Some(400.0 * 500.0 * 1440.0 / 1e6));
        // 300 octets in 60 s of 64 kbit/s
        assert!((udp[2].unwrap() - 300.0 * 8.0 * 500.0 / (64_000.0 * 60.0) * 100.0).abs() < 1e-9);
        assert_eq!((udp[3], udp[4]), (Some(1.0), Some(1.0)));
        // 9000 octets from each of 500 devices exceed what 64 kbit/s carries in a minute
        let cold = &computed.find("v3/TSM/TLS, cold").unwrap().ours;
        assert_eq!((cold[3], cold[4]), (Some(1.0), Some(0.0)));
    }
}
