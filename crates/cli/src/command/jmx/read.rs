//! `get` and `walk`: attributes of MBeans.

use std::collections::BTreeMap;
use std::io::Write;
use std::pin::pin;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use trunkline_jmxclient::Error as JmxError;
use trunkline_jmxclient::jmx::model::{AttributeInfo, Feature, ObjectName, Value};
use trunkline_jmxclient::path::{Selector, within};

use super::{Found, Mbeans, Named};
use crate::arguments::WalkArgs;
use crate::command::read::choices;
use crate::error::Error;
use crate::print::{Form, Printer};

/// Of so many MBeans at the same time attributes are read.
const AT_ONCE: usize = 8;

/// Reads what the words name.
pub async fn get<W: Write>(
    words: &[String],
    mbeans: &Mbeans,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let words = mbeans.words(words);
    if words.is_empty() {
        let expected =
            "no attribute is given: name one, as in java.lang:type=Memory/HeapMemoryUsage, or in the URL";
        return Err(Error::Usage(expected.to_owned()));
    }
    for word in words {
        let Named { names, selector } = mbeans.named(word).await?;
        let Some(selector) = selector else {
            none(word, !names.is_empty(), mbeans, printer)?;
            continue;
        };
        let found: Vec<Vec<Found>> = each(&names, Some(&selector), mbeans).try_collect().await?;
        let found: Vec<Found> = found.into_iter().flatten().collect();
        if found.is_empty() {
            none(word, false, mbeans, printer)?;
        }
        found.iter().try_for_each(|found| found.print(printer))?;
    }
    Ok(())
}

/// There is nothing that can be shown for a word.
fn none<W: Write>(
    word: &str,
    is_mbean: bool,
    mbeans: &Mbeans,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let (words, note) = match is_mbean {
        true => (
            "an MBean, not an attribute",
            format!("{word} is an MBean; `trunkline walk` reads all its attributes"),
        ),
        false => (
            "no such MBean or attribute, or none that you may read",
            format!("{word}: the JVM has nothing there, or nothing that you may read"),
        ),
    };
    let (mbean, attribute) = (word.trim_end_matches('/').to_owned(), String::new());
    match printer.form() {
        Form::Text => {
            printer.count_missing();
            printer.leaf(word, Some(words))?;
        }
        _ => Found { mbean, attribute, value: Err(words.to_owned()) }.print(printer)?,
    }
    printer.flush()?;
    mbeans.note(&note);
    Ok(())
}

/// Reads everything below what the words name: all attributes of the MBeans.
pub async fn walk<W: Write>(
    arguments: &WalkArgs,
    words: &[String],
    mbeans: &Mbeans,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    if arguments.record.is_some() {
        let words = "--record writes objects of MIB modules, not attributes of MBeans";
        return Err(Error::Usage(words.to_owned()));
    }
    let says_count = choices(&arguments.choices)?.contains(&('p', None));
    let words = mbeans.words(words);
    let words = if words.is_empty() { vec!["*:*"] } else { words };
    for word in words {
        let Named { names, selector } = mbeans.named(word).await?;
        let before = printer.written();
        let mut failed: Vec<String> = Vec::new();
        let mut all = pin!(each(&names, selector.as_ref(), mbeans));
        while let Some(found) = all.next().await {
            for found in found? {
                match &found.value {
                    Err(words) => failed.push(format!("{}/{}: {words}", found.mbean, found.attribute)),
                    Ok(_) => found.print(printer)?,
                }
            }
        }
        printer.flush()?;
        if let Some(first) = failed.first() {
            mbeans.note(&format!("{} attributes cannot be read, such as {first}", failed.len()));
        }
        if printer.written() == before {
            printer.count_missing();
            mbeans.note(&format!("{word}: the JVM has nothing there, or nothing that you may read"));
        }
    }
    if says_count && printer.form() == Form::Text {
        let count = printer.written();
        printer.text(&format!("Values found: {count}\n"))?;
    }
    Ok(())
}

/// What a selector stands for, or everything, of each of the MBeans: in their order, of several at the same time.
pub fn each<'a>(
    names: &'a [ObjectName],
    selector: Option<&'a Selector>,
    mbeans: &'a Mbeans,
) -> impl Stream<Item = Result<Vec<Found>, Error>> + 'a {
    let one = move |name: &'a ObjectName| async move {
        match selector {
            Some(selector) => read(name, selector, mbeans).await,
            None => every(name, mbeans).await,
        }
    };
    stream::iter(names).map(one).buffered(AT_ONCE)
}

