//! Messages about actions: of each subject at most one a second, with the number of those that were left out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trunkline_smi::visible;

/// Where messages go. Cheap to clone.
#[derive(Clone)]
pub struct Reports {
    tell: Arc<dyn Fn(&str) + Send + Sync>,
    /// When each subject was last reported, and how many have been left out since.
    last: Arc<Mutex<HashMap<String, (Instant, u64)>>>,
}

/// The shortest time between two messages about one subject.
const PAUSE: Duration = Duration::from_secs(1);

impl Reports {
    /// Messages go to `tell`.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Reports { tell: Arc::new(tell), last: Arc::default() }
    }

    /// Reports something about a subject: a rule, a file, a receiver.
    pub fn report(&self, subject: &str, words: &str) {
        let now = Instant::now();
        let left_out = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            match last.get_mut(subject) {
                Some((at, left_out)) if now.duration_since(*at) < PAUSE => {
                    *left_out += 1;
                    return;
                }
                Some(entry) => std::mem::replace(entry, (now, 0)).1,
                None => {
                    last.insert(subject.to_owned(), (now, 0));
                    0
                }
            }
        };
        let more =
            if left_out == 0 { String::new() } else { format!(" ({left_out} more were not reported)") };
        (self.tell)(&format!("{subject}: {}{more}", visible(words)));
    }

    /// Passes on a line of a program's output, without a limit: the program's run has one.
    pub(crate) fn line(&self, subject: &str, words: &str) {
        (self.tell)(&format!("{subject}: {}", visible(words)));
    }
}

impl std::fmt::Debug for Reports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reports")
    }
}
