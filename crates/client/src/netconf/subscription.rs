//! A subscription to a server's events (RFC 5277) or data (RFC 8641): it has a connection, and makes another one when that breaks. Then it lets the
//! server replay what was sent since the last event, without passing on anything twice.

use std::collections::HashSet;
use std::time::Duration;

use trunkline_netconf::NOTIFICATION;
use trunkline_netconf::document::Element;
use trunkline_netconf::needs;
use trunkline_netconf::push::establish::{Establish, When, establish};
use trunkline_netconf::push::update::{Told, Update};
use trunkline_netconf::reply::{FromServer, Returns};
use trunkline_netconf::request::{self, CreateSubscription, Select};

use super::known::NOTIFICATIONS;
use super::select::FOREST;
use super::way::Feed;
use super::{NetconfFault, NetconfSession, Selection};
use crate::error::Error;

/// What is subscribed to.
#[derive(Clone, Debug, Default)]
pub struct Subscribe {
    /// The stream; `None`: `NETCONF`.
    pub stream: Option<String>,
    /// Which of its events: a path, or an expression.
    pub selection: Option<Selection>,
    /// Which of its events: the content of a subtree filter, if there is no selection.
    pub subtree: Option<Vec<u8>>,
    /// Events since this time are sent first: date and time as RFC 3339 has them.
    pub since: Option<String>,
    /// When it ends. Needs `since`.
    pub until: Option<String>,
    /// Data instead of events: the selection is of it.
    pub push: Option<Push>,
}

/// A subscription to data (RFC 8641).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The name of the datastore: `operational`.
    pub store: String,
    /// When it is sent.
    pub when: When,
}

/// What a subscription passes on.
#[derive(Debug)]
pub enum Event {
    /// The server has sent an event.
    Notification {
        /// `eventTime`, as it was sent.
        time: String,
        /// The whole `notification`.
        octets: Vec<u8>,
    },
    /// What was requested of the past has been sent.
    ReplayComplete,
    /// The connection broke. Another one is made, after a pause.
    Lost {
        /// How.
        fault: Error,
        /// How long it waits.
        pause: Duration,
    },
    /// There is a connection again.
    Resumed {
        /// Whether the server replays what was missed, as far as it has kept it.
        is_replayed: bool,
    },
}

/// A subscription.
pub struct Subscription {
    session: NetconfSession,
    subscribe: Subscribe,
    line: Option<Feed>,
    pause: Duration,
    /// The time of the last event, and the events of that time.
    last: Option<(String, HashSet<Vec<u8>>)>,
    has_ended: bool,
}

impl NetconfSession {
    /// Subscribes, on the connection that the session has: another request makes another connection.
    ///
    /// # Errors
    /// [`Error`]; [`NetconfFault::Refused`] if the server does not take it, [`NetconfFault::UnknownNode`] if its schema does not have a name of
    /// the path, for which nobody would ever hear of anything.
    pub async fn subscribe(&self, subscribe: Subscribe) -> Result<Subscription, Error> {
        if subscribe.push.is_some() && !self.is_restconf() {
            let modules = self.modules().await?;
            needs::pushes(&*self.hello().await?, modules).map_err(NetconfFault::from)?;
        }
        if let Some(selection) = &subscribe.selection {
            let forest = if subscribe.push.is_some() { &*FOREST } else { &*NOTIFICATIONS };
            self.check_path(selection, forest).await?;
        }
        let mut subscription = Subscription {
            session: self.clone(),
            line: None,
            pause: Duration::ZERO,
            last: None,
            has_ended: false,
            subscribe,
        };
        let since = subscription.subscribe.since.clone();
        subscription.line = Some(begin(self, &subscription.subscribe, since.as_deref()).await?);
        Ok(subscription)
    }
}

