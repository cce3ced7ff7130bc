//! JMX Remote (JSR 160) over RMI without I/O and without a JVM, for both ends.
//!
//! - [`stream`]: Java's object serialization, with a fixed list of classes.
//! - [`jrmp`]: the wire protocol of RMI: handshake, calls and returns, the registry, leases, references to objects.
//! - [`model`]: names, values, descriptions, queries and notifications of JMX.
//! - [`remote`]: the methods of `RMIServer` and `RMIConnection` as requests and replies.

pub mod error;
pub mod jrmp;
pub mod model;
pub mod remote;
pub mod stream;

pub use error::{Callee, Error};