/// What of an MBean a selector stands for. An MBean without such an attribute has nothing of it if the selector is a pattern.
pub async fn read(name: &ObjectName, selector: &Selector, mbeans: &Mbeans) -> Result<Vec<Found>, Error> {
    if selector.is_pattern() {
        let attributes = readable(name, mbeans).await?;
        let attributes = attributes.into_iter().filter(|attribute| selector.matches(attribute)).collect();
        return all(name, attributes, mbeans).await;
    }
    let readings = selector.readings();
    let mut known = Vec::new();
    if readings.len() > 1 {
        let attributes: Vec<String> = readings.iter().map(|(attribute, _)| attribute.clone()).collect();
        known = match mbeans.session.get_attributes(name, &attributes).await {
            Ok(known) => known,
            Err(fault) if fault.is_unreadable() => Vec::new(),
            Err(fault) => return Err(mbeans.failed(&fault)),
        };
    }
    let reading = readings.iter().find(|(attribute, _)| known.iter().any(|one| one.name == *attribute));
    let Some((attribute, parts)) = reading.or(readings.last()) else { return Ok(Vec::new()) };
    let value = match known.into_iter().find(|one| one.name == *attribute) {
        Some(one) => Ok(one.value),
        None => one(name, attribute, mbeans).await?,
    };
    let missing = || "no such part of the value".to_owned();
    let value = value.and_then(|value| within(&value, parts).ok_or_else(missing));
    Ok(vec![Found { mbean: name.to_text(), attribute: selector.text().to_owned(), value }])
}

/// All attributes of an MBean.
async fn every(name: &ObjectName, mbeans: &Mbeans) -> Result<Vec<Found>, Error> {
    let attributes = readable(name, mbeans).await?;
    all(name, attributes, mbeans).await
}

/// The attributes of an MBean that count, as their descriptors say, with their units.
pub async fn counters(name: &ObjectName, mbeans: &Mbeans) -> Result<BTreeMap<String, String>, Error> {
    let info = match mbeans.session.info(name).await {
        Ok(info) => info,
        Err(fault) if fault.is_no_mbean() => return Ok(BTreeMap::new()),
        Err(fault) => return Err(mbeans.failed(&fault)),
    };
    let counter = |attribute: AttributeInfo| {
        let Feature { name, descriptor, .. } = attribute.feature;
        let field = |wanted: &str| match descriptor.iter().find(|(name, _)| name == wanted) {
            Some((_, Value::String(text))) => text.as_str(),
            _ => "",
        };
        field("metricType").eq_ignore_ascii_case("counter").then_some((name?, field("units").to_owned()))
    };
    Ok(info.attributes.into_iter().filter_map(counter).collect())
}

/// The names of the attributes that can be read, in order. An MBean that is gone meanwhile has none.
async fn readable(name: &ObjectName, mbeans: &Mbeans) -> Result<Vec<String>, Error> {
    let info = match mbeans.session.info(name).await {
        Ok(info) => info,
        Err(fault) if fault.is_no_mbean() => return Ok(Vec::new()),
        Err(fault) => return Err(mbeans.failed(&fault)),
    };
    let readable = info.attributes.into_iter().filter(|attribute| attribute.readable);
    let mut names: Vec<String> = readable.filter_map(|attribute| attribute.feature.name).collect();
    names.sort();
    Ok(names)
}

/// The values of attributes: at once, or, if one of them cannot be read, one by one.
async fn all(name: &ObjectName, attributes: Vec<String>, mbeans: &Mbeans) -> Result<Vec<Found>, Error> {
    let at_once = match mbeans.session.get_attributes(name, &attributes).await {
        Ok(read) => read,
        Err(fault) if fault.is_no_mbean() => return Ok(Vec::new()),
        Err(fault) if fault.is_unreadable() => Vec::new(),
        Err(fault) => return Err(mbeans.failed(&fault)),
    };
    let mut found = Vec::with_capacity(attributes.len());
    let mut left = at_once;
    for attribute in attributes {
        let value = match left.iter().position(|one| one.name == attribute) {
            Some(at) => Ok(left.swap_remove(at).value),
            None => one(name, &attribute, mbeans).await?,
        };
        found.push(Found { mbean: name.to_text(), attribute, value });
    }
    Ok(found)
}

/// The value of an attribute; what the JVM answers to it is not an error of the session.
async fn one(name: &ObjectName, attribute: &str, mbeans: &Mbeans) -> Result<Result<Value, String>, Error> {
    match mbeans.session.get_attribute(name, attribute).await {
        Ok(value) => Ok(Ok(value)),
        Err(JmxError::Exception(exception)) => Ok(Err(exception.to_string())),
        Err(JmxError::Malformed(fault)) => Ok(Err(fault.to_string())),
        Err(fault) => Err(mbeans.failed(&fault)),
    }
}
