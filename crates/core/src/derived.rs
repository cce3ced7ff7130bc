//! What a door derives from the tree and keeps: once per served tree.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use arc_swap::ArcSwapOption;

use super::Served;

/// A place for what a door derives from the tree. It is derived on first use, and again when another tree is
/// served; it does not keep the old tree.
pub struct Derived<T>(ArcSwapOption<Made<T>>);

/// The derived value, and its tree.
pub struct Made<T> {
    of: Weak<Served>,
    value: T,
}

impl<T> Derived<T> {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Derived(ArcSwapOption::const_empty())
    }

    /// The value that `make` derives from this tree, now or in an earlier call. Two concurrent calls may both
    /// derive it.
    pub fn of(&self, served: &Arc<Served>, make: impl FnOnce(&Served) -> T) -> Arc<Made<T>> {
        // As long as it is known by a `Weak`, no other tree is at its address.
        let known = self.0.load_full().filter(|made| Weak::as_ptr(&made.of) == Arc::as_ptr(served));
        known.unwrap_or_else(|| {
            let made = Arc::new(Made { of: Arc::downgrade(served), value: make(served) });
            self.0.store(Some(made.clone()));
            made
        })
    }
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Made<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Instant;

    use trunkline_tree::TreeBuilder;

    use super::*;

    #[test]
    fn it_is_made_once_for_each_tree_and_keeps_none() {
        let served =
            || Served::new(Arc::new(TreeBuilder::default().build(Instant::now()).unwrap()), Vec::new());
        let (derived, made) = (Derived::new(), Cell::new(0));
        let count = |_: &Served| {
            made.set(made.get() + 1);
            made.get()
        };
        let first = served();
        assert_eq!((**derived.of(&first, count), **derived.of(&first, count)), (1, 1));
        let second = served();
        assert_eq!((**derived.of(&second, count), **derived.of(&second, count)), (2, 2));
        assert_eq!(Arc::strong_count(&second), 1);
        drop((first, second));
        assert_eq!(**derived.of(&served(), count), 3);
    }
}
