//! Server counters. A counter is declared once, with its doc comment; the counting struct, the struct of values
//! and their names are generated.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// `counters! { Counters, Counts { /// Doc comment of each. name, } }`
macro_rules! counters {
    (
        $(#[$of:meta])* $counters:ident,
        $(#[$at:meta])* $counts:ident { $($(#[$words:meta])* $name:ident,)* }
    ) => {
        $(#[$of])*
        #[derive(Debug, Default)]
        pub struct $counters {
            $(pub(crate) $name: std::sync::atomic::AtomicU64,)*
        }

        $(#[$at])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $counts {
            $($(#[$words])* pub $name: u64,)*
        }

        impl $counters {
            /// The values now.
            #[must_use]
            pub fn read(&self) -> $counts {
                let now = std::sync::atomic::Ordering::Relaxed;
                $counts { $($name: self.$name.load(now),)* }
            }
        }

        impl $counts {
            /// All values with their names.
            #[must_use]
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }
    };
}

pub(crate) use counters;

/// Counts one event.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

/// Counts `n` of something.
pub(crate) fn add(counter: &AtomicU64, n: usize) {
    counter.fetch_add(n as u64, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::{add, count};

    counters! {
        /// Of a fishmonger.
        Fishes,
        /// At one time.
        FishesNow {
            /// In the net.
            caught,
            /// And out of it.
            escaped,
        }
    }

    #[test]
    fn counters_are_read_at_one_time_and_by_their_names() {
        let fishes = Fishes::default();
        add(&fishes.caught, 7);
        count(&fishes.escaped);
        let now = fishes.read();
        count(&fishes.escaped);
        assert_eq!(now, FishesNow { caught: 7, escaped: 1 });
        assert_eq!(fishes.read().named(), [("caught", 7), ("escaped", 2)]);
    }
}
