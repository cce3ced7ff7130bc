//! Get, GetNext and GetBulk over snapshots (RFC 3416 sections 4.2.1 to 4.2.3).
//!
//! A [`Walker`] is a machine without I/O: [`Walker::advance`] passes values to the sink until everything is
//! answered, the sink is full, a group must be loaded or a region asked; the next call continues with the same
//! binding. It is reused for all requests, so that a request allocates nothing in steady state.

use trunkline_smi::{OidBuf, ValueKind};

use crate::access::FineRules;
use crate::leaf_search::Place;
use crate::pins::Pins;
use crate::region::Asking;
use crate::{
    ColumnData, Coverage, GroupId, Leaf, LeafId, LeafKind, Name, Operation, Progress, Query, Question,
    RegionAnswer, Room, Rows, ScalarCell, Sink, Snapshot, TableData, Tree,
};
use trunkline_smi::Exception;

mod upcoming;

pub use upcoming::Upcoming;

/// Carries out one query at a time.
#[derive(Debug, Default)]
pub struct Walker {
    pins: Pins,
    cursors: Vec<Cursor>,
    /// By binding, where [`From::Passed`] needs it: the index of the last instance.
    passed: Vec<OidBuf>,
    /// The current binding, counted from 0 over the request's names.
    binding: usize,
    repetition: usize,
    /// Bindings handed to the sink.
    emitted: usize,
    /// Whether a repetition has found anything but the end.
    found_any: bool,
    asking: Asking,
}

/// The state of a binding's search.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    leaf: usize,
    from: From,
    /// The leaf and the row of the last instance.
    last: Option<(LeafId, usize)>,
}

#[derive(Clone, Copy, Debug, Default)]
enum From {
    /// Not started: search by the requested name.
    #[default]
    Name,
    /// In this leaf, after the requested name.
    AfterName,
    /// In this leaf, at this row or after it.
    Row(usize),
    /// In this leaf, after the last instance found: its snapshot is gone, and rows may have moved.
    Passed,
}

impl Cursor {
    /// Where the search of this name starts, if it has not started yet.
    fn begin(&mut self, tree: &Tree, name: &[u32]) {
        if let From::Name = self.from {
            (self.leaf, self.from) = match tree.place(name) {
                Place::Inside(leaf) => (leaf, From::AfterName),
                Place::Before(leaf) => (leaf, From::Row(0)),
            };
        }
    }
}

/// An instance in a pinned snapshot.
#[derive(Clone, Copy, Debug)]
struct Found<'t> {
    leaf: &'t Leaf,
    row: usize,
}

impl Walker {
    /// A walker that has not worked yet.
    pub fn new() -> Self {
        Walker::default()
    }

    /// Forgets the last query. Called before each new one.
    pub fn reset(&mut self) {
        self.pins.reset();
        self.cursors.clear();
        self.binding = 0;
        self.repetition = 0;
        self.emitted = 0;
        self.found_any = false;
        self.asking.reset();
    }

    /// The current binding, counted from 0: the one at fault if a load or a question fails.
    pub fn binding(&self) -> usize {
        self.binding
    }

    /// How many bindings were handed to the sink.
    pub fn emitted(&self) -> usize {
        self.emitted
    }

