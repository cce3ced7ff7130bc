//! Sessions of browsers at the front: a cookie is a proof of who sends a request, if the request shows that our own page does.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use trunkline_browser::forgery::{self, Origin, Shown, Verdict};
use trunkline_browser::form;
use trunkline_browser::{Mark, SessionId, Sessions, Use, cookie};
use trunkline_config::{EVERYBODY, Plan};
use trunkline_snmp::engine::SecurityName;
use trunkline_transport::Transport;
use trunkline_transport::http::{
    Claim, HeaderMap, HeaderValue, HttpRequest, HttpResponse, Method, StatusCode, Unproved, header,
};
use zeroize::Zeroizing;

use super::asker::Proved;
use super::{Asker, Front, device_of, host};

/// The session that proved who sent a request.
#[derive(Clone)]
pub struct Session {
    all: Arc<Mutex<Sessions>>,
    id: Arc<SessionId>,
}

/// Without its secret.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}

impl Session {
    /// Whether it is still open. To look does not keep it open.
    pub fn is_open(&self) -> bool {
        locked(&self.all).find(&self.id, Use::Page, Instant::now()).is_some()
    }

    /// How long it lives unless it is used, in seconds.
    pub(crate) fn seconds_left(&self) -> u64 {
        locked(&self.all).find(&self.id, Use::Page, Instant::now()).map_or(0, |found| found.left.as_secs())
    }

    /// The token that its requests need.
    pub(crate) fn token(&self) -> String {
        self.id.token()
    }
}

/// The sessions of a front.
#[derive(Default)]
pub(super) struct OpenSessions(Arc<Mutex<Sessions>>);

impl OpenSessions {
    /// Applies the principals of a configuration.
    pub(super) fn configure(&self, plan: &Plan) {
        let named = plan.snmp.principals.iter().filter(|principal| principal.name != EVERYBODY);
        let marks = named.filter_map(|principal| {
            let hash = principal.password_hash.as_ref()?;
            let role = principal.role.as_deref().map_or(&[][..], str::as_bytes);
            Some((principal.name.clone(), Mark::of(&[hash.0.as_bytes(), role])))
        });
        locked(&self.0).configure(marks);
    }
}

/// Why nobody is logged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoLogin {
    /// The password.
    #[error(transparent)]
    Unproved(#[from] Unproved),
    /// The kernel has no random numbers, or the configuration has changed during the login.
    #[error("the login did not succeed: try again")]
    Again,
}

impl Front {
    /// The principal of the session in a request's cookie; nobody without one, and where another site sent the request.
    ///
    /// # Errors
    /// The answer to a request that would change something and does not show that it is our page's.
    pub(super) fn by_session(&self, request: &HttpRequest) -> Result<Asker, Box<HttpResponse>> {
        if FORMS.contains(&device_of(&request.path).1) {
            return Ok(Asker::Nobody);
        }
        let purpose = if is_of_page(&request.headers) { Use::Page } else { Use::Person };
        let now = Instant::now();
        let found = ids(request).into_iter().find_map(|id| {
            let found = locked(&self.sessions.0).find(&id, purpose, now)?;
            Some((id, SecurityName::new(found.name.as_bytes()).ok()?))
        });
        let Some((id, name)) = found else { return Ok(Asker::Nobody) };
        let posted = posted_token(request);
        let shown = shown(request);
        match forgery::judge(Shown { token: shown.token.or(posted.as_deref()), ..shown }, &id.token()) {
            Verdict::Ignored => Ok(Asker::Nobody),
            Verdict::Refused(error) => {
                Err(HttpResponse::text(StatusCode::FORBIDDEN, &error.to_string()).into())
            }
            Verdict::Counts => {
                let session = Session { all: self.sessions.0.clone(), id: Arc::new(id) };
                Ok(Asker::Principal(Proved::new(name, &request.session).in_session(session)))
            }
        }
    }

