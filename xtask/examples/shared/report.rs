//! The result of a benchmark: figures with their bars and intervals, notes, raw rounds, and what the machine did
//! meanwhile. All benchmarks share it.

use std::fmt::Write;
use std::io::IsTerminal;

use serde_json::{Map, Value, json};
use trunkline_lab::estimate::Estimate;
use trunkline_lab::meter::load::{Load, LoadMeter, LoadRecord};
use trunkline_lab::statistics::{self, Interval};

/// What a figure must reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

/// How a figure stands to its bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Met,
    Missed,
    /// The interval holds the bar, or there are too few rounds for an interval.
    NotResolved,
}

/// Everything that was found.
#[derive(Debug)]
pub struct Report {
    figures: Vec<Figure>,
    notes: Vec<String>,
    raw: Map<String, Value>,
    meter: LoadMeter,
    load: Vec<LoadRecord>,
    failures: Vec<String>,
}

#[derive(Debug)]
struct Figure {
    name: String,
    unit: String,
    bar: Bar,
    value: f64,
    interval: Option<Interval>,
    /// Rounds; `None` for a count, which has no interval.
    rounds: Option<usize>,
}

impl Report {
    /// An empty report, whose account of the machine begins now.
    pub fn begin() -> Self {
        let (figures, notes, load, failures) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { figures, notes, raw: Map::new(), meter: LoadMeter::start(), load, failures }
    }

    /// Measures a case. If that fails, the reason stands in the report, and the figures of other cases are not lost.
    pub fn attempt<E: std::fmt::Display>(
        &mut self,
        case: &str,
        measure: impl FnOnce(&mut Self) -> Result<(), E>,
    ) {
        if let Err(error) = measure(self) {
            self.failures.push(format!("{case}: {error}"));
        }
    }

    /// Whether all cases were measured.
    ///
    /// # Errors
    /// Which were not.
    pub fn complete(&self) -> Result<(), String> {
        match self.failures.len() {
            0 => Ok(()),
            failures => Err(format!("cases that failed: {failures}; the report has the reasons")),
        }
    }

    /// Adds a figure with its bar.
    pub fn add(&mut self, name: impl Into<String>, bar: Bar, figure: &Estimate) {
        let (value, interval, rounds) = (figure.value(), figure.interval(), figure.repetitions());
        self.figures.push(Figure { name: name.into(), unit: String::new(), bar, value, interval, rounds });
    }

    /// Adds a count with its bar: one reading, which has no interval.
    pub fn count(&mut self, name: impl Into<String>, unit: &str, bar: Bar, value: f64) {
        let (name, unit) = (name.into(), unit.to_owned());
        self.figures.push(Figure { name, unit, bar, value, interval: None, rounds: None });
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

    /// Called after each round: reads the machine's load, and prints the progress of a case: on a terminal in one line
    /// that is written over, else once.
    pub fn progress(&mut self, name: &str, round: u32, rounds: u32) {
        self.load.extend(self.meter.due());
        match (std::io::stderr().is_terminal(), round == rounds) {
            (true, false) => eprint!("\r{name}: round {round} of {rounds}"),
            (true, true) => eprintln!("\r{name}: {rounds} rounds          "),
            (false, true) => eprintln!("{name}: {rounds} rounds"),
            (false, false) => {}
        }
    }

    /// Appends another report.
    pub fn join(&mut self, other: Self) {
        self.figures.extend(other.figures);
        other.notes.into_iter().for_each(|note| self.note(note));
        self.raw.extend(other.raw);
        self.load.extend(other.load);
        self.failures.extend(other.failures);
    }

    /// How many bars were missed.
    pub fn misses(&self) -> usize {
        self.figures.iter().filter(|figure| figure.verdict() == Verdict::Missed).count()
    }

    /// Figures and notes, for programs.
    pub fn summary(&self) -> Value {
        let figures: Vec<Value> = self.figures.iter().map(Figure::to_json).collect();
        json!({ "figures": figures, "notes": self.notes, "failures": self.failures, "machine": self.machine() })
    }

    /// All of it.
    pub fn to_json(&self) -> Value {
        let mut value = self.summary();
        value["raw"] = Value::Object(self.raw.clone());
        value["load"] = json!(self.load);
        value
    }

    /// Reads what [`Self::to_json`] made.
    pub fn from_json(value: &Value) -> Self {
        let list = |key: &str| value[key].as_array().map_or(&[][..], Vec::as_slice);
        Self {
            figures: list("figures").iter().filter_map(Figure::from_json).collect(),
            notes: list("notes").iter().filter_map(|note| Some(note.as_str()?.to_owned())).collect(),
            raw: value["raw"].as_object().cloned().unwrap_or_default(),
            load: serde_json::from_value(value["load"].clone()).unwrap_or_default(),
            failures: serde_json::from_value(value["failures"].clone()).unwrap_or_default(),
            ..Self::begin()
        }
    }

    /// For a person: each figure with its bar, then the notes, then the machine.
    pub fn table(&self) -> String {
        let width = self.figures.iter().map(|figure| figure.name.len()).max().unwrap_or(0);
        let mut text = format!("{:width$}{}\n", "", columns(["bar", "measured", "95 % interval", "n"]));
        for figure in &self.figures {
            let cells = figure.cells();
            let cells = columns(cells.each_ref().map(String::as_str));
            // Writing to a string does not fail.
            let _ = writeln!(text, "{:width$}{cells}  {}", figure.name, figure.verdict().words());
        }
        for failure in &self.failures {
            let _ = writeln!(text, "NO FIGURE: {failure}");
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}");
        }
        let _ = write!(text, "\nThe machine during the run: {}", self.machine());
        text
    }

