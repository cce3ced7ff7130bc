//! The resource that a path names (RFC 8040 section 3.5.3), and what is wanted of it as a selection.

use std::sync::Arc;

use trunkline_datastore::{Branch, Config, Item, Step as ConfigStep};
use trunkline_smi::Value;
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::lexical;
use trunkline_yang::own::OwnKind;
use trunkline_yang::selection::{Alternative, Selection, Test, Wanted, Within};

use crate::refusal::Refusal;

/// A data resource; without steps the whole datastore.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// From the outermost node to the one that is meant.
    pub steps: Vec<Step>,
}

/// A node of the path.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The node.
    pub node: NodeId,
    /// The keys of an entry of a list; empty of other nodes, and of a list as a whole.
    pub keys: Vec<Key>,
    /// Which value of a leaf-list is meant.
    pub value: Option<String>,
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The leaf.
    pub leaf: NodeId,
    /// As a configuration keeps it.
    pub text: String,
    /// As a table keeps it.
    pub value: Value,
}

impl Target {
    /// Reads the part of a path behind `/restconf/data`, with its escapes.
    ///
    /// # Errors
    /// 404: the model has no such node. 400: it is written wrongly.
    pub fn read(path: &str, forest: &Forest) -> Result<Target, Refusal> {
        let mut target = Target::default();
        let path = path.strip_prefix('/').unwrap_or(path);
        if path.is_empty() {
            return Ok(target);
        }
        for segment in path.split('/') {
            if target.steps.last().is_some_and(|it| it.is_whole_list(forest)) {
                return Err(Refusal::bad("a list within a path needs the values of its keys: list=key,key"));
            }
            let parent = target.steps.last().map(|step| step.node);
            target.steps.push(Step::read(segment, parent, forest)?);
        }
        Ok(target)
    }

    /// The node that is meant; `None`: the datastore.
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        self.steps.last().map(|step| step.node)
    }

    /// What it is in: the same without the last step.
    #[must_use]
    pub fn parent(&self) -> Target {
        Target { steps: self.steps.split_last().map_or(Vec::new(), |(_, above)| above.to_vec()) }
    }

    /// Whether all entries of a list are meant.
    #[must_use]
    pub fn is_whole_list(&self, forest: &Forest) -> bool {
        self.steps.last().is_some_and(|step| step.is_whole_list(forest))
    }

    /// The list or leaf-list of which all entries are meant; `None`: something else is.
    #[must_use]
    pub fn whole_list(&self, forest: &Forest) -> Option<NodeId> {
        let last = self.steps.last()?;
        (forest[last.node].place.is_many() && last.keys.is_empty() && last.value.is_none())
            .then_some(last.node)
    }

    /// Whether it or something in it can be configured.
    #[must_use]
    pub fn is_configuration(&self, forest: &Forest) -> bool {
        self.steps.iter().all(|step| forest[step.node].place.is_configuration())
    }

    /// What is wanted: this resource and in it `within`.
    #[must_use]
    pub fn selection(&self, within: Within, forest: &Forest) -> Selection {
        let mut within = within;
        for step in self.steps.iter().rev() {
            let test = |key: &Key| Test { leaf: key.leaf, value: key.value.clone() };
            let tests = step.keys.iter().map(test).collect();
            let mut selection = Selection::default();
            selection.add(step.node, Wanted::Some(vec![Alternative { tests, within }]));
            within = Within::Nodes(selection);
        }
        match within {
            Within::Nodes(selection) => selection,
            Within::All => Selection::everything(forest),
        }
    }

    /// Whether a configuration has it. A container without a meaning of its own is there with what it is in (RFC 7950 section 7.5.1).
    #[must_use]
    pub fn exists(&self, config: &Config, forest: &Forest) -> bool {
        let is_plain = |step: &Step| matches!(forest[step.node].place, Place::Own { node, .. } if matches!(node.kind, OwnKind::Container(_)));
        match self.steps.last() {
            None => true,
            Some(last) if is_plain(last) => self.parent().exists(config, forest),
            Some(_) => self.find(config).is_some(),
        }
    }

    /// Where it is in a configuration.
    fn path(&self) -> impl Iterator<Item = ConfigStep> {
        self.steps.iter().map(|step| {
            let keys: Vec<Box<str>> = step.keys.iter().map(|key| key.text.as_str().into()).collect();
            ConfigStep { node: step.node, keys: Arc::from(keys) }
        })
    }

    /// What a configuration has of it; `None`: nothing.
    #[must_use]
    pub fn find<'c>(&self, config: &'c Config) -> Option<Found<'c>> {
        let mut found = Found::Branch(config.root());
        for step in self.path() {
            let Found::Branch(branch) = found else { return None };
            found = match branch.get(&step)? {
                Item::Leaf(value) => Found::Leaf(value),
                Item::Within(within) => Found::Branch(within),
            };
        }
        Some(found)
    }
}

