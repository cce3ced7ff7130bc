//! The laboratory.
#![allow(missing_docs)]
pub mod analysis;
pub mod error;
pub mod machine;
pub mod meter;
pub mod paper;
pub mod place;
pub mod report;
pub mod samples;
pub mod statistics;
pub mod subject;
pub mod warning;
