//! A sink that keeps its values, up to a capacity.

use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_tree::{Exception, Leaf, Name, Room, Rows, Sink};

/// One variable binding of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The instance, or the requested name.
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

    /// The values.
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

    /// Trusts, as an encoder of whole runs does, that every row of a run has its cell.
    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        let row = |at: usize| {
            let value = rows.value(at).expect("a run has no holes");
            self.value(Name::Instance(leaf, rows.row_index(at)), value)
        };
        (0..rows.len()).map(row).take_while(|room| *room == Room::Taken).count()
    }
}

/// The whole name in one piece.
pub fn oid_of(name: Name<'_>) -> Oid {
    match name {
        Name::Instance(leaf, index) => Oid::EMPTY.child(leaf.oid()).child(index),
        Name::Asked(name) => Oid::EMPTY.child(name),
    }
}
