//! Subagents as regions of the tree: a search is one GetNext, or one GetBulk where several instances are of use, and a
//! set is a transaction in three phases (RFC 2741 section 7.2.4).

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use trunkline_agentx::wire::{Pdu, SearchRange};
use trunkline_smi::{Oid, VarBind};
use trunkline_snmp::wire::ErrorStatus;
use trunkline_tree::{Aim, Question, Region, RegionAnswer, SetCheck, SetError, SetItem, SetTransaction};

use super::audit::{self, Wrong};
use super::link::Answer;
use super::session::{NoAnswer, Session, Transactions};
use crate::handler::{Asking, RegionFailed, RegionHandler, Together, without_answer};

/// What a session answers for in one context.
pub(super) struct Subagent {
    pub session: Arc<Session>,
    pub context: Vec<u8>,
    pub transactions: Arc<Transactions>,
    /// How long a phase of a set may take: as long as its slowest subtree.
    pub limit: Duration,
}

/// One of its subtrees.
pub(crate) struct Subtree {
    pub(super) subagent: Arc<Subagent>,
    pub(super) root: Oid,
    /// How long a request may take.
    pub(super) limit: Duration,
}

impl Subtree {
    /// Whether questions to both go into one packet.
    pub(crate) fn is_with(&self, other: &Subtree) -> bool {
        let (one, two) = (&*self.subagent, &*other.subagent);
        Arc::ptr_eq(&one.session, &two.session) && one.context == two.context
    }

    /// Several questions of a request in one packet (RFC 2741 section 7.2.1): all are Gets, or all are searches.
    pub(crate) async fn ask_together(all: &[(Together<'_>, Question<'_>)]) -> Option<Vec<RegionAnswer>> {
        let (Together(first), question) = all.first()?;
        let ranges: Vec<SearchRange> = all.iter().map(|(_, question)| range_of(question)).collect();
        let wanted = all.iter().map(|(_, question)| question.wanted).min()?;
        let most = wanted.min(usize::from(MOST_AT_ONCE) / all.len()).max(1);
        let pdu = match (question.aim, u16::try_from(most)) {
            (Aim::Exactly, _) => Pdu::Get(ranges),
            (_, Ok(max_repetitions @ 2..)) => Pdu::GetBulk { non_repeaters: 0, max_repetitions, ranges },
            _ => Pdu::GetNext(ranges),
        };
        let limit = all.iter().map(|(Together(subtree), _)| subtree.limit).max()?;
        let Answer { error, bindings, .. } = first.request_within(pdu, limit).await.ok()?;
        if error != 0 || bindings.len() < all.len() || bindings.len() > all.len() * most {
            return None;
        }
        let mut columns: Vec<Vec<VarBind>> = vec![Vec::new(); all.len()];
        for (at, binding) in bindings.into_iter().enumerate() {
            columns[at % all.len()].push(binding);
        }
        let answers = all.iter().zip(columns).map(|((Together(subtree), question), bindings)| {
            let answer = Answer { error: 0, index: 0, bindings };
            match question.aim {
                Aim::Exactly => audit::instance(answer, question.name).ok(),
                Aim::Behind | Aim::AtOrBehind => Some(subtree.believed(answer, question, most)),
            }
        });
        answers.collect()
    }

    async fn get(&self, name: &[u32]) -> Result<RegionAnswer, RegionFailed> {
        let range = SearchRange { start: Oid::EMPTY.child(name), include: false, end: None };
        match self.request_within(Pdu::Get(vec![range]), self.limit).await {
            Ok(answer) => audit::instance(answer, name).map_err(|wrong| self.complain(wrong)),
            Err(NoAnswer::Gone) => Ok(RegionAnswer::NoSuchObject),
            Err(NoAnswer::Failed) => Err(RegionFailed),
        }
    }

    async fn search(&self, question: Question<'_>) -> Result<RegionAnswer, RegionFailed> {
        let range = range_of(&question);
        let most = question.wanted.clamp(1, MOST_AT_ONCE.into());
        let pdu = match u16::try_from(most).unwrap_or(MOST_AT_ONCE) {
            1 => Pdu::GetNext(vec![range]),
            max_repetitions => Pdu::GetBulk { non_repeaters: 0, max_repetitions, ranges: vec![range] },
        };
        match self.request_within(pdu, self.limit).await {
            Ok(answer) => Ok(self.believed(answer, &question, most)),
            Err(_) => without_answer(question.aim),
        }
    }

    fn believed(&self, answer: Answer, question: &Question<'_>, most: usize) -> RegionAnswer {
        let (answer, wrong) = audit::search(answer, question, &self.root, most);
        if let Some(wrong) = wrong {
            self.complain(wrong);
        }
        answer
    }

