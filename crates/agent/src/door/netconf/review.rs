//! Sessions whose users have lost their rights, by a reload or because somebody has changed the tables of access: what they hold is free again.

use std::sync::Arc;

use trunkline_tree::policy::{Principal, ViewType};

use super::Netconf;
use super::configure::leave;
use super::permission::access;

impl Netconf {
    /// Looks at all sessions whenever rights may have changed, as long as the agent runs.
    pub async fn review(self: Arc<Self>) {
        loop {
            self.core.changed().await;
            self.review_now().await;
        }
    }

    async fn review_now(self: &Arc<Self>) {
        // Between the steps of a transaction somebody may be without rights who has them before and afterwards.
        drop(self.datastores.lock().await);
        for (id, member) in self.register.members() {
            let Some(principal) = &member.principal else { continue };
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

    fn may_change(&self, principal: Principal<'_>) -> bool {
        access(self, principal, ViewType::Write).is_some_and(|access| access.may_write_anything())
    }

    /// Whether somebody may do anything here.
    pub(super) fn has_rights(&self, principal: Principal<'_>) -> bool {
        let views = [ViewType::Read, ViewType::Write, ViewType::Notify];
        views.into_iter().any(|view| access(self, principal, view).is_some())
    }
}
