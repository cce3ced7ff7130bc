//! `trunklined subsystem snmp`: the program that OpenSSH's server starts for its subsystem. It runs as the user,
//! passes the user's name to the agent, which the kernel confirms, and copies messages both ways.

use std::path::PathBuf;
use std::process::ExitCode;

use trunkline_transport::local::{Preamble, SshConnection, relay};

use crate::daemon::Hooks;

/// The default path of the agent's socket.
pub const SOCKET: &str = "/run/trunkline/subsystem.sock";

/// The command's arguments.
#[derive(Debug, clap::Args)]
pub struct SubsystemArguments {
    /// Name of the subsystem, as the client requests it: snmp or netconf.
    pub name: String,
    /// The agent's socket: subsystem-socket in [snmp.ssh] of its configuration.
    #[arg(long, value_name = "PATH", default_value = SOCKET)]
    pub socket: PathBuf,
}

/// Serves the user until either side ends.
pub fn run(arguments: &SubsystemArguments, hooks: Hooks) -> ExitCode {
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            (hooks.say)(&format!("trunklined subsystem: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &SubsystemArguments) -> Result<(), Box<dyn std::error::Error>> {
    let uid = nix::unistd::Uid::current();
    let user =
        nix::unistd::User::from_uid(uid)?.ok_or_else(|| format!("there is no user with the ID {uid}"))?;
    // sshd's description of the connection; only for the log.
    let connection =
        std::env::var("SSH_CONNECTION").ok().and_then(|words| words.parse::<SshConnection>().ok());
    let preamble = Preamble::new(&arguments.name, &user.name, connection)?;
    relay(&arguments.socket, &preamble, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
