//! Subtree filters (RFC 6241 section 6) as selections.
//!
//! An element without a namespace matches a node of any namespace (section 6.2.1). The same holds for one in NETCONF's own
//! namespaces, in which there is no data: it has that only because its sender did not declare another one.

use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::lexical;
use trunkline_yang::selection::{Alternative, Selection, Test, Wanted, Within};

use crate::document::Element;
use crate::error::{Layer, RpcError, Tag};
use crate::{BASE, NMDA, PUSH, SUBSCRIBED};

/// What the children of a filter's element select.
///
/// # Errors
/// `resource-denied`: more alternatives than [`MOST`].
pub fn compile(filter: Element<'_>, forest: &Forest) -> Result<Selection, RpcError> {
    let mut compiler = Compiler { forest, left: MOST };
    compiler.siblings(filter.children(), None)
}

/// The most selections and containments in a filter: each row is compared with all of one list.
pub const MOST: usize = 10_000;

struct Compiler<'f> {
    forest: &'f Forest,
    left: usize,
}

impl Compiler<'_> {
    fn siblings<'d>(
        &mut self,
        elements: impl Iterator<Item = Element<'d>>,
        parent: Option<NodeId>,
    ) -> Result<Selection, RpcError> {
        let mut selection = Selection::default();
        for element in elements {
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                let message = format!(
                    "the filter has more than {MOST} elements; select with fewer, or without a filter"
                );
                RpcError::new(Layer::Protocol, Tag::ResourceDenied, message)
            })?;
            for &node in self.forest.children(parent) {
                if self.is_of(element, node)
                    && let Some(wanted) = self.wanted(element, node)?
                {
                    selection.add(node, wanted);
                }
            }
        }
        Ok(selection)
    }

    fn is_of(&self, element: Element<'_>, node: NodeId) -> bool {
        let namespace = element.namespace();
        // No data has attributes that a filter could match (section 6.2.2).
        element.name() == self.forest[node].name
            && element.attributes().is_empty()
            && (matches!(namespace, "" | BASE | NMDA | PUSH | SUBSCRIBED)
                || namespace == self.forest.module(node).namespace)
    }

    /// What an element wants of the node that it is about; `None`: nothing.
    fn wanted(&mut self, element: Element<'_>, node: NodeId) -> Result<Option<Wanted>, RpcError> {
        let is_leaf = self.forest[node].place.syntax().is_some();
        let is_empty = !element.has_children() && element.value().is_empty();
        if is_empty {
            return Ok(Some(Wanted::All));
        }
        // A leaf has no elements in it, and only a leaf has a value.
        if is_leaf || !element.has_children() {
            return Ok(None);
        }
        let Some(tests) = self.tests(element, node) else { return Ok(None) };
        let others: Vec<Element<'_>> = element.children().filter(|it| !is_content_match(*it)).collect();
        let within = if others.is_empty() {
            Within::All
        } else {
            let mut nodes = self.siblings(others.into_iter(), Some(node))?;
            tests.iter().for_each(|test| nodes.add(test.leaf, Wanted::All));
            Within::Nodes(nodes)
        };
        let selects_nothing = matches!(&within, Within::Nodes(nodes) if nodes.nodes.is_empty());
        Ok((!selects_nothing).then(|| Wanted::Some(vec![Alternative { tests, within }])))
    }

    /// The values that leaves must have; `None`: one that no instance has.
    fn tests(&self, element: Element<'_>, node: NodeId) -> Option<Vec<Test>> {
        let forest = self.forest;
        let test = |element: Element<'_>| {
            let &leaf = forest[node].children.iter().find(|it| self.is_of(element, **it))?;
            let syntax = forest[leaf].place.syntax()?;
            // White space around a value is the sender's layout, unless it is the value.
            let value = match forest[leaf].place.declares() {
                // An identity is the same with any prefix of its namespace.
                Some((prefix, namespace)) => {
                    let (theirs, name) = element.value().split_once(':').unwrap_or(("", element.value()));
                    let is_of = element.resolve(theirs) == Some(namespace);
                    let text = if is_of { &format!("{prefix}:{name}") } else { element.value() };
                    lexical::read(text, syntax)?
                }
                None => lexical::read(element.value(), syntax)?,
            };
            Some(Test { leaf, value })
        };
        element.children().filter(|it| is_content_match(*it)).map(test).collect()
    }
}

