//! RESTCONF (RFC 8040), a door after the front of HTTP: the data, datastores, rights and events of NETCONF, by URI.

mod change;
mod page;
mod patch;
mod read;
mod stream;

use std::hash::RandomState;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use trunkline_config::HttpDoors;
use trunkline_datastore::Config;
use trunkline_netconf::RESTCONF_ROLES;
use trunkline_netconf::nmda::Store;
use trunkline_netconf::operation::Datastore;
use trunkline_restconf::media::{Encoding, quality};
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::tag::{Conditions, EntityTag};
use trunkline_restconf::target::{Target, datastore};
use trunkline_restconf::{RESTCONF, edit};
use trunkline_state::date;
use trunkline_transport::Transport;
use trunkline_transport::http::{
    HeaderName, HeaderValue, HttpRequest, HttpResponse, Method, StatusCode, header,
};
use trunkline_tree::policy::{Acting, OwnedPrincipal, ViewType};
use trunkline_tree::{Access, Coverage};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::{LIBRARY, MONITORING};

use super::events::STREAM;
use super::made::Made;
use super::monitoring::STREAM_DESCRIPTION;
use super::origin::Origin;
use super::register::{Member, Place};
use super::{Netconf, nacm, permission};
use trunkline_web::http::{
    Answering, Asker, Front, HttpDoor, NoAccess, Places, Session, begins_with, device_of,
};

/// The door.
pub struct Restconf {
    door: Arc<Netconf>,
    /// What running was when it was last looked at, and since when.
    seen: Mutex<(Option<EntityTag>, SystemTime)>,
    subscribers: Arc<Places>,
    /// With which the tags of secrets are made: they say nothing to anybody else, and nothing after a restart.
    keys: RandomState,
}

/// A request of a principal.
struct Request<'r> {
    restconf: &'r Restconf,
    http: &'r HttpRequest,
    principal: OwnedPrincipal,
    /// The session of a browser that proved it.
    session: Option<Session>,
    /// As which changes are made.
    place: Place,
    /// That of the answer.
    encoding: Encoding,
    /// Whose data it is.
    origin: Origin,
}

/// What a path names.
enum Resource {
    Root,
    LibraryVersion,
    Operations,
    GetSchema,
    /// Of a datastore of RFC 8527, or of what RFC 8040 has of all of them.
    Data(Option<Store>, Target),
    /// The stream of events, in an encoding.
    Stream(Encoding),
}

impl Restconf {
    /// Over the data of NETCONF.
    pub fn new(door: Arc<Netconf>) -> Self {
        let seen = Mutex::new((None, SystemTime::now()));
        Restconf { door, seen, subscribers: Arc::default(), keys: RandomState::new() }
    }

    /// The tag of a secret leaf, whether it is there or not, of a datastore that was written so often: who may set it and not read it notices
    /// by it that somebody else was faster. `None`: it is none, or the client may not set it.
    fn tag_of_secret(
        &self,
        target: &Target,
        (held, writes): (Datastore, u64),
        config: &Config,
        access: &Access,
    ) -> Option<EntityTag> {
        let forest = &self.door.models().forest;
        let place = Some(&forest[target.node()?].place).filter(|place| place.is_secret())?;
        let setting = place.setting()?;
        let may_write = access.may_write_below(setting.object) != Coverage::None;
        // What has changed without a write, such as by other protocols, changes it too.
        let written = || (writes, EntityTag::of(&Target::default(), config));
        may_write.then(|| EntityTag::of_secret(target, forest, held, written(), &self.keys))
    }

    /// When running became what it is, as far as anybody has looked at it.
    fn modified(&self, running: &Config) -> SystemTime {
        let tag = EntityTag::of(&Target::default(), running);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.0 != tag {
            *seen = (tag, SystemTime::now());
        }
        seen.1
    }

