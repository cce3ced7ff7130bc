//! What one round with one device takes, from the samples: each way to poll with its measured cost.

use std::fmt;

use trunkline_labkit::conversation::Round;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::open_sessions::{self, WITH_SESSIONS};
use trunkline_labkit::packing::Packing;
use trunkline_labkit::picked::total_ms;
use trunkline_labkit::protocol::{Protocol, SnmpVersion};
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::{OpenSessionsRecord, SessionRecord, Trials};

use super::MEASURED;
use super::fleet::Fleet;
use super::measure::{
    COLD, COLD_BESIDE, COLD_TWICE, COLD_WITHOUT, KEPT, KEPT_BESIDE, KEPT_TWICE, KEPT_WITHOUT, case, kinds,
};
use super::plan::sends;
use super::subject::{SUBJECT, named};

/// A way to poll a device, and the cost of one round.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// The agent, if it was named by its URL.
    pub subject: Option<String>,
    pub protocol: Protocol,
    pub packing: Packing,
    pub kept: bool,
    pub samples: usize,
    /// Octets of IP packets to the agent and to the manager, including lost ones, and the time.
    pub cost: Cost,
    /// The same of the sessions that lost no packet.
    pub clean: Cost,
    pub packets: Estimate,
    /// Packets that all its sessions sent on the link, and that the link lost.
    pub sent_and_lost: (u64, u64),
    /// Requests that were sent again, in all its sessions.
    pub resent: u32,
    /// Objects that a round fetched.
    pub objects: f64,
    /// Requests of a round.
    pub requests: f64,
    pub manager_cpu_ms: Option<Estimate>,
    pub agent_cpu_ms: Option<Estimate>,
    /// The memory of an open session in agent and manager, octets; 0 if none is kept, `None` if it was not
    /// measured.
    pub memory: [Option<f64>; 2],
    /// What a round with twice the objects takes.
    pub twice: Option<Twice>,
}

/// Octets and time of a round.
#[derive(Debug, Clone)]
pub(super) struct Cost {
    pub octets: [Estimate; 2],
    pub time_ms: Estimate,
}

/// A round with twice the objects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Twice {
    pub octets: [f64; 2],
    pub requests: f64,
}

/// `v2c/TCP zlib, kept`; without a session only `v2c/UDP zlib`.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_kind())?;
        match (self.protocol.has_session(), self.kept) {
            (false, _) => Ok(()),
            (true, true) => write!(f, ", {KEPT}"),
            (true, false) => write!(f, ", {COLD}"),
        }
    }
}

impl Way {
    /// The same way over the link that was described, if that is slower than the network on which an agent named by its URL was
    /// measured: a round trip for each request, and the time to send.
    pub fn over(mut self, fleet: &Fleet) -> Way {
        if self.subject.is_some() {
            let (requests, has_own_timer) = (self.requests, self.has_own_timer());
            for cost in [&mut self.cost, &mut self.clean] {
                let [out, back] = &cost.octets;
                let least = (out + back).map(|octets| {
                    let sending = fleet.rate.map_or(0.0, |rate| octets * 8.0 / rate);
                    (requests * fleet.round_trip + sending) * 1e3
                });
                let before = cost.time_ms.clone();
                cost.time_ms = Estimate::combine(&[&before, &least], |both| both[0].max(both[1]));
                if has_own_timer {
                    // What takes longer than the timer is sent again, and answered again.
                    let sends = |ms: f64| sends(ms / 1e3, requests, fleet);
                    let repeats = sends(cost.time_ms.value()) / sends(before.value());
                    cost.octets = cost.octets.clone().map(|octets| octets.map(|it| it * repeats));
                }
            }
        }
        self
    }

    /// Its name without whether the session is kept: `v2c/UDP zlib`.
    pub fn without_kind(&self) -> String {
        let subject = self.subject.as_ref().map_or_else(String::new, |subject| format!("{subject}, "));
        format!("{subject}{}{}", self.protocol, self.packing)
    }

    /// Whether it is a way to poll with sessions that are kept, or with cold ones: without a session it is both.
    pub const fn is_of_kind(&self, kept: bool) -> bool {
        self.kept == kept || !self.protocol.has_session()
    }

    /// Octets of both directions.
    pub fn all_octets(&self) -> Estimate {
        let [to_agent, to_manager] = &self.cost.octets;
        to_agent + to_manager
    }

    /// Octets of the direction with more of them.
    pub fn busier(&self) -> Estimate {
        let [to_agent, to_manager] = &self.cost.octets;
        Estimate::combine(&[to_agent, to_manager], |octets| octets[0].max(octets[1]))
    }

