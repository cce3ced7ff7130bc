//! `pass`: a program that is run for each question.
//!
//! ```text
//! PROGRAM -g OID              OID, type and value on three lines; nothing: no such instance
//! PROGRAM -n OID              the same for the first instance behind it
//! PROGRAM -s OID TYPE VALUE   a refusal such as "not-writable", or anything else for success
//! ```

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use trunkline_host::programs::{Ended, Outcome, Program, Runner};
use trunkline_tree::{Aim, Region, RegionAnswer, SetCheck, SetError, SetItem, SetTransaction};

use super::complaints::Complaints;
use super::value;
use super::{Asking, RegionFailed, RegionHandler};

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
        let shared = Shared { program, runner, complaints: Complaints::default() };
        Pass {
            shared: Arc::new(shared),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
        }
    }
}

impl Shared {
    /// What it prints; `None` and a word in the log where it did not run to its end in time.
    fn run(&self, words: &[&str]) -> Option<Vec<u8>> {
        let Outcome { ended, output } = self.runner.run(&self.program, words);
        let failure = match ended {
            // Net-SNMP looks at what is printed alone.
            Ended::Code(_) | Ended::Signal(_) => return Some(output),
            Ended::TimedOut => format!("no end after {:?}", self.program.timeout),
            Ended::NotStarted(error) => error.to_string(),
        };
        self.complaints.tell(self.name(), failure);
        None
    }

    fn name(&self) -> &str {
        self.program.command.first().map_or("", String::as_str)
    }

    fn ask(&self, name: &[u32], exact: bool) -> Result<RegionAnswer, RegionFailed> {
        let output = self.run(&[if exact { "-g" } else { "-n" }, &value::name(name)]).ok_or(RegionFailed)?;
        let mut lines = output.split(|octet| *octet == b'\n');
        let mut line = || lines.next().unwrap_or_default();
        let (name, kind, text) = (line(), line(), line());
        if name.is_empty() {
            return Ok(RegionAnswer::Nothing);
        }
        let (name, kind) = (String::from_utf8_lossy(name), String::from_utf8_lossy(kind));
        let found = value::instance(&name, &kind, text);
        if found.is_none() && !name.starts_with("NONE") {
            let shown: String = format!("{name} {kind}").chars().take(100).collect();
            self.complaints.tell(self.name(), format_args!("no name, type and value: {shown:?}"));
        }
        Ok(found.into())
    }
}

impl RegionHandler for Pass {
    fn ask<'a>(&'a self, name: &'a [u32], aim: Aim) -> Asking<'a> {
        Box::pin(async move {
            let Ok(_waiting) = self.waiting.try_acquire() else { return Err(RegionFailed) };
            let running = self.running.clone().acquire_owned();
            let running = tokio::time::timeout(self.shared.program.timeout, running).await;
            let Ok(Ok(running)) = running else { return Err(RegionFailed) };
            let (shared, name) = (self.shared.clone(), name.to_vec());
            let asked = tokio::task::spawn_blocking(move || {
                // Given back when the program has ended, not when nobody waits for it any more.
                let _running = running;
                shared.ask(&name, aim == Aim::Exactly)
            });
            asked.await.unwrap_or(Err(RegionFailed))
        })
    }
}

impl Region for Pass {
    /// A program has no first phase: it refuses when it is told to set.
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
            let output = self.shared.run(&words.each_ref().map(String::as_str));
            let output =
                output.ok_or_else(|| refuse(SetCheck::CommitFailed, "the program did not do it in time"))?;
            let line = String::from_utf8_lossy(&output);
            if let Some(check) = value::refusal(&line) {
                return Err(refuse(check, "the program refuses"));
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
                reason: "a program cannot take back what it has set".into(),
            }),
            _ => Ok(()),
        }
    }
}

/// Askers that may wait for one program; more are answered at once, with genErr.
pub(super) const MAX_WAITING: usize = 16;

/// Runs of one program at once.
const MAX_RUNNING: usize = 4;
