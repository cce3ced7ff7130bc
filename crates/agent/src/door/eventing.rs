//! Notifications as messages of SOAP: WS-Eventing at `/soap/events`. Who may ask anything here may subscribe; what one is
//! told is decided anew for each notification, by the same access policy as for every other target.
//!
//! Each subscription has a task of its own with a bounded queue, so that a slow subscriber delays nobody. Subscriptions
//! are kept in memory: who wants to be told for long renews, and finds out when the agent has started anew.

mod delivery;
mod url;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};
use trunkline_smi::{Oid, module};
use trunkline_soap::Limits;
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::{self, Answer, Asked, Notification, Request, Subscribe};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::{HttpRequest, HttpResponse, Method, StatusCode};
use trunkline_tree::policy::{SecurityLevel, SecurityModel, ViewType};

use super::http::{Asker, Front, NoAccess};
use super::snmp::{Door, Settings};
use crate::notify::Event;
use delivery::Delivery;
use url::Url;

/// Where subscribers ask.
pub const PATH: &str = "/soap/events";

/// The subscriptions of an agent.
pub struct Eventing {
    door: Arc<Door>,
    started: Instant,
    /// Tells the names of this run of the agent from those of others.
    run: u64,
    serial: AtomicU64,
    subscriptions: Mutex<HashMap<String, Subscription>>,
}

struct Subscription {
    who: Identity,
    /// What the notification's name begins with; empty for all.
    wanted: Vec<Oid>,
    until: watch::Sender<Instant>,
    waiting: mpsc::Sender<Arc<Notification>>,
}

/// As whom somebody is told.
#[derive(Clone, PartialEq, Eq)]
struct Identity {
    model: SecurityModel,
    name: Vec<u8>,
    level: SecurityLevel,
    context: Vec<u8>,
}

impl Eventing {
    /// Without subscriptions.
    pub fn new(door: Arc<Door>) -> Arc<Self> {
        let run = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let (serial, subscriptions) = (AtomicU64::new(1), Mutex::default());
        Arc::new(Eventing { door, started: Instant::now(), run, serial, subscriptions })
    }

    /// How many subscriptions there are.
    pub fn count(&self) -> usize {
        self.all().len()
    }

