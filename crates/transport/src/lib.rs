//! The only room with sockets. It moves octets between us and a peer, under
//! limits, and knows none of the protocols that the octets are in.
//!
//! Servers: [`udp`] receives and answers datagrams in batches on a thread of its
//! own, [`tcp`] keeps connections on the async runtime, [`http`] answers requests. Clients: [`dial`], [`http::client`].
//! [`memory`] is a wire without sockets for tests, with faults. [`echo`] and
//! [`load`] are the two ends of a benchmark. [`trace`] shows each message to
//! whoever wants to see it.

mod closing;
mod counters;
pub mod dial;
pub mod dtls;
pub mod echo;
mod error;
pub mod files;
mod handshake;
pub mod http;
mod listen;
pub mod load;
pub mod local;
mod log_limit;
pub mod memory;
mod network;
pub mod password;
mod protocol;
mod register;
mod resources;
mod service;
mod session;
pub mod ssh;
pub mod tcp;
pub mod tls;
pub mod trace;
pub mod udp;
mod url;

pub use closing::Closing;
pub use error::TransportError;
pub use listen::{ListenUrl, ListenUrlError, Transport};
pub use log_limit::LogLimit;
pub use network::network;
pub use protocol::Protocol;
pub use resources::{Budget, DEFAULT_WAITING, Resources};
pub use service::{Guest, StreamService, Subsystems, Visit};
pub use session::{Proof, Protection, Refused, Reply, SessionHandler, SessionInfo};
pub use url::{Authority, AuthorityError, Url, is_ipv6};
