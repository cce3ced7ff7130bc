//! SNMPv2-MIB (RFC 3418): the system group with the values set by managers, the modules served, and the counters
//! of the SNMP engine.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use trunkline_smi::module::snmpv2_mib as mib;
use trunkline_smi::schema::Scalar;
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_snmp::Counters;
use trunkline_tree::{
    Group, Live, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

use super::authentication_traps::AuthenticationTraps;
use super::counter::{self, ReadCounter};
use super::kept::{Kept, KeptState};
use super::modules_served::{ModulesServed, truncated};
use super::spin_lock::{Increment, SpinLock};
use trunkline_config::SystemPlan;

/// The groups of this file, for the configuration's check of names.
pub const GROUPS: &[&Group] = &[&SYSTEM, &SNMP];

static SYSTEM: Group = Group {
    name: "system",
    scalars: &[
        &mib::SYS_DESCR,
        &mib::SYS_OBJECT_ID,
        &mib::SYS_UP_TIME,
        &mib::SYS_CONTACT,
        &mib::SYS_NAME,
        &mib::SYS_LOCATION,
        &mib::SYS_SERVICES,
        &mib::SYS_OR_LAST_CHANGE,
    ],
    tables: &[&mib::SYS_OR_TABLE],
};

static SNMP: Group = Group {
    name: "snmp",
    scalars: &[
        &mib::SNMP_IN_PKTS,
        &mib::SNMP_OUT_PKTS,
        &mib::SNMP_IN_BAD_VERSIONS,
        &mib::SNMP_IN_BAD_COMMUNITY_NAMES,
        &mib::SNMP_IN_BAD_COMMUNITY_USES,
        &mib::SNMP_IN_ASN_PARSE_ERRS,
        &mib::SNMP_IN_TOO_BIGS,
        &mib::SNMP_IN_NO_SUCH_NAMES,
        &mib::SNMP_IN_BAD_VALUES,
        &mib::SNMP_IN_READ_ONLYS,
        &mib::SNMP_IN_GEN_ERRS,
        &mib::SNMP_IN_TOTAL_REQ_VARS,
        &mib::SNMP_IN_TOTAL_SET_VARS,
        &mib::SNMP_IN_GET_REQUESTS,
        &mib::SNMP_IN_GET_NEXTS,
        &mib::SNMP_IN_SET_REQUESTS,
        &mib::SNMP_IN_GET_RESPONSES,
        &mib::SNMP_IN_TRAPS,
        &mib::SNMP_OUT_TOO_BIGS,
        &mib::SNMP_OUT_NO_SUCH_NAMES,
        &mib::SNMP_OUT_BAD_VALUES,
        &mib::SNMP_OUT_GEN_ERRS,
        &mib::SNMP_OUT_GET_REQUESTS,
        &mib::SNMP_OUT_GET_NEXTS,
        &mib::SNMP_OUT_SET_REQUESTS,
        &mib::SNMP_OUT_GET_RESPONSES,
        &mib::SNMP_OUT_TRAPS,
        &mib::SNMP_ENABLE_AUTHEN_TRAPS,
        &mib::SNMP_SILENT_DROPS,
        &mib::SNMP_PROXY_DROPS,
        &mib::SNMP_SET_SERIAL_NO,
    ],
    tables: &[],
};

/// Net-SNMP's identity for agents on Linux: managers recognize a Linux machine by it, and choose their templates.
/// See `docs/decisions`.
const LINUX_AGENT: [u32; 10] = [1, 3, 6, 1, 4, 1, 8072, 3, 2, 10];

/// Layers 3, 4 and 7 (RFC 3418), as on a Linux host: 4 + 8 + 64.
const HOST_SERVICES: i32 = 76;

/// The parts of the system group.
#[derive(Clone, Debug)]
pub struct SystemOptions {
    /// From the configuration: takes precedence over a manager's value, and is then read-only.
    pub configured: SystemPlan,
    /// The moment of sysUpTime 0.
    pub started: Instant,
}

/// The provider of the group `system`.
pub struct SystemGroup {
    configured: Arc<RwLock<SystemPlan>>,
    kept: Arc<Kept>,
    uptime: Arc<UpTime>,
    served: Arc<ModulesServed>,
}

struct UpTime {
    started: Instant,
}

impl Live for UpTime {
    fn read(&self, now: Instant) -> ValueRef<'_> {
        let hundredths = now.saturating_duration_since(self.started).as_millis() / 10;
        ValueRef::TimeTicks(hundredths as u32) // wraps after 497 days, as TimeTicks do
    }
}

impl SystemGroup {
    /// The group with the configured and the kept values.
    pub fn new(options: SystemOptions, kept: Arc<Kept>) -> Self {
        SystemGroup {
            configured: Arc::new(RwLock::new(options.configured)),
            kept,
            uptime: Arc::new(UpTime { started: options.started }),
            served: Arc::new(ModulesServed::new(options.started)),
        }
    }

