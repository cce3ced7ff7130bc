//! A netlink socket: framing of messages, dumps, acknowledged changes, and
//! the kernel's notifications.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, sockopt};

use super::attribute::{u16_at, u32_at};
use super::{Consistency, Message};

/// The netlink families used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// rtnetlink(7): links, addresses, neighbours, routes.
    Route,
    /// Families identified by name, such as ethtool.
    Generic,
    /// sock_diag(7): sockets.
    SockDiag,
}

/// A socket with its receive buffer.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    buffer: Vec<u8>,
    sequence: u32,
}

/// The result of a receive on a socket that listens to notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// Messages were handed over.
    Messages,
    /// Nothing is there now.
    Nothing,
    /// The kernel dropped notifications (ENOBUFS): only a dump shows the current state.
    Lost,
}

impl Socket {
    /// Opens a socket for requests.
    pub fn open(protocol: Protocol) -> io::Result<Self> {
        Socket::bound(protocol, 0, SocketFlags::CLOEXEC)
    }

    /// Opens a socket that never blocks and receives changes of these groups (`RTMGRP_` bits). `octets` of them
    /// may wait to be read; the kernel's maximum may reduce this.
    pub fn listen(groups: u32, octets: usize) -> io::Result<Self> {
        let socket = Socket::bound(Protocol::Route, groups, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
        sockopt::set_socket_recv_buffer_size(&socket.fd, octets)?;
        Ok(socket)
    }

    fn bound(protocol: Protocol, groups: u32, flags: SocketFlags) -> io::Result<Self> {
        let number = match protocol {
            Protocol::Route => None,
            Protocol::Generic => Some(netlink::GENERIC),
            Protocol::SockDiag => Some(netlink::SOCK_DIAG),
        };
        let fd = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, number)?;
        rustix::net::bind(&fd, &SocketAddrNetlink::new(0, groups))?;
        Ok(Socket { fd, buffer: vec![0; BUFFER], sequence: 0 })
    }

