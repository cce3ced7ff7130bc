//! Retrieval that waits: for loads, and for answers of regions. A long one lets other requests run in between.

mod turn;

use std::time::Instant;

use trunkline_tree::{
    GroupId, Progress, Query, Question, RegionAnswer, RowQuery, RowSink, RowWalker, Sink, Upcoming, Walker,
};

use self::turn::Turn;

use super::Served;
use trunkline_regions::{RegionFailed, RegionHandler, Together};

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

/// Questions that go to a subagent in one packet besides the first, at most.
const MOST_TOGETHER: usize = 63;

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
        self.retrieve_apart(walker, query, sink, None).await
    }

    /// The same, which ends where this group would have to be loaded: for what is asked while that group is loaded.
    pub(crate) async fn retrieve_apart<S: Sink>(
        &self,
        walker: &mut Walker,
        query: &Query<'_>,
        sink: &mut S,
        apart: Option<GroupId>,
    ) -> Result<Progress, Unanswered> {
        let mut turn = Turn::of_values(sink);
        loop {
            match walker.advance(&self.tree, query, &mut turn) {
                Progress::Full { .. } if turn.is_over() => turn.next().await,
                Progress::Load(group) if Some(group) == apart => return Ok(Progress::Load(group)),
                Progress::Load(group) => self.load(group, query.arrived).await?,
                Progress::Ask(_) => self.ask(walker, query).await.map_err(|_| Unanswered::Region)?,
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

    async fn ask(&self, walker: &mut Walker, query: &Query<'_>) -> Result<(), RegionFailed> {
        let question = walker.question().filter(|question| question.passed_over < MAX_PASSED_OVER);
        let question = question.ok_or(RegionFailed)?;
        let handler = self.handler(&question)?;
        if let Some(first) = handler.together() {
            let may_go = |upcoming: &Upcoming| {
                let handler = self.handler(&upcoming.question());
                handler.is_ok_and(|handler| handler.together().is_some_and(|other| other.is_with(&first)))
            };
            let mut others = walker.upcoming(&self.tree, query, MOST_TOGETHER);
            others.retain(may_go);
            if let Some((answer, early)) = self.together((first, question), others).await {
                walker.answered(answer);
                early.into_iter().for_each(|(upcoming, answer)| walker.answered_early(upcoming, answer));
                return Ok(());
            }
        }
        let question = walker.question().ok_or(RegionFailed)?;
        let answer = self.handler(&question)?.ask(question).await?;
        walker.answered(answer);
        Ok(())
    }

    /// The answer to a question with those to others that went with it, if there are any.
    async fn together(
        &self,
        first: (Together<'_>, Question<'_>),
        others: Vec<Upcoming>,
    ) -> Option<(RegionAnswer, Vec<(Upcoming, RegionAnswer)>)> {
        if others.is_empty() {
            return None;
        }
        let mut all = vec![first];
        for upcoming in &others {
            let question = upcoming.question();
            all.push((self.handler(&question).ok()?.together()?, question));
        }
        let mut answers = Together::ask(&all).await?.into_iter();
        let answer = answers.next()?;
        Some((answer, others.into_iter().zip(answers).collect()))
    }

    fn handler(&self, question: &Question<'_>) -> Result<&dyn RegionHandler, RegionFailed> {
        self.regions.get(question.region.position()).map(|handler| &**handler).ok_or(RegionFailed)
    }
}