/// What a configuration has of a resource.
#[derive(Clone, Copy, Debug)]
pub enum Found<'c> {
    /// A leaf with this value.
    Leaf(&'c str),
    /// What is in it.
    Branch(&'c Branch),
}

impl Step {
    fn is_whole_list(&self, forest: &Forest) -> bool {
        forest[self.node].place.is_list() && self.keys.is_empty()
    }

    fn read(segment: &str, parent: Option<NodeId>, forest: &Forest) -> Result<Step, Refusal> {
        let (name, keys) = match segment.split_once('=') {
            Some((name, keys)) => (name, Some(keys)),
            None => (segment, None),
        };
        let node = child(forest, parent, &decoded(name)?).ok_or_else(Refusal::nothing)?;
        let mut step = Step { node, keys: Vec::new(), value: None };
        let Some(keys) = keys else { return Ok(step) };
        let place = &forest[node].place;
        if place.is_list() {
            let leaves: Vec<NodeId> = forest.keys(node).collect();
            let given = keys.split(',').map(decoded).collect::<Result<Vec<String>, Refusal>>()?;
            if given.len() != leaves.len() {
                let (name, expected, found) = (&forest[node].name, leaves.len(), given.len());
                return Err(Refusal::bad(&format!("an entry of {name} has {expected} keys, found {found}")));
            }
            let keys = leaves.into_iter().zip(given).map(|(leaf, text)| Key::of(leaf, text, forest));
            // What cannot be a value is that of no entry.
            step.keys = keys.collect::<Option<_>>().ok_or_else(Refusal::nothing)?;
        } else if place.is_many() {
            step.value = Some(decoded(keys)?);
        } else {
            return Err(Refusal::bad(&format!("{} is not a list: = cannot follow it", forest[node].name)));
        }
        Ok(step)
    }
}

impl Key {
    fn of(leaf: NodeId, text: String, forest: &Forest) -> Option<Key> {
        let place = &forest[leaf].place;
        // Without a module an identity is one of the leaf's (RFC 7951 section 6.8).
        let of_leaf = forest.module(leaf).name;
        let namespace_of = |module: &str| {
            let module = if module.is_empty() { of_leaf } else { module };
            forest.modules().iter().find(|it| it.name == module).map(|it| it.namespace.as_str())
        };
        let text = match place.setting() {
            Some(setting) => setting.value.canonical(&text, namespace_of).ok()?,
            None => text,
        };
        let value = lexical::read(&text, place.syntax()?)?;
        Some(Key { leaf, text, value })
    }
}

/// The node of a name with or without its module, which is then the parent's.
#[must_use]
pub fn child(forest: &Forest, parent: Option<NodeId>, name: &str) -> Option<NodeId> {
    match (name.split_once(':'), parent) {
        (Some((module, name)), _) => forest.child_of(parent, module, name),
        (None, Some(of)) => forest.child_of(parent, forest.module(of).name, name),
        (None, None) => None,
    }
}

/// A text without its percent-escapes.
///
/// # Errors
/// 400: an escape is not two hexadecimal digits, or the octets are not UTF-8.
pub fn decoded(text: &str) -> Result<String, Refusal> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first != b'%' {
            octets.push(first);
            continue;
        }
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|it| it.is_ascii_hexdigit()));
        let octet = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        octets.push(octet.ok_or_else(|| Refusal::bad("a % in a URI must precede two hexadecimal digits"))?);
        rest = &behind[2..];
    }
    String::from_utf8(octets).map_err(|_| Refusal::bad("a URI must be UTF-8 behind its escapes"))
}

/// Appends a value of a key with escapes for all that is not unreserved (RFC 3986 section 2.3).
pub fn encode(text: &str, out: &mut String) {
    for octet in text.bytes() {
        match octet {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(octet))
            }
            _ => out.push_str(&format!("%{octet:02X}")),
        }
    }
}

