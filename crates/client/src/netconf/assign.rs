//! Leaves are set, all or none: in the candidate and by its commit, or in running where there is no candidate.

use trunkline_netconf::assign::{Assignment, config};
use trunkline_netconf::needs;
use trunkline_netconf::operation::{Datastore, ErrorOption};
use trunkline_netconf::request::{self, Commit, EditConfig};

use super::{NetconfFault, NetconfSession};
use crate::error::Error;

impl NetconfSession {
    /// Gives leaves these values. The datastore is locked meanwhile, where there are locks.
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
        // Whoever lends the session may hold the lock.
        let is_held = self.lent_locks().contains(&target);
        if !is_held {
            self.done(&request::lock(target)).await?;
        }
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
        if is_held { done } else { done.and(self.done(&request::unlock(target)).await) }
    }
}

/// `:candidate` (RFC 6241 section 8.3).
const CANDIDATE: &str = "urn:ietf:params:netconf:capability:candidate:1.0";
/// `:rollback-on-error` (RFC 6241 section 8.5).
const ROLLBACK: &str = "urn:ietf:params:netconf:capability:rollback-on-error:1.0";
