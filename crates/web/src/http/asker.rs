//! The client of a request over HTTP, and what it may do.

use std::sync::Arc;

use trunkline_binding::session;
use trunkline_snmp::engine::{CommunityEntry, SecurityName, TransportState};
use trunkline_transport::http::{HeaderValue, HttpRequest, HttpResponse, StatusCode, header};
use trunkline_transport::{Protection, SessionInfo};
use trunkline_tree::Access;
use trunkline_tree::policy::{OwnedPrincipal, Principal, ViewType};

use super::{Front, Session};
use trunkline_core::{Admission, Caller, NotAdmitted, Settings};

/// What HTTP authenticated about the client.
#[derive(Clone, Debug)]
pub enum Asker {
    /// Nothing. A community in the request may say more.
    Nobody,
    /// A principal of the access policy.
    Principal(Proved),
}

/// A principal that was authenticated by a certificate, a password or a token.
#[derive(Clone, Debug)]
pub struct Proved {
    state: TransportState,
    session: Option<Session>,
}

/// A request that may be answered.
pub struct Admitted {
    /// The client's identity.
    pub principal: OwnedPrincipal,
    /// Its access.
    pub access: Arc<Access>,
}

/// Why a request may see nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAccess {
    /// It does not authenticate.
    #[error("authentication required: a community, Basic, Bearer or a client certificate")]
    Nobody,
    /// The community is unknown here, or not allowed from this address.
    #[error("unknown community")]
    UnknownCommunity,
    /// A community where everybody could read it, which the configuration forbids.
    #[error("communities are not accepted over plain HTTP: use HTTPS, or a principal")]
    PlainCommunity,
    /// Another agent answers for what a community reads.
    #[error("another agent answers for what this community reads: use SNMP")]
    Forwarded,
    /// Known, and not allowed.
    #[error("access denied: {0}")]
    NotAdmitted(#[from] NotAdmitted),
}

impl Proved {
    /// A principal of this name in a session.
    pub(super) fn new(name: SecurityName, info: &SessionInfo) -> Self {
        Proved { state: session::named(info, name), session: None }
    }

    /// The same by a session of a browser.
    pub(super) fn in_session(self, session: Session) -> Self {
        Proved { session: Some(session), ..self }
    }

    /// The session of a browser that proved it; with its end, what goes on for the principal must end.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The transport's identity, for SNMP's engine (tmStateReference, RFC 5590).
    pub fn state(&self) -> &TransportState {
        &self.state
    }
}

impl Asker {
    /// The transport's identity, for SNMP's engine; `None`: there is none.
    pub fn state(&self) -> Option<&TransportState> {
        match self {
            Asker::Nobody => None,
            Asker::Principal(principal) => Some(&principal.state),
        }
    }
}

impl Front {
    /// An authenticated client, as the access policy knows it. HTTPS is authPriv; over plain HTTP nothing
    /// protects the octets, whatever password came with them.
    pub fn principal<'p>(&self, proved: &'p Proved) -> Principal<'p> {
        self.core.principal_of(&proved.state)
    }

    /// Admits a request that the tree is to answer: its principal, and what that may do in the default context;
    /// or, without authentication, in the context of the community in the request's body. A principal's community
    /// is ignored: the principal is better authenticated.
    ///
    /// `view_type` is Read for what only reads, else Write; the [`Access`] has both views.
    ///
    /// # Errors
    /// [`NoAccess`]; a wrong community has been counted and reported.
    pub fn admit(
        &self,
        settings: &Settings,
        request: &HttpRequest,
        asker: &Asker,
        community: Option<&[u8]>,
        view_type: ViewType,
    ) -> Result<Admitted, NoAccess> {
        let caller = self.caller(settings, request, asker, community)?;
        match settings.admit(&caller, view_type)? {
            Admission::Tree(access) => {
                Ok(Admitted { principal: caller.principal.into_owned(), access: access.clone() })
            }
            Admission::Forwarded { .. } => Err(NoAccess::Forwarded),
        }
    }

    /// A client's access, as in [`Front::admit`], for requests that do not go to the tree.
    ///
    /// # Errors
    /// As there, but not [`NoAccess::Forwarded`].
    pub fn access(
        &self,
        settings: &Settings,
        request: &HttpRequest,
        asker: &Asker,
        community: Option<&[u8]>,
        view_type: ViewType,
    ) -> Result<Arc<Access>, NoAccess> {
        let caller = self.caller(settings, request, asker, community)?;
        Ok(settings.admit(&caller, view_type)?.access().clone())
    }

    /// The caller: an authenticated principal, or one that knows the community.
    fn caller<'a>(
        &self,
        settings: &'a Settings,
        request: &HttpRequest,
        asker: &'a Asker,
        community: Option<&[u8]>,
    ) -> Result<Caller<'a>, NoAccess> {
        if let Asker::Principal(proved) = asker {
            return Ok(Caller::of_default_context(self.principal(proved)));
        }
        let entry = self.community(settings, request, community)?;
        Ok(Caller::of_community(&entry, self.core.engine()))
    }

    /// What the community maps to if nothing else was authenticated.
    fn community<'s>(
        &self,
        settings: &'s Settings,
        request: &HttpRequest,
        community: Option<&[u8]>,
    ) -> Result<CommunityEntry<'s>, NoAccess> {
        let community = community.ok_or(NoAccess::Nobody)?;
        if self.plan.load().refuse_plain_communities && request.session.protection == Protection::None {
            return Err(NoAccess::PlainCommunity);
        }
        let Some(entry) = settings.community(community, request.session.peer) else {
            self.core.counters().in_bad_community_names.add(1);
            self.core.tell_failed_authentication(request.session.peer);
            return Err(NoAccess::UnknownCommunity);
        };
        request.accept();
        Ok(entry)
    }
}

