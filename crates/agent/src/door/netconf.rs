//! The door of NETCONF (RFC 6241): sessions over SSH and TLS, and the subsystem of OpenSSH's server. The same data, datastores and events
//! are served over HTTP by [`Restconf`].
//!
//! A session is one task: requests are answered in their order, as RFC 6241 section 4.1 has it. Answers are streamed: rows go
//! from a snapshot into one buffer, and from there to the peer as fast as it reads.

mod configure;
mod elsewhere;
mod hook_state;
mod monitoring;
mod nacm;
mod origin;
mod own;
mod page;
mod permission;
mod push;
mod reply;
mod restconf;
mod review;
mod selected;
mod session;
mod subscription;
mod system;
mod texts;
mod xpath;

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use arc_swap::ArcSwapOption;
use trunkline_admin::NamedFiles;
use trunkline_config::{NetconfPlan, Plan};
use trunkline_models::{capabilities, library, made};
use trunkline_push::{event, events};
use trunkline_transport::dial::Stream;
use trunkline_transport::tcp::TcpLimits;
use trunkline_transport::{Closing, Guest, SessionInfo, StreamService, Visit};
use trunkline_tree::policy::{OwnedPrincipal, Principal};
use trunkline_wrapping::Shared;
use trunkline_xmlsec::DeviceName;
use trunkline_yang::forest::Forest;
use trunkline_yang::own::{ALL, EVENTS};
use trunkline_yang::schema::Module;
use trunkline_yang::smiv2;

use self::event::Event;
use self::events::Events;
pub use self::restconf::Restconf;
use trunkline_commit::audit::Audit;
use trunkline_commit::register::{self, Register};
use trunkline_commit::{Administration, Datastores};
use trunkline_core::Core;

/// Serves NETCONF.
pub struct Netconf {
    core: Arc<Core>,
    /// Made with the first session.
    models: OnceLock<Models>,
    /// `None`: it is closed.
    plan: ArcSwapOption<NetconfPlan>,
    /// Whether the same is served over HTTP.
    has_restconf: AtomicBool,
    register: Arc<Register>,
    datastores: Datastores,
    events: Events,
    /// Those of RFC 8639, of all sessions.
    subscriptions: Arc<trunkline_push::Register>,
    /// Whose turn it is to have an expression evaluated.
    expressions: trunkline_core::Turns,
    /// Where interfaces are by their names.
    places: trunkline_state::Places,
    /// Compressors of messages that leave.
    deflaters: trunkline_wrapping::Deflaters,
    /// What was denied.
    denials: nacm::Denials,
    /// The policy in NACM's words.
    rules: trunkline_nacm::KeptRules,
    /// What the log says of sessions and changes.
    audit: Audit,
    /// Another check of requests, of the laboratory.
    other_check: OnceLock<CheckRequest>,
}

/// Whether a request is valid, by another program than this; otherwise, why not.
pub type CheckRequest = fn(&[u8]) -> Result<(), String>;

/// The modules that are served, and their data.
struct Models {
    modules: Vec<Module>,
    forest: Forest,
    /// The notifications.
    events: Forest,
    /// Since when there are events.
    since: SystemTime,
    /// What each hello announces, without and with files.
    capabilities: [Vec<String>; 2],
    /// Names the list of modules, without and with files: another list has another name.
    content_id: [String; 2],
}

impl Models {
    fn capabilities(&self, has_files: bool) -> &[String] {
        &self.capabilities[usize::from(has_files)]
    }

    fn content_id(&self, has_files: bool) -> &str {
        &self.content_id[usize::from(has_files)]
    }
}

impl Netconf {
    /// The door of a core, and what it configures.
    pub fn new(core: Arc<Core>, datastores: Datastores) -> Arc<Self> {
        let (models, plan) = (OnceLock::new(), ArcSwapOption::empty());
        let register = Arc::new(Register::new(core.held().clone()));
        let (events, expressions) = (Events::default(), trunkline_core::Turns::default());
        let (places, has_restconf) = (trunkline_state::Places::default(), AtomicBool::new(false));
        let netconf = Arc::new(Netconf {
            core,
            models,
            plan,
            has_restconf,
            register,
            datastores,
            events,
            subscriptions: Arc::default(),
            expressions,
            places,
            deflaters: trunkline_wrapping::Deflaters::default(),
            denials: nacm::Denials::default(),
            rules: trunkline_nacm::KeptRules::default(),
            audit: Audit::default(),
            other_check: OnceLock::new(),
        });
        // Weak: the core is the door's.
        netconf.core.keeping().begin(Arc::new(elsewhere::Elsewhere(Arc::downgrade(&netconf))));
        netconf
    }

