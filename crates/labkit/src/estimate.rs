//! A figure with what the samples leave open: its value, and what it would have been in resampled runs. Figures that
//! are computed from others (differences, ratios, lines) carry their interval along.
//!
//! The interval is an expanded percentile bootstrap (Hesterberg 2015, "What Teachers Should Know About the Bootstrap",
//! section 5.2): for a few repetitions the plain percentiles are too narrow, since a resampled run varies less than a
//! new one would, and the normal distribution has thinner tails than Student's. [`tail`] is the share of the draws
//! that lies beyond each end. Two figures with the same number of repetitions are resampled together:
//! a draw takes the same repetitions of both, so that noise which a round shares cancels in their difference, as it
//! does in a paired test.
//!
//! ```
//! use trunkline_labkit::estimate::Estimate;
//!
//! let udp = Estimate::mean(&[1.0, 1.2, 1.1, 0.9, 1.0, 1.1]).unwrap();
//! let tls = Estimate::mean(&[2.1, 2.3, 2.2, 2.0, 2.1, 2.2]).unwrap();
//! let interval = (&tls - &udp).interval().unwrap();
//! assert!(interval.low > 1.0 && interval.high < 1.2);
//! ```

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};
use std::rc::Rc;

use crate::statistics::{Fit, Interval, RESAMPLES, fit, mean_and_sd, median, quantile, tail};

/// The least number of repetitions with an interval. The extremes of five samples hold the median with a
/// probability of 94 %, those of six with 97 %: below six no interval has a confidence of 95 %.
pub const LEAST_REPETITIONS: usize = 6;
/// A figure is noisy if half its interval is wider than this share of it.
pub const NOISY: f64 = 0.2;

/// A figure, its interval, and the number of repetitions behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    value: f64,
    spread: Spread,
    /// `None` if it was computed from constants.
    repetitions: Option<usize>,
}

/// What is known of the figure in other runs.
#[derive(Debug, Clone, PartialEq)]
enum Spread {
    /// It is a constant.
    None,
    /// Too few repetitions to tell.
    Unknown,
    /// Its value in each resampled run.
    Draws(Rc<[f64]>),
}

impl Estimate {
    /// A constant: what was computed, or counted and cannot vary.
    pub const fn exact(value: f64) -> Self {
        Estimate { value, spread: Spread::None, repetitions: None }
    }

    /// The mean of samples, one per repetition; `None` if there is none.
    pub fn mean(samples: &[f64]) -> Option<Self> {
        Self::of(samples, |all| mean_and_sd(all).map(|(mean, _)| mean))
    }

    /// The median of samples, one per repetition; `None` if there is none.
    pub fn median(samples: &[f64]) -> Option<Self> {
        Self::of(samples, median)
    }

    /// A statistic of samples, one per repetition; `None` if it has no value for them.
    pub fn of(samples: &[f64], statistic: impl Fn(&[f64]) -> Option<f64>) -> Option<Self> {
        Self::of_repetitions(samples.len(), |chosen| {
            let samples: Vec<f64> = chosen.iter().map(|&at| samples[at]).collect();
            statistic(&samples)
        })
    }

    /// A statistic of samples of which a repetition has several, which share its noise.
    pub fn of_groups(groups: &[Vec<f64>], statistic: impl Fn(&[f64]) -> Option<f64>) -> Option<Self> {
        Self::of_repetitions(groups.len(), |chosen| {
            let samples: Vec<f64> = chosen.iter().flat_map(|&at| &groups[at]).copied().collect();
            statistic(&samples)
        })
    }

