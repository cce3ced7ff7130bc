//! Sessions whose users have lost their rights, by a reload or because somebody has changed the tables of access: what they hold is free again.

use std::sync::Arc;
use std::time::SystemTime;

use trunkline_commit::register::Member;
use trunkline_tree::policy::{OwnedActing, OwnedPrincipal, Principal, ViewType};
use trunkline_xmlsec::{KeyName, Time};

use super::Netconf;
use super::configure::{leave, leave_behind};
use super::permission::access;

impl Netconf {
    /// Looks at all sessions whenever rights or keys may have changed, as long as the agent runs.
    pub async fn review(self: Arc<Self>) {
        loop {
            tokio::select! {
                () = self.core.changed() => {}
                () = self.datastores.keyring().changed() => {}
            }
            self.review_now().await;
        }
    }

    async fn review_now(self: &Arc<Self>) {
        // Between the steps of a transaction somebody may be without rights who has them before and afterwards.
        let state = self.datastores.lock().await;
        let confirmed = state.confirmed.as_ref().map(|waits| (waits.commit, waits.member.clone()));
        drop(state);
        if let Some((commit, member)) = confirmed {
            self.review_commit(commit, &member).await;
        }
        for (id, member) in self.register.members() {
            let Some(principal) = &member.principal else { continue };
            let key = member.last_key();
            if let Some(key) = &key
                && self.review_key(id, &member, key).await
            {
                continue;
            }
            let principal = in_role_of(key.as_ref(), principal);
            let principal = principal.as_principal();
            if self.may_change(principal) {
                continue;
            }
            if member.had_rights && !self.has_rights(principal) {
                if let Some(ended) = self.register.kill(id, 0) {
                    self.audit.revoked(id, &member, true, &ended.held);
                }
                continue;
            }
            // The others may go on reading.
            leave(self, id, &member, "its session may change nothing any more").await;
            let released = self.register.release(id);
            if !released.is_empty() {
                self.audit.revoked(id, &member, false, &released);
            }
        }
    }

    /// A commit that waits to be confirmed goes with what its user had the right by, also if it has a name: nobody else may know that name, and as long as it
    /// waits nobody else can lock running.
    async fn review_commit(self: &Arc<Self>, commit: u64, member: &Member) {
        let key = member.last_key();
        if let Some(key) = &key
            && !self.is_valid(key)
        {
            return leave_behind(self, commit, "the keys of its session are not valid any more").await;
        }
        let Some(principal) = &member.principal else { return };
        if !self.may_change(in_role_of(key.as_ref(), principal).as_principal()) {
            leave_behind(self, commit, "its user may change nothing any more").await;
        }
    }

    fn is_valid(&self, key: &KeyName) -> bool {
        self.datastores.keyring().table().has(key, Time::from(SystemTime::now()))
    }

    /// Whether the last keys of a session are over. What it holds is free then; its next message may be by others.
    async fn review_key(self: &Arc<Self>, id: u32, member: &Member, key: &KeyName) -> bool {
        if self.is_valid(key) {
            return false;
        }
        leave(self, id, member, "the keys of its session are not valid any more").await;
        let released = self.register.release(id);
        if !released.is_empty() {
            self.audit.keys_over(id, member, &released);
        }
        true
    }

    fn may_change(&self, principal: Principal<'_>) -> bool {
        access(self, principal, ViewType::Write).is_some_and(|access| access.may_write_anything())
    }

    /// Whether somebody may do anything here.
    pub(super) fn has_rights(&self, principal: Principal<'_>) -> bool {
        let views = [ViewType::Read, ViewType::Write, ViewType::Notify];
        views.into_iter().any(|view| access(self, principal, view).is_some())
    }
}

/// A session's principal, in the role of its last keys if there are some.
fn in_role_of(key: Option<&KeyName>, principal: &OwnedPrincipal) -> OwnedPrincipal {
    let role = key.and_then(KeyName::role);
    let proved = role.map(|role| OwnedActing { role: role.as_str().into(), is_proved: true });
    let acting = proved.or_else(|| principal.acting.clone());
    OwnedPrincipal { acting, ..principal.clone() }
}
