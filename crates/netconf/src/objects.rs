//! Objects of SMIv2 modules, as a client requests them by NETCONF: from their identifiers to a subtree filter, and from a
//! reply's data back to values (RFC 6643).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

use thiserror::Error;
use trunkline_smi::schema::{Column, IndexPart, Scalar, Table};
use trunkline_smi::{IndexValue, Oid, OidBuf, Value, encode_index, index_refs};
use trunkline_xml::{Event, Limits, Reader, XmlError};
use trunkline_yang::forest::{Forest, NodeId, PathOf, Place};
use trunkline_yang::lexical;
use trunkline_yang::smiv2::modules;

use crate::BASE;
use crate::data::DataWriter;

/// All objects that can be read, by their identifiers.
#[derive(Debug)]
pub struct Objects {
    forest: Forest,
    known: BTreeMap<Oid, NodeId>,
}

/// What is requested of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<'o> {
    /// Its leaf.
    pub leaf: NodeId,
    /// The index of a row; `None`: all of them. A scalar has none.
    pub row: Option<&'o [u32]>,
}

/// What a reply holds, as it is found.
#[derive(Debug)]
pub enum Found<'f> {
    /// A scalar.
    Scalar(&'static Scalar, Value),
    /// An entry of a list.
    Row {
        /// The list's table.
        table: &'static Table,
        /// The row's index.
        index: &'f [u32],
        /// Its cells, those of index objects included, each with its own table: one that AUGMENTS the list's has columns here
        /// too.
        cells: &'f [(&'static Table, &'static Column, Value)],
    },
}

/// Why a reply's data cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DataError {
    /// Not well formed, or longer than the limits.
    #[error("the reply is not well-formed: {0}")]
    Xml(#[from] XmlError),
    /// A value that its leaf cannot have.
    #[error("the reply has \"{found}\" as {path}, which is not a value of it")]
    Value {
        /// The leaf.
        path: String,
        /// The text.
        found: String,
    },
    /// An entry without all of its keys, or with keys that form no index.
    #[error("the reply has an entry of {path} whose keys are missing or form no index")]
    Keys {
        /// The list.
        path: String,
    },
    /// Something else than data.
    #[error("expected data, found {found}")]
    NotData {
        /// The element.
        found: String,
    },
}

impl Default for Objects {
    fn default() -> Self {
        Self::new()
    }
}

impl Objects {
    /// Those of all modules.
    #[must_use]
    pub fn new() -> Objects {
        let forest = Forest::of(&modules());
        let mut known = BTreeMap::new();
        let mut open = forest.roots().to_vec();
        while let Some(node) = open.pop() {
            open.extend_from_slice(&forest[node].children);
            if let Some(oid) = identifier(&forest, node) {
                known.insert(oid, node);
            }
        }
        Objects { forest, known }
    }

