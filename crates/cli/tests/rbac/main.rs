//! `trunkline rbac` with running agents: keys are deployed, tokens open sessions, a revocation ends them, and what a device could not be
//! sent it gets later.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

mod crashes;
mod losses;
mod providers;
mod revocation;
mod stored;
mod world;
