//! Nodes of data as XML (RFC 7950 section 7), appended to a buffer as they are found.

use trunkline_smi::ValueRef;
use trunkline_xml::Writer;
use trunkline_yang::annotation::{Annotation, ORIGIN, OWN_ORIGIN, Origin};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::lexical;

use crate::BASE;

/// Writes nodes. Who calls it keeps their order.
#[derive(Debug)]
pub struct DataWriter<'f> {
    forest: &'f Forest,
    /// What was written, until somebody takes it.
    pub octets: Vec<u8>,
    value: String,
    shown: Shown,
    /// What is known of the node that comes next.
    note: Annotation,
    /// The origins of what is open, if they are shown.
    origins: Vec<Option<Origin>>,
    /// Whether the next node is in no other: its namespace is declared.
    is_outermost: bool,
    /// Attributes of the next node, each with a space before it.
    attributes: Option<String>,
}

/// Which annotations are written (RFC 7952). Their prefixes are declared by whoever writes what is around the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Where a node comes from (RFC 8342).
    pub origins: bool,
    /// Which values are defaults (RFC 6243).
    pub defaults: bool,
}

impl Shown {
    /// The declarations that the annotations need, as attributes.
    #[must_use]
    pub fn declarations(self) -> String {
        let mut declared = Vec::new();
        if self.origins {
            declared.extend([ORIGIN, OWN_ORIGIN]);
        }
        if self.defaults {
            declared.push(DEFAULT);
        }
        declared.iter().map(|(prefix, namespace)| format!(" xmlns:{prefix}=\"{namespace}\"")).collect()
    }
}

/// The prefix and the namespace of the attribute `default` (RFC 6243 section 6).
pub const DEFAULT: (&str, &str) = ("wd", "urn:ietf:params:xml:ns:netconf:default:1.0");

impl<'f> DataWriter<'f> {
    /// Begins with what a buffer holds.
    #[must_use]
    pub fn new(forest: &'f Forest, octets: Vec<u8>) -> Self {
        let (value, shown, note) = (String::new(), Shown::default(), Annotation::default());
        let (origins, is_outermost, attributes) = (Vec::new(), false, None);
        DataWriter { forest, octets, value, shown, note, origins, is_outermost, attributes }
    }

    /// Writes these annotations.
    pub fn show(&mut self, shown: Shown) {
        self.shown = shown;
    }

    /// What is known of the node that is written next.
    pub fn note(&mut self, note: Annotation) {
        self.note = note;
    }

    /// The next node has these attributes too: each begins with a space, and their prefixes are declared.
    pub fn attribute(&mut self, attributes: String) {
        self.attributes.get_or_insert_default().push_str(&attributes);
    }

    /// The next node is written alone, without what it is in.
    pub fn outermost(&mut self) {
        self.is_outermost = true;
    }

