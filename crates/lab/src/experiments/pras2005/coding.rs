//! Section V.A, figures 13 and 14: the time to decode a request and encode its answer, to compress it, and to
//! fetch the data, under the three freshness policies.
//!
//! Coding alone is timed in this process (`codecs`). The agent's own
//! clocks (`trunklined-lab`) measure the same within a request, and the time to find values in a snapshot;
//! reloading a snapshot happens outside requests and is part of the process's CPU time. Net-SNMP's agent has no
//! such clocks: for it, and for ours beside it, there is the CPU time of a whole request.

use std::collections::BTreeSet;

use trunkline_client::SessionOptions;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use trunkline_labkit::conversation::Peer;
use trunkline_labkit::conversation::nanos;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::meter::cpu::CpuMeter;
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::schedule::ManagerEnd;
use trunkline_labkit::stage::{Role, Secrets, Stand};
use trunkline_labkit::subject::{Equipped, Freshness};
use trunkline_labkit::transport::Transport;

use super::{CODING, Lab, RETRIEVAL};

/// The agent's clocks, SNMP.
pub(super) const INSIDE: &str = "BER, in the agent";

/// Our agent as it ships, whole requests.
const SHIPPED: &str = "trunklined, as it ships";

/// The series of a policy.
pub(super) fn under(freshness: Freshness) -> String {
    format!("trunklined, {freshness}")
}

/// Times codecs, and agents from within.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    if lab.agents.is_elsewhere() {
        return Ok(());
    }
    let rounds = lab.choice.rounds(ROUNDS, QUICK_ROUNDS);
    super::codecs::measure(lab, rounds)?;
    // Compared items take turns: other load of the machine affects all alike.
    let mut left_out = BTreeSet::new();
    let left = Left::of(u64::from(rounds.min(INSIDE_ROUNDS)) + 1);
    let mut timed = super::services::timed(lab)?;
    for round in 0..=rounds.min(INSIDE_ROUNDS) {
        left.announce(lab.ledger, round.into());
        for freshness in Freshness::ALL {
            inside(lab, freshness, round, &mut left_out)?;
        }
        whole_requests(lab, round, &mut left_out)?;
        let mut taken = Vec::new();
        for it in timed {
            if it.measure(lab, round, INSIDE_REQUESTS)? {
                taken.push(it);
            }
        }
        timed = taken;
    }
    Ok(())
}

/// The agents that could not be measured, with the number of objects.
type LeftOut = BTreeSet<(String, u32)>;

/// The agent's clocks under a policy: repeated GetBulk of this many objects.
fn inside(lab: &mut Lab<'_>, freshness: Freshness, round: u32, left_out: &mut LeftOut) -> Result<(), Error> {
    let role = Role::Timed(freshness);
    let series = under(freshness);
    let protocol = Protocol::v2c(Transport::Udp);
    let target = lab.stage.target(protocol, role, Stand::Beside, Secrets::Ready, ManagerEnd::default());
    let (Some(agent), Ok(target)) = (lab.stage.agent(role), target) else {
        if !left_out.insert((series, 0)) {
            return Ok(());
        }
        let (table, switch) = (RETRIEVAL.into(), format!("clocks inside the agent, {freshness}"));
        return lab.ledger.doubt(Doubt::NoSwitch { table, switch });
    };
    for objects in lab.objects() {
        if left_out.contains(&(series.clone(), objects)) {
            continue;
        }
        match lab.runtime.block_on(phases(agent, &target.clone().into(), objects)) {
            Ok([coding, retrieval, delay, cpu]) => {
                if freshness == Freshness::MaxAge {
                    lab.note(CODING, INSIDE, objects, Quantity::CodingNs, round, coding)?;
                }
                lab.note(RETRIEVAL, &series, objects, Quantity::RetrievalNs, round, retrieval)?;
                lab.note(RETRIEVAL, &series, objects, Quantity::DelayNs, round, delay)?;
                lab.note(RETRIEVAL, &series, objects, Quantity::CpuNs, round, cpu)?;
            }
            Err(reason) => {
                left_out.insert((series.clone(), objects));
                lab.missing(RETRIEVAL, &series, format!("{objects} objects: {reason}"))?;
            }
        }
    }
    Ok(())
}

