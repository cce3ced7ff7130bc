//! How many instances are sampled, and what has failed (mteResource, mteTriggerFailures, mteEventFailures).

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The counters.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    /// mteResourceSampleInstances, and the limits; changed together.
    sampled: Mutex<Sampled>,
    /// mteResourceSampleInstanceLacks.
    pub lacks: AtomicU32,
    /// mteTriggerFailures.
    pub trigger_failures: AtomicU32,
    /// mteEventFailures.
    pub event_failures: AtomicU32,
    /// The least limit there is.
    limit: AtomicUsize,
}

#[derive(Debug, Default)]
struct Sampled {
    now: usize,
    high: usize,
}

impl Resources {
    /// From now on this many instances are the limit; those that are sampled stay.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// mteResourceSampleInstances and mteResourceSampleInstancesHigh.
    pub fn counts(&self) -> (u32, u32) {
        let sampled = self.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        (number(sampled.now), number(sampled.high))
    }

    /// One more of what a counter counts.
    pub fn count(counter: &AtomicU32, more: u32) {
        counter.fetch_add(more, Ordering::Relaxed);
    }
}

/// The instances of one trigger, which are given back with it.
#[derive(Debug)]
pub(crate) struct Share {
    resources: Arc<Resources>,
    held: usize,
}

impl Share {
    /// What counts the instances that were too many.
    pub fn lacks(&self) -> &AtomicU32 {
        &self.resources.lacks
    }

    /// No instance yet.
    pub fn new(resources: Arc<Resources>) -> Self {
        Share { resources, held: 0 }
    }

    /// Has `wanted` instances, or as many as there may be; returns how many.
    pub fn hold(&mut self, wanted: usize) -> usize {
        let limit = self.resources.limit.load(Ordering::Relaxed);
        let mut sampled = self.resources.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let free = limit.saturating_sub(sampled.now);
        let granted = wanted.min(self.held + free);
        sampled.now = sampled.now - self.held + granted;
        sampled.high = sampled.high.max(sampled.now);
        self.held = granted;
        granted
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.hold(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_share_one_limit_and_give_back_what_they_held() {
        let resources = Arc::new(Resources::default());
        resources.set_limit(10);
        let mut first = Share::new(resources.clone());
        let mut second = Share::new(resources.clone());
        assert_eq!((first.hold(7), second.hold(7)), (7, 3));
        // A lower limit takes nothing away.
        resources.set_limit(5);
        assert_eq!((first.hold(7), second.hold(4)), (7, 3));
        assert_eq!(first.hold(1), 1);
        assert_eq!((second.hold(5), resources.counts()), (4, (5, 10)));
        drop((first, second));
        assert_eq!(resources.counts(), (0, 10));
    }
}
