//! The signals that must not end the agent, caught before anything slow: a reload that is requested while it starts
//! takes place once it serves.

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use trunkline_transport::ensure_descriptors;

use crate::start_error::StartError;

/// The runtime, which catches signals, and those that are caught from the beginning.
pub struct Signals {
    pub(crate) runtime: Runtime,
    pub(crate) caught: Caught,
}

/// SIGHUP, SIGUSR1, SIGUSR2 and SIGXFSZ.
pub(crate) struct Caught {
    pub(crate) hang_up: Signal,
    pub(crate) user: Signal,
    /// A file that may not grow is an error where it is written, as on a full disk, and not the agent's end.
    _too_large: Signal,
    /// It means nothing to the agent, and would end it.
    _other_user: Signal,
}

impl Signals {
    /// Makes the runtime and begins to catch. It starts no thread, so that privileges can still be given up.
    ///
    /// # Errors
    /// Too few descriptors, or what the system refuses.
    pub fn catch() -> Result<Self, StartError> {
        ensure_descriptors(DESCRIPTORS)?;
        let refused = |doing| move |source| StartError::System { doing, source };
        let runtime = Builder::new_current_thread().enable_all().thread_stack_size(512 * 1024).build();
        let runtime = runtime.map_err(refused("start the runtime"))?;
        let inside = runtime.enter();
        let on = |kind| signal(kind).map_err(refused("listen for signals"));
        let caught = Caught {
            hang_up: on(SignalKind::hangup())?,
            user: on(SignalKind::user_defined1())?,
            _other_user: on(SignalKind::user_defined2())?,
            _too_large: on(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?,
        };
        drop(inside);
        Ok(Signals { runtime, caught })
    }
}

/// What an agent without a connection opens: its runtime, two listeners, its lock, sources, and files for a moment.
const DESCRIPTORS: usize = 24;
