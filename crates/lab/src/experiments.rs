//! The experiments, one folder each: what it takes (its options), what it measures, what follows from that (`sheets`), and what the
//! paper printed (`paper`). A new one is a folder and a row in [`ALL`]; commands, help and reports are made from that list.

pub mod compare;
pub mod du2001;
pub mod iftable;
pub mod ma2005;
pub mod marinov2006;
pub mod pras2005;

use crate::kit::experiment::Experiment;

/// All of them, in the order of the help; the first is run where none is named.
pub const ALL: &[Experiment] = &[
    iftable::EXPERIMENT,
    du2001::EXPERIMENT,
    marinov2006::EXPERIMENT,
    pras2005::EXPERIMENT,
    ma2005::EXPERIMENT,
    compare::EXPERIMENT,
];
