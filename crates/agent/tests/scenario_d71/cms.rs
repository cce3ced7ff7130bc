//! The Central Management System: notified by R1, it queries the hosts.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use tokio::time::timeout;
use trunkline_client::eventing::{
    Endpoint, EventListener, EventSource, Granted, Notification, Subscribe, Told,
};
use trunkline_client::soap::{SoapOptions, SoapSession};
use trunkline_client::{Defaults, Inside, SoapTarget};
use trunkline_smi::module::disman_event_mib::MTE_TRIGGER_RISING;
use trunkline_smi::module::tcp_estats_mib as mib;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, VarBind, Version};
use trunkline_soap::expression::View;
use trunkline_soap::expression::message::{Explained, SelectAnswer, SelectRequest, TableData};

use super::support::PATIENCE;
use super::{THRESHOLD, network};

/// Where every agent answers.
pub const AGENT_PORT: u16 = 8071;

/// Expression (20).
const PATH: &str = "{TCP Monitor Srv,NULL,NULL,empty}";
/// Expression (21).
const FILTER: &str = "{ (tcpConnLocalPort = 22 OR tcpConnLocalPort =80) AND \
                      ( tcpConnInSegs>thres_value OR tcpConnOutSegs>thres_value)}";
/// thres_value: more segments than an idle host has.
const SEGMENTS: i128 = 200;

/// A connection as tcpConnTable names it: local address and port, the other end's address and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ends([u32; 10]);

impl Ends {
    /// tcpEStatsConnectIndex of it.
    fn connect_id(&self) -> Oid {
        let (local, remote) = self.0.split_at(5);
        let table = Oid::EMPTY.child(mib::TCP_ESTATS_CONNECT_ID_TABLE.oid).child(&[1, 1]);
        table.child(&[1, 4]).child(local).child(&[1, 4]).child(remote)
    }
}

impl std::fmt::Display for Ends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d, port, e, g, h, i, other] = self.0;
        write!(f, "{a}.{b}.{c}.{d}:{port} with {e}.{g}.{h}.{i}:{other}")
    }
}

/// The manager.
pub struct Cms {
    listener: EventListener,
    source: EventSource,
    /// The address of that.
    service: String,
    subscription: Granted,
}

impl Cms {
    /// Subscribes at the service of this interface of R1, which is the source of notifications in the paper, and has R1 watch the octets
    /// that come in by it.
    pub async fn start(router: &str, watched: u32) -> Cms {
        let address = SocketAddr::new(network::CMS.parse::<IpAddr>().unwrap(), 0);
        let listener = EventListener::bind(address).unwrap();
        let service = target(router).with_path(Some(format!("Interface-{watched}")));
        let source = EventSource::new(&service, SoapOptions::default()).unwrap();
        let notify_to =
            Endpoint { address: format!("http://{}/told", listener.local_addr()), parameters: Vec::new() };
        let expires = Some(Duration::from_secs(600));
        // Whatever happens at the interface, and nothing else that R1 sends.
        let subscribe = Subscribe { notify_to, end_to: None, expires, filter: None };
        let subscription = source.subscribe(subscribe).await.unwrap();
        assert_eq!(subscription.expires, Duration::from_secs(600));
        activate(router, watched).await;
        let service = format!("http://{router}:{AGENT_PORT}/Interface-{watched}");
        Cms { listener, source, service, subscription }
    }

    /// What has come already.
    pub fn heard(&mut self) -> Option<Told> {
        self.listener.try_next().map(|received| received.told)
    }

    /// Until this many connections of this host are beyond the threshold.
    pub async fn wait_until_it_flows(&self, host: &str, count: usize) {
        let session = asking(host);
        let begin = Instant::now();
        loop {
            let (found, explained) = selected(&session).await;
            if found.len() >= count {
                break;
            }
            assert!(begin.elapsed() < PATIENCE / 4, "nothing flows from {host}: {found:?} {explained:#?}");
        }
    }

