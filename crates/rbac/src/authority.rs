//! What the authority knows, as a value, and how it changes. Nothing here reads a clock, a random source or a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use trunkline_client::netconf::protocol::document::{Document, Element, limits};
use trunkline_login::token::RoleToken;
use trunkline_xmlsec::{KeyName, RoleKeys, Time, UserName, Verifier};
use zeroize::Zeroizing;

use crate::options::BASE;
use crate::{Error, Name};

/// Roles, users and devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authority {
    /// The roles.
    pub roles: BTreeMap<Name, Role>,
    /// The users.
    pub users: BTreeMap<Name, User>,
    /// The devices, each with a URL of NETCONF or the name of a target.
    pub devices: BTreeMap<Name, String>,
    /// The policy that devices get.
    pub policy: Policy,
    /// Roles that have been removed: devices may have their keys.
    pub removed: BTreeMap<Name, Removed>,
}

/// What is kept of a role that has been removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The number of its newest epoch: a role of the same name goes on behind it.
    pub newest: u32,
    /// Whoever had it at the end, or was revoked before.
    pub users: BTreeSet<Name>,
}

/// A policy as data, of trunkline-rbac.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Counts the policies; 0: there has been none.
    pub revision: u32,
    /// The element `rbac`, which is sent as it stands.
    pub content: String,
}

/// A role and its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// The number of the newest epoch, from which tokens are made.
    pub newest: u32,
    /// The epochs that are valid, or were until they expired.
    pub epochs: BTreeMap<u32, Epoch>,
    /// Users from whom the role, or the keys of all members, were taken, and the first epoch without the keys that they had.
    pub revoked: BTreeMap<Name, u32>,
}

/// Keys that are valid together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The keys.
    pub secrets: RoleSecrets,
    /// From when on they are refused.
    pub expires: Option<Time>,
}

/// The two keys of an epoch, 256 bits each.
#[derive(Clone, PartialEq, Eq)]
pub struct RoleSecrets {
    /// Authentication.
    pub authentication: Zeroizing<[u8; 32]>,
    /// Encryption.
    pub encryption: Zeroizing<[u8; 32]>,
}

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Its roles.
    pub roles: BTreeSet<Name>,
    /// Its public keys, each a SubjectPublicKeyInfo.
    pub public_keys: BTreeSet<Vec<u8>>,
    /// Whether a public key has been removed: devices may have it.
    pub had_public_keys: bool,
}

/// What a revocation or a renewal has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// The epoch before.
    pub old: u32,
    /// The new one.
    pub new: u32,
    /// How many members stay.
    pub members: usize,
    /// Whether the user still has public keys, with which no epoch has to do.
    pub has_public_keys: bool,
}

impl RoleSecrets {
    /// Keys of random octets.
    #[must_use]
    pub fn new(authentication: [u8; 32], encryption: [u8; 32]) -> Self {
        RoleSecrets { authentication: authentication.into(), encryption: encryption.into() }
    }
}

impl fmt::Debug for RoleSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoleSecrets").finish_non_exhaustive()
    }
}

impl Authority {
    /// A new role, with its first epoch.
    ///
    /// # Errors
    /// There is one of this name, or none can have it.
    pub fn add_role(&mut self, name: &Name, secrets: RoleSecrets) -> Result<(), Error> {
        if name.as_str() == "user" {
            return Err(Error::Reserved);
        }
        if self.roles.contains_key(name) {
            return Err(Error::Taken { what: "role", name: name.clone() });
        }
        // A device that has not deleted a role of this name yet must not take an epoch of it for one of the new role.
        let removed = self.removed.get(name).map_or(0, |removed| removed.newest);
        let newest = removed.checked_add(1).ok_or_else(|| Error::LastEpoch { role: name.clone() })?;
        let before = self.removed.remove(name).unwrap_or_default();
        let epochs = BTreeMap::from([(newest, Epoch { secrets, expires: None })]);
        let revoked = before.users.into_iter().map(|user| (user, newest)).collect();
        self.roles.insert(name.clone(), Role { newest, epochs, revoked });
        Ok(())
    }

