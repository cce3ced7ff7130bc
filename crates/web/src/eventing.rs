//! Notifications as SOAP messages: WS-Eventing at `/soap/events`, and at the URIs of services (`source`). Everyone with a
//! `notify` view may subscribe; the access policy is checked for each notification, as for every other target. The
//! addresses that messages may go to are limited (`reach`).
//!
//! Each subscription has a separate task with a bounded queue, so that a slow subscriber delays no other.
//! Subscriptions are kept in memory: a subscriber renews, and finds out that the agent was restarted.

mod delivery;
mod identity;
mod source;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use arc_swap::ArcSwap;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use trunkline_smi::{Oid, module};
use trunkline_soap::Limits;
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::{
    Answer, Asked, Ended, Endpoint, Notification, Refusal, Request, Subscribe, read_request, write_answer,
    write_fault,
};
use trunkline_soap::fault::Fault;
use trunkline_transport::LogLimit;
use trunkline_transport::http::{HttpRequest, HttpResponse, Method, StatusCode};
use trunkline_tree::policy::{Denied, ViewType};

use super::http::{
    Answering, Asker, Front, HttpDoor, Refused, ServiceEvents, check_action, one_identity, unsupported,
    version_of,
};
use delivery::Delivery;
use identity::{Credentials, Identity};
use source::{At, Source};
use trunkline_config::reach::{self, Origin, Reach};
use trunkline_config::url::{self, Url};
use trunkline_config::{HttpDoors, Plan};
use trunkline_core::{Core, NotAdmitted, Settings};
use trunkline_credentials::secure::OutgoingNow;
use trunkline_retrieval::Services;
use trunkline_tree::Event;

/// The path for subscribers' requests.
pub const PATH: &str = "/soap/events";

/// The subscriptions of an agent.
pub struct Eventing {
    core: Arc<Core>,
    outgoing: OutgoingNow,
    /// The moment of sysUpTime 0.
    started: Instant,
    /// Tells the names of this run of the agent from those of others.
    run: u128,
    serial: AtomicU64,
    /// The credentials of principals, from the configuration.
    credentials: Mutex<Credentials>,
    reach: ArcSwap<Reach>,
    subscriptions: Mutex<HashMap<String, Subscription>>,
}

struct Subscription {
    who: Arc<Identity>,
    source: Source,
    /// From which network it was made.
    network: IpAddr,
    /// What the notification's name begins with; empty for all.
    wanted: Vec<Oid>,
    life: watch::Sender<Life>,
    waiting: mpsc::Sender<Arc<Happened>>,
    /// Of notifications for which there was no room.
    crowded: LogLimit,
    task: JoinHandle<()>,
}

/// How long a subscription lasts.
#[derive(Clone, Copy, Debug)]
enum Life {
    Until(Instant),
    /// Ended early, which the subscriber is notified of.
    Over(Ended),
}

/// A notification to send.
struct Happened {
    notification: Notification,
    /// In which context; empty for the default one.
    context: String,
}

impl Eventing {
    /// Without subscriptions.
    pub fn new(core: Arc<Core>, outgoing: OutgoingNow, started: Instant) -> Arc<Self> {
        let run =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Arc::new(Eventing {
            core,
            outgoing,
            started,
            run,
            serial: AtomicU64::new(1),
            credentials: Mutex::default(),
            reach: ArcSwap::default(),
            subscriptions: Mutex::default(),
        })
    }

