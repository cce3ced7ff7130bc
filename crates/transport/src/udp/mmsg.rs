//! The only file with `unsafe` code of this room: batches of datagrams through
//! `recvmmsg(2)` and `sendmmsg(2)`, which no safe crate offers with the control
//! data that tells and sets the local address of a datagram.
//!
//! [`Inbox`] owns the memory that the kernel fills, [`Outbox`] the headers that
//! it reads. All pointers that the kernel sees lead into vectors that are never
//! resized after construction, and into slices that are borrowed for the call.
#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};

use libc::{c_int, c_uint, c_void, iovec, mmsghdr, msghdr, sockaddr_storage, socklen_t};

use super::reply::{Local, ReplyTo};

/// Room for one `IP_PKTINFO` or `IPV6_PKTINFO` control message (32 and 40
/// octets with their headers), aligned as `cmsghdr` must be.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Control([u8; 64]);

const NAME_LEN: socklen_t = mem::size_of::<sockaddr_storage>() as socklen_t;

/// A batch of received datagrams and the memory for them.
pub(crate) struct Inbox {
    headers: Vec<mmsghdr>,
    /// Written once; reached by the kernel through `headers`.
    _iovecs: Vec<iovec>,
    names: Vec<sockaddr_storage>,
    controls: Vec<Control>,
    /// One region of `slot_len` octets per slot.
    space: Space,
    slot_len: usize,
    control_len: usize,
    /// Slots that the last call filled; only these need their headers reset.
    filled: usize,
}

// SAFETY: the raw pointers inside `headers` and `_iovecs` lead into memory that
// the same value owns; moving the value to another thread moves all of it.
unsafe impl Send for Inbox {}

impl Inbox {
    /// Memory for `slots` datagrams of up to `slot_len` octets. With
    /// `want_local`, also for the control data that names the local address.
    ///
    /// Fails when the system has no memory to map.
    pub(crate) fn new(slots: usize, slot_len: usize, want_local: bool) -> io::Result<Self> {
        // SAFETY: `sockaddr_storage` is plain old data for which all zeroes is a value.
        let mut names = vec![unsafe { mem::zeroed::<sockaddr_storage>() }; slots];
        let mut controls = vec![Control([0; 64]); slots];
        let space = Space::new(slots * slot_len)?;
        let (name, control, octets) = (names.as_mut_ptr(), controls.as_mut_ptr(), space.start.as_ptr());
        // SAFETY: `i < slots` and each vector has `slots` elements (or regions),
        // so every offset stays inside its allocation.
        let mut iovecs: Vec<iovec> = (0..slots)
            .map(|i| iovec { iov_base: unsafe { octets.add(i * slot_len) }.cast(), iov_len: slot_len })
            .collect();
        let vectors = iovecs.as_mut_ptr();
        let control_len = if want_local { mem::size_of::<Control>() } else { 0 };
        let headers = (0..slots)
            .map(|i| {
                // SAFETY: `mmsghdr` is plain old data; offsets as above.
                unsafe {
                    let mut header: mmsghdr = mem::zeroed();
                    header.msg_hdr.msg_name = name.add(i).cast();
                    header.msg_hdr.msg_namelen = NAME_LEN;
                    header.msg_hdr.msg_iov = vectors.add(i);
                    header.msg_hdr.msg_iovlen = 1;
                    if want_local {
                        header.msg_hdr.msg_control = control.add(i).cast();
                        header.msg_hdr.msg_controllen = control_len as _;
                    }
                    header
                }
            })
            .collect();
        Ok(Self { headers, _iovecs: iovecs, names, controls, space, slot_len, control_len, filled: 0 })
    }

