//! From a packet to octets.

use trunkline_smi::{Bound, Exception, Oid, Value, VarBind};

use super::{
    ByteOrder, HEADER_LENGTH, INTERNET, IndexRequest, MAX_PAYLOAD, Packet, Pdu, Registration, SearchRange,
    VERSION, flag, kind, tag,
};

/// Why a packet cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// More than [`MAX_PAYLOAD`].
    #[error("a payload of {found} octets, at most {MAX_PAYLOAD} are sent")]
    TooLong {
        /// How long it would be.
        found: usize,
    },
}

/// Appends a packet to `into`, which stays as it was if the packet is too long.
pub fn encode(packet: &Packet, into: &mut Vec<u8>) -> Result<(), EncodeError> {
    let start = into.len();
    let context = packet.context.as_deref().filter(|name| !name.is_empty() && packet.pdu.has_context());
    into.extend([VERSION, kind_of(&packet.pdu), flags_of(packet, context), 0]);
    let mut writer = Writer { octets: into, order: packet.order };
    writer.u32(packet.session);
    writer.u32(packet.transaction);
    writer.u32(packet.packet);
    writer.u32(0); // the length of the payload, below
    if let Some(context) = context {
        writer.octets(context);
    }
    writer.pdu(&packet.pdu);
    let found = into.len() - start - HEADER_LENGTH;
    if found > MAX_PAYLOAD {
        into.truncate(start);
        return Err(EncodeError::TooLong { found });
    }
    let length = number(packet.order, found as u32);
    into[start + HEADER_LENGTH - 4..start + HEADER_LENGTH].copy_from_slice(&length);
    Ok(())
}

fn flags_of(packet: &Packet, context: Option<&[u8]>) -> u8 {
    let of_pdu = match &packet.pdu {
        Pdu::Register(registration) if registration.is_instance => flag::INSTANCE_REGISTRATION,
        Pdu::IndexAllocate(request) | Pdu::IndexDeallocate(request) => {
            let new = if request.new_index { flag::NEW_INDEX } else { 0 };
            new | if request.any_index { flag::ANY_INDEX } else { 0 }
        }
        _ => 0,
    };
    let of_order = match packet.order {
        ByteOrder::Big => flag::NETWORK_BYTE_ORDER,
        ByteOrder::Little => 0,
    };
    of_pdu | of_order | if context.is_some() { flag::NON_DEFAULT_CONTEXT } else { 0 }
}

const fn kind_of(pdu: &Pdu) -> u8 {
    match pdu {
        Pdu::Open { .. } => kind::OPEN,
        Pdu::Close { .. } => kind::CLOSE,
        Pdu::Register(_) => kind::REGISTER,
        Pdu::Unregister(_) => kind::UNREGISTER,
        Pdu::Get(_) => kind::GET,
        Pdu::GetNext(_) => kind::GET_NEXT,
        Pdu::GetBulk { .. } => kind::GET_BULK,
        Pdu::TestSet(_) => kind::TEST_SET,
        Pdu::CommitSet => kind::COMMIT_SET,
        Pdu::UndoSet => kind::UNDO_SET,
        Pdu::CleanupSet => kind::CLEANUP_SET,
        Pdu::Notify(_) => kind::NOTIFY,
        Pdu::Ping => kind::PING,
        Pdu::IndexAllocate(_) => kind::INDEX_ALLOCATE,
        Pdu::IndexDeallocate(_) => kind::INDEX_DEALLOCATE,
        Pdu::AddAgentCaps { .. } => kind::ADD_AGENT_CAPS,
        Pdu::RemoveAgentCaps { .. } => kind::REMOVE_AGENT_CAPS,
        Pdu::Response { .. } => kind::RESPONSE,
    }
}

const fn number(order: ByteOrder, value: u32) -> [u8; 4] {
    match order {
        ByteOrder::Big => value.to_be_bytes(),
        ByteOrder::Little => value.to_le_bytes(),
    }
}

struct Writer<'a> {
    octets: &'a mut Vec<u8>,
    order: ByteOrder,
}

