//! Notification targets and proxies: sinks, sessions, filters, proxies.

use super::access;
use crate::collected::{Collected, Proxy, Target};
use crate::session::{self, Session};
use crate::source::Directive;
use crate::{addresses, oids};
use trunkline_config::PeerRole;

type Done = Result<(), String>;

pub(super) fn trap_community(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let community = directive.words().into_iter().next().ok_or("names no community")?;
    collected.trap_community = Some((community, directive.origin.clone()));
    Ok(())
}

/// `trapsink [OPTIONS] HOST [COMMUNITY [PORT]]`, `trap2sink`, `informsink`.
pub(super) fn sink(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let (mut session, rest) = session::parse(&directive.words())?;
    let (host, rest) = rest.split_first().ok_or("names no host")?;
    session.community = rest.first().cloned();
    default_community(collected, directive, &mut session);
    session.community.get_or_insert_with(|| "public".into());
    let (version, inform) = match directive.name.to_ascii_lowercase().as_str() {
        "trapsink" => ("1", false),
        "trap2sink" => ("2c", false),
        _ => ("2c", true),
    };
    session.version = Some(version.into());
    session.inform = inform;
    let address = addresses::peer(host, rest.get(1).map(String::as_str), PeerRole::Receiver)?;
    add_target(collected, directive, session, address);
    Ok(())
}

/// `trapsess [OPTIONS] [SNMPCMD_ARGS] HOST`
pub(super) fn session(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let (mut session, rest) = session::parse(&directive.words())?;
    let host = rest.first().ok_or("names no host")?;
    if session.user.is_none() && session.community.is_none() {
        default_community(collected, directive, &mut session);
    }
    let address = addresses::peer(host, None, PeerRole::Receiver)?;
    add_target(collected, directive, session, address);
    Ok(())
}

/// The community of `trapcommunity`, if the line has none.
fn default_community(collected: &mut Collected<'_>, directive: &Directive, session: &mut Session) {
    if let (None, Some((community, origin))) = (&session.community, collected.trap_community.clone()) {
        session.community = Some(community);
        collected.part_of(&origin, &directive.origin);
    }
}

fn add_target(collected: &mut Collected<'_>, directive: &Directive, session: Session, address: String) {
    collected.targets.push(Target {
        name: session.name.clone(),
        address,
        session,
        origin: directive.origin.clone(),
        directive: directive.name.clone(),
    });
}

/// `notificationFilter PROFILE OID MASK TYPE`
pub(super) fn filter(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [profile, oid, mask, kind, ..] = words.as_slice() else {
        return Err("expected PROFILE OID MASK TYPE".into());
    };
    // Examples of the manual have 0x00 for "no mask".
    let mask = if mask.trim_start_matches("0x").chars().all(|c| c == '0') { "" } else { mask };
    let rule = access::family(kind, oid, mask)?;
    let rules = collected.filters.entry(profile.clone()).or_default();
    let earlier = rules.iter().position(|(known, _)| access::same_subtree(known, &rule));
    let earlier = earlier.map(|at| rules.remove(at).1);
    rules.push((rule, directive.origin.clone()));
    if let Some(earlier) = earlier {
        let why = format!("{} is for the same subtree, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    Ok(())
}

/// `proxy [-Cn CONTEXT] [SNMPCMD_ARGS] HOST OID [REMOTEOID]`
pub(super) fn proxy(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let (session, rest) = session::parse(&directive.words())?;
    let [host, oid, remote @ ..] = rest.as_slice() else { return Err("expected HOST OID".into()) };
    let remote = remote.first().map(|oid| oids::parse(oid)).transpose()?;
    let proxy = Proxy {
        address: addresses::peer(host, None, PeerRole::Agent)?,
        session,
        subtree: oids::parse(oid)?.to_string(),
        remote: remote.map(|oid| oid.to_string()),
        origin: directive.origin.clone(),
    };
    collected.proxies.push(proxy);
    Ok(())
}
