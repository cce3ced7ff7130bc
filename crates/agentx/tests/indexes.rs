//! Allocation of indexes, by examples and against a naive model.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_agentx::indexes::{IndexFault, IndexLimits, Indexes};
use trunkline_agentx::wire::{ErrorCode, IndexRequest};
use trunkline_smi::{Oid, Value, VarBind};

const IF_INDEX: [u32; 10] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 1];

fn request(new_index: bool, any_index: bool, values: &[Value]) -> IndexRequest {
    let binding = |value: &Value| VarBind::new(Oid::from(IF_INDEX), value.clone());
    IndexRequest { new_index, any_index, bindings: values.iter().map(binding).collect() }
}

fn these(numbers: &[i32]) -> IndexRequest {
    request(false, false, &numbers.iter().map(|number| Value::Integer(*number)).collect::<Vec<_>>())
}

fn any(count: usize) -> IndexRequest {
    request(false, true, &vec![Value::Integer(0); count])
}

fn new(count: usize) -> IndexRequest {
    request(true, false, &vec![Value::Integer(0); count])
}

fn numbers(allocated: Result<Vec<VarBind>, IndexFault>) -> Result<Vec<i32>, IndexFault> {
    let number = |binding: &VarBind| match binding.value.value() {
        Some(Value::Integer(number)) => *number,
        other => panic!("{other:?}"),
    };
    allocated.map(|bindings| bindings.iter().map(number).collect())
}

fn fault(error: ErrorCode, index: u16) -> IndexFault {
    IndexFault { error, index }
}

#[test]
fn particular_any_and_new_numbers() {
    let mut indexes = Indexes::new(IndexLimits::default());
    let mut allocate = |session, request| numbers(indexes.allocate(session, b"", &request));
    assert_eq!(allocate(1, these(&[2, 5])), Ok(vec![2, 5]));
    assert_eq!(allocate(2, these(&[5])), Err(fault(ErrorCode::IndexAlreadyAllocated, 1)));
    assert_eq!(allocate(1, these(&[5])), Err(fault(ErrorCode::IndexAlreadyAllocated, 1)), "not twice either");
    assert_eq!(allocate(2, any(3)), Ok(vec![1, 3, 4]));
    assert_eq!(allocate(2, new(2)), Ok(vec![6, 7]));
    assert_eq!(allocate(2, these(&[-1])), Err(fault(ErrorCode::IndexNoneAvailable, 1)));
}

#[test]
fn all_or_none() {
    let mut indexes = Indexes::new(IndexLimits::default());
    indexes.allocate(1, b"", &these(&[3])).unwrap();
    let failed = indexes.allocate(2, b"", &these(&[1, 2, 3, 4]));
    assert_eq!(failed, Err(fault(ErrorCode::IndexAlreadyAllocated, 3)));
    assert_eq!(numbers(indexes.allocate(2, b"", &any(3))), Ok(vec![1, 2, 4]));

    assert_eq!(indexes.deallocate(2, b"", &these(&[1, 2, 3])), Err(fault(ErrorCode::IndexNotAllocated, 3)));
    let taken = indexes.allocate(3, b"", &these(&[1]));
    assert_eq!(taken, Err(fault(ErrorCode::IndexAlreadyAllocated, 1)), "1 was not given back");
    assert_eq!(indexes.deallocate(2, b"", &these(&[1, 2])), Ok(()));
    assert_eq!(numbers(indexes.allocate(3, b"", &these(&[1]))), Ok(vec![1]));
}

#[test]
fn what_a_session_had_is_free_but_not_new() {
    let mut indexes = Indexes::new(IndexLimits::default());
    indexes.allocate(1, b"", &new(3)).unwrap();
    indexes.allocate(2, b"", &new(1)).unwrap();
    indexes.close(1);
    assert_eq!(numbers(indexes.allocate(3, b"", &new(1))), Ok(vec![5]));
    assert_eq!(numbers(indexes.allocate(3, b"", &any(4))), Ok(vec![1, 2, 3, 6]));
    assert_eq!(indexes.deallocate(1, b"", &these(&[1])), Err(fault(ErrorCode::IndexNotAllocated, 1)));
}

#[test]
fn contexts_and_objects_are_apart() {
    let mut indexes = Indexes::new(IndexLimits::default());
    indexes.allocate(1, b"", &these(&[1])).unwrap();
    assert_eq!(numbers(indexes.allocate(2, b"ctx", &these(&[1]))), Ok(vec![1]));
    let mut other = these(&[1]);
    other.bindings[0].name = Oid::from([1, 3]);
    assert_eq!(numbers(indexes.allocate(2, b"", &other)), Ok(vec![1]));
    other.bindings[0].name = Oid::from([1, 4]);
    assert_eq!(indexes.deallocate(2, b"", &other), Err(fault(ErrorCode::IndexNotAllocated, 1)));
}

