//! Section 6 of the deliverable: what needs no measurement. Its fits are made again from what is printed, and its predictions
//! from its own parameters.
//!
//! | sheet | D7.1 | from |
//! | --- | --- | --- |
//! | `figure-6.7`, `families` | 6.4 | table II of Pras et al. (2005), the delays that section 6.4 fits |
//! | `table-6.2`, `larger-groups` | 6.2, 6.3 | the scales and shapes of table 6.2 |

mod claims;
mod drawings;
pub mod paper;
mod sheets;

pub(super) use claims::claims;
pub(super) use sheets::{cross_validation, quality};

/// The tables that are computed from what is printed alone.
pub(super) const PRINTED: [&str; 2] = ["figure-6.7", "table-6.2"];
/// The seed of what is drawn for intervals and probabilities.
const SEED: u64 = 2006;
