//! The exponential distribution: what a Weibull one with shape 1 is.

use crate::family::{Continuous, Family, FitError};
use crate::sample::Sample;

/// An exponential distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    /// Its mean, in the unit of the delays.
    pub mean: f64,
}

impl Exponential {
    /// The most likely one: the sum of all values by the number of the observed ones.
    ///
    /// # Errors
    /// A value is not above 0.
    pub fn fit(sample: &Sample) -> Result<Self, FitError> {
        Family::Exponential.needs_positive(sample)?;
        Ok(Exponential { mean: sample.all().sum::<f64>() / sample.observed().len() as f64 })
    }
}

impl Continuous for Exponential {
    fn within(&self, x: f64) -> f64 {
        -(-x.max(0.0) / self.mean).exp_m1()
    }

    fn beyond(&self, x: f64) -> f64 {
        self.ln_beyond(x).exp()
    }

    fn ln_density(&self, x: f64) -> f64 {
        if x < 0.0 { f64::NEG_INFINITY } else { -x / self.mean - self.mean.ln() }
    }

    fn ln_beyond(&self, x: f64) -> f64 {
        -x.max(0.0) / self.mean
    }

    fn quantile(&self, p: f64) -> f64 {
        -self.mean * (-p).ln_1p()
    }

    fn mean(&self) -> f64 {
        self.mean
    }
}
