//! The machine's interfaces as known at this moment, and their previous states: one table that loads and the link
//! watch share.
//!
//! Reading every attribute of 3,000 interfaces costs the kernel some 20 ms, their counters alone a
//! tenth of that. So attributes are read once, kept up to date by the kernel's notifications, and
//! a load reads counters only; wherever a doubt arises, everything is read again.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use trunkline_tree::SourceError;

use crate::interfaces_status::{admin_status, oper_status};
use crate::last_change::LastChange;
use crate::links_entry::Entry;
use crate::links_speed::Speeds;
use crate::signal::Signal;
use crate::{LinkEvent, LinkStatus};
use trunkline_source::SourceRoot;
use trunkline_source::netlink::link::{Link, LinkCounters, RTM_DELLINK};
use trunkline_source::netlink::{Dump, Message, Netlink, Received, Socket, address};

/// The known interfaces of the machine; cloning shares them.
#[derive(Clone, Debug)]
pub struct Links {
    state: Arc<Mutex<State>>,
}

/// The table itself, while it is locked.
#[derive(Debug)]
pub(crate) struct State {
    root: SourceRoot,
    started: Instant,
    netlink: Netlink,
    speeds: Speeds,
    notifications: Option<Socket>,
    /// The link watch, if there is one.
    watch: Option<Arc<Signal>>,
    /// Sorted by index.
    entries: Vec<Entry>,
    /// Whether the entries are all there is; then only counters need to be read.
    complete: bool,
    /// When everything was last read.
    read: Option<Instant>,
    /// Whether the interfaces have been read once: those found then have no past.
    seen_once: bool,
    table_last_change: u32,
    stack: LastChange<Vec<(u32, u32)>>,
    news: News,
}

/// What has changed since the last query.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// An interface came, went or changed.
    pub links: bool,
    /// An address came or went.
    pub addresses: bool,
    /// In order; gathered only for a link watch.
    pub events: Vec<LinkEvent>,
}

/// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR. Routes and neighbours are left out: on a
/// busy router they change too often for each change to be worth a wake-up.
const GROUPS: u32 = 0x1 | 0x10 | 0x100;

/// Room for a burst of notifications, in octets (a bridge with many ports goes down); what does
/// not fit is found again by reading everything.
const BURST: usize = 1024 * 1024;

/// How old attributes may become without being read again, whatever was notified: the kernel is silent about a
/// new alias of an interface that is down.
const OLDEST: Duration = Duration::from_secs(60);

/// sysUpTime at `now`: hundredths of a second since `started`, which wrap after 497 days.
pub(crate) fn up_time(started: Instant, now: Instant) -> u32 {
    (now.saturating_duration_since(started).as_millis() / 10) as u32
}

impl Links {
    /// Nothing is read yet. `started` is the moment when sysUpTime was 0.
    pub fn new(root: SourceRoot, started: Instant) -> Self {
        let state = State {
            netlink: root.netlink(),
            speeds: Speeds::new(root.clone()),
            root,
            started,
            notifications: None,
            watch: None,
            entries: Vec::new(),
            complete: false,
            read: None,
            seen_once: false,
            table_last_change: 0,
            stack: LastChange::default(),
            news: News::default(),
        };
        Links { state: Arc::new(Mutex::new(state)) }
    }

    /// Locks the table.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // After a panic in another thread the next load reads the current state.
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut state = poisoned.into_inner();
            state.complete = false;
            state
        })
    }
}

impl State {
    /// sysUpTime at `now`.
    pub(crate) fn up_time(&self, now: Instant) -> u32 {
        up_time(self.started, now)
    }

    /// Makes the table true at `now`, counters and speeds included.
    pub(crate) fn refresh(&mut self, now: Instant) -> Result<(), SourceError> {
        self.catch_up(now);
        if !self.read_counters(now)? {
            self.read_all(now)?;
        }
        self.speeds.begin();
        for entry in self.entries.iter_mut().filter(|entry| entry.settings.is_none()) {
            entry.settings = Some(self.speeds.read(&entry.link()));
        }
        Ok(())
    }

