//! The stream of events as server-sent events (RFC 8040 section 6): from the log that NETCONF's subscribers read too. One that does
//! not read is left by the limits of HTTP, and misses what the log no longer keeps.

use std::time::Duration;

use tokio::time::timeout;
use trunkline_netconf::rpc::{NotRpc, Rpc};
use trunkline_netconf::{BASE, NOTIFICATION};
use trunkline_restconf::media::{Encoding, quality};
use trunkline_restconf::query::StreamQuery;
use trunkline_restconf::refusal::Refusal;
use trunkline_transport::http::{FlowWriter, HttpFlow, HttpResponse, Method, header};
use trunkline_tree::policy::OwnedPrincipal;
use trunkline_web::http::Session;
use trunkline_xml::Writer;

use super::super::subscription::{Form, Next, Subscription};
use super::super::{Netconf, nacm};
use super::Request;

impl Request<'_> {
    /// The answer that has the events from now on, or since the requested time.
    pub(super) fn stream(&self, encoding: Encoding) -> Result<HttpResponse, Refusal> {
        if self.http.header(header::ACCEPT).is_some_and(|accept| quality(accept, EVENTS) == 0) {
            return Err(Refusal::new(
                406,
                "a stream has the type text/event-stream, which Accept does not have",
            ));
        }
        let query = StreamQuery::read(self.http.query.as_deref())?;
        let door = self.restconf.door.clone();
        if nacm::reader(&door, self.principal.as_principal()).is_none() {
            return Err(Refusal::new(403, "there is no right to read anything here"));
        }
        if query.stop.is_some() && query.start.is_none() {
            return Err(Refusal::bad("stop-time needs start-time, from which events are replayed"));
        }
        let request = request(&query, &door);
        let rpc = Rpc::read(&request, request.len()).map_err(|error| match error {
            NotRpc::Refused(refused) => Refusal::bad(&refused.1.to_string()),
            _ => Refusal::bad("the parameters of the stream cannot be read"),
        })?;
        let form = if encoding == Encoding::Json { Form::Json } else { Form::Xml };
        let subscription = Subscription::of(rpc, &door, form).map_err(|refused| {
            let mut refusal = Refusal::from(refused.1);
            // Whatever is wrong is the value of a parameter.
            refusal.status = refusal.status.min(400);
            for message in refusal.errors.iter_mut().filter_map(|error| error.message.as_mut()) {
                *message = message.replace("startTime", "start-time").replace("stopTime", "stop-time");
            }
            refusal
        })?;
        let place = self.restconf.subscribers.enter(&self.principal);
        let place = place.map_err(|error| Refusal::new(409, &error.to_string()))?;
        let (writer, flow) = HttpFlow::new();
        if self.http.method == Method::HEAD {
            return Ok(HttpResponse::events(flow));
        }
        let (principal, session) = (self.principal.clone(), self.session.clone());
        let reader = Reader { principal, session };
        tokio::spawn(async move {
            let closing = door.core.closing().clone();
            tokio::select! {
                () = tell(&door, subscription, &reader, &writer) => {}
                () = writer.closed() => {}
                () = closing.closed() => {}
            }
            writer.end().await;
            drop(place);
        });
        Ok(HttpResponse::events(flow))
    }
}

/// Who reads a stream.
struct Reader {
    principal: OwnedPrincipal,
    /// The session of a browser, with which it ends.
    session: Option<Session>,
}

/// Sends events until the subscription ends or nobody reads them.
async fn tell(door: &Netconf, mut subscription: Subscription, reader: &Reader, writer: &FlowWriter) {
    // The client learns at once that it has subscribed.
    let mut part = b": events of NETCONF\n\n".to_vec();
    loop {
        // Nothing is sent to a browser that has logged out.
        let is_open = reader.session.as_ref().is_none_or(Session::is_open);
        if !is_open || writer.write(part).await.is_err() {
            return;
        }
        part = match subscription.next(door, NO_SESSION, reader.principal.as_principal()).await {
            Next::Message(message) => event(&message),
            Next::Last(message) => {
                let _ = writer.write(event(&message)).await;
                return;
            }
            // A comment shows whether the client is still there.
            Next::Wait => match timeout(SILENCE, subscription.wake()).await {
                Ok(()) => Vec::new(),
                Err(_) => b":\n\n".to_vec(),
            },
        };
    }
}

/// An event has a field for each line of its data.
fn event(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 16);
    for line in message.split(|octet| matches!(octet, b'\n' | b'\r')) {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}

/// The same as a request of NETCONF.
fn request(query: &StreamQuery, door: &Netconf) -> Vec<u8> {
    let mut octets = Vec::with_capacity(4096);
    let mut writer = Writer::new(&mut octets);
    writer.start("rpc").attribute("xmlns", BASE).attribute("message-id", "0");
    writer.start("create-subscription").attribute("xmlns", NOTIFICATION);
    if let Some(filter) = &query.filter {
        writer.start("filter").attribute("type", "xpath").attribute("select", filter);
        // The prefixes of an expression are names of modules (RFC 8040 section 4.8.4).
        let modules = door.models().events.modules().iter();
        for module in modules.filter(|module| filter.contains(&format!("{}:", module.name))) {
            writer.attribute(&format!("xmlns:{}", module.name), &module.namespace);
        }
        writer.end("filter");
    }
    for (name, time) in [("startTime", &query.start), ("stopTime", &query.stop)] {
        if let Some(time) = time {
            writer.leaf(name, time);
        }
    }
    writer.end("create-subscription").end("rpc");
    octets
}

const EVENTS: &str = "text/event-stream";
/// A subscriber over HTTP has no session whose own events it might see.
const NO_SESSION: u32 = u32::MAX;
/// Without an event for so long, a comment is sent.
const SILENCE: Duration = Duration::from_secs(20);
