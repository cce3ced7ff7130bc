//! Admits requests, for every door and on every path, by principal, context, and whether they read or write. A door
//! makes a [`Caller`] of its request, and its protocol's answer of a refusal.

use std::sync::Arc;

use trunkline_snmp::engine::{CommunityEntry, Engine};
use trunkline_tree::Access;
use trunkline_tree::policy::{Denied, OwnedPrincipal, Principal, SecurityModel, ViewType};

use super::{Core, Settings};
use trunkline_regions::ContextProxy;

/// The principal of a request, and its context.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'c> {
    /// The principal.
    pub principal: Principal<'c>,
    /// contextEngineID; its octets matter only where it is another engine's.
    pub context_engine_id: &'c [u8],
    /// Whether contextEngineID is this engine's.
    pub is_local: bool,
    /// contextName.
    pub context: &'c [u8],
}

/// What an admitted request leads to. The access is the caller's in its context; it has all views.
pub enum Admission<'s> {
    /// The tree answers.
    Tree(&'s Arc<Access>),
    /// Another agent answers (RFC 3413 section 3.5). The caller needs access here before its request goes there.
    Forwarded {
        /// The way to that agent.
        proxy: &'s ContextProxy,
        /// The caller's access here.
        access: &'s Arc<Access>,
    },
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// contextEngineID is another engine's, and no proxy forwards this caller's requests to it. A caller without
    /// access does not learn whether there is a proxy.
    #[error("nothing here answers for this contextEngineID")]
    UnknownEngine,
    /// The access policy denies it.
    #[error(transparent)]
    Denied(#[from] Denied),
}

impl<'c> Caller<'c> {
    /// A principal in the default context.
    #[must_use]
    pub const fn of_default_context(principal: Principal<'c>) -> Self {
        Caller { principal, context_engine_id: &[], is_local: true, context: &[] }
    }

    /// Whoever knows a community (RFC 3584 section 5.2.1).
    #[must_use]
    pub fn of_community(entry: &CommunityEntry<'c>, engine: &Engine) -> Self {
        Caller {
            principal: Principal::of_community(entry.security_name),
            context_engine_id: entry.context_engine_id.unwrap_or_default(),
            is_local: entry.context_engine_id.is_none_or(|id| engine.is_local_context(id)),
            context: entry.context_name,
        }
    }
}

impl<'s> Admission<'s> {
    /// The caller's access here, whatever answers.
    #[must_use]
    pub const fn access(&self) -> &'s Arc<Access> {
        match self {
            Admission::Tree(access) | Admission::Forwarded { access, .. } => access,
        }
    }
}

/// Why the agent does nothing on somebody's behalf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOnBehalf {
    /// The user is not there any more, or the access policy denies it.
    Denied,
    /// Another agent answers in that context.
    Elsewhere,
}

impl Core {
    /// What a principal may do here, for work that the agent does on its behalf and not in answer to a message; users
    /// of SNMPv3 must still be there.
    ///
    /// # Errors
    /// [`NotOnBehalf`]
    pub fn access_of(
        &self,
        settings: &Settings,
        principal: &OwnedPrincipal,
        context: &[u8],
        view_type: ViewType,
    ) -> Result<Arc<Access>, NotOnBehalf> {
        let is_user = principal.model == SecurityModel::USM;
        if is_user && self.engine.users().get(self.engine.id().as_bytes(), &principal.name).is_none() {
            return Err(NotOnBehalf::Denied);
        }
        let caller = Caller { context, ..Caller::of_default_context(principal.as_principal()) };
        match settings.admit(&caller, view_type) {
            Ok(Admission::Tree(access)) => Ok(access.clone()),
            Ok(Admission::Forwarded { .. }) => Err(NotOnBehalf::Elsewhere),
            Err(_) => Err(NotOnBehalf::Denied),
        }
    }
}

