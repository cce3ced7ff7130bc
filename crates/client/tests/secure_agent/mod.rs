//! An agent of a few instances that is served over TLS, DTLS or SSH, and the certificates and keys of both ends.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tempfile::TempDir;
use tokio::task::JoinHandle;
use trunkline_client::{ListenUrl, Secure};
use trunkline_pki::{
    Authority, AuthorityOptions, Issued, LeafOptions, Name, Revoked, Role, SshKey, Validity,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::engine::{
    Engine, EngineOptions, Handlers, Incoming, SecurityName, TransportDomain, TransportState,
};
use trunkline_snmp::usm::{AuthProtocol, Credentials, EngineBoots, EngineClock, EngineId, UserTable};
use trunkline_snmp::wire::{MAX_MESSAGE_SIZE, Message, Pdu, PduKind, Version, frame_length};
use trunkline_snmp::{Counters, SecurityLevel};
use trunkline_transport::dtls::{DtlsConfig, DtlsLimits, DtlsServer};
use trunkline_transport::ssh::{
    HostKeys, HostTrust, Identity as SshIdentity, SshClient, SshGreeter, SshOptions, SshPrivateKey,
    SshServer, SshServerOptions, SshUser, SshUsers, UnknownHost,
};
use trunkline_transport::tcp::{FrameError, Messages, TcpLimits, TcpServer};
use trunkline_transport::tls::{
    Fingerprint, HashAlgorithm, Identity, ServerIdentity, TlsClient, TlsClientConfig, TlsGreeter, TlsServer,
    TlsServerConfig, Trust,
};
use trunkline_transport::{Proof, Refused, Reply, SessionHandler, SessionInfo, Subsystems, Transport};

use crate::common::{answer, oid, table};

/// A place on loopback.
pub fn over(transport: Transport) -> ListenUrl {
    format!("{}://127.0.0.1:0", transport.name()).parse().unwrap()
}

/// An authority, an agent on 127.0.0.1, the manager ann, and the same for SSH.
pub struct Keys {
    authority: Authority,
    agent: Issued,
    manager: Issued,
    home: TempDir,
}

impl Keys {
    pub fn new() -> Self {
        Self::of("Test")
    }

    /// Keys from an authority of this name.
    pub fn of(name: &str) -> Self {
        let authority = Authority::create(&AuthorityOptions::named(Name::new(name).unwrap())).unwrap();
        let issue = |role, name: &str| {
            authority.issue(role, &Name::new(name).unwrap(), &LeafOptions::default()).unwrap()
        };
        let (agent, manager) = (issue(Role::Agent, "127.0.0.1"), issue(Role::Manager, "ann"));
        let home = TempDir::new().unwrap();
        let key = SshKey::create(&Name::new("ann").unwrap()).unwrap();
        std::fs::write(home.path().join("id"), key.private().unwrap().as_bytes()).unwrap();
        std::fs::write(home.path().join("ann.pub"), key.public().unwrap()).unwrap();
        HostKeys::load_or_create(&home.path().join("host")).unwrap();
        Keys { authority, agent, manager, home }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn agent(&self) -> Identity {
        identity(&self.agent)
    }

    /// The agent's expired certificate.
    pub fn expired(&self) -> Identity {
        let now = Validity::days(1).unwrap();
        let year = std::time::Duration::from_secs(365 * 86_400);
        let validity = Validity { not_before: now.not_before - year, not_after: now.not_after - year };
        let options = LeafOptions { validity: Some(validity), ..LeafOptions::default() };
        identity(&self.authority.agent(&Name::new("127.0.0.1").unwrap(), &options).unwrap())
    }

    pub fn agent_fingerprint(&self) -> Fingerprint {
        self.agent().fingerprint(HashAlgorithm::Sha256)
    }

    pub fn trust(&self) -> Trust {
        self.trusting().build()
    }

    fn trusting(&self) -> trunkline_transport::tls::TrustBuilder {
        Trust::builder().authorities_pem(self.authority.certificate().to_pem().as_bytes()).unwrap()
    }

    /// Ann, who trusts the authority and knows the host key.
    pub fn manager(&self) -> Secure {
        let ssh = self.client(SshIdentity::Key(self.ssh_key()), self.known());
        self.with_tls(self.trust(), None).with_ssh(Arc::new(ssh))
    }

    /// The same, trusting this server only.
    pub fn manager_towards(&self, server: ServerIdentity) -> Secure {
        self.with_tls(self.trust(), Some(server))
    }

    /// The same, trusting another authority.
    pub fn manager_who_trusts(&self, others: &Keys) -> Secure {
        self.with_tls(others.trust(), None)
    }

    /// The same, with the agent's certificate revoked.
    pub fn manager_with_revocation(&self) -> Secure {
        let revoked = Revoked {
            serial: self.agent.certificate().serial().to_vec(),
            since: Validity::days(1).unwrap().not_before,
        };
        let list = self.authority.revocation_list(&[revoked], 1, None).unwrap();
        self.with_tls(self.trusting().revocation_lists_pem(list.as_bytes()).unwrap().build(), None)
    }

    fn with_tls(&self, trust: Trust, server: Option<ServerIdentity>) -> Secure {
        let config = TlsClientConfig::new(Some(Arc::new(identity(&self.manager))), Arc::new(trust));
        Secure::new().with_tls(Arc::new(TlsClient::new(&config).unwrap()), server)
    }

    fn ssh_key(&self) -> SshPrivateKey {
        SshPrivateKey::load(&self.file("id"), || None).unwrap()
    }

    fn known(&self) -> HostTrust {
        HostTrust::Fingerprints(HostKeys::load(&self.file("host")).unwrap().fingerprints())
    }

    fn client(&self, identity: SshIdentity, hosts: HostTrust) -> SshClient {
        SshClient { user: "ann".into(), identities: vec![identity], hosts, options: SshOptions::default() }
    }

    pub fn ssh_as(&self, identity: SshIdentity) -> Secure {
        Secure::new().with_ssh(Arc::new(self.client(identity, self.known())))
    }

    pub fn ssh_without_hosts(&self) -> Secure {
        let hosts = HostTrust::KnownHosts {
            own: self.file("known_hosts"),
            others: Vec::new(),
            unknown: UnknownHost::Refuse,
        };
        Secure::new().with_ssh(Arc::new(self.client(SshIdentity::Key(self.ssh_key()), hosts)))
    }

    pub fn server(&self, identity: Identity) -> TlsServerConfig {
        TlsServerConfig::new(Arc::new(identity), Arc::new(self.trust()))
    }

    pub fn ssh_server(&self) -> SshServer {
        let ann = SshUser { name: "ann".into(), authorized_keys: Some(self.file("ann.pub")), password: None };
        let users: SshUsers = [ann].into_iter().collect();
        let options =
            SshServerOptions { failure_time: std::time::Duration::ZERO, ..SshServerOptions::default() };
        SshServer::new(HostKeys::load(&self.file("host")).unwrap(), users, options)
    }
}

fn identity(issued: &Issued) -> Identity {
    Identity::from_pem(issued.chain_pem().as_bytes(), issued.key_pem().as_bytes()).unwrap()
}

/// A running agent, stopped on drop.
pub struct Agent {
    pub transport: Transport,
    pub port: u16,
    serving: JoinHandle<()>,
    inside: Arc<Inside>,
    host_key: String,
}

struct Inside {
    engine: Engine,
    tree: BTreeMap<Oid, Value>,
    counters: Counters,
    asked_by: Mutex<Vec<Vec<u8>>>,
}

impl Agent {
    pub async fn start(transport: Transport, keys: &Keys, port: u16) -> Self {
        Self::serve(transport, keys, keys.agent(), port).await
    }

    pub async fn start_with(transport: Transport, keys: &Keys, identity: Identity) -> Self {
        Self::serve(transport, keys, identity, 0).await
    }

    async fn serve(transport: Transport, keys: &Keys, identity: Identity, port: u16) -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let inside = Arc::new(Inside::new());
        let handler = Arc::new(Handler(inside.clone()));
        let limits = TcpLimits::default();
        let (port, serving) = match transport {
            Transport::Dtls => {
                let config = Arc::new(DtlsConfig::new(&keys.server(identity)).unwrap());
                let server =
                    retried(|| DtlsServer::bind(address, config.clone(), DtlsLimits::default())).await;
                (server.local_addr().port(), tokio::spawn(async move { drop(server.serve(handler).await) }))
            }
            Transport::Tls => {
                let tls = Arc::new(TlsServer::new(&keys.server(identity)).unwrap());
                let greeter = TlsGreeter::new(tls, Messages::new(handler, framed));
                let server = retried(|| TcpServer::bind(address)).await;
                let port = server.local_addr().port();
                (port, tokio::spawn(async move { drop(server.serve(greeter, limits).await) }))
            }
            _ => {
                let subsystems = Subsystems::of("snmp", Messages::new(handler, framed));
                let greeter = SshGreeter::new(Arc::new(keys.ssh_server()), subsystems);
                let server = retried(|| TcpServer::bind(address)).await;
                let port = server.local_addr().port();
                (port, tokio::spawn(async move { drop(server.serve(greeter, limits).await) }))
            }
        };
        let host_key = HostKeys::load(&keys.file("host")).unwrap().fingerprints().remove(0);
        Agent { transport, port, serving, inside, host_key }
    }

    /// The principals of the requests since the last call.
    pub fn asked_by(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut *self.inside.asked_by.lock().unwrap())
    }

    pub fn host_key(&self) -> String {
        self.host_key.clone()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A port that a task has just closed becomes free after a moment.
async fn retried<T, E: std::fmt::Debug>(bind: impl Fn() -> Result<T, E>) -> T {
    loop {
        match bind() {
            Ok(bound) => return bound,
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

impl Inside {
    fn new() -> Self {
        let id = EngineId::generate(8072, *b"a real agent");
        let engine = Engine::new(EngineOptions {
            id,
            clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
            max_size: 65_507,
            handlers: Handlers::RESPONDER,
            remote_engines: 1,
            entropy: 3,
        });
        engine.set_community_over_transport(true);
        let bob = Credentials::from_passwords(b"bob", Some((AuthProtocol::Sha256, b"maplesyrup")), None);
        let mut users = UserTable::new();
        users.insert(bob.unwrap().localize(&id).unwrap());
        engine.set_users(users);
        let mut tree = table(3, 10);
        tree.insert(oid("1.3.6.1.6.3.10.2.1.1.0"), Value::OctetString(id.as_bytes().to_vec()));
        Inside { engine, tree, counters: Counters::default(), asked_by: Mutex::default() }
    }

    fn answer(&self, octets: &[u8], over: Option<&TransportState>) -> Option<Vec<u8>> {
        let (mut plain, mut out) = (Vec::new(), Vec::new());
        let now = Instant::now();
        match self.engine.receive(octets, &mut plain, &mut out, now, over, |_| None, &self.counters) {
            Incoming::Request(request) => {
                let is_v3 = request.version == Version::V3;
                let ours = [self.engine.id().as_bytes(), EngineId::LOCAL.as_bytes()];
                assert!(!is_v3 || ours.contains(&request.context_engine_id), "the engine takes no others");
                self.asked_by.lock().unwrap().push(request.security_name().to_vec());
                let pdu = request.pdu.to_pdu().unwrap();
                let asked = Message { version: Version::V2c, community: Vec::new(), pdu }.encode();
                let pdu = Pdu { kind: PduKind::Response, ..answer(&self.tree, &asked).pdu };
                let mut buf = Vec::new();
                let message = request.reply().header.encode(&pdu, MAX_MESSAGE_SIZE, &mut buf)?;
                Some(buf[message].to_vec())
            }
            Incoming::Report { reply, .. } => Some(out[reply].to_vec()),
            Incoming::TrapV1(_) | Incoming::Drop(_) => None,
        }
    }
}

struct Handler(Arc<Inside>);

impl SessionHandler for Handler {
    type Session = Option<TransportState>;

    fn open(&self, info: &SessionInfo) -> Result<Arc<Self::Session>, Refused> {
        let (name, domain) = match &info.proof {
            Proof::User(name) => (SecurityName::new(name.as_bytes()), TransportDomain::Ssh),
            // The agent maps the certificate to a principal; here there is only one.
            Proof::Certificates(_) => (SecurityName::new(b"ann"), TransportDomain::Tls),
            Proof::Nothing => return Ok(Arc::new(None)),
        };
        let name = name.map_err(|_| Refused)?;
        Ok(Arc::new(Some(TransportState::new(domain, name, SecurityLevel::AuthPriv, 1))))
    }

    async fn handle(&self, message: Vec<u8>, session: &Arc<Self::Session>) -> Reply {
        self.0.answer(&message, (**session).as_ref()).into()
    }
}

fn framed(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    frame_length(octets).map_err(|_| FrameError)
}
