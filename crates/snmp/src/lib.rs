//! SNMP without I/O: octets, moments and entropy are arguments, octets
//! are results. No socket, no clock, no random source, no global state.
//!
//! | module | what it is | specified by |
//! | --- | --- | --- |
//! | [`wire`] | BER, PDUs and messages: owned for the manager, borrowed and templated for the agent; frames in a stream; messages annotated for people | RFC 3417 section 8, 3416, 1157, 1901, 3430 |
//! | [`engine`] | from octets to an authenticated request, a Report, or a counted drop | RFC 3411, 3412, 3414, 3584 section 5 |
//! | [`role`] | which message answers a request (generator); errors in each version's form, tooBig (responder) | RFC 3416, 3584 section 4 |
//! | [`snmprec`] | recordings of agents, as `trunkline walk --record` writes and `trunkline sim` reads them | snmpsim |
//! | [`Counters`] | what an engine counts | RFC 3418, 1213, 3412 |
//! | [`DecodeError`], [`FrameError`] | what is wrong with octets, and where | |
//!
//! The path of a request through an agent: [`engine::Engine::receive`], then
//! [`wire::PduRef::names`] for the tree, whose values go one by one into a
//! [`wire::ResponseWriter`], which [`wire::ResponseWriter::finish`] or
//! [`role::responder::finish_error`] ends:
//!
//! ```
//! use std::time::Instant;
//! use trunkline_smi::{Oid, OidList, ValueRef};
//! use trunkline_snmp::engine::{CommunityEntry, Engine, EngineOptions, Handlers, Incoming};
//! use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
//! use trunkline_snmp::wire::{Message, Pdu, PduKind, ResponseWriter, Version};
//! use trunkline_snmp::Counters;
//!
//! let now = Instant::now();
//! let engine = Engine::new(EngineOptions {
//!     id: EngineId::generate(8072, *b"some entropy"),
//!     clock: EngineClock::new(EngineBoots::new(1).unwrap(), now),
//!     max_size: 65_507,
//!     handlers: Handlers::RESPONDER,
//!     remote_engines: 0,
//!     entropy: 0x0123_4567_89ab_cdef,
//! });
//! let sys_up_time = Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]);
//! let pdu = Pdu::read(PduKind::Get, 42, [&sys_up_time]);
//! let octets = Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode();
//!
//! let counters = Counters::default();
//! let everybody = CommunityEntry { security_name: b"all", context_engine_id: None, context_name: b"" };
//! let who = |community: &[u8]| (community == b"public").then_some(everybody);
//! let (mut scratch, mut buffer) = (Vec::new(), Vec::new());
//! let incoming = engine.receive(&octets, &mut scratch, &mut buffer, now, None, who, &counters);
//! let Incoming::Request(request) = incoming else { panic!("not dropped") };
//! assert_eq!(request.security_name(), b"all");
//! let mut names = OidList::new();
//! request.pdu.names(&mut names)?;
//! let mut writer = ResponseWriter::new(&mut buffer, request.max_size, request.reply());
//! for name in names.iter() {
//!     assert!(writer.value_at(name, ValueRef::TimeTicks(4711)), "room for it");
//! }
//! let range = writer.finish().expect("room for a message");
//! let response = Message::decode(&buffer[range])?;
//! assert_eq!(response.pdu.request_id, 42);
//! # Ok::<(), trunkline_snmp::DecodeError>(())
//! ```

mod counters;
pub mod engine;
mod error;
pub mod role;
pub mod snmprec;
pub mod usm;
pub mod wire;

pub use counters::{Counter, Counters};
pub use error::{DecodeError, Element, FrameError, OidProblem};
pub use trunkline_smi::{self as smi, Oid, OidList, SecurityLevel, Value, ValueRef};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