    /// Applies another configuration, which the door must have already: subscriptions that could no longer be
    /// made end.
    pub fn configure(&self, plan: &Plan) {
        self.reach.store(Arc::new(Reach::of(plan)));
        let settings = self.core.settings();
        let now = identity::credentials(plan);
        let mut credentials = self.credentials.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *credentials, now);
        let is_served = !plan.http.listen.is_empty();
        self.all().retain(|identifier, subscription| {
            let stays = is_served
                && subscription.source.may_stay(plan.http.doors, &plan.services)
                && subscription.who.may_stay(&settings, &plan.http, &before, &credentials);
            if !stays {
                tracing::info!(identifier, "a subscription has ended: it is no longer permitted");
                let _ = subscription.life.send(Life::Over(Ended::SourceCancelling));
            }
            stays
        });
    }

    /// Ends all subscriptions and notifies the subscribers that requested it; waits two seconds at most.
    pub async fn shut_down(&self) {
        let ending: Vec<JoinHandle<()>> = self
            .all()
            .drain()
            .map(|(_, subscription)| {
                let _ = subscription.life.send(Life::Over(Ended::SourceShuttingDown));
                subscription.task
            })
            .collect();
        let all_told = async {
            for task in ending {
                let _ = task.await;
            }
        };
        if tokio::time::timeout(FAREWELL, all_told).await.is_err() {
            tracing::info!("SubscriptionEnd could not be sent to every subscriber");
        }
    }

    /// Passes an event to the subscribers that want it and may see it; does not wait.
    pub fn tell(&self, event: &Event, at: Instant) {
        let all = self.all();
        if all.is_empty() {
            return;
        }
        let hundredths = at.saturating_duration_since(self.started).as_millis() / 10;
        let notification = Notification {
            oid: event.oid.clone(),
            uptime: hundredths as u32, // wraps after 497 days, as TimeTicks do
            objects: event.objects.clone(),
        };
        let happened = Arc::new(Happened { notification, context: event.context.clone() });
        let settings = self.core.settings();
        let are_told = all.iter().filter(|(_, subscription)| subscription.wants(event, &settings));
        for (identifier, subscription) in are_told {
            if let Err(untold) = subscription.who.may_know(&settings, &happened) {
                tracing::debug!(identifier, notification = %event.oid, %untold, "not sent to a subscriber");
                continue;
            }
            if let Err(TrySendError::Full(_)) = subscription.waiting.try_send(happened.clone())
                && let Some(left_out) = subscription.crowded.admit()
            {
                tracing::warn!(identifier, notification = %event.oid, left_out,
                    "too many notifications wait for this subscriber: this one is dropped");
            }
        }
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<String, Subscription>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name that nothing else has.
    fn name(&self) -> String {
        format!("{:x}-{}", self.run, self.serial.fetch_add(1, Ordering::Relaxed))
    }

    fn subscribe(
        self: &Arc<Self>,
        who: Identity,
        source: Source,
        (from, base, version): (Origin, &str, Version),
        subscribe: Subscribe,
    ) -> Result<Answer, Fault> {
        check_size(&subscribe)?;
        let manager = format!("{base}{}", source.asked_at);
        let to = self.parse_url(&subscribe.notify_to.address, from)?;
        let end_to =
            subscribe.end_to.map(|end_to| Ok::<_, Fault>((self.parse_url(&end_to.address, from)?, end_to)));
        let end_to = end_to.transpose()?;
        let wanted = subscribe.filter.map_or_else(|| Ok(Vec::new()), |names| resolve(&names))?;
        let lasting = lasting(subscribe.expires);
        let who = Arc::new(who);
        let identifier = self.name();
        let (waiting, notifications) = mpsc::channel(WAITING);
        let (life, lives) = watch::channel(Life::Until(Instant::now() + lasting));
        let delivery = Delivery {
            eventing: Arc::downgrade(self),
            identifier: identifier.clone(),
            who: who.clone(),
            from,
            manager: manager.clone(),
            source: format!("{base}{}", source.path),
            version,
            to: (to, subscribe.notify_to),
            end_to,
        };
        let mut all = self.all();
        let network = reach::network(from.peer);
        let count =
            |is_meant: &dyn Fn(&Subscription) -> bool| all.values().filter(|one| is_meant(one)).count();
        for (found, most, whose) in [
            (count(&|one| one.who.is_same(&who)), MOST_OF_ONE, " of yours"),
            (count(&|one| one.network == network), MOST_OF_NETWORK, " from your network"),
            (all.len(), MOST, ""),
        ] {
            if found >= most {
                let reason =
                    format!("there are {found} subscriptions{whose} already: end one or try again later");
                return Err(Refusal::EventSourceUnableToProcess.fault(reason));
            }
        }
        let task = tokio::spawn(delivery.run(notifications, lives));
        let crowded = LogLimit::for_failures();
        let made = Subscription { who, source, network, wanted, life, waiting, crowded, task };
        all.insert(identifier.clone(), made);
        Ok(Answer::Subscribed { manager, identifier, expires: lasting })
    }

    /// The requests about an existing subscription; only its owner may send them, to where it was made.
    fn manage(&self, who: &Identity, path: &str, asked: &Asked) -> Result<Answer, Fault> {
        let mut all = self.all();
        let identifier = asked.identifier.as_deref().unwrap_or_default();
        let is_meant = |found: &&Subscription| found.who.is_same(who) && found.source.is_at(path);
        let found = all.get(identifier).filter(is_meant);
        let left = found.and_then(|found| found.left().map(|left| (found, left)));
        let Some((subscription, left)) = left else {
            let refusal = match &asked.request {
                Request::Renew(_) => Refusal::UnableToRenew,
                _ => Refusal::InvalidMessage,
            };
            let reason =
                "you have no such subscription at this address: it has ended, or the agent was restarted";
            return Err(refusal.fault(reason));
        };
        Ok(match &asked.request {
            Request::Renew(expires) => {
                let lasting = lasting(*expires);
                let _ = subscription.life.send(Life::Until(Instant::now() + lasting));
                Answer::Renewed(lasting)
            }
            Request::Unsubscribe => {
                all.remove(identifier);
                Answer::Unsubscribed
            }
            _ => Answer::Status(left),
        })
    }

    /// A subscription is over.
    fn forget(&self, identifier: &str) {
        self.all().remove(identifier);
    }

    /// An endpoint for messages.
    fn parse_url(&self, address: &str, from: Origin) -> Result<Url, Fault> {
        let wrong = |error: url::WrongUrl| Refusal::InvalidMessage.fault(format!("`{address}`: {error}"));
        let url: Url = address.parse().map_err(wrong)?;
        if url.is_secure && self.outgoing.load().web().is_none() {
            let reason = "no events are delivered over https:// here: the agent has no trust anchors";
            return Err(Refusal::EventSourceUnableToProcess.fault(reason));
        }
        if !self.reach.load().may_have(&url, from) {
            let reason = "events are sent to the address that subscribes, and to the networks in event-targets of [http]";
            return Err(Refusal::EventSourceUnableToProcess.fault(reason));
        }
        Ok(url)
    }
}

