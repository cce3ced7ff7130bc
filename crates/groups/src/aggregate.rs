//! What is computed of numbers.

use std::time::Duration;

use trunkline_config::FunctionPlan;

/// What is put into a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inputs {
    /// The numbers.
    pub numbers: Vec<f64>,
    /// How many there ought to be besides.
    pub missing: u32,
    /// When the oldest was read.
    pub oldest: Option<Duration>,
}

/// A result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// The value; `None`: there is nothing to compute it of.
    pub value: Option<f64>,
    /// Of how many numbers.
    pub counted: u32,
    /// How many are missing.
    pub missing: u32,
    /// When the oldest was read.
    pub oldest: Option<Duration>,
}

impl Inputs {
    pub fn add(&mut self, number: f64, at: Duration) {
        self.numbers.push(number);
        self.oldest = Some(self.oldest.map_or(at, |oldest| oldest.min(at)));
    }

    /// Carries out a function.
    pub fn outcome(mut self, function: FunctionPlan) -> Outcome {
        let counted = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let value = self.compute(function).filter(|value| value.is_finite());
        Outcome { value, counted, missing: self.missing, oldest: self.oldest }
    }

    fn compute(&mut self, function: FunctionPlan) -> Option<f64> {
        let numbers = &mut self.numbers;
        let sum = || numbers.iter().sum::<f64>();
        match function {
            FunctionPlan::Count => Some(numbers.len() as f64),
            _ if numbers.is_empty() => None,
            FunctionPlan::Sum => Some(sum()),
            FunctionPlan::Mean => Some(sum() / numbers.len() as f64),
            FunctionPlan::Minimum => numbers.iter().copied().reduce(f64::min),
            FunctionPlan::Maximum => numbers.iter().copied().reduce(f64::max),
            FunctionPlan::Quantile(part) => {
                numbers.sort_by(f64::total_cmp);
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
                inputs.add(*number, Duration::from_secs(9 - at as u64));
            }
            inputs
        };
        let of = |function| inputs(&[4.0, 1.0, 3.0, 2.0]).outcome(function).value;
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
        assert_eq!(inputs(&[]).outcome(FunctionPlan::Count).value, Some(0.0));
        assert_eq!(inputs(&[f64::MAX, f64::MAX]).outcome(FunctionPlan::Sum).value, None);
    }
}
