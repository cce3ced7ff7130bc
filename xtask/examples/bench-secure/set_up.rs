//! Setting up sessions: ours over SSH compared with OpenSSH's programs, and resumed TLS with full TLS.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use trunkline_client::tls::{Identity, ServerIdentity, TlsClient, TlsClientConfig, Trust};
use trunkline_lab::conversation::Script;
use trunkline_lab::stage::{Role, Stand};
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;
use trunkline_transport::dial;

use crate::conversations::{target, tsm, whole};
use crate::report::{Bar, Report};
use crate::{Bench, Measured, median};

/// Both comparisons, over loopback.
pub fn measure(bench: &Bench<'_>, report: &mut Report) -> Measured {
    bench.stage.stand(Stand::Beside)?;
    beside_openssh(bench, report)?;
    resumed(bench, report)
}

/// A session with one message compared with `ssh -s 127.0.0.1 snmp` into `sshd`, whose subsystem ends at once.
fn beside_openssh(bench: &Bench<'_>, report: &mut Report) -> Measured {
    let name = "SSH session set-up with one message, times OpenSSH's ssh into sshd";
    let folder = tempfile::tempdir()?;
    let Some(openssh) = Openssh::start(folder.path())? else {
        report.note("sshd is not installed: its comparison is left out (`apt-get install openssh-server`)");
        return Ok(());
    };
    let ours = target(bench, tsm(Transport::Ssh), Stand::Beside)?;
    let script = Script::Get { name: Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0]), times: 1 };
    let mut ratios = Vec::new();
    for _ in 0..bench.options.rounds {
        let ours = whole(bench, &ours, &script)?;
        ratios.push(ours / openssh.session()?);
    }
    report.keep(name, json!(ratios));
    report.add(name, "", Bar::AtMost(0.05), median(&ratios));
    Ok(())
}

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
    fn start(folder: &Path) -> Result<Option<Self>, Box<dyn Error>> {
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
             PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nSubsystem snmp /bin/cat\n"
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

    fn wait(&self) -> Result<(), Box<dyn Error>> {
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
    fn session(&self) -> Result<f64, Box<dyn Error>> {
        let begin = Instant::now();
        let status = Command::new("ssh")
            .args(["-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"])
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

/// A resumed handshake compared with a full one: connection, handshake, and the round trip after which a ticket
/// has arrived.
fn resumed(bench: &Bench<'_>, report: &mut Report) -> Measured {
    let agent = bench.stage.agent(Role::Shipped).ok_or("there is no agent")?;
    let port = agent.port(Transport::Tls).ok_or("the agent does not listen on TLS")?;
    let address: SocketAddr = (Ipv4Addr::LOCALHOST, port).into();
    let clients = [false, true].map(|resume| client(bench, resume));
    let [full, resuming] = clients;
    let (full, resuming) = (full?, resuming?);
    let mut ratios = Vec::new();
    for round in 0..=bench.options.rounds {
        let [full, again] = [&full, &resuming].map(|client| bench.runtime.block_on(session(client, address)));
        let ((full, _), (again, is_resumed)) = (full?, again?);
        // The first one of those that resume has nothing to resume.
        if round > 0 {
            if !is_resumed {
                return Err("the agent did not resume a TLS session".into());
            }
            ratios.push(again / full);
        }
    }
    let name = "TLS set-up resumed, times anew";
    report.keep(name, json!(ratios));
    report.add(name, "", Bar::AtMost(0.5), median(&ratios));
    Ok(())
}

fn client(bench: &Bench<'_>, resume: bool) -> Result<TlsClient, Box<dyn Error>> {
    let file = |name: &str| bench.stage.keyring().path(name);
    let identity = Identity::from_files(&file("manager.pem"), &file("manager.key"))?;
    let trust = Trust::builder().authorities_file(&file("ca.pem"))?.build();
    let mut config = TlsClientConfig::new(Some(Arc::new(identity)), Arc::new(trust));
    config.resume = resume;
    Ok(TlsClient::new(&config)?)
}

/// Seconds of connection and handshake; whether it was resumed. A message and its answer follow, uncounted: with them
/// come the tickets of TLS 1.3.
async fn session(client: &TlsClient, address: SocketAddr) -> Result<(f64, bool), Box<dyn Error>> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let begin = Instant::now();
    let server = ServerIdentity::Name("127.0.0.1".into());
    let (mut stream, _) = dial::tls(&[address], client, &server, Duration::from_secs(5)).await?;
    let elapsed = begin.elapsed().as_secs_f64();
    let is_resumed = stream.is_resumed();
    stream.write_all(&GET).await?;
    stream.flush().await?;
    let mut answer = [0; 512];
    let _ = stream.read(&mut answer).await?;
    stream.shutdown().await?;
    Ok((elapsed, is_resumed))
}

/// Get of sysName.0 in SNMPv2c, of the community `public`.
const GET: [u8; 43] = [
    0x30, 0x29, 2, 1, 1, 4, 6, b'p', b'u', b'b', b'l', b'i', b'c', 0xa0, 0x1c, 2, 4, 0x12, 0x34, 0x56, 0x78,
    2, 1, 0, 2, 1, 0, 0x30, 0x0e, 0x30, 0x0c, 6, 8, 0x2b, 6, 1, 2, 1, 1, 5, 0, 5, 0,
];
