//! Schedules password checks: attempts are counted per network, and the few places are assigned in turn, first to
//! networks that were right recently or never wrong.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use trunkline_datagrams::network;

use crate::gate::Unproved;

/// What is known about the networks that try passwords.
#[derive(Default)]
pub(super) struct Ledger(Mutex<State>);

#[derive(Default)]
struct State {
    networks: HashMap<IpAddr, Network>,
    /// Places in use.
    working: usize,
    /// Checks that wait for one.
    waiting: usize,
    /// Turns so far: the clock of the queue.
    turns: u64,
}

struct Network {
    /// Each attempt uses up [`REGAIN`] of a network's patience; at this time all of it is back.
    whole_at: Instant,
    /// Until then the network counts as trusted.
    right_until: Option<Instant>,
    /// Its waiting checks, the oldest first.
    waiting: VecDeque<oneshot::Sender<Place>>,
    /// When the first of them arrived, or the network's last turn, on the clock of the queue.
    since: u64,
}

/// The right to check one password; passed on when dropped.
pub(super) struct Place(Option<Arc<Ledger>>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(ledger) = self.0.take() {
            ledger.give_on();
        }
    }
}

impl Network {
    fn new(now: Instant) -> Self {
        Self { whole_at: now, right_until: None, waiting: VecDeque::new(), since: 0 }
    }

    /// The patience used up.
    fn taken(&self, now: Instant) -> Duration {
        self.whole_at.saturating_duration_since(now)
    }

    fn may_try(&self, now: Instant) -> Result<(), Unproved> {
        match (self.taken(now) + REGAIN).checked_sub(REGAIN * ATTEMPTS) {
            Some(wait) if !wait.is_zero() => Err(Unproved::TooMany { wait }),
            _ => Ok(()),
        }
    }

    /// The higher one gives way: the counted attempts, plus one for a network about which nothing is known.
    fn suspicion(&self, now: Instant) -> u128 {
        self.taken(now).as_nanos().div_ceil(REGAIN.as_nanos()) + u128::from(!self.is_known(now))
    }

    fn is_known(&self, now: Instant) -> bool {
        self.right_until.is_some_and(|until| now < until)
    }

    /// Whether it may be forgotten.
    fn says_nothing(&self, now: Instant) -> bool {
        self.waiting.is_empty() && self.taken(now).is_zero() && !self.is_known(now)
    }
}

impl Ledger {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// The network failed too often, or too many others with a better claim are waiting.
    pub(super) async fn enter(self: &Arc<Self>, peer: IpAddr) -> Result<Place, Unproved> {
        let turn = {
            let mut state = self.state();
            let now = Instant::now();
            state.network(peer, now).may_try(now)?;
            if state.working < PLACES {
                state.working += 1;
                return Ok(Place(Some(Arc::clone(self))));
            }
            state.queue(peer, now)?
        };
        // A check with a better claim arrived, and there was no room for both.
        turn.await.map_err(|_| Unproved::Busy)
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// The network has used up its attempts.
    pub(super) fn begin(&self, peer: IpAddr) -> Result<(), Unproved> {
        let (mut state, now) = (self.state(), Instant::now());
        let network = state.network(peer, now);
        network.may_try(now)?;
        network.whole_at = network.whole_at.max(now) + REGAIN;
        Ok(())
    }

    /// An attempt was not a guess after all.
    pub(super) fn give_back(&self, peer: IpAddr) {
        let (mut state, now) = (self.state(), Instant::now());
        let network = state.network(peer, now);
        network.whole_at = network.whole_at.checked_sub(REGAIN).unwrap_or(now);
    }

    /// An attempt was right: it does not count, and the network is trusted for a while.
    pub(super) fn was_right(&self, peer: IpAddr) {
        self.give_back(peer);
        let (mut state, now) = (self.state(), Instant::now());
        state.network(peer, now).right_until = Some(now + KNOWN);
    }

    /// A place is free: for the next in the queue, or for whoever comes.
    fn give_on(self: Arc<Self>) {
        loop {
            let next = {
                let mut state = self.state();
                let next = state.next();
                if next.is_none() {
                    state.working -= 1;
                }
                next
            };
            let Some(next) = next else { return };
            match next.send(Place(Some(Arc::clone(&self)))) {
                Ok(()) => return,
                // Its check was abandoned. The place is passed on here, not by its drop.
                Err(mut place) => drop(place.0.take()),
            }
        }
    }
}

impl State {
    fn network(&mut self, peer: IpAddr, now: Instant) -> &mut Network {
        let address = network(peer);
        if self.networks.len() >= MOST_NETWORKS && !self.networks.contains_key(&address) {
            self.forget_some(now);
        }
        self.networks.entry(address).or_insert_with(|| Network::new(now))
    }

