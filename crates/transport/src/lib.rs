//! The only crate with sockets. It moves octets between us and a peer, under limits, and knows none of the
//! protocols inside.
//!
//! Servers: [`udp`] receives and answers datagrams in batches on a separate thread, [`tcp`] keeps connections on
//! the async runtime, [`http`] answers requests. Clients: [`dial`], [`http::client`]. Anything beyond plain
//! sockets is behind features, which only add: `tls`, `dtls`, `ssh` and `http` (HTTP and HTTPS). [`memory`] is an
//! in-memory link for tests, with faults. [`talk`] is one stream under limits, for protocols with their own order. [`echo`] and [`load`] are the two ends of a benchmark. [`trace`] shows
//! each message to an observer.

#![cfg_attr(
    not(all(feature = "dtls", feature = "http", feature = "ssh")),
    allow(dead_code, reason = "what several transports share may be idle where some are left out")
)]

mod closing;
mod counters;
mod descriptors;
pub mod dial;
#[cfg(feature = "dtls")]
pub mod dtls;
pub mod echo;
mod ending;
mod error;
pub mod files;
mod handshake;
#[cfg(feature = "http")]
pub mod http;
mod listen;
pub mod load;
#[cfg(feature = "ssh")]
pub mod local;
mod log_limit;
pub mod memory;
mod protocol;
mod register;
mod resources;
mod service;
mod session;
#[cfg(feature = "ssh")]
pub mod ssh;
mod stream;
pub mod talk;
pub mod tcp;
#[cfg(feature = "tls")]
pub mod tls;
pub mod trace;
pub mod udp;
mod url;

pub use closing::Closing;
pub use descriptors::{TooFewDescriptors, ensure_descriptors};
pub use error::TransportError;
pub use listen::{ListenUrl, ListenUrlError, Transport};
pub use log_limit::LogLimit;
pub use protocol::{NETCONF_SUBSYSTEM, Protocol, SNMP_SUBSYSTEM};
pub use resources::{Budget, DEFAULT_WAITING, Resources};
pub use service::{Guest, StreamService, Subsystems, Visit};
pub use session::{Proof, Protection, Refused, Reply, SessionHandler, SessionInfo};
pub use trunkline_datagrams::network;
pub use url::{Authority, AuthorityError, Url, is_ipv6};
