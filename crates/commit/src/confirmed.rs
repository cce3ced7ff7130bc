//! A commit that waits to be confirmed, what others change meanwhile, and which changes last whatever is committed or taken back.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;
use trunkline_admin::Flush;
use trunkline_core::Core;
use trunkline_datastore::{Change, Config, Step, carried_over};
use trunkline_netconf::error::RpcError;
use trunkline_yang::forest::{Forest, NodeId};

use super::register::Member;
use super::{Datastores, State, keyring, tree_roots};

/// A commit that is taken back unless it is confirmed (RFC 6241 section 8.4).
pub struct Confirmed {
    /// Running before it.
    pub before: Config,
    /// The session that it ends with, unless it has a name.
    pub session: u32,
    /// Whose session that is, or was.
    pub member: Arc<Member>,
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
    /// So is one of another session, and one of rights, but for what it changes of these: nobody takes back with a commit of its own what was taken from
    /// somebody.
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

/// Attempts again and again what could not be taken back, until that works. The argument of an attempt: whether it takes back in parts what cannot be taken back
/// as a whole.
pub async fn try_again<A: Future<Output = Result<(), RpcError>>>(mut attempt: impl FnMut(bool) -> A) {
    let mut wait = FIRST_WAIT;
    loop {
        tokio::time::sleep(wait).await;
        match attempt(wait >= LAST_WHOLE).await {
            Ok(()) => return,
            Err(error) => tracing::debug!(%error, "what is to be taken back cannot be yet"),
        }
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Whether a change is one of what gives rights: roles and their keys, groups of users, and in `/snmp` also users, communities and the names of
/// certificates. It takes no part in a commit that waits to be confirmed: somebody may have taken meanwhile what that would bring back.
#[must_use]
pub fn is_of_rights(forest: &Forest, change: &Change) -> bool {
    let [first, rest @ ..] = &change.path[..] else { return false };
    let ([_, snmp, nacm, _], [keys, rbac]) = (tree_roots(forest), role_roots(forest));
    let is_within = |step: &Step| ["community", "tlstm", "usm", "vacm"].contains(&&*forest[step.node].name);
    [nacm, keys, rbac].contains(&Some(first.node))
        || snmp == Some(first.node) && rest.first().is_some_and(is_within)
}

/// The access policy as data, and the keys of its roles.
#[must_use]
pub fn role_roots(forest: &Forest) -> [Option<NodeId>; 2] {
    [keyring::root(forest), trunkline_nacm::rbac_root(forest)]
}

impl State {
    /// What a change leaves to be gone back to, if it is not of the session whose commit waits to be confirmed.
    #[must_use]
    pub fn lasting(&self, forest: &Forest, old: &Config, new: &Config) -> Config {
        let Some(confirmed) = &self.confirmed else { return old.clone() };
        let ([system, snmp, nacm, delegation], [keys, rbac]) = (tree_roots(forest), role_roots(forest));
        let rights = [system, snmp, nacm, delegation, keys, rbac];
        carried_over(&confirmed.before, old, new, |root| rights.contains(&Some(root)))
    }
}

impl Datastores {
    /// What a change has become, in what is gone back to and in the candidate: `/nacm` and `/snmp` show the same rows, and who has changed one has changed
    /// the other.
    pub(super) async fn carry(
        &self,
        core: &Core,
        forest: &Forest,
        state: &mut State,
        old: &Config,
        trial: Trial,
    ) {
        let now = self.running(core, forest, state).await;
        carry_to_candidate(forest, state, old, &now);
        let lasting = lasting(forest, state, old, &now, trial);
        let Some(confirmed) = &mut state.confirmed else { return };
        if trial != Trial::No && confirmed.before != lasting {
            let kept = self.kept.keep(forest, &lasting, Some(&now), &state.machine, Flush::Now);
            kept.unwrap_or_else(
                |error| tracing::error!(%error, "what a change leaves to be gone back to is not kept"),
            );
            confirmed.before = lasting;
        }
    }
}

/// Changes rights in the candidate as well, with all of `/snmp`. It may be older, and the next commit, whatever it is about, would undo the change.
pub(super) fn carry_to_candidate(forest: &Forest, state: &mut State, old: &Config, new: &Config) {
    let ([_, snmp, nacm, delegation], [keys, rbac]) = (tree_roots(forest), role_roots(forest));
    if let Some(candidate) = &mut state.candidate {
        *candidate = carried_over(candidate, old, new, |root| {
            [snmp, nacm, delegation, keys, rbac].contains(&Some(root))
        });
    }
}

/// What a change leaves to be gone back to.
pub(super) fn lasting(forest: &Forest, state: &State, old: &Config, new: &Config, trial: Trial) -> Config {
    match &state.confirmed {
        Some(confirmed) if trial != Trial::OfAnother => confirmed.before.clone(),
        _ => state.lasting(forest, old, new),
    }
}

/// What cannot be taken back as a whole by then, half a minute after the first attempt, is taken back in parts: it holds off all other changes.
const LAST_WHOLE: Duration = Duration::from_secs(16);
/// Between attempts to take something back.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use trunkline_netconf::error::{Layer, Tag};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn after_half_a_minute_attempts_are_in_parts() {
        let (begun, mut attempts) = (tokio::time::Instant::now(), Vec::new());
        try_again(|in_parts| {
            attempts.push((begun.elapsed().as_secs(), in_parts));
            let is_done = attempts.len() == 8;
            let refused = || RpcError::new(Layer::Application, Tag::OperationFailed, "no");
            async move { is_done.then_some(()).ok_or_else(refused) }
        })
        .await;
        let whole = [1, 3, 7, 15].map(|at| (at, false));
        let in_parts = [31, 63, 123, 183].map(|at| (at, true));
        assert_eq!(attempts, [whole, in_parts].concat());
    }
}
