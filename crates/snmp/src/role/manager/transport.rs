//! The manager's side of SNMPv3 with the Transport Security Model: the session has authenticated both ends, so
//! there are no keys and no clocks; the only thing to discover is the context engine ID (RFC 5591, RFC 5343).
//!
//! ```text
//! need: Engine --discovery--> learn --> Nothing --encode--> octets
//!                                          ^                  |
//!                                          +---- receive <----+
//! ```
//! Which message answers which is the caller's to know, by msgID and
//! request-id; so are time-outs, and that the session gives the level.

use trunkline_smi::{Oid, Value};

use super::{EncodeError, Need, Report, Stray, encoded, is_confirmed};
use crate::SecurityLevel;
use crate::usm::EngineId;
use crate::wire::{
    Bound, ErrorStatus, MIN_MAX_MESSAGE_SIZE, MsgData, Pdu, PduKind, PduRef, TSM, V3Header, V3MessageRef,
    V3Security,
};

/// The context of requests over a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportAsker {
    /// The level of messages, which answers must have too; the session's, or a lower one.
    pub level: SecurityLevel,
    /// contextName.
    pub context_name: Vec<u8>,
    /// contextEngineID. If it is not set, it is discovered once per session; with [`EngineId::LOCAL`] it need not
    /// be known.
    pub context_engine_id: Option<EngineId>,
}

/// A conversation over one session.
#[derive(Clone, Debug)]
pub struct TransportManager {
    asker: TransportAsker,
    max_size: usize,
    /// The result of discovery.
    learnt: Option<EngineId>,
}

/// A message that may answer something.
#[derive(Debug)]
pub struct TransportReceived<'m> {
    /// msgID.
    pub message_id: i32,
    /// What it is. The session makes it authentic, Reports too.
    pub what: TransportAnswer<'m>,
}

/// What answers.
#[derive(Debug)]
pub enum TransportAnswer<'m> {
    /// A Response with the level and context of the request.
    Response(PduRef<'m>),
    /// The answer to a discovery: for [`TransportManager::learn`], if this request-id was the discovery's.
    Engine {
        /// request-id.
        request_id: i32,
        /// snmpEngineID; `None` if the engine does not return it, for example because of access control.
        engine_id: Option<EngineId>,
    },
    /// A Report, of whatever level.
    Report(Report),
}

impl TransportManager {
    /// A conversation that has not started. `max_size` is how many octets answers may have, 484 or more.
    #[must_use]
    pub fn new(asker: TransportAsker, max_size: usize) -> Self {
        TransportManager { asker, max_size: max_size.max(MIN_MAX_MESSAGE_SIZE), learnt: None }
    }

    /// The context engine of the requests.
    #[must_use]
    pub fn asker(&self) -> &TransportAsker {
        &self.asker
    }

    /// contextEngineID of requests, if it is known.
    #[must_use]
    pub fn context_engine_id(&self) -> Option<&EngineId> {
        self.asker.context_engine_id.as_ref().or(self.learnt.as_ref())
    }

    /// What must be done before a request can be encoded: [`Need::Engine`] or [`Need::Nothing`].
    #[must_use]
    pub fn need(&self) -> Need {
        if self.context_engine_id().is_some() { Need::Nothing } else { Need::Engine }
    }

    /// A message whose answer carries the engine's ID: snmpEngineID.0 of the receiver (RFC 5343 section 3.2).
    ///
    /// # Errors
    /// None: it is short.
    pub fn encode_discovery(&self, message_id: i32, request_id: i32) -> Result<Vec<u8>, EncodeError> {
        let pdu = Pdu::read(PduKind::Get, request_id, [&Oid::from(SNMP_ENGINE_ID)]);
        self.message(&pdu, message_id, &EngineId::LOCAL, &[])
    }

