//! From a checked plan to a running agent, and its signals: HUP re-reads the
//! configuration, USR1 logs what the listeners have counted, TERM and INT end it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use tokio::signal::unix::{SignalKind, signal};
use trunkline_tree::RegisterError;
use trunkline_tree::policy::RoleError;

use crate::assembly::Assembly;
use crate::config::{Plan, Source};
use crate::door::snmp::Probe;
use crate::listeners::{ListenError, Listeners};
use crate::notify::{Originator, Outbox, Users, Watcher, sources};
use crate::own::{Kept, KeptError};
use crate::privilege::{self, PrivilegeError};
use crate::regions::PartsError;
use crate::secure::SecureError;
use crate::users::WrongUser;

/// Why the agent does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A listener cannot be opened.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Privileges cannot be given up.
    #[error(transparent)]
    Privilege(#[from] PrivilegeError),
    /// What was kept cannot be read.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// Certificates or keys.
    #[error(transparent)]
    Secure(#[from] SecureError),
    /// TLS that encrypts nothing.
    #[error("integrity-only in [snmp.tls] encrypts nothing: only trunklined-lab takes it, for measurements")]
    IntegrityOnly,
    /// Programs or other agents that cannot answer for a subtree.
    #[error(transparent)]
    Regions(#[from] PartsError),
    /// Two groups, or a region and an object, claim the same names.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A user of the configuration cannot be one.
    #[error(transparent)]
    User(#[from] WrongUser),
    /// The roles of the configuration make no policy.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// The operating system refuses something.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// What the programs `trunklined` and `trunklined-lab` differ in.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Writes a line to stderr: the programs own the printing.
    pub say: fn(&str),
    /// Writes lines to stdout: what was asked for.
    pub print: fn(&str),
    /// Whether it is the laboratory's program: it may serve TLS that encrypts nothing.
    pub is_laboratory: bool,
    /// Called on SIGUSR1 and at the end.
    pub report: fn(),
}

/// What is done once, at the start.
pub struct Ready {
    /// When the agent listens, before it says where.
    pub listens: Box<dyn FnOnce()>,
    /// When it has said where: whoever waits for this finds the addresses in the log.
    pub told: Box<dyn FnOnce()>,
}

/// Runs until a signal ends it. `plan` is what `source` says now; `ready` is called when the agent
/// listens. `P` is the instrument of the fast path.
///
/// # Errors
/// What keeps the agent from starting.
pub fn run<P: Probe>(source: Source, plan: Plan, hooks: Hooks, ready: Ready) -> Result<(), StartError> {
    let started = Instant::now();
    if plan.is_integrity_only() && !hooks.is_laboratory {
        return Err(StartError::IntegrityOnly);
    }
    let account = privilege::find_account(&plan)?;
    let state = plan.state.clone().unwrap_or_else(state_directory);
    let kept = Arc::new(Kept::open(&state)?);
    if let Some(account) = &account {
        account.own(&state)?;
    }
    // Capabilities belong to threads: given up before the first one is started.
    privilege::drop_privileges(&plan, account.as_ref())?;

    let agent = Assembly::of(&plan, &state, kept, started)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_stack_size(512 * 1024)
        .build()
        .map_err(|source| StartError::System { doing: "start the runtime", source })?;
    let listeners = Listeners::new::<P>(
        agent.door.clone(),
        agent.front.clone(),
        agent.sessions.clone(),
        runtime.handle().clone(),
        state.clone(),
    );
    let users = Arc::new(ArcSwap::from_pointee(plan.snmp.users.clone()));
    let watcher = Watcher::default();
    let mut daemon = Daemon { agent, users, watcher, listeners, plan, source, hooks, started, state };
    runtime.block_on(daemon.serve(ready))
}

struct Daemon {
    agent: Assembly,
    /// The users of the configuration, for informs.
    users: Users,
    watcher: Watcher,
    started: Instant,
    state: PathBuf,
    listeners: Listeners,
    plan: Plan,
    source: Source,
    hooks: Hooks,
}

impl Daemon {
    async fn serve(&mut self, ready: Ready) -> Result<(), StartError> {
        let on =
            |kind| signal(kind).map_err(|source| StartError::System { doing: "listen for signals", source });
        let mut hang_up = on(SignalKind::hangup())?;
        let mut terminate = on(SignalKind::terminate())?;
        let mut interrupt = on(SignalKind::interrupt())?;
        let mut user = on(SignalKind::user_defined1())?;
        let (opened, errors) = self.listeners.apply(&self.plan);
        if let Some(error) = errors.into_iter().next() {
            return Err(error.into());
        }
        (ready.listens)();
        for url in opened {
            (self.hooks.say)(&format!("listening {url}"));
        }
        (ready.told)();
        let outbox = self.start_notifying();
        outbox.tell(sources::cold_start());
        loop {
            tokio::select! {
                _ = hang_up.recv() => self.reload(&outbox),
                _ = user.recv() => self.report(),
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
            }
        }
        tracing::info!("ending");
        self.agent.front.eventing().shut_down().await;
        self.report();
        Ok(())
    }

    /// From now on what happens is told.
    fn start_notifying(&mut self) -> Outbox {
        let door = self.agent.door.clone();
        let record = self.agent.record();
        let outbox = Originator::start(
            door.clone(),
            self.users.clone(),
            self.started,
            record,
            self.agent.outgoing.clone(),
            self.agent.sessions.clone(),
        );
        let _ = self.agent.outbox.set(outbox.clone());
        self.watcher.configure(&self.plan.monitors, &door, &outbox);
        outbox
    }

    /// Says what the listeners saw.
    fn report(&self) {
        for counts in self.listeners.counts() {
            tracing::info!("counted {counts}");
        }
        (self.hooks.report)();
    }

    /// Takes the file as it is now; if it is wrong, everything stays as it was.
    fn reload(&mut self, outbox: &Outbox) {
        let plan = match self.source.load() {
            Ok(plan) => plan,
            Err(error) => {
                tracing::error!("the configuration stays as it was:\n{error}");
                return;
            }
        };
        if plan.is_integrity_only() && !self.hooks.is_laboratory {
            tracing::error!(error = %StartError::IntegrityOnly, "the configuration stays as it was");
            return;
        }
        if plan.user != self.plan.user || plan.state != self.plan.state || plan.log != self.plan.log {
            tracing::warn!("a changed user, state or log in [agent] takes effect at the next start");
        }
        if plan.may_write() && !self.plan.may_write() {
            tracing::warn!("the right to change links was given up at the start; restart to write them");
        }
        if plan.snmp.tcp != self.plan.snmp.tcp {
            tracing::warn!("changed limits in [snmp.tcp] take effect for listeners opened from now on");
        }
        if plan.http.limits != self.plan.http.limits {
            tracing::warn!("changed limits in [http] take effect for listeners opened from now on");
        }
        if let Err(error) = self.agent.configure(&plan, &self.state) {
            tracing::error!(%error, "the configuration stays as it was");
            return;
        }
        self.users.store(Arc::new(plan.snmp.users.clone()));
        self.watcher.configure(&plan.monitors, &self.agent.door, outbox);
        let (opened, errors) = self.listeners.apply(&plan);
        for url in opened {
            (self.hooks.say)(&format!("listening {url}"));
        }
        for error in errors {
            tracing::error!(%error, "a listener is missing");
        }
        outbox.tell(if self.plan == plan { sources::warm_start() } else { sources::cold_start() });
        self.plan = plan;
        tracing::info!(listeners = self.listeners.bound().count(), "configuration read anew");
    }
}

/// Where state is kept by custom: where systemd says, `/var/lib/trunkline` for root, else below the
/// user's own state.
pub fn state_directory() -> PathBuf {
    if let Some(directory) = std::env::var_os("STATE_DIRECTORY") {
        return PathBuf::from(directory);
    }
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/var/lib/trunkline");
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).or_else(home);
    state.unwrap_or_else(|| PathBuf::from(".")).join("trunkline")
}
