//! What devices should have, what they have acknowledged, and the parts between the two.
//!
//! A part is a role or a user: a device that refuses one must get the others nevertheless, above all those that take keys away. A role is sent whole (`operation="replace"`), with all its epochs that are valid: whatever a device has of it from an edit whose
//! reply was lost is gone then. The same holds for a user with public keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use trunkline_xml::Writer;
use trunkline_xmlsec::Time;
use zeroize::Zeroizing;

use crate::{Authority, Epoch, Role};

/// What a device has acknowledged: epochs, and when each expires; public keys in base64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    /// The policy, by its revision; 0: none.
    pub policy: u32,
    /// By the role's name.
    pub roles: BTreeMap<String, BTreeMap<u32, Option<Time>>>,
    /// By the user's name: none are left of a user who has no role any more.
    pub users: BTreeMap<String, BTreeSet<String>>,
    /// Roles of which it may have keys of ours though it has acknowledged none: those whose acknowledgement was lost or forgotten.
    pub sent: BTreeSet<String>,
}

/// What all devices should have at a moment.
pub struct Content<'a> {
    authority: &'a Authority,
    now: Time,
    wanted: Acknowledged,
}

/// Whose keys a part has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// Those of a role.
    Role(String),
    /// The public keys of a user.
    User(String),
}

/// A role or a user of whom a device lacks something, or has it otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose keys.
    pub of: Of,
    /// Whether the device may have keys that this takes away.
    pub is_revocation: bool,
    /// Whose keys it takes away for good.
    pub losing: BTreeSet<String>,
    /// Whether epochs in it expire.
    pub has_grace: bool,
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Of::Role(name) => write!(f, "the role {name}"),
            Of::User(name) => write!(f, "the public keys of {name}"),
        }
    }
}

/// A device has a newer epoch of a role than the authority, which is not as new as it was: an older one must not take its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newer {
    /// The role.
    pub role: String,
    /// The authority's newest epoch.
    pub ours: u32,
    /// That of the device.
    pub theirs: u32,
}

impl fmt::Display for Newer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Newer { role, ours, theirs } = self;
        write!(
            f,
            "the role {role}: the device has epoch {theirs}, newer than the authority's {ours}, as after an old backup was restored: "
        )?;
        match *theirs {
            // No number is above it.
            u32::MAX => write!(
                f,
                "somebody with the right to set its keys has; delete that epoch on the device, or run `trunkline rbac role remove {role}`, \
                 `deploy`, and make the role again"
            ),
            _ => write!(
                f,
                "revoke again whose revocation is lost, then run `trunkline rbac renew {role} --above {theirs}`"
            ),
        }
    }
}

impl Acknowledged {
    /// That a device has a part of what it should have.
    pub fn take(&mut self, of: &Of, wanted: &Acknowledged) {
        match of {
            Of::Role(name) => {
                let wanted = wanted.roles.get(name);
                replace(&mut self.roles, name, wanted);
                match wanted {
                    Some(_) => self.sent.remove(name),
                    None => self.sent.insert(name.clone()),
                };
            }
            Of::User(name) => replace(&mut self.users, name, wanted.users.get(name)),
        }
    }

    /// Nothing but what is to be deleted: of a device of which it is not known any more what it has.
    #[must_use]
    pub fn forgotten(mut self, wanted: &Acknowledged) -> Self {
        let forgotten = self.roles.keys().filter(|name| wanted.roles.contains_key(*name));
        self.sent.extend(forgotten.cloned());
        self.roles.retain(|name, _| !wanted.roles.contains_key(name));
        self.users.retain(|name, _| !wanted.users.contains_key(name));
        Acknowledged { policy: 0, ..self }
    }
}

/// The content of an edit that takes epochs of a role away from a device.
pub(crate) fn without(role: &str, epochs: &[u32]) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("keys").attribute("xmlns", KEYS).attribute("xmlns:nc", BASE);
    writer.start("role").leaf("name", role);
    for number in epochs {
        writer.start("epoch").attribute("nc:operation", "remove").start("number").plain(*number);
        writer.end("number").end("epoch");
    }
    writer.end("role").end("keys");
    octets
}

fn replace<T: Clone>(map: &mut BTreeMap<String, T>, name: &str, value: Option<&T>) {
    match value {
        Some(value) => map.insert(name.to_owned(), value.clone()),
        None => map.remove(name),
    };
}

