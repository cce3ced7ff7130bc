//! What DISMAN-EVENT-MIB does from the start: `[[trigger]]`, `[[event]]` and `[events]`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_smi::Oid;
use trunkline_smi::module::{disman_event_mib as mib, if_mib};
use trunkline_smi::schema::Notification;

use super::value::{self, Checked};
use crate::{Place, raw};

/// The events that are there without configuration, by Net-SNMP's names, and what each sends.
pub const BUILT_IN_EVENTS: &[(&str, &Notification)] = &[
    (FIRED, &mib::MTE_TRIGGER_FIRED),
    (RISING, &mib::MTE_TRIGGER_RISING),
    (FALLING, &mib::MTE_TRIGGER_FALLING),
    ("_mteTriggerFailure", &mib::MTE_TRIGGER_FAILURE),
    ("_linkDown", &if_mib::LINK_DOWN),
    ("_linkUp", &if_mib::LINK_UP),
];

const FIRED: &str = "_mteTriggerFired";
const RISING: &str = "_mteTriggerRising";
const FALLING: &str = "_mteTriggerFalling";

/// The longest name: with two more octets it is the name of a group of objects in mteObjectsTable.
const LONGEST_NAME: usize = 30;

/// The limits of DISMAN-EVENT-MIB as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsPlan {
    /// How many instances are sampled at most, whatever mteResourceSampleInstanceMaximum is.
    pub max_instances: usize,
    /// Whether mteTriggerFailure and mteEventSetFailure are sent.
    pub failures: bool,
    /// Whether the objects of the trigger come before those of the event, as in RFC 2981.
    pub trigger_first: bool,
}

impl Default for EventsPlan {
    fn default() -> Self {
        EventsPlan { max_instances: 20_000, failures: false, trigger_first: false }
    }
}

/// An object, or its instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectPlan {
    /// Its identifier.
    pub oid: Oid,
    /// Whether an instance is put behind it: written as `.*`.
    pub wildcard: bool,
}

/// What is sampled, and when something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerPlan {
    /// mteTriggerName: 1 to 30 octets.
    pub name: String,
    /// mteTriggerComment.
    pub comment: String,
    /// What is sampled.
    pub object: ObjectPlan,
    /// The context that it is in.
    pub context: String,
    /// The user of SNMPv3 by whose rights it is read and set; `None`: everything is read, nothing set.
    pub user: Option<String>,
    /// How often, in seconds.
    pub every: u32,
    /// Whether differences between samples are tested.
    pub delta: bool,
    /// What tells that a difference means nothing; `None`: sysUpTime.
    pub discontinuity: Option<ObjectPlan>,
    /// Objects that notifications have with it.
    pub objects: Vec<ObjectPlan>,
    /// The test of existence.
    pub existence: Option<ExistencePlan>,
    /// The comparison.
    pub boolean: Option<BooleanPlan>,
    /// The limits.
    pub threshold: Option<ThresholdPlan>,
}

/// Of an instance that comes, goes or changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistencePlan {
    /// It comes.
    pub present: bool,
    /// It goes.
    pub absent: bool,
    /// Its value changes.
    pub changed: bool,
    /// It is there at the first sample.
    pub startup_present: bool,
    /// It is not there at the first sample.
    pub startup_absent: bool,
    /// The event.
    pub event: String,
}

/// The comparisons of mteTriggerBooleanComparison, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `!=`
    Unequal = 1,
    /// `==`
    Equal = 2,
    /// `<`
    Less = 3,
    /// `<=`
    LessOrEqual = 4,
    /// `>`
    Greater = 5,
    /// `>=`
    GreaterOrEqual = 6,
}

/// Of a value that compares with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooleanPlan {
    /// How.
    pub comparison: Comparison,
    /// With what.
    pub value: i32,
    /// Whether the first sample counts.
    pub startup: bool,
    /// The event.
    pub event: String,
}

/// Which limits the first sample may cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThresholdStartup {
    /// None.
    None = 0,
    /// The upper one.
    Rising = 1,
    /// The lower one.
    Falling = 2,
    /// Either.
    Both = 3,
}

