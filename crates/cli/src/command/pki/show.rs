//! `trunkline pki show`: the contents of a certificate, and the list of certificates.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use trunkline_client::transport::files;
use trunkline_pki::{Certificate, Directory, Entry, Error as PkiError, Name, Role, Validity};
use trunkline_smi::visible;

use crate::arguments::pki::ShowArgs;
use crate::error::Error;

/// Shows one certificate, or lists all.
pub fn run(directory: &Directory, options: &ShowArgs, out: &mut impl Write) -> Result<(), Error> {
    let entries = directory.issued()?;
    let now = chrono::Utc::now().timestamp();
    let Some(which) = &options.which else { return list(directory, &entries, options.json, now, out) };
    let mut shown = Vec::new();
    for file in files(directory, which)? {
        let certificate = read(&file)?;
        let entry = entries.iter().find(|entry| entry.fingerprint == certificate.fingerprint());
        shown.push(Shown::new(&file, &certificate, entry, now));
    }
    if options.json {
        return json(&shown, out);
    }
    for (place, one) in shown.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        one.write(out)?;
    }
    Ok(())
}

/// A certificate, with the fields of the output.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    file: String,
    subject: String,
    issuer: String,
    names: Vec<String>,
    key: String,
    serial: String,
    fingerprint: String,
    not_before: String,
    not_after: String,
    authority: bool,
    state: &'static str,
    days_left: i64,
}

impl Shown {
    fn new(file: &Path, certificate: &Certificate, entry: Option<&Entry>, now: i64) -> Self {
        let validity = certificate.validity();
        Shown {
            file: file.display().to_string(),
            subject: certificate.subject().to_owned(),
            issuer: certificate.issuer().to_owned(),
            names: certificate.alternative_names().iter().map(ToString::to_string).collect(),
            key: certificate.key().to_owned(),
            serial: certificate.serial().iter().map(|octet| format!("{octet:02x}")).collect(),
            fingerprint: certificate.fingerprint().to_string(),
            not_before: date(validity.not_before.unix_timestamp()),
            not_after: date(validity.not_after.unix_timestamp()),
            authority: certificate.is_authority(),
            state: state(validity, entry.is_some_and(|entry| entry.revoked.is_some()), now),
            days_left: days_left(validity, now),
        }
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Error> {
        let signed = if self.issuer == self.subject { "itself" } else { self.issuer.as_str() };
        let names = if self.names.is_empty() { "-".to_owned() } else { self.names.join(", ") };
        writeln!(out, "{}", visible(&self.file))?;
        writeln!(out, "  subject      {}", visible(&self.subject))?;
        writeln!(out, "  names        {}", visible(&names))?;
        writeln!(out, "  signed by    {}", visible(signed))?;
        writeln!(out, "  key          {}", visible(&self.key))?;
        writeln!(out, "  serial       {}", self.serial)?;
        let (hash, digits) = self.fingerprint.split_at(self.fingerprint.len() / 2 + 4);
        writeln!(out, "  fingerprint  {hash}\n               {digits}")?;
        writeln!(out, "  valid        {} to {}", self.not_before, self.not_after)?;
        Ok(writeln!(out, "  state        {}", words(self.state, self.days_left))?)
    }
}

/// A line of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    role: &'static str,
    name: String,
    state: &'static str,
    days_left: i64,
    not_after: String,
    fingerprint: String,
    default: bool,
    /// A later one has replaced its file; its holder can still use it.
    replaced: bool,
    self_signed: bool,
}

