//! Blocks of requests: ten consecutive requests of one kind to an agent for one number of objects, with the meters
//! read before and after.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::transport::Transport;

/// The operation that requests the objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// One Get of n instances.
    Get,
    /// One GetNext with n names, each the one before an instance.
    GetNext,
    /// One GetBulk: the name `ifTable` with max-repetitions n.
    GetBulk,
}

impl Operation {
    /// All of them, in the order of the tables.
    pub const ALL: [Operation; 3] = [Operation::Get, Operation::GetNext, Operation::GetBulk];
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Operation::Get => "Get",
            Operation::GetNext => "GetNext",
            Operation::GetBulk => "GetBulk",
        })
    }
}

/// What is measured: a subject, a kind of request and a number of objects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// The subject.
    pub subject: String,
    /// The transport.
    pub transport: Transport,
    /// The operation.
    pub operation: Operation,
    /// The number of ifTable objects.
    pub objects: u32,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { subject, transport, operation, objects } = self;
        write!(f, "{operation} of {objects} over {transport} from {subject}")
    }
}

/// Requests sent one after another, each after the response to the previous one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockRecord {
    /// The table that it is measured for.
    pub table: String,
    /// The request.
    #[serde(flatten)]
    pub cell: Cell,
    /// The round, counted from 1; 0 is the warm-up, which no statistic uses.
    pub round: u32,
    /// Its requests, in their order.
    pub requests: Vec<RequestRecord>,
    /// CPU time (user and system) that the subject used during the block, nanoseconds; absent for a remote
    /// subject.
    pub cpu_ns: Option<u64>,
    /// What the manager's kernel counted on the connection during the block; absent over UDP.
    pub tcp: Option<TcpDelta>,
}

/// One request and its response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// Octets of the request message.
    pub sent: u64,
    /// Octets of the response message.
    pub received: u64,
    /// IP packets of both messages, fragments included; absent over TCP, where the block counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_packets: Option<u64>,
    /// Octets of these packets from the IP header on; absent over TCP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_octets: Option<u64>,
    /// Nanoseconds from handing the request to the socket to having the response's last octet, monotonic clock.
    pub delay_ns: u64,
    /// Bindings in the response.
    pub bindings: u32,
    /// How many times the request was sent: 1 unless it was lost.
    pub attempts: u32,
}

/// What the manager's kernel counted on one TCP connection between two readings (Linux `TCP_INFO`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpDelta {
    /// Segments sent, bare acknowledgements and retransmissions included.
    pub segments_out: u64,
    /// Segments received.
    pub segments_in: u64,
    /// Octets of payload sent, retransmissions included.
    pub payload_out: u64,
    /// Octets of payload received.
    pub payload_in: u64,
    /// Octets of IP and TCP header of each segment, options included.
    pub headers_per_segment: u64,
}

impl TcpDelta {
    /// Octets at IP level, both directions.
    pub const fn ip_octets(&self) -> u64 {
        let segments = self.segments_out + self.segments_in;
        self.payload_out + self.payload_in + segments * self.headers_per_segment
    }
}
