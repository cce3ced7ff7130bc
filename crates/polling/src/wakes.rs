//! When each device is to be looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// The next moment of each device, the soonest first.
#[derive(Debug)]
pub(crate) struct Wakes {
    heap: BinaryHeap<Reverse<(Duration, usize)>>,
    /// Of each device; other entries of the heap are over.
    next: Vec<Option<Duration>>,
}

impl Wakes {
    /// Of so many devices, none of which is to be looked at.
    pub fn of(devices: usize) -> Self {
        Wakes { heap: BinaryHeap::new(), next: vec![None; devices] }
    }

    /// A device is to be looked at then, if not before.
    pub fn at(&mut self, at: Duration, which: usize) {
        let Some(next) = self.next.get_mut(which) else { return };
        if next.is_none_or(|known| at < known) {
            *next = Some(at);
            self.heap.push(Reverse((at, which)));
        }
    }

    /// A device whose moment has come; it has none from then on.
    pub fn due(&mut self, now: Duration) -> Option<usize> {
        while let Some(Reverse((at, which))) = self.heap.peek().copied().filter(|Reverse((at, _))| *at <= now)
        {
            self.heap.pop();
            if let Some(next) = self.next.get_mut(which).filter(|next| **next == Some(at)) {
                *next = None;
                return Some(which);
            }
        }
        None
    }

    /// When to ask again at the latest.
    pub fn soonest(&self) -> Option<Duration> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_soonest_counts() {
        let mut wakes = Wakes::of(2);
        wakes.at(5 * SECOND, 0);
        wakes.at(3 * SECOND, 1);
        wakes.at(2 * SECOND, 0);
        wakes.at(4 * SECOND, 0);
        assert_eq!((wakes.soonest(), wakes.due(SECOND)), (Some(2 * SECOND), None));
        assert_eq!(
            [wakes.due(9 * SECOND), wakes.due(9 * SECOND), wakes.due(9 * SECOND)],
            [Some(0), Some(1), None]
        );
        assert_eq!(wakes.soonest(), None);
    }

    /// Each answer is a reason to look at the device, and to see when it is next.
    #[test]
    fn answers_do_not_add_up() {
        let mut wakes = Wakes::of(1);
        for cycle in 0..1000 {
            let due = cycle * 60 * SECOND;
            wakes.at(due, 0);
            assert_eq!(wakes.due(due), Some(0));
            for answer in 1..10 {
                wakes.at(due + answer * SECOND + SECOND, 0);
                wakes.at(due + 60 * SECOND, 0);
            }
            let mut looks = 0;
            while wakes.due(due + 59 * SECOND).is_some() {
                wakes.at(due + 60 * SECOND, 0);
                looks += 1;
            }
            assert!(looks <= 2 && wakes.heap.len() <= 4, "{looks}, {wakes:?}");
        }
    }
}
