//! The command line of snmptrapd (snmptrapd(8)).

use std::ffi::OsString;
use std::path::PathBuf;

use trunkline_netsnmp::command_line::{CommandLine, Part};
use trunkline_netsnmp::log_to::LogTo;

/// The parsed command line.
#[derive(Debug)]
pub enum Asked {
    /// To receive.
    Receive(Box<Arguments>),
    /// `-h`.
    Help,
    /// `-v`.
    Version,
    /// `-H`.
    Directives,
}

/// How to receive.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// `-f`: not in the background.
    pub foreground: bool,
    /// Started by this program in the background.
    pub detached: bool,
    /// `-C`: no files but those of `-c`.
    pub only_named_files: bool,
    /// `-c`.
    pub files: Vec<PathBuf>,
    /// `-F`: the format of what is logged with `-L`.
    pub format: Option<String>,
    /// `-n`: addresses have no names.
    pub numeric: bool,
    /// `-t`: without `-L`, notifications do not go to syslog.
    pub without_syslog: bool,
    /// `-a`: authenticationFailure is not logged.
    pub ignores_auth_failures: bool,
    /// `-L`.
    pub logs: Vec<LogPlan>,
    /// `-A`, for the files that follow it.
    appends: bool,
    /// `-p`.
    pub pid_file: Option<PathBuf>,
    /// `-u`.
    pub user: Option<String>,
    /// `-g`.
    group: Option<String>,
    /// `-O`.
    pub output: Vec<String>,
    /// `-m`.
    pub modules: Option<String>,
    /// `-M`.
    pub folders: Option<String>,
    /// Listening addresses.
    pub addresses: Vec<String>,
    /// `--NAME=VALUE`.
    pub directives: Vec<(String, String)>,
    /// About options that have no effect here.
    pub notes: Vec<String>,
}

/// A place for the log, and whether a file is appended to.
#[derive(Clone, Debug, PartialEq)]
pub struct LogPlan {
    /// The place.
    pub to: LogTo,
    /// `-A`.
    pub appends: bool,
}

/// Beside the options of a person: how the program calls itself in the background.
pub const DETACHED: &str = "--trunkline-detached";

/// The output of `-h`.
pub const USAGE: &str = "\
Usage: snmptrapd [OPTIONS] [LISTENING ADDRESSES]

  Trunkline in place of Net-SNMP's snmptrapd; `trunkline listen` has rules, JSON and limits.

  -a              do not log authenticationFailure
  -A              append to the log files that follow rather than truncating them
  -c FILE[,...]   read FILE(s) as configuration file(s)
  -C              do not read the default configuration files
  -d              does nothing here: use tcpdump to see messages
  -D[TOKEN[,..]]  does nothing here
  -f              do not go into the background
  -F FORMAT       the format of what is logged with -L
  -g GID          does nothing here: -u changes the group too
  -h, --help      display this usage message
  -H              display the configuration file directives that are understood
  -I [-]INITLIST  does nothing here
  -L <LOGOPTS>    log to: e (stderr), o (stdout), n (nowhere), f FILE, s FACILITY;
                  E, O, F, S with a priority before the rest
  -m MODULES      MIB modules        -M FOLDERS  where they are
  -n              do not look up the names of addresses
  -O LETTERS      how objects are written, as for snmpget
  -p FILE         store the process id in FILE
  -P LETTERS      does nothing here
  -t              do not log notifications to syslog, where they go without -L
  -u UID          change to this user after binding the sockets
  -v, --version   display version information
  -x ADDRESS, -X  do nothing here: notifications are not kept for a master of AgentX
  --NAME=VALUE    the configuration directive NAME with the value VALUE";