    /// Removes a role, and takes it from all its members: who they were.
    ///
    /// # Errors
    /// There is no such role.
    pub fn remove_role(&mut self, name: &Name) -> Result<BTreeSet<Name>, Error> {
        self.role(name)?;
        let members: BTreeSet<Name> =
            self.members().filter(|(_, role)| *role == name).map(|(user, _)| user.clone()).collect();
        self.users.values_mut().for_each(|user| {
            user.roles.remove(name);
        });
        let role = self.roles.remove(name).ok_or(Error::Reserved)?;
        let users = role.revoked.into_keys().chain(members.iter().cloned()).collect();
        self.removed.insert(name.clone(), Removed { newest: role.newest, users });
        Ok(members)
    }

    /// Gives a role to a user, who may be new. Whether that changes anything.
    ///
    /// # Errors
    /// There is no such role.
    pub fn assign(&mut self, user: &Name, role: &Name) -> Result<bool, Error> {
        let unknown = || Error::Unknown { what: "role", name: role.to_string() };
        self.roles.get_mut(role).ok_or_else(unknown)?.revoked.remove(user);
        Ok(self.users.entry(user.clone()).or_default().roles.insert(role.clone()))
    }

    /// A new device, or the same one once more. Whether that changes anything.
    ///
    /// # Errors
    /// There is another one of this name.
    pub fn add_device(&mut self, name: &Name, address: &str) -> Result<bool, Error> {
        match self.devices.get(name) {
            Some(known) if known == address => Ok(false),
            Some(_) => Err(Error::Taken { what: "device", name: name.clone() }),
            None => Ok(self.devices.insert(name.clone(), address.to_owned()).is_none()),
        }
    }

    /// Adds a public key in PEM (`BEGIN PUBLIC KEY`) to those of a user. Whether that changes anything.
    ///
    /// # Errors
    /// There is no such user, or it is not such a key.
    pub fn add_public_key(&mut self, user: &Name, pem: &str) -> Result<bool, Error> {
        let der = public_key(pem)?;
        let unknown = || Error::Unknown { what: "user", name: user.to_string() };
        Ok(self.users.get_mut(user).ok_or_else(unknown)?.public_keys.insert(der))
    }

    /// Removes a public key from those of a user, or all without one. How many it removes.
    ///
    /// # Errors
    /// There is no such user, or it is not such a key.
    pub fn remove_public_keys(&mut self, user: &Name, pem: Option<&str>) -> Result<usize, Error> {
        let der = pem.map(public_key).transpose()?;
        let unknown = || Error::Unknown { what: "user", name: user.to_string() };
        let user = self.users.get_mut(user).ok_or_else(unknown)?;
        let before = user.public_keys.len();
        user.public_keys.retain(|key| der.as_ref().is_some_and(|der| der != key));
        let removed = before - user.public_keys.len();
        user.had_public_keys |= removed > 0;
        Ok(removed)
    }

