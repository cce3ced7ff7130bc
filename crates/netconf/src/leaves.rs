//! The leaves of data, each with its path: `/ietf-interfaces:interfaces/interface[name='lo']/oper-status`.
//!
//! An entry of a list is named by its keys. Those of modules that are known here are in the [`Forest`]. In other modules an element
//! that stands beside others of its name is an entry, and its keys are the leaves that it begins with (RFC 7950 section 7.8.5), as many
//! as it takes to tell all entries apart; where none do, it is named by its position.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use trunkline_yang::forest::{Forest, NodeId};

use crate::document::Element;
use crate::modules::Modules;
use crate::path::{Path, Step};

/// A leaf, an entry of a leaf-list, or a container without anything in it.
#[derive(Debug, Clone)]
pub struct Leaf<'d> {
    /// Its path.
    pub path: String,
    /// Its value without white space at the ends. A prefix in front that is in scope there becomes the name of the module, as in JSON
    /// (RFC 7951 section 6.8): servers choose their prefixes.
    pub value: Cow<'d, str>,
    /// What it is in, and itself.
    pub depth: usize,
    /// Itself.
    pub element: Element<'d>,
}

/// How entries are named, from all data that was [seen](Naming::see): it is the same for all of it.
#[derive(Debug)]
pub struct Naming<'f> {
    forest: &'f Forest,
    kinds: Vec<Kind>,
}