    /// Hands an event to those who want it and may know it; does not wait.
    pub fn tell(&self, event: &Event) {
        let all = self.all();
        if all.is_empty() {
            return;
        }
        let hundredths = self.started.elapsed().as_millis() / 10;
        let notification = Arc::new(Notification {
            oid: event.oid.clone(),
            uptime: hundredths as u32, // wraps after 497 days, as TimeTicks do
            objects: event.objects.clone(),
        });
        let settings = self.door.settings();
        for (identifier, subscription) in all.iter().filter(|(_, subscription)| subscription.wants(event)) {
            if let Err(withheld) = subscription.who.may_know(&settings, event) {
                tracing::debug!(identifier, notification = %event.oid, withheld, "not told to a subscriber");
                continue;
            }
            if let Err(TrySendError::Full(_)) = subscription.waiting.try_send(notification.clone()) {
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
        let to = parse_url(&subscribe.notify_to.address)?;
        let end_to = subscribe.end_to.map(|end_to| Ok::<_, Fault>((parse_url(&end_to.address)?, end_to)));
        let wanted = subscribe.filter.map_or_else(|| Ok(Vec::new()), |names| resolve(&names))?;
        let lasting = lasting(subscribe.expires);
        let identifier = self.name();
        let (waiting, notifications) = mpsc::channel(WAITING);
        let (until, expires) = watch::channel(Instant::now() + lasting);
        let delivery = Delivery {
            eventing: Arc::downgrade(self),
            identifier: identifier.clone(),
            manager: manager.to_owned(),
            version,
            to: (to, subscribe.notify_to),
            end_to: end_to.transpose()?,
        };
        let mut all = self.all();
        if all.len() >= MOST {
            let reason = format!("there are {MOST} subscriptions already, try again later");
            return Err(Fault::new(FaultKind::Other("EventSourceUnableToProcess".into()), reason));
        }
        all.insert(identifier.clone(), Subscription { who, wanted, until, waiting });
        drop(all);
        tokio::spawn(delivery.run(notifications, expires));
        Ok(Answer::Subscribed { manager: manager.to_owned(), identifier, expires: lasting })
    }

    /// The requests about a subscription that exists; only who made it may ask them.
    fn manage(&self, who: &Identity, asked: &Asked) -> Result<Answer, Fault> {
        let mut all = self.all();
        let identifier = asked.identifier.as_deref().unwrap_or_default();
        let found = all.get(identifier).filter(|subscription| subscription.who == *who);
        let Some(subscription) = found else {
            let reason =
                "there is no such subscription of yours: it has ended, or the agent has started anew";
            return Err(Fault::new(FaultKind::Other("InvalidMessage".into()), reason));
        };
        Ok(match &asked.request {
            Request::Renew(expires) => {
                let lasting = lasting(*expires);
                let _ = subscription.until.send(Instant::now() + lasting);
                Answer::Renewed(lasting)
            }
            Request::Unsubscribe => {
                all.remove(identifier);
                Answer::Unsubscribed
            }
            _ => Answer::Status(subscription.until.borrow().saturating_duration_since(Instant::now())),
        })
    }

    /// A subscription is over.
    fn forget(&self, identifier: &str) {
        self.all().remove(identifier);
    }
}

impl Subscription {
    fn wants(&self, event: &Event) -> bool {
        *self.until.borrow() > Instant::now()
            && (self.wanted.is_empty() || self.wanted.iter().any(|prefix| event.oid.starts_with(prefix)))
    }
}

impl Identity {
    fn may_know(&self, settings: &Settings, event: &Event) -> Result<(), String> {
        let context = if event.context.is_empty() { &self.context[..] } else { event.context.as_bytes() };
        let names = event.objects.iter().map(|(name, _)| &**name);
        let guard = settings.guard();
        let checked =
            guard.check_notification(self.model, &self.name, self.level, context, &event.oid, names);
        checked.map_err(|withheld| withheld.to_string())
    }

    /// Who asks. What [`Front::access`] refuses is refused.
    fn of(
        front: &Front,
        settings: &Settings,
        request: &HttpRequest,
        asker: &Asker,
        community: Option<&str>,
    ) -> Result<Self, NoAccess> {
        let community = community.map(str::as_bytes);
        front.access(settings, request, asker, community, ViewType::Read)?;
        if let Asker::Principal(principal) = asker {
            let state = principal.state();
            let has_prefix = front.door().engine().uses_prefix() && state.domain().prefix().is_some();
            let name = state.security_name(has_prefix).to_vec();
            let (model, level) = (SecurityModel::TSM, principal.level());
            return Ok(Identity { model, name, level, context: Vec::new() });
        }
        let entry = community.and_then(|community| settings.community(community, request.session.peer));
        let entry = entry.ok_or(NoAccess::UnknownCommunity)?;
        Ok(Identity {
            model: SecurityModel::V2C,
            name: entry.security_name.to_vec(),
            level: SecurityLevel::NoAuthNoPriv,
            context: entry.context_name.to_vec(),
        })
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
    let asked = match eventing::read_request(&request.body, Limits::MESSAGE) {
        Ok(asked) => asked,
        Err((version, refused)) => return fault(version.unwrap_or(Version::V1_2), &refused),
    };
    let settings = front.door().settings();
    let who = match Identity::of(front, &settings, request, asker, asked.community.as_deref()) {
        Ok(who) => who,
        Err(no_access) => {
            let kind = match no_access.status() {
                StatusCode::UNAUTHORIZED => FaultKind::Unauthorized,
                _ => FaultKind::Forbidden,
            };
            return no_access.answer(fault(asked.version, &Fault::new(kind, no_access.to_string())));
        }
    };
    let answered = match &asked.request {
        Request::Subscribe(subscribe) => {
            let authority = request.authority.as_deref().unwrap_or("localhost");
            let manager = format!("{}://{authority}{PATH}", request.scheme());
            front.eventing().subscribe(who, asked.version, &manager, subscribe.clone())
        }
        _ => front.eventing().manage(&who, &asked),
    };
    match answered {
        Ok(answer) => {
            let body = eventing::write_answer(asked.version, asked.message_id.as_deref(), &answer);
            HttpResponse::new(StatusCode::OK, asked.version.content_type(), body)
        }
        Err(refused) => fault(asked.version, &refused),
    }
}

fn fault(version: Version, fault: &Fault) -> HttpResponse {
    let mut body = Vec::new();
    fault.write(version, &mut body);
    let status = StatusCode::from_u16(fault.status(version)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::new(status, version.content_type(), body)
}

fn parse_url(address: &str) -> Result<Url, Fault> {
    let wrong = |error: url::WrongUrl| Fault::new(FaultKind::Malformed, format!("`{address}`: {error}"));
    address.parse().map_err(wrong)
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
        let kind = || FaultKind::Other("FilteringRequestedUnavailable".into());
        found.and_then(|found| Oid::new(found.oid).ok()).ok_or_else(|| Fault::new(kind(), reason()))
    };
    names.iter().map(of).collect()
}

/// How long a subscription lasts that is asked for so long: never longer than [`LONGEST`] (WS-Eventing section 3.1 lets the source decide).
fn lasting(asked: Option<Duration>) -> Duration {
    asked.filter(|asked| !asked.is_zero()).unwrap_or(USUAL).min(LONGEST)
}

/// How many subscriptions there are at most.
const MOST: usize = 32;
/// How many notifications wait for one subscriber at most.
const WAITING: usize = 256;
const USUAL: Duration = Duration::from_secs(3600);
const LONGEST: Duration = Duration::from_secs(24 * 3600);