    /// A statistic of so many repetitions: called with the places of all, then with those of each resampled run.
    pub fn of_repetitions(count: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<Self> {
        let all: Vec<usize> = (0..count).collect();
        let value = statistic(&all)?;
        let mut draws = Vec::new();
        if count >= LEAST_REPETITIONS {
            // Every figure with so many repetitions sees the same draws.
            let mut random = fastrand::Rng::with_seed(SEED ^ count as u64);
            let mut chosen = all;
            for _ in 0..RESAMPLES {
                chosen.iter_mut().for_each(|place| *place = random.usize(..count));
                draws.extend(statistic(&chosen));
            }
        }
        let spread = if draws.is_empty() { Spread::Unknown } else { Spread::Draws(draws.into()) };
        Some(Estimate { value, spread, repetitions: Some(count) })
    }

    /// A figure computed from others.
    pub fn combine(parts: &[&Estimate], figure: impl Fn(&[f64]) -> f64) -> Self {
        let at = |place: Option<usize>| -> f64 {
            let values: Vec<f64> = parts.iter().map(|part| part.draw(place)).collect();
            figure(&values)
        };
        let repetitions = parts.iter().filter_map(|part| part.repetitions).min();
        let sizes = parts.iter().filter_map(|part| match &part.spread {
            Spread::Draws(draws) => Some(draws.len()),
            Spread::None | Spread::Unknown => None,
        });
        let spread = match sizes.min() {
            _ if parts.iter().any(|part| part.spread == Spread::Unknown) => Spread::Unknown,
            None => Spread::None,
            Some(size) => Spread::Draws((0..size).map(|place| at(Some(place))).collect()),
        };
        Estimate { value: at(None), spread, repetitions }
    }

    /// The value, or that of a resampled run.
    fn draw(&self, place: Option<usize>) -> f64 {
        match (&self.spread, place) {
            (Spread::Draws(draws), Some(place)) => draws.get(place).copied().unwrap_or(self.value),
            _ => self.value,
        }
    }

    /// A function of this figure.
    #[must_use]
    pub fn map(&self, figure: impl Fn(f64) -> f64) -> Self {
        Self::combine(&[self], |values| figure(values[0]))
    }

    /// The figure of all samples.
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The number of repetitions behind it, the least of its parts; `None` for a constant.
    pub const fn repetitions(&self) -> Option<usize> {
        self.repetitions
    }

    /// The interval at level [`CONFIDENCE`](crate::statistics::CONFIDENCE); `None` for a constant, for fewer than
    /// [`LEAST_REPETITIONS`], and if it has no bound.
    pub fn interval(&self) -> Option<Interval> {
        let (Spread::Draws(draws), Some(repetitions)) = (&self.spread, self.repetitions) else { return None };
        let mut sorted: Vec<f64> = draws.to_vec();
        if sorted.iter().any(|it| it.is_nan()) {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        let tail = tail(repetitions);
        let (low, high) = (quantile(&sorted, tail)?, quantile(&sorted, 1.0 - tail)?);
        (low.is_finite() && high.is_finite()).then_some(Interval { low, high })
    }

    /// Whether its interval is wide: half of it more than [`NOISY`] of the figure.
    pub fn is_noisy(&self) -> bool {
        self.interval().is_some_and(|it| half_width(it, self.value) > NOISY)
    }

    /// On which side of a bound the figure lies; `None` if the samples leave that open: the interval holds the bound,
    /// or there are too few repetitions for one.
    pub fn against(&self, bound: f64) -> Option<Ordering> {
        match (&self.spread, self.interval()) {
            (Spread::None, _) => self.value.partial_cmp(&bound),
            (_, Some(Interval { low, .. })) if low > bound => Some(Ordering::Greater),
            (_, Some(Interval { high, .. })) if high < bound => Some(Ordering::Less),
            (_, Some(Interval { low, high })) if low == bound && high == bound => Some(Ordering::Equal),
            _ => None,
        }
    }
}

/// Half the interval as a share of the figure: 0.04 for 4 %. Infinite if the figure is 0 and the interval is not.
pub fn half_width(interval: Interval, value: f64) -> f64 {
    let half = (interval.high - interval.low) / 2.0;
    if half == 0.0 { 0.0 } else { half / value.abs() }
}

/// A line through points by least squares, with the intervals of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Where it meets the vertical axis.
    pub intercept: Estimate,
    /// Its slope.
    pub slope: Estimate,
    /// The share of the variance that it explains.
    pub r_squared: Estimate,
}

/// The line through points; `None` for fewer than two different x.
pub fn line(points: &[(f64, Estimate)]) -> Option<Line> {
    let parts: Vec<&Estimate> = points.iter().map(|(_, y)| y).collect();
    let found =
        |values: &[f64]| fit(&points.iter().zip(values).map(|((x, _), &y)| (*x, y)).collect::<Vec<_>>());
    found(&parts.iter().map(|it| it.value).collect::<Vec<_>>())?;
    let parameter =
        |which: fn(Fit) -> f64| Estimate::combine(&parts, |values| found(values).map_or(f64::NAN, which));
    Some(Line {
        intercept: parameter(|it| it.intercept),
        slope: parameter(|it| it.slope),
        r_squared: parameter(|it| it.r_squared),
    })
}

macro_rules! arithmetic {
    ($($operation:ident $method:ident $symbol:tt),*) => {$(
        impl $operation for &Estimate {
            type Output = Estimate;
            fn $method(self, other: &Estimate) -> Estimate {
                Estimate::combine(&[self, other], |values| values[0] $symbol values[1])
            }
        }

        impl $operation<f64> for &Estimate {
            type Output = Estimate;
            fn $method(self, other: f64) -> Estimate {
                self.map(|value| value $symbol other)
            }
        }
    )*};
}

arithmetic!(Add add +, Sub sub -, Mul mul *, Div div /);

/// The seed of all draws: figures with as many repetitions must see the same.
const SEED: u64 = 0x7472_756e_6b6c;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many of so many intervals hold the truth, in per cent.
    fn coverage(repetitions: usize, truth: f64, draw: impl Fn(&mut fastrand::Rng) -> f64) -> usize {
        let mut random = fastrand::Rng::with_seed(2);
        let holds = |_: &usize| {
            let samples: Vec<f64> = (0..repetitions).map(|_| draw(&mut random)).collect();
            Estimate::mean(&samples).unwrap().interval().unwrap().contains(truth)
        };
        (0..RUNS).filter(holds).count() * 100 / RUNS
    }

