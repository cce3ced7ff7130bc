//! `trunkline subscribe`: has an agent tell its notifications as messages of SOAP, and prints them as they come.

use std::io::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::time::sleep_until;
use trunkline_client::eventing::{Endpoint, EventListener, EventReceived, EventSource, Subscribe, Told};
use trunkline_mib::Names;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::role::originator::SYS_UP_TIME;
use trunkline_snmp::wire::VarBind;

use crate::arguments::SubscribeArgs;
use crate::connect::{say, soap_options, soap_target};
use crate::error::Error;
use crate::print::Printer;
use crate::record::line;

/// Runs the command, until it has what `--count` asks for, the agent ends it, or it is stopped.
pub async fn run<W: Write>(
    arguments: &SubscribeArgs,
    names: &Names,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let target = soap_target(&arguments.session)?;
    let label = target.to_string();
    let failed = |fault: trunkline_client::Error| Error::session(&label, names, &fault);
    let mut listener = EventListener::bind(arguments.at).map_err(failed)?;
    let source = EventSource::new(&target, soap_options(&arguments.session)).map_err(failed)?;
    let notify_to = Endpoint { address: address(arguments, listener.local_addr()), parameters: Vec::new() };
    say(&format!("told at {}", notify_to.address));
    let filter = (!arguments.notifications.is_empty()).then(|| arguments.notifications.clone());
    let end_to = Some(notify_to.clone());
    let subscribe = Subscribe { notify_to, end_to, expires: None, filter };
    let granted = source.subscribe(subscribe).await.map_err(failed)?;
    let mut renewal = Instant::now() + granted.expires / 2;
    let mut left = arguments.count.unwrap_or(u64::MAX);
    while left > 0 {
        let received = tokio::select! {
            received = listener.next() => received,
            () = sleep_until(renewal.into()) => {
                let expires = source.renew(&granted.identifier, None).await.map_err(failed)?;
                renewal = Instant::now() + (expires / 2).max(Duration::from_secs(1));
                continue;
            }
        };
        let Some(received) = received else { break };
        if let Told::End(ended) = &received.told {
            return Err(Error::Runtime(format!("{label} tells no more: {}", ended.uri())));
        }
        printer.text(&text(&received, names, printer))?;
        // Who listens wants to see it now.
        printer.flush()?;
        left -= 1;
    }
    source.unsubscribe(&granted.identifier).await.map_err(failed)?;
    Ok(printer.finish()?)
}

/// The URL that the agent is given.
fn address(arguments: &SubscribeArgs, local: SocketAddr) -> String {
    arguments.reached_as.clone().unwrap_or_else(|| format!("http://{local}/"))
}

/// A line about the sender, one about what happened, and one for each object.
fn text(received: &EventReceived, names: &Names, printer: &Printer<'_, impl Write>) -> String {
    let Told::Notification(notification) = &received.told else { return String::new() };
    let uptime = (Oid::from(SYS_UP_TIME), Value::TimeTicks(notification.uptime));
    let objects = std::iter::once(&uptime).chain(&notification.objects);
    let lines = objects.map(|(oid, value)| {
        let binding = VarBind::new(oid.clone(), value.clone());
        format!("    {}\n", line(names, printer.style(), &binding))
    });
    let lines: String = lines.collect();
    // Whoever can reach the place can post there.
    let head = format!("event from http://{}, NOT AUTHENTICATED", received.peer);
    format!("{head}\n  {}\n{lines}", printer.name(&notification.oid))
}
