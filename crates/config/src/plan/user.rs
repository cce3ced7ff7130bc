//! Users of the user-based security model: `[[snmp.user]]`.

use std::collections::BTreeSet;

use serde_spanned::Spanned;
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, CredentialsError, EngineId, LocalKey, MasterKey, PrivKey, PrivProtocol, User,
};
use trunkline_tree::policy::{SecurityLevel, SecurityModel};

use super::role::{RolePlan, check_given};
use super::secret::{self, Form, Found, Secret, Source};
use super::value::{self, Checked};
use crate::{Place, raw};

/// A user of this engine (RFC 3414 section 2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserPlan {
    /// The name, which is the security name too: 1 to 32 octets.
    pub name: String,
    /// How its messages are made authentic, and the secret for it.
    pub auth: Option<(AuthProtocol, Secret)>,
    /// How its messages are kept private, and the secret for it; only with `auth`.
    pub privacy: Option<(PrivProtocol, Secret)>,
    /// Its access; `None`: none, it is for notifications or proxies only.
    pub role: Option<String>,
}

impl UserPlan {
    /// The highest level that its keys allow.
    pub fn level(&self) -> SecurityLevel {
        match (&self.auth, &self.privacy) {
            (Some(_), Some(_)) => SecurityLevel::AuthPriv,
            (Some(_), None) => SecurityLevel::AuthNoPriv,
            _ => SecurityLevel::NoAuthNoPriv,
        }
    }

    /// The user at this engine. Hashes a mebibyte for each password.
    ///
    /// # Errors
    /// Only what the check of the configuration has already rejected.
    pub fn user(&self, engine_id: &EngineId) -> Result<User, CredentialsError> {
        let Some((auth, secret)) = &self.auth else {
            return Ok(User::new(*engine_id, self.name.as_bytes())?);
        };
        let auth_key = AuthKey::new(*auth, local_key(*auth, secret, engine_id)?)?;
        let privacy = self.privacy.as_ref().map(|(protocol, secret)| {
            let key = local_key(*auth, secret, engine_id)?;
            Ok::<_, CredentialsError>(PrivKey::new(*protocol, *auth, &key, engine_id)?)
        });
        let user = User::new(*engine_id, self.name.as_bytes())?;
        Ok(user.with_keys(Some(auth_key), privacy.transpose()?)?)
    }

    /// Whether it can be known to other engines: its keys are not made for this engine alone.
    pub fn is_portable(&self) -> bool {
        let is_local = |secret: Option<&Secret>| matches!(secret, Some(Secret::LocalKey(_)));
        !is_local(self.auth.as_ref().map(|(_, secret)| secret))
            && !is_local(self.privacy.as_ref().map(|(_, secret)| secret))
    }
}

fn local_key(
    hash: AuthProtocol,
    secret: &Secret,
    engine_id: &EngineId,
) -> Result<LocalKey, CredentialsError> {
    Ok(match secret {
        Secret::Password(password) => MasterKey::from_password(hash, password)?.localize(engine_id),
        Secret::MasterKey(key) => MasterKey::from_bytes(hash, key)?.localize(engine_id),
        Secret::LocalKey(key) => LocalKey::from_bytes(key),
    })
}

const AUTH: &str = "\"MD5\", \"SHA\", \"SHA-224\", \"SHA-256\", \"SHA-384\" or \"SHA-512\"";
const PRIV: &str = "\"DES\", \"AES\", \"AES-192\", \"AES-256\", \"AES-192-C\" or \"AES-256-C\"";

pub(super) fn check_users(
    list: Vec<raw::User>,
    roles: &[RolePlan],
    internal: &BTreeSet<String>,
    place: Place<'_>,
) -> Checked<Vec<UserPlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_user(raw, (roles, internal), &mut seen, place)))
}

