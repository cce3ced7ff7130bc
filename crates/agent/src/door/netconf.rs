//! The door of NETCONF (RFC 6241): sessions over SSH and TLS, and the subsystem of OpenSSH's server.
//!
//! A session is one task: requests are answered in their order, as RFC 6241 section 4.1 has it. Answers are streamed: rows go
//! from a snapshot into one buffer, and from there to the peer as fast as it reads.

mod capabilities;
mod configure;
mod event;
mod events;
mod interfaces;
mod library;
mod monitoring;
mod origin;
mod own;
mod permission;
mod register;
mod reply;
mod session;
mod subscription;
mod system;
mod texts;
mod xpath;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use arc_swap::ArcSwapOption;
use tokio::sync::Semaphore;
use trunkline_config::NetconfPlan;
use trunkline_models::made;
use trunkline_transport::dial::Stream;
use trunkline_transport::tcp::TcpLimits;
use trunkline_transport::{Closing, Guest, SessionInfo, StreamService, Visit};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::{ALL, EVENTS};
use trunkline_yang::schema::Module;
use trunkline_yang::smiv2;

use self::event::Event;
use self::events::Events;
use self::register::Register;
use crate::datastores::Datastores;
use trunkline_core::Core;

/// Serves NETCONF.
pub struct Netconf {
    core: Arc<Core>,
    /// Made with the first session.
    models: OnceLock<Models>,
    /// `None`: it is closed.
    plan: ArcSwapOption<NetconfPlan>,
    register: Arc<Register>,
    datastores: Datastores,
    events: Events,
    /// Permits to evaluate an expression: one at a time.
    expressions: Arc<Semaphore>,
    /// Where interfaces are by their names.
    places: interfaces::Places,
}

/// The modules that are served, and their data.
struct Models {
    modules: Vec<Module>,
    forest: Forest,
    /// The notifications.
    events: Forest,
    /// Since when there are events.
    since: SystemTime,
    /// What each hello announces.
    capabilities: Vec<String>,
    /// Names the list of modules: another list has another name.
    content_id: String,
}

impl Netconf {
    /// The door of a core, and what it configures.
    pub fn new(core: Arc<Core>, datastores: Datastores) -> Arc<Self> {
        let (models, plan) = (OnceLock::new(), ArcSwapOption::empty());
        let register = Arc::new(Register::new(core.held().clone()));
        let (events, expressions) = (Events::default(), Arc::new(Semaphore::new(1)));
        let places = interfaces::Places::default();
        Arc::new(Netconf { core, models, plan, register, datastores, events, expressions, places })
    }

    /// Applies the configuration that was in force when the agent ended, if the door is open.
    pub async fn restore(&self) {
        // The models are made for it only if there is something.
        if self.is_open() && self.datastores.has_kept() {
            self.datastores.restore(&self.core, &self.models().forest).await;
        }
    }

    /// Applies another configuration. Open sessions stay.
    pub fn configure(&self, plan: Option<&NetconfPlan>) {
        self.plan.store(plan.cloned().map(Arc::new));
    }

    /// Adds a notification of a MIB module to the stream, which begins with the first session; does not wait.
    pub fn tell(&self, happened: &trunkline_tree::Event, at: Instant) {
        if let Some(models) = self.models.get() {
            self.note(Event::happened(&models.events, happened, SystemTime::now() - at.elapsed()));
        }
    }

    /// Adds an event to the stream, if it is one.
    fn note(&self, event: Option<Event>) {
        event.into_iter().for_each(|event| self.events.add(event));
    }

    /// Whether sessions are accepted.
    fn is_open(&self) -> bool {
        self.plan.load().is_some()
    }

    /// The limits of a session, from those of its listener.
    fn limits(&self, of_listener: TcpLimits) -> TcpLimits {
        let plan = self.plan.load_full().unwrap_or_default();
        TcpLimits {
            idle: plan.idle_timeout,
            message_time: MESSAGE_TIME,
            max_message: plan.max_request,
            ..of_listener
        }
    }

    fn models(&self) -> &Models {
        self.models.get_or_init(|| {
            let modules = smiv2::modules();
            let forest = ALL.into_iter().fold(Forest::of(&modules), Forest::with);
            let notifications = Forest::of_notifications(&modules);
            let events = EVENTS.into_iter().fold(notifications, Forest::with_notifications);
            let content_id = library::content_id(&modules);
            let capabilities = capabilities::all(&modules, &content_id);
            Models { forest, modules, events, since: SystemTime::now(), capabilities, content_id }
        })
    }
}

impl StreamService for Netconf {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest {
        Box::pin(session::serve(self, stream, info, visit))
    }

    fn closing(&self) -> Closing {
        self.core.closing().clone()
    }
}

/// For a request of the greatest length over a slow link.
const MESSAGE_TIME: Duration = Duration::from_secs(60);
