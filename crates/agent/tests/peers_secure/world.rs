//! An authority with what it has issued, on the disk as `trunkline pki` leaves it, and an agent that reads it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use time::{Duration, OffsetDateTime};
use trunkline_pki::{
    AuthorityOptions, Certificate, Directory, Files, KeyKind, LeafOptions, Name, Role, Storing, Validity,
};

use super::support::Agent;

/// The manager in these tests.
pub const MANAGER: &str = "joe";

/// A directory of certificates, and a folder for whatever else a test writes.
pub struct World {
    pub pki: Directory,
    pub key: KeyKind,
    folder: TempDir,
}

impl World {
    /// An authority, an agent on this machine, and a manager, with keys of one kind.
    pub fn new(key: KeyKind) -> World {
        let folder = tempfile::tempdir().unwrap();
        let world = World { pki: Directory::at(folder.path().join("pki")), key, folder };
        let options = AuthorityOptions::named(name("Test CA"));
        world.pki.init(&AuthorityOptions { key, ..options }, false).unwrap();
        world.agent("localhost");
        world.manager(MANAGER);
        world
    }

    /// The usual kind of keys.
    pub fn usual() -> World {
        World::new(KeyKind::EcdsaP256)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Issues a certificate for an agent; it becomes the one that is used.
    pub fn agent(&self, whom: &str) -> Files {
        self.issue(Role::Agent, whom, LeafOptions::default())
    }

    pub fn manager(&self, whom: &str) -> Files {
        self.issue(Role::Manager, whom, LeafOptions::default())
    }

    /// The same, whose time is over since yesterday.
    pub fn expired(&self, role: Role, whom: &str) -> Files {
        let now = OffsetDateTime::now_utc();
        let validity = Validity { not_before: now - Duration::days(9), not_after: now - Duration::days(1) };
        self.issue(role, whom, LeafOptions { validity: Some(validity), ..LeafOptions::default() })
    }

    /// As in the configuration.
    pub fn fingerprint(&self, certificate: &Path) -> String {
        let text = std::fs::read_to_string(certificate).unwrap();
        Certificate::from_pem(&text).unwrap().fingerprint().to_string()
    }

    fn issue(&self, role: Role, whom: &str, options: LeafOptions) -> Files {
        let options = LeafOptions { key: self.key, ..options };
        let storing = Storing { force: true, default: role == Role::Agent, self_signed: false };
        self.pki.issue(role, &name(whom), &options, storing).unwrap().files
    }

    /// The configuration of an agent on all transports; `snmp` is in its section of that name, `more` after it.
    pub fn config(&self, snmp: &str, more: &str) -> String {
        let at = |path: &Path| format!("{:?}", path.display().to_string());
        format!(
            "[snmp]\nlisten = [\"udp://127.0.0.1:0\", \"tls://127.0.0.1:0\", \"dtls://127.0.0.1:0\", \
             \"ssh://127.0.0.1:0\"]\n{snmp}\n[snmp.tls]\ndirectory = {}\n{more}\n",
            at(self.pki.path()),
        )
    }

    /// An agent that anybody with a certificate of the authority may read, with messages of all versions.
    pub fn start(&self) -> Agent {
        Agent::start(&self.config(COMMUNITIES, ""))
    }
}

/// Takes messages of SNMPv1 and SNMPv2c in sessions.
pub const COMMUNITIES: &str = "communities-in-sessions = true";

pub fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}
