//! The commands that know their objects: they ask agents about their machines.

use std::time::Duration;

use clap::Args;
use trunkline_show::figures::protocols::PROTOCOLS;

use super::{HERE, NamesArgs, OutputArgs, SessionArgs, TargetsArgs, parse_interval};

/// The agents, and how answers are written.
#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// The agents.
    #[command(flatten)]
    pub targets: TargetsArgs,
    /// Further agents.
    #[arg(value_name = "TARGET", help_heading = "Arguments", display_order = 2)]
    pub more: Vec<String>,
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

/// `status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub agents: AgentsArgs,
}

/// `df`.
#[derive(Debug, Args)]
pub struct DfArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub agents: AgentsArgs,
    /// Read dskTable of UCD-SNMP-MIB [default: hrStorageTable, and dskTable where there is none].
    #[arg(long, help_heading = HERE)]
    pub ucd: bool,
    /// List memory, caches and file systems without a size as well.
    #[arg(long, help_heading = HERE)]
    pub all: bool,
    /// Print sizes as octets [default: in KiB, MiB, GiB and TiB; JSON and CSV always have octets].
    #[arg(long, help_heading = HERE)]
    pub bytes: bool,
    /// Exit with status 1 if the agent has no disk.
    #[arg(long, help_heading = "Output")]
    pub missing_is_error: bool,
}

/// `netstat`.
#[derive(Debug, Args)]
pub struct NetstatArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub agents: AgentsArgs,
    /// List the interfaces, with their addresses and what they carried.
    #[arg(long, help_heading = HERE, conflicts_with_all = ["routes", "statistics", "listening"])]
    pub interfaces: bool,
    /// List this interface only.
    #[arg(long, value_name = "NAME", help_heading = HERE, conflicts_with_all = ["routes", "statistics", "listening"])]
    pub interface: Option<String>,
    /// List the routes.
    #[arg(long, help_heading = HERE, conflicts_with_all = ["statistics", "listening", "protocol"])]
    pub routes: bool,
    /// Print what the protocols have counted.
    #[arg(long, help_heading = HERE, conflicts_with = "listening")]
    pub statistics: bool,
    /// List only sockets that wait for others: listeners of TCP, and endpoints of UDP without a peer.
    #[arg(long, help_heading = HERE)]
    pub listening: bool,
    /// Only these protocols: tcp and udp; with --statistics also ip, ip6, icmp and icmp6.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = PROTOCOLS, hide_possible_values = true,
        conflicts_with_all = ["interfaces", "interface"], help_heading = HERE)]
    pub protocol: Vec<String>,
    /// Only IPv4.
    #[arg(long, help_heading = HERE, conflicts_with = "ipv6")]
    pub ipv4: bool,
    /// Only IPv6.
    #[arg(long, help_heading = HERE)]
    pub ipv6: bool,
    /// Read the old tables, which know only IPv4 [default: where there are no others].
    #[arg(long, help_heading = HERE, conflicts_with = "ipv6")]
    pub old_tables: bool,
    /// Look at the interfaces again and again, at this interval (1s, 500ms, 2m), and print what they carry in a second.
    #[arg(long, value_name = "TIME", value_parser = parse_interval, help_heading = HERE,
        conflicts_with_all = ["routes", "statistics", "listening", "protocol"])]
    pub every: Option<Duration>,
    /// With --every: how many times [default: until stopped].
    #[arg(long, value_name = "NUMBER", requires = "every", help_heading = HERE)]
    pub count: Option<u64>,
    /// Draw lines of this many characters [default: the terminal's width; without a terminal as wide as needed].
    #[arg(long, value_name = "CHARACTERS", help_heading = HERE)]
    pub width: Option<u16>,
    /// Exit with status 1 if there is nothing to list.
    #[arg(long, help_heading = "Output")]
    pub missing_is_error: bool,
}

/// `ping`.
#[derive(Debug, Args)]
pub struct PingArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub agents: AgentsArgs,
    /// How many requests to send; 0: until stopped.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, help_heading = HERE)]
    pub count: u64,
    /// How long to wait from one request to the next: 1s, 500ms.
    #[arg(
        long,
        visible_alias = "every",
        value_name = "TIME",
        default_value = "1s",
        value_parser = parse_interval,
        help_heading = HERE
    )]
    pub interval: Duration,
}
