//! The agent itself and the system group.

use trunkline_snmp::usm::EngineId;
use trunkline_transport::ListenUrl;

use super::yes;
use crate::collected::{Collected, Section, Setting};
use crate::source::Directive;
use crate::{Note, Origin, addresses, oids, session, write};
use trunkline_config::overlap;

type Done = Result<(), String>;

fn setting(directive: &Directive, key: &'static str, value: String) -> Setting {
    Setting { key, value, origin: directive.origin.clone(), comment: String::new() }
}

/// `agentaddress [TRANSPORT:]ADDRESS[,...]`; several directives add up.
pub(super) fn agent_address(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let list = directive.words().concat();
    for text in list.split(',').filter(|text| !text.trim().is_empty()) {
        collected.names_addresses = true;
        match addresses::listen(text, collected.resolve) {
            Ok(urls) => {
                urls.into_iter().for_each(|url| listen_on(collected, directive, url));
            }
            Err(why) => collected.note(&directive.origin, &directive.name, format!("{text}: {why}")),
        }
    }
    Ok(())
}

/// Adds a listener. If one address includes another (`[::1]` and `[::]` on one port) the wider one is enough, and
/// the kernel does not open both.
fn listen_on(collected: &mut Collected<'_>, directive: &Directive, url: ListenUrl) {
    if let Some((_, first)) = collected.listen.iter().find(|(known, _)| *known == url) {
        let first = first.clone();
        if first != directive.origin {
            collected.unneeded(&directive.origin, &directive.name, format!("{first} names {url} already"));
        }
        return;
    }
    let is_any = |url: &ListenUrl| url.address.is_none_or(|address| address.is_unspecified());
    let covered = |narrow: &ListenUrl, wide: &ListenUrl, origin| Note {
        origin,
        directive: directive.name.clone(),
        why: format!("{narrow} is part of {wide}, which the agent listens on already"),
    };
    if let Some((wide, _)) = collected.listen.iter().find(|(known, _)| is_any(known) && overlap(known, &url))
    {
        collected.unneeded.push(covered(&url, wide, directive.origin.clone()));
        return;
    }
    let (narrower, others): (Vec<(ListenUrl, Origin)>, Vec<_>) = std::mem::take(&mut collected.listen)
        .into_iter()
        .partition(|(known, _)| is_any(&url) && overlap(known, &url));
    collected.listen = others;
    collected.unneeded.extend(narrower.into_iter().map(|(narrow, origin)| covered(&narrow, &url, origin)));
    collected.listen.push((url, directive.origin.clone()));
}

pub(super) fn agent_user(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    // `#UID` would be parsed as a comment.
    let user = directive.rest.split_whitespace().next().ok_or("names no user")?.to_string();
    if user.starts_with('#') || user.chars().all(|c| c.is_ascii_digit()) {
        return Err("a user by its number: write its name as user in [agent]".into());
    }
    collected.set(Section::Agent, &directive.name, setting(directive, "user", write::text(&user)));
    match user == "root" {
        // Programs, and files that only root may read, are what somebody has written such a line for.
        true => collected.note(
            &directive.origin,
            &directive.name,
            "only where the agent is started as root: the unit of the packages starts it as trunkline, without root's \
             rights for its programs (sudo in their command lines gives them; docs/configuration.md, Programs)",
        ),
        false => collected.remark(
            &directive.origin,
            &directive.name,
            "it counts where the agent is started as root; the unit of the packages starts it as trunkline",
        ),
    }
    Ok(())
}

pub(super) fn leave_pid_file(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    collected.leave_pid_file = yes(directive.words().first());
    let why = "it applies when this program is called as snmpd, which writes a pid file";
    collected.unneeded(&directive.origin, &directive.name, why);
    Ok(())
}

/// `authtrapenable {1|2}`: snmpEnableAuthenTraps.
pub(super) fn authentication_traps(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let value = match directive.words().first().map(String::as_str) {
        Some("1" | "enable" | "enabled" | "yes") => "true",
        Some("2" | "disable" | "disabled" | "no") => "false",
        _ => return Err("expected 1 (enabled) or 2 (disabled)".into()),
    };
    collected.set(Section::Snmp, &directive.name, setting(directive, "authentication-traps", value.into()));
    Ok(())
}

/// `linkUpDownNotifications yes`: ours is on by default, and off where the old files have targets and not this line.
pub(super) fn link_notifications(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    collected.link_notifications = yes(directive.words().first());
    let why = match collected.link_notifications {
        true => {
            "linkUp and linkDown are sent by default, with the same objects, when the kernel reports the change"
        }
        false => "snmpd's default, which link-notifications has where there are targets",
    };
    collected.unneeded(&directive.origin, &directive.name, why);
    Ok(())
}

