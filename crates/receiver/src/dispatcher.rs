//! Rules at work: each notification goes through them in order, and its actions are queued.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use trunkline_client::Received;

use crate::condition::Condition;
use crate::counts::{ActionCounts, Counts};
use crate::file::LogFile;
use crate::form::{Form, Forms};
use crate::forward::{Forwarder, Open};
use crate::limits::Limits;
use crate::log::{Log, LogPlan};
use crate::program::{ProgramPlan, Programs};
use crate::reports::Reports;
use crate::rules::{Action, Rule, Rules, Then};

/// What the dispatcher uses of its surroundings.
pub struct Surroundings {
    /// Opens sessions with other receivers.
    pub open: Open,
    /// Where messages about actions go.
    pub reports: Reports,
    /// The machine's root directory, for the sockets of logs.
    pub root: PathBuf,
}

/// What the caller does with a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is printed.
    Print,
    /// It is not.
    Done,
}

/// The rules and what they use.
pub struct Dispatcher {
    rules: Vec<Ready>,
    prints_unmatched: bool,
    programs: Option<Programs>,
    files: Vec<LogFile>,
    reports: Reports,
}

struct Ready {
    name: Arc<str>,
    condition: Condition,
    actions: Vec<ReadyAction>,
    then: Then,
}

struct ReadyAction {
    does: Does,
    counts: Arc<Counts>,
}

enum Does {
    Run(Arc<ProgramPlan>),
    Forward(Forwarder),
    /// The file at this position.
    File(usize),
    Log(Log),
    Print,
    /// Forwarding that has ended.
    Sent,
}

impl Dispatcher {
    /// Opens files and logs, and starts the tasks. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// A file cannot be opened or nobody takes log entries, with the rule's name.
    pub fn open(rules: Rules, surroundings: &Surroundings) -> Result<Self, String> {
        let Rules { rules, prints_unmatched, limits } = rules;
        let reports = surroundings.reports.clone();
        let mut dispatcher =
            Dispatcher { rules: Vec::new(), prints_unmatched, programs: None, files: Vec::new(), reports };
        for Rule { name, condition, actions, then } in rules {
            let ready: Result<Vec<ReadyAction>, String> =
                actions.into_iter().map(|action| dispatcher.ready(action, limits, surroundings)).collect();
            let actions = ready.map_err(|words| format!("rule {name}: {words}"))?;
            dispatcher.rules.push(Ready { name: name.into(), condition, actions, then });
        }
        Ok(dispatcher)
    }

    fn ready(
        &mut self,
        action: Action,
        limits: Limits,
        around: &Surroundings,
    ) -> Result<ReadyAction, String> {
        let counts = Arc::new(Counts::default());
        let does = match action {
            Action::Run(plan) => {
                let reports = &self.reports;
                self.programs.get_or_insert_with(|| Programs::start(limits, reports.clone()));
                Does::Run(Arc::new(plan))
            }
            Action::Forward(plan) => {
                let (open, reports) = (Arc::clone(&around.open), self.reports.clone());
                Does::Forward(Forwarder::start(plan, limits.waiting, open, Arc::clone(&counts), reports))
            }
            Action::File(plan) => {
                let place = self.files.iter().position(|file| file.plan.path == plan.path);
                if let Some(other) =
                    place.map(|place| &self.files[place].plan).filter(|other| **other != plan)
                {
                    return Err(format!("file: {} is also written in another way", other.path.display()));
                }
                Does::File(match place {
                    Some(place) => place,
                    None => {
                        let path = plan.path.clone();
                        let opened = LogFile::open(plan);
                        self.files.push(opened.map_err(|fault| format!("{}: {fault}", path.display()))?);
                        self.files.len() - 1
                    }
                })
            }
            Action::Log(plan) => Does::Log(Log::open(plan, &around.root).map_err(|fault| fault.to_string())?),
            Action::Print => Does::Print,
        };
        Ok(ReadyAction { does, counts })
    }

    /// Applies the rules to a notification. Never waits. One that a file could not take is printed.
    pub fn take(&mut self, received: &Received, forms: &dyn Forms) -> Fate {
        let mut fate = Fate::Done;
        let mut was_matched = false;
        let Dispatcher { rules, programs, files, reports, .. } = self;
        let mut means = Means { programs: programs.as_ref(), files, reports, shared: None, is_lost: false };
        for rule in rules.iter() {
            if !rule.condition.holds(received, forms) {
                continue;
            }
            was_matched = true;
            if rule.then == Then::Drop {
                return means.least();
            }
            if means.act(rule, received, forms) == Fate::Print {
                fate = Fate::Print;
            }
            if rule.then == Then::Stop {
                return fate;
            }
        }
        if !was_matched && self.prints_unmatched { Fate::Print } else { fate }
    }

    /// Does what the rules at these positions do, whatever their conditions. Never waits.
    pub fn perform(&mut self, at: &[usize], received: &Received, forms: &dyn Forms) {
        let Dispatcher { rules, programs, files, reports, .. } = self;
        let mut means = Means { programs: programs.as_ref(), files, reports, shared: None, is_lost: false };
        for rule in at.iter().filter_map(|at| rules.get(*at)) {
            means.act(rule, received, forms);
        }
    }