    /// CPU time of manager and agent.
    pub fn cpu_ms(&self) -> Option<Estimate> {
        Some(self.manager_cpu_ms.as_ref()? + self.agent_cpu_ms.as_ref()?)
    }

    /// Whether the manager's own timer repeats what is lost: over UDP, and over DTLS once the session stands.
    pub const fn has_own_timer(&self) -> bool {
        match self.protocol.transport {
            Transport::Udp => true,
            Transport::Dtls => self.kept,
            _ => false,
        }
    }
}

/// Sessions of one kind.
#[derive(Debug, Clone)]
struct Sessions<'a>(Vec<&'a SessionRecord>);

impl<'a> Sessions<'a> {
    fn of(trials: &'a Trials, what: &str, protocol: Protocol, packing: Packing) -> Sessions<'a> {
        let what = case(what, packing);
        let of_it = |it: &&SessionRecord| it.case.what == what && it.case.protocol == protocol;
        Sessions(trials.sessions(MEASURED).filter(of_it).collect())
    }

    /// Those that lost no packet and repeated no request, also over a link that loses none; all of them if every one did.
    fn clean(&self, without: &Self) -> Self {
        let all = self.0.iter().chain(&without.0).copied();
        let clean: Vec<_> = all.filter(|it| it.lost_packets() == Some(0) && it.resent == 0).collect();
        if clean.is_empty() { self.clone() } else { Sessions(clean) }
    }

    fn mean(&self, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Option<Estimate> {
        let all: Vec<f64> = self.0.iter().filter_map(|it| figure(it)).collect();
        Estimate::mean(&all)
    }

    fn median(&self, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Option<Estimate> {
        let all: Vec<f64> = self.0.iter().filter_map(|it| figure(it)).collect();
        Estimate::median(&all)
    }

    /// How many rounds they have after their first.
    fn more_rounds(&self) -> Option<f64> {
        let rounds = self.0.iter().map(|it| it.case.messages).max()?;
        Some(f64::from(rounds.saturating_sub(1).max(1)))
    }

    fn cost(&self, time_ms: impl Fn(&SessionRecord) -> Option<f64>) -> Option<Cost> {
        Some(Cost { octets: [self.mean(to_agent)?, self.mean(to_manager)?], time_ms: self.mean(time_ms)? })
    }

    fn sent_and_lost(&self) -> (u64, u64) {
        let sum = |figure: fn(&SessionRecord) -> Option<u64>| self.0.iter().filter_map(|it| figure(it)).sum();
        (sum(SessionRecord::sent_packets), sum(SessionRecord::lost_packets))
    }

    fn resent(&self) -> u32 {
        self.0.iter().map(|it| it.resent).sum()
    }

    /// Objects and requests of a round.
    fn fetched(&self) -> Option<(f64, f64)> {
        let one = self.0.first()?;
        let rounds = f64::from(one.case.messages.max(1));
        Some((f64::from(one.objects.unwrap_or(0)) / rounds, one.each_ns.len() as f64 / rounds))
    }
}

/// The ways that were measured, and what of them was not.
pub(super) fn ways(trials: &Trials) -> (Vec<Way>, Vec<Doubt>) {
    let (mut ways, mut doubts) = (Vec::new(), Vec::new());
    for (protocol, packing) in kinds() {
        let of = |what| Sessions::of(trials, what, protocol, packing);
        let cold = cold(protocol, packing, [&of(COLD), &of(COLD_WITHOUT), &of(COLD_BESIDE), &of(COLD_TWICE)]);
        let beside = (&of(KEPT_BESIDE), &of(COLD_BESIDE));
        let on_link = [&of(KEPT), &of(KEPT_WITHOUT), &of(KEPT_TWICE)];
        let kept = kept(protocol, packing, on_link, beside);
        // Without a session both are the same, and would differ by nothing but which packets were lost.
        ways.extend(cold.filter(|_| protocol.has_session() || kept.is_none()));
        if let Some(mut way) = kept {
            way.memory = memory((protocol, packing), trials, &mut doubts);
            without_impossible(&mut way, &mut doubts);
            ways.push(way);
        }
    }
    for what in subjects(trials) {
        ways.extend(of_subject(trials, &what));
    }
    (ways, doubts)
}

/// The cases of agents that were named by their URLs, in their order.
fn subjects(trials: &Trials) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for session in trials.sessions(MEASURED) {
        let what = &session.case.what;
        if what.starts_with(SUBJECT) && !found.contains(what) {
            found.push(what.clone());
        }
    }
    found
}

/// A round of a kept session over the real network: each record is one.
fn of_subject(trials: &Trials, what: &str) -> Option<Way> {
    let sessions = Sessions(trials.sessions(MEASURED).filter(|it| it.case.what == what).collect());
    let protocol = sessions.0.first()?.case.protocol;
    let cost = sessions.cost(|it| Some(total_ms(it)))?;
    let (objects, requests) = sessions.fetched()?;
    let (subject, packing) = named(what)?;
    Some(Way {
        subject: Some(subject),
        protocol,
        packing,
        kept: true,
        samples: sessions.0.len(),
        clean: cost.clone(),
        cost,
        packets: sessions.mean(packets)?,
        sent_and_lost: sessions.sent_and_lost(),
        resent: sessions.resent(),
        objects,
        requests,
        manager_cpu_ms: sessions.median(manager_cpu_ms),
        agent_cpu_ms: None,
        memory: [None; 2],
        twice: None,
    })
}

/// A round with a separate session.
fn cold(
    protocol: Protocol,
    packing: Packing,
    [link, without, beside, twice]: [&Sessions<'_>; 4],
) -> Option<Way> {
    let time = |it: &SessionRecord| Some(total_ms(it));
    let (objects, requests) = link.fetched()?;
    Some(Way {
        subject: None,
        protocol,
        packing,
        kept: false,
        samples: link.0.len(),
        cost: link.cost(time)?,
        clean: link.clean(without).cost(time)?,
        packets: link.mean(packets)?,
        sent_and_lost: link.sent_and_lost(),
        resent: link.resent(),
        objects,
        requests,
        manager_cpu_ms: beside.median(manager_cpu_ms),
        agent_cpu_ms: beside.median(agent_cpu_ms),
        memory: [Some(0.0); 2],
        twice: twice
            .cost(time)
            .zip(twice.fetched())
            .map(|(cost, (_, requests))| Twice { octets: cost.octets.map(|it| it.value()), requests }),
    })
}

/// A round of a kept session: each round after the first is counted alone, between two silences of the link.
fn kept(
    protocol: Protocol,
    packing: Packing,
    [link, without, twice]: [&Sessions<'_>; 3],
    beside: (&Sessions<'_>, &Sessions<'_>),
) -> Option<Way> {
    let (objects, requests) = link.fetched()?;
    let (all, clean) = (Rounds::later(link), Rounds::clean(&[link, without]));
    let clean = if clean.0.is_empty() { &all } else { &clean };
    let cpu = |figure: Figure| excess(beside, Sessions::median, figure);
    let twice = Rounds::later(twice).cost().zip(twice.fetched());
    Some(Way {
        subject: None,
        protocol,
        packing,
        kept: true,
        samples: all.0.len(),
        cost: all.cost()?,
        clean: clean.cost()?,
        packets: all.mean(|it| it.link.sent().packets as f64)?,
        sent_and_lost: link.sent_and_lost(),
        resent: link.resent(),
        objects,
        requests,
        manager_cpu_ms: cpu(manager_cpu_ms),
        agent_cpu_ms: cpu(agent_cpu_ms),
        memory: [None; 2],
        twice: twice
            .map(|(cost, (_, requests))| Twice { octets: cost.octets.map(|it| it.value()), requests }),
    })
}

/// Rounds of kept sessions.
struct Rounds<'a>(Vec<&'a Round>);

impl<'a> Rounds<'a> {
    /// Those after the first of each session, whose handshake or discovery may still send something in it.
    fn later(sessions: &Sessions<'a>) -> Rounds<'a> {
        Rounds(sessions.0.iter().flat_map(|it| it.rounds.iter().skip(1)).collect())
    }

    /// Those that lost and repeated nothing, nor did the round before, for which something may have been sent again.
    fn clean(sessions: &[&Sessions<'a>]) -> Rounds<'a> {
        let is_clean = |it: &Round| it.link.lost() == 0 && it.resent == 0;
        let pairs = sessions.iter().flat_map(|it| &it.0).flat_map(|it| it.rounds.windows(2));
        Rounds(pairs.filter(|pair| pair.iter().all(is_clean)).map(|pair| &pair[1]).collect())
    }

    fn mean(&self, figure: impl Fn(&Round) -> f64) -> Option<Estimate> {
        Estimate::mean(&self.0.iter().map(|it| figure(it)).collect::<Vec<f64>>())
    }

    fn cost(&self) -> Option<Cost> {
        Some(Cost {
            octets: [
                self.mean(|it| it.link.to_agent.sent.ip_octets as f64)?,
                self.mean(|it| it.link.to_manager.sent.ip_octets as f64)?,
            ],
            time_ms: self.mean(|it| it.ns as f64 / 1e6)?,
        })
    }
}

type Figure = fn(&SessionRecord) -> Option<f64>;

/// What each further round adds to a figure.
fn excess<'a>(
    (long, short): (&Sessions<'a>, &Sessions<'a>),
    statistic: fn(&Sessions<'a>, Figure) -> Option<Estimate>,
    figure: Figure,
) -> Option<Estimate> {
    let (long_figure, short_figure) = (statistic(long, figure)?, statistic(short, figure)?);
    Some(&(&long_figure - &short_figure) / long.more_rounds()?)
}

/// Leaves out CPU times of a kept session that came out as nothing or less than nothing: differences that the samples
/// do not resolve.
fn without_impossible(way: &mut Way, doubts: &mut Vec<Doubt>) {
    let name = way.to_string();
    for (figure, what) in [(&mut way.manager_cpu_ms, "manager"), (&mut way.agent_cpu_ms, "agent")] {
        let Some(value) = figure.as_ref().map(Estimate::value).filter(|value| *value <= 0.0) else {
            continue;
        };
        *figure = None;
        doubts.push(Doubt::LeftOut {
            table: MEASURED.into(),
            what: format!("{name}, CPU time of the {what}"),
            reason: format!("sessions with more rounds took {:.3} ms less for each", -value),
        });
    }
}

/// The memory of an open session, octets: the slope over the readings, if they resolve it. Of SNMP and SOAP a transport has been measured once, of NETCONF each way.
fn memory(
    (protocol, packing): (Protocol, Packing),
    trials: &Trials,
    doubts: &mut Vec<Doubt>,
) -> [Option<f64>; 2] {
    if !WITH_SESSIONS.contains(&protocol.transport) {
        return [Some(0.0); 2];
    }
    let is_of_it = |it: &&OpenSessionsRecord| match protocol.version {
        SnmpVersion::Netconf => (it.protocol, it.packing) == (protocol, packing),
        _ => it.protocol.version != SnmpVersion::Netconf && it.protocol.transport == protocol.transport,
    };
    let records: Vec<&OpenSessionsRecord> = trials.memory(MEASURED).filter(is_of_it).collect();
    let points = |figure: fn(&OpenSessionsRecord) -> Option<u64>| -> Option<Vec<(f64, f64)>> {
        records.iter().map(|it| Some((f64::from(it.sessions), figure(it)? as f64))).collect()
    };
    let resident = |figure: fn(&OpenSessionsRecord) -> Option<u64>| open_sessions::resolved(&points(figure)?);
    let agent = resident(|it| Some(it.resident));
    // Samples from before have only what is resident of the manager.
    let manager = points(|it| it.manager_in_use)
        .map_or_else(|| resident(|it| Some(it.manager_resident)), |points| open_sessions::in_use(&points));
    let mut or_doubt = |found: Option<Result<f64, String>>, whose: &str| match found? {
        Ok(octets) => Some(octets),
        Err(reason) => {
            let of = match protocol.version {
                SnmpVersion::Netconf => format!("of {protocol}{packing}"),
                _ => format!("over {}", protocol.transport),
            };
            let what = format!("memory of the {whose} for a session {of}");
            let doubt = Doubt::LeftOut { table: MEASURED.into(), what, reason };
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
            None
        }
    };
    [or_doubt(agent, "agent"), or_doubt(manager, "manager")]
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A way with this many octets in its busier direction.
    pub(in super::super) fn way(protocol: Protocol, kept: bool, octets: f64, time_ms: f64) -> Way {
        spread(protocol, kept, octets, time_ms, 0.0)
    }

    /// The same with octets that vary by this share.
    pub(in super::super) fn spread(
        protocol: Protocol,
        kept: bool,
        octets: f64,
        time_ms: f64,
        share: f64,
    ) -> Way {
        let samples = [-1.0, 0.5, 1.0, -0.5, 0.8, -0.8].map(|by| octets * (1.0 + by * share));
        let six = |value: f64| Estimate::mean(&[value; 6]).unwrap();
        let cost = Cost { octets: [six(70.0), Estimate::mean(&samples).unwrap()], time_ms: six(time_ms) };
        Way {
            subject: None,
            protocol,
            packing: Packing::None,
            kept,
            samples: 6,
            clean: cost.clone(),
            cost,
            packets: six(2.0),
            sent_and_lost: (0, 0),
            resent: 0,
            objects: 66.0,
            requests: 1.0,
            manager_cpu_ms: Some(six(0.1)),
            agent_cpu_ms: Some(six(0.1)),
            memory: [Some(0.0); 2],
            twice: Some(Twice { octets: [80.0, 1.9 * octets], requests: 1.0 }),
        }
    }
}
