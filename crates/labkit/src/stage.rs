//! The stage of experiments whose unit is a session: an emulated [`Link`] (or the host's loopback if none can be
//! created), our agents behind it, and the credentials for every [`Protocol`].
//!
//! ```text
//!   manager's end  ====== link ======  agent's end: agents, and a separate loopback
//!   (Stand::Link)                      (Stand::Beside: the manager uses the loopback)
//! ```
//!
//! The measuring thread is at one end or the other. Over the loopback the time is that of the programs alone; over
//! the link every packet is counted, with the requested rate, delay and loss.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use trunkline_client::netconf::NetconfOptions;
use trunkline_client::netconf::protocol::compression::Algorithm;
use trunkline_client::netconf::security::Protection;
use trunkline_client::soap::SoapOptions;
use trunkline_client::{
    Credentials, Defaults, NetconfTarget, Secret, Secure, SoapTarget, Target, UsmCredentials, ssh, tls,
};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::{AuthProtocol, PrivProtocol};
use trunkline_snmp::wire::Version;

use crate::conversation::Peer;
use crate::doubt::Doubt;
use crate::error::Error;
use crate::job::ManagerEnd;
use crate::keyring::{CERTIFICATE, Keyring, PASSWORD, RSA_CERTIFICATE, USER, message_keys, usm_user};
use crate::meter::cpu::CpuMeter;
use crate::packing::Packing;
use crate::place::link::{Link, LinkOptions, LinkSpec};
use crate::processors::Apart;
use crate::protocol::{Level, Mode, Protocol, Security, SnmpVersion, Suite};
use crate::subject::{COMMUNITY, Equipment, Equipped, Files, Freshness, StartError};
use crate::transport::{self, Transport};

/// The manager's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// At the agent's end: over its loopback.
    Beside,
    /// At the link's other end.
    Link,
}

/// One of the stage's agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The agent as it ships.
    Shipped,
    /// `trunklined-lab` with integrity-only TLS.
    IntegrityOnly,
    /// `trunklined-lab` with TLS from version 1.2 on.
    Tls12,
    /// The agent as it ships, listening on one transport only: its memory is that of this transport's sessions.
    Alone(Transport),
    /// `trunklined-lab` with its clocks and its counting allocator, under a freshness policy.
    Timed(Freshness),
    /// The agent as it ships, with RSA keys of 2048 bits instead of ECDSA.
    Rsa,
    /// The agent as it ships, with NETCONF over SSH, TLS and TCP; several differ in what else they are configured to be.
    Netconf(u8),
    /// `trunklined-lab` in the same way, with its clocks in every session.
    NetconfTimed(u8),
    /// The agent as it ships, with JMX over TCP.
    Jmx,
    /// The agent as it ships, with the page for browsers.
    Browser,
}

/// The requirements of a stage.
#[derive(Debug, Clone)]
pub struct StageOptions {
    /// The agent's program, if not the default one.
    pub trunklined: Option<PathBuf>,
    /// The laboratory's agent, if not the default one.
    pub trunklined_lab: Option<PathBuf>,
    /// The number of the agent's interfaces.
    pub rows: u32,
    /// The number of sessions that it must hold.
    pub sessions: u32,
    /// The seed of the traffic through the interfaces.
    pub seed: u64,
    /// The agents.
    pub roles: Vec<Role>,
    /// Where to capture the link's traffic, if at all.
    pub capture: Option<PathBuf>,
    /// Whether the manager and the agents run on processors of their own, where there are two.
    pub apart: bool,
    /// What else the configuration of an agent has.
    pub more: Vec<(Role, String)>,
    /// The XML Schema by which libxml2 checks the requests of an agent.
    pub schemas: Vec<(Role, Files)>,
    /// Agents with clocks and NETCONF whose data must be younger than a second.
    pub brief: Vec<Role>,
    /// As whom else than ourselves we log in over SSH.
    pub users: Vec<String>,
}

/// The stage. Dropping it stops the agents and removes the link.
#[derive(Debug)]
pub struct Stage {
    // Agents are dropped before the place they run in, and that before their keys.
    agents: Vec<(Role, Equipped)>,
    ground: Ground,
    /// The interfaces of the agents' place.
    pub interfaces: u32,
    keyring: Arc<Keyring>,
    options: StageOptions,
    apart: Option<Apart>,
}

#[derive(Debug)]
enum Ground {
    Link(Box<Link>),
    Host,
}

