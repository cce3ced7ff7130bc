//! Sessions over SOAP: one kept HTTP connection, which carries one request at a time.
//!
//! ```text
//! caller -> SoapSession -> soap::operation (request) -> link (HTTP, repeats reads) -> agent
//!                          soap::answer (rows, values)  <-
//! ```

pub(crate) mod link;
mod options;
mod rows;
mod select;
mod walk;

use std::sync::{Arc, LazyLock};

use tokio::sync::mpsc;
use trunkline_smi::schema::{Scalar, Table as Schema};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, VarBind};
pub use trunkline_soap::fault::{Fault, FaultKind};

use trunkline_soap::Limits;
use trunkline_soap::answer::{self, Object};
use trunkline_soap::catalog::{Catalog, ObjectName, TableVerb};
use trunkline_soap::operation::{self, Assignment, Operation, Request, RowRange, TableRequest};

use crate::answer::Answer;
use crate::error::Error;
use crate::eventing::EventSource;
use crate::table::{Table, TableLimit};
use crate::target::{SoapTarget, SoapWho};
use crate::walk::{Walk, WalkOptions};
use link::{Answered, Link, Weight};
pub use options::{Encoding, SoapOptions, SoapVersion};
use rows::Rows;

/// A handle of a SOAP session with one agent; cheap to clone.
#[derive(Clone)]
pub struct SoapSession {
    inner: Arc<Inner>,
}

struct Inner {
    link: Link,
    /// The community in the requests, if that is what authenticates them.
    community: Option<String>,
    options: SoapOptions,
    target: SoapTarget,
}

/// The operations: the schema is constant.
static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::complete);

impl SoapSession {
    /// Connects, with HTTPS up to the agent's authentication. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Transport`] if the host is not found or not reached, or one end does not trust the other.
    pub async fn open(target: &SoapTarget, options: SoapOptions) -> Result<Self, Error> {
        let session = Self::on_demand(target, options)?;
        session.inner.link.connect().await?;
        Ok(session)
    }

    /// A session that connects on the first request.
    ///
    /// # Errors
    /// [`Error::Transport`] if HTTPS is requested and the target has no trust anchors.
    pub fn on_demand(target: &SoapTarget, options: SoapOptions) -> Result<Self, Error> {
        let community = match &target.who {
            SoapWho::Community(octets) => Some(String::from_utf8_lossy(octets).into_owned()),
            SoapWho::Login(_) | SoapWho::Session => None,
        };
        let link = Link::new(target, &options)?;
        Ok(SoapSession { inner: Arc::new(Inner { link, community, options, target: target.clone() }) })
    }

    /// Closes the connection in order, for HTTPS until the agent has answered the end, for a second at most. Another request
    /// makes another connection.
    pub async fn close(&self) {
        self.inner.link.close_in_order().await;
    }

    /// The same agent as a source of events, over a connection of its own.
    ///
    /// # Errors
    /// Something that TLS needs is missing.
    pub fn events(&self) -> Result<EventSource, Error> {
        EventSource::new(&self.inner.target, self.inner.options.clone())
    }

    /// The session's options.
    #[must_use]
    pub fn options(&self) -> &SoapOptions {
        &self.inner.options
    }

    /// The values of these instances, in this order; a missing one is marked as such.
    ///
    /// # Errors
    /// [`Error`]; [`Error::Fault`] if the agent refuses.
    pub async fn get(&self, names: &[Oid]) -> Result<Answer, Error> {
        let operation = Operation::Get { names: object_names(names), mark_missing: true };
        let answer = self.objects(operation, Weight::Reads).await?;
        let found = answer.bindings.len();
        if found != names.len() {
            return Err(Error::BindingCount { expected: names.len(), found });
        }
        for (position, (expected, binding)) in names.iter().zip(&answer.bindings).enumerate() {
            if *expected != binding.name {
                let (expected, found) = (expected.clone(), binding.name.clone());
                return Err(Error::WrongName { position: position + 1, expected, found });
            }
        }
        Ok(answer)
    }

    /// The instance after each name.
    ///
    /// # Errors
    /// As [`SoapSession::get`].
    pub async fn next(&self, names: &[Oid]) -> Result<Answer, Error> {
        let answer = self.next_many(names, 1).await?;
        match answer.bindings.len() {
            found if found == names.len() => Ok(answer),
            found => Err(Error::BindingCount { expected: names.len(), found }),
        }
    }

