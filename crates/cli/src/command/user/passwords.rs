//! Old and new passwords of a user: from files, variables and the terminal, never from the command line.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use trunkline_accounts::KeyChange;
use trunkline_accounts::user_arguments::{NewArgs, OldArgs, Purpose};
use trunkline_client::{Secret, UsmCredentials};
use trunkline_login::own_engine::random;
use trunkline_login::user::secret_of_file;
use trunkline_snmp::usm::{AuthProtocol, EngineId, PrivProtocol, User};
use zeroize::Zeroizing;

use crate::error::Error;

/// A password.
type Password = Zeroizing<Vec<u8>>;

/// The new passwords; one that is not needed may be missing.
pub struct New {
    auth: Option<Password>,
    privacy: Option<Password>,
}

/// The old ones; what is missing is a key of the session's user.
pub struct Old {
    auth: Option<Password>,
    privacy: Option<Password>,
}

impl New {
    /// Reads the passwords that are to change; without files and variables from the terminal.
    pub fn read(arguments: &NewArgs, only: Option<Purpose>) -> Result<Self, Error> {
        let both = &arguments.new_password_file;
        let auth = given(&arguments.new_auth_password_file, both, "TRUNKLINE_NEW_AUTH_PASSWORD")?;
        let privacy = given(&arguments.new_priv_password_file, both, "TRUNKLINE_NEW_PRIV_PASSWORD")?;
        if auth.is_some() || privacy.is_some() {
            return Ok(New { auth, privacy });
        }
        let typed = match only {
            None => typed("New password (for authentication and privacy): ")?,
            Some(Purpose::Auth) => typed("New password for authentication: ")?,
            Some(Purpose::Priv) => typed("New password for privacy: ")?,
        };
        Ok(New { auth: Some(typed.clone()), privacy: Some(typed) })
    }
}

impl Old {
    /// Reads what is given.
    pub fn read(arguments: &OldArgs) -> Result<Self, Error> {
        let both = &arguments.old_password_file;
        Ok(Old {
            auth: given(&arguments.old_auth_password_file, both, "TRUNKLINE_OLD_AUTH_PASSWORD")?,
            privacy: given(&arguments.old_priv_password_file, both, "TRUNKLINE_OLD_PRIV_PASSWORD")?,
        })
    }
}

/// The change from the old keys to the new ones: of `name`, who has these protocols. `own`: the session's user.
pub fn change(
    name: &str,
    protocols: (AuthProtocol, Option<PrivProtocol>),
    [auth, privacy]: [bool; 2],
    old: &Old,
    own: Option<&User>,
    new: &New,
    engine: &EngineId,
) -> Result<KeyChange, Error> {
    let missing = |which: &str, purpose: &str| {
        Error::Usage(format!(
            "{name}: the {which} password for {purpose} is missing: --{which}-password-file, or for each \
             --{which}-auth-password-file and --{which}-priv-password-file"
        ))
    };
    let secret = |given: &Option<Password>| given.as_ref().map(|password| Secret::password(password));
    let old_auth = secret(&old.auth)
        .or_else(|| own?.auth().map(|key| key.local_key().clone()).map(Secret::LocalizedKey));
    let old_auth = old_auth.ok_or_else(|| missing("old", "authentication"));
    let old_privacy = secret(&old.privacy)
        .or_else(|| own?.privacy().map(|key| key.local_key().clone()).map(Secret::LocalizedKey));
    // For privacy alone the old key for authentication is not needed: only its hash is.
    let any = || Secret::password(b"not needed here");
    let old_auth = if auth { old_auth? } else { any() };
    let new_auth = match (&new.auth, auth) {
        (Some(password), true) => Secret::password(password),
        (None, true) => return Err(missing("new", "authentication")),
        (_, false) => any(),
    };
    let (old_privacy, new_privacy) = match privacy {
        true => (
            Some(old_privacy.ok_or_else(|| missing("old", "privacy"))?),
            Some(secret(&new.privacy).ok_or_else(|| missing("new", "privacy"))?),
        ),
        false => (None, None),
    };
    let old = user(name, protocols, old_auth, old_privacy, engine)?;
    let new = user(name, protocols, new_auth, new_privacy, engine)?;
    let change = KeyChange::between(&old, &new, [auth, privacy], &random()?);
    change.map_err(|fault| Error::Usage(format!("{name}: {fault}")))
}

/// A user with these keys at the engine.
fn user(
    name: &str,
    (hash, cipher): (AuthProtocol, Option<PrivProtocol>),
    auth: Secret,
    privacy: Option<Secret>,
    engine: &EngineId,
) -> Result<User, Error> {
    let wrong = |fault: &dyn std::fmt::Display| Error::Usage(format!("{name}: {fault}"));
    let mut user = UsmCredentials::new(name.as_bytes()).map_err(|fault| wrong(&fault))?;
    user = user.with_auth(hash, auth).map_err(|fault| wrong(&fault))?;
    if let Some((cipher, privacy)) = cipher.zip(privacy) {
        user = user.with_privacy(cipher, privacy).map_err(|fault| wrong(&fault))?;
    }
    user.user_at(engine).map_err(|fault| wrong(&fault))
}

/// The first line of a file, of the file for both, or a variable.
fn given(file: &Option<PathBuf>, both: &Option<PathBuf>, variable: &str) -> Result<Option<Password>, Error> {
    let file: Option<&Path> = file.as_deref().or(both.as_deref());
    if let Some(file) = file {
        return Ok(Some(Zeroizing::new(secret_of_file(file)?)));
    }
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    Ok(value.map(|value| Zeroizing::new(value.into_bytes())))
}

/// A password from the terminal, typed twice.
fn typed(prompt: &str) -> Result<Password, Error> {
    if !std::io::stdin().is_terminal() {
        let words = "the new password is missing, and there is no terminal to ask for it: --new-password-file FILE, \
                     or the variables TRUNKLINE_NEW_AUTH_PASSWORD and TRUNKLINE_NEW_PRIV_PASSWORD";
        return Err(Error::Usage(words.to_owned()));
    }
    let ask = |prompt: &str| {
        let typed = rpassword::prompt_password(prompt);
        let typed = typed
            .map_err(|fault| Error::Runtime(format!("cannot read the password from the terminal: {fault}")));
        typed.map(|typed| Zeroizing::new(typed.into_bytes()))
    };
    let password = ask(prompt)?;
    match ask("The same again: ")? == password {
        true => Ok(password),
        false => Err(Error::Usage("the two passwords differ".to_owned())),
    }
}
