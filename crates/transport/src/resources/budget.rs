//! One limit for all octets that wait for peers, across connections and protocols.
//!
//! Before it goes to sleep, a connection reports how many octets it holds: answers that its peer does not read,
//! and incomplete requests. If the total is too large, the connection that has waited longest without progress
//! gives way, so that peers that read continue; connections whose peers are not accepted do so before all others, and
//! together they hold at most half. Until the memory is really free, connections that already hold some accept
//! nothing more.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::register::Standing;

/// The octets that may wait for peers.
#[derive(Debug)]
pub struct Budget {
    limit: usize,
    state: Mutex<State>,
    /// Whether more is held than allowed, including the memory of connections that have given way and are not gone
    /// yet. Written under the lock, read without, so that a connection that holds nothing takes no lock.
    is_short: AtomicBool,
    /// There is room again.
    room: Notify,
    /// Answers in progress, which do not wait for peers yet.
    under_work: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    /// What of it those hold whose peers were not accepted when they last said what they hold.
    of_strangers: usize,
    last: u64,
    holders: HashMap<u64, Holder>,
    given_way: u64,
    /// The memory of each connection that has given way and is not gone yet, and its sum.
    leaving: HashMap<u64, usize>,
    still_used: usize,
}

#[derive(Debug)]
struct Holder {
    octets: usize,
    /// When its peer last read or completed something.
    since: Instant,
    standing: Arc<Standing>,
    /// Whether its octets are counted as a stranger's.
    is_stranger: bool,
    waker: Option<Waker>,
    /// It continues when there is room.
    wants_room: bool,
}

/// There is no room, though everybody else has given way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
            is_short: AtomicBool::new(false),
            room: Notify::new(),
            under_work: AtomicUsize::new(0),
        }
    }

    /// Octets that wait now, without those of connections that have given way.
    #[must_use]
    pub fn used(&self) -> usize {
        self.state().used
    }

    /// Connections that have given way so far.
    #[must_use]
    pub fn given_way(&self) -> u64 {
        self.state().given_way
    }

    /// Whether there is no room now.
    fn is_short(&self) -> bool {
        self.is_short.load(Relaxed)
    }

    /// Waits until there is room.
    pub(crate) async fn room(&self) {
        while self.is_short() {
            let room = self.room.notified();
            if self.is_short() {
                room.await;
            }
        }
    }

    /// What is held has changed. Wakes the tasks concerned.
    fn changed(&self, mut guard: MutexGuard<'_, State>) {
        let state = &mut *guard;
        let mut wakers = state.make_room(self.limit, self.share());
        let is_short = state.used + state.still_used > self.limit;
        let was_short = self.is_short.swap(is_short, Relaxed);
        let has_room = was_short && !is_short;
        if has_room {
            let waiting = state.holders.values_mut().filter(|holder| holder.wants_room);
            wakers.extend(waiting.filter_map(|holder| {
                holder.wants_room = false;
                holder.waker.clone()
            }));
        }
        drop(guard);
        wakers.into_iter().for_each(Waker::wake);
        if has_room {
            self.room.notify_waiters();
        }
    }

    /// The maximum of one connection, and of all together whose peers are not accepted: half of the total, and the
    /// overhead of a connection.
    const fn share(&self) -> usize {
        self.limit / 2 + STALLED
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remove(&mut self, number: u64) {
        self.take(number);
        if let Some(octets) = self.leaving.remove(&number) {
            self.still_used -= octets;
        }
    }

    /// Takes out a holder with what it holds.
    fn take(&mut self, number: u64) -> Option<Holder> {
        let holder = self.holders.remove(&number)?;
        self.used -= holder.octets;
        if holder.is_stranger {
            self.of_strangers -= holder.octets;
        }
        Some(holder)
    }

    /// Records what a connection holds, unless it has given way: then it stays out.
    fn set(&mut self, number: u64, octets: usize, since: Instant) -> bool {
        let Some(holder) = self.holders.get_mut(&number) else { return false };
        self.used = self.used - holder.octets + octets;
        if holder.is_stranger {
            self.of_strangers -= holder.octets;
        }
        (holder.octets, holder.since) = (octets, since);
        holder.is_stranger = !holder.standing.is_accepted();
        if holder.is_stranger {
            self.of_strangers += octets;
        }
        true
    }

    /// Makes connections give way until the rest is within the limit, and what strangers hold is within theirs: the
    /// longest-waiting ones, those of strangers first. Returns their wakers.
    fn make_room(&mut self, limit: usize, for_strangers: usize) -> Vec<Waker> {
        let mut wakers = Vec::new();
        if self.used <= limit && self.of_strangers <= for_strangers {
            return wakers;
        }
        self.recognize();
        while self.used > limit || self.of_strangers > for_strangers {
            let slowest = self
                .holders
                .iter()
                .min_by_key(|(number, holder)| (!holder.is_stranger, holder.since, **number))
                .map(|(number, _)| *number);
            let Some((number, holder)) = slowest.and_then(|it| Some((it, self.take(it)?))) else { break };
            self.given_way += 1;
            self.still_used += holder.octets;
            self.leaving.insert(number, holder.octets);
            wakers.extend(holder.waker);
        }
        wakers
    }

    /// Those who have been accepted since they last said what they hold are strangers no longer.
    fn recognize(&mut self) {
        for holder in self.holders.values_mut() {
            if holder.is_stranger && holder.standing.is_accepted() {
                holder.is_stranger = false;
                self.of_strangers -= holder.octets;
            }
        }
    }
}

