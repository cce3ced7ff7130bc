//! What a paper claimed, and what this run finds: claims with a relation, the paper's figure and ours with its
//! interval. The verdict is computed from these, never written by hand.
//!
//! The effect of a claim is the distance of its figure from the border at which there would be no effect: a ratio's
//! border is 1, a share's 0. Ours is set beside the paper's:
//!
//! | our interval | verdict |
//! | --- | --- |
//! | reaches the border or lies on both sides of it, or there is none | not resolved |
//! | lies on the other side | reversed |
//! | has less than 1/1.5 of the paper's effect throughout | weaker |
//! | has more than 1.5 times the paper's effect throughout | stronger |
//! | has between 1/1.5 and 1.5 times the paper's effect throughout; or the paper gives no figure | holds |
//! | otherwise: the effect is there, the samples leave open whether it is as large | direction holds |
//!
//! Of two that a paper calls alike, the border is a factor in both directions; the paper's own ratio is then shown, and not compared.
//! Where the paper's figure includes what ours does not, only the direction is judged.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

use crate::estimate::{Estimate, LEAST_REPETITIONS};
use crate::report::figure::Figure;
use crate::report::text::three_digits;
use crate::statistics::Interval;

/// What a paper asked and found, what holds today, and its claims one by one.
#[derive(Debug, Clone, Default)]
pub struct ThenAndNow {
    /// `du2001/claims`.
    pub id: String,
    /// What the paper asked, a sentence.
    pub asked: String,
    /// What it found, a sentence.
    pub found: String,
    /// What this run finds, a sentence computed from its samples.
    pub today: String,
    /// Which middle of the samples the claims compare, a sentence; may be empty.
    pub basis: String,
    /// Its claims; of those without a figure of this run, only those with a number are shown, the others counted.
    pub claims: Vec<Claim>,
    /// Whether the statements are ours, and no paper's.
    pub is_ours: bool,
    /// A drawing of both years, with its caption.
    pub drawing: Option<(Figure, String)>,
}

/// A claim of a paper, with the paper's figure and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The claim in a few words.
    pub text: String,
    /// Its number among the claims of the text, and the table that measures it; empty: it has none.
    pub number: (&'static str, &'static str),
    /// The figure's unit: `x`, `%`, `octets`.
    pub unit: &'static str,
    /// What the claim says of the figure.
    pub relation: Relation,
    /// The paper's figure; `None` if it has a drawing or words only.
    pub then: Option<f64>,
    /// The figure of this run; `None` if it was not measured.
    pub now: Option<Now>,
    reasons: Vec<(Verdict, String)>,
    /// Why only the direction compares, if so.
    direction_only: Option<&'static str>,
}

/// What a claim says of its figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// It is above this border.
    Above(f64),
    /// It is below this border.
    Below(f64),
    /// It is between this border and one divided by it: a ratio of two that are alike.
    Alike(f64),
    /// Two lines cross, and the figure is where: the earlier, the stronger. Infinite: never.
    Crosses,
}

/// A figure of this run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    /// The figure; infinite for lines that never cross.
    pub value: f64,
    /// Its confidence interval, if there are enough samples for one.
    pub interval: Option<Interval>,
    /// The number of samples.
    pub samples: usize,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same effect, about as large.
    Holds,
    /// The same effect, smaller.
    Weaker,
    /// The same effect, larger.
    Stronger,
    /// The same effect; whether it is as large is open.
    DirectionHolds,
    /// The opposite.
    Reversed,
    /// The samples do not decide.
    NotResolved,
}

impl Now {
    /// A figure that does not vary: octets of a format, packets of an exchange.
    pub const fn exact(value: f64, samples: usize) -> Now {
        Now { value, interval: Some(Interval { low: value, high: value }), samples }
    }

    /// A lower bound: the figure is this or more.
    pub const fn at_least(value: f64, samples: usize) -> Now {
        Now { value, interval: Some(Interval { low: value, high: f64::INFINITY }), samples }
    }

    /// A figure that lies between two places that were measured, the only ones that were.
    pub const fn between(value: f64, (low, high): (f64, f64), samples: usize) -> Now {
        Now { value, interval: Some(Interval { low, high }), samples }
    }
}

