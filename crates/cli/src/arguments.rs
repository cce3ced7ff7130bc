//! The command line: what each command takes, in our options and in Net-SNMP's letters.

pub mod accounts;
mod invoke;
mod machine;
pub mod netconf;
mod notify;
pub mod pki;
pub mod rbac;
mod select;
pub mod targets;

use std::mem::ManuallyDrop;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use trunkline_client::{SCHEMES, Scheme, TableLimit};
use trunkline_jmxclient::JmxTarget;
use trunkline_manual::ManualArguments;
use trunkline_snmp::wire::Compression;

pub use invoke::InvokeArgs;
pub use machine::{AgentsArgs, DfArgs, NetstatArgs, PingArgs, StatusArgs};
pub use notify::{ListenArgs, ListenSshArgs, NotifyArgs, SubscribeArgs};
pub use select::{SelectArgs, ViewArg};
pub use targets::{TargetArg, TargetsArgs, TargetsListArgs};
use trunkline_login::{LoginArgs, in_plain_words, spelled_out};

/// What the command line has in common for all commands, with the list of schemes.
fn after_help() -> String {
    let line = |Scheme { name, port, who, .. }: &Scheme| format!("  {name:<12} {port:>5}  {who}\n");
    let schemes: String = SCHEMES.iter().map(line).collect();
    let jmx: String =
        JMX.iter().map(|(name, port, who)| format!("  {name:<12} {port:>5}  {who}\n")).collect();
    format!("{TARGETS}{schemes}{jmx}\n{REST}")
}

const TARGETS: &str = "\
A TARGET is a URL, SCHEME://WHO@HOST:PORT/OBJECT; CONTEXT/OBJECT may stand for OBJECT. The schemes, their default ports, and WHO:
";

/// The schemes of JVMs, which have MBeans in place of objects.
const JMX: [(&str, u16, &str); 2] =
    [("jmx", JmxTarget::PORT, "JMX user"), ("jmx+tls", JmxTarget::PORT, "JMX user, or the certificate")];

const REST: &str = "\
Net-SNMP's forms work too: HOST, udp:HOST:PORT, tcp:HOST:PORT, udp6:[::1]:161, tlstcp:, dtlsudp:, ssh:.

Over TLS, DTLS and SSH the session authenticates, and SNMPv3 is used unless -v or ?version=2c is given. `trunkline pki` creates \
certificates and keys.

An OBJECT is a name (ifDescr.2, IF-MIB::ifTable, interfaces.ifTable) or an object identifier (1.3.6.1.2.1.2); without one, the \
one in the URL is used.

At jmx:// an OBJECT is an attribute of an MBean: java.lang:type=Memory/HeapMemoryUsage.used; service:jmx:rmi:///jndi/rmi://HOST:PORT/jmxrmi \
is a TARGET too.

Data goes to standard output, messages to standard error.
Exit status: 0 done, 1 the agent returned an error, timed out or sent an invalid response, 2 the command line is wrong, \
130 stopped by Ctrl-C.";

/// Options that only one command has.
const HERE: &str = "This command";
/// Options of commands that ask many agents.
const MANY: &str = "Many agents";

/// The manager: reads, writes, walks, watches and measures agents, over SNMP, SOAP, NETCONF and JMX.
#[derive(Debug, Parser)]
#[command(name = "trunkline", version, about, after_help = after_help(), max_term_width = 110)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands. Only the arguments of the one that runs are made: to make all of them took half of the start.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Read instances.
    #[command(after_help = "\
Examples:
  trunkline get snmp://public@192.0.2.1/sysUpTime.0
  trunkline get -v2c -c public 192.0.2.1 sysDescr.0 IF-MIB::ifDescr.2
  trunkline get -u ann -l authPriv 192.0.2.1 sysName.0   # with the variables
      TRUNKLINE_AUTH_PASSWORD and TRUNKLINE_PRIV_PASSWORD
  trunkline get snmp+tls://router.example/sysUpTime.0    # `trunkline pki` makes certificates
  trunkline get --json localhost:1161 sysName.0 | jq -r '.[0].text'
  trunkline get jmx://localhost:9010/java.lang:type=Memory/HeapMemoryUsage.used")]
    Get(ReadArgs),
    /// Send GetNext: read the next instance after each object.
    #[command(after_help = "\
