//! How much is kept of all devices together.
//!
//! Three quarters of it are for what was read last. Of these each device may have an equal share of one half, whatever the others
//! have; the rest is for those that come first. What a device has it may have again in its next cycle, so that a memory that is
//! full changes nothing for those who have theirs. The last quarter is for what is being read while the last snapshot is still
//! there: half of it is equal shares too, so that small devices never wait, and large ones take turns at the other half.
//!
//! Tables that are read whole are beside that until they are kept, within a bound of their own.

use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trunkline_transport::LogLimit;

use crate::tables::{Longest, Room, Tables};

/// The memory of all devices.
#[derive(Debug)]
pub struct Pool {
    most: AtomicUsize,
    devices: AtomicUsize,
    state: Mutex<State>,
    tables: Tables,
    full: LogLimit,
}

#[derive(Debug, Default)]
struct State {
    /// Octets of devices beyond their shares.
    beyond: usize,
    /// Octets that cycles under way of large devices may need.
    reading: usize,
    /// The numbers of the cycles that wait for such octets, the first one first, and the last number.
    queue: VecDeque<u64>,
    last: u64,
}

impl Pool {
    /// A memory of so many octets.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Pool {
            most: AtomicUsize::new(most),
            devices: AtomicUsize::new(0),
            state: Mutex::default(),
            tables: Tables::new(),
            full: LogLimit::for_failures(),
        }
    }

    /// It has so many octets from now on. What is there stays.
    pub fn set_most(&self, most: usize) {
        self.most.store(most, Relaxed);
    }

    /// Octets that a device may have whatever the others have.
    fn share(&self) -> usize {
        self.common() / self.devices.load(Relaxed).max(1)
    }

    /// Octets that are divided into shares, and as many that are for those that come first.
    fn common(&self) -> usize {
        self.most.load(Relaxed) / 8 * 3
    }

    /// Octets for cycles under way of large devices.
    fn for_reading(&self) -> usize {
        self.most.load(Relaxed) / 8
    }

    /// How many of the octets that a cycle may need count: none of those for which each device has its share.
    fn counted(&self, octets: usize) -> usize {
        let share = self.for_reading() / self.devices.load(Relaxed).max(1);
        if octets > share { octets } else { 0 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a device has of the memory. It is given back when the device and all that was read of it are gone.
#[derive(Debug)]
pub struct Account {
    pool: Arc<Pool>,
    kept: Mutex<Kept>,
    /// How much of it waits for memory: its cycle, or a request.
    waiting: AtomicUsize,
}

#[derive(Debug, Default)]
struct Kept {
    octets: usize,
    /// How many of them are beyond the share.
    beyond: usize,
}

impl Account {
    /// Another device.
    #[must_use]
    pub fn of(pool: &Arc<Pool>) -> Arc<Self> {
        pool.devices.fetch_add(1, Relaxed);
        Arc::new(Account { pool: pool.clone(), kept: Mutex::default(), waiting: AtomicUsize::new(0) })
    }

    /// Whether it waits for memory just now.
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Relaxed) > 0
    }

    /// Whether a cycle may begin, which may need as much as the last one did. It is over when what is returned is dropped. One that
    /// may not is tried again, and has its `turn` until then.
    pub(crate) fn begin(self: &Arc<Self>, turn: &mut Option<Turn>) -> Option<Reading> {
        let pool = &self.pool;
        let octets = pool.counted(self.kept().octets);
        let mut state = pool.state();
        let is_first = state.queue.front().copied() == turn.as_ref().map(|turn| turn.number);
        let is_room = state.reading == 0 || state.reading + octets <= pool.for_reading();
        if octets == 0 || (is_first && is_room) {
            state.reading += octets;
            drop(state);
            *turn = None;
            return Some(Reading { account: self.clone(), octets, is_told: false });
        }
        if turn.is_none() {
            state.last += 1;
            let number = state.last;
            state.queue.push_back(number);
            *turn = Some(Turn { waits: Waits::of(self), number });
        }
        None
    }

    /// Waits until a table may be requested whole, in a session that takes answers up to this length. `None`: it needs no room.
    pub(crate) async fn room(self: &Arc<Self>, longest: Longest) -> Option<Room> {
        let _waits = Waits::of(self);
        self.pool.tables.room(longest).await
    }

    /// What it has is this, from now on.
    fn settle(&self, octets: usize) {
        let share = self.pool.share();
        let mut kept = self.kept();
        let beyond = kept.beyond.min(octets.saturating_sub(share));
        self.pool.state().beyond -= kept.beyond - beyond;
        *kept = Kept { octets, beyond };
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.settle(0);
        self.pool.devices.fetch_sub(1, Relaxed);
    }
}

/// Something of a device waits for memory, until this is dropped.
#[derive(Debug)]
struct Waits(Arc<Account>);

impl Waits {
    fn of(account: &Arc<Account>) -> Self {
        account.waiting.fetch_add(1, Relaxed);
        Waits(account.clone())
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Relaxed);
    }
}

/// The place of a cycle among those that wait, until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    waits: Waits,
    number: u64,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.waits.0.pool.state().queue.retain(|number| *number != self.number);
    }
}

