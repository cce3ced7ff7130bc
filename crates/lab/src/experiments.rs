//! The experiments, one folder each: the options, the measurement, the analysis (`sheets`), and the paper's
//! figures (`paper`). A new one is a folder and a row in [`ALL`]; commands, help and reports are generated from
//! that list. Those after the EMANICS deliverable are in a room of their own (`emanics`).

pub mod compare;
pub mod du2001;
pub mod iftable;
pub mod ma2005;
pub mod pras2005;

pub use trunkline_emanics::{emanics2006, marinov2006, netconf};

use trunkline_labkit::experiment::Experiment;

/// All of them, in the order of the help; the first is the default.
pub const ALL: &[Experiment] = &[
    iftable::EXPERIMENT,
    du2001::EXPERIMENT,
    marinov2006::EXPERIMENT,
    pras2005::EXPERIMENT,
    ma2005::EXPERIMENT,
    emanics2006::EXPERIMENT,
    netconf::EXPERIMENT,
    compare::EXPERIMENT,
];
