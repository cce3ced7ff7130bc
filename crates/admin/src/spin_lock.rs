//! TestAndIncr (RFC 2579): a number with which managers coordinate their sets. Writing it succeeds only with its
//! present value, and increments it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Instant;

use trunkline_smi::{Value, ValueRef};
use trunkline_tree::{Live, SetCheck, SetError, SetItem};

/// The number, shared between readers and setters.
#[derive(Clone, Debug)]
pub struct SpinLock(Arc<AtomicI32>);

/// A set of the number that has passed the first phase.
#[derive(Debug)]
pub struct Increment {
    lock: SpinLock,
    binding: usize,
    expected: i32,
    done: bool,
}

impl SpinLock {
    /// A lock that starts here; the sign is of no account. A random start lets a manager notice a restart.
    pub fn new(start: i32) -> Self {
        SpinLock(Arc::new(AtomicI32::new(start & i32::MAX)))
    }

    /// The lock as an instance to be read.
    pub fn live(&self) -> Arc<dyn Live> {
        Arc::new(self.clone())
    }

    /// First phase: whether the value is the present one.
    pub fn prepare(&self, item: &SetItem<'_>) -> Result<Increment, SetError> {
        let expected = match item.value {
            ValueRef::Integer(value) if value == self.0.load(Ordering::Acquire) => value,
            _ => {
                let reason = "another manager was faster".into();
                return Err(SetError { binding: item.binding, check: SetCheck::InconsistentValue, reason });
            }
        };
        Ok(Increment { lock: self.clone(), binding: item.binding, expected, done: false })
    }

    /// The present value.
    pub fn value(&self) -> Value {
        Value::Integer(self.0.load(Ordering::Acquire))
    }
}

impl Live for SpinLock {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::Integer(self.0.load(Ordering::Acquire))
    }
}

impl Increment {
    /// Second phase: after 2^31-1 comes 0.
    pub fn commit(&mut self) -> Result<(), SetError> {
        let next = self.expected.checked_add(1).unwrap_or(0);
        let number = &self.lock.0;
        let swap = number.compare_exchange(self.expected, next, Ordering::AcqRel, Ordering::Acquire);
        self.done = swap.is_ok();
        match swap {
            Ok(_) => Ok(()),
            Err(_) => {
                let reason = "another manager was faster".into();
                Err(SetError { binding: self.binding, check: SetCheck::CommitFailed, reason })
            }
        }
    }

    /// Undoes the commit.
    pub fn undo(&mut self) {
        if std::mem::take(&mut self.done) {
            self.lock.0.store(self.expected, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepare(lock: &SpinLock, value: i32) -> Result<Increment, SetError> {
        lock.prepare(&SetItem {
            binding: 0,
            object: &[],
            name: "lock",
            index: &[0],
            value: ValueRef::Integer(value),
        })
    }

    #[test]
    fn one_of_two_gets_through() {
        let lock = SpinLock::new(i32::MAX);
        assert!(prepare(&lock, 0).is_err());
        let (mut first, mut second) = (prepare(&lock, i32::MAX).unwrap(), prepare(&lock, i32::MAX).unwrap());
        first.commit().unwrap();
        assert_eq!(lock.value(), Value::Integer(0));
        assert!(second.commit().is_err());
        second.undo();
        assert_eq!(lock.value(), Value::Integer(0), "what was not done is not undone");
        first.undo();
        assert_eq!(lock.value(), Value::Integer(i32::MAX));
    }
}
