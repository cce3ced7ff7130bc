//! Whether devices have what they acknowledged: one may have lost its configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use trunkline_client::NetconfTarget;
use trunkline_client::netconf::NetconfSession;
use trunkline_client::netconf::protocol::document::{Document, Element, limits};
use trunkline_client::netconf::protocol::operation::Datastore;
use trunkline_client::netconf::protocol::request::{Select, Store, get_config};

use crate::content::{KEYS, Of};
use crate::serve::{BASE, options};
use crate::{Acknowledged, Device, Error, Held, Name, Options};

/// What a device has lost, or has otherwise; or why that is not known.
#[derive(Debug)]
pub struct Checked {
    /// The device.
    pub name: Name,
    /// The roles and users.
    pub lost: Result<Vec<Of>, String>,
}

/// Asks devices for their epochs and public keys, and forgets what they have acknowledged and do not have: then they are behind. `report`
/// is called with each.
///
/// # Errors
/// An acknowledgement cannot be read or written.
pub async fn check(
    held: &Held,
    devices: Vec<Device>,
    options: Options,
    mut report: impl FnMut(&Checked),
) -> Result<(), Error> {
    let mut running = stream::iter(devices)
        .map(|Device { name, target, .. }| async move {
            let found = match target {
                Ok(target) => found(&target, options.timeout).await,
                Err(words) => Err(words),
            };
            (name, found)
        })
        .buffer_unordered(options.parallel.max(1));
    while let Some((name, found)) = running.next().await {
        let mut has = held.directory().acknowledged(&name)?;
        let lost = found.map(|found| lost(&has, &found));
        if let Ok(lost) = &lost
            && !lost.is_empty()
        {
            lost.iter().for_each(|of| has.take(of, &Acknowledged::default()));
            held.acknowledge(&name, &has)?;
        }
        report(&Checked { name, lost });
    }
    Ok(())
}

/// What a device has otherwise than it has acknowledged. What else it has is another authority's.
fn lost(has: &Acknowledged, found: &Acknowledged) -> Vec<Of> {
    let roles = other(&has.roles, &found.roles).map(|name| Of::Role(name.clone()));
    let users = other(&has.users, &found.users).map(|name| Of::User(name.clone()));
    roles.chain(users).collect()
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
    let filter = format!("<keys xmlns=\"{KEYS}\"/>");
    let select = Select::Subtree(filter.as_bytes());
    let asked = session.data(&get_config(Store::Datastore(Datastore::Running), select, None)).await;
    let (reply, _) = asked.map_err(|fault| fault.to_string())?;
    let reply = Document::read(&reply, limits(MOST_KEYS)).map_err(|fault| fault.to_string())?;
    read(reply.root()).ok_or_else(|| "its reply has epochs that are none".to_owned())
}

fn read(reply: Element<'_>) -> Option<Acknowledged> {
    let mut found = Acknowledged::default();
    let data = reply.child(BASE, "data");
    let entries = data.and_then(|data| data.child(KEYS, "keys")).into_iter().flat_map(Element::children);
    for entry in entries {
        let name = entry.child(KEYS, "name")?.value().to_owned();
        if entry.is(KEYS, "role") {
            let epochs = entry.children().filter(|it| it.is(KEYS, "epoch")).map(|epoch| {
                let expires = epoch.child(KEYS, "expires").map(|expires| expires.value().parse());
                Some((epoch.child(KEYS, "number")?.value().parse().ok()?, expires.transpose().ok()?))
            });
            found.roles.insert(name, epochs.collect::<Option<_>>()?);
        } else {
            let keys = entry.children().filter(|it| it.is(KEYS, "public-key"));
            found.users.insert(name, keys.map(|key| key.value().to_owned()).collect());
        }
    }
    Some(found)
}

/// Octets of the longest reply.
const MOST_KEYS: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::authority::tests::at;

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
        let mut has = Acknowledged::default();
        has.roles.insert("a".into(), BTreeMap::from([(1, Some(at(7))), (2, None)]));
        has.roles.insert("removed".into(), BTreeMap::new());
        has.users.insert("ann".into(), BTreeSet::from(["AQID".into()]));
        assert_eq!(lost(&has, &found.unwrap()), []);
        assert_eq!(lost(&has, &reply("").unwrap()), [Of::Role("a".into()), Of::User("ann".into())]);
        assert_eq!(
            lost(&has, &read(Document::read(b"<data/>", limits(99)).unwrap().root()).unwrap()).len(),
            2
        );
        has.roles.insert("a".into(), BTreeMap::from([(2, None)]));
        assert_eq!(lost(&has, &reply(&format!("<role><name>a</name>{epochs}</role>")).unwrap()).len(), 2);
        assert_eq!(reply("<role><name>a</name><epoch><number>x</number></epoch></role>"), None);
    }
}
