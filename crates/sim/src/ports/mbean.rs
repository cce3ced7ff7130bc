//! The MBean of an agent, `sim:type=Agent`: attributes that are made of the same objects that SNMP reads, so that a recorded
//! agent has them as far as its recording goes.

use trunkline_jmx::model::{
    Array, Attribute, AttributeInfo, Exception, Feature, Info, MarshalledObject, Mbean, ObjectInstance,
    ObjectName, Query, Value, Work,
};
use trunkline_jmx::remote::{Reply, Request};
use trunkline_jmx::stream::Class;
use trunkline_jmx::stream::classes::exceptions;
use trunkline_smi::{OidBuf, ValueRef};

use super::jmx::LIMITS;
use crate::objects::Objects;

/// Answers a request to the connection of an agent with these objects. `is_wrong`: each value is a text.
pub(super) fn reply(objects: &dyn Objects, request: Request, is_wrong: bool) -> Reply {
    let bean = match bean(objects) {
        Ok(bean) => Bean { is_wrong, ..bean },
        Err(reply) => return *reply,
    };
    match request {
        Request::GetDefaultDomain => Reply::Value(DOMAIN.into()),
        Request::GetDomains => Reply::Value(Value::Array(Array::Strings(vec![DOMAIN.to_owned()]))),
        Request::GetMBeanCount => Reply::Value(Value::Integer(1)),
        Request::QueryNames { name, query } => match bean.is_selected(name, query) {
            Ok(is_selected) => Reply::Names(is_selected.then_some(bean.name).into_iter().collect()),
            Err(reply) => *reply,
        },
        Request::QueryMBeans { name, query } => match bean.is_selected(name, query) {
            Ok(is_selected) => Reply::Instances(is_selected.then(|| bean.instance()).into_iter().collect()),
            Err(reply) => *reply,
        },
        Request::IsRegistered(name) => Reply::Boolean(bean.is(&name)),
        Request::AddNotificationListeners { names, .. } => {
            Reply::Listeners((0..names.len().min(MOST_LISTENERS) as i32).collect())
        }
        other => bean.reply(other),
    }
}

/// The MBean of one agent at one moment.
struct Bean<'o> {
    name: ObjectName,
    objects: &'o dyn Objects,
    is_wrong: bool,
}

fn bean(objects: &dyn Objects) -> Result<Bean<'_>, Box<Reply>> {
    let name = NAME.parse::<ObjectName>();
    let name =
        name.map_err(|error| refused(&exceptions::MALFORMED_OBJECT_NAME_EXCEPTION, error.to_string()))?;
    Ok(Bean { name, objects, is_wrong: false })
}

