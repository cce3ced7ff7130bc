//! When the rows of a table last changed, as far as loads have seen it.

/// Remembers what exists, and since when.
#[derive(Debug)]
pub(crate) struct LastChange<T> {
    known: Option<T>,
    at: u32,
}

impl<T> Default for LastChange<T> {
    fn default() -> Self {
        LastChange { known: None, at: 0 }
    }
}

impl<T: PartialEq> LastChange<T> {
    /// Returns when what is `there` at `now` (sysUpTime, in hundredths of a second) appeared: 0 for what existed
    /// at the first look.
    pub(crate) fn see(&mut self, there: T, now: u32) -> u32 {
        if self.known.as_ref().is_some_and(|known| *known != there) {
            self.at = now;
        }
        self.known = Some(there);
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_difference_is_a_change() {
        let mut rows = LastChange::default();
        let seen = [(vec![1], 10), (vec![1], 20), (vec![1, 2], 30), (vec![1, 2], 40), (vec![], 50)];
        assert_eq!(seen.map(|(there, now)| rows.see(there, now)), [0, 0, 30, 30, 50]);
    }
}
