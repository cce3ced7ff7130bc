//! POST, PUT, PATCH and DELETE: each is an edit of running, as over NETCONF.

use trunkline_datastore::Config;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::nmda::Store;
use trunkline_netconf::operation::{self, Content, Datastore, ErrorOption, TestOption};
use trunkline_restconf::edit::{Edit, Method};
use trunkline_restconf::media::Encoding;
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::target::{Target, uri};
use trunkline_restconf::{body, operation as rpc, query};
use trunkline_transport::http::{HeaderValue, HttpResponse, StatusCode, header};
use trunkline_tree::Access;
use trunkline_yang::own::MONITORING;

use super::super::configure::Configuring;
use super::super::{permission, texts};
use super::{Request, root_of, seconds};

impl Request<'_> {
    /// The answer to a change of a resource in a datastore.
    pub(super) async fn change(
        &self,
        held: Datastore,
        store: Option<Store>,
        target: Target,
    ) -> Result<HttpResponse, Refusal> {
        let door = &self.restconf.door;
        let forest = &door.models().forest;
        let method = self.method();
        let query = self.http.query.as_deref();
        let order = match method {
            Method::Create | Method::CreateNamed | Method::Replace => query::insertion(query)?,
            _ => query::none(query).map(|()| None)?,
        };
        // Who may change nothing does not learn what is wrong with a change.
        let configuring = Configuring::of(&self.place, door, self.principal.as_principal())?;
        let parent = if method == Method::Create { target.node() } else { target.parent().node() };
        let document = match method {
            Method::Delete => None,
            _ => {
                let encoding = Encoding::of_body(self.http.header(header::CONTENT_TYPE))?;
                Some(body::read(&self.http.body, encoding, parent, forest)?)
            }
        };
        let edit = Edit::of(method, &target, document.as_ref().map(Document::root), order.as_ref(), forest)?;
        let request = Document::read(&edit.xml, limits(edit.xml.len()))
            .map_err(|error| Refusal::bad(&error.to_string()))?;
        let given = operation::Edit {
            target: operation::Place::Datastore(held),
            content: Content::Config(request.root()),
            default_operation: edit.default,
            test_option: TestOption::TestThenSet,
            error_option: ErrorOption::RollbackOnError,
        };
        let resource = &edit.resource;
        let condition = |all: &Config, access: &Access| {
            let before = &permission::readable(forest, all, access);
            let needed = match method {
                Method::CreateNamed | Method::Replace => target.parent(),
                _ => target.clone(),
            };
            if let Some(missing) = needed.missing_in(before, forest) {
                return Err(missing);
            }
            // A container that is there only because of what is in it, and has nothing.
            if method == Method::Delete && target.find(before).is_none() {
                return Err(target.missing_of("in the configuration", forest));
            }
            let conditions = self.conditions();
            if !conditions.are_none() {
                let tag = self.tag_before(&target, held, (all, before), access);
                conditions.check(tag, seconds(self.modified(held, all)))?;
            }
            Ok(resource.find(before).is_some())
        };
        let (existed, after) = configuring.edit_if(given, condition).await?;
        let is_created = match method {
            Method::Create | Method::CreateNamed => true,
            _ => method == Method::Replace && !existed,
        };
        let status = if is_created { StatusCode::CREATED } else { StatusCode::NO_CONTENT };
        let answer = HttpResponse::empty(status);
        if method == Method::Delete {
            return Ok(answer);
        }
        let modified = self.modified(held, &after);
        let tag = self.tag_of(resource, &after);
        let answer = self.tagged(answer, tag, modified);
        if method != Method::Create {
            return Ok(answer);
        }
        let location = format!("{}{}{}", self.base(), root_of(store), uri(resource, forest));
        Ok(match HeaderValue::from_str(&location) {
            Ok(location) => answer.with(header::LOCATION, location),
            Err(_) => answer,
        })
    }

    /// What is done.
    fn method(&self) -> Method {
        match self.http.method.as_str() {
            "POST" => Method::Create,
            // What must not be there is created, as over NETCONF: of what the client may not read that says nothing.
            "PUT" if self.conditions().are_of_nothing() => Method::CreateNamed,
            "PUT" => Method::Replace,
            "PATCH" => Method::Merge,
            _ => Method::Delete,
        }
    }

    /// The answer to `get-schema` (RFC 6022 section 3.1).
    pub(super) async fn get_schema(&self) -> Result<HttpResponse, Refusal> {
        query::none(self.http.query.as_deref())?;
        let (module, namespace) = (MONITORING.name, MONITORING.namespace);
        let encoding = Encoding::of_body(self.http.header(header::CONTENT_TYPE))?;
        let input = rpc::input(&self.http.body, encoding, module, namespace)?;
        let given =
            |name: &str| input.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        if let Some((name, _)) =
            input.iter().find(|(name, _)| !matches!(name.as_str(), "identifier" | "version" | "format"))
        {
            let name: String = name.chars().take(40).collect();
            return Err(Refusal::bad(&format!("get-schema has no parameter {name}")));
        }
        let identifier = given("identifier").ok_or_else(|| Refusal::bad("get-schema needs an identifier"))?;
        let text = texts::text(&self.restconf.door, identifier, given("version"), given("format")).await?;
        Ok(self.whole(rpc::output("data", &text, self.encoding, module, namespace)))
    }
}
