//! How far a long walk is, on a terminal: one line of standard error that is gone when the walk ends.

use std::future::Future;
use std::io::{self, IsTerminal};
use std::pin::pin;
use std::time::Duration;

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::{Instant, sleep_until};
use trunkline_mib::Names;
use trunkline_smi::{Oid, visible};

use trunkline_show::record::label;

/// How long a walk may take before it is shown, and how often the line changes.
const EVERY: Duration = Duration::from_millis(500);

/// The line.
pub struct Progress<'n> {
    names: &'n Names,
    began: Instant,
    due: Instant,
    /// Nothing where it is not wanted or not seen.
    bar: Option<ProgressBar>,
}

impl<'n> Progress<'n> {
    /// Shown only if it is wanted, standard error is a terminal, and no lines of answers run through the same terminal.
    pub fn new(is_wanted: bool, prints_lines: bool, names: &'n Names) -> Self {
        let lines_are_seen = prints_lines && io::stdout().is_terminal();
        let bar = (is_wanted && io::stderr().is_terminal() && !lines_are_seen).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.with_style(
                ProgressStyle::with_template("{wide_msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            )
        });
        let began = Instant::now();
        Progress { names, began, due: began + EVERY, bar }
    }

    /// Waits for `work`, and shows meanwhile how many instances there are and which was the last.
    pub async fn while_waiting<T>(
        &mut self,
        work: impl Future<Output = T>,
        found: u64,
        last: Option<&Oid>,
    ) -> T {
        let mut work = pin!(work);
        let Some(bar) = self.bar.clone() else { return work.await };
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = sleep_until(self.due) => {
                    let now = Instant::now();
                    self.due = now + EVERY;
                    bar.set_message(words(self.names, found, last, now - self.began));
                    bar.tick();
                }
            }
        }
    }

    /// Takes the line away, so that something else can be printed.
    pub fn clear(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

fn words(names: &Names, found: u64, last: Option<&Oid>, took: Duration) -> String {
    let (count, took) = (HumanCount(found), HumanDuration(took));
    let at = last.map(|oid| format!(", at {}", visible(&label(names, oid)))).unwrap_or_default();
    format!("{count} found in {took}{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_many_and_where() {
        let names = Names::built_in();
        let last = names.resolve("ifDescr.2").ok();
        let line = |last| words(&names, 12_345, last, Duration::from_secs(3));
        assert_eq!(line(last.as_ref()), "12,345 found in 3 seconds, at IF-MIB::ifDescr.2");
        assert_eq!(line(None), "12,345 found in 3 seconds");
    }
}