    /// The question to a region, after [`Progress::Ask`].
    pub fn question(&self) -> Option<Question<'_>> {
        self.asking.question()
    }

    /// Accepts the answer to [`Walker::question`].
    pub fn answered(&mut self, answer: impl Into<RegionAnswer>) {
        self.asking.answered(answer.into());
    }

    /// Continues until the query is answered, the sink is full, a group must be loaded or a region asked.
    pub fn advance<S: Sink>(&mut self, tree: &Tree, query: &Query<'_>, sink: &mut S) -> Progress {
        self.pins.fit(tree.group_count());
        let outcome = match query.operation {
            Operation::Get => self.get(tree, query, sink),
            Operation::Next => self.next(tree, query, sink),
            Operation::Bulk { non_repeaters, max_repetitions } => {
                self.bulk(tree, query, sink, non_repeaters, max_repetitions)
            }
        };
        match outcome {
            Ok(()) => Progress::Done,
            Err(stop) => stop,
        }
    }

    fn get<S: Sink>(&mut self, tree: &Tree, query: &Query<'_>, sink: &mut S) -> Result<(), Progress> {
        while let Some(name) = query.names.get(self.binding) {
            let room = match self.find(tree, query, name)? {
                Ok(found) => self.emit(query, sink, found),
                Err(exception) => sink.exception(Name::Asked(name), exception),
            };
            self.taken(room)?;
            self.binding += 1;
        }
        Ok(())
    }

    /// RFC 3416 section 4.2.1: the instance of exactly this name.
    fn find<'t>(
        &mut self,
        tree: &'t Tree,
        query: &Query<'_>,
        name: &[u32],
    ) -> Result<Result<Found<'t>, Exception>, Progress> {
        let Some(leaf) = tree.leaf_of(name).filter(|leaf| is_visible(leaf, query)) else {
            return Ok(Err(Exception::NoSuchObject));
        };
        let index = &name[leaf.oid().len()..];
        if query.access.may_read(leaf.id()) == Coverage::Some
            && !query.access.may_read_instance(leaf.id(), index)
        {
            // Other instances of the object may be read, so its type is not unknown.
            return Ok(Err(Exception::NoSuchInstance));
        }
        if let LeafKind::Region { territory } = leaf.kind() {
            let found = self.asking.exactly(tree.territory(territory), query, name, self.binding)?;
            return Ok(found.map(|()| Found { leaf, row: 0 }));
        }
        let snapshot = self.pins.pin(tree, query.arrived, leaf.group(), self.emitted)?;
        let row = match leaf.kind() {
            LeafKind::Scalar { slot } => {
                let present = index == [0] && snapshot.scalars[usize::from(slot)].is_some();
                present.then_some(0)
            }
            LeafKind::Column { table, slot } => {
                let table = &snapshot.tables[usize::from(table)];
                table.find(index).filter(|row| table.column(usize::from(slot)).is_present(*row))
            }
            LeafKind::Region { .. } => None,
        };
        let found = row.map(|row| Found { leaf, row });
        Ok(found.ok_or(Exception::NoSuchInstance))
    }

    fn next<S: Sink>(&mut self, tree: &Tree, query: &Query<'_>, sink: &mut S) -> Result<(), Progress> {
        while self.binding < query.names.len() {
            self.step(tree, query, sink, self.binding)?;
            self.binding += 1;
        }
        Ok(())
    }

    /// RFC 3416 section 4.2.3.
    fn bulk<S: Sink>(
        &mut self,
        tree: &Tree,
        query: &Query<'_>,
        sink: &mut S,
        non_repeaters: usize,
        max_repetitions: usize,
    ) -> Result<(), Progress> {
        let names = query.names.len();
        let repeated_from = non_repeaters.min(names);
        let repeated = (names - repeated_from).max(1);
        while self.binding < repeated_from {
            self.room_for_one(query)?;
            self.step(tree, query, sink, self.binding)?;
            self.binding += 1;
        }
        if repeated_from == names {
            return Ok(());
        }
        if repeated_from + 1 == names {
            return self.repeat_one(tree, query, sink, max_repetitions);
        }
        while self.repetition < max_repetitions {
            self.asking.wanted = wanted(max_repetitions - self.repetition, query.max_bindings / repeated);
            while self.binding < names {
                self.room_for_one(query)?;
                let found = self.step(tree, query, sink, self.binding)?;
                self.found_any |= found;
                self.binding += 1;
            }
            if !std::mem::take(&mut self.found_any) {
                break; // a whole row of endOfMibView: nothing can follow
            }
            self.repetition += 1;
            self.binding = repeated_from;
        }
        Ok(())
    }

    /// A GetBulk with one repeated name: whole runs of rows go to the sink.
    fn repeat_one<S: Sink>(
        &mut self,
        tree: &Tree,
        query: &Query<'_>,
        sink: &mut S,
        max_repetitions: usize,
    ) -> Result<(), Progress> {
        let at = self.binding;
        while self.repetition < max_repetitions {
            self.room_for_one(query)?;
            self.asking.wanted = wanted(max_repetitions - self.repetition, query.max_bindings - self.emitted);
            let found = match self.search(tree, query, at) {
                Err(Progress::Load(group)) if query.may_end_early && self.is_elsewhere(tree, at, group) => {
                    break;
                }
                Err(Progress::Ask(_)) if query.may_end_early && self.is_new_region(at) => break,
                found => found?,
            };
            let Some(found) = found else {
                self.exception_at_end(tree, query, sink, at)?;
                break;
            };
            let wanted = (max_repetitions - self.repetition).min(query.max_bindings - self.emitted);
            let taken = match self.run_length(query, found, wanted) {
                0 | 1 => {
                    let room = self.emit(query, sink, found);
                    usize::from(room == Room::Taken)
                }
                wanted => self.emit_run(sink, found, wanted).min(wanted),
            };
            if taken == 0 {
                return Err(Progress::Full { binding: at });
            }
            self.emitted += taken;
            self.repetition += taken;
            self.move_behind(at, Found { row: found.row + taken - 1, ..found });
        }
        Ok(())
    }

    /// RFC 3416 section 4.2.3 lets a GetBulk end early, after a repetition, if continuing would take much longer:
    /// that is where another group begins that must be read first. Mostly it is not wanted at all, because the
    /// request is the last one of a walk over a table.
    fn is_elsewhere(&self, tree: &Tree, at: usize, group: GroupId) -> bool {
        let last = self.cursors.get(at).and_then(|cursor| cursor.last);
        let other = last.is_some_and(|(leaf, _)| tree.leaves()[leaf.position()].group() != group);
        self.repetition > 0 && other
    }

    /// The same where a region begins.
    fn is_new_region(&self, at: usize) -> bool {
        let cursor = self.cursors.get(at);
        let last = cursor.and_then(|cursor| cursor.last).map(|(leaf, _)| leaf.position());
        self.repetition > 0 && cursor.is_some_and(|cursor| last != Some(cursor.leaf))
    }

    /// How many rows from the found one on may go to the sink as one run.
    fn run_length(&self, query: &Query<'_>, Found { leaf, row }: Found<'_>, wanted: usize) -> usize {
        let may_run = !self.pins.is_per_object(leaf.group());
        let Some((table, column)) = self.column(leaf).filter(|_| may_run) else { return 1 };
        let end = row.saturating_add(wanted).min(table.len());
        if query.access.may_read(leaf.id()) == Coverage::All {
            if column.is_full() {
                return end - row;
            }
            return (row..end).take_while(|row| column.is_present(*row)).count();
        }
        let Some(rules) = query.access.fine(leaf.id()) else { return 1 };
        let allowed = |row: &usize| column.is_present(*row) && rules.include(&table.index()[*row]);
        (row..end).take_while(allowed).count()
    }

    fn emit_run<S: Sink>(&self, sink: &mut S, Found { leaf, row }: Found<'_>, wanted: usize) -> usize {
        let Some((table, column)) = self.column(leaf) else { return 0 };
        sink.run(leaf, Rows { table, column, start: row, end: row + wanted })
    }

    fn column(&self, leaf: &Leaf) -> Option<(&TableData, &ColumnData)> {
        let LeafKind::Column { table, slot } = leaf.kind() else { return None };
        let table = &self.pins.get(leaf.group())?.tables[usize::from(table)];
        Some((table, table.column(usize::from(slot))))
    }

    /// One GetNext step of a binding; whether an instance was found.
    fn step<S: Sink>(
        &mut self,
        tree: &Tree,
        query: &Query<'_>,
        sink: &mut S,
        at: usize,
    ) -> Result<bool, Progress> {
        let Some(found) = self.search(tree, query, at)? else {
            self.exception_at_end(tree, query, sink, at)?;
            return Ok(false);
        };
        let room = self.emit(query, sink, found);
        self.taken(room)?;
        self.move_behind(at, found);
        Ok(true)
    }

    /// The next search of this binding starts after `found`.
    fn move_behind(&mut self, at: usize, Found { leaf, row }: Found<'_>) {
        let mut from = From::Row(row + 1);
        if self.is_passed(leaf) {
            self.pass(at, leaf, row);
            from = From::Passed;
        }
        self.cursors[at] = Cursor { leaf: leaf.id().position(), from, last: Some((leaf.id(), row)) };
    }

    /// Whether an instance of the leaf has no place that will still be there at the next step.
    fn is_passed(&self, leaf: &Leaf) -> bool {
        self.pins.is_per_object(leaf.group()) || matches!(leaf.kind(), LeafKind::Region { .. })
    }

    fn pass(&mut self, at: usize, leaf: &Leaf, row: usize) {
        self.passed.resize_with(self.cursors.len(), OidBuf::new);
        let index = match leaf.kind() {
            LeafKind::Region { .. } => self.asking.found_behind(leaf.oid()),
            _ => self.pins.get(leaf.group()).map_or(&[][..], |snapshot| index_of(snapshot, leaf, row)),
        };
        self.passed[at].clear();
        // Never too long: a table has no row whose index does not fit after its columns.
        let _ = self.passed[at].extend(index);
    }

    /// RFC 3416 section 4.2.2: the first accessible instance after the binding's cursor.
    fn search<'t>(
        &mut self,
        tree: &'t Tree,
        query: &Query<'_>,
        at: usize,
    ) -> Result<Option<Found<'t>>, Progress> {
        if self.cursors.len() <= at {
            self.cursors.resize_with(at + 1, Cursor::default);
        }
        let cursor = &mut self.cursors[at];
        let name = &query.names[at];
        cursor.begin(tree, name);
        while let Some(leaf) = tree.leaves().get(cursor.leaf) {
            let coverage = query.access.may_read(leaf.id());
            let visible = coverage != Coverage::None && is_known(leaf, query);
            if let LeafKind::Region { territory } = leaf.kind()
                && visible
            {
                let behind = match cursor.from {
                    From::Row(_) => None,
                    From::Passed => Some(&*self.passed[at]),
                    From::Name | From::AfterName => name.get(leaf.oid().len()..),
                };
                if self.asking.next(tree.territory(territory), query, leaf, behind, at)? {
                    return Ok(Some(Found { leaf, row: 0 }));
                }
            } else if visible {
                let snapshot = self.pins.pin(tree, query.arrived, leaf.group(), self.emitted)?;
                let first = match cursor.from {
                    From::Row(row) => row,
                    From::Passed => rows_upto(snapshot, leaf, &self.passed[at]),
                    From::Name | From::AfterName => rows_upto(snapshot, leaf, &name[leaf.oid().len()..]),
                };
                if let Some(row) = next_row(snapshot, leaf, query, coverage, first) {
                    return Ok(Some(Found { leaf, row }));
                }
            }
            cursor.leaf = query.access.next_readable(cursor.leaf + 1);
            cursor.from = From::Row(0);
        }
        Ok(None)
    }

    /// The end, with the name of the binding's last instance or, without one, the requested name.
    fn exception_at_end<S: Sink>(
        &mut self,
        tree: &Tree,
        query: &Query<'_>,
        sink: &mut S,
        at: usize,
    ) -> Result<(), Progress> {
        let asked = Name::Asked(&query.names[at]);
        let name = self.cursors[at].last.map_or(Some(asked), |(leaf, row)| {
            let leaf = &tree.leaves()[leaf.position()];
            if self.is_passed(leaf) {
                return Some(Name::Instance(leaf, &self.passed[at]));
            }
            let snapshot = self.pins.get(leaf.group())?;
            Some(Name::Instance(leaf, index_of(snapshot, leaf, row)))
        });
        let room = sink.exception(name.unwrap_or(asked), Exception::EndOfMibView);
        self.taken(room)
    }

    fn emit<S: Sink>(&self, query: &Query<'_>, sink: &mut S, Found { leaf, row }: Found<'_>) -> Room {
        if let LeafKind::Region { .. } = leaf.kind() {
            let Some((_, value)) = &self.asking.found else { return Room::Full };
            let name = Name::Instance(leaf, self.asking.found_behind(leaf.oid()));
            return sink.value(name, value.as_value_ref());
        }
        let Some(snapshot) = self.pins.get(leaf.group()) else { return Room::Full };
        let value = match leaf.kind() {
            LeafKind::Scalar { slot } => match &snapshot.scalars[usize::from(slot)] {
                Some(ScalarCell::Value(value)) => Some(value.as_value_ref()),
                Some(ScalarCell::Live(live)) => Some(live.read(query.arrived)),
                None => None,
            },
            LeafKind::Column { table, slot } => {
                snapshot.tables[usize::from(table)].column(usize::from(slot)).get(row)
            }
            LeafKind::Region { .. } => None,
        };
        let name = Name::Instance(leaf, index_of(snapshot, leaf, row));
        // The audit: a live value of another type than the schema's is not passed on.
        match value.filter(|value| value.kind() == leaf.syntax().kind) {
            Some(value) => sink.value(name, value),
            None => sink.exception(name, Exception::NoSuchInstance),
        }
    }

    fn taken(&mut self, room: Room) -> Result<(), Progress> {
        if room == Room::Full {
            return Err(Progress::Full { binding: self.binding });
        }
        self.emitted += 1;
        Ok(())
    }

    fn room_for_one(&self, query: &Query<'_>) -> Result<(), Progress> {
        if self.emitted >= query.max_bindings {
            return Err(Progress::Full { binding: self.binding });
        }
        Ok(())
    }
}

