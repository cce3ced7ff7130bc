//! The one guard: which objects a principal may read, write and be notified of.
//!
//! Three [`View`]s compiled for a tree become an [`Access`], which decides once per leaf if it can, and per
//! instance only if a family is finer than a leaf.

mod fine;
mod quick;
mod worked_out;

use std::any::Any;
use std::sync::Arc;

use crate::leaf::{Leaf, LeafId};
use crate::view::{Coverage, View};
pub(crate) use fine::FineRules;
pub(crate) use quick::Quick;
use worked_out::WorkedOut;

/// What a principal may read, write and be notified of, decided for each leaf of one tree. Cloning shares.
#[derive(Clone, Debug)]
pub struct Access {
    read: Rights,
    write: Arc<Quick>,
    notify: Arc<Quick>,
    worked_out: WorkedOut,
}

/// A view, compiled for one tree. Cloning shares.
#[derive(Clone, Debug)]
pub(crate) struct Rights {
    view: Arc<Quick>,
    leaves: Arc<[Coverage]>,
    /// The rules that are finer than a leaf, for leaves that are covered in part; ascending by leaf.
    fine: Arc<[(LeafId, FineRules)]>,
}

impl Access {
    pub(crate) fn new(leaves: &[Leaf], read: View, write: View) -> Self {
        Access {
            read: Rights::new(leaves, Arc::new(Quick::new(Arc::new(read)))),
            write: Arc::new(Quick::new(Arc::new(write))),
            notify: Arc::new(Quick::new(Arc::new(View::NOTHING))),
            worked_out: WorkedOut::default(),
        }
    }

    /// The same for other leaves.
    pub(crate) fn compiled_for(&self, leaves: &[Leaf]) -> Self {
        Access { read: Rights::new(leaves, self.read.view.clone()), ..self.clone() }
    }

    /// Access by views that others may share.
    pub(crate) fn of(read: Rights, write: Arc<Quick>, notify: Arc<Quick>) -> Self {
        Access { read, write, notify, worked_out: WorkedOut::default() }
    }

    /// The same with a view of what may be sent in notifications.
    #[must_use]
    pub fn with_notify(mut self, notify: View) -> Self {
        self.set_notify(Arc::new(Quick::new(Arc::new(notify))));
        self
    }

    pub(crate) fn set_read(&mut self, read: Rights) {
        self.read = read;
        self.worked_out = WorkedOut::default();
    }

    pub(crate) fn set_write(&mut self, write: Arc<Quick>) {
        self.write = write;
        self.worked_out = WorkedOut::default();
    }

    pub(crate) fn set_notify(&mut self, notify: Arc<Quick>) {
        self.notify = notify;
        self.worked_out = WorkedOut::default();
    }

    /// What somebody has worked out of it: it is made once, and is gone with the access when the policy changes.
    /// `None`: it holds something of another type.
    pub fn worked_out<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.worked_out.get(make)
    }

    /// How much of a leaf may be read.
    pub(crate) fn may_read(&self, leaf: LeafId) -> Coverage {
        self.read.leaves.get(leaf.position()).copied().unwrap_or(Coverage::None)
    }

    /// Whether an instance of a partly covered leaf may be read.
    pub(crate) fn may_read_instance(&self, leaf: LeafId, index: &[u32]) -> bool {
        self.fine(leaf).is_some_and(|rules| rules.include(index))
    }

    /// What holds for the instances of a partly covered leaf.
    pub(crate) fn fine(&self, leaf: LeafId) -> Option<&FineRules> {
        let at = self.read.fine.binary_search_by_key(&leaf, |(leaf, _)| *leaf).ok()?;
        Some(&self.read.fine[at].1)
    }

    /// The position of the first leaf from this one on of which something may be read, or the number of leaves.
    pub(crate) fn next_readable(&self, from: usize) -> usize {
        let rest = self.read.leaves.get(from..).unwrap_or(&[]);
        from + rest.iter().position(|coverage| *coverage != Coverage::None).unwrap_or(rest.len())
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

    /// How much of what lies below `prefix` may be written.
    pub fn may_write_below(&self, prefix: &[u32]) -> Coverage {
        self.write.coverage(prefix)
    }

    /// Whether anything may be written at all.
    #[must_use]
    pub fn may_write_anything(&self) -> bool {
        self.write.view().families().iter().any(|family| family.included)
    }

    /// Whether a name may be sent in a notification.
    pub fn may_notify(&self, name: &[u32]) -> bool {
        self.notify.contains(name)
    }

    /// Whether any notification may be sent at all: with a view that includes something.
    #[must_use]
    pub fn may_notify_anything(&self) -> bool {
        self.notify.view().families().iter().any(|family| family.included)
    }
}

impl Rights {
    pub(crate) fn new(all: &[Leaf], view: Arc<Quick>) -> Self {
        let leaves: Arc<[Coverage]> = all.iter().map(|leaf| view.coverage(leaf.oid())).collect();
        let partly = all.iter().filter(|leaf| leaves[leaf.id().position()] == Coverage::Some);
        let fine = partly.map(|leaf| (leaf.id(), FineRules::new(view.view(), leaf.oid()))).collect();
        Rights { view, leaves, fine }
    }
}
