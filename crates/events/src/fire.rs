//! What an event does: it sends a notification, or sets an object, or both.

use trunkline_smi::module::disman_event_mib as mib;
use trunkline_smi::schema::{Notification, Scalar};
use trunkline_smi::{Oid, Value};
use trunkline_tree::policy::ViewType;
use trunkline_tree::{Event as Notified, SetBinding, SetStatus};

use crate::authority::Authority;
use crate::configured::{BUILT_IN, HOT_OBJECTS};
use crate::definition::{Definitions, Event, Named, Reason, SetObject, Trigger};
use crate::resources::Resources;
use crate::sampler::Firing;
use crate::task::Task;
use trunkline_core::NotSet;

/// Does what the event of an instance that fires says.
pub(crate) async fn fire(task: &Task, firing: &Firing) {
    let definitions = task.shared.definitions.load_full();
    let Some(event) = definitions.events.get(&firing.event) else {
        Resources::count(&task.shared.resources.event_failures, 1);
        let (trigger, event) = (text(&task.trigger.id.name), text(&firing.event.name));
        tracing::debug!(trigger, event, "a trigger fires, and its event is not active");
        return;
    };
    let instance = task.trigger.object.instance(&firing.suffix);
    let (trigger, name) = (text(&task.trigger.id.name), text(&firing.event.name));
    tracing::info!(trigger, event = name, %instance, "a trigger fires");
    if let Some((notification, objects)) = &event.notification {
        let objects = notification_objects(task, &definitions, (notification, objects), firing).await;
        let context = text(&task.trigger.context);
        let about = Some(task.shared.about(&instance));
        task.outbox.tell(Notified { context, about, ..Notified::new(notification.clone(), objects) });
    }
    if let Some(set) = &event.set {
        let name = set.object.instance(if task.trigger.object.wildcard { &firing.suffix } else { &[] });
        if let Err(failure) = set_object(task, event, set, &name).await {
            Resources::count(&task.shared.resources.event_failures, 1);
            tracing::warn!(trigger, object = %name, reason = failure, "an event cannot set its object");
            if task.shared.plan.load().failures {
                let failed = hot(&task.trigger, &name, (&mib::MTE_FAILED_REASON, Value::Integer(failure)));
                let about = vec![name.clone()];
                task.outbox.tell(notified(&mib::MTE_EVENT_SET_FAILURE, failed, &set.context, about));
            }
        }
    }
}

/// mteTriggerFailure.
pub(crate) fn trigger_failure(task: &Task, instance: &Oid, reason: Reason) -> Notified {
    let trigger = &task.trigger;
    let objects = hot(trigger, instance, (&mib::MTE_FAILED_REASON, Value::Integer(reason as i32)));
    notified(&mib::MTE_TRIGGER_FAILURE, objects, &trigger.context, task.shared.about(instance))
}

fn notified(
    notification: &Notification,
    objects: Vec<(Oid, Value)>,
    context: &[u8],
    about: Vec<Oid>,
) -> Notified {
    let event = Notified::new(Oid::EMPTY.child(notification.oid), objects);
    Notified { context: text(context), about: Some(about), ..event }
}

/// The objects that the notifications of DISMAN-EVENT-MIB have.
fn hot(trigger: &Trigger, instance: &Oid, last: (&Scalar, Value)) -> Vec<(Oid, Value)> {
    let octets = |octets: &[u8]| Value::OctetString(octets.to_vec());
    let objects = [
        (&mib::MTE_HOT_TRIGGER, octets(&trigger.id.name)),
        // Only this agent itself is sampled.
        (&mib::MTE_HOT_TARGET_NAME, octets(&[])),
        (&mib::MTE_HOT_CONTEXT_NAME, octets(&trigger.context)),
        (&mib::MTE_HOT_OID, Value::ObjectIdentifier(instance.clone())),
        last,
    ];
    objects.map(|(scalar, value)| (Oid::EMPTY.child(scalar.oid).child(&[0]), value)).into()
}