    /// Applies the configuration that was in force when the agent ended, if the door is open.
    pub async fn restore(&self) {
        // The models are made for it only if there is something.
        if (self.is_open() || self.has_restconf.load(Relaxed)) && self.datastores.has_kept() {
            self.datastores.restore(&self.core, &self.models().forest).await;
        }
    }

    /// Whether there is something to restore.
    pub fn has_kept(&self) -> bool {
        self.datastores.has_kept()
    }

    /// The interfaces that are configured.
    pub async fn interfaces(&self) -> Vec<String> {
        match self.models.get() {
            Some(models) => self.datastores.interfaces(&models.forest).await,
            None => Vec::new(),
        }
    }

    /// Interfaces have appeared: each gets what is configured of it.
    pub async fn appeared(&self, names: impl IntoIterator<Item = String>) {
        // Nothing is configured before there are models.
        let Some(models) = self.models.get() else { return };
        for name in names {
            match self.datastores.appeared(&self.core, &models.forest, &name).await {
                Ok(true) => tracing::info!(name, "an interface has appeared, and is configured"),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(name, %error, "an interface has appeared, and cannot be configured");
                }
            }
        }
    }

    /// Applies another configuration. Open sessions stay.
    pub fn configure(&self, plan: &Plan) {
        self.plan.store(plan.netconf.clone().map(Arc::new));
        self.datastores.configure(plan.netconf.as_ref());
        self.has_restconf.store(plan.http.doors.restconf && !plan.http.listen.is_empty(), Relaxed);
    }

    /// Has each request checked in another way too.
    pub fn check_requests_by(&self, check: CheckRequest) {
        // Once: by the program that this is.
        let _ = self.other_check.set(check);
    }

    /// Adds a notification of a MIB module to the stream, which begins with the first session; does not wait.
    pub fn tell(&self, happened: &trunkline_tree::Event, at: Instant) {
        if let Some(models) = self.models.get() {
            let trunkline_tree::Event { oid, objects, context, .. } = happened;
            let happened = event::Happened { oid, objects, context };
            self.note(Event::happened(&models.events, happened, SystemTime::now() - at.elapsed()));
        }
    }

    /// Adds an event to the stream, if it is one.
    fn note(&self, event: Option<Event>) {
        event.into_iter().for_each(|event| self.events.add(event));
    }

    /// The part of the access policy that a principal may change without the right to change all of it.
    fn administration<'a>(&'a self, principal: Principal<'a>) -> Option<Administration<'a>> {
        Administration::of(&self.core, &self.models().forest, self.datastores.rbac()?, principal)
    }

    /// What all sessions share.
    fn shared(&self) -> Shared<'_> {
        let (phases, keyring) = (self.core.phases(), self.datastores.keyring());
        Shared { phases, keyring, deflaters: &self.deflaters }
    }

    /// Whether sessions are accepted.
    fn is_open(&self) -> bool {
        self.plan.load().is_some()
    }

    /// Whether messages must be valid against the schema.
    fn validates(&self) -> bool {
        self.plan.load().as_ref().is_some_and(|plan| plan.validate_messages)
    }

    /// As which device it accepts messages without a session of their own.
    fn device(&self) -> Option<DeviceName> {
        self.plan.load().as_ref().and_then(|plan| plan.device.clone())
    }

    /// Whether clients may name files.
    fn has_files(&self) -> bool {
        self.plan.load().as_ref().is_some_and(|plan| plan.files.is_some())
    }

    /// The files that clients name, if they may.
    fn files(&self) -> Option<NamedFiles> {
        let plan = self.plan.load();
        let plan = plan.as_ref()?;
        plan.files.as_ref().map(|folder| NamedFiles::new(folder, plan.max_request))
    }

    /// As whom a peer that proved nothing is served: with the community that the configuration names, if it may come from there.
    fn unprotected(&self, peer: SocketAddr) -> Option<OwnedPrincipal> {
        let plan = self.plan.load();
        let name = plan.as_ref()?.community.as_ref()?;
        let settings = self.core.settings();
        let entry = settings.community(&name.0, peer);
        if entry.is_none() {
            tracing::info!(%peer, "no NETCONF session: the community of [netconf] may not be used from there");
        }
        entry.map(|it| Principal::of_community(it.security_name).into_owned())
    }

    /// The limits of a session, from those of its listener.
    fn limits(&self, of_listener: TcpLimits) -> TcpLimits {
        let plan = self.plan.load_full().unwrap_or_default();
        TcpLimits {
            idle: plan.idle_timeout,
            message_time: plan.message_timeout,
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
            let content_id = [false, true].map(|has_files| library::content_id(&modules, has_files));
            let capabilities =
                [false, true].map(|it| capabilities::all(&modules, &content_id[usize::from(it)], it));
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
