//! `-T our_identity=...,their_identity=...,trust_cert=...,their_hostname=...` and the same settings of
//! `snmp.conf`: Net-SNMP's options for certificates. Names of its store (`~/.snmp/tls`) are files here: a path,
//! or a name in the folder of `trunkline pki`.

use std::path::{Path, PathBuf};

use trunkline_client::Target;
use trunkline_client::tls::{Fingerprint, HashAlgorithm, Identity};
use trunkline_client::transport::files;
use trunkline_pki::{Certificate, Directory, Name, Role};

use super::ended::Ended;
use super::tool::Tool;
use trunkline_login::{EndsArgs, session::equipped};

/// The settings for certificates.
#[derive(Debug, Default)]
pub struct SecureSettings {
    /// `our_identity`, `localCert`: a file, a name or a fingerprint of ours.
    our_identity: Option<String>,
    /// `their_identity`, `peerCert`: a file or a fingerprint.
    their_identity: Option<String>,
    /// `trust_cert`, `trustCert`.
    trust: Option<String>,
    /// `their_hostname`.
    their_hostname: Option<String>,
    /// `x509CRLFile`.
    revoked: Option<String>,
    /// Whether `defSecurityModel` is `usm`.
    pub is_usm: bool,
}

impl SecureSettings {
    /// Parses the argument of one `-T`: settings separated by commas. Net-SNMP accepts names in any case, with or
    /// without the underscore; unknown ones are ignored.
    pub fn option(&mut self, text: &str) {
        for setting in text.split(',') {
            let Some((name, value)) = setting.split_once('=') else { continue };
            let value = Some(value.to_owned());
            match name.to_ascii_lowercase().replace('_', "").as_str() {
                "ouridentity" | "localcert" => self.our_identity = value,
                "theiridentity" | "peercert" => self.their_identity = value,
                "trustcert" => self.trust = value,
                "theirhostname" => self.their_hostname = value,
                _ => {}
            }
        }
    }

    /// What the command line left open, from the files.
    pub fn fill(&mut self, value: impl Fn(&str) -> Option<String>) {
        let places = [
            (&mut self.our_identity, "localcert"),
            (&mut self.their_identity, "peercert"),
            (&mut self.trust, "trustcert"),
            (&mut self.revoked, "x509crlfile"),
        ];
        for (place, token) in places {
            *place = place.take().or_else(|| value(token));
        }
        self.is_usm = value("defsecuritymodel").is_some_and(|model| model.eq_ignore_ascii_case("usm"));
    }

    /// The same target with what its transport needs.
    pub fn equip(&self, target: Target, tool: Tool) -> Result<Target, Ended> {
        if !target.transport.is_secure() {
            return Ok(target);
        }
        let failed = |words: String| Ended::failed(format!("{}: {words}", tool.name()));
        let mut arguments = EndsArgs { server_name: self.their_hostname.clone(), ..EndsArgs::default() };
        if let Some(ours) = &self.our_identity {
            let (certificate, key) = ours_named(ours).map_err(failed)?;
            (arguments.tls.certificate, arguments.tls.key) = (Some(certificate), Some(key));
        }
        arguments.tls.authorities = self.trust.iter().map(|text| file_named(text)).collect();
        arguments.tls.revocation_list = self.revoked.iter().map(PathBuf::from).collect();
        if let Some(theirs) = &self.their_identity {
            arguments.fingerprint = Some(fingerprint_of(theirs).map_err(failed)?);
        }
        equipped(target, &arguments).map_err(|fault| failed(fault.to_string()))
    }
}

/// Our certificate and key: a file with both or with its key next to it, or a name or fingerprint of the folder.
fn ours_named(text: &str) -> Result<(PathBuf, PathBuf), String> {
    let path = Path::new(text);
    if path.exists() {
        let beside = path.with_extension("key");
        return Ok((path.into(), if beside.exists() { beside } else { path.into() }));
    }
    let folder = Directory::default_location().map_err(|fault| fault.to_string())?;
    let named = Name::new(text).ok().map(|name| folder.files(Role::Manager, &name));
    let mut candidates = vec![folder.manager_files(), folder.agent_files()];
    if let Some(files) = named.filter(|files| files.certificate.exists()) {
        return Ok((files.certificate, files.key));
    }
    let wanted: Option<Fingerprint> = text.parse().ok();
    candidates.retain(|files| {
        let identity = Identity::from_files(&files.certificate, &files.key).ok();
        let hash = |identity: Identity| HashAlgorithm::ALL.map(|algorithm| identity.fingerprint(algorithm));
        wanted.is_some()
            && identity.is_some_and(|identity| hash(identity).iter().any(|has| Some(has) == wanted.as_ref()))
    });
    let found = candidates.pop();
    found.map(|files| (files.certificate, files.key)).ok_or_else(|| format!("unknown our_identity {text}"))
}

/// A file, or one of that name in the folder.
fn file_named(text: &str) -> PathBuf {
    let there = Path::new(text).exists();
    let in_folder =
        Directory::default_location().ok().map(|folder| folder.path().join(format!("{text}.pem")));
    match in_folder.filter(|file| !there && file.exists()) {
        Some(file) => file,
        None => text.into(),
    }
}

/// A fingerprint, or that of the certificate in a file.
fn fingerprint_of(text: &str) -> Result<String, String> {
    if text.parse::<Fingerprint>().is_ok() {
        return Ok(text.to_owned());
    }
    let pem = files::read_named(&file_named(text), files::LONGEST);
    let pem = pem.map_err(|_| format!("their identity {text} is neither a fingerprint nor a file"))?;
    let certificate = Certificate::from_pem(&pem).map_err(|fault| format!("{text}: {fault}"))?;
    Ok(certificate.fingerprint().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_every_spelling() {
        let mut settings = SecureSettings::default();
        settings.option("our_identity=a,theirIdentity=AB:CD");
        settings.option("trust_cert=c");
        settings.option("msgMaxSize=5,their_hostname=h,nonsense");
        settings.fill(|token| Some(format!("{token} of the file")));
        assert_eq!(settings.our_identity.as_deref(), Some("a"));
        assert_eq!(settings.their_identity.as_deref(), Some("AB:CD"));
        assert_eq!(settings.trust.as_deref(), Some("c"));
        assert_eq!(settings.their_hostname.as_deref(), Some("h"));
        assert_eq!(settings.revoked.as_deref(), Some("x509crlfile of the file"));
        assert!(!settings.is_usm);
    }

    #[test]
    fn unknown_principals_are_reported() {
        assert!(fingerprint_of("nobody at all").unwrap_err().contains("nobody at all"));
        let hash = "AB".repeat(32);
        assert_eq!(fingerprint_of(&hash), Ok(hash.clone()));
        assert!(ours_named("nobody/at/all").unwrap_err().contains("nobody/at/all"));
    }
}
