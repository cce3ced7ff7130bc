//! `pass_persist`: a program that keeps running and answers questions line by line.
//!
//! ```text
//! > PING           > get             > getnext        > set
//! < PONG           > OID             > OID            > OID
//!                  < OID             < NONE           > TYPE VALUE
//!                  < TYPE                             < DONE
//!                  < VALUE
//! ```
//! It is started at the first question and has a separate thread, which asks one question at a time
//! ([`Conversation`]). A program that does not answer in time is killed; one that has ended is restarted
//! at the next question. Questions that it failed at are held off ([`HoldOff`]), the others are not.

use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use trunkline_host::programs::{Program, see_off};
use trunkline_tree::{Aim, Region, RegionAnswer, SetCheck, SetError, SetItem, SetTransaction};

use super::complaints::Complaints;
use super::handler::{Asking, RegionFailed, RegionHandler, without_answer};
use super::hold_off::{Asked, HoldOff};
use super::lines::{Lines, TalkError};
use super::pass::MAX_WAITING;
use super::value;

/// A subtree that a running program answers for.
pub struct PassPersist {
    jobs: SyncSender<Job>,
    timeout: Duration,
    /// A question that is held off does not wait for the program's thread.
    hold_off: Arc<HoldOff>,
}

/// A question for the program's thread.
struct Job {
    question: Question,
    answer: oneshot::Sender<Result<Answer, RegionFailed>>,
}

#[derive(Clone)]
enum Question {
    Get(Asked),
    Set { name: String, value: String },
}

enum Answer {
    Region(RegionAnswer),
    Set(Option<SetCheck>),
}

struct Transaction {
    jobs: SyncSender<Job>,
    steps: Vec<(usize, Question)>,
    done: usize,
}

impl PassPersist {
    /// A program; it is started at the first question.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn new(command: Vec<String>, timeout: Duration) -> std::io::Result<Self> {
        let (jobs, receiver) = sync_channel(MAX_WAITING);
        let program = Program { command, shell: false, timeout };
        let hold_off = Arc::<HoldOff>::default();
        let (complaints, child) = Default::default();
        let keeper = Keeper { program, complaints, child, hold_off: hold_off.clone() };
        std::thread::Builder::new()
            .name("pass-persist".into())
            .stack_size(128 * 1024)
            .spawn(move || keeper.serve(receiver))?;
        Ok(PassPersist { jobs, timeout, hold_off })
    }
}

impl RegionHandler for PassPersist {
    fn ask<'a>(&'a self, question: trunkline_tree::Question<'a>) -> Asking<'a> {
        Box::pin(async move {
            let aim = question.aim;
            let asked = Asked { name: value::name(question.name), exact: aim == Aim::Exactly };
            if !self.hold_off.may_ask(&asked, Instant::now()) {
                return without_answer(aim);
            }
            let (answer, answered) = oneshot::channel();
            let question = Question::Get(asked);
            // A full queue: it hangs, and others wait already.
            self.jobs.try_send(Job { question, answer }).map_err(|_| RegionFailed)?;
            // One more question may have been under way; then it is our turn.
            match tokio::time::timeout(2 * self.timeout + GRACE, answered).await {
                Ok(Ok(Ok(Answer::Region(answer)))) => Ok(answer),
                _ => without_answer(aim),
            }
        })
    }
}

