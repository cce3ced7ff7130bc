//! All devices of a program, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::Device;

/// Devices by their names. What reads one goes on with it when others take its place.
#[derive(Default)]
pub struct Devices(ArcSwap<BTreeMap<String, Arc<Device>>>);

impl Devices {
    /// The device of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Arc<Device>> {
        self.0.load().get(name).cloned()
    }

    /// All of them, by name.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Device>> {
        self.0.load().values().cloned().collect()
    }

    /// These take the place of those before; of two with one name the last one counts.
    pub fn replace(&self, devices: impl IntoIterator<Item = Device>) {
        let named = |device: Device| (device.name().to_owned(), Arc::new(device));
        self.0.store(Arc::new(devices.into_iter().map(named).collect()));
    }
}

/// Whether a device may have this name: it stands in URLs, and is a context of the access policy.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let may_stand = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
    (1..=32).contains(&name.len()) && name.bytes().all(may_stand) && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_urls() {
        for name in ["switch", "10.0.0.1", "a_b-c~d", &"x".repeat(32)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a/b", "a b", "..", ".hidden", "a%2f", "ü", &"x".repeat(33)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
