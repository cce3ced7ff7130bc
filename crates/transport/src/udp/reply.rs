//! The destination of an answer: the slot that a handler writes it into at once, and the handle with which another
//! thread sends it later.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::AsFd;
use std::sync::Arc;

use trunkline_datagrams::mmsg;
pub use trunkline_datagrams::{Local, ReplyTo};

use super::counters::UdpCounters;

/// One received datagram.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// Its octets.
    pub bytes: &'a [u8],
    /// The sender.
    pub peer: SocketAddr,
    /// The address of ours that it arrived at.
    pub local: Local,
}

impl Datagram<'_> {
    /// The return address, for an answer through a [`ReplyHandle`].
    #[must_use]
    pub const fn reply_to(&self) -> ReplyTo {
        ReplyTo { peer: self.peer, local: self.local }
    }
}

/// Where a handler writes the answer to one datagram. The buffer is reused for later datagrams and keeps its
/// memory.
#[derive(Debug, Default)]
pub struct ReplySlot {
    buffer: Vec<u8>,
    message: Option<Range<usize>>,
}

impl ReplySlot {
    /// The buffer, with whatever the last use left in it.
    pub const fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Sends `message`, a range of the buffer, once the batch is handled. A
    /// range outside the buffer sends nothing.
    pub const fn send(&mut self, message: Range<usize>) {
        self.message = Some(message);
    }

    /// Sends nothing after all. Each slot starts in this state.
    pub const fn cancel(&mut self) {
        self.message = None;
    }

    /// The message to send, if there is one.
    pub(super) fn message(&self) -> Option<&[u8]> {
        self.buffer.get(self.message.clone()?)
    }
}

/// Sends answers from another thread than the one that received the request.
#[derive(Clone, Debug)]
pub struct ReplyHandle {
    pub(super) socket: Arc<UdpSocket>,
    pub(super) counters: Arc<UdpCounters>,
}

impl ReplyHandle {
    /// Sends `message` to the request's sender, from the address that the request was sent to. Blocks only while
    /// the socket's send buffer is full.
    ///
    /// # Errors
    /// The kernel's error; it has been counted.
    pub fn send(&self, to: &ReplyTo, message: &[u8]) -> io::Result<()> {
        match mmsg::send_one(self.socket.as_fd(), to, message) {
            Ok(sent) => {
                self.counters.sent(1, sent as u64);
                Ok(())
            }
            Err(error) => {
                self.counters.refused(&error);
                Err(error)
            }
        }
    }
}
