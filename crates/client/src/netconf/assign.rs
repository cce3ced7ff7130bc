//! Leaves are set, all or none: in the candidate and by its commit, or in running where there is no candidate.

use trunkline_netconf::assign::{Assignment, config};
use trunkline_netconf::needs;
use trunkline_netconf::operation::{Datastore, ErrorOption};
use trunkline_netconf::request::{self, Commit, EditConfig};

use super::{NetconfFault, NetconfSession};
use crate::error::Error;

impl NetconfSession {
    /// Gives leaves these values. The datastore and running are locked meanwhile, where there are locks.
    ///
    /// # Errors
    /// [`NetconfFault::Prefix`]: the server has no such module; [`NetconfFault::Refused`]: nothing is changed.
    pub async fn assign(&self, assignments: &[Assignment]) -> Result<(), Error> {
        let modules = self.modules().await?;
        let config = config(assignments, |name| modules.namespace(name)).map_err(NetconfFault::from)?;
        let hello = self.hello().await?;
        let target = if hello.has(CANDIDATE) { Datastore::Candidate } else { Datastore::Running };
        let error_option = hello.has(ROLLBACK).then_some(ErrorOption::RollbackOnError);
        let (default_operation, test_option) = (None, None);
        let edit = EditConfig { target, default_operation, test_option, error_option, config: &config };
        if !self.is_restconf() {
            needs::edit(&hello, &edit).map_err(NetconfFault::from)?;
        }
        let edit = request::edit_config(edit);
        if self.is_restconf() {
            return self.done(&edit).await;
        }
        let locks = self.lock_for(target, true).await?;
        let mut done = self.done(&edit).await;
        if target == Datastore::Candidate {
            if done.is_ok() {
                done = self.done(&request::commit(Commit::default())).await;
            }
            if done.is_err() {
                // The first error is what the user needs.
                let _ = self.done(&request::discard_changes()).await;
            }
        }
        done.and(self.unlock(&locks).await)
    }

    /// Locks what an edit of a datastore needs, and returns what of it was not locked yet. A commit makes the candidate, a copy of running
    /// with the edit, running again: what others change in running between the two would be taken back. `has_running`: running can be locked;
    /// it cannot while a commit waits to be confirmed (RFC 6241 section 7.5).
    ///
    /// # Errors
    /// A lock is denied; then none is held.
    pub async fn lock_for(&self, target: Datastore, has_running: bool) -> Result<Vec<Datastore>, Error> {
        let mut wanted = vec![target];
        if has_running && target != Datastore::Running {
            wanted.insert(0, Datastore::Running);
        }
        // Whoever lends the session may hold them.
        wanted.retain(|it| !self.lent_locks().contains(it));
        for (held, datastore) in wanted.iter().enumerate() {
            if let Err(denied) = self.done(&request::lock(*datastore)).await {
                // The first error is what the user needs.
                let _ = self.unlock(&wanted[..held]).await;
                return Err(denied);
            }
        }
        Ok(wanted)
    }

    /// Gives up what [`Self::lock_for`] has locked.
    ///
    /// # Errors
    /// The server refuses.
    pub async fn unlock(&self, locks: &[Datastore]) -> Result<(), Error> {
        let mut done = Ok(());
        for datastore in locks.iter().rev() {
            match self.done(&request::unlock(*datastore)).await {
                // The locks have ended with the session (RFC 6241 section 7.5), as when an edit takes the rights of its own user.
                Err(Error::OutcomeUnknown { .. } | Error::ConnectionLost { .. }) => break,
                unlocked => done = done.and(unlocked),
            }
        }
        done
    }
}

/// `:candidate` (RFC 6241 section 8.3).
const CANDIDATE: &str = "urn:ietf:params:netconf:capability:candidate:1.0";
/// `:rollback-on-error` (RFC 6241 section 8.5).
const ROLLBACK: &str = "urn:ietf:params:netconf:capability:rollback-on-error:1.0";
