//! Which distribution the delays have.

use trunkline_distributions::core_and_tail::CoreAndTail;
use trunkline_distributions::goodness::{Goodness, probabilities};
use trunkline_distributions::interval;
use trunkline_distributions::{Continuous, Distribution, Family, FitError, Interval, Sample};
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::report::text::three_digits;

use super::label;
use crate::group::{Group, NAME};

/// The families beside each other.
pub(super) fn families(groups: &[Group], seed: u64) -> Sheet {
    let heads = ["AIC", "AICc", "K-S", "p (K-S)", "A-D", "p (A-D)", "1 - F(D)"];
    let mut sheet = Sheet::new(
        &format!("{NAME}/distributions"),
        "families of distributions for single delays (ms)",
        &heads,
    );
    let drawn = drawn(groups);
    sheet.note = format!(
        "Maximum likelihood; requests without an answer are right-censored. AIC: less is better, a difference below 2 is none; AICc is it for small samples. K-S: the greatest distance \
         between both distribution functions; A-D weighs their tails. p: the probability of as large a value if the family were right, by {drawn} drawn samples that are fitted \
         again, and of independent delays: those of one run are not, so that a small p may come of that too, and of many values any p is small. Neither p nor A-D exists with censored delays, nor A-D of Pareto, whose least value is \
         that of the sample: its AIC is not comparable. 1 - F(D): what the fit says is later than D."
    );
    for group in groups {
        let Ok(sample) = group.delays() else { continue };
        for family in Family::ALL {
            let row = row(family, &sample, group.gathering.tolerable(), drawn, seed);
            let (what, ours) = match row {
                Ok((fitted, ours)) => (described(&fitted), ours),
                Err(error) => (format!("{family}: {error}"), [None; 7]),
            };
            sheet.row(label(groups, group, &what), &[], &ours, sample.len());
        }
    }
    sheet
}

type Figures = [Option<f64>; 7];

fn row(
    family: Family,
    sample: &Sample,
    tolerable: f64,
    drawn: usize,
    seed: u64,
) -> Result<(Distribution, Figures), FitError> {
    let fitted = family.fit(sample)?;
    let goodness = Goodness::of(&fitted, sample);
    let chance = probabilities(family, sample, drawn, seed)?;
    let ours = [
        Some(goodness.aic),
        goodness.aicc,
        Some(goodness.ks),
        chance.map(|it| it.ks),
        goodness.ad,
        chance.and_then(|it| it.ad),
        Some(fitted.beyond(tolerable)),
    ];
    Ok((fitted, ours))
}

/// `Weibull, scale 3.46, shape 0.624`.
pub(super) fn described(fitted: &Distribution) -> String {
    let parameters = fitted.parameters();
    let parameters: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name} {}", three_digits(*value))).collect();
    format!("{}, {}", fitted.family(), parameters.join(", "))
}

/// The families that can be compared, the likeliest first, each with its criterion: that for few values (AICc) where it exists. The
/// least value of Pareto's family is fitted, so that its likelihood has no maximum in the usual sense, and is not comparable.
pub(super) fn ranked(sample: &Sample) -> Vec<(Distribution, f64)> {
    let comparable = Family::ALL.iter().filter(|family| **family != Family::Pareto);
    let fits = comparable.filter_map(|family| family.fit(sample).ok());
    let mut with: Vec<(Distribution, f64)> =
        fits.filter_map(|fitted| Some((fitted, Goodness::of(&fitted, sample).aicc?))).collect();
    with.retain(|(_, criterion)| criterion.is_finite());
    with.sort_by(|one, other| one.1.total_cmp(&other.1));
    with
}

/// A sentence for each group.
pub(super) fn answer(groups: &[Group], seed: u64) -> Vec<String> {
    let of = |group: &Group| {
        let Ok(sample) = group.delays() else {
            return format!("{}: nothing was answered: there is no distribution.", group.name);
        };
        format!("{}: {}.", group.name, likeliest(group, &sample, drawn(groups), seed))
    };
    groups.iter().map(of).collect()
}