    async fn respond(&self, front: &Front, http: &HttpRequest, asker: &Asker) -> HttpResponse {
        if http.path == HOST_META {
            return host_meta(&http.method);
        }
        let forest = &self.door.models().forest;
        let (encoding, accepted) = encoding_of(http);
        let (device, path) = device_of(&http.path);
        let refused = |refusal: &Refusal| {
            let body = refusal.write(encoding, forest);
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let answer = HttpResponse::new(status, encoding.media_type(), body);
            match path.starts_with("/restconf/streams") {
                // Who is refused streams keeps no connection for it.
                true => answer.with(header::CONNECTION, HeaderValue::from_static("close")),
                false => answer,
            }
        };
        let Asker::Principal(proved) = asker else {
            return NoAccess::Nobody
                .answer(refused(&Refusal::new(401, "a password, token or certificate is required")));
        };
        let found = Origin::of(device, front.devices())
            .and_then(|origin| Ok((Resource::of_origin(path, &origin, forest)?, origin)));
        let (resource, origin) = match found {
            Ok(found) => found,
            Err(refusal) => return refused(&refusal),
        };
        let allow = match origin {
            Origin::Here => HeaderValue::from_static(resource.methods(forest)),
            Origin::Device(_) => HeaderValue::from_static(OF_STATE),
        };
        let allowed = allow.to_str().unwrap_or_default();
        if !allowed.split(", ").any(|method| method == http.method.as_str()) {
            let changes = [Method::PUT, Method::PATCH, Method::POST, Method::DELETE].contains(&http.method);
            let refusal = match &resource {
                Resource::Data(_, target) if changes && !target.is_configuration(forest) => {
                    edit::of_state(target, forest)
                }
                Resource::Data(_, target) if changes && target.whole_list(forest).is_some() => {
                    Refusal::of_whole_list()
                }
                _ => Refusal::new(405, &format!("{} is not for this resource", http.method)),
            };
            return refused(&refusal).with(header::ALLOW, allow);
        }
        if http.method == Method::OPTIONS {
            return options(allow);
        }
        let name = proved.state().name().to_string();
        let member = Member::new(Transport::Https, name, Some(http.session.peer.ip()));
        // Changes are nobody's session's: its number is 0 (RFC 6470 section 2).
        let place = Place { register: self.door.register.clone(), id: 0, member: Arc::new(member) };
        let role = http.header(ROLE);
        if role.is_none() && http.headers.contains_key(ROLE) {
            return refused(&Refusal::bad("Trunkline-Role has the name of one role"));
        }
        let acting = role.map(|role| Acting { role: role.as_bytes(), is_proved: false });
        let principal = front.principal(proved).acting(acting);
        if let Err(error) = nacm::has_role(&self.door, principal) {
            return refused(&Refusal { status: 403, errors: vec![error] });
        }
        let (principal, session) = (principal.into_owned(), proved.session().cloned());
        let request = Request { restconf: self, http, principal, session, place, encoding, origin };
        let secret = request.secret(&resource).await;
        let answer = match (resource, accepted) {
            // It is neither JSON nor XML as a whole.
            (Resource::Stream(encoding), _) => request.stream(encoding),
            (resource, Ok(_)) => request.answer(resource).await,
            (_, Err(refusal)) => Err(refusal),
        };
        let answer = answer.and_then(|answer| request.conditioned(answer));
        answer.unwrap_or_else(|refusal| match refusal.status {
            404 if secret.is_some() => request.tagged(refused(&refusal), secret, None),
            405 => refused(&refusal).with(header::ALLOW, allow),
            415 if http.method == Method::PATCH => {
                refused(&refusal).with(ACCEPT_PATCH, HeaderValue::from_static(PATCHES))
            }
            _ => refused(&refusal),
        })
    }
}

/// Every answer says that it is not to be used again unasked (RFC 8040 section 5.5), whatever it is.
fn not_kept(answer: HttpResponse) -> HttpResponse {
    answer
        .with(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))
        .with(header::VARY, HeaderValue::from_static("accept"))
}

impl HttpDoor for Restconf {
    fn has(&self, path: &str) -> bool {
        path == HOST_META || begins_with(device_of(path).1, "restconf")
    }

    fn is_open(&self, doors: HttpDoors) -> bool {
        doors.restconf
    }