    /// Updates the table to `now`, except for counters and speeds.
    pub(crate) fn refresh_attributes(&mut self, now: Instant) -> Result<(), SourceError> {
        self.catch_up(now);
        if self.complete { Ok(()) } else { self.read_all(now) }
    }

    fn catch_up(&mut self, now: Instant) {
        if let Err(error) = self.listen() {
            tracing::warn!(%error, "no notifications from the kernel: each load reads all interfaces again");
        }
        self.take_notifications(now);
        if self.read.is_some_and(|read| now.saturating_duration_since(read) > OLDEST) {
            self.complete = false;
        }
        if let (true, Some(watch)) = (self.news.links || self.news.addresses, &self.watch) {
            watch.wake(); // it did not see what was taken here
        }
    }

    /// Opens the socket for notifications, once. It must be open before the first dump, so that
    /// no change falls between the two.
    fn listen(&mut self) -> io::Result<()> {
        if self.notifications.is_none() && !self.root.is_recording() {
            self.notifications = Some(Socket::listen(GROUPS, BURST)?);
            self.complete = false;
        }
        Ok(())
    }

    /// Starts to collect events for a link watch, and returns a handle of the socket for notifications to wait
    /// on; `None` for a recording.
    pub(crate) fn watch(&mut self, signal: Arc<Signal>) -> io::Result<Option<OwnedFd>> {
        self.listen()?;
        self.watch = Some(signal);
        self.notifications.as_ref().map(|socket| socket.as_fd().try_clone_to_owned()).transpose()
    }

    /// Ends gathering events.
    pub(crate) fn unwatch(&mut self) {
        self.watch = None;
        self.news = News::default();
    }

    /// Processes the kernel's notifications, without waiting.
    pub(crate) fn take_notifications(&mut self, now: Instant) {
        let Some(mut socket) = self.notifications.take() else { return };
        loop {
            match socket.notifications(&mut |message| self.notified(message, now)) {
                Ok(Received::Messages) => {}
                Ok(Received::Nothing) => break,
                Ok(Received::Lost) => self.distrust(),
                Err(error) => {
                    tracing::warn!(%error, "cannot receive link notifications");
                    self.distrust();
                    break;
                }
            }
        }
        self.notifications = Some(socket);
    }

    /// Everything must be read again: we have made a change that the kernel may not notify.
    pub(crate) fn doubt(&mut self) {
        self.complete = false;
    }

    /// Whether all interfaces must be read before the table is true again.
    pub(crate) fn is_in_doubt(&self) -> bool {
        !self.complete
    }

    fn distrust(&mut self) {
        self.complete = false;
        (self.news.links, self.news.addresses) = (true, true);
    }

    fn notified(&mut self, message: Message<'_>, now: Instant) {
        if matches!(message.kind, address::RTM_NEWADDR | address::RTM_DELADDR) {
            self.news.addresses = true;
        }
        let Some(link) = Link::parse(message) else { return };
        self.news.links = true;
        if message.kind == RTM_DELLINK {
            self.remove(link.index, now);
        } else {
            self.put(&link, now);
            // A member's new speed is also its bond's, and that of the VLANs above it.
            self.forget_speeds_around(link.index, link.master);
        }
    }

    /// Reads everything again.
    pub(crate) fn read_all(&mut self, now: Instant) -> Result<(), SourceError> {
        let mut netlink = std::mem::replace(&mut self.netlink, self.root.netlink());
        let seen = netlink.collect(Dump::Links, BTreeSet::new, |seen, message| {
            if let Some(link) = Link::parse(message) {
                self.put(&link, now);
                seen.insert(link.index);
            }
        });
        self.netlink = netlink;
        let seen = seen?;
        let gone: Vec<u32> =
            self.entries.iter().map(|entry| entry.index).filter(|index| !seen.contains(index)).collect();
        gone.into_iter().for_each(|index| self.remove(index, now));
        (self.complete, self.seen_once) = (self.notifications.is_some(), true);
        self.read = Some(now);
        Ok(())
    }

