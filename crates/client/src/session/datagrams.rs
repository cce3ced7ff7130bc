//! The task of a session over datagrams.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use tokio::sync::mpsc;
use tokio::time::sleep_until;
use trunkline_transport::dial::DatagramLink;

use super::keys::{Keys, take_keys};
use super::{Command, Reply, Shared, now, reply, socket_error};
use crate::error::Error;
use crate::exchange::{Exchanges, Handled, Response};

/// Carries requests and answers until the last handle is gone.
pub(super) async fn drive(
    link: DatagramLink,
    mut commands: mpsc::UnboundedReceiver<Command>,
    mut exchanges: Exchanges<Reply>,
    shared: Arc<Shared>,
) {
    let mut buffer = Vec::new();
    let mut failures = 0;
    let mut keys = Keys::default();
    loop {
        give_up(&mut exchanges, &shared);
        send_all(&link, &mut exchanges, &shared).await;
        keys.begin(&mut exchanges);
        let deadline = exchanges.next_deadline();
        tokio::select! {
            received = link.recv(&mut buffer) => match received {
                Ok(()) => {
                    failures = 0;
                    take(&buffer, &mut exchanges, &shared);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => reply(exchanges.handle_refusal()),
                Err(error) => {
                    // News about the path; whether answers come the clock will tell.
                    // A socket that has only errors left is dead.
                    failures += 1;
                    if failures > MAX_FAILURES || error.kind() == io::ErrorKind::UnexpectedEof {
                        return reply(exchanges.fail_all(&socket_error("receiving answers", error)));
                    }
                }
            },
            made = keys.made() => take_keys(made, &mut exchanges),
            command = commands.recv() => match command {
                Some(command) => command.give_to(&mut exchanges),
                None => return,
            },
            () = async { sleep_until(deadline.unwrap_or_else(now).into()).await }, if deadline.is_some() => {}
        }
    }
}

/// Ends the requests whose time is over, and forgets those nobody waits for.
pub(super) fn give_up(exchanges: &mut Exchanges<Reply>, shared: &Shared) {
    let now = now();
    if exchanges.next_deadline().is_none_or(|deadline| deadline > now) {
        return;
    }
    exchanges.forget(Reply::is_closed);
    let given_up = exchanges.handle_time(now);
    shared.counters.timeouts.fetch_add(given_up.len() as u64, Relaxed);
    reply(given_up);
}

/// Takes in a message of the agent.
pub(super) fn take(octets: &[u8], exchanges: &mut Exchanges<Reply>, shared: &Shared) {
    shared.received(octets);
    match exchanges.handle_message(now(), octets) {
        Handled::Answer(reply, answer) => {
            if answer.is_err() {
                shared.counters.lies.fetch_add(1, Relaxed);
            }
            let _ = reply.send(answer);
        }
        Handled::Noted => drop(shared.counters.reports.fetch_add(1, Relaxed)),
        Handled::Ignored(stray) => shared.counters.stray(stray),
    }
}

async fn send_all(link: &DatagramLink, exchanges: &mut Exchanges<Reply>, shared: &Shared) {
    while let Some((octets, reply)) = exchanges.poll_tell() {
        shared.sent(&octets);
        let mut sent = link.send(&octets).await;
        if matches!(&sent, Err(error) if error.kind() == io::ErrorKind::ConnectionRefused) {
            sent = link.send(&octets).await; // the error was about an earlier datagram
        }
        let told = sent.map(|()| Response::of_told(octets.len()));
        let _ = reply.send(told.map_err(|error| socket_error("sending a message", error)));
    }
    let mut refused = false;
    while let Some((id, octets)) = exchanges.poll_send(now()) {
        shared.sent(octets);
        let mut sent = link.send(octets).await;
        if matches!(&sent, Err(error) if error.kind() == io::ErrorKind::ConnectionRefused) {
            // The error is about an earlier datagram; this one did not go out.
            refused = true;
            sent = link.send(octets).await;
        }
        match sent {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(error) => fail(id, error, exchanges),
        }
    }
    if refused {
        reply(exchanges.handle_refusal());
    }
}

fn fail(id: i32, error: io::Error, exchanges: &mut Exchanges<Reply>) {
    let error: Error = socket_error("sending a request", error);
    reply(exchanges.fail(id, &error));
}

const MAX_FAILURES: u32 = 100;
