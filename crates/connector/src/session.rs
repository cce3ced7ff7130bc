//! One stream: calls, each answered before the next is read, as JRMP has it.

use std::sync::Arc;

use tokio::time::Instant;
use trunkline_jmx::jrmp::{Endpoint, Event, ObjId, Server, Uid};
use trunkline_jmx::model::Exception;
use trunkline_jmx::remote::{Method, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_jmx::stream::classes::exceptions;
use trunkline_transport::dial::Stream;
use trunkline_transport::talk::{Parted, Talk};
use trunkline_transport::tcp::TcpLimits;
use trunkline_transport::{Closing, Guest, SessionInfo, StreamService, Visit};

use crate::door::Connector;

impl StreamService for Connector {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest {
        Box::pin(serve(self, stream, info, visit))
    }

    fn closing(&self) -> Closing {
        self.core.closing().clone()
    }
}

/// A stream of a client.
struct Session {
    door: Arc<Connector>,
    info: SessionInfo,
    talk: Talk,
    server: Server,
    /// Octets of the call that is arriving.
    held: usize,
    /// Since when it is.
    since: Option<Instant>,
    /// What the client has sent while it waited for an answer.
    ahead: Vec<u8>,
}

/// Serves a stream until it ends.
async fn serve(door: Arc<Connector>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) {
    if door.plan.load().is_none() {
        tracing::info!(peer = %info.peer, "a JMX client is refused: the configuration has no [jmx]");
        return;
    }
    if door.server().is_none() {
        tracing::error!(peer = %info.peer, "a JMX client is refused: the system has no random numbers, which connections are named by");
        return;
    }
    let limits = TcpLimits { max_message: STRANGERS.octets, ..*visit.limits };
    let client = Endpoint { host: info.peer.ip().to_string(), port: info.peer.port().into() };
    let talk = Talk::new(stream, visit, limits, door.core.closing().clone());
    let server = Server::new(STRANGERS, Method::signature_of, client);
    let mut session = Session { door, info, talk, server, held: 0, since: None, ahead: Vec::new() };
    if session.converse().await.map_or_else(Parted::is_orderly, |()| true) {
        session.talk.part().await;
    }
}

impl Session {
    async fn converse(&mut self) -> Result<(), Parted> {
        loop {
            let mut out = Vec::new();
            let polled = self.server.poll(&mut out);
            if !out.is_empty() {
                self.talk.send_soon(out).await?;
            }
            match polled {
                Ok(Some(Event::Call(call))) => {
                    (self.held, self.since) = (0, None);
                    self.call(&call).await?;
                }
                Ok(Some(Event::Refused { header, error })) => {
                    self.misunderstood(&error);
                    self.talk.heard(self.is_of_client(&header.object));
                    self.answer(&Reply::refusal(&error)).await?;
                }
                Ok(None) if self.server.is_over() => return self.talk.flush().await,
                Ok(None) => {
                    self.since = match self.server.is_between_messages() {
                        true => None,
                        false => self.since.or_else(|| Some(Instant::now())),
                    };
                    let limits = self.limits();
                    self.server.set_limits(limits);
                    self.talk.flush().await?;
                    let input = self.server.space();
                    let before = input.len();
                    input.append(&mut self.ahead);
                    if input.len() == before {
                        // What is read of a message takes several times its octets.
                        self.talk.receive(input, self.since, self.held * UNFOLDED).await?;
                    }
                    self.held += input.len() - before;
                }
                Err(error) => {
                    self.misunderstood(&error);
                    return self.talk.flush().await;
                }
            }
        }
    }

    /// Whether an object is a connection of this client.
    fn is_of_client(&self, object: &ObjId) -> bool {
        self.door.connection(object, &self.info).is_some()
    }

    /// How much the call that is arriving may have.
    fn limits(&self) -> Limits {
        match self.server.called() {
            Some(object) if self.is_of_client(&object) => self.door.limits(),
            _ => STRANGERS,
        }
    }

    async fn call(&mut self, call: &trunkline_jmx::jrmp::Call) -> Result<(), Parted> {
        let connection = self.door.connection(&call.header.object, &self.info);
        self.talk.heard(connection.is_some());
        let limits = if connection.is_some() { self.door.limits() } else { STRANGERS };
        let reply = match Request::decode(call, limits) {
            Ok(request) => match connection {
                // What changes something is never left half done.
                Some(connection) if matches!(request, Request::FetchNotifications { .. }) => {
                    let ahead = &mut self.ahead;
                    tokio::select! {
                        biased;
                        reply = self.door.ask(&self.info, &connection, request) => reply,
                        gone = self.talk.until_gone(ahead, AHEAD) => return Err(gone),
                    }
                }
                Some(connection) => self.door.ask(&self.info, &connection, request).await,
                None => {
                    let is_login = matches!(request, Request::NewClient(_));
                    let reply = self.door.of_nobody(&self.info, &call.header.object, request).await;
                    if is_login && matches!(reply, Reply::Stub(_)) {
                        self.talk.accept();
                    }
                    reply
                }
            },
            Err(error) => {
                if !matches!(error, trunkline_jmx::Error::Argument { .. }) {
                    self.misunderstood(&error);
                }
                Reply::refusal(&error)
            }
        };
        self.answer(&reply).await
    }

    async fn answer(&mut self, reply: &Reply) -> Result<(), Parted> {
        let mut octets = Vec::with_capacity(SHORT);
        // Nothing that is returned is to be acknowledged.
        reply.encode(Uid::default(), &mut octets);
        if octets.len() > self.talk.most_kept() {
            octets.clear();
            let words = "the answer is too large for this agent: request fewer rows";
            let error = Exception::new(&exceptions::ILLEGAL_STATE_EXCEPTION, words);
            Reply::Exception(error).encode(Uid::default(), &mut octets);
        }
        self.talk.send_soon(octets).await?;
        self.talk.said();
        Ok(())
    }

    /// The log says what cannot be read, but not too often.
    fn misunderstood(&self, error: &trunkline_jmx::Error) {
        if let Some(left_out) = self.talk.misunderstood() {
            let error = error.to_string();
            let error = trunkline_smi::visible(&error);
            tracing::info!(peer = %self.info.peer, %error, left_out, "a JMX call cannot be read");
        }
    }
}

/// What somebody may send who has not logged in.
const STRANGERS: Limits =
    Limits { depth: 40, values: 9_000, octets: 64 << 10, array: 1 << 20, string: 64 << 10 };

/// Octets that a client may send before it has its answer; JRMP has no more than a ping to send.
const AHEAD: usize = 4 << 10;
/// Octets of most answers.
const SHORT: usize = 256;
/// How much more memory what is read of a call takes than its octets.
const UNFOLDED: usize = 8;
