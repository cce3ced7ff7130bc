//! Loading groups for requests that wait: one load of a group at a time, and no request waits for another
//! group's.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;
use trunkline_transport::LogLimit;
use trunkline_tree::{Freshness, GroupId, Tree};

/// A turn for each group, with the limit of what is logged of its failures.
pub(super) struct Loads {
    turns: Vec<Mutex<LogLimit>>,
}

/// The group's source could not be read; the reason is in the log.
#[derive(Debug)]
pub(super) struct LoadFailed;

impl Loads {
    pub fn new(groups: usize) -> Self {
        Loads { turns: (0..groups).map(|_| Mutex::new(LogLimit::for_failures())).collect() }
    }

    /// Comes back when the tree has a snapshot that is good for a request of moment `arrived`.
    pub async fn load(&self, tree: &Arc<Tree>, group: GroupId, arrived: Instant) -> Result<(), LoadFailed> {
        let turn = self.turns.get(group.position()).ok_or(LoadFailed)?;
        let failures = turn.lock().await;
        let per_object = tree.freshness(group) == Freshness::PerObject;
        if !per_object && tree.fresh_snapshot(group, arrived).is_some() {
            return Ok(());
        }
        let loader = tree.clone();
        let loaded = tokio::task::spawn_blocking(move || loader.load(group, arrived, Instant::now)).await;
        let failure: &dyn std::fmt::Display = match &loaded {
            Ok(Ok(())) => {
                failures.reset();
                return Ok(());
            }
            Ok(Err(error)) => error,
            Err(panic) => panic,
        };
        if let Some(untold) = failures.admit() {
            tracing::warn!(%failure, untold, "requests are answered with genErr");
        }
        Err(LoadFailed)
    }
}
