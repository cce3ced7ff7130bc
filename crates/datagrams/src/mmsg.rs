//! The only file with `unsafe` code for UDP: batches of datagrams through `recvmmsg(2)` and `sendmmsg(2)`, which
//! no safe crate offers with the control data that reports and sets the local address of a datagram.
//!
//! [`Inbox`] owns the memory that the kernel fills, [`Outbox`] the headers that it reads. All pointers that the
//! kernel sees lead into vectors that are never resized after construction, and into slices that are borrowed for
//! the call.
#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};
use std::time::Duration;

use libc::{c_int, c_uint, c_void, iovec, mmsghdr, msghdr, sockaddr_storage, socklen_t};

use crate::control::{MAX_CONTROL, address_in, local_in, stamp_in, write_local};
use crate::{Local, ReplyTo};

/// Room for one `IP_PKTINFO` or `IPV6_PKTINFO` control message (32 and 40 octets with their headers), aligned as
/// `cmsghdr` must be.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Control([u8; MAX_CONTROL]);

const NAME_LEN: socklen_t = mem::size_of::<sockaddr_storage>() as socklen_t;

/// A batch of received datagrams and the memory for them.
pub struct Inbox {
    headers: Vec<mmsghdr>,
    /// Written once; the kernel reaches it through `headers`.
    _iovecs: Vec<iovec>,
    names: Vec<sockaddr_storage>,
    controls: Vec<Control>,
    /// One region of `slot_len` octets per slot, `stride` apart.
    space: Space,
    slot_len: usize,
    stride: usize,
    control_len: usize,
    /// Slots that the last call filled; only these need their headers reset.
    filled: usize,
}

// SAFETY: the raw pointers inside `headers` and `_iovecs` lead into memory that
// the same value owns; moving the value to another thread moves all of it.
unsafe impl Send for Inbox {}

impl Inbox {
    /// Memory for `slots` datagrams of up to `slot_len` octets. With `want_control`, also for the control data with
    /// the local address or the time of arrival.
    ///
    /// Fails if the system has no memory to map.
    pub fn new(slots: usize, slot_len: usize, want_control: bool) -> io::Result<Self> {
        // SAFETY: `sockaddr_storage` is plain old data for which all zeroes is a value.
        let mut names = vec![unsafe { mem::zeroed::<sockaddr_storage>() }; slots];
        let mut controls = vec![Control([0; MAX_CONTROL]); slots];
        let stride = stride(slot_len);
        let space = Space::new(slots * stride)?;
        let (name, control, octets) = (names.as_mut_ptr(), controls.as_mut_ptr(), space.start.as_ptr());
        // SAFETY: `i < slots` and each vector has `slots` elements (or regions),
        // so every offset stays inside its allocation.
        let mut iovecs: Vec<iovec> = (0..slots)
            .map(|i| iovec { iov_base: unsafe { octets.add(i * stride) }.cast(), iov_len: slot_len })
            .collect();
        let vectors = iovecs.as_mut_ptr();
        let control_len = if want_control { mem::size_of::<Control>() } else { 0 };
        let headers = (0..slots)
            .map(|i| {
                // SAFETY: `mmsghdr` is plain old data; offsets as above.
                unsafe {
                    let mut header: mmsghdr = mem::zeroed();
                    header.msg_hdr.msg_name = name.add(i).cast();
                    header.msg_hdr.msg_namelen = NAME_LEN;
                    header.msg_hdr.msg_iov = vectors.add(i);
                    header.msg_hdr.msg_iovlen = 1;
                    if want_control {
                        header.msg_hdr.msg_control = control.add(i).cast();
                        header.msg_hdr.msg_controllen = control_len as _;
                    }
                    header
                }
            })
            .collect();
        Ok(Self {
            headers,
            _iovecs: iovecs,
            names,
            controls,
            space,
            slot_len,
            stride,
            control_len,
            filled: 0,
        })
    }

    /// Sleeps until a datagram arrives (or until the socket's read time-out), then takes the others that have
    /// arrived, up to the number of slots (`MSG_WAITFORONE`): one system call, idle or busy.
    pub fn receive(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        self.receive_as(socket, libc::MSG_WAITFORONE)
    }

