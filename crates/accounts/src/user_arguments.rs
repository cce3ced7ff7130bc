//! The arguments of `trunkline user`, besides the agent and as whom to ask it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use trunkline_snmp::usm::EngineId;

const HERE: &str = "This command";

/// A user.
#[derive(Debug, Args)]
pub struct NameArgs {
    /// The user.
    #[arg(id = "managed_user", value_name = "USER", help_heading = "Arguments")]
    pub user: String,
    /// Where its row is.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// The engine of a user.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// The engine ID of the user's row [default: the agent's].
    #[arg(long, value_name = "ENGINE-ID", value_parser = EngineId::from_hex, help_heading = HERE)]
    pub user_engine: Option<EngineId>,
}

/// `user create`.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// The new user.
    #[command(flatten)]
    pub name: NameArgs,
    /// The user whose protocols it gets.
    #[arg(long, value_name = "USER", help_heading = HERE)]
    pub from: String,
    /// Keep the keys of the other user too: whoever has its passwords can use the new user.
    #[arg(long, conflicts_with_all = ["new_password_file", "new_auth_password_file", "new_priv_password_file"], help_heading = HERE)]
    pub keep_keys: bool,
    /// Do not activate it.
    #[arg(long, help_heading = HERE)]
    pub inactive: bool,
    /// The passwords of the other user.
    #[command(flatten)]
    pub old: OldArgs,
    /// The new user's.
    #[command(flatten)]
    pub new: NewArgs,
}

/// `user clone`.
#[derive(Debug, Args)]
pub struct CloneArgs {
    /// The user.
    #[command(flatten)]
    pub name: NameArgs,
    /// The user whose protocols and keys it gets.
    #[arg(long, value_name = "USER", help_heading = HERE)]
    pub from: String,
}

/// `user password`.
#[derive(Debug, Args)]
pub struct PasswordArgs {
    /// The user [default: the session's user].
    #[arg(id = "managed_user", value_name = "USER", help_heading = "Arguments")]
    pub user: Option<String>,
    /// Where its row is.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Change only this one.
    #[arg(long, value_name = "KEY", value_enum, help_heading = HERE)]
    pub only: Option<Purpose>,
    /// Its passwords so far.
    #[command(flatten)]
    pub old: OldArgs,
    /// Its new passwords.
    #[command(flatten)]
    pub new: NewArgs,
}

/// What a password is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Purpose {
    /// Authentication.
    Auth,
    /// Privacy.
    Priv,
}

/// Where old passwords are.
#[derive(Debug, Args)]
pub struct OldArgs {
    /// The first line of this file is both old passwords [default: the keys of the session's user].
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub old_password_file: Option<PathBuf>,
    /// The old password for authentication; also the variable TRUNKLINE_OLD_AUTH_PASSWORD.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub old_auth_password_file: Option<PathBuf>,
    /// The old password for privacy; also the variable TRUNKLINE_OLD_PRIV_PASSWORD.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub old_priv_password_file: Option<PathBuf>,
}

/// Where new passwords are.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The first line of this file is both new passwords [default: typed on the terminal].
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub new_password_file: Option<PathBuf>,
    /// The new password for authentication; also the variable TRUNKLINE_NEW_AUTH_PASSWORD.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub new_auth_password_file: Option<PathBuf>,
    /// The new password for privacy; also the variable TRUNKLINE_NEW_PRIV_PASSWORD.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub new_priv_password_file: Option<PathBuf>,
}
