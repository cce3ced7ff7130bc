//! Notifications of members: received, and passed on with the member's name.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::lookup_host;
use tokio::sync::watch;
use tokio::time::{interval, sleep};
use trunkline_client::{Admission, Bound, ListenOptions, Listener, Received};
use trunkline_config::{GroupListenPlan, GroupPlan, UserPlan};
use trunkline_credentials::users;
use trunkline_smi::module::trunkline_mib::groups as mib;
use trunkline_smi::schema::Scalar;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::role::originator::{SNMP_TRAP_ADDRESS, SNMP_TRAP_ENTERPRISE};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId, UserTable};
use trunkline_transport::LogLimit;
use trunkline_tree::Event;

use crate::groups::Tell;
use crate::store::Store;

/// Receives the notifications of members.
pub(crate) struct Receiving {
    pub plan: GroupListenPlan,
    pub groups: watch::Receiver<Vec<GroupPlan>>,
    pub users: Arc<Vec<UserPlan>>,
    pub store: Arc<Mutex<Store>>,
    pub tell: Tell,
    /// Bounds what the log says of notifications that go round.
    pub circles: LogLimit,
}

/// Whose address it is: group and member.
type Known = BTreeMap<IpAddr, (String, String)>;

impl Receiving {
    /// Until the task is ended.
    pub async fn run(mut self) {
        let known = Arc::new(Mutex::new(self.resolve().await));
        let mut listener = loop {
            match self.bind(&known) {
                Ok(listener) => break listener,
                Err(reason) => {
                    tracing::error!(reason, "notifications of members cannot be received");
                    sleep(AGAIN).await;
                }
            }
        };
        for place in listener.places() {
            tracing::info!(%place, "listening for notifications of members");
        }
        let mut resolving = interval(RESOLVED_FOR);
        resolving.tick().await;
        let mut counting = interval(COUNTED_AFTER);
        loop {
            tokio::select! {
                received = listener.next() => match received {
                    Some(received) => self.take(&received, &known),
                    None => return,
                },
                _ = counting.tick() => {
                    let counts = listener.counts();
                    let strangers = counts.refused + counts.malformed + counts.strangers + counts.unauthenticated;
                    self.store().strangers = strangers + counts.not_admitted + counts.below_level;
                }
                _ = resolving.tick() => {
                    let found = self.resolve().await;
                    *known.lock().unwrap_or_else(PoisonError::into_inner) = found;
                }
                Ok(()) = self.groups.changed() => {
                    let found = self.resolve().await;
                    *known.lock().unwrap_or_else(PoisonError::into_inner) = found;
                }
            }
        }
    }

    fn bind(&self, known: &Arc<Mutex<Known>>) -> Result<Listener, String> {
        let communities = self.plan.communities.iter().map(|community| community.0.clone()).collect();
        let known = known.clone();
        // What is weaker than a user's keys could be from anybody who knows its name.
        let allowed: Vec<_> =
            self.chosen().map(|user| (user.name.clone().into_bytes(), user.level())).collect();
        let admission = Admission::of(move |received| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let is_allowed = received.user.as_ref().is_none_or(|user| {
                allowed.iter().any(|(name, least)| name == user && received.level >= *least)
            });
            is_allowed && known.contains_key(&received.peer.ip().to_canonical())
        });
        let options = ListenOptions::default().with_communities(Some(communities)).with_admission(admission);
        let engine = Arc::new(self.engine()?);
        Listener::bind(&self.plan.listen, engine, options).map_err(|error| error.to_string())
    }

    /// The engine that informs are sent to, with the users that members may be.
    fn engine(&self) -> Result<Engine, String> {
        let mut random = [0; 12];
        fastrand::fill(&mut random);
        let id = EngineId::generate(ENTERPRISE, random);
        let engine = Engine::new(EngineOptions {
            id,
            clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
            max_size: MAX_SIZE,
            handlers: Handlers::RECEIVER,
            remote_engines: REMOTE_ENGINES,
            entropy: fastrand::u64(..),
        });
        let plans: Vec<UserPlan> = self.chosen().cloned().collect();
        let own: UserTable = users::table(&plans, engine.id()).map_err(|error| error.to_string())?;
        engine.set_users(own);
        let elsewhere = self.chosen().filter_map(|user| users::credentials(user).ok()?.made().ok()?);
        engine.set_credentials(elsewhere.collect());
        Ok(engine)
    }

    /// The users that members may be.
    fn chosen(&self) -> impl Iterator<Item = &UserPlan> {
        self.users.iter().filter(|user| self.plan.users.contains(&user.name))
    }

    fn take(&self, received: &Received, known: &Arc<Mutex<Known>>) {
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((group, member)) = known.get(&received.peer.ip().to_canonical()).cloned() else { return };
        drop(known);
        let mut store = self.store();
        // The peer passes it on.
        if !store.groups.get(&group).is_some_and(|group| group.is_active) {
            return;
        }
        // Managers that are members of each other would send it round and round.
        let Some(event) = passed_on(received, &group, &member) else {
            drop(store);
            if let Some(left_out) = self.circles.admit() {
                tracing::warn!(
                    group,
                    member,
                    left_out,
                    "a notification has passed too many managers: are they members of each other?"
                );
            }
            return;
        };
        store.passed_on += 1;
        drop(store);
        (self.tell)(event);
    }

    fn store(&self) -> std::sync::MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The addresses of the members, as they are now.
    async fn resolve(&self) -> Known {
        let mut known = Known::new();
        let groups = self.groups.borrow().clone();
        for group in &groups {
            for member in &group.members {
                let host = member.way.host();
                let names = || (group.name.clone(), member.name.clone());
                if let Ok(ip) = host.parse::<IpAddr>() {
                    known.entry(ip).or_insert_with(names);
                } else if let Ok(found) = lookup_host((host.as_str(), 0)).await {
                    for address in found {
                        known.entry(address.ip().to_canonical()).or_insert_with(names);
                    }
                }
            }
        }
        known
    }
}

