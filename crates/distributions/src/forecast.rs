//! Which share of the answers would be late in a group that was not measured, and how far that may be wrong.
//!
//! What makes delays long is how often the manager asks: the model has a Weibull distribution for each rate that was measured, and
//! lines through the logarithms of its parameters ([`Growth`]). It is of the answered requests; the share of the others stands
//! beside it. A link that was not there adds a constant to each delay, and loses exchanges. Where the model can be checked, by rounds and
//! by groups that it has not seen, it is; the forecast may be as wrong as it was there.

use crate::family::{Continuous, Family, FitError};
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
    /// How much later the transport has repeated what was lost; none if it does not. What is lost again is repeated after twice as
    /// long, and so on.
    // RFC 6298 section 5.5.
    pub again: Option<f64>,
}

impl Link {
    /// The share later than D, of delays like these behind the link.
    fn beyond(&self, delays: &Parts, tolerable: f64) -> f64 {
        let beyond = |x: f64| if x > 0.0 { delays.beyond(x) } else { 1.0 };
        let left = tolerable - self.delay;
        let sent = if self.again.is_some() { MOST_SENT } else { 1 };
        let of = |before: i32| {
            let waited = self.again.unwrap_or(0.0) * (f64::powi(2.0, before) - 1.0);
            self.lost.powi(before) * (1.0 - self.lost) * beyond(left - waited)
        };
        (0..sent).map(of).sum::<f64>() + self.lost.powi(sent)
    }
}

/// The delays of requests that are answered, and the share of those that are not: later than any D.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Parts {
    answered: Weibull,
    silent: f64,
}

impl Parts {
    fn fit(sample: &Sample) -> Result<Parts, FitError> {
        let answered = Weibull::fit(&sample.answered())?;
        Ok(Parts { answered, silent: sample.censored().len() as f64 / sample.len() as f64 })
    }

    fn beyond(&self, x: f64) -> f64 {
        self.silent + (1.0 - self.silent) * self.answered.beyond(x)
    }

    /// The delay beyond which such a share is.
    fn delay_of(&self, share: f64) -> f64 {
        let of_answered = (share - self.silent) / (1.0 - self.silent).max(f64::MIN_POSITIVE);
        let logarithm = of_answered.clamp(f64::MIN_POSITIVE, 1.0).ln();
        self.answered.scale * (-logarithm).powf(1.0 / self.answered.shape)
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
    foretold: Parts,
    fitted: Parts,
    unseen: Sample,
}

impl Check {
    /// Both shares later than D.
    pub fn at(&self, tolerable: f64) -> Foretold {
        Foretold {
            predicted: self.foretold.beyond(tolerable),
            found: Edf::of(&self.unseen).beyond(tolerable),
            distance: goodness::kolmogorov_smirnov(&self.foretold.answered, &self.unseen),
        }
    }

    /// The same at that delay of which the model foretold such a share: as wrong is a forecast of it.
    pub fn of_share(&self, share: f64) -> Foretold {
        self.at(self.foretold.delay_of(share))
    }