#[test]
fn types() {
    let mut indexes = Indexes::new(IndexLimits::default());
    indexes.allocate(1, b"", &these(&[1])).unwrap();
    let wrong = Err(fault(ErrorCode::IndexWrongType, 1));
    for value in [Value::Unsigned32(2), Value::text("a")] {
        assert_eq!(indexes.allocate(1, b"", &request(false, false, std::slice::from_ref(&value))), wrong);
        assert_eq!(indexes.allocate(1, b"", &request(false, true, &[value])), wrong);
    }
    for value in [Value::Counter32(1), Value::Counter64(1), Value::TimeTicks(1), Value::Opaque(vec![])] {
        assert_eq!(indexes.allocate(1, b"other", &request(false, false, &[value])), wrong);
    }
    let words = ["a", "b", "a"].map(Value::text);
    let twice = indexes.allocate(1, b"words", &request(false, false, &words));
    assert_eq!(twice, Err(fault(ErrorCode::IndexAlreadyAllocated, 3)));
    assert!(indexes.allocate(2, b"words", &request(false, false, &words[..2])).is_ok());
    let next = indexes.allocate(2, b"words", &request(true, false, &words[..1]));
    assert_eq!(next, Err(fault(ErrorCode::IndexNoneAvailable, 1)), "there is not a next word");
    let long = request(false, false, &[Value::OctetString(vec![0; 129])]);
    assert_eq!(indexes.allocate(2, b"words", &long), Err(fault(ErrorCode::ProcessingError, 1)));
}

#[test]
fn the_end_of_the_numbers() {
    let mut indexes = Indexes::new(IndexLimits::default());
    indexes.allocate(1, b"", &these(&[i32::MAX, 0])).unwrap();
    assert_eq!(numbers(indexes.allocate(1, b"", &new(1))), Ok(vec![1]));
    let wide = request(false, false, &[Value::Unsigned32(u32::MAX), Value::Unsigned32(u32::MAX - 1)]);
    assert!(indexes.allocate(1, b"wide", &wide).is_ok());
    let like = request(true, false, &[Value::Unsigned32(0)]);
    let next = indexes.allocate(1, b"wide", &like).unwrap();
    assert_eq!(next[0].value.value(), Some(&Value::Unsigned32(1)));
}

#[test]
fn limits_hold_and_what_ended_is_forgotten() {
    let mut indexes = Indexes::new(IndexLimits { objects: 1, values: 100 });
    indexes.allocate(1, b"", &these(&[1])).unwrap();
    let none = Err(fault(ErrorCode::IndexNoneAvailable, 1));
    assert_eq!(numbers(indexes.allocate(1, b"other", &these(&[1]))), none);
    indexes.close(1);
    assert_eq!(numbers(indexes.allocate(1, b"other", &these(&[1]))), Ok(vec![1]));

    let mut indexes = Indexes::new(IndexLimits { objects: 9, values: 4 });
    assert_eq!(
        numbers(indexes.allocate(1, b"", &these(&[1, 3, 5]))),
        Err(fault(ErrorCode::IndexNoneAvailable, 3))
    );
    assert_eq!(numbers(indexes.allocate(1, b"", &these(&[1, 2, 3]))), Ok(vec![1, 2, 3]));
}

#[derive(Clone, Debug)]
enum Step {
    These(u32, Vec<i32>),
    Any(u32, usize),
    New(u32, usize),
    Release(u32, Vec<i32>),
    Close(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let session = 1..4_u32;
    prop_oneof![
        (session.clone(), vec(0..12_i32, 1..4)).prop_map(|(session, numbers)| Step::These(session, numbers)),
        (session.clone(), 1..4_usize).prop_map(|(session, count)| Step::Any(session, count)),
        (session.clone(), 1..4_usize).prop_map(|(session, count)| Step::New(session, count)),
        (session.clone(), vec(0..12_i32, 1..4))
            .prop_map(|(session, numbers)| Step::Release(session, numbers)),
        session.prop_map(Step::Close),
    ]
}

proptest! {
    /// Nobody has a number that another session has, a new one was never anybody's, and a step that fails changes nothing.
    #[test]
    fn against_a_naive_model(steps in vec(step(), 1..40)) {
        let mut indexes = Indexes::new(IndexLimits::default());
        let mut owners: BTreeMap<i32, u32> = BTreeMap::new();
        let mut ever: BTreeSet<i32> = BTreeSet::new();
        for step in steps {
            match step {
                Step::These(session, wanted) => {
                    let once = wanted.iter().collect::<BTreeSet<_>>().len() == wanted.len();
                    let free = once && wanted.iter().all(|number| !owners.contains_key(number));
                    let allocated = numbers(indexes.allocate(session, b"", &these(&wanted)));
                    prop_assert_eq!(allocated.is_ok(), free);
                    if free {
                        owners.extend(wanted.iter().map(|number| (*number, session)));
                        ever.extend(wanted);
                    }
                }
                Step::Any(session, count) => {
                    for number in numbers(indexes.allocate(session, b"", &any(count))).unwrap() {
                        prop_assert!(number > 0 && owners.insert(number, session).is_none());
                        prop_assert!((1..number).all(|lower| owners.contains_key(&lower)));
                        ever.insert(number);
                    }
                }
                Step::New(session, count) => {
                    for number in numbers(indexes.allocate(session, b"", &new(count))).unwrap() {
                        prop_assert!(owners.insert(number, session).is_none());
                        prop_assert!(ever.insert(number));
                    }
                }
                Step::Release(session, given) => {
                    let once = given.iter().collect::<BTreeSet<_>>().len() == given.len();
                    let own = once && given.iter().all(|number| owners.get(number) == Some(&session));
                    prop_assert_eq!(indexes.deallocate(session, b"", &these(&given)).is_ok(), own);
                    if own {
                        owners.retain(|number, _| !given.contains(number));
                    }
                }
                Step::Close(session) => {
                    indexes.close(session);
                    owners.retain(|_, owner| *owner != session);
                }
            }
        }
    }
}
