//! The kept connection of a NETCONF session: opened when needed, and again after it broke. A read is then sent once more; a
//! write only if it is certain that none of it had been sent.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::timeout;
use trunkline_netconf::compression::{self, Agreed, may_be_compressed};
use trunkline_netconf::framing::{Deframer, Framing};
use trunkline_netconf::hello::{self, BASE_1_0, BASE_1_1, Hello};
use trunkline_netconf::needs;
use trunkline_netconf::reply::Answers;
use trunkline_netconf::{BASE, PROTECTION, RBAC};
use trunkline_transport::dial::{self, CallListener, Called, Family, Stream};
use trunkline_transport::{NETCONF_SUBSYSTEM, Transport};
use trunkline_xml::Writer;
use trunkline_xmlsec::is_protected;

use super::protect::{self, Protecting};
use super::stored::expect_device;
use super::{CallHome, NetconfFault, NetconfOptions, ProtectFault};
use crate::answer::Cost;
use crate::error::Error;
use crate::secure::Secure;
use crate::target::NetconfTarget;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// It only reads, and may be repeated.
    Reads,
    /// It writes, or its session matters: it must not be repeated.
    Writes,
}

/// A connection that is reopened when needed.
pub(super) struct Link {
    target: NetconfTarget,
    options: NetconfOptions,
    /// One request at a time.
    open: Mutex<Option<Line>>,
    /// Whether a session that has ended is not replaced.
    is_last: AtomicBool,
}

/// A reply, and what it took.
pub(super) struct Exchanged {
    pub message: Vec<u8>,
    pub cost: Cost,
}

impl Link {
    pub fn new(target: NetconfTarget, options: NetconfOptions) -> Self {
        Link { target, options, open: Mutex::new(None), is_last: AtomicBool::new(false) }
    }

    /// From now on a session that has ended is not replaced: what it held, such as a lock, has ended with it.
    pub fn pin(&self) {
        self.is_last.store(true, Relaxed);
    }

    /// Makes the connection, unless there is one; returns the agent's hello.
    pub async fn connect(&self) -> Result<Arc<Hello>, Error> {
        let mut open = self.open.lock().await;
        let line = match open.take() {
            Some(line) => line,
            None => self.dial().await?,
        };
        let hello = line.hello.clone();
        *open = Some(line);
        Ok(hello)
    }

    /// Ends the session in order, if there is one; the next request opens another one.
    pub async fn close(&self) {
        let line = self.open.lock().await.take();
        if let Some(line) = line {
            line.close().await;
        }
    }

    /// Sends an operation and waits for its reply.
    pub async fn ask(&self, operation: &[u8], weight: Weight) -> Result<Exchanged, Error> {
        let mut open = self.open.lock().await;
        let began = Instant::now();
        let mut attempts = 0;
        loop {
            let mut line = match open.take() {
                Some(line) => line,
                None if self.is_last.load(Relaxed) => return Err(Error::ConnectionLost { kind: None }),
                None => self.dial().await?,
            };
            attempts += 1;
            match line.exchange(operation, &self.options).await {
                Ok((message, request_octets, response_octets)) => {
                    let cost = Cost { request_octets, response_octets, delay: began.elapsed(), attempts };
                    *open = Some(line);
                    return Ok(Exchanged { message, cost });
                }
                // A broken connection may be noticed only when it is used.
                Err(Broken::Lost(_)) if attempts < ATTEMPTS && weight == Weight::Reads => {}
                Err(Broken::Lost(kind)) if weight == Weight::Writes => {
                    return Err(Error::OutcomeUnknown { kind });
                }
                Err(broken) => return Err(broken.after(attempts, began.elapsed())),
            }
        }
    }

    /// Passes on a message as it is; its reply, as it came. Sent once only.
    pub async fn relay(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut open = self.open.lock().await;
        let mut line = match open.take() {
            Some(line) => line,
            None => self.dial().await?,
        };
        let began = Instant::now();
        match line.relay(message, &self.options).await {
            Ok(reply) => {
                *open = Some(line);
                Ok(reply)
            }
            Err(Broken::Lost(kind)) => Err(Error::OutcomeUnknown { kind }),
            Err(broken) => Err(broken.after(1, began.elapsed())),
        }
    }