    fn lines(&self) -> &'static [&'static str] {
        &["/restconf    RESTCONF (RFC 8040): GET /restconf/data, in JSON or XML"]
    }

    fn has_every_method(&self) -> bool {
        true
    }

    fn refused(&self, request: &HttpRequest, words: &str, answer: HttpResponse) -> HttpResponse {
        if request.path == HOST_META {
            return not_kept(answer);
        }
        let (encoding, _) = encoding_of(request);
        // It is about the request as a whole: no path needs the models.
        let body = Refusal::new(answer.status.as_u16(), words).write(encoding, &Forest::of(&[]));
        let written = HttpResponse::new(answer.status, encoding.media_type(), body);
        let others = answer.headers.into_iter().filter_map(|(name, value)| Some((name?, value)));
        let answer = others.filter(|(name, _)| *name != header::CONTENT_TYPE).fold(
            written,
            |mut written, (name, value)| {
                written.headers.append(name, value);
                written
            },
        );
        not_kept(answer)
    }

    fn answer<'a>(&'a self, front: &'a Front, request: &'a HttpRequest, asker: &'a Asker) -> Answering<'a> {
        Box::pin(async move { not_kept(self.respond(front, request, asker).await) })
    }
}

/// The encoding of the answer, and whether the client accepts it.
fn encoding_of(http: &HttpRequest) -> (Encoding, Result<Encoding, Refusal>) {
    let content_type = http.header(header::CONTENT_TYPE);
    let of_patch = Encoding::of_patch(content_type).filter(|_| http.method == Method::PATCH);
    let usual = of_patch.unwrap_or_else(|| Encoding::of_body(content_type).unwrap_or(Encoding::Json));
    let accepted = Encoding::accepted(http.header(header::ACCEPT), usual);
    (*accepted.as_ref().unwrap_or(&usual), accepted)
}

/// Where the root is, for everybody.
fn host_meta(method: &Method) -> HttpResponse {
    match *method {
        Method::GET | Method::HEAD => {
            HttpResponse::new(StatusCode::OK, "application/xrd+xml", XRD.as_bytes().to_vec())
        }
        _ => HttpResponse::empty(StatusCode::METHOD_NOT_ALLOWED)
            .with(header::ALLOW, HeaderValue::from_static(OF_STATE)),
    }
}

/// The answer with the methods of a resource.
fn options(allow: HeaderValue) -> HttpResponse {
    let has_patch = allow.as_bytes().windows(5).any(|it| it == b"PATCH");
    let answer = HttpResponse::empty(StatusCode::NO_CONTENT).with(header::ALLOW, allow);
    match has_patch {
        true => answer.with(ACCEPT_PATCH, HeaderValue::from_static(PATCHES)),
        false => answer,
    }
}

impl Resource {
    /// Of a device there is less than of this machine.
    fn of_origin(path: &str, origin: &Origin, forest: &Forest) -> Result<Resource, Refusal> {
        match (origin, Resource::of(path, forest)?) {
            (Origin::Device(_), Resource::GetSchema | Resource::Stream(_)) => {
                Err(Refusal::nothing("of a device there is only its data, below /restconf/data"))
            }
            (_, resource) => Ok(resource),
        }
    }

    fn of(path: &str, forest: &Forest) -> Result<Resource, Refusal> {
        let path = path.strip_prefix("/restconf").unwrap_or_default();
        Ok(match path {
            "" | "/" => Resource::Root,
            "/yang-library-version" => Resource::LibraryVersion,
            "/operations" | "/operations/" => Resource::Operations,
            "/operations/ietf-netconf-monitoring:get-schema" => Resource::GetSchema,
            "/streams/NETCONF/json" => Resource::Stream(Encoding::Json),
            "/streams/NETCONF/xml" => Resource::Stream(Encoding::Xml),
            _ => match path.strip_prefix("/data") {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    Resource::Data(None, Target::read(rest, forest)?)
                }
                _ if path.starts_with("/ds/") => match datastore(&path["/ds/".len()..])? {
                    Some((store, rest)) => Resource::Data(Some(store), Target::read(rest, forest)?),
                    None => {
                        return Err(Refusal::nothing(
                            "name a datastore, as in /restconf/ds/ietf-datastores:running",
                        ));
                    }
                },
                _ if path.starts_with("/operations/") => {
                    return Err(Refusal::nothing("GET /restconf/operations lists the operations"));
                }
                _ if path.starts_with("/streams") => {
                    return Err(Refusal::nothing(
                        "the streams are /restconf/streams/NETCONF/json and /restconf/streams/NETCONF/xml",
                    ));
                }
                _ => {
                    return Err(Refusal::nothing(
                        "below /restconf are data, ds, operations, streams and yang-library-version",
                    ));
                }
            },
        })
    }

    /// The value of `Allow`.
    fn methods(&self, forest: &Forest) -> &'static str {
        match self {
            Resource::GetSchema => "OPTIONS, POST",
            // It is created, changed and deleted by its entries.
            Resource::Data(_, target) if target.whole_list(forest).is_some() => OF_STATE,
            // RFC 8527 section 3.2.
            Resource::Data(Some(Store::Intended | Store::Operational), _) => OF_STATE,
            Resource::Data(_, target) if target.steps.is_empty() => "GET, HEAD, OPTIONS, PATCH, POST, PUT",
            Resource::Data(_, target) if target.is_configuration(forest) => {
                "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
            }
            _ => OF_STATE,
        }
    }
}