/// What one connection holds of a [`Budget`]. Returned on drop.
#[derive(Debug)]
pub(crate) struct Account {
    budget: Arc<Budget>,
    /// Whether the peer is accepted.
    standing: Arc<Standing>,
    /// 0 while it holds nothing.
    number: u64,
}

impl Account {
    pub(crate) const fn new(budget: Arc<Budget>, standing: Arc<Standing>) -> Self {
        Self { budget, standing, number: 0 }
    }

    /// Whether nothing is held.
    pub(crate) const fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// Whether the connection has given way and is not gone yet.
    pub(crate) fn has_given_way(&self) -> bool {
        self.number != 0 && !self.budget.state().holders.contains_key(&self.number)
    }

    /// Whether there is no room for more, until those that have given way are gone.
    pub(crate) fn is_short(&self) -> bool {
        self.budget.is_short()
    }

    /// Whether a connection should have only one request in progress: there is no room for more, or would not be
    /// if all answers in progress had their maximum length.
    pub(crate) fn is_crowded(&self) -> bool {
        self.is_short() || self.budget.under_work.load(Relaxed) * LONGEST >= self.budget.limit
    }

    /// An answer is in progress until the returned value is dropped.
    pub(crate) fn work(&self) -> Work {
        self.budget.under_work.fetch_add(1, Relaxed);
        Work(self.budget.clone())
    }

    /// The most octets that the connection may hold.
    pub(crate) fn most(&self) -> usize {
        self.budget.share()
    }

    /// Records how many octets the connection holds now, and that its peer has read or completed nothing since
    /// then.
    ///
    /// # Errors
    /// [`Exhausted`] if that is more than a connection's share. Nothing has changed then.
    pub(crate) fn hold(&mut self, octets: usize, since: Instant) -> Result<(), Exhausted> {
        if octets > self.budget.share() {
            return Err(Exhausted);
        }
        if octets == 0 {
            self.release();
            return Ok(());
        }
        let mut guard = self.budget.state();
        let state = &mut *guard;
        if self.number == 0 {
            state.last += 1;
            self.number = state.last;
            let standing = Arc::clone(&self.standing);
            let holder =
                Holder { octets: 0, since, standing, is_stranger: false, waker: None, wants_room: false };
            state.holders.insert(self.number, holder);
        }
        if state.set(self.number, octets, since) {
            self.budget.changed(guard);
        }
        Ok(())
    }

    /// Ready when the connection must give way. A connection that waits for room, since there was none, is woken
    /// when there is some.
    pub(crate) fn poll_gives_way(&self, cx: &Context<'_>, wants_room: bool) -> Poll<()> {
        if self.number == 0 {
            return Poll::Pending;
        }
        let mut state = self.budget.state();
        let Some(holder) = state.holders.get_mut(&self.number) else { return Poll::Ready(()) };
        if !holder.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            holder.waker = Some(cx.waker().clone());
        }
        holder.wants_room = wants_room && self.is_short();
        if wants_room && !holder.wants_room {
            // Room has appeared meanwhile.
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    /// It holds nothing.
    pub(crate) fn release(&mut self) {
        let number = std::mem::take(&mut self.number);
        if number != 0 {
            let mut state = self.budget.state();
            state.remove(number);
            self.budget.changed(state);
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.release();
    }
}

/// An answer in progress, or completed and not yet read by the peer.
#[derive(Debug)]
pub(crate) struct Work(Arc<Budget>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.under_work.fetch_sub(1, Relaxed);
    }
}

/// Maximum octets of an SNMP answer.
const LONGEST: usize = 64 << 10;

/// Octets that may wait for peers by default.
pub const DEFAULT_WAITING: usize = 64 << 20;

/// The overhead of a connection whose peer reads nothing, beside its answers: the buffers of TLS, SSH or HTTP and
/// the kernel's.
pub(crate) const STALLED: usize = 48 << 10;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn accounts(budget: &Arc<Budget>) -> [Account; 3] {
        [(); 3].map(|()| Account::new(budget.clone(), Standing::accepted()))
    }

    fn gives_way(account: &Account) -> bool {
        account.poll_gives_way(&Context::from_waker(Waker::noop()), false).is_ready()
    }

