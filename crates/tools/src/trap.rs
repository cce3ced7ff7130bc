//! `snmptrap` and `snmpinform`: send notifications.

use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use trunkline_client::{Credentials, Endurance, Notifier};
use trunkline_smi::Oid;
use trunkline_snmp::engine::{Engine, Handlers};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{TrapV1, VarBind, Version};

use super::ended::Ended;
use super::names::{Dictionary, unknown};
use super::session::{self, observe, options, receiver};
use super::settings::Settings;
use super::tool::Tool;
use super::value;
use trunkline_login::own_engine::{self, sender};

/// The enterprise of a trap that names none: Net-SNMP has it so.
const NO_ENTERPRISE: [u32; 9] = [1, 3, 6, 1, 4, 1, 3, 1, 1];

/// Prints a message that is not Net-SNMP's.
fn say(words: &str) {
    super::messages::tell(&format!("trunkline: {words}"));
}

/// Runs the tool.
pub async fn run(settings: &Settings, dictionary: &Dictionary) -> Result<(), Ended> {
    let (host, words) = session::operands(settings)?;
    let informs = settings.choices.inform;
    // Its messages name what it sends, whatever it was called as.
    let tool = if informs { Tool::Inform } else { Tool::Trap };
    let target = receiver(settings, tool, host)?;
    let is_v1 = target.version() == Version::V1;
    if is_v1 && informs {
        return Err(Ended::failed("Cannot send INFORM as SNMPv1 PDU"));
    }
    let engine = if informs { None } else { own_engine(&target.credentials, tool)? };
    let failed = |fault: &trunkline_client::Error| session::failed(tool, host, fault);
    let endurance = if informs { Endurance::Retries } else { Endurance::PastRefusals };
    let options = options(&settings.session).with_endurance(endurance);
    let notifier = Notifier::open(&target, engine, options).await;
    let notifier = notifier.map_err(|fault| failed(&fault))?;
    observe(settings, &target, notifier.session());
    let sent = if is_v1 {
        let own = notifier.local_ipv4();
        let trap = trap_v1(words, settings, dictionary, own)?;
        session::expressible_value(tool, &trap.enterprise)?;
        session::expressible_bindings(tool, &trap.bindings)?;
        notifier.last(notifier.trap_v1(trap)).await
    } else {
        let notification = notification(words, settings, dictionary)?;
        session::expressible_value(tool, &notification.trap_oid)?;
        session::expressible_bindings(tool, &notification.bindings)?;
        match informs {
            true => notifier.inform(&notification).await.map(drop),
            false => notifier.last(notifier.trap(&notification)).await,
        }
    };
    sent.map_err(|fault| match fault {
        fault if fault.is_silence() => Ended::failed(format!("{}: Timeout", tool.name())),
        fault => failed(&fault),
    })
}

/// Our engine, which traps of SNMPv3 need.
pub fn own_engine(credentials: &Credentials, tool: Tool) -> Result<Option<Arc<Engine>>, Ended> {
    let engine = match credentials {
        Credentials::Community { .. } => return Ok(None),
        Credentials::Usm(user) => sender(user, say),
        Credentials::Transport(_) => own_engine::open(None, None, Handlers::RECEIVER, say),
    };
    let engine = engine.map_err(|fault| Ended::failed(format!("{}: {fault}", tool.name())))?;
    Ok(Some(Arc::new(engine)))
}

/// `UPTIME TRAP-OID [OID TYPE VALUE]...`.
fn notification(
    words: &[String],
    settings: &Settings,
    dictionary: &Dictionary,
) -> Result<Notification, Ended> {
    let missing = |what: &str| Ended::usage(format!("Missing {what} parameter"));
    let (uptime, words) = words.split_first().ok_or_else(|| missing("up-time"))?;
    let (trap, words) = words.split_first().ok_or_else(|| missing("trap-oid"))?;
    Ok(Notification {
        uptime: ticks(uptime)?,
        trap_oid: dictionary.object(trap)?,
        bindings: bindings(words, settings, dictionary)?,
    })
}

