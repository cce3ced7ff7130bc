//! The only file with `unsafe` code of this room: making a TUN device and choosing a thread's scheduling class, which no
//! safe crate offers.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::ioctl::{Updater, ioctl, opcode};

/// Opens [`TUN`], which takes the right to, and nothing more.
pub(super) fn open_tun() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(TUN, OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())?)
}

/// Makes a TUN device in the network namespace in which `file` was opened. Reading gives the IP packets that the
/// kernel sends through it, one at a time and without blocking; writing has the kernel receive one. The device goes with
/// the file.
pub(super) fn make_tun(file: &OwnedFd, name: &str) -> io::Result<()> {
    let mut request = InterfaceRequest { name: [0; 16], flags: IFF_TUN | IFF_NO_PI, rest: [0; 22] };
    for (to, from) in request.name[..15].iter_mut().zip(name.bytes()) {
        *to = from;
    }
    // SAFETY: TUNSETIFF reads and writes a `struct ifreq`, as which `InterfaceRequest` is laid out: 16 octets of name,
    // the flags, and what fills it up to the size of 40 octets that the structure has on 64-bit Linux.
    unsafe {
        ioctl(file, Updater::<{ opcode::write::<i32>(b'T', 202) }, InterfaceRequest>::new(&mut request))?;
    }
    Ok(())
}

/// When the scheduler lets a thread run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// As soon as it can, before every ordinary thread; takes root's rights.
    First,
    /// Only where no other thread wants to.
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

/// `struct ifreq` as TUNSETIFF uses it.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; 16],
    flags: i16,
    rest: [u8; 22],
}

/// Where TUN devices come from.
pub(super) const TUN: &str = "/dev/net/tun";
/// IP packets, without an Ethernet header,
const IFF_TUN: i16 = 0x0001;
/// and without any other one.
const IFF_NO_PI: i16 = 0x1000;