    /// Takes the connection, or makes one, for a subscription: the next request makes another one.
    pub async fn take(&self) -> Result<Line, Error> {
        let line = self.open.lock().await.take();
        match line {
            Some(line) => Ok(line),
            None => self.dial().await,
        }
    }

    async fn dial(&self) -> Result<Line, Error> {
        let limit = self.options.connect_time;
        let stream = match self.options.call_home {
            Some(call_home) => self.called(call_home).await?,
            None => self.called_to().await?,
        };
        // A message may take less time than all of it.
        let began = Instant::now();
        let opened = timeout(limit, Line::open(stream, &self.options)).await;
        opened.unwrap_or(Err(Broken::Silent)).map_err(|broken| broken.after(1, began.elapsed()))
    }
}

impl Link {
    /// Connects to the server.
    async fn called_to(&self) -> Result<Box<dyn Stream>, Error> {
        let NetconfTarget { transport, login, secure, host, port, .. } = &self.target;
        let addresses = dial::resolve(host, *port, Family::Any).await?;
        let limit = self.options.connect_time;
        Ok(match transport {
            Transport::Tls => {
                let tls = Secure::tls_of(secure.as_ref(), *transport)?;
                Box::new(dial::tls(&addresses, &tls.client, &tls.server(host), limit).await?.0)
            }
            Transport::Tcp => Box::new(dial::tcp(&addresses, limit).await?),
            _ => {
                let ssh = Secure::ssh_of(secure.as_ref(), login.as_ref())?;
                Box::new(dial::ssh(&addresses, &ssh, host, NETCONF_SUBSYSTEM, limit).await?.0)
            }
        })
    }

    /// Waits until the server calls: whoever else does so fails at the handshake, and the wait goes on.
    async fn called(&self, call_home: CallHome) -> Result<Box<dyn Stream>, Error> {
        let listener = CallListener::bind(call_home.listen).await?;
        let deadline = tokio::time::Instant::now() + call_home.wait;
        let mut failure = None;
        loop {
            let Ok(accepted) = tokio::time::timeout_at(deadline, listener.accept()).await else {
                let silent = Error::Timeout { attempts: 1, waited: call_home.wait, ignored: 0 };
                return Err(failure.unwrap_or(silent));
            };
            match self.shaken(accepted?).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = Some(error),
            }
        }
    }

    async fn shaken(&self, stream: Called) -> Result<Box<dyn Stream>, Error> {
        let NetconfTarget { transport, login, secure, host, port, .. } = &self.target;
        let limit = self.options.connect_time;
        Ok(match transport {
            Transport::Tls => {
                let tls = Secure::tls_of(secure.as_ref(), *transport)?;
                Box::new(dial::tls_over(stream, &tls.client, &tls.server(host), limit).await?.0)
            }
            Transport::Tcp => Box::new(stream.plain()),
            _ => {
                let ssh = Secure::ssh_of(secure.as_ref(), login.as_ref())?;
                let known_as = (&**host, *port);
                Box::new(dial::ssh_over(stream, &ssh, known_as, NETCONF_SUBSYSTEM, limit).await?.0)
            }
        })
    }
}

/// A session.
pub(super) struct Line {
    /// `None` only while it is dropped.
    stream: Option<Box<dyn Stream>>,
    /// What of the protocol can still be said on the stream.
    state: State,
    deframer: Deframer,
    framing: Framing,
    agreed: Agreed,
    protecting: Option<Box<Protecting>>,
    hello: Arc<Hello>,
    /// What was received and not yet read: `input[taken..]`.
    input: Vec<u8>,
    taken: usize,
    last: u64,
    /// A stream ends within the runtime that it was made on, wherever the session is dropped.
    runtime: Handle,
}

