//! From a checked plan to an agent that can answer, without a socket: the engine, the machine's tree with the
//! agent's own objects, and the door between them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use arc_swap::ArcSwap;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::UserTable;
use trunkline_transport::http::Credentials;
use trunkline_tree::Provider;
use trunkline_tree::policy::AdminString;

use crate::door::netconf::{Netconf, Restconf};
use crate::door::snmp::{Door, InSoap};
use crate::machine::{Current, Machine, OnLink, Parts};
use crate::paths;
use crate::start_error::StartError;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use trunkline_admin::{
    AgentxGroup, AuthenticationTraps, EngineGroup, Identity, Kept, LoggedNotification, NotificationLogGroup,
    SessionCounters, SshtmGroup, Start, TargetGroup, TlstmGroup, TsmGroup, UsmGroup, VacmGroup,
};
use trunkline_commit::paths::roles;
use trunkline_commit::{
    Contradiction, Datastores, FileRoles, Newcomers, RbacSource, SnmpSource, check_hooks, kept_rbac,
};
use trunkline_config::Plan;
use trunkline_config::access;
use trunkline_connector::Connector;
use trunkline_core::{Core, Inputs};
use trunkline_credentials::secure::{Outgoing, OutgoingNow};
use trunkline_credentials::users;
use trunkline_devices::{Device, Opener, Traps};
use trunkline_events::{EventsGroup, ExpressionsGroup};
use trunkline_groups::{Groups, Surroundings};
use trunkline_notify::sources::{self, FailedAuthentication};
use trunkline_notify::{Inbox, Outbox, Record};
use trunkline_process::memory;
use trunkline_regions::{Master, MasterHooks, MasterView};
use trunkline_smi::visible;
use trunkline_web::browser::Browser;
use trunkline_web::eventing::{Eventing, Subscribers};
use trunkline_web::http::{Front, HttpDoor};
use trunkline_web::select::Select;
use trunkline_web::soap::{SelectFinished, Soap};

/// An agent that can answer.
pub struct Assembly {
    /// What is served.
    pub machine: Machine,
    /// What all doors share.
    pub core: Arc<Core>,
    /// The door of SNMP.
    pub door: Arc<Door>,
    /// The front for HTTP.
    pub front: Arc<Front>,
    /// The door of NETCONF.
    pub netconf: Arc<Netconf>,
    /// The door of JMX.
    pub jmx: Arc<Connector>,
    /// The subscribers to notifications over SOAP.
    pub eventing: Arc<Eventing>,
    /// An interface has come or gone, or has another name.
    pub links_changed: Arc<Notify>,
    /// Interfaces that have appeared, and wait to be configured.
    pub newcomers: Arc<Newcomers>,
    /// Where what happens on this machine is put to be sent.
    pub outbox: Outbox,
    /// What waits there for the originator; `None` when it has been started.
    pub inbox: Option<Inbox>,
    /// What is counted of sessions.
    pub sessions: Arc<SessionCounters>,
    /// The agent's identity in the sessions that it opens.
    pub outgoing: OutgoingNow,
    /// The master of subagents.
    pub master: Arc<Master>,
    own: Own,
    /// The configuration of SNMP, over its tables.
    snmp: Arc<SnmpSource>,
    /// The access policy, over that of the configuration file.
    pub rbac: Arc<RbacSource>,
    /// snmpEnableAuthenTraps.
    traps: Arc<AuthenticationTraps>,
    /// Whether linkUp and linkDown are sent.
    tells_of_links: Arc<AtomicBool>,
}

/// The agent's own objects that managers may change.
struct Own {
    users: Arc<UsmGroup>,
    vacm: Arc<VacmGroup>,
    targets: Arc<TargetGroup>,
    log: Arc<NotificationLogGroup>,
    events: Arc<EventsGroup>,
    expressions: Arc<ExpressionsGroup>,
    tsm: Arc<TsmGroup>,
    tlstm: Arc<TlstmGroup>,
    sshtm: Arc<SshtmGroup>,
    subagents: Arc<MasterView>,
    groups: Groups,
}

/// The longest message that the SNMP door accepts, as in its msgMaxSize: the longest datagram over IPv4.
const MAX_MESSAGE_SIZE: usize = 65_507;

