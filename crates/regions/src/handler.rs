//! What answers for a region.

use std::future::Future;
use std::pin::Pin;

use trunkline_tree::{Aim, Question, RegionAnswer};

use crate::agentx::Subtree;

/// Answers for a region of the tree.
pub trait RegionHandler: Send + Sync + 'static {
    /// The instance with the question's name or after it, as its aim says, or a run of them. Ends within its own time limit;
    /// dropped when nobody waits any more. A failure ends the request with genErr; a handler whose failure must not end a walk
    /// answers a search with [`RegionAnswer::Nothing`].
    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a>;

    /// Where several questions of a request may go at once; a handler without such a place is asked one at a time.
    fn together(&self) -> Option<Together<'_>> {
        None
    }
}

/// A subtree of a subagent, which answers for others of its session in the same packet.
#[derive(Clone, Copy)]
pub struct Together<'h>(pub(crate) &'h Subtree);

impl Together<'_> {
    /// Whether both go at once.
    pub fn is_with(&self, other: &Together<'_>) -> bool {
        self.0.is_with(other.0)
    }

    /// Asks all at once. The answers in the order of the questions; `None` if it answers with an error or less than it was asked
    /// for: then each question must be asked alone.
    pub async fn ask(all: &[(Together<'_>, Question<'_>)]) -> Option<Vec<RegionAnswer>> {
        Subtree::ask_together(all).await
    }
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
