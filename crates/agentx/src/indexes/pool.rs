//! The values of one index object.

use std::collections::BTreeMap;

use trunkline_smi::{Value, ValueKind};

use crate::wire::ErrorCode;

/// Numbers are allocated from 1: ifIndex and its like do not have 0 (RFC 2578 section 7.7 advises against it).
const FIRST: u32 = 1;

/// The last number: indexes that are Integer32 have no larger one.
const LAST: u32 = i32::MAX as u32;

/// Who has which values, and which numbers somebody has had.
#[derive(Debug)]
pub(super) struct Pool {
    kind: ValueKind,
    /// By value, as sortable octets.
    owners: BTreeMap<Vec<u8>, u32>,
    numbers: BTreeMap<u32, u32>,
    /// Ranges of numbers that have ever been allocated: from their first to their last.
    ever: BTreeMap<u32, u32>,
}

impl Pool {
    pub fn new(kind: ValueKind) -> Self {
        Pool { kind, owners: BTreeMap::new(), numbers: BTreeMap::new(), ever: BTreeMap::new() }
    }

    pub fn len(&self) -> usize {
        self.owners.len() + self.numbers.len() + self.ever.len()
    }

    /// Nobody has any value.
    pub fn is_unused(&self) -> bool {
        self.owners.is_empty() && self.numbers.is_empty()
    }

    /// This very value.
    pub fn allocate(&mut self, session: u32, value: Value) -> Result<Value, ErrorCode> {
        self.check(&value)?;
        match number_of(&value)? {
            Some(number) => {
                if self.numbers.contains_key(&number) {
                    return Err(ErrorCode::IndexAlreadyAllocated);
                }
                self.take(session, number);
            }
            None => {
                let octets = octets_of(&value);
                if self.owners.contains_key(&octets) {
                    return Err(ErrorCode::IndexAlreadyAllocated);
                }
                self.owners.insert(octets, session);
            }
        }
        Ok(value)
    }

    /// The lowest number that nobody has; the value only says of which type.
    pub fn allocate_any(&mut self, session: u32, like: Value) -> Result<Value, ErrorCode> {
        self.check(&like)?;
        let mut free = FIRST;
        for taken in self.numbers.range(FIRST..).map(|(number, _)| *number) {
            if taken != free {
                break;
            }
            free = taken.saturating_add(1);
        }
        self.take_like(session, free, &like)
    }

    /// The lowest number that nobody has ever had.
    pub fn allocate_new(&mut self, session: u32, like: Value) -> Result<Value, ErrorCode> {
        self.check(&like)?;
        let mut free = FIRST;
        for (first, last) in &self.ever {
            if free < *first {
                break;
            }
            free = free.max(last.saturating_add(1));
        }
        self.take_like(session, free, &like)
    }

    fn take_like(&mut self, session: u32, number: u32, like: &Value) -> Result<Value, ErrorCode> {
        let value = match like {
            Value::Integer(_) if number <= LAST => Value::Integer(number.cast_signed()),
            Value::Unsigned32(_) if number <= LAST => Value::Unsigned32(number),
            _ => return Err(ErrorCode::IndexNoneAvailable),
        };
        self.take(session, number);
        Ok(value)
    }

    fn take(&mut self, session: u32, number: u32) {
        self.numbers.insert(number, session);
        let before = self.ever.range(..=number).next_back().map(|(first, last)| (*first, *last));
        let (first, last) = match before {
            Some((_, last)) if last >= number => return,
            Some((first, last)) if last + 1 == number => (first, number),
            _ => (number, number),
        };
        let last = number.checked_add(1).and_then(|next| self.ever.remove(&next)).unwrap_or(last);
        self.ever.insert(first, last);
    }

    /// Gives a value back that this session has.
    pub fn release(&mut self, session: u32, value: &Value) -> Result<(), ErrorCode> {
        self.check(value)?;
        let owner = match number_of(value)? {
            Some(number) => self.numbers.get(&number).copied(),
            None => self.owners.get(&octets_of(value)).copied(),
        };
        if owner != Some(session) {
            return Err(ErrorCode::IndexNotAllocated);
        }
        match number_of(value)? {
            Some(number) => self.numbers.remove(&number),
            None => self.owners.remove(&octets_of(value)),
        };
        Ok(())
    }

    pub fn close(&mut self, session: u32) {
        self.owners.retain(|_, owner| *owner != session);
        self.numbers.retain(|_, owner| *owner != session);
    }

    /// All values of an index have one type, that of the first.
    fn check(&self, value: &Value) -> Result<(), ErrorCode> {
        if value.kind() == self.kind { Ok(()) } else { Err(ErrorCode::IndexWrongType) }
    }
}

/// A negative number cannot be an index.
fn number_of(value: &Value) -> Result<Option<u32>, ErrorCode> {
    match *value {
        Value::Integer(number) => u32::try_from(number).map(Some).map_err(|_| ErrorCode::IndexNoneAvailable),
        Value::Unsigned32(number) => Ok(Some(number)),
        _ => Ok(None),
    }
}

/// Equal for equal values of one type.
fn octets_of(value: &Value) -> Vec<u8> {
    match value {
        Value::OctetString(octets) => octets.clone(),
        Value::ObjectIdentifier(oid) => oid.iter().flat_map(|sub_id| sub_id.to_be_bytes()).collect(),
        Value::IpAddress(address) => address.to_vec(),
        _ => Vec::new(),
    }
}
