//! Sessions on several links at a time, each with an agent of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Runtime;

use crate::doubt::Doubt;
use crate::error::Error;
use crate::keyring::Keyring;
use crate::ledger::Ledger;
use crate::rota::{Bounds, Course, Rota, Turn};
use crate::schedule::{Failure, Job, session, write_down};
use crate::stage::{Stage, StageOptions};
use crate::trial::SessionRecord;

/// Measures jobs over the link as [`perform_until_lost`](crate::schedule::perform_until_lost) does, on several stages at a time, each with a link and an
/// agent of its own. On a slow link most of a session is waiting: sessions on other links do not disturb it.
pub fn perform_side_by_side(
    stages: usize,
    (keyring, options): (&Arc<Keyring>, &StageOptions),
    runtime: &Runtime,
    jobs: &[Job],
    bounds: Bounds,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let rota = Mutex::new(Rota::new(jobs, bounds, ledger.seed));
    let (seed, interrupted, rota) = (ledger.seed, Arc::clone(&ledger.interrupted), &rota);
    let (tell, told) = sync_channel(stages);
    let result = std::thread::scope(|scope| {
        for _ in 0..stages {
            let (tell, ended) = (tell.clone(), Arc::clone(&interrupted));
            let measuring = move || on_own_stage(keyring, options, rota, seed, &ended, &tell);
            if let Err(source) = std::thread::Builder::new().spawn_scoped(scope, measuring) {
                // Those that have started find nobody to tell, and end.
                return Err(Error::System { what: "cannot start a thread for each link", source });
            }
        }
        drop(tell);
        let result = take_down(&told, runtime, jobs, ledger);
        // Threads that still measure find nobody to tell, and end.
        drop(told);
        result
    });
    let shortened = lock(rota).shortened();
    result.and(shortened.map_or(Ok(()), |doubt| ledger.doubt(doubt)))?;
    ledger.writer.flush()
}

/// News from a stage of [`perform_side_by_side`].
enum News {
    Taken(Turn, Box<Result<SessionRecord, Failure>>, Course),
    Doubts(Vec<Doubt>),
    Failed(Error),
}

/// Takes turns on a new stage until there are none.
fn on_own_stage(
    keyring: &Arc<Keyring>,
    options: &StageOptions,
    rota: &Mutex<Rota<'_>>,
    seed: u64,
    ended: &AtomicBool,
    tell: &SyncSender<News>,
) {
    let mut doubts = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|source| Error::System { what: "cannot make the runtime of the sessions", source });
    let made = runtime.and_then(|it| Ok((it, Stage::beside(keyring, options, &mut doubts)?)));
    let (runtime, stage) = match made {
        Ok(made) => made,
        // If the main thread is gone, nobody needs to know.
        Err(error) => return drop(tell.send(News::Failed(error))),
    };
    let mut listened = tell.send(News::Doubts(doubts)).is_ok();
    while listened && !ended.load(Ordering::Relaxed) {
        let Some(turn) = lock(rota).next_turn() else { break };
        let job = &lock(rota).jobs()[turn.job];
        let result = session(&stage, &runtime, job, turn.round, seed, None);
        let course = *lock(rota).course(turn.job).note(&result);
        listened = tell.send(News::Taken(turn, Box::new(result), course)).is_ok();
    }
}

/// Writes down what the stages have measured.
fn take_down(
    told: &Receiver<News>,
    runtime: &Runtime,
    jobs: &[Job],
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let mut known: Vec<Doubt> = Vec::new();
    loop {
        match told.recv_timeout(LOOK_EVERY) {
            Ok(News::Taken(turn, result, course)) => {
                ledger.progress.inc(1);
                write_down(&jobs[turn.job], *result, course, ledger)?;
            }
            Ok(News::Doubts(doubts)) => {
                for doubt in doubts {
                    if !known.contains(&doubt) {
                        known.push(doubt.clone());
                        ledger.doubt(doubt)?;
                    }
                }
            }
            Ok(News::Failed(error)) => return Err(error),
            // Signals are noticed while the runtime runs.
            Err(RecvTimeoutError::Timeout) => {
                runtime.block_on(async { tokio::time::sleep(Duration::from_millis(1)).await })
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn lock<'a, 'b>(rota: &'a Mutex<Rota<'b>>) -> MutexGuard<'a, Rota<'b>> {
    rota.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often signals are looked for while other threads measure.
const LOOK_EVERY: Duration = Duration::from_millis(100);
