//! Samples of each kind, and what fires.

use std::time::Duration;

use trunkline_smi::Oid;

use super::*;
use crate::authority::Authority;
use crate::definition::Object;

fn named(name: &str) -> Named {
    Named { owner: b"o".to_vec(), name: name.as_bytes().to_vec() }
}

fn trigger(wildcard: bool) -> Trigger {
    Trigger {
        id: named("t"),
        object: Object { oid: Oid::from([1, 3, 6]), wildcard },
        context: Vec::new(),
        every: Duration::from_secs(1),
        delta: false,
        discontinuity: None,
        objects: Named::default(),
        existence: None,
        boolean: None,
        threshold: None,
        authority: Authority::Configuration,
    }
}

fn boolean(comparison: i32, value: i128, startup: bool) -> Trigger {
    let test = Boolean { comparison, value, startup, objects: named("b"), event: named("fired") };
    Trigger { boolean: Some(test), ..trigger(true) }
}

fn limits(rising: i128, falling: i128) -> Limits {
    Limits { rising, falling, rising_event: named("up"), falling_event: named("down") }
}

fn threshold([startup_rising, startup_falling]: [bool; 2], delta: Option<Limits>) -> Trigger {
    let objects = Named::default();
    let test = Threshold { startup_rising, startup_falling, objects, value: limits(20, 10), delta };
    Trigger { threshold: Some(test), ..trigger(true) }
}

fn existence(test: [bool; 3], startup: [bool; 2], wildcard: bool) -> Trigger {
    let [present, absent, changed] = test;
    let [startup_present, startup_absent] = startup;
    let (objects, event) = (Named::default(), named("fired"));
    let test = Existence { present, absent, changed, startup_present, startup_absent, objects, event };
    Trigger { existence: Some(test), ..trigger(wildcard) }
}

/// Feeds samples, each a list of instances and values; what fires at which of them.
fn fired(trigger: &Trigger, samples: &[&[(u32, Value)]]) -> Vec<String> {
    let mut sampler = Sampler::default();
    let mut all = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        let key = |number: u32| if trigger.object.wildcard { vec![number] } else { Vec::new() };
        let values = sample.iter().map(|(number, value)| (key(*number), value.clone())).collect();
        for firing in sampler.sampled(trigger, &values, &Samples::new()).firings {
            let event = String::from_utf8(firing.event.name).unwrap();
            all.push(format!("{at} {event} {:?} {:?}", firing.suffix, firing.value));
        }
    }
    all
}

fn integers(trigger: &Trigger, values: &[i32]) -> Vec<String> {
    let samples: Vec<_> = values.iter().map(|value| [(7, Value::Integer(*value))]).collect();
    let samples: Vec<&[(u32, Value)]> = samples.iter().map(<[_; 1]>::as_slice).collect();
    fired(trigger, &samples)
}

#[test]
fn a_comparison_fires_when_it_begins_to_hold() {
    for (comparison, values) in [
        (1, [5, 5, 4, 3, 5, 6]),
        (2, [4, 5, 5, 5, 6, 5]),
        (3, [5, 6, 4, 3, 5, 4]),
        (4, [6, 6, 5, 4, 6, 5]),
        (5, [5, 4, 6, 7, 5, 6]),
        (6, [4, 4, 5, 6, 4, 5]),
    ] {
        let found = integers(&boolean(comparison, 5, true), &values);
        let at: Vec<&str> = found.iter().map(|line| line.split(' ').next().unwrap()).collect();
        let expected = if comparison == 2 { ["1", "5"] } else { ["2", "5"] };
        assert_eq!(at, expected, "{comparison}: {found:?}");
    }
}

#[test]
fn the_first_sample_of_each_instance_counts_if_startup_says_so() {
    let one = |number, value| (number, Value::Integer(value));
    let samples: [&[_]; 3] = [&[one(1, 9)], &[one(1, 9), one(2, 9)], &[one(2, 9)]];
    assert_eq!(fired(&boolean(5, 5, true), &samples), ["0 fired [1] Integer(9)", "1 fired [2] Integer(9)"]);
    assert!(fired(&boolean(5, 5, false), &samples).is_empty());
    // Without startup it fires when the condition comes back.
    assert_eq!(integers(&boolean(5, 5, false), &[9, 1, 9]), ["2 fired [7] Integer(9)"]);
}

#[test]
fn limits_have_hysteresis() {
    let both = threshold([true, true], None);
    assert_eq!(
        integers(&both, &[15, 20, 15, 25, 10, 15, 9, 20]),
        ["1 up [7] Integer(20)", "4 down [7] Integer(10)", "7 up [7] Integer(20)"]
    );
    assert_eq!(integers(&both, &[30, 30]), ["0 up [7] Integer(30)"]);
    assert_eq!(integers(&both, &[5, 5]), ["0 down [7] Integer(5)"]);
    assert_eq!(
        integers(&threshold([false, true], None), &[30, 5, 30]),
        ["1 down [7] Integer(5)", "2 up [7] Integer(30)"]
    );
    assert!(integers(&threshold([true, false], None), &[5, 15]).is_empty());
}

