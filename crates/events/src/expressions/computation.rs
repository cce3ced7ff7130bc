//! From the values of objects to those of an expression. It has neither a clock nor the tree: `pass` supplies the values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trunkline_expression::{Budget, ErrorCode, Fault, Memory, Objects, Sweep, Undefined};
use trunkline_smi::Value;

use super::definition::{Definition, Input, Sample};
use crate::resources::{Resources, Share};
use crate::sampler;

/// Values by what comes after the object's identifier; for one instance, the empty key.
pub(super) type Values = BTreeMap<Vec<u32>, Value>;

/// What was read of one object in one moment.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub values: Values,
    pub markers: Values,
    pub conditions: Values,
}

/// What is kept of an expression from one evaluation to the next.
pub(super) struct State {
    /// The last values of objects with differences, and what tells of discontinuities.
    previous: BTreeMap<u32, (Values, Values)>,
    memory: BTreeMap<Vec<u32>, Memory>,
    share: Share,
    /// The result of the last evaluation.
    pub values: Arc<Values>,
}

/// What an evaluation has led to.
#[derive(Debug, Default)]
pub(super) struct Computed {
    /// By instance: what the wildcards stand for, or 0.
    pub values: Values,
    /// The first thing that went wrong, and at which instance.
    pub fault: Option<(Fault, Vec<u32>)>,
}

/// The steps that one evaluation of an expression may take, at all its instances together.
const STEPS: u64 = 2_000_000;

impl State {
    /// Nothing is known yet.
    pub fn new(resources: Arc<Resources>) -> Self {
        let (previous, memory) = (BTreeMap::new(), BTreeMap::new());
        State { previous, memory, share: Share::new(resources), values: Arc::default() }
    }

    /// Evaluates an expression with the values of one moment, at `most` instances.
    pub fn compute(
        &mut self,
        definition: &Definition,
        mut readings: BTreeMap<u32, Reading>,
        most: usize,
    ) -> Computed {
        let mut computed = Computed::default();
        if let Err(fault) = self.differences(definition, &mut readings) {
            computed.fault = Some((fault, Vec::new()));
            if self.previous.is_empty() {
                return computed;
            }
        }
        let instances = instances(definition, &readings);
        if instances.len() > most {
            let message = format!("there are {} instances, and {most} may be computed", instances.len());
            computed.fault = Some((Fault::whole(ErrorCode::TooManyWildcardValues, message), Vec::new()));
            self.memory.clear();
            return computed;
        }
        self.memory.retain(|instance, _| instances.contains(instance));
        let mut sweep = Sweep::new(Budget::new(STEPS));
        for instance in instances {
            let sheet = Sheet { definition, readings: &readings, instance: &instance };
            let mut memory = self.memory.remove(&instance).unwrap_or_default();
            let value = definition.expression.evaluate(&sheet, &mut memory, &mut sweep);
            if definition.expression.has_memory() {
                self.memory.insert(instance.clone(), memory);
            }
            let value = value.and_then(|value| {
                value.map(|value| definition.expression.result(value, definition.value_type)).transpose()
            });
            match value {
                Ok(Some(value)) => drop(computed.values.insert(instance, value)),
                Ok(None) => {}
                Err(fault) => {
                    let is_over = fault.code == ErrorCode::ResourceUnavailable;
                    computed.fault.get_or_insert((fault, instance));
                    if is_over {
                        break;
                    }
                }
            }
        }
        computed
    }

    /// Puts differences in place of the values of the objects that are sampled for them.
    fn differences(
        &mut self,
        definition: &Definition,
        readings: &mut BTreeMap<u32, Reading>,
    ) -> Result<(), Fault> {
        let mut sampled = BTreeMap::new();
        for (number, reading) in readings.iter_mut() {
            let input = definition.objects.get(number);
            if input.is_some_and(|input| input.sample != Sample::Absolute) {
                let values = (std::mem::take(&mut reading.values), std::mem::take(&mut reading.markers));
                sampled.insert(*number, values);
            }
        }
        let wanted = sampled.values().map(|(values, _)| values.len()).sum();
        if self.share.hold(wanted) < wanted {
            self.share.hold(0);
            self.previous.clear();
            Resources::count(self.share.lacks(), 1);
            let message = format!("the differences of {wanted} instances are more than may be held");
            return Err(Fault::whole(ErrorCode::TooManyWildcardValues, message));
        }
        let mut outcome = Ok(());
        for (number, (values, markers)) in &sampled {
            let (Some(input), Some(reading)) = (definition.objects.get(number), readings.get_mut(number))
            else {
                continue;
            };
            let Some(before) = self.previous.get(number) else { continue };
            for (suffix, value) in values {
                match difference(input, suffix, before, (value, markers)) {
                    Ok(Some(value)) => drop(reading.values.insert(suffix.clone(), value)),
                    Ok(None) => {}
                    Err(code) => {
                        let message = format!("${number} has no differences: its value is not a number");
                        outcome = Err(Fault::whole(code, message));
                    }
                }
            }
        }
        self.previous = sampled;
        outcome
    }
}