impl Region for PassPersist {
    /// A program has no test phase: it refuses when it carries out the set.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let step = |item: &SetItem<'_>| {
            let name = value::name(&[item.object, item.index].concat());
            (item.binding, Question::Set { name, value: value::set_line(item.value) })
        };
        let steps = items.iter().map(step).collect();
        Ok(Box::new(Transaction { jobs: self.jobs.clone(), steps, done: 0 }))
    }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        for (binding, question) in &self.steps[self.done..] {
            let refuse = |check, reason: &str| SetError { binding: *binding, check, reason: reason.into() };
            let (answer, answered) = oneshot::channel();
            let job = Job { question: question.clone(), answer };
            self.jobs.try_send(job).map_err(|error| match error {
                TrySendError::Full(_) => {
                    refuse(SetCheck::ResourceUnavailable, "too many requests wait for the program")
                }
                TrySendError::Disconnected(_) => {
                    refuse(SetCheck::CommitFailed, "the program's thread has ended")
                }
            })?;
            match answered.blocking_recv() {
                Ok(Ok(Answer::Set(None))) => self.done += 1,
                Ok(Ok(Answer::Set(Some(check)))) => return Err(refuse(check, "the program refused")),
                _ => return Err(refuse(SetCheck::CommitFailed, "the program did not finish in time")),
            }
        }
        Ok(())
    }

    /// Programs have no undo.
    fn undo(&mut self) -> Result<(), SetError> {
        match self.done.checked_sub(1).and_then(|last| self.steps.get(last)) {
            None => Ok(()),
            Some((binding, _)) => Err(SetError {
                binding: *binding,
                check: SetCheck::CommitFailed,
                reason: "a program cannot undo a set".into(),
            }),
        }
    }
}

/// Keeps the program running; lives on its thread.
struct Keeper {
    program: Program,
    complaints: Complaints,
    child: Option<Conversation>,
    hold_off: Arc<HoldOff>,
}

impl Keeper {
    /// Until the last handle is gone.
    fn serve(mut self, jobs: Receiver<Job>) {
        loop {
            let Job { question, answer } = match jobs.recv_timeout(LOOK_AFTER) {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout) => {
                    self.look_after();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if answer.is_closed() {
                continue; // nobody waits any more
            }
            let _ = answer.send(self.answer(question));
        }
    }

    /// Reaps one that has ended between questions.
    fn look_after(&mut self) {
        let has_ended = |child: &mut Conversation| !matches!(child.child.try_wait(), Ok(None));
        if self.child.as_mut().is_some_and(has_ended) {
            self.child = None;
        }
    }

    fn answer(&mut self, question: Question) -> Result<Answer, RegionFailed> {
        let begun = Instant::now();
        let may_ask = match &question {
            // It may have failed since this question came into the queue.
            Question::Get(asked) => self.hold_off.may_ask(asked, begun),
            Question::Set { .. } => self.hold_off.may_start(begun),
        };
        if !may_ask {
            return Err(RegionFailed);
        }
        let outcome = self.answer_or_begin_anew(&question, begun + self.program.timeout);
        let failure = match outcome {
            Ok(answer) => {
                if let Question::Get(asked) = question {
                    self.hold_off.answered(asked);
                }
                return Ok(answer);
            }
            Err(failure) => failure,
        };
        let (program, object) = (self.program.command.first().map_or("", String::as_str), question.name());
        self.complaints.tell(program, Some(object), &failure);
        let now = Instant::now();
        match (question, failure) {
            (_, Failure::NotStarted(_)) => self.hold_off.not_started(now),
            (Question::Get(asked), Failure::AtQuestion(_)) => {
                self.hold_off.failed(asked, now.saturating_duration_since(begun), now);
            }
            (Question::Set { .. }, Failure::AtQuestion(_)) => {}
        }
        Err(RegionFailed)
    }

    fn answer_or_begin_anew(&mut self, question: &Question, deadline: Instant) -> Result<Answer, Failure> {
        let was_running = self.child.is_some();
        let first = self.try_answer(question, deadline);
        // One that has ended since the last question is restarted for this one, as with Net-SNMP. It may have
        // acted on what it received already: a set is not repeated.
        let again = was_running
            && matches!(first, Err(Failure::AtQuestion(TalkError::Ended)))
            && !matches!(question, Question::Set { .. });
        if again { self.try_answer(question, deadline) } else { first }
    }

    fn try_answer(&mut self, question: &Question, deadline: Instant) -> Result<Answer, Failure> {
        let mut child = match self.child.take() {
            Some(child) => child,
            None => self.start(deadline).map_err(Failure::NotStarted)?,
        };
        let answer = child.answer(question, deadline);
        // After a failure its next line could belong to anything.
        match &answer {
            Ok(_) => self.child = Some(child),
            Err(_) => child.end(),
        }
        answer.map_err(Failure::AtQuestion)
    }

    fn start(&self, deadline: Instant) -> Result<Conversation, TalkError> {
        let mut child = Conversation::start(&self.program)?;
        match child.greet(deadline) {
            Ok(()) => {
                self.hold_off.started();
                Ok(child)
            }
            Err(error) => {
                child.end();
                Err(error)
            }
        }
    }
}

/// The questions at which a program has failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// To begin: whatever the question.
    #[error("{0}")]
    NotStarted(TalkError),
    /// This question.
    #[error("{0}")]
    AtQuestion(TalkError),
}