    /// Sleeps until one datagram is there (or for the socket's read time-out), then
    /// takes what else has arrived, up to as many as there are slots
    /// (`MSG_WAITFORONE`): one system call, idle or busy.
    pub(crate) fn receive(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
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
                libc::MSG_WAITFORONE as _,
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
    pub(crate) fn bytes(&self, i: usize) -> &[u8] {
        let len = (self.headers[..self.filled][i].msg_len as usize).min(self.slot_len);
        let start = i * self.slot_len;
        // SAFETY: the region lies inside `space`, is initialised (zeroed at first,
        // then written by the kernel) and is not written while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.space.start.as_ptr().add(start), len) }
    }

    /// Whether the datagram was longer than its slot.
    pub(crate) fn truncated(&self, i: usize) -> bool {
        self.headers[i].msg_hdr.msg_flags & libc::MSG_TRUNC != 0
    }

    /// Who sent the datagram; `None` for what is no datagram (the empty result
    /// of a socket that was shut down) or for an unknown address family.
    pub(crate) fn peer(&self, i: usize) -> Option<SocketAddr> {
        // SAFETY: `i` is inside `names`; a read through the base pointer makes no
        // reference that would invalidate the pointers the headers hold.
        let name = unsafe { self.names.as_ptr().add(i) };
        let len = self.headers[i].msg_hdr.msg_namelen as usize;
        if len < mem::size_of::<libc::sa_family_t>() {
            return None;
        }
        // SAFETY: a `sockaddr_storage` is large enough and aligned for each
        // address structure; the family says which one the kernel wrote.
        unsafe {
            match c_int::from((*name).ss_family) {
                libc::AF_INET if len >= mem::size_of::<libc::sockaddr_in>() => {
                    let v4 = &*name.cast::<libc::sockaddr_in>();
                    let ip = Ipv4Addr::from(v4.sin_addr.s_addr.to_ne_bytes());
                    Some(SocketAddrV4::new(ip, u16::from_be(v4.sin_port)).into())
                }
                libc::AF_INET6 if len >= mem::size_of::<libc::sockaddr_in6>() => {
                    let v6 = &*name.cast::<libc::sockaddr_in6>();
                    let (ip, port) = (Ipv6Addr::from(v6.sin6_addr.s6_addr), u16::from_be(v6.sin6_port));
                    Some(SocketAddrV6::new(ip, port, u32::from_be(v6.sin6_flowinfo), v6.sin6_scope_id).into())
                }
                _ => None,
            }
        }
    }

    /// The local address the datagram came to, where the socket asks for it.
    pub(crate) fn local(&self, i: usize) -> Local {
        if self.control_len == 0 {
            return Local::default();
        }
        let header = &self.headers[i].msg_hdr;
        // SAFETY: `header` describes the control buffer of slot `i` with the length
        // the kernel set; CMSG_FIRSTHDR checks that length for one header, and the
        // payload is read unaligned, after comparing its length.
        unsafe {
            let message = libc::CMSG_FIRSTHDR(header);
            if message.is_null() {
                return Local::default();
            }
            let (level, kind, len) =
                ((*message).cmsg_level, (*message).cmsg_type, (*message).cmsg_len as usize);
            let data = libc::CMSG_DATA(message);
            if (level, kind) == (libc::IPPROTO_IP, libc::IP_PKTINFO)
                && len >= libc::CMSG_LEN(mem::size_of::<libc::in_pktinfo>() as c_uint) as usize
            {
                let info = ptr::read_unaligned(data.cast::<libc::in_pktinfo>());
                let ip = Ipv4Addr::from(info.ipi_spec_dst.s_addr.to_ne_bytes());
                return Local { address: Some(ip.into()), interface: info.ipi_ifindex as u32 };
            }
            if (level, kind) == (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO)
                && len >= libc::CMSG_LEN(mem::size_of::<libc::in6_pktinfo>() as c_uint) as usize
            {
                let info = ptr::read_unaligned(data.cast::<libc::in6_pktinfo>());
                let ip = Ipv6Addr::from(info.ipi6_addr.s6_addr);
                let address = (!ip.is_multicast()).then_some(IpAddr::V6(ip));
                return Local { address, interface: info.ipi6_ifindex as u32 };
            }
            Local::default()
        }
    }

    /// Writes into `header` that it goes to the sender of slot `i`, from the
    /// address at which that datagram arrived.
    fn address_reply(&mut self, i: usize, header: &mut msghdr) {
        let local = self.local(i);
        header.msg_namelen = self.headers[i].msg_hdr.msg_namelen;
        // SAFETY: `i` is inside both vectors, as `local` has indexed `headers`.
        unsafe {
            header.msg_name = self.names.as_mut_ptr().add(i).cast();
            write_local(&local, self.controls.as_mut_ptr().add(i), header);
        }
    }
}

/// Memory that the system backs page by page, when a datagram first touches it:
/// 64 slots of 64 KiB are 4 MiB of addresses and, with small requests, 256 KiB of
/// memory at most. Mapped here, because the allocator may hand out memory that
/// was used before, and the system huge pages; either would make it all real.
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
        // SAFETY: the mapping was made by `new` with this length, and the inbox
        // that owns it gives out no slice that outlives it.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// The headers of a batch to send.
pub(crate) struct Outbox {
    headers: Vec<mmsghdr>,
    iovecs: Vec<iovec>,
    slots: usize,
}

// SAFETY: the pointers inside are dead between two calls of `send`.
unsafe impl Send for Outbox {}

impl Outbox {
    /// Headers for up to `slots` datagrams.
    pub(crate) fn new(slots: usize) -> Self {
        Self { headers: Vec::with_capacity(slots), iovecs: Vec::with_capacity(slots), slots }
    }

