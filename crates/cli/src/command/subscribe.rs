//! `trunkline subscribe`: subscribes to an agent's notifications as SOAP messages, and prints them as they
//! arrive. The subscription ends with the command, however that ends.

mod record;

use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::time::sleep_until;
use trunkline_client::eventing::{Ended, Endpoint, EventListener, EventSource, Granted, Subscribe, Told};
use trunkline_client::{NetconfTarget, Transport};
use trunkline_jmxclient::JmxTarget;
use trunkline_mib::{Names, Style};

use crate::arguments::{SubscribeArgs, netconf};
use crate::connect::{say, soap_options};
use crate::destination::Destination;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::print::Printer;

/// Runs the command until `--count` is reached, the agent ends the subscription, or Ctrl-C stops it.
pub async fn run<W: Write>(
    arguments: &SubscribeArgs,
    names: &Names,
    interrupt: &Interrupt,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let destination = arguments.target.destination(&arguments.session)?;
    if NetconfTarget::is_meant(&destination.address) {
        return over_netconf(arguments, &destination, names, interrupt).await;
    }
    if JmxTarget::is_meant(&destination.address) {
        return super::jmx::subscribe(arguments, &destination, interrupt, printer).await;
    }
    let target = destination.session.login.soap_target(&destination.address)?;
    let label = target.to_string();
    let failed = |fault: trunkline_client::Error| Error::session(&label, names, &fault);
    let mut listener = EventListener::bind(arguments.at).map_err(failed)?;
    let source = EventSource::new(&target, soap_options(&destination.session)).map_err(failed)?;
    let notify_to = Endpoint { address: address(arguments, listener.local_addr()), parameters: Vec::new() };
    let told_at = notify_to.address.clone();
    let filter = (!arguments.notifications.is_empty()).then(|| arguments.notifications.clone());
    let end_to = Some(notify_to.clone());
    let subscribe = Subscribe { notify_to, end_to, expires: None, filter };
    if target.transport == Transport::Https && !is_secure(&told_at) {
        say(
            "warning: the notifications arrive over plain HTTP: anybody on the path can forge them; they are not encrypted \
             and not authenticated (--reached-as https://... names a proxy that terminates TLS in front of us)",
        );
    }
    let granted = tokio::select! {
        granted = source.subscribe(subscribe) => granted.map_err(failed)?,
        stopped = interrupt.pressed() => return Err(stopped),
    };
    say(&format!("receiving at {told_at}"));
    let outcome = tokio::select! {
        over = follow(arguments, &mut listener, &source, &granted, names, printer) => over,
        stopped = interrupt.pressed() => Over::Here(Err(stopped)),
    };
    let result = match outcome {
        Over::There(ended) => {
            Err(Error::Runtime(format!("{label} ended the subscription: {}", words(ended))))
        }
        Over::Renewal(fault) => Err(failed(fault)),
        Over::Here(result) => tokio::select! {
            unsubscribed = source.unsubscribe(&granted.identifier) => {
                result.and(unsubscribed.map_err(failed))
            }
            // A second Ctrl-C does not wait for the agent.
            stopped = interrupt.pressed() => Err(stopped),
        },
    };
    printer.finish()?;
    result
}

