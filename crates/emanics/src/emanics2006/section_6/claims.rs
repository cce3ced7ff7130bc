//! The claims of section 6: C10 to C14 and C16 from what was measured, C15 from what is printed.

use trunkline_distributions::goodness::{Goodness, kolmogorov_smirnov};
use trunkline_distributions::summary::{Summary, fit, mean_and_sd, median};
use trunkline_distributions::{Continuous, Distribution, Family, Interval};
use trunkline_labkit::claims::{AS_LARGE, Claim, Now, Relation, Verdict};
use trunkline_labkit::estimate::{Estimate, LEAST_REPETITIONS};
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::picked::over;
use trunkline_labkit::report::text::three_digits;
use trunkline_labkit::trial::Trials;

use super::line::{LINES, Line};
use super::measured::{Ends, GROUPS, SATURATION, a_second, core_and_tail, delays, fitted, nearest, of};
use super::paper;
use super::sheets::{Column, DRAWN, chance, columns};

/// All of them.
pub(in super::super) fn claims(trials: &Trials) -> Vec<Claim> {
    let mut claims = Vec::new();
    for line in JUDGED.map(|at| LINES[at].to_string()) {
        claims.extend(of_line(trials, &line));
    }
    claims.extend(of_printed(trials));
    claims
}

/// What of a line is claimed.
fn of_line(trials: &Trials, line: &str) -> Vec<Claim> {
    let groups = of(trials, GROUPS, line);
    let ends = groups.first().zip(groups.last()).filter(|(least, most)| least.agents < most.agents);
    let growth = |statistic: Statistic| {
        let (least, most) = ends?;
        let of = |group: &GroupRecord| Estimate::of(&delays(&group.one), statistic);
        over(of(most).as_ref(), of(least).as_ref())
    };
    let claim = |number, table, text: &str, unit, relation| {
        Claim::new(format!("{line}: {text}"), unit, relation).numbered(number, table)
    };
    let alike = |what: &str, found: Option<Estimate>| {
        let text =
            format!("the {what} of one agent's delays is the same in the smallest and in the largest group");
        claim("C10", "table-6.1", &text, "x", Relation::Alike(AS_LARGE))
            .found(found.as_ref())
            .because(Verdict::Reversed, RESTS)
    };
    let rises = |what: &str, then: [f64; 10], found: Option<Estimate>| {
        let text = format!("the {what} of one agent's delays rises from the smallest to the largest group");
        let claim = claim("C10", "table-6.1", &text, "x", Relation::Above(1.0));
        let claim = claim.then(then[9] / then[0]).found(found.as_ref());
        claim.because(Verdict::Weaker, NOT_NEAR).because(Verdict::Reversed, NOT_NEAR)
    };
    let close = |number, table, text: &str, now: Option<Now>| {
        let text =
            format!("{text}: the greatest distance between both distribution functions (border of ours)");
        claim(number, table, &text, "", Relation::Below(CLOSE)).now(now)
    };
    let parts = core_and_tail(trials, line).map(|(.., parts)| parts);
    let parts = parts.as_ref();
    let core = parts.map(|it| distance_of(&[it.core_ks], it.below));
    // The paper does not say whether the tail is the delays above the quantile or what they exceed it by: both have to be close.
    let tail = parts.map(|it| distance_of(&[it.tail_ks, it.excess.1], it.above.len()));
    let means = nearest(trials, line).and_then(fitted);
    let means = means.map(|it| distance_of(&[kolmogorov_smirnov(&it.weibull, &it.sample)], it.sample.len()));
    let shape = power(&groups, |group| fitted(group).map(|it| it.weibull.shape));
    let mean = power(&groups, |group| {
        let all: Vec<f64> = group.some[0].iter().map(|&ns| ns as f64).collect();
        mean_and_sd(&all).map(|(mean, _)| mean)
    });
    vec![
        alike("median", growth(median)),
        alike("interquartile range", growth(|all| Summary::of(all).map(|it| it.iqr()).filter(|it| *it > 0.0))),
        rises("mean", paper::MEAN, growth(|all| mean_and_sd(all).map(|it| it.0))),
        rises("standard deviation", paper::STD, growth(|all| mean_and_sd(all).map(|it| it.1))),
        close("C11", "figure-6.3", "the lower 95 % of single delays are normal", core),
        close("C11", "figure-6.4", "the upper 5 % are Weibull, as they are and by their excess", tail)
            .because(Verdict::NotResolved, "the paper does not say which of the two it means, so both or neither have to be close; with few delays it stays open as well"),
        close("C12", "figure-6.6", "the mean delays of agents are Weibull", means),
        claim("C13", "table-6.2", "the shape falls as the group grows: the power of the size", "", Relation::Below(0.0))
            .then(power_of(paper::FITTED.map(|it| it.shape)))
            .found(shape.as_ref())
            .because(Verdict::NotResolved, "shapes of equal groups differ by a factor of 2 and more from run to run"),
        claim(
            "C14",
            "table-6.2",
            "1 - q is what the fitted distribution predicts: the mean distance, of groups with an error (border of ours)",
            "",
            Relation::Below(CLOSE),
        )
        .then(distance(&paper::ERROR_MEASURED.into_iter().zip(paper::ERROR_PREDICTED).collect::<Vec<_>>()))
        .now(predicted(trials, line))
        .because(Verdict::NotResolved, NOTHING_LATE),
        claim(
            "C16",
            "table-6.1",
            "delays are not uniform (do not stay the same) as the group grows: their mean rises with this power of the size",
            "",
            Relation::Above(0.0),
        )
        .then(power_of(paper::MEAN))
        .found(mean.as_ref())
        .because(Verdict::Weaker, NOT_NEAR)
        .because(Verdict::Reversed, NOT_NEAR),
    ]
}