/// The objects of a notification: its own, if it is one of this MIB module, and the groups of the event, of the
/// trigger and of the test. What is not there, or may not be read, is left out (RFC 2981, mteObjectsIndex).
async fn notification_objects(
    task: &Task,
    definitions: &Definitions,
    (notification, of_event): (&Oid, &Named),
    firing: &Firing,
) -> Vec<(Oid, Value)> {
    let trigger = &task.trigger;
    let own = [&mib::MTE_TRIGGER_FIRED, &mib::MTE_TRIGGER_RISING, &mib::MTE_TRIGGER_FALLING];
    // An event may name them for another notification, too.
    let is_named = of_event.owner == BUILT_IN.as_bytes() && of_event.name == HOT_OBJECTS.as_bytes();
    let mut objects = match is_named || own.iter().any(|own| **notification == *own.oid) {
        true => {
            let instance = trigger.object.instance(&firing.suffix);
            hot(trigger, &instance, (&mib::MTE_HOT_VALUE, firing.value.clone()))
        }
        false => Vec::new(),
    };
    // Net-SNMP's order: what the event has comes first, since it completes the notification (decision 0088).
    let mut groups = [of_event, &trigger.objects, &firing.objects];
    if task.shared.plan.load().trigger_first {
        groups.rotate_left(1);
    }
    let settings = task.core.settings();
    let reads = |authority: &Authority| {
        authority.access(&task.core, &settings, &trigger.context, ViewType::Read).ok()
    };
    let Some(access) = reads(&trigger.authority) else { return objects };
    let suffix: &[u32] = if trigger.object.wildcard { &firing.suffix } else { &[] };
    for extra in
        groups.into_iter().filter(|group| group.is_some()).flat_map(|group| definitions.objects(group))
    {
        let name = extra.object.instance(suffix);
        // Whoever has named the object must be allowed to read it too.
        let is_readable = match &extra.authority {
            Authority::Configuration => true,
            authority if *authority == trigger.authority => true,
            authority => reads(authority).is_some_and(|access| access.may_read_name(&name)),
        };
        if is_readable && let Ok(Some(value)) = settings.served().value(&name, &access).await {
            objects.push((name, value));
        }
    }
    objects
}

/// Sets the object of an event by the rights of the trigger; whoever has defined the event must have them too.
/// Returns FailureReason.
async fn set_object(task: &Task, event: &Event, set: &SetObject, name: &Oid) -> Result<(), i32> {
    let Authority::Principal(principal) = &task.trigger.authority else {
        return Err(Reason::NoAccess as i32);
    };
    let settings = task.core.settings();
    let writes = |authority: &Authority| {
        authority.access(&task.core, &settings, &set.context, ViewType::Write).map_err(|reason| reason as i32)
    };
    let access = writes(&task.trigger.authority)?;
    if event.authority != Authority::Configuration
        && event.authority != task.trigger.authority
        && !writes(&event.authority)?.may_write(name)
    {
        return Err(Reason::NoAccess as i32);
    }
    let binding = SetBinding { name: name.clone(), value: Some(Value::Integer(set.value)) };
    match settings.set(&principal.as_principal(), &access, vec![binding]).await {
        Ok(()) => Ok(()),
        Err(NotSet::Refused(failure)) => Err(status(failure.status)),
        Err(NotSet::Panicked | NotSet::Changed) => Err(Reason::GenErr as i32),
    }
}

/// FailureReason of a refused set: the numbers of RFC 3416.
fn status(status: SetStatus) -> i32 {
    match status {
        SetStatus::NoAccess => 6,
        SetStatus::WrongType => 7,
        SetStatus::WrongLength => 8,
        SetStatus::WrongValue => 10,
        SetStatus::NoCreation => 11,
        SetStatus::InconsistentValue => 12,
        SetStatus::ResourceUnavailable => 13,
        SetStatus::CommitFailed => 14,
        SetStatus::UndoFailed => 15,
        SetStatus::NotWritable => 17,
        SetStatus::InconsistentName => 18,
    }
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}
