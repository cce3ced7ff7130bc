//! How much is kept of all devices together. A device that never ends must not exhaust the program, and neither must many of them,
//! or many tables of one.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use trunkline_client::TableLimit;

/// What is kept of all devices of a program.
pub(crate) struct Memory {
    octets: AtomicUsize,
    /// Says that what nobody reads any more is to go.
    pressure: Notify,
    /// Large tables that may be read at the same time.
    large: Arc<Semaphore>,
}

impl Default for Memory {
    fn default() -> Self {
        let large = Arc::new(Semaphore::new(LARGE_TABLES));
        Memory { octets: AtomicUsize::new(0), pressure: Notify::new(), large }
    }
}

impl Memory {
    /// Resolves when memory is short.
    pub async fn is_short(&self) {
        self.pressure.notified().await;
    }

    fn is_over(&self) -> bool {
        self.octets.load(Relaxed) > MOST
    }
}

/// What is kept of one device. It is given back when the last reader has let go of it.
pub(crate) struct Kept {
    memory: Arc<Memory>,
    groups: Mutex<BTreeMap<&'static str, usize>>,
}

/// Room for a table that is read.
pub(crate) struct Room {
    /// How large it may be.
    pub limit: TableLimit,
    _one_of_few: Option<OwnedSemaphorePermit>,
}

impl Kept {
    pub fn of(memory: Arc<Memory>) -> Self {
        Kept { memory, groups: Mutex::default() }
    }

    /// Room for another table.
    ///
    /// # Errors
    /// There is none: other tables take it.
    pub fn room(&self) -> io::Result<Room> {
        if self.memory.is_over() {
            self.memory.pressure.notify_waiters();
            let words = format!(
                "the data of devices take more than {} MiB together: try again in some seconds",
                MOST >> 20
            );
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, words));
        }
        let permit = self.memory.large.clone().try_acquire_owned().ok();
        let octets = if permit.is_some() { LARGE } else { SMALL };
        Ok(Room { limit: TableLimit { rows: ROWS, octets }, _one_of_few: permit })
    }

    /// So many octets are kept of a group from now on.
    pub fn note(&self, group: &'static str, octets: usize) {
        let before = self.groups().insert(group, octets).unwrap_or(0);
        self.memory.octets.fetch_add(octets, Relaxed);
        self.memory.octets.fetch_sub(before, Relaxed);
        if self.memory.is_over() {
            self.memory.pressure.notify_waiters();
        }
    }

    /// Whether memory is short because of this device.
    pub fn is_too_much(&self) -> bool {
        self.memory.is_over() && self.groups().values().sum::<usize>() > MOST / 2
    }

    fn groups(&self) -> std::sync::MutexGuard<'_, BTreeMap<&'static str, usize>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let all: usize = self.groups().values().sum();
        self.memory.octets.fetch_sub(all, Relaxed);
    }
}

/// Octets of all devices together.
const MOST: usize = 48 << 20;
/// Octets of a table, of which so many may be read at the same time.
const LARGE: usize = 24 << 20;
const LARGE_TABLES: usize = 2;
/// Octets of each further one that is read meanwhile.
const SMALL: usize = 1 << 20;
/// Rows of a table.
const ROWS: usize = 200_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_their_memory_together() {
        let memory = Arc::new(Memory::default());
        let kept = [(); 3].map(|()| Kept::of(memory.clone()));
        let rooms = [(); 3].map(|()| kept[0].room().unwrap());
        assert_eq!(rooms.each_ref().map(|room| room.limit.octets), [LARGE, LARGE, SMALL]);
        drop(rooms);
        assert_eq!(kept[1].room().unwrap().limit.octets, LARGE);
        kept[0].note("ifTable", LARGE);
        kept[0].note("ifTable", LARGE);
        kept[1].note("ifTable", LARGE);
        assert!(kept[2].room().is_ok(), "a group counts once");
        kept[2].note("ifTable", 1);
        assert!(kept[2].room().is_err());
        assert!(!kept[0].is_too_much() && !kept[2].is_too_much());
        kept[0].note("ifXTable", 1);
        assert!(kept[0].is_too_much());
        let [first, _, last] = kept;
        drop(first);
        assert!(last.room().is_ok());
    }
}