impl Question {
    fn name(&self) -> &str {
        match self {
            Question::Get(Asked { name, .. }) | Question::Set { name, .. } => name,
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            child.end();
        }
    }
}

/// A running program.
struct Conversation {
    child: std::process::Child,
    lines: Lines,
}

impl Conversation {
    fn start(program: &Program) -> Result<Self, TalkError> {
        let mut command = program.command(&[]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(TalkError::NotStarted)?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let lines = ends.map(|(to, from)| Lines::new(OwnedFd::from(to), OwnedFd::from(from)));
        match lines {
            Some(Ok(lines)) => Ok(Conversation { child, lines }),
            Some(Err(error)) => {
                see_off(child, Duration::ZERO);
                Err(TalkError::NotStarted(error))
            }
            None => {
                see_off(child, Duration::ZERO);
                Err(TalkError::Ended)
            }
        }
    }

    fn greet(&mut self, deadline: Instant) -> Result<(), TalkError> {
        self.lines.say("PING\n", deadline)?;
        match self.lines.hear(deadline)? {
            word if word == b"PONG" => Ok(()),
            other => Err(TalkError::Nonsense { expected: "PONG", found: shown(&other) }),
        }
    }

    fn answer(&mut self, question: &Question, deadline: Instant) -> Result<Answer, TalkError> {
        match question {
            Question::Get(Asked { name, exact }) => {
                let word = if *exact { "get" } else { "getnext" };
                self.lines.say(&format!("{word}\n{name}\n"), deadline)?;
                self.hear_instance(deadline).map(Answer::Region)
            }
            Question::Set { name, value } => {
                self.lines.say(&format!("set\n{name}\n{value}\n"), deadline)?;
                let line = self.lines.hear(deadline)?;
                Ok(Answer::Set(value::refusal(&String::from_utf8_lossy(&line))))
            }
        }
    }

    fn hear_instance(&mut self, deadline: Instant) -> Result<RegionAnswer, TalkError> {
        let name = self.lines.hear(deadline)?;
        if name.starts_with(b"NONE") {
            return Ok(RegionAnswer::Nothing);
        }
        let name = String::from_utf8_lossy(&name).into_owned();
        if name.trim().parse::<trunkline_smi::Oid>().is_err() {
            return Err(TalkError::Nonsense { expected: "an OID or NONE", found: shown(name.as_bytes()) });
        }
        let kind = self.lines.hear(deadline)?;
        let text = self.lines.hear(deadline)?;
        let found = value::instance(&name, &String::from_utf8_lossy(&kind), &text);
        found.map(|instance| Some(instance).into()).ok_or_else(|| TalkError::Nonsense {
            expected: "a type and a value of it",
            found: format!("{} {}", shown(&kind), shown(&text)),
        })
    }

    /// Says that it is over, with an empty line and the end of its input, and sees that it is.
    fn end(mut self) {
        let _ = self.lines.say("\n", Instant::now());
        drop(self.lines);
        see_off(self.child, FAREWELL);
    }
}

fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(60).collect()
}

/// How often it is checked without requests.
const LOOK_AFTER: Duration = Duration::from_secs(20);

/// Beyond the time limits, for the thread to notice them.
const GRACE: Duration = Duration::from_millis(100);

/// How long a program may take to end on its own.
const FAREWELL: Duration = Duration::from_millis(300);
