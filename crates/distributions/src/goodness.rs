//! How well a distribution fits the sample from which its parameters come: the statistics of Kolmogorov and Smirnov and of
//! Anderson and Darling, with the probability of values as large if the distribution were right, and Akaike's criterion.
//!
//! Tables of both statistics are for parameters that were known before. Here they come from the sample, so that the probability is
//! computed by parametric bootstrap: samples are drawn from the fitted distribution, fitted again, and compared with their own fit.

use crate::distribution::Distribution;
use crate::edf::Edf;
use crate::family::{Continuous, Family, FitError};
use crate::gamma::positive;
use crate::sample::Sample;

/// How well one distribution fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goodness {
    /// The logarithm of the likelihood.
    pub ln_likelihood: f64,
    /// Akaike's criterion: 2 k - 2 ln L. Less is better.
    pub aic: f64,
    /// The same, corrected for small samples (Hurvich and Tsai 1989); `None` if there are too few values for it.
    pub aicc: Option<f64>,
    /// The greatest distance between the empirical distribution function and the fitted one, up to the last observed delay.
    pub ks: f64,
    /// Anderson's and Darling's A squared, which weighs the tails; `None` where it is not defined: with censored values, and for
    /// the Pareto distribution, which has nothing below the least value of the sample.
    pub ad: Option<f64>,
}

/// The probabilities of statistics as large as a sample's, if the fitted distribution is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probabilities {
    /// Of Kolmogorov's and Smirnov's.
    pub ks: f64,
    /// Of Anderson's and Darling's, where it is defined.
    pub ad: Option<f64>,
    /// How many samples were drawn: no probability is below 1 / (drawn + 1).
    pub drawn: usize,
}

impl Goodness {
    /// Of a fitted distribution.
    pub fn of(fitted: &Distribution, sample: &Sample) -> Self {
        let ln_likelihood = fitted.ln_likelihood(sample);
        let parameters = fitted.family().parameters() as f64;
        let aic = 2.0 * parameters - 2.0 * ln_likelihood;
        let room = sample.len() as f64 - parameters - 1.0;
        let aicc = (room > 0.0).then(|| aic + 2.0 * parameters * (parameters + 1.0) / room);
        let is_defined = sample.is_complete() && has_squared(fitted.family());
        let ad = is_defined.then(|| anderson_darling(fitted, sample.observed()));
        Goodness { ln_likelihood, aic, aicc, ks: kolmogorov_smirnov(fitted, sample), ad }
    }
}

/// The greatest distance between a sample's empirical distribution function and F, on both sides of each step.
pub fn kolmogorov_smirnov(distribution: &impl Continuous, sample: &Sample) -> f64 {
    let mut below = 0.0;
    let mut greatest: f64 = 0.0;
    for (x, share) in Edf::of(sample).steps() {
        let fitted = distribution.within(x);
        greatest = greatest.max((share - fitted).abs()).max((fitted - below).abs());
        below = share;
    }
    greatest
}

/// A squared of ascending values.
pub fn anderson_darling(distribution: &impl Continuous, sorted: &[f64]) -> f64 {
    let count = sorted.len() as f64;
    let sum: f64 = sorted
        .iter()
        .zip(sorted.iter().rev())
        .enumerate()
        .map(|(index, (&low, &high))| {
            // A value that the distribution does not have counts as one at its edge.
            let within = distribution.within(low).max(f64::MIN_POSITIVE).ln();
            let beyond = distribution.ln_beyond(high).max(f64::MIN_POSITIVE.ln());
            (2.0 * index as f64 + 1.0) * (within + beyond)
        })
        .sum();
    -count - sum / count
}

/// The probabilities of a family's fit, by so many samples that are drawn with a seed; `None` with censored values, since how they
/// came about is not known.
///
/// Beyond [`MOST_DRAWN`] values, smaller samples are drawn, and the distance is compared times the root of the number of values:
/// its distribution then depends on that number no more (that of A squared never did).
///
/// # Errors
/// The family does not fit the sample.
pub fn probabilities(
    family: Family,
    sample: &Sample,
    drawn: usize,
    seed: u64,
) -> Result<Option<Probabilities>, FitError> {
    if !sample.is_complete() {
        return Ok(None);
    }
    let fitted = family.fit(sample)?;
    let root = (sample.len() as f64).sqrt();
    let found = (root * kolmogorov_smirnov(&fitted, sample), anderson_darling(&fitted, sample.observed()));
    let size = sample.len().min(MOST_DRAWN);
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut larger, mut done) = ((0, 0), 0);
    for _ in 0..drawn {
        let values = (0..size).map(|_| draw(&fitted, &mut random)).collect();
        let Ok(one) = Sample::complete(values) else { continue };
        let Ok(its) = family.fit(&one) else { continue };
        done += 1;
        larger.0 += usize::from((size as f64).sqrt() * kolmogorov_smirnov(&its, &one) >= found.0);
        larger.1 += usize::from(anderson_darling(&its, one.observed()) >= found.1);
    }
    let share = |count: usize| (count + 1) as f64 / (done + 1) as f64;
    let ad = has_squared(family).then(|| share(larger.1));
    Ok(Some(Probabilities { ks: share(larger.0), ad, drawn: done }))
}

