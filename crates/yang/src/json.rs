//! Nodes of data as JSON (RFC 7951), appended to a buffer as they are found.

use trunkline_smi::schema::Syntax;
use trunkline_smi::{ValueKind, ValueRef};

use crate::forest::{Forest, NodeId, Place};
use crate::lexical;
use crate::own::{OwnNode, Prefixes, Values};
use crate::value_type::ValueType;

/// Writes an object whose members are nodes. Who calls it keeps their order: entries of a list, and values of a leaf-list, stand together.
#[derive(Debug)]
pub struct JsonWriter<'f> {
    forest: &'f Forest,
    /// What was written, until somebody takes it.
    pub octets: Vec<u8>,
    levels: Vec<Level>,
    value: String,
}

/// An object that has begun.
#[derive(Debug, Default)]
struct Level {
    has_members: bool,
    /// The node whose array has begun.
    array: Option<NodeId>,
}

/// How the values of a leaf are written (RFC 7951 section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonForm {
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A string.
    Text,
    /// A string: an identity, with the name of its module.
    Identity,
    /// `[null]`.
    Empty,
    /// A number, or a string that is not one (section 6.10).
    Union,
}

impl JsonForm {
    /// That of a leaf.
    pub fn of(place: &Place) -> JsonForm {
        match place {
            Place::Own { node, .. } if node.values == Values::None => JsonForm::Empty,
            Place::Own { node: OwnNode { prefixes: Some(Prefixes::Identity(..)), .. }, .. } => {
                JsonForm::Identity
            }
            Place::Own { node, .. } => match node.setting.as_ref().map(|setting| setting.value) {
                Some(ValueType::Number(_, most)) if u32::try_from(most).is_ok() => JsonForm::Number,
                Some(ValueType::Integer32) => JsonForm::Number,
                Some(ValueType::Boolean) => JsonForm::Boolean,
                Some(ValueType::InterfaceType | ValueType::Identity(..) | ValueType::IdentityOf(..)) => {
                    JsonForm::Identity
                }
                Some(ValueType::NumberOr(..)) => JsonForm::Union,
                Some(_) => JsonForm::Text,
                None => place.syntax().map_or(JsonForm::Text, Self::of_syntax),
            },
            _ => place.syntax().map_or(JsonForm::Text, Self::of_syntax),
        }
    }

    /// Numbers of 64 bits are strings.
    fn of_syntax(syntax: &Syntax) -> JsonForm {
        match syntax.kind {
            ValueKind::Integer if lexical::is_truth_value(syntax) => JsonForm::Boolean,
            ValueKind::Integer if !syntax.names.is_empty() => JsonForm::Text,
            ValueKind::Integer | ValueKind::Unsigned32 | ValueKind::Counter32 | ValueKind::TimeTicks => {
                JsonForm::Number
            }
            _ => JsonForm::Text,
        }
    }
}

impl<'f> JsonWriter<'f> {
    /// Begins an object behind what a buffer holds.
    #[must_use]
    pub fn new(forest: &'f Forest, mut octets: Vec<u8>) -> Self {
        octets.push(b'{');
        JsonWriter { forest, octets, levels: vec![Level::default()], value: String::new() }
    }

