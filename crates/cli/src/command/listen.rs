//! `trunkline listen`: receives traps and informs, and prints them as they come.

mod place;
mod record;
mod refusals;
mod users;

use std::io::Write;
use std::sync::Arc;

use trunkline_client::{ListenOptions, Listened, Listener};
use trunkline_mib::Names;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::{Engine, Handlers};

use crate::arguments::ListenArgs;
use crate::connect::say;
use crate::error::Error;
use crate::own_engine;
use crate::print::{Form, Printer};
use crate::secure;
use refusals::Refusals;
use users::Known;

/// Runs the command until `--count` is reached or it is stopped.
pub async fn run<W: Write>(
    arguments: &ListenArgs,
    names: &Names,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let known = Known::gather(arguments)?;
    let engine = Arc::new(engine(arguments, &known)?);
    // Over TLS, DTLS and SSH the session authenticates the sender, whatever the version.
    engine.set_community_over_transport(true);
    let places = place::parse_all(&arguments.addresses)?;
    let options = ListenOptions::default()
        .with_communities(known.communities.clone())
        .with_least(arguments.require.map_or(SecurityLevel::NoAuthNoPriv, |level| level.level()))
        .with_secure(secure::for_listening(&places, &arguments.tls, &arguments.ssh)?);
    let listener = Listener::bind(&places, Arc::clone(&engine), options);
    let mut listener = listener.map_err(|fault| Error::Runtime(fault.to_string()))?;
    for place in listener.places() {
        say(&format!("listening on {place}"));
    }
    if !known.users.is_empty() {
        say(&format!("our engine ID is {}", engine.id()));
    }
    let mut left = arguments.count.unwrap_or(u64::MAX);
    let mut refusals = Refusals::default();
    while left > 0
        && let Some(listened) = listener.either().await
    {
        let received = match listened {
            Listened::Received(received) => received,
            refused => {
                refusals.tell(&refused, &listener.counts());
                continue;
            }
        };
        match printer.form() {
            Form::Text => printer.text(&record::text(&received, names, printer, arguments.show_community))?,
            Form::Csv => {
                for row in record::rows(&received, names, printer) {
                    printer.row(&record::HEADER, &row)?;
                }
            }
            Form::Json | Form::JsonLines => {
                printer.object(&record::record(&received, names, printer, arguments.show_community))?;
            }
        }
        // The user wants to see it at once.
        printer.flush()?;
        left -= 1;
    }
    Ok(printer.finish()?)
}

/// Our engine, which is authoritative for informs, with its users; the same users are known at every engine that
/// sends traps.
fn engine(arguments: &ListenArgs, known: &Known) -> Result<Engine, Error> {
    let security = &arguments.security;
    if known.users.is_empty() {
        return own_engine::passing(Handlers::RECEIVER);
    }
    let engine = own_engine::open(security.engine_id, security.engine_boots, Handlers::RECEIVER)?;
    let failed = |fault: trunkline_snmp::usm::CredentialsError| Error::Usage(fault.to_string());
    let mut everywhere = Vec::new();
    let mut users = trunkline_snmp::usm::UserTable::new();
    for user in &known.users {
        users.insert(user.user_at(engine.id()).map_err(failed)?);
        everywhere.extend(user.made().map_err(failed)?);
    }
    engine.set_users(users);
    engine.set_credentials(everywhere);
    Ok(engine)
}