/// The same notification, and whose it is. A mid-level manager has said already whose: its name comes before that. `None`: it has passed too many.
fn passed_on(received: &Received, group: &str, member: &str) -> Option<Event> {
    let name = |scalar: &Scalar| Oid::EMPTY.child(scalar.oid).child(&[0]);
    let (of_group, of_member) = (name(&mib::GROUP_NOTIFY_GROUP), name(&mib::GROUP_NOTIFY_MEMBER));
    let mut objects = Vec::new();
    let (mut inner_group, mut inner_member) = (None, None);
    for binding in &received.notification.bindings {
        let Bound::Value(value) = &binding.value else { continue };
        match value {
            Value::OctetString(text) if binding.name == of_group => {
                inner_group = Some(String::from_utf8_lossy(text).into_owned());
            }
            Value::OctetString(text) if binding.name == of_member => {
                inner_member = Some(String::from_utf8_lossy(text).into_owned());
            }
            _ => objects.push((binding.name.clone(), value.clone())),
        }
    }
    // What a trap of SNMPv1 says in its header (RFC 3584 section 3.1), but for the community, which is a secret.
    if let Some(trap) = &received.trap_v1 {
        let said = [
            (Oid::from(SNMP_TRAP_ADDRESS), Value::IpAddress(trap.agent_addr)),
            (Oid::from(SNMP_TRAP_ENTERPRISE), Value::ObjectIdentifier(trap.enterprise.clone())),
        ];
        for (name, value) in said {
            if objects.iter().all(|(known, _)| *known != name) {
                objects.push((name, value));
            }
        }
    }
    let inner = [inner_group, inner_member];
    let member = std::iter::once(member.to_owned()).chain(inner.into_iter().flatten());
    let member = member.collect::<Vec<_>>().join("/");
    if member.split('/').count() > MOST_NAMES {
        return None;
    }
    objects.push((of_group, Value::text(group)));
    objects.push((of_member, Value::text(member)));
    Some(Event {
        oid: received.notification.trap_oid.clone(),
        objects,
        context: String::new(),
        up_time: Some(received.notification.uptime),
        about: None,
    })
}

/// The names of members and groups in `groupNotifyMember`: eight managers above each other.
const MOST_NAMES: usize = 15;

/// After this time addresses are looked up again.
const RESOLVED_FOR: Duration = Duration::from_secs(300);

/// After this time it is counted what was refused.
const COUNTED_AFTER: Duration = Duration::from_secs(1);

/// After this time listening is tried again.
const AGAIN: Duration = Duration::from_secs(10);

/// The enterprise in the engine ID: that of Net-SNMP's, whose form senders know.
const ENTERPRISE: u32 = 8072;

const MAX_SIZE: usize = 65_507;

/// How many senders' clocks are remembered.
const REMOTE_ENGINES: usize = 10_000;
