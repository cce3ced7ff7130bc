//! Objects whose changes somebody wants to hear of: their values are read before and after a change of the configuration.

use std::sync::{Arc, OnceLock};

use trunkline_smi::{Oid, Value};
use trunkline_tree::SetBinding;

use super::Settings;

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
}

impl Settings {
    /// Makes a change, and reports what has other values after it, whether it has failed or not. Changes of one object that are made at the same time may be
    /// reported as one, and twice.
    pub async fn observed<T>(&self, touched: Touched<'_>, change: impl Future<Output = T>) -> T {
        let observer = self.observing.0.get();
        let wanted = observer.map(|observer| (observer, observer.wanted(touched)));
        let Some((observer, names)) = wanted.filter(|(_, names)| !names.is_empty()) else {
            return change.await;
        };
        let mut before = self.served().read(&names).await;
        let done = change.await;
        let mut after = self.served().read(&names).await;
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
