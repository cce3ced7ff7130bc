//! A resource as the body of an answer: of all that is found on the way to it, what is in it, down to the requested depth.

use trunkline_netconf::data::{DataWriter, Shown};
use trunkline_netconf::operation::WithDefaults;
use trunkline_smi::ValueRef;
use trunkline_yang::annotation::{Annotation, Origin};
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
    notes: Option<Notes>,
}

/// Where what is written comes from (RFC 8342 section 5.3.4) and what of it are defaults (RFC 6243 section 3.4), if that is shown.
#[derive(Debug)]
struct Notes {
    shown: Shown,
    /// What is known of the node that comes next.
    next: Annotation,
    /// The origins of what is open.
    open: Vec<Option<Origin>>,
    /// In JSON, what is known of a leaf-list's values that were written; it stands behind them.
    values: Option<(NodeId, Vec<Annotation>)>,
}

impl Notes {
    fn of(shown: Shown) -> Option<Notes> {
        let is_any = shown != Shown::default();
        is_any.then(|| Notes { shown, next: Annotation::default(), open: Vec::new(), values: None })
    }

    fn around(&self) -> Option<Origin> {
        self.open.last().copied().flatten()
    }
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
        let shown = Shown {
            origins: query.with_origin,
            defaults: query.with_defaults == Some(WithDefaults::ReportAllTagged),
        };
        if target.steps.is_empty() {
            match encoding {
                Encoding::Json => octets.extend_from_slice(b"{\"ietf-restconf:data\":"),
                Encoding::Xml => {
                    let declared = shown.declarations();
                    octets.extend_from_slice(format!("<data xmlns=\"{RESTCONF}\"{declared}>").as_bytes());
                }
            }
        }
        let writer = match encoding {
            Encoding::Json => Writer::Json(JsonWriter::new(forest, octets)),
            Encoding::Xml => {
                let mut writer = DataWriter::new(forest, octets);
                writer.show(shown);
                Writer::Xml(writer)
            }
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
            notes: Notes::of(shown),
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
            // A member has one name: with the page, where its values come from is left out.
            self.notes.iter_mut().for_each(|notes| notes.values = None);
            writer.values_metadata(node, &meta.json());
        }
    }

    /// Where the node that is written next is from, and whether it is a default.
    pub fn note(&mut self, annotation: Annotation) {
        if let Some(notes) = &mut self.notes {
            notes.next = annotation;
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
        self.end_values(None);
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
                let declared =
                    self.notes.as_ref().map(|notes| notes.shown.declarations()).unwrap_or_default();
                if self.target.is_some() && !declared.is_empty() {
                    writer.attribute(declared);
                }
            }
        }
    }

    /// What is shown of the node that is written now: its origin, if that is not the one of what it is in.
    fn noted(&mut self, depth: usize) -> Annotation {
        let Some(notes) = &mut self.notes else { return Annotation::default() };
        let (next, around) = (std::mem::take(&mut notes.next), notes.around());
        // Of the resource it is known from what it is in.
        let origin =
            if depth == 1 { next.origin.or(around) } else { next.origin.filter(|it| around != Some(*it)) };
        let shown = notes.shown;
        let noted = Annotation {
            origin: origin.filter(|_| shown.origins),
            is_default: next.is_default && shown.defaults,
        };
        if let Writer::Xml(writer) = &mut self.writer {
            writer.note(noted);
        }
        noted
    }

    /// In JSON, writes what is known of the values of a leaf-list that are all written.
    fn end_values(&mut self, next: Option<NodeId>) {
        let Some(notes) = &mut self.notes else { return };
        let Some((node, values)) = notes.values.take_if(|(node, _)| Some(*node) != next) else { return };
        let all: Vec<Option<String>> = values.into_iter().map(metadata).collect();
        if let Writer::Json(writer) = &mut self.writer
            && all.iter().any(Option::is_some)
        {
            let all: Vec<String> =
                all.into_iter().map(|it| it.unwrap_or_else(|| "null".to_owned())).collect();
            writer.values_metadata_of(node, &format!("[{}]", all.join(",")));
        }
    }

    /// A container, or an entry of a list.
    pub fn open(&mut self, node: NodeId) {
        let meta = self.meta.take();
        if self.skipped > 0 || self.depth_of(node).is_some_and(|depth| depth > self.depth) {
            self.skipped += 1;
            self.note(Annotation::default());
            return;
        }
        if let Some(depth) = self.depth_of(node) {
            self.end_values(None);
            self.count(depth);
            let origin = self.notes.as_ref().and_then(|notes| notes.next.origin.or(notes.around()));
            let noted = self.noted(depth);
            match &mut self.writer {
                Writer::Json(writer) => {
                    writer.open(node);
                    let noted = metadata(noted).map(String::into_bytes);
                    let all = meta.iter().map(|it| it.json()).chain(noted);
                    let all: Vec<Vec<u8>> = all.collect();
                    if !all.is_empty() {
                        writer.metadata(&merged(&all));
                    }
                }
                Writer::Xml(writer) => {
                    meta.iter().for_each(|meta| writer.attribute(meta.attributes()));
                    writer.open(node);
                }
            }
            self.notes.iter_mut().for_each(|notes| notes.open.push(origin));
        } else if let Some(notes) = &mut self.notes {
            let origin = std::mem::take(&mut notes.next).origin.or(notes.around());
            notes.open.push(origin);
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
        self.end_values(None);
        if let Some(notes) = &mut self.notes {
            notes.open.pop();
        }
        if self.depth_of(node).is_some() {
            match &mut self.writer {
                Writer::Json(writer) => writer.close(node),
                Writer::Xml(writer) => writer.close(node),
            }
        }
    }

    /// How deep a leaf is that is written; `None`: it is not.
    fn takes(&mut self, node: NodeId) -> Option<usize> {
        if self.skipped > 0 {
            return None;
        }
        let depth = self.depth_of(node)?;
        let place = &self.forest[node].place;
        // The keys of an entry are always there.
        let is_deep = depth > self.depth && !(place.is_key() && depth == self.depth + 1);
        if is_deep || self.only_state && place.setting().is_some() && !place.is_key() {
            return None;
        }
        self.end_values(Some(node));
        self.count(depth);
        Some(depth)
    }

    /// A leaf.
    pub fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        if self.takes(node).is_some() {
            // Objects of MIB modules are state, which has no origin.
            match &mut self.writer {
                Writer::Json(writer) => writer.leaf(node, value),
                Writer::Xml(writer) => writer.leaf(node, value),
            }
        }
    }

    /// A leaf whose value is written already.
    pub fn leaf_text(&mut self, node: NodeId, value: &str) {
        let meta = self.meta.take();
        let is_other = self.value.as_ref().is_some_and(|wanted| wanted != value);
        let depth = if is_other { None } else { self.takes(node) };
        let Some(depth) = depth else {
            self.note(Annotation::default());
            return;
        };
        self.has_values = Some(node);
        let noted = self.noted(depth);
        match &mut self.writer {
            Writer::Json(writer) => {
                writer.leaf_text(node, value);
                // What is known of values of a leaf-list stands behind all of them.
                if self.forest[node].place.is_leaf_list()
                    && let Some(notes) = &mut self.notes
                {
                    notes.values.get_or_insert_with(|| (node, Vec::new())).1.push(noted);
                } else if let Some(noted) = metadata(noted) {
                    writer.values_metadata_of(node, &noted);
                }
            }
            Writer::Xml(writer) => {
                meta.iter().for_each(|meta| writer.attribute(meta.attributes()));
                writer.leaf_text(node, value);
            }
        }
    }
}

/// What is known as an object of JSON; `None`: nothing is.
fn metadata(noted: Annotation) -> Option<String> {
    let origin = noted.origin.map(|origin| {
        let module = if origin == Origin::File { "trunkline-origin" } else { "ietf-origin" };
        format!("\"ietf-origin:origin\":\"{module}:{}\"", origin.name())
    });
    let default = noted.is_default.then(|| "\"ietf-netconf-with-defaults:default\":true".to_owned());
    let members: Vec<String> = origin.into_iter().chain(default).collect();
    (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
}

/// One object of JSON with the members of several.
fn merged(objects: &[Vec<u8>]) -> Vec<u8> {
    let inner = objects.iter().map(|object| &object[1..object.len() - 1]);
    let members: Vec<&[u8]> = inner.filter(|inner| !inner.is_empty()).collect();
    [b"{", &members.join(&b","[..])[..], b"}"].concat()
}
