//! The file of rules: from TOML to checked rules.

use std::path::PathBuf;
use std::time::Duration;

use regex::Regex;
use serde::Deserialize;
use trunkline_client::Version;
use trunkline_smi::Oid;
use trunkline_snmp::SecurityLevel;

use crate::condition::{Condition, Network, Predicate, Test};
use crate::file::FilePlan;
use crate::form::{Form, Forms};
use crate::forward::{ForwardKind, ForwardPlan};
use crate::limits::Limits;
use crate::log::{Facility, LogPlan, Severity};
use crate::program::ProgramPlan;

/// What is wrong with the file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{words}", line_words(.line))]
pub struct RuleError {
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub words: String,
}

fn line_words(line: &Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}: "))
}

/// All rules, in their order.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Whether a notification for which no rule holds is printed.
    pub prints_unmatched: bool,
    /// Bounds.
    pub limits: Limits,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name in messages.
    pub name: String,
    /// The notifications it is for.
    pub condition: Condition,
    /// What is done with them.
    pub actions: Vec<Action>,
    /// What follows.
    pub then: Then,
}

/// What is done with a notification.
#[derive(Clone, Debug)]
pub enum Action {
    /// A program runs with it as its input.
    Run(ProgramPlan),
    /// Another receiver gets it.
    Forward(ForwardPlan),
    /// It is appended to a file.
    File(FilePlan),
    /// The journal or syslog gets it.
    Log(LogPlan),
    /// It is printed to standard output.
    Print,
}

