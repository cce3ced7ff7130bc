//! The arguments of `user`.

use std::fmt::Debug;

use clap::{Args, Subcommand};
use trunkline_accounts::user_arguments::{CloneArgs, CreateArgs, NameArgs, PasswordArgs};

use super::{NamesArgs, OutputArgs, SessionArgs, TargetArg};

/// `user`.
#[derive(Debug, Args)]
pub struct UserArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: UserCommand,
}

/// The commands of `user`.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// List the users.
    List(AgentArgs<NothingArgs>),
    /// Create a user with the protocols of another one and passwords of its own.
    #[command(after_help = "\
A user gets its protocols from another user, once; SNMP can not set them otherwise. It becomes active when it has its own keys.

Examples:
  trunkline user create core-1 wes --from ann                # asks for the passwords
  trunkline user create core-1 wes --from ann --new-password-file wes.password")]
    Create(AgentArgs<CreateArgs>),
    /// Give a user that has none the protocols and keys of another one.
    Clone(AgentArgs<CloneArgs>),
    /// Change the passwords of a user: without USER those of the session's user.
    #[command(after_help = "\
A change of a key is encrypted with the old key, so the old passwords are needed too. They default to those of the session's user.

Examples:
  trunkline user password core-1                             # our own; asks for the new one
  trunkline user password core-1 wes --old-password-file old --new-password-file new
  trunkline user password core-1 wes --only auth")]
    Password(AgentArgs<PasswordArgs>),
    /// Activate a user.
    Activate(AgentArgs<NameArgs>),
    /// Deactivate a user: the agent answers it no more until it is activated again.
    Deactivate(AgentArgs<NameArgs>),
    /// Delete a user.
    Delete(AgentArgs<NameArgs>),
}

/// `access`.
pub type AccessArgs = trunkline_accounts::AccessArgs<AgentArgs<NothingArgs>>;
/// The commands of `access`.
pub type AccessCommand = trunkline_accounts::AccessCommand<AgentArgs<NothingArgs>>;

/// The agent, and what is done there.
#[derive(Debug, Args)]
pub struct AgentArgs<T: Args + Debug> {
    /// The agent.
    #[command(flatten)]
    pub target: TargetArg,
    /// What is done there.
    #[command(flatten)]
    pub what: T,
    /// As whom to ask.
    #[command(flatten)]
    pub session: SessionArgs,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How answers are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What every command with an agent has.
pub struct AtAgent<'a> {
    /// The agent.
    pub target: &'a TargetArg,
    /// As whom to ask.
    pub session: &'a SessionArgs,
    /// Where names come from.
    pub names: &'a NamesArgs,
    /// How answers are written.
    pub output: &'a OutputArgs,
}

impl<T: Args + Debug> AgentArgs<T> {
    /// What is the same for all commands.
    pub fn at(&self) -> AtAgent<'_> {
        AtAgent { target: &self.target, session: &self.session, names: &self.names, output: &self.output }
    }
}

impl UserCommand {
    /// The agent, and as whom to ask it.
    pub fn at(&self) -> AtAgent<'_> {
        match self {
            UserCommand::List(arguments) => arguments.at(),
            UserCommand::Create(arguments) => arguments.at(),
            UserCommand::Clone(arguments) => arguments.at(),
            UserCommand::Password(arguments) => arguments.at(),
            UserCommand::Activate(arguments)
            | UserCommand::Deactivate(arguments)
            | UserCommand::Delete(arguments) => arguments.at(),
        }
    }
}

/// No more arguments.
#[derive(Debug, Args)]
pub struct NothingArgs {}