impl Stage {
    /// Creates the place and starts the agents in it. What is unavailable becomes a doubt; without the shipped
    /// agent there is no stage.
    pub fn make(options: &StageOptions, doubts: &mut Vec<Doubt>) -> Result<Stage, Error> {
        let ground = Ground::make(options.capture.clone(), doubts);
        let keyring = Keyring::make(&[IpAddr::V4(Ipv4Addr::LOCALHOST), ground.agent_address()])?;
        Stage::on(ground, Arc::new(keyring), options, doubts)
    }

    /// Another stage with the same keys, in namespaces of its own.
    ///
    /// # Errors
    /// As [`Stage::make`].
    pub fn beside(
        keyring: &Arc<Keyring>,
        options: &StageOptions,
        doubts: &mut Vec<Doubt>,
    ) -> Result<Stage, Error> {
        Stage::on(Ground::make(None, doubts), Arc::clone(keyring), options, doubts)
    }

    fn on(
        mut ground: Ground,
        keyring: Arc<Keyring>,
        options: &StageOptions,
        doubts: &mut Vec<Doubt>,
    ) -> Result<Stage, Error> {
        if let Ground::Link(link) = &mut ground
            && let Err(error) = link.fill_agent(options.rows, options.seed)
        {
            doubts.push(Doubt::NoLink { reason: format!("of {} interfaces: {error}", options.rows) });
        }
        let interfaces = ground.interfaces();
        for user in &options.users {
            keyring.admit(user)?;
        }
        let apart = Apart::of_this_process().filter(|_| options.apart);
        let mut stage =
            Stage { agents: vec![], ground, interfaces, keyring, options: options.clone(), apart };
        for &role in &options.roles {
            match stage.start(role, options) {
                Ok((agent, mut said)) => {
                    doubts.append(&mut said);
                    if agent.is_debug {
                        doubts.push(Doubt::DebugBuild { program: agent.description.clone() });
                    }
                    stage.agents.push((role, agent));
                }
                Err(source) if role == Role::Shipped => {
                    return Err(Error::Start { option: "trunklined", source });
                }
                Err(error) => {
                    doubts.push(Doubt::AgentLeftOut { what: role.what().into(), reason: error.to_string() });
                }
            }
        }
        // The link's own threads run wherever there is room.
        Apart::stay_as_manager(stage.apart);
        Ok(stage)
    }

    /// Starts an agent with all its transports; if it lacks one of the secure ones, starts it without.
    fn start(&self, role: Role, options: &StageOptions) -> Result<(Equipped, Vec<Doubt>), StartError> {
        let mut doubts = Vec::new();
        let mut equipment = Equipment {
            program: role.program(options),
            sessions: options.sessions,
            mode: role.mode(),
            certificate: if role == Role::Rsa { RSA_CERTIFICATE } else { CERTIFICATE },
            freshness: match role {
                Role::Timed(freshness) => Some(freshness),
                Role::NetconfTimed(_) if options.brief.contains(&role) => Some(Freshness::Brief),
                Role::NetconfTimed(_) => Some(Freshness::MaxAge),
                _ => None,
            },
            netconf: role.netconf().to_vec(),
            jmx: role == Role::Jmx,
            browser: role == Role::Browser,
            schema: options.schemas.iter().find(|(of, _)| *of == role).map_or(&[][..], |(_, files)| files),
            more: options.more.iter().filter(|(of, _)| *of == role).map(|(_, text)| &**text).collect(),
            ..Equipment::new(&self.keyring, self.ground.listen_address(), role.transports())
        };
        loop {
            let program = equipment.program.clone().unwrap_or_else(|| "trunklined".into());
            let wanted = equipment.clone();
            let error = match self.ground.start(program, self.apart, move || wanted.start()) {
                Ok(agent) => return Ok((agent, doubts)),
                Err(error) => error,
            };
            let last = equipment.transports.last().copied();
            let refused = matches!(error, StartError::Ended { .. });
            match last
                .filter(|it| refused && !transport::PLAIN.contains(it) && equipment.transports.len() > 1)
            {
                Some(transport) => {
                    equipment.transports.pop();
                    let what = format!("{transport} ({})", role.what());
                    doubts.push(Doubt::AgentLeftOut { what, reason: error.to_string() });
                }
                None => return Err(error),
            }
        }
    }

    /// The keys of both sides.
    pub fn keyring(&self) -> &Arc<Keyring> {
        &self.keyring
    }

    /// The link, if there is one.
    pub fn link(&self) -> Option<&Link> {
        match &self.ground {
            Ground::Link(link) => Some(link),
            Ground::Host => None,
        }
    }