    /// The nodes that it writes.
    #[must_use]
    pub const fn forest(&self) -> &'f Forest {
        self.forest
    }

    /// A container, or an entry of a list.
    pub fn open(&mut self, node: NodeId) {
        self.open_with(node, &[]);
        if self.shown.origins {
            let around = self.origins.last().copied().flatten();
            self.origins.push(self.note.origin.or(around));
        }
        self.note = Annotation::default();
    }

    /// The same with an attribute, which begins with a space; a container or an entry.
    pub fn open_with_attribute(&mut self, node: NodeId, attribute: &str) {
        self.open(node);
        self.octets.pop();
        self.octets.extend_from_slice(attribute.as_bytes());
        self.octets.push(b'>');
    }

    /// A leaf whose value is written already, with attributes, which begin with a space.
    pub fn leaf_with_attribute(&mut self, node: NodeId, attribute: &str, value: &str) {
        let from = self.octets.len();
        self.leaf_text(node, value);
        // Attributes have no `>` that is not escaped, so the first one ends the start tag.
        let end = self.octets[from..].iter().position(|it| *it == b'>').map_or(from, |at| from + at);
        self.octets.splice(end..end, attribute.bytes());
    }

    fn open_with(&mut self, node: NodeId, declared: &[(&str, &str)]) {
        self.octets.push(b'<');
        self.octets.extend_from_slice(self.forest[node].name.as_bytes());
        if std::mem::take(&mut self.is_outermost) || self.forest.begins_namespace(node) {
            // Namespaces are our own: there is nothing to escape.
            for part in [" xmlns=\"", &self.forest.module(node).namespace, "\""] {
                self.octets.extend_from_slice(part.as_bytes());
            }
        }
        for (prefix, namespace) in declared {
            for part in [" xmlns:", prefix, "=\"", namespace, "\""] {
                self.octets.extend_from_slice(part.as_bytes());
            }
        }
        self.annotate();
        if let Some(attributes) = self.attributes.take() {
            self.octets.extend_from_slice(attributes.as_bytes());
        }
        self.octets.push(b'>');
    }

    fn annotate(&mut self) {
        let around = self.origins.last().copied().flatten();
        if let Some(origin) = self.note.origin.filter(|it| self.shown.origins && around != Some(*it)) {
            for part in [" ", ORIGIN.0, ":origin=\"", origin.module().0, ":", origin.name(), "\""] {
                self.octets.extend_from_slice(part.as_bytes());
            }
        }
        if self.note.is_default && self.shown.defaults {
            for part in [" ", DEFAULT.0, ":default=\"true\""] {
                self.octets.extend_from_slice(part.as_bytes());
            }
        }
    }

    /// A container without anything in it, or a leaf without a value.
    pub fn empty(&mut self, node: NodeId) {
        self.open_with(node, &[]);
        self.note = Annotation::default();
        self.octets.pop();
        self.octets.extend_from_slice(b"/>");
    }

    /// Its end.
    pub fn close(&mut self, node: NodeId) {
        self.end(node);
        self.origins.pop();
    }

    fn end(&mut self, node: NodeId) {
        self.octets.extend_from_slice(b"</");
        self.octets.extend_from_slice(self.forest[node].name.as_bytes());
        self.octets.push(b'>');
    }

    /// A leaf with its value.
    pub fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        let Some(syntax) = self.forest[node].place.syntax() else { return };
        self.open_with(node, &[]);
        let mut writer = Writer::new(&mut self.octets);
        match value {
            ValueRef::Unsigned32(number) | ValueRef::Counter32(number) | ValueRef::TimeTicks(number) => {
                writer.unsigned(number.into());
            }
            ValueRef::Counter64(number) => {
                writer.unsigned(number);
            }
            ValueRef::Integer(number) if syntax.is_number() => {
                writer.signed(number.into());
            }
            _ => {
                self.value.clear();
                lexical::write(value, syntax, &mut self.value);
                writer.text(&lexical::as_string(&self.value));
            }
        }
        self.end(node);
        self.note = Annotation::default();
    }

    /// A leaf whose value is written already.
    pub fn leaf_text(&mut self, node: NodeId, value: &str) {
        let place = &self.forest[node].place;
        if place.names_nodes() {
            let forest = self.forest;
            let mut declared: Vec<(&str, &str)> = Vec::new();
            for module in
                prefixes_in(value).filter_map(|prefix| forest.modules().iter().find(|it| it.prefix == prefix))
            {
                if declared.iter().all(|(known, _)| *known != module.prefix) {
                    declared.push((&module.prefix, &module.namespace));
                }
            }
            self.open_with(node, &declared);
        } else {
            self.open_with(node, place.declares().as_slice());
        }
        Writer::new(&mut self.octets).text(&lexical::as_string(value));
        self.end(node);
        self.note = Annotation::default();
    }
}

