//! The task of a session over UDP: one socket for the session's lifetime.

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
        if let Err(error) = send_all(&link, &mut exchanges, &shared).await {
            return reply(exchanges.fail_all(&socket_error("sending a request", error)));
        }
        keys.begin(&mut exchanges);
        let deadline = exchanges.next_deadline();
        tokio::select! {
            received = link.recv(&mut buffer) => match received {
                Ok(()) => {
                    failures = 0;
                    let _ = take(&buffer, &mut exchanges, &shared);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => take_refusal(&mut exchanges, &shared),
                Err(error) => {
                    // An error of the path; time-outs decide whether answers still arrive. A socket that returns
                    // only errors is dead.
                    failures += 1;
                    if failures > MAX_FAILURES || error.kind() == io::ErrorKind::UnexpectedEof {
                        return reply(exchanges.fail_all(&socket_error("receiving answers", error)));
                    }
                }
            },
            made = keys.made() => take_keys(made, &mut exchanges, &shared),
            command = commands.recv() => {
                if command.and_then(|command| command.give_to(&mut exchanges)).is_none() {
                    return;
                }
            },
            () = async { sleep_until(deadline.unwrap_or_else(now).into()).await }, if deadline.is_some() => {}
        }
    }
}

/// Ends the requests whose time is over, and forgets those whose callers are gone. Returns how many ended without
/// an answer.
pub(super) fn give_up(exchanges: &mut Exchanges<Reply>, shared: &Shared) -> usize {
    let now = now();
    if exchanges.next_deadline().is_none_or(|deadline| deadline > now) {
        return 0;
    }
    exchanges.forget(Reply::is_closed);
    let given_up = exchanges.handle_time(now);
    let count = given_up.len();
    shared.counters.timeouts.fetch_add(count as u64, Relaxed);
    reply(given_up);
    count
}

/// Handles a message of the agent; false if it is of no use.
pub(super) fn take(octets: &[u8], exchanges: &mut Exchanges<Reply>, shared: &Shared) -> bool {
    shared.received(octets);
    match exchanges.handle_message(now(), octets) {
        Handled::Answer(reply, answer) => {
            if answer.is_err() {
                shared.counters.lies.fetch_add(1, Relaxed);
            }
            let _ = reply.send(answer);
        }
        Handled::Noted => drop(shared.counters.reports.fetch_add(1, Relaxed)),
        Handled::Ignored(stray) => {
            shared.counters.stray(stray);
            return false;
        }
    }
    true
}

/// Sends everything that is due.
///
/// # Errors
/// The link has failed for good; unsent messages are still queued.
pub(super) async fn send_all(
    link: &DatagramLink,
    exchanges: &mut Exchanges<Reply>,
    shared: &Shared,
) -> io::Result<()> {
    while let Some((octets, reply)) = exchanges.poll_tell() {
        shared.sent(&octets);
        let sent = send(link, &octets).await;
        let told = sent.map(|_| Response::of_told(octets.len()));
        let _ = reply.send(told.map_err(|error| socket_error("sending a message", error)));
    }
    let mut refused = false;
    while let Some((id, octets)) = exchanges.poll_send(now()) {
        shared.sent(octets);
        match send(link, octets).await {
            Ok(was_refused) => refused |= was_refused,
            // Another socket may have a route where this one no longer has.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe || exchanges.endures() => {
                return Err(error);
            }
            Err(error) => {
                let error = socket_error("sending a request", error);
                reply(exchanges.handle_failure(id, now(), &error));
            }
        }
    }
    if refused {
        take_refusal(exchanges, shared);
    }
    Ok(())
}

/// The host reports that the port is closed.
pub(super) fn take_refusal(exchanges: &mut Exchanges<Reply>, shared: &Shared) {
    shared.watch(|watch| watch.failed(&Error::Unreachable { attempts: 1 }));
    reply(exchanges.handle_refusal());
}

/// Sends one message; returns whether the host has refused one.
async fn send(link: &DatagramLink, octets: &[u8]) -> io::Result<bool> {
    let is_refusal = |sent: &io::Result<()>| matches!(sent, Err(error) if error.kind() == io::ErrorKind::ConnectionRefused);
    let sent = link.send(octets).await;
    if !is_refusal(&sent) {
        return sent.map(|()| false);
    }
    // The error is about an earlier datagram; this one was not sent.
    let sent = link.send(octets).await;
    if is_refusal(&sent) { Ok(true) } else { sent.map(|()| true) }
}

const MAX_FAILURES: u32 = 100;
