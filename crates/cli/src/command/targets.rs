//! `trunkline targets`: the named targets and groups of the configuration, without their secrets.

use std::io::Write;

use serde::Serialize;
use trunkline_jmxclient::JmxTarget;
use trunkline_login::targets::{Settings, Targets};

use super::table::width;
use crate::arguments::TargetsListArgs;
use crate::connect::say;
use crate::error::Error;
use crate::print::{Form, Printer};
use trunkline_show::draw::Drawing;

/// A target; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Record {
    name: String,
    address: String,
    version: Option<&'static str>,
    /// The user of SNMPv3.
    user: Option<String>,
    level: Option<&'static str>,
    /// Where its secrets come from: `community: file F`.
    secrets: Vec<String>,
    groups: Vec<String>,
}

const HEADER: [&str; 7] = ["name", "address", "version", "user", "level", "secrets", "groups"];

/// Runs the command.
pub fn run<W: Write>(arguments: &TargetsListArgs, printer: &mut Printer<'_, W>) -> Result<(), Error> {
    let targets = Targets::read(arguments.config.as_deref())?;
    let mut names: Vec<String> = Vec::new();
    if arguments.names.is_empty() {
        names.extend(targets.named.keys().cloned());
    }
    for word in &arguments.names {
        if !targets.knows(word) {
            return Err(Error::Usage(format!("{word} is not a target; a group is written @{word}")));
        }
        names.extend(targets.choose(word)?.into_iter().map(|chosen| chosen.label));
    }
    if names.is_empty() {
        match &targets.path {
            Some(path) => say(&format!("{} names no targets", path.display())),
            None => say("there is no file with targets: `trunkline help targets` shows one"),
        }
    }
    let records: Vec<Record> = names.iter().map(|name| record(name, &targets)).collect();
    match printer.form() {
        Form::Text => {
            let drawing = Drawing {
                header: HEADER.map(str::to_owned).into(),
                keys: 1,
                rows: records.iter().map(|record| record.cells("-").into()).collect(),
                numeric: Vec::new(),
            };
            if !records.is_empty() {
                printer.text(&drawing.draw(width(arguments.width)))?;
            }
        }
        Form::Csv => records.iter().try_for_each(|record| printer.row(&HEADER, &record.cells("")))?,
        Form::Json | Form::JsonLines => records.iter().try_for_each(|record| printer.object(record))?,
    }
    Ok(printer.finish()?)
}

fn record(name: &str, targets: &Targets) -> Record {
    let none = Settings::default();
    let named = targets.named.get(name);
    let own = named.map_or(&none, |named| &named.settings);
    let defaults = &targets.defaults;
    // A community of the target stands before a user of the defaults, and the other way round.
    let is_of_communities = own.community.is_some() && own.user.is_none();
    let user = own.user.clone().or_else(|| defaults.user.clone()).filter(|_| !is_of_communities);
    let is_jvm = named.is_some_and(|named| JmxTarget::is_meant(&named.address));
    let user =
        if is_jvm { own.ends.jmx_user.clone().or_else(|| defaults.ends.jmx_user.clone()) } else { user };
    let version = own.version.filter(|_| !is_jvm).or(if is_jvm {
        None
    } else if is_of_communities {
        Some(trunkline_login::VersionArg::V2c)
    } else {
        defaults.version.or_else(|| user.as_ref().map(|_| trunkline_login::VersionArg::V3))
    });
    let level = own.level.or(defaults.level).filter(|_| user.is_some() && !is_jvm);
    let secret = |what: &str, own: &Option<_>, default: &Option<_>| {
        let of: Option<&trunkline_login::targets::SecretOf> = own.as_ref().or(default.as_ref());
        of.map(|of| format!("{what}: {}", of.origin()))
    };
    let secrets = match user {
        _ if is_jvm => {
            let file = own.ends.jmx_password_file.as_ref().or(defaults.ends.jmx_password_file.as_ref());
            [file.map(|file| format!("password: file {}", file.display())), None]
        }
        Some(_) => {
            [secret("auth", &own.auth, &defaults.auth), secret("priv", &own.privacy, &defaults.privacy)]
        }
        None => [secret("community", &own.community, &defaults.community), None],
    };
    let is_in = |group: &&String| {
        let members = targets.choose(&format!("@{group}")).unwrap_or_default();
        members.iter().any(|member| member.label == name)
    };
    Record {
        name: name.to_owned(),
        address: named.map_or_else(|| name.to_owned(), |named| without_secret(&named.address)),
        version: version.map(|version| version.name()),
        user,
        level: level.map(|level| level.name()),
        secrets: secrets.into_iter().flatten().collect(),
        groups: targets.groups.keys().filter(is_in).cloned().collect(),
    }
}

/// A URL without the community or the password in it.
fn without_secret(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((who, host)) => {
            // Before a colon is a user, over SNMP without one a community.
            let who = who.split_once(':').map_or("...", |(user, _)| user);
            format!("{scheme}://{who}@{host}{path}")
        }
        None => address.to_owned(),
    }
}

impl Record {
    fn cells(&self, missing: &str) -> [String; 7] {
        let or = |text: Option<&str>| text.unwrap_or(missing).to_owned();
        let list = |list: &Vec<String>| if list.is_empty() { missing.to_owned() } else { list.join(", ") };
        [
            self.name.clone(),
            self.address.clone(),
            or(self.version),
            or(self.user.as_deref()),
            or(self.level),
            list(&self.secrets),
            list(&self.groups),
        ]
    }
}