#[test]
fn limits_of_differences_need_two_samples() {
    let trigger = threshold([false, false], Some(limits(100, 0)));
    let found = integers(&trigger, &[15, 15, 115, 116, 116]);
    assert_eq!(
        found,
        [
            "1 down [7] Integer(15)",
            // The value itself crosses its limit, too.
            "2 up [7] Integer(115)",
            "2 up [7] Integer(115)",
            "4 down [7] Integer(116)"
        ]
    );
}

#[test]
fn differences_know_wraps_and_resets() {
    let trigger = Trigger { delta: true, ..boolean(5, 15, true) };
    let counters = |values: &[u32]| -> Vec<[(u32, Value); 1]> {
        values.iter().map(|value| [(7, Value::Counter32(*value))]).collect()
    };
    let check = |samples: Vec<[(u32, Value); 1]>| {
        let samples: Vec<&[(u32, Value)]> = samples.iter().map(<[_; 1]>::as_slice).collect();
        fired(&trigger, &samples)
    };
    assert_eq!(check(counters(&[100, 110, 130])), ["2 fired [7] Counter32(130)"]);
    assert_eq!(check(counters(&[u32::MAX - 9, 10])), ["1 fired [7] Counter32(10)"]);
    let long = [1000, 5, 30].map(|value| [(7, Value::Counter64(value))]).to_vec();
    assert_eq!(check(long), ["2 fired [7] Counter64(30)"]);
    let gauge = [50, 10, 26].map(|value| [(7, Value::Unsigned32(value))]).to_vec();
    assert_eq!(check(gauge), ["2 fired [7] Unsigned32(26)"]);
}

#[test]
fn a_discontinuity_takes_away_one_difference() {
    let marker = Object { oid: Oid::from([1, 3, 7]), wildcard: true };
    let trigger = Trigger { delta: true, discontinuity: Some(marker), ..boolean(5, 15, true) };
    let mut sampler = Sampler::default();
    let mut sample = |value, marker: Option<u32>| {
        let values = [(vec![7], Value::Counter32(value))].into();
        let markers = marker.map(|marker| (vec![7], Value::TimeTicks(marker))).into_iter().collect();
        sampler.sampled(&trigger, &values, &markers).firings.len()
    };
    assert_eq!(sample(10, Some(1)), 0);
    assert_eq!(sample(1000, Some(2)), 0);
    assert_eq!(sample(2000, None), 0);
    assert_eq!(sample(3000, Some(2)), 0);
    assert_eq!(sample(4000, Some(2)), 1);
}

#[test]
fn instances_come_go_and_change() {
    let text = |number, text: &str| (number, Value::text(text));
    let samples: [&[_]; 4] =
        [&[text(1, "a")], &[text(1, "a"), text(2, "b")], &[text(1, "c"), text(2, "b")], &[text(2, "b")]];
    let value = |text: &str| format!("{:?}", Value::text(text));
    let all = fired(&existence([true, true, true], [true, true], true), &samples);
    assert_eq!(
        all,
        [
            format!("0 fired [1] {}", value("a")),
            format!("1 fired [2] {}", value("b")),
            format!("2 fired [1] {}", value("c")),
            format!("3 fired [1] {}", value("c")),
        ]
    );
    let later = fired(&existence([true, false, false], [false, false], true), &samples);
    assert_eq!(later, [format!("1 fired [2] {}", value("b"))]);
    let gone = fired(&existence([false, true, false], [true, true], true), &samples);
    assert_eq!(gone, [format!("3 fired [1] {}", value("c"))]);
    // One instance that is missing from the start.
    let one = existence([false, true, false], [false, true], false);
    assert_eq!(fired(&one, &[&[], &[], &samples[0][..1]]), ["0 fired [] Integer(0)"]);
    assert!(fired(&existence([false, true, false], [false, false], false), &[&[], &[]]).is_empty());
}

#[test]
fn what_is_not_a_number_ends_the_scan() {
    let trigger = Trigger {
        existence: existence([true, false, false], [true, true], true).existence,
        ..boolean(1, 0, true)
    };
    let values = [(vec![1], Value::Integer(1)), (vec![2], Value::text("x")), (vec![3], Value::Integer(1))];
    let outcome = Sampler::default().sampled(&trigger, &values.into(), &Samples::new());
    assert_eq!(outcome.wrong_type, Some(vec![2]));
    // Three have come, and the first one compares.
    assert_eq!(outcome.firings.len(), 4);
}
