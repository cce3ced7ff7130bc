//! A session that its holder lends to other processes of the same user, so that they work under its locks.
//!
//! ```text
//! trunkline netconf lock (holder) === session === server
//!        |  a socket in a private folder, whose path is in the environment
//! trunkline netconf edit (borrower)
//! ```
//!
//! Messages are framed as NETCONF's are (RFC 6242 section 4.2). The borrower says which server and user it means, and receives the locks that
//! the session holds and the server's hello; then it sends operations, each with a letter in front, and receives replies. A lock that a
//! borrower leaves behind is released.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Mutex, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use trunkline_netconf::framing::{Deframer, Framing};
use trunkline_netconf::hello::Hello;
use trunkline_netconf::operation::Datastore;
use trunkline_netconf::reply::Returns;
use trunkline_netconf::request;
use trunkline_transport::dial::{PARTING, Stream};
use trunkline_transport::local::private::{self, PrivateSocket};

use super::link::{Exchanged, Link, Weight};
use super::way::Way;
use super::{NetconfFault, NetconfOptions, NetconfSession};
use crate::answer::Cost;
use crate::error::Error;
use crate::target::NetconfTarget;

/// A session that is lent until this is dropped.
#[derive(Debug)]
pub struct Lending {
    path: PathBuf,
    ends: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Lending {
    /// The socket by which it is borrowed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lends it no more. Waits, a second at most, until what borrowers have left locked is released.
    pub async fn end(mut self) {
        drop(self.ends.take());
        let _ = (&mut self.task).await;
    }
}

impl Drop for Lending {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl NetconfSession {
    /// Lends the session to processes of the same user that mean the same server: at a socket in a private folder in this one. `locked`: the
    /// datastores whose locks it holds.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn lend(&self, within: &Path, locked: &[Datastore]) -> io::Result<Lending> {
        let socket = PrivateSocket::bind(within)?;
        let path = socket.path().to_owned();
        let (session, locked) = (self.clone(), locked.to_vec());
        let (ends, mut ended) = oneshot::channel();
        let serve = async move {
            // They end with this task.
            let mut guests = JoinSet::new();
            loop {
                tokio::select! {
                    accepted = socket.accept() => {
                        let Ok(stream) = accepted else { break };
                        let (session, locked) = (session.clone(), locked.clone());
                        let wire = Wire::new(stream, usize::MAX);
                        guests.spawn(async move { drop(serve(&session, &locked, wire).await) });
                    }
                    _ = &mut ended => break,
                }
                while guests.try_join_next().is_some() {}
            }
            let _ = timeout(PARTING, async { while guests.join_next().await.is_some() {} }).await;
        };
        Ok(Lending { path, ends: Some(ends), task: tokio::spawn(serve) })
    }

    /// The datastores whose locks the session holds for whoever lent it; none of a session of one's own.
    #[must_use]
    pub fn lent_locks(&self) -> &[Datastore] {
        match &self.inner.way {
            Way::Borrowed(borrowed) => &borrowed.locked,
            _ => &[],
        }
    }
}

/// Carries out what a borrower sends, until it is gone.
async fn serve(session: &NetconfSession, locked: &[Datastore], mut wire: Wire) -> Result<(), Error> {
    let wanted = wire.receive().await?;
    if wanted != session.inner.identity.as_bytes() {
        return wire.send(b"").await;
    }
    let names: Vec<&str> = locked.iter().map(|it| name(*it)).collect();
    let mut greeting = format!("{}\n", names.join(" ")).into_bytes();
    session.hello().await?.write(&mut greeting);
    wire.send(&greeting).await?;
    let mut left = Vec::new();
    let ended = answer(session, &mut wire, &mut left).await;
    for datastore in left {
        if datastore == Datastore::Candidate {
            let _ = session.done(&request::discard_changes()).await;
        }
        let _ = session.done(&request::unlock(datastore)).await;
    }
    ended
}

/// The same, with the locks that the borrower has taken.
async fn answer(session: &NetconfSession, wire: &mut Wire, taken: &mut Vec<Datastore>) -> Result<(), Error> {
    loop {
        let message = wire.receive().await?;
        let Some((kind, operation)) = message.split_first() else { return Err(lost()) };
        let weight = if *kind == READS { Weight::Reads } else { Weight::Writes };
        let answered = session.inner.way.ask(operation, weight).await;
        let octets = match &answered {
            Ok(Exchanged { message, .. }) => [&[REPLY], &message[..]].concat(),
            Err(fault) => [&[FAULT], fault.to_string().as_bytes()].concat(),
        };
        if let Ok(Exchanged { message, .. }) = &answered
            && session.check(message, Returns::Ok).is_ok()
        {
            for (_, datastore) in Datastore::WORDS {
                if operation == request::lock(datastore) {
                    taken.push(datastore);
                } else if operation == request::unlock(datastore) {
                    taken.retain(|it| *it != datastore);
                }
            }
        }
        wire.send(&octets).await?;
    }
}

/// A session that is borrowed.
pub(super) struct Borrowed {
    wire: Mutex<Wire>,
    hello: Arc<Hello>,
    locked: Vec<Datastore>,
    /// For subscriptions, which need a session of their own.
    pub own: Link,
}

impl Borrowed {
    /// Borrows the session behind a socket; `None`: it is one with another server, or of another user.
    pub async fn connect(path: &Path, identity: &str, own: Link, most: usize) -> Result<Option<Self>, Error> {
        let failed = |fault: &dyn std::fmt::Display| {
            Error::from(NetconfFault::Lent { path: path.to_owned(), fault: fault.to_string() })
        };
        let stream = private::connect(path).await.map_err(|fault| failed(&fault))?;
        let mut wire = Wire::new(stream, most);
        wire.send(identity.as_bytes()).await.map_err(|fault| failed(&fault))?;
        let greeting = wire.receive().await.map_err(|fault| failed(&fault))?;
        if greeting.is_empty() {
            return Ok(None);
        }
        let end = greeting.iter().position(|it| *it == b'\n').unwrap_or(0);
        let (names, hello) = (String::from_utf8_lossy(&greeting[..end]), &greeting[end..]);
        let hello = Hello::read(hello.trim_ascii_start()).map_err(|fault| failed(&fault))?;
        let locked = names.split(' ').filter_map(|it| Datastore::WORDS.iter().find(|(word, _)| *word == it));
        let locked = locked.map(|(_, datastore)| *datastore).collect();
        Ok(Some(Borrowed { wire: Mutex::new(wire), hello: Arc::new(hello), locked, own }))
    }

