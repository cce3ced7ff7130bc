//! Servers that are not what they seem: other protocols, lying sizes, silence, endless answers, stubs that lead astray.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use trunkline_jmxclient::jmx::jrmp::{Endpoint, Event, ObjId, Reference, Server, Stub, StubKind, Uid};
use trunkline_jmxclient::jmx::model::{
    Detail, Exception, Notification, NotificationResult, TargetedNotification, Value,
};
use trunkline_jmxclient::jmx::remote::{Method, Reply, Request};
use trunkline_jmxclient::jmx::stream::Limits;
use trunkline_jmxclient::jmx::stream::classes::exceptions;
use trunkline_jmxclient::{Error, Heard, JmxOptions, JmxSession, JmxTarget};

/// A server that does this with each connection; returns its port.
fn serve(work: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let work = std::sync::Arc::new(work);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let work = work.clone();
            std::thread::spawn(move || work(stream.unwrap()));
        }
    });
    port
}

async fn open(port: u16, timeout: Duration) -> Result<JmxSession, Error> {
    let target = JmxTarget::parse(&format!("jmx://127.0.0.1:{port}")).unwrap();
    JmxSession::open(&target, JmxOptions::default().with_timeout(timeout)).await
}

async fn refused(port: u16) -> Error {
    open(port, Duration::from_secs(60)).await.err().unwrap()
}

/// A server that answers whatever is sent with these octets, and holds the connection.
fn says(octets: Vec<u8>) -> u16 {
    serve(move |mut stream| {
        let mut heard = [0; 1024];
        let _ = stream.read(&mut heard);
        let _ = stream.write_all(&octets);
        let _ = stream.read(&mut heard);
    })
}

const HELLO: &[u8] = b"\x4e\x00\x09127.0.0.1\x00\x00\x12\x34";

fn after_hello(octets: &[u8]) -> u16 {
    says([HELLO, octets].concat())
}

#[tokio::test]
async fn other_protocols_are_recognized() {
    let error = refused(says(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())).await;
    assert!(matches!(error, Error::NotRmi { found: b'H', .. }), "{error}");
    let error = refused(says(vec![0x15, 3, 3, 0, 2, 2, 10])).await;
    assert!(matches!(error, Error::TlsNeeded { .. }), "{error}");
    let error = refused(serve(drop)).await;
    assert!(matches!(error, Error::NoAnswer { .. }), "{error}");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = refused(closed).await;
    assert!(matches!(error, Error::Transport(_)), "{error}");
}

#[tokio::test]
async fn silence_has_an_end() {
    let error = open(says(Vec::new()), Duration::from_millis(200)).await.err().unwrap();
    assert!(matches!(error, Error::Silent { .. }), "{error}");
    for octets in [HELLO, &[HELLO, &[0x51, 0xac, 0xed]].concat()] {
        let port = says(octets.to_vec());
        let error = open(port, Duration::from_millis(200)).await.err().unwrap();
        assert!(matches!(error, Error::Timeout { method: "lookup", .. }), "{error}");
    }
}

/// An answer that comes octet by octet is not awaited for longer than any other.
#[tokio::test]
async fn slowness_has_an_end() {
    let port = serve(|mut stream| {
        stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
        let octets = [HELLO, &[0x51, 0xac, 0xed, 0x00, 0x05, 0x7a]].concat();
        for octet in octets.iter().chain(std::iter::repeat(&0)) {
            if stream.write_all(&[*octet]).is_err() {
                return;
            }
            // The client sends nothing more: this is the pause.
            let _ = stream.read(&mut [0]);
        }
    });
    let error = open(port, Duration::from_millis(500)).await.err().unwrap();
    assert!(matches!(error, Error::Timeout { .. } | Error::Malformed(_)), "{error}");
}

#[tokio::test]
async fn lying_sizes_are_refused_before_they_are_believed() {
    let returned = |rest: &[u8]| {
        let mut octets = vec![0x51, 0xac, 0xed, 0, 5, 0x77, 15, 1];
        octets.extend([0; 14]);
        octets.extend(rest);
        after_hello(&octets)
    };
    // A text of 2^40 octets, an array of 2^31-1 elements, a block of -1, a class that is not listed.
    let long_text = [0x7c, 0, 0, 1, 0, 0, 0, 0, 0];
    let array =
        [&[0x75, 0x72, 0, 2][..], b"[B", &[0xac, 0xf3, 0x17, 0xf8, 6, 8, 0x54, 0xe0, 2, 0, 0, 0x78, 0x70]]
            .concat();
    let array = [&array[..], &[0x7f, 0xff, 0xff, 0xff]].concat();
    let block = [0x7a, 0xff, 0xff, 0xff, 0xff];
    let class = [&[0x73, 0x72, 0, 6][..], b"evil.X", &[0; 8], &[2, 0, 0, 0x78, 0x70]].concat();
    for rest in [&long_text[..], &array, &block, &class] {
        let error = refused(returned(rest)).await;
        assert!(matches!(error, Error::Malformed(_)), "{error}");
    }
    let error = refused(returned(&class)).await;
    assert!(error.to_string().contains("class evil.X is not on the list"), "{error}");
}

