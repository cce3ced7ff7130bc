//! The running receiver.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use nix::unistd::User;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::Level;
use trunkline_client::{
    Admission, Defaults, Endurance, ListenOptions, Listened, Listener, Notifier, Received, SessionOptions,
    Target, Version,
};
use trunkline_login::own_engine;
use trunkline_mib::Style;
use trunkline_netsnmp::pid_file::PidFile;
use trunkline_netsnmp::{addresses, background, files, resolve};
use trunkline_process::privilege::{self, Account};
use trunkline_receiver::{
    Action, Condition, Dispatcher, Form, ForwardKind, ForwardPlan, Limits, Open, ProgramPlan, Reports, Rule,
    Rules, Surroundings, Then,
};
use trunkline_smi::Oid;
use trunkline_snmp::engine::{Engine, Handlers};
use trunkline_snmp::role::originator::SNMP_TRAPS;
use trunkline_snmp::usm::UserTable;
use trunkline_tools::Dictionary;

use crate::NAME;
use crate::access::Access;
use crate::arguments::Arguments;
use crate::conf::{self, Conf};
use crate::format::Scene;
use crate::handlers::What;
use crate::hosts::Hosts;
use crate::logs::Logs;
use crate::users::KnownUser;

/// The rights, for the listener too.
type Rights = Arc<RwLock<Arc<Access>>>;

/// Receives until a signal ends it.
///
/// # Errors
/// Why it cannot begin.
pub async fn serve(
    arguments: &Arguments,
    conf: Conf,
    names: &Dictionary,
    style: Style,
) -> Result<(), String> {
    let plans = if arguments.logs.is_empty() { &conf.logs } else { &arguments.logs };
    let logs = Logs::open(plans, arguments.detached, arguments.without_syslog);
    let logs = Arc::new(logs.map_err(|fault| fault.to_string())?);
    arguments.notes.iter().for_each(|note| logs.tell(Level::WARN, note));
    if std::env::var_os("LISTEN_FDS").is_some() {
        logs.tell(Level::WARN, "sockets of systemd are not taken over: disable snmptrapd.socket");
    }
    let mut signals = Signals::catch().map_err(|fault| format!("cannot catch signals: {fault}"))?;
    let engine = Arc::new(engine(&conf)?);
    let to = Arc::clone(&logs);
    let reports = Reports::new(move |words| to.tell(Level::WARN, words));
    let mut receiver = Receiver {
        arguments,
        names,
        base: style,
        style,
        conf: Conf::default(),
        logs: Arc::clone(&logs),
        engine,
        rights: Rights::default(),
        reports,
        dispatcher: None,
        lines: Vec::new(),
        hosts: Hosts::default(),
    };
    let pid_file = arguments.pid_file.clone().or_else(|| conf.pid_file.clone());
    receiver.set_up(conf)?;
    // Users and rights are there when the first message comes.
    let listener = listener(arguments, &receiver.conf, &receiver.engine, &receiver.rights)?;
    let pid_file =
        pid_file.map(|path| PidFile::open(&path)).transpose().map_err(|fault| fault.to_string())?;
    if let Some(file) = &pid_file {
        file.write().map_err(|fault| format!("the pid file cannot be written: {fault}"))?;
    }
    if let Some(user) = &arguments.user {
        change_user(&files::user_name(user), &logs)?;
    }
    if arguments.detached && logs.to_stdout() {
        logs.tell(Level::WARN, "standard output is closed in the background: -Lo needs -f");
    }
    for place in listener.places() {
        logs.tell(Level::INFO, &format!("{}: listening on {place}", version()));
    }
    // systemd waits for it; elsewhere nobody does.
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
    if arguments.detached {
        background::ready(logs.to_stderr());
    }
    receiver.until_the_end(listener, &mut signals).await;
    if let Some(dispatcher) = receiver.dispatcher.take() {
        dispatcher.finish(PATIENCE).await;
    }
    if let Some(Err(fault)) = pid_file.map(|file| file.remove()) {
        logs.tell(Level::WARN, &format!("the pid file cannot be removed: {fault}"));
    }
    logs.tell(Level::INFO, &format!("{} has stopped", version()));
    Ok(())
}

