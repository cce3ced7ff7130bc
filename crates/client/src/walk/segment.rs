//! A part of a walk: the names from one point to another.

use std::cmp::Ordering;
use std::collections::VecDeque;

use trunkline_smi::Oid;
use trunkline_snmp::wire::VarBind;

use crate::error::Error;

/// The names of the subtree `root` that are greater than `cursor` and not greater than `last`. Wherever a walk is
/// split, each name is in exactly one segment: a wrong guess costs a request, never a result.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) id: u64,
    pub(super) root: Oid,
    /// The last name found so far, or where the segment begins.
    pub(super) cursor: Oid,
    pub(super) last: Option<Oid>,
    /// Results not handed out yet.
    pub(super) found: VecDeque<VarBind>,
    /// The total number of results.
    pub(super) count: usize,
    pub(super) state: State,
    /// The segment begins at a guessed sub-identifier: its position in the name.
    pub(super) guessed: Option<usize>,
    /// Requested alone: together with others, or for more, it failed.
    pub(super) alone: bool,
    /// One binding at a time: more failed.
    pub(super) small: bool,
    pub(super) timeouts: u32,
}

#[derive(Debug)]
pub(super) enum State {
    Idle,
    Asked,
    Done,
    Failed(Error),
}

/// Where a name lies relative to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Not after what is already known.
    Before,
    Inside,
    After,
}

impl Segment {
    /// All of the subtree.
    pub(super) fn of_subtree(id: u64, root: Oid) -> Self {
        Self {
            id,
            cursor: root.clone(),
            root,
            last: None,
            found: VecDeque::new(),
            count: 0,
            state: State::Idle,
            guessed: None,
            alone: false,
            small: false,
            timeouts: 0,
        }
    }

    /// The first level on which names of the segment can still differ.
    pub(super) fn open_level(&self) -> usize {
        self.guessed.map_or(self.root.len(), |level| level + 1)
    }

    pub(super) fn place(&self, name: &Oid) -> Place {
        if name <= &self.cursor {
            Place::Before
        } else if name.starts_with(&self.root) && self.last.as_ref().is_none_or(|last| name <= last) {
            Place::Inside
        } else {
            Place::After
        }
    }

    /// Whether a name belongs to the subtree, wherever the walk is (for walks that do not check the order).
    pub(super) fn holds(&self, name: &Oid) -> bool {
        name.starts_with(&self.root)
    }

    /// Whether `point` can split what is left.
    pub(super) fn splits_at(&self, point: &Oid) -> bool {
        self.place(point) == Place::Inside
            && self.last.as_ref().map(|last| last.cmp(point)) != Some(Ordering::Equal)
    }

    /// Cuts off what comes after `point`, as a new segment.
    pub(super) fn split_off(&mut self, id: u64, point: Oid) -> Self {
        let last = self.last.replace(point.clone());
        Self { cursor: point, last, ..Self::of_subtree(id, self.root.clone()) }
    }

    pub(super) fn push(&mut self, binding: VarBind) {
        self.cursor = binding.name.clone();
        self.count += 1;
        self.found.push_back(binding);
    }

    /// Nothing was requested and nothing was found.
    pub(super) const fn is_untouched(&self) -> bool {
        matches!(self.state, State::Idle) && self.count == 0
    }

    pub(super) const fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    pub(super) const fn is_over(&self) -> bool {
        matches!(self.state, State::Done | State::Failed(_))
    }
}
