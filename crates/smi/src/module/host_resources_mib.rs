//! HOST-RESOURCES-MIB and HOST-RESOURCES-TYPES (RFC 2790): the machine, its storage,
//! its devices, the software that runs on it and the software that is installed.

use crate::schema::MaxAccess::{ReadOnly, ReadWrite};
use crate::schema::{Module, Node, Scalar, Syntax};

mod device;
mod software;
mod storage;
pub mod types;

pub use device::{
    HR_DEVICE_TABLE, HR_DISK_STORAGE_TABLE, HR_NETWORK_TABLE, HR_PARTITION_TABLE, HR_PRINTER_TABLE,
    HR_PROCESSOR_TABLE,
};
pub use software::{HR_SW_INSTALLED_TABLE, HR_SW_RUN_PERF_TABLE, HR_SW_RUN_TABLE};
pub use storage::{HR_FS_TABLE, HR_STORAGE_TABLE};

/// HOST-RESOURCES-MIB.
pub static MODULE: Module = Module {
    name: "HOST-RESOURCES-MIB",
    reference: "RFC 2790",
    nodes: &[
        Node { name: "host", oid: &[1, 3, 6, 1, 2, 1, 25] },
        Node { name: "hrSystem", oid: &[1, 3, 6, 1, 2, 1, 25, 1] },
        Node { name: "hrStorage", oid: &[1, 3, 6, 1, 2, 1, 25, 2] },
        Node { name: "hrStorageTypes", oid: &[1, 3, 6, 1, 2, 1, 25, 2, 1] },
        Node { name: "hrDevice", oid: &[1, 3, 6, 1, 2, 1, 25, 3] },
        Node { name: "hrDeviceTypes", oid: &[1, 3, 6, 1, 2, 1, 25, 3, 1] },
        Node { name: "hrFSTypes", oid: &[1, 3, 6, 1, 2, 1, 25, 3, 9] },
        Node { name: "hrSWRun", oid: &[1, 3, 6, 1, 2, 1, 25, 4] },
        Node { name: "hrSWRunPerf", oid: &[1, 3, 6, 1, 2, 1, 25, 5] },
        Node { name: "hrSWInstalled", oid: &[1, 3, 6, 1, 2, 1, 25, 6] },
        Node { name: "hrMIBAdminInfo", oid: &[1, 3, 6, 1, 2, 1, 25, 7] },
        Node { name: "hostResourcesMibModule", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 1] },
        Node { name: "hrMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 2] },
        Node { name: "hrMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 2, 1] },
        Node { name: "hrMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 3] },
        Node { name: "hrSystemGroup", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 3, 1] },
        Node { name: "hrStorageGroup", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 3, 2] },
        Node { name: "hrDeviceGroup", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 3, 3] },
        Node { name: "hrSWRunGroup", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 3, 4] },
        Node { name: "hrSWRunPerfGroup", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 3, 5] },
        Node { name: "hrSWInstalledGroup", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 3, 6] },
    ],
    scalars: &[
        HR_SYSTEM_UPTIME,
        HR_SYSTEM_DATE,
        HR_SYSTEM_INITIAL_LOAD_DEVICE,
        HR_SYSTEM_INITIAL_LOAD_PARAMETERS,
        HR_SYSTEM_NUM_USERS,
        HR_SYSTEM_PROCESSES,
        HR_SYSTEM_MAX_PROCESSES,
        HR_MEMORY_SIZE,
        HR_SW_OS_INDEX,
        HR_SW_INSTALLED_LAST_CHANGE,
        HR_SW_INSTALLED_LAST_UPDATE_TIME,
    ],
    tables: &[
        HR_STORAGE_TABLE,
        HR_DEVICE_TABLE,
        HR_PROCESSOR_TABLE,
        HR_NETWORK_TABLE,
        HR_PRINTER_TABLE,
        HR_DISK_STORAGE_TABLE,
        HR_PARTITION_TABLE,
        HR_FS_TABLE,
        HR_SW_RUN_TABLE,
        HR_SW_RUN_PERF_TABLE,
        HR_SW_INSTALLED_TABLE,
    ],
    notifications: &[],
};

/// HOST-RESOURCES-TYPES: the names of kinds of storage, devices and file systems.
pub static TYPES_MODULE: Module = types::MODULE;

