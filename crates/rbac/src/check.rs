//! Whether devices have what they acknowledged: one may have lost its configuration, or have an older one again; and whether the authority
//! is not as new as they are.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::time::timeout;
use trunkline_client::NetconfTarget;
use trunkline_client::netconf::NetconfSession;

use crate::content::Of;
use crate::serve::{Undone, late, options};
use crate::{Acknowledged, Authority, Device, Error, Held, Name, Newer, Options, inventory};

/// What a device has otherwise than it acknowledged; or why that is not known.
#[derive(Debug)]
pub struct Checked {
    /// The device.
    pub name: Name,
    /// The roles and users.
    pub found: Result<Vec<Difference>, String>,
    /// Whether it shows no keys at all: it has none, or we may not read them.
    pub shows_nothing: bool,
}

/// A role or a user of whom a device has something else than it acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Something of it is missing.
    Lost(Of),
    /// There is something else, or again what was taken away.
    Otherwise(Of),
    /// There is a newer epoch than the authority has.
    Newer(Newer),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Lost(of) => write!(f, "{of}: lost"),
            Difference::Otherwise(of) => {
                write!(f, "{of}: there is something else, or again what was taken away")
            }
            Difference::Newer(newer) => newer.fmt(f),
        }
    }
}

/// Asks devices for their epochs and public keys, and forgets what they have acknowledged and do not have: then they are behind. One that
/// has lost keys is behind with the policy as well. `report` is called with each.
///
/// # Errors
/// An acknowledgement cannot be read or written.
pub async fn check(
    held: &Held,
    authority: &Authority,
    devices: Vec<Device>,
    options: Options,
    mut report: impl FnMut(&Checked),
) -> Result<(), Error> {
    let mut running = stream::iter(devices)
        .map(|Device { name, target, .. }| async move {
            let found = match target {
                Ok(target) => {
                    let found = timeout(options.deadline, found(&target, options.timeout)).await;
                    found.unwrap_or_else(|_| Err(late(options)))
                }
                Err(words) => Err(words),
            };
            (name, found)
        })
        .buffer_unordered(options.parallel.max(1));
    while let Some((name, found)) = running.next().await {
        let mut has = held.directory().acknowledged(&name)?;
        let shows_nothing = found.as_ref().is_ok_and(|it| it.roles.is_empty() && it.users.is_empty());
        let found = found.map(|found| differences(authority, &has, &found));
        if let Ok(differences) = &found
            && !differences.is_empty()
        {
            differences.iter().for_each(|difference| forget(&mut has, difference));
            held.acknowledge(&name, &has)?;
        }
        report(&Checked { name, found, shows_nothing });
    }
    Ok(())
}

fn forget(has: &mut Acknowledged, difference: &Difference) {
    match difference {
        Difference::Lost(of) | Difference::Otherwise(of) => {
            has.take(of, &Acknowledged::default());
            // What has lost keys, or has old ones again, has lost the policy too, or has an old one.
            has.policy = 0;
        }
        Difference::Newer(Newer { role, .. }) => {
            has.take(&Of::Role(role.clone()), &Acknowledged::default());
        }
    }
}

/// What a device has otherwise than it has acknowledged. What else it has is another authority's.
fn differences(authority: &Authority, has: &Acknowledged, found: &Acknowledged) -> Vec<Difference> {
    let newer = |(name, role): (&Name, &crate::Role)| {
        let theirs = *found.roles.get(name.as_str())?.keys().next_back()?;
        let newer = Newer { role: name.to_string(), ours: role.newest, theirs };
        (theirs > role.newest).then_some(Difference::Newer(newer))
    };
    let newer: Vec<Difference> = authority.roles.iter().filter_map(newer).collect();
    let is_newer = |name: &str| newer.iter().any(|it| matches!(it, Difference::Newer(it) if it.role == name));
    let roles = other(&has.roles, &found.roles).filter(|name| !is_newer(name)).map(|name| {
        let had = &has.roles[name];
        let is_less =
            found.roles.get(name).is_none_or(|it| it.iter().all(|(key, value)| had.get(key) == Some(value)));
        of(is_less, Of::Role(name.clone()))
    });
    let users = other(&has.users, &found.users).map(|name| {
        let is_less = found.users.get(name).is_none_or(|it| it.is_subset(&has.users[name]));
        of(is_less, Of::User(name.clone()))
    });
    let others: Vec<Difference> = roles.chain(users).collect();
    newer.into_iter().chain(others).collect()
}

fn of(is_less: bool, of: Of) -> Difference {
    if is_less { Difference::Lost(of) } else { Difference::Otherwise(of) }
}

