//! The task of a session over HTTP: SNMP inside SOAP. Each request occupies one connection until its answer
//! arrives; there are few connections, which are kept open, and replaced when they break.
//!
//! An agent that would stay silent says so (202 without a body): the request's time is then over at once.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use trunkline_binding::envelope::{self, PATH};
use trunkline_binding::session;
use trunkline_snmp::SecurityLevel;

use super::datagrams::{give_up, take};
use super::keys::{Keys, take_keys};
use super::talk::at;
use super::{Command, Reply, SessionOptions, Shared, now, reply};
use crate::credentials::Credentials;
use crate::error::Error;
use crate::exchange::{Exchanges, Response};
use crate::soap::link::CONNECT_TIME;
use crate::soap::link::{Link, Weight};
use crate::soap::{SoapOptions, SoapVersion};
use crate::target::Target;

/// The few connections of a session.
pub(super) struct Links {
    free: Vec<Arc<Link>>,
    /// The minimum security level of a connection.
    least: SecurityLevel,
    /// When idle connections are closed.
    idle: Option<Duration>,
}

/// A posted message.
enum Posted {
    /// A request with an answer.
    Asked(i32),
    /// A message of this many octets without an answer.
    Told(usize, Reply),
}

/// The outcome of a post: a message, or none.
type Outcome = Result<Option<Vec<u8>>, Error>;

/// Posts under way, each with its connection.
type Posts = JoinSet<(Arc<Link>, Posted, Outcome)>;

impl Links {
    pub(super) fn new(target: &Target, options: &SessionOptions) -> Result<Self, Error> {
        let (place, http) = (target.place(), &target.http);
        let soap = SoapOptions {
            // The patience of the requests ends earlier.
            timeout: options.patience().whole().saturating_add(options.timeout),
            connect_time: Some(options.connect_time(CONNECT_TIME)),
            // The answer is one message, which XML makes longer.
            max_answer: options.max_message_size.saturating_mul(LONGER_IN_XML),
            version: SoapVersion::V1_2,
            compression: http.compress,
            observer: http.observer.clone(),
            path: http.path.clone().unwrap_or_else(|| PATH.to_owned()),
            ..SoapOptions::default()
        };
        let link = |_| Link::new(&place, &soap).map(Arc::new);
        let free = (0..MAX_LINKS.min(options.window.max(1))).map(link).collect::<Result<_, _>>()?;
        let least = match &target.credentials {
            Credentials::Transport(session) => session.level,
            _ => SecurityLevel::NoAuthNoPriv,
        };
        Ok(Links { free, least, idle: options.idle })
    }

    /// Closes the free connections in order; those in use break with their requests.
    async fn close(self) {
        for link in self.free {
            link.close_in_order().await;
        }
    }

    /// Makes the first connection.
    pub(super) async fn connect(&self) -> Result<(), Error> {
        match self.free.last() {
            Some(link) => connected(link, self.least).await,
            None => Ok(()),
        }
    }
}

/// Carries requests and answers until the last handle is gone.
pub(super) async fn drive(
    mut links: Links,
    mut commands: mpsc::UnboundedReceiver<Command>,
    mut exchanges: Exchanges<Reply>,
    shared: Arc<Shared>,
) {
    let mut posts = Posts::new();
    let mut keys = Keys::default();
    let mut used = now();
    loop {
        give_up(&mut exchanges, &shared);
        post_all(&mut links, &mut posts, &mut exchanges, &shared);
        keys.begin(&mut exchanges);
        let is_busy = exchanges.len() > 0 || !posts.is_empty();
        if is_busy {
            used = now();
        }
        let is_open = links.idle.is_some() && !is_busy;
        let idle_end = links.idle.filter(|_| is_open).map(|idle| used + idle);
        let deadline = exchanges.next_deadline().into_iter().chain(idle_end).min();
        tokio::select! {
            Some(done) = posts.join_next(), if !posts.is_empty() => match done {
                Ok((link, posted, outcome)) => {
                    links.free.push(link);
                    take_outcome(posted, outcome, &mut exchanges, &shared);
                }
                Err(error) => tracing::error!(%error, "a post has ended badly"),
            },
            made = keys.made() => take_keys(made, &mut exchanges, &shared),
            command = commands.recv() => {
                if command.and_then(|command| command.give_to(&mut exchanges)).is_none() {
                    return links.close().await;
                }
            },
            () = at(deadline), if deadline.is_some() => {
                if idle_end.is_some_and(|end| end <= now()) {
                    let closed = links.free.iter().filter(|link| link.close()).count();
                    shared.counters.idle_closed.fetch_add(closed as u64, Relaxed);
                    // until the next request
                    let command = commands.recv().await;
                    if command.and_then(|command| command.give_to(&mut exchanges)).is_none() {
                        return links.close().await;
                    }
                }
            }
        }
    }
}

