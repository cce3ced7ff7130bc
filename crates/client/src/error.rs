//! What can go wrong between a request and its answer, by where the fault lies: the agent's message, the path, the
//! agent's own error, or our request.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use trunkline_smi::Oid;
use trunkline_snmp::engine::NotificationSendError;
use trunkline_snmp::role::manager::{EncodeError, ReportKind};
use trunkline_snmp::role::originator::TranslationError;
use trunkline_snmp::usm::{CredentialsError, EngineIdError};
use trunkline_snmp::wire::{Compression, ErrorStatus, PduKind, Version};
use trunkline_snmp::{DecodeError, FrameError, SecurityLevel};
#[cfg(feature = "http")]
use trunkline_soap::answer::AnswerError;
#[cfg(feature = "http")]
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::TransportError;
#[cfg(feature = "http")]
use trunkline_transport::http::InflateError;
#[cfg(feature = "http")]
use trunkline_transport::http::client::HttpLinkError;
#[cfg(feature = "tls")]
use trunkline_transport::tls::{CredentialError, TlsFault};

#[cfg(feature = "netconf")]
use crate::netconf::NetconfFault;
use crate::target::TargetError;

/// Why there is no (usable) answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The target cannot be parsed.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Our environment: no such host, no route, no connection.
    #[error(transparent)]
    Transport(Arc<TransportError>),
    /// No answer arrived.
    #[error("no answer after {} in {waited:.1?}{}", attempts_words(*.attempts), ignored_words(*.ignored))]
    Timeout {
        /// How many times the request was sent.
        attempts: u32,
        /// The total wait.
        waited: Duration,
        /// Messages that arrived on this session meanwhile but answered nothing: malformed, of another version or
        /// community, or too late.
        ignored: u64,
    },
    /// The agent's host reports a closed port (ICMP port unreachable).
    #[error("the port is closed (after {})", attempts_words(*.attempts))]
    Unreachable {
        /// How many times the request was sent.
        attempts: u32,
    },
    /// Every attempt failed, the last one with this error.
    #[error("{last} (after {})", attempts_words(*.attempts))]
    GivenUp {
        /// How many attempts there were.
        attempts: u32,
        /// How the last attempt failed.
        last: Box<Error>,
    },
    /// The connection broke during the request. Whether the agent acted on it is unknown.
    #[error("the agent closed the connection before it answered{}", kind_words(*.kind))]
    ConnectionLost {
        /// How it broke; `None` for an orderly close, `UnexpectedEof` for one in the middle of a message.
        kind: Option<io::ErrorKind>,
    },
    /// The connection broke during a Set, which is not repeated.
    #[error(
        "the connection broke before the answer came: whether the agent has done what was set is not known{}",
        kind_words(*.kind)
    )]
    OutcomeUnknown {
        /// How it broke; `None` for an orderly close.
        kind: Option<io::ErrorKind>,
    },
    /// The agent's octets are not a message; on a stream that ends the connection.
    #[error("the agent's stream holds no SNMP message: {0}")]
    Framing(FrameError),
    /// The agent sends message after message and none of them answers a request; that ends the connection.
    #[error("the agent sent {count} messages in a row that answer no request")]
    OnlyStrays {
        /// How many.
        count: usize,
    },
    /// The agent's answer cannot be decoded.
    #[error("the agent's answer is malformed: {0}")]
    Malformed(DecodeError),
    /// The answer is longer than we accept.
    #[error("the agent's answer has {found} octets, {limit} are accepted")]
    AnswerTooLong {
        /// Its length in octets.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The answer has the wrong number of bindings.
    #[error("the agent answered {found} bindings where {expected} belong")]
    BindingCount {
        /// As in the request; for GetBulk the maximum.
        expected: usize,
        /// In the answer.
        found: usize,
    },
    /// The answer to a Get or Set names another instance than the request.
    #[error("the agent answered {found} at position {position} where {expected} was requested")]
    WrongName {
        /// Position in the list, counted from 1.
        position: usize,
        /// The requested name.
        expected: Oid,
        /// The name in the answer.
        found: Oid,
    },
    /// The agent's names do not increase: it loops.
    #[error("the agent loops: after {previous} it answered {found}, which is not greater")]
    NotIncreasing {
        /// The previous name.
        previous: Oid,
        /// The name that came next.
        found: Oid,
    },
    /// The agent returns more of a table than the limit allows.
    #[error(
        "the table has more than {rows} rows or takes more than {} MiB of memory here: the agent went on after {}",
        octets.div_ceil(1 << 20),
        read_words(*read_rows, *read_values)
    )]
    TableTooLong {
        /// Limit of rows.
        rows: usize,
        /// Limit of octets.
        octets: usize,
        /// Rows that were read; 0 if it is not known yet what a row is.
        read_rows: usize,
        /// Values that were read.
        read_values: usize,
    },
    /// The agent answered with an error where a result was needed.
    #[error("the agent answered {}{}", status_name(*.status), about(.name.as_ref()))]
    Status {
        /// error-status.
        status: i32,
        /// error-index, counted from 1.
        index: i32,
        /// The name at that index of the request.
        name: Option<Oid>,
    },
    /// This version of SNMP does not have the operation.
    #[error("{} does not exist in SNMP{}", .kind.name(), .version.name())]
    NotInVersion {
        /// The operation.
        kind: PduKind,
        /// The version.
        version: Version,
    },
    /// Compression exists in SNMPv1 and SNMPv2c only.
    #[error("{how} compression is not spoken in SNMPv3: ask with version 2c or 1, or without compression")]
    CompressedV3 {
        /// The requested compression.
        how: Compression,
    },
    /// The request is longer than the transport can carry.
    #[error("the request has {found} octets, {limit} can be sent")]
    RequestTooLong {
        /// Its length in octets.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// A secure session ended with a TLS fault: a TLS 1.3 server that refuses our certificate reports it only
    /// after our first request.
    #[cfg(feature = "tls")]
    #[error("the session has ended: {0}")]
    Tls(Arc<TlsFault>),
    /// Certificate, key and authorities do not fit together.
    #[cfg(feature = "tls")]
    #[error(transparent)]
    Credential(Arc<CredentialError>),
    /// The connection protects less than requested.
    #[error("the connection provides {}, but {} is requested", .found.name(), .wanted.name())]
    Protection {
        /// The requested level.
        wanted: SecurityLevel,
        /// The connection's level.
        found: SecurityLevel,
    },
    /// The agent, or a capable forger, reported why it does not answer (SNMPv3).
    #[error("the agent reports {}: {report}", .report.name())]
    Report {
        /// What it reported.
        report: ReportKind,
    },
    /// The user's keys cannot be made.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// The request cannot be encoded for this user.
    #[error(transparent)]
    Encode(EncodeError),
    /// SNMPv1 cannot express the notification.
    #[error(transparent)]
    Translation(#[from] TranslationError),
    /// Our own engine cannot send it.
    #[error(transparent)]
    NotificationSend(#[from] NotificationSendError),
    /// The sender of an SNMPv3 trap is authoritative for it, so it needs an engine of its own.
    #[error("a trap of SNMPv3 needs an engine of our own")]
    NoEngine,
    /// The agent does not report its engine ID.
    #[error("the agent does not tell its engine ID")]
    NoEngineId,
    /// The agent's engine ID is invalid.
    #[error("the agent's engine ID is none: {0}")]
    EngineId(#[from] EngineIdError),
    /// HTTP did not deliver the answer.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Http(Arc<HttpLinkError>),
    /// HTTP delivered something other than SOAP.
    #[error("the server answers with status {status}{}", words_behind(.words))]
    HttpStatus {
        /// The status (RFC 9110 section 15).
        status: u16,
        /// The server's explanation, or empty.
        words: String,
    },
    /// The agent's fault (SOAP): it did not carry out the request, and says why.
    #[cfg(feature = "http")]
    #[error("the agent answers {}: {fault}", fault.kind.word())]
    Fault {
        /// The fault: its kind, its text, and what it is about.
        fault: Box<Fault>,
    },
    /// The agent's answer (SOAP) cannot be read.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Answer(AnswerError),
    /// NETCONF did not deliver what was requested, and why.
    #[cfg(feature = "netconf")]
    #[error(transparent)]
    Netconf(Arc<NetconfFault>),
    /// A Set over SOAP without a value.
    #[error("{name} has no value: SOAP cannot set nothing")]
    Unspecified {
        /// The name without a value.
        name: Oid,
    },
    /// A table or group that no built-in module defines, so SOAP has no operation for it.
    #[error("no module that is known here has {name}: by SOAP it can be read with get, next and walk")]
    NotInSchema {
        /// Its name.
        name: String,
    },
    /// What is wrong in a session of a protocol that this crate does not have.
    #[error(transparent)]
    OtherProtocol(Arc<dyn std::error::Error + Send + Sync>),
    /// The same, if the answer is longer than we accept.
    #[error(transparent)]
    OtherProtocolTooLong(Arc<dyn std::error::Error + Send + Sync>),
    /// The session's task is gone: its runtime was shut down.
    #[error("the session is closed")]
    SessionClosed,
}

#[cfg(feature = "http")]
impl From<AnswerError> for Error {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Fault(fault) => Self::Fault { fault: Box::new(fault) },
            other => Self::Answer(other),
        }
    }
}

#[cfg(feature = "netconf")]
impl From<NetconfFault> for Error {
    fn from(fault: NetconfFault) -> Self {
        Self::Netconf(Arc::new(fault))
    }
}

#[cfg(feature = "netconf")]
impl From<trunkline_netconf::objects::DataError> for Error {
    fn from(fault: trunkline_netconf::objects::DataError) -> Self {
        NetconfFault::from(fault).into()
    }
}

#[cfg(feature = "tls")]
impl From<CredentialError> for Error {
    fn from(error: CredentialError) -> Self {
        Self::Credential(Arc::new(error))
    }
}

impl Error {
    /// The position of the name that the agent refused with this error-status, among this many names, counted from
    /// 0.
    #[must_use]
    pub fn position(&self, expected: ErrorStatus, names: usize) -> Option<usize> {
        match self {
            Error::Status { status, index, .. } if *status == expected.code() => {
                position_of(*index).filter(|at| *at < names)
            }
            _ => None,
        }
    }

    /// Whether there is more than one answer can have, or than is accepted: smaller requests may have answers.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        match self {
            Error::AnswerTooLong { .. } | Error::TableTooLong { .. } | Error::OtherProtocolTooLong(_) => true,
            #[cfg(feature = "http")]
            Error::Fault { fault } => fault.kind == FaultKind::TooBig,
            #[cfg(feature = "http")]
            Error::Http(fault) => matches!(
                **fault,
                HttpLinkError::TooLong { .. } | HttpLinkError::Inflate(InflateError::TooLong { .. })
            ),
            #[cfg(feature = "netconf")]
            Error::Netconf(fault) => fault.is_too_long(),
            _ => false,
        }
    }
}

