//! Services and the relations between them (EMANICS D7.1, section 5.2): which services a path selection reaches,
//! and the URIs in which the relations are published.
//!
//! ```text
//! configuration, or secondary URIs -> Graph -> select(PathSelection) -> services -> what they hold -> rows
//! ```
//! A [`Service`] holds groups of scalars, tables and single rows. A [`Graph`] has services, their levels and named
//! relations, which may be any: they may form cycles and lead to the same or a lesser level. Following a pattern costs
//! no more than its steps times the relations, whatever the graph looks like.

mod graph;
mod name;
mod path;
mod select;
mod uri;

pub use graph::{Graph, GraphBuilder, GraphError, Holding, Relation, Service, ServiceId};
pub use name::{Name, quoted, tidy};
pub use path::{MAX_STEPS, PathSelection, Pattern, Step};
pub use select::{Selected, Unselectable};
pub use uri::{SecondaryTag, UriError, percent_encoded, primary_uri, secondary_uri};
