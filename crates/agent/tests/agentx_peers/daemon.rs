//! Programs that end with the test, and waiting.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program in the foreground; ended when dropped.
pub struct Daemon {
    child: Child,
}

impl Daemon {
    /// Starts it; what it prints goes into `log`.
    pub fn start(mut command: Command, log: &Path) -> Daemon {
        let log = File::create(log).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        Daemon { child: command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")) }
    }

    /// Whether it has ended; then nothing is to be waited for.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_some())
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // An orderly end first: some of them have children of their own.
        let _ = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status();
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if self.has_ended() {
                return;
            }
            std::thread::yield_now();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Only what never comes takes so long: a machine with ten times as much to do as it can does not have to give up.
const PATIENCE: Duration = Duration::from_secs(600);

/// Until it is so; `what` for the message if it never is.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "waited for {what}");
        std::thread::yield_now();
    }
}

/// The same of what daemons do; one that has ended does nothing more, which its log explains.
pub fn wait_for(daemons: &mut [Daemon], what: &str, mut is_so: impl FnMut() -> bool) {
    wait_until(what, || {
        for daemon in &mut *daemons {
            assert!(!daemon.has_ended(), "process {} has ended while {what} was waited for", daemon.pid());
        }
        is_so()
    });
}
