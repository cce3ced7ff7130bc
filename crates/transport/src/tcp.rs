//! TCP for servers: connections under limits, on the async runtime.

mod connection;
mod counters;
mod limits;
mod listener;

pub use connection::{PeerInfo, Reply, TcpHandler, serve_stream};
pub use counters::{TcpCounters, TcpCounts};
pub use limits::{FrameError, Framer, TcpLimits};
pub use listener::TcpServer;
