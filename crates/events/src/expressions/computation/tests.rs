//! Values from readings.

use std::time::Duration;

use trunkline_expression::{Expression, ValueType};
use trunkline_smi::Oid;

use super::*;
use crate::authority::Authority;
use crate::definition::{Named, Object};

fn object(last: u32, wildcard: bool) -> Object {
    Object { oid: Oid::from([1, 3, 6, 1, 4, 1, 1, last]), wildcard }
}

fn input(last: u32, wildcard: bool, sample: Sample) -> Input {
    Input { object: object(last, wildcard), sample, conditional: None, authority: Authority::Configuration }
}

fn definition(text: &str, value_type: ValueType, inputs: Vec<Input>) -> Definition {
    Definition {
        id: Named { owner: b"o".to_vec(), name: b"n".to_vec() },
        index: vec![1, 111, 1, 110],
        expression: Expression::parse(text).unwrap(),
        value_type,
        every: Some(Duration::from_secs(1)),
        objects: (1..).zip(inputs).collect(),
        authority: Authority::Configuration,
    }
}

/// Values of one object: the suffix of each (0: none) and the number.
fn counters(values: &[(u32, u32)]) -> Reading {
    let key = |suffix: u32| if suffix == 0 { Vec::new() } else { vec![suffix] };
    let values = values.iter().map(|(suffix, value)| (key(*suffix), Value::Counter32(*value))).collect();
    Reading { values, ..Reading::default() }
}

fn state() -> State {
    let resources = Arc::new(Resources::default());
    resources.set_limit(10);
    State::new(resources)
}

fn code(computed: &Computed) -> Option<(ErrorCode, Vec<u32>)> {
    computed.fault.as_ref().map(|(fault, instance)| (fault.code, instance.clone()))
}

fn shown(computed: &Computed) -> Vec<(Vec<u32>, i128)> {
    computed.values.iter().map(|(key, value)| (key.clone(), sampler::number(value).unwrap())).collect()
}

#[test]
fn wildcards_stand_for_the_same_and_single_objects_are_with_each() {
    let inputs = || {
        vec![
            input(1, true, Sample::Absolute),
            input(2, true, Sample::Absolute),
            input(3, false, Sample::Absolute),
        ]
    };
    let readings = || {
        BTreeMap::from([
            (1, counters(&[(1, 10), (2, 20), (3, 30)])),
            (2, counters(&[(2, 2), (3, 0), (4, 4)])),
            (3, counters(&[(0, 1000)])),
        ])
    };
    let whole = definition("$1 / $2 + $3", ValueType::Counter32, inputs());
    let computed = state().compute(&whole, readings(), 100);
    assert_eq!(shown(&computed), [(vec![2], 1010)]);
    assert_eq!(code(&computed), Some((ErrorCode::DivideByZero, vec![3])));
    let optional = definition("exists($2) * 100 + $1", ValueType::Unsigned32, inputs());
    let computed = state().compute(&optional, readings(), 100);
    assert_eq!(shown(&computed), [(vec![1], 10), (vec![2], 120), (vec![3], 130)]);
    let single = definition("sum($1) + count($2)", ValueType::Counter32, inputs());
    assert_eq!(shown(&state().compute(&single, readings(), 100)), [(vec![0], 63)]);
    let few = state().compute(&optional, readings(), 3);
    assert_eq!((code(&few), few.values.len()), (Some((ErrorCode::TooManyWildcardValues, Vec::new())), 0));
}

#[test]
fn differences_need_two_samples_and_wrap_and_are_nothing_over_a_discontinuity() {
    let marker = object(9, true);
    let delta = input(1, true, Sample::Delta(Some(marker)));
    let whole = definition("$1", ValueType::Counter32, vec![delta]);
    let mut state = state();
    let mut sampled = |values: &[(u32, u32)], markers: &[(u32, u32)]| {
        let mut reading = counters(values);
        reading.markers = counters(markers).values;
        shown(&state.compute(&whole, BTreeMap::from([(1, reading)]), 100))
    };
    let marks = [(1, 5), (2, 5)];
    assert_eq!(sampled(&[(1, 10), (2, u32::MAX)], &marks), []);
    assert_eq!(sampled(&[(1, 15), (2, 4), (3, 7)], &marks), [(vec![1], 5), (vec![2], 5)]);
    assert_eq!(sampled(&[(1, 1), (2, 6)], &[(1, 6), (2, 5)]), [(vec![2], 2)]);
    assert_eq!(sampled(&[(1, 3), (2, 6)], &[(1, 6)]), [(vec![1], 2), (vec![2], 0)]);
}

