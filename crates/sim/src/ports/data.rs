//! What a selection wants of an agent, as XML: objects by the YANG modules that RFC 6643 makes of theirs. They are the same
//! objects that SNMP reads.

use trunkline_netconf::data::DataWriter;
use trunkline_smi::schema::Table;
use trunkline_smi::{Exception, OidBuf, ValueRef, index_refs};
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::selection::{Alternative, Selection, Test, Wanted, Within};

use crate::objects::Objects;

/// Writes what is wanted behind what `octets` holds. `is_wrong`: each value is a text.
pub(super) fn write(
    objects: &dyn Objects,
    forest: &Forest,
    selection: &Selection,
    is_wrong: bool,
    octets: Vec<u8>,
) -> Vec<u8> {
    let writer = DataWriter::new(forest, octets);
    let mut output = Output { writer, unopened: Vec::new(), is_wrong };
    let reader = Reader { objects, forest };
    for selected in &selection.nodes {
        reader.node(selected.node, &selected.wanted, &mut output);
    }
    output.writer.octets
}

/// Where values come from.
struct Reader<'r> {
    objects: &'r dyn Objects,
    forest: &'r Forest,
}

/// Where they go.
struct Output<'f> {
    writer: DataWriter<'f>,
    /// Containers that are opened once there is something in them.
    unopened: Vec<NodeId>,
    is_wrong: bool,
}

impl Output<'_> {
    fn open(&mut self, node: NodeId) {
        for node in self.unopened.drain(..) {
            self.writer.open(node);
        }
        self.writer.open(node);
    }

    fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        for node in self.unopened.drain(..) {
            self.writer.open(node);
        }
        match self.is_wrong {
            true => self.writer.leaf_text(node, "not of this type"),
            false => self.writer.leaf(node, value),
        }
    }

    /// The end of a container, unless nothing was in it.
    fn end(&mut self, node: NodeId) {
        if self.unopened.pop().is_none() {
            self.writer.close(node);
        }
    }
}

impl Reader<'_> {
    fn node(&self, node: NodeId, wanted: &Wanted, output: &mut Output<'_>) {
        match self.forest[node].place {
            Place::Container => self.container(node, wanted, output),
            Place::List(table) => self.list(node, table, wanted, output),
            Place::Scalar(scalar) => {
                // What the agent does not have is left out.
                let _ = self.get(&[scalar.oid, &[0]], |value| output.leaf(node, value));
            }
            // These are in lists, and the last is of an agent that has more than objects.
            Place::Key(..) | Place::Column(..) | Place::Own { .. } => {}
        }
    }

    fn container(&self, node: NodeId, wanted: &Wanted, output: &mut Output<'_>) {
        let of_scalar = |test: &Test| match self.forest[test.leaf].place {
            Place::Scalar(scalar) => self.has(&[scalar.oid, &[0]], test),
            _ => false,
        };
        let within = passed(wanted, of_scalar);
        if within.is_empty() {
            return;
        }
        output.unopened.push(node);
        for &child in &self.forest[node].children {
            // Several alternatives may want something of it.
            let mut merged = Selection::default();
            let all = within.iter().filter_map(|within| within.of(child));
            all.for_each(|wanted| merged.add(child, wanted.clone()));
            if let Some(wanted) = merged.of(child) {
                self.node(child, wanted, output);
            }
        }
        output.end(node);
    }

    fn list(&self, node: NodeId, table: &'static Table, wanted: &Wanted, output: &mut Output<'_>) {
        let mut made = Vec::new();
        for index in self.rows(table) {
            let of_row = |test: &Test| match self.forest[test.leaf].place {
                Place::Key(at, _) => {
                    let part = index_refs(table.index, &index).nth(at);
                    part.and_then(Result::ok).is_some_and(|part| test.holds_of_key(part))
                }
                Place::Column(of, column) => self.has(&[of.oid, &[1, column.id], &index], test),
                _ => false,
            };
            let within = passed(wanted, of_row);
            if within.is_empty() {
                continue;
            }
            output.open(node);
            for &child in &self.forest[node].children {
                match self.forest[child].place {
                    Place::Key(at, part) => {
                        if let Some(Ok(found)) = index_refs(table.index, &index).nth(at)
                            && let Some(value) = found.value(part, &mut made)
                        {
                            output.leaf(child, value);
                        }
                    }
                    Place::Column(of, column) if within.iter().any(|within| within.of(child).is_some()) => {
                        let name = [of.oid, &[1, column.id], &index];
                        let _ = self.get(&name, |value| output.leaf(child, value));
                    }
                    _ => {}
                }
            }
            output.writer.close(node);
        }
    }

    /// The indexes of a table's rows: those that its first column with a value has.
    fn rows(&self, table: &Table) -> Vec<Vec<u32>> {
        let (mut name, mut made, mut rows) = (OidBuf::new(), Vec::new(), Vec::new());
        let entry = [table.oid, &[1]].concat();
        let mut column = None;
        if name.extend(&entry).is_err() {
            return rows;
        }
        while rows.len() < MOST_ROWS && self.objects.next(&mut name, &mut made).is_some() {
            let Some((id, index)) = name.strip_prefix(&*entry).and_then(<[u32]>::split_first) else { break };
            if *column.get_or_insert(*id) != *id {
                break;
            }
            rows.push(index.to_vec());
        }
        rows
    }

    fn has(&self, name: &[&[u32]], test: &Test) -> bool {
        self.get(name, |value| test.holds(Some(value))).unwrap_or(false)
    }

    fn get<R>(&self, name: &[&[u32]], read: impl FnOnce(ValueRef<'_>) -> R) -> Result<R, Exception> {
        let (mut whole, mut made) = (OidBuf::new(), Vec::new());
        for part in name {
            whole.extend(part).map_err(|_| Exception::NoSuchObject)?;
        }
        self.objects.get(&whole, &mut made).map(read)
    }
}

