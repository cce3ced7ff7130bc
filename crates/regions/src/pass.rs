//! `pass`: a program that is run for each question.
//!
//! ```text
//! PROGRAM -g OID              OID, type and value on three lines; nothing: no such instance
//! PROGRAM -n OID              the same for the first instance after it
//! PROGRAM -s OID TYPE VALUE   a refusal such as "not-writable", or anything else for success
//! ```

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use trunkline_host::programs::{Ended, Outcome, Program, Runner};
use trunkline_tree::{Aim, Question, Region, RegionAnswer, SetCheck, SetError, SetItem, SetTransaction};

use super::complaints::Complaints;
use super::handler::{Asking, RegionFailed, RegionHandler, without_answer};
use super::hold_off::{Asked, HoldOff};
use super::value;

/// A subtree that a program answers for.
pub struct Pass {
    shared: Arc<Shared>,
    /// Places to wait in: a program that hangs must not hold all those that the door has.
    waiting: Arc<Semaphore>,
    /// The program runs so often at once.
    running: Arc<Semaphore>,
}

struct Shared {
    program: Program,
    runner: Arc<Runner>,
    complaints: Complaints,
    hold_off: HoldOff,
}

/// Why a run failed.
enum Unfinished {
    /// It was killed at its time limit.
    TimedOut,
    /// It cannot be started.
    NotStarted,
    /// Too many other programs were running.
    NoPlace,
}

/// Items that are to be set, one run for each.
struct Transaction {
    shared: Arc<Shared>,
    steps: Vec<Step>,
    done: usize,
}

struct Step {
    binding: usize,
    words: [String; 4],
}

impl Pass {
    /// A program, run within the bound of `runner`.
    pub fn new(command: Vec<String>, timeout: Duration, runner: Arc<Runner>) -> Self {
        let program = Program { command, shell: false, timeout };
        let (complaints, hold_off) = Default::default();
        let shared = Shared { program, runner, complaints, hold_off };
        Pass {
            shared: Arc::new(shared),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
        }
    }
}

impl Shared {
    /// Its output; otherwise a line in the log, with the object that it was run for.
    fn run(&self, words: &[&str], object: &str) -> Result<Vec<u8>, Unfinished> {
        let Outcome { ended, output } = self.runner.run(&self.program, words);
        let (unfinished, failure) = match ended {
            // Net-SNMP looks at what is printed alone.
            Ended::Code(_) | Ended::Signal(_) => return Ok(output),
            Ended::TimedOut => {
                (Unfinished::TimedOut, format!("still running after {:?}", self.program.timeout))
            }
            Ended::NotStarted(error) if error.kind() == io::ErrorKind::TimedOut => {
                (Unfinished::NoPlace, error.to_string())
            }
            Ended::NotStarted(error) => (Unfinished::NotStarted, format!("it cannot be started: {error}")),
        };
        self.complaints.tell(self.name(), Some(object), failure);
        Err(unfinished)
    }

    fn name(&self) -> &str {
        self.program.command.first().map_or("", String::as_str)
    }

    fn ask(&self, asked: Asked) -> Result<RegionAnswer, RegionFailed> {
        let begun = Instant::now();
        if !self.hold_off.may_ask(&asked, begun) {
            return Err(RegionFailed);
        }
        let output = self.run(&[if asked.exact { "-g" } else { "-n" }, &asked.name], &asked.name);
        match output {
            Ok(output) => {
                let answer = self.instance(&asked, &output);
                self.hold_off.started();
                self.hold_off.answered(asked);
                return Ok(answer);
            }
            Err(Unfinished::TimedOut) => self.hold_off.failed(asked, begun.elapsed(), Instant::now()),
            Err(Unfinished::NotStarted) => self.hold_off.not_started(Instant::now()),
            Err(Unfinished::NoPlace) => {}
        }
        Err(RegionFailed)
    }

    fn instance(&self, asked: &Asked, output: &[u8]) -> RegionAnswer {
        let mut lines = output.split(|octet| *octet == b'\n');
        let mut line = || lines.next().unwrap_or_default();
        let (name, kind, text) = (line(), line(), line());
        if name.is_empty() {
            return RegionAnswer::Nothing;
        }
        let (name, kind) = (String::from_utf8_lossy(name), String::from_utf8_lossy(kind));
        let found = value::instance(&name, &kind, text);
        if found.is_none() && !name.starts_with("NONE") {
            let shown: String = format!("{name} {kind}").chars().take(100).collect();
            let failure = format_args!("expected a name, a type and a value, found {shown:?}");
            self.complaints.tell(self.name(), Some(&asked.name), failure);
        }
        found.into()
    }
}

impl RegionHandler for Pass {
    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(async move {
            let aim = question.aim;
            let asked = Asked { name: value::name(question.name), exact: aim == Aim::Exactly };
            if !self.shared.hold_off.may_ask(&asked, Instant::now()) {
                return without_answer(aim);
            }
            let Ok(_waiting) = self.waiting.try_acquire() else { return Err(RegionFailed) };
            let running = self.running.clone().acquire_owned();
            let running = tokio::time::timeout(self.shared.program.timeout, running).await;
            let Ok(Ok(running)) = running else { return without_answer(aim) };
            let shared = self.shared.clone();
            let answer = tokio::task::spawn_blocking(move || {
                // Returned when the program has ended, not when its request is dropped.
                let _running = running;
                shared.ask(asked)
            });
            answer.await.unwrap_or(Err(RegionFailed)).or_else(|_| without_answer(aim))
        })
    }
}

impl Region for Pass {
    /// A program has no test phase: it refuses when it carries out the set.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let step = |item: &SetItem<'_>| {
            let (kind, word) = value::set_words(item.value);
            let name = value::name(&[item.object, item.index].concat());
            Step { binding: item.binding, words: ["-s".into(), name, kind.into(), word] }
        };
        let steps = items.iter().map(step).collect();
        Ok(Box::new(Transaction { shared: self.shared.clone(), steps, done: 0 }))
    }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        for Step { binding, words } in &self.steps[self.done..] {
            let refuse = |check, reason: &str| SetError { binding: *binding, check, reason: reason.into() };
            let output = self.shared.run(&words.each_ref().map(String::as_str), &words[1]);
            let output =
                output.map_err(|_| refuse(SetCheck::CommitFailed, "the program did not finish in time"))?;
            let line = String::from_utf8_lossy(&output);
            if let Some(check) = value::refusal(&line) {
                return Err(refuse(check, "the program refused"));
            }
            self.done += 1;
        }
        Ok(())
    }

    /// Programs have no undo.
    fn undo(&mut self) -> Result<(), SetError> {
        match self.steps.get(self.done.wrapping_sub(1)) {
            Some(step) if self.done > 0 => Err(SetError {
                binding: step.binding,
                check: SetCheck::CommitFailed,
                reason: "a program cannot undo a set".into(),
            }),
            _ => Ok(()),
        }
    }
}

/// Requests that may wait for one program that is not held off; more are answered at once, with genErr.
pub(super) const MAX_WAITING: usize = 16;

/// Runs of one program at once.
const MAX_RUNNING: usize = 4;
