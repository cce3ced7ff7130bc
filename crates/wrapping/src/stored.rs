//! What is particular to messages without a session: what they cannot ask, and what the log and their user have of them.

use std::net::SocketAddr;

use trunkline_commit::NotAccepted;
use trunkline_commit::audit::Carried;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::operation::Operation;
use trunkline_netconf::rpc::Rpc;
use trunkline_tree::policy::OwnedActing;
use trunkline_xmlsec::{KeyName, ReplayError};

/// A message as the log names it. `relay`: the session that it came in, and where that comes from.
pub fn carried(
    name: &KeyName,
    acting: Option<&OwnedActing>,
    number: u64,
    relay: (u32, SocketAddr),
) -> Carried {
    Carried {
        user: name.user().to_string(),
        role: acting.map(|acting| String::from_utf8_lossy(&acting.role).into_owned()),
        key: name.to_string(),
        number,
        relay: relay.0,
        peer: relay.1,
    }
}

/// Why a message without a session cannot have its operation carried out, if it cannot.
pub fn needs_session(rpc: &Rpc) -> Option<RpcError> {
    let operation = rpc.operation();
    let why = Operation::read(operation).ok()?.needs_session(operation.name())?;
    Some(RpcError::new(Layer::Protocol, Tag::OperationNotSupported, why))
}

/// What the user of a message is answered that is not accepted.
pub fn not_accepted(why: &NotAccepted) -> RpcError {
    match why {
        NotAccepted::Replay(error @ ReplayError::Full { .. }) => {
            RpcError::new(Layer::Rpc, Tag::ResourceDenied, error.to_string())
        }
        NotAccepted::Replay(error @ ReplayError::Expired { .. }) => {
            let words = format!("{error}; whether it was accepted before that is not known any more");
            RpcError::new(Layer::Rpc, Tag::AccessDenied, words)
        }
        NotAccepted::Replay(error) => RpcError::new(Layer::Rpc, Tag::AccessDenied, error.to_string()),
        NotAccepted::Unkept(_) | NotAccepted::Ending => {
            let words = "the number of the message cannot be kept, so nothing is done: send it again later";
            RpcError::new(Layer::Rpc, Tag::ResourceDenied, words)
        }
    }
}
