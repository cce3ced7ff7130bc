//! Where the traps and informs of devices are received, and from whom.

use std::sync::Arc;

use trunkline_client::{ListenUrl, Protocol, UsmCredentials};
use trunkline_devices::Traps;
use trunkline_login::{Mistake, own_engine};
use trunkline_snmp::engine::Handlers;
use trunkline_snmp::usm::UserTable;

use crate::ServeArguments;

/// What receives them, as these users if they come over SNMPv3; `None`: that is not wanted.
///
/// # Errors
/// A place to listen is not one, or there are no random numbers.
pub(crate) fn of(
    arguments: &ServeArguments,
    hosts: Vec<(String, String)>,
    users: &[Arc<UsmCredentials>],
) -> Result<Option<Traps>, Mistake> {
    if arguments.traps.is_empty() {
        return Ok(None);
    }
    let place = |text: &String| {
        let place = ListenUrl::parse(text, |transport| Protocol::Snmp.notification_port(transport));
        place.map_err(|fault| Mistake(fault.to_string()))
    };
    let places: Vec<ListenUrl> = arguments.traps.iter().map(place).collect::<Result<_, _>>()?;
    if let Some(secure) = places.iter().find(|place| !matches!(place.transport.name(), "udp" | "tcp")) {
        return Err(Mistake(format!("--traps {secure}: traps are received over udp:// and tcp:// here")));
    }
    let engine = own_engine::passing(Handlers::RECEIVER).map_err(|fault| Mistake(fault.to_string()))?;
    let (mut own, mut everywhere) = (UserTable::new(), Vec::new());
    for user in users {
        let failed = |fault: trunkline_snmp::usm::CredentialsError| Mistake(fault.to_string());
        own.insert(user.user_at(engine.id()).map_err(failed)?);
        everywhere.extend(user.made().map_err(failed)?);
    }
    engine.set_users(own);
    engine.set_credentials(everywhere);
    Ok(Some(Traps { places, engine: Arc::new(engine), hosts }))
}