/// What of the protocol can still be said on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The hellos are not exchanged, a message is sent in part, or the other end is gone: nothing.
    Cut,
    /// Whole messages.
    Open,
    /// The session is being closed: nothing more.
    Closing,
}

/// Why a session cannot be used any more.
enum Broken {
    Lost(Option<io::ErrorKind>),
    Silent,
    Fault(NetconfFault),
}

impl Broken {
    fn after(self, attempts: u32, waited: Duration) -> Error {
        match self {
            Broken::Lost(kind) => Error::ConnectionLost { kind },
            Broken::Silent => Error::Timeout { attempts, waited, ignored: 0 },
            Broken::Fault(fault) => fault.into(),
        }
    }
}

impl<F: Into<NetconfFault>> From<F> for Broken {
    fn from(fault: F) -> Self {
        Broken::Fault(fault.into())
    }
}

impl Line {
    /// Both ends send their hello at once.
    async fn open(mut stream: Box<dyn Stream>, options: &NetconfOptions) -> Result<Line, Broken> {
        let mut capabilities = vec![BASE_1_0.to_owned(), BASE_1_1.to_owned()];
        capabilities.extend(compression::capability(options.compression.as_slice()));
        let keys =
            options.keys.as_ref().map(|keys| protect::nonce().map(|nonce| (keys, nonce))).transpose()?;
        capabilities.extend(keys.map(|(_, nonce)| format!("{PROTECTION}?nonce={}", nonce.to_hex())));
        let ours = Hello { capabilities, session_id: None };
        let mut octets = Vec::new();
        ours.write(&mut octets);
        let mut framed = Vec::new();
        Framing::EndOfMessage.frame(&octets, &mut framed);
        write(&mut stream, &framed).await?;
        let mut line = Line {
            stream: Some(stream),
            state: State::Cut,
            deframer: Deframer::new(hello::MOST),
            framing: Framing::EndOfMessage,
            agreed: Agreed::default(),
            protecting: None,
            hello: Arc::default(),
            input: Vec::new(),
            taken: 0,
            last: 0,
            runtime: Handle::current(),
        };
        let mut theirs = Hello::read(&line.message(options).await?.0)?;
        let (framing, _session) = ours.with_server(&theirs)?;
        expect_device(options.device.as_ref(), &theirs)?;
        line.deframer = Deframer::new(options.max_reply);
        line.deframer.switch(framing);
        line.agreed = Agreed::of(&ours, &theirs, framing);
        line.framing = framing;
        if let Some((keys, nonce)) = keys {
            // What the agent can do it says only to those that it knows.
            let protecting = Protecting::begin(keys.clone(), nonce, &theirs)?;
            line.protecting = Some(Box::new(protecting));
            line.state = State::Open;
            line.send_message(&octets, options).await?;
            theirs = Hello::read(&line.message(options).await?.0)?;
            // Whoever is on the path may have changed the first one.
            expect_device(options.device.as_ref(), &theirs)?;
            let (framing, _session) = ours.with_server(&theirs)?;
            if framing != line.framing || Agreed::of(&ours, &theirs, framing) != line.agreed {
                return Err(ProtectFault::OtherTerms.into());
            }
        }
        if options.role.is_some() {
            needs::role(&theirs).map_err(NetconfFault::Missing)?;
        }
        if theirs.capabilities.iter().any(|it| it.starts_with(YUMA)) {
            tokio::time::sleep(YUMA_PAUSE).await;
        }
        (line.hello, line.state) = (Arc::new(theirs), State::Open);
        Ok(line)
    }

    /// One request and its reply.
    pub async fn ask(&mut self, operation: &[u8], options: &NetconfOptions) -> Result<Vec<u8>, Error> {
        let answered = self.exchange(operation, options).await;
        answered.map(|(message, ..)| message).map_err(|broken| broken.after(1, options.timeout))
    }

