//! From rows to a configuration and back.

use trunkline_datastore::{Config, check, read};
use trunkline_netconf::document::{Document, limits};
use trunkline_smi::Value;
use trunkline_yang::own::ALL;

use super::*;
use crate::snmp::SnmpState;

fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&[]), Forest::with)
}

fn config(forest: &Forest, text: &str) -> Config {
    let text =
        format!("<config><delegation xmlns='urn:trunkline:yang:delegation'>{text}</delegation></config>");
    let config = read(forest, Document::read(text.as_bytes(), limits(100_000)).unwrap().root()).unwrap();
    check(forest, &config).unwrap();
    config
}

fn branch<'c>(forest: &Forest, config: &'c Config) -> Option<&'c Branch> {
    config.root().within(&Step::to(root(forest)?))
}

/// Does what edits say, as the agent's tables do.
fn apply(state: &mut SnmpState, edits: Vec<SnmpEdit>) {
    for edit in edits {
        let Some(cells) = edit.cells else {
            assert!(state.rows.remove(&edit.row).is_some());
            continue;
        };
        let row = state.rows.entry(edit.row).or_default();
        row.cells.extend(cells);
        for (name, secret) in edit.secrets {
            match secret {
                Some(secret) => row.secrets.insert(name, secret),
                None => row.secrets.remove(name),
            };
        }
    }
}

const EVERYTHING: &str = "\
    <expression><owner>ann</owner><name>load</name><comment>why</comment><text>$1 * 100 / sum($2)</text><type>unsigned32</type>\
      <interval>10</interval><lifetime>300</lifetime>\
      <object><index>1</index><object>1.3.6.1.2.1.2.2.1.10.*</object><sample>delta</sample><discontinuity>1.3.6.1.2.1.31.1.1.1.19.*</discontinuity></object>\
      <object><index>2</index><object>1.3.6.1.2.1.2.2.1.10.*</object><sample>delta</sample><conditional>1.3.6.1.2.1.2.2.1.8.*</conditional></object></expression>\
    <expression><owner>ann</owner><name>plain</name><text>$1</text><object><index>1</index><object>1.3.6.1.2.1.1.3.0</object></object></expression>\
    <monitor><owner>ann</owner><name>load</name><comment>all</comment><object>1.3.6.1.2.1.90.1.3.1.1.3.3.97.110.110.4.108.111.97.100.*</object>\
      <context>lab</context><interval>5</interval><sample>delta</sample><discontinuity>1.3.6.1.2.1.1.3.1</discontinuity><enabled>false</enabled><lifetime>60</lifetime>\
      <objects><owner>ann</owner><name>all</name></objects>\
      <existence><present>true</present><changed>true</changed><event-owner>ann</event-owner><event>tell</event>\
        <objects><owner>bob</owner><name>existence</name></objects></existence>\
      <comparison><operator>less-or-equal</operator><value>-7</value><objects><owner>ann</owner><name>x</name></objects></comparison>\
      <threshold><rising>80</rising><falling>-20</falling><startup>falling</startup><rising-event-owner>ann</rising-event-owner>\
      <rising-event>tell</rising-event><objects><owner>ann</owner><name>limits</name></objects></threshold></monitor>\
    <monitor><owner>bob</owner><name>x y</name><object>1.3.6.1.2.1.1.3.0</object><threshold><rising>1</rising><falling>1</falling></threshold></monitor>\
    <event><owner>ann</owner><name>tell</name><comment>c</comment><notification>1.3.6.1.4.1.8072.9999.0.1</notification>\
      <objects><owner>ann</owner><name>all</name></objects><until>2040-01-01T00:00:00.000Z</until>\
      <set><object>1.3.6.1.2.1.2.2.1.7.*</object><value>-1</value></set></event>\
    <event><owner>ann</owner><name>nothing</name><enabled>false</enabled></event>\
    <notification-object><owner>ann</owner><name>all</name><index>2</index><object>1.3.6.1.2.1.1.5.0</object></notification-object>\
    <notification-object><owner>ann</owner><name>all</name><index>10</index><object>1.3.6.1.2.1.31.1.1.1.1.*</object>\
      <lifetime>60</lifetime></notification-object>";

#[test]
fn rows_are_the_configuration_that_made_them() {
    let forest = forest();
    let wanted = config(&forest, EVERYTHING);
    let mut state = SnmpState::default();
    let edits_ = edits(&forest, &state, None, branch(&forest, &wanted), true).unwrap();
    apply(&mut state, edits_);
    assert_eq!(state.rows.len(), 2 + 3 + 2 + 2 + 2);
    assert_eq!(Some(&configured(&forest, &state)), branch(&forest, &wanted));
    for ((table, _), row) in &state.rows {
        for (column, value) in &row.cells {
            let tables = trunkline_smi::module::ALL.iter().flat_map(|module| module.tables);
            let known = tables.flat_map(|table| table.columns).find(|known| known.name == *column);
            let known = known.unwrap_or_else(|| panic!("{table} {column}"));
            assert!(known.access.is_writable(), "{column}");
            known.syntax.check(value.as_value_ref()).unwrap_or_else(|_| panic!("{column}"));
        }
    }
    assert!(
        edits(&forest, &state, branch(&forest, &wanted), branch(&forest, &wanted), true).unwrap().is_empty()
    );
    let fewer =
        config(&forest, "<event><owner>ann</owner><name>nothing</name><enabled>false</enabled></event>");
    let edits_ = edits(&forest, &state, branch(&forest, &wanted), branch(&forest, &fewer), true).unwrap();
    apply(&mut state, edits_);
    assert_eq!(Some(&configured(&forest, &state)), branch(&forest, &fewer));
}

