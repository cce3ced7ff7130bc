//! HTTP at the agent's own socket: which clients are accepted and as which principals, what is where, reloads,
//! and what strangers may send.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use socket2::{Domain, Socket, Type};
use support::{Agent, BOTH, connect};
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing, Token};
use trunkline_transport::http::client::{HttpAnswer, HttpLink, HttpVersion, LinkOptions, Place};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{Bytes, HeaderMap, HeaderValue, Method, StatusCode, header};
use trunkline_transport::ssh::PasswordHash;
use trunkline_transport::tls::{Identity, ServerIdentity, TlsClient, TlsClientConfig, Trust};

const HTTP: &str = "[http]\nlisten = [\"http://127.0.0.1:0\"]\n";

const ROLE: &str = "[[role]]\nname = \"reader\"\nread = [\"1.3.6.1.2.1.1\"]\n";

/// Basic authentication of `ann` with the password `maple syrup`.
const ANN: &str = "Basic YW5uOm1hcGxlIHN5cnVw";

async fn link_with(agent: &Agent, options: LinkOptions) -> HttpLink {
    let addresses = [agent.address("http")];
    HttpLink::connect(Place { addresses: &addresses, authority: "localhost:8080", tls: None }, options)
        .await
        .unwrap()
}

async fn link(agent: &Agent) -> HttpLink {
    link_with(agent, LinkOptions::default()).await
}

/// A request for sysName, with these credentials.
async fn ask(link: &mut HttpLink, authorization: &str, community: &str) -> HttpAnswer {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/xml; charset=utf-8"));
    headers.insert("soapaction", HeaderValue::from_static("\"\""));
    if !authorization.is_empty() {
        headers.insert(header::AUTHORIZATION, HeaderValue::from_str(authorization).unwrap());
    }
    let community = match community {
        "" => String::new(),
        community => format!("<community>{community}</community>"),
    };
    let body = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
         <Get xmlns='urn:trunkline:soap'>{community}<name>1.3.6.1.2.1.1.5.0</name></Get>\
         </e:Body></e:Envelope>"
    );
    link.post("/soap", headers, body).await.unwrap()
}

async fn status(link: &mut HttpLink, authorization: &str, community: &str) -> u16 {
    ask(link, authorization, community).await.status.as_u16()
}

/// A principal called `ann` by her password, and `robot` by the token.
fn principals(token: &Token, role: &str) -> String {
    let hash = PasswordHash::make(&"maple syrup".into()).unwrap().to_phc();
    format!(
        "[[snmp.principal]]\nname = \"ann\"\nrole = \"{role}\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"robot\"\nrole = \"{role}\"\ntoken-hash = {:?}\n",
        token.hash()
    )
}

#[tokio::test]
async fn each_path_has_its_door() {
    let mut agent = Agent::start(&format!("{BOTH}{HTTP}doors = [\"soap\", \"snmp-in-soap\"]\n"));
    let mut link = link(&agent).await;
    let index = link.get("/").await.unwrap();
    assert_eq!(index.status, StatusCode::OK);
    let text = String::from_utf8_lossy(&index.body).into_owned();
    assert!(text.contains("/soap?wsdl") && text.contains("/snmp?xsd") && !text.contains("NAME"), "{text}");
    let description = link.get("/soap?wsdl").await.unwrap();
    assert_eq!(description.status, StatusCode::OK);
    assert!(String::from_utf8_lossy(&description.body).contains("http://localhost:8080/soap"));
    assert_eq!(link.get("/snmp?xsd").await.unwrap().status, StatusCode::OK);
    for (method, path, expected) in [
        (Method::HEAD, "/soap?wsdl", 200),
        (Method::OPTIONS, "/soap", 204),
        (Method::PUT, "/soap", 405),
        (Method::DELETE, "/snmp", 405),
        (Method::OPTIONS, "/", 204),
        (Method::PATCH, "/", 405),
        (Method::GET, "/service", 404),
        (Method::POST, "/", 404),
        (Method::GET, "/soap/../etc/passwd", 404),
    ] {
        let answer = link.request(method.clone(), path, HeaderMap::new(), Bytes::new()).await.unwrap();
        assert_eq!(answer.status.as_u16(), expected, "{method} {path}");
        assert_eq!(answer.headers.contains_key(header::ALLOW), [204, 405].contains(&expected), "{path}");
        if method == Method::HEAD {
            let length = description.body.len().to_string();
            assert_eq!(answer.headers[header::CONTENT_LENGTH], length.as_str());
        }
    }
    assert!(agent.is_alive());
}

