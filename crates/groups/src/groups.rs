//! All groups of an agent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::task::JoinHandle;
use trunkline_config::{GroupListenPlan, GroupPlan, Plan, UserPlan};
use trunkline_credentials::secure::OutgoingNow;
use trunkline_polling::Pool;
use trunkline_regions::ContextProxy;
use trunkline_transport::LogLimit;
use trunkline_tree::{Event, Provider};

use crate::opening::Door;
use crate::peer::Work;
use crate::provider::{GROUP_VALUES, GROUPS, GroupsProvider};
use crate::store::Store;
use crate::{context, notifications};

/// Has an event sent.
pub type Tell = Arc<dyn Fn(Event) + Send + Sync>;

/// What groups work with.
#[derive(Clone)]
pub struct Surroundings {
    /// The agent's identity in the sessions that it opens.
    pub outgoing: OutgoingNow,
    /// Has an event sent.
    pub tell: Tell,
}

/// The groups of an agent; none until they are configured.
pub struct Groups {
    store: Arc<Mutex<Store>>,
    started: Instant,
    /// The memory of all members.
    pool: Arc<Pool>,
    running: Mutex<Option<Running>>,
}

/// What is at work, and for which configuration. It ends with this.
struct Running {
    plan: (Vec<GroupPlan>, GroupListenPlan, Vec<UserPlan>),
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Groups {
    /// No groups. `started`: when sysUpTime was 0.
    #[must_use]
    pub fn new(started: Instant) -> Self {
        let pool = Arc::new(Pool::new(GroupListenPlan::default().memory));
        Groups { store: Arc::default(), started, pool, running: Mutex::default() }
    }

    /// What serves them.
    #[must_use]
    pub fn providers(&self) -> Vec<Arc<dyn Provider>> {
        let provider = |group| {
            let (store, started) = (self.store.clone(), self.started);
            Arc::new(GroupsProvider { group, store, started }) as Arc<dyn Provider>
        };
        vec![provider(&GROUPS), provider(&GROUP_VALUES)]
    }

    /// Reads the groups of a configuration, and no others any more; whether they are other ones, and what was read is forgotten.
    /// Must be called on a tokio runtime.
    pub fn configure(&self, plan: &Plan, surroundings: &Surroundings) -> bool {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = (plan.groups.clone(), plan.groups_listen.clone(), plan.snmp.users.clone());
        if running.as_ref().map_or(plan.groups.is_empty(), |running| running.plan == wanted) {
            return false;
        }
        self.pool.set_most(plan.groups_listen.memory);
        // The old ones end before the new ones begin.
        drop(running.take());
        let store = Store::new(&plan.groups);
        let users = Arc::new(plan.snmp.users.clone());
        let work = store.groups.values().map(|group| Work {
            plan: group.plan.clone(),
            wanted: group.wanted.clone(),
            users: users.clone(),
            outgoing: surroundings.outgoing.clone(),
            store: self.store.clone(),
            started: self.started,
            tell: surroundings.tell.clone(),
            pool: self.pool.clone(),
        });
        let work: Vec<Work> = work.collect();
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = store;
        if work.is_empty() {
            return true;
        }
        let mut tasks: Vec<JoinHandle<()>> = work.into_iter().map(|work| tokio::spawn(work.run())).collect();
        if !plan.groups_listen.listen.is_empty() {
            let listening = notifications::Receiving {
                plan: plan.groups_listen.clone(),
                groups: plan.groups.clone(),
                users: users.clone(),
                store: self.store.clone(),
                tell: surroundings.tell.clone(),
                circles: LogLimit::for_failures(),
            };
            tasks.push(tokio::spawn(listening.run()));
        }
        *running = Some(Running { plan: wanted, tasks });
        true
    }

    /// What answers for the members' contexts.
    #[must_use]
    pub fn contexts(&self) -> Vec<ContextProxy> {
        context::all(&self.store, self.started)
    }

    /// Reads nothing any more.
    pub fn end(&self) {
        drop(self.running.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// The members of all groups as devices, each in its own context of the access policy: names, contexts, and how sessions are
/// opened on demand. A member whose name cannot stand in a URL is none.
#[must_use]
pub fn devices(plan: &Plan, outgoing: &OutgoingNow) -> Vec<(String, String, trunkline_devices::Opener)> {
    let mut all = Vec::new();
    for group in &plan.groups {
        for (context, name) in group.contexts() {
            let member = group.members.iter().find(|member| member.name == name);
            let door = member.and_then(|member| Door::new(member, &plan.snmp.users, outgoing).ok());
            let name = format!("{}.{name}", group.name);
            if let Some(door) = door.map(Arc::new).filter(|_| trunkline_devices::is_name(&name)) {
                let opener: trunkline_devices::Opener = Box::new(move || {
                    let door = door.clone();
                    Box::pin(async move { door.device().await })
                });
                all.push((name, context, opener));
            }
        }
    }
    all
}