    const RUNS: usize = 400;

    /// The sum of twelve even draws is nearly normal.
    fn normal(random: &mut fastrand::Rng) -> f64 {
        (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
    }

    /// The plain percentiles hold the mean of six in 86 % of the runs, and that of ten in 90 %.
    #[test]
    fn an_interval_of_few_repetitions_holds_the_truth_as_often_as_it_says() {
        for repetitions in [LEAST_REPETITIONS, 10, 30] {
            let found = coverage(repetitions, 0.0, normal);
            assert!((92..=98).contains(&found), "{repetitions}: {found} %");
        }
    }

    /// Latencies have a long tail, of which few repetitions may have seen nothing.
    #[test]
    fn an_interval_of_skewed_samples_holds_the_truth_nearly_as_often() {
        for (repetitions, least) in [(LEAST_REPETITIONS, 85), (30, 90)] {
            let found = coverage(repetitions, 1.0, |random| -random.f64().max(1e-12).ln());
            assert!(found >= least, "{repetitions}: {found} %");
        }
    }

    /// Of six samples the extremes hold the median in 31 of 32 runs; nothing narrower does.
    #[test]
    fn the_interval_of_a_median_of_six_reaches_to_the_extremes() {
        let it = Estimate::median(&[5.0, 1.0, 4.0, 2.0, 9.0, 3.0]).unwrap().interval().unwrap();
        assert_eq!((it.low, it.high), (1.0, 9.0));
    }

    fn interval(estimate: &Estimate) -> (f64, f64) {
        let Interval { low, high } = estimate.interval().unwrap();
        (low, high)
    }

    #[test]
    fn few_repetitions_have_no_interval_and_resolve_nothing() {
        let few = Estimate::mean(&[1.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
        assert_eq!((few.value(), few.interval(), few.repetitions()), (1.0, None, Some(5)));
        assert_eq!(few.against(0.5), None);
        let many = Estimate::mean(&[3.0, 3.1, 2.9, 3.0, 3.1, 2.9]).unwrap();
        assert_eq!((&many - &few).interval(), None);
        assert_eq!((&many - &few).repetitions(), Some(5));
        assert_eq!(Estimate::mean(&[]), None);
    }

    #[test]
    fn constants_do_not_widen_and_are_compared_as_they_are() {
        let samples = Estimate::median(&[3.0, 3.1, 2.9, 3.0, 3.2, 2.8]).unwrap();
        let twice = &samples * &Estimate::exact(2.0);
        assert_eq!(interval(&twice), (2.0 * interval(&samples).0, 2.0 * interval(&samples).1));
        assert_eq!(twice.repetitions(), Some(6));
        let constant = &Estimate::exact(2.0) / &Estimate::exact(4.0);
        assert_eq!((constant.value(), constant.interval(), constant.repetitions()), (0.5, None, None));
        assert_eq!(constant.against(0.4), Some(Ordering::Greater));
    }

    #[test]
    fn noise_that_rounds_share_cancels_in_a_difference() {
        let noise = [5.0, 1.0, 9.0, 3.0, 7.0, 2.0, 8.0, 4.0];
        let slow: Vec<f64> = noise.iter().map(|it| it + 1.0).collect();
        let (fast, slow) = (Estimate::mean(&noise).unwrap(), Estimate::mean(&slow).unwrap());
        assert!(fast.against(5.0).is_none(), "the noise hides it");
        let (low, high) = interval(&(&slow - &fast));
        assert!((low - 1.0).abs() < 1e-9 && (high - 1.0).abs() < 1e-9, "{low} {high}");
        assert_eq!((&slow - &fast).against(0.0), Some(Ordering::Greater));
    }

    #[test]
    fn a_bound_within_the_interval_is_not_resolved() {
        let figure = Estimate::mean(&[0.9, 1.1, 1.0, 1.2, 0.8, 1.0, 1.1, 0.9]).unwrap();
        assert_eq!(figure.against(1.0), None);
        assert_eq!(figure.against(0.5), Some(Ordering::Greater));
        assert_eq!(figure.against(1.5), Some(Ordering::Less));
        assert!(!figure.is_noisy());
        assert!(Estimate::mean(&[0.1, 5.0, 0.2, 9.0, 0.1, 0.3]).unwrap().is_noisy());
    }

    #[test]
    fn a_line_carries_the_intervals_of_its_points() {
        let at = |y: f64| Estimate::mean(&[y - 0.1, y + 0.1, y, y + 0.05, y - 0.05, y]).unwrap();
        let points: Vec<(f64, Estimate)> = [1.0, 2.0, 5.0].map(|x| (x, at(3.0 + 0.5 * x))).into();
        let Line { intercept, slope, r_squared } = line(&points).unwrap();
        assert!((intercept.value() - 3.0).abs() < 1e-9 && (slope.value() - 0.5).abs() < 1e-9);
        assert!(r_squared.value() > 0.999);
        let (low, high) = interval(&intercept);
        assert!(low < 3.0 && 3.0 < high && high - low < 0.2, "{low} {high}");
        assert_eq!(line(&points[..1]), None);
    }

    #[test]
    fn a_ratio_by_what_may_be_zero_has_no_interval() {
        let zero = Estimate::mean(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
        let one = Estimate::mean(&[1.0; 6]).unwrap();
        assert_eq!((&one / &zero).interval(), None);
        assert_eq!((&one / &zero).value(), 6.0);
    }

    #[test]
    fn a_group_is_drawn_whole() {
        let grouped: Vec<Vec<f64>> = (0..10).map(|round| vec![f64::from(round); 10]).collect();
        let single: Vec<f64> = grouped.iter().flatten().copied().collect();
        let width = |estimate: Estimate| interval(&estimate).1 - interval(&estimate).0;
        let wide = width(Estimate::of_groups(&grouped, median).unwrap());
        assert!(wide > 2.0 * width(Estimate::median(&single).unwrap()), "{wide}");
    }

    #[test]
    fn the_interval_covers_the_true_mean_as_often_as_it_says() {
        let mut random = fastrand::Rng::with_seed(7);
        let covered = (0..300).filter(|_| {
            let samples: Vec<f64> = (0..40).map(|_| random.f64()).collect();
            let (low, high) = interval(&Estimate::mean(&samples).unwrap());
            low <= 0.5 && 0.5 <= high
        });
        let covered = covered.count();
        assert!((270..=297).contains(&covered), "{covered} of 300");
    }

    proptest! {
        #[test]
        fn the_median_is_within_its_interval(samples in prop::collection::vec(0.0..1e6f64, 6..40)) {
            let median = Estimate::median(&samples).unwrap();
            let (low, high) = interval(&median);
            prop_assert!(low <= median.value() && median.value() <= high);
            prop_assert_eq!(Estimate::median(&samples).unwrap(), median);
        }
    }
}
