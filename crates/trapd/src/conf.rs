//! snmptrapd.conf (snmptrapd.conf(5)).

use std::collections::BTreeMap;
use std::path::PathBuf;

use trunkline_client::EngineId;
use trunkline_netsnmp::arguments::SnmpdArguments;
use trunkline_netsnmp::command_line::{absolute, log_to};
use trunkline_netsnmp::source::{self, Directive};
use trunkline_netsnmp::{Origin, addresses, files, words};
use trunkline_receiver::Network;
use trunkline_smi::Oid;
use trunkline_snmp::SecurityLevel;

use crate::access::{Access, Grant, Seen, Types, Who};
use crate::arguments::{Arguments, LogPlan, NOT_KEPT};
use crate::format::Formats;
use crate::handlers::{Handler, Handlers, What};
use crate::users::{KnownUser, create_user};

/// What the files and the command line say together.
#[derive(Default)]
pub struct Conf {
    /// Who may send what.
    pub access: Access,
    /// Users of SNMPv3.
    pub users: Vec<KnownUser>,
    /// Programs and receivers.
    pub handlers: Handlers,
    /// How notifications are written.
    pub formats: Formats,
    /// `doNotLogTraps`.
    pub is_silent: bool,
    /// `-a`, `ignoreAuthFailure`.
    pub ignores_auth_failures: bool,
    /// `doNotFork`.
    pub foreground: bool,
    /// `outputOption`.
    pub output: Vec<String>,
    /// `snmpTrapdAddr`.
    pub addresses: Vec<String>,
    /// `pidFile`.
    pub pid_file: Option<PathBuf>,
    /// `logOption`.
    pub logs: Vec<LogPlan>,
    /// `exactEngineID`.
    pub engine_id: Option<EngineId>,
    /// What is not done as it is written.
    pub notes: Vec<String>,
    /// The files.
    pub files: Vec<PathBuf>,
}

type Done = Result<(), String>;

/// Lines that are about each other.
#[derive(Default)]
struct Groups {
    /// `com2sec`: security name, sources and community.
    communities: Vec<(String, Vec<Network>, String)>,
    /// `group`: name, model and security name.
    members: Vec<(String, String, String)>,
    /// `usmUser`: users that snmptrapd has written down.
    written: Vec<(Origin, String)>,
    /// `authGroup`, once the others are known.
    granted: Vec<(Origin, Types, Option<String>, String, SecurityLevel, Seen)>,
}

/// The finder of notifications by their names.
pub type Find<'a> = &'a dyn Fn(&str) -> Result<Oid, String>;

/// Reads the files. What is wrong with a line is a note, and the line does nothing.
///
/// # Errors
/// A file that cannot be read.
pub fn read(arguments: &Arguments, find: Find<'_>) -> Result<Conf, String> {
    let named = SnmpdArguments {
        name: "snmptrapd".into(),
        only_named_files: arguments.only_named_files,
        files: arguments.files.clone(),
        ..SnmpdArguments::default()
    };
    let lines = source::read(&files::find(&named), "snmptrapd").map_err(|fault| fault.to_string())?;
    let mut conf = Conf { files: lines.files, ..Conf::default() };
    conf.ignores_auth_failures = arguments.ignores_auth_failures;
    for (origin, directive, why) in lines.problems {
        conf.notes.push(format!("{origin}: {directive}: {why}"));
    }
    let command_line = Origin { file: "command line".into(), line: 0 };
    let more = arguments.directives.iter().map(|(name, rest)| Directive {
        origin: command_line.clone(),
        section: "snmptrapd".into(),
        name: name.clone(),
        rest: rest.clone(),
    });
    let mut groups = Groups::default();
    for directive in lines.directives.into_iter().chain(more) {
        if &*directive.section != "snmptrapd" {
            continue;
        }
        if let Err(why) = conf.take(&directive, &mut groups, find) {
            conf.notes.push(format!("{}: {}: {why}", directive.origin, directive.name));
        }
    }
    conf.join(groups);
    if let Some(format) = &arguments.format {
        conf.formats.set("print", format);
    }
    Ok(conf)
}

