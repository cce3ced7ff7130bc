//! HTTP over real sockets, both ends ours: versions, keep-alive, pipelining, compression, TLS and its resumption.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::secure;
use crate::web;

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::read::{GzEncoder, ZlibEncoder};
use secure::{World, client, identity, localhost};
use trunkline_pki::LeafOptions;
use trunkline_transport::http::client::{HttpLink, HttpVersion, LinkOptions, Place, Received};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{
    Bytes, HeaderMap, HeaderValue, HttpBody, HttpLimits, HttpRequest, HttpResponse, Method, PROTOCOLS,
    Packing, StatusCode, header,
};
use trunkline_transport::tls::{ClientCertificates, TlsClientConfig, TlsServer, TlsServerConfig};
use trunkline_transport::trace::Observer;
use trunkline_transport::{Proof, Protection, Transport, TransportError};
use web::{Served, long};

const VERSIONS: [HttpVersion; 2] = [HttpVersion::One, HttpVersion::Two];

fn speaking(version: HttpVersion) -> LinkOptions {
    LinkOptions { version, ..LinkOptions::default() }
}

#[tokio::test]
async fn requests_are_sequential_over_one_connection() {
    for version in VERSIONS {
        let served = Served::echo(HttpLimits::default());
        let mut link = served.link(speaking(version)).await;
        for body in ["one", "two", "three"] {
            let answer = link.post("/a?b", HeaderMap::new(), body).await.unwrap();
            assert_eq!((answer.status, &answer.body[..]), (StatusCode::OK, body.as_bytes()));
            assert!(answer.headers.contains_key(header::DATE));
            assert_eq!(answer.headers[header::CONTENT_LENGTH], body.len().to_string().as_str());
        }
        assert!(link.is_open());
        let counts = served.counts();
        assert_eq!((counts.connections.accepted, counts.requests.requests), (1, 3));
        assert_eq!((counts.requests.successes, counts.connections.sent), (3, 3));
        assert_eq!(counts.requests.http2, u64::from(version == HttpVersion::Two));
    }
}

#[tokio::test]
async fn a_handler_sees_the_whole_request() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let handler = move |request: HttpRequest| {
        let line = format!(
            "{} {} {:?} {:?} {} {:?}",
            request.method,
            request.path,
            request.query,
            request.authority,
            request.scheme(),
            request.media_type()
        );
        told.lock().unwrap().push(line);
        async { HttpResponse::empty(StatusCode::NO_CONTENT) }
    };
    let served = Served::with(handler, HttpLimits::default(), None);
    for version in VERSIONS {
        let mut link = served.link(speaking(version)).await;
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("Text/XML; charset=utf-8"));
        let answer = link.post("/soap?wsdl", headers, "<a/>").await.unwrap();
        assert_eq!((answer.status, answer.body.len()), (StatusCode::NO_CONTENT, 0));
        assert!(!answer.headers.contains_key(header::CONTENT_LENGTH));
    }
    let line = r#"POST /soap Some("wsdl") Some("agent.example") http Some("text/xml")"#;
    assert_eq!(*seen.lock().unwrap(), [line, line]);
}

#[tokio::test]
async fn answers_are_compressed_on_request_and_equal() {
    let served = Served::echo(HttpLimits { compression: 6, ..HttpLimits::default() });
    for version in VERSIONS {
        for (accept, octets) in
            [(vec![], 60_000), (vec![Coding::Gzip], 20_000), (vec![Coding::Deflate], 20_000)]
        {
            let mut link = served.link(LinkOptions { accept: accept.clone(), ..speaking(version) }).await;
            let answer = link.get("/long").await.unwrap();
            assert_eq!(answer.body, long());
            assert!(answer.body_octets < octets, "{accept:?}: {}", answer.body_octets);
            assert_eq!(answer.headers[header::VARY], "accept-encoding");
            let small = link.get("/small").await.unwrap();
            assert_eq!((&small.body[..], small.body_octets), (&b"/small"[..], 6));
            assert!(!small.headers.contains_key(header::VARY));
        }
    }
    let counts = served.counts().requests;
    assert_eq!(counts.compressed, 4);
    assert!(counts.octets_compressed * 3 < counts.octets_before);
}

