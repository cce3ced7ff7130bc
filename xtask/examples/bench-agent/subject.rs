//! What is measured: agents and the echo server as child processes, and the
//! kernel's accounts of them.
//!
//! `setpriv --pdeathsig` makes each end with this process, however that ends.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use trunkline_lab::meter::cpu::CpuMeter;
use trunkline_lab::meter::memory;
use trunkline_transport::echo::Echo;
use trunkline_transport::udp::UdpOptions;

use crate::Options;
use crate::exchange::{self, SYS_UP_TIME};
use crate::secure::{PASSWORD, USER};

/// A server under measurement; it ends when this is dropped.
pub struct Subject {
    child: Child,
    address: SocketAddr,
    folder: PathBuf,
}

/// How long a server may take until it answers: thousands of interfaces take a while to be read.
const START: Duration = Duration::from_secs(60);

/// The settings that make `snmpd` fastest, for the reader.
pub const SNMPD_SETTINGS: &str = "snmpd runs as Debian's service does, at its best: no log line for a message, without the \
    modules smux, mteTrigger and mteTriggerConf, without MIB files, GetBulk unlimited; its log goes to a file.";

/// Where `snmpd` listens: the namespace is ours alone.
const SNMPD_PORT: u16 = 1162;

impl Subject {
    /// Our agent, as built for release, with both of its default listeners.
    pub fn ours(options: &Options) -> io::Result<Self> {
        Self::ours_with(options, "")
    }

    /// The same with more in its configuration.
    pub fn ours_with(options: &Options, more: &str) -> io::Result<Self> {
        // Beside one without it: no two agents may use one state directory.
        let name = if more.is_empty() { "trunklined" } else { "configured" };
        Self::trunklined(options, &options.agent, name, more)
    }

    /// The build to compare with, if one was given.
    pub fn other(options: &Options) -> io::Result<Option<Self>> {
        options
            .against
            .as_deref()
            .map(|program| Self::trunklined(options, program, "against", ""))
            .transpose()
    }

    fn trunklined(options: &Options, program: &Path, name: &str, more: &str) -> io::Result<Self> {
        let folder = folder(options, name)?;
        let config = folder.join("trunklined.toml");
        let text = format!(
            "[agent]\nstate = {:?}\n[snmp]\nlisten = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]\n\
             [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
             [[role]]\nname = \"reader\"\nread = [\"1\"]\nlevel = \"authPriv\"\n\
             [[snmp.user]]\nname = \"{USER}\"\nauth = \"SHA-256\"\npriv = \"AES\"\npassword = \"{PASSWORD}\"\n\
             role = \"reader\"\n{more}",
            folder.display().to_string()
        );
        fs::write(&config, text)?;
        let mut program = owned(program);
        program.arg("--config").arg(config);
        Self::listening(program, folder)
    }

    /// Net-SNMP's agent, or nothing where it is not installed.
    pub fn snmpd(options: &Options) -> io::Result<Option<Self>> {
        Self::snmpd_with(options, "")
    }

    /// The same with more directives.
    pub fn snmpd_with(options: &Options, more: &str) -> io::Result<Option<Self>> {
        let Some(program) = &options.snmpd else { return Ok(None) };
        let folder = folder(options, "snmpd")?;
        let config = folder.join("snmpd.conf");
        let user = format!("createUser {USER} SHA-256 {PASSWORD} AES {PASSWORD}\nrouser {USER} priv\n");
        // As Debian's service runs it: without a line of its log for every message, and without these modules.
        let quiet = "dontLogTCPWrappersConnects yes\n";
        fs::write(&config, format!("{user}{quiet}rocommunity public\nmaxGetbulkResponses -1\n{more}"))?;
        let address = SocketAddr::from(([127, 0, 0, 1], SNMPD_PORT));
        let mut snmpd = owned(program);
        snmpd
            .args(["-f", "-r", "-C", "-I", "-smux,mteTrigger,mteTriggerConf", "-c"])
            .arg(config)
            .arg("-Lf")
            .arg(folder.join("log"));
        snmpd.arg("-p").arg(folder.join("pid")).arg(format!("udp:{address}"));
        snmpd.env("SNMP_PERSISTENT_DIR", &folder).env("SNMPCONFPATH", &folder).env("MIBS", "");
        let child = snmpd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let subject = Self { child, address, folder };
        subject.await_answer()?;
        Ok(Some(subject))
    }

    /// The echo server: this program again, answering with `reply_len` octets.
    pub fn echo(options: &Options, reply_len: usize) -> io::Result<Self> {
        let folder = folder(options, "echo")?;
        let mut program = owned(&std::env::current_exe()?);
        program.args(["--echo", &reply_len.to_string()]);
        Self::listening(program, folder)
    }

