//! Data of a reply as JSON (RFC 7951), for a client. Of nodes of models that are known here the forms are those of their types. Of
//! others JSON cannot be had from XML alone: their values are strings, and only what is there more than once is an array.

use std::collections::BTreeSet;

use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::json::{JsonForm, string};

use crate::document::Element;
use crate::modules::Modules;

/// Data as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonData {
    /// An object.
    pub octets: Vec<u8>,
    /// Modules of which nodes are there whose types are not known here.
    pub unknown: BTreeSet<String>,
}

/// What is in an element. `modules`: those of the server.
#[must_use]
pub fn data(data: Element<'_>, forest: &Forest, modules: &Modules) -> JsonData {
    let mut writer = Writing { forest, modules, octets: Vec::new(), unknown: BTreeSet::new() };
    writer.object(data, Around { node: None, is_known: true, namespace: None });
    JsonData { octets: writer.octets, unknown: writer.unknown }
}

struct Writing<'f> {
    forest: &'f Forest,
    modules: &'f Modules,
    octets: Vec<u8>,
    unknown: BTreeSet<String>,
}

/// What an object stands for.
#[derive(Clone, Copy)]
struct Around<'d> {
    node: Option<NodeId>,
    /// Whether the node is known; `None` stands for the root then.
    is_known: bool,
    /// The namespace of its names.
    namespace: Option<&'d str>,
}

impl Writing<'_> {
    /// The children of an element as members: those of one name together, at the place of the first.
    fn object<'d>(&mut self, element: Element<'d>, around: Around<'d>) {
        let mut members: Vec<(Element<'d>, Vec<Element<'d>>)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for child in element.children() {
            let at = *places.entry((child.namespace(), child.name())).or_insert(members.len());
            match members.get_mut(at) {
                Some((_, all)) => all.push(child),
                None => members.push((child, vec![child])),
            }
        }
        self.octets.push(b'{');
        for (at, (first, all)) in members.iter().enumerate() {
            if at > 0 {
                self.octets.push(b',');
            }
            self.member(*first, all, around);
        }
        self.octets.push(b'}');
    }

    fn member<'d>(&mut self, first: Element<'d>, all: &[Element<'d>], around: Around<'d>) {
        let namespace = first.namespace();
        let node = match around.is_known {
            true => self.forest.child_in(around.node, namespace, first.name()),
            false => None,
        };
        let module = self.modules.name(namespace).unwrap_or(namespace);
        if node.is_none() {
            self.unknown.insert(module.to_owned());
        }
        let name = match around.namespace == Some(namespace) {
            true => first.name().to_owned(),
            false => format!("{module}:{}", first.name()),
        };
        string(&name, &mut self.octets);
        self.octets.push(b':');
        let is_array = node.map_or(all.len() > 1, |node| self.forest[node].place.is_many());
        if is_array {
            self.octets.push(b'[');
        }
        // What a model has once is written once.
        let all = if is_array || node.is_none() { all } else { &all[..1] };
        for (at, element) in all.iter().enumerate() {
            if at > 0 {
                self.octets.push(b',');
            }
            self.value(*element, node, namespace);
        }
        if is_array {
            self.octets.push(b']');
        }
    }

    fn value<'d>(&mut self, element: Element<'d>, node: Option<NodeId>, namespace: &'d str) {
        let place = node.map(|node| &self.forest[node].place);
        let is_leaf = place.map_or(!element.has_children(), |place| place.syntax().is_some());
        if !is_leaf {
            let around = Around { node, is_known: node.is_some(), namespace: Some(namespace) };
            return self.object(element, around);
        }
        let text = element.text();
        let value = element.value();
        match place.map(JsonForm::of) {
            Some(JsonForm::Empty) => self.octets.extend_from_slice(b"[null]"),
            // What is not a number after all stays a string.
            Some(JsonForm::Number) if is_number(value) => self.octets.extend_from_slice(value.as_bytes()),
            Some(JsonForm::Boolean) if matches!(value, "true" | "false") => {
                self.octets.extend_from_slice(value.as_bytes());
            }
            Some(JsonForm::Identity) => {
                string(&self.with_modules(element, value), &mut self.octets);
            }
            _ if place.is_some_and(|place| place.names_nodes()) => {
                string(&self.with_modules(element, value), &mut self.octets);
            }
            _ => string(text, &mut self.octets),
        }
    }

    /// A value with the names of modules instead of its prefixes, outside of quotes (RFC 7951 sections 6.8 and 6.11).
    fn with_modules(&self, element: Element<'_>, value: &str) -> String {
        let mut written = String::with_capacity(value.len());
        let (mut quote, mut word) = (None, 0);
        for (at, it) in value.char_indices() {
            match it {
                '\'' | '"' if quote.is_none_or(|quote| quote == it) => {
                    quote = quote.is_none().then_some(it);
                }
                ':' if quote.is_none() => {
                    let module = element.resolve(&value[word..at]).and_then(|it| self.modules.name(it));
                    if let Some(module) = module {
                        written.truncate(written.len() - (at - word));
                        written.push_str(module);
                    }
                }
                _ => {}
            }
            written.push(it);
            if !(it.is_alphanumeric() || "-_.".contains(it)) {
                word = at + it.len_utf8();
            }
        }
        written
    }
}

