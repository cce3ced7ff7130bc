//! The table whose coding is timed, here and by the example `bench-soap` of xtask.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::schema::Table;
use trunkline_tree::{Freshness, Group, Loaded, Provider, RowBuilder, Snapshot, SourceError, TreeBuilder};

/// An ifTable of this many rows, with these columns: traffic-like values of all widths.
pub fn snapshot(rows: usize, columns: &[u32]) -> Result<Arc<Snapshot>, Box<dyn Error>> {
    static TABLE: Table = IF_TABLE;
    static GROUP: Group = Group { name: "interfaces", scalars: &[], tables: &[&TABLE] };
    struct Constant(usize, Vec<u32>);
    impl Provider for Constant {
        fn group(&self) -> &'static Group {
            &GROUP
        }
        fn load(&self, _: Option<&Snapshot>) -> Result<Loaded, SourceError> {
            let mut builder = Snapshot::builder(&GROUP);
            for row in 1..=self.0 as u32 {
                let mut cells = builder.table(&TABLE).row(&[row]);
                for column in &self.1 {
                    fill(&mut cells, *column, row);
                }
            }
            Ok(Loaded::Snapshot(builder.finish()))
        }
    }
    let now = Instant::now();
    let mut builder = TreeBuilder::default();
    builder.provider(Arc::new(Constant(rows, columns.to_vec())), Freshness::MaxAge(Duration::MAX));
    let tree = builder.build(now)?;
    let group = tree.group("interfaces").ok_or("no group")?;
    tree.load(group, now, Instant::now)?;
    tree.fresh_snapshot(group, now).ok_or_else(|| "no snapshot".into())
}

fn fill(cells: &mut RowBuilder<'_>, column: u32, row: u32) {
    let seed = row * 22 + column;
    let number = seed.wrapping_mul(2_654_435_761) >> (seed % 25);
    match column {
        1 => cells.integer(1, row as i32),
        2 => cells.text(2, &format!("eth{row}")),
        3 => cells.integer(3, 6),
        4 => cells.integer(4, 1500),
        5 => cells.unsigned32(5, 1_000_000_000),
        6 => cells.octets(6, &[0, 0x40, 0x63, 0xc9, 0x71, row as u8]),
        7 | 8 => cells.integer(column, 1),
        9 => cells.time_ticks(9, number),
        21 => cells.unsigned32(21, 0),
        22 => cells.oid(22, &[0, 0]),
        _ => cells.counter32(column, number.into()),
    };
}
