//! The command line of `trunkline lab analyze`, and its way from files to a report.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use trunkline_delays::{TextOptions, Unit};
use trunkline_labkit::error::Error;
use trunkline_labkit::machine::{Machine, now_utc};
use trunkline_labkit::report::{self, Heading};
use trunkline_labkit::run::{USUAL, terminal_width};
use trunkline_labkit::trial::{FORMAT, Trial, Trials};

use crate::group::{From, Group, NAME};
use crate::load::{Settings, load};
use crate::sheets;

/// Which delays are analysed, and how.
#[derive(Debug, Clone, Args)]
pub struct AnalyzeArguments {
    /// Files of delays that a run has written, or texts: one delay a line, CSV or JSON; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The tolerable delay D: later answers are errors [default: the period, else 1s]
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    tolerable: Option<f64>,
    /// The time between two rounds of requests, if the file does not say it: the tolerable delay, unless --tolerable is given
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    period: Option<f64>,
    /// How long an answer was waited for that a text calls lost: fits need it
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    timeout: Option<f64>,
    /// The unit of numbers in texts that have none: ns, us, ms or s
    #[arg(long, value_name = "UNIT", default_value = "ms", value_parser = unit)]
    unit: Unit,
    /// The column of CSV, or the member of JSON, that has the delays [default: delay, or the only one]
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Count delays from when a request was due, or from when it was sent
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    from: From,
    /// Where the report goes [default: lab-report/analyze]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of what is drawn for intervals and probabilities
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

impl AnalyzeArguments {
    /// Reads the files, writes the report, and prints its tables, or JSON, to `data`; messages for the user go to `words`.
    ///
    /// # Errors
    /// A file cannot be read, has no delays, or the report cannot be written.
    pub fn run(&self, data: &mut dyn Write, words: &mut dyn Write) -> Result<(), Error> {
        let settings = Settings {
            text: TextOptions { unit: self.unit, column: self.column.clone() },
            tolerable: self.tolerable.or(self.period),
            timeout: self.timeout,
            from: self.from,
            seed: self.seed,
        };
        let groups: Vec<Group> =
            self.files.iter().map(|path| load(path, &settings)).collect::<Result<_, _>>()?;
        if let Some(group) = groups.iter().find(|group| group.counts.requests == 0) {
            let reason = "it has no request".to_owned();
            return Err(Error::Delays { path: group.name.clone().into(), reason });
        }
        let findings = sheets::findings(&groups, self.seed).with_noise();
        let directory = self.out.clone().unwrap_or_else(|| PathBuf::from(USUAL).join(NAME));
        fs::create_dir_all(&directory).map_err(|source| Error::Write { path: directory.clone(), source })?;
        let page =
            report::write(HEADING, &findings, &Trials { trial: self.trial(), entries: vec![] }, &directory)?;
        let _ = writeln!(words, "report: {}", page.display());
        let text = match self.json {
            true => findings.json(),
            false => report::terminal::tables(&findings, terminal_width()),
        };
        match data.write_all(text.as_bytes()).and_then(|()| data.flush()) {
            // Nobody is reading; the report is on disk.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|source| Error::Output { source }),
        }
    }

    /// What the report says of this run.
    fn trial(&self) -> Trial {
        let files: Vec<String> = self.files.iter().map(|path| path.display().to_string()).collect();
        let mut command = format!("trunkline lab {NAME} {}", files.join(" "));
        let mut option = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                command += &format!(" --{name} {value}");
            }
        };
        option("tolerable", self.tolerable.map(|ms| format!("{ms}ms")));
        option("period", self.period.map(|ms| format!("{ms}ms")));
        option("timeout", self.timeout.map(|ms| format!("{ms}ms")));
        option("unit", (self.unit != Unit::default()).then(|| self.unit.name().into()));
        option("column", self.column.clone());
        option("from", (self.from == From::Sent).then(|| "sent".into()));
        option("seed", (self.seed != 1).then(|| self.seed.to_string()));
        Trial {
            format: FORMAT.into(),
            experiment: NAME.into(),
            tables: vec![],
            quick: false,
            lab_version: env!("CARGO_PKG_VERSION").into(),
            command,
            started: now_utc(),
            seed: self.seed,
            place: format!("stored delays: {}", files.join(", ")),
            agent: String::new(),
            setting: Value::Null,
            machine: Machine::here(),
        }
    }
}

/// A time as an option has it: `1s`, `250ms`.
pub(crate) fn milliseconds(text: &str) -> Result<f64, String> {
    let expected = || "expected a time above 0 with its unit: 1s, 250ms".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '\u{b5}');
    let unit: Unit = text[digits.len()..].parse().map_err(|_| expected())?;
    let number: f64 = digits.trim_end().parse().map_err(|_| expected())?;
    let found = number * unit.nanoseconds() / Unit::Milliseconds.nanoseconds();
    if found > 0.0 && found.is_finite() { Ok(found) } else { Err(expected()) }
}

/// The unit of an option.
pub(crate) fn unit(text: &str) -> Result<Unit, String> {
    text.parse()
}

const HEADING: Heading = Heading {
    title: "Stored delays",
    after: "Distributions and monitoring error, by the methods of section 6 of the EMANICS deliverable D7.1 (2006).",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, ms) in [("1s", 1000.0), ("250ms", 250.0), ("0.5 s", 500.0), ("20us", 0.02), ("5ns", 5e-6)]
        {
            assert!((milliseconds(text).unwrap() - ms).abs() < 1e-12, "{text}");
        }
        for text in ["1", "s", "0s", "-1s", "1h", "infs", ""] {
            assert!(milliseconds(text).is_err(), "{text}");
        }
    }
}
