//! The batched UDP server over real loopback sockets.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use trunkline_transport::echo::Echo;
use trunkline_transport::load::{UdpLoad, Until};
use trunkline_transport::udp::{
    Datagram, DatagramHandler, MAX_DATAGRAM, ReplySlot, UdpBatch, UdpClient, UdpClientOptions, UdpCounters,
    UdpOptions, UdpStop,
};
use trunkline_transport::{ListenUrl, Transport, TransportError};

/// A server on a thread, stopped and joined on drop.
struct Running {
    address: SocketAddr,
    counters: Arc<UdpCounters>,
    stop: UdpStop,
    thread: Option<JoinHandle<Result<(), TransportError>>>,
}

impl Running {
    fn start(address: &str, mut handler: impl DatagramHandler + Send + 'static) -> Self {
        let mut server = UdpBatch::bind(address.parse().unwrap(), &UdpOptions::default()).unwrap();
        let (address, counters, stop) = (server.local_addr(), server.counters(), server.stopper());
        let thread = Some(thread::spawn(move || server.run(&mut handler)));
        Self { address, counters, stop, thread }
    }

    fn client(&self) -> UdpSocket {
        client_of(self.address)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap().unwrap();
    }
}

fn client_of(mut server: SocketAddr) -> UdpSocket {
    if server.ip().is_unspecified() {
        server.set_ip(if server.is_ipv4() {
            [127, 0, 0, 1].into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        });
    }
    let any = if server.is_ipv4() { "127.0.0.1:0" } else { "[::1]:0" };
    let socket = UdpSocket::bind(any).unwrap();
    socket.connect(server).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket
}

fn echo(datagram: Datagram<'_>, reply: &mut ReplySlot) {
    let buffer = reply.buffer();
    buffer.clear();
    buffer.extend_from_slice(b"##");
    buffer.extend_from_slice(datagram.bytes);
    let end = buffer.len();
    reply.send(2..end);
}

fn ask(client: &UdpSocket, message: &[u8]) -> Vec<u8> {
    client.send(message).unwrap();
    let mut buffer = vec![0; 65_535];
    let len = client.recv(&mut buffer).unwrap();
    buffer.truncate(len);
    buffer
}

#[test]
fn answers_over_both_address_families_and_every_kind_of_bind() {
    for address in ["127.0.0.1:0", "[::1]:0", "0.0.0.0:0", "[::]:0"] {
        let server = Running::start(address, echo);
        assert_eq!(ask(&server.client(), b"hello"), b"hello", "{address}");
        let counts = server.counters.read();
        assert_eq!((counts.received, counts.received_octets), (1, 5), "{address}");
    }
}

#[test]
fn the_answer_leaves_from_the_requested_address() {
    let server = Running::start("0.0.0.0:0", echo);
    // A connected socket accepts answers from exactly this address only.
    for ip in [[127, 0, 0, 1], [127, 0, 0, 2], [127, 77, 3, 9]] {
        let client = client_of(SocketAddr::new(ip.into(), server.address.port()));
        assert_eq!(ask(&client, &ip), ip);
    }
}

#[test]
fn the_handler_gets_the_requested_address() {
    let (told, heard) = std::sync::mpsc::channel();
    let server = Running::start("0.0.0.0:0", move |datagram: Datagram<'_>, reply: &mut ReplySlot| {
        told.send((datagram.local.address, datagram.local.interface)).unwrap();
        echo(datagram, reply);
    });
    ask(&client_of(SocketAddr::new([127, 5, 5, 5].into(), server.address.port())), b"x");
    let (address, interface) = heard.recv().unwrap();
    assert_eq!(address, Some([127, 5, 5, 5].into()));
    assert_ne!(interface, 0);
}

