//! Sessions of JMX with any JVM, over TCP and TLS.
//!
//! ```text
//! caller -> JmxSession -> Line (one connection, one call at a time) -> transport -> JVM
//!           leases        jmx::jrmp, jmx::remote (no I/O)
//! ```
//! - [`JmxTarget`]: where the JVM is and as whom to ask, from a URL.
//! - [`JmxSession`]: the registry is asked, the stub followed, a connection opened; then the methods of JMX.
//! - [`ObjectSession`]: the objects of MIB modules that an agent of Trunkline has as MBeans, in a session like those of other protocols.
//! - [`Subscription`]: notifications as they come.
//! - [`path`]: how a value within an MBean is named; [`filter`]: conditions; [`leaves`] and [`json`]: values as text and JSON; [`words`]: texts as values.

mod error;
pub mod filter;
pub mod json;
pub mod leaves;
mod line;
mod objects;
mod operations;
pub mod path;
mod place;
mod session;
mod subscription;
mod target;
pub mod words;

pub use error::Error;
pub use objects::{NotAnAgent, ObjectSession, ReadOnly};
pub use place::{Follow, Tls};
pub use session::{JmxOptions, JmxSession};
pub use subscription::{Heard, Subscription};
pub use target::{JmxLogin, JmxTarget, TargetError};
pub use trunkline_jmx as jmx;
