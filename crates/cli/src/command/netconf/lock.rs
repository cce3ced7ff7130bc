//! `trunkline netconf lock`: holds a lock while a program runs, and lends the session to it, so that it can work under the lock.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use trunkline_client::netconf::Lending;
use trunkline_client::netconf::protocol::needs::{self, Use};
use trunkline_client::netconf::protocol::operation::Datastore;
use trunkline_client::netconf::protocol::request::{self, Store};

use super::Server;
use crate::arguments::netconf::LockArgs;
use crate::connect::{LENT, say};
use crate::error::Error;
use crate::interrupt::Interrupt;

/// Runs the command.
pub async fn run(options: &LockArgs, interrupt: &Interrupt) -> Result<(), Error> {
    let datastore = options.datastore;
    let begin = async {
        let server = Server::open(&options.server).await?;
        server.needs(|hello| needs::store(hello, Store::Datastore(datastore), Use::Read)).await?;
        server.session.pin();
        let mut locked = server.session.lent_locks().to_vec();
        // Within another `trunkline netconf lock`.
        let is_held = locked.contains(&datastore);
        if !is_held {
            server.done(&request::lock(datastore)).await?;
            locked.push(datastore);
        }
        Ok((server, locked, is_held))
    };
    let (server, locked, is_held) = interrupt.stops(begin).await?;
    let lent = lend(&server, &locked)?;
    let (program, arguments) = options.program.split_first().map_or(("", &[][..]), |(it, rest)| (it, rest));
    let mut command = Command::new(program);
    command.args(arguments).env(LENT, lent.path());
    let mut running = tokio::task::spawn_blocking(move || command.status());
    let ran = loop {
        tokio::select! {
            ran = &mut running => break ran.map_err(|lost| Error::Runtime(lost.to_string()))?,
            // A terminal sends it to the program too, which may need the lock for what it has to end.
            _ = interrupt.pressed() => say(&format!("waiting for {program} to end, which keeps the lock until then")),
        }
    };
    lent.end().await;
    if !is_held {
        server.done(&request::unlock(datastore)).await?;
    }
    match ran {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            if status.signal().is_some() {
                say(&format!("{program}: {status}"));
            }
            Err(Error::Program(code(status)))
        }
        Err(fault) => Err(Error::Usage(format!("{program}: {fault}"))),
    }
}

/// The exit status as a shell has it.
fn code(status: ExitStatus) -> u8 {
    let of_signal = || status.signal().map_or(1, |signal| 128 + signal);
    u8::try_from(status.code().unwrap_or_else(of_signal)).unwrap_or(1)
}

/// Lends the session at a socket in the first folder where there can be one: it may not be ours, or its path be too long for sockets.
fn lend(server: &Server, locked: &[Datastore]) -> Result<Lending, Error> {
    let of_session = std::env::var_os("XDG_RUNTIME_DIR").filter(|it| !it.is_empty()).map(PathBuf::from);
    let mut failed = None;
    for folder in of_session.into_iter().chain([std::env::temp_dir(), PathBuf::from("/tmp")]) {
        match server.session.lend(&folder, locked) {
            Ok(lent) => return Ok(lent),
            Err(fault) => failed = Some(format!("{}: {fault}", folder.display())),
        }
    }
    let failed = failed.unwrap_or_default();
    Err(Error::Runtime(format!(
        "the session cannot be lent to a program, for which it takes a socket in {failed}"
    )))
}
