//! Which share of the answers would be late in a group that was not measured, and how far that may be wrong.
//!
//! What makes delays long is how often the manager asks: the model has a Weibull distribution for each rate that was measured, and
//! lines through the logarithms of its parameters ([`Growth`]). A link that was not there adds a constant to each delay, and loses
//! exchanges. Where the model can be checked, by rounds and by groups that it has not seen, it is; the parameters of a forecast may be
//! as wrong as they were there.

use crate::family::{Continuous, FitError};
use crate::growth::{Foretold, Growth};
use crate::sample::Sample;
use crate::summary::Interval;
use crate::weibull::Weibull;
use crate::{Edf, goodness};

/// A group that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Requests in a second, to all of its agents.
    pub rate: f64,
    /// The delays.
    pub delays: Sample,
    /// Those of the first half of the rounds, and those of the second.
    pub halves: Option<[Sample; 2]>,
}

/// What is between manager and agents, and was not when the delays were measured.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Link {
    /// What it adds to each exchange, in the unit of the delays.
    pub delay: f64,
    /// The share of exchanges of which something is lost.
    pub lost: f64,
    /// How much later the transport has repeated what was lost; none if it does not.
    pub again: Option<f64>,
}

impl Link {
    /// The share later than D, of delays like these behind the link.
    fn beyond(&self, delays: &Weibull, tolerable: f64) -> f64 {
        let beyond = |x: f64| if x > 0.0 { delays.beyond(x) } else { 1.0 };
        let left = tolerable - self.delay;
        let again = self.again.map_or(1.0, |again| beyond(left - again));
        (1.0 - self.lost) * beyond(left) + self.lost * again
    }
}

/// Why there is no model, or no forecast.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ForecastError {
    /// Nothing was measured.
    #[error("nothing was measured")]
    Nothing,
    /// The delays of a group cannot be fitted.
    #[error("the delays at {rate} requests a second: {source}")]
    Fit {
        /// Its rate.
        rate: f64,
        /// Why.
        source: FitError,
    },
    /// One rate says nothing about greater ones.
    #[error(
        "{wanted} requests a second are more than the {measured} that were measured, and one rate says nothing about greater ones: \
         measure a group of another size too"
    )]
    OneRate {
        /// The rate that was measured.
        measured: f64,
        /// The rate of the forecast.
        wanted: f64,
    },
}

/// How the model was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The first half of the rounds of a group foretold the second.
    FirstHalf,
    /// The groups of other rates foretold this one.
    OtherRates,
}

/// A distribution that the model has foretold, and what it has not seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The rate.
    pub rate: f64,
    /// What it had seen.
    pub seen: Seen,
    foretold: Weibull,
    fitted: Weibull,
    unseen: Sample,
}

impl Check {
    /// Both shares later than D.
    pub fn at(&self, tolerable: f64) -> Foretold {
        Foretold {
            predicted: self.foretold.beyond(tolerable),
            found: Edf::of(&self.unseen).beyond(tolerable),
            distance: goodness::kolmogorov_smirnov(&self.foretold, &self.unseen),
        }
    }

    /// By which factors the parameters were wrong: scale and shape.
    fn factors(&self) -> [f64; 2] {
        [self.fitted.scale / self.foretold.scale, self.fitted.shape / self.foretold.shape]
    }
}

/// What was measured, and what follows from it.
#[derive(Debug, Clone)]
pub struct Model {
    groups: Vec<(f64, Weibull, Sample)>,
    growth: Option<Growth>,
    checks: Vec<Check>,
}

/// A forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The share of answers that is late.
    pub late: f64,
    /// Between which shares it is, if the model is as wrong as it was where it was checked.
    pub between: Interval,
    /// The distribution of the delays without the link.
    pub delays: Weibull,
    /// How many times the greatest rate that was measured.
    pub beyond_measured: f64,
}

