//! Object types that have instances, and the groups that they belong to.

use trunkline_smi::Oid;
use trunkline_smi::schema::{MaxAccess, Syntax};

/// Which group; its position in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupId(pub(crate) u16);

/// Which leaf; leaves are numbered in the order of their OIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeafId(pub(crate) u32);

/// An object type that has instances: a scalar or an accessible column; or a subtree that a region answers for.
#[derive(Debug)]
pub struct Leaf {
    pub(crate) id: LeafId,
    pub(crate) oid: Oid,
    pub(crate) name: &'static str,
    pub(crate) syntax: Syntax,
    pub(crate) access: MaxAccess,
    pub(crate) group: GroupId,
    pub(crate) kind: LeafKind,
}

/// Where in the group's snapshot the instances are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// Position in the group's list of scalars.
    Scalar {
        /// The position.
        slot: u16,
    },
    /// Position in the group's list of tables and in the table's list of columns.
    Column {
        /// The table's position.
        table: u16,
        /// The column's position.
        slot: u16,
    },
    /// No object but a subtree with regions in it; it has no snapshot.
    Region {
        /// Its position among the outermost regions.
        territory: u16,
    },
}

impl GroupId {
    /// By the order of registration.
    pub(crate) fn at(position: usize) -> Self {
        GroupId(position as u16)
    }

    /// Of leaves that belong to no group: those of regions.
    pub(crate) const NONE: GroupId = GroupId(u16::MAX);

    /// The group's position in [`Tree::group_names`](crate::Tree::group_names).
    pub fn position(self) -> usize {
        usize::from(self.0)
    }
}

impl LeafId {
    /// Of leaves that are not numbered yet.
    pub(crate) const FIRST: LeafId = LeafId(0);

    /// The leaf's position in [`Tree::leaves`](crate::Tree::leaves).
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

impl Leaf {
    /// The leaf's number.
    pub fn id(&self) -> LeafId {
        self.id
    }

    /// The object's OID, without an instance.
    pub fn oid(&self) -> &[u32] {
        &self.oid
    }

    /// The object's descriptor.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What values it may have.
    pub fn syntax(&self) -> &Syntax {
        &self.syntax
    }

    /// The most a manager may do with it.
    pub fn max_access(&self) -> MaxAccess {
        self.access
    }

    /// Its group. The leaf of a region has none: then this is not a group of the tree.
    pub fn group(&self) -> GroupId {
        self.group
    }

    /// Where in the snapshot its instances are.
    pub fn kind(&self) -> LeafKind {
        self.kind
    }
}
