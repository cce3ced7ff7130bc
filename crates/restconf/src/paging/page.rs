//! The entries of a page, from instances that were gathered.

use std::cmp::Ordering;

use trunkline_netconf::data::DataWriter;
use trunkline_smi::schema::Syntax;
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::json;
use trunkline_yang::selection::{Wanted, Within};

use super::LOCALE;
use crate::output::Output;
use crate::refusal::Refusal;
use crate::target::{Step, Target, child, encode};

/// An entry of a list, or a value of a leaf-list.
pub type Entry = InstanceId;

/// What is known of a page besides its entries (RFC 7952).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// How many entries are behind it.
    pub remaining: Option<usize>,
    /// The cursor of the page behind it.
    pub next: Option<String>,
    /// The cursor of the page before it.
    pub previous: Option<String>,
    /// Whether it is sorted by the rules that are known here.
    pub is_sorted: bool,
}

impl Meta {
    /// Names and values; whether a value is a number.
    fn members(&self) -> Vec<(&'static str, String, bool)> {
        let mut members = Vec::new();
        if let Some(remaining) = self.remaining.filter(|it| *it > 0) {
            members.push(("remaining", remaining.to_string(), true));
        }
        for (name, cursor) in [("next", &self.next), ("previous", &self.previous)] {
            members.extend(cursor.iter().map(|cursor| (name, cursor.clone(), false)));
        }
        if self.is_sorted {
            members.push(("locale", LOCALE.to_owned(), false));
        }
        members
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members().is_empty()
    }

    /// As an object of JSON.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        let mut octets = vec![b'{'];
        for (at, (name, value, is_number)) in self.members().iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            octets.extend_from_slice(format!("{comma}\"ietf-list-pagination:{name}\":").as_bytes());
            match is_number {
                true => octets.extend_from_slice(value.as_bytes()),
                false => json::string(value, &mut octets),
            }
        }
        octets.push(b'}');
        octets
    }

    /// As attributes of XML, with their prefix declared. Cursors have no characters that need escapes.
    #[must_use]
    pub fn attributes(&self) -> String {
        let mut text = format!(" xmlns:lp=\"{}\"", super::PAGINATION);
        for (name, value, _) in self.members() {
            text.push_str(&format!(" lp:{name}=\"{value}\""));
        }
        text
    }
}

/// All entries of a list or leaf-list among instances.
#[must_use]
pub fn entries(list: NodeId, instances: &Instances) -> Vec<Entry> {
    instances.below(Instances::ROOT).filter(|id| instances.node(*id) == Some(list)).collect()
}

/// The keys of an entry, as a cursor has them; `None`: it has none.
#[must_use]
pub fn keys_of(entry: Entry, forest: &Forest, instances: &Instances) -> Option<String> {
    let is_key = |leaf: &InstanceId| instances.node(*leaf).is_some_and(|node| forest[node].place.is_key());
    let mut text = String::new();
    for (at, key) in instances.children(entry).take_while(is_key).enumerate() {
        if at > 0 {
            text.push(',');
        }
        encode(instances.value(key), &mut text);
    }
    (!text.is_empty()).then_some(text)
}

/// The leaf that `sort-by` names, from a list on.
///
/// # Errors
/// 400: there is none, or there may be several in an entry.
pub fn sort_path(text: &str, list: NodeId, forest: &Forest) -> Result<Vec<NodeId>, Refusal> {
    let mut path = Vec::new();
    for name in text.trim_start_matches("./").split('/') {
        let parent = path.last().copied().unwrap_or(list);
        let name: String = name.chars().take(80).collect();
        let node = child(forest, Some(parent), &name);
        let node =
            node.ok_or_else(|| super::invalid(&format!("sort-by: {} has no {name}", forest[parent].name)))?;
        if forest[node].place.is_many() {
            return Err(super::invalid(&format!("sort-by: an entry may have more than one {name}")));
        }
        path.push(node);
    }
    match path.last() {
        Some(leaf) if forest[*leaf].place.syntax().is_some() => Ok(path),
        _ => Err(super::invalid("sort-by must name a leaf")),
    }
}

