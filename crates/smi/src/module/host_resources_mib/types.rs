//! HOST-RESOURCES-TYPES (RFC 2790): kinds of storage, devices and file systems, as
//! object identifiers that hrStorageType, hrDeviceType and hrFSType point to.

use crate::schema::{Module, Node};

/// HOST-RESOURCES-TYPES.
pub(super) const MODULE: Module = Module {
    name: "HOST-RESOURCES-TYPES",
    reference: "RFC 2790",
    nodes: &[
        Node { name: "hrStorageOther", oid: HR_STORAGE_OTHER },
        Node { name: "hrStorageRam", oid: HR_STORAGE_RAM },
        Node { name: "hrStorageVirtualMemory", oid: HR_STORAGE_VIRTUAL_MEMORY },
        Node { name: "hrStorageFixedDisk", oid: HR_STORAGE_FIXED_DISK },
        Node { name: "hrStorageRemovableDisk", oid: HR_STORAGE_REMOVABLE_DISK },
        Node { name: "hrStorageFloppyDisk", oid: HR_STORAGE_FLOPPY_DISK },
        Node { name: "hrStorageCompactDisc", oid: HR_STORAGE_COMPACT_DISC },
        Node { name: "hrStorageRamDisk", oid: HR_STORAGE_RAM_DISK },
        Node { name: "hrStorageFlashMemory", oid: HR_STORAGE_FLASH_MEMORY },
        Node { name: "hrStorageNetworkDisk", oid: HR_STORAGE_NETWORK_DISK },
        Node { name: "hrDeviceOther", oid: HR_DEVICE_OTHER },
        Node { name: "hrDeviceUnknown", oid: HR_DEVICE_UNKNOWN },
        Node { name: "hrDeviceProcessor", oid: HR_DEVICE_PROCESSOR },
        Node { name: "hrDeviceNetwork", oid: HR_DEVICE_NETWORK },
        Node { name: "hrDevicePrinter", oid: HR_DEVICE_PRINTER },
        Node { name: "hrDeviceDiskStorage", oid: HR_DEVICE_DISK_STORAGE },
        Node { name: "hrDeviceVideo", oid: HR_DEVICE_VIDEO },
        Node { name: "hrDeviceAudio", oid: HR_DEVICE_AUDIO },
        Node { name: "hrDeviceCoprocessor", oid: HR_DEVICE_COPROCESSOR },
        Node { name: "hrDeviceKeyboard", oid: HR_DEVICE_KEYBOARD },
        Node { name: "hrDeviceModem", oid: HR_DEVICE_MODEM },
        Node { name: "hrDeviceParallelPort", oid: HR_DEVICE_PARALLEL_PORT },
        Node { name: "hrDevicePointing", oid: HR_DEVICE_POINTING },
        Node { name: "hrDeviceSerialPort", oid: HR_DEVICE_SERIAL_PORT },
        Node { name: "hrDeviceTape", oid: HR_DEVICE_TAPE },
        Node { name: "hrDeviceClock", oid: HR_DEVICE_CLOCK },
        Node { name: "hrDeviceVolatileMemory", oid: HR_DEVICE_VOLATILE_MEMORY },
        Node { name: "hrDeviceNonVolatileMemory", oid: HR_DEVICE_NON_VOLATILE_MEMORY },
        Node { name: "hrFSOther", oid: HR_FS_OTHER },
        Node { name: "hrFSUnknown", oid: HR_FS_UNKNOWN },
        Node { name: "hrFSBerkeleyFFS", oid: HR_FS_BERKELEY_FFS },
        Node { name: "hrFSSys5FS", oid: HR_FS_SYS_5_FS },
        Node { name: "hrFSFat", oid: HR_FS_FAT },
        Node { name: "hrFSHPFS", oid: HR_FS_HPFS },
        Node { name: "hrFSHFS", oid: HR_FS_HFS },
        Node { name: "hrFSMFS", oid: HR_FS_MFS },
        Node { name: "hrFSNTFS", oid: HR_FS_NTFS },
        Node { name: "hrFSVNode", oid: HR_FS_VNODE },
        Node { name: "hrFSJournaled", oid: HR_FS_JOURNALED },
        Node { name: "hrFSiso9660", oid: HR_FS_ISO_9660 },
        Node { name: "hrFSRockRidge", oid: HR_FS_ROCK_RIDGE },
        Node { name: "hrFSNFS", oid: HR_FS_NFS },
        Node { name: "hrFSNetware", oid: HR_FS_NETWARE },
        Node { name: "hrFSAFS", oid: HR_FS_AFS },
        Node { name: "hrFSDFS", oid: HR_FS_DFS },
        Node { name: "hrFSAppleshare", oid: HR_FS_APPLESHARE },
        Node { name: "hrFSRFS", oid: HR_FS_RFS },
        Node { name: "hrFSDGCFS", oid: HR_FS_DGCFS },
        Node { name: "hrFSBFS", oid: HR_FS_BFS },
        Node { name: "hrFSFAT32", oid: HR_FS_FAT32 },
        Node { name: "hrFSLinuxExt2", oid: HR_FS_LINUX_EXT2 },
        Node { name: "hostResourcesTypesModule", oid: &[1, 3, 6, 1, 2, 1, 25, 7, 4] },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};

/// hrStorageOther: a kind of storage.
pub const HR_STORAGE_OTHER: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 1];
/// hrStorageRam: a kind of storage.
pub const HR_STORAGE_RAM: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 2];
/// hrStorageVirtualMemory: a kind of storage.
pub const HR_STORAGE_VIRTUAL_MEMORY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 3];
/// hrStorageFixedDisk: a kind of storage.
pub const HR_STORAGE_FIXED_DISK: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 4];
/// hrStorageRemovableDisk: a kind of storage.
pub const HR_STORAGE_REMOVABLE_DISK: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 5];
/// hrStorageFloppyDisk: a kind of storage.
pub const HR_STORAGE_FLOPPY_DISK: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 6];
/// hrStorageCompactDisc: a kind of storage.
pub const HR_STORAGE_COMPACT_DISC: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 7];
/// hrStorageRamDisk: a kind of storage.
pub const HR_STORAGE_RAM_DISK: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 8];
/// hrStorageFlashMemory: a kind of storage.
pub const HR_STORAGE_FLASH_MEMORY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 9];
/// hrStorageNetworkDisk: a kind of storage.
pub const HR_STORAGE_NETWORK_DISK: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1, 10];
/// hrDeviceOther: a kind of device.
pub const HR_DEVICE_OTHER: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 1];
/// hrDeviceUnknown: a kind of device.
pub const HR_DEVICE_UNKNOWN: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 2];
/// hrDeviceProcessor: a kind of device.
pub const HR_DEVICE_PROCESSOR: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 3];
/// hrDeviceNetwork: a kind of device.
pub const HR_DEVICE_NETWORK: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 4];
/// hrDevicePrinter: a kind of device.
pub const HR_DEVICE_PRINTER: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 5];
/// hrDeviceDiskStorage: a kind of device.
pub const HR_DEVICE_DISK_STORAGE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 6];
/// hrDeviceVideo: a kind of device.
pub const HR_DEVICE_VIDEO: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 10];
/// hrDeviceAudio: a kind of device.
pub const HR_DEVICE_AUDIO: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 11];
/// hrDeviceCoprocessor: a kind of device.
pub const HR_DEVICE_COPROCESSOR: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 12];
/// hrDeviceKeyboard: a kind of device.
pub const HR_DEVICE_KEYBOARD: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 13];
/// hrDeviceModem: a kind of device.
pub const HR_DEVICE_MODEM: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 14];
/// hrDeviceParallelPort: a kind of device.
pub const HR_DEVICE_PARALLEL_PORT: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 15];
/// hrDevicePointing: a kind of device.
pub const HR_DEVICE_POINTING: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 16];
/// hrDeviceSerialPort: a kind of device.
pub const HR_DEVICE_SERIAL_PORT: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 17];
/// hrDeviceTape: a kind of device.
pub const HR_DEVICE_TAPE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 18];
/// hrDeviceClock: a kind of device.
pub const HR_DEVICE_CLOCK: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 19];
/// hrDeviceVolatileMemory: a kind of device.
pub const HR_DEVICE_VOLATILE_MEMORY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 20];
/// hrDeviceNonVolatileMemory: a kind of device.
pub const HR_DEVICE_NON_VOLATILE_MEMORY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1, 21];
/// hrFSOther: a kind of file system.
pub const HR_FS_OTHER: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 1];
/// hrFSUnknown: a kind of file system.
pub const HR_FS_UNKNOWN: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 2];
/// hrFSBerkeleyFFS: a kind of file system.
pub const HR_FS_BERKELEY_FFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 3];
/// hrFSSys5FS: a kind of file system.
pub const HR_FS_SYS_5_FS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 4];
/// hrFSFat: a kind of file system.
pub const HR_FS_FAT: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 5];
/// hrFSHPFS: a kind of file system.
pub const HR_FS_HPFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 6];
/// hrFSHFS: a kind of file system.
pub const HR_FS_HFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 7];
/// hrFSMFS: a kind of file system.
pub const HR_FS_MFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 8];
/// hrFSNTFS: a kind of file system.
pub const HR_FS_NTFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 9];
/// hrFSVNode: a kind of file system.
pub const HR_FS_VNODE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 10];
/// hrFSJournaled: a kind of file system.
pub const HR_FS_JOURNALED: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 11];
/// hrFSiso9660: a kind of file system.
pub const HR_FS_ISO_9660: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 12];
/// hrFSRockRidge: a kind of file system.
pub const HR_FS_ROCK_RIDGE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 13];
/// hrFSNFS: a kind of file system.
pub const HR_FS_NFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 14];
/// hrFSNetware: a kind of file system.
pub const HR_FS_NETWARE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 15];
/// hrFSAFS: a kind of file system.
pub const HR_FS_AFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 16];
/// hrFSDFS: a kind of file system.
pub const HR_FS_DFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 17];
/// hrFSAppleshare: a kind of file system.
pub const HR_FS_APPLESHARE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 18];
/// hrFSRFS: a kind of file system.
pub const HR_FS_RFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 19];
/// hrFSDGCFS: a kind of file system.
pub const HR_FS_DGCFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 20];
/// hrFSBFS: a kind of file system.
pub const HR_FS_BFS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 21];
/// hrFSFAT32: a kind of file system.
pub const HR_FS_FAT32: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 22];
/// hrFSLinuxExt2: a kind of file system.
pub const HR_FS_LINUX_EXT2: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9, 23];