impl Settings {
    /// Admits a request that needs this view: reads and writes ask for access here first, whatever answers them.
    ///
    /// # Errors
    /// [`NotAdmitted`]
    #[inline]
    pub fn admit(&self, caller: &Caller<'_>, view_type: ViewType) -> Result<Admission<'_>, NotAdmitted> {
        let proxy = self.proxies().of(caller.context_engine_id, caller.is_local, caller.context);
        if proxy.is_none() && !caller.is_local {
            return Err(NotAdmitted::UnknownEngine);
        }
        let access = match self.guard().access(&caller.principal, caller.context, view_type) {
            Ok(access) => access,
            Err(denied) if caller.is_local => return Err(denied.into()),
            Err(_) => return Err(NotAdmitted::UnknownEngine),
        };
        Ok(proxy.map_or(Admission::Tree(access), |proxy| Admission::Forwarded { proxy, access }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use trunkline_config::{CommunityPlan, Plan, access};
    use trunkline_snmp::SecurityLevel;
    use trunkline_snmp::wire::Pdu;
    use trunkline_tree::TreeBuilder;

    use super::*;
    use crate::{Inputs, Keeping, Observing, Served};
    use trunkline_regions::{Forwarder, Forwarding, Proxies};

    struct Deaf;

    impl Forwarder for Deaf {
        fn forward<'a>(&'a self, _: Pdu, _: &'a Access) -> Forwarding<'a> {
            Box::pin(async { None })
        }
    }

    const OTHER: &[u8] = &[0x80; 12];
    const THIRD: &[u8] = &[0x81; 12];

    /// `community1` reads the default context, `community2` the context `other`; another agent answers for that,
    /// here and at the engine `OTHER`.
    fn settings() -> Settings {
        let mut plan = Plan::default();
        let elsewhere = CommunityPlan { context: "other".into(), ..CommunityPlan::reader("elsewhere") };
        plan.snmp.communities = vec![CommunityPlan::reader("public"), elsewhere];
        let proxy = |context_engine_id: &[u8]| ContextProxy {
            context: b"other".to_vec(),
            context_engine_id: context_engine_id.to_vec(),
            level: SecurityLevel::AuthPriv,
            forwarder: Box::new(Deaf),
        };
        let tree = Arc::new(TreeBuilder::default().build(Instant::now()).unwrap());
        let inputs = Inputs {
            policy: Arc::new(access::policy(&plan).unwrap()),
            communities: plan.snmp.communities,
            served: Served::new(tree, Vec::new()),
            targets: Arc::default(),
            proxies: Arc::new(Proxies::new(vec![proxy(&[]), proxy(OTHER)])),
            names: Arc::default(),
        };
        Settings::new(&inputs, Arc::default(), Keeping::default(), Observing::default())
    }

    #[test]
    fn a_caller_is_led_to_the_tree_to_another_agent_or_refused() {
        let settings = settings();
        let check = |name: &str, engine: Option<&[u8]>, context: &str, expected: &str| {
            let caller = Caller {
                principal: Principal::of_community(name.as_bytes()),
                context_engine_id: engine.unwrap_or_default(),
                is_local: engine.is_none(),
                context: context.as_bytes(),
            };
            let found = match settings.admit(&caller, ViewType::Read) {
                Ok(Admission::Tree(_)) => "tree".to_owned(),
                Ok(Admission::Forwarded { proxy, .. }) => {
                    format!("forwarded {}", proxy.context_engine_id.len())
                }
                Err(NotAdmitted::UnknownEngine) => "unknown engine".to_owned(),
                Err(NotAdmitted::Denied(denied)) => format!("{denied:?}"),
            };
            assert_eq!(found, expected, "{name} {engine:?} {context:?}");
        };
        check("community1", None, "", "tree");
        check("community1", None, "other", "NoAccessEntry");
        check("community1", None, "nowhere", "NoSuchContext");
        check("stranger", None, "", "NoGroupName");
        check("community2", None, "other", "forwarded 0");
        check("community2", Some(OTHER), "other", "forwarded 12");
        // Nothing shows who would be forwarded.
        check("community1", Some(OTHER), "other", "unknown engine");
        check("community2", Some(THIRD), "other", "unknown engine");
        check("community1", Some(OTHER), "", "unknown engine");
    }
}
