//! `trunkline trap` and `trunkline inform`: send notifications.

use std::sync::Arc;

use trunkline_client::{Credentials, Endurance, Notifier, SessionOptions};
use trunkline_mib::Names;
use trunkline_snmp::engine::Handlers;
use trunkline_snmp::role::originator::Notification;

use super::set::assignments;
use crate::arguments::NotifyArgs;
use crate::connect;
use crate::connect::say;
use crate::error::Error;
use trunkline_login::own_engine::{self, sender};

/// Whether the receiver must confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Sent once; whether it arrives is unknown.
    Trap,
    /// Sent until it is confirmed.
    Inform,
}

/// Runs the command.
pub async fn run(manner: Manner, arguments: &NotifyArgs, names: &Names) -> Result<(), Error> {
    let notification = notification(arguments, names)?;
    let destination = arguments.target.destination(&arguments.session)?;
    let session = &destination.session;
    let target = session.login.receiver(&destination.address)?;
    let label = target.clone().with_path(None).to_string();
    let engine = match (&target.credentials, manner) {
        (Credentials::Usm(user), Manner::Trap) => Some(Arc::new(sender(user, say)?)),
        // The session protects it; whose it is, is ours to say all the same.
        (Credentials::Transport(_), Manner::Trap) => {
            let security = &session.login.security;
            let (id, moment) = (security.engine_id, security.engine_boots);
            Some(Arc::new(own_engine::open(id, moment, Handlers::RECEIVER, say)?))
        }
        _ => None,
    };
    // A trap is sent once; an inform is tried as often as requested, whatever happens to it.
    let endurance = if manner == Manner::Inform { Endurance::Retries } else { Endurance::Quick };
    let options = SessionOptions::default()
        .with_timeout(session.timeout())
        .with_retries(session.retries())
        .with_endurance(endurance);
    let failed = |fault| Error::session(&label, names, &fault);
    let notifier = Notifier::open(&target, engine, options).await.map_err(failed)?;
    let dump = connect::dump(&arguments.session, notifier.session());
    let notifier = match arguments.agent_address {
        Some(address) => notifier.with_agent_addr(address),
        None => notifier,
    };
    let sent = match manner {
        Manner::Trap => notifier.last(notifier.trap(&notification)).await.map(|()| None),
        Manner::Inform => notifier.inform(&notification).await.map(Some),
    };
    if let Some(dump) = dump {
        dump.write(names, &mut std::io::stderr().lock())?;
    }
    match sent.map_err(failed)? {
        Some(answer) if !answer.is_ok() => Err(answer.into_bindings().err().map_or(Error::Told, failed)),
        _ => Ok(()),
    }
}

fn notification(arguments: &NotifyArgs, names: &Names) -> Result<Notification, Error> {
    Ok(Notification {
        uptime: ticks(&arguments.uptime)?,
        trap_oid: names.resolve(&arguments.notification)?,
        bindings: assignments(&arguments.assignments, names)?,
    })
}

/// Hundredths of a second; the machine's own for an empty text.
fn ticks(text: &str) -> Result<u32, Error> {
    if text.is_empty() {
        let uptime = own_engine::uptime().map_err(|fault| Error::Runtime(fault.to_string()))?;
        // TimeTicks wrap after 497 days (RFC 2578 section 7.1.8).
        return Ok((uptime.as_millis() / 10) as u32);
    }
    text.parse().map_err(|_| {
        let words =
            format!("{text:?} is not an uptime: expected hundredths of a second, or '' for the machine's");
        Error::Usage(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uptimes() {
        assert_eq!(ticks("4711").ok(), Some(4711));
        assert!(ticks("").is_ok());
        for wrong in ["-1", "1.5", "4294967296", "now"] {
            assert!(ticks(wrong).is_err(), "{wrong}");
        }
    }
}
