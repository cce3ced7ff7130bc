//! A message as a tree that can be changed at any place.

use trunkline_netconf::document::{Document, Element, limits};

/// An element, with all that is in it.
#[derive(Clone, Debug)]
pub struct Tree {
    namespace: String,
    name: String,
    attributes: Vec<(String, String, String)>,
    text: String,
    children: Vec<Tree>,
}

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const NAMESPACES: [&str; 6] = [
    BASE,
    "urn:ietf:params:xml:ns:netconf:notification:1.0",
    "urn:ietf:params:xml:ns:netconf:partial-lock:1.0",
    "urn:other",
    "",
    "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda",
];
const NAMES: &[&str] = &[
    "rpc",
    "rpc-reply",
    "hello",
    "capabilities",
    "capability",
    "session-id",
    "get",
    "get-config",
    "edit-config",
    "copy-config",
    "delete-config",
    "lock",
    "unlock",
    "close-session",
    "kill-session",
    "commit",
    "cancel-commit",
    "discard-changes",
    "validate",
    "filter",
    "source",
    "target",
    "running",
    "candidate",
    "startup",
    "url",
    "config",
    "default-operation",
    "test-option",
    "error-option",
    "confirmed",
    "confirm-timeout",
    "persist",
    "persist-id",
    "ok",
    "data",
    "rpc-error",
    "error-type",
    "error-tag",
    "error-severity",
    "error-message",
    "error-info",
    "bad-element",
    "bad-attribute",
    "bad-namespace",
    "notification",
    "eventTime",
    "create-subscription",
    "stream",
    "startTime",
    "stopTime",
    "partial-lock",
    "select",
    "partial-unlock",
    "lock-id",
    "other",
];
const TEXTS: &[&str] = &[
    "",
    " ",
    "\n\t",
    "text",
    "0",
    "1",
    " 42 ",
    "4294967295",
    "4294967296",
    "00001",
    "+1",
    "-1",
    "-0",
    "1.0",
    "1e3",
    "merge",
    "replace",
    " merge",
    "none",
    "delete",
    "test-only",
    "set",
    "stop-on-error",
    "rpc",
    "error",
    "warning",
    "too-big",
    "urn:a",
    "a b",
    "http://[::1]:830/",
    "http://h:99/x",
    "http://h:9x/",
    "//h/p",
    "a:b",
    "1:b",
    "#a",
    "#a#b",
    "%41",
    "%4",
    "a?b?c",
    "ü",
    "{a}",
    "a\"b",
    "a\\b",
    "http://u@h@i/",
    "mailto:a@b",
    ":a",
    "a/b:c",
    "?:",
    "http://",
    "2026-11-28T07:50:00Z",
    " 2026-11-28T07:50:00Z ",
    "2026-11-28T07:50:00",
    "2026-11-31T07:50:00Z",
    "2026-02-29T00:00:00Z",
    "2024-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-11-28T24:00:00Z",
    "2026-11-28T24:00:01Z",
    "2026-11-28T07:50:60Z",
    "2026-11-28T07:50:00.Z",
    "2026-11-28T07:50:00.123+01:00",
    "2026-11-28T07:50:00+14:01",
    "2026-11-28T07:50:00+1:00",
    "2026-11-28",
    "0000-01-01T00:00:00Z",
    "-2026-11-28T07:50:00Z",
    "12026-11-28T07:50:00Z",
    "02026-11-28T07:50:00Z",
    "226-11-28T07:50:00Z",
    "2026-1-28T07:50:00Z",
    "2026-11-28t07:50:00z",
    "n:a",
    "nc:a",
    "a:b:c",
    "-a",
    "a-b.c_d",
    "_",
    "nc:",
    "en",
    "en-GB",
    "x",
    "subtree",
    "xpath",
];
const ATTRIBUTES: &[(&str, &str)] = &[
    ("", "message-id"),
    ("", "type"),
    ("", "select"),
    ("", "odd"),
    (BASE, "operation"),
    (BASE, "type"),
    ("http://www.w3.org/XML/1998/namespace", "lang"),
    ("urn:other", "operation"),
    ("http://www.w3.org/2001/XMLSchema-instance", "schemaLocation"),
];

