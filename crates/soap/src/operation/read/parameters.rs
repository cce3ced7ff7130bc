//! The content of an operation.

use trunkline_smi::SetStatus;
use trunkline_smi::schema::{IndexPart, SyntaxError};
use trunkline_smi::{IndexValue, Oid, OidBuf, encode_index};
use trunkline_xml::{Name, Reader};

use super::super::{Assignment, Operation, RequestLimits, RowRange, TableRequest};
use crate::catalog::{Catalog, NameError, ObjectName, Record, TableVerb};
use crate::encoding::{Encoding, kind_of_element};
use crate::envelope::{excerpt, shown};
use crate::fault::{Fault, FaultKind};
use crate::lexical::{self, LexicalError};
use crate::near::near;

/// Reads the elements within an operation.
pub(super) struct Parameters<'a, 'i> {
    pub catalog: &'a Catalog,
    pub reader: &'a mut Reader<'i>,
    pub limits: &'a RequestLimits,
    pub encoding: Encoding,
    pub namespace: &'a str,
    pub community: Option<String>,
}

/// The index objects of a row, as they come.
struct Key {
    parts: &'static [IndexPart],
    values: Vec<Option<IndexValue>>,
}

impl<'i> Parameters<'_, 'i> {
    pub fn get(&mut self) -> Result<Operation, Fault> {
        let (mut names, mut mark_missing) = (Vec::new(), false);
        while let Some(local) = self.next()? {
            match local {
                "name" => self.name_into(&mut names)?,
                "markMissing" => mark_missing = self.boolean()?,
                other => return Err(unexpected(other, &["name", "markMissing", "community"])),
            }
        }
        some_names(&names)?;
        Ok(Operation::Get { names, mark_missing })
    }

    pub fn get_next(&mut self) -> Result<Operation, Fault> {
        let (mut names, mut count) = (Vec::new(), 1);
        while let Some(local) = self.next()? {
            match local {
                "name" => self.name_into(&mut names)?,
                "count" => count = self.count()?,
                other => return Err(unexpected(other, &["name", "count", "community"])),
            }
        }
        some_names(&names)?;
        if names.len().saturating_mul(count) > self.limits.rows {
            let limit = self.limits.rows;
            let reason = format!("{} names {count} times are more than {limit} objects", names.len());
            return Err(Fault::new(FaultKind::TooMany, reason));
        }
        Ok(Operation::GetNext { names, count })
    }

    pub fn set(&mut self) -> Result<Operation, Fault> {
        let mut assignments = Vec::new();
        while let Some(local) = self.next()? {
            match local {
                "object" => {
                    self.room(assignments.len())?;
                    let assignment = self.assignment(assignments.len())?;
                    assignments.push(assignment);
                }
                other => return Err(unexpected(other, &["object", "community"])),
            }
        }
        if assignments.is_empty() {
            return Err(Fault::new(FaultKind::Malformed, "Set needs at least one object"));
        }
        Ok(Operation::Set(assignments))
    }

    pub fn group(&mut self, group: usize) -> Result<Operation, Fault> {
        match self.next()? {
            None => Ok(Operation::Group(group)),
            Some(other) => Err(unexpected(other, &["community"])),
        }
    }

    pub fn set_group(&mut self, group: usize) -> Result<Operation, Fault> {
        let group = &self.catalog.groups()[group];
        let mut assignments = Vec::new();
        while let Some(local) = self.next()? {
            let Some(at) = group.record.field(local) else { return Err(unknown_field(local, &group.record)) };
            let oid = Oid::EMPTY.child(group.scalars[at].oid).child(&[0]);
            let assignment = self.field_value(&group.record, at, oid, assignments.len())?;
            assignments.push(assignment);
        }
        some_values(&assignments, group.name)?;
        Ok(Operation::Set(assignments))
    }

    pub fn table(&mut self, verb: TableVerb, table: usize) -> Result<Operation, Fault> {
        let served = &self.catalog.tables()[table];
        let record = &served.record;
        let mut key = Key { parts: record.keys, values: vec![None; record.keys.len()] };
        let mut columns: Option<Vec<usize>> = None;
        let (mut after, mut count, mut values) = (Oid::EMPTY, None, Vec::new());
        while let Some(local) = self.next()? {
            match (local, verb) {
                ("column", verb) if verb != TableVerb::SetRow => {
                    self.column_into(columns.get_or_insert_default(), record)?;
                }
                ("count", TableVerb::NextRows) => count = Some(self.count()?),
                ("after", TableVerb::NextRows) => after = self.after(record)?,
                (local, TableVerb::Row | TableVerb::SetRow) if key.is_part(local) => {
                    self.key_into(&mut key, local)?;
                }
                (local, TableVerb::SetRow) => {
                    let Some(at) = record.field(local) else { return Err(unknown_field(local, record)) };
                    self.room(values.len())?;
                    // The row's index may come after its values.
                    let column = Oid::EMPTY.child(&served.column_oid(record.fields[at].id));
                    let value = self.field_value(record, at, column, values.len())?;
                    values.push(value);
                }
                (other, _) => return Err(unexpected(other, &parameters_of(verb, record))),
            }
        }
        let range = match verb {
            TableVerb::Whole => RowRange::All,
            TableVerb::Column if columns.as_ref().is_none_or(|columns| columns.len() > 1) => {
                let reason = format!("expected exactly one column of {}", served.table.name);
                return Err(Fault::new(FaultKind::Malformed, reason));
            }
            TableVerb::Column => RowRange::All,
            TableVerb::NextRows => {
                let missing = || Fault::new(FaultKind::Malformed, "count, the number of rows, is missing");
                RowRange::After { index: after, count: count.ok_or_else(missing)? }
            }
            TableVerb::Row => RowRange::One(key.finish(record.element)?),
            TableVerb::SetRow => {
                some_values(&values, record.element)?;
                return Ok(Operation::Set(with_index(values, &key.finish(record.element)?)?));
            }
        };
        Ok(Operation::Table(TableRequest { verb, table, columns, range }))
    }

    /// The next element of the operation; communities are read and `xsi:nil` is skipped.
    fn next(&mut self) -> Result<Option<&'i str>, Fault> {
        while let Some(name) = self.reader.child()? {
            let local = self.own(name)?;
            if self.reader.is_nil()? {
                self.reader.skip()?;
            } else if local == "community" {
                if self.community.is_some() {
                    return Err(Fault::new(FaultKind::Malformed, "duplicate community"));
                }
                self.community = Some(self.reader.leaf()?.trim().to_owned());
            } else {
                return Ok(Some(local));
            }
        }
        Ok(None)
    }

    /// An element is in the operation's namespace or in none (RPC style).
    fn own(&self, name: Name<'i>) -> Result<&'i str, Fault> {
        if self.reader.attribute("", "href").is_some() {
            let reason =
                format!("{} has an href, which is not supported: write the value itself", name.local);
            return Err(Fault::new(FaultKind::Malformed, reason).about(name.local));
        }
        if name.namespace.is_empty() || name.namespace == self.namespace {
            return Ok(name.local);
        }
        let reason = format!("{} is not in the operation's namespace {}", shown(name), self.namespace);
        Err(Fault::new(FaultKind::Malformed, reason).about(excerpt(name.local)))
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        let text = self.reader.leaf()?;
        Ok(self.reader.boolean(&text)?)
    }

    fn count(&mut self) -> Result<usize, Fault> {
        let text = self.reader.leaf()?;
        let digits = text.trim();
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        // What does not fit is a large number all the same.
        let count = is_number.then(|| digits.parse().unwrap_or(usize::MAX)).filter(|count| *count > 0);
        let count = count.ok_or_else(|| self.reader.invalid("a number of at least 1", &text))?;
        if count > self.limits.rows {
            let shown: String = digits.chars().take(40).collect();
            let reason = format!("a count of {shown}: at most {} are accepted", self.limits.rows);
            return Err(Fault::new(FaultKind::TooMany, reason).about("count"));
        }
        Ok(count)
    }

    fn name_into(&mut self, names: &mut Vec<ObjectName>) -> Result<(), Fault> {
        self.room(names.len())?;
        let text = self.reader.leaf()?;
        let name = self.object_name(&text).map_err(|fault| fault.at(names.len()))?;
        names.push(name);
        Ok(())
    }

    fn object_name(&self, text: &str) -> Result<ObjectName, Fault> {
        self.catalog.object_name(text).map_err(|error| {
            let near = if let NameError::Unknown { near, .. } = &error { near.clone() } else { Vec::new() };
            Fault::new(FaultKind::UnknownName, error.to_string()).about(excerpt(text.trim())).near(near)
        })
    }

    fn room(&self, have: usize) -> Result<(), Fault> {
        let limit = self.limits.names;
        if have < limit {
            return Ok(());
        }
        Err(Fault::new(FaultKind::TooMany, format!("one request may name at most {limit} objects")))
    }

    fn column_into(&mut self, columns: &mut Vec<usize>, record: &Record) -> Result<(), Fault> {
        let text = self.reader.leaf()?;
        let name = text.trim();
        if record.keys.iter().any(|part| part.name == name) {
            return Ok(()); // Index objects are in every row.
        }
        let at = record.field(name).ok_or_else(|| unknown_field(name, record))?;
        if let Err(place) = columns.binary_search(&at) {
            columns.insert(place, at);
        }
        Ok(())
    }

    fn after(&mut self, record: &Record) -> Result<Oid, Fault> {
        let mut key = Key { parts: record.keys, values: vec![None; record.keys.len()] };
        while let Some(name) = self.reader.child()? {
            let local = self.own(name)?;
            self.key_into(&mut key, local)?;
        }
        if key.values.iter().all(Option::is_none) { Ok(Oid::EMPTY) } else { key.finish(record.element) }
    }

    fn key_into(&mut self, key: &mut Key, local: &str) -> Result<(), Fault> {
        let Some(at) = key.parts.iter().position(|part| part.name == local) else {
            let known: Vec<&str> = key.parts.iter().map(|part| part.name).collect();
            return Err(unexpected(local, &known));
        };
        let text = self.reader.leaf()?;
        let wrong = |reason: String| Fault::new(FaultKind::WrongKey, reason).about(local);
        if key.values[at].is_some() {
            return Err(wrong(format!("duplicate {local}")));
        }
        let value = lexical::parse_key(&key.parts[at], &text, self.encoding);
        key.values[at] = Some(value.map_err(|error| wrong(format!("{local}: {error}")))?);
        Ok(())
    }

    fn field_value(
        &mut self,
        record: &Record,
        at: usize,
        oid: Oid,
        position: usize,
    ) -> Result<Assignment, Fault> {
        let field = &record.fields[at];
        let text = self.reader.leaf()?;
        let value = lexical::parse(&field.syntax, &text, self.encoding);
        let value = value.map_err(|error| wrong_value(&error, field.name, position))?;
        Ok(Assignment { name: ObjectName { text: field.name.to_owned(), oid }, value })
    }

    /// `<object><name/><value/></object>`, or with its type: `<integer/>` in place of `<value/>`.
    fn assignment(&mut self, position: usize) -> Result<Assignment, Fault> {
        let (mut name, mut text, mut said) = (None, None, None);
        while let Some(element) = self.reader.child()? {
            let local = self.own(element)?;
            match local {
                "name" => {
                    let written = self.reader.leaf()?;
                    name = Some(self.object_name(&written).map_err(|fault| fault.at(position))?);
                }
                "value" => text = Some(self.reader.leaf()?),
                typed => {
                    let syntax =
                        kind_of_element(typed).ok_or_else(|| unexpected(typed, &["name", "value"]))?;
                    said = Some(syntax);
                    text = Some(self.reader.leaf()?);
                }
            }
        }
        let missing =
            |what: &str| Fault::new(FaultKind::Malformed, format!("{what} is missing")).at(position);
        let name: ObjectName = name.ok_or_else(|| missing("name"))?;
        let text = text.ok_or_else(|| missing("value"))?;
        let known = self.catalog.object_of(&name.oid).map(|(_, _, syntax, _)| syntax);
        let Some(syntax) = said.or(known) else {
            let reason = format!("there is no schema for {}: give its type, as in <integer>", name.text);
            return Err(Fault::new(FaultKind::NotSet(SetStatus::WrongType), reason)
                .about(name.text)
                .oid(&name.oid)
                .at(position));
        };
        let value = lexical::parse(&syntax, &text, self.encoding);
        let value = value.map_err(|error| wrong_value(&error, &name.text, position).oid(&name.oid))?;
        Ok(Assignment { name, value })
    }
}