impl Bean<'_> {
    /// Requests that name the MBean.
    fn reply(&self, request: Request) -> Reply {
        let name = match &request {
            Request::GetObjectInstance(name) | Request::GetMBeanInfo(name) => name,
            Request::IsInstanceOf { name, .. }
            | Request::GetAttribute { name, .. }
            | Request::GetAttributes { name, .. }
            | Request::SetAttribute { name, .. }
            | Request::SetAttributes { name, .. }
            | Request::Invoke { name, .. }
            | Request::RemoveNotificationListeners { name, .. } => name,
            _ => return unsupported(),
        };
        if !self.is(name) {
            return *refused(&exceptions::INSTANCE_NOT_FOUND_EXCEPTION, name.to_string());
        }
        match request {
            Request::GetObjectInstance(_) => Reply::Value(Value::Instance(self.instance())),
            Request::GetMBeanInfo(_) => Reply::Info(Box::new(self.info())),
            Request::IsInstanceOf { class, .. } => Reply::Boolean(self.is_instance_of(&class)),
            Request::GetAttribute { attribute, .. } => self.get(&attribute),
            Request::GetAttributes { attributes, .. } => self.get_all(attributes),
            Request::SetAttribute { .. } => read_only(),
            Request::SetAttributes { .. } => Reply::Value(Value::Attributes(Vec::new())),
            Request::Invoke { operation, .. } => no_operation(&operation),
            _ => Reply::Void,
        }
    }

    fn is(&self, name: &ObjectName) -> bool {
        name.clone().or_domain(DOMAIN) == self.name
    }

    fn instance(&self) -> ObjectInstance {
        ObjectInstance { name: self.name.clone(), class: Some(CLASS.to_owned()) }
    }

    fn is_selected(
        &self,
        pattern: Option<ObjectName>,
        query: Option<MarshalledObject>,
    ) -> Result<bool, Box<Reply>> {
        let is_named = pattern.is_none_or(|pattern| match pattern.is_pattern() {
            true => pattern.or_domain(DOMAIN).matches(&self.name),
            false => self.is(&pattern),
        });
        let Some(query) = query else { return Ok(is_named) };
        let wrong = |text: String| refused(&exceptions::ILLEGAL_ARGUMENT_EXCEPTION, text);
        let query = match query.value(LIMITS).map_err(|error| wrong(error.to_string()))? {
            Value::Null => return Ok(is_named),
            Value::Query(query) => *query,
            Value::Name(name) => Query::Name(name),
            other => return Err(wrong(format!("{} is not a query", other.class_name()))),
        };
        Ok(is_named && query.selects(self, &mut Work::of(WORK)))
    }

    fn get(&self, attribute: &str) -> Reply {
        match self.attribute(attribute) {
            Some(value) => Reply::Value(value),
            None => *refused(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION, format!("no attribute {attribute}")),
        }
    }

    /// What there is of them: the others are left out, as JMX has it.
    fn get_all(&self, names: Vec<String>) -> Reply {
        let found = names.into_iter().filter_map(|name| {
            let value = self.attribute(&name)?;
            Some(Attribute { name, value })
        });
        Reply::Value(Value::Attributes(found.collect()))
    }

    fn info(&self) -> Info {
        let of = |known: &Known| AttributeInfo {
            feature: Feature {
                descriptor: known.units.map(|units| ("units".to_owned(), units.into())).into_iter().collect(),
                ..Feature::new(known.name, known.description)
            },
            class: Some(known.of.class().to_owned()),
            readable: true,
            ..AttributeInfo::default()
        };
        let there = ATTRIBUTES.iter().filter(|known| known.of.read(self.objects).is_some());
        Info {
            class: Some(CLASS.to_owned()),
            description: Some("a simulated agent".to_owned()),
            attributes: there.map(of).collect(),
            descriptor: vec![("immutableInfo".to_owned(), "true".into())],
            ..Info::default()
        }
    }
}

impl Mbean for Bean<'_> {
    fn name(&self) -> &ObjectName {
        &self.name
    }

    fn class_name(&self) -> &str {
        CLASS
    }

    fn is_instance_of(&self, class: &str) -> bool {
        [CLASS, "javax.management.DynamicMBean", "java.lang.Object"].contains(&class)
    }

    fn attribute(&self, name: &str) -> Option<Value> {
        let value = ATTRIBUTES.iter().find(|known| known.name == name)?.of.read(self.objects)?;
        Some(if self.is_wrong { "not of this type".into() } else { value })
    }
}

fn refused(class: &'static Class, text: impl Into<String>) -> Box<Reply> {
    Box::new(Reply::Exception(Exception::new(class, text)))
}

fn read_only() -> Reply {
    *refused(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION, "the attributes of simulated agents are read-only")
}

fn no_operation(name: &str) -> Reply {
    let cause = Exception::new(&exceptions::NO_SUCH_METHOD_EXCEPTION, name);
    let text = "simulated agents have no operations";
    Reply::Exception(Exception::new(&exceptions::REFLECTION_EXCEPTION, text).caused_by(cause))
}

fn unsupported() -> Reply {
    *refused(&exceptions::SECURITY_EXCEPTION, "simulated agents have one MBean, which nobody changes")
}

/// An attribute.
struct Known {
    name: &'static str,
    description: &'static str,
    units: Option<&'static str>,
    of: Source,
}

