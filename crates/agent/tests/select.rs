//! Selective retrieval from a running agent: the paper's expressions on real connections, relations of the configuration,
//! what may be seen, and what is refused.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use support::{Agent, BOTH};
use trunkline_client::soap::{Encoding, SoapOptions, SoapSession, SoapVersion};
use trunkline_client::{Defaults, Error, SoapTarget};
use trunkline_smi::Value;
use trunkline_soap::expression::View;
use trunkline_soap::expression::message::{SelectAnswer, SelectRequest};

const HTTP: &str = "[http]\nlisten = [\"http://127.0.0.1:0\"]\n";

fn start(more: &str) -> Agent {
    Agent::start(&format!("{BOTH}{HTTP}{more}"))
}

async fn session(agent: &Agent, community: &str, path: &str, options: SoapOptions) -> SoapSession {
    let url = format!("soap+http://{community}@{}", agent.address("http"));
    let target = SoapTarget::parse(&url, &Defaults::default()).unwrap();
    SoapSession::open(&target, options.with_path(path.to_owned())).await.unwrap()
}

fn request(path: &str, data: &str, filter: &str) -> SelectRequest {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    SelectRequest {
        path: given(path),
        data: given(data),
        filter: given(filter),
        explain: true,
        ..SelectRequest::new(SoapVersion::V1_2, View::Everything)
    }
}

async fn ask(agent: &Agent, path: &str, data: &str, filter: &str) -> SelectAnswer {
    let session = session(agent, "public", "/", SoapOptions::default()).await;
    session.select(&request(path, data, filter)).await.unwrap().0
}

/// A connection on loopback, and the port that was listened at.
fn connection() -> (TcpStream, TcpStream, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let near = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let (far, _) = listener.accept().unwrap();
    (near, far, port)
}

#[tokio::test]
async fn connections_of_known_ports_by_expressions_19_and_20() {
    let agent = start("");
    let (_near, _far, port) = connection();
    let filter = format!("flt_exp= {{tcpConnLocalPort = {port} OR tcpConnLocalPort = 1}}");
    let path = "Path_slct_exp={TCP Monitor Srv,NULL,NULL,empty}";
    for encoding in [Encoding::Typed, Encoding::Lean] {
        for version in [SoapVersion::V1_1, SoapVersion::V1_2] {
            let options = SoapOptions::default().with_encoding(encoding).with_version(version);
            let session = session(&agent, "public", "/", options).await;
            let request = request(path, "ml_slct_exp={tcpConnEntry[ ]}", &filter);
            let (answer, _) = session.select(&request).await.unwrap();
            let [service] = answer.services.as_slice() else { panic!("{:?}", answer.services) };
            assert_eq!((service.tag.as_str(), service.level), ("TCP-Connections", 2));
            let [table] = service.tables.as_slice() else { panic!("one table") };
            assert_eq!(table.table.name, "tcpConnTable");
            assert!(!table.rows.is_empty());
            assert!(table.rows.iter().all(|row| row.index[4] == u32::from(port)));
            let state = table.fields.iter().position(|field| field.name == "tcpConnState").unwrap();
            let established = Some(Value::Integer(5));
            assert!(table.rows.iter().any(|row| row.cells[state] == established));
            let explained = answer.explained.unwrap();
            assert_eq!(explained.searched, ["TCP", "TCP-Data", "TCP-Connections"]);
            assert!(explained.octets < explained.unfiltered && explained.unfiltered < explained.whole);
            assert_eq!(explained.parts[0].kept, table.rows.len() as u64);
        }
    }
}