    /// A policy for all devices, instead of the one before. Whether that changes anything.
    ///
    /// # Errors
    /// It is not the element `rbac` of trunkline-rbac, in XML.
    pub fn set_policy(&mut self, text: &str) -> Result<bool, Error> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let text = match text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) {
            Some((_, rest)) => rest.trim(),
            None => text,
        };
        let document = Document::read(text.as_bytes(), limits(MOST_POLICY));
        let document = document.map_err(|fault| Error::Policy { reason: fault.to_string() })?;
        if !document.root().is(RBAC, "rbac") {
            let found = document.root().name().to_owned();
            return Err(Error::Policy { reason: format!("expected <rbac xmlns=\"{RBAC}\">, found {found}") });
        }
        if self.policy.content == text {
            return Ok(false);
        }
        self.policy = Policy { revision: self.policy.revision.saturating_add(1), content: text.to_owned() };
        Ok(true)
    }

    /// Takes a role from a user: the role gets a new epoch, and the old ones end after the grace.
    ///
    /// # Errors
    /// There is no such user or role, or the user does not have it.
    pub fn revoke(
        &mut self,
        user: &Name,
        role: &Name,
        grace: Duration,
        now: Time,
        secrets: RoleSecrets,
    ) -> Result<Revocation, Error> {
        self.role(role)?;
        let unknown = || Error::Unknown { what: "user", name: user.to_string() };
        let one = self.users.get_mut(user).ok_or_else(unknown)?;
        if !one.roles.contains(role) {
            return Err(Error::NotMember { user: user.clone(), role: role.clone() });
        }
        let keys = self.roles.get_mut(role).ok_or(Error::Reserved)?;
        let old = keys.newest;
        let new = keys.next_epoch(old, now.after(grace), now, secrets);
        let new = new.ok_or_else(|| Error::LastEpoch { role: role.clone() })?;
        keys.revoked.insert(user.clone(), new);
        one.roles.remove(role);
        let has_public_keys = !one.public_keys.is_empty() && !one.roles.is_empty();
        let members = self.users.values().filter(|user| user.roles.contains(role)).count();
        Ok(Revocation { old, new, members, has_public_keys })
    }

    /// Ends the grace of the epochs from which a user was revoked, unless it ends before this one. Whether that changes anything.
    pub fn end_grace(&mut self, user: &Name, role: &Name, grace: Duration, now: Time) -> bool {
        let Some(keys) = self.roles.get_mut(role) else { return false };
        let Some(first) = keys.revoked.get(user).copied() else { return false };
        let end = now.after(grace);
        let mut is_changed = false;
        for epoch in keys.epochs.range_mut(..first).map(|(_, epoch)| epoch) {
            if epoch.is_valid(now) && epoch.expires.is_none_or(|expires| end < expires) {
                epoch.expires = Some(end);
                is_changed = true;
            }
        }
        keys.epochs.retain(|_, epoch| epoch.is_valid(now));
        is_changed
    }

    /// Until when devices accept keys of a role from a user from whom it was taken; `None` if they refuse them.
    #[must_use]
    pub fn grace(&self, user: &Name, role: &Name, now: Time) -> Option<Time> {
        let keys = self.roles.get(role)?;
        let first = keys.revoked.get(user)?;
        let valid = keys.epochs.range(..first).filter(|(_, epoch)| epoch.is_valid(now));
        valid.filter_map(|(_, epoch)| epoch.expires).max()
    }

    /// The users to whom the policy gives a role, also by a role that inherits it, as far as its text says so.
    #[must_use]
    pub fn users_by_policy(&self, role: &str) -> BTreeSet<String> {
        let Ok(document) = Document::read(self.policy.content.as_bytes(), limits(MOST_POLICY)) else {
            return BTreeSet::new();
        };
        let given = |entry: Element<'_>, leaf: &str, of: &BTreeSet<String>| {
            let values = entry.children().filter(|it| it.is(RBAC, leaf) && !is_removed(*it));
            values.map(|it| it.value().to_owned()).any(|value| of.contains(&value))
        };
        let entries = |kind: &'static str| {
            let of_kind = document.root().children().filter(move |it| it.is(RBAC, kind) && !is_removed(*it));
            of_kind.filter_map(|it| Some((it, it.child(RBAC, "name")?.value().to_owned())))
        };
        let mut roles = BTreeSet::from([role.to_owned()]);
        loop {
            let seniors = entries("role").filter(|(entry, _)| given(*entry, "junior-role", &roles));
            let more: Vec<String> =
                seniors.map(|(_, name)| name).filter(|name| !roles.contains(name)).collect();
            if more.is_empty() {
                break;
            }
            roles.extend(more);
        }
        entries("user").filter(|(entry, _)| given(*entry, "role", &roles)).map(|(_, name)| name).collect()
    }

    /// A new epoch of a role for all its members, with a number above another one too; the old epochs end at once.
    ///
    /// # Errors
    /// There is no such role, or it has had its last epoch.
    pub fn renew(
        &mut self,
        role: &Name,
        above: u32,
        now: Time,
        secrets: RoleSecrets,
    ) -> Result<Revocation, Error> {
        let members = self.members().filter(|(_, of)| *of == role).count();
        let unknown = || Error::Unknown { what: "role", name: role.to_string() };
        let keys = self.roles.get_mut(role).ok_or_else(unknown)?;
        let old = keys.newest;
        let new = keys.next_epoch(old.max(above), now, now, secrets);
        let new = new.ok_or_else(|| Error::LastEpoch { role: role.clone() })?;
        // One of them may have lost theirs to somebody, who must not hold the new ones off.
        let users = self.users.iter().filter(|(_, user)| user.roles.contains(role));
        keys.revoked.extend(users.map(|(user, _)| (user.clone(), new)));
        Ok(Revocation { old, new, members, has_public_keys: false })
    }

    /// A member's keys in the newest epoch of a role.
    ///
    /// # Errors
    /// The user does not have the role, or there is no such role.
    pub fn token(&self, user: &Name, role: &Name) -> Result<RoleToken, Error> {
        let keys = self.role(role)?;
        let not_member = || Error::NotMember { user: user.clone(), role: role.clone() };
        let is_member = self.users.get(user).is_some_and(|user| user.roles.contains(role));
        let epoch = keys.epochs.get(&keys.newest).filter(|_| is_member).ok_or_else(not_member)?;
        let secrets = &epoch.secrets;
        let role_keys = RoleKeys::new(secrets.authentication.as_slice(), secrets.encryption.as_slice());
        // Names of ours are names of keys, and 32 octets are enough: both have tests.
        let name = format!("{role}/{}/{user}", keys.newest).parse::<KeyName>();
        let (Ok(role_keys), Ok(name)) = (role_keys, name) else { return Err(not_member()) };
        let user: UserName = name.user().clone();
        RoleToken::new(name, role_keys.of_user(&user)).ok_or_else(not_member)
    }

    /// Who has which role.
    pub fn members(&self) -> impl Iterator<Item = (&Name, &Name)> {
        self.users.iter().flat_map(|(name, user)| user.roles.iter().map(move |role| (name, role)))
    }

    /// The role of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn role(&self, name: &Name) -> Result<&Role, Error> {
        self.roles.get(name).ok_or_else(|| Error::Unknown { what: "role", name: name.to_string() })
    }
}

