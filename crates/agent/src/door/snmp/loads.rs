//! Loading groups for requests that wait: one load of a group at a time, and
//! nobody waits for another group's.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;
use trunkline_tree::{Freshness, GroupId, Tree};

/// A turn for each group.
pub(super) struct Loads {
    turns: Vec<Mutex<()>>,
}

/// The group's source could not be read; the reason is in the log.
#[derive(Debug)]
pub(super) struct LoadFailed;

impl Loads {
    pub fn new(groups: usize) -> Self {
        Loads { turns: (0..groups).map(|_| Mutex::new(())).collect() }
    }

    /// Comes back when the tree has a snapshot that is good for a request of moment `arrived`.
    pub async fn load(&self, tree: &Arc<Tree>, group: GroupId, arrived: Instant) -> Result<(), LoadFailed> {
        let turn = self.turns.get(group.position()).ok_or(LoadFailed)?;
        let _turn = turn.lock().await;
        let per_object = tree.freshness(group) == Freshness::PerObject;
        if !per_object && tree.fresh_snapshot(group, arrived).is_some() {
            return Ok(());
        }
        let loader = tree.clone();
        let loaded = tokio::task::spawn_blocking(move || loader.load(group, arrived, Instant::now)).await;
        match loaded {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a request is answered with genErr");
                Err(LoadFailed)
            }
            Err(panic) => {
                tracing::error!(%panic, "a provider failed; a request is answered with genErr");
                Err(LoadFailed)
            }
        }
    }
}