Example:
  trunkline next localhost:1161 system ifDescr")]
    Next(ReadArgs),
    /// Read many instances with one GetBulk request.
    #[command(after_help = "\
Example:
  trunkline bulk -Cn1 -Cr5 localhost:1161 sysUpTime ifDescr ifOperStatus")]
    Bulk(BulkArgs),
    /// Write instances, all or none of them.
    #[command(after_help = "\
Types: = the module's type, i INTEGER, u Unsigned32, t TimeTicks, a IpAddress,
o OBJECT IDENTIFIER, s text, x hexadecimal, d decimal octets, b BITS,
c Counter32, C Counter64, F D I U Opaque numbers, n NULL.

Examples:
  trunkline set snmp://private@localhost:1161 sysContact.0=ops@example.org
  trunkline set snmp://private@localhost:1161 ifAdminStatus.2=down ifAlias.2=spare
  trunkline set -c private localhost:1161 sysLocation.0 s 'rack 7'
  trunkline set netconf://ann@router /ietf-system:system/contact=ops@example.org
  trunkline set restconf+https://ann@router /ietf-system:system/location=lab
  trunkline set jmx://ann@localhost:9010 java.lang:type=Memory/Verbose=true")]
    Set(SetArgs),
    /// Read everything below an object.
    #[command(after_help = "\
Examples:
  trunkline walk snmp://public@192.0.2.1/IF-MIB::ifTable
  trunkline walk -v2c -c public -On 192.0.2.1 1.3.6.1.2.1.1
  trunkline walk --json localhost:1161 ifXTable | jq -r .text
  trunkline walk jmx://localhost:9010 'java.lang:type=MemoryPool,*'")]
    Walk(WalkArgs),
    /// Read a table and draw it.
    #[command(after_help = "\
Examples:
  trunkline table localhost:1161 ifTable
  trunkline table localhost:1161 ifXTable --columns ifName,ifHighSpeed,ifHCInOctets
  trunkline table --csv localhost:1161 ipAddressTable > addresses.csv
  trunkline table jmx://localhost:9010 'java.lang:type=MemoryPool,*' --columns Type,Usage")]
    Table(TableArgs),
    /// Select services, data and rows by expressions, at the agent where the protocol can.
    #[command(after_help = "\
