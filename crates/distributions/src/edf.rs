//! The empirical distribution function: the share of all requests whose delay was at most x. What was not answered is in the
//! number of all, and later than everything.

use crate::sample::Sample;

/// An empirical distribution function.
#[derive(Debug, Clone, PartialEq)]
pub struct Edf {
    sorted: Vec<f64>,
    all: usize,
}

impl Edf {
    /// Of a sample; its censored values are later than every x.
    pub fn of(sample: &Sample) -> Self {
        Edf { sorted: sample.observed().to_vec(), all: sample.len() }
    }

    /// F(x): 0 below the least, and 1 from the greatest on if all were observed.
    pub fn at(&self, x: f64) -> f64 {
        self.sorted.partition_point(|&value| value <= x) as f64 / self.all as f64
    }

    /// 1 - F(x): the share that is later than x.
    pub fn beyond(&self, x: f64) -> f64 {
        let within = self.sorted.partition_point(|&value| value <= x);
        (self.all - within) as f64 / self.all as f64
    }

    /// The least x with F(x) >= p; `None` if it lies among what was not answered.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        let rank = (p.clamp(0.0, 1.0) * self.all as f64).ceil() as usize;
        self.sorted.get(rank.max(1) - 1).copied()
    }

    /// The corners of its steps, `(x, F(x))`, ascending: one for each different value.
    pub fn steps(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let last = self.sorted.len();
        let is_corner = move |at: usize| at + 1 == last || self.sorted[at + 1] > self.sorted[at];
        (0..last)
            .filter(move |&at| is_corner(at))
            .map(move |at| (self.sorted[at], (at + 1) as f64 / self.all as f64))
    }

    /// How many requests it is of, answered or not.
    pub const fn requests(&self) -> usize {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_is_0_below_the_least_and_1_from_the_greatest_on() {
        let edf = Edf::of(&Sample::complete(vec![4.0, 1.0, 2.0, 2.0]).unwrap());
        let expected =
            [(0.99, 0.0), (1.0, 0.25), (1.99, 0.25), (2.0, 0.75), (3.9, 0.75), (4.0, 1.0), (9.0, 1.0)];
        for (x, share) in expected {
            assert_eq!((edf.at(x), edf.beyond(x)), (share, 1.0 - share), "{x}");
        }
        assert_eq!(edf.steps().collect::<Vec<_>>(), [(1.0, 0.25), (2.0, 0.75), (4.0, 1.0)]);
        assert_eq!([0.0, 0.25, 0.26, 0.75, 1.0].map(|p| edf.quantile(p).unwrap()), [1.0, 1.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn an_unanswered_request_is_later_than_everything() {
        let edf = Edf::of(&Sample::censored_at(vec![1.0, 2.0, 3.0], vec![0.5]).unwrap());
        assert_eq!((edf.at(1e9), edf.beyond(1e9), edf.at(2.0)), (0.75, 0.25, 0.5));
        assert_eq!((edf.quantile(0.75), edf.quantile(0.76), edf.requests()), (Some(3.0), None, 4));
    }

    proptest! {
        #[test]
        fn it_rises_in_steps_of_one_nth(values in prop::collection::vec(0..50u32, 1..60), x in 0.0..60.0f64) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let edf = Edf::of(&Sample::complete(values.clone()).unwrap());
            let counted = values.iter().filter(|&&value| value <= x).count();
            prop_assert_eq!(edf.at(x), counted as f64 / values.len() as f64);
            prop_assert!((edf.at(x) + edf.beyond(x) - 1.0).abs() < 1e-12);
            let steps: Vec<(f64, f64)> = edf.steps().collect();
            prop_assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert_eq!(steps.last().unwrap().1, 1.0);
        }
    }
}