#[test]
fn both_wildcards_share_a_port() {
    let v6 = UdpBatch::bind("[::]:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    let port = v6.local_addr().port();
    UdpBatch::bind(SocketAddr::new([0, 0, 0, 0].into(), port), &UdpOptions::default()).unwrap();
}

#[test]
fn a_taken_port_is_an_error_that_names_it() {
    let first = UdpBatch::bind("127.0.0.1:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    let address = first.local_addr();
    let Err(error) = UdpBatch::bind(address, &UdpOptions::default()) else { panic!("bound twice") };
    let url = ListenUrl::bound(Transport::Udp, address).to_string();
    assert!(error.to_string().contains(&url), "{error}");
}

#[test]
fn the_largest_datagram_goes_both_ways() {
    let server = Running::start("127.0.0.1:0", echo);
    let client = server.client();
    let message: Vec<u8> = (0..65_507u32).map(|i| i as u8).collect();
    assert!(ask(&client, &message) == message);
    assert_eq!(ask(&client, b""), b"");
}

#[test]
fn an_answer_too_long_for_a_datagram_is_counted_and_the_rest_goes_on() {
    let server = Running::start("127.0.0.1:0", |datagram: Datagram<'_>, reply: &mut ReplySlot| {
        if datagram.bytes == b"big" {
            reply.buffer().resize(70_000, 0);
            reply.send(0..70_000);
        } else {
            echo(datagram, reply);
        }
    });
    let client = server.client();
    client.send(b"big").unwrap();
    assert_eq!(ask(&client, b"small"), b"small");
    assert_eq!(server.counters.read().too_long, 1);
}

#[test]
fn a_panic_costs_one_answer() {
    let server = Running::start("127.0.0.1:0", |datagram: Datagram<'_>, reply: &mut ReplySlot| {
        assert_ne!(datagram.bytes, b"bomb", "provoked by the test");
        echo(datagram, reply);
    });
    let client = server.client();
    client.send(b"bomb").unwrap();
    assert_eq!(ask(&client, b"ok"), b"ok");
    assert_eq!(server.counters.read().panics, 1);
}

#[test]
fn a_silent_handler_and_a_range_outside_the_buffer_send_nothing() {
    let server =
        Running::start("127.0.0.1:0", |datagram: Datagram<'_>, reply: &mut ReplySlot| match datagram.bytes {
            b"silent" => {}
            b"outside" => reply.send(0..100_000),
            _ => echo(datagram, reply),
        });
    let client = server.client();
    client.send(b"silent").unwrap();
    client.send(b"outside").unwrap();
    assert_eq!(ask(&client, b"loud"), b"loud");
    assert_eq!(server.counters.read().received, 3);
}

#[test]
fn a_later_answer_from_another_thread_leaves_from_the_requested_address() {
    for bind in ["0.0.0.0:0", "127.0.0.9:0", "[::]:0"] {
        let mut server = UdpBatch::bind(bind.parse().unwrap(), &UdpOptions::default()).unwrap();
        let (mut address, stop, handle) = (server.local_addr(), server.stopper(), server.reply_handle());
        if bind == "0.0.0.0:0" {
            address.set_ip([127, 0, 0, 9].into());
        }
        let (told, heard) = std::sync::mpsc::channel();
        let slow = thread::spawn(move || {
            let (to, bytes): (_, Vec<u8>) = heard.recv().unwrap();
            handle.send(&to, &bytes).unwrap();
        });
        let receiver = thread::spawn(move || {
            server.run(&mut |datagram: Datagram<'_>, _: &mut ReplySlot| {
                told.send((datagram.reply_to(), datagram.bytes.to_vec())).unwrap();
            })
        });
        assert_eq!(ask(&client_of(address), b"later"), b"later", "{bind}");
        slow.join().unwrap();
        stop.stop();
        receiver.join().unwrap().unwrap();
    }
}

#[test]
fn the_load_generator_counts_what_the_echo_answers() {
    let server = Echo::bind("127.0.0.1:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    let (target, stop) = (server.local_addr(), server.stopper());
    let thread = thread::spawn(move || server.run(300));
    let load = UdpLoad { target, window: 32, until: Until::Answered(2_000), timeout: Duration::from_secs(5) };
    let report = load
        .run(
            |number, message| message.extend_from_slice(&number.to_be_bytes()),
            |answer| (answer.len() == 300).then(|| u32::from_be_bytes(answer[..4].try_into().unwrap())),
        )
        .unwrap();
    assert!(report.completed >= 2_000 && report.completed < 2_032, "{report:?}");
    assert_eq!((report.lost, report.rejected), (0, 0));
    assert_eq!(report.received_octets, report.completed * 300);
    stop.stop();
    thread.join().unwrap().unwrap();
}

#[test]
fn the_load_generator_resends_for_what_is_lost() {
    let mut seen = 0u32;
    let server = Running::start("127.0.0.1:0", move |datagram: Datagram<'_>, reply: &mut ReplySlot| {
        seen += 1;
        if !seen.is_multiple_of(10) {
            echo(datagram, reply);
        }
    });
    let load = UdpLoad {
        target: server.address,
        window: 4,
        until: Until::Answered(100),
        timeout: Duration::from_millis(20),
    };
    let report = load
        .run(
            |number, message| message.extend_from_slice(&number.to_be_bytes()),
            |answer| Some(u32::from_be_bytes(answer.try_into().unwrap())),
        )
        .unwrap();
    assert!(report.completed >= 100 && report.lost >= 8, "{report:?}");
}