Over SOAP (soap+http:// and soap+https://) the agent selects; a path in the URL is the service to query. Over SNMP
the manager fetches what is needed and selects it. docs/select.md describes the expressions. Over JMX the JVM selects:
PATH is a name or a pattern of MBeans, and --filter compares whole attributes (docs/jmx-client.md).

Examples:
  trunkline select soap+http://public@192.0.2.1:8080 '{TCP Monitor Srv,NULL,NULL,empty}' \\
      --data '{tcpConnEntry[]}' --filter '{tcpConnLocalPort = 22 OR tcpConnLocalPort = 80}' --explain
  trunkline select snmp://public@192.0.2.1 '{Interfaces}' --data '{ifDescr, ifHighSpeed}' \\
      --filter 'ifOperStatus = up AND ifHighSpeed >= fast' --let fast=1000
  trunkline select localhost:1161 '{eth0}' --json
  trunkline select jmx://localhost:9010 'java.lang:type=MemoryPool,*' --filter \"Type = 'HEAP'\" --data Usage")]
    Select(Box<SelectArgs>),
    /// Show counters as rates per second, other values as they are, again and again.
    #[command(after_help = "\
A counter that wraps still yields a rate; one that was reset (the agent restarted, the
interface's discontinuity time changed) shows `reset` instead of a rate.

Examples:
  trunkline watch localhost:1161 ifInOctets.2 ifOutOctets.2
  trunkline watch --table localhost:1161 ifDescr ifHCInOctets ifHCOutOctets
  trunkline watch --every 10s --count 6 --csv localhost:1161 ifHCInOctets
  trunkline watch jmx://localhost:9010/java.lang:type=Memory/HeapMemoryUsage.used")]
    Watch(WatchArgs),
    /// Call an operation of an MBean of a JVM (JMX).
    #[command(after_help = "\
The operation is one that takes as many parameters as are given; OPERATION(CLASS,CLASS) names one of several. Arrays are
written as in JSON, queries as conditions; null stands for neither.

Examples:
  trunkline invoke jmx://localhost:9010/java.lang:type=Memory/gc
  trunkline invoke jmx://ann@localhost:9010 java.lang:type=Threading/dumpAllThreads false false
  trunkline invoke --json jmx://localhost:9010 'java.lang:type=Threading/getThreadInfo(long,int)' 1 5")]
    Invoke(InvokeArgs),
    /// Show what a machine is and how it is: its uptime, interfaces, load and memory.
    #[command(after_help = "\
Examples:
  trunkline status snmp://public@192.0.2.1
  trunkline status --csv @core > core.csv")]
    Status(StatusArgs),
    /// List the disks of a machine, how large they are and how full.
    #[command(after_help = "\
Examples:
  trunkline df snmp://public@192.0.2.1
  trunkline df --json @core | jq -r '.[] | select(.percent > 90) | .target + \" \" + .name'")]
    Df(DfArgs),
    /// List the sockets of a machine, its routes or its interfaces, or what its protocols have counted.
    #[command(after_help = "\
Examples:
  trunkline netstat snmp://public@192.0.2.1
  trunkline netstat --listening --protocol tcp @core
  trunkline netstat --routes --ipv6 192.0.2.1
  trunkline netstat --interfaces --every 5s --count 12 --csv 192.0.2.1
  trunkline netstat --statistics --protocol tcp,udp --json 192.0.2.1")]
    Netstat(Box<NetstatArgs>),
    /// Ask for sysUpTime again and again: does the agent answer, and how fast?
    #[command(after_help = "\
Each request is sent once (-r repeats it). The exit status is 0 if any was answered.

Examples:
  trunkline ping snmp://public@192.0.2.1
  trunkline ping --count 3 --interval 200ms -t 0.5 @core")]
    Ping(PingArgs),
    /// Send a trap (unconfirmed).
    #[command(after_help = "\
In SNMPv3 the sender is authoritative: the receiver must know the user with our engine ID,
which is generated once and kept in ~/.local/state/trunkline (or $XDG_STATE_HOME/trunkline);
-e and -Z set another one.

Examples:
  trunkline trap -v2c -c public 192.0.2.9 '' linkDown ifIndex.2=2 ifDescr.2=eth1
  trunkline trap -v1 -c public 192.0.2.9 '' coldStart
  trunkline trap -u ann -l authPriv -e 0x80001f8804746573742d 192.0.2.9 '' linkUp ifIndex.2 i 2")]
    Trap(NotifyArgs),
    /// Send an inform (retried until acknowledged).
    #[command(after_help = "\
Example:
  trunkline inform -v2c -c public 192.0.2.9 '' linkDown ifIndex.2=2")]
    Inform(NotifyArgs),
    /// Receive traps and informs, and print them.
    #[command(after_help = "\
A community authenticates nothing, and neither does SNMPv3 at noAuthNoPriv: such notifications
are marked as not authenticated, and --require authPriv refuses them.

The file of --users (TOML, mode 600):
  communities = [\"public\"]       # accept SNMPv1 and SNMPv2c with these only
  [[user]]
  name = \"ann\"
  auth = \"SHA-256\"               # MD5 SHA SHA-224 SHA-256 SHA-384 SHA-512
  priv = \"AES\"                   # DES AES AES-192 AES-256 AES-192-C AES-256-C
  auth-password = \"...\"          # or password = for both, or auth-password-file = FILE
  priv-password = \"...\"

The file of --rules (TOML; docs/notifications.md has all keys). Rules apply in their order:
  [[rule]]
  notification = [\"linkDown\", \"linkUp\"]            # and what is below; also source, user, where
  run = [\"/usr/local/bin/page\", \"ops\"]           # reads what snmptrapd's handlers read
  [[rule]]
  file = { path = \"/var/log/traps.log\", rotate = \"10M\" }
  forward = { to = \"udp:192.0.2.9\" }
SIGHUP opens the files again, SIGUSR1 prints counters.

Examples:
  trunkline listen udp:1162
  trunkline listen --rules rules.toml udp:1162
  trunkline listen tls:10162 dtls:10162 --require authPriv   # with certificates of `trunkline pki`
  trunkline listen --json --require authPriv --users users.toml udp:1162 tcp:1162 | jq .oid")]
    Listen(ListenArgs),
    /// Subscribe to an agent's notifications over SOAP (WS-Eventing), NETCONF, RESTCONF or JMX, and print them.
    #[command(after_help = "\
Over NETCONF and RESTCONF `trunkline netconf subscribe` has more options: expressions, replay, streams.

Examples:
  trunkline subscribe soap+http://public@localhost:8080
  trunkline subscribe soap+http://public@10.0.0.1:8080 linkDown linkUp --at 10.0.0.99:8081
  trunkline subscribe netconf://ann@router IF-MIB::linkDown
  trunkline subscribe restconf+https://ann@router --json
  trunkline subscribe jmx://localhost:9010 'java.lang:type=GarbageCollector,*'")]
    Subscribe(SubscribeArgs),
    /// List, create, change and delete the users of an agent.
    #[command(after_help = "\
Passwords are never taken from the command line: they are in files, in variables, or typed.

Examples:
  trunkline user list core-1
  trunkline user create core-1 wes --from ann
  trunkline user password core-1 wes --old-password-file old --new-password-file new
  trunkline user delete core-1 wes")]
    User(Box<accounts::UserArgs>),
    /// List and change what users of an agent may see and set: groups, their rights, and views.
    #[command(after_help = "\
A user is in a group, a group has rights, rights name views, and a view is made of subtrees (RFC 3415).

Examples:
  trunkline access include core-1 everything iso
  trunkline access grant core-1 readers --read everything
  trunkline access join core-1 wes readers
  trunkline access members core-1")]
    Access(Box<accounts::AccessArgs>),
    /// Create certificates and keys for sessions over TLS, DTLS and SSH.
    #[command(after_help = "\
From nothing to a session that authenticates both ends, on this machine:
  trunkline pki init
  trunkline pki agent localhost
  trunkline pki manager ann")]
    Pki(pki::PkiArgs),
    /// Give out keys of roles for protected messages of NETCONF, deploy them to agents, and revoke roles.
    #[command(after_help = "\
Members of a role get tokens, devices get the keys (docs/rbac.md):
  trunkline rbac init
  trunkline rbac role add operator
  trunkline rbac assign ann operator
  trunkline rbac device add netconf://max@router
  trunkline rbac deploy
  trunkline rbac token ann operator --output ann.toml
  trunkline rbac revoke ann operator")]
    Rbac(Box<rbac::RbacArgs>),
    /// What only NETCONF has: capabilities, schemas, configurations, edits and commits, at any server of NETCONF or RESTCONF.
    #[command(after_help = "\
Objects of MIB modules need none of this: get, next, walk, table and watch take netconf:// and restconf+https:// URLs too. \
Over RESTCONF edits change running at once: no candidate, no locks, no confirmed commits.

Examples:
  trunkline netconf capabilities netconf://ann@router
  trunkline netconf get netconf://ann@router '/if:interfaces/if:interface[if:name = \"eth0\"]' \\
      --prefix if=urn:ietf:params:xml:ns:yang:ietf-interfaces
  trunkline netconf edit netconf://ann@router change.xml --confirmed 120 --persist try-1
  trunkline netconf commit netconf://ann@router --persist-id try-1")]
    Netconf(Box<netconf::NetconfArgs>),
    /// List the named targets and groups of the configuration, without their secrets.
    #[command(after_help = "\
The file (~/.config/trunkline/config.toml, docs/manager.md):
  [defaults]
  user = \"ann\"
  auth-password-file = \"~/.config/trunkline/auth-password\"
  [targets.core-1]
  address = \"192.0.2.1\"
  [groups]
  core = [\"core-1\", \"192.0.2.2\"]

Examples:
  trunkline targets
  trunkline targets @core --json
  trunkline get @core sysUpTime.0")]
    Targets(TargetsListArgs),
    /// Translate names to numbers and back.
    #[command(after_help = "\
Examples:
  trunkline translate IF-MIB::ifDescr.2
  trunkline translate .1.3.6.1.2.1.2.2.1.8
  trunkline translate -Td ifOperStatus
  trunkline translate --tree ifXTable")]
    Translate(TranslateArgs),
    /// Act as one of Net-SNMP's tools, with its options and its output.
    #[command(
        name = "as",
        after_help = "\
Examples:
  trunkline as snmpwalk -v2c -c public -Os localhost system
  trunkline as snmpget -h"
    )]
    As(AsArgs),
    /// Create links named after Net-SNMP's tools; called by such a name, this program acts as that tool.
    #[command(after_help = "\
Example:
  trunkline install-names ~/bin && ~/bin/snmpget -v2c -c public localhost sysDescr.0")]
    InstallNames(InstallNamesArgs),
    /// The laboratory: measure how SNMP fetches ifTable, our agent beside others, and write a report; or run a named
    /// experiment.
    ///
    /// The laboratory is a separate program, trunkline-lab, which this command starts.
    #[command(disable_help_flag = true)]
    Lab(WordsArgs),
    /// Simulate a fleet of SNMP agents, each with an address of its own.
    ///
    /// It is a command of the laboratory's program, trunkline-lab, which this command starts.
    #[command(disable_help_flag = true)]
    Sim(WordsArgs),
    /// Serve many devices, whatever they speak, to a browser.
    ///
    /// The agent's program, trunklined, does it, which this command starts.
    #[command(disable_help_flag = true)]
    Serve(WordsArgs),
    /// Write man pages and shell completions below a directory, such as /usr/share.
    #[command(after_help = "\
Example:
  trunkline manual /usr/local/share")]
    Manual(ManualArguments),
}

/// Parses the command line, or ends the program with a message. Secrets in it are overwritten before it returns.
pub fn read(words: &[String]) -> Cli {
    // Not freed: the program ends soon.
    let mut command = ManuallyDrop::new(Cli::command());
    let matches = command.try_get_matches_from_mut(spelled_out(words.iter().cloned()));
    let matches = matches.unwrap_or_else(|fault| in_plain_words(fault).exit());
    trunkline_login::wipe(words, &matches);
    Cli::from_arg_matches(&matches).unwrap_or_else(|fault| fault.exit())
}

/// As whom to ask, and how patiently.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Session")]
pub struct SessionArgs {
    /// The file with named targets, groups and defaults; also the variable TRUNKLINE_CONFIG
    /// [default: ~/.config/trunkline/config.toml].
    #[arg(long, value_name = "FILE")]
    pub config: Option<std::path::PathBuf>,
    /// As whom to ask.
    #[command(flatten)]
    pub login: LoginArgs,
    /// Seconds to wait for an answer before the request is sent again [default: 1].
    #[arg(short = 't', long, value_name = "SECONDS", value_parser = parse_seconds, help_heading = REQUESTS)]
    pub timeout: Option<Duration>,
    /// How many times a request is sent again [default: 5].
    #[arg(short = 'r', long, value_name = "COUNT", help_heading = REQUESTS)]
    pub retries: Option<u32>,
    /// Seconds for the whole command: what has not answered then has failed [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, help_heading = REQUESTS)]
    pub deadline: Option<Duration>,
    /// Request compressed SNMPv1 or v2c answers: opc, odc or zlib. Agents without compression are queried without it.
    #[arg(long, value_name = "HOW", help_heading = REQUESTS)]
    pub compress: Option<Compression>,
    /// Show each message field by field: its octets and what they mean.
    #[arg(short = 'd', long, help_heading = REQUESTS)]
    pub octets: bool,
    /// With --octets: show the community too, which is otherwise hidden.
    #[arg(long, requires = "octets", help_heading = REQUESTS)]
    pub show_community: bool,
    /// Print no hints, warnings and progress to standard error: errors only.
    #[arg(short = 'q', long, help_heading = "Output")]
    pub quiet: bool,
}

impl SessionArgs {
    /// The wait for an answer.
    pub fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs(1))
    }

    /// How many times a request is sent again.
    pub fn retries(&self) -> u32 {
        self.retries.unwrap_or(5)
    }

    /// How long a request may take with all its repetitions.
    pub fn patience(&self) -> Duration {
        self.timeout().saturating_mul(self.retries().saturating_add(1))
    }
}

/// The heading of what a session asks and how patiently.
const REQUESTS: &str = "Requests";

/// Where names come from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Names")]
pub struct NamesArgs {
    /// MIB modules to read: a list separated by `:`, ALL, +MODULE (in addition), or '' for none at all
    /// (also the variable MIBS).
    #[arg(short = 'm', long = "mibs", value_name = "MODULES")]
    pub modules: Option<String>,
    /// Directories with MIB files, separated by `:`; +DIR after the standard ones, -DIR before them (also the
    /// variable MIBDIRS).
    #[arg(short = 'M', long = "mibdirs", value_name = "DIRS", allow_hyphen_values = true)]
    pub folders: Option<String>,
}

/// How answers are written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write JSON (see docs/json.md): one document; for walk, watch, listen and subscribe one line per record.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Write CSV with a header line.
    #[arg(long)]
    pub csv: bool,
    /// Net-SNMP's output letters: n numbers, f full names, s short names, q Q quick, v values only, e enumerations
    /// as numbers, t ticks as numbers, U no units, a text, x hexadecimal, T text and hexadecimal, b i indexes
    /// as numbers, X indexes in brackets, h no display hints, pPRECISION the form of floating-point numbers (p.2).
    #[arg(short = 'O', value_name = "LETTERS")]
    pub letters: Vec<String>,
    /// Colour: auto (on a terminal without NO_COLOR), always or never.
    #[arg(
        long,
        value_enum,
        default_value_t = Colour::Auto,
        value_name = "WHEN",
        alias = "color",
        hide_possible_values = true
    )]
    pub colour: Colour,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// `get`, `next`.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The agents.
    #[command(flatten)]
    pub targets: TargetsArgs,
    /// As whom to ask.
    #[command(flatten)]
    pub session: SessionArgs,
    /// The objects to read: they begin with the first word that is not written as an agent.
    #[arg(value_name = "OBJECT", help_heading = "Arguments")]
    pub objects: Vec<String>,
    /// Exit with status 1 if an object or instance does not exist, a subtree is empty, or a table has no rows.
    #[arg(long, help_heading = "Output")]
    pub missing_is_error: bool,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How answers are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `bulk`.
#[derive(Debug, Args)]
pub struct BulkArgs {
    /// The agent and the objects.
    #[command(flatten)]
    pub read: ReadArgs,
    /// nNUM: objects that are read once (non-repeaters, 0); rNUM: repetitions of the others (max-repetitions, 10).
    #[arg(short = 'C', value_name = "nNUM|rNUM", help_heading = HERE)]
    pub choices: Vec<String>,
}

/// `set`.
#[derive(Debug, Args)]
pub struct SetArgs {
    /// The agents.
    #[command(flatten)]
    pub targets: TargetsArgs,
    /// As whom to ask.
    #[command(flatten)]
    pub session: SessionArgs,
    /// What to write: OBJECT=VALUE, or OBJECT TYPE VALUE; over NETCONF and RESTCONF PATH=VALUE, a leaf of YANG.
    #[arg(value_name = "OBJECT=VALUE", allow_negative_numbers = true, help_heading = "Arguments")]
    pub assignments: Vec<String>,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How answers are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `walk`.
#[derive(Debug, Args)]
pub struct WalkArgs {
    /// The agent and the objects.
    #[command(flatten)]
    pub read: ReadArgs,
    /// c: continue when object identifiers do not increase; I: no Get of the object itself when nothing is below it;
    /// p: print how many there were; rNUM: repetitions in a request (otherwise tuned automatically).
    #[arg(short = 'C', value_name = "c|I|p|rNUM", help_heading = HERE)]
    pub choices: Vec<String>,
    /// Write what is found to this file as well, in the format of snmpsim (.snmprec); `-`: to standard output instead of
    /// the usual lines.
    #[arg(long, value_name = "FILE", help_heading = HERE)]
    pub record: Option<std::path::PathBuf>,
}

/// `table`.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// The agent and the table.
    #[command(flatten)]
    pub read: ReadArgs,
    /// Only these columns, by name, in this order.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = HERE)]
    pub columns: Vec<String>,
    /// Draw lines of this many characters [default: the terminal's width; without a terminal as wide as needed].
    #[arg(long, value_name = "CHARACTERS", help_heading = HERE)]
    pub width: Option<u16>,
    /// Stop with an error when the table has more rows than this.
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000, help_heading = HERE)]
    pub max_rows: usize,
    /// Stop with an error when the table takes more memory than this, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256, help_heading = HERE)]
    pub max_memory: u32,
}

