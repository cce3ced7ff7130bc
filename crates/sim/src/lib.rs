//! A simulated fleet: thousands of SNMP agents in one process, each with an address of its own.
//!
//! An agent is an address and a number. What it answers is a function of the seed, its number and the time, or of a
//! recording that many share, so that a fleet of 100,000 has no table of agents and costs a few megabytes.
//!
//! ```text
//! datagram -> fleet (which agent was asked) -> faults -> responder -> synthetic or recorded values -> datagram
//! ```
//!
//! | part | what it is |
//! | --- | --- |
//! | [`fleet`] | groups of agents on prefixes: which agent has an address, and how long it has been up |
//! | [`seed`] | numbers that are drawn: for each agent the same in each run |
//! | [`synthetic`], [`recorded`] | the objects of an agent |
//! | [`faults`] | agents that are silent, slow, lossy, wrong, or reboot |
//! | [`responder`] | from a request to its answer, for SNMPv1, SNMPv2c and SNMPv3 |
//! | [`serve`] | sockets and threads |
//! | `ports` | what agents answer beside SNMP, over TCP |
//! | [`metrics`] | what the simulator counts of itself, for Prometheus |
//! | [`configuration`], [`command`] | a fleet from a file and from options |

pub mod command;
pub mod configuration;
mod counts;
mod delayed;
mod engines;
mod error;
pub mod faults;
pub mod fleet;
pub mod metrics;
pub mod objects;
mod ports;
pub mod recorded;
pub mod responder;
pub mod seed;
pub mod serve;
pub mod synthetic;

pub use counts::{Count, Counts};
pub use error::SimError;
pub use ports::{PortOptions, SimUser, TlsFiles};
