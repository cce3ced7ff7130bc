//! Messages that a device gets without a session, from a store or over a relay: each is accepted once, until it expires.
//!
//! A device remembers the numbers that it accepted, of each key, until their messages expire; so they must expire, and within a
//! time that bounds how many there are. If there is no room, nothing is forgotten: a message is refused. The numbers survive a
//! restart as text: [`StoredReplay::write`] before what a message asks is done.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write;
use std::time::Duration;

use thiserror::Error;

use crate::header::{Direction, Header, Place};
use crate::name::{DeviceName, KeyName};
use crate::number::decimal;
use crate::replay::{ReplayError, WINDOW};
use crate::time::Time;

/// How much a device remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLimits {
    /// From a message's time to when it expires.
    pub validity: Duration,
    /// Messages of all keys.
    pub messages: usize,
    /// Messages of one key, so that none takes the room of others.
    pub messages_of_key: usize,
}

impl StoredLimits {
    /// Thirty days, and some megaoctets of memory.
    pub const USUAL: Self =
        Self { validity: Duration::from_secs(30 * 86_400), messages: 65_536, messages_of_key: 4096 };
}

/// A text that [`StoredReplay::write`] has not written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotStored {
    /// Another beginning, or another device.
    #[error("expected numbers of messages for {device}")]
    Beginning {
        /// The device that reads.
        device: DeviceName,
    },
    /// A line that is not one of its kind, or more of them than are kept.
    #[error("line {line} is not `EXPIRES NUMBER KEY`, or one too many")]
    Line {
        /// Its number, from 1.
        line: usize,
    },
}

/// What a device remembers of stored messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReplay {
    device: DeviceName,
    limits: StoredLimits,
    /// By key and number: when the message expires.
    seen: BTreeMap<KeyName, BTreeMap<u64, Time>>,
    count: usize,
    /// The latest expiry of what is forgotten: nothing that expires until then is accepted, whatever a clock that went back says.
    forgotten: Option<Time>,
}

impl StoredReplay {
    /// Before the first message to a device of this name.
    pub fn new(device: DeviceName, limits: StoredLimits) -> Self {
        Self { device, limits, seen: BTreeMap::new(), count: 0, forgotten: None }
    }

    /// For a device that has another name now. The numbers stay: of each key they are used once, whatever the device was called.
    #[must_use]
    pub fn named(self, device: DeviceName) -> Self {
        Self { device, ..self }
    }

    /// The device's name.
    pub fn device(&self) -> &DeviceName {
        &self.device
    }

    /// Accepts an authentic message of this key once.
    ///
    /// # Errors
    ///
    /// It is refused, and nothing has changed but that expired numbers may be forgotten.
    pub fn accept(&mut self, key: &KeyName, header: &Header, now: Time) -> Result<(), ReplayError> {
        if !matches!(&header.place, Place::Device(device) if *device == self.device) {
            return Err(ReplayError::Device);
        }
        if header.direction != Direction::Request {
            return Err(ReplayError::Direction(header.direction));
        }
        let expires = header.expires.ok_or(ReplayError::Device)?;
        if expires <= now || self.forgotten.is_some_and(|forgotten| expires <= forgotten) {
            return Err(ReplayError::Expired { expired: expires });
        }
        if header.time > now.after(WINDOW) {
            return Err(ReplayError::Time { found: header.time, now });
        }
        if expires > header.time.after(self.limits.validity) {
            return Err(ReplayError::TooLong { expires, longest: self.limits.validity });
        }
        self.remember(key, header.number, expires, now)
    }

    fn remember(&mut self, key: &KeyName, number: u64, expires: Time, now: Time) -> Result<(), ReplayError> {
        let of_key = |seen: &BTreeMap<KeyName, BTreeMap<u64, Time>>| seen.get(key).map_or(0, BTreeMap::len);
        if self.seen.get(key).is_some_and(|numbers| numbers.contains_key(&number)) {
            return Err(ReplayError::Seen { found: number });
        }
        if self.count >= self.limits.messages || of_key(&self.seen) >= self.limits.messages_of_key {
            self.forget(now);
        }
        for (count, limit) in
            [(self.count, self.limits.messages), (of_key(&self.seen), self.limits.messages_of_key)]
        {
            if count >= limit {
                return Err(ReplayError::Full { limit });
            }
        }
        self.seen.entry(key.clone()).or_default().insert(number, expires);
        self.count += 1;
        Ok(())
    }