    /// Processes the answer to a discovery. An engine that does not return its ID is addressed as
    /// [`EngineId::LOCAL`] from now on. Returns false, and changes nothing, if it is known already.
    pub fn learn(&mut self, engine_id: Option<EngineId>) -> bool {
        if self.context_engine_id().is_some() {
            return false;
        }
        self.learnt = Some(engine_id.unwrap_or(EngineId::LOCAL));
        true
    }

    /// Restarts the discovery, for example in another session, which may end at another engine.
    pub fn forget_engine(&mut self) {
        self.learnt = None;
    }

    /// The octets of a message with this PDU. Each transmission has a new msgID (RFC 3412 section 6.2).
    ///
    /// # Errors
    /// [`EncodeError::NotReady`] where [`TransportManager::need`] has an answer.
    pub fn encode(&self, pdu: &Pdu, message_id: i32) -> Result<Vec<u8>, EncodeError> {
        let context = self.context_engine_id().ok_or(EncodeError::NotReady)?;
        self.message(pdu, message_id, context, &self.asker.context_name)
    }

    fn message(
        &self,
        pdu: &Pdu,
        message_id: i32,
        context_engine_id: &EngineId,
        context_name: &[u8],
    ) -> Result<Vec<u8>, EncodeError> {
        let header = V3Header {
            message_id,
            max_size: self.max_size,
            reportable: is_confirmed(pdu.kind),
            security: V3Security::Transport(self.asker.level),
            context_engine_id: context_engine_id.as_bytes(),
            context_name,
        };
        encoded(&header, pdu)
    }

    /// Receives a message of the session, and its contents (RFC 3412 section 7.2, RFC 5591 section 5.2).
    ///
    /// # Errors
    /// [`Stray`]: it answers nothing.
    pub fn receive<'m>(&self, octets: &'m [u8]) -> Result<TransportReceived<'m>, Stray> {
        let message = V3MessageRef::decode(octets)?;
        if message.security_model != TSM {
            return Err(Stray::SecurityModel { expected: TSM, found: message.security_model });
        }
        let found = message.flags.level().ok_or(Stray::Flags)?;
        if !message.security_parameters().is_empty() {
            return Err(Stray::Parameters { found: message.security_parameters().len() });
        }
        let MsgData::Plain(scoped) = message.data else { return Err(Stray::Data) };
        let kind = scoped.pdu.kind;
        let what = match kind {
            PduKind::Report => {
                let report = Report::read(&scoped.pdu).ok_or(Stray::NotAnAnswer { found: kind })?;
                TransportAnswer::Report(report)
            }
            PduKind::Response => {
                let expected = self.asker.level;
                if found != expected {
                    return Err(Stray::Level { expected, found });
                }
                match self.context_engine_id() {
                    None => TransportAnswer::Engine {
                        request_id: scoped.pdu.request_id,
                        engine_id: told_engine(&scoped.pdu),
                    },
                    Some(asked) => {
                        // The receiver may return its own ID.
                        let is_ours =
                            *asked == EngineId::LOCAL || scoped.context_engine_id == asked.as_bytes();
                        if !is_ours || scoped.context_name != self.asker.context_name {
                            return Err(Stray::Context);
                        }
                        TransportAnswer::Response(scoped.pdu)
                    }
                }
            }
            _ => return Err(Stray::NotAnAnswer { found: kind }),
        };
        Ok(TransportReceived { message_id: message.message_id, what })
    }
}

/// The contents of the answer to a discovery.
fn told_engine(pdu: &PduRef<'_>) -> Option<EngineId> {
    if ErrorStatus::from_code(pdu.error_status) != Some(ErrorStatus::NoError) {
        return None;
    }
    let first = pdu.bindings().next()?.ok()?;
    match first.value.to_bound() {
        Bound::Value(Value::OctetString(octets)) if *first.name.to_oid() == SNMP_ENGINE_ID => {
            EngineId::new(&octets).ok()
        }
        _ => None,
    }
}

/// snmpEngineID.0 (RFC 3411, SNMP-FRAMEWORK-MIB).
const SNMP_ENGINE_ID: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];