/// How long programs and forwarding may take at the end.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a program may run: in snmptrapd it may do so for ever, and nothing is received meanwhile.
const MOST_OF_A_PROGRAM: Duration = Duration::from_secs(300);

fn version() -> String {
    format!("Trunkline {} as {NAME}", env!("CARGO_PKG_VERSION"))
}

struct Receiver<'a> {
    arguments: &'a Arguments,
    names: &'a Dictionary,
    /// Of the command line and snmp.conf.
    base: Style,
    style: Style,
    conf: Conf,
    logs: Arc<Logs>,
    engine: Arc<Engine>,
    rights: Rights,
    reports: Reports,
    dispatcher: Option<Dispatcher>,
    /// For each line of the handlers, its rule in the dispatcher.
    lines: Vec<Line>,
    hosts: Hosts,
}

/// The rule of a line.
#[derive(Clone, Copy)]
enum Line {
    Run(usize),
    Forward(usize),
    /// It cannot be done, which has been reported.
    Nothing,
}

impl Receiver<'_> {
    /// Takes over a configuration.
    fn set_up(&mut self, conf: Conf) -> Result<(), String> {
        let tell = |words: &str| self.logs.tell(Level::WARN, words);
        conf.files.iter().for_each(|file| self.logs.tell(Level::INFO, &format!("read {}", file.display())));
        conf.notes.iter().for_each(|note| tell(note));
        self.style = self.base;
        for letters in &conf.output {
            if let Err(fault) = self.style.apply(letters) {
                tell(&format!("outputOption {letters}: {} is not a letter of -O", fault.0));
            }
        }
        if !conf.access.is_open && conf.access.grants.is_empty() {
            tell(NO_RIGHTS);
        }
        set_users(&self.engine, &conf.users)?;
        let (rules, lines) = rules(&conf, &tell);
        let surroundings = Surroundings { open: opener(), reports: self.reports.clone(), root: "/".into() };
        let dispatcher = Dispatcher::open(rules, &surroundings)?;
        if let Some(before) = self.dispatcher.replace(dispatcher) {
            // What is under way ends beside the new one.
            tokio::spawn(before.finish(MOST_OF_A_PROGRAM));
        }
        self.lines = lines;
        *self.rights.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(conf.access.clone());
        self.conf = conf;
        Ok(())
    }

    async fn until_the_end(&mut self, mut listener: Listener, signals: &mut Signals) {
        loop {
            tokio::select! {
                biased;
                asked = signals.next() => match asked {
                    Signalled::End => break,
                    Signalled::Reload => self.reload(),
                },
                listened = listener.either() => match listened {
                    Some(Listened::Received(received)) => self.take(&received).await,
                    Some(Listened::Refused(refused)) => {
                        let from = format!("a message from {}://{}", refused.transport.name(), refused.peer);
                        self.reports.report("refused", &format!("{from}: {}", refused.why));
                    }
                    Some(_) => {}
                    None => return,
                },
            }
        }
        // What has been confirmed is not lost.
        while let Ok(Some(received)) = tokio::time::timeout(Duration::ZERO, listener.next()).await {
            self.take(&received).await;
        }
    }

    fn reload(&mut self) {
        self.logs.reopen();
        let read = conf::read(self.arguments, &|name| self.names.find_named(name));
        match read.and_then(|conf| self.set_up(conf)) {
            Ok(()) => self.logs.tell(Level::INFO, &format!("{} has read its files again", version())),
            Err(fault) => {
                self.logs.tell(Level::ERROR, &format!("the configuration stays as it was: {fault}"));
            }
        }
    }

    async fn take(&mut self, received: &Received) {
        let types = self.conf.access.types(received);
        let host = self.host_of(received).await;
        let scene = Scene {
            received,
            names: &self.names.names,
            style: self.style,
            formats: &self.conf.formats,
            host: &host,
        };
        let is_ignored = self.conf.ignores_auth_failures && is_auth_failure(&received.notification.trap_oid);
        if types.log && !self.conf.is_silent && !is_ignored {
            let written = self.logs.notify(|| scene.print(), || scene.syslog());
            if let Err(fault) = written {
                self.reports.report("log", &format!("a notification was not written: {fault}"));
            }
        }
        let lines = self.conf.handlers.of(&received.notification.trap_oid);
        let rules = lines.into_iter().filter_map(|at| match *self.lines.get(at)? {
            Line::Run(rule) => types.execute.then_some(rule),
            Line::Forward(rule) => types.net.then_some(rule),
            Line::Nothing => None,
        });
        let rules: Vec<usize> = rules.collect();
        if let Some(dispatcher) = &mut self.dispatcher {
            dispatcher.perform(&rules, received, &scene);
        }
    }

    /// The name of the sender.
    async fn host_of(&mut self, received: &Received) -> String {
        match self.arguments.numeric {
            true => trunkline_receiver::addresses(received),
            false => self.hosts.name(received.peer.ip()).await,
        }
    }
}