impl<'a> Content<'a> {
    /// Of this authority at this moment.
    #[must_use]
    pub fn of(authority: &'a Authority, now: Time) -> Self {
        let valid = |role: &Role| {
            let epochs = role.epochs.iter().filter(|(_, epoch)| epoch.is_valid(now));
            epochs.map(|(number, epoch)| (*number, epoch.expires)).collect()
        };
        let roles = authority.roles.iter().map(|(name, role)| (name.to_string(), valid(role)));
        // That a device has nothing of a role that was removed is acknowledged too.
        let removed = authority.removed.keys().map(|name| (name.to_string(), BTreeMap::new()));
        // Whoever has no role any more has nothing to sign; the same holds for public keys.
        let users =
            authority.users.iter().filter(|(_, user)| user.had_public_keys || !user.public_keys.is_empty());
        let users = users.map(|(name, user)| {
            let keys = user.public_keys.iter().filter(|_| !user.roles.is_empty());
            (name.to_string(), keys.map(|key| BASE64.encode(key)).collect())
        });
        let (policy, roles) = (authority.policy.revision, roles.chain(removed).collect());
        Content {
            authority,
            now,
            wanted: Acknowledged { policy, roles, users: users.collect(), sent: BTreeSet::new() },
        }
    }

    /// What a device has that has all of it.
    #[must_use]
    pub fn wanted(&self) -> &Acknowledged {
        &self.wanted
    }

    /// The number of the newest epoch of a role; `None` of one that was removed.
    #[must_use]
    pub fn newest(&self, role: &str) -> Option<u32> {
        self.authority.roles.iter().find(|(name, _)| name.as_str() == role).map(|(_, role)| role.newest)
    }

    /// The moment.
    #[must_use]
    pub fn moment(&self) -> Time {
        self.now
    }

    /// How many roles and users a device lacks, or has otherwise, and the policy. What has expired there is to be deleted.
    #[must_use]
    pub fn behind(&self, has: &Acknowledged) -> usize {
        self.roles_behind(has).count()
            + self.users_behind(has).count()
            + usize::from(self.policy(has).is_some())
    }

    /// How many epochs a device has that are over.
    #[must_use]
    pub fn over(&self, has: &Acknowledged) -> usize {
        let is_over = |expires: &&Option<Time>| expires.is_some_and(|expires| expires <= self.now);
        has.roles.values().flat_map(BTreeMap::values).filter(is_over).count()
    }

