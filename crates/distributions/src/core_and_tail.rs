//! One distribution below, another above (EMANICS D7.1, section 6.1): the lower 95 % of one agent's delays are near a normal
//! distribution, the upper 5 % near a Weibull one.
//!
//! What is fitted to what: the threshold is the 95 % quantile of all observed delays (Hyndman and Fan's definition 7). The normal
//! distribution has the mean and the deviation (divisor n) of the delays up to the threshold, as if there were no others; it
//! is not truncated there. The Weibull distribution is the most likely one of the delays above the threshold, as they are: not of
//! what they exceed it by, which is fitted beside. The deliverable does not say which of both it means.

use crate::family::{Family, FitError};
use crate::goodness::kolmogorov_smirnov;
use crate::normal::Normal;
use crate::sample::{Sample, SampleError};
use crate::summary::quantile;
use crate::weibull::Weibull;
use crate::{Continuous, Distribution};

/// A core and a tail.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreAndTail {
    /// The share below the threshold that was chosen.
    pub share: f64,
    /// Where the tail begins: it has what is above.
    pub threshold: f64,
    /// The normal distribution of the core.
    pub core: Normal,
    /// The distance of Kolmogorov and Smirnov between the core and its distribution.
    pub core_ks: f64,
    /// The delays of the core.
    pub below: usize,
    /// The Weibull distribution of the delays above the threshold.
    pub tail: Weibull,
    /// The distance of Kolmogorov and Smirnov between the tail and its distribution.
    pub tail_ks: f64,
    /// The Weibull distribution of what they exceed the threshold by, with its distance.
    pub excess: (Weibull, f64),
    /// The delays of the tail, those that were not answered among them.
    pub above: Sample,
}

/// Why a sample has no core or no tail.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CutError {
    /// There are not enough different delays on one side of the threshold.
    #[error("the tail above {threshold} cannot be fitted: {reason}")]
    Tail {
        /// The threshold.
        threshold: f64,
        /// Why.
        reason: FitError,
    },
    /// There are none above it.
    #[error("there is no delay above {threshold}, the quantile where the tail would begin")]
    NoTail {
        /// The threshold.
        threshold: f64,
        /// Why.
        reason: SampleError,
    },
    /// The core has one value only.
    #[error("the core up to {threshold} cannot be fitted: {reason}")]
    Core {
        /// The threshold.
        threshold: f64,
        /// Why.
        reason: FitError,
    },
}

impl CoreAndTail {
    /// Cuts a sample at the quantile of this share, 0.95 in the deliverable. What was not answered is in the tail, or at the
    /// threshold if it was given up before.
    ///
    /// # Errors
    /// One of the parts cannot be fitted.
    pub fn fit(sample: &Sample, share: f64) -> Result<Self, CutError> {
        let all = sample.observed();
        let threshold = quantile(all, share).unwrap_or(all[0]);
        let cut = all.partition_point(|&x| x <= threshold);
        let (below, above) = all.split_at(cut);
        let waited = sample.censored().iter().map(|&x| x.max(threshold)).collect();
        let above = Sample::censored_at(above.to_vec(), waited)
            .map_err(|reason| CutError::NoTail { threshold, reason })?;
        let below =
            Sample::complete(below.to_vec()).map_err(|reason| CutError::NoTail { threshold, reason })?;
        let core = Normal::fit(&below).map_err(|reason| CutError::Core { threshold, reason })?;
        let of_tail = |reason| CutError::Tail { threshold, reason };
        let tail = Weibull::fit(&above).map_err(of_tail)?;
        // What was given up at the threshold says nothing about the excess.
        let censored = above.censored().iter().map(|x| x - threshold).filter(|&x| x > 0.0).collect();
        let excesses =
            Sample::censored_at(above.observed().iter().map(|x| x - threshold).collect(), censored)
                .map_err(|reason| CutError::NoTail { threshold, reason })?;
        let excess = Weibull::fit(&excesses).map_err(of_tail)?;
        Ok(CoreAndTail {
            share,
            threshold,
            core,
            core_ks: kolmogorov_smirnov(&core, &below),
            below: below.len(),
            tail,
            tail_ks: kolmogorov_smirnov(&tail, &above),
            excess: (excess, kolmogorov_smirnov(&excess, &excesses)),
            above,
        })
    }

    /// The share later than x by both parts. Above the threshold it is the tail's, by what exceeds it.
    pub fn beyond(&self, x: f64) -> f64 {
        let of_tail = self.above.len() as f64 / (self.below + self.above.len()) as f64;
        if x > self.threshold {
            return of_tail * self.excess.0.beyond(x - self.threshold);
        }
        of_tail + (1.0 - of_tail) * self.core.beyond(x)
    }

    /// The tail as a distribution of its family.
    pub const fn tail_family(&self) -> (Family, Distribution) {
        (Family::Weibull, Distribution::Weibull(self.tail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lower 95 % from N(10, 1), the upper 5 % above 13 by a Weibull excess.
    fn mixed(count: usize) -> Vec<f64> {
        let (core, excess) = (Normal { mean: 10.0, sd: 1.0 }, Weibull { scale: 50.0, shape: 0.8 });
        let mut random = fastrand::Rng::with_seed(4);
        let one = |at: usize| {
            let p = random.f64().clamp(1e-9, 1.0 - 1e-9);
            if at.is_multiple_of(20) { 13.0 + excess.quantile(p) } else { core.quantile(p).min(13.0) }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn both_parts_are_found() {
        let sample = Sample::complete(mixed(20_000)).unwrap();
        let found = CoreAndTail::fit(&sample, 0.95).unwrap();
        assert!((found.core.mean - 10.0).abs() < 0.05 && (found.core.sd - 1.0).abs() < 0.05, "{found:?}");
        let (excess, distance) = found.excess;
        assert!((excess.shape - 0.8).abs() < 0.06 && (excess.scale / 50.0 - 1.0).abs() < 0.1, "{excess:?}");
        assert!(distance < 0.05 && found.core_ks < 0.02, "{found:?}");
        assert_eq!((found.below, found.above.len()), (19_000, 1000));
        for x in [10.0, 20.0, 100.0] {
            let empirical = crate::Edf::of(&sample).beyond(x);
            assert!((found.beyond(x) - empirical).abs() < 0.01, "{x}: {} {empirical}", found.beyond(x));
        }
        assert_eq!(found.tail_family().0, Family::Weibull);
    }

    #[test]
    fn what_was_not_answered_is_in_the_tail() {
        let sample = Sample::censored_at(mixed(2000), vec![500.0; 100]).unwrap();
        let found = CoreAndTail::fit(&sample, 0.95).unwrap();
        let without = CoreAndTail::fit(&Sample::complete(mixed(2000)).unwrap(), 0.95).unwrap();
        assert_eq!(found.above.len(), without.above.len() + 100);
        assert!(found.tail.mean() > 2.0 * without.tail.mean(), "{found:?}");
    }

    #[test]
    fn a_part_that_cannot_be_fitted_is_named() {
        let fit = |values: Vec<f64>| CoreAndTail::fit(&Sample::complete(values).unwrap(), 0.95);
        assert!(matches!(fit(vec![1.0; 50]), Err(CutError::NoTail { threshold: 1.0, .. })));
        let mut one_late = vec![1.0; 50];
        one_late.push(9.0);
        assert!(matches!(fit(one_late.clone()), Err(CutError::Core { .. })));
        one_late[0] = 0.5;
        assert!(matches!(fit(one_late), Err(CutError::Tail { .. })));
    }
}
