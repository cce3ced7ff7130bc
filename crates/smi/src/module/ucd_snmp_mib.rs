//! UCD-SNMP-MIB, as Net-SNMP serves it on Linux: memory, load averages, system
//! statistics, disks, files, watched processes and commands, and the agent's version.

use crate::schema::MaxAccess::{ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Notification, Syntax, Table};

mod files;
mod memory;
mod system_stats;
mod version;

pub use files::*;
pub use memory::*;
pub use system_stats::*;
pub use version::*;

/// UCD-SNMP-MIB.
pub static MODULE: Module = Module {
    name: "UCD-SNMP-MIB",
    reference: "Net-SNMP 5.9",
    nodes: &[
        Node { name: "ucdavis", oid: &[1, 3, 6, 1, 4, 1, 2021] },
        Node { name: "memory", oid: &[1, 3, 6, 1, 4, 1, 2021, 4] },
        Node { name: "systemStats", oid: &[1, 3, 6, 1, 4, 1, 2021, 11] },
        Node { name: "ucdInternal", oid: &[1, 3, 6, 1, 4, 1, 2021, 12] },
        Node { name: "ucdExperimental", oid: &[1, 3, 6, 1, 4, 1, 2021, 13] },
        Node { name: "logMatch", oid: &[1, 3, 6, 1, 4, 1, 2021, 16] },
        Node { name: "version", oid: &[1, 3, 6, 1, 4, 1, 2021, 100] },
        Node { name: "snmperrs", oid: &[1, 3, 6, 1, 4, 1, 2021, 101] },
        Node { name: "ucdSnmpAgent", oid: &[1, 3, 6, 1, 4, 1, 2021, 250] },
        Node { name: "linux", oid: &[1, 3, 6, 1, 4, 1, 2021, 250, 10] },
        Node { name: "unknown", oid: &[1, 3, 6, 1, 4, 1, 2021, 250, 255] },
        Node { name: "ucdTraps", oid: &[1, 3, 6, 1, 4, 1, 2021, 251] },
    ],
    scalars: &[
        MEM_INDEX,
        MEM_ERROR_NAME,
        MEM_TOTAL_SWAP,
        MEM_AVAIL_SWAP,
        MEM_TOTAL_REAL,
        MEM_AVAIL_REAL,
        MEM_TOTAL_SWAP_TXT,
        MEM_AVAIL_SWAP_TXT,
        MEM_TOTAL_REAL_TXT,
        MEM_AVAIL_REAL_TXT,
        MEM_TOTAL_FREE,
        MEM_MINIMUM_SWAP,
        MEM_SHARED,
        MEM_BUFFER,
        MEM_CACHED,
        MEM_USED_SWAP_TXT,
        MEM_USED_REAL_TXT,
        MEM_TOTAL_SWAP_X,
        MEM_AVAIL_SWAP_X,
        MEM_TOTAL_REAL_X,
        MEM_AVAIL_REAL_X,
        MEM_TOTAL_FREE_X,
        MEM_MINIMUM_SWAP_X,
        MEM_SHARED_X,
        MEM_BUFFER_X,
        MEM_CACHED_X,
        MEM_SYS_AVAIL,
        MEM_SWAP_ERROR,
        MEM_SWAP_ERROR_MSG,
        SS_INDEX,
        SS_ERROR_NAME,
        SS_SWAP_IN,
        SS_SWAP_OUT,
        SS_IO_SENT,
        SS_IO_RECEIVE,
        SS_SYS_INTERRUPTS,
        SS_SYS_CONTEXT,
        SS_CPU_USER,
        SS_CPU_SYSTEM,
        SS_CPU_IDLE,
        SS_CPU_RAW_USER,
        SS_CPU_RAW_NICE,
        SS_CPU_RAW_SYSTEM,
        SS_CPU_RAW_IDLE,
        SS_CPU_RAW_WAIT,
        SS_CPU_RAW_KERNEL,
        SS_CPU_RAW_INTERRUPT,
        SS_IO_RAW_SENT,
        SS_IO_RAW_RECEIVED,
        SS_RAW_INTERRUPTS,
        SS_RAW_CONTEXTS,
        SS_CPU_RAW_SOFT_IRQ,
        SS_RAW_SWAP_IN,
        SS_RAW_SWAP_OUT,
        SS_CPU_RAW_STEAL,
        SS_CPU_RAW_GUEST,
        SS_CPU_RAW_GUEST_NICE,
        SS_CPU_NUM_CPUS,
        LOG_MATCH_MAX_ENTRIES,
        VERSION_INDEX,
        VERSION_TAG,
        VERSION_DATE,
        VERSION_C_DATE,
        VERSION_IDENT,
        VERSION_CONFIGURE_OPTIONS,
        VERSION_CLEAR_CACHE,
        VERSION_UPDATE_CONFIG,
        VERSION_RESTART_AGENT,
        VERSION_SAVE_PERSISTENT_DATA,
        VERSION_DO_DEBUGGING,
        SNMPERR_INDEX,
        SNMPERR_NAMES,
        SNMPERR_ERROR_FLAG,
        SNMPERR_ERR_MESSAGE,
    ],
    tables: &[PR_TABLE, EXT_TABLE, DSK_TABLE, LA_TABLE, FILE_TABLE, LOG_MATCH_TABLE],
    notifications: &[UCD_START, UCD_SHUTDOWN],
};

/// UCDErrorFlag.
const ERROR_FLAG: Syntax = Syntax::enumeration(&[(0, "noError"), (1, "error")]).named("UCDErrorFlag", "");
/// CounterBasedGauge64 (RFC 2856): a 64-bit gauge that travels as Counter64.
const GAUGE64: Syntax = Syntax::COUNTER64.named("CounterBasedGauge64", "");
/// Float: a single-precision IEEE number inside an Opaque, `9f 78 04` and four octets.
const FLOAT: Syntax = Syntax { min: 7, max: 7, ..Syntax::OPAQUE.named("Float", "") };

