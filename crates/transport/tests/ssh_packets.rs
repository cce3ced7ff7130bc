//! How many packets SSH needs, counted by a relay, and several channels of one connection.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use crate::ssh_support;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use russh::client::{Config, Handler, connect};
use russh::keys::{PrivateKeyWithHashAlg, PublicKeyOrCertificate, load_secret_key};
use russh::{Channel, ChannelMsg};
use ssh_support::{Place, Running, ask, fault, limits, message, one, open, read_message, server_options};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use trunkline_transport::ssh::{SshClient, SshFault, SshOptions, SshServerOptions, WindowUpdates};
use trunkline_transport::tcp::TcpLimits;

/// Relays one connection, and counts the pieces it arrives in.
struct Relay {
    address: SocketAddr,
    to_server: Arc<Counts>,
    to_client: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    pieces: AtomicUsize,
    octets: AtomicUsize,
}

impl Relay {
    async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (to_server, to_client) = <(Arc<Counts>, Arc<Counts>)>::default();
        let counters = (to_server.clone(), to_client.clone());
        tokio::spawn(async move {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect(server).await.unwrap();
            server.set_nodelay(true).unwrap();
            client.set_nodelay(true).unwrap();
            let ((from_client, to_client), (from_server, to_server)) =
                (client.into_split(), server.into_split());
            tokio::join!(pass(from_client, to_server, counters.0), pass(from_server, to_client, counters.1));
        });
        Self { address, to_server, to_client }
    }

    /// The pieces and octets in each direction so far.
    fn counts(&self) -> [usize; 4] {
        let [there, back] = [&self.to_server, &self.to_client];
        [&there.pieces, &back.pieces, &there.octets, &back.octets].map(|count| count.load(Ordering::SeqCst))
    }
}

async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    counts: Arc<Counts>,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(octets @ 1..) = from.read(&mut buffer).await {
        counts.pieces.fetch_add(1, Ordering::SeqCst);
        counts.octets.fetch_add(octets, Ordering::SeqCst);
        if to.write_all(&buffer[..octets]).await.is_err() {
            return;
        }
    }
}

/// The pieces and octets in each direction that a number of requests take once a session is open.
async fn taken(requests: usize, server: SshOptions, client: SshOptions) -> [usize; 4] {
    let place = Place::new();
    let running =
        Running::start(place.server(SshServerOptions { ssh: server, ..server_options() }), limits());
    let relay = Relay::before(running.address).await;
    let mut stream = open(relay.address, &SshClient { options: client, ..place.client() }).await.unwrap();
    ask(&mut stream, b"the first").await;
    let before = relay.counts();
    for _ in 0..requests {
        ask(&mut stream, &[7; 80]).await;
    }
    let after = relay.counts();
    std::array::from_fn(|n| after[n] - before[n])
}

#[tokio::test]
async fn a_request_is_a_packet_each_way() {
    let [there, back, octets_there, octets_back] =
        taken(500, SshOptions::default(), SshOptions::default()).await;
    assert_eq!((there, back), (500, 500));
    // Each is one SSH packet: the message, its framing and the MAC, no more.
    assert_eq!(octets_there, octets_back);
    assert!(octets_there <= 500 * (84 + 9 + 4 + 1 + 16 + 16 + 4), "{octets_there}");
}

/// Updates may be sent in one piece with an answer, so the octets are counted instead.
#[tokio::test]
async fn window_updates_each_time_are_additional_packets() {
    let each_time = SshOptions { window_updates: WindowUpdates::EachTime, ..SshOptions::default() };
    let [_, _, there, back] = taken(200, SshOptions::default(), SshOptions::default()).await;
    let [_, _, _, from_server] = taken(200, each_time.clone(), SshOptions::default()).await;
    assert!(from_server >= back + 200 * SMALLEST_PACKET, "the server's updates: {from_server} for {back}");
    let [_, _, from_client, _] = taken(200, SshOptions::default(), each_time).await;
    assert!(from_client >= there + 200 * SMALLEST_PACKET, "the client's updates: {from_client} for {there}");
}

/// A length, a block and a MAC.
const SMALLEST_PACKET: usize = 4 + 16 + 16;

/// A client that accepts any host.
struct Anything;

impl Handler for Anything {
    type Error = russh::Error;

    async fn check_server_key(&mut self, _: &PublicKeyOrCertificate) -> Result<bool, russh::Error> {
        Ok(true)
    }
}

async fn anything(address: SocketAddr, place: &Place) -> russh::client::Handle<Anything> {
    let mut session = connect(Arc::new(Config::default()), address, Anything).await.unwrap();
    let key = Arc::new(load_secret_key(place.path("alice_ed25519"), None).unwrap());
    let result = session.authenticate_publickey("alice", PrivateKeyWithHashAlg::new(key, None)).await;
    assert!(result.unwrap().success());
    session
}