    /// Makes room: removes entries without information, then the half that used the least of their patience.
    fn forget_some(&mut self, now: Instant) {
        self.networks.retain(|_, network| !network.says_nothing(now));
        if self.networks.len() < MOST_NETWORKS {
            return;
        }
        let mut times: Vec<Instant> = self.networks.values().map(|network| network.whole_at).collect();
        let middle = times.len() / 2;
        let (_, middle, _) = times.select_nth_unstable(middle);
        self.networks.retain(|_, network| {
            !network.waiting.is_empty() || network.is_known(now) || network.whole_at > *middle
        });
    }

    /// Joins the queue. If it is full, the check with the weakest claim leaves it.
    fn queue(&mut self, peer: IpAddr, now: Instant) -> Result<oneshot::Receiver<Place>, Unproved> {
        let ours = network(peer);
        if self.waiting >= MOST_WAITING || self.network(peer, now).waiting.len() >= MOST_OF_ONE {
            self.leave_abandoned();
        }
        let of_ours = self.network(peer, now);
        if of_ours.waiting.len() >= MOST_OF_ONE {
            return Err(Unproved::Busy);
        }
        let claim = (of_ours.suspicion(now), of_ours.waiting.len() + 1);
        if self.waiting >= MOST_WAITING {
            let others = self.networks.iter_mut().filter(|(address, _)| **address != ours);
            let others = others.filter(|(_, network)| !network.waiting.is_empty());
            let least = others.max_by_key(|(_, network)| (network.suspicion(now), network.waiting.len()));
            match least {
                Some((_, network)) if (network.suspicion(now), network.waiting.len()) > claim => {
                    network.waiting.pop_back();
                    self.waiting -= 1;
                }
                _ => return Err(Unproved::Busy),
            }
        }
        self.turns += 1;
        let turns = self.turns;
        let (sender, receiver) = oneshot::channel();
        let of_ours = self.network(peer, now);
        if of_ours.waiting.is_empty() {
            of_ours.since = turns;
        }
        of_ours.waiting.push_back(sender);
        self.waiting += 1;
        Ok(receiver)
    }

    /// The next check: among the least suspect networks, the one that has waited longest.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        let now = Instant::now();
        let waiting = self.networks.values_mut().filter(|network| !network.waiting.is_empty());
        let network = waiting.min_by_key(|network| (network.suspicion(now), network.since))?;
        self.turns += 1;
        network.since = self.turns;
        self.waiting -= 1;
        network.waiting.pop_front()
    }

    /// Forgets abandoned checks.
    fn leave_abandoned(&mut self) {
        for network in self.networks.values_mut() {
            network.waiting.retain(|waiting| !waiting.is_closed());
        }
        self.waiting = self.networks.values().map(|network| network.waiting.len()).sum();
    }
}

/// Passwords checked at the same time: each takes a core and megabytes.
const PLACES: usize = 2;

/// Maximum number of waiting checks, in total and per network.
const MOST_WAITING: usize = 256;
const MOST_OF_ONE: usize = 32;

/// Failed attempts of a network in a row, and how long until one is forgotten.
const ATTEMPTS: u32 = 10;
const REGAIN: Duration = Duration::from_secs(6);

/// How long a network stays trusted.
const KNOWN: Duration = Duration::from_secs(24 * 3_600);

