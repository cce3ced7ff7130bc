//! A session of NETCONF, over plain TCP as the laboratory's agents have it, SSH or TLS: `get` with subtree filters, `get-config` of what
//! nobody can configure, and `close-session`.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use trunkline_netconf::BASE;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::framing::{Deframer, Framing};
use trunkline_netconf::hello::{self, BASE_1_0, BASE_1_1, Hello};
use trunkline_netconf::operation::{Datastore, Filter, Operation, Place};
use trunkline_netconf::rpc::Rpc;
use trunkline_netconf::subtree;
use trunkline_transport::dial::Stream;
use trunkline_transport::talk::{Parted, Talk};
use trunkline_transport::tcp::HandshakeError;
use trunkline_transport::{Closing, Guest, SessionInfo, StreamService, Transport, Visit};
use trunkline_yang::forest::Forest;
use trunkline_yang::selection::Selection;
use trunkline_yang::smiv2;

use super::data;
use super::ground::{Act, Ground};
use crate::counts::Count;
use crate::faults::Lie;
use crate::fleet::{Life, Port};

/// The service of all agents with NETCONF over one transport.
pub(super) struct Netconf {
    ground: Arc<Ground>,
    port: Port,
    forest: Forest,
    capabilities: Vec<String>,
    sessions: AtomicU32,
}

impl Netconf {
    pub(super) fn new(ground: Arc<Ground>, port: Port) -> Self {
        let forest = Forest::of(&smiv2::modules());
        let of_module = |module: &trunkline_yang::forest::ModuleName| {
            format!("{}?module={}", module.namespace, module.name)
        };
        let versions = [BASE_1_0, BASE_1_1].map(str::to_owned);
        let capabilities = versions.into_iter().chain(forest.modules().iter().map(of_module)).collect();
        Self { ground, port, forest, capabilities, sessions: AtomicU32::new(0) }
    }
}

impl StreamService for Netconf {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest {
        Box::pin(async move {
            let limits = *visit.limits;
            let mut talk = Talk::new(stream, visit, limits, self.ground.closing.clone());
            let asked = info.local.ip();
            let Some((_, Life { boots, .. })) = self.ground.agent(asked, self.port) else { return };
            let (deframer, framing) = (Deframer::new(hello::MOST), None);
            let session = Session { netconf: &self, asked, boots, deframer, framing };
            let ended = session.converse(&mut talk).await;
            if ended.is_none_or(Parted::is_orderly) {
                talk.part().await;
            }
        })
    }

    fn failed(&self, _peer: SocketAddr, _transport: Transport, _error: &HandshakeError) {
        self.ground.counts.add(Count::RefusedLogins);
    }

    fn closing(&self) -> Closing {
        self.ground.closing.clone()
    }
}

struct Session<'n> {
    netconf: &'n Netconf,
    asked: IpAddr,
    /// In which life of the agent it began.
    boots: u32,
    deframer: Deframer,
    /// What both hellos have agreed on; none before the client's.
    framing: Option<Framing>,
}

/// What becomes of an answer that was written.
enum Next {
    /// It is sent.
    Send,
    /// It is sent, and the session ends.
    Last,
    /// Half of it is sent, and the session ends.
    Cut,
    /// The session ends.
    Leave,
}