impl Key {
    fn is_part(&self, local: &str) -> bool {
        self.parts.iter().any(|part| part.name == local)
    }

    fn finish(self, entry: &str) -> Result<Oid, Fault> {
        let mut values = Vec::with_capacity(self.values.len());
        for (part, value) in self.parts.iter().zip(self.values) {
            let missing = || {
                let reason = format!("{} is missing: it is part of the index of {entry}", part.name);
                Fault::new(FaultKind::WrongKey, reason).about(part.name)
            };
            values.push(value.ok_or_else(missing)?);
        }
        let mut index = OidBuf::new();
        encode_index(self.parts, &values, &mut index)
            .map_err(|error| Fault::new(FaultKind::WrongKey, error.to_string()).about(entry))?;
        Ok(Oid::from(&index))
    }
}

/// Columns become instances.
fn with_index(values: Vec<Assignment>, index: &Oid) -> Result<Vec<Assignment>, Fault> {
    let whole = |mut assignment: Assignment| {
        let mut oid = assignment.name.oid.to_vec();
        oid.extend_from_slice(index);
        let too_long =
            |error: trunkline_smi::TooLongError| Fault::new(FaultKind::WrongKey, error.to_string());
        assignment.name.oid = Oid::try_from(oid).map_err(too_long)?;
        assignment.name.text = format!("{}.{index}", assignment.name.text);
        Ok(assignment)
    };
    values.into_iter().map(whole).collect()
}

