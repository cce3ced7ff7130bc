//! Runs one command line twice, by Net-SNMP's tool and by ours, and compares.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use trunkline_testkit::has;

use crate::support::{Snmpd, texts};

/// Where a command line is run.
pub struct Pair<'a> {
    /// The replacement for `@` in a command line.
    pub agent: &'a str,
    /// Variables besides those that hide the machine's own settings.
    pub variables: Vec<(&'static str, String)>,
    /// Whether the standard errors must be equal, too (up to the usage).
    pub compares_words: bool,
}

/// What a run gave.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub out: String,
    /// Up to the usage.
    pub words: String,
    /// Whether there was a usage.
    pub usage: bool,
    pub status: Option<i32>,
}

impl<'a> Pair<'a> {
    /// Without MIB texts: names are numbers.
    pub fn numbers(agent: &'a str) -> Self {
        Pair { agent, variables: vec![("MIBS", String::new())], compares_words: true }
    }

    /// With the texts of all built-in modules, for both.
    pub fn names(agent: &'a str) -> Self {
        let folder = mibs().to_str().unwrap().to_owned();
        let variables = vec![("MIBS", "ALL".to_owned()), ("MIBDIRS", folder)];
        Pair { agent, variables, compares_words: true }
    }

    /// The same, but standard error may differ.
    pub fn with_any_stderr(self) -> Self {
        Pair { compares_words: false, ..self }
    }

    /// The same with another variable.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Both must do the same.
    #[track_caller]
    pub fn equal(&self, lines: &[&str]) {
        for line in lines {
            // What changes from one moment to the next differs once, but not thrice.
            let mut last = None;
            for _ in 0..3 {
                let (theirs, ours) = self.both(line);
                last = (theirs != ours).then_some((theirs, ours));
                if last.is_none() {
                    break;
                }
            }
            if let Some((theirs, ours)) = last {
                let difference = difference(&theirs, &ours);
                panic!("{line}\n--- Net-SNMP\n{theirs:#?}\n--- ours\n{ours:#?}\n{difference}");
            }
        }
    }

    /// What both do.
    pub fn both(&self, line: &str) -> (Ran, Ran) {
        (self.theirs(line), self.ours(line))
    }

    /// What Net-SNMP's does.
    pub fn theirs(&self, line: &str) -> Ran {
        let words = self.words(line);
        let (tool, rest) = words.split_first().unwrap();
        // Some of its messages start with the name that it was called by.
        self.ran(Command::new(Path::new("/usr/bin").join(tool)).arg0(tool).args(rest))
    }

    /// The same with this standard input; what both do.
    pub fn both_fed(&self, line: &str, input: &str) -> (Ran, Ran) {
        let words = self.words(line);
        let (tool, rest) = words.split_first().unwrap();
        let theirs = Path::new("/usr/bin").join(tool);
        let [theirs, ours] = [theirs, links().join(tool)].map(|program| {
            let mut command = Command::new(program);
            command.arg0(tool).args(rest);
            let output = fed(self.prepared(&mut command), input);
            Ran::of(&output, self.compares_words)
        });
        (theirs, ours)
    }

    /// What ours does with this standard input.
    pub fn ours_fed(&self, line: &str, input: &str) -> Ran {
        let words = self.words(line);
        let (tool, rest) = words.split_first().unwrap();
        let mut command = Command::new(links().join(tool));
        Ran::of(&fed(self.prepared(command.args(rest)), input), true)
    }

    /// What ours does.
    pub fn ours(&self, line: &str) -> Ran {
        let words = self.words(line);
        let (tool, rest) = words.split_first().unwrap();
        self.ran(Command::new(links().join(tool)).args(rest))
    }

    fn words(&self, line: &str) -> Vec<String> {
        split(line).into_iter().map(|word| if word == "@" { self.agent.to_owned() } else { word }).collect()
    }

