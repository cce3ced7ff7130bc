//! Requests and answers over one stream: TCP, TLS, SSH. A request is sent once (RFC 3430 section 2.1).

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::time::timeout;
use trunkline_snmp::wire::frame_length_within;
use trunkline_transport::dial::{PARTING, Stream};

use super::datagrams::{give_up, take};
use super::keys::take_keys;
use super::talk::{End, Talk, at};
use super::{Reply, now};
use crate::error::Error;
use crate::exchange::Response;

impl Talk {
    /// Uses one connection until it ends.
    pub(super) async fn converse(&mut self, stream: Box<dyn Stream>) -> End {
        let (mut read, mut write): (ReadHalf<_>, WriteHalf<_>) = tokio::io::split(stream);
        let (mut input, mut output) = (Vec::new(), Output::default());
        let (mut used, mut silences, mut strays) = (now(), 0, 0);
        let mut proven = self.options.refuses_late.then(|| now() + PARTING);
        loop {
            if proven.is_some_and(|at| at <= now()) {
                proven = None;
            }
            if proven.is_none() {
                output.confirm();
            }
            // Nothing at all was heard while requests timed out again and again: the peer is gone.
            silences += u32::from(give_up(&mut self.exchanges, &self.shared) > 0);
            if silences >= MAX_SILENCES {
                return self.is_dead();
            }
            self.fill(&mut output);
            self.keys.begin(&mut self.exchanges);
            let is_busy = self.exchanges.len() > 0 || output.is_unsent();
            if is_busy {
                used = now();
            }
            let idle_end = self.options.idle.filter(|_| !is_busy).map(|idle| used + idle);
            let deadline = self.exchanges.next_deadline().into_iter().chain(idle_end).min();
            let deadline = deadline.into_iter().chain(proven.filter(|_| !output.told.is_empty())).min();
            tokio::select! {
                got = read.read_buf(&mut input) => match got {
                    Ok(0) => {
                        output.settle(Ok(()));
                        let kind = (!input.is_empty()).then_some(io::ErrorKind::UnexpectedEof);
                        return End::Broken(Error::ConnectionLost { kind });
                    }
                    Ok(_) => {
                        (silences, proven) = (0, None);
                        if let Err(error) = self.take_messages(&mut input, &mut strays) {
                            return End::Broken(error);
                        }
                    }
                    Err(error) => {
                        let error = Error::of_stream(error);
                        output.settle(Err(&error));
                        return End::Broken(error);
                    }
                },
                wrote = output.write_to(&mut write), if output.is_unsent() => match wrote {
                    Ok(()) => {}
                    // The peer may have said why before it closed.
                    Err(error_of_write) => {
                        let said = ended(&mut read).await.err();
                        let error = said.map(Error::of_stream).filter(is_verdict);
                        let error = error.unwrap_or_else(|| Error::of_stream(error_of_write));
                        output.settle(Err(&error));
                        return End::Broken(error);
                    }
                },
                made = self.keys.made() => take_keys(made, &mut self.exchanges, &self.shared),
                more = self.commands.recv() => {
                    if more.and_then(|more| more.give_to(&mut self.exchanges)).is_none() {
                        self.fill(&mut output);
                        output.close(read.unsplit(write), self.options.parts).await;
                        return End::Nobody;
                    }
                },
                () = at(deadline), if deadline.is_some() => {
                    if idle_end.is_some_and(|end| end <= now()) {
                        let parts = self.options.parts;
                        tokio::spawn(async move { output.close(read.unsplit(write), parts).await });
                        return End::Idle;
                    }
                }
            }
        }
    }

    /// Puts requests into the output, up to a limit: an agent that does not read must not make it grow.
    fn fill(&mut self, output: &mut Output) {
        while output.octets.len() < MAX_OUTPUT
            && let Some((octets, reply)) = self.exchanges.poll_tell()
        {
            self.shared.sent(&octets);
            output.octets.extend_from_slice(&octets);
            output.told.push((octets.len(), reply));
        }
        while output.octets.len() < MAX_OUTPUT
            && let Some((_, octets)) = self.exchanges.poll_send(now())
        {
            self.shared.sent(octets);
            output.octets.extend_from_slice(octets);
        }
    }

    /// Cuts whole messages off the input, leaving less than one message. `strays` counts the messages since the
    /// last useful one.
    fn take_messages(&mut self, input: &mut Vec<u8>, strays: &mut usize) -> Result<(), Error> {
        let mut used = 0;
        while let Some(length) =
            frame_length_within(&input[used..], self.options.max_message).map_err(Error::Framing)?
            && used + length <= input.len()
        {
            let is_of_use = take(&input[used..used + length], &mut self.exchanges, &self.shared);
            *strays = if is_of_use { 0 } else { *strays + 1 };
            if *strays >= MAX_STRAYS {
                return Err(Error::OnlyStrays { count: *strays });
            }
            used += length;
        }
        input.drain(..used);
        Ok(())
    }
}

/// The pending output.
#[derive(Default)]
struct Output {
    octets: Vec<u8>,
    /// All is written, but may still be in a buffer of the stream, as with TLS.
    unflushed: bool,
    /// The callers to notify once their message is written, and the peer has had time to refuse us.
    told: Vec<(usize, Reply)>,
}

impl Output {
    fn is_unsent(&self) -> bool {
        self.unflushed || !self.octets.is_empty()
    }

    /// Makes a step. Cancel safe.
    async fn write_to(&mut self, write: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        if self.octets.is_empty() {
            write.flush().await?;
            self.unflushed = false;
        } else {
            match write.write(&self.octets).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                octets => drop(self.octets.drain(..octets)),
            }
            self.unflushed = true;
        }
        Ok(())
    }

    /// Confirms messages without an answer, if everything is written.
    fn confirm(&mut self) {
        if !self.is_unsent() {
            self.settle(Ok(()));
        }
    }

    /// Tells the callers what became of their messages. A connection that merely ended after them proves nothing.
    fn settle(&mut self, outcome: Result<(), &Error>) {
        let is_written = !self.is_unsent();
        for (octets, reply) in self.told.drain(..) {
            let _ = reply.send(match outcome {
                Err(error) if is_verdict(error) || !is_written => Err(error.clone()),
                _ if is_written => Ok(Response::of_told(octets)),
                _ => Err(Error::ConnectionLost { kind: None }),
            });
        }
    }

    /// Writes the rest and closes the stream in order, so that the peer need not guess; waits neither for one that does not
    /// read, nor long for one that does not close. What the peer says to that settles the messages.
    async fn close(&mut self, mut stream: Box<dyn Stream>, parts: bool) {
        let closing = async {
            while self.is_unsent() && self.write_to(&mut stream).await.is_ok() {}
            stream.shutdown().await
        };
        let _ = timeout(PARTING, closing).await;
        let said = if parts { ended(&mut stream).await } else { Ok(()) };
        let said = said.map_err(Error::of_stream);
        self.settle(said.as_ref().copied());
    }
}

/// Whether the peer has told why it refuses us.
fn is_verdict(error: &Error) -> bool {
    !matches!(error, Error::ConnectionLost { .. })
}

/// Reads to the peer's end, for a limited time.
async fn ended(read: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
    let mut rest = [0; 1024];
    let reading = async {
        while read.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    };
    timeout(PARTING, reading).await.unwrap_or(Ok(()))
}

const MAX_OUTPUT: usize = 64 << 10;

/// This many consecutive time-outs with nothing heard between mean that the peer is dead.
const MAX_SILENCES: u32 = 2;

/// Late answers to requests that were given up are strays too: there may be many, but a limit is needed.
const MAX_STRAYS: usize = 10_000;
