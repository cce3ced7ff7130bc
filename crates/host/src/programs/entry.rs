//! A configured program and its last output.
//!
//! Programs run on separate threads, all that are due at the same time. A request for their output waits for a
//! program that succeeded the last time, and for one that has never run. It does not wait for one that exceeded
//! its limit the last time, so that this program does not delay the others again and again: its row keeps
//! reporting that until it ends in time.

use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use trunkline_smi::Oid;

use super::options::WatchOptions;
use super::run::{Ended, MAX_OUTPUT, Outcome, Program, Runner};

/// A program, and where its output is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryOptions {
    pub name: String,
    pub program: Program,
    pub cache: Duration,
    pub root: Option<Oid>,
    /// Whether it has a row in extTable.
    pub in_ext_table: bool,
    pub fix: Option<Vec<String>>,
}

/// One program.
#[derive(Debug)]
pub(crate) struct Entry {
    options: EntryOptions,
    state: Mutex<State>,
    ended: Condvar,
    /// Reported once.
    cut: Once,
}

#[derive(Debug, Default)]
struct State {
    last: Option<Arc<Run>>,
    running: bool,
}

/// The result of the last run.
#[derive(Debug)]
pub(crate) struct Run {
    ended: Instant,
    took: Duration,
    timed_out: bool,
    /// nsExtendResult and extResult.
    pub result: i32,
    /// Without the newline at the end.
    pub output: Vec<u8>,
}

impl EntryOptions {
    /// Of every extend and then of every exec.
    pub fn all(options: &WatchOptions) -> impl Iterator<Item = EntryOptions> {
        let extends = options.extends.iter().map(|extend| EntryOptions {
            name: extend.name.clone(),
            program: extend.program.clone(),
            cache: extend.cache,
            root: extend.root.clone(),
            in_ext_table: false,
            fix: None,
        });
        let execs = options.execs.iter().map(|exec| EntryOptions {
            name: exec.name.clone(),
            program: exec.program.clone(),
            cache: EXEC_CACHE,
            root: None,
            in_ext_table: true,
            fix: exec.fix.clone(),
        });
        extends.chain(execs)
    }

    /// The command as one text: words with blanks, and empty words, are quoted.
    pub fn command_line(&self) -> String {
        if self.program.shell { self.program.command.join(" ") } else { words_of(&self.program.command) }
    }
}

