//! The arguments of `netconf`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use trunkline_client::netconf::protocol::operation::{
    Datastore, DefaultOperation, ErrorOption, TestOption, WithDefaults,
};
use trunkline_client::netconf::security::DeviceName;
use trunkline_login::{EndsArgs, HttpLoginArgs};

use super::{HERE, REQUESTS};

/// The heading of what has no option in front.
const ARGUMENTS: &str = "Arguments";

/// `netconf`.
#[derive(Debug, Args)]
pub struct NetconfArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: NetconfCommand,
}

/// The commands of `netconf`.
#[derive(Debug, Subcommand)]
pub enum NetconfCommand {
    /// List what the server announces: capabilities and modules.
    Capabilities(CapabilitiesArgs),
    /// Read configuration and state.
    Get(GetArgs),
    /// Read a configuration.
    GetConfig(GetConfigArgs),
    /// Print a module's text (RFC 6022).
    Schema(SchemaArgs),
    /// Show what differs between two configurations.
    #[command(after_help = "\
Each of them is running, candidate, startup, a URL that the server reads (file:///NAME), or a file here (./FILE; - for standard input).
RFC 6241 has no operation that reads a URL, so the server copies it to its candidate, which is locked meanwhile, and discards it.

Examples:
  trunkline netconf diff netconf://ann@router
  trunkline netconf diff netconf://ann@router ./saved.xml running
  trunkline netconf diff netconf://ann@router --from file:///before-upgrade.xml --to running")]
    Diff(DiffArgs),
    /// Edit a configuration: the candidate if the server has one, which is then shown and committed.
    #[command(after_help = "\
The file has the content of `config`: elements of the data model, with the operations of RFC 6241 section 7.2 where they are needed.

The candidate is locked, edited and compared with the running configuration; the differences go to standard error. Then it is \
committed, or discarded if anything fails. On a terminal you are asked before. With --no-commit it is not locked, since giving up \
the lock would discard it.")]
    Edit(EditArgs),
    /// Commit the candidate, or confirm a commit.
    Commit(CommitArgs),
    /// Take back a confirmed commit, or discard the changes of the candidate.
    Rollback(RollbackArgs),
    /// Take back a confirmed commit: of a name, or of the session that `trunkline netconf lock` lends.
    Cancel(CancelArgs),
    /// Validate a configuration.
    Validate(StoreArgs),
    /// Copy a configuration.
    Copy(CopyArgs),
    /// Delete a configuration.
    Delete(StoreArgs),
    /// Hold the lock on a configuration while a program runs.
    #[command(after_help = "\
The session is lent to the program: what `trunkline` does in it with the same URL, it does in the session that holds the lock. Its exit
status is the program's.

Example:
  trunkline netconf lock netconf://ann@router -- sh -c '
      trunkline netconf edit --yes netconf://ann@router one.xml && trunkline netconf edit --yes netconf://ann@router two.xml'")]
    Lock(LockArgs),
    /// End another session.
    Kill(KillArgs),
    /// Send an operation from a file, and print the whole reply.
    Rpc(RpcArgs),
    /// Seal an operation for a device, into a file that anybody may pass on.
    #[command(after_help = "\
The device accepts it once, until it expires, whoever brings it; what it may do is what the user and the role of the keys may. The device's name is
`device` in its section [netconf].

Example:
  trunkline netconf seal --keys ann.toml --device router-1 \\
      --output request.xml operation.xml
  trunkline netconf relay netconf+tcp://router.example.net \\
      --output reply.xml request.xml
  trunkline netconf open --keys ann.toml request.xml reply.xml")]
    Seal(SealArgs),
    /// Pass a sealed message on to its device, without its keys, and write the reply, which is sealed too.
    Relay(RelayArgs),
    /// Open the reply to a message that `trunkline netconf seal` has sealed, and print it.
    Open(OpenArgs),
    /// List the streams of events that the server has (RFC 5277).
    Streams(StreamsArgs),
    /// Subscribe to events (RFC 5277) or to data (RFC 8641), and print them as they come.
    #[command(after_help = "\
The subscription ends with the command. If the connection breaks, another one is made, and the server replays what was missed, as far \
as it has kept it.

Examples:
  trunkline netconf subscribe netconf://ann@router
  trunkline netconf subscribe netconf://ann@router --xpath /IF-MIB:linkDown
  trunkline netconf subscribe netconf://ann@router --since 2026-11-25T08:00:00Z
  trunkline netconf subscribe netconf://ann@router --push /ietf-interfaces:interfaces --period 10s
  trunkline netconf subscribe netconf://ann@router --push /ietf-interfaces:interfaces --on-change")]
    Subscribe(SubscribeArgs),
}

/// The server, and as whom to ask it.
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// The server: netconf://USER@HOST:PORT (SSH), netconf+tls://HOST:PORT, netconf+tcp://HOST:PORT (unprotected),
    /// restconf+https://USER@HOST:PORT, or the name of a target of the configuration (`trunkline help targets`).
    #[arg(display_order = 1, help_heading = ARGUMENTS)]
    pub target: String,
    /// As whom to ask.
    #[command(flatten)]
    pub ends: EndsArgs,
    /// As whom to ask over RESTCONF.
    #[command(flatten)]
    pub http: HttpLoginArgs,
    /// The file of targets; also the variable TRUNKLINE_CONFIG [default: ~/.config/trunkline/config.toml].
    #[arg(long, value_name = "FILE", help_heading = REQUESTS)]
    pub config: Option<PathBuf>,
    /// Act in one of the user's roles, which then bounds each request: the user's own role, or one that it inherits.
    #[arg(long, value_name = "NAME", help_heading = REQUESTS)]
    pub as_role: Option<String>,
    /// Seconds that the server may be silent.
    #[arg(short = 't', long, value_name = "SECONDS", default_value = "30", value_parser = super::parse_seconds, help_heading = REQUESTS)]
    pub timeout: Duration,
    /// Wait at this address until the server calls (RFC 8071) instead of connecting to it: its host and port are then the name by
    /// which its key or certificate is known.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub call_home: Option<SocketAddr>,
    /// Protect messages by the keys in this file (`trunkline rbac token`), on behalf of their role, and accept nothing else. Over netconf+tcp:// the
    /// keys also authenticate the user.
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// The device that must be there (`netconf.device` of its configuration): if the agent says another name, or none, it is sent nothing. With
    /// --keys the name is protected by them.
    #[arg(long, value_name = "NAME")]
    pub device: Option<DeviceName>,
    /// Compress messages if the server can: its replies, and requests without content. Whoever sees how long messages are, also encrypted ones, and can
    /// have text of their own in what you read, can then guess what else is in it. Not over RESTCONF, where HTTP does it.
    #[arg(long, value_name = "ALGORITHM", num_args = 0..=1, require_equals = true, default_missing_value = "zstd", value_parser = ["zlib", "zstd"], help_heading = REQUESTS)]
    pub compress: Option<String>,
    /// Seconds to wait for the call.
    #[arg(long, value_name = "SECONDS", default_value = "120", requires = "call_home", value_parser = super::parse_seconds)]
    pub call_wait: Duration,
}

