//! A commit that waits to be confirmed, and what others change meanwhile.

use std::time::Duration;

use tokio::task::AbortHandle;
use trunkline_datastore::{Config, carried_over};
use trunkline_yang::forest::Forest;

use super::{State, keyring, tree_roots};

/// A commit that is taken back unless it is confirmed (RFC 6241 section 8.4).
pub struct Confirmed {
    /// Running before it.
    pub before: Config,
    /// The session that it ends with, unless it has a name.
    pub session: u32,
    /// The name by which others confirm it.
    pub persist: Option<String>,
    /// Its number.
    pub commit: u64,
    /// Its time is over: it can no longer be confirmed, and is taken back as soon as that works.
    pub is_over: bool,
    /// Takes it back in time.
    pub timer: Timer,
}

/// Whether a change of running waits to be confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trial {
    /// It lasts.
    No,
    /// It is taken back with the commit of its session, unless that is confirmed.
    OfSession,
    /// So is one of another session, but for what it changes of rights: nobody takes back with a commit of its own what was taken from it.
    OfAnother,
}

/// What is done after a time, unless this is dropped before.
pub struct Timer(AbortHandle);

impl Timer {
    /// Does something after a time, in a task of its own.
    pub fn after(time: Duration, then: impl Future<Output = ()> + Send + 'static) -> Timer {
        let task = tokio::spawn(async move {
            tokio::time::sleep(time).await;
            // A task of its own: what it does may drop the timer.
            tokio::spawn(then);
        });
        Timer(task.abort_handle())
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a change leaves to be gone back to.
pub(super) fn lasting(forest: &Forest, state: &State, old: &Config, new: &Config, trial: Trial) -> Config {
    let Some(confirmed) = &state.confirmed else { return old.clone() };
    if trial != Trial::OfAnother {
        return confirmed.before.clone();
    }
    let [system, snmp, nacm] = tree_roots(forest);
    let rights = [system, snmp, nacm, keyring::root(forest), trunkline_nacm::rbac_root(forest)];
    carried_over(&confirmed.before, old, new, |root| rights.contains(&Some(root)))
}
