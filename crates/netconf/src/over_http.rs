//! Operations of NETCONF as requests of RESTCONF (RFC 8040), for a client: what reads and changes data over SSH does so over HTTP.
//!
//! [`requests`] says what is sent for an operation, [`reply`] makes one reply of the answers. What only a session has (locks, the
//! candidate, commits) is refused here.

mod edit;
pub mod events;
mod filter;
mod place;
pub mod reply;
pub mod root;

use crate::document::Element;
use crate::error::{Layer, RpcError, Tag};
use crate::modules::Modules;
use crate::{BASE, NOTIFICATION, WITH_DEFAULTS};
use trunkline_xml::Writer;
use trunkline_yang::forest::Forest;

pub use self::place::encode;

/// The namespace of `ietf-restconf`.
pub const RESTCONF: &str = "urn:ietf:params:xml:ns:yang:ietf-restconf";
/// The media type of data.
pub const DATA_XML: &str = "application/yang-data+xml";
/// The media type of a YANG Patch (RFC 8072).
pub const PATCH_XML: &str = "application/yang-patch+xml";

/// What is known of a server.
#[derive(Clone, Copy, Debug)]
pub struct Server<'s> {
    /// Its modules.
    pub modules: &'s Modules,
    /// The models that are known here: their lists have known keys.
    pub forest: &'s Forest,
    /// Whether it has the query parameter `fields`.
    pub has_fields: bool,
    /// Whether it takes YANG Patches.
    pub has_patch: bool,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// It reads.
    Get,
    /// It creates, or carries out an operation.
    Post,
    /// It replaces.
    Put,
    /// It merges.
    Patch,
    /// It deletes.
    Delete,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path and the query behind the root of RESTCONF.
    pub target: String,
    /// The body and its media type.
    pub body: Option<(Vec<u8>, &'static str)>,
    /// What becomes of the answer.
    pub then: Then,
}

/// What becomes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// Its resource is data.
    Data(Around),
    /// Its `output` is the reply.
    Output,
    /// It says only whether the request was carried out.
    Done,
    /// The same, and what is deleted need not be there.
    Removed,
}

/// What a resource is in, as far as the answer does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// The tags before the resource; `None`: the resource is the datastore.
    pub begin: Option<Vec<u8>>,
    /// The tags behind it.
    pub end: Vec<u8>,
    /// The content of the filter that has to be applied to the data, if the server does not do all of it.
    pub filter: Option<Vec<u8>>,
}

/// The requests for an operation, in their order. None: there is nothing to do.
///
/// # Errors
/// RESTCONF cannot do it.
pub fn requests(operation: Element<'_>, server: Server<'_>) -> Result<Vec<Request>, Vec<RpcError>> {
    match (operation.namespace(), operation.name()) {
        (BASE, "get") => reads(operation, None, server),
        (BASE, "get-config") => {
            running(operation, "source")?;
            reads(operation, Some("content=config"), server)
        }
        (BASE, "edit-config") => {
            running(operation, "target")?;
            edit::requests(operation, server)
        }
        (BASE, "close-session") => Ok(Vec::new()),
        (BASE, name) => Err(only_netconf(name)),
        (NOTIFICATION, name) => Err(only_netconf(name)),
        _ => invoked(operation, server),
    }
}

fn only_netconf(name: &str) -> Vec<RpcError> {
    let message = format!(
        "RESTCONF has no {name}: it has one datastore, which each edit changes at once (RFC 8040 section 1.4); use NETCONF for it"
    );
    vec![RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message)]
}

fn refused(message: impl Into<String>) -> Vec<RpcError> {
    vec![RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message)]
}

/// RESTCONF has one datastore, which acts like `running`.
fn running(operation: Element<'_>, role: &str) -> Result<(), Vec<RpcError>> {
    match operation.child(BASE, role).and_then(|it| it.children().next()) {
        Some(store) if store.is(BASE, "running") => Ok(()),
        Some(store) => Err(refused(format!(
            "RESTCONF has one datastore, which is running, and no {}: use NETCONF for it",
            store.name()
        ))),
        None => Err(vec![RpcError::missing_element(Layer::Protocol, role, operation.name())]),
    }
}

fn reads(
    operation: Element<'_>,
    content: Option<&str>,
    server: Server<'_>,
) -> Result<Vec<Request>, Vec<RpcError>> {
    let defaults = operation.child(WITH_DEFAULTS, "with-defaults");
    let defaults = defaults.map(|it| format!("with-defaults={}", it.value()));
    let more: Vec<&str> = content.into_iter().chain(defaults.as_deref()).collect();
    let Some(filter) = operation.child(BASE, "filter") else {
        return Ok(vec![filter::everything(&more)]);
    };
    if filter.attribute("", "type") == Some("xpath") || filter.attribute(BASE, "type") == Some("xpath") {
        return Err(refused("RESTCONF selects by paths and not by XPath: use a path, or NETCONF"));
    }
    Ok(filter.children().map(|wanted| filter::request(wanted, &more, server)).collect())
}

/// An operation of a module (RFC 8040 section 4.4.2).
fn invoked(operation: Element<'_>, server: Server<'_>) -> Result<Vec<Request>, Vec<RpcError>> {
    let (namespace, name) = (operation.namespace(), operation.name());
    let module = server.modules.name(namespace).ok_or_else(|| {
        let message = format!("the server has no module with the namespace \"{namespace}\" of {name}");
        vec![RpcError::new(Layer::Protocol, Tag::UnknownNamespace, message)]
    })?;
    let body = operation.has_children().then(|| {
        let mut octets = Vec::new();
        let mut writer = Writer::new(&mut octets);
        writer.start("input").attribute("xmlns", namespace);
        operation.children().for_each(|child| copy(child, Some(namespace), &mut writer));
        writer.end("input");
        (octets, DATA_XML)
    });
    let target = format!("/operations/{module}:{name}");
    Ok(vec![Request { method: Method::Post, target, body, then: Then::Output }])
}

/// Writes an element and what is in it, without its attributes.
pub fn write(element: Element<'_>, octets: &mut Vec<u8>) {
    copy(element, Some(""), &mut Writer::new(octets));
}

/// Whether the content of a filter selects something of what is in an element.
#[must_use]
pub fn selects(filter: Element<'_>, data: Element<'_>) -> bool {
    filter::pruned(filter, data, &mut Writer::new(&mut Vec::new()))
}

/// Writes an element and what is in it, without its attributes. `outer`: the default namespace around it.
pub(crate) fn copy(element: Element<'_>, outer: Option<&str>, writer: &mut Writer<'_>) {
    start(element, outer, writer);
    if element.has_children() {
        let namespace = element.namespace();
        element.children().for_each(|child| copy(child, Some(namespace), writer));
    } else {
        writer.text(element.text());
    }
    writer.end(element.name());
}

/// Its start tag, with the declaration of a prefix that its value may have.
fn start(element: Element<'_>, outer: Option<&str>, writer: &mut Writer<'_>) {
    let namespace = element.namespace();
    writer.start(element.name());
    if outer != Some(namespace) {
        writer.attribute("xmlns", namespace);
    }
    let prefix = element.value().split_once(':').map(|(prefix, _)| prefix);
    if let Some((prefix, declared)) = prefix
        .filter(|it| !it.is_empty() && !it.contains(['/', '[', ' ']))
        .and_then(|it| Some((it, element.resolve(it)?)))
    {
        writer.attribute(&format!("xmlns:{prefix}"), declared);
    }
}

#[cfg(test)]
mod tests;
