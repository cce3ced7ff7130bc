//! Users of the User-based Security Model. RFC 7407 has MD5 and SHA, DES and AES; users with other protocols are left out.

use trunkline_smi::module::snmp_user_based_sm_mib as mib;
use trunkline_smi::{IndexValue, Oid, Value};
use trunkline_yang::value_type::{of_hex, to_hex};

use super::build::{Build, Look};
use super::rows::{octets, of, text_of};
use super::write::Wanted;
use super::{Engine, SnmpFault, SnmpRow, SnmpRows};

const TABLE: &str = "usmUserTable";
const AUTH: [(&str, &[u32]); 2] =
    [("md5", mib::HMAC_MD5_AUTH_PROTOCOL), ("sha", mib::HMAC_SHA_AUTH_PROTOCOL)];
const PRIV: [(&str, &[u32]); 2] = [("des", mib::DES_PRIV_PROTOCOL), ("aes", mib::AES_CFB128_PROTOCOL)];
/// The columns and the keys, as the tables and their provider name them.
const PROTOCOLS: [(&str, &str); 2] =
    [("usmUserAuthProtocol", "auth-key"), ("usmUserPrivProtocol", "priv-key")];

pub(super) fn read(engine: &Engine, rows: &SnmpRows, build: &mut Build<'_>) {
    for (values, row) in of(rows, TABLE) {
        let [IndexValue::Octets(id), IndexValue::Octets(name)] = &values[..] else { continue };
        let Some(name) = text_of(name) else { continue };
        let find = |all: [(&'static str, &[u32]); 2], none: &[u32], column| {
            let oid = row.oid(column);
            match all.into_iter().find(|(_, of)| *of == oid) {
                Some((protocol, _)) => Some(Some(protocol)),
                None => (oid == none).then_some(None),
            }
        };
        let auth = find(AUTH, mib::NO_AUTH_PROTOCOL, PROTOCOLS[0].0);
        let privacy = find(PRIV, mib::NO_PRIV_PROTOCOL, PROTOCOLS[1].0);
        let (Some(auth), Some(privacy)) = (auth, privacy) else { continue };
        let fill = |build: &mut Build<'_>| user(row, &name, auth, privacy, build);
        match *id == engine.id {
            true => build.within("local", fill),
            false => build.entry("remote", &[&to_hex(id)], fill),
        }
    }
}

fn user(row: &SnmpRow, name: &str, auth: Option<&str>, privacy: Option<&str>, build: &mut Build<'_>) {
    build.entry("user", &[name], |build| {
        if row.is_fixed {
            build.fix();
        }
        for (container, protocol, key) in [("auth", auth, PROTOCOLS[0].1), ("priv", privacy, PROTOCOLS[1].1)]
        {
            let Some(protocol) = protocol else { continue };
            let key = row.secrets.get(key).map(|key| to_hex(key)).unwrap_or_default();
            build.within(container, |build| build.within(protocol, |build| build.leaf("key", &key)));
        }
    });
}

/// The rows of the users in a configuration.
pub(super) fn wanted(engine: &Engine, usm: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    if let Some(local) = usm.within("local") {
        all(&engine.id, &local, wanted)?;
    }
    for remote in usm.entries("remote") {
        let id = remote.leaf("engine-id").and_then(of_hex).unwrap_or_default();
        if id == engine.id {
            let reason = "this is the engine's own ID: its users are in local".to_owned();
            return Err(SnmpFault::invalid(remote.path, reason));
        }
        if remote.entries("user").next().is_none() {
            let reason = "an engine without users cannot be kept: give it one, or leave it out".to_owned();
            return Err(SnmpFault::invalid(remote.path, reason));
        }
        all(&id, &remote, wanted)?;
    }
    Ok(())
}

fn all(id: &[u8], look: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    for user in look.entries("user") {
        let values = [IndexValue::Octets(id.to_vec()), octets(user.leaf("name").unwrap_or_default())];
        let mut row = SnmpRow::default();
        for (at, (container, protocols, none)) in
            [("auth", AUTH, mib::NO_AUTH_PROTOCOL), ("priv", PRIV, mib::NO_PRIV_PROTOCOL)]
                .into_iter()
                .enumerate()
        {
            let (column, secret) = PROTOCOLS[at];
            let container = user.within(container);
            let found = protocols.into_iter().find_map(|(name, oid)| {
                let key = container.as_ref()?.within(name)?.leaf("key").and_then(of_hex)?;
                Some((oid, key))
            });
            let oid = found.as_ref().map_or(none, |(oid, _)| *oid);
            row.cells.insert(column, Value::ObjectIdentifier(Oid::EMPTY.child(oid)));
            if let Some((_, key)) = found {
                row.secrets.insert(secret, key);
            }
        }
        wanted.add(TABLE, &values, row, user.path)?;
    }
    Ok(())
}