impl Assembly {
    /// The agent of a configuration; its start is counted in the state directory. `select_finished` is the laboratory's.
    ///
    /// # Errors
    /// The state directory, a user, a role, or the operating system.
    pub fn of(
        plan: &Plan,
        state: &Path,
        kept: Arc<Kept>,
        started: Instant,
        select_finished: Option<SelectFinished>,
    ) -> Result<Self, StartError> {
        let counters = Arc::new(Counters::default());
        let identity = Identity::establish(state, plan.engine_id, circumstances(started)?)?;
        for notice in &identity.notices {
            tracing::error!("{notice}");
        }
        let engine = Arc::new(engine(&identity)?);
        engine.set_community_over_transport(plan.snmp.communities_in_sessions);
        let sessions = Arc::new(SessionCounters::default());
        let outgoing = Arc::new(ArcSwap::from_pointee(Outgoing::of(plan, state)?));
        let own = Own::open(plan, state, &engine, &counters, &sessions, started)?;
        let (outbox, inbox) = Outbox::new(plan.snmp.trap_style);
        outbox.tell(sources::cold_start());
        let tells_of_links = Arc::new(AtomicBool::new(plan.snmp.link_notifications));
        let newcomers = Arc::new(Newcomers::default());
        let links_changed = Arc::new(Notify::new());
        let traps = Arc::new(AuthenticationTraps::new(plan.snmp.authentication_traps, kept.clone()));
        let parts = Parts {
            counters: counters.clone(),
            kept: kept.clone(),
            traps: traps.clone(),
            started,
            serial: serial()?,
            own: own.providers(&engine, &counters),
            outgoing: outgoing.clone(),
            tells_of_links: tells_of_links.clone(),
            on_link: on_link(
                outbox.clone(),
                newcomers.clone(),
                links_changed.clone(),
                tells_of_links.clone(),
            ),
        };
        check_hooks(plan).map_err(StartError::Hook)?;
        let machine = Machine::start(plan, parts)?;
        let master = own.master(&machine, outbox.clone());
        let core = Core::new(engine, counters, own.inputs(plan, &machine));
        own.tell(&core);
        tell_failed_authentication(&core, traps.clone(), outbox.clone());
        let door = Door::new(core.clone(), &plan.snmp);
        let eventing = Eventing::new(core.clone(), outgoing.clone(), started);
        let datastores =
            Datastores::open(state, machine.host().clone())?.with_system(machine.system().clone());
        let snmp = own.snmp(&core, traps.clone(), plan);
        let rbac = RbacSource::new(own.vacm.clone(), roles(plan), Box::new(paths::find));
        let datastores = datastores.with_snmp(snmp.clone()).with_rbac(rbac.clone());
        let netconf = Netconf::new(core.clone(), datastores);
        let front = Front::new(core.clone(), http_doors(&eventing, &door, &netconf, select_finished));
        let jmx = Connector::new(core.clone(), front.gate().clone(), plan);
        front.configure(plan, Front::credentials(plan)?);
        eventing.configure(plan);
        netconf.configure(plan);
        Ok(Assembly {
            machine,
            core,
            door,
            front,
            netconf,
            jmx,
            eventing,
            links_changed,
            newcomers,
            outbox,
            inbox: Some(inbox),
            sessions,
            outgoing,
            master,
            own,
            snmp,
            rbac,
            traps,
            tells_of_links,
        })
    }

    /// Whether an agent can be built from a configuration: the same as [`Assembly::of`], but nothing is written,
    /// started or counted. Returns warnings for the operator.
    ///
    /// # Errors
    /// As there.
    pub fn check(plan: &Plan, state: &Path, started: Instant) -> Result<Vec<String>, StartError> {
        let kept = Arc::new(Kept::open(state)?);
        Datastores::check(state)?;
        check_hooks(plan).map_err(StartError::Hook)?;
        let identity = Identity::foresee(state, plan.engine_id, circumstances(started)?)?;
        let counters = Arc::new(Counters::default());
        let engine = Arc::new(engine(&identity)?);
        let sessions = Arc::new(SessionCounters::default());
        let own = Own::open(plan, state, &engine, &counters, &sessions, started)?;
        let parts = Parts {
            traps: Arc::new(AuthenticationTraps::new(plan.snmp.authentication_traps, kept.clone())),
            own: own.providers(&engine, &counters),
            outgoing: Arc::new(ArcSwap::from_pointee(Outgoing::of_keys_there(plan, state)?)),
            tells_of_links: Arc::new(AtomicBool::new(plan.snmp.link_notifications)),
            on_link: Box::new(|_| {}),
            serial: serial()?,
            counters,
            kept,
            started,
        };
        Machine::check(plan, parts)?;
        Front::credentials(plan)?;
        let rbac = RbacSource::new(own.vacm.clone(), roles(plan), Box::new(paths::find));
        let mut notices = identity.notices;
        notices.extend(contradictions(state, &rbac)?);
        Ok(notices)
    }

