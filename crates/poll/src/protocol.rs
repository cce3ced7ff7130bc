//! How requests are written and answers read. SNMPv1 and SNMPv2c are here; SNMPv3 is in [`crate::user`].

use std::time::Duration;

use trunkline_smi::Oid;
use trunkline_snmp::wire::{ErrorStatus, Message, MessageRef, Pdu, PduKind, PduRef, Version};

/// A request-id that the engine gives. It has four octets in every encoding, so that a request can be patched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(i32);

impl RequestId {
    /// Of a number below 2^30.
    pub(crate) const fn new(number: u32) -> Self {
        Self((MARK | number) as i32)
    }

    /// The number, if it is one that [`RequestId::new`] makes.
    pub(crate) const fn number(self) -> Option<u32> {
        let octets = self.0 as u32;
        if octets & !(MARK - 1) == MARK { Some(octets & (MARK - 1)) } else { None }
    }

    /// As messages have it.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl From<i32> for RequestId {
    fn from(id: i32) -> Self {
        Self(id)
    }
}

/// The second highest bit: positive, and never fewer than four octets.
const MARK: u32 = 1 << 30;

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// What was requested.
    Good,
    /// An error, by its number.
    Failed(i32),
    /// Not an answer to this request, whatever its request-id.
    Stranger,
    /// The request is to be sent again: the agent has said what was missing in it (SNMPv3).
    Again,
}

/// Writes requests and reads answers. Moments are since the start of the run.
pub trait Protocol {
    /// Writes the request of an agent, which is sent at `now`, into `out`, which is empty.
    fn request(&mut self, agent: u32, id: RequestId, now: Duration, out: &mut Vec<u8>);

    /// The request-id of an answer; `None` if it is not an answer at all.
    fn identify(&mut self, octets: &[u8]) -> Option<RequestId>;

    /// What the answer of an agent says, which has come from its address at `at`.
    fn read(&mut self, agent: u32, octets: &[u8], at: Duration) -> Verdict;
}

/// Get, GetNext or GetBulk over SNMPv1 or SNMPv2c: each agent's request is encoded once, and patched. Agents that are asked
/// the same share a request.
#[derive(Clone, Debug)]
pub struct SnmpRead {
    requests: Vec<Encoded>,
    /// Which of them an agent gets, where there are several.
    of_agent: Vec<u32>,
}

#[derive(Clone)]
struct Encoded {
    version: Version,
    community: Vec<u8>,
    octets: Vec<u8>,
    id_at: usize,
    bindings: usize,
    is_get: bool,
}

impl std::fmt::Debug for Encoded {
    /// Without the community, which is the secret of its version.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoded").field("version", &self.version).finish_non_exhaustive()
    }
}

impl SnmpRead {
    /// All agents get the same request.
    #[must_use]
    pub fn same(version: Version, community: &[u8], pdu: &Pdu) -> Self {
        Self { requests: vec![Encoded::new(version, community, pdu)], of_agent: Vec::new() }
    }

    /// All agents get a Get of the same instances.
    #[must_use]
    pub fn get(version: Version, community: &[u8], names: &[Oid]) -> Self {
        Self::same(version, community, &Pdu::read(PduKind::Get, 0, names))
    }

    /// Several requests, and for each agent which of them it gets; one that has none gets the first.
    #[must_use]
    pub fn several(requests: &[(Version, &[u8], Pdu)], of_agent: Vec<u32>) -> Self {
        let encoded =
            |(version, community, pdu): &(Version, &[u8], Pdu)| Encoded::new(*version, community, pdu);
        Self { requests: requests.iter().map(encoded).collect(), of_agent }
    }

    fn of(&self, agent: u32) -> Option<&Encoded> {
        let which = self.of_agent.get(agent as usize).copied().unwrap_or(0);
        self.requests.get(which as usize).or(self.requests.first())
    }
}

impl Encoded {
    fn new(version: Version, community: &[u8], pdu: &Pdu) -> Self {
        let encoded = |request_id| {
            let pdu = Pdu { request_id, ..pdu.clone() };
            Message { version, community: community.to_vec(), pdu }.encode()
        };
        // Two request-ids that differ in every octet: there it is.
        let (octets, other) = (encoded(0x4000_0000), encoded(0x7fff_ffff));
        let id_at = octets.iter().zip(&other).position(|(one, other)| one != other).unwrap_or(0);
        let is_get = pdu.kind == PduKind::Get;
        Self { version, community: community.to_vec(), octets, id_at, bindings: pdu.bindings.len(), is_get }
    }
}

