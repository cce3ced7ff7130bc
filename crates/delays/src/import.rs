//! Delays in texts of other programs: one number a line, CSV, JSON. The form is found by how the text begins.
//!
//! | form | delays | agent and round |
//! | --- | --- | --- |
//! | lines | a number each; `#` begins a comment | - |
//! | CSV, with names in the first line | the named column; else `delay`, or the only one | columns `agent` and `round` |
//! | JSON | a list of numbers; a list of objects, or one a line, with the named member, else `delay` | members `agent` and `round` |
//!
//! A number may have its unit behind it (`1.3ms`); without, the option's is meant. A request without an answer is `lost`, `timeout`,
//! `nan`, `-`, `*`, null, or nothing in its cell. Agents may have names.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::Value;

use crate::error::{ImportError, Place};

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds, the deliverable's.
    #[default]
    Milliseconds,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// How many nanoseconds it has.
    pub const fn nanoseconds(self) -> f64 {
        match self {
            Unit::Nanoseconds => 1.0,
            Unit::Microseconds => 1e3,
            Unit::Milliseconds => 1e6,
            Unit::Seconds => 1e9,
        }
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "us",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
        }
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "ns" => Unit::Nanoseconds,
            "us" | "\u{b5}s" | "\u{3bc}s" => Unit::Microseconds,
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            _ => return Err("expected ns, us, ms or s".into()),
        })
    }
}

/// What the user says about the text.
#[derive(Debug, Clone, Default)]
pub struct TextOptions {
    /// The unit of numbers without one.
    pub unit: Unit,
    /// The column or member that has the delays.
    pub column: Option<String>,
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The agent's number, by its first appearance.
    pub agent: Option<u32>,
    /// The round's number.
    pub round: Option<u32>,
    /// The delay, ns; `None` if there was no answer.
    pub delay: Option<f64>,
}

/// What a text has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// The requests, at least one.
    pub lines: Vec<Line>,
    /// The names of agents that have some, by number.
    pub agents: Vec<String>,
}

/// Reads a text.
///
/// # Errors
/// What is wrong, in which line, and what was expected.
pub fn read_text(octets: &[u8], options: &TextOptions) -> Result<Imported, ImportError> {
    let text =
        std::str::from_utf8(octets).map_err(|error| ImportError::NotText { offset: error.valid_up_to() })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).ok_or(ImportError::Empty)?.trim();
    let mut reading = Reading { options, found: Imported::default(), numbers: BTreeMap::new() };
    if first.starts_with(['[', '{']) {
        reading.json(text)?;
    } else if options.column.is_some()
        || first.contains(DELIMITERS) && !first.starts_with('#')
        || names_a_column(first)
    {
        reading.csv(text, first)?;
    } else {
        reading.plain(text)?;
    }
    if reading.found.lines.is_empty() { Err(ImportError::Empty) } else { Ok(reading.found) }
}

/// Whether a line is the one name of a table with one column, and not a value.
fn names_a_column(first: &str) -> bool {
    first.starts_with(|letter: char| letter.is_alphabetic()) && !is_lost(first)
}

struct Reading<'a> {
    options: &'a TextOptions,
    found: Imported,
    numbers: BTreeMap<String, u32>,
}