    #[test]
    fn the_longest_waiting_connection_gives_way() {
        let budget = Arc::new(Budget::new(100));
        let ([mut slow, mut reader, mut last], start) = (accounts(&budget), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        slow.hold(40, at(1)).unwrap();
        reader.hold(40, at(0)).unwrap();
        assert_eq!((budget.used(), budget.given_way()), (80, 0));
        // It reads something, so the other one is now the slowest.
        reader.hold(30, at(2)).unwrap();
        last.hold(50, at(3)).unwrap();
        assert_eq!([&slow, &reader, &last].map(gives_way), [true, false, false]);
        assert_eq!((budget.used(), budget.given_way()), (80, 1));
        // A connection that has given way holds nothing any more.
        slow.hold(50, at(4)).unwrap();
        assert_eq!(budget.used(), 80);
        drop((slow, reader));
        assert_eq!(budget.used(), 50);
        last.hold(0, at(5)).unwrap();
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn strangers_give_way_before_accepted_peers() {
        let budget = Arc::new(Budget::new(1_000 * STALLED));
        let ([mut known, mut late, ..], start) = (accounts(&budget), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let standing = Arc::<Standing>::default();
        let [mut one, mut two] = [(); 2].map(|()| Account::new(budget.clone(), standing.clone()));
        let mut other = Account::new(budget.clone(), Arc::default());
        known.hold(400 * STALLED, at(0)).unwrap();
        one.hold(200 * STALLED, at(1)).unwrap();
        other.hold(200 * STALLED, at(2)).unwrap();
        // All that is held is within the limit, and what strangers hold within theirs.
        assert_eq!([&known, &one, &other].map(gives_way), [false; 3]);
        late.hold(300 * STALLED, at(3)).unwrap();
        assert_eq!([&known, &late, &one, &other].map(gives_way), [false, false, true, false]);
        drop((late, one));
        // There would be room, but not for strangers.
        two.hold(301 * STALLED + 1, at(4)).unwrap();
        assert_eq!([&known, &two, &other].map(gives_way), [false, false, true]);
        drop(other);
        // Accepted meanwhile.
        standing.accept();
        let mut other = Account::new(budget.clone(), Arc::default());
        other.hold(250 * STALLED, at(5)).unwrap();
        assert_eq!([&known, &two, &other].map(gives_way), [false; 3]);
        other.hold(299 * STALLED, at(6)).unwrap();
        assert_eq!([&known, &two, &other].map(gives_way), [false, false, true]);
        drop((known, two, other));
        let state = budget.state();
        assert_eq!((state.used, state.of_strangers, state.still_used), (0, 0, 0));
    }

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl std::task::Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Relaxed);
        }
    }

    #[tokio::test]
    async fn there_is_no_room_until_the_yielding_connection_is_gone() {
        let budget = Arc::new(Budget::new(100));
        let ([mut slow, mut fast, nothing], now) = (accounts(&budget), Instant::now());
        slow.hold(60, now).unwrap();
        fast.hold(40, now + Duration::from_secs(1)).unwrap();
        assert!(!nothing.is_short());
        fast.hold(50, now + Duration::from_secs(1)).unwrap();
        assert_eq!((gives_way(&slow), gives_way(&fast), budget.used()), (true, false, 50));
        assert!(nothing.is_short());
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let polled =
            |account: &Account| account.poll_gives_way(&Context::from_waker(&waker), true).is_ready();
        assert!(!polled(&fast));
        let mut room = tokio::spawn({
            let budget = budget.clone();
            async move { budget.room().await }
        });
        tokio::task::yield_now().await;
        assert!(!woken.0.load(Relaxed) && !room.is_finished());
        drop(slow);
        assert!(woken.0.swap(false, Relaxed) && !nothing.is_short());
        (&mut room).await.unwrap();
        // There was none when it checked, and there is some by the time it registers its waker.
        assert!(!polled(&fast));
        assert!(woken.0.swap(false, Relaxed));
        // Without asking for room it is not woken.
        assert!(!gives_way(&fast) && !woken.0.load(Relaxed));
    }

    #[test]
    fn answers_in_progress_are_limited_by_room() {
        let account = Account::new(Arc::new(Budget::new(2 * LONGEST)), Standing::accepted());
        let one = account.work();
        assert!(!account.is_crowded());
        let two = account.work();
        assert!(account.is_crowded());
        drop(one);
        assert!(!account.is_crowded());
        drop(two);
    }

    #[test]
    fn one_connection_has_a_share() {
        let budget = Arc::new(Budget::new(100 * STALLED));
        let ([mut one, ..], now) = (accounts(&budget), Instant::now());
        assert_eq!(one.hold(51 * STALLED + 1, now), Err(Exhausted));
        assert!(one.is_empty());
        assert_eq!(one.hold(51 * STALLED, now), Ok(()));
        assert_eq!(one.hold(51 * STALLED + 1, now), Err(Exhausted));
        assert_eq!((budget.used(), gives_way(&one)), (51 * STALLED, false));
    }
}
