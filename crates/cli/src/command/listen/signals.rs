//! The signals of a service.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Error;
use crate::interrupt::Interrupt;

/// What a signal requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// SIGHUP: open the files again.
    Reopen,
    /// SIGUSR1: print the counters.
    Count,
    /// SIGTERM: end in order.
    End,
}

/// The signals, once they are caught.
pub struct Signals {
    hangup: Option<Signal>,
    count: Signal,
    /// It ends the program even if an output does not take what is written.
    end: Interrupt,
}

impl Signals {
    /// Catches them; SIGHUP only if there are files, since otherwise it ends the program with its terminal.
    pub fn catch(with_files: bool) -> Result<Self, Error> {
        let caught = |kind| {
            signal(kind).map_err(|fault| Error::Runtime(format!("cannot listen for signals: {fault}")))
        };
        Ok(Signals {
            hangup: with_files.then(|| caught(SignalKind::hangup())).transpose()?,
            count: caught(SignalKind::user_defined1())?,
            end: Interrupt::terminations()?,
        })
    }

    /// The next one. Cancel safe.
    pub async fn next(&mut self) -> Asked {
        let Signals { hangup, count, end } = self;
        let hung_up = async {
            match hangup {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = end.pressed() => Asked::End,
            _ = hung_up => Asked::Reopen,
            _ = count.recv() => Asked::Count,
        }
    }
}
