//! Single objects and the scalars of a group.

use trunkline_smi::{OidBuf, OidList, Value, ValueRef};
use trunkline_soap::catalog::{Catalog, ObjectName};
use trunkline_soap::encoding::ObjectWriter;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_tree::{Exception, Name, Operation, Progress, Query, Room, Sink, Walker};

use super::work::{Work, too_big};

/// Writes each object as it comes.
struct Objects<'a> {
    writer: ObjectWriter<'a>,
    out: &'a mut Vec<u8>,
    work: &'a Work<'a>,
    marks_missing: bool,
    /// The missing values that are a fault.
    missing: Option<Exception>,
    name: OidBuf,
}

impl Objects<'_> {
    fn taken(&mut self, before: usize) -> Room {
        if self.work.has_room(self.out.len()) {
            return Room::Taken;
        }
        self.out.truncate(before);
        Room::Full
    }

    fn whole(&mut self, name: Name<'_>) {
        self.name.clear();
        // A leaf's instance is a name of at most 128 sub-identifiers.
        let _ = match name {
            Name::Asked(name) => self.name.extend(name),
            Name::Instance(leaf, index) => {
                self.name.extend(leaf.oid()).and_then(|()| self.name.extend(index))
            }
        };
    }
}

impl Sink for Objects<'_> {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        let before = self.out.len();
        self.whole(name);
        self.writer.value(self.out, &self.name, value);
        self.taken(before)
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        if !self.marks_missing {
            self.missing = Some(exception);
            return Room::Full;
        }
        let before = self.out.len();
        self.whole(name);
        self.writer.missing(self.out, &self.name, exception);
        self.taken(before)
    }
}

pub(super) async fn get(
    work: &Work<'_>,
    names: &[ObjectName],
    mark_missing: bool,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let progress = retrieve(work, names, Operation::Get, mark_missing, out).await?;
    match progress {
        Progress::Full { .. } => Err(too_big(work.limit, "request fewer names at a time")),
        _ => Ok(()),
    }
}

pub(super) async fn get_next(
    work: &Work<'_>,
    names: &[ObjectName],
    count: usize,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    if count == 1 {
        let progress = retrieve(work, names, Operation::Next, true, out).await?;
        return match progress {
            Progress::Full { .. } => Err(too_big(work.limit, "request fewer names at a time")),
            _ => Ok(()),
        };
    }
    let operation = Operation::Bulk { non_repeaters: 0, max_repetitions: count };
    let before = out.len();
    match retrieve(work, names, operation, true, out).await? {
        // There may be fewer instances than requested, but not none.
        Progress::Full { .. } if out.len() == before => Err(too_big(work.limit, "request fewer at a time")),
        _ => Ok(()),
    }
}

async fn retrieve(
    work: &Work<'_>,
    names: &[ObjectName],
    operation: Operation,
    marks_missing: bool,
    out: &mut Vec<u8>,
) -> Result<Progress, Fault> {
    let list: OidList = names.iter().map(|name| &*name.oid).collect();
    let query = query(work, operation, &list);
    let catalog = &work.service.catalog;
    let mut sink = Objects {
        writer: ObjectWriter::new(catalog, work.encoding),
        out,
        work,
        marks_missing,
        missing: None,
        name: OidBuf::new(),
    };
    let mut walker = Walker::new();
    let progress = work.served.retrieve(&mut walker, &query, &mut sink).await;
    let at = walker.binding();
    let name = names.get(at);
    if let (Some(exception), Some(name)) = (sink.missing, name) {
        return Err(is_missing(catalog, exception, name, at));
    }
    progress.map_err(|unanswered| {
        let fault = Fault::source_failed(unanswered).at(at);
        name.map_or(fault.clone(), |name| fault.about(&name.text).oid(&name.oid))
    })
}

fn query<'q>(work: &'q Work<'_>, operation: Operation, names: &'q OidList) -> Query<'q> {
    Query {
        operation,
        names,
        access: work.access,
        without_counter64: false,
        arrived: work.arrived,
        max_bindings: usize::MAX,
        may_end_early: false,
    }
}

/// A name without a visible value.
fn is_missing(catalog: &Catalog, missing: Exception, name: &ObjectName, at: usize) -> Fault {
    let kind = match missing {
        Exception::NoSuchObject => FaultKind::NoSuchObject,
        Exception::NoSuchInstance | Exception::EndOfMibView => FaultKind::NoSuchInstance,
    };
    let text = &name.text;
    let object = catalog.object_of(&name.oid);
    let reason = match (missing, object) {
        (Exception::NoSuchObject, _) => format!("there is no object {text} here, or you may not read it"),
        (_, Some((_, object, _, len))) if name.oid.len() == len => {
            format!(
                "{text} is an object without an instance: as in {object}.0 of a scalar, {object}.1 of a column"
            )
        }
        _ => format!("there is no instance {text} here, or you may not read it"),
    };
    let fault = Fault::new(kind, reason).about(text).oid(&name.oid).at(at);
    match object {
        Some((_, _, _, len)) if name.oid.len() > len => {
            fault.row(trunkline_smi::display_oid(&name.oid[len..]))
        }
        _ => fault,
    }
}

/// Keeps the values of a group's scalars, by their position.
#[derive(Default)]
struct Scalars(Vec<Option<Value>>);

impl Sink for Scalars {
    fn value(&mut self, _: Name<'_>, value: ValueRef<'_>) -> Room {
        self.0.push(Some(value.to_value()));
        Room::Taken
    }

    fn exception(&mut self, _: Name<'_>, _: Exception) -> Room {
        self.0.push(None);
        Room::Taken
    }
}

/// Scalars, of which there are few.
pub(super) async fn group(work: &Work<'_>, group: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let query = query(work, Operation::Get, work.service.instances(group));
    let mut found = Scalars::default();
    work.served.retrieve(&mut Walker::new(), &query, &mut found).await.map_err(Fault::source_failed)?;
    let name = work.service.catalog.groups()[group].name;
    if found.0.iter().all(Option::is_none) {
        let reason = format!("there is nothing of {name} here, or you may not read it");
        return Err(Fault::new(FaultKind::NoSuchObject, reason).about(name));
    }
    let template = work.service.templates.group(&work.service.catalog, group, work.encoding);
    template.begin(out);
    template.row(out, &[], found.0.iter().map(|value| value.as_ref().map(Value::as_value_ref)));
    Ok(())
}