#[tokio::test]
async fn a_handler_may_compress_instead_of_the_fastest_level() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let handler = move |request: HttpRequest| {
        told.lock().unwrap().push(request.packing);
        let response = HttpResponse::new(StatusCode::OK, "text/plain", long());
        let packed = request.packing.map(|packing| (packing.coding, packed(packing.coding)));
        async move {
            match packed {
                Some((coding, octets)) => response.packed(coding, octets),
                None => response,
            }
        }
    };
    for level in [0, 1, 6] {
        let limits = HttpLimits { compression: level, compress_above: 77, ..HttpLimits::default() };
        let served = Served::with(handler.clone(), limits, None);
        for accept in [vec![], vec![Coding::Gzip], vec![Coding::Deflate]] {
            let coding = accept.first().copied();
            let mut link = served.link(LinkOptions { accept, ..LinkOptions::default() }).await;
            let answer = link.get("/").await.unwrap();
            assert_eq!(answer.body, long());
            assert_eq!(answer.body_octets < 20_000, coding.is_some() && level > 0);
            let vary: Vec<&HeaderValue> = answer.headers.get_all(header::VARY).iter().collect();
            assert_eq!(vary.len(), usize::from(level > 0), "level {level}, {coding:?}");
            let expected = coding.filter(|_| level == 1).map(|coding| Packing { coding, above: 77 });
            assert_eq!(seen.lock().unwrap().pop(), Some(expected));
        }
        let counts = served.counts().requests;
        let compressed = if level > 0 { 2 } else { 0 };
        assert_eq!((counts.compressed, counts.octets_before), (compressed, compressed * long().len() as u64));
        assert!(counts.octets_compressed * 3 <= counts.octets_before);
    }
}

/// The compressed form of the long text.
fn packed(coding: Coding) -> Vec<u8> {
    let (mut octets, text) = (Vec::new(), long());
    let done = match coding {
        Coding::Gzip => GzEncoder::new(&text[..], Compression::new(9)).read_to_end(&mut octets),
        Coding::Deflate => ZlibEncoder::new(&text[..], Compression::new(9)).read_to_end(&mut octets),
    };
    done.unwrap();
    octets
}

#[tokio::test]
async fn a_shared_body_arrives_complete_in_every_version_and_coding() {
    let world = World::new();
    let (first, last) = (Bytes::from(long()), Bytes::from_static(b"the end"));
    let handler = move |request: HttpRequest| {
        let parts = [first.clone(), Bytes::new(), Bytes::from(request.path), last.clone()];
        async move { HttpResponse::new(StatusCode::OK, "text/plain", HttpBody::shared(parts)) }
    };
    let plain = Served::with(handler.clone(), HttpLimits::default(), None);
    let server = Arc::new(TlsServer::new(&tls(&world)).unwrap());
    let secure = Served::with(handler, HttpLimits::default(), Some(server));
    for version in VERSIONS {
        for accept in [vec![], vec![Coding::Gzip], vec![Coding::Deflate]] {
            let mut link = plain.link(LinkOptions { accept: accept.clone(), ..speaking(version) }).await;
            for path in ["/a", "/b", "/a", "/longer"] {
                let answer = link.get(path).await.unwrap();
                assert_eq!(answer.body, [&long()[..], path.as_bytes(), b"the end"].concat());
                assert_eq!(answer.body_octets < 20_000, !accept.is_empty());
            }
        }
        let mut link = secure_link(&secure, &world.client(), version).await.unwrap();
        assert!(link.get("/a").await.unwrap().body.ends_with(b"/athe end"));
    }
    assert_eq!(plain.counts().requests.compressed, 16);
}

#[tokio::test]
async fn requests_may_be_compressed() {
    let served = Served::echo(HttpLimits::default());
    for coding in [Coding::Gzip, Coding::Deflate] {
        let mut link = served.link(LinkOptions { compress: Some(coding), ..LinkOptions::default() }).await;
        assert_eq!(link.post("/", HeaderMap::new(), long()).await.unwrap().body, long());
    }
    assert!(served.counts().connections.received_octets < 2 * 20_000);
}

