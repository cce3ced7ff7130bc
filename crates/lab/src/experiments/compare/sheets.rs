//! From the samples of a comparison to its tables: a pure function. Measured and computed figures are kept apart.

use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::picked::hardly_lost;
use trunkline_labkit::trial::Trials;

use super::MEASURED;
use super::answer::{self, Plans};
use super::drawing::drawing;
use super::fleet::Fleet;
use super::plan::{Change, estimate, expected_with_loss};
use super::way::{self, Way};

/// All tables.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let (ways, left_out) = way::ways(trials);
    // Every run records it.
    let setting = trials.setting::<Fleet>().filter(Fleet::is_possible);
    if setting.is_none() {
        let text =
            "the samples do not say for which link and devices they were measured, or say what no link is"
                .into();
        findings.doubt_all([Doubt::Condition { table: MEASURED.into(), text }]);
    }
    if let Some(fleet) = &setting {
        let ways: Vec<Way> = ways.into_iter().map(|way| way.over(fleet)).collect();
        let plans = Plans::of(&ways, fleet);
        findings.answer = answer::sentences(&plans);
        let mut plan = answer::sheet(&plans);
        plan.drawings.extend(drawing(&plans));
        findings.sheets.push(plan);
        findings.sheets.extend(plans.chosen().map(|chosen| answer::sensitivity_sheet(&plans, chosen)));
        findings.sheets.extend([measured(&plans), computed(&plans)]);
        if ways.iter().any(|way| way.subject.is_none()) {
            findings.doubt_all(conditions(fleet));
        }
        findings.doubt_all(ways.iter().filter_map(|way| fewer_objects(way, fleet)));
        findings.doubt_all(ways.iter().filter_map(|way| losses(way, fleet)));
    }
    findings.doubt_all(left_out);
    findings.doubt_all(trials.doubts());
    findings
}

/// What the losses of a way's sessions put in doubt.
fn losses(way: &Way, fleet: &Fleet) -> Option<Doubt> {
    if fleet.loss > 0.0 {
        return hardly_lost(MEASURED, &way.to_string(), way.sent_and_lost);
    }
    let table = MEASURED.into();
    let resent = Doubt::Resent { table, protocol: way.protocol, requests: way.resent };
    (way.resent > 0 && way.packing.of_snmp().is_none()).then_some(resent)
}

/// An agent with less in its ifTable than was asked for.
fn fewer_objects(way: &Way, fleet: &Fleet) -> Option<Doubt> {
    let text = format!("{way}: its ifTable has {} of the {} objects asked for", way.objects, fleet.objects);
    let is_short = way.subject.is_some() && way.objects < f64::from(fleet.objects);
    is_short.then(|| Doubt::Condition { table: MEASURED.into(), text })
}