    /// Reads the counters of the known interfaces. `false`: that is not enough, all must be read.
    fn read_counters(&mut self, now: Instant) -> Result<bool, SourceError> {
        if !self.complete {
            return Ok(false);
        }
        let now = self.up_time(now);
        let entries = &mut self.entries;
        let start = || Counting { next: 0, known: 0, unknown: 0 };
        let counting = self.netlink.collect(Dump::LinkCounters, start, |counting, message| {
            if let Some((index, counters)) = LinkCounters::of_message(message) {
                counting.take(entries, index, counters, now);
            }
        });
        match counting {
            Ok(counting) => Ok(counting.unknown == 0 && counting.known == self.entries.len()),
            Err(error) => {
                tracing::debug!(%error, "cannot read counters alone"); // a kernel before 4.7
                Ok(false)
            }
        }
    }

    fn put(&mut self, link: &Link<'_>, now: Instant) {
        let now = self.up_time(now);
        let found = self.entries.binary_search_by_key(&link.index, |entry| entry.index);
        let (before, appeared) = match found {
            Ok(at) => {
                let known = self.entries[at].link();
                let (before, is_renamed) = (status(&known), known.name != link.name);
                self.entries[at].update(link, now);
                (Some(before), is_renamed)
            }
            Err(at) => {
                // RFC 2863 requires zero for states entered before the agent started.
                let since = if self.seen_once { now } else { 0 };
                self.table_last_change = self.table_last_change.max(since);
                self.entries.insert(at, Entry::new(link, since));
                (None, true)
            }
        };
        self.event(link, before, Some(status(link)), appeared);
    }

    fn remove(&mut self, index: u32, now: Instant) {
        if let Ok(at) = self.entries.binary_search_by_key(&index, |entry| entry.index) {
            let entry = self.entries.remove(at);
            self.table_last_change = self.up_time(now);
            self.event(&entry.link(), Some(status(&entry.link())), None, false);
        }
    }

    fn event(
        &mut self,
        link: &Link<'_>,
        before: Option<LinkStatus>,
        after: Option<LinkStatus>,
        appeared: bool,
    ) {
        if self.watch.is_some() && self.seen_once && (before != after || appeared) {
            let name = String::from_utf8_lossy(link.name).into_owned();
            self.news.events.push(LinkEvent { index: link.index, name, before, after, appeared });
        }
    }

    fn forget_speeds_around(&mut self, index: u32, master: Option<u32>) {
        let touched = |entry: &&mut Entry| {
            entry.index == index || Some(entry.index) == master || entry.link().link == Some(index)
        };
        self.entries.iter_mut().filter(touched).for_each(|entry| entry.settings = None);
    }

    /// The interfaces in order of their index.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// ifTableLastChange.
    pub(crate) fn table_last_change(&self) -> u32 {
        self.table_last_change
    }

    /// ifStackLastChange, given the rows of ifStackTable as they are at `now`.
    pub(crate) fn stack_last_change(&mut self, rows: &[(u32, u32)], now: Instant) -> u32 {
        let now = self.up_time(now);
        self.stack.see(rows.to_vec(), now)
    }

    /// What has changed since this was last called.
    pub(crate) fn take_news(&mut self) -> News {
        std::mem::take(&mut self.news)
    }
}

fn status(link: &Link<'_>) -> LinkStatus {
    LinkStatus { admin: admin_status(link), oper: oper_status(link) }
}

/// Counters being handed out; the kernel lists interfaces by index, so the next one is mostly next.
struct Counting {
    next: usize,
    known: usize,
    unknown: usize,
}

impl Counting {
    fn take(&mut self, entries: &mut [Entry], index: u32, counters: LinkCounters, now: u32) {
        let expected = entries.get(self.next).is_some_and(|entry| entry.index == index);
        let at =
            if expected { Ok(self.next) } else { entries.binary_search_by_key(&index, |entry| entry.index) };
        match at {
            Ok(at) => {
                entries[at].count(counters, now);
                self.known += 1;
                self.next = at + 1;
            }
            Err(_) => self.unknown += 1,
        }
    }
}
