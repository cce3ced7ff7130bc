//! version and snmperrs (.1.3.6.1.4.1.2021.100 and 101): the agent's version, for inventories.
//!
//! An agent whose configuration is wrong does not start here, and a wrong one that is read again is not applied: snmperrErrorFlag is always 0.

use std::time::SystemTime;

use trunkline_smi::Value;
use trunkline_smi::module::ucd_snmp_mib as mib;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use crate::host_resources::c_time;

static GROUP: Group = Group {
    name: "ucd-version",
    scalars: &[
        &mib::VERSION_INDEX,
        &mib::VERSION_TAG,
        &mib::VERSION_DATE,
        &mib::VERSION_C_DATE,
        &mib::VERSION_IDENT,
        &mib::VERSION_CONFIGURE_OPTIONS,
        &mib::VERSION_CLEAR_CACHE,
        &mib::VERSION_UPDATE_CONFIG,
        &mib::VERSION_RESTART_AGENT,
        &mib::VERSION_SAVE_PERSISTENT_DATA,
        &mib::VERSION_DO_DEBUGGING,
        &mib::SNMPERR_INDEX,
        &mib::SNMPERR_NAMES,
        &mib::SNMPERR_ERROR_FLAG,
        &mib::SNMPERR_ERR_MESSAGE,
    ],
    tables: &[],
};

/// Serves the group `ucd-version`.
#[derive(Debug)]
pub(super) struct Version;

impl Provider for Version {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&GROUP);
        for zero in [
            &mib::VERSION_INDEX,
            &mib::VERSION_CLEAR_CACHE,
            &mib::VERSION_UPDATE_CONFIG,
            &mib::VERSION_RESTART_AGENT,
            &mib::VERSION_SAVE_PERSISTENT_DATA,
            &mib::VERSION_DO_DEBUGGING,
            &mib::SNMPERR_INDEX,
            &mib::SNMPERR_ERROR_FLAG,
        ] {
            snapshot.scalar(zero, Value::Integer(0));
        }
        snapshot
            .scalar(&mib::VERSION_TAG, Value::text(VERSION))
            .scalar(&mib::VERSION_DATE, Value::text(""))
            .scalar(&mib::VERSION_C_DATE, Value::text(c_time(SystemTime::now())))
            .scalar(&mib::VERSION_IDENT, Value::text(concat!("trunklined ", env!("CARGO_PKG_VERSION"))))
            .scalar(&mib::VERSION_CONFIGURE_OPTIONS, Value::text(""))
            .scalar(&mib::SNMPERR_NAMES, Value::text("snmp"))
            .scalar(&mib::SNMPERR_ERR_MESSAGE, Value::text(""));
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// All rooms have one version.
const VERSION: &str = env!("CARGO_PKG_VERSION");
