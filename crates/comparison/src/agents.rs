//! Two agents with one configuration, each on its own loopback port and with its own state.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use trunkline_client::{Defaults, SessionOptions, SnmpSession, Target};
use trunkline_smi::Oid;

use super::error::CompareError;
use trunkline_netsnmp::source::Lines;
use trunkline_netsnmp::{Surroundings, elsewhere};

/// Directives that would reach outside the comparison: the listeners of the agent that may be running,
/// notification targets, the sockets of subagents; and users to change to.
const LEFT_OUT: &[&str] = &[
    "agentaddress",
    "agentuser",
    "agentgroup",
    "trapsink",
    "trap2sink",
    "informsink",
    "trapsess",
    "monitor",
    "defaultmonitors",
    "linkupdownnotifications",
    "master",
    "agentxsocket",
    "agentxperms",
    "smuxpeer",
    "smuxsocket",
    "leave_pidfile",
];

/// Directives that fix the engine ID, or name it.
const ENGINE: [&str; 4] = ["engineid", "exactengineid", "oldengineid", "usmuser"];

/// The time limit for an agent's first answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often another port is tried.
const ATTEMPTS: usize = 5;

/// The configuration of both, in a folder that goes away with it.
pub(super) struct Prepared {
    folder: PathBuf,
    community: String,
}

/// An agent that answers; ours ends with it if it was started here.
pub(super) struct Subject {
    /// How to reach it.
    pub target: Target,
    child: Option<Child>,
}