    /// What the machine did during the run.
    fn machine(&self) -> String {
        let Some(load) = Load::of(self.load.iter()) else {
            return "no reading: the run was too short".into();
        };
        let averages = self.load.iter().map(|record| record.load);
        let (low, high) = (averages.clone().fold(f64::INFINITY, f64::min), averages.fold(0.0, f64::max));
        let doubt = if load.is_busy() { "; it was busy: rates and ratios may be off" } else { "" };
        format!("load average {low:.1} to {high:.1}; {}{doubt}", load.line())
    }
}

fn columns([bar, measured, interval, rounds]: [&str; 4]) -> String {
    format!("  {bar:>10}  {measured:>11}  {interval:>18}  {rounds:>4}")
}

impl Verdict {
    const fn words(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "MISSED",
            Verdict::NotResolved => "not resolved",
        }
    }
}

impl Figure {
    /// A count is judged as it is, a figure of rounds by both ends of its interval.
    fn verdict(&self) -> Verdict {
        let meets = |value: f64| match self.bar {
            Bar::AtLeast(bar) => value >= bar,
            Bar::AtMost(bar) => value <= bar,
        };
        let ends = match (self.interval, self.rounds) {
            (Some(Interval { low, high }), _) => [low, high],
            (None, None) => [self.value; 2],
            (None, Some(_)) => return Verdict::NotResolved,
        };
        match ends.map(meets) {
            [true, true] => Verdict::Met,
            [false, false] => Verdict::Missed,
            _ => Verdict::NotResolved,
        }
    }

    /// Bar, value, interval and rounds.
    fn cells(&self) -> [String; 4] {
        let (sign, bar) = match self.bar {
            Bar::AtLeast(bar) => (">=", bar),
            Bar::AtMost(bar) => ("<=", bar),
        };
        let measured = format!("{}{}", short(self.value), self.unit);
        let interval = match (self.interval, self.rounds) {
            (Some(interval), _) => words(interval),
            (None, None) => "a count".to_owned(),
            (None, Some(_)) => "too few rounds".to_owned(),
        };
        [format!("{sign} {bar}"), measured, interval, self.rounds.unwrap_or(1).to_string()]
    }

    fn to_json(&self) -> Value {
        let (kind, bar) = match self.bar {
            Bar::AtLeast(bar) => ("at_least", bar),
            Bar::AtMost(bar) => ("at_most", bar),
        };
        json!({
            "name": self.name, "unit": self.unit.trim(), kind: bar, "value": self.value, "interval": self.interval,
            "rounds": self.rounds, "verdict": self.verdict().words().to_lowercase(),
        })
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
            interval: serde_json::from_value(value["interval"].clone()).ok()?,
            rounds: serde_json::from_value(value["rounds"].clone()).ok()?,
        })
    }
}

/// The share of another subject's figure that one has: the median of the ratios round by round.
pub fn ratio(ours: &[f64], other: &[f64]) -> Estimate {
    figure(&ours.iter().zip(other).map(|(ours, other)| ours / other).collect::<Vec<f64>>())
}

/// The median of rounds; not a number if there is none, which meets no bar.
pub fn figure(rounds: &[f64]) -> Estimate {
    Estimate::median(rounds).unwrap_or(Estimate::exact(f64::NAN))
}

