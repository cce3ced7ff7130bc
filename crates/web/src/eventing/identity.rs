//! The identity of a subscriber. It keeps what was authenticated, not what followed from it: the configuration
//! and the access tables may have changed by the time of a notification.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use trunkline_transport::Protection;
use trunkline_transport::http::{HttpRequest, header};
use trunkline_tree::policy::{Principal, SecurityLevel, SecurityModel, ViewType, Withheld};

use super::Happened;
use crate::http::{Asker, Front, NoAccess};
use trunkline_config::{HttpPlan, PasswordHash, Plan, TokenHash};
use trunkline_core::Settings;

/// What a subscriber authenticated with. It holds a secret, and so has no `Debug`.
#[derive(Clone)]
pub(super) enum Identity {
    /// The principal.
    Principal {
        /// The security name.
        name: Vec<u8>,
        /// How well it was protected.
        level: SecurityLevel,
        /// The name whose password or token authenticated it; `None`: a certificate did.
        claimed: Option<String>,
    },
    /// That they know a community.
    Community {
        /// The community.
        community: Vec<u8>,
        /// Its address.
        peer: SocketAddr,
        /// Whether everybody on the path could read it.
        is_plain: bool,
    },
}

/// Why a notification may not be sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum Untold<'n> {
    /// The community that was shown.
    #[error("the subscriber's community is no longer configured")]
    Community,
    /// The policy.
    #[error("{0}")]
    Withheld(Withheld<'n>),
}

/// The credentials of principals, by name.
pub(super) type Credentials = BTreeMap<String, (Option<PasswordHash>, Option<TokenHash>)>;

/// Those of a configuration.
pub(super) fn credentials(plan: &Plan) -> Credentials {
    let of = |principal: &trunkline_config::PrincipalPlan| {
        (principal.name.clone(), (principal.password_hash.clone(), principal.token_hash.clone()))
    };
    plan.snmp.principals.iter().map(of).collect()
}

impl Identity {
    /// The client. What [`Front::access`] refuses is refused.
    pub fn of(
        front: &Front,
        settings: &Settings,
        request: &HttpRequest,
        asker: &Asker,
        community: Option<&str>,
    ) -> Result<Self, NoAccess> {
        let community = community.map(str::as_bytes);
        front.access(settings, request, asker, community, ViewType::Read)?;
        if let Asker::Principal(proved) = asker {
            let principal = front.principal(proved);
            let claimed = request.headers.contains_key(header::AUTHORIZATION);
            let user = || String::from_utf8_lossy(proved.state().security_name(false)).into_owned();
            return Ok(Identity::Principal {
                name: principal.name.to_vec(),
                level: principal.level,
                claimed: claimed.then(user),
            });
        }
        Ok(Identity::Community {
            community: community.ok_or(NoAccess::Nobody)?.to_vec(),
            peer: request.session.peer,
            is_plain: request.session.protection == Protection::None,
        })
    }

    /// Whether both are the same owner of a subscription.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Identity::Principal { name, level, .. },
                Identity::Principal { name: other_name, level: other_level, .. },
            ) => (name, level) == (other_name, other_level),
            (Identity::Community { community, .. }, Identity::Community { community: other, .. }) => {
                community == other
            }
            _ => false,
        }
    }

    /// Whether this may be sent now, with all its objects (RFC 3413 section 3.3).
    pub fn may_know<'n>(&self, settings: &Settings, event: &'n Happened) -> Result<(), Untold<'n>> {
        let (principal, own) = self.of_policy(settings).ok_or(Untold::Community)?;
        let context = if event.context.is_empty() { own } else { event.context.as_bytes() };
        let told = &event.notification;
        let names = told.objects.iter().map(|(name, _)| &**name);
        let checked = settings.guard().check_notification(&principal, context, &told.oid, names);
        checked.map_err(Untold::Withheld)
    }

    /// Whether this object may be sent now in a notification of the default context.
    pub fn may_know_of(&self, settings: &Settings, notification: &[u32], name: &[u32]) -> bool {
        self.of_policy(settings).is_some_and(|(principal, own)| {
            settings.guard().check_notification(&principal, own, notification, [name]).is_ok()
        })
    }

    /// Whether the subscription could be made now: a new configuration that withdraws it ends it. `before` and
    /// `now` are the credentials of principals then and now.
    pub fn may_stay(
        &self,
        settings: &Settings,
        http: &HttpPlan,
        before: &Credentials,
        now: &Credentials,
    ) -> bool {
        let is_proved = match self {
            Identity::Principal { claimed: Some(name), .. } => {
                now.get(name).is_some_and(|found| before.get(name) == Some(found))
            }
            Identity::Principal { claimed: None, .. } => true,
            Identity::Community { is_plain, .. } => !(*is_plain && http.refuse_plain_communities),
        };
        let may_read = self.of_policy(settings).is_some_and(|(principal, context)| {
            settings.guard().access(&principal, context, ViewType::Read).is_ok()
        });
        is_proved && may_read
    }

    /// Its name for the policy, and the context of its notifications; `None`: it has none any more.
    fn of_policy<'s>(&'s self, settings: &'s Settings) -> Option<(Principal<'s>, &'s [u8])> {
        match self {
            Identity::Principal { name, level, .. } => {
                Some((Principal::new(SecurityModel::TSM, name, *level), b""))
            }
            Identity::Community { community, peer, .. } => {
                let entry = settings.community(community, *peer)?;
                Some((Principal::of_community(entry.security_name), entry.context_name))
            }
        }
    }
}
