//! The front of all doors over HTTP: it authenticates requests (`authentication`) and picks the door (`route`). A
//! door is an [`HttpDoor`]; it finds out what the client may do with [`Front::admit`].

mod asker;
mod authentication;
pub mod authorization;
mod envelope;
mod host;
mod places;
mod refused;
mod route;
mod session;

use std::sync::Arc;

use arc_swap::ArcSwap;
use trunkline_password::PasswordGate;
use trunkline_transport::http::Credentials;
use trunkline_transport::http::{Gatekeeper, HttpHandler, HttpRequest, HttpResponse};
use trunkline_transport::{Closing, LogLimit};

pub use asker::{Admitted, Asker, NoAccess};
pub(crate) use envelope::{check_action, fault, unsupported, version_of};
pub use places::{NoPlace, Place, Places};
pub use refused::two_identities;
pub(crate) use refused::{Refused, one_identity};
pub use route::{Answering, HttpDoor, ServiceEvents, begins_with, device_of};
pub use session::Session;
pub(crate) use session::{NoLogin, is_own_form};

use self::host::OwnNames;
use self::session::{OpenSessions, Seen};

use trunkline_config::{HttpPlan, Plan};
use trunkline_core::Core;
use trunkline_credentials::secure::SecureError;
use trunkline_devices::Devices;

/// Answers requests of HTTP.
pub struct Front {
    core: Arc<Core>,
    /// The first that has a path answers.
    doors: Vec<Box<dyn HttpDoor>>,
    plan: ArcSwap<HttpPlan>,
    gate: Arc<Gatekeeper>,
    refusals: LogLimit,
    names: OwnNames,
    passwords: Arc<PasswordGate>,
    sessions: OpenSessions,
    devices: Arc<Devices>,
}

impl Front {
    /// The front of these doors.
    pub fn new(core: Arc<Core>, doors: Vec<Box<dyn HttpDoor>>) -> Arc<Self> {
        let passwords = Arc::<PasswordGate>::default();
        Arc::new(Front {
            core,
            doors,
            plan: ArcSwap::default(),
            gate: Arc::new(Gatekeeper::at(passwords.clone())),
            passwords,
            refusals: LogLimit::for_strangers(),
            names: OwnNames::of_this_machine(),
            sessions: OpenSessions::default(),
            devices: Arc::default(),
        })
    }

    /// The passwords and tokens of a configuration.
    ///
    /// # Errors
    /// The hash of a password.
    pub fn credentials(plan: &Plan) -> Result<Credentials, SecureError> {
        authentication::credentials(plan)
    }

    /// Applies another configuration, and its passwords and tokens; requests in progress finish with the old
    /// ones.
    pub fn configure(&self, plan: &Plan, credentials: Credentials) {
        self.gate.set(credentials);
        self.sessions.configure(plan);
        self.plan.store(Arc::new(plan.http.clone()));
        self.doors.iter().for_each(|door| door.configure(plan));
    }

    /// What the front needs.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// The gate for passwords, whatever protocol they come by: its limits hold for all of them.
    pub fn passwords(&self) -> &Arc<PasswordGate> {
        &self.passwords
    }

    /// Checks passwords of this configuration for other doors.
    pub fn gate(&self) -> &Arc<Gatekeeper> {
        &self.gate
    }

    /// Devices that are read over HTTP as this machine is.
    pub fn devices(&self) -> &Arc<Devices> {
        &self.devices
    }

    /// The configuration as it is now.
    pub fn plan(&self) -> Arc<HttpPlan> {
        self.plan.load_full()
    }
}

impl HttpHandler for Front {
    async fn handle(&self, request: HttpRequest) -> HttpResponse {
        let is_for_us =
            || route::check_target(&request).and_then(|()| self.names.check(&self.plan(), &request));
        let asker = match is_for_us() {
            Ok(()) => self.authenticate(&request).await,
            Err(refused) => Err(refused),
        };
        let seen = Seen::of(&request);
        let answer = match asker {
            Ok(asker) => {
                if matches!(asker, Asker::Principal(_)) {
                    request.accept();
                }
                self.route(request, &asker).await
            }
            Err(refused) => self.refused(&request, *refused),
        };
        Self::without_dialog(&seen, answer)
    }

    fn closing(&self) -> Closing {
        self.core.closing().clone()
    }
}
