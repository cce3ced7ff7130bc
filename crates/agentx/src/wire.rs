//! Packets of AgentX, in both byte orders (RFC 2741 sections 5 and 6).
//!
//! [`first_packet`] cuts a stream into packets, [`decode`] reads one, [`encode`] writes one. What a peer may leave out or
//! fill as it likes (reserved octets, the value of flags that are true) is read leniently; lengths are checked to the octet.

mod decode;
mod encode;
mod error_code;
mod header;
mod reader;

pub use decode::{DecodeError, Fault, decode};
pub use encode::{EncodeError, encode};
pub use error_code::{CloseReason, ErrorCode};
pub use header::{ByteOrder, HEADER_LENGTH, Header, HeaderError, MAX_PAYLOAD, first_packet, packet_length};

use trunkline_smi::{Oid, VarBind};

/// One packet: what its header says, and a PDU.
///
/// ```text
/// | version = 1 | type | flags | reserved | session | transaction | packet | length of the payload | payload ...
/// |      1      |  1   |   1   |    1     |    4    |      4      |   4    |           4           |
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The order of the octets of all numbers; a master answers in the order of the session's packets (section 6.1).
    pub order: ByteOrder,
    /// h.sessionID: which session; in Open whatever the subagent likes.
    pub session: u32,
    /// h.transactionID: the same in all packets of one request of a manager.
    pub transaction: u32,
    /// h.packetID: an answer repeats that of its request.
    pub packet: u32,
    /// The context, if it is not the default one, whose name is empty. Only PDUs for which [`Pdu::has_context`] is true carry one.
    pub context: Option<Vec<u8>>,
    /// What it says.
    pub pdu: Pdu,
}

/// The PDUs of section 6.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pdu {
    /// agentx-Open-PDU: a subagent opens a session.
    Open {
        /// Seconds that the master waits for answers of this session; 0: as it likes.
        timeout: u8,
        /// What the subagent is; empty if it does not say.
        id: Oid,
        /// The same in words.
        description: Vec<u8>,
    },
    /// agentx-Close-PDU: either end closes a session.
    Close {
        /// Why: see [`CloseReason`].
        reason: u8,
    },
    /// agentx-Register-PDU.
    Register(Registration),
    /// agentx-Unregister-PDU; `timeout` and `is_instance` are not sent.
    Unregister(Registration),
    /// agentx-Get-PDU.
    Get(Vec<SearchRange>),
    /// agentx-GetNext-PDU.
    GetNext(Vec<SearchRange>),
    /// agentx-GetBulk-PDU.
    GetBulk {
        /// How many ranges are read once.
        non_repeaters: u16,
        /// How often the others are read, at most.
        max_repetitions: u16,
        /// From where to where.
        ranges: Vec<SearchRange>,
    },
    /// agentx-TestSet-PDU.
    TestSet(Vec<VarBind>),
    /// agentx-CommitSet-PDU.
    CommitSet,
    /// agentx-UndoSet-PDU.
    UndoSet,
    /// agentx-CleanupSet-PDU; it has no answer.
    CleanupSet,
    /// agentx-Notify-PDU: sysUpTime.0 if there is one, snmpTrapOID.0, and the objects.
    Notify(Vec<VarBind>),
    /// agentx-Ping-PDU.
    Ping,
    /// agentx-IndexAllocate-PDU.
    IndexAllocate(IndexRequest),
    /// agentx-IndexDeallocate-PDU.
    IndexDeallocate(IndexRequest),
    /// agentx-AddAgentCaps-PDU: a row of sysORTable.
    AddAgentCaps {
        /// sysORID.
        id: Oid,
        /// sysORDescr.
        description: Vec<u8>,
    },
    /// agentx-RemoveAgentCaps-PDU.
    RemoveAgentCaps {
        /// sysORID.
        id: Oid,
    },
    /// agentx-Response-PDU.
    Response {
        /// sysUpTime of the master; 0 from subagents.
        sys_up_time: u32,
        /// 0, an error status of SNMP, or an [`ErrorCode`].
        error: u16,
        /// Which variable binding is at fault, from 1; 0 if none is.
        index: u16,
        /// What was found.
        bindings: Vec<VarBind>,
    },
}

impl Pdu {
    /// Whether a packet with this PDU may name a context (section 6.1.1).
    #[must_use]
    pub const fn has_context(&self) -> bool {
        !matches!(
            self,
            Pdu::Open { .. }
                | Pdu::Close { .. }
                | Pdu::CommitSet
                | Pdu::UndoSet
                | Pdu::CleanupSet
                | Pdu::Response { .. }
        )
    }