impl Subscription {
    fn wants(&self, event: &Event, settings: &Settings) -> bool {
        let may_know = |name: &Oid| self.who.may_know_of(settings, &event.oid, name);
        self.left().is_some()
            && (self.wanted.is_empty() || self.wanted.iter().any(|prefix| event.oid.starts_with(prefix)))
            && self.source.has(event, may_know)
    }

    /// For how long it still lasts; `None`: it is over.
    fn left(&self) -> Option<Duration> {
        match *self.life.borrow() {
            Life::Until(end) => end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()),
            Life::Over(_) => None,
        }
    }
}

/// The door for subscribers' requests.
pub struct Subscribers(pub Arc<Eventing>);

impl HttpDoor for Subscribers {
    fn has(&self, path: &str) -> bool {
        path == PATH
    }

    fn is_open(&self, doors: HttpDoors) -> bool {
        doors.soap
    }

    fn lines(&self) -> &'static [&'static str] {
        &[]
    }

    fn answer<'a>(&'a self, front: &'a Front, request: &'a HttpRequest, asker: &'a Asker) -> Answering<'a> {
        Box::pin(async move { answer(&self.0, front, request, asker).await })
    }
}

impl ServiceEvents for Subscribers {
    fn answer_at<'a>(
        &'a self,
        services: &'a Services,
        front: &'a Front,
        request: &'a HttpRequest,
        asker: &'a Asker,
    ) -> Answering<'a> {
        Box::pin(respond(&self.0, At::Service(services), front, request, asker))
    }
}

async fn answer(
    eventing: &Arc<Eventing>,
    front: &Front,
    request: &HttpRequest,
    asker: &Asker,
) -> HttpResponse {
    if request.method != Method::POST && request.query.is_some() {
        let line = "there is no description: the operations are those of WS-Eventing (2004/08), whose WSDL every toolkit has";
        return HttpResponse::text(StatusCode::NOT_FOUND, line);
    }
    if request.method != Method::POST {
        return HttpResponse::text(
            StatusCode::OK,
            "WS-Eventing (2004/08): POST Subscribe here to receive events",
        );
    }
    respond(eventing, At::Agent, front, request, asker).await
}

/// The answer to a message that is posted to a source.
async fn respond(
    eventing: &Arc<Eventing>,
    at: At<'_>,
    front: &Front,
    request: &HttpRequest,
    asker: &Asker,
) -> HttpResponse {
    let Some(media) = version_of(request) else { return unsupported() };
    let asked = match read_request(&request.body, Limits::MESSAGE) {
        Ok(asked) => asked,
        Err(refused) => {
            return fault(refused.version.unwrap_or(media), refused.message_id.as_deref(), &refused.fault);
        }
    };
    let (version, message_id) = (asked.version, asked.message_id.as_deref());
    match carry_out((eventing, at), front, request, asker, media, &asked).await {
        Ok(answer) => {
            let body = write_answer(version, message_id, &answer);
            HttpResponse::new(StatusCode::OK, version.content_type(), body)
        }
        Err(refused) => refused.answer(|refused| fault(version, message_id, refused)),
    }
}

