//! Our agent as a child process: plain, as anybody would start it, or fully equipped: all transports, users of all
//! pairs of algorithms, the lab's certificates and keys.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use trunkline_client::Target;
use trunkline_client::ssh::{PasswordHash, Secret};

use super::child::{ChildProcess, StartError};
use super::{COMMUNITY, Subject, SubjectKind, find, is_debug, target, version};
use crate::error::Error;
use crate::keyring::{CERTIFICATE, CONFIGURER, Keyring, PASSWORD, USER, role_keys, usm_user};
use crate::protocol::{Mode, Suite};
use crate::transport::{self, Transport};

/// The equipment of an agent.
#[derive(Debug, Clone)]
pub struct Equipment {
    /// The program; `None` for `trunklined` next to this one, or in `PATH`.
    pub program: Option<PathBuf>,
    /// The address to listen on.
    pub address: IpAddr,
    /// The transports to listen on.
    pub transports: Vec<Transport>,
    /// The directory of certificates and keys ([`Keyring`]); without it there are neither keys nor users.
    pub keys: Option<PathBuf>,
    /// The number of sessions that it must be able to hold.
    pub sessions: u32,
    /// What its TLS does with messages; only `trunklined-lab` provides integrity alone.
    pub mode: Mode,
    /// The maximum age of data, if not the default.
    pub freshness: Option<Freshness>,
    /// The file names of its certificate and key.
    pub certificate: &'static str,
    /// Where it listens for NETCONF: over SSH, TLS and TCP. Then SNMP has none of them.
    pub netconf: Vec<Transport>,
    /// Whether it listens for JMX, over TCP. Then SNMP does not.
    pub jmx: bool,
    /// Whether it serves the page for browsers, and RESTCONF, to a principal with a password.
    pub browser: bool,
    /// What else its configuration has.
    pub more: String,
    /// An XML Schema by which libxml2 checks requests of NETCONF, with what it imports: names and texts; only `trunklined-lab` does that.
    pub schema: Files,
}

/// Names and texts of files.
pub type Files = &'static [(&'static str, &'static str)];

/// The maximum age of the data in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// Reloaded for every object, as in Net-SNMP 5.0.
    PerObject,
    /// Reloaded for every request, as in the paper's web services.
    PerRequest,
    /// Up to a maximum age, as by default in our agent: a second there, ten here.
    MaxAge,
    /// A maximum age of a second, for data that the laboratory changes.
    Brief,
}

/// The counters of `trunklined-lab` since its start: of the fast path of SNMP over UDP, and of requests in sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Counted {
    /// Requests.
    pub requests: u64,
    /// Nanoseconds in each phase.
    #[serde(rename = "phases_ns")]
    pub phases: Phases,
    /// Requests in sessions, and the nanoseconds in each of their phases by its name.
    #[serde(default)]
    pub in_sessions: InSessions,
    /// Octets currently allocated.
    pub live_octets: u64,
    /// Peak of allocated octets.
    pub peak_octets: u64,
    /// Octets of all allocations so far.
    pub allocated_octets: u64,
}

/// What `trunklined-lab` counted of NETCONF, SOAP and SNMP over streams. One request at a time must be under way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct InSessions {
    /// Requests.
    pub requests: u64,
    /// Nanoseconds by the name of the phase: `receive`, `decode`, `access` and so on; `wait` is between requests.
    #[serde(rename = "phases_ns")]
    pub phases: BTreeMap<String, u64>,
}

/// Nanoseconds in each phase of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct Phases {
    /// From the octets to the request.
    pub decode: u64,
    /// Access control.
    pub access: u64,
    /// Fetching the data.
    pub retrieve: u64,
    /// From the answer to the octets.
    pub encode: u64,
}

/// An agent ready for requests. It ends with this value.
#[derive(Debug)]
pub struct Equipped {
    child: Mutex<ChildProcess>,
    pid: u32,
    /// Its listeners, of NETCONF not.
    pub listeners: Vec<(Transport, SocketAddr)>,
    /// Its listeners of NETCONF.
    pub netconf: Vec<(Transport, SocketAddr)>,
    /// The port of JMX.
    pub jmx: Option<u16>,
    program: PathBuf,
    version: String,
    /// The program and its version.
    pub description: String,
    /// Whether it was built without optimization, as far as its directory shows.
    pub is_debug: bool,
}