impl Model {
    /// The model of these groups.
    ///
    /// # Errors
    /// There is none, or one cannot be fitted.
    pub fn fit(measured: &[Measured]) -> Result<Self, ForecastError> {
        let fitted = |group: &Measured| {
            let fitted = Weibull::fit(&group.delays);
            let of = |source| ForecastError::Fit { rate: group.rate, source };
            Ok((group.rate, fitted.map_err(of)?, group.delays.clone()))
        };
        let groups: Vec<(f64, Weibull, Sample)> = measured.iter().map(fitted).collect::<Result<_, _>>()?;
        if groups.is_empty() {
            return Err(ForecastError::Nothing);
        }
        let growth = lines(groups.iter());
        let halves = measured.iter().filter_map(|group| {
            let [first, second] = group.halves.as_ref()?;
            let (foretold, fitted) = (Weibull::fit(first).ok()?, Weibull::fit(second).ok()?);
            let (rate, seen) = (group.rate, Seen::FirstHalf);
            Some(Check { rate, seen, foretold, fitted, unseen: second.clone() })
        });
        let others = groups.iter().enumerate().filter_map(|(at, (rate, fitted, delays))| {
            let others = groups.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, group)| group);
            let foretold = lines(others)?.at(whole(*rate));
            let (rate, seen) = (*rate, Seen::OtherRates);
            Some(Check { rate, seen, foretold, fitted: *fitted, unseen: delays.clone() })
        });
        let checks = halves.chain(others).collect();
        Ok(Self { groups, growth, checks })
    }

    /// What the model was checked with.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// The rates that were measured, each with its distribution.
    pub fn rates(&self) -> impl Iterator<Item = (f64, Weibull)> + '_ {
        self.groups.iter().map(|(rate, fitted, _)| (*rate, *fitted))
    }

    /// The powers of the rate by which scale and shape grow; none of one rate.
    pub fn powers(&self) -> Option<(f64, f64)> {
        self.growth.as_ref().map(Growth::powers)
    }

    /// The share of answers later than D at this rate, behind this link.
    ///
    /// # Errors
    /// The rate is above the only one that was measured.
    pub fn forecast(&self, rate: f64, tolerable: f64, link: &Link) -> Result<Forecast, ForecastError> {
        let greatest = self.groups.iter().map(|(rate, ..)| *rate).fold(0.0, f64::max);
        let delays = match (&self.growth, self.groups.first()) {
            (Some(growth), _) => growth.at(whole(rate)),
            (None, Some((measured, fitted, _))) if rate <= measured * NEARLY => *fitted,
            (None, _) => return Err(ForecastError::OneRate { measured: greatest, wanted: rate }),
        };
        let late = link.beyond(&delays, tolerable);
        let (mut low, mut high) = (late, late);
        for [scale, shape] in self.checks.iter().map(Check::factors) {
            for power in [1.0, -1.0] {
                let wrong = Weibull {
                    scale: delays.scale * f64::powf(scale, power),
                    shape: delays.shape * f64::powf(shape, power),
                };
                let late = link.beyond(&wrong, tolerable);
                (low, high) = (low.min(late), high.max(late));
            }
        }
        // How far each group is from the distribution that was fitted to it, where that has the same share.
        let share = delays.beyond((tolerable - link.delay).max(0.0));
        let misfit = self
            .groups
            .iter()
            .map(|(_, fitted, delays)| (share - Edf::of(delays).beyond(fitted.quantile(1.0 - share))).abs());
        let misfit = misfit.fold(0.0, f64::max) * (1.0 - link.lost);
        // Of n answers none may be late although 3 / n are (at a confidence of 95 %).
        let least = self.groups.iter().map(|(.., delays)| 3.0 / delays.len() as f64).fold(1.0, f64::min);
        let between = Interval { low: (low - misfit).max(0.0), high: (high + misfit).max(least).min(1.0) };
        Ok(Forecast { late, between, delays, beyond_measured: rate / greatest })
    }
}

/// Lines through the parameters of groups of at least two rates.
fn lines<'g>(groups: impl Iterator<Item = &'g (f64, Weibull, Sample)>) -> Option<Growth> {
    let points: Vec<(u32, Weibull)> = groups.map(|(rate, fitted, _)| (whole(*rate), *fitted)).collect();
    Growth::fit(&points).ok()
}

