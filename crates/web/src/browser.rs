//! The page for people (`trunkline_browser`) at `/browser`: its files, the login, the schema, and tables without scripts. The page
//! reads and configures over RESTCONF, and what is shown without scripts is the answer of that door. Objects of MIB modules, which
//! RESTCONF has as state, are set here (`object`).

mod configuration;
mod devices;
mod happenings;
mod object;
mod rows;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use trunkline_browser::field::Field;
use trunkline_browser::files::{self, File, HTML, JSON, OF_FILES, OF_PAGES};
use trunkline_browser::form::{Change, Fields, Login};
use trunkline_browser::object::Object;
use trunkline_browser::plain::{
    ABSENT, AFTER, Entry, Form, Groups, Presence, Said, SaidOfChange, SaidOfEntry, Shown,
};
use trunkline_browser::schema::{self, Reads, Rights};
use trunkline_config::HttpDoors;
use trunkline_smi::Value;
use trunkline_smi::module::snmpv2_mib::SYS_NAME;
use trunkline_smi::module::trunkline_mib::groups::GROUP_TABLE;
use trunkline_transport::Transport;
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{
    Bytes, HeaderMap, HeaderName, HeaderValue, HttpRequest, HttpResponse, Method, StatusCode, Unproved,
    header,
};
use trunkline_tree::policy::ViewType;
use trunkline_yang::forest::{Forest, Place};

use self::configuration::{Asked, may_configure};
use self::devices::{readable, writable};
use self::object::{Lines, NotDone, Scope};

use super::http::{
    Answering, Asker, Front, HttpDoor, NoAccess, NoLogin, Places, begins_with, device_of, is_own_form,
};

/// The door.
#[derive(Default)]
pub struct Browser {
    /// Made when it is first wanted.
    forest: OnceLock<Forest>,
    /// Parts of the schema that were requested, by module; that of no name is the index.
    schema: Mutex<HashMap<&'static str, Made>>,
    lines: Lines,
    readers: Arc<Places>,
}

/// A part of the schema.
#[derive(Clone)]
struct Made {
    tag: HeaderValue,
    packed: Bytes,
}

impl HttpDoor for Browser {
    fn has(&self, path: &str) -> bool {
        begins_with(device_of(path).1, "browser")
    }

    fn is_open(&self, doors: HttpDoors) -> bool {
        doors.browser
    }

    fn lines(&self) -> &'static [&'static str] {
        &["/browser/    for people: a page to look after this machine, over RESTCONF"]
    }

    fn refused(&self, _request: &HttpRequest, _words: &str, answer: HttpResponse) -> HttpResponse {
        not_kept(answer)
    }

    fn answer<'a>(&'a self, front: &'a Front, request: &'a HttpRequest, asker: &'a Asker) -> Answering<'a> {
        Box::pin(async move { not_kept(self.respond(front, request, asker).await) })
    }
}

