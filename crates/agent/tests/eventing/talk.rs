//! Requests of WS-Eventing to an agent, by our client and octet by octet.

use std::time::Duration;

use trunkline_client::eventing::{Endpoint, EventSource, Subscribe};
use trunkline_client::soap::SoapOptions;
use trunkline_client::{Defaults, Inside, SoapTarget};
use trunkline_snmp::wire::Version;
use trunkline_soap::envelope;
use trunkline_transport::http::client::{HttpLink, LinkOptions, Place};
use trunkline_transport::http::{HeaderMap, HeaderValue};

use super::sink::Sink;
use super::support::Agent;

/// The agent's source of events as a community sees it.
pub fn source(agent: &Agent, community: &str) -> EventSource {
    source_in(agent, community, envelope::Version::V1_2)
}

/// The same in a version of SOAP.
pub fn source_in(agent: &Agent, community: &str, version: envelope::Version) -> EventSource {
    let defaults = Defaults { inside: Inside::Community(Version::V2c), ..Defaults::default() };
    let url = format!("soap+http://{community}@{}", agent.address("http"));
    let target = SoapTarget::parse(&url, &defaults).unwrap();
    EventSource::new(&target, SoapOptions { version, ..SoapOptions::default() }).unwrap()
}

/// Everything, to this path of a subscriber, and the end of it to `/end` there.
pub fn everything(sink: &Sink, path: &str) -> Subscribe {
    let endpoint = |path: &str| Endpoint { address: sink.url(path), parameters: Vec::new() };
    Subscribe { notify_to: endpoint(path), end_to: Some(endpoint("/end")), expires: None, filter: None }
}

/// The same of these notifications only.
pub fn only(sink: &Sink, path: &str, names: &[&str]) -> Subscribe {
    let filter = Some(names.iter().map(|name| (*name).to_owned()).collect());
    Subscribe { filter, ..everything(sink, path) }
}

/// The fault's word.
pub fn refused<T: std::fmt::Debug>(answer: Result<T, trunkline_client::Error>) -> String {
    match answer {
        Err(trunkline_client::Error::Fault { fault }) => fault.kind.word().to_owned(),
        other => panic!("expected a fault: {other:?}"),
    }
}

pub fn seconds(count: u64) -> Option<Duration> {
    Some(Duration::from_secs(count))
}

/// A connection for requests that no client of ours makes.
pub async fn link(agent: &Agent) -> HttpLink {
    let addresses = [agent.address("http")];
    let place = Place { addresses: &addresses, authority: "agent.example:8080", tls: None };
    HttpLink::connect(place, LinkOptions::default()).await.unwrap()
}

/// The status and the body of the answer.
pub async fn post(link: &mut HttpLink, fields: &[(&'static str, &str)], body: &str) -> (u16, String) {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.insert(*name, HeaderValue::from_str(value).unwrap());
    }
    let answer = link.post("/soap/events", headers, body.to_owned()).await.unwrap();
    (answer.status.as_u16(), String::from_utf8(answer.body.to_vec()).unwrap())
}

/// What SOAP 1.2 is sent with.
pub const SOAP_1_2: (&str, &str) = ("content-type", "application/soap+xml; charset=utf-8");
