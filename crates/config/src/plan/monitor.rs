//! What the agent monitors: `[[monitor]]`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_smi::Oid;

use super::expression::Expression;
use super::value::{self, Checked};
use crate::{Place, raw};

/// An expression that is evaluated again and again, and a limit; crossing it sends a notification.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorPlan {
    /// The name: 1 to 32 octets.
    pub name: String,
    /// What is watched.
    pub expression: Expression,
    /// How often: 100 ms at least.
    pub every: Duration,
    /// When the notification is sent.
    pub condition: Condition,
    /// The notification; `None`: the agent's own for monitors.
    pub notification: Option<Oid>,
    /// Instances that are sent with it, besides the notification's own objects.
    pub send: Vec<Oid>,
}

/// A limit with hysteresis: after it was crossed, nothing is sent until the value has come back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Sent when the value is greater than `limit`; ready again when it is `clear` or less.
    Above {
        /// The limit.
        limit: f64,
        /// Not greater than the limit.
        clear: f64,
    },
    /// Sent when the value is less than `limit`; ready again when it is `clear` or more.
    Below {
        /// The limit.
        limit: f64,
        /// Not less than the limit.
        clear: f64,
    },
}

pub(super) fn check_monitors(list: Vec<raw::Monitor>, place: Place<'_>) -> Checked<Vec<MonitorPlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_monitor(raw, &mut seen, place)))
}

fn check_monitor(raw: raw::Monitor, seen: &mut BTreeSet<String>, place: Place<'_>) -> Checked<MonitorPlan> {
    let name = value::name(&raw.name, 32, seen, place)?;
    let expression = Expression::parse(raw.expression.get_ref())
        .map_err(|error| place.wrong(place.within(&raw.expression, error.at), error.message))?;
    let every_span = raw.every.as_ref().map_or(0..0, |every| every.span());
    let every = value::time(raw.every, Duration::from_secs(10), place)?;
    if every < Duration::from_millis(100) {
        return Err(place.wrong(every_span, "expected 100ms or longer".into()));
    }
    let condition = check_condition(raw.above, raw.below, raw.clear, raw.name.span(), place)?;
    let oid = |text: Spanned<String>| value::oid(&text, place);
    Ok(MonitorPlan {
        name,
        expression,
        every,
        condition,
        notification: raw.notification.map(oid).transpose()?,
        send: raw.send.unwrap_or_default().into_iter().map(oid).collect::<Result<_, _>>()?,
    })
}

fn check_condition(
    above: Option<Spanned<f64>>,
    below: Option<Spanned<f64>>,
    clear: Option<Spanned<f64>>,
    owner: std::ops::Range<usize>,
    place: Place<'_>,
) -> Checked<Condition> {
    for number in [&above, &below, &clear].into_iter().flatten() {
        if !number.get_ref().is_finite() {
            return Err(place.wrong(number.span(), "expected a finite number".into()));
        }
    }
    let clear_span = clear.as_ref().map_or(0..0, |clear| clear.span());
    let clear = clear.map(Spanned::into_inner);
    let condition = match (above.map(Spanned::into_inner), below) {
        (None, None) => {
            return Err(place.wrong(owner, "expected a limit: above = or below = a number".into()));
        }
        (Some(_), Some(below)) => {
            let message = "expected either above or below; write a second [[monitor]] for the other".into();
            return Err(place.wrong(below.span(), message));
        }
        (Some(limit), None) => Condition::Above { limit, clear: clear.unwrap_or(limit) },
        (None, Some(limit)) => {
            let limit = limit.into_inner();
            Condition::Below { limit, clear: clear.unwrap_or(limit) }
        }
    };
    match condition {
        Condition::Above { limit, clear } if clear > limit => {
            Err(place.wrong(clear_span, format!("{clear} is above the limit, expected at most {limit}")))
        }
        Condition::Below { limit, clear } if clear < limit => {
            Err(place.wrong(clear_span, format!("{clear} is below the limit, expected at least {limit}")))
        }
        condition => Ok(condition),
    }
}
