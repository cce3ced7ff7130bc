//! A cursor over a payload: each element is checked against what is left.

use trunkline_smi::{Bound, Exception, Oid, Value, VarBind};

use super::decode::Fault;
use super::{ByteOrder, INTERNET, SearchRange, tag};

/// Reads elements one after the other.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// Where `rest` begins in the packet, for errors.
    pub offset: usize,
    order: ByteOrder,
}

type Read<T> = Result<T, Fault>;

impl<'a> Reader<'a> {
    pub fn new(payload: &'a [u8], offset: usize, order: ByteOrder) -> Self {
        Reader { rest: payload, offset, order }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Nothing may follow.
    pub fn end(&self) -> Read<()> {
        if self.is_empty() { Ok(()) } else { Err(Fault::Trailing { octets: self.rest.len() }) }
    }

    fn take(&mut self, length: usize, element: &'static str) -> Read<&'a [u8]> {
        let cut = Fault::Cut { element, needed: length, left: self.rest.len() };
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(cut)?;
        self.rest = rest;
        self.offset += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, element: &'static str) -> Read<[u8; N]> {
        let taken = self.take(N, element)?;
        taken.try_into().map_err(|_| Fault::Cut { element, needed: N, left: taken.len() })
    }

    /// Four octets, each with a meaning of its own.
    pub fn quad(&mut self, element: &'static str) -> Read<[u8; 4]> {
        self.array(element)
    }

    /// Two numbers of 16 bits.
    pub fn pair(&mut self, element: &'static str) -> Read<(u16, u16)> {
        let [a, b, c, d] = self.array(element)?;
        Ok((self.order.u16([a, b]), self.order.u16([c, d])))
    }

    pub fn u32(&mut self, element: &'static str) -> Read<u32> {
        Ok(self.order.u32(self.array(element)?))
    }

    /// An octet string (section 5.3): its length, its octets, and what fills them up to a multiple of four.
    pub fn octets(&mut self, element: &'static str) -> Read<&'a [u8]> {
        let mut ahead = *self;
        let length = ahead.u32(element)? as usize;
        let octets = ahead.take(length, element)?;
        ahead.take(length.wrapping_neg() % 4, "the padding of an octet string")?;
        *self = ahead;
        Ok(octets)
    }

    /// An object identifier and its flag `include` (section 5.1).
    pub fn oid(&mut self) -> Read<(Oid, bool)> {
        const ELEMENT: &str = "an object identifier";
        let mut ahead = *self;
        let [count, prefix, include, _] = ahead.quad(ELEMENT)?;
        let sub_ids = ahead.take(usize::from(count) * 4, ELEMENT)?;
        let found = usize::from(count) + if prefix == 0 { 0 } else { INTERNET.len() + 1 };
        let mut name = Vec::with_capacity(found);
        if prefix != 0 {
            name.extend(INTERNET);
            name.push(u32::from(prefix));
        }
        let (words, _) = sub_ids.as_chunks();
        name.extend(words.iter().map(|word| self.order.u32(*word)));
        let name = Oid::try_from(name).map_err(|_| Fault::OidTooLong { found })?;
        *self = ahead;
        Ok((name, include != 0))
    }

    /// All that is left as search ranges.
    pub fn ranges(&mut self) -> Read<Vec<SearchRange>> {
        let mut ranges = Vec::new();
        while !self.is_empty() {
            let (start, include) = self.oid()?;
            let (end, _) = self.oid()?;
            ranges.push(SearchRange { start, include, end: Some(end).filter(|end| !end.is_empty()) });
        }
        Ok(ranges)
    }

    /// All that is left as variable bindings.
    pub fn bindings(&mut self) -> Read<Vec<VarBind>> {
        // That many if their names have about ten sub-identifiers.
        let mut bindings = Vec::with_capacity(self.rest.len() / 48);
        while !self.is_empty() {
            bindings.push(self.binding()?);
        }
        Ok(bindings)
    }

    /// A variable binding (section 5.4).
    fn binding(&mut self) -> Read<VarBind> {
        const ELEMENT: &str = "a variable binding";
        let mut ahead = *self;
        let (kind, _) = ahead.pair(ELEMENT)?;
        if !is_known(kind) {
            return Err(Fault::ValueType { found: kind });
        }
        *self = ahead;
        let (name, _) = self.oid()?;
        Ok(VarBind { name, value: self.bound(kind)? })
    }

    fn bound(&mut self, kind: u16) -> Read<Bound> {
        let value = match kind {
            tag::INTEGER => Value::Integer(self.u32("an INTEGER")?.cast_signed()),
            tag::OCTET_STRING => Value::OctetString(self.octets("an OCTET STRING")?.to_vec()),
            tag::OBJECT_IDENTIFIER => Value::ObjectIdentifier(self.value_oid()?),
            tag::IP_ADDRESS => Value::IpAddress(self.ip_address()?),
            tag::COUNTER32 => Value::Counter32(self.u32("a Counter32")?),
            tag::GAUGE32 => Value::Unsigned32(self.u32("a Gauge32")?),
            tag::TIME_TICKS => Value::TimeTicks(self.u32("TimeTicks")?),
            tag::OPAQUE => Value::Opaque(self.octets("an Opaque")?.to_vec()),
            tag::COUNTER64 => Value::Counter64(self.order.u64(self.array("a Counter64")?)),
            tag::NO_SUCH_OBJECT => return Ok(Bound::Exception(Exception::NoSuchObject)),
            tag::NO_SUCH_INSTANCE => return Ok(Bound::Exception(Exception::NoSuchInstance)),
            tag::END_OF_MIB_VIEW => return Ok(Bound::Exception(Exception::EndOfMibView)),
            tag::NULL => return Ok(Bound::Unspecified),
            found => return Err(Fault::ValueType { found }),
        };
        Ok(Bound::Value(value))
    }

    /// The null identifier, which SNMP cannot carry as a value, stands for 0.0: Net-SNMP sends zeroDotZero so.
    fn value_oid(&mut self) -> Read<Oid> {
        let (oid, _) = self.oid()?;
        Ok(if oid.is_empty() { Oid::from([0, 0]) } else { oid })
    }

    fn ip_address(&mut self) -> Read<[u8; 4]> {
        let mut ahead = *self;
        let octets = ahead.octets("an IpAddress")?;
        let address = octets.try_into().map_err(|_| Fault::IpAddress { found: octets.len() })?;
        *self = ahead;
        Ok(address)
    }
}

const fn is_known(kind: u16) -> bool {
    matches!(
        kind,
        tag::INTEGER
            | tag::OCTET_STRING
            | tag::NULL
            | tag::OBJECT_IDENTIFIER
            | tag::IP_ADDRESS..=tag::OPAQUE
            | tag::COUNTER64
            | tag::NO_SUCH_OBJECT..=tag::END_OF_MIB_VIEW
    )
}