/// Of a value that crosses limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThresholdPlan {
    /// The upper limit.
    pub rising: i32,
    /// The lower limit.
    pub falling: i32,
    /// The upper and the lower limit of the difference between samples.
    pub delta: Option<(i32, i32)>,
    /// What the first sample may do.
    pub startup: ThresholdStartup,
    /// The event at the upper limit.
    pub rising_event: String,
    /// The event at the lower limit.
    pub falling_event: String,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPlan {
    /// mteEventName: 1 to 30 octets.
    pub name: String,
    /// mteEventComment.
    pub comment: String,
    /// The notification that is sent.
    pub notification: Option<Oid>,
    /// The objects that it has.
    pub objects: Vec<ObjectPlan>,
    /// The object that is set, and its value.
    pub set: Option<(ObjectPlan, i32)>,
}

/// Warnings about triggers whose event sets something, and that name no user who may.
pub fn powerless_triggers(plan: &super::Plan) -> Vec<String> {
    let sets = |event: &str| plan.events.iter().any(|known| known.name == event && known.set.is_some());
    let setting = plan.triggers.iter().filter(|trigger| trigger.user.is_none() && trigger.events().any(sets));
    let warning = |trigger: &TriggerPlan| {
        format!(
            "[[trigger]] {:?}: its event sets an object, and without user = a name it may set nothing",
            trigger.name
        )
    };
    setting.map(warning).collect()
}

pub(super) fn check_limits(raw: raw::Events, place: Place<'_>) -> Checked<EventsPlan> {
    let default = EventsPlan::default();
    let max_instances = match &raw.max_instances {
        Some(number) => value::number(number, 1, 1_000_000, place)?,
        None => default.max_instances,
    };
    let trigger_first = match raw.order.as_ref().map(|order| order.get_ref().as_str()) {
        None | Some("event-first") => false,
        Some("trigger-first") => true,
        Some(other) => {
            let message = format!("{other:?} is not an order, expected \"event-first\" or \"trigger-first\"");
            return Err(place.wrong(span(&raw.order), message));
        }
    };
    Ok(EventsPlan { max_instances, failures: raw.failures, trigger_first })
}

pub(super) fn check_events(list: Vec<raw::Event>, place: Place<'_>) -> Checked<Vec<EventPlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_event(raw, &mut seen, place)))
}

fn check_event(raw: raw::Event, seen: &mut BTreeSet<String>, place: Place<'_>) -> Checked<EventPlan> {
    let name = value::name(&raw.name, LONGEST_NAME, seen, place)?;
    if name.starts_with('_') {
        let message = "names that begin with _ are those of the built-in events".into();
        return Err(place.wrong(raw.name.span(), message));
    }
    if raw.notification.is_none() && raw.set.is_none() {
        let message = "expected what the event does: notification = an object identifier, set = { object, value }, \
                       or both";
        return Err(place.wrong(raw.name.span(), message.into()));
    }
    let set = raw.set.map(|set| Ok((object(&set.object, place)?, integer(&set.value, place)?)));
    Ok(EventPlan {
        name,
        comment: comment(raw.comment, place)?,
        notification: raw.notification.map(|text| value::oid(&text, place)).transpose()?,
        objects: objects(raw.objects, place)?,
        set: set.transpose()?,
    })
}

pub(super) fn check_triggers(
    list: Vec<raw::Trigger>,
    events: &[EventPlan],
    place: Place<'_>,
) -> Checked<Vec<TriggerPlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_trigger(raw, events, &mut seen, place)))
}

