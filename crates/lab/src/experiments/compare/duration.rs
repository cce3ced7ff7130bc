//! How long a comparison will take, from the link alone: so that nobody waits without knowing for what.

use std::fmt;
use std::time::Duration;

use trunkline_labkit::duration::Rounded;
use trunkline_labkit::protocol::{Level, Protocol, Security, SnmpVersion};
use trunkline_labkit::transport::Transport;

use super::fleet::Fleet;
use super::measure::{Effort, SESSIONS, measured};

/// The expected duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Expected {
    ways: usize,
    stages: usize,
    /// Rounds over the link that fit into the time for them.
    rounds: u32,
    wanted: u32,
    least: Duration,
    /// With the time for losses.
    most: Duration,
}

/// The expected duration of a run.
pub(super) fn expected(fleet: &Fleet, effort: &Effort) -> Expected {
    let kinds = || measured(effort.uncompressed);
    // Without a session there is no other kind of way.
    let ways = kinds().map(|(protocol, _)| if protocol.has_session() { 2 } else { 1 }).sum();
    let sessions = |rounds: u32| kinds().map(|(protocol, _)| session(protocol, rounds, fleet)).sum::<f64>();
    let round = (sessions(1) + sessions(1 + effort.kept)) / effort.stages as f64;
    let budget = effort.bounds.budget.map_or(f64::INFINITY, |budget| budget.as_secs_f64());
    // A round that has begun is finished.
    let fit = (budget / round).ceil().clamp(1.0, f64::from(effort.bounds.rounds));
    let start = STAGE * effort.stages as f64;
    let beside = ways as f64 * (BESIDE * f64::from(effort.beside + 1) + 2.0 * TWICE);
    let open = 6.0 * f64::from(SESSIONS[SESSIONS.len() - 1]) * OPEN;
    // On a lossy link, a round without losses as well.
    let rounds = if fleet.loss > 0.0 { fit + 1.0 } else { fit };
    let least = start + rounds * round + beside.min(BESIDE_AT_MOST) + open;
    let longer = if fleet.loss > 0.0 { effort.bounds.longer.as_secs_f64() } else { 0.0 };
    Expected {
        ways,
        stages: effort.stages,
        rounds: fit as u32,
        wanted: effort.bounds.rounds,
        least: Duration::from_secs_f64(least),
        most: Duration::from_secs_f64(least + longer),
    }
}

/// Seconds of a session of so many rounds over the link, with the silence after it.
fn session(protocol: Protocol, rounds: u32, fleet: &Fleet) -> f64 {
    let (trips, octets) = opening(protocol);
    let silence = 1.4 * fleet.round_trip + 0.01;
    // A round takes a round trip for the request and its answer; the answer about 20 octets for each object.
    let round_octets = f64::from(fleet.objects) * 20.0 + 200.0;
    let bits = 8.0 * (octets + f64::from(rounds) * round_octets);
    let sending = fleet.rate.map_or(0.0, |rate| bits / rate);
    // Between the rounds of a kept session the link is quiet: the last acknowledgement has arrived, and none follows.
    let pauses = if rounds > 1 { f64::from(rounds + 1) * (0.5 * fleet.round_trip + PAUSES) } else { 0.0 };
    (trips + f64::from(rounds)) * fleet.round_trip + pauses + sending + silence + OWN
}

/// Round trips and octets to open and close a session.
fn opening(protocol: Protocol) -> (f64, f64) {
    let discovery = match protocol.security {
        Security::Usm(Level::NoAuthNoPriv, _) => 1.0,
        Security::Usm(..) => 1.5,
        Security::Community | Security::Session(_) | Security::Message => 0.0,
    };
    let (trips, octets) = match protocol.transport {
        Transport::Udp => (0.0, 0.0),
        Transport::Tcp => (2.0, 400.0),
        Transport::Http => (2.0, 900.0),
        Transport::Tls => (3.5, 3600.0),
        Transport::Https => (3.5, 4200.0),
        Transport::Dtls => (4.0, 3600.0),
        Transport::Ssh => (9.0, 7000.0),
    };
    let packing = if protocol.version == SnmpVersion::Soap { 500.0 } else { 0.0 };
    (trips + discovery, octets + 300.0 * discovery + packing)
}

/// `78 ways on 32 links at a time, 6 rounds: about 50 s`.
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expected { ways, stages, rounds, wanted, least, most } = self;
        let fewer = if rounds < wanted { format!(" of {wanted}") } else { String::new() };
        let links = if *stages > 1 { format!(" over {stages} links at a time") } else { String::new() };
        write!(f, "{ways} kinds of session{links}, {rounds}{fewer} rounds: about {}", Rounded(*least))?;
        if *most > *least { write!(f, ", up to {} to meet enough losses", Rounded(*most)) } else { Ok(()) }
    }
}

/// Seconds of silence behind a round: twice, as an acknowledgement may come in the first.
const PAUSES: f64 = 0.12;
/// Seconds to start a link and its agent, on a processor that others use too.
const STAGE: f64 = 0.12;
/// Seconds of a session's own work.
const OWN: f64 = 0.01;
/// Seconds of a session over the loopback, and of one with twice the objects.
const BESIDE: f64 = 0.006;
const TWICE: f64 = 0.02;
const BESIDE_AT_MOST: f64 = 60.0;
/// Seconds to open one of many sessions, with its part of the waiting.
const OPEN: f64 = 0.015;
