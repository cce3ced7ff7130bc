//! The notification originator (RFC 3413 section 3.3): each event is logged, and sent to each target that wants
//! it and may see it. Each target has a separate task, so that a slow one delays no other; its notifications stay
//! in order.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use arc_swap::ArcSwap;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use trunkline_binding::session;
use trunkline_client::{Credentials, Target, TsmCredentials, UsmCredentials};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{VarBind, Version};
use trunkline_transport::LogLimit;
use trunkline_tree::policy::{AdminString, Origin, Principal, SecurityModel};

use super::sessions::SessionWatch;
use super::{filter, sources, worker};
use trunkline_admin::{
    Destination, Endpoint, MessageModel, NotifyType, SessionCounters, TargetAddress, TargetParams,
};
use trunkline_config::{TlsServer, TrapStyle, UserPlan};
use trunkline_core::Core;
use trunkline_credentials::secure::{Outgoing, OutgoingNow};
use trunkline_credentials::users;
use trunkline_tree::Event;

/// Where events are put to be sent. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox {
    events: mpsc::Sender<Happened>,
    names_enterprise: Arc<AtomicBool>,
}

/// The events of an outbox. They wait here until an [`Originator`] takes them, so that none of the agent's first
/// moments is lost.
#[derive(Debug)]
pub struct Inbox {
    events: mpsc::Receiver<Happened>,
    outbox: WeakOutbox,
}

/// An event, and when it was.
type Happened = (Event, Instant);

/// The same for something that the outbox itself feeds: it does not keep it alive.
#[derive(Clone, Debug)]
pub(crate) struct WeakOutbox {
    events: mpsc::WeakSender<Happened>,
    names_enterprise: Arc<AtomicBool>,
}

impl WeakOutbox {
    /// Has an event sent, while an originator runs.
    pub(crate) fn tell(&self, event: Event) {
        if let Some(events) = self.events.upgrade() {
            Outbox { events, names_enterprise: self.names_enterprise.clone() }.tell(event);
        }
    }
}

/// The maximum number of waiting events: more are dropped, which is logged.
const WAITING: usize = 1024;

/// Of dropped events one line a minute is enough.
static CROWDED: LogLimit = LogLimit::for_failures();

/// How many notifications wait for one target at most.
const WAITING_FOR_TARGET: usize = 256;

impl Outbox {
    /// An outbox, and where its events wait.
    pub fn new(style: TrapStyle) -> (Outbox, Inbox) {
        let (sender, events) = mpsc::channel(WAITING);
        let outbox = Outbox { events: sender, names_enterprise: Arc::default() };
        outbox.configure(style);
        let weak = WeakOutbox {
            events: outbox.events.downgrade(),
            names_enterprise: outbox.names_enterprise.clone(),
        };
        (outbox, Inbox { events, outbox: weak })
    }

    /// The style of the events from now on.
    pub fn configure(&self, style: TrapStyle) {
        self.names_enterprise.store(style == TrapStyle::NetSnmp, Ordering::Relaxed);
    }

    /// Has an event sent; does not wait.
    pub fn tell(&self, event: Event) {
        let event = match self.names_enterprise.load(Ordering::Relaxed) {
            true => sources::with_enterprise(event),
            false => event,
        };
        match self.events.try_send((event, Instant::now())) {
            Ok(()) | Err(TrySendError::Closed(_)) => {}
            Err(TrySendError::Full((event, _))) => {
                if let Some(left_out) = CROWDED.admit() {
                    let notification = event.oid;
                    tracing::warn!(%notification, left_out, "too many events at once: this notification is dropped");
                }
            }
        }
    }
}

/// Receives each event, and its time, before it is sent: the notification log (RFC 3014).
pub type Record = Box<dyn Fn(&Event, Instant) + Send + Sync>;

/// The users of the configuration, for informs: there the receiver's engine is authoritative.
pub type Users = Arc<ArcSwap<Vec<UserPlan>>>;

/// The originator that runs. It ends when this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Running {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Running {
    /// Sends what waits, and ends: traps when they are handed to the network, informs when they are confirmed or
    /// given up. That may take as long as the slowest target: the caller sets a limit.
    pub async fn finish(self) {
        drop(self.stop);
        if let Err(panic) = self.task.await {
            tracing::error!(%panic, "notifications may not have been sent");
        }
    }
}

/// Tells events until it is stopped, or the last outbox is dropped.
pub struct Originator {
    core: Arc<Core>,
    users: Users,
    /// The moment of sysUpTime 0.
    started: Instant,
    record: Record,
    outgoing: OutgoingNow,
    sessions: Arc<SessionCounters>,
    outbox: WeakOutbox,
    workers: HashMap<Key, Worker>,
}