/// Distances of so many delays from their fits: the interval is that of all of them, each with what so many independent values leave
/// open at 95 % (Dvoretzky, Kiefer, Wolfowitz); delays of one run leave more.
fn distance_of(distances: &[f64], samples: usize) -> Now {
    let open = DISTANCE / (samples.max(1) as f64).sqrt();
    let (low, high) =
        distances.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &it| (low.min(it), high.max(it)));
    Now::between(high, ((low - open).max(0.0), high + open), samples)
}

/// The power of the size by which a figure of the groups grows, with an interval by bootstrap over the groups: each was measured at
/// another time, so that what changes from run to run is in it. Too few sizes have none.
fn power(groups: &[&GroupRecord], figure: impl Fn(&GroupRecord) -> Option<f64>) -> Option<Estimate> {
    let point = |group: &&GroupRecord| {
        let figure = figure(group).filter(|it| *it > 0.0)?;
        Some((f64::from(group.agents).ln(), figure.ln()))
    };
    let points: Vec<(f64, f64)> = groups.iter().filter_map(point).collect();
    Estimate::of_repetitions(points.len(), |chosen| {
        let points: Vec<(f64, f64)> = chosen.iter().map(|&at| points[at]).collect();
        fit(&points).map(|line| line.slope).filter(|it| it.is_finite())
    })
}

/// The same of a printed table.
fn power_of(figures: [f64; 10]) -> Option<f64> {
    let points = paper::GROUPS.into_iter().zip(figures).map(|(size, it)| (f64::from(size).ln(), it.ln()));
    fit(&points.collect::<Vec<_>>()).map(|line| line.slope)
}

/// The mean distance of 1 - q from its prediction, in groups of all sizes and on the way to saturation of which some agents are
/// late and some not, or would be by the fit: of others everything foretells it.
fn predicted(trials: &Trials, line: &str) -> Option<Now> {
    let pair = |group: &&GroupRecord| {
        let period = group.period_ns as f64 / 1e6;
        Some((group.share_late(1)?, fitted(group)?.weibull.beyond(period)))
    };
    let groups = [GROUPS, SATURATION].map(|table| of(trials, table, line)).concat();
    let all: Vec<(f64, f64)> = groups.iter().filter_map(pair).collect();
    let is_open = |share: f64| (LEAST_SHARE..=1.0 - LEAST_SHARE).contains(&share);
    let some: Vec<(f64, f64)> =
        all.iter().copied().filter(|&(found, predicted)| is_open(found) || is_open(predicted)).collect();
    match some.is_empty() {
        // Enough were measured, and nothing was to be foretold.
        true => {
            Some(Now { value: distance(&all)?, interval: None, samples: all.len().max(LEAST_REPETITIONS) })
        }
        false => {
            let distances: Vec<f64> =
                some.iter().map(|(found, predicted)| (found - predicted).abs()).collect();
            Estimate::mean(&distances).as_ref().map(Now::from)
        }
    }
}

fn distance(pairs: &[(f64, f64)]) -> Option<f64> {
    let distances: Vec<f64> = pairs.iter().map(|(found, predicted)| (found - predicted).abs()).collect();
    mean_and_sd(&distances).map(|(mean, _)| mean)
}

