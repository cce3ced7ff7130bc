//! What every JVM has of itself, as objects of JVM-MANAGEMENT-MIB: the module in which the JDK has its MBeans for SNMP
//! (src/java.management/share/specs of OpenJDK; names, numbers and the rule that what is not known is 0 are from there).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use trunkline_client::Error;
use trunkline_client::snmp::wire::{Bound, Exception, VarBind};
use trunkline_jmx::model::{Attribute, ObjectName, Value as Java};
use trunkline_smi::{Oid, Value};

use super::{ObjectSession, refused};

/// jvmMgtMIBObjects.
const BASE: &[u32] = &[1, 3, 6, 1, 4, 1, 42, 2, 145, 3, 163, 1, 1];

/// MBeans whose objects follow each other.
struct Source {
    /// The first of their objects, below the base.
    from: &'static [u32],
    /// One MBean, or patterns of those that are rows, numbered in the order of their names.
    beans: &'static [&'static str],
    objects: &'static [Object],
}

struct Object {
    /// Below the base.
    id: &'static [u32],
    attribute: &'static str,
    /// Of composite data the item.
    item: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Gauge32,
    Counter32,
    Counter64,
    Integer,
    Text,
    /// HEAP or NON_HEAP.
    Memory,
}

const fn object(id: &'static [u32], attribute: &'static str, kind: Kind) -> Object {
    Object { id, attribute, item: "", kind }
}

const fn item(id: &'static [u32], attribute: &'static str, item: &'static str) -> Object {
    Object { id, attribute, item, kind: Kind::Counter64 }
}

/// In the order of their objects.
const SOURCES: &[Source] = &[
    Source {
        from: &[1],
        beans: &["java.lang:type=ClassLoading"],
        objects: &[
            object(&[1, 1], "LoadedClassCount", Kind::Gauge32),
            object(&[1, 2], "TotalLoadedClassCount", Kind::Counter64),
            object(&[1, 3], "UnloadedClassCount", Kind::Counter64),
        ],
    },
    Source {
        from: &[2],
        beans: &["java.lang:type=Memory"],
        objects: &[
            object(&[2, 1], "ObjectPendingFinalizationCount", Kind::Gauge32),
            item(&[2, 10], "HeapMemoryUsage", "init"),
            item(&[2, 11], "HeapMemoryUsage", "used"),
            item(&[2, 12], "HeapMemoryUsage", "committed"),
            item(&[2, 13], "HeapMemoryUsage", "max"),
            item(&[2, 20], "NonHeapMemoryUsage", "init"),
            item(&[2, 21], "NonHeapMemoryUsage", "used"),
            item(&[2, 22], "NonHeapMemoryUsage", "committed"),
            item(&[2, 23], "NonHeapMemoryUsage", "max"),
        ],
    },
    Source {
        from: &[2, 100],
        beans: &["java.lang:type=GarbageCollector,*", "java.lang:type=MemoryManager,*"],
        objects: &[
            object(&[2, 100, 1, 2], "Name", Kind::Text),
            object(&[2, 101, 1, 2], "CollectionCount", Kind::Counter64),
            object(&[2, 101, 1, 3], "CollectionTime", Kind::Counter64),
        ],
    },
    Source {
        from: &[2, 110],
        beans: &["java.lang:type=MemoryPool,*"],
        objects: &[
            object(&[2, 110, 1, 2], "Name", Kind::Text),
            object(&[2, 110, 1, 3], "Type", Kind::Memory),
            item(&[2, 110, 1, 10], "Usage", "init"),
            item(&[2, 110, 1, 11], "Usage", "used"),
            item(&[2, 110, 1, 12], "Usage", "committed"),
            item(&[2, 110, 1, 13], "Usage", "max"),
            item(&[2, 110, 1, 21], "PeakUsage", "used"),
            item(&[2, 110, 1, 22], "PeakUsage", "committed"),
            item(&[2, 110, 1, 23], "PeakUsage", "max"),
            item(&[2, 110, 1, 31], "CollectionUsage", "used"),
            item(&[2, 110, 1, 32], "CollectionUsage", "committed"),
            item(&[2, 110, 1, 33], "CollectionUsage", "max"),
        ],
    },
    Source {
        from: &[3],
        beans: &["java.lang:type=Threading"],
        objects: &[
            object(&[3, 1], "ThreadCount", Kind::Gauge32),
            object(&[3, 2], "DaemonThreadCount", Kind::Gauge32),
            object(&[3, 3], "PeakThreadCount", Kind::Counter32),
            object(&[3, 4], "TotalStartedThreadCount", Kind::Counter64),
        ],
    },
    Source {
        from: &[4],
        beans: &["java.lang:type=Runtime"],
        objects: &[
            object(&[4, 1], "Name", Kind::Text),
            object(&[4, 2], "VmName", Kind::Text),
            object(&[4, 3], "VmVendor", Kind::Text),
            object(&[4, 4], "VmVersion", Kind::Text),
            object(&[4, 5], "SpecName", Kind::Text),
            object(&[4, 6], "SpecVendor", Kind::Text),
            object(&[4, 7], "SpecVersion", Kind::Text),
            object(&[4, 8], "ManagementSpecVersion", Kind::Text),
            object(&[4, 11], "Uptime", Kind::Counter64),
            object(&[4, 12], "StartTime", Kind::Counter64),
        ],
    },
    Source {
        from: &[6],
        beans: &["java.lang:type=OperatingSystem"],
        objects: &[
            object(&[6, 1], "Name", Kind::Text),
            object(&[6, 2], "Arch", Kind::Text),
            object(&[6, 3], "Version", Kind::Text),
            object(&[6, 4], "AvailableProcessors", Kind::Integer),
        ],
    },
];