/// What makes two destinations the same target: its name, trap or inform, and the context.
type Key = (AdminString, NotifyType, Vec<u8>);

/// The task of a target, and the rows and certificates that it was started for: when they have changed it gets another task, and its old
/// one ends.
struct Worker {
    address: TargetAddress,
    params: TargetParams,
    outgoing: Arc<Outgoing>,
    waiting: mpsc::Sender<worker::Queued>,
    task: JoinHandle<()>,
    /// Of notifications that are dropped.
    crowded: Arc<LogLimit>,
}

impl Worker {
    fn is_for(&self, to: &Destination<'_>, outgoing: &Arc<Outgoing>) -> bool {
        self.address == *to.address && self.params == *to.params && Arc::ptr_eq(&self.outgoing, outgoing)
    }
}

impl Originator {
    /// Starts to send what is put into the outbox, and what already is in it. Must be called on a tokio runtime.
    pub fn start(
        inbox: Inbox,
        core: Arc<Core>,
        users: Users,
        started: Instant,
        record: Record,
        outgoing: OutgoingNow,
        sessions: Arc<SessionCounters>,
    ) -> Running {
        let (outbox, workers) = (inbox.outbox, HashMap::new());
        let originator = Originator { core, users, started, record, outgoing, sessions, outbox, workers };
        let (stop, stopped) = oneshot::channel();
        Running { stop, task: tokio::spawn(originator.run(inbox.events, stopped)) }
    }

    async fn run(mut self, mut events: mpsc::Receiver<Happened>, mut stopped: oneshot::Receiver<()>) {
        loop {
            tokio::select! {
                happened = events.recv() => match happened {
                    Some((event, at)) => self.tell(&event, at),
                    None => break,
                },
                _ = &mut stopped => break,
            }
        }
        events.close();
        while let Some((event, at)) = events.recv().await {
            self.tell(&event, at);
        }
        for (_, Worker { waiting, task, .. }) in self.workers {
            drop(waiting);
            if let Err(panic) = task.await {
                tracing::error!(%panic, "notifications may not have been sent");
            }
        }
    }

    fn tell(&mut self, event: &Event, at: Instant) {
        let hundredths = at.saturating_duration_since(self.started).as_millis() / 10;
        let notification = Arc::new(Notification {
            uptime: event.up_time.unwrap_or(hundredths as u32), // wraps after 497 days, as TimeTicks do
            trap_oid: event.oid.clone(),
            bindings: event
                .objects
                .iter()
                .map(|(name, value)| VarBind::new(name.clone(), value.clone()))
                .collect(),
        });
        (self.record)(event, at);
        self.workers.retain(|_, worker| !worker.waiting.is_closed());
        let settings = self.core.settings();
        for destination in settings.targets().destinations() {
            if destination.filter.is_some_and(|filter| !filter::passes(filter, event)) {
                continue;
            }
            // The context of the event, or else that of the target.
            let context = match event.context.is_empty() {
                true => destination.address.context.octets(),
                false => event.context.as_bytes(),
            };
            let TargetParams { security_model, security_name, level, .. } = destination.params;
            let principal = Principal::new(*security_model, security_name.octets(), *level);
            let names = event.objects.iter().map(|(name, _)| &**name);
            let allowed = settings.guard().check_notification(&principal, context, &event.oid, names);
            match allowed {
                Ok(()) => self.hand_over(&destination, context, &notification),
                // It is configured by the operator, who could also write the policy.
                Err(_) if destination.address.origin == Origin::Config => {
                    self.hand_over(&destination, context, &notification);
                }
                Err(withheld) => {
                    tracing::debug!(target = %destination.name, notification = %event.oid, %withheld, "not sent");
                }
            }
        }
    }

    fn hand_over(&mut self, to: &Destination<'_>, context: &[u8], notification: &Arc<Notification>) {
        let key = (to.name.clone(), to.kind, context.to_vec());
        let known = self.workers.get(&key);
        let outgoing = self.outgoing.load_full();
        let worker = known.filter(|known| known.is_for(to, &outgoing));
        let (waiting, crowded) = match worker {
            Some(worker) => (worker.waiting.clone(), worker.crowded.clone()),
            None => {
                let Some((waiting, task)) = self.start_worker(to, context) else { return };
                let (address, params) = (to.address.clone(), to.params.clone());
                let crowded = Arc::new(LogLimit::for_failures());
                let worker = Worker {
                    address,
                    params,
                    outgoing,
                    waiting: waiting.clone(),
                    task,
                    crowded: crowded.clone(),
                };
                self.workers.insert(key, worker);
                (waiting, crowded)
            }
        };
        let queued =
            worker::Queued { notification: notification.clone(), since: tokio::time::Instant::now() };
        if let Err(TrySendError::Full(_)) = waiting.try_send(queued)
            && let Some(left_out) = crowded.admit()
        {
            tracing::warn!(target = %to.name, notification = %notification.trap_oid, left_out,
                "too many notifications wait for this target already: this one is dropped");
        }
    }

