//! What `/snmp` lies over: the rows of SNMP's tables where the agent keeps them, and what the configuration file says of the engine.

use std::sync::{Arc, Mutex, PoisonError};

use trunkline_admin::rows::{Edited, Row, RowEdit, RowStore};
use trunkline_admin::{
    AuthenticationTraps, TargetGroup, TlstmGroup, TsmGroup, USM_KEYS, UsmGroup, VacmGroup,
};
use trunkline_config::Plan;
use trunkline_models::snmp::{Engine, SnmpEdit, SnmpRow, SnmpRows, SnmpState};
use trunkline_snmp::usm::EngineId;
use trunkline_transport::Transport;
use trunkline_tree::policy::Origin;
use trunkline_tree::{SetError, SetTransaction};

/// The tables and scalars of the configuration of SNMP.
pub struct SnmpSource {
    stores: [Arc<RowStore>; 4],
    tsm: Arc<TsmGroup>,
    traps: Arc<AuthenticationTraps>,
    engine: Mutex<Engine>,
}

impl SnmpSource {
    /// Over these groups of the engine with this ID.
    pub fn new(
        id: &EngineId,
        (targets, users, vacm, tlstm): (&TargetGroup, &UsmGroup, &VacmGroup, &TlstmGroup),
        tsm: Arc<TsmGroup>,
        traps: Arc<AuthenticationTraps>,
    ) -> Self {
        let stores = [targets.store(), users.store(), vacm.store(), tlstm.store()].map(Arc::clone);
        let engine = Mutex::new(Engine { id: id.as_bytes().to_vec(), ..Engine::default() });
        SnmpSource { stores, tsm, traps, engine }
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

    /// First phase of a change of rows; an error's binding is the position of the edit.
    pub fn prepare(&self, edits: &[SnmpEdit]) -> Result<Box<dyn SetTransaction>, SetError> {
        let edits: Vec<RowEdit> = edits.iter().map(edit_of).collect();
        Ok(Box::new(Edited::prepare(&self.stores, &edits)?))
    }
}

fn edit_of(edit: &SnmpEdit) -> RowEdit {
    let (table, index) = edit.row.clone();
    RowEdit { table, index, cells: edit.cells.clone(), secrets: edit.secrets.clone() }
}

fn row_of(row: &Row) -> SnmpRow {
    let keys = row.secrets().filter(|(name, _)| USM_KEYS.contains(name));
    SnmpRow {
        cells: row.cells().map(|(name, value)| (name, value.clone())).collect(),
        secrets: keys.map(|(name, secret)| (name, secret.to_vec())).collect(),
        is_fixed: row.state.origin == Origin::Config,
    }
}

/// The groups of the tree that show what is configured here.
pub const GROUPS: [&str; 6] = ["snmp-targets", "usm-users", "vacm", "snmp-tlstm", "snmp-tsm", "snmp"];
