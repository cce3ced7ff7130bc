//! What is wrong in a NETCONF session beyond its transport.

use std::path::PathBuf;

use thiserror::Error;
use trunkline_netconf::compression::CompressionError;
use trunkline_netconf::error::{RpcError, Tag};
use trunkline_netconf::framing::FramingError;
use trunkline_netconf::hello::HelloError;
use trunkline_netconf::needs::Missing;
use trunkline_netconf::objects::DataError;
use trunkline_netconf::path::{UnknownNode, UnknownPrefix};
use trunkline_netconf::reply::ReplyError;

use super::protect::ProtectFault;

/// Why there is no (usable) reply of NETCONF.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NetconfFault {
    /// The session could not begin.
    #[error("the NETCONF session cannot begin: {0}")]
    Hello(#[from] HelloError),
    /// Where a message ends cannot be known any more; that ends the session.
    #[error("the agent's stream holds no NETCONF message: {0}")]
    Framing(#[from] FramingError),
    /// A message whose compression cannot be undone, or we cannot compress.
    #[error("the agent's message cannot be used: {0}")]
    Compression(#[from] CompressionError),
    /// A message is not protected as it must be.
    #[error("{0}")]
    Protection(#[from] ProtectFault),
    /// A message that is not a reply.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// The reply's data cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The reply belongs to another request.
    #[error("the agent answers request \"{found}\" where \"{expected}\" was sent")]
    AnotherRequest {
        /// What was sent.
        expected: String,
        /// `message-id` of the reply.
        found: String,
    },
    /// Notifications that nobody has subscribed to, and no reply; that ends the session.
    #[error("the agent sent {count} notifications in a row and no reply")]
    OnlyNotifications {
        /// How many.
        count: usize,
    },
    /// The agent's errors: it did not carry out the request, and says why.
    #[error("the agent refuses: {}", words(.0))]
    Refused(Vec<RpcError>),
    /// The agent's hello does not list the module that has the object.
    #[error(
        "the agent does not announce the module {module} (RFC 6643), so objects of that MIB cannot be requested by NETCONF"
    )]
    NoModule {
        /// The module.
        module: String,
    },
    /// No built-in module defines the object, so its path in YANG is not known.
    #[error("no module that is known here has {name}: NETCONF needs its path in YANG")]
    NoObject {
        /// Its name.
        name: String,
    },
    /// A prefix of a path or of an expression that the server does not have.
    #[error(transparent)]
    Prefix(#[from] UnknownPrefix),
    /// A name of a path that the server's schema does not have.
    #[error(transparent)]
    UnknownNode(#[from] UnknownNode),
    /// A capability that the server does not announce.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// What was written needs XPath, which the server does not have.
    #[error(
        "the server does not announce :xpath (RFC 6241 section 8.9), so data is selected by a path: {reason}"
    )]
    NoXPath {
        /// Why it is more than a path.
        reason: String,
    },
    /// An event of a stream of RESTCONF that is too long.
    #[error(transparent)]
    Event(#[from] trunkline_netconf::over_http::events::TooLong),
    /// A server of RESTCONF that does not answer in XML.
    #[error(
        "the server answers in `{found}` where application/yang-data+xml was requested, and only XML is read here"
    )]
    NotXml {
        /// Its media type.
        found: String,
    },
    /// A session that another process was to lend.
    #[error("the session that is lent at {} cannot be used: {fault}", path.display())]
    Lent {
        /// Its socket.
        path: PathBuf,
        /// Why.
        fault: String,
    },
    /// The holder of a session that is lent had no reply.
    #[error("the holder of the session says: {words}")]
    Holder {
        /// Its words.
        words: String,
    },
    /// A Set of objects of MIB modules.
    #[error(
        "objects of MIB modules are read-only over NETCONF (RFC 6643 section 11): use SNMP or SOAP to set them"
    )]
    ReadOnly,
}

impl NetconfFault {
    /// Whether a reply is longer than is accepted, or than the agent can make one.
    pub(crate) fn is_too_long(&self) -> bool {
        match self {
            NetconfFault::Framing(fault) => matches!(fault, FramingError::TooLong { .. }),
            NetconfFault::Refused(errors) => errors.iter().any(|error| error.tag == Tag::TooBig),
            _ => false,
        }
    }
}

fn words(errors: &[RpcError]) -> String {
    errors.iter().map(RpcError::to_string).collect::<Vec<_>>().join("; ")
}
