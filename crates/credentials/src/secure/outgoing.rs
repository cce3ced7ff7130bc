//! The agent's identity in the sessions that it opens: to receivers of notifications and other agents. For TLS
//! and DTLS it is its certificate, for SSH the key that is its host key too.

use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use trunkline_client::Secure;
use trunkline_snmp::engine::transport::Fingerprint;
use trunkline_transport::ssh::{HostTrust, Identity, SshClient, SshOptions, SshPrivateKey, UnknownHost};
use trunkline_transport::tls::{ServerIdentity, TlsClient, TlsClientConfig};
use trunkline_transport::{Transport, tls};

use super::{SecureError, host_key_file};
use trunkline_config::{Certificates, MemberPlan, Plan, SnmpPlan, SshPlan, TlsPlan, TlsServer};

/// The agent's identity in the sessions that it opens.
#[derive(Default)]
pub struct Outgoing {
    tls: Option<(Arc<TlsClient>, Certificates)>,
    /// For subscribers over HTTPS: the certificates of HTTP, if it has its own.
    web: Option<Arc<TlsClient>>,
    ssh: Option<Arc<SshClient>>,
    /// The settings that it was made from.
    plans: (TlsPlan, Option<TlsPlan>, SshPlan),
}

/// Why the agent cannot open a session.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its credentials.
    #[error(transparent)]
    Secure(#[from] SecureError),
    /// The session.
    #[error(transparent)]
    Session(#[from] trunkline_client::Error),
}

/// The same as of now: a reload puts another one in.
pub type OutgoingNow = Arc<ArcSwap<Outgoing>>;

/// The file in the state directory of hosts that are known by their keys.
const KNOWN_HOSTS: &str = "ssh_known_hosts";

/// Hosts that all users of this machine know.
const SYSTEM_KNOWN_HOSTS: &str = "/etc/ssh/ssh_known_hosts";

impl Outgoing {
    /// From a configuration. The SSH key is generated if there is none and there is a target over SSH.
    ///
    /// # Errors
    /// Certificates or keys that cannot be used.
    pub fn of(plan: &Plan, state: &Path) -> Result<Self, SecureError> {
        let over_ssh = |transport| transport == Transport::Ssh;
        let targets = plan.snmp.targets.iter().map(|target| target.address.transport);
        let proxies = plan.proxies.iter().map(|proxy| proxy.address.transport);
        let members = plan.groups.iter().flat_map(|group| &group.members);
        if targets.chain(proxies).any(over_ssh) || members.into_iter().any(MemberPlan::is_over_ssh) {
            super::host_keys(&plan.snmp, state)?;
        }
        Self::of_keys_there(plan, state)
    }

    /// The same, without an SSH key if there is none: nothing is generated.
    ///
    /// # Errors
    /// Certificates or keys that cannot be used.
    pub fn of_keys_there(plan: &Plan, state: &Path) -> Result<Self, SecureError> {
        let tls = client(&plan.snmp.tls)?;
        let web = match &plan.http.tls {
            Some(own) => client(own)?.map(|(client, _)| client),
            None => tls.as_ref().map(|(client, _)| client.clone()),
        };
        let plans = (plan.snmp.tls.clone(), plan.http.tls.clone(), plan.snmp.ssh.clone());
        Ok(Self { tls, web, ssh: ssh(&plan.snmp, state)?, plans })
    }

    /// Whether another one would do nothing else.
    pub fn is_like(&self, other: &Self) -> bool {
        self.plans == other.plans && self.ssh.is_some() == other.ssh.is_some()
    }

    /// For a target: the identity that TLS and DTLS require there, if configured.
    pub fn towards(&self, server: Option<&TlsServer>) -> Result<Arc<Secure>, SecureError> {
        let mut secure = Secure::new();
        if let Some((client, _)) = &self.tls {
            let identity = server.map(identity).transpose()?;
            secure = secure.with_tls(client.clone(), identity);
        }
        if let Some(client) = &self.ssh {
            secure = secure.with_ssh(client.clone());
        }
        Ok(Arc::new(secure))
    }

    /// The same for one who logs in with a password: without our certificate, since agents accept one proof.
    pub fn towards_login(&self, server: Option<&TlsServer>) -> Result<Arc<Secure>, SecureError> {
        let Some((_, certificates)) = &self.tls else { return self.towards(server) };
        let config = TlsClientConfig::new(None, certificates.trust.clone());
        let identity = server.map(identity).transpose()?;
        Ok(Arc::new(Secure::new().with_tls(Arc::new(TlsClient::new(&config)?), identity)))
    }

    /// For subscribers over HTTPS; `None`: the configuration has no certificates.
    pub fn web(&self) -> Option<Arc<TlsClient>> {
        self.web.clone()
    }

    /// Whether this is the fingerprint of our certificate (snmpTlstmParamsClientFingerprint).
    pub fn has(&self, fingerprint: &Fingerprint) -> bool {
        let first =
            self.tls.as_ref().and_then(|(_, certificates)| certificates.identity.certificates().next());
        first.is_some_and(|certificate| fingerprint.matches(certificate))
    }
}

/// A client with this certificate and these trust anchors.
fn client(plan: &TlsPlan) -> Result<Option<(Arc<TlsClient>, Certificates)>, SecureError> {
    if plan.certificate.is_none() {
        return Ok(None);
    }
    let certificates = Certificates::of(plan)?;
    let config = TlsClientConfig::new(Some(certificates.identity.clone()), certificates.trust.clone());
    Ok(Some((Arc::new(TlsClient::new(&config)?), certificates)))
}

fn identity(server: &TlsServer) -> Result<ServerIdentity, SecureError> {
    Ok(match server {
        TlsServer::Fingerprint(fingerprint) => {
            ServerIdentity::Fingerprint(tls::Fingerprint::from_octets(&fingerprint.to_octets())?)
        }
        TlsServer::Identity(name) => ServerIdentity::Name(name.as_str().into()),
    })
}

/// If there is a key: managers may add targets over SSH at any time.
fn ssh(plan: &SnmpPlan, state: &Path) -> Result<Option<Arc<SshClient>>, SecureError> {
    let file = host_key_file(plan, state);
    if !file.exists() {
        return Ok(None);
    }
    let key = SshPrivateKey::load(&file, || None)?;
    let unknown = if plan.ssh.accept_new_hosts { UnknownHost::Add } else { UnknownHost::Refuse };
    let others = plan.ssh.known_hosts.iter().cloned().chain([SYSTEM_KNOWN_HOSTS.into()]).collect();
    let hosts = HostTrust::KnownHosts { own: state.join(KNOWN_HOSTS), others, unknown };
    // The user is the target's.
    let user = "trunkline".into();
    let identities = vec![Identity::Key(key)];
    Ok(Some(Arc::new(SshClient { user, identities, hosts, options: SshOptions::default() })))
}
