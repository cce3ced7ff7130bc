//! Section V.A, figure 13: coding and compression in this process, with the agent's code, of the data that the
//! agent has: the values are there already, so nothing but the codec is timed.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::{Oid, OidList, ValueRef};
use trunkline_snmp::wire::compression::{Compression, compress};
use trunkline_snmp::wire::{
    Bound, Envelope, Message, MessageRef, NameTemplate, Pdu, PduKind, ResponseWriter, VarBind, Version,
};

use trunkline_labkit::error::Error;
use trunkline_labkit::if_table::Link;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::subject::COMMUNITY;

use super::common::{Work, in_turn, value_of};
use super::{CODING, Lab};

/// BER, among the series.
pub(super) const BER: &str = "BER, GetBulk";
/// The same with a name for each object in the request.
pub(super) const BER_GET: &str = "BER, Get";

/// Times every codec for every number of objects, all in turn.
pub(super) fn measure(lab: &mut Lab<'_>, rounds: u32) -> Result<(), Error> {
    let peer = lab.agents.here().first().map(|agent| agent.peer.clone());
    let Some(peer) = peer else { return Ok(()) };
    let walked = lab.runtime.block_on(async { Link::open(&peer).await?.walk().await });
    let walked = match walked {
        Ok(walked) => walked,
        Err(error) => return lab.missing(CODING, BER, error),
    };
    let rows = super::services::rows(&walked);
    let mut all = Vec::new();
    for objects in lab.objects() {
        if let Some(found) = walked.get(..objects as usize) {
            all.extend(ber(found, objects));
        }
        all.extend(super::services::coding(lab, &rows, objects)?);
    }
    in_turn(lab, all, rounds)
}

/// The work of BER for this many objects.
fn ber(found: &[(Oid, Bound)], objects: u32) -> Vec<Work<'_>> {
    let response = Rc::new(Response::of(found));
    let coding = |series: &str, request: Vec<u8>| {
        let (response, buffers) = (Rc::clone(&response), RefCell::new((OidList::default(), Vec::new())));
        let run = move || {
            let (names, into) = &mut *buffers.borrow_mut();
            if let Ok(message) = MessageRef::decode(black_box(&request)) {
                let _ = black_box(message.pdu.names(names));
            }
            black_box(response.encode(into));
        };
        Work { series: series.into(), objects, quantity: Quantity::CodingNs, run: Box::new(run) }
    };
    let mut into = Vec::new();
    let encoded = response.encode(&mut into).and_then(|range| into.get(range)).unwrap_or_default().to_vec();
    let mut packed = Vec::new();
    let packing = move || {
        packed.clear();
        let _ = black_box(compress(black_box(&encoded), Compression::Zlib, &mut packed));
    };
    let (series, quantity) = (BER.into(), Quantity::CompressionNs);
    let packing = Work { series, objects, quantity, run: Box::new(packing) };
    vec![coding(BER, bulk(objects)), coding(BER_GET, get(found)), packing]
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

const REQUEST_ID: i32 = 0x1234_5678;
