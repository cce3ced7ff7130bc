//! Hidden cells of rows that are delegated work: by whose rights it is done, and how long. The end of a row that lasts for a number of
//! seconds is kept twice: by the time since the machine started, which nobody sets, and by the clock, for when it has been started again.

use std::time::{SystemTime, UNIX_EPOCH};

/// By whose rights the row acts: its security model, level and name.
pub const AUTHORITY: &str = "authority";

/// How many seconds the row lasts from when it was last configured, in decimal digits.
pub const LIFETIME: &str = "lifetime";

/// Until when it lasts: a time in UTC as YANG writes it.
pub const UNTIL: &str = "until";

/// When it ends: seconds since 1970 in decimal digits; of a lifetime then the machine's boot ID, and seconds since it started.
pub const EXPIRES: &str = "expires";

/// The time, by both clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Now {
    /// Seconds since 1970.
    pub clock: u64,
    /// The boot ID, and the seconds since the machine started, suspended or not; `None`: the kernel does not say.
    pub machine: Option<(String, u64)>,
}

impl Now {
    /// As the machine has it.
    #[must_use]
    pub fn read() -> Self {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let since = rustix::time::clock_gettime(rustix::time::ClockId::Boottime).tv_sec;
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
        let machine = boot_id.ok().zip(u64::try_from(since).ok());
        Now { clock, machine: machine.map(|(id, since)| (id.trim().to_owned(), since)) }
    }

    /// The cell [`EXPIRES`] of a lifetime that begins now.
    #[must_use]
    pub fn end_of(&self, lifetime: u64) -> Vec<u8> {
        let mut cell = self.clock.saturating_add(lifetime).to_string();
        if let Some((id, since)) = &self.machine {
            cell += &format!(" {id} {}", since.saturating_add(lifetime));
        }
        cell.into_bytes()
    }

    /// How many seconds are left until the end that a cell says; 0: it is over. `None`: it says none.
    #[must_use]
    pub fn left(&self, cell: &[u8]) -> Option<u64> {
        let mut words = std::str::from_utf8(cell).ok()?.split(' ');
        let clock: u64 = words.next()?.parse().ok()?;
        let (id, since) = (words.next(), words.next().and_then(|since| since.parse::<u64>().ok()));
        match (&self.machine, id, since) {
            (Some((now_id, now)), Some(id), Some(since)) if now_id == id => Some(since.saturating_sub(*now)),
            _ => Some(clock.saturating_sub(self.clock)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(clock: u64, machine: Option<(&str, u64)>) -> Now {
        Now { clock, machine: machine.map(|(id, since)| (id.to_owned(), since)) }
    }

    #[test]
    fn a_lifetime_does_not_depend_on_the_clock_while_the_machine_runs() {
        let cell = at(1_000, Some(("a", 50))).end_of(100);
        assert_eq!(cell, b"1100 a 150");
        for clock in [0, 1_000, 5_000_000_000] {
            assert_eq!(at(clock, Some(("a", 149))).left(&cell), Some(1));
            assert_eq!(at(clock, Some(("a", 151))).left(&cell), Some(0));
        }
        // After another start, or where nothing is known of it, by the clock.
        for machine in [Some(("b", 5)), None] {
            assert_eq!(at(1_090, machine).left(&cell), Some(10));
            assert_eq!(at(2_000, machine).left(&cell), Some(0));
        }
    }

    #[test]
    fn a_time_is_one_of_the_clock() {
        assert_eq!(at(90, Some(("a", 500))).left(b"100"), Some(10));
        assert_eq!(at(100, None).left(b"100"), Some(0));
        assert_eq!(at(5, None).end_of(u64::MAX), u64::MAX.to_string().into_bytes());
        for wrong in [&b"soon"[..], b"", b"\xff", b" 1"] {
            assert_eq!(at(1, None).left(wrong), None);
        }
        assert_eq!(at(1, Some(("a", 1))).left(b"11 a x"), Some(10));
    }

    #[test]
    fn the_machine_has_both() {
        let (first, then) = (Now::read(), Now::read());
        let since = |now: &Now| now.machine.as_ref().map(|(_, since)| *since);
        assert!(first.clock > 0 && since(&first) <= since(&then));
    }
}