    /// The relay to a subagent that connects to a socket: this program again, answering with `reply_len` octets.
    pub fn relay(options: &Options, socket: &Path, reply_len: usize) -> io::Result<Self> {
        let folder = folder(options, "relay")?;
        let mut program = owned(&std::env::current_exe()?);
        program.args(["--echo", &reply_len.to_string()]).arg("--relay").arg(socket);
        Self::listening(program, folder)
    }

    /// The subagent of this program, registered with the master on a socket.
    pub fn subagent(options: &Options, socket: &Path) -> io::Result<Self> {
        let folder = folder(options, "subagent")?;
        let mut program = owned(&std::env::current_exe()?);
        program.arg("--subagent").arg(socket);
        Self::listening(program, folder)
    }

    /// The subagent made with Net-SNMP's library, `peers/agentx`.
    pub fn subagent_of_the_library(
        options: &Options,
        program: &Path,
        socket: &Path,
        root: &[u32],
        rows: u32,
    ) -> io::Result<Self> {
        let folder = folder(options, "library")?;
        let root: Vec<String> = root.iter().map(u32::to_string).collect();
        let mut command = owned(program);
        command.arg(socket).args(["benchmark", &root.join("."), &rows.to_string()]);
        // It ends at the end of its standard input, which stays open as long as this.
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        Ok(Self { child, address, folder })
    }

    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// CPU time of all its threads so far, in nanoseconds, as the scheduler accounts it.
    pub fn cpu_ns(&self) -> io::Result<u64> {
        CpuMeter::new(self.child.id())?.read()
    }

    /// Resident memory, in octets.
    pub fn resident(&self) -> io::Result<u64> {
        Ok(memory::read(self.child.id())?.rss)
    }

    /// The most memory that was resident so far, in octets.
    pub fn most_resident(&self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibi: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        kibi.map(|kibi| kibi * 1024).ok_or_else(|| io::Error::other("no VmHWM"))
    }

    /// Starts a server that says `listening udp://ADDRESS` on standard error.
    fn listening(mut program: Command, folder: PathBuf) -> io::Result<Self> {
        let mut child = program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let log = folder.join("log");
        let found = match child.stderr.take() {
            Some(stderr) => listener(stderr, &log),
            None => Err(io::Error::other("no standard error")),
        };
        let placeholder = SocketAddr::from(([127, 0, 0, 1], 0));
        // Made before the error is looked at, so that the child is ended in any case.
        let mut subject = Self { child, address: placeholder, folder };
        subject.address = found?;
        Ok(subject)
    }

    fn await_answer(&self) -> io::Result<()> {
        let start = Instant::now();
        loop {
            match exchange::get(self.address, &SYS_UP_TIME) {
                Ok(_) => return Ok(()),
                Err(error) if start.elapsed() > START => return Err(error),
                // A refused datagram comes back at once; this is the pace of asking again.
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone after this.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A folder of this run for what a subject writes.
fn folder(options: &Options, name: &str) -> io::Result<PathBuf> {
    let folder = options.folder.join(format!("{name}-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A command whose process ends when this one does.
pub fn owned(program: &Path) -> Command {
    let mut setpriv = Command::new("setpriv");
    setpriv.args(["--pdeathsig", "KILL", "--"]).arg(program);
    setpriv
}

/// Reads until the line that names the UDP listener; what comes later goes to the log.
fn listener(stderr: ChildStderr, log: &Path) -> io::Result<SocketAddr> {
    let mut lines = BufReader::new(stderr).lines();
    let mut said = String::new();
    for line in lines.by_ref() {
        let line = line?;
        if let Some(address) = line.trim().strip_prefix("listening udp://") {
            let address = address.parse().map_err(|error| io::Error::other(format!("{line}: {error}")))?;
            let mut log = File::create(log)?;
            std::thread::spawn(move || {
                for line in lines.map_while(Result::ok) {
                    let _ = writeln!(log, "{line}");
                }
            });
            return Ok(address);
        }
        said.push_str(&line);
        said.push('\n');
    }
    Err(io::Error::other(format!("ended before it listened: {said}")))
}

/// Runs the echo server until the process is ended.
pub fn echo(reply_len: usize) -> Result<(), Box<dyn Error>> {
    let echo = Echo::bind(SocketAddr::from(([127, 0, 0, 1], 0)), &UdpOptions::default())?;
    eprintln!("listening udp://{}", echo.local_addr());
    Ok(echo.run(reply_len)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_accounts_of_this_process_are_read() {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let subject = Subject { child, address, folder: PathBuf::from("/nonexistent") };
        assert!(subject.resident().unwrap() > 0);
        assert!(subject.cpu_ns().is_ok());
    }
}
