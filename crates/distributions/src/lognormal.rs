//! The lognormal distribution: the logarithm of a delay is normal.

use crate::family::{Continuous, Family, FitError};
use crate::normal::Normal;
use crate::sample::Sample;

/// A lognormal distribution, by the normal one of its logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lognormal(pub Normal);

impl Lognormal {
    /// The most likely one: the normal one of the logarithms.
    ///
    /// # Errors
    /// A value is not above 0, or all are equal.
    pub fn fit(sample: &Sample) -> Result<Self, FitError> {
        Family::Lognormal.needs_positive(sample)?;
        // Equal values are named as they are, not as logarithms.
        Family::Lognormal.needs_different(sample)?;
        Normal::fit_for(&sample.mapped(f64::ln), Family::Lognormal).map(Lognormal)
    }

    /// The mean of the logarithm.
    pub const fn mu(&self) -> f64 {
        self.0.mean
    }

    /// The standard deviation of the logarithm.
    pub const fn sigma(&self) -> f64 {
        self.0.sd
    }
}

impl Continuous for Lognormal {
    fn within(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.0.within(x.ln()) }
    }

    fn beyond(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.0.beyond(x.ln()) }
    }

    fn ln_density(&self, x: f64) -> f64 {
        if x <= 0.0 { f64::NEG_INFINITY } else { self.0.ln_density(x.ln()) - x.ln() }
    }

    fn ln_beyond(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.0.ln_beyond(x.ln()) }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.0.quantile(p).exp()
    }

    fn mean(&self) -> f64 {
        (self.mu() + self.sigma().powi(2) / 2.0).exp()
    }
}
