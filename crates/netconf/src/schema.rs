//! Messages against the schema of the base protocol (RFC 6241 appendix B, with the operations of appendix C, RFC 5277 and RFC 5717):
//! which elements, in which order and how often, which attributes and what values.
//!
//! Reading takes what it needs in any order and leaves the rest to whoever carries an operation out; this check refuses what
//! the XML Schema in `tests/schema` refuses, and nothing else. It is one walk over a [`Document`](crate::document::Document) that has
//! been read for its use anyway: `grammar` is the schema as data, `value` the types of texts.

mod grammar;
mod value;

use crate::BASE;
use crate::document::Element;
use crate::error::{Info, Layer, RpcError, Tag};

use self::grammar::{Attributes, Declared, Particle, Type};
use self::value::Simple;

/// Checks a message: a hello, a request, a reply or a notification, from its outermost element on.
///
/// # Errors
/// Why it is not one: the first thing that is wrong, with the tag that RFC 6241 appendix A has for it.
pub fn check(root: Element<'_>) -> Result<(), RpcError> {
    match grammar::global(root) {
        Some(declared) => of_type(root, declared),
        None => Err(RpcError::unknown_element(Layer::Rpc, root)),
    }
}

fn of_type(element: Element<'_>, declared: &Type) -> Result<(), RpcError> {
    match declared {
        Type::Empty => {
            closed(element, &[])?;
            match (element.children().next(), element.text().is_empty()) {
                (Some(child), _) => Err(unexpected(child, None, &[])),
                (None, true) => Ok(()),
                (None, false) => Err(has_text(element)),
            }
        }
        Type::Value(simple, attributes) => {
            closed(element, attributes)?;
            if let Some(child) = element.children().next() {
                return Err(unexpected(child, None, &[]));
            }
            match simple.has(element.text(), element) {
                true => Ok(()),
                false => Err(RpcError::invalid_value(layer(element), element, simple.expected())),
            }
        }
        Type::Anything(attributes) => {
            known(element, attributes)?;
            lax_attributes(element)?;
            element.children().try_for_each(lax)
        }
        Type::Elements(attributes, alternatives) => {
            match attributes {
                Attributes::None => closed(element, &[])?,
                Attributes::Open(attributes) => {
                    known(element, attributes)?;
                    lax_attributes(element)?;
                }
            }
            if !element.text().bytes().all(|it| matches!(it, b' ' | b'\t' | b'\n' | b'\r')) {
                return Err(has_text(element));
            }
            let first = element.children().next();
            let fits = |it: &&&[Particle]| {
                first.is_some_and(|first| it.first().is_some_and(|begin| begin.of(first).is_some()))
            };
            let chosen = alternatives.iter().find(fits).or(alternatives.last());
            sequence(element, chosen.copied().unwrap_or_default())
        }
    }
}

/// The children, in the order of these.
fn sequence(element: Element<'_>, particles: &[Particle]) -> Result<(), RpcError> {
    let mut left = particles.iter();
    // Whether there was one of the expected.
    let (mut expected, mut is_there) = (left.next(), false);
    let mut before: Option<Element<'_>> = None;
    for child in element.children() {
        loop {
            let Some(particle) = expected else { return Err(unexpected(child, before, particles)) };
            let is_open = !is_there || particle.is_repeated;
            match particle.of(child).filter(|_| is_open) {
                Some(Declared::Type(declared)) => of_type(child, declared)?,
                Some(Declared::Elsewhere) => lax(child)?,
                None if is_there || !particle.is_required => {
                    if is_again(child, before) {
                        return Err(unexpected(child, before, &[]));
                    }
                    (expected, is_there) = (left.next(), false);
                    continue;
                }
                None => return Err(missing(element, child, particle)),
            }
            (is_there, before) = (true, Some(child));
            break;
        }
    }
    let missing =
        expected.filter(|it| it.is_required && !is_there).or_else(|| left.find(|it| it.is_required));
    match missing {
        Some(particle) => Err(RpcError::missing_element(layer(element), particle.name(), element.name())),
        None => Ok(()),
    }
}

fn is_again(child: Element<'_>, before: Option<Element<'_>>) -> bool {
    before.is_some_and(|it| it.is(child.namespace(), child.name()))
}

