//! What devices should have, what they have acknowledged, and the edit between the two.
//!
//! A role is sent whole (`operation="replace"`), with all its epochs that are valid: whatever a device has of it from an edit whose
//! reply was lost is gone then. The same holds for a user with public keys.

use std::collections::{BTreeMap, BTreeSet};

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
}

/// What all devices should have at a moment.
pub struct Content<'a> {
    authority: &'a Authority,
    now: Time,
    wanted: Acknowledged,
}

impl<'a> Content<'a> {
    /// Of this authority at this moment.
    #[must_use]
    pub fn of(authority: &'a Authority, now: Time) -> Self {
        let valid = |role: &Role| {
            let epochs = role.epochs.iter().filter(|(_, epoch)| epoch.is_valid(now));
            epochs.map(|(number, epoch)| (*number, epoch.expires)).collect()
        };
        let roles = authority.roles.iter().map(|(name, role)| (name.to_string(), valid(role))).collect();
        // Whoever has no role any more has nothing to sign. That a device has none of the keys is acknowledged too.
        let users =
            authority.users.iter().filter(|(_, user)| !user.public_keys.is_empty()).map(|(name, user)| {
                let keys = user.public_keys.iter().filter(|_| !user.roles.is_empty());
                (name.to_string(), keys.map(|key| BASE64.encode(key)).collect())
            });
        let wanted = Acknowledged { policy: authority.policy.revision, roles, users: users.collect() };
        Content { authority, now, wanted }
    }

    /// What a device has that has all of it.
    #[must_use]
    pub fn wanted(&self) -> &Acknowledged {
        &self.wanted
    }

    /// How many roles and users a device lacks, or has otherwise, and the policy. What has expired there counts for nothing.
    #[must_use]
    pub fn behind(&self, has: &Acknowledged) -> usize {
        self.keys_behind(has) + usize::from(self.policy(has).is_some())
    }

    fn keys_behind(&self, has: &Acknowledged) -> usize {
        self.roles_behind(has).count() + self.users_behind(has).count()
    }

    /// The content of `config` in an edit that brings a device the policy; `None` if it has it. It is an edit of its own: a device that
    /// refuses the policy must get the keys nevertheless.
    #[must_use]
    pub fn policy(&self, has: &Acknowledged) -> Option<&'a str> {
        (self.wanted.policy != has.policy).then_some(self.authority.policy.content.as_str())
    }

    /// The content of `config` in an edit that brings a device the keys; `None` if it has all. It is secret.
    #[must_use]
    pub fn edit(&self, has: &Acknowledged) -> Option<Zeroizing<Vec<u8>>> {
        if self.keys_behind(has) == 0 {
            return None;
        }
        let mut octets = Zeroizing::new(Vec::with_capacity(64 << 10));
        let mut writer = Writer::new(&mut octets);
        writer.start("keys").attribute("xmlns", KEYS).attribute("xmlns:nc", BASE);
        for name in self.roles_behind(has) {
            writer.start("role").attribute("nc:operation", "replace").leaf("name", name);
            let role = self.authority.roles.iter().find(|(key, _)| key.as_str() == name);
            let epochs = role.iter().flat_map(|(_, role)| &role.epochs);
            epochs.filter(|(_, epoch)| epoch.is_valid(self.now)).for_each(|(number, epoch)| {
                write_epoch(&mut writer, *number, epoch);
            });
            writer.end("role");
        }
        for name in self.users_behind(has) {
            let keys = self.wanted.users.get(name).filter(|keys| !keys.is_empty());
            let operation = if keys.is_some() { "replace" } else { "remove" };
            writer.start("user").attribute("nc:operation", operation).leaf("name", name);
            keys.into_iter().flatten().for_each(|key| {
                writer.leaf("public-key", key);
            });
            writer.end("user");
        }
        writer.end("keys");
        Some(octets)
    }

    fn roles_behind<'s>(&'s self, has: &'s Acknowledged) -> impl Iterator<Item = &'s str> {
        let is_valid = |expires: &Option<Time>| expires.is_none_or(|expires| self.now < expires);
        let is_behind = move |name: &str, wanted: &BTreeMap<u32, Option<Time>>| {
            let of_it = has.roles.get(name);
            let found = of_it.into_iter().flatten().filter(|(_, expires)| is_valid(expires));
            of_it.is_none() || !found.eq(wanted.iter())
        };
        let roles = self.wanted.roles.iter().filter(move |(name, wanted)| is_behind(name, wanted));
        roles.map(|(name, _)| name.as_str())
    }

    fn users_behind<'s>(&'s self, has: &'s Acknowledged) -> impl Iterator<Item = &'s str> {
        let wanted =
            self.wanted.users.keys().filter(|name| has.users.get(*name) != self.wanted.users.get(*name));
        let gone = has.users.keys().filter(|name| !self.wanted.users.contains_key(*name));
        wanted.chain(gone).map(String::as_str)
    }
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
const KEYS: &str = "urn:trunkline:yang:keys";
/// That of NETCONF's operations.
const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::authority::tests::{at, name, secrets, some};

    fn text(edit: Option<Zeroizing<Vec<u8>>>) -> String {
        edit.map_or_else(String::new, |octets| String::from_utf8(octets.to_vec()).unwrap())
    }

    #[test]
    fn only_what_a_device_lacks_is_sent_and_wholly() {
        let mut authority = some();
        let content = Content::of(&authority, at(0));
        let first = text(content.edit(&Acknowledged::default()));
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
        assert_eq!((content.behind(&has), content.edit(&has)), (0, None));
        let (ann, operator) = (name("ann"), name("operator"));
        authority.revoke(&ann, &operator, Duration::from_secs(60), at(1), secrets(3)).unwrap();
        let content = Content::of(&authority, at(1));
        let second = text(content.edit(&has));
        assert!(
            second.contains("<number>1</number>")
                && second.contains("<expires>")
                && second.contains("<number>2</number>")
        );
        assert!(!second.contains("reader"), "{second}");
        // Once the grace is over, nobody needs to be sent that it is.
        let has = content.wanted().clone();
        assert_eq!(Content::of(&authority, at(61)).behind(&has), 0);
        assert_eq!(Content::of(&authority, at(61)).behind(&Acknowledged::default()), 2);
    }

    #[test]
    fn public_keys_leave_with_the_last_role() {
        let mut authority = some();
        let (ann, operator) = (name("ann"), name("operator"));
        authority.users.get_mut(&ann).unwrap().public_keys.insert(vec![1, 2, 3]);
        let content = Content::of(&authority, at(0));
        let edit = text(content.edit(&Acknowledged::default()));
        assert!(
            edit.contains(
                "<user nc:operation=\"replace\"><name>ann</name><public-key>AQID</public-key></user>"
            ),
            "{edit}"
        );
        let has = content.wanted().clone();
        authority.revoke(&ann, &operator, Duration::ZERO, at(1), secrets(3)).unwrap();
        let content = Content::of(&authority, at(1));
        assert!(text(content.edit(&has)).contains("<user nc:operation=\"remove\"><name>ann</name></user>"));
        assert_eq!(content.behind(&has), 2);
        // Also if the device never said that it has the key.
        assert!(
            text(content.edit(&Acknowledged::default()))
                .contains("<user nc:operation=\"remove\"><name>ann</name></user>")
        );
        assert_eq!(content.behind(content.wanted()), 0);
    }
}