    /// Moves the calling thread to the manager's position. `false` if there is no such position.
    pub fn stand(&self, stand: Stand) -> Result<bool, Error> {
        let moved = match (&self.ground, stand) {
            (Ground::Link(link), Stand::Beside) => link.agent().enter(),
            (Ground::Link(link), Stand::Link) => link.manager().enter(),
            (Ground::Host, Stand::Beside) => Ok(()),
            (Ground::Host, Stand::Link) => return Ok(false),
        };
        moved.map_err(|source| Error::System { what: "cannot enter the network namespace", source })?;
        Ok(true)
    }

    /// The agent in a role, if it could be started.
    pub fn agent(&self, role: Role) -> Option<&Equipped> {
        self.agents.iter().find(|(known, _)| *known == role).map(|(_, agent)| agent)
    }

    /// The first agent that could be started.
    pub fn first(&self) -> Option<&Equipped> {
        self.agents.first().map(|(_, agent)| agent)
    }

    /// Whether all agents still run.
    ///
    /// # Errors
    /// One of them has ended.
    pub fn still_runs(&self) -> Result<(), Error> {
        self.agents.iter().try_for_each(|(_, agent)| agent.still_runs())
    }

    /// Starts another agent in a role, which nothing was asked of yet.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn fresh(&self, role: Role) -> Result<Equipped, StartError> {
        self.start(role, &self.options).map(|(agent, _)| agent)
    }

    /// Starts a foreign agent next to ours.
    pub fn start_beside<T: Send + 'static>(
        &self,
        start: impl FnOnce() -> Result<T, StartError> + Send + 'static,
    ) -> Result<T, StartError> {
        self.ground.start("a thread in the agent's namespace".into(), self.apart, start)
    }

    /// The address of an agent's HTTP listener, as seen from the manager's position.
    pub fn http(&self, role: Role, stand: Stand) -> Option<SocketAddr> {
        let host = self.host(stand);
        Some(SocketAddr::new(host, self.agent(role)?.port(Transport::Http)?))
    }

    /// How many processors the agents can use.
    pub fn processors_of_agents(&self) -> u32 {
        Apart::of_agents(self.apart)
    }

    /// A meter of an agent's CPU time.
    pub fn cpu(&self, role: Role) -> Option<CpuMeter> {
        CpuMeter::new(self.agent(role)?.pid()).ok()
    }

    /// The peer of a protocol's sessions, as seen from the manager's position.
    ///
    /// # Errors
    /// As [`Stage::target`].
    pub fn peer(
        &self,
        protocol: Protocol,
        role: Role,
        stand: Stand,
        secrets: Secrets,
        manager: ManagerEnd,
    ) -> Result<Peer, String> {
        if protocol.version == SnmpVersion::Netconf {
            let target = self.netconf(role, protocol.transport, stand, USER)?;
            let compression = (manager.packing == Packing::Zlib).then_some(Algorithm::Zlib);
            let keys = (protocol.security == Security::Message)
                .then(|| message_keys(USER, Protection::default()))
                .transpose()?;
            let options = NetconfOptions::default().with_compression(compression).with_keys(keys);
            return Ok(Peer::Netconf(Box::new(target), options));
        }
        if protocol.version != SnmpVersion::Soap {
            let mut target = self.target(protocol, role, stand, secrets, manager)?;
            target.http.compress = manager.packing == Packing::Gzip;
            return Ok(Peer::Snmp(Box::new(target)));
        }
        let defaults = Defaults::default()
            .with_community(COMMUNITY.as_bytes().to_vec())
            .with_secure(self.secure(protocol, manager)?);
        let url = format!("soap+{}", self.place(protocol, role, stand)?);
        SoapTarget::parse(&url, &defaults)
            .map(|it| {
                let compressed = manager.packing == Packing::Gzip;
                // Lean rows, which are the manager's default.
                Peer::Soap(Box::new(it), SoapOptions::default().with_compression(compressed))
            })
            .map_err(|error| error.to_string())
    }

    /// A target for NETCONF, as a user: over TLS always as ourselves, over TCP as whoever knows our community.
    ///
    /// # Errors
    /// As [`Stage::target`].
    pub fn netconf(
        &self,
        role: Role,
        transport: Transport,
        stand: Stand,
        user: &str,
    ) -> Result<NetconfTarget, String> {
        let agent = self.agent(role).ok_or_else(|| format!("there is no agent: {}", role.what()))?;
        let port = agent.netconf_port(transport);
        let port = port.ok_or_else(|| format!("the agent has no NETCONF over {transport}"))?;
        let in_session = Protocol::session(SnmpVersion::Netconf, transport, Mode::Secure);
        let defaults = Defaults::default().with_secure(self.secure(in_session, ManagerEnd::default())?);
        let scheme = match transport {
            Transport::Tls => "netconf+tls",
            Transport::Tcp => "netconf+tcp",
            _ => "netconf",
        };
        let place = SocketAddr::new(self.host(stand), port);
        let target = NetconfTarget::parse(&format!("{scheme}://{place}"), &defaults);
        let target = target.map_err(|error| error.to_string())?;
        Ok(if transport == Transport::Ssh { target.with_login(Some(user.to_owned())) } else { target })
    }

    fn host(&self, stand: Stand) -> IpAddr {
        match stand {
            Stand::Beside => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Stand::Link => self.ground.agent_address(),
        }
    }

    /// A transport's scheme with the address of an agent: `tcp://127.0.0.1:1161`.
    fn place(&self, protocol: Protocol, role: Role, stand: Stand) -> Result<String, String> {
        let agent = self.agent(role).ok_or_else(|| format!("there is no agent: {}", role.what()))?;
        let port = agent.port(protocol.transport).ok_or_else(|| {
            format!("the agent does not listen on {} ({})", protocol.transport, role.what())
        })?;
        let host = match stand {
            Stand::Beside => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Stand::Link => self.ground.agent_address(),
        };
        let scheme = protocol.transport.to_string().to_lowercase();
        Ok(format!("{scheme}://{}", SocketAddr::new(host, port)))
    }

    /// The target of a protocol at an agent, as seen from the manager's position: resolves names and reads
    /// certificates and keys.
    ///
    /// # Errors
    /// In words: which agent is missing, or what cannot be read.
    pub fn target(
        &self,
        protocol: Protocol,
        role: Role,
        stand: Stand,
        secrets: Secrets,
        manager: ManagerEnd,
    ) -> Result<Target, String> {
        let mut defaults = Defaults::default()
            .with_community(COMMUNITY.as_bytes().to_vec())
            .with_secure(self.secure(protocol, manager)?);
        if protocol.security == Security::Session(Mode::IntegrityOnly) {
            defaults.tsm.level = SecurityLevel::AuthNoPriv;
        }
        let url = format!("snmp+{}", self.place(protocol, role, stand)?);
        let mut target = Target::parse(&url, &defaults).map_err(|error| error.to_string())?;
        match protocol.security {
            Security::Usm(level, suite) => {
                target.credentials = usm(level, suite, secrets).map_err(|error| error.to_string())?.into();
            }
            Security::Community => {
                target.credentials =
                    Credentials::community(wire_version(protocol.version), COMMUNITY.as_bytes());
            }
            Security::Session(_) if protocol.version != SnmpVersion::V3 => {
                target.credentials =
                    Credentials::community(wire_version(protocol.version), COMMUNITY.as_bytes());
            }
            // The default of sessions: SNMPv3 as the principal that the session authenticates.
            Security::Session(_) | Security::Message => {}
        }
        Ok(target)
    }

    /// Our identity and trust anchors for a session. Each session is a full handshake unless `manager` says
    /// otherwise.
    fn secure(&self, protocol: Protocol, manager: ManagerEnd) -> Result<Option<Arc<Secure>>, String> {
        let path = |name: &str| self.keyring.path(name);
        let secure = match protocol.transport {
            Transport::Udp | Transport::Tcp | Transport::Http => return Ok(None),
            Transport::Tls | Transport::Dtls | Transport::Https => {
                let identity = tls::Identity::from_files(&path("manager.pem"), &path("manager.key"));
                let trust =
                    tls::Trust::builder().authorities_file(&path("ca.pem")).map(tls::TrustBuilder::build);
                let identity = identity.map_err(|error| error.to_string())?;
                let trust = trust.map_err(|error| error.to_string())?;
                let mut config = tls::TlsClientConfig::new(Some(Arc::new(identity)), Arc::new(trust));
                config.resume = manager.resume;
                if let Security::Session(Mode::Tls12 | Mode::IntegrityOnly) = protocol.security {
                    config.versions =
                        tls::Versions { lowest: tls::TlsVersion::V1_2, highest: tls::TlsVersion::V1_2 };
                }
                if protocol.security == Security::Session(Mode::IntegrityOnly) {
                    config.suites = tls::Suites::IntegrityOnly;
                }
                let client = tls::TlsClient::new(&config).map_err(|error| error.to_string())?;
                Secure::new().with_tls(Arc::new(client), None)
            }
            Transport::Ssh => {
                let ciphers = ssh::SshAlgorithms::default().with_ciphers(&[SSH_CIPHER]);
                let key =
                    ssh::SshPrivateKey::load(&path("lab.key"), || None).map_err(|error| error.to_string())?;
                let client = ssh::SshClient {
                    user: USER.into(),
                    identities: vec![ssh::Identity::Key(key)],
                    hosts: ssh::HostTrust::Fingerprints(vec![self.keyring.host_fingerprint().to_owned()]),
                    options: ssh::SshOptions {
                        nodelay: manager.nodelay,
                        window_updates: match manager.eager_window {
                            true => ssh::WindowUpdates::EachTime,
                            false => ssh::WindowUpdates::WhenNeeded,
                        },
                        algorithms: ciphers.map_err(|error| error.to_string())?,
                        ..ssh::SshOptions::default()
                    },
                };
                Secure::new().with_ssh(Arc::new(client))
            }
        };
        Ok(Some(Arc::new(secure)))
    }

    /// The place in a sentence.
    pub fn description(&self) -> String {
        let apart = if self.options.apart { Apart::describe(self.apart) } else { "" };
        let place = match &self.ground {
            Ground::Link(_) => format!(
                "two network namespaces joined by an emulated link; the agent's has {} interfaces. Times without delay or \
                 loss are taken over the agent's loopback, packets and octets on the link",
                self.interfaces
            ),
            Ground::Host => format!("the host's loopback, {} interfaces", self.interfaces),
        };
        place + apart
    }
}