/// A command as one text.
pub(crate) fn words_of(command: &[String]) -> String {
    let quoted = |word: &String| match word.is_empty() || word.contains(char::is_whitespace) {
        true => format!("\"{word}\""),
        false => word.clone(),
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

impl Entry {
    pub fn new(options: EntryOptions) -> Self {
        Entry { options, state: Mutex::default(), ended: Condvar::new(), cut: Once::new() }
    }

    pub fn options(&self) -> &EntryOptions {
        &self.options
    }

    /// Starts it if its output is too old and it does not run already.
    fn begin(self: &Arc<Self>, runner: &Arc<Runner>, now: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = state
            .last
            .as_ref()
            .is_none_or(|last| now.saturating_duration_since(last.ended) >= self.options.cache);
        if state.running || !is_due {
            return;
        }
        let (entry, runner) = (Arc::clone(self), Arc::clone(runner));
        let run = move || {
            let started = Instant::now();
            let outcome = runner.run(&entry.options.program, &[]);
            entry.end(Run::new(outcome, started, &entry.options.program));
        };
        let thread = std::thread::Builder::new().name("program".into()).stack_size(128 * 1024).spawn(run);
        match thread {
            Ok(_) => state.running = true,
            Err(error) => {
                let outcome = Outcome { ended: Ended::NotStarted(error), output: Vec::new() };
                state.last = Some(Arc::new(Run::new(outcome, now, &self.options.program)));
            }
        }
    }

    fn end(&self, run: Run) {
        if run.timed_out {
            tracing::warn!(name = self.options.name, "a program was killed at its time limit");
        }
        if run.output.len() + 1 >= MAX_OUTPUT {
            let name = &self.options.name;
            self.cut.call_once(|| {
                tracing::warn!(
                    name,
                    "a program prints {MAX_OUTPUT} bytes or more: what is beyond is not kept"
                );
            });
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State { last: Some(Arc::new(run)), running: false };
        self.ended.notify_all();
    }

    /// Its output, after waiting as long as it is worth waiting.
    fn output(&self, begun: Instant) -> Option<Arc<Run>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = match &state.last {
            None => self.options.program.timeout + GRACE,
            Some(last) if last.timed_out => Duration::ZERO,
            Some(last) => (3 * last.took).max(LEAST_PATIENCE),
        };
        let left = patience.saturating_sub(begun.elapsed());
        let waited = self.ended.wait_timeout_while(state, left, |state| state.running);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.last.clone()
    }
}

/// Runs these programs if their output is too old; returns their output in the same order, `None` if there is
/// none yet.
pub(crate) fn fresh(entries: &[&Arc<Entry>], runner: &Arc<Runner>) -> Vec<Option<Arc<Run>>> {
    let now = Instant::now();
    entries.iter().for_each(|entry| entry.begin(runner, now));
    entries.iter().map(|entry| entry.output(now)).collect()
}

impl Run {
    fn new(Outcome { ended, mut output }: Outcome, started: Instant, program: &Program) -> Self {
        if let Ended::NotStarted(error) = &ended {
            let (name, error) = (program.command.first().map_or("", String::as_str), error.to_string());
            // As printed by perror(3), without Rust's error number.
            let error = error.split(" (os error").next().unwrap_or_default();
            output = format!("{name}: {error}").into_bytes();
        }
        if output.last() == Some(&b'\n') {
            output.pop();
        }
        // Net-SNMP shows an exit status as it is, and with a shell what system(3) returns.
        let (result, raw) = match &ended {
            Ended::Code(code) => (*code, code << 8),
            Ended::Signal(signal) => (128 + signal, *signal),
            Ended::TimedOut => (TIMED_OUT, TIMED_OUT << 8),
            Ended::NotStarted(_) => (NOT_STARTED, NOT_STARTED << 8),
        };
        let now = Instant::now();
        Run {
            ended: now,
            took: now.saturating_duration_since(started),
            timed_out: matches!(ended, Ended::TimedOut),
            result: if program.shell { raw } else { result },
            output,
        }
    }

    /// Its lines, one at least. There may be more than the 1024 that the MIB has for nsExtendLineIndex: Net-SNMP's agent
    /// numbers them on, and what is behind them is not lost.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.output.split(|octet| *octet == b'\n')
    }

    /// The first line.
    pub fn first_line(&self) -> &[u8] {
        self.lines().next().unwrap_or_default()
    }
}

/// The status of a program that was killed at its limit, as timeout(1) has it.
const TIMED_OUT: i32 = 124;

/// The status of a program that cannot be run, as with Net-SNMP.
const NOT_STARTED: i32 = 1;

/// How long the output of an exec is kept, as with Net-SNMP.
const EXEC_CACHE: Duration = Duration::from_secs(5);

/// Between a program's limit and the end of its run.
const GRACE: Duration = Duration::from_secs(1);

/// How long a program is waited for that was quick the last time.
const LEAST_PATIENCE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(line: &str, timeout: Duration, cache: Duration) -> Arc<Entry> {
        let program = Program { command: vec![line.into()], shell: true, timeout };
        let (name, root, in_ext_table, fix) = ("it".into(), None, false, None);
        Arc::new(Entry::new(EntryOptions { name, program, cache, root, in_ext_table, fix }))
    }

    fn lines(run: &Option<Arc<Run>>) -> Vec<String> {
        run.as_ref().unwrap().lines().map(|line| String::from_utf8(line.to_vec()).unwrap()).collect()
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn one_newline_at_the_end_counts_for_nothing() {
        let runner = Arc::new(Runner::new(4));
        let all = [
            ("printf ''", vec![""]),
            ("echo; echo", vec!["", ""]),
            ("printf 'a\\n\\nb'", vec!["a", "", "b"]),
        ];
        for (line, expected) in all {
            assert_eq!(lines(&fresh(&[&entry(line, LONG, LONG)], &runner)[0]), expected, "{line}");
        }
        // Beyond the MIB's 1024, as in Net-SNMP.
        let long = lines(&fresh(&[&entry("seq 1 2000", LONG, LONG)], &runner)[0]);
        assert_eq!((long.len(), long[1499].as_str()), (2000, "1500"));
    }

    #[test]
    fn output_is_cached_as_long_as_configured() {
        let folder = tempfile::tempdir().unwrap();
        let runner = Arc::new(Runner::new(4));
        let count = |cache| {
            let file = folder.path().join(format!("{cache:?}"));
            let line = format!("echo >> '{0}'; wc -l < '{0}'", file.display());
            let counting = entry(&line, LONG, cache);
            [(); 3].map(|()| lines(&fresh(&[&counting], &runner)[0]).remove(0))
        };
        assert_eq!(count(LONG), ["1", "1", "1"]);
        assert_eq!(count(Duration::ZERO), ["1", "2", "3"]);
    }

    #[test]
    fn a_hanging_program_delays_the_others_once_at_most() {
        let runner = Arc::new(Runner::new(4));
        let hanging = entry("echo so far; sleep 1000", Duration::from_millis(200), Duration::ZERO);
        let well = entry("echo well", LONG, Duration::ZERO);
        let runs = fresh(&[&hanging, &well], &runner);
        assert_eq!(
            (lines(&runs[0]), runs[0].as_ref().unwrap().result),
            (vec!["so far".to_owned()], 124 << 8)
        );
        assert_eq!(lines(&runs[1]), ["well"]);
        let slow = entry("sleep 10", LONG, Duration::ZERO);
        *slow.state.lock().unwrap() = State { last: runs[0].clone(), running: false };
        let before = Instant::now();
        let runs = fresh(&[&slow, &well], &runner);
        assert!(before.elapsed() < LONG / 2, "it runs, and is not waited for");
        assert!(slow.state.lock().unwrap().running);
        assert_eq!(runs[0].as_ref().unwrap().result, 124 << 8);
        assert_eq!(lines(&runs[1]), ["well"]);
    }
}
