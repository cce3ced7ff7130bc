//! The toolkit of every experiment: where to measure ([`place`], [`stage`]), what to measure ([`subject`]), with
//! what ([`meter`], [`conversation`], [`schedule`]), what is recorded ([`trial`], [`reading`], [`doubt`]), and
//! what becomes of it ([`statistics`], [`findings`], [`report`]). It knows no experiment.

pub mod block;
pub mod browser;
pub mod chapter;
pub mod claims;
pub mod conversation;
pub mod doubt;
pub mod duration;
pub mod error;
pub mod estimate;
pub mod exact;
pub mod experiment;
pub mod fetch;
pub mod findings;
pub mod group;
pub mod if_table;
mod interrupt;
mod job;
pub mod keyring;
pub mod ledger;
pub mod leftovers;
pub mod machine;
pub mod meter;
pub mod octets;
pub mod open_sessions;
pub mod opening;
pub mod options;
pub mod packing;
pub mod picked;
pub mod place;
pub mod processors;
pub mod protocol;
pub mod reading;
pub mod report;
pub mod rota;
pub mod run;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
pub mod schedule;
pub mod side_by_side;
pub mod slow;
pub mod stage;
pub mod statistics;
pub mod store;
pub mod subject;
pub mod transport;
pub mod trial;
