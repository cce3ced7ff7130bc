//! `edit-config` as requests: a merge is one PATCH of the datastore, one other operation the method that does it, and several are a YANG
//! Patch (RFC 8072), which the server carries out as one transaction.

use trunkline_xml::Writer;

use super::place::Place;
use super::{DATA_XML, Method, PATCH_XML, RESTCONF, Request, Server, Then, copy, refused};
use crate::BASE;
use crate::document::Element;
use crate::error::{Layer, RpcError};
use crate::operation::{DefaultOperation, ErrorOption, TestOption};

/// The namespace of `ietf-yang-patch`.
const PATCH: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-patch";

/// A part of an edit.
struct Part<'d> {
    operation: &'d str,
    place: String,
    /// What it is in.
    parent: String,
    element: Element<'d>,
    /// What of the element belongs to it: all, or the keys and what has no operation.
    is_whole: bool,
}

pub(super) fn requests(operation: Element<'_>, server: Server<'_>) -> Result<Vec<Request>, Vec<RpcError>> {
    let word = |name: &str| operation.child(BASE, name).map(Element::value);
    if word("test-option").is_some_and(|it| TestOption::WORDS.contains(&(it, TestOption::TestOnly))) {
        return Err(refused("RESTCONF cannot test an edit without making it; use NETCONF for it"));
    }
    if word("error-option").is_some_and(|it| ErrorOption::WORDS.contains(&(it, ErrorOption::ContinueOnError)))
    {
        return Err(refused(
            "RESTCONF makes an edit wholly or not at all, and cannot continue on errors: use NETCONF for it",
        ));
    }
    let Some(config) = operation.child(BASE, "config") else {
        return Err(vec![RpcError::missing_element(Layer::Protocol, "config", "edit-config")]);
    };
    let default = word("default-operation").unwrap_or("merge");
    let has_operations = config.children().any(has_operation);
    if !has_operations && default != "none" {
        return Ok(vec![whole(config, default)]);
    }
    if !DefaultOperation::WORDS.iter().any(|(word, _)| *word == default && *word != "replace") {
        return Err(refused("RESTCONF cannot replace the datastore and do more in one edit: send two edits"));
    }
    let mut parts = Vec::new();
    for element in config.children() {
        collect(element, default, &Place::datastore(server), &mut parts)?;
    }
    match &parts[..] {
        [] => Ok(Vec::new()),
        // PATCH creates nothing, and a merge does.
        [only] if only.is_whole && !(only.operation == "merge" && server.has_patch) => Ok(vec![alone(only)]),
        _ if server.has_patch => Ok(vec![patch(&parts)]),
        _ => Err(refused(
            "the server has no YANG Patch (RFC 8072), so an edit has one operation: send each in an edit of its own",
        )),
    }
}

/// The configuration as a whole.
fn whole(config: Element<'_>, default: &str) -> Request {
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("data").attribute("xmlns", RESTCONF).raw(b"");
    config.children().for_each(|child| copy(child, Some(RESTCONF), &mut writer));
    writer.end("data");
    let method = if default == "replace" { Method::Put } else { Method::Patch };
    Request { method, target: "/data".into(), body: Some((octets, DATA_XML)), then: Then::Done }
}

fn operation_of<'d>(element: Element<'d>) -> Option<&'d str> {
    element.attribute(BASE, "operation")
}

fn has_operation(element: Element<'_>) -> bool {
    operation_of(element).is_some() || element.children().any(has_operation)
}

