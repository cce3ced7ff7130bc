//! A folder with certificates and an authority of roles, and agents as its devices.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use trunkline_client::netconf::{MessageKeys, NetconfOptions, NetconfSession};
use trunkline_client::{Defaults, NetconfTarget};
use trunkline_login::token::RoleToken;
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};

use crate::support::{Trunklined, texts, trunkline};

/// A folder with certificates and an authority of roles.
pub struct World {
    folder: tempfile::TempDir,
    /// Who deploys.
    pub manager: &'static str,
}

impl World {
    pub fn new() -> World {
        let world = World { folder: tempfile::tempdir().unwrap(), manager: "max" };
        let directory = Directory::at(world.path("pki"));
        let name = |text: &str| Name::new(text).unwrap();
        directory.init(&AuthorityOptions::named(name("Test CA")), false).unwrap();
        directory
            .issue(Role::Agent, &name("localhost"), &LeafOptions::default(), Storing::default())
            .unwrap();
        world.equip("max");
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An agent that max configures over TLS at this port, and that takes protected messages over TCP.
    pub fn agent(&self, port: u16) -> Option<Trunklined> {
        Trunklined::start(&self.configuration(port, "STATE", &["tcp"], ""), &["tls", "tcp"])
    }

    /// The same, which can also be reached over SSH, and has this in its configuration too.
    pub fn device(&self, more: &str) -> Option<Trunklined> {
        self.device_in("STATE", 0, more)
    }

    /// The same at this port, with its state in this folder.
    pub fn device_in(&self, state: &str, port: u16, more: &str) -> Option<Trunklined> {
        let config = self.configuration(port, state, &["tcp", "ssh"], more);
        Trunklined::start(&config, &["tls", "tcp", "ssh"])
    }

    fn configuration(&self, port: u16, state: &str, others: &[&str], more: &str) -> String {
        let pki = self.path("pki").display().to_string();
        let others: String = others.iter().map(|scheme| format!(", \"{scheme}://127.0.0.1:0\"")).collect();
        format!(
            "[agent]\nstate = \"{state}\"\n[netconf]\ndevice = \"router-1\"\nlisten = [\"tls://127.0.0.1:{port}\"{others}]\ncommunity = \"public\"\n\
             [snmp]\nlisten = []\n[snmp.tls]\ndirectory = \"{pki}\"\n[snmp.ssh]\nuser-keys = \"{pki}/ssh\"\n\
             [[snmp.community]]\nname = \"public\"\nrole = \"some\"\n\
             sources = [\"192.0.2.0/24\"]\n[[role]]\nname = \"some\"\nread = [\"1.3.6.1.2.1.1\"]\n\
             [[role]]\nname = \"writer\"\nread = [\"1\"]\nwrite = [\"1\"]\n[[snmp.principal]]\nname = \"max\"\nrole = \"writer\"\n{more}"
        )
    }

    /// A certificate and a key for SSH of this user.
    pub fn equip(&self, user: &str) {
        let (directory, name) = (Directory::at(self.path("pki")), Name::new(user).unwrap());
        directory.issue(Role::Manager, &name, &LeafOptions::default(), Storing::default()).unwrap();
        directory.ssh_key(&name, false).unwrap();
    }

    /// The options by which a user is authenticated over TLS and SSH.
    pub fn ends(&self, user: &str) -> Vec<String> {
        let pki = self.path("pki").display().to_string();
        let known = self.path("known_hosts").display().to_string();
        let certificate = format!("{pki}/managers/{user}.pem");
        ["--pki", &pki, "--certificate", &certificate, "--known-hosts", &known, "--accept-new-host"]
            .map(str::to_owned)
            .into()
    }

    /// Runs a command of `rbac`; what it printed.
    #[track_caller]
    pub fn run(&self, words: &[&str], status: i32) -> (String, String) {
        let output = self.command(words).output().unwrap();
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(status), "{words:?}\n{out}\n{err}");
        self.check_secrets(&(out.clone() + &err));
        (out, err)
    }

    pub fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = trunkline(&["rbac", "--dir"]);
        command.arg(self.path("rbac")).args(words);
        if matches!(words[0], "deploy" | "revoke" | "renew" | "status") {
            command.args(self.ends(self.manager)).args(["-t", "5"]);
        }
        command
    }

    /// No secret of the authority is in a text.
    #[track_caller]
    pub fn check_secrets(&self, text: &str) {
        let all = std::fs::read_to_string(self.path("rbac/authority.toml")).unwrap_or_default();
        for secret in all.split('"').filter(|word| word.len() == 64) {
            assert!(!text.contains(secret), "{text}");
        }
    }

    pub fn json(&self, words: &[&str], status: i32) -> Json {
        serde_json::from_str(&self.run(words, status).0).unwrap()
    }

    /// An authority whose role `some` ann and bob have.
    pub fn authority(&self) {
        self.run(&["init"], 0);
        self.run(&["role", "add", "some"], 0);
        self.run(&["assign", "ann", "some"], 0);
        self.run(&["assign", "bob", "some"], 0);
    }

    pub fn add(&self, name: &str, port: &str) {
        self.run(&["device", "add", &format!("netconf+tls://localhost:{port}"), "--name", name], 0);
    }
}

/// The port of an address.
pub fn port(address: &str) -> &str {
    address.rsplit(':').next().unwrap()
}

/// The keys of a token.
pub fn keys(token: &Path) -> Result<MessageKeys, String> {
    RoleToken::read(token).map(RoleToken::into_keys).map_err(|fault| fault.to_string())
}

/// A session over TCP whose messages are protected by a token, and which may read.
pub async fn open(agent: &Trunklined, token: &Path) -> Result<NetconfSession, String> {
    let session = connect(agent, token).await?;
    reads(&session).await.map(|()| session)
}

/// The same, whatever it may do.
pub async fn connect(agent: &Trunklined, token: &Path) -> Result<NetconfSession, String> {
    let target = format!("netconf+tcp://{}", agent.address(1));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let options = NetconfOptions::default().with_keys(Some(keys(token)?));
    NetconfSession::open(&target, options).await.map_err(|fault| fault.to_string())
}

pub async fn reads(session: &NetconfSession) -> Result<(), String> {
    let get = b"<get><filter><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system><sysName/></system></SNMPv2-MIB></filter></get>";
    session.data(get).await.map(drop).map_err(|fault| fault.to_string())
}