impl Browser {
    async fn respond(&self, front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
        let (device, path) = device_of(&request.path);
        let path = path.strip_prefix("/browser").unwrap_or_default();
        match (&request.method, path) {
            // There is one login for all devices.
            (_, "/login") if device.is_some() => see_other("../../../browser/login"),
            (_, "/") if device.is_some() && matches!(asker, Asker::Nobody) => {
                see_other("../../../browser/login")
            }
            (&Method::POST, "/login") => log_in(front, request).await,
            (&Method::POST, "/logout") if is_own_form(request) => {
                see_other("./").with(header::SET_COOKIE, field(&front.log_out(request)))
            }
            (&Method::POST, "/logout") => login_page(request, StatusCode::FORBIDDEN, Some(OF_ANOTHER_PAGE)),
            (&Method::POST, path) if path.starts_with("/set/") => {
                self.set(front, request, asker, &path["/set/".len()..]).await
            }
            (&Method::POST, path) if path.starts_with("/rows/") => {
                self.create(front, request, asker, &path["/rows/".len()..]).await
            }
            (&Method::POST, path) if path.starts_with("/plain/") => {
                self.set_plain(front, request, asker, &path["/plain/".len()..]).await
            }
            (&Method::POST, _) => {
                let line =
                    "only forms of the page are posted, to /browser/login, logout, set, rows and plain";
                HttpResponse::text(StatusCode::METHOD_NOT_ALLOWED, line)
                    .with(header::ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"))
            }
            (_, "") => see_other("browser/"),
            (_, "/") => match asker {
                Asker::Principal(_) => of_page(file(request, files::page())),
                Asker::Nobody => login_page(request, StatusCode::OK, None),
            },
            (_, "/login") => login_page(request, StatusCode::OK, None),
            (_, "/session") => session(front, request, asker).await,
            (_, "/devices") => devices::listed(front, asker),
            (_, "/happenings") => happenings::stream(front, request, asker, &self.readers),
            (_, "/schema") => self.schema(request, asker, ""),
            (_, path) if path.starts_with("/rights/") => {
                self.rights(front, request, asker, &path["/rights/".len()..]).await
            }
            (_, path) => match (path.strip_prefix("/schema/"), path.strip_prefix("/plain/")) {
                (Some(module), _) => self.schema(request, asker, module),
                (_, Some(path)) => self.plain(front, request, asker, path).await,
                _ => match files::find(&path[1..]) {
                    Some(found) => with_all(file(request, found), &OF_FILES),
                    None => HttpResponse::text(
                        StatusCode::NOT_FOUND,
                        "there is nothing here; the page is at /browser/",
                    ),
                },
            },
        }
    }

    fn forest(&self) -> &Forest {
        self.forest.get_or_init(schema::forest)
    }

    /// A part of the schema: the same for all who may log in.
    fn schema(&self, request: &HttpRequest, asker: &Asker, name: &str) -> HttpResponse {
        if matches!(asker, Asker::Nobody) {
            return NoAccess::Nobody.answer(HttpResponse::text(StatusCode::UNAUTHORIZED, "log in first"));
        }
        let mut kept = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match kept.get(name) {
            Some(made) => made.clone(),
            None => {
                let forest = self.forest();
                let known =
                    forest.modules().iter().map(|module| module.name).chain([""]).find(|it| *it == name);
                let octets =
                    if name.is_empty() { Some(schema::index(forest)) } else { schema::module(forest, name) };
                let (Some(name), Some(octets)) = (known, octets) else {
                    return HttpResponse::text(StatusCode::NOT_FOUND, "no module of this name has data");
                };
                let made = Made { tag: field(&files::tag(&octets)), packed: files::packed(&octets).into() };
                kept.insert(name, made.clone());
                made
            }
        };
        drop(kept);
        let response = match is_known(request, &made.tag) {
            true => HttpResponse::empty(StatusCode::NOT_MODIFIED),
            false => packed(request, JSON, &made.packed, None),
        };
        with_all(response.with(header::ETAG, made.tag).with(header::CACHE_CONTROL, NO_CACHE), &OF_FILES)
    }

    /// What the client may do with the leaves of a module: which it may change, of what is configured of this machine and of objects of
    /// MIB modules, which of these it may not read, and whether it may read all others.
    async fn rights(
        &self,
        front: &Front,
        request: &HttpRequest,
        asker: &Asker,
        module: &str,
    ) -> HttpResponse {
        let scope = Scope::of(front, request, asker);
        let settable = match &scope {
            Some(scope) if scope.can_set().await => Some(scope),
            _ => None,
        };
        let may_change = |place: &Place| may_change(scope.as_ref(), settable, place);
        let reader = Scope::of_reader(front, request, asker);
        let reads = |object: &[u32]| reader.as_ref().map_or(Reads::Nothing, |reader| reader.reads(object));
        let rights = Rights { may_change: &may_change, reads: &reads };
        let answer = match schema::rights(self.forest(), module, rights) {
            Some(rights) => HttpResponse::new(StatusCode::OK, JSON, rights),
            None => HttpResponse::text(StatusCode::NOT_FOUND, "no module has this name"),
        };
        with_all(answer.with(header::CACHE_CONTROL, NO_STORE), &OF_FILES)
    }

    /// Data for readers without scripts.
    async fn plain(&self, front: &Front, request: &HttpRequest, asker: &Asker, path: &str) -> HttpResponse {
        if matches!(asker, Asker::Nobody) {
            let up = "../".repeat(1 + path.matches('/').count());
            return see_other(&format!("{up}login"));
        }
        if path == "groups" {
            return plain_groups(front, request, asker).await;
        }
        let forest = self.forest();
        let Some(shown) = Shown::find(forest, path, request.query.as_deref()) else { return no_data() };
        let shown = shown.with_groups(path.is_empty() && has_groups(front, request, asker).await);
        let has_devices = path.is_empty() && device_of(&request.path).0.is_none();
        let devices = if has_devices { readable(front, asker) } else { Vec::new() };
        let shown = shown.with_devices(devices.iter().map(|device| device.name().to_owned()).collect());
        let scope = Scope::of(front, request, asker);
        let settable = match &scope {
            Some(scope) if scope.can_set().await => Some(scope),
            _ => None,
        };
        let may_set = |object: &[u32]| settable.is_some_and(|scope| scope.may_set(object));
        let may_change = |place: &Place| may_change(scope.as_ref(), settable, place);
        let reader = Scope::of_reader(front, request, asker);
        let reads = |object: &[u32]| reader.as_ref().map_or(Reads::Nothing, |reader| reader.reads(object));
        let rights = Rights { may_change: &may_change, reads: &reads };
        let shown = shown.read_with(forest, rights);
        let asked = Asked { front, request, asker };
        let presence = presence(asked, forest, &shown, rights).await;
        if presence == Presence::Absent {
            return html(StatusCode::OK, shown.absent(forest));
        }
        let shown = shown.with_presence(presence);
        let given = Fields::default();
        if let Some(leaf) = shown.setting(forest).filter(|leaf| may_change(leaf.place())) {
            let said = if shown.is_set() { SaidOfChange::Done } else { SaidOfChange::Nothing };
            return self.leaf(asked, &shown, &leaf, (&given, said)).await;
        }
        let list = shown.list(forest).filter(|list| list.may_change(&may_change));
        if let (Some(list), true) = (&list, shown.is_new()) {
            return self.entry(&shown, &list.fields(&may_change), &given, asker, SaidOfEntry::Nothing);
        }
        let is_removed = shown.is_entry(forest, &may_change) && self.is_configured(asked, &shown).await;
        let shown = shown.with_removal(is_removed.then(|| token_of(asker)));
        let creation = shown.creation(forest).filter(|creation| may_set(&creation.status_object));
        if let (Some(creation), true) = (&creation, shown.is_new()) {
            return self.entry(&shown, &creation.fields(may_set), &given, asker, SaidOfEntry::Nothing);
        }
        let shown = shown.with_creation(creation.is_some() || list.is_some());
        if let (Some(scope), Some(object)) = (settable, shown.object(forest))
            && scope.may_set(&object.object)
        {
            let said = if shown.is_set() { Said::Set } else { Said::Nothing };
            return self.form(&shown, (scope, &object), asker, (None, said)).await;
        }
        let answer = match shown.resource(forest) {
            None => Ok(Bytes::new()),
            Some((path, query)) => read(front, request, asker, &path, query).await,
        };
        let page = shown.page(forest, answer.as_deref().map_err(|words| *words), rights);
        html(StatusCode::OK, page)
    }

    /// The page of an object that may be set.
    async fn form(
        &self,
        shown: &Shown,
        (scope, object): (&Scope, &Object),
        asker: &Asker,
        (given, said): (Option<&Change>, Said<'_>),
    ) -> HttpResponse {
        let token = token_of(asker);
        let now = scope.now(object).await;
        let (now, said) = match (&now, said) {
            (Ok(now), said) => (now.as_deref(), said),
            (Err(NotDone::Refused(_, words)), Said::Nothing) => (None, Said::Wrong(words)),
            (Err(_), said) => (None, said),
        };
        let is_blind = scope.is_blind(object);
        let page = shown.form(self.forest(), &Form { object, now, is_blind, token: &token, given, said });
        html(StatusCode::OK, page)
    }

    /// The form of another entry of a list.
    fn entry(
        &self,
        shown: &Shown,
        fields: &[Field],
        given: &Fields,
        asker: &Asker,
        said: SaidOfEntry<'_>,
    ) -> HttpResponse {
        let token = token_of(asker);
        html(StatusCode::OK, shown.entry(self.forest(), &Entry { fields, given, token: &token, said }))
    }

    /// A form of the page without scripts: shows the difference, or sets the object.
    async fn set_plain(
        &self,
        front: &Front,
        request: &HttpRequest,
        asker: &Asker,
        path: &str,
    ) -> HttpResponse {
        let up = "../".repeat(1 + path.matches('/').count());
        if matches!(asker, Asker::Nobody) {
            return see_other(&format!("{up}login"));
        }
        let query = request.query.as_deref();
        let Some(shown) = Shown::find(self.forest(), path, query) else { return no_data() };
        if let Some(answer) = self.configure(Asked { front, request, asker }, &shown).await {
            return answer;
        }
        if shown.creation(self.forest()).is_some() {
            return self.create_plain(front, request, asker, path, &shown).await;
        }
        let (scope, object, change) = match self.change(front, request, asker, path) {
            Ok(wanted) => wanted,
            Err((status, words)) => return HttpResponse::text(status, words),
        };
        if !change.is_confirmed {
            // The difference is that of what is there now, and only that may be confirmed.
            let wrong = object.value(&change.new, change.octets).err().map(|error| format!("{error}."));
            let said = wrong.as_deref().map_or(Said::Review(&change), Said::Wrong);
            return self.form(&shown, (&scope, &object), asker, (Some(&change), said)).await;
        }
        match scope.set(&object, &change, &self.lines).await {
            Ok(()) => see_other(&format!("?{AFTER}")),
            Err(NotDone::Changed) => {
                let said = Said::Wrong(CHANGED);
                let page = self.form(&shown, (&scope, &object), asker, (Some(&change), said)).await;
                HttpResponse { status: StatusCode::CONFLICT, ..page }
            }
            Err(NotDone::Refused(status, words)) => {
                let page =
                    self.form(&shown, (&scope, &object), asker, (Some(&change), Said::Wrong(&words))).await;
                HttpResponse { status, ..page }
            }
        }
    }

    /// The same for scripts, which have shown the difference.
    async fn set(&self, front: &Front, request: &HttpRequest, asker: &Asker, path: &str) -> HttpResponse {
        if matches!(asker, Asker::Nobody) {
            return NoAccess::Nobody.answer(HttpResponse::text(StatusCode::UNAUTHORIZED, "log in first"));
        }
        let (scope, object, change) = match self.change(front, request, asker, path) {
            Ok(wanted) => wanted,
            Err((status, words)) => return refused(status, words),
        };
        match scope.set(&object, &change, &self.lines).await {
            Ok(()) => HttpResponse::empty(StatusCode::NO_CONTENT).with(header::CACHE_CONTROL, NO_STORE),
            Err(NotDone::Changed) => refused(StatusCode::PRECONDITION_FAILED, CHANGED),
            Err(NotDone::Refused(status, words)) => refused(status, &words),
        }
    }

    /// What a form is to set, where, and as whom.
    fn change(
        &self,
        front: &Front,
        request: &HttpRequest,
        asker: &Asker,
        path: &str,
    ) -> Result<(Scope, Object, Change), (StatusCode, &'static str)> {
        let scope = posted_in(front, request, asker)?;
        let object = Object::find(self.forest(), path);
        let object = object.ok_or((StatusCode::NOT_FOUND, "No object that can be set has this path."))?;
        if !scope.may_set(&object.object) {
            return Err((StatusCode::FORBIDDEN, "Your role may not set this, or it is not there."));
        }
        let change =
            Change::read(&request.body).map_err(|_| (StatusCode::BAD_REQUEST, "The form cannot be read."))?;
        Ok((scope, object, change))
    }
}

/// Whether there is the entry that a page is about.
async fn presence(asked: Asked<'_>, forest: &Forest, shown: &Shown, rights: Rights<'_>) -> Presence {
    let Some((path, list)) = shown.within_entry(forest) else { return Presence::There };
    let Asked { front, request, asker } = asked;
    match read(front, request, asker, &format!("/data{path}"), "depth=1".to_owned()).await {
        Err(ABSENT) if rights.has_blind(forest, list) => Presence::Unknown,
        Err(ABSENT) => Presence::Absent,
        _ => Presence::There,
    }
}

/// Whether a leaf may be changed: one of the configuration, or an object where objects can be set.
fn may_change(scope: Option<&Scope>, settable: Option<&Scope>, place: &Place) -> bool {
    match place.setting() {
        Some(_) => scope.is_some_and(|scope| may_configure(scope, place)),
        None => schema::object_of(place)
            .is_some_and(|object| settable.is_some_and(|scope| scope.may_set(&object))),
    }
}

/// Where a form that was posted changes something, and as whom.
fn posted_in(
    front: &Front,
    request: &HttpRequest,
    asker: &Asker,
) -> Result<Scope, (StatusCode, &'static str)> {
    // Any page may post a form, and browsers send certificates and passwords with it as they send cookies.
    if !is_own_form(request) {
        return Err((StatusCode::FORBIDDEN, "This form does not come from this page."));
    }
    if request.media_type().as_deref() != Some("application/x-www-form-urlencoded") {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "A value is posted as a form."));
    }
    Scope::of(front, request, asker).ok_or((StatusCode::FORBIDDEN, "Your role may set nothing here."))
}