    /// Takes back that a message was accepted: its number could not be kept, and what it asks is not done.
    pub fn take_back(&mut self, key: &KeyName, number: u64) {
        let Some(numbers) = self.seen.get_mut(key) else { return };
        if numbers.remove(&number).is_some() {
            self.count -= 1;
        }
        if numbers.is_empty() {
            self.seen.remove(key);
        }
    }

    /// Forgets what has expired.
    pub fn forget(&mut self, now: Time) {
        let forgotten = &mut self.forgotten;
        self.seen.retain(|_, numbers| {
            numbers.retain(|_, expires| {
                let stays = *expires > now;
                if !stays {
                    *forgotten = (*forgotten).max(Some(*expires));
                }
                stays
            });
            !numbers.is_empty()
        });
        self.count = self.seen.values().map(BTreeMap::len).sum();
    }

    /// How many messages are remembered.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of it as text, a message in each line.
    pub fn write(&self) -> String {
        let mut text = format!("{BEGINNING}{}\n", self.device);
        if let Some(forgotten) = self.forgotten {
            let _ = writeln!(text, "{FORGOTTEN}{forgotten}");
        }
        for (key, numbers) in &self.seen {
            for (number, expires) in numbers {
                // writing to a String cannot fail
                let _ = writeln!(text, "{expires} {number} {key}");
            }
        }
        text
    }

    /// What was written for this device.
    ///
    /// # Errors
    ///
    /// It is something else, or more than the limits allow.
    pub fn read(text: &str, device: DeviceName, limits: StoredLimits) -> Result<Self, NotStored> {
        let mut stored = Self::new(device, limits);
        let rest = text.strip_prefix(BEGINNING).and_then(|rest| rest.strip_prefix(stored.device.as_str()));
        let Some(rest) = rest.and_then(|rest| rest.strip_prefix('\n')) else {
            return Err(NotStored::Beginning { device: stored.device });
        };
        if !rest.is_empty() && !rest.ends_with('\n') {
            return Err(NotStored::Line { line: 1 + rest.split('\n').count() });
        }
        for (at, line) in rest.split_terminator('\n').enumerate() {
            if at == 0
                && let Some(time) = line.strip_prefix(FORGOTTEN)
            {
                let time = Time::from_spelling(time.as_bytes());
                stored.forgotten = Some(time.ok_or(NotStored::Line { line: 2 })?);
                continue;
            }
            stored.read_line(line).ok_or(NotStored::Line { line: at + 2 })?;
        }
        Ok(stored)
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let mut fields = line.split(' ');
        let expires: Time = Time::from_spelling(fields.next()?.as_bytes())?;
        let number = decimal(fields.next()?)?;
        let key: KeyName = fields.next()?.parse().ok()?;
        if fields.next().is_some() || self.count >= self.limits.messages {
            return None;
        }
        let numbers = self.seen.entry(key).or_default();
        let room = numbers.len() < self.limits.messages_of_key;
        match numbers.entry(number) {
            Entry::Vacant(vacant) if room => vacant.insert(expires),
            _ => return None,
        };
        self.count += 1;
        Some(())
    }
}

