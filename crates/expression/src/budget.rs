//! How much work the evaluations of one sweep may do, and what they share.

use std::collections::BTreeMap;

use crate::error::ErrorCode;
use crate::number::Number;

/// Steps that are left: one for each node, element of an array and instance that an evaluation touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u64);

impl Budget {
    /// So many steps.
    pub const fn new(steps: u64) -> Self {
        Budget(steps)
    }

    /// What is left.
    pub const fn left(self) -> u64 {
        self.0
    }

    /// Takes steps, or reports that there are too few.
    pub(crate) fn take(&mut self, steps: usize) -> Result<(), ErrorCode> {
        let left = u64::try_from(steps).ok().and_then(|steps| self.0.checked_sub(steps));
        self.0 = left.ok_or(ErrorCode::ResourceUnavailable)?;
        Ok(())
    }
}

/// One evaluation of an expression at all its instances, over the same values.
#[derive(Debug)]
pub struct Sweep {
    /// What is left of its budget.
    pub(crate) budget: Budget,
    /// What functions over instances have made, by their place and the percentage.
    pub(crate) aggregates: BTreeMap<(usize, Option<i128>), Option<Number>>,
}

impl Sweep {
    /// A sweep that may take so many steps.
    pub const fn new(budget: Budget) -> Self {
        Sweep { budget, aggregates: BTreeMap::new() }
    }
}
