//! The result of a benchmark: figures with their targets, notes, and raw rounds.

use std::fmt::Write;
use std::io::IsTerminal;

use serde_json::{Map, Value, json};

/// What a figure must reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

/// Everything that was found.
#[derive(Debug, Default, PartialEq)]
pub struct Report {
    figures: Vec<Figure>,
    notes: Vec<String>,
    raw: Map<String, Value>,
}

#[derive(Debug, PartialEq)]
struct Figure {
    name: String,
    unit: String,
    bar: Bar,
    value: f64,
}

impl Report {
    /// Adds a figure with its bar.
    pub fn add(&mut self, name: impl Into<String>, unit: &str, bar: Bar, value: f64) {
        self.figures.push(Figure { name: name.into(), unit: unit.to_owned(), bar, value });
    }

    /// Adds a note for the reader, once.
    pub fn note(&mut self, words: impl Into<String>) {
        let words = words.into();
        if !self.notes.contains(&words) {
            self.notes.push(words);
        }
    }

    /// Keeps raw rounds.
    pub fn keep(&mut self, name: &str, raw: Value) {
        self.raw.insert(name.to_owned(), raw);
    }

    /// Appends another report.
    pub fn join(&mut self, other: Self) {
        self.figures.extend(other.figures);
        other.notes.into_iter().for_each(|note| self.note(note));
        self.raw.extend(other.raw);
    }

    /// How many bars were missed.
    pub fn misses(&self) -> usize {
        self.figures.iter().filter(|figure| !figure.passes()).count()
    }

    /// Figures and notes, for programs.
    pub fn summary(&self) -> Value {
        json!({ "figures": self.figures.iter().map(Figure::to_json).collect::<Vec<_>>(), "notes": self.notes })
    }

    /// All of it.
    pub fn to_json(&self) -> Value {
        let mut value = self.summary();
        value["raw"] = Value::Object(self.raw.clone());
        value
    }

    /// Reads what [`Self::to_json`] made.
    pub fn from_json(value: &Value) -> Self {
        let list = |key: &str| value[key].as_array().map_or(&[][..], Vec::as_slice);
        Self {
            figures: list("figures").iter().filter_map(Figure::from_json).collect(),
            notes: list("notes").iter().filter_map(|note| Some(note.as_str()?.to_owned())).collect(),
            raw: value["raw"].as_object().cloned().unwrap_or_default(),
        }
    }

    /// For a person: each figure with its target, then the notes.
    pub fn table(&self) -> String {
        let width = self.figures.iter().map(|figure| figure.name.len()).max().unwrap_or(0);
        let mut text = format!("{:width$}  {:>10}  {:>11}\n", "", "bar", "measured");
        for figure in &self.figures {
            let (sign, bar) = match figure.bar {
                Bar::AtLeast(bar) => (">=", bar),
                Bar::AtMost(bar) => ("<=", bar),
            };
            let bar = format!("{sign} {bar}");
            let measured = format!("{}{}", short(figure.value), figure.unit);
            let verdict = if figure.passes() { "pass" } else { "MISS" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{:width$}  {bar:>10}  {measured:>11}  {verdict}", figure.name);
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}");
        }
        text
    }
}

impl Figure {
    fn passes(&self) -> bool {
        match self.bar {
            Bar::AtLeast(bar) => self.value >= bar,
            Bar::AtMost(bar) => self.value <= bar,
        }
    }

    fn to_json(&self) -> Value {
        let (kind, bar) = match self.bar {
            Bar::AtLeast(bar) => ("at_least", bar),
            Bar::AtMost(bar) => ("at_most", bar),
        };
        json!({ "name": self.name, "unit": self.unit.trim(), kind: bar, "value": self.value, "pass": self.passes() })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let bar = match (value["at_least"].as_f64(), value["at_most"].as_f64()) {
            (Some(bar), _) => Bar::AtLeast(bar),
            (None, bar) => Bar::AtMost(bar?),
        };
        let unit = value["unit"].as_str().filter(|unit| !unit.is_empty());
        Some(Self {
            name: value["name"].as_str()?.to_owned(),
            unit: unit.map(|unit| format!(" {unit}")).unwrap_or_default(),
            bar,
            value: value["value"].as_f64()?,
        })
    }
}

/// The middle value; of an even number the mean of the two in the middle; 0 of none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// Says how far a case is: on a terminal in one line that is written over, else once.
pub fn progress(name: &str, round: u32, rounds: u32) {
    match (std::io::stderr().is_terminal(), round == rounds) {
        (true, false) => eprint!("\r{name}: round {round} of {rounds}"),
        (true, true) => eprintln!("\r{name}: {rounds} rounds          "),
        (false, true) => eprintln!("{name}: {rounds} rounds"),
        (false, false) => {}
    }
}

/// Three significant digits, or whole.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        ..0.1 => format!("{value:.4}"),
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::default();
        report.add("share", "", Bar::AtLeast(0.8), 0.79);
        report.add("memory", " MB", Bar::AtMost(8.0), 8.0);
        report.add("cpu", " ns", Bar::AtMost(0.0), 0.0);
        report.note("one");
        report.note("one");
        report.keep("rounds", json!([1, 2]));
        report
    }

    #[test]
    fn bars_are_held_on_the_right_side() {
        let report = report();
        assert_eq!(report.misses(), 1);
        let table = report.table();
        let verdicts: Vec<&str> = table.lines().skip(1).take(3).map(|line| &line[line.len() - 4..]).collect();
        assert_eq!(verdicts, ["MISS", "pass", "pass"]);
    }

    #[test]
    fn a_report_survives_the_way_through_json() {
        let report = report();
        let back = Report::from_json(&serde_json::from_str(&report.to_json().to_string()).unwrap());
        assert_eq!(back, report);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn figures_are_printed_short() {
        assert_eq!(
            [0.0, 0.01234, 0.876, 5.12, 33.33, 1234.5].map(short),
            ["0", "0.0123", "0.88", "5.12", "33.3", "1234"]
        );
    }
}
