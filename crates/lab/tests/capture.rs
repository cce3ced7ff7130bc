//! The IP level that the meters compute, against tcpdump's captures on the same link: UDP on the loopback, UDP in
//! fragments on a virtual Ethernet of 1500 octets, TCP with its acknowledgements.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod tcpdump;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use tcpdump::{Capture, Packet};
use trunkline_lab::meter::ip::{IpCount, IpVersion, datagram};
use trunkline_lab::meter::tcp::TcpMeter;
use trunkline_lab::place::Namespace;
use trunkline_testkit::leave_out;

/// Octets of messages: the minimum, some from the paper's columns, and the largest that UDP carries.
const SIZES: [usize; 7] = [1, 43, 88, 1472, 1473, 6010, 65_507];

fn counted(packets: &[Packet]) -> IpCount {
    let octets = packets.iter().map(|packet| packet.ip_octets).sum();
    IpCount { packets: packets.len() as u64, octets }
}

#[test]
fn udp_on_the_loopback_is_as_captured() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let Some(capture) = Capture::start("lo", &format!("udp port {}", address.port())) else { return };
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut buffer = vec![0; 70_000];
    let mut expected = IpCount::default();
    for size in SIZES {
        client.send_to(&vec![7; size], address).unwrap();
        let (received, from) = server.recv_from(&mut buffer).unwrap();
        server.send_to(&buffer[..received], from).unwrap();
        client.recv_from(&mut buffer).unwrap();
        for _direction in 0..2 {
            expected = expected + datagram(IpVersion::V4, size as u64, 65_536);
        }
    }
    let packets = capture.until(|packets| packets.len() >= 2 * SIZES.len());
    assert_eq!(counted(&packets), expected);
    // the paper's 56 octets per interaction (section IV.H)
    let messages: usize = SIZES.iter().sum();
    assert_eq!(expected.octets, 2 * messages as u64 + 56 * SIZES.len() as u64);
}

#[test]
fn fragments_on_ethernet_are_as_captured() {
    // The fourth interface besides the loopback has Ethernet's MTU.
    let namespace = match Namespace::make(5, 1) {
        Ok(namespace) => namespace,
        Err(error) => return leave_out(format_args!("no network namespace here ({error})")),
    };
    // This test's thread moves inside for good: it ends with the test.
    namespace.enter().unwrap();
    let Some(capture) = Capture::start("lab3", "udp and src host 10.64.0.13") else { return };
    let client = UdpSocket::bind("10.64.0.13:0").unwrap();
    let expected = SIZES
        .iter()
        .map(|&size| {
            client.send_to(&vec![7; size], "10.64.0.14:9").unwrap();
            datagram(IpVersion::V4, size as u64, 1500)
        })
        .fold(IpCount::default(), |sum, count| sum + count);
    let packets = capture.until(|packets| packets.len() as u64 >= expected.packets);
    assert_eq!(counted(&packets), expected);
    assert!(expected.packets > 50, "nothing was cut: {expected:?}");
}

#[test]
fn tcp_segments_are_as_captured() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let Some(capture) = Capture::start("lo", &format!("tcp port {}", address.port())) else { return };
    let mut client = TcpStream::connect(address).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    let ours = TcpMeter::new(address).unwrap();
    let theirs = TcpMeter::new(client.local_addr().unwrap()).unwrap();
    let before = ours.read().unwrap();
    for round in 0..30 {
        let (request, response) = (43 + round, 20 * (round + 1) * (round + 1));
        exchange(&mut client, &mut server, request);
        exchange(&mut server, &mut client, response);
    }
    wait_until_quiet(&ours, &theirs);
    let delta = ours.read().unwrap().since(&before);
    let segments = delta.segments_out + delta.segments_in;
    let packets = capture.until(|packets| packets.len() as u64 >= HANDSHAKE as u64 + segments);
    let (handshake, conversation) = packets.split_at(HANDSHAKE);
    assert!(handshake[0].from == client.local_addr().unwrap().port());
    assert_eq!(counted(conversation), IpCount { packets: segments, octets: delta.ip_octets() }, "{delta:?}");
    let out = conversation.iter().filter(|packet| packet.from != address.port()).count();
    assert_eq!(out as u64, delta.segments_out);
}

/// SYN, SYN and ACK, ACK.
const HANDSHAKE: usize = 3;

fn exchange(from: &mut TcpStream, to: &mut TcpStream, octets: usize) {
    let mut buffer = vec![0; octets];
    from.write_all(&buffer).unwrap();
    to.read_exact(&mut buffer).unwrap();
}

/// Waits until each end has acknowledged everything: a delayed acknowledgement would be counted on one side of the
/// reading only.
fn wait_until_quiet(one: &TcpMeter, other: &TcpMeter) {
    let deadline = Instant::now() + Duration::from_secs(10);
    let quiet = |meter: &TcpMeter| meter.read().unwrap().unacknowledged == 0;
    while !(quiet(one) && quiet(other)) {
        assert!(Instant::now() < deadline, "the connection does not become quiet");
        std::thread::yield_now();
    }
}

#[test]
fn a_capture_file_is_read_as_written() {
    // One UDP packet of 2 octets from port 5 to port 6, Ethernet, microseconds, little-endian.
    let mut file = Vec::new();
    file.extend(0xa1b2_c3d4u32.to_le_bytes());
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0]);
    file.extend(1u32.to_le_bytes());
    let mut packet = vec![0; 12];
    packet.extend([8, 0]);
    packet.extend([0x45, 0, 0, 30, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
    packet.extend([0, 5, 0, 6, 0, 10, 0, 0, 1, 2]);
    file.extend([0; 8]);
    file.extend((packet.len() as u32).to_le_bytes());
    file.extend((packet.len() as u32).to_le_bytes());
    file.extend(packet);
    let packets = tcpdump::read(&file);
    let (host, time) = ([127, 0, 0, 1], 0);
    let (from_host, to_host, id, is_first, flags, sequence) = (host, host, 0, true, 0, 0);
    let udp = 17;
    let (ip_octets, protocol, from, to) = (30, udp, 5, 6);
    let packet =
        Packet { time, ip_octets, protocol, from_host, to_host, id, is_first, from, to, flags, sequence };
    assert_eq!(packets, [packet]);
    // A packet that tcpdump has not written completely yet is ignored.
    assert!(tcpdump::read(&file[..file.len() - 1]).is_empty());
}