fn measured(plans: &Plans<'_>) -> Sheet {
    let is_lossy = plans.fleet.loss > 0.0;
    let mut columns = vec![
        "to agent (octets)",
        "to manager (octets)",
        "packets",
        "time (ms)",
        "objects fetched",
        "octets for each object",
        "manager CPU (ms)",
        "agent CPU (ms)",
        "agent memory (KB)",
        "manager memory (KB)",
    ];
    if is_lossy {
        columns.extend(["time without losses (ms)", "time expected (ms)", "packets sent", "packets lost"]);
    }
    let mut sheet = Sheet::new(MEASURED, "measured: one round with one device on the link", &columns);
    sheet.note = "Octets of IP packets, lost ones included, and packets: means, as the times. Kept: each round after \
                  the first of a session, counted alone between silences of the link; CPU times of kept sessions are what each further \
                  round adds. \
                  Objects: SOAP fetches whole rows of ifTable, SNMP the first instances in the order of GetNext; with --columns \
                  both fetch the same. opc, odc, zlib: the compressions of SNMPv1 and SNMPv2c (prefixes of names, differences of \
                  names, DEFLATE); gzip: that of answers over HTTP; SNMPv3 has none of its own. OPC and ODC make the same messages over \
                  every transport and are measured over UDP. CPU times: medians over the loopback, waiting not included. Memory of a \
                  session that is open and not used, KB of 1024 octets: over the loopback: the slope over \
                  25, 50 and 100 sessions; of the agent by what is resident, of the manager, which is this program and has released memory before, by what is in use of its heap. \
                  Where only what is resident is known, it has to grow evenly and by 128 KB or more; otherwise there is a dash, and a warning. A session of SNMP or SOAP is the connection that carries it: each transport was measured once, and the figure is in all of \
                  their rows over it, whatever the version, the security of messages and the compression. Of NETCONF each row has its own."
        .into();
    if is_lossy {
        sheet.note += " Time expected: what it takes without losses, and the manager's timer for each attempt that loses a packet; \
                       only where that timer is what repeats them, not the kernel's. The last two columns count all sessions of a \
                       way: the fewer packets were lost, the less its time shows what loss costs.";
    }
    for &at in &plans.order {
        let way = &plans.ways[at];
        let memory = way.memory.map(|octets| octets.filter(|_| way.kept).map(|octets| octets / 1024.0));
        let exact = |value: f64| Some(Estimate::exact(value));
        let [to_agent, to_manager] = way.cost.octets.clone();
        let mut cells = vec![
            Some(to_agent),
            Some(to_manager),
            Some(way.packets.clone()),
            Some(way.cost.time_ms.clone()),
            exact(way.objects),
            (way.objects > 0.0).then(|| &way.all_octets() / way.objects),
            way.manager_cpu_ms.clone(),
            way.agent_cpu_ms.clone(),
            memory[0].map(Estimate::exact),
            memory[1].map(Estimate::exact),
        ];
        if is_lossy {
            let expected = expected_with_loss(way, plans.fleet).map(|seconds| seconds.map(|it| it * 1e3));
            let (sent, lost) = way.sent_and_lost;
            cells.extend([Some(way.clean.time_ms.clone()), expected, exact(sent as f64), exact(lost as f64)]);
        }
        sheet.estimates(way.to_string(), &[], &cells);
    }
    sheet
}

fn computed(plans: &Plans<'_>) -> Sheet {
    let columns = [
        "all, MB a day",
        "own link used (%)",
        "one link for all used (%)",
        "own links carry it (1: yes)",
        "one link carries it (1: yes)",
        "manager CPU (% of a core)",
        "agent CPU (% of a core)",
        "manager memory (MB)",
    ];
    let mut sheet = Sheet::new("compare/computed", "computed: all devices together", &columns);
    sheet.note = "By arithmetic from the measured table alone. Used: the octets of the busier direction by what the link carries in \
                  the time from one round to the next. Own links carry a round when it takes less than that time with one device \
                  and the manager's CPU time with all does; one link for all carries it when all of it, and not only --max-share, suffices besides. MB \
                  are 1,000,000 octets."
        .into();
    let fleet = plans.fleet;
    let devices = f64::from(fleet.devices);
    for &at in &plans.order {
        let (way, plan) = (&plans.ways[at], &plans.figures[at]);
        let own = plan.round.time <= fleet.every && plan.manager.is_none_or(|share| share <= 1.0);
        let shared = own && plan.used.is_none_or(|share| share <= 1.0);
        let used =
            plan.used.map(|_| estimate(way, fleet, Change::None, |it| it.used.unwrap_or(f64::NAN) * 100.0));
        let manager = way.manager_cpu_ms.as_ref().map(|ms| ms.map(|ms| ms * devices / fleet.every / 10.0));
        let yes = |fits: bool| Some(Estimate::exact(f64::from(u8::from(fits))));
        let cells = [
            Some(way.all_octets().map(|octets| octets * devices * DAY / fleet.every / 1e6)),
            used.as_ref().map(|used| used / devices),
            used,
            yes(own),
            yes(shared),
            manager,
            way.agent_cpu_ms.as_ref().map(|ms| ms.map(|ms| ms / fleet.every / 10.0)),
            way.memory[1].map(|octets| Estimate::exact(octets * devices / 1e6)),
        ];
        sheet.estimates(way.to_string(), &[], &cells);
    }
    sheet
}

