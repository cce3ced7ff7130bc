//! A server of ifTable made with gSOAP, the paper's prototype over again (`peers/gsoap`): a foreign subject, where it was built.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::child::{ChildProcess, StartError};
use super::find;

/// It listens for as long as this value lives.
#[derive(Debug)]
pub struct GsoapServer {
    child: ChildProcess,
    /// Where.
    pub address: SocketAddr,
}

impl GsoapServer {
    /// Starts it with so many rows that it makes up: `program` when given, else the one that `cargo xtask setup --peers` built.
    ///
    /// # Errors
    /// It is not there, or does not listen.
    pub fn start(program: Option<&Path>, rows: u32) -> Result<GsoapServer, StartError> {
        let program = program.map_or_else(built, Path::to_owned);
        let program = find("gsoap-server", Some(&program), &[], &[])?;
        let failed = |source| StartError::Start { program: program.clone(), source };
        let directory = tempfile::tempdir().map_err(failed)?;
        let mut child = ChildProcess::start(&program, directory, |command| {
            command.args(["--port", "0", "--rows", &rows.to_string()]);
        })?;
        let port = child.wait_for(|line| line.trim().strip_prefix("port ")?.parse().ok())?;
        Ok(GsoapServer { child, address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)) })
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

/// `target/peers/gsoap/server` of a directory above this program.
fn built() -> PathBuf {
    let us = std::env::current_exe().unwrap_or_default();
    let above = us.ancestors().map(|it| it.join(SERVER));
    let under = us.ancestors().map(|it| it.join("target").join(SERVER));
    above.chain(under).find(|it| it.is_file()).unwrap_or_else(|| Path::new("target").join(SERVER))
}

const SERVER: &str = "peers/gsoap/server";