/// Sorts entries by a leaf; those without it are last. Numbers are compared as numbers, and names of an enumeration by their order in it.
pub fn sort(entries: &mut [Entry], path: &[NodeId], instances: &Instances, forest: &Forest) {
    let syntax = path.last().and_then(|leaf| forest[*leaf].place.syntax());
    // The values of a boolean are as in YANG, whatever numbers SMIv2 has for them.
    let is_enumeration = |it: &&Syntax| !it.bits && it.convention != Syntax::TRUTH_VALUE.convention;
    let names = syntax.filter(is_enumeration).map_or(&[][..], |syntax| syntax.names);
    let place = |text: &str| names.iter().position(|(_, name)| *name == text).unwrap_or(usize::MAX);
    let value = |entry: Entry| {
        let leaf = path.iter().try_fold(entry, |at, node| {
            instances.children(at).find(|child| instances.node(*child) == Some(*node))
        });
        leaf.map(|leaf| instances.value(leaf)).map(|text| (place(text), text))
    };
    let compare = |one: &str, other: &str| match (one.parse::<i128>(), other.parse::<i128>()) {
        (Ok(one), Ok(other)) => one.cmp(&other),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        _ => one.cmp(other),
    };
    // Each value is looked up once.
    let mut keyed: Vec<_> = entries.iter().map(|entry| (value(*entry), *entry)).collect();
    keyed.sort_by(|(one, _), (other, _)| match (one, other) {
        (Some((first, one)), Some((second, other))) => first.cmp(second).then_with(|| compare(one, other)),
        (one, other) => other.is_some().cmp(&one.is_some()),
    });
    entries.iter_mut().zip(keyed).for_each(|(entry, (_, sorted))| *entry = sorted);
}

/// Receives a page.
pub trait PageSink {
    /// What is known of the entry, or value, that comes next.
    fn annotate(&mut self, meta: &Meta);
    /// What is known of the values of a leaf-list, all of which are written.
    fn annotate_values(&mut self, node: NodeId, meta: &Meta);
    /// Where the node that comes next is from, and whether it is a default.
    fn note(&mut self, annotation: Annotation);
    /// A container, or an entry of a list.
    fn open(&mut self, node: NodeId);
    /// Its end.
    fn close(&mut self, node: NodeId);
    /// A leaf.
    fn leaf_text(&mut self, node: NodeId, value: &str);
}

/// What is written of a page.
pub struct PageWriter<'w> {
    forest: &'w Forest,
    instances: &'w Instances,
    meta: &'w Meta,
    /// What of an entry is wanted.
    within: &'w Within,
    sublist_limit: usize,
}

impl<'w> PageWriter<'w> {
    /// Of the entries of a page. `sublist_limit`: entries of each list in one of them.
    #[must_use]
    pub fn new(
        (instances, forest): (&'w Instances, &'w Forest),
        meta: &'w Meta,
        within: &'w Within,
        sublist_limit: Option<u32>,
    ) -> Self {
        let sublist_limit = sublist_limit.map_or(usize::MAX, super::widened);
        PageWriter { forest, instances, meta, within, sublist_limit }
    }

    /// What the list is in, with the keys of entries. `page`: all entries that come then.
    pub fn begin(&self, target: &Target, page: &[Entry], sink: &mut impl PageSink) {
        let mut above: Vec<InstanceId> = Vec::new();
        let mut at = page.first().and_then(|first| self.instances.parent(*first));
        while let Some(id) = at.filter(|id| *id != Instances::ROOT) {
            above.push(id);
            at = self.instances.parent(id);
        }
        for step in around(target) {
            // Where the entries come from may be known from what they are in.
            if let Some(id) = above.pop() {
                sink.note(self.instances.annotation(id));
            }
            sink.open(step.node);
            step.keys.iter().for_each(|key| sink.leaf_text(key.leaf, &key.text));
        }
    }

    /// An entry.
    pub fn entry(&self, entry: Entry, is_first: bool, sink: &mut impl PageSink) {
        self.instance(entry, is_first.then_some(self.meta), self.within, sink);
    }

    /// The end. `page`: all entries, which were written.
    pub fn end(&self, target: &Target, page: &[Entry], sink: &mut impl PageSink) {
        self.values_meta(page, self.meta, sink);
        around(target).iter().rev().for_each(|step| sink.close(step.node));
    }

    fn instance(&self, id: InstanceId, meta: Option<&Meta>, within: &Within, sink: &mut impl PageSink) {
        let Some(node) = self.instances.node(id) else { return };
        if let Some(meta) = meta.filter(|meta| !meta.is_empty()) {
            sink.annotate(meta);
        }
        sink.note(self.instances.annotation(id));
        if self.forest[node].place.syntax().is_some() {
            sink.leaf_text(node, self.instances.value(id));
            return;
        }
        sink.open(node);
        self.children(id, within, sink);
        sink.close(node);
    }

