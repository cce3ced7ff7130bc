//! What expressions compile to, on the tree of figure 5.10, and which rows the predicates admit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panic and say why")]

use std::collections::BTreeMap;

use trunkline_query::Cells;
use trunkline_query::services::Graph;
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexRef, Value, ValueRef, index_refs};
use trunkline_soap::expression::{
    ExpressionError, Found, Part, Plan, Question, RowsPart, Specification, View,
};

fn interfaces(_: &'static Table, _: Option<u32>) -> Vec<(u32, Option<String>)> {
    vec![(1, Some("lo".to_owned())), (2, Some("eth0".to_owned())), (3, Some("eth1".to_owned()))]
}

fn graph() -> Graph {
    Specification::default().graph(&interfaces).unwrap()
}

fn compile(view: View, path: &str, data: &str, filter: &str) -> Result<Plan, ExpressionError> {
    let values = BTreeMap::from([("thres_value".to_owned(), 1000)]);
    Question::parse(view, path, Some(data), Some(filter), values)?.compile(&graph(), None)
}

fn plan(path: &str, data: &str, filter: &str) -> Plan {
    compile(View::Everything, path, data, filter)
        .unwrap_or_else(|error| panic!("{error}\n{}", error.pointed()))
}

/// `service: table[row].columns` for each part.
fn parts(plan: &Plan) -> Vec<String> {
    let graph = graph();
    let part = |part: &Part| match part {
        Part::Scalars { service, scalars } => {
            let names: Vec<&str> = scalars.iter().map(|scalar| scalar.name).collect();
            format!("{}: {}", graph.service(*service).tag, names.join(" "))
        }
        Part::Rows(rows) => {
            let only = rows.only.as_ref().map_or(String::new(), |index| format!("{index:?}"));
            let name = |id: &u32| rows.table.column(*id).unwrap().name;
            let own = rows.columns.iter().map(name);
            let foreign = rows.foreign[..rows.shown].iter().map(|foreign| foreign.name);
            let columns: Vec<&str> = own.chain(foreign).collect();
            format!("{}: {}{only} {}", graph.service(rows.service).tag, rows.table.name, columns.join(" "))
        }
    };
    plan.parts.iter().map(part).collect()
}

/// A row of a test.
struct TestRow<'r> {
    part: &'r RowsPart,
    index: &'r [u32],
    cells: &'r [(u32, Value)],
}

impl Cells for TestRow<'_> {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        self.cells.iter().find(|(id, _)| *id == column).map(|(_, value)| value.as_value_ref())
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        index_refs(self.part.table.index, self.index).nth(part)?.ok()
    }
}

fn admits(part: &RowsPart, index: &[u32], cells: &[(u32, Value)], position: u64, found: &Found) -> bool {
    let foreign = part.foreign_values(index, position, found);
    part.admits(&TestRow { part, index, cells }, &foreign)
}

#[test]
fn single_data_of_equation_13() {
    let data = "sgl_slct_exp={tcpInSegs,tcpOutSegs,ipInDelivers} .";
    let plan = compile(View::Single, "{Root}", data, "").unwrap();
    assert_eq!(parts(&plan), ["TCP-Data: tcpInSegs tcpOutSegs", "IP: ipInDelivers"]);
}

#[test]
fn all_connections_of_equations_18_and_20() {
    let path = "Path_slct_exp={TCP Monitor Srv,NULL,NULL,empty}";
    let plan = plan(path, "ml_slct_exp={tcpConnEntry[ ]}", "");
    let columns = "tcpConnState tcpConnLocalAddress tcpConnLocalPort tcpConnRemAddress tcpConnRemPort";
    assert_eq!(parts(&plan), [format!("TCP-Connections: tcpConnTable {columns}")]);
    assert!(plan.rows().all(|rows| rows.predicate.is_none() && rows.is_plain()));
}

#[test]
fn ports_of_equation_19() {
    let filter = "flt_exp= {tcpConnLocalPort = 22 OR tcpConnLocalPort =80}";
    let plan = plan("{TCP Monitor Srv,NULL,NULL,empty}", "{tcpConnRemAddress}", filter);
    assert_eq!(parts(&plan), ["TCP-Connections: tcpConnTable tcpConnRemAddress"]);
    let part = plan.rows().next().unwrap();
    let found = Found::default();
    let admits = |port: u32| admits(part, &[10, 0, 0, 1, port, 10, 0, 0, 2, 40000], &[], 1, &found);
    assert_eq!([22, 23, 80, 0].map(admits), [true, false, true, false]);
}

#[test]
fn rows_in_brackets_are_indexes_or_counted() {
    let by_index = plan("{Interfaces}", "{ifDescr[2-3]}", "");
    assert_eq!(parts(&by_index).len(), 3);
    let found = Found::default();
    let part = by_index.rows().next().unwrap();
    assert!(part.is_plain());
    assert!(admits(part, &[3], &[], 1, &found) && !admits(part, &[4], &[], 2, &found));
    let counted = plan("{TCP}", "{tcpConnEntry[1<x<4]}", "");
    let part = counted.rows().next().unwrap();
    assert!(part.counts_rows());
    let index = [10, 0, 0, 1, 22, 10, 0, 0, 2, 40000];
    let admitted: Vec<u64> = (1..6).filter(|at| admits(part, &index, &[], *at, &found)).collect();
    assert_eq!(admitted, [2, 3]);
}

