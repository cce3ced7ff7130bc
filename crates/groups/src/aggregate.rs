//! What is computed of numbers.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::time::Duration;

use trunkline_config::FunctionPlan;

/// A number. Whole ones stay exact: counters of 64 bits have more digits than a fraction could keep.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    pub fn real(self) -> f64 {
        match self {
            Number::Whole(number) => number as f64,
            Number::Real(number) => number,
        }
    }

    /// The nearest whole number.
    pub fn rounded(self) -> i128 {
        match self {
            Number::Whole(number) => number,
            Number::Real(number) => number.round() as i128,
        }
    }

    fn is_finite(self) -> bool {
        self.real().is_finite()
    }

    fn compare(&self, other: &Number) -> Ordering {
        match (*self, *other) {
            (Number::Whole(one), Number::Whole(other)) => one.cmp(&other),
            (one, other) => one.real().total_cmp(&other.real()),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Whole(number) => number.fmt(f),
            Number::Real(number) => number.fmt(f),
        }
    }
}

impl Sum for Number {
    fn sum<I: Iterator<Item = Number>>(numbers: I) -> Number {
        numbers.fold(Number::Whole(0), |sum, number| match (sum, number) {
            (Number::Whole(one), Number::Whole(other)) => Number::Whole(one.saturating_add(other)),
            (one, other) => Number::Real(one.real() + other.real()),
        })
    }
}

/// What is put into a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inputs {
    /// The numbers.
    pub numbers: Vec<Number>,
    /// How many there ought to be besides.
    pub missing: u32,
    /// When the oldest was read.
    pub oldest: Option<Duration>,
    /// Whether anything is known of the object, though a condition may leave all of it out.
    pub is_any_known: bool,
}

/// A result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// The value; `None`: there is nothing to compute it of.
    pub value: Option<Number>,
    /// Of how many numbers.
    pub counted: u32,
    /// How many are missing.
    pub missing: u32,
    /// When the oldest was read.
    pub oldest: Option<Duration>,
}

impl Inputs {
    pub fn add(&mut self, number: Number, at: Duration) {
        self.numbers.push(number);
        self.oldest = Some(self.oldest.map_or(at, |oldest| oldest.min(at)));
    }

    /// Carries out a function.
    pub fn outcome(mut self, function: FunctionPlan) -> Outcome {
        let counted = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let value = self.compute(function).filter(|value| value.is_finite());
        Outcome { value, counted, missing: self.missing, oldest: self.oldest }
    }

    fn compute(&mut self, function: FunctionPlan) -> Option<Number> {
        let numbers = &mut self.numbers;
        let sum = || numbers.iter().copied().sum::<Number>();
        match function {
            // How many there are of what is not known is not known either.
            FunctionPlan::Count if numbers.is_empty() && self.missing > 0 && !self.is_any_known => None,
            FunctionPlan::Count => Some(Number::Whole(numbers.len() as i128)),
            _ if numbers.is_empty() => None,
            FunctionPlan::Sum => Some(sum()),
            FunctionPlan::Mean => Some(Number::Real(sum().real() / numbers.len() as f64)),
            FunctionPlan::Minimum => numbers.iter().copied().min_by(Number::compare),
            FunctionPlan::Maximum => numbers.iter().copied().max_by(Number::compare),
            FunctionPlan::Quantile(part) => {
                numbers.sort_by(Number::compare);
                // The least number that this part of them does not exceed.
                let rank = (part * numbers.len() as f64).ceil() as usize;
                numbers.get(rank.clamp(1, numbers.len()) - 1).copied()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_those_of_their_names() {
        let inputs = |numbers: &[f64]| {
            let mut inputs = Inputs { missing: 2, ..Inputs::default() };
            for (at, number) in numbers.iter().enumerate() {
                inputs.add(Number::Real(*number), Duration::from_secs(9 - at as u64));
            }
            inputs
        };
        let of = |function| inputs(&[4.0, 1.0, 3.0, 2.0]).outcome(function).value.map(|number| number.real());
        assert_eq!(of(FunctionPlan::Sum), Some(10.0));
        assert_eq!(of(FunctionPlan::Mean), Some(2.5));
        assert_eq!(of(FunctionPlan::Minimum), Some(1.0));
        assert_eq!(of(FunctionPlan::Maximum), Some(4.0));
        assert_eq!(of(FunctionPlan::Count), Some(4.0));
        for (part, value) in [(0.0, 1.0), (0.25, 1.0), (0.5, 2.0), (0.51, 3.0), (0.95, 4.0), (1.0, 4.0)] {
            assert_eq!(of(FunctionPlan::Quantile(part)), Some(value), "{part}");
        }
        let Outcome { counted, missing, oldest, .. } = inputs(&[1.0, 2.0]).outcome(FunctionPlan::Sum);
        assert_eq!((counted, missing, oldest), (2, 2, Some(Duration::from_secs(8))));
        assert_eq!(inputs(&[]).outcome(FunctionPlan::Sum).value, None, "nothing is not 0");
        assert_eq!(inputs(&[]).outcome(FunctionPlan::Count).value, None, "nothing is known");
        let left_out = Inputs { is_any_known: true, ..inputs(&[]) };
        assert_eq!(left_out.outcome(FunctionPlan::Count).value, Some(Number::Whole(0)));
        assert_eq!(inputs(&[f64::MAX, f64::MAX]).outcome(FunctionPlan::Sum).value, None);
    }

    #[test]
    fn whole_numbers_keep_all_digits() {
        let numbers = [u64::MAX - 1, (1 << 53) + 1, 0].map(|number| Number::Whole(number.into()));
        let of = |function| {
            let mut inputs = Inputs::default();
            numbers.iter().for_each(|number| inputs.add(*number, Duration::ZERO));
            inputs.outcome(function).value.unwrap().to_string()
        };
        assert_eq!(of(FunctionPlan::Maximum), "18446744073709551614");
        assert_eq!(of(FunctionPlan::Quantile(0.5)), "9007199254740993");
        assert_eq!(of(FunctionPlan::Sum), "18455751272964292607");
        assert_eq!(Number::Real(2.5).rounded(), 3);
        assert_eq!(Number::Real(f64::MAX).rounded(), i128::MAX);
    }
}
