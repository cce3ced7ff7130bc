//! Peers that authenticate to a transport, with a certificate or to SSH: `[[snmp.principal]]`.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

pub use trunkline_tree::policy::EVERYBODY;
use trunkline_tree::policy::{SecurityLevel, SecurityModel};

use serde_spanned::Spanned;

use super::files;
use super::role::{RolePlan, check_given};
use super::value::{self, Checked};
use crate::{Place, raw};

/// A principal of TLS, DTLS and SSH (RFC 5591: its transport's securityName).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrincipalPlan {
    /// The name, 1 to 32 octets: the result of mapping a certificate, or the SSH user. `*` is everybody who is
    /// not listed.
    pub name: String,
    /// Its access; `None`: none, it is for notifications only.
    pub role: Option<String>,
    /// The file of public keys for its SSH logins, in the form of OpenSSH's authorized_keys.
    pub authorized_keys: Option<PathBuf>,
    /// The hash of its password for SSH and HTTP.
    pub password_hash: Option<PasswordHash>,
    /// The hash of its token for HTTP.
    pub token_hash: Option<TokenHash>,
}

/// SHA-256 of a random token; never shown, as that of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenHash(pub [u8; 32]);

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(<secret>)")
    }
}

/// The hash of a password in PHC's form (`$argon2id$...`); never shown, so that nobody starts to guess.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(<secret>)")
    }
}

pub(super) fn check_principals(
    list: Vec<raw::Principal>,
    roles: &[RolePlan],
    place: Place<'_>,
) -> Checked<Vec<PrincipalPlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_principal(raw, roles, &mut seen, place)))
}

fn check_principal(
    raw: raw::Principal,
    roles: &[RolePlan],
    seen: &mut BTreeSet<String>,
    place: Place<'_>,
) -> Checked<PrincipalPlan> {
    let name = value::name(&raw.name, 32, seen, place)?;
    let who = format!("the principal {name:?}");
    let model = [SecurityModel::TSM];
    let role = check_given(raw.role, roles, &who, SecurityLevel::AuthPriv, &model, place)?;
    let by_ssh = raw.authorized_keys.as_ref().map(serde_spanned::Spanned::span);
    if let Some(span) = by_ssh.filter(|_| name == EVERYBODY) {
        return Err(place
            .wrong(span, "\"*\" stands for everybody who is not listed and cannot be an SSH user".into()));
    }
    let password_hash = match raw.password_hash {
        Some(hash) if !hash.get_ref().0.starts_with("$argon2") => {
            let message =
                "expected the hash of a password, \"$argon2id$...\", as printed by `trunkline pki password`";
            return Err(place.wrong(hash.span(), message.into()));
        }
        hash => hash.map(|hash| PasswordHash(hash.into_inner().0)),
    };
    let token_hash = raw.token_hash.map(|hash| check_token(&hash, place)).transpose()?;
    let authorized_keys = raw.authorized_keys.map(|path| files::path(path.get_ref(), place.path));
    Ok(PrincipalPlan { name, role, authorized_keys, password_hash, token_hash })
}

fn check_token(hash: &Spanned<raw::Secret>, place: Place<'_>) -> Checked<TokenHash> {
    let digits = hash.get_ref().0.strip_prefix("sha256:").map(|digits| format!("0x{digits}"));
    let octets = digits.as_deref().and_then(value::hexadecimal);
    octets.and_then(|octets| octets.try_into().ok()).map(TokenHash).ok_or_else(|| {
        let message = "expected the hash of a token, \"sha256:...\", as printed by `trunkline pki token`";
        place.wrong(hash.span(), message.into())
    })
}