/// What a cycle reads.
#[derive(Debug)]
pub(crate) struct Reading {
    account: Arc<Account>,
    /// Of those for what is being read.
    octets: usize,
    is_told: bool,
}

impl Reading {
    /// Whether the cycle may have read so many octets.
    pub fn has_room(&mut self, octets: usize) -> bool {
        let pool = &self.account.pool;
        let mut kept = self.account.kept();
        if octets > kept.octets {
            let beyond = octets.saturating_sub(pool.share()).max(kept.beyond);
            let mut state = pool.state();
            if state.beyond + (beyond - kept.beyond) > pool.common() {
                drop(state);
                drop(kept);
                self.tell();
                return false;
            }
            state.beyond += beyond - kept.beyond;
            *kept = Kept { octets, beyond };
        }
        let octets = pool.counted(octets);
        if octets > self.octets {
            pool.state().reading += octets - self.octets;
            self.octets = octets;
        }
        true
    }

    /// The last snapshot gives way to one of so many octets.
    pub fn settle(self, octets: usize) -> Arc<Account> {
        self.account.settle(octets);
        self.account.clone()
    }

    fn tell(&mut self) {
        if !std::mem::replace(&mut self.is_told, true)
            && let Some(left_out) = self.account.pool.full.admit()
        {
            let pool = &self.account.pool;
            let (octets, devices) = (pool.most.load(Relaxed), pool.devices.load(Relaxed));
            tracing::warn!(
                octets,
                devices,
                left_out,
                "the memory of all devices is full: not all of them are read whole"
            );
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.account.pool.state().reading -= self.octets;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(pool: &Pool) -> (usize, usize, usize) {
        let state = pool.state();
        (state.beyond, state.reading, pool.devices.load(Relaxed))
    }

    #[test]
    fn who_has_something_keeps_it_and_each_has_a_share() {
        let pool = Arc::new(Pool::new(800));
        let devices: Vec<_> = (0..3).map(|_| Account::of(&pool)).collect();
        let read = |which: usize, octets: usize| {
            let mut reading = devices[which].begin(&mut None).unwrap();
            let read = (0..=octets).rev().find(|octets| reading.has_room(*octets)).unwrap();
            reading.settle(read);
            read
        };
        // Shares of 100, and 300 for those that come first.
        assert_eq!(read(0, 350), 350);
        assert_eq!(read(1, 350), 150, "its share, and what is left");
        assert_eq!(read(2, 350), 100, "its share");
        for _ in 0..3 {
            assert_eq!([read(0, 350), read(1, 350), read(2, 350)], [350, 150, 100], "nobody loses anything");
        }
        assert_eq!(read(0, 120), 120);
        assert_eq!(read(2, 350), 330, "what the first one needs no more");
        drop(devices);
        assert_eq!(left(&pool), (0, 0, 0));
    }

    #[test]
    fn cycles_wait_while_others_read_much() {
        let pool = Arc::new(Pool::new(4000));
        let devices: Vec<_> = (0..3).map(|_| Account::of(&pool)).collect();
        for device in &devices {
            let mut reading = device.begin(&mut None).unwrap();
            assert!(reading.has_room(700));
            reading.settle(700);
        }
        let first = devices[0].begin(&mut None);
        assert!(first.is_some() && devices[1].begin(&mut None).is_none());
        drop(first);
        assert!(devices[1].begin(&mut None).is_some());
        // A snapshot keeps its memory when the device is not read any more.
        let mut reading = devices[2].begin(&mut None).unwrap();
        assert!(reading.has_room(1000));
        let kept = reading.settle(1000);
        drop(devices);
        assert_eq!(pool.devices.load(Relaxed), 1);
        drop(kept);
        assert_eq!(left(&pool), (0, 0, 0));
    }

    /// One whose cycle has just ended comes first by the clock: the others look again some time later.
    #[test]
    fn large_devices_read_in_turn_and_small_ones_do_not_wait() {
        let pool = Arc::new(Pool::new(4000));
        let devices: Vec<_> = (0..4).map(|_| Account::of(&pool)).collect();
        for (device, octets) in devices.iter().zip([700, 700, 700, 100]) {
            let mut reading = device.begin(&mut None).unwrap();
            assert!(reading.has_room(octets));
            reading.settle(octets);
        }
        let mut turns = [None, None, None, None];
        let mut begin = |which: usize| devices[which].begin(&mut turns[which]);
        let first = begin(0);
        assert!(first.is_some() && begin(1).is_none() && begin(2).is_none());
        assert!(devices[1].is_waiting() && !devices[0].is_waiting());
        assert!(begin(3).is_some(), "a small one");
        drop(first);
        assert!(begin(0).is_none(), "it had its turn");
        assert!(begin(2).is_none(), "it came after another one");
        let second = begin(1);
        assert!(second.is_some() && !devices[1].is_waiting());
        drop(second);
        // Who is gone leaves its place.
        turns[2] = None;
        assert!(devices[0].begin(&mut turns[0]).is_some());
        assert!(!devices.iter().any(|device| device.is_waiting()));
    }
}