impl TableArgs {
    /// How much of a table is kept.
    pub fn limit(&self) -> TableLimit {
        let octets = usize::try_from(self.max_memory).unwrap_or(usize::MAX).saturating_mul(1 << 20);
        TableLimit { rows: self.max_rows, octets }
    }
}

/// `watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The agent.
    #[command(flatten)]
    pub target: TargetArg,
    /// As whom to ask.
    #[command(flatten)]
    pub session: SessionArgs,
    /// What to watch: instances, columns or tables.
    #[arg(value_name = "OBJECT", help_heading = "Arguments")]
    pub objects: Vec<String>,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How answers are written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// How often to look: 1s, 500ms, 2m.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval, help_heading = HERE)]
    pub every: Duration,
    /// How many times to show rates [default: until stopped].
    #[arg(long, value_name = "NUMBER", help_heading = HERE)]
    pub count: Option<u64>,
    /// Draw the rows of tables instead of a line for each instance.
    #[arg(long, help_heading = HERE)]
    pub table: bool,
    /// With --table: draw lines of this many characters.
    #[arg(long, value_name = "CHARACTERS", requires = "table", help_heading = HERE)]
    pub width: Option<u16>,
}

/// `translate`.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    /// Names or numbers.
    #[arg(value_name = "OBJECT", required = true)]
    pub objects: Vec<String>,
    /// d: everything known about the object (Net-SNMP's -Td); p: the tree below it (-Tp).
    #[arg(short = 'T', value_name = "LETTERS")]
    pub form: Vec<String>,
    /// Everything known about the object, as with -Td.
    #[arg(long)]
    pub detail: bool,
    /// The tree below the object, as with -Tp.
    #[arg(long)]
    pub tree: bool,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How answers are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `as`.