/// The directives, for `-H`.
pub const DIRECTIVES: &str = "\
Configuration directives understood:
  In snmptrapd.conf and snmptrapd.local.conf:
    authAccess               TYPES [-s MODEL] GROUP VIEW [LEVEL]
    authCommunity            TYPES COMMUNITY [SOURCE [OID | -v VIEW]]
    authGroup                TYPES [-s MODEL] GROUP [LEVEL [OID | -v VIEW]]
    authUser                 TYPES [-s MODEL] USER [LEVEL [OID | -v VIEW]]
    com2sec                  NAME SOURCE COMMUNITY
    createUser               [-e ENGINEID] NAME [AUTH PASSPHRASE [PRIV [PASSPHRASE]]]
    disableAuthorization     yes | no
    doNotFork                yes | no
    doNotLogTraps            yes | no
    exactEngineID            ENGINEID
    format                   print{,1,2} | syslog{,1,2} | execute{,1,2} FORMAT
    format1, format2         FORMAT
    forward                  OID | default DESTINATION
    group                    NAME MODEL SECURITY-NAME
    ignoreAuthFailure        yes | no
    logOption                as -L
    outputOption             as -O
    pidFile                  FILE
    snmpTrapdAddr            ADDRESS[,ADDRESS]...
    traphandle               OID | OID* | OID.* | default COMMAND
    view                     NAME included | excluded OID
  Accepted, and reported: agentXSocket, addForwarderInfo, engineID, perl, setAccess, sqlMaxQueue, usmUser";

impl Conf {
    fn take(&mut self, directive: &Directive, groups: &mut Groups, find: Find<'_>) -> Done {
        let rest = directive.rest.trim();
        let words = directive.words();
        match directive.name.to_ascii_lowercase().as_str() {
            "disableauthorization" => self.access.is_open = flag(rest)?,
            "authcommunity" => self.access.grants.push(community(&words, find)?),
            "authuser" => {
                let (types, model, name, level, seen) = sender(&words, find)?;
                let (name, sources) = (name.into_bytes(), Vec::new());
                let who = match model.as_deref() {
                    None | Some("usm" | "3") => Who::User(name),
                    Some("tsm" | "4") => Who::Principal(name),
                    Some(other) => return Err(format!("-s {other}: expected usm or tsm")),
                };
                self.access.grants.push(Grant { who, sources, level, seen, types });
            }
            "authgroup" => {
                let (types, model, name, level, seen) = sender(&words, find)?;
                groups.granted.push((directive.origin.clone(), types, model, name, level, seen));
            }
            "authaccess" => {
                let (types, model, name, level, seen) = sender(&access_words(words)?, find)?;
                groups.granted.push((directive.origin.clone(), types, model, name, level, seen));
            }
            "com2sec" => groups.communities.push(com2sec(&words)?),
            "group" => match &words[..] {
                [name, model, member] => {
                    groups.members.push((name.clone(), model.to_ascii_lowercase(), member.clone()));
                }
                _ => return Err("expected a name, a model and a security name".into()),
            },
            "view" => self.view(&words, find)?,
            "createuser" => self.users.push(create_user(words)?),
            "usmuser" => {
                let name = words.get(3).ok_or("has fewer fields than snmptrapd writes")?;
                groups.written.push((directive.origin.clone(), written_name(name)));
            }
            "traphandle" => {
                let (pattern, command) = words::first(rest);
                if command.is_empty() {
                    return Err("lacks its command".into());
                }
                self.handler(directive, &pattern, What::Run(command.to_owned()), find)?;
            }
            "forward" => match &words[..] {
                [pattern, to] => self.handler(directive, pattern, What::Forward(to.clone()), find)?,
                [_, .., _] => {
                    return Err(
                        "options of another receiver are not supported: expected OID and its address".into(),
                    );
                }
                _ => return Err("lacks its destination".into()),
            },
            "format" => {
                let (destination, format) = words::first(rest);
                if !self.formats.set(&destination, format) {
                    return Err(format!(
                        "{destination:?} is not print, syslog or execute, with 1 or 2 or neither"
                    ));
                }
            }
            "format1" => drop(self.formats.set("print1", rest)),
            "format2" => drop(self.formats.set("print2", rest)),
            _ => return self.take_setting(directive, &words),
        }
        Ok(())
    }