    /// Takes what has arrived, up to the number of slots, and does not wait: 0 if there is nothing.
    pub fn receive_now(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        match self.receive_as(socket, libc::MSG_DONTWAIT) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            received => received,
        }
    }

    fn receive_as(&mut self, socket: BorrowedFd<'_>, flags: c_int) -> io::Result<usize> {
        for header in &mut self.headers[..self.filled] {
            header.msg_hdr.msg_namelen = NAME_LEN;
            header.msg_hdr.msg_controllen = self.control_len as _;
        }
        self.filled = 0;
        // SAFETY: `headers` has `len` initialised elements whose pointers lead
        // into vectors of `self` that are neither moved nor borrowed meanwhile.
        let got = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                self.headers.len() as c_uint,
                flags as _,
                ptr::null_mut(),
            )
        };
        if got < 0 {
            return Err(io::Error::last_os_error());
        }
        self.filled = got as usize;
        Ok(self.filled)
    }

    /// The octets of the datagram in slot `i` of the last call.
    pub fn bytes(&self, i: usize) -> &[u8] {
        let len = (self.headers[..self.filled][i].msg_len as usize).min(self.slot_len);
        let start = i * self.stride;
        // SAFETY: the region lies inside `space`, is initialised (zeroed at first,
        // then written by the kernel) and is not written while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.space.start.as_ptr().add(start), len) }
    }

    /// Whether the datagram was longer than its slot.
    pub fn truncated(&self, i: usize) -> bool {
        self.headers[i].msg_hdr.msg_flags & libc::MSG_TRUNC != 0
    }

    /// The sender of the datagram; `None` if it is not a datagram (the empty result of a socket that was shut
    /// down) or has an unknown address family.
    pub fn peer(&self, i: usize) -> Option<SocketAddr> {
        let len = (self.headers[i].msg_hdr.msg_namelen as usize).min(NAME_LEN as usize);
        // SAFETY: `i` is inside `names`, and `len` octets of each of them are initialised (zeroed at first, then
        // written by the kernel). The slice is made through the base pointer and dropped before the next call.
        let name = unsafe { std::slice::from_raw_parts(self.names.as_ptr().add(i).cast(), len) };
        address_in(name)
    }

    /// The local address that the datagram was sent to, if the socket reports it.
    pub fn local(&self, i: usize) -> Local {
        local_in(self.control(i))
    }

    /// When the datagram arrived by the system's clock (since 1970), if the socket reports it.
    pub fn stamp(&self, i: usize) -> Option<Duration> {
        stamp_in(self.control(i))
    }

    fn control(&self, i: usize) -> &[u8] {
        #[allow(clippy::unnecessary_cast, reason = "musl has 32 bits here, glibc as many as a pointer")]
        let len = (self.headers[i].msg_hdr.msg_controllen as usize).min(self.control_len);
        // SAFETY: `i` is inside `controls`, and `len` octets of each of them are initialised, as above.
        unsafe { std::slice::from_raw_parts(self.controls.as_ptr().add(i).cast(), len) }
    }

    /// Addresses `header` to the sender of slot `i`, from the address at which that datagram arrived.
    fn address_reply(&mut self, i: usize, header: &mut msghdr) {
        let local = self.local(i);
        header.msg_namelen = self.headers[i].msg_hdr.msg_namelen;
        // SAFETY: `i` is inside both vectors, as `local` has indexed `headers`; nothing else accesses the control
        // data while it is written.
        unsafe {
            header.msg_name = self.names.as_mut_ptr().add(i).cast();
            come_from(&local, &mut *self.controls.as_mut_ptr().add(i), header);
        }
    }
}

/// From one slot to the next: whole cache lines, and three more than a round number. A processor keeps few lines of addresses that
/// are a power of two apart, so that the first octets of many slots would drive each other out.
const fn stride(slot_len: usize) -> usize {
    slot_len.next_multiple_of(LINE) + 3 * LINE
}

/// Octets of a cache line.
const LINE: usize = 64;

/// Memory that the system provides page by page, when a datagram first touches it: 64 slots of 64 KiB are 4 MiB of
/// addresses and, with small requests, 256 KiB of memory at most. Mapped here, because the allocator may return
/// memory that was used before, and the system huge pages; either would make all of it resident.
struct Space {
    start: NonNull<u8>,
    len: usize,
}

