//! The configuration in the page without scripts: leaves are set, and entries of lists are created and removed, by requests of RESTCONF
//! that hold only if nobody else was faster.

use trunkline_browser::form::{Fields, Step};
use trunkline_browser::plain::{AFTER, Change, SaidOfChange, SaidOfEntry, Shown};
use trunkline_browser::schema::{Reads, Rights};
use trunkline_browser::setting::{Leaf, List};
use trunkline_restconf::json::Json;
use trunkline_transport::http::{
    Bytes, HeaderMap, HeaderName, HeaderValue, HttpRequest, HttpResponse, Method, StatusCode, header,
};
use trunkline_yang::forest::Place;

use super::object::Scope;
use super::{Browser, CHANGED, body_of, html, posted_in, see_other, token_of};
use crate::http::{Asker, Front, device_of};

/// A resource of the configuration: its body, and its entity tag.
struct Kept {
    body: Option<Bytes>,
    tag: String,
    /// Whether the client may set it, and not read it.
    is_blind: bool,
    /// What a value of it removes besides.
    others: Vec<String>,
    /// Whether a value is written into what has the choice that the leaf is in, whose entity tag this is then.
    is_in_choice: bool,
}

impl Kept {
    fn change<'c>(&'c self, token: &'c str, given: &'c Fields, said: SaidOfChange<'c>) -> Change<'c> {
        let (tag, is_blind, others) = (self.tag.as_str(), self.is_blind, self.others.as_slice());
        Change { now: self.body.as_deref(), tag, token, is_blind, others, given, said }
    }
}

/// What a request is about, and who asks.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub front: &'a Front,
    pub request: &'a HttpRequest,
    pub asker: &'a Asker,
}

