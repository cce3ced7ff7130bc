//! The file as it is written, and its check: each value with its place, so that a mistake is shown where it is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use serde::Deserialize;
use serde_spanned::Spanned;
use zeroize::Zeroizing;

use super::place::{Misplaced, Place};
use super::{Ends, Named, SecretOf, Settings, Targets};
use crate::mistake::Mistake;

/// The longest file.
const LONGEST: u64 = 4 << 20;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    defaults: RawSettings,
    #[serde(default)]
    targets: BTreeMap<Spanned<String>, Spanned<RawSettings>>,
    #[serde(default)]
    groups: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
}

type Text = Option<Spanned<String>>;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct RawSettings {
    address: Text,
    version: Text,
    community: Text,
    community_file: Text,
    community_variable: Text,
    community_command: Option<Spanned<Vec<String>>>,
    user: Text,
    level: Text,
    auth_protocol: Text,
    auth_password: Text,
    auth_password_file: Text,
    auth_password_variable: Text,
    auth_password_command: Option<Spanned<Vec<String>>>,
    priv_protocol: Text,
    priv_password: Text,
    priv_password_file: Text,
    priv_password_variable: Text,
    priv_password_command: Option<Spanned<Vec<String>>>,
    context: Text,
    security_model: Text,
    timeout: Option<Spanned<f64>>,
    retries: Option<u32>,
    parallel: Option<Spanned<usize>>,
    certificate: Option<String>,
    key: Option<String>,
    authorities: Vec<String>,
    pki: Option<String>,
    fingerprint: Option<String>,
    server_name: Option<String>,
    ssh_user: Option<String>,
    ssh_key: Vec<String>,
    ssh_password_file: Option<String>,
    known_hosts: Option<String>,
    http_user: Option<String>,
    http_password_file: Option<String>,
    http_token_file: Option<String>,
    jmx_user: Option<String>,
    jmx_password_file: Option<String>,
    jmx_stay: bool,
}

