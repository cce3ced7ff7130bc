//! What `/snmp` and `/delegation` lie over: the rows of SNMP's tables where the agent keeps them, and what the configuration file says of the engine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use trunkline_admin::rows::{Edited, Row, RowEdit, RowStore};
use trunkline_admin::{
    AUTHORITY, AuthenticationTraps, EXPIRES, LIFETIME, Now, TargetGroup, TlstmGroup, TsmGroup, UNTIL,
    USM_KEYS, UsmGroup, VacmGroup,
};
use trunkline_config::Plan;
use trunkline_models::delegation;
use trunkline_models::snmp::{Engine, RowId, SnmpEdit, SnmpRow, SnmpRows, SnmpState};
use trunkline_snmp::usm::EngineId;
use trunkline_transport::Transport;
use trunkline_tree::policy::Origin;
use trunkline_tree::{SetError, SetTransaction};
use trunkline_xmlsec::Time;

/// The tables and scalars of the configuration of SNMP.
pub struct SnmpSource {
    stores: [Arc<RowStore>; 6],
    tsm: Arc<TsmGroup>,
    traps: Arc<AuthenticationTraps>,
    engine: Mutex<Engine>,
    /// By whose rights rows acted before a change, which may be taken back.
    remembered: Mutex<BTreeMap<RowId, Option<Vec<u8>>>>,
}

/// As many as there may be rows of managers.
const MOST_REMEMBERED: usize = 8000;

impl SnmpSource {
    /// Over these groups of the engine with this ID.
    pub fn new(
        id: &EngineId,
        (targets, users, vacm, tlstm): (&TargetGroup, &UsmGroup, &VacmGroup, &TlstmGroup),
        delegated: [&Arc<RowStore>; 2],
        tsm: Arc<TsmGroup>,
        traps: Arc<AuthenticationTraps>,
    ) -> Self {
        let [events, expressions] = delegated;
        let stores = [targets.store(), users.store(), vacm.store(), tlstm.store(), events, expressions];
        let stores = stores.map(Arc::clone);
        let engine = Mutex::new(Engine { id: id.as_bytes().to_vec(), ..Engine::default() });
        SnmpSource { stores, tsm, traps, engine, remembered: Mutex::default() }
    }

    /// Applies another configuration file.
    pub fn configure(&self, plan: &Plan) {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        engine.is_id_fixed = plan.engine_id.is_some();
        let listen = plan.snmp.listen.iter().filter_map(|url| {
            let transport = match url.transport {
                Transport::Udp => "udp",
                Transport::Tls => "tls",
                Transport::Dtls => "dtls",
                Transport::Ssh => "ssh",
                // RFC 7407 has no place for the others.
                Transport::Tcp | Transport::Http | Transport::Https => return None,
            };
            // Every address is also every one of IPv4.
            let address = url.address.map_or_else(|| "::".to_owned(), |address| address.to_string());
            let zone = if url.zone == 0 { String::new() } else { format!("%{}", url.zone) };
            Some((transport, address + &zone, url.port))
        });
        engine.listen = listen.collect();
        let versions: &[&str] = if plan.snmp.listen.is_empty() { &[] } else { &["v1", "v2c", "v3"] };
        engine.versions = versions.to_vec();
    }