/// `6.30 (5.90 to 6.80)`.
impl fmt::Display for Now {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&three_digits(self.value))?;
        match self.interval {
            Some(Interval { low, high }) if low == high => Ok(()),
            Some(Interval { low, high }) => {
                write!(f, " ({} to {})", three_digits(low), three_digits(high))
            }
            None => f.write_str(" (too few samples for an interval)"),
        }
    }
}

impl From<&Estimate> for Now {
    fn from(estimate: &Estimate) -> Now {
        match estimate.repetitions() {
            None => Now::exact(estimate.value(), 1),
            Some(samples) => Now { value: estimate.value(), interval: estimate.interval(), samples },
        }
    }
}

impl Claim {
    /// A claim without figures yet.
    pub fn new(text: impl Into<String>, unit: &'static str, relation: Relation) -> Claim {
        Claim {
            text: text.into(),
            number: ("", ""),
            unit,
            relation,
            then: None,
            now: None,
            reasons: vec![],
            direction_only: None,
        }
    }

    /// With its number, `C1`, and the table that measures it: such a claim is shown even if it was not measured.
    #[must_use]
    pub fn numbered(self, number: &'static str, table: &'static str) -> Claim {
        Claim { number: (number, table), ..self }
    }

    /// The claim with its number, if it has one.
    pub fn label(&self) -> String {
        match self.number {
            ("", _) => self.text.clone(),
            (number, _) => format!("{number}: {}", self.text),
        }
    }

    /// Of which only the direction compares, for this reason: the paper's figure includes what ours does not.
    #[must_use]
    pub fn direction_only(self, reason: &'static str) -> Claim {
        Claim { direction_only: Some(reason), ..self }
    }

    /// With the paper's figure.
    #[must_use]
    pub fn then(self, figure: impl Into<Option<f64>>) -> Claim {
        Claim { then: figure.into(), ..self }
    }

    /// With the figure of this run, if there is one.
    #[must_use]
    pub fn now(self, figure: impl Into<Option<Now>>) -> Claim {
        let now = figure.into().filter(|now| !now.value.is_nan());
        Claim { now, ..self }
    }

    /// With the figure of this run as it was estimated, if it was.
    #[must_use]
    pub fn found(self, estimate: Option<&Estimate>) -> Claim {
        self.now(estimate.map(Now::from))
    }

    /// With the reason, shown if this becomes the verdict.
    #[must_use]
    pub fn because(mut self, verdict: Verdict, reason: impl Into<String>) -> Claim {
        self.reasons.push((verdict, reason.into()));
        self
    }

    /// What became of it; `None` if it was not measured.
    pub fn verdict(&self) -> Option<Verdict> {
        let now = self.now?;
        let Some(interval) = now.interval else { return Some(Verdict::NotResolved) };
        let (one, other) = (self.effect(interval.low), self.effect(interval.high));
        let (least, most) = (one.min(other), one.max(other));
        let is_alike = matches!(self.relation, Relation::Alike(_));
        // The middle of what is alike is between the two ends.
        let most = if is_alike && interval.contains(1.0) { self.effect(1.0) } else { most };
        let paper = self.then.map(|then| self.effect(then)).filter(|effect| *effect > 0.0 && !is_alike);
        Some(match paper {
            _ if one.is_nan() || other.is_nan() => Verdict::NotResolved,
            _ if most < 0.0 || self.never(interval) => Verdict::Reversed,
            _ if least <= 0.0 => Verdict::NotResolved,
            Some(_) if self.direction_only.is_some() => Verdict::DirectionHolds,
            Some(paper) if most < paper / AS_LARGE => Verdict::Weaker,
            Some(paper) if least > paper * AS_LARGE => Verdict::Stronger,
            Some(paper) if least < paper / AS_LARGE || most > paper * AS_LARGE => Verdict::DirectionHolds,
            _ => Verdict::Holds,
        })
    }

    /// The reason for its verdict; empty if there is none.
    pub fn why(&self) -> &str {
        let verdict = self.verdict();
        let reason = self.reasons.iter().find(|(of, _)| Some(*of) == verdict);
        let own = || match (verdict, self.now) {
            (Some(Verdict::NotResolved), Some(Now { interval: None, samples, .. }))
                if samples < LEAST_REPETITIONS =>
            {
                TOO_FEW
            }
            (Some(Verdict::NotResolved), _) => OPEN,
            (Some(Verdict::DirectionHolds), _) => self.direction_only.unwrap_or(SIZE_OPEN),
            _ => "",
        };
        match own() {
            TOO_FEW => TOO_FEW,
            own => reason.map_or(own, |(_, reason)| reason),
        }
    }

