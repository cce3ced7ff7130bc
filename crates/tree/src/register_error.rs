//! Why no tree can be built of what was registered.

use trunkline_smi::Oid;

/// Why no tree can be built of what was registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// Two groups claim the same or nested objects.
    #[error("group {group:?} registers {oid} ({name}), which overlaps {other_name} of group {other:?}")]
    Overlap {
        /// The group that came second in the order of OIDs.
        group: &'static str,
        /// Its object.
        oid: Oid,
        /// Its object's descriptor.
        name: &'static str,
        /// The group that holds the overlapping object.
        other: &'static str,
        /// That object's descriptor.
        other_name: &'static str,
    },
    /// A region would answer for some instances of an object that also has others.
    #[error(
        "{root} lies inside the object {name}: a program or another agent can answer for whole objects only"
    )]
    RegionInObject {
        /// The region's root.
        root: Oid,
        /// The object's descriptor.
        name: &'static str,
    },
}
