//! Secrets that authenticate somebody: passwords and keys, inline or in separate files.

use std::fmt;
use std::path::Path;

use serde_spanned::Spanned;

use super::files::{self, Readers};
use super::value::{Checked, hexadecimal};
use crate::{Place, raw};

/// A password or a key; never shown.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// A password: at least 8 octets of a user of SNMPv3 (RFC 3414 section 11.2), and 1 of a login elsewhere.
    Password(Vec<u8>),
    /// A key for all engines, Ku: as many octets as the authentication protocol's hash.
    MasterKey(Vec<u8>),
    /// A key for this engine alone, Kul.
    LocalKey(Vec<u8>),
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Secret::Password(_) => "Password(<secret>)",
            Secret::MasterKey(_) => "MasterKey(<secret>)",
            Secret::LocalKey(_) => "LocalKey(<secret>)",
        })
    }
}

/// What kind of secret a key of the configuration holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Password,
    /// Of a login over HTTP or JMX, where the server decides how long one is.
    LoginPassword,
    MasterKey,
    LocalKey,
}

/// The possible sources of one secret: each key's name, its form, its value or its file.
pub(super) struct Source {
    pub key: &'static str,
    pub form: Form,
    pub inline: Option<Spanned<raw::Secret>>,
    pub file: Option<Spanned<String>>,
}

/// A secret that was found, before its length is checked.
pub(super) struct Found {
    pub secret: Secret,
    pub key: &'static str,
    pub span: std::ops::Range<usize>,
}

/// The one secret that is given, or none; two are a mistake.
pub(super) fn find(sources: Vec<Source>, place: Place<'_>) -> Checked<Option<Found>> {
    let mut found: Option<Found> = None;
    for source in sources {
        let inline = source.inline.map(|text| (text.span(), Ok(text.into_inner().0)));
        let file = source.file.map(|path| (path.span(), read_file(path.get_ref(), place.path)));
        for (span, text) in inline.into_iter().chain(file) {
            let text = text.map_err(|message| place.wrong(span.clone(), message))?;
            if let Some(first) = &found {
                let message = format!("a second secret besides {}, expected one", first.key);
                return Err(place.wrong(span, message));
            }
            let secret = read(source.form, &text).map_err(|message| place.wrong(span.clone(), message))?;
            found = Some(Found { secret, key: source.key, span });
        }
    }
    Ok(found)
}

fn read(form: Form, text: &str) -> Result<Secret, String> {
    let key = || {
        hexadecimal(text)
            .ok_or_else(|| "expected a key in hexadecimal, \"0x\" and pairs of digits".to_string())
    };
    Ok(match form {
        Form::Password if text.len() < 8 => {
            return Err(format!(
                "a password of {} octets, expected at least 8 (RFC 3414 section 11.2)",
                text.len()
            ));
        }
        Form::LoginPassword if text.is_empty() => {
            return Err("expected a password, which is not empty".into());
        }
        Form::Password | Form::LoginPassword => Secret::Password(text.as_bytes().to_vec()),
        Form::MasterKey => Secret::MasterKey(key()?),
        Form::LocalKey => Secret::LocalKey(key()?),
    })
}

/// The text of a file for one secret, without the newline at its end. A path that is not absolute
/// begins where the configuration file is.
fn read_file(path: &str, config: &Path) -> Result<String, String> {
    let path = files::path(path, config);
    let octets = files::read_within(&path, Readers::Owner, MOST_OCTETS)?;
    let text = String::from_utf8(octets)
        .map_err(|_| format!("cannot read {}: it is not text in UTF-8", path.display()))?;
    let text = text.strip_suffix('\n').map_or(text.as_str(), |text| text.strip_suffix('\r').unwrap_or(text));
    Ok(text.to_string())
}

/// More is not a password or a key.
const MOST_OCTETS: u64 = 4096;