/// What those alternatives want whose tests hold.
fn passed(wanted: &Wanted, holds: impl Fn(&Test) -> bool) -> Vec<&Within> {
    match wanted {
        Wanted::All => vec![&Within::All],
        Wanted::Some(alternatives) => {
            let passes = |it: &&Alternative| it.tests.iter().all(&holds);
            alternatives.iter().filter(passes).map(|it| &it.within).collect()
        }
    }
}

/// Rows of a table that are read.
const MOST_ROWS: usize = 4096;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trunkline_netconf::document::{Document, limits};
    use trunkline_netconf::subtree::compile;
    use trunkline_yang::smiv2::modules;

    use super::*;
    use crate::seed::Seed;
    use crate::synthetic::{Device, Interfaces};

    fn read(filter: &str) -> String {
        let forest = Forest::of(&modules());
        let device =
            Device::new(Seed::new(1), 7, Interfaces { least: 3, most: 3 }, Duration::from_secs(1_000));
        let filter = format!("<filter>{filter}</filter>");
        let document = Document::read(filter.as_bytes(), limits(10_000)).unwrap();
        let selection = compile(document.root(), &forest).unwrap();
        String::from_utf8(write(&device, &forest, &selection, false, Vec::new())).unwrap()
    }

    #[test]
    fn filters_select_leaves_and_rows() {
        let module = "xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"";
        let system = format!("<SNMPv2-MIB {module}><system><sysName>sim-7</sysName></system></SNMPv2-MIB>");
        assert_eq!(read("<SNMPv2-MIB><system><sysName/></system></SNMPv2-MIB>"), system);
        assert_eq!(read("<SNMPv2-MIB><system><sysName>sim-8</sysName></system></SNMPv2-MIB>"), "");
        let all = read("<SNMPv2-MIB><system><sysName>sim-7</sysName></system></SNMPv2-MIB>");
        assert!(all.contains("<sysLocation>rack 0</sysLocation>"), "{all}");
        let table =
            |entry: &str| read(&format!("<IF-MIB><ifTable><ifEntry>{entry}</ifEntry></ifTable></IF-MIB>"));
        let row = table("<ifIndex>2</ifIndex><ifDescr/>");
        assert!(
            row.contains("<ifEntry><ifIndex>2</ifIndex><ifDescr>eth1</ifDescr></ifEntry></ifTable>"),
            "{row}"
        );
        assert_eq!(table("<ifDescr/>").matches("<ifEntry>").count(), 3);
        // A column of the table that augments it.
        let row = table("<ifDescr>eth2</ifDescr><ifName/><ifHighSpeed/>");
        assert!(row.contains("<ifName>eth2</ifName>") && row.contains("<ifIndex>3</ifIndex>"), "{row}");
        assert_eq!(table("<ifIndex>9</ifIndex>"), "");
        assert_eq!(read("<BRIDGE-MIB/>"), "");
    }

    #[test]
    fn everything_has_each_object_once() {
        let forest = Forest::of(&modules());
        let device =
            Device::new(Seed::new(1), 7, Interfaces { least: 3, most: 3 }, Duration::from_secs(1_000));
        let octets = write(&device, &forest, &Selection::everything(&forest), false, Vec::new());
        let text = String::from_utf8(octets).unwrap();
        for (name, count) in [("sysUpTime", 1), ("ifIndex", 3), ("ifHCInOctets", 3), ("hrStorageIndex", 3)] {
            assert_eq!(text.matches(&format!("</{name}>")).count(), count, "{name}: {text}");
        }
        // Each leaf that is opened is closed.
        let wrapped = format!("<data>{text}</data>");
        assert!(Document::read(wrapped.as_bytes(), limits(1 << 20)).is_ok());
    }
}