    /// The content of `config` in an edit that brings a device the policy; `None` if it has it. It is an edit of its own: a device that
    /// refuses the policy must get the keys nevertheless.
    #[must_use]
    pub fn policy(&self, has: &Acknowledged) -> Option<&'a str> {
        (self.wanted.policy != has.policy).then_some(self.authority.policy.content.as_str())
    }

    /// What a device lacks, or has otherwise; first what takes keys away.
    #[must_use]
    pub fn parts(&self, has: &Acknowledged) -> Vec<Part> {
        let roles = self.roles_behind(has).map(|name| self.role_part(name, has));
        let users = self.users_behind(has).map(|name| self.user_part(name, has));
        let mut parts: Vec<Part> = roles.chain(users).collect();
        parts.sort_by_key(|part| !part.is_revocation);
        parts
    }

    fn role_part(&self, name: &str, has: &Acknowledged) -> Part {
        let (found, wanted) = (has.roles.get(name), self.wanted.roles.get(name));
        let (newest, next) = (found.map_or(0, last), wanted.map_or(0, last));
        let is_ended = |number: &u32| wanted.is_none_or(|wanted| !wanted.contains_key(number));
        // Whatever it has acknowledged, a device may have an earlier epoch from an edit whose reply was lost.
        let is_revocation =
            next == 0 || (next > 1 && next > newest) || found.is_some_and(|it| it.keys().any(is_ended));
        let role = self.authority.roles.iter().find(|(key, _)| key.as_str() == name);
        // Also whoever had a grace that ends before its time.
        let ends_before =
            |first: u32| found.is_some_and(|it| it.keys().any(|it| *it < first && is_ended(it)));
        let revoked = role.iter().flat_map(|(_, role)| &role.revoked);
        let revoked = revoked.filter(|(_, first)| **first > newest || ends_before(**first));
        let removed = self.authority.removed.iter().find(|(key, _)| key.as_str() == name);
        let losing =
            removed.iter().flat_map(|(_, removed)| &removed.users).chain(revoked.map(|(user, _)| user));
        Part {
            of: Of::Role(name.to_owned()),
            is_revocation,
            losing: losing.map(ToString::to_string).collect(),
            has_grace: wanted.is_some_and(|wanted| wanted.values().any(Option::is_some)),
        }
    }

    fn user_part(&self, name: &str, has: &Acknowledged) -> Part {
        let (found, wanted) = (has.users.get(name), self.wanted.users.get(name));
        let is_ended = |key: &String| wanted.is_none_or(|wanted| !wanted.contains(key));
        let is_revocation =
            found.into_iter().flatten().any(is_ended) || wanted.is_none_or(BTreeSet::is_empty);
        let losing = is_revocation.then(|| name.to_owned()).into_iter().collect();
        Part { of: Of::User(name.to_owned()), is_revocation, losing, has_grace: false }
    }

    /// The content of `config` in an edit that brings a device these parts. It is secret.
    #[must_use]
    pub fn edit(&self, parts: &[Part]) -> Zeroizing<Vec<u8>> {
        let mut octets = Zeroizing::new(Vec::with_capacity(64 << 10));
        let mut writer = Writer::new(&mut octets);
        writer.start("keys").attribute("xmlns", KEYS).attribute("xmlns:nc", BASE);
        for part in parts {
            match &part.of {
                Of::Role(name) => self.write_role(&mut writer, name),
                Of::User(name) => self.write_user(&mut writer, name),
            }
        }
        writer.end("keys");
        octets
    }

    /// The content of an edit that leaves a device the name of a role that was removed, without keys: whoever may set its keys may not
    /// always delete it, as if no other role has any.
    #[must_use]
    pub fn emptied(&self, part: &Part) -> Option<Vec<u8>> {
        let Of::Role(name) = &part.of else { return None };
        let is_there = self.authority.roles.keys().any(|key| key.as_str() == name);
        let mut octets = Vec::new();
        let mut writer = Writer::new(&mut octets);
        writer.start("keys").attribute("xmlns", KEYS).attribute("xmlns:nc", BASE);
        writer.start("role").attribute("nc:operation", "replace").leaf("name", name).end("role").end("keys");
        (!is_there).then_some(octets)
    }

    fn write_role(&self, writer: &mut Writer<'_>, name: &str) {
        let role = self.authority.roles.iter().find(|(key, _)| key.as_str() == name);
        let operation = if role.is_some() { "replace" } else { "remove" };
        writer.start("role").attribute("nc:operation", operation).leaf("name", name);
        let epochs = role.iter().flat_map(|(_, role)| &role.epochs);
        epochs.filter(|(_, epoch)| epoch.is_valid(self.now)).for_each(|(number, epoch)| {
            write_epoch(writer, *number, epoch);
        });
        writer.end("role");
    }

    fn write_user(&self, writer: &mut Writer<'_>, name: &str) {
        let keys = self.wanted.users.get(name).filter(|keys| !keys.is_empty());
        let operation = if keys.is_some() { "replace" } else { "remove" };
        writer.start("user").attribute("nc:operation", operation).leaf("name", name);
        keys.into_iter().flatten().for_each(|key| {
            writer.leaf("public-key", key);
        });
        writer.end("user");
    }

    /// A role that was removed is not withdrawn where it was never sent: the keys of that name are another authority's.
    fn roles_behind<'s>(&'s self, has: &'s Acknowledged) -> impl Iterator<Item = &'s str> {
        let is_removed = move |name: &str| self.wanted.roles.get(name).is_some_and(BTreeMap::is_empty);
        let may_have = move |name: &str| has.roles.contains_key(name) || has.sent.contains(name);
        behind(&self.wanted.roles, &has.roles).filter(move |&name| !is_removed(name) || may_have(name))
    }

    fn users_behind<'s>(&'s self, has: &'s Acknowledged) -> impl Iterator<Item = &'s str> {
        behind(&self.wanted.users, &has.users)
    }
}

/// What is wanted otherwise, and what is there and not wanted.
fn behind<'m, T: PartialEq>(
    wanted: &'m BTreeMap<String, T>,
    has: &'m BTreeMap<String, T>,
) -> impl Iterator<Item = &'m str> {
    let other = wanted.iter().filter(|(name, value)| has.get(*name) != Some(value)).map(|(name, _)| name);
    let gone = has.keys().filter(|name| !wanted.contains_key(*name));
    other.chain(gone).map(String::as_str)
}