/// The server's reply to the last request.
async fn verdict(channel: &mut Channel<russh::client::Msg>) -> bool {
    loop {
        match channel.wait().await.unwrap() {
            ChannelMsg::Success => return true,
            ChannelMsg::Failure => return false,
            _ => {}
        }
    }
}

#[tokio::test]
async fn several_channels_are_separate_sessions() {
    let place = Place::new();
    let options = SshServerOptions { max_channels: 3, ..server_options() };
    let running = Running::start(place.server(options), limits());
    let session = anything(running.address, &place).await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut channel = session.channel_open_session().await.unwrap();
        channel.request_subsystem(true, "snmp").await.unwrap();
        assert!(verdict(&mut channel).await);
        streams.push(channel.into_stream());
    }
    assert!(session.channel_open_session().await.is_err(), "more than allowed");
    // Half a message in one channel does not affect the others.
    streams[0].write_all(&message(b"slow")[..5]).await.unwrap();
    for (n, stream) in streams.iter_mut().enumerate().skip(1) {
        stream.write_all(&message(&[n as u8; 5000])).await.unwrap();
        assert_eq!(read_message(stream).await.unwrap(), [n as u8; 5000]);
    }
    streams[0].write_all(&message(b"slow")[5..]).await.unwrap();
    assert_eq!(read_message(&mut streams[0]).await.unwrap(), b"slow");
    // The one that broke the rules is closed, and its place is free; the others continue.
    streams[1].write_all(&[0; 4]).await.unwrap();
    assert_eq!(streams[1].read(&mut [0; 1]).await.unwrap(), 0);
    streams[2].write_all(&message(b"still here")).await.unwrap();
    assert_eq!(read_message(&mut streams[2]).await.unwrap(), b"still here");
    assert!(session.channel_open_session().await.is_ok());
}

#[tokio::test]
async fn there_is_nothing_but_the_subsystem() {
    let place = Place::new();
    let (address, task) = one(place.server(server_options())).await;
    let session = anything(address, &place).await;
    let mut channel = session.channel_open_session().await.unwrap();
    channel.request_shell(true).await.unwrap();
    assert!(!verdict(&mut channel).await);
    channel.exec(true, "id").await.unwrap();
    assert!(!verdict(&mut channel).await);
    channel.request_pty(true, "vt100", 80, 24, 0, 0, &[]).await.unwrap();
    // Granted and without effect: OpenSSH's `-tt` gives up otherwise.
    assert!(verdict(&mut channel).await);
    channel.agent_forward(true).await.unwrap();
    assert!(!verdict(&mut channel).await);
    channel.set_env(true, "LANG", "C").await.unwrap();
    assert!(!verdict(&mut channel).await);
    assert!(session.tcpip_forward("127.0.0.1", 0).await.is_err());
    assert!(session.channel_open_direct_tcpip("127.0.0.1", 22, "127.0.0.1", 1).await.is_err());
    assert!(session.channel_open_direct_streamlocal("/run/any").await.is_err());
    channel.request_subsystem(true, "sftp").await.unwrap();
    assert!(!verdict(&mut channel).await);
    drop((channel, session));
    let SshFault::NotOffered { user, wanted, served } = fault(task).await else { unreachable!() };
    assert_eq!((user.as_str(), wanted.as_str()), ("alice", "the subsystem `sftp`"));
    assert_eq!(served, "snmp");
}

#[tokio::test]
async fn a_peer_that_requests_nothing_is_reported() {
    let place = Place::new();
    let (address, task) = one(place.server(server_options())).await;
    drop(anything(address, &place).await);
    assert!(matches!(fault(task).await, SshFault::NoSubsystem { user } if user == "alice"));
}

#[tokio::test]
async fn a_peer_that_sends_and_never_reads_is_bounded() {
    let place = Place::new();
    let short = std::time::Duration::from_millis(200);
    let limits = TcpLimits { write_time: short, message_time: short, ..limits() };
    let running = Running::start(place.server(server_options()), limits);
    let mut stream = running.open(&place.client()).await.unwrap();
    // 64 MiB of requests, no answer read: the server ends the session before they are through.
    let asked = message(&[7; 60_000]);
    let sending = tokio::spawn(async move {
        for _ in 0..1100 {
            if stream.write_all(&asked).await.is_err() {
                break;
            }
        }
        stream
    });
    let ended = async {
        while running.counters.read().open > 0 {
            tokio::task::yield_now().await;
        }
    };
    let ended = tokio::time::timeout(ssh_support::PATIENCE, ended).await;
    let counts = running.counters.read();
    assert!(ended.is_ok() && counts.received < 1100, "{counts:?}");
    sending.abort();
}
