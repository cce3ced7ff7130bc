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
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::yield_now();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Longer than two routers need to become neighbors, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Until it is so; `what` for the message if it never is.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "waited for {what}");
        std::thread::yield_now();
    }
}
