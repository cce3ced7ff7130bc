//! A context whose subtrees other agents answer for: a tree of regions and nothing else.

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::{Oid, OidList, ValueRef};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::wire::{Bound, ErrorStatus, Exception, Pdu, PduKind, VarBind};
use trunkline_tree::{
    Access, Name, Operation, Progress, Query, Region, Room, SetBinding, Sink, Tree, TreeBuilder, View, Walker,
};

use super::contexts::{ContextProxy, Forwarder, Forwarding};
use super::handler::{RegionFailed, RegionHandler};
use super::parts::{self, PRIORITY, Part};

/// A context of this agent whose data `answers` has, under the access policy.
pub fn context_under_policy<H: Region + RegionHandler>(context: Vec<u8>, answers: Arc<H>) -> ContextProxy {
    let part = Part::beside(Oid::from([1]), PRIORITY, answers.clone(), answers);
    ContextProxy {
        context,
        context_engine_id: Vec::new(),
        // It stays on this machine.
        level: SecurityLevel::AuthPriv,
        forwarder: Box::new(ContextTree::guarding(vec![part])),
    }
}

/// Forwards to several agents.
pub struct ContextTree {
    tree: Option<Arc<Tree>>,
    parts: Vec<Part>,
    /// Whether the access policy is checked here, instance by instance.
    is_guarding: bool,
}

/// The bindings of an answer.
struct Bindings(Vec<VarBind>);

impl ContextTree {
    /// Of these subtrees of other agents, which have their own policies.
    pub(super) fn new(parts: Vec<Part>) -> Self {
        ContextTree::of(parts, false)
    }

    /// Of these subtrees, under the access policy of this agent.
    pub(super) fn guarding(parts: Vec<Part>) -> Self {
        ContextTree::of(parts, true)
    }

    fn of(parts: Vec<Part>, is_guarding: bool) -> Self {
        let mut builder = TreeBuilder::default();
        parts::register(&parts, &mut builder);
        // It has no objects that a region could overlap with.
        ContextTree { tree: builder.build(Instant::now()).ok().map(Arc::new), parts, is_guarding }
    }

    async fn answer(&self, pdu: &Pdu, access: &Access) -> Option<Result<Vec<VarBind>, (ErrorStatus, usize)>> {
        let tree = self.tree.as_ref()?;
        let access = match self.is_guarding {
            true => tree.access_like(access),
            false => tree.access(View::everything(), View::everything()),
        };
        if pdu.kind == PduKind::Set {
            return Some(set(tree.clone(), access, pdu.bindings.clone()).await);
        }
        let number = |number: i32| usize::try_from(number).unwrap_or(0);
        let operation = match pdu.kind {
            PduKind::Get => Operation::Get,
            PduKind::GetBulk => Operation::Bulk {
                non_repeaters: number(pdu.error_status),
                max_repetitions: number(pdu.error_index),
            },
            _ => Operation::Next,
        };
        let names: OidList = pdu.bindings.iter().map(|binding| &*binding.name).collect();
        let query = Query {
            operation,
            names: &names,
            access: &access,
            without_counter64: false,
            arrived: Instant::now(),
            max_bindings: MAX_BINDINGS,
            may_end_early: true,
        };
        let (mut walker, mut sink) = (Walker::new(), Bindings(Vec::new()));
        while let Progress::Ask(_) = walker.advance(tree, &query, &mut sink) {
            if self.ask(&mut walker).await.is_err() {
                return Some(Err((ErrorStatus::GenErr, walker.binding() + 1)));
            }
        }
        Some(Ok(sink.0))
    }

    async fn ask(&self, walker: &mut Walker) -> Result<(), RegionFailed> {
        let question = walker.question().ok_or(RegionFailed)?;
        let part = self.parts.get(question.region.position()).ok_or(RegionFailed)?;
        let answer = part.handler().ask(question).await?;
        walker.answered(answer);
        Ok(())
    }
}

async fn set(
    tree: Arc<Tree>,
    access: Access,
    bindings: Vec<VarBind>,
) -> Result<Vec<VarBind>, (ErrorStatus, usize)> {
    let binding = |VarBind { name, value }: &VarBind| {
        let value = match value {
            Bound::Value(value) => Some(value.clone()),
            _ => None,
        };
        SetBinding { name: name.clone(), value }
    };
    let wanted: Vec<SetBinding> = bindings.iter().map(binding).collect();
    let written = tokio::task::spawn_blocking(move || tree.set(&access, &wanted, Instant::now)).await;
    match written {
        Ok(Ok(())) => Ok(bindings),
        Ok(Err(failure)) => Err((failure.status.into(), failure.binding + 1)),
        Err(_) => Err((ErrorStatus::GenErr, 0)),
    }
}

impl Forwarder for ContextTree {
    fn is_guarding(&self) -> bool {
        self.is_guarding
    }

    fn forward<'a>(&'a self, pdu: Pdu, access: &'a Access) -> Forwarding<'a> {
        Box::pin(async move {
            let (status, index, bindings) = match self.answer(&pdu, access).await? {
                Ok(bindings) => (ErrorStatus::NoError, 0, bindings),
                Err((status, index)) => (status, index, pdu.bindings),
            };
            Some(Pdu {
                kind: PduKind::Response,
                request_id: pdu.request_id,
                error_status: status.code(),
                error_index: i32::try_from(index).unwrap_or(i32::MAX),
                bindings,
            })
        })
    }
}

impl Sink for Bindings {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        self.0.push(VarBind::new(whole(name), value.to_value()));
        Room::Taken
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        self.0.push(VarBind { name: whole(name), value: Bound::Exception(exception) });
        Room::Taken
    }
}

fn whole(name: Name<'_>) -> Oid {
    match name {
        Name::Instance(leaf, index) => Oid::EMPTY.child(leaf.oid()).child(index),
        Name::Asked(name) => Oid::EMPTY.child(name),
    }
}

/// Bindings of one answer to a GetBulk.
const MAX_BINDINGS: usize = 1000;
