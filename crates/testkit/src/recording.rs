//! A sink that keeps what it is given, up to a capacity.

use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_tree::{Exception, Name, Room, Sink};

/// One variable binding of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The instance, or the name that was asked for.
    pub name: Oid,
    /// Its value, or why there is none.
    pub outcome: Result<Value, Exception>,
}

/// Keeps answers until it is full.
#[derive(Debug)]
pub struct Recording {
    answers: Vec<Answer>,
    capacity: usize,
}

impl Recording {
    /// A sink for this many bindings.
    pub fn new(capacity: usize) -> Self {
        Recording { answers: Vec::new(), capacity }
    }

    /// What it took.
    pub fn into_answers(self) -> Vec<Answer> {
        self.answers
    }

    fn take(&mut self, name: Name<'_>, outcome: impl FnOnce() -> Result<Value, Exception>) -> Room {
        if self.answers.len() == self.capacity {
            return Room::Full;
        }
        self.answers.push(Answer { name: oid_of(name), outcome: outcome() });
        Room::Taken
    }
}

impl Sink for Recording {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        self.take(name, || Ok(value.to_value()))
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        self.take(name, || Err(exception))
    }
}

/// The whole name in one piece.
pub fn oid_of(name: Name<'_>) -> Oid {
    match name {
        Name::Instance(leaf, index) => Oid::EMPTY.child(leaf.oid()).child(index),
        Name::Asked(name) => Oid::EMPTY.child(name),
    }
}