#[tokio::test]
async fn a_head_request_gets_the_length_of_the_body() {
    for version in VERSIONS {
        let served = Served::echo(HttpLimits::default());
        let mut link = served.link(speaking(version)).await;
        let head = link.request(Method::HEAD, "/long", HeaderMap::new(), Bytes::new()).await.unwrap();
        assert_eq!(head.headers[header::CONTENT_LENGTH], long().len().to_string().as_str());
        assert!(head.body.is_empty());
        // The connection is still in sync.
        assert_eq!(link.get("/next").await.unwrap().body, "/next");
    }
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_their_order() {
    let served = Served::echo(HttpLimits::default());
    let one = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n");
    let chunked = "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nt: u\r\n\r\n";
    let all: String = (0..50).map(|number| one(&format!("/{number:02}"))).collect();
    let answer = served.raw(format!("{all}{chunked}{}", one("/end")).as_bytes(), true).await;
    let bodies: Vec<&str> =
        answer.split("\r\n\r\n").skip(1).map(|rest| rest.split("HTTP/1.1").next().unwrap()).collect();
    let mut expected: Vec<String> = (0..50).map(|number| format!("/{number:02}")).collect();
    expected.extend(["abcde".into(), "/end".into()]);
    assert_eq!(bodies, expected);
    assert_eq!(served.counts().connections.accepted, 1);
}

#[tokio::test]
async fn old_clients_are_answered_once() {
    let served = Served::echo(HttpLimits::default());
    let answer = served.raw(b"GET /old HTTP/1.0\r\n\r\n", false).await;
    assert!(answer.starts_with("HTTP/1.0 200 OK") && answer.ends_with("\r\n\r\n/old"), "{answer}");
}

/// A TLS server with optional client certificates.
fn tls(world: &World) -> TlsServerConfig {
    TlsServerConfig { clients: ClientCertificates::Optional, protocols: PROTOCOLS, ..world.server() }
}

/// Answers with the peer's identity.
async fn who(request: HttpRequest) -> HttpResponse {
    let session = &request.session;
    let proof = match &session.proof {
        Proof::Certificates(chain) => format!("{} certificates", chain.len()),
        proof => format!("{proof:?}"),
    };
    let line = format!("{:?} {:?} {proof}", session.transport, session.protection);
    HttpResponse::new(StatusCode::OK, "text/plain", line.into_bytes())
}

async fn secure_link(
    served: &Served,
    config: &TlsClientConfig,
    version: HttpVersion,
) -> Result<HttpLink, TransportError> {
    let (client, server) = (client(config), localhost());
    let place = Place { addresses: &[served.address], authority: "localhost", tls: Some((&client, &server)) };
    HttpLink::connect(place, speaking(version)).await
}

#[tokio::test]
async fn https_authenticates_certificates_and_accepts_clients_without() {
    let world = World::new();
    let server = Arc::new(TlsServer::new(&tls(&world)).unwrap());
    let served = Served::with(who, HttpLimits::default(), Some(server));
    for version in VERSIONS {
        let mut link = secure_link(&served, &world.client(), version).await.unwrap();
        assert_eq!(link.get("/").await.unwrap().body, "Https Encrypted 2 certificates");
        let info = link.session();
        assert_eq!((info.transport, info.protection), (Transport::Https, Protection::Encrypted));
        let nobody = TlsClientConfig { identity: None, ..world.client() };
        let mut link = secure_link(&served, &nobody, version).await.unwrap();
        assert_eq!(link.get("/").await.unwrap().body, "Https Encrypted Nothing");
    }
    assert_eq!(served.counts().requests.http2, 2);
}

#[tokio::test]
async fn https_refuses_a_certificate_of_strangers_and_is_refused_by_them() {
    let (world, other) = (World::new(), World::new());
    let server = Arc::new(TlsServer::new(&tls(&world)).unwrap());
    let served = Served::with(who, HttpLimits::default(), Some(server));
    let stranger = TlsClientConfig { trust: other.client().trust, ..world.client() };
    let refused = secure_link(&served, &stranger, HttpVersion::One).await.err().unwrap();
    assert!(matches!(refused, TransportError::Tls { kind: "https", .. }), "{refused}");
    let stranger = other.authority.manager(&secure::name("eve"), &LeafOptions::default()).unwrap();
    let stranger = TlsClientConfig { identity: Some(identity(&stranger)), ..world.client() };
    // In TLS 1.3 a client learns that its certificate is refused only after its first bytes.
    if let Ok(mut link) = secure_link(&served, &stranger, HttpVersion::One).await {
        let error = link.get("/").await.unwrap_err();
        assert!(error.to_string().contains("certificate"), "{error}");
    }
    served.counted(2, |counts| counts.connections.failed_handshakes).await;
}

#[tokio::test]
async fn https_resumes_an_earlier_session() {
    let world = World::new();
    let server = Arc::new(TlsServer::new(&tls(&world)).unwrap());
    let served = Served::with(who, HttpLimits::default(), Some(server));
    for identity in [world.client().identity, None] {
        let (client, server) = (client(&TlsClientConfig { identity, ..world.client() }), localhost());
        let place =
            Place { addresses: &[served.address], authority: "localhost", tls: Some((&client, &server)) };
        let mut bodies = Vec::new();
        for round in 0..3 {
            let mut link = HttpLink::connect(place, LinkOptions::default()).await.unwrap();
            assert_eq!(link.is_resumed(), round > 0);
            bodies.push(link.get("/").await.unwrap().body);
        }
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
    }
}

#[tokio::test]
async fn a_server_without_http_2_gets_no_http_2() {
    let world = World::new();
    let config = TlsServerConfig { protocols: &[b"http/1.1"], ..tls(&world) };
    let served = Served::with(who, HttpLimits::default(), Some(Arc::new(TlsServer::new(&config).unwrap())));
    assert!(secure_link(&served, &world.client(), HttpVersion::Two).await.is_err());
    assert!(secure_link(&served, &world.client(), HttpVersion::One).await.is_ok());
}

/// Interim responses without end are not an answer.
#[tokio::test]
async fn a_server_that_only_says_continue_is_left() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let many = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1000);
        let mut sent = 0_usize;
        while let Ok(()) = std::io::Write::write_all(&mut stream, &many) {
            sent += many.len();
        }
        sent
    });
    let options =
        LinkOptions { max_answer: 1000, answer_time: Duration::from_secs(600), ..LinkOptions::default() };
    let place = Place { addresses: &[address], authority: "localhost", tls: None };
    let mut link = HttpLink::connect(place, options).await.unwrap();
    link.get("/").await.unwrap_err();
    drop(link);
    assert!(server.join().unwrap() < 64 << 20);
}

