//! Ctrl-C, also while the program waits for its output: a separate thread receives the signal and notifies the
//! command; a command that does not react, because the reader of its output has stopped reading, is ended anyway. A service
//! has SIGTERM caught in the same way.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

use crate::error::{Error, INTERRUPTED};

/// How long a command has to react to Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(500);

/// Exit status of a program that SIGTERM ends while it does not react.
const TERMINATED: u8 = 128 + 15;

/// Catches Ctrl-C or SIGTERM. While it lives the signal does not end the program on its own.
pub struct Interrupt {
    pressed: Arc<Notify>,
    noticed: Sender<()>,
    /// Whether the thread waits for [`Interrupt::noticed`].
    is_awaited: Arc<AtomicBool>,
}

impl Interrupt {
    /// Begins to listen for Ctrl-C.
    pub fn listen() -> Result<Self, Error> {
        Interrupt::of(SignalKind::interrupt(), "Ctrl-C", INTERRUPTED)
    }

    /// Begins to listen for SIGTERM.
    pub fn terminations() -> Result<Self, Error> {
        Interrupt::of(SignalKind::terminate(), "SIGTERM", TERMINATED)
    }

    /// `status`: that of the program if the command does not react.
    fn of(kind: SignalKind, name: &str, status: u8) -> Result<Self, Error> {
        let failed = |fault: std::io::Error| Error::Runtime(format!("cannot listen for {name}: {fault}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
        let signals = {
            let _entered = runtime.enter();
            signal(kind).map_err(failed)?
        };
        let pressed = Arc::new(Notify::new());
        let (noticed, notices) = channel();
        let tell = Arc::clone(&pressed);
        let is_awaited = Arc::new(AtomicBool::new(false));
        let awaits = Arc::clone(&is_awaited);
        let watch = move || {
            runtime.block_on(watch(signals, || {
                awaits.store(true, SeqCst);
                tell.notify_one();
                match notices.recv_timeout(PATIENCE) {
                    Err(RecvTimeoutError::Timeout) => process::exit(status.into()),
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => {}
                }
            }));
        };
        std::thread::Builder::new().name(name.to_ascii_lowercase()).spawn(watch).map_err(failed)?;
        Ok(Interrupt { pressed, noticed, is_awaited })
    }

    /// Waits for Ctrl-C, and is always an error. From then on the command ends in its own time; Ctrl-C once more is
    /// another one.
    pub async fn pressed(&self) -> Error {
        self.pressed.notified().await;
        self.notice();
        Error::Interrupted
    }

    /// Tells the thread that Ctrl-C was noticed, if it waits for that.
    fn notice(&self) {
        if self.is_awaited.swap(false, SeqCst) {
            // When the thread is gone the program ends already.
            let _ = self.noticed.send(());
        }
    }

    /// The command has written what it had to write: what is left is the end of its sessions, which take a second or two and need not be
    /// cut short. Ctrl-C once more does that.
    pub fn has_written(&self) {
        self.notice();
    }

    /// Runs `work` to its end, or until Ctrl-C: `work` is dropped then, and may still have output to write.
    pub async fn stops<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        tokio::select! {
            result = work => result,
            () = self.pressed.notified() => Err(Error::Interrupted),
        }
    }
}

/// Calls `then` at each signal.
async fn watch(mut signals: Signal, then: impl Fn()) {
    while signals.recv().await.is_some() {
        then();
    }
}