    /// Lines about the program rather than about notifications.
    fn take_setting(&mut self, directive: &Directive, words: &[String]) -> Done {
        let rest = directive.rest.trim();
        match directive.name.to_ascii_lowercase().as_str() {
            "ignoreauthfailure" => self.ignores_auth_failures |= flag(rest)?,
            "donotlogtraps" => self.is_silent = flag(rest)?,
            "donotfork" => self.foreground = flag(rest)?,
            "outputoption" => self.output.push(rest.to_owned()),
            "snmptrapdaddr" => {
                self.addresses.extend(rest.split(',').map(|address| address.trim().to_owned()));
            }
            "pidfile" => self.pid_file = Some(absolute(rest)),
            "logoption" => {
                let mut more = words.iter().skip(1).cloned();
                let first = words.first().ok_or("lacks its value")?;
                self.logs.push(LogPlan { to: log_to(first, &mut more)?, appends: false });
            }
            "exactengineid" => {
                self.engine_id = Some(EngineId::from_hex(rest).map_err(|fault| fault.to_string())?);
            }
            // What is not kept need not be switched off; the others are state of snmptrapd.
            "donotretainnotificationlogs"
            | "engineboots"
            | "oldengineid"
            | "setserialno"
            | "engineidtype"
            | "engineidnic" => {}
            "agentxsocket" => return Err(NOT_KEPT.into()),
            "addforwarderinfo" => {
                return Err("what is forwarded stays as it came; a trap of SNMPv1 has its origin".into());
            }
            "engineid" => return Err("use exactEngineID with hexadecimal digits".into()),
            "setaccess" | "access" => {
                return Err(
                    "gives no rights here: use authCommunity, authUser, authGroup or authAccess".into()
                );
            }
            "sqlmaxqueue" | "sqlsaveinterval" => return Err("there is no database: use traphandle".into()),
            "perl" => return Err("Perl is not embedded: use traphandle".into()),
            _ => return Err("unknown directive".into()),
        }
        Ok(())
    }

    fn handler(&mut self, directive: &Directive, pattern: &str, what: What, find: Find<'_>) -> Done {
        let name = format!("{} {}", directive.name, directive.origin);
        self.handlers.add(pattern, Handler { name, what }, find)
    }

    fn view(&mut self, words: &[String], find: Find<'_>) -> Done {
        let (name, kind, subtree) = match words {
            [name, kind, subtree] => (name, kind, subtree),
            [_, _, _, _] => return Err("a mask is not supported".into()),
            _ => return Err("expected a name, included or excluded, and an object identifier".into()),
        };
        let included = match kind.as_str() {
            "included" => true,
            "excluded" => false,
            other => return Err(format!("{other:?}: expected included or excluded")),
        };
        let subtree = find(subtree)?;
        self.access.views.entry(name.clone()).or_default().push((included, subtree));
        Ok(())
    }

    /// Rights of groups, and views that rights name.
    fn join(&mut self, groups: Groups) {
        let Groups { communities, members, granted, written } = groups;
        for (origin, name) in written {
            // Of a user that the files create too, it is only a copy.
            if !self.users.iter().any(|user| user.credentials.name() == name.as_bytes()) {
                let why = "its keys are for the engine ID of snmptrapd: write createUser in snmptrapd.conf";
                self.notes.push(format!("{origin}: usmUser: the user {name:?} is not taken, {why}"));
            }
        }
        for (origin, types, model, group, level, seen) in granted {
            let before = self.access.grants.len();
            for (_, of, member) in members.iter().filter(|(name, ..)| *name == group) {
                if model.as_ref().is_some_and(|model| model != "any" && model != of) {
                    continue;
                }
                let grant = |who, sources, level| Grant { who, sources, level, seen: seen.clone(), types };
                let name = member.clone().into_bytes();
                match of.as_str() {
                    "usm" => self.access.grants.push(grant(Who::User(name), Vec::new(), level)),
                    "tsm" => self.access.grants.push(grant(Who::Principal(name), Vec::new(), level)),
                    _ => {
                        let known = communities.iter().filter(|(name, ..)| name == member);
                        self.access.grants.extend(known.map(|(_, sources, community)| {
                            // A community needs the level `noauth` in the line.
                            grant(Who::Community(community.clone().into_bytes()), sources.clone(), level)
                        }));
                    }
                }
            }
            if self.access.grants.len() == before {
                self.notes.push(format!("{origin}: authGroup: the group {group:?} has no members here"));
            }
        }
        let views: &BTreeMap<_, _> = &self.access.views;
        let missing = self.access.grants.iter().filter_map(|grant| match &grant.seen {
            Seen::View(name) if !views.contains_key(name) => Some(name.clone()),
            _ => None,
        });
        let missing: Vec<String> = missing.collect();
        self.notes
            .extend(missing.iter().map(|name| format!("there is no view {name:?}: it gives no rights")));
    }
}

