//! What the samples of a trigger mean. It has neither a clock nor the tree: `task` supplies both.

use std::collections::BTreeMap;

use trunkline_smi::Value;

use crate::definition::{Boolean, Existence, Limits, Named, Threshold, Trigger};

/// Values by what comes after the object's identifier; for one instance, the empty key.
pub(crate) type Samples = BTreeMap<Vec<u32>, Value>;

/// An instance fires.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Firing {
    /// The instance.
    pub suffix: Vec<u32>,
    /// Its value, or the last one that it had.
    pub value: Value,
    /// The event.
    pub event: Named,
    /// The objects of the test.
    pub objects: Named,
}

/// What a sample has led to.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub firings: Vec<Firing>,
    /// The first instance whose value is not a number, though it is to be compared.
    pub wrong_type: Option<Vec<u32>>,
}

/// The state of a trigger.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    instances: BTreeMap<Vec<u32>, Instance>,
    has_sampled: bool,
}

/// The state of an instance.
#[derive(Debug)]
struct Instance {
    value: Value,
    marker: Option<Value>,
    boolean: Armed,
    limits: ArmedLimits,
    delta: ArmedLimits,
}

/// Whether a test may fire, and whether it has been made before.
#[derive(Clone, Copy, Debug, Default)]
struct Armed {
    is_judged: bool,
    has_fired: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct ArmedLimits {
    is_judged: bool,
    has_risen: bool,
    has_fallen: bool,
}

impl Sampler {
    /// Whether an instance has one.
    pub fn knows(&self, suffix: &[u32]) -> bool {
        self.instances.contains_key(suffix)
    }

    /// Takes the values of one moment. Instances that are not among them do not exist.
    pub fn sampled(&mut self, trigger: &Trigger, values: &Samples, markers: &Samples) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(existence) = &trigger.existence {
            self.compare(trigger, existence, values, &mut outcome.firings);
        }
        let is_numeric = trigger.boolean.is_some() || trigger.threshold.is_some();
        self.instances.retain(|suffix, _| values.contains_key(suffix));
        for (suffix, value) in values {
            if is_numeric && outcome.wrong_type.is_none() && number(value).is_none() {
                // RFC 2981, mteTriggerValueID: this ends the scan.
                outcome.wrong_type = Some(suffix.clone());
            }
            let marker = marker_of(trigger, suffix, markers);
            let known = self.instances.remove(suffix);
            let mut instance = known.as_ref().map_or_else(|| Instance::new(value, marker), Instance::copy);
            if is_numeric && outcome.wrong_type.is_none() {
                let is_continuous = |before: &&Instance| {
                    trigger.discontinuity.is_none() || (marker.is_some() && before.marker.as_ref() == marker)
                };
                let before = known.as_ref().filter(is_continuous);
                let grown = before.and_then(|before| growth(&before.value, value));
                let present = if trigger.delta { grown } else { number(value) };
                instance.judge(trigger, suffix, value, (present, grown), &mut outcome.firings);
            }
            (instance.value, instance.marker) = (value.clone(), marker.cloned());
            self.instances.insert(suffix.clone(), instance);
        }
        self.has_sampled = true;
        outcome
    }

    /// mteTriggerExistenceTest.
    fn compare(&self, trigger: &Trigger, test: &Existence, values: &Samples, firings: &mut Vec<Firing>) {
        if !test.event.is_some() {
            return;
        }
        let mut fire = |suffix: &[u32], value: &Value| {
            let (event, objects) = (test.event.clone(), test.objects.clone());
            firings.push(Firing { suffix: suffix.to_vec(), value: value.clone(), event, objects });
        };
        for (suffix, value) in values {
            let has_come = match self.instances.get(suffix) {
                Some(before) if test.changed && before.value != *value => true,
                Some(_) => false,
                None => test.present && (self.has_sampled || test.startup_present),
            };
            if has_come {
                fire(suffix, value);
            }
        }
        for (suffix, before) in self.instances.iter().filter(|(suffix, _)| !values.contains_key(*suffix)) {
            if test.absent {
                fire(suffix, &before.value);
            }
        }
        // Of a wildcard nobody knows which instances ought to be there.
        let is_missing = !self.has_sampled && !trigger.object.wildcard && values.is_empty();
        if is_missing && test.absent && test.startup_absent {
            fire(&[], &Value::Integer(0));
        }
    }
}