/// What this run finds, in a part of a sentence.
pub(in super::super) fn today(trials: &Trials) -> Option<String> {
    let largest = |line: Line| {
        let name = line.to_string();
        let ends = Ends::of(trials, &name);
        let rate = ends.without.map(a_second)?;
        // Where nothing was late, the line goes on.
        let more = if ends.with.is_none() { "at least " } else { "" };
        Some(format!("{more}{} a second by {name} (limit: {})", three_digits(rate), ends.limit()))
    };
    let parts: Vec<String> = LINES.into_iter().filter_map(largest).collect();
    let last = parts.join(", ");
    (!parts.is_empty()).then(|| {
        format!(
            "the greatest rates without a late answer, among those tried for some seconds each, are {last}"
        )
    })
}

/// A statistic of delays.
type Statistic = fn(&[f64]) -> Option<f64>;
/// The lines that are judged: SNMPv2c and SNMPv3 over UDP, SNMPv3 over TLS, and JMX.
const JUDGED: [usize; 4] = [0, 1, 2, 7];
/// The greatest distance of what is close.
const CLOSE: f64 = 0.05;
/// The root of the number of values times the distance that one sample in twenty exceeds.
const DISTANCE: f64 = 1.36;
/// The least share of agents that is to be foretold.
const LEAST_SHARE: f64 = 0.001;
/// Why a prediction is not judged.
const NOTHING_LATE: &str = "there was nothing to predict: in no group, or in too few, some agents were late and others not, as counted or by the fit";
/// Why small groups wait longer.
const RESTS: &str = "clocks had a resolution of milliseconds then; today the processors sleep between the few requests of a small group, whose delays include the time to wake up";
/// Why delays hardly grow.
const NOT_NEAR: &str = "700 requests a second are far below the limit of a manager of today: see saturation";

/// C15: the 23 agents of Pras et al. are Weibull. Without figures if the sheet was not requested.
fn of_printed(trials: &Trials) -> Vec<Claim> {
    let is_asked = trials.trial.tables.iter().any(|table| table == "emanics2006/figure-6.7");
    let column = columns().into_iter().next().filter(|_| is_asked);
    let column = column.as_ref();
    let shape = column.map(|it| Now {
        value: it.fitted.shape,
        interval: Some(it.intervals.shape),
        samples: it.sample.len(),
    });
    let close = column.and_then(|it| {
        let chance = chance(Family::Weibull, &it.sample)?;
        Some(drawn(chance.ks.max(chance.ad.unwrap_or(0.0)), it.sample.len()))
    });
    vec![
        Claim::new("delays of 23 SNMP agents have a heavier tail than exponential ones: a shape", "", Relation::Below(1.0))
            .numbered("C15", "figure-6.7")
            .then(paper::SNMP_AGENTS.shape)
            .now(shape)
            .because(
                Verdict::DirectionHolds,
                "the same 23 delays, fitted again, have the printed shape; the interval is wide because the agents are so few",
            ),
        Claim::new("they closely fit a Weibull distribution: p", "", Relation::Above(0.05))
            .numbered("C15", "figure-6.7")
            .now(close)
            .because(
                Verdict::Reversed,
                "the longest of 23 delays is 87.7 ms, and their median 1.3 ms: the plot bends away from any line",
            ),
        Claim::new("lognormal delays would be less likely than Weibull ones: AIC, the difference", "", Relation::Above(0.0))
            .numbered("C15", "figure-6.7")
            .now(column.and_then(lognormal_behind))
            .because(Verdict::Reversed, "the criterion prefers the lognormal distribution for the same delays, and Pareto still more (families)"),
    ]
}

/// A share of [`DRAWN`] samples, with the interval that so many draws leave. The least is one in a thousand, which stands for that or less.
fn drawn(share: f64, samples: usize) -> Now {
    let least = 1.0 / (DRAWN as f64 + 1.0);
    let half = 1.96 * (share * (1.0 - share) * least).sqrt();
    let low = if share <= least { 0.0 } else { (share - half).max(0.0) };
    let high = if share <= least { least } else { share + half };
    Now { value: share, interval: Some(Interval { low, high }), samples }
}

