//! The entries of the logs, oldest first, and which of them to discard.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_tree::policy::AdminString;

use super::LoggedNotification;

/// The most entries of all logs together, whatever managers say.
pub const MAX_ENTRIES: usize = 5000;

/// The most octets of names and values of all of them, about.
pub const MAX_OCTETS: usize = 8 << 20;

/// An entry of a log.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub log: AdminString,
    /// nlmLogIndex.
    pub index: u32,
    pub at: Instant,
    /// nlmLogTime.
    pub uptime: u32,
    /// nlmLogDateAndTime.
    pub date: [u8; 11],
    pub notification: Arc<LoggedNotification>,
    /// What it holds, about.
    octets: usize,
}

/// All entries, oldest first, and what was counted.
#[derive(Debug, Default)]
pub(super) struct Entries {
    entries: VecDeque<Entry>,
    counts: BTreeMap<AdminString, Counts>,
    /// Of all logs.
    total: Counts,
    next_index: u32,
}

/// nlmStatsLogNotificationsLogged and ...Bumped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub logged: u32,
    pub bumped: u32,
}

/// How many entries a log may have; 0: no separate limit.
pub(super) struct LogLimit<'l> {
    pub name: &'l AdminString,
    pub entries: u32,
}

impl Entries {
    pub fn push(
        &mut self,
        log: AdminString,
        now: Instant,
        uptime: u32,
        date: [u8; 11],
        notification: &LoggedNotification,
    ) {
        // RFC 3014: after the greatest index comes 1.
        self.next_index = self.next_index.checked_add(1).unwrap_or(1);
        // The same notification in several logs is kept once.
        let last = self.entries.back().map(|entry| &entry.notification);
        let notification = match last.filter(|last| ***last == *notification) {
            Some(last) => last.clone(),
            None => Arc::new(notification.clone()),
        };
        let counts = self.counts.entry(log.clone()).or_default();
        counts.logged = counts.logged.wrapping_add(1);
        self.total.logged = self.total.logged.wrapping_add(1);
        let (index, octets) = (self.next_index, notification.octets());
        self.entries.push_back(Entry { log, index, at: now, uptime, date, notification, octets });
    }

    /// Discards expired entries, and the oldest of those above the limits.
    pub fn trim<'l>(
        &mut self,
        now: Instant,
        logs: impl Iterator<Item = LogLimit<'l>>,
        global: u32,
        age: Option<Duration>,
    ) {
        if let Some(age) = age {
            self.entries.retain(|entry| now.saturating_duration_since(entry.at) < age);
        }
        for LogLimit { name, entries } in logs.filter(|log| log.entries > 0) {
            let present = self.entries.iter().filter(|entry| entry.log == *name).count();
            for _ in entries as usize..present {
                if let Some(at) = self.entries.iter().position(|entry| entry.log == *name) {
                    self.bump(at);
                }
            }
        }
        let limit = if global == 0 { MAX_ENTRIES } else { MAX_ENTRIES.min(global as usize) };
        let mut octets: usize = self.entries.iter().map(|entry| entry.octets).sum();
        while self.entries.len() > limit || octets > MAX_OCTETS {
            octets -= self.entries.front().map_or(octets, |oldest| oldest.octets);
            self.bump(0);
        }
    }

    fn bump(&mut self, at: usize) {
        if let Some(entry) = self.entries.remove(at) {
            let counts = self.counts.entry(entry.log).or_default();
            counts.bumped = counts.bumped.wrapping_add(1);
            self.total.bumped = self.total.bumped.wrapping_add(1);
        }
    }

    /// Forgets the entries and counts of logs that are no more.
    pub fn retain_logs(&mut self, keep: impl Fn(&AdminString) -> bool) {
        self.entries.retain(|entry| keep(&entry.log));
        self.counts.retain(|log, _| keep(log));
    }

    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// What was counted for a log.
    pub fn counts(&self, log: &AdminString) -> Counts {
        self.counts.get(log).copied().unwrap_or_default()
    }

    /// What was counted for all logs.
    pub fn total(&self) -> Counts {
        self.total
    }
}