    pub fn hello(&self) -> Arc<Hello> {
        self.hello.clone()
    }

    /// Sends an operation and waits for its reply.
    pub async fn ask(&self, operation: &[u8], weight: Weight) -> Result<Exchanged, Error> {
        let began = Instant::now();
        let kind = if weight == Weight::Reads { READS } else { WRITES };
        let mut wire = self.wire.lock().await;
        wire.send(&[&[kind], operation].concat()).await?;
        let answer = wire.receive().await?;
        match answer.split_first() {
            Some((&REPLY, message)) => {
                let (request_octets, response_octets) = (operation.len(), message.len());
                let cost = Cost { request_octets, response_octets, delay: began.elapsed(), attempts: 1 };
                Ok(Exchanged { message: message.to_vec(), cost })
            }
            Some((_, words)) => {
                Err(NetconfFault::Holder { words: String::from_utf8_lossy(words).into_owned() }.into())
            }
            None => Err(lost()),
        }
    }
}

/// Messages on a stream.
struct Wire {
    stream: Box<dyn Stream>,
    deframer: Deframer,
    input: Vec<u8>,
}

impl Wire {
    fn new(stream: Box<dyn Stream>, most: usize) -> Self {
        // A reply has an octet in front.
        let mut deframer = Deframer::new(most.saturating_add(1));
        deframer.switch(Framing::Chunked);
        Wire { stream, deframer, input: Vec::new() }
    }

    async fn send(&mut self, message: &[u8]) -> Result<(), Error> {
        // A chunk is never empty.
        let message = if message.is_empty() { b"\n" } else { message };
        let mut framed = Vec::with_capacity(message.len() + 32);
        Framing::Chunked.frame(message, &mut framed);
        let written = async {
            self.stream.write_all(&framed).await?;
            self.stream.flush().await
        };
        written.await.map_err(Error::of_stream)
    }

    /// `\n` alone stands for nothing.
    async fn receive(&mut self) -> Result<Vec<u8>, Error> {
        loop {
            let mut rest = &self.input[..];
            let message = self.deframer.receive(&mut rest).map_err(NetconfFault::from)?;
            let read = self.input.len() - rest.len();
            self.input.drain(..read);
            if let Some(message) = message {
                return Ok(if message == b"\n" { Vec::new() } else { message });
            }
            self.input.reserve(PIECE);
            if self.stream.read_buf(&mut self.input).await.map_err(Error::of_stream)? == 0 {
                return Err(lost());
            }
        }
    }
}

/// Whose session it is: the server, over SSH the user, and the role.
pub(super) fn identity(target: &NetconfTarget, options: &NetconfOptions) -> String {
    let of_secure = || target.secure.as_ref().and_then(|secure| secure.ssh_user());
    let user = target.login.as_deref().or_else(of_secure).unwrap_or_default();
    let role = options.role.as_ref().map(|role| format!(" as {role}")).unwrap_or_default();
    format!("{}://{user}@{}{role}", target.scheme(), target.authority())
}

fn name(datastore: Datastore) -> &'static str {
    Datastore::WORDS.iter().find(|(_, it)| *it == datastore).map_or("", |(name, _)| name)
}

fn lost() -> Error {
    Error::ConnectionLost { kind: None }
}

/// In front of an operation: it only reads.
const READS: u8 = b'r';
/// It may do more.
const WRITES: u8 = b'w';
/// In front of an answer: a reply.
const REPLY: u8 = b'+';
/// What the holder says about why there is none.
const FAULT: u8 = b'-';
/// Octets that are read at one time.
const PIECE: usize = 64 << 10;