/// What follows a rule that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// The next rule.
    #[default]
    Next,
    /// No further rules.
    Stop,
    /// No further rules, and nothing else is done with it, not even printing for an earlier rule.
    Drop,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFile {
    #[serde(default)]
    unmatched: RawUnmatched,
    #[serde(default)]
    limits: RawLimits,
    #[serde(default)]
    rule: Vec<toml::Spanned<RawRule>>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum RawUnmatched {
    #[default]
    Print,
    Drop,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLimits {
    programs: Option<usize>,
    waiting: Option<usize>,
    timeout: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawRule {
    name: Option<String>,
    #[serde(default)]
    notification: Vec<String>,
    #[serde(default)]
    exactly: bool,
    #[serde(default)]
    source: Vec<String>,
    #[serde(default)]
    community: Vec<String>,
    #[serde(default)]
    user: Vec<String>,
    level: Option<String>,
    #[serde(default)]
    version: Vec<String>,
    #[serde(default, rename = "where")]
    predicates: Vec<RawPredicate>,
    run: Option<Vec<String>>,
    input: Option<Form>,
    timeout: Option<String>,
    forward: Option<RawForward>,
    file: Option<RawFilePlan>,
    #[serde(default)]
    journal: bool,
    syslog: Option<RawSyslog>,
    #[serde(default)]
    print: bool,
    #[serde(default)]
    then: Then,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawPredicate {
    object: String,
    present: Option<bool>,
    equals: Option<toml::Value>,
    differs: Option<toml::Value>,
    matches: Option<String>,
    above: Option<f64>,
    below: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawForward {
    to: String,
    version: Option<String>,
    community: Option<String>,
    community_file: Option<PathBuf>,
    user: Option<String>,
    #[serde(default)]
    kind: ForwardKind,
    timeout: Option<String>,
    retries: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFilePlan {
    path: PathBuf,
    form: Option<Form>,
    rotate: Option<String>,
    keep: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawSyslog {
    #[serde(default)]
    facility: Facility,
    #[serde(default)]
    severity: Severity,
}

impl Rules {
    /// Reads the text of a file. Names are those of `forms`.
    ///
    /// # Errors
    /// [`RuleError`]: what is wrong, and in which line. It shows no value of the file.
    pub fn parse(text: &str, forms: &dyn Forms) -> Result<Self, RuleError> {
        // The parser's own message would show the line, which may hold a community.
        let raw: RawFile = toml::from_str(text).map_err(|fault| RuleError {
            line: fault.span().map(|span| line_of(text, span.start)),
            words: fault.message().to_owned(),
        })?;
        let usual = Limits::default();
        let general = |words: String| RuleError { line: None, words };
        let timeout = raw.limits.timeout.as_deref().map(duration).transpose().map_err(general)?;
        let limits = Limits {
            programs: within(raw.limits.programs, usual.programs, "programs", 256).map_err(general)?,
            waiting: within(raw.limits.waiting, usual.waiting, "waiting", 100_000).map_err(general)?,
            timeout: timeout.unwrap_or(usual.timeout),
        };
        let mut rules = Vec::new();
        for raw in raw.rule {
            let line = line_of(text, raw.span().start);
            let name = raw.get_ref().name.clone().unwrap_or_else(|| format!("{}", rules.len() + 1));
            let rule = raw.into_inner().check(name.clone(), limits, forms);
            rules.push(
                rule.map_err(|words| RuleError { line: Some(line), words: format!("rule {name}: {words}") })?,
            );
        }
        Ok(Rules { rules, prints_unmatched: raw.unmatched == RawUnmatched::Print, limits })
    }

    /// Whether the text holds a secret, so that others must not read the file.
    #[must_use]
    pub fn holds_secrets(&self) -> bool {
        self.rules.iter().flat_map(|rule| &rule.actions).any(|action| {
            matches!(action, Action::Forward(ForwardPlan { community: Some(_), community_file: None, .. }))
        }) || self.rules.iter().any(|rule| !rule.condition.communities.is_empty())
    }
}

impl RawRule {
    fn check(self, name: String, limits: Limits, forms: &dyn Forms) -> Result<Rule, String> {
        let condition = self.condition(forms)?;
        let mut actions = Vec::new();
        if let Some(command) = self.run {
            let timeout = self.timeout.as_deref().map(duration).transpose()?;
            let form = self.input.unwrap_or(Form::Traphandle);
            actions.push(Action::Run(ProgramPlan::new(command, form, timeout.unwrap_or(limits.timeout))?));
        } else if self.input.is_some() || self.timeout.is_some() {
            return Err("`input` and `timeout` need `run`".to_owned());
        }
        if let Some(forward) = self.forward {
            actions.push(Action::Forward(forward.check()?));
        }
        if let Some(file) = self.file {
            actions.push(Action::File(file.check()?));
        }
        if self.journal {
            actions.push(Action::Log(LogPlan::Journal));
        }
        if let Some(syslog) = self.syslog {
            let RawSyslog { facility, severity } = syslog;
            actions.push(Action::Log(LogPlan::Syslog { facility, severity }));
        }
        if self.print {
            actions.push(Action::Print);
        }
        match (self.then, actions.is_empty()) {
            (Then::Drop, false) => {
                Err("`then = \"drop\"` does nothing else: remove its actions, or write \"stop\"".into())
            }
            (Then::Next, true) => {
                Err("it does nothing: add run, forward, file, journal, syslog or print, or \
                 `then = \"stop\"` or \"drop\""
                    .to_owned())
            }
            (then, _) => Ok(Rule { name, condition, actions, then }),
        }
    }

    fn condition(&self, forms: &dyn Forms) -> Result<Condition, String> {
        let octets = |list: &[String]| list.iter().map(|text| text.clone().into_bytes()).collect();
        let notifications: Result<Vec<Oid>, String> =
            self.notification.iter().map(|name| forms.oid(name)).collect();
        let sources: Result<Vec<Network>, String> =
            self.source.iter().map(|text| Network::parse(text)).collect();
        let versions: Result<Vec<Version>, String> = self.version.iter().map(|text| version(text)).collect();
        let predicates: Result<Vec<Predicate>, String> =
            self.predicates.iter().map(|raw| raw.check(forms)).collect();
        Ok(Condition {
            notifications: notifications?,
            exactly: self.exactly,
            sources: sources?,
            communities: octets(&self.community),
            users: octets(&self.user),
            level: self.level.as_deref().map(level).transpose()?,
            versions: versions?,
            predicates: predicates?,
        })
    }
}

impl RawPredicate {
    fn check(&self, forms: &dyn Forms) -> Result<Predicate, String> {
        let object = forms.oid(&self.object)?;
        let mut tests = Vec::new();
        tests.extend(self.present.map(Test::Present));
        tests.extend(self.equals.as_ref().map(plain).transpose()?.map(Test::Equals));
        tests.extend(self.differs.as_ref().map(plain).transpose()?.map(Test::Differs));
        if let Some(text) = &self.matches {
            let expression = Regex::new(text).map_err(|fault| format!("matches: {fault}"))?;
            tests.push(Test::Matches(expression));
        }
        tests.extend(self.above.map(Test::Above));
        tests.extend(self.below.map(Test::Below));
        match (tests.pop(), tests.is_empty()) {
            (Some(test), true) => Ok(Predicate { object, test }),
            _ => Err(format!(
                "where {}: expected exactly one of present, equals, differs, matches, above and below",
                self.object
            )),
        }
    }
}

impl RawForward {
    fn check(self) -> Result<ForwardPlan, String> {
        let version = self.version.as_deref().map(version).transpose()?;
        if self.community.is_some() && self.community_file.is_some() {
            return Err("forward: give either `community` or `community-file`".to_owned());
        }
        if self.user.is_some() && version.is_some_and(|version| version != Version::V3) {
            return Err("forward: `user` is for version v3".to_owned());
        }
        // A session's user is in the address, or its transport knows it.
        let has_user = self.user.is_some() || ["@", "tls:", "ssh:"].iter().any(|part| self.to.contains(part));
        if version == Some(Version::V3) && !has_user {
            return Err("forward: SNMPv3 needs `user`".to_owned());
        }
        if version == Some(Version::V1) && self.kind == ForwardKind::Inform {
            return Err("forward: version v1 has no informs".to_owned());
        }
        Ok(ForwardPlan {
            to: self.to,
            version: version.or(self.user.as_ref().map(|_| Version::V3)),
            community: self.community.map(String::into_bytes),
            community_file: self.community_file,
            user: self.user,
            kind: self.kind,
            timeout: self.timeout.as_deref().map(duration).transpose()?.unwrap_or(Duration::from_secs(2)),
            retries: self.retries.unwrap_or(3).min(20),
        })
    }
}

impl RawFilePlan {
    fn check(self) -> Result<FilePlan, String> {
        if !self.path.is_absolute() {
            return Err(format!("file: {} is not an absolute path", self.path.display()));
        }
        let rotate = self.rotate.as_deref().map(size).transpose()?;
        if self.keep.is_some() && rotate.is_none() {
            return Err("file: `keep` needs `rotate`".to_owned());
        }
        let keep = self.keep.unwrap_or(5);
        if keep > 100 {
            return Err("file: `keep` is at most 100".to_owned());
        }
        Ok(FilePlan { path: self.path, form: self.form.unwrap_or(Form::Text), rotate, keep })
    }
}

/// A value to compare with: text, or a number as it is printed.
fn plain(value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        _ => Err("equals and differs compare with a text or a whole number".to_owned()),
    }
}

fn within(given: Option<usize>, usual: usize, name: &str, most: usize) -> Result<usize, String> {
    match given {
        Some(number) if (1..=most).contains(&number) => Ok(number),
        Some(_) => Err(format!("limits: `{name}` is not in 1 to {most}")),
        None => Ok(usual),
    }
}

fn version(text: &str) -> Result<Version, String> {
    match text {
        "v1" | "1" => Ok(Version::V1),
        "v2c" | "2c" => Ok(Version::V2c),
        "v3" | "3" => Ok(Version::V3),
        other => Err(format!("version {other:?}: expected v1, v2c or v3")),
    }
}

fn level(text: &str) -> Result<SecurityLevel, String> {
    match text.to_ascii_lowercase().as_str() {
        "noauthnopriv" => Ok(SecurityLevel::NoAuthNoPriv),
        "authnopriv" => Ok(SecurityLevel::AuthNoPriv),
        "authpriv" => Ok(SecurityLevel::AuthPriv),
        _ => Err(format!("level {text:?}: expected noAuthNoPriv, authNoPriv or authPriv")),
    }
}

/// `500ms`, `10s`, `2m`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a time: expected one such as \"10s\" or \"500ms\", at most 1h");
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().map_err(|_| wrong())?;
    let milliseconds = match &text[digits..] {
        "ms" => Some(number),
        "s" => number.checked_mul(1000),
        "m" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        _ => None,
    };
    let milliseconds = milliseconds.filter(|found| (1..=3_600_000).contains(found));
    milliseconds.map(Duration::from_millis).ok_or_else(wrong)
}

/// `10M`, `512k`, `1000000`.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a size: expected octets such as \"10M\", at least 1k");
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let octets = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    octets.filter(|octets| *octets >= 1024).ok_or_else(wrong)
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|octet| **octet == b'\n').count() + 1
}