fn check_trigger(
    raw: raw::Trigger,
    events: &[EventPlan],
    seen: &mut BTreeSet<String>,
    place: Place<'_>,
) -> Checked<TriggerPlan> {
    let name = value::name(&raw.name, LONGEST_NAME, seen, place)?;
    let owner = raw.name.span();
    if raw.existence.is_none() && raw.boolean.is_none() && raw.threshold.is_none() {
        let message = "expected a test: existence, boolean or threshold".into();
        return Err(place.wrong(owner, message));
    }
    let events = Events { events, place };
    let existence = raw.existence.map(|raw| check_existence(raw, owner.clone(), &events)).transpose()?;
    let boolean = raw.boolean.map(|raw| check_boolean(raw, &events)).transpose()?;
    let threshold = raw.threshold.map(|raw| check_threshold(raw, &events)).transpose()?;
    let every_span = span(&raw.every);
    let every = value::time(raw.every, Duration::from_secs(600), place)?;
    if every.subsec_nanos() != 0 {
        return Err(place.wrong(every_span, "expected whole seconds".into()));
    }
    if raw.delta && threshold.as_ref().is_some_and(|threshold| threshold.delta.is_some()) {
        let message =
            "delta = true already tests differences: leave out delta-rising and delta-falling".into();
        return Err(place.wrong(owner, message));
    }
    let user = raw.user.map(|user| value::length(&user, 32, place)).transpose()?;
    if let Some(context) = raw.context.as_ref().filter(|_| user.is_none()) {
        let message = "an object in a context is read by the rights of a user: add user = a name".into();
        return Err(place.wrong(context.span(), message));
    }
    Ok(TriggerPlan {
        name,
        comment: comment(raw.comment, place)?,
        object: object(&raw.object, place)?,
        context: raw.context.map_or_else(|| Ok(String::new()), |text| value::length(&text, 32, place))?,
        user,
        every: u32::try_from(every.as_secs()).unwrap_or(u32::MAX),
        delta: raw.delta || raw.discontinuity.is_some(),
        discontinuity: raw.discontinuity.map(|text| object(&text, place)).transpose()?,
        objects: objects(raw.objects, place)?,
        existence,
        boolean,
        threshold,
    })
}

/// The events that a trigger may name.
struct Events<'e> {
    events: &'e [EventPlan],
    place: Place<'e>,
}

impl Events<'_> {
    fn named(&self, name: Option<&Spanned<String>>, default: &str) -> Checked<String> {
        let Some(name) = name else { return Ok(default.to_owned()) };
        let text = name.get_ref();
        let is_known = BUILT_IN_EVENTS.iter().any(|(known, _)| known == text)
            || self.events.iter().any(|event| event.name == *text);
        if is_known {
            return Ok(text.clone());
        }
        let known = self.events.iter().map(|event| event.name.as_str());
        let known: Vec<&str> = known.chain(BUILT_IN_EVENTS.iter().map(|(name, _)| *name)).collect();
        let message = format!("there is no event {text:?}, expected one of {}", known.join(", "));
        Err(self.place.wrong(name.span(), message))
    }
}

fn check_existence(raw: raw::Existence, owner: Range<usize>, events: &Events<'_>) -> Checked<ExistencePlan> {
    let mut plan = ExistencePlan {
        present: false,
        absent: false,
        changed: false,
        startup_present: false,
        startup_absent: false,
        event: events.named(raw.event.as_ref(), FIRED)?,
    };
    for word in &raw.test {
        match word.get_ref().as_str() {
            "present" => plan.present = true,
            "absent" => plan.absent = true,
            "changed" => plan.changed = true,
            other => {
                let message = format!(
                    "{other:?} is not a test of existence, expected \"present\", \"absent\" or \"changed\""
                );
                return Err(events.place.wrong(word.span(), message));
            }
        }
    }
    if raw.test.is_empty() {
        let message = "expected test = a list of \"present\", \"absent\" and \"changed\"".into();
        return Err(events.place.wrong(owner, message));
    }
    (plan.startup_present, plan.startup_absent) = (plan.present, plan.absent);
    if let Some(startup) = raw.startup {
        (plan.startup_present, plan.startup_absent) = (false, false);
        for word in &startup {
            match word.get_ref().as_str() {
                "present" => plan.startup_present = true,
                "absent" => plan.startup_absent = true,
                other => {
                    let message = format!("{other:?} is not a startup, expected \"present\" or \"absent\"");
                    return Err(events.place.wrong(word.span(), message));
                }
            }
        }
    }
    Ok(plan)
}