impl Space {
    fn new(len: usize) -> io::Result<Self> {
        let len = len.max(1);
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new private mapping at an address of the system's choice
        // touches no other memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the mapping was just made; this is advice about it, and one that
        // may be declined without harm.
        unsafe { libc::madvise(start, len, libc::MADV_NOHUGEPAGE) };
        NonNull::new(start.cast())
            .map(|start| Self { start, len })
            .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        // SAFETY: `new` made the mapping with this length, and the inbox that owns it hands out no slice that
        // outlives it.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// The headers of a batch to send.
pub struct Outbox {
    headers: Vec<mmsghdr>,
    iovecs: Vec<iovec>,
    /// Of [`Outbox::send_to`].
    peers: Vec<socket2::SockAddr>,
    slots: usize,
}

// SAFETY: the pointers inside are dead between two calls of `send`.
unsafe impl Send for Outbox {}

impl Outbox {
    /// Headers for up to `slots` datagrams.
    pub fn new(slots: usize) -> Self {
        Self {
            headers: Vec::with_capacity(slots),
            iovecs: Vec::with_capacity(slots),
            peers: Vec::new(),
            slots,
        }
    }

    /// Sends `messages`, each to the sender of the slot of its number in `inbox`, or to the connected peer if
    /// there is no inbox. A message that the kernel refuses is passed to `refused` and skipped; the others
    /// continue. Returns how many datagrams and octets were sent. Takes at most as many messages as there are
    /// slots.
    pub fn send<'a>(
        &mut self,
        socket: BorrowedFd<'_>,
        mut inbox: Option<&mut Inbox>,
        messages: impl Iterator<Item = (usize, &'a [u8])>,
        mut refused: impl FnMut(io::Error),
    ) -> (usize, u64) {
        self.headers.clear();
        self.iovecs.clear();
        for (slot, message) in messages.take(self.slots) {
            self.iovecs.push(iovec {
                iov_base: message.as_ptr().cast_mut().cast::<c_void>(),
                iov_len: message.len(),
            });
            // SAFETY: `mmsghdr` is plain old data for which all zeroes is a value.
            let mut header: mmsghdr = unsafe { mem::zeroed() };
            if let Some(inbox) = inbox.as_deref_mut() {
                inbox.address_reply(slot, &mut header.msg_hdr);
            }
            self.headers.push(header);
        }
        self.point_at_octets();
        self.send_headers(socket, &mut refused)
    }

    /// Sends `messages`, each to its peer; otherwise as [`Outbox::send`].
    pub fn send_to<'a>(
        &mut self,
        socket: BorrowedFd<'_>,
        messages: impl Iterator<Item = (SocketAddr, &'a [u8])>,
        mut refused: impl FnMut(io::Error),
    ) -> (usize, u64) {
        self.headers.clear();
        self.iovecs.clear();
        self.peers.clear();
        for (peer, message) in messages.take(self.slots) {
            self.iovecs.push(iovec {
                iov_base: message.as_ptr().cast_mut().cast::<c_void>(),
                iov_len: message.len(),
            });
            self.peers.push(peer.into());
        }
        // Only now: a vector that grows moves what it holds.
        for peer in &self.peers {
            // SAFETY: `mmsghdr` is plain old data for which all zeroes is a value.
            let mut header: mmsghdr = unsafe { mem::zeroed() };
            header.msg_hdr.msg_name = peer.as_ptr().cast_mut().cast();
            header.msg_hdr.msg_namelen = peer.len();
            self.headers.push(header);
        }
        self.point_at_octets();
        self.send_headers(socket, &mut refused)
    }

    fn point_at_octets(&mut self) {
        let vectors = self.iovecs.as_mut_ptr();
        for (i, header) in self.headers.iter_mut().enumerate() {
            // SAFETY: both vectors have the same length.
            header.msg_hdr.msg_iov = unsafe { vectors.add(i) };
            header.msg_hdr.msg_iovlen = 1;
        }
    }

    fn send_headers(&mut self, socket: BorrowedFd<'_>, refused: &mut impl FnMut(io::Error)) -> (usize, u64) {
        let (mut at, mut sent, mut octets) = (0, 0, 0);
        while at < self.headers.len() {
            // SAFETY: `at` is inside `headers`; the headers lead to `iovecs`, to `peers` or
            // memory of the inbox, and to messages, all borrowed by the caller.
            let went = unsafe {
                libc::sendmmsg(
                    socket.as_raw_fd(),
                    self.headers.as_mut_ptr().add(at),
                    (self.headers.len() - at) as c_uint,
                    0,
                )
            };
            if went > 0 {
                let until = at + went as usize;
                octets += self.headers[at..until].iter().map(|h| u64::from(h.msg_len)).sum::<u64>();
                sent += went as usize;
                at = until;
                continue;
            }
            let error = io::Error::last_os_error();
            if error.kind() == io::ErrorKind::Interrupted {
                continue;
            }
            refused(error);
            at += 1;
        }
        (sent, octets)
    }
}

/// Sends one datagram to the sender of an earlier one.
pub fn send_one(socket: BorrowedFd<'_>, to: &ReplyTo, bytes: &[u8]) -> io::Result<usize> {
    let peer = socket2::SockAddr::from(to.peer);
    let mut vector = iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = Control([0; MAX_CONTROL]);
    loop {
        // SAFETY: every pointer leads to a local that outlives the call; the
        // kernel only reads through them.
        let sent = unsafe {
            let mut header: msghdr = mem::zeroed();
            header.msg_name = peer.as_ptr().cast_mut().cast();
            header.msg_namelen = peer.len();
            header.msg_iov = &raw mut vector;
            header.msg_iovlen = 1;
            come_from(&to.local, &mut control, &mut header);
            libc::sendmsg(socket.as_raw_fd(), &raw const header, 0)
        };
        if sent >= 0 {
            return Ok(sent as usize);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Makes the kernel report the local address of each datagram.
pub fn ask_local(socket: BorrowedFd<'_>, v6: bool) -> io::Result<()> {
    let (level, option) =
        if v6 { (libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO) } else { (libc::IPPROTO_IP, libc::IP_PKTINFO) };
    set_option(socket, level, option, 1)
}

/// Makes the kernel report when each datagram arrived.
pub fn ask_stamp(socket: BorrowedFd<'_>) -> io::Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
}

/// Whether the kernel sends IPv4 datagrams whole or not at all, or in fragments where the path requires them, as it does by default. Those that
/// are never fragments need no identification, whose choice costs the kernel a tenth of the time where there are many peers.
pub fn send_whole(socket: BorrowedFd<'_>, whole: bool) -> io::Result<()> {
    let mode = if whole { libc::IP_PMTUDISC_DO } else { libc::IP_PMTUDISC_WANT };
    set_option(socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, mode)
}

/// Whether the kernel did not send a datagram since it is too long to be sent whole.
pub fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EMSGSIZE)
}

/// Sets the octets of receive buffer beyond the system's maximum, as CAP_NET_ADMIN may.
pub fn force_receive_buffer(socket: BorrowedFd<'_>, octets: usize) -> io::Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, c_int::try_from(octets).unwrap_or(c_int::MAX))
}

/// The same for sending.
pub fn force_send_buffer(socket: BorrowedFd<'_>, octets: usize) -> io::Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, c_int::try_from(octets).unwrap_or(c_int::MAX))
}

fn set_option(socket: BorrowedFd<'_>, level: c_int, option: c_int, value: c_int) -> io::Result<()> {
    // SAFETY: the option's value is a `c_int` that outlives the call.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const value).cast(),
            mem::size_of::<c_int>() as socklen_t,
        )
    };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// How many datagrams the kernel has dropped because the socket's receive buffer was full.
pub fn dropped(socket: BorrowedFd<'_>) -> io::Result<u32> {
    let mut numbers = [0_u32; MEMINFO_DROPS + 1];
    let mut length = mem::size_of_val(&numbers) as socklen_t;
    // SAFETY: `numbers` has `length` octets and outlives the call; the kernel writes at most so many.
    let read = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            numbers.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if read < 0 { Err(io::Error::last_os_error()) } else { Ok(numbers[MEMINFO_DROPS]) }
}

/// Waits until there is something to receive, or the time is over.
pub fn wait(socket: BorrowedFd<'_>, most: Duration) -> io::Result<()> {
    let mut wanted = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let time = libc::timespec {
        tv_sec: most.as_secs().min(i32::MAX as u64) as _,
        tv_nsec: most.subsec_nanos() as _,
    };
    // SAFETY: one `pollfd` and one `timespec`, which outlive the call; no signal mask.
    let ready = unsafe { libc::ppoll(&raw mut wanted, 1, &raw const time, ptr::null()) };
    match ready {
        0.. => Ok(()),
        _ => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
    }
}

/// Where `SO_MEMINFO` has the number of dropped datagrams (`SK_MEMINFO_DROPS` of linux/sock_diag.h).
const MEMINFO_DROPS: usize = 8;

/// Writes the source address of an answer into `control` and points `header` at it. `control` must outlive the use of
/// `header`.
fn come_from(local: &Local, control: &mut Control, header: &mut msghdr) {
    let length = write_local(local, &mut control.0);
    if length > 0 {
        header.msg_control = (&raw mut control.0).cast();
        header.msg_controllen = length as _;
    }
}
