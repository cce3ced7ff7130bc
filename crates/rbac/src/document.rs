//! The authority's files: TOML, of which one is secret. An end line shows that a file is whole, and a digest that it is as it was written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use trunkline_login::token::{hexadecimal, of_hexadecimal};
use trunkline_xmlsec::Time;
use zeroize::Zeroizing;

use crate::content::Acknowledged;
use crate::{Authority, Epoch, Error, Name, Policy, Removed, Role, RoleSecrets, User};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAuthority {
    // All three are written always, so that a file of an earlier release, which has no end line, is refused where one is cut off.
    #[serde(rename = "role")]
    roles: Vec<RawRole>,
    #[serde(rename = "user")]
    users: Vec<RawUser>,
    #[serde(rename = "device")]
    devices: Vec<RawDevice>,
    #[serde(default, rename = "removed", skip_serializing_if = "Vec::is_empty")]
    removed: Vec<RawRemoved>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<RawPolicy>,
}

/// A role that has been removed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRemoved {
    name: Word<Name>,
    newest: u32,
    #[serde(default)]
    users: Vec<Word<Name>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicy {
    revision: u32,
    content: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRole {
    name: Word<Name>,
    newest: u32,
    #[serde(default, rename = "epoch")]
    epochs: Vec<RawEpoch>,
    /// The first epoch without a user.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    revoked: BTreeMap<String, u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEpoch {
    number: u32,
    authentication: RawSecret,
    encryption: RawSecret,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<Word<Time>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawUser {
    name: Word<Name>,
    #[serde(default)]
    roles: Vec<Word<Name>>,
    #[serde(default)]
    public_keys: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    had_public_keys: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDevice {
    name: Word<Name>,
    address: String,
}

/// What a device has acknowledged.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAcknowledged {
    #[serde(default)]
    policy: u32,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    sent: BTreeSet<String>,
    #[serde(default)]
    roles: BTreeMap<String, Vec<RawNumber>>,
    #[serde(default)]
    users: BTreeMap<String, Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawNumber {
    number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<Word<Time>>,
}

/// A value that is written as a word.
struct Word<T>(T);

impl<T: ToString> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0.to_string())
    }
}

impl<'de, T: std::str::FromStr> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        word.parse().map(Word).map_err(|_| serde::de::Error::custom("another word"))
    }
}

struct RawSecret(Zeroizing<[u8; 32]>);

impl Serialize for RawSecret {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hexadecimal(self.0.as_slice()))
    }
}

impl<'de> Deserialize<'de> for RawSecret {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let digits = Zeroizing::new(String::deserialize(from)?);
        of_hexadecimal(&digits).map(RawSecret).ok_or_else(|| serde::de::Error::custom("a secret"))
    }
}

/// Reads the authority's file. No error contains text of it.
pub(crate) fn read_authority(path: &Path, text: &str) -> Result<Authority, Error> {
    let raw: RawAuthority = parsed(path, whole(path, AUTHORITY, text)?)?;
    let wrong = |expected| Error::Document { path: path.to_owned(), line: 1, expected };
    let mut authority = Authority::default();
    for role in raw.roles {
        let mut epochs = BTreeMap::new();
        for RawEpoch { number, authentication, encryption, expires } in role.epochs {
            let secrets = RoleSecrets { authentication: authentication.0, encryption: encryption.0 };
            epochs.insert(number, Epoch { secrets, expires: expires.map(|word| word.0) });
        }
        // A token must not be made from keys that a later epoch has ended.
        if epochs.keys().next_back() != Some(&role.newest) {
            return Err(wrong("the newest epoch of each role"));
        }
        let revoked = role.revoked.into_iter().map(|(user, epoch)| Ok((user.parse()?, epoch)));
        let revoked = revoked.collect::<Result<_, Error>>().map_err(|_| wrong("names of users"))?;
        if authority.roles.insert(role.name.0, Role { newest: role.newest, epochs, revoked }).is_some() {
            return Err(wrong("each role once"));
        }
    }
    for user in raw.users {
        let roles: BTreeSet<Name> = user.roles.into_iter().map(|role| role.0).collect();
        if !roles.iter().all(|role| authority.roles.contains_key(role)) {
            return Err(wrong("roles that exist"));
        }
        let keys = user.public_keys.iter().map(|key| BASE64.decode(key));
        let public_keys = keys.collect::<Result<_, _>>().map_err(|_| wrong("public keys in base64"))?;
        let had_public_keys = user.had_public_keys;
        if authority.users.insert(user.name.0, User { roles, public_keys, had_public_keys }).is_some() {
            return Err(wrong("each user once"));
        }
    }
    authority.devices = raw.devices.into_iter().map(|device| (device.name.0, device.address)).collect();
    for RawRemoved { name, newest, users } in raw.removed {
        if authority.roles.contains_key(&name.0) {
            return Err(wrong("no role that has been removed"));
        }
        let users = users.into_iter().map(|user| user.0).collect();
        authority.removed.insert(name.0, Removed { newest, users });
    }
    if let Some(RawPolicy { revision, content }) = raw.policy {
        authority.policy = Policy { revision, content };
    }
    Ok(authority)
}

