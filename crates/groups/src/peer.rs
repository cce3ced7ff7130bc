//! A group at work: read, or left to its peer, which is asked whether it reads.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use trunkline_client::{Bound, Session};
use trunkline_config::{GroupPeerPlan, GroupPlan, MemberPlan, UserPlan};
use trunkline_credentials::secure::OutgoingNow;
use trunkline_polling::{Account, Collector, Limits, Longest, Pool, Report, Setting, Sink, Wanted};
use trunkline_smi::module::trunkline_mib::groups as mib;
use trunkline_smi::schema::{Notification, Scalar};
use trunkline_smi::{Oid, Value};
use trunkline_tree::Event;

use crate::groups::Tell;
use crate::member::Turn;
use crate::nested;
use crate::opening::{self, Door};
use crate::store::Store;
use crate::takeover::{Change, Role, Takeover};

/// A group at work.
pub(crate) struct Work {
    pub plan: Arc<GroupPlan>,
    pub wanted: Arc<Wanted>,
    pub users: Arc<Vec<UserPlan>>,
    pub outgoing: OutgoingNow,
    pub store: Arc<Mutex<Store>>,
    pub started: Instant,
    pub tell: Tell,
    /// The memory of all members.
    pub pool: Arc<Pool>,
    /// Which life of the group this is.
    pub life: u64,
}

impl Work {
    /// Reads the group, or leaves it to the peer, until the task is ended.
    pub async fn run(self) {
        let Some(peer) = &self.plan.peer else {
            self.note(&Takeover::alone());
            let _collector = self.begin().await;
            return std::future::pending().await;
        };
        let mut takeover = Takeover::new(peer.is_standby, peer.missed);
        self.note(&takeover);
        let (mut asker, mut collector) = (Asker::new(peer, &self), None);
        let mut ticks = interval(peer.interval);
        // A machine that was asleep asks once, not for each time that was missed.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let answer = asker.ask(peer.interval, &self.plan.name).await;
            let reason = answer.as_ref().err().cloned();
            let change = takeover.asked(answer.ok());
            self.note(&takeover);
            if takeover.is_found_idle() {
                tracing::warn!(
                    group = self.plan.name,
                    "nobody reads the group: both agents have `standby = true`, of which one must go"
                );
            }
            match change {
                None => {}
                Some(Change::Begin) => {
                    collector = Some(self.begin().await);
                    let reason = reason.map_or_else(
                        || "the peer leaves the group to this agent".to_owned(),
                        |reason| format!("the peer does not answer: {reason}"),
                    );
                    tracing::warn!(group = self.plan.name, reason, "this agent reads the group from now on");
                    self.say(&mib::GROUP_TAKEN_OVER, None, &reason);
                }
                Some(Change::End) => {
                    drop(collector.take());
                    let reason = "the peer answers again";
                    tracing::warn!(group = self.plan.name, reason, "the peer reads the group from now on");
                    self.say(&mib::GROUP_GIVEN_BACK, None, reason);
                }
            }
        }
    }

    /// Starts to read.
    async fn begin(&self) -> Collector {
        loop {
            let sink = self.sink();
            match Collector::start(self.settings(), SHARDS, self.started, &sink) {
                Ok(collector) => return collector,
                Err(error) => {
                    tracing::error!(group = self.plan.name, %error, "the group cannot be read");
                    sleep(AGAIN).await;
                }
            }
        }
    }

    fn settings(&self) -> Vec<Setting> {
        let limits = Limits {
            cycle: self.plan.deadline,
            pause: self.plan.interval,
            longest_pause: (self.plan.interval * LONGEST_PAUSE).max(LEAST_LONGEST_PAUSE),
            ..Limits::default()
        };
        let rates = self.store.lock().unwrap_or_else(PoisonError::into_inner).rated(&self.plan.name).len();
        let count = u32::try_from(self.plan.members.len()).unwrap_or(u32::MAX).max(1);
        // Members that are read at once answer at once.
        let spread = (self.plan.interval / 2).min(SPREAD) / count;
        let mut settings = Vec::new();
        for (at, member) in (0..).zip(&self.plan.members) {
            let nested = if member.is_manager { nested::OCTETS_BESIDE } else { 0 };
            let limits = Limits { beside: rates * size_of::<f64>() + nested, ..limits.clone() };
            let account = Account::of(&self.pool);
            self.lend(member, &account);
            match opening::way(member, &self.users, &self.outgoing, limits) {
                Ok((way, limits)) => settings.push(Setting {
                    key: u64::from(at),
                    wanted: match member.is_manager {
                        true => Arc::new(nested::wanted(member.with_values)),
                        false => self.wanted.clone(),
                    },
                    limits,
                    interval: self.plan.interval,
                    phase: spread * at,
                    account: Some(account),
                    way,
                }),
                // The configuration's check has found it before.
                Err(reason) => {
                    tracing::error!(
                        group = self.plan.name,
                        member = member.name,
                        reason,
                        "it cannot be read"
                    );
                }
            }
        }
        settings
    }

    fn lend(&self, member: &MemberPlan, account: &Arc<Account>) {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.lend(self.life, &self.plan.name, &member.name, account);
    }

    /// Puts what is read into the store.
    fn sink(&self) -> Sink {
        let (plan, store, tell, life) = (self.plan.clone(), self.store.clone(), self.tell.clone(), self.life);
        Arc::new(move |report: Report| {
            let member = usize::try_from(report.key).ok().and_then(|at| plan.members.get(at));
            let Some(member) = member else { return };
            let mut held = store.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = held.take_in(life, &plan.name, &member.name, report);
            drop(held);
            let Some((turn, reason)) = turn else { return };
            let (group, member) = (&plan.name, &member.name);
            tracing::info!(
                group,
                member,
                reason,
                "a member is {}",
                if turn == Turn::Up { "up" } else { "down" }
            );
            let which = if turn == Turn::Up { &mib::GROUP_MEMBER_UP } else { &mib::GROUP_MEMBER_DOWN };
            tell(event(which, group, Some(member), &reason));
        })
    }

    fn note(&self, takeover: &Takeover) {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let known = store.groups.get_mut(&self.plan.name).filter(|group| group.life == self.life);
        if known.is_none() {
            return;
        }
        let was_active = known.is_some_and(|group| {
            group.peer = takeover.peer();
            group.is_active
        });
        if was_active != takeover.is_active() {
            store.turn(&self.plan.name, takeover.is_active());
        }
    }

    fn say(&self, which: &Notification, member: Option<&str>, reason: &str) {
        (self.tell)(event(which, &self.plan.name, member, reason));
    }
}

