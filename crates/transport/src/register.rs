//! The open connections or sessions: the peer of each, its progress, and which one gives way to a new one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::task::{AbortHandle, Id};

use crate::resources::Room;

/// The open connections of a listener, by task.
#[derive(Default)]
pub(crate) struct Register {
    places: HashMap<Id, Place>,
    networks: HashMap<IpAddr, Count>,
    /// Connections in their handshake.
    greeting: usize,
    /// The number of the latest connection.
    last: u64,
}

struct Place {
    network: IpAddr,
    /// Lower for older ones.
    number: u64,
    greeting: bool,
    standing: Arc<Standing>,
    task: AbortHandle,
}

/// What a peer has shown so far. Its connection records it; the register decides by it which one gives way.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    has_spoken: AtomicBool,
    is_accepted: AtomicBool,
}

impl Standing {
    /// A whole message has arrived.
    pub(crate) fn speaks(&self) {
        self.has_spoken.store(true, Relaxed);
    }

    pub(crate) fn has_spoken(&self) -> bool {
        self.has_spoken.load(Relaxed)
    }

    /// The peer has sent an acceptable message, or any message after it was authenticated.
    pub(crate) fn accept(&self) {
        self.is_accepted.store(true, Relaxed);
    }

    /// Whether the peer has done so.
    pub(crate) fn is_accepted(&self) -> bool {
        self.is_accepted.load(Relaxed)
    }

    /// Of a peer that has already.
    pub(crate) fn accepted() -> Arc<Self> {
        let standing = Self::default();
        standing.accept();
        Arc::new(standing)
    }
}

#[derive(Clone, Copy, Default)]
struct Count {
    all: usize,
    greeting: usize,
}

/// The limits of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub max_connections: usize,
    pub max_per_peer: usize,
    pub max_handshakes: usize,
}

/// Why there is no room for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Total,
    PerPeer,
    Descriptors,
}

impl Refusal {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Total => "max-connections is reached",
            Self::PerPeer => "max-connections-per-peer is reached",
            Self::Descriptors => "no descriptor is free: raise RLIMIT_NOFILE",
        }
    }
}

/// How many connections gave way.
pub(crate) type GaveWay = usize;

impl Register {
    /// Makes room for another connection of a network, at the cost of connections that have shown nothing yet.
    pub(crate) fn make_room(
        &mut self,
        network: IpAddr,
        has_handshake: bool,
        limits: Bounds,
        descriptors: Room,
    ) -> Result<GaveWay, Refusal> {
        let of_network = self.networks.get(&network).copied().unwrap_or_default();
        if of_network.all >= limits.max_per_peer {
            return Err(Refusal::PerPeer);
        }
        if descriptors == Room::None {
            // What this frees is for later ones: the new connection has a descriptor that is reserved for other
            // uses.
            self.stranger_gives_way();
            return Err(Refusal::Descriptors);
        }
        let mut gave_way = 0;
        if descriptors == Room::Little {
            gave_way += usize::from(self.stranger_gives_way());
        }
        if has_handshake && of_network.greeting >= limits.max_handshakes.div_ceil(4) {
            gave_way += usize::from(self.give_way(|place| place.greeting && place.network == network));
        } else if has_handshake && self.greeting >= limits.max_handshakes {
            gave_way += usize::from(self.give_way(|place| place.greeting));
        }
        if self.places.len() >= limits.max_connections {
            if !self.stranger_gives_way() {
                return Err(Refusal::Total);
            }
            gave_way += 1;
        }
        Ok(gave_way)
    }

    /// Ends the oldest connection whose peer was not accepted yet, however much it sends; false if there is none.
    fn stranger_gives_way(&mut self) -> bool {
        self.give_way(|place| !place.standing.is_accepted())
    }

    /// Ends the oldest such connection; false if there is none.
    fn give_way(&mut self, may: impl Fn(&Place) -> bool) -> bool {
        let candidates = self.places.iter().filter(|(_, place)| may(place));
        let oldest = candidates.min_by_key(|(_, place)| place.number).map(|(id, _)| *id);
        let Some(place) = oldest.and_then(|id| self.remove(id)) else { return false };
        place.task.abort();
        true
    }

    /// A connection has arrived.
    pub(crate) fn enter(
        &mut self,
        task: AbortHandle,
        network: IpAddr,
        greeting: bool,
        standing: Arc<Standing>,
    ) {
        self.last += 1;
        let count = self.networks.entry(network).or_default();
        count.all += 1;
        count.greeting += usize::from(greeting);
        self.greeting += usize::from(greeting);
        self.places.insert(task.id(), Place { network, number: self.last, greeting, standing, task });
    }

    /// The handshake of a connection is done.
    pub(crate) fn greeted(&mut self, id: Id) {
        let Some(place) = self.places.get_mut(&id) else { return };
        if std::mem::take(&mut place.greeting) {
            self.greeting -= 1;
            self.networks.entry(place.network).or_default().greeting -= 1;
        }
    }

    /// Another task continues a connection.
    pub(crate) fn goes_on(&mut self, id: Id, task: AbortHandle) {
        if let Some(place) = self.places.remove(&id) {
            self.places.insert(task.id(), Place { task, ..place });
        }
    }

