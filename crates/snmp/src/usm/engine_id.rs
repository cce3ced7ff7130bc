//! The identity of an engine: snmpEngineID (RFC 3411 section 5).

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::EngineIdError;

/// An snmpEngineID: 5 to 32 octets, not all 00 and not all FF. Copied, not shared: it is small.
#[derive(Clone, Copy)]
pub struct EngineId {
    octets: [u8; MAX_LENGTH],
    length: u8,
}

const MIN_LENGTH: usize = 5;
const MAX_LENGTH: usize = 32;

/// SnmpEngineID's format number for octets that an administrator or a program chose.
const FORMAT_OCTETS: u8 = 5;

impl EngineId {
    /// The contextEngineID that stands for the receiver (RFC 5343 section 3.2).
    pub const LOCAL: EngineId = {
        let mut octets = [0; MAX_LENGTH];
        octets[0] = 0x80;
        octets[4] = 0x06;
        EngineId { octets, length: 5 }
    };

    /// An engine ID of these octets.
    ///
    /// # Errors
    /// Not 5 to 32 octets, or all 00 or all FF.
    pub fn new(octets: &[u8]) -> Result<EngineId, EngineIdError> {
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&octets.len()) {
            return Err(EngineIdError::Length { found: octets.len() });
        }
        let first = octets[0];
        if matches!(first, 0x00 | 0xff) && octets.iter().all(|&octet| octet == first) {
            return Err(EngineIdError::Void { found: first });
        }
        let mut engine_id = EngineId { octets: [0; MAX_LENGTH], length: octets.len() as u8 };
        engine_id.octets[..octets.len()].copy_from_slice(octets);
        Ok(engine_id)
    }

    /// A new engine ID of RFC 3411's form: `enterprise` with the top bit set, format 5 (octets), and 12 random
    /// octets, so that no two installations share one, whatever image they were copied from.
    #[must_use]
    pub fn generate(enterprise: u32, random: [u8; 12]) -> EngineId {
        let mut octets = [0; MAX_LENGTH];
        octets[..4].copy_from_slice(&(enterprise | 0x8000_0000).to_be_bytes());
        octets[4] = FORMAT_OCTETS;
        octets[5..17].copy_from_slice(&random);
        EngineId { octets, length: 17 }
    }

    /// Reads hexadecimal digits, with or without `0x` before them; spaces and colons between octets are allowed.
    ///
    /// # Errors
    /// Other characters, an odd number of digits, and what [`EngineId::new`] refuses.
    pub fn from_hex(text: &str) -> Result<EngineId, EngineIdError> {
        EngineId::new(&super::hexadecimal::hexadecimal(text).ok_or(EngineIdError::NotHexadecimal)?)
    }

    /// The octets.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.octets[..usize::from(self.length)]
    }
}

impl PartialEq for EngineId {
    fn eq(&self, other: &EngineId) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for EngineId {}

impl PartialOrd for EngineId {
    fn partial_cmp(&self, other: &EngineId) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for EngineId {
    fn cmp(&self, other: &EngineId) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for EngineId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

/// Maps by engine ID are looked up with a message's octets.
impl Borrow<[u8]> for EngineId {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for EngineId {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl TryFrom<&[u8]> for EngineId {
    type Error = EngineIdError;

    fn try_from(octets: &[u8]) -> Result<EngineId, EngineIdError> {
        EngineId::new(octets)
    }
}

impl FromStr for EngineId {
    type Err = EngineIdError;

    fn from_str(text: &str) -> Result<EngineId, EngineIdError> {
        EngineId::from_hex(text)
    }
}

/// `0x80001f88...`.
impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.as_bytes().iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineId({self})")
    }
}