    /// Opens a session of a name with its password; the value of the cookie. The session that the request has ends.
    ///
    /// # Errors
    /// [`NoLogin`]
    pub(crate) async fn log_in(
        &self,
        request: &HttpRequest,
        name: String,
        password: Zeroizing<String>,
    ) -> Result<String, NoLogin> {
        let mark = locked(&self.sessions.0).mark(&name);
        let name = self.check_claim(Claim::Password { name, password }, request).await?;
        request.accept();
        let mut random = Zeroizing::new([0; 32]);
        // So few octets are returned in one piece (getrandom(2)).
        let octets = rustix::rand::getrandom(&mut *random, rustix::rand::GetRandomFlags::empty());
        let (Ok(32), Some(mark)) = (octets, mark) else { return Err(NoLogin::Again) };
        self.log_out(request);
        let (is_https, authority) = place(request);
        let id = SessionId::new(&random, is_https);
        if !locked(&self.sessions.0).open(&id, &name, mark, Instant::now()) {
            return Err(NoLogin::Again);
        }
        tracing::info!(peer = %request.session.peer, name, "a browser has logged in");
        Ok(cookie::begin(is_https, authority, &id))
    }

    /// Ends the session in a request's cookie; the value of the cookie from now on.
    pub(crate) fn log_out(&self, request: &HttpRequest) -> String {
        for id in ids(request) {
            locked(&self.sessions.0).close(&id);
        }
        let (is_https, authority) = place(request);
        cookie::end(is_https, authority)
    }

    /// An answer that asks who somebody is has browsers show a dialog of their own; where our page asks, it does not.
    pub(super) fn without_dialog(request: &Seen, mut response: HttpResponse) -> HttpResponse {
        if request.is_of_page && response.status == StatusCode::UNAUTHORIZED {
            response.headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(NO_DIALOG));
        }
        response
    }
}

/// What of a request is known when it has been answered.
pub(super) struct Seen {
    is_of_page: bool,
}

impl Seen {
    pub(super) fn of(request: &HttpRequest) -> Self {
        Seen { is_of_page: request.headers.contains_key(forgery::FIELD) || !ids(request).is_empty() }
    }
}

/// Whether a form that was posted is our page's.
pub(crate) fn is_own_form(request: &HttpRequest) -> bool {
    let Shown { origin, site, .. } = shown(request);
    forgery::is_own_form(origin, site)
}

/// What a request shows of the page that sent it.
fn shown(request: &HttpRequest) -> Shown<'_> {
    let origin = request.headers.get_all(header::ORIGIN).iter().fold(Origin::Absent, |known, origin| {
        let origin = origin.to_str().unwrap_or_default();
        if known != Origin::Foreign && host::is_own_origin(request, origin) {
            Origin::Ours
        } else {
            Origin::Foreign
        }
    });
    Shown {
        is_safe: matches!(request.method, Method::GET | Method::HEAD | Method::OPTIONS),
        origin,
        site: request.headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or_default()),
        token: request.headers.get(forgery::FIELD).and_then(|token| token.to_str().ok()),
    }
}

/// The token in a form of the page without scripts, which can send no fields of its own.
fn posted_token(request: &HttpRequest) -> Option<String> {
    let is_form = request.method == Method::POST
        && device_of(&request.path).1.starts_with(PLAIN)
        && request.media_type().as_deref() == Some("application/x-www-form-urlencoded");
    is_form.then(|| form::token(&request.body)).flatten()
}

/// What the page does without a person.
fn is_of_page(fields: &HeaderMap) -> bool {
    let is_stream = |accept: &HeaderValue| accept.as_bytes().starts_with(b"text/event-stream");
    fields.contains_key(UNATTENDED) || fields.get(header::ACCEPT).is_some_and(is_stream)
}

fn ids(request: &HttpRequest) -> Vec<SessionId> {
    let (is_https, authority) = place(request);
    let fields = request.headers.get_all(header::COOKIE).iter().filter_map(|field| field.to_str().ok());
    fields
        .flat_map(|field| cookie::find(field, is_https, authority).collect::<Vec<_>>())
        .take(MOST_COOKIES)
        .collect()
}

/// Whether the browser came over HTTPS, and where to.
fn place(request: &HttpRequest) -> (bool, &str) {
    (request.session.transport == Transport::Https, request.authority.as_deref().unwrap_or_default())
}

fn locked(sessions: &Mutex<Sessions>) -> MutexGuard<'_, Sessions> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where forms without scripts are that have the token in a field of the form.
const PLAIN: &str = "/browser/plain/";
/// Forms without scripts cannot have the token before there is a session: the door looks at their cookie and their origin.
const FORMS: [&str; 2] = ["/browser/login", "/browser/logout"];
/// Requests of the page that nobody waits for have this field.
const UNATTENDED: &str = "trunkline-unattended";
/// A scheme that no browser has a dialog for.
const NO_DIALOG: &str = "Cookie realm=\"trunkline\"";
const MOST_COOKIES: usize = 4;
