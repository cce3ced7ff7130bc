//! From a checked plan to a running agent, and its signals: HUP re-reads the
//! configuration, USR1 logs what the listeners have counted, TERM and INT end it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use tokio::signal::unix::{SignalKind, signal};
use trunkline_admin::{Kept, StateFolder, state_folder};
use trunkline_commit::paths::roles;
use trunkline_commit::{Come, Newcomers};
use trunkline_config::{Plan, Source};
use trunkline_credentials::secure::SecureError;
use trunkline_process::memory;
use trunkline_process::privilege::{self, Account};
use trunkline_transport::Resources;

use crate::assembly::{Assembly, Given};
use crate::check;
use crate::door::netconf::{CheckRequest, Netconf};
use crate::door::snmp::Probe;
use crate::listeners::Listeners;
use crate::paths;
use crate::signals::{Caught, Signals};
use crate::start_error::{Errors, StartError};
use trunkline_notify::{Inbox, Originator, Running, Users, Watcher, sources};
use trunkline_regions::{Master, PreparedListeners, SubagentListeners};
use trunkline_subagent::SubagentRole;
use trunkline_web::soap::SelectFinished;

/// What the programs `trunklined` and `trunklined-lab` differ in.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Writes a line to stderr: the programs own the printing.
    pub say: fn(&str),
    /// Writes the requested lines to stdout.
    pub print: fn(&str),
    /// Whether it is the laboratory's program: it may serve TLS that encrypts nothing.
    pub is_laboratory: bool,
    /// The clock of requests in sessions.
    pub clock: Option<trunkline_core::Clock>,
    /// Another check of requests of NETCONF.
    pub check_request: Option<CheckRequest>,
    /// Selects from finished answers of SOAP.
    pub select_finished: Option<SelectFinished>,
    /// Called on SIGUSR1 and at the end.
    pub report: fn(),
}

/// The steps that run once, at the start.
pub struct Ready {
    /// When the agent listens, before the addresses are logged.
    pub listens: Box<dyn FnOnce()>,
    /// After this is logged: whoever waits for it finds the addresses in the log.
    pub told: Box<dyn FnOnce()>,
}

/// Runs until a signal ends it. `signals` are those that the program catches from its beginning. `plan` is the current plan of `source`, `devices` are
/// read over HTTP as this machine is; `ready` is called when the agent listens.
/// `P` is the instrument of the fast path.
///
/// # Errors
/// What keeps the agent from starting.
pub fn run<P: Probe>(
    signals: Signals,
    source: Source,
    plan: Plan,
    devices: Given,
    hooks: Hooks,
    ready: Ready,
) -> Result<(), StartError> {
    let started = Instant::now();
    if plan.is_integrity_only() && !hooks.is_laboratory {
        return Err(StartError::IntegrityOnly);
    }
    let account = privilege::find_account(&plan)?;
    let state = state_folder::of(plan.state.as_deref())?;
    if account.is_none() {
        state_folder::check_owner(&state)?;
    }
    let folder = StateFolder::open(&state)?;
    let kept = Arc::new(Kept::open(&state)?);
    if let Some(account) = &account {
        // The target of a link, and a file with several names, keeps its owner.
        account.own(&state, || state_folder::own_files(&state))?;
    }
    let for_subagents = {
        let _inside = signals.runtime.enter();
        PreparedListeners::at_start(&plan, account.as_ref().and_then(Account::new_owner))
            .map_err(|errors| StartError::Listeners(of_subagents(errors)))?
    };
    // Capabilities belong to threads: given up before the first one is started.
    privilege::drop_privileges(&plan, account.as_ref())?;

    let mut agent = Assembly::of(&plan, &state, kept, started, hooks.select_finished)?;
    let inbox = agent.inbox.take();
    hooks.clock.into_iter().for_each(|clock| agent.core.phases().set(clock));
    let agent = Arc::new(agent);
    hooks.check_request.into_iter().for_each(|check| agent.netconf.check_requests_by(check));
    let Signals { runtime, caught } = signals;
    let resources = Arc::new(Resources::new(plan.waiting_output));
    runtime.spawn(memory::give_back(resources.clone()));
    agent.give_devices(devices, runtime.handle());
    let listeners = Listeners::new::<P>(
        agent.door.clone(),
        agent.front.clone(),
        (agent.netconf.clone(), agent.jmx.clone()),
        agent.sessions.clone(),
        runtime.handle().clone(),
        state.clone(),
        resources,
    );
    let subagents = SubagentListeners::new(agent.master.clone(), runtime.handle().clone());
    let as_subagent = SubagentRole::new(agent.core.clone(), runtime.handle().clone());
    let users = Arc::new(ArcSwap::from_pointee(plan.snmp.users.clone()));
    let (watcher, triggers, expressions, expiry, notifying) = (Watcher::default(), None, None, None, None);
    let mut daemon = Daemon {
        agent,
        inbox,
        users,
        watcher,
        triggers,
        expressions,
        expiry,
        notifying,
        listeners,
        subagents,
        as_subagent,
        plan,
        source,
        hooks,
        started,
        state,
        _folder: folder,
    };
    let ended = runtime.block_on(daemon.serve(caught, ready, for_subagents));
    drop(daemon);
    // A source or a program that hangs must not delay the exit.
    runtime.shutdown_timeout(LAST_MOMENT);
    // Nor may it outlive the agent.
    trunkline_host::programs::kill_all();
    ended
}

