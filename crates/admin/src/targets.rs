//! SNMP-TARGET-MIB, SNMP-NOTIFICATION-MIB (RFC 3413) and SNMP-COMMUNITY-MIB (RFC 3584): who receives which
//! notifications and with which credentials; communities. And of SNMP-TLS-TM-MIB (RFC 6353) the two tables with
//! the certificates for sessions to them, so that a manager sets a target and its certificates as one change.
//!
//! The tables contain the configuration's rows, read-only, and the rows that managers have created.
//! [`TargetTables`] are rebuilt from the active ones after each change and passed to the listener.
//!
//! snmpCommunityName always reads as an empty string: otherwise whoever may read this table with one community
//! would learn all the others, including those with write access.

mod configured;
mod derived;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::module::snmp_community_mib as community;
use trunkline_smi::module::snmp_notification_mib as notification;
use trunkline_smi::module::snmp_target_mib as target;
use trunkline_smi::module::snmp_tls_tm_mib as tls;
use trunkline_smi::schema::Table;
use trunkline_smi::{Value, ValueRef};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::transport::Fingerprint;
use trunkline_snmp::usm::EngineId;
use trunkline_tree::policy::Principal;
use trunkline_tree::{
    Group, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

pub use configured::target_principal;

use super::counter;
use super::published::Published;
use super::rows::{Assignment, LockedChange, Refusal, Row, RowStore, RowTable, Rows, Rules};
use super::spin_lock::SpinLock;
use super::state_file::StateError;
use super::target_rows::{MessageModel, Tag, TargetTables};
use super::watch::Watch;
use trunkline_config::Plan;

/// The group `snmp-targets`.
pub static SNMP_TARGETS: Group = Group {
    name: "snmp-targets",
    scalars: &[
        &target::SNMP_TARGET_SPIN_LOCK,
        &target::SNMP_UNAVAILABLE_CONTEXTS,
        &target::SNMP_UNKNOWN_CONTEXTS,
    ],
    tables: &[
        &target::SNMP_TARGET_ADDR_TABLE,
        &community::SNMP_TARGET_ADDR_EXT_TABLE,
        &target::SNMP_TARGET_PARAMS_TABLE,
        &notification::SNMP_NOTIFY_TABLE,
        &notification::SNMP_NOTIFY_FILTER_PROFILE_TABLE,
        &notification::SNMP_NOTIFY_FILTER_TABLE,
        &community::SNMP_COMMUNITY_TABLE,
        &tls::SNMP_TLSTM_PARAMS_TABLE,
        &tls::SNMP_TLSTM_ADDR_TABLE,
    ],
};

/// Tables whose count and time of change SNMP-TLS-TM-MIB shows.
static WATCHED: &[&Table] = &[&tls::SNMP_TLSTM_PARAMS_TABLE, &tls::SNMP_TLSTM_ADDR_TABLE];

static TABLES: &[RowTable] = &[
    RowTable {
        tables: &[&target::SNMP_TARGET_ADDR_TABLE, &community::SNMP_TARGET_ADDR_EXT_TABLE],
        status: "snmpTargetAddrRowStatus",
        storage: "snmpTargetAddrStorageType",
        required: &["snmpTargetAddrTDomain", "snmpTargetAddrTAddress", "snmpTargetAddrParams"],
        defaults: |_| {
            vec![
                ("snmpTargetAddrTimeout", Value::Integer(1500)),
                ("snmpTargetAddrRetryCount", Value::Integer(3)),
                ("snmpTargetAddrTagList", empty()),
                ("snmpTargetAddrTMask", empty()),
                ("snmpTargetAddrMMS", Value::Integer(484)),
            ]
        },
        fixed_while_active: &["snmpTargetAddrTDomain", "snmpTargetAddrTAddress"],
        first: &[],
    },
    RowTable {
        tables: &[&target::SNMP_TARGET_PARAMS_TABLE],
        status: "snmpTargetParamsRowStatus",
        storage: "snmpTargetParamsStorageType",
        required: PARAMS_COLUMNS,
        defaults: |_| Vec::new(),
        fixed_while_active: PARAMS_COLUMNS,
        first: &[],
    },
    RowTable {
        tables: &[&notification::SNMP_NOTIFY_TABLE],
        status: "snmpNotifyRowStatus",
        storage: "snmpNotifyStorageType",
        required: &[],
        defaults: |_| vec![("snmpNotifyTag", empty()), ("snmpNotifyType", Value::Integer(1))],
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&notification::SNMP_NOTIFY_FILTER_PROFILE_TABLE],
        status: "snmpNotifyFilterProfileRowStatus",
        storage: "snmpNotifyFilterProfileStorType",
        required: &["snmpNotifyFilterProfileName"],
        defaults: |_| Vec::new(),
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&notification::SNMP_NOTIFY_FILTER_TABLE],
        status: "snmpNotifyFilterRowStatus",
        storage: "snmpNotifyFilterStorageType",
        required: &[],
        defaults: |_| vec![("snmpNotifyFilterMask", empty()), ("snmpNotifyFilterType", Value::Integer(1))],
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&community::SNMP_COMMUNITY_TABLE],
        status: "snmpCommunityStatus",
        storage: "snmpCommunityStorageType",
        required: &["snmpCommunityName", "snmpCommunitySecurityName"],
        defaults: |_| vec![("snmpCommunityContextName", empty()), ("snmpCommunityTransportTag", empty())],
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&tls::SNMP_TLSTM_PARAMS_TABLE],
        status: "snmpTlstmParamsRowStatus",
        storage: "snmpTlstmParamsStorageType",
        required: &["snmpTlstmParamsClientFingerprint"],
        defaults: |_| Vec::new(),
        fixed_while_active: &["snmpTlstmParamsClientFingerprint"],
        first: &[],
    },
    RowTable {
        tables: &[&tls::SNMP_TLSTM_ADDR_TABLE],
        status: "snmpTlstmAddrRowStatus",
        storage: "snmpTlstmAddrStorageType",
        required: &[],
        defaults: |_| {
            vec![("snmpTlstmAddrServerFingerprint", empty()), ("snmpTlstmAddrServerIdentity", empty())]
        },
        fixed_while_active: &["snmpTlstmAddrServerFingerprint"],
        first: &[],
    },
];