impl Subject {
    /// An agent that is already running.
    pub fn running(target: Target) -> Self {
        Subject { target, child: None }
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Prepared {
    /// Writes all effective directives into one file, with a community that only both agents know. Other agents and
    /// programs are not asked for what is ignored.
    pub fn new(lines: &Lines, ignored: &[Oid]) -> Result<Self, CompareError> {
        let system = |doing| move |source| CompareError::System { doing, source };
        let community = format!("compare-{:016x}", random()?);
        let folder = std::env::temp_dir().join(format!("trunklined-{:016x}", random()?));
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(system("make a folder for the comparison"))?;
        let prepared = Prepared { folder, community };
        let is_ignored = |subtree: Oid| ignored.iter().any(|ignored| subtree.starts_with(ignored));
        let mut text = String::new();
        for directive in &lines.directives {
            let is_left_out = LEFT_OUT.contains(&directive.name.to_ascii_lowercase().as_str());
            if !is_left_out && !elsewhere::subtree(directive).is_some_and(is_ignored) {
                text.push_str(&format!("[{}] {} {}\n", directive.section, directive.name, directive.rest));
            }
        }
        let is_engine = |directive: &trunkline_netsnmp::source::Directive| {
            ENGINE.contains(&directive.name.to_ascii_lowercase().as_str())
        };
        // Tables of users begin with the engine ID: without one in the files both get the same.
        if !lines.directives.iter().any(is_engine) {
            text.push_str(&format!("exactEngineID 0x80001f8804{:016x}\n", random()?));
        }
        text.push_str(&format!("rocommunity {} 127.0.0.1\n", prepared.community));
        prepared.write("snmpd.conf", &text)?;
        Ok(prepared)
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, CompareError> {
        let path = self.folder.join(name);
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(&path);
        file.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes())).map_err(
            |source| CompareError::System { doing: "write a configuration for the comparison", source },
        )?;
        Ok(path)
    }

    fn target(&self, port: u16) -> Result<Target, CompareError> {
        let text = format!("snmp://{}@127.0.0.1:{port}", self.community);
        Target::parse(&text, &Defaults::default())
            .map_err(|source| CompareError::Url { url: "loopback", source })
    }

    /// Starts Net-SNMP's agent; if the port is taken it exits, and another port is tried. Not that of our agent, which
    /// would answer in its place until then.
    pub async fn start_theirs(&self, program: &Path, ours: u16) -> Result<Subject, CompareError> {
        let mut why = String::new();
        for _ in 0..ATTEMPTS {
            let port = match 20_000 + (random()? % 40_000) as u16 {
                port if port == ours => port + 1,
                port => port,
            };
            let mut command = Command::new(program);
            command.args(["-f", "-Le", "-r", "-C", "-c"]).arg(self.folder.join("snmpd.conf"));
            command.arg(format!("udp:127.0.0.1:{port}")).env("MIBS", "");
            command.env("SNMP_PERSISTENT_DIR", self.folder.join("theirs"));
            let log = self.folder.join("theirs.log");
            let file = fs::File::create(&log)
                .map_err(|source| CompareError::System { doing: "write a log for the comparison", source })?;
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
            let child = command.spawn().map_err(|error| CompareError::Start {
                agent: program.display().to_string(),
                why: error.to_string(),
            })?;
            let mut subject = Subject { target: self.target(port)?, child: Some(child) };
            if answers(&mut subject).await {
                return Ok(subject);
            }
            why = fs::read_to_string(&log).unwrap_or_default();
        }
        Err(CompareError::Start { agent: program.display().to_string(), why: last_lines(&why) })
    }

    /// Starts this program with what the import makes of the same file.
    pub async fn start_ours(&self) -> Result<Subject, CompareError> {
        let surroundings = Surroundings {
            resolve: &trunkline_netsnmp::resolve,
            extra: Vec::new(),
            listen: vec!["udp:127.0.0.1:0".into()],
            title: "For a comparison.".into(),
        };
        let imported = trunkline_netsnmp::import(&[self.folder.join("snmpd.conf")], &surroundings)?;
        let config = self.write("trunklined.toml", &imported.toml)?;
        let state = self.folder.join("ours");
        let program = std::env::current_exe()
            .map_err(|source| CompareError::System { doing: "find this program", source })?;
        let mut command = Command::new(program);
        command.arg("--config").arg(config).env("STATE_DIRECTORY", state);
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = spawned
            .map_err(|error| CompareError::Start { agent: "trunklined".into(), why: error.to_string() })?;
        let words = child.stderr.take();
        let mut subject = Subject { target: self.target(161)?, child: Some(child) };
        let silent = || CompareError::Start { agent: "trunklined".into(), why: "it has no stderr".into() };
        let mut lines = BufReader::new(words.ok_or_else(silent)?);
        let mut said = String::new();
        loop {
            let mut line = String::new();
            let count = lines.read_line(&mut line).unwrap_or(0);
            if count == 0 {
                return Err(CompareError::Start { agent: "trunklined".into(), why: last_lines(&said) });
            }
            if let Some(port) =
                line.trim().strip_prefix("listening udp://127.0.0.1:").and_then(|port| port.parse().ok())
            {
                subject.target = self.target(port)?;
                break;
            }
            said.push_str(&line);
        }
        // Its further output is read and discarded, so that it never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        match answers(&mut subject).await {
            true => Ok(subject),
            false => Err(CompareError::Start { agent: "trunklined".into(), why: last_lines(&said) }),
        }
    }
}

/// Whether the agent answers before it ends, in time.
async fn answers(subject: &mut Subject) -> bool {
    let begin = Instant::now();
    let options = SessionOptions::default().with_timeout(Duration::from_millis(200)).with_retries(0);
    let up_time = Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]);
    while begin.elapsed() < PATIENCE {
        if subject.child.as_mut().is_some_and(|child| !matches!(child.try_wait(), Ok(None))) {
            return false;
        }
        let Ok(session) = SnmpSession::open(&subject.target, options).await else { return false };
        if session.get(std::slice::from_ref(&up_time)).await.is_ok() {
            // Somebody else may have the port; then the agent has just ended.
            return subject.child.as_mut().is_none_or(|child| matches!(child.try_wait(), Ok(None)));
        }
        // A port without a listener refuses at once.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(3);
    if lines.is_empty() { "no output".into() } else { lines[from..].join("; ") }
}

fn random() -> Result<u64, CompareError> {
    let mut octets = [0; 8];
    rustix::rand::getrandom(&mut octets, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| CompareError::System { doing: "get a random number", source: error.into() })?;
    Ok(u64::from_ne_bytes(octets))
}
