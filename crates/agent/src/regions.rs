//! What answers in the tree's place: programs and other agents. A subtree is a region of the tree, asked instance
//! by instance; a whole context is forwarded request by request (RFC 3413 section 3.5).

mod complaints;
mod context_tree;
mod hold_off;
mod lines;
mod parts;
mod pass;
mod persist;
mod proxy;
mod proxy_forwarder;
mod remote;
#[doc(hidden)]
pub mod value;

use std::future::Future;
use std::pin::Pin;

use trunkline_snmp::SecurityLevel;
use trunkline_snmp::wire::Pdu;
use trunkline_tree::{Aim, RegionAnswer};

pub use parts::{PartsError, RegionParts};
pub use remote::RemoteError;

/// Answers for a region of the tree.
pub trait RegionHandler: Send + Sync + 'static {
    /// The instance with this name or after it, as `aim` says. Ends within its own time limit; dropped when
    /// nobody waits any more. A failure ends the request with genErr; a handler whose failure must not end a walk
    /// answers a search with [`RegionAnswer::Nothing`].
    fn ask<'a>(&'a self, name: &'a [u32], aim: Aim) -> Asking<'a>;
}

/// A question that is being answered.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<RegionAnswer, RegionFailed>> + Send + 'a>>;

/// The result of a request to a program that fails. A search continues after the region, as with Net-SNMP; a
/// request for an instance fails, because nobody knows whether it exists (RFC 3416 section 4.2.1).
fn without_answer(aim: Aim) -> Result<RegionAnswer, RegionFailed> {
    match aim {
        Aim::Exactly => Err(RegionFailed),
        Aim::Behind | Aim::AtOrBehind => Ok(RegionAnswer::Nothing),
    }
}

/// There was no answer in time, or no valid one; the request gets genErr. The reason has been logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no answer from the region")]
pub struct RegionFailed;

/// Other agents that answer for contexts of this one.
#[derive(Default)]
pub struct Proxies {
    contexts: Vec<ContextProxy>,
}

/// A context that another agent answers for.
pub struct ContextProxy {
    /// contextName; with another contextEngineID than ours both must be equal.
    pub context: Vec<u8>,
    /// contextEngineID of the requests that are forwarded; empty: this engine's own.
    pub context_engine_id: Vec<u8>,
    /// The highest level of a request that may be forwarded: never is one protected less on its second way.
    pub level: SecurityLevel,
    /// Forwards.
    pub forwarder: Box<dyn Forwarder>,
}

/// Forwards a request to another agent.
pub trait Forwarder: Send + Sync + 'static {
    /// The response, with the request-id of the request; `None` if there is none in time.
    fn forward<'a>(&'a self, pdu: Pdu) -> Pin<Box<dyn Future<Output = Option<Pdu>> + Send + 'a>>;
}

impl Proxies {
    /// These.
    pub fn new(contexts: Vec<ContextProxy>) -> Self {
        Proxies { contexts }
    }

    /// The handler of a context, if another agent answers for it. `is_local`: the contextEngineID is this
    /// engine's.
    #[inline]
    pub fn of(&self, context_engine_id: &[u8], is_local: bool, context: &[u8]) -> Option<&ContextProxy> {
        let engine = |proxy: &ContextProxy| match proxy.context_engine_id.is_empty() {
            true => is_local,
            false => proxy.context_engine_id == context_engine_id,
        };
        self.contexts.iter().find(|proxy| proxy.context == context && engine(proxy))
    }
}