/// Posts due messages, while there are free connections.
fn post_all(links: &mut Links, posts: &mut Posts, exchanges: &mut Exchanges<Reply>, shared: &Shared) {
    let least = links.least;
    while let Some(link) = links.free.pop() {
        if let Some((octets, reply)) = exchanges.poll_tell() {
            shared.sent(&octets);
            let told = Posted::Told(octets.len(), reply);
            posts.spawn(post(link, told, octets, Weight::Writes, least));
            continue;
        }
        let next = exchanges.poll_send(now()).map(|(id, octets)| (id, octets.to_vec()));
        let Some((id, octets)) = next else { return links.free.push(link) };
        shared.sent(&octets);
        let weight = if exchanges.is_safe(id) { Weight::Reads } else { Weight::Writes };
        posts.spawn(post(link, Posted::Asked(id), octets, weight, least));
    }
}

async fn post(
    link: Arc<Link>,
    posted: Posted,
    octets: Vec<u8>,
    weight: Weight,
    least: SecurityLevel,
) -> (Arc<Link>, Posted, Outcome) {
    let outcome = exchange(&link, &octets, weight, least).await;
    (link, posted, outcome)
}

async fn exchange(link: &Link, octets: &[u8], weight: Weight, least: SecurityLevel) -> Outcome {
    let document = envelope::wrap(SoapVersion::V1_2, octets).map_err(Error::Malformed)?;
    connected(link, least).await?;
    let answered = link.ask(None, document, weight).await?;
    if answered.body.is_empty() {
        return Ok(None);
    }
    match envelope::unwrap(&answered.body) {
        Ok(message) => Ok(Some(message.octets)),
        Err((_, fault)) => Err(Error::Fault { fault: Box::new(fault) }),
    }
}

/// Connects, at this level or above.
async fn connected(link: &Link, least: SecurityLevel) -> Result<(), Error> {
    let found = session::level(link.connect().await?);
    if found < least { Err(Error::Protection { wanted: least, found }) } else { Ok(()) }
}

fn take_outcome(posted: Posted, outcome: Outcome, exchanges: &mut Exchanges<Reply>, shared: &Shared) {
    match (posted, outcome) {
        (Posted::Asked(_), Ok(Some(octets))) => drop(take(&octets, exchanges, shared)),
        (Posted::Asked(id), Ok(None)) => exchanges.hasten(id, now()),
        // If the answer is late, the time-out has already ended the request.
        (Posted::Asked(id), Err(error)) => {
            shared.watch(|watch| watch.failed(&error));
            reply(exchanges.handle_failure(id, now(), &error));
        }
        (Posted::Told(octets, asker), Ok(_)) => drop(asker.send(Ok(Response::of_told(octets)))),
        (Posted::Told(_, asker), Err(error)) => drop(asker.send(Err(error))),
    }
}

/// The maximum number of connections, as in a typical browser.
const MAX_LINKS: usize = 4;

/// How many times longer a message is in XML, at most: a binding of a few octets has about a hundred in tags.
const LONGER_IN_XML: usize = 20;
