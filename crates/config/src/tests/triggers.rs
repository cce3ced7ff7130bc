//! Triggers and events: what they mean, and what is wrong with them.

use super::*;
use crate::{BooleanPlan, Comparison, ExistencePlan, ObjectPlan, ThresholdPlan, ThresholdStartup};

const TRIGGERS: &str = r#"
[[trigger]]
name = "all"
comment = "each test"
object = "1.3.6.1.2.1.2.2.1.10.*"
context = "lab"
user = "ann"
every = "60s"
discontinuity = "1.3.6.1.2.1.31.1.1.1.19.*"
objects = ["1.3.6.1.2.1.2.2.1.2.*", "1.3.6.1.2.1.1.5.0"]
existence = { test = ["present", "changed"], startup = [], event = "calm" }
boolean = { comparison = ">=", value = -5, startup = false }
threshold = { rising = 20, falling = 10, startup = "rising", event = "calm", falling-event = "_linkUp" }

[[trigger]]
name = "plain"
object = ".1.3"
threshold = { rising = 9, falling = 9, delta-rising = 2, delta-falling = 1 }

[[event]]
name = "calm"
notification = "1.3.6.1.4.1.8072.9999.0.1"
objects = ["1.3.6.1.2.1.1.5.0"]
set = { object = "1.3.6.1.2.1.2.2.1.7.*", value = 2 }

[events]
max-instances = 100
failures = true
order = "trigger-first"
"#;

fn object(text: &str, wildcard: bool) -> ObjectPlan {
    ObjectPlan { oid: text.parse().unwrap(), wildcard }
}

#[test]
fn triggers_and_events_mean_what_they_say() {
    let plan = check(TRIGGERS).unwrap();
    let [all, plain] = plan.triggers.as_slice() else { panic!("{:?}", plan.triggers) };
    assert_eq!((all.every, all.delta, all.user.as_deref(), &*all.context), (60, true, Some("ann"), "lab"));
    assert_eq!(all.object, object("1.3.6.1.2.1.2.2.1.10", true));
    assert_eq!(all.discontinuity, Some(object("1.3.6.1.2.1.31.1.1.1.19", true)));
    assert_eq!(all.objects, [object("1.3.6.1.2.1.2.2.1.2", true), object("1.3.6.1.2.1.1.5.0", false)]);
    let existence = ExistencePlan {
        present: true,
        absent: false,
        changed: true,
        startup_present: false,
        startup_absent: false,
        event: "calm".into(),
    };
    assert_eq!(all.existence, Some(existence));
    let (comparison, event) = (Comparison::GreaterOrEqual, "_mteTriggerFired".into());
    assert_eq!(all.boolean, Some(BooleanPlan { comparison, value: -5, startup: false, event }));
    let threshold = ThresholdPlan {
        rising: 20,
        falling: 10,
        delta: None,
        startup: ThresholdStartup::Rising,
        rising_event: "calm".into(),
        falling_event: "_linkUp".into(),
    };
    assert_eq!(all.threshold, Some(threshold));
    assert_eq!((plain.every, plain.delta, plain.object.wildcard), (600, false, false));
    let limits = plain.threshold.as_ref().unwrap();
    assert_eq!((limits.delta, limits.startup), (Some((2, 1)), ThresholdStartup::Both));
    assert_eq!((&*limits.rising_event, &*limits.falling_event), ("_mteTriggerRising", "_mteTriggerFalling"));
    assert_eq!(plan.events[0].set, Some((object("1.3.6.1.2.1.2.2.1.7", true), 2)));
    let limits = &plan.event_limits;
    assert_eq!((limits.max_instances, limits.failures, limits.trigger_first), (100, true, true));
}

#[test]
fn a_set_needs_a_user() {
    let plan = check(TRIGGERS).unwrap();
    assert!(crate::powerless_triggers(&plan).is_empty());
    let text = TRIGGERS.replace("user = \"ann\"\n", "").replace("context = \"lab\"\n", "");
    let warnings = crate::powerless_triggers(&check(&text).unwrap());
    assert!(warnings.len() == 1 && warnings[0].contains("\"all\""), "{warnings:?}");
}

#[test]
fn their_mistakes_are_marked() {
    for (old, new, marked, word) in [
        ("name = \"plain\"", "name = \"all\"", "\"all\"", "twice"),
        ("name = \"plain\"", "name = \"abcdefghijklmnopqrstuvwxyz01234\"", "\"abc", "1 to 30"),
        ("every = \"60s\"", "every = \"1500ms\"", "\"1500ms\"", "whole seconds"),
        ("\"1.3.6.1.2.1.2.2.1.10.*\"", "\"1.3.*.1\"", "\"1.3.*.1\"", "not an object identifier"),
        ("user = \"ann\"\n", "", "\"lab\"", "add user"),
        ("\"changed\"]", "\"other\"]", "\"other\"", "present"),
        ("test = [\"present\", \"changed\"]", "test = []", "\"all\"", "expected test"),
        ("startup = [],", "startup = [\"changed\"],", "\"changed\"", "not a startup"),
        ("\">=\"", "\"=>\"", "\"=>\"", "!=, =="),
        ("value = -5", "value = -3000000000", "-3000000000", "out of range"),
        ("falling = 10", "falling = 21", "21", "above the upper limit"),
        ("startup = \"rising\"", "startup = \"always\"", "\"always\"", "not a startup"),
        ("event = \"calm\",", "event = \"clam\",", "\"clam\"", "_mteTriggerFired"),
        ("falling = 9", "falling = 9, startup = \"none\"", "", ""),
        (", delta-falling = 1", "", "2", "both delta-rising"),
        ("object = \".1.3\"", "object = \".1.3\"\ndelta = true", "\"plain\"", "already tests differences"),
        (
            "threshold = { rising = 9, falling = 9, delta-rising = 2, delta-falling = 1 }",
            "",
            "\"plain\"",
            "expected a test",
        ),
        ("name = \"calm\"", "name = \"_calm\"", "\"_calm\"", "built-in"),
        (
            "notification = \"1.3.6.1.4.1.8072.9999.0.1\"\nobjects = [\"1.3.6.1.2.1.1.5.0\"]\nset = { object = \"1.3.6.1.2.1.2.2.1.7.*\", value = 2 }",
            "",
            "\"calm\"",
            "what the event does",
        ),
        ("max-instances = 100", "max-instances = 0", "0", "1 to 1000000"),
        ("\"trigger-first\"", "\"first\"", "\"first\"", "event-first"),
    ] {
        assert!(TRIGGERS.contains(old), "{old}");
        // The event that the others name must be there.
        let text = TRIGGERS.replacen(old, new, 1);
        if word.is_empty() {
            check(&text).unwrap();
            continue;
        }
        let error = check(&text).expect_err(new);
        assert!(error.message.contains(word), "{new:?} gave {:?}", error.message);
        let at =
            text.lines().take(error.line - 1).map(|line| line.len() + 1).sum::<usize>() + error.column - 1;
        assert!(text[at..].starts_with(marked), "{new:?} is marked at {:?}: {error}", &text[at..at + 20]);
    }
}
