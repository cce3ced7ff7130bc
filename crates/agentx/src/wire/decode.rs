//! From octets to a packet.

use super::reader::Reader;
use super::{HEADER_LENGTH, Header, HeaderError, IndexRequest, Packet, Pdu, Registration, flag, kind};

/// Why a packet cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("octet {offset}: {fault}")]
pub struct DecodeError {
    /// The header, if it could be read: whose packet this is, to answer it or to fail its request.
    pub header: Option<Header>,
    /// Where in the packet the element begins that is at fault.
    pub offset: usize,
    /// What is at fault.
    pub fault: Fault,
}

/// What can be at fault in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The header.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Other than the header and the payload that it announces.
    #[error("{found} octets instead of the {expected} that the header announces")]
    Length {
        /// Of header and payload; that of a header if not even it is complete.
        expected: usize,
        /// What was found.
        found: usize,
    },
    /// A type of PDU that does not exist.
    #[error("a PDU of type {found}, expected 1 to 18")]
    Kind {
        /// What was found.
        found: u8,
    },
    /// The packet ends inside of an element.
    #[error("the packet ends inside of {element}, which needs {needed} octets where {left} are left")]
    Cut {
        /// Of what.
        element: &'static str,
        /// How many octets it needs from there.
        needed: usize,
        /// How many there are.
        left: usize,
    },
    /// More sub-identifiers than an object identifier may have.
    #[error("an object identifier of {found} sub-identifiers, at most 128 are allowed")]
    OidTooLong {
        /// How many it has.
        found: usize,
    },
    /// A type of value that does not exist.
    #[error("a value of type {found}, which AgentX does not have")]
    ValueType {
        /// What was found.
        found: u16,
    },
    /// An IpAddress that is not an IPv4 address.
    #[error("an IpAddress of {found} octets, expected 4")]
    IpAddress {
        /// How many it has.
        found: usize,
    },
    /// More than the PDU has.
    #[error("{octets} octets after the end of the PDU")]
    Trailing {
        /// How many.
        octets: usize,
    },
}

/// Reads one packet, which `octets` hold from their first to their last.
pub fn decode(octets: &[u8]) -> Result<Packet, DecodeError> {
    let error = |header, offset, fault| DecodeError { header, offset, fault };
    let header = Header::read(octets).map_err(|fault| error(None, 0, fault.into()))?;
    let found = octets.len();
    let Some(header) = header else {
        return Err(error(None, 0, Fault::Length { expected: HEADER_LENGTH, found }));
    };
    let expected = HEADER_LENGTH + header.payload;
    if found != expected {
        return Err(error(Some(header), HEADER_LENGTH, Fault::Length { expected, found }));
    }
    if !(kind::OPEN..=kind::RESPONSE).contains(&header.kind) {
        return Err(error(Some(header), 1, Fault::Kind { found: header.kind }));
    }
    let payload = Reader::new(&octets[HEADER_LENGTH..], HEADER_LENGTH, header.order);
    let (context, pdu) =
        contents(&header, payload).map_err(|(offset, fault)| error(Some(header), offset, fault))?;
    let Header { order, session, transaction, packet, .. } = header;
    Ok(Packet { order, session, transaction, packet, context, pdu })
}

type Contents = (Option<Vec<u8>>, Pdu);

fn contents(header: &Header, payload: Reader<'_>) -> Result<Contents, (usize, Fault)> {
    let mut reader = payload;
    if header.flags & flag::NON_DEFAULT_CONTEXT == 0 {
        return Ok((None, whole_pdu(header, &mut reader)?));
    }
    if may_have_context(header.kind) {
        let context = reader.octets("a context").map_err(|fault| (reader.offset, fault))?.to_vec();
        // lldpd names the default context in all of its packets.
        let context = Some(context).filter(|context| !context.is_empty());
        return Ok((context, whole_pdu(header, &mut reader)?));
    }
    // The flag means nothing in these (section 6.1), but Net-SNMP's library repeats the context of a request in its answer.
    let with_context = reader.octets("a context").is_ok();
    if with_context && let Ok(pdu) = whole_pdu(header, &mut reader) {
        return Ok((None, pdu));
    }
    reader = payload;
    Ok((None, whole_pdu(header, &mut reader)?))
}

