//! Values from the tree into the response, as they come.

use trunkline_smi::ValueRef;
use trunkline_snmp::wire::{NameTemplate, ResponseWriter};
use trunkline_tree::{Cells, Exception, Leaf, Name, Room, Rows, Sink};

use super::probe::{Phase, Probe};

/// Encodes each value at once into the one output buffer.
pub(super) struct ResponseSink<'d, 'b, P: Probe> {
    templates: &'d [NameTemplate],
    pub(super) writer: ResponseWriter<'b>,
    /// SNMPv1 has no exceptions: the first one ends the walk.
    exceptions_allowed: bool,
    pub(super) no_such_name: bool,
    /// Objects retrieved, which exceptions are not (RFC 3418, snmpInTotalReqVars).
    pub(super) bindings: usize,
    pub(super) probe: &'d mut P,
}

impl<'d, 'b, P: Probe> ResponseSink<'d, 'b, P> {
    pub fn new(
        templates: &'d [NameTemplate],
        writer: ResponseWriter<'b>,
        exceptions_allowed: bool,
        probe: &'d mut P,
    ) -> Self {
        ResponseSink { templates, writer, exceptions_allowed, no_such_name: false, bindings: 0, probe }
    }

    fn took(&mut self, fits: bool) -> Room {
        self.probe.begin(Phase::Retrieve);
        if fits {
            self.bindings += 1;
            Room::Taken
        } else {
            Room::Full
        }
    }
}

impl<P: Probe> Sink for ResponseSink<'_, '_, P> {
    #[inline]
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        self.probe.begin(Phase::Encode);
        let fits = match name {
            // The first two sub-identifiers are one octet: a region of one alone does not begin its names.
            Name::Instance(leaf, index) if leaf.oid().len() < 2 => {
                self.writer.value_at(&[leaf.oid(), index].concat(), value)
            }
            Name::Instance(leaf, index) => {
                self.writer.value(&self.templates[leaf.id().position()], index, value)
            }
            Name::Asked(name) => self.writer.value_at(name, value),
        };
        self.took(fits)
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        if !self.exceptions_allowed {
            self.no_such_name = true;
            return Room::Full;
        }
        self.probe.begin(Phase::Encode);
        let fits = match name {
            Name::Asked(name) => self.writer.exception(name, exception),
            Name::Instance(leaf, index) => {
                let mut name = trunkline_smi::OidBuf::new();
                // A leaf's instance is a name of at most 128 sub-identifiers.
                let _ = name.extend(leaf.oid()).and_then(|()| name.extend(index));
                self.writer.exception(&name, exception)
            }
        };
        self.probe.begin(Phase::Retrieve);
        if fits { Room::Taken } else { Room::Full }
    }

    #[inline]
    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        self.probe.begin(Phase::Encode);
        let template = &self.templates[leaf.id().position()];
        let taken = write_run(&mut self.writer, template, rows);
        self.bindings += taken;
        self.probe.begin(Phase::Retrieve);
        taken
    }
}

/// Writes a run of rows. For the common indexes of one sub-identifier the type of the cells is looked at
/// once, not for each row.
#[inline]
fn write_run(writer: &mut ResponseWriter<'_>, template: &NameTemplate, rows: Rows<'_>) -> usize {
    let range = rows.start..rows.end;
    let Some(indexes) = rows.table.single_sub_ids().and_then(|all| all.get(range.clone())) else {
        return write_rows(writer, template, rows);
    };
    let mut write = Run { writer, template, indexes };
    let cells = match rows.column.cells() {
        Cells::Integer(v) => v.get(range).map(|v| write.cells(v, |v| ValueRef::Integer(*v))),
        Cells::Counter32(v) => v.get(range).map(|v| write.cells(v, |v| ValueRef::Counter32(*v))),
        Cells::Unsigned32(v) => v.get(range).map(|v| write.cells(v, |v| ValueRef::Unsigned32(*v))),
        Cells::TimeTicks(v) => v.get(range).map(|v| write.cells(v, |v| ValueRef::TimeTicks(*v))),
        Cells::Counter64(v) => v.get(range).map(|v| write.cells(v, |v| ValueRef::Counter64(*v))),
        _ => None,
    };
    cells.unwrap_or_else(|| write_rows(write.writer, template, rows))
}

fn write_rows(writer: &mut ResponseWriter<'_>, template: &NameTemplate, rows: Rows<'_>) -> usize {
    let cells = (0..rows.len()).map_while(|at| Some((rows.row_index(at), rows.value(at)?)));
    writer.column(template, cells)
}

struct Run<'r, 'b> {
    writer: &'r mut ResponseWriter<'b>,
    template: &'r NameTemplate,
    indexes: &'r [u32],
}

impl Run<'_, '_> {
    #[inline]
    fn cells<T>(&mut self, cells: &[T], value: impl Fn(&T) -> ValueRef<'static>) -> usize {
        let rows = self.indexes.iter().zip(cells);
        self.writer
            .column(self.template, rows.map(|(index, cell)| (std::slice::from_ref(index), value(cell))))
    }
}
