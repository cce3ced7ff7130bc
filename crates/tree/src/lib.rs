//! The one tree of management data. It knows no protocol: a door (in the agent) turns a message into a [`Query`]
//! or a list of [`SetItem`]s and supplies a [`Sink`] that receives the values as the tree walks.
//!
//! A [`Provider`] serves one [`Group`] of objects from an immutable, columnar [`Snapshot`]; get, next and bulk
//! over snapshots are written once, in the tree. The tree reads no clock: instants are arguments. It never waits:
//! if a snapshot is too old, [`Walker::advance`] answers [`Progress::Load`] and continues from there after
//! [`Tree::load`] has been called. A [`Region`] is a subtree that something else answers for: there it answers
//! [`Progress::Ask`]. A [`RowWalker`] returns whole rows of a table, for protocols that use rows.

mod access;
mod event;
mod group;
mod leaf;
mod leaf_search;
mod pins;
pub mod policy;
mod provider;
mod query;
mod region;
mod register_error;
mod registry;
mod retrieval;
mod rows;
mod set;
mod sink;
mod snapshot;
mod table;
mod tables;
mod view;

pub use access::Access;
pub use event::Event;
pub use group::{Freshness, Group};
pub use leaf::{GroupId, Leaf, LeafId, LeafKind};
pub use provider::{Live, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, SourceError};
pub use query::{Operation, Progress, Query};
pub use region::{Aim, Claim, Question, Region, RegionAnswer, RegionId};
pub use register_error::RegisterError;
pub use registry::{Tree, TreeBuilder};
pub use retrieval::{Upcoming, Walker};
pub use rows::{Block, Row, RowQuery, RowSink, RowWalker, StoredCells};
pub use set::{SetBinding, SetFailure};
pub use sink::{Name, Room, Rows, Sink};
pub use snapshot::{ScalarCell, Snapshot, SnapshotBuilder};
pub use table::{Cells, ColumnData, Octets, RowBuilder, TableBuilder, TableData};
pub use tables::{ServedTable, TableId};
pub use trunkline_query::{Page, Pager, RowRange};
pub use trunkline_smi::{Exception, SetStatus};
pub use view::{AmbiguousRulesError, Coverage, Family, Mask, MaskTooLongError, View};