impl Reading<'_> {
    fn plain(&mut self, text: &str) -> Result<(), ImportError> {
        for (index, line) in text.lines().enumerate() {
            let value = line.split('#').next().unwrap_or_default().trim();
            if !value.is_empty() {
                let delay = self.delay(value, Place::Line(index as u64 + 1))?;
                self.found.lines.push(Line { agent: None, round: None, delay });
            }
        }
        Ok(())
    }

    fn csv(&mut self, text: &str, first: &str) -> Result<(), ImportError> {
        let delimiter = DELIMITERS.into_iter().find(|it| first.contains(*it)).unwrap_or(',');
        let mut builder = csv::ReaderBuilder::new();
        builder.delimiter(delimiter as u8).comment(Some(b'#')).trim(csv::Trim::All);
        let mut reader = builder.from_reader(text.as_bytes());
        let wrong = |error: &csv::Error| ImportError::Form {
            place: Place::Line(error.position().map_or(1, csv::Position::line)),
            reason: format!("this is not CSV: {error}"),
        };
        let names = reader.headers().map_err(|error| wrong(&error))?.clone();
        let column = self.column(&names.iter().collect::<Vec<_>>())?;
        let place = |name: &str| names.iter().position(|it| it.eq_ignore_ascii_case(name));
        let (agents, rounds) = (place(AGENT), place(ROUND));
        for record in reader.records() {
            let record = record.map_err(|error| wrong(&error))?;
            let line = Place::Line(record.position().map_or(0, csv::Position::line));
            let cell = |at: Option<usize>| at.and_then(|at| record.get(at)).filter(|text| !text.is_empty());
            let delay = self.delay(record.get(column).unwrap_or_default(), line)?;
            let agent = cell(agents).map(|name| self.agent(name));
            let round = cell(rounds).map(|text| round(text, line)).transpose()?;
            self.found.lines.push(Line { agent, round, delay });
        }
        Ok(())
    }

    /// The column that has the delays.
    fn column(&self, names: &[&str]) -> Result<usize, ImportError> {
        let found = || names.join(", ");
        if let Some(wanted) = &self.options.column {
            let place = names.iter().position(|it| it == wanted);
            return place.ok_or_else(|| ImportError::NoColumn { wanted: wanted.clone(), found: found() });
        }
        match names.iter().position(|it| it.eq_ignore_ascii_case(DELAY)) {
            Some(place) => Ok(place),
            None if names.len() == 1 => Ok(0),
            None => Err(ImportError::WhichColumn { found: found() }),
        }
    }

    fn json(&mut self, text: &str) -> Result<(), ImportError> {
        let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let values: Vec<Value> = values.collect::<Result<_, _>>().map_err(|error| ImportError::Form {
            place: Place::Line(error.line() as u64),
            reason: format!("this is not JSON: {error}"),
        })?;
        let elements = match <[Value; 1]>::try_from(values) {
            Ok([Value::Array(elements)]) => elements,
            Ok([one]) => vec![one],
            Err(several) => several,
        };
        for (index, element) in elements.iter().enumerate() {
            let place = Place::Element(index + 1);
            let line = match element {
                Value::Object(members) => self.object(members, place)?,
                value => Line { agent: None, round: None, delay: self.number(value, place)? },
            };
            self.found.lines.push(line);
        }
        Ok(())
    }

    fn object(
        &mut self,
        members: &serde_json::Map<String, Value>,
        place: Place,
    ) -> Result<Line, ImportError> {
        let wanted = self.options.column.as_deref().unwrap_or(DELAY);
        let found = || members.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let value = members.get(wanted).ok_or_else(|| match self.options.column {
            Some(_) => ImportError::NoColumn { wanted: wanted.to_owned(), found: found() },
            None => ImportError::WhichColumn { found: found() },
        })?;
        let delay = self.number(value, place)?;
        let text = |name: &str| match members.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let agent = text(AGENT).map(|name| self.agent(&name));
        let round = text(ROUND).map(|text| round(&text, place)).transpose()?;
        Ok(Line { agent, round, delay })
    }

    fn number(&self, value: &Value, place: Place) -> Result<Option<f64>, ImportError> {
        match value {
            Value::Null => Ok(None),
            Value::String(text) => self.delay(text.trim(), place),
            Value::Number(number) => self.delay(&number.to_string(), place),
            other => Err(ImportError::Value { place, found: shortened(&other.to_string()) }),
        }
    }

    /// A delay in ns; `None` if it was lost.
    fn delay(&self, text: &str, place: Place) -> Result<Option<f64>, ImportError> {
        if is_lost(text) {
            return Ok(None);
        }
        let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '\u{b5}');
        let (digits, unit) = match text[digits.len()..].parse() {
            Ok(unit) => (digits.trim_end(), unit),
            Err(_) => (text, self.options.unit),
        };
        let number: Option<f64> = digits.parse().ok();
        let found = number.map(|it| it * unit.nanoseconds()).filter(|it| (0.0..=MOST).contains(it));
        let found = found.map(|it| if it < LEAST { 0.0 } else { it });
        found.map(Some).ok_or_else(|| ImportError::Value { place, found: shortened(text) })
    }

    fn agent(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        // There are fewer agents than octets of a text in memory.
        let number = self.found.agents.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.found.agents.push(name.to_owned());
        number
    }
}