/// A `config` element with instances, as a document.
#[must_use]
pub fn config_document(forest: &Forest, instances: &Instances, shown: Shown) -> Vec<u8> {
    fn put(writer: &mut DataWriter<'_>, instances: &Instances, id: InstanceId) {
        let Some(node) = instances.node(id) else { return };
        writer.note(instances.annotation(id));
        if writer.forest[node].place.syntax().is_some() {
            writer.leaf_text(node, instances.value(id));
            return;
        }
        writer.open(node);
        instances.children(id).for_each(|child| put(writer, instances, child));
        writer.close(node);
    }
    let begin = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<config xmlns=\"{BASE}\"{}>",
        shown.declarations()
    );
    let mut writer = DataWriter::new(forest, begin.into_bytes());
    writer.show(shown);
    instances.children(Instances::ROOT).for_each(|root| put(&mut writer, instances, root));
    let mut octets = writer.octets;
    octets.extend_from_slice(b"</config>\n");
    octets
}

/// What may be prefixes in a path: names with a colon behind them, outside of quotes.
fn prefixes_in(path: &str) -> impl Iterator<Item = &str> {
    let is_part = |it: char| it.is_alphanumeric() || "-_.".contains(it);
    let mut quote = None;
    let mut start = 0;
    path.char_indices().filter_map(move |(at, it)| {
        if quote.is_some() || matches!(it, '\'' | '"') {
            quote = match quote {
                Some(open) if open == it => None,
                None => Some(it),
                open => open,
            };
            start = at + it.len_utf8();
            return None;
        }
        if is_part(it) {
            return None;
        }
        let name = &path[start..at];
        start = at + it.len_utf8();
        (it == ':' && !name.is_empty()).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, limits};
    use trunkline_yang::smiv2::modules;

    #[test]
    fn prefixes_of_paths_are_found_outside_of_quotes() {
        let found = |path| prefixes_in(path).collect::<Vec<_>>();
        assert_eq!(found("/if:interfaces/if:interface[if:name='sys:x']/ip:ipv4"), ["if", "if", "if", "ip"]);
        assert_eq!(found("//a[. = \"it's if:b\"]/x-y.z:b"), ["x-y.z"]);
        assert_eq!(found("child::b/:c"), ["child"]);
        assert_eq!(found("'open if:c"), [""; 0]);
    }

    #[test]
    fn nodes_are_in_the_namespace_of_their_module() {
        let forest = Forest::of(&modules());
        let root = |name: &str| {
            *forest.roots().iter().find(|root| forest.module(**root).name == name).expect("a module")
        };
        let child = |of: NodeId, name: &str| {
            *forest[of].children.iter().find(|it| forest[**it].name == name).expect("a node")
        };
        let module = root("SNMP-TARGET-MIB");
        let table = child(module, "snmpTargetAddrTable");
        let entry = child(table, "snmpTargetAddrEntry");
        let mut writer = DataWriter::new(&forest, Vec::new());
        for node in [module, table, entry] {
            writer.open(node);
        }
        writer.leaf(child(entry, "snmpTargetAddrName"), ValueRef::OctetString(b"a<b&c"));
        writer.leaf(child(entry, "snmpTargetAddrRetryCount"), ValueRef::Integer(3));
        writer.leaf(child(entry, "snmpTargetAddrMMS"), ValueRef::Integer(484));
        writer.leaf(child(entry, "snmpTargetAddrRowStatus"), ValueRef::Integer(1));
        for node in [entry, table, module] {
            writer.close(node);
        }
        let document = Document::read(&writer.octets, limits(10_000)).unwrap();
        let entry = document.root().children().next().unwrap().children().next().unwrap();
        let leaves: Vec<_> = entry.children().map(|it| (it.namespace(), it.value())).collect();
        let target = "urn:ietf:params:xml:ns:yang:smiv2:SNMP-TARGET-MIB";
        let community = "urn:ietf:params:xml:ns:yang:smiv2:SNMP-COMMUNITY-MIB";
        assert_eq!(leaves, [(target, "a<b&c"), (target, "3"), (community, "484"), (target, "active")]);
    }
}
