//! Order statistics, moments and bootstrap intervals of samples: pure functions, no clock and no hidden randomness
//! (the generator's seed is an argument).
//!
//! Analysis applies them to what [`trial`](crate::kit::trial) reads back from disk, so that the same samples
//! always give the same figures.

/// The confidence level of the intervals that the lab prints.
pub const CONFIDENCE: f64 = 0.95;
/// The number of resamples of an interval.
pub const RESAMPLES: usize = 1000;

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
    /// Bootstrap confidence interval of the median at level [`CONFIDENCE`].
    pub median_interval: Interval,
}

/// A closed interval, `low <= high`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Summary {
    /// Summarizes samples that were taken in groups (the rounds of an experiment): the figures are those of all
    /// samples together, but the median's interval resamples whole groups, because samples of one round share
    /// their noise and resampling them one by one would make the interval too narrow.
    ///
    /// `None` if there is no sample. Samples must be finite.
    pub fn of_groups(groups: &[Vec<f64>], seed: u64) -> Option<Summary> {
        let mut sorted: Vec<f64> = groups.iter().flatten().copied().collect();
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
            median_interval: bootstrap_median(groups, CONFIDENCE, RESAMPLES, seed)?,
        })
    }

    /// Summarizes independent samples: each forms a group.
    pub fn of(samples: &[f64], seed: u64) -> Option<Summary> {
        let groups: Vec<Vec<f64>> = samples.iter().map(|&sample| vec![sample]).collect();
        Summary::of_groups(&groups, seed)
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

/// Percentile bootstrap of the median: groups are drawn with replacement, as many as there are, `resamples` times;
/// the interval contains the central `level` of the medians found. The same seed gives the same interval.
///
/// `None` if there is no sample or `resamples` is 0.
pub fn bootstrap_median(groups: &[Vec<f64>], level: f64, resamples: usize, seed: u64) -> Option<Interval> {
    let filled: Vec<&Vec<f64>> = groups.iter().filter(|group| !group.is_empty()).collect();
    if filled.is_empty() {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut drawn = Vec::new();
    let mut medians = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        drawn.clear();
        for _ in 0..filled.len() {
            drawn.extend_from_slice(filled[random.usize(..filled.len())]);
        }
        medians.push(median_in_place(&mut drawn)?);
    }
    medians.sort_by(f64::total_cmp);
    let tail = (1.0 - level.clamp(0.0, 1.0)) / 2.0;
    Some(Interval { low: quantile(&medians, tail)?, high: quantile(&medians, 1.0 - tail)? })
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
        let summary = Summary::of(&[16.0, 1.0, 8.0, 2.0, 32.0, 4.0], 1).unwrap();
        assert_eq!(summary.count, 6);
        close(summary.min, 1.0);
        close(summary.q1, 2.5);
        close(summary.median, 6.0);
        close(summary.q3, 14.0);
        close(summary.p99, 31.2);
        close(summary.max, 32.0);
        close(summary.mean, 10.5);
        close(summary.sd, 11.861703081766969);
    }

    #[test]
    fn one_sample_is_its_own_summary() {
        let summary = Summary::of(&[7.0], 1).unwrap();
        assert_eq!((summary.min, summary.median, summary.p99, summary.sd), (7.0, 7.0, 7.0, 0.0));
        assert_eq!(summary.median_interval, Interval { low: 7.0, high: 7.0 });
    }

    #[test]
    fn no_sample_has_no_summary() {
        assert_eq!(Summary::of(&[], 1), None);
        assert_eq!(Summary::of_groups(&[vec![], vec![]], 1), None);
        assert_eq!(bootstrap_median(&[vec![1.0]], 0.95, 0, 1), None);
    }

    #[test]
    fn large_near_equal_samples_keep_their_spread() {
        let (mean, sd) = mean_and_sd(&[1e15 + 1.0, 1e15 + 2.0, 1e15 + 3.0]).unwrap();
        close(mean, 1e15 + 2.0);
        close(sd, 1.0);
    }

    #[test]
    fn interval_covers_the_true_median_as_often_as_it_says() {
        // 400 sets of 60 uniform samples, true median 0.5. A percentile interval of 95 % covers a little less or
        // more than that; outside 90 to 99 % the code would be wrong. Seeds are fixed: the result is
        // deterministic.
        let mut random = fastrand::Rng::with_seed(42);
        let covered = (0..400)
            .filter(|&seed| {
                let groups: Vec<Vec<f64>> = (0..60).map(|_| vec![random.f64()]).collect();
                let interval = bootstrap_median(&groups, 0.95, 300, seed).unwrap();
                interval.low <= 0.5 && 0.5 <= interval.high
            })
            .count();
        assert!((360..=396).contains(&covered), "{covered} of 400");
    }

    #[test]
    fn groups_widen_the_interval_when_rounds_differ() {
        // Ten rounds of ten samples; the noise belongs to the round, not to the sample.
        let grouped: Vec<Vec<f64>> = (0..10).map(|round| vec![f64::from(round); 10]).collect();
        let single: Vec<Vec<f64>> = grouped.iter().flatten().map(|&sample| vec![sample]).collect();
        let wide = bootstrap_median(&grouped, 0.95, 500, 3).unwrap();
        let narrow = bootstrap_median(&single, 0.95, 500, 3).unwrap();
        assert!(wide.high - wide.low > narrow.high - narrow.low, "{wide:?} {narrow:?}");
    }

    #[test]
    fn a_line_is_found_again() {
        let points: Vec<(f64, f64)> = [1.0, 2.0, 5.0, 9.0].map(|x| (x, 3.0 + 0.5 * x)).into();
        let line = fit(&points).unwrap();
        assert!((line.intercept - 3.0).abs() < 1e-12 && (line.slope - 0.5).abs() < 1e-12);
        assert!((line.r_squared - 1.0).abs() < 1e-12);
        assert_eq!(fit(&points[..1]), None);
        assert_eq!(fit(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    proptest! {
        #[test]
        fn summaries_are_ordered_and_deterministic(samples in prop::collection::vec(0.0..1e9f64, 1..80), seed: u64) {
            let summary = Summary::of(&samples, seed).unwrap();
            prop_assert!(summary.min <= summary.q1 && summary.q1 <= summary.median);
            prop_assert!(summary.median <= summary.q3 && summary.q3 <= summary.p99 && summary.p99 <= summary.max);
            prop_assert!(summary.min <= summary.mean * (1.0 + 1e-12) && summary.mean <= summary.max * (1.0 + 1e-12));
            let interval = summary.median_interval;
            prop_assert!(summary.min <= interval.low && interval.low <= interval.high && interval.high <= summary.max);
            prop_assert_eq!(Summary::of(&samples, seed).unwrap(), summary);
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
