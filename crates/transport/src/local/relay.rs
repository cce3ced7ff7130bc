//! The small program's half: one line, then octets in both directions, until either side ends. Two threads and no
//! runtime: one process runs per session of OpenSSH's server.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::Preamble;

/// Why nothing was relayed, or not to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelayError {
    /// The agent cannot be reached.
    #[error("cannot reach the agent at {}: {source}", socket.display())]
    Connect {
        /// Its socket.
        socket: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The agent does not serve this user, or not this subsystem.
    #[error("the agent refused the session: {0}")]
    Refused(String),
    /// The agent closed the connection before it answered.
    #[error("the agent closed the connection")]
    Closed,
    /// A working connection failed.
    #[error("the connection failed while {doing}: {source}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// The kernel's error.
        source: io::Error,
    },
}

/// Connects to the agent's socket, sends the preamble, and copies: `input` to the agent, the agent's answers to
/// `output`. When the input ends, the agent still answers earlier requests. When the agent ends, this returns; a
/// thread still waiting for input is left to end with the program.
///
/// # Errors
/// [`RelayError`].
pub fn relay(
    socket: &Path,
    preamble: &Preamble,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> Result<(), RelayError> {
    let failed = |doing| move |source| RelayError::Failed { doing, source };
    let connected = UnixStream::connect(socket);
    let mut agent = connected.map_err(|source| RelayError::Connect { socket: socket.into(), source })?;
    agent.write_all(format!("{preamble}\n").as_bytes()).map_err(failed("saying who it is about"))?;
    let mut answers = BufReader::with_capacity(BUFFER, agent.try_clone().map_err(failed("starting"))?);
    let mut verdict = Vec::new();
    answers
        .by_ref()
        .take(LONGEST_VERDICT)
        .read_until(b'\n', &mut verdict)
        .map_err(failed("waiting for the agent"))?;
    match verdict.strip_suffix(b"\n").and_then(<[u8]>::split_first) {
        Some((b'+', _)) => {}
        Some((b'-', reason)) => {
            return Err(RelayError::Refused(String::from_utf8_lossy(reason).into_owned()));
        }
        _ => return Err(RelayError::Closed),
    }
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let _ = copied(input, &agent);
            let _ = agent.shutdown(Shutdown::Write);
        })
        .map_err(failed("starting a thread"))?;
    copied(answers, &mut output).map_err(failed("passing answers on"))
}

/// Passes each piece on as soon as it arrives.
fn copied(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(octets) => {
                to.write_all(&buffer[..octets])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

const BUFFER: usize = 16 << 10;
const STACK: usize = 64 << 10;
const LONGEST_VERDICT: u64 = 512;