async fn carry_out(
    (eventing, at): (&Arc<Eventing>, At<'_>),
    front: &Front,
    request: &HttpRequest,
    asker: &Asker,
    media: Version,
    asked: &Asked,
) -> Result<Answer, Refused> {
    check_action(request, media, asked.version, asked.request.action())?;
    let community = asked.community.as_deref();
    one_identity(asker, community)?;
    let settings = front.core().settings();
    let who = Identity::of(front, &settings, request, asker, community).map_err(Refused::NoAccess)?;
    let answered = match &asked.request {
        Request::Subscribe(subscribe) => {
            // A subscriber that may see no notification has no use for a subscription.
            let community = community.map(str::as_bytes);
            let access = front.access(&settings, request, asker, community, ViewType::Notify);
            if !access.map_err(Refused::NoAccess)?.may_notify_anything() {
                return Err(Refused::NoAccess(NotAdmitted::from(Denied::NoSuchView).into()));
            }
            let source = at.source(front, &settings, request, asker, asked.community.as_deref()).await?;
            let authority = request.authority.as_deref().unwrap_or("localhost");
            let base = format!("{}://{authority}", request.scheme());
            let from = Origin { peer: request.session.peer.ip(), local: request.session.local };
            eventing.subscribe(who, source, (from, &base, asked.version), subscribe.clone())
        }
        _ => eventing.manage(&who, &request.path, asked),
    };
    Ok(answered?)
}

fn fault(version: Version, relates_to: Option<&str>, fault: &Fault) -> HttpResponse {
    let (status, body) = write_fault(version, relates_to, fault);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::new(status, version.content_type(), body)
}

/// The stored part of a subscription is bounded: it is sent with each message.
fn check_size(subscribe: &Subscribe) -> Result<(), Fault> {
    let of = |endpoint: &Endpoint| {
        let parameters = endpoint.parameters.iter();
        let octets = parameters.map(|one| one.namespace.len() + one.local.len() + one.text.len());
        endpoint.address.len() + octets.sum::<usize>()
    };
    let names = subscribe.filter.iter().flatten().map(String::len).sum::<usize>();
    let found = of(&subscribe.notify_to) + subscribe.end_to.as_ref().map_or(0, of) + names;
    if found > LARGEST {
        let reason = format!(
            "addresses, reference parameters and filter have {found} octets together, {LARGEST} are accepted"
        );
        return Err(Refusal::InvalidMessage.fault(reason));
    }
    Ok(())
}

/// What the names of a filter mean: descriptors of notifications that this agent knows, or object identifiers.
fn resolve(names: &[String]) -> Result<Vec<Oid>, Fault> {
    let of = |name: &String| {
        if let Ok(oid) = name.parse::<Oid>() {
            return Ok(oid);
        }
        let (module, notification) = name.split_once("::").unwrap_or(("", name));
        let modules = module::ALL.iter().filter(|found| module.is_empty() || found.name == module);
        let found = modules.flat_map(|found| found.notifications).find(|found| found.name == notification);
        let reason = || format!("`{name}` is not a known notification");
        let oid = found.and_then(|found| Oid::new(found.oid).ok());
        oid.ok_or_else(|| Refusal::FilteringRequestedUnavailable.fault(reason()))
    };
    names.iter().map(of).collect()
}

/// The duration of a subscription for the requested time: never longer than [`LONGEST`] (WS-Eventing section 3.1
/// lets the source decide).
fn lasting(asked: Option<Duration>) -> Duration {
    asked.unwrap_or(USUAL).min(LONGEST)
}

/// How many subscriptions there are at most.
const MOST: usize = 64;
/// How many of them one principal or community has at most: it leaves room for others.
const MOST_OF_ONE: usize = 32;
/// How many are made from one network at most: an IPv4 address, or 64 bits of IPv6.
const MOST_OF_NETWORK: usize = 16;
/// How many octets are kept of one subscription at most.
const LARGEST: usize = 4096;
/// How many notifications wait for one subscriber at most.
const WAITING: usize = 256;
const USUAL: Duration = Duration::from_secs(3600);
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How long the agent's shutdown waits for the subscribers that are notified of it.
const FAREWELL: Duration = Duration::from_secs(2);