/// Parses the words after the program's name.
///
/// # Errors
/// What is wrong with one of them.
pub fn parse(words: &[String]) -> Result<Asked, String> {
    let mut line = CommandLine::new(words.iter().cloned(), DETACHED);
    let mut arguments = Arguments::default();
    while let Some(part) = line.next_part()? {
        match part {
            Part::Help => return Ok(Asked::Help),
            Part::Version => return Ok(Asked::Version),
            Part::Directives => return Ok(Asked::Directives),
            Part::Detached => arguments.detached = true,
            Part::Directive(name, value) => arguments.directives.push((name, value)),
            Part::Address(address) => arguments.addresses.push(address),
            Part::Letter(letter) => option(&mut arguments, letter, &mut line)?,
        }
    }
    if let Some(group) = arguments.group.as_ref().filter(|group| Some(*group) != arguments.user.as_ref()) {
        arguments.notes.push(format!("-g {group} ignored: -u changes to the groups of its user"));
    }
    Ok(Asked::Receive(Box::new(arguments)))
}

fn option(
    arguments: &mut Arguments,
    letter: char,
    line: &mut CommandLine<impl Iterator<Item = String>>,
) -> Result<(), String> {
    match letter {
        'a' => arguments.ignores_auth_failures = true,
        'A' => arguments.appends = true,
        'c' => arguments.files.extend(line.paths()?),
        'C' => arguments.only_named_files = true,
        'd' => arguments.notes.push("-d: messages are not dumped; use tcpdump".into()),
        // Its tokens must directly follow it.
        'D' => drop(line.attached()),
        'f' => arguments.foreground = true,
        'F' => arguments.format = Some(line.value()?),
        'g' => arguments.group = Some(line.value()?),
        'I' | 'P' => drop(line.value()?),
        'L' => {
            let (to, appends) = (line.log_to()?, arguments.appends);
            arguments.logs.push(LogPlan { to, appends });
        }
        'm' => arguments.modules = Some(line.value()?),
        'M' => arguments.folders = Some(line.value()?),
        'n' => arguments.numeric = true,
        'O' => arguments.output.push(line.value()?),
        'p' => arguments.pid_file = Some(line.path()?),
        't' => arguments.without_syslog = true,
        'u' => arguments.user = Some(line.value()?),
        'x' => {
            line.value()?;
            arguments.notes.push(format!("-x: {NOT_KEPT}"));
        }
        'X' => {}
        _ => return Err(format!("-{letter} is not an option")),
    }
    Ok(())
}

/// About everything that concerns NOTIFICATION-LOG-MIB.
pub const NOT_KEPT: &str =
    "notifications are not kept for NOTIFICATION-LOG-MIB, and no master of AgentX is connected to";

/// The words for the process in the background.
pub fn for_background(words: &[String]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_netsnmp::log_to::Destination;

    fn arguments(line: &str) -> Result<Arguments, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match parse(&words)? {
            Asked::Receive(arguments) => Ok(*arguments),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn command_lines_of_services_are_understood() {
        let debian = arguments("-LOw -f udp:162 udp6:162").unwrap();
        assert!(debian.foreground && debian.logs[0].to.destination == Destination::Stdout);
        assert_eq!(debian.addresses, ["udp:162", "udp6:162"]);
        let other =
            arguments("-nt -On -Lf /a -A -Lf /b -p /run/p -C -c /x,/y -DALL -F %v --pidFile=/z").unwrap();
        assert_eq!((other.logs[0].appends, other.logs[1].appends), (false, true));
        assert_eq!(other.files.len(), 2);
        assert!(other.numeric && other.without_syslog && other.only_named_files);
        assert_eq!(other.directives, [("pidFile".to_owned(), "/z".to_owned())]);
        assert_eq!(arguments("-u snmp -g snmp").unwrap().notes, [""; 0]);
        assert!(arguments("-u snmp -g adm").unwrap().notes[0].starts_with("-g adm ignored"));
        for wrong in ["-Z", "-c", "-Lx", "--name"] {
            assert!(arguments(wrong).is_err(), "{wrong}");
        }
    }
}
