//! Order statistics and moments of samples, and a line through points.

/// A summary of one set of samples, in the samples' own unit.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Summary {
    /// The number of samples, at least 1.
    pub count: usize,
    /// The minimum.
    pub min: f64,
    /// The first quartile, by [`quantile`].
    pub q1: f64,
    /// The median, by [`quantile`].
    pub median: f64,
    /// The third quartile, by [`quantile`].
    pub q3: f64,
    /// The 99th percentile, by [`quantile`]; with few samples it is near the maximum.
    pub p99: f64,
    /// The maximum.
    pub max: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation with divisor `count - 1`; 0 for a single sample.
    pub sd: f64,
}

/// A closed interval, `low <= high`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a figure lies in it, its ends included.
    pub fn contains(self, figure: f64) -> bool {
        self.low <= figure && figure <= self.high
    }
}

impl Summary {
    /// Summarizes samples; `None` if there is none. They must be finite.
    pub fn of(samples: &[f64]) -> Option<Summary> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let (mean, sd) = mean_and_sd(&sorted)?;
        Some(Summary {
            count: sorted.len(),
            min,
            q1: quantile(&sorted, 0.25)?,
            median: quantile(&sorted, 0.5)?,
            q3: quantile(&sorted, 0.75)?,
            p99: quantile(&sorted, 0.99)?,
            max,
            mean,
            sd,
        })
    }

    /// The interquartile range.
    pub fn iqr(&self) -> f64 {
        self.q3 - self.q1
    }
}

/// The quantile `p` (0 to 1) of ascending samples by linear interpolation between order statistics: Hyndman and
/// Fan's definition 7, where the quantile is at `(count - 1) * p` counted from 0. It is the default of R, NumPy
/// and spreadsheets.
///
/// `None` if there is no sample.
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = last as f64 * p.clamp(0.0, 1.0);
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let fraction = place - below as f64;
    Some(sorted[below] + fraction * (sorted[above] - sorted[below]))
}

/// Mean and standard deviation (divisor `count - 1`, 0 for one sample); `None` if there is no sample.
///
/// Two passes, to avoid cancellation with large, nearly equal samples (nanoseconds).
pub fn mean_and_sd(samples: &[f64]) -> Option<(f64, f64)> {
    if samples.is_empty() {
        return None;
    }
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let sd = if samples.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
    Some((mean, sd))
}

/// The median of samples in any order, by [`quantile`]; `None` if there is no sample.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut scratch = samples.to_vec();
    median_in_place(&mut scratch)
}

/// The median by selection rather than by sorting: the bootstrap computes thousands.
fn median_in_place(samples: &mut [f64]) -> Option<f64> {
    if samples.is_empty() {
        return None;
    }
    let middle = samples.len() / 2;
    let even = samples.len().is_multiple_of(2);
    let (below, &mut upper, _) = samples.select_nth_unstable_by(middle, f64::total_cmp);
    if !even {
        return Some(upper);
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(lower + 0.5 * (upper - lower))
}

/// A line through points by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Where it meets the vertical axis.
    pub intercept: f64,
    /// Its slope.
    pub slope: f64,
    /// The share of the variance that it explains.
    pub r_squared: f64,
}

/// The line through points; `None` for fewer than two different x.
pub fn fit(points: &[(f64, f64)]) -> Option<Fit> {
    let count = points.len() as f64;
    let (mean_x, mean_y) =
        points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if points.len() < 2 || spread <= 0.0 {
        return None;
    }
    let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let intercept = mean_y - slope * mean_x;
    let left: f64 = points.iter().map(|(x, y)| (y - intercept - slope * x).powi(2)).sum();
    let all: f64 = points.iter().map(|(_, y)| (y - mean_y).powi(2)).sum();
    let r_squared = if all > 0.0 { 1.0 - left / all } else { 1.0 };
    Some(Fit { intercept, slope, r_squared })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
    }

    #[test]
    fn known_answers() {
        // R: quantile(c(1, 2, 4, 8, 16, 32)), sd(...)
        let summary = Summary::of(&[16.0, 1.0, 8.0, 2.0, 32.0, 4.0]).unwrap();
        assert_eq!(summary.count, 6);
        close(summary.min, 1.0);
        close(summary.q1, 2.5);
        close(summary.median, 6.0);
        close(summary.q3, 14.0);
        close(summary.p99, 31.2);
        close(summary.max, 32.0);
        close(summary.mean, 10.5);
        close(summary.sd, 11.861703081766969);
        close(summary.iqr(), 11.5);
    }

    #[test]
    fn one_sample_is_its_own_summary() {
        let summary = Summary::of(&[7.0]).unwrap();
        assert_eq!((summary.min, summary.median, summary.p99, summary.sd), (7.0, 7.0, 7.0, 0.0));
    }

    #[test]
    fn no_sample_has_no_summary() {
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn large_near_equal_samples_keep_their_spread() {
        let (mean, sd) = mean_and_sd(&[1e15 + 1.0, 1e15 + 2.0, 1e15 + 3.0]).unwrap();
        close(mean, 1e15 + 2.0);
        close(sd, 1.0);
    }

    proptest! {
        #[test]
        fn summaries_are_ordered(samples in prop::collection::vec(0.0..1e9f64, 1..80)) {
            let summary = Summary::of(&samples).unwrap();
            prop_assert!(summary.min <= summary.q1 && summary.q1 <= summary.median);
            prop_assert!(summary.median <= summary.q3 && summary.q3 <= summary.p99 && summary.p99 <= summary.max);
            prop_assert!(summary.min <= summary.mean * (1.0 + 1e-12) && summary.mean <= summary.max * (1.0 + 1e-12));
        }

        #[test]
        fn order_does_not_matter(mut samples in prop::collection::vec(-1e6..1e6f64, 1..60)) {
            let before = median(&samples).unwrap();
            samples.reverse();
            prop_assert_eq!(median(&samples).unwrap(), before);
            samples.sort_by(f64::total_cmp);
            let by_sorting = quantile(&samples, 0.5).unwrap();
            prop_assert!((by_sorting - before).abs() <= 1e-9 * before.abs().max(1.0));
        }

        #[test]
        fn half_lies_on_each_side_of_the_median(samples in prop::collection::vec(0.0..1e6f64, 1..60)) {
            let middle = median(&samples).unwrap();
            let below = samples.iter().filter(|&&sample| sample < middle).count();
            let above = samples.iter().filter(|&&sample| sample > middle).count();
            prop_assert!(below * 2 <= samples.len() && above * 2 <= samples.len());
        }
    }
}