impl Session<'_> {
    /// Answers until the session ends, and returns why, unless it ended in order.
    async fn converse(mut self, talk: &mut Talk) -> Option<Parted> {
        let number = self.netconf.sessions.fetch_add(1, Ordering::Relaxed).checked_add(1).unwrap_or(1);
        let ours = Hello { capabilities: self.netconf.capabilities.clone(), session_id: Some(number) };
        self.exchange(talk, &ours).await.err()
    }

    async fn exchange(&mut self, talk: &mut Talk, ours: &Hello) -> Result<(), Parted> {
        let mut octets = Vec::new();
        ours.write(&mut octets);
        send(talk, Framing::EndOfMessage, octets).await?;
        let (mut input, mut since) = (Vec::new(), None);
        loop {
            talk.receive(&mut input, since, self.deframer.held()).await?;
            let mut rest = &input[..];
            loop {
                let message = match self.deframer.receive(&mut rest) {
                    Ok(Some(message)) => message,
                    Ok(None) => break,
                    Err(_) => {
                        self.netconf.ground.counts.add(Count::Malformed);
                        return Ok(());
                    }
                };
                talk.heard(true);
                if !self.message(talk, &message, ours).await? {
                    return Ok(());
                }
            }
            input.clear();
            since = (!self.deframer.is_between_messages()).then(|| since.unwrap_or_else(Instant::now));
        }
    }

    /// Reads the client's hello, or answers a request; `false` if the session is over.
    async fn message(&mut self, talk: &mut Talk, message: &[u8], ours: &Hello) -> Result<bool, Parted> {
        let Some(framing) = self.framing else {
            let framing = Hello::read(message).and_then(|theirs| ours.with_client(&theirs));
            let Ok(framing) = framing else {
                self.netconf.ground.counts.add(Count::Malformed);
                return Ok(false);
            };
            self.framing = Some(framing);
            self.deframer = Deframer::new(MOST);
            self.deframer.switch(framing);
            return Ok(true);
        };
        let Some((after, lie)) = self.act() else { return Ok(false) };
        // Before the answer is made: while a slow agent waits, it holds the request alone.
        if !after.is_zero() {
            let closed = self.netconf.ground.closing.closed();
            tokio::select! {
                () = sleep(after) => {}
                () = closed => return Err(Parted::Closing),
            }
        }
        let mut octets = Vec::new();
        let lasts = match self.answer(message, lie, &mut octets) {
            Next::Send => true,
            Next::Last => false,
            Next::Cut => {
                octets.truncate(octets.len() / 2);
                let mut begun = Vec::new();
                framing.part(&octets, &mut begun);
                talk.send(&begun, 0).await?;
                return Ok(false);
            }
            Next::Leave => return Ok(false),
        };
        send(talk, framing, octets).await?;
        talk.said();
        Ok(lasts)
    }

    /// After which time a request is answered, and how wrongly; `None`: the session is over.
    fn act(&self) -> Option<(Duration, Option<Lie>)> {
        let ground = &self.netconf.ground;
        let [_, requests] = Count::of_port(self.netconf.port);
        ground.counts.add(requests);
        let (agent, life) = ground.agent(self.asked, self.netconf.port)?;
        match ground.requested(&agent, life, self.boots) {
            Act::Answer { after, lie } => Some((after, lie)),
            Act::Mute | Act::Leave => None,
        }
    }

    /// Writes the reply to a request, of the agent as it is now.
    fn answer(&self, message: &[u8], lie: Option<Lie>, octets: &mut Vec<u8>) -> Next {
        let ground = &self.netconf.ground;
        let Some((agent, life)) = ground.agent(self.asked, self.netconf.port) else { return Next::Leave };
        let rpc = match Rpc::read(message, MOST) {
            Ok(rpc) => rpc,
            Err(refused) => {
                ground.counts.add(Count::Malformed);
                octets.extend(refused.reply());
                return Next::Send;
            }
        };
        let is_last = matches!(Operation::read(rpc.operation()), Ok(Operation::CloseSession));
        match self.selection(&rpc) {
            Ok(None) => rpc.ok(octets),
            Ok(Some(selection)) => {
                begin(&rpc, lie, octets);
                octets.extend(format!("<{}data>", rpc.prefix()).as_bytes());
                let is_wrong = lie == Some(Lie::Type);
                let written = std::mem::take(octets);
                *octets = agent.with_objects(life, |objects| {
                    data::write(objects, &self.netconf.forest, &selection, is_wrong, written)
                });
                octets.extend(format!("</{}data>", rpc.prefix()).as_bytes());
                rpc.end_reply(octets);
            }
            Err(error) => rpc.errors(&[error], octets),
        }
        match lie {
            _ if is_last => Next::Last,
            Some(Lie::Truncated) => {
                ground.counts.add(Count::Wrong);
                Next::Cut
            }
            Some(Lie::RequestId | Lie::Type) => {
                ground.counts.add(Count::Wrong);
                Next::Send
            }
            _ => Next::Send,
        }
    }

    /// What of the data a request wants; none if it wants no data.
    fn selection(&self, rpc: &Rpc) -> Result<Option<Selection>, RpcError> {
        let filter = match Operation::read(rpc.operation())? {
            Operation::CloseSession => return Ok(None),
            Operation::Get { filter, with_defaults: None, paging: None } => filter,
            // Objects of MIB modules are state, not configuration (RFC 6643 section 11).
            Operation::GetConfig {
                source: Place::Datastore(Datastore::Running),
                with_defaults: None,
                paging: None,
                ..
            } => {
                return Ok(Some(Selection::default()));
            }
            _ => return Err(not_supported(rpc.operation())),
        };
        match filter {
            None => Ok(Some(Selection::everything(&self.netconf.forest))),
            Some(Filter::Subtree(filter)) => subtree::compile(filter, &self.netconf.forest).map(Some),
            Some(Filter::XPath { element, .. }) => Err(not_supported(element)),
        }
    }
}

/// The begin of a reply, which may have the number of another request.
fn begin(rpc: &Rpc, lie: Option<Lie>, octets: &mut Vec<u8>) {
    match (lie, rpc.prefix()) {
        (Some(Lie::RequestId), "") => {
            octets.extend(format!("<rpc-reply xmlns=\"{BASE}\" message-id=\"of another\">").as_bytes());
        }
        _ => rpc.begin_reply(octets),
    }
}

fn not_supported(element: Element<'_>) -> RpcError {
    let message = format!("simulated agents do not have {}", element.name());
    RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message)
}

/// Sends a message. Until its peer has read it, a session holds that once, and it counts with what all others hold.
async fn send(talk: &mut Talk, framing: Framing, message: Vec<u8>) -> Result<(), Parted> {
    let mut framed = Vec::with_capacity(message.len() + FRAME);
    framing.frame(&message, &mut framed);
    drop(message);
    talk.send(&framed, 0).await
}

/// About how many octets framing adds.
const FRAME: usize = 32;
/// Octets of a request.
const MOST: usize = 64 << 10;
