//! Values from the tree into the response, as they come.

use trunkline_smi::ValueRef;
use trunkline_snmp::wire::{self, NameTemplate, ResponseWriter};
use trunkline_tree::{Exception, Leaf, Name, Room, Rows, Sink};

use super::probe::{Phase, Probe};

/// Encodes each value at once into the one output buffer.
pub(super) struct ResponseSink<'d, 'b, P: Probe> {
    templates: &'d [NameTemplate],
    pub(super) writer: ResponseWriter<'b>,
    /// SNMPv1 has no exceptions: the first one ends the walk.
    exceptions_allowed: bool,
    pub(super) no_such_name: bool,
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
        let exception = match exception {
            Exception::NoSuchObject => wire::Exception::NoSuchObject,
            Exception::NoSuchInstance => wire::Exception::NoSuchInstance,
            Exception::EndOfMibView => wire::Exception::EndOfMibView,
        };
        let fits = match name {
            Name::Asked(name) => self.writer.exception(name, exception),
            Name::Instance(leaf, index) => {
                let mut name = trunkline_smi::OidBuf::new();
                // A leaf's instance is a name of at most 128 sub-identifiers.
                let _ = name.extend(leaf.oid()).and_then(|()| name.extend(index));
                self.writer.exception(&name, exception)
            }
        };
        self.took(fits)
    }

    #[inline]
    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        self.probe.begin(Phase::Encode);
        let template = &self.templates[leaf.id().position()];
        let cells = (0..rows.len()).map_while(|at| Some((rows.row_index(at), rows.value(at)?)));
        let taken = self.writer.column(template, cells);
        self.bindings += taken;
        self.probe.begin(Phase::Retrieve);
        taken
    }
}
