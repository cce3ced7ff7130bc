//! Subjects under load in turns, so that what else the machine does falls on all of them.

use std::io;

use trunkline_transport::load::LoadReport;

use crate::Options;
use crate::report::{Report, median, progress};

/// What the rounds have found.
#[derive(Default)]
pub struct Rounds {
    /// Answers a second, by subject and round.
    pub rates: [Vec<f64>; 3],
    /// Requests without an answer.
    pub lost: u64,
    /// Invalid answers.
    pub rejected: u64,
}

/// Loads three subjects in turns. `load` does it for one of them and some seconds; it gives nothing for one that is not
/// there.
pub fn in_turns(
    name: &str,
    options: &Options,
    report: &mut Report,
    mut load: impl FnMut(usize, f64) -> io::Result<Option<LoadReport>>,
) -> io::Result<Rounds> {
    let mut rounds = Rounds::default();
    for round in 0..=options.rounds {
        // The first round only warms up. Later ones begin with another subject each.
        let seconds = if round == 0 { 0.2 } else { options.seconds };
        for turn in 0..3 {
            let who = (turn + round as usize) % 3;
            if let Some(seen) = load(who, seconds)?.filter(|_| round > 0) {
                rounds.rates[who].push(seen.rate());
                rounds.lost += seen.lost;
                rounds.rejected += seen.rejected;
            }
        }
        progress(name, round, options.rounds);
    }
    let Rounds { lost, rejected, .. } = rounds;
    if lost + rejected > 0 {
        report.note(format!("{name}: {lost} requests lost, {rejected} answers rejected"));
    }
    Ok(rounds)
}

/// Round by round, how much of the other's rate the first one has.
pub fn ratios(ours: &[f64], other: &[f64]) -> Vec<f64> {
    ours.iter().zip(other).map(|(ours, other)| ours / other).collect()
}

/// A rate as text.
pub fn per_second(rates: &[f64]) -> String {
    if rates.is_empty() { "nothing".to_owned() } else { format!("{:.1} thousand/s", median(rates) / 1000.0) }
}
