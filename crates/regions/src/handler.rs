//! What answers for a region.

use std::future::Future;
use std::pin::Pin;

use trunkline_tree::{Aim, RegionAnswer};

/// Answers for a region of the tree.
pub trait RegionHandler: Send + Sync + 'static {
    /// The instance with this name or after it, as `aim` says. Ends within its own time limit; dropped when
    /// nobody waits any more. A failure ends the request with genErr; a handler whose failure must not end a walk
    /// answers a search with [`RegionAnswer::Nothing`].
    fn ask<'a>(&'a self, name: &'a [u32], aim: Aim) -> Asking<'a>;
}

/// A question that is being answered.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<RegionAnswer, RegionFailed>> + Send + 'a>>;

/// The result of a request to a program that fails. A search continues after the region, as with Net-SNMP; a
/// request for an instance fails, because nobody knows whether it exists (RFC 3416 section 4.2.1).
pub(crate) fn without_answer(aim: Aim) -> Result<RegionAnswer, RegionFailed> {
    match aim {
        Aim::Exactly => Err(RegionFailed),
        Aim::Behind | Aim::AtOrBehind => Ok(RegionAnswer::Nothing),
    }
}

/// There was no answer in time, or no valid one; the request gets genErr. The reason has been logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no answer from the region")]
pub struct RegionFailed;
