//! `[[proxy]]` for a subtree: another agent answers for it, under these names or others.
//!
//! An instance is requested with a Get, the next one with a GetNext. If one GetNext continues where the last one
//! ended, as in a walk, the next instances are fetched with one GetBulk and cached for a moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use trunkline_smi::{MAX_SUB_IDS, Oid, Value};
use trunkline_snmp::wire::{Bound, ErrorStatus, Exception, VarBind, Version};
use trunkline_tree::{Aim, Question, Region, RegionAnswer, SetCheck, SetError, SetItem, SetTransaction};

use super::handler::{Asking, RegionFailed, RegionHandler, without_answer};
use super::pass::MAX_WAITING;
use super::refusal;
use super::remote::Remote;

/// A subtree that another agent answers for.
pub struct Proxy {
    remote: Arc<Remote>,
    places: Places,
    ahead: Mutex<Ahead>,
    /// An agent that does not answer must not hold all places that the door has for requests that wait.
    waiting: Semaphore,
}

/// The position of the subtree here and there.
#[derive(Clone, Debug)]
struct Places {
    here: Oid,
    there: Oid,
}

/// The cached instances after the last answers.
#[derive(Default)]
struct Ahead {
    /// By the name before it.
    fetched: HashMap<Oid, (Oid, Value)>,
    /// Names that were answered.
    answered: HashMap<Oid, ()>,
    since: Option<Instant>,
}

struct Transaction {
    remote: Arc<Remote>,
    runtime: Handle,
    items: Vec<usize>,
    bindings: Vec<VarBind>,
    is_done: bool,
}

impl Proxy {
    /// A subtree here that is `there` at the other agent.
    pub fn new(remote: Arc<Remote>, here: Oid, there: Oid) -> Self {
        Proxy {
            remote,
            places: Places { here, there },
            ahead: Mutex::default(),
            waiting: Semaphore::new(MAX_WAITING),
        }
    }

    async fn get(&self, name: Oid) -> Result<RegionAnswer, RegionFailed> {
        let answer = self.remote.get(&[name]).await.ok_or(RegionFailed)?;
        match answer.status() {
            Some(ErrorStatus::NoError) => {}
            // An agent of SNMPv1.
            Some(ErrorStatus::NoSuchName) => return Ok(RegionAnswer::Nothing),
            _ => return Err(self.failed(answer.error_status)),
        }
        let found = answer.bindings.into_iter().next().ok_or(RegionFailed)?;
        Ok(match found.value {
            Bound::Exception(Exception::NoSuchObject) => RegionAnswer::NoSuchObject,
            Bound::Value(value) => self.here(&found.name, value),
            _ => RegionAnswer::Nothing,
        })
    }

    async fn next(&self, name: Oid) -> Result<RegionAnswer, RegionFailed> {
        let (known, is_walk) = self.ahead().of(&name);
        if let Some((found, value)) = known {
            return Ok(self.here(&found, value));
        }
        let answer = match is_walk && self.remote.version() != Version::V1 {
            true => self.remote.bulk(AHEAD, &name).await,
            false => self.remote.next(&name).await,
        };
        let answer = answer.ok_or(RegionFailed)?;
        match answer.status() {
            Some(ErrorStatus::NoError) => {}
            Some(ErrorStatus::NoSuchName) => return Ok(RegionAnswer::Nothing),
            _ => return Err(self.failed(answer.error_status)),
        }
        let mut found = answer.bindings.into_iter().filter_map(|binding| match binding.value {
            Bound::Value(value) => Some((binding.name, value)),
            _ => None,
        });
        let Some((first, value)) = found.next() else { return Ok(RegionAnswer::Nothing) };
        self.ahead().keep(&first, found);
        Ok(self.here(&first, value))
    }

    fn failed(&self, status: i32) -> RegionFailed {
        let name = ErrorStatus::from_code(status).map_or("an unknown error", ErrorStatus::name);
        self.remote.complain(format_args!("it answers {name}"));
        RegionFailed
    }

    /// Maps an instance of the other agent to its name here; `None` for one outside the subtree.
    fn here(&self, name: &[u32], value: Value) -> RegionAnswer {
        let found = self.places.here_of(name).map(|name| (name, value));
        found.into()
    }

    fn ahead(&self) -> std::sync::MutexGuard<'_, Ahead> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        ahead.forget_old(Instant::now());
        ahead
    }
}

impl Places {
    /// A name as the other agent has it; `None`: too long there.
    fn there_of(&self, name: &[u32]) -> Option<Oid> {
        moved(name, &self.here, &self.there)
    }

    fn here_of(&self, name: &[u32]) -> Option<Oid> {
        moved(name, &self.there, &self.here)
    }
}

fn moved(name: &[u32], from: &[u32], to: &Oid) -> Option<Oid> {
    let behind = name.strip_prefix(from)?;
    (to.len() + behind.len() <= MAX_SUB_IDS).then(|| to.child(behind))
}

impl Ahead {
    /// The cached instance after a name, and whether that name was the previous answer.
    fn of(&mut self, name: &Oid) -> (Option<(Oid, Value)>, bool) {
        let known = self.fetched.remove(name);
        let is_walk = self.answered.remove(name).is_some();
        if let Some((found, _)) = &known {
            self.answered.insert(found.clone(), ());
        }
        (known, is_walk)
    }