/// Maximum number of networks remembered.
const MOST_NETWORKS: usize = 4_096;

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn peer(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    type Entering = Pin<Box<dyn Future<Output = Result<Place, Unproved>>>>;

    /// A check that waits for a place in the queue.
    fn waiting(ledger: &Arc<Ledger>, peer: IpAddr) -> Entering {
        let ledger = Arc::clone(ledger);
        let mut entering: Entering = Box::pin(async move { ledger.enter(peer).await });
        assert!(poll(&mut entering).is_pending());
        entering
    }

    fn poll(entering: &mut Entering) -> Poll<Result<Place, Unproved>> {
        pin!(entering).poll(&mut Context::from_waker(Waker::noop()))
    }

    fn has_place(entering: &mut Entering) -> Option<Place> {
        match poll(entering) {
            Poll::Ready(Ok(place)) => Some(place),
            _ => None,
        }
    }

    fn is_refused(entering: &mut Entering) -> bool {
        matches!(poll(entering), Poll::Ready(Err(Unproved::Busy)))
    }

    fn working_and_waiting(ledger: &Ledger) -> (usize, usize) {
        let state = ledger.state();
        (state.working, state.waiting)
    }

    async fn full(ledger: &Arc<Ledger>) -> Vec<Place> {
        let mut places = Vec::new();
        for number in 0..PLACES {
            places.push(ledger.enter(peer(200 + number as u8)).await.unwrap_or_else(|_| unreachable!()));
        }
        places
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_counts_when_it_begins_and_not_when_it_was_right() {
        let ledger = Arc::new(Ledger::default());
        for _ in 0..ATTEMPTS {
            assert_eq!(ledger.begin(peer(1)), Ok(()));
        }
        let too_many = Err(Unproved::TooMany { wait: REGAIN });
        assert_eq!(ledger.begin(peer(1)), too_many);
        assert_eq!(ledger.enter(peer(1)).await.map(drop), too_many);
        assert_eq!(ledger.begin(peer(2)), Ok(()));
        ledger.was_right(peer(1));
        assert_eq!(ledger.begin(peer(1)), Ok(()));
        assert_eq!(ledger.begin(peer(1)), too_many);
        tokio::time::advance(REGAIN).await;
        assert_eq!(ledger.begin(peer(1)), Ok(()));
        assert_eq!(ledger.begin(peer(1)), too_many);
    }

    #[tokio::test(start_paused = true)]
    async fn networks_take_turns_and_failures_lose_priority() {
        let ledger = Arc::new(Ledger::default());
        let mut places = full(&ledger).await;
        ledger.begin(peer(3)).unwrap();
        ledger.begin(peer(4)).unwrap();
        ledger.was_right(peer(4));
        let numbers = [3, 1, 1, 1, 2, 2, 4];
        let mut all: Vec<Entering> = numbers.iter().map(|number| waiting(&ledger, peer(*number))).collect();
        // The trusted one, then the unknown ones in turn, then the one that was wrong.
        for expected in [6, 1, 4, 2, 5, 3, 0] {
            drop(places.pop());
            places.push(has_place(&mut all[expected]).unwrap_or_else(|| unreachable!("{expected}")));
        }
        drop(places);
        assert_eq!(working_and_waiting(&ledger), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_has_room_for_a_better_claim() {
        let ledger = Arc::new(Ledger::default());
        let mut places = full(&ledger).await;
        let strangers = |number: usize| IpAddr::from([198, 51, (number >> 8) as u8, number as u8]);
        for number in 0..MOST_WAITING {
            ledger.begin(strangers(number)).unwrap();
        }
        let mut crowd: Vec<Entering> =
            (0..MOST_WAITING).map(|number| waiting(&ledger, strangers(number))).collect();
        // Another one that was wrong is refused; an unknown one is not, and is next.
        ledger.begin(peer(1)).unwrap();
        assert_eq!(ledger.enter(peer(1)).await.map(drop), Err(Unproved::Busy));
        let mut right = waiting(&ledger, peer(2));
        assert_eq!(crowd.iter_mut().filter_map(|one| is_refused(one).then_some(())).count(), 1);
        drop(places.pop());
        assert!(has_place(&mut right).is_some());
        // No single network may have it all.
        let mut greedy: Vec<Entering> = (0..MOST_OF_ONE).map(|_| waiting(&ledger, peer(3))).collect();
        assert_eq!(ledger.enter(peer(3)).await.map(drop), Err(Unproved::Busy));
        assert!(greedy.iter_mut().all(|one| !is_refused(one)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_abandoned_check_leaves_the_queue_and_passes_its_place_on() {
        let ledger = Arc::new(Ledger::default());
        let mut places = full(&ledger).await;
        let (gone, mut next) = (waiting(&ledger, peer(1)), waiting(&ledger, peer(2)));
        drop(gone);
        drop(places.pop());
        let place = has_place(&mut next);
        assert!(place.is_some());
        // A place that was assigned but not yet taken is passed on too.
        let (given, mut next) = (waiting(&ledger, peer(1)), waiting(&ledger, peer(2)));
        drop(place);
        drop(given);
        assert!(has_place(&mut next).is_some());
        drop((places, next));
        assert_eq!(working_and_waiting(&ledger), (0, 0));
        // A queue of abandoned checks is not full.
        let places = full(&ledger).await;
        for _ in 0..3 {
            drop((0..MOST_OF_ONE).map(|_| waiting(&ledger, peer(3))).collect::<Vec<_>>());
        }
        drop((waiting(&ledger, peer(3)), places));
        assert_eq!(working_and_waiting(&ledger), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn endless_networks_neither_fill_it_nor_displace_trusted_ones() {
        let ledger = Arc::new(Ledger::default());
        ledger.begin(peer(1)).unwrap();
        ledger.was_right(peer(1));
        for _ in 0..ATTEMPTS {
            ledger.begin(peer(2)).unwrap();
        }
        for number in 0..3 * MOST_NETWORKS as u32 {
            ledger.begin(IpAddr::from((0x0a00_0000 + number).to_be_bytes())).unwrap();
        }
        let mut state = ledger.state();
        assert!(state.networks.len() <= MOST_NETWORKS);
        assert!(state.network(peer(1), Instant::now()).is_known(Instant::now()));
        assert!(state.network(peer(2), Instant::now()).may_try(Instant::now()).is_err());
    }
}
