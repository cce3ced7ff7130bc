//! `select`: MBeans that a query selects at the JVM, with attributes of them.

use std::io::Write;

use trunkline_jmxclient::filter;
use trunkline_jmxclient::jmx::model::{ObjectName, Query};
use trunkline_jmxclient::path::Selector;

use super::table::{Rows, print};
use super::{Gap, Mbeans, pattern, read};
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
    let names = mbeans.session.query_names(Some(&name), query.clone()).await;
    let names = names.map_err(|fault| mbeans.failed(&fault))?;
    let mut found = Vec::with_capacity(names.len());
    let mut missing: Vec<&Selector> =
        data.iter().filter(|one| !one.is_pattern() && !names.is_empty()).collect();
    for name in &names {
        let mut of_one = Vec::new();
        for selector in &data {
            let read = read::read(name, selector, &mbeans).await?;
            if !read.iter().all(|found| matches!(found.value, Err(Gap::Missing(_)))) {
                missing.retain(|missing| *missing != selector);
            }
            of_one.extend(read);
        }
        found.push(of_one);
    }
    if let Some(missing) = missing.first() {
        return Err(Error::Usage(format!("--data: none of the MBeans has {}", missing.text())));
    }
    read::note_failures(found.iter().flatten().filter(|found| found.attribute.is_empty()), &mbeans);
    if names.is_empty() {
        printer.count_missing();
        mbeans.note(&nothing(&name, query.as_ref(), &mbeans).await?);
    }
    print(&Rows::of_mbeans(text, &names, found), 0, width(arguments.width), printer)?;
    printer.finish()?;
    mbeans.close().await;
    Ok(())
}

/// Why no MBean is selected: often since the condition has an attribute that none of them has.
async fn nothing(name: &ObjectName, query: Option<&Query>, mbeans: &Mbeans) -> Result<String, Error> {
    let Some(query) = query else { return Ok("no MBean is selected".to_owned()) };
    let all = mbeans.session.query_names(Some(name), None).await.map_err(|fault| mbeans.failed(&fault))?;
    let mut unknown = filter::attributes(query);
    for name in all.iter().take(LOOKED_AT) {
        if let Ok(info) = mbeans.session.info(name).await {
            let known = info.attributes.iter().filter_map(|attribute| attribute.feature.name.as_deref());
            known.for_each(|known| {
                unknown.remove(known);
            });
        }
    }
    let count = all.len();
    let unknown: Vec<String> = unknown.into_iter().collect();
    Ok(match (count, unknown.is_empty()) {
        (0, _) => "no MBean has such a name".to_owned(),
        (_, true) => format!("no MBean is selected: the condition holds for none of {count}"),
        (_, false) => format!(
            "no MBean is selected: a condition compares attributes, not items of them, and those of {count} MBeans have no {}",
            unknown.join(" ")
        ),
    })
}

/// So many MBeans are looked at for an explanation.
const LOOKED_AT: usize = 20;

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
