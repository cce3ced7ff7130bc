//! Links to what is in a node, for readers without scripts: containers and lists, with the cases of choices that are not used, groups and
//! devices.

use std::fmt::Write as _;

use trunkline_restconf::json::Json;
use trunkline_restconf::target::{Step, encode, uri};
use trunkline_yang::forest::{Forest, NodeId};

use super::{Shown, escaped, members, only};
use crate::schema;

impl Shown {
    /// Links to containers and lists in it.
    pub(super) fn links(&self, forest: &Forest, up: &str, body: &[u8], out: &mut String) {
        if self.target.is_whole_list(forest) {
            return;
        }
        let inner = forest.children(self.node()).iter().filter(|id| forest[**id].place.syntax().is_none());
        let links: Vec<NodeId> = inner.copied().collect();
        if links.is_empty() {
            return;
        }
        self.device_links(out);
        if self.has_groups && self.node().is_none() {
            out.push_str("<p><a href=\"../plain/groups\">Groups</a> of other agents, and their members</p>");
        }
        out.push_str("<ul class=\"links\">");
        let data = only(body);
        for &id in &links {
            let kind = match forest[id].place.is_list() {
                true => " (table)",
                false if self.is_unused(forest, id, data.as_ref()) => " (not used)",
                false => "",
            };
            let (module, name) = (forest.module(id).name, &forest[id].name);
            let is_alone = links.iter().filter(|other| forest.module(**other).name == module).count() == 1;
            let text = match self.node() {
                None if is_alone => module.to_owned(),
                None => format!("{module}: {name}"),
                Some(_) => name.to_string(),
            };
            let mut target = self.target.clone();
            target.steps.push(Step { node: id, keys: Vec::new(), value: None });
            let _ = write!(
                out,
                "<li><a href=\"{up}../plain{}\">{}</a>{kind}</li>",
                uri(&target, forest),
                escaped(&text)
            );
        }
        out.push_str("</ul>");
    }

    /// Whether a node is a case of a choice that is not in use. Secrets are not in the data: of a case with nothing else nobody tells.
    fn is_unused(&self, forest: &Forest, node: NodeId, data: Option<&Json>) -> bool {
        let case = |node: NodeId| forest[node].place.case();
        let is_there = |node: NodeId| {
            let name = schema::name_within(forest, node);
            data.and_then(members).is_some_and(|members| members.iter().any(|(known, _)| *known == name))
        };
        let is_other = |it: &NodeId| case(*it) > 0 && is_there(*it);
        case(node) > 0
            && !is_there(node)
            && (forest.children(self.node()).iter().any(is_other)
                || self.is_whole && !has_secret(forest, node))
    }

    /// Links to the pages of devices.
    fn device_links(&self, out: &mut String) {
        if self.devices.is_empty() {
            return;
        }
        out.push_str("<h2>Devices</h2><ul class=\"links\">");
        for name in &self.devices {
            let (mut part, name) = (String::new(), name.as_str());
            encode(name, &mut part);
            let name = escaped(name);
            let _ = write!(out, "<li><a href=\"../../devices/{part}/browser/plain/\">{name}</a></li>");
        }
        out.push_str("</ul><h2>This machine</h2>");
    }
}

/// Whether a node is a secret, or has one in it.
fn has_secret(forest: &Forest, node: NodeId) -> bool {
    forest[node].place.setting().is_some_and(|setting| setting.is_secret)
        || forest[node].children.iter().any(|child| has_secret(forest, *child))
}