    /// Its nodes.
    #[must_use]
    pub const fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The object that an instance's name begins with, and the rest of the name.
    #[must_use]
    pub fn of_instance<'n>(&self, name: &'n [u32]) -> Option<(NodeId, &'n [u32])> {
        let (oid, leaf) = self.known.range::<[u32], _>((Unbounded, Included(name))).next_back()?;
        Some((*leaf, name.strip_prefix(&oid[..])?))
    }

    /// The objects below a name, in order.
    pub fn below<'s>(&'s self, root: &'s [u32]) -> impl Iterator<Item = (&'s Oid, NodeId)> {
        let from = self.known.range::<[u32], _>((Included(root), Unbounded));
        from.take_while(|(oid, _)| oid.starts_with(root)).map(|(oid, leaf)| (oid, *leaf))
    }

    /// The objects of which an instance may follow a name, in order.
    pub fn following<'s>(&'s self, name: &'s [u32]) -> impl Iterator<Item = (&'s Oid, NodeId)> {
        let within = self.of_instance(name).map(|(leaf, rest)| (&name[..name.len() - rest.len()], leaf));
        let within = within.and_then(|(oid, _)| self.known.get_key_value(oid));
        let behind = self.known.range::<[u32], _>((Excluded(name), Unbounded));
        within.into_iter().chain(behind).map(|(oid, leaf)| (oid, *leaf))
    }

    /// The leaf of a column.
    #[must_use]
    pub fn column(&self, table: &Table, column: u32) -> Option<NodeId> {
        let name = Oid::EMPTY.child(table.oid).child(&[1, column]);
        let exact = self.known.get(&name).copied();
        exact.or_else(|| {
            // An index object that is not accessible is a key nevertheless.
            let wanted = table.column(column)?.name;
            let is_key = |node: &&NodeId| matches!(self.forest[**node].place, Place::Key(_, part) if part.name == wanted);
            let list = self.below(table.oid).next().and_then(|(_, leaf)| self.forest[leaf].parent)?;
            self.forest[list].children.iter().find(is_key).copied()
        })
    }

    /// Whether these sub-identifiers can be the rest of an instance's name.
    #[must_use]
    pub fn is_instance(&self, leaf: NodeId, rest: &[u32]) -> bool {
        match self.list_of(leaf) {
            Some((_, table)) => index_refs(table.index, rest).all(|part| part.is_ok()) && !rest.is_empty(),
            None => rest == [0],
        }
    }

    fn list_of(&self, leaf: NodeId) -> Option<(NodeId, &'static Table)> {
        let parent = self.forest[leaf].parent?;
        match self.forest[parent].place {
            Place::List(table) => Some((parent, table)),
            _ => None,
        }
    }

    /// Appends a filter's content that selects these objects.
    pub fn write_filter(&self, wanted: &[Wanted<'_>], output: &mut Vec<u8>) {
        let mut sorted: Vec<&Wanted<'_>> = wanted.iter().collect();
        sorted.sort_by(|one, other| self.in_document(one, other));
        let mut writer = DataWriter::new(&self.forest, std::mem::take(output));
        let mut open: Vec<(NodeId, Option<&[u32]>)> = Vec::new();
        for Wanted { leaf, row } in sorted {
            let row = row.filter(|row| self.list_of(*leaf).is_some() && !row.is_empty());
            let above = self.above(*leaf, row);
            let common = open.iter().zip(&above).take_while(|(one, other)| one == other).count();
            while open.len() > common {
                if let Some((node, _)) = open.pop() {
                    writer.close(node);
                }
            }
            for (node, row) in &above[common..] {
                writer.open(*node);
                row.iter().for_each(|row| self.write_keys(*node, row, &mut writer));
                open.push((*node, *row));
            }
            let is_written = row.is_some() && matches!(self.forest[*leaf].place, Place::Key(..));
            if !is_written {
                writer.open(*leaf);
                writer.close(*leaf);
            }
        }
        for (node, _) in open.into_iter().rev() {
            writer.close(node);
        }
        *output = writer.octets;
    }

    /// What a leaf is in, outermost first; the entry with its index.
    fn above<'o>(&self, leaf: NodeId, row: Option<&'o [u32]>) -> Vec<(NodeId, Option<&'o [u32]>)> {
        let mut above = Vec::new();
        let mut next = self.forest[leaf].parent;
        while let Some(node) = next {
            above.push((node, row.filter(|_| above.is_empty())));
            next = self.forest[node].parent;
        }
        above.reverse();
        above
    }

    fn in_document(&self, one: &Wanted<'_>, other: &Wanted<'_>) -> Ordering {
        let key = |it: &Wanted<'_>| (self.forest[it.leaf].parent, it.leaf);
        let ((parent, leaf), (other_parent, other_leaf)) = (key(one), key(other));
        parent.cmp(&other_parent).then_with(|| one.row.cmp(&other.row)).then(leaf.cmp(&other_leaf))
    }

    fn write_keys(&self, list: NodeId, row: &[u32], writer: &mut DataWriter<'_>) {
        let mut octets = Vec::new();
        for &leaf in &self.forest[list].children {
            let Place::Key(at, part) = self.forest[leaf].place else { break };
            let Place::List(table) = self.forest[list].place else { break };
            if let Some(value) = key_value(table.index, at, part, row, &mut octets) {
                let mut text = String::new();
                lexical::write(value.as_value_ref(), &part.syntax, &mut text);
                writer.leaf_text(leaf, &text);
            }
        }
    }

    /// Reads a reply: passes on what is found of these objects, in the order of the reply. `Ok(false)`: it has an `rpc-error`, and
    /// what follows that was not read.
    ///
    /// # Errors
    /// The message is not a reply, or has values that its leaves cannot have; and what `found` returns.
    pub fn read<E: From<DataError>>(
        &self,
        reply: &[u8],
        limits: Limits,
        mut found: impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut reading = Reading {
            objects: self,
            reader: Reader::new(reply.trim_ascii_start(), limits),
            index: OidBuf::new(),
        };
        reading.reply(&mut found)
    }
}