impl Instance {
    fn new(value: &Value, marker: Option<&Value>) -> Self {
        Instance {
            value: value.clone(),
            marker: marker.cloned(),
            boolean: Armed::default(),
            limits: ArmedLimits::default(),
            delta: ArmedLimits::default(),
        }
    }

    fn copy(&self) -> Self {
        Instance {
            boolean: self.boolean,
            limits: self.limits,
            delta: self.delta,
            ..Self::new(&self.value, None)
        }
    }

    /// The tests of the value, and of what it has grown by.
    fn judge(
        &mut self,
        trigger: &Trigger,
        suffix: &[u32],
        sampled: &Value,
        (value, grown): (Option<i128>, Option<i128>),
        firings: &mut Vec<Firing>,
    ) {
        let mut fire = |event: &Named, objects: &Named| {
            if event.is_some() {
                let (event, objects) = (event.clone(), objects.clone());
                firings.push(Firing { suffix: suffix.to_vec(), value: sampled.clone(), event, objects });
            }
        };
        if let (Some(test), Some(value)) = (&trigger.boolean, value)
            && self.boolean.judge(test, value)
        {
            fire(&test.event, &test.objects);
        }
        let Some(test) = &trigger.threshold else { return };
        if let Some(value) = value {
            let startup = [test.startup_rising, test.startup_falling];
            self.limits.judge(&test.value, test, value, startup, &mut fire);
        }
        if let (Some(limits), Some(grown)) = (&test.delta, grown) {
            self.delta.judge(limits, test, grown, [true, true], &mut fire);
        }
    }
}

impl Armed {
    /// Whether the comparison holds now and has not before.
    fn judge(&mut self, test: &Boolean, value: i128) -> bool {
        let holds = match test.comparison {
            1 => value != test.value,
            2 => value == test.value,
            3 => value < test.value,
            4 => value <= test.value,
            5 => value > test.value,
            _ => value >= test.value,
        };
        let is_first = !std::mem::replace(&mut self.is_judged, true);
        let had_fired = std::mem::replace(&mut self.has_fired, holds);
        holds && !had_fired && (!is_first || test.startup)
    }
}

impl ArmedLimits {
    /// A limit fires again only when the other one has been reached in between.
    fn judge(
        &mut self,
        limits: &Limits,
        test: &Threshold,
        value: i128,
        [startup_rising, startup_falling]: [bool; 2],
        fire: &mut impl FnMut(&Named, &Named),
    ) {
        let is_first = !std::mem::replace(&mut self.is_judged, true);
        if value >= limits.rising && !self.has_risen {
            (self.has_risen, self.has_fallen) = (true, false);
            if !is_first || startup_rising {
                fire(&limits.rising_event, &test.objects);
            }
        }
        if value <= limits.falling && !self.has_fallen {
            (self.has_risen, self.has_fallen) = (false, true);
            if !is_first || startup_falling {
                fire(&limits.falling_event, &test.objects);
            }
        }
    }
}

/// The marker of discontinuities that holds for an instance.
fn marker_of<'m>(trigger: &Trigger, suffix: &[u32], markers: &'m Samples) -> Option<&'m Value> {
    let object = trigger.discontinuity.as_ref()?;
    markers.get(if object.wildcard { suffix } else { &[] })
}

/// A value as a number: whatever is encoded as an integer.
pub(crate) fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Integer(number) => Some(i128::from(*number)),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some(i128::from(*number))
        }
        Value::Counter64(number) => Some(i128::from(*number)),
        Value::OctetString(_) | Value::ObjectIdentifier(_) | Value::IpAddress(_) | Value::Opaque(_) => None,
    }
}

/// The difference between two samples. Counters and TimeTicks of 32 bits have wrapped if they are less than before;
/// a Counter64 has been reset, and nothing is known. A gauge may fall.
pub(crate) fn growth(before: &Value, now: &Value) -> Option<i128> {
    match (before, now) {
        (Value::Counter32(before), Value::Counter32(now))
        | (Value::TimeTicks(before), Value::TimeTicks(now)) => Some(i128::from(now.wrapping_sub(*before))),
        (Value::Counter64(before), Value::Counter64(now)) => now.checked_sub(*before).map(i128::from),
        _ => Some(number(now)? - number(before)?),
    }
}

#[cfg(test)]
mod tests;