/// A figure with its interval and its rounds, as text.
pub fn with_interval(figure: &Estimate) -> String {
    let rounds = figure.repetitions().unwrap_or(1);
    match figure.interval() {
        Some(interval) => format!("{} ({}, n {rounds})", short(figure.value()), words(interval)),
        None => format!("{} (n {rounds})", short(figure.value())),
    }
}

fn words(Interval { low, high }: Interval) -> String {
    format!("{} to {}", short(low), short(high))
}

/// The middle value; of an even number the mean of the two in the middle; 0 of none.
pub fn median(values: &[f64]) -> f64 {
    statistics::median(values).unwrap_or(0.0)
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

    /// Seven rounds around a value.
    fn rounds(value: f64) -> Estimate {
        figure(&[-0.03, 0.02, -0.01, 0.0, 0.01, -0.02, 0.03].map(|off| value + off))
    }

    fn report() -> Report {
        let mut report = Report::begin();
        report.add("missed", Bar::AtLeast(0.8), &rounds(0.7));
        report.add("open", Bar::AtLeast(0.8), &rounds(0.79));
        report.add("met", Bar::AtLeast(0.8), &rounds(0.9));
        report.add("few", Bar::AtMost(0.8), &figure(&[0.1, 0.1, 0.1]));
        report.count("memory", " MB", Bar::AtMost(8.0), 8.0);
        report.count("cpu", " ns", Bar::AtMost(0.0), 1.0);
        report.note("one");
        report.note("one");
        report.keep("rounds", json!([1, 2]));
        report.load.push(LoadRecord { at: 1.0, others: 0.01, steal: 0.0, load: 0.3, mhz: (2000.0, 2100.0) });
        report
    }

    /// Its reason is read where the figures are, through the JSON of a namespace too.
    #[test]
    fn a_case_that_fails_takes_no_figure_of_others_with_it() {
        let mut whole = report();
        whole.attempt("good", |_| Ok::<(), String>(()));
        assert_eq!(whole.complete(), Ok(()));
        let mut part = Report::begin();
        part.attempt("slow", |part| {
            part.count("before", "", Bar::AtMost(1.0), 0.5);
            Err("the server has not answered")
        });
        whole.join(Report::from_json(&part.to_json()));
        let table = whole.table();
        assert!(table.contains("NO FIGURE: slow: the server has not answered\n"), "{table}");
        assert!(table.contains("before") && table.contains("memory"), "{table}");
        assert!(whole.complete().unwrap_err().contains("cases that failed: 1"));
    }

    #[test]
    fn bars_are_held_by_the_whole_interval() {
        use Verdict::{Met, Missed, NotResolved};
        let report = report();
        let verdicts: Vec<Verdict> = report.figures.iter().map(Figure::verdict).collect();
        assert_eq!(verdicts, [Missed, NotResolved, Met, NotResolved, Met, Missed]);
        assert_eq!(report.misses(), 2);
    }

    #[test]
    fn a_table_has_interval_rounds_and_machine() {
        let table = report().table();
        let line = |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert!(line("open").ends_with("     7  not resolved"), "{table}");
        assert!(line("open").contains("0.79        0.76 to 0.82"), "{table}");
        assert!(line("few").contains("too few rounds"), "{table}");
        assert!(line("memory").contains("a count     1  met"), "{table}");
        assert!(table.contains("load average 0.3 to 0.3; other programs used 1.0 %"), "{table}");
        assert!(table.contains("2000 to 2100 MHz"), "{table}");
    }

    #[test]
    fn a_report_survives_the_way_through_json() {
        let report = report();
        let back = Report::from_json(&serde_json::from_str(&report.to_json().to_string()).unwrap());
        assert_eq!(back.to_json(), report.to_json());
        assert_eq!(back.table(), report.table());
        assert_eq!(report.to_json()["figures"][1]["verdict"], "not resolved");
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        // Each round's noise falls on both.
        let (ours, other) = ([2.0, 20.0, 200.0, 3.0, 30.0, 300.0], [4.0, 40.0, 400.0, 6.0, 60.0, 600.0]);
        assert_eq!(with_interval(&ratio(&ours, &other)), "0.50 (0.50 to 0.50, n 6)");
        assert_eq!(with_interval(&ratio(&ours[..2], &other)), "0.50 (n 2)");
    }

    #[test]
    fn figures_are_printed_short() {
        assert_eq!(
            [0.0, 0.01234, 0.876, 5.12, 33.33, 1234.5].map(short),
            ["0", "0.0123", "0.88", "5.12", "33.3", "1234"]
        );
    }
}
