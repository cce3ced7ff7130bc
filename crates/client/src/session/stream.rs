//! The task of a session over streams. A request is sent once (RFC 3430 section
//! 2.1); when its connection breaks it fails, and the next one gets a new
//! connection.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::sleep_until;
use trunkline_snmp::wire::frame_length_within;
use trunkline_transport::dial::Stream;

use super::datagrams::{give_up, take};
use super::keys::{Keys, take_keys};
use super::{Command, Connector, Reply, Shared, now, reply};
use crate::error::Error;
use crate::exchange::{Exchanges, Response};

/// Carries requests and answers until the last handle is gone.
pub(super) async fn drive(
    first: Option<Box<dyn Stream>>,
    connector: Connector,
    commands: mpsc::UnboundedReceiver<Command>,
    exchanges: Exchanges<Reply>,
    shared: Arc<Shared>,
    max_message: usize,
) {
    let mut talk = Talk { commands, exchanges, keys: Keys::default(), shared, max_message };
    let mut stream = first;
    loop {
        let connected = match stream.take() {
            Some(stream) => stream,
            None => {
                if talk.exchanges.len() == 0 && !talk.wait_for_command().await {
                    return;
                }
                match connector().await {
                    Ok(stream) => stream,
                    Err(error) => {
                        talk.take_commands();
                        reply(talk.exchanges.fail_all(&error.into()));
                        continue;
                    }
                }
            }
        };
        let Some(end) = talk.converse(connected).await else { return };
        talk.shared.counters.connections_lost.fetch_add(1, Relaxed);
        reply(talk.exchanges.fail_sent(|_| end.clone()));
    }
}

struct Talk {
    commands: mpsc::UnboundedReceiver<Command>,
    exchanges: Exchanges<Reply>,
    keys: Keys,
    shared: Arc<Shared>,
    max_message: usize,
}

impl Talk {
    /// Waits for the next request; false when there will be none.
    async fn wait_for_command(&mut self) -> bool {
        let command = self.commands.recv().await;
        command.map(|command| command.give_to(&mut self.exchanges)).is_some()
    }

    /// Takes in the requests that came meanwhile.
    fn take_commands(&mut self) {
        while let Ok(command) = self.commands.try_recv() {
            command.give_to(&mut self.exchanges);
        }
    }

    /// Uses one connection to its end, and says how it ended; `None` when nobody
    /// asks any more.
    async fn converse(&mut self, stream: Box<dyn Stream>) -> Option<Error> {
        let (mut read, mut write): (ReadHalf<_>, WriteHalf<_>) = tokio::io::split(stream);
        let (mut input, mut output) = (Vec::new(), Vec::new());
        // Who waits until what they tell is written; dropped when the connection breaks before.
        let mut told = Vec::new();
        loop {
            give_up(&mut self.exchanges, &self.shared);
            self.fill(&mut output, &mut told);
            self.keys.begin(&mut self.exchanges);
            let deadline = self.exchanges.next_deadline();
            tokio::select! {
                got = read.read_buf(&mut input) => match got {
                    Ok(0) => return Some(Error::ConnectionLost { kind: None }),
                    Ok(_) => if let Err(error) = self.take_messages(&mut input) {
                        return Some(error);
                    },
                    Err(error) => return Some(Error::ConnectionLost { kind: Some(error.kind()) }),
                },
                wrote = write.write(&output), if !output.is_empty() => match wrote {
                    Ok(octets) => {
                        output.drain(..octets);
                        if output.is_empty() {
                            self.written(&mut told);
                        }
                    }
                    Err(error) => return Some(Error::ConnectionLost { kind: Some(error.kind()) }),
                },
                made = self.keys.made() => take_keys(made, &mut self.exchanges),
                more = self.commands.recv() => match more {
                    Some(command) => command.give_to(&mut self.exchanges),
                    None => return None,
                },
                () = async { sleep_until(deadline.unwrap_or_else(now).into()).await }, if deadline.is_some() => {}
            }
        }
    }

    /// Puts requests into the output, up to a measure: an agent that does not read
    /// must not make it grow.
    fn fill(&mut self, output: &mut Vec<u8>, told: &mut Vec<(usize, Reply)>) {
        while output.len() < MAX_OUTPUT
            && let Some((octets, reply)) = self.exchanges.poll_tell()
        {
            self.shared.sent(&octets);
            output.extend_from_slice(&octets);
            told.push((octets.len(), reply));
        }
        while output.len() < MAX_OUTPUT
            && let Some((_, octets)) = self.exchanges.poll_send(now())
        {
            self.shared.sent(octets);
            output.extend_from_slice(octets);
        }
    }

    /// Tells those who wait for it that all is written.
    fn written(&self, told: &mut Vec<(usize, Reply)>) {
        for (octets, reply) in told.drain(..) {
            let _ = reply.send(Ok(Response::of_told(octets)));
        }
    }

    /// Cuts whole messages off the input. What stays is less than one message.
    fn take_messages(&mut self, input: &mut Vec<u8>) -> Result<(), Error> {
        let mut used = 0;
        while let Some(length) =
            frame_length_within(&input[used..], self.max_message).map_err(Error::Framing)?
            && used + length <= input.len()
        {
            take(&input[used..used + length], &mut self.exchanges, &self.shared);
            used += length;
        }
        input.drain(..used);
        Ok(())
    }
}

const MAX_OUTPUT: usize = 64 << 10;