/// UCDErrorFix: writing runFix runs the configured remedy; it always reads as noError.
const ERROR_FIX: Syntax = Syntax::enumeration(&[(0, "noError"), (1, "runFix")]).named("UCDErrorFix", "");

/// The agent has started (Net-SNMP never sends it).
pub const UCD_START: Notification =
    Notification { name: "ucdStart", oid: &[1, 3, 6, 1, 4, 1, 2021, 251, 1], objects: &[] };

/// The agent is about to end.
pub const UCD_SHUTDOWN: Notification =
    Notification { name: "ucdShutdown", oid: &[1, 3, 6, 1, 4, 1, 2021, 251, 2], objects: &[] };

const WATCH_INDEX: Syntax = Syntax::integer(0, 65535);

/// prTable: processes that should run, and how many do.
pub const PR_TABLE: Table = Table {
    name: "prTable",
    entry: "prEntry",
    oid: &[1, 3, 6, 1, 4, 1, 2021, 2],
    index: &[IndexPart::new("prIndex", IndexEncoding::Integer, WATCH_INDEX)],
    columns: &[
        Column::new(1, "prIndex", ReadOnly, WATCH_INDEX),
        Column::new(2, "prNames", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "prMin", ReadOnly, Syntax::INTEGER32),
        Column::new(4, "prMax", ReadOnly, Syntax::INTEGER32),
        Column::new(5, "prCount", ReadOnly, Syntax::INTEGER32),
        Column::new(100, "prErrorFlag", ReadOnly, ERROR_FLAG),
        Column::new(101, "prErrMessage", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(102, "prErrFix", ReadWrite, ERROR_FIX),
        Column::new(103, "prErrFixCmd", ReadOnly, Syntax::DISPLAY_STRING),
    ],
};

/// extTable: configured commands, the first line of what they print and how they end.
pub const EXT_TABLE: Table = Table {
    name: "extTable",
    entry: "extEntry",
    oid: &[1, 3, 6, 1, 4, 1, 2021, 8],
    index: &[IndexPart::new("extIndex", IndexEncoding::Integer, WATCH_INDEX)],
    columns: &[
        Column::new(1, "extIndex", ReadOnly, WATCH_INDEX),
        Column::new(2, "extNames", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "extCommand", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(100, "extResult", ReadOnly, Syntax::INTEGER32),
        Column::new(101, "extOutput", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(102, "extErrFix", ReadWrite, ERROR_FIX),
        Column::new(103, "extErrFixCmd", ReadOnly, Syntax::DISPLAY_STRING),
    ],
};

const DSK_INDEX: Syntax = Syntax::integer(0, 65535);
const LA_INDEX: Syntax = Syntax::integer(0, 3);

/// dskTable: mounted file systems; sizes in units of 1,024 octets.
pub const DSK_TABLE: Table = Table {
    name: "dskTable",
    entry: "dskEntry",
    oid: &[1, 3, 6, 1, 4, 1, 2021, 9],
    index: &[IndexPart::new("dskIndex", IndexEncoding::Integer, DSK_INDEX)],
    columns: &[
        Column::new(1, "dskIndex", ReadOnly, DSK_INDEX),
        Column::new(2, "dskPath", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "dskDevice", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(4, "dskMinimum", ReadOnly, Syntax::INTEGER32),
        Column::new(5, "dskMinPercent", ReadOnly, Syntax::INTEGER32),
        Column::new(6, "dskTotal", ReadOnly, Syntax::INTEGER32),
        Column::new(7, "dskAvail", ReadOnly, Syntax::INTEGER32),
        Column::new(8, "dskUsed", ReadOnly, Syntax::INTEGER32),
        Column::new(9, "dskPercent", ReadOnly, Syntax::INTEGER32),
        Column::new(10, "dskPercentNode", ReadOnly, Syntax::INTEGER32),
        Column::new(11, "dskTotalLow", ReadOnly, Syntax::UNSIGNED32),
        Column::new(12, "dskTotalHigh", ReadOnly, Syntax::UNSIGNED32),
        Column::new(13, "dskAvailLow", ReadOnly, Syntax::UNSIGNED32),
        Column::new(14, "dskAvailHigh", ReadOnly, Syntax::UNSIGNED32),
        Column::new(15, "dskUsedLow", ReadOnly, Syntax::UNSIGNED32),
        Column::new(16, "dskUsedHigh", ReadOnly, Syntax::UNSIGNED32),
        Column::new(100, "dskErrorFlag", ReadOnly, ERROR_FLAG),
        Column::new(101, "dskErrorMsg", ReadOnly, Syntax::DISPLAY_STRING),
    ],
};

/// laTable: the load averages of 1, 5 and 15 minutes.
pub const LA_TABLE: Table = Table {
    name: "laTable",
    entry: "laEntry",
    oid: &[1, 3, 6, 1, 4, 1, 2021, 10],
    index: &[IndexPart::new("laIndex", IndexEncoding::Integer, LA_INDEX)],
    columns: &[
        Column::new(1, "laIndex", ReadOnly, LA_INDEX),
        Column::new(2, "laNames", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "laLoad", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(4, "laConfig", ReadWrite, Syntax::DISPLAY_STRING),
        Column::new(5, "laLoadInt", ReadOnly, Syntax::INTEGER32),
        Column::new(6, "laLoadFloat", ReadOnly, FLOAT),
        Column::new(100, "laErrorFlag", ReadOnly, ERROR_FLAG),
        Column::new(101, "laErrMessage", ReadOnly, Syntax::DISPLAY_STRING),
    ],
};
