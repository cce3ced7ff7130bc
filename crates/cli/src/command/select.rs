//! `trunkline select`: services, their data and the wanted rows: selected by the agent if the protocol allows it,
//! otherwise here, from what had to be fetched for it.

mod fetch;
mod manager;
mod services;
mod show;

use std::collections::BTreeMap;
use std::io::Write;

use trunkline_client::Error as ClientError;
use trunkline_soap::envelope::Version;
use trunkline_soap::expression::message::{Explained, SelectAnswer, SelectRequest};
use trunkline_soap::expression::{ExpressionError, Question, View};

use crate::arguments::{SelectArgs, ViewArg};
use crate::connect::Connection;
use crate::error::Error;
use crate::print::Printer;

/// The selection, and the octets transferred.
pub(super) struct Outcome {
    pub answer: SelectAnswer,
    /// Octets of messages in both directions.
    pub transferred: u64,
    /// Whether the agent selected.
    pub by_agent: bool,
}

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &SelectArgs,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let question = question(arguments)?;
    let request = SelectRequest {
        path: Some(arguments.path.clone()),
        data: arguments.data.clone(),
        filter: arguments.filter.clone(),
        values: values(arguments),
        explain: arguments.explain,
        ..SelectRequest::new(Version::V1_2, question.view)
    };
    let outcome = match connection.agent.select(&request) {
        Some(_) if arguments.services.is_some() => {
            let words = "--services is for agents queried over SNMP: this one has its own services";
            return Err(Error::Usage(words.to_owned()));
        }
        Some(selected) => {
            let (answer, cost) = selected.await.map_err(|fault| refused(connection, &fault))?;
            let transferred = (cost.request_octets + cost.response_octets) as u64;
            Outcome { answer, transferred, by_agent: true }
        }
        None => manager::select(arguments, &question, connection).await?,
    };
    show::show(arguments, &outcome, connection, printer)?;
    connection.show_octets(printer)?;
    Ok(printer.finish()?)
}

/// The expressions, parsed here first: a mistake in one is reported without a request.
fn question(arguments: &SelectArgs) -> Result<Question, Error> {
    let view = match arguments.view {
        ViewArg::Single => View::Single,
        ViewArg::Tables => View::Tables,
        ViewArg::All => View::Everything,
    };
    let (data, filter) = (arguments.data.as_deref(), arguments.filter.as_deref());
    Question::parse(view, &arguments.path, data, filter, values(arguments)).map_err(|error| wrong(&error))
}

fn values(arguments: &SelectArgs) -> BTreeMap<String, i128> {
    arguments.values.iter().cloned().collect()
}

/// An expression that is wrong, with the place.
pub(super) fn wrong(error: &ExpressionError) -> Error {
    Error::Usage(format!("{error}\n{}", error.pointed()))
}

/// A fault about an expression is the command line's.
fn refused(connection: &Connection<'_>, fault: &ClientError) -> Error {
    match fault {
        ClientError::Fault { fault } if fault.kind.word() == "wrongExpression" => {
            Error::Usage(fault.reason.clone())
        }
        other => connection.failed(other),
    }
}

/// Of the octets that would have passed, how many did not.
pub(super) fn saved(explained: &Explained) -> u64 {
    explained.whole.saturating_sub(explained.octets)
}