    /// The rows of sysORTable, to which others may be added.
    #[must_use]
    pub fn modules_served(&self) -> &Arc<ModulesServed> {
        &self.served
    }

    /// Applies another configuration; it is visible from the next load on.
    pub fn configure(&self, configured: SystemPlan) {
        *self.configured.write().unwrap_or_else(PoisonError::into_inner) = configured;
    }

    /// Whether the configuration file sets an object, so that nobody else can: `sysContact`, `sysName` or `sysLocation`.
    #[must_use]
    pub fn is_fixed(&self, object: &str) -> bool {
        let configured = self.configured();
        match object {
            "sysContact" => configured.contact.is_some(),
            "sysName" => configured.name.is_some(),
            "sysLocation" => configured.location.is_some(),
            _ => false,
        }
    }

    /// Whether somebody has given sysName a value. Without one, or with an empty one, it is the machine's own name.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.configured().name.is_some() || self.kept.state().sys_name.is_some_and(|name| !name.is_empty())
    }

    fn configured(&self) -> SystemPlan {
        self.configured.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Provider for SystemGroup {
    fn group(&self) -> &'static Group {
        &SYSTEM
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let (configured, kept) = (self.configured(), self.kept.state());
        let uname = rustix::system::uname();
        let word = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        let description = configured.description.unwrap_or_else(|| {
            let parts =
                [uname.sysname(), uname.nodename(), uname.release(), uname.version(), uname.machine()];
            truncated(parts.map(word).join(" "))
        });
        let text = |configured: Option<String>, kept: Option<String>| configured.or(kept).unwrap_or_default();
        let kept_name = kept.sys_name.filter(|name| !name.is_empty());
        let name = configured.name.or(kept_name).unwrap_or_else(|| word(uname.nodename()));
        let services = configured.services.map_or(HOST_SERVICES, i32::from);

        let (rows, changed) = self.served.rows();
        let mut snapshot = Snapshot::builder(&SYSTEM);
        snapshot
            .scalar(&mib::SYS_DESCR, Value::text(description))
            .scalar(&mib::SYS_OBJECT_ID, Value::ObjectIdentifier(Oid::from(LINUX_AGENT)))
            .live(&mib::SYS_UP_TIME, self.uptime.clone())
            .scalar(&mib::SYS_CONTACT, Value::text(text(configured.contact, kept.sys_contact)))
            .scalar(&mib::SYS_NAME, Value::text(name))
            .scalar(&mib::SYS_LOCATION, Value::text(text(configured.location, kept.sys_location)))
            .scalar(&mib::SYS_SERVICES, Value::Integer(services))
            .scalar(&mib::SYS_OR_LAST_CHANGE, Value::TimeTicks(changed));
        let table = snapshot.table(&mib::SYS_OR_TABLE);
        for (index, served) in rows {
            let mut row = table.row(&[index]);
            row.oid(2, &served.identity).text(3, &served.description).time_ticks(4, served.since);
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let configured = self.configured();
        let mut new = KeptState::default();
        for item in items {
            let (fixed, slot) = match item.name {
                "sysContact" => (configured.contact.is_some(), &mut new.sys_contact),
                "sysName" => (configured.name.is_some(), &mut new.sys_name),
                _ => (configured.location.is_some(), &mut new.sys_location),
            };
            let refuse =
                |check, reason: &str| SetError { binding: item.binding, check, reason: reason.into() };
            if item.index != [0] {
                return Err(refuse(SetCheck::NoCreation, "a scalar has only the instance 0"));
            }
            if fixed {
                return Err(refuse(SetCheck::NotWritable, "fixed by the [system] section"));
            }
            let ValueRef::OctetString(octets) = item.value else {
                return Err(refuse(SetCheck::WrongValue, "no text"));
            };
            let text = String::from_utf8(octets.to_vec())
                .map_err(|_| refuse(SetCheck::WrongValue, "the text is not UTF-8"))?;
            *slot = Some(text);
        }
        Ok(Box::new(KeepState::new(&self.kept, items, new)))
    }
}

/// Writes new values to the kept state; undo writes the old ones. Several groups keep their values in one state:
/// a transaction touches only what is `Some` in its `new`.
struct KeepState {
    kept: Arc<Kept>,
    binding: usize,
    new: KeptState,
    old: Option<KeptState>,
}

impl KeepState {
    fn new(kept: &Arc<Kept>, items: &[SetItem<'_>], new: KeptState) -> Self {
        let binding = items.first().map_or(0, |item| item.binding);
        KeepState { kept: kept.clone(), binding, new, old: None }
    }

    fn change(&self, change: impl FnOnce(&mut KeptState)) -> Result<KeptState, SetError> {
        self.kept.change(change).map_err(|error| SetError {
            binding: self.binding,
            check: SetCheck::CommitFailed,
            reason: error.to_string(),
        })
    }
}

impl SetTransaction for KeepState {
    fn commit(&mut self) -> Result<(), SetError> {
        self.old = Some(self.change(|state| state.merge(&self.new))?);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        match self.old.take() {
            Some(old) => self.change(|state| *state = old).map(drop),
            None => Ok(()),
        }
    }
}

/// The provider of the group `snmp`: the engine's counters, read directly.
pub struct SnmpGroup {
    counters: Arc<Counters>,
    kept: Arc<Kept>,
    traps: Arc<AuthenticationTraps>,
    serial: SpinLock,
}

impl SnmpGroup {
    /// The group over an engine's counters. `serial` is where snmpSetSerialNo starts;
    /// it should be random, so that a manager notices a restart (RFC 3418).
    pub fn new(
        counters: Arc<Counters>,
        kept: Arc<Kept>,
        traps: Arc<AuthenticationTraps>,
        serial: i32,
    ) -> Self {
        SnmpGroup { counters, kept, traps, serial: SpinLock::new(serial) }
    }
}

impl Provider for SnmpGroup {
    fn group(&self) -> &'static Group {
        &SNMP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&SNMP);
        for (scalar, read) in COUNTERS {
            snapshot.live(scalar, counter::live(&self.counters, *read));
        }
        let enabled = self.traps.are_enabled();
        snapshot
            .scalar(&mib::SNMP_ENABLE_AUTHEN_TRAPS, Value::Integer(if enabled { 1 } else { 2 }))
            .live(&mib::SNMP_SET_SERIAL_NO, self.serial.live());
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let mut new = KeptState::default();
        let mut serial = None;
        for item in items {
            let refuse =
                |check, reason: &str| SetError { binding: item.binding, check, reason: reason.into() };
            let (ValueRef::Integer(value), [0]) = (item.value, item.index) else {
                return Err(refuse(SetCheck::NoCreation, "a scalar has only the instance 0"));
            };
            if item.name == "snmpEnableAuthenTraps" {
                if self.traps.is_configured() {
                    return Err(refuse(SetCheck::NotWritable, "fixed by the configuration"));
                }
                new.snmp_enable_authen_traps = Some(value == 1);
            } else {
                serial = Some(self.serial.prepare(item)?);
            }
        }
        Ok(Box::new(SnmpSet { keep: KeepState::new(&self.kept, items, new), serial }))
    }
}

