//! All groups of an agent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use trunkline_config::{GroupListenPlan, GroupPlan, Plan, UserPlan};
use trunkline_credentials::secure::OutgoingNow;
use trunkline_polling::{Pool, Wanted};
use trunkline_regions::ContextProxy;
use trunkline_transport::LogLimit;
use trunkline_tree::{Event, Provider};

use crate::opening::{Door, PATIENCE};
use crate::peer::Work;
use crate::provider::{GROUP_VALUES, GROUPS, GroupsProvider, MOST_VALUES};
use crate::store::{Group, Store};
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
#[derive(Default)]
struct Running {
    groups: BTreeMap<String, (Needs, Task)>,
    receiving: Option<(Needs, watch::Sender<Vec<GroupPlan>>, Task)>,
}

/// What something at work depends on: it begins anew when that is another.
#[derive(PartialEq)]
struct Needs {
    listen: GroupListenPlan,
    group: Option<(GroupPlan, Arc<Wanted>)>,
    users: Vec<UserPlan>,
}

/// A task that ends with this.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Needs {
    /// Of a group: it and the users that its members, and its peer, know.
    fn of_group(group: &GroupPlan, wanted: &Arc<Wanted>, users: &[UserPlan]) -> Self {
        let members = group.members.iter().chain(group.peer.iter().map(|peer| &peer.at));
        let names: Vec<&str> = members.filter_map(|member| member.way.user()).collect();
        let users = users.iter().filter(|user| names.contains(&user.name.as_str())).cloned();
        let group = Some((group.clone(), wanted.clone()));
        Needs { listen: GroupListenPlan::default(), group, users: users.collect() }
    }

    /// Of the listener: the users that are accepted. The members that are known may be others.
    fn of_listener(listen: &GroupListenPlan, users: &[UserPlan]) -> Self {
        let users = users.iter().filter(|user| listen.users.contains(&user.name)).cloned().collect();
        let listen = GroupListenPlan { memory: 0, ..listen.clone() };
        Needs { listen, group: None, users }
    }
}

/// What a configuration has changed.
pub struct Changed {
    /// The groups that go on as they were.
    pub kept: BTreeSet<String>,
    /// Whether there are other groups than before.
    pub is_any: bool,
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
            let full = LogLimit::for_failures();
            Arc::new(GroupsProvider { group, store, started, most_values: MOST_VALUES, full })
                as Arc<dyn Provider>
        };
        vec![provider(&GROUPS), provider(&GROUP_VALUES)]
    }

    /// Reads the groups of a configuration, and no others any more. A group that is as before goes on, with all that is known of it;
    /// one that is another, or whose users are, begins anew. Must be called on a tokio runtime.
    pub fn configure(&self, plan: &Plan, surroundings: &Surroundings) -> Changed {
        let mut held = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let running = held.get_or_insert_default();
        self.pool.set_most(plan.groups_listen.memory);
        let mut wanted: BTreeMap<String, Group> = Store::new(&plan.groups).groups;
        let needs = |group: &Group| Needs::of_group(&group.plan, &group.wanted, &plan.snmp.users);
        let before = running.groups.len();
        // The old ones end before the new ones begin.
        running
            .groups
            .retain(|name, (known, _)| wanted.get(name).is_some_and(|group| needs(group) == *known));
        let kept: BTreeSet<String> = running.groups.keys().cloned().collect();
        wanted.retain(|name, _| !kept.contains(name));
        let is_any = before != kept.len() || !wanted.is_empty();
        let users = Arc::new(plan.snmp.users.clone());
        let mut work = Vec::new();
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.groups.retain(|name, _| kept.contains(name));
        for (name, mut group) in wanted {
            tracing::info!(group = name, members = group.members.len(), "a group begins");
            store.lives += 1;
            group.life = store.lives;
            let at_work = Work {
                plan: group.plan.clone(),
                wanted: group.wanted.clone(),
                users: users.clone(),
                outgoing: surroundings.outgoing.clone(),
                store: self.store.clone(),
                started: self.started,
                tell: surroundings.tell.clone(),
                pool: self.pool.clone(),
                life: group.life,
            };
            work.push((name.clone(), needs(&group), at_work));
            store.groups.insert(name, group);
        }
        drop(store);
        for (name, needs, work) in work {
            running.groups.insert(name, (needs, Task(tokio::spawn(work.run()))));
        }
        self.listen(running, plan, surroundings);
        Changed { kept, is_any }
    }

    /// Receives notifications of the members of these groups.
    fn listen(&self, running: &mut Running, plan: &Plan, surroundings: &Surroundings) {
        let needs = Needs::of_listener(&plan.groups_listen, &plan.snmp.users);
        if let Some((known, groups, _)) = &running.receiving
            && *known == needs
            && !plan.groups.is_empty()
        {
            groups.send_if_modified(|groups| {
                let is_other = *groups != plan.groups;
                plan.groups.clone_into(groups);
                is_other
            });
            return;
        }
        // The port is free when the old one has ended.
        let before = running.receiving.take().map(|(_, _, task)| task);
        if plan.groups_listen.listen.is_empty() || plan.groups.is_empty() {
            return;
        }
        let (sender, groups) = watch::channel(plan.groups.clone());
        let listening = notifications::Receiving {
            plan: plan.groups_listen.clone(),
            groups,
            users: Arc::new(plan.snmp.users.clone()),
            store: self.store.clone(),
            tell: surroundings.tell.clone(),
            circles: LogLimit::for_failures(),
        };
        let task = tokio::spawn(async move {
            if let Some(mut before) = before {
                before.0.abort();
                let _ = (&mut before.0).await;
            }
            listening.run().await;
        });
        running.receiving = Some((needs, sender, Task(task)));
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
/// opened on demand; and which group they are of. A member whose name cannot stand in a URL is none.
#[must_use]
pub fn devices(plan: &Plan, outgoing: &OutgoingNow) -> Vec<(String, String, trunkline_devices::Opener)> {
    let mut all = Vec::new();
    for group in &plan.groups {
        for (context, name) in group.contexts() {
            let member = group.members.iter().find(|member| member.name == name);
            let door = member.and_then(|member| Door::new(member, &plan.snmp.users, outgoing, PATIENCE).ok());
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
