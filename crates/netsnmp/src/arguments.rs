//! snmpd's command line (snmpd(8)).

use std::ffi::OsString;
use std::path::PathBuf;

use crate::log_to::{Destination, LogTo, facility, priority};

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
  -I [-]INITLIST  does nothing here
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
pub fn parse(words: &[OsString]) -> Result<Asked, String> {
    let mut words = words.iter().map(|word| word.to_string_lossy().into_owned());
    let mut arguments = SnmpdArguments { name: "snmpd".into(), ..SnmpdArguments::default() };
    while let Some(word) = words.next() {
        if word == DETACHED {
            arguments.detached = true;
        } else if word == "--help" {
            return Ok(Asked::Help);
        } else if word == "--version" {
            return Ok(Asked::Version);
        } else if word == "--" {
            arguments.addresses.extend(words.by_ref());
        } else if let Some(directive) = word.strip_prefix("--") {
            let (name, value) =
                directive.split_once('=').ok_or_else(|| format!("--{directive} lacks its =VALUE"))?;
            arguments.directives.push((name.to_string(), value.to_string()));
        } else if let Some(cluster) = word.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            if let Some(asked) = options(&mut arguments, cluster, &mut words)? {
                return Ok(asked);
            }
        } else {
            arguments.addresses.push(word);
        }
    }
    Ok(Asked::Serve(Box::new(arguments)))
}

/// Letters after one `-`; the first that takes a value takes the rest, or the next word.
fn options(
    arguments: &mut SnmpdArguments,
    cluster: &str,
    words: &mut dyn Iterator<Item = String>,
) -> Result<Option<Asked>, String> {
    let mut rest = cluster;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let mut value = || match rest.is_empty() {
            false => Ok(std::mem::take(&mut rest).to_string()),
            true => words.next().ok_or_else(|| format!("-{letter} lacks its value")),
        };
        match letter {
            'f' => arguments.foreground = true,
            'C' => arguments.only_named_files = true,
            'c' => arguments.files.extend(value()?.split(',').map(absolute)),
            'p' => arguments.pid_file = Some(absolute(&value()?)),
            'U' => arguments.keep_pid_file = true,
            'A' => arguments.append = true,
            'u' => arguments.user = Some(value()?),
            'n' => arguments.name = value()?,
            'h' => return Ok(Some(Asked::Help)),
            'v' => return Ok(Some(Asked::Version)),
            'H' => return Ok(Some(Asked::Directives)),
            // Its tokens must directly follow it.
            'D' => {
                arguments.debug = true;
                rest = "";
            }
            'L' => {
                let text = value()?;
                arguments.logs.push(log_to(&text, words)?);
            }
            'a' | 'd' | 'q' | 'r' | 'V' => ignored(arguments, letter),
            'I' => {
                let modules = value()?;
                let named = |name: &str| modules.trim_start_matches('-').split(',').any(|other| other == name);
                arguments.without_triggers |= modules.starts_with('-') && named("mteTrigger");
            }
            'g' | 'm' | 'M' | 'y' => {
                value()?;
                ignored(arguments, letter);
            }
            'x' => {
                let address = value()?;
                arguments.directives.push(("master".into(), "agentx".into()));
                arguments.directives.push(("agentXSocket".into(), address));
            }
            'X' => return Err("-X: under this name the agent is not a subagent of AgentX; [subagent] in the configuration of trunklined makes it one".into()),
            _ => return Err(format!("-{letter} is not an option")),
        }
    }
    Ok(None)
}

/// Options that change nothing; only those that somebody may miss are reported.
fn ignored(arguments: &mut SnmpdArguments, letter: char) {
    let why = match letter {
        'a' => "-a: requests are counted, not logged; SIGUSR1 logs the counters",
        'd' | 'V' => "messages are not dumped; use tcpdump",
        'g' => "-g ignored: the user's primary group is used",
        _ => return,
    };
    arguments.unsupported.push(why.into());
}

fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

/// `e`, `o`, `n`, `f FILE`, `s FACILITY`, and with a priority `E w`, `F w FILE`, `S w d`; each part attached to
/// the previous one, or in the next word.
///
/// # Errors
/// What is expected.
pub fn log_to(text: &str, words: &mut dyn Iterator<Item = String>) -> Result<LogTo, String> {
    let letter = text.chars().next().ok_or("-L lacks a destination")?;
    let mut rest = text[letter.len_utf8()..].trim().to_string();
    let mut more = |rest: &mut String, what: &str| {
        if rest.is_empty() {
            *rest = words.next().ok_or_else(|| format!("-L{letter} lacks its {what}"))?;
        }
        Ok::<_, String>(())
    };
    let mut most = None;
    if letter.is_ascii_uppercase() && letter != 'N' {
        more(&mut rest, "priority")?;
        let (level, behind) = priority(&rest)?;
        most = Some(level);
        rest = behind.trim().to_string();
    }
    let destination = match letter.to_ascii_lowercase() {
        'e' => Destination::Stderr,
        'o' => Destination::Stdout,
        'n' => Destination::Nowhere,
        'f' => {
            more(&mut rest, "file")?;
            Destination::File(absolute(&rest))
        }
        's' => {
            more(&mut rest, "facility")?;
            Destination::Syslog(facility(&rest)?)
        }
        _ => return Err(format!("-L{letter} is not a log destination; expected e, o, n, f or s")),
    };
    Ok(LogTo { destination, most })
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
        assert_eq!(debian.user.as_deref(), Some("Debian-snmp"));
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