/// Answers that never end are bounded, also those that are made of many small values.
#[tokio::test]
async fn endless_answers_are_bounded() {
    let port = serve(|mut stream| {
        let mut octets = [HELLO, &[0x51, 0xac, 0xed, 0, 5]].concat();
        octets.extend([0x77, 15, 1]);
        octets.extend([0; 14]);
        let _ = stream.write_all(&octets);
        while stream.write_all(&[0x77, 1, 0].repeat(1000)).is_ok() {}
    });
    let error = refused(port).await;
    assert!(matches!(error, Error::Malformed(_) | Error::Lost { .. }), "{error}");
}

/// A server that is correct, but for what `answer` makes of a request.
fn correct(host: &'static str, answer: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = std::sync::Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, answer) = (stream.unwrap(), answer.clone());
            std::thread::spawn(move || connection(stream, host, port, &*answer));
        }
    });
    port
}

fn connection(mut stream: TcpStream, host: &str, port: u16, answer: &dyn Fn(&Request) -> Option<Reply>) {
    let client = Endpoint { host: "127.0.0.1".to_owned(), port: 0 };
    let mut server = Server::new(Limits::default(), Method::signature_of, client);
    let mut octets = [0; 65_536];
    while let Ok(read @ 1..) = stream.read(&mut octets) {
        server.push(&octets[..read]);
        let mut out = Vec::new();
        while let Ok(Some(event)) = server.poll(&mut out) {
            let Event::Call(call) = event else { continue };
            let request = Request::decode(&call, Limits::default()).unwrap();
            let reply = answer(&request).unwrap_or_else(|| usual(&request, host, port));
            reply.encode(Uid::default(), &mut out);
        }
        if stream.write_all(&out).is_err() {
            return;
        }
    }
}

fn usual(request: &Request, host: &str, port: u16) -> Reply {
    let stub = |kind, number| {
        let endpoint = Endpoint { host: host.to_owned(), port: i32::from(port) };
        let object = ObjId { number, space: Uid::default() };
        Reply::Stub(Stub { kind, reference: Reference { endpoint, tls: false, object, acknowledged: false } })
    };
    match request {
        Request::Lookup(_) => stub(StubKind::Server, 7),
        Request::NewClient(_) => stub(StubKind::Connection, 8),
        Request::Dirty { lease, .. } => Reply::Lease(lease.clone()),
        Request::Clean { .. } | Request::Close => Reply::Void,
        _ => Reply::Value(Value::Null),
    }
}

#[tokio::test]
async fn results_of_another_kind_are_refused() {
    let port = correct("127.0.0.1", |request| match request {
        Request::NewClient(_) => Some(Reply::Value("no stub".into())),
        _ => None,
    });
    let error = refused(port).await;
    assert!(matches!(error, Error::Malformed(_) | Error::Unexpected { .. }), "{error}");
    let session = open(correct("127.0.0.1", |_| None), Duration::from_secs(60)).await.unwrap();
    let error = session.query_names(None, None).await.unwrap_err();
    assert!(matches!(error, Error::Malformed(_) | Error::Unexpected { .. }), "{error}");
    session.close().await;
}

/// What has failed is over, and the next call is made on another connection.
#[tokio::test]
async fn a_session_outlives_an_answer_that_cannot_be_read() {
    let port = correct("127.0.0.1", |request| match request {
        Request::IsRegistered(name) if name.property("bad").is_some() => Some(Reply::Value("text".into())),
        Request::IsRegistered(_) => Some(Reply::Boolean(true)),
        _ => None,
    });
    let session = open(port, Duration::from_secs(60)).await.unwrap();
    assert!(session.is_registered(&"a:bad=1".parse().unwrap()).await.unwrap_err().is_unreadable());
    assert!(session.is_registered(&"a:good=1".parse().unwrap()).await.unwrap());
    session.close().await;
}

