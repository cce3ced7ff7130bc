//! Why agents cannot be asked.

use std::io;

use trunkline_snmp::usm::CredentialsError;
use trunkline_transport::TransportError;

/// Why agents cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PollError {
    /// There is nobody to ask.
    #[error("there are no agents to ask")]
    NoAgents,
    /// One socket has one address family.
    #[error("a shard has agents of IPv4 or of IPv6, not of both")]
    Families,
    /// The time between two requests to the same agent.
    #[error("the period must be longer than 0")]
    Period,
    /// More requests outstanding than request-ids can name.
    #[error("{found} requests may be outstanding in a shard, expected 1 to {most}")]
    Places {
        /// How many can be.
        most: usize,
        /// How many were wanted.
        found: usize,
    },
    /// A request that fits into no datagram.
    #[error("the request has {found} octets, expected at most {most}")]
    TooLong {
        /// How many it may have.
        most: usize,
        /// How many it has without what protects it.
        found: usize,
    },
    /// The user's name or keys.
    #[error(transparent)]
    User(#[from] CredentialsError),
    /// The thread that keeps the time of sessions.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The socket.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The socket, while it is used.
    #[error("cannot receive answers: {0}")]
    Socket(#[from] io::Error),
}
