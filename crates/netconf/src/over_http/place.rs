//! Where a resource is, as it grows: its path for the request line, and the tags around what an answer has of it.

use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};

use super::{Around, Server, start};
use crate::document::Element;

/// A resource, from the datastore on.
#[derive(Clone)]
pub(super) struct Place<'s> {
    server: Server<'s>,
    /// The node, as far as it is known here; `None` of the datastore.
    pub node: Option<NodeId>,
    /// The namespace of the last step.
    namespace: Option<String>,
    /// Behind the root of RESTCONF.
    pub path: String,
    begin: Vec<u8>,
    end: Vec<u8>,
    /// The begin and the end of what is around the last step.
    around: (Vec<u8>, Vec<u8>),
}

impl<'s> Place<'s> {
    pub fn datastore(server: Server<'s>) -> Self {
        let (node, namespace, path) = (None, None, "/data".to_owned());
        Place {
            server,
            node,
            namespace,
            path,
            begin: Vec::new(),
            end: Vec::new(),
            around: Default::default(),
        }
    }

    pub fn is_datastore(&self) -> bool {
        self.namespace.is_none()
    }

    pub fn forest(&self) -> &'s Forest {
        self.server.forest
    }

    /// The node of a child, if it is known here.
    pub fn child(&self, element: Element<'_>) -> Option<NodeId> {
        match (self.node, self.is_datastore()) {
            (None, false) => None,
            (node, _) => self.forest().child_in(node, element.namespace(), element.name()),
        }
    }

    /// The name of a child in a path or in `fields`; `None`: the server has no such module.
    pub fn name(&self, element: Element<'_>) -> Option<String> {
        qualified(element, self.namespace.as_deref(), self.server)
    }

    /// Goes to a child; `keys`: the elements with the values of its keys. Returns whether the server has its module.
    pub fn step(&mut self, element: Element<'_>, keys: &[Element<'_>]) -> bool {
        let Some(name) = self.name(element) else { return false };
        self.node = self.child(element);
        self.path.push('/');
        self.path.push_str(&name);
        for (at, key) in keys.iter().enumerate() {
            self.path.push(if at == 0 { '=' } else { ',' });
            encode(&self.key(*key), &mut self.path);
        }
        self.around = (self.begin.clone(), self.end.clone());
        let mut writer = Writer::new(&mut self.begin);
        start(element, self.namespace.as_deref(), &mut writer);
        for key in keys {
            start(*key, Some(element.namespace()), &mut writer);
            writer.text(key.value()).end(key.name());
        }
        writer.raw(b"");
        let mut end = Vec::new();
        Writer::new(&mut end).end(element.name());
        end.extend_from_slice(&self.end);
        self.end = end;
        self.namespace = Some(element.namespace().to_owned());
        true
    }

    /// The value of a key in a path: an identity has the name of its module (RFC 7951 section 6.8).
    fn key(&self, key: Element<'_>) -> String {
        let value = key.value();
        let identity = value.split_once(':').and_then(|(prefix, name)| {
            let module = self.server.modules.name(key.resolve(prefix)?)?;
            Some(format!("{module}:{name}"))
        });
        identity.unwrap_or_else(|| value.to_owned())
    }

    /// What is around the answer with this resource.
    pub fn around(self, filter: Option<Vec<u8>>) -> Around {
        match self.is_datastore() {
            true => Around { begin: None, end: Vec::new(), filter },
            false => Around { begin: Some(self.around.0), end: self.around.1, filter },
        }
    }
}

/// A name with its module, where that is not the one around.
pub(super) fn qualified(element: Element<'_>, outer: Option<&str>, server: Server<'_>) -> Option<String> {
    if outer == Some(element.namespace()) {
        return Some(element.name().to_owned());
    }
    let module = server.modules.name(element.namespace())?;
    Some(format!("{module}:{}", element.name()))
}

/// Appends a value with escapes for all that is not unreserved (RFC 3986 section 2.3).
pub fn encode(text: &str, out: &mut String) {
    for octet in text.bytes() {
        match octet {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(octet));
            }
            _ => out.push_str(&format!("%{octet:02X}")),
        }
    }
}