    /// What is wanted in an instance: of each list, as many entries as are wanted.
    fn children(&self, id: InstanceId, within: &Within, sink: &mut impl PageSink) {
        let all: Vec<InstanceId> = self.instances.children(id).collect();
        for same in all.chunk_by(|one, other| self.instances.node(*one) == self.instances.node(*other)) {
            let Some(node) = same.first().and_then(|first| self.instances.node(*first)) else { continue };
            let is_key = self.forest[node].place.is_key();
            // What was read for where and sort-by alone is not wanted.
            let Some(within) = within.of(node).map(Wanted::within).or_else(|| is_key.then_some(Within::All))
            else {
                continue;
            };
            let kept = &same[..same.len().min(self.sublist_limit)];
            let left = same.len() - kept.len();
            let meta = Meta { remaining: Some(left), ..Meta::default() };
            for (at, child) in kept.iter().enumerate() {
                self.instance(*child, (at == 0).then_some(&meta), &within, sink);
            }
            self.values_meta(kept, &meta, sink);
        }
    }

    /// In JSON, what is known of a leaf-list stands behind its values.
    fn values_meta(&self, values: &[InstanceId], meta: &Meta, sink: &mut impl PageSink) {
        let node = values.first().and_then(|first| self.instances.node(*first));
        let is_values = |node: &NodeId| self.forest[*node].place.syntax().is_some();
        if let Some(node) = node.filter(is_values)
            && !meta.is_empty()
        {
            sink.annotate_values(node, meta);
        }
    }
}

/// The nodes that a list is in.
fn around(target: &Target) -> &[Step] {
    &target.steps[..target.steps.len().saturating_sub(1)]
}

/// Writes a page: its entries, and what is known of it with the first of them.
pub fn write(target: &Target, page: &[Entry], writer: &PageWriter<'_>, sink: &mut impl PageSink) {
    writer.begin(target, page, sink);
    for (at, entry) in page.iter().enumerate() {
        writer.entry(*entry, at == 0, sink);
    }
    writer.end(target, page, sink);
}

impl PageSink for Output<'_> {
    fn annotate(&mut self, meta: &Meta) {
        Output::annotate(self, meta);
    }

    fn annotate_values(&mut self, node: NodeId, meta: &Meta) {
        Output::annotate_values(self, node, meta);
    }

    fn note(&mut self, annotation: Annotation) {
        Output::note(self, annotation);
    }

    fn open(&mut self, node: NodeId) {
        Output::open(self, node);
    }

    fn close(&mut self, node: NodeId) {
        Output::close(self, node);
    }

    fn leaf_text(&mut self, node: NodeId, value: &str) {
        Output::leaf_text(self, node, value);
    }
}