/// What the text begins with, before the device's name.
const BEGINNING: &str = "trunkline stored messages 1 ";
/// What the second line begins with if something is forgotten, before the latest expiry of that.
const FORGOTTEN: &str = "forgotten ";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{NotStored, StoredLimits, StoredReplay};
    use crate::header::{Direction, Header, Nonce, Place};
    use crate::name::{DeviceName, KeyName};
    use crate::replay::ReplayError;
    use crate::time::Time;

    type Change = fn(&mut Header);

    const LIMITS: StoredLimits =
        StoredLimits { validity: Duration::from_secs(1000), messages: 4, messages_of_key: 3 };

    fn at(seconds: u64) -> Time {
        Time::from_milliseconds(1_795_852_200_000 + seconds * 1000)
    }

    fn device() -> DeviceName {
        "router-1".parse().unwrap()
    }

    fn key(name: &str) -> KeyName {
        name.parse().unwrap()
    }

    fn message(number: u64) -> Header {
        Header {
            direction: Direction::Request,
            place: Place::Device(device()),
            number,
            in_reply_to: None,
            time: at(0),
            expires: Some(at(1000)),
            compression: None,
            role: None,
        }
    }

    #[test]
    fn each_is_accepted_once_also_after_a_restart() {
        let mut stored = StoredReplay::new(device(), LIMITS);
        let alice = key("operator/3/alice");
        assert_eq!(stored.accept(&alice, &message(7), at(1)), Ok(()));
        assert_eq!(stored.accept(&alice, &message(7), at(999)), Err(ReplayError::Seen { found: 7 }));
        // lower numbers come late, from a store
        assert_eq!(stored.accept(&alice, &message(3), at(1)), Ok(()));
        assert_eq!(stored.accept(&key("operator/3/bob"), &message(7), at(1)), Ok(()));
        let text = stored.write();
        assert_eq!(
            text,
            "trunkline stored messages 1 router-1\n\
             2026-11-28T08:06:40.000Z 3 operator/3/alice\n\
             2026-11-28T08:06:40.000Z 7 operator/3/alice\n\
             2026-11-28T08:06:40.000Z 7 operator/3/bob\n"
        );
        let mut again = StoredReplay::read(&text, device(), LIMITS).unwrap();
        assert_eq!(again, stored);
        assert_eq!(again.accept(&alice, &message(7), at(2)), Err(ReplayError::Seen { found: 7 }));
        assert_eq!(again.accept(&alice, &message(8), at(2)), Ok(()));
    }

    #[test]
    fn refused() {
        let mut stored = StoredReplay::new(device(), LIMITS);
        let alice = key("operator/3/alice");
        let mut changed = |change: fn(&mut Header), now| {
            let mut header = message(1);
            change(&mut header);
            stored.accept(&alice, &header, now)
        };
        let table: [(Change, Time, ReplayError); 7] = [
            (|header| header.place = Place::Device("router-2".parse().unwrap()), at(1), ReplayError::Device),
            (|header| header.place = Place::Session(Nonce([0; 16])), at(1), ReplayError::Device),
            (|header| header.direction = Direction::Reply, at(1), ReplayError::Direction(Direction::Reply)),
            (|header| header.expires = None, at(1), ReplayError::Device),
            (|_| {}, at(1000), ReplayError::Expired { expired: at(1000) }),
            (|header| header.time = at(152), at(1), ReplayError::Time { found: at(152), now: at(1) }),
            (
                |header| header.expires = Some(at(1001)),
                at(1),
                ReplayError::TooLong { expires: at(1001), longest: LIMITS.validity },
            ),
        ];
        for (change, now, error) in table {
            assert_eq!(changed(change, now), Err(error));
        }
        assert!(stored.is_empty());
    }

    #[test]
    fn the_memory_is_bounded_and_forgets_only_what_has_expired() {
        let mut stored = StoredReplay::new(device(), LIMITS);
        let (alice, bob) = (key("operator/3/alice"), key("user/bob"));
        for number in 1..4 {
            assert_eq!(stored.accept(&alice, &message(number), at(1)), Ok(()));
        }
        assert_eq!(stored.accept(&alice, &message(4), at(2)), Err(ReplayError::Full { limit: 3 }));
        assert_eq!(stored.accept(&bob, &message(1), at(2)), Ok(()));
        assert_eq!(stored.accept(&bob, &message(2), at(2)), Err(ReplayError::Full { limit: 4 }));
        assert_eq!(stored.accept(&alice, &message(1), at(2)), Err(ReplayError::Seen { found: 1 }));
        let mut later = message(5);
        (later.time, later.expires) = (at(990), Some(at(1900)));
        assert_eq!(stored.accept(&bob, &later, at(999)), Err(ReplayError::Full { limit: 4 }));
        assert_eq!(stored.accept(&bob, &later, at(1000)), Ok(()));
        assert_eq!(stored.len(), 1);
    }

    #[test]
    fn what_is_forgotten_is_not_accepted_again_by_a_clock_that_went_back() {
        let mut stored = StoredReplay::new(device(), LIMITS);
        let alice = key("operator/3/alice");
        assert_eq!(stored.accept(&alice, &message(7), at(1)), Ok(()));
        stored.forget(at(5000));
        assert!(stored.is_empty());
        let mut again = StoredReplay::read(&stored.write(), device(), LIMITS).unwrap();
        assert_eq!(again, stored);
        let expired = Err(ReplayError::Expired { expired: at(1000) });
        assert_eq!(again.accept(&alice, &message(7), at(2)), expired);
        let mut later = message(8);
        (later.time, later.expires) = (at(2), Some(at(1001)));
        assert_eq!(again.accept(&alice, &later, at(2)), Ok(()));
    }

    #[test]
    fn what_could_not_be_kept_is_taken_back_and_a_name_may_change() {
        let mut stored = StoredReplay::new(device(), LIMITS);
        let alice = key("operator/3/alice");
        assert_eq!(stored.accept(&alice, &message(7), at(1)), Ok(()));
        stored.take_back(&alice, 8);
        stored.take_back(&key("user/bob"), 7);
        assert_eq!(stored.len(), 1);
        stored.take_back(&alice, 7);
        assert_eq!(stored, StoredReplay::new(device(), LIMITS));
        assert_eq!(stored.accept(&alice, &message(7), at(1)), Ok(()));
        let mut renamed = stored.named("router-2".parse().unwrap());
        assert_eq!(renamed.accept(&alice, &message(7), at(1)), Err(ReplayError::Device));
        let mut other = message(7);
        other.place = Place::Device(renamed.device().clone());
        assert_eq!(renamed.accept(&alice, &other, at(1)), Err(ReplayError::Seen { found: 7 }));
    }

    #[test]
    fn other_texts() {
        let read = |text: &str| StoredReplay::read(text, device(), LIMITS);
        let start = "trunkline stored messages 1 router-1\n";
        for bad in ["", "trunkline stored messages 1 router-2\n", "trunkline stored messages 1 router-1"] {
            assert_eq!(read(bad), Err(NotStored::Beginning { device: device() }), "{bad:?}");
        }
        let line = "2026-11-28T08:06:40.000Z 7 operator/3/bob";
        for bad in [
            line.to_owned(),
            "\n".to_owned(),
            format!("{line} \n"),
            format!("{line} 1\n"),
            "2026-11-28T08:06:40Z 7 operator/3/bob\n".to_owned(),
            "2026-11-28T08:06:40.000Z 07 operator/3/bob\n".to_owned(),
            "2026-11-28T08:06:40.000Z 7 bob\n".to_owned(),
        ] {
            assert_eq!(read(&format!("{start}{bad}")), Err(NotStored::Line { line: 2 }), "{bad:?}");
        }
        assert_eq!(read(&format!("{start}{line}\n{line}\n")), Err(NotStored::Line { line: 3 }));
        assert_eq!(read(&format!("{start}forgotten never\n")), Err(NotStored::Line { line: 2 }));
        assert_eq!(
            read(&format!("{start}{line}\nforgotten 2026-11-28T08:06:40.000Z\n")),
            Err(NotStored::Line { line: 3 })
        );
        let many: String =
            (0..4).map(|number| format!("2026-11-28T08:06:40.000Z {number} user/bob\n")).collect();
        assert_eq!(read(&format!("{start}{many}")), Err(NotStored::Line { line: 5 }));
        assert_eq!(read(start), Ok(StoredReplay::new(device(), LIMITS)));
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(
            messages in proptest::collection::vec((1u64..5, 0usize..3, 1u64..1000), 0..20),
            forgotten in 0u64..1000,
        ) {
            let mut stored = StoredReplay::new(device(), LIMITS);
            for (number, name, expires) in messages {
                let mut header = message(number);
                header.expires = Some(at(expires));
                let _ = stored.accept(&key(["operator/1/a", "operator/2/a", "user/a"][name]), &header, at(0));
            }
            stored.forget(at(forgotten));
            prop_assert_eq!(StoredReplay::read(&stored.write(), device(), LIMITS), Ok(stored));
        }
    }
}
