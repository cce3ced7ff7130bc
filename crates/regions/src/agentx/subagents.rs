//! What all subagents answer for, as parts of a tree, and of contexts of their own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use trunkline_agentx::registry::Registry;
use trunkline_snmp::SecurityLevel;
use trunkline_tree::{Claim, Tree, TreeBuilder};

use super::session::{Session, Transactions};
use super::subagent::{Subagent, Subtree};
use crate::context_tree::ContextTree;
use crate::contexts::ContextProxy;
use crate::handler::RegionHandler;
use crate::parts::{self, Part};

/// What is registered at one moment.
#[derive(Clone, Default)]
pub struct Subagents {
    revision: u64,
    /// By context; the empty one is the default.
    contexts: BTreeMap<Vec<u8>, Vec<Part>>,
}

impl Subagents {
    pub(super) fn new(
        revision: u64,
        registry: &Registry,
        session: impl Fn(u32) -> Option<Arc<Session>>,
        transactions: &Arc<Transactions>,
        timeout: Duration,
    ) -> Self {
        let limit = |seconds: [u8; 2]| {
            let seconds = seconds.into_iter().find(|seconds| *seconds != 0);
            seconds.map_or(timeout, |seconds| Duration::from_secs(seconds.into()).min(LONGEST))
        };
        let limit_of = |subtree: &trunkline_agentx::registry::Subtree<'_>| {
            let of_session = registry.session(subtree.session).map_or(0, |session| session.timeout);
            limit([subtree.timeout, of_session])
        };
        let mut contexts: BTreeMap<Vec<u8>, Vec<Part>> = BTreeMap::new();
        let mut slowest: BTreeMap<(&[u8], u32), Duration> = BTreeMap::new();
        for subtree in registry.subtrees() {
            let slowest = slowest.entry((subtree.context, subtree.session)).or_default();
            *slowest = limit_of(&subtree).max(*slowest);
        }
        let mut subagents: BTreeMap<(&[u8], u32), Arc<Subagent>> = BTreeMap::new();
        for (&(context, number), &limit) in &slowest {
            let Some(session) = session(number) else { continue };
            let (context_of, transactions) = (context.to_vec(), transactions.clone());
            let subagent = Subagent { session, context: context_of, transactions, limit };
            subagents.insert((context, number), Arc::new(subagent));
        }
        for subtree in registry.subtrees() {
            let Some(subagent) = subagents.get(&(subtree.context, subtree.session)) else { continue };
            let (root, limit) = (subtree.root.clone(), limit_of(&subtree));
            let handler = Arc::new(Subtree { subagent: subagent.clone(), root: root.clone(), limit });
            let part = Part::beside(root, subtree.priority, subagent.clone(), handler);
            contexts.entry(subtree.context.to_vec()).or_default().push(part);
        }
        Subagents { revision, contexts }
    }

    /// The revision of the registry that this is of.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether nobody answers for anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }

    /// Registers what is answered for in the default context, beside the objects of `own`, a tree without subagents;
    /// returns the handlers in this order. An object of the tree counts as registered at the default priority: a
    /// subagent that registers just this object needs a better one (RFC 2741 section 7.1.4.1).
    pub fn register(&self, own: &Tree, builder: &mut TreeBuilder) -> Vec<Arc<dyn RegionHandler>> {
        let mut effective = Vec::new();
        for part in self.contexts.get(&[][..]).into_iter().flatten() {
            match own.claim(part.root()) {
                Claim::Free => effective.push(part.clone()),
                Claim::Object if part.priority() < parts::PRIORITY => {
                    effective.push(part.clone().shadowing())
                }
                Claim::Object | Claim::Inside => {}
            }
        }
        parts::register(&effective, builder);
        effective.iter().map(Part::shared_handler).collect()
    }

    /// The other contexts that something is registered in.
    pub fn contexts(&self) -> impl Iterator<Item = &[u8]> {
        self.contexts.keys().map(Vec::as_slice).filter(|context| !context.is_empty())
    }

    /// What answers for other contexts.
    #[must_use]
    pub fn context_proxies(&self) -> Vec<ContextProxy> {
        let others = self.contexts.iter().filter(|(context, _)| !context.is_empty());
        let proxy = |(context, parts): (&Vec<u8>, &Vec<Part>)| ContextProxy {
            context: context.clone(),
            context_engine_id: Vec::new(),
            // It stays on this machine, or goes where the operator lets subagents connect from.
            level: SecurityLevel::AuthPriv,
            forwarder: Box::new(ContextTree::guarding(parts.clone())),
        };
        others.map(proxy).collect()
    }
}

/// The longest wait for a response, whatever a subagent asks for: requests wait with it.
const LONGEST: Duration = Duration::from_secs(30);
