//! What the master sets: test, commit, undo and clean up (RFC 2741 section 7.2.4). Between test and commit another set may
//! come, since a lock that a master holds could be held for good: so the commit tests again. To undo is to set the values
//! that were there before; rows cannot be made through a master.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use trunkline_core::{Core, NotSet, Settings};
use trunkline_smi::{Bound, SetStatus, VarBind};
use trunkline_snmp::wire::ErrorStatus;
use trunkline_tree::SetBinding;

use crate::answer::Failed;
use crate::authority::Authority;

/// Sets that were tested, each with its transaction, the latest one last.
#[derive(Default)]
pub(crate) struct Changes(Mutex<VecDeque<(u32, Change)>>);

#[derive(Clone)]
struct Change {
    wanted: Vec<SetBinding>,
    before: Vec<SetBinding>,
}

impl Changes {
    /// Tests whether all of it can be set.
    pub async fn test(
        &self,
        core: &Core,
        authority: &Authority,
        transaction: u32,
        bindings: Vec<VarBind>,
    ) -> Result<(), Failed> {
        let settings = core.settings();
        let Some((user, access)) = authority.write(core, &settings) else {
            return Err(Failed { status: ErrorStatus::NotWritable, index: 1 });
        };
        let wanted: Vec<SetBinding> = bindings.into_iter().map(set_binding).collect();
        let (tree, principal, tested) = (settings.served().tree.clone(), user.clone(), wanted.clone());
        let test = move || tree.test_by(Some(&principal.as_principal()), &access, &tested);
        match tokio::task::spawn_blocking(test).await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return Err(refused(failure.status, failure.binding)),
            Err(_) => return Err(refused(SetStatus::ResourceUnavailable, 0)),
        }
        let mut before = Vec::with_capacity(wanted.len());
        for (at, binding) in wanted.iter().enumerate() {
            let served = settings.served();
            match served.value(&binding.name, served.own_access()).await {
                Ok(Some(value)) => before.push(SetBinding { name: binding.name.clone(), value: Some(value) }),
                Ok(None) => return Err(refused(SetStatus::NoCreation, at)),
                Err(_) => return Err(refused(SetStatus::ResourceUnavailable, at)),
            }
        }
        self.keep(transaction, Change { wanted, before });
        Ok(())
    }

    /// Sets it, all or nothing.
    pub async fn commit(&self, core: &Core, authority: &Authority, transaction: u32) -> Result<(), Failed> {
        let change = self.find(transaction).ok_or_else(|| refused(SetStatus::CommitFailed, 0))?;
        let index = set(core, authority, change.wanted).await.err();
        index.map_or(Ok(()), |index| Err(refused(SetStatus::CommitFailed, index)))
    }

    /// Sets what was there before.
    pub async fn undo(&self, core: &Core, authority: &Authority, transaction: u32) -> Result<(), Failed> {
        let change = self.find(transaction).ok_or_else(|| refused(SetStatus::UndoFailed, 0))?;
        self.forget(transaction);
        let index = set(core, authority, change.before).await.err();
        index.map_or(Ok(()), |index| Err(refused(SetStatus::UndoFailed, index)))
    }

    /// The master will not come back to it.
    pub fn forget(&self, transaction: u32) {
        self.known().retain(|(other, _)| *other != transaction);
    }

    fn find(&self, transaction: u32) -> Option<Change> {
        let known = self.known();
        known.iter().find(|(other, _)| *other == transaction).map(|(_, change)| change.clone())
    }

    fn keep(&self, transaction: u32, change: Change) {
        let mut known = self.known();
        known.retain(|(other, _)| *other != transaction);
        known.push_back((transaction, change));
        if known.len() > MOST_CHANGES {
            known.pop_front();
        }
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<(u32, Change)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sets these; otherwise the binding at fault, counted from 0.
async fn set(core: &Core, authority: &Authority, bindings: Vec<SetBinding>) -> Result<(), usize> {
    let settings: &Settings = &core.settings();
    let (user, access) = authority.write(core, settings).ok_or(0_usize)?;
    settings.set(&user.as_principal(), &access, bindings).await.map_err(|failed| match failed {
        NotSet::Refused(failure) => failure.binding,
        NotSet::Panicked | NotSet::Changed => 0,
    })
}

fn set_binding(binding: VarBind) -> SetBinding {
    let value = match binding.value {
        Bound::Value(value) => Some(value),
        Bound::Unspecified | Bound::Exception(_) => None,
    };
    SetBinding { name: binding.name, value }
}

fn refused(status: SetStatus, binding: usize) -> Failed {
    Failed { status: status.into(), index: u16::try_from(binding + 1).unwrap_or(u16::MAX) }
}

/// Sets that a master may have tested and not ended.
const MOST_CHANGES: usize = 16;