    /// What there is now.
    pub fn state(&self) -> SnmpState {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner).clone();
        engine.traps = self.traps.set_value();
        engine.use_prefix = self.tsm.use_prefix();
        let mut rows = SnmpRows::new();
        for store in &self.stores {
            let held = store.rows();
            for table in store.tables() {
                let active = held.active(table);
                rows.extend(active.map(|(index, row)| ((table.name, index.to_vec()), row_of(row))));
            }
        }
        SnmpState { rows, engine }
    }

    /// What is configured: also what something else covers at present.
    pub fn configured(&self) -> SnmpState {
        let mut state = self.state();
        for store in &self.stores {
            let covered = store.covered();
            for table in store.tables() {
                let active = covered.active(table);
                state.rows.extend(active.map(|(index, row)| ((table.name, index.to_vec()), row_of(row))));
            }
        }
        state
    }

    /// Whether rows could change so; nothing of it is noted. An error's binding is the position of the edit.
    pub fn check(&self, edits: &[SnmpEdit]) -> Result<(), SetError> {
        let edits: Vec<RowEdit> = edits.iter().map(edit_of).collect();
        Edited::check(&self.stores, &edits)
    }

    /// First phase of a change of rows; an error's binding is the position of the edit.
    pub fn prepare(&self, edits: &[SnmpEdit]) -> Result<Box<dyn SetTransaction>, SetError> {
        let edits: Vec<RowEdit> = edits.iter().map(|edit| self.with_hidden(edit_of(edit))).collect();
        Ok(Box::new(Edited::prepare(&self.stores, &edits)?))
    }

    /// The same with what a row of delegated work hides: when it ends, and by whose rights it acts. If the edit does not say whose, as one that takes
    /// something back, those from before, or else nobody's.
    fn with_hidden(&self, mut edit: RowEdit) -> RowEdit {
        if !delegation::is_of(edit.table) {
            return edit;
        }
        let id = (edit.table, edit.index.clone());
        let before = self.stores.iter().flat_map(|store| {
            let rows = store.rows();
            let table = store.tables().find(|table| table.name == edit.table);
            table.and_then(|table| {
                rows.get(table, &edit.index).map(|row| row.secret(AUTHORITY).map(<[u8]>::to_vec))
            })
        });
        let before = before.last();
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if edit.cells.is_some() && !edit.secrets.iter().any(|(name, _)| *name == AUTHORITY) {
            edit.secrets.push((AUTHORITY, remembered.get(&id).cloned().flatten()));
        }
        if let Some(before) = before
            && (remembered.len() < MOST_REMEMBERED || remembered.contains_key(&id))
        {
            remembered.insert(id, before);
        }
        let said = |name| edit.secrets.iter().find(|(known, _)| *known == name).map(|(_, it)| it.as_deref());
        let (lifetime, until) = (said(LIFETIME), said(UNTIL));
        if lifetime.is_some() || until.is_some() {
            let expires = lifetime.flatten().and_then(end_of).or_else(|| until.flatten().and_then(moment_of));
            edit.secrets.push((EXPIRES, expires));
        }
        edit
    }
}

/// The end of a lifetime that begins now.
fn end_of(seconds: &[u8]) -> Option<Vec<u8>> {
    let seconds = std::str::from_utf8(seconds).ok()?.parse().ok()?;
    Some(Now::read().end_of(seconds))
}

/// A time as an end by the clock: the first whole second from then on.
fn moment_of(until: &[u8]) -> Option<Vec<u8>> {
    let until: Time = std::str::from_utf8(until).ok()?.parse().ok()?;
    Some(until.milliseconds().div_ceil(1000).to_string().into_bytes())
}

fn edit_of(edit: &SnmpEdit) -> RowEdit {
    let (table, index) = edit.row.clone();
    RowEdit { table, index, cells: edit.cells.clone(), secrets: edit.secrets.clone() }
}

fn row_of(row: &Row) -> SnmpRow {
    let keys = row.secrets().filter(|(name, _)| USM_KEYS.contains(name) || [LIFETIME, UNTIL].contains(name));
    SnmpRow {
        cells: row.cells().map(|(name, value)| (name, value.clone())).collect(),
        secrets: keys.map(|(name, secret)| (name, secret.to_vec())).collect(),
        is_fixed: row.state.origin == Origin::Config,
    }
}

/// The groups of the tree that show what is configured here.
pub const GROUPS: [&str; 9] = [
    "snmp-targets",
    "usm-users",
    "vacm",
    "snmp-tlstm",
    "snmp-tsm",
    "snmp",
    "events",
    "expressions",
    "expression-values",
];
