//! The resource that a path names (RFC 8040 section 3.5.3), and what is wanted of it as a selection.

use std::sync::Arc;

use trunkline_datastore::{Branch, Config, Item, Step as ConfigStep, path};
use trunkline_netconf::nmda::Store;
use trunkline_netconf::operation::Datastore;
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

/// The datastore that the first segment behind `/restconf/ds` names, as an identity with its module (RFC 8527 section 3.1), and the rest
/// of the path. `None`: it names nothing.
///
/// # Errors
/// 400: an escape is wrong. 404: there is no such datastore here.
pub fn datastore(path: &str) -> Result<Option<(Store, &str)>, Refusal> {
    let (name, rest) = match path.find('/') {
        Some(at) => path.split_at(at),
        None => (path, ""),
    };
    let name = decoded(name)?;
    if name.is_empty() {
        return Ok(None);
    }
    let of_module = name.strip_prefix("ietf-datastores:");
    let store = of_module.and_then(|name| Store::WORDS.iter().find(|(word, _)| *word == name));
    match store {
        Some((_, Store::Of(Datastore::Startup))) | None => {
            let message = format!(
                "there is no datastore {} here: the datastores are ietf-datastores:running, candidate, intended and operational",
                shortened(&name)
            );
            Err(Refusal::new(404, &message))
        }
        Some((_, store)) => Ok(Some((*store, rest))),
    }
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
            let step = Step::read(segment, &target, forest)?;
            target.steps.push(step);
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
    pub fn path(&self) -> impl Iterator<Item = ConfigStep> {
        self.steps.iter().map(|step| {
            // Of a leaf-list, the value is what a key is.
            let texts = step.keys.iter().map(|key| &key.text).chain(&step.value);
            let keys: Vec<Box<str>> = texts.map(|text| text.as_str().into()).collect();
            ConfigStep { node: step.node, keys: Arc::from(keys) }
        })
    }

    /// The same without what is behind so many steps.
    #[must_use]
    pub fn first(&self, steps: usize) -> Target {
        Target { steps: self.steps.iter().take(steps).cloned().collect() }
    }

    /// The refusal of what the model has and what has no instance, or none that may be seen: 404 that names the last step of this path.
    #[must_use]
    pub fn missing(&self, forest: &Forest) -> Refusal {
        self.missing_of("here", forest)
    }

    /// The same about the first step that a configuration does not have; `None`: it has all of them.
    #[must_use]
    pub fn missing_in(&self, config: &Config, forest: &Forest) -> Option<Refusal> {
        self.missing_to(config, &|_| true, forest)
    }

    /// The same where of what is there only that counts whose place somebody `knows`: the others are as if they were not there.
    #[must_use]
    pub fn missing_to(
        &self,
        config: &Config,
        knows: &dyn Fn(&[ConfigStep]) -> bool,
        forest: &Forest,
    ) -> Option<Refusal> {
        let parts = (1..=self.steps.len()).map(|length| self.first(length));
        let is_missing =
            |part: &Target| !part.exists(config, forest) || !knows(&part.path().collect::<Vec<ConfigStep>>());
        parts.into_iter().find(is_missing).map(|part| part.missing_of("in the configuration", forest))
    }

    /// The same of what a configuration has nothing of, although it may be there.
    #[must_use]
    pub fn missing_of(&self, place: &str, forest: &Forest) -> Refusal {
        let steps: Vec<ConfigStep> = self.path().collect();
        let shown = shortened(&uri(self, forest));
        Refusal::new(404, &format!("there is no {shown} {place}")).at(path(forest, &steps))
    }

    /// The refusal of a name that the model does not have in this.
    fn unknown(&self, name: &str, forest: &Forest) -> Refusal {
        let parent = self.node();
        let (module, inner) = name.split_once(':').unwrap_or(("", name));
        let shown = shortened(name);
        let within =
            if self.steps.is_empty() { "the datastore".to_owned() } else { shortened(&uri(self, forest)) };
        let others = forest.children(parent).iter().filter(|node| forest[**node].name == inner);
        let others: Vec<String> =
            others.map(|node| format!("{}:{inner}", forest.module(*node).name)).collect();
        let message = if !module.is_empty() && forest.modules().iter().all(|it| it.name != module) {
            format!("no module here has the name {}", shortened(module))
        } else if !others.is_empty() {
            // RFC 8040 section 3.5.3.
            format!("{within} has no {shown}: with its module it is {}", others.join(" or "))
        } else {
            format!("{within} has no {shown}: the model has no such node")
        };
        let steps: Vec<ConfigStep> = self.path().collect();
        Refusal::new(404, &message).at(path(forest, &steps))
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

    fn read(segment: &str, within: &Target, forest: &Forest) -> Result<Step, Refusal> {
        let (name, keys) = match segment.split_once('=') {
            Some((name, keys)) => (name, Some(keys)),
            None => (segment, None),
        };
        let name = decoded(name)?;
        if name.is_empty() {
            return Err(Refusal::new(404, "a step of the path is empty: there is a slash too many"));
        }
        let node = child(forest, within.node(), &name).ok_or_else(|| within.unknown(&name, forest))?;
        let mut step = Step { node, keys: Vec::new(), value: None };
        let Some(keys) = keys else { return Ok(step) };
        let place = &forest[node].place;
        if place.is_list() {
            let leaves: Vec<NodeId> = forest.keys(node).collect();
            let given = keys.split(',').map(decoded).collect::<Result<Vec<String>, Refusal>>()?;
            if given.len() != leaves.len() {
                let (name, expected, found) = (&forest[node].name, leaves.len(), given.len());
                let names: Vec<&str> = leaves.iter().map(|leaf| &*forest[*leaf].name).collect();
                let keys = if expected == 1 { "key" } else { "keys" };
                let names = names.join(", ");
                let message = format!("an entry of {name} has {expected} {keys} ({names}), found {found}");
                return Err(Refusal::bad(&message));
            }
            for (leaf, text) in leaves.into_iter().zip(given) {
                // What cannot be a value is that of no entry.
                let key = Key::of(leaf, &text, forest).ok_or_else(|| {
                    let (list, key) = (&forest[node].name, &forest[leaf].name);
                    let message = format!("there is no such {list}: {key} cannot be {}", shortened(&text));
                    Refusal::new(404, &message)
                })?;
                step.keys.push(key);
            }
        } else if place.is_many() {
            let text = decoded(keys)?;
            let namespace_of = |module: &str| namespace(node, module, forest);
            step.value = Some(value_text(&text, node, namespace_of, forest).unwrap_or(text));
        } else {
            return Err(Refusal::bad(&format!("{} is not a list: = cannot follow it", forest[node].name)));
        }
        Ok(step)
    }
}

impl Key {
    fn of(leaf: NodeId, text: &str, forest: &Forest) -> Option<Key> {
        let place = &forest[leaf].place;
        let text = match place.setting() {
            Some(_) => value_text(text, leaf, |module| namespace(leaf, module, forest), forest)?,
            None => text.to_owned(),
        };
        let value = lexical::read(&text, place.syntax()?)?;
        Some(Key { leaf, text, value })
    }
}

/// The namespace of a module in the value of a leaf. Without a module an identity is one of the leaf's (RFC 7951 section 6.8).
fn namespace<'f>(leaf: NodeId, module: &str, forest: &'f Forest) -> Option<&'f str> {
    let module = if module.is_empty() { forest.module(leaf).name } else { module };
    forest.modules().iter().find(|it| it.name == module).map(|it| it.namespace.as_str())
}

/// A value of a leaf that can be configured, as a configuration keeps it; `None`: it cannot have that value.
pub(crate) fn value_text<'n>(
    text: &str,
    leaf: NodeId,
    namespace_of: impl Fn(&str) -> Option<&'n str>,
    forest: &Forest,
) -> Option<String> {
    forest[leaf].place.setting()?.value.canonical(text, namespace_of).ok()
}

fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
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
