//! The users and communities of `listen`: those of a file, and those of the options.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use trunkline_client::{Secret, UsmCredentials};
use trunkline_login::Conf;
use trunkline_login::user::{self, private_file, secret_of_file};
use trunkline_snmp::usm::{AuthProtocol, PrivProtocol};

use crate::arguments::ListenArgs;
use crate::error::Error;

/// The known users.
pub struct Known {
    /// Users of SNMPv3.
    pub users: Vec<UsmCredentials>,
    /// Communities; `None` accepts any.
    pub communities: Option<Vec<Vec<u8>>>,
}

/// The file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    communities: Option<Vec<String>>,
    #[serde(default)]
    user: Vec<RawUser>,
}

/// One user of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawUser {
    name: String,
    auth: Option<String>,
    r#priv: Option<String>,
    password: Option<String>,
    auth_password: Option<String>,
    priv_password: Option<String>,
    auth_password_file: Option<PathBuf>,
    priv_password_file: Option<PathBuf>,
}

impl Known {
    /// All of them.
    pub fn gather(arguments: &ListenArgs) -> Result<Self, Error> {
        let file = match &arguments.users {
            Some(path) => read(path)?,
            None => File::default(),
        };
        let mut communities =
            file.communities.map(|names| names.into_iter().map(String::into_bytes).collect());
        if !arguments.community.is_empty() {
            let named = arguments.community.iter().map(|name| name.clone().into_bytes());
            communities.get_or_insert_with(Vec::new).extend(named);
        }
        let mut users = file.user.into_iter().map(RawUser::credentials).collect::<Result<Vec<_>, _>>()?;
        if arguments.security.user.is_some() {
            // The options alone: defaults in snmp.conf are for commands that send requests.
            users.push(user::user(&arguments.security, &Conf::default())?);
        }
        Ok(Known { users, communities })
    }
}

impl Known {
    /// The user of this name.
    pub fn user(&self, name: &str) -> Option<&UsmCredentials> {
        self.users.iter().find(|user| user.name() == name.as_bytes())
    }

    /// The users by their names.
    pub fn by_name(&self) -> HashMap<String, UsmCredentials> {
        let name = |user: &UsmCredentials| String::from_utf8_lossy(user.name()).into_owned();
        self.users.iter().map(|user| (name(user), user.clone())).collect()
    }
}

fn read(path: &Path) -> Result<File, Error> {
    let wrong = |what: &dyn std::fmt::Display| Error::Usage(format!("{}: {what}", path.display()));
    let text = String::from_utf8(private_file(path)?).map_err(|_| wrong(&"it is not text"))?;
    // The parser's own message would show the line, which may hold a secret.
    toml::from_str(&text).map_err(|fault| {
        let line = fault
            .span()
            .map(|span| text.as_bytes().iter().take(span.start).filter(|octet| **octet == b'\n').count() + 1);
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        wrong(&format!("{line}{}", fault.message()))
    })
}

impl RawUser {
    fn credentials(self) -> Result<UsmCredentials, Error> {
        let name = self.name.clone();
        let wrong = |what: &dyn std::fmt::Display| Error::Usage(format!("user {name:?}: {what}"));
        let mut user = UsmCredentials::new(self.name.as_bytes()).map_err(|fault| wrong(&fault))?;
        let Some(auth) = &self.auth else {
            if self.r#priv.is_some() {
                return Err(wrong(&"`priv` needs `auth`"));
            }
            return Ok(user);
        };
        let protocol: AuthProtocol = auth.parse().map_err(|fault| wrong(&fault))?;
        let secret = self.secret(&self.auth_password, &self.auth_password_file)?;
        let secret = secret.ok_or_else(|| wrong(&"`auth` needs `auth-password` or `password`"))?;
        user = user.with_auth(protocol, secret).map_err(|fault| wrong(&fault))?;
        if let Some(privacy) = &self.r#priv {
            let protocol: PrivProtocol = privacy.parse().map_err(|fault| wrong(&fault))?;
            let secret = self.secret(&self.priv_password, &self.priv_password_file)?;
            let secret = secret.ok_or_else(|| wrong(&"`priv` needs `priv-password` or `password`"))?;
            user = user.with_privacy(protocol, secret).map_err(|fault| wrong(&fault))?;
        }
        Ok(user)
    }

    /// The secret for one purpose: its own, from a file, or the shared one.
    fn secret(&self, own: &Option<String>, file: &Option<PathBuf>) -> Result<Option<Secret>, Error> {
        if let (None, Some(file)) = (own, file) {
            return Ok(Some(Secret::password(&secret_of_file(file)?)));
        }
        Ok(own.as_ref().or(self.password.as_ref()).map(|text| Secret::password(text.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use trunkline_snmp::SecurityLevel;

    fn users(text: &str) -> Result<Vec<UsmCredentials>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("users.toml");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let file = read(&path).map_err(|fault| fault.to_string())?;
        let users = file.user.into_iter().map(RawUser::credentials).collect::<Result<Vec<_>, _>>();
        users.map_err(|fault| fault.to_string())
    }

    #[test]
    fn users_of_every_level() {
        let found = users(
            "[[user]]\nname = 'a'\n[[user]]\nname = 'b'\nauth = 'sha256'\npassword = 'maplesyrup'\n\
             [[user]]\nname = 'c'\nauth = 'MD5'\npriv = 'DES'\npassword = 'maplesyrup'\npriv-password = 'other words'",
        );
        let levels: Vec<SecurityLevel> = found.unwrap().iter().map(UsmCredentials::level).collect();
        assert_eq!(levels, [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv]);
    }

    #[test]
    fn mistakes_are_reported_without_secrets() {
        for (text, words) in [
            ("[[user]]\nname = 'a'\npriv = 'AES'", "needs `auth`"),
            ("[[user]]\nname = 'a'\nauth = 'SHA'", "needs `auth-password`"),
            ("[[user]]\nname = 'a'\nauth = 'SHA'\npassword = 'secret'", "8"),
            ("[[user]]\nname = 'a'\nauth = 'ROT13'\npassword = 'secret words'", "SHA-256"),
            ("[[user]]\nname = 'a'\npasword = 'secret words'", "line 3"),
            ("[[user]]\nname = 'a'\npassword = 'secret words", "line 3"),
        ] {
            let fault = users(text).unwrap_err();
            assert!(fault.contains(words), "{text}: {fault}");
            assert!(!fault.contains("secret"), "{fault}");
        }
    }
}