    /// What another configuration needs; nothing changes yet.
    ///
    /// # Errors
    /// A user, a role, a program or a proxy.
    pub fn prepare(&self, plan: &Plan, state: &Path) -> Result<Next, StartError> {
        check_hooks(plan).map_err(StartError::Hook)?;
        Ok(Next {
            outgoing: Outgoing::of(plan, state)?,
            roles: checked_roles(plan)?,
            users: users::table(&plan.snmp.users, self.core.engine().id())?,
            credentials: Front::credentials(plan)?,
            current: self.machine.prepare(plan)?,
        })
    }

    /// Applies another configuration, with what was prepared for it; requests in progress finish with the old
    /// one.
    pub fn configure(&self, plan: &Plan, next: Next) {
        let Next { outgoing, roles, users, credentials, current } = next;
        self.front.configure(plan, credentials);
        self.machine.configure(plan, current);
        self.own.users.configure(&users);
        self.rbac.configure(roles);
        self.own.targets.configure(plan);
        self.own.events.configure(plan);
        self.own.expressions.configure(plan);
        self.own.tsm.configure(plan.snmp.name_prefixes);
        self.own.tlstm.configure(&plan.snmp.tls.names);
        self.core.engine().set_community_over_transport(plan.snmp.communities_in_sessions);
        if !self.outgoing.load().is_like(&outgoing) {
            self.outgoing.store(Arc::new(outgoing));
        }
        self.traps.configure(plan.snmp.authentication_traps);
        self.tells_of_links.store(plan.snmp.link_notifications, Ordering::Relaxed);
        self.outbox.configure(plan.snmp.trap_style);
        self.snmp.configure(plan);
        self.door.configure(&plan.snmp);
        self.core.change(|inputs| inputs.communities = plan.snmp.communities.clone());
        self.serve_current();
        self.netconf.configure(plan);
        self.jmx.configure(plan);
        // By what holds from now on.
        self.eventing.configure(plan);
    }
}

/// A device by its name, its context of the access policy, and how its sessions are opened.
pub type Reached = (String, String, Opener);

/// Devices that the program was given with its command line.
#[derive(Default)]
pub struct Given {
    /// How they are reached.
    pub devices: Vec<Reached>,
    /// What receives their traps.
    pub traps: Option<Traps>,
}

fn device((name, context, opener): Reached, runtime: &Handle) -> Device {
    Device::new(name, context, opener, runtime.clone())
}

/// The doors over HTTP.
fn http_doors(
    eventing: &Arc<Eventing>,
    door: &Arc<Door>,
    netconf: &Arc<Netconf>,
    select_finished: Option<SelectFinished>,
) -> Vec<Box<dyn HttpDoor>> {
    vec![
        Box::new(Subscribers(eventing.clone())),
        Box::new(Soap::new(select_finished)),
        Box::new(InSoap(door.clone())),
        Box::new(Restconf::new(netconf.clone())),
        Box::<Browser>::default(),
        Box::new(Select::new(Box::new(Subscribers(eventing.clone())))),
    ]
}

/// What of the `/rbac` that is kept would not be in force.
fn contradictions(state: &Path, source: &RbacSource) -> Result<Vec<String>, StartError> {
    let forest = trunkline_commit::paths::forest();
    let rbac = match kept_rbac(state, &forest) {
        Ok(rbac) => rbac,
        Err(error) => return Ok(vec![format!("the kept /rbac cannot be read: {error}")]),
    };
    let (_, left_out) = source.policy_without(&rbac)?;
    let words = |Contradiction { what, place, permissions, reason }: Contradiction| {
        let (what, reason, place) = (visible(&what), visible(&reason), visible(&place));
        let mut words = format!("{what} of /rbac would not be in force: {reason}: {place}");
        if !permissions.is_empty() {
            words += &format!(", with the permissions {}", permissions.join(", "));
        }
        words
    };
    Ok(left_out.into_iter().map(words).collect())
}

/// The roles of a configuration, which make a policy.
fn checked_roles(plan: &Plan) -> Result<FileRoles, StartError> {
    let roles = roles(plan);
    roles.now.compile()?;
    Ok(roles)
}