/// The source of a user's keys in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// Master keys made in advance: the password was hashed once, as in a long-running manager.
    Ready,
    /// The password, hashed in each session, as in a command.
    Hashed,
}

impl Ground {
    fn make(capture: Option<PathBuf>, doubts: &mut Vec<Doubt>) -> Ground {
        // Processors kept awake would not be idle for the measured programs.
        let options = LinkOptions { awake: false, capture, ..LinkOptions::new(LinkSpec::default()) };
        match Link::open_with(options) {
            Ok(link) => Ground::Link(Box::new(link)),
            Err(error) => {
                doubts.push(Doubt::NoLink { reason: error.to_string() });
                Ground::Host
            }
        }
    }

    /// The agent's address, as seen from the link's other end.
    fn agent_address(&self) -> IpAddr {
        match self {
            Ground::Link(link) => IpAddr::V4(link.agent().address()),
            Ground::Host => IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }

    fn listen_address(&self) -> IpAddr {
        match self {
            Ground::Link(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Ground::Host => IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }

    fn interfaces(&self) -> u32 {
        let counted = match self {
            Ground::Link(link) => link.agent().interfaces(),
            Ground::Host => crate::place::interfaces_here(),
        };
        counted.unwrap_or(0)
    }

    /// Starts a program on the agents' side: in their namespace and on their processors.
    fn start<T: Send + 'static>(
        &self,
        program: PathBuf,
        apart: Option<Apart>,
        start: impl FnOnce() -> Result<T, StartError> + Send + 'static,
    ) -> Result<T, StartError> {
        // On the thread that starts it, whose processors it inherits.
        let start = move || Apart::as_agents(apart, start);
        match self {
            Ground::Host => start(),
            Ground::Link(link) => {
                let started = link.agent().start(start);
                started.unwrap_or_else(|source| Err(StartError::Start { program, source }))
            }
        }
    }
}

impl Role {
    const fn what(self) -> &'static str {
        match self {
            Role::Shipped => "the agent as it ships",
            Role::IntegrityOnly => "TLS with integrity alone (trunklined-lab)",
            Role::Tls12 => "TLS 1.2 (trunklined-lab)",
            Role::Alone(_) => "the agent as it ships, with one transport",
            Role::Rsa => "the agent as it ships, with RSA keys",
            Role::Timed(_) | Role::NetconfTimed(_) => "times inside the agent (trunklined-lab)",
            Role::Netconf(_) => "the agent as it ships, with NETCONF",
            Role::Jmx => "the agent as it ships, with JMX",
            Role::Browser => "the agent as it ships, with the page for browsers",
        }
    }

    fn program(self, options: &StageOptions) -> Option<PathBuf> {
        match self {
            Role::Shipped | Role::Alone(_) | Role::Rsa | Role::Netconf(_) | Role::Jmx | Role::Browser => {
                options.trunklined.clone()
            }
            Role::IntegrityOnly | Role::Tls12 | Role::Timed(_) | Role::NetconfTimed(_) => {
                let beside = || {
                    let us = std::env::current_exe().ok()?;
                    Some(us.parent()?.join("trunklined-lab"))
                };
                options.trunklined_lab.clone().or_else(beside).or_else(|| Some("trunklined-lab".into()))
            }
        }
    }

    /// What its TLS does with messages.
    const fn mode(self) -> Mode {
        match self {
            Role::IntegrityOnly => Mode::IntegrityOnly,
            Role::Tls12 => Mode::Tls12,
            Role::Shipped
            | Role::Alone(_)
            | Role::Timed(_)
            | Role::Rsa
            | Role::Netconf(_)
            | Role::NetconfTimed(_)
            | Role::Jmx
            | Role::Browser => Mode::Secure,
        }
    }

    const fn netconf(self) -> &'static [Transport] {
        match self {
            Role::Netconf(_) | Role::NetconfTimed(_) => &[Transport::Ssh, Transport::Tls, Transport::Tcp],
            _ => &[],
        }
    }

