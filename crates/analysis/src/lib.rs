//! `trunkline lab analyze` and `plan`: what stored delays show, whoever measured them, and what they foretell. The statistics are those of section 6 of the
//! EMANICS deliverable: what is typical and what extreme, which distribution it is, and the monitoring error in three readings.
//!
//! ```text
//! files -> load (delays) -> group -> sheets (distributions) -> report (labkit)
//! ```
//!
//! A file is one run of one group of agents. Several files are groups of different sizes, or anything else that is to be compared.

mod arguments;
mod drawings;
mod files;
mod group;
mod load;
mod plan;
mod sheets;

pub use arguments::AnalyzeArguments;
pub use group::{Counts, Group};
pub use plan::PlanArguments;
pub use sheets::findings;