#[derive(Debug, Args)]
pub struct AsArgs {
    /// snmpget, snmpgetnext, snmpbulkget, snmpwalk, snmpbulkwalk, snmpset, snmptable, snmptranslate, snmptrap,
    /// snmpinform, snmpstatus, snmpdf, snmpnetstat, snmpdelta, snmptest, snmpusm, snmpvacm,
    /// encode_keychange or snmptrapd.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The tool's own command line.
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// `lab`, `sim` and `serve`.
#[derive(Debug, Args)]
pub struct WordsArgs {
    /// Its own command line; `--help` describes it.
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// `install-names`.
#[derive(Debug, Args)]
pub struct InstallNamesArgs {
    /// The directory for the links; created if missing.
    #[arg(value_name = "FOLDER")]
    pub folder: std::path::PathBuf,
    /// What the links point to [default: this program].
    #[arg(long, value_name = "FILE")]
    pub program: Option<std::path::PathBuf>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.parse().map_err(|_| "expected a number of seconds, such as 1 or 0.5".to_owned())?;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err("expected 0.001 to 86400 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    parse_time(text, 1)
}

/// A time of at most so many days.
fn parse_time(text: &str, days: u32) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" if days > 1 => 86_400.0,
        _ if days > 1 => return Err("expected a unit of ms, s, m, h or d".to_owned()),
        _ => return Err("expected a unit of ms, s, m or h".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a time, such as 1s or 500ms".to_owned())?;
    let seconds = number * factor;
    if !(0.01..=86_400.0 * f64::from(days)).contains(&seconds) {
        let most = if days == 1 { "24h".to_owned() } else { format!("{days}d") };
        return Err(format!("from 10ms to {most}"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_lists_the_command_that_writes_man_pages() {
        let help = Cli::command().render_help().to_string();
        assert!(help.lines().any(|line| line.trim_start().starts_with("manual ")), "{help}");
    }

    /// Otherwise it takes the URL behind it for its value.
    #[test]
    fn an_optional_value_needs_an_equals_sign() {
        let mut open = vec![Cli::command()];
        while let Some(mut command) = open.pop() {
            command.build();
            for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
                let least = argument.get_num_args().map_or(1, |number| number.min_values());
                let is_flag = !argument.get_action().takes_values();
                let name = argument.get_id();
                assert!(is_flag || least > 0 || argument.is_require_equals_set(), "{name}");
            }
            open.extend(command.get_subcommands().cloned());
        }
        let words = ["trunkline", "netconf", "get-config", "--compress", "netconf://ann@192.0.2.1"];
        assert!(Cli::try_parse_from(words).is_ok());
        assert!(Cli::try_parse_from(words.map(|word| word.replace("--compress", "--compress=zlib"))).is_ok());
    }

    #[test]
    fn every_option_with_a_secret_is_known_as_one() {
        let mut found: Vec<String> = Vec::new();
        let mut program = Cli::command();
        program.build();
        for command in program.get_subcommands() {
            for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
                let name = argument.get_id().as_str();
                let is_secret =
                    ["password", "_key", "community", "token"].iter().any(|word| name.contains(word));
                let is_path = name.ends_with("_file") || matches!(name, "ssh_key" | "ssh_host_key");
                if is_secret && !is_path && !found.iter().any(|known| known == name) {
                    found.push(name.to_owned());
                }
            }
        }
        found.sort();
        let mut known = trunkline_login::SECRETS.map(str::to_owned);
        known.sort();
        assert_eq!(found, known);
    }

    #[test]
    fn intervals() {
        assert_eq!(parse_interval("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_interval("1"), Ok(Duration::from_secs(1)));
        assert_eq!(parse_interval("1.5m"), Ok(Duration::from_secs(90)));
        assert!(
            parse_interval("0").is_err() && parse_interval("x").is_err() && parse_interval("1d").is_err()
        );
        assert_eq!(parse_time("36h", 30).unwrap(), parse_time("1.5d", 30).unwrap());
        assert_eq!(parse_time("31d", 30).unwrap_err(), "from 10ms to 30d");
    }

    #[test]
    fn net_snmps_short_options_are_understood() {
        let words =
            "trunkline walk -v2c -c public -t 2 -r 1 -Cr20 -Cc -On -OQ -m +FOO-MIB -M -/x localhost ifTable";
        let Ok(Cli { command: Command::Walk(walk) }) = Cli::try_parse_from(words.split(' ')) else {
            panic!("{:?}", Cli::try_parse_from(words.split(' ')));
        };
        assert_eq!(walk.read.session.login.version, Some(trunkline_login::VersionArg::V2c));
        assert_eq!(walk.choices, ["r20", "c"]);
        assert_eq!(walk.read.output.letters, ["n", "Q"]);
        assert_eq!(walk.read.names.folders.as_deref(), Some("-/x"));
        assert_eq!(
            (walk.read.targets.target.as_deref(), &walk.read.objects[..]),
            (Some("localhost"), &["ifTable".to_owned()][..])
        );
    }

    #[test]
    fn negative_values_are_values() {
        let words = ["trunkline", "set", "localhost", "1.3.6.1.4.1.1.0", "i", "-5"];
        let Ok(Cli { command: Command::Set(set) }) = Cli::try_parse_from(words) else { panic!() };
        assert_eq!(set.assignments.last().map(String::as_str), Some("-5"));
    }
}