/// The SubjectPublicKeyInfo of a public key in PEM.
fn public_key(pem: &str) -> Result<Vec<u8>, Error> {
    Verifier::from_pem(pem).map_err(|reason| Error::PublicKey { reason })?;
    let lines = pem.lines().map(str::trim).skip_while(|line| !line.starts_with("-----BEGIN"));
    let digits: String = lines.skip(1).take_while(|line| !line.starts_with('-')).collect();
    let der = BASE64.decode(digits).unwrap_or_default();
    Verifier::from_spki(&der).map_err(|reason| Error::PublicKey { reason })?;
    Ok(der)
}

/// Whether an entry or a value of a policy is one that it takes away.
fn is_removed(element: Element<'_>) -> bool {
    matches!(element.attribute(BASE, "operation"), Some("remove" | "delete"))
}

/// Octets of the longest policy.
const MOST_POLICY: usize = 4 << 20;
/// The namespace of trunkline-rbac.
const RBAC: &str = "urn:trunkline:yang:rbac";

impl Role {
    /// Makes the epoch behind this one, and ends the others. Its number; `None` if there is none.
    fn next_epoch(&mut self, behind: u32, end: Time, now: Time, secrets: RoleSecrets) -> Option<u32> {
        let new = behind.checked_add(1)?;
        self.epochs.values_mut().for_each(|epoch| {
            epoch.expires = Some(epoch.expires.map_or(end, |expires| expires.min(end)));
        });
        self.epochs.retain(|_, epoch| epoch.is_valid(now));
        self.epochs.insert(new, Epoch { secrets, expires: None });
        self.newest = new;
        Some(new)
    }
}