/// Of which object its value is made.
enum Source {
    /// A text of this instance.
    Text(&'static [u32]),
    /// A number of this instance, times a factor.
    Number(&'static [u32], i64),
    /// Numbers of the instances of this column, in the order of its rows.
    Column(&'static [u32]),
    /// Texts of them.
    Texts(&'static [u32]),
}

impl Source {
    const fn class(&self) -> &'static str {
        match self {
            Source::Text(_) => "java.lang.String",
            Source::Number(..) => "long",
            Source::Column(_) => "[J",
            Source::Texts(_) => "[Ljava.lang.String;",
        }
    }

    /// None if the agent has no such object.
    fn read(&self, objects: &dyn Objects) -> Option<Value> {
        let mut made = Vec::new();
        match self {
            Source::Text(name) => text(objects.get(name, &mut made).ok()?).map(Value::String),
            Source::Number(name, factor) => {
                let value = number(objects.get(name, &mut made).ok()?)?;
                Some(Value::Long(value.wrapping_mul(*factor)))
            }
            Source::Column(name) => column(objects, name, number).map(|it| Value::Array(Array::Longs(it))),
            Source::Texts(name) => column(objects, name, text).map(|it| Value::Array(Array::Strings(it))),
        }
    }
}

/// The values of a column; none if it has no row.
fn column<T>(
    objects: &dyn Objects,
    prefix: &[u32],
    read: impl Fn(ValueRef<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let (mut name, mut made, mut found) = (OidBuf::new(), Vec::new(), Vec::new());
    name.extend(prefix).ok()?;
    while found.len() < MOST_ROWS {
        let Some(value) = objects.next(&mut name, &mut made) else { break };
        if !name.starts_with(prefix) {
            break;
        }
        found.push(read(value)?);
    }
    (!found.is_empty()).then_some(found)
}

fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::OctetString(octets) => Some(String::from_utf8_lossy(octets).into_owned()),
        _ => None,
    }
}

fn number(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(number) => Some(number.into()),
        ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
            Some(number.into())
        }
        // Java has no number without a sign: the upper half is below zero, as with its own counters.
        ValueRef::Counter64(number) => Some(number.cast_signed()),
        _ => None,
    }
}

const DOMAIN: &str = "sim";
const NAME: &str = "sim:type=Agent";
const CLASS: &str = "org.trunkline.sim.Agent";
/// Rows of a column.
const MOST_ROWS: usize = 4096;
/// Steps of a query.
const WORK: u64 = 1 << 20;
/// Listeners of one call.
const MOST_LISTENERS: usize = 4096;

macro_rules! attributes {
    (@units) => { None };
    (@units $units:literal) => { Some($units) };
    (@of Number $oid:tt) => { Source::Number(&$oid, 1) };
    (@of Number $oid:tt $factor:literal) => { Source::Number(&$oid, $factor) };
    (@of $of:ident $oid:tt) => { Source::$of(&$oid) };
    ($($name:literal $of:ident $oid:tt $(* $factor:literal)? $(in $units:literal)?: $description:literal;)+) => {
        &[$(Known {
            name: $name,
            description: $description,
            units: attributes!(@units $($units)?),
            of: attributes!(@of $of $oid $($factor)?),
        }),+]
    };
}

/// SNMPv2-MIB, UCD-SNMP-MIB, IF-MIB. Memory is in KiB there.
static ATTRIBUTES: &[Known] = attributes! {
    "Name" Text [1, 3, 6, 1, 2, 1, 1, 5, 0]: "the agent's name (sysName)";
    "Description" Text [1, 3, 6, 1, 2, 1, 1, 1, 0]: "what it is (sysDescr)";
    "Location" Text [1, 3, 6, 1, 2, 1, 1, 6, 0]: "where it is (sysLocation)";
    "Uptime" Number [1, 3, 6, 1, 2, 1, 1, 3, 0] * 10 in "milliseconds": "since it started (sysUpTime)";
    "FreeMemory" Number [1, 3, 6, 1, 4, 1, 2021, 4, 6, 0] * 1024 in "octets": "memory that is free (memAvailReal)";
    "TotalMemory" Number [1, 3, 6, 1, 4, 1, 2021, 4, 5, 0] * 1024 in "octets": "memory (memTotalReal)";
    "Interfaces" Number [1, 3, 6, 1, 2, 1, 2, 1, 0]: "how many interfaces it has (ifNumber)";
    "InterfaceNames" Texts [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1]: "the interfaces' names (ifName)";
    "InterfaceStatus" Column [1, 3, 6, 1, 2, 1, 2, 2, 1, 8]: "1 up, 2 down (ifOperStatus)";
    "InOctets" Column [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6] in "octets": "received by each interface (ifHCInOctets)";
    "OutOctets" Column [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10] in "octets": "sent by each interface (ifHCOutOctets)";
};
