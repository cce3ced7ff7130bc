//! AgentX (RFC 2741) without I/O: packets in both directions ([`wire`]), and what a master knows about its subagents: their
//! sessions and what they have registered ([`registry`]), and which indexes they have allocated ([`indexes`]).

pub mod indexes;
pub mod registry;
pub mod wire;
