//! What answers for whole contexts.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use trunkline_snmp::SecurityLevel;
use trunkline_snmp::wire::Pdu;
use trunkline_tree::Access;

/// Other agents that answer for contexts of this one.
#[derive(Clone, Default)]
pub struct Proxies {
    contexts: Vec<Arc<ContextProxy>>,
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
    /// The response, with the request-id of the request; `None` if there is none in time. `access` is the requester's
    /// access here.
    fn forward<'a>(&'a self, pdu: Pdu, access: &'a Access) -> Forwarding<'a>;

    /// Whether it checks `access` for each instance. Otherwise the requested names must be checked before.
    fn is_guarding(&self) -> bool {
        false
    }
}

/// A request that is being forwarded.
pub type Forwarding<'a> = Pin<Box<dyn Future<Output = Option<Pdu>> + Send + 'a>>;

impl Proxies {
    /// These.
    pub fn new(contexts: Vec<ContextProxy>) -> Self {
        Proxies { contexts: contexts.into_iter().map(Arc::new).collect() }
    }

    /// These, and others for contexts that nobody answers for yet.
    #[must_use]
    pub fn and(&self, more: Vec<ContextProxy>) -> Self {
        let is_free = |proxy: &ContextProxy| self.contexts.iter().all(|known| known.context != proxy.context);
        let more = more.into_iter().filter(is_free).map(Arc::new);
        Proxies { contexts: self.contexts.iter().cloned().chain(more).collect() }
    }

    /// Whether another agent answers for a context of this engine.
    pub fn has(&self, context: &[u8]) -> bool {
        self.of(&[], true, context).is_some()
    }

    /// The handler of a context, if another agent answers for it. `is_local`: the contextEngineID is this
    /// engine's.
    #[inline]
    pub fn of(&self, context_engine_id: &[u8], is_local: bool, context: &[u8]) -> Option<&ContextProxy> {
        let engine = |proxy: &ContextProxy| match proxy.context_engine_id.is_empty() {
            true => is_local,
            false => proxy.context_engine_id == context_engine_id,
        };
        self.contexts.iter().find(|proxy| proxy.context == context && engine(proxy)).map(|proxy| &**proxy)
    }
}
