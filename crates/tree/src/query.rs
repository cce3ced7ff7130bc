//! A retrieval, and its progress.

use std::time::Instant;

use trunkline_smi::OidList;

use crate::{Access, GroupId, RegionId};

/// What to retrieve.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// How.
    pub operation: Operation,
    /// The names of the request's variable bindings.
    pub names: &'a OidList,
    /// The access of the principal.
    pub access: &'a Access,
    /// Whether to skip objects of type Counter64, as for SNMPv1 (RFC 3584 section 4.2.2.1).
    pub without_counter64: bool,
    /// When the request arrived.
    pub arrived: Instant,
    /// The most bindings that a GetBulk may answer with.
    pub max_bindings: usize,
    /// Whether a GetBulk of one repeated name may end where another group begins that must be loaded
    /// first, after at least one repetition (RFC 3416 section 4.2.3).
    pub may_end_early: bool,
}

/// The three ways to retrieve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Exactly the named instances.
    Get,
    /// For each name the next instance.
    Next,
    /// For the first names the next instance, for the rest several.
    Bulk {
        /// How many names at the front are not repeated.
        non_repeaters: usize,
        /// How often the rest is repeated.
        max_repetitions: usize,
    },
}

/// How far the walker came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All bindings are answered.
    Done,
    /// The sink was full at this binding of the request, counted from 0.
    Full {
        /// The binding.
        binding: usize,
    },
    /// This group must be loaded; then call again.
    Load(GroupId),
    /// This region must be asked [`Walker::question`](crate::Walker::question); call again once
    /// [`Walker::answered`](crate::Walker::answered) has the answer.
    Ask(RegionId),
}