    fn ran(&self, command: &mut Command) -> Ran {
        // Net-SNMP keeps its engine ID there, and creates what is missing, independently of earlier runs.
        let kept = tempfile::tempdir().unwrap();
        std::fs::create_dir(kept.path().join("cert_indexes")).unwrap();
        command.env("SNMP_PERSISTENT_DIR", kept.path());
        Ran::of(&self.prepared(command).output().unwrap(), self.compares_words)
    }

    fn prepared<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env_remove("MIBS")
            .env_remove("MIBDIRS")
            .env("HOME", "/nonexistent")
            .env("SNMPCONFPATH", "/nonexistent")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
    }
}

impl Ran {
    fn of(output: &Output, with_words: bool) -> Self {
        let (out, err) = texts(output);
        let (words, usage) = match err.split_once("USAGE: ") {
            Some((words, _)) => (words.to_owned(), true),
            None => (err, false),
        };
        // Net-SNMP's library stumbles now and then over its own engine ID.
        let is_noise = |line: &&str| line.starts_with("buffer too small to read octet string");
        let words = words.split_inclusive('\n').filter(|line| !is_noise(line)).collect();
        let words = if with_words { words } else { String::new() };
        Ran { out, words, usage, status: output.status.code() }
    }
}

/// Runs a command with this standard input.
fn fed(command: &mut Command, input: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that ends at once reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn difference(theirs: &Ran, ours: &Ran) -> String {
    let lines = theirs.out.lines().zip(ours.out.lines()).filter(|(theirs, ours)| theirs != ours).take(5);
    lines.map(|(theirs, ours)| format!("< {theirs}\n> {ours}\n")).collect()
}

/// Words separated by white space; text in single quotes is one word.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut began) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, began) = (!quoted, true),
            ' ' if !quoted => {
                if std::mem::take(&mut began) {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => {
                word.push(c);
                began = true;
            }
        }
    }
    if began {
        words.push(word);
    }
    words
}

/// An agent to ask; nothing where Net-SNMP is not installed.
pub fn snmpd(more: &str) -> Option<Snmpd> {
    Snmpd::start(more).filter(|_| has("snmpget", "snmp"))
}

/// A folder with a link for each name. It is kept for the next run, which may be in progress concurrently.
pub fn links() -> &'static Path {
    static LINKS: OnceLock<PathBuf> = OnceLock::new();
    LINKS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("net-snmp-names");
        let program = Path::new(env!("CARGO_BIN_EXE_trunkline"));
        if !std::fs::read_link(folder.join("snmptest")).is_ok_and(|target| target == program) {
            let words = ["install-names", "--program", program.to_str().unwrap()];
            let made = crate::support::trunkline(&words).arg(&folder).output().unwrap();
            assert!(made.status.success(), "{}", texts(&made).1);
        }
        folder
    })
}

/// A folder with the texts of all built-in modules, and of those that they import from. It is kept, as the links
/// are.
pub fn mibs() -> &'static Path {
    static MIBS: OnceLock<PathBuf> = OnceLock::new();
    MIBS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("net-snmp-mibs");
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &[u8]| {
            let file = folder.join(format!("{name}.txt"));
            if !std::fs::read(&file).is_ok_and(|before| before == text) {
                std::fs::write(file, text).unwrap();
            }
        };
        for (name, text) in trunkline_mib::render_all() {
            write(name, text.as_bytes());
        }
        let probe = "PROBE DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI DisplayString FROM SNMPv2-TC \
                     snmpUDPDomain FROM SNMPv2-TM OBJECT-GROUP FROM SNMPv2-CONF; END";
        let mib = mib_rs::Loader::new().source(mib_rs::source::memory("PROBE", probe)).load().unwrap();
        for name in ["SNMPv2-SMI", "SNMPv2-TC", "SNMPv2-CONF", "SNMPv2-TM"] {
            if let Some(source) = mib.module(name).and_then(|module| module.source()) {
                write(name, source.bytes());
            }
        }
        folder
    })
}
