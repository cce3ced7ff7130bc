//! What differs between two configurations, a line for each value that only one of them has.
//!
//! Entries of lists are named by the leaf that is first in them: keys come first (RFC 7950 section 7.8.5). An element that is there
//! once is taken for a container.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_client::netconf::protocol::document::{Document, Element};
use trunkline_smi::visible;

/// Two configurations beside each other.
pub struct Difference {
    lines: Vec<String>,
}

impl Difference {
    /// Between the contents of the `data` of two replies.
    pub fn of(from: &Document, to: &Document) -> Difference {
        let mut repeated = BTreeSet::new();
        for document in [from, to] {
            document.root().children().for_each(|data| find_repeated(data, "", &mut repeated));
        }
        let values = |document: &Document| {
            let mut all = Vec::new();
            document.root().children().for_each(|data| flatten(data, "", "", &repeated, &mut all));
            all
        };
        let (before, after) = (values(from), values(to));
        Difference { lines: compare(&before, &after) }
    }

    /// A line for each difference: `-` for what only the first has, `+` for what only the second has.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

/// The paths, without values, of elements that stand beside others of their name.
fn find_repeated(element: Element<'_>, path: &str, repeated: &mut BTreeSet<String>) {
    let mut seen = BTreeSet::new();
    for child in element.children() {
        let below = step(child, path);
        if !seen.insert((child.namespace(), child.name())) {
            repeated.insert(below.clone());
        }
        find_repeated(child, &below, repeated);
    }
}

/// The values below an element, with their paths.
fn flatten(
    element: Element<'_>,
    plain: &str,
    path: &str,
    repeated: &BTreeSet<String>,
    all: &mut Vec<(String, String)>,
) {
    for child in element.children() {
        let plain = step(child, plain);
        let mut path = step(child, path);
        if !child.has_children() {
            let of_list = if repeated.contains(&plain) {
                format!("[.={}]", quoted(child.value()))
            } else {
                String::new()
            };
            all.push((format!("{path}{of_list}"), child.value().to_owned()));
            continue;
        }
        if repeated.contains(&plain)
            && let Some(key) = child.children().next().filter(|key| !key.has_children())
        {
            path.push_str(&format!("[{}={}]", visible(key.name()), quoted(key.value())));
        }
        flatten(child, &plain, &path, repeated, all);
    }
}

/// A path one step longer. Namespaces are left out: they would hide what differs.
fn step(child: Element<'_>, path: &str) -> String {
    format!("{path}/{}", visible(child.name()))
}

fn quoted(value: &str) -> String {
    format!("'{}'", visible(value))
}

/// In the order of the first, what is only in the second behind what precedes it there.
fn compare(before: &[(String, String)], after: &[(String, String)]) -> Vec<String> {
    let of = |all: &[(String, String)]| all.iter().cloned().collect::<BTreeMap<String, String>>();
    let (old, new) = (of(before), of(after));
    let mut lines = Vec::new();
    let mut write = |sign: char, path: &str, value: &str| {
        let value = if value.is_empty() { String::new() } else { format!(" = {}", visible(value)) };
        lines.push(format!("{sign} {path}{value}"));
    };
    let mut told = BTreeSet::new();
    for (path, value) in before {
        match new.get(path) {
            Some(same) if same == value => {}
            other => {
                write('-', path, value);
                if let Some(changed) = other {
                    write('+', path, changed);
                    told.insert(path);
                }
            }
        }
    }
    for (path, value) in after {
        if !old.contains_key(path) && !told.contains(path) {
            write('+', path, value);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use trunkline_client::netconf::protocol::document::limits;

    use super::*;

    fn read(content: &str) -> Document {
        Document::read(format!("<reply><data>{content}</data></reply>").as_bytes(), limits(10_000)).unwrap()
    }

    #[test]
    fn what_differs_is_named_by_its_path() {
        let entry = |name: &str, rest: &str| format!("<if><name>{name}</name>{rest}</if>");
        let (one, two) = (entry("eth0", "<mtu>1500</mtu>"), entry("eth1", "<up/>"));
        let changed = entry("eth0", "<mtu>9000</mtu><descr>a b</descr>");
        let from = read(&format!("<ifs>{one}{two}</ifs><host>x</host>"));
        let to = read(&format!("<ifs>{changed}{two}</ifs><host>x</host><dns>1</dns><dns>2</dns>"));
        assert_eq!(
            Difference::of(&from, &to).lines(),
            [
                "- /ifs/if[name='eth0']/mtu = 1500",
                "+ /ifs/if[name='eth0']/mtu = 9000",
                "+ /ifs/if[name='eth0']/descr = a b",
                "+ /dns[.='1'] = 1",
                "+ /dns[.='2'] = 2",
            ]
        );
        assert!(Difference::of(&from, &from).lines().is_empty());
        assert_eq!(Difference::of(&to, &read("")).lines().len(), 8);
    }
}