    /// Opens all files again, for whoever has renamed them.
    pub fn reopen(&mut self) {
        for file in &mut self.files {
            if let Err(fault) = file.reopen() {
                self.reports.report(&file.plan.path.display().to_string(), &fault.to_string());
            }
        }
    }

    /// The counters so far: of each action, but for printing.
    #[must_use]
    pub fn counts(&self) -> Vec<ActionCounts> {
        let actions =
            self.rules.iter().flat_map(|rule| rule.actions.iter().map(move |action| (rule, action)));
        actions
            .filter(|(_, action)| !matches!(action.does, Does::Print))
            .map(|(rule, action)| ActionCounts {
                name: format!("rule {}: {}", rule.name, action.name()),
                done: action.counts.done.load(Relaxed),
                failed: action.counts.failed.load(Relaxed),
                dropped: action.counts.dropped.load(Relaxed),
            })
            .collect()
    }

    /// Waits for what is under way, at most this long, and returns the last counters. Programs that still run then are
    /// killed.
    pub async fn finish(mut self, patience: Duration) -> Vec<ActionCounts> {
        let programs = self.programs.take();
        let mut waits = tokio::task::JoinSet::new();
        if let Some(programs) = programs {
            waits.spawn(programs.finish(patience));
        }
        for action in self.rules.iter_mut().flat_map(|rule| &mut rule.actions) {
            if matches!(action.does, Does::Forward(_))
                && let Does::Forward(forwarder) = std::mem::replace(&mut action.does, Does::Sent)
            {
                waits.spawn(forwarder.finish(patience));
            }
        }
        while waits.join_next().await.is_some() {}
        self.counts()
    }
}

/// What the actions for one notification use.
struct Means<'d> {
    programs: Option<&'d Programs>,
    files: &'d mut Vec<LogFile>,
    reports: &'d Reports,
    /// The notification, once a receiver was sent it.
    shared: Option<Arc<Received>>,
    /// Whether a file could not take it.
    is_lost: bool,
}

impl Means<'_> {
    /// What a file could not take is printed, whatever the rules say.
    fn least(&self) -> Fate {
        if self.is_lost { Fate::Print } else { Fate::Done }
    }

    /// Does what a rule does.
    fn act(&mut self, rule: &Ready, received: &Received, forms: &dyn Forms) -> Fate {
        let mut fate = Fate::Done;
        for action in &rule.actions {
            match &action.does {
                Does::Print => fate = Fate::Print,
                Does::Sent => {}
                Does::Run(plan) => {
                    let named = (plan.form == Form::Traphandle).then(|| received.peer.ip());
                    let input = (named, forms.write(plan.form, received));
                    let is_queued = self
                        .programs
                        .is_some_and(|programs| programs.run(&rule.name, plan, &action.counts, input));
                    note_queued(&action.counts, is_queued, &rule.name, self.reports);
                }
                Does::Forward(forwarder) => {
                    let shared = self.shared.get_or_insert_with(|| Arc::new(received.clone()));
                    let is_queued = forwarder.send(Arc::clone(shared));
                    note_queued(&action.counts, is_queued, &rule.name, self.reports);
                }
                Does::File(place) => {
                    let file = &mut self.files[*place];
                    let written = file.append(&record(file.plan.form, received, forms));
                    if written.is_err() {
                        (fate, self.is_lost) = (Fate::Print, true);
                    }
                    let path = file.plan.path.display().to_string();
                    note_written(&action.counts, written, &path, self.reports);
                }
                Does::Log(log) => {
                    let written = log.write(&forms.line(received), received);
                    let name = format!("rule {}: {}", rule.name, action.name());
                    note_written(&action.counts, written, &name, self.reports);
                }
            }
        }
        fate
    }
}

impl ReadyAction {
    fn name(&self) -> &'static str {
        match self.does {
            Does::Run(_) => "run",
            Does::Forward(_) | Does::Sent => "forward",
            Does::File(_) => "file",
            Does::Log(Log { plan: LogPlan::Journal, .. }) => "journal",
            Does::Log(_) => "syslog",
            Does::Print => "print",
        }
    }
}

/// A notification in a file. As for traphandle programs it has two lines about the sender, but its address stands where programs read its
/// name: looking that up would make receiving wait. An empty line ends it.
fn record(form: Form, received: &Received, forms: &dyn Forms) -> String {
    let text = forms.write(form, received);
    match form {
        Form::Traphandle => format!("{}\n{text}\n", received.peer.ip().to_canonical()),
        Form::Json | Form::Text => text,
    }
}

fn note_queued(counts: &Counts, is_queued: bool, rule: &str, reports: &Reports) {
    if !is_queued {
        counts.dropped.fetch_add(1, Relaxed);
        reports.report(&format!("rule {rule}"), "its queue is full: a notification was dropped");
    }
}

fn note_written(counts: &Counts, written: io::Result<()>, name: &str, reports: &Reports) {
    match written {
        Ok(()) => counts.done(),
        Err(fault) => {
            counts.failed();
            reports.report(name, &format!("a notification was not written: {fault}"));
        }
    }
}
