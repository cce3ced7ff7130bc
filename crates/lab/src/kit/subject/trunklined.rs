//! Our agent as a subject: what ships, started as anybody would start it, and measured from outside.

use std::path::{Path, PathBuf};

use super::child::{ChildProcess, StartError};
use super::equipped::listening;
use super::{COMMUNITY, Subject, find, target, version};
use crate::samples::{SubjectKind, Transport};

/// Starts it on ports that it chooses and waits until it says which.
pub(super) fn start(program: Option<&Path>) -> Result<Subject, StartError> {
    let program = find("trunklined", program, &beside_us(), &[])?;
    let failed = |source| StartError::Start { program: program.clone(), source };
    let directory = tempfile::tempdir().map_err(failed)?;
    let file = directory.path().join("trunklined.toml");
    std::fs::write(&file, configuration(&directory.path().join("state"))).map_err(failed)?;
    let mut child = ChildProcess::start(&program, directory, |command| {
        command.arg("--config").arg(file);
    })?;
    let mut targets = Vec::new();
    for _ in Transport::PLAIN {
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

/// A state of its own: several agents run at one time.
fn configuration(state: &Path) -> String {
    format!(
        "[agent]\n\
         state = {state:?}\n\
         [snmp]\n\
         listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]\n\
         [[snmp.community]]\n\
         name = \"{COMMUNITY}\"\n\
         access = \"read\"\n"
    )
}

/// The directory of this program, where a build and an installation put the agent too.
pub(super) fn beside_us() -> Vec<PathBuf> {
    let us = std::env::current_exe().ok();
    us.and_then(|us| us.parent().map(Path::to_owned)).into_iter().collect()
}
