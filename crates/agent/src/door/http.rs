//! The front of all doors of HTTP: who asks (`authentication`), and which door answers (`route`). A door is an async
//! function `answer(front, request, asker)`; it finds what the asker may do with [`Front::access`].

mod asker;
mod authentication;
pub mod authorization;
mod route;

use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use trunkline_transport::Transport;
use trunkline_transport::http::{Gatekeeper, HttpHandler, HttpRequest, HttpResponse};
use trunkline_transport::tcp::HandshakeError;
use trunkline_transport::tls::TlsFault;

pub use asker::{Asker, NoAccess, Principal};

use super::eventing::Eventing;
use super::select::Services;
use super::snmp::Door;
use crate::config::{HttpPlan, Plan};
use crate::own::SessionCounters;
use crate::secure::{OutgoingNow, SecureError};

/// Answers requests of HTTP.
pub struct Front {
    door: Arc<Door>,
    eventing: Arc<Eventing>,
    sessions: Arc<SessionCounters>,
    plan: ArcSwap<HttpPlan>,
    services: ArcSwap<Services>,
    gate: Gatekeeper,
}

impl Front {
    /// The front of an agent: its tree, its policy and its engine are those of the SNMP door. `started` is the moment
    /// of sysUpTime 0, and `outgoing` who the agent is to subscribers.
    pub fn new(
        door: Arc<Door>,
        sessions: Arc<SessionCounters>,
        outgoing: OutgoingNow,
        started: Instant,
    ) -> Arc<Self> {
        Arc::new(Front {
            eventing: Eventing::new(door.clone(), outgoing, started),
            door,
            sessions,
            plan: ArcSwap::default(),
            services: ArcSwap::default(),
            gate: Gatekeeper::default(),
        })
    }

    /// Takes another configuration; requests under work finish with what was before.
    ///
    /// # Errors
    /// The hash of a password; then nothing has changed.
    pub fn configure(&self, plan: &Plan) -> Result<(), SecureError> {
        self.gate.set(authentication::credentials(plan)?);
        self.plan.store(Arc::new(plan.http.clone()));
        self.services.store(Arc::new(Services::new(plan.services.clone())));
        Ok(())
    }

    /// The door with the tree, the policy and the engine.
    pub fn door(&self) -> &Arc<Door> {
        &self.door
    }

    /// The services of the configuration.
    pub(in crate::door) fn services(&self) -> Arc<Services> {
        self.services.load_full()
    }

    /// Who is told of events.
    pub fn eventing(&self) -> &Arc<Eventing> {
        &self.eventing
    }

    /// The configuration as it is now.
    pub fn plan(&self) -> Arc<HttpPlan> {
        self.plan.load_full()
    }
}

impl HttpHandler for Front {
    async fn handle(&self, request: HttpRequest) -> HttpResponse {
        match self.authenticate(&request).await {
            Ok(asker) => self.route(request, &asker).await,
            Err(refused) => *refused,
        }
    }

    fn failed(&self, _: Transport, error: &HandshakeError) {
        if matches!(error, HandshakeError::Tls(TlsFault::Certificate(_))) {
            self.sessions.tls.invalid_client_certificates.add(1);
        }
    }
}
