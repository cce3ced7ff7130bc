//! Our agent as a subject: what ships, started as anybody would start it, and measured from outside.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::child::{ChildProcess, StartError};
use super::{COMMUNITY, Subject, find, target, version};
use crate::samples::{SubjectKind, Transport};

/// Starts it on ports that it chooses and waits until it says which.
pub(super) fn start(program: Option<&Path>) -> Result<Subject, StartError> {
    let program = find("trunklined", program, &beside_us(), &[])?;
    let failed = |source| StartError::Start { program: program.clone(), source };
    let directory = tempfile::tempdir().map_err(failed)?;
    let file = directory.path().join("trunklined.toml");
    std::fs::write(&file, configuration()).map_err(failed)?;
    let mut child = ChildProcess::start(&program, directory, |command| {
        command.arg("--config").arg(file);
    })?;
    let mut targets = Vec::new();
    for _ in Transport::ALL {
        let (transport, address) = child.wait_for(listening)?;
        targets.push((transport, target(transport, address)));
    }
    Ok(Subject {
        name: "trunklined".into(),
        kind: SubjectKind::Trunklined,
        version: version(&program, "--version"),
        program: Some(program),
        targets,
        child: Some(child),
    })
}

fn configuration() -> String {
    format!(
        "[snmp]\n\
         listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]\n\
         [[snmp.community]]\n\
         name = \"{COMMUNITY}\"\n\
         access = \"read\"\n"
    )
}

/// The listener that a line of the agent's names: `listening udp://127.0.0.1:1161`.
fn listening(line: &str) -> Option<(Transport, SocketAddr)> {
    let (_, url) = line.split_once("listening ")?;
    let (scheme, address) = url.trim().split_once("://")?;
    let transport = match scheme {
        "udp" => Transport::Udp,
        "tcp" => Transport::Tcp,
        _ => return None,
    };
    Some((transport, address.parse().ok()?))
}

/// The directory of this program, where a build and an installation put the agent too.
fn beside_us() -> Vec<PathBuf> {
    let us = std::env::current_exe().ok();
    us.and_then(|us| us.parent().map(Path::to_owned)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_lines() {
        let udp = listening("listening udp://127.0.0.1:40000").unwrap();
        assert_eq!(udp, (Transport::Udp, "127.0.0.1:40000".parse().unwrap()));
        let tcp = listening("2026-11-21 INFO listening tcp://[::1]:5\r").unwrap();
        assert_eq!(tcp, (Transport::Tcp, "[::1]:5".parse().unwrap()));
        for line in
            ["", "listening", "listening tls://127.0.0.1:1", "listening udp://somewhere", "starting up"]
        {
            assert_eq!(listening(line), None, "{line}");
        }
    }
}