/// An answer that does not say how long it holds is kept by nobody: caches keep a 404 otherwise (RFC 9111 section 4.2.2).
fn not_kept(answer: HttpResponse) -> HttpResponse {
    match answer.headers.contains_key(header::CACHE_CONTROL) {
        true => answer,
        false => answer.with(header::CACHE_CONTROL, NO_STORE),
    }
}

/// A refusal for scripts.
fn refused(status: StatusCode, words: &str) -> HttpResponse {
    let mut json = String::from("{\"message\":");
    schema::text(&mut json, words);
    json.push('}');
    let answer = HttpResponse::new(status, JSON, json.into_bytes());
    with_all(answer.with(header::CACHE_CONTROL, NO_STORE), &OF_FILES)
}

/// The token of the session that the client has; empty: it has none.
fn token_of(asker: &Asker) -> String {
    match asker {
        Asker::Principal(proved) => proved.session().map(|session| session.token()).unwrap_or_default(),
        Asker::Nobody => String::new(),
    }
}

fn no_data() -> HttpResponse {
    let line = "no data has this name; /browser/plain/ lists what there is";
    HttpResponse::text(StatusCode::NOT_FOUND, line)
}

/// A page that nobody keeps.
fn html(status: StatusCode, page: Vec<u8>) -> HttpResponse {
    of_page(HttpResponse::new(status, HTML, page)).with(header::CACHE_CONTROL, NO_STORE)
}

