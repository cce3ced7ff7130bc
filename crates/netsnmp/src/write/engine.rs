//! Which engine this agent is, and whose users are of use to it.

use super::text;
use super::users::names_user;
use crate::Origin;
use crate::collected::{Collected, Setting, User};

/// The configured engine, the one that snmpd has kept, or the one that keys were made for. Keys of other engines are of no use
/// here.
pub(super) fn take(collected: &mut Collected<'_>) {
    let own = identifier(collected);
    made_by(collected, own.as_ref().map(|(_, origin)| origin));
    let id = own.map(|(id, _)| id);
    let users = std::mem::take(&mut collected.users);
    let (users, lost): (Vec<User>, Vec<User>) = users.into_iter().partition(|user| {
        let is_own = |engine: &String| id.as_ref().is_none_or(|id| engine == id);
        user.engine.as_ref().is_none_or(is_own)
    });
    for User { name, engine, origin, .. } in lost {
        let engine = engine.unwrap_or_default();
        let why = format!(
            "the keys of {name} are for another engine ID, {engine}, than this agent's: give the user a password"
        );
        collected.note(&origin, "the user", why);
    }
    let (elsewhere, own): (Vec<User>, Vec<User>) =
        users.into_iter().partition(|user| user.at.as_ref().is_some_and(|at| Some(at) != id.as_ref()));
    own.into_iter().for_each(|user| of_this_one(collected, user));
    elsewhere.into_iter().for_each(|user| at_another(collected, user));
}

/// A user of this agent: with and without `-e`, the last line counts.
fn of_this_one(collected: &mut Collected<'_>, user: User) {
    let user = User { at: None, ..user };
    match collected.users.iter().position(|known| known.name == user.name) {
        None => collected.users.push(user),
        Some(at) => {
            let why = format!("a later line for this user takes precedence, {}", user.origin);
            let earlier = std::mem::replace(&mut collected.users[at], user);
            collected.unneeded(&earlier.origin, "createUser", why);
        }
    }
}

/// A user of another engine alone, for informs and proxies: here a password serves for any engine, this one too.
fn at_another(collected: &mut Collected<'_>, user: User) {
    let User { name, at, origin, .. } = &user;
    let at = at.clone().unwrap_or_default();
    if let Some(known) = collected.users.iter().find(|known| known.name == *name) {
        if (&known.auth, &known.privacy) == (&user.auth, &user.privacy) {
            let whole = known.origin.clone();
            return collected.part_of(origin, &whole);
        }
        let why = format!(
            "{name} has other keys at {}, which are used with the engine {at} too: give one of the two users another name",
            known.origin
        );
        return collected.note(origin, "createUser", why);
    }
    if names_user(collected, name) {
        let why = format!(
            "with snmpd this is a user of the engine {at} alone; here {name} has its access to this agent with the same \
             password: remove its role in [[snmp.user]] if that is not meant"
        );
        collected.note(origin, "createUser", why);
    } else {
        let why = format!(
            "with snmpd a user of the engine {at} alone; here its password serves for every engine, and no line gives it \
             access to this agent"
        );
        collected.remark(origin, "createUser", why);
    }
    collected.users.push(user);
}

/// The engine ID, and the line that it comes from.
fn identifier(collected: &mut Collected<'_>) -> Option<(String, Origin)> {
    let configured = collected.agent.iter().find(|setting| setting.key == "engine-id");
    let configured =
        configured.map(|setting| (setting.value.trim_matches('"').to_owned(), setting.origin.clone()));
    let kept = collected.kept_engine_id.clone();
    let Some((id, line)) = configured else {
        let (id, origin) = kept.or_else(|| collected.engine_of_keys.clone())?;
        let comment = "kept, so that managers and keys that depend on it still work".into();
        let value = text(&id);
        collected.agent.push(Setting { key: "engine-id", value, origin: origin.clone(), comment });
        return Some((id, origin));
    };
    if let Some((_, origin)) = kept {
        collected.unneeded(&origin, "oldEngineID", format!("{line} sets the engine ID"));
    }
    Some((id, line))
}

/// How snmpd makes an engine ID counts only where no line has one.
fn made_by(collected: &mut Collected<'_>, known: Option<&Origin>) {
    for (directive, origin) in std::mem::take(&mut collected.engine_made_by) {
        match known {
            Some(line) => collected.unneeded(&origin, &directive, format!("{line} has the engine ID")),
            None => collected.note(&origin, &directive, NOT_MADE),
        }
    }
}

const NOT_MADE: &str = "an engine ID cannot be made from an address: read snmpEngineID.0 from the old agent and set it as engine-id \
                        in [agent], or import the persistent file too";
