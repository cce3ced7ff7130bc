//! What happened lately, as notifications: a bounded log, of which each connection fetches what it wants.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use trunkline_beans::{AttributeChange, Catalog, Emitted, Happened};
use trunkline_core::ObjectChange;
use trunkline_smi::Oid;

/// What happened lately.
pub(crate) struct Log {
    kept: Mutex<Kept>,
    /// The number of the next one.
    news: watch::Sender<i64>,
}

#[derive(Default)]
struct Kept {
    told: VecDeque<Arc<Told>>,
    next: i64,
}

/// What happened as notifications of some MBeans, and what decides who may see it.
pub(crate) struct Told {
    /// Its number.
    pub sequence: i64,
    /// One for each MBean.
    pub notifications: Vec<Emitted>,
    /// The notification of a MIB module; `None`: an attribute was configured.
    pub cause: Option<Cause>,
}

/// A notification of a MIB module.
pub(crate) struct Cause {
    /// Which.
    pub oid: Oid,
    /// Its objects.
    pub objects: Vec<Oid>,
    /// Where they are.
    pub context: String,
}

impl Default for Log {
    fn default() -> Self {
        Log { kept: Mutex::default(), news: watch::Sender::new(0) }
    }
}

impl Log {
    /// Adds what happened then.
    pub fn add(&self, catalog: &Catalog, happened: &trunkline_tree::Event, at: SystemTime) {
        let time = milliseconds(at);
        let trunkline_tree::Event { oid, objects, context, .. } = happened;
        let names = objects.iter().map(|(name, _)| name.clone()).collect();
        let cause = Cause { oid: oid.clone(), objects: names, context: context.clone() };
        self.put(Some(cause), |sequence| Happened { oid, objects, sequence, time }.notifications(catalog));
    }

    /// Adds that an attribute has got another value then.
    pub fn add_change(&self, catalog: &Catalog, change: &ObjectChange, at: SystemTime) {
        let ObjectChange { name, before, after } = change;
        self.put(None, |sequence| {
            let change = AttributeChange {
                instance: name,
                old: before.as_ref(),
                new: after.as_ref(),
                message: None,
                sequence,
                time: milliseconds(at),
            };
            let notification = change.notification(catalog);
            let emitted = |notification| Emitted { notification, about: Some(name.clone()) };
            notification.map(emitted).into_iter().collect()
        });
    }

    fn put(&self, cause: Option<Cause>, notifications: impl FnOnce(i64) -> Vec<Emitted>) {
        let mut kept = self.kept();
        let sequence = kept.next;
        let notifications = notifications(sequence);
        if kept.told.len() == MOST_KEPT {
            kept.told.pop_front();
        }
        kept.told.push_back(Arc::new(Told { sequence, notifications, cause }));
        kept.next += 1;
        self.news.send_replace(kept.next);
    }

    /// Those from a number on, with the numbers of the earliest that is kept and of the next one to come.
    pub fn from(&self, sequence: i64) -> (i64, Vec<Arc<Told>>, i64) {
        let kept = self.kept();
        let earliest = kept.next - i64::try_from(kept.told.len()).unwrap_or(0);
        let passed = usize::try_from(sequence.saturating_sub(earliest)).unwrap_or(0);
        (earliest, kept.told.iter().skip(passed).cloned().collect(), kept.next)
    }

    /// The number of the next one.
    pub fn next(&self) -> i64 {
        self.kept().next
    }

    /// Reports each one that comes.
    pub fn news(&self) -> watch::Receiver<i64> {
        self.news.subscribe()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Since 1970.
fn milliseconds(at: SystemTime) -> i64 {
    let time = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    i64::try_from(time).unwrap_or(i64::MAX)
}

/// Notifications that are kept for those who fetch them.
pub(crate) const MOST_KEPT: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> trunkline_tree::Event {
        trunkline_tree::Event::new(Oid::new(&[1, 3, 6, 1, 6, 3, 1, 1, 5, 3]).unwrap(), Vec::new())
    }

    #[test]
    fn the_log_is_bounded_and_numbers_go_on() {
        let (events, catalog) = (Log::default(), Catalog::new(|_| true));
        for _ in 0..MOST_KEPT + 5 {
            events.add(&catalog, &event(), UNIX_EPOCH);
        }
        let (earliest, told, next) = events.from(0);
        assert_eq!((earliest, told.len(), next), (5, MOST_KEPT, MOST_KEPT as i64 + 5));
        let (_, told, _) = events.from(next - 2);
        let numbers: Vec<i64> = told.iter().map(|it| it.sequence).collect();
        assert_eq!(numbers, [next - 2, next - 1]);
        assert!(events.from(next + 10).1.is_empty());
    }
}
