//! Open, idle sessions while the agent's memory is read: figure 6 of Marinov 2006, and the comparison.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use trunkline_client::{Session, SnmpSession};

use crate::doubt::Doubt;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::meter::{heap, memory};
use crate::packing::Packing;
use crate::protocol::{Protocol, Security, SnmpVersion};
use crate::report::text::three_digits;
use crate::schedule::{ManagerEnd, net_snmps_patience};
use crate::stage::{Role, Secrets, Stage, Stand};
use crate::statistics::{Fit, fit};
use crate::transport::Transport;
use crate::trial::{Entry, OpenSessionsRecord};

/// Opens sessions up to each of `counts` (ascending), sends nothing over them, and records the agent's memory at
/// each.
pub fn measure(
    table: &str,
    (protocol, packing): (Protocol, Packing),
    counts: &[u32],
    stage: &Stage,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let left_out = |reason: String| Doubt::ProtocolLeftOut { table: table.into(), protocol, reason };
    if !stage.stand(Stand::Beside)? {
        return Ok(());
    }
    // Leftovers of other sessions would hide the memory of these.
    let role = role_of(protocol, packing);
    let manager = ManagerEnd { packing, ..ManagerEnd::default() };
    let peer = match stage.peer(protocol, role, Stand::Beside, Secrets::Ready, manager) {
        Ok(peer) => peer,
        Err(reason) => return ledger.doubt(left_out(reason)),
    };
    let Some(pid) = stage.agent(role).map(crate::subject::Equipped::pid) else { return Ok(()) };
    ledger.note_algorithms(protocol)?;
    let own_sockets = memory::sockets(pid).unwrap_or(0);
    let tasks = runtime.metrics().num_alive_tasks();
    // The first session maps code of the agent that none needed before: that is not memory of a session.
    match runtime.block_on(peer.open(net_snmps_patience())) {
        Ok(first) => drop(first),
        Err(error) => return ledger.doubt(left_out(format!("the first session: {error}"))),
    }
    close(runtime, tasks);
    let mut open: Vec<Arc<dyn Session>> = Vec::new();
    for &count in counts {
        while open.len() < count as usize && !ledger.is_interrupted() {
            match runtime.block_on(peer.open(net_snmps_patience())) {
                Ok(session) => open.push(session),
                Err(error) => {
                    let reason = format!("session {} of {count}: {error}", open.len() + 1);
                    return ledger.doubt(left_out(reason));
                }
            }
            ledger.progress.inc(1);
        }
        if ledger.is_interrupted() {
            return Ok(());
        }
        // Temporary memory of opening a session is released by then; the sessions' own tasks keep running.
        match steady(runtime, pid) {
            Ok((resident, virtual_size)) => {
                // What the agent has closed meanwhile would make the rest look small.
                let held = still_open(&open, protocol.transport, pid, own_sockets);
                if held < open.len() {
                    let reason = format!("the agent has closed {} of {count} sessions", open.len() - held);
                    return ledger.doubt(left_out(reason));
                }
                let manager = memory::sizes(std::process::id()).map_or(0, |(resident, _)| resident);
                let sessions = open.len() as u32;
                let record = OpenSessionsRecord {
                    table: table.into(),
                    protocol,
                    packing,
                    sessions,
                    resident,
                    virtual_size,
                    manager_resident: manager,
                    manager_in_use: heap::in_use(),
                };
                ledger.write(&Entry::Memory(record))?;
            }
            Err(error) => ledger.doubt(left_out(format!("the agent's memory: {error}")))?,
        }
    }
    ledger.writer.flush()?;
    drop(open);
    close(runtime, tasks);
    Ok(())
}

/// About how long it takes with all of [`WITH_SESSIONS`].
pub fn expected(counts: &[u32]) -> Duration {
    let (most, readings) = (counts.last().copied().unwrap_or(0), counts.len() as u32);
    (OPEN * most + SETTLE * readings) * WITH_SESSIONS.len() as u32
}

