//! NET-SNMP-EXTEND-MIB: what configured programs print and how they end.
//!
//! The tables are below nsExtendObjects, and again below every other root in the configuration. The rows are
//! read-only: a manager with write access could run anything.

use std::sync::Arc;

use trunkline_smi::module::net_snmp_mib::{
    NS_EXTEND_CONFIG_TABLE, NS_EXTEND_NUM_ENTRIES, NS_EXTEND_OUTPUT1_TABLE, NS_EXTEND_OUTPUT2_TABLE,
};
use trunkline_smi::schema::{Scalar, Table};
use trunkline_smi::{Oid, Value};
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SourceError};

use super::entry::{Entry, EntryOptions, fresh};
use super::options::Programs;

/// The schema below one root.
#[derive(Clone, Copy, Debug)]
struct Schema {
    count: &'static Scalar,
    commands: &'static Table,
    outputs: &'static Table,
    lines: &'static Table,
    command_group: &'static Group,
    output_group: &'static Group,
}

static COMMAND_GROUP: Group =
    Group { name: "ns-extend", scalars: &[&NS_EXTEND_NUM_ENTRIES], tables: &[&NS_EXTEND_CONFIG_TABLE] };

static OUTPUT_GROUP: Group = Group {
    name: "ns-extend-output",
    scalars: &[],
    tables: &[&NS_EXTEND_OUTPUT1_TABLE, &NS_EXTEND_OUTPUT2_TABLE],
};

/// Where the MIB has it.
static SCHEMA: Schema = Schema {
    count: &NS_EXTEND_NUM_ENTRIES,
    commands: &NS_EXTEND_CONFIG_TABLE,
    outputs: &NS_EXTEND_OUTPUT1_TABLE,
    lines: &NS_EXTEND_OUTPUT2_TABLE,
    command_group: &COMMAND_GROUP,
    output_group: &OUTPUT_GROUP,
};

/// Serves the commands: nothing is run for it.
#[derive(Debug)]
struct Commands {
    programs: Programs,
    root: Option<Oid>,
    schema: Schema,
}

/// Serves their output.
#[derive(Debug)]
struct Outputs {
    programs: Programs,
    root: Option<Oid>,
    schema: Schema,
}

/// The groups ns-extend and ns-extend-output, and two for each other root that the configuration names now.
pub(crate) fn providers(programs: &Programs) -> Vec<Arc<dyn Provider>> {
    let current = programs.current();
    let mut roots: Vec<Option<Oid>> = vec![None];
    for entry in &current.entries {
        let root = &entry.options().root;
        if !roots.contains(root) {
            roots.push(root.clone());
        }
    }
    let mut providers: Vec<Arc<dyn Provider>> = Vec::new();
    for root in roots {
        let schema = root.as_ref().map_or(SCHEMA, below);
        let programs = || programs.clone();
        providers.push(Arc::new(Commands { programs: programs(), root: root.clone(), schema }));
        providers.push(Arc::new(Outputs { programs: programs(), root, schema }));
    }
    providers
}

/// The schema below another root. It stays for ever, as schemas do; roots are read once, at the start.
fn below(root: &Oid) -> Schema {
    let oid = |last: u32| -> &'static [u32] { root.child(&[last]).to_vec().leak() };
    let table = |table: &Table, last| -> &'static Table {
        Box::leak(Box::new(Table { oid: oid(last), ..table.clone() }))
    };
    let count: &'static Scalar = Box::leak(Box::new(Scalar { oid: oid(1), ..NS_EXTEND_NUM_ENTRIES }));
    let commands = table(&NS_EXTEND_CONFIG_TABLE, 2);
    let outputs = table(&NS_EXTEND_OUTPUT1_TABLE, 3);
    let lines = table(&NS_EXTEND_OUTPUT2_TABLE, 4);
    let group = |what: &str, scalars, tables| -> &'static Group {
        let name = format!("{what}-{root}").leak();
        Box::leak(Box::new(Group { name, scalars, tables }))
    };
    Schema {
        count,
        commands,
        outputs,
        lines,
        command_group: group("ns-extend", vec![count].leak(), vec![commands].leak()),
        output_group: group("ns-extend-output", &[], vec![outputs, lines].leak()),
    }
}

impl Provider for Commands {
    fn group(&self) -> &'static Group {
        self.schema.command_group
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let current = self.programs.current();
        let ours = || current.entries.iter().filter(|entry| entry.options().root == self.root);
        let mut snapshot = Snapshot::builder(self.group());
        snapshot.scalar(self.schema.count, Value::Integer(ours().count() as i32));
        let table = snapshot.table(self.schema.commands);
        for entry in ours() {
            command(&mut table.row(&token(entry)), entry.options());
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn command(row: &mut RowBuilder<'_>, options: &EntryOptions) {
    let line = options.command_line();
    let (program, arguments) = match options.program.command.first() {
        Some(first) if !options.program.shell => {
            (first.as_str(), line[first.len().min(line.len())..].trim_start())
        }
        _ => line.split_once(char::is_whitespace).unwrap_or((&line, "")),
    };
    row.text(2, program)
        .text(3, arguments)
        .text(4, "")
        .integer(5, i32::try_from(options.cache.as_secs()).unwrap_or(i32::MAX))
        .integer(6, if options.program.shell { SHELL } else { EXEC })
        .integer(7, RUN_ON_READ)
        .integer(20, PERMANENT)
        .integer(21, ACTIVE);
}

impl Provider for Outputs {
    fn group(&self) -> &'static Group {
        self.schema.output_group
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let current = self.programs.current();
        let ours: Vec<&Arc<Entry>> =
            current.entries.iter().filter(|entry| entry.options().root == self.root).collect();
        let runs = fresh(&ours, self.programs.runner());
        let mut snapshot = Snapshot::builder(self.group());
        for (entry, run) in ours.into_iter().zip(runs) {
            let Some(run) = run else { continue };
            let token = token(entry);
            let lines: Vec<&[u8]> = run.lines().collect();
            snapshot
                .table(self.schema.outputs)
                .row(&token)
                .octets(1, run.first_line())
                .octets(2, &run.output)
                .integer(3, lines.len() as i32)
                .integer(4, run.result);
            for (number, line) in (1..).zip(lines) {
                let index: Vec<u32> = token.iter().copied().chain([number]).collect();
                snapshot.table(self.schema.lines).row(&index).octets(2, line);
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// nsExtendToken as an index: its length and its octets.
fn token(entry: &Entry) -> Vec<u32> {
    let name = entry.options().name.as_bytes();
    std::iter::once(name.len() as u32).chain(name.iter().map(|octet| u32::from(*octet))).collect()
}

/// nsExtendExecType.
const EXEC: i32 = 1;
const SHELL: i32 = 2;
/// nsExtendRunType.
const RUN_ON_READ: i32 = 1;
/// StorageType.
const PERMANENT: i32 = 4;
/// RowStatus.
const ACTIVE: i32 = 1;