/// All elements at one path without keys.
#[derive(Debug, Default)]
struct Kind {
    below: BTreeMap<(String, String), usize>,
    known: Option<NodeId>,
    entries: Entries,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Entries {
    /// There is one.
    #[default]
    Single,
    /// Of a leaf-list, named by their values.
    Values,
    /// Named by so many leaves in front.
    Leading(usize),
    /// Named by these leaves.
    Keys(Vec<String>),
    /// Nothing tells them apart.
    Positions,
}

impl<'f> Naming<'f> {
    /// Without any data.
    #[must_use]
    pub fn new(forest: &'f Forest) -> Naming<'f> {
        Naming { forest, kinds: vec![Kind::default()] }
    }

    /// Learns from data: the element around it.
    pub fn see(&mut self, data: Element<'_>) {
        self.see_within(data, 0);
    }

    fn see_within(&mut self, element: Element<'_>, kind: usize) {
        let mut groups: BTreeMap<usize, Vec<Element<'_>>> = BTreeMap::new();
        for child in element.children() {
            groups.entry(self.below(kind, child.namespace(), child.name())).or_default().push(child);
        }
        for (kind, siblings) in groups {
            self.learn(kind, &siblings);
            siblings.into_iter().for_each(|it| self.see_within(it, kind));
        }
    }

    fn below(&mut self, kind: usize, namespace: &str, name: &str) -> usize {
        let of = (namespace.to_owned(), name.to_owned());
        if let Some(found) = self.kinds[kind].below.get(&of) {
            return *found;
        }
        let parent = self.kinds[kind].known;
        let is_known = kind == 0 || parent.is_some();
        let known = is_known.then(|| self.forest.child_in(parent, namespace, name)).flatten();
        let entries = match known {
            Some(node) if self.forest[node].place.is_list() => {
                let children = self.forest[node].children.iter().map(|it| &self.forest[*it]);
                let keys = children.filter(|it| it.place.is_key()).map(|it| it.name.clone());
                Entries::Keys(keys.collect())
            }
            _ => Entries::Single,
        };
        self.kinds.push(Kind { below: BTreeMap::new(), known, entries });
        let at = self.kinds.len() - 1;
        self.kinds[kind].below.insert(of, at);
        at
    }

    /// Learns from the elements of one name in one parent.
    fn learn(&mut self, kind: usize, siblings: &[Element<'_>]) {
        let known = &mut self.kinds[kind].entries;
        if siblings.len() < 2 || matches!(known, Entries::Keys(_) | Entries::Positions) {
            return;
        }
        if siblings.iter().all(|it| !it.has_children()) {
            if *known == Entries::Single {
                *known = Entries::Values;
            }
            return;
        }
        let least = if let Entries::Leading(least) = known { *least } else { 1 };
        let tells_apart = |count: &usize| {
            let mut seen = BTreeSet::new();
            siblings.iter().all(|it| {
                let keys: Vec<(&str, &str)> =
                    leading(*it).take(*count).map(|key| (key.name(), key.value())).collect();
                !keys.is_empty() && seen.insert(keys)
            })
        };
        let found = (least..=MOST_KEYS).find(tells_apart);
        *known = found.map_or(Entries::Positions, Entries::Leading);
    }

    /// Learns from what was requested: leaves that a path tests are keys where nothing else is known.
    pub fn expect(&mut self, path: &Path, modules: &Modules) {
        let (mut kind, mut namespace) = (0, "");
        for step in &path.steps {
            namespace = match &step.module {
                Some(module) => modules.namespace(module).unwrap_or_default(),
                None => namespace,
            };
            kind = self.below(kind, namespace, &step.name);
            let keys: Vec<String> = step.tests.iter().filter_map(|test| test.name.clone()).collect();
            let entries = &mut self.kinds[kind].entries;
            if *entries == Entries::Single && !keys.is_empty() {
                *entries = Entries::Keys(keys);
            }
        }
    }

    /// Passes on the leaves of data, in their order: those at a path and below it, or all. The data has been seen.
    pub fn leaves<'d>(
        &self,
        data: Element<'d>,
        modules: &Modules,
        within: Option<&Path>,
        found: &mut impl FnMut(Leaf<'d>),
    ) {
        let within = within.map_or(&[][..], |path| &path.steps);
        let mut walk = Walk { naming: self, modules, found, depth: 0 };
        walk.within(data, 0, "", within, "");
    }
}

/// Whether a text is a name of XML, without a prefix.
fn is_name(text: &str) -> bool {
    text.starts_with(|it: char| it.is_alphabetic() || it == '_')
        && text.chars().all(|it| it.is_alphanumeric() || "_-.".contains(it))
}

/// The leaves that an element begins with.
fn leading(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    element.children().take_while(|it| !it.has_children())
}

struct Walk<'w, 'f, F> {
    naming: &'w Naming<'f>,
    modules: &'w Modules,
    found: &'w mut F,
    depth: usize,
}

impl<F> Walk<'_, '_, F> {
    fn within<'d>(&mut self, element: Element<'d>, kind: usize, path: &str, steps: &[Step], of_steps: &str)
    where
        F: FnMut(Leaf<'d>),
    {
        let mut positions: BTreeMap<usize, usize> = BTreeMap::new();
        for child in element.children() {
            let of = (child.namespace().to_owned(), child.name().to_owned());
            let Some(&kind) = self.naming.kinds[kind].below.get(&of) else { continue };
            let position = positions.entry(kind).or_default();
            *position += 1;
            let (mut rest, mut namespace) = (steps, of_steps);
            if let Some((step, behind)) = steps.split_first() {
                let of_step = step.module.as_deref().map_or(Some(of_steps), |it| self.modules.namespace(it));
                let of_step = of_step.unwrap_or_default();
                if step.name != child.name() || (!of_step.is_empty() && of_step != child.namespace()) {
                    continue;
                }
                (rest, namespace) = (behind, of_step);
            }
            let path = self.path(path, child, element.namespace(), kind, *position);
            self.depth += 1;
            match child.has_children() {
                true => self.within(child, kind, &path, rest, namespace),
                // What a path goes on from is not there.
                false if !rest.is_empty() => {}
                false => {
                    let value = self.value(child);
                    (self.found)(Leaf { path, value, depth: self.depth, element: child });
                }
            }
            self.depth -= 1;
        }
    }

    fn value<'d>(&self, leaf: Element<'d>) -> Cow<'d, str> {
        let value = leaf.value();
        let module = |prefix: &str| self.modules.name(leaf.resolve(prefix).filter(|_| is_name(prefix))?);
        match value.split_once(':') {
            Some((prefix, name)) if is_name(name) => match module(prefix) {
                Some(module) => format!("{module}:{name}").into(),
                None => value.into(),
            },
            _ => value.into(),
        }
    }