impl Request<'_> {
    async fn answer(&self, resource: Resource) -> Result<HttpResponse, Refusal> {
        self.accepts(&resource)?;
        self.check_conditions()?;
        let revision = LIBRARY.revision;
        let body = match (resource, self.encoding) {
            (Resource::Data(store, target), _) => {
                let held = held(store);
                return match self.http.method {
                    Method::GET | Method::HEAD => self.read(store, target).await,
                    Method::PATCH => match Encoding::of_patch(self.http.header(header::CONTENT_TYPE)) {
                        Some(encoding) => self.patch(held, target, encoding).await,
                        None => self.change(held, store, target).await,
                    },
                    _ => self.change(held, store, target).await,
                };
            }
            (Resource::GetSchema, _) => return self.get_schema().await,
            (Resource::Stream(encoding), _) => return self.stream(encoding),
            (Resource::Root, Encoding::Json) => format!(
                "{{\"ietf-restconf:restconf\":{{\"data\":{{}},\"operations\":{{}},\"yang-library-version\":\"{revision}\"}}}}"
            ),
            (Resource::Root, Encoding::Xml) => format!(
                "<restconf xmlns=\"{RESTCONF}\"><data/><operations/><yang-library-version>{revision}</yang-library-version></restconf>"
            ),
            (Resource::LibraryVersion, Encoding::Json) => {
                format!("{{\"ietf-restconf:yang-library-version\":\"{revision}\"}}")
            }
            (Resource::LibraryVersion, Encoding::Xml) => {
                format!("<yang-library-version xmlns=\"{RESTCONF}\">{revision}</yang-library-version>")
            }
            // A device has none here (RFC 8040 section 3.3.2).
            (Resource::Operations, Encoding::Json) if self.is_of_device() => {
                "{\"ietf-restconf:operations\":{}}".to_owned()
            }
            (Resource::Operations, Encoding::Xml) if self.is_of_device() => {
                format!("<operations xmlns=\"{RESTCONF}\"/>")
            }
            (Resource::Operations, Encoding::Json) => {
                "{\"ietf-restconf:operations\":{\"ietf-netconf-monitoring:get-schema\":[null]}}".to_owned()
            }
            (Resource::Operations, Encoding::Xml) => format!(
                "<operations xmlns=\"{RESTCONF}\"><get-schema xmlns=\"{}\"/></operations>",
                MONITORING.namespace
            ),
        };
        trunkline_restconf::query::none(self.http.query.as_deref())?;
        Ok(self.whole(body.into_bytes()))
    }

    /// Whether the client takes the resource in XML: the type of lists is for a list as a whole alone.
    fn accepts(&self, resource: &Resource) -> Result<(), Refusal> {
        let forest = &self.restconf.door.models().forest;
        let is_list = matches!(resource, Resource::Data(_, target) if target.whole_list(forest).is_some());
        let media_type = self.encoding.media_type();
        let accept = self.http.header(header::ACCEPT);
        if is_list || accept.is_none_or(|accept| quality(accept, media_type) > 0) {
            return Ok(());
        }
        Err(Refusal::new(406, &format!("the answer has the type {media_type}, which Accept does not have")))
    }

    const fn is_of_device(&self) -> bool {
        matches!(self.origin, Origin::Device(_))
    }

    /// An answer that is read, unless the request's conditions are about another one (RFC 9110 section 13.1.1).
    ///
    /// # Errors
    /// 412.
    fn conditioned(&self, answer: HttpResponse) -> Result<HttpResponse, Refusal> {
        let is_read = matches!(self.http.method, Method::GET | Method::HEAD);
        if is_read && (answer.status.is_success() || answer.status == StatusCode::NOT_MODIFIED) {
            let field = |name: HeaderName| answer.headers.get(name).and_then(|value| value.to_str().ok());
            let modified = field(header::LAST_MODIFIED).and_then(seconds_of);
            self.conditions().check_read(field(header::ETAG), modified)?;
        }
        Ok(answer)
    }

    /// An answer with a body that is complete.
    fn whole(&self, body: Vec<u8>) -> HttpResponse {
        HttpResponse::new(StatusCode::OK, self.encoding.media_type(), body)
    }

    /// The agent, as the client addresses it.
    fn base(&self) -> String {
        format!("{}://{}", self.http.scheme(), self.http.authority.as_deref().unwrap_or("localhost"))
    }

    /// Refuses conditions that would be none because they cannot be read: a guard that is ignored is worse than none.
    ///
    /// # Errors
    /// 400.
    fn check_conditions(&self) -> Result<(), Refusal> {
        let all =
            [header::IF_MATCH, header::IF_NONE_MATCH, header::IF_UNMODIFIED_SINCE, header::IF_MODIFIED_SINCE];
        let is_wrong = |name: &HeaderName| {
            self.http.headers.contains_key(name) && self.http.header(name.clone()).is_none()
        };
        match all.into_iter().find(is_wrong) {
            Some(name) => Err(Refusal::bad(&format!("{name} must be given once, in ASCII"))),
            None => Ok(()),
        }
    }

    fn conditions(&self) -> Conditions<'_> {
        let time = |name: HeaderName| seconds_of(self.http.header(name)?);
        Conditions {
            if_match: self.http.header(header::IF_MATCH),
            if_none_match: self.http.header(header::IF_NONE_MATCH),
            unmodified_since: time(header::IF_UNMODIFIED_SINCE),
            modified_since: time(header::IF_MODIFIED_SINCE),
        }
    }

    /// The tag of what the client may read of a resource.
    fn tag_of(&self, target: &Target, config: &Config) -> Option<EntityTag> {
        let door = &self.restconf.door;
        let access = permission::access(door, self.principal.as_principal(), ViewType::Read)?;
        EntityTag::of(target, &permission::readable(&door.models().forest, config, &access))
    }

    /// The tag of a resource before it is edited, of `all` of a datastore and what of it the client may read. That of a secret is for
    /// conditions with tags alone: the others are about whether it is there.
    fn tag_before(
        &self,
        target: &Target,
        held: Datastore,
        (all, readable): (&Config, &Config),
        access: &Access,
    ) -> Option<EntityTag> {
        let writes = self.restconf.door.datastores.writes(held == Datastore::Candidate);
        let of_secret = || self.restconf.tag_of_secret(target, (held, writes), all, access);
        let secret = self.conditions().names_tags().then(of_secret).flatten();
        secret.or_else(|| EntityTag::of(target, readable))
    }

    /// The tag of the secret that is requested, if it is one that the client may set.
    async fn secret(&self, resource: &Resource) -> Option<EntityTag> {
        let Resource::Data(store, target) = resource else { return None };
        let (door, forest) = (&self.restconf.door, &self.restconf.door.models().forest);
        let is_read = matches!(self.http.method, Method::GET | Method::HEAD);
        let is_secret = forest[target.node()?].place.is_secret();
        if !is_read || !is_secret || self.is_of_device() || *store == Some(Store::Operational) {
            return None;
        }
        let access = permission::access(door, self.principal.as_principal(), ViewType::Write)?;
        let held = held(*store);
        let is_candidate = held == Datastore::Candidate;
        // Before what they wrote: a tag may be too old, and never too new.
        let writes = door.datastores.writes(is_candidate);
        let all = door.datastores.read(&door.core, forest, is_candidate, |_| true).await;
        self.restconf.tag_of_secret(target, (held, writes), &all, &access)
    }

    /// When a datastore became what it is, if that is known.
    fn modified(&self, held: Datastore, config: &Config) -> Option<SystemTime> {
        (held == Datastore::Running).then(|| self.restconf.modified(config))
    }

    /// An answer with its entity tag, if there is one, and the time of the last change.
    fn tagged(
        &self,
        answer: HttpResponse,
        tag: Option<EntityTag>,
        modified: Option<SystemTime>,
    ) -> HttpResponse {
        let date = |time| DateTime::<Utc>::from(time).format("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let tag = tag.map(|tag| tag.field(self.encoding));
        let fields = [(header::ETAG, tag), (header::LAST_MODIFIED, modified.map(date))];
        fields.into_iter().fold(answer, |answer, (name, value)| {
            match value.map(|value| HeaderValue::from_str(&value)) {
                Some(Ok(value)) => answer.with(name, value),
                _ => answer,
            }
        })
    }
}

