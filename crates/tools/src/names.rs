//! Names under Net-SNMP's names: which modules are loaded, how a word of the command line becomes an object, and
//! the message if it does not.
//!
//! Where Net-SNMP is set up without MIB texts (Debian's `mibs :`) it prints numbers, and so
//! do we. Names on the command line, which it refuses then, are understood by the built-in
//! modules. A module that is named (`IF-MIB::ifDescr`) is loaded, in both.

use std::path::PathBuf;
use std::sync::Mutex;

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
    /// What was said of modules that are not there.
    missing: Missing,
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
        let missing = Missing::default();
        let more = more.map(|more| load(more, &folders, &missing)).transpose()?;
        let names = load(sources, &folders, &missing)?;
        Ok(Dictionary { names, more, folders, missing, input: settings.input.clone() })
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
        let found = words.iter().map(|word| {
            self.find(word).map_err(|detail| {
                super::messages::tell(&unknown(word, &detail));
                Ended::silent(1)
            })
        });
        // All of them before the end.
        let found: Vec<_> = found.collect();
        found.into_iter().collect()
    }

    /// The object, or Net-SNMP's text in parentheses. A word that is not a name may fit one.
    pub fn find(&self, word: &str) -> Result<Oid, String> {
        let text = self.completed(word);
        if self.input.best_match && !text.contains(':') {
            return self.best(&text);
        }
        let may_fit = !self.input.random_access && !text.contains(':');
        self.named(&text).or_else(|detail| {
            let behind_dot = text.strip_prefix('.').filter(|rest| rest.starts_with(char::is_alphabetic));
            let found = behind_dot.and_then(|rest| self.named(rest).ok());
            found.or_else(|| may_fit.then(|| self.fitting_best(&text))?).ok_or(detail)
        })
    }

    /// The object that has this name, or Net-SNMP's text in parentheses: so `snmptranslate` and files have it.
    pub fn find_named(&self, word: &str) -> Result<Oid, String> {
        let text = self.completed(word);
        if self.input.best_match && !text.contains(':') { self.best(&text) } else { self.named(&text) }
    }

    /// With what `-IS` puts before it, and `-Is` behind it.
    fn completed(&self, word: &str) -> String {
        let Input { prefix, suffix, .. } = &self.input;
        let dot = if suffix.is_empty() || suffix.starts_with('.') { "" } else { "." };
        format!("{prefix}{word}{dot}{suffix}")
    }

    fn named(&self, text: &str) -> Result<Oid, String> {
        let is_number = text.starts_with(|c: char| c.is_ascii_digit());
        let text = match module_of(text) {
            Some((module, name)) => {
                self.load_module(module)?;
                format!("{module}::{name}")
            }
            None if self.input.ucd && is_number => format!(".1.3.6.1.2.1.{text}"),
            None => text.to_owned(),
        };
        let narrow = self.names.resolve_numbers(&text);
        match (narrow, &self.more) {
            (Err(fault), Some(more)) => more.resolve_numbers(&text).map_err(|_| self.detail(&fault)),
            (found, _) => found.map_err(|fault| self.detail(&fault)),
        }
    }

    /// Loads the module of `MODULE::name`: Net-SNMP does, whatever else is loaded.
    fn load_module(&self, module: &str) -> Result<(), String> {
        // Whoever wants no names at all gets none that is built in.
        let loaded = match self.more {
            Some(_) => self.names.require(module),
            None => self.names.require_text(module),
        };
        loaded.map_err(|fault| {
            match fault {
                LoadError::Missing { .. } => self.missing.tell(&self.folders, &[module.to_owned()]),
                fault => super::messages::tell(&fault.to_string()),
            }
            String::new()
        })
    }

    /// Net-SNMP's text in parentheses after `Unknown Object Identifier`.
    fn detail(&self, fault: &ResolveError) -> String {
        match fault {
            ResolveError::UnknownName { name, module: None, .. } if !self.input.random_access => {
                format!("Sub-id not found: (top) -> {name}")
            }
            ResolveError::UnknownModule { .. } | ResolveError::UnknownName { .. } => String::new(),
            ResolveError::UnknownChild { parent, name, .. } => {
                match (parent.as_str(), self.input.random_access) {
                    ("the root", true) => String::new(),
                    ("the root", false) => format!("Sub-id not found: (top) -> {name}"),
                    _ => format!("Sub-id not found: {parent} -> {name}"),
                }
            }
            ResolveError::Index { part, found, .. } => format!("Index out of range: {found} ({part})"),
            ResolveError::Form { text, .. } if matches!(text.as_str(), "" | ".") => {
                "Sub-id not found: (top) -> ".to_owned()
            }
            other => other.to_string(),
        }
    }

    /// The object whose label fits an expression best (`-Ib`); an index may follow.
    fn best(&self, text: &str) -> Result<Oid, String> {
        let (pattern, rest) = text.split_once('.').filter(|(_, rest)| is_index(rest)).unwrap_or((text, ""));
        let found = self.fitting_best(pattern);
        let found = found.ok_or_else(|| format!("Sub-id not found: (top) -> {pattern}"))?;
        let index: Oid = rest.parse().unwrap_or(Oid::EMPTY);
        Ok(found.child(&index))
    }

    /// The same, where the whole text is the expression.
    fn fitting_best(&self, pattern: &str) -> Option<Oid> {
        let expression = expression(pattern).ok().filter(|_| !pattern.is_empty())?;
        let start = |label: &str| expression.find(label).map(|found| found.start());
        self.names.best_match(start).or_else(|| self.more.as_ref()?.best_match(start))
    }

    /// All objects whose label fits an expression, in their order.
    pub fn matching(&self, pattern: &str) -> Result<Vec<Oid>, String> {
        let pattern = expression(pattern)?;
        let found = fitting(&self.names, &pattern);
        Ok(if found.is_empty() { fitting(self.widest(), &pattern) } else { found })
    }
}