#[tokio::test]
async fn requests_are_authenticated_or_refused() {
    let token = Token::create().unwrap();
    let agent = Agent::start(&format!("{BOTH}{}{HTTP}{ROLE}", principals(&token, "reader")));
    let bearer = format!("Bearer {}", token.text());
    let mut link = link(&agent).await;
    for (authorization, community, expected) in [
        (ANN, "", 200),
        (bearer.as_str(), "", 200),
        ("", "public", 200),
        ("", "", 401),
        ("", "nobody's", 401),
        ("Basic YW5uOm1hcGxl", "public", 401),
        ("Basic Ym9iOm1hcGxlIHN5cnVw", "", 401),
        ("Bearer 0123", "", 401),
        ("Digest username=\"ann\"", "", 401),
    ] {
        let answer = ask(&mut link, authorization, community).await;
        assert_eq!(answer.status.as_u16(), expected, "{authorization:?} {community:?}");
        let ways: Vec<_> = answer.headers.get_all(header::WWW_AUTHENTICATE).iter().collect();
        assert_eq!(ways.len(), if expected == 401 { 2 } else { 0 }, "{ways:?}");
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains("maple") && !text.contains("0123"), "{text}");
    }
    // It is known what was right: the many after it cost no hash each.
    for _ in 0..200 {
        assert_eq!(status(&mut link, ANN, "").await, 200);
    }
}

#[tokio::test]
async fn a_guessing_network_waits_and_others_do_not() {
    let token = Token::create().unwrap();
    let agent = Agent::start(&format!("{BOTH}{}{HTTP}{ROLE}", principals(&token, "reader")));
    let mut link = link(&agent).await;
    assert_eq!(status(&mut link, ANN, "").await, 200);
    let mut codes = Vec::new();
    for _ in 0..12 {
        codes.push(status(&mut link, "Basic YW5uOm1hcGxl", "").await);
    }
    assert!(codes[..5].iter().all(|code| *code == 401) && codes.contains(&429), "{codes:?}");
    assert_eq!(status(&mut link, ANN, "").await, 200);
    assert_eq!(status(&mut link, &format!("Bearer {}", token.text()), "").await, 200);
}

/// Certificates as `trunkline pki` leaves them.
struct World {
    folder: tempfile::TempDir,
    ann: Option<trunkline_pki::Files>,
}

impl World {
    fn new() -> World {
        let mut world = World { folder: tempfile::tempdir().unwrap(), ann: None };
        let (pki, name) = (world.pki(), |text: &str| Name::new(text).unwrap());
        pki.init(&AuthorityOptions::named(name("Test CA")), false).unwrap();
        for (role, whom) in [(Role::Agent, "localhost"), (Role::Manager, "ann")] {
            let storing = Storing { force: true, default: role == Role::Agent, self_signed: false };
            let issued = pki.issue(role, &name(whom), &LeafOptions::default(), storing).unwrap();
            world.ann = Some(issued.files);
        }
        world
    }

    fn pki(&self) -> Directory {
        Directory::at(self.folder.path())
    }

    fn config(&self) -> String {
        format!("[snmp.tls]\ndirectory = {:?}\n", self.folder.path().display().to_string())
    }

    fn client(&self, is_ann: bool) -> TlsClient {
        let trust = Trust::builder().authorities_file(&self.folder.path().join("ca.pem")).unwrap().build();
        let ann = self.ann.as_ref().filter(|_| is_ann);
        let ann = ann.map(|files| Identity::from_files(&files.certificate, &files.key).unwrap().into());
        TlsClient::new(&TlsClientConfig::new(ann, Arc::new(trust))).unwrap()
    }

