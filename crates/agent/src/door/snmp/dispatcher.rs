//! The dispatcher (RFC 3412 section 4.1): a message through the engine and the admission to the application that
//! answers it. Here on the receiving thread; what would have to wait continues in `later`.

use std::net::SocketAddr;
use std::ops::Range;
use std::time::Instant;

use trunkline_smi::OidList;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::{
    DropReason, Incoming, OwnedRequest, ReportReason, Request, TRANSPORT, UsmFailure,
};
use trunkline_snmp::wire::{ErrorStatus, PduKind, ResponseWriter, Version};
use trunkline_tree::policy::{Denied, ViewType};
use trunkline_tree::{Progress, Walker};

use super::command_responder::{Ending, Retrieval, finish};
use super::probe::{NoProbe, Phase, Probe};
use super::settings::caller;
use super::{Door, Sender, Settings};
use trunkline_core::{Admission, NotAdmitted};

/// State that a thread reuses for all requests, so that none of them allocates.
#[derive(Default)]
pub struct Worker<P: Probe = NoProbe> {
    names: OidList,
    walker: Walker,
    decrypted: Vec<u8>,
    /// The instruments of `trunklined-lab`.
    pub probe: P,
}

impl<P: Probe> Worker<P> {
    /// Lets go of the last request's snapshots, so that an idle thread keeps no old ones alive.
    pub fn rest(&mut self) {
        self.walker.reset();
    }
}

/// What became of a request on the receiving thread.
#[derive(Debug)]
pub enum Outcome {
    /// The answer is in these octets of the buffer.
    Reply(Range<usize>),
    /// There is no answer.
    Silent,
    /// A load, a region or another agent must be waited for: call [`Door::respond`].
    Load(Box<OwnedRequest>),
    /// It is a set, which may block: call [`Door::respond`].
    Set(Box<OwnedRequest>),
}

/// What to do with a message.
#[expect(clippy::large_enum_variant, reason = "it lives for a request, on the stack, and mostly is one")]
pub(super) enum Received<'m> {
    Request(Request<'m>),
    /// A Report is the answer.
    Report(Range<usize>),
    /// No answer; whether it is not a message at all.
    Dropped {
        is_unreadable: bool,
    },
}

/// Why a request has no answer from the tree.
pub(super) enum Refused {
    NotAdmitted(NotAdmitted),
    WrongBindings(WrongBindings),
}

/// The content of the bindings is not BER; it has been counted.
pub(super) struct WrongBindings;

impl Door {
    /// Answers on this thread, or returns that it would have to wait.
    pub fn answer_now<P: Probe>(
        &self,
        settings: &Settings,
        worker: &mut Worker<P>,
        message: &[u8],
        sender: Sender<'_>,
        arrived: Instant,
        buffer: &mut Vec<u8>,
    ) -> Outcome {
        let Worker { names, walker, decrypted, probe } = worker;
        probe.begin(Phase::Decode);
        let request = match self.receive(settings, message, sender, arrived, decrypted, buffer) {
            Received::Request(request) => request,
            Received::Report(range) => return Outcome::Reply(range),
            Received::Dropped { .. } => return Outcome::Silent,
        };
        if request.pdu.kind == PduKind::Set {
            return Outcome::Set(Box::new(request.to_owned_request()));
        }
        let access = match self.admit(settings, &request, names, probe) {
            Ok(Admission::Tree(access)) => access,
            Ok(Admission::Forwarded { .. }) => return Outcome::Load(Box::new(request.to_owned_request())),
            Err(Refused::WrongBindings(_)) => return Outcome::Silent,
            Err(Refused::NotAdmitted(why)) => return self.refuse(settings, &request, why, buffer).into(),
        };
        let mut retrieval = Retrieval::new(self, settings, &request, access, names, arrived, buffer, probe);
        walker.reset();
        match walker.advance(&settings.served().tree, &retrieval.query, &mut retrieval.sink) {
            Progress::Load(_) | Progress::Ask(_) => Outcome::Load(Box::new(request.to_owned_request())),
            progress => retrieval.finish(Ok(progress)).into(),
        }
    }

