//! The body of a request as elements: XML as it is, JSON (RFC 7951) as the XML that says the same.

use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::json::JsonForm;

use crate::RESTCONF;
use crate::json::Json;
use crate::media::Encoding;
use crate::refusal::Refusal;
use crate::target::child;

/// Reads a body whose only element is in `parent`; for none it is outermost, or `data`, which stands for the datastore.
///
/// # Errors
/// 400: it is not well-formed, or in JSON not what the model has.
pub fn read(
    octets: &[u8],
    encoding: Encoding,
    parent: Option<NodeId>,
    forest: &Forest,
) -> Result<Document, Refusal> {
    if octets.trim_ascii().is_empty() {
        return Err(Refusal::bad("a body is missing"));
    }
    match encoding {
        Encoding::Xml => document(octets),
        Encoding::Json => of_json(&Json::read(octets)?, parent, forest),
    }
}

/// The same of JSON that is read already.
///
/// # Errors
/// As [`read`].
pub fn of_json(json: &Json, parent: Option<NodeId>, forest: &Forest) -> Result<Document, Refusal> {
    document(&xml(json, parent, forest)?)
}

/// The elements of a body.
pub(crate) fn document(octets: &[u8]) -> Result<Document, Refusal> {
    // What arrives has the limits of HTTP.
    Document::read(octets, limits(octets.len().max(1))).map_err(|error| {
        Refusal::from(RpcError::new(Layer::Protocol, Tag::MalformedMessage, error.to_string()))
    })
}

fn xml(json: &Json, parent: Option<NodeId>, forest: &Forest) -> Result<Vec<u8>, Refusal> {
    let Json::Object(members) = json else { return Err(one_member()) };
    let [(name, value)] = &members[..] else { return Err(one_member()) };
    let mut out = Vec::new();
    let mut converter = Converter { forest, out: &mut out };
    match (parent, name.as_str(), value) {
        (None, "ietf-restconf:data", Json::Object(members)) => {
            Writer::new(converter.out).start("data").attribute("xmlns", RESTCONF).raw(b"");
            for (name, value) in members {
                converter.member(None, name, value)?;
            }
            Writer::new(converter.out).end("data");
        }
        (_, _, Json::Array(entries)) if entries.len() != 1 => return Err(one_entry(name, entries.len())),
        _ => converter.member(parent, name, value)?,
    }
    Ok(out)
}

fn one_entry(name: &str, found: usize) -> Refusal {
    let name: String = name.chars().take(80).collect();
    Refusal::bad(&format!(
        "a request is about one entry: the array {name} must have one element, found {found} (PATCH what the list is in to change several)"
    ))
}

fn one_member() -> Refusal {
    Refusal::bad("the body must be an object with one member, the resource: {\"module:name\": ...}")
}

struct Converter<'f, 'o> {
    forest: &'f Forest,
    out: &'o mut Vec<u8>,
}

impl Converter<'_, '_> {
    fn member(&mut self, parent: Option<NodeId>, name: &str, value: &Json) -> Result<(), Refusal> {
        let Some(node) = child(self.forest, parent, name) else {
            let name: String = name.chars().take(80).collect();
            let within = parent.map_or("the datastore", |parent| &self.forest[parent].name);
            let message = format!("{within} has no {name}");
            let error = RpcError::new(Layer::Application, Tag::UnknownElement, message);
            return Err(error.with(Info::BadElement(name)).into());
        };
        match (self.forest[node].place.is_many(), value) {
            (false, value) => self.element(node, value),
            (true, Json::Array(elements)) => elements.iter().try_for_each(|value| self.element(node, value)),
            (true, _) => Err(self.wrong(node, "an array")),
        }
    }

    fn element(&mut self, node: NodeId, value: &Json) -> Result<(), Refusal> {
        let forest = self.forest;
        let place = &forest[node].place;
        let (name, namespace) = (&forest[node].name, &forest.module(node).namespace);
        if place.syntax().is_none() {
            let Json::Object(members) = value else { return Err(self.wrong(node, "an object")) };
            Writer::new(self.out).start(name).attribute("xmlns", namespace).raw(b"");
            for (name, value) in members {
                self.member(Some(node), name, value)?;
            }
            Writer::new(self.out).end(name);
            return Ok(());
        }
        let mut writer = Writer::new(self.out);
        writer.start(name).attribute("xmlns", namespace);
        match (JsonForm::of(place), value) {
            (JsonForm::Text | JsonForm::Union, Json::Text(text)) if !text.chars().all(is_character) => {
                return Err(self.wrong(node, "a string of characters that YANG has"));
            }
            (JsonForm::Number | JsonForm::Union, Json::Number(text))
            | (JsonForm::Text | JsonForm::Union, Json::Text(text)) => writer.text(text),
            (JsonForm::Boolean, Json::Boolean(true)) => writer.text("true"),
            (JsonForm::Boolean, Json::Boolean(false)) => writer.text("false"),
            (JsonForm::Identity, Json::Text(text)) => {
                // Without a module it is one of the leaf's (RFC 7951 section 6.8).
                let (module, identity) = text.split_once(':').unwrap_or((forest.module(node).name, text));
                let of = forest.modules().iter().find(|it| it.name == module);
                let Some(of) = of else { return Err(self.unknown_module(node, module)) };
                writer.attribute("xmlns:m", &of.namespace).text("m:").text(identity)
            }
            (JsonForm::Empty, Json::Array(all)) if all[..] == [Json::Null] => writer.text(""),
            (form, _) => {
                let expected = match form {
                    JsonForm::Number => "a number",
                    JsonForm::Boolean => "true or false",
                    JsonForm::Text | JsonForm::Identity => "a string",
                    JsonForm::Empty => "[null]",
                    JsonForm::Union => "a number or a string",
                };
                return Err(self.wrong(node, expected));
            }
        };
        writer.end(name);
        Ok(())
    }

    fn unknown_module(&self, node: NodeId, module: &str) -> Refusal {
        let module: String = module.chars().take(80).collect();
        let expected = "MODULE:NAME, the name of an identity behind the name of its module";
        let mut refusal = self.wrong(node, expected);
        for message in refusal.errors.iter_mut().filter_map(|error| error.message.as_mut()) {
            message.push_str(&format!("; there is no module {module} here"));
        }
        refusal
    }

    fn wrong(&self, node: NodeId, expected: &str) -> Refusal {
        let name = &self.forest[node].name;
        let message = format!("{name} must be {expected} in JSON (RFC 7951)");
        let error = RpcError::new(Layer::Application, Tag::InvalidValue, message);
        error.with(Info::BadElement(name.clone())).into()
    }
}

/// Whether it is one of YANG's characters, which are XML's (RFC 7950 section 9.4).
const fn is_character(it: char) -> bool {
    matches!(it, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}