const NO_RIGHTS: &str = "no notification is accepted: nobody has rights; write authCommunity or authUser in snmptrapd.conf, or \
                         disableAuthorization yes";

/// authenticationFailure (RFC 3418).
fn is_auth_failure(oid: &Oid) -> bool {
    oid.starts_with(&SNMP_TRAPS) && oid[SNMP_TRAPS.len()..] == [5]
}

/// The rules of the handlers. What cannot be done goes to `tell`.
fn rules(conf: &Conf, tell: &dyn Fn(&str)) -> (Rules, Vec<Line>) {
    let mut rules = Vec::new();
    let mut add = |name: &str, action| {
        let (condition, actions, then) = (Condition::default(), vec![action], Then::Next);
        rules.push(Rule { name: name.to_owned(), condition, actions, then });
        rules.len() - 1
    };
    let lines = conf.handlers.all.iter().map(|handler| match &handler.what {
        What::Run(command) => {
            let command = ["/bin/sh", "-c", command].map(str::to_owned).to_vec();
            match ProgramPlan::new(command, Form::Text, MOST_OF_A_PROGRAM) {
                Ok(plan) => Line::Run(add(&handler.name, Action::Run(plan))),
                Err(why) => {
                    tell(&format!("{}: {why}", handler.name));
                    Line::Nothing
                }
            }
        }
        What::Forward(to) => match receiver(to, Version::V2c, Vec::new()) {
            Ok(_) => Line::Forward(add(&handler.name, Action::Forward(forward(to)))),
            Err(why) => {
                tell(&format!("{}: {why}", handler.name));
                Line::Nothing
            }
        },
    });
    let lines = lines.collect();
    // One program after another, in the order of the notifications, as in snmptrapd.
    let limits = Limits { programs: 1, timeout: MOST_OF_A_PROGRAM, ..Limits::default() };
    (Rules { rules, prints_unmatched: false, limits }, lines)
}

fn forward(to: &str) -> ForwardPlan {
    ForwardPlan {
        to: to.to_owned(),
        version: None,
        community: None,
        community_file: None,
        user: None,
        kind: ForwardKind::Same,
        timeout: Duration::from_secs(1),
        retries: 5,
    }
}

fn receiver(to: &str, version: Version, community: Vec<u8>) -> Result<Target, String> {
    if version == Version::V3 {
        return Err("notifications of SNMPv3 are not forwarded; `trunkline listen --rules` forwards them as SNMPv2c or with a user".into());
    }
    let defaults = Defaults::default().with_version(version).with_community(community);
    Target::parse_receiver(to, &defaults).map_err(|fault| fault.to_string())
}

/// Sessions with other receivers: in the version and with the community of the notification.
fn opener() -> Open {
    Arc::new(|plan, version, community| {
        Box::pin(async move {
            let target = receiver(&plan.to, version, community)?;
            let options = SessionOptions::default()
                .with_timeout(plan.timeout)
                .with_retries(plan.retries)
                .with_endurance(Endurance::Retries);
            Notifier::open(&target, None, options).await.map_err(|fault| fault.to_string())
        })
    })
}