    /// The `count` instances after each name.
    ///
    /// # Errors
    /// As [`SoapSession::get`].
    pub async fn next_many(&self, names: &[Oid], count: usize) -> Result<Answer, Error> {
        let operation = Operation::GetNext { names: object_names(names), count };
        let answer = self.objects(operation, Weight::Reads).await?;
        let expected = names.len().saturating_mul(count);
        match answer.bindings.len() {
            found if found <= expected => Ok(answer),
            found => Err(Error::BindingCount { expected, found }),
        }
    }

    /// The same as GetBulk of SNMP: the instance after each of the first `non_repeaters` names, then
    /// `max_repetitions` instances after each other name, interleaved.
    ///
    /// # Errors
    /// As [`SoapSession::get`].
    pub async fn bulk(
        &self,
        non_repeaters: u32,
        max_repetitions: u32,
        names: &[Oid],
    ) -> Result<Answer, Error> {
        let (once, often) = names.split_at(names.len().min(non_repeaters as usize));
        let count = max_repetitions as usize;
        if once.is_empty() && count > 0 {
            return self.next_many(often, count).await;
        }
        let mut answer = self.next(once).await?;
        if !often.is_empty() && count > 0 {
            let rest = self.next_many(often, count).await?;
            answer.bindings.extend(rest.bindings);
            answer.cost += rest.cost;
        }
        Ok(answer)
    }

    /// Sets all of the values, or none. Never sent twice.
    ///
    /// # Errors
    /// As [`SoapSession::get`]; [`Error::OutcomeUnknown`] if the connection breaks before the answer;
    /// [`Error::Unspecified`] for a binding without a value.
    pub async fn set(&self, bindings: &[VarBind]) -> Result<Answer, Error> {
        let assignment = |binding: &VarBind| match &binding.value {
            Bound::Value(value) => Ok(Assignment { name: object_name(&binding.name), value: value.clone() }),
            _ => Err(Error::Unspecified { name: binding.name.clone() }),
        };
        let assignments = bindings.iter().map(assignment).collect::<Result<_, _>>()?;
        let operation = Operation::Set(assignments);
        let answered = self.exchange(operation, Encoding::Typed, Weight::Writes).await?;
        answer::read_done(&answered.body, self.limits(), Encoding::Typed)?;
        Ok(answered.answer(bindings.to_vec()))
    }

    /// All rows of these columns of a table, in one exchange; in several if the agent says that one answer would
    /// be too long.
    ///
    /// # Errors
    /// As [`SoapSession::get`].
    pub async fn table(&self, schema: &'static Schema, columns: &[u32]) -> Result<Table, Error> {
        self.table_within(schema, columns, TableLimit::default()).await
    }

    /// As [`SoapSession::table`], within the given limit.
    ///
    /// # Errors
    /// As [`SoapSession::table`].
    pub async fn table_within(
        &self,
        schema: &'static Schema,
        columns: &[u32],
        limit: TableLimit,
    ) -> Result<Table, Error> {
        let mut rows = Rows::new(schema, columns, limit)?;
        match self.rows(&mut rows, TableVerb::Whole, RowRange::All).await {
            Err(Error::Fault { fault }) if fault.kind == FaultKind::TooBig => {
                self.in_parts(&mut rows).await?
            }
            other => drop(other?),
        }
        Ok(rows.table)
    }

    /// One column of a table.
    ///
    /// # Errors
    /// As [`SoapSession::get`].
    pub async fn column(&self, schema: &'static Schema, column: u32) -> Result<Table, Error> {
        let mut rows = Rows::new(schema, &[column], TableLimit::default())?;
        self.rows(&mut rows, TableVerb::Column, RowRange::All).await?;
        Ok(rows.table)
    }

    /// One row of a table.
    ///
    /// # Errors
    /// As [`SoapSession::get`]; a missing row is a fault.
    pub async fn row(&self, schema: &'static Schema, columns: &[u32], index: &[u32]) -> Result<Table, Error> {
        let mut rows = Rows::new(schema, columns, TableLimit::default())?;
        self.rows(&mut rows, TableVerb::Row, RowRange::One(Oid::EMPTY.child(index))).await?;
        Ok(rows.table)
    }

    /// At most `count` rows after this index; an empty one is before the first row.
    ///
    /// # Errors
    /// As [`SoapSession::get`].
    pub async fn next_rows(
        &self,
        schema: &'static Schema,
        columns: &[u32],
        after: &[u32],
        count: usize,
    ) -> Result<Table, Error> {
        let mut rows = Rows::new(schema, columns, TableLimit::default())?;
        let range = RowRange::After { index: Oid::EMPTY.child(after), count };
        self.rows(&mut rows, TableVerb::NextRows, range).await?;
        Ok(rows.table)
    }