#[test]
fn one_leaf_changes_one_cell_and_a_lifetime_begins_anew() {
    let forest = forest();
    let [old, new] = [EVERYTHING.to_owned(), EVERYTHING.replace("<interval>10<", "<interval>20<")]
        .map(|text| config(&forest, &text));
    let mut state = SnmpState::default();
    let edits_ = edits(&forest, &state, None, branch(&forest, &old), true).unwrap();
    apply(&mut state, edits_);
    let edits = edits(&forest, &state, branch(&forest, &old), branch(&forest, &new), true).unwrap();
    let [edit] = &edits[..] else { panic!("{} edits", edits.len()) };
    assert_eq!(edit.cells, Some(vec![("expExpressionDeltaInterval", Value::Integer(20))]));
    assert_eq!(edit.secrets, [(LIFETIME, Some(b"300".to_vec()))]);
}

#[test]
fn an_end_is_a_time_or_a_number_of_seconds_and_objects_need_a_notification() {
    let forest = forest();
    let monitor = |more: &str| {
        format!(
            "<config><delegation xmlns='urn:trunkline:yang:delegation'><event><owner>a</owner><name>b</name>{more}</event>\
             </delegation></config>"
        )
    };
    for (more, is_right) in [
        ("<until>2040-01-01T00:00:00Z</until>", true),
        ("<until>2040-01-01T00:00:00Z</until><lifetime>5</lifetime>", false),
        ("<until>tomorrow</until>", false),
        ("<objects><owner>a</owner><name>b</name></objects>", false),
        ("<notification>1.3</notification><objects><owner>a</owner><name>b</name></objects>", true),
        ("<notification>1.3</notification><objects><name>b</name></objects>", false),
    ] {
        let text = monitor(more);
        let config = read(&forest, Document::read(text.as_bytes(), limits(100_000)).unwrap().root());
        let is_valid = config.is_ok_and(|config| check(&forest, &config).is_ok());
        assert_eq!(is_valid, is_right, "{more}");
    }
}

#[test]
fn a_lifetime_gives_way_to_a_time() {
    let forest = forest();
    let until = EVERYTHING.replace("<lifetime>300</lifetime>", "<until>2040-01-01T00:00:00Z</until>");
    let [old, new] = [EVERYTHING.to_owned(), until].map(|text| config(&forest, &text));
    let mut state = SnmpState::default();
    let edits_ = edits(&forest, &state, None, branch(&forest, &old), true).unwrap();
    apply(&mut state, edits_);
    let edits_ = edits(&forest, &state, branch(&forest, &old), branch(&forest, &new), true).unwrap();
    let [edit] = &edits_[..] else { panic!("{} edits", edits_.len()) };
    assert_eq!(edit.secrets, [(LIFETIME, None), (UNTIL, Some(b"2040-01-01T00:00:00.000Z".to_vec()))]);
    apply(&mut state, edits_);
    assert_eq!(Some(&configured(&forest, &state)), branch(&forest, &new));
}

/// Each leaf has the rights of a column of its row.
#[test]
fn leaves_have_instances_of_their_rows() {
    let forest = forest();
    let wanted = config(&forest, EVERYTHING);
    let mut state = SnmpState::default();
    let edits_ = edits(&forest, &state, None, branch(&forest, &wanted), true).unwrap();
    apply(&mut state, edits_);
    let entry = |name: &str, keys: &[&str]| {
        let root = root(&forest).unwrap();
        let node = forest.child(Some(root), name).unwrap();
        let keys = keys.iter().map(|key| Box::from(*key)).collect();
        instance(&forest, &[Step::to(root), Step { node, keys }])
    };
    for (table, name, keys) in [
        ("expExpressionTable", "expression", &["ann", "load"][..]),
        ("mteTriggerTable", "monitor", &["bob", "x y"]),
        ("mteEventTable", "event", &["ann", "tell"]),
        ("mteObjectsTable", "notification-object", &["ann", "all", "10"]),
    ] {
        let index = entry(name, keys).unwrap();
        assert!(state.rows.contains_key(&(table, index)), "{table}");
    }
}

#[test]
fn what_rows_cannot_be_is_refused_at_its_place() {
    let forest = forest();
    for (text, leaf) in [
        ("<monitor><owner>a</owner><name>b</name><object>1.3.*.1</object></monitor>", "object"),
        (
            "<monitor><owner>a</owner><name>b</name><object>1.3</object><discontinuity>1.3</discontinuity></monitor>",
            "discontinuity",
        ),
        (
            "<monitor><owner>a</owner><name>b</name><object>1.3</object><threshold><rising>1</rising><falling>2</falling></threshold></monitor>",
            "falling",
        ),
        ("<event><owner>a</owner><name>b</name><notification>1.3.*</notification></event>", "notification"),
    ] {
        let wanted = config(&forest, text);
        let fault =
            edits(&forest, &SnmpState::default(), None, branch(&forest, &wanted), true).err().unwrap();
        assert_eq!(forest[fault.path.last().unwrap().node].name, leaf, "{text}");
    }
}

#[test]
fn rows_of_the_configuration_file_are_in_force_and_not_configured() {
    let forest = forest();
    let wanted = config(&forest, EVERYTHING);
    let mut state = SnmpState::default();
    let edits_ = edits(&forest, &state, None, branch(&forest, &wanted), true).unwrap();
    apply(&mut state, edits_);
    state.rows.values_mut().for_each(|row| row.is_fixed = true);
    assert!(configured(&forest, &state).is_empty());
    let found = in_force(&forest, &state);
    assert_eq!((Some(&found.branch), found.fixed.len()), (branch(&forest, &wanted), 8));
    let fault = edits(&forest, &state, None, branch(&forest, &wanted), true).err().unwrap();
    assert!(fault.reason.contains("configuration file"));
}
