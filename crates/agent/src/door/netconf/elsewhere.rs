//! Sets over SNMP and SOAP of objects that are a part of the configuration: running is then what was set.

use std::time::Instant;

use trunkline_core::{Keeper, NotSet, Setting};
use trunkline_tree::policy::Principal;
use trunkline_tree::{SetBinding, SetFailure, SetStatus};

use super::Netconf;
use super::configure::note_elsewhere;
use super::event::Who;
use trunkline_commit::Unfit;
use trunkline_commit::audit::Changes;

/// As the keeper of the configuration.
pub(super) struct Elsewhere(pub std::sync::Weak<Netconf>);

impl Keeper for Elsewhere {
    fn keep<'a>(
        &'a self,
        principal: &'a Principal<'a>,
        bindings: &'a [SetBinding],
        set: Setting<'a>,
    ) -> Setting<'a> {
        Box::pin(async move {
            let Some(door) = self.0.upgrade() else { return set.await };
            // Nothing is configured before there are models.
            let Some(models) = door.models.get() else { return set.await };
            let begun = Instant::now();
            let mut state = door.datastores.lock().await;
            let unfit = |unfit| {
                let (binding, status, reason) = match unfit {
                    Unfit::Value { binding, reason } => (binding, SetStatus::WrongValue, reason),
                    Unfit::State(error) => {
                        let reason = format!("the configuration cannot be kept: {error}");
                        (0, SetStatus::ResourceUnavailable, reason)
                    }
                    Unfit::Program(error) => (0, SetStatus::CommitFailed, error.to_string()),
                };
                NotSet::Refused(SetFailure { binding, status, reason })
            };
            let (core, forest) = (&door.core, &models.forest);
            let changed =
                door.datastores.set_elsewhere(core, forest, &mut state, bindings, set, unfit).await?;
            if !changed.is_empty() {
                let name = String::from_utf8_lossy(principal.name).into_owned();
                let who = Who { name, id: 0, host: None, role: None };
                door.audit.edited(
                    &who,
                    "SNMP or SOAP",
                    &Changes(forest, &changed),
                    state.confirmed.is_some(),
                    begun.elapsed(),
                );
                note_elsewhere(&door, &mut state, &who, &changed).await;
            }
            Ok(())
        })
    }
}
