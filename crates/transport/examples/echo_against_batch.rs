//! How close the batched server with a handler comes to the bare echo, over alternating rounds: `cargo run
//! --release -p trunkline-transport --example echo_against_batch`. The full benchmark is `cargo xtask bench
//! agent`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program")]

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use trunkline_transport::echo::Echo;
use trunkline_transport::load::{UdpLoad, Until};
use trunkline_transport::udp::{Datagram, ReplySlot, UdpBatch, UdpOptions};

const REQUEST: usize = 43;

fn rate(target: SocketAddr, window: u32, reply: usize) -> f64 {
    let until = Until::Elapsed(Duration::from_millis(700));
    let load = UdpLoad { target, window, until, timeout: Duration::from_millis(500) };
    let request = |number: u32, message: &mut Vec<u8>| {
        message.extend_from_slice(&number.to_be_bytes());
        message.resize(REQUEST, 0);
    };
    let answered = |answer: &[u8]| {
        (answer.len() == reply).then(|| u32::from_be_bytes([answer[0], answer[1], answer[2], answer[3]]))
    };
    load.run(request, answered).unwrap().rate()
}

fn bare(window: u32, reply: usize) -> f64 {
    let server = Echo::bind("127.0.0.1:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    let (target, stop) = (server.local_addr(), server.stopper());
    let thread = thread::spawn(move || server.run(reply));
    let rate = rate(target, window, reply);
    stop.stop();
    thread.join().unwrap().unwrap();
    rate
}

fn batched(bind: &str, window: u32, reply: usize) -> f64 {
    let mut server = UdpBatch::bind(bind.parse().unwrap(), &UdpOptions::default()).unwrap();
    let mut target = server.local_addr();
    target.set_ip([127, 0, 0, 1].into());
    let stop = server.stopper();
    let thread = thread::spawn(move || {
        server.run(&mut |datagram: Datagram<'_>, slot: &mut ReplySlot| {
            let buffer = slot.buffer();
            buffer.resize(reply, 0);
            buffer[..REQUEST].copy_from_slice(datagram.bytes);
            slot.send(0..reply);
        })
    });
    let rate = rate(target, window, reply);
    stop.stop();
    thread.join().unwrap().unwrap();
    rate
}

fn main() {
    for (window, reply) in [(32, 45), (8, 1400)] {
        for _ in 0..5 {
            let limit = bare(window, reply);
            let specific = batched("127.0.0.1:0", window, reply) / limit;
            let wildcard = batched("0.0.0.0:0", window, reply) / limit;
            println!(
                "window {window:2}, answers of {reply:4}: echo {limit:8.0}/s, specific {specific:.2}, wildcard {wildcard:.2}"
            );
        }
    }
}
