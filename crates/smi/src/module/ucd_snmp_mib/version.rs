//! UCD-SNMP-MIB: the agent's version, and its errors. The objects with which Net-SNMP's agent can be steered cannot be set here.

use super::ERROR_FLAG;
use crate::schema::MaxAccess::{ReadOnly, ReadWrite};
use crate::schema::{Scalar, Syntax};

/// The bogus index, always 0.
pub const VERSION_INDEX: Scalar =
    Scalar::new("versionIndex", &[1, 3, 6, 1, 4, 1, 2021, 100, 1], ReadOnly, Syntax::INTEGER32);
/// The agent's version.
pub const VERSION_TAG: Scalar =
    Scalar::new("versionTag", &[1, 3, 6, 1, 4, 1, 2021, 100, 2], ReadOnly, Syntax::DISPLAY_STRING);
/// The date of the version; not known here.
pub const VERSION_DATE: Scalar =
    Scalar::new("versionDate", &[1, 3, 6, 1, 4, 1, 2021, 100, 3], ReadOnly, Syntax::DISPLAY_STRING);
/// The time now, as ctime(3) writes it.
pub const VERSION_C_DATE: Scalar =
    Scalar::new("versionCDate", &[1, 3, 6, 1, 4, 1, 2021, 100, 4], ReadOnly, Syntax::DISPLAY_STRING);
/// Name and version of the agent.
pub const VERSION_IDENT: Scalar =
    Scalar::new("versionIdent", &[1, 3, 6, 1, 4, 1, 2021, 100, 5], ReadOnly, Syntax::DISPLAY_STRING);
/// With which options it was built; nothing here.
pub const VERSION_CONFIGURE_OPTIONS: Scalar = Scalar::new(
    "versionConfigureOptions",
    &[1, 3, 6, 1, 4, 1, 2021, 100, 6],
    ReadOnly,
    Syntax::DISPLAY_STRING,
);
/// For Net-SNMP's cache of programs; always 0.
pub const VERSION_CLEAR_CACHE: Scalar =
    Scalar::new("versionClearCache", &[1, 3, 6, 1, 4, 1, 2021, 100, 10], ReadWrite, Syntax::INTEGER32);
/// With which Net-SNMP's agent reads its configuration again; always 0.
pub const VERSION_UPDATE_CONFIG: Scalar =
    Scalar::new("versionUpdateConfig", &[1, 3, 6, 1, 4, 1, 2021, 100, 11], ReadWrite, Syntax::INTEGER32);
/// With which Net-SNMP's agent starts again; always 0.
pub const VERSION_RESTART_AGENT: Scalar =
    Scalar::new("versionRestartAgent", &[1, 3, 6, 1, 4, 1, 2021, 100, 12], ReadWrite, Syntax::INTEGER32);
/// With which Net-SNMP's agent saves its state; always 0.
pub const VERSION_SAVE_PERSISTENT_DATA: Scalar = Scalar::new(
    "versionSavePersistentData",
    &[1, 3, 6, 1, 4, 1, 2021, 100, 13],
    ReadWrite,
    Syntax::INTEGER32,
);
/// With which Net-SNMP's agent logs more; always 0.
pub const VERSION_DO_DEBUGGING: Scalar =
    Scalar::new("versionDoDebugging", &[1, 3, 6, 1, 4, 1, 2021, 100, 20], ReadWrite, Syntax::INTEGER32);
/// The bogus index, always 0.
pub const SNMPERR_INDEX: Scalar =
    Scalar::new("snmperrIndex", &[1, 3, 6, 1, 4, 1, 2021, 101, 1], ReadOnly, Syntax::INTEGER32);
/// The bogus name, always snmp.
pub const SNMPERR_NAMES: Scalar =
    Scalar::new("snmperrNames", &[1, 3, 6, 1, 4, 1, 2021, 101, 2], ReadOnly, Syntax::DISPLAY_STRING);
/// Whether something is wrong with the agent.
pub const SNMPERR_ERROR_FLAG: Scalar =
    Scalar::new("snmperrErrorFlag", &[1, 3, 6, 1, 4, 1, 2021, 101, 100], ReadOnly, ERROR_FLAG);
/// What is wrong with it.
pub const SNMPERR_ERR_MESSAGE: Scalar =
    Scalar::new("snmperrErrMessage", &[1, 3, 6, 1, 4, 1, 2021, 101, 101], ReadOnly, Syntax::DISPLAY_STRING);