/// After subagents could not be served.
const PAUSE: Duration = Duration::from_secs(1);

/// The time limit for the runtime's background tasks when nobody waits for them any more.
const LAST_MOMENT: Duration = Duration::from_millis(100);

struct Daemon {
    agent: Arc<Assembly>,
    /// What happens until notifications are sent; `None` from then on.
    inbox: Option<Inbox>,
    /// The users of the configuration, for informs.
    users: Users,
    watcher: Watcher,
    triggers: Option<trunkline_events::Engine>,
    expressions: Option<trunkline_events::ExpressionEngine>,
    expiry: Option<trunkline_events::Expiry>,
    /// Sends notifications.
    notifying: Option<Running>,
    started: Instant,
    state: PathBuf,
    /// No other agent may use it as long as this one runs.
    _folder: StateFolder,
    listeners: Listeners,
    subagents: SubagentListeners,
    /// What another agent has from this one.
    as_subagent: SubagentRole,
    plan: Plan,
    source: Source,
    hooks: Hooks,
}

impl Daemon {
    async fn serve(
        &mut self,
        mut caught: Caught,
        ready: Ready,
        for_subagents: PreparedListeners,
    ) -> Result<(), StartError> {
        let on =
            |kind| signal(kind).map_err(|source| StartError::System { doing: "listen for signals", source });
        let mut terminate = on(SignalKind::terminate())?;
        let mut interrupt = on(SignalKind::interrupt())?;
        let prepared = match self.listeners.prepare(&self.plan, &self.plan).await {
            Ok(prepared) => prepared,
            Err(errors) => return Err(StartError::Listeners(Errors(errors))),
        };
        let notes = check::notes(&self.plan, None).into_iter();
        for note in notes.chain(check::unreadable_source(&self.source, None)) {
            tracing::warn!("{note}");
        }
        if self.agent.netconf.has_kept() {
            // No interface appears unseen between what is applied now and what is noticed from then on.
            self.agent.machine.watched().await;
        }
        self.agent.netconf.restore().await;
        tokio::spawn(self.agent.netconf.clone().review());
        tokio::spawn(configure_newcomers(self.agent.newcomers.clone(), self.agent.netconf.clone()));
        let opened = self.listeners.apply(&self.plan, prepared);
        memory::release_code_soon();
        (ready.listens)();
        for url in opened {
            (self.hooks.say)(&format!("listening {url}"));
        }
        for endpoint in self.subagents.apply(&self.plan, for_subagents) {
            (self.hooks.say)(&format!("listening {endpoint}"));
        }
        self.as_subagent.apply(self.plan.subagent.as_ref());
        (ready.told)();
        self.start_notifying();
        self.agent.read_groups(&self.plan);
        // One may have come or gone since the file was read.
        self.agent.links_changed.notify_one();
        let master = self.agent.master.clone();
        let mut rested = tokio::time::Instant::now();
        loop {
            tokio::select! {
                () = changed(&master, rested) => {
                    let (agent, began) = (self.agent.clone(), Instant::now());
                    let served = aside(move || agent.serve_subagents()).await;
                    // One that fails would fail again at once. A subagent that registers without end has a fourth of one
                    // processor.
                    let rest = if served.is_some() { began.elapsed() * 3 } else { PAUSE };
                    rested = tokio::time::Instant::now() + rest;
                }
                () = self.agent.links_changed.notified() => self.follow_links().await,
                _ = caught.hang_up.recv() => {
                    self.reload().await;
                    memory::release_code_soon();
                }
                _ = caught.user.recv() => self.report(),
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
            }
        }
        tracing::info!("shutting down");
        tokio::select! {
            () = self.finish() => {}
            _ = terminate.recv() => tracing::info!("a second signal: exiting at once"),
            _ = interrupt.recv() => tracing::info!("a second signal: exiting at once"),
        }
        self.report();
        Ok(())
    }

