//! What is made of the rows of a group: read by every request, made anew at each change, and told to who asked to be told.

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

    /// Another value from now on; the listener is told in this thread.
    pub(super) fn publish(&self, value: T) {
        let value = Arc::new(value);
        self.value.store(Arc::clone(&value));
        if let Some(listener) = &*self.listener.read().unwrap_or_else(PoisonError::into_inner) {
            listener(&value);
        }
    }

    /// Who is told of each change, in the thread that changes; one at a time.
    pub(super) fn on_change(&self, listener: impl Fn(&Arc<T>) + Send + Sync + 'static) {
        *self.listener.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(listener));
    }
}
