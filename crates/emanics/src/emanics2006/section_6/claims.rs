//! The claims of section 6.4, from what is printed.

use trunkline_distributions::goodness::Goodness;
use trunkline_distributions::{Distribution, Family};
use trunkline_labkit::claims::{Claim, Now, Relation, Verdict};
use trunkline_labkit::trial::Trials;

use super::paper;
use super::sheets::{Column, chance, columns};

/// C15: the 23 agents of Pras et al. are Weibull. Without figures if the sheet was not requested.
pub(in super::super) fn claims(trials: &Trials) -> Vec<Claim> {
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
        Some(Now::exact(chance.ks.max(chance.ad.unwrap_or(0.0)), it.sample.len()))
    });
    vec![
        Claim::new("delays of 23 SNMP agents have a heavier tail than exponential ones: a shape", "", Relation::Below(1.0))
            .numbered("C15", "figure-6.7")
            .then(paper::SNMP_AGENTS.shape)
            .now(shape),
        Claim::new("they fit closely a Weibull distribution: p", "", Relation::Above(0.05))
            .numbered("C15", "figure-6.7")
            .now(close)
            .because(
                Verdict::Reversed,
                "the longest of 23 delays is 87.7 ms, and half are below 1.3 ms: the plot bends away from any line",
            ),
        Claim::new("lognormal delays would be less likely than Weibull ones: AIC, the difference", "", Relation::Above(0.0))
            .numbered("C15", "figure-6.7")
            .now(column.and_then(lognormal_behind))
            .because(Verdict::Reversed, "the criterion prefers the lognormal distribution for the same delays"),
    ]
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
        claims(&Trials { trial, entries: vec![] }).iter().map(Claim::verdict).collect()
    }

    #[test]
    fn the_shape_holds_and_the_fit_does_not() {
        let [shape, close, lognormal] = verdicts(&["emanics2006/figure-6.7"])[..] else { panic!() };
        assert!(matches!(shape, Some(Verdict::Holds | Verdict::DirectionHolds)), "{shape:?}");
        assert_eq!((close, lognormal), (Some(Verdict::Reversed), Some(Verdict::Reversed)));
        assert_eq!(verdicts(&["emanics2006/table-3.2"]), [None; 3]);
    }
}
