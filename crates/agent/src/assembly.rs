//! From a checked plan to an agent that can answer, without a socket: the engine, the machine's tree with what the
//! agent says of itself, and the door between them.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use arc_swap::ArcSwap;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_tree::Provider;
use trunkline_tree::policy::AdminString;

use crate::access;
use crate::config::Plan;
use crate::daemon::StartError;
use crate::door::http::Front;
use crate::door::snmp::{Door, Inputs};
use crate::identity::{Identity, Start};
use crate::machine::{Machine, Parts};
use crate::notify::sources::{self, FailedAuthentication};
use crate::notify::{Outbox, Record};
use crate::own::{
    AuthenticationTraps, EngineGroup, Kept, LoggedNotification, NotificationLogGroup, SessionCounters,
    SshtmGroup, TargetGroup, TlstmGroup, TsmGroup, UsmGroup, VacmGroup,
};
use crate::secure::{Outgoing, OutgoingNow};
use crate::users;

/// An agent that can answer.
pub struct Assembly {
    /// What is served.
    pub machine: Machine,
    /// Who answers.
    pub door: Arc<Door>,
    /// Who answers over HTTP.
    pub front: Arc<Front>,
    /// Where what happens on this machine is told, once somebody does.
    pub outbox: Arc<OnceLock<Outbox>>,
    /// What is counted of sessions.
    pub sessions: Arc<SessionCounters>,
    /// Who the agent is to those it opens sessions with.
    pub outgoing: OutgoingNow,
    own: Own,
    /// snmpEnableAuthenTraps.
    traps: Arc<AuthenticationTraps>,
}

/// What the agent says of itself and managers may change.
struct Own {
    users: Arc<UsmGroup>,
    vacm: Arc<VacmGroup>,
    targets: Arc<TargetGroup>,
    log: Arc<NotificationLogGroup>,
    tsm: Arc<TsmGroup>,
    tlstm: Arc<TlstmGroup>,
    sshtm: Arc<SshtmGroup>,
}

/// What the SNMP door receives at most, and says so in msgMaxSize: the longest datagram over IPv4.
const MAX_MESSAGE_SIZE: usize = 65_507;

impl Assembly {
    /// The agent of a configuration; its start is counted in the state directory.
    ///
    /// # Errors
    /// The state directory, a user, a role, or the operating system.
    pub fn of(plan: &Plan, state: &Path, kept: Arc<Kept>, started: Instant) -> Result<Self, StartError> {
        let counters = Arc::new(Counters::default());
        let engine = Arc::new(engine(plan, state, started)?);
        engine.set_community_over_transport(plan.snmp.communities_in_sessions);
        let sessions = Arc::new(SessionCounters::default());
        let outgoing = Arc::new(ArcSwap::from_pointee(Outgoing::of(plan, state)?));
        let own = Own::open(plan, state, &engine, &counters, &sessions, started)?;
        let outbox = Arc::new(OnceLock::<Outbox>::new());
        let traps = Arc::new(AuthenticationTraps::new(plan.snmp.authentication_traps, kept.clone()));
        let parts = Parts {
            counters: counters.clone(),
            kept: kept.clone(),
            traps: traps.clone(),
            started,
            serial: serial()?,
            own: own.providers(&engine, &counters),
            outgoing: outgoing.clone(),
            on_link: Box::new({
                let outbox = outbox.clone();
                move |change| {
                    if let Some((outbox, event)) = outbox.get().zip(sources::link(change)) {
                        outbox.tell(event);
                    }
                }
            }),
        };
        let machine = Machine::start(plan, parts)?;
        let inputs = Inputs {
            plan: plan.snmp.clone(),
            served: machine.current().served.clone(),
            policy: own.vacm.policy(),
            targets: own.targets.tables(),
            proxies: machine.current().proxies.clone(),
            names: own.tlstm.names(),
        };
        let door = Door::new(engine, counters, inputs);
        own.tell(&door);
        tell_failed_authentication(&door, traps.clone(), outbox.clone());
        let front = Front::new(door.clone(), sessions.clone(), outgoing.clone(), started);
        front.configure(plan)?;
        front.eventing().configure(plan);
        Ok(Assembly { machine, door, front, outbox, sessions, outgoing, own, traps })
    }

    /// Takes another configuration; requests under work finish with the old one.
    ///
    /// # Errors
    /// A user, a role, a program or a proxy; then nothing has changed.
    pub fn configure(&self, plan: &Plan, state: &Path) -> Result<(), StartError> {
        let outgoing = Outgoing::of(plan, state)?;
        let policy = access::policy(plan)?;
        let users = users::table(&plan.snmp.users, self.door.engine().id())?;
        self.front.configure(plan)?;
        self.machine.configure(plan)?;
        self.own.users.configure(&users);
        self.own.vacm.configure(&policy);
        self.own.targets.configure(plan);
        self.own.tsm.configure(plan.snmp.name_prefixes);
        self.own.tlstm.configure(&plan.snmp.tls.names);
        self.door.engine().set_community_over_transport(plan.snmp.communities_in_sessions);
        if !self.outgoing.load().is_like(&outgoing) {
            self.outgoing.store(Arc::new(outgoing));
        }
        self.traps.configure(plan.snmp.authentication_traps);
        let current = self.machine.current();
        self.door.change(|inputs| {
            inputs.plan = plan.snmp.clone();
            inputs.served = current.served.clone();
            inputs.proxies = current.proxies.clone();
        });
        // By what holds from now on.
        self.front.eventing().configure(plan);
        Ok(())
    }
}

