//! The snapshots that one request sees.
//!
//! A group's snapshot is pinned when the request first needs it and kept to the end, so that all values of an
//! answer are from one moment; only with [`Freshness::PerObject`] each object has its own snapshot.

use std::sync::Arc;
use std::time::Instant;

use crate::registry::Held;
use crate::{Freshness, GroupId, Progress, Snapshot, Tree};

/// One request's snapshots, by group. Reused from request to request.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    by_group: Vec<Pin>,
    /// The groups that this request uses, to release their pins.
    touched: Vec<GroupId>,
    /// The group whose load the request waits for.
    awaited: Option<GroupId>,
}

/// One request's snapshot of a group.
#[derive(Debug, Default)]
pub(crate) struct Pin {
    held: Option<Arc<Held>>,
    touched: bool,
    /// The policy when the request first had to do with the group: it holds to the end of the request.
    per_object: bool,
    /// With `per_object`: the object that the snapshot was read for, counted over the answer.
    object: usize,
}

impl Pins {
    /// Forgets the last request.
    pub(crate) fn reset(&mut self) {
        for group in self.touched.drain(..) {
            self.by_group[group.position()] = Pin::default();
        }
        self.awaited = None;
    }

    /// Makes a place for each group of a tree.
    pub(crate) fn fit(&mut self, groups: usize) {
        if self.by_group.len() != groups {
            self.by_group.resize_with(groups, Pin::default);
        }
    }

    /// The group's snapshot for the object at this position of the answer, or that it must be loaded first.
    #[inline]
    pub(crate) fn pin(
        &mut self,
        tree: &Tree,
        arrived: Instant,
        group: GroupId,
        object: usize,
    ) -> Result<&Snapshot, Progress> {
        let pin = &mut self.by_group[group.position()];
        if !pin.is_for(object) {
            if !pin.touched {
                self.touched.push(group);
            }
            let was_loaded = self.awaited.take() == Some(group);
            pin.renew(tree, arrived, group, object, was_loaded);
            if pin.held.is_none() {
                self.awaited = Some(group);
            }
        }
        pin.get().ok_or(Progress::Load(group))
    }

    /// The pinned snapshot, if there is one.
    #[inline]
    pub(crate) fn get(&self, group: GroupId) -> Option<&Snapshot> {
        self.by_group.get(group.position())?.get()
    }

    /// Whether the group's rows may have other positions when the next object is looked for.
    #[inline]
    pub(crate) fn is_per_object(&self, group: GroupId) -> bool {
        self.by_group.get(group.position()).is_some_and(Pin::is_per_object)
    }
}

impl Pin {
    /// The same as [`Pins::pin`], of a request that uses no other group.
    pub(crate) fn pin(
        &mut self,
        tree: &Tree,
        arrived: Instant,
        group: GroupId,
        object: usize,
    ) -> Result<&Snapshot, Progress> {
        if !self.is_for(object) {
            // A request that has none has waited for it: there is nothing else that it waits for.
            let was_loaded = self.touched && self.held.is_none();
            self.renew(tree, arrived, group, object, was_loaded);
        }
        self.get().ok_or(Progress::Load(group))
    }

    /// The pinned snapshot, if there is one.
    #[inline]
    pub(crate) fn get(&self) -> Option<&Snapshot> {
        self.held.as_ref().map(|held| &*held.snapshot)
    }

    /// See [`Pins::is_per_object`].
    #[inline]
    pub(crate) fn is_per_object(&self) -> bool {
        self.per_object
    }

    #[inline]
    fn is_for(&self, object: usize) -> bool {
        self.held.is_some() && !(self.per_object && self.object != object)
    }

    fn renew(&mut self, tree: &Tree, arrived: Instant, group: GroupId, object: usize, was_loaded: bool) {
        if !self.touched {
            self.touched = true;
            self.per_object = tree.freshness(group) == Freshness::PerObject;
        }
        let arrived = tree.nanos(arrived);
        let by_policy = if self.per_object { None } else { tree.held(group, arrived) };
        // Data read after the request arrived is fresh enough for it, even if it has been invalidated since: a
        // source that changes faster than it can be read would otherwise keep the request waiting for ever.
        let loaded = || tree.held_since(group, arrived).filter(|_| was_loaded);
        self.held = by_policy.or_else(loaded);
        self.object = object;
    }
}
