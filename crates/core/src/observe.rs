//! Objects whose changes somebody wants to hear of: their values are read before and after a change of the configuration.

use std::sync::{Arc, OnceLock};

use trunkline_smi::{Oid, Value};
use trunkline_tree::SetBinding;

use super::Served;

/// Wants to hear of changes.
pub trait Observer: Send + Sync {
    /// The instances that are wanted, of those that a change may be of. With none, the change costs nothing more.
    fn wanted(&self, touched: Touched<'_>) -> Vec<Oid>;

    /// Some of them have other values.
    fn changed(&self, changes: Vec<ObjectChange>);
}

/// What a change may be of.
#[derive(Clone, Copy)]
pub enum Touched<'c> {
    /// These objects, and others of their rows.
    Objects(&'c [SetBinding]),
    /// Whatever is configured over NETCONF and RESTCONF.
    Configuration,
}

/// An instance that has another value.
pub struct ObjectChange {
    /// Which.
    pub name: Oid,
    /// Its value before; `None`: it was not there.
    pub before: Option<Value>,
    /// The same afterwards.
    pub after: Option<Value>,
}

/// Who observes; the first one stays.
#[derive(Clone, Default)]
pub struct Observing(Arc<OnceLock<Arc<dyn Observer>>>);

impl Observing {
    /// From now on this one observes.
    pub fn begin(&self, observer: Arc<dyn Observer>) {
        let _ = self.0.set(observer);
    }

    /// Makes a change of what is served, and reports what has other values after it.
    pub(super) async fn of<T>(
        &self,
        served: &Arc<Served>,
        touched: Touched<'_>,
        change: impl Future<Output = T>,
    ) -> T {
        let wanted = self.0.get().map(|observer| (observer, observer.wanted(touched)));
        let Some((observer, names)) = wanted.filter(|(_, names)| !names.is_empty()) else {
            return change.await;
        };
        let mut before = served.read(&names).await;
        let done = change.await;
        let mut after = served.read(&names).await;
        let changed = |name: Oid| {
            let (before, after) = (before.remove(&name), after.remove(&name));
            (before != after).then_some(ObjectChange { name, before, after })
        };
        let changes: Vec<ObjectChange> = names.into_iter().filter_map(changed).collect();
        if !changes.is_empty() {
            observer.changed(changes);
        }
        done
    }
}