    async fn request_within(&self, pdu: Pdu, limit: Duration) -> Result<Answer, NoAnswer> {
        let Subagent { session, context, transactions, .. } = &*self.subagent;
        session.request(transactions.next(), context, pdu, (&self.root, limit)).await
    }

    fn complain(&self, (fault, what): Wrong) -> RegionFailed {
        self.subagent.session.complain(fault, what);
        RegionFailed
    }
}

fn range_of(question: &Question<'_>) -> SearchRange {
    SearchRange {
        start: Oid::EMPTY.child(question.name),
        include: question.aim == Aim::AtOrBehind,
        end: question.end.map(|end| Oid::EMPTY.child(end)),
    }
}

impl RegionHandler for Subtree {
    fn together(&self) -> Option<Together<'_>> {
        Some(Together(self))
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(async move {
            match question.aim {
                Aim::Exactly => self.get(question.name).await,
                Aim::Behind | Aim::AtOrBehind => self.search(question).await,
            }
        })
    }
}

/// A set that a subagent has been told of.
struct Transaction {
    subagent: Arc<Subagent>,
    runtime: Handle,
    number: u32,
    /// Which bindings of the request are here.
    items: Vec<usize>,
    /// The first one's name.
    about: Oid,
    /// CleanupSet is still to be sent.
    is_open: bool,
    /// CommitSet was sent: it may have changed something.
    is_committed: bool,
}

impl Region for Subagent {
    /// TestSet.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let binding = |item: &SetItem<'_>| {
            VarBind::new(Oid::EMPTY.child(item.object).child(item.index), item.value.to_value())
        };
        let first = items.first().map_or(0, |item| item.binding);
        // The requests belong to the runtime, which sets are sent away from to a thread that may block.
        let runtime = Handle::try_current().map_err(|error| SetError {
            binding: first,
            check: SetCheck::ResourceUnavailable,
            reason: error.to_string(),
        })?;
        let subagent = Arc::new(self.another());
        let mut transaction = Transaction {
            subagent,
            runtime,
            number: self.transactions.next(),
            items: items.iter().map(|item| item.binding).collect(),
            about: items.first().map_or(Oid::EMPTY, |item| Oid::EMPTY.child(item.object).child(item.index)),
            is_open: true,
            is_committed: false,
        };
        transaction.phase(Pdu::TestSet(items.iter().map(binding).collect()))?;
        Ok(Box::new(transaction))
    }
}

impl Subagent {
    fn another(&self) -> Subagent {
        Subagent {
            session: self.session.clone(),
            context: self.context.clone(),
            transactions: self.transactions.clone(),
            limit: self.limit,
        }
    }
}

impl Transaction {
    /// One phase.
    fn phase(&mut self, pdu: Pdu) -> Result<(), SetError> {
        let name = pdu.name();
        let first = self.items.first().copied().unwrap_or(0);
        let Subagent { session, context, limit, .. } = &*self.subagent;
        let answer = self.runtime.block_on(session.request(self.number, context, pdu, (&self.about, *limit)));
        let Ok(answer) = answer else {
            let reason = format!("the subagent {} does not answer {name}", session.name);
            return Err(SetError { binding: first, check: SetCheck::ResourceUnavailable, reason });
        };
        if answer.error == 0 {
            return Ok(());
        }
        let status = ErrorStatus::from_code(answer.error.into()).unwrap_or(ErrorStatus::GenErr);
        let guilty = usize::from(answer.index).checked_sub(1).and_then(|at| self.items.get(at));
        let reason = format!("the subagent {} answers {name} with {}", session.name, status.name());
        let binding = guilty.copied().unwrap_or(first);
        Err(SetError { binding, check: crate::refusal::check_of(status), reason })
    }
}

fn commit_failed(error: SetError) -> SetError {
    SetError { check: SetCheck::CommitFailed, ..error }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        // One that fails is undone, too (RFC 2741 section 7.2.5.5): a part of it may have been done, also without an answer,
        // and those of Net-SNMP's library take a CleanupSet here for the success of what has.
        self.is_committed = true;
        self.phase(Pdu::CommitSet).map_err(commit_failed)
    }

    fn undo(&mut self) -> Result<(), SetError> {
        if !std::mem::take(&mut self.is_committed) {
            return Ok(());
        }
        // UndoSet ends the transaction as CleanupSet does.
        self.is_open = false;
        self.phase(Pdu::UndoSet).map_err(commit_failed)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if self.is_open {
            self.subagent.session.tell(self.number, Pdu::CleanupSet);
        }
    }
}

/// Instances of one response, at most: what fits into an answer of SNMP over Ethernet takes one question.
const MOST_AT_ONCE: u16 = 128;