fn check_user(
    raw: raw::User,
    (roles, internal): (&[RolePlan], &BTreeSet<String>),
    seen: &mut BTreeSet<String>,
    place: Place<'_>,
) -> Checked<UserPlan> {
    let name = value::name(&raw.name, 32, seen, place)?;
    let auth = raw.auth.map(|text| protocol("authentication", AUTH, text, place)).transpose()?;
    let privacy = raw.privacy.map(|text| protocol("privacy", PRIV, text, place)).transpose()?;
    let source = |key, form, inline, file| Source { key, form, inline, file };
    let shared =
        secret::find(vec![source("password", Form::Password, raw.password, raw.password_file)], place)?;
    let own_auth = secret::find(
        vec![
            source("auth-password", Form::Password, raw.auth_password, raw.auth_password_file),
            source("auth-master-key", Form::MasterKey, raw.auth_master_key, raw.auth_master_key_file),
            source("auth-key", Form::LocalKey, raw.auth_key, raw.auth_key_file),
        ],
        place,
    )?;
    let own_priv = secret::find(
        vec![
            source("priv-password", Form::Password, raw.priv_password, raw.priv_password_file),
            source("priv-master-key", Form::MasterKey, raw.priv_master_key, raw.priv_master_key_file),
            source("priv-key", Form::LocalKey, raw.priv_key, raw.priv_key_file),
        ],
        place,
    )?;
    if let (None, Some((_, span))) = (&auth, &privacy) {
        return Err(
            place.wrong(span.clone(), format!("privacy needs authentication: expected auth = {AUTH}"))
        );
    }
    for (found, kind, has_protocol) in [
        (&shared, "auth", auth.is_some()),
        (&own_auth, "auth", auth.is_some()),
        (&own_priv, "priv", privacy.is_some()),
    ] {
        if let Some(found) = found.as_ref().filter(|_| !has_protocol) {
            let message = format!("{} is given without a protocol: expected {kind} as well", found.key);
            return Err(place.wrong(found.span.clone(), message));
        }
    }
    refuse_second(&shared, &own_auth, "authentication", place)?;
    refuse_second(&shared, &own_priv, "privacy", place)?;
    let auth = auth.map(|(protocol, span)| {
        let secret = choose(&own_auth, &shared, "auth", span, place)?;
        Ok((protocol, fit_auth(secret, protocol, place)?))
    });
    let auth: Option<(AuthProtocol, Secret)> = auth.transpose()?;
    let hash = auth.as_ref().map_or(AuthProtocol::Md5, |(protocol, _)| *protocol);
    let privacy = privacy.map(|(protocol, span)| {
        let secret = choose(&own_priv, &shared, "priv", span, place)?;
        Ok((protocol, fit_priv(secret, protocol, hash, place)?))
    });
    let mut user = UserPlan { name, auth, privacy: privacy.transpose()?, role: None };
    let who = format!("the user {:?}", user.name);
    // What a trigger or an expression reads is not a message: its user needs no keys for that.
    let level = if internal.contains(&user.name) { SecurityLevel::AuthPriv } else { user.level() };
    user.role = check_given(raw.role, roles, &who, level, &[SecurityModel::USM], place)?;
    Ok(user)
}

/// A protocol and the position of its name.
fn protocol<T: std::str::FromStr>(
    what: &str,
    known: &str,
    text: Spanned<String>,
    place: Place<'_>,
) -> Checked<(T, std::ops::Range<usize>)> {
    let protocol = text.get_ref().parse().map_err(|_| {
        let message = format!("unknown {what} protocol {:?}, expected {known}", text.get_ref());
        place.wrong(text.span(), message)
    })?;
    Ok((protocol, text.span()))
}

/// `password` is for both protocols: a separate one as well would be a second secret for the same purpose.
fn refuse_second(
    shared: &Option<Found>,
    own: &Option<Found>,
    purpose: &str,
    place: Place<'_>,
) -> Checked<()> {
    let (Some(shared), Some(own)) = (shared, own) else { return Ok(()) };
    let (shared, key) = (shared.key, own.key);
    let message = format!(
        "{key} together with {shared}: two secrets for {purpose}; remove {key}, or write auth-{shared} and priv-{shared} instead of {shared}"
    );
    Err(place.wrong(own.span.clone(), message))
}

/// The separate secret, or the one for both.
fn choose<'a>(
    own: &'a Option<Found>,
    shared: &'a Option<Found>,
    kind: &str,
    span: std::ops::Range<usize>,
    place: Place<'_>,
) -> Checked<&'a Found> {
    own.as_ref().or(shared.as_ref()).ok_or_else(|| {
        let message = format!(
            "expected a secret as well: password, {kind}-password, {kind}-key, or one of these with -file appended"
        );
        place.wrong(span, message)
    })
}

/// A key must have the hash's length.
fn fit_auth(found: &Found, hash: AuthProtocol, place: Place<'_>) -> Checked<Secret> {
    match &found.secret {
        Secret::MasterKey(key) | Secret::LocalKey(key) if key.len() != hash.key_length() => {
            Err(wrong_length(found, key, hash.key_length(), place))
        }
        secret => Ok(secret.clone()),
    }
}

/// A master key has the hash's length; a key for this engine that or the cipher's, to which it is truncated if it
/// is longer.
fn fit_priv(found: &Found, cipher: PrivProtocol, hash: AuthProtocol, place: Place<'_>) -> Checked<Secret> {
    match &found.secret {
        Secret::MasterKey(key) if key.len() != hash.key_length() => {
            Err(wrong_length(found, key, hash.key_length(), place))
        }
        Secret::LocalKey(key) if key.len() == hash.key_length() => Ok(found.secret.clone()),
        Secret::LocalKey(key) if (cipher.key_length()..=64).contains(&key.len()) => {
            Ok(Secret::LocalKey(key[..cipher.key_length()].to_vec()))
        }
        Secret::LocalKey(key) => Err(wrong_length(found, key, cipher.key_length(), place)),
        secret => Ok(secret.clone()),
    }
}

fn wrong_length(found: &Found, key: &[u8], expected: usize, place: Place<'_>) -> crate::WrongConfig {
    let message = format!("a key of {} octets, expected {expected} for this protocol", key.len());
    place.wrong(found.span.clone(), message)
}