    /// Whether this connection is still open.
    pub(crate) fn has(&self, id: Id) -> bool {
        self.places.contains_key(&id)
    }

    /// A connection is over.
    pub(crate) fn leave(&mut self, id: Id) {
        self.remove(id);
    }

    fn remove(&mut self, id: Id) -> Option<Place> {
        let place = self.places.remove(&id)?;
        self.greeting -= usize::from(place.greeting);
        if let Some(count) = self.networks.get_mut(&place.network) {
            count.all -= 1;
            count.greeting -= usize::from(place.greeting);
            if count.all == 0 {
                self.networks.remove(&place.network);
            }
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;

    use super::*;

    const BOUNDS: Bounds = Bounds { max_connections: 12, max_per_peer: 6, max_handshakes: 8 };

    /// A listener whose connections never end on their own.
    #[derive(Default)]
    struct Listener {
        register: Register,
        tasks: JoinSet<()>,
        came: Vec<(Id, Arc<Standing>)>,
    }

    impl Listener {
        /// A connection of `192.0.2.last` arrives; returns those that give way.
        fn came(&mut self, last: u8, has_handshake: bool) -> Result<Vec<usize>, Refusal> {
            let network = IpAddr::from([192, 0, 2, last]);
            let before = self.here();
            self.register.make_room(network, has_handshake, BOUNDS, Room::Enough)?;
            let after = self.here();
            let task = self.tasks.spawn(std::future::pending());
            let standing = Arc::<Standing>::default();
            self.came.push((task.id(), standing.clone()));
            self.register.enter(task, network, has_handshake, standing);
            Ok(before.into_iter().filter(|one| !after.contains(one)).collect())
        }

        /// Which of them are still open.
        fn here(&self) -> Vec<usize> {
            (0..self.came.len()).filter(|one| self.register.has(self.came[*one].0)).collect()
        }

        fn speaks(&self, one: usize) {
            self.came[one].1.speaks();
        }

        fn is_accepted(&self, one: usize) {
            self.speaks(one);
            self.came[one].1.accept();
        }
    }

    #[tokio::test]
    async fn the_oldest_handshake_of_a_network_that_has_a_quarter_gives_way() {
        let mut listener = Listener::default();
        assert_eq!(listener.came(2, true), Ok(vec![]));
        assert_eq!(listener.came(2, true), Ok(vec![]));
        assert_eq!(listener.came(2, true), Ok(vec![0]));
        assert_eq!(listener.came(1, true), Ok(vec![]));
        assert_eq!(listener.came(2, true), Ok(vec![1]));
        assert_eq!(listener.here(), [2, 3, 4]);
    }

    #[tokio::test]
    async fn the_oldest_handshake_of_all_gives_way_when_all_are_taken() {
        let mut listener = Listener::default();
        for last in 0..8 {
            assert_eq!(listener.came(last, true), Ok(vec![]));
        }
        assert_eq!(listener.came(100, true), Ok(vec![0]));
        // One whose handshake is done is not among them, and neither is one without a handshake.
        let (second, task) = (listener.came[1].0, listener.tasks.spawn(std::future::pending()));
        listener.came[1].0 = task.id();
        listener.register.greeted(second);
        listener.register.goes_on(second, task);
        assert_eq!(listener.came(101, true), Ok(vec![]));
        assert_eq!(listener.came(102, true), Ok(vec![2]));
        assert_eq!(listener.came(103, false), Ok(vec![]));
    }

    #[tokio::test]
    async fn connections_of_strangers_give_way_and_accepted_ones_stay() {
        let mut listener = Listener::default();
        for one in 0..12 {
            assert_eq!(listener.came(one / 6, false), Ok(vec![]));
        }
        assert_eq!(listener.came(0, false), Err(Refusal::PerPeer));
        listener.is_accepted(0);
        assert_eq!(listener.came(2, false), Ok(vec![1]));
        for one in 0..=12 {
            listener.is_accepted(one);
        }
        assert_eq!(listener.came(3, false), Err(Refusal::Total));
        listener.register.leave(listener.came[0].0);
        assert_eq!(listener.came(3, false), Ok(vec![]));
    }

    #[tokio::test]
    async fn messages_that_show_nothing_keep_nobody_out() {
        let mut listener = Listener::default();
        for one in 0..12 {
            assert_eq!(listener.came(one / 6, false), Ok(vec![]));
            listener.speaks(usize::from(one));
        }
        // The newcomers (12, 13) have sent nothing yet, and still are not the next to go.
        assert_eq!(listener.came(2, false), Ok(vec![0]));
        listener.speaks(1);
        assert_eq!(listener.came(3, false), Ok(vec![1]));
        assert_eq!(listener.came(4, false), Ok(vec![2]));
    }

    #[tokio::test]
    async fn the_last_descriptors_are_left_to_others() {
        let mut listener = Listener::default();
        let network = IpAddr::from([192, 0, 2, 1]);
        listener.came(2, false).unwrap();
        listener.came(2, false).unwrap();
        assert_eq!(listener.register.make_room(network, false, BOUNDS, Room::Little), Ok(1));
        assert_eq!(listener.here(), [1]);
        let refused = listener.register.make_room(network, false, BOUNDS, Room::None);
        assert_eq!((refused, listener.here()), (Err(Refusal::Descriptors), vec![]));
    }
}