/// An element of whatever schema: what is declared here is checked, wherever it is.
fn lax(element: Element<'_>) -> Result<(), RpcError> {
    if let Some(declared) = grammar::global(element) {
        return of_type(element, declared);
    }
    lax_attributes(element)?;
    element.children().try_for_each(lax)
}

/// Attributes of any names, of which some are declared for all elements.
fn lax_attributes(element: Element<'_>) -> Result<(), RpcError> {
    for attribute in element.attributes() {
        let simple = match (&*attribute.namespace, &*attribute.name) {
            (BASE, "operation") => Simple::Words(&["merge", "replace", "create", "delete", "remove"]),
            (XML, "lang") => Simple::Language,
            (trunkline_xml::XSI, "type" | "nil") => return Err(unknown_attribute(element, &attribute.name)),
            _ => continue,
        };
        value_of_attribute(element, &attribute.name, &attribute.value, simple)?;
    }
    Ok(())
}

/// Attributes that an element must or can have.
fn known(element: Element<'_>, attributes: &[grammar::Attribute]) -> Result<(), RpcError> {
    for known in attributes {
        match element.attribute(known.namespace, known.name) {
            Some(found) => value_of_attribute(element, known.name, found, known.simple)?,
            None if known.is_required => {
                let message = format!("{} needs the attribute {}", element.name(), known.name);
                return Err(about_attribute(element, known.name, Tag::MissingAttribute, message));
            }
            None => {}
        }
    }
    Ok(())
}

/// No attributes but these.
fn closed(element: Element<'_>, attributes: &[grammar::Attribute]) -> Result<(), RpcError> {
    // Most have none.
    for found in element.attributes() {
        let is_known =
            attributes.iter().any(|it| *it.namespace == *found.namespace && *it.name == *found.name);
        let is_hint = &*found.namespace == trunkline_xml::XSI
            && matches!(&*found.name, "schemaLocation" | "noNamespaceSchemaLocation");
        if !is_known && !is_hint {
            return Err(unknown_attribute(element, &found.name));
        }
    }
    known(element, attributes)
}

fn value_of_attribute(element: Element<'_>, name: &str, found: &str, simple: Simple) -> Result<(), RpcError> {
    if simple.has(found, element) {
        return Ok(());
    }
    let message = format!("the attribute {name} of {} must be {}", element.name(), simple.expected());
    Err(about_attribute(element, name, Tag::BadAttribute, message))
}

fn unknown_attribute(element: Element<'_>, name: &str) -> RpcError {
    let message = format!("{} cannot have the attribute {name}", element.name());
    about_attribute(element, name, Tag::UnknownAttribute, message)
}

fn about_attribute(element: Element<'_>, name: &str, tag: Tag, message: String) -> RpcError {
    RpcError::new(layer(element), tag, message)
        .with(Info::BadAttribute(name.to_owned()))
        .with(Info::BadElement(element.name().to_owned()))
}

/// A child where another one must be.
fn missing(element: Element<'_>, child: Element<'_>, particle: &Particle) -> RpcError {
    match particle.is_of_another_namespace(child) || particle.is_choice() {
        true => unexpected(child, None, std::slice::from_ref(particle)),
        false => RpcError::missing_element(layer(element), particle.name(), element.name()),
    }
}

/// A child that cannot be behind the one before, among these.
fn unexpected(child: Element<'_>, before: Option<Element<'_>>, particles: &[Particle]) -> RpcError {
    if is_again(child, before) {
        return RpcError::given_twice(layer(child), child);
    }
    let error = RpcError::unknown_element(layer(child), child);
    match particles.iter().any(|it| it.is_of_another_namespace(child)) {
        true => RpcError { tag: Tag::UnknownNamespace, ..error }
            .with(Info::BadNamespace(child.namespace().to_owned())),
        false => error,
    }
}

fn has_text(element: Element<'_>) -> RpcError {
    let message = format!("{} cannot contain text", element.name());
    RpcError::new(layer(element), Tag::BadElement, message).with(Info::BadElement(element.name().to_owned()))
}

/// Where an error of an element belongs: the message itself and its operation, or within one.
fn layer(element: Element<'_>) -> Layer {
    match element.parent().and_then(Element::parent) {
        None => Layer::Rpc,
        Some(_) => Layer::Protocol,
    }
}

/// The namespace of `xml:lang`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";