/// By how much the criterion of the lognormal fit is greater.
fn lognormal_behind(column: &Column) -> Option<Now> {
    let of = |fitted: Distribution| Goodness::of(&fitted, &column.sample).aic;
    let lognormal = of(Family::Lognormal.fit(&column.sample).ok()?);
    Some(Now::exact(lognormal - of(Distribution::Weibull(column.fitted)), column.sample.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_labkit::sample::trial;

    fn verdicts(tables: &[&str]) -> Vec<Option<Verdict>> {
        let mut trial = trial("emanics2006");
        trial.tables = tables.iter().map(|&table| table.to_owned()).collect();
        of_printed(&Trials { trial, entries: vec![] }).iter().map(Claim::verdict).collect()
    }

    #[test]
    fn what_was_measured_is_judged_and_what_was_not_has_no_figure() {
        let trial = trial("emanics2006");
        let none = claims(&Trials { trial, entries: vec![] });
        assert!(none.iter().all(|claim| claim.verdict().is_none()));
        let numbers: Vec<&str> = none.iter().map(|claim| claim.number.0).collect();
        assert!(["C10", "C11", "C12", "C13", "C14", "C15", "C16"].iter().all(|it| numbers.contains(it)));
        // Delays of one distribution, scaled by the size.
        let trials = super::super::measured::tests::trials(&[70, 140, 700]);
        let found = claims(&trials);
        let of = |number: &str, words: &str| {
            found.iter().find(|it| it.number.0 == number && it.text.contains(words)).unwrap()
        };
        assert_eq!(of("C10", "the median").verdict(), Some(Verdict::Reversed));
        assert!(of("C10", "the mean").now.unwrap().value > 5.0);
        // 140 means of a Weibull distribution: what they are from it leaves open whether it is less than 0.05.
        assert_eq!(of("C12", "mean delays").verdict(), Some(Verdict::NotResolved));
        // Three sizes are too few for a trend.
        let shape = of("C13", "shape").now.unwrap();
        assert!(shape.value.abs() < 0.2 && shape.interval.is_none(), "{shape:?}");
        let predicted = of("C14", "predicts");
        assert_eq!(predicted.now.unwrap().value, 0.0);
        assert_eq!((predicted.verdict(), predicted.why()), (Some(Verdict::NotResolved), NOTHING_LATE));
        assert!((of("C16", "uniform").now.unwrap().value - 1.0).abs() < 0.05);
        assert!(of("C11", "normal").now.is_some() && of("C11", "Weibull").now.is_some());
    }

    /// A plain Weibull distribution has its mass below the threshold, and fits the excess: neither reading is the paper's alone.
    #[test]
    fn a_tail_is_reversed_only_if_it_is_far_in_both_readings() {
        let verdict = |distances: &[f64], samples| {
            let claim = Claim::new("x", "", Relation::Below(CLOSE)).now(distance_of(distances, samples));
            claim.verdict()
        };
        assert_eq!(verdict(&[0.3, 0.02], 100_000), Some(Verdict::NotResolved));
        assert_eq!(verdict(&[0.3, 0.2], 100_000), Some(Verdict::Reversed));
        assert_eq!(verdict(&[0.02, 0.03], 100_000), Some(Verdict::Holds));
        // 50 values say little, and very many do not make a small distance a large one.
        assert_eq!(verdict(&[0.02], 50), Some(Verdict::NotResolved));
        assert_eq!(verdict(&[0.02], 100_000_000), Some(Verdict::Holds));
    }

    /// Shapes that go up and down from size to size are no trend, whatever the ends are; ten on a line are one.
    #[test]
    fn a_trend_needs_more_than_its_ends() {
        let groups = |shape: &dyn Fn(usize) -> f64| {
            let of = |at: usize| GroupRecord {
                agents: 70 * (at as u32 + 1),
                elapsed_ns: (shape(at) * 1e6) as u64,
                ..GroupRecord::default()
            };
            let groups: Vec<GroupRecord> = (0..10).map(of).collect();
            let trend = power(&groups.iter().collect::<Vec<_>>(), |it| Some(it.elapsed_ns as f64));
            Claim::new("x", "", Relation::Below(0.0)).found(trend.as_ref()).verdict()
        };
        let noise = [4.77, 1.13, 6.83, 1.34, 5.36, 1.2, 6.1, 1.1, 4.9, 1.36];
        assert_eq!(groups(&|at| noise[at]), Some(Verdict::NotResolved));
        assert_eq!(groups(&|at| 20.0 / (at as f64 + 1.0).sqrt()), Some(Verdict::Holds));
    }

    #[test]
    fn the_shape_holds_and_the_fit_does_not() {
        let [shape, close, lognormal] = verdicts(&["emanics2006/figure-6.7"])[..] else { panic!() };
        assert!(matches!(shape, Some(Verdict::Holds | Verdict::DirectionHolds)), "{shape:?}");
        assert_eq!((close, lognormal), (Some(Verdict::Reversed), Some(Verdict::Reversed)));
        assert_eq!(verdicts(&["emanics2006/table-3.2"]), [None; 3]);
    }

    #[test]
    fn a_share_of_drawn_samples_is_as_well_known_as_there_are_draws() {
        let of = |share: f64| drawn(share, 23).interval.unwrap();
        assert_eq!((of(0.001).low, of(0.001).high), (0.0, 0.001));
        let near = of(0.044);
        assert!(near.low < 0.032 && near.high > 0.05, "{near:?}");
    }
}
