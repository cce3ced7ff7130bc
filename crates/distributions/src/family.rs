//! The families of distributions that are fitted to delays, what all of them can answer, and why one does not fit.

use std::fmt;

use crate::sample::Sample;

/// A continuous distribution of delays.
pub trait Continuous {
    /// F(x): the share at most x.
    fn within(&self, x: f64) -> f64;
    /// 1 - F(x), with all its digits where it is small.
    fn beyond(&self, x: f64) -> f64;
    /// The logarithm of the density; minus infinity where there is none.
    fn ln_density(&self, x: f64) -> f64;
    /// The logarithm of 1 - F(x).
    fn ln_beyond(&self, x: f64) -> f64 {
        self.beyond(x).ln()
    }
    /// The x with F(x) = p, for p between 0 and 1.
    fn quantile(&self, p: f64) -> f64;
    /// Its mean; infinite where a tail is so heavy.
    fn mean(&self) -> f64;
}

/// A family of distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Scale and shape.
    Weibull,
    /// Mean and standard deviation of the logarithm.
    Lognormal,
    /// Shape and scale.
    Gamma,
    /// The mean.
    Exponential,
    /// Mean and standard deviation.
    Normal,
    /// The least value, and the index of the tail.
    Pareto,
}

/// Why no distribution of a family fits best.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// The family has only positive delays.
    #[error("{family} needs delays above 0, found {found}: a finer clock, or leave out what is 0")]
    NotPositive {
        /// The family.
        family: Family,
        /// The least value.
        found: f64,
    },
    /// All values are equal: the likelihood has no maximum.
    #[error("{family} needs two different delays, all {count} are {value}")]
    AllEqual {
        /// The family.
        family: Family,
        /// How many there are.
        count: usize,
        /// The value.
        value: f64,
    },
    /// The likelihood has no maximum that was found.
    #[error("no parameters of {family} fit best: the likelihood has no maximum in reach")]
    NoMaximum {
        /// The family.
        family: Family,
    },
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 6] = [
        Family::Weibull,
        Family::Lognormal,
        Family::Gamma,
        Family::Exponential,
        Family::Normal,
        Family::Pareto,
    ];

    /// How many parameters are fitted.
    pub const fn parameters(self) -> usize {
        match self {
            Family::Exponential => 1,
            _ => 2,
        }
    }

    /// Refuses what no distribution of positive delays has.
    pub(crate) fn needs_positive(self, sample: &Sample) -> Result<(), FitError> {
        let found = sample.least();
        if found > 0.0 { Ok(()) } else { Err(FitError::NotPositive { family: self, found }) }
    }

    /// Refuses observed values that are all equal.
    pub(crate) fn needs_different(self, sample: &Sample) -> Result<(), FitError> {
        let (first, last) = (sample.observed()[0], sample.observed()[sample.observed().len() - 1]);
        let equal = || FitError::AllEqual { family: self, count: sample.len(), value: first };
        if first < last { Ok(()) } else { Err(equal()) }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Family::Weibull => "Weibull",
            Family::Lognormal => "lognormal",
            Family::Gamma => "gamma",
            Family::Exponential => "exponential",
            Family::Normal => "normal",
            Family::Pareto => "Pareto",
        })
    }
}
