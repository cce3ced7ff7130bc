//! Answers of slow agents: they wait in a heap of bounded size, and a thread sends each at its time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use trunkline_transport::udp::{ReplyHandle, ReplyTo};

/// Where answers wait.
#[derive(Clone)]
pub struct Delayed {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

#[derive(Default)]
struct State {
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Buffers to use again.
    free: Vec<Vec<u8>>,
    is_closed: bool,
}

struct Waiting {
    due: Instant,
    to: ReplyTo,
    handle: Arc<ReplyHandle>,
    octets: Vec<u8>,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.due.cmp(&other.due)
    }
}

impl Delayed {
    /// Room for `most` answers, and the thread that sends them.
    pub fn start(most: usize) -> (Self, JoinHandle<()>) {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), most });
        let theirs = Arc::clone(&shared);
        (Self { shared }, thread::spawn(move || theirs.send_all()))
    }

    /// Has an answer sent at its time; `false` if too many wait.
    pub fn push(&self, due: Instant, to: ReplyTo, handle: &Arc<ReplyHandle>, message: &[u8]) -> bool {
        let mut state = self.shared.state();
        if state.waiting.len() >= self.shared.most || state.is_closed {
            return false;
        }
        let mut octets = state.free.pop().unwrap_or_default();
        octets.clear();
        octets.extend_from_slice(message);
        let is_first = state.waiting.peek().is_none_or(|Reverse(first)| due < first.due);
        state.waiting.push(Reverse(Waiting { due, to, handle: Arc::clone(handle), octets }));
        drop(state);
        if is_first {
            self.shared.changed.notify_one();
        }
        true
    }

    /// Forgets what waits, and ends the thread.
    pub fn close(&self) {
        self.shared.state().is_closed = true;
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // The contents are consistent after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_all(&self) {
        let mut state = self.state();
        while !state.is_closed {
            let now = Instant::now();
            let due = state.waiting.peek().map(|Reverse(first)| first.due);
            state = match due {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(due) if due > now => {
                    let waited = self.changed.wait_timeout(state, due - now);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => self.send_first(state),
            };
        }
    }

    fn send_first<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let Some(Reverse(first)) = state.waiting.pop() else { return state };
        drop(state);
        // What the kernel refuses is in the socket's counters.
        let _ = first.handle.send(&first.to, &first.octets);
        let mut state = self.state();
        if state.free.len() < KEPT {
            state.free.push(first.octets);
        }
        state
    }
}

/// Buffers that are kept for later answers.
const KEPT: usize = 4096;