impl Epoch {
    /// Whether its keys are valid now.
    #[must_use]
    pub fn is_valid(&self, now: Time) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn name(text: &str) -> Name {
        text.parse().unwrap()
    }

    pub(crate) fn secrets(first: u8) -> RoleSecrets {
        RoleSecrets::new([first; 32], [first ^ 0xff; 32])
    }

    pub(crate) fn at(seconds: u64) -> Time {
        Time::from_milliseconds(1_790_000_000_000 + seconds * 1000)
    }

    /// Ann and bob have `operator`, bob `reader` too.
    pub(crate) fn some() -> Authority {
        let mut authority = Authority::default();
        authority.add_role(&name("operator"), secrets(1)).unwrap();
        authority.add_role(&name("reader"), secrets(2)).unwrap();
        for (user, role) in [("ann", "operator"), ("bob", "operator"), ("bob", "reader")] {
            assert!(authority.assign(&name(user), &name(role)).unwrap());
        }
        authority.add_device(&name("r1"), "netconf://max@192.0.2.1").unwrap();
        authority
    }

    #[test]
    fn a_revocation_makes_an_epoch_and_ends_the_old_ones() {
        let mut authority = some();
        let (ann, bob, role) = (name("ann"), name("bob"), name("operator"));
        let before = authority.token(&ann, &role).unwrap();
        assert_eq!(before.name().to_string(), "operator/1/ann");
        let revoked = authority.revoke(&ann, &role, Duration::from_secs(60), at(0), secrets(3)).unwrap();
        assert_eq!(revoked, Revocation { old: 1, new: 2, members: 1, has_public_keys: false });
        assert_eq!(authority.token(&bob, &role).unwrap().name().to_string(), "operator/2/bob");
        assert!(authority.token(&ann, &role).unwrap_err().to_string().contains("ann does not have"));
        let epochs = &authority.roles[&role].epochs;
        assert!(
            epochs[&1].is_valid(at(59)) && !epochs[&1].is_valid(at(60)) && epochs[&2].is_valid(Time::LAST)
        );
        // The second has no grace: what it ends is gone at once, and a grace that ran before is not made longer.
        authority.revoke(&bob, &role, Duration::ZERO, at(10), secrets(4)).unwrap();
        assert_eq!(authority.roles[&role].epochs.keys().copied().collect::<Vec<_>>(), [3]);
        let again = authority.revoke(&bob, &role, Duration::ZERO, at(10), secrets(5));
        assert!(matches!(again, Err(Error::NotMember { .. })));
        assert_eq!(authority.roles[&role].newest, 3);
    }

    #[test]
    fn a_grace_can_be_ended() {
        let mut authority = some();
        let (ann, bob, role) = (name("ann"), name("bob"), name("operator"));
        authority.revoke(&ann, &role, Duration::from_secs(3600), at(0), secrets(3)).unwrap();
        assert_eq!(authority.grace(&ann, &role, at(1)), Some(at(3600)));
        assert_eq!(authority.grace(&bob, &role, at(1)), None);
        assert!(!authority.end_grace(&ann, &role, Duration::from_secs(7200), at(1)));
        assert!(authority.end_grace(&ann, &role, Duration::from_secs(60), at(1)));
        assert_eq!(authority.grace(&ann, &role, at(1)), Some(at(61)));
        let has = crate::Content::of(&authority, at(1)).wanted().clone();
        assert!(!authority.end_grace(&bob, &role, Duration::ZERO, at(2)));
        assert!(authority.end_grace(&ann, &role, Duration::ZERO, at(2)));
        assert!(!authority.end_grace(&ann, &role, Duration::ZERO, at(2)));
        assert_eq!(authority.roles[&role].epochs.keys().copied().collect::<Vec<_>>(), [2]);
        // A session of ann's cannot hold that off.
        let parts = crate::Content::of(&authority, at(2)).parts(&has);
        assert!(parts[0].is_revocation && parts[0].losing.contains("ann"), "{parts:?}");
    }

