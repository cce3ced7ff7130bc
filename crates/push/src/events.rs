//! The stream `NETCONF` (RFC 5277): the last events in memory, from which each subscriber takes what it wants at its own pace. A
//! subscriber that is too slow misses what is no longer kept, and delays no other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::watch;

use crate::event::Event;

/// The stream.
#[derive(Debug)]
pub struct Events {
    log: Mutex<Log>,
    /// The number of the next event.
    next: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Log {
    /// The number of the first one that is kept.
    first: u64,
    kept: VecDeque<Arc<Event>>,
    octets: usize,
}

impl Default for Events {
    fn default() -> Self {
        Events { log: Mutex::default(), next: watch::Sender::new(0) }
    }
}

impl Events {
    /// Adds an event, and wakes the subscribers.
    pub fn add(&self, event: Event) {
        let mut log = self.log();
        log.octets += weight(&event);
        log.kept.push_back(Arc::new(event));
        while log.kept.len() > MOST || log.octets > MOST_OCTETS && log.kept.len() > 1 {
            let Some(oldest) = log.kept.pop_front() else { break };
            log.octets -= weight(&oldest);
            log.first += 1;
        }
        let next = log.first + log.kept.len() as u64;
        self.next.send_replace(next);
    }

    /// The number that the next event will have.
    pub fn next(&self) -> u64 {
        *self.next.borrow()
    }

    /// Tells when there are more.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.next.subscribe()
    }

    /// The first event that is kept with this number or a greater one, and its number.
    pub fn at(&self, number: u64) -> Option<(u64, Arc<Event>)> {
        let log = self.log();
        let number = number.max(log.first);
        let at = usize::try_from(number - log.first).ok()?;
        log.kept.get(at).map(|event| (number, event.clone()))
    }

    /// The number of the first one that is kept from this time on.
    pub fn from(&self, time: SystemTime) -> u64 {
        let log = self.log();
        log.first + log.kept.iter().take_while(|event| event.time < time).count() as u64
    }

    /// Since when events are kept, of a log that began then.
    pub fn since(&self, begin: SystemTime) -> SystemTime {
        let log = self.log();
        let first = log.kept.front().filter(|_| log.first > 0);
        first.map_or(begin, |first| first.time.max(begin))
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Octets that an event occupies, about.
fn weight(event: &Event) -> usize {
    size_of::<Event>() + event.instances.memory()
}

/// The name of the stream; there are no others.
pub const STREAM: &str = "NETCONF";
/// Events that are kept.
const MOST: usize = 1000;
/// Their octets.
const MOST_OCTETS: usize = 2 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::About;
    use std::time::Duration;
    use trunkline_yang::instances::Instances;

    fn event(seconds: u64) -> Event {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        Event { time, instances: Instances::new(), about: About::Session(0) }
    }

    #[test]
    fn the_last_events_are_kept_and_have_their_numbers() {
        let events = Events::default();
        assert!(events.at(0).is_none());
        for second in 0..MOST as u64 + 10 {
            events.add(event(second));
        }
        assert_eq!(events.next(), MOST as u64 + 10);
        let (number, oldest) = events.at(3).unwrap();
        assert_eq!((number, oldest.time), (10, event(10).time));
        assert_eq!(events.from(event(500).time), 500);
        assert_eq!(events.from(event(3).time), 10);
        assert!(events.at(events.next()).is_none() && events.from(event(5000).time) == events.next());
    }

    #[test]
    fn large_events_take_the_place_of_more() {
        let events = Events::default();
        let mut instances = Instances::new();
        let forest = trunkline_yang::forest::Forest::of_notifications(&trunkline_yang::smiv2::modules());
        instances.leaf(forest.roots()[0], &"x".repeat(MOST_OCTETS / 4));
        for second in 0..20 {
            events.add(Event { instances: instances.clone(), ..event(second) });
        }
        assert_eq!(events.at(0).unwrap().0, 17);
    }
}
