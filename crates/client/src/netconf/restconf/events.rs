//! A stream of events (RFC 8040 section 6) as notifications of NETCONF, which have the same form.

use trunkline_netconf::NOTIFICATION;
use trunkline_netconf::document::{Document, Element, limits};
use trunkline_netconf::over_http::encode;
use trunkline_netconf::over_http::events::EventStream;
use trunkline_netconf::over_http::reply::{Answer, Reply};
use trunkline_netconf::over_http::{Then, selects};
use trunkline_transport::http::client::HttpStream;

use super::{Known, Restconf, malformed, refusal};
use crate::error::Error;
use crate::netconf::NetconfFault;

/// A stream that is being read.
pub struct Events {
    /// `None`: the server has refused it.
    stream: Option<HttpStream>,
    events: EventStream,
    /// What was received and not yet read: `octets[read..]`.
    octets: Vec<u8>,
    read: usize,
    /// The content of a filter that is applied here, in a `filter`.
    filter: Option<Vec<u8>>,
    most: usize,
}

impl Restconf {
    /// Opens the stream that a `create-subscription` asks for; its reply, and the events.
    pub async fn subscribe(&self, operation: &[u8]) -> Result<(Vec<u8>, Events), Error> {
        let known = self.known().await?;
        let document = Document::read(operation, limits(operation.len())).map_err(malformed)?;
        let wanted = document.root();
        if !wanted.is(NOTIFICATION, "create-subscription") {
            use trunkline_netconf::error::{Layer, RpcError, Tag};
            let message = "over RESTCONF there are streams of events here, and no subscriptions to data: use NETCONF for them";
            let error = RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message);
            return Ok((refusal(&[error]), Events::none(self.options.max_reply)));
        }
        let value = |name: &str| wanted.child(NOTIFICATION, name).map(Element::value);
        let filter = wanted.child(NOTIFICATION, "filter");
        let xpath = filter.and_then(|it| it.attribute("", "select"));
        let mut query = Vec::new();
        for (name, value) in
            [("filter", xpath), ("start-time", value("startTime")), ("stop-time", value("stopTime"))]
        {
            if let Some(value) = value {
                let mut parameter = format!("{name}=");
                encode(value, &mut parameter);
                query.push(parameter);
            }
        }
        let mut events = Events::none(self.options.max_reply);
        events.filter = filter.filter(|_| xpath.is_none()).map(|filter| {
            let mut octets = Vec::new();
            trunkline_netconf::over_http::write(filter, &mut octets);
            octets
        });
        let path = match known.stream(value("stream").unwrap_or("NETCONF")) {
            Ok(path) => path,
            Err(error) => return Ok((refusal(&[error]), events)),
        };
        let mark = if query.is_empty() { "" } else { "?" };
        let path = format!("{path}{mark}{}", query.join("&"));
        let mut reply = Reply::begin(self.options.max_reply);
        match self.connection.follow(&path).await? {
            Ok(stream) => events.stream = Some(stream),
            Err(got) => {
                let body = got.xml()?;
                let answer = Answer { status: got.status, body: &body };
                reply.add(answer, &Then::Done).map_err(malformed)?;
            }
        }
        Ok((reply.end(), events))
    }
}

impl Known {
    /// The path of a stream in XML.
    fn stream(&self, name: &str) -> Result<String, trunkline_netconf::error::RpcError> {
        use trunkline_netconf::error::{Layer, RpcError, Tag};
        if let Some(stream) = self.streams.iter().find(|stream| stream.name == name) {
            return Ok(stream.path.clone());
        }
        let names: Vec<&str> = self.streams.iter().map(|stream| stream.name.as_str()).collect();
        let message = match names[..] {
            [] => "the server lists no stream of events in XML".to_owned(),
            _ => format!("the server lists no stream {name} in XML, but {}", names.join(", ")),
        };
        Err(RpcError::new(Layer::Protocol, Tag::InvalidValue, message))
    }
}

impl Events {
    /// Before there is a stream.
    fn none(most: usize) -> Events {
        let events = EventStream::new(most);
        Events { stream: None, events, octets: Vec::new(), read: 0, filter: None, most }
    }

    /// The next notification. Nothing is lost if it is not awaited to its end.
    pub async fn next(&mut self) -> Result<Vec<u8>, Error> {
        loop {
            let mut rest = &self.octets[self.read..];
            let before = rest.len();
            let event = self.events.receive(&mut rest);
            self.read += before - rest.len();
            if let Some(event) = event.map_err(NetconfFault::from)? {
                if self.passes(&event)? {
                    return Ok(event);
                }
                continue;
            }
            self.octets.clear();
            self.read = 0;
            let lost = || Error::ConnectionLost { kind: None };
            let stream = self.stream.as_mut().ok_or_else(lost)?;
            let octets = stream.next().await.map_err(|_| lost())?.ok_or_else(lost)?;
            self.octets.extend_from_slice(&octets);
        }
    }

    /// Whether an event has something of what is wanted. Those of the stream itself always pass.
    fn passes(&self, event: &[u8]) -> Result<bool, Error> {
        let Some(filter) = &self.filter else { return Ok(true) };
        let event = Document::read(event, limits(self.most)).map_err(malformed)?;
        let is_own = |it: Element<'_>| it.name() == "replayComplete" || it.name() == "notificationComplete";
        let filter = Document::read(filter, limits(filter.len())).map_err(malformed)?;
        Ok(event.root().children().any(is_own) || selects(filter.root(), event.root()))
    }
}