#[test]
fn a_gauge_may_fall_a_counter64_is_reset_and_texts_only_change() {
    let mut inputs = vec![input(1, false, Sample::Delta(None)), input(2, false, Sample::Delta(None))];
    inputs.push(input(3, false, Sample::Changed(None)));
    let reading = |value| Reading { values: BTreeMap::from([(Vec::new(), value)]), ..Reading::default() };
    let at = |gauge, counter, text| {
        BTreeMap::from([
            (1, reading(Value::Unsigned32(gauge))),
            (2, reading(Value::Counter64(counter))),
            (3, reading(Value::text(text))),
        ])
    };
    let first = definition("$1", ValueType::Integer32, inputs);
    let mut gauge = state();
    gauge.compute(&first, at(100, 0, "a"), 10);
    assert_eq!(shown(&gauge.compute(&first, at(40, 0, "a"), 10)), [(vec![0], -60)]);
    let others = |text| {
        let mut other = definition(text, ValueType::Counter64, Vec::new());
        other.objects = definition(
            "1",
            ValueType::Counter64,
            vec![
                input(1, false, Sample::Delta(None)),
                input(2, false, Sample::Delta(None)),
                input(3, false, Sample::Changed(None)),
            ],
        )
        .objects;
        other
    };
    let mut counter = state();
    counter.compute(&others("$2"), at(0, 50, "a"), 10);
    assert_eq!(shown(&counter.compute(&others("$2"), at(0, 80, "a"), 10)), [(vec![0], 30)]);
    assert_eq!(shown(&counter.compute(&others("$2"), at(0, 10, "a"), 10)), []);
    let mut text = state();
    text.compute(&others("$3"), at(0, 0, "a"), 10);
    assert_eq!(shown(&text.compute(&others("$3"), at(0, 0, "b"), 10)), [(vec![0], 1)]);
    assert_eq!(shown(&text.compute(&others("$3"), at(0, 0, "b"), 10)), [(vec![0], 0)]);
    let mut wrong = others("$3");
    wrong.objects.insert(3, input(3, false, Sample::Delta(None)));
    let mut state = state();
    state.compute(&wrong, at(0, 0, "a"), 10);
    let computed = state.compute(&wrong, at(0, 0, "b"), 10);
    assert_eq!(code(&computed), Some((ErrorCode::InvalidOperandType, Vec::new())));
}

#[test]
fn conditions_leave_out_instances() {
    let mut with = input(1, true, Sample::Absolute);
    with.conditional = Some(object(2, true));
    let whole = definition("$1", ValueType::Counter32, vec![with]);
    let mut reading = counters(&[(1, 10), (2, 20), (3, 30)]);
    reading.conditions = counters(&[(1, 1), (2, 0)]).values;
    assert_eq!(shown(&state().compute(&whole, BTreeMap::from([(1, reading)]), 10)), [(vec![1], 10)]);
    let mut single = input(1, false, Sample::Absolute);
    single.conditional = Some(object(2, true));
    let first = definition("$1", ValueType::Counter32, vec![single]);
    let mut reading = counters(&[(0, 10)]);
    reading.conditions = counters(&[(4, 7), (5, 0)]).values;
    assert_eq!(shown(&state().compute(&first, BTreeMap::from([(1, reading)]), 10)), [(vec![0], 10)]);
    let mut gone = counters(&[(0, 10)]);
    gone.conditions = Values::new();
    assert_eq!(shown(&state().compute(&first, BTreeMap::from([(1, gone)]), 10)), []);
}

#[test]
fn differences_are_limited_over_all_expressions_and_given_back() {
    let resources = Arc::new(Resources::default());
    resources.set_limit(3);
    let whole = definition("$1", ValueType::Counter32, vec![input(1, true, Sample::Delta(None))]);
    let (mut first, mut second) = (State::new(resources.clone()), State::new(resources.clone()));
    let reading = || BTreeMap::from([(1, counters(&[(1, 1), (2, 2)]))]);
    assert_eq!(code(&first.compute(&whole, reading(), 10)), None);
    let computed = second.compute(&whole, reading(), 10);
    assert_eq!(code(&computed), Some((ErrorCode::TooManyWildcardValues, Vec::new())));
    assert_eq!(resources.lacks.load(std::sync::atomic::Ordering::Relaxed), 1);
    drop(first);
    assert_eq!(code(&second.compute(&whole, reading(), 10)), None);
    assert_eq!(shown(&second.compute(&whole, reading(), 10)), [(vec![1], 0), (vec![2], 0)]);
}

#[test]
fn what_was_gathered_goes_with_its_instance() {
    let whole = definition("average($1)", ValueType::Counter32, vec![input(1, true, Sample::Absolute)]);
    let mut state = state();
    let mut sampled =
        |values: &[(u32, u32)]| shown(&state.compute(&whole, BTreeMap::from([(1, counters(values))]), 10));
    assert_eq!(sampled(&[(1, 10), (2, 100)]), [(vec![1], 10), (vec![2], 100)]);
    assert_eq!(sampled(&[(1, 20)]), [(vec![1], 15)]);
    assert_eq!(sampled(&[(1, 30), (2, 300)]), [(vec![1], 20), (vec![2], 300)]);
}
