//! Confidence intervals of the parameters of a Weibull distribution, at 95 %.
//!
//! For complete samples up to [`MOST_PIVOTS`] values they come from pivots (Thoman, Bain, Antle 1969): for samples of n values of
//! any Weibull distribution, b^ / b and b^ ln(a^ / a) are distributed alike, whatever a and b are. Their quantiles are found with
//! samples that are drawn from the one with a = b = 1, so that the interval has its confidence from three values on, not only in the limit.
//!
//! For larger samples, and with censored values, the observed information about ln a and ln b gives their deviations: the
//! likelihood is nearly normal there.

use crate::family::{Continuous, FitError};
use crate::sample::Sample;
use crate::summary::{Interval, quantile};
use crate::weibull::Weibull;

/// The parameters' intervals, and where they come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// Of the scale.
    pub scale: Interval,
    /// Of the shape.
    pub shape: Interval,
    /// How they were found.
    pub method: Method,
}

/// How intervals were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By pivots, from drawn samples.
    Pivots,
    /// By the observed information about the logarithms.
    Information,
}

impl Method {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Method::Pivots => "pivots, from drawn samples",
            Method::Information => "observed information about the logarithms",
        }
    }
}

/// The intervals of the distribution that fits a sample best.
///
/// # Errors
/// None fits best.
pub fn of(sample: &Sample, seed: u64) -> Result<(Weibull, Intervals), FitError> {
    let fitted = Weibull::fit(sample)?;
    if sample.is_complete() && sample.len() <= MOST_PIVOTS {
        let pivots = Pivots::of(sample.len(), DRAWN, seed);
        if let Some(intervals) = pivots.intervals(&fitted) {
            return Ok((fitted, intervals));
        }
    }
    let intervals = by_information(&fitted, sample);
    intervals.map(|it| (fitted, it)).ok_or(FitError::NoMaximum { family: crate::Family::Weibull })
}

/// The quantiles of both pivots for one number of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Pivots {
    /// Of b^ / b, ascending.
    shapes: Vec<f64>,
    /// Of b^ ln(a^ / a), ascending.
    scales: Vec<f64>,
}

impl Pivots {
    /// For samples of so many values, from so many drawn ones.
    pub fn of(values: usize, drawn: usize, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let standard = Weibull { scale: 1.0, shape: 1.0 };
        let mut fits = Vec::with_capacity(drawn);
        for _ in 0..drawn {
            let values =
                (0..values).map(|_| standard.quantile(random.f64()).max(f64::MIN_POSITIVE)).collect();
            fits.extend(Sample::complete(values).ok().and_then(|sample| Weibull::fit(&sample).ok()));
        }
        let mut shapes: Vec<f64> = fits.iter().map(|it| it.shape).collect();
        let mut scales: Vec<f64> = fits.iter().map(|it| it.shape * it.scale.ln()).collect();
        shapes.sort_by(f64::total_cmp);
        scales.sort_by(f64::total_cmp);
        Pivots { shapes, scales }
    }

    /// The intervals around a fitted distribution; `None` if nothing could be drawn.
    pub fn intervals(&self, fitted: &Weibull) -> Option<Intervals> {
        let shape = Interval {
            low: fitted.shape / quantile(&self.shapes, 1.0 - TAIL)?,
            high: fitted.shape / quantile(&self.shapes, TAIL)?,
        };
        let bound = |p: f64| quantile(&self.scales, p).map(|it| fitted.scale * (-it / fitted.shape).exp());
        let scale = Interval { low: bound(1.0 - TAIL)?, high: bound(TAIL)? };
        Some(Intervals { scale, shape, method: Method::Pivots })
    }
}

/// From the curvature of the likelihood in ln a and ln b at its maximum. `None` if it has none there.
pub fn by_information(fitted: &Weibull, sample: &Sample) -> Option<Intervals> {
    // With z = b (ln x - ln a), a value adds -exp(z), and an observed one also ln b - ln x + z. At the maximum the sum of
    // exp(z) is the number of the observed ones.
    let observed = sample.observed().len() as f64;
    let (mut first, mut second) = (0.0, 0.0);
    for x in sample.all() {
        let z = fitted.shape * (x / fitted.scale).ln();
        first += z.exp() * z;
        second += z.exp() * z * z;
    }
    let of_scale = fitted.shape.powi(2) * observed;
    let of_shape = observed + second;
    let of_both = -fitted.shape * first;
    let determinant = of_scale * of_shape - of_both * of_both;
    let around = |value: f64, variance: f64| {
        let factor = (NORMAL * variance.sqrt()).exp();
        (variance > 0.0 && factor.is_finite()).then(|| Interval { low: value / factor, high: value * factor })
    };
    Some(Intervals {
        scale: around(fitted.scale, of_shape / determinant)?,
        shape: around(fitted.shape, of_scale / determinant)?,
        method: Method::Information,
    })
}

