//! Notifications of MIB modules as notifications of JMX.

use std::sync::Arc;

use trunkline_jmx::model::{
    ArrayType, CompositeData, CompositeType, Detail, Item, Monitored, Notification, OpenType, SimpleType,
    Value as Java,
};
use trunkline_smi::module::{ALL, trunkline_mib};
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Oid, Value, ValueKind, display_oid};

use crate::changes::{AttributeChange, CHANGES, Change};
use crate::names::class;
use crate::{Catalog, JavaType, to_java};

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct Happened<'h> {
    /// Which notification: the value of snmpTrapOID.0.
    pub oid: &'h [u32],
    /// Its objects.
    pub objects: &'h [(Oid, Value)],
    /// Its number in the series of this agent.
    pub sequence: i64,
    /// When it happened, in milliseconds since 1970.
    pub time: i64,
}

/// A notification that an MBean sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitted {
    /// The notification.
    pub notification: Notification,
    /// The instance whose value it is about: it is for those alone who may read that.
    pub about: Option<Oid>,
}

/// An object of a notification.
pub(crate) struct Object {
    name: String,
    pub java: JavaType,
    pub value: Java,
}

/// A notification that tells of a value beyond a limit.
struct Limit {
    notification: &'static [u32],
    kind: &'static str,
    value: &'static str,
    threshold: Option<&'static str>,
    /// The object that holds the name of the instance.
    instance: Option<&'static str>,
}

const LIMITS: [Limit; 4] = [
    Limit {
        notification: trunkline_mib::MONITOR_RISING.oid,
        kind: HIGH,
        value: "monitorValue",
        threshold: Some("monitorThreshold"),
        instance: None,
    },
    Limit {
        notification: trunkline_mib::MONITOR_FALLING.oid,
        kind: LOW,
        value: "monitorValue",
        threshold: Some("monitorThreshold"),
        instance: None,
    },
    Limit {
        notification: &[1, 3, 6, 1, 2, 1, 88, 2, 0, 2],
        kind: HIGH,
        value: "mteHotValue",
        threshold: None,
        instance: Some("mteHotOID"),
    },
    Limit {
        notification: &[1, 3, 6, 1, 2, 1, 88, 2, 0, 3],
        kind: LOW,
        value: "mteHotValue",
        threshold: None,
        instance: Some("mteHotOID"),
    },
];

/// `MonitorNotification.THRESHOLD_HIGH_VALUE_EXCEEDED` and its counterpart.
const HIGH: &str = "jmx.monitor.gauge.high";
const LOW: &str = "jmx.monitor.gauge.low";
/// `AttributeChangeNotification.ATTRIBUTE_CHANGE`
pub(crate) const ATTRIBUTE_CHANGE: &str = "jmx.attribute.change";

/// The type of a notification.
pub(crate) fn kind_of(oid: &[u32], name: &str) -> String {
    LIMITS.iter().find(|limit| limit.notification == oid).map_or_else(|| class(name), |it| it.kind.to_owned())
}

impl Happened<'_> {
    /// As notifications: one of the MBean where all come from, with the objects by their descriptors as user data; and one of each
    /// MBean whose attribute has changed.
    #[must_use]
    pub fn notifications(&self, catalog: &Catalog) -> Vec<Emitted> {
        let known = ALL.iter().flat_map(|module| module.notifications).find(|it| it.oid == self.oid);
        let name = known.map_or_else(|| display_oid(self.oid).to_string(), |it| it.name.to_owned());
        let objects = self.objects();
        let first = Notification {
            kind: kind_of(self.oid, &name),
            source: Catalog::notifications().map_or(Java::Null, Java::Name),
            sequence: self.sequence,
            time: self.time,
            message: Some(name.clone()),
            detail: self.limit(catalog, &objects),
            user_data: user_data(&class(&name), objects),
        };
        let first = Emitted { notification: first, about: None };
        std::iter::once(first).chain(self.changes(catalog, &name)).collect()
    }

    /// Its objects in the order of their names, each once.
    fn objects(&self) -> Vec<Object> {
        let mut objects: Vec<Object> = Vec::with_capacity(self.objects.len());
        for (oid, value) in self.objects {
            let mut object = Object::of(oid, value);
            if objects.iter().any(|other| other.name == object.name) {
                object.name = display_oid(oid).to_string();
            }
            if objects.iter().all(|other| other.name != object.name) {
                objects.push(object);
            }
        }
        objects.sort_by(|a, b| a.name.cmp(&b.name));
        objects
    }

    /// What a monitor has seen.
    fn limit(&self, catalog: &Catalog, objects: &[Object]) -> Detail {
        let Some(limit) = LIMITS.iter().find(|limit| limit.notification == self.oid) else {
            return Detail::None;
        };
        let value = |name: &str| objects.iter().find(|it| it.name == name).map(|it| it.value.clone());
        let instance = limit.instance.and_then(value);
        let instance = match &instance {
            Some(Java::String(text)) => text.parse::<Oid>().ok(),
            _ => None,
        };
        let place = instance.and_then(|instance| catalog.place_of(&instance));
        let (object, attribute) = match place {
            Some((object, attribute)) => (Some(object), Some(attribute.to_owned())),
            None => (Catalog::notifications(), Some(limit.value.to_owned())),
        };
        Detail::Monitor(Box::new(Monitored {
            object,
            attribute,
            gauge: value(limit.value).map_or(Java::Null, number),
            trigger: limit.threshold.and_then(value).map_or(Java::Null, number),
        }))
    }

    fn changes(&self, catalog: &Catalog, name: &str) -> Vec<Emitted> {
        let change = |(oid, value): &(Oid, Value)| {
            let (_, attribute) = catalog.place_of(oid)?;
            let is_it = |change: &&Change| change.notification == self.oid && change.column == attribute;
            CHANGES.iter().find(is_it)?;
            let change = AttributeChange {
                instance: oid,
                // Whoever reports it does not say.
                old: None,
                new: Some(value),
                message: Some(name),
                sequence: self.sequence,
                time: self.time,
            };
            Some(Emitted { notification: change.notification(catalog)?, about: Some(oid.clone()) })
        };
        self.objects.iter().filter_map(change).collect()
    }
}