fn list(
    directory: &Directory,
    entries: &[Entry],
    as_json: bool,
    now: i64,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut lines = Vec::new();
    if directory.authority_certificate().exists() {
        let certificate = read(&directory.authority_certificate())?;
        lines.push(Line {
            role: "authority",
            name: certificate.common_name().unwrap_or("ca").to_owned(),
            state: state(certificate.validity(), false, now),
            days_left: days_left(certificate.validity(), now),
            not_after: date(certificate.validity().not_after.unix_timestamp()),
            fingerprint: certificate.fingerprint().to_string(),
            default: false,
            replaced: false,
            self_signed: true,
        });
    }
    lines
        .extend(entries.iter().enumerate().map(|(place, entry)| line(directory, entries, place, entry, now)));
    if as_json {
        return json(&lines, out);
    }
    if lines.is_empty() {
        return Err(PkiError::NoAuthority { directory: directory.path().to_owned() }.into());
    }
    let width = lines.iter().map(|line| visible(&line.name).chars().count()).max().unwrap_or(0).max(4);
    writeln!(out, "{:9}  {:width$}  {:10}  STATE", "ROLE", "NAME", "UNTIL")?;
    for line in &lines {
        let until = line.not_after.get(..10).unwrap_or_default();
        let mut state = words(line.state, line.days_left);
        let marks = [(line.default, "default"), (line.replaced, "replaced")];
        let own = line.self_signed && line.role != "authority";
        for (_, mark) in marks.into_iter().chain([(own, "self-signed")]).filter(|(is, _)| *is) {
            state = format!("{state}, {mark}");
        }
        writeln!(out, "{:9}  {:width$}  {until}  {state}", line.role, visible(&line.name))?;
    }
    Ok(())
}

fn line(directory: &Directory, entries: &[Entry], place: usize, entry: &Entry, now: i64) -> Line {
    let later = entries.iter().skip(place + 1);
    let replaced = later.into_iter().any(|other| other.role == entry.role && other.name == entry.name);
    let default = fs::read_link(directory.default_files(entry.role).certificate);
    let own = PathBuf::from(entry.role.folder()).join(format!("{}.pem", entry.name));
    Line {
        role: entry.role.name(),
        name: entry.name.to_string(),
        state: state(entry.validity, entry.revoked.is_some(), now),
        days_left: days_left(entry.validity, now),
        not_after: date(entry.validity.not_after.unix_timestamp()),
        fingerprint: entry.fingerprint.to_string(),
        default: !replaced && default.is_ok_and(|target| target == own),
        replaced,
        self_signed: entry.self_signed,
    }
}

/// The selected files: a name may have an agent's and a manager's.
fn files(directory: &Directory, which: &str) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    if which == "ca" {
        found.push(directory.authority_certificate());
    } else if let Ok(name) = Name::new(which) {
        found.extend([Role::Agent, Role::Manager].map(|role| directory.files(role, &name).certificate));
    } else if let Some((role, name)) = [Role::Agent, Role::Manager]
        .into_iter()
        .find_map(|role| Some((role, which.strip_prefix(role.folder())?.strip_prefix('/')?)))
    {
        found.extend(Name::new(name).map(|name| directory.files(role, &name).certificate));
    }
    found.retain(|file| file.exists());
    if found.is_empty() && Path::new(which).is_file() {
        found.push(PathBuf::from(which));
    }
    if found.is_empty() {
        return Err(PkiError::Unknown { name: which.to_owned() }.into());
    }
    Ok(found)
}

fn read(file: &Path) -> Result<Certificate, Error> {
    let text = files::read_named(file, files::LONGEST)
        .map_err(|fault| PkiError::File { path: file.to_owned(), fault })?;
    Certificate::from_pem(&text).map_err(|fault| match fault {
        PkiError::NoCertificate { reason, .. } => {
            PkiError::NoCertificate { what: file.display().to_string(), reason }.into()
        }
        other => other.into(),
    })
}

fn json(value: &impl Serialize, out: &mut impl Write) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|fault| Error::Runtime(format!("this cannot be JSON: {fault}")))?;
    Ok(writeln!(out, "{text}")?)
}

fn state(validity: Validity, revoked: bool, now: i64) -> &'static str {
    match () {
        () if revoked => "revoked",
        () if now < validity.not_before.unix_timestamp() => "not yet valid",
        () if now > validity.not_after.unix_timestamp() => "expired",
        () => "valid",
    }
}

fn days_left(validity: Validity, now: i64) -> i64 {
    (validity.not_after.unix_timestamp() - now).div_euclid(24 * 60 * 60)
}

fn words(state: &str, days_left: i64) -> String {
    match (state, days_left) {
        ("valid", 1) => "valid, 1 day left".to_owned(),
        ("valid", days) => format!("valid, {days} days left"),
        (state, _) => state.to_owned(),
    }
}

/// In UTC, as RFC 3339 has it.
fn date(seconds: i64) -> String {
    chrono::DateTime::from_timestamp(seconds, 0)
        .map_or_else(|| seconds.to_string(), |time| time.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}
