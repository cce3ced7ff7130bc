//! snmpd's command line (snmpd(8)).

use std::ffi::OsString;
use std::path::PathBuf;

use crate::command_line::{CommandLine, Part};
use crate::log_to::{Destination, LogTo};

/// The parsed command line.
#[derive(Debug)]
pub enum Asked {
    /// To serve.
    Serve(Box<SnmpdArguments>),
    /// `-h`.
    Help,
    /// `-v`.
    Version,
    /// `-H`.
    Directives,
}

/// How to serve.
#[derive(Clone, Debug, Default)]
pub struct SnmpdArguments {
    /// `-f`: not in the background.
    pub foreground: bool,
    /// `-C`: no files but those of `-c`.
    pub only_named_files: bool,
    /// `-c`.
    pub files: Vec<PathBuf>,
    /// `-p`.
    pub pid_file: Option<PathBuf>,
    /// `-U`: the pid file stays.
    pub keep_pid_file: bool,
    /// `-L`.
    pub logs: Vec<LogTo>,
    /// `-A`: append to log files instead of truncating them.
    pub append: bool,
    /// `-D`: more is logged.
    pub debug: bool,
    /// Listening addresses.
    pub addresses: Vec<String>,
    /// `-u`.
    pub user: Option<String>,
    /// `-g`.
    pub group: Option<String>,
    /// `-n`: the name of configuration files.
    pub name: String,
    /// `-I -mteTrigger`, as in Debian's unit: `monitor`, `defaultMonitors` and `linkUpDownNotifications` do nothing.
    pub without_triggers: bool,
    /// `--NAME=VALUE`.
    pub directives: Vec<(String, String)>,
    /// Started by this program in the background.
    pub detached: bool,
    /// Notes about options that have no effect here.
    pub unsupported: Vec<String>,
}

/// Beside the options of a person: how the program calls itself in the background.
pub const DETACHED: &str = "--trunklined-detached";

/// The output of `-h`.
pub const USAGE: &str = "\
Usage:  snmpd [OPTIONS] [LISTENING ADDRESSES]

  -a              does nothing here: requests are counted, not logged
  -A              append to the log file rather than truncating it
  -c FILE[,...]   read FILE(s) as configuration file(s)
  -C              do not read the default configuration files
  -d              does nothing here: use tcpdump to see messages
  -D[TOKEN[,..]]  log more
  -f              do not go into the background
  -g GID          does nothing here: the user's primary group is used
  -h, --help      display this usage message
  -H              display the configuration file directives that are understood
  -I [-]INITLIST  with -mteTrigger, monitors do nothing; other modules make no difference here
  -L <LOGOPTS>    log to: e (stderr), o (stdout), n (nowhere), f FILE, s FACILITY;
                  E, O, F, S with a priority before the rest
  -m, -M          do nothing here: names need no MIB files
  -n NAME         the configuration files are called NAME.conf
  -p FILE         store the process id in FILE
  -q              does nothing here
  -r              does nothing here: the agent needs no files that only root may read
  -u UID          change to this user after opening the state
  -U              do not remove the pid file at the end
  -v, --version   display version information
  -V              does nothing here
  -x ADDRESS      subagents of AgentX connect at ADDRESS
  -X              not supported under this name: [subagent] of trunklined
  --NAME=VALUE    the configuration directive NAME with the value VALUE";

/// Parses the words after the program's name.
///
/// # Errors
/// What is wrong with one of them.
pub fn parse(words: &[OsString]) -> Result<Asked, String> {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    let mut line = CommandLine::new(words, DETACHED);
    let mut arguments = SnmpdArguments { name: "snmpd".into(), ..SnmpdArguments::default() };
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
    // In Debian's unit both are the same.
    if let Some(group) = arguments.group.as_ref().filter(|group| Some(*group) != arguments.user.as_ref()) {
        arguments.unsupported.push(format!("-g {group} ignored: the user's primary group is used"));
    }
    Ok(Asked::Serve(Box::new(arguments)))
}