/// A reply being read.
struct Reading<'o, 'r> {
    objects: &'o Objects,
    reader: Reader<'r>,
    index: OidBuf,
}

/// What stands open in a reply's data.
struct Open {
    node: NodeId,
    /// Where the next child is probably found: entries are alike.
    next: usize,
}

/// An entry of a list as it is read.
#[derive(Default)]
struct Entry {
    keys: Vec<Option<Value>>,
    cells: Vec<(&'static Table, &'static Column, Value)>,
}

impl Reading<'_, '_> {
    fn reply<E: From<DataError>>(
        &mut self,
        found: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        match self.event()? {
            Event::Start(name) if name.namespace == BASE && name.local == "rpc-reply" => {}
            Event::Start(name) => return Err(not_data(name.local).into()),
            _ => return Err(not_data("nothing").into()),
        }
        let mut has_data = false;
        loop {
            match self.event()? {
                Event::Start(name) if name.namespace == BASE && name.local == "data" => {
                    has_data = true;
                    self.data(found)?;
                }
                Event::Start(name) if name.namespace == BASE && name.local == "rpc-error" => {
                    if !self.is_warning()? {
                        return Ok(false);
                    }
                }
                Event::Start(name) => return Err(not_data(name.local).into()),
                Event::Text(_) => {}
                Event::End(_) | Event::Eof if has_data => return Ok(true),
                Event::End(_) | Event::Eof => return Err(not_data("nothing").into()),
            }
        }
    }

    /// The rest of an `rpc-error`: whether its severity is `warning`.
    fn is_warning(&mut self) -> Result<bool, DataError> {
        let (mut depth, mut is_severity, mut is_warning) = (1, false, false);
        while depth > 0 {
            match self.event()? {
                Event::Start(name) => {
                    depth += 1;
                    is_severity = depth == 2 && name.namespace == BASE && name.local == "error-severity";
                }
                Event::Text(text) => is_warning |= is_severity && text.trim() == "warning",
                Event::End(_) => (depth, is_severity) = (depth - 1, false),
                Event::Eof => break,
            }
        }
        Ok(is_warning)
    }

    fn event(&mut self) -> Result<Event<'_>, DataError> {
        Ok(self.reader.next()?)
    }

    /// Everything up to the end of `data`.
    fn data<E: From<DataError>>(
        &mut self,
        found: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let forest = &self.objects.forest;
        let mut open: Vec<Open> = Vec::new();
        let mut next_root = 0;
        let mut entry = Entry::default();
        let mut text = String::new();
        loop {
            let step = match self.reader.next().map_err(DataError::from)? {
                Event::Start(name) => {
                    let (level, next) = match open.last_mut() {
                        Some(Open { node, next }) => (&forest[*node].children[..], next),
                        None => (forest.roots(), &mut next_root),
                    };
                    text.clear();
                    match child(forest, level, next, name.namespace, name.local) {
                        Some(node) => Step::Into(node),
                        None => Step::Over,
                    }
                }
                Event::Text(piece) => {
                    text.push_str(&piece);
                    continue;
                }
                Event::End(_) => Step::Out,
                Event::Eof => return Ok(()),
            };
            match step {
                Step::Over => self.over()?,
                Step::Into(node) => {
                    if matches!(forest[node].place, Place::List(_)) {
                        entry = Entry::default();
                    }
                    open.push(Open { node, next: 0 });
                }
                Step::Out => {
                    let Some(Open { node, .. }) = open.pop() else { return Ok(()) };
                    self.complete(node, &text, &mut entry, found)?;
                    text.clear();
                }
            }
        }
    }

    /// Skips an element that is not of ours.
    fn over(&mut self) -> Result<(), DataError> {
        let depth = self.reader.depth();
        while self.reader.depth() >= depth {
            if matches!(self.reader.next()?, Event::Eof) {
                break;
            }
        }
        Ok(())
    }

    /// A node has ended.
    fn complete<E: From<DataError>>(
        &mut self,
        node: NodeId,
        text: &str,
        entry: &mut Entry,
        found: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let forest = &self.objects.forest;
        let place = forest[node].place;
        if let Place::List(table) = place {
            let keys: Option<Vec<IndexValue>> =
                entry.keys.drain(..).map(|key| key.and_then(IndexValue::of)).collect();
            self.index.clear();
            let is_index = keys.is_some_and(|keys| encode_index(table.index, &keys, &mut self.index).is_ok());
            if !is_index {
                return Err(DataError::Keys { path: PathOf(forest, node).to_string() }.into());
            }
            return found(Found::Row { table, index: &self.index, cells: &entry.cells });
        }
        let Some(syntax) = place.syntax() else { return Ok(()) };
        let value = lexical::read(text, syntax).ok_or_else(|| DataError::Value {
            path: PathOf(forest, node).to_string(),
            found: text.chars().take(60).collect(),
        })?;
        match place {
            Place::Scalar(scalar) => return found(Found::Scalar(scalar, value)),
            Place::Column(table, column) => entry.cells.push((table, column, value)),
            Place::Key(at, part) => {
                if let Some((_, table)) = self.objects.list_of(node)
                    && let Some(column) = table.columns.iter().find(|column| column.name == part.name)
                {
                    entry.cells.push((table, column, value.clone()));
                }
                if entry.keys.len() <= at {
                    entry.keys.resize(at + 1, None);
                }
                entry.keys[at] = Some(value);
            }
            Place::Container | Place::List(_) | Place::Own { .. } => {}
        }
        Ok(())
    }
}

