//! The part of a binding that is the same for all instances of one object,
//! encoded once: what makes a long column cheap to write.

use super::{oid, tag};

/// How many octets of a binding a template can hold ready to copy.
pub(crate) const BLOCK: usize = 32;

/// The name of a column or scalar as BER: everything up to the index. Made once per leaf, copied per binding.
///
/// ```text
/// 30 LL 06 NN 2b 06 01 02 01 02 02 01 0a   | ii | 41 VV vv vv vv
/// \___ block: lengths filled in later ____/ index  value
/// ```
#[derive(Clone, Debug)]
pub struct NameTemplate {
    /// SEQUENCE, OBJECT IDENTIFIER and the prefix, lengths still 0; only if all of it fits.
    block: [u8; BLOCK],
    /// How much of `block` counts; above [`BLOCK`] when the prefix does not fit.
    head: usize,
    /// The prefix as contents octets.
    prefix: Box<[u8]>,
    sub_ids: usize,
}

impl NameTemplate {
    /// A template for the names that start with these sub-identifiers: a column such as 1.3.6.1.2.1.2.2.1.10,
    /// or a scalar such as 1.3.6.1.2.1.1.3 (whose index is then 0). A prefix of fewer than two
    /// sub-identifiers, which no leaf has, is completed with zeros.
    pub fn new(prefix: &[u32]) -> Self {
        let octets = oid::contents(prefix);
        let mut block = [0; BLOCK];
        block[0] = tag::SEQUENCE;
        block[2] = tag::OBJECT_IDENTIFIER;
        if let Some(place) = block.get_mut(4..4 + octets.len()) {
            place.copy_from_slice(&octets);
        }
        NameTemplate { block, head: 4 + octets.len(), prefix: octets.into(), sub_ids: prefix.len().max(2) }
    }

    /// The ready block and how much of it counts; `None` when the prefix is too long for it.
    #[inline]
    pub(crate) fn block(&self) -> Option<(&[u8; BLOCK], usize)> {
        (self.head <= BLOCK).then_some((&self.block, self.head))
    }

    /// The prefix as contents octets.
    pub(crate) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// How many sub-identifiers the prefix has.
    pub(crate) fn sub_ids(&self) -> usize {
        self.sub_ids
    }
}
