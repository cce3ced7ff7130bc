//! The two masters, and how they are asked.

use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;

use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Pdu, VarBind, Version};

use crate::daemon::{Daemon, wait_until};
use crate::same::Instances;
use crate::support::{self, Agent, message, oid};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Debian's snmpd.
    NetSnmp,
    /// `trunklined`.
    Ours,
}

fn agentx(socket: &Path) -> String {
    format!("[agentx]\nlisten = [{:?}]\n", format!("unix:{}", socket.display()))
}

/// A running master; ended when dropped.
pub struct Master {
    running: Running,
    address: SocketAddr,
}

enum Running {
    NetSnmp(#[expect(dead_code, reason = "it ends with this")] Daemon),
    Ours(Box<Agent>),
}

impl Master {
    /// Listens for subagents on `socket`; `public` reads and `private` writes. `folder` is for its own files.
    pub fn start(kind: Kind, socket: &Path, folder: &Path) -> Master {
        match kind {
            Kind::NetSnmp => Master::net_snmp(socket, folder),
            Kind::Ours => {
                let config = format!("{}{}", support::BOTH, agentx(socket));
                let mut agent = Agent::spawn(tempfile::tempdir().unwrap(), &config, &[]);
                agent.wait_for_listeners(2);
                wait_until("the master's socket", || socket.exists());
                Master { address: agent.udp(), running: Running::Ours(Box::new(agent)) }
            }
        }
    }

    fn net_snmp(socket: &Path, folder: &Path) -> Master {
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let configuration = folder.join("snmpd.conf");
        let text = format!(
            "master agentx\nagentXSocket unix:{}\nagentXTimeout 2\nagentXRetries 0\nrocommunity public\n\
             rwcommunity private\n",
            socket.display()
        );
        std::fs::write(&configuration, text).unwrap();
        let log = folder.join("snmpd.log");
        let mut command = Command::new("snmpd");
        command.args(["-f", "-C", "-Lo", "-I", "-smux,nsModuleTable", "-c"]).arg(&configuration);
        command.arg(format!("--persistentDir={}", folder.display())).arg(format!("udp:{address}"));
        command.env("MIBS", "");
        let daemon = Daemon::start(command, &log);
        wait_until("snmpd to start", || {
            std::fs::read_to_string(&log).unwrap_or_default().contains("NET-SNMP version")
        });
        Master { running: Running::NetSnmp(daemon), address }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Our own agent, whose log can be read.
    pub fn ours(&self) -> &Agent {
        match &self.running {
            Running::Ours(agent) => agent,
            Running::NetSnmp(_) => panic!("this master is snmpd"),
        }
    }

    /// One instance.
    pub fn get(&self, name: &str) -> Bound {
        ask(self.address, "public", support::get(&[name])).bindings.remove(0).value
    }

    /// Sets these instances at once; returns error-status and error-index.
    pub fn set(&self, bindings: &[(String, i32)]) -> (i32, i32) {
        let bindings: Vec<(&str, Value)> =
            bindings.iter().map(|(name, value)| (name.as_str(), Value::Integer(*value))).collect();
        self.set_values(&bindings)
    }

    /// The same with values of any type.
    pub fn set_values(&self, bindings: &[(&str, Value)]) -> (i32, i32) {
        let bind = |(name, value): &(&str, Value)| VarBind::new(oid(name), value.clone());
        let answer = ask(self.address, "private", support::set(bindings.iter().map(bind).collect()));
        (answer.error_status, answer.error_index)
    }

    /// All instances below a name; an error of the agent ends it.
    pub fn walk(&self, below: &str) -> Result<Instances, String> {
        walk(self.address, below)
    }
}

fn ask(agent: SocketAddr, community: &str, pdu: Pdu) -> Pdu {
    let socket = support::socket_to(agent);
    socket.send(&message(Version::V2c, community, pdu).encode()).unwrap();
    support::receive(&socket).unwrap().pdu
}

/// All instances below a name by GetBulk. Each name must come behind the one before.
pub fn walk(agent: SocketAddr, below: &str) -> Result<Instances, String> {
    let root = oid(below);
    let (mut last, mut found) = (root.clone(), Instances::new());
    loop {
        let name = last.to_string();
        let answer = ask(agent, "public", support::bulk(0, 25, &[&name]));
        if answer.error_status != 0 {
            return Err(format!("error {} behind {last}", answer.error_status));
        }
        if answer.bindings.is_empty() {
            return Err(format!("nothing behind {last}"));
        }
        for binding in answer.bindings {
            let Bound::Value(value) = binding.value else { return Ok(found) };
            if !binding.name.starts_with(&root) {
                return Ok(found);
            }
            if binding.name <= last {
                return Err(format!("{} comes behind {last}", binding.name));
            }
            last = binding.name.clone();
            found.insert(binding.name, value);
        }
    }
}
