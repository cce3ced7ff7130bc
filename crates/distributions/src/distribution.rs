//! A distribution of any family, fitted by maximum likelihood.

use crate::exponential::Exponential;
use crate::family::{Continuous, Family, FitError};
use crate::gamma::Gamma;
use crate::lognormal::Lognormal;
use crate::normal::Normal;
use crate::pareto::Pareto;
use crate::sample::Sample;
use crate::weibull::Weibull;

/// A distribution with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    /// See [`Weibull`].
    Weibull(Weibull),
    /// See [`Lognormal`].
    Lognormal(Lognormal),
    /// See [`Gamma`].
    Gamma(Gamma),
    /// See [`Exponential`].
    Exponential(Exponential),
    /// See [`Normal`].
    Normal(Normal),
    /// See [`Pareto`].
    Pareto(Pareto),
}

impl Family {
    /// The one of the family that makes the sample most likely; what is censored counts with the probability of being later.
    ///
    /// # Errors
    /// The sample has values that the family does not have, or none fits best.
    pub fn fit(self, sample: &Sample) -> Result<Distribution, FitError> {
        Ok(match self {
            Family::Weibull => Distribution::Weibull(Weibull::fit(sample)?),
            Family::Lognormal => Distribution::Lognormal(Lognormal::fit(sample)?),
            Family::Gamma => Distribution::Gamma(Gamma::fit(sample)?),
            Family::Exponential => Distribution::Exponential(Exponential::fit(sample)?),
            Family::Normal => Distribution::Normal(Normal::fit(sample)?),
            Family::Pareto => Distribution::Pareto(Pareto::fit(sample)?),
        })
    }
}

impl Distribution {
    /// Its family.
    pub const fn family(&self) -> Family {
        match self {
            Distribution::Weibull(_) => Family::Weibull,
            Distribution::Lognormal(_) => Family::Lognormal,
            Distribution::Gamma(_) => Family::Gamma,
            Distribution::Exponential(_) => Family::Exponential,
            Distribution::Normal(_) => Family::Normal,
            Distribution::Pareto(_) => Family::Pareto,
        }
    }

    /// Its parameters with their names.
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        match self {
            Distribution::Weibull(it) => vec![("scale", it.scale), ("shape", it.shape)],
            Distribution::Lognormal(it) => vec![("mean of ln", it.mu()), ("sd of ln", it.sigma())],
            Distribution::Gamma(it) => vec![("scale", it.scale), ("shape", it.shape)],
            Distribution::Exponential(it) => vec![("mean", it.mean)],
            Distribution::Normal(it) => vec![("mean", it.mean), ("sd", it.sd)],
            Distribution::Pareto(it) => vec![("least", it.least), ("index", it.index)],
        }
    }

    /// The logarithm of a sample's likelihood: of the density where it was observed, of being later where it was not.
    pub fn ln_likelihood(&self, sample: &Sample) -> f64 {
        let observed: f64 = sample.observed().iter().map(|&x| self.ln_density(x)).sum();
        let censored: f64 = sample.censored().iter().map(|&x| self.ln_beyond(x)).sum();
        observed + censored
    }

    fn inner(&self) -> &dyn Continuous {
        match self {
            Distribution::Weibull(it) => it,
            Distribution::Lognormal(it) => it,
            Distribution::Gamma(it) => it,
            Distribution::Exponential(it) => it,
            Distribution::Normal(it) => it,
            Distribution::Pareto(it) => it,
        }
    }
}

impl Continuous for Distribution {
    fn within(&self, x: f64) -> f64 {
        self.inner().within(x)
    }
    fn beyond(&self, x: f64) -> f64 {
        self.inner().beyond(x)
    }
    fn ln_density(&self, x: f64) -> f64 {
        self.inner().ln_density(x)
    }
    fn ln_beyond(&self, x: f64) -> f64 {
        self.inner().ln_beyond(x)
    }
    fn quantile(&self, p: f64) -> f64 {
        self.inner().quantile(p)
    }
    fn mean(&self) -> f64 {
        self.inner().mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn draws(distribution: &Distribution, count: usize, seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..count).map(|_| distribution.quantile(random.f64().clamp(1e-12, 1.0 - 1e-12))).collect()
    }