fn likeliest(group: &Group, sample: &Sample, drawn: usize, seed: u64) -> String {
    if group.is_unbounded() {
        let lost = group.counts.lost;
        return format!(
            "which distribution is likeliest is not known, since nothing says how long {lost} lost answers were waited for (--timeout)"
        );
    }
    if sample.observed().len() < FEW {
        return format!("{} values are too few to tell distributions apart ({FEW} are needed)", sample.len());
    }
    let ranked = ranked(sample);
    let Some((best, least)) = ranked.first() else { return "no distribution can be fitted".to_owned() };
    let near = ranked[1..].iter().filter(|(_, criterion)| criterion - least < 2.0);
    let near: Vec<String> = near.map(|(fitted, _)| fitted.family().to_string()).collect();
    let near =
        if near.is_empty() { String::new() } else { format!(", and nearly as likely {}", near.join(", ")) };
    let weibull = ranked.iter().find(|(fitted, _)| fitted.family() == Family::Weibull);
    let behind = weibull.map_or(0.0, |(_, criterion)| criterion - least);
    let behind = match behind {
        behind if behind < 2.0 => String::new(),
        behind => format!("; a Weibull distribution is behind by {} of AIC", three_digits(behind)),
    };
    let chance = probabilities(best.family(), sample, drawn, seed).ok().flatten();
    let p = chance.map(|it| it.ad.map_or(it.ks, |ad| ad.min(it.ks)));
    let close = match p {
        Some(p) if p < CLOSE => {
            format!("; it does not fit closely either (p {}, were the delays independent)", three_digits(p))
        }
        Some(_) => String::new(),
        None => "; with lost answers it is not tested how closely".to_owned(),
    };
    format!("of five families, the likeliest is {}{near}{behind}{close}", described(best))
}

/// The lower 95 % and the upper 5 %.
pub(super) fn core_and_tail(groups: &[Group], seed: u64) -> Option<Sheet> {
    let heads = [
        "threshold (ms)",
        "core: mean",
        "core: sd",
        "core: K-S",
        "tail: values",
        "tail: scale",
        "tail: shape",
        "tail: K-S",
        "excess: scale",
        "excess: shape",
        "excess: K-S",
    ];
    let mut sheet =
        Sheet::new(&format!("{NAME}/core-and-tail"), "a normal core and a Weibull tail (ms)", &heads);
    sheet.note = "The core: mean and standard deviation (divisor n) of all delays up to the 95 % quantile of the answered ones, as if there were no others. The tail: the most likely Weibull distribution \
                  of the delays above it, as they are, with those that were not answered; the excess: the same of what they exceed it by. D7.1 (figures 6.3, 6.4) does not say which of both it means. Intervals are of independent delays."
        .into();
    for group in groups {
        let Ok(sample) = group.delays() else { continue };
        let Ok(it) = CoreAndTail::fit(&sample, 0.95) else { continue };
        let (excess, excess_ks) = it.excess;
        let ours = [
            it.threshold,
            it.core.mean,
            it.core.sd,
            it.core_ks,
            it.above.len() as f64,
            it.tail.scale,
            it.tail.shape,
            it.tail_ks,
            excess.scale,
            excess.shape,
            excess_ks,
        ];
        sheet.row(group.name.clone(), &[], &ours.map(Some), sample.len());
        let intervals = interval::of(&it.above, seed).ok().map(|(_, intervals)| intervals);
        if let (Some(row), Some(its)) = (sheet.rows.last_mut(), intervals) {
            for (at, Interval { low, high }) in [(5, its.scale), (6, its.shape)] {
                row.interval[at] = Some([low, high]);
            }
        }
    }
    (!sheet.rows.is_empty()).then_some(sheet)
}

/// The least number of values of which the likeliest family is named.
const FEW: usize = 20;
/// Below this probability a fit is not close.
const CLOSE: f64 = 0.05;

/// Samples that are drawn for each probability: fewer for many large groups.
fn drawn(groups: &[Group]) -> usize {
    if groups.len() > 3 { 199 } else { 499 }
}
