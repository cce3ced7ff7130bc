//! From the configuration to identity and trust anchors: TLS, DTLS and SSH for listeners, and for sessions that
//! the agent opens.

mod outgoing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trunkline_password::PasswordGate;
use trunkline_transport::Transport;
use trunkline_transport::local::LocalError;
use trunkline_transport::ssh::{
    HostKeyError, HostKeys, PasswordHash, PasswordHashError, SshFailure, SshServer, SshServerOptions,
    SshUser, SshUsers,
};
use trunkline_transport::tls::{CredentialError, FingerprintError};

pub use outgoing::{OpenError, Outgoing, OutgoingNow};

use trunkline_config::{CertificateError, Plan, PrincipalPlan, SnmpPlan};

/// Why there are no usable certificates or keys.
#[derive(Debug, thiserror::Error)]
pub enum SecureError {
    /// Certificates and keys of the configuration.
    #[error(transparent)]
    Certificates(#[from] CertificateError),
    /// They do not fit together.
    #[error("cannot set up TLS: {0}")]
    Server(#[source] Box<CredentialError>),
    /// A fingerprint that no certificate can have.
    #[error(transparent)]
    Fingerprint(#[from] FingerprintError),
    /// The key with which the agent authenticates over SSH.
    #[error(transparent)]
    HostKey(Box<HostKeyError>),
    /// The same key, when the agent is the client.
    #[error(transparent)]
    UserKey(Box<SshFailure>),
    /// The socket for OpenSSH's subsystem.
    #[error(transparent)]
    Local(Box<LocalError>),
    /// A group that does not exist.
    #[error("there is no group {name:?} on this machine")]
    NoGroup {
        /// Its name.
        name: String,
    },
    /// A user that does not exist.
    #[error("there is no user {name:?} on this machine")]
    NoUser {
        /// The user.
        name: String,
    },
    /// The hash of a password.
    #[error("the password of the principal {principal:?}: {source}")]
    Password {
        /// Whose.
        principal: String,
        /// What is wrong.
        source: PasswordHashError,
    },
}

/// From a library's error to ours, which stays small.
macro_rules! boxed {
    ($($variant:ident($source:ty)),*) => {$(
        impl From<$source> for SecureError {
            fn from(source: $source) -> Self {
                Self::$variant(Box::new(source))
            }
        }
    )*};
}

boxed!(Server(CredentialError), HostKey(HostKeyError), UserKey(SshFailure), Local(LocalError));

/// The file of the host key that is made at the first start.
const HOST_KEY: &str = "ssh_host_key";

/// A server of SSH that checks passwords at this gate.
///
/// # Errors
/// A host key, or the hash of a password.
pub fn ssh_server(
    plan: &SnmpPlan,
    state: &Path,
    passwords: Arc<PasswordGate>,
) -> Result<SshServer, SecureError> {
    let keys = host_keys(plan, state)?;
    Ok(SshServer::with_gate(keys, ssh_users(plan)?, SshServerOptions::default(), passwords))
}

/// The number of a group of this machine.
///
/// # Errors
/// [`SecureError::NoGroup`].
pub fn group_id(name: &str) -> Result<u32, SecureError> {
    let group = nix::unistd::Group::from_name(name).ok().flatten();
    group.map(|group| group.gid.as_raw()).ok_or_else(|| SecureError::NoGroup { name: name.into() })
}

/// The number of a user.
///
/// # Errors
/// There is none of this name.
pub fn user_id(name: &str) -> Result<u32, SecureError> {
    let user = nix::unistd::User::from_name(name).ok().flatten();
    user.map(|user| user.uid.as_raw()).ok_or_else(|| SecureError::NoUser { name: name.into() })
}

/// The host keys; the first one is generated if it does not exist.
fn host_keys(plan: &SnmpPlan, state: &Path) -> Result<HostKeys, SecureError> {
    let path = host_key_file(plan, state);
    let first =
        if plan.ssh.host_keys.is_empty() { HostKeys::own(&path) } else { HostKeys::load_or_create(&path) }?;
    Ok(plan.ssh.host_keys.iter().skip(1).try_fold(first, |keys, path| keys.with(path))?)
}

/// Whether the existing host keys can be used. If the first one is missing, a start generates it.
///
/// # Errors
/// A key that listeners of SSH need.
pub fn check_host_keys(plan: &Plan, state: &Path) -> Result<(), SecureError> {
    if plan.accepts(Transport::Ssh) && std::fs::symlink_metadata(host_key_file(&plan.snmp, state)).is_ok() {
        host_keys(&plan.snmp, state)?;
    }
    Ok(())
}

/// The file of the first host key.
fn host_key_file(plan: &SnmpPlan, state: &Path) -> PathBuf {
    plan.ssh.host_keys.first().cloned().unwrap_or_else(|| state.join(HOST_KEY))
}

/// The accepted users of SSH. Without principals in the configuration they are those with a file `NAME.pub` among
/// the users' keys.
///
/// # Errors
/// The hash of a password.
pub fn ssh_users(plan: &SnmpPlan) -> Result<SshUsers, SecureError> {
    let directory = &plan.ssh.user_keys;
    if plan.principals.is_empty() {
        let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let user = |file: std::fs::DirEntry| {
            let path = file.path();
            let name = path.file_name()?.to_str()?.strip_suffix(".pub")?.to_string();
            Some(SshUser { name, authorized_keys: Some(path), password: None })
        };
        return Ok(files.filter_map(user).collect());
    }
    let named = plan.principals.iter().filter(|principal| principal.name != trunkline_config::EVERYBODY);
    named.map(|principal| ssh_user(principal, directory)).collect()
}

fn ssh_user(principal: &PrincipalPlan, directory: &Path) -> Result<SshUser, SecureError> {
    let name = principal.name.clone();
    let wrong = |source| SecureError::Password { principal: name.clone(), source };
    let password = principal.password_hash.as_ref().map(|hash| hash.0.parse::<PasswordHash>().map_err(wrong));
    let by_custom = || directory.join(format!("{name}.pub"));
    let authorized_keys = principal.authorized_keys.clone().unwrap_or_else(by_custom);
    Ok(SshUser { password: password.transpose()?, authorized_keys: Some(authorized_keys), name })
}