/// All columns of snmpTargetParamsTable: none has a default, and none may change while the row is active.
const PARAMS_COLUMNS: &[&str] = &[
    "snmpTargetParamsMPModel",
    "snmpTargetParamsSecurityModel",
    "snmpTargetParamsSecurityName",
    "snmpTargetParamsSecurityLevel",
];

fn empty() -> Value {
    Value::OctetString(Vec::new())
}

/// The constraints on the columns beyond their syntax.
struct TargetRules {
    engine_id: EngineId,
}

impl Rules for TargetRules {
    fn new_row(&self, table: &RowTable, row: &mut Row) {
        if table.column("snmpCommunityContextEngineID").is_some() {
            let own = Value::OctetString(self.engine_id.as_bytes().to_vec());
            row.set("snmpCommunityContextEngineID", own);
        }
    }

    fn assign(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        let wrong = |reason: String| Refusal::new(SetCheck::WrongValue, reason);
        match (assignment.column, assignment.value) {
            ("snmpTargetAddrTagList", ValueRef::OctetString(octets)) => {
                Tag::list(octets).map_err(|error| wrong(error.to_string()))?;
            }
            ("snmpNotifyTag" | "snmpCommunityTransportTag", ValueRef::OctetString(octets)) => {
                Tag::new(octets).map_err(|error| wrong(error.to_string()))?;
            }
            ("snmpTargetAddrMMS", ValueRef::Integer(1..=483)) => {
                return Err(wrong("expected 0, or at least 484 octets".into()));
            }
            ("snmpTargetParamsMPModel", ValueRef::Integer(model))
                if MessageModel::from_number(model).is_none() =>
            {
                let reason = format!("unsupported message processing model {model}");
                return Err(Refusal::new(SetCheck::InconsistentValue, reason));
            }
            ("snmpTargetParamsSecurityModel", ValueRef::Integer(model)) if !(1..=4).contains(&model) => {
                let reason = format!("unsupported security model {model}");
                return Err(Refusal::new(SetCheck::InconsistentValue, reason));
            }
            (
                "snmpTlstmParamsClientFingerprint" | "snmpTlstmAddrServerFingerprint",
                ValueRef::OctetString(octets),
            ) => {
                Fingerprint::from_octets(octets).map_err(|error| wrong(error.to_string()))?;
            }
            ("snmpTlstmAddrServerIdentity", ValueRef::OctetString(octets))
                if !derived::is_identity(octets) =>
            {
                return Err(wrong("expected a host name in ASCII or an address".into()));
            }
            _ => {}
        }
        row.set(assignment.column, assignment.value.to_value());
        Ok(())
    }