    async fn link(&self, agent: &Agent, client: &TlsClient, version: HttpVersion) -> HttpLink {
        let (addresses, server) = ([agent.address("https")], ServerIdentity::Name("localhost".into()));
        let place = Place { addresses: &addresses, authority: "localhost", tls: Some((client, &server)) };
        HttpLink::connect(place, LinkOptions { version, ..LinkOptions::default() }).await.unwrap()
    }
}

#[tokio::test]
async fn https_is_authpriv_and_plain_http_is_not() {
    let (world, token) = (World::new(), Token::create().unwrap());
    let agent = Agent::start(&format!(
        "{BOTH}{}{}{}level = \"authPriv\"\n[http]\n\
         listen = [\"http://127.0.0.1:0\", \"https://127.0.0.1:0\"]\nplain-communities = false\n",
        world.config(),
        principals(&token, "reader"),
        ROLE,
    ));
    let mut plain = link(&agent).await;
    // Known, but below the level that the role requires.
    assert_eq!(status(&mut plain, ANN, "").await, 403);
    assert_eq!(status(&mut plain, "", "public").await, 403);
    let bearer = format!("Bearer {}", token.text());
    for version in [HttpVersion::One, HttpVersion::Two] {
        let (ann, nobody) = (world.client(true), world.client(false));
        let mut link = world.link(&agent, &ann, version).await;
        assert_eq!(status(&mut link, "", "").await, 200, "by her certificate");
        for authorization in [ANN, "Basic Ym9iOndyb25n", bearer.as_str()] {
            let refused = ask(&mut link, authorization, "").await;
            let body = String::from_utf8_lossy(&refused.body);
            assert!(body.contains("<kind>twoIdentities</kind>"), "{authorization}: {body}");
        }
        let text = with(&mut link, "/", &[("authorization", ANN)]).await;
        assert!(text.0 == 400 && text.1.contains("together with a client certificate"), "{text:?}");
        let mut link = world.link(&agent, &nobody, version).await;
        for (authorization, community, expected) in
            [("", "", 401), (ANN, "", 200), (bearer.as_str(), "", 200), ("", "public", 200)]
        {
            assert_eq!(status(&mut link, authorization, community).await, expected, "{authorization}");
        }
        drop(link);
        let mut again = world.link(&agent, &nobody, version).await;
        assert!(again.is_resumed());
        // Connections that send are counted; those that connect and leave may not have been seen yet.
        assert_eq!(status(&mut again, "", "public").await, 200);
    }
    let counted = agent.counted("https");
    assert_eq!((counted["http2"], counted["failed_handshakes"]), (3, 0), "{counted:?}");
}

/// What a GET with these fields is answered with.
async fn with(link: &mut HttpLink, path: &str, fields: &[(&'static str, &str)]) -> (u16, String) {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.insert(*name, HeaderValue::from_str(value).unwrap());
    }
    let answer = link.request(Method::GET, path, headers, Bytes::new()).await.unwrap();
    (answer.status.as_u16(), String::from_utf8_lossy(&answer.body).into_owned())
}

async fn link_called(agent: &Agent, authority: &str) -> HttpLink {
    let addresses = [agent.address("http")];
    let place = Place { addresses: &addresses, authority, tls: None };
    HttpLink::connect(place, LinkOptions::default()).await.unwrap()
}

#[tokio::test]
async fn a_web_page_that_calls_us_by_another_name_learns_nothing() {
    let token = Token::create().unwrap();
    let lists = "hosts = [\"Agent.Example.net\"]\norigins = [\"https://noc.example.net\"]\n";
    let agent = Agent::start(&format!("{BOTH}{}{HTTP}{lists}{ROLE}", principals(&token, "reader")));
    let port = agent.address("http").port();
    // The last two reach loopback, and a browser lets any page ask them.
    let others =
        ["evil.example".to_owned(), format!("evil.example:{port}"), format!("0.0.0.0:{port}"), "[::]".into()];
    for authority in others {
        let mut link = link_called(&agent, &authority).await;
        let refused = ask(&mut link, "", "public").await;
        let text = String::from_utf8_lossy(&refused.body);
        assert!(refused.status.as_u16() == 421 && text.contains("`hosts` in [http]"), "{text}");
        assert_eq!(with(&mut link, "/soap?wsdl", &[]).await.0, 421);
        // No page knows a password, nor may it send one that its browser knows.
        assert_eq!(status(&mut link, ANN, "").await, 200);
        assert_eq!(status(&mut link, "Basic Ym9iOndyb25n", "public").await, 401);
    }
    let mut stream = connect(agent.address("http"));
    stream.write_all(b"GET /soap?wsdl HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 421 "), "{answer}");
    let names = ["127.0.0.1", "[::1]:1", "localhost", "agent.example.net:80"];
    for authority in names {
        let mut link = link_called(&agent, authority).await;
        assert_eq!(status(&mut link, "", "public").await, 200, "{authority}");
    }
    let mut link = link_called(&agent, "localhost:8080").await;
    for (origin, expected) in [
        ("http://localhost:8080", 200),
        ("https://noc.example.net", 200),
        ("http://evil.example", 403),
        ("http://localhost:8081", 403),
        ("null", 403),
    ] {
        let answer = with(&mut link, "/", &[("origin", origin)]).await;
        assert_eq!(answer.0, expected, "{origin}");
        assert_eq!(answer.1.contains("`origins` in [http]"), expected == 403, "{}", answer.1);
    }
    let answer = with(&mut link, "/", &[("origin", "http://evil.example"), ("authorization", ANN)]).await;
    assert_eq!(answer.0, 403);
}