/// 0 is Net-SNMP's default of 100, a number below 0 no limit.
pub(super) fn max_responses(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let text = directive.words().into_iter().next().unwrap_or_default();
    let number: i64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if number <= 0 {
        let why = "the default is used: an answer is limited by max-bindings and max-message-size";
        collected.unneeded(&directive.origin, &directive.name, why);
    } else {
        collected.set(
            Section::Snmp,
            &directive.name,
            setting(directive, "max-bindings", number.min(1_000_000).to_string()),
        );
    }
    Ok(())
}

/// `engineID TEXT`: enterprise 8072, format 4 (RFC 3411, SnmpEngineID).
pub(super) fn engine_id(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let text = directive.words().into_iter().next().ok_or("names no engine")?;
    let octets = [&[0x80, 0, 0x1f, 0x88, 4], text.as_bytes()].concat();
    engine(collected, directive, &octets)
}

pub(super) fn exact_engine_id(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let text = directive.words().concat();
    let id = EngineId::from_hex(&text).map_err(|error| error.to_string())?;
    engine(collected, directive, id.as_bytes())
}

fn engine(collected: &mut Collected<'_>, directive: &Directive, octets: &[u8]) -> Done {
    let id = EngineId::new(octets).map_err(|error| error.to_string())?;
    let hex = id.as_bytes().iter().map(|octet| format!("{octet:02x}")).collect::<String>();
    collected.set(
        Section::Agent,
        &directive.name,
        setting(directive, "engine-id", write::text(&format!("0x{hex}"))),
    );
    Ok(())
}

/// What snmpd has chosen before; keys in the same file were made for it.
pub(super) fn old_engine_id(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let text = directive.words().concat();
    let id = EngineId::from_hex(&text).map_err(|error| error.to_string())?;
    let hex = id.as_bytes().iter().map(|octet| format!("{octet:02x}")).collect::<String>();
    collected.kept_engine_id = Some((session::hexadecimal(&hex), directive.origin.clone()));
    Ok(())
}

/// `engineIDType`, `engineIDNic`: of use to snmpd only until it has an engine ID.
pub(super) fn engine_made_by(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    collected.engine_made_by.push((directive.name.clone(), directive.origin.clone()));
    Ok(())
}

/// The whole line counts, with its quotes if it has any (snmpd copies it as it is).
pub(super) fn system(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let key = match directive.name.to_ascii_lowercase().as_str() {
        "syslocation" => "location",
        "syscontact" => "contact",
        "sysname" => "name",
        _ => "description",
    };
    let value = directive.rest.clone();
    if value.starts_with(['"', '\'']) {
        let why =
            format!("the quotes are a part of the value, as in snmpd; remove them from {key} in [system]");
        collected.remark(&directive.origin, &directive.name, why);
    }
    if value.len() > 255 {
        return Err(format!("{} octets, and an object of the system group has at most 255", value.len()));
    }
    collected.set(Section::System, &directive.name, setting(directive, key, write::text(&value)));
    Ok(())
}

/// The system group as managers have set it; what is configured wins.
pub(super) fn kept_system(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let object = directive.name.trim_start_matches(['p', 'P']);
    let why = format!(
        "a manager had set this value; set {object}.0 once (it is kept), or write it in [system], where it is then fixed"
    );
    match directive.words().first().is_some_and(|value| !value.is_empty()) {
        true => Err(why),
        false => {
            collected.unneeded(&directive.origin, &directive.name, "it is empty");
            Ok(())
        }
    }
}

pub(super) fn services(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let text = directive.words().into_iter().next().unwrap_or_default();
    let number: u8 = text
        .parse()
        .ok()
        .filter(|number| *number <= 127)
        .ok_or_else(|| format!("{text:?} is not a number from 0 to 127"))?;
    collected.set(Section::System, &directive.name, setting(directive, "services", number.to_string()));
    Ok(())
}

/// Values of the system group only.
pub(super) fn override_value(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (options, rest): (Vec<_>, Vec<_>) = words.iter().partition(|word| word.starts_with('-'));
    let why = "values of single objects cannot be replaced, except in the system group; write a pass program for a separate subtree";
    let [oid, kind, value @ ..] = rest.as_slice() else { return Err(why.into()) };
    let key = match oids::parse(oid)?.to_string().as_str() {
        "1.3.6.1.2.1.1.1.0" => "description",
        "1.3.6.1.2.1.1.4.0" => "contact",
        "1.3.6.1.2.1.1.5.0" => "name",
        "1.3.6.1.2.1.1.6.0" => "location",
        _ => return Err(why.into()),
    };
    if !kind.eq_ignore_ascii_case("octet_str") || !options.is_empty() {
        return Err(why.into());
    }
    let value = value.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ");
    collected.set(Section::System, &directive.name, setting(directive, key, write::text(&value)));
    Ok(())
}