impl Equipment {
    /// An agent with these transports and the lab's keys.
    pub fn new(keyring: &Keyring, address: IpAddr, transports: &[Transport]) -> Equipment {
        Equipment {
            program: None,
            address,
            transports: transports.to_vec(),
            keys: Some(keyring.directory().to_owned()),
            sessions: 1000,
            mode: Mode::Secure,
            freshness: None,
            certificate: CERTIFICATE,
            netconf: vec![],
            jmx: false,
            browser: false,
            more: String::new(),
            schema: &[],
        }
    }

    /// An agent as anybody would start it: over the loopback, with a read-only community.
    pub fn plain(program: Option<&Path>) -> Equipment {
        Equipment {
            program: program.map(Path::to_owned),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            transports: transport::PLAIN.to_vec(),
            keys: None,
            sessions: 0,
            mode: Mode::Secure,
            freshness: None,
            certificate: CERTIFICATE,
            netconf: vec![],
            jmx: false,
            browser: false,
            more: String::new(),
            schema: &[],
        }
    }

    /// Starts it on ports that it chooses, and waits until it reports them.
    pub fn start(&self) -> Result<Equipped, StartError> {
        let program = find("trunklined", self.program.as_deref(), &beside_us(), &[])?;
        let failed = |source| StartError::Start { program: program.clone(), source };
        let directory = crate::leftovers::temporary_folder().map_err(failed)?;
        let file = directory.path().join("trunklined.toml");
        std::fs::write(&file, self.configuration(directory.path())).map_err(failed)?;
        restrict(&file).map_err(failed)?;
        if !self.netconf.is_empty() {
            let kept = format!("generation = 1\nrunning = '{}'\nmachine = []\n", role_keys());
            let file = directory.path().join("configuration.toml");
            std::fs::write(&file, kept).map_err(failed)?;
            restrict(&file).map_err(failed)?;
        }
        for (name, text) in self.schema {
            std::fs::write(directory.path().join(name), text).map_err(failed)?;
        }
        let schema = self.schema.first().map(|(name, _)| directory.path().join(name));
        let mut child = ChildProcess::start(&program, directory, |command| {
            command.arg("--config").arg(file);
            if let Some(schema) = schema {
                command.env("TRUNKLINED_LAB_XML_SCHEMA", schema);
            }
        })?;
        let (mut listeners, mut netconf, mut jmx) = (Vec::new(), Vec::new(), None);
        for _ in 0..self.transports.len() + self.netconf.len() + usize::from(self.jmx) {
            let found = child.wait_for(listening)?;
            match found.0 {
                Transport::Tcp if self.jmx => jmx = Some(found.1.port()),
                transport if self.netconf.contains(&transport) => netconf.push(found),
                _ => listeners.push(found),
            }
        }
        let version = version(&program, "--version");
        let description = format!("{version} ({})", program.display());
        let (pid, is_debug) = (child.id(), is_debug(&program));
        let child = Mutex::new(child);
        Ok(Equipped { child, pid, listeners, netconf, jmx, program, version, description, is_debug })
    }