    const fn transports(self) -> &'static [Transport] {
        match self {
            Role::Shipped => &[
                Transport::Udp,
                Transport::Tcp,
                Transport::Tls,
                Transport::Dtls,
                Transport::Ssh,
                Transport::Http,
                Transport::Https,
            ],
            Role::IntegrityOnly | Role::Tls12 | Role::Alone(Transport::Tls) => &[Transport::Tls],
            Role::Timed(_) | Role::Netconf(_) | Role::NetconfTimed(_) => &[Transport::Udp, Transport::Http],
            // An agent always has a listener of SNMP.
            Role::Rsa => &[Transport::Udp, Transport::Https],
            Role::Jmx => &[Transport::Udp],
            Role::Browser => &[Transport::Udp, Transport::Http, Transport::Https],
            Role::Alone(Transport::Udp) => &[Transport::Udp],
            Role::Alone(Transport::Tcp) => &[Transport::Tcp],
            Role::Alone(Transport::Dtls) => &[Transport::Dtls],
            Role::Alone(Transport::Ssh) => &[Transport::Ssh],
            Role::Alone(Transport::Http) => &[Transport::Http],
            Role::Alone(Transport::Https) => &[Transport::Https],
        }
    }
}

impl Protocol {
    /// The role of the agent that serves it.
    pub const fn role(&self) -> Role {
        match self.security {
            _ if matches!(self.version, SnmpVersion::Netconf) => Role::Netconf(0),
            Security::Session(Mode::IntegrityOnly) => Role::IntegrityOnly,
            Security::Session(Mode::Tls12) => Role::Tls12,
            _ => Role::Shipped,
        }
    }
}

