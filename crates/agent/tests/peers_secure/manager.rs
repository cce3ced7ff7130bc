//! Our own manager: its identity, its trust anchors, and single requests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use trunkline_client::{
    Credentials, Error, Response, Secure, SessionOptions, SnmpSession, Target, Transport, TsmCredentials,
};
use trunkline_pki::Files;
use trunkline_smi::Oid;
use trunkline_transport::tls::{
    Identity, ServerIdentity, Suites, TlsClient, TlsClientConfig, TlsVersion, Trust, Versions,
};

use super::s_client::Way;
use super::world::World;

/// What the manager brings to a session of TLS or DTLS.
pub struct Manager {
    pub config: TlsClientConfig,
    pub server: Option<ServerIdentity>,
}

impl Manager {
    /// A manager with this certificate that trusts the world's authority.
    pub fn new(world: &World, own: &Files) -> Manager {
        let read = |path: &Path| std::fs::read(path).unwrap();
        let identity = Identity::from_pem(&read(&own.certificate), &read(&own.key)).unwrap();
        let trust = Trust::builder().authorities_pem(&read(&world.pki.authority_certificate())).unwrap();
        let trust = trust.revocation_lists_pem(&read(&world.pki.revocation_list())).unwrap();
        let config = TlsClientConfig::new(Some(Arc::new(identity)), Arc::new(trust.build()));
        Manager { config, server: Some(ServerIdentity::Name("localhost".into())) }
    }

    /// The same, restricted to one way.
    pub fn by(mut self, way: Way) -> Manager {
        self.config.versions = match way {
            Way::Tls12 | Way::Integrity => Versions::only(TlsVersion::V1_2),
            Way::Tls13 => Versions::only(TlsVersion::V1_3),
            Way::Dtls => Versions::default(),
        };
        self.config.suites = if way == Way::Integrity { Suites::IntegrityOnly } else { Suites::Encrypted };
        self
    }

    pub fn secure(&self) -> Secure {
        Secure::new().with_tls(Arc::new(TlsClient::new(&self.config).unwrap()), self.server.clone())
    }
}

pub fn target(transport: Transport, port: u16, credentials: Credentials, secure: Secure) -> Target {
    Target::new(transport, "127.0.0.1", port, credentials).with_secure(Arc::new(secure))
}

/// SNMPv3 as the session's principal.
pub fn proved(transport: Transport, port: u16, secure: Secure) -> Target {
    target(transport, port, TsmCredentials::default().into(), secure)
}

/// Waits long, since the machine may be busy.
pub fn options() -> SessionOptions {
    SessionOptions::default().with_timeout(Duration::from_secs(20)).with_retries(1)
}

/// Runs this to its end.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// A new session, and one request over it.
pub fn get(target: &Target, name: &str) -> Result<Response, Error> {
    let name: Oid = name.parse().unwrap();
    run(async { SnmpSession::open(target, options()).await?.get(&[name]).await })
}