/// The share beyond each end.
const TAIL: f64 = 0.025;
/// The normal distribution's quantile there.
const NORMAL: f64 = 1.959_963_985;
/// The most values for which pivots are drawn.
pub const MOST_PIVOTS: usize = 1000;
/// How many samples are drawn for pivots.
pub const DRAWN: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    /// In how many of 1,000 samples both intervals hold the truth, per mille.
    fn coverage(
        truth: Weibull,
        values: usize,
        limit: f64,
        intervals: impl Fn(&Sample) -> Intervals,
    ) -> (usize, usize) {
        let mut random = fastrand::Rng::with_seed(values as u64);
        let (mut scale, mut shape) = (0, 0);
        for _ in 0..RUNS {
            let drawn = (0..values).map(|_| truth.quantile(random.f64()));
            let (observed, late): (Vec<f64>, Vec<f64>) = drawn.partition(|&x| x <= limit);
            let sample = Sample::censored_at(observed, vec![limit; late.len()]).unwrap();
            let it = intervals(&sample);
            scale += usize::from(it.scale.contains(truth.scale));
            shape += usize::from(it.shape.contains(truth.shape));
        }
        (scale * 1000 / RUNS, shape * 1000 / RUNS)
    }

    const RUNS: usize = 1000;

    /// 950 of 1,000 with a deviation of 7; the drawn quantiles add as much.
    #[test]
    fn intervals_by_pivots_hold_the_truth_as_often_as_they_say_from_three_values_on() {
        for (values, truth) in [
            (3, Weibull { scale: 5.0, shape: 0.6 }),
            (23, Weibull { scale: 3.46, shape: 0.62 }),
            (140, Weibull { scale: 5.02, shape: 5.52 }),
        ] {
            let pivots = Pivots::of(values, 4000, 9);
            let found = coverage(truth, values, f64::INFINITY, |sample| {
                pivots.intervals(&Weibull::fit(sample).unwrap()).unwrap()
            });
            assert!((925..=975).contains(&found.0) && (925..=975).contains(&found.1), "{values}: {found:?}");
        }
    }

    #[test]
    fn intervals_by_information_hold_it_in_large_and_in_censored_samples() {
        let truth = Weibull { scale: 1468.88, shape: 1.93 };
        let information = |sample: &Sample| by_information(&Weibull::fit(sample).unwrap(), sample).unwrap();
        for (values, limit) in [(1200, f64::INFINITY), (420, 1500.0)] {
            let found = coverage(truth, values, limit, information);
            assert!((925..=975).contains(&found.0) && (925..=975).contains(&found.1), "{values}: {found:?}");
        }
        // Of few values it promises too much, which is why there are pivots.
        let few = coverage(truth, 5, f64::INFINITY, information);
        assert!(few.1 < 925, "{few:?}");
    }

    #[test]
    fn the_method_follows_from_the_sample() {
        let pras = Sample::complete(crate::weibull::tests::PRAS[0].to_vec()).unwrap();
        let (fitted, by_pivots) = of(&pras, 1).unwrap();
        assert_eq!(by_pivots.method, Method::Pivots);
        assert!(by_pivots.shape.contains(fitted.shape) && by_pivots.scale.contains(fitted.scale));
        assert_eq!(of(&pras, 1).unwrap().1, by_pivots, "the same seed gives the same interval");
        let late = Sample::censored_at(pras.observed().to_vec(), vec![100.0; 2]).unwrap();
        assert_eq!(of(&late, 1).unwrap().1.method, Method::Information);
        assert!(of(&Sample::complete(vec![1.0, 1.0]).unwrap(), 1).is_err());
        assert!(!Method::Pivots.words().is_empty() && !Method::Information.words().is_empty());
    }
}
