//! A configuration file of the agent: taken, or refused with a place that is in the file.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use trunkline_agent::config::{WrongConfig, parse};

fuzz_target!(|text: &str| {
    match parse(Path::new("trunklined.toml"), text) {
        Ok(plan) => assert!(!plan.snmp.listen.is_empty() && !format!("{plan:?}").is_empty()),
        Err(wrong) => check_place(text, &wrong),
    }
});

/// The line is the file's, and the marks below it begin at the column, under the line or just behind it.
fn check_place(text: &str, wrong: &WrongConfig) {
    let mut lines = text.split('\n').skip(wrong.line - 1);
    let line = lines.next().expect("the line is in the file");
    let line = lines.next().and_then(|_| line.strip_suffix('\r')).unwrap_or(line);
    let shown = wrong.to_string();
    assert!(!shown.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n')), "{shown:?}");
    let gutter = format!("{} | ", wrong.line);
    let mut last = shown.rsplit('\n');
    if let Some(told) = shown.strip_suffix("<secret>") {
        // A line that holds a secret is shown up to it, without marks.
        let told =
            told.rsplit('\n').next().and_then(|told| told.strip_prefix(&gutter)).expect("the line's number");
        assert!(told.chars().zip(line.chars()).all(|(shown, c)| shown == c || c.is_control()), "{told:?}");
        return;
    }
    let (marks, excerpt) = (last.next().expect("marks"), last.next().expect("the line"));
    let excerpt = excerpt.strip_prefix(&gutter).expect("the line's number");
    assert!(excerpt.chars().zip(line.chars()).all(|(shown, c)| shown == c || c.is_control()), "{excerpt:?}");
    assert_eq!(excerpt.chars().count(), line.chars().count());
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