/// What one request has read, each source once.
#[derive(Default)]
pub(super) struct Jvm {
    read: BTreeMap<usize, BTreeMap<Oid, Value>>,
}

impl Jvm {
    /// The values of instances.
    pub async fn get(&mut self, session: &ObjectSession, names: &[Oid]) -> Result<Vec<VarBind>, Error> {
        let mut bindings = Vec::with_capacity(names.len());
        for name in names {
            let value = match holds(name) {
                Some(source) => self.source(session, source).await?.get(name).cloned(),
                None => None,
            };
            let value = value.map_or(Bound::Exception(Exception::NoSuchObject), Bound::Value);
            bindings.push(VarBind { name: name.clone(), value });
        }
        Ok(bindings)
    }

    /// So many instances behind a name.
    pub async fn behind(
        &mut self,
        session: &ObjectSession,
        name: &Oid,
        wanted: usize,
    ) -> Result<Vec<(Oid, Value)>, Error> {
        let mut found = Vec::new();
        for source in holds(name).unwrap_or(0)..SOURCES.len() {
            let all = self.source(session, source).await?;
            let behind = all.iter().filter(|(instance, _)| *instance > name);
            found.extend(behind.map(|(instance, value)| (instance.clone(), value.clone())));
            if found.len() >= wanted {
                break;
            }
        }
        found.truncate(wanted);
        Ok(found)
    }

    async fn source(&mut self, session: &ObjectSession, at: usize) -> Result<&BTreeMap<Oid, Value>, Error> {
        Ok(match self.read.entry(at) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(match SOURCES.get(at) {
                Some(source) => read(session, source).await?,
                None => BTreeMap::new(),
            }),
        })
    }
}

/// The source that has a name, if any has it.
fn holds(name: &Oid) -> Option<usize> {
    let rest = name.strip_prefix(BASE)?;
    SOURCES.partition_point(|source| source.from <= rest).checked_sub(1)
}

async fn read(session: &ObjectSession, source: &Source) -> Result<BTreeMap<Oid, Value>, Error> {
    let jmx = &session.inner.jmx;
    let mut attributes: Vec<String> = source.objects.iter().map(|it| it.attribute.to_owned()).collect();
    attributes.dedup();
    let mut all = BTreeMap::new();
    let mut row = 0;
    for text in source.beans {
        let Ok(pattern) = text.parse::<ObjectName>() else { continue };
        let beans = match pattern.is_pattern() {
            true => jmx.query_names(Some(&pattern), None).await.map_err(refused)?,
            false => vec![pattern],
        };
        for bean in beans {
            row += u32::from(text.ends_with('*'));
            let found = match jmx.get_attributes(&bean, &attributes).await {
                Ok(found) => found,
                Err(error) if error.is_no_mbean() => continue,
                Err(error) => return Err(refused(error)),
            };
            for object in source.objects {
                if let Some(value) = value(object, &found) {
                    all.insert(Oid::EMPTY.child(BASE).child(object.id).child(&[row]), value);
                }
            }
        }
    }
    Ok(all)
}

fn value(object: &Object, found: &[Attribute]) -> Option<Value> {
    let value = &found.iter().find(|it| it.name == object.attribute)?.value;
    let value = match value {
        Java::Composite(row) => row.get(object.item)?,
        other => other,
    };
    if let Java::String(text) = value {
        return match object.kind {
            Kind::Text => Some(Value::text(cut(text))),
            Kind::Memory => Some(Value::Integer(if text == "HEAP" { 2 } else { 1 })),
            _ => None,
        };
    }
    let number = match value {
        Java::Integer(number) => i64::from(*number),
        Java::Long(number) => *number,
        _ => return None,
    };
    // What is not known is -1 in Java and 0 in the MIB.
    let number = number.max(0);
    Some(match object.kind {
        Kind::Gauge32 => Value::Unsigned32(u32::try_from(number).unwrap_or(u32::MAX)),
        Kind::Counter32 => Value::Counter32(number as u32),
        Kind::Counter64 => Value::Counter64(number as u64),
        Kind::Integer => Value::Integer(i32::try_from(number).unwrap_or(i32::MAX)),
        Kind::Text | Kind::Memory => return None,
    })
}

/// As much as a DisplayString has.
fn cut(text: &str) -> &str {
    let end = (0..=text.len().min(255)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_follow_each_other_as_their_objects_do() {
        let objects: Vec<&[u32]> = SOURCES.iter().flat_map(|it| it.objects).map(|it| it.id).collect();
        assert!(objects.windows(2).all(|pair| pair[0] < pair[1]), "{objects:?}");
        for (at, source) in SOURCES.iter().enumerate() {
            for object in source.objects {
                assert_eq!(holds(&Oid::EMPTY.child(BASE).child(object.id)), Some(at), "{:?}", object.id);
            }
        }
        assert_eq!(holds(&Oid::from([1, 3, 6])), None);
    }

    #[test]
    fn values_are_of_the_types_of_the_module() {
        let of = |kind, value: Java| {
            let found = [Attribute { name: "a".to_owned(), value }];
            super::value(&object(&[1], "a", kind), &found)
        };
        assert_eq!(of(Kind::Counter64, Java::Long(-1)), Some(Value::Counter64(0)));
        assert_eq!(of(Kind::Gauge32, Java::Integer(7)), Some(Value::Unsigned32(7)));
        assert_eq!(of(Kind::Memory, "HEAP".into()), Some(Value::Integer(2)));
        assert_eq!(of(Kind::Text, Java::String("é".repeat(200))), Some(Value::text("é".repeat(127))));
        for (kind, wrong) in
            [(Kind::Text, Java::Integer(1)), (Kind::Integer, "1".into()), (Kind::Gauge32, Java::Null)]
        {
            assert_eq!(of(kind, wrong), None);
        }
    }
}