/// How many instances in a row a region may answer with.
fn wanted(repetitions: usize, room: usize) -> usize {
    repetitions.min(room).max(1)
}

fn is_visible(leaf: &Leaf, query: &Query<'_>) -> bool {
    query.access.may_read(leaf.id()) != Coverage::None && is_known(leaf, query)
}

/// Whether the request's protocol knows the leaf's type.
fn is_known(leaf: &Leaf, query: &Query<'_>) -> bool {
    !(query.without_counter64 && leaf.syntax().kind == ValueKind::Counter64)
}

/// The sub-identifiers after the leaf's OID in the name of its instance in this row.
fn index_of<'s>(snapshot: &'s Snapshot, leaf: &Leaf, row: usize) -> &'s [u32] {
    match leaf.kind() {
        LeafKind::Column { table, .. } => snapshot.tables[usize::from(table)].index().get(row).unwrap_or(&[]),
        LeafKind::Scalar { .. } => &[0],
        LeafKind::Region { .. } => &[],
    }
}

/// How many rows of the leaf have an index not greater than `index`.
fn rows_upto(snapshot: &Snapshot, leaf: &Leaf, index: &[u32]) -> usize {
    match leaf.kind() {
        LeafKind::Scalar { .. } => usize::from(index >= &[0][..]),
        LeafKind::Region { .. } => 0,
        LeafKind::Column { table, .. } => snapshot.tables[usize::from(table)].rows_upto(index),
    }
}