/// Whether A squared is defined for a family: its distributions have values below every sample's least one.
fn has_squared(family: Family) -> bool {
    family != Family::Pareto
}

/// One value of a distribution.
pub fn draw(distribution: &Distribution, random: &mut fastrand::Rng) -> f64 {
    match distribution {
        Distribution::Gamma(gamma) => gamma.draw(random),
        // Never 0, of which a normal quantile is infinite.
        other => other.quantile(positive(random).min(1.0 - f64::EPSILON)),
    }
}

/// The most values of a drawn sample.
pub const MOST_DRAWN: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamma::Gamma;
    use crate::weibull::Weibull;

    /// Checklist J.1: D of figure 6.7.
    #[test]
    fn the_distance_of_pras_column_1() {
        let sample = Sample::complete(crate::weibull::tests::PRAS[0].to_vec()).unwrap();
        let fitted = Family::Weibull.fit(&sample).unwrap();
        let goodness = Goodness::of(&fitted, &sample);
        assert!((goodness.ks - 0.2288).abs() < 5e-5, "{goodness:?}");
        assert!((goodness.aicc.unwrap() - goodness.aic - 2.0 * 2.0 * 3.0 / 20.0).abs() < 1e-12);
    }

    #[test]
    fn a_right_distribution_is_rarely_refused_and_a_wrong_one_nearly_always() {
        let truth = Distribution::Weibull(Weibull { scale: 4.0, shape: 1.8 });
        let (mut right, mut wrong) = ((0, 0), 0);
        const RUNS: u64 = 60;
        for seed in 0..RUNS {
            let mut random = fastrand::Rng::with_seed(seed);
            let sample = Sample::complete((0..80).map(|_| draw(&truth, &mut random)).collect()).unwrap();
            let own = probabilities(Family::Weibull, &sample, 99, seed).unwrap().unwrap();
            right.0 += usize::from(own.ks <= 0.1);
            right.1 += usize::from(own.ad.unwrap() <= 0.1);
            let other = probabilities(Family::Pareto, &sample, 99, seed).unwrap().unwrap();
            wrong += usize::from(other.ad.is_none() && other.ks <= 0.05);
        }
        // A tenth is expected: binomial, 6 with a deviation of 2.3.
        assert!(right.0 <= 14 && right.1 <= 14, "{right:?}");
        assert!(wrong >= 57, "{wrong}");
    }

    #[test]
    fn drawn_values_of_gamma_are_its_own() {
        for (shape, scale) in [(0.4, 3.0), (1.0, 1.0), (7.5, 0.2)] {
            let truth = Distribution::Gamma(Gamma { shape, scale });
            let mut random = fastrand::Rng::with_seed(11);
            let sample = Sample::complete((0..4000).map(|_| draw(&truth, &mut random)).collect()).unwrap();
            // Known parameters: 1.95 by the root of n is passed once in a thousand times.
            assert!(kolmogorov_smirnov(&truth, &sample) < 1.95 / 4000.0_f64.sqrt(), "{truth:?}");
        }
    }

    #[test]
    fn large_samples_are_compared_with_smaller_ones() {
        let truth = Distribution::Weibull(Weibull { scale: 4.0, shape: 1.8 });
        let mut random = fastrand::Rng::with_seed(1);
        let sample = Sample::complete((0..20_000).map(|_| draw(&truth, &mut random)).collect()).unwrap();
        let own = probabilities(Family::Weibull, &sample, 39, 1).unwrap().unwrap();
        assert!(own.ks > 0.05 && own.ad > Some(0.05) && own.drawn == 39, "{own:?}");
        let other = probabilities(Family::Normal, &sample, 39, 1).unwrap().unwrap();
        assert_eq!((other.ks, other.ad), (1.0 / 40.0, Some(1.0 / 40.0)));
    }

    #[test]
    fn with_censored_values_only_what_is_defined_is_there() {
        let sample = Sample::censored_at(vec![1.0, 2.0, 3.0, 5.0], vec![5.0; 4]).unwrap();
        let fitted = Family::Weibull.fit(&sample).unwrap();
        let goodness = Goodness::of(&fitted, &sample);
        assert!(goodness.ad.is_none() && goodness.ks < 0.2, "{goodness:?}");
        assert_eq!(probabilities(Family::Weibull, &sample, 9, 0), Ok(None));
        let few = Sample::complete(vec![1.0, 2.0, 3.0]).unwrap();
        assert_eq!(Goodness::of(&Family::Weibull.fit(&few).unwrap(), &few).aicc, None);
    }
}