impl Protocol for SnmpRead {
    fn request(&mut self, agent: u32, id: RequestId, _now: Duration, out: &mut Vec<u8>) {
        let Some(request) = self.of(agent) else { return };
        out.extend_from_slice(&request.octets);
        if let Some(place) = out.get_mut(request.id_at..request.id_at + 4) {
            place.copy_from_slice(&id.get().to_be_bytes());
        }
    }

    fn identify(&mut self, octets: &[u8]) -> Option<RequestId> {
        let message = MessageRef::decode(octets).ok()?;
        (message.pdu.kind == PduKind::Response).then(|| RequestId::from(message.pdu.request_id))
    }

    fn read(&mut self, agent: u32, octets: &[u8], _at: Duration) -> Verdict {
        let (Some(request), Ok(message)) = (self.of(agent), MessageRef::decode(octets)) else {
            return Verdict::Stranger;
        };
        if message.version != request.version || message.community != request.community {
            return Verdict::Stranger;
        }
        verdict_of(&message.pdu, request.is_get.then_some(request.bindings))
    }
}

/// What a Response says, to a request whose answer has so many bindings; `None`: any number.
pub(crate) fn verdict_of(pdu: &PduRef<'_>, expected: Option<usize>) -> Verdict {
    if pdu.error_status != ErrorStatus::NoError.code() {
        return Verdict::Failed(pdu.error_status);
    }
    let mut bindings = 0;
    for binding in pdu.bindings() {
        if binding.is_err() {
            return Verdict::Stranger;
        }
        bindings += 1;
    }
    if expected.is_some_and(|expected| expected != bindings) { Verdict::Stranger } else { Verdict::Good }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> [Oid; 2] {
        [Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0])]
    }

    #[test]
    fn a_patched_request_is_the_one_that_would_be_encoded() {
        // A community that looks like a request-id.
        let community = [2, 4, 0x40, 0, 0, 0, 0x7f, 0xff];
        let mut protocol = SnmpRead::get(Version::V2c, &community, &names());
        for number in [0, 1, 0x00ff_ff00, 0x3fff_ffff] {
            let id = RequestId::new(number);
            let mut out = Vec::new();
            protocol.request(7, id, Duration::ZERO, &mut out);
            let sent = Message::decode(&out).unwrap();
            assert_eq!((sent.pdu.request_id, sent.community), (id.get(), community.to_vec()));
            assert_eq!(sent.pdu.bindings.len(), 2);
            assert_eq!(id.number(), Some(number));
        }
    }

    #[test]
    fn strangers_are_no_answers() {
        let mut protocol = SnmpRead::several(
            &[
                (Version::V2c, b"one", Pdu::read(PduKind::Get, 0, &names()[..1])),
                (Version::V1, b"two", Pdu::read(PduKind::Get, 0, &names()[..1])),
            ],
            vec![0, 1],
        );
        let octets = |version, community: &[u8], kind, status, bindings: &[Oid]| {
            let pdu = Pdu { error_status: status, ..Pdu::read(kind, 77, bindings) };
            Message { version, community: community.to_vec(), pdu }.encode()
        };
        let good = octets(Version::V2c, b"one", PduKind::Response, 0, &names()[..1]);
        assert_eq!(protocol.identify(&good), Some(RequestId::from(77)));
        assert_eq!(protocol.read(0, &good, Duration::ZERO), Verdict::Good);
        assert_eq!(protocol.read(1, &good, Duration::ZERO), Verdict::Stranger);
        let failed = octets(Version::V1, b"two", PduKind::Response, 2, &names()[..1]);
        assert_eq!(protocol.read(1, &failed, Duration::ZERO), Verdict::Failed(2));
        let long = octets(Version::V2c, b"one", PduKind::Response, 0, &names());
        assert_eq!(protocol.read(0, &long, Duration::ZERO), Verdict::Stranger);
        let request = octets(Version::V2c, b"one", PduKind::Get, 0, &names());
        assert_eq!(protocol.identify(&request), None);
        assert_eq!(protocol.identify(&good[..good.len() - 1]), None);
        assert!(!format!("{protocol:?}").contains("111, 110, 101"), "{protocol:?}");
    }
}
