//! One command for many agents at the same time: each has its session and its printer, all write to one output. An
//! agent that stays silent holds its place for a moment only, so that dead ones do not delay the others.

use std::cell::{Cell, RefCell};
use std::io::{self, BufWriter, Write};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use trunkline_client::{Session, ensure_descriptors};

use crate::Asking;
use crate::DESCRIPTORS;
use crate::arguments::targets::FailIf;
use crate::connect::say;
use crate::destination::{Asked, Destination};
use crate::error::Error;
use crate::print::{Form, Printer, Tag};

/// How long an agent may be silent before another one is asked beside it: more than most round trips.
const PATIENCE: Duration = Duration::from_millis(200);
/// How many silent agents may be waited for beside those that answer.
const SILENT: usize = 2_000;

/// The output that all printers write to.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<BufWriter<io::Stdout>>>);

impl Shared {
    /// Standard output.
    pub fn stdout() -> Self {
        Shared(Rc::new(RefCell::new(BufWriter::new(io::stdout()))))
    }
}

impl Write for Shared {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// What JSON says of an agent that failed; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Failed<'f> {
    error: &'f str,
}

/// The session of an agent, once it is open.
pub type Opened = RefCell<Option<Arc<dyn Session>>>;

/// What all agents have in common.
struct Round<'r> {
    asking: &'r Asking,
    /// How many agents are silent, and do not count.
    silent: Cell<usize>,
    /// One more agent is silent.
    changed: Notify,
    out: Shared,
    /// How many records were written, over all agents.
    written: Rc<Cell<u64>>,
}

/// Runs `work` for each agent. `deadline` is when the command ends, whoever has not answered.
pub async fn run<F>(asked: &Asked, deadline: Option<Instant>, asking: &Asking, work: F) -> Result<(), Error>
where
    F: AsyncFn(&Destination, &mut Printer<'_, Shared>, &Opened) -> Result<(), Error>,
{
    let round = Round {
        asking,
        silent: Cell::new(0),
        changed: Notify::new(),
        out: Shared::stdout(),
        written: Rc::default(),
    };
    let most = most_at_once(asked.destinations.len());
    let mut left = asked.destinations.iter().enumerate();
    let mut running = FuturesUnordered::new();
    let mut open: Vec<bool> = vec![true; asked.destinations.len()];
    let mut failures = 0;
    loop {
        while running.len() < most && running.len() - round.silent.get().min(running.len()) < asked.parallel {
            let Some((at, destination)) = left.next() else { break };
            let one = round.one(destination, &work);
            running.push(async move { (at, one.await) });
        }
        let ended = tokio::select! {
            ended = running.next() => ended,
            () = round.changed.notified() => continue,
            () = until(deadline) => break,
        };
        let Some((at, ended)) = ended else { break };
        open[at] = false;
        match ended {
            Ok(()) => {}
            // Nobody reads any more.
            Err(fault @ Error::Output(_)) => return Err(fault),
            Err(fault) => {
                failures += 1;
                round.failed(&asked.destinations[at], &fault)?;
            }
        }
    }
    drop(running);
    for (at, destination) in asked.destinations.iter().enumerate().filter(|(at, _)| open[*at]) {
        let _ = at;
        failures += 1;
        round.failed(destination, &Error::Deadline)?;
    }
    let mut end = round.printer(None);
    end.finish()?;
    let all = asked.destinations.len();
    if failures > 0 {
        say(&format!("{failures} of {all} agents failed"));
    }
    let is_failure = match asked.fail_if {
        FailIf::Any => failures > 0,
        FailIf::All => failures == all,
        FailIf::Never => false,
    };
    if is_failure { Err(Error::Told) } else { Ok(()) }
}

/// How many agents may be asked at once: each takes a descriptor or two.
fn most_at_once(agents: usize) -> usize {
    let (mut fits, mut wanted) = (1, agents.clamp(1, SILENT));
    let has = |agents: usize| ensure_descriptors(DESCRIPTORS + agents * 2).is_ok();
    while !has(wanted) && wanted > 1 {
        wanted /= 2;
        fits = wanted;
    }
    fits.max(wanted)
}

/// Runs `work` to its end, or until the deadline.
pub async fn within<T>(
    deadline: Option<Instant>,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::select! {
        ended = work => ended,
        () = until(deadline) => Err(Error::Deadline),
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

impl Round<'_> {
    async fn one<F>(&self, destination: &Destination, work: &F) -> Result<(), Error>
    where
        F: AsyncFn(&Destination, &mut Printer<'_, Shared>, &Opened) -> Result<(), Error>,
    {
        let agent = Opened::default();
        let mut asked = pin!(async {
            let mut printer = self.printer(Some(destination));
            let ended = work(destination, &mut printer, &agent).await;
            printer.flush()?;
            ended
        });
        tokio::select! {
            ended = &mut asked => return ended,
            () = sleep(PATIENCE) => {}
        }
        let has_answered = agent
            .borrow()
            .as_ref()
            .is_some_and(|agent| agent.as_snmp().is_none_or(|session| session.counts().received > 0));
        let _silent = (!has_answered).then(|| Silence::of(self));
        asked.await
    }

    /// The printer of an agent; without one, that of the whole document.
    fn printer(&self, of: Option<&Destination>) -> Printer<'_, Shared> {
        let tag = Tag { target: of.map(|of| of.label.clone()), written: Rc::clone(&self.written) };
        self.asking.printer_to(self.out.clone()).with_tag(tag)
    }

    /// Reports that an agent failed: for people to standard error, in JSON as a record as well.
    fn failed(&self, destination: &Destination, fault: &Error) -> Result<(), Error> {
        let mut printer = self.printer(Some(destination));
        let words = fault.to_string();
        let first = words.lines().next().unwrap_or_default();
        if matches!(printer.form(), Form::Json | Form::JsonLines) && !fault.is_silent() {
            printer.object(&Failed { error: first })?;
        }
        printer.flush()?;
        if !fault.is_silent() {
            say(&format!("{}: {first}", destination.label));
        }
        Ok(())
    }
}

/// An agent is silent as long as this lives.
struct Silence<'r>(&'r Cell<usize>);

impl<'r> Silence<'r> {
    fn of(round: &'r Round<'_>) -> Self {
        round.silent.set(round.silent.get() + 1);
        round.changed.notify_one();
        Silence(&round.silent)
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}
