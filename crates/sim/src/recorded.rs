//! Agents that repeat what another agent once said. Many share a recording.

use std::io::Write;
use std::time::Duration;

use trunkline_smi::{Exception, Oid, OidBuf, OidList, Value, ValueRef};
use trunkline_snmp::snmprec::{self, SnmprecError};

use crate::objects::Objects;

/// A recording, in the order of its names.
#[derive(Debug)]
pub struct Recording {
    names: OidList,
    values: Vec<Value>,
}

impl Recording {
    /// Reads a `.snmprec`.
    ///
    /// # Errors
    /// A line that is wrong.
    pub fn read(octets: &[u8]) -> Result<Self, SnmprecError> {
        let found: Vec<(Oid, Value)> = snmprec::read(octets)?;
        let (mut names, mut values) = (OidList::new(), Vec::with_capacity(found.len()));
        for (name, value) in found {
            names.push(&name);
            values.push(value);
        }
        Ok(Self { names, values })
    }

    /// How many instances it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has none; a recording that was read has some.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// An agent with a recording, at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Playback<'r> {
    /// The recording.
    pub recording: &'r Recording,
    /// The number that is appended to sysName.0, so that agents with the same recording have different names.
    pub number: Option<u32>,
    /// How long the agent has been up, which is its sysUpTime.0 if the recording has one.
    pub uptime: Duration,
}

impl Playback<'_> {
    fn value<'s>(&'s self, at: usize, text: &'s mut Vec<u8>) -> ValueRef<'s> {
        let recorded = self.recording.values[at].as_value_ref();
        let name = &self.recording.names[at];
        match (recorded, self.number) {
            (ValueRef::TimeTicks(_), _) if *name == SYS_UP_TIME => {
                ValueRef::TimeTicks((self.uptime.as_millis() / 10) as u32)
            }
            (ValueRef::OctetString(recorded), Some(number)) if *name == SYS_NAME => {
                text.clear();
                text.extend_from_slice(recorded);
                // Writing to a vector does not fail.
                let _ = write!(text, "-{number}");
                ValueRef::OctetString(text)
            }
            (recorded, _) => recorded,
        }
    }
}

impl Objects for Playback<'_> {
    fn get<'s>(&'s self, name: &[u32], text: &'s mut Vec<u8>) -> Result<ValueRef<'s>, Exception> {
        let at = self.recording.names.find(name);
        at.map(|at| self.value(at, text)).ok_or_else(|| {
            // Without the MIB modules: an object exists if another instance of it has a name of the same length.
            let object = name.get(..name.len().saturating_sub(1)).unwrap_or_default();
            let next = self.recording.names.get(self.recording.names.upper_bound(object));
            let is_known = |next: &[u32]| next.starts_with(object) && next.len() == name.len();
            match next.is_some_and(is_known) {
                true => Exception::NoSuchInstance,
                false => Exception::NoSuchObject,
            }
        })
    }

    fn next<'s>(&'s self, name: &mut OidBuf, text: &'s mut Vec<u8>) -> Option<ValueRef<'s>> {
        let at = self.recording.names.upper_bound(name);
        let next = self.recording.names.get(at)?;
        name.clear();
        name.extend(next).ok()?;
        Some(self.value(at, text))
    }
}

const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
const SYS_NAME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 5, 0];

#[cfg(test)]
mod tests {
    use super::*;

    const SWITCH: &[u8] = b"1.3.6.1.2.1.1.1.0|4|a switch\n1.3.6.1.2.1.1.3.0|67|5\n1.3.6.1.2.1.1.5.0|4|core\n\
                            1.3.6.1.2.1.2.2.1.10.1|65|77\n";

    #[test]
    fn a_recording_is_repeated_with_a_name_and_an_uptime_of_its_own() {
        let recording = Recording::read(SWITCH).unwrap();
        assert_eq!((recording.len(), recording.is_empty()), (4, false));
        let uptime = Duration::from_secs(9);
        let agent = Playback { recording: &recording, number: Some(12), uptime };
        let (mut name, mut text, mut found) = (OidBuf::new(), Vec::new(), Vec::new());
        while let Some(value) = agent.next(&mut name, &mut text) {
            found.push(format!("{name:?}={value:?}"));
        }
        assert_eq!(found.len(), 4);
        assert!(found.is_sorted());
        assert!(found[1].ends_with("TimeTicks(900)"), "{found:?}");
        assert_eq!(agent.get(&SYS_NAME, &mut text), Ok(ValueRef::OctetString(b"core-12")));
        let same = Playback { number: None, ..agent };
        assert_eq!(same.get(&SYS_NAME, &mut text), Ok(ValueRef::OctetString(b"core")));
        for (name, expected) in [
            (&[1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 2][..], Exception::NoSuchInstance),
            (&[1, 3, 6, 1, 2, 1, 1, 4, 0], Exception::NoSuchObject),
            (&[1, 3, 6, 1, 4], Exception::NoSuchObject),
        ] {
            assert_eq!(agent.get(name, &mut text), Err(expected), "{name:?}");
        }
    }
}
