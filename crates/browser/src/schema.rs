//! The schema of what is served, as JSON for the page: an index of all names, and each module on its own.
//!
//! ```text
//! index:   {"IF-MIB": [["IF-MIB", ["interfaces", "ifNumber"], ["ifTable", ["ifEntry*", "ifIndex", ...]]]], ...}
//! module:  {"name": "IF-MIB", "nodes": [{"n": "IF-MIB", "m": "IF-MIB", "k": "container", "c": [
//!              {"n": "ifOperStatus", "k": "leaf", "t": "Integer32", "e": ["up", "down"], "o": "1.3.6.1.2.1.2.2.1.8"}]}]}
//! ```
//!
//! In the index an array is a node with what is in it, a text a leaf; `*` marks lists. A leaf that forms write has what they say of it
//! ([`Field`]): in words (`x`), whether it is required (`must`), and its `choice` or `range`.

use trunkline_smi::ValueKind;
use trunkline_smi::module::ALL;
use trunkline_smi::schema::{MaxAccess, Syntax};
use trunkline_yang::forest::{Forest, NodeId, PathOf, Place};
use trunkline_yang::lexical;
use trunkline_yang::own;
use trunkline_yang::smiv2;
use trunkline_yang::value_type::ValueType;

use crate::field::{Field, Kind};

/// The data of all modules.
pub fn forest() -> Forest {
    own::ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with)
}

/// All names, by module.
pub fn index(forest: &Forest) -> Vec<u8> {
    let mut out = String::with_capacity(64 << 10);
    out.push('{');
    for (at, module) in forest.modules().iter().enumerate() {
        let roots: Vec<NodeId> = roots_of(forest, at).collect();
        if !roots.is_empty() {
            member(&mut out, module.name);
            list(&mut out, '[', ']', roots, |out, root| name_tree(forest, out, root));
        }
    }
    out.push('}');
    out.into_bytes()
}

/// One module; `None`: there is none of this name that has data.
pub fn module(forest: &Forest, name: &str) -> Option<Vec<u8>> {
    let at = forest.modules().iter().position(|module| module.name == name)?;
    let roots: Vec<NodeId> = roots_of(forest, at).collect();
    if roots.is_empty() {
        return None;
    }
    let mut out = String::from("{");
    text_member(&mut out, "name", name);
    let reference = ALL.iter().find(|module| module.name == name).map_or("", |module| module.reference);
    if !reference.is_empty() {
        text_member(&mut out, "reference", reference);
    }
    member(&mut out, "nodes");
    list(&mut out, '[', ']', roots, |out, root| node(forest, out, root));
    out.push('}');
    Some(out.into_bytes())
}

/// How much of what an object governs somebody may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Nothing.
    Nothing,
    /// Some instances.
    Some,
    /// Everything.
    All,
}

/// What somebody may do with a leaf.
#[derive(Clone, Copy)]
pub struct Rights<'r> {
    /// Whether it may be changed.
    pub may_change: &'r (dyn Fn(&Place) -> bool + Sync),
    /// How much of what lies below an object may be read.
    pub reads: &'r (dyn Fn(&[u32]) -> Reads + Sync),
}

impl Rights<'_> {
    /// Whether a leaf may be changed and not read. A secret is read by nobody, and not meant.
    pub fn is_blind(&self, place: &Place) -> bool {
        let object = match place.setting() {
            Some(setting) if setting.is_secret => None,
            Some(setting) => Some(setting.object.to_vec()),
            None => object_of(place),
        };
        (self.may_change)(place) && object.is_some_and(|object| (self.reads)(&object) == Reads::Nothing)
    }

    /// Whether anything in a node may be changed and not read.
    pub fn has_blind(&self, forest: &Forest, node: NodeId) -> bool {
        self.is_blind(&forest[node].place)
            || forest[node].children.iter().any(|child| self.has_blind(forest, *child))
    }

    /// Whether a leaf is not shown: a secret, or one that may be changed and not read.
    pub fn is_hidden(&self, place: &Place) -> bool {
        place.setting().is_some_and(|setting| setting.is_secret) || self.is_blind(place)
    }

    /// Whether everything of a node and in it may be read. What no object governs is read by those who read everything.
    pub fn is_whole(&self, forest: &Forest, node: NodeId) -> bool {
        if (self.reads)(ALL_OBJECTS) == Reads::All {
            return true;
        }
        let object = match &forest[node].place {
            Place::Container => return self.are_whole(forest, &forest[node].children),
            Place::List(table) => table.oid,
            Place::Scalar(scalar) => scalar.oid,
            Place::Column(table, _) => table.oid,
            Place::Key(..) => return true,
            Place::Own { .. } => return false,
        };
        (self.reads)(object) == Reads::All && self.are_whole(forest, &forest[node].children)
    }

    fn are_whole(&self, forest: &Forest, nodes: &[NodeId]) -> bool {
        nodes.iter().all(|node| self.is_whole(forest, *node))
    }
}

