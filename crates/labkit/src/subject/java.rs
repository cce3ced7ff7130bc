//! Agents in one JVM (`peers/jmx/Agents.java`): a foreign subject, if there is a JDK, which runs the program's source.

use std::path::{Path, PathBuf};

use super::child::{ChildProcess, StartError};
use super::find;

/// They listen until this value is dropped.
#[derive(Debug)]
pub struct JavaAgents {
    child: ChildProcess,
    /// The port of each on the loopback.
    pub ports: Vec<u16>,
    /// The JDK.
    pub version: String,
    log: PathBuf,
}

/// A garbage collection, by the JVM's log. Moments are those of the system's monotonic clock, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Its number in the log.
    pub number: u64,
    /// Its beginning.
    pub from: u64,
    /// Its end.
    pub to: u64,
    /// For how long everything else stopped.
    pub stopped: u64,
}

/// How the JVM is started.
#[derive(Debug, Clone, Default)]
pub struct JavaOptions {
    /// Options of the JVM.
    pub options: Vec<String>,
    /// How many agents.
    pub agents: u32,
    /// Megabytes of objects that the garbage collector has to look at.
    pub ballast: u32,
}

impl JavaAgents {
    /// Starts them: with the JDK in `PATH`, else with one below `/usr/lib/jvm`.
    ///
    /// # Errors
    /// There is no JDK, or they do not listen.
    pub fn start(options: &JavaOptions) -> Result<JavaAgents, StartError> {
        let program = java()?;
        let failed = |source| StartError::Start { program: program.clone(), source };
        let directory = crate::leftovers::temporary_folder().map_err(failed)?;
        let source = directory.path().join("Agents.java");
        let log = directory.path().join("collections.log");
        // The clock of System.nanoTime, which is the monotonic one.
        let logging = format!("-Xlog:gc,gc+start,gc+phases:file={}:timenanos:filecount=0", log.display());
        std::fs::write(&source, AGENTS).map_err(failed)?;
        let mut child = ChildProcess::start(&program, directory, |command| {
            command.arg("-Djava.rmi.server.hostname=127.0.0.1").arg(logging);
            command.args(&options.options).arg(source);
            command.args([options.agents, options.ballast].map(|number| number.to_string()));
        })?;
        let ports = child.wait_for(|line| {
            let numbers = line.trim().strip_prefix("ports")?.split_whitespace();
            numbers.map(|number| number.parse().ok()).collect::<Option<Vec<u16>>>()
        })?;
        let version = super::version(&program, "-version");
        Ok(JavaAgents { child, ports, version, log })
    }

    /// All garbage collections so far; `None` if the log cannot be read.
    pub fn collections(&self) -> Option<Vec<Collection>> {
        std::fs::read_to_string(&self.log).ok().map(|text| collections(&text))
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

/// A program `java` beside which there is a compiler, which the program's source needs.
fn java() -> Result<PathBuf, StartError> {
    let homes = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut homes: Vec<PathBuf> = homes.map(|home| home.path().join("bin")).collect();
    homes.sort();
    let has_compiler = |bin: &Path| bin.join("javac").is_file();
    let in_path = find("java", None, &[], &[]).ok().and_then(|java| java.canonicalize().ok());
    let bins = in_path.and_then(|java| java.parent().map(Path::to_owned)).into_iter().chain(homes);
    let java = bins.filter(|bin| has_compiler(bin)).map(|bin| bin.join("java")).find(|java| java.is_file());
    java.ok_or_else(|| StartError::NotFound { program: "a JDK (java with javac beside it)".into() })
}

/// The collections of a log, in the order of their beginnings:
///
/// ```text
/// [120000000ns] GC(7) Pause Full (System.gc())
/// [150000000ns] GC(7) Pause Full (System.gc()) 66M->64M(247M) 30.000ms
/// ```
///
/// Lines of one number are one collection, and each that begins with "Pause" and ends with a time is a stop.
fn collections(text: &str) -> Vec<Collection> {
    let mut all: Vec<Collection> = Vec::new();
    for (at, number, what) in text.lines().filter_map(line) {
        let stop = stop(what).unwrap_or(0);
        let from = at.saturating_sub(stop);
        match all.iter_mut().rev().find(|it| it.number == number) {
            Some(it) => {
                it.from = it.from.min(from);
                it.to = it.to.max(at);
                it.stopped += stop;
            }
            None => all.push(Collection { number, from, to: at, stopped: stop }),
        }
    }
    all
}

/// Moment, number and text of a line.
fn line(line: &str) -> Option<(u64, u64, &str)> {
    let (at, rest) = line.strip_prefix('[')?.split_once("ns]")?;
    let (number, what) = rest.trim_start().strip_prefix("GC(")?.split_once(')')?;
    Some((at.trim().parse().ok()?, number.parse().ok()?, what.trim()))
}

/// How long everything stopped, if a line tells that: `Pause Full (System.gc()) 66M->64M(247M) 30.000ms`, `Y: Pause Mark End 0.010ms`.
fn stop(what: &str) -> Option<u64> {
    // Generations have a letter.
    let what = what.split_once(": ").filter(|(letter, _)| letter.len() == 1).map_or(what, |(_, what)| what);
    let took = what.strip_prefix("Pause")?.rsplit(' ').next()?.strip_suffix("ms")?;
    let ms: f64 = took.parse().ok().filter(|ms: &f64| ms.is_finite() && *ms >= 0.0)?;
    Some((ms * 1e6) as u64)
}

const AGENTS: &str = include_str!("../../../../peers/jmx/Agents.java");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_has_its_lines_and_its_stops() {
        // As JDK 17 and 25 write it: a serial collector, a Z one, and one of generations.
        let text = "[100000000ns] GC(0) Pause Full (System.gc())\n\
                    [130000000ns] GC(0) Pause Full (System.gc()) 66M->64M(247M) 30.000ms\n\
                    [200ns] GC(1) Garbage Collection (System.gc())\n\
                    [300ns] GC(1) Pause Mark Start 0.000ms\n\
                    [400ns] GC(1) Concurrent Mark 9.000ms\n\
                    [9000000ns] GC(1) Y: Pause Mark End 0.002ms\n\
                    [9500000ns] GC(1) Garbage Collection (System.gc()) 68M(1%)->66M(1%)\n\
                    [20000000ns] GC(2) Pause Young (Allocation Failure) 8M->1M(20M) 2.500ms\n";
        let found = collections(text);
        let all = [
            Collection { number: 0, from: 100_000_000, to: 130_000_000, stopped: 30_000_000 },
            Collection { number: 1, from: 200, to: 9_500_000, stopped: 2_000 },
            // Its log begins with its end.
            Collection { number: 2, from: 17_500_000, to: 20_000_000, stopped: 2_500_000 },
        ];
        assert_eq!(found, all);
    }

    #[test]
    fn other_lines_are_none() {
        for text in [
            "",
            "OpenJDK 64-Bit Server VM warning",
            "[5ns] Using Serial",
            "[5ns] GC(x) Pause Full 1ms",
            "[xns] GC(1) Pause",
            "[5ns] GC(1",
            "[18446744073709551616ns] GC(1) Pause Full 1ms",
        ] {
            assert_eq!(collections(text), [], "{text}");
        }
        for text in
            ["Pause", "Pause Full ms", "Pause NaNms", "Pause -1ms", "Concurrent Mark 1.0ms", "Pause infms"]
        {
            assert_eq!(stop(text), None, "{text}");
        }
    }
}
