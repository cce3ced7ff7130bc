//! Rows of tables, straight from the snapshot into the answer.

use trunkline_smi::display_oid;
use trunkline_soap::encoding::{PackedRows, Packer, Rows, Template};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::{RowRange, TableRequest};
use trunkline_tree::{Coverage, LeafId, Page, Progress, Room, Row, RowQuery, RowSink, RowWalker};

use super::work::{Work, too_big};
use trunkline_core::Phase;

/// Writes each row as it comes.
struct Sink<'a, 's, 't> {
    rows: Written<'a, 's, 't>,
    work: &'s Work<'s>,
}

enum Written<'a, 's, 't> {
    Plain(Rows<'s, 'a>),
    /// Compressed at the same time.
    Packed(PackedRows<'t, 'a, 'a>),
}

impl RowSink for Sink<'_, '_, '_> {
    #[inline]
    fn row(&mut self, row: Row<'_>) -> Room {
        self.work.phases.begin(Phase::Encode);
        let room = self.written(row);
        self.work.phases.begin(Phase::Retrieve);
        room
    }
}

impl Sink<'_, '_, '_> {
    #[inline]
    fn written(&mut self, row: Row<'_>) -> Room {
        let index = row.index();
        match &mut self.rows {
            Written::Plain(rows) => {
                let before = rows.end();
                match row.stored_cells() {
                    Some(cells) => rows.row(index, cells),
                    None => rows.row(index, row.cells()),
                }
                if self.work.has_room(rows.end()) {
                    return Room::Taken;
                }
                rows.back_to(before);
            }
            Written::Packed(rows) => {
                let before = rows.end();
                match row.stored_cells() {
                    Some(cells) => rows.row(index, cells),
                    None => rows.row(index, row.cells()),
                }
                if self.work.has_room(rows.end()) {
                    return Room::Taken;
                }
                rows.back_to(before);
            }
        }
        Room::Full
    }
}

/// Writes the requested rows; returns the compressor so far, if the peer accepts compression and the rows are
/// those of the whole table's template: making the codes of another one would take longer than compressing.
pub(super) async fn table<'a>(
    work: &Work<'a>,
    request: &TableRequest,
    out: &mut Vec<u8>,
) -> Result<Option<Packer<'a>>, Fault> {
    let catalog = &work.service.catalog;
    let served = &catalog.tables()[request.table];
    let name = served.table.name;
    let no_such_object = || {
        let reason = format!("there is no {name} here, or you may not read it");
        Fault::new(FaultKind::NoSuchObject, reason).about(name).oid(display_oid(served.table.oid))
    };
    let place = work.service.place(request.table).ok_or_else(no_such_object)?;
    let chosen: Vec<LeafId>;
    let subset;
    let whole = work.service.templates.table(catalog, request.table, work.encoding);
    let (columns, template) = match &request.columns {
        None => (&place.leaves[..], whole),
        Some(columns) => {
            chosen = columns.iter().filter_map(|at| place.leaves.get(*at)).copied().collect();
            subset = Template::new(work.encoding, &served.record.only(columns));
            (&chosen[..], &subset)
        }
    };
    // Index objects are in each row anyway; a row exists if anything of it may be read.
    let columns = if columns.is_empty() { &place.all[..] } else { columns };
    let leaves = work.served.tree.leaves();
    let is_hidden =
        |leaf: &LeafId| work.access.may_read_below(leaves[leaf.position()].oid()) == Coverage::None;
    if columns.iter().all(is_hidden) {
        return Err(match request.columns.as_deref() {
            Some([first, ..]) => no_such_column(name, served.record.fields[*first].name),
            _ => no_such_object(),
        });
    }
    let query = RowQuery {
        table: place.id,
        columns,
        range: of_tree(&request.range),
        filter: None,
        page: Page::ALL,
        with_empty: false,
        access: work.access,
        arrived: work.arrived,
    };
    let is_whole = request.columns.is_none() && matches!(request.range, RowRange::All);
    if is_whole {
        template.expect(out);
    }
    template.begin(out);
    let mut walker = RowWalker::new();
    let frame = work.frame.filter(|_| request.columns.is_none());
    let mut packer = frame.map(|frame| Packer::new(whole, frame));
    let rows = match &mut packer {
        Some(packer) => Written::Packed(whole.packed_rows(out, packer)),
        None => Written::Plain(template.rows(out)),
    };
    let mut sink = Sink { rows, work };
    let progress = work.served.retrieve_rows(&mut walker, &query, &mut sink).await;
    match (&request.range, progress.map_err(|unanswered| Fault::source_failed(unanswered).about(name))?) {
        (RowRange::All, Progress::Full { .. }) => {
            Err(too_big(work.limit, "name the wanted columns, or request some rows at a time"))
        }
        (_, Progress::Full { .. }) if walker.rows() == 0 => {
            Err(too_big(work.limit, "name the wanted columns"))
        }
        (RowRange::One(index), _) if walker.rows() == 0 => {
            let row = display_oid(index);
            let reason = format!("{name} has no row {row}, or you may not read it");
            Err(Fault::new(FaultKind::NoSuchRow, reason).about(served.table.entry).row(row))
        }
        _ => {
            drop(sink);
            if is_whole {
                template.learn(out);
            }
            Ok(packer)
        }
    }
}

/// The range in the tree's words.
fn of_tree(range: &RowRange) -> trunkline_tree::RowRange<'_> {
    match range {
        RowRange::All => trunkline_tree::RowRange::All,
        RowRange::One(index) => trunkline_tree::RowRange::One(index),
        RowRange::After { index, count } => trunkline_tree::RowRange::After { index, count: *count },
    }
}

fn no_such_column(table: &str, column: &str) -> Fault {
    let reason = format!("{table} has no {column} here, or you may not read it");
    Fault::new(FaultKind::NoSuchObject, reason).about(column)
}
