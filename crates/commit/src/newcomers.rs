//! Interfaces that have appeared while the agent runs, on their way from the thread that watches links to the one that configures them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// Those that nobody has looked at yet.
#[derive(Debug, Default)]
pub struct Newcomers {
    waiting: Mutex<Waiting>,
    come: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    names: BTreeSet<String>,
    are_too_many: bool,
}

/// What has appeared.
#[derive(Debug, PartialEq, Eq)]
pub enum Come {
    /// Interfaces of these names.
    These(BTreeSet<String>),
    /// More than are remembered: it may be any.
    Any,
}

impl Newcomers {
    /// An interface has appeared; does not wait.
    pub fn tell(&self, name: &str) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.names.len() >= MOST && !waiting.names.contains(name) {
            (waiting.names, waiting.are_too_many) = (BTreeSet::new(), true);
        }
        if !waiting.are_too_many {
            waiting.names.insert(name.to_owned());
        }
        drop(waiting);
        self.come.notify_one();
    }

    /// Waits until something has appeared since this was last called.
    pub async fn next(&self) -> Come {
        loop {
            let Waiting { names, are_too_many } =
                std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
            if are_too_many {
                return Come::Any;
            }
            if !names.is_empty() {
                return Come::These(names);
            }
            self.come.notified().await;
        }
    }
}

/// Names that are remembered: beyond that, looking at all that is configured costs no more.
const MOST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_comes_is_remembered_once_and_within_bounds() {
        let newcomers = Newcomers::default();
        ["b", "a", "b"].into_iter().for_each(|name| newcomers.tell(name));
        assert_eq!(newcomers.next().await, Come::These(["a".to_owned(), "b".to_owned()].into()));
        (0..=MOST).for_each(|at| newcomers.tell(&format!("i{at}")));
        newcomers.tell("c");
        assert_eq!(newcomers.next().await, Come::Any);
        newcomers.tell("c");
        assert_eq!(newcomers.next().await, Come::These(["c".to_owned()].into()));
    }
}