/// `restconf-state`, if the door is open.
pub(super) fn state(door: &Netconf, base: &str, made: &mut Made<'_>) {
    if !door.has_restconf.load(Relaxed) {
        return;
    }
    made.within("capabilities", |made| {
        for name in CAPABILITIES {
            made.leaf("capability", &format!("urn:ietf:params:restconf:capability:{name}"));
        }
        made.leaf("capability", RESTCONF_ROLES);
    });
    made.within("streams", |made| {
        made.within("stream", |made| {
            made.leaf("name", STREAM);
            made.leaf("description", STREAM_DESCRIPTION);
            made.leaf("replay-support", "true");
            made.leaf("replay-log-creation-time", &date(door.models().since));
            for encoding in ["json", "xml"] {
                made.within("access", |made| {
                    made.leaf("encoding", encoding);
                    made.leaf("location", &format!("{base}/restconf/streams/{STREAM}/{encoding}"));
                });
            }
        });
    });
}

/// The seconds since 1970 of a time as HTTP writes it.
fn seconds_of(time: &str) -> Option<u64> {
    u64::try_from(DateTime::parse_from_rfc2822(time).ok()?.timestamp()).ok()
}

/// Whole seconds since 1970, as HTTP has times. Of an unknown time it is the last one: no condition that names a time holds.
fn seconds(time: Option<SystemTime>) -> u64 {
    time.map_or(u64::MAX, |time| time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |it| it.as_secs()))
}