/// The groups for readers without scripts.
async fn plain_groups(front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    let groups = Groups::find(request.query.as_deref());
    let ((path, query), (of_members, queried)) = (Groups::whole(), groups.members());
    let whole = read(front, request, asker, path, query.to_owned()).await;
    let rows = read(front, request, asker, of_members, queried).await;
    // The members of a device's groups are devices there, and not here.
    let own = device_of(&request.path).0.is_none();
    let devices = if own { readable(front, asker) } else { Vec::new() };
    let is_device = |name: &str| devices.iter().any(|device| device.name() == name);
    let page = groups.page(
        whole.as_deref().map_err(|words| *words),
        rows.as_deref().map_err(|words| *words),
        &is_device,
    );
    html(StatusCode::OK, page)
}

/// What RESTCONF answers, of the machine or the device that a request is about.
async fn read(
    front: &Front,
    request: &HttpRequest,
    asker: &Asker,
    path: &str,
    query: String,
) -> Result<Bytes, &'static str> {
    let mut asked = request.clone();
    let of_device = device_of(&request.path).0.map(|device| format!("/devices/{device}"));
    let path = format!("{}/restconf{path}", of_device.unwrap_or_default());
    (asked.path, asked.query, asked.headers) = (path, Some(query), HeaderMap::new());
    body_of(front.inside(asked, asker).await).await
}

