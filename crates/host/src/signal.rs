//! How the thread that waits for the kernel is woken.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicBool;

use rustix::event::{EventfdFlags, eventfd};

/// Wakes the thread, to look for news or to end.
#[derive(Debug)]
pub(crate) struct Signal {
    pub(crate) fd: OwnedFd,
    pub(crate) stop: AtomicBool,
}

impl Signal {
    pub(crate) fn new() -> io::Result<Self> {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Signal { fd, stop: AtomicBool::new(false) })
    }

    /// Makes the thread look.
    pub(crate) fn wake(&self) {
        // It fails only when 2^64-2 wake-ups are already waiting.
        let _ = rustix::io::write(&self.fd, &1u64.to_ne_bytes());
    }

    /// Whatever woke the thread is seen.
    pub(crate) fn clear(&self) {
        let _ = rustix::io::read(&self.fd, &mut [0u8; 8]); // nothing there: woken by the socket
    }
}