    /// The name of the standard, such as `Register`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Pdu::Open { .. } => "Open",
            Pdu::Close { .. } => "Close",
            Pdu::Register(_) => "Register",
            Pdu::Unregister(_) => "Unregister",
            Pdu::Get(_) => "Get",
            Pdu::GetNext(_) => "GetNext",
            Pdu::GetBulk { .. } => "GetBulk",
            Pdu::TestSet(_) => "TestSet",
            Pdu::CommitSet => "CommitSet",
            Pdu::UndoSet => "UndoSet",
            Pdu::CleanupSet => "CleanupSet",
            Pdu::Notify(_) => "Notify",
            Pdu::Ping => "Ping",
            Pdu::IndexAllocate(_) => "IndexAllocate",
            Pdu::IndexDeallocate(_) => "IndexDeallocate",
            Pdu::AddAgentCaps { .. } => "AddAgentCaps",
            Pdu::RemoveAgentCaps { .. } => "RemoveAgentCaps",
            Pdu::Response { .. } => "Response",
        }
    }
}

/// A subtree that a session answers for, or a range of them (section 6.2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Seconds that the master waits for answers of this subtree; 0: as of the session.
    pub timeout: u8,
    /// Of several for the same subtree the lowest number wins; 127 is the default.
    pub priority: u8,
    /// The subtree.
    pub subtree: Oid,
    /// Which sub-identifier of the subtree runs, from 1, and to which number: `1.3.6.1.2.1.2.2.1.(1-22).7` is the subtree
    /// `1.3.6.1.2.1.2.2.1.1.7` with a range of `(10, 22)`.
    pub range: Option<(u8, u32)>,
    /// The subtree is the name of one instance.
    pub is_instance: bool,
}

/// Where a search begins and ends (section 5.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRange {
    /// The name to begin at.
    pub start: Oid,
    /// `start` may be the answer itself.
    pub include: bool,
    /// Answers come before this name; `None` if the search has no end.
    pub end: Option<Oid>,
}

/// The contents of IndexAllocate and IndexDeallocate (section 6.2.13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRequest {
    /// NEW_INDEX: values that nobody has ever had.
    pub new_index: bool,
    /// ANY_INDEX: values that nobody has now.
    pub any_index: bool,
    /// The index objects, without instance, and the values.
    pub bindings: Vec<VarBind>,
}

/// Types of PDUs (section 6.1, h.type).
pub(crate) mod kind {
    pub const OPEN: u8 = 1;
    pub const CLOSE: u8 = 2;
    pub const REGISTER: u8 = 3;
    pub const UNREGISTER: u8 = 4;
    pub const GET: u8 = 5;
    pub const GET_NEXT: u8 = 6;
    pub const GET_BULK: u8 = 7;
    pub const TEST_SET: u8 = 8;
    pub const COMMIT_SET: u8 = 9;
    pub const UNDO_SET: u8 = 10;
    pub const CLEANUP_SET: u8 = 11;
    pub const NOTIFY: u8 = 12;
    pub const PING: u8 = 13;
    pub const INDEX_ALLOCATE: u8 = 14;
    pub const INDEX_DEALLOCATE: u8 = 15;
    pub const ADD_AGENT_CAPS: u8 = 16;
    pub const REMOVE_AGENT_CAPS: u8 = 17;
    pub const RESPONSE: u8 = 18;
}

/// Flags of the header (section 6.1, h.flags).
pub(crate) mod flag {
    pub const INSTANCE_REGISTRATION: u8 = 0x01;
    pub const NEW_INDEX: u8 = 0x02;
    pub const ANY_INDEX: u8 = 0x04;
    pub const NON_DEFAULT_CONTEXT: u8 = 0x08;
    pub const NETWORK_BYTE_ORDER: u8 = 0x10;
}

/// Types of values (section 5.4, v.type).
pub(crate) mod tag {
    pub const INTEGER: u16 = 2;
    pub const OCTET_STRING: u16 = 4;
    pub const NULL: u16 = 5;
    pub const OBJECT_IDENTIFIER: u16 = 6;
    pub const IP_ADDRESS: u16 = 64;
    pub const COUNTER32: u16 = 65;
    pub const GAUGE32: u16 = 66;
    pub const TIME_TICKS: u16 = 67;
    pub const OPAQUE: u16 = 68;
    pub const COUNTER64: u16 = 70;
    pub const NO_SUCH_OBJECT: u16 = 128;
    pub const NO_SUCH_INSTANCE: u16 = 129;
    pub const END_OF_MIB_VIEW: u16 = 130;
}

/// The prefix that object identifiers leave out if the number after it fits into an octet (section 5.1).
pub(crate) const INTERNET: [u32; 4] = [1, 3, 6, 1];

/// The only version.
pub(crate) const VERSION: u8 = 1;
