//! UDP in batches: servers with one socket and one thread each, and clients with one socket for many peers.

mod batch;
mod client;
mod counters;
mod reply;

pub use batch::{BATCH, DatagramHandler, MAX_DATAGRAM, UdpBatch, UdpDrops, UdpOptions, UdpStop};
pub use client::{Arrived, UdpClient, UdpClientOptions};
pub use counters::{UdpCounters, UdpCounts};
pub use reply::{Datagram, Local, ReplyHandle, ReplySlot, ReplyTo};
