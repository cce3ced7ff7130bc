//! The stage of the laboratory with an agent that serves JMX, and keys that both servers and the client share.

use std::error::Error;
use std::io;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trunkline_jmxclient::JmxLogin;
use trunkline_lab::keyring::Keyring;
use trunkline_lab::processors::Apart;
use trunkline_lab::stage::{Role, Stage, StageOptions, Stand};
use trunkline_lab::transport::Transport;
use trunkline_password::{PasswordHash, Secret};

use crate::Options;
use crate::java::Jdk;
use crate::report::Report;

/// The agent as it ships, with as few other listeners as it can have.
const ROLE: Role = Role::Alone(Transport::Udp);

/// An agent in a place of its own, where this thread is too.
pub struct Place {
    stage: Stage,
    /// The port of JMX over TCP.
    pub plain: u16,
    /// That over TLS.
    pub tls: u16,
    stores: tempfile::TempDir,
    keyring: Arc<Keyring>,
    apart: Option<Apart>,
}

/// Where manager and agents run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Wherever the kernel likes.
    Anywhere,
    /// On processors of their own, as if on two machines: otherwise which of them an answer is woken on decides about a third of a call's
    /// time, and stays the same for a whole run.
    Apart,
}

impl Place {
    /// With as many interfaces and sessions.
    pub fn make(
        options: &Options,
        sessions: u32,
        place: Where,
        report: &mut Report,
    ) -> Result<Self, Box<dyn Error>> {
        let apart = Apart::of_this_process().filter(|_| place == Where::Apart);
        let keyring = Arc::new(Keyring::make(&[IpAddr::V4(Ipv4Addr::LOCALHOST)])?);
        let [plain, tls] = free_ports()?;
        let file = |name: &str| keyring.path(name).display().to_string();
        let more = format!(
            "[jmx]\nlisten = [\"tcp://127.0.0.1:{plain}\", \"tls://127.0.0.1:{tls}\"]\ncommunity = \"public\"\n\
             [snmp.tls]\ncertificate = {:?}\nkey = {:?}\nauthorities = [{:?}]\n{}",
            file("agent.pem"),
            file("agent.key"),
            file("ca.pem"),
            principals(sessions)?
        );
        let mut doubts = Vec::new();
        let wanted = StageOptions {
            trunklined: Some(options.agent.clone()),
            trunklined_lab: None,
            rows: options.rows,
            sessions,
            seed: 1,
            roles: vec![ROLE],
            capture: None,
            apart: apart.is_some(),
            more: vec![(ROLE, more)],
            schemas: Vec::new(),
            brief: Vec::new(),
            users: Vec::new(),
        };
        let stage = Stage::beside(&keyring, &wanted, &mut doubts)?;
        doubts.iter().for_each(|doubt| report.note(doubt.to_string()));
        stage.stand(Stand::Beside)?;
        Ok(Self { stage, plain, tls, stores: tempfile::tempdir()?, keyring, apart })
    }

    /// The agent's process.
    pub fn pid(&self) -> Result<u32, String> {
        Ok(self.stage.agent(ROLE).ok_or("there is no agent")?.pid())
    }

    /// Starts another agent where those of this place run.
    pub fn beside<T>(&self, start: impl FnOnce() -> T) -> T {
        Apart::as_agents(self.apart, start)
    }

    /// How many interfaces there are.
    pub fn interfaces(&self) -> u32 {
        self.stage.interfaces
    }

    /// Options of a JVM that serves TLS with a key of its own, of the kind that the agent has.
    pub fn server_options(&self, jdk: &Jdk) -> Result<Vec<String>, Box<dyn Error>> {
        let (store, certificate) = (self.path("jvm.p12"), self.path("jvm.pem"));
        let kind = ["-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=localhost"];
        jdk.keytool(&[&["-genkeypair", "-alias", "jvm", "-keystore", &store], &kind[..]].concat())?;
        jdk.keytool(&["-exportcert", "-rfc", "-alias", "jvm", "-keystore", &store, "-file", &certificate])?;
        Ok(store_options("key", &store))
    }

    /// Options of the client, which trusts both servers, whose options were made before.
    pub fn client_options(&self, jdk: &Jdk) -> Result<Vec<String>, Box<dyn Error>> {
        let (store, authority) = (self.path("trust.p12"), self.keyring.path("ca.pem"));
        let trusted = [("ca", authority), ("jvm", PathBuf::from(self.path("jvm.pem")))];
        for (alias, file) in trusted.iter().filter(|(_, file)| Path::new(file).exists()) {
            let file = file.display().to_string();
            jdk.keytool(&["-importcert", "-noprompt", "-alias", alias, "-keystore", &store, "-file", &file])?;
        }
        Ok(store_options("trust", &store))
    }

    fn path(&self, name: &str) -> String {
        self.stores.path().join(name).display().to_string()
    }
}

fn store_options(kind: &str, store: &str) -> Vec<String> {
    let option = |name: &str, value: &str| format!("-Djavax.net.ssl.{kind}Store{name}={value}");
    vec![option("", store), option("Password", crate::java::STORE_PASSWORD), option("Type", "PKCS12")]
}

/// The user of a session. A principal may have [`SHARE`] connections from an address.
pub fn login(session: u32) -> JmxLogin {
    JmxLogin { user: format!("manager-{}", session / SHARE), password: PASSWORD.to_owned().into() }
}

/// Users for as many sessions, and their role.
fn principals(sessions: u32) -> Result<String, Box<dyn Error>> {
    let hash = PasswordHash::make(&Secret::from(PASSWORD))?.to_phc();
    let mut text = "[[role]]\nname = \"managers\"\nread = [\"1\"]\nlevel = \"noAuthNoPriv\"\n".to_owned();
    for first in (0..sessions).step_by(SHARE as usize) {
        let user = login(first).user;
        text +=
            &format!("[[snmp.principal]]\nname = {user:?}\nrole = \"managers\"\npassword-hash = {hash:?}\n");
    }
    Ok(text)
}

/// Sessions of a user.
const SHARE: u32 = 64;

/// Of users that exist for a measurement, in a namespace of its own.
const PASSWORD: &str = "maple syrup and rain";

/// Ports that are free here, and all the more in the empty namespace of the agent.
fn free_ports() -> io::Result<[u16; 2]> {
    let open = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let (one, other) = (open()?, open()?);
    Ok([one.local_addr()?.port(), other.local_addr()?.port()])
}