fn last<T>(epochs: &BTreeMap<u32, T>) -> u32 {
    epochs.keys().next_back().copied().unwrap_or_default()
}

fn write_epoch(writer: &mut Writer<'_>, number: u32, epoch: &Epoch) {
    writer.start("epoch").start("number").plain(number).end("number");
    for (name, key) in
        [("authentication-key", &epoch.secrets.authentication), ("encryption-key", &epoch.secrets.encryption)]
    {
        writer.start(name);
        for (at, octet) in key.iter().enumerate() {
            if at > 0 {
                writer.raw(b":");
            }
            writer.hexadecimal(&[*octet]);
        }
        writer.end(name);
    }
    epoch.expires.iter().for_each(|expires| {
        writer.leaf("expires", &expires.to_string());
    });
    writer.end("epoch");
}

/// The namespace of trunkline-keys.
pub(crate) const KEYS: &str = "urn:trunkline:yang:keys";
/// That of NETCONF's operations.
const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::authority::tests::{at, name, secrets, some};

    fn text(content: &Content<'_>, has: &Acknowledged) -> String {
        String::from_utf8(content.edit(&content.parts(has)).to_vec()).unwrap()
    }

    /// Whose keys a device lacks, with a `!` before those that are taken away, and the users who lose some.
    fn parts(content: &Content<'_>, has: &Acknowledged) -> String {
        let word = |part: Part| {
            let mark = if part.is_revocation { "!" } else { "" };
            let losing = part.losing.iter().map(|user| format!(" -{user}")).collect::<String>();
            format!("{mark}{}{losing}", part.of)
        };
        content.parts(has).into_iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn only_what_a_device_lacks_is_sent_and_wholly() {
        let mut authority = some();
        let content = Content::of(&authority, at(0));
        let first = text(&content, &Acknowledged::default());
        let key = |octet: &str| [octet; 32].join(":");
        assert_eq!(
            first,
            format!(
                "<keys xmlns=\"{KEYS}\" xmlns:nc=\"{BASE}\"><role nc:operation=\"replace\"><name>operator</name><epoch><number>1</number>\
                 <authentication-key>{}</authentication-key><encryption-key>{}</encryption-key></epoch></role>\
                 <role nc:operation=\"replace\"><name>reader</name><epoch><number>1</number><authentication-key>{}</authentication-key>\
                 <encryption-key>{}</encryption-key></epoch></role></keys>",
                key("01"),
                key("fe"),
                key("02"),
                key("fd")
            )
        );
        let has = content.wanted().clone();
        assert_eq!((content.behind(&has), content.parts(&has)), (0, vec![]));
        let (ann, operator) = (name("ann"), name("operator"));
        authority.revoke(&ann, &operator, Duration::from_secs(60), at(1), secrets(3)).unwrap();
        let content = Content::of(&authority, at(1));
        let second = text(&content, &has);
        assert!(
            second.contains("<number>1</number>")
                && second.contains("<expires>")
                && second.contains("<number>2</number>")
        );
        assert!(!second.contains("reader"), "{second}");
        assert_eq!(parts(&content, &has), "!the role operator -ann");
        assert!(content.parts(&has)[0].has_grace);
        // Once the grace is over, the epoch is deleted: a device whose clock goes back must not have it.
        let mut has = content.wanted().clone();
        let content = Content::of(&authority, at(61));
        assert_eq!(
            (content.behind(&has), content.over(&has), parts(&content, &has).as_str()),
            (1, 1, "!the role operator -ann")
        );
        assert!(!text(&content, &has).contains("<expires>"));
        has.take(&Of::Role("operator".into()), content.wanted());
        assert_eq!((content.behind(&has), content.over(&has)), (0, 0));
        assert_eq!(Content::of(&authority, at(61)).behind(&Acknowledged::default()), 2);
    }

    #[test]
    fn what_takes_keys_away_is_first() {
        let mut authority = some();
        let mut has = Content::of(&authority, at(0)).wanted().clone();
        authority.add_role(&name("a"), secrets(7)).unwrap();
        authority.revoke(&name("bob"), &name("reader"), Duration::ZERO, at(1), secrets(8)).unwrap();
        let content = Content::of(&authority, at(1));
        assert_eq!(parts(&content, &has), "!the role reader -bob, the role a");
        // A device that never acknowledged anything may have had an edit whose reply was lost.
        let lost = has.clone().forgotten(content.wanted());
        let sent = has.roles.keys().cloned().collect();
        assert_eq!(lost, Acknowledged { sent, ..Acknowledged::default() });
        assert_eq!(parts(&content, &lost), "!the role reader -bob, the role a, the role operator");
        has.take(&Of::Role("reader".into()), content.wanted());
        assert_eq!(parts(&content, &has), "the role a");
    }

    #[test]
    fn a_removed_role_is_deleted_where_it_was_sent() {
        let mut authority = some();
        let mut has = Content::of(&authority, at(0)).wanted().clone();
        authority.remove_role(&name("operator")).unwrap();
        let content = Content::of(&authority, at(1));
        let lost = has.clone().forgotten(content.wanted());
        assert_eq!(lost.sent.iter().collect::<Vec<_>>(), ["operator", "reader"]);
        // Of another authority.
        assert!(
            !parts(&content, &Acknowledged { sent: BTreeSet::new(), ..lost.clone() }).contains("operator")
        );
        for has in [&has, &lost] {
            assert!(parts(&content, has).starts_with("!the role operator -ann -bob"));
            assert!(
                text(&content, has).contains("<role nc:operation=\"remove\"><name>operator</name></role>")
            );
        }
        let emptied = String::from_utf8(content.emptied(&content.parts(&has)[0]).unwrap()).unwrap();
        assert!(emptied.contains("<role nc:operation=\"replace\"><name>operator</name></role>"), "{emptied}");
        // If it returns before the device is served, its first epoch is another one.
        authority.add_role(&name("operator"), secrets(9)).unwrap();
        let content = Content::of(&authority, at(2));
        assert_eq!(parts(&content, &has), "!the role operator -ann -bob");
        assert!(text(&content, &has).contains("<number>2</number>"));
        assert_eq!(content.emptied(&content.parts(&has)[0]), None);
        // A role that the authority's file lacks for another reason.
        has.take(&Of::Role("operator".into()), content.wanted());
        has.roles.insert("other".into(), BTreeMap::from([(1, None)]));
        assert_eq!(parts(&content, &has), "!the role other");
        assert_eq!(has.clone().forgotten(content.wanted()).roles.keys().collect::<Vec<_>>(), ["other"]);
        has.take(&Of::Role("other".into()), content.wanted());
        assert_eq!(content.behind(&has), 0);
    }

    #[test]
    fn public_keys_leave_with_the_last_role() {
        let mut authority = some();
        let (ann, operator) = (name("ann"), name("operator"));
        authority.users.get_mut(&ann).unwrap().public_keys.insert(vec![1, 2, 3]);
        let content = Content::of(&authority, at(0));
        let edit = text(&content, &Acknowledged::default());
        assert!(
            edit.contains(
                "<user nc:operation=\"replace\"><name>ann</name><public-key>AQID</public-key></user>"
            ),
            "{edit}"
        );
        let has = content.wanted().clone();
        authority.revoke(&ann, &operator, Duration::ZERO, at(1), secrets(3)).unwrap();
        let content = Content::of(&authority, at(1));
        assert!(text(&content, &has).contains("<user nc:operation=\"remove\"><name>ann</name></user>"));
        assert_eq!(content.behind(&has), 2);
        // Also if the device never said that it has the key.
        assert!(
            text(&content, &Acknowledged::default())
                .contains("<user nc:operation=\"remove\"><name>ann</name></user>")
        );
        assert_eq!(content.behind(content.wanted()), 0);
    }

    #[test]
    fn a_public_key_that_is_removed_is_deleted() {
        let mut authority = some();
        let ann = name("ann");
        authority.users.get_mut(&ann).unwrap().public_keys.insert(vec![1, 2, 3]);
        let has = Content::of(&authority, at(0)).wanted().clone();
        assert_eq!(authority.remove_public_keys(&ann, None).unwrap(), 1);
        let content = Content::of(&authority, at(1));
        for has in [&has, &Acknowledged { users: BTreeMap::new(), ..has.clone() }] {
            assert_eq!(parts(&content, has), "!the public keys of ann -ann");
            assert!(text(&content, has).contains("<user nc:operation=\"remove\"><name>ann</name></user>"));
        }
    }
}
