//! A value derived from the rows of a group: read by every request, rebuilt at each change, and passed to a
//! listener.

use std::sync::{Arc, PoisonError, RwLock};

use arc_swap::ArcSwap;

type Listener<T> = Box<dyn Fn(&Arc<T>) + Send + Sync>;

/// A value that is swapped as a whole.
pub(super) struct Published<T> {
    value: ArcSwap<T>,
    listener: RwLock<Option<Listener<T>>>,
}

impl<T: Default> Default for Published<T> {
    fn default() -> Self {
        Published { value: ArcSwap::default(), listener: RwLock::default() }
    }
}

impl<T> Published<T> {
    /// The value as it is now.
    pub(super) fn get(&self) -> Arc<T> {
        self.value.load_full()
    }

    /// Replaces the value; the listener is called in this thread.
    pub(super) fn publish(&self, value: T) {
        let value = Arc::new(value);
        self.value.store(Arc::clone(&value));
        if let Some(listener) = &*self.listener.read().unwrap_or_else(PoisonError::into_inner) {
            listener(&value);
        }
    }

    /// The listener for each change, called in the thread that makes it; one at a time.
    pub(super) fn on_change(&self, listener: impl Fn(&Arc<T>) + Send + Sync + 'static) {
        *self.listener.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(listener));
    }
}
