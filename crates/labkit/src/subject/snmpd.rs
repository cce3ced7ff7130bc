//! Net-SNMP's `snmpd` as a subject, with a separate configuration that isolates it from the host's.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::Path;

use super::child::{ChildProcess, StartError};
use super::{COMMUNITY, Subject, SubjectKind, find, target, version};
use crate::transport;

/// Starts it on a free port and waits until it listens.
pub(super) fn start(program: Option<&Path>) -> Result<Subject, StartError> {
    let program = find("snmpd", program, &[], &["/usr/sbin", "/usr/local/sbin"])?;
    let mut attempt = 1;
    loop {
        match start_on(&program, free_port().map_err(failed(&program))?) {
            // Another program may have taken the port between our check and snmpd's bind.
            Err(StartError::Ended { .. }) if attempt < ATTEMPTS => attempt += 1,
            other => return other,
        }
    }
}

fn start_on(program: &Path, address: SocketAddr) -> Result<Subject, StartError> {
    let directory = crate::leftovers::temporary_folder().map_err(failed(program))?;
    let file = directory.path().join("snmpd.conf");
    std::fs::write(&file, configuration(address)).map_err(failed(program))?;
    let home = directory.path().to_owned();
    let mut child = ChildProcess::start(program, directory, |command| {
        // In the foreground, log to standard output, with this configuration only and the modules that Debian's
        // service starts.
        command.args(["-f", "-Lo", "-C", "-I", "-smux,mteTrigger,mteTriggerConf", "-c"]).arg(file);
        command.env("SNMP_PERSISTENT_DIR", &home).env("SNMPCONFPATH", &home);
        // No MIB files, as in Debian's own service: they only take memory.
        command.env("MIBS", "").env("MIBDIRS", &home);
    })?;
    // It prints its version once its transports are open.
    child.wait_for(|line| line.starts_with("NET-SNMP version").then_some(()))?;
    let targets = transport::PLAIN.map(|transport| (transport, target(transport, address).into()));
    Ok(Subject {
        name: "snmpd".into(),
        kind: SubjectKind::Snmpd,
        program: Some(program.to_owned()),
        version: version(program, "-v"),
        targets: targets.into(),
        advice: "",
        child: Some(child),
    })
}

fn configuration(address: SocketAddr) -> String {
    // By default it would end a GetBulk at 100 bindings, and log a line for every message: Debian's service does not.
    format!(
        "agentAddress udp:{address},tcp:{address}\n\
         rocommunity {COMMUNITY} 127.0.0.1\n\
         dontLogTCPWrappersConnects yes\n\
         maxGetbulkResponses -1\n\
         maxGetbulkRepeats -1\n"
    )
}

/// A loopback port that is free for both UDP and TCP.
fn free_port() -> std::io::Result<SocketAddr> {
    loop {
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let address = tcp.local_addr()?;
        if UdpSocket::bind(address).is_ok() {
            return Ok(address);
        }
    }
}

fn failed(program: &Path) -> impl Fn(std::io::Error) -> StartError + '_ {
    |source| StartError::Start { program: program.to_owned(), source }
}

/// How many times a start on another port is tried.
const ATTEMPTS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Transport;

    #[test]
    fn it_listens_once_it_reports_so() {
        if !trunkline_testkit::has("snmpd", "snmpd") {
            return;
        }
        let subject = start(None).unwrap();
        assert!(std::path::Path::new(&format!("/proc/{}", subject.pid().unwrap())).exists());
        let tcp = subject.targets.iter().find(|(transport, _)| *transport == Transport::Tcp).unwrap();
        let (host, port) = tcp.1.place();
        let address = SocketAddr::new(host.parse().unwrap(), port);
        std::net::TcpStream::connect(address).unwrap();
    }
}
