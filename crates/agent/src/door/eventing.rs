//! Notifications as messages of SOAP: WS-Eventing at `/soap/events`. Who may ask anything here may subscribe; what one is
//! told is decided anew for each notification, by the same access policy as for every other target.
//!
//! Each subscription has a task of its own with a bounded queue, so that a slow subscriber delays nobody. Subscriptions
//! are kept in memory: who wants to be told for long renews, and finds out when the agent has started anew.

mod delivery;
mod identity;
mod url;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use trunkline_smi::{Oid, module};
use trunkline_soap::Limits;
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::{self, Answer, Asked, Ended, Notification, Refusal, Request, Subscribe};
use trunkline_soap::fault::Fault;
use trunkline_transport::http::{HttpRequest, HttpResponse, Method, StatusCode};

use super::http::{Asker, Front};
use super::snmp::Door;
use super::soap::{self, Refused};
use crate::config::Plan;
use crate::notify::Event;
use crate::secure::OutgoingNow;
use delivery::Delivery;
use identity::{Credentials, Identity};
use url::Url;

/// Where subscribers ask.
pub const PATH: &str = "/soap/events";

/// The subscriptions of an agent.
pub struct Eventing {
    door: Arc<Door>,
    outgoing: OutgoingNow,
    /// The moment of sysUpTime 0.
    started: Instant,
    /// Tells the names of this run of the agent from those of others.
    run: u128,
    serial: AtomicU64,
    /// By what principals prove themselves, as the configuration has it.
    credentials: Mutex<Credentials>,
    subscriptions: Mutex<HashMap<String, Subscription>>,
}

struct Subscription {
    who: Arc<Identity>,
    /// What the notification's name begins with; empty for all.
    wanted: Vec<Oid>,
    life: watch::Sender<Life>,
    waiting: mpsc::Sender<Arc<Happened>>,
    task: JoinHandle<()>,
}

/// How long a subscription lasts.
#[derive(Clone, Copy, Debug)]
enum Life {
    Until(Instant),
    /// Over before its time, which the subscriber is told.
    Over(Ended),
}

/// Something to tell.
struct Happened {
    notification: Notification,
    /// In which context; empty for the default one.
    context: String,
}

impl Eventing {
    /// Without subscriptions.
    pub fn new(door: Arc<Door>, outgoing: OutgoingNow, started: Instant) -> Arc<Self> {
        let run =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Arc::new(Eventing {
            door,
            outgoing,
            started,
            run,
            serial: AtomicU64::new(1),
            credentials: Mutex::default(),
            subscriptions: Mutex::default(),
        })
    }