/// A name in a persistent file: text, or hexadecimal digits after `0x` with an octet 0 at the end.
fn written_name(text: &str) -> String {
    let Some(digits) = text.strip_prefix("0x") else { return text.to_owned() };
    let octets = digits.as_bytes().chunks(2).map_while(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok().filter(|octet| *octet != 0)
    });
    String::from_utf8_lossy(&octets.collect::<Vec<u8>>()).into_owned()
}

fn flag(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "yes" | "true" => Ok(true),
        "0" | "no" | "false" => Ok(false),
        other => Err(format!("{other:?}: expected yes or no")),
    }
}

/// `TYPES COMMUNITY [SOURCE [OID | -v VIEW]]`.
fn community(words: &[String], find: Find<'_>) -> Result<Grant, String> {
    let [types, name, rest @ ..] = words else { return Err("expected types and a community".into()) };
    let (source, rest) = rest.split_first().map_or((None, rest), |(source, rest)| (Some(source), rest));
    Ok(Grant {
        who: Who::Community(name.clone().into_bytes()),
        sources: source.map_or_else(|| Ok(Vec::new()), |source| networks(source))?,
        level: SecurityLevel::NoAuthNoPriv,
        seen: seen(rest, find)?,
        types: Types::parse(types)?,
    })
}

/// `TYPES [-s MODEL] NAME [LEVEL [OID | -v VIEW]]`.
fn sender(
    words: &[String],
    find: Find<'_>,
) -> Result<(Types, Option<String>, String, SecurityLevel, Seen), String> {
    let [types, rest @ ..] = words else { return Err("expected types and a name".into()) };
    let (model, rest) = match rest {
        [option, model, rest @ ..] if option == "-s" => (Some(model.to_ascii_lowercase()), rest),
        rest => (None, rest),
    };
    let [name, rest @ ..] = rest else { return Err("lacks its name".into()) };
    let (level, rest) = match rest.split_first() {
        None => (SecurityLevel::AuthNoPriv, rest),
        Some((level, rest)) => (self::level(level)?, rest),
    };
    Ok((Types::parse(types)?, model, name.clone(), level, seen(rest, find)?))
}

/// `TYPES [-s MODEL] GROUP VIEW [LEVEL [CONTEXT]]` as a line of authGroup.
fn access_words(mut words: Vec<String>) -> Result<Vec<String>, String> {
    let at = if words.get(1).is_some_and(|word| word == "-s") { 3 } else { 1 };
    if words.len() > at + 3 {
        return Err("a context is not compared: leave it out".into());
    }
    if words.len() < at + 2 {
        return Err("expected types, a group and a view".into());
    }
    let view = words.remove(at + 1);
    if words.len() < at + 2 {
        words.push("auth".into());
    }
    words.extend(["-v".to_owned(), view]);
    Ok(words)
}

fn level(text: &str) -> Result<SecurityLevel, String> {
    match text.to_ascii_lowercase().as_str() {
        "noauth" | "noauthnopriv" => Ok(SecurityLevel::NoAuthNoPriv),
        "auth" | "authnopriv" => Ok(SecurityLevel::AuthNoPriv),
        "priv" | "authpriv" => Ok(SecurityLevel::AuthPriv),
        other => Err(format!("{other:?}: expected noauth, auth or priv")),
    }
}

fn seen(words: &[String], find: Find<'_>) -> Result<Seen, String> {
    Ok(match words {
        [] => Seen::All,
        [option, view] if option == "-v" || option == "-V" => Seen::View(view.clone()),
        [subtree] if !subtree.starts_with('-') => Seen::Subtree(find(subtree)?),
        _ => return Err("expected an object identifier or -v VIEW at the end".into()),
    })
}

fn com2sec(words: &[String]) -> Result<(String, Vec<Network>, String), String> {
    match words {
        [option, ..] if option.starts_with('-') => Err(format!("{option} is not supported here")),
        [name, source, community] => Ok((name.clone(), networks(source)?, community.clone())),
        _ => Err("expected a name, a source and a community".into()),
    }
}

/// Where a community comes from; nothing for `default`.
fn networks(text: &str) -> Result<Vec<Network>, String> {
    if text == "default" {
        return Ok(Vec::new());
    }
    let is_v6 = text.contains(':');
    let source = addresses::source(text, is_v6, &trunkline_netsnmp::resolve)?;
    if source.excluded {
        return Err("a source that is shut out is not supported".into());
    }
    source.networks.iter().map(|network| Network::parse(network)).collect()
}