    /// Answers outstanding requests, as far as there is time, and ends subscriptions.
    async fn finish(&mut self) {
        let grace = self.plan.grace;
        self.agent.leave_groups();
        self.subagents.finish();
        self.as_subagent.finish().await;
        self.agent.outbox.tell(sources::ending());
        let notifying = self.notifying.take();
        let told = async {
            if let Some(notifying) = notifying
                && tokio::time::timeout(grace, notifying.finish()).await.is_err()
            {
                tracing::warn!(?grace, "some notifications were not sent, or not confirmed");
            }
        };
        let answered = async {
            if !grace.is_zero() && tokio::time::timeout(grace, self.listeners.finish()).await.is_err() {
                tracing::warn!(?grace, "some outstanding requests get no answer");
            }
        };
        tokio::join!(told, answered);
        self.agent.eventing.shut_down().await;
    }

    /// From now on what happens is sent, and what has happened since the start.
    fn start_notifying(&mut self) {
        let core = self.agent.core.clone();
        if let Some(inbox) = self.inbox.take() {
            self.notifying = Some(Originator::start(
                inbox,
                core.clone(),
                self.users.clone(),
                self.started,
                self.agent.record(),
                self.agent.outgoing.clone(),
                self.agent.sessions.clone(),
            ));
        }
        self.watcher.configure(&self.plan.monitors, &core, &self.agent.outbox);
        self.expressions = Some(self.agent.expressions().start(core.clone()));
        let lasting = [self.agent.events().lasting(), self.agent.expressions().lasting()];
        self.expiry = Some(trunkline_events::Expiry::start(lasting, core.clone()));
        let inputs = self.agent.expressions().inputs();
        self.triggers = Some(self.agent.events().start(core, self.agent.outbox.clone(), inputs));
    }

    /// Says what the listeners saw.
    fn report(&self) {
        for counts in self.listeners.counts() {
            tracing::info!("counted {counts}");
        }
        (self.hooks.report)();
    }

    /// Applies the file as it is now. Everything that it needs is created and opened first: if any of it fails,
    /// nothing changes.
    async fn reload(&mut self) {
        let source = self.source.clone();
        let plan = match aside(move || paths::load(&source)).await {
            Some(Ok(plan)) => Arc::new(plan),
            Some(Err(error)) => {
                tracing::error!("the old configuration stays in effect:\n{error}");
                return;
            }
            None => return,
        };
        if plan.is_integrity_only() && !self.hooks.is_laboratory {
            tracing::error!(error = %StartError::IntegrityOnly, "the old configuration stays in effect");
            return;
        }
        if let Some(list) = plan.lost_revocation_list(&self.plan) {
            tracing::error!(
                "the old configuration and its revocation list stay in effect:\nthe revocation list {} is gone, and without it \
                 revoked certificates would be accepted again; put it back, or set revocation-lists = [] in [snmp.tls] or \
                 [http.tls] to accept them",
                list.display()
            );
            return;
        }
        // A file that was cut short or is half-written is not to open the defaults.
        if plan.listens_by_default && !self.plan.listens_by_default {
            tracing::error!(
                "the old configuration stays in effect:\n`listen` was removed; set `listen` in [snmp], [http], [netconf] or [jmx], or restart for the defaults"
            );
            return;
        }
        let (agent, wanted, state) = (self.agent.clone(), plan.clone(), self.state.clone());
        let next = match aside(move || agent.prepare(&wanted, &state)).await {
            Some(Ok(next)) => next,
            Some(Err(error)) => {
                tracing::error!(%error, "the old configuration stays in effect");
                return;
            }
            None => return,
        };
        let prepared = match self.listeners.prepare(&plan, &self.plan).await {
            Ok(prepared) => prepared,
            Err(errors) => {
                tracing::error!(error = %Errors(errors), "the old configuration stays in effect");
                return;
            }
        };
        let for_subagents = match self.subagents.prepare(&plan) {
            Ok(prepared) => prepared,
            Err(errors) => {
                tracing::error!(error = %of_subagents(errors), "the old configuration stays in effect");
                return;
            }
        };
        self.warn_of(&plan);
        self.agent.configure(&plan, next);
        self.agent.netconf.restore().await;
        self.users.store(Arc::new(plan.snmp.users.clone()));
        self.watcher.configure(&plan.monitors, &self.agent.core, &self.agent.outbox);
        for url in self.listeners.apply(&plan, prepared) {
            (self.hooks.say)(&format!("listening {url}"));
        }
        for endpoint in self.subagents.apply(&plan, for_subagents) {
            (self.hooks.say)(&format!("listening {endpoint}"));
        }
        self.as_subagent.apply(plan.subagent.as_ref());
        self.agent.read_groups(&plan);
        let unchanged = self.plan == *plan;
        self.agent.outbox.tell(sources::reloaded(plan.snmp.trap_style, unchanged));
        self.plan = Arc::unwrap_or_clone(plan);
        tracing::info!(listeners = self.listeners.bound().count(), "configuration reloaded");
    }

