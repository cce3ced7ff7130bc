//! UDP for servers: one socket, one thread, batches of datagrams.

mod batch;
pub mod control;
mod counters;
pub(crate) mod mmsg;
mod reply;

pub use batch::{BATCH, DatagramHandler, MAX_DATAGRAM, UdpBatch, UdpOptions, UdpStop};
pub use counters::{UdpCounters, UdpCounts};
pub use reply::{Datagram, Local, ReplyHandle, ReplySlot, ReplyTo};
