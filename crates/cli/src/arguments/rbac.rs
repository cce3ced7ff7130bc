//! The arguments of `rbac`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use trunkline_login::EndsArgs;
use trunkline_rbac::Name;

use super::{HERE, MANY, REQUESTS};

/// `rbac`.
#[derive(Debug, Args)]
pub struct RbacArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RbacCommand,
    /// The authority's directory [default: /etc/trunkline/rbac for root, else ~/.config/trunkline/rbac].
    #[arg(long, global = true, value_name = "FOLDER", help_heading = HERE)]
    pub dir: Option<PathBuf>,
}

/// The commands of `rbac`.
#[derive(Debug, Subcommand)]
pub enum RbacCommand {
    /// Create the authority, once.
    Init,
    /// Add roles, remove and list them.
    Role(RoleArgs),
    /// Give a role to a user.
    Assign(MemberArgs),
    /// Add devices, remove and list them.
    Device(DeviceArgs),
    /// Write a member's keys to a file, for `--keys` of `trunkline netconf`.
    Token(TokenArgs),
    /// Add a public key (PEM) to those of a user, or remove it.
    PublicKey(PublicKeyArgs),
    /// Set the policy of the devices: a file with the element `rbac` of trunkline-rbac, in XML. `deploy` sends it.
    Policy {
        /// The file.
        file: PathBuf,
    },
    /// Send the devices what they lack.
    #[command(after_help = "\
The exit status is 1 if a device still lacks something; the next deployment sends it.")]
    Deploy(DeployArgs),
    /// Take a role from a user: a new epoch of its keys for all other members and all devices.
    #[command(after_help = "\
The new keys are sent to all devices at once, and the tokens of the members that stay are written to the directory. A device that
does not answer still accepts the old keys until `trunkline rbac deploy` has reached it; the exit status is 1 then.")]
    Revoke(RevokeArgs),
    /// Make a new epoch of a role's keys for all its members and all devices; the old keys end at once.
    #[command(after_help = "\
The new keys are sent to all devices at once, and the new tokens of all members are written to the directory. After an authority was
restored from a backup, a device can have a newer epoch than it: `deploy` names the number for --above.")]
    Renew(RenewArgs),
    /// Show the roles, and what each device lacks.
    Status(StatusArgs),
}

/// `rbac role`.
#[derive(Debug, Args)]
pub struct RoleArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RoleCommand,
}

/// The commands of `rbac role`.
#[derive(Debug, Subcommand)]
pub enum RoleCommand {
    /// Add a role: the name of one that the devices' access policy has.
    Add {
        /// The role.
        role: Name,
    },
    /// Remove a role: take it from all its members, and have the next `deploy` delete its keys on the devices.
    Remove {
        /// The role.
        role: Name,
    },
    /// List the roles, their epochs and members.
    List(ListArgs),
}

/// `rbac device`.
#[derive(Debug, Args)]
pub struct DeviceArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: DeviceCommand,
}

/// The commands of `rbac device`.
#[derive(Debug, Subcommand)]
pub enum DeviceCommand {
    /// Add a device.
    Add {
        /// Where it is: netconf://USER@HOST:PORT (SSH), netconf+tls://HOST:PORT, or the name of a target of --config.
        #[arg(value_name = "URL")]
        address: String,
        /// Its name [default: the host, and the port unless it is the usual one].
        #[arg(long, help_heading = HERE)]
        name: Option<Name>,
    },
    /// Remove a device from the authority; the keys that it has stay there.
    Remove {
        /// The device.
        device: Name,
    },
    /// List the devices.
    List(ListArgs),
}

/// Lists.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Write JSON (see docs/json.md).
    #[arg(long, help_heading = HERE)]
    pub json: bool,
}

/// `rbac status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Connect to the devices: one that has lost what it acknowledged is pending. The exit status is 1 if any has, or cannot be checked.
    #[arg(long, help_heading = HERE)]
    pub check: bool,
    /// How.
    #[command(flatten)]
    pub reach: ReachArgs,
}

/// A user and a role.
#[derive(Debug, Args)]
pub struct MemberArgs {
    /// The user.
    pub user: Name,
    /// The role.
    pub role: Name,
}

/// `rbac token`.
#[derive(Debug, Args)]
pub struct TokenArgs {
    /// Who, and in which role.
    #[command(flatten)]
    pub member: MemberArgs,
    /// Where to write it, - for standard output [default: the directory has it already; print its path].
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub output: Option<PathBuf>,
    /// Replace a file that is not a token.
    #[arg(long, requires = "output", help_heading = HERE)]
    pub force: bool,
}

/// `rbac public-key`.
#[derive(Debug, Args)]
pub struct PublicKeyArgs {
    /// The user, who has a role.
    pub user: Name,
    /// The key: RSA of 2048 bits or more, or ECDSA with P-256.
    #[arg(required_unless_present = "remove")]
    pub file: Option<PathBuf>,
    /// Remove this key, or without a file all keys of the user; the next `deploy` deletes them on the devices.
    #[arg(long, help_heading = HERE)]
    pub remove: bool,
}

/// How devices are reached.
#[derive(Debug, Args)]
pub struct ReachArgs {
    /// As whom to ask.
    #[command(flatten)]
    pub ends: EndsArgs,
    /// The file of targets; also the variable TRUNKLINE_CONFIG [default: ~/.config/trunkline/config.toml].
    #[arg(long, value_name = "FILE", help_heading = REQUESTS)]
    pub config: Option<PathBuf>,
    /// Seconds that a device may be silent.
    #[arg(short = 't', long, value_name = "SECONDS", default_value = "10", value_parser = super::parse_seconds, help_heading = REQUESTS)]
    pub timeout: Duration,
    /// How many devices are served at the same time.
    #[arg(long, value_name = "NUMBER", default_value = "50", value_parser = super::targets::parse_parallel, help_heading = MANY)]
    pub parallel: usize,
    /// Write JSON (see docs/json.md).
    #[arg(long, help_heading = HERE)]
    pub json: bool,
}

/// `rbac deploy`.
#[derive(Debug, Args)]
pub struct DeployArgs {
    /// Only these devices [default: all].
    #[arg(value_name = "DEVICE")]
    pub devices: Vec<Name>,
    /// Forget what devices have acknowledged, and send everything: for one that has lost its configuration.
    #[arg(long, help_heading = HERE)]
    pub all: bool,
    /// How.
    #[command(flatten)]
    pub reach: ReachArgs,
}

/// `rbac revoke`.
#[derive(Debug, Args)]
pub struct RevokeArgs {
    /// Who, and which role.
    #[command(flatten)]
    pub member: MemberArgs,
    /// For how long devices accept the old keys still: 30s, 5m, 1h, 2d; at most 30d. It ends at a time of this machine's clock [default: not at all].
    #[arg(long, value_name = "TIME", default_value = "0s", hide_default_value = true, value_parser = parse_grace, help_heading = HERE)]
    pub grace: Duration,
    /// How.
    #[command(flatten)]
    pub reach: ReachArgs,
}

/// `rbac renew`.
#[derive(Debug, Args)]
pub struct RenewArgs {
    /// The role.
    pub role: Name,
    /// Give the new epoch a number above this one, which a device has.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true, help_heading = HERE)]
    pub above: u32,
    /// How.
    #[command(flatten)]
    pub reach: ReachArgs,
}

fn parse_grace(text: &str) -> Result<Duration, String> {
    if matches!(text, "0" | "0s") {
        return Ok(Duration::ZERO);
    }
    super::parse_time(text, 30)
}
