//! Subtree filters (RFC 6241 section 6) as selections.
//!
//! An element without a namespace matches a node of any namespace (section 6.2.1). The same holds for one in NETCONF's own
//! namespaces, in which there is no data: it has that only because its sender did not declare another one.

use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::identity::Identity;
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

    /// The value of a leaf that is the identity that an element names; `None`: the leaf has no such value. An identity is the same with any
    /// prefix of its module (RFC 7950 section 9.10.3). One without a namespace counts in any, as an element does.
    fn identity(&self, element: Element<'_>, leaf: NodeId) -> Option<String> {
        let (prefix, name) = element.value().split_once(':').unwrap_or(("", element.value()));
        let namespace = match (prefix, element.resolve(prefix)) {
            ("", found) => found.filter(|it| !is_undeclared(it)),
            (_, Some(found)) => Some(found),
            // A prefix that is not declared can only be our own.
            (_, None) => return Some(element.value().to_owned()),
        };
        self.forest.identity_value(leaf, Identity { namespace, name })
    }

    fn is_of(&self, element: Element<'_>, node: NodeId) -> bool {
        let namespace = element.namespace();
        // No data has attributes that a filter could match (section 6.2.2).
        element.name() == self.forest[node].name
            && element.attributes().is_empty()
            && (is_undeclared(namespace) || namespace == self.forest.module(node).namespace)
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
            // An entry that passes is there with its keys, whatever of its selected children it has (sections 6.2.3 and 6.2.5). That one
            // only contains what another entry is selected by is not enough.
            let is_selected = !tests.is_empty() || nodes.nodes.iter().any(|it| it.wanted.is_untested());
            if is_selected && self.forest[node].place.is_list() {
                nodes.add_keys(self.forest, node);
            }
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
            let value = match forest[leaf].place.has_identities() {
                true => lexical::read(&self.identity(element, leaf)?, syntax)?,
                false => lexical::read(element.value(), syntax)?,
            };
            Some(Test { leaf, value })
        };
        element.children().filter(|it| is_content_match(*it)).map(test).collect()
    }
}

/// Whether an element of a filter has this namespace only because its sender did not declare another one.
fn is_undeclared(namespace: &str) -> bool {
    matches!(namespace, "" | BASE | NMDA | PUSH | SUBSCRIBED)
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
    fn identities_are_compared_by_their_modules() {
        use trunkline_yang::own::ALL;
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let yang = |name: &str| format!("urn:ietf:params:xml:ns:yang:{name}");
        let selected = |filter: &str| {
            let declared = format!(
                "xmlns='{BASE}' xmlns:t='{}' xmlns:r='{}' xmlns:v4='{}'",
                yang("iana-if-type"),
                yang("ietf-routing"),
                yang("ietf-ipv4-unicast-routing")
            );
            let text = format!("<filter {declared}>{filter}</filter>");
            let document = Document::read(text.as_bytes(), limits(100_000)).unwrap();
            written(&compile(document.root(), &forest).unwrap(), &forest)
        };
        let interface = |kind: &str| {
            selected(&format!(
                "<interfaces xmlns='{}'><interface>{kind}</interface></interfaces>",
                yang("ietf-interfaces")
            ))
        };
        let is_ethernet = "ietf-interfaces:interfaces(interface[type=ianaift:ethernetCsmacd])";
        assert_eq!(interface("<type>t:ethernetCsmacd</type>"), is_ethernet);
        assert_eq!(interface("<type>ianaift:ethernetCsmacd</type>"), is_ethernet);
        // Of the module that is the default namespace there.
        assert_eq!(interface("<type>ethernetCsmacd</type>"), "");
        assert_eq!(interface("<type>r:ethernetCsmacd</type>"), "");
        let default = format!(
            "<i:type xmlns:i='{}' xmlns='{}'>ethernetCsmacd</i:type>",
            yang("ietf-interfaces"),
            yang("iana-if-type")
        );
        assert_eq!(interface(&default), is_ethernet);
        // Without a namespace anywhere.
        let plain = "<interfaces><interface><type>ethernetCsmacd</type></interface></interfaces>";
        assert_eq!(selected(plain), is_ethernet);
        let routing = |within: &str| selected(&format!("<r:routing>{within}</r:routing>"));
        let protocol = |kind: &str| {
            routing(&format!(
                "<r:control-plane-protocols><r:control-plane-protocol><r:type>{kind}</r:type></r:control-plane-protocol></r:control-plane-protocols>"
            ))
        };
        let is_static = "ietf-routing:routing(control-plane-protocols(control-plane-protocol[type=static]))";
        assert_eq!(protocol("r:static"), is_static);
        assert_eq!(protocol("static"), is_static);
        assert_eq!(protocol("t:static"), "");
        let rib = |family: &str| {
            routing(&format!("<r:ribs><r:rib><r:address-family>{family}</r:address-family></r:rib></r:ribs>"))
        };
        let is_ipv4 = "ietf-routing:routing(ribs(rib[address-family=v4ur:ipv4-unicast]))";
        assert_eq!(rib("v4:ipv4-unicast"), is_ipv4);
        assert_eq!(rib("ipv4-unicast"), is_ipv4);
        assert_eq!(rib("r:ipv4-unicast"), "ietf-routing:routing(ribs(rib[address-family=ipv4-unicast]))");
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