    fn some() -> [Distribution; 6] {
        [
            Distribution::Weibull(Weibull { scale: 3.0, shape: 0.7 }),
            Distribution::Lognormal(Lognormal(Normal { mean: 1.0, sd: 0.5 })),
            Distribution::Gamma(Gamma { shape: 2.5, scale: 4.0 }),
            Distribution::Exponential(Exponential { mean: 7.0 }),
            Distribution::Normal(Normal { mean: 20.0, sd: 3.0 }),
            Distribution::Pareto(Pareto { least: 2.0, index: 3.0 }),
        ]
    }

    #[test]
    fn each_family_finds_its_own_parameters_again_and_has_the_least_aic() {
        for distribution in some() {
            let sample = Sample::complete(draws(&distribution, 5000, 3)).unwrap();
            let fitted = distribution.family().fit(&sample).unwrap();
            for ((name, found), (_, truth)) in fitted.parameters().iter().zip(distribution.parameters()) {
                assert!((found / truth - 1.0).abs() < 0.06, "{fitted:?}: {name} is {truth}");
            }
            let own = fitted.ln_likelihood(&sample);
            for other in Family::ALL.map(|family| family.fit(&sample)).into_iter().flatten() {
                // An exponential one is also a Weibull and a gamma one, which then win by chance what their parameter costs.
                assert!(own >= other.ln_likelihood(&sample) - 3.0, "{fitted:?} {other:?}");
            }
        }
    }

    /// Everything later than the median was given up there: the parameters are still found.
    #[test]
    fn what_was_given_up_does_not_bend_the_parameters() {
        for distribution in some() {
            let limit = distribution.quantile(0.6);
            let (observed, late): (Vec<f64>, Vec<f64>) =
                draws(&distribution, 8000, 5).into_iter().partition(|&delay| delay <= limit);
            let sample = Sample::censored_at(observed.clone(), vec![limit; late.len()]).unwrap();
            let fitted = distribution.family().fit(&sample).unwrap();
            for ((name, found), (_, truth)) in fitted.parameters().iter().zip(distribution.parameters()) {
                assert!((found / truth - 1.0).abs() < 0.08, "{fitted:?}: {name} is {truth}");
            }
            // Where they are dropped, the mean is far off.
            let dropped = distribution.family().fit(&Sample::complete(observed).unwrap()).unwrap();
            assert!(dropped.mean() < 0.95 * distribution.mean(), "{dropped:?}");
        }
    }

    #[test]
    fn what_a_family_cannot_have_is_refused() {
        let zero = Sample::complete(vec![0.0, 1.0]).unwrap();
        let equal = Sample::complete(vec![2.0, 2.0, 2.0]).unwrap();
        for family in Family::ALL {
            match family {
                Family::Normal => assert!(family.fit(&zero).is_ok()),
                _ => assert_eq!(family.fit(&zero), Err(FitError::NotPositive { family, found: 0.0 })),
            }
            match family {
                Family::Exponential => assert!(family.fit(&equal).is_ok()),
                _ => assert_eq!(family.fit(&equal), Err(FitError::AllEqual { family, count: 3, value: 2.0 })),
            }
        }
        let text = Family::Weibull.fit(&zero).unwrap_err().to_string();
        assert!(text.starts_with("Weibull needs delays above 0, found 0"), "{text}");
    }

    proptest! {
        #[test]
        fn a_quantile_is_the_inverse_and_both_sides_are_one(p in 0.001..0.999f64) {
            for distribution in some() {
                let x = distribution.quantile(p);
                prop_assert!((distribution.within(x) - p).abs() < 1e-7, "{:?} {}", distribution, distribution.within(x));
                prop_assert!((distribution.within(x) + distribution.beyond(x) - 1.0).abs() < 1e-9);
                prop_assert!((distribution.ln_beyond(x) - distribution.beyond(x).ln()).abs() < 1e-6);
                // The density is the slope.
                let step = x * 1e-6;
                let slope = (distribution.within(x + step) - distribution.within(x - step)) / (2.0 * step);
                prop_assert!((slope / distribution.ln_density(x).exp() - 1.0).abs() < 1e-3, "{:?} {}", distribution, x);
            }
        }
    }
}
