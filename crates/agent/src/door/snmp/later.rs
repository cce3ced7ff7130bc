//! The dispatcher's other path: requests that must wait, on the runtime, for loads, regions, sets and the answers of
//! other agents.

use std::ops::Range;
use std::time::Instant;

use trunkline_smi::OidList;
use trunkline_snmp::engine::{OwnedRequest, Request};
use trunkline_snmp::role::responder;
use trunkline_snmp::wire::{ErrorStatus, PduKind, ResponseWriter};
use trunkline_tree::Walker;

use super::command_responder::{Ending, Retrieval, finish, set};
use super::dispatcher::{Received, Refused, WrongBindings};
use super::probe::{InSession, Phase};
use super::proxy_forwarder::forward;
use super::{Door, Sender, Settings};
use trunkline_core::Admission;

/// What became of a message in the end.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// These octets are to be sent.
    Message(Vec<u8>),
    /// So are these, but they answer nothing that the client may know: a Report before any authentication.
    Report(Vec<u8>),
    /// There is no answer.
    Silence,
    /// It is not a message, and there is no answer: if it came in a stream, the stream cannot be trusted to
    /// contain another (RFC 3430 section 2.1).
    Unreadable,
}

/// Answers a message from the beginning.
pub(super) async fn answer(
    door: &Door,
    settings: &Settings,
    message: &[u8],
    sender: Sender<'_>,
    arrived: Instant,
) -> Answer {
    let (mut decrypted, mut buffer) = (Vec::new(), Vec::new());
    match door.receive(settings, message, sender, arrived, &mut decrypted, &mut buffer) {
        Received::Request(request) => {
            let answered = respond(door, settings, &request, arrived, &mut buffer).await;
            cut(buffer, answered)
        }
        Received::Report(range) => Answer::Report(only(buffer, range)),
        Received::Dropped { is_unreadable: true } => Answer::Unreadable,
        Received::Dropped { is_unreadable: false } => Answer::Silence,
    }
}

impl Door {
    /// Answers a request that [`Door::answer_now`] could not wait for.
    pub async fn respond(&self, request: &OwnedRequest, arrived: Instant) -> Answer {
        let settings = self.settings();
        let mut buffer = Vec::with_capacity(MOSTLY);
        let request = request.request(self.engine());
        let answered = respond(self, &settings, &request, arrived, &mut buffer).await;
        self.core.phases().begin(Phase::Wait);
        cut(buffer, answered)
    }
}

/// Octets of an answer, mostly at most: what Ethernet carries.
const MOSTLY: usize = 1500;

/// The octets of the buffer that are the answer, if there is one.
type Answered = Result<Option<Range<usize>>, WrongBindings>;

fn cut(buffer: Vec<u8>, answered: Answered) -> Answer {
    match answered {
        Ok(Some(range)) => Answer::Message(only(buffer, range)),
        Ok(None) => Answer::Silence,
        Err(WrongBindings) => Answer::Unreadable,
    }
}

fn only(mut buffer: Vec<u8>, range: Range<usize>) -> Vec<u8> {
    buffer.truncate(range.end);
    buffer.drain(..range.start);
    buffer
}

async fn respond(
    door: &Door,
    settings: &Settings,
    request: &Request<'_>,
    arrived: Instant,
    buffer: &mut Vec<u8>,
) -> Answered {
    let (mut names, mut probe) = (OidList::new(), InSession::of(&door.core));
    let access = match door.admit(settings, request, &mut names, &mut probe) {
        Ok(Admission::Tree(access)) => access,
        Ok(Admission::Forwarded { proxy, access }) => {
            return forward(door, settings, proxy, access, request, buffer).await;
        }
        Err(Refused::WrongBindings(wrong)) => return Err(wrong),
        Err(Refused::NotAdmitted(why)) => return Ok(door.refuse(settings, request, why, buffer)),
    };
    if request.pdu.kind == PduKind::Set {
        let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
        let ending = match responder::may_try_set(&request.pdu, &writer) {
            true => set(door, settings, access, request).await,
            false => Ending::Error { status: ErrorStatus::TooBig, index: 0 },
        };
        return Ok(finish(door.counters(), &request.pdu, writer, ending, names.len()));
    }
    let mut retrieval = Retrieval::new(door, settings, request, access, &names, arrived, buffer, &mut probe);
    let mut walker = Walker::new();
    let served = settings.served();
    let progress = served.retrieve(&mut walker, &retrieval.query, &mut retrieval.sink).await;
    Ok(retrieval.finish(progress.map_err(|_| walker.binding())))
}
