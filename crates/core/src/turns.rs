//! Whose turn it is to have an expression evaluated: one at a time, and of those who wait each user in turn. Within a user the one that
//! has waited longest is next: a session waits with one at a time, so that sessions take turns, too. One that is not waited for any more
//! has no turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The turns of a door.
#[derive(Clone, Default)]
pub struct Turns(Arc<Mutex<Line>>);

#[derive(Default)]
struct Line {
    is_taken: bool,
    /// Users who wait, the next one first, each with those that wait for it.
    users: VecDeque<(Vec<u8>, VecDeque<oneshot::Sender<Turn>>)>,
}

/// A turn, until this is dropped.
pub struct Turn(Option<Turns>);

impl Turns {
    /// Waits for the user's turn. `None`: nobody gives turns any more.
    pub async fn of(&self, user: &[u8]) -> Option<Turn> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut line = self.line();
            if !line.is_taken {
                line.is_taken = true;
                return Some(Turn(Some(self.clone())));
            }
            match line.users.iter_mut().find(|(name, _)| name == user) {
                Some((_, waiting)) => waiting.push_back(sender),
                None => line.users.push_back((user.to_vec(), VecDeque::from([sender]))),
            }
        }
        receiver.await.ok()
    }

    fn pass_on(&self) {
        while let Some(next) = self.next() {
            match next.send(Turn(Some(self.clone()))) {
                Ok(()) => return,
                // It has gone; its turn is not to pass anything on.
                Err(mut turn) => turn.0 = None,
            }
        }
    }

    fn next(&self) -> Option<oneshot::Sender<Turn>> {
        let mut line = self.line();
        while let Some((user, mut waiting)) = line.users.pop_front() {
            let next = waiting.pop_front();
            if !waiting.is_empty() {
                line.users.push_back((user, waiting));
            }
            if next.is_some() {
                return next;
            }
        }
        line.is_taken = false;
        None
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;

    /// Whose turns follow, of those who begin to wait in this order while somebody has one.
    async fn order(waiting: &[&'static str], gone: &[usize]) -> Vec<(&'static str, usize)> {
        let turns = Turns::default();
        let first = turns.of(b"max").await;
        let mut waits = Vec::new();
        for (at, user) in waiting.iter().copied().enumerate() {
            let mut wait = Box::pin(turns.of(user.as_bytes()));
            let is_pending = poll_fn(|cx| Poll::Ready(wait.as_mut().poll(cx).is_pending())).await;
            assert!(is_pending);
            waits.push(Some((user, at, wait)));
        }
        gone.iter().for_each(|at| waits[*at] = None);
        drop(first);
        let mut order = Vec::new();
        loop {
            let mut next = None;
            for wait in &mut waits {
                let Some((user, at, future)) = wait else { continue };
                let polled = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await;
                if let Poll::Ready(turn) = polled {
                    assert!(next.is_none(), "one at a time");
                    next = Some(turn);
                    order.push((*user, *at));
                    *wait = None;
                }
            }
            if next.is_none() {
                break;
            }
        }
        // Nobody waits, so that the next one need not.
        assert!(!turns.line().is_taken && turns.line().users.is_empty());
        order
    }

    #[tokio::test]
    async fn users_take_turns() {
        let order = order(&["ann", "ann", "ann", "max", "ann", "bob"], &[]).await;
        assert_eq!(order, [("ann", 0), ("max", 3), ("bob", 5), ("ann", 1), ("ann", 2), ("ann", 4)]);
    }

    #[tokio::test]
    async fn those_that_have_gone_have_no_turn() {
        assert_eq!(order(&["ann", "ann", "max", "bob"], &[0, 2]).await, [("bob", 3), ("ann", 1)]);
        assert_eq!(order(&["ann"], &[0]).await, []);
    }
}