    /// Finds the rows that rules for paths with names of interfaces stand for, whose numbers may be others.
    async fn follow_links(&mut self) {
        let (mut plan, agent) = (self.plan.clone(), self.agent.clone());
        let found = aside(move || {
            // What was found when the file was read is found again, or less.
            match paths::set(&mut plan) {
                Ok(()) => agent.rbac.configure(roles(&plan)),
                Err(error) => tracing::error!(%error, "rules for paths stay as they were"),
            }
            plan
        });
        if self.plan.paths().next().is_none() && !self.agent.rbac.now().has_paths() {
            return;
        }
        if let Some(plan) = found.await {
            self.plan = plan;
        }
    }

    /// Logs which changes of another configuration do not take effect now, or will not work.
    fn warn_of(&self, plan: &Plan) {
        if plan.user != self.plan.user || plan.state != self.plan.state || plan.log != self.plan.log {
            tracing::warn!("a changed user, state or log in [agent] takes effect at the next start");
        }
        if plan.waiting_output != self.plan.waiting_output {
            tracing::warn!("a changed waiting-output in [agent] takes effect at the next start");
        }
        if plan.program_privileges != self.plan.program_privileges
            || plan.read_processes != self.plan.read_processes
        {
            tracing::warn!(
                "a changed program-privileges or read-processes in [agent] takes effect at the next start"
            );
        }
        if plan.may_write() && !self.plan.may_write() {
            tracing::warn!(
                "the capability to change links was dropped at the start; restart to write to them"
            );
        }
        if plan.snmp.tcp != self.plan.snmp.tcp {
            tracing::warn!("changed limits in [snmp.tcp] take effect for listeners opened from now on");
        }
        if plan.http.limits != self.plan.http.limits {
            tracing::warn!("changed limits in [http] take effect for listeners opened from now on");
        }
        for note in check::notes(plan, None) {
            tracing::warn!("{note}");
        }
    }
}

pub(crate) fn of_subagents(errors: Vec<SecureError>) -> Errors {
    Errors(errors.into_iter().map(Into::into).collect())
}

/// What subagents serve has changed; not before a time.
async fn changed(master: &Master, from: tokio::time::Instant) {
    tokio::time::sleep_until(from).await;
    master.changed().await;
}

/// Configures interfaces that appear, as long as the agent runs.
async fn configure_newcomers(newcomers: Arc<Newcomers>, netconf: Arc<Netconf>) {
    loop {
        match newcomers.next().await {
            Come::These(names) => netconf.appeared(names).await,
            Come::Any => netconf.appeared(netconf.interfaces().await).await,
        }
    }
}

/// Runs a part of a reload on a separate thread, since it reads files and hashes passwords: requests are answered
/// meanwhile. `None`: it panicked, and the log says so.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.inspect_err(|panic| tracing::error!(%panic, "the old configuration stays in effect")).ok()
}
