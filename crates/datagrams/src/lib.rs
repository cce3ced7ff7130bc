//! Batches of datagrams, for servers and clients: the system calls, without limits, counters or threads, which are
//! `transport`'s.
//!
//! [`mmsg`] receives and sends many datagrams in one system call; [`control`] reads and writes what the kernel says beside
//! each: the local address it was sent to, and when it arrived.

use std::net::{IpAddr, SocketAddr};

pub mod control;
pub mod mmsg;
mod network;

pub use network::network;

/// The local end at which a datagram arrived. Empty if the socket is bound to one address: then it is that
/// address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Local {
    /// The address that the request was sent to, which must be the source of the answer (RFC 3417 section 3).
    /// `None`: the bound one, or a multicast group, which cannot be a source.
    pub address: Option<IpAddr>,
    /// The index of the interface it arrived on; 0 if unknown.
    pub interface: u32,
}

/// The return address of a datagram, to keep for a later answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyTo {
    /// The sender.
    pub peer: SocketAddr,
    /// The address of ours that it was sent to.
    pub local: Local,
}