/// The body of an answer of RESTCONF.
async fn body_of(answer: HttpResponse) -> Result<Bytes, &'static str> {
    const TOO_MUCH: &str = "This is too much for a page.";
    match answer.status {
        StatusCode::OK => match answer.flow {
            Some(mut flow) => {
                let mut all = Vec::new();
                while let Some(part) = flow.next().await {
                    all.extend_from_slice(&part.map_err(|_| "The answer is not whole.")?);
                    if all.len() > MOST_PLAIN {
                        return Err(TOO_MUCH);
                    }
                }
                Ok(all.into())
            }
            None if answer.body.len() > MOST_PLAIN => Err(TOO_MUCH),
            None => Ok(answer.body.join()),
        },
        StatusCode::NOT_FOUND => Err(ABSENT),
        _ => Err("RESTCONF does not answer this."),
    }
}

async fn log_in(front: &Front, request: &HttpRequest) -> HttpResponse {
    if !is_own_form(request) {
        return login_page(request, StatusCode::FORBIDDEN, Some(OF_ANOTHER_PAGE));
    }
    if request.media_type().as_deref() != Some("application/x-www-form-urlencoded") {
        return login_page(request, StatusCode::UNSUPPORTED_MEDIA_TYPE, Some("A login is posted as a form."));
    }
    let login = match Login::read(&request.body) {
        Ok(login) => login,
        Err(error) => {
            return login_page(request, StatusCode::BAD_REQUEST, Some(&sentence(&error.to_string())));
        }
    };
    match front.log_in(request, login.name, login.password).await {
        Ok(cookie) => see_other("./").with(header::SET_COOKIE, field(&cookie)),
        // Not 401: browsers would show a dialog of their own.
        Err(NoLogin::Unproved(Unproved::Wrong)) => {
            login_page(request, StatusCode::FORBIDDEN, Some("Wrong name or password."))
        }
        Err(error @ NoLogin::Unproved(Unproved::TooMany { wait })) => {
            let page =
                login_page(request, StatusCode::TOO_MANY_REQUESTS, Some(&sentence(&error.to_string())));
            page.with(header::RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)))
        }
        Err(error) => {
            login_page(request, StatusCode::SERVICE_UNAVAILABLE, Some(&sentence(&error.to_string())))
                .with(header::RETRY_AFTER, HeaderValue::from(1))
        }
    }
}