    /// By which factors the parameters were wrong: scale and shape.
    fn factors(&self) -> [f64; 2] {
        let (fitted, foretold) = (self.fitted.answered, self.foretold.answered);
        [fitted.scale / foretold.scale, fitted.shape / foretold.shape]
    }
}

/// What was measured, and what follows from it.
#[derive(Debug, Clone)]
pub struct Model {
    groups: Vec<(f64, Parts, Sample)>,
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
    /// The distribution of the delays without the link, of the answered requests.
    pub delays: Weibull,
    /// The share later without what the link loses: the checks are of as large a share.
    pub alone: f64,
    /// How many measured requests were later than D, the link's delay taken off, or not answered.
    pub seen_late: usize,
    /// Whether the scale fell as the rate rose, and is taken to fall no further.
    pub is_held: bool,
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
            let fitted = Parts::fit(&group.delays);
            let of = |source| ForecastError::Fit { rate: group.rate, source };
            Ok((group.rate, fitted.map_err(of)?, group.delays.clone()))
        };
        let groups: Vec<(f64, Parts, Sample)> = measured.iter().map(fitted).collect::<Result<_, _>>()?;
        if groups.is_empty() {
            return Err(ForecastError::Nothing);
        }
        let growth = lines(groups.iter());
        let halves = measured.iter().filter_map(|group| {
            let [first, second] = group.halves.as_ref()?;
            let (foretold, fitted) = (Parts::fit(first).ok()?, Parts::fit(second).ok()?);
            let (rate, seen) = (group.rate, Seen::FirstHalf);
            Some(Check { rate, seen, foretold, fitted, unseen: second.clone() })
        });
        let others = groups.iter().enumerate().filter_map(|(at, (rate, fitted, delays))| {
            let others =
                || groups.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, group)| group);
            let answered = continued(&lines(others())?, greatest(others()), *rate);
            let foretold = Parts { answered, silent: nearest(others(), *rate).map_or(0.0, |it| it.silent) };
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
        self.groups.iter().map(|(rate, fitted, _)| (*rate, fitted.answered))
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
        let greatest = greatest(self.groups.iter());
        // As the lines go, and as the forecast takes them.
        let [line, delays] = match (&self.growth, self.groups.first()) {
            (Some(growth), _) => [growth.at(whole(rate)), continued(growth, greatest, rate)],
            (None, Some((measured, fitted, _))) if rate <= measured * NEARLY => [fitted.answered; 2],
            (None, _) => return Err(ForecastError::OneRate { measured: greatest, wanted: rate }),
        };
        let silent = nearest(self.groups.iter(), rate).map_or(0.0, |it| it.silent);
        let parts = Parts { answered: delays, silent };
        let (late, left) = (link.beyond(&parts, tolerable), (tolerable - link.delay).max(0.0));
        let alone = parts.beyond(left);
        let (mut low, mut high) = (late, late);
        let mut widen = |late: f64| (low, high) = (low.min(late), high.max(late));
        for (_, Parts { silent, .. }, _) in &self.groups {
            widen(link.beyond(&Parts { silent: *silent, ..parts }, tolerable));
        }
        for answered in [line, delays] {
            widen(link.beyond(&Parts { answered, ..parts }, tolerable));
            for [scale, shape] in self.checks.iter().map(Check::factors) {
                for power in [1.0, -1.0] {
                    let scale = answered.scale * f64::powf(scale, power);
                    let shape = answered.shape * f64::powf(shape, power);
                    widen(link.beyond(&Parts { answered: Weibull { scale, shape }, ..parts }, tolerable));
                }
            }
        }
        // By as much as the checks missed, at the same delay and where they foretold the same share.
        let misses = self.checks.iter().flat_map(|check| [check.at(left), check.of_share(alone)]);
        misses.for_each(|it| widen(late + (it.found - it.predicted) * (1.0 - link.lost)));
        self.groups.iter().for_each(|group| widen(late + heavier(group, alone) * (1.0 - link.lost)));
        // How far each group is from the distribution that was fitted to it, where that has the same share.
        let misfit = self.groups.iter().map(|(_, fitted, delays)| {
            let delay = fitted.delay_of(alone);
            (fitted.beyond(delay) - Edf::of(delays).beyond(delay)).abs()
        });
        let misfit = misfit.fold(0.0, f64::max) * (1.0 - link.lost);
        // Of n answers none may be late although 3 / n are (at a confidence of 95 %).
        let least = self.groups.iter().map(|(.., delays)| 3.0 / delays.len() as f64).fold(1.0, f64::min);
        let between = Interval { low: (low - misfit).max(0.0), high: (high + misfit).max(least).min(1.0) };
        let seen_late = self.groups.iter().map(|(.., delays)| later(delays, left)).sum();
        let is_held = line.scale < delays.scale;
        Ok(Forecast { late, between, delays, alone, seen_late, is_held, beyond_measured: rate / greatest })
    }
}

/// How much larger a share would be if a group's delays were lognormal, of which hardly any were as late as that: then only the family
/// of the distribution says how many are, and a lognormal one has more.
fn heavier((_, fitted, delays): &(f64, Parts, Sample), share: f64) -> f64 {
    let delay = fitted.delay_of(share);
    if later(delays, delay) >= FEW_LATE {
        return 0.0;
    }
    let other = Family::Lognormal.fit(&delays.answered());
    other.map_or(0.0, |other| {
        ((1.0 - fitted.silent) * (other.beyond(delay) - fitted.answered.beyond(delay))).max(0.0)
    })
}

/// How many were later, or not answered.
fn later(delays: &Sample, delay: f64) -> usize {
    delays.len() - delays.observed().partition_point(|&it| it <= delay)
}

/// The distribution at a rate. Beyond the rates that were measured delays fall no further, and their tails become no lighter: what made
/// them fall, as requests that are gathered, ends somewhere, and a queue makes them rise.
fn continued(growth: &Growth, greatest: f64, rate: f64) -> Weibull {
    let line = growth.at(whole(rate));
    if rate <= greatest {
        return line;
    }
    let last = growth.at(whole(greatest));
    Weibull { scale: line.scale.max(last.scale), shape: line.shape.min(last.shape) }
}

fn greatest<'g>(groups: impl Iterator<Item = &'g (f64, Parts, Sample)>) -> f64 {
    groups.map(|(rate, ..)| *rate).fold(0.0, f64::max)
}