impl Browser {
    /// The page of a leaf that the client may change.
    pub(super) async fn leaf(
        &self,
        asked: Asked<'_>,
        shown: &Shown,
        leaf: &Leaf<'_>,
        (given, said): (&Fields, SaidOfChange<'_>),
    ) -> HttpResponse {
        let kept = match said {
            SaidOfChange::Removal => self.kept(asked, &shown.path(self.forest())).await,
            _ => self.kept_leaf(asked, shown, leaf).await,
        };
        match kept {
            Ok(kept) => {
                let token = token_of(asked.asker);
                html(StatusCode::OK, shown.leaf(self.forest(), leaf, &kept.change(&token, given, said)))
            }
            Err(words) => HttpResponse::text(StatusCode::BAD_GATEWAY, &words),
        }
    }

    /// What a form without scripts does to the configuration; `None`: what it shows is not a part of that.
    pub(super) async fn configure(&self, asked: Asked<'_>, shown: &Shown) -> Option<HttpResponse> {
        let forest = self.forest();
        if device_of(&asked.request.path).0.is_some() {
            return None;
        }
        let (leaf, list) = (shown.setting(forest), shown.list(forest));
        if leaf.is_none() && list.is_none() && !shown.is_entry(forest, &|_| true) {
            return None;
        }
        let scope = match posted_in(asked.front, asked.request, asked.asker) {
            Ok(scope) => scope,
            Err((status, words)) => return Some(HttpResponse::text(status, words)),
        };
        let Ok(given) = Fields::read(&asked.request.body) else {
            return Some(HttpResponse::text(StatusCode::BAD_REQUEST, "The form cannot be read."));
        };
        let may_change = |place: &Place| may_configure(&scope, place);
        let denied = || HttpResponse::text(StatusCode::FORBIDDEN, "Your role may not change this.");
        Some(match (leaf, list) {
            (Some(leaf), _) if may_change(leaf.place()) => {
                self.change_leaf(asked, shown, &leaf, &given).await
            }
            (_, Some(list)) if list.may_change(&may_change) => {
                self.create_entry(asked, shown, &list, (&given, &scope)).await
            }
            (None, None) if shown.is_entry(forest, &may_change) => {
                self.remove_entry(asked, shown, &given).await
            }
            _ => denied(),
        })
    }

    async fn change_leaf(
        &self,
        asked: Asked<'_>,
        shown: &Shown,
        leaf: &Leaf<'_>,
        given: &Fields,
    ) -> HttpResponse {
        let text = given.get(&leaf.name()).unwrap_or_default();
        let body = match given.step {
            Step::Remove => return self.leaf(asked, shown, leaf, (given, SaidOfChange::Removal)).await,
            Step::ApplyRemoval => Ok(None),
            Step::Review | Step::Apply => leaf.body(text).map(Some),
        };
        let body = match body {
            Ok(body) => body,
            Err(error) => {
                let words = format!("{error}.");
                return self.leaf(asked, shown, leaf, (given, SaidOfChange::Wrong(&words))).await;
            }
        };
        if given.step == Step::Review {
            return self.leaf(asked, shown, leaf, (given, SaidOfChange::Review)).await;
        }
        let path = shown.path(self.forest());
        let before = match given.tag.as_deref() {
            Some(tag) => Before::Tagged(tag),
            // Of what the client may not read nothing tells whether it has changed.
            None if is_blind(asked, leaf) => Before::Anything,
            None => Before::Nothing,
        };
        let written = match body {
            None => write(asked, (Method::DELETE, &path), Vec::new(), before).await,
            Some(body) => self.write_leaf(asked, shown, leaf, (text, body, before)).await,
        };
        match written {
            Ok(()) => see_other(&format!("?{AFTER}")),
            Err((status, words)) => {
                let page = self.leaf(asked, shown, leaf, (given, SaidOfChange::Wrong(&words))).await;
                HttpResponse { status, ..page }
            }
        }
    }

    /// Writes a leaf: into what has the choice that it is in, if other cases of that are in use.
    async fn write_leaf(
        &self,
        asked: Asked<'_>,
        shown: &Shown,
        leaf: &Leaf<'_>,
        (text, body, before): (&str, Vec<u8>, Before<'_>),
    ) -> Result<(), (StatusCode, String)> {
        let forest = self.forest();
        let kept = self.kept_leaf(asked, shown, leaf).await;
        let kept = kept.map_err(|words| (StatusCode::BAD_GATEWAY, words))?;
        match shown.choices(forest).filter(|_| kept.is_in_choice) {
            None => write(asked, (Method::PUT, &shown.path(forest)), body, before).await,
            Some(choices) => {
                let body =
                    choices.body(text).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
                write(asked, (Method::PATCH, &choices.path()), body, before).await
            }
        }
    }

    async fn create_entry(
        &self,
        asked: Asked<'_>,
        shown: &Shown,
        list: &List<'_>,
        (given, scope): (&Fields, &Scope),
    ) -> HttpResponse {
        let fields = list.fields(&|place| may_configure(scope, place));
        let entry = match list.entry(given) {
            Ok(entry) => entry,
            Err(error) => {
                let words = format!("{error}.");
                return self.entry(shown, &fields, given, asked.asker, SaidOfEntry::Wrong(&words));
            }
        };
        if given.step != Step::Apply {
            return self.entry(shown, &fields, given, asked.asker, SaidOfEntry::Review);
        }
        match write(asked, (Method::PUT, &entry.path), entry.body, Before::Nothing).await {
            Ok(()) => {
                let up = "../".repeat(shown.path(self.forest()).matches('/').count().saturating_sub(1));
                see_other(&format!("{up}../plain{}", entry.path))
            }
            Err((status, words)) => {
                let words = if status == StatusCode::CONFLICT { THERE_IS_ONE } else { &words };
                let page = self.entry(shown, &fields, given, asked.asker, SaidOfEntry::Wrong(words));
                HttpResponse { status, ..page }
            }
        }
    }

    async fn remove_entry(&self, asked: Asked<'_>, shown: &Shown, given: &Fields) -> HttpResponse {
        let token = token_of(asked.asker);
        let page = |kept: &Kept, said: SaidOfChange<'_>| {
            html(StatusCode::OK, shown.removal(self.forest(), &kept.change(&token, given, said)))
        };
        let path = shown.path(self.forest());
        let kept = match self.kept(asked, &path).await {
            Ok(kept) => kept,
            Err(words) => return HttpResponse::text(StatusCode::BAD_GATEWAY, &words),
        };
        if kept.body.is_none() {
            return page(&kept, SaidOfChange::Wrong("The configuration does not have this entry."));
        }
        if given.step != Step::ApplyRemoval {
            return page(&kept, SaidOfChange::Removal);
        }
        let before = given.tag.as_deref().map_or(Before::Nothing, Before::Tagged);
        match write(asked, (Method::DELETE, &path), Vec::new(), before).await {
            // To the list that it was in.
            Ok(()) => {
                let list = path.rsplit_once('=').map_or(path.as_str(), |(list, _)| list);
                let up = "../".repeat(path.matches('/').count().saturating_sub(1));
                see_other(&format!("{up}../plain{list}"))
            }
            Err((status, words)) => {
                let now = self.kept(asked, &path).await.unwrap_or(kept);
                let page = page(&now, SaidOfChange::Wrong(&words));
                HttpResponse { status, ..page }
            }
        }
    }

    /// Whether the configuration has what is shown.
    pub(super) async fn is_configured(&self, asked: Asked<'_>, shown: &Shown) -> bool {
        self.kept(asked, &shown.path(self.forest())).await.is_ok_and(|kept| kept.body.is_some())
    }

    /// What the configuration has of a leaf, and of other cases of the choices that it is in.
    async fn kept_leaf(&self, asked: Asked<'_>, shown: &Shown, leaf: &Leaf<'_>) -> Result<Kept, String> {
        let forest = self.forest();
        let kept = self.kept(asked, &shown.path(forest)).await?;
        let kept = Kept { is_blind: is_blind(asked, leaf), ..kept };
        let Some(choices) = shown.choices(forest) else { return Ok(kept) };
        let above = self.kept(asked, &choices.path()).await?;
        let others = choices.others(above.body.as_deref(), &|place| is_hidden(asked, place));
        // The tag of what has the choice holds for all its cases. That of a secret is its own.
        let is_in_choice = !others.is_used && !leaf.is_secret() && !above.tag.is_empty();
        let tag = if is_in_choice { above.tag } else { kept.tag };
        Ok(Kept { tag, others: others.lines, is_in_choice, ..kept })
    }

    /// What the configuration has at a path.
    async fn kept(&self, asked: Asked<'_>, path: &str) -> Result<Kept, String> {
        let query = Some("content=config".to_owned());
        let answer = ask(asked, Method::GET, path, (query, Bytes::new()), HeaderMap::new()).await;
        let tag = answer.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
        let tag = tag.unwrap_or_default().to_owned();
        let body = match answer.status {
            // A secret, which nobody reads, has a tag nevertheless.
            StatusCode::NOT_FOUND => None,
            _ => Some(body_of(answer).await?),
        };
        Ok(Kept { body, tag, is_blind: false, others: Vec::new(), is_in_choice: false })
    }
}

/// Whether a client may change a leaf and not read it. A secret is read by nobody, and not meant.
fn is_blind(asked: Asked<'_>, leaf: &Leaf<'_>) -> bool {
    with_rights(asked, |rights| rights.is_blind(leaf.place()))
}

/// The same, or a secret.
fn is_hidden(asked: Asked<'_>, place: &Place) -> bool {
    with_rights(asked, |rights| rights.is_hidden(place))
}

/// With the rights of a client to read what it may change.
fn with_rights<T>(asked: Asked<'_>, of: impl FnOnce(Rights<'_>) -> T) -> T {
    let reader = Scope::of_reader(asked.front, asked.request, asked.asker);
    let reads = |object: &[u32]| reader.as_ref().map_or(Reads::Nothing, |reader| reader.reads(object));
    of(Rights { may_change: &|_| true, reads: &reads })
}