    /// Asks for a dump and hands over each message of it.
    pub fn dump(
        &mut self,
        kind: u16,
        body: &[u8],
        each: &mut dyn FnMut(Message<'_>),
    ) -> io::Result<Consistency> {
        let sequence = self.send(kind, NLM_F_REQUEST | NLM_F_DUMP, body)?;
        let mut consistency = Consistency::Whole;
        loop {
            let octets = self.receive()?;
            for frame in frames(octets).filter(|frame| frame.sequence == sequence) {
                if frame.flags & NLM_F_DUMP_INTR != 0 {
                    consistency = Consistency::Interrupted;
                }
                match frame.message.kind {
                    NLMSG_DONE | NLMSG_ERROR => return verdict(frame.message.body).map(|()| consistency),
                    NLMSG_NOOP => {}
                    _ => each(frame.message),
                }
            }
        }
    }

    /// Asks for one object; hands over the answers before the kernel's verdict.
    pub fn request(&mut self, kind: u16, body: &[u8], each: &mut dyn FnMut(Message<'_>)) -> io::Result<()> {
        self.request_with(kind, 0, body, each)
    }

    fn request_with(
        &mut self,
        kind: u16,
        flags: u16,
        body: &[u8],
        each: &mut dyn FnMut(Message<'_>),
    ) -> io::Result<()> {
        let sequence = self.send(kind, NLM_F_REQUEST | NLM_F_ACK | flags, body)?;
        loop {
            let octets = self.receive()?;
            for frame in frames(octets).filter(|frame| frame.sequence == sequence) {
                match frame.message.kind {
                    NLMSG_DONE | NLMSG_ERROR => return verdict(frame.message.body),
                    NLMSG_NOOP => {}
                    _ => each(frame.message),
                }
            }
        }
    }

    /// Asks for a change and waits for the verdict.
    pub fn change(&mut self, kind: u16, body: &[u8]) -> io::Result<()> {
        self.request(kind, body, &mut |_| {})
    }

    /// The same for something that must not be there yet.
    pub fn create(&mut self, kind: u16, body: &[u8]) -> io::Result<()> {
        self.request_with(kind, NLM_F_CREATE | NLM_F_EXCL, body, &mut |_| {})
    }

    /// On a listening socket: hands over what has arrived, one datagram at most.
    pub fn notifications(&mut self, each: &mut dyn FnMut(Message<'_>)) -> io::Result<Received> {
        match self.receive() {
            Ok(octets) => {
                messages(octets).for_each(each);
                Ok(Received::Messages)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Received::Nothing),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error()) => {
                Ok(Received::Lost)
            }
            Err(error) => Err(error),
        }
    }

    fn send(&mut self, kind: u16, flags: u16, body: &[u8]) -> io::Result<u32> {
        self.sequence = self.sequence.wrapping_add(1).max(1); // 0 is the kernel's, for notifications
        let mut request = Vec::with_capacity(HEADER + body.len());
        request.extend_from_slice(&((HEADER + body.len()) as u32).to_ne_bytes());
        request.extend_from_slice(&kind.to_ne_bytes());
        request.extend_from_slice(&flags.to_ne_bytes());
        request.extend_from_slice(&self.sequence.to_ne_bytes());
        request.extend_from_slice(&0u32.to_ne_bytes());
        request.extend_from_slice(body);
        rustix::io::retry_on_intr(|| rustix::net::send(&self.fd, &request, SendFlags::empty()))?;
        Ok(self.sequence)
    }

    fn receive(&mut self) -> io::Result<&[u8]> {
        let (fd, buffer) = (&self.fd, self.buffer.as_mut_slice());
        // TRUNC: the length that the datagram had, not what fitted.
        let (_, length) =
            rustix::io::retry_on_intr(|| rustix::net::recv(fd, &mut *buffer, RecvFlags::TRUNC))?;
        self.buffer.get(..length).ok_or_else(|| {
            io::Error::new(io::ErrorKind::FileTooLarge, format!("netlink datagram of {length} octets"))
        })
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The messages in a datagram or a recording, up to the first malformed one; without the
/// kernel's own (errors, end of dump).
pub fn messages(octets: &[u8]) -> impl Iterator<Item = Message<'_>> {
    frames(octets).map(|frame| frame.message).filter(|message| message.kind > NLMSG_MAX_CONTROL)
}

struct Frame<'a> {
    flags: u16,
    sequence: u32,
    message: Message<'a>,
}

fn frames(octets: &[u8]) -> impl Iterator<Item = Frame<'_>> {
    let mut rest = octets;
    std::iter::from_fn(move || {
        let length = u32_at(rest, 0)? as usize;
        let frame = Frame {
            flags: u16_at(rest, 6)?,
            sequence: u32_at(rest, 8)?,
            message: Message { kind: u16_at(rest, 4)?, body: rest.get(HEADER..length)? },
        };
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(frame)
    })
}

/// NLMSG_ERROR and NLMSG_DONE begin with a negative error number, or 0 for success.
fn verdict(body: &[u8]) -> io::Result<()> {
    match u32_at(body, 0).unwrap_or(0) as i32 {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error.checked_neg().unwrap_or(i32::MAX))),
    }
}

const HEADER: usize = 16;
/// The kernel fills at most 32 KiB of dump in one datagram, whatever more it is offered.
const BUFFER: usize = 32 * 1024;

const NLM_F_REQUEST: u16 = 0x001;
const NLM_F_ACK: u16 = 0x004;
const NLM_F_DUMP_INTR: u16 = 0x010;
const NLM_F_DUMP: u16 = 0x300;
const NLM_F_EXCL: u16 = 0x200;
const NLM_F_CREATE: u16 = 0x400;

const NLMSG_NOOP: u16 = 1;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLMSG_MAX_CONTROL: u16 = 15;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_datagram_is_framed_without_panic(octets in proptest::collection::vec(any::<u8>(), 0..96)) {
            let total: usize = frames(&octets).map(|frame| frame.message.body.len() + HEADER).sum();
            prop_assert!(total <= octets.len());
            let _ = verdict(&octets);
        }
    }

    #[test]
    fn the_kernel_refuses_an_unknown_request_with_its_error() {
        let mut socket = Socket::open(Protocol::Route).unwrap();
        let error = socket.change(0x7fff, &[0; 16]).unwrap_err();
        assert!(error.raw_os_error().is_some(), "{error:?}");
    }
}