/// An index: 1 to 2^31-1.
const INDEX: Syntax = Syntax::integer(1, i32::MAX as i64);
/// 0 to 2^31-1.
const NOT_NEGATIVE: Syntax = Syntax::integer(0, i32::MAX as i64);
/// KBytes: units of 1,024 octets.
const KBYTES: Syntax = NOT_NEGATIVE.named("KBytes", "");
/// ProductID: identifies a manufacturer's product; 0.0 if it is unknown.
const PRODUCT_ID: Syntax = Syntax::OBJECT_IDENTIFIER.named("ProductID", "");
/// DateAndTime where an unknown date is 0000-1-1,0:0:0.0.
const DATE: Syntax = Syntax::DATE_AND_TIME;
/// hrSWRunType and hrSWInstalledType.
const SOFTWARE_TYPE: Syntax =
    Syntax::enumeration(&[(1, "unknown"), (2, "operatingSystem"), (3, "deviceDriver"), (4, "application")]);
/// hrDiskStorageAccess and hrFSAccess.
const ACCESS: Syntax = Syntax::enumeration(&[(1, "readWrite"), (2, "readOnly")]);

const fn display(max: i64) -> Syntax {
    Syntax::octets(0, max).named("InternationalDisplayString", "")
}

/// Time since the machine was started; sysUpTime is that of the agent.
pub const HR_SYSTEM_UPTIME: Scalar =
    Scalar::new("hrSystemUptime", &[1, 3, 6, 1, 2, 1, 25, 1, 1], ReadOnly, Syntax::TIME_TICKS);
/// The machine's local date and time.
pub const HR_SYSTEM_DATE: Scalar =
    Scalar::new("hrSystemDate", &[1, 3, 6, 1, 2, 1, 25, 1, 2], ReadWrite, DATE);
/// The hrDeviceIndex of the device the system is loaded from.
pub const HR_SYSTEM_INITIAL_LOAD_DEVICE: Scalar =
    Scalar::new("hrSystemInitialLoadDevice", &[1, 3, 6, 1, 2, 1, 25, 1, 3], ReadWrite, INDEX);
/// The parameters the system was loaded with.
pub const HR_SYSTEM_INITIAL_LOAD_PARAMETERS: Scalar =
    Scalar::new("hrSystemInitialLoadParameters", &[1, 3, 6, 1, 2, 1, 25, 1, 4], ReadWrite, display(128));
/// User sessions.
pub const HR_SYSTEM_NUM_USERS: Scalar =
    Scalar::new("hrSystemNumUsers", &[1, 3, 6, 1, 2, 1, 25, 1, 5], ReadOnly, Syntax::GAUGE32);
/// Processes loaded or running.
pub const HR_SYSTEM_PROCESSES: Scalar =
    Scalar::new("hrSystemProcesses", &[1, 3, 6, 1, 2, 1, 25, 1, 6], ReadOnly, Syntax::GAUGE32);
/// The maximum number of processes; 0 if there is none.
pub const HR_SYSTEM_MAX_PROCESSES: Scalar =
    Scalar::new("hrSystemMaxProcesses", &[1, 3, 6, 1, 2, 1, 25, 1, 7], ReadOnly, NOT_NEGATIVE);
/// Physical memory.
pub const HR_MEMORY_SIZE: Scalar =
    Scalar::new("hrMemorySize", &[1, 3, 6, 1, 2, 1, 25, 2, 2], ReadOnly, KBYTES).units("KBytes");
/// The hrSWRunIndex of the operating system.
pub const HR_SW_OS_INDEX: Scalar = Scalar::new("hrSWOSIndex", &[1, 3, 6, 1, 2, 1, 25, 4, 1], ReadOnly, INDEX);
/// sysUpTime when hrSWInstalledTable last changed.
pub const HR_SW_INSTALLED_LAST_CHANGE: Scalar =
    Scalar::new("hrSWInstalledLastChange", &[1, 3, 6, 1, 2, 1, 25, 6, 1], ReadOnly, Syntax::TIME_TICKS);
/// sysUpTime when hrSWInstalledTable was last read.
pub const HR_SW_INSTALLED_LAST_UPDATE_TIME: Scalar =
    Scalar::new("hrSWInstalledLastUpdateTime", &[1, 3, 6, 1, 2, 1, 25, 6, 2], ReadOnly, Syntax::TIME_TICKS);
