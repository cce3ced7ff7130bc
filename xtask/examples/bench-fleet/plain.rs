//! What plain sockets carry: one thread asks, one answers, with nothing but the system calls between them. A request and its
//! answer are as long as those of SNMP, and hold the number of the request.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_datagrams::mmsg::{self, Inbox, Outbox};

use crate::measured::Measured;
use crate::{PERIOD, SETTLE, address, cpu_of_thread, fail};

/// Octets of a Get of one object with the community `public`, and of its answer.
const LENGTH: usize = 44;
const BATCH: usize = 64;

/// Asks `agents` addresses once in each period.
pub fn measure(agents: u32, periods: u64) -> Measured {
    let server = socket();
    mmsg::ask_local(server.as_fd(), false).unwrap_or_else(|error| fail("ask for the local address", &error));
    let port = server.local_addr().unwrap_or_else(|error| fail("read the port", &error)).port();
    let stop = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&stop);
    let answering = thread::spawn(move || answer(&server, &theirs));
    let mut measured = ask(agents, periods, port);
    stop.store(true, Ordering::Relaxed);
    measured.answering_cpu = answering.join().unwrap_or_default();
    measured
}

fn socket() -> UdpSocket {
    let socket =
        UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap_or_else(|error| fail("open a socket", &error));
    // Without the right to it, the system's maximum has to do.
    let _ = mmsg::force_receive_buffer(socket.as_fd(), 64 << 20);
    let _ = mmsg::force_send_buffer(socket.as_fd(), 4 << 20);
    socket
}

fn inbox(wants_local: bool) -> Inbox {
    Inbox::new(BATCH, 2048, wants_local).unwrap_or_else(|error| fail("map memory", &error))
}

fn answer(server: &UdpSocket, stop: &AtomicBool) -> Duration {
    let _ = server.set_read_timeout(Some(Duration::from_millis(100)));
    let (mut inbox, mut outbox) = (inbox(true), Outbox::new(BATCH));
    let mut messages = [[0; LENGTH]; BATCH];
    while !stop.load(Ordering::Relaxed) {
        let Ok(count) = inbox.receive(server.as_fd()) else { continue };
        for (at, message) in messages.iter_mut().enumerate().take(count) {
            message.copy_from_slice(&inbox.bytes(at)[..LENGTH]);
        }
        let answers = messages[..count].iter().enumerate().map(|(at, message)| (at, &message[..]));
        outbox.send(server.as_fd(), Some(&mut inbox), answers, |error| fail("answer", &error));
    }
    cpu_of_thread()
}

fn ask(agents: u32, periods: u64, port: u16) -> Measured {
    let client = socket();
    let (mut inbox, mut outbox) = (inbox(false), Outbox::new(BATCH));
    let mut messages = [[0; LENGTH]; BATCH];
    let peers: Vec<SocketAddr> = (0..agents).map(|agent| address(agent, port)).collect();
    let all = u64::from(agents) * periods;
    let due = |number: u64| PERIOD.as_nanos() as u64 * number / u64::from(agents);
    let mut delays = Vec::with_capacity(all as usize);
    let (cpu, start) = (cpu_of_thread(), Instant::now());
    let (mut next, mut last) = (0, Duration::ZERO);
    while (delays.len() as u64) < all && start.elapsed() < last + SETTLE {
        let now = start.elapsed().as_nanos() as u64;
        let first = next;
        while next < all && due(next) <= now && next - first < BATCH as u64 {
            messages[(next - first) as usize][..8].copy_from_slice(&next.to_be_bytes());
            next += 1;
        }
        if next > first {
            last = start.elapsed();
            let batch = (first..next).zip(&messages);
            let batch =
                batch.map(|(number, message)| (peers[(number % u64::from(agents)) as usize], &message[..]));
            outbox.send_to(client.as_fd(), batch, |error| fail("ask", &error));
        }
        let count = inbox.receive_now(client.as_fd()).unwrap_or_else(|error| fail("receive", &error));
        let now = start.elapsed().as_nanos() as u64;
        for at in 0..count {
            let number = inbox.bytes(at).first_chunk().map_or(0, |number| u64::from_be_bytes(*number));
            let (agent, round) = (number % u64::from(agents), number / u64::from(agents));
            let delay = now.saturating_sub(due(number)) / 1000;
            delays.push((agent as u32, round as u32, delay as u32));
        }
        // As ours: what is due within so short a time goes out together.
        if count < BATCH && next - first < BATCH as u64 {
            thread::sleep(crate::GATHER);
        }
    }
    let asking_cpu = cpu_of_thread() - cpu;
    let (answering_cpu, took) = (Duration::ZERO, start.elapsed());
    Measured { agents, periods, delays, asking_cpu, answering_cpu, took, dropped: None }
}
