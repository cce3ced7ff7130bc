//! Several edits of a datastore as one change: each is made of what those before it have left, and all are applied at once.

use trunkline_datastore::{Config, Step, edit};
use trunkline_netconf::document::Element;
use trunkline_netconf::operation::{Datastore, DefaultOperation, ErrorOption};
use trunkline_tree::Access;

use super::rights::secrets_of;
use super::{Configuring, Errors};
use crate::door::netconf::permission::may_know;

impl Configuring<'_> {
    /// Makes edits, each with what is done where it says nothing, if a condition holds of what the target holds and of the rights to
    /// it. Returns what it holds then. `missing`: why one edit cannot be made of what it holds then and whose places somebody knows. `failed`:
    /// the error of one edit.
    pub async fn edit_each<E: From<Errors>>(
        &self,
        target: Datastore,
        edits: &[(Element<'_>, DefaultOperation)],
        condition: impl FnOnce(&Config, &Access) -> Result<(), E>,
        missing: impl Fn(usize, &Config, &dyn Fn(&[Step]) -> bool) -> Option<E>,
        failed: impl Fn(usize, Errors) -> E,
    ) -> Result<Config, E> {
        self.free(target)?;
        let administered = self.administered();
        for (at, (content, default)) in edits.iter().enumerate() {
            self.check_operations(*content, *default).map_err(|errors| failed(at, errors))?;
            trunkline_nacm::check_edit(self.forest(), *content).map_err(|error| failed(at, vec![error]))?;
        }
        let mut state = self.door.datastores.lock().await;
        let before = self.held(target, &state).await;
        condition(&before, &self.access)?;
        let knows = |steps: &[Step]| {
            steps.first().is_some_and(|root| administered.contains(&root.node))
                || may_know(self.forest(), steps, &self.access)
        };
        let mut after = before.clone();
        for (at, (content, default)) in edits.iter().enumerate() {
            if let Some(missing) = missing(at, &after, &knows) {
                return Err(missing);
            }
            edit(&mut after, self.forest(), *content, *default, ErrorOption::RollbackOnError)
                .map_err(|errors| failed(at, errors))?;
        }
        let after = self.with_secrets_of(&after, &before);
        let contents: Vec<Element<'_>> = edits.iter().map(|(content, _)| *content).collect();
        let changed = self.may_change(&before, &after, &secrets_of(self.forest(), &contents))?;
        self.put(target, &mut state, after.clone(), &changed).await?;
        Ok(after)
    }
}