/// The text of the authority's file. It is secret.
pub(crate) fn write_authority(path: &Path, authority: &Authority) -> Result<Zeroizing<String>, Error> {
    let epoch = |(number, epoch): (&u32, &Epoch)| RawEpoch {
        number: *number,
        authentication: RawSecret(epoch.secrets.authentication.clone()),
        encryption: RawSecret(epoch.secrets.encryption.clone()),
        expires: epoch.expires.map(Word),
    };
    let role = |(name, role): (&Name, &Role)| RawRole {
        name: Word(name.clone()),
        newest: role.newest,
        epochs: role.epochs.iter().map(epoch).collect(),
        revoked: role.revoked.iter().map(|(user, epoch)| (user.to_string(), *epoch)).collect(),
    };
    let removed = |(name, removed): (&Name, &Removed)| RawRemoved {
        name: Word(name.clone()),
        newest: removed.newest,
        users: removed.users.iter().cloned().map(Word).collect(),
    };
    let user = |(name, user): (&Name, &User)| RawUser {
        name: Word(name.clone()),
        roles: user.roles.iter().cloned().map(Word).collect(),
        public_keys: user.public_keys.iter().map(|key| BASE64.encode(key)).collect(),
        had_public_keys: user.had_public_keys,
    };
    let device =
        |(name, address): (&Name, &String)| RawDevice { name: Word(name.clone()), address: address.clone() };
    written(
        path,
        AUTHORITY,
        &RawAuthority {
            roles: authority.roles.iter().map(role).collect(),
            users: authority.users.iter().map(user).collect(),
            devices: authority.devices.iter().map(device).collect(),
            removed: authority.removed.iter().map(removed).collect(),
            policy: (authority.policy.revision > 0).then(|| RawPolicy {
                revision: authority.policy.revision,
                content: authority.policy.content.clone(),
            }),
        },
    )
}

/// Reads what a device has acknowledged.
pub(crate) fn read_acknowledged(path: &Path, text: &str) -> Result<Acknowledged, Error> {
    let raw: RawAcknowledged = parsed(path, whole(path, ACKNOWLEDGED, text)?)?;
    let epochs = |numbers: Vec<RawNumber>| {
        numbers.into_iter().map(|it| (it.number, it.expires.map(|word| word.0))).collect()
    };
    Ok(Acknowledged {
        policy: raw.policy,
        sent: raw.sent,
        roles: raw.roles.into_iter().map(|(name, numbers)| (name, epochs(numbers))).collect(),
        users: raw.users.into_iter().map(|(name, keys)| (name, keys.into_iter().collect())).collect(),
    })
}

/// The text of what a device has acknowledged.
pub(crate) fn write_acknowledged(path: &Path, has: &Acknowledged) -> Result<Zeroizing<String>, Error> {
    let numbers = |epochs: &BTreeMap<u32, Option<Time>>| {
        epochs
            .iter()
            .map(|(number, expires)| RawNumber { number: *number, expires: expires.map(Word) })
            .collect()
    };
    written(
        path,
        ACKNOWLEDGED,
        &RawAcknowledged {
            policy: has.policy,
            sent: has.sent.clone(),
            roles: has.roles.iter().map(|(name, epochs)| (name.clone(), numbers(epochs))).collect(),
            users: has
                .users
                .iter()
                .map(|(name, keys)| (name.clone(), keys.iter().cloned().collect()))
                .collect(),
        },
    )
}

fn parsed<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, Error> {
    // The words of the TOML reader quote the line, which may hold a secret.
    toml::from_str(text).map_err(|fault| {
        let before = fault.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Error::Document { path: path.to_owned(), line, expected: "its own TOML" }
    })
}

fn written(path: &Path, comment: &str, value: &impl Serialize) -> Result<Zeroizing<String>, Error> {
    let text = toml::to_string(value).map(Zeroizing::new);
    let text =
        text.map_err(|_| Error::Document { path: path.to_owned(), line: 1, expected: "its own TOML" })?;
    Ok(sealed(Zeroizing::new(format!("{comment}{TO_THE_END}\n{}", text.as_str()))))
}