/// The memory of a process, resident and virtual, once two looks see the same, or after [`SETTLE`].
fn steady(runtime: &Runtime, pid: u32) -> std::io::Result<(u64, u64)> {
    runtime.block_on(async {
        let deadline = Instant::now() + SETTLE;
        let mut before = None;
        loop {
            tokio::time::sleep(BETWEEN_LOOKS).await;
            let now = memory::sizes(pid)?;
            if before == Some(now) || Instant::now() > deadline {
                return Ok(now);
            }
            before = Some(now);
        }
    })
}

/// The memory of each session: the slope over readings with open sessions. The reading with none is left out, since
/// the first sessions also bring what all of them share.
pub fn each(points: &[(f64, f64)]) -> Option<Fit> {
    let loaded: Vec<(f64, f64)> = points.iter().copied().filter(|(sessions, _)| *sessions > 0.0).collect();
    fit(&loaded)
}

/// The memory of each session, octets, where readings of resident memory resolve it; otherwise why they do not, in
/// words. Resident memory grows when what the process had released before no longer suffices: the growth must be more than
/// what an allocator keeps of that, and about the same for a session from each reading to the next. `None` without readings.
pub fn resolved(points: &[(f64, f64)]) -> Option<Result<f64, String>> {
    let slope = each(points)?.slope;
    let loaded: Vec<(f64, f64)> = points.iter().copied().filter(|(sessions, _)| *sessions > 0.0).collect();
    let ((few, least), (many, most)) = (loaded.first().copied()?, loaded.last().copied()?);
    if slope <= 0.0 || most <= least {
        return Some(Err(
            "it did not grow while sessions were opened: what had been released before held them".into(),
        ));
    }
    if most - least < KEPT_BY_ALLOCATOR {
        return Some(Err(format!(
            "it grew by {} KB from {few} to {many} sessions, less than the {} KB that an allocator keeps of what was released",
            three_digits((most - least) / 1024.0),
            KEPT_BY_ALLOCATOR / 1024.0
        )));
    }
    let steps = loaded.windows(2).map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0));
    let uneven = steps.clone().find(|step| *step < slope / EVEN || *step > slope * EVEN);
    Some(match uneven {
        None => Ok(slope),
        Some(_) => {
            let steps: Vec<String> = steps.map(|step| three_digits(step / 1024.0)).collect();
            Err(format!(
                "it grew unevenly, by {} KB for a session from reading to reading: what had been released before held some of \
                 them",
                steps.join(" and ")
            ))
        }
    })
}

/// The memory of each session, octets, from readings of what is in use of a heap; why not, if that does not grow.
pub fn in_use(points: &[(f64, f64)]) -> Option<Result<f64, String>> {
    let slope = each(points)?.slope;
    let is_resolved = (slope > 0.0).then_some(slope);
    Some(
        is_resolved
            .ok_or_else(|| "what is in use of its heap did not grow while sessions were opened".into()),
    )
}

/// How many of the sessions the agent still has: over streams its sockets beyond its own, over DTLS, where all share
/// one, those whose end has not come.
fn still_open(open: &[Arc<dyn Session>], transport: Transport, pid: u32, own_sockets: usize) -> usize {
    if transport == Transport::Dtls {
        let counts = open.iter().filter_map(|it| it.as_snmp()).map(SnmpSession::counts);
        return counts.filter(|it| it.connections > it.connections_lost + it.idle_closed).count();
    }
    // A process that has ended has none.
    memory::sockets(pid).map_or(0, |all| all.saturating_sub(own_sockets))
}