    /// The engine's part: an authenticated request, or what it returns instead.
    pub(super) fn receive<'m>(
        &'m self,
        settings: &'m Settings,
        message: &'m [u8],
        sender: Sender<'m>,
        arrived: Instant,
        decrypted: &'m mut Vec<u8>,
        buffer: &mut Vec<u8>,
    ) -> Received<'m> {
        let Sender { peer, over, max_message, may_be_forged } = sender;
        let lookup = |name: &[u8]| settings.core.community(name, peer);
        match self.engine().receive(message, decrypted, buffer, arrived, over, lookup, self.counters()) {
            Incoming::Request(mut request) => {
                request.max_size = request.max_size.min(max_message);
                if may_be_forged && request.level == SecurityLevel::NoAuthNoPriv {
                    request.max_size = request.max_size.min(settings.unproved_limit(message));
                }
                if let (TRANSPORT, Some(state)) = (request.security_model, over) {
                    // msgFlags give the minimum; access is decided by the session's level. Net-SNMP requests
                    // snmpEngineID at noAuthNoPriv whatever the level of the following requests (RFC 5343).
                    request.level = request.level.max(state.level());
                }
                Received::Request(request)
            }
            Incoming::Report { reply, reason } => {
                self.refused(&reason, peer);
                self.counters().out_pkts.add(1);
                Received::Report(reply)
            }
            Incoming::Drop(reason) => {
                self.refused(&reason, peer);
                Received::Dropped { is_unreadable: reason.is_unreadable() }
            }
            // An agent accepts no traps: its engine has refused it.
            Incoming::TrapV1(_) => Received::Dropped { is_unreadable: false },
        }
    }

    fn refused(&self, reason: &DropReason, peer: SocketAddr) {
        tracing::debug!(%peer, %reason, "no answer to a message");
        let failed = matches!(
            reason,
            DropReason::UnknownCommunity
                | DropReason::Usm(UsmFailure::UnknownUserName | UsmFailure::WrongDigest(_))
        );
        if failed {
            self.core.tell_failed_authentication(peer);
        }
    }

    /// The admission of a request, with its names if the tree is to answer it. Bindings that cannot be read are no
    /// request at all, whatever the policy says.
    #[inline]
    pub(super) fn admit<'s>(
        &self,
        settings: &'s Settings,
        request: &Request<'_>,
        names: &mut OidList,
        probe: &mut impl Probe,
    ) -> Result<Admission<'s>, Refused> {
        probe.begin(Phase::Access);
        let view = if request.pdu.kind == PduKind::Set { ViewType::Write } else { ViewType::Read };
        let admission = settings.core.admit(&caller(request), view);
        if matches!(admission, Ok(Admission::Tree(_)) | Err(NotAdmitted::Denied(_))) {
            probe.begin(Phase::Decode);
            request.pdu.names(names).map_err(|_| Refused::WrongBindings(self.wrong_bindings()))?;
        }
        admission.map_err(Refused::NotAdmitted)
    }

    pub(super) fn wrong_bindings(&self) -> WrongBindings {
        self.counters().in_asn_parse_errs.add(1);
        WrongBindings
    }

    /// The answer to a request that is not admitted (RFC 3413 section 3.2, RFC 3416 section 4.2.1).
    pub(super) fn refuse(
        &self,
        settings: &Settings,
        request: &Request<'_>,
        why: NotAdmitted,
        buffer: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        tracing::debug!(%why, "a request is not allowed");
        match why {
            NotAdmitted::UnknownEngine => self.report(request, ReportReason::UnknownPduHandlers, buffer),
            NotAdmitted::Denied(Denied::NoSuchContext) => {
                self.report(request, ReportReason::UnknownContexts, buffer)
            }
            NotAdmitted::Denied(_) => {
                if request.version != Version::V3 {
                    self.counters().in_bad_community_uses.add(1);
                }
                let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
                let ending = Ending::Error { status: ErrorStatus::AuthorizationError, index: 0 };
                finish(self.counters(), &request.pdu, writer, ending, 0)
            }
        }
    }

    fn report(
        &self,
        request: &Request<'_>,
        reason: ReportReason,
        buffer: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        let report = self.engine().report(request, reason, self.counters(), buffer);
        if report.is_some() {
            self.counters().out_pkts.add(1);
        }
        report
    }
}