/// A leaf with a value that its siblings are selected by (section 6.2.5).
fn is_content_match(element: Element<'_>) -> bool {
    !element.has_children() && !element.value().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, limits};
    use trunkline_smi::Value;
    use trunkline_yang::forest::PathOf;
    use trunkline_yang::smiv2::modules;

    /// A selection as text: paths, with tests in brackets.
    fn compiled(filter: &str) -> String {
        let forest = Forest::of(&modules());
        let text = format!("<filter xmlns='{BASE}'>{filter}</filter>");
        let document = Document::read(text.as_bytes(), limits(100_000)).unwrap();
        let selection = compile(document.root(), &forest).unwrap();
        written(&selection, &forest)
    }

    fn written(selection: &Selection, forest: &Forest) -> String {
        let one = |node: NodeId, wanted: &Wanted| {
            let name = match forest.begins_namespace(node) {
                true => PathOf(forest, node).to_string().rsplit('/').next().unwrap().to_owned(),
                false => forest[node].name.clone(),
            };
            match wanted {
                Wanted::All => name,
                Wanted::Some(alternatives) => {
                    let each = alternatives.iter().map(|it| {
                        let test = |test: &Test| {
                            let mut value = String::new();
                            let syntax = forest[test.leaf].place.syntax().unwrap();
                            lexical::write(test.value.as_value_ref(), syntax, &mut value);
                            format!("[{}={value}]", forest[test.leaf].name)
                        };
                        let tests: String = it.tests.iter().map(test).collect();
                        match &it.within {
                            Within::All => format!("{name}{tests}"),
                            Within::Nodes(nodes) => format!("{name}{tests}({})", written(nodes, forest)),
                        }
                    });
                    each.collect::<Vec<_>>().join("|")
                }
            }
        };
        selection.nodes.iter().map(|it| one(it.node, &it.wanted)).collect::<Vec<_>>().join(" ")
    }

    const IF: &str = "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB";

    #[test]
    fn filters_select_what_the_rfc_says() {
        for (filter, selected) in [
            ("", ""),
            ("<IF-MIB/>", "IF-MIB:IF-MIB"),
            ("<IF-MIB xmlns=''/>", "IF-MIB:IF-MIB"),
            (&format!("<i:IF-MIB xmlns:i='{IF}'/>"), "IF-MIB:IF-MIB"),
            ("<IF-MIB xmlns='urn:other'/>", ""),
            ("<IF-MIB a='b'/>", ""),
            ("<nothing/>", ""),
            ("<IF-MIB>text</IF-MIB>", ""),
            ("<IF-MIB><interfaces/></IF-MIB>", "IF-MIB:IF-MIB(interfaces)"),
            ("<IF-MIB><interfaces><ifNumber/></interfaces></IF-MIB>", "IF-MIB:IF-MIB(interfaces(ifNumber))"),
            // A leaf with something in it is nothing that could be there.
            ("<IF-MIB><interfaces><ifNumber><a/></ifNumber></interfaces></IF-MIB>", ""),
            (
                "<IF-MIB><ifTable><ifEntry><ifIndex>2</ifIndex></ifEntry></ifTable></IF-MIB>",
                "IF-MIB:IF-MIB(ifTable(ifEntry[ifIndex=2]))",
            ),
            (
                "<IF-MIB><ifTable><ifEntry><ifIndex> 2 </ifIndex><ifDescr/></ifEntry></ifTable></IF-MIB>",
                "IF-MIB:IF-MIB(ifTable(ifEntry[ifIndex=2](ifIndex ifDescr)))",
            ),
            (
                "<IF-MIB><ifTable><ifEntry><ifOperStatus>up</ifOperStatus><ifIndex/></ifEntry></ifTable></IF-MIB>",
                "IF-MIB:IF-MIB(ifTable(ifEntry[ifOperStatus=up](ifIndex ifOperStatus)))",
            ),
            // No interface is in such a state.
            ("<IF-MIB><ifTable><ifEntry><ifOperStatus>odd</ifOperStatus></ifEntry></ifTable></IF-MIB>", ""),
            // Two rows, without duplicates.
            (
                "<IF-MIB><ifTable><ifEntry><ifIndex>1</ifIndex></ifEntry><ifEntry><ifIndex>1</ifIndex></ifEntry>\
                 <ifEntry><ifIndex>3</ifIndex><ifType/></ifEntry></ifTable></IF-MIB>",
                "IF-MIB:IF-MIB(ifTable(ifEntry[ifIndex=1]|ifEntry[ifIndex=3](ifIndex ifType)))",
            ),
            ("<IF-MIB><interfaces/></IF-MIB><IF-MIB/>", "IF-MIB:IF-MIB"),
            (
                "<IF-MIB><interfaces/></IF-MIB><IF-MIB><ifTable/></IF-MIB>",
                "IF-MIB:IF-MIB(interfaces ifTable)",
            ),
        ] {
            assert_eq!(compiled(filter), selected, "{filter}");
        }
    }

    #[test]
    fn keys_and_values_are_compared_in_their_types() {
        let forest = Forest::of(&modules());
        let leaf = forest.roots()[0];
        let test = |value: Value| Test { leaf, value };
        let index = trunkline_smi::IndexRef::Integer(7);
        assert!(test(Value::Integer(7)).holds_of_key(index));
        assert!(!test(Value::Integer(-7)).holds_of_key(index));
        assert!(test(Value::OctetString(vec![1, 2])).holds_of_key(trunkline_smi::IndexRef::Octets(&[1, 2])));
        assert!(!test(Value::Counter32(7)).holds(Some(trunkline_smi::ValueRef::Unsigned32(7))));
    }

    #[test]
    fn a_filter_made_to_be_slow_is_refused() {
        let forest = Forest::of(&modules());
        let text = format!("<filter xmlns='{BASE}'>{}</filter>", "<IF-MIB/>".repeat(MOST + 1));
        let document = Document::read(text.as_bytes(), limits(1 << 20)).unwrap();
        let error = compile(document.root(), &forest).unwrap_err();
        assert_eq!(error.tag, Tag::ResourceDenied);
    }
}