/// An error-index, which is counted from 1, as a position; `None` if it refers to no binding.
pub(crate) fn position_of(index: i32) -> Option<usize> {
    usize::try_from(index).ok()?.checked_sub(1)
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Self::Transport(Arc::new(error))
    }
}

impl Error {
    /// What a stream's error means for its connection.
    pub(crate) fn of_stream(error: io::Error) -> Self {
        let kind = Some(error.kind());
        #[cfg(feature = "tls")]
        if let Some(Ok(fault)) = error.into_inner().map(|inner| inner.downcast::<TlsFault>()) {
            return Self::Tls(Arc::from(fault));
        }
        Self::ConnectionLost { kind }
    }

    /// The same for a request that was given up after this many attempts, the last of which failed with this
    /// error.
    pub(crate) fn after(&self, attempts: u32) -> Self {
        match self {
            Self::Unreachable { .. } => Self::Unreachable { attempts },
            other => Self::GivenUp { attempts, last: Box::new(other.clone()) },
        }
    }

    /// The underlying error, however many attempts there were.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::GivenUp { last, .. } => last,
            other => other,
        }
    }

    /// Whether one end refuses the other's identity: a certificate, a host key, a user of SSH. The next attempt would end
    /// in the same way (docs/decisions/0034).
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self.cause() {
            Self::Transport(error) => error.is_refusal(),
            #[cfg(feature = "tls")]
            Self::Tls(fault) => fault.is_refusal(),
            _ => false,
        }
    }

    /// Whether trying again later may help: the agent or the path was silent.
    #[must_use]
    pub fn is_silence(&self) -> bool {
        matches!(
            self.cause(),
            Self::Timeout { .. }
                | Self::Unreachable { .. }
                | Self::ConnectionLost { .. }
                | Self::OutcomeUnknown { .. }
        )
    }
}

fn read_words(rows: usize, values: usize) -> String {
    if rows == 0 { format!("{values} values") } else { format!("{rows} rows with {values} values") }
}

fn attempts_words(attempts: u32) -> String {
    if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") }
}

fn ignored_words(ignored: u64) -> String {
    if ignored == 0 { String::new() } else { format!(" ({ignored} messages came that answer nothing)") }
}

fn words_behind(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

fn kind_words(kind: Option<io::ErrorKind>) -> String {
    match kind {
        None => String::new(),
        Some(io::ErrorKind::UnexpectedEof) => " (its answer was cut)".to_owned(),
        Some(kind) => format!(" ({kind})"),
    }
}

fn status_name(status: i32) -> String {
    ErrorStatus::from_code(status)
        .map_or_else(|| format!("error {status}"), |status| status.name().to_owned())
}

fn about(name: Option<&Oid>) -> String {
    name.map_or_else(String::new, |name| format!(" for {name}"))
}