    /// Until R1 sends a notification; returns the rate in it.
    pub async fn wait_for_congestion(&mut self) -> i32 {
        let received = timeout(PATIENCE, self.listener.next()).await.unwrap().unwrap();
        assert_eq!(received.peer.ip().to_string(), network::R1);
        assert_eq!(received.source.as_ref(), Some(&self.service));
        let Told::Notification(Notification { oid, objects, .. }) = received.told else {
            panic!("{received:?}");
        };
        assert_eq!(*oid, *MTE_TRIGGER_RISING.oid);
        let texts: Vec<String> = objects.iter().map(|(_, value)| value.as_value_ref().to_string()).collect();
        assert!(objects.iter().any(|(_, value)| *value == Value::text("n2")), "{texts:?}");
        let number = |value: &Value| match value {
            Value::Integer(number) => Some(*number),
            Value::OctetString(octets) => {
                let text = std::str::from_utf8(octets).ok()?;
                text.split('.').next()?.parse().ok()
            }
            _ => None,
        };
        let rate = objects.iter().find_map(|(_, value)| number(value));
        rate.unwrap_or_else(|| panic!("no value in {texts:?}"))
    }

    /// Asks each host twice, and finds whose segments come fastest.
    pub async fn find_culprits(&self, hosts: &[&str]) {
        let mut rates: Vec<(Ends, f64)> = Vec::new();
        for host in hosts {
            let (found, explained) = selected(&asking(host)).await;
            tell_saved(host, &explained, found.len());
            let session = SoapSession::on_demand(&target(host), SoapOptions::default()).unwrap();
            let (first, begin) = (segments(&session, &found).await, Instant::now());
            let (mut last, mut took) = (first.clone(), begin.elapsed());
            while took < WHILE {
                (last, took) = (segments(&session, &found).await, begin.elapsed());
            }
            for ((ends, before), after) in found.iter().zip(first).zip(last) {
                let rate = f64::from(after.wrapping_sub(before)) / took.as_secs_f64();
                eprintln!("  {ends}: {rate:.0} segments a second");
                rates.push((*ends, rate));
            }
            match *host {
                network::WEB => assert_eq!(found.len(), 2, "two readers of the web: {found:?}"),
                network::FILES => assert_eq!(found.len(), 1, "one file: {found:?}"),
                _ => assert!(found.is_empty(), "{host} does nothing: {found:?}"),
            }
        }
        let all: f64 = rates.iter().map(|(_, rate)| rate).sum();
        let culprits: Vec<Ends> =
            rates.iter().filter(|(_, rate)| *rate > all / 2.0).map(|(ends, _)| *ends).collect();
        let is_the_users = |ends: &Ends| ends.0[..9] == [10, 71, 3, 22, 22, 10, 71, 4, 4];
        assert!(
            culprits.len() == 1 && is_the_users(&culprits[0]),
            "the user in N4, of the FTP server: {rates:?}"
        );
        eprintln!("the culprit: {}", culprits[0]);
    }

    /// It is over.
    pub async fn finish(self) {
        let identifier = &self.subscription.identifier;
        assert!(self.source.status(identifier).await.unwrap() < Duration::from_secs(600));
        let renewed = self.source.renew(identifier, Some(Duration::from_secs(60))).await.unwrap();
        assert_eq!(renewed, Duration::from_secs(60));
        self.source.unsubscribe(identifier).await.unwrap();
        assert!(self.source.renew(identifier, None).await.is_err(), "there is none any more");
    }
}

/// Gives R1 an expression, Mbit/s of the interface, and a trigger at its threshold, with the interface's name: rows that it creates by
/// SOAP's Set.
async fn activate(router: &str, watched: u32) {
    let session = SoapSession::on_demand(&target_as(router, "private"), SoapOptions::default()).unwrap();
    let (owner, name) = ([3, 99, 109, 115], [78, 50]);
    let long = [&owner[..], &[2], &name].concat();
    let row = |entry: &[u32], column: u32, index: &[u32], value: Value| {
        let name = Oid::EMPTY.child(&[1, 3, 6, 1, 2, 1]).child(entry).child(&[1, column]).child(index);
        VarBind { name, value: Bound::Value(value) }
    };
    let oid = |oid: &[u32]| Value::ObjectIdentifier(Oid::EMPTY.child(oid));
    let (integer, text) = (Value::Integer, |text: &str| Value::text(text));
    let column = |last: u32| [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, last, watched];
    let (expressions, objects, first) = ([90, 1, 2, 1], [90, 1, 2, 3], [&long[..], &[1]].concat());
    let mbits = [&[1, 3, 6, 1, 2, 1, 90, 1, 3, 1, 1, 5][..], &long, &[0, 0, 0]].concat();
    let (triggers, thresholds, more) = ([88, 1, 2, 2], [88, 1, 2, 6], [88, 1, 3, 1]);
    let short = [&owner[..], &name].concat();
    let create = 4;
    let all = [
        row(&objects, 10, &first, integer(create)),
        row(&objects, 2, &first, oid(&column(6))),
        row(&objects, 4, &first, integer(2)),
        row(&expressions, 9, &long, integer(create)),
        row(&expressions, 3, &long, text("$1 * 8 / 1000000")),
        row(&expressions, 4, &long, integer(4)),
        row(&expressions, 6, &long, integer(1)),
        row(&more, 5, &first, integer(create)),
        row(&more, 3, &first, oid(&column(1))),
        row(&triggers, 15, &short, integer(create)),
        row(&triggers, 4, &short, Value::OctetString(vec![0x20])),
        row(&triggers, 6, &short, oid(&mbits)),
        row(&triggers, 11, &short, Value::Unsigned32(1)),
        row(&triggers, 12, &short, text("cms")),
        row(&triggers, 13, &short, text("N2")),
        row(&triggers, 14, &short, integer(1)),
        row(&thresholds, 2, &short, integer(THRESHOLD)),
        row(&thresholds, 3, &short, integer(THRESHOLD / 2)),
        row(&thresholds, 8, &short, text("_snmpd")),
        row(&thresholds, 9, &short, text("_mteTriggerRising")),
    ];
    session.set(&all).await.unwrap();
}

