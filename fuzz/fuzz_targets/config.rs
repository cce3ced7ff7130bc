//! A configuration file of the agent: accepted, or refused with a location in the file.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use trunkline_config::{Plan, WrongConfig, parse};

fuzz_target!(|text: &str| {
    match parse(Path::new("trunklined.toml"), text) {
        Ok(plan) => check_plan(&plan),
        Err(wrong) => check_places(text, wrong),
    }
});

/// It is served somewhere: `listen = []` in [snmp] is valid where another protocol, or a master agent, reaches the tree.
fn check_plan(plan: &Plan) {
    assert!(plan.listeners().next().is_some() || plan.netconf.is_some() || plan.subagent.is_some());
    assert!(!format!("{plan:?}").is_empty());
}

/// Each error has a location, in the order of the file.
fn check_places(text: &str, mut wrong: WrongConfig) {
    let others = std::mem::take(&mut wrong.others);
    let all: Vec<WrongConfig> = std::iter::once(wrong).chain(others).collect();
    assert!(all.is_sorted_by_key(|mistake| (mistake.line, mistake.column)));
    all.iter().for_each(|mistake| check_place(text, mistake));
}

/// The excerpt is a line of the file, and the marks below it begin at the column, under the line or just after it.
fn check_place(text: &str, wrong: &WrongConfig) {
    let mut lines = text.split('\n').skip(wrong.line - 1);
    let line = lines.next().expect("the line is in the file");
    let line = lines.next().and_then(|_| line.strip_suffix('\r')).unwrap_or(line);
    let shown = wrong.to_string();
    assert!(!shown.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n')), "{shown:?}");
    let gutter = format!("{} | ", wrong.line);
    let mut last = shown.rsplit('\n');
    if let Some(told) = shown.strip_suffix("<secret>").or_else(|| shown.strip_suffix("...")) {
        // A line that contains a secret, or may contain one, is shown up to it, without marks.
        let told =
            told.rsplit('\n').next().and_then(|told| told.strip_prefix(&gutter)).expect("the line's number");
        assert!(told.chars().zip(line.chars()).all(|(shown, c)| shown == c || c.is_control()), "{told:?}");
        return;
    }
    let (marks, excerpt) = (last.next().expect("marks"), last.next().expect("the line"));
    let excerpt = excerpt.strip_prefix(&gutter).expect("the line's number");
    // The value of an unknown key may be a secret, and is not shown.
    let key = excerpt.strip_suffix("= ...").filter(|_| shown.contains("unknown field"));
    let (told, line_told) = match (key, line.split_once('=')) {
        (Some(key), Some((line_key, _))) => (key, line_key),
        _ => (excerpt, line),
    };
    assert!(
        told.chars().zip(line_told.chars()).all(|(shown, c)| shown == c || c.is_control()),
        "{excerpt:?}"
    );
    assert_eq!(told.chars().count(), line_told.chars().count());
    let marks = &marks[gutter.len()..];
    let (indent, marks) = marks.split_at(marks.find('^').expect("a mark"));
    assert!(marks.chars().all(|mark| mark == '^'));
    assert_eq!(indent.chars().count(), wrong.column - 1);
    assert!(
        indent.len() <= line.len()
            && indent.chars().zip(line.chars()).all(|(i, l)| (i == '\t') == (l == '\t'))
    );
    assert!(indent.chars().count() + marks.len() <= line.chars().count().max(wrong.column));
}
