//! A session with an agent, whichever protocol it speaks: the operations that all protocols have, and answers with
//! their cost.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Oid, VarBind};
#[cfg(feature = "http")]
use trunkline_soap::expression::message::{SelectAnswer, SelectRequest};

use crate::answer::{Answer, Cost};
use crate::error::{Error, position_of};
use crate::exchange::Response;
#[cfg(feature = "netconf")]
use crate::netconf::NetconfSession;
use crate::snmp_session::SnmpSession;
#[cfg(feature = "http")]
use crate::soap::SoapSession;
use crate::table::{Table, TableLimit, table_within};
use crate::walk::{Walk, WalkOptions, walk};

/// The future of a request's result.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A session with an agent. A refusal by the agent is an error: [`Error::Status`] over SNMP, `Error::Fault` over
/// SOAP, `Error::Netconf` over NETCONF.
///
/// Operations of a single protocol are methods of its own type, which [`dyn Session`](trait@Session) gives access
/// to: `session.as_snmp()`, `session.as_soap()`, `session.as_netconf()`.
pub trait Session: Send + Sync {
    /// The values of these instances, in this order.
    fn get<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer>;

    /// The instance after each name.
    fn next<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer>;

    /// The instance after each of the first `non_repeaters` names, and `max_repetitions` instances after each
    /// other name, interleaved.
    fn bulk<'a>(&'a self, non_repeaters: u32, max_repetitions: u32, names: &'a [Oid]) -> Asking<'a, Answer>;

    /// Sets all of the values, or none.
    fn set<'a>(&'a self, bindings: &'a [VarBind]) -> Asking<'a, Answer>;

    /// Walks the subtree `root`. Must be called on a tokio runtime.
    fn walk(&self, root: Oid, options: WalkOptions) -> Walk;

    /// All rows of these columns of a table, within the limit.
    fn table<'a>(
        &'a self,
        schema: &'static Schema,
        columns: &'a [u32],
        limit: TableLimit,
    ) -> Asking<'a, Table>;

    /// Lets the agent carry out a selection; `None` if the protocol has none, so that rows must be fetched and
    /// compared here.
    #[cfg(feature = "http")]
    fn select<'a>(&'a self, request: &'a SelectRequest) -> Option<Asking<'a, (SelectAnswer, Cost)>> {
        let _ = request;
        None
    }

    /// Ends the session in order: the connection is closed as its protocol says, and the agent's answer to that awaited, for
    /// a second at most. Requests under way fail.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Its concrete type, for operations of a single protocol.
    fn as_any(&self) -> &dyn Any;
}

impl dyn Session + '_ {
    /// The SNMP session, if it is one.
    #[must_use]
    pub fn as_snmp(&self) -> Option<&SnmpSession> {
        self.as_any().downcast_ref()
    }

    /// The SOAP session, if it is one.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn as_soap(&self) -> Option<&SoapSession> {
        self.as_any().downcast_ref()
    }

    /// The NETCONF session, if it is one.
    #[cfg(feature = "netconf")]
    #[must_use]
    pub fn as_netconf(&self) -> Option<&NetconfSession> {
        self.as_any().downcast_ref()
    }
}

impl Response {
    /// The protocol-neutral form.
    ///
    /// # Errors
    /// [`Error::Status`] for any error-status but noError.
    pub fn into_answer(self) -> Result<Answer, Error> {
        let cost = self.cost();
        Ok(Answer { bindings: self.into_bindings()?, cost })
    }

    /// The cost of the answer.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        let Response { request_octets, response_octets, delay, attempts, .. } = *self;
        Cost { request_octets, response_octets, delay, attempts }
    }
}

impl Session for SnmpSession {
    fn get<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(async move { named(SnmpSession::get(self, names).await?, names) })
    }

    fn next<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(async move { named(SnmpSession::next(self, names).await?, names) })
    }

    fn bulk<'a>(&'a self, non_repeaters: u32, max_repetitions: u32, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(async move {
            named(SnmpSession::bulk(self, non_repeaters, max_repetitions, names).await?, names)
        })
    }

    fn set<'a>(&'a self, bindings: &'a [VarBind]) -> Asking<'a, Answer> {
        Box::pin(async move {
            let names: Vec<Oid> = bindings.iter().map(|binding| binding.name.clone()).collect();
            named(SnmpSession::set(self, bindings).await?, &names)
        })
    }

    fn walk(&self, root: Oid, options: WalkOptions) -> Walk {
        walk(self, root, options)
    }

    fn table<'a>(
        &'a self,
        schema: &'static Schema,
        columns: &'a [u32],
        limit: TableLimit,
    ) -> Asking<'a, Table> {
        Box::pin(async move {
            let entry = Oid::EMPTY.child(schema.oid).child(&[1]);
            let columns: Vec<Oid> = columns.iter().map(|column| entry.child(&[*column])).collect();
            table_within(self, &columns, WalkOptions::default(), limit).await
        })
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(SnmpSession::close(self))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An agent's error refers to the requested name, whatever the agent sent back.
fn named(response: Response, names: &[Oid]) -> Result<Answer, Error> {
    response.into_answer().map_err(|error| match error {
        Error::Status { status, index, .. } => {
            Error::Status { status, index, name: position_of(index).and_then(|at| names.get(at)).cloned() }
        }
        other => other,
    })
}

#[cfg(feature = "http")]
impl Session for SoapSession {
    fn get<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(SoapSession::get(self, names))
    }

    fn next<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(SoapSession::next(self, names))
    }

    fn bulk<'a>(&'a self, non_repeaters: u32, max_repetitions: u32, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(SoapSession::bulk(self, non_repeaters, max_repetitions, names))
    }

    fn set<'a>(&'a self, bindings: &'a [VarBind]) -> Asking<'a, Answer> {
        Box::pin(SoapSession::set(self, bindings))
    }

    fn walk(&self, root: Oid, options: WalkOptions) -> Walk {
        SoapSession::walk(self, root, options)
    }

    fn table<'a>(
        &'a self,
        schema: &'static Schema,
        columns: &'a [u32],
        limit: TableLimit,
    ) -> Asking<'a, Table> {
        Box::pin(self.table_within(schema, columns, limit))
    }

    fn select<'a>(&'a self, request: &'a SelectRequest) -> Option<Asking<'a, (SelectAnswer, Cost)>> {
        Some(Box::pin(SoapSession::select(self, request)))
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(SoapSession::close(self))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