    /// The scalars of a group, such as `system`.
    ///
    /// # Errors
    /// As [`SoapSession::get`]; [`Error::NotInSchema`] for a group that no module defines.
    pub async fn group(&self, name: &str) -> Result<Answer, Error> {
        let at = CATALOG.groups().iter().position(|group| group.name == name);
        let at = at.ok_or_else(|| Error::NotInSchema { name: name.to_owned() })?;
        let group = &CATALOG.groups()[at];
        let encoding = self.inner.options.encoding;
        let answered = self.exchange(Operation::Group(at), encoding, Weight::Reads).await?;
        let rows = answer::read_rows(&answered.body, self.limits(), encoding, &group.record)?;
        let cells = rows.into_iter().flat_map(|row| row.cells);
        let binding = |(scalar, value): (&&Scalar, Option<Value>)| {
            Some(VarBind::new(Oid::EMPTY.child(scalar.oid).child(&[0]), value?))
        };
        let bindings = group.scalars.iter().zip(cells).filter_map(binding).collect();
        Ok(answered.answer(bindings))
    }

    /// Walks the subtree `root`. Must be called on a tokio runtime.
    #[must_use]
    pub fn walk(&self, root: Oid, options: WalkOptions) -> Walk {
        let (batches, received) = mpsc::channel(BATCHES);
        tokio::spawn(walk::run(self.clone(), root, options, batches));
        Walk::of(received)
    }
}

impl SoapSession {
    /// Requests rows and stores them; returns the last index.
    async fn rows(&self, rows: &mut Rows, verb: TableVerb, range: RowRange) -> Result<Option<Oid>, Error> {
        let encoding = self.inner.options.encoding;
        let columns = rows.wanted.clone();
        let request = TableRequest { verb, table: rows.at, columns, range };
        let answered = self.exchange(Operation::Table(request), encoding, Weight::Reads).await?;
        let found = answer::read_rows(&answered.body, self.limits(), encoding, &rows.record)?;
        let last = found.last().map(|row| row.index.clone());
        found.into_iter().try_for_each(|row| rows.take(row))?;
        Ok(last)
    }

    /// All rows, in parts.
    async fn in_parts(&self, rows: &mut Rows) -> Result<(), Error> {
        let mut after = Oid::EMPTY;
        let mut count = ROWS_AT_ONCE;
        loop {
            let range = RowRange::After { index: after.clone(), count };
            match self.rows(rows, TableVerb::NextRows, range).await {
                Err(Error::Fault { fault }) if fault.kind == FaultKind::TooBig && count > 1 => count /= 2,
                Err(error) => return Err(error),
                Ok(None) => return Ok(()),
                Ok(Some(last)) if last <= after => {
                    return Err(Error::NotIncreasing { previous: after, found: last });
                }
                Ok(Some(last)) => after = last,
            }
        }
    }

    async fn objects(&self, operation: Operation, weight: Weight) -> Result<Answer, Error> {
        // Objects `as-in-paper` do not contain their instance.
        let encoding = match self.inner.options.encoding {
            Encoding::Lean => Encoding::Lean,
            Encoding::Typed | Encoding::AsInPaper => Encoding::Typed,
        };
        let answered = self.exchange(operation, encoding, weight).await?;
        let found = answer::read_objects(&answered.body, self.limits(), encoding, |_| None)?;
        let binding = |object: Object| {
            let value = match object.value {
                Ok(value) => Bound::Value(value),
                Err(exception) => Bound::Exception(exception),
            };
            VarBind { name: object.oid.unwrap_or_default(), value }
        };
        Ok(answered.answer(found.into_iter().map(binding).collect()))
    }

    async fn exchange(
        &self,
        operation: Operation,
        encoding: Encoding,
        weight: Weight,
    ) -> Result<Answered, Error> {
        let Inner { link, community, options, .. } = &*self.inner;
        let mut request = Request::new(&CATALOG, options.version, encoding, operation);
        request.community.clone_from(community);
        let mut message = Vec::new();
        operation::write(&CATALOG, &request, &mut message);
        let action = request.action();
        let action = (options.version == SoapVersion::V1_1).then_some(action.as_str());
        link.ask(action, message, weight).await
    }

    fn limits(&self) -> Limits {
        Limits { octets: self.inner.options.max_answer, ..Limits::MESSAGE }
    }
}

fn object_names(names: &[Oid]) -> Vec<ObjectName> {
    names.iter().map(object_name).collect()
}

fn object_name(oid: &Oid) -> ObjectName {
    ObjectName { text: oid.to_string(), oid: oid.clone() }
}

/// Rows per request when a whole table is too large.
const ROWS_AT_ONCE: usize = 1_000;
/// Answers of a walk that wait for the reader.
const BATCHES: usize = 4;
