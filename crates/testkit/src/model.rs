//! Get, GetNext and GetBulk over a map, as RFC 3416 words them. It knows neither columns nor runs,
//! snapshots nor loads, and so shares no mistake with the tree.

use std::collections::BTreeMap;
use std::ops::Bound;

use trunkline_smi::{Oid, Value};
use trunkline_tree::{Exception, Operation};

use crate::recording::Answer;

/// Everything that a principal may see.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The object types of which the principal may see an instance, if there is one.
    pub objects: Vec<Oid>,
    /// Those of which it may see none, where they are below others: regions leave objects in their places.
    pub hidden: Vec<Oid>,
    /// The instances that the principal may see.
    pub instances: BTreeMap<Oid, Value>,
}

impl Model {
    /// The answer to a request of any of the three kinds.
    pub fn ask(&self, operation: Operation, names: &[Oid]) -> Vec<Answer> {
        match operation {
            Operation::Get => names.iter().map(|name| self.get(name)).collect(),
            Operation::Next => names.iter().map(|name| self.next(name)).collect(),
            Operation::Bulk { non_repeaters, max_repetitions } => {
                self.bulk(non_repeaters, max_repetitions, names)
            }
        }
    }

    /// RFC 3416 section 4.2.1.
    pub fn get(&self, name: &Oid) -> Answer {
        let outcome = match self.instances.get(name) {
            Some(value) => Ok(value.clone()),
            None if self.hidden.iter().any(|object| name.starts_with(object)) => Err(Exception::NoSuchObject),
            None if self.objects.iter().any(|object| name.starts_with(object)) => {
                Err(Exception::NoSuchInstance)
            }
            None => Err(Exception::NoSuchObject),
        };
        Answer { name: name.clone(), outcome }
    }

    /// RFC 3416 section 4.2.2.
    pub fn next(&self, name: &Oid) -> Answer {
        let mut behind = self.instances.range((Bound::Excluded(name.clone()), Bound::Unbounded));
        match behind.next() {
            Some((name, value)) => Answer { name: name.clone(), outcome: Ok(value.clone()) },
            None => Answer { name: name.clone(), outcome: Err(Exception::EndOfMibView) },
        }
    }

    /// RFC 3416 section 4.2.3, ending after the first repetition that is all endOfMibView.
    pub fn bulk(&self, non_repeaters: usize, max_repetitions: usize, names: &[Oid]) -> Vec<Answer> {
        let (once, repeated) = names.split_at(non_repeaters.min(names.len()));
        let mut answers: Vec<Answer> = once.iter().map(|name| self.next(name)).collect();
        let mut names = repeated.to_vec();
        for _ in 0..max_repetitions {
            let row: Vec<Answer> = names.iter().map(|name| self.next(name)).collect();
            names = row.iter().map(|answer| answer.name.clone()).collect();
            let at_end = row.iter().all(|answer| answer.outcome == Err(Exception::EndOfMibView));
            answers.extend(row);
            if at_end {
                break;
            }
        }
        answers
    }
}
