//! The notification originator (RFC 3413 section 3.3): each event is logged, and told to each target that wants it and
//! may know it. A target has a task of its own, so that a slow one delays nobody; what is told to one stays in order.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use tokio::sync::mpsc::{self, error::TrySendError};
use trunkline_client::{Credentials, Family, Target, UsmCredentials};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{VarBind, Version};
use trunkline_tree::policy::{AdminString, Origin, SecurityLevel};

use super::{Event, filter, worker};
use crate::config::UserPlan;
use crate::door::snmp::Door;
use crate::own::{Destination, Endpoint, MessageModel, NotifyType, TargetParams};
use crate::users;

/// Where events are put to be told. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox(mpsc::Sender<Event>);

/// How many events wait at most: more are dropped, with a word in the log.
const WAITING: usize = 1024;

/// How many notifications wait for one target at most.
const WAITING_FOR_TARGET: usize = 256;

impl Outbox {
    /// Has an event told; does not wait.
    pub fn tell(&self, event: Event) {
        match self.0.try_send(event) {
            Ok(()) | Err(TrySendError::Closed(_)) => {}
            Err(TrySendError::Full(event)) => {
                tracing::warn!(notification = %event.oid, "too many events at once, this one is told to nobody");
            }
        }
    }
}

/// Is told of each event before anybody else: the notification log (RFC 3014).
pub type Record = Box<dyn Fn(&Event) + Send + Sync>;

/// The users of the configuration, for informs: there the receiver's engine is authoritative.
pub type Users = Arc<ArcSwap<Vec<UserPlan>>>;

/// Tells events until the last outbox is dropped.
pub struct Originator {
    door: Arc<Door>,
    users: Users,
    /// The moment of sysUpTime 0.
    started: Instant,
    record: Record,
    workers: HashMap<Key, mpsc::Sender<Arc<Notification>>>,
}

/// What makes two destinations the same. One that is changed gets another task, and its old one ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    name: AdminString,
    kind: NotifyType,
    /// The rest of its rows, in words that differ where they do.
    rows: String,
}

impl Originator {
    /// Begins to tell what is put into the outbox. Must be called on a tokio runtime.
    pub fn start(door: Arc<Door>, users: Users, started: Instant, record: Record) -> Outbox {
        let (outbox, events) = mpsc::channel(WAITING);
        let originator = Originator { door, users, started, record, workers: HashMap::new() };
        tokio::spawn(originator.run(events));
        Outbox(outbox)
    }

    async fn run(mut self, mut events: mpsc::Receiver<Event>) {
        while let Some(event) = events.recv().await {
            self.tell(&event);
        }
    }

    fn tell(&mut self, event: &Event) {
        let hundredths = self.started.elapsed().as_millis() / 10;
        let notification = Arc::new(Notification {
            uptime: hundredths as u32, // wraps after 497 days, as TimeTicks do
            trap_oid: event.oid.clone(),
            bindings: event
                .objects
                .iter()
                .map(|(name, value)| VarBind::new(name.clone(), value.clone()))
                .collect(),
        });
        (self.record)(event);
        self.workers.retain(|_, worker| !worker.is_closed());
        let settings = self.door.settings();
        for destination in settings.targets().destinations() {
            if destination.filter.is_some_and(|filter| !filter::passes(filter, event)) {
                continue;
            }
            // The context is the event's, or else the one that the target is told of.
            let context = match event.context.is_empty() {
                true => destination.address.context.octets(),
                false => event.context.as_bytes(),
            };
            let TargetParams { security_model, security_name, level, .. } = destination.params;
            let names = event.objects.iter().map(|(name, _)| &**name);
            let allowed = settings.guard().check_notification(
                *security_model,
                security_name.octets(),
                *level,
                context,
                &event.oid,
                names,
            );
            match allowed {
                Ok(()) => self.hand_over(&destination, context, &notification),
                // The operator wants it told, who could write the policy too.
                Err(_) if destination.address.origin == Origin::Config => {
                    self.hand_over(&destination, context, &notification);
                }
                Err(withheld) => {
                    tracing::debug!(target = %destination.name, notification = %event.oid, %withheld, "not told");
                }
            }
        }
    }

    fn hand_over(&mut self, to: &Destination<'_>, context: &[u8], notification: &Arc<Notification>) {
        let key = Key {
            name: to.name.clone(),
            kind: to.kind,
            rows: format!("{:?} {:?} {context:?}", to.address, to.params),
        };
        let worker = match self.workers.get(&key) {
            Some(worker) => worker.clone(),
            None => {
                let Some(target) = self.target(to, context) else { return };
                let (worker, waiting) = mpsc::channel(WAITING_FOR_TARGET);
                let engine = self.door.engine().clone();
                let counters = self.door.counters().clone();
                let job = worker::Job {
                    name: to.name.to_string(),
                    target,
                    kind: to.kind,
                    timeout: to.address.timeout,
                    retries: u32::from(to.address.retries),
                };
                tokio::spawn(worker::run(job, engine, counters, waiting));
                self.workers.insert(key, worker.clone());
                worker
            }
        };
        if let Err(TrySendError::Full(_)) = worker.try_send(notification.clone()) {
            tracing::warn!(target = %to.name, notification = %notification.trap_oid,
                "too many notifications wait for this target already, it is not told this one");
        }
    }

    fn target(&self, to: &Destination<'_>, context: &[u8]) -> Option<Target> {
        let credentials = self.credentials(to, context);
        if credentials.is_none() {
            tracing::warn!(target = %to.name, security_name = %to.params.security_name,
                "no community and no user with keys for it, it is told nothing");
        }
        let (host, port) = match &to.address.endpoint {
            Endpoint::Socket(address) => (address.ip().to_string(), address.port()),
            Endpoint::Host { name, port } => (name.clone(), *port),
        };
        let (transport, family) = (to.address.transport, Family::Any);
        Some(Target { transport, family, credentials: credentials?, host, port, path: None })
    }

    /// As whom: a community that stands for the security name (RFC 3584 section 5.2.3), or the user.
    fn credentials(&self, to: &Destination<'_>, context: &[u8]) -> Option<Credentials> {
        let name = to.params.security_name.octets();
        let engine = self.door.engine();
        let settings = self.door.settings();
        let version = match to.params.version {
            MessageModel::V1 => Version::V1,
            MessageModel::V2c => Version::V2c,
            MessageModel::V3 => {
                let mut user = self.user(name, to.kind)?.with_level(level(to.params.level))?;
                user.context = context.to_vec();
                return Some(user.into());
            }
        };
        let row = settings.targets().community_for(name, engine.id().as_bytes(), context)?;
        Some(Credentials::community(version, &row.name))
    }

    /// A trap is sent with the keys of this engine, an inform with keys of the receiver's.
    fn user(&self, name: &[u8], kind: NotifyType) -> Option<UsmCredentials> {
        if kind == NotifyType::Trap {
            let users = self.door.engine().users();
            return users::own_credentials(users.get(self.door.engine().id().as_bytes(), name)?).ok();
        }
        let users = self.users.load();
        let plan = users.iter().find(|plan| plan.name.as_bytes() == name && plan.is_portable())?;
        users::credentials(plan).ok()
    }
}

fn level(level: SecurityLevel) -> trunkline_snmp::SecurityLevel {
    match level {
        SecurityLevel::NoAuthNoPriv => trunkline_snmp::SecurityLevel::NoAuthNoPriv,
        SecurityLevel::AuthNoPriv => trunkline_snmp::SecurityLevel::AuthNoPriv,
        SecurityLevel::AuthPriv => trunkline_snmp::SecurityLevel::AuthPriv,
    }
}
