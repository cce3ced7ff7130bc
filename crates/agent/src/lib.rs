//! The agent: configuration, one door per protocol, the agent's own MIBs.
//!
//! Two programs are built from it: `trunklined`, and `trunklined-lab`, the same with the laboratory's instruments
//! in the fast path. `ARCHITECTURE.md` describes the path of a request; here it enters at [`door`] and continues
//! to the tree.

pub mod assembly;
pub mod check;
pub mod daemon;
pub mod door;
pub mod explain;
mod listeners;
mod log;
pub mod machine;
pub mod paths;
pub mod program;
pub mod signals;
pub mod snmpd_name;
pub mod start_error;
pub mod subsystem;