/// What somebody may do in a module, for the page: the paths of leaves that may be changed (`write`), those of them that may not be read
/// (`blind`), and whether all of it may be read (`whole`). `None`: there is no such module.
pub fn rights(forest: &Forest, name: &str, rights: Rights<'_>) -> Option<Vec<u8>> {
    let at = forest.modules().iter().position(|module| module.name == name)?;
    let roots: Vec<NodeId> = roots_of(forest, at).collect();
    let (mut write, mut rest) = (Vec::new(), roots.clone());
    while let Some(id) = rest.pop() {
        rest.extend(&forest[id].children);
        write.extend((rights.may_change)(&forest[id].place).then_some(id));
    }
    let mut out = String::from("{");
    let blind: Vec<NodeId> = write.iter().copied().filter(|id| rights.is_blind(&forest[*id].place)).collect();
    for (name, ids) in [("write", write), ("blind", blind)] {
        member(&mut out, name);
        list(&mut out, '[', ']', ids, |out, id| text(out, &PathOf(forest, id).to_string()));
    }
    member(&mut out, "whole");
    out.push_str(if rights.are_whole(forest, &roots) { "true}" } else { "false}" });
    Some(out.into_bytes())
}

/// The object of a MIB module that is a leaf and that managers may set.
pub fn object_of(place: &Place) -> Option<Vec<u32>> {
    match place {
        Place::Scalar(scalar) if scalar.access.is_writable() => Some(scalar.oid.to_vec()),
        Place::Column(table, column) if column.access.is_writable() => {
            Some([table.oid, &[1, column.id]].concat())
        }
        _ => None,
    }
}

/// The name of a node within the one that it is in, as JSON has it (RFC 7951 section 4).
pub(crate) fn name_within(forest: &Forest, id: NodeId) -> String {
    let name = &forest[id].name;
    if forest.begins_namespace(id) { format!("{}:{name}", forest.module(id).name) } else { name.clone() }
}

fn roots_of(forest: &Forest, module: usize) -> impl Iterator<Item = NodeId> {
    forest.roots().iter().copied().filter(move |root| forest[*root].module == module)
}

fn name_tree(forest: &Forest, out: &mut String, id: NodeId) {
    let it = &forest[id];
    let mut name = if it.parent.is_some() { name_within(forest, id) } else { it.name.clone() };
    if it.place.is_list() {
        name.push('*');
    }
    if it.children.is_empty() {
        return text(out, &name);
    }
    out.push('[');
    text(out, &name);
    for child in &it.children {
        out.push(',');
        name_tree(forest, out, *child);
    }
    out.push(']');
}

fn node(forest: &Forest, out: &mut String, id: NodeId) {
    let it = &forest[id];
    out.push('{');
    text_member(out, "n", &it.name);
    if forest.begins_namespace(id) {
        text_member(out, "m", forest.module(id).name);
    }
    let kind = match &it.place {
        place if place.is_list() => "list",
        place if place.is_leaf_list() => "leaf-list",
        place if place.syntax().is_some() => "leaf",
        _ => "container",
    };
    text_member(out, "k", kind);
    if it.place.is_list() {
        member(out, "keys");
        list(out, '[', ']', forest.keys(id), |out, key| text(out, &forest[key].name));
    }
    if it.place.case() > 0 {
        member(out, "case");
        out.push_str(&it.place.case().to_string());
    }
    leaf(forest, out, id);
    if !it.children.is_empty() {
        member(out, "c");
        list(out, '[', ']', it.children.iter().copied(), |out, child| node(forest, out, child));
    }
    out.push('}');
}

/// What is known of a leaf's values, and of what may be done with them.
fn leaf(forest: &Forest, out: &mut String, id: NodeId) {
    let place = &forest[id].place;
    type_and_access(out, place);
    let is_written = place.setting().is_some() || place.is_key() || object_of(place).is_some();
    if let Some(field) = is_written.then(|| Field::of(forest, id, "")).flatten() {
        form(out, &field);
    }
}

/// What a form says of a leaf.
fn form(out: &mut String, field: &Field) {
    if !field.expected.is_empty() {
        text_member(out, "x", &field.expected);
    }
    if field.is_required {
        member(out, "must");
        out.push_str("true");
    }
    match &field.kind {
        Kind::Choice(names) => {
            member(out, "choice");
            list(out, '[', ']', names, |out, name| text(out, name));
        }
        Kind::Number(least, most) => {
            member(out, "range");
            // Numbers beyond 2^53 are not exact in a browser.
            list(out, '[', ']', [least, most], |out, number| text(out, number));
        }
        Kind::Text | Kind::Octets | Kind::Secret => {}
    }
}

