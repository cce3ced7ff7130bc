//! Our agent with everything that can be asked of it: all transports, users of all pairs of algorithms, the lab's
//! certificates and keys.

use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use super::child::{ChildProcess, StartError};
use super::{COMMUNITY, find, version};
use crate::keyring::{Keyring, PASSWORD, usm_user};
use crate::protocol::Suite;
use crate::samples::Transport;

/// What an agent is to have.
#[derive(Debug, Clone)]
pub struct Equipment {
    /// The program; `None` is `trunklined` beside this one, or in `PATH`.
    pub program: Option<PathBuf>,
    /// Where to listen.
    pub address: IpAddr,
    /// The transports to listen on.
    pub transports: Vec<Transport>,
    /// Where certificates and keys are ([`Keyring`]).
    pub keys: PathBuf,
    /// How many sessions it must be able to hold.
    pub sessions: u32,
    /// Whether its TLS protects integrity alone, which `trunklined-lab` does.
    pub integrity_only: bool,
}

/// An agent that is ready to be asked. It ends with this value.
#[derive(Debug)]
pub struct Equipped {
    child: ChildProcess,
    /// Where it listens.
    pub listeners: Vec<(Transport, SocketAddr)>,
    /// The program and what it says of its version.
    pub description: String,
    /// Whether it was built without optimisation, as far as its directory tells.
    pub is_debug: bool,
}

impl Equipment {
    /// An agent with these transports and the lab's keys.
    pub fn new(keyring: &Keyring, address: IpAddr, transports: &[Transport]) -> Equipment {
        Equipment {
            program: None,
            address,
            transports: transports.to_vec(),
            keys: keyring.directory().to_owned(),
            sessions: 1000,
            integrity_only: false,
        }
    }

    /// Starts it on ports that it chooses, and waits until it says which.
    pub fn start(&self) -> Result<Equipped, StartError> {
        let program = find("trunklined", self.program.as_deref(), &super::trunklined::beside_us(), &[])?;
        let failed = |source| StartError::Start { program: program.clone(), source };
        let directory = tempfile::tempdir().map_err(failed)?;
        let file = directory.path().join("trunklined.toml");
        std::fs::write(&file, self.configuration(directory.path())).map_err(failed)?;
        restrict(&file).map_err(failed)?;
        let mut child = ChildProcess::start(&program, directory, |command| {
            command.arg("--config").arg(file);
        })?;
        let mut listeners = Vec::new();
        for _ in &self.transports {
            listeners.push(child.wait_for(listening)?);
        }
        let is_debug = program.parent().and_then(Path::file_name).is_some_and(|name| name == "debug");
        let description = format!("{} ({})", version(&program, "--version"), program.display());
        Ok(Equipped { child, listeners, description, is_debug })
    }

    fn configuration(&self, state: &Path) -> String {
        let urls: Vec<String> = self.transports.iter().map(|&it| self.listener(it)).collect();
        let mut text =
            format!("[agent]\nstate = \"{}\"\n[snmp]\nlisten = [{}]\n", state.display(), urls.join(", "));
        let secure: Vec<Transport> =
            self.transports.iter().copied().filter(|it| Transport::SECURE.contains(it)).collect();
        if !secure.is_empty() {
            text += "communities-in-sessions = true\n";
        }
        let _ = write!(
            text,
            "[snmp.tcp]\nmax-connections = {0}\nmax-connections-per-peer = {0}\nidle-timeout = \"8h\"\n",
            self.sessions.max(16)
        );
        let file = |name: &str| self.keys.join(name).display().to_string();
        if secure.iter().any(|it| *it != Transport::Ssh) {
            let _ = write!(
                text,
                "[snmp.tls]\ncertificate = \"{}\"\nkey = \"{}\"\nauthorities = [\"{}\"]\n",
                file("agent.pem"),
                file("agent.key"),
                file("ca.pem")
            );
            if self.integrity_only {
                text += "integrity-only = true\nleast-version = \"1.2\"\n";
            }
        }
        if secure.contains(&Transport::Ssh) {
            let (host, users) = (file("host.key"), file("users"));
            let _ = write!(text, "[snmp.ssh]\nhost-keys = [\"{host}\"]\nuser-keys = \"{users}\"\n");
        }
        let _ = write!(text, "[[snmp.community]]\nname = \"{COMMUNITY}\"\naccess = \"read\"\n");
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
        text
    }

    fn listener(&self, transport: Transport) -> String {
        let scheme = transport.to_string().to_lowercase();
        format!("\"{scheme}://{}\"", SocketAddr::new(self.address, 0))
    }
}

impl Equipped {
    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The port of a transport, where it listens on it.
    pub fn port(&self, transport: Transport) -> Option<u16> {
        let found = self.listeners.iter().find(|(listener, _)| *listener == transport);
        found.map(|(_, address)| address.port())
    }
}

/// The listener that a line of the agent's names: `listening tls://127.0.0.1:10161`.
pub(super) fn listening(line: &str) -> Option<(Transport, SocketAddr)> {
    let (_, url) = line.split_once("listening ")?;
    let (scheme, address) = url.trim().split_once("://")?;
    let mut known = Transport::PLAIN.into_iter().chain(Transport::SECURE);
    let transport = known.find(|transport| transport.to_string().eq_ignore_ascii_case(scheme))?;
    let address = address.split_whitespace().next()?;
    Some((transport, address.parse().ok()?))
}

/// It holds passwords.
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
    fn the_configuration_has_what_its_transports_need() {
        let keyring = Keyring::make(&[]).unwrap();
        let address = "127.0.0.1".parse().unwrap();
        let plain = Equipment::new(&keyring, address, &Transport::PLAIN).configuration(Path::new("/state"));
        assert!(plain.contains("listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]"), "{plain}");
        assert!(!plain.contains("[snmp.tls]") && !plain.contains("[snmp.ssh]"));
        assert_eq!(plain.matches("[[snmp.user]]").count(), Suite::ALL.len());
        let ssh = Equipment::new(&keyring, address, &[Transport::Ssh]).configuration(Path::new("/state"));
        assert!(
            ssh.contains("[snmp.ssh]")
                && !ssh.contains("[snmp.tls]")
                && ssh.contains("communities-in-sessions")
        );
    }
}