fn is_lost(text: &str) -> bool {
    LOST.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn round(text: &str, place: Place) -> Result<u32, ImportError> {
    let reason = || format!("`{}` is not the number of a round: expected 0 to 4294967295", shortened(text));
    text.parse().map_err(|_| ImportError::Form { place, reason: reason() })
}

/// What an error shows of a text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

const DELIMITERS: [char; 3] = ['\t', ';', ','];
const DELAY: &str = "delay";
const AGENT: &str = "agent";
const ROUND: &str = "round";
/// How others write that no answer came.
const LOST: [&str; 8] = ["lost", "timeout", "nan", "null", "none", "-", "*", ""];

/// Nanoseconds of the longest delay: 31 years. Scales of figures are drawn for no more.
const MOST: f64 = 1e18;
/// Nanoseconds of the least delay that is not 0: no clock tells less apart.
const LEAST: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn delays(text: &str, column: Option<&str>) -> Result<Vec<Option<f64>>, ImportError> {
        let options = TextOptions { unit: Unit::Milliseconds, column: column.map(str::to_owned) };
        read_text(text.as_bytes(), &options).map(|found| found.lines.iter().map(|line| line.delay).collect())
    }

    #[test]
    fn every_form_is_read() {
        let three = Ok(vec![Some(1.5e6), Some(2e6), None]);
        for text in [
            "1.5\n2\nlost\n",
            "# ping\r\n1.5 ms # first\r\n\r\n2000us\r\nTIMEOUT\r\n",
            "\u{feff}1500\u{b5}s\n0.002s\n*",
            "delay\n1.5\n2\n-\n",
            "host,delay\na,1.5\nb,2\nc,\n",
            "time;Delay\n1;1.5\n2;2\n3;nan\n",
            "x\tdelay\n1\t1.5\n2\t2\n3\tlost\n",
            "[1.5, 2, null]",
            " [\"1.5\", \"2000 us\", \"lost\"]\n",
            "[{\"delay\": 1.5}, {\"delay\": 2}, {\"delay\": null}]",
            "{\"delay\": 1.5}\n{\"delay\": \"2ms\"}\n{\"delay\": \"lost\"}\n",
        ] {
            assert_eq!(delays(text, None), three, "{text}");
        }
        assert_eq!(delays("rtt,delay\n7,1\n", Some("rtt")), Ok(vec![Some(7e6)]));
        assert_eq!(delays("[{\"rtt\": 7, \"delay\": 1}]", Some("rtt")), Ok(vec![Some(7e6)]));
    }

    #[test]
    fn agents_and_rounds_are_numbered() {
        let text = "agent,round,delay\nrouter-1,0,1\nrouter-2,0,2\nrouter-1,1,lost\n";
        let found = read_text(text.as_bytes(), &TextOptions::default()).unwrap();
        assert_eq!(found.agents, ["router-1", "router-2"]);
        let expected = [(0, 0, Some(1e6)), (1, 0, Some(2e6)), (0, 1, None)];
        let all =
            expected.map(|(agent, round, delay)| Line { agent: Some(agent), round: Some(round), delay });
        assert_eq!(found.lines, all);
        let json = "{\"agent\": 7, \"round\": 3, \"delay\": 1}";
        let found = read_text(json.as_bytes(), &TextOptions::default()).unwrap();
        assert_eq!((found.lines[0].round, &found.agents[..]), (Some(3), &["7".to_owned()][..]));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let error = |text: &str| delays(text, None).unwrap_err();
        assert_eq!(error(" \n"), ImportError::Empty);
        assert_eq!(error("# nothing\n"), ImportError::Empty);
        let value = |place, found: &str| ImportError::Value { place, found: found.into() };
        assert_eq!(error("1\n2\nthree\n"), value(Place::Line(3), "three"));
        assert_eq!(error("1\n-2\n"), value(Place::Line(2), "-2"));
        assert_eq!(error("1\ninf\n"), value(Place::Line(2), "inf"));
        assert_eq!(error("1e400\n"), value(Place::Line(1), "1e400"));
        assert_eq!(error("1e300\n1\n"), value(Place::Line(1), "1e300"));
        assert_eq!(error("a,delay\n1,2\n1,x\n"), value(Place::Line(3), "x"));
        assert_eq!(error("[1, true]"), value(Place::Element(2), "true"));
        assert!(matches!(error("[1, 2"), ImportError::Form { place: Place::Line(1), .. }));
        assert!(matches!(error("a,delay\n1\n"), ImportError::Form { place: Place::Line(2), .. }));
        assert!(matches!(error("round,delay\nx,1\n"), ImportError::Form { place: Place::Line(2), .. }));
        assert_eq!(error("a,b\n1,2\n"), ImportError::WhichColumn { found: "a, b".into() });
        assert_eq!(error("[{\"a\": 1}]"), ImportError::WhichColumn { found: "a".into() });
        let none = ImportError::NoColumn { wanted: "x".into(), found: "a, b".into() };
        assert_eq!(delays("a,b\n1,2\n", Some("x")), Err(none.clone()));
        assert!(none.to_string().contains("--column takes one of a, b"));
        assert_eq!(read_text(b"1\n\xff", &TextOptions::default()), Err(ImportError::NotText { offset: 2 }));
        let long = error(&"x9".repeat(100)).to_string();
        assert!(long.len() < 300, "{long}");
    }

    #[test]
    fn units_have_names() {
        for unit in [Unit::Nanoseconds, Unit::Microseconds, Unit::Milliseconds, Unit::Seconds] {
            assert_eq!(unit.name().parse(), Ok(unit));
        }
        assert!("min".parse::<Unit>().is_err());
    }

    #[test]
    fn what_no_clock_tells_apart_is_0() {
        let found = delays("5e-324\n1e-310\n1e-10\n1e-9\n", None).unwrap();
        assert_eq!(found, [Some(0.0), Some(0.0), Some(0.0), Some(1e-3)]);
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_they_are_written(values in prop::collection::vec(1e-9..1e6f64, 1..50)) {
            let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
            let json = serde_json::to_string(&values).unwrap();
            let expected: Vec<Option<f64>> = values.iter().map(|value| Some(value * 1e6)).collect();
            prop_assert_eq!(delays(&lines, None).unwrap(), expected.clone());
            prop_assert_eq!(delays(&format!("delay\n{lines}"), None).unwrap(), expected.clone());
            // serde_json reads the last digit of some numbers otherwise.
            for (one, other) in delays(&json, None).unwrap().iter().zip(&expected) {
                prop_assert!((one.unwrap() - other.unwrap()).abs() <= 1e-15 * other.unwrap());
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-0-9a-z\\[\\]{}\",;:#\\n .]{0,200}", column in prop::option::of("[a-z]{1,3}")) {
            match delays(&text, column.as_deref()) {
                Ok(found) => prop_assert!(!found.is_empty()),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