    /// The distance from the border, positive on the claim's side.
    fn effect(&self, figure: f64) -> f64 {
        match self.relation {
            Relation::Above(border) => figure - border,
            Relation::Below(border) => border - figure,
            Relation::Alike(border) => border.ln() - figure.max(f64::MIN_POSITIVE).ln().abs(),
            Relation::Crosses => 1.0 / figure.max(f64::MIN_POSITIVE),
        }
    }

    fn never(&self, interval: Interval) -> bool {
        self.relation == Relation::Crosses && interval.low == f64::INFINITY
    }
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 6] = [
        Verdict::Holds,
        Verdict::DirectionHolds,
        Verdict::Weaker,
        Verdict::Stronger,
        Verdict::Reversed,
        Verdict::NotResolved,
    ];

    /// In a word or two.
    pub const fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DirectionHolds => "direction holds",
            Verdict::Weaker => "weaker",
            Verdict::Stronger => "stronger",
            Verdict::Reversed => "reversed",
            Verdict::NotResolved => "not resolved",
        }
    }
}

impl ThenAndNow {
    /// The claims that this run has a figure for, with their verdicts.
    pub fn judged(&self) -> impl Iterator<Item = (&Claim, Now, Verdict)> {
        self.claims.iter().filter_map(|claim| Some((claim, claim.now?, claim.verdict()?)))
    }

    /// The claims with a number that this run has no figure for.
    pub fn not_measured(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| !claim.number.0.is_empty() && claim.verdict().is_none())
    }

    /// How many other claims this run has no figure for.
    pub fn unmeasured(&self) -> usize {
        self.claims.len() - self.judged().count() - self.not_measured().count()
    }
}

/// With a capital and a full stop.
pub fn sentence(text: &str) -> String {
    let capital: String = text.chars().take(1).flat_map(char::to_uppercase).collect();
    let rest: String = text.chars().skip(1).collect();
    format!("{capital}{rest}.")
}

/// Fields of `report.json`: no number for `never`, which JSON cannot represent.
impl Serialize for ThenAndNow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Judged<'a>(&'a ThenAndNow);
        impl Serialize for Judged<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut list = serializer.serialize_seq(None)?;
                for (claim, now, verdict) in self.0.judged() {
                    list.serialize_element(&Line::of(claim, now, verdict))?;
                }
                list.end()
            }
        }
        struct Left<'a>(&'a ThenAndNow);
        impl Serialize for Left<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.not_measured().map(Claim::label))
            }
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        if self.is_ours {
            map.serialize_entry("ours", &true)?;
        }
        map.serialize_entry("asked", &self.asked)?;
        map.serialize_entry("found", &self.found)?;
        map.serialize_entry("today", &self.today)?;
        map.serialize_entry("claims", &Judged(self))?;
        if self.not_measured().next().is_some() {
            map.serialize_entry("not_measured", &Left(self))?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    number: &'a str,
    claim: &'a str,
    unit: &'a str,
    relation: &'static str,
    border: Option<f64>,
    /// `size`, or `direction` if the paper's figure includes what ours does not.
    compares: &'static str,
    then: Option<f64>,
    now: Option<f64>,
    interval: Option<[Option<f64>; 2]>,
    samples: usize,
    verdict: Verdict,
    why: &'a str,
}

impl Line<'_> {
    fn of(claim: &Claim, now: Now, verdict: Verdict) -> Line<'_> {
        let finite = |figure: f64| figure.is_finite().then_some(figure);
        let (relation, border) = match claim.relation {
            Relation::Above(border) => ("above", Some(border)),
            Relation::Below(border) => ("below", Some(border)),
            Relation::Alike(border) => ("alike", Some(border)),
            Relation::Crosses => ("crosses", None),
        };
        Line {
            relation,
            border,
            number: claim.number.0,
            claim: &claim.text,
            unit: claim.unit,
            compares: if claim.direction_only.is_some() { "direction" } else { "size" },
            then: claim.then,
            now: finite(now.value),
            interval: now.interval.map(|it| [finite(it.low), finite(it.high)]),
            samples: now.samples,
            verdict,
            why: claim.why(),
        }
    }
}

