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
    /// built. With `zlib` it compresses every answer, in zlib's format for clients that accept it, otherwise in gzip's.
    ///
    /// # Errors
    /// It is missing, or does not listen.
    pub fn start(program: Option<&Path>, rows: u32, zlib: bool) -> Result<GsoapServer, StartError> {
        let program = program.map_or_else(built, Path::to_owned);
        let program = find("gsoap-server", Some(&program), &[], &[])?;
        let failed = |source| StartError::Start { program: program.clone(), source };
        let directory = crate::leftovers::temporary_folder().map_err(failed)?;
        let mut child = ChildProcess::start(&program, directory, |command| {
            command.args(["--port", "0", "--rows", &rows.to_string()]);
            command.args(zlib.then_some("--zlib"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_testkit::write_program;

    #[test]
    fn compression_is_requested_of_the_server() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("server");
        // Answers with its last argument's length as the port.
        let script = "#!/bin/sh\nfor last; do :; done\necho port ${#last}\nexec sleep 60\n";
        write_program(&program, script);
        let port = |zlib| GsoapServer::start(Some(&program), 150, zlib).unwrap().address.port();
        assert_eq!((port(false), port(true)), (3, 6));
    }
}