/// The datastore of RFC 6241 that has the configuration of one of RFC 8527: `intended` is `running` here.
const fn held(store: Option<Store>) -> Datastore {
    match store {
        Some(Store::Of(datastore)) => datastore,
        _ => Datastore::Running,
    }
}

/// The path of a datastore below the root.
fn root_of(store: Option<Store>) -> String {
    match store.and_then(|store| Store::WORDS.iter().find(|(_, it)| *it == store)) {
        Some((name, _)) => format!("/restconf/ds/ietf-datastores:{name}"),
        None => "/restconf/data".to_owned(),
    }
}

/// What the agent can do beyond the base protocol (RFC 8040 section 9.1).
const CAPABILITIES: [&str; 16] = [
    "defaults:1.0?basic-mode=explicit",
    "with-defaults:1.0",
    "depth:1.0",
    "fields:1.0",
    "filter:1.0",
    "replay:1.0",
    "yang-patch:1.0",
    // RFC 8527 section 3.2.2
    "with-origin:1.0",
    // draft-ietf-netconf-list-pagination-rc-10 section 3.1
    "limit:1.0",
    "offset:1.0",
    "cursor:1.0",
    "direction:1.0",
    "sort-by:1.0",
    "locale:1.0",
    "where:1.0",
    "sublist-limit:1.0",
];
const HOST_META: &str = "/.well-known/host-meta";
/// RFC 8040 section 3.1.
const XRD: &str =
    "<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'><Link rel='restconf' href='/restconf'/></XRD>\n";
const OF_STATE: &str = "GET, HEAD, OPTIONS";
const PATCHES: &str = "application/yang-data+json, application/yang-data+xml, application/yang-patch+json, application/yang-patch+xml";
/// The role that a request is on behalf of, as the attribute of `rpc` of NETCONF.
const ROLE: HeaderName = HeaderName::from_static("trunkline-role");
const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");