fn type_and_access(out: &mut String, place: &Place) {
    if place.is_configuration() {
        member(out, "w");
        out.push_str("true");
    }
    if let Some(setting) = place.setting() {
        text_member(out, "t", type_of_setting(setting.value));
        if setting.is_secret {
            member(out, "secret");
            out.push_str("true");
        }
        return;
    }
    let Some(syntax) = place.syntax() else { return };
    if matches!(place, Place::Own { .. }) {
        return;
    }
    text_member(out, "t", type_of(syntax));
    if !syntax.names.is_empty() {
        member(out, "e");
        list(out, '[', ']', syntax.names, |out, (_, name)| text(out, name));
    }
    if syntax.bits {
        member(out, "bits");
        out.push_str("true");
    }
    if is_binary(place) {
        member(out, "b");
        out.push_str("true");
    }
    let (oid, units, access) = match place {
        Place::Scalar(scalar) => (Some((scalar.oid, None)), scalar.units, Some(scalar.access)),
        Place::Column(table, column) => {
            (Some((table.oid, Some(column.id))), column.units, Some(column.access))
        }
        _ => (None, "", None),
    };
    if let Some((oid, column)) = oid {
        let parts = oid.iter().copied().chain(column.into_iter().flat_map(|id| [1, id]));
        text_member(out, "o", &parts.map(|part| part.to_string()).collect::<Vec<_>>().join("."));
    }
    if !units.is_empty() {
        text_member(out, "u", units);
    }
    if access.is_some_and(MaxAccess::is_writable) {
        member(out, "snmp");
        out.push_str("true");
    }
}

/// Whether the values of an object are octets in base64.
pub(crate) fn is_binary(place: &Place) -> bool {
    !matches!(place, Place::Own { .. }) && place.syntax().is_some_and(lexical::is_binary)
}

/// The name of a type, as its standard has it.
fn type_of(syntax: &Syntax) -> &'static str {
    if !syntax.convention.is_empty() {
        return syntax.convention;
    }
    match syntax.kind {
        ValueKind::Integer => "Integer32",
        ValueKind::OctetString if syntax.bits => "BITS",
        ValueKind::OctetString => "OCTET STRING",
        ValueKind::ObjectIdentifier => "OBJECT IDENTIFIER",
        ValueKind::IpAddress => "IpAddress",
        ValueKind::Counter32 => "Counter32",
        ValueKind::Unsigned32 => "Gauge32",
        ValueKind::TimeTicks => "TimeTicks",
        ValueKind::Opaque => "Opaque",
        ValueKind::Counter64 => "Counter64",
    }
}

fn type_of_setting(value: ValueType) -> &'static str {
    match value {
        ValueType::Number(..) | ValueType::Integer32 => "number",
        ValueType::Boolean => "boolean",
        ValueType::Enumeration(_) => "enumeration",
        ValueType::Empty => "empty",
        ValueType::Identity(..) | ValueType::IdentityOf(..) | ValueType::InterfaceType => "identity",
        ValueType::NumberOr(..) => "number or name",
        _ => "text",
    }
}

/// Below it are all objects.
const ALL_OBJECTS: &[u32] = &[1];

fn list<T>(
    out: &mut String,
    open: char,
    close: char,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(close);
}

/// Begins a member of an object.
fn member(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    text(out, name);
    out.push(':');
}

fn text_member(out: &mut String, name: &str, value: &str) {
    member(out, name);
    text(out, value);
}

