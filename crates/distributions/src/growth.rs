//! How the parameters of a Weibull distribution move with the size of the group, and what they would be in a larger one: a line
//! for each through the logarithms, ln a = A + B ln m and ln b = C + E ln m, by least squares.
//!
//! A queue that is near its limit does not grow by a power: the model is no better than its error on sizes that it has not
//! seen, which belongs beside each of its figures.

use crate::family::Continuous;
use crate::sample::Sample;
use crate::summary::{Fit, fit, mean_and_sd};
use crate::weibull::Weibull;
use crate::{Edf, FitError, goodness};

/// Both lines, and how far their points are from them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    scale: Fit,
    shape: Fit,
    /// The standard deviations of ln a and ln b around their lines; `None` of two sizes, which always lie on a line.
    pub around: Option<(f64, f64)>,
}

/// Too few sizes for lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a line needs two different sizes of groups above 0, found {found}")]
pub struct TooFewSizes {
    /// How many there are.
    pub found: usize,
}

impl Growth {
    /// Through the parameters of several sizes.
    ///
    /// # Errors
    /// There are fewer than two sizes.
    pub fn fit(groups: &[(u32, Weibull)]) -> Result<Self, TooFewSizes> {
        let groups: Vec<&(u32, Weibull)> = groups.iter().filter(|(size, _)| *size > 0).collect();
        let line = |of: fn(&Weibull) -> f64| {
            let points: Vec<(f64, f64)> =
                groups.iter().map(|(size, fitted)| (f64::from(*size).ln(), of(fitted).ln())).collect();
            fit(&points).map(|line| (line, deviation(&points, &line)))
        };
        let none = TooFewSizes { found: groups.len() };
        let (scale, of_scale) = line(|it| it.scale).ok_or(none)?;
        let (shape, of_shape) = line(|it| it.shape).ok_or(none)?;
        Ok(Growth { scale, shape, around: of_scale.zip(of_shape) })
    }

    /// The parameters for a size.
    pub fn at(&self, size: u32) -> Weibull {
        let ln_size = f64::from(size.max(1)).ln();
        let of = |line: &Fit| (line.intercept + line.slope * ln_size).exp();
        Weibull { scale: of(&self.scale), shape: of(&self.shape) }
    }

    /// The share later than D in a group of this size.
    pub fn error(&self, size: u32, tolerable: f64) -> f64 {
        self.at(size).beyond(tolerable)
    }

    /// The powers of the size by which scale and shape move.
    pub const fn powers(&self) -> (f64, f64) {
        (self.scale.slope, self.shape.slope)
    }
}

/// Of points around a line with two parameters.
fn deviation(points: &[(f64, f64)], line: &Fit) -> Option<f64> {
    let free = points.len().checked_sub(2).filter(|free| *free > 0)?;
    let squares: f64 = points.iter().map(|(x, y)| (y - line.intercept - line.slope * x).powi(2)).sum();
    Some((squares / free as f64).sqrt())
}

/// A prediction beside what was then found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foretold {
    /// The share later than D by the fitted distribution.
    pub predicted: f64,
    /// The share in what was held out.
    pub found: f64,
    /// The greatest distance between the fitted distribution and what was held out.
    pub distance: f64,
}

/// Fits one part of the rounds, and compares with the other, which the fit has not seen.
///
/// # Errors
/// The first part cannot be fitted.
pub fn held_out(seen: &Sample, unseen: &Sample, tolerable: f64) -> Result<Foretold, FitError> {
    let fitted = Weibull::fit(seen)?;
    Ok(Foretold {
        predicted: fitted.beyond(tolerable),
        found: Edf::of(unseen).beyond(tolerable),
        distance: goodness::kolmogorov_smirnov(&fitted, unseen),
    })
}

/// The mean distance between predictions and what was found; `None` of none.
pub fn mean_error(pairs: &[Foretold]) -> Option<f64> {
    let distances: Vec<f64> = pairs.iter().map(|it| (it.predicted - it.found).abs()).collect();
    mean_and_sd(&distances).map(|(mean, _)| mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weibull::tests::TABLE_6_2;

    #[test]
    fn powers_are_found_and_continued() {
        let truth = |size: u32| Weibull {
            scale: 0.01 * f64::from(size).powf(1.5),
            shape: 20.0 * f64::from(size).powf(-0.4),
        };
        let groups: Vec<(u32, Weibull)> = [70, 140, 210, 280].map(|size| (size, truth(size))).to_vec();
        let growth = Growth::fit(&groups).unwrap();
        let (scale, shape) = growth.powers();
        assert!((scale - 1.5).abs() < 1e-9 && (shape + 0.4).abs() < 1e-9);
        let (found, expected) = (growth.at(7000), truth(7000));
        assert!((found.scale / expected.scale - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.shape / expected.shape - 1.0).abs() < 1e-9, "{found:?}");
        assert!((growth.error(7000, 1000.0) - expected.beyond(1000.0)).abs() < 1e-9);
        assert!(growth.around.unwrap().0 < 1e-9);
        let one = Growth::fit(&groups[..1]).unwrap_err();
        assert_eq!(one, TooFewSizes { found: 1 });
        assert!(!one.to_string().is_empty() && Growth::fit(&groups[..2]).unwrap().around.is_none());
    }

    /// The deliverable's manager is past its limit from 350 agents on: powers through the smaller groups promise too much.
    #[test]
    fn the_small_groups_of_table_6_2_foretell_too_little_of_the_large_ones() {
        let sizes: Vec<(u32, Weibull)> = (1..).map(|at| at * 70).zip(TABLE_6_2).collect();
        let growth = Growth::fit(&sizes[..5]).unwrap();
        let foretold: Vec<Foretold> = sizes[5..]
            .iter()
            .map(|(size, fitted)| Foretold {
                predicted: growth.error(*size, 1000.0),
                found: fitted.beyond(1000.0),
                distance: 0.0,
            })
            .collect();
        let error = mean_error(&foretold).unwrap();
        // numpy and scipy: 0.362.
        assert!((error - 0.362).abs() < 0.002, "{error}: {foretold:?}");
        assert!(foretold.iter().all(|it| it.predicted < it.found), "{foretold:?}");
        assert_eq!(mean_error(&[]), None);
    }

    #[test]
    fn held_out_rounds_of_the_same_distribution_are_foretold_and_others_are_not() {
        let (truth, mut random) = (Weibull { scale: 800.0, shape: 2.0 }, fastrand::Rng::with_seed(8));
        let mut draw = |truth: &Weibull| {
            Sample::complete((0..2000).map(|_| truth.quantile(random.f64()).max(1e-9)).collect()).unwrap()
        };
        let (seen, unseen, other) =
            (draw(&truth), draw(&truth), draw(&Weibull { scale: 1600.0, shape: 2.0 }));
        let good = held_out(&seen, &unseen, 1000.0).unwrap();
        assert!((good.predicted - good.found).abs() < 0.03 && good.distance < 0.06, "{good:?}");
        let bad = held_out(&seen, &other, 1000.0).unwrap();
        assert!((bad.predicted - bad.found).abs() > 0.3 && bad.distance > 0.3, "{bad:?}");
        assert!(held_out(&Sample::complete(vec![1.0]).unwrap(), &unseen, 1.0).is_err());
    }
}