impl Writer<'_> {
    fn u16(&mut self, value: u16) {
        self.octets.extend(match self.order {
            ByteOrder::Big => value.to_be_bytes(),
            ByteOrder::Little => value.to_le_bytes(),
        });
    }

    fn u32(&mut self, value: u32) {
        self.octets.extend(number(self.order, value));
    }

    fn u64(&mut self, value: u64) {
        self.octets.extend(match self.order {
            ByteOrder::Big => value.to_be_bytes(),
            ByteOrder::Little => value.to_le_bytes(),
        });
    }

    fn octets(&mut self, octets: &[u8]) {
        // What does not fit into 32 bits does not fit into MAX_PAYLOAD either.
        self.u32(u32::try_from(octets.len()).unwrap_or(u32::MAX));
        self.octets.extend(octets);
        self.octets.resize(self.octets.len() + octets.len().wrapping_neg() % 4, 0);
    }

    fn oid(&mut self, oid: &[u32], include: bool) {
        let (prefix, rest) = match oid.strip_prefix(&INTERNET) {
            Some([first @ 1..=255, rest @ ..]) => (*first as u8, rest),
            _ => (0, oid),
        };
        // an Oid has at most 128 sub-identifiers
        self.octets.extend([rest.len() as u8, prefix, u8::from(include), 0]);
        rest.iter().for_each(|sub_id| self.u32(*sub_id));
    }

    fn ranges(&mut self, ranges: &[SearchRange]) {
        for range in ranges {
            self.oid(&range.start, range.include);
            self.oid(range.end.as_ref().unwrap_or(&Oid::EMPTY), false);
        }
    }

    fn bindings(&mut self, bindings: &[VarBind]) {
        for VarBind { name, value } in bindings {
            self.u16(type_of(value));
            self.u16(0);
            self.oid(name, false);
            if let Bound::Value(value) = value {
                self.value(value);
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Integer(value) => self.u32(value.cast_unsigned()),
            Value::OctetString(octets) | Value::Opaque(octets) => self.octets(octets),
            Value::ObjectIdentifier(oid) => self.oid(oid, false),
            Value::IpAddress(address) => self.octets(address),
            Value::Counter32(value) | Value::Unsigned32(value) | Value::TimeTicks(value) => self.u32(*value),
            Value::Counter64(value) => self.u64(*value),
        }
    }

    fn registration(&mut self, timeout: u8, registration: &Registration) {
        let range = registration.range.filter(|(which, _)| *which != 0);
        let which = range.map_or(0, |(which, _)| which);
        self.octets.extend([timeout, registration.priority, which, 0]);
        self.oid(&registration.subtree, false);
        if let Some((_, upper_bound)) = range {
            self.u32(upper_bound);
        }
    }

    fn pdu(&mut self, pdu: &Pdu) {
        match pdu {
            Pdu::Open { timeout, id, description } => {
                self.octets.extend([*timeout, 0, 0, 0]);
                self.oid(id, false);
                self.octets(description);
            }
            Pdu::Close { reason } => self.octets.extend([*reason, 0, 0, 0]),
            Pdu::Register(registration) => self.registration(registration.timeout, registration),
            Pdu::Unregister(registration) => self.registration(0, registration),
            Pdu::Get(ranges) | Pdu::GetNext(ranges) => self.ranges(ranges),
            Pdu::GetBulk { non_repeaters, max_repetitions, ranges } => {
                self.u16(*non_repeaters);
                self.u16(*max_repetitions);
                self.ranges(ranges);
            }
            Pdu::TestSet(bindings)
            | Pdu::Notify(bindings)
            | Pdu::IndexAllocate(IndexRequest { bindings, .. })
            | Pdu::IndexDeallocate(IndexRequest { bindings, .. }) => self.bindings(bindings),
            Pdu::CommitSet | Pdu::UndoSet | Pdu::CleanupSet | Pdu::Ping => {}
            Pdu::AddAgentCaps { id, description } => {
                self.oid(id, false);
                self.octets(description);
            }
            Pdu::RemoveAgentCaps { id } => self.oid(id, false),
            Pdu::Response { sys_up_time, error, index, bindings } => {
                self.u32(*sys_up_time);
                self.u16(*error);
                self.u16(*index);
                self.bindings(bindings);
            }
        }
    }
}

const fn type_of(value: &Bound) -> u16 {
    match value {
        Bound::Unspecified => tag::NULL,
        Bound::Exception(Exception::NoSuchObject) => tag::NO_SUCH_OBJECT,
        Bound::Exception(Exception::NoSuchInstance) => tag::NO_SUCH_INSTANCE,
        Bound::Exception(Exception::EndOfMibView) => tag::END_OF_MIB_VIEW,
        Bound::Value(Value::Integer(_)) => tag::INTEGER,
        Bound::Value(Value::OctetString(_)) => tag::OCTET_STRING,
        Bound::Value(Value::ObjectIdentifier(_)) => tag::OBJECT_IDENTIFIER,
        Bound::Value(Value::IpAddress(_)) => tag::IP_ADDRESS,
        Bound::Value(Value::Counter32(_)) => tag::COUNTER32,
        Bound::Value(Value::Unsigned32(_)) => tag::GAUGE32,
        Bound::Value(Value::TimeTicks(_)) => tag::TIME_TICKS,
        Bound::Value(Value::Opaque(_)) => tag::OPAQUE,
        Bound::Value(Value::Counter64(_)) => tag::COUNTER64,
    }
}