    #[test]
    fn the_policy_says_whom_it_gives_a_role() {
        let mut authority = some();
        assert!(authority.users_by_policy("a").is_empty());
        let text = format!(
            "<rbac xmlns='{RBAC}' xmlns:nc='{BASE}'><role><name>b</name><junior-role>a</junior-role></role>\
             <role><name>c</name><junior-role>b</junior-role></role><role><name>d</name><junior-role nc:operation='remove'>a</junior-role></role>\
             <user><name>ann</name><role>a</role></user><user><name>bob</name><role>c</role><role>d</role></user>\
             <user><name>eve</name><role nc:operation='delete'>a</role><role>d</role></user>\
             <user nc:operation='remove'><name>joe</name><role>a</role></user></rbac>"
        );
        authority.set_policy(&text).unwrap();
        assert_eq!(Vec::from_iter(authority.users_by_policy("a")), ["ann", "bob"]);
        assert_eq!(Vec::from_iter(authority.users_by_policy("d")), ["bob", "eve"]);
    }

    #[test]
    fn a_renewal_adopts_the_number_of_a_device_and_keeps_the_members() {
        let mut authority = some();
        let (ann, role) = (name("ann"), name("operator"));
        let renewed = authority.renew(&role, 15, at(0), secrets(3)).unwrap();
        assert_eq!(renewed, Revocation { old: 1, new: 16, members: 2, has_public_keys: false });
        assert_eq!(authority.roles[&role].epochs.keys().copied().collect::<Vec<_>>(), [16]);
        assert_eq!(authority.token(&ann, &role).unwrap().name().to_string(), "operator/16/ann");
        assert_eq!(authority.renew(&role, 15, at(0), secrets(4)).unwrap().new, 17);
        let whole = authority.clone();
        assert!(matches!(authority.renew(&role, u32::MAX, at(0), secrets(5)), Err(Error::LastEpoch { .. })));
        assert!(matches!(authority.renew(&name("none"), 0, at(0), secrets(5)), Err(Error::Unknown { .. })));
        assert_eq!(authority, whole);
    }

    #[test]
    fn a_role_that_returns_has_another_epoch() {
        let mut authority = some();
        let (ann, bob, role) = (name("ann"), name("bob"), name("operator"));
        authority.revoke(&ann, &role, Duration::ZERO, at(0), secrets(3)).unwrap();
        assert_eq!(authority.roles[&role].revoked, BTreeMap::from([(ann.clone(), 2)]));
        assert_eq!(authority.remove_role(&role).unwrap(), BTreeSet::from([bob.clone()]));
        assert!(authority.token(&bob, &role).is_err() && authority.remove_role(&role).is_err());
        assert_eq!(authority.removed[&role].users, BTreeSet::from([ann.clone(), bob.clone()]));
        authority.add_role(&role, secrets(4)).unwrap();
        assert!(authority.removed.is_empty());
        assert!(authority.assign(&bob, &role).unwrap());
        assert_eq!(authority.token(&bob, &role).unwrap().name().to_string(), "operator/3/bob");
        assert_eq!(authority.roles[&role].revoked, BTreeMap::from([(ann, 3)]));
    }

