//! Those who would keep others out: half-open sessions, frames without an end, connections that are cut.

use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};

use trunkline_client::Transport;
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Message, Version};
use trunkline_testkit::has;

use super::manager::{Manager, get as ask, proved};
use super::s_client::{SClient, Way};
use super::support::{Agent, PATIENCE, bulk, connect, get, message, socket_to};
use super::world::{COMMUNITIES, MANAGER, World};

const NAME: &str = "1.3.6.1.2.1.1.5.0";

fn question() -> Message {
    message(Version::V2c, "public", get(&[NAME]))
}

#[test]
fn a_flood_of_half_open_sessions_keeps_nobody_out() {
    let world = World::usual();
    // A slow peer has so little time that the flood does not outlast the manager's patience.
    let limits = "[snmp.tcp]\nmax-handshakes = 16\nhandshake-timeout = \"3s\"\n";
    let agent = Agent::start(&world.config(COMMUNITIES, limits));
    for scheme in ["tls", "ssh"] {
        let place = agent.address(scheme);
        let mut flood: Vec<TcpStream> = (0..300).map(|_| connect(place)).collect();
        // Some send nothing, some start and do not continue.
        for stream in flood.iter_mut().step_by(3) {
            let beginning: &[u8] = if scheme == "tls" { &[22, 3, 1, 2, 0, 1] } else { b"SSH-2.0-" };
            let _ = stream.write_all(beginning);
        }
        // Others are answered meanwhile.
        assert!(matches!(agent.get(NAME), Bound::Value(Value::OctetString(_))));
        let secure = || Manager::new(&world, &world.manager(MANAGER)).secure();
        ask(&proved(Transport::Dtls, agent.address("dtls").port(), secure()), NAME).unwrap();
        // All of them are closed, and later connections are served.
        for stream in &mut flood {
            let _ = stream.read_to_end(&mut Vec::new());
        }
        ask(&proved(Transport::Tls, agent.address("tls").port(), secure()), NAME).unwrap();
    }
}

#[test]
fn a_giant_frame_ends_its_own_session_alone() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::usual();
    let agent = world.start();
    let own = world.manager(MANAGER);
    // A SEQUENCE of 4 GiB; of 16 MiB; invalid octets.
    for frame in
        [&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff][..], &[0x30, 0x84, 1, 0, 0, 0], b"GET / HTTP/1.1\r\n\r\n"]
    {
        for way in [Way::Tls12, Way::Tls13] {
            let open = || SClient::open(&world, Some(&own), way, agent.address("tls"));
            let (mut good, mut bad) = (open(), open());
            assert!(good.ask(&question()).is_some() && bad.ask(&question()).is_some());
            bad.send(frame);
            assert_eq!(bad.receive(), None, "{way:?} {frame:02x?}");
            assert!(good.ask(&question()).is_some(), "{way:?} {frame:02x?}");
        }
    }
    assert!(agent.resident() < 256 << 20);
}

#[test]
fn a_connection_cut_in_mid_message_loses_no_other_request() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::usual();
    let agent = world.start();
    let own = world.manager(MANAGER);
    let large = message(Version::V2c, "public", bulk(0, 100, &["1.3.6.1.2.1"]));
    for way in [Way::Tls12, Way::Tls13] {
        let open = || SClient::open(&world, Some(&own), way, agent.address("tls"));
        let (mut good, mut cut) = (open(), open());
        assert!(cut.ask(&question()).is_some());
        // Both have a long answer under way when one goes, in the middle of its next message.
        let octets = question().encode();
        cut.send(&[&large.encode(), &octets[..octets.len() / 2]].concat());
        good.send(&large.encode());
        cut.cut();
        let answer = good.receive().expect("an answer");
        assert!(answer.pdu.bindings.len() > 50, "{way:?}");
        assert!(good.ask(&question()).is_some(), "{way:?}");
    }
}

#[test]
fn a_message_that_does_not_end_is_not_waited_for() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::usual();
    let agent = Agent::start(&world.config(COMMUNITIES, "[snmp.tcp]\nmessage-timeout = \"1s\"\n"));
    let own = world.manager(MANAGER);
    let octets = question().encode();
    for way in [Way::Tls12, Way::Tls13] {
        let open = || SClient::open(&world, Some(&own), way, agent.address("tls"));
        let (mut good, mut slow) = (open(), open());
        assert!(good.ask(&question()).is_some() && slow.ask(&question()).is_some());
        slow.send(&octets[..octets.len() - 1]);
        assert_eq!(slow.receive(), None, "{way:?}");
        // A peer that is silent between messages is not slow.
        assert!(good.ask(&question()).is_some(), "{way:?}");
    }
}

#[test]
fn a_peer_that_does_not_return_its_cookie_costs_nothing() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::usual();
    let agent = world.start();
    // The first octets of an honest client, which a socket of ours receives.
    let ear = UdpSocket::bind("127.0.0.1:0").unwrap();
    ear.set_read_timeout(Some(PATIENCE)).unwrap();
    let client = SClient::open(&world, None, Way::Dtls, ear.local_addr().unwrap());
    let mut octets = vec![0; 2048];
    let length = ear.recv(&mut octets).unwrap();
    octets.truncate(length);
    drop(client);
    for _ in 0..300 {
        let socket = socket_to(agent.address("dtls"));
        socket.send(&octets).unwrap();
        let mut answer = [0; 2048];
        let answered = socket.recv(&mut answer).unwrap();
        // HelloVerifyRequest, and shorter than what it answers: nobody is flooded by it.
        assert_eq!((answer[0], answer[13]), (22, 3));
        assert!(answered < length, "{answered} octets for {length}");
    }
    let counted = agent.counted("dtls");
    assert_eq!(
        (counted["without_cookie"], counted["handshakes"], counted["open"]),
        (300, 0, 0),
        "{counted:?}"
    );
    let secure = Manager::new(&world, &world.manager(MANAGER)).secure();
    ask(&proved(Transport::Dtls, agent.address("dtls").port(), secure), NAME).unwrap();
}
