//! What devices have told: the last notifications in memory, from which each reader takes what it wants at its own pace. A device that
//! tells much displaces its own before those of others.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::watch;
use trunkline_smi::module::trunkline_mib::groups as mib;
use trunkline_smi::schema::Scalar;
use trunkline_smi::{Oid, Value};
use trunkline_tree::Event;

/// A notification of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// When it came.
    pub time: SystemTime,
    /// The name of the device.
    pub device: String,
    /// What it says.
    pub told: Told,
}

/// What a notification says.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// One of SNMP or SOAP: its name and its objects.
    Objects(Oid, Vec<(Oid, Value)>),
    /// One of NETCONF or RESTCONF: its name with its module, and paths and values of its leaves.
    Leaves(String, Vec<(String, String)>),
}

/// The notifications that are kept.
#[derive(Debug)]
pub struct Happenings {
    log: Mutex<Log>,
    /// The number of the next one.
    next: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Log {
    kept: VecDeque<(u64, Arc<Happening>)>,
    octets: usize,
    /// How many there are of each device.
    counts: BTreeMap<String, usize>,
    next: u64,
}

impl Default for Happenings {
    fn default() -> Self {
        Happenings { log: Mutex::default(), next: watch::Sender::new(0) }
    }
}

impl Happenings {
    /// Keeps a notification that came now, and wakes the readers. One that is too long is left out.
    pub fn add(&self, device: &str, told: Told) {
        let happening = Happening { time: SystemTime::now(), device: device.to_owned(), told };
        if happening.octets() > MOST_OF_ONE {
            tracing::debug!(device, "a notification is too long to be kept");
            return;
        }
        let next = self.log().add(happening);
        self.next.send_replace(next);
    }

    /// Keeps a notification that the groups of this agent pass on, under the name of the member's device, if it is one.
    pub fn add_of_member(&self, event: &Event) {
        let of = |scalar: &Scalar| {
            let name = Oid::EMPTY.child(scalar.oid).child(&[0]);
            event.objects.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
        };
        let (Some(Value::OctetString(group)), Some(Value::OctetString(member))) =
            (of(&mib::GROUP_NOTIFY_GROUP), of(&mib::GROUP_NOTIFY_MEMBER))
        else {
            return;
        };
        // What a mid-level manager passes on has the names of its own members behind its name.
        let member = member.split(|octet| *octet == b'/').next().unwrap_or_default();
        let device = format!("{}.{}", String::from_utf8_lossy(group), String::from_utf8_lossy(member));
        self.add(&device, Told::Objects(event.oid.clone(), event.objects.clone()));
    }

    /// The number that the next one will have.
    pub fn next(&self) -> u64 {
        *self.next.borrow()
    }

    /// Tells when there are more.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.next.subscribe()
    }

    /// The first one that is kept with this number or a greater one, and its number.
    pub fn at(&self, number: u64) -> Option<(u64, Arc<Happening>)> {
        let log = self.log();
        let at = log.kept.partition_point(|(known, _)| *known < number);
        log.kept.get(at).cloned()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    fn add(&mut self, happening: Happening) -> u64 {
        let count = self.counts.entry(happening.device.clone()).or_default();
        *count += 1;
        if *count > MOST_OF_DEVICE {
            let oldest = self.kept.iter().position(|(_, it)| it.device == happening.device);
            oldest.into_iter().for_each(|at| self.forget(at));
        }
        self.octets += happening.octets();
        self.kept.push_back((self.next, Arc::new(happening)));
        self.next += 1;
        while self.kept.len() > MOST || self.octets > MOST_OCTETS {
            self.forget(0);
        }
        self.next
    }

    fn forget(&mut self, at: usize) {
        let Some((_, oldest)) = self.kept.remove(at) else { return };
        self.octets -= oldest.octets();
        if let Some(count) = self.counts.get_mut(&oldest.device) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&oldest.device);
            }
        }
    }
}