/// A notification about a group.
fn event(which: &Notification, group: &str, member: Option<&str>, reason: &str) -> Event {
    let object = |scalar: &Scalar, text: &str| (Oid::EMPTY.child(scalar.oid).child(&[0]), Value::text(text));
    let mut objects = vec![object(&mib::GROUP_NOTIFY_GROUP, group)];
    objects.extend(member.map(|member| object(&mib::GROUP_NOTIFY_MEMBER, member)));
    let reason: String = reason.chars().take(80).collect();
    objects.push(object(&mib::GROUP_NOTIFY_REASON, &reason));
    Event::new(Oid::EMPTY.child(which.oid), objects)
}

/// Asks a peer.
struct Asker {
    door: Result<Door, String>,
    session: Option<Arc<dyn Session>>,
}

impl Asker {
    fn new(peer: &GroupPeerPlan, work: &Work) -> Self {
        Asker { door: Door::new(&peer.at, &work.users, &work.outgoing, peer.interval), session: None }
    }

    /// What the peer does with the group, or in words why that is not known.
    async fn ask(&mut self, within: Duration, group: &str) -> Result<Role, String> {
        let asked = timeout(within, self.role(group)).await;
        let answer = asked.unwrap_or_else(|_| Err("no answer in time".into()));
        if answer.is_err() {
            self.session = None;
        }
        answer
    }

    async fn role(&mut self, group: &str) -> Result<Role, String> {
        let session = match &self.session {
            Some(session) => session.clone(),
            None => {
                let opened = self.door.as_ref().map_err(Clone::clone)?.session(Longest::MOST).await;
                self.session.insert(opened.map_err(|unopened| unopened.reason)?).clone()
            }
        };
        let name = group.bytes().map(u32::from);
        let index: Vec<u32> = std::iter::once(group.len() as u32).chain(name).collect();
        let role = Oid::EMPTY.child(mib::GROUP_TABLE.oid).child(&[1, ROLE]).child(&index);
        let answer = session.get(&[role]).await.map_err(|error| error.to_string())?;
        match answer.bindings.first().map(|binding| &binding.value) {
            Some(Bound::Value(Value::Integer(1))) => Ok(Role::Active),
            Some(Bound::Value(Value::Integer(2))) => Ok(Role::Standby),
            _ => Err("the peer does not have the group".into()),
        }
    }
}

/// The column groupRole.
const ROLE: u32 = 6;

/// Threads for each address family of a group.
const SHARDS: usize = 1;

/// After this time reading is tried again.
const AGAIN: Duration = Duration::from_secs(10);

/// Within this time all members of a group are asked first.
const SPREAD: Duration = Duration::from_secs(5);

/// A member that does not answer is left alone for so many intervals at most.
const LONGEST_PAUSE: u32 = 8;

const LEAST_LONGEST_PAUSE: Duration = Duration::from_secs(60);
