//! The CPU time of another process, from the kernel's scheduler accounting.
//!
//! `/proc/PID/stat` counts in ticks of 10 ms, too coarse for requests of a few microseconds. The scheduler counts
//! nanoseconds per thread (`/proc/PID/task/TID/schedstat`, first field); the sum over the threads, read before and
//! after a block of requests and divided by their number, is the time per request. It includes user and system
//! time, and on the loopback also the kernel's delivery of the response into the manager's socket, which runs in
//! the sender's context: for all subjects alike.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Reads one process's CPU time.
#[derive(Debug)]
pub struct CpuMeter {
    tasks: PathBuf,
}

impl CpuMeter {
    /// A meter for a process; fails if this kernel or our rights provide no accounting for it.
    pub fn new(pid: u32) -> io::Result<Self> {
        let meter = CpuMeter { tasks: PathBuf::from(format!("/proc/{pid}/task")) };
        meter.read()?;
        Ok(meter)
    }

    /// Nanoseconds of user and system time that the process's current threads have used so far.
    ///
    /// A thread that ends between two readings takes its time with it; subjects keep their threads.
    pub fn read(&self) -> io::Result<u64> {
        let mut total = 0;
        for task in fs::read_dir(&self.tasks)? {
            match fs::read_to_string(task?.path().join("schedstat")) {
                Ok(text) => total += first_number(&text)?,
                // The thread ended after the directory was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound && total > 0 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(total)
    }
}

/// Reads a process's CPU time, and remembers that of its threads that have ended: it never falls. What such a thread used after it was
/// read last is lost; those that end because there was nothing to do have used none.
#[derive(Debug)]
pub struct LastingMeter {
    meter: CpuMeter,
    threads: BTreeMap<OsString, u64>,
}

impl LastingMeter {
    /// As [`CpuMeter::new`].
    pub fn new(pid: u32) -> io::Result<Self> {
        Ok(LastingMeter { meter: CpuMeter::new(pid)?, threads: BTreeMap::new() })
    }

    /// Nanoseconds of user and system time of all threads that were ever seen. Of a process that has ended they are the last.
    pub fn read(&mut self) -> u64 {
        let tasks = fs::read_dir(&self.meter.tasks).into_iter().flatten().flatten();
        for task in tasks {
            let text = fs::read_to_string(task.path().join("schedstat"));
            if let Some(time) = text.ok().and_then(|text| first_number(&text).ok()) {
                self.threads.insert(task.file_name(), time);
            }
        }
        self.threads.values().sum()
    }
}

/// The time in a thread's `schedstat`, nanoseconds.
pub fn first_number(schedstat: &str) -> io::Result<u64> {
    let first = schedstat.split_ascii_whitespace().next().and_then(|number| number.parse().ok());
    first.ok_or_else(|| io::Error::other(format!("schedstat holds {schedstat:?}, expected three numbers")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn time_grows_with_work_and_never_falls() {
        // A process with one thread: threads of ours end, and take their time with them.
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let meter = CpuMeter::new(child.id()).unwrap();
        let before = meter.read().unwrap();
        let mut now = before;
        while now == before {
            std::thread::yield_now();
            now = meter.read().unwrap();
        }
        assert!(now > before, "{before} {now}");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn what_a_thread_has_used_stays_when_it_has_ended() {
        let mut meter = LastingMeter::new(std::process::id()).unwrap();
        let (tell, told) = std::sync::mpsc::sync_channel::<u64>(0);
        let (end, ended) = std::sync::mpsc::sync_channel::<()>(0);
        let worker = std::thread::spawn(move || {
            let begun = crate::conversation::thread_cpu();
            while crate::conversation::thread_cpu() < begun + 20_000_000 {}
            tell.send(crate::conversation::thread_cpu()).unwrap();
            let _ = ended.recv();
        });
        let used = told.recv().unwrap();
        let before = meter.read();
        assert!(before >= used, "{before} {used}");
        drop(end);
        worker.join().unwrap();
        assert!(meter.read() >= before);
    }

    #[test]
    fn an_idle_child_uses_none() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // One line there and back: after it the child only waits to read.
        let (mut to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        io::Write::write_all(&mut to, b"ready\n").unwrap();
        let mut line = String::new();
        io::BufRead::read_line(&mut io::BufReader::new(from), &mut line).unwrap();
        let meter = CpuMeter::new(child.id()).unwrap();
        let first = meter.read().unwrap();
        let second = meter.read().unwrap();
        assert!(first > 0 && second - first < 50_000_000, "{first} {second}");
        drop(to);
        child.wait().unwrap();
        assert!(CpuMeter::new(child.id()).is_err());
    }

    #[test]
    fn a_file_of_another_form_is_named() {
        assert_eq!(first_number("123 4 5\n").unwrap(), 123);
        assert!(first_number("").unwrap_err().to_string().contains("expected"));
    }
}
