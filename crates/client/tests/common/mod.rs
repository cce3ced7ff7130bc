//! Agents for the tests of sessions: a few instances, and arbitrary wrong answers.
#![allow(dead_code, clippy::unwrap_used, reason = "helpers, not all used by each test program")]

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use tokio::io::{AsyncReadExt, DuplexStream, duplex};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use trunkline_client::{Connected, Connector, Credentials, SessionOptions, SnmpSession};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception, Message, Pdu, PduKind, VarBind, Version, frame_length};
use trunkline_transport::dial::DatagramLink;
use trunkline_transport::memory::{Faults, MemoryEndpoint, pair};

pub const COMMUNITY: &[u8] = b"public";

pub fn credentials() -> Credentials {
    Credentials::community(Version::V2c, COMMUNITY)
}

pub fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

/// `1.3.6.1.2.1.2.2.1` with columns and rows; the value is the row's number.
pub fn table(columns: u32, rows: u32) -> BTreeMap<Oid, Value> {
    let entry = oid("1.3.6.1.2.1.2.2.1");
    let names = (1..=columns).flat_map(|column| (1..=rows).map(move |row| (column, row)));
    names.map(|(column, row)| (entry.child(&[column, row]), Value::Integer(row as i32))).collect()
}

/// The right answer of a v2c agent with these instances.
pub fn answer(tree: &BTreeMap<Oid, Value>, request: &[u8]) -> Message {
    let request = Message::decode(request).unwrap();
    let pdu = &request.pdu;
    let next = |name: &Oid| {
        let next = tree.range((Excluded(name.clone()), Unbounded)).next();
        next.map_or(
            VarBind { name: name.clone(), value: Bound::Exception(Exception::EndOfMibView) },
            |(name, value)| VarBind::new(name.clone(), value.clone()),
        )
    };
    let names = pdu.bindings.iter().map(|binding| &binding.name);
    let bindings = match pdu.kind {
        PduKind::Get => names
            .map(|name| VarBind {
                name: name.clone(),
                value: tree
                    .get(name)
                    .map_or(Bound::Exception(Exception::NoSuchObject), |value| Bound::Value(value.clone())),
            })
            .collect(),
        PduKind::GetNext => names.map(next).collect(),
        PduKind::GetBulk => {
            assert_eq!(pdu.error_status, 0, "walks have no non-repeaters");
            let mut row: Vec<Oid> = names.cloned().collect();
            let mut all = Vec::new();
            for _ in 0..pdu.error_index {
                for name in &mut row {
                    let binding = next(name);
                    *name = binding.name.clone();
                    all.push(binding);
                }
            }
            all
        }
        _ => pdu.bindings.clone(),
    };
    Message { pdu: Pdu::new(PduKind::Response, pdu.request_id, bindings), ..request }
}

/// A session over an in-memory link, and the agent's end of it.
pub fn wire(to_agent: Faults, from_agent: Faults, options: SessionOptions) -> (SnmpSession, MemoryEndpoint) {
    let (ours, theirs) = pair(to_agent, from_agent);
    (SnmpSession::over_datagrams(DatagramLink::Memory(ours), credentials(), options), theirs)
}

/// Answers each request with the messages that `agent` makes of it.
pub fn serve(
    end: MemoryEndpoint,
    mut agent: impl FnMut(&[u8]) -> Vec<Vec<u8>> + Send + 'static,
) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        while let Some(request) = end.recv().await {
            agent(&request).iter().for_each(|message| end.send(message));
        }
    })
}

/// A session over in-memory streams; the channel returns each connection's far end.
pub fn streams(options: SessionOptions) -> (SnmpSession, UnboundedReceiver<DuplexStream>) {
    let (opened, far_ends) = unbounded_channel();
    let connector: Connector = Box::new(move || {
        let (ours, theirs) = duplex(1024);
        let _ = opened.send(theirs);
        Box::pin(async move { Ok(Connected::plain(ours)) })
    });
    (SnmpSession::over_streams(None, connector, credentials(), options), far_ends)
}

/// A whole request from such a far end.
pub async fn read_request(stream: &mut DuplexStream) -> Vec<u8> {
    let mut octets = Vec::new();
    while frame_length(&octets).unwrap().is_none_or(|length| octets.len() < length) {
        octets.push(stream.read_u8().await.unwrap());
    }
    octets
}
