//! What writing a column of usmUserTable does (RFC 3414 section 5).

use trunkline_smi::module::snmp_user_based_sm_mib as mib;
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_snmp::usm::{AuthProtocol, EngineId, LocalKey, PrivProtocol};
use trunkline_tree::SetCheck;
use trunkline_tree::policy::SecurityModel;

use super::{
    AUTH_KEY, AUTH_KEY_CHANGE, AUTH_PROTOCOL, CLONE_FROM, CLONED, OWN_AUTH_KEY_CHANGE, OWN_PRIV_KEY_CHANGE,
    PRIV_KEY, PRIV_KEY_CHANGE, PRIV_PROTOCOL, protocols, user_index,
};
use crate::rows::{Assignment, Refusal, Row};

/// Writes one column. What reads as nothing changes what the row hides.
pub(super) fn assign(
    engine_id: &EngineId,
    assignment: &Assignment<'_>,
    row: &mut Row,
) -> Result<(), Refusal> {
    match (assignment.column, assignment.value) {
        (CLONE_FROM, ValueRef::ObjectIdentifier(from)) => clone_from(assignment, from, row),
        (AUTH_PROTOCOL, ValueRef::ObjectIdentifier(protocol)) => auth_protocol(assignment, protocol, row),
        (PRIV_PROTOCOL, ValueRef::ObjectIdentifier(protocol)) => priv_protocol(assignment, protocol, row),
        (AUTH_KEY_CHANGE, ValueRef::OctetString(change)) => change_auth_key(change, row),
        (PRIV_KEY_CHANGE, ValueRef::OctetString(change)) => change_priv_key(change, row),
        (OWN_AUTH_KEY_CHANGE, ValueRef::OctetString(change)) => {
            check_own(engine_id, assignment, row)?;
            change_auth_key(change, row)
        }
        (OWN_PRIV_KEY_CHANGE, ValueRef::OctetString(change)) => {
            check_own(engine_id, assignment, row)?;
            change_priv_key(change, row)
        }
        (column, value) => {
            row.set(column, value.to_value());
            Ok(())
        }
    }
}

fn inconsistent(reason: &str) -> Refusal {
    Refusal::new(SetCheck::InconsistentValue, reason)
}

/// usmUserCloneFrom: the first write copies the protocols and keys of another row; later writes succeed and do
/// nothing.
fn clone_from(assignment: &Assignment<'_>, from: &[u32], row: &mut Row) -> Result<(), Refusal> {
    if row.secret(CLONED).is_some() {
        return Ok(());
    }
    let missing =
        || Refusal::new(SetCheck::InconsistentName, "the user to clone is not an active row of usmUserTable");
    let index = pointed_at(from).ok_or_else(missing)?;
    let source = assignment.rows.get(&mib::USM_USER_TABLE, index).filter(|row| row.state.is_active());
    let source = source.ok_or_else(missing)?;
    for column in [AUTH_PROTOCOL, PRIV_PROTOCOL] {
        row.set(column, Value::ObjectIdentifier(Oid::EMPTY.child(source.oid(column))));
    }
    for key in [AUTH_KEY, PRIV_KEY] {
        row.set_secret(key, source.secret(key).map(<[u8]>::to_vec));
    }
    row.set_secret(CLONED, Some(Vec::new()));
    Ok(())
}

/// The index in a RowPointer to a row of usmUserTable, whichever of its columns it names.
fn pointed_at(pointer: &[u32]) -> Option<&[u32]> {
    let columns = pointer.strip_prefix(mib::USM_USER_TABLE.oid)?.strip_prefix(&[1])?;
    let (column, index) = columns.split_first()?;
    mib::USM_USER_TABLE.column(*column).map(|_| index)
}

