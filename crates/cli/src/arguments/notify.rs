//! The options of those who notify and those who listen.

use std::path::PathBuf;

use clap::Args;
use trunkline_login::{LevelArg, SecurityArgs, TlsArgs};

use super::{NamesArgs, OutputArgs, SessionArgs, TargetArg};

/// Options that only one command has.
const HERE: &str = "This command";

/// `trap`, `inform`.
#[derive(Debug, Args)]
pub struct NotifyArgs {
    /// The receiver, written like an agent's target, with 162 as the default port.
    #[command(flatten)]
    pub target: TargetArg,
    /// As whom to send.
    #[command(flatten)]
    pub session: SessionArgs,
    /// Hundredths of a second since the sender started; '' for this machine's uptime.
    #[arg(value_name = "UPTIME", help_heading = "Arguments", display_order = 2)]
    pub uptime: String,
    /// What happened: linkDown, IF-MIB::linkDown or numbers.
    #[arg(value_name = "NOTIFICATION", help_heading = "Arguments", display_order = 3)]
    pub notification: String,
    /// Objects to send with it: OBJECT=VALUE, or OBJECT TYPE VALUE.
    #[arg(value_name = "OBJECT=VALUE", allow_negative_numbers = true, help_heading = "Arguments")]
    pub assignments: Vec<String>,
    /// SNMPv1: the IPv4 address in agent-addr [default: that of the socket].
    #[arg(long, value_name = "ADDRESS", help_heading = HERE)]
    pub agent_address: Option<std::net::Ipv4Addr>,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
}

/// `subscribe`.
#[derive(Debug, Args)]
pub struct SubscribeArgs {
    /// The agent: soap+http://WHO@HOST:PORT[/SERVICE], soap+https://..., netconf://USER@HOST, restconf+https://USER@HOST or
    /// jmx://HOST:PORT.
    #[command(flatten)]
    pub target: TargetArg,
    /// As whom to ask.
    #[command(flatten)]
    pub session: SessionArgs,
    /// Notifications to subscribe to: linkDown, IF-MIB::linkDown, or the first numbers of their object identifiers
    /// [default: all]. Over JMX the MBeans, unless the URL names them, then the first words of types.
    #[arg(value_name = "NOTIFICATION", help_heading = "Arguments")]
    pub notifications: Vec<String>,
    /// Where to listen; port 0 picks a free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0", help_heading = HERE)]
    pub at: std::net::SocketAddr,
    /// The URL at which the agent reaches this receiver, if different.
    #[arg(long, value_name = "URL", help_heading = HERE)]
    pub reached_as: Option<String>,
    /// Exit after this many notifications.
    #[arg(long, value_name = "NUMBER", help_heading = HERE)]
    pub count: Option<u64>,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How to print.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `listen`.
#[derive(Debug, Args)]
pub struct ListenArgs {
    #[allow(rustdoc::broken_intra_doc_links, reason = "an address, not a link")]
    /// Where to listen: udp:PORT, tcp:ADDRESS:PORT, tls:PORT, dtls:PORT, ssh:PORT, udp6:[::1]:PORT or
    /// udp://ADDRESS:PORT; port 0 picks a free one [default: udp:162, on all addresses].
    #[arg(value_name = "ADDRESS", help_heading = "Arguments")]
    pub addresses: Vec<String>,
    /// Accept SNMPv1 and SNMPv2c with this community only; may be repeated [default: any].
    #[arg(short = 'c', long, value_name = "NAME", help_heading = HERE)]
    pub community: Vec<String>,
    /// Accept only authenticated notifications: SNMPv3 with authNoPriv or authPriv, or over TLS, DTLS or SSH.
    #[arg(long, value_name = "LEVEL", value_enum, hide_possible_values = true, ignore_case = true, help_heading = HERE)]
    pub require: Option<LevelArg>,
    /// A file with users and communities (TOML, see `trunkline help listen`), readable only by its owner.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub users: Option<std::path::PathBuf>,
    /// A file with rules (TOML, see `trunkline help listen`): what is done with which notifications. Those for which no
    /// rule holds are printed.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub rules: Option<std::path::PathBuf>,
    /// Check the files of --rules and --users, and exit.
    #[arg(long, help_heading = HERE)]
    pub check: bool,
    /// Exit after this many notifications.
    #[arg(long, value_name = "NUMBER", help_heading = HERE)]
    pub count: Option<u64>,
    /// Show communities too, which are otherwise hidden.
    #[arg(long, help_heading = HERE)]
    pub show_community: bool,
    /// An SNMPv3 user, in addition to those in the file.
    #[command(flatten)]
    pub security: SecurityArgs,
    /// This receiver's certificate, and its trust anchors.
    #[command(flatten)]
    pub tls: TlsArgs,
    /// This receiver's host key, and the users it accepts.
    #[command(flatten)]
    pub ssh: ListenSshArgs,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How notifications are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `listen` needs for SSH.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "SSH")]
pub struct ListenSshArgs {
    /// The host key; created if missing [default: ssh_host_key in ~/.local/state/trunkline].
    #[arg(long, value_name = "FILE")]
    pub ssh_host_key: Option<PathBuf>,
    /// A directory with the public keys of accepted SSH users, each in a file USER.pub [default: ssh of --pki].
    #[arg(long, value_name = "FOLDER")]
    pub ssh_users: Option<PathBuf>,
}