/// Whether a text is a number as JSON writes it.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits == "0" || !digits.starts_with('0');
    !digits.is_empty() && is_plain && digits.bytes().all(|it| it.is_ascii_digit()) && digits.len() <= 20
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_yang::own::ALL;
    use trunkline_yang::smiv2;

    use super::*;
    use crate::document::{Document, limits};

    fn forest() -> Forest {
        ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with)
    }

    fn shown(text: &str) -> (String, Vec<String>) {
        let forest = forest();
        let mut modules = Modules::default();
        forest.modules().iter().for_each(|module| modules.add(module.name, &module.namespace));
        modules.add("foreign", "urn:foreign");
        let document = Document::read(text.as_bytes(), limits(100_000)).unwrap();
        let found = data(document.root(), &forest, &modules);
        (String::from_utf8(found.octets).unwrap(), found.unknown.into_iter().collect())
    }

    #[test]
    fn known_nodes_have_the_forms_of_their_types() {
        let text = "<data><interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>a\"b</name>\
                    <type xmlns:x='urn:ietf:params:xml:ns:yang:iana-if-type'>x:other</type><enabled>true</enabled>\
                    <if-index>7</if-index><statistics><in-octets>9</in-octets><in-errors>1</in-errors></statistics>\
                    <ipv4 xmlns='urn:ietf:params:xml:ns:yang:ietf-ip'><mtu>1400</mtu></ipv4></interface></interfaces></data>";
        let expected = r#"{"ietf-interfaces:interfaces":{"interface":[{"name":"a\"b","type":"iana-if-type:other","enabled":true,"if-index":7,"statistics":{"in-octets":"9","in-errors":1},"ietf-ip:ipv4":{"mtu":1400}}]}}"#;
        assert_eq!(shown(text), (expected.to_owned(), vec![]));
        assert_eq!(shown("<data/>").0, "{}");
    }

    #[test]
    fn of_others_values_are_strings_and_what_is_repeated_is_an_array() {
        let text = "<data><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'><contact>x</contact><more xmlns='urn:foreign'>1</more></system>\
                    <top xmlns='urn:foreign'><a>1</a><b><c/></b><a>true</a><d xmlns='urn:other'>z</d></top></data>";
        let expected = r#"{"ietf-system:system":{"contact":"x","foreign:more":"1"},"foreign:top":{"a":["1","true"],"b":{"c":""},"urn:other:d":"z"}}"#;
        assert_eq!(shown(text), (expected.to_owned(), vec!["foreign".into(), "urn:other".into()]));
    }

    proptest! {
        #[test]
        fn any_data_is_json(value in "[^<&\\p{Cc}]{0,10}", name in "[a-z]{1,5}", other in "[a-z]{1,5}") {
            let text = format!("<data><{name} xmlns='urn:foreign'><{other}>{value}</{other}><{name}/></{name}></data>");
            let (json, _) = shown(&text);
            prop_assert_eq!(json.matches('{').count(), json.matches('}').count() + value.matches('{').count() - value.matches('}').count());
        }
    }
}