/// Who the client is, for the page, with the token that its session needs.
async fn session(front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    let mut json = String::from("{\"name\":");
    match asker {
        Asker::Nobody => json.push_str("null"),
        Asker::Principal(proved) => {
            schema::text(&mut json, &proved.state().name().to_string());
            let scope = Scope::of(front, request, asker);
            let writes = scope.is_some_and(|scope| scope.access().may_write_anything());
            let reads = Scope::of_reader(front, request, asker).is_some();
            json.push_str(&format!(",\"reads\":{reads},\"writes\":{writes}"));
            if let Some(session) = proved.session() {
                json.push_str(",\"token\":");
                schema::text(&mut json, &session.token());
                json.push_str(&format!(",\"seconds\":{}", session.seconds_left()));
            }
        }
    }
    if let Some(device) = device_of(&request.path).0 {
        json.push_str(",\"device\":");
        schema::text(&mut json, device);
    } else {
        if has_groups(front, request, asker).await {
            json.push_str(",\"groups\":true");
        }
        if let Some(name) = system_name(front, request, asker).await {
            json.push_str(",\"system\":");
            schema::text(&mut json, &name);
        }
    }
    let is_protected = is_protected(request);
    let devices = readable(front, asker);
    json.push_str(&format!(",\"devices\":{},\"protected\":{is_protected}", devices.len()));
    let writable = writable(front, asker, &devices);
    if writable > 0 {
        json.push_str(&format!(",\"writable\":{writable}"));
    }
    json.push('}');
    let answer = HttpResponse::new(StatusCode::OK, JSON, json.into_bytes());
    with_all(answer.with(header::CACHE_CONTROL, NO_STORE), &OF_FILES)
}

