//! Sets: all of them or none.

use std::time::Instant;

use trunkline_tree::policy::Principal;
use trunkline_tree::{Access, SetBinding, SetFailure, SetStatus};

use super::Served;

/// Why nothing was set; the log says so.
#[derive(Debug)]
pub enum NotSet {
    /// A binding cannot be set.
    Refused(SetFailure),
    /// A provider ended in a panic.
    Panicked,
}

impl Served {
    /// Sets all of these or none, on a thread that may block.
    ///
    /// # Errors
    /// [`NotSet`]
    pub(crate) async fn set(
        &self,
        principal: &Principal<'_>,
        access: &Access,
        bindings: Vec<SetBinding>,
    ) -> Result<(), NotSet> {
        let (tree, access, principal) = (self.tree.clone(), access.clone(), principal.into_owned());
        let write = move || tree.set_by(Some(&principal.as_principal()), &access, &bindings, Instant::now);
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(failure)) => {
                match failure.status {
                    SetStatus::ResourceUnavailable | SetStatus::CommitFailed | SetStatus::UndoFailed => {
                        tracing::warn!(%failure, "a set could not be made");
                    }
                    // The client's mistake: not louder, or clients could fill the log.
                    _ => tracing::debug!(%failure, "refused a set"),
                }
                Err(NotSet::Refused(failure))
            }
            Err(panic) => {
                tracing::error!(%panic, "a provider failed in a set");
                Err(NotSet::Panicked)
            }
        }
    }
}