impl Assembly {
    /// Serves what subagents have registered. The tree takes a moment to build: called off the serving threads.
    pub fn serve_subagents(&self) {
        let subagents = self.master.subagents();
        self.machine.serve(subagents.clone());
        let name = |context: &[u8]| AdminString::try_from(context).ok();
        self.own.vacm.serve(subagents.contexts().filter_map(name).collect());
        self.serve_current();
        self.master.applied(&subagents);
    }

    /// What the machine serves is what the doors answer from.
    fn serve_current(&self) {
        let current = self.machine.current();
        self.master.set_own(current.own_tree().clone());
        let proxies = Arc::new(current.proxies.and(self.own.groups.contexts()));
        self.core.change(|inputs| {
            inputs.served = current.served.clone();
            inputs.proxies = proxies.clone();
        });
    }
}

/// The parts of another configuration, ready to be applied.
pub struct Next {
    outgoing: Outgoing,
    roles: FileRoles,
    users: UserTable,
    credentials: Credentials,
    current: Option<Current>,
}

impl Assembly {
    /// The tables of DISMAN-EVENT-MIB.
    pub fn events(&self) -> &EventsGroup {
        &self.own.events
    }

    /// The tables of DISMAN-EXPRESSION-MIB.
    pub fn expressions(&self) -> &ExpressionsGroup {
        &self.own.expressions
    }

    /// Devices that are read over HTTP as this machine is, and what receives their traps.
    pub fn give_devices(&self, given: Given, runtime: &Handle) {
        let devices = self.front.devices();
        runtime.spawn(memory::give_back_after(devices.forgotten().clone()));
        devices.give(given.devices.into_iter().map(|reached| device(reached, runtime)));
        given
            .traps
            .into_iter()
            .for_each(|traps| drop(runtime.spawn(traps.run(devices.happenings().clone()))));
    }

    /// Reads the groups of a configuration. Must be called on the runtime.
    pub fn read_groups(&self, plan: &Plan) {
        let (outbox, devices) = (self.outbox.clone(), self.front.devices().clone());
        let tell = Arc::new(move |event| {
            devices.happenings().add_of_member(&event);
            outbox.tell(event);
        });
        let changed =
            self.own.groups.configure(plan, &Surroundings { outgoing: self.outgoing.clone(), tell });
        if changed.is_any {
            self.serve_current();
            let (members, runtime) = (trunkline_groups::devices(plan, &self.outgoing), Handle::current());
            let devices = members.into_iter().map(|reached| device(reached, &runtime));
            self.front.devices().configure(devices, |device| {
                let group = device.context().split_once('/').map(|(group, _)| group);
                group.is_some_and(|group| changed.kept.contains(group))
            });
        }
    }

    /// Reads no groups any more.
    pub fn leave_groups(&self) {
        self.own.groups.end();
    }

