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
        std::fs::write(&source, AGENTS).map_err(failed)?;
        let mut child = ChildProcess::start(&program, directory, |command| {
            command.arg("-Djava.rmi.server.hostname=127.0.0.1").args(&options.options).arg(source);
            command.args([options.agents, options.ballast].map(|number| number.to_string()));
        })?;
        let ports = child.wait_for(|line| {
            let numbers = line.trim().strip_prefix("ports")?.split_whitespace();
            numbers.map(|number| number.parse().ok()).collect::<Option<Vec<u16>>>()
        })?;
        let version = super::version(&program, "-version");
        Ok(JavaAgents { child, ports, version })
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

const AGENTS: &str = include_str!("../../../../peers/jmx/Agents.java");