/// What is found otherwise; nothing is as good as an empty value.
fn other<'m, T: PartialEq + Default>(
    has: &'m BTreeMap<String, T>,
    found: &'m BTreeMap<String, T>,
) -> impl Iterator<Item = &'m String> {
    let nothing = T::default();
    has.iter()
        .filter(move |(name, value)| found.get(*name).unwrap_or(&nothing) != *value)
        .map(|(name, _)| name)
}

/// The epochs and public keys of a device.
async fn found(target: &NetconfTarget, timeout: Duration) -> Result<Acknowledged, String> {
    let session = NetconfSession::open(target, options(timeout)).await.map_err(|fault| fault.to_string())?;
    inventory::whole(&session).await.map_err(|(Undone::Refused(words) | Undone::Broken(words))| words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trunkline_client::netconf::protocol::document::{Document, limits};

    use super::*;
    use crate::authority::tests::{at, name, secrets, some};
    use crate::content::KEYS;
    use crate::inventory::{MOST_KEYS, read};
    use crate::options::BASE;

    fn reply(keys: &str) -> Option<Acknowledged> {
        let text = format!(
            "<rpc-reply xmlns=\"{BASE}\"><data><keys xmlns=\"{KEYS}\">{keys}</keys></data></rpc-reply>"
        );
        read(Document::read(text.as_bytes(), limits(MOST_KEYS)).unwrap().root())
    }

    #[test]
    fn what_is_missing_is_lost() {
        let epochs = format!(
            "<epoch><number>1</number><expires>{}</expires></epoch><epoch><number>2</number></epoch>",
            at(7)
        );
        let found = reply(&format!(
            "<role><name>a</name>{epochs}</role><role><name>else</name></role><user><name>ann</name><public-key>AQID</public-key></user>"
        ));
        let lost = |has: &Acknowledged, found: &Acknowledged| differences(&Authority::default(), has, found);
        let (a, ann) = (Of::Role("a".into()), Of::User("ann".into()));
        let mut has = Acknowledged::default();
        has.roles.insert("a".into(), BTreeMap::from([(1, Some(at(7))), (2, None)]));
        has.roles.insert("removed".into(), BTreeMap::new());
        has.users.insert("ann".into(), BTreeSet::from(["AQID".into()]));
        assert_eq!(lost(&has, &found.unwrap()), []);
        let both = [Difference::Lost(a.clone()), Difference::Lost(ann.clone())];
        assert_eq!(lost(&has, &reply("").unwrap()), both);
        assert_eq!(
            lost(&has, &read(Document::read(b"<data/>", limits(99)).unwrap().root()).unwrap()).len(),
            2
        );
        // An old configuration: what was taken away is there again.
        has.roles.insert("a".into(), BTreeMap::from([(2, None)]));
        let old =
            reply(&format!("<role><name>a</name>{epochs}</role><role><name>removed</name>{epochs}</role>"));
        let again = [
            Difference::Otherwise(a),
            Difference::Otherwise(Of::Role("removed".into())),
            Difference::Lost(ann),
        ];
        assert_eq!(lost(&has, &old.unwrap()), again);
        assert_eq!(reply("<role><name>a</name><epoch><number>x</number></epoch></role>"), None);
        // With the keys the policy is forgotten.
        has.policy = 3;
        again.iter().for_each(|difference| forget(&mut has, difference));
        let sent = BTreeSet::from(["a".to_owned(), "removed".to_owned()]);
        assert_eq!(has, Acknowledged { sent, ..Acknowledged::default() });
    }

    #[test]
    fn an_authority_that_is_older_than_a_device_is_found() {
        let mut authority = some();
        let mut has = crate::Content::of(&authority, at(0)).wanted().clone();
        has.policy = 3;
        let epoch =
            |number: u32| format!("<role><name>reader</name><epoch><number>{number}</number></epoch></role>");
        let found =
            reply(&(epoch(4) + "<role><name>operator</name><epoch><number>1</number></epoch></role>"))
                .unwrap();
        let newer = Newer { role: "reader".into(), ours: 1, theirs: 4 };
        assert!(newer.to_string().contains("`trunkline rbac renew reader --above 4`"), "{newer}");
        let all = [Difference::Newer(newer)];
        assert_eq!(differences(&authority, &has, &found), all);
        // Whether or not it has acknowledged that role.
        forget(&mut has, &all[0]);
        assert_eq!((has.policy, has.roles.len()), (3, 1));
        assert_eq!(differences(&authority, &has, &found), all);
        authority.renew(&name("reader"), 4, at(0), secrets(5)).unwrap();
        assert_eq!(differences(&authority, &has, &found), []);
    }
}
