//! Before anything is measured: sessions, and the configuration that the agents get.

use tokio::runtime::Runtime;
use trunkline_client::netconf::protocol::compression::Algorithm;
use trunkline_client::netconf::security::{Cipher, Protection, SignatureMethod};
use trunkline_client::netconf::{NetconfOptions, NetconfSession};

use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::keyring::{USER, message_keys};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::stage::{Role, Stage, Stand};
use trunkline_labkit::transport::Transport;

use super::requests::Request;
use super::{REALISTIC, ROUTES, SAMPLE, TIMED, VALIDATING, WITH_LIBXML, content};

/// Gives each agent its router of BGP, and the place its static routes, which all agents in it see.
pub(super) fn configure(stage: &Stage, runtime: &Runtime, ledger: &mut Ledger) -> Result<(), Error> {
    stage.stand(Stand::Beside)?;
    let mut has_routes = false;
    let realistic = [REALISTIC, TIMED, VALIDATING, WITH_LIBXML].map(|role| (role, content::REALISTIC));
    for (role, size) in realistic.into_iter().chain([(SAMPLE, content::SAMPLE)]) {
        if stage.agent(role).is_none() {
            continue;
        }
        let mut edits = vec![("the configuration of BGP", content::bgp(size))];
        if !has_routes {
            edits.push(("the static routes", content::routes(0, ROUTES)));
            has_routes = true;
        }
        for (what, content) in edits {
            if let Err(reason) = runtime.block_on(edit(stage, role, &content)) {
                let (table, what) = ("emanics2006".into(), what.into());
                ledger.doubt(Doubt::LeftOut { table, what, reason })?;
            }
        }
    }
    Ok(())
}

/// Takes the static routes away again, from whichever agent has them.
pub(super) async fn without_routes(stage: &Stage) -> Result<(), String> {
    for role in [REALISTIC, TIMED, VALIDATING, WITH_LIBXML, SAMPLE] {
        if stage.agent(role).is_some() {
            edit(stage, role, content::NO_ROUTES).await?;
        }
    }
    Ok(())
}

/// Edits an agent's running configuration.
pub(super) async fn edit(stage: &Stage, role: Role, content: &str) -> Result<(), String> {
    let session = open(stage, role, Way::SSH, Stand::Beside, USER).await?;
    let done = session.done(content::edit(content).as_bytes()).await.map_err(|error| error.to_string());
    session.close().await;
    done
}

/// How a session is protected, and its messages are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    pub transport: Transport,
    pub compression: Option<Algorithm>,
    /// How messages protect themselves.
    pub protection: Option<Protection>,
}

impl Way {
    pub const PLAIN: Way = Way { transport: Transport::Tcp, compression: None, protection: None };
    pub const ZLIB: Way = Way { compression: Some(Algorithm::Zlib), ..Way::PLAIN };
    pub const SSH: Way = Way { transport: Transport::Ssh, ..Way::PLAIN };
    pub const TLS: Way = Way { transport: Transport::Tls, ..Way::PLAIN };
    /// By the deliverable's algorithms.
    pub const THEN: Way = Way { protection: Some(PROTECTED_THEN), ..Way::PLAIN };
    /// The same, compressed before.
    pub const THEN_ZLIB: Way = Way { compression: Some(Algorithm::Zlib), ..Way::THEN };
    /// By today's.
    pub const NOW: Way = Way { protection: Some(PROTECTED_NOW), ..Way::PLAIN };
    /// All of them.
    pub const ALL: [Way; 7] =
        [Way::PLAIN, Way::ZLIB, Way::SSH, Way::TLS, Way::THEN, Way::THEN_ZLIB, Way::NOW];

    /// Its name in the samples.
    pub fn name(self) -> String {
        let protection = match self.protection {
            None => "",
            Some(PROTECTED_THEN) => ", XML security by AES-128-CBC and HMAC-SHA1",
            Some(_) => ", XML security by AES-128-GCM and HMAC-SHA256",
        };
        let compression = self.compression.map_or("", |_| ", zlib");
        format!("{}{compression}{protection}", self.transport)
    }
}

/// What the deliverable's prototype used, with its keys of 128 bits.
const PROTECTED_THEN: Protection =
    Protection { cipher: Some(Cipher::Aes128Cbc), signature: SignatureMethod::HmacSha1 };
/// Our default.
const PROTECTED_NOW: Protection =
    Protection { cipher: Some(Cipher::Aes128Gcm), signature: SignatureMethod::HmacSha256 };

/// A session with an agent, as a user.
pub(super) async fn open(
    stage: &Stage,
    role: Role,
    way: Way,
    stand: Stand,
    user: &str,
) -> Result<NetconfSession, String> {
    let target = stage.netconf(role, way.transport, stand, user)?;
    let keys = way.protection.map(|protection| message_keys(user, protection)).transpose()?;
    let options = NetconfOptions::default().with_compression(way.compression).with_keys(keys);
    NetconfSession::open(&target, options).await.map_err(|error| error.to_string())
}

/// An answer: how long it took, nanoseconds, and the octets of both messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answered {
    pub delay_ns: f64,
    pub request: usize,
    pub response: usize,
}

/// Sends a request. An answer without data is an error.
pub(super) async fn ask(session: &NetconfSession, request: &Request) -> Result<Answered, String> {
    let (_, cost) = session.data(request.operation.as_bytes()).await.map_err(|error| error.to_string())?;
    Ok(Answered {
        delay_ns: cost.delay.as_nanos() as f64,
        request: cost.request_octets,
        response: cost.response_octets,
    })
}