    /// The next message, however long it takes. Nothing is lost if it is not awaited to its end.
    pub async fn wait(&mut self, options: &NetconfOptions) -> Result<Vec<u8>, Error> {
        let patient = options.clone().with_timeout(Duration::MAX);
        let message = self.message(&patient).await;
        message.map(|(message, _)| message).map_err(|broken| broken.after(1, options.timeout))
    }

    /// Ends the session in order (RFC 6241 section 7.8), within [`dial::PARTING`] and what the stream takes for its own end.
    pub async fn close(mut self) {
        let is_open = std::mem::replace(&mut self.state, State::Closing) == State::Open;
        self.end(is_open).await;
    }

    async fn end(mut self, says_so: bool) {
        if says_so {
            let options = NetconfOptions::default().with_timeout(dial::PARTING);
            // The agent answers before it closes, an earlier request first; whether it does changes nothing here.
            let _ = timeout(dial::PARTING, self.said_goodbye(&options)).await;
        }
        if let Some(stream) = self.stream.take() {
            dial::part(stream).await;
        }
    }

    async fn said_goodbye(&mut self, options: &NetconfOptions) -> Result<(), Broken> {
        self.send(b"<close-session/>", options).await?;
        let number = self.last.to_string();
        loop {
            let (message, _) = self.message(options).await?;
            if Answers::of(&message, options.max_reply)? == Answers::Request(number.clone()) {
                return Ok(());
            }
        }
    }

    /// Sends a request; its octets as they are framed.
    async fn send(&mut self, operation: &[u8], options: &NetconfOptions) -> Result<usize, Broken> {
        self.last += 1;
        let rpc = request(self.last, options.role.as_deref(), operation);
        self.send_message(&rpc, options).await
    }

    /// Sends a message; its octets as they are framed.
    async fn send_message(&mut self, message: &[u8], options: &NetconfOptions) -> Result<usize, Broken> {
        let algorithm = self.agreed.preferred().filter(|_| may_be_compressed(message));
        let mut rpc = Cow::from(message);
        if let Some(algorithm) = algorithm {
            rpc = compression::deflate(algorithm, message)?.into();
        }
        if let Some(protecting) = &mut self.protecting {
            rpc = protecting.seal(&rpc, algorithm)?.into();
        }
        let mut framed = Vec::with_capacity(rpc.len() + 32);
        self.framing.frame(&rpc, &mut framed);
        let Some(stream) = &mut self.stream else { return Err(Broken::Lost(None)) };
        // Whoever does not await it to its end leaves a part of a message.
        let state = std::mem::replace(&mut self.state, State::Cut);
        let sent = timeout(options.timeout, write(stream, &framed)).await;
        sent.unwrap_or(Err(Broken::Silent))?;
        self.state = state;
        Ok(framed.len())
    }

    /// One request and its reply, with the octets of both as they are framed.
    async fn exchange(
        &mut self,
        operation: &[u8],
        options: &NetconfOptions,
    ) -> Result<(Vec<u8>, usize, usize), Broken> {
        let sent = self.send(operation, options).await?;
        let number = self.last.to_string();
        for _ in 0..MOST_STRAYS {
            let (message, octets) = self.message(options).await?;
            match Answers::of(&message, options.max_reply)? {
                Answers::Request(found) if found != number => {
                    return Err(NetconfFault::AnotherRequest { expected: number, found }.into());
                }
                Answers::Request(_) | Answers::Unread => return Ok((message, sent, octets)),
                Answers::Nothing => {}
            }
        }
        Err(NetconfFault::OnlyNotifications { count: MOST_STRAYS }.into())
    }

    /// A message of somebody else, and its reply.
    async fn relay(&mut self, message: &[u8], options: &NetconfOptions) -> Result<Vec<u8>, Broken> {
        self.send_message(message, options).await?;
        for _ in 0..MOST_STRAYS {
            let (message, _) = self.message(options).await?;
            if is_protected(&message) || Answers::of(&message, options.max_reply)? != Answers::Nothing {
                return Ok(message);
            }
        }
        Err(NetconfFault::OnlyNotifications { count: MOST_STRAYS }.into())
    }

