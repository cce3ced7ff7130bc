//! The Weibull distribution: F(x) = 1 - exp(-(x/a)^b) with scale a and shape b. With shape 1 it is exponential, below 1 its tail
//! is heavier, above 1 it has a peak (EMANICS D7.1, section 6.2).

use statrs::function::gamma::gamma;

use crate::family::{Continuous, Family, FitError};
use crate::sample::Sample;

/// A Weibull distribution.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Weibull {
    /// a, in the unit of the delays: 63 % are at most as long.
    pub scale: f64,
    /// b.
    pub shape: f64,
}

impl Weibull {
    /// The most likely one. The shape solves
    ///
    /// ```text
    /// sum(x^b ln x) / sum(x^b) - 1/b - mean(ln x) = 0
    /// ```
    ///
    /// where the sums are over all values and the mean is over the observed ones; the left side rises with b. The scale is
    /// (sum(x^b) / observed)^(1/b). Values are divided by their maximum first, so that no power overflows.
    ///
    /// # Errors
    /// A value is not above 0, or all are equal.
    pub fn fit(sample: &Sample) -> Result<Self, FitError> {
        let family = Family::Weibull;
        family.needs_positive(sample)?;
        let greatest = sample.all().fold(0.0, f64::max).ln();
        let logs: Vec<f64> = sample.all().map(|x| x.ln() - greatest).collect();
        let observed = sample.observed().len() as f64;
        let mean = logs.iter().take(sample.observed().len()).sum::<f64>() / observed;
        // If even the mean is the maximum, no shape is large enough. Rounding of the logarithm is not a difference.
        if mean >= -f64::EPSILON * greatest.abs().max(1.0) {
            let value = sample.observed()[0];
            return Err(FitError::AllEqual { family, count: sample.len(), value });
        }
        let shape = root(&logs, mean).ok_or(FitError::NoMaximum { family })?;
        let sum: f64 = logs.iter().map(|log| (shape * log).exp()).sum();
        let scale = (greatest + (sum / observed).ln() / shape).exp();
        let found = Weibull { scale, shape };
        if scale.is_finite() && scale > 0.0 { Ok(found) } else { Err(FitError::NoMaximum { family }) }
    }

    /// The median: a (ln 2)^(1/b).
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }
}

/// The shape: Newton's steps, within bounds that each step narrows.
fn root(logs: &[f64], mean: f64) -> Option<f64> {
    let left_side = |shape: f64| {
        let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
        for log in logs {
            let power = (shape * log).exp();
            sum += power;
            first += power * log;
            second += power * log * log;
        }
        let centre = first / sum;
        let slope = (second / sum - centre * centre).max(0.0) + 1.0 / (shape * shape);
        (centre - 1.0 / shape - mean, slope)
    };
    let spread = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt();
    // The logarithm of a Weibull delay has the deviation pi / (b sqrt(6)).
    let mut shape = 1.282_549_830 / spread;
    let (mut low, mut high) = (0.0, f64::INFINITY);
    for _ in 0..MOST_STEPS {
        let (left, slope) = left_side(shape);
        if left < 0.0 {
            low = shape
        } else {
            high = shape
        }
        let newton = shape - left / slope;
        let next = if newton > low && newton < high {
            newton
        } else if high.is_finite() {
            (low + high) / 2.0
        } else {
            shape * 2.0
        };
        if (next - shape).abs() <= 1e-13 * shape {
            return Some(next);
        }
        shape = next;
    }
    // The digits of the sums end it.
    shape.is_finite().then_some(shape)
}

impl Continuous for Weibull {
    fn within(&self, x: f64) -> f64 {
        -self.ln_beyond(x).exp_m1()
    }

    fn beyond(&self, x: f64) -> f64 {
        self.ln_beyond(x).exp()
    }

    fn ln_density(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let log = (x / self.scale).ln();
        (self.shape / self.scale).ln() + (self.shape - 1.0) * log - (self.shape * log).exp()
    }

    fn ln_beyond(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { -(self.shape * (x / self.scale).ln()).exp() }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.scale * (-(-p).ln_1p()).powf(1.0 / self.shape)
    }

    fn mean(&self) -> f64 {
        self.scale * gamma(1.0 + 1.0 / self.shape)
    }
}