impl NoAccess {
    /// Its HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            NoAccess::Nobody | NoAccess::UnknownCommunity => StatusCode::UNAUTHORIZED,
            NoAccess::PlainCommunity | NoAccess::Forwarded | NoAccess::NotAdmitted(_) => {
                StatusCode::FORBIDDEN
            }
        }
    }

    /// An answer with that status; `body` is the door's fault. If the client could authenticate, it says how.
    pub fn answer(&self, response: HttpResponse) -> HttpResponse {
        let response = HttpResponse { status: self.status(), ..response };
        if response.status == StatusCode::UNAUTHORIZED { challenge(response) } else { response }
    }
}

/// Says how to authenticate (RFC 9110 section 11.6.1).
pub(super) fn challenge(mut response: HttpResponse) -> HttpResponse {
    for way in ["Basic realm=\"trunkline\", charset=\"UTF-8\"", "Bearer realm=\"trunkline\""] {
        response.headers.append(header::WWW_AUTHENTICATE, HeaderValue::from_static(way));
    }
    response
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Instant;

    use trunkline_transport::{SessionInfo, Transport};
    use trunkline_tree::policy::{SecurityLevel, SecurityModel};

    use super::*;
    use trunkline_config::{Plan, access};
    use trunkline_core::{Core, Inputs, Served};
    use trunkline_snmp::Counters;
    use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
    use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
    use trunkline_tree::TreeBuilder;

    /// Reading, writing and subscribing use one name: with the transport's prefix if the configuration requires
    /// it (RFC 5591 section 3.2).
    #[test]
    fn a_principal_has_the_same_name_in_every_request() {
        for (prefixes, name) in [(false, "ann"), (true, "tls:ann")] {
            let started = Instant::now();
            let engine = Engine::new(EngineOptions {
                id: EngineId::new(b"\x80\x00\x1f\x88\x04test-engine").unwrap(),
                clock: EngineClock::new(EngineBoots::new(1).unwrap(), started),
                max_size: 1472,
                handlers: Handlers::RESPONDER,
                remote_engines: 1,
                entropy: 1,
            });
            engine.set_use_prefix(prefixes);
            let inputs = Inputs {
                communities: Vec::new(),
                served: Served::new(Arc::new(TreeBuilder::default().build(started).unwrap()), Vec::new()),
                policy: Arc::new(access::policy(&Plan::default()).unwrap()),
                targets: Arc::default(),
                proxies: Arc::default(),
                names: Arc::default(),
            };
            let core = Core::new(Arc::new(engine), Arc::new(Counters::default()), inputs);
            let front = Front::new(core, Vec::new());
            let here = SocketAddr::from(([127, 0, 0, 1], 1));
            let session = SessionInfo {
                protection: Protection::Encrypted,
                ..SessionInfo::plain(Transport::Https, here, here)
            };
            let ann = Proved::new(SecurityName::new(b"ann").unwrap(), &session);
            let expected = Principal::new(SecurityModel::TSM, name.as_bytes(), SecurityLevel::AuthPriv);
            assert_eq!(front.principal(&ann), expected);
        }
    }
}
