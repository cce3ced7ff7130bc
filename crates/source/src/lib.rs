//! The sources of data: files below a root, and netlink. Tests use a folder of recorded files in place of the
//! machine.

#![allow(
    missing_docs,
    reason = "constants and fields have the kernel's own names, and its headers and proc(5) explain them"
)]

pub mod netlink;
pub mod procfs;
pub mod sock_diag;
pub mod sysfs;
pub mod tcp_info;

use std::path::{Path, PathBuf};

use trunkline_tree::SourceError;

use netlink::Netlink;
use netlink::changes::Changes;

/// The machine itself, or a folder that holds a recording of one.
#[derive(Clone, Debug)]
pub struct SourceRoot {
    folder: PathBuf,
    recorded: bool,
}

impl SourceRoot {
    /// This machine: files below `/`, netlink from the kernel.
    pub fn host() -> Self {
        SourceRoot { folder: PathBuf::from("/"), recorded: false }
    }

    /// A recording: `proc/net/snmp` and so on below `folder`, and netlink dumps as the kernel sent
    /// them in `netlink/links.bin`, `netlink/addresses.bin`, ... (a file that is missing is an empty dump).
    pub fn recording(folder: impl Into<PathBuf>) -> Self {
        SourceRoot { folder: folder.into(), recorded: true }
    }

    /// Where a file of the machine lies; `below` is relative to the root, such as `proc/net/snmp`.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.folder.join(below)
    }

    /// The contents of a file of the machine; the error names its path.
    pub fn read(&self, below: impl AsRef<Path>) -> Result<Vec<u8>, SourceError> {
        let path = self.path(below);
        std::fs::read(&path).map_err(|cause| SourceError::new(path.display().to_string(), cause))
    }

    /// Whether this is a recording, and not the machine itself.
    pub fn is_recording(&self) -> bool {
        self.recorded
    }

    /// A separate netlink channel for a provider, opened at its first use.
    pub fn netlink(&self) -> Netlink {
        if self.recorded { Netlink::recorded(self.path("netlink")) } else { Netlink::kernel() }
    }

    /// Whether anything in these groups (`RTMGRP_` bits) happened since a provider's last query.
    pub fn changes(&self, groups: u32) -> Changes {
        if self.recorded { Changes::unknown() } else { Changes::of_kernel(groups) }
    }
}
