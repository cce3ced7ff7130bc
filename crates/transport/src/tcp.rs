//! TCP for servers: connections under limits, on the async runtime.

mod call_home;
mod connection;
mod counters;
mod greeter;
mod limits;
mod listener;
mod output;

pub use crate::handshake::HandshakeError;
pub use call_home::{CallError, Caller};
pub use connection::Messages;
pub use counters::{TcpCounters, TcpCounts};
pub use greeter::{Accepted, Ends, Greeter, Plain};
pub use limits::{FrameError, Framer, TcpLimits};
pub use listener::TcpServer;
