//! SNMP-TSM-MIB (RFC 5591): what the Transport Security Model had to refuse, and whether security names begin with
//! the name of their transport.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use trunkline_smi::ValueRef;
use trunkline_smi::module::snmp_tsm_mib as mib;
use trunkline_smi::schema::Scalar;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::Engine;
use trunkline_tree::{
    Group, Live, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

use super::counter::{self, ReadCounter};
use super::state_file::{Readers, StateError, StateFile};

/// The group `snmp-tsm`.
pub static SNMP_TSM: Group = Group {
    name: "snmp-tsm",
    scalars: &[
        &mib::SNMP_TSM_INVALID_CACHES,
        &mib::SNMP_TSM_INADEQUATE_SECURITY_LEVELS,
        &mib::SNMP_TSM_UNKNOWN_PREFIXES,
        &mib::SNMP_TSM_INVALID_PREFIXES,
        &mib::SNMP_TSM_CONFIGURATION_USE_PREFIX,
    ],
    tables: &[],
};

const COUNTERS: &[(&Scalar, ReadCounter)] = &[
    (&mib::SNMP_TSM_INVALID_CACHES, |counters| counters.tsm_invalid_caches.get()),
    (&mib::SNMP_TSM_INADEQUATE_SECURITY_LEVELS, |counters| counters.tsm_inadequate_security_levels.get()),
    (&mib::SNMP_TSM_UNKNOWN_PREFIXES, |counters| counters.tsm_unknown_prefixes.get()),
    (&mib::SNMP_TSM_INVALID_PREFIXES, |counters| counters.tsm_invalid_prefixes.get()),
];

/// What managers have set, kept in `tsm.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct TsmState {
    /// snmpTsmConfigurationUsePrefix.
    use_prefix: Option<bool>,
}

/// The provider of the group `snmp-tsm`.
pub struct TsmGroup {
    counters: Arc<Counters>,
    prefix: Arc<UsePrefix>,
}

/// snmpTsmConfigurationUsePrefix. The configuration takes precedence over what a manager has set, and cannot be
/// overridden.
struct UsePrefix {
    engine: Arc<Engine>,
    file: StateFile<TsmState>,
    configured: Mutex<Option<bool>>,
}

impl TsmGroup {
    /// The group of an engine and its counters, with what managers have set before. The engine is informed at
    /// once and after each change whether it uses prefixes; nothing else may set this. `configured` is the
    /// configuration's value.
    ///
    /// # Errors
    /// `tsm.toml` cannot be read.
    pub fn open(
        directory: &Path,
        engine: Arc<Engine>,
        counters: Arc<Counters>,
        configured: Option<bool>,
    ) -> Result<Self, StateError> {
        let file = StateFile::open_named(directory, "tsm.toml", Readers::Anybody)?;
        let prefix = Arc::new(UsePrefix { engine, file, configured: Mutex::default() });
        let group = TsmGroup { counters, prefix };
        group.configure(configured);
        Ok(group)
    }

    /// Applies another configuration; `None`: it leaves it to managers.
    pub fn configure(&self, configured: Option<bool>) {
        let mut held = self.prefix.lock();
        *held = configured;
        self.prefix.tell(&held);
    }

    /// Whether security names have prefixes, and whether the configuration says so.
    pub fn use_prefix(&self) -> (bool, bool) {
        (self.prefix.engine.uses_prefix(), self.prefix.lock().is_some())
    }
}

impl UsePrefix {
    fn lock(&self) -> MutexGuard<'_, Option<bool>> {
        self.configured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, configured: &Option<bool>) {
        // DEFVAL of RFC 5591: false.
        self.engine.set_use_prefix(configured.or(self.file.state().use_prefix).unwrap_or(false));
    }
}

impl Live for UsePrefix {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::Integer(if self.engine.uses_prefix() { TRUE } else { FALSE })
    }
}

/// TruthValue (RFC 2579).
const TRUE: i32 = 1;
const FALSE: i32 = 2;

impl Provider for TsmGroup {
    fn group(&self) -> &'static Group {
        &SNMP_TSM
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&SNMP_TSM);
        for (scalar, read) in COUNTERS {
            snapshot.live(scalar, counter::live(&self.counters, *read));
        }
        snapshot.live(&mib::SNMP_TSM_CONFIGURATION_USE_PREFIX, self.prefix.clone());
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let mut change = PrefixChange { prefix: self.prefix.clone(), binding: 0, wanted: None, old: None };
        for item in items {
            let refuse =
                |check, reason: &str| SetError { binding: item.binding, check, reason: reason.into() };
            change.binding = item.binding;
            match (item.index, item.value) {
                ([0], _) if self.prefix.lock().is_some() => {
                    return Err(refuse(SetCheck::NotWritable, "fixed by the configuration"));
                }
                ([0], ValueRef::Integer(value)) => change.wanted = Some(value == TRUE),
                _ => return Err(refuse(SetCheck::NoCreation, "a scalar has only the instance 0")),
            }
        }
        Ok(Box::new(change))
    }
}

/// A set that has passed the first phase.
struct PrefixChange {
    prefix: Arc<UsePrefix>,
    binding: usize,
    wanted: Option<bool>,
    old: Option<TsmState>,
}