/// The same over NETCONF and RESTCONF: the events that have these names, with what happens in the server itself if none is given.
async fn over_netconf(
    arguments: &SubscribeArgs,
    destination: &Destination,
    names: &Names,
    interrupt: &Interrupt,
) -> Result<(), Error> {
    if arguments.output.csv {
        return Err(Error::Usage("--csv: events over NETCONF have no columns; use --json".to_owned()));
    }
    let paths = arguments.notifications.iter().map(|name| event_path(name, names));
    let paths = paths.collect::<Result<Vec<String>, _>>()?;
    let session = &destination.session;
    let options = netconf::SubscribeArgs {
        server: netconf::ServerArgs {
            config: session.config.clone(),
            as_role: None,
            target: destination.address.clone(),
            ends: session.login.secure.ends.clone(),
            http: session.login.secure.http.login.clone(),
            timeout: session.patience(),
            call_home: None,
            call_wait: Duration::ZERO,
            compress: None,
            keys: None,
            device: None,
        },
        stream: None,
        xpath: (!paths.is_empty()).then(|| paths.join(" | ")),
        prefix: Vec::new(),
        filter: None,
        push: None,
        period: None,
        on_change: false,
        dampening: None,
        datastore: None,
        since: None,
        until: None,
        count: arguments.count,
        json: arguments.output.json,
        xml: false,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let ended = super::netconf::follow(&options, interrupt, &mut out).await;
    let flushed = out.flush();
    ended.and(flushed.map_err(Error::from))
}

/// The path of a notification: one of a MIB module has the name of that module (RFC 6643 section 9).
fn event_path(name: &str, names: &Names) -> Result<String, Error> {
    if name.starts_with('/') {
        return Ok(name.to_owned());
    }
    let label = match name.split_once("::") {
        Some(_) => name.to_owned(),
        None => {
            let style = Style::default();
            names.format_oid(&names.resolve(name)?, &style)
        }
    };
    match label.split_once("::") {
        Some((module, name)) => Ok(format!("/{module}:{name}")),
        None => {
            Err(Error::Usage(format!("{name} is not the name of a notification, such as IF-MIB::linkDown")))
        }
    }
}

/// Why there are no more notifications.
enum Over {
    /// The agent ended the subscription.
    There(Ended),
    /// The agent does not renew it.
    Renewal(trunkline_client::Error),
    /// The command has finished, or cannot continue.
    Here(Result<(), Error>),
}

async fn follow<W: Write>(
    arguments: &SubscribeArgs,
    listener: &mut EventListener,
    source: &EventSource,
    granted: &Granted,
    names: &Names,
    printer: &mut Printer<'_, W>,
) -> Over {
    let mut renewal = Instant::now() + granted.expires / 2;
    let mut left = arguments.count.unwrap_or(u64::MAX);
    while left > 0 {
        let received = tokio::select! {
            received = listener.next() => received,
            () = sleep_until(renewal.into()) => {
                match source.renew(&granted.identifier, None).await {
                    Ok(expires) => renewal = Instant::now() + (expires / 2).max(Duration::from_secs(1)),
                    Err(fault) => return Over::Renewal(fault),
                }
                continue;
            }
        };
        let Some(received) = received else { break };
        let told = match &received.told {
            Told::Notification(told) => told,
            Told::End(ended) => return Over::There(*ended),
        };
        // The user wants to see it at once.
        if let Err(fault) = record::write(&received, told, names, printer).and_then(|()| printer.flush()) {
            return Over::Here(Err(fault.into()));
        }
        left -= 1;
    }
    Over::Here(Ok(()))
}

/// The URL that the agent is given.
fn address(arguments: &SubscribeArgs, local: SocketAddr) -> String {
    arguments.reached_as.clone().unwrap_or_else(|| format!("http://{local}/"))
}

/// Whether messages to this URL are protected on the path.
fn is_secure(url: &str) -> bool {
    url.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"))
}

fn words(ended: Ended) -> &'static str {
    match ended {
        Ended::DeliveryFailure => "earlier notifications did not arrive",
        Ended::SourceShuttingDown => "it is shutting down",
        Ended::SourceCancelling => "its configuration has changed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_distinguished_from_https() {
        for (url, secure) in [
            ("http://127.0.0.1:80/", false),
            ("https://nms.example/", true),
            ("HTTPS://nms.example/", true),
            ("https", false),
        ] {
            assert_eq!(is_secure(url), secure, "{url}");
        }
    }

    #[test]
    fn notifications_have_paths() {
        let names = Names::built_in();
        let path = |name: &str| event_path(name, &names).map_err(|fault| fault.to_string());
        for (name, expected) in [
            ("linkDown", "/IF-MIB:linkDown"),
            ("IF-MIB::linkUp", "/IF-MIB:linkUp"),
            ("/a:b[c='1']", "/a:b[c='1']"),
        ] {
            assert_eq!(path(name).as_deref(), Ok(expected));
        }
        assert!(path("nothing").is_err());
    }
}