const MOST_STEPS: usize = 200;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pras et al. (2005), table II: the delays of 1, 22 and 66 objects, ms.
    pub(crate) const PRAS: [&[f64]; 3] = [
        &[
            0.4, 0.4, 0.5, 0.5, 0.5, 0.7, 0.8, 0.9, 0.9, 1.1, 1.2, 1.3, 1.5, 1.6, 1.7, 2.7, 2.7, 3.5, 3.7,
            4.1, 11.1, 11.3, 87.7,
        ],
        &[
            1.6, 1.9, 1.6, 1.7, 1.8, 2.2, 1.8, 1.6, 6.6, 1.8, 2.9, 2.7, 14.0, 5.0, 4.2, 44.5, 47.0, 17.2,
            24.3, 76.7, 83.7, 238.7, 1822.2,
        ],
        &[
            3.9, 5.0, 4.2, 4.4, 4.8, 5.7, 2.9, 3.9, 18.5, 3.4, 6.7, 5.4, 40.1, 15.1, 9.6, 127.6, 140.4, 77.9,
            100.8, 243.0, 727.6,
        ],
    ];

    /// EMANICS D7.1, table 6.2: scale (ms) and shape by size of group.
    pub(crate) const TABLE_6_2: [Weibull; 10] = [
        Weibull { scale: 1.07, shape: 17.11 },
        Weibull { scale: 5.02, shape: 5.52 },
        Weibull { scale: 59.16, shape: 4.54 },
        Weibull { scale: 77.54, shape: 1.81 },
        Weibull { scale: 610.36, shape: 2.28 },
        Weibull { scale: 1468.88, shape: 1.93 },
        Weibull { scale: 2519.79, shape: 2.06 },
        Weibull { scale: 4902.03, shape: 1.79 },
        Weibull { scale: 7437.27, shape: 1.75 },
        Weibull { scale: 12349.0, shape: 1.63 },
    ];

    /// Checklist J.1: figure 6.7 of D7.1 prints 3.46 and 0.62.
    #[test]
    fn the_agents_of_pras_have_the_parameters_of_figure_6_7() {
        let expected = [(3.463_703, 0.624_398), (25.0394, 0.442_881), (39.6138, 0.563_982)];
        for (column, (scale, shape)) in PRAS.into_iter().zip(expected) {
            let found = Weibull::fit(&Sample::complete(column.to_vec()).unwrap()).unwrap();
            assert!((found.scale / scale - 1.0).abs() < 3e-6, "{found:?}");
            assert!((found.shape / shape - 1.0).abs() < 3e-6, "{found:?}");
        }
    }

    /// Checklist J.2 and J.3.
    #[test]
    fn table_6_2_follows_from_its_parameters() {
        let predicted = [0.0, 0.0, 0.0, 0.0, 0.04, 0.62, 0.86, 0.95, 0.98, 0.98];
        let means = [1.04, 4.64, 54.0, 68.9, 540.7, 1302.8, 2232.1, 4360.5, 6623.8, 11053.7];
        let medians = [1.05, 4.70, 54.57, 63.33, 519.7, 1214.8, 2109.1, 3994.4, 6031.9, 9862.3];
        for (at, fitted) in TABLE_6_2.iter().enumerate() {
            assert!((fitted.beyond(1000.0) - predicted[at]).abs() < 0.011, "{fitted:?}");
            assert!((fitted.mean() / means[at] - 1.0).abs() < 4e-3, "{fitted:?}: {}", fitted.mean());
            assert!((fitted.median() / medians[at] - 1.0).abs() < 4e-3, "{fitted:?}: {}", fitted.median());
        }
        let ours = TABLE_6_2.map(|it| (it.beyond(1000.0) * 1e4).round() / 1e4);
        assert_eq!(ours, [0.0, 0.0, 0.0, 0.0, 0.0459, 0.6212, 0.8616, 0.9435, 0.9706, 0.9835]);
    }

    #[test]
    fn all_equal_values_of_any_size_are_refused_and_nearly_equal_ones_are_not() {
        for value in [1e-300, 0.1, 1.0, 12345.678, 1e300] {
            let fitted = Weibull::fit(&Sample::complete(vec![value; 40]).unwrap());
            assert!(matches!(fitted, Err(FitError::AllEqual { count: 40, .. })), "{value}: {fitted:?}");
        }
        let near = Weibull::fit(&Sample::complete(vec![1e9, 1e9 + 1.0, 1e9 + 2.0]).unwrap()).unwrap();
        assert!(near.shape > 1e8 && (near.scale / 1e9 - 1.0).abs() < 1e-8, "{near:?}");
    }

    proptest! {
        /// Checklist J.5.
        #[test]
        fn the_parameters_of_draws_are_found(scale in 1e-3..1e6f64, shape in 0.3..20.0f64, seed: u64) {
            let (truth, mut random) = (Weibull { scale, shape }, fastrand::Rng::with_seed(seed));
            let draws: Vec<f64> = (0..10_000).map(|_| truth.quantile(random.f64())).filter(|&it| it > 0.0).collect();
            let found = Weibull::fit(&Sample::complete(draws).unwrap()).unwrap();
            prop_assert!((found.shape / shape - 1.0).abs() < 0.05, "{:?}", found);
            // The scale is as exact as the shape: five deviations of 1.05 / (b sqrt(n)).
            prop_assert!((found.scale / scale).ln().abs() < 0.053 / shape, "{:?}", found);
        }

        #[test]
        fn a_scaled_sample_scales_the_scale_and_leaves_the_shape(
            values in prop::collection::vec(0.001..1e4f64, 2..50), by in 1e-6..1e6f64
        ) {
            prop_assume!(values.iter().any(|value| (value / values[0] - 1.0).abs() > 1e-3));
            let one = Weibull::fit(&Sample::complete(values.clone()).unwrap()).unwrap();
            let scaled = values.iter().map(|value| value * by).collect();
            let other = Weibull::fit(&Sample::complete(scaled).unwrap()).unwrap();
            prop_assert!((other.shape / one.shape - 1.0).abs() < 1e-7, "{:?} {:?}", one, other);
            prop_assert!((other.scale / one.scale / by - 1.0).abs() < 1e-7, "{:?} {:?}", one, other);
        }

        /// No other parameters nearby are likelier.
        #[test]
        fn it_is_the_maximum(values in prop::collection::vec(0.01..1e3f64, 3..40), late in 0..4usize) {
            prop_assume!(values.iter().any(|value| (value / values[0] - 1.0).abs() > 0.1));
            let sample = Sample::censored_at(values, vec![1e3; late]).unwrap();
            let found = Weibull::fit(&sample).unwrap();
            let likelihood = |it: Weibull| crate::Distribution::Weibull(it).ln_likelihood(&sample);
            for (scale, shape) in [(1.001, 1.0), (0.999, 1.0), (1.0, 1.001), (1.0, 0.999), (1.001, 1.001)] {
                let other = Weibull { scale: found.scale * scale, shape: found.shape * shape };
                prop_assert!(likelihood(found) >= likelihood(other) - 1e-9, "{:?} {:?}", found, other);
            }
        }
    }
}