/// `capabilities`.
#[derive(Debug, Args)]
pub struct CapabilitiesArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Print the URIs as the server sent them, a line each.
    #[arg(long, conflicts_with = "json", help_heading = HERE)]
    pub uris: bool,
    /// Show the namespaces of the modules instead of their features and deviations.
    #[arg(long, conflicts_with_all = ["json", "uris"], help_heading = HERE)]
    pub namespaces: bool,
    /// Write JSON (see docs/json.md).
    #[arg(long, help_heading = HERE)]
    pub json: bool,
}

/// `streams`.
#[derive(Debug, Args)]
pub struct StreamsArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Write JSON (see docs/json.md).
    #[arg(long, help_heading = HERE)]
    pub json: bool,
}

/// `subscribe`.
#[derive(Debug, Args)]
pub struct SubscribeArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The stream; `trunkline netconf streams` lists them [default: NETCONF].
    #[arg(long, value_name = "NAME", help_heading = HERE)]
    pub stream: Option<String>,
    /// Only events that this selects: a path such as /IF-MIB:linkDown, or an XPath expression.
    #[arg(long, value_name = "XPATH", help_heading = HERE)]
    pub xpath: Option<String>,
    /// A prefix of the expression: PREFIX=NAMESPACE; names of modules need none. May be repeated.
    #[arg(long, value_name = "PREFIX=NAMESPACE", value_parser = prefix, help_heading = HERE)]
    pub prefix: Vec<(String, String)>,
    /// Only events that this selects: a file with the content of a subtree filter; - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "xpath", help_heading = HERE)]
    pub filter: Option<PathBuf>,
    /// Data instead of events: what this selects, a path such as /ietf-interfaces:interfaces, or an XPath expression. Needs --period or
    /// --on-change.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["xpath", "filter", "stream", "since", "until"], requires = "when", help_heading = HERE)]
    pub push: Option<String>,
    /// With --push: send the data once in each period, such as 10s or 500ms.
    #[arg(long, value_name = "TIME", requires = "push", value_parser = centiseconds, group = "when", help_heading = HERE)]
    pub period: Option<u32>,
    /// With --push: send all of the data once, and then what changes.
    #[arg(long, requires = "push", group = "when", help_heading = HERE)]
    pub on_change: bool,
    /// With --on-change: the least time from one update to the next [default: 0s].
    #[arg(long, value_name = "TIME", requires = "on_change", value_parser = centiseconds, help_heading = HERE)]
    pub dampening: Option<u32>,
    /// With --push: the datastore [default: operational].
    #[arg(long, value_name = "NAME", requires = "push", help_heading = HERE)]
    pub datastore: Option<String>,
    /// Replay events since this time, such as 2026-11-25T08:00:00Z, before those that follow.
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = HERE)]
    pub since: Option<String>,
    /// With --since: end at this time.
    #[arg(long, value_name = "TIME", requires = "since", value_parser = time, help_heading = HERE)]
    pub until: Option<String>,
    /// Exit after this many events.
    #[arg(long, value_name = "NUMBER", help_heading = HERE)]
    pub count: Option<u64>,
    /// Write a line of JSON for each event (see docs/json.md).
    #[arg(long, conflicts_with = "xml", help_heading = HERE)]
    pub json: bool,
    /// Write each notification as XML.
    #[arg(long, help_heading = HERE)]
    pub xml: bool,
}

