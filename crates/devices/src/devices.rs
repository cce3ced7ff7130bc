//! All devices of a program, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::Notify;

use crate::memory::Memory;
use crate::{Device, Happenings};

/// Devices by their names: those that the program was given when it started, and those of its configuration. What reads one
/// goes on with it when others take its place.
#[derive(Default)]
pub struct Devices {
    given: ArcSwap<Named>,
    configured: ArcSwap<Named>,
    happenings: Arc<Happenings>,
    forgotten: Arc<Notify>,
    memory: Arc<Memory>,
}

type Named = BTreeMap<String, Arc<Device>>;

impl Devices {
    /// The device of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Arc<Device>> {
        self.given.load().get(name).or(self.configured.load().get(name)).cloned()
    }

    /// What they have told.
    #[must_use]
    pub fn happenings(&self) -> &Arc<Happenings> {
        &self.happenings
    }

    /// Says when what was read of one is forgotten.
    #[must_use]
    pub fn forgotten(&self) -> &Arc<Notify> {
        &self.forgotten
    }

    /// All of them, by name.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Device>> {
        let mut all = (**self.configured.load()).clone();
        all.extend(self.given.load().iter().map(|(name, device)| (name.clone(), device.clone())));
        all.into_values().collect()
    }

    /// Those that the program was given.
    pub fn give(&self, devices: impl IntoIterator<Item = Device>) {
        self.given.store(Arc::new(self.named(devices)));
    }

    /// Those of the configuration take the place of those before, but for those that go on.
    pub fn configure(&self, devices: impl IntoIterator<Item = Device>, goes_on: impl Fn(&Device) -> bool) {
        let mut named = self.named(devices);
        for (name, device) in self.configured.load().iter().filter(|(_, device)| goes_on(device)) {
            named.entry(name.clone()).and_modify(|new| *new = device.clone());
        }
        self.configured.store(Arc::new(named));
    }

    /// Of two with one name the last one counts.
    fn named(&self, devices: impl IntoIterator<Item = Device>) -> Named {
        let with_notice =
            devices.into_iter().map(|device| device.noticed_by(self.forgotten.clone(), self.memory.clone()));
        with_notice.map(|device| (device.name().to_owned(), Arc::new(device))).collect()
    }
}

/// Whether a device may have this name: it stands in URLs.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let may_stand = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
    (1..=65).contains(&name.len()) && name.bytes().all(may_stand) && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_urls() {
        for name in ["switch", "10.0.0.1", "a_b-c~d", &"x".repeat(65)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a/b", "a b", "..", ".hidden", "a%2f", "ü", &"x".repeat(66)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