/// The delays at the rate that is nearest to this one.
fn nearest<'g>(groups: impl Iterator<Item = &'g (f64, Parts, Sample)>, rate: f64) -> Option<Parts> {
    let distance = |(its, ..): &&(f64, Parts, Sample)| (its / rate).ln().abs();
    groups.min_by(|one, other| distance(one).total_cmp(&distance(other))).map(|(_, fitted, _)| *fitted)
}

/// Lines through the parameters of groups of at least two rates.
fn lines<'g>(groups: impl Iterator<Item = &'g (f64, Parts, Sample)>) -> Option<Growth> {
    let points: Vec<(u32, Weibull)> =
        groups.map(|(rate, fitted, _)| (whole(*rate), fitted.answered)).collect();
    Growth::fit(&points).ok()
}

/// A rate as the size of a group that is asked once in 1,000 s: slow ones differ too.
fn whole(rate: f64) -> u32 {
    (rate * 1000.0).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// So much more than the only rate that was measured is the same.
const NEARLY: f64 = 1.05;
/// How often TCP sends a segment until it gives up (Linux: 15 repeats).
const MOST_SENT: i32 = 16;
/// So many late requests say how many are late, whatever their distribution.
pub const FEW_LATE: usize = 10;

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
        assert!((late(150.0, &repeated) - 0.1).abs() < 1e-9);
        // Lost twice: repeated after 200 and 400 more. Three times: 800 more.
        assert!((late(300.0, &repeated) - 0.01).abs() < 1e-9);
        assert!((late(1000.0, &repeated) - 0.001).abs() < 1e-9);
    }

    /// A twentieth of the agents never answers: so many are late, and all rates say it.
    #[test]
    fn silent_agents_are_late_at_every_rate() {
        let with_silent = |rate: f64| {
            let all = measured(rate, 1_900);
            let silent = |sample: &Sample, count: usize| {
                Sample::censored_at(sample.observed().to_vec(), vec![2_000.0; count]).unwrap()
            };
            let halves = all.halves.as_ref().map(|both| both.each_ref().map(|half| silent(half, 50)));
            Measured { delays: silent(&all.delays, 100), halves, rate }
        };
        let model = Model::fit(&[100.0, 200.0, 400.0].map(with_silent)).unwrap();
        let found = model.forecast(800.0, 1000.0, &Link::default()).unwrap();
        assert!((found.late - 0.05).abs() < 1e-6, "{found:?}");
        assert!(found.between.low > 0.04 && found.between.high < 0.08 && found.seen_late == 300, "{found:?}");
    }

    /// Delays that become shorter with the rate, as where requests are gathered.
    #[test]
    fn what_fell_is_not_taken_to_fall_for_ever() {
        let falling = |rate: f64| {
            let delays = Weibull { scale: 100.0 / rate, shape: 1.0 };
            let all = (0..400).map(|at| delays.quantile((f64::from(at) + 0.5) / 400.0)).collect();
            Measured { rate, delays: Sample::complete(all).unwrap(), halves: None }
        };
        let model = Model::fit(&[10.0, 20.0, 40.0].map(falling)).unwrap();
        let found = model.forecast(400.0, 10.0, &Link::default()).unwrap();
        assert!(found.is_held && (found.delays.scale / 2.5 - 1.0).abs() < 0.05, "{found:?}");
        // The checks extrapolated too, and missed by so much.
        let miss =
            model.checks().iter().map(|it| it.at(10.0)).map(|it| it.found - it.predicted).fold(0.0, f64::max);
        assert!(found.between.high >= found.late + miss, "{found:?}: {miss}");
        assert!(!model.forecast(40.0, 10.0, &Link::default()).unwrap().is_held);
    }

    /// The error of a forecast is that of forecasts of as large a share.
    #[test]
    fn checks_are_of_as_large_a_share() {
        let model = Model::fit(&[100.0, 200.0, 400.0].map(|rate| measured(rate, 4_000))).unwrap();
        for check in model.checks() {
            let it = check.of_share(0.36);
            assert!((it.predicted - 0.36).abs() < 1e-9 && it.found > 0.25 && it.found < 0.47, "{it:?}");
        }
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
        assert!(found.between.high >= 3.0 / 400.0 && found.between.high < 0.03, "{found:?}");
        assert_eq!(found.seen_late, 0);
        // Three times what the largest was: nothing was seen there, and another family of distributions has more.
        let many = measured(100.0, 40_000);
        let found =
            Model::fit(std::slice::from_ref(&many)).unwrap().forecast(100.0, 45.0, &Link::default()).unwrap();
        let other = Family::Lognormal.fit(&many.delays).unwrap().beyond(45.0);
        assert!(found.late < other / 10.0 && 3.0 / 40_000.0 < other, "{found:?} {other}");
        assert!(found.between.high >= other * 0.99, "{found:?} {other}");
    }
}
