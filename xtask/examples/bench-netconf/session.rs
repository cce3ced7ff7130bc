//! A NETCONF session that costs its client little: octets over SSH or pipes, with the framing of base 1.0, whose replies are
//! counted rather than parsed.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};
use trunkline_transport::dial::Stream;

use crate::Failure;

const END: &[u8; 6] = b"]]>]]>";
const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

/// A session that is open.
pub struct Session {
    wire: Wire,
    buffer: Vec<u8>,
}

/// What carries it.
pub enum Wire {
    /// A channel of SSH, and the runtime that drives it; `None` only while it is dropped.
    Ssh(Runtime, Option<Box<dyn Stream>>),
    /// The standard input and output of a subsystem.
    Pipes(Child, ChildStdin, ChildStdout),
}

impl Wire {
    /// A runtime for a channel.
    pub fn runtime() -> std::io::Result<Runtime> {
        Builder::new_current_thread().enable_all().build()
    }

    fn send(&mut self, octets: &[u8]) -> std::io::Result<()> {
        match self {
            Wire::Pipes(_, input, _) => input.write_all(octets),
            Wire::Ssh(runtime, Some(stream)) => runtime.block_on(async {
                stream.write_all(octets).await?;
                stream.flush().await
            }),
            Wire::Ssh(_, None) => Err(std::io::ErrorKind::NotConnected.into()),
        }
    }

    /// A server that does not answer costs its case, not the run.
    fn receive(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = match self {
            Wire::Pipes(_, _, output) => {
                wait(output)?;
                output.read(buffer)?
            }
            Wire::Ssh(runtime, Some(stream)) => {
                let read = async { tokio::time::timeout(PATIENCE, stream.read(buffer)).await };
                runtime.block_on(read).map_err(|_| silent())??
            }
            Wire::Ssh(_, None) => 0,
        };
        if read == 0 { Err(std::io::ErrorKind::UnexpectedEof.into()) } else { Ok(read) }
    }
}

/// Waits until there is something to read.
fn wait(output: &ChildStdout) -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let time = rustix::time::Timespec { tv_sec: PATIENCE.as_secs().cast_signed(), tv_nsec: 0 };
    match poll(&mut [PollFd::new(output, PollFlags::IN)], Some(&time))? {
        0 => Err(silent()),
        _ => Ok(()),
    }
}

fn silent() -> std::io::Error {
    let message = format!("the server has not answered for {} s", PATIENCE.as_secs());
    std::io::Error::new(std::io::ErrorKind::TimedOut, message)
}

/// The longest time for a piece of an answer.
const PATIENCE: Duration = Duration::from_secs(60);

impl Drop for Wire {
    fn drop(&mut self) {
        match self {
            // A channel is closed by its runtime.
            Wire::Ssh(runtime, stream) => {
                let _within = runtime.enter();
                *stream = None;
            }
            Wire::Pipes(child, ..) => {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
}

impl Session {
    /// Exchanges hellos.
    pub fn open(wire: Wire) -> Result<Session, Failure> {
        let mut session = Session { wire, buffer: vec![0; 1 << 17] };
        let hello = session.message()?;
        if !String::from_utf8_lossy(&hello).contains("hello") {
            return Err(format!("no hello: {}", String::from_utf8_lossy(&hello)).into());
        }
        let ours = format!(
            "<hello xmlns=\"{BASE}\"><capabilities><capability>urn:ietf:params:netconf:base:1.0</capability></capabilities>\
             </hello>]]>]]>"
        );
        session.wire.send(ours.as_bytes())?;
        Ok(session)
    }

    /// One operation; its reply, which is not an error.
    pub fn ask(&mut self, operation: &str) -> Result<String, Failure> {
        self.wire.send(&rpc(operation))?;
        let reply = String::from_utf8(self.message()?)?;
        if reply.contains("<rpc-error") || reply.contains(":rpc-error") {
            return Err(format!("{operation:.200}: {reply}").into());
        }
        Ok(reply)
    }

    /// Seconds for so many requests, of which `window` are always under way.
    pub fn load(&mut self, operation: &str, count: usize, window: usize) -> Result<f64, Failure> {
        let request = rpc(operation);
        let mut scan = Scan::default();
        let (mut sent, mut answered) = (0, 0);
        let begin = Instant::now();
        while answered < count {
            let more = (answered + window).min(count) - sent;
            if more > 0 {
                self.wire.send(&request.repeat(more))?;
                sent += more;
            }
            let read = self.wire.receive(&mut self.buffer)?;
            answered += scan.ends(&self.buffer[..read]);
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    /// Seconds for one request with a long reply, and the reply's octets. Nothing of it is kept.
    pub fn drain(&mut self, operation: &str) -> Result<(f64, usize), Failure> {
        let begin = Instant::now();
        self.wire.send(&rpc(operation))?;
        let (mut octets, mut tail) = (0, Vec::new());
        loop {
            let read = self.wire.receive(&mut self.buffer)?;
            octets += read;
            tail.extend_from_slice(&self.buffer[read.saturating_sub(END.len())..read]);
            tail.drain(..tail.len().saturating_sub(END.len()));
            // Nothing else is under way: the reply ends where the octets do.
            if tail == END {
                return Ok((begin.elapsed().as_secs_f64(), octets));
            }
        }
    }

    fn message(&mut self) -> Result<Vec<u8>, Failure> {
        let mut message = Vec::new();
        while !message.ends_with(END) {
            let read = self.wire.receive(&mut self.buffer)?;
            message.extend_from_slice(&self.buffer[..read]);
        }
        message.truncate(message.len() - END.len());
        Ok(message)
    }
}

fn rpc(operation: &str) -> Vec<u8> {
    format!("<rpc xmlns=\"{BASE}\" message-id=\"1\">{operation}</rpc>]]>]]>").into_bytes()
}

/// Counts ends of messages in a stream of pieces.
#[derive(Default)]
pub struct Scan(usize);

impl Scan {
    /// How many messages end in this piece.
    pub fn ends(&mut self, piece: &[u8]) -> usize {
        let mut found = 0;
        for octet in piece {
            // `]]>` twice; three brackets in a row keep the state of two.
            self.0 = match (self.0, octet) {
                (0 | 1 | 3 | 4, b']') => self.0 + 1,
                (2 | 5, b']') => self.0,
                (2, b'>') => 3,
                (5, b'>') => {
                    found += 1;
                    0
                }
                _ => 0,
            };
        }
        found
    }
}
