//! Programs of the operator that apply parts of the configuration (decision 0065). A change that they are to apply is first checked by all
//! of them, then applied by one after the other; if one fails, those that have begun undo it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use trunkline_config::{HookPlan, NetconfPlan, Plan};
use trunkline_datastore::{Config, Step, Subtree, path};
use trunkline_host::programs::{Ended, Feed, Program, Runner};
use trunkline_netconf::error::{Layer, Path, RpcError, Tag};
use trunkline_smi::visible;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{ALL, BGP};

/// The programs.
pub(super) struct Hooks {
    plans: ArcSwap<Vec<HookPlan>>,
    runner: Arc<Runner>,
    /// The last answers about state, by the parts.
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    /// One reader asks at a time, and readers do not delay changes. Held while the program runs, whether its reader still waits or not.
    asking: Arc<tokio::sync::Mutex<()>>,
}

/// Why a change is not applied, and why what had begun could not be undone.
pub(super) struct NotApplied {
    pub error: RpcError,
    pub not_undone: Option<RpcError>,
}

/// What a program answered last, or that it did not.
#[derive(Clone)]
struct Answer {
    /// Until when it is not asked again.
    until: Instant,
    octets: Option<Arc<Vec<u8>>>,
}

impl Answer {
    /// Runs the program.
    fn of(plan: &HookPlan, runner: &Runner) -> Answer {
        let program = Program { command: plan.command.clone(), shell: false, timeout: plan.timeout };
        let asked = Instant::now();
        let feed = Feed { input: &[], most: MOST_STATE, with_errors: false };
        let outcome = runner.feed(&program, &["state"], feed);
        let is_answer = matches!(outcome.ended, Ended::Code(0));
        if !is_answer {
            tracing::warn!(subtree = plan.subtree, ended = ?outcome.ended, "a program does not say what the state is");
        }
        let rest = if is_answer { FRESH } else { FRESH.max(asked.elapsed()) };
        let octets = is_answer.then(|| Arc::new(outcome.output));
        Answer { until: Instant::now() + rest, octets }
    }
}

/// The state that a program knows.
pub struct Known {
    /// What it has written.
    pub octets: Arc<Vec<u8>>,
    /// Whether it was asked just now: what is wrong with an answer is reported once.
    pub is_new: bool,
}

/// A change that a program is to apply.
#[derive(Clone)]
pub(super) struct Call {
    runner: Arc<Runner>,
    program: Program,
    subtree: String,
    place: Path,
    check: Vec<u8>,
    apply: Vec<u8>,
    undo: Vec<u8>,
}

impl Default for Hooks {
    fn default() -> Self {
        // One for the transaction, and one for who asks for state.
        let runner = Arc::new(Runner::new(2));
        Hooks { plans: ArcSwap::default(), runner, answers: Arc::default(), asking: Arc::default() }
    }
}

/// Whether the programs of a configuration are for parts that there are.
///
/// # Errors
/// One that is not.
pub fn check_plan(plan: &Plan) -> Result<(), String> {
    let hooks = plan.netconf.iter().flat_map(|netconf| &netconf.hooks);
    let mut hooks = hooks.peekable();
    if hooks.peek().is_none() {
        return Ok(());
    }
    let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
    hooks.try_for_each(|hook| Subtree::of(&forest, &hook.subtree).map(drop))
}

impl Hooks {
    /// Takes those of another configuration.
    pub fn configure(&self, plan: Option<&NetconfPlan>) {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.plans.store(Arc::new(plan.map(|plan| plan.hooks.clone()).unwrap_or_default()));
    }

    /// The state of a root, if a program knows it; a new answer if the last one is too old. A program that fails is left alone for as long as
    /// that took.
    pub async fn state(&self, forest: &Forest, root: NodeId) -> Option<Known> {
        let plans = self.plans.load_full();
        let is_of = |plan: &&HookPlan| {
            plan.state && Subtree::of(forest, &plan.subtree).is_ok_and(|it| *it.steps() == [Step::to(root)])
        };
        let plan = plans.iter().find(is_of)?;
        let one_at_a_time = self.asking.clone().lock_owned().await;
        let known = self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(&plan.subtree).cloned();
        if let Some(answer) = known.filter(|answer| Instant::now() < answer.until) {
            return answer.octets.map(|octets| Known { octets, is_new: false });
        }
        let (plan, runner, answers) = (plan.clone(), self.runner.clone(), self.answers.clone());
        let ask = move || {
            let answer = Answer::of(&plan, &runner);
            answers.lock().unwrap_or_else(PoisonError::into_inner).insert(plan.subtree, answer.clone());
            drop(one_at_a_time);
            answer
        };
        let octets = tokio::task::spawn_blocking(ask).await.ok()?.octets?;
        Some(Known { octets, is_new: true })
    }