/// A rate as the size of a group that is asked once in 1,000 s: slow ones differ too.
fn whole(rate: f64) -> u32 {
    (rate * 1000.0).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// So much more than the only rate that was measured is the same.
const NEARLY: f64 = 1.05;

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays whose scale grows with the root of the rate.
    fn truth(rate: f64) -> Weibull {
        Weibull { scale: 10.0 * (rate / 100.0).sqrt(), shape: 2.0 }
    }

    fn measured(rate: f64, count: usize) -> Measured {
        let mut random = fastrand::Rng::with_seed(rate as u64);
        let mut draw = |count: usize| -> Vec<f64> {
            (0..count).map(|_| truth(rate).quantile(random.f64().clamp(1e-9, 1.0 - 1e-9))).collect()
        };
        let halves = [draw(count / 2), draw(count / 2)];
        let delays = Sample::complete(halves.concat()).unwrap();
        Measured { rate, delays, halves: Some(halves.map(|half| Sample::complete(half).unwrap())) }
    }

    #[test]
    fn larger_groups_are_foretold_within_the_stated_error() {
        let model = Model::fit(&[100.0, 200.0, 400.0].map(|rate| measured(rate, 4_000))).unwrap();
        assert_eq!(model.checks().len(), 6);
        let (scale, shape) = model.powers().unwrap();
        assert!((scale - 0.5).abs() < 0.05 && shape.abs() < 0.05, "{scale} {shape}");
        for (rate, tolerable) in [(800.0, 30.0), (800.0, 50.0), (1600.0, 60.0), (50.0, 10.0)] {
            let found = model.forecast(rate, tolerable, &Link::default()).unwrap();
            let truth = truth(rate).beyond(tolerable);
            assert!(found.between.low <= truth && truth <= found.between.high, "{rate}: {truth} {found:?}");
            assert!((found.late - truth).abs() < 0.05, "{rate}: {truth} {found:?}");
            assert!(found.between.high - found.between.low < 0.35, "{found:?}");
        }
        let found = model.forecast(1600.0, 60.0, &Link::default()).unwrap();
        assert!((found.beyond_measured - 4.0).abs() < 1e-9);
        for check in model.checks() {
            let it = check.at(20.0);
            assert!((it.predicted - it.found).abs() < 0.06, "{check:?}: {it:?}");
        }
    }

    #[test]
    fn a_link_adds_its_delay_and_loses() {
        let model = Model::fit(&[measured(100.0, 4_000)]).unwrap();
        let late = |tolerable, link: &Link| model.forecast(100.0, tolerable, link).unwrap().late;
        let near = Link::default();
        let far = Link { delay: 20.0, ..near };
        assert_eq!(late(35.0, &far), late(15.0, &near));
        assert_eq!(late(19.0, &far), 1.0);
        let lossy = Link { delay: 0.0, lost: 0.1, again: None };
        assert!((late(1000.0, &lossy) - 0.1).abs() < 1e-12);
        let repeated = Link { again: Some(200.0), ..lossy };
        assert!(late(1000.0, &repeated) < 1e-12 && (late(150.0, &repeated) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_foretold_says_why() {
        assert_eq!(Model::fit(&[]).unwrap_err(), ForecastError::Nothing);
        let one = Model::fit(&[measured(100.0, 400)]).unwrap();
        assert!(one.powers().is_none() && one.forecast(50.0, 10.0, &Link::default()).is_ok());
        let error = one.forecast(200.0, 10.0, &Link::default()).unwrap_err();
        assert!(error.to_string().contains("measure a group of another size"), "{error}");
        let equal = Sample::complete(vec![1.0; 9]).unwrap();
        let error = Model::fit(&[Measured { rate: 7.0, delays: equal, halves: None }]).unwrap_err();
        assert!(matches!(error, ForecastError::Fit { rate: 7.0, .. }), "{error}");
        assert!(error.to_string().contains("7 requests a second"), "{error}");
    }

    /// None of 400 answers was late: fewer than 1 % are, and not none.
    #[test]
    fn what_was_never_seen_is_not_excluded() {
        let model = Model::fit(&[measured(100.0, 400)]).unwrap();
        let found = model.forecast(100.0, 1000.0, &Link::default()).unwrap();
        assert!(found.late < 1e-9 && found.between.low == 0.0);
        assert!((found.between.high - 3.0 / 400.0).abs() < 1e-9, "{found:?}");
    }
}