    #[test]
    fn a_public_key_is_kept_as_devices_want_it() {
        let mut authority = some();
        let ann = name("ann");
        assert!(
            authority.add_public_key(&ann, P256).unwrap() && !authority.add_public_key(&ann, P256).unwrap()
        );
        let der = authority.users[&ann].public_keys.first().unwrap();
        assert!(Verifier::from_spki(der).is_ok());
        let mut other = authority.clone();
        assert_eq!(other.remove_public_keys(&ann, Some(P256)).unwrap(), 1);
        assert_eq!(other.remove_public_keys(&ann, None).unwrap(), 0);
        assert!(other.users[&ann].had_public_keys && !authority.users[&ann].had_public_keys);
        assert!(other.remove_public_keys(&name("none"), None).is_err());
        let broken = P256.replace("MFkw", "MFkx");
        assert!(matches!(authority.add_public_key(&ann, &broken), Err(Error::PublicKey { .. })));
        assert!(matches!(
            authority.add_public_key(&name("none"), P256),
            Err(Error::Unknown { what: "user", .. })
        ));
    }

    const P256: &str = "-----BEGIN PUBLIC KEY-----\n\
         MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1PB2+BsyInmvJdoHt62YgkIpi7TE\n\
         i0SEYfE1NuJomgCLhnYiR5LFBmp2ieb8PzhK9oHku6hUf7E8FTRH2zs8FA==\n\
         -----END PUBLIC KEY-----\n";

    #[test]
    fn a_policy_is_an_element_of_its_module() {
        let mut authority = some();
        let text =
            format!("<?xml version='1.0'?>\n<rbac xmlns='{RBAC}'><role><name>a</name></role></rbac>\n");
        assert!(authority.set_policy(&text).unwrap() && !authority.set_policy(&text).unwrap());
        assert_eq!((authority.policy.revision, authority.policy.content.starts_with("<rbac ")), (1, true));
        for (text, words) in
            [("<rbac/>", "expected <rbac xmlns"), ("<rbac", "policy"), ("<!DOCTYPE a><a/>", "policy")]
        {
            let fault = authority.set_policy(text).unwrap_err().to_string();
            assert!(fault.contains(words), "{text}: {fault}");
        }
        assert_eq!(authority.policy.revision, 1);
    }

    #[test]
    fn mistakes_change_nothing() {
        let mut authority = some();
        let whole = authority.clone();
        let (ann, none) = (name("ann"), name("none"));
        assert!(matches!(authority.add_role(&name("user"), secrets(9)), Err(Error::Reserved)));
        assert!(matches!(authority.add_role(&name("reader"), secrets(9)), Err(Error::Taken { .. })));
        assert!(matches!(authority.assign(&ann, &none), Err(Error::Unknown { what: "role", .. })));
        assert!(!authority.assign(&ann, &name("operator")).unwrap());
        assert!(matches!(authority.add_device(&name("r1"), "netconf://other"), Err(Error::Taken { .. })));
        assert!(!authority.add_device(&name("r1"), "netconf://max@192.0.2.1").unwrap());
        assert!(matches!(authority.add_public_key(&ann, "x"), Err(Error::PublicKey { .. })));
        for (user, role) in [(&none, "operator"), (&ann, "none"), (&ann, "reader")] {
            let revoked = authority.revoke(user, &name(role), Duration::ZERO, at(0), secrets(9));
            assert!(revoked.is_err(), "{user} {role}");
            assert!(authority.token(user, &name(role)).is_err());
        }
        authority.roles.get_mut(&name("operator")).unwrap().newest = u32::MAX;
        let last = authority.revoke(&ann, &name("operator"), Duration::ZERO, at(0), secrets(9));
        assert!(matches!(last, Err(Error::LastEpoch { .. })));
        authority.roles.get_mut(&name("operator")).unwrap().newest = 1;
        assert_eq!(authority, whole);
        assert!(!format!("{authority:?}").contains("[1, 1"));
    }
}