/// Nanoseconds per request: coding, retrieval, the delay as the manager sees it, and the CPU time of the whole
/// process.
async fn phases(agent: &Equipped, peer: &Peer, objects: u32) -> Result<[f64; 4], String> {
    let meter = CpuMeter::new(agent.pid()).map_err(|error| error.to_string())?;
    let before = agent.counted().map_err(|error| error.to_string())?;
    let cpu_before = meter.read().map_err(|error| error.to_string())?;
    let delay = bulks(peer, objects, INSIDE_REQUESTS).await?;
    let cpu = meter.read().map_err(|error| error.to_string())?.saturating_sub(cpu_before);
    let after = agent.counted().map_err(|error| error.to_string())?;
    let requests = after.requests.saturating_sub(before.requests);
    if requests == 0 {
        return Err("the agent's clocks counted no request".into());
    }
    let each = |of: fn(trunkline_labkit::subject::Phases) -> u64| {
        of(after.phases).saturating_sub(of(before.phases)) as f64 / requests as f64
    };
    let cpu = cpu as f64 / f64::from(INSIDE_REQUESTS);
    Ok([each(|it| it.decode + it.encode), each(|it| it.retrieve), delay, cpu])
}

/// This many GetBulk requests for the first objects of ifTable; returns the mean delay.
async fn bulks(peer: &Peer, objects: u32, requests: u32) -> Result<f64, String> {
    let session = peer.open(SessionOptions::default()).await.map_err(|error| error.to_string())?;
    let name = [Oid::EMPTY.child(IF_TABLE.oid)];
    let mut delay = 0;
    for _ in 0..requests {
        let answer = session.bulk(0, objects, &name).await.map_err(|error| error.to_string())?;
        if answer.bindings.len() != objects as usize {
            return Err(format!("{} objects came", answer.bindings.len()));
        }
        delay += nanos(answer.cost.delay);
    }
    Ok(delay as f64 / f64::from(requests))
}

/// The CPU time of whole requests: of agents without clocks, and of ours beside them.
fn whole_requests(lab: &mut Lab<'_>, round: u32, left_out: &mut LeftOut) -> Result<(), Error> {
    let ours = lab.stage.agent(Role::Shipped).map(Equipped::pid);
    for agent in lab.agents.here() {
        let series = if agent.pid.is_none() { SHIPPED } else { agent.name };
        let meter = agent.pid.or(ours).and_then(|pid| CpuMeter::new(pid).ok());
        let Some(meter) = meter else { continue };
        for objects in lab.objects() {
            if left_out.contains(&(series.to_owned(), objects)) {
                continue;
            }
            let before = meter.read();
            let asked = lab.runtime.block_on(bulks(agent.peer, objects, INSIDE_REQUESTS));
            let after = meter.read();
            match (asked, before, after) {
                (Ok(_), Ok(before), Ok(after)) => {
                    let each = after.saturating_sub(before) as f64 / f64::from(INSIDE_REQUESTS);
                    lab.note(RETRIEVAL, series, objects, Quantity::CpuNs, round, each)?;
                }
                (Err(reason), ..) => {
                    left_out.insert((series.to_owned(), objects));
                    lab.missing(RETRIEVAL, series, format!("{objects} objects: {reason}"))?;
                }
                // Without the process's clock there is nothing to record.
                _ => {}
            }
        }
    }
    Ok(())
}

const ROUNDS: u32 = 30;
const QUICK_ROUNDS: u32 = 8;
/// Requests between two readings of the agent's clocks.
const INSIDE_REQUESTS: u32 = 30;
const INSIDE_ROUNDS: u32 = 10;
