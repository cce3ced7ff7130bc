//! A `[[monitor]]` at work: from samples to crossings of its limit. It has neither a clock nor the tree:
//! `watcher` supplies both.

use std::collections::BTreeMap;
use std::time::Instant;

use trunkline_smi::module::trunkline_mib as mib;
use trunkline_smi::{Oid, Value};

use trunkline_config::{Condition, MonitorPlan, Sample, SampleOf};
use trunkline_tree::Event;

/// One monitor and its state.
#[derive(Debug)]
pub struct Monitor {
    plan: MonitorPlan,
    last: BTreeMap<Oid, (Instant, Value)>,
    /// Whether the limit has been crossed and the value has not returned since.
    crossed: bool,
}

/// What crossed a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The expression's value.
    pub value: f64,
    /// The limit.
    pub limit: f64,
    /// Upwards.
    pub rising: bool,
}

impl Monitor {
    /// A monitor without samples: the first value may already be beyond the limit and is then reported.
    pub fn new(plan: MonitorPlan) -> Self {
        Monitor { plan, last: BTreeMap::new(), crossed: false }
    }

    /// Its configuration.
    pub fn plan(&self) -> &MonitorPlan {
        &self.plan
    }

    /// Processes the values of one moment, by instance. An instance without a value does not exist; then nothing
    /// is known, and nothing changes.
    pub fn sampled(&mut self, at: Instant, values: &BTreeMap<Oid, Value>) -> Option<Crossing> {
        let value = self.plan.expression.evaluate(&|sample| self.sample(sample, at, values));
        for name in self.plan.expression.objects() {
            match values.get(name) {
                Some(value) => drop(self.last.insert(name.clone(), (at, value.clone()))),
                // Its counters may have been reset while it was away.
                None => drop(self.last.remove(name)),
            }
        }
        self.judge(value?)
    }

    fn judge(&mut self, value: f64) -> Option<Crossing> {
        let (beyond, back, limit, rising) = match self.plan.condition {
            Condition::Above { limit, clear } => (value > limit, value <= clear, limit, true),
            Condition::Below { limit, clear } => (value < limit, value >= clear, limit, false),
        };
        if self.crossed {
            self.crossed = !back;
            return None;
        }
        self.crossed = beyond;
        beyond.then_some(Crossing { value, limit, rising })
    }

    fn sample(&self, sample: &Sample, at: Instant, values: &BTreeMap<Oid, Value>) -> Option<f64> {
        let now = values.get(&sample.oid)?;
        if sample.of == SampleOf::Value {
            return number(now);
        }
        let (then, before) = self.last.get(&sample.oid)?;
        let grown = growth(before, now)?;
        match sample.of {
            SampleOf::Rate => {
                let seconds = at.saturating_duration_since(*then).as_secs_f64();
                (seconds > 0.0).then(|| grown / seconds)
            }
            _ => Some(grown),
        }
    }

    /// The notification of a crossing, before the instances of `send` are added to it.
    pub fn event(&self, crossing: Crossing) -> Event {
        let own = if crossing.rising { &mib::MONITOR_RISING } else { &mib::MONITOR_FALLING };
        let text = |text: String| Value::OctetString(text.into_bytes());
        let instance = |scalar: &[u32]| Oid::EMPTY.child(scalar).child(&[0]);
        let objects = vec![
            (instance(mib::MONITOR_NAME.oid), text(self.plan.name.clone())),
            (instance(mib::MONITOR_VALUE.oid), text(crossing.value.to_string())),
            (instance(mib::MONITOR_THRESHOLD.oid), text(crossing.limit.to_string())),
        ];
        let oid = self.plan.notification.clone().unwrap_or_else(|| Oid::EMPTY.child(own.oid));
        let about = self.plan.expression.objects().into_iter().cloned().collect();
        Event { about: Some(about), ..Event::new(oid, objects) }
    }
}

/// A value as a number; text counts if it is one, as UCD-SNMP-MIB's laLoad.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(f64::from(*number)),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some(f64::from(*number))
        }
        Value::Counter64(number) => Some(*number as f64),
        Value::OctetString(octets) => std::str::from_utf8(octets).ok()?.trim().parse().ok(),
        Value::ObjectIdentifier(_) | Value::IpAddress(_) | Value::Opaque(_) => None,
    }
}

