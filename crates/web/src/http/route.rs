//! Which door answers: the first one that has the path; without one, the index.

use std::future::Future;
use std::pin::Pin;

use trunkline_transport::http::{HeaderValue, HttpRequest, HttpResponse, Method, StatusCode, header};

use super::{Asker, Front};
use trunkline_config::{HttpDoors, Plan};
use trunkline_devices::is_name;
use trunkline_retrieval::Services;

/// A door after the front.
pub trait HttpDoor: Send + Sync {
    /// Whether a path belongs to it.
    fn has(&self, path: &str) -> bool;

    /// Whether the configuration has it open.
    fn is_open(&self, doors: HttpDoors) -> bool;

    /// Its lines in the index.
    fn lines(&self) -> &'static [&'static str];

    /// Applies another configuration; requests in progress finish with the old one.
    fn configure(&self, _plan: &Plan) {}

    /// Whether it answers requests of every method, OPTIONS and HEAD too.
    fn has_every_method(&self) -> bool {
        false
    }

    /// The answer to a request that the front refuses, as `answer` and in these words, in the door's own form.
    fn refused(&self, _request: &HttpRequest, _words: &str, answer: HttpResponse) -> HttpResponse {
        answer
    }

    /// Answers a request, which is a GET or a POST, with HEAD as a GET, unless the door has every method.
    fn answer<'a>(&'a self, front: &'a Front, request: &'a HttpRequest, asker: &'a Asker) -> Answering<'a>;
}

/// The source of events that services are: it answers messages of WS-Eventing that are posted to their URIs.
pub trait ServiceEvents: Send + Sync {
    /// Answers such a message.
    fn answer_at<'a>(
        &'a self,
        services: &'a Services,
        front: &'a Front,
        request: &'a HttpRequest,
        asker: &'a Asker,
    ) -> Answering<'a>;
}

/// An answer that is being made.
pub type Answering<'a> = Pin<Box<dyn Future<Output = HttpResponse> + Send + 'a>>;

/// The device that a path names in front of the rest, `/devices/NAME`, and the rest; without one, the path is this machine's.
#[must_use]
pub fn device_of(path: &str) -> (Option<&str>, &str) {
    let named = path.strip_prefix("/devices/").and_then(|rest| {
        let end = rest.find('/')?;
        is_name(&rest[..end]).then(|| (Some(&rest[..end]), &rest[end..]))
    });
    named.unwrap_or((None, path))
}

/// The methods of a door.
const OF_DOORS: &str = "GET, HEAD, OPTIONS, POST";

/// The methods of the index.
const OF_INDEX: &str = "GET, HEAD, OPTIONS";

impl Front {
    /// The answer of the door that the path names.
    pub(super) async fn route(&self, mut request: HttpRequest, asker: &Asker) -> HttpResponse {
        let open = self.plan.load().doors;
        let door = self.doors.iter().find(|door| door.has(&request.path)).filter(|door| door.is_open(open));
        // The root is for people, unless it is posted to or has a query.
        let is_asked = door.is_some() && (request.method == Method::GET && request.query.is_some());
        let is_root = request.path.split('/').nth(1).unwrap_or_default().is_empty();
        let is_index = is_root && request.method != Method::POST && !is_asked;
        if door.is_none() && !is_index {
            let line = "there is nothing here; GET / lists what is served";
            return HttpResponse::text(StatusCode::NOT_FOUND, line);
        }
        // Where a door has the root, it may be posted to.
        let allowed = if door.is_some() { OF_DOORS } else { OF_INDEX };
        let door = door.filter(|_| !is_index);
        let allow = HeaderValue::from_static(allowed);
        if let Some(door) = door.filter(|door| door.has_every_method()) {
            return door.answer(self, &request, asker).await;
        }
        match request.method {
            Method::GET | Method::POST => {}
            Method::HEAD => request.method = Method::GET,
            Method::OPTIONS => {
                return HttpResponse::empty(StatusCode::NO_CONTENT).with(header::ALLOW, allow);
            }
            _ => {
                let line = format!("{} is not supported here, expected {allowed}", request.method);
                return HttpResponse::text(StatusCode::METHOD_NOT_ALLOWED, &line).with(header::ALLOW, allow);
            }
        }
        match door {
            Some(door) => door.answer(self, &request, asker).await,
            None => self.index(open),
        }
    }

    /// The answer of another door to a request that a door makes for its own.
    pub(crate) async fn inside(&self, request: HttpRequest, asker: &Asker) -> HttpResponse {
        self.route(request, asker).await
    }

    /// A refusal of the front in the form of the door that the path names, if that is open.
    pub(super) fn refused(&self, request: &HttpRequest, answer: HttpResponse) -> HttpResponse {
        let open = self.plan.load().doors;
        let door = self.doors.iter().find(|door| door.has(&request.path)).filter(|door| door.is_open(open));
        let Some(door) = door else { return answer };
        let body = answer.body.join();
        let words = String::from_utf8_lossy(body.trim_ascii());
        let words =
            if words.is_empty() { answer.status.canonical_reason().unwrap_or_default() } else { &words };
        door.refused(request, words, answer)
    }

    /// The index, for people.
    fn index(&self, open: HttpDoors) -> HttpResponse {
        let doors = self.doors.iter().filter(|door| door.is_open(open));
        let lines: Vec<&str> = doors.flat_map(|door| door.lines()).copied().collect();
        HttpResponse::text(StatusCode::OK, &lines.join("\n"))
    }
}

/// Whether a request's target is of a form that is answered: a path, or `OPTIONS *` (RFC 9112 section 3.2.4).
///
/// # Errors
/// The answer to all others.
pub(super) fn check_target(request: &HttpRequest) -> Result<(), Box<HttpResponse>> {
    if request.path.starts_with('/') || (request.path == "*" && request.method == Method::OPTIONS) {
        return Ok(());
    }
    let line = "a request's target must begin with /; GET / lists what is served";
    Err(HttpResponse::text(StatusCode::BAD_REQUEST, line).into())
}

/// Whether a path begins with this part.
#[must_use]
pub fn begins_with(path: &str, part: &str) -> bool {
    path.split('/').nth(1) == Some(part)
}

#[cfg(test)]
mod device_tests {
    use super::device_of;

    #[test]
    fn a_device_stands_in_front_of_the_rest() {
        assert_eq!(device_of("/devices/sw1/restconf/data"), (Some("sw1"), "/restconf/data"));
        assert_eq!(device_of("/devices/sw1/"), (Some("sw1"), "/"));
        for path in [
            "/restconf/data",
            "/devices/sw1",
            "/devices//restconf",
            "/devices/a%2Fb/restconf",
            "/devices/../restconf",
        ] {
            assert_eq!(device_of(path), (None, path));
        }
    }
}
