//! Loading groups for requests that wait: one load of a group at a time, and
//! nobody waits for another group's.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use trunkline_tree::{Freshness, GroupId, Tree};

/// A turn for each group.
pub(super) struct Loads {
    turns: Vec<Mutex<Turn>>,
}

/// What whoever has the turn knows of the loads before.
#[derive(Debug, Default)]
struct Turn {
    /// When a failure was last told.
    told: Option<Instant>,
    /// Failures since then.
    untold: u32,
}

/// A group that cannot be read is told of at once and then no oftener than this: those who ask
/// must not fill the log.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// The group's source could not be read; the reason is in the log.
#[derive(Debug)]
pub(super) struct LoadFailed;

impl Loads {
    pub fn new(groups: usize) -> Self {
        Loads { turns: (0..groups).map(|_| Mutex::default()).collect() }
    }

    /// Comes back when the tree has a snapshot that is good for a request of moment `arrived`.
    pub async fn load(&self, tree: &Arc<Tree>, group: GroupId, arrived: Instant) -> Result<(), LoadFailed> {
        let turn = self.turns.get(group.position()).ok_or(LoadFailed)?;
        let mut turn = turn.lock().await;
        let per_object = tree.freshness(group) == Freshness::PerObject;
        if !per_object && tree.fresh_snapshot(group, arrived).is_some() {
            return Ok(());
        }
        let loader = tree.clone();
        let loaded = tokio::task::spawn_blocking(move || loader.load(group, arrived, Instant::now)).await;
        let failure: &dyn std::fmt::Display = match &loaded {
            Ok(Ok(())) => {
                *turn = Turn::default();
                return Ok(());
            }
            Ok(Err(error)) => error,
            Err(panic) => panic,
        };
        if let Some(untold) = turn.tell(Instant::now()) {
            tracing::warn!(%failure, untold, "requests are answered with genErr");
        }
        Err(LoadFailed)
    }
}

impl Turn {
    /// Notes a failure; if it is to be told, how many before it were not.
    fn tell(&mut self, now: Instant) -> Option<u32> {
        if self.told.is_some_and(|told| now.saturating_duration_since(told) < TELL_EVERY) {
            self.untold = self.untold.saturating_add(1);
            return None;
        }
        self.told = Some(now);
        Some(std::mem::take(&mut self.untold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_failure_is_told_once_a_minute() {
        let (mut turn, start) = (Turn::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(turn.tell(at(0)), Some(0));
        assert_eq!(turn.tell(at(1)), None);
        assert_eq!(turn.tell(at(59)), None);
        assert_eq!(turn.tell(at(60)), Some(2));
        assert_eq!(turn.tell(at(61)), None);
    }
}
