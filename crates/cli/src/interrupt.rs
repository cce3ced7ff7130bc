//! Ctrl-C, also while the program waits for its output: a separate thread receives the signal and notifies the
//! command; a command that does not react, because the reader of its output has stopped reading, is ended anyway.

use std::process;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

use crate::error::{Error, INTERRUPTED};

/// How long a command has to react to Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(500);

/// Catches Ctrl-C. While it lives the signal does not end the program on its own.
pub struct Interrupt {
    pressed: Arc<Notify>,
    noticed: Sender<()>,
}

impl Interrupt {
    /// Begins to listen.
    pub fn listen() -> Result<Self, Error> {
        let failed = |fault: std::io::Error| Error::Runtime(format!("cannot listen for Ctrl-C: {fault}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
        let signals = {
            let _entered = runtime.enter();
            signal(SignalKind::interrupt()).map_err(failed)?
        };
        let pressed = Arc::new(Notify::new());
        let (noticed, notices) = channel();
        let tell = Arc::clone(&pressed);
        let watch = move || {
            runtime.block_on(watch(signals, || {
                tell.notify_one();
                match notices.recv_timeout(PATIENCE) {
                    Err(RecvTimeoutError::Timeout) => process::exit(INTERRUPTED.into()),
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => {}
                }
            }));
        };
        std::thread::Builder::new().name("ctrl-c".to_owned()).spawn(watch).map_err(failed)?;
        Ok(Interrupt { pressed, noticed })
    }

    /// Waits for Ctrl-C, and is always an error. From then on the command ends in its own time; Ctrl-C once more is
    /// another one.
    pub async fn pressed(&self) -> Error {
        self.pressed.notified().await;
        // The thread waits for it; when that is gone the program ends already.
        let _ = self.noticed.send(());
        Error::Interrupted
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
