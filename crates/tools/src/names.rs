//! Names under Net-SNMP's names: which modules are loaded, how a word of the command line becomes an object, and
//! the message if it does not.
//!
//! Where Net-SNMP is set up without MIB texts (Debian's `mibs :`) it prints numbers, and so
//! do we. Names on the command line, which it refuses then, are understood by the built-in
//! modules.

use std::path::PathBuf;

use regex::Regex;
use trunkline_mib::{Choice, LoadError, Names, ResolveError, Sources};
use trunkline_smi::Oid;

use super::ended::Ended;
use super::settings::{Input, Settings};
use trunkline_login::Conf;

/// Names for what is printed and what is typed.
#[derive(Debug)]
pub struct Dictionary {
    /// What is printed.
    pub names: Names,
    /// What is typed, where `names` does not know it.
    more: Option<Names>,
    /// Where MIB texts are looked for.
    folders: Vec<PathBuf>,
    input: Input,
}

impl Dictionary {
    /// The names that the options, the variables and the files select, in this order.
    pub fn open(settings: &Settings, conf: &Conf) -> Result<Self, Ended> {
        let variable = |name| std::env::var(name).ok();
        let home = variable("HOME");
        let asked = settings.modules.clone().or_else(|| variable("MIBS"));
        let folders =
            settings.folders.clone().or_else(|| variable("MIBDIRS")).or_else(|| joined(conf, "mibdirs"));
        let configured = joined(conf, "mibs");
        let asked_none = asked.as_deref().is_some_and(|list| list.trim_matches(':').is_empty());
        let modules = asked.or(configured);
        let mut sources = Sources::net_snmp(modules.as_deref(), folders.as_deref(), home.as_deref());
        sources = sources.with_skipped(|skipped| super::messages::tell(&skipped.to_string()));
        let folders = sources.folders.clone();
        // If two folders have the same module, Net-SNMP uses that of the later one.
        sources.folders.reverse();
        // Input is resolved with all modules, output is what Net-SNMP would print.
        let is_strict = asked_none || sources.choice == Choice::All;
        let more = (!is_strict).then(|| sources.clone().with_choice(Choice::AsNeeded));
        sources.choice = match sources.choice {
            Choice::AsNeeded => Choice::Listed { at_once: Vec::new(), later: default_modules() },
            Choice::Only(modules) => Choice::Exactly(modules),
            Choice::And(at_once) => Choice::Listed { at_once, later: default_modules() },
            other => other,
        };
        let more = more.map(|more| load(more, &folders)).transpose()?;
        Ok(Dictionary { names: load(sources, &folders)?, more, folders, input: settings.input.clone() })
    }

    /// The names that know most: those for what is typed.
    pub fn widest(&self) -> &Names {
        self.more.as_ref().unwrap_or(&self.names)
    }

    /// The names that resolve a word of the command line: those of the output, if they can.
    pub fn names_for(&self, word: &str) -> &Names {
        if self.names.resolve_numbers(word).is_ok() { &self.names } else { self.widest() }
    }

    /// The object that a word of the command line names.
    pub fn object(&self, word: &str) -> Result<Oid, Ended> {
        self.find(word).map_err(|detail| Ended::failed(unknown(word, &detail)))
    }

    /// All of the words as objects. Each that cannot be resolved is reported; one is enough to end.
    pub fn objects(&self, words: &[String]) -> Result<Vec<Oid>, Ended> {
        let found: Vec<_> = words.iter().map(|word| (word, self.find(word))).collect();
        for (word, found) in &found {
            if let Err(detail) = found {
                super::messages::tell(&unknown(word, detail));
            }
        }
        found.into_iter().map(|(_, found)| found.map_err(|_| Ended::silent(1))).collect()
    }

    /// The object, or Net-SNMP's text in parentheses.
    pub fn find(&self, word: &str) -> Result<Oid, String> {
        let text = format!("{}{word}{}", self.input.prefix, self.input.suffix);
        let is_number = text.starts_with(|c: char| c == '.' || c.is_ascii_digit());
        if self.input.best_match && !is_number {
            return self.best(&text);
        }
        let text = match self.input.ucd && text.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!(".1.3.6.1.2.1.{text}"),
            false => text,
        };
        let narrow = self.names.resolve_numbers(&text);
        match (narrow, &self.more) {
            (Err(fault), Some(more)) => more.resolve_numbers(&text).map_err(|_| self.detail(&fault)),
            (found, _) => found.map_err(|fault| self.detail(&fault)),
        }
    }

    /// Net-SNMP's text in parentheses after `Unknown Object Identifier`.
    fn detail(&self, fault: &ResolveError) -> String {
        match fault {
            ResolveError::UnknownModule { module, .. } => {
                super::messages::tell(&missing(&self.folders, module));
                String::new()
            }
            ResolveError::UnknownName { name, module: None, .. } => {
                format!("Sub-id not found: (top) -> {name}")
            }
            ResolveError::UnknownName { .. } => String::new(),
            ResolveError::UnknownChild { parent, name, .. } => {
                format!("Sub-id not found: {parent} -> {name}")
            }
            ResolveError::Index { part, found, .. } => format!("Index out of range: {found} ({part})"),
            ResolveError::Form { text, .. } if matches!(text.as_str(), "" | ".") => {
                "Sub-id not found: (top) -> ".to_owned()
            }
            other => other.to_string(),
        }
    }

    /// The object whose label fits an expression best: the one of whose label the least is left over,
    /// then that with the shortest path, then the first.
    fn best(&self, text: &str) -> Result<Oid, String> {
        let (pattern, rest) = text.split_once('.').filter(|(_, rest)| is_index(rest)).unwrap_or((text, ""));
        let found = self.fitting(pattern)?.into_iter().min_by_key(|(oid, left_over)| (*left_over, oid.len()));
        let (found, _) = found.ok_or_else(|| format!("Sub-id not found: (top) -> {pattern}"))?;
        let index: Oid = rest.parse().unwrap_or(Oid::EMPTY);
        Ok(found.child(&index))
    }

    /// All objects whose label fits an expression, in their order.
    pub fn matching(&self, pattern: &str) -> Result<Vec<Oid>, String> {
        Ok(self.fitting(pattern)?.into_iter().map(|(oid, _)| oid).collect())
    }

    /// The same, each with how many characters of its label do not belong to what fits.
    fn fitting(&self, pattern: &str) -> Result<Vec<(Oid, usize)>, String> {
        let pattern = Regex::new(&format!("(?i){pattern}")).map_err(|_| "bad expression".to_owned())?;
        let found = fitting(&self.names, &pattern);
        Ok(if found.is_empty() { fitting(self.widest(), &pattern) } else { found })
    }
}