fn conditions(fleet: &Fleet) -> Vec<Doubt> {
    let condition = |table: &str, text: String| Doubt::Condition { table: table.into(), text };
    vec![
        condition(
            MEASURED,
            format!(
                "measured with one agent on an emulated link of {}, one session at a time on it; the manager repeats a request \
                 after {} s, {} times",
                fleet.link, fleet.timeout, fleet.retries
            ),
        ),
        condition(
            "compare/computed",
            format!(
                "computed for {} devices from what one takes: interaction between devices on one link (queues, losses by overflow) is \
                 not modelled",
                fleet.devices
            ),
        ),
    ]
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

#[cfg(test)]
mod tests {
    use super::super::measure::{COLD, COLD_BESIDE, KEPT, KEPT_BESIDE};
    use super::*;
    use trunkline_labkit::conversation::Round;
    use trunkline_labkit::packing::Packing;
    use trunkline_labkit::place::link::{DirectionCounts, LinkCounts, Traffic};
    use trunkline_labkit::protocol::{Level, Mode, Protocol, SnmpVersion};
    use trunkline_labkit::sample::{session, trial};
    use trunkline_labkit::transport::Transport;
    use trunkline_labkit::trial::{Entry, OpenSessionsRecord};

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
        record.objects = Some(66 * rounds);
        let later = (ms - 900.0) / f64::from(rounds.saturating_sub(1).max(1));
        record.each_ns = (0..rounds).map(|round| if round == 0 { 1 } else { (later * 1e6) as u64 }).collect();
        if rounds > 1 {
            // Of the first round is what opens the session.
            let octets = |round: u32| if round == 0 { 3000 } else { 120 };
            let direction = |octets: u64| DirectionCounts {
                sent: Traffic { packets: 1, ip_octets: octets, ..Traffic::default() },
                ..DirectionCounts::default()
            };
            let link =
                |octets: u64| LinkCounts { to_agent: direction(octets), to_manager: direction(3 * octets) };
            let ns = (later * 1e6) as u64;
            record.rounds =
                (0..rounds).map(|round| Round { link: link(octets(round)), ns, resent: 0 }).collect();
        }
        Entry::Session(record)
    }

    fn trials() -> Trials {
        let tls = Protocol::session(SnmpVersion::V3, Transport::Tls, Mode::Secure);
        let udp = Protocol::v2c(Transport::Udp);
        let mut trial = trial("compare");
        let mut fleet = super::super::fleet::tests::fleet(Level::NoAuthNoPriv, 500);
        (fleet.link, fleet.loss, fleet.round_trip) = ("64k".into(), 0.0, 0.0);
        trial.setting = serde_json::to_value(fleet).unwrap();
        let memory_record = |sessions: u32| OpenSessionsRecord {
            table: MEASURED.into(),
            protocol: tls,
            packing: Packing::None,
            sessions,
            resident: 1_000_000 + u64::from(sessions) * 10_240,
            virtual_size: 0,
            manager_resident: 2_000_000 + u64::from(sessions) * 20_480,
            manager_in_use: None,
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
    fn each_round_of_a_kept_session_is_counted_alone() {
        let findings = findings(&trials());
        let sheet = findings.sheet(MEASURED).unwrap();
        let kept = sheet.find("v3/TSM/TLS, kept").unwrap();
        let figures: Vec<f64> = kept.ours.iter().map(|it| it.unwrap().round()).collect();
        assert_eq!(figures, [120.0, 360.0, 2.0, 210.0, 66.0, 7.0, 1.0, 1.0, 10.0, 20.0], "{kept:?}");
        assert_eq!(sheet.find("v2c/UDP").unwrap().ours[..2], [Some(100.0), Some(300.0)]);
        // A way that was not measured is missing.
        assert!(sheet.find("v3/USM authPriv/UDP, kept").is_none());
    }

    #[test]
    fn a_link_that_loses_shows_how_much_it_lost() {
        let mut trials = trials();
        let findings = findings(&trials);
        assert_eq!(findings.sheet(MEASURED).unwrap().columns.len(), 10);
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
        let udp = findings.sheet(MEASURED).unwrap().find("v2c/UDP").unwrap();
        assert_eq!(udp.ours[12..], [Some(1.0), Some(1.0)]);
        let doubts = findings.doubts.iter().filter(|it| matches!(it, Doubt::HardlyLost { lost: 1, .. }));
        assert_eq!(doubts.count(), 3);
        lost(&mut trials, 10);
        let findings = super::findings(&trials);
        assert!(!findings.doubts.iter().any(|it| matches!(it, Doubt::HardlyLost { .. })));
    }

    #[test]
    fn what_a_round_repeats_is_part_of_its_mean_and_of_no_clean_one() {
        let mut trials = trials();
        trials.trial.setting["loss"] = 0.01.into();
        for entry in &mut trials.entries {
            if let Entry::Session(session) = entry
                && let [_, _, third, ..] = &mut session.rounds[..]
                && session.case.what == KEPT
            {
                // A request that was lost, and sent again.
                (third.link.to_agent.lost, third.resent) = (1, 1);
                third.link.to_agent.sent.ip_octets = 240;
            }
        }
        let (ways, _) = way::ways(&trials);
        let kept = ways.iter().find(|way| way.kept).unwrap();
        let rounds = f64::from(KEPT_ROUNDS);
        assert_eq!(kept.cost.octets[0].value(), 120.0 + 120.0 / rounds);
        assert_eq!((kept.clean.octets[0].value(), kept.samples), (120.0, KEPT_ROUNDS as usize));
        // The next one may hold what was sent again, too.
        assert_eq!(kept.clean.octets[0].repetitions(), Some(KEPT_ROUNDS as usize - 2));
    }

    #[test]
    fn unmeasured_memory_is_not_zero() {
        let mut trials = trials();
        trials.entries.retain(|entry| !matches!(entry, Entry::Memory(_)));
        let findings = findings(&trials);
        let kept = findings.sheet(MEASURED).unwrap().find("v3/TSM/TLS, kept").unwrap();
        assert_eq!(kept.ours[8..], [None, None]);
    }

    /// The memory of a way's session in agent and manager.
    fn memory(trials: &Trials, way: &str) -> Vec<Option<f64>> {
        findings(trials).sheet(MEASURED).unwrap().find(way).unwrap().ours[8..].to_vec()
    }

    #[test]
    fn a_session_of_netconf_has_memory_of_its_own() {
        let mut trials = trials();
        let of = |protocol, packing, sessions: u32, each: u64| {
            Entry::Memory(OpenSessionsRecord {
                table: MEASURED.into(),
                protocol,
                packing,
                sessions,
                resident: 1_000_000 + u64::from(sessions) * each,
                virtual_size: 0,
                manager_resident: 2_000_000,
                manager_in_use: None,
            })
        };
        let netconf = Protocol::netconf(Transport::Tls);
        for sessions in [50, 100] {
            trials.entries.push(of(netconf, Packing::None, sessions, 20_480));
            trials.entries.push(of(netconf, Packing::Zlib, sessions, 40_960));
        }
        // What the manager already had may be enough for all: that is not nothing.
        for (packing, agent) in [(Packing::None, 20.0), (Packing::Zlib, 40.0)] {
            let what = format!("{KEPT}{packing}");
            trials.entries.push(one(&what, netconf, 1 + KEPT_ROUNDS, 3000, 900.0));
            assert_eq!(memory(&trials, &format!("netconf/TLS{packing}, kept")), [Some(agent), None]);
        }
        assert_eq!(memory(&trials, "v3/TSM/TLS, kept"), [Some(10.0), Some(20.0)]);
        // What the heap has in use is known better than what is resident.
        for entry in &mut trials.entries {
            if let Entry::Memory(record) = entry {
                record.manager_in_use = Some(1_000_000 + u64::from(record.sessions) * 3072);
            }
        }
        assert_eq!(memory(&trials, "v3/TSM/TLS, kept"), [Some(10.0), Some(3.0)]);
        assert_eq!(memory(&trials, "netconf/TLS, kept"), [Some(20.0), Some(3.0)]);
    }

    #[test]
    fn the_best_is_first_and_the_totals_are_arithmetic() {
        let findings = findings(&trials());
        let plan = &findings.sheet("compare/plan").unwrap().rows;
        let order: Vec<&str> = plan.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(order, ["v2c/UDP", "v3/TSM/TLS, kept", "v3/TSM/TLS, cold"]);
        assert!(findings.answer[0].contains("Too little was measured"), "{:?}", findings.answer);
        assert!(
            findings.answer[1].contains("use v2c/UDP (which has no session to open or to keep)."),
            "{:?}",
            findings.answer
        );
        let computed = findings.sheet("compare/computed").unwrap();
        let udp = &computed.find("v2c/UDP").unwrap().ours;
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