/// What of the data is wanted.
#[derive(Debug, Args)]
pub struct SelectArgs {
    /// What is wanted: a path such as /ietf-interfaces:interfaces/interface[name='eth0'], with the names of modules, or an XPath
    /// expression [default: everything].
    #[arg(value_name = "PATH", help_heading = ARGUMENTS)]
    pub xpath: Option<String>,
    /// A prefix of the path or expression: PREFIX=NAMESPACE; names of modules need none. May be repeated.
    #[arg(long, value_name = "PREFIX=NAMESPACE", value_parser = prefix, help_heading = HERE)]
    pub prefix: Vec<(String, String)>,
    /// A file with the content of a subtree filter; - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "xpath", help_heading = HERE)]
    pub subtree: Option<PathBuf>,
    /// What becomes of values that are defaults: report-all, report-all-tagged, trim or explicit (RFC 6243).
    #[arg(long, value_name = "MODE", value_parser = with_defaults, help_heading = HERE)]
    pub with_defaults: Option<WithDefaults>,
    /// Write JSON (RFC 7951) instead of XML: of modules that are not known here every value is a string (see docs/json.md).
    #[arg(long, help_heading = HERE)]
    pub json: bool,
}

/// `get`.
#[derive(Debug, Args)]
pub struct GetArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// What is wanted.
    #[command(flatten)]
    pub select: SelectArgs,
}

/// `get-config`.
#[derive(Debug, Args)]
pub struct GetConfigArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// What is wanted.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Which configuration: running, candidate, startup or a URL.
    #[arg(long, value_name = "STORE", default_value = "running", help_heading = HERE)]
    pub source: StoreName,
}

/// `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The module.
    #[arg(help_heading = ARGUMENTS)]
    pub module: String,
    /// Its revision [default: the only one].
    #[arg(help_heading = ARGUMENTS)]
    pub revision: Option<String>,
    /// yang, yin, xsd, rng or rnc.
    #[arg(long, default_value = "yang", help_heading = HERE)]
    pub format: String,
}

/// `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The one that lines with - are from: running, candidate, startup, a URL, or a file [default: running].
    #[arg(value_name = "FROM", help_heading = ARGUMENTS)]
    pub first: Option<Compared>,
    /// The one that lines with + are from [default: candidate].
    #[arg(value_name = "TO", help_heading = ARGUMENTS)]
    pub second: Option<Compared>,
    /// The same as FROM.
    #[arg(long, value_name = "STORE|FILE", conflicts_with = "first", help_heading = HERE)]
    pub from: Option<Compared>,
    /// The same as TO.
    #[arg(long, value_name = "STORE|FILE", conflicts_with = "second", help_heading = HERE)]
    pub to: Option<Compared>,
}