    fn configuration(&self, state: &Path) -> String {
        let listen = |of_http: bool| {
            let wanted = self.transports.iter().filter(|it| transport::HTTP.contains(it) == of_http);
            wanted.map(|&it| self.listener(it)).collect::<Vec<String>>().join(", ")
        };
        let mut text = format!("[agent]\nstate = \"{}\"\n", state.display());
        let community = format!("[[snmp.community]]\nname = \"{COMMUNITY}\"\naccess = \"read\"\n");
        let Some(keys) = &self.keys else {
            let _ = write!(text, "[snmp]\nlisten = [{}]\n{community}{}", listen(false), self.more);
            return text;
        };
        if self.transports.iter().any(|it| transport::HTTP.contains(it)) {
            let _ = write!(
                text,
                "[http]\nlisten = [{}]\nmax-connections = {1}\nmax-connections-per-peer = {1}\nfirst-message-timeout = \"8h\"\n",
                listen(true),
                self.sessions.max(64)
            );
            if self.browser {
                text += "doors = [\"soap\", \"snmp-in-soap\", \"select\", \"restconf\", \"browser\"]\n";
            }
        }
        let _ = write!(text, "[snmp]\nlisten = [{}]\n", listen(false));
        if !self.address.is_loopback() {
            // Over a link, the protocol is measured, as on loopback.
            text += "max-unproved-answer = 65507\n";
        }
        let is_secure = |it: &Transport| transport::SECURE.contains(it) || *it == Transport::Https;
        let mut secure: Vec<Transport> = self.transports.iter().copied().filter(is_secure).collect();
        if !secure.is_empty() && self.netconf.is_empty() {
            text += "communities-in-sessions = true\n";
        }
        secure.extend(self.netconf.iter().copied().filter(is_secure));
        let _ = write!(
            text,
            "[snmp.tcp]\nmax-connections = {0}\nmax-connections-per-peer = {0}\nidle-timeout = \"8h\"\n\
             first-message-timeout = \"8h\"\n",
            self.sessions.max(16)
        );
        let file = |name: &str| keys.join(name).display().to_string();
        if secure.iter().any(|it| *it != Transport::Ssh) {
            let _ = write!(
                text,
                "[snmp.tls]\ncertificate = \"{}\"\nkey = \"{}\"\nauthorities = [\"{}\"]\n",
                file(&format!("{}.pem", self.certificate)),
                file(&format!("{}.key", self.certificate)),
                file("ca.pem")
            );
            text += match self.mode {
                Mode::Secure => "",
                Mode::Tls12 => "least-version = \"1.2\"\n",
                Mode::IntegrityOnly => "integrity-only = true\nleast-version = \"1.2\"\n",
            };
        }
        if secure.contains(&Transport::Ssh) {
            let (host, users) = (file("host.key"), file("users"));
            let _ = write!(text, "[snmp.ssh]\nhost-keys = [\"{host}\"]\nuser-keys = \"{users}\"\n");
        }
        if let Some(freshness) = self.freshness {
            let _ = write!(text, "[freshness]\ndefault = \"{}\"\n", freshness.key());
        }
        text += &community;
        text += "[[role]]\nname = \"everything\"\nread = [\"1.3.6.1\"]\nlevel = \"noAuthNoPriv\"\n";
        for suite in Suite::ALL {
            let (auth, privacy) = match suite {
                Suite::Modern => ("SHA-256", "AES"),
                Suite::Md5Des => ("MD5", "DES"),
                Suite::Md5Aes => ("MD5", "AES"),
            };
            let _ = write!(
                text,
                "[[snmp.user]]\nname = \"{}\"\nauth = \"{auth}\"\npriv = \"{privacy}\"\npassword = \"{PASSWORD}\"\n\
                 role = \"everything\"\n",
                usm_user(suite)
            );
        }
        text += &self.doors_configuration();
        text += &self.more;
        text
    }

    /// Its doors of JMX and NETCONF, at the end of the configuration: programs may follow.
    fn doors_configuration(&self) -> String {
        let mut text = String::new();
        if self.browser {
            let hash = PasswordHash::make(&Secret::from(PASSWORD));
            let hash = hash.map(|hash| hash.to_phc()).unwrap_or_default();
            let _ = write!(
                text,
                "[system]\ncontact = \"{CONTACT}\"\n\
                 [[snmp.principal]]\nname = \"{USER}\"\nrole = \"everything\"\npassword-hash = \"{hash}\"\n"
            );
        }
        if self.jmx {
            let listen = self.listener(Transport::Tcp);
            let _ = write!(text, "[jmx]\nlisten = [{listen}]\ncommunity = \"{COMMUNITY}\"\nlease = \"8h\"\n");
        }
        if self.netconf.is_empty() {
            return text;
        }
        let listen: Vec<String> = self.netconf.iter().map(|&it| self.listener(it)).collect();
        let _ = write!(
            text,
            "[[role]]\nname = \"{CONFIGURER}\"\nread = [\"1\"]\nwrite = [\"1\"]\n\
             [[snmp.principal]]\nname = \"{USER}\"\nrole = \"{CONFIGURER}\"\n\
             [netconf]\nlisten = [{}]\ncommunity = \"{COMMUNITY}\"\nidle-timeout = \"8h\"\n",
            listen.join(", ")
        );
        text
    }

