//! The wire protocol of RMI (RMI specification, chapter 10) on one connection: the handshake, calls and returns, pings and
//! acknowledgements; and what every server has beside its objects: references, stubs, leases.

mod client;
mod ids;
mod message;
mod reference;
mod server;

pub use client::{Client, Outcome, Return};
pub use ids::{Endpoint, Lease, ObjId, Uid, Vmid};
pub use message::{Argument, Header, Kind, Signature};
pub use reference::{Reference, Stub, StubKind};
pub use server::{Call, Event, Server, reply};

/// The octets that begin messages and protocols.
mod octet {
    pub const MAGIC: [u8; 4] = *b"JRMI";
    pub const VERSION: [u8; 2] = [0, 2];
    pub const STREAM: u8 = 0x4b;
    pub const ACK: u8 = 0x4e;
    pub const NOT_SUPPORTED: u8 = 0x4f;
    pub const CALL: u8 = 0x50;
    pub const RETURN: u8 = 0x51;
    pub const PING: u8 = 0x52;
    pub const PING_ACK: u8 = 0x53;
    pub const DGC_ACK: u8 = 0x54;
    pub const NORMAL: u8 = 0x01;
    pub const EXCEPTIONAL: u8 = 0x02;
}