/// The numbers of notifications count those for others too, and one that cannot be read is among them.
#[tokio::test]
async fn one_notification_that_cannot_be_read_is_left_out() {
    const OURS: i64 = 200;
    let port = correct("127.0.0.1", |request| {
        let result = |next, notifications| {
            Some(Reply::Notifications(NotificationResult { earliest: 0, next, notifications }))
        };
        match request {
            Request::AddNotificationListeners { .. } => Some(Reply::Listeners(vec![1])),
            Request::RemoveNotificationListeners { .. } => Some(Reply::Void),
            Request::FetchNotifications { sequence: -1, .. } => result(0, Vec::new()),
            Request::FetchNotifications { sequence, most: 0, .. } => result(OURS.max(*sequence), Vec::new()),
            Request::FetchNotifications { sequence: ..=OURS, .. } => Some(Reply::Value("no result".into())),
            Request::FetchNotifications { .. } => {
                let notification = Notification {
                    kind: "good".to_owned(),
                    source: Value::Null,
                    sequence: 1,
                    time: 0,
                    message: None,
                    user_data: Value::Null,
                    detail: Detail::None,
                };
                result(OURS + 2, vec![TargetedNotification { listener: 1, notification }])
            }
            _ => None,
        }
    });
    let session = open(port, Duration::from_secs(60)).await.unwrap();
    let mut heard = session.subscribe(&["a:b=c".parse().unwrap()], &[]).await.unwrap();
    assert!(matches!(heard.next().await.unwrap(), Heard::Unreadable(_)));
    let Heard::Notification(_, good) = heard.next().await.unwrap() else { panic!("more are left out") };
    assert_eq!(good.kind, "good");
    heard.end().await.unwrap();
    session.close().await;
}

/// What was thrown is not a result, also if neither can be read.
#[tokio::test]
async fn an_exception_that_cannot_be_read_is_one() {
    let port = correct("127.0.0.1", |request| {
        let Request::Invoke { operation, .. } = request else { return None };
        Some(match operation.as_str() {
            // One that is not within the limits of depth.
            "fails" => {
                let one = || Exception::new(&exceptions::IO_EXCEPTION, "x");
                Reply::Exception((0..200).fold(one(), |cause, _| one().caused_by(cause)))
            }
            _ => Reply::Value((0..200).fold(Value::Null, |value, _| Value::List(vec![value]))),
        })
    });
    let session = open(port, Duration::from_secs(60)).await.unwrap();
    let name = "a:b=c".parse().unwrap();
    let thrown = session.invoke(&name, "fails", Vec::new(), Vec::new()).await.unwrap_err();
    assert!(matches!(thrown, Error::Thrown(_)) && thrown.has_thrown() && thrown.is_unreadable(), "{thrown}");
    let returned = session.invoke(&name, "returns", Vec::new(), Vec::new()).await.unwrap_err();
    assert!(matches!(returned, Error::Malformed(_)) && !returned.has_thrown(), "{returned}");
    session.close().await;
}

#[tokio::test]
async fn a_server_that_ends_idle_connections_is_called_again() {
    let port = correct_for_one_call();
    let session = open(port, Duration::from_secs(60)).await.unwrap();
    for _ in 0..3 {
        assert_eq!(session.get_attribute(&"a:b=c".parse().unwrap(), "X").await.unwrap(), Value::Null);
        let parameters = (Vec::new(), Vec::new());
        let called = session.invoke(&"a:b=c".parse().unwrap(), "x", parameters.0, parameters.1).await;
        assert_eq!(called.unwrap(), Value::Null);
    }
}

/// It ends a connection after the answer to one call, unless that opens the session.
fn correct_for_one_call() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let client = Endpoint { host: "127.0.0.1".to_owned(), port: 0 };
                let mut server = Server::new(Limits::default(), Method::signature_of, client);
                let mut octets = [0; 65_536];
                while let Ok(read @ 1..) = stream.read(&mut octets) {
                    server.push(&octets[..read]);
                    let (mut out, mut is_last) = (Vec::new(), false);
                    while let Ok(Some(event)) = server.poll(&mut out) {
                        let Event::Call(call) = event else { continue };
                        let request = Request::decode(&call, Limits::default()).unwrap();
                        is_last |= !matches!(request, Request::Lookup(_) | Request::NewClient(_));
                        usual(&request, "127.0.0.1", port).encode(Uid::default(), &mut out);
                    }
                    if stream.write_all(&out).is_err() || is_last {
                        return;
                    }
                }
            });
        }
    });
    port
}