fn listener(
    arguments: &Arguments,
    conf: &Conf,
    engine: &Arc<Engine>,
    rights: &Rights,
) -> Result<Listener, String> {
    let default = ["udp:162".to_owned()];
    let texts = match (&arguments.addresses[..], &conf.addresses[..]) {
        ([], []) => &default[..],
        ([], configured) => configured,
        (given, _) => given,
    };
    let mut places = Vec::new();
    for text in texts.iter().flat_map(|text| text.split(',')) {
        let found = addresses::receive(text, &resolve).map_err(|why| format!("{text}: {why}"))?;
        if found.iter().any(|place| place.transport.is_secure()) {
            let words = "TLS and DTLS are not listened on under this name; `trunkline listen` does, with certificates";
            return Err(format!("{text}: {words}"));
        }
        places.extend(found);
    }
    let rights = Arc::clone(rights);
    let admission = Admission::of(move |received| {
        let access = Arc::clone(&rights.read().unwrap_or_else(PoisonError::into_inner));
        !access.types(received).is_none()
    });
    let options = ListenOptions::default().with_admission(admission);
    Listener::bind(&places, Arc::clone(engine), options).map_err(|fault| fault.to_string())
}

/// Our engine, which is authoritative for informs: the kept one if there are users, who must find it again.
fn engine(conf: &Conf) -> Result<Engine, String> {
    let engine = match conf.users.is_empty() && conf.engine_id.is_none() {
        true => own_engine::passing(Handlers::RECEIVER),
        false => {
            let place = engine_folder();
            own_engine::open_in(place.as_deref(), conf.engine_id, None, Handlers::RECEIVER, crate::say)
        }
    };
    engine.map_err(|fault| fault.to_string())
}

/// Where the engine ID is kept: with what else Net-SNMP keeps, if that is elsewhere or we have no home, as a service.
fn engine_folder() -> Option<PathBuf> {
    let has_home = ["XDG_STATE_HOME", "HOME"].iter().any(|name| std::env::var_os(name).is_some());
    let kept = match files::persistent_directory() {
        None if has_home => return None,
        None => PathBuf::from("/var/lib/snmp"),
        Some(folder) => folder,
    };
    Some(kept.join("trunkline"))
}

/// Each user at our engine and at every one that sends traps, or with `-e` at that one.
fn set_users(engine: &Engine, known: &[KnownUser]) -> Result<(), String> {
    let (mut users, mut everywhere) = (UserTable::new(), Vec::new());
    for KnownUser { credentials, engine: of_traps } in known {
        let at = of_traps.as_ref().unwrap_or(engine.id());
        let failed = |fault: trunkline_snmp::usm::CredentialsError| {
            format!("createUser {}: {fault}", String::from_utf8_lossy(credentials.name()))
        };
        users.insert(credentials.user_at(at).map_err(failed)?);
        if of_traps.is_none() {
            everywhere.extend(credentials.made().map_err(failed)?);
        }
    }
    engine.set_users(users);
    engine.set_credentials(everywhere);
    Ok(())
}

/// Changes to a user, whom the system may know from elsewhere than its own files.
fn change_user(name: &str, logs: &Logs) -> Result<(), String> {
    if !nix::unistd::geteuid().is_root() {
        logs.tell(Level::WARN, "-u has no effect: not started as root");
        return Ok(());
    }
    let found = User::from_name(name).map_err(|fault| format!("-u {name}: {fault}"))?;
    let user = found.ok_or_else(|| format!("-u {name}: there is no such user"))?;
    let account = Account::new(name, user.uid.as_raw(), user.gid.as_raw());
    privilege::change_user(&account).map_err(|fault| format!("-u {name}: {fault}"))
}

/// What a signal requests.
enum Signalled {
    /// SIGTERM, SIGINT.
    End,
    /// SIGHUP: the files are read again, and log files opened again.
    Reload,
}

struct Signals {
    hangup: Signal,
    end: Signal,
    interrupt: Signal,
}

impl Signals {
    fn catch() -> std::io::Result<Self> {
        Ok(Signals {
            hangup: signal(SignalKind::hangup())?,
            end: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// The next one. Cancel safe.
    async fn next(&mut self) -> Signalled {
        tokio::select! {
            _ = self.end.recv() => Signalled::End,
            _ = self.interrupt.recv() => Signalled::End,
            _ = self.hangup.recv() => Signalled::Reload,
        }
    }
}