    /// The originator, which writes events into the logs (RFC 3014) and passes them to the subscribers of SOAP and NETCONF.
    pub fn record(&self) -> Record {
        let (log, engine_id, core) =
            (self.own.log.log().clone(), *self.core.engine().id(), self.core.clone());
        let (eventing, netconf, jmx) = (self.eventing.clone(), self.netconf.clone(), self.jmx.clone());
        Box::new(move |event, at| {
            eventing.tell(event, at);
            netconf.tell(event, at);
            jmx.tell(event, at);
            let context = AdminString::try_from(event.context.as_str()).unwrap_or_default();
            let notification = LoggedNotification {
                oid: event.oid.clone(),
                variables: event.objects.clone(),
                engine_id,
                context_engine_id: engine_id,
                context,
            };
            let settings = core.settings();
            log.record(at, SystemTime::now() - at.elapsed(), settings.targets(), &notification);
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
        let events = Arc::new(EventsGroup::open(state)?);
        events.configure(plan);
        let expressions = Arc::new(ExpressionsGroup::open(state, started)?);
        expressions.configure(plan);
        let tsm = TsmGroup::open(state, engine.clone(), counters.clone(), plan.snmp.name_prefixes)?;
        let tlstm = TlstmGroup::open(state, &targets, sessions.clone(), started)?;
        tlstm.configure(&plan.snmp.tls.names);
        let (tsm, tlstm, sshtm) =
            (Arc::new(tsm), Arc::new(tlstm), Arc::new(SshtmGroup::new(sessions.clone())));
        Ok(Own {
            users,
            vacm,
            targets,
            log,
            events,
            expressions,
            tsm,
            tlstm,
            sshtm,
            subagents: Arc::default(),
            groups: Groups::new(started),
        })
    }

    fn providers(&self, engine: &Arc<Engine>, counters: &Arc<Counters>) -> Vec<Arc<dyn Provider>> {
        let engine = EngineGroup::new(engine.clone(), counters.clone());
        let mut providers: Vec<Arc<dyn Provider>> = vec![
            Arc::new(engine),
            self.users.clone(),
            self.vacm.clone(),
            self.targets.clone(),
            self.log.clone(),
            self.events.clone(),
            self.expressions.clone(),
            Arc::new(self.expressions.values()),
            self.tsm.clone(),
            self.tlstm.clone(),
            self.sshtm.clone(),
            Arc::new(AgentxGroup::new(self.subagents.clone())),
        ];
        providers.extend(self.groups.providers());
        providers
    }

    /// What doors work with.
    fn inputs(&self, plan: &Plan, machine: &Machine) -> Inputs {
        let current = machine.current();
        Inputs {
            communities: plan.snmp.communities.clone(),
            served: current.served.clone(),
            policy: self.vacm.policy(),
            targets: self.targets.tables(),
            proxies: current.proxies.clone(),
            names: self.tlstm.names(),
        }
    }

    /// The master of subagents.
    fn master(&self, machine: &Machine, outbox: Outbox) -> Arc<Master> {
        let (modules, current) = (machine.system().modules_served().clone(), machine.shared_current());
        let notify = Box::new(move |event| outbox.tell(event));
        let has_context = Box::new(move |context: &[u8]| current.load().has_context(context));
        let master = Master::new(MasterHooks { notify, modules, has_context });
        self.subagents.set(master.clone());
        master.set_own(machine.current().own_tree().clone());
        master
    }

    /// What they are as a configuration.
    fn snmp(&self, core: &Core, traps: Arc<AuthenticationTraps>, plan: &Plan) -> Arc<SnmpSource> {
        let of_snmp = (&*self.targets, &*self.users, &*self.vacm, &*self.tlstm);
        let delegated = [self.events.store(), self.expressions.store()];
        let snmp = Arc::new(SnmpSource::new(core.engine().id(), of_snmp, delegated, self.tsm.clone(), traps));
        snmp.configure(plan);
        snmp
    }

    /// What managers change is what the doors work with from then on.
    fn tell(&self, core: &Arc<Core>) {
        // Weak: the core owns these by its tree.
        let told = Arc::downgrade(core);
        self.vacm.on_change(move |policy| {
            if let Some(core) = told.upgrade() {
                core.change(|inputs| inputs.policy = policy.clone());
            }
        });
        let told = Arc::downgrade(core);
        self.tlstm.on_change(move |names| {
            if let Some(core) = told.upgrade() {
                core.change(|inputs| inputs.names = names.clone());
            }
        });
        let told = Arc::downgrade(core);
        self.targets.on_change(move |tables| {
            if let Some(core) = told.upgrade() {
                core.change(|inputs| inputs.targets = tables.clone());
            }
        });
    }
}

/// What is done with an interface that has appeared or changed.
fn on_link(outbox: Outbox, newcomers: Arc<Newcomers>, links: Arc<Notify>, tells: Arc<AtomicBool>) -> OnLink {
    Box::new(move |change| {
        if change.appeared || change.after.is_none() {
            links.notify_one();
        }
        if change.appeared {
            newcomers.tell(&change.name);
        }
        if tells.load(Ordering::Relaxed)
            && let Some(event) = sources::link(change)
        {
            outbox.tell(event);
        }
    })
}

/// authenticationFailure, if snmpEnableAuthenTraps is enabled (RFC 3418).
fn tell_failed_authentication(core: &Core, traps: Arc<AuthenticationTraps>, outbox: Outbox) {
    let failed = FailedAuthentication::default();
    core.on_failed_authentication(move |peer| {
        if traps.are_enabled()
            && let Some(event) = failed.event(peer, Instant::now())
        {
            outbox.tell(event);
        }
    });
}

/// What determines an engine's start.
fn circumstances(started: Instant) -> Result<Start, StartError> {
    Ok(Start { random: random()?, wall: SystemTime::now(), now: started })
}

fn engine(identity: &Identity) -> Result<Engine, StartError> {
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
        // Requests for this few octets are never cut short (getrandom(2)).
        Ok(_) => Ok(octets),
        Err(error) => Err(failed(error.into())),
    }
}