/// The instances at which an expression is evaluated: what the wildcards of its objects stand for.
fn instances(definition: &Definition, readings: &BTreeMap<u32, Reading>) -> BTreeSet<Vec<u32>> {
    let mut found = BTreeSet::new();
    let mut has_wildcards = false;
    for number in definition.expression.objects() {
        let Some(input) = definition.objects.get(&number).filter(|input| input.object.wildcard) else {
            continue;
        };
        has_wildcards = true;
        let Some(reading) = readings.get(&number) else { continue };
        found.extend(reading.values.keys().filter(|suffix| is_usable(input, reading, suffix)).cloned());
    }
    if !has_wildcards {
        found.insert(vec![0]);
    }
    found
}

/// Whether expObjectConditional lets a value count.
fn is_usable(input: &Input, reading: &Reading, suffix: &[u32]) -> bool {
    let Some(conditional) = &input.conditional else { return true };
    let condition = match conditional.wildcard {
        false => reading.conditions.get(&[][..]),
        // Without wildcards elsewhere the lexically first instance counts.
        true if !input.object.wildcard && suffix == [0] => reading.conditions.values().next(),
        true => reading.conditions.get(suffix),
    };
    condition.is_some_and(|value| sampler::number(value) != Some(0))
}

fn difference(
    input: &Input,
    suffix: &[u32],
    (before, markers_before): &(Values, Values),
    (value, markers): (&Value, &Values),
) -> Result<Option<Value>, ErrorCode> {
    let Some(before) = before.get(suffix) else { return Ok(None) };
    if let Some(marker) = input.sample.marker() {
        let key = if marker.wildcard { suffix } else { &[] };
        // One that is not there is not checked.
        if let (Some(then), Some(now)) = (markers_before.get(key), markers.get(key))
            && then != now
        {
            return Ok(None);
        }
    }
    if let Sample::Changed(_) = input.sample {
        return Ok(Some(Value::Unsigned32((before != value).into())));
    }
    if sampler::number(value).is_none() {
        return Err(ErrorCode::InvalidOperandType);
    }
    let Some(grown) = sampler::growth(before, value) else { return Ok(None) };
    let low = || u32::try_from(grown).ok();
    Ok(match value {
        Value::Counter32(_) => low().map(Value::Counter32),
        Value::TimeTicks(_) => low().map(Value::TimeTicks),
        Value::Counter64(_) => u64::try_from(grown).ok().map(Value::Counter64),
        // A gauge may fall.
        _ => Some(Value::Integer(grown.clamp(i32::MIN.into(), i32::MAX.into()) as i32)),
    })
}

/// The values of the objects at one instance.
struct Sheet<'s> {
    definition: &'s Definition,
    readings: &'s BTreeMap<u32, Reading>,
    instance: &'s [u32],
}

impl Sheet<'_> {
    fn of(&self, object: u32) -> Result<(&Input, Option<&Reading>), Undefined> {
        let input = self.definition.objects.get(&object).ok_or(Undefined)?;
        Ok((input, self.readings.get(&object)))
    }
}

impl Objects for Sheet<'_> {
    fn value(&self, object: u32) -> Result<Option<&Value>, Undefined> {
        let (input, Some(reading)) = self.of(object)? else { return Ok(None) };
        let key = if input.object.wildcard { self.instance } else { &[] };
        Ok(reading.values.get(key).filter(|_| is_usable(input, reading, self.instance)))
    }

    fn instances(&self, object: u32) -> Result<Box<dyn Iterator<Item = &Value> + '_>, Undefined> {
        let (input, Some(reading)) = self.of(object)? else { return Ok(Box::new(std::iter::empty())) };
        let usable = reading.values.iter().filter(move |(suffix, _)| {
            let instance = if input.object.wildcard { suffix.as_slice() } else { self.instance };
            is_usable(input, reading, instance)
        });
        Ok(Box::new(usable.map(|(_, value)| value)))
    }
}

#[cfg(test)]
mod tests;
