//! The memory of waiting UDP servers. Alone in its program, because the figure covers the whole process.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::net::UdpSocket;
use std::thread;
use std::time::Duration;

use trunkline_transport::udp::{Datagram, ReplySlot, UdpBatch, UdpOptions};

fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn only_pages_touched_by_datagrams_are_resident() {
    let bind = || UdpBatch::bind("127.0.0.1:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    drop(bind()); // memory that was used before and given back must not count either
    let before = resident();
    let mut sockets: Vec<_> = (0..64).map(|_| bind()).collect();
    let each = resident().saturating_sub(before) / sockets.len();
    assert!(each < 128 << 10, "{each} octets resident for each waiting socket");

    let mut server = sockets.pop().unwrap();
    let (address, stop) = (server.local_addr(), server.stopper());
    let before = resident();
    let thread = thread::spawn(move || {
        let result = server.run(&mut |datagram: Datagram<'_>, slot: &mut ReplySlot| {
            slot.buffer().clear();
            slot.buffer().extend_from_slice(datagram.bytes);
            slot.send(0..datagram.bytes.len());
        });
        (server, result)
    });
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(address).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    for _ in 0..1000 {
        client.send(b"a request").unwrap();
        client.recv(&mut [0; 100]).unwrap();
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 1 << 20, "{grown} octets more after 1000 small requests");
    stop.stop();
    thread.join().unwrap().1.unwrap();
}