/// `edit`.
#[derive(Debug, Args)]
pub struct EditArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The file with the change; - for standard input.
    #[arg(help_heading = ARGUMENTS)]
    pub file: PathBuf,
    /// candidate or running [default: candidate if the server has it].
    #[arg(long = "target", value_name = "DATASTORE", value_parser = datastore, help_heading = HERE)]
    pub datastore: Option<Datastore>,
    /// merge, replace or none: what happens to nodes without an operation [default: merge].
    #[arg(long, value_name = "OPERATION", value_parser = default_operation, help_heading = HERE)]
    pub default_operation: Option<DefaultOperation>,
    /// test-then-set, set or test-only.
    #[arg(long, value_name = "OPTION", value_parser = test_option, help_heading = HERE)]
    pub test_option: Option<TestOption>,
    /// stop-on-error, continue-on-error or rollback-on-error.
    #[arg(long, value_name = "OPTION", value_parser = error_option, help_heading = HERE)]
    pub error_option: Option<ErrorOption>,
    /// Leave the candidate as edited.
    #[arg(long, help_heading = HERE)]
    pub no_commit: bool,
    /// Do not ask before the commit, which happens only on a terminal.
    #[arg(short = 'y', long, help_heading = HERE)]
    pub yes: bool,
    /// Undo the commit after so many seconds, unless `trunkline netconf commit --persist-id` confirms it.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "no_commit", help_heading = HERE)]
    pub confirmed: Option<u32>,
    /// With --confirmed: the name by which it is confirmed [default: that of --persist-id, or one that is made up and printed].
    #[arg(long, value_name = "NAME", requires = "confirmed", help_heading = HERE)]
    pub persist: Option<String>,
    /// Confirm the commit with this name, which waits for that, together with this edit; with --confirmed, extend it.
    #[arg(long, value_name = "NAME", conflicts_with = "no_commit", help_heading = HERE)]
    pub persist_id: Option<String>,
}

/// `commit`.
#[derive(Debug, Args)]
pub struct CommitArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Undo it after so many seconds, unless another commit confirms it.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), help_heading = HERE)]
    pub confirmed: Option<u32>,
    /// With --confirmed: the name by which it is confirmed [default: one that is made up and printed].
    #[arg(long, value_name = "NAME", requires = "confirmed", help_heading = HERE)]
    pub persist: Option<String>,
    /// Confirm the commit with this name.
    #[arg(long, value_name = "NAME", help_heading = HERE)]
    pub persist_id: Option<String>,
}

/// `rollback`.
#[derive(Debug, Args)]
pub struct RollbackArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Take back the confirmed commit with this name; without it the candidate's changes are discarded.
    #[arg(long, value_name = "NAME", help_heading = HERE)]
    pub persist_id: Option<String>,
}

/// `cancel`.
#[derive(Debug, Args)]
pub struct CancelArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The name of the commit [default: that of the session, which `trunkline netconf lock` lends].
    #[arg(long, value_name = "NAME", help_heading = HERE)]
    pub persist_id: Option<String>,
}

/// `validate`, `delete`.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Which configuration: running, candidate, startup or a URL.
    #[arg(help_heading = ARGUMENTS)]
    pub store: StoreName,
}

/// `copy`.
#[derive(Debug, Args)]
pub struct CopyArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Which configuration: running, candidate, startup or a URL.
    #[arg(help_heading = ARGUMENTS)]
    pub source: StoreName,
    /// Where to: running, candidate, startup or a URL.
    #[arg(help_heading = ARGUMENTS)]
    pub to: StoreName,
}

/// `lock`.
#[derive(Debug, Args)]
pub struct LockArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Which: running, candidate or startup.
    #[arg(long = "datastore", value_name = "DATASTORE", default_value = "running", value_parser = datastore, help_heading = HERE)]
    pub datastore: Datastore,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM", help_heading = ARGUMENTS)]
    pub program: Vec<String>,
}

/// `kill`.
#[derive(Debug, Args)]
pub struct KillArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The session's number, as lock-denied and ietf-netconf-monitoring have it.
    #[arg(value_parser = clap::value_parser!(u32).range(1..), help_heading = ARGUMENTS)]
    pub session_id: u32,
}

/// `rpc`.
#[derive(Debug, Args)]
pub struct RpcArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// A file with the element of an operation, without the rpc around it; - for standard input.
    #[arg(help_heading = ARGUMENTS)]
    pub file: PathBuf,
}