/// Whether a client may change a leaf of the configuration of this machine.
pub(super) fn may_configure(scope: &Scope, place: &Place) -> bool {
    use trunkline_tree::Coverage;
    !scope.is_of_device()
        && place
            .setting()
            .is_some_and(|setting| scope.access().may_write_below(setting.object) != Coverage::None)
}

/// What must be there for a change to be made.
#[derive(Clone, Copy)]
enum Before<'t> {
    /// What has this entity tag.
    Tagged(&'t str),
    Nothing,
    Anything,
}

impl Before<'_> {
    fn condition(self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Before::Tagged(tag) => {
                // What is not a tag is that of nothing.
                let tag = HeaderValue::from_str(tag).unwrap_or(HeaderValue::from_static("\"\""));
                Some((header::IF_MATCH, tag))
            }
            Before::Nothing => Some((header::IF_NONE_MATCH, HeaderValue::from_static("*"))),
            Before::Anything => None,
        }
    }
}

/// Changes a resource, if what must be there is.
///
/// # Errors
/// A status of HTTP, and a sentence.
async fn write(
    asked: Asked<'_>,
    (method, path): (Method, &str),
    body: Vec<u8>,
    before: Before<'_>,
) -> Result<(), (StatusCode, String)> {
    let mut fields: HeaderMap = before.condition().into_iter().collect();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(YANG_JSON));
    let answer = ask(asked, method, path, (None, body.into()), fields).await;
    match answer.status {
        status if status.is_success() => Ok(()),
        StatusCode::PRECONDITION_FAILED => Err((StatusCode::CONFLICT, CHANGED.to_owned())),
        status => {
            let body = answer.body.join();
            let words = message(&body).unwrap_or_else(|| "the agent does not accept this".into());
            Err((status, super::sentence(&words)))
        }
    }
}

/// Has RESTCONF answer in the client's name.
async fn ask(
    asked: Asked<'_>,
    method: Method,
    path: &str,
    (query, body): (Option<String>, Bytes),
    mut fields: HeaderMap<HeaderValue>,
) -> HttpResponse {
    fields.insert(HeaderName::from_static("accept"), HeaderValue::from_static(YANG_JSON));
    let mut request = asked.request.clone();
    request.path = format!("/restconf/data{path}");
    (request.method, request.query, request.body_octets) = (method, query, body.len());
    (request.body, request.headers) = (body, fields);
    asked.front.inside(request, asked.asker).await
}

/// The words of an error of RESTCONF (RFC 8040 section 7.1).
fn message(body: &[u8]) -> Option<String> {
    fn within<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
        match json {
            Json::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            _ => None,
        }
    }
    let json = Json::read(body).ok()?;
    let Json::Array(errors) = within(within(&json, "ietf-restconf:errors")?, "error")? else { return None };
    let first = errors.first()?;
    match within(first, "error-message").or_else(|| within(first, "error-tag"))? {
        Json::Text(words) => Some(words.clone()),
        _ => None,
    }
}

const YANG_JSON: &str = "application/yang-data+json";
const THERE_IS_ONE: &str = "There is such an entry already. Nothing was written.";
