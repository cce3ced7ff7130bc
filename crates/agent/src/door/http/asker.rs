//! Who asks over HTTP, and what they may do.

use std::sync::Arc;

use trunkline_client::proved;
use trunkline_snmp::engine::{SecurityName, TransportState};
use trunkline_transport::http::{HeaderValue, HttpRequest, HttpResponse, StatusCode, header};
use trunkline_transport::{Protection, SessionInfo};
use trunkline_tree::Access;
use trunkline_tree::policy::{Denied, SecurityLevel, SecurityModel, ViewType};

use super::Front;
use crate::door::snmp::Settings;

/// What HTTP proved of who asks.
#[derive(Clone, Debug)]
pub enum Asker {
    /// Nothing. A community in the request may say more.
    Nobody,
    /// A principal of the access policy.
    Principal(Principal),
}

/// Somebody who has proved who they are: by a certificate, a password or a token.
#[derive(Clone, Debug)]
pub struct Principal {
    state: TransportState,
}

/// Why a request may see nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAccess {
    /// It says nothing of who asks.
    #[error("who asks? send a community, basic or bearer authentication, or a client certificate")]
    Nobody,
    /// Nobody has this community here, or not from this address.
    #[error("this community is not known here")]
    UnknownCommunity,
    /// A community where everybody could read it, which the configuration does not want.
    #[error("communities are not taken over plain HTTP: use HTTPS, or a principal")]
    PlainCommunity,
    /// Known, and not allowed.
    #[error("access denied: {0}")]
    Denied(#[from] Denied),
}

impl Principal {
    /// A principal of this name in a session.
    pub(super) fn new(name: SecurityName, session: &SessionInfo) -> Self {
        Principal { state: proved::named(session, name) }
    }

    /// What the transport proved, for SNMP's engine (tmStateReference, RFC 5590).
    pub fn state(&self) -> &TransportState {
        &self.state
    }

    /// The level in the policy's words: HTTPS is authPriv; over plain HTTP nothing protects the octets, whatever
    /// password came with them.
    pub fn level(&self) -> SecurityLevel {
        match self.state.level() {
            trunkline_snmp::SecurityLevel::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
            trunkline_snmp::SecurityLevel::AuthNoPriv => SecurityLevel::AuthNoPriv,
            trunkline_snmp::SecurityLevel::AuthPriv => SecurityLevel::AuthPriv,
        }
    }
}

impl Asker {
    /// What the transport proved, for SNMP's engine; `None`: nothing.
    pub fn state(&self) -> Option<&TransportState> {
        match self {
            Asker::Nobody => None,
            Asker::Principal(principal) => Some(&principal.state),
        }
    }
}

impl Front {
    /// What an asker may do in the default context, or one who is nobody in that of the community of the request's
    /// body. A principal's community does not count: it has proved more.
    ///
    /// `view_type` is Read for what only reads, else Write; the [`Access`] has both views.
    ///
    /// # Errors
    /// [`NoAccess`]; a wrong community has been counted and told.
    pub fn access(
        &self,
        settings: &Settings,
        request: &HttpRequest,
        asker: &Asker,
        community: Option<&[u8]>,
        view_type: ViewType,
    ) -> Result<Arc<Access>, NoAccess> {
        let guard = settings.guard();
        if let Asker::Principal(principal) = asker {
            let has_prefix = self.door.engine().uses_prefix() && principal.state.domain().prefix().is_some();
            let name = principal.state.security_name(has_prefix);
            return Ok(guard.access(SecurityModel::TSM, name, principal.level(), b"", view_type)?.clone());
        }
        let community = community.ok_or(NoAccess::Nobody)?;
        if self.plan.load().refuse_plain_communities && request.session.protection == Protection::None {
            return Err(NoAccess::PlainCommunity);
        }
        let Some(entry) = settings.community(community, request.session.peer) else {
            self.door.counters().in_bad_community_names.add(1);
            self.door.tell_failed_authentication(request.session.peer);
            return Err(NoAccess::UnknownCommunity);
        };
        let (model, level) = (SecurityModel::V2C, SecurityLevel::NoAuthNoPriv);
        Ok(guard.access(model, entry.security_name, level, entry.context_name, view_type)?.clone())
    }
}

impl NoAccess {
    /// The status of HTTP that says it.
    pub fn status(&self) -> StatusCode {
        match self {
            NoAccess::Nobody | NoAccess::UnknownCommunity => StatusCode::UNAUTHORIZED,
            NoAccess::PlainCommunity | NoAccess::Denied(_) => StatusCode::FORBIDDEN,
        }
    }

    /// An answer with that status; `body` is the door's fault. Where who asks could prove it, it says how.
    pub fn answer(&self, response: HttpResponse) -> HttpResponse {
        let response = HttpResponse { status: self.status(), ..response };
        if response.status == StatusCode::UNAUTHORIZED { challenge(response) } else { response }
    }
}

/// Says how to prove who one is (RFC 9110 section 11.6.1).
pub(super) fn challenge(mut response: HttpResponse) -> HttpResponse {
    for way in ["Basic realm=\"trunkline\", charset=\"UTF-8\"", "Bearer realm=\"trunkline\""] {
        response.headers.append(header::WWW_AUTHENTICATE, HeaderValue::from_static(way));
    }
    response
}
