//! Nodes of data as XML (RFC 7950 section 7), appended to a buffer as they are found.

use trunkline_smi::ValueRef;
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::lexical;

/// Writes nodes. Who calls it keeps their order.
#[derive(Debug)]
pub struct DataWriter<'f> {
    forest: &'f Forest,
    /// What was written, until somebody takes it.
    pub octets: Vec<u8>,
    value: String,
}

impl<'f> DataWriter<'f> {
    /// Begins with what a buffer holds.
    #[must_use]
    pub fn new(forest: &'f Forest, octets: Vec<u8>) -> Self {
        DataWriter { forest, octets, value: String::new() }
    }

    /// The nodes that it writes.
    #[must_use]
    pub const fn forest(&self) -> &'f Forest {
        self.forest
    }

    /// A container, or an entry of a list.
    pub fn open(&mut self, node: NodeId) {
        self.open_with(node, None);
    }

    fn open_with(&mut self, node: NodeId, declared: Option<(&str, &str)>) {
        self.octets.push(b'<');
        self.octets.extend_from_slice(self.forest[node].name.as_bytes());
        if self.forest.begins_namespace(node) {
            // Namespaces are our own: there is nothing to escape.
            for part in [" xmlns=\"", &self.forest.module(node).namespace, "\""] {
                self.octets.extend_from_slice(part.as_bytes());
            }
        }
        if let Some((prefix, namespace)) = declared {
            for part in [" xmlns:", prefix, "=\"", namespace, "\""] {
                self.octets.extend_from_slice(part.as_bytes());
            }
        }
        self.octets.push(b'>');
    }

    /// A container without anything in it, or a leaf without a value.
    pub fn empty(&mut self, node: NodeId) {
        self.open(node);
        self.octets.pop();
        self.octets.extend_from_slice(b"/>");
    }

    /// Its end.
    pub fn close(&mut self, node: NodeId) {
        self.octets.extend_from_slice(b"</");
        self.octets.extend_from_slice(self.forest[node].name.as_bytes());
        self.octets.push(b'>');
    }

    /// A leaf with its value.
    pub fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        let Some(syntax) = self.forest[node].place.syntax() else { return };
        self.open(node);
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
                writer.text(&self.value);
            }
        }
        self.close(node);
    }

    /// A leaf whose value is written already.
    pub fn leaf_text(&mut self, node: NodeId, value: &str) {
        let declared = self.forest[node].place.setting().and_then(|setting| setting.value.declares());
        self.open_with(node, declared);
        Writer::new(&mut self.octets).text(value);
        self.close(node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, limits};
    use trunkline_yang::smiv2::modules;

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
