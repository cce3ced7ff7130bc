//! The claims of section 6: C10 to C14 and C16 from what was measured, C15 from what is printed.

use trunkline_distributions::goodness::Goodness;
use trunkline_distributions::summary::{Summary, mean_and_sd, median};
use trunkline_distributions::{Continuous, Distribution, Family, Interval};
use trunkline_labkit::claims::{AS_LARGE, Claim, Now, Relation, Verdict};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::picked::over;
use trunkline_labkit::report::text::three_digits;
use trunkline_labkit::trial::Trials;

use super::line::{LINES, Line};
use super::measured::{
    Ends, Fitted, GROUPS, SATURATION, a_second, chance_of_core, chance_of_means, chance_of_tail,
    core_and_tail, delays, fitted, nearest, of,
};
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
        claim("C10", "table-6.1", &text, "x", Relation::Alike(AS_LARGE)).found(found.as_ref())
    };
    let rises = |what: &str, then: [f64; 10], found: Option<Estimate>| {
        let text = format!("the {what} of one agent's delays rises from the smallest to the largest group");
        let claim = claim("C10", "table-6.1", &text, "x", Relation::Above(1.0));
        claim.then(then[9] / then[0]).found(found.as_ref()).because(Verdict::Weaker, NOT_NEAR)
    };
    let close = |number, table, text: &str, chance: Option<f64>, samples: usize| {
        let claim = claim(number, table, text, "", Relation::Above(0.05));
        claim.now(chance.map(|p| Now::exact(p, samples)))
    };
    let parts = core_and_tail(trials, line);
    let core = parts.as_ref().and_then(|(_, sample, parts)| chance_of_core(sample, parts));
    let tail = parts.as_ref().and_then(|(.., parts)| chance_of_tail(parts));
    let below = parts.as_ref().map_or(0, |(.., parts)| parts.below);
    let above = parts.as_ref().map_or(0, |(.., parts)| parts.above.len());
    let middle = nearest(trials, line).and_then(fitted);
    let means = middle.as_ref().and_then(chance_of_means);
    vec![
        alike("median", growth(median)),
        alike("interquartile range", growth(|all| Summary::of(all).map(|it| it.iqr()).filter(|it| *it > 0.0))),
        rises("mean", paper::MEAN, growth(|all| mean_and_sd(all).map(|it| it.0))),
        rises("standard deviation", paper::STD, growth(|all| mean_and_sd(all).map(|it| it.1))),
        close("C11", "figure-6.3", "the lower 95 % of single delays are normal: p", core, below),
        close("C11", "figure-6.4", "the upper 5 % are Weibull: p", tail, above),
        close("C12", "figure-6.6", "the mean delays of agents are Weibull: p", means, middle.map_or(0, |it| it.sample.len())),
        claim("C13", "table-6.2", "the shape falls from the smallest to the largest group", "x", Relation::Below(1.0))
            .then(paper::FITTED[9].shape / paper::FITTED[0].shape)
            .now(ends.and_then(|(least, most)| shapes(&fitted(least)?, &fitted(most)?))),
        claim(
            "C14",
            "table-6.2",
            "1 - q is what the fitted distribution predicts: the mean distance over all sizes (border of ours)",
            "",
            Relation::Below(0.05),
        )
        .then(distance(paper::ERROR_MEASURED.into_iter().zip(paper::ERROR_PREDICTED)))
        .now(predicted(trials, line))
        .because(Verdict::Stronger, "of groups without an error it is easily foretold: what counts are those near saturation"),
        claim(
            "C16",
            "table-6.1",
            "delays are not uniform: the share within a standard deviation of the mean, which is 57.7 % of a uniform distribution",
            "%",
            Relation::Above(57.7),
        )
        .now(ends.and_then(|(_, most)| within(most))),
    ]
}

/// Shape over shape; the interval is that of the extremes of both.
fn shapes(least: &Fitted, most: &Fitted) -> Option<Now> {
    let (one, other) = (least.intervals.shape, most.intervals.shape);
    let interval = Interval { low: other.low / one.high, high: other.high / one.low };
    let samples = least.sample.len().min(most.sample.len());
    let value = most.weibull.shape / least.weibull.shape;
    value.is_finite().then_some(Now { value, interval: Some(interval), samples })
}

/// The mean distance of 1 - q from its prediction, in all groups and on the way to saturation.
fn predicted(trials: &Trials, line: &str) -> Option<Now> {
    let pair = |group: &&GroupRecord| {
        let period = group.period_ns as f64 / 1e6;
        Some((group.share_late(1)?, fitted(group)?.weibull.beyond(period)))
    };
    let groups = [GROUPS, SATURATION].map(|table| of(trials, table, line)).concat();
    let pairs: Vec<(f64, f64)> = groups.iter().filter_map(pair).collect();
    let count = pairs.len();
    distance(pairs.into_iter()).map(|mean| Now::exact(mean, count))
}

fn distance(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let distances: Vec<f64> = pairs.map(|(found, predicted)| (found - predicted).abs()).collect();
    mean_and_sd(&distances).map(|(mean, _)| mean)
}

/// Which share of a group's delays is within a standard deviation of their mean, per cent.
fn within(group: &GroupRecord) -> Option<Now> {
    let all: Vec<f64> = group.some[0].iter().map(|&ns| ns as f64).collect();
    let (mean, sd) = mean_and_sd(&all)?;
    let count = all.iter().filter(|it| (**it - mean).abs() <= sd).count();
    Some(Now::exact(100.0 * count as f64 / all.len() as f64, all.len()))
}

/// What this run finds, in a part of a sentence.
pub(in super::super) fn today(trials: &Trials) -> Option<String> {
    let largest = |line: Line| {
        let name = line.to_string();
        let ends = Ends::of(trials, &name);
        let rate = ends.without.map(a_second)?;
        Some(format!("{} a second by {name} (limit: {})", three_digits(rate), ends.limit()))
    };
    let parts: Vec<String> = LINES.into_iter().filter_map(largest).collect();
    let last = parts.join(", ");
    (!parts.is_empty())
        .then(|| format!("the most requests of which none is later than its period are {last}"))
}

/// A statistic of delays.
type Statistic = fn(&[f64]) -> Option<f64>;
/// The lines that are judged: SNMPv2c over UDP, SNMPv3 over TLS, and JMX.
const JUDGED: [usize; 3] = [0, 2, 7];
/// Why delays hardly grow.
const NOT_NEAR: &str = "700 requests a second are far from the limit of a manager of today: see saturation";

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
                "the same 23 delays, fitted again, have the printed shape; the interval is that of so few agents",
            ),
        Claim::new("they fit closely a Weibull distribution: p", "", Relation::Above(0.05))
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
        assert_eq!(of("C12", "mean delays").verdict(), Some(Verdict::Holds));
        let shape = of("C13", "shape").now.unwrap();
        assert!((shape.value - 1.0).abs() < 0.4, "{shape:?}");
        assert_eq!(of("C14", "predicts").now.unwrap().value, 0.0);
        assert!(of("C16", "uniform").now.unwrap().value > 60.0);
        assert!(of("C11", "normal").now.is_some() && of("C11", "Weibull").now.is_some());
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