    fn path(&self, path: &str, child: Element<'_>, outer: &str, kind: usize, position: usize) -> String {
        let module = if child.namespace() == outer { None } else { self.modules.name(child.namespace()) };
        let mut path = match module {
            Some(module) => format!("{path}/{module}:{}", child.name()),
            None => format!("{path}/{}", child.name()),
        };
        let mut test = |name: &str, value: &str| {
            let quote = if value.contains('\'') { '"' } else { '\'' };
            path.push_str(&format!("[{name}={quote}{value}{quote}]"));
        };
        match &self.naming.kinds[kind].entries {
            Entries::Single => {}
            Entries::Values => test(".", child.value()),
            Entries::Leading(count) => {
                leading(child).take(*count).for_each(|key| test(key.name(), key.value()));
            }
            Entries::Keys(keys) => {
                let value = |name: &String| child.children().find(|it| it.name() == *name);
                keys.iter().filter_map(value).for_each(|key| test(key.name(), key.value()));
            }
            Entries::Positions => path.push_str(&format!("[{position}]")),
        }
        path
    }
}

/// Keys of a list of which nothing is known.
const MOST_KEYS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, limits};
    use trunkline_yang::own::ALL;
    use trunkline_yang::smiv2;

    fn modules() -> Modules {
        let mut modules = Modules::default();
        for (name, namespace) in
            [("a", "urn:a"), ("ietf-interfaces", "urn:ietf:params:xml:ns:yang:ietf-interfaces")]
        {
            modules.add(name, namespace);
        }
        modules
    }

    fn leaves(content: &str, within: Option<&str>) -> Vec<String> {
        let forest = ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with);
        let document = Document::read(format!("<data>{content}</data>").as_bytes(), limits(100_000)).unwrap();
        let mut naming = Naming::new(&forest);
        let path = within.map(|path| Path::parse(path).unwrap());
        path.iter().for_each(|path| naming.expect(path, &modules()));
        naming.see(document.root());
        let mut found = Vec::new();
        naming.leaves(document.root(), &modules(), path.as_ref(), &mut |leaf| {
            assert_eq!(leaf.depth, leaf.path.split('/').count() - 1);
            found.push(format!("{} = {}", leaf.path, leaf.value));
        });
        found
    }

    #[test]
    fn entries_are_named_by_what_tells_them_apart() {
        let entry = |keys: &str| format!("<e>{keys}<z><y>1</y></z></e>");
        for (content, paths) in [
            ("<x xmlns='urn:a'><y>1</y></x>", vec!["/a:x/y = 1"]),
            ("<x xmlns='urn:unknown'><y/></x>", vec!["/x/y = "]),
            (
                "<x xmlns:p='urn:a' xmlns:q='urn:q'><y>p:i</y><y>q:i</y><y>r:i</y><y>p: i</y></x>",
                vec![
                    "/x/y[.='p:i'] = a:i",
                    "/x/y[.='q:i'] = q:i",
                    "/x/y[.='r:i'] = r:i",
                    "/x/y[.='p: i'] = p: i",
                ],
            ),
            ("<x><l>1</l><l>it's</l></x>", vec!["/x/l[.='1'] = 1", "/x/l[.=\"it's\"] = it's"]),
            (
                &(entry("<k>1</k>") + &entry("<k>2</k>")),
                vec!["/e[k='1']/k = 1", "/e[k='1']/z/y = 1", "/e[k='2']/k = 2", "/e[k='2']/z/y = 1"],
            ),
            (
                &(entry("<k>1</k><l>1</l>") + &entry("<k>1</k><l>2</l>")),
                vec![
                    "/e[k='1'][l='1']/k = 1",
                    "/e[k='1'][l='1']/l = 1",
                    "/e[k='1'][l='1']/z/y = 1",
                    "/e[k='1'][l='2']/k = 1",
                    "/e[k='1'][l='2']/l = 2",
                    "/e[k='1'][l='2']/z/y = 1",
                ],
            ),
            (&entry("").repeat(2), vec!["/e[1]/z/y = 1", "/e[2]/z/y = 1"]),
            // A single entry of a list that is known.
            (
                "<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>lo</name>\
                 <ipv4 xmlns='urn:ietf:params:xml:ns:yang:ietf-ip'><mtu>9</mtu></ipv4></interface></interfaces>",
                vec![
                    "/ietf-interfaces:interfaces/interface[name='lo']/name = lo",
                    "/ietf-interfaces:interfaces/interface[name='lo']/ipv4/mtu = 9",
                ],
            ),
        ] {
            assert_eq!(leaves(content, None), paths, "{content}");
        }
    }

    #[test]
    fn a_path_selects_leaves() {
        let content = "<x xmlns='urn:a'><e><k>1</k><v>2</v><f xmlns='urn:b'><g>3</g></f></e><v>4</v></x>";
        for (path, found) in [
            ("/a:x/e/v", vec!["/a:x/e/v = 2"]),
            ("/a:x/e[k='1']/v", vec!["/a:x/e[k='1']/v = 2"]),
            ("/x/e/f", vec!["/a:x/e/f/g = 3"]),
            // The module of a step is that of the step before.
            ("/a:x/e/f/g", vec![]),
            ("/a:x/v/w", vec![]),
            ("/a:x/v", vec!["/a:x/v = 4"]),
        ] {
            assert_eq!(leaves(content, Some(path)), found, "{path}");
        }
    }
}