impl Subscription {
    /// The next event; `None` once its time is over. Nothing is lost if it is not awaited to its end.
    ///
    /// # Errors
    /// [`Error`]: the server sends something that is not an event, or refuses to go on.
    pub async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            if self.has_ended {
                return Ok(None);
            }
            let Some(line) = &mut self.line else { return self.resume().await.map(Some) };
            match line.wait(&self.session.inner.options).await {
                Ok(octets) => {
                    self.pause = Duration::ZERO;
                    if let Some(event) = self.read(octets)? {
                        return Ok(Some(event));
                    }
                }
                Err(fault) if may_pass(&fault) => return Ok(Some(self.lost(fault))),
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Ends it and its session in order, within a second or two.
    pub async fn close(mut self) {
        if let Some(line) = self.line.take() {
            line.close().await;
        }
    }

    /// `None`: of no interest, or the end.
    fn read(&mut self, octets: Vec<u8>) -> Result<Option<Event>, Error> {
        let options = &self.session.inner.options;
        let document = match FromServer::read(&octets, options.max_reply).map_err(NetconfFault::from)? {
            FromServer::Notification(document) => document,
            // To a request that nobody has sent.
            FromServer::Reply(_) => return Ok(None),
        };
        let notification = document.root();
        let is_own = |name: &str| {
            let is_it = |it: Element<'_>| it.name() == name && OWN.contains(&it.namespace());
            notification.children().any(is_it)
        };
        if is_own("replayComplete") {
            return Ok(Some(Event::ReplayComplete));
        }
        if is_own("notificationComplete") {
            self.has_ended = true;
            return Ok(None);
        }
        let time = notification.child(NOTIFICATION, "eventTime").map(Element::value).unwrap_or_default();
        if let Some(update) = Update::read(notification) {
            let is_end = matches!(update.told, Told::State { name: "subscription-terminated", .. });
            self.has_ended = is_end;
            return Ok(Some(Event::Notification { time: time.to_owned(), octets }));
        }
        match &mut self.last {
            Some((last, told)) if last == time => {
                if !told.insert(octets.clone()) {
                    return Ok(None);
                }
                // So many at one time come from a server whose clock is coarse, or stands.
                if told.len() > MOST_AT_ONCE {
                    told.clear();
                }
            }
            _ => self.last = Some((time.to_owned(), HashSet::from([octets.clone()]))),
        }
        Ok(Some(Event::Notification { time: time.to_owned(), octets }))
    }

    fn lost(&mut self, fault: Error) -> Event {
        self.line = None;
        let pause = self.pause;
        self.pause = (pause * 2).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        Event::Lost { fault, pause: self.pause }
    }

    /// Another connection, and the same subscription on it, from the last event on.
    async fn resume(&mut self) -> Result<Event, Error> {
        tokio::time::sleep(self.pause).await;
        let since = self.last.as_ref().map(|(time, _)| time.clone()).or_else(|| self.subscribe.since.clone());
        let mut begun = begin(&self.session, &self.subscribe, since.as_deref()).await;
        let mut is_replayed = since.is_some();
        if is_replayed && matches!(&begun, Err(fault) if is_refusal(fault)) {
            // It keeps no events, or no longer that one.
            is_replayed = false;
            begun = begin(&self.session, &self.subscribe, None).await;
        }
        match begun {
            Ok(line) => {
                self.line = Some(line);
                Ok(Event::Resumed { is_replayed })
            }
            Err(fault) if may_pass(&fault) => Ok(self.lost(fault)),
            Err(fault) => Err(fault),
        }
    }
}

/// Another connection with the subscription. It has no part of [`Subscription`], so that the futures of that can go to other threads.
async fn begin(session: &NetconfSession, subscribe: &Subscribe, start: Option<&str>) -> Result<Feed, Error> {
    let Subscribe { stream, selection, subtree, until, push, .. } = subscribe;
    let select = match (selection, subtree) {
        (Some(selection), _) => selection.select(),
        (None, Some(content)) => Select::Subtree(content),
        (None, None) => Select::Everything,
    };
    // An end needs a begin (RFC 5277 section 2.1.1).
    let stop = until.as_deref().filter(|_| start.is_some());
    let operation = match push {
        Some(Push { store, when }) => establish(Establish { store, select, when: *when }),
        None => request::create_subscription(CreateSubscription {
            stream: stream.as_deref(),
            select,
            start,
            stop,
        }),
    };
    let inner = &session.inner;
    if push.is_none() && !session.is_restconf() {
        needs::notifications(&*session.hello().await?).map_err(NetconfFault::from)?;
    }
    let (reply, feed) = inner.way.subscribe(&operation, &inner.options).await?;
    // One to data has a number (RFC 8639 section 2.4.2).
    let returns = if push.is_some() { Returns::Something } else { Returns::Ok };
    session.check(&reply, returns)?;
    Ok(feed)
}

/// Whether another connection may go well.
fn may_pass(fault: &Error) -> bool {
    matches!(
        fault.cause(),
        Error::ConnectionLost { .. }
            | Error::Timeout { .. }
            | Error::Transport(_)
            | Error::Unreachable { .. }
    )
}

fn is_refusal(fault: &Error) -> bool {
    matches!(fault.cause(), Error::Netconf(fault) if matches!(**fault, NetconfFault::Refused(_)))
}

/// Where `replayComplete` and `notificationComplete` are defined (RFC 5277 section 4), and where some servers have them.
const OWN: [&str; 2] = ["urn:ietf:params:xml:ns:netmod:notification", NOTIFICATION];
/// Events of one time that are remembered.
const MOST_AT_ONCE: usize = 10_000;
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
