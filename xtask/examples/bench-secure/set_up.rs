//! Setting up sessions over SSH, compared with OpenSSH's programs.

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use trunkline_lab::conversation::Script;
use trunkline_lab::stage::Stand;
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;

use crate::conversations::{target, tsm, whole};
use crate::report::{Bar, Report, median, ratio};
use crate::{Bench, Failure, Measured};

/// A session with one message compared with `ssh -s 127.0.0.1 snmp` into `sshd`, whose subsystem ends at once.
pub fn measure(bench: &Bench<'_>, report: &mut Report) -> Measured {
    bench.stage.stand(Stand::Beside)?;
    let name = "SSH session set-up with one message, times OpenSSH's ssh into sshd";
    let folder = tempfile::tempdir()?;
    let Some(openssh) = Openssh::start(folder.path())? else {
        report.note("sshd is not installed: its comparison is left out (`apt-get install openssh-server`)");
        return Ok(());
    };
    let ours = target(bench, tsm(Transport::Ssh), Stand::Beside)?;
    let script = Script::Get { name: Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0]), times: 1 };
    let (mut of_ours, mut of_openssh) = (Vec::new(), Vec::new());
    for round in 1..=bench.options.rounds {
        of_ours.push(whole(bench, &ours, &script)?);
        of_openssh.push(openssh.session()?);
        report.progress(name, round, bench.options.rounds);
    }
    let seconds: Vec<f64> = of_ours.iter().map(|took| took.seconds).collect();
    let cpu: Vec<f64> = of_ours.iter().map(|took| took.cpu).collect();
    report.note(format!(
        "{name}: {:.2} ms at {:.0} us of the agent's CPU compared with {:.1} ms. {OPENSSH_SETTINGS}",
        median(&seconds) * 1e3,
        median(&cpu),
        median(&of_openssh) * 1e3
    ));
    report.keep(name, json!({ "ours": seconds, "OpenSSH": of_openssh, "cpu_us": cpu }));
    report.add(name, Bar::AtMost(0.05), &ratio(&seconds, &of_openssh));
    Ok(())
}

/// The settings that make OpenSSH's programs fastest.
const OPENSSH_SETTINGS: &str = "OpenSSH's programs use their fastest algorithms (curve25519-sha256, Ed25519, AES-128-GCM), \
    without PAM, names from DNS, known hosts, compression or a log; the server already listens, the client starts anew.";

/// A server of OpenSSH's with a key for its host and one for its user.
struct Openssh {
    server: Child,
    folder: std::path::PathBuf,
    port: u16,
}

impl Drop for Openssh {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Openssh {
    fn start(folder: &Path) -> Result<Option<Self>, Failure> {
        let sshd = Path::new("/usr/sbin/sshd");
        if !sshd.exists() {
            return Ok(None);
        }
        for name in ["host", "user"] {
            let key = folder.join(name);
            let made =
                Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(key).status()?;
            if !made.success() {
                return Err("ssh-keygen failed".into());
            }
        }
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
        // Needed by sshd if its package has not run its service.
        std::fs::create_dir_all("/run/sshd")?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let shown = folder.display();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {shown}/host\nAuthorizedKeysFile {shown}/user.pub\n\
             PidFile none\nUsePAM no\nUseDNS no\nPrintMotd no\nPrintLastLog no\nLogLevel QUIET\nStrictModes no\n\
             PermitRootLogin yes\nSubsystem snmp /bin/cat\n"
        );
        let file = folder.join("sshd_config");
        std::fs::write(&file, config)?;
        let server = Command::new(sshd)
            .args(["-D", "-f"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let openssh = Openssh { server, folder: folder.to_path_buf(), port };
        openssh.wait()?;
        Ok(Some(openssh))
    }

    fn wait(&self) -> Result<(), Failure> {
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            if std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return Ok(());
            }
            std::thread::yield_now();
        }
        Err("sshd does not listen".into())
    }

    /// Seconds from the program's start to its end, with a subsystem that ends with its input.
    fn session(&self) -> Result<f64, Failure> {
        let begin = Instant::now();
        let status = Command::new("ssh")
            .args(["-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"])
            .args(["-o", "KexAlgorithms=curve25519-sha256", "-o", "Ciphers=aes128-gcm@openssh.com"])
            .args(["-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", "-i"])
            .arg(self.folder.join("user"))
            .args(["-p", &self.port.to_string(), "-s", "127.0.0.1", "snmp"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if status.success() { Ok(begin.elapsed().as_secs_f64()) } else { Err("ssh could not log in".into()) }
    }
}