    fn listener(&self, transport: Transport) -> String {
        let scheme = transport.to_string().to_lowercase();
        format!("\"{scheme}://{}\"", SocketAddr::new(self.address, 0))
    }
}

/// sysContact of an agent for browsers: what a page shows once it is there. Its 15 octets are as many as those of Ma and Bartos (2005).
pub const CONTACT: &str = "lab@example.org";

impl Freshness {
    /// Those that are compared, the most expensive first.
    pub const ALL: [Freshness; 3] = [Freshness::PerObject, Freshness::PerRequest, Freshness::MaxAge];

    /// The value in the configuration; the maximum age of those that are compared is long enough for a series of requests.
    pub const fn key(self) -> &'static str {
        match self {
            Freshness::PerObject => "per-object",
            Freshness::PerRequest => "per-request",
            Freshness::MaxAge => "10s",
            Freshness::Brief => "1s",
        }
    }
}

impl std::fmt::Display for Freshness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Freshness::PerObject => "per-object",
            Freshness::PerRequest => "per-request",
            Freshness::MaxAge => "max-age",
            Freshness::Brief => "brief",
        })
    }
}

impl Equipped {
    /// Whether it still runs, as it should until it is dropped.
    ///
    /// # Errors
    /// It has ended.
    pub fn still_runs(&self) -> Result<(), Error> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).still_runs(&self.description)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its counters so far; only `trunklined-lab` counts.
    ///
    /// # Errors
    /// It did not report them, or not in a known form.
    pub fn counted(&self) -> Result<Counted, StartError> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.signal(rustix::process::Signal::USR1);
        child.wait_for(|line| {
            let json = line.find('{').map(|at| &line[at..])?;
            serde_json::from_str(json).ok()
        })
    }

    /// The agent as a subject among others.
    pub fn into_subject(self) -> Subject {
        let of =
            |&(transport, address): &(Transport, SocketAddr)| (transport, target(transport, address).into());
        Subject {
            name: "trunklined".into(),
            kind: SubjectKind::Trunklined,
            program: Some(self.program),
            version: self.version,
            targets: self.listeners.iter().map(of).collect(),
            advice: "",
            child: Some(self.child.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// The target of its community over a transport, from next to it, if it listens there.
    pub fn target_beside(&self, transport: Transport) -> Option<Target> {
        let port = self.port(transport)?;
        Some(target(transport, SocketAddr::from((Ipv4Addr::LOCALHOST, port))))
    }

    /// The port of NETCONF over a transport, if it listens there.
    pub fn netconf_port(&self, transport: Transport) -> Option<u16> {
        let found = self.netconf.iter().find(|(listener, _)| *listener == transport);
        found.map(|(_, address)| address.port())
    }

    /// Has it read its configuration again, and waits until it has.
    ///
    /// # Errors
    /// It did not.
    pub fn reload(&self) -> Result<(), StartError> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.signal(rustix::process::Signal::HUP);
        child.wait_for(|line| line.contains(RELOADED).then_some(()))
    }

    /// The port of a transport, if it listens on it.
    pub fn port(&self, transport: Transport) -> Option<u16> {
        let found = self.listeners.iter().find(|(listener, _)| *listener == transport);
        found.map(|(_, address)| address.port())
    }
}

/// The directory of this program, where a build and an installation put the agent too.
pub(super) fn beside_us() -> Vec<PathBuf> {
    let us = std::env::current_exe().ok();
    us.and_then(|us| us.parent().map(Path::to_owned)).into_iter().collect()
}

/// The listener in a line of the agent's output: `listening tls://127.0.0.1:10161`.
fn listening(line: &str) -> Option<(Transport, SocketAddr)> {
    let (_, url) = line.split_once("listening ")?;
    let (scheme, address) = url.trim().split_once("://")?;
    let mut known = transport::PLAIN.into_iter().chain(transport::SECURE).chain(transport::HTTP);
    let transport = known.find(|transport| transport.to_string().eq_ignore_ascii_case(scheme))?;
    let address = address.split_whitespace().next()?;
    Some((transport, address.parse().ok()?))
}

/// What the agent logs when it has read its configuration again.
const RELOADED: &str = "configuration reloaded";

/// It contains passwords.
fn restrict(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_lines() {
        for (line, transport, address) in [
            ("listening udp://127.0.0.1:40000", Transport::Udp, "127.0.0.1:40000"),
            ("2026-11-21 INFO listening tcp://[::1]:5\r", Transport::Tcp, "[::1]:5"),
            ("listening tls://0.0.0.0:10161", Transport::Tls, "0.0.0.0:10161"),
            ("listening ssh://127.0.0.1:5161 host key SHA256:x", Transport::Ssh, "127.0.0.1:5161"),
        ] {
            assert_eq!(listening(line), Some((transport, address.parse().unwrap())), "{line}");
        }
        for line in
            ["", "listening", "listening quic://127.0.0.1:1", "listening udp://somewhere", "starting up"]
        {
            assert_eq!(listening(line), None, "{line}");
        }
    }

    #[test]
    fn the_laboratory_agents_output_is_parsed() {
        let line = "{\"requests\":3,\"phases_ns\":{\"receive\":9,\"decode\":1,\"access\":2,\"retrieve\":3,\"encode\":4,\
                    \"send\":5},\"allocations\":7,\"allocated_octets\":80,\"live_octets\":60,\"peak_octets\":70}";
        let counted: Counted = serde_json::from_str(line).unwrap();
        assert_eq!((counted.requests, counted.phases.encode, counted.peak_octets), (3, 4, 70));
    }

    #[test]
    fn the_configuration_has_what_its_transports_need() {
        let keyring = Keyring::make(&[]).unwrap();
        let address = "127.0.0.1".parse().unwrap();
        let plain = Equipment::new(&keyring, address, &transport::PLAIN).configuration(Path::new("/state"));
        assert!(plain.contains("listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]"), "{plain}");
        let tls = |mode| {
            let tls = Equipment { mode, ..Equipment::new(&keyring, address, &[Transport::Tls]) };
            let text = tls.configuration(Path::new("/state"));
            [text.contains("least-version = \"1.2\""), text.contains("integrity-only = true")]
        };
        assert_eq!([tls(Mode::Secure), tls(Mode::Tls12)], [[false, false], [true, false]]);
        assert_eq!(tls(Mode::IntegrityOnly), [true, true]);
        assert!(!plain.contains("[snmp.tls]") && !plain.contains("[snmp.ssh]"));
        assert!(!plain.contains("max-unproved-answer"));
        let alone = Equipment::plain(None).configuration(Path::new("/state"));
        assert_eq!(
            alone,
            "[agent]\nstate = \"/state\"\n[snmp]\nlisten = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]\n\
             [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n"
        );
        let link = Equipment::new(&keyring, "198.18.0.1".parse().unwrap(), &transport::PLAIN);
        assert!(link.configuration(Path::new("/state")).contains("max-unproved-answer = 65507"));
        assert_eq!(plain.matches("[[snmp.user]]").count(), Suite::ALL.len());
        let jmx = Equipment { jmx: true, ..Equipment::new(&keyring, address, &[Transport::Udp]) };
        let jmx = jmx.configuration(Path::new("/state"));
        assert!(jmx.contains("[jmx]\nlisten = [\"tcp://127.0.0.1:0\"]\ncommunity = \"public\"\n"), "{jmx}");
        assert!(!plain.contains("[jmx]"));
        let ssh = Equipment::new(&keyring, address, &[Transport::Ssh]).configuration(Path::new("/state"));
        assert!(
            ssh.contains("[snmp.ssh]")
                && !ssh.contains("[snmp.tls]")
                && ssh.contains("communities-in-sessions")
        );
    }
}
