//! Sets: all of them or none.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_tree::policy::Principal;
use trunkline_tree::{Access, SetBinding, SetFailure, SetStatus};
use trunkline_yang::own::{ALL, OwnModule};

use super::read::is_still;
use super::{Served, Settings, Touched};

/// Why nothing was set; the log says so.
#[derive(Debug)]
pub enum NotSet {
    /// A binding cannot be set.
    Refused(SetFailure),
    /// A provider ended in a panic.
    Panicked,
    /// An instance has another value than [`Settings::set_if`] was given.
    Changed,
}

impl Settings {
    /// Sets all of these or none, on a thread that may block, unless a session of NETCONF has locked what they configure.
    ///
    /// # Errors
    /// [`NotSet`]
    pub async fn set(
        &self,
        principal: &Principal<'_>,
        access: &Access,
        bindings: Vec<SetBinding>,
    ) -> Result<(), NotSet> {
        self.set_if(principal, access, bindings, None).await
    }

    /// The same if the instances still have these values, in the order of the bindings, as far as `access` may read them. What
    /// regions answer for is not compared: they are not read and set in one step.
    ///
    /// # Errors
    /// [`NotSet`]
    pub async fn set_if(
        &self,
        principal: &Principal<'_>,
        access: &Access,
        bindings: Vec<SetBinding>,
        before: Option<Vec<Option<Value>>>,
    ) -> Result<(), NotSet> {
        match self.keeping.of(&bindings) {
            Some(keeper) => {
                let set = Box::pin(self.set_if_free(principal, access, bindings.clone(), before));
                keeper.keep(principal, &bindings, set).await
            }
            None => self.set_if_free(principal, access, bindings, before).await,
        }
    }

    async fn set_if_free(
        &self,
        principal: &Principal<'_>,
        access: &Access,
        bindings: Vec<SetBinding>,
        before: Option<Vec<Option<Value>>>,
    ) -> Result<(), NotSet> {
        let held = self.held.load_full();
        let is_held = |binding: &SetBinding| held.iter().any(|object| binding.name.starts_with(object));
        if let Some(binding) = bindings.iter().position(is_held) {
            let reason = "a session of NETCONF has locked the configuration".to_owned();
            let failure = SetFailure { binding, status: SetStatus::ResourceUnavailable, reason };
            tracing::debug!(%failure, "refused a set");
            return Err(NotSet::Refused(failure));
        }
        let bindings = Arc::new(bindings);
        let set = self.served().set(principal, access, bindings.clone(), before);
        self.observed(Touched::Objects(&bindings), set).await
    }
}

/// The objects that NETCONF configures: scalars, columns, and the tables of SNMP whose rows are entries of its lists.
pub fn configured() -> &'static [&'static [u32]] {
    static OBJECTS: LazyLock<Vec<&'static [u32]>> =
        LazyLock::new(|| ALL.iter().copied().flat_map(objects_of).collect());
    &OBJECTS
}

/// Those of them whose values are kept by their providers, whoever sets them, and not with the configuration.
pub(super) fn in_tree() -> &'static [&'static [u32]] {
    static OBJECTS: LazyLock<Vec<&'static [u32]>> = LazyLock::new(|| {
        ALL.iter().copied().filter(|module| is_in_tree(module)).flat_map(objects_of).collect()
    });
    &OBJECTS
}

fn objects_of(module: &OwnModule) -> Vec<&'static [u32]> {
    let mut objects = module.objects();
    if is_in_tree(module) {
        // Any column of a row may change an entry: a manager changes a key by another column than the one that shows it.
        let tables = || trunkline_smi::module::ALL.iter().flat_map(|module| module.tables);
        let table_of = |object: &[u32]| tables().map(|table| table.oid).find(|oid| object.starts_with(oid));
        objects.iter_mut().for_each(|object| *object = table_of(object).unwrap_or(object));
    }
    objects.sort_unstable();
    objects.dedup();
    objects
}

fn is_in_tree(module: &OwnModule) -> bool {
    ["ietf-system", "ietf-snmp", "ietf-netconf-acm", "trunkline-delegation"].contains(&module.name)
}

impl Served {
    /// Sets all of these or none, on a thread that may block.
    ///
    /// # Errors
    /// [`NotSet`]
    async fn set(
        &self,
        principal: &Principal<'_>,
        access: &Access,
        bindings: Arc<Vec<SetBinding>>,
        before: Option<Vec<Option<Value>>>,
    ) -> Result<(), NotSet> {
        let (tree, access, principal) = (self.tree.clone(), access.clone(), principal.into_owned());
        let write = move || {
            let is_still = || {
                let before = before.iter().flatten();
                bindings
                    .iter()
                    .zip(before)
                    .all(|(binding, before)| is_still(&tree, &access, &binding.name, before))
            };
            tree.set_if(Some(&principal.as_principal()), &access, &bindings, is_still, Instant::now)
        };
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(NotSet::Changed),
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