struct SnmpSet {
    keep: KeepState,
    serial: Option<Increment>,
}

impl SetTransaction for SnmpSet {
    fn commit(&mut self) -> Result<(), SetError> {
        self.serial.as_mut().map_or(Ok(()), Increment::commit)?;
        self.keep.commit()
    }

    fn undo(&mut self) -> Result<(), SetError> {
        if let Some(increment) = &mut self.serial {
            increment.undo();
        }
        self.keep.undo()
    }
}

macro_rules! counters {
    ($($scalar:ident => $field:ident),* $(,)?) => {
        &[$((&mib::$scalar, |counters| counters.$field.get())),*]
    };
}

const COUNTERS: &[(&Scalar, ReadCounter)] = counters! {
    SNMP_IN_PKTS => in_pkts,
    SNMP_OUT_PKTS => out_pkts,
    SNMP_IN_BAD_VERSIONS => in_bad_versions,
    SNMP_IN_BAD_COMMUNITY_NAMES => in_bad_community_names,
    SNMP_IN_BAD_COMMUNITY_USES => in_bad_community_uses,
    SNMP_IN_ASN_PARSE_ERRS => in_asn_parse_errs,
    SNMP_IN_TOO_BIGS => in_too_bigs,
    SNMP_IN_NO_SUCH_NAMES => in_no_such_names,
    SNMP_IN_BAD_VALUES => in_bad_values,
    SNMP_IN_READ_ONLYS => in_read_onlys,
    SNMP_IN_GEN_ERRS => in_gen_errs,
    SNMP_IN_TOTAL_REQ_VARS => in_total_req_vars,
    SNMP_IN_TOTAL_SET_VARS => in_total_set_vars,
    SNMP_IN_GET_REQUESTS => in_get_requests,
    SNMP_IN_GET_NEXTS => in_get_nexts,
    SNMP_IN_SET_REQUESTS => in_set_requests,
    SNMP_IN_GET_RESPONSES => in_get_responses,
    SNMP_IN_TRAPS => in_traps,
    SNMP_OUT_TOO_BIGS => out_too_bigs,
    SNMP_OUT_NO_SUCH_NAMES => out_no_such_names,
    SNMP_OUT_BAD_VALUES => out_bad_values,
    SNMP_OUT_GEN_ERRS => out_gen_errs,
    SNMP_OUT_GET_REQUESTS => out_get_requests,
    SNMP_OUT_GET_NEXTS => out_get_nexts,
    SNMP_OUT_SET_REQUESTS => out_set_requests,
    SNMP_OUT_GET_RESPONSES => out_get_responses,
    SNMP_OUT_TRAPS => out_traps,
    SNMP_SILENT_DROPS => silent_drops,
    SNMP_PROXY_DROPS => proxy_drops,
};
