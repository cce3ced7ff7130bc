//! What the laboratory needs of statistics: the summaries of the room `distributions`, and how far out the ends of its
//! intervals are. Intervals are in [`estimate`](crate::estimate).
//!
//! Analysis applies them to what [`trial`](crate::trial) reads back from disk, so that the same samples
//! always give the same figures.

pub use trunkline_distributions::summary::{Fit, Interval, Summary, fit, mean_and_sd, median, quantile};

/// The confidence level of the intervals that the lab prints.
pub const CONFIDENCE: f64 = 0.95;
/// The number of resamples of an interval: of six repetitions, five lie beyond each end.
pub const RESAMPLES: usize = 2000;

/// The share of resampled runs beyond each end of an interval at level [`CONFIDENCE`], by the number of repetitions.
/// For many it is 2.5 %. A resampled run of few varies less than a new one would, by `(n - 1) / n` of the variance, and
/// its mean has the tails of Student's distribution: both together are as far out as this share of a normal
/// distribution (Hesterberg 2015, section 5.2).
pub fn tail(repetitions: usize) -> f64 {
    let count = repetitions.max(2) as f64;
    normal_beyond((count / (count - 1.0)).sqrt() * student(count - 1.0))
}

/// The quantile of Student's distribution beyond which (1 - [`CONFIDENCE`]) / 2 lies: Cornish and Fisher's expansion
/// around the normal one, which from five degrees of freedom on is right to three digits.
fn student(freedom: f64) -> f64 {
    let z: f64 = NORMAL;
    let power = |exponent| z.powi(exponent);
    let terms = [
        (power(3) + z) / 4.0,
        (5.0 * power(5) + 16.0 * power(3) + 3.0 * z) / 96.0,
        (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * z) / 384.0,
        (79.0 * power(9) + 776.0 * power(7) + 1482.0 * power(5) - 1920.0 * power(3) - 945.0 * z) / 92_160.0,
    ];
    // Horner's rule in 1 / freedom.
    z + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / freedom)
}

/// The share of a normal distribution beyond so many standard deviations: by Simpson's rule from there to where
/// nothing is left.
fn normal_beyond(deviations: f64) -> f64 {
    let (steps, end) = (400_u32, 8.0);
    let step = (end - deviations) / f64::from(steps);
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let weighted = (0..=steps).map(|at| {
        let weight = match at {
            0 => 1.0,
            last if last == steps => 1.0,
            odd if odd % 2 == 1 => 4.0,
            _ => 2.0,
        };
        weight * density(deviations + step * f64::from(at))
    });
    weighted.sum::<f64>() * step / 3.0
}

/// The normal distribution's quantile at 97.5 %.
const NORMAL: f64 = 1.959_963_985;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tails_are_students() {
        // R: qt(0.975, c(5, 9, 29)); pnorm(-sqrt(n / (n - 1)) * qt(0.975, n - 1)) for n = 6, 10, 30 and 1000
        for (freedom, quantile) in [(5.0, 2.570_582), (9.0, 2.262_157), (29.0, 2.045_230)] {
            assert!((student(freedom) - quantile).abs() < 1e-3, "{freedom}: {}", student(freedom));
        }
        for (repetitions, share) in [(6, 0.002_432), (10, 0.008_555), (30, 0.018_754), (1000, 0.024_805)] {
            assert!((tail(repetitions) - share).abs() < 1e-4, "{repetitions}: {}", tail(repetitions));
        }
    }
}