/// One socket asks many addresses of one server; each answer comes from the address that was asked.
#[test]
fn a_client_asks_many_peers_over_one_socket() {
    let server = Running::start("0.0.0.0:0", echo);
    for stamps in [false, true] {
        let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let mut client = UdpClient::open(false, &UdpClientOptions { stamps, ..Default::default() }).unwrap();
        let peers: Vec<SocketAddr> =
            (1..=50).map(|last| SocketAddr::from(([127, 9, 8, last], server.address.port()))).collect();
        let messages: Vec<[u8; 4]> = (1..=50_u32).map(u32::to_be_bytes).collect();
        let batch = peers.iter().zip(&messages).map(|(peer, octets)| (*peer, &octets[..]));
        assert_eq!(client.send(batch, |error| panic!("{error}")), 50);
        let mut seen = Vec::new();
        while seen.len() < 50 {
            client.wait(Duration::from_secs(10)).unwrap();
            assert!(client.receive().unwrap() > 0, "nothing arrived");
            for arrived in client.arrived() {
                let number = usize::from(arrived.bytes[3]);
                assert_eq!((arrived.bytes.len(), arrived.peer), (4, peers[number - 1]));
                assert_eq!(arrived.stamp.is_some(), stamps);
                assert!(arrived.stamp.is_none_or(|stamp| stamp >= before));
                seen.push(number);
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (1..=50).collect::<Vec<_>>());
        assert_eq!((client.receive().unwrap(), client.arrived().count()), (0, 0));
        assert_eq!(client.dropped().unwrap(), 0);
    }
}

/// Datagrams that are sent whole arrive, and one that is too long takes none of the others with it, then or later.
#[test]
fn what_is_too_long_to_be_sent_whole_is_refused_alone() {
    let options = UdpClientOptions { whole: true, ..Default::default() };
    let mut client = UdpClient::open(false, &options).unwrap();
    let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (to, long) = (peer.local_addr().unwrap(), vec![0; MAX_DATAGRAM]);
    let mut refused = 0;
    let batches: [&[&[u8]]; 3] = [&[b"first"], &[b"second", &long, b"third"], &[b"fourth"]];
    for messages in batches {
        client.send(messages.iter().map(|octets| (to, *octets)), |_| refused += 1);
    }
    assert_eq!(refused, 1);
    let mut octets = [0; 16];
    let arrived = [(); 4].map(|()| peer.recv(&mut octets).map(|len| octets[..len].to_vec()).unwrap());
    assert_eq!(arrived, [&b"first"[..], b"second", b"third", b"fourth"]);
}

/// What does not fit the receive buffer is counted by the kernel.
#[test]
fn the_kernel_counts_what_a_full_buffer_drops() {
    let options = UdpOptions { receive_buffer: 4096, ..UdpOptions::default() };
    let server = UdpBatch::bind("127.0.0.1:0".parse().unwrap(), &options).unwrap();
    assert_eq!(server.drops().read().unwrap(), 0);
    let client = client_of(server.local_addr());
    for _ in 0..200 {
        client.send(&[0; 1000]).unwrap();
    }
    assert!(server.drops().read().unwrap() > 0);
}

#[test]
fn several_sockets_share_an_address() {
    let options = UdpOptions { shared: true, ..UdpOptions::default() };
    let first = UdpBatch::bind("127.0.0.1:0".parse().unwrap(), &options).unwrap();
    let second = UdpBatch::bind(first.local_addr(), &options).unwrap();
    assert_eq!(first.local_addr(), second.local_addr());
    assert!(UdpBatch::bind(first.local_addr(), &UdpOptions::default()).is_err());
}
