//! How much of tables that are read whole is in flight.
//!
//! Before a whole table is kept it is in memory as the text of an answer, and as rows. Both have a length at which a session gives
//! up. It begins small, and a session that gave up is replaced by one that takes four times as much: so it is known before a request is
//! sent what it may need at most, and requests wait until there is room for that. Those of the first length take none: each device may
//! have one of these whatever the others do.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep_until};

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
    short: Arc<Class>,
    /// For all others: one of the longest, or several.
    long: Arc<Class>,
}

#[derive(Debug)]
struct Class {
    room: Arc<Semaphore>,
    /// How many wait for it.
    waiting: watch::Sender<usize>,
}

/// What a request for a whole table has of it, until its rows are kept.
#[derive(Debug)]
pub(crate) struct Room {
    class: Arc<Class>,
    since: Instant,
    _permit: OwnedSemaphorePermit,
}

impl Tables {
    pub fn new() -> Self {
        let of = |octets: usize| {
            Arc::new(Class { room: Arc::new(Semaphore::new(octets / UNIT)), waiting: watch::Sender::new(0) })
        };
        Tables { short: of(SHORT), long: of(LONG) }
    }

    /// Waits until a table may be requested, in the order of those who wait. `None`: it needs no room.
    pub async fn room(&self, longest: Longest) -> Option<Room> {
        if longest <= Longest::FIRST {
            return None;
        }
        let class = if longest <= SHORTER { &self.short } else { &self.long };
        let _waiting = Waiting::of(class);
        // It is never closed.
        let permit = class.room.clone().acquire_many_owned(longest.need()).await.ok()?;
        Some(Room { class: class.clone(), since: Instant::now(), _permit: permit })
    }
}

impl Room {
    /// Whether somebody waits for such room.
    pub fn is_wanted(&self) -> bool {
        *self.class.waiting.borrow() > 0
    }

    /// Waits until it has been had for this time, and somebody waits for it.
    pub async fn is_overdue(&self, hold: Duration) {
        sleep_until(self.since + hold).await;
        let mut waiting = self.class.waiting.subscribe();
        // An error would be that there is no sender.
        let _ = waiting.wait_for(|waiting| *waiting > 0).await;
    }
}

/// Somebody waits for room, until this is dropped.
struct Waiting<'c>(&'c Class);

impl<'c> Waiting<'c> {
    fn of(class: &'c Class) -> Self {
        class.waiting.send_modify(|waiting| *waiting += 1);
        Waiting(class)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|waiting| *waiting -= 1);
    }
}

/// A request has room for so long at most while others wait.
pub(crate) const HOLD: Duration = Duration::from_secs(10);

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

    /// Those that need room.
    fn sizes() -> impl Iterator<Item = Longest> {
        std::iter::successors(Longest::FIRST.longer(), |longest| longest.longer())
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
        let short: Vec<Room> = std::iter::from_fn(|| now(&tables, SHORTER)).collect();
        assert!(short.len() >= 5, "{}", short.len());
        let mut none = pin!(tables.room(Longest::FIRST));
        assert!(matches!(none.as_mut().poll(&mut context), Poll::Ready(None)), "it needs no room");
        assert!(first.is_wanted() && !short[0].is_wanted());
        // One that needs less came later.
        let less = Longest(2 << 20);
        assert!(now(&tables, less).is_none());
        drop(first);
        assert!(now(&tables, less).is_none(), "before the one that waits");
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}
