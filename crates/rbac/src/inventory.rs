//! What a device has: the numbers of its epochs and its public keys, as far as it shows them. Secrets are in no reply.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_client::Error as ClientError;
use trunkline_client::netconf::protocol::document::{Document, Element, limits};
use trunkline_client::netconf::protocol::operation::Datastore;
use trunkline_client::netconf::protocol::request::{Select, Store, get_config};
use trunkline_client::netconf::{NetconfFault, NetconfSession};
use trunkline_xml::Writer;

use crate::Acknowledged;
use crate::content::KEYS;
use crate::options::BASE;
use crate::serve::Undone;

/// All epochs and public keys of a device.
pub(crate) async fn whole(session: &NetconfSession) -> Result<Acknowledged, Undone> {
    keys(session, format!("<keys xmlns=\"{KEYS}\"/>").as_bytes()).await
}

/// The epochs of these roles.
pub(crate) async fn epochs<'n>(
    session: &NetconfSession,
    roles: impl Iterator<Item = &'n str>,
) -> Result<BTreeMap<String, BTreeSet<u32>>, Undone> {
    let mut filter = Vec::new();
    let mut writer = Writer::new(&mut filter);
    writer.start("keys").attribute("xmlns", KEYS);
    for role in roles {
        writer.start("role").leaf("name", role).start("epoch").start("number").end("number").end("epoch");
        writer.end("role");
    }
    writer.end("keys");
    let found = keys(session, &filter).await?;
    Ok(found.roles.into_iter().map(|(name, epochs)| (name, epochs.into_keys().collect())).collect())
}

async fn keys(session: &NetconfSession, filter: &[u8]) -> Result<Acknowledged, Undone> {
    let request = get_config(Store::Datastore(Datastore::Running), Select::Subtree(filter), None);
    let (reply, _) = session.data(&request).await.map_err(|fault| match fault {
        ClientError::Netconf(fault) if matches!(*fault, NetconfFault::Refused(_)) => {
            Undone::Refused(fault.to_string())
        }
        fault => Undone::Broken(fault.to_string()),
    })?;
    let reply = Document::read(&reply, limits(MOST_KEYS));
    let reply = reply.map_err(|fault| Undone::Broken(fault.to_string()))?;
    read(reply.root()).ok_or_else(|| Undone::Broken("its reply has epochs that are none".to_owned()))
}

/// What a reply has of them.
pub(crate) fn read(reply: Element<'_>) -> Option<Acknowledged> {
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
pub(crate) const MOST_KEYS: usize = 16 << 20;
