//! A stream protocol unrelated to SNMP: the server speaks first, the framing changes after the greeting, answers
//! keep the order of their requests, and the server sends unsolicited data. Over every transport with streams, and
//! over SSH beside another protocol on the same port.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::secure;
use crate::ssh_support;

use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use trunkline_transport::dial::{self, Stream};
use trunkline_transport::local::{LocalOptions, LocalServer, Preamble, RelayError, relay};
use trunkline_transport::ssh::{SshFailure, SshGreeter};
use trunkline_transport::tcp::{Messages, Plain, TcpLimits, TcpServer};
use trunkline_transport::tls::{TlsGreeter, TlsServer};
use trunkline_transport::{Guest, Proof, SessionInfo, StreamService, Subsystems, Visit};

use self::ssh_support::{
    HOST, PATIENCE, Place, answer, frame, limits, message, read_message, server_options,
};

/// Lines in the greetings, then a length in one octet before each text. `later TEXT` takes longer to answer than
/// the next request, `watch` sends three texts over time, `end` ends.
struct Chat;

impl StreamService for Chat {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest {
        Box::pin(async move { drop(chat(stream, &info, &visit).await) })
    }
}

async fn chat(stream: Box<dyn Stream>, info: &SessionInfo, visit: &Visit) -> std::io::Result<()> {
    let mut stream = BufStream::new(stream);
    let name = match &info.proof {
        Proof::Nothing => "stranger",
        Proof::Certificates(_) => "holder of a certificate",
        Proof::User(name) => name,
    };
    stream.write_all(format!("hello {name}\n").as_bytes()).await?;
    stream.flush().await?;
    let mut greeting = String::new();
    stream.read_line(&mut greeting).await?;
    assert_eq!(greeting, "hello\n");
    visit.accept();
    let (tell, mut told) = mpsc::unbounded_channel();
    loop {
        let asked = tokio::select! {
            Some(event) = told.recv() => {
                say(&mut stream, event).await?;
                continue;
            }
            asked = stream.read_u8() => {
                let mut text = vec![0; asked?.into()];
                stream.read_exact(&mut text).await?;
                String::from_utf8(text).unwrap()
            }
        };
        visit.speaks();
        match asked.as_str() {
            "end" => return stream.shutdown().await,
            "watch" => {
                let tell = tell.clone();
                tokio::spawn(async move {
                    for event in ["one", "two", "three"] {
                        tokio::task::yield_now().await;
                        let _ = tell.send(event);
                    }
                });
            }
            text => {
                if text.starts_with("later") {
                    tokio::task::yield_now().await;
                }
                say(&mut stream, text).await?;
            }
        }
    }
}

async fn say(stream: &mut BufStream<Box<dyn Stream>>, text: &str) -> std::io::Result<()> {
    stream.write_u8(text.len() as u8).await?;
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await
}

/// Everything a client sends, at once: it need not wait for anything.
const SAID: &[u8] = b"hello\n\x09later one\x03two\x05watch\x03end";

/// The client's side, and what it must receive.
async fn converse(stream: impl Stream + 'static, name: &str) {
    let mut stream = BufStream::new(Box::new(stream) as Box<dyn Stream>);
    let mut greeting = String::new();
    stream.read_line(&mut greeting).await.unwrap();
    assert_eq!(greeting, format!("hello {name}\n"), "the server speaks first");
    stream.write_all(b"hello\n").await.unwrap();
    for texts in [&["later one", "two"][..], &["watch"]] {
        for text in texts {
            say(&mut stream, text).await.unwrap();
        }
        let expected: &[&str] = if texts == ["watch"] { &["one", "two", "three"] } else { texts };
        for expected in expected {
            let mut heard = vec![0; stream.read_u8().await.unwrap().into()];
            stream.read_exact(&mut heard).await.unwrap();
            assert_eq!(String::from_utf8(heard).unwrap(), *expected);
        }
    }
    say(&mut stream, "end").await.unwrap();
    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0, "the server ends the stream");
}

fn bound() -> (TcpServer, SocketAddr) {
    let server = TcpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = server.local_addr();
    (server, address)
}

#[tokio::test]
async fn over_tcp() {
    let (server, address) = bound();
    let serving = tokio::spawn(server.serve(Plain::new(Arc::new(Chat)), TcpLimits::default()));
    converse(dial::tcp(&[address], PATIENCE).await.unwrap(), "stranger").await;
    serving.abort();
}

#[tokio::test]
async fn over_tls() {
    let world = secure::World::new();
    let (server, address) = bound();
    let tls = Arc::new(TlsServer::new(&world.server()).unwrap());
    let serving = tokio::spawn(server.serve(TlsGreeter::new(tls, Arc::new(Chat)), TcpLimits::default()));
    let client = secure::client(&world.client());
    let (stream, _) = dial::tls(&[address], &client, &secure::localhost(), PATIENCE).await.unwrap();
    converse(stream, "holder of a certificate").await;
    serving.abort();
}

/// The two protocols of one port.
fn both() -> Subsystems {
    Subsystems::of("snmp", Messages::new(Arc::new(answer), frame)).and("chat", Arc::new(Chat))
}

#[tokio::test]
async fn subsystems_side_by_side_on_one_port_of_ssh() {
    let (place, (server, address)) = (Place::new(), bound());
    let greeter = SshGreeter::new(Arc::new(place.server(server_options())), both());
    let serving = tokio::spawn(server.serve(greeter, limits()));
    let client = place.client();
    let open = async |subsystem| dial::ssh(&[address], &client, HOST, subsystem, PATIENCE).await;
    let (mut messages, _) = open("snmp").await.unwrap();
    converse(open("chat").await.unwrap().0, "alice").await;
    messages.write_all(&message(b"who")).await.unwrap();
    assert_eq!(read_message(&mut messages).await.unwrap(), b"alice");
    let error = open("netconf").await.err().unwrap();
    let trunkline_transport::TransportError::Ssh { failure, .. } = error else { panic!("{error}") };
    let SshFailure::NoSubsystem { subsystem, .. } = &*failure else { panic!("{failure}") };
    assert_eq!(subsystem, "netconf");
    serving.abort();
}

#[tokio::test]
async fn subsystems_side_by_side_at_the_socket_for_openssh() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("socket");
    let name_of = |_| Ok(Some("alice".to_owned()));
    let server = LocalServer::bind(LocalOptions { name_of, ..LocalOptions::at(&socket) }).unwrap();
    let serving = tokio::spawn(server.serve(both(), limits()));
    let relayed = async |subsystem: &str, input: Vec<u8>| {
        let (socket, preamble) = (socket.clone(), Preamble::new(subsystem, "alice", None).unwrap());
        let relaying = move || {
            let mut output = Vec::new();
            // The agent may still answer after the input has ended, so there is no need to wait before.
            let result = relay(&socket, &preamble, std::io::Cursor::new(input), &mut output);
            result.map(|()| output)
        };
        spawn_blocking(relaying).await.unwrap()
    };
    assert_eq!(relayed("snmp", message(b"who")).await.unwrap(), message(b"alice"));
    let heard = relayed("chat", SAID.to_vec()).await.unwrap();
    assert!(heard.starts_with(b"hello alice\n\x09later one\x03two"), "{heard:?}");
    let refused = relayed("netconf", Vec::new()).await;
    let Err(RelayError::Refused(words)) = refused else { panic!("{refused:?}") };
    assert_eq!(words, "there is no subsystem `netconf`; served here: snmp, chat");
    assert!(UnixStream::connect(&socket).is_ok(), "who asked for something else ended nothing");
    serving.abort();
}