/// usmUserAuthProtocol: at creation any supported protocol, afterwards only usmNoAuthProtocol, and that not
/// before privacy is removed.
fn auth_protocol(assignment: &Assignment<'_>, protocol: &[u32], row: &mut Row) -> Result<(), Refusal> {
    let wanted = Oid::EMPTY.child(protocol);
    let is_none = wanted == AuthProtocol::none_oid();
    if !is_none && AuthProtocol::from_oid(&wanted).is_none() {
        return Err(unknown_protocol(assignment));
    }
    if may_not_become(assignment, row, AUTH_PROTOCOL, protocol, is_none) {
        return Err(inconsistent("the protocol can only be changed to usmNoAuthProtocol"));
    }
    if is_none {
        if protocols(row).1.is_some() {
            return Err(inconsistent("remove privacy before authentication"));
        }
        row.set_secret(AUTH_KEY, None);
    }
    row.set(AUTH_PROTOCOL, Value::ObjectIdentifier(wanted));
    Ok(())
}

/// usmUserPrivProtocol: at creation any supported protocol, afterwards only usmNoPrivProtocol.
fn priv_protocol(assignment: &Assignment<'_>, protocol: &[u32], row: &mut Row) -> Result<(), Refusal> {
    let wanted = Oid::EMPTY.child(protocol);
    let is_none = wanted == PrivProtocol::none_oid();
    if !is_none && PrivProtocol::from_oid(&wanted).is_none() {
        return Err(unknown_protocol(assignment));
    }
    if may_not_become(assignment, row, PRIV_PROTOCOL, protocol, is_none) {
        return Err(inconsistent("the protocol can only be changed to usmNoPrivProtocol"));
    }
    if is_none {
        row.set_secret(PRIV_KEY, None);
    }
    row.set(PRIV_PROTOCOL, Value::ObjectIdentifier(wanted));
    Ok(())
}

/// A protocol does not change once the row exists or is cloned, unless it is removed.
fn may_not_become(
    assignment: &Assignment<'_>,
    row: &Row,
    column: &str,
    protocol: &[u32],
    is_none: bool,
) -> bool {
    let is_settled = !assignment.is_new || row.secret(CLONED).is_some();
    is_settled && !is_none && row.oid(column) != protocol
}

fn unknown_protocol(assignment: &Assignment<'_>) -> Refusal {
    let check = if assignment.is_new { SetCheck::WrongValue } else { SetCheck::InconsistentValue };
    Refusal::new(check, "unsupported protocol")
}

/// usmUserOwnAuthKeyChange and usmUserOwnPrivKeyChange are for the user of the row alone, known by USM at this
/// engine, whose row is active.
fn check_own(engine_id: &EngineId, assignment: &Assignment<'_>, row: &Row) -> Result<(), Refusal> {
    let no_access = |reason: &str| Err(Refusal::new(SetCheck::NoAccess, reason));
    let (Some(principal), Some((engine, name))) = (assignment.principal, user_index(assignment.index)) else {
        return no_access("the user of this request is not known");
    };
    let is_own =
        principal.model == SecurityModel::USM && principal.name == name && engine == engine_id.as_bytes();
    if !is_own {
        return no_access("a user may change only its own keys this way");
    }
    match row.state.is_active() {
        true => Ok(()),
        false => Err(inconsistent("the row is not active")),
    }
}

/// usmUserAuthKeyChange: without authentication it succeeds and does nothing.
fn change_auth_key(change: &[u8], row: &mut Row) -> Result<(), Refusal> {
    match protocols(row).0 {
        None => Ok(()),
        Some(hash) => change_key(AUTH_KEY, hash, change, row),
    }
}

/// usmUserPrivKeyChange: without privacy it succeeds and does nothing. The hash is the authentication protocol's.
fn change_priv_key(change: &[u8], row: &mut Row) -> Result<(), Refusal> {
    match protocols(row) {
        (Some(hash), Some(_)) => change_key(PRIV_KEY, hash, change, row),
        (None, Some(_)) => Err(inconsistent("privacy without authentication")),
        (_, None) => Ok(()),
    }
}

fn change_key(key: &'static str, hash: AuthProtocol, change: &[u8], row: &mut Row) -> Result<(), Refusal> {
    let old = row.secret(key).map(LocalKey::from_bytes);
    let old = old.ok_or_else(|| inconsistent("there is no key to change: the row was not cloned"))?;
    let new = old.changed(hash, change);
    let new = new.map_err(|error| Refusal::new(SetCheck::WrongLength, error.to_string()))?;
    row.set_secret(key, Some(new.as_bytes().to_vec()));
    Ok(())
}
