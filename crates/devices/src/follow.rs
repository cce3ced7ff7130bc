//! The notifications that a device sends only to those who subscribe: over NETCONF, RESTCONF and SOAP (WS-Eventing), as long as somebody
//! watches.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use trunkline_client::eventing::{Endpoint, EventListener, Subscribe as Subscription, Told as Posted};
use trunkline_client::netconf::{Event, Subscribe, Told as Read};
use trunkline_client::soap::SoapSession;
use trunkline_client::{Error, Session};

use crate::Device;
use crate::happenings::{Happenings, Told};
use crate::link::{Link, is_refusal};

/// Who watches a device, and what subscribes for them.
#[derive(Default)]
pub(crate) struct Watched(Mutex<State>);

#[derive(Default)]
struct State {
    watchers: usize,
    /// When the last one left.
    left: Option<Instant>,
    task: Option<JoinHandle<()>>,
}

impl Drop for State {
    fn drop(&mut self) {
        self.task.take().into_iter().for_each(|task| task.abort());
    }
}

/// While it is held, somebody watches.
pub struct Watch(Arc<Device>);

impl Drop for Watch {
    fn drop(&mut self) {
        let mut state = self.0.watched().lock();
        state.watchers -= 1;
        state.left = (state.watchers == 0).then(Instant::now);
    }
}

impl Watched {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody has watched for a while.
    fn is_left(&self) -> bool {
        self.lock().left.is_some_and(|left| left.elapsed() > LINGER)
    }
}

impl Device {
    /// Watches its notifications, which come to `log`. Must be called on a tokio runtime.
    pub fn watch(self: &Arc<Self>, log: &Arc<Happenings>) -> Watch {
        let mut state = self.watched().lock();
        state.watchers += 1;
        state.left = None;
        if state.task.as_ref().is_none_or(JoinHandle::is_finished) {
            let (device, log) = (Arc::downgrade(self), log.clone());
            let link = self.link().clone();
            state.task = Some(tokio::spawn(async move {
                let is_left = || device.upgrade().is_none_or(|device| device.watched().is_left());
                follow(&link, &log, is_left).await;
            }));
        }
        drop(state);
        Watch(self.clone())
    }
}

/// Subscribes, again and again, until nobody watches or the device has no subscriptions.
async fn follow(link: &Link, log: &Happenings, is_left: impl Fn() -> bool) {
    let mut pause = SHORTEST;
    while !is_left() {
        // A connection of its own: what is read need not wait behind it.
        match timeout(LONGEST_OPENING, link.open()).await {
            Ok(Ok(session)) => match subscribed(&*session, link.name(), log, &is_left).await {
                Ok(End::Left | End::NotOffered) => return,
                Ok(End::Over) => pause = SHORTEST,
                Err(fault) => {
                    tracing::debug!(device = link.name(), %fault, "its events cannot be subscribed to")
                }
            },
            Ok(Err(fault)) => {
                tracing::debug!(device = link.name(), fault, "its events cannot be subscribed to")
            }
            Err(_) => {}
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST);
    }
}

/// Why there are no more events.
enum End {
    Left,
    NotOffered,
    Over,
}

async fn subscribed(
    session: &dyn Session,
    name: &str,
    log: &Happenings,
    is_left: &impl Fn() -> bool,
) -> Result<End, Error> {
    if let Some(session) = session.as_soap() {
        return over_soap(session, name, log, is_left).await;
    }
    let Some(session) = session.as_netconf() else { return Ok(End::NotOffered) };
    let modules = session.modules().await?.clone();
    let mut subscription = session.subscribe(Subscribe::default()).await?;
    loop {
        let next = match timeout(LOOKED_AFTER, subscription.next()).await {
            Ok(next) => next?,
            Err(_) if is_left() => {
                subscription.close().await;
                return Ok(End::Left);
            }
            Err(_) => continue,
        };
        match next {
            Some(Event::Notification { octets, .. }) => {
                // What cannot be read is not an event of this device's modules.
                if let Ok(read) = Read::read(&octets, &modules) {
                    log.add(name, Told::Leaves(read.name, read.leaves));
                }
            }
            Some(Event::ReplayComplete | Event::Lost { .. } | Event::Resumed { .. }) => {}
            None => return Ok(End::Over),
        }
    }
}

/// A device over SOAP posts its notifications to a listener at the address from which it is asked.
async fn over_soap(
    session: &SoapSession,
    name: &str,
    log: &Happenings,
    is_left: &impl Fn() -> bool,
) -> Result<End, Error> {
    let source = session.events()?;
    let (local, device) = source.addresses().await?;
    let mut listener = EventListener::bind(SocketAddr::new(local.ip(), 0))?;
    let at = Endpoint { address: format!("http://{}/", listener.local_addr()), parameters: Vec::new() };
    let subscribe = Subscription { notify_to: at.clone(), end_to: Some(at), expires: None, filter: None };
    let granted = match source.subscribe(subscribe).await {
        Ok(granted) => granted,
        Err(fault) if is_refusal(&fault) => {
            tracing::debug!(device = name, %fault, "its events cannot be subscribed to");
            return Ok(End::NotOffered);
        }
        Err(fault) => return Err(fault),
    };
    let mut renewal = Instant::now() + granted.expires / 2;
    loop {
        let received = match timeout(LOOKED_AFTER, listener.next()).await {
            // Whoever else finds the port is not heard.
            Ok(Some(received)) if received.peer.ip().to_canonical() == device.ip().to_canonical() => {
                Some(received.told)
            }
            Ok(Some(_)) | Err(_) => None,
            Ok(None) => return Ok(End::Over),
        };
        match received {
            Some(Posted::Notification(it)) => log.add(name, Told::Objects(it.oid, it.objects)),
            Some(Posted::End(_)) => return Ok(End::Over),
            None => {}
        }
        if is_left() {
            source.unsubscribe(&granted.identifier).await?;
            return Ok(End::Left);
        }
        if Instant::now() >= renewal {
            let expires = source.renew(&granted.identifier, None).await?;
            renewal = Instant::now() + expires / 2;
        }
    }
}

/// How long a subscription goes on after the last who watched.
const LINGER: Duration = Duration::from_secs(300);
/// After this time it is looked whether anybody watches.
const LOOKED_AFTER: Duration = Duration::from_secs(20);
/// Between attempts.
const SHORTEST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(60);
const LONGEST_OPENING: Duration = Duration::from_secs(30);