#[tokio::test]
async fn a_reload_opens_and_closes_listeners_and_changes_credentials() {
    let token = Token::create().unwrap();
    let mut agent = Agent::start(BOTH);
    agent.rewrite(&format!("{BOTH}{}{HTTP}{ROLE}", principals(&token, "reader")));
    agent.signal("HUP");
    agent.wait_for_listeners(1);
    agent.wait_for("configuration reloaded");
    let mut link = link(&agent).await;
    assert_eq!(status(&mut link, ANN, "").await, 200);
    agent.rewrite(&format!("{BOTH}[http]\nlisten = [\"http://{}\"]\n", agent.address("http")));
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    assert_eq!(status(&mut link, ANN, "").await, 401, "on a connection that stayed open");
    assert_eq!(status(&mut link, "", "public").await, 200);
    agent.rewrite(BOTH);
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    // The log is a moment ahead of the sockets.
    let closed = async { while link.get("/").await.is_ok() {} };
    tokio::time::timeout(support::PATIENCE, closed)
        .await
        .expect("the listener and its connections are closed");
}

/// Sends octets as they are, and gives what comes back until the end.
fn raw(agent: &Agent, octets: &[u8]) -> String {
    let mut stream = connect(agent.address("http"));
    let _ = stream.write_all(octets);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn bad_requests_are_answered_with_their_status() {
    let quick = "header-timeout = \"100ms\"\nbody-timeout = \"100ms\"\nmax-request-size = 65536\n";
    let mut agent = Agent::start(&format!("{BOTH}{HTTP}{quick}"));
    let before = agent.resident();
    let huge = "x".repeat(100_000);
    let cases = [
        ("GET / HTTP/1.1\r\n".to_owned(), "408"),
        ("POST /soap HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nabc".to_owned(), "408"),
        ("POST /soap HTTP/1.1\r\nhost: localhost\r\ncontent-length: 70000\r\n\r\n".to_owned(), "413"),
        (format!("POST /soap HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n{huge}"), "413"),
        (format!("GET /soap HTTP/1.1\r\nhost: localhost\r\nx: {huge}\r\n\r\n"), "431"),
        ("nothing that anybody understands\r\n\r\n".to_owned(), "400"),
        ("GET * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".to_owned(), "400"),
        ("GET soap HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".to_owned(), "400"),
        ("OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".to_owned(), "204"),
        ("GET / HTTP/1.1\r\nconnection: close\r\n\r\n".to_owned(), "400"),
        (
            "POST /soap HTTP/1.1\r\nhost: localhost\r\ncontent-encoding: br\r\ncontent-length: 3\r\n\r\nabc"
                .to_owned(),
            "415",
        ),
        (
            "POST /soap HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-encoding: gzip\r\n\
             content-length: 3\r\n\r\nabc"
                .to_owned(),
            "400",
        ),
        (
            "POST /soap HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: 2\r\n\r\n{}"
                .to_owned(),
            "415",
        ),
        (
            "POST /snmp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: text/plain\r\n\
             content-length: 2\r\n\r\n{}"
                .to_owned(),
            "415",
        ),
        (
            "POST /soap HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: text/xml\r\n\
             soapaction: \"\"\r\ncontent-length: 4\r\n\r\n<a b"
                .to_owned(),
            "500",
        ),
        (
            "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer a\r\n\
             authorization: Bearer b\r\n\r\n"
                .to_owned(),
            "400",
        ),
    ];
    for (octets, expected) in cases {
        let answer = raw(&agent, octets.as_bytes());
        let found = answer.get(9..12).unwrap_or_default();
        assert_eq!(found, expected, "{}: {answer}", octets.chars().take(150).collect::<String>());
    }
    let counted = agent.counted("http");
    assert_eq!(
        (counted["slow_messages"], counted["slow_bodies"], counted["too_large"]),
        (1, 1, 2),
        "{counted:?}"
    );
    assert_eq!(
        (counted["panics"], counted["unknown_codings"], counted["bad_bodies"]),
        (0, 1, 1),
        "{counted:?}"
    );
    assert!(agent.resident() < before + (32 << 20), "{} after {before}", agent.resident());
    assert!(agent.is_alive());
}

/// Descriptions are long and public: clients that request them and do not read share one.
#[tokio::test]
async fn peers_that_do_not_read_a_description_take_little_memory() {
    const READERS: u64 = 120;
    let mut agent = Agent::start(&format!("{BOTH}{HTTP}write-timeout = \"60s\"\nmax-handshakes = 200\n"));
    let gzip = LinkOptions { accept: vec![Coding::Gzip], ..LinkOptions::default() };
    let mut plain = link(&agent).await;
    let whole = plain.get("/soap?wsdl").await.unwrap();
    let mut packing = link_with(&agent, gzip).await;
    let packed = packing.get("/soap?wsdl").await.unwrap();
    assert_eq!(packed.body, whole.body);
    assert!(whole.body.len() > 500_000 && packed.body_octets * 8 < whole.body.len());
    let before = agent.resident();
    let ask = |number: u64| {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        // An address may have this many connections, and no more.
        let from = Ipv4Addr::new(127, 0, 1, (number % 10) as u8 + 1);
        socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        socket.connect(&agent.address("http").into()).unwrap();
        let coding = if number.is_multiple_of(2) { "gzip" } else { "identity" };
        let head = format!("GET /soap?wsdl HTTP/1.1\r\nhost: localhost\r\naccept-encoding: {coding}\r\n\r\n");
        (&socket).write_all(head.as_bytes()).unwrap();
        socket
    };
    let readers: Vec<Socket> = (0..READERS).map(ask).collect();
    while agent.counted("http")["successes"] < READERS + 2 {}
    let after = agent.resident();
    // A copy for each of them would be 66 MB; what the allocator and the kernel take for connections varies.
    assert!(after < before + (32 << 20), "{after} octets with {before} before");
    drop(readers);
    assert!(agent.is_alive());
}

#[tokio::test]
async fn bombs_exhaust_neither_memory_nor_the_agent() {
    let mut agent = Agent::start(&format!("{BOTH}{HTTP}"));
    let before = agent.resident();
    let bomb = Bytes::from(vec![b' '; 64 << 20]);
    for coding in [Coding::Gzip, Coding::Deflate] {
        let options = LinkOptions { compress: Some(coding), ..LinkOptions::default() };
        let mut link = link_with(&agent, options).await;
        for path in ["/soap", "/snmp", "/service"] {
            let answer = link.post(path, HeaderMap::new(), bomb.clone()).await;
            // The rest of a connection after a refusal is not promised.
            match answer {
                Ok(answer) => assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}"),
                Err(error) => panic!("{path}: {error}"),
            }
        }
    }
    assert_eq!(agent.counted("http")["too_large"], 6);
    assert!(agent.resident() < before + (32 << 20), "{} after {before}", agent.resident());
    let mut link = link(&agent).await;
    assert_eq!(status(&mut link, "", "public").await, 200);
    assert!(agent.is_alive());
}