/// XML of NETCONF.
impl PageSink for DataWriter<'_> {
    fn annotate(&mut self, meta: &Meta) {
        self.attribute(meta.attributes());
    }

    fn annotate_values(&mut self, _node: NodeId, _meta: &Meta) {}

    fn note(&mut self, annotation: Annotation) {
        DataWriter::note(self, annotation);
    }

    fn open(&mut self, node: NodeId) {
        DataWriter::open(self, node);
    }

    fn close(&mut self, node: NodeId) {
        DataWriter::close(self, node);
    }

    fn leaf_text(&mut self, node: NodeId, value: &str) {
        DataWriter::leaf_text(self, node, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Encoding;
    use crate::query::Query;
    use trunkline_yang::own::ALL;

    #[test]
    fn names_of_an_enumeration_are_sorted_as_it_has_them() {
        let forest = Forest::of(&trunkline_yang::smiv2::modules());
        let node = |of: Option<NodeId>, name: &str| forest.child(of, name).unwrap();
        let table = node(Some(node(None, "TRUNKLINE-MIB")), "groupMemberTable");
        let list = node(Some(table), "groupMemberEntry");
        let state = node(Some(list), "groupMemberState");
        let mut instances = Instances::new();
        for text in ["up", "9", "notRead", "unknown", "paused", "partial", "down", "up"] {
            instances.open(list);
            instances.leaf(state, text);
            instances.close();
        }
        let mut all = entries(list, &instances);
        sort(&mut all, &[state], &instances, &forest);
        let value = |entry: &Entry| instances.children(*entry).map(|leaf| instances.value(leaf)).next();
        let states: Vec<&str> = all.iter().filter_map(value).collect();
        assert_eq!(states, ["down", "paused", "partial", "unknown", "notRead", "up", "up", "9"]);
    }

    #[test]
    fn pages_are_sorted_annotated_and_shortened() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let node = |of: Option<NodeId>, name: &str| forest.child(of, name).unwrap();
        let interfaces = node(None, "interfaces");
        let list = node(Some(interfaces), "interface");
        let [name, statistics] = ["name", "statistics"].map(|it| node(Some(list), it));
        let octets = node(Some(statistics), "in-octets");
        let ipv4 = node(Some(list), "ipv4");
        let address = node(Some(ipv4), "address");
        let ip = node(Some(address), "ip");
        let mut instances = Instances::new();
        instances.open(interfaces);
        for (text, count) in [("b,1", Some("10")), ("a", None), ("c", Some("9"))] {
            instances.open(list);
            instances.leaf(name, text);
            if let Some(count) = count {
                instances.open(statistics);
                instances.leaf(octets, count);
                instances.close();
            }
            instances.open(ipv4);
            for text in ["1", "2", "3"] {
                instances.open(address);
                instances.leaf(ip, text);
                instances.close();
            }
            instances.close();
            instances.close();
        }
        instances.close();
        let mut all = entries(list, &instances);
        sort(&mut all, &sort_path("statistics/in-octets", list, &forest).unwrap(), &instances, &forest);
        let names: Vec<String> = all.iter().map(|it| keys_of(*it, &forest, &instances).unwrap()).collect();
        assert_eq!(names, ["c", "b%2C1", "a"]);
        for wrong in ["nothing", "statistics", "ietf-ip:ipv4/address/ip", "", "name/x"] {
            assert!(sort_path(wrong, list, &forest).is_err(), "{wrong}");
        }
        let target = Target::read("/ietf-interfaces:interfaces/interface", &forest).unwrap();
        let meta = Meta { remaining: Some(1), next: Some("a".into()), previous: None, is_sorted: true };
        let shown = |encoding, within: Within| {
            let query = Query::default();
            let mut output = Output::begin_list(&target, &query, encoding, &forest);
            let writer = PageWriter::new((&instances, &forest), &meta, &within, Some(2));
            write(&target, &all[..1], &writer, &mut output);
            output.end();
            String::from_utf8(std::mem::take(output.octets())).unwrap()
        };
        assert_eq!(
            shown(Encoding::Json, Within::All),
            r#"{"ietf-interfaces:interface":[{"@":{"ietf-list-pagination:remaining":1,"ietf-list-pagination:next":"a","ietf-list-pagination:locale":"C"},"name":"c","statistics":{"in-octets":"9"},"ietf-ip:ipv4":{"address":[{"@":{"ietf-list-pagination:remaining":1},"ip":"1"},{"ip":"2"}]}}]}"#
        );
        let lp = "xmlns:lp=\"urn:ietf:params:xml:ns:yang:ietf-list-pagination\"";
        assert_eq!(
            shown(Encoding::Xml, Within::All),
            format!(
                "<xml-list><interface xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\" {lp} lp:remaining=\"1\" lp:next=\"a\" lp:locale=\"C\">\
                 <name>c</name><statistics><in-octets>9</in-octets></statistics><ipv4 xmlns=\"urn:ietf:params:xml:ns:yang:ietf-ip\">\
                 <address {lp} lp:remaining=\"1\"><ip>1</ip></address><address><ip>2</ip></address></ipv4></interface></xml-list>"
            )
        );
        // Only what is wanted, and keys.
        let mut wanted = trunkline_yang::selection::Selection::default();
        wanted.add(ipv4, Wanted::nodes(trunkline_yang::selection::Selection::default()));
        assert!(shown(Encoding::Json, Within::Nodes(wanted)).ends_with(r#""name":"c","ietf-ip:ipv4":{}}]}"#));
        let mut octets = DataWriter::new(&forest, Vec::new());
        write(
            &target,
            &all[..1],
            &PageWriter::new((&instances, &forest), &meta, &Within::All, Some(1)),
            &mut octets,
        );
        let text = String::from_utf8(octets.octets).unwrap();
        assert!(text.starts_with(&format!(
            "<interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\"><interface {lp} lp:remaining=\"1\""
        )));
    }
}
