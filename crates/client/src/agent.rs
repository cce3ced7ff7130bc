//! An agent, whichever protocol it is asked by: what both protocols can do, in one form.

use trunkline_smi::Oid;
use trunkline_smi::schema::Table as Schema;
use trunkline_snmp::wire::{VarBind, Version};

use crate::error::Error;
use crate::exchange::Response;
use crate::session::Session;
use crate::soap::SoapSession;
use crate::table::{Table, TableLimit, table_within};
use crate::walk::{Walk, WalkOptions, walk};

/// An agent by SNMP or by SOAP.
#[derive(Clone)]
pub enum Agent {
    /// By SNMP, over whatever carries it.
    Snmp(Session),
    /// By SOAP.
    Soap(SoapSession),
}

impl Agent {
    /// Get: the values of these instances.
    ///
    /// # Errors
    /// [`Error`]; an error-status of SNMP is in the [`Response`], a fault of SOAP is [`Error::Fault`].
    pub async fn get(&self, names: &[Oid]) -> Result<Response, Error> {
        match self {
            Agent::Snmp(session) => session.get(names).await,
            Agent::Soap(session) => session.get(names).await,
        }
    }

    /// GetNext: the instance after each name.
    ///
    /// # Errors
    /// As [`Agent::get`].
    pub async fn next(&self, names: &[Oid]) -> Result<Response, Error> {
        match self {
            Agent::Snmp(session) => session.next(names).await,
            Agent::Soap(session) => session.next(names).await,
        }
    }

    /// GetBulk: the instance after each of the first `non_repeaters` names, and `max_repetitions` after each other.
    ///
    /// # Errors
    /// As [`Agent::get`].
    pub async fn bulk(
        &self,
        non_repeaters: u32,
        max_repetitions: u32,
        names: &[Oid],
    ) -> Result<Response, Error> {
        match self {
            Agent::Snmp(session) => session.bulk(non_repeaters, max_repetitions, names).await,
            Agent::Soap(session) => session.bulk(non_repeaters, max_repetitions, names).await,
        }
    }

    /// Set: all of the values, or none.
    ///
    /// # Errors
    /// As [`Agent::get`].
    pub async fn set(&self, bindings: &[VarBind]) -> Result<Response, Error> {
        match self {
            Agent::Snmp(session) => session.set(bindings).await,
            Agent::Soap(session) => session.set(bindings).await,
        }
    }

    /// Walks the subtree `root`. Must be called on a tokio runtime.
    #[must_use]
    pub fn walk(&self, root: Oid, options: WalkOptions) -> Walk {
        match self {
            Agent::Snmp(session) => walk(session, root, options),
            Agent::Soap(session) => session.walk(root, options),
        }
    }

    /// All rows of these columns of a table, within the limit.
    ///
    /// # Errors
    /// As [`Agent::get`]; [`Error::TableTooLong`].
    pub async fn table(
        &self,
        schema: &'static Schema,
        columns: &[u32],
        limit: TableLimit,
    ) -> Result<Table, Error> {
        match self {
            Agent::Snmp(session) => {
                let entry = Oid::EMPTY.child(schema.oid).child(&[1]);
                let columns: Vec<Oid> = columns.iter().map(|column| entry.child(&[*column])).collect();
                table_within(session, &columns, WalkOptions::default(), limit).await
            }
            Agent::Soap(session) => session.table_within(schema, columns, limit).await,
        }
    }

    /// The version of SNMP, where that is spoken.
    #[must_use]
    pub fn snmp_version(&self) -> Option<Version> {
        match self {
            Agent::Snmp(session) => Some(session.version()),
            Agent::Soap(_) => None,
        }
    }
}
