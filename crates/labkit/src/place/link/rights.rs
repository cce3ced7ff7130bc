//! The rights needed to create a link, and how to get them without being root.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::thread::{CapabilitySet, capabilities};

use super::sys::{self, TUN};
use super::{LinkError, NamespaceError};

/// What is missing for a link, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// There is no usable TUN device.
    #[error(
        "a link needs TUN devices, and {TUN} cannot be opened: {source}; load the module (`modprobe tun`), give a \
         container the device (`--device {TUN}`), or, where only the rights are missing, run as root or `chmod 666 {TUN}`"
    )]
    Tun {
        /// The system's error.
        source: io::Error,
    },
    /// Network namespaces are not allowed.
    #[error(
        "a link needs network namespaces, which this process may not make ({says}); run as root (CAP_SYS_ADMIN and CAP_NET_ADMIN), and a \
         container must allow unshare"
    )]
    Namespaces {
        /// The error output of `unshare`.
        says: String,
    },
}

/// Makes sure that this process may create links. If it may not, but the kernel gives every user a user namespace,
/// the program restarts in one, with the same arguments: then this does not return. So call it first, before any
/// output or file. A process that is root, or has been restarted, continues at once.
///
/// Inside, the user is root over the namespace's networks only; files belong to the same user as before.
///
/// # Errors
///
/// What is missing, if neither works.
pub fn acquire_rights() -> Result<(), LinkError> {
    if may_make_namespaces() {
        return Ok(());
    }
    if let Err(source) = sys::open_tun() {
        return Err(Missing::Tun { source }.into());
    }
    // Probed first: once it has replaced us, its own error would be all that the user sees.
    let probe = in_user_namespace().arg("true").stdin(Stdio::null()).output().map_err(no_unshare)?;
    if !probe.status.success() {
        let says = String::from_utf8_lossy(&probe.stderr).trim().to_owned();
        return Err(Missing::Namespaces { says }.into());
    }
    let current = std::env::current_exe();
    let program = current.map_err(|source| LinkError::System { what: "cannot find this program", source })?;
    Err(no_unshare(in_user_namespace().arg(program).args(std::env::args_os().skip(1)).exec()))
}

/// The meaning of a failed namespace: the usual cause is that this process has no right to create any.
pub(super) fn explain(error: NamespaceError) -> LinkError {
    match error {
        NamespaceError::Refused { program: "unshare", says } => Missing::Namespaces { says }.into(),
        other => other.into(),
    }
}

fn may_make_namespaces() -> bool {
    let needed = CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN;
    capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}

fn in_user_namespace() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--"]);
    command
}

fn no_unshare(source: io::Error) -> LinkError {
    NamespaceError::Start { program: "unshare", source }.into()
}
