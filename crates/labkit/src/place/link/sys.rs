//! `unsafe` code: creating a TUN device and choosing a thread's scheduling class,
//! which no safe crate offers.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::ioctl::{Updater, ioctl, opcode};

/// Opens [`TUN`], which needs the right to do so, and nothing more.
pub(super) fn open_tun() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(TUN, OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())?)
}

/// Creates a TUN device in the network namespace in which `file` was opened. Reading returns the IP packets that
/// the kernel sends through it, one at a time and without blocking; a write is received by the kernel. The device
/// is removed with the file.
pub(super) fn make_tun(file: &OwnedFd, name: &str) -> io::Result<()> {
    let mut request = InterfaceRequest { name: [0; 16], flags: IFF_TUN | IFF_NO_PI, rest: [0; 22] };
    for (to, from) in request.name[..15].iter_mut().zip(name.bytes()) {
        *to = from;
    }
    // SAFETY: TUNSETIFF reads and writes a `struct ifreq`, which `InterfaceRequest` has the layout of: 16 octets
    // of name, the flags, and padding up to the structure's size of 40 octets on 64-bit Linux.
    unsafe {
        ioctl(file, Updater::<{ opcode::write::<i32>(b'T', 202) }, InterfaceRequest>::new(&mut request))?;
    }
    Ok(())
}

/// When the scheduler runs a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// As soon as possible, before every ordinary thread; needs root's rights.
    First,
    /// Only if no other thread is ready.
    Last,
}

/// Sets the calling thread's class.
pub(super) fn take_turn(turn: Turn) -> io::Result<()> {
    let (class, sched_priority) = match turn {
        Turn::First => (libc::SCHED_FIFO, 1),
        Turn::Last => (libc::SCHED_IDLE, 0),
    };
    let parameters = libc::sched_param { sched_priority };
    // SAFETY: the call reads the structure during the call only; thread 0 is the calling one.
    match unsafe { libc::sched_setscheduler(0, class, &parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// `struct ifreq` as used by TUNSETIFF.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; 16],
    flags: i16,
    rest: [u8; 22],
}

/// The device that creates TUN devices.
pub(super) const TUN: &str = "/dev/net/tun";
/// IP packets, without an Ethernet header,
const IFF_TUN: i16 = 0x0001;
/// and without any other header.
const IFF_NO_PI: i16 = 0x1000;
