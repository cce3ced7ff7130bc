//! Compressed requests: the first one finds out whether the agent supports compression. An agent that does not
//! stays silent, as for every message that it cannot read; the request is then sent uncompressed, and so are all
//! later ones (OPC draft section 11). Over datagrams a second silence decides, since the first may be a loss.

use trunkline_snmp::wire::PduKind;
use trunkline_snmp::wire::compression::{Compression, compress, expand};

/// What a session knows about its agent's compression.
#[derive(Debug, Default)]
pub(super) struct Compressed {
    how: Option<Compression>,
    /// Whether a compressed request has been answered.
    is_known: bool,
}

impl Compressed {
    /// A session that requests answers compressed in this way.
    pub(super) fn asking(how: Option<Compression>) -> Self {
        Compressed { how, is_known: false }
    }

    /// How requests of this kind are sent. A Set is compressed only if the agent is known to read it: it must not
    /// be done twice.
    fn how(&self, kind: PduKind) -> Option<Compression> {
        self.how.filter(|_| self.is_known || kind != PduKind::Set)
    }

    /// Whether the next request of this kind may be one that the agent cannot read.
    pub(super) fn is_trying(&self, kind: PduKind) -> bool {
        !self.is_known && self.how(kind).is_some()
    }

    /// A request as it is sent. `plain` receives the uncompressed form, to be sent if no answer arrives.
    pub(super) fn request(&self, octets: Vec<u8>, kind: PduKind, plain: &mut Option<Vec<u8>>) -> Vec<u8> {
        let Some(how) = self.how(kind) else { return octets };
        let mut packed = Vec::new();
        if compress(&octets, how, &mut packed).is_err() {
            return octets;
        }
        *plain = Some(octets);
        packed
    }

    /// A message without compression, if compression was requested; in `scratch`.
    pub(super) fn expand<'m>(&self, octets: &'m [u8], scratch: &'m mut Vec<u8>) -> &'m [u8] {
        match self.how.map(|_| expand(octets, scratch)) {
            Some(Ok(Some(_))) => scratch,
            _ => octets,
        }
    }

    /// A request was answered; `plain` is its fallback.
    pub(super) fn answered(&mut self, plain: &Option<Vec<u8>>) {
        self.is_known |= plain.is_some();
    }

    /// No answer arrived. Returns what to send instead: from then on nothing is compressed.
    pub(super) fn fall_back(&mut self, plain: &mut Option<Vec<u8>>) -> Option<Vec<u8>> {
        if self.is_known {
            return None;
        }
        let octets = plain.take()?;
        if let Some(how) = self.how.take() {
            tracing::debug!(%how, "no answer to a compressed request: compression is no longer requested");
        }
        Some(octets)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use trunkline_smi::{Oid, Value};
    use trunkline_snmp::wire::{MAX_MESSAGE_SIZE, Message, Pdu, VarBind, Version};

    use super::*;
    use crate::credentials::Credentials;
    use crate::exchange::{
        Backoff, Content, Endurance, Exchanges, Expect, Handled, Limits, Patience, Request,
    };

    const SECOND: Duration = Duration::from_secs(1);

    fn message(kind: PduKind, id: i32) -> Vec<u8> {
        let bindings =
            [1, 2].map(|last| VarBind::new(Oid::from([1, 3, 6, 1, 2, 1, last, 0]), Value::Integer(1)));
        let pdu = Pdu::new(kind, id, bindings.to_vec());
        Message { version: Version::V2c, community: b"c".to_vec(), pdu }.encode()
    }

    fn ask(exchanges: &mut Exchanges<&'static str>, kind: PduKind, id: i32) {
        let patience = Patience { timeout: SECOND, retries: 2, backoff: Backoff::Fixed };
        let content = Content::Octets(message(kind, id));
        exchanges.submit(Request { id, kind, content, expect: Expect::Count(2), patience }, "x");
    }

    /// Whether the message sent next is compressed; `None` if there is none.
    fn sent(exchanges: &mut Exchanges<&'static str>, now: Instant) -> Option<bool> {
        let mut plain = Vec::new();
        exchanges.poll_send(now).map(|(_, octets)| expand(octets, &mut plain).unwrap().is_some())
    }

    fn session(resends: bool) -> (Exchanges<&'static str>, Instant) {
        let (now, most) = (Instant::now(), MAX_MESSAGE_SIZE);
        let limits =
            Limits { window: 4, max_message: most, max_request: most, resends, endurance: Endurance::Quick };
        let exchanges = Exchanges::new(&Credentials::community(Version::V2c, b"c"), limits, now);
        (exchanges.compressed(Some(Compression::Opc)), now)
    }

    #[test]
    fn a_silent_agent_gets_uncompressed_requests() {
        for resends in [true, false] {
            let (mut exchanges, now) = session(resends);
            ask(&mut exchanges, PduKind::Get, 1);
            assert_eq!(sent(&mut exchanges, now), Some(true));
            let mut now = now + SECOND;
            assert!(exchanges.handle_time(now).is_empty());
            if resends {
                assert_eq!(sent(&mut exchanges, now), Some(true), "the first may have been lost");
                now += 2 * SECOND;
                assert!(exchanges.handle_time(now).is_empty());
            }
            assert_eq!(sent(&mut exchanges, now), Some(false), "resends: {resends}");
            ask(&mut exchanges, PduKind::Get, 2);
            assert_eq!(sent(&mut exchanges, now), Some(false));
            let answer = message(PduKind::Response, 1);
            let handled = exchanges.handle_message(now, &answer);
            assert!(matches!(handled, Handled::Answer("x", Ok(_))));
        }
    }

    #[test]
    fn an_agent_that_answers_gets_compressed_requests_again() {
        let (mut exchanges, now) = session(true);
        ask(&mut exchanges, PduKind::Set, 1);
        assert_eq!(sent(&mut exchanges, now), Some(false), "nobody knows yet");
        ask(&mut exchanges, PduKind::Get, 2);
        assert_eq!(sent(&mut exchanges, now), Some(true));
        let mut answer = Vec::new();
        compress(&message(PduKind::Response, 2), Compression::Opc, &mut answer).unwrap();
        let Handled::Answer("x", Ok(response)) = exchanges.handle_message(now, &answer) else { panic!() };
        assert_eq!(response.response_octets, answer.len(), "as it was on the wire");
        assert_eq!(response.bindings.len(), 2);
        ask(&mut exchanges, PduKind::Set, 3);
        assert_eq!(sent(&mut exchanges, now), Some(true));
        // Lost on the path: sent again unchanged.
        ask(&mut exchanges, PduKind::Get, 4);
        assert_eq!(sent(&mut exchanges, now), Some(true));
        assert!(exchanges.handle_time(now + SECOND).is_empty());
        while let Some(is_compressed) = sent(&mut exchanges, now + SECOND) {
            let _ = is_compressed;
        }
        assert!(exchanges.compressed.is_known);
    }

    #[test]
    fn an_unrequested_compressed_answer_is_ignored() {
        let (exchanges, now) = session(true);
        let mut exchanges = exchanges.compressed(None);
        ask(&mut exchanges, PduKind::Get, 1);
        assert_eq!(sent(&mut exchanges, now), Some(false));
        let mut answer = Vec::new();
        compress(&message(PduKind::Response, 1), Compression::Opc, &mut answer).unwrap();
        assert!(matches!(exchanges.handle_message(now, &answer), Handled::Ignored(_)));
    }
}
