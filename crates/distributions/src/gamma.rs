//! The gamma distribution: with a whole shape, the sum of so many exponential delays.

use statrs::function::gamma::{digamma, gamma_lr, gamma_ur, ln_gamma};

use crate::family::{Continuous, Family, FitError};
use crate::maximum::maximum;
use crate::sample::Sample;

/// A gamma distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    /// Its shape; with 1 it is exponential.
    pub shape: f64,
    /// Its scale, in the unit of the delays; the mean is shape times scale.
    pub scale: f64,
}

impl Gamma {
    /// The most likely one: the shape solves ln k - digamma(k) = ln(mean) - mean(ln x), whose left side falls with k. With
    /// censored values it is the maximum of the likelihood.
    ///
    /// # Errors
    /// A value is not above 0, or all are equal.
    pub fn fit(sample: &Sample) -> Result<Self, FitError> {
        let family = Family::Gamma;
        family.needs_positive(sample)?;
        family.needs_different(sample)?;
        let count = sample.len() as f64;
        let mean = sample.all().sum::<f64>() / count;
        let apart = -sample.all().map(|x| (x / mean).ln()).sum::<f64>() / count;
        let none = || FitError::NoMaximum { family };
        let shape = solve(apart).ok_or_else(none)?;
        if sample.is_complete() {
            return Ok(Gamma { shape, scale: mean / shape });
        }
        let standard = sample.mapped(|x| x / mean);
        let sums = standard.observed().iter().fold((0.0, 0.0), |(logs, sum), x| (logs + x.ln(), sum + x));
        let observed = standard.observed().len() as f64;
        let likelihood = |[ln_shape, ln_mean]: [f64; 2]| {
            let shape = ln_shape.exp();
            let it = Gamma { shape, scale: ln_mean.exp() / shape };
            let of_observed = (shape - 1.0) * sums.0
                - sums.1 / it.scale
                - observed * (ln_gamma(shape) + shape * it.scale.ln());
            of_observed + standard.censored().iter().map(|&x| it.ln_beyond(x)).sum::<f64>()
        };
        let [ln_shape, ln_mean] = maximum([shape.ln(), 0.0], 0.3, likelihood).ok_or_else(none)?;
        Ok(Gamma { shape: ln_shape.exp(), scale: mean * (ln_mean - ln_shape).exp() })
    }

    /// One of its values, by Marsaglia and Tsang (2000): a quantile of it costs a hundred times as much.
    pub(crate) fn draw(&self, random: &mut fastrand::Rng) -> f64 {
        let (shape, boost) = if self.shape < 1.0 {
            (self.shape + 1.0, positive(random).powf(1.0 / self.shape))
        } else {
            (self.shape, 1.0)
        };
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            // Box and Muller's normal one.
            let normal =
                (-2.0 * positive(random).ln()).sqrt() * (2.0 * std::f64::consts::PI * random.f64()).cos();
            let v = (1.0 + c * normal).powi(3);
            if v > 0.0 && positive(random).ln() < 0.5 * normal * normal + d - d * v + d * v.ln() {
                return d * v * boost * self.scale;
            }
        }
    }
}

/// Evenly between 0 and 1, without 0.
pub(crate) fn positive(random: &mut fastrand::Rng) -> f64 {
    1.0 - random.f64()
}

/// The shape for which ln k - digamma(k) is so much: Newton's steps in ln k from Minka's (2002) approximation.
fn solve(apart: f64) -> Option<f64> {
    if apart <= 0.0 || !apart.is_finite() {
        return None;
    }
    let start = (3.0 - apart + ((apart - 3.0).powi(2) + 24.0 * apart).sqrt()) / (12.0 * apart);
    let left_side = |shape: f64| shape.ln() - digamma(shape) - apart;
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut shape = start;
    for _ in 0..100 {
        let left = left_side(shape);
        if left > 0.0 {
            low = shape
        } else {
            high = shape
        }
        let step = 1e-4 * shape;
        // The slope, without the trigamma function: only the speed depends on it.
        let slope = (left_side(shape + step) - left_side(shape - step)) / (2.0 * step);
        let newton = shape - left / slope;
        let next =
            if newton > low && newton < high { newton } else { f64::midpoint(low, high.min(2.0 * shape)) };
        if (next - shape).abs() <= 1e-12 * shape {
            return Some(next);
        }
        shape = next;
    }
    shape.is_finite().then_some(shape)
}

/// ln of the upper incomplete gamma function where it is too small for a number: Legendre's continued fraction (DLMF 8.9.2),
/// from its end.
fn ln_far_beyond(shape: f64, x: f64) -> f64 {
    let fraction = (1..=40).rev().map(f64::from).fold(0.0, |below, at| {
        let after = x + 2.0 * at + 1.0 - shape - below;
        at * (at - shape) / after
    });
    shape * x.ln() - x - ln_gamma(shape) - (x + 1.0 - shape - fraction).ln()
}

impl Continuous for Gamma {
    fn within(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { gamma_lr(self.shape, x / self.scale) }
    }

    fn beyond(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { gamma_ur(self.shape, x / self.scale) }
    }

    fn ln_density(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        (self.shape - 1.0) * x.ln() - x / self.scale - ln_gamma(self.shape) - self.shape * self.scale.ln()
    }

    fn ln_beyond(&self, x: f64) -> f64 {
        let beyond = self.beyond(x);
        if beyond > f64::MIN_POSITIVE { beyond.ln() } else { ln_far_beyond(self.shape, x / self.scale) }
    }

    fn quantile(&self, p: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.mean().max(self.scale));
        while self.within(high) < p {
            low = high;
            high *= 2.0;
        }
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if self.within(middle) < p {
                low = middle
            } else {
                high = middle
            }
            if high - low <= 1e-14 * high {
                break;
            }
        }
        f64::midpoint(low, high)
    }

    fn mean(&self) -> f64 {
        self.shape * self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_has_a_logarithm_where_it_has_no_number() {
        let it = Gamma { shape: 2.5, scale: 1.0 };
        // Both ways, where both work.
        for x in [50.0, 200.0, 600.0] {
            assert!((ln_far_beyond(2.5, x) / it.beyond(x).ln() - 1.0_f64).abs() < 1e-12, "{x}");
        }
        // The asymptotic series (DLMF 8.11.2), by four terms.
        assert!(it.beyond(3000.0) == 0.0 && (it.ln_beyond(3000.0) + 2_988.274_631_560_678).abs() < 1e-8);
    }
}