    /// The nodes that it writes.
    #[must_use]
    pub const fn forest(&self) -> &'f Forest {
        self.forest
    }

    /// The end of the object.
    pub fn end(&mut self) {
        if self.levels.pop().is_some_and(|level| level.array.is_some()) {
            self.octets.push(b']');
        }
        self.octets.push(b'}');
    }

    /// A container, or an entry of a list.
    pub fn open(&mut self, node: NodeId) {
        self.member(node);
        self.octets.push(b'{');
        self.levels.push(Level::default());
    }

    /// Its end.
    pub fn close(&mut self, _node: NodeId) {
        self.end();
    }

    /// A leaf with its value.
    pub fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        let Some(syntax) = self.forest[node].place.syntax() else { return };
        let mut text = std::mem::take(&mut self.value);
        text.clear();
        lexical::write(value, syntax, &mut text);
        self.leaf_text(node, &text);
        self.value = text;
    }

    /// A leaf whose value is written as in XML already.
    pub fn leaf_text(&mut self, node: NodeId, value: &str) {
        self.member(node);
        match JsonForm::of(&self.forest[node].place) {
            JsonForm::Empty => self.octets.extend_from_slice(b"[null]"),
            // What is not a number after all stays a string.
            JsonForm::Number | JsonForm::Union
                if value.parse::<i64>().is_ok_and(|_| !value.starts_with('+')) =>
            {
                self.octets.extend_from_slice(value.as_bytes());
            }
            JsonForm::Boolean if matches!(value, "true" | "false") => {
                self.octets.extend_from_slice(value.as_bytes());
            }
            JsonForm::Identity => {
                let declared = self.forest[node].place.declares();
                let is_it =
                    |namespace: &str| self.forest.modules().iter().find(|it| it.namespace == namespace);
                let module = declared.and_then(|(_, namespace)| is_it(namespace));
                match (module, value.split_once(':')) {
                    (Some(module), Some((prefix, name))) if declared.is_some_and(|it| it.0 == prefix) => {
                        string(&format!("{}:{name}", module.name), &mut self.octets);
                    }
                    _ => string(value, &mut self.octets),
                }
            }
            _ if self.forest[node].place.names_nodes() => {
                string(&self.with_modules(value, self.forest[node].place.is_path()), &mut self.octets);
            }
            _ => string(value, &mut self.octets),
        }
    }

    /// A path or an identity with the names of modules instead of their prefixes (RFC 7951 sections 6.8 and 6.11). `is_path`: only where the
    /// module is not that of the step before.
    fn with_modules(&self, value: &str, is_path: bool) -> String {
        let mut written = String::with_capacity(value.len());
        let mut quote = None;
        let mut word = 0;
        let mut within = "";
        for (at, it) in value.char_indices() {
            let is_part = it.is_alphanumeric() || "-_.".contains(it);
            match it {
                '\'' | '"' if quote.is_none_or(|quote| quote == it) => {
                    quote = quote.is_none().then_some(it);
                }
                ':' if quote.is_none() => {
                    let module = self.forest.modules().iter().find(|module| module.prefix == value[word..at]);
                    if let Some(module) = module {
                        written.truncate(written.len() - (at - word));
                        let is_same = is_path && module.name == within;
                        // What is tested of an entry is in its module.
                        if written.ends_with('/') {
                            within = module.name;
                        }
                        if is_same {
                            word = at + 1;
                            continue;
                        }
                        written.push_str(module.name);
                    }
                }
                _ => {}
            }
            written.push(it);
            if !is_part {
                word = at + it.len_utf8();
            }
        }
        written
    }

    /// What is known of the entry or container that has just begun, an object of JSON (RFC 7952 section 5.2.1).
    pub fn metadata(&mut self, object: &[u8]) {
        let Some(level) = self.levels.last_mut() else { return };
        if std::mem::replace(&mut level.has_members, true) {
            self.octets.push(b',');
        }
        self.octets.extend_from_slice(b"\"@\":");
        self.octets.extend_from_slice(object);
    }

    /// What is known of the first value of a leaf-list, all of whose values are written (RFC 7952 section 5.2.4).
    pub fn values_metadata(&mut self, node: NodeId, object: &[u8]) {
        self.values_metadata_of(node, &format!("[{}]", String::from_utf8_lossy(object)));
    }

    /// What is known of a leaf that was just written, an object of JSON (RFC 7952 section 5.2.2), or of the values of a leaf-list, an array.
    pub fn values_metadata_of(&mut self, node: NodeId, value: &str) {
        let is_outermost = self.levels.len() == 1;
        let Some(level) = self.levels.last_mut() else { return };
        if level.array.take().is_some() {
            self.octets.push(b']');
        }
        let module = match is_outermost || self.forest.begins_namespace(node) {
            true => format!("{}:", self.forest.module(node).name),
            false => String::new(),
        };
        let member = format!(",\"@{module}{}\":{value}", self.forest[node].name);
        self.octets.extend_from_slice(member.as_bytes());
    }

    /// The name of a member, unless it is a further element of an array.
    fn member(&mut self, node: NodeId) {
        let is_outermost = self.levels.len() == 1;
        let Some(level) = self.levels.last_mut() else { return };
        if level.array == Some(node) {
            self.octets.push(b',');
            return;
        }
        if level.array.take().is_some() {
            self.octets.push(b']');
        }
        if std::mem::replace(&mut level.has_members, true) {
            self.octets.push(b',');
        }
        // Names of modules and nodes need no escapes.
        self.octets.push(b'"');
        if is_outermost || self.forest.begins_namespace(node) {
            self.octets.extend_from_slice(self.forest.module(node).name.as_bytes());
            self.octets.push(b':');
        }
        self.octets.extend_from_slice(self.forest[node].name.as_bytes());
        self.octets.extend_from_slice(b"\":");
        if self.forest[node].place.is_many() {
            level.array = Some(node);
            self.octets.push(b'[');
        }
    }
}

