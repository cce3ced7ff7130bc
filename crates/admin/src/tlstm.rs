//! SNMP-TLS-TM-MIB (RFC 6353 with RFC 9456): how sessions of TLS and DTLS fared, and the rows from certificates
//! to security names. The two tables with the certificates for outgoing sessions are with their targets, in the
//! group `snmp-targets`; their counts and times of change are here.
//!
//! The tables contain the configuration's rows, read-only, and the rows that managers have created.
//! [`CertificateRow`]s are rebuilt from the active ones after each change and passed to the listener: they apply
//! from the next session on.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::module::snmp_tls_tm_mib as mib;
use trunkline_smi::schema::{Notification, Scalar, Table};
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_snmp::engine::transport::{CertificateMap, CertificateRow, Fingerprint};
use trunkline_tree::policy::{AdminString, Principal, StorageType};
use trunkline_tree::{
    Group, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

use super::TargetGroup;
use super::counter::{self, ReadCounter};
use super::published::Published;
use super::rows::{Assignment, Refusal, Row, RowStore, RowTable, Rows, Rules};
use super::session_counters::SessionCounters;
use super::state_file::StateError;
use super::watch::Watch;
use trunkline_tree::Event;

/// The group `snmp-tlstm`.
pub static SNMP_TLSTM: Group = Group {
    name: "snmp-tlstm",
    scalars: &[
        &mib::SNMP_TLSTM_SESSION_OPENS,
        &mib::SNMP_TLSTM_SESSION_CLIENT_CLOSES,
        &mib::SNMP_TLSTM_SESSION_OPEN_ERRORS,
        &mib::SNMP_TLSTM_SESSION_ACCEPTS,
        &mib::SNMP_TLSTM_SESSION_SERVER_CLOSES,
        &mib::SNMP_TLSTM_SESSION_NO_SESSIONS,
        &mib::SNMP_TLSTM_SESSION_INVALID_CLIENT_CERTIFICATES,
        &mib::SNMP_TLSTM_SESSION_UNKNOWN_SERVER_CERTIFICATE,
        &mib::SNMP_TLSTM_SESSION_INVALID_SERVER_CERTIFICATES,
        &mib::SNMP_TLSTM_SESSION_INVALID_CACHES,
        &mib::SNMP_TLSTM_CERT_TO_TSN_COUNT,
        &mib::SNMP_TLSTM_CERT_TO_TSN_TABLE_LAST_CHANGED,
        &mib::SNMP_TLSTM_PARAMS_COUNT,
        &mib::SNMP_TLSTM_PARAMS_TABLE_LAST_CHANGED,
        &mib::SNMP_TLSTM_ADDR_COUNT,
        &mib::SNMP_TLSTM_ADDR_TABLE_LAST_CHANGED,
    ],
    tables: &[&mib::SNMP_TLSTM_CERT_TO_TSN_TABLE],
};

const COUNTERS: &[(&Scalar, ReadCounter<SessionCounters>)] = &[
    (&mib::SNMP_TLSTM_SESSION_OPENS, |sessions| sessions.tls.opens.get()),
    (&mib::SNMP_TLSTM_SESSION_CLIENT_CLOSES, |sessions| sessions.tls.client_closes.get()),
    (&mib::SNMP_TLSTM_SESSION_OPEN_ERRORS, |sessions| sessions.tls.open_errors.get()),
    (&mib::SNMP_TLSTM_SESSION_ACCEPTS, |sessions| sessions.tls.accepts.get()),
    (&mib::SNMP_TLSTM_SESSION_SERVER_CLOSES, |sessions| sessions.tls.server_closes.get()),
    (&mib::SNMP_TLSTM_SESSION_NO_SESSIONS, |sessions| sessions.tls.no_sessions.get()),
    (&mib::SNMP_TLSTM_SESSION_INVALID_CLIENT_CERTIFICATES, |sessions| {
        sessions.tls.invalid_client_certificates.get()
    }),
    (&mib::SNMP_TLSTM_SESSION_UNKNOWN_SERVER_CERTIFICATE, |sessions| {
        sessions.tls.unknown_server_certificates.get()
    }),
    (&mib::SNMP_TLSTM_SESSION_INVALID_SERVER_CERTIFICATES, |sessions| {
        sessions.tls.invalid_server_certificates.get()
    }),
    (&mib::SNMP_TLSTM_SESSION_INVALID_CACHES, |sessions| sessions.tls.invalid_caches.get()),
];

const FINGERPRINT: &str = "snmpTlstmCertToTSNFingerprint";
const MAP_TYPE: &str = "snmpTlstmCertToTSNMapType";
const DATA: &str = "snmpTlstmCertToTSNData";

static TABLES: &[RowTable] = &[RowTable {
    tables: &[&mib::SNMP_TLSTM_CERT_TO_TSN_TABLE],
    status: "snmpTlstmCertToTSNRowStatus",
    storage: "snmpTlstmCertToTSNStorageType",
    required: &[FINGERPRINT],
    defaults: |_| {
        let specified = Oid::EMPTY.child(mib::SNMP_TLSTM_CERT_SPECIFIED);
        vec![(MAP_TYPE, Value::ObjectIdentifier(specified)), (DATA, Value::OctetString(Vec::new()))]
    },
    fixed_while_active: &[FINGERPRINT, MAP_TYPE, DATA],
    first: &[],
}];

static WATCHED: &[&Table] = &[&mib::SNMP_TLSTM_CERT_TO_TSN_TABLE];

/// The constraints on the columns of snmpTlstmCertToTSNTable.
struct CertificateRules;

impl Rules for CertificateRules {
    fn assign(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        if let (FINGERPRINT, ValueRef::OctetString(octets)) = (assignment.column, assignment.value) {
            let read = Fingerprint::from_octets(octets);
            read.map_err(|error| Refusal::new(SetCheck::WrongValue, error.to_string()))?;
        }
        row.set(assignment.column, assignment.value.to_value());
        Ok(())
    }

    fn check(&self, _table: &RowTable, _index: &[u32], row: &Row) -> Result<(), Refusal> {
        match map_of(row) {
            Some(_) => Ok(()),
            None => {
                let reason =
                    "the map type is unknown, or requires a name of 1 to 32 octets in snmpTlstmCertToTSNData";
                Err(Refusal::new(SetCheck::InconsistentValue, reason))
            }
        }
    }
}

/// The provider of the group `snmp-tlstm`.
pub struct TlstmGroup {
    shared: Arc<Shared>,
    store: Arc<RowStore>,
    targets: Arc<Watch>,
    counters: Arc<SessionCounters>,
    started: Instant,
}

/// The value derived from the rows.
struct Shared {
    names: Published<Vec<CertificateRow>>,
    watch: Arc<Watch>,
}

impl TlstmGroup {
    /// The group over what is counted, with what managers have set before, kept in `tlstm.toml`. `targets` has the
    /// other two tables; `started` is the moment of sysUpTime 0.
    ///
    /// # Errors
    /// `tlstm.toml` cannot be read.
    pub fn open(
        directory: &Path,
        targets: &TargetGroup,
        counters: Arc<SessionCounters>,
        started: Instant,
    ) -> Result<Self, StateError> {
        let watch = Arc::new(Watch::new(WATCHED));
        let shared = Shared { names: Published::default(), watch };
        let shared = Arc::new(shared);
        let told = shared.clone();
        let file = (directory, "tlstm.toml");
        let rules = Box::new(CertificateRules);
        let store = RowStore::open(TABLES, &[], rules, file, move |rows| told.take(rows))?;
        Ok(TlstmGroup { shared, store, targets: targets.watch().clone(), counters, started })
    }

    /// Applies the rows of a configuration.
    pub fn configure(&self, names: &[CertificateRow]) {
        let mut rows = Rows::new();
        for name in names {
            rows.insert(&mib::SNMP_TLSTM_CERT_TO_TSN_TABLE, vec![name.id], row_of(name));
        }
        self.store.configure(&rows);
        self.shared.watch.begin();
    }

    /// The rows.
    pub fn store(&self) -> &Arc<RowStore> {
        &self.store
    }

    /// The present rows that count, ascending by their numbers.
    pub fn names(&self) -> Arc<Vec<CertificateRow>> {
        self.shared.names.get()
    }

    /// The listener for each change of [`TlstmGroup::names`], called in the thread that makes it; one at a time.
    pub fn on_change(&self, listener: impl Fn(&Arc<Vec<CertificateRow>>) + Send + Sync + 'static) {
        self.shared.names.on_change(listener);
    }
}

impl Shared {
    fn take(&self, rows: &Rows) {
        self.watch.take(rows, Instant::now());
        let active = rows.active(&mib::SNMP_TLSTM_CERT_TO_TSN_TABLE);
        self.names.publish(active.filter_map(|(index, row)| name_of(index, row)).collect());
    }
}

impl Provider for TlstmGroup {
    fn group(&self) -> &'static Group {
        &SNMP_TLSTM
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&SNMP_TLSTM);
        for (scalar, read) in COUNTERS {
            snapshot.live(scalar, counter::live(&self.counters, *read));
        }
        let tables: [(_, _, _, &'static Table); 3] = [
            (
                &self.shared.watch,
                &mib::SNMP_TLSTM_CERT_TO_TSN_COUNT,
                &mib::SNMP_TLSTM_CERT_TO_TSN_TABLE_LAST_CHANGED,
                &mib::SNMP_TLSTM_CERT_TO_TSN_TABLE,
            ),
            (
                &self.targets,
                &mib::SNMP_TLSTM_PARAMS_COUNT,
                &mib::SNMP_TLSTM_PARAMS_TABLE_LAST_CHANGED,
                &mib::SNMP_TLSTM_PARAMS_TABLE,
            ),
            (
                &self.targets,
                &mib::SNMP_TLSTM_ADDR_COUNT,
                &mib::SNMP_TLSTM_ADDR_TABLE_LAST_CHANGED,
                &mib::SNMP_TLSTM_ADDR_TABLE,
            ),
        ];
        for (watch, count, last_changed, table) in tables {
            snapshot
                .live(count, watch.count(table))
                .live(last_changed, watch.last_changed(table, self.started));
        }
        self.store.fill(&mut snapshot);
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set_by(
        &self,
        principal: Option<&Principal<'_>>,
        items: &[SetItem<'_>],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        Ok(Box::new(self.store.prepare(items, principal)?))
    }
}

fn row_of(name: &CertificateRow) -> Row {
    let data = match &name.map {
        CertificateMap::Specified(name) => name.as_bytes().to_vec(),
        _ => Vec::new(),
    };
    let cells = [
        (FINGERPRINT, Value::OctetString(name.fingerprint.to_octets())),
        (MAP_TYPE, Value::ObjectIdentifier(Oid::EMPTY.child(&name.map.oid()))),
        (DATA, Value::OctetString(data)),
    ];
    Row::configured(StorageType::ReadOnly, cells)
}

/// The row in the form that the mapping needs; `None` if it is contradictory.
fn name_of(index: &[u32], row: &Row) -> Option<CertificateRow> {
    let &[id] = index else { return None };
    let fingerprint = Fingerprint::from_octets(row.octets(FINGERPRINT)).ok()??;
    Some(CertificateRow { id, fingerprint, map: map_of(row)? })
}

fn map_of(row: &Row) -> Option<CertificateMap> {
    CertificateMap::from_oid(row.oid(MAP_TYPE), row.octets(DATA))
}

/// snmpTlstmServerCertificateUnknown (RFC 6353 section 7): a server showed a certificate that neither a fingerprint nor
/// an authority knows. To be called when it was counted.
pub fn server_certificate_unknown(counters: &SessionCounters) -> Event {
    let count = counters.tls.unknown_server_certificates.get();
    event(
        &mib::SNMP_TLSTM_SERVER_CERTIFICATE_UNKNOWN,
        vec![scalar(&mib::SNMP_TLSTM_SESSION_UNKNOWN_SERVER_CERTIFICATE, count)],
    )
}

/// snmpTlstmServerInvalidCertificate (RFC 6353 section 7): a server presented an invalid certificate. `target` is
/// its snmpTargetAddrName, `expected` the fingerprint that it should have had, if one was required. Call it after
/// counting.
pub fn server_invalid_certificate(
    counters: &SessionCounters,
    target: &AdminString,
    expected: Option<&Fingerprint>,
) -> Event {
    let index: Vec<u32> = target.octets().iter().map(|octet| u32::from(*octet)).collect();
    let column = Oid::EMPTY.child(mib::SNMP_TLSTM_ADDR_TABLE.oid).child(&[1, 1]).child(&index);
    let expected = expected.map(Fingerprint::to_octets).unwrap_or_default();
    let count = counters.tls.invalid_server_certificates.get();
    event(
        &mib::SNMP_TLSTM_SERVER_INVALID_CERTIFICATE,
        vec![
            (column, Value::OctetString(expected)),
            scalar(&mib::SNMP_TLSTM_SESSION_INVALID_SERVER_CERTIFICATES, count),
        ],
    )
}

fn scalar(scalar: &Scalar, count: u32) -> (Oid, Value) {
    (Oid::EMPTY.child(scalar.oid).child(&[0]), Value::Counter32(count))
}

fn event(notification: &Notification, objects: Vec<(Oid, Value)>) -> Event {
    Event::new(Oid::EMPTY.child(notification.oid), objects)
}

#[cfg(test)]
mod tests;