/// An effect within this factor of the paper's is as large as the paper's.
pub const AS_LARGE: f64 = 1.5;
/// The reason if there is no better one.
const OPEN: &str = "the samples are inconclusive";
/// The reason if only the direction is resolved.
const SIZE_OPEN: &str = "the samples leave open whether it is as large";
/// The reason if there is no interval for want of samples.
const TOO_FEW: &str = "fewer than six samples, so no interval";

#[cfg(test)]
mod tests {
    use super::*;

    fn now(low: f64, value: f64, high: f64) -> Now {
        Now { value, interval: Some(Interval { low, high }), samples: 10 }
    }

    fn verdict(relation: Relation, then: Option<f64>, low: f64, high: f64) -> Verdict {
        let claim = Claim::new("c", "x", relation).then(then).now(now(low, (low + high) / 2.0, high));
        claim.verdict().unwrap()
    }

    #[test]
    fn a_verdict_follows_from_relation_figures_and_interval() {
        let above = Relation::Above(1.0);
        for (low, high, expected) in [
            (1.4, 1.7, Verdict::Holds),
            (1.2, 1.5, Verdict::DirectionHolds),
            (1.7, 1.8, Verdict::DirectionHolds),
            (1.1, 1.3, Verdict::Weaker),
            (1.8, 2.2, Verdict::Stronger),
            (0.9, 2.2, Verdict::NotResolved),
            (1.0, 1.0, Verdict::NotResolved),
            (0.4, 0.9, Verdict::Reversed),
        ] {
            assert_eq!(verdict(above, Some(1.5), low, high), expected, "{low} to {high}");
        }
        // Below is the same, mirrored.
        for (low, high, expected) in [
            (0.45, 0.55, Verdict::Holds),
            (0.1, 0.2, Verdict::Stronger),
            (0.8, 0.9, Verdict::Weaker),
            (0.9, 1.1, Verdict::NotResolved),
            (1.1, 1.2, Verdict::Reversed),
        ] {
            assert_eq!(verdict(Relation::Below(1.0), Some(0.5), low, high), expected, "{low} to {high}");
        }
    }

    #[test]
    fn what_is_not_like_with_like_is_judged_by_its_direction() {
        let claim =
            Claim::new("c", "x", Relation::Above(1.0)).then(1.7).direction_only("theirs has more in it");
        let of = |low, high| {
            let claim = claim.clone().now(now(low, low, high));
            (claim.verdict().unwrap(), claim.why().to_owned())
        };
        assert_eq!(of(6.0, 7.0), (Verdict::DirectionHolds, "theirs has more in it".into()));
        assert_eq!(of(0.5, 0.7).0, Verdict::Reversed);
        assert_eq!(of(0.9, 1.1).0, Verdict::NotResolved);
    }

    #[test]
    fn two_are_alike_within_a_factor_in_both_directions() {
        for (low, high, expected) in [
            (0.8, 1.2, Verdict::Holds),
            (1.1, 1.3, Verdict::Holds),
            (0.6, 1.2, Verdict::NotResolved),
            (0.5, 2.5, Verdict::NotResolved),
            (1.4, 1.6, Verdict::NotResolved),
            (1.6, 1.7, Verdict::Reversed),
            (0.3, 0.6, Verdict::Reversed),
        ] {
            assert_eq!(verdict(Relation::Alike(1.5), Some(1.07), low, high), expected, "{low} to {high}");
        }
    }

    #[test]
    fn a_lower_bound_is_never_weaker() {
        let claim = Claim::new("c", "%", Relation::Above(0.0)).then(30.0);
        let of = |figure| claim.clone().now(Now::at_least(figure, 1)).verdict().unwrap();
        assert_eq!(
            [of(2.0), of(40.0), of(60.0)],
            [Verdict::DirectionHolds, Verdict::DirectionHolds, Verdict::Stronger]
        );
    }