/// `seal`.
#[derive(Debug, Args)]
pub struct SealArgs {
    /// A file with the element of an operation, without the rpc around it; - for standard input.
    #[arg(help_heading = ARGUMENTS)]
    pub file: PathBuf,
    /// The keys (`trunkline rbac token`): whose rights, and on behalf of which role.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub keys: PathBuf,
    /// The device that is to accept it.
    #[arg(long, value_name = "NAME", help_heading = HERE)]
    pub device: DeviceName,
    /// How long it is accepted, such as 2h or 7d; at most 30d.
    #[arg(long, value_name = "TIME", default_value = "1d", value_parser = validity, help_heading = HERE)]
    pub expires: Duration,
    /// Where to write it [default: standard output].
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub output: Option<PathBuf>,
    /// Replace another file than a sealed message.
    #[arg(long, requires = "output", help_heading = HERE)]
    pub force: bool,
}

/// `relay`.
#[derive(Debug, Args)]
pub struct RelayArgs {
    /// The device.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The sealed message; - for standard input.
    #[arg(help_heading = ARGUMENTS)]
    pub file: PathBuf,
    /// Where to write the reply [default: standard output].
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub output: Option<PathBuf>,
    /// Replace another file than a sealed message.
    #[arg(long, requires = "output", help_heading = HERE)]
    pub force: bool,
}

/// `open`.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// The sealed message.
    #[arg(help_heading = ARGUMENTS, display_order = 1)]
    pub request: PathBuf,
    /// The reply to it; - for standard input.
    #[arg(help_heading = ARGUMENTS, display_order = 2)]
    pub reply: PathBuf,
    /// The keys that have sealed the message.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub keys: PathBuf,
}

/// A configuration by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreName {
    /// A datastore.
    Datastore(Datastore),
    /// A file that the server reaches.
    Url(String),
}

impl std::str::FromStr for StoreName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.contains(':') {
            true => Ok(StoreName::Url(text.to_owned())),
            false => datastore(text).map(StoreName::Datastore).map_err(|words| format!("{words}, or a URL")),
        }
    }
}

/// What `diff` compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// At the server.
    Store(StoreName),
    /// Here.
    File(PathBuf),
}

impl std::str::FromStr for Compared {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_url = text.contains("://") || text.starts_with("file:/");
        if text == "-" || (text.contains(['/', '.']) && !is_url) {
            return Ok(Compared::File(text.into()));
        }
        text.parse()
            .map(Compared::Store)
            .map_err(|words: String| format!("{words} such as file:///NAME, or a file here, as in ./FILE"))
    }
}

/// Date and time of RFC 3339, as events have them; it is sent as it was written.
fn time(text: &str) -> Result<String, String> {
    let expected = "expected date and time with their zone, as in 2026-11-25T08:00:00Z";
    chrono::DateTime::parse_from_rfc3339(text).map(|_| text.to_owned()).map_err(|_| expected.to_owned())
}

/// Hundredths of a second.
fn centiseconds(text: &str) -> Result<u32, String> {
    let time = super::parse_interval(text)?;
    u32::try_from(time.as_millis() / 10).map_err(|error| error.to_string())
}

/// How long a sealed message is accepted.
fn validity(text: &str) -> Result<Duration, String> {
    super::parse_time(text, 30)
}

fn datastore(text: &str) -> Result<Datastore, String> {
    one_of(text, &Datastore::WORDS)
}

fn default_operation(text: &str) -> Result<DefaultOperation, String> {
    one_of(text, &DefaultOperation::WORDS)
}

fn test_option(text: &str) -> Result<TestOption, String> {
    one_of(text, &TestOption::WORDS)
}

fn error_option(text: &str) -> Result<ErrorOption, String> {
    one_of(text, &ErrorOption::WORDS)
}

fn with_defaults(text: &str) -> Result<WithDefaults, String> {
    one_of(text, &WithDefaults::WORDS)
}

fn one_of<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, meant)| *meant);
    found.ok_or_else(|| {
        let expected: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        format!("expected {}", expected.join(", "))
    })
}

fn prefix(text: &str) -> Result<(String, String), String> {
    let (prefix, namespace) = text.split_once('=').ok_or("expected PREFIX=NAMESPACE")?;
    let is_name = !prefix.is_empty()
        && prefix.chars().all(|it| it.is_alphanumeric() || "-_.".contains(it))
        && !prefix.starts_with(|it: char| it.is_numeric() || "-.".contains(it));
    match is_name && !namespace.is_empty() {
        true => Ok((prefix.to_owned(), namespace.to_owned())),
        false => {
            Err("expected PREFIX=NAMESPACE, as in if=urn:ietf:params:xml:ns:yang:ietf-interfaces".to_owned())
        }
    }
}