    fn check(&self, table: &RowTable, _index: &[u32], row: &Row) -> Result<(), Refusal> {
        let inconsistent = |reason: &str| Err(Refusal::new(SetCheck::InconsistentValue, reason));
        match table.status {
            "snmpTargetAddrRowStatus" if derived::place(row).is_none() => {
                inconsistent("the address does not fit its domain, or the domain is not supported")
            }
            "snmpTargetAddrRowStatus" => {
                let mask = row.octets("snmpTargetAddrTMask").len();
                match mask == 0 || mask == row.octets("snmpTargetAddrTAddress").len() {
                    true => Ok(()),
                    false => inconsistent("the mask is not as long as the address"),
                }
            }
            "snmpTargetParamsRowStatus" if derived::params(row).is_none() => {
                inconsistent("the models and the security level do not match")
            }
            "snmpTlstmParamsRowStatus" if derived::client_certificate(row).is_none() => {
                inconsistent("the row has no certificate")
            }
            "snmpTlstmAddrRowStatus" if derived::tls_server(row).is_none() => {
                inconsistent("a fingerprint or a name is needed to verify the server")
            }
            _ => Ok(()),
        }
    }

    fn read(&self, column: &'static str, row: &Row) -> Option<Value> {
        match column {
            "snmpCommunityName" => Some(empty()),
            _ => row.get(column).cloned(),
        }
    }
}

/// The provider of the group `snmp-targets`.
pub struct TargetGroup {
    shared: Arc<Shared>,
    store: Arc<RowStore>,
    lock: SpinLock,
    counters: Arc<Counters>,
    engine_id: EngineId,
}

/// The value derived from the rows.
struct Shared {
    engine_id: EngineId,
    tables: Published<TargetTables>,
    watch: Arc<Watch>,
}

impl TargetGroup {
    /// The group of the engine with this ID, with what managers have set before, kept in `target.toml`. `serial` is
    /// where snmpTargetSpinLock starts.
    pub fn open(
        directory: &Path,
        engine_id: EngineId,
        counters: Arc<Counters>,
        serial: i32,
    ) -> Result<Self, StateError> {
        let watch = Arc::new(Watch::new(WATCHED));
        let shared = Shared { engine_id, tables: Published::default(), watch };
        let shared = Arc::new(shared);
        let told = shared.clone();
        let rules = Box::new(TargetRules { engine_id });
        let store = RowStore::open(
            TABLES,
            &[configured::COMMUNITY],
            rules,
            (directory, "target.toml"),
            move |rows| {
                told.take(rows);
            },
        )?;
        Ok(TargetGroup { shared, store, lock: SpinLock::new(serial), counters, engine_id })
    }

    /// Applies the targets and communities of a configuration.
    pub fn configure(&self, plan: &Plan) {
        self.store.configure(&configured::rows(plan, &self.engine_id));
        self.shared.watch.begin();
    }

    /// The rows.
    pub fn store(&self) -> &Arc<RowStore> {
        &self.store
    }

    /// The modification times of the tables of SNMP-TLS-TM-MIB that are here.
    pub(super) fn watch(&self) -> &Arc<Watch> {
        &self.shared.watch
    }

    /// The present rows that count.
    pub fn tables(&self) -> Arc<TargetTables> {
        self.shared.tables.get()
    }

    /// The listener for each change, called in the thread that makes it; one at a time.
    pub fn on_change(&self, listener: impl Fn(&Arc<TargetTables>) + Send + Sync + 'static) {
        self.shared.tables.on_change(listener);
    }
}

impl Shared {
    fn take(&self, rows: &Rows) {
        self.watch.take(rows, Instant::now());
        self.tables.publish(derived::tables(rows, &self.engine_id));
    }
}

impl Provider for TargetGroup {
    fn group(&self) -> &'static Group {
        &SNMP_TARGETS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&SNMP_TARGETS);
        let unavailable = counter::live(&self.counters, |counters| counters.unavailable_contexts.get());
        let unknown = counter::live(&self.counters, |counters| counters.unknown_contexts.get());
        snapshot
            .live(&target::SNMP_TARGET_SPIN_LOCK, self.lock.live())
            .live(&target::SNMP_UNAVAILABLE_CONTEXTS, unavailable)
            .live(&target::SNMP_UNKNOWN_CONTEXTS, unknown);
        self.store.fill(&mut snapshot);
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set_by(
        &self,
        principal: Option<&Principal<'_>>,
        items: &[SetItem<'_>],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        let lock = ("snmpTargetSpinLock", &self.lock);
        Ok(Box::new(LockedChange::prepare(&self.store, lock, items, principal)?))
    }
}

#[cfg(test)]
mod secure_tests;
#[cfg(test)]
mod tests;
