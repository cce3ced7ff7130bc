//! The octets of one interaction, measured on the raw messages and compared with their exact lengths.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use trunkline_client::{Answer, Observer};
use trunkline_smi::ValueRef;
use trunkline_snmp::wire::{Bound, Message};

use crate::exact;

/// Keeps the last message of each direction.
#[derive(Debug, Default)]
pub struct LastMessages(Mutex<Pair>);

#[derive(Debug, Default, Clone)]
struct Pair {
    sent: Vec<u8>,
    received: Vec<u8>,
}

/// The octets of one interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Octets {
    /// Octets of the request message.
    pub sent: u64,
    /// Octets of the response message.
    pub received: u64,
    /// The same two computed exactly ([`exact`]); `None` for what is not an SNMP message with a community.
    pub exact: Option<(u64, u64)>,
    /// Octets of all values of the response, without tag and length: the sum of the formulas' `S_ObjectValue`.
    pub value_octets: u64,
    /// Octets of the longest value.
    pub longest_value: u64,
}

impl Observer for LastMessages {
    fn sent(&self, octets: &[u8], _at: Instant) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).sent = octets.to_vec();
    }

    fn received(&self, octets: &[u8], _at: Instant) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).received = octets.to_vec();
    }
}

impl LastMessages {
    /// None seen yet.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The octets of the last request and of the last response, as they were sent.
    pub fn sizes(&self) -> (u64, u64) {
        let pair = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (pair.sent.len() as u64, pair.received.len() as u64)
    }

    /// The octets of the last interaction; `None` if its messages cannot be decoded.
    pub fn octets(&self) -> Option<Octets> {
        let Pair { sent, received } = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (request, response) = (Message::decode(&sent).ok()?, Message::decode(&received).ok()?);
        let values = response.pdu.bindings.iter().map(|binding| value_octets(&binding.value));
        Some(Octets {
            sent: sent.len() as u64,
            received: received.len() as u64,
            exact: Some((exact_octets(&request), exact_octets(&response))),
            value_octets: values.clone().sum(),
            longest_value: values.max().unwrap_or(0),
        })
    }
}

impl Octets {
    /// Those of an answer whose messages are not looked into.
    pub fn of(answer: &Answer) -> Octets {
        let values = answer.bindings.iter().map(|binding| value_octets(&binding.value));
        Octets {
            sent: answer.cost.request_octets as u64,
            received: answer.cost.response_octets as u64,
            exact: None,
            value_octets: values.clone().sum(),
            longest_value: values.max().unwrap_or(0),
        }
    }
}

/// Counts what passes in both directions.
#[derive(Debug, Default)]
pub struct Passed {
    sent: AtomicUsize,
    received: AtomicUsize,
}

impl Passed {
    /// The octets sent and received since the last call.
    pub fn take(&self) -> (usize, usize) {
        (self.sent.swap(0, Ordering::Relaxed), self.received.swap(0, Ordering::Relaxed))
    }
}

impl Observer for Passed {
    fn sent(&self, octets: &[u8], _at: Instant) {
        self.sent.fetch_add(octets.len(), Ordering::Relaxed);
    }

    fn received(&self, octets: &[u8], _at: Instant) {
        self.received.fetch_add(octets.len(), Ordering::Relaxed);
    }
}

/// The exact length of a message, from its contents.
fn exact_octets(message: &Message) -> u64 {
    let pdu = &message.pdu;
    let numbers = [message.version.code(), pdu.request_id, pdu.error_status, pdu.error_index].map(i64::from);
    let bindings = pdu.bindings.iter().map(|binding| (&binding.name[..], value_octets(&binding.value)));
    exact::message(message.community.len() as u64, numbers, bindings)
}

/// The contents octets of a value: the paper's `S_ObjectValue`.
pub fn value_octets(bound: &Bound) -> u64 {
    let Bound::Value(value) = bound else { return 0 };
    match value.as_value_ref() {
        ValueRef::Integer(number) => exact::integer_contents(i64::from(number)),
        ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
            exact::integer_contents(i64::from(number))
        }
        // Unsigned: a number with 64 significant bits has a leading zero octet.
        ValueRef::Counter64(number) => i64::try_from(number).map_or(9, exact::integer_contents),
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => octets.len() as u64,
        ValueRef::ObjectIdentifier(name) => exact::name_contents(name),
        ValueRef::IpAddress(octets) => octets.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::{Oid, Value};
    use trunkline_snmp::wire::{Pdu, PduKind, VarBind, Version};

    fn message(kind: PduKind, bindings: Vec<VarBind>) -> Vec<u8> {
        let pdu = Pdu { kind, request_id: 70_000, error_status: 0, error_index: 0, bindings };
        Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode()
    }

    #[test]
    fn every_kind_of_value_is_accounted_for_exactly() {
        let values = vec![
            Bound::Unspecified,
            Bound::Exception(trunkline_snmp::wire::Exception::EndOfMibView),
            Bound::Value(Value::Integer(-129)),
            Bound::Value(Value::Counter32(u32::MAX)),
            Bound::Value(Value::Unsigned32(128)),
            Bound::Value(Value::TimeTicks(0)),
            Bound::Value(Value::Counter64(u64::MAX)),
            Bound::Value(Value::Counter64(1 << 62)),
            Bound::Value(Value::OctetString(vec![0; 300])),
            Bound::Value(Value::Opaque(vec![1, 2])),
            Bound::Value(Value::IpAddress([1, 2, 3, 4])),
            Bound::Value(Value::ObjectIdentifier(Oid::from([0, 0]))),
            Bound::Value(Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 4, 1, 8072]))),
        ];
        let bindings: Vec<VarBind> = values
            .into_iter()
            .map(|value| VarBind { name: Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2, 4000]), value })
            .collect();
        let seen = LastMessages::new();
        seen.sent(&message(PduKind::Get, vec![]), Instant::now());
        seen.received(&message(PduKind::Response, bindings), Instant::now());
        let record = seen.octets().unwrap();
        assert_eq!(Some((record.sent, record.received)), record.exact);
        assert_eq!(record.longest_value, 300);
        assert_eq!(record.value_octets, 2 + 5 + 2 + 1 + 9 + 8 + 300 + 2 + 4 + 1 + 7);
        seen.received(&[0x30, 1], Instant::now());
        assert_eq!(seen.octets(), None);
    }
}