/// Segments of connections, as (21) requires them, if TCP-ESTATS-MIB is served.
#[tokio::test]
async fn busy_connections_by_expression_21() {
    use std::io::{Read, Write};
    let agent = start("");
    let (mut near, mut far, port) = connection();
    let (_idle_near, _idle_far, idle) = connection();
    let mut taken = [0; 1];
    for _ in 0..200 {
        far.write_all(b"x").unwrap();
        near.read_exact(&mut taken).unwrap();
    }
    let filter = format!(
        "flt_exp={{ (tcpConnLocalPort = {port} OR tcpConnLocalPort ={idle}) AND\n\
         ( tcpConnInSegs>thres_value OR tcpConnOutSegs>thres_value)"
    );
    let session = session(&agent, "public", "/", SoapOptions::default()).await;
    let path = "Path_slct_exp={TCP Monitor Srv,NULL,NULL,empty}";
    let mut request = request(path, "{tcpConnEntry[], tcpConnOutSegs}", &filter);
    let unbound = session.select(&request).await.unwrap_err();
    assert!(unbound.to_string().contains("thres_value"), "{unbound}");
    request.values = BTreeMap::from([("thres_value".to_owned(), 100)]);
    let (answer, _) = session.select(&request).await.unwrap();
    let rows: Vec<u32> = answer
        .services
        .iter()
        .flat_map(|service| &service.tables)
        .filter(|table| table.table.name == "tcpConnTable")
        .flat_map(|table| table.rows.iter().map(|row| row.index[4]))
        .collect();
    assert_eq!(rows, [u32::from(port)], "{answer:?}");
}

#[tokio::test]
async fn single_data_of_equation_13_and_the_three_views() {
    let agent = start("");
    let data = "sgl_slct_exp={tcpInSegs,tcpOutSegs,ipInDelivers} .";
    let answer = ask(&agent, "{Root}", data, "").await;
    let scalars: Vec<(&str, usize)> =
        answer.services.iter().map(|service| (service.tag.as_str(), service.scalars.len())).collect();
    assert_eq!(scalars, [("IP", 1), ("TCP-Data", 2)]);
    let session = session(&agent, "public", "/", SoapOptions::default()).await;
    let single = SelectRequest { view: View::Single, ..request("{Root}", "", "") };
    let (answer, _) = session.select(&single).await.unwrap();
    assert!(answer.services.iter().all(|service| service.tables.is_empty() && !service.scalars.is_empty()));
    let tables = SelectRequest { view: View::Tables, ..request("{Root}", "", "") };
    let (answer, _) = session.select(&tables).await.unwrap();
    assert!(answer.services.iter().all(|service| !service.tables.is_empty() && service.scalars.is_empty()));
}

#[tokio::test]
async fn interfaces_are_services_with_their_own_uris() {
    let agent = start("[[relation]]\nname = \"feeds\"\nfrom = \"Interface\"\nto = [\"IP\"]\n");
    let answer = ask(&agent, "{lo}", "{ifDescr, ifName}", "ifOperStatus != down").await;
    let [service] = answer.services.as_slice() else { panic!("{answer:?}") };
    let tag = service.tag.clone();
    assert_eq!(service.name, "lo");
    let lo = Some(Value::OctetString(b"lo".to_vec()));
    assert_eq!(
        service.tables.iter().map(|table| table.rows[0].cells[0].clone()).collect::<Vec<_>>(),
        [lo.clone(), lo]
    );
    // The relation of the configuration leads on, and from there no further.
    let answer = ask(&agent, "{Interfaces,,,contains.feeds}", "{ipInDelivers}", "").await;
    assert_eq!(answer.services[0].tag, "IP");
    let answer = ask(&agent, "{Root,,,(feeds)!}", "", "").await;
    assert!(!answer.explained.unwrap().selected.contains(&tag));
    // At a service's URIs it alone is queried, and what is below it.
    for uri in [format!("/{tag}"), format!("/Interfaces-1_{tag}-2.contains")] {
        let session = session(&agent, "public", &uri, SoapOptions::default()).await;
        let (answer, _) = session.select(&request("", "{ifDescr}", "")).await.unwrap();
        assert_eq!(answer.services.len(), 1);
        let (answer, _) = session.select(&request("{Root}", "", "")).await.unwrap();
        assert_eq!(answer.services[0].tag, tag);
        assert_eq!(answer.services.len(), 1);
    }
    let nowhere = session(&agent, "public", "/Interfaces-0_Nobody-1.contains", SoapOptions::default()).await;
    let fault = nowhere.select(&request("", "", "")).await.unwrap_err();
    assert!(matches!(&fault, Error::Fault { fault } if fault.kind.word() == "unknownName"), "{fault}");
}