/// With its digest and its end.
fn sealed(content: Zeroizing<String>) -> Zeroizing<String> {
    let digest = hexadecimal(&Sha256::digest(content.as_bytes()));
    Zeroizing::new(format!("{}{DIGEST}{}\n{END}\n", content.as_str(), digest.as_str()))
}

/// The content of a file that was written to its end. Those of earlier releases say nothing about their end.
fn whole<'t>(path: &Path, comment: &str, text: &'t str) -> Result<&'t str, Error> {
    let damaged = |reason| Error::Damaged { path: path.to_owned(), reason };
    let first = text.lines().next().unwrap_or_default();
    match first.strip_prefix(comment) {
        Some("") => return Ok(text),
        Some(TO_THE_END) => {}
        _ => return Err(damaged("its first line is not what it was: it is empty, truncated or damaged")),
    }
    let Some(rest) = text.trim_end().strip_suffix(END) else {
        return Err(damaged("it is truncated: its last line is not `# end`"));
    };
    let last = rest.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let content = &rest[..last];
    match rest[last..].trim_end().strip_prefix(DIGEST) {
        None => Ok(rest),
        Some(digest) if digest == hexadecimal(&Sha256::digest(content.as_bytes())).as_str() => Ok(content),
        Some(_) => Err(damaged(
            "its digest is wrong: it is damaged, or somebody has edited it; after an edit on purpose delete the line that begins with `# sha256 `",
        )),
    }
}