fn target(host: &str) -> SoapTarget {
    target_as(host, "public")
}

fn target_as(host: &str, community: &str) -> SoapTarget {
    let defaults = Defaults::default().with_inside(Inside::Community(Version::V2c));
    SoapTarget::parse(&format!("soap+http://{community}@{host}:{AGENT_PORT}"), &defaults).unwrap()
}

/// A session with the services of a host.
fn asking(host: &str) -> SoapSession {
    let options = SoapOptions::default().with_path("/".to_owned());
    SoapSession::on_demand(&target(host), options).unwrap()
}

/// The connections that (20) and (21) select.
async fn selected(session: &SoapSession) -> (Vec<Ends>, Explained) {
    let request = SelectRequest {
        path: Some(PATH.to_owned()),
        filter: Some(FILTER.to_owned()),
        values: BTreeMap::from([("thres_value".to_owned(), SEGMENTS)]),
        explain: true,
        ..SelectRequest::new(trunkline_soap::envelope::Version::V1_2, View::Tables)
    };
    let (answer, _) = session.select(&request).await.unwrap();
    let explained = answer.explained.clone().unwrap();
    let Some(connections) = table(&answer, "tcpConnTable") else { return (Vec::new(), explained) };
    let ends = connections.rows.iter().map(|row| Ends(row.index[..].try_into().unwrap()));
    (ends.collect(), explained)
}

/// The segments that each of these connections has sent: further monitoring of the candidates.
async fn segments(session: &SoapSession, connections: &[Ends]) -> Vec<u32> {
    if connections.is_empty() {
        return Vec::new();
    }
    let ids: Vec<Oid> = connections.iter().map(Ends::connect_id).collect();
    let indexes = numbers(session, &ids).await;
    let sent = |index: &u32| Oid::EMPTY.child(mib::TCP_ESTATS_PERF_TABLE.oid).child(&[1, 1, *index]);
    numbers(session, &indexes.iter().map(sent).collect::<Vec<_>>()).await
}

async fn numbers(session: &SoapSession, names: &[Oid]) -> Vec<u32> {
    let bindings = session.get(names).await.unwrap().bindings;
    let number = |binding: VarBind| match binding.value {
        Bound::Value(Value::Counter32(number) | Value::Unsigned32(number)) => number,
        other => panic!("{}: {other:?}", binding.name),
    };
    bindings.into_iter().map(number).collect()
}

fn table<'a>(answer: &'a SelectAnswer, name: &str) -> Option<&'a TableData> {
    answer.services.iter().flat_map(|service| &service.tables).find(|found| found.table.name == name)
}

fn tell_saved(host: &str, explained: &Explained, connections: usize) {
    let Explained { octets, whole, unfiltered, .. } = explained;
    eprintln!(
        "{host}: {connections} connections in {octets} octets; {unfiltered} without the filter, {whole} of everything"
    );
    assert!(*octets * 3 < *unfiltered, "a filter that saves little: {octets} of {unfiltered}");
}

/// Between the first look and the last.
const WHILE: Duration = Duration::from_millis(400);