#[derive(Default)]
struct Seen(Mutex<(usize, usize)>);

impl Observer for Seen {
    fn sent(&self, octets: &[u8], _: Instant) {
        self.0.lock().unwrap().0 += octets.len();
    }

    fn received(&self, octets: &[u8], _: Instant) {
        self.0.lock().unwrap().1 += octets.len();
    }
}

#[tokio::test]
async fn an_observer_sees_each_byte_in_both_directions() {
    let served = Served::echo(HttpLimits::default());
    let seen = Arc::new(Seen::default());
    let options = LinkOptions { observer: Some(seen.clone()), ..LinkOptions::default() };
    let mut link = served.link(options).await;
    link.post("/", HeaderMap::new(), long()).await.unwrap();
    let counts = served.counts().connections;
    let (sent, received) = *seen.0.lock().unwrap();
    assert_eq!((sent as u64, received as u64), (counts.received_octets, counts.sent_octets));
    assert!(sent > long().len());
}

#[tokio::test]
async fn a_client_knows_whether_its_request_was_received() {
    let served = Served::echo(HttpLimits::default());
    let mut link = served.link(LinkOptions { max_answer: 1_000, ..LinkOptions::default() }).await;
    let error = link.get("/long").await.unwrap_err();
    assert_eq!(
        (error.received(), error.to_string()),
        (Received::Yes, "the answer is longer than 1000 octets".into())
    );
    let error = link.get("no path").await.unwrap_err();
    assert_eq!(error.received(), Received::No);

    let mut link = served.link(LinkOptions::default()).await;
    assert_eq!(link.get("/panic").await.unwrap_err().received(), Received::Unknown);
    assert_eq!(link.get("/").await.unwrap_err().received(), Received::No);
    assert!(!link.is_open());
    served.counted(1, |counts| counts.connections.panics).await;

    let limits = HttpLimits { idle: std::time::Duration::from_millis(20), ..HttpLimits::default() };
    let closing = Served::echo(limits);
    let mut link = closing.link(LinkOptions::default()).await;
    link.get("/").await.unwrap();
    closing.counted(1, |counts| counts.connections.idle_closed).await;
    while link.is_open() {
        tokio::task::yield_now().await;
    }
    assert_eq!(link.get("/").await.unwrap_err().received(), Received::No);
    let nowhere = Place { addresses: &[], authority: "a", tls: None };
    assert!(HttpLink::connect(nowhere, LinkOptions::default()).await.is_err());
}

#[tokio::test]
async fn a_panic_ends_one_request_of_http_2() {
    let served = Served::echo(HttpLimits::default());
    let mut link = served.link(speaking(HttpVersion::Two)).await;
    assert_eq!(link.get("/panic").await.unwrap_err().received(), Received::Unknown);
    assert_eq!(link.get("/after").await.unwrap().body, "/after");
    served.counted(1, |counts| counts.connections.panics).await;
}