impl From<Option<Range<usize>>> for Outcome {
    fn from(reply: Option<Range<usize>>) -> Self {
        reply.map_or(Outcome::Silent, Outcome::Reply)
    }
}

impl Settings {
    /// The most octets of the answer.
    pub(super) fn limit(&self, request: &Request<'_>) -> usize {
        self.limits.max_message_size.min(request.max_size)
    }

    /// The most octets of the answer to an unauthenticated message: a forged source address gains little.
    fn unproved_limit(&self, message: &[u8]) -> usize {
        self.limits.max_unproved_answer.max(message.len() + LARGER_ENVELOPE)
    }
}

/// By how many octets the envelope of an answer may be longer than that of its request: the numbers in it differ.
const LARGER_ENVELOPE: usize = 64;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trunkline_smi::Oid;
    use trunkline_snmp::wire::{Message, Pdu};

    use super::super::Answer;
    use super::*;
    use crate::assembly::Assembly;
    use trunkline_admin::Kept;
    use trunkline_config::Plan;

    /// An agent that is queried without sockets.
    struct Asked {
        agent: Assembly,
        runtime: tokio::runtime::Runtime,
    }

    impl Asked {
        fn new(plan: &Plan) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let kept = Arc::new(Kept::open(folder.path()).unwrap());
            let agent = Assembly::of(plan, folder.path(), kept, Instant::now(), None).unwrap();
            Asked {
                agent,
                runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            }
        }

        fn length(&self, version: Version, pdu: &Pdu, asked: [u8; 4]) -> (usize, Option<ErrorStatus>) {
            let message = Message { version, community: b"public".to_vec(), pdu: pdu.clone() };
            let peer = SocketAddr::from(([192, 0, 2, 66], 9));
            let sender = Sender::of_datagram(peer, asked.into());
            match self.runtime.block_on(self.agent.door.answer(&message.encode(), sender)) {
                Answer::Message(octets) => (octets.len(), Message::decode(&octets).unwrap().pdu.status()),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn unauthenticated_requests_from_beyond_loopback_get_short_answers() {
        let mut plan = Plan::default();
        plan.system.description = Some("d".repeat(250));
        let asked = Asked::new(&plan);
        let (outside, loopback) = ([192, 0, 2, 1], [127, 0, 0, 1]);
        let description = Oid::from([1, 3, 6, 1, 2, 1, 1, 1, 0]);
        let many = |count| Pdu::read(PduKind::Get, 1, &vec![description.clone(); count]);
        for version in [Version::V1, Version::V2c] {
            assert_eq!(asked.length(version, &many(6), loopback).1, Some(ErrorStatus::NoError));
            assert_eq!(asked.length(version, &many(6), outside).1, Some(ErrorStatus::TooBig));
            let (length, status) = asked.length(version, &many(5), outside);
            assert!(length <= 1472 && status == Some(ErrorStatus::NoError), "{length}");
        }
        let bulk = Pdu::bulk(1, 0, 20, &[Oid::from([1, 3, 6, 1, 2, 1, 1])]);
        let (length, _) = asked.length(Version::V2c, &bulk, outside);
        assert!(length <= 1472, "{length}");
        // As long as the request: 60 names that do not exist are longer than the limit.
        let none = vec![Oid::from([1, 3, 6, 1, 4, 1]).child(&[u32::MAX; 8]); 60];
        let (length, status) = asked.length(Version::V2c, &Pdu::read(PduKind::Get, 1, &none), outside);
        assert!(length > 1472 && status == Some(ErrorStatus::NoError), "{length} {status:?}");
    }
}