    /// Takes another configuration, which the door must have already: subscriptions of those who could not make them
    /// any more are over.
    pub fn configure(&self, plan: &Plan) {
        let settings = self.door.settings();
        let now = identity::credentials(plan);
        let mut credentials = self.credentials.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *credentials, now);
        let is_served = plan.http.doors.soap && !plan.http.listen.is_empty();
        self.all().retain(|identifier, subscription| {
            let stays = is_served && subscription.who.may_stay(&settings, &plan.http, &before, &credentials);
            if !stays {
                tracing::info!(identifier, "a subscription is over: it could not be made any more");
                let _ = subscription.life.send(Life::Over(Ended::SourceCancelling));
            }
            stays
        });
    }

    /// Ends all subscriptions, and tells those who want to know it; waits two seconds at most.
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
            tracing::info!("not every subscriber could be told that the agent ends");
        }
    }

    /// Hands an event to those who want it and may know it; does not wait.
    pub fn tell(&self, event: &Event) {
        let all = self.all();
        if all.is_empty() {
            return;
        }
        let hundredths = self.started.elapsed().as_millis() / 10;
        let notification = Notification {
            oid: event.oid.clone(),
            uptime: hundredths as u32, // wraps after 497 days, as TimeTicks do
            objects: event.objects.clone(),
        };
        let happened = Arc::new(Happened { notification, context: event.context.clone() });
        let settings = self.door.settings();
        for (identifier, subscription) in all.iter().filter(|(_, subscription)| subscription.wants(event)) {
            if let Err(untold) = subscription.who.may_know(&settings, &happened) {
                tracing::debug!(identifier, notification = %event.oid, %untold, "not told to a subscriber");
                continue;
            }
            if let Err(TrySendError::Full(_)) = subscription.waiting.try_send(happened.clone()) {
                tracing::warn!(identifier, notification = %event.oid,
                    "too many notifications wait for this subscriber already, it is not told this one");
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
        version: Version,
        manager: &str,
        subscribe: Subscribe,
    ) -> Result<Answer, Fault> {
        let to = self.parse_url(&subscribe.notify_to.address)?;
        let end_to =
            subscribe.end_to.map(|end_to| Ok::<_, Fault>((self.parse_url(&end_to.address)?, end_to)));
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
            manager: manager.to_owned(),
            version,
            to: (to, subscribe.notify_to),
            end_to,
        };
        let mut all = self.all();
        let own = all.values().filter(|subscription| subscription.who.is_same(&who)).count();
        if all.len() >= MOST || own >= MOST_OF_ONE {
            let (count, whose) = if own >= MOST_OF_ONE { (own, " of yours") } else { (all.len(), "") };
            let reason =
                format!("there are {count} subscriptions{whose} already, end one or try again later");
            return Err(Refusal::EventSourceUnableToProcess.fault(reason));
        }
        let task = tokio::spawn(delivery.run(notifications, lives));
        all.insert(identifier.clone(), Subscription { who, wanted, life, waiting, task });
        Ok(Answer::Subscribed { manager: manager.to_owned(), identifier, expires: lasting })
    }

    /// The requests about a subscription that exists; only who made it may ask them.
    fn manage(&self, who: &Identity, asked: &Asked) -> Result<Answer, Fault> {
        let mut all = self.all();
        let identifier = asked.identifier.as_deref().unwrap_or_default();
        let found = all.get(identifier).filter(|subscription| subscription.who.is_same(who));
        let left = found.and_then(|found| found.left().map(|left| (found, left)));
        let Some((subscription, left)) = left else {
            let refusal = match &asked.request {
                Request::Renew(_) => Refusal::UnableToRenew,
                _ => Refusal::InvalidMessage,
            };
            let reason =
                "there is no such subscription of yours: it has ended, or the agent has started anew";
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

    /// Where somebody wants to be told.
    fn parse_url(&self, address: &str) -> Result<Url, Fault> {
        let wrong = |error: url::WrongUrl| Refusal::InvalidMessage.fault(format!("`{address}`: {error}"));
        let url: Url = address.parse().map_err(wrong)?;
        if url.is_secure && self.outgoing.load().web().is_none() {
            let reason = "nobody is told over https:// here: the agent has no certificates to trust";
            return Err(Refusal::EventSourceUnableToProcess.fault(reason));
        }
        Ok(url)
    }
}

impl Subscription {
    fn wants(&self, event: &Event) -> bool {
        self.left().is_some()
            && (self.wanted.is_empty() || self.wanted.iter().any(|prefix| event.oid.starts_with(prefix)))
    }

    /// For how long it still lasts; `None`: it is over.
    fn left(&self) -> Option<Duration> {
        match *self.life.borrow() {
            Life::Until(end) => end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()),
            Life::Over(_) => None,
        }
    }
}

/// Answers a request.
pub async fn answer(front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    if request.method != Method::POST {
        return HttpResponse::text(
            StatusCode::OK,
            "WS-Eventing (2004/08): POST Subscribe here, to be told of events",
        );
    }
    let Some(media) = soap::version_of(request) else { return soap::unsupported() };
    let asked = match eventing::read_request(&request.body, Limits::MESSAGE) {
        Ok(asked) => asked,
        Err(refused) => {
            return fault(refused.version.unwrap_or(media), refused.message_id.as_deref(), &refused.fault);
        }
    };
    let (version, message_id) = (asked.version, asked.message_id.as_deref());
    match carry_out(front, request, asker, media, &asked) {
        Ok(answer) => {
            let body = eventing::write_answer(version, message_id, &answer);
            HttpResponse::new(StatusCode::OK, version.content_type(), body)
        }
        Err(refused) => refused.answer(|refused| fault(version, message_id, refused)),
    }
}

fn carry_out(
    front: &Front,
    request: &HttpRequest,
    asker: &Asker,
    media: Version,
    asked: &Asked,
) -> Result<Answer, Refused> {
    soap::check_action(request, media, asked.version, asked.request.action())?;
    let community = asked.community.as_deref();
    soap::one_identity(asker, community)?;
    let settings = front.door().settings();
    let who = Identity::of(front, &settings, request, asker, community).map_err(Refused::NoAccess)?;
    let answered = match &asked.request {
        Request::Subscribe(subscribe) => {
            let authority = request.authority.as_deref().unwrap_or("localhost");
            let manager = format!("{}://{authority}{PATH}", request.scheme());
            front.eventing().subscribe(who, asked.version, &manager, subscribe.clone())
        }
        _ => front.eventing().manage(&who, asked),
    };
    Ok(answered?)
}

fn fault(version: Version, relates_to: Option<&str>, fault: &Fault) -> HttpResponse {
    let (status, body) = eventing::write_fault(version, relates_to, fault);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::new(status, version.content_type(), body)
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
        let reason = || format!("`{name}` is no notification here");
        let oid = found.and_then(|found| Oid::new(found.oid).ok());
        oid.ok_or_else(|| Refusal::FilteringRequestedUnavailable.fault(reason()))
    };
    names.iter().map(of).collect()
}

/// How long a subscription lasts that is asked for so long: never longer than [`LONGEST`] (WS-Eventing section 3.1 lets the source decide).
fn lasting(asked: Option<Duration>) -> Duration {
    asked.unwrap_or(USUAL).min(LONGEST)
}

/// How many subscriptions there are at most.
const MOST: usize = 64;
/// How many of them one principal or community has at most: it leaves room for others.
const MOST_OF_ONE: usize = 32;
/// How many notifications wait for one subscriber at most.
const WAITING: usize = 256;
const USUAL: Duration = Duration::from_secs(3600);
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How long the agent's end waits for those who are told of it.
const FAREWELL: Duration = Duration::from_secs(2);