#[test]
fn tables_of_the_same_rows_are_one_to_a_filter() {
    let plan = plan("{eth0}", "{ifDescr, ifHighSpeed}", "ifOperStatus = up AND ifHighSpeed >= 100");
    assert_eq!(parts(&plan), ["Interface-2: ifTable[2] ifDescr", "Interface-2: ifXTable[2] ifHighSpeed"]);
    assert_eq!(
        plan.lookups.iter().map(|lookup| lookup.table.name).collect::<Vec<_>>(),
        ["ifXTable", "ifTable"]
    );
    let row = |value| std::collections::HashMap::from([(vec![2], vec![Some(value)])]);
    let found =
        Found { lookups: vec![row(Value::Unsigned32(1000)), row(Value::Integer(1))], compared: Vec::new() };
    for (part, cell) in plan.rows().zip([(8, Value::Integer(1)), (15, Value::Unsigned32(1000))]) {
        assert!(admits(part, &[2], std::slice::from_ref(&cell), 1, &found));
        assert!(!admits(part, &[3], &[cell], 1, &found));
    }
}

#[test]
fn scalars_gate_what_they_alone_are_compared_in() {
    let gated = plan("{TCP}", "{tcpInSegs, tcpConnState}", "tcpCurrEstab > 5");
    let gate = gated.gate.as_ref().unwrap();
    assert!(
        gate.holds(&[Some(Value::Unsigned32(6))])
            && !gate.holds(&[Some(Value::Unsigned32(5))])
            && !gate.holds(&[None])
    );
    let mixed = plan("{TCP}", "{tcpConnState}", "tcpConnState = established AND tcpCurrEstab > 5");
    assert!(mixed.gate.is_none());
    let part = mixed.rows().next().unwrap();
    let cells = [(1, Value::Integer(5))];
    let with = |number| Found { lookups: Vec::new(), compared: vec![Some(Value::Unsigned32(number))] };
    assert!(admits(part, &[], &cells, 1, &with(6)) && !admits(part, &[], &cells, 1, &with(5)));
}

#[test]
fn columns_that_the_filter_does_not_mention_are_left_out() {
    let plan = plan("{Root}", "", "ifOperStatus = up");
    let tables: Vec<&str> = plan.rows().map(|rows| rows.table.name).collect();
    assert_eq!(tables, ["ifTable", "ifXTable"].repeat(3));
    assert!(plan.left_out.iter().any(|(_, table)| table.name == "tcpConnTable"));
}

#[test]
fn errors_suggest_a_fix_with_a_position() {
    let check = |view, path: &str, data: &str, filter: &str, caret: usize, words: &str| {
        let error = compile(view, path, data, filter).unwrap_err();
        assert_eq!((error.at, error.problem.to_string().as_str()), (caret, words));
    };
    let everything = View::Everything;
    check(
        everything,
        "{Rot,,,}",
        "",
        "",
        1,
        "there is no service `Rot`; there are Root, IP, TCP, TCP-Data, TCP-Connections, Interfaces, Interface-1, Interface-2, Interface-3",
    );
    check(everything, "{Root,,,contains.r2}", "", "", 17, "there is no relation `r2`; there are contains");
    check(
        everything,
        "{Root}",
        "{ifDescr, ifDesc}",
        "",
        10,
        "no module has an object \"ifDesc\"; did you mean ifDescr?",
    );
    check(
        everything,
        "{IP}",
        "{tcpInSegs}",
        "",
        1,
        "none of the selected services has tcpInSegs; they are IP",
    );
    check(everything, "{IP}", "{ifDescr}", "", 1, "none of the selected services has ifDescr; they are IP");
    check(everything, "{IP}", "", "ifIndex = 1", 0, "none of the selected services has ifIndex; they are IP");
    check(
        everything,
        "{Root}",
        "{tcpInSegs[1]}",
        "",
        1,
        "tcpInSegs is single-instance data: it has no rows to choose from",
    );
    check(
        View::Tables,
        "{Root}",
        "{tcpInSegs}",
        "",
        1,
        "tcpInSegs is single-instance data: this operation only returns tables",
    );
    check(
        View::Single,
        "{Root}",
        "{ifDescr}",
        "",
        1,
        "ifDescr is part of a table: this operation only returns single-instance data",
    );
    check(
        View::Single,
        "{Root}",
        "",
        "NOT ifDescr = 'x'",
        4,
        "ifDescr is part of a table: this operation only returns single-instance data",
    );
    check(
        everything,
        "{Root}",
        "",
        "ifEntry = 1",
        0,
        "ifEntry is a table: a filter compares its columns, as in ifIndex = 1",
    );
    check(
        everything,
        "{Root}",
        "",
        "ifOperStatus = upp",
        15,
        "ifOperStatus has no value named \"upp\": did you mean up?",
    );
    check(
        everything,
        "{Root}",
        "",
        "ifInOctets > lots",
        13,
        "lots is not a value of ifInOctets: write a number, or give lots a value, as in lots=1000",
    );
    check(
        everything,
        "{Root}",
        "",
        "ifInOctets > -1",
        13,
        "ifInOctets is 0 to 4294967295: -1 is out of range",
    );
}