    fn start_worker(
        &self,
        to: &Destination<'_>,
        context: &[u8],
    ) -> Option<(mpsc::Sender<worker::Queued>, JoinHandle<()>)> {
        let job = worker::Job {
            name: to.name.to_string(),
            target: self.target(to, context)?,
            kind: to.kind,
            timeout: to.address.timeout,
            retries: u32::from(to.address.retries),
            watch: SessionWatch {
                name: to.name.clone(),
                transport: to.address.transport,
                expected: match &to.address.tls_server {
                    Some(TlsServer::Fingerprint(fingerprint)) => Some(fingerprint.clone()),
                    _ => None,
                },
                counters: self.sessions.clone(),
                outbox: self.outbox.clone(),
                is_told: Arc::default(),
                logged: Arc::default(),
            },
        };
        let (waiting, notifications) = mpsc::channel(WAITING_FOR_TARGET);
        let (engine, counters) = (self.core.engine().clone(), self.core.counters().clone());
        let task = tokio::spawn(worker::run(job, engine, counters, notifications));
        Some((waiting, task))
    }

    fn target(&self, to: &Destination<'_>, context: &[u8]) -> Option<Target> {
        let credentials = self.credentials(to, context);
        if credentials.is_none() {
            tracing::warn!(target = %to.name, security_name = %to.params.security_name,
                "no community and no user with keys for it: nothing is sent");
        }
        let (host, port) = match &to.address.endpoint {
            Endpoint::Socket(address) => (address.ip().to_string(), address.port()),
            Endpoint::Host { name, port } => (name.clone(), *port),
        };
        let transport = to.address.transport;
        let outgoing = self.outgoing.load();
        if let Some(wanted) = to.params.client_certificate.as_ref().filter(|wanted| !outgoing.has(wanted)) {
            tracing::warn!(target = %to.name, %wanted, "the agent does not have this certificate: nothing is sent");
            return None;
        }
        let secure = match outgoing.towards(to.address.tls_server.as_ref()) {
            Ok(secure) => secure,
            Err(error) => {
                tracing::warn!(target = %to.name, %error, "nothing is sent");
                return None;
            }
        };
        let login = to.address.ssh_user.clone();
        let login = login.or_else(|| self.user_at(to));
        Some(Target::new(transport, &host, port, credentials?).with_secure(secure).with_login(login))
    }

    /// Over SSH the name of the principal, without the prefix that it may have (RFC 5591 section 4.2).
    fn user_at(&self, to: &Destination<'_>) -> Option<String> {
        let name = to.params.security_name.octets();
        let (engine, counters) = (self.core.engine(), self.core.counters());
        let name = engine.transport_name(session::domain(to.address.transport), name, counters).ok()?;
        String::from_utf8(name.as_bytes().to_vec()).ok()
    }

    /// The credentials: a community for the security name (RFC 3584 section 5.2.3), or the user.
    fn credentials(&self, to: &Destination<'_>, context: &[u8]) -> Option<Credentials> {
        let name = to.params.security_name.octets();
        if to.params.security_model == SecurityModel::TSM {
            let level = to.params.level;
            let context = context.to_vec();
            return Some(TsmCredentials { level, context, context_engine_id: None }.into());
        }
        let engine = self.core.engine();
        let settings = self.core.settings();
        let version = match to.params.version {
            MessageModel::V1 => Version::V1,
            MessageModel::V2c => Version::V2c,
            MessageModel::V3 => {
                let mut user = self.user(name, to.kind)?.with_level(to.params.level)?;
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
            let users = self.core.engine().users();
            return users::own_credentials(users.get(self.core.engine().id().as_bytes(), name)?).ok();
        }
        let users = self.users.load();
        let plan = users.iter().find(|plan| plan.name.as_bytes() == name && plan.is_portable())?;
        users::credentials(plan).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_before_the_originator_runs_are_queued_up_to_a_limit() {
        let (outbox, mut inbox) = Outbox::new(TrapStyle::Standard);
        outbox.tell(sources::cold_start());
        for _ in 0..2 * WAITING {
            outbox.tell(sources::warm_start());
        }
        let mut kept = Vec::new();
        while let Ok((event, _)) = inbox.events.try_recv() {
            kept.push(event);
        }
        assert_eq!((kept.len(), &kept[0]), (WAITING, &sources::cold_start()));
    }
}
