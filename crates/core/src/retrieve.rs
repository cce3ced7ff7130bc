//! Retrieval that waits: for loads, and for answers of regions. A long one lets other requests run in between.

mod turn;

use std::time::Instant;

use trunkline_tree::{GroupId, Progress, Query, RowQuery, RowSink, RowWalker, Sink, Walker};

use self::turn::Turn;

use super::Served;
use trunkline_regions::RegionFailed;

/// Why a question to the tree has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// A source cannot be read; the reason is in the log.
    #[error("the source of the data cannot be read; the agent's log says why")]
    Load,
    /// A region does not answer.
    #[error("the program or agent responsible for this part of the tree does not answer")]
    Region,
}

/// How many instances without access a request may skip in a region, at most.
const MAX_PASSED_OVER: usize = 10_000;

impl Served {
    /// Carries out a query, waiting for loads and regions.
    pub async fn retrieve<S: Sink>(
        &self,
        walker: &mut Walker,
        query: &Query<'_>,
        sink: &mut S,
    ) -> Result<Progress, Unanswered> {
        let mut turn = Turn::of_values(sink);
        loop {
            match walker.advance(&self.tree, query, &mut turn) {
                Progress::Full { .. } if turn.is_over() => turn.next().await,
                Progress::Load(group) => self.load(group, query.arrived).await?,
                Progress::Ask(_) => self.ask(walker).await.map_err(|_| Unanswered::Region)?,
                progress => return Ok(progress),
            }
        }
    }

    /// Carries out a query for rows, waiting for loads.
    pub async fn retrieve_rows<S: RowSink>(
        &self,
        walker: &mut RowWalker,
        query: &RowQuery<'_>,
        sink: &mut S,
    ) -> Result<Progress, Unanswered> {
        let mut turn = Turn::of_rows(sink);
        loop {
            match walker.advance(&self.tree, query, &mut turn) {
                Progress::Full { .. } if turn.is_over() => turn.next().await,
                Progress::Load(group) => self.load(group, query.arrived).await?,
                progress => return Ok(progress),
            }
        }
    }

    async fn load(&self, group: GroupId, arrived: Instant) -> Result<(), Unanswered> {
        self.loads.load(&self.tree, group, arrived).await.map_err(|_| Unanswered::Load)
    }

    async fn ask(&self, walker: &mut Walker) -> Result<(), RegionFailed> {
        let question = walker.question().filter(|question| question.passed_over < MAX_PASSED_OVER);
        let question = question.ok_or(RegionFailed)?;
        let handler = self.regions.get(question.region.position()).ok_or(RegionFailed)?;
        let answer = handler.ask(question.name, question.aim).await?;
        walker.answered(answer);
        Ok(())
    }
}