enum Step {
    Into(NodeId),
    Over,
    Out,
}

/// The child with this name; `next` is where it probably is.
fn child(forest: &Forest, level: &[NodeId], next: &mut usize, namespace: &str, name: &str) -> Option<NodeId> {
    let is_it = |node: &NodeId| forest[*node].name == name && forest.module(*node).namespace == namespace;
    let from = (*next).min(level.len());
    let at = level[from..].iter().position(is_it).map(|at| from + at);
    let at = at.or_else(|| level[..from].iter().position(is_it))?;
    *next = at + 1;
    Some(level[at])
}

fn not_data(found: &str) -> DataError {
    DataError::NotData { found: found.chars().take(60).collect() }
}

/// The identifier of an object that can be read.
fn identifier(forest: &Forest, node: NodeId) -> Option<Oid> {
    match forest[node].place {
        Place::Scalar(scalar) => Some(Oid::EMPTY.child(scalar.oid)),
        Place::Column(table, column) => Some(Oid::EMPTY.child(table.oid).child(&[1, column.id])),
        Place::Key(_, part) => {
            let Place::List(table) = forest[forest[node].parent?].place else { return None };
            let column = table.columns.iter().find(|column| column.name == part.name)?;
            column.access.is_readable().then(|| Oid::EMPTY.child(table.oid).child(&[1, column.id]))
        }
        Place::Container | Place::List(_) | Place::Own { .. } => None,
    }
}

