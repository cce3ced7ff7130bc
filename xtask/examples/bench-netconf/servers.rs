//! The servers, as child processes that end with this one.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use trunkline_lab::meter::cpu::CpuMeter;
use trunkline_transport::dial;
use trunkline_transport::ssh::{HostKeys, HostTrust, Identity, PasswordHash, SshClient, SshOptions};

use crate::session::{Session, Wire};
use crate::{Failure, Options};

/// Who may read and write everything.
pub const USER: &str = "max";
/// Their password, and that of all others.
pub const PASSWORD: &str = "maple syrup";

/// How long netconfd is given for a hello.
const TAKES_HELLO: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(60);

/// A server; it ends when this is dropped.
pub struct Server {
    child: Child,
    /// Where it is reached over SSH, and its host keys.
    ssh: Option<(SocketAddr, Vec<String>)>,
    /// Where it is reached over plain TCP.
    tcp: Option<SocketAddr>,
    folder: TempDir,
}

impl Server {
    /// Our agent with NETCONF over SSH and through the subsystem's socket; `more` is added to its configuration.
    pub fn ours(options: &Options, more: &str) -> Result<Server, Failure> {
        let folder = TempDir::new()?;
        let config = folder.path().join("trunklined.toml");
        let hash = PasswordHash::make(&PASSWORD.into())?.to_phc();
        let text = format!(
            "[agent]\nstate = {state:?}\n[netconf]\nlisten = [\"ssh://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]\n\
             community = \"bench\"\n[snmp]\nlisten = []\n[[snmp.community]]\nname = \"bench\"\nrole = \"all\"\n\
             [snmp.tcp]\nmax-connections = 20000\nmax-connections-per-peer = 20000\n\
             [snmp.ssh]\nsubsystem-socket = {socket:?}\n\
             [[role]]\nname = \"all\"\nread = [\"1\"]\nwrite = [\"1\"]\n\
             [[snmp.principal]]\nname = \"{USER}\"\nrole = \"all\"\npassword-hash = {hash:?}\n\
             [[snmp.principal]]\nname = \"root\"\nrole = \"all\"\npassword-hash = {hash:?}\n{more}",
            state = folder.path().join("state").display().to_string(),
            socket = folder.path().join("subsystem.sock").display().to_string(),
            more = more.replace("HASH", &format!("{hash:?}")),
        );
        fs::write(&config, text)?;
        let mut agent = owned(&options.agent);
        agent.arg("--config").arg(&config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut server = Server { child: agent.spawn()?, ssh: None, tcp: None, folder };
        let stderr = server.child.stderr.take().ok_or("no standard error")?;
        let ended = |said| format!("the agent ended before it listened: {said}");
        let (found, said) = lines_with(BufReader::new(stderr), ["listening ssh://", "listening tcp://"]);
        let [ssh, tcp] = found.ok_or_else(|| ended(said))?;
        let address = ssh.parse()?;
        server.tcp = Some(tcp.parse()?);
        let key = server.folder.path().join("state/ssh_host_key");
        server.ssh = Some((address, HostKeys::load(&key)?.fingerprints()));
        Ok(server)
    }

    /// This program again, which answers with so many octets.
    pub fn echo(octets: usize) -> Result<Server, Failure> {
        let mut echo = owned(&std::env::current_exe()?);
        echo.args(["--echo", &octets.to_string()]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut server = Server { child: echo.spawn()?, ssh: None, tcp: None, folder: TempDir::new()? };
        let stdout = server.child.stdout.take().ok_or("no standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let address = words.next().ok_or("the echo server does not listen")?.parse()?;
        server.ssh = Some((address, words.map(str::to_owned).collect()));
        Ok(server)
    }

    /// Debian's netconfd at its best: without a log line for a message, access control, or a startup file; changes go to
    /// running at once.
    pub fn netconfd() -> Result<Option<Server>, Failure> {
        let program = Path::new("/usr/sbin/netconfd");
        if !program.exists() {
            return Ok(None);
        }
        let folder = TempDir::new()?;
        let mut netconfd = owned(program);
        netconfd
            .args(["--superuser=root", "--no-startup", "--target=running", "--module=ietf-interfaces"])
            .args(["--module=iana-if-type", "--access-control=off", "--log-level=info", "--port=830"])
            .arg(format!("--ncxserver-sockname={}", folder.path().join("netconfd.sock").display()))
            .env("HOME", folder.path())
            .current_dir(folder.path());
        netconfd.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Server { child: netconfd.spawn()?, ssh: None, tcp: None, folder };
        let stdout = server.child.stdout.take().ok_or("no standard output")?;
        let (found, said) = line_with(BufReader::new(stdout), "Running netconfd server");
        found.ok_or_else(|| format!("netconfd ended before it ran: {said}"))?;
        Ok(Some(server))
    }

    /// A session over SSH.
    pub fn over_ssh(&self, user: &str) -> Result<Session, Failure> {
        let (address, keys) = self.ssh.as_ref().ok_or("this server has no SSH")?;
        let client = SshClient {
            user: user.into(),
            identities: vec![Identity::Password(PASSWORD.into())],
            hosts: HostTrust::Fingerprints(keys.clone()),
            options: SshOptions::default(),
        };
        let runtime = Wire::runtime()?;
        let (stream, _) = runtime.block_on(dial::ssh(&[*address], &client, "server", "netconf", PATIENCE))?;
        Session::open(Wire::Ssh(runtime, Some(Box::new(stream))))
    }

    /// A session on the pipes of our subsystem, as OpenSSH's server would start it.
    pub fn on_our_pipes(&self, options: &Options) -> Result<Session, Failure> {
        let mut subsystem = owned(&options.agent);
        subsystem.args(["subsystem", "netconf", "--socket"]).arg(self.folder.path().join("subsystem.sock"));
        on_pipes(subsystem)
    }

    /// A session on the pipes of netconfd's subsystem.
    pub fn on_its_pipes(&self) -> Result<Session, Failure> {
        let mut subsystem = owned(Path::new("/usr/sbin/netconf-subsystem"));
        let socket = self.folder.path().join("netconfd.sock");
        subsystem.arg(format!("--ncxserver-sockname=830@{}", socket.display()));
        subsystem.env("SSH_CONNECTION", "127.0.0.1 1111 127.0.0.1 830").env("USER", "root");
        let session = on_pipes(subsystem)?;
        // It loses a request that it reads together with our hello, and says nothing when it has read that.
        std::thread::sleep(TAKES_HELLO);
        Ok(session)
    }

    /// Where it is reached over plain TCP.
    pub fn tcp(&self) -> Result<SocketAddr, Failure> {
        self.tcp.ok_or_else(|| "this server has no plain TCP".into())
    }

    /// Its processor time so far, nanoseconds.
    pub fn cpu_ns(&self) -> Result<u64, Failure> {
        Ok(CpuMeter::new(self.child.id())?.read()?)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn on_pipes(mut subsystem: Command) -> Result<Session, Failure> {
    let mut child =
        subsystem.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take());
    let (Some(input), Some(output)) = pipes else { return Err("no pipes".into()) };
    Session::open(Wire::Pipes(child, input, output))
}

/// A command whose process ends when this one does.
fn owned(program: &Path) -> Command {
    let mut setpriv = Command::new("setpriv");
    setpriv.args(["--pdeathsig", "KILL", "--"]).arg(program);
    setpriv
}

/// What follows these words on the first line that has them, or everything that was said instead; the rest is read and dropped.
fn line_with(log: impl BufRead + Send + 'static, words: &str) -> (Option<String>, String) {
    let (found, said) = lines_with(log, [words]);
    (found.map(|[line]| line), said)
}

/// The same of several words, in any order.
fn lines_with<const N: usize>(
    log: impl BufRead + Send + 'static,
    words: [&str; N],
) -> (Option<[String; N]>, String) {
    let mut lines = log.lines().map_while(Result::ok);
    let (mut said, mut found) = (String::new(), words.map(|_| None));
    for line in lines.by_ref() {
        for (words, found) in words.iter().zip(&mut found) {
            if let Some((_, rest)) = line.split_once(words) {
                *found = Some(rest.trim().to_owned());
            }
        }
        if found.iter().all(Option::is_some) {
            std::thread::spawn(move || lines.for_each(drop));
            return (Some(found.map(Option::unwrap_or_default)), said);
        }
        said.push_str(&line);
        said.push('\n');
    }
    (None, said)
}
