//! What is taken back: commits that nobody has confirmed, and changes that failed. And what subscribers hear of changes.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use trunkline_commit::{Confirmed, State, try_again};
use trunkline_datastore::Change;
use trunkline_netconf::error::RpcError;

use super::super::Netconf;
use super::super::event::{Confirm, Event, Who};
use super::super::register::Member;

/// After a session, or when it may change nothing any more: the changes that its lock protected, and its commit if that waits for it to be
/// confirmed, are taken back.
pub(in super::super) async fn leave(door: &Arc<Netconf>, session: u32, member: &Member, why: &str) {
    if member.holds_candidate.swap(false, Relaxed) {
        door.datastores.lock().await.discard();
    }
    let is_its = |confirmed: &Confirmed| confirmed.session == session && confirmed.persist.is_none();
    take_back(door, is_its, Confirm::Cancel, why).await;
}

/// Takes back the commit of a session that has ended, which only its name keeps, if its user has lost what it had rights by.
pub(in super::super) async fn leave_behind(door: &Arc<Netconf>, commit: u64, why: &str) {
    take_back(door, |confirmed| confirmed.commit == commit, Confirm::Cancel, why).await;
}

/// Takes back the commit that waits to be confirmed, if it is this one.
pub(super) async fn take_back(
    door: &Arc<Netconf>,
    is_it: impl Fn(&Confirmed) -> bool,
    confirm: Confirm,
    why: &str,
) {
    let mut state = door.datastores.lock().await;
    let found = state.confirmed.as_ref().filter(|confirmed| !confirmed.is_over && is_it(confirmed));
    if let Some(session) = found.map(|confirmed| confirmed.session) {
        door.audit.taken_back(None, session, why);
        note_confirm(door, None, confirm);
        // The log has the reason, and it is tried again.
        let _ = settle(door, &mut state).await;
    }
}

/// Takes back what is to be taken back, and if that fails, tries again until it works, at last in parts.
pub(super) async fn settle(door: &Arc<Netconf>, state: &mut State) -> Result<(), RpcError> {
    let error = match door.datastores.take_back(&door.core, &door.models().forest, state, false).await {
        Ok(changed) => {
            note_settled(door, state, &changed);
            return Ok(());
        }
        Err(error) => error,
    };
    tracing::error!(%error, "a change of the configuration cannot be taken back; it is tried again");
    if std::mem::replace(&mut state.is_settling, true) {
        return Err(error);
    }
    let door = door.clone();
    tokio::spawn(try_again(move |in_parts| {
        let door = door.clone();
        async move {
            let mut state = door.datastores.lock().await;
            let forest = &door.models().forest;
            let changed = door.datastores.take_back(&door.core, forest, &mut state, in_parts).await?;
            note_settled(&door, &mut state, &changed);
            tracing::info!("the change of the configuration is taken back");
            state.is_settling = false;
            Ok(())
        }
    }));
    Err(error)
}

/// Tells subscribers that running has changed.
pub(super) fn note_change(door: &Netconf, by: Option<&Who>, changed: &[Change]) {
    let models = door.models();
    door.note(Event::config_change(&models.events, &models.forest, by, changed));
}

/// Tells them what was taken back, and why if they do not know yet.
fn note_settled(door: &Netconf, state: &mut State, changed: &[Change]) {
    note_change(door, None, changed);
    if let Some(tell) = state.once_settled.take() {
        tell();
    }
}

/// Tells them what happens to a confirmed commit.
pub(super) fn note_confirm(door: &Netconf, who: Option<&Who>, confirm: Confirm) {
    door.note(Event::confirmed_commit(&door.models().events, who, confirm));
}

/// Running was changed over another protocol.
pub(in super::super) async fn note_elsewhere(
    door: &Arc<Netconf>,
    state: &mut State,
    by: &Who,
    changed: &[Change],
) {
    note_change(door, Some(by), changed);
    if state.is_unsettled() {
        // The log has the reason, and it is tried again.
        drop(settle(door, state).await);
    }
}