fn wrong_value(error: &LexicalError, name: &str, position: usize) -> Fault {
    let kind = match error.kind {
        SyntaxError::WrongType => FaultKind::NotSet(SetStatus::WrongType),
        SyntaxError::WrongLength => FaultKind::NotSet(SetStatus::WrongLength),
        SyntaxError::WrongValue => FaultKind::NotSet(SetStatus::WrongValue),
    };
    Fault::new(kind, format!("{name}: {error}")).about(name).at(position)
}

fn some_names(names: &[ObjectName]) -> Result<(), Fault> {
    if names.is_empty() {
        return Err(Fault::new(FaultKind::Malformed, "expected at least one name"));
    }
    Ok(())
}

fn some_values(values: &[Assignment], of: &str) -> Result<(), Fault> {
    if values.is_empty() {
        return Err(Fault::new(FaultKind::Malformed, format!("expected at least one new value of {of}")));
    }
    Ok(())
}

fn unexpected(found: &str, expected: &[&str]) -> Fault {
    let reason = format!("unexpected {}; expected {}", excerpt(found), expected.join(", "));
    Fault::new(FaultKind::Malformed, reason).about(excerpt(found)).near(near(found, expected.iter().copied()))
}

fn unknown_field(found: &str, record: &Record) -> Fault {
    let known = record.fields.iter().map(|field| field.name);
    let near = near(found, known);
    let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
    let reason = format!("{} has no {}{hint}", record.element, excerpt(found));
    Fault::new(FaultKind::UnknownName, reason).about(excerpt(found)).near(near)
}

fn parameters_of(verb: TableVerb, record: &Record) -> Vec<&'static str> {
    let keys = record.keys.iter().map(|part| part.name);
    match verb {
        TableVerb::Whole | TableVerb::Column => vec!["column", "community"],
        TableVerb::NextRows => vec!["after", "count", "column", "community"],
        TableVerb::Row | TableVerb::SetRow => keys.chain(["column", "community"]).collect(),
    }
}
