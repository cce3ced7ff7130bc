//! Shared by the tests of TLS and DTLS: certificates, an echo server, and the faults that certificates can have.
#![allow(dead_code, clippy::unwrap_used, reason = "helpers of tests; each test file uses some")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use time::OffsetDateTime;
use trunkline_pki::{Authority, AuthorityOptions, Issued, LeafOptions, Name, Revoked, Validity};
use trunkline_transport::tls::{
    Identity, ServerIdentity, TlsClient, TlsClientConfig, TlsServerConfig, Trust, TrustBuilder,
};
use trunkline_transport::{Proof, Refused, Reply, SessionHandler, SessionInfo};

pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

pub fn authority(called: &str) -> Authority {
    Authority::create(&AuthorityOptions::named(name(called))).unwrap()
}

pub fn identity(issued: &Issued) -> Arc<Identity> {
    Arc::new(Identity::from_pem(issued.chain_pem().as_bytes(), issued.key_pem().as_bytes()).unwrap())
}

pub fn trusting(authority: &Authority) -> TrustBuilder {
    Trust::builder().authorities_pem(authority.certificate().to_pem().as_bytes()).unwrap()
}

pub fn days(from: i64, until: i64) -> Option<Validity> {
    let now = OffsetDateTime::now_utc();
    let (not_before, not_after) = (now + time::Duration::days(from), now + time::Duration::days(until));
    Some(Validity { not_before, not_after })
}

/// An authority, an agent called localhost and a manager called ann.
pub struct World {
    pub authority: Authority,
    pub agent: Issued,
    pub manager: Issued,
}

impl World {
    pub fn new() -> Self {
        let authority = authority("Test CA");
        let agent = authority.agent(&name("localhost"), &LeafOptions::default()).unwrap();
        let manager = authority.manager(&name("ann"), &LeafOptions::default()).unwrap();
        Self { authority, agent, manager }
    }

    pub fn server(&self) -> TlsServerConfig {
        TlsServerConfig::new(identity(&self.agent), trusting(&self.authority).build().into())
    }

    pub fn client(&self) -> TlsClientConfig {
        let trust = trusting(&self.authority).build().into();
        TlsClientConfig::new(Some(identity(&self.manager)), trust)
    }

    pub fn revoking(&self, issued: &Issued) -> Arc<Trust> {
        let since = OffsetDateTime::now_utc() - time::Duration::hours(1);
        let revoked = Revoked { serial: issued.certificate().serial().to_vec(), since };
        let list = self.authority.revocation_list(&[revoked], 1, None).unwrap();
        trusting(&self.authority).revocation_lists_pem(list.as_bytes()).unwrap().build().into()
    }
}

pub fn localhost() -> ServerIdentity {
    ServerIdentity::Name("localhost".into())
}

pub fn client(config: &TlsClientConfig) -> TlsClient {
    TlsClient::new(config).unwrap()
}

/// Echoes each message, and records the proof of each peer.
#[derive(Default)]
pub struct Echo {
    pub opened: Mutex<Vec<SessionInfo>>,
}

impl Echo {
    pub fn last_proof(&self) -> Vec<Vec<u8>> {
        match &self.opened.lock().unwrap().last().unwrap().proof {
            Proof::Certificates(chain) => chain.to_vec(),
            other => panic!("{other:?}"),
        }
    }
}

impl SessionHandler for Echo {
    type Session = ();

    fn open(&self, info: &SessionInfo) -> Result<Arc<()>, Refused> {
        self.opened.lock().unwrap().push(info.clone());
        Ok(Arc::new(()))
    }

    async fn handle(&self, message: Vec<u8>, _: &Arc<()>) -> Reply {
        Reply::Send(message)
    }
}

/// A fault, and its error texts at both ends.
pub struct Fault {
    pub what: &'static str,
    pub server: TlsServerConfig,
    pub client: TlsClientConfig,
    pub asked: ServerIdentity,
    pub client_says: &'static str,
    pub server_says: &'static str,
}

/// Every fault that a certificate can have, at either end.
pub fn faults(world: &World) -> Vec<Fault> {
    let mut all = server_faults(world);
    all.extend(client_faults(world));
    all
}

fn server_faults(world: &World) -> Vec<Fault> {
    let fault = |what, client_says, server_says| Fault {
        what,
        server: world.server(),
        client: world.client(),
        asked: localhost(),
        client_says,
        server_says,
    };
    let agent = |validity| {
        let options = LeafOptions { validity, ..LeafOptions::default() };
        identity(&world.authority.agent(&name("localhost"), &options).unwrap())
    };
    let mut expired = fault("the agent's is expired", "it expired at 20", "our certificate has expired");
    expired.server.identity = agent(days(-3, -1));
    let mut early = fault("the agent's is early", "it is not valid before 20", "or is not yet valid");
    early.server.identity = agent(days(1, 3));
    let mut name = fault(
        "the agent is another",
        "it is not for `other.example` but for localhost, 127.0.0.1, ::1",
        "not for the name it asked for",
    );
    name.asked = ServerIdentity::Name("other.example".into());
    let mut stranger = fault(
        "the agent is a stranger",
        "no authority that is trusted here has issued it",
        "does not trust the authority",
    );
    stranger.client.trust = trusting(&authority("Other CA")).build().into();
    let mut revoked = fault("the agent's is revoked", "it is revoked", "our certificate is revoked");
    revoked.client.trust = world.revoking(&world.agent);
    let mut print = fault("the agent has another fingerprint", "is expected", "it does not accept our");
    let other = identity(&world.manager).fingerprint(trunkline_transport::tls::HashAlgorithm::Sha256);
    print.asked = ServerIdentity::Fingerprint(other);
    let mut old = fault("the list is old", "the revocation list of its authority expired", "does not trust");
    let list = world.authority.revocation_list(&[], 1, days(-3, -1)).unwrap();
    let builder = trusting(&world.authority).revocation_lists_pem(list.as_bytes()).unwrap();
    old.client.trust = builder.build().into();
    vec![expired, early, name, stranger, revoked, print, old]
}

fn client_faults(world: &World) -> Vec<Fault> {
    let fault = |what, client_says, server_says| Fault {
        what,
        server: world.server(),
        client: world.client(),
        asked: localhost(),
        client_says,
        server_says,
    };
    let manager = |validity| {
        let options = LeafOptions { validity, ..LeafOptions::default() };
        Some(identity(&world.authority.manager(&name("ann"), &options).unwrap()))
    };
    let mut expired = fault("the manager's is expired", "our certificate has expired", "it expired at 20");
    expired.client.identity = manager(days(-3, -1));
    let mut early = fault("the manager's is early", "is not yet valid", "it is not valid before 20");
    early.client.identity = manager(days(1, 3));
    let mut none = fault("the manager has none", "wants a certificate", "shows no certificate");
    none.client.identity = None;
    let mut stranger = fault(
        "the manager is a stranger",
        "does not trust the authority of our certificate",
        "no authority that is trusted here has issued it",
    );
    stranger.client.identity =
        Some(identity(&authority("Other CA").manager(&name("ann"), &LeafOptions::default()).unwrap()));
    let mut revoked = fault("the manager's is revoked", "our certificate is revoked", "it is revoked");
    revoked.server.trust = world.revoking(&world.manager);
    vec![expired, early, none, stranger, revoked]
}
