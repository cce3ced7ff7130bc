//! Requests as the principal that the session authenticates: discovery, and authentic Reports.

use std::time::Duration;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::wire::{
    ErrorStatus, Header, MAX_MESSAGE_SIZE, MsgData, PduKind, TSM, V3Header, V3MessageRef, V3Security, VarBind,
};

use super::*;
use crate::credentials::Credentials;
use crate::error::Error;
use crate::exchange::{
    Backoff, Content, Endurance, Exchanges, Expect, Handled, Limits, Patience, Request, Response,
};

const SECOND: Duration = Duration::from_secs(1);
const ENGINE: [u8; 9] = [0x80, 0, 0x1f, 0x88, 4, b't', b'e', b's', b't'];
const SNMP_ENGINE_ID: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];
const UNKNOWN_CONTEXTS: &str = "1.3.6.1.6.3.12.1.5.0";
const UNKNOWN_PDU_HANDLERS: &str = "1.3.6.1.6.3.11.2.1.3.0";

struct Bench {
    exchanges: Exchanges<&'static str>,
    now: Instant,
}

/// A message of ours, as the agent decodes it.
#[derive(Debug, PartialEq, Eq)]
struct Sent {
    message_id: i32,
    request_id: i32,
    context_engine_id: Vec<u8>,
    name: Oid,
}

impl Bench {
    fn new(credentials: TsmCredentials) -> Self {
        let most = MAX_MESSAGE_SIZE;
        let limits = Limits {
            window: 4,
            max_message: most,
            max_request: most,
            resends: false,
            endurance: Endurance::Quick,
        };
        let now = Instant::now();
        Bench { exchanges: Exchanges::new(&Credentials::from(credentials), limits, now), now }
    }

    fn ask(&mut self, id: i32, token: &'static str) {
        let kind = PduKind::Get;
        let content = Content::Pdu(Pdu::read(kind, id, [&name()]));
        let patience = Patience { timeout: SECOND, retries: 2, backoff: Backoff::Fixed };
        let expect = Expect::Names(vec![name()]);
        self.exchanges.submit(Request { id, kind, content, expect, patience }, token);
    }

    fn sent(&mut self) -> Vec<Sent> {
        let mut sent = Vec::new();
        while let Some((_, octets)) = self.exchanges.poll_send(self.now) {
            let message = V3MessageRef::decode(octets).unwrap();
            assert_eq!((message.security_model, message.flags.level()), (TSM, Some(SecurityLevel::AuthPriv)));
            let MsgData::Plain(scoped) = message.data else { panic!("encrypted") };
            sent.push(Sent {
                message_id: message.message_id,
                request_id: scoped.pdu.request_id,
                context_engine_id: scoped.context_engine_id.to_vec(),
                name: scoped.pdu.to_pdu().unwrap().bindings[0].name.clone(),
            });
        }
        sent
    }

    fn handle(&mut self, sent: &Sent, pdu: &Pdu) -> Handled<&'static str> {
        let header = V3Header {
            message_id: sent.message_id,
            max_size: MAX_MESSAGE_SIZE,
            reportable: false,
            security: V3Security::Transport(SecurityLevel::AuthPriv),
            context_engine_id: &ENGINE,
            context_name: &[],
        };
        let mut buf = Vec::new();
        let message = Header::V3(&header).encode(pdu, MAX_MESSAGE_SIZE, &mut buf).unwrap();
        self.exchanges.handle_message(self.now, &buf[message])
    }

    fn respond(&mut self, sent: &Sent, value: Value) -> Handled<&'static str> {
        let binding = VarBind::new(sent.name.clone(), value);
        self.handle(sent, &Pdu::new(PduKind::Response, sent.request_id, vec![binding]))
    }

    fn report(&mut self, sent: &Sent, counter: &str) -> Handled<&'static str> {
        let binding = VarBind::new(counter.parse().unwrap(), Value::Counter32(1));
        self.handle(sent, &Pdu::new(PduKind::Report, sent.request_id, vec![binding]))
    }

    /// The only message that is sent.
    fn sent_one(&mut self) -> Sent {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }

    fn discover(&mut self) {
        let asked = self.sent_one();
        assert_eq!(
            (asked.context_engine_id.as_slice(), &*asked.name),
            (EngineId::LOCAL.as_bytes(), &SNMP_ENGINE_ID[..])
        );
        assert!(matches!(self.respond(&asked, Value::OctetString(ENGINE.to_vec())), Handled::Noted));
    }
}