impl Object {
    pub fn of(oid: &[u32], value: &Value) -> Self {
        let (name, syntax) = match known(oid).filter(|(_, syntax)| syntax.kind == value.as_value_ref().kind())
        {
            Some((name, syntax)) => (name.to_owned(), syntax),
            None => (display_oid(oid).to_string(), of_kind(value.as_value_ref().kind())),
        };
        Object { name, java: JavaType::of(&syntax), value: to_java(value.as_value_ref(), &syntax) }
    }
}

/// What Java's monitors have as numbers, from an object that has it as a text.
fn number(value: Java) -> Java {
    let Java::String(text) = &value else { return value };
    if let Ok(whole) = text.parse() {
        return Java::Long(whole);
    }
    match text.parse() {
        Ok(fraction) => Java::Double(fraction),
        Err(_) => value,
    }
}

/// The object of an instance.
fn known(oid: &[u32]) -> Option<(&'static str, Syntax)> {
    let scalars = ALL.iter().flat_map(|module| module.scalars);
    let scalar = || scalars.clone().find(|it| oid.starts_with(it.oid)).map(|it| (it.name, it.syntax));
    let table = ALL.iter().flat_map(|module| module.tables).find(|table| oid.starts_with(table.oid));
    let column = |table: &'static trunkline_smi::schema::Table| {
        let id = oid.get(table.oid.len() + 1)?;
        table.column(*id).map(|column| (column.name, column.syntax))
    };
    table.and_then(column).or_else(scalar)
}

fn of_kind(kind: ValueKind) -> Syntax {
    match kind {
        ValueKind::Integer => Syntax::INTEGER32,
        ValueKind::OctetString => Syntax::OCTET_STRING,
        ValueKind::ObjectIdentifier => Syntax::OBJECT_IDENTIFIER,
        ValueKind::IpAddress => Syntax::IP_ADDRESS,
        ValueKind::Counter32 => Syntax::COUNTER32,
        ValueKind::Unsigned32 => Syntax::GAUGE32,
        ValueKind::TimeTicks => Syntax::TIME_TICKS,
        ValueKind::Opaque => Syntax::OPAQUE,
        ValueKind::Counter64 => Syntax::COUNTER64,
    }
}

/// Composite data; a type without items is not valid in Java, so that without objects there is null.
fn user_data(kind: &str, objects: Vec<Object>) -> Java {
    if objects.is_empty() {
        return Java::Null;
    }
    let item = |object: &Object| Item {
        name: object.name.clone(),
        description: object.name.clone(),
        open_type: open_type(object.java),
    };
    let composite_type = Arc::new(CompositeType {
        name: kind.to_owned(),
        description: format!("The objects of {kind}"),
        items: objects.iter().map(item).collect(),
    });
    let values = objects.into_iter().map(|object| object.value).collect();
    Java::Composite(Box::new(CompositeData { composite_type, values }))
}