/// How much an object has grown. A Counter32 and TimeTicks have wrapped if they are less than before; a Counter64
/// does not wrap in a lifetime: it has been reset, and nothing is known.
fn growth(before: &Value, now: &Value) -> Option<f64> {
    match (before, now) {
        (Value::Counter32(before), Value::Counter32(now))
        | (Value::TimeTicks(before), Value::TimeTicks(now)) => Some(f64::from(now.wrapping_sub(*before))),
        (Value::Counter64(before), Value::Counter64(now)) => {
            now.checked_sub(*before).map(|grown| grown as f64)
        }
        _ => Some(number(now)? - number(before)?),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use trunkline_config::Expression;

    const OBJECT: [u32; 5] = [1, 3, 6, 1, 9];

    fn monitor(expression: &str, condition: Condition) -> Monitor {
        Monitor::new(MonitorPlan {
            name: "m".into(),
            expression: Expression::parse(expression).unwrap(),
            every: Duration::from_secs(1),
            condition,
            notification: None,
            send: Vec::new(),
        })
    }

    /// Feeds values a second apart; at which of them the limit was crossed.
    fn crossings(mut monitor: Monitor, values: &[Option<Value>]) -> Vec<(usize, f64)> {
        let start = Instant::now();
        let mut found = Vec::new();
        for (second, value) in values.iter().enumerate() {
            let at = start + Duration::from_secs(second as u64);
            let values = value.iter().map(|value| (Oid::from(OBJECT), value.clone())).collect();
            if let Some(crossing) = monitor.sampled(at, &values) {
                found.push((second, crossing.value));
            }
        }
        found
    }

    fn integers(values: &[i32]) -> Vec<Option<Value>> {
        values.iter().map(|value| Some(Value::Integer(*value))).collect()
    }

    #[test]
    fn a_limit_has_hysteresis() {
        let above = || Condition::Above { limit: 4.0, clear: 3.0 };
        let told = crossings(monitor("1.3.6.1.9", above()), &integers(&[1, 4, 5, 4, 5, 3, 5]));
        assert_eq!(told, [(2, 5.0), (6, 5.0)]);
        let below = Condition::Below { limit: 10.0, clear: 20.0 };
        let told = crossings(monitor("1.3.6.1.9 / 10", below), &integers(&[50, 150, 90, 200, 99]));
        assert_eq!(told, [(0, 5.0), (4, 9.9)]);
        // A missing value changes nothing.
        let gap = [Some(Value::Integer(5)), None, Some(Value::Integer(5))];
        assert_eq!(crossings(monitor("1.3.6.1.9", above()), &gap), [(0, 5.0)]);
    }

    #[test]
    fn rates_know_wraps_and_resets() {
        let above = || Condition::Above { limit: 15.0, clear: 5.0 };
        let counters = |values: &[u32]| values.iter().map(|v| Some(Value::Counter32(*v))).collect::<Vec<_>>();
        let told = crossings(monitor("rate(1.3.6.1.9)", above()), &counters(&[100, 110, 130]));
        assert_eq!(told, [(2, 20.0)]);
        let told = crossings(monitor("delta(1.3.6.1.9)", above()), &counters(&[u32::MAX - 9, 10]));
        assert_eq!(told, [(1, 20.0)]);
        let long: Vec<_> = [1000, 5, 30].into_iter().map(|v| Some(Value::Counter64(v))).collect();
        assert_eq!(crossings(monitor("rate(1.3.6.1.9)", above()), &long), [(2, 25.0)]);
        let texts: Vec<_> = ["1.5", "17.25", "x"].into_iter().map(|v| Some(Value::text(v))).collect();
        assert_eq!(crossings(monitor("1.3.6.1.9", above()), &texts), [(1, 17.25)]);
    }

    #[test]
    fn an_event_names_the_monitor_and_both_numbers() {
        let monitor = monitor("1.3.6.1.9", Condition::Below { limit: 1.5, clear: 2.0 });
        let event = monitor.event(Crossing { value: 0.25, limit: 1.5, rising: false });
        assert_eq!(&event.oid[..], mib::MONITOR_FALLING.oid);
        let values: Vec<_> = event.objects.iter().map(|(_, value)| value.clone()).collect();
        assert_eq!(values, ["m", "0.25", "1.5"].map(|text| Value::OctetString(text.into())));
        assert_eq!(event.about, Some(vec![Oid::from(OBJECT)]));
    }
}