impl PrefixChange {
    fn keep(&self, state: TsmState) -> Result<TsmState, SetError> {
        let held = self.prefix.lock();
        let old = self.prefix.file.replace(state).map_err(|error| SetError {
            binding: self.binding,
            check: SetCheck::CommitFailed,
            reason: error.to_string(),
        })?;
        self.prefix.tell(&held);
        Ok(old)
    }
}

impl SetTransaction for PrefixChange {
    fn commit(&mut self) -> Result<(), SetError> {
        self.old = Some(self.keep(TsmState { use_prefix: self.wanted })?);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        self.old.take().map_or(Ok(()), |old| self.keep(old).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;
    use trunkline_snmp::engine::{EngineOptions, Handlers};
    use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
    use trunkline_testkit::battery;
    use trunkline_tree::SetStatus;

    use super::*;
    use crate::testing::{Bench, int};

    struct Place {
        engine: Arc<Engine>,
        counters: Arc<Counters>,
        tsm: Arc<TsmGroup>,
        bench: Bench,
    }

    fn place(directory: &Path, configured: Option<bool>) -> Place {
        let engine = Arc::new(Engine::new(EngineOptions {
            id: EngineId::generate(8072, *b"twelveoctets"),
            clock: EngineClock::new(EngineBoots::new(1).unwrap(), Instant::now()),
            max_size: 1472,
            handlers: Handlers::RESPONDER,
            remote_engines: 4,
            entropy: 1,
        }));
        let counters = Arc::new(Counters::default());
        let tsm = TsmGroup::open(directory, engine.clone(), counters.clone(), configured).unwrap();
        let tsm = Arc::new(tsm);
        Place { engine, counters, bench: Bench::new(tsm.clone()), tsm }
    }

    fn set(bench: &Bench, value: i32) -> Result<(), crate::testing::Refused> {
        bench.set(&[("snmpTsmConfigurationUsePrefix", &[0], int(value))])
    }

    fn get(bench: &Bench) -> Option<Value> {
        bench.get("snmpTsmConfigurationUsePrefix", &[0])
    }

    #[test]
    fn it_passes_the_battery_and_shows_its_counters() {
        let directory = tempfile::tempdir().unwrap();
        let Place { counters, tsm, bench, .. } = place(directory.path(), None);
        battery::check(tsm);
        let all = [
            ("snmpTsmInvalidCaches", &counters.tsm_invalid_caches),
            ("snmpTsmInadequateSecurityLevels", &counters.tsm_inadequate_security_levels),
            ("snmpTsmUnknownPrefixes", &counters.tsm_unknown_prefixes),
            ("snmpTsmInvalidPrefixes", &counters.tsm_invalid_prefixes),
        ];
        (1..).zip(all).for_each(|(count, (_, counter))| counter.add(count));
        for (count, (name, _)) in (1..).zip(all) {
            assert_eq!(bench.get(name, &[0]), Some(Value::Counter32(count)), "{name}");
        }
    }

    #[test]
    fn a_manager_turns_prefixes_on_and_they_stay_on() {
        let directory = tempfile::tempdir().unwrap();
        let before = place(directory.path(), None);
        assert_eq!((get(&before.bench), before.engine.uses_prefix()), (Some(int(2)), false));
        assert_eq!(set(&before.bench, 3), Err((SetStatus::WrongValue, 0)));
        assert_eq!(set(&before.bench, 1), Ok(()));
        assert_eq!((get(&before.bench), before.engine.uses_prefix()), (Some(int(1)), true));

        let after = place(directory.path(), None);
        assert_eq!((get(&after.bench), after.engine.uses_prefix()), (Some(int(1)), true));
        assert_eq!(set(&after.bench, 2), Ok(()));
        assert!(!place(directory.path(), None).engine.uses_prefix());
    }

    #[test]
    fn the_configuration_wins_and_cannot_be_set() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(set(&place(directory.path(), None).bench, 1), Ok(()));
        let Place { engine, tsm, bench, .. } = place(directory.path(), Some(false));
        assert_eq!((get(&bench), engine.uses_prefix()), (Some(int(2)), false));
        assert_eq!(set(&bench, 1), Err((SetStatus::NotWritable, 0)));
        tsm.configure(None);
        assert!(engine.uses_prefix(), "as the manager had set it");
        tsm.configure(Some(false));
        assert!(!engine.uses_prefix());
    }

    #[test]
    fn a_set_that_fails_elsewhere_is_undone() {
        let directory = tempfile::tempdir().unwrap();
        let Place { engine, tsm, .. } = place(directory.path(), None);
        let item = SetItem {
            binding: 0,
            object: mib::SNMP_TSM_CONFIGURATION_USE_PREFIX.oid,
            name: "snmpTsmConfigurationUsePrefix",
            index: &[0],
            value: ValueRef::Integer(1),
        };
        let mut change = tsm.prepare_set(&[item]).unwrap();
        change.commit().unwrap();
        assert!(engine.uses_prefix());
        change.undo().unwrap();
        assert!(!engine.uses_prefix() && !place(directory.path(), None).engine.uses_prefix());
    }
}
