//! DTLS 1.2 over UDP (RFC 6347, RFC 6353): the same certificates and checks as [`crate::tls`], one message per
//! datagram. OpenSSL runs the protocol in memory: the sockets and the clock are ours.

mod client;
mod context;
mod counters;
mod ffi;
mod hello;
mod limits;
mod machine;
mod server;
mod session;

pub use client::DtlsLink;
pub(crate) use context::ClientContext;
pub use counters::{DtlsCounters, DtlsCounts};
pub use hello::{ContentKind, FirstRecord};
pub use limits::DtlsLimits;
pub use machine::{Content, Machine};
pub use server::{DtlsConfig, DtlsServer};