/// The first row from `first` on that has the cell and may be read.
#[inline]
fn next_row(
    snapshot: &Snapshot,
    leaf: &Leaf,
    query: &Query<'_>,
    coverage: Coverage,
    first: usize,
) -> Option<usize> {
    let covered = coverage == Coverage::All;
    match leaf.kind() {
        LeafKind::Scalar { slot } => {
            let present = first == 0
                && match &snapshot.scalars[usize::from(slot)] {
                    Some(ScalarCell::Live(live)) => live.read(query.arrived).kind() == leaf.syntax().kind,
                    cell => cell.is_some(),
                };
            (present && (covered || query.access.may_read_instance(leaf.id(), &[0]))).then_some(0)
        }
        LeafKind::Column { table, slot } => {
            let table = &snapshot.tables[usize::from(table)];
            let column = table.column(usize::from(slot));
            if !covered {
                return next_row_by_rules(table, column, query.access.fine(leaf.id())?, first);
            }
            if column.is_full() {
                return (first < table.len()).then_some(first);
            }
            (first..table.len()).find(|row| column.is_present(*row))
        }
        LeafKind::Region { .. } => None,
    }
}

/// The same in a column that is covered in part: excluded instances are skipped as a whole.
#[cold]
fn next_row_by_rules(
    table: &TableData,
    column: &ColumnData,
    rules: &FineRules,
    first: usize,
) -> Option<usize> {
    let mut row = first;
    while row < table.len() {
        if !column.is_present(row) {
            row += 1;
            continue;
        }
        let index = &table.index()[row];
        if rules.include(index) {
            return Some(row);
        }
        row = table.first_from(row + 1, &rules.bound(index)?);
    }
    None
}