impl Assembly {
    /// Who writes what is told into the logs (RFC 3014), and tells subscribers of SOAP.
    pub fn record(&self) -> Record {
        let (log, engine_id, door) =
            (self.own.log.log().clone(), *self.door.engine().id(), self.door.clone());
        let eventing = self.front.eventing().clone();
        Box::new(move |event| {
            eventing.tell(event);
            let context = AdminString::try_from(event.context.as_str()).unwrap_or_default();
            let notification = LoggedNotification {
                oid: event.oid.clone(),
                variables: event.objects.clone(),
                engine_id,
                context_engine_id: engine_id,
                context,
            };
            let settings = door.settings();
            log.record(Instant::now(), SystemTime::now(), settings.targets(), &notification);
        })
    }
}

impl Own {
    fn open(
        plan: &Plan,
        state: &Path,
        engine: &Arc<Engine>,
        counters: &Arc<Counters>,
        sessions: &Arc<SessionCounters>,
        started: Instant,
    ) -> Result<Self, StartError> {
        let users = Arc::new(UsmGroup::open(state, engine.clone(), serial()?)?);
        users.configure(&users::table(&plan.snmp.users, engine.id())?);
        let vacm = Arc::new(VacmGroup::open(state, serial()?)?);
        vacm.configure(&access::policy(plan)?);
        let targets = TargetGroup::open(state, *engine.id(), counters.clone(), serial()?)?;
        targets.configure(plan);
        let targets = Arc::new(targets);
        let filters = targets.clone();
        let has_filter = move |name: &AdminString| filters.tables().filters.contains_key(name);
        let log = Arc::new(NotificationLogGroup::open(state, started, has_filter)?);
        let tsm = TsmGroup::open(state, engine.clone(), counters.clone(), plan.snmp.name_prefixes)?;
        let tlstm = TlstmGroup::open(state, &targets, sessions.clone(), started)?;
        tlstm.configure(&plan.snmp.tls.names);
        let (tsm, tlstm, sshtm) =
            (Arc::new(tsm), Arc::new(tlstm), Arc::new(SshtmGroup::new(sessions.clone())));
        Ok(Own { users, vacm, targets, log, tsm, tlstm, sshtm })
    }

    fn providers(&self, engine: &Arc<Engine>, counters: &Arc<Counters>) -> Vec<Arc<dyn Provider>> {
        let engine = EngineGroup::new(engine.clone(), counters.clone());
        vec![
            Arc::new(engine),
            self.users.clone(),
            self.vacm.clone(),
            self.targets.clone(),
            self.log.clone(),
            self.tsm.clone(),
            self.tlstm.clone(),
            self.sshtm.clone(),
        ]
    }

    /// What managers change is what the door works with from then on.
    fn tell(&self, door: &Arc<Door>) {
        // Weak: the door owns these by its tree.
        let told = Arc::downgrade(door);
        self.vacm.on_change(move |policy| {
            if let Some(door) = told.upgrade() {
                door.change(|inputs| inputs.policy = policy.clone());
            }
        });
        let told = Arc::downgrade(door);
        self.tlstm.on_change(move |names| {
            if let Some(door) = told.upgrade() {
                door.change(|inputs| inputs.names = names.clone());
            }
        });
        let told = Arc::downgrade(door);
        self.targets.on_change(move |tables| {
            if let Some(door) = told.upgrade() {
                door.change(|inputs| inputs.targets = tables.clone());
            }
        });
    }
}

/// authenticationFailure, where snmpEnableAuthenTraps says so (RFC 3418).
fn tell_failed_authentication(door: &Door, traps: Arc<AuthenticationTraps>, outbox: Arc<OnceLock<Outbox>>) {
    let failed = FailedAuthentication::default();
    door.on_failed_authentication(move |peer| {
        if traps.are_enabled()
            && let Some(outbox) = outbox.get()
            && let Some(event) = failed.event(peer, Instant::now())
        {
            outbox.tell(event);
        }
    });
}

/// The engine; its start is counted in the state directory.
fn engine(plan: &Plan, state: &Path, started: Instant) -> Result<Engine, StartError> {
    let start = Start { random: random()?, wall: SystemTime::now(), now: started };
    let identity = Identity::establish(state, plan.engine_id, start)?;
    Ok(Engine::new(EngineOptions {
        id: identity.id,
        clock: identity.clock,
        max_size: MAX_MESSAGE_SIZE,
        handlers: Handlers::RESPONDER,
        // It receives no notifications, and so learns of no other engine.
        remote_engines: 1,
        entropy: u64::from_ne_bytes(random()?),
    }))
}

/// Where a lock of the TestAndIncr kind starts, so that a manager notices a restart (RFC 2579).
fn serial() -> Result<i32, StartError> {
    Ok(i32::from_ne_bytes(random()?) & i32::MAX)
}

fn random<const OCTETS: usize>() -> Result<[u8; OCTETS], StartError> {
    let mut octets = [0; OCTETS];
    let failed = |source: io::Error| StartError::System { doing: "get a random number", source };
    match rustix::rand::getrandom(&mut octets, rustix::rand::GetRandomFlags::empty()) {
        // So few octets come in one piece (getrandom(2)).
        Ok(_) => Ok(octets),
        Err(error) => Err(failed(error.into())),
    }
}
