//! `select`: MBeans that a query selects at the JVM, with attributes of them.

use std::io::Write;

use trunkline_jmxclient::filter;
use trunkline_jmxclient::path::Selector;

use super::table::{Rows, print};
use super::{Mbeans, pattern, read};
use crate::arguments::SelectArgs;
use crate::command::table::width;
use crate::destination::Destination;
use crate::error::Error;
use crate::print::Printer;

/// Runs the command.
pub async fn select<W: Write>(
    arguments: &SelectArgs,
    destination: &Destination,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    if arguments.explain || arguments.services.is_some() || !arguments.values.is_empty() {
        let words = "--explain, --services and --let are for services of agents, not for MBeans";
        return Err(Error::Usage(words.to_owned()));
    }
    // A mistake in one is reported without a request.
    let query = arguments.filter.as_deref().map(filter::parse).transpose();
    let query = query.map_err(|fault| Error::Usage(format!("--filter: {fault}")))?;
    let data = data(arguments.data.as_deref())?;
    let mbeans = Mbeans::open(destination, false).await?;
    let text = match (mbeans.path(), arguments.path.as_str()) {
        (Some(path), EVERYTHING) => path,
        (None, EVERYTHING) => "*:*",
        (_, given) => given,
    };
    let name = pattern(text)?;
    let names = mbeans.session.query_names(Some(&name), query).await;
    let names = names.map_err(|fault| mbeans.failed(&fault))?;
    let mut found = Vec::with_capacity(names.len());
    for name in &names {
        let mut of_one = Vec::new();
        for selector in &data {
            of_one.extend(read::read(name, selector, &mbeans).await?);
        }
        found.push(of_one);
    }
    if names.is_empty() {
        printer.count_missing();
        mbeans.note("no MBean is selected");
    }
    print(&Rows::of_mbeans(text, &names, found), 0, width(arguments.width), printer)?;
    printer.finish()?;
    mbeans.close().await;
    Ok(())
}

/// The attributes of `{A, B.c}`; all if nothing is given.
fn data(text: Option<&str>) -> Result<Vec<Selector>, Error> {
    let Some(text) = text else { return Ok(Selector::parse("*").into_iter().collect()) };
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(trimmed);
    let one = |word: &str| {
        let word = word.trim();
        Selector::parse(word).ok_or_else(|| {
            Error::Usage(format!("--data: {word:?} is not an attribute, such as HeapMemoryUsage.used"))
        })
    };
    inner.split(',').map(one).collect()
}

/// What the command line has if nothing is given.
const EVERYTHING: &str = "{Root}";