    /// Sends `messages`, each to the sender of the slot that its number names in
    /// `inbox`, or to the connected peer when there is no inbox. A message that
    /// the kernel refuses is given to `refused` and skipped; the others go on.
    /// Returns how many datagrams and octets were sent. At most as many as there are slots are taken.
    pub(crate) fn send<'a>(
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
        let vectors = self.iovecs.as_mut_ptr();
        for (i, header) in self.headers.iter_mut().enumerate() {
            // SAFETY: both vectors have the same length.
            header.msg_hdr.msg_iov = unsafe { vectors.add(i) };
            header.msg_hdr.msg_iovlen = 1;
        }
        self.send_headers(socket, &mut refused)
    }

    fn send_headers(&mut self, socket: BorrowedFd<'_>, refused: &mut impl FnMut(io::Error)) -> (usize, u64) {
        let (mut at, mut sent, mut octets) = (0, 0, 0);
        while at < self.headers.len() {
            // SAFETY: `at` is inside `headers`; the headers lead to `iovecs`, to
            // memory of the inbox and to messages, all borrowed by the caller.
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

/// Sends one datagram to where an earlier one came from.
pub(crate) fn send_one(socket: BorrowedFd<'_>, to: &ReplyTo, bytes: &[u8]) -> io::Result<usize> {
    let peer = socket2::SockAddr::from(to.peer);
    let mut vector = iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = Control([0; 64]);
    loop {
        // SAFETY: every pointer leads to a local that outlives the call; the
        // kernel only reads through them.
        let sent = unsafe {
            let mut header: msghdr = mem::zeroed();
            header.msg_name = peer.as_ptr().cast_mut().cast();
            header.msg_namelen = peer.len();
            header.msg_iov = &raw mut vector;
            header.msg_iovlen = 1;
            write_local(&to.local, &raw mut control, &mut header);
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

/// Asks the kernel to tell the local address of each datagram.
pub(crate) fn ask_local(socket: BorrowedFd<'_>, v6: bool) -> io::Result<()> {
    let (level, option) =
        if v6 { (libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO) } else { (libc::IPPROTO_IP, libc::IP_PKTINFO) };
    let on: c_int = 1;
    // SAFETY: the option's value is a `c_int` that outlives the call.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const on).cast(),
            mem::size_of::<c_int>() as socklen_t,
        )
    };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Writes the source address of an answer into `control` and points `header` at
/// it. An IPv4 answer takes the address and leaves the interface to routing, so
/// that asymmetric routes work; an IPv6 one needs the interface where the
/// address means something on one link only.
///
/// # Safety
/// `control` must be valid for writes and outlive the use of `header`.
unsafe fn write_local(local: &Local, control: *mut Control, header: &mut msghdr) {
    match local.address {
        None => {}
        // SAFETY: by the caller; each structure fits into `Control`.
        Some(IpAddr::V4(ip)) => unsafe {
            let info = libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: libc::in_addr { s_addr: u32::from_ne_bytes(ip.octets()) },
                ipi_addr: libc::in_addr { s_addr: 0 },
            };
            write_control(control, libc::IPPROTO_IP, libc::IP_PKTINFO, info, header);
        },
        // SAFETY: as above.
        Some(IpAddr::V6(ip)) => unsafe {
            let info = libc::in6_pktinfo {
                ipi6_addr: libc::in6_addr { s6_addr: ip.octets() },
                ipi6_ifindex: if ip.is_unicast_link_local() { local.interface as _ } else { 0 },
            };
            write_control(control, libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, info, header);
        },
    }
}

/// Writes one control message.
///
/// # Safety
/// As [`write_local`]; `T` with its header must fit into `Control`.
unsafe fn write_control<T>(control: *mut Control, level: c_int, kind: c_int, value: T, header: &mut msghdr) {
    const { assert!(mem::size_of::<T>() + mem::size_of::<libc::cmsghdr>() <= mem::size_of::<Control>()) };
    // SAFETY: by the caller; `control` is aligned as a `cmsghdr`, and the
    // assertion above says that header and value fit.
    unsafe {
        let size = mem::size_of::<T>() as c_uint;
        let message = control.cast::<libc::cmsghdr>();
        (*message).cmsg_level = level;
        (*message).cmsg_type = kind;
        (*message).cmsg_len = libc::CMSG_LEN(size) as _;
        ptr::write_unaligned(libc::CMSG_DATA(message).cast::<T>(), value);
        header.msg_control = control.cast();
        header.msg_controllen = libc::CMSG_SPACE(size) as _;
    }
}
