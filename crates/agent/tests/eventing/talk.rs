//! Requests of WS-Eventing to an agent, by our client and octet by octet.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
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
    source_at(agent, community, version, "")
}

/// The service at this path as a source of events.
pub fn source_at(agent: &Agent, community: &str, version: envelope::Version, path: &str) -> EventSource {
    let defaults = Defaults::default().with_inside(Inside::Community(Version::V2c));
    let url = format!("soap+http://{community}@{}{path}", agent.address("http"));
    let target = SoapTarget::parse(&url, &defaults).unwrap();
    EventSource::new(&target, SoapOptions::default().with_version(version)).unwrap()
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

/// The fault's code.
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
    let place = Place { addresses: &addresses, authority: "localhost:8080", tls: None };
    HttpLink::connect(place, LinkOptions::default()).await.unwrap()
}

/// The status and the body of the answer.
pub async fn post(link: &mut HttpLink, fields: &[(&'static str, &str)], body: &str) -> (u16, String) {
    post_to(link, "/soap/events", fields, body).await
}

/// The same of another path.
pub async fn post_to(
    link: &mut HttpLink,
    path: &str,
    fields: &[(&'static str, &str)],
    body: &str,
) -> (u16, String) {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.insert(*name, HeaderValue::from_str(value).unwrap());
    }
    let answer = link.post(path, headers, body.to_owned()).await.unwrap();
    (answer.status.as_u16(), String::from_utf8(answer.body.to_vec()).unwrap())
}

/// The document at a path.
pub async fn get(link: &mut HttpLink, path: &str) -> String {
    String::from_utf8(link.get(path).await.unwrap().body.to_vec()).unwrap()
}

/// Subscribes with a community from this address of loopback, to receive there; returns the status and the body
/// of the answer.
pub async fn subscribe_from(agent: SocketAddr, source: &str, community: &str) -> (u16, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((source.parse::<std::net::Ipv4Addr>().unwrap(), 0).into()).unwrap();
    let mut stream = socket.connect(agent).await.unwrap();
    let body = format!(
        r#"<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"
            xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"
            xmlns:w="http://schemas.xmlsoap.org/ws/2004/08/eventing"><e:Header>
            <a:Action>http://schemas.xmlsoap.org/ws/2004/08/eventing/Subscribe</a:Action>
            <a:MessageID>urn:x:1</a:MessageID><a:To>http://agent/soap/events</a:To>
            <t:Community xmlns:t="urn:trunkline:soap">{community}</t:Community></e:Header><e:Body><w:Subscribe>
            <w:Delivery><w:NotifyTo><a:Address>http://{source}:9/</a:Address></w:NotifyTo></w:Delivery>
            </w:Subscribe></e:Body></e:Envelope>"#
    );
    let (_, kind) = SOAP_1_2;
    let head = format!(
        "POST /soap/events HTTP/1.1\r\nHost: {agent}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or_else(|| panic!("{answer}")), answer)
}

/// What SOAP 1.2 is sent with.
pub const SOAP_1_2: (&str, &str) = ("content-type", "application/soap+xml; charset=utf-8");