#[tokio::test]
async fn hidden_objects_are_neither_returned_nor_compared() {
    let views = "[[role]]\nname = \"names\"\nread = [\"1.3.6.1.2.1.2.2.1.2\"]\n\
                 [[snmp.community]]\nname = \"names\"\nrole = \"names\"\n";
    let agent = Agent::start(&format!("{BOTH}{views}{HTTP}"));
    let session = session(&agent, "names", "/", SoapOptions::default()).await;
    let (answer, _) = session.select(&request("{Root}", "", "")).await.unwrap();
    let cells = answer.services.iter().flat_map(|service| &service.tables).flat_map(|table| &table.rows);
    assert!(cells.flat_map(|row| &row.cells).flatten().all(|value| matches!(value, Value::OctetString(_))));
    assert!(answer.services.iter().all(|service| service.scalars.is_empty()));
    let (answer, _) = session.select(&request("{Root}", "{ifDescr}", "ifMtu >= 0")).await.unwrap();
    assert!(answer.services.is_empty(), "{answer:?}");
    let (answer, _) = session.select(&request("{Root}", "{ifDescr}", "NOT ifMtu >= 0")).await.unwrap();
    assert!(!answer.services.is_empty());
    let stranger = self::session(&agent, "nobody", "/", SoapOptions::default()).await;
    let fault = stranger.select(&request("", "", "")).await.unwrap_err();
    assert!(matches!(&fault, Error::Fault { fault } if fault.kind.word() == "unauthorized"), "{fault}");
}

#[tokio::test]
async fn wrong_expressions_are_faults_with_a_position() {
    let agent = start("");
    let session = session(&agent, "public", "/", SoapOptions::default()).await;
    let deep = format!("{}ifIndex = 1", "(".repeat(3000));
    let cases = [
        ("{Nobody,,,}", "", "", 2, "there is no service `Nobody`"),
        ("{Root,,,contains.r7}", "", "", 18, "there is no relation `r7`"),
        ("{Root", "", "", 6, "expected `,` or `}`, found the end"),
        ("{Root}", "{ifDescr, nothing}", "", 11, "no module has an object \"nothing\""),
        ("{IP}", "{ifDescr}", "", 2, "none of the selected services has ifDescr"),
        ("{Root}", "", "ifIndex = ", 11, "found the end"),
        ("{Root}", "", "ifOperStatus = upp", 16, "did you mean up?"),
        ("{Root}", "", "ifMtu = 99999999999", 9, "out of range"),
        ("{Root}", "", "ifDescr = 7", 11, "cannot be compared"),
        ("{Root}", "", &deep, 26, "nested too deep"),
    ];
    for (path, data, filter, position, words) in cases {
        let error = session.select(&request(path, data, filter)).await.unwrap_err();
        let Error::Fault { fault } = &error else { panic!("{error}") };
        assert_eq!(fault.kind.word(), "wrongExpression");
        assert_eq!(fault.subject.position, Some(position), "{}", fault.reason);
        assert!(fault.reason.contains(words) && fault.reason.ends_with('^'), "{}", fault.reason);
    }
}

#[tokio::test]
async fn an_answer_respects_the_configured_limit() {
    let agent = start("max-answer-size = 4096\n");
    let session = session(&agent, "public", "/", SoapOptions::default()).await;
    let error = session.select(&request("{Root}", "", "")).await.unwrap_err();
    assert!(matches!(&error, Error::Fault { fault } if fault.kind.word() == "tooBig"), "{error}");
    // What is counted for the explanation has no such end.
    let (answer, _) = session.select(&request("{Root}", "{tcpRtoMin}", "")).await.unwrap();
    assert!(answer.explained.unwrap().whole > 4096);
}

/// RFC 9110 section 10.2.1: what is posted to is among the methods. And RFC 9112 section 3.2: Host is one, or it is 400.
#[test]
fn the_root_allows_post_and_the_host_is_checked() {
    let agent = start("");
    let status_and_allow = |request: &str| {
        let mut stream = support::connect(agent.address("http"));
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let allow = answer.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap_or_default();
        (answer[9..12].to_owned(), allow.to_owned())
    };
    let ask = |method, host| {
        status_and_allow(&format!("{method} / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let all = "GET, HEAD, OPTIONS, POST";
    assert_eq!(ask("OPTIONS", "localhost"), ("204".into(), all.into()));
    assert_eq!(ask("PUT", "localhost"), ("405".into(), all.into()));
    assert_eq!(ask("GET", "localhost"), ("200".into(), String::new()));
    for host in ["a b", "localhost:abc"] {
        assert_eq!(ask("GET", host).0, "400", "{host}");
    }
}
