//! Subjects under load in turns, so that what else the machine does falls on all of them.

use std::io;

use serde_json::{Value, json};
use trunkline_transport::load::LoadReport;

use crate::Options;
use crate::report::{Bar, Report, median, ratio};
use crate::subject::Subject;

/// A load, and the processor time that the subject spent on it.
pub struct Turn {
    pub load: LoadReport,
    pub cpu_ns: u64,
}

impl Turn {
    /// Puts a load on a subject.
    pub fn of(subject: &Subject, load: impl FnOnce() -> io::Result<LoadReport>) -> io::Result<Option<Self>> {
        let before = subject.cpu_ns()?;
        let load = load()?;
        Ok(Some(Turn { load, cpu_ns: subject.cpu_ns()? - before }))
    }
}

/// One subject's rounds.
pub struct Rounds {
    /// Answers a second.
    pub rates: Vec<f64>,
    /// Microseconds of the subject's processor time, user and system, for each answer.
    pub cpu: Vec<f64>,
}

impl Rounds {
    const fn new() -> Self {
        Rounds { rates: Vec::new(), cpu: Vec::new() }
    }

    /// The rate with the processor time beside it, as text.
    pub fn per_second(&self) -> String {
        if self.rates.is_empty() {
            return "nothing".to_owned();
        }
        let rate = median(&self.rates) / 1000.0;
        format!("{rate:.1} thousand/s at {:.2} us of CPU per answer", median(&self.cpu))
    }

    /// All rounds.
    pub fn to_json(&self) -> Value {
        json!({ "per_second": self.rates, "cpu_us_per_answer": self.cpu })
    }
}

/// Adds how this build stands to the other one, if there is one: rate and processor time, each in turns with the other's.
pub fn beside_other(name: &str, ours: &Rounds, other: &Rounds, report: &mut Report) {
    if other.rates.is_empty() {
        return;
    }
    let (rate, cpu) = (ratio(&ours.rates, &other.rates), ratio(&ours.cpu, &other.cpu));
    report.add(format!("{name}: rate, times the other build's"), Bar::AtLeast(0.95), &rate);
    report.add(format!("{name}: CPU per answer, times the other build's"), Bar::AtMost(1.05), &cpu);
}

/// Loads several subjects in turns. `load` does it for one of them and some seconds; it gives nothing for one that is not
/// there.
pub fn in_turns<const SUBJECTS: usize>(
    name: &str,
    options: &Options,
    report: &mut Report,
    mut load: impl FnMut(usize, f64) -> io::Result<Option<Turn>>,
) -> io::Result<[Rounds; SUBJECTS]> {
    let mut subjects = [const { Rounds::new() }; SUBJECTS];
    let (mut lost, mut rejected) = (0, 0);
    for round in 0..=options.rounds {
        // The first round only warms up. Later ones begin with another subject each.
        let seconds = if round == 0 { 0.2 } else { options.seconds };
        for turn in 0..SUBJECTS {
            let who = (turn + round as usize) % SUBJECTS;
            if let Some(seen) = load(who, seconds)?.filter(|_| round > 0) {
                subjects[who].rates.push(seen.load.rate());
                subjects[who].cpu.push(seen.cpu_ns as f64 / 1000.0 / seen.load.completed.max(1) as f64);
                lost += seen.load.lost;
                rejected += seen.load.rejected;
            }
        }
        report.progress(name, round, options.rounds);
    }
    if lost + rejected > 0 {
        report.note(format!("{name}: {lost} requests lost, {rejected} answers rejected"));
    }
    Ok(subjects)
}