/// A string of JSON (RFC 8259 section 7).
pub fn text(out: &mut String, value: &str) {
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            it if it < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(it))),
            it => out.push(it),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use trunkline_restconf::json::Json;

    use super::*;

    #[test]
    fn the_index_has_every_name() {
        let forest = forest();
        let json = Json::read(&index(&forest)).unwrap();
        fn count(json: &Json) -> usize {
            match json {
                Json::Text(_) => 1,
                Json::Array(all) => all.iter().map(count).sum(),
                Json::Object(members) => members.iter().map(|(_, it)| count(it)).sum(),
                _ => panic!("{json:?}"),
            }
        }
        assert_eq!(count(&json), forest.size());
        let packed = crate::files::packed(&index(&forest)).len();
        assert!(packed < 20_000, "{packed} octets");
    }

    #[test]
    fn a_module_says_what_its_leaves_are() {
        let forest = forest();
        let text = String::from_utf8(module(&forest, "IF-MIB").unwrap()).unwrap();
        for part in [
            r#"{"name":"IF-MIB","reference":"RFC 2863","nodes":[{"n":"IF-MIB","m":"IF-MIB","k":"container","#,
            r#"{"n":"ifEntry","k":"list","keys":["ifIndex"],"#,
            r#"{"n":"ifInOctets","k":"leaf","t":"Counter32","o":"1.3.6.1.2.1.2.2.1.10""#,
            r#"{"n":"ifHCInOctets","k":"leaf","t":"Counter64","#,
        ] {
            assert!(text.contains(part), "{part} {text}");
        }
        let text = String::from_utf8(module(&forest, "HOST-RESOURCES-MIB").unwrap()).unwrap();
        assert!(
            text.contains(r#""n":"hrSWRunName","k":"leaf","t":"InternationalDisplayString","b":true,"#),
            "{text}"
        );
        let text = String::from_utf8(module(&forest, "ietf-system").unwrap()).unwrap();
        assert!(
            text.contains(r#"{"n":"contact","k":"leaf","w":true,"t":"text","x":"at most 255 octets"}"#),
            "{text}"
        );
        // What forms without scripts say of a leaf, those with scripts say too.
        let text = String::from_utf8(module(&forest, "ietf-snmp").unwrap()).unwrap();
        for part in [
            r#""x":"key; 1 to 32 octets","must":true"#,
            r#""t":"number","x":"a number from 0 to 65535; 162 by default","range":["0","65535"]"#,
            r#"{"n":"ip","k":"leaf","w":true,"t":"text","x":"required with udp"}"#,
        ] {
            assert!(text.contains(part), "{part} {text}");
        }
        assert!(module(&forest, "other").is_none());
    }

    #[test]
    fn what_may_be_changed_is_listed_by_path() {
        let forest = forest();
        let contact: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4];
        let said =
            |name: &str, may: &(dyn Fn(&[u32]) -> bool + Sync), reads: &(dyn Fn(&[u32]) -> Reads + Sync)| {
                let may_change = |place: &Place| {
                    let object =
                        place.setting().map(|setting| setting.object.to_vec()).or_else(|| object_of(place));
                    object.is_some_and(|object| may(&object))
                };
                let said = rights(&forest, name, Rights { may_change: &may_change, reads });
                said.map(|said| String::from_utf8(said).unwrap())
            };
        let all = |_: &[u32]| Reads::All;
        assert_eq!(
            said("ietf-system", &|object| object == contact, &all).unwrap(),
            "{\"write\":[\"/ietf-system:system/contact\"],\"blind\":[],\"whole\":true}"
        );
        assert_eq!(
            said("ietf-system", &|_| false, &all).unwrap(),
            "{\"write\":[],\"blind\":[],\"whole\":true}"
        );
        let interfaces = said("ietf-interfaces", &|_| true, &all).unwrap();
        assert!(interfaces.contains("\"/ietf-interfaces:interfaces/interface/enabled\""), "{interfaces}");
        assert_eq!(said("other", &|_| true, &all), None);
        // A column of a table of which all the rest may be read.
        let status: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1, 7];
        let path = "\"/IF-MIB:IF-MIB/ifTable/ifEntry/ifAdminStatus\"";
        let other = |object: &[u32]| match object {
            object if object == status => Reads::Nothing,
            object if status.starts_with(object) => Reads::Some,
            _ => Reads::All,
        };
        assert_eq!(
            said("IF-MIB", &|object| object == status, &other).unwrap(),
            format!("{{\"write\":[{path}],\"blind\":[{path}],\"whole\":false}}")
        );
        // What is not there is not hidden by a rule about something else.
        let hidden: &[u32] = &[1, 3, 6, 1, 2, 1, 25];
        let most = |object: &[u32]| match object {
            object if object.starts_with(hidden) => Reads::Nothing,
            object if hidden.starts_with(object) => Reads::Some,
            _ => Reads::All,
        };
        for (module, is_whole) in [("IF-MIB", true), ("HOST-RESOURCES-MIB", false), ("ietf-system", false)] {
            let said = said(module, &|_| false, &most).unwrap();
            assert!(said.ends_with(&format!("\"whole\":{is_whole}}}")), "{module} {said}");
        }
        // A secret is not blind: its form says what it is.
        let communities = said("ietf-snmp", &|_| true, &|_| Reads::Nothing).unwrap();
        let (write, blind) = communities.split_once("\"blind\"").unwrap();
        let (secret, name) = ("community/text-name\"", "community/security-name\"");
        assert!(write.contains(secret) && !blind.contains(secret) && blind.contains(name), "{communities}");
    }

    #[test]
    fn every_module_of_the_index_can_be_read() {
        let forest = forest();
        let Json::Object(modules) = Json::read(&index(&forest)).unwrap() else { panic!() };
        for (name, _) in modules {
            Json::read(&module(&forest, &name).unwrap()).unwrap();
        }
    }

    #[test]
    fn strings_are_escaped() {
        let mut out = String::new();
        text(&mut out, "a\"b\\c\n\u{1}\u{e9}");
        assert_eq!(out, "\"a\\\"b\\\\c\\u000a\\u0001\u{e9}\"");
    }
}