/// Whether this agent reads groups of others that the client may see. A device is not asked for its own.
async fn has_groups(front: &Front, request: &HttpRequest, asker: &Asker) -> bool {
    if device_of(&request.path).0.is_some() {
        return false;
    }
    let settings = front.core().settings();
    let Ok(access) = front.access(&settings, request, asker, None, ViewType::Read) else { return false };
    let members = [GROUP_TABLE.oid, &[1, MEMBERS]].concat();
    settings.served().below(&members, &access, 1).await.is_ok_and(|below| !below.values.is_empty())
}

/// The name of this machine, if the client may read it.
async fn system_name(front: &Front, request: &HttpRequest, asker: &Asker) -> Option<String> {
    let settings = front.core().settings();
    let access = front.access(&settings, request, asker, None, ViewType::Read).ok()?;
    let name = [SYS_NAME.oid, &[0]].concat();
    match settings.served().value(&name, &access).await {
        Ok(Some(Value::OctetString(octets))) => String::from_utf8(octets).ok(),
        _ => None,
    }
}

fn is_protected(request: &HttpRequest) -> bool {
    request.session.transport == Transport::Https
}

/// The answer with a file.
fn file(request: &HttpRequest, file: &'static File) -> HttpResponse {
    let tag = field(file.tag());
    let response = match is_known(request, &tag) {
        true => HttpResponse::empty(StatusCode::NOT_MODIFIED),
        false => packed(request, file.media_type, &Bytes::from_static(file.packed()), Some(file.octets())),
    };
    response.with(header::ETAG, tag).with(header::CACHE_CONTROL, NO_CACHE)
}

/// An answer with a body that is kept compressed: as it is, if the client accepts that.
fn packed(
    request: &HttpRequest,
    media_type: &'static str,
    kept: &Bytes,
    plain: Option<&'static [u8]>,
) -> HttpResponse {
    if request.packing.is_some_and(|packing| packing.coding == Coding::Gzip) {
        let answer = HttpResponse::new(StatusCode::OK, media_type, Bytes::new());
        return answer.packed(Coding::Gzip, kept.to_vec());
    }
    let plain = plain.map_or_else(|| Bytes::from(files::unpacked(kept)), Bytes::from_static);
    HttpResponse::new(StatusCode::OK, media_type, plain)
}

fn is_known(request: &HttpRequest, tag: &HeaderValue) -> bool {
    let field = request.header(header::IF_NONE_MATCH);
    field.zip(tag.to_str().ok()).is_some_and(|(field, tag)| files::is_known(field, tag))
}

fn login_page(request: &HttpRequest, status: StatusCode, wrong: Option<&str>) -> HttpResponse {
    of_page(HttpResponse::new(status, HTML, files::login(wrong, is_protected(request))))
        .with(header::CACHE_CONTROL, NO_STORE)
}

fn of_page(response: HttpResponse) -> HttpResponse {
    with_all(response.with(header::VARY, HeaderValue::from_static("cookie")), &OF_PAGES)
}

fn with_all(response: HttpResponse, fields: &'static [(&'static str, &'static str)]) -> HttpResponse {
    fields.iter().fold(response, |response, (name, value)| {
        response.with(HeaderName::from_static(name), HeaderValue::from_static(value))
    })
}

fn see_other(place: &str) -> HttpResponse {
    let answer = HttpResponse::empty(StatusCode::SEE_OTHER).with(header::LOCATION, field(place));
    with_all(answer.with(header::CACHE_CONTROL, NO_STORE), &OF_PAGES)
}

/// A value that has no other characters than those of a field.
fn field(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(""))
}

/// The words of an error as a sentence.
fn sentence(words: &str) -> String {
    let mut characters = words.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

const CHANGED: &str =
    "Somebody else has changed this meanwhile: above is what it is now. Nothing was written.";
const OF_ANOTHER_PAGE: &str = "This form does not come from this page. Log in here.";
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// groupMembers.
const MEMBERS: u32 = 4;
/// Octets of data that a page without scripts shows.
const MOST_PLAIN: usize = 4 << 20;