/// The module and the rest of `MODULE::name` or `MODULE:name`.
fn module_of(text: &str) -> Option<(&str, &str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let (module, rest) = text.split_once(':').filter(|(module, _)| module.chars().all(is_name))?;
    Some((module, rest.strip_prefix(':').unwrap_or(rest)))
}

fn expression(pattern: &str) -> Result<Regex, String> {
    Regex::new(&format!("(?i){pattern}")).map_err(|_| "bad expression".to_owned())
}

/// The objects of `names` whose label fits.
fn fitting(names: &Names, pattern: &Regex) -> Vec<Oid> {
    names.read_folders();
    let mut found = Vec::new();
    let mut left = vec![Oid::EMPTY];
    while let Some(at) = left.pop() {
        let below = names.children(&at);
        left.extend(below.into_iter().rev().map(|(oid, _)| oid));
        let description = names.describe(&at);
        let is_named = description.named == at.len() && !at.is_empty();
        if is_named && pattern.is_match(description.name) {
            found.push(at);
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
fn load(sources: Sources, shown: &[PathBuf], missing: &Missing) -> Result<Names, Ended> {
    match Names::new(sources.clone()) {
        Err(LoadError::Missing { modules, .. }) => {
            missing.tell(shown, &modules);
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

/// Net-SNMP's messages about modules that it does not find: the folders once, and of a module once in succession.
/// It has the last module.
#[derive(Debug, Default)]
struct Missing(Mutex<Option<String>>);

impl Missing {
    fn tell(&self, folders: &[PathBuf], modules: &[String]) {
        let Ok(mut last) = self.0.lock() else { return };
        for module in modules {
            if last.is_none() {
                // One more folder than Net-SNMP's is searched, and shown if it exists.
                let is_shown = |folder: &&PathBuf| !folder.starts_with("/usr/local") || folder.is_dir();
                let shown = folders.iter().filter(is_shown).map(|folder| folder.display().to_string());
                super::messages::tell(&format!("MIB search path: {}", shown.collect::<Vec<_>>().join(":")));
            }
            if last.as_ref() != Some(module) {
                let named = if module.is_empty() { String::new() } else { format!(" ({module})") };
                super::messages::tell(&format!("Cannot find module{named}: At line 1 in (none)"));
            }
            *last = Some(module.clone());
        }
    }
}

/// Net-SNMP's message for a name that it does not know.
pub fn unknown(word: &str, detail: &str) -> String {
    let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
    format!("{word}: Unknown Object Identifier{detail}")
}
