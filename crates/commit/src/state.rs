//! What the datastores hold.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use trunkline_datastore::{Change, Config, Step};
use trunkline_host::InterfaceState;
use trunkline_tree::policy::OwnedPrincipal;
use trunkline_yang::forest::Forest;

use crate::authors::Authors;
use crate::confirmed::Confirmed;

/// How often the datastores were written, whether that changed something or not: who writes learns by it nothing of what was there.
#[derive(Debug, Default)]
pub(super) struct Writes {
    running: AtomicU64,
    candidate: AtomicU64,
}

impl Writes {
    pub fn note_running(&self) {
        self.running.fetch_add(1, Relaxed);
    }

    /// Those of one of them. The candidate may be as running, and has its writes too.
    pub fn of(&self, is_candidate: bool) -> u64 {
        let of_candidate = if is_candidate { self.candidate.load(Relaxed) } else { 0 };
        self.running.load(Relaxed).wrapping_add(of_candidate)
    }
}

/// The datastores while they are locked against each other's changes.
#[derive(Default)]
pub struct State {
    /// Running, without what managers also set over SNMP: that is read where it is.
    pub(super) stored: Config,
    /// `None`: as running.
    pub(super) candidate: Option<Config>,
    /// Who has prepared what of it.
    pub(super) authors: Authors,
    /// Secrets that edits of the candidate have given, whether that changed them or not.
    secrets: BTreeSet<Vec<Step>>,
    pub(super) writes: Arc<Writes>,
    /// A commit that is to be confirmed.
    pub confirmed: Option<Confirmed>,
    /// Counts confirmed commits, so that an old one's timer does nothing to another.
    pub commits: u64,
    /// Interfaces as they were before the commit that is to be confirmed.
    pub(super) machine: Vec<InterfaceState>,
    /// The file still has a change that is neither in force nor waits for anything.
    pub(super) is_unkept: bool,
    /// What was taken back while the file could not be written.
    pub(super) untold: Vec<Change>,
    /// Whether somebody tries to settle that, or a commit that could not be taken back.
    pub is_settling: bool,
    /// Who makes the next change of running.
    pub(super) by: Option<OwnedPrincipal>,
    /// What is done once nothing is left to be taken back.
    pub once_settled: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl State {
    /// This principal makes the next change of running: what it delegates acts by its rights.
    pub fn act_for(&mut self, principal: OwnedPrincipal) {
        self.by = Some(principal);
    }

    /// Whether the candidate is not as running.
    pub fn is_edited(&self) -> bool {
        self.candidate.is_some()
    }

    /// The secrets that edits of the candidate have given. Whether they differ from those of running must not show: who may write them and not read them
    /// would learn that a guess is right.
    pub const fn secrets(&self) -> &BTreeSet<Vec<Step>> {
        &self.secrets
    }

    /// Whether something is left that only [`Datastores::take_back`](crate::Datastores::take_back) can settle.
    pub fn is_unsettled(&self) -> bool {
        self.is_unkept || self.confirmed.as_ref().is_some_and(|confirmed| confirmed.is_over)
    }

    /// Makes the candidate this one, in which a principal has changed this.
    pub fn prepare(&mut self, forest: &Forest, candidate: Config, changed: &[Change], by: &OwnedPrincipal) {
        self.authors.note(forest, &candidate, changed, by);
        let is_secret = |it: &&Change| it.path.last().is_some_and(|step| forest[step.node].place.is_secret());
        self.secrets.extend(changed.iter().filter(is_secret).map(|it| it.path.clone()));
        // One that is gone is a change, or never was there.
        self.secrets.retain(|path| candidate.at(path).is_some());
        self.candidate = Some(candidate);
        self.writes.candidate.fetch_add(1, Relaxed);
    }

    /// Makes the candidate again as running.
    pub fn discard(&mut self) {
        self.authors.forget();
        self.secrets.clear();
        self.candidate = None;
        self.writes.candidate.fetch_add(1, Relaxed);
    }
}