fn name() -> Oid {
    Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0])
}

#[track_caller]
fn answered(handled: Handled<&'static str>) -> (&'static str, Result<Response, Error>) {
    match handled {
        Handled::Answer(token, answer) => (token, answer),
        Handled::Noted | Handled::Ignored(_) => panic!("no answer"),
    }
}

#[test]
fn the_engine_id_is_discovered_once_and_kept_across_connections() {
    let mut bench = Bench::new(TsmCredentials::default());
    bench.ask(1, "a");
    bench.ask(2, "b");
    bench.discover();
    let sent = bench.sent();
    assert_eq!(sent.iter().map(|sent| sent.request_id).collect::<Vec<_>>(), [1, 2]);
    assert!(sent.iter().all(|sent| sent.context_engine_id == ENGINE));
    assert!(bench.exchanges.lose(bench.now, &Error::ConnectionLost { kind: None }).is_empty());
    let again = bench.sent();
    assert_eq!(again.iter().map(|sent| sent.request_id).collect::<Vec<_>>(), [1, 2]);
    let (token, answer) = answered(bench.respond(&again[1], Value::text("b")));
    assert_eq!((token, answer.unwrap().attempts), ("b", 2));
    // An answer of the first connection would do as well: msgID and request-id are known.
    assert_eq!(answered(bench.respond(&sent[0], Value::text("a"))).0, "a");
}

#[test]
fn a_lost_discovery_is_repeated_and_ends_with_the_waiting_requests() {
    let mut bench = Bench::new(TsmCredentials::default());
    bench.ask(1, "a");
    let first = bench.sent_one();
    let lost = Error::ConnectionLost { kind: None };
    assert!(bench.exchanges.lose(bench.now, &lost).is_empty());
    let second = bench.sent_one();
    assert_eq!((first.name, second.name), (Oid::from(SNMP_ENGINE_ID), Oid::from(SNMP_ENGINE_ID)));
    assert!(matches!(bench.exchanges.lose(bench.now, &lost)[..], [("a", Error::ConnectionLost { .. })]));
}

#[test]
fn an_engine_that_hides_its_id_is_queried_without_it() {
    for tells in [false, true] {
        let mut bench = Bench::new(TsmCredentials::default());
        bench.ask(1, "a");
        let asked = bench.sent_one();
        let handled = if tells {
            let binding = VarBind::new(asked.name.clone(), Value::Integer(0));
            let mut pdu = Pdu::new(PduKind::Response, asked.request_id, vec![binding]);
            pdu.error_status = ErrorStatus::AuthorizationError.code();
            bench.handle(&asked, &pdu)
        } else {
            bench.report(&asked, UNKNOWN_PDU_HANDLERS)
        };
        assert!(matches!(handled, Handled::Noted));
        let sent = bench.sent_one();
        assert_eq!(sent.context_engine_id, EngineId::LOCAL.as_bytes());
        assert!(answered(bench.respond(&sent, Value::text("x"))).1.is_ok());
    }
}

#[test]
fn a_replaced_engine_is_discovered_again() {
    let mut bench = Bench::new(TsmCredentials::default());
    bench.ask(1, "a");
    bench.discover();
    let sent = bench.sent_one();
    assert!(matches!(bench.report(&sent, UNKNOWN_PDU_HANDLERS), Handled::Noted));
    bench.discover();
    let sent = bench.sent_one();
    assert_eq!((sent.request_id, sent.context_engine_id.as_slice()), (1, &ENGINE[..]));
    assert!(answered(bench.respond(&sent, Value::text("x"))).1.is_ok());
}

#[test]
fn a_report_ends_its_request_at_once() {
    let mut bench = Bench::new(TsmCredentials::default());
    bench.ask(1, "a");
    bench.discover();
    let sent = bench.sent_one();
    let (token, answer) = answered(bench.report(&sent, UNKNOWN_CONTEXTS));
    assert!(matches!((token, answer), ("a", Err(Error::Report { report: ReportKind::UnknownContexts }))));
    // An engine that the caller names is not discovered.
    let context_engine_id = EngineId::new(&ENGINE).ok();
    let mut bench = Bench::new(TsmCredentials { context_engine_id, ..TsmCredentials::default() });
    bench.ask(1, "a");
    let sent = bench.sent_one();
    let (_, answer) = answered(bench.report(&sent, UNKNOWN_PDU_HANDLERS));
    assert!(matches!(answer, Err(Error::Report { report: ReportKind::UnknownPduHandlers })));
}