impl Tree {
    /// Reads a document.
    pub fn read(text: &str) -> Tree {
        Tree::of(Document::read(text.as_bytes(), limits(100_000)).unwrap().root())
    }

    fn of(element: Element<'_>) -> Tree {
        let attribute = |it: &trunkline_netconf::document::Attribute| {
            (it.namespace.to_string(), it.name.to_string(), it.value.to_string())
        };
        Tree {
            namespace: element.namespace().to_owned(),
            name: element.name().to_owned(),
            attributes: element.attributes().iter().map(attribute).collect(),
            text: element.text().to_owned(),
            children: element.children().map(Tree::of).collect(),
        }
    }

    fn count(&self) -> usize {
        1 + self.children.iter().map(Tree::count).sum::<usize>()
    }

    fn at(&mut self, place: usize) -> &mut Tree {
        let mut left = place;
        let mut found = self;
        loop {
            if left == 0 {
                return found;
            }
            left -= 1;
            let mut next = 0;
            while left >= found.children[next].count() {
                left -= found.children[next].count();
                next += 1;
            }
            found = &mut found.children[next];
        }
    }

    /// Changes something, as these numbers say.
    pub fn mutate(&mut self, [place, what, which]: [u16; 3]) {
        let (place, which) = (usize::from(place) % self.count(), usize::from(which));
        let other = (which % self.count(), which / 7 % 3);
        let copied = self.at(other.0).clone();
        let it = self.at(place);
        let children = it.children.len();
        match what % 12 {
            0 if children > 0 => drop(it.children.remove(which % children)),
            1 if children > 0 => {
                it.children.insert(which % children, it.children[which / 5 % children].clone())
            }
            2 if children > 1 => it.children.swap(which % children, which / 5 % children),
            3 if copied.count() < 30 => it.children.insert(which / 3 % (children + 1), copied),
            4 => it.name = NAMES[which % NAMES.len()].to_owned(),
            5 => it.namespace = NAMESPACES[which % NAMESPACES.len()].to_owned(),
            6 | 7 => it.text = TEXTS[which % TEXTS.len()].to_owned(),
            8 => {
                let (namespace, name) = ATTRIBUTES[which % ATTRIBUTES.len()];
                it.attributes.retain(|(known, its, _)| known != namespace || its != name);
                it.attributes.push((
                    namespace.to_owned(),
                    name.to_owned(),
                    TEXTS[which / 9 % TEXTS.len()].to_owned(),
                ));
            }
            9 if !it.attributes.is_empty() => drop(it.attributes.remove(which % it.attributes.len())),
            10 if !it.attributes.is_empty() => {
                let at = which % it.attributes.len();
                it.attributes[at].2 = TEXTS[which / 5 % TEXTS.len()].to_owned();
            }
            _ => {
                let name = NAMES[which % NAMES.len()].to_owned();
                let text = TEXTS[which / 3 % TEXTS.len()].to_owned();
                let child = Tree {
                    namespace: it.namespace.clone(),
                    name,
                    attributes: vec![],
                    text,
                    children: vec![],
                };
                it.children.insert(which / 7 % (children + 1), child);
            }
        }
    }

    /// Writes the document, in which `nc` is a prefix of NETCONF's namespace.
    pub fn write(&self) -> String {
        let mut text = String::new();
        self.append(&mut text, true);
        text
    }

    fn append(&self, text: &mut String, is_root: bool) {
        text.push_str(&format!("<{} xmlns=\"{}\"", self.name, self.namespace));
        if is_root {
            text.push_str(&format!(" xmlns:nc=\"{BASE}\""));
        }
        for (at, (namespace, name, value)) in self.attributes.iter().enumerate() {
            match namespace.as_str() {
                "" => text.push_str(&format!(" {name}")),
                "http://www.w3.org/XML/1998/namespace" => text.push_str(&format!(" xml:{name}")),
                _ => text.push_str(&format!(" xmlns:a{at}=\"{namespace}\" a{at}:{name}")),
            }
            text.push_str(&format!("=\"{}\"", escaped(value)));
        }
        text.push('>');
        text.push_str(&escaped(&self.text));
        self.children.iter().for_each(|child| child.append(text, false));
        text.push_str(&format!("</{}>", self.name));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
        .replace('\t', "&#9;")
}