/// Collects the parts of an edit, each before what is in it.
fn collect<'d>(
    element: Element<'d>,
    inherited: &'d str,
    outer: &Place<'_>,
    parts: &mut Vec<Part<'d>>,
) -> Result<(), Vec<RpcError>> {
    let operation = operation_of(element).unwrap_or(inherited);
    let has_others = element.children().any(has_operation);
    let mut place = outer.clone();
    let keys = keys_of(element, outer, operation != "none" || has_others)?;
    if !place.step(element, &keys) {
        let message = format!("the server has no module with the namespace \"{}\"", element.namespace());
        return Err(refused(message));
    }
    let part = |is_whole| Part {
        operation,
        place: place.path.clone(),
        parent: outer.path.clone(),
        element,
        is_whole,
    };
    match (operation, has_others) {
        ("none", false) => return Ok(()),
        ("none", true) => {}
        (_, false) => {
            parts.push(part(true));
            return Ok(());
        }
        ("merge", true) => {
            let has_own = |it: Element<'_>| !has_operation(it) || !keys.is_empty();
            if element.children().any(has_own) {
                parts.push(part(false));
            }
        }
        (other, true) => {
            let message = format!(
                "{} has the operation {other}, and something in it another one, which RESTCONF cannot do at the same time: send two edits",
                element.name()
            );
            return Err(refused(message));
        }
    }
    for child in element.children().filter(|it| has_operation(*it)) {
        collect(child, operation, &place, parts)?;
    }
    Ok(())
}

/// The elements with the values of the keys, if it is an entry.
fn keys_of<'d>(
    element: Element<'d>,
    outer: &Place<'_>,
    is_named: bool,
) -> Result<Vec<Element<'d>>, Vec<RpcError>> {
    let forest = outer.forest();
    let Some(node) = outer.child(element) else {
        if is_named && element.has_children() {
            let message = format!(
                "whether {} is a list, and which keys it has, is not known here: merge what it is in (without operations), or use NETCONF",
                element.name()
            );
            return Err(refused(message));
        }
        return Ok(Vec::new());
    };
    let key = |key| {
        let (name, namespace) = (&forest[key].name, &forest.module(key).namespace);
        let missing = || vec![RpcError::missing_element(Layer::Application, name, element.name())];
        element.child(namespace, name).ok_or_else(missing)
    };
    forest.keys(node).map(key).collect()
}

/// The request that does one part.
fn alone(part: &Part<'_>) -> Request {
    let body = || {
        let mut octets = Vec::new();
        copy(part.element, Some(""), &mut Writer::new(&mut octets));
        Some((octets, DATA_XML))
    };
    let (method, target, body, then) = match part.operation {
        "create" => (Method::Post, part.parent.clone(), body(), Then::Done),
        "replace" => (Method::Put, part.place.clone(), body(), Then::Done),
        "delete" => (Method::Delete, part.place.clone(), None, Then::Done),
        "remove" => (Method::Delete, part.place.clone(), None, Then::Removed),
        _ => (Method::Patch, part.place.clone(), body(), Then::Done),
    };
    Request { method, target, body, then }
}

/// All parts as a YANG Patch.
fn patch(parts: &[Part<'_>]) -> Request {
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("yang-patch").attribute("xmlns", PATCH).leaf("patch-id", "edit-config");
    for (at, part) in parts.iter().enumerate() {
        let target = part.place.strip_prefix("/data").unwrap_or_default();
        writer.start("edit").leaf("edit-id", &(at + 1).to_string());
        writer.leaf("operation", part.operation).leaf("target", target);
        if !matches!(part.operation, "delete" | "remove") {
            writer.start("value");
            match part.is_whole {
                true => copy(part.element, Some(PATCH), &mut writer),
                false => own(part.element, Some(PATCH), &mut writer),
            }
            writer.end("value");
        }
        writer.end("edit");
    }
    writer.end("yang-patch");
    Request {
        method: Method::Patch,
        target: "/data".into(),
        body: Some((octets, PATCH_XML)),
        then: Then::Done,
    }
}

/// An element without what has an operation of its own.
fn own(element: Element<'_>, outer: Option<&str>, writer: &mut Writer<'_>) {
    let namespace = element.namespace();
    super::start(element, outer, writer);
    writer.raw(b"");
    for child in element.children().filter(|it| !has_operation(*it)) {
        copy(child, Some(namespace), writer);
    }
    writer.end(element.name());
}
