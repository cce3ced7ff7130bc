//! A server of ifTable made with gSOAP, a reconstruction of the paper's prototype (`peers/gsoap`): a foreign
//! subject, if it was built.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::child::{ChildProcess, StartError};
use super::find;

/// It listens until this value is dropped.
#[derive(Debug)]
pub struct GsoapServer {
    child: ChildProcess,
    /// Its address.
    pub address: SocketAddr,
}

impl GsoapServer {
    /// Starts it with this many made-up rows: `program` if given, else the one that `cargo xtask setup --peers`
    /// built.
    ///
    /// # Errors
    /// It is missing, or does not listen.
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

/// `target/peers/gsoap/server` in a directory above this program.
fn built() -> PathBuf {
    let us = std::env::current_exe().unwrap_or_default();
    let above = us.ancestors().map(|it| it.join(SERVER));
    let under = us.ancestors().map(|it| it.join("target").join(SERVER));
    above.chain(under).find(|it| it.is_file()).unwrap_or_else(|| Path::new("target").join(SERVER))
}

const SERVER: &str = "peers/gsoap/server";