fn check_boolean(raw: raw::Boolean, events: &Events<'_>) -> Checked<BooleanPlan> {
    let comparison = Comparison::parse(raw.comparison.get_ref()).ok_or_else(|| {
        let message =
            format!("{:?} is not a comparison, expected !=, ==, <, <=, > or >=", raw.comparison.get_ref());
        events.place.wrong(raw.comparison.span(), message)
    })?;
    Ok(BooleanPlan {
        comparison,
        value: integer(&raw.value, events.place)?,
        startup: raw.startup.unwrap_or(true),
        event: events.named(raw.event.as_ref(), FIRED)?,
    })
}

fn check_threshold(raw: raw::Threshold, events: &Events<'_>) -> Checked<ThresholdPlan> {
    let place = events.place;
    let limits = |rising: &Spanned<i64>, falling: &Spanned<i64>| {
        let (high, low) = (integer(rising, place)?, integer(falling, place)?);
        match low <= high {
            true => Ok((high, low)),
            false => Err(place.wrong(falling.span(), format!("{low} is above the upper limit, {high}"))),
        }
    };
    let (rising, falling) = limits(&raw.rising, &raw.falling)?;
    let delta = match (&raw.delta_rising, &raw.delta_falling) {
        (Some(rising), Some(falling)) => Some(limits(rising, falling)?),
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => {
            let message = "expected both delta-rising and delta-falling, or neither".into();
            return Err(place.wrong(one.span(), message));
        }
    };
    let startup = match raw.startup.as_ref().map(|startup| startup.get_ref().as_str()) {
        None | Some("both") => ThresholdStartup::Both,
        Some("rising") => ThresholdStartup::Rising,
        Some("falling") => ThresholdStartup::Falling,
        Some("none") => ThresholdStartup::None,
        Some(other) => {
            let message =
                format!("{other:?} is not a startup, expected \"rising\", \"falling\", \"both\" or \"none\"");
            return Err(place.wrong(span(&raw.startup), message));
        }
    };
    let of =
        |own: &Option<Spanned<String>>, default| events.named(own.as_ref().or(raw.event.as_ref()), default);
    Ok(ThresholdPlan {
        rising,
        falling,
        delta,
        startup,
        rising_event: of(&raw.rising_event, RISING)?,
        falling_event: of(&raw.falling_event, FALLING)?,
    })
}

impl TriggerPlan {
    /// The events that it names.
    fn events(&self) -> impl Iterator<Item = &str> {
        let existence = self.existence.iter().map(|test| &test.event);
        let boolean = self.boolean.iter().map(|test| &test.event);
        let threshold = self.threshold.iter().flat_map(|test| [&test.rising_event, &test.falling_event]);
        existence.chain(boolean).chain(threshold).map(String::as_str)
    }
}

impl Comparison {
    /// A comparison as it is written.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "!=" => Comparison::Unequal,
            "==" => Comparison::Equal,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }
}

fn objects(list: Option<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<ObjectPlan>> {
    value::all(list.unwrap_or_default().iter().map(|text| object(text, place)))
}

/// An object identifier; with `.*` at its end an instance is put there.
pub(super) fn object(text: &Spanned<String>, place: Place<'_>) -> Checked<ObjectPlan> {
    let (oid, wildcard) = match text.get_ref().strip_suffix(".*") {
        Some(oid) => (oid.to_owned(), true),
        None => (text.get_ref().clone(), false),
    };
    Ok(ObjectPlan { oid: value::oid(&Spanned::new(text.span(), oid), place)?, wildcard })
}

pub(super) fn comment(text: Option<Spanned<String>>, place: Place<'_>) -> Checked<String> {
    text.map_or_else(|| Ok(String::new()), |text| value::length(&text, 255, place))
}

fn integer(value: &Spanned<i64>, place: Place<'_>) -> Checked<i32> {
    i32::try_from(*value.get_ref()).map_err(|_| {
        let message = format!("{} is out of range, expected {} to {}", value.get_ref(), i32::MIN, i32::MAX);
        place.wrong(value.span(), message)
    })
}

fn span<T>(value: &Option<Spanned<T>>) -> Range<usize> {
    value.as_ref().map_or(0..0, Spanned::span)
}