    /// Caches the instances after the first one, as far as they are in order.
    fn keep(&mut self, first: &Oid, more: impl Iterator<Item = (Oid, Value)>) {
        self.since.get_or_insert_with(Instant::now);
        if self.answered.len() + self.fetched.len() > MOST_KEPT {
            (self.answered, self.fetched) = Default::default();
        }
        self.answered.insert(first.clone(), ());
        let mut before = first.clone();
        for (name, value) in more {
            if name <= before {
                break;
            }
            self.fetched.insert(before, (name.clone(), value));
            before = name;
        }
    }

    fn forget_old(&mut self, now: Instant) {
        if self.since.is_some_and(|since| now.saturating_duration_since(since) > KEPT_FOR) {
            *self = Ahead::default();
        }
    }
}

impl RegionHandler for Proxy {
    fn ask<'a>(&'a self, Question { name, aim, .. }: Question<'a>) -> Asking<'a> {
        Box::pin(async move {
            let Ok(_waiting) = self.waiting.try_acquire() else { return Err(RegionFailed) };
            let Some(name) = self.places.there_of(name) else { return Ok(RegionAnswer::Nothing) };
            match aim {
                Aim::Exactly => self.get(name).await,
                Aim::Behind => self.next(name).await,
                // A search that enters from before the subtree skips it if the other agent does not answer; a
                // request within the subtree gets the error. An instance with the name of the whole subtree is
                // not looked for.
                Aim::AtOrBehind => self.next(name).await.or_else(|_| without_answer(aim)),
            }
        })
    }
}

impl Region for Proxy {
    /// The other agent checks and writes in one step: all of the items, or none.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let binding = |item: &SetItem<'_>| {
            let name = self.places.there_of(&[item.object, item.index].concat());
            let name = name.ok_or_else(|| SetError {
                binding: item.binding,
                check: SetCheck::NoCreation,
                reason: "the name is too long at the other agent".into(),
            })?;
            Ok(VarBind::new(name, item.value.to_value()))
        };
        *self.ahead() = Ahead::default();
        // The session's sockets belong to the runtime, which sets are sent away from to a thread that may block.
        let runtime = Handle::try_current().map_err(|error| SetError {
            binding: items.first().map_or(0, |item| item.binding),
            check: SetCheck::ResourceUnavailable,
            reason: error.to_string(),
        })?;
        Ok(Box::new(Transaction {
            remote: self.remote.clone(),
            runtime,
            items: items.iter().map(|item| item.binding).collect(),
            bindings: items.iter().map(binding).collect::<Result<_, _>>()?,
            is_done: false,
        }))
    }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        let first = self.items.first().copied().unwrap_or(0);
        let refuse = |binding, check, reason: String| Err(SetError { binding, check, reason });
        let Some(answer) = self.runtime.block_on(self.remote.set(&self.bindings)) else {
            return refuse(first, SetCheck::CommitFailed, "no answer from the other agent".into());
        };
        let status = answer.status().unwrap_or(ErrorStatus::GenErr);
        if status == ErrorStatus::NoError {
            self.is_done = true;
            return Ok(());
        }
        let index = usize::try_from(answer.error_index).ok().and_then(|index| index.checked_sub(1));
        let guilty = index.and_then(|index| self.items.get(index)).copied().unwrap_or(first);
        refuse(guilty, refusal::check_of(status), format!("the other agent answers {}", status.name()))
    }

    /// Another agent has no undo.
    fn undo(&mut self) -> Result<(), SetError> {
        match self.is_done {
            false => Ok(()),
            true => Err(SetError {
                binding: self.items.first().copied().unwrap_or(0),
                check: SetCheck::CommitFailed,
                reason: "another agent cannot undo a set".into(),
            }),
        }
    }
}

/// Instances that are fetched at once in a walk.
const AHEAD: u32 = 20;

/// How old what was fetched ahead may be: as old as our own data by default.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// Names that are kept at most.
const MOST_KEPT: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_move_between_the_subtrees() {
        let places = Places { here: Oid::from([1, 3, 9]), there: Oid::from([1, 3, 6, 1]) };
        assert_eq!(places.there_of(&[1, 3, 9, 7, 0]), Some(Oid::from([1, 3, 6, 1, 7, 0])));
        assert_eq!(places.here_of(&[1, 3, 6, 1]), Some(Oid::from([1, 3, 9])));
        assert_eq!(places.here_of(&[1, 3, 6, 2]), None);
        let long: Vec<u32> = [&[1, 3, 9][..], &[1; 125]].concat();
        assert_eq!(places.there_of(&long), None);
    }

    #[test]
    fn prefetched_values_are_returned_once_and_in_order() {
        let name = |last| Oid::from([1, last]);
        let mut ahead = Ahead::default();
        let more = [(name(2), Value::Integer(2)), (name(3), Value::Integer(3)), (name(3), Value::Integer(9))];
        ahead.keep(&name(1), more.into_iter());
        assert_eq!(ahead.of(&name(1)), (Some((name(2), Value::Integer(2))), true));
        assert_eq!(ahead.of(&name(1)), (None, false));
        assert_eq!(ahead.of(&name(2)), (Some((name(3), Value::Integer(3))), true));
        assert_eq!(ahead.of(&name(3)), (None, true));
        assert_eq!(ahead.of(&name(4)), (None, false));
        ahead.keep(&name(1), [(name(2), Value::Integer(2))].into_iter());
        ahead.forget_old(Instant::now() + 2 * KEPT_FOR);
        assert_eq!(ahead.of(&name(1)), (None, false));
    }
}
