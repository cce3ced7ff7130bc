//! Waits for the kernel's notifications about interfaces and addresses, so
//! that a change is seen when it happens and not at the next load. It uses no processor time
//! while nothing changes.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use trunkline_tree::SourceError;

use crate::links::{Links, News};
use crate::signal::Signal;
use crate::stale::{STALE_WITH_ADDRESSES, STALE_WITH_LINKS};
use crate::{HostOptions, LinkEvent};

/// A thread that watches until it is dropped.
#[derive(Debug)]
pub struct LinkWatch {
    links: Links,
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

impl LinkWatch {
    /// Reads all interfaces once and starts the thread. It calls `stale` with the name of each
    /// group whose snapshot a change has made untrue, and `changed` for each interface that came,
    /// went, changed a status or has another name; both must be quick. A recording does not change: no thread.
    pub fn start(
        options: &HostOptions,
        stale: impl Fn(&'static str) + Send + 'static,
        changed: impl Fn(&LinkEvent) + Send + 'static,
    ) -> Result<Self, SourceError> {
        let failed = |cause: io::Error| SourceError::new("netlink link notifications", cause);
        let signal = Arc::new(Signal::new().map_err(failed)?);
        let mut this = LinkWatch { links: options.links.clone(), signal, thread: None };
        let Some(socket) = this.prepare().map_err(failed)? else { return Ok(this) };
        let (links, signal) = (this.links.clone(), this.signal.clone());
        let thread = std::thread::Builder::new().name("link-watch".into());
        let run = move || watch(&links, &socket, &signal, &stale, &changed);
        this.thread = Some(thread.spawn(run).map_err(failed)?);
        Ok(this)
    }
}

impl LinkWatch {
    fn prepare(&self) -> io::Result<Option<OwnedFd>> {
        let mut state = self.links.lock();
        let socket = state.watch(self.signal.clone())?;
        state.read_all(Instant::now()).map_err(|error| error.cause)?;
        state.take_news();
        Ok(socket)
    }
}

impl Drop for LinkWatch {
    fn drop(&mut self) {
        self.links.lock().unwatch();
        self.signal.stop.store(true, Ordering::Release);
        self.signal.wake();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the link watch had panicked");
        }
    }
}

fn watch(
    links: &Links,
    socket: &OwnedFd,
    signal: &Signal,
    stale: &dyn Fn(&'static str),
    changed: &dyn Fn(&LinkEvent),
) {
    loop {
        let mut ready = [PollFd::new(socket, PollFlags::IN), PollFd::new(&signal.fd, PollFlags::IN)];
        if let Err(error) = rustix::io::retry_on_intr(|| poll(&mut ready, None)) {
            tracing::error!(%error, "the link watch cannot wait: changes are noticed only when data is loaded");
            return;
        }
        signal.clear();
        if signal.stop.load(Ordering::Acquire) {
            return;
        }
        let news = gather(links);
        let groups = [(news.links, STALE_WITH_LINKS), (news.addresses, STALE_WITH_ADDRESSES)];
        groups
            .iter()
            .filter(|(is_news, _)| *is_news)
            .flat_map(|(_, names)| *names)
            .for_each(|name| stale(name));
        news.events.iter().for_each(changed);
    }
}

fn gather(links: &Links) -> News {
    let mut state = links.lock();
    let now = Instant::now();
    state.take_notifications(now);
    if state.is_in_doubt()
        && let Err(error) = state.read_all(now)
    {
        tracing::warn!(%error, "cannot read interfaces again after lost notifications");
    }
    state.take_news()
}
