//! A resource as the body of an answer: of all that is found on the way to it, what is in it, down to the requested depth.

use trunkline_netconf::data::DataWriter;
use trunkline_smi::ValueRef;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::json::JsonWriter;

use crate::RESTCONF;
use crate::media::Encoding;
use crate::paging::Meta;
use crate::query::{Content, Query};
use crate::target::Target;

/// Writes a resource. Who calls it keeps the order of nodes.
#[derive(Debug)]
pub struct Output<'f> {
    writer: Writer<'f>,
    forest: &'f Forest,
    /// The resource, and how many nodes it is in; `None`: the datastore.
    target: Option<(NodeId, usize)>,
    /// Of a leaf-list, the value that is meant.
    value: Option<String>,
    /// Nodes within the resource that are deeper are left out.
    depth: usize,
    /// Configuration is left out.
    only_state: bool,
    /// Nodes that are open.
    level: usize,
    /// Nodes that are open and left out.
    skipped: usize,
    instances: usize,
    /// Whether there may be any number of instances, in an element of XML around them.
    is_list: bool,
    /// What is known of the node that comes next.
    meta: Option<Meta>,
    /// The leaf-list whose value was written last.
    has_values: Option<NodeId>,
}

#[derive(Debug)]
enum Writer<'f> {
    Json(JsonWriter<'f>),
    Xml(DataWriter<'f>),
}

impl<'f> Output<'f> {
    /// Begins a body.
    #[must_use]
    pub fn begin(target: &Target, query: &Query, encoding: Encoding, forest: &'f Forest) -> Self {
        let mut octets = Vec::with_capacity(4096);
        if target.steps.is_empty() {
            match encoding {
                Encoding::Json => octets.extend_from_slice(b"{\"ietf-restconf:data\":"),
                Encoding::Xml => {
                    octets.extend_from_slice(format!("<data xmlns=\"{RESTCONF}\">").as_bytes());
                }
            }
        }
        let writer = match encoding {
            Encoding::Json => Writer::Json(JsonWriter::new(forest, octets)),
            Encoding::Xml => Writer::Xml(DataWriter::new(forest, octets)),
        };
        Output {
            writer,
            forest,
            target: target.node().map(|node| (node, target.steps.len() - 1)),
            value: target.steps.last().and_then(|step| step.value.clone()),
            depth: query.depth.map_or(usize::MAX, usize::from),
            only_state: query.content == Content::State,
            level: 0,
            skipped: 0,
            instances: 0,
            is_list: false,
            meta: None,
            has_values: None,
        }
    }

    /// The same of a list or leaf-list as a whole: in XML its entries are in one element (draft-ietf-netconf-list-pagination-rc-10
    /// section 2.2).
    #[must_use]
    pub fn begin_list(target: &Target, query: &Query, encoding: Encoding, forest: &'f Forest) -> Self {
        let mut output = Output::begin(target, query, encoding, forest);
        output.is_list = true;
        if let Writer::Xml(writer) = &mut output.writer {
            writer.octets.extend_from_slice(b"<xml-list>");
        }
        output
    }

    /// What is known of the node that is written next.
    pub fn annotate(&mut self, meta: &Meta) {
        self.meta = Some(meta.clone());
    }

    /// What is known of the values of a leaf-list, which were written. XML has it with the first of them.
    pub fn annotate_values(&mut self, node: NodeId, meta: &Meta) {
        if let Writer::Json(writer) = &mut self.writer
            && self.skipped == 0
            && self.has_values == Some(node)
        {
            writer.values_metadata(node, &meta.json());
        }
    }

    /// What was written, until somebody takes it.
    pub fn octets(&mut self) -> &mut Vec<u8> {
        match &mut self.writer {
            Writer::Json(writer) => &mut writer.octets,
            Writer::Xml(writer) => &mut writer.octets,
        }
    }

    /// How many octets that is.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.writer {
            Writer::Json(writer) => writer.octets.len(),
            Writer::Xml(writer) => writer.octets.len(),
        }
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the resource was there.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.target.is_none() || self.instances > 0
    }

    /// Whether there is more than one instance, which a document of XML cannot have (RFC 8040 section 4.3).
    #[must_use]
    pub fn is_too_many(&self) -> bool {
        self.instances > 1 && !self.is_list && matches!(self.writer, Writer::Xml(_))
    }

    /// The end of the body.
    pub fn end(&mut self) {
        match (&mut self.writer, self.target) {
            (Writer::Json(writer), target) => {
                writer.end();
                if target.is_none() {
                    writer.octets.push(b'}');
                }
            }
            (Writer::Xml(writer), Some(_)) if self.is_list => {
                writer.octets.extend_from_slice(b"</xml-list>");
            }
            (Writer::Xml(writer), None) => writer.octets.extend_from_slice(b"</data>"),
            (Writer::Xml(_), Some(_)) => {}
        }
    }

    /// How deep a node is that would be written now: the resource is 1. `None`: it is not in the resource.
    fn depth_of(&self, node: NodeId) -> Option<usize> {
        let Some((target, above)) = self.target else { return Some(self.level + 2) };
        if self.level < above || self.level == above && node != target {
            return None;
        }
        Some(self.level - above + 1)
    }

    /// Counts an instance of the resource.
    fn count(&mut self, depth: usize) {
        if depth == 1 {
            self.instances += 1;
            if let Writer::Xml(writer) = &mut self.writer {
                writer.outermost();
            }
        }
    }

    /// A container, or an entry of a list.
    pub fn open(&mut self, node: NodeId) {
        let meta = self.meta.take();
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        if let Some(depth) = self.depth_of(node) {
            if depth > self.depth {
                self.skipped = 1;
                return;
            }
            self.count(depth);
            match &mut self.writer {
                Writer::Json(writer) => {
                    writer.open(node);
                    meta.iter().for_each(|meta| writer.metadata(&meta.json()));
                }
                Writer::Xml(writer) => {
                    meta.iter().for_each(|meta| writer.attribute(meta.attributes()));
                    writer.open(node);
                }
            }
        }
        self.has_values = None;
        self.level += 1;
    }

    /// Its end.
    pub fn close(&mut self, node: NodeId) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        self.level = self.level.saturating_sub(1);
        if self.depth_of(node).is_some() {
            match &mut self.writer {
                Writer::Json(writer) => writer.close(node),
                Writer::Xml(writer) => writer.close(node),
            }
        }
    }

    /// Whether a leaf is written.
    fn takes(&mut self, node: NodeId) -> bool {
        if self.skipped > 0 {
            return false;
        }
        let Some(depth) = self.depth_of(node) else { return false };
        let place = &self.forest[node].place;
        // The keys of an entry are always there.
        let is_deep = depth > self.depth && !(place.is_key() && depth == self.depth + 1);
        if is_deep || self.only_state && place.setting().is_some() && !place.is_key() {
            return false;
        }
        self.count(depth);
        true
    }

    /// A leaf.
    pub fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        if self.takes(node) {
            match &mut self.writer {
                Writer::Json(writer) => writer.leaf(node, value),
                Writer::Xml(writer) => writer.leaf(node, value),
            }
        }
    }

    /// A leaf whose value is written already.
    pub fn leaf_text(&mut self, node: NodeId, value: &str) {
        let meta = self.meta.take();
        if self.value.as_ref().is_some_and(|wanted| wanted != value) || !self.takes(node) {
            return;
        }
        self.has_values = Some(node);
        match &mut self.writer {
            // Behind all values.
            Writer::Json(writer) => writer.leaf_text(node, value),
            Writer::Xml(writer) => {
                meta.iter().for_each(|meta| writer.attribute(meta.attributes()));
                writer.leaf_text(node, value);
            }
        }
    }
}
