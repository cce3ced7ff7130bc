//! Signals that end a run.
//!
//! The first one asks the run to end at its next step, so that children are stopped, folders with keys removed and samples
//! kept. If it has not ended half a second later, or with a second signal, the same is done here and the program exits: a run may
//! be waiting for an agent that never answers.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::error::Error;
use crate::leftovers;
use crate::trial::TrialWriter;

/// Watches for signals as long as it lives.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Set with the first signal.
    pub interrupted: Arc<AtomicBool>,
    /// The samples of the run, once there are any.
    pub samples: Arc<OnceLock<TrialWriter>>,
    _over: oneshot::Sender<()>,
}

impl Watch {
    /// From here on Ctrl-C, SIGTERM, SIGHUP and SIGQUIT end the run.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn start() -> Result<Watch, Error> {
        let failed = |source| Error::System { what: "cannot listen for signals", source };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let (interrupted, samples) = (Arc::<AtomicBool>::default(), Arc::<OnceLock<TrialWriter>>::default());
        let (over, mut is_over) = oneshot::channel::<()>();
        let signals: Result<Vec<Signal>, _> = {
            let _inside = runtime.enter();
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()]
                .map(signal)
                .into_iter()
                .collect()
        };
        let mut signals = signals.map_err(failed)?;
        let (said, taken) = (Arc::clone(&interrupted), Arc::clone(&samples));
        let watching = move || {
            let is_to_end = runtime.block_on(async {
                tokio::select! {
                    () = any(&mut signals) => {}
                    _ = &mut is_over => return false,
                }
                said.store(true, Ordering::Relaxed);
                tokio::select! {
                    () = any(&mut signals) => true,
                    () = tokio::time::sleep(GRACE) => true,
                    _ = &mut is_over => false,
                }
            });
            if is_to_end {
                end(taken.get());
            }
        };
        std::thread::Builder::new().name("lab-signals".into()).spawn(watching).map_err(failed)?;
        Ok(Watch { interrupted, samples, _over: over })
    }

    /// Whether there was a signal.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// Waits for one of the signals.
async fn any(signals: &mut [Signal]) {
    std::future::poll_fn(|context| {
        let mut arrived = signals.iter_mut().map(|it| it.poll_recv(context).is_ready());
        // All are polled, so that each wakes this task.
        if arrived.by_ref().fold(false, |any, it| any | it) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}

/// Ends the program.
fn end(samples: Option<&TrialWriter>) -> ! {
    let error = match samples.and_then(TrialWriter::rescue) {
        Some(samples) => Error::Interrupted { samples },
        None => Error::Stopped,
    };
    leftovers::end_of_this_process();
    let _ = writeln!(std::io::stderr(), "trunkline lab: {error}");
    std::process::exit(error.exit_status().into())
}

/// How long a run may take to end on its own.
const GRACE: Duration = Duration::from_millis(500);