fn key_value(
    parts: &'static [IndexPart],
    at: usize,
    part: &IndexPart,
    row: &[u32],
    octets: &mut Vec<u8>,
) -> Option<Value> {
    let found = index_refs(parts, row).nth(at)?.ok()?;
    Some(found.value(part, octets)?.to_value())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_smi::schema::IndexEncoding;

    use super::*;
    use crate::document::limits;

    const IF: &str = "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB";
    const IF_DESCR: [u32; 10] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 2];

    fn objects() -> &'static Objects {
        static OBJECTS: std::sync::LazyLock<Objects> = std::sync::LazyLock::new(Objects::new);
        &OBJECTS
    }

    /// Everything in a reply, as names and values.
    fn read(data: &str) -> Result<Vec<(Oid, Value)>, DataError> {
        let reply = format!("<rpc-reply xmlns=\"{BASE}\" message-id=\"1\"><data>{data}</data></rpc-reply>");
        let mut all = Vec::new();
        let is_data = objects().read::<DataError>(reply.as_bytes(), limits(100_000), |found| {
            match found {
                Found::Scalar(scalar, value) => {
                    all.push((Oid::EMPTY.child(scalar.oid).child(&[0]), value));
                }
                Found::Row { index, cells, .. } => {
                    all.extend(cells.iter().map(|(table, column, value)| {
                        (Oid::EMPTY.child(table.oid).child(&[1, column.id]).child(index), value.clone())
                    }));
                }
            }
            Ok(())
        })?;
        assert!(is_data);
        Ok(all)
    }

    #[test]
    fn names_lead_to_leaves() {
        let objects = objects();
        let name = [&IF_DESCR[..], &[7]].concat();
        let (leaf, rest) = objects.of_instance(&name).unwrap();
        assert_eq!((objects.forest()[leaf].name.as_str(), rest), ("ifDescr", &[7][..]));
        assert!(objects.is_instance(leaf, &[7]) && !objects.is_instance(leaf, &[7, 1]));
        assert!(!objects.is_instance(leaf, &[]));
        assert_eq!(objects.of_instance(&IF_DESCR[..9]), None);
        let below: Vec<u32> =
            objects.below(&IF_DESCR[..9]).filter_map(|(oid, _)| oid.last().copied()).collect();
        assert_eq!(below[..3], [1, 2, 3]);
        let following: Vec<String> =
            objects.following(&name).take(2).map(|(_, leaf)| objects.forest()[leaf].name.clone()).collect();
        assert_eq!(following, ["ifDescr", "ifType"]);
        let first = objects.following(&[]).next().unwrap().1;
        assert_eq!(objects.forest()[first].name, "sysDescr");
    }

    #[test]
    fn a_filter_names_each_place_once() {
        let objects = objects();
        let leaf = |name: &[u32]| objects.of_instance(name).unwrap().0;
        let (descr, index) = (leaf(&IF_DESCR), leaf(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 1]));
        let name = leaf(&[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1]);
        let number = leaf(&[1, 3, 6, 1, 2, 1, 2, 1]);
        let filter = |wanted: &[Wanted<'_>]| {
            let mut text = Vec::new();
            objects.write_filter(wanted, &mut text);
            String::from_utf8(text).unwrap()
        };
        let row = |leaf, row| Wanted { leaf, row: Some(row) };
        assert_eq!(
            filter(&[row(name, &[2]), row(number, &[0]), row(descr, &[1]), row(index, &[2])]),
            format!(
                "<IF-MIB xmlns=\"{IF}\"><interfaces><ifNumber></ifNumber></interfaces>\
                 <ifTable><ifEntry><ifIndex>1</ifIndex><ifDescr></ifDescr></ifEntry>\
                 <ifEntry><ifIndex>2</ifIndex><ifName></ifName></ifEntry></ifTable></IF-MIB>"
            )
        );
        let all = |leaf| Wanted { leaf, row: None };
        assert_eq!(
            filter(&[all(descr), all(index)]),
            format!(
                "<IF-MIB xmlns=\"{IF}\"><ifTable><ifEntry><ifIndex></ifIndex><ifDescr></ifDescr></ifEntry></ifTable></IF-MIB>"
            )
        );
        assert_eq!(filter(&[]), "");
    }

    #[test]
    fn a_reply_is_read_as_names_and_values() {
        let data = format!(
            "<IF-MIB xmlns=\"{IF}\">\n <interfaces><ifNumber>2</ifNumber></interfaces><ifTable><other/>\
             <ifEntry><ifIndex>1</ifIndex><ifDescr>lo &lt;0&gt;</ifDescr><x xmlns=\"u\"><ifIndex>9</ifIndex></x>\
             <ifName>lo</ifName></ifEntry><ifEntry><ifDescr>eth0</ifDescr><ifIndex>2</ifIndex></ifEntry></ifTable></IF-MIB>\
             <foreign xmlns=\"v\"><a/></foreign>"
        );
        let found = read(&data).unwrap();
        let texts: Vec<(String, String)> =
            found.iter().map(|(name, value)| (name.to_string(), format!("{value:?}"))).collect();
        let names: Vec<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "1.3.6.1.2.1.2.1.0",
                "1.3.6.1.2.1.2.2.1.1.1",
                "1.3.6.1.2.1.2.2.1.2.1",
                "1.3.6.1.2.1.31.1.1.1.1.1",
                "1.3.6.1.2.1.2.2.1.2.2",
                "1.3.6.1.2.1.2.2.1.1.2",
            ]
        );
        assert_eq!(found[2].1, Value::text("lo <0>"));
    }

    #[test]
    fn what_is_not_data_is_an_error() {
        let entry = |inner: &str| {
            format!("<IF-MIB xmlns=\"{IF}\"><ifTable><ifEntry>{inner}</ifEntry></ifTable></IF-MIB>")
        };
        assert!(matches!(read(&entry("<ifDescr>lo</ifDescr>")), Err(DataError::Keys { .. })));
        assert!(matches!(read(&entry("<ifIndex>one</ifIndex>")), Err(DataError::Value { .. })));
        assert!(matches!(read(&entry("<ifIndex>-1</ifIndex>")), Err(DataError::Keys { .. })));
        assert!(matches!(read("<a>"), Err(DataError::Xml(_))));
        let refused = format!("<rpc-reply xmlns=\"{BASE}\"><rpc-error/></rpc-reply>");
        let read = |text: &str| objects().read::<DataError>(text.as_bytes(), limits(1000), |_| Ok(()));
        assert_eq!(read(&refused), Ok(false));
        // A warning stands beside the data, which must be there.
        let reply = |inner: &str| format!("<rpc-reply xmlns=\"{BASE}\">{inner}</rpc-reply>");
        let warning =
            "<rpc-error><error-tag>x</error-tag><error-severity>warning</error-severity></rpc-error>";
        assert_eq!(read(&reply(&format!("{warning}<data/>"))), Ok(true));
        assert_eq!(read(&reply(&format!("{warning}<rpc-error/>"))), Ok(false));
        for nothing in ["", warning] {
            assert!(matches!(read(&reply(nothing)), Err(DataError::NotData { .. })));
        }
        assert!(matches!(read("<odd/>"), Err(DataError::NotData { .. })));
        assert!(matches!(read(""), Err(DataError::Xml(_) | DataError::NotData { .. })));
    }

    /// An index of a table, from numbers.
    fn index_of(table: &Table, numbers: &[u32]) -> Vec<u32> {
        let mut numbers = numbers.iter().copied().cycle();
        let mut letters = |length: usize| -> Vec<u8> {
            numbers.by_ref().take(length).map(|number| b'a' + (number % 26) as u8).collect()
        };
        let value = |part: &IndexPart| match part.encoding {
            IndexEncoding::Integer => IndexValue::Integer(u32::from(letters(1)[0] & 1) + 1),
            IndexEncoding::IpAddress | IndexEncoding::NetworkAddress => IndexValue::Octets(letters(4)),
            IndexEncoding::FixedOctets(length) => IndexValue::Octets(letters(length)),
            IndexEncoding::Octets | IndexEncoding::ImpliedOctets => {
                let length = usize::from(letters(1)[0] % 7);
                IndexValue::Octets(letters(length + 1))
            }
            IndexEncoding::ObjectIdentifier | IndexEncoding::ImpliedObjectIdentifier => {
                let parts: Vec<u32> = letters(3).into_iter().map(u32::from).collect();
                IndexValue::ObjectIdentifier(Oid::EMPTY.child(&[1, 3]).child(&parts))
            }
        };
        let values: Vec<IndexValue> = table.index.iter().map(value).collect();
        let mut index = OidBuf::new();
        encode_index(table.index, &values, &mut index).unwrap();
        index.to_vec()
    }

    proptest! {
        /// What a filter requests of a row is what its reply repeats: keys lead back to the same index.
        #[test]
        fn an_index_comes_back(numbers in prop::collection::vec(0u32..1000, 1..30)) {
            let objects = objects();
            for (oid, leaf) in &objects.known {
                let Some((list, table)) = objects.list_of(*leaf) else { continue };
                let row = index_of(table, &numbers);
                prop_assert!(objects.is_instance(*leaf, &row));
                let mut filter = Vec::new();
                // The first key stands for the whole entry: keys are all that the filter has then.
                let key = objects.forest()[list].children[0];
                objects.write_filter(&[Wanted { leaf: key, row: Some(&row) }], &mut filter);
                let data = String::from_utf8(filter).unwrap();
                let reply = format!("<rpc-reply xmlns=\"{BASE}\"><data>{data}</data></rpc-reply>");
                let mut rows = Vec::new();
                let read = objects.read::<DataError>(reply.as_bytes(), limits(100_000), |found| {
                    if let Found::Row { index, .. } = found {
                        rows.push(index.to_vec());
                    }
                    Ok(())
                });
                prop_assert_eq!(read, Ok(true), "{} {}", oid, data);
                prop_assert_eq!(rows, vec![row], "{} {}", oid, data);
            }
        }
    }
}
