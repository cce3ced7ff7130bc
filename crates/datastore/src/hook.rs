//! What the program of an operator reads, that applies a part of a configuration: an object of JSON with what differs.

use std::sync::Arc;

use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::json::{JsonWriter, string};

use crate::changes::changes;
use crate::config::{Branch, Config, Item, Step};

/// A part of a configuration: containers, each in the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subtree(Vec<Step>);

impl Subtree {
    /// That of a path as JSON has it: `/trunkline-bgp:bgp`.
    ///
    /// # Errors
    /// What the path does not name.
    pub fn of(forest: &Forest, path: &str) -> Result<Subtree, String> {
        let mut steps: Vec<Step> = Vec::new();
        for part in path.split('/').skip(1) {
            let within = steps.last().map(|step| step.node);
            let node = match part.split_once(':') {
                Some((module, name)) => forest.child_of(within, module, name),
                None => within.and_then(|of| forest.child_of(within, forest.module(of).name, part)),
            };
            let node =
                node.ok_or_else(|| format!("{path}: there is no {part} in the models of this agent"))?;
            let place = &forest[node].place;
            if place.is_list() || place.syntax().is_some() || !place.is_configuration() {
                return Err(format!("{path}: {part} is not a container of configuration"));
            }
            steps.push(Step::to(node));
        }
        if steps.is_empty() { Err(format!("{path} names no container")) } else { Ok(Subtree(steps)) }
    }

    /// The steps to it.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Its outermost container.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.0[0].node
    }

    /// What a configuration has there.
    fn branch<'c>(&self, config: &'c Config) -> Option<&'c Arc<Branch>> {
        let mut branch = config.root();
        let mut found = None;
        for step in &self.0 {
            let Some(Item::Within(within)) = branch.get(step) else { return None };
            (branch, found) = (within, Some(within));
        }
        found
    }

    /// Whether two configurations have the same there.
    #[must_use]
    pub fn is_same(&self, before: &Config, after: &Config) -> bool {
        match (self.branch(before), self.branch(after)) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// What a program reads: `step`, what it is to do; `subtree`, where; `changes`, each with `path`, `old` and `new`, which are null where
    /// there is nothing; `old` and `new`, the whole part before and afterwards, or null.
    #[must_use]
    pub fn document(&self, forest: &Forest, step: &str, before: &Config, after: &Config) -> Vec<u8> {
        let mut octets = b"{\"step\":".to_vec();
        string(step, &mut octets);
        octets.extend_from_slice(b",\"subtree\":");
        string(&path(forest, &self.0), &mut octets);
        octets.extend_from_slice(b",\"changes\":[");
        let mut is_first = true;
        for change in changes(before, after).iter().filter(|change| change.path.starts_with(&self.0)) {
            octets.extend_from_slice(if std::mem::take(&mut is_first) {
                b"{\"path\":"
            } else {
                b",{\"path\":"
            });
            string(&path(forest, &change.path), &mut octets);
            for (name, value) in [(&b",\"old\":"[..], &change.before), (&b",\"new\":"[..], &change.after)] {
                octets.extend_from_slice(name);
                match value {
                    Some(value) => string(value, &mut octets),
                    None => octets.extend_from_slice(b"null"),
                }
            }
            octets.push(b'}');
        }
        octets.push(b']');
        for (name, config) in [(&b",\"old\":"[..], before), (&b",\"new\":"[..], after)] {
            octets.extend_from_slice(name);
            octets = self.whole(forest, config, octets);
        }
        octets.extend_from_slice(b"}\n");
        octets
    }

    fn whole(&self, forest: &Forest, config: &Config, mut octets: Vec<u8>) -> Vec<u8> {
        let (Some(branch), Some(last)) = (self.branch(config), self.0.last()) else {
            octets.extend_from_slice(b"null");
            return octets;
        };
        let mut writer = JsonWriter::new(forest, octets);
        writer.open(last.node);
        write(branch, &mut writer);
        writer.close(last.node);
        writer.end();
        writer.octets
    }
}

fn write(branch: &Branch, writer: &mut JsonWriter<'_>) {
    for (step, item) in branch.iter() {
        match item {
            Item::Leaf(value) => writer.leaf_text(step.node, value),
            Item::Within(within) => {
                writer.open(step.node);
                write(within, writer);
                writer.close(step.node);
            }
        }
    }
}

/// An instance identifier as JSON has it (RFC 7951 section 6.11).
fn path(forest: &Forest, steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        text.push('/');
        if forest.begins_namespace(step.node) {
            text.push_str(forest.module(step.node).name);
            text.push(':');
        }
        text.push_str(&forest[step.node].name);
        let names = forest.keys(step.node).map(|key| forest[key].name.as_str());
        let of_leaf_list = std::iter::once(".").filter(|_| forest[step.node].place.is_leaf_list());
        for (name, value) in names.chain(of_leaf_list).zip(step.keys.iter()) {
            let quote = if value.contains('\'') { '"' } else { '\'' };
            text.push_str(&format!("[{name}={quote}{value}{quote}]"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::read;

    const ONE: &str = "<global><as>65001</as></global><neighbors><neighbor><remote-address>192.0.2.2</remote-address>\
                       <peer-as>65002</peer-as></neighbor></neighbors>";

    #[test]
    fn a_program_reads_what_differs() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let config = |content: &str| {
            let text = format!("<config><bgp xmlns='urn:trunkline:yang:bgp'>{content}</bgp></config>");
            read(&forest, Document::read(text.as_bytes(), limits(10_000)).unwrap().root()).unwrap()
        };
        let bgp = Subtree::of(&forest, "/trunkline-bgp:bgp").unwrap();
        let (nothing, one, two) = (Config::default(), config(ONE), config(&ONE.replace("65002", "65003")));
        assert!(
            bgp.is_same(&one, &one) && bgp.is_same(&nothing, &nothing) && bgp.is_same(&one, &config(ONE))
        );
        assert!(!bgp.is_same(&one, &two) && !bgp.is_same(&nothing, &one));
        let whole = |peer: &str| {
            format!(
                r#"{{"trunkline-bgp:bgp":{{"global":{{"as":65001}},"neighbors":{{"neighbor":[{{"remote-address":"192.0.2.2","peer-as":{peer}}}]}}}}}}"#
            )
        };
        let neighbor = "/trunkline-bgp:bgp/neighbors/neighbor[remote-address='192.0.2.2']";
        let expected = format!(
            r#"{{"step":"apply","subtree":"/trunkline-bgp:bgp","changes":[{{"path":"{neighbor}/peer-as","old":"65002","new":"65003"}}],"old":{},"new":{}}}"#,
            whole("65002"),
            whole("65003")
        );
        assert_eq!(String::from_utf8(bgp.document(&forest, "apply", &one, &two)).unwrap(), expected + "\n");
        let neighbors = Subtree::of(&forest, "/trunkline-bgp:bgp/neighbors").unwrap();
        let text = String::from_utf8(neighbors.document(&forest, "check", &one, &nothing)).unwrap();
        assert!(text.ends_with(",\"new\":null}\n"), "{text}");
        assert!(
            text.contains(r#""old":{"trunkline-bgp:neighbors":{"neighbor":[{"remote-address""#),
            "{text}"
        );
        for wrong in [
            "/trunkline-bgp:x",
            "/x:bgp",
            "/trunkline-bgp:bgp/neighbors/neighbor",
            "/trunkline-netconf:netconf",
            "/",
        ] {
            assert!(Subtree::of(&forest, wrong).is_err(), "{wrong}");
        }
    }
}
