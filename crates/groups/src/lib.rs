//! The agent as a mid-level manager: groups of other agents that it reads, so that a network operations centre asks one agent.
//!
//! ```text
//! configuration -> Groups -> a Collector of `polling` for each group -> reports -> Store -> the tables of TRUNKLINE-MIB
//!                         -> Takeover: which of two peers reads the group              -> events: members that go and come
//!                         -> a listener for the members' notifications                 -> events: the same, with the member's name
//! ```
//!
//! [`Groups`] is the whole of it for the agent. `store` has what is known of each member, `rates` how fast counters grow,
//! `aggregate` what is computed; these and `takeover` have neither clocks nor I/O.

mod aggregate;
mod context;
mod groups;
mod member;
mod nested;
mod notifications;
mod opening;
mod peer;
mod provider;
mod rates;
mod store;
mod takeover;

pub use groups::{Changed, Groups, Surroundings, Tell, devices};
pub use provider::{GROUP_VALUES, GROUPS};
