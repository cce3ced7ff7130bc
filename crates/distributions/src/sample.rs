//! A sample of delays, with those that are known only in part: a request whose answer never came, or that was given up, waited at
//! least so long. It is right-censored: dropping it would make every figure too good.

/// Delays in ascending order: those that were observed, and the bounds of those that are only known to be longer.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    observed: Vec<f64>,
    censored: Vec<f64>,
}

/// Why numbers are not a sample.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// There is no observed delay.
    #[error("there is no observed delay among {censored} requests: nothing can be estimated")]
    NoneObserved {
        /// The number of unanswered requests.
        censored: usize,
    },
    /// Not a number, or infinite.
    #[error("delay {place} is {found}: expected a finite number")]
    NotFinite {
        /// Which one, counted from 1.
        place: usize,
        /// What it is.
        found: f64,
    },
}

impl Sample {
    /// Delays of which all were observed, in any order.
    ///
    /// # Errors
    /// There is none, or one is not finite.
    pub fn complete(observed: Vec<f64>) -> Result<Self, SampleError> {
        Self::censored_at(observed, Vec::new())
    }

    /// The same with requests that were not answered, each by the time that it waited at least.
    ///
    /// # Errors
    /// None was observed, or one is not finite.
    pub fn censored_at(mut observed: Vec<f64>, mut censored: Vec<f64>) -> Result<Self, SampleError> {
        let all = observed.iter().chain(&censored);
        if let Some((index, &found)) = all.enumerate().find(|(_, it)| !it.is_finite()) {
            return Err(SampleError::NotFinite { place: index + 1, found });
        }
        if observed.is_empty() {
            return Err(SampleError::NoneObserved { censored: censored.len() });
        }
        observed.sort_by(f64::total_cmp);
        censored.sort_by(f64::total_cmp);
        Ok(Sample { observed, censored })
    }

    /// The observed delays, ascending; at least one.
    pub fn observed(&self) -> &[f64] {
        &self.observed
    }

    /// The bounds of the others, ascending.
    pub fn censored(&self) -> &[f64] {
        &self.censored
    }

    /// All values, the bounds among them.
    pub fn all(&self) -> impl Iterator<Item = f64> + '_ {
        self.observed.iter().chain(&self.censored).copied()
    }

    /// How many there are, the censored ones counted.
    #[allow(clippy::len_without_is_empty, reason = "a sample is never empty")]
    pub fn len(&self) -> usize {
        self.observed.len() + self.censored.len()
    }

    /// Whether all were observed.
    pub fn is_complete(&self) -> bool {
        self.censored.is_empty()
    }

    /// Those that were observed, as if there were no others.
    #[must_use]
    pub fn answered(&self) -> Sample {
        Sample { observed: self.observed.clone(), censored: Vec::new() }
    }

    /// The least value.
    pub fn least(&self) -> f64 {
        self.all().fold(f64::INFINITY, f64::min)
    }

    /// The same with another scale: a function that rises.
    pub(crate) fn mapped(&self, by: impl Fn(f64) -> f64) -> Sample {
        let map = |values: &[f64]| values.iter().map(|&value| by(value)).collect();
        Sample { observed: map(&self.observed), censored: map(&self.censored) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_sorted_and_finite() {
        let sample = Sample::censored_at(vec![3.0, 1.0], vec![9.0, 2.0]).unwrap();
        assert_eq!((sample.observed(), sample.censored()), (&[1.0, 3.0][..], &[2.0, 9.0][..]));
        assert_eq!((sample.len(), sample.is_complete(), sample.least()), (4, false, 1.0));
        let error = Sample::complete(vec![1.0, f64::INFINITY]).unwrap_err();
        assert_eq!(error, SampleError::NotFinite { place: 2, found: f64::INFINITY });
        assert!(error.to_string().starts_with("delay 2 is inf"));
        let error = Sample::censored_at(vec![], vec![1.0; 3]).unwrap_err();
        assert_eq!(error, SampleError::NoneObserved { censored: 3 });
        assert!(matches!(Sample::censored_at(vec![1.0], vec![f64::NAN]), Err(SampleError::NotFinite { .. })));
    }
}