/// The path behind `/restconf/data`, as [`Target::read`] reads it.
#[must_use]
pub fn uri(target: &Target, forest: &Forest) -> String {
    let mut out = String::new();
    for step in &target.steps {
        out.push('/');
        if forest.begins_namespace(step.node) {
            out.push_str(forest.module(step.node).name);
            out.push(':');
        }
        out.push_str(&forest[step.node].name);
        let values = step.keys.iter().map(|key| &key.text).chain(&step.value);
        for (at, value) in values.enumerate() {
            out.push(if at == 0 { '=' } else { ',' });
            encode(value, &mut out);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use proptest::prelude::*;
    use trunkline_yang::own::ALL;
    use trunkline_yang::smiv2::modules;

    static FOREST: LazyLock<Forest> =
        LazyLock::new(|| ALL.into_iter().fold(Forest::of(&modules()), Forest::with));

    #[test]
    fn paths_name_nodes_and_entries() {
        let forest = &*FOREST;
        for (path, expected) in [
            ("", ""),
            ("/", ""),
            ("/ietf-system:system", "/ietf-system:system"),
            ("/ietf-system:system/ietf-system:contact", "/ietf-system:system/contact"),
            ("/ietf-interfaces:interfaces/interface", "/ietf-interfaces:interfaces/interface"),
            (
                "/ietf-interfaces:interfaces/interface=a%2Fb%2c%3D",
                "/ietf-interfaces:interfaces/interface=a%2Fb%2C%3D",
            ),
            (
                "/ietf-interfaces:interfaces/interface=/enabled",
                "/ietf-interfaces:interfaces/interface=/enabled",
            ),
            (
                "/ietf-interfaces:interfaces/interface=eth0/ietf-ip:ipv6/address=2001:DB8::0:1",
                "/ietf-interfaces:interfaces/interface=eth0/ietf-ip:ipv6/address=2001%3Adb8%3A%3A1",
            ),
            ("/IF-MIB:IF-MIB/ifTable/ifEntry=7/ifName", "/IF-MIB:IF-MIB/ifTable/ifEntry=7/ifName"),
            (
                "/ietf-netconf-monitoring:netconf-state/schemas/schema=IF-MIB,,yang",
                "/ietf-netconf-monitoring:netconf-state/schemas/schema=IF-MIB,,yang",
            ),
            (
                "/ietf-netconf-monitoring:netconf-state/capabilities/capability=urn%3Aa",
                "/ietf-netconf-monitoring:netconf-state/capabilities/capability=urn%3Aa",
            ),
        ] {
            let target = Target::read(path, forest).unwrap_or_else(|it| panic!("{path}: {it:?}"));
            // An empty key is a value (RFC 8040 section 3.5.3).
            assert_eq!(uri(&target, forest), expected, "{path}");
        }
    }

    #[test]
    fn other_paths_are_refused() {
        let forest = &*FOREST;
        for (path, status) in [
            ("/system", 404),
            ("/ietf-system:nothing", 404),
            ("/nothing:system", 404),
            ("/ietf-interfaces:interfaces/interface=eth0/ipv4", 404),
            ("/ietf-interfaces:interfaces/interface=eth0/", 404),
            ("/ietf-interfaces:interfaces/interface/enabled", 400),
            ("/ietf-interfaces:interfaces/interface=a,b", 400),
            ("/ietf-interfaces:interfaces=a", 400),
            ("/ietf-system:system/contact=a", 400),
            ("/ietf-system:system%2", 400),
            ("/ietf-system:system%zz", 400),
            ("/ietf-system:%ff", 400),
            ("/IF-MIB:IF-MIB/ifTable/ifEntry=eth0", 404),
            ("//", 404),
        ] {
            assert_eq!(Target::read(path, forest).map_err(|it| it.status), Err(status), "{path}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(name in "[^\\p{Cc}]{0,20}", index: u32) {
            let forest = &*FOREST;
            for (path, text) in [
                ("/ietf-interfaces:interfaces/interface", name),
                ("/IF-MIB:IF-MIB/ifTable/ifEntry", (index >> 1).to_string()),
            ] {
                let mut given = format!("{path}=");
                encode(&text, &mut given);
                let target = Target::read(&given, forest).unwrap();
                prop_assert_eq!(&target.steps.last().unwrap().keys[0].text, &text);
                prop_assert_eq!(uri(&target, forest), given);
            }
        }

        #[test]
        fn any_path_is_read_or_refused(path in "\\PC{0,60}") {
            let _ = Target::read(&path, &FOREST);
        }
    }
}