    /// The calls that a change needs, in the order of the configuration file.
    ///
    /// # Errors
    /// Something changes that only a program can apply, and there is none.
    pub fn calls(&self, forest: &Forest, before: &Config, after: &Config) -> Result<Vec<Call>, RpcError> {
        let mut calls = Vec::new();
        let mut roots = Vec::new();
        for plan in self.plans.load().iter() {
            let Ok(subtree) = Subtree::of(forest, &plan.subtree) else { continue };
            roots.extend(Some(subtree.root()).filter(|_| subtree.steps().len() == 1));
            if subtree.is_same(before, after) {
                continue;
            }
            calls.push(Call {
                runner: self.runner.clone(),
                program: Program { command: plan.command.clone(), shell: false, timeout: plan.timeout },
                subtree: plan.subtree.clone(),
                place: path(forest, subtree.steps()),
                check: subtree.document(forest, "check", before, after),
                apply: subtree.document(forest, "apply", before, after),
                undo: subtree.document(forest, "undo", after, before),
            });
        }
        let bgp = forest.child_of(None, BGP.name, "bgp").filter(|bgp| !roots.contains(bgp));
        if let Some(bgp) = bgp.map(Step::to)
            && before.root().get(&bgp) != after.root().get(&bgp)
        {
            let message = "no program applies this: the agent's configuration needs a [[netconf.hook]] with subtree = \"/trunkline-bgp:bgp\"";
            let error = RpcError::new(Layer::Application, Tag::OperationFailed, message);
            return Err(error.at(path(forest, &[bgp])));
        }
        Ok(calls)
    }
}

/// Has all programs check a change; nothing changes.
///
/// # Errors
/// The first refusal.
pub(super) fn check(calls: &[Call]) -> Result<(), RpcError> {
    calls.iter().try_for_each(|call| call.run("check", &call.check))
}

/// Has all programs apply a change. If one fails, those that have begun undo it.
///
/// # Errors
/// Why it is not applied, and what could not be undone.
pub(super) fn apply(calls: &[Call]) -> Result<(), Box<NotApplied>> {
    for (at, call) in calls.iter().enumerate() {
        if let Err(error) = call.run("apply", &call.apply) {
            return Err(Box::new(NotApplied { error, not_undone: undo(&calls[..=at]).err() }));
        }
    }
    Ok(())
}

/// Has all programs undo a change, the last one first.
///
/// # Errors
/// The first that could not; the others have undone it.
pub(super) fn undo(calls: &[Call]) -> Result<(), RpcError> {
    let mut outcome = Ok(());
    for call in calls.iter().rev() {
        outcome = outcome.and(call.run("undo", &call.undo));
    }
    outcome
}

impl Call {
    fn run(&self, step: &str, input: &[u8]) -> Result<(), RpcError> {
        let outcome = self.runner.feed(&self.program, &[step], Feed { input, ..Feed::default() });
        let how = match outcome.ended {
            Ended::Code(0) => return Ok(()),
            Ended::Code(code) => format!("status {code}"),
            Ended::Signal(signal) => format!("signal {signal}"),
            Ended::TimedOut => {
                format!("it did not end within {} s", self.program.timeout.as_secs_f32())
            }
            Ended::NotStarted(ref error) => format!("it cannot be started: {error}"),
        };
        let said = String::from_utf8_lossy(&outcome.output);
        let mut message = String::new();
        for line in said.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
            if message.len() > MOST_WORDS {
                message.push_str(" ...");
                break;
            }
            let _ = write!(message, "{}{}", if message.is_empty() { "" } else { "; " }, visible(line));
        }
        if message.is_empty() {
            let _ = write!(message, "the program of {} gave no reason", self.subtree);
        }
        let tag = match outcome.ended {
            Ended::Code(WRONG_VALUE) => Tag::InvalidValue,
            _ => Tag::OperationFailed,
        };
        tracing::warn!(subtree = self.subtree, step, how, "a program refuses a change: {message}");
        let message = format!("{message} ({}, {step}: {how})", self.name());
        Err(RpcError::new(Layer::Application, tag, message).at(self.place.clone()))
    }

    /// The file's name of the program.
    fn name(&self) -> &str {
        let program = self.program.command.first().map_or("", String::as_str);
        program.rsplit('/').next().unwrap_or_default()
    }
}

/// Octets of a program's answer about state.
const MOST_STATE: usize = 4 << 20;
/// How long a program is not asked again after it has answered, and at least after it has failed.
const FRESH: Duration = Duration::from_secs(2);
/// Octets of what a program says that a client gets, a line more or less.
const MOST_WORDS: usize = 1000;
/// The status by which a program says that a value is wrong.
const WRONG_VALUE: i32 = 2;