/// The objects of `names` whose label fits, each with how many characters of it do not belong to what fits.
fn fitting(names: &Names, pattern: &Regex) -> Vec<(Oid, usize)> {
    names.read_folders();
    let mut found = Vec::new();
    let mut left = vec![Oid::EMPTY];
    while let Some(at) = left.pop() {
        let below = names.children(&at);
        left.extend(below.into_iter().rev().map(|(oid, _)| oid));
        let description = names.describe(&at);
        let label = description.name;
        let fits = pattern.find(label).filter(|_| description.named == at.len() && !at.is_empty());
        if let Some(fits) = fits {
            found.push((at, label.len() - fits.len()));
        }
    }
    found
}

fn is_index(text: &str) -> bool {
    !text.is_empty()
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit()))
}

/// The modules that Net-SNMP reads by default.
fn default_modules() -> Vec<String> {
    const NAMES: &str = "SNMPv2-MIB IF-MIB IP-MIB TCP-MIB UDP-MIB HOST-RESOURCES-MIB NOTIFICATION-LOG-MIB \
        DISMAN-EVENT-MIB DISMAN-SCHEDULE-MIB HOST-RESOURCES-TYPES MTA-MIB NETWORK-SERVICES-MIB UCD-DISKIO-MIB \
        UCD-DLMOD-MIB LM-SENSORS-MIB UCD-SNMP-MIB UCD-DEMO-MIB SNMP-TARGET-MIB NET-SNMP-AGENT-MIB \
        SNMP-FRAMEWORK-MIB SNMP-MPD-MIB SNMP-USER-BASED-SM-MIB SNMP-VIEW-BASED-ACM-MIB SNMP-COMMUNITY-MIB \
        IPV6-ICMP-MIB IPV6-MIB IPV6-TCP-MIB IPV6-UDP-MIB IP-FORWARD-MIB NET-SNMP-PASS-MIB NET-SNMP-EXTEND-MIB \
        SNMP-NOTIFICATION-MIB SNMPv2-TM NET-SNMP-VACM-MIB";
    NAMES.split_whitespace().map(str::to_owned).collect()
}

/// The lines of this token; one with `+` or `-` is in addition to those before it.
fn joined(conf: &Conf, token: &str) -> Option<String> {
    conf.tokens.iter().filter(|line| line.name == token).fold(None, |before: Option<String>, line| {
        match (before, line.value.strip_prefix(['+', '-'])) {
            (Some(before), Some(more)) => Some(format!("{before}:{more}")),
            _ => Some(line.value.clone()),
        }
    })
}

/// Reads the modules. A missing one is reported and skipped: the tool continues without it.
fn load(sources: Sources, shown: &[PathBuf]) -> Result<Names, Ended> {
    match Names::new(sources.clone()) {
        Err(LoadError::Missing { modules, .. }) => {
            modules.iter().for_each(|module| super::messages::tell(&missing(shown, module)));
            let left = |list: Vec<String>| list.into_iter().filter(|name| !modules.contains(name)).collect();
            let choice = match sources.choice.clone() {
                Choice::Exactly(list) => Choice::Exactly(left(list)),
                Choice::Listed { at_once, later } => Choice::Listed { at_once: left(at_once), later },
                other => other,
            };
            Names::new(sources.with_choice(choice)).map_err(|fault| Ended::failed(fault.to_string()))
        }
        found => found.map_err(|fault| Ended::failed(fault.to_string())),
    }
}

/// Net-SNMP's message for a module that it does not find.
fn missing(folders: &[PathBuf], module: &str) -> String {
    // One more folder than Net-SNMP's is searched, and shown if it exists.
    let is_shown = |folder: &&PathBuf| !folder.starts_with("/usr/local") || folder.is_dir();
    let folders: Vec<String> =
        folders.iter().filter(is_shown).map(|folder| folder.display().to_string()).collect();
    format!("MIB search path: {}\nCannot find module ({module}): At line 1 in (none)", folders.join(":"))
}

/// Net-SNMP's message for a name that it does not know.
pub fn unknown(word: &str, detail: &str) -> String {
    let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
    format!("{word}: Unknown Object Identifier{detail}")
}
