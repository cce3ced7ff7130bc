//! What SNMP's requests are answered with: what the core has, the limits of SNMP's messages, and names that are encoded
//! already.

use std::sync::Arc;

use trunkline_snmp::engine::Request;
use trunkline_snmp::wire::NameTemplate;
use trunkline_tree::Access;
use trunkline_tree::policy::{Denied, Principal, SecurityModel, ViewType};

use crate::core::{self, Core, Derived, Made, Served};
use crate::regions::ContextProxy;
use trunkline_config::SnmpPlan;

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
    pub(super) core: Arc<core::Settings>,
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

    /// What the asker may do (RFC 3415).
    pub(super) fn access(&self, request: &Request<'_>, view_type: ViewType) -> Result<&Arc<Access>, Denied> {
        self.core.guard().access(&principal(request), request.context_name, view_type)
    }

    /// The agent that answers instead of this one.
    pub(super) fn proxy(&self, request: &Request<'_>) -> Option<&ContextProxy> {
        self.core.proxies().of(request.context_engine_id, request.is_local(), request.context_name)
    }
}

/// The principal, as the access policy knows it.
pub(super) fn principal<'r>(request: &'r Request<'_>) -> Principal<'r> {
    let model = SecurityModel(request.security_model);
    Principal { model, name: request.security_name(), level: request.level }
}