const fn may_have_context(kind: u8) -> bool {
    !matches!(
        kind,
        kind::OPEN | kind::CLOSE | kind::COMMIT_SET | kind::UNDO_SET | kind::CLEANUP_SET | kind::RESPONSE
    )
}

/// The PDU, with nothing after it; or the fault, and where it is.
fn whole_pdu(header: &Header, reader: &mut Reader<'_>) -> Result<Pdu, (usize, Fault)> {
    let pdu = pdu(header, reader).and_then(|pdu| reader.end().map(|()| pdu));
    pdu.map_err(|fault| (reader.offset, fault))
}

fn pdu(header: &Header, reader: &mut Reader<'_>) -> Result<Pdu, Fault> {
    Ok(match header.kind {
        kind::OPEN => open(reader)?,
        kind::CLOSE => Pdu::Close { reason: reader.quad("the reason of a Close")?[0] },
        kind::REGISTER => Pdu::Register(registration(header, reader)?),
        kind::UNREGISTER => {
            Pdu::Unregister(Registration { timeout: 0, is_instance: false, ..registration(header, reader)? })
        }
        kind::GET => Pdu::Get(reader.ranges()?),
        kind::GET_NEXT => Pdu::GetNext(reader.ranges()?),
        kind::GET_BULK => {
            let (non_repeaters, max_repetitions) = reader.pair("the counts of a GetBulk")?;
            Pdu::GetBulk { non_repeaters, max_repetitions, ranges: reader.ranges()? }
        }
        kind::TEST_SET => Pdu::TestSet(reader.bindings()?),
        kind::COMMIT_SET => Pdu::CommitSet,
        kind::UNDO_SET => Pdu::UndoSet,
        kind::CLEANUP_SET => Pdu::CleanupSet,
        kind::NOTIFY => Pdu::Notify(reader.bindings()?),
        kind::PING => Pdu::Ping,
        kind::INDEX_ALLOCATE => Pdu::IndexAllocate(index_request(header, reader)?),
        kind::INDEX_DEALLOCATE => Pdu::IndexDeallocate(index_request(header, reader)?),
        kind::ADD_AGENT_CAPS => {
            let (id, _) = reader.oid()?;
            Pdu::AddAgentCaps { id, description: reader.octets("the description of AddAgentCaps")?.to_vec() }
        }
        kind::REMOVE_AGENT_CAPS => Pdu::RemoveAgentCaps { id: reader.oid()?.0 },
        kind::RESPONSE => response(reader)?,
        found => return Err(Fault::Kind { found }),
    })
}

/// ```text
/// | timeout | reserved | reserved | reserved | id: OID | description: Octet String |
/// ```
fn open(reader: &mut Reader<'_>) -> Result<Pdu, Fault> {
    let [timeout, ..] = reader.quad("the time-out of an Open")?;
    let (id, _) = reader.oid()?;
    let description = reader.octets("the description of an Open")?.to_vec();
    Ok(Pdu::Open { timeout, id, description })
}

/// ```text
/// | timeout | priority | range_subid | reserved | subtree: OID | upper_bound: 4 octets, unless range_subid is 0 |
/// ```
fn registration(header: &Header, reader: &mut Reader<'_>) -> Result<Registration, Fault> {
    let [timeout, priority, range_subid, _] = reader.quad("the head of a registration")?;
    let (subtree, _) = reader.oid()?;
    let range = match range_subid {
        0 => None,
        which => Some((which, reader.u32("the upper bound of a registration")?)),
    };
    let is_instance = header.flags & flag::INSTANCE_REGISTRATION != 0;
    Ok(Registration { timeout, priority, subtree, range, is_instance })
}

fn index_request(header: &Header, reader: &mut Reader<'_>) -> Result<IndexRequest, Fault> {
    Ok(IndexRequest {
        new_index: header.flags & flag::NEW_INDEX != 0,
        any_index: header.flags & flag::ANY_INDEX != 0,
        bindings: reader.bindings()?,
    })
}

/// ```text
/// | sysUpTime: 4 octets | error: 2 octets | index: 2 octets | variable bindings |
/// ```
fn response(reader: &mut Reader<'_>) -> Result<Pdu, Fault> {
    let sys_up_time = reader.u32("sysUpTime of a Response")?;
    let (error, index) = reader.pair("the error of a Response")?;
    Ok(Pdu::Response { sys_up_time, error, index, bindings: reader.bindings()? })
}
