//! What `snmpdelta` prints: how much values have changed from one look to the next.

use trunkline_smi::Value;

use crate::figures::number;

/// How the changes are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// As a table (`-CT`).
    pub table: bool,
    /// With the sum of all (`-CS`).
    pub sum: bool,
    /// With the largest change so far (`-Cm`).
    pub max: bool,
    /// By the agent's clock, per second (`-Ct`).
    pub by_agent: bool,
    /// Seconds from one look to the next (`-Cp`).
    pub period: u32,
    /// How many looks there are to one line, which then has the largest change too (`-CP`).
    pub peaks: u32,
}

/// A value that is looked at.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Its name.
    pub name: String,
    last: Option<Value>,
    max: f64,
    /// Of the looks since the last line: how many, their sum, and the largest.
    looks: u32,
    total: f64,
    peak: f64,
}

/// What a look has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// How much the value has changed, in a second if the agent's clock counts.
    pub amount: f64,
    /// The largest change of the looks since the last line.
    pub peak: f64,
    /// The largest change so far.
    pub max: f64,
}

impl Track {
    /// A value of which nothing is known yet.
    pub fn new(name: String) -> Self {
        Track { name, ..Track::default() }
    }

    /// Takes a look's value; the result is due for a line. `seconds` are those that the agent's clock counted, if it counts.
    pub fn look(&mut self, value: Value, seconds: Option<f64>, peaks: u32) -> Option<Change> {
        let before = self.last.replace(value)?;
        let changed = self.last.as_ref().map_or(0.0, |now| difference(&before, now));
        let amount = seconds.map_or(changed, |seconds| changed / seconds);
        self.max = self.max.max(amount);
        self.looks += 1;
        self.total += amount;
        self.peak = self.peak.max(amount);
        if self.looks < peaks.max(1) {
            return None;
        }
        let change = Change { amount: self.total / f64::from(self.looks), peak: self.peak, max: self.max };
        (self.looks, self.total, self.peak) = (0, 0.0, 0.0);
        Some(change)
    }
}

/// How much has been counted: counters go round, other numbers may go back; what is not a number does not change.
fn difference(before: &Value, now: &Value) -> f64 {
    match (before, now) {
        (Value::Counter32(before), Value::Counter32(now)) => f64::from(now.wrapping_sub(*before)),
        (Value::Counter64(before), Value::Counter64(now)) => now.wrapping_sub(*before) as f64,
        (Value::Integer(before), Value::Integer(now)) => f64::from(*now) - f64::from(*before),
        _ => match (number(before), number(now)) {
            (Some(before), Some(now)) => now as f64 - before as f64,
            _ => 0.0,
        },
    }
}

impl Layout {
    /// A line of one value, without a time.
    pub fn line(&self, name: &str, change: &Change) -> String {
        format!("{name} {}\n", self.words(change))
    }

    fn words(&self, change: &Change) -> String {
        let Change { amount, peak, max } = *change;
        let mut words = match (self.by_agent, self.period) {
            (true, _) => format!("/sec: {amount:.2}"),
            (_, 60) => format!("/min: {amount:.0}"),
            (_, period) if period % 60 == 0 => format!("/{} min: {amount:.0}", period / 60),
            (_, period) => format!("/{period} sec: {amount:.0}"),
        };
        if self.peaks > 1 {
            words += &match (self.by_agent, self.period) {
                (true, _) => format!("\t(/sec Peak: {peak:.2})"),
                (_, 60) => format!("\t(/min Peak: {peak:.0})"),
                (_, period) if period % 60 == 0 => format!("\t({} min Peak: {peak:.0})", period / 60),
                (_, period) => format!("\t({period} sec Peak: {peak:.0})"),
            };
        }
        if self.max {
            words += &if self.by_agent { format!("\t(Max: {max:.2})") } else { format!("\t(Max: {max:.0})") };
        }
        words
    }

    /// The cell of a table.
    pub fn cell(&self, change: &Change) -> String {
        if self.peaks > 1 {
            return self.words(change);
        }
        let max = match (self.max, self.by_agent) {
            (false, _) => String::new(),
            (true, true) => format!("\t(Max: {:.2})", change.max),
            (true, false) => format!("\t(Max: {:.0})", change.max),
        };
        format!("{:.2}{max}", change.amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout =
        Layout { table: false, sum: false, max: false, by_agent: false, period: 1, peaks: 0 };

    #[test]
    fn counters_go_round_and_gauges_go_back() {
        assert_eq!(difference(&Value::Counter32(u32::MAX), &Value::Counter32(4)), 5.0);
        assert_eq!(difference(&Value::Counter64(7), &Value::Counter64(9)), 2.0);
        assert_eq!(difference(&Value::Unsigned32(9), &Value::Unsigned32(4)), -5.0);
        assert_eq!(difference(&Value::Integer(-3), &Value::Integer(4)), 7.0);
        assert_eq!(difference(&Value::text("a"), &Value::text("b")), 0.0);
    }

    #[test]
    fn several_looks_make_a_line_with_their_mean_and_peak() {
        let mut track = Track::new("x".to_owned());
        let mut look = |count| track.look(Value::Counter32(count), None, 2);
        assert_eq!((look(10), look(20)), (None, None));
        let change = look(50).unwrap();
        assert_eq!(change, Change { amount: 20.0, peak: 30.0, max: 30.0 });
        let layout = Layout { peaks: 2, max: true, ..LAYOUT };
        assert_eq!(layout.line("x", &change), "x /1 sec: 20\t(1 sec Peak: 30)\t(Max: 30)\n");
        assert_eq!(look(51), None);
        assert_eq!(look(52), Some(Change { amount: 1.0, peak: 1.0, max: 30.0 }));
    }

    #[test]
    fn periods_are_seconds_or_minutes() {
        let change = Change { amount: 90.0, peak: 90.0, max: 100.0 };
        let line = |layout: Layout| layout.line("x", &change);
        assert_eq!(line(LAYOUT), "x /1 sec: 90\n");
        assert_eq!(line(Layout { period: 60, ..LAYOUT }), "x /min: 90\n");
        assert_eq!(line(Layout { period: 120, ..LAYOUT }), "x /2 min: 90\n");
        assert_eq!(line(Layout { by_agent: true, max: true, ..LAYOUT }), "x /sec: 90.00\t(Max: 100.00)\n");
        assert_eq!(Layout { table: true, ..LAYOUT }.cell(&change), "90.00");
        assert_eq!(Layout { table: true, max: true, ..LAYOUT }.cell(&change), "90.00\t(Max: 100)");
    }
}
