//! Owned variable bindings and PDUs: the manager's side. The agent reads [`PduRef`](super::PduRef) and writes
//! with [`ResponseWriter`](super::ResponseWriter).

use super::codes::exception_tag;
use trunkline_smi::{Bound, Oid, VarBind};

use super::oid::first_octets;
use super::writer::{Binding, Forwards, Payload, element_size, integer_size};
use super::{ErrorStatus, PduKind, tag};

/// One variable binding: a name and its value.
///
/// Every name can be encoded. BER can say identifiers of at least two sub-identifiers that start with 0.0 to
/// 0.39, 1.0 to 1.39 or 2.0 to 2.4294967295 ([`is_encodable`](super::is_encodable)); a shorter one is
/// completed with zeros, another one becomes the nearest before it.
pub(crate) fn encoded<T>(binding: &VarBind, take: impl FnOnce(&Binding<'_>) -> T) -> T {
    let (prefix, length) = first_octets(&binding.name);
    let payload = match &binding.value {
        Bound::Unspecified => Payload::Empty(tag::NULL),
        Bound::Exception(exception) => Payload::Empty(exception_tag(*exception)),
        Bound::Value(value) => Payload::Value(value.as_value_ref()),
    };
    take(&Binding::new(&prefix[..length], binding.name.get(2..).unwrap_or(&[]), payload))
}

/// A PDU (RFC 3416 section 3).
///
/// ```text
/// PDU ::= SEQUENCE { request-id INTEGER, error-status INTEGER, error-index INTEGER,
///                    variable-bindings SEQUENCE OF VarBind }
/// ```
/// A GetBulkRequest has non-repeaters and max-repetitions where the others have error-status and error-index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// What it is.
    pub kind: PduKind,
    /// Names the request; the response has the same. All of the signed range.
    pub request_id: i32,
    /// error-status ([`ErrorStatus`]), 0 in requests; in a GetBulkRequest non-repeaters.
    pub error_status: i32,
    /// error-index, counted from 1, 0 in requests; in a GetBulkRequest max-repetitions.
    pub error_index: i32,
    /// variable-bindings.
    pub bindings: Vec<VarBind>,
}

impl Pdu {
    /// A PDU with error-status and error-index 0.
    pub fn new(kind: PduKind, request_id: i32, bindings: Vec<VarBind>) -> Self {
        Pdu { kind, request_id, error_status: 0, error_index: 0, bindings }
    }

    /// A request that reads these names: Get or GetNext.
    pub fn read<'n>(kind: PduKind, request_id: i32, names: impl IntoIterator<Item = &'n Oid>) -> Self {
        let bindings = names.into_iter().cloned().map(VarBind::unspecified).collect();
        Pdu::new(kind, request_id, bindings)
    }

    /// A GetBulkRequest.
    pub fn bulk<'n>(
        request_id: i32,
        non_repeaters: i32,
        max_repetitions: i32,
        names: impl IntoIterator<Item = &'n Oid>,
    ) -> Self {
        let read = Pdu::read(PduKind::GetBulk, request_id, names);
        Pdu { error_status: non_repeaters, error_index: max_repetitions, ..read }
    }

    /// How many octets its parts have, found out once.
    pub(crate) fn sizes(&self) -> PduSizes {
        let list = self.bindings.iter().map(|binding| encoded(binding, |encoded| encoded.size())).sum();
        let numbers = self.numbers().map(|number| element_size(integer_size(number)));
        PduSizes { list, contents: numbers.iter().sum::<usize>() + element_size(list) }
    }

    /// Writes the whole PDU, whose sizes these are.
    pub(crate) fn write(&self, sizes: PduSizes, out: &mut Forwards<'_>) {
        out.header(self.kind.tag(), sizes.contents);
        self.numbers().iter().for_each(|&number| out.integer(number));
        out.header(tag::SEQUENCE, sizes.list);
        self.bindings.iter().for_each(|binding| encoded(binding, |encoded| encoded.write(out)));
    }

    fn numbers(&self) -> [i32; 3] {
        [self.request_id, self.error_status, self.error_index]
    }

    /// The error-status by name; `None` for a number that no RFC knows.
    pub fn status(&self) -> Option<ErrorStatus> {
        ErrorStatus::from_code(self.error_status)
    }
}

/// How many octets the contents of a PDU have, and of its list of bindings.
#[derive(Clone, Copy)]
pub(crate) struct PduSizes {
    pub contents: usize,
    list: usize,
}