fn open_type(java: JavaType) -> OpenType {
    match java {
        JavaType::Boolean => OpenType::Simple(SimpleType::Boolean),
        JavaType::Integer => OpenType::Simple(SimpleType::Integer),
        JavaType::Long => OpenType::Simple(SimpleType::Long),
        JavaType::Float => OpenType::Simple(SimpleType::Float),
        JavaType::Text => OpenType::Simple(SimpleType::String),
        JavaType::Octets => OpenType::Array(Arc::new(ArrayType::of_primitives(1, SimpleType::Byte))),
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::module::if_mib;

    use super::*;

    fn notifications(oid: &[u32], objects: &[(&[u32], Value)]) -> Vec<Notification> {
        let objects: Vec<(Oid, Value)> =
            objects.iter().map(|(oid, value)| (Oid::new(oid).unwrap(), value.clone())).collect();
        let happened = Happened { oid, objects: &objects, sequence: 7, time: 1_000 };
        let emitted = happened.notifications(&Catalog::new(|_| true));
        // A change is for those who may read what has changed.
        let is_change = |it: &Emitted| it.notification.kind == ATTRIBUTE_CHANGE;
        assert!(emitted.iter().all(|it| it.about.is_some() == is_change(it)));
        emitted.into_iter().map(|it| it.notification).collect()
    }

    fn notification(objects: &[(&[u32], Value)]) -> Notification {
        notifications(if_mib::LINK_DOWN.oid, objects).swap_remove(0)
    }

    #[test]
    fn a_change_of_state_comes_from_its_row() {
        let status = [1, 3, 6, 1, 2, 1, 2, 2, 1, 8, 2];
        let found = notifications(if_mib::LINK_UP.oid, &[(&status, Value::Integer(1))]);
        let [all, change] = &found[..] else { panic!("{found:?}") };
        assert_eq!((all.kind.as_str(), change.kind.as_str()), ("trunkline.linkUp", "jmx.attribute.change"));
        assert_eq!(change.source, Java::Name("trunkline:type=ifEntry,ifIndex=2".parse().unwrap()));
        let Detail::AttributeChange { name, new, .. } = &change.detail else { panic!("{change:?}") };
        assert_eq!((name.as_deref(), new), (Some("ifOperStatus"), &Java::Integer(1)));
        assert_eq!(notifications(&[1, 3], &[(&status, Value::Integer(1))]).len(), 1);
    }

    #[test]
    fn a_limit_that_is_crossed_is_a_monitors_notification() {
        let scalar = |id: u32| [1, 3, 6, 1, 2, 1, 88, 2, 1, id, 0];
        let mtu = Oid::new(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 4, 7]).unwrap();
        let objects =
            [(&scalar(4)[..], Value::ObjectIdentifier(mtu)), (&scalar(5)[..], Value::Integer(9000))];
        let found = notifications(&[1, 3, 6, 1, 2, 1, 88, 2, 0, 2], &objects).swap_remove(0);
        assert_eq!((found.kind.as_str(), found.message.as_deref()), (HIGH, Some("mteTriggerRising")));
        let Detail::Monitor(seen) = found.detail else { panic!("{found:?}") };
        assert_eq!(seen.object, Some("trunkline:type=ifEntry,ifIndex=7".parse().unwrap()));
        assert_eq!((seen.attribute.as_deref(), seen.gauge), (Some("ifMtu"), Java::Integer(9000)));
        // What a monitor of ours has seen is a text in the MIB, and a number for Java.
        let texts = [("76", Java::Long(76)), ("0.5", Java::Double(0.5)), ("up", "up".into())];
        texts.into_iter().for_each(|(text, java)| assert_eq!(number(text.into()), java));
        for limit in LIMITS {
            let known = ALL.iter().flat_map(|module| module.notifications);
            let known = { known }.find(|it| it.oid == limit.notification).unwrap();
            let names = [Some(limit.value), limit.threshold, limit.instance];
            assert!(names.into_iter().flatten().all(|name| known.objects.contains(&name)), "{}", known.name);
        }
        for change in CHANGES {
            let known =
                ALL.iter().flat_map(|module| module.notifications).find(|it| it.oid == change.notification);
            assert!(known.unwrap().objects.contains(&change.column));
        }
    }

    #[test]
    fn a_link_that_goes_down_is_a_notification_with_its_objects() {
        let column = |id: u32| [1, 3, 6, 1, 2, 1, 2, 2, 1, id, 2];
        let found = notification(&[
            (&column(1), Value::Integer(2)),
            (&column(8), Value::Integer(2)),
            (&column(2), Value::OctetString(b"eth0".to_vec())),
            (&[1, 3, 6, 1, 4, 1, 99999, 1], Value::OctetString(vec![1])),
        ]);
        assert_eq!((found.kind.as_str(), found.sequence, found.time), ("trunkline.linkDown", 7, 1_000));
        assert_eq!(found.source, Java::Name("trunkline:type=notifications".parse().unwrap()));
        let Java::Composite(data) = found.user_data else { panic!("no composite data") };
        assert_eq!(data.get("ifIndex"), Some(&Java::Integer(2)));
        assert_eq!(data.get("ifDescr"), Some(&"eth0".into()));
        assert!(data.get("1.3.6.1.4.1.99999.1").is_some());
        let names: Vec<&str> = data.composite_type.items.iter().map(|item| item.name.as_str()).collect();
        assert!(names.is_sorted(), "{names:?}");
    }

    #[test]
    fn two_instances_of_an_object_have_two_names() {
        let mtu = |index: u32| [1, 3, 6, 1, 2, 1, 2, 2, 1, 4, index];
        let found = notification(&[(&mtu(1), Value::Integer(1)), (&mtu(2), Value::Integer(2))]);
        let Java::Composite(data) = found.user_data else { panic!("no composite data") };
        assert_eq!(data.get("ifMtu"), Some(&Java::Integer(1)));
        assert_eq!(data.get("1.3.6.1.2.1.2.2.1.4.2"), Some(&Java::Integer(2)));
        assert_eq!(notification(&[]).user_data, Java::Null);
    }
}
