//! The certificates, keys and passwords of a run: created for each run, in a directory that is removed with it.
//!
//! ```text
//! ca.pem                     the authority that both sides trust
//! agent.pem  agent.key       the agent's certificate (ECDSA P-256), for its addresses
//! rsa.pem    rsa.key         another with RSA, 2048 bits
//! manager.pem manager.key    ours
//! host.key                   the agent's SSH host key (Ed25519)
//! users/lab.pub              the key that may log in over SSH
//! lab.key                    our SSH key (Ed25519)
//! ```

use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use trunkline_client::netconf::security::{KeyName, Protection, RoleKeys};
use trunkline_client::netconf::{MessageKeys, OwnKeys};
use trunkline_pki::{Authority, AuthorityOptions, KeyKind, LeafOptions, Name, SshKey};

use crate::protocol::Suite;

/// What both sides need to authenticate each other.
#[derive(Debug)]
pub struct Keyring {
    directory: tempfile::TempDir,
    host_fingerprint: String,
}

/// The keys of the role that may do everything, epoch 1: authentication, encryption. Each agent with NETCONF has them.
pub const ROLE_KEYS: [[u8; 16]; 2] = [[0x11; 16], [0x22; 16]];

/// The same as configuration of NETCONF.
pub fn role_keys() -> String {
    let [authentication, encryption] = ROLE_KEYS.map(|key| key.map(|octet| format!("{octet:02x}")).join(":"));
    format!(
        "<keys xmlns=\"urn:trunkline:yang:keys\"><role><name>{CONFIGURER}</name><epoch><number>1</number>\
         <authentication-key>{authentication}</authentication-key><encryption-key>{encryption}</encryption-key></epoch></role></keys>"
    )
}

/// These keys, as a user of the role has them.
///
/// # Errors
/// In words: the user has no name that a key can have.
pub fn message_keys(user: &str, protection: Protection) -> Result<MessageKeys, String> {
    let name: KeyName = format!("{CONFIGURER}/1/{user}").parse().map_err(|error| format!("{error}"))?;
    let role = RoleKeys::new(&ROLE_KEYS[0], &ROLE_KEYS[1]).map_err(|error| error.to_string())?;
    let own = role.of_user(name.user());
    Ok(MessageKeys { name, own: OwnKeys::Shared(own), protection })
}

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// A certificate or key could not be made.
    #[error("cannot make certificates and keys: {0}")]
    Make(#[from] trunkline_pki::Error),
    /// They could not be written.
    #[error("cannot write certificates and keys: {0}")]
    Write(#[from] std::io::Error),
}

impl Keyring {
    /// Creates all of them for an agent at these addresses.
    pub fn make(addresses: &[IpAddr]) -> Result<Keyring, KeyringError> {
        let (host, user) = (SshKey::create(&Name::new("host")?)?, SshKey::create(&Name::new(USER)?)?);
        let keyring = Keyring {
            directory: crate::leftovers::temporary_folder()?,
            host_fingerprint: host.fingerprint(),
        };
        let authority = Authority::create(&AuthorityOptions::named(Name::new("Trunkline lab")?))?;
        keyring.put("ca.pem", authority.certificate().to_pem().as_bytes())?;
        let options = LeafOptions { addresses: addresses.to_vec(), ..LeafOptions::default() };
        let agent = authority.agent(&Name::new("localhost")?, &options)?;
        let options = LeafOptions { key: KeyKind::Rsa2048, ..options };
        let rsa = authority.agent(&Name::new("localhost")?, &options)?;
        let manager = authority.manager(&Name::new(USER)?, &LeafOptions::default())?;
        for (name, issued) in [(CERTIFICATE, agent), (RSA_CERTIFICATE, rsa), ("manager", manager)] {
            keyring.put(&format!("{name}.pem"), issued.chain_pem().as_bytes())?;
            keyring.put(&format!("{name}.key"), issued.key_pem().as_bytes())?;
        }
        keyring.put("host.key", host.private()?.as_bytes())?;
        keyring.put("lab.key", user.private()?.as_bytes())?;
        fs::create_dir(keyring.path("users"))?;
        keyring.put("users/lab.pub", format!("{}\n", user.public()?).as_bytes())?;
        Ok(keyring)
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn put(&self, name: &str, octets: &[u8]) -> std::io::Result<()> {
        let path = self.path(name);
        fs::write(&path, octets)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
    }

    /// Lets our SSH key log in as somebody else too.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn admit(&self, user: &str) -> Result<(), KeyringError> {
        let key = fs::read(self.path("users/lab.pub"))?;
        Ok(self.put(&format!("users/{user}.pub"), &key)?)
    }

    /// The fingerprint of the agent's SSH host key: `SHA256:...`.
    pub fn host_fingerprint(&self) -> &str {
        &self.host_fingerprint
    }

    /// The directory of all files.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// The name of the USM user with a pair of algorithms.
pub const fn usm_user(suite: Suite) -> &'static str {
    match suite {
        Suite::Modern => "modern",
        Suite::Md5Des => "md5des",
        Suite::Md5Aes => "md5aes",
    }
}

/// The file names of the agent's certificate and key.
pub const CERTIFICATE: &str = "agent";
/// Those with RSA.
pub const RSA_CERTIFICATE: &str = "rsa";
/// The role that may do everything.
pub const CONFIGURER: &str = "configurer";
/// Our name, in our certificate and for SSH.
pub const USER: &str = "lab";
/// The password of every USM user of the lab. Agents that use it live in a namespace or on the loopback, for the
/// time of a run.
pub const PASSWORD: &str = "trunkline-laboratory";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_exists_and_only_its_owner_can_read_it() {
        let keyring = Keyring::make(&["127.0.0.1".parse().unwrap()]).unwrap();
        for name in ["ca.pem", "agent.pem", "agent.key", "manager.pem", "manager.key", "host.key", "lab.key"]
        {
            let metadata = fs::metadata(keyring.path(name)).unwrap();
            assert!(metadata.len() > 100, "{name}");
            assert_eq!(metadata.permissions().mode() & 0o77, 0, "{name}");
        }
        let line = fs::read_to_string(keyring.path("users/lab.pub")).unwrap();
        assert!(line.starts_with("ssh-ed25519 "), "{line}");
        let gone = keyring.directory().to_owned();
        drop(keyring);
        assert!(!gone.exists());
    }
}
