//! How much of tables that are read whole is in flight.
//!
//! Before a whole table is kept it is in memory as the text of an answer, and as rows. Both have a length at which a session gives
//! up. It begins small, and a session that gave up is replaced by one that takes four times as much: so it is known before a request is
//! sent what it may need at most, and requests wait until there is room for that.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long an answer may be that a session with a device takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Longest(usize);

impl Longest {
    /// That of the first session with a device.
    pub const FIRST: Longest = Longest(256 << 10);

    /// The most that a session ever takes.
    pub const MOST: Longest = Longest(16 << 20);

    /// Octets of an answer.
    #[must_use]
    pub const fn octets(self) -> usize {
        self.0
    }

    /// Octets of the rows that are made of an answer.
    pub(crate) const fn rows(self) -> usize {
        self.0 * ROWS
    }

    /// The next one, if that is not too much. All members may grow at once, and each step costs an answer in part: there are few.
    pub(crate) fn longer(self) -> Option<Self> {
        Some(Longest(self.0 * 4)).filter(|longer| *longer <= Self::MOST)
    }

    /// What a request for a table needs, in units of the semaphores.
    const fn need(self) -> u32 {
        ((self.0 + self.rows()) / UNIT) as u32
    }
}

/// Room for whole tables in flight, of all devices together.
#[derive(Debug)]
pub(crate) struct Tables {
    /// For those that are short: they do not wait for long ones.
    short: Arc<Semaphore>,
    /// For all others: one of the longest, or several.
    long: Arc<Semaphore>,
}

/// What a request for a whole table has of it, until its rows are kept.
pub(crate) type Room = OwnedSemaphorePermit;

impl Tables {
    pub fn new() -> Self {
        let of = |octets: usize| Arc::new(Semaphore::new(octets / UNIT));
        Tables { short: of(SHORT), long: of(LONG) }
    }

    /// Waits until a table may be requested, in the order of those who wait. `None` would be a semaphore that is closed, which it
    /// never is.
    pub async fn room(&self, longest: Longest) -> Option<Room> {
        let of = if longest <= SHORTER { &self.short } else { &self.long };
        of.clone().acquire_many_owned(longest.need()).await.ok()
    }
}

/// Octets of rows for each octet of an answer: a number has some 40 in an answer, and 32 in a row.
const ROWS: usize = 2;

/// Octets of short tables, and what is such a one.
const SHORT: usize = 16 << 20;
const SHORTER: Longest = Longest(1 << 20);

/// Octets of others.
const LONG: usize = Longest::MOST.0 + Longest::MOST.rows();

const UNIT: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Room, if there is some at once.
    fn now(tables: &Tables, longest: Longest) -> Option<Room> {
        match pin!(tables.room(longest)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(room) => room,
            Poll::Pending => None,
        }
    }

    fn sizes() -> impl Iterator<Item = Longest> {
        std::iter::successors(Some(Longest::FIRST), |longest| longest.longer())
    }

    #[test]
    fn what_is_in_flight_has_a_bound_whatever_is_requested() {
        assert_eq!(sizes().last(), Some(Longest::MOST));
        let tables = Tables::new();
        let mut most = 0;
        for longest in sizes() {
            let held: Vec<Room> = std::iter::from_fn(|| now(&tables, longest)).collect();
            assert!(!held.is_empty(), "each gets its turn: {longest:?}");
            most = most.max(held.len() * (longest.octets() + longest.rows()));
        }
        assert_eq!(most, LONG);
        let mixed: Vec<(Longest, Room)> = sizes()
            .flat_map(|longest| {
                std::iter::from_fn(|| now(&tables, longest))
                    .map(move |room| (longest, room))
                    .collect::<Vec<_>>()
            })
            .collect();
        let held: usize = mixed.iter().map(|(longest, _)| longest.octets() + longest.rows()).sum();
        assert!(held > LONG && held <= SHORT + LONG, "{held}");
        assert!(sizes().all(|longest| now(&tables, longest).is_none()));
        drop(mixed);
        assert!(now(&tables, Longest::MOST).is_some());
    }

    #[test]
    fn short_tables_do_not_wait_for_long_ones_and_a_long_one_gets_its_turn() {
        let tables = Tables::new();
        let first = now(&tables, Longest::MOST).unwrap();
        let mut second = pin!(tables.room(Longest::MOST));
        let mut context = Context::from_waker(Waker::noop());
        assert!(second.as_mut().poll(&mut context).is_pending());
        let short: Vec<Room> = std::iter::from_fn(|| now(&tables, Longest::FIRST)).collect();
        assert!(short.len() >= 20, "{}", short.len());
        // One that needs less came later.
        let less = Longest(2 << 20);
        assert!(now(&tables, less).is_none());
        drop(first);
        assert!(now(&tables, less).is_none(), "before the one that waits");
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}
