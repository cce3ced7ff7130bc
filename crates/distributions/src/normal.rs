//! The normal distribution.

use std::f64::consts::{PI, SQRT_2};

use libm::erfc;
use statrs::function::erf::erfc_inv;

use crate::family::{Continuous, Family, FitError};
use crate::maximum::maximum;
use crate::sample::Sample;

/// A normal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normal {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation. The most likely one has the divisor n, not n - 1.
    pub sd: f64,
}

impl Normal {
    /// The most likely one: the mean and the deviation with divisor n; with censored values, the maximum of the likelihood.
    ///
    /// # Errors
    /// All values are equal.
    pub fn fit(sample: &Sample) -> Result<Self, FitError> {
        Self::fit_for(sample, Family::Normal)
    }

    /// The same for a family that is normal in another scale.
    pub(crate) fn fit_for(sample: &Sample, family: Family) -> Result<Self, FitError> {
        family.needs_different(sample)?;
        let count = sample.len() as f64;
        let mean = sample.all().sum::<f64>() / count;
        let sd = (sample.all().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
        if sd <= 0.0 {
            return Err(FitError::NoMaximum { family });
        }
        if sample.is_complete() {
            return Ok(Normal { mean, sd });
        }
        // In units of this deviation around this mean.
        let standard = sample.mapped(|x| (x - mean) / sd);
        let likelihood = |[centre, ln_sd]: [f64; 2]| {
            let it = Normal { mean: centre, sd: ln_sd.exp() };
            let observed: f64 = standard.observed().iter().map(|&x| it.ln_density(x)).sum();
            observed + standard.censored().iter().map(|&x| it.ln_beyond(x)).sum::<f64>()
        };
        let [centre, ln_sd] = maximum([0.0, 0.0], 0.5, likelihood).ok_or(FitError::NoMaximum { family })?;
        Ok(Normal { mean: mean + sd * centre, sd: sd * ln_sd.exp() })
    }

    fn standard(&self, x: f64) -> f64 {
        (x - self.mean) / self.sd
    }
}

impl Continuous for Normal {
    fn within(&self, x: f64) -> f64 {
        0.5 * erfc(-self.standard(x) / SQRT_2)
    }

    fn beyond(&self, x: f64) -> f64 {
        0.5 * erfc(self.standard(x) / SQRT_2)
    }

    fn ln_density(&self, x: f64) -> f64 {
        -0.5 * self.standard(x).powi(2) - self.sd.ln() - 0.5 * (2.0 * PI).ln()
    }

    fn ln_beyond(&self, x: f64) -> f64 {
        let z = self.standard(x);
        if z < FAR {
            return self.beyond(x).ln();
        }
        // Mills's ratio as a series: erfc itself is 0 from 38 deviations on.
        let square = 1.0 / (z * z);
        -0.5 * z * z - (z * (2.0 * PI).sqrt()).ln() + (-square + 3.0 * square * square).ln_1p()
    }

    fn quantile(&self, p: f64) -> f64 {
        self.mean - self.sd * SQRT_2 * erfc_inv(2.0 * p)
    }

    fn mean(&self) -> f64 {
        self.mean
    }
}

/// Deviations from which the series is better.
const FAR: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_keeps_its_digits() {
        let standard = Normal { mean: 0.0, sd: 1.0 };
        // scipy: norm.sf(1.96), norm.logsf(5), norm.logsf(25), norm.logsf(100)
        let beyond = standard.beyond(1.96);
        assert!((beyond - 0.024_997_895_148_220_435).abs() < 1e-12, "{beyond}");
        for (z, expected) in
            [(5.0, -15.064_998_393_988_727), (25.0, -316.639_408_008_345_8), (100.0, -5_005.524_208_694_205)]
        {
            assert!(
                (standard.ln_beyond(z) / expected - 1.0_f64).abs() < 1e-9,
                "{z}: {}",
                standard.ln_beyond(z)
            );
        }
    }
}