fn option(
    arguments: &mut SnmpdArguments,
    letter: char,
    line: &mut CommandLine<impl Iterator<Item = String>>,
) -> Result<(), String> {
    match letter {
        'f' => arguments.foreground = true,
        'C' => arguments.only_named_files = true,
        'c' => arguments.files.extend(line.paths()?),
        'p' => arguments.pid_file = Some(line.path()?),
        'U' => arguments.keep_pid_file = true,
        'A' => arguments.append = true,
        'u' => arguments.user = Some(line.value()?),
        'n' => arguments.name = line.value()?,
        // Its tokens must directly follow it.
        'D' => {
            arguments.debug = true;
            line.attached();
        }
        'L' => arguments.logs.push(line.log_to()?),
        'a' | 'd' | 'q' | 'r' | 'V' => ignored(arguments, letter),
        'I' => {
            let modules = line.value()?;
            let named = |name: &str| modules.trim_start_matches('-').split(',').any(|other| other == name);
            arguments.without_triggers |= modules.starts_with('-') && named("mteTrigger");
        }
        'g' => arguments.group = Some(line.value()?),
        'm' | 'M' | 'y' => drop(line.value()?),
        'x' => {
            let address = line.value()?;
            arguments.directives.push(("master".into(), "agentx".into()));
            arguments.directives.push(("agentXSocket".into(), address));
        }
        'X' => return Err("-X: under this name the agent is not a subagent of AgentX; [subagent] in the configuration of trunklined makes it one".into()),
        _ => return Err(format!("-{letter} is not an option")),
    }
    Ok(())
}

/// Options that change nothing; only those that somebody may miss are reported.
fn ignored(arguments: &mut SnmpdArguments, letter: char) {
    let why = match letter {
        'a' => "-a: requests are counted, not logged; SIGUSR1 logs the counters",
        'd' | 'V' => "messages are not dumped; use tcpdump",
        _ => return,
    };
    arguments.unsupported.push(why.into());
}

impl SnmpdArguments {
    /// Whether stderr is one of the places that are logged to.
    pub fn logs_to_stderr(&self) -> bool {
        self.logs.iter().any(|log| log.destination == Destination::Stderr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Asked, String> {
        parse(&text.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn serve(text: &str) -> SnmpdArguments {
        match check(text) {
            Ok(Asked::Serve(arguments)) => *arguments,
            other => panic!("{text:?} is {other:?}"),
        }
    }

    #[test]
    fn the_usual_command_lines_are_understood() {
        // Debian's unit, Debian's old init script, Red Hat's unit, and what tests write.
        let debian = serve("-LOw -u Debian-snmp -g Debian-snmp -I -smux,mteTrigger,mteTriggerConf -f");
        assert!(debian.foreground && debian.addresses.is_empty());
        assert_eq!((debian.user.as_deref(), &debian.unsupported[..]), (Some("Debian-snmp"), &[][..]));
        for other in ["-u Debian-snmp -g adm", "-g adm"] {
            assert_eq!(serve(other).unsupported, ["-g adm ignored: the user's primary group is used"]);
        }
        assert_eq!(debian.logs[0].destination, Destination::Stdout);
        assert_eq!(debian.logs[0].most, Some(tracing::Level::WARN));
        let old = serve("-LSwd -Lf /dev/null -u snmp -I -smux -p /run/snmpd.pid 127.0.0.1");
        assert_eq!(old.logs[0].destination, Destination::Syslog(nix::syslog::Facility::LOG_DAEMON));
        assert_eq!(old.logs[1].destination, Destination::File("/dev/null".into()));
        assert_eq!(
            (old.pid_file.as_deref(), old.addresses),
            (Some(std::path::Path::new("/run/snmpd.pid")), vec!["127.0.0.1".to_string()])
        );
        let red_hat = serve("-LS0-6d -f");
        assert_eq!(red_hat.logs[0].most, Some(tracing::Level::INFO));
        let test =
            serve("-r -U -fC -c /a,/b -Dusm,vacm -Lo -A --rocommunity=public udp:127.0.0.1:1161 tcp:1161");
        assert!(test.foreground && test.only_named_files && test.keep_pid_file && test.debug && test.append);
        assert_eq!(test.files, [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert_eq!(test.directives, [("rocommunity".to_string(), "public".to_string())]);
        assert_eq!(test.addresses, ["udp:127.0.0.1:1161", "tcp:1161"]);
        assert!(matches!(check("-v"), Ok(Asked::Version)));
        assert!(matches!(check("-f -h"), Ok(Asked::Help)));
        assert!(matches!(check("-H"), Ok(Asked::Directives)));
        assert_eq!(serve("-LF w /tmp/l").logs[0].destination, Destination::File("/tmp/l".into()));
        let master = [("master", "agentx"), ("agentXSocket", "/run/agentx")];
        let directives = serve("-f -x /run/agentx").directives;
        assert!(directives.iter().map(|(name, value)| (&**name, &**value)).eq(master), "{directives:?}");
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, word) in [
            ("-j", "-j"),
            ("-p", "-p"),
            ("-X", "AgentX"),
            ("-Lz", "-Lz"),
            ("-Lf", "file"),
            ("-LS w x", "facility"),
            ("-LE", "priority"),
            ("-LEq", "priority"),
            ("--noValue", "noValue"),
        ] {
            let error = check(text).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
