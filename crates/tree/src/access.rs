//! The one guard: which objects somebody may see, change and be told of.
//!
//! Three [`View`]s compiled for a tree become an [`Access`], which decides once per leaf where
//! it can and per instance only where a family is finer than a leaf.

use std::sync::Arc;

use trunkline_smi::Oid;

use crate::registry::{LeafId, Tree};
use crate::view::{Coverage, Family, View};

/// What a principal may read, write and be notified of, decided for each leaf of one tree. Cloning shares.
#[derive(Clone, Debug)]
pub struct Access {
    read: Arc<Rights>,
    write: Arc<View>,
    notify: Arc<View>,
}

/// A view, compiled for one tree.
#[derive(Debug)]
pub(crate) struct Rights {
    view: View,
    leaves: Vec<Coverage>,
    /// The rules that are finer than a leaf, for leaves that are covered in part; ascending by leaf.
    fine: Vec<(LeafId, FineRules)>,
}

/// What of a leaf's instances a view includes.
#[derive(Debug)]
struct FineRules {
    /// Beginnings of indexes; the one that decides first.
    rules: Vec<FineRule>,
    /// What holds for an index that begins with none of them.
    otherwise: bool,
}

/// What of a family stands behind a leaf's OID.
#[derive(Debug)]
struct FineRule {
    /// A beginning of indexes ...
    beginning: Oid,
    /// ... in which these may be others.
    open: Vec<bool>,
    included: bool,
}

impl Access {
    pub(crate) fn new(tree: &Tree, read: View, write: View) -> Self {
        Access {
            read: Arc::new(Rights::new(tree, read)),
            write: Arc::new(write),
            notify: Arc::new(View::NOTHING),
        }
    }

    /// Access by views that others may share.
    pub(crate) fn of(read: Arc<Rights>, write: Arc<View>, notify: Arc<View>) -> Self {
        Access { read, write, notify }
    }

    /// The same with a view of what may be sent in notifications.
    #[must_use]
    pub fn with_notify(mut self, notify: View) -> Self {
        self.notify = Arc::new(notify);
        self
    }

    /// How much of a leaf may be read.
    pub(crate) fn may_read(&self, leaf: LeafId) -> Coverage {
        self.read.leaves.get(leaf.position()).copied().unwrap_or(Coverage::None)
    }

    /// Whether an instance of a partly covered leaf may be read.
    pub(crate) fn may_read_instance(&self, leaf: LeafId, index: &[u32]) -> bool {
        let at = self.read.fine.binary_search_by_key(&leaf, |(leaf, _)| *leaf);
        at.is_ok_and(|at| self.read.fine[at].1.include(index))
    }

    /// Whether an instance of any name may be read, one that no leaf of the tree holds included.
    pub fn may_read_name(&self, name: &[u32]) -> bool {
        self.read.view.contains(name)
    }

    /// How much of what lies below `prefix` may be read.
    pub fn may_read_below(&self, prefix: &[u32]) -> Coverage {
        self.read.view.coverage(prefix)
    }

    /// Whether a name may be written.
    pub fn may_write(&self, name: &[u32]) -> bool {
        self.write.contains(name)
    }

    /// Whether a name may be sent in a notification.
    pub fn may_notify(&self, name: &[u32]) -> bool {
        self.notify.contains(name)
    }
}

impl Rights {
    pub(crate) fn new(tree: &Tree, view: View) -> Self {
        let leaves: Vec<Coverage> = tree.leaves().iter().map(|leaf| view.coverage(leaf.oid())).collect();
        let partly = tree.leaves().iter().filter(|leaf| leaves[leaf.id().position()] == Coverage::Some);
        let fine = partly.map(|leaf| (leaf.id(), FineRules::new(&view, leaf.oid()))).collect();
        Rights { view, leaves, fine }
    }
}

impl FineRules {
    fn new(view: &View, leaf: &[u32]) -> Self {
        let finer = |family: &&Family| family.subtree.len() > leaf.len() && family.meets(leaf);
        FineRules {
            rules: view
                .families()
                .iter()
                .filter(finer)
                .map(|family| FineRule::new(family, leaf.len()))
                .collect(),
            otherwise: view.contains(leaf),
        }
    }

    fn include(&self, index: &[u32]) -> bool {
        let decisive = self.rules.iter().find(|rule| rule.matches(index));
        decisive.map_or(self.otherwise, |rule| rule.included)
    }
}

impl FineRule {
    fn new(family: &Family, leaf: usize) -> Self {
        FineRule {
            beginning: Oid::EMPTY.child(&family.subtree[leaf..]),
            open: (leaf..family.subtree.len()).map(|at| family.is_open(at)).collect(),
            included: family.included,
        }
    }

    fn matches(&self, index: &[u32]) -> bool {
        index.len() >= self.beginning.len()
            && index.iter().zip(&*self.beginning).zip(&self.open).all(|((a, b), open)| *open || a == b)
    }
}