/// `ENTERPRISE-OID AGENT-ADDRESS GENERIC-TRAP SPECIFIC-TRAP UPTIME [OID TYPE VALUE]...`. `own` is the default for
/// the agent's address.
fn trap_v1(
    words: &[String],
    settings: &Settings,
    dictionary: &Dictionary,
    own: Option<Ipv4Addr>,
) -> Result<TrapV1, Ended> {
    let missing = |what: &'static str| move || Ended::usage(format!("Missing {what} parameter"));
    let (enterprise, words) = words.split_first().ok_or_else(|| Ended::usage("No enterprise oid"))?;
    let enterprise = match enterprise.as_str() {
        "" => Oid::from(NO_ENTERPRISE),
        word => dictionary.find(word).map_err(|detail| Ended::usage(unknown(word, &detail)))?,
    };
    let (agent, words) = words.split_first().ok_or_else(missing("agent"))?;
    let agent_addr = match agent.as_str() {
        "" => own.unwrap_or(Ipv4Addr::UNSPECIFIED),
        name => address(name)?,
    };
    let (generic, words) = words.split_first().ok_or_else(missing("generic-trap"))?;
    let (specific, words) = words.split_first().ok_or_else(missing("specific-trap"))?;
    let (uptime, words) = words.split_first().ok_or_else(missing("uptime"))?;
    Ok(TrapV1 {
        enterprise,
        agent_addr: agent_addr.octets(),
        generic: leading_number(generic),
        specific: leading_number(specific),
        time_stamp: ticks(uptime)?,
        bindings: bindings(words, settings, dictionary)?,
    })
}

fn bindings(words: &[String], settings: &Settings, dictionary: &Dictionary) -> Result<Vec<VarBind>, Ended> {
    let one = |assignment: &[String]| match assignment {
        [object, kind, text] => {
            value::binding(object, kind, text, settings, dictionary).map_err(Ended::failed)
        }
        _ => Err(Ended::failed(format!("{}: Missing type/value for variable", assignment[0]))),
    };
    words.chunks(3).map(one).collect()
}

/// Hundredths of a second; the machine's own for an empty text.
fn ticks(text: &str) -> Result<u32, Ended> {
    if text.is_empty() {
        let uptime = own_engine::uptime().map_err(|fault| Ended::failed(fault.to_string()))?;
        // TimeTicks wrap after 497 days (RFC 2578 section 7.1.8).
        return Ok((uptime.as_millis() / 10) as u32);
    }
    text.parse().map_err(|_| Ended::failed(format!("{text}: Bad value notation ({text})")))
}

/// The IPv4 address of a host.
fn address(name: &str) -> Result<Ipv4Addr, Ended> {
    let found = (name, 0).to_socket_addrs().into_iter().flatten().find_map(|found| match found {
        SocketAddr::V4(found) => Some(*found.ip()),
        SocketAddr::V6(_) => None,
    });
    found.ok_or_else(|| Ended::failed(format!("unknown host: {name}")))
}

/// As C's `atoi`: text that is not a number is 0.
pub fn leading_number(text: &str) -> i32 {
    let text = text.trim_start();
    let sign = usize::from(text.starts_with(['-', '+']));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    text[..sign + digits].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_does() {
        for (text, number) in [("6", 6), (" 17x", 17), ("-3", -3), ("x", 0), ("", 0)] {
            assert_eq!(leading_number(text), number, "{text}");
        }
    }

    #[test]
    fn uptimes_are_the_machines_or_numbers() {
        assert_eq!(ticks("4711"), Ok(4711));
        assert!(ticks("").is_ok_and(|ticks| ticks > 0));
        assert_eq!(ticks("x"), Err(Ended::failed("x: Bad value notation (x)")));
    }
}
