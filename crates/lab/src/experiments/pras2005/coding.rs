//! Section V.A, figures 13 and 14: the time to decode a request and encode its answer, to compress it, and to
//! fetch the data, under the three freshness policies.
//!
//! Coding alone is timed in this process, with the agent's code: the values are there already. The agent's own
//! clocks (`trunklined-lab`) measure the same within a request, and the time to find values in a snapshot;
//! reloading a snapshot happens outside requests and is part of the process's CPU time. Net-SNMP's agent has no
//! such clocks: for it, and for ours beside it, there is the CPU time of a whole request.

use std::collections::BTreeSet;
use std::hint::black_box;

use trunkline_client::SessionOptions;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::{Oid, OidList, ValueRef};
use trunkline_snmp::wire::{
    Bound, Envelope, Message, MessageRef, NameTemplate, Pdu, PduKind, ResponseWriter, VarBind, Version,
};

use crate::kit::conversation::Peer;
use crate::kit::conversation::nanos;
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::if_table::Link;
use crate::kit::meter::cpu::CpuMeter;
use crate::kit::protocol::Protocol;
use crate::kit::reading::Quantity;
use crate::kit::schedule::ManagerEnd;
use crate::kit::stage::{Role, Secrets, Stand};
use crate::kit::subject::{COMMUNITY, Equipped, Freshness};
use crate::kit::transport::Transport;

use super::common::{timed, value_of};
use super::{CODING, Lab, RETRIEVAL};

/// BER in this process, among the series.
pub(super) const BER: &str = "BER, GetBulk";
/// The same with a name for each object in the request.
pub(super) const BER_GET: &str = "BER, Get";
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
    codecs(lab, rounds)?;
    // Compared items take turns: other load of the machine affects all alike.
    let mut left_out = BTreeSet::new();
    for round in 0..=rounds.min(INSIDE_ROUNDS) {
        for freshness in Freshness::ALL {
            inside(lab, freshness, round, &mut left_out)?;
        }
        whole_requests(lab, round, &mut left_out)?;
    }
    Ok(())
}

/// The agents that could not be measured, with the number of objects.
type LeftOut = BTreeSet<(String, u32)>;

/// Coding of our agent's data, in this process: the contents of its answers, without the agent.
fn codecs(lab: &mut Lab<'_>, rounds: u32) -> Result<(), Error> {
    let peer = lab.agents.here().first().map(|agent| agent.peer.clone());
    let Some(peer) = peer else { return Ok(()) };
    let walked = lab.runtime.block_on(async {
        let link = Link::open(&peer).await?;
        link.walk().await
    });
    let walked = match walked {
        Ok(walked) => walked,
        Err(error) => return lab.missing(CODING, BER, error),
    };
    for objects in lab.objects() {
        let Some(found) = walked.get(..objects as usize) else { continue };
        let response = Response::of(found);
        let (mut names, mut into) = (OidList::default(), Vec::new());
        for (series, request) in [(BER, bulk(objects)), (BER_GET, get(found))] {
            for round in 0..=rounds {
                let each = timed(objects, || {
                    if let Ok(message) = MessageRef::decode(black_box(&request)) {
                        let _ = black_box(message.pdu.names(&mut names));
                    }
                    black_box(response.encode(&mut into));
                });
                lab.note(CODING, series, objects, Quantity::CodingNs, round, each)?;
            }
        }
        let encoded =
            response.encode(&mut into).and_then(|range| into.get(range)).unwrap_or_default().to_vec();
        for round in 0..=rounds {
            let each = timed(objects, || {
                black_box(super::fetch::deflated(black_box(&encoded)));
            });
            lab.note(CODING, BER, objects, Quantity::CompressionNs, round, each)?;
        }
    }
    super::services::coding(lab, &walked, rounds)
}

/// GetBulk of this many objects of ifTable.
fn bulk(objects: u32) -> Vec<u8> {
    let repetitions = i32::try_from(objects).unwrap_or(i32::MAX);
    let name = VarBind::unspecified(Oid::EMPTY.child(IF_TABLE.oid));
    // GetBulk has its counts where a response has its error fields.
    let pdu = Pdu { error_index: repetitions, ..Pdu::new(PduKind::GetBulk, REQUEST_ID, vec![name]) };
    Message { version: Version::V2c, community: COMMUNITY.as_bytes().to_vec(), pdu }.encode()
}

/// Get of these instances.
fn get(found: &[(Oid, Bound)]) -> Vec<u8> {
    let names = found.iter().map(|(name, _)| VarBind::unspecified(name.clone()));
    let pdu = Pdu::new(PduKind::Get, REQUEST_ID, names.collect());
    Message { version: Version::V2c, community: COMMUNITY.as_bytes().to_vec(), pdu }.encode()
}

/// The contents of an answer, each value after the name of its column, as the agent encodes it.
struct Response<'a> {
    columns: Vec<NameTemplate>,
    values: Vec<(usize, &'a [u32], ValueRef<'a>)>,
}

impl<'a> Response<'a> {
    fn of(found: &'a [(Oid, Bound)]) -> Response<'a> {
        let (mut columns, mut prefixes, mut values) = (Vec::new(), Vec::<&[u32]>::new(), Vec::new());
        for (name, bound) in found {
            let (prefix, index) = name.split_at(name.len().min(IF_TABLE.oid.len() + 2));
            if prefixes.last() != Some(&prefix) {
                prefixes.push(prefix);
                columns.push(NameTemplate::new(prefix));
            }
            if let Some(value) = value_of(bound) {
                values.push((columns.len() - 1, index, value.as_value_ref()));
            }
        }
        Response { columns, values }
    }

    fn encode(&self, into: &mut Vec<u8>) -> Option<std::ops::Range<usize>> {
        let envelope = Envelope::community(Version::V2c, COMMUNITY.as_bytes(), PduKind::Response, REQUEST_ID);
        let mut writer = ResponseWriter::new(into, 1 << 16, envelope);
        for (column, index, value) in &self.values {
            writer.value(&self.columns[*column], index, *value);
        }
        writer.finish()
    }
}

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
    let each = |of: fn(crate::kit::subject::Phases) -> u64| {
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

const REQUEST_ID: i32 = 0x1234_5678;
const ROUNDS: u32 = 30;
const QUICK_ROUNDS: u32 = 5;
/// Requests between two readings of the agent's clocks.
const INSIDE_REQUESTS: u32 = 30;
const INSIDE_ROUNDS: u32 = 10;