impl Happening {
    /// Octets that it occupies, about.
    fn octets(&self) -> usize {
        let of_value = |value: &Value| match value {
            Value::OctetString(octets) | Value::Opaque(octets) => octets.len(),
            Value::ObjectIdentifier(oid) => 4 * oid.len(),
            _ => 0,
        };
        let told: usize = match &self.told {
            Told::Objects(name, objects) => {
                let objects = objects.iter().map(|(name, value)| OVERHEAD + 4 * name.len() + of_value(value));
                4 * name.len() + objects.sum::<usize>()
            }
            Told::Leaves(name, leaves) => {
                name.len()
                    + leaves.iter().map(|(path, value)| OVERHEAD + path.len() + value.len()).sum::<usize>()
            }
        };
        size_of::<Self>() + self.device.len() + told
    }
}

/// Notifications that are kept.
const MOST: usize = 1000;
/// Those of one device.
const MOST_OF_DEVICE: usize = 200;
/// Octets of all.
const MOST_OCTETS: usize = 4 << 20;
/// Octets of one.
const MOST_OF_ONE: usize = 128 << 10;
/// Octets of an object or leaf besides its name and value.
const OVERHEAD: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Told {
        Told::Leaves("m:n".into(), vec![("/m:n/x".into(), text.into())])
    }

    fn all(log: &Happenings) -> Vec<(u64, String)> {
        let mut found = Vec::new();
        let mut number = 0;
        while let Some((at, happening)) = log.at(number) {
            found.push((at, happening.device.clone()));
            number = at + 1;
        }
        found
    }

    #[test]
    fn a_device_that_tells_much_displaces_its_own() {
        let log = Happenings::default();
        assert!(log.at(0).is_none());
        log.add("quiet", told("1"));
        (0..5 * MOST).for_each(|_| log.add("loud", told("2")));
        log.add("quiet", told("3"));
        let kept = all(&log);
        assert_eq!(kept.len(), MOST_OF_DEVICE + 2);
        assert_eq!(kept[0], (0, "quiet".into()));
        assert_eq!(kept.last().unwrap(), &(5 * MOST as u64 + 1, "quiet".into()));
        assert_eq!(log.next(), 5 * MOST as u64 + 2);
    }

    #[test]
    fn all_of_them_are_bounded() {
        let log = Happenings::default();
        for device in 0..50 {
            (0..MOST_OF_DEVICE).for_each(|_| log.add(&device.to_string(), told("")));
        }
        assert_eq!(all(&log).len(), MOST);
        (0..100).for_each(|_| log.add("long", told(&"x".repeat(MOST_OF_ONE - 1000))));
        let log_ = log.log();
        assert!(log_.octets <= MOST_OCTETS);
        assert_eq!(log_.octets, log_.kept.iter().map(|(_, it)| it.octets()).sum::<usize>());
        assert_eq!(log_.counts.values().sum::<usize>(), log_.kept.len());
        drop(log_);
        let next = log.next();
        log.add("longer", told(&"x".repeat(MOST_OF_ONE)));
        assert_eq!(log.next(), next);
    }

    #[test]
    fn what_groups_pass_on_is_of_the_members_device() {
        let log = Happenings::default();
        let name = |scalar: &Scalar| Oid::EMPTY.child(scalar.oid).child(&[0]);
        let event = |objects| Event {
            about: None,
            oid: Oid::EMPTY.child(&[1, 3]),
            objects,
            context: String::new(),
            up_time: None,
        };
        log.add_of_member(&event(Vec::new()));
        assert!(log.at(0).is_none());
        log.add_of_member(&event(vec![
            (name(&mib::GROUP_NOTIFY_GROUP), Value::text("edge")),
            (name(&mib::GROUP_NOTIFY_MEMBER), Value::text("mid/inner/r1")),
        ]));
        assert_eq!(log.at(0).unwrap().1.device, "edge.mid");
    }
}
