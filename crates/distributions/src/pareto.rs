//! The Pareto distribution: 1 - F(x) = (least / x)^index from the least value on.

use crate::family::{Continuous, Family, FitError};
use crate::sample::Sample;

/// A Pareto distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pareto {
    /// The least value, in the unit of the delays.
    pub least: f64,
    /// The index of its tail; up to 1 it has no mean.
    pub index: f64,
}

impl Pareto {
    /// The most likely one: its least value is the sample's, and the index is the number of the observed by the sum of
    /// ln(x / least) over all.
    ///
    /// # Errors
    /// A value is not above 0, or all are equal.
    pub fn fit(sample: &Sample) -> Result<Self, FitError> {
        Family::Pareto.needs_positive(sample)?;
        Family::Pareto.needs_different(sample)?;
        let least = sample.observed()[0];
        let sum: f64 = sample.all().map(|x| (x / least).ln().max(0.0)).sum();
        Ok(Pareto { least, index: sample.observed().len() as f64 / sum })
    }
}

impl Continuous for Pareto {
    fn within(&self, x: f64) -> f64 {
        -self.ln_beyond(x).exp_m1()
    }

    fn beyond(&self, x: f64) -> f64 {
        self.ln_beyond(x).exp()
    }

    fn ln_density(&self, x: f64) -> f64 {
        if x < self.least {
            return f64::NEG_INFINITY;
        }
        self.index.ln() + self.index * self.least.ln() - (self.index + 1.0) * x.ln()
    }

    fn ln_beyond(&self, x: f64) -> f64 {
        if x <= self.least { 0.0 } else { self.index * (self.least / x).ln() }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.least * (1.0 - p).powf(-1.0 / self.index)
    }

    fn mean(&self) -> f64 {
        if self.index > 1.0 { self.least * self.index / (self.index - 1.0) } else { f64::INFINITY }
    }
}