/// The first lines of the files, and what they have more since the last line is an end line.
const AUTHORITY: &str = "# Secret: the keys of all roles. Written by `trunkline rbac`.";
const ACKNOWLEDGED: &str = "# What the device has acknowledged. Written by `trunkline rbac`.";
const TO_THE_END: &str = " Whole to the line `# end`.";
const END: &str = "# end";
/// How the line before it begins; the digest of all lines before follows.
const DIGEST: &str = "# sha256 ";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::authority::tests::{at, name, some};

    fn names() -> impl Strategy<Value = String> {
        "[A-Za-z0-9_][A-Za-z0-9._-]{0,31}".prop_filter("a role's name", |name| name != "user")
    }

    prop_compose! {
        fn epochs()(
            of in proptest::collection::btree_map(any::<u32>(), (any::<[u8; 32]>(), any::<[u8; 32]>(), proptest::option::of(0..1000_u64)), 1..4),
            revoked in proptest::collection::btree_map(names().prop_map(|it| name(&it)), any::<u32>(), 0..3),
        ) -> Role {
            let epoch = |(a, e, expires): ([u8; 32], [u8; 32], Option<u64>)| {
                Epoch { secrets: RoleSecrets::new(a, e), expires: expires.map(at) }
            };
            let epochs: BTreeMap<u32, Epoch> = of.into_iter().map(|(number, it)| (number, epoch(it))).collect();
            Role { newest: epochs.keys().next_back().copied().unwrap_or_default(), epochs, revoked }
        }
    }

    prop_compose! {
        fn authorities()(
            roles in proptest::collection::btree_map(names(), epochs(), 0..4),
            users in proptest::collection::btree_map(
                names(),
                (any::<u8>(), proptest::collection::btree_set(proptest::collection::vec(any::<u8>(), 0..40), 0..3)),
                0..5
            ),
            devices in proptest::collection::btree_map(names(), "\\PC{0,40}", 0..4),
            content in "\\PC{0,40}",
            removed in proptest::collection::btree_map(names(), (any::<u32>(), proptest::collection::btree_set(names().prop_map(|it| name(&it)), 0..3)), 0..3),
        ) -> Authority {
            let roles: BTreeMap<Name, Role> = roles.into_iter().map(|(key, role)| (name(&key), role)).collect();
            let has = |mask: u8| roles.keys().enumerate().filter(|(at, _)| mask & (1 << at) != 0).map(|(_, name)| name.clone()).collect();
            let users = users.into_iter().map(|(key, (mask, public_keys))| (name(&key), User { roles: has(mask), public_keys, had_public_keys: mask > 99 })).collect();
            let removed = removed.into_iter().map(|(key, (newest, users))| (name(&key), Removed { newest, users }));
            let removed = removed.filter(|(name, _)| !roles.contains_key(name)).collect();
            let devices = devices.into_iter().map(|(key, address)| (name(&key), address)).collect();
            let policy = Policy { revision: u32::try_from(content.len()).unwrap(), content };
            Authority { roles, users, devices, policy, removed }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read(authority in authorities()) {
            let path = Path::new("authority.toml");
            let text = write_authority(path, &authority).unwrap();
            prop_assert_eq!(read_authority(path, &text).unwrap(), authority);
        }

        #[test]
        fn what_devices_have_is_read_again(
            roles in proptest::collection::btree_map("\\PC{0,9}", proptest::collection::btree_map(any::<u32>(), proptest::option::of((0..1000_u64).prop_map(at)), 0..4), 0..4),
            users in proptest::collection::btree_map("\\PC{0,9}", proptest::collection::btree_set("\\PC{0,9}", 0..3), 0..4),
            sent in proptest::collection::btree_set("\\PC{0,9}", 0..3),
        ) {
            let (path, has) = (Path::new("r1.toml"), Acknowledged { policy: 7, roles, users, sent });
            let text = write_acknowledged(path, &has).unwrap();
            prop_assert_eq!(read_acknowledged(path, &text).unwrap(), has);
        }
    }

    #[test]
    fn faults_of_the_file_are_named_without_its_text() {
        let path = Path::new("/a/authority.toml");
        let text = write_authority(path, &some()).unwrap();
        let text = Zeroizing::new(text[..text.find(DIGEST).unwrap()].to_owned());
        let secret = "01".repeat(32);
        assert!(text.contains(&secret));
        for (broken, words) in [
            (text.replace(&secret, &secret[1..]), "line 8"),
            (text.replace(&format!("\"{secret}\""), &secret), "line"),
            (text.replace("newest = 1", "newest = 2"), "the newest epoch of each role"),
            (
                format!("{}[[removed]]\nname = \"reader\"\nnewest = 1\n", text.as_str()),
                "no role that has been removed",
            ),
            (text.replace("name = \"reader\"", "name = \"operator\""), "each role once"),
            (text.replace("name = \"bob\"", "name = \"ann\""), "each user once"),
            (text.replacen("\"operator\"]", "\"other\"]", 1), "roles that exist"),
            (text.replacen("public-keys = []", "public-keys = [\"x\"]", 1), "public keys in base64"),
            (text.replace("name = \"r1\"", "name = \"../r1\""), "its own TOML"),
            (format!("{}\n{secret} = 1\n", text.as_str()), "its own TOML"),
        ] {
            let broken = sealed(Zeroizing::new(broken));
            let fault = read_authority(path, &broken).unwrap_err().to_string();
            assert!(fault.starts_with("/a/authority.toml") && fault.contains(words), "{words}: {fault}");
            assert!(!fault.contains("0101"), "{fault}");
        }
    }

    /// A shorter file is never a smaller authority.
    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_refused() {
        let path = Path::new("/a/authority.toml");
        let text = write_authority(path, &some()).unwrap();
        let whole = text.trim_end().len();
        for length in (0..whole).filter(|at| text.is_char_boundary(*at)) {
            let fault = read_authority(path, &text[..length]).unwrap_err();
            // Only the first line of an earlier release is left of it: then its tables are missing.
            let is_like_older = length == AUTHORITY.len();
            assert!(is_like_older || matches!(fault, Error::Damaged { .. }), "{length}: {fault}");
        }
        let changed = text.replace("name = \"r1\"", "name = \"r2\"");
        let fault = read_authority(path, &changed).unwrap_err().to_string();
        assert!(fault.contains("delete the line that begins with `# sha256 `"), "{fault}");
        assert!(fault.contains("restore it from a copy"), "{fault}");
        // An edit on purpose.
        let lines = changed.lines().filter(|line| !line.starts_with(DIGEST));
        let edited: String = lines.map(|line| format!("{line}\n")).collect();
        assert!(read_authority(path, &edited).unwrap().devices.contains_key(&name("r2")));
    }

    /// Earlier releases wrote neither a digest nor an end.
    #[test]
    fn the_files_of_earlier_releases_are_read() {
        let (path, authority) = (Path::new("authority.toml"), some());
        let before = |text: &str| text[..text.find(DIGEST).unwrap()].replace(TO_THE_END, "");
        let text = before(&write_authority(path, &authority).unwrap());
        assert_eq!(read_authority(path, &text).unwrap(), authority);
        assert!(read_authority(path, &text[..text.find("[[device]]").unwrap()]).is_err());
        assert!(read_authority(path, AUTHORITY).is_err());
        let empty = before(&write_authority(path, &Authority::default()).unwrap());
        assert_eq!(read_authority(path, &empty).unwrap(), Authority::default());
        let has = Acknowledged { policy: 7, ..Acknowledged::default() };
        let text = before(&write_acknowledged(path, &has).unwrap());
        assert_eq!(read_acknowledged(path, &text).unwrap(), has);
    }
}