    #[test]
    fn lines_that_never_cross_reverse_a_claim_that_they_do() {
        let never = f64::INFINITY;
        for (low, high, expected) in [
            (400.0, 600.0, Verdict::Holds),
            (300.0, 600.0, Verdict::DirectionHolds),
            (20.0, 30.0, Verdict::Stronger),
            (0.0, 0.0, Verdict::Stronger),
            (900.0, 1200.0, Verdict::Weaker),
            (400.0, never, Verdict::NotResolved),
            (never, never, Verdict::Reversed),
        ] {
            assert_eq!(verdict(Relation::Crosses, Some(500.0), low, high), expected, "{low} to {high}");
        }
    }

    #[test]
    fn a_claim_without_the_papers_figure_is_judged_by_its_border() {
        assert_eq!(verdict(Relation::Above(1.0), None, 40.0, 50.0), Verdict::Holds);
        assert_eq!(verdict(Relation::Above(1.0), None, 0.4, 0.5), Verdict::Reversed);
    }

    #[test]
    fn without_an_interval_there_is_no_verdict_and_without_a_figure_no_line() {
        let claim = Claim::new("c", "x", Relation::Above(1.0)).then(2.0);
        let without = claim.clone().now(Now { value: 2.0, interval: None, samples: 1 });
        assert_eq!((without.verdict(), without.why()), (Some(Verdict::NotResolved), TOO_FEW));
        let boundless = claim.clone().now(now(f64::NAN, 2.0, 3.0));
        assert_eq!(boundless.verdict(), Some(Verdict::NotResolved));
        assert_eq!(claim.verdict(), None);
        assert_eq!(claim.clone().now(Now::exact(f64::NAN, 1)).verdict(), None);
        let both = ThenAndNow { claims: vec![claim, without], ..ThenAndNow::default() };
        assert_eq!((both.judged().count(), both.unmeasured()), (1, 1));
    }

    #[test]
    fn a_constant_is_exact_and_few_repetitions_decide_nothing() {
        let claim = Claim::new("c", "x", Relation::Above(1.0)).then(2.0);
        let few = Estimate::mean(&[2.0, 2.1]);
        assert_eq!(claim.clone().found(few.as_ref()).verdict(), Some(Verdict::NotResolved));
        assert_eq!(claim.clone().found(Some(&Estimate::exact(2.0))).verdict(), Some(Verdict::Holds));
        let many = Estimate::mean(&[2.0, 2.1, 1.9, 2.0, 2.0, 2.1]);
        assert_eq!(claim.clone().found(many.as_ref()).verdict(), Some(Verdict::Holds));
        assert_eq!(claim.found(None).verdict(), None);
    }

    #[test]
    fn the_reason_is_the_verdicts() {
        let claim = Claim::new("c", "x", Relation::Above(1.0)).then(2.0);
        let claim = claim.because(Verdict::Holds, "as then").because(Verdict::Reversed, "no more");
        assert_eq!(claim.clone().now(Now::exact(2.0, 1)).why(), "as then");
        assert_eq!(claim.clone().now(Now::exact(0.5, 1)).why(), "no more");
        assert_eq!(claim.now(Now::exact(9.0, 1)).why(), "");
    }

    #[test]
    fn a_sentence_has_a_capital_and_an_end() {
        assert_eq!([sentence("a get; a walk"), sentence("")], ["A get; a walk.", "."]);
    }

    #[test]
    fn a_figure_is_written_with_its_interval() {
        assert_eq!(now(5.9, 6.3, 6.8).to_string(), "6.30 (5.90 to 6.80)");
        assert_eq!(Now::exact(32.0, 1).to_string(), "32.0");
        let few = Now { value: 2.0, interval: None, samples: 2 };
        assert_eq!(few.to_string(), "2.00 (too few samples for an interval)");
    }

    #[test]
    fn json_has_no_number_for_never() {
        let claim = Claim::new("they cross", "interactions", Relation::Crosses).then(500.0);
        let claims = vec![claim.now(now(95.0, f64::INFINITY, f64::INFINITY))];
        let both = ThenAndNow { id: "p/claims".into(), claims, ..ThenAndNow::default() };
        let json = serde_json::to_value(&both).unwrap();
        assert_eq!(
            json["claims"][0],
            serde_json::json!({
                "claim": "they cross", "unit": "interactions", "relation": "crosses", "border": null,
                "compares": "size", "then": 500.0, "now": null,
                "interval": [95.0, null], "samples": 10, "verdict": "not_resolved", "why": OPEN,
            })
        );
    }
}