/// Appends a string (RFC 8259 section 7), as values of YANG can be: see [`lexical::as_string`].
pub fn string(text: &str, octets: &mut Vec<u8>) {
    octets.push(b'"');
    for octet in lexical::as_string(text).bytes() {
        match octet {
            b'"' | b'\\' => octets.extend_from_slice(&[b'\\', octet]),
            b'\n' => octets.extend_from_slice(b"\\n"),
            b'\r' => octets.extend_from_slice(b"\\r"),
            b'\t' => octets.extend_from_slice(b"\\t"),
            _ => octets.push(octet),
        }
    }
    octets.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own::ALL;
    use crate::smiv2::modules;

    fn forest() -> Forest {
        ALL.into_iter().fold(Forest::of(&modules()), Forest::with)
    }

    fn path(forest: &Forest, names: &[&str]) -> Vec<NodeId> {
        let mut found: Vec<NodeId> = Vec::new();
        for name in names {
            found.push(forest.child(found.last().copied(), name).expect(name));
        }
        found
    }

    #[test]
    fn arrays_and_names_are_as_rfc_7951_has_them() {
        let forest = forest();
        let steps = path(&forest, &["interfaces", "interface", "ipv4", "address", "prefix-length"]);
        let [interfaces, interface, ipv4, address, length] = steps[..] else { panic!("{steps:?}") };
        let in_interface = |name: &str| forest.child(Some(interface), name).unwrap();
        let mut writer = JsonWriter::new(&forest, Vec::new());
        writer.open(interfaces);
        for name in ["lo", "e\"1\u{1}"] {
            writer.open(interface);
            writer.leaf_text(in_interface("name"), name);
            writer.leaf_text(in_interface("type"), "ianaift:softwareLoopback");
            writer.leaf_text(in_interface("enabled"), "true");
            writer.leaf_text(in_interface("if-index"), "1");
            writer.leaf_text(in_interface("speed"), "10000000");
            writer.close(interface);
        }
        writer.open(interface);
        writer.open(ipv4);
        for _ in 0..2 {
            writer.open(address);
            writer.leaf_text(length, "8");
            writer.close(address);
        }
        writer.close(ipv4);
        writer.close(interface);
        writer.close(interfaces);
        let capabilities = path(&forest, &["netconf-state", "capabilities", "capability"]);
        writer.open(capabilities[0]);
        writer.open(capabilities[1]);
        writer.leaf_text(capabilities[2], "urn:a");
        writer.leaf_text(capabilities[2], "urn:b");
        writer.close(capabilities[1]);
        writer.close(capabilities[0]);
        writer.end();
        let common =
            r#""type":"iana-if-type:softwareLoopback","enabled":true,"if-index":1,"speed":"10000000"}"#;
        let expected = [
            r#"{"ietf-interfaces:interfaces":{"interface":[{"name":"lo","#,
            common,
            ",{\"name\":\"e\\\"1\u{fffd}\",",
            common,
            r#",{"ietf-ip:ipv4":{"address":[{"prefix-length":8},{"prefix-length":8}]}}]},"#,
            r#""ietf-netconf-monitoring:netconf-state":{"capabilities":{"capability":["urn:a","urn:b"]}}}"#,
        ];
        assert_eq!(String::from_utf8(writer.octets).unwrap(), expected.concat());
    }

    #[test]
    fn values_of_objects_have_the_forms_of_their_types() {
        let forest = forest();
        let entry = path(&forest, &["IF-MIB", "ifTable", "ifEntry"])[2];
        let column = |name: &str| forest.child(Some(entry), name).unwrap();
        let mut writer = JsonWriter::new(&forest, Vec::new());
        writer.leaf(column("ifIndex"), ValueRef::Integer(7));
        writer.leaf(column("ifType"), ValueRef::Integer(24));
        writer.leaf(column("ifInOctets"), ValueRef::Counter32(u32::MAX));
        writer.leaf(column("ifHCInOctets"), ValueRef::Counter64(u64::MAX));
        writer.leaf(column("ifPromiscuousMode"), ValueRef::Integer(2));
        writer.leaf(column("ifPhysAddress"), ValueRef::OctetString(&[2, 0, 1]));
        writer.end();
        let expected = r#"{"IF-MIB:ifIndex":7,"IF-MIB:ifType":"softwareLoopback","IF-MIB:ifInOctets":4294967295,"IF-MIB:ifHCInOctets":"18446744073709551615","IF-MIB:ifPromiscuousMode":false,"IF-MIB:ifPhysAddress":"02:00:01"}"#;
        assert_eq!(String::from_utf8(writer.octets).unwrap(), expected);
    }
}