/// Reads and checks a file.
pub(super) fn read(path: &Path) -> Result<Targets, Mistake> {
    let failed = |fault: std::io::Error| Mistake(format!("{}: {fault}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o7777;
    let mut octets = Zeroizing::new(Vec::new());
    file.take(LONGEST + 1).read_to_end(&mut octets).map_err(failed)?;
    if octets.len() as u64 > LONGEST {
        return Err(Mistake(format!("{}: the file is longer than {} MiB", path.display(), LONGEST >> 20)));
    }
    let text = std::str::from_utf8(&octets);
    let text = text.map_err(|fault| Mistake(format!("{}: {fault}", path.display())))?;
    let targets = parse(path, text)?;
    // A community called `public` is not a secret.
    let has_secret = targets.settings().any(|settings| {
        let secrets = [&settings.community, &settings.auth, &settings.privacy];
        secrets
            .into_iter()
            .flatten()
            .any(|secret| matches!(secret, SecretOf::Text(text) if text.as_str() != "public"))
    });
    if has_secret && mode & 0o077 != 0 {
        let path = path.display();
        let words = format!(
            "{path} holds a secret and may be read by others (its mode is {mode:04o}): run `chmod 600 {path}`, or keep \
             the secret elsewhere (auth-password-file, -variable or -command)"
        );
        return Err(Mistake(words));
    }
    Ok(targets)
}

/// Parses and checks a text.
pub(super) fn parse(path: &Path, text: &str) -> Result<Targets, Misplaced> {
    let place = Place { path, text };
    let raw: RawFile = toml::from_str(text)
        .map_err(|fault| place.wrong(fault.span().unwrap_or(text.len()..text.len()), fault.message()))?;
    let check = Check { place, folder: path.parent().unwrap_or(Path::new("")) };
    if let Some(address) = &raw.defaults.address {
        return Err(place.wrong(address.span(), "an address belongs to a target: [targets.NAME]"));
    }
    let defaults = check.settings(&raw.defaults)?;
    let mut named = BTreeMap::new();
    for (name, settings) in &raw.targets {
        check.name(name)?;
        let (span, raw) = (settings.span(), settings.get_ref());
        let missing = || {
            let words = format!("the target {} needs an address", name.get_ref());
            place.wrong(if span.is_empty() { name.span() } else { span.clone() }, words)
        };
        let address = raw.address.as_ref().ok_or_else(missing)?;
        if address.get_ref().trim().is_empty() {
            return Err(place.wrong(address.span(), "the address is empty"));
        }
        if let Some(parallel) = &raw.parallel {
            return Err(place
                .wrong(parallel.span(), "`parallel` is for all agents together: it belongs to [defaults]"));
        }
        let settings = check.settings(raw)?;
        named.insert(name.get_ref().clone(), Named { address: address.get_ref().clone(), settings });
    }
    check.groups(&raw, &named)?;
    let members = |list: &Vec<Spanned<String>>| list.iter().map(|member| member.get_ref().clone()).collect();
    let groups = raw.groups.iter().map(|(name, list)| (name.get_ref().clone(), members(list))).collect();
    Ok(Targets { path: Some(path.to_path_buf()), defaults, named, groups })
}

impl Targets {
    fn settings(&self) -> impl Iterator<Item = &Settings> {
        std::iter::once(&self.defaults).chain(self.named.values().map(|named| &named.settings))
    }
}

struct Check<'t> {
    place: Place<'t>,
    /// Relative paths start there.
    folder: &'t Path,
}

impl Check<'_> {
    fn name(&self, name: &Spanned<String>) -> Result<(), Misplaced> {
        let text = name.get_ref();
        let is_sound = !text.is_empty()
            && text.len() <= 64
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if is_sound {
            return Ok(());
        }
        Err(self.place.wrong(name.span(), "a name has 1 to 64 letters, digits, `-`, `_` and `.`"))
    }

    /// Members of groups exist, and no group contains itself.
    fn groups(&self, raw: &RawFile, named: &BTreeMap<String, Named>) -> Result<(), Misplaced> {
        let of =
            |name: &str| raw.groups.iter().find(|(group, _)| group.get_ref() == name).map(|(_, list)| list);
        for (group, members) in &raw.groups {
            self.name(group)?;
            if named.contains_key(group.get_ref()) {
                let words = format!("{} is the name of a target already", group.get_ref());
                return Err(self.place.wrong(group.span(), words));
            }
            for member in members {
                let Some(name) = member.get_ref().strip_prefix('@') else {
                    if member.get_ref().trim().is_empty() {
                        return Err(self.place.wrong(member.span(), "the member is empty"));
                    }
                    continue;
                };
                if of(name).is_none() && !named.contains_key(name) {
                    let words = format!("no group or target is called {name}");
                    return Err(self.place.wrong(member.span(), words));
                }
                let (mut reached, mut left) = (vec![name], vec![name]);
                while let Some(at) = left.pop() {
                    let below =
                        of(at).into_iter().flatten().filter_map(|next| next.get_ref().strip_prefix('@'));
                    for next in below.filter(|next| of(next).is_some()) {
                        if !reached.contains(&next) {
                            reached.push(next);
                            left.push(next);
                        }
                    }
                }
                if of(name).is_some() && reached.contains(&group.get_ref().as_str()) {
                    let words = format!("the group {} would contain itself", group.get_ref());
                    return Err(self.place.wrong(member.span(), words));
                }
            }
        }
        Ok(())
    }

    fn settings(&self, raw: &RawSettings) -> Result<Settings, Misplaced> {
        let text = |text: &Text| text.as_ref().map(|text| text.get_ref().clone());
        let community = self.secret(
            [(&raw.community, 0), (&raw.community_file, 1), (&raw.community_variable, 2)],
            &raw.community_command,
        )?;
        let auth = self.secret(
            [(&raw.auth_password, 0), (&raw.auth_password_file, 1), (&raw.auth_password_variable, 2)],
            &raw.auth_password_command,
        )?;
        let privacy = self.secret(
            [(&raw.priv_password, 0), (&raw.priv_password_file, 1), (&raw.priv_password_variable, 2)],
            &raw.priv_password_command,
        )?;
        let timeout = raw.timeout.as_ref().map(|seconds| self.seconds(seconds)).transpose()?;
        if let Some(parallel) = raw.parallel.as_ref().filter(|parallel| *parallel.get_ref() == 0) {
            return Err(self.place.wrong(parallel.span(), "at least 1 agent is asked at a time"));
        }
        Ok(Settings {
            version: self.choice(&raw.version, "1, 2c or 3")?,
            community,
            user: text(&raw.user),
            level: self.choice(&raw.level, "noAuthNoPriv, authNoPriv or authPriv")?,
            auth_protocol: self
                .parsed(&raw.auth_protocol, "MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512")?,
            auth,
            priv_protocol: self
                .parsed(&raw.priv_protocol, "DES, AES, AES-192, AES-256, AES-192-C or AES-256-C")?,
            privacy,
            context: text(&raw.context),
            security_model: self.choice(&raw.security_model, "tsm or usm")?,
            timeout,
            retries: raw.retries,
            parallel: raw.parallel.as_ref().map(|parallel| *parallel.get_ref()),
            ends: self.ends(raw),
        })
    }

    fn ends(&self, raw: &RawSettings) -> Ends {
        let path = |text: &Option<String>| text.as_ref().map(|text| self.path(text));
        let paths = |list: &Vec<String>| list.iter().map(|text| self.path(text)).collect();
        Ends {
            certificate: path(&raw.certificate),
            key: path(&raw.key),
            authorities: paths(&raw.authorities),
            pki: path(&raw.pki),
            fingerprint: raw.fingerprint.clone(),
            server_name: raw.server_name.clone(),
            ssh_user: raw.ssh_user.clone(),
            ssh_key: paths(&raw.ssh_key),
            ssh_password_file: path(&raw.ssh_password_file),
            known_hosts: path(&raw.known_hosts),
            http_user: raw.http_user.clone(),
            http_password_file: path(&raw.http_password_file),
            http_token_file: path(&raw.http_token_file),
            jmx_user: raw.jmx_user.clone(),
            jmx_password_file: path(&raw.jmx_password_file),
            jmx_stay: raw.jmx_stay,
        }
    }

    /// The one source of a secret that is set.
    fn secret(
        &self,
        texts: [(&Text, u8); 3],
        command: &Option<Spanned<Vec<String>>>,
    ) -> Result<Option<SecretOf>, Misplaced> {
        let mut found: Vec<(Range<usize>, SecretOf)> = Vec::new();
        for (text, kind) in texts {
            let Some(text) = text else { continue };
            let value = text.get_ref();
            if value.is_empty() {
                return Err(self.place.wrong(text.span(), "the value is empty"));
            }
            let secret = match kind {
                0 => SecretOf::Text(Zeroizing::new(value.clone())),
                1 => SecretOf::File(self.path(value)),
                _ => SecretOf::Variable(value.clone()),
            };
            found.push((text.span(), secret));
        }
        if let Some(command) = command {
            let words = command.get_ref();
            if words.first().is_none_or(String::is_empty) {
                let words = "a command is a list: [\"secret-tool\", \"lookup\", \"agent\", \"router\"]";
                return Err(self.place.wrong(command.span(), words));
            }
            found.push((command.span(), SecretOf::Command(words.clone())));
        }
        if let Some((span, _)) = found.get(1) {
            let words = "the same secret is given twice: keep one of the keys with the ending -file, -variable or -command, or \
                         the one without";
            return Err(self.place.wrong(span.clone(), words));
        }
        Ok(found.pop().map(|(_, secret)| secret))
    }

    fn seconds(&self, seconds: &Spanned<f64>) -> Result<Duration, Misplaced> {
        match *seconds.get_ref() {
            value if (0.001..=86_400.0).contains(&value) => Ok(Duration::from_secs_f64(value)),
            _ => Err(self.place.wrong(seconds.span(), "expected 0.001 to 86400 seconds")),
        }
    }

    fn choice<T: ValueEnum>(&self, text: &Text, all: &str) -> Result<Option<T>, Misplaced> {
        let Some(text) = text else { return Ok(None) };
        let wrong = |_| self.place.wrong(text.span(), format!("expected {all}"));
        T::from_str(text.get_ref(), true).map(Some).map_err(wrong)
    }

    fn parsed<T: std::str::FromStr>(&self, text: &Text, all: &str) -> Result<Option<T>, Misplaced> {
        let Some(text) = text else { return Ok(None) };
        let wrong = |_| self.place.wrong(text.span(), format!("expected {all}"));
        text.get_ref().parse().map(Some).map_err(wrong)
    }

    /// A path; relative ones start at the folder of the file, `~/` at the home folder.
    fn path(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), std::env::var_os("HOME")) {
            (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
            _ => self.folder.join(text),
        }
    }
}
