//! What SNMP's requests are answered with: what the core has, the limits of SNMP's messages, and names that are encoded
//! already.

use std::sync::Arc;

use trunkline_snmp::engine::Request;
use trunkline_snmp::wire::NameTemplate;
use trunkline_tree::policy::{Principal, SecurityModel};

use trunkline_config::SnmpPlan;
use trunkline_core::{self, Caller, Core, Derived, Made, Served};

/// The name of each leaf, encoded once; by the leaf's position.
pub(super) type Templates = Derived<Vec<NameTemplate>>;

/// Limits of messages.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub max_message_size: usize,
    /// The most octets of an answer to an unauthenticated client, which may have forged its address.
    pub max_unproved_answer: usize,
    pub max_bindings: usize,
}

/// What requests of SNMP are answered with.
pub struct Settings {
    pub(super) core: Arc<trunkline_core::Settings>,
    pub(super) limits: Limits,
    templates: Arc<Made<Vec<NameTemplate>>>,
}

impl Limits {
    pub fn of(plan: &SnmpPlan) -> Self {
        Limits {
            max_message_size: plan.max_message_size,
            max_unproved_answer: plan.max_unproved_answer,
            max_bindings: plan.max_bindings,
        }
    }
}

impl Settings {
    pub(super) fn now(core: &Core, templates: &Templates, limits: Limits) -> Self {
        let core = core.settings();
        let encoded =
            |served: &Served| served.tree.leaves().iter().map(|leaf| NameTemplate::new(leaf.oid())).collect();
        let templates = templates.of(core.served(), encoded);
        Settings { core, limits, templates }
    }

    /// What is served.
    pub(super) fn served(&self) -> &Served {
        self.core.served()
    }

    pub(super) fn templates(&self) -> &[NameTemplate] {
        &self.templates
    }
}

/// The caller of a request, in the core's form.
#[inline]
pub(super) fn caller<'r>(request: &'r Request<'_>) -> Caller<'r> {
    let model = SecurityModel(request.security_model);
    Caller {
        principal: Principal::new(model, request.security_name(), request.level),
        context_engine_id: request.context_engine_id,
        is_local: request.is_local(),
        context: request.context_name,
    }
}