/// The user of a pair of algorithms at a level.
fn usm(
    level: Level,
    suite: Suite,
    secrets: Secrets,
) -> Result<UsmCredentials, trunkline_snmp::usm::CredentialsError> {
    let (auth, privacy) = match suite {
        Suite::Modern => (AuthProtocol::Sha256, PrivProtocol::Aes128),
        Suite::Md5Des => (AuthProtocol::Md5, PrivProtocol::Des),
        Suite::Md5Aes => (AuthProtocol::Md5, PrivProtocol::Aes128),
    };
    let secret = || Secret::password(PASSWORD.as_bytes());
    let user = UsmCredentials::new(usm_user(suite).as_bytes())?.with_auth(auth, secret())?;
    let user = user.with_privacy(privacy, secret())?;
    let made = if secrets == Secrets::Ready { user.made()? } else { None };
    let user = made.map_or(user, |made| UsmCredentials::from_made(&made));
    let level = match level {
        Level::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
        Level::AuthNoPriv => SecurityLevel::AuthNoPriv,
        Level::AuthPriv => SecurityLevel::AuthPriv,
    };
    // The user has keys for every level.
    Ok(user.clone().with_level(level).unwrap_or(user))
}

const fn wire_version(version: SnmpVersion) -> Version {
    match version {
        SnmpVersion::V1 => Version::V1,
        // SOAP and NETCONF have none; here it means communities.
        SnmpVersion::V2c | SnmpVersion::Soap | SnmpVersion::Netconf => Version::V2c,
        SnmpVersion::V3 => Version::V3,
    }
}

/// SSH's counterpart of AES-128 with a MAC.
const SSH_CIPHER: &str = "aes128-gcm@openssh.com";