/// Waits until the tasks of dropped sessions, which close them, have ended.
fn close(runtime: &Runtime, tasks: usize) {
    runtime.block_on(async {
        let deadline = Instant::now() + CLOSE_WITHIN;
        while runtime.metrics().num_alive_tasks() > tasks && Instant::now() < deadline {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    });
}

/// The agent whose memory is that of these sessions alone.
const fn role_of(protocol: Protocol, packing: Packing) -> Role {
    match (protocol.version, packing) {
        (SnmpVersion::Netconf, Packing::None) => Role::Netconf(OF_NETCONF + of_netconf(protocol)),
        (SnmpVersion::Netconf, _) => Role::Netconf(OF_NETCONF_PACKED + of_netconf(protocol)),
        _ => Role::Alone(protocol.transport),
    }
}

/// A number for each kind of session of NETCONF.
const fn of_netconf(protocol: Protocol) -> u8 {
    match (protocol.security, protocol.transport) {
        (Security::Message, _) => 3,
        (_, Transport::Tcp) => 0,
        (_, Transport::Ssh) => 1,
        _ => 2,
    }
}

/// The agents for sessions of NETCONF: an agent for each kind.
pub fn roles_of_netconf(kinds: impl IntoIterator<Item = (Protocol, Packing)>) -> impl Iterator<Item = Role> {
    kinds.into_iter().map(|(protocol, packing)| role_of(protocol, packing))
}

/// The agents for SNMP and SOAP: one per transport.
pub fn roles() -> impl Iterator<Item = Role> {
    WITH_SESSIONS.into_iter().map(Role::Alone)
}

/// The transports for which an agent stores sessions.
pub const WITH_SESSIONS: [Transport; 6] =
    [Transport::Tcp, Transport::Tls, Transport::Dtls, Transport::Ssh, Transport::Http, Transport::Https];
/// The first numbers of the agents for sessions of NETCONF, without compression and with it.
const OF_NETCONF: u8 = 10;
const OF_NETCONF_PACKED: u8 = 20;
/// What glibc keeps at the end of a heap, octets (`M_TRIM_THRESHOLD`): growth below that may be the reuse of some of it.
const KEPT_BY_ALLOCATOR: f64 = 131_072.0;
/// By what factor the growth for a session may differ between two readings and all of them.
const EVEN: f64 = 1.5;
/// To open and close one, over TLS or SSH.
const OPEN: Duration = Duration::from_millis(8);
const SETTLE: Duration = Duration::from_millis(300);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
const LOOK_EVERY: Duration = Duration::from_millis(5);
const CLOSE_WITHIN: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_kind_of_session_of_netconf_has_an_agent_of_its_own() {
        let protocols = [Transport::Tcp, Transport::Ssh, Transport::Tls].map(Protocol::netconf);
        let protocols = protocols.into_iter().chain([Protocol::PROTECTED_NETCONF]);
        let kinds: Vec<(Protocol, Packing)> = protocols
            .flat_map(|protocol| Packing::of(protocol).into_iter().map(move |it| (protocol, it)))
            .collect();
        let roles: BTreeSet<Role> = roles_of_netconf(kinds.iter().copied()).collect();
        assert_eq!((kinds.len(), roles.len()), (8, 8));
        assert!(roles.iter().all(|it| matches!(it, Role::Netconf(10..))));
    }

    #[test]
    fn resident_memory_that_does_not_grow_evenly_is_not_that_of_sessions() {
        let of = |[few, more, many]: [f64; 3]| {
            let kilobytes = [(0.0, 900.0), (25.0, few), (50.0, more), (100.0, many)];
            resolved(&kilobytes.map(|(sessions, kilobytes)| (sessions, kilobytes * 1024.0))).unwrap()
        };
        let slope = of([1000.0, 2000.0, 4000.0]).unwrap();
        assert!((slope - 40.0 * 1024.0).abs() < 1e-6, "{slope}");
        let refused = |readings| of(readings).unwrap_err();
        assert!(refused([1000.0; 3]).contains("did not grow"));
        // One step of a few pages, as what was free before was used up.
        assert!(
            refused([39_380.0, 39_380.0, 39_440.0]).starts_with("it grew by 60.0 KB from 25 to 100 sessions")
        );
        assert!(refused([49_904.0, 49_920.0, 50_060.0]).contains("by 0.640 and 2.80 KB for a session"));
        assert_eq!(resolved(&[(0.0, 1.0)]), None);
    }
}