    /// The next message, and its octets with their framing. The agent may be silent for the time of an answer.
    async fn message(&mut self, options: &NetconfOptions) -> Result<(Vec<u8>, usize), Broken> {
        let mut octets = 0;
        loop {
            let mut rest = &self.input[self.taken..];
            let before = rest.len();
            let message = match self.deframer.receive(&mut rest) {
                Ok(message) => message,
                Err(fault) => {
                    self.state = State::Cut;
                    return Err(fault.into());
                }
            };
            octets += before - rest.len();
            self.taken += before - rest.len();
            if let Some(message) = message {
                let message = match &mut self.protecting {
                    Some(protecting) => match protecting.open(message, options.max_reply, &self.agreed) {
                        Ok(message) => message,
                        Err(fault) => {
                            self.state = State::Cut;
                            return Err(fault.into());
                        }
                    },
                    None => self.agreed.receive(message, options.max_reply)?,
                };
                return Ok((message, octets));
            }
            self.input.clear();
            self.taken = 0;
            self.input.reserve(PIECE);
            let Some(stream) = &mut self.stream else { return Err(Broken::Lost(None)) };
            let fault = match timeout(options.timeout, stream.read_buf(&mut self.input)).await {
                Ok(Ok(0)) if self.deframer.is_between_messages() => Broken::Lost(None),
                Ok(Ok(0)) => Broken::Lost(Some(io::ErrorKind::UnexpectedEof)),
                Ok(Ok(_)) => continue,
                Ok(Err(error)) => lost(error),
                Err(_) => return Err(Broken::Silent),
            };
            self.state = State::Cut;
            return Err(fault);
        }
    }
}

impl Drop for Line {
    /// Ends the session as its protocol says, beside whatever else happens.
    fn drop(&mut self) {
        let _within = self.runtime.enter();
        let Some(stream) = self.stream.take() else { return };
        if self.state != State::Open {
            self.runtime.spawn(dial::part(stream));
            return;
        }
        let line = Line {
            stream: Some(stream),
            // On a runtime that ends it is dropped again, at once.
            state: State::Closing,
            deframer: std::mem::replace(&mut self.deframer, Deframer::new(hello::MOST)),
            framing: self.framing,
            agreed: std::mem::take(&mut self.agreed),
            protecting: self.protecting.take(),
            hello: self.hello.clone(),
            input: std::mem::take(&mut self.input),
            taken: self.taken,
            last: self.last,
            runtime: self.runtime.clone(),
        };
        self.runtime.spawn(line.end(true));
    }
}

async fn write(stream: &mut Box<dyn Stream>, octets: &[u8]) -> Result<(), Broken> {
    stream.write_all(octets).await.map_err(lost)?;
    stream.flush().await.map_err(lost)
}

fn lost(error: io::Error) -> Broken {
    Broken::Lost(Some(error.kind()))
}

/// A request as a message, on behalf of a role if there is one.
pub(super) fn request(number: u64, role: Option<&str>, operation: &[u8]) -> Vec<u8> {
    let mut rpc = Vec::with_capacity(operation.len() + 256);
    let mut writer = Writer::new(&mut rpc);
    writer.start("rpc").attribute("xmlns", BASE).attribute("message-id", &number.to_string());
    if let Some(role) = role {
        writer.attribute("xmlns:rbac", RBAC).attribute("rbac:role", role);
    }
    writer.raw(operation).end("rpc");
    rpc
}

const ATTEMPTS: u32 = 2;
/// Notifications before a reply. Nobody has subscribed to any.
const MOST_STRAYS: usize = 10_000;
/// What yuma123's netconfd announces. Up to 2.13 it never answers a request that it reads together with our hello, and it sends
/// its own hello before it reads ours.
const YUMA: &str = "http://netconfcentral.org/ns/yuma-";
/// How long it is given to read our hello.
const YUMA_PAUSE: Duration = Duration::from_millis(250);
/// Octets that are read at one time.
const PIECE: usize = 64 << 10;
