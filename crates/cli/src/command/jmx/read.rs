//! `get` and `walk`: attributes of MBeans.

use std::collections::BTreeMap;
use std::io::Write;
use std::pin::pin;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use trunkline_jmxclient::jmx::model::{Attribute, Descriptor, Feature, ObjectName, Value};
use trunkline_jmxclient::leaves::text_of;
use trunkline_jmxclient::path::{Part, Selector, within};
use trunkline_smi::visible;

use super::{Found, Gap, Mbeans, Named};
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
    let mut has_failed = false;
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
        printer.flush()?;
        if names.len() > 1 || selector.is_pattern() {
            note_failures(&found, mbeans);
        } else {
            // What was named alone is missed.
            let failures = found.iter().filter_map(Found::failure);
            failures.for_each(|failure| {
                has_failed = true;
                mbeans.complain(&failure);
            });
        }
    }
    if has_failed { Err(Error::Told) } else { Ok(()) }
}

/// Says how many of many cannot be read, with the first of them.
pub fn note_failures<'f>(found: impl IntoIterator<Item = &'f Found>, mbeans: &Mbeans) {
    let failed = found.into_iter().filter(|found| found.failure().is_some());
    let (of_mbeans, of_attributes): (Vec<_>, Vec<_>) = failed.partition(|found| found.attribute.is_empty());
    for (failed, what) in [(of_mbeans, "MBeans"), (of_attributes, "attributes")] {
        match (failed.len(), failed.first().and_then(|found| found.failure())) {
            (_, None) => {}
            (1, Some(only)) => mbeans.note(&format!("cannot be read: {}", visible(&only))),
            (count, Some(first)) => {
                mbeans.note(&format!("{count} {what} cannot be read, such as {}", visible(&first)));
            }
        }
    }
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
        _ => Found::new(mbean, attribute, Err(Gap::Missing(words.to_owned()))).print(printer)?,
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
        let mut failed: Vec<Found> = Vec::new();
        let mut all = pin!(each(&names, selector.as_ref(), mbeans));
        while let Some(found) = all.next().await {
            for found in found? {
                match &found.value {
                    Err(_) => failed.push(found),
                    Ok(_) => found.print(printer)?,
                }
            }
        }
        printer.flush()?;
        note_failures(&failed, mbeans);
        if printer.written() == before && failed.is_empty() {
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

/// The same of the attributes for which this holds.
pub fn each_some<'a>(
    names: &'a [ObjectName],
    is_wanted: &'a impl Fn(&str) -> bool,
    mbeans: &'a Mbeans,
) -> impl Stream<Item = Result<Vec<Found>, Error>> + 'a {
    stream::iter(names).map(move |name| some(name, is_wanted, mbeans)).buffered(AT_ONCE)
}

/// What of an MBean a selector stands for. An MBean without such an attribute has nothing of it if the selector is a pattern.
pub async fn read(name: &ObjectName, selector: &Selector, mbeans: &Mbeans) -> Result<Vec<Found>, Error> {
    if selector.is_pattern() {
        return some(name, &|attribute: &str| selector.matches(attribute), mbeans).await;
    }
    let readings = selector.readings();
    let (mut known, mut is_answered) = (Vec::new(), true);
    if readings.len() > 1 {
        let mut attributes: Vec<String> = readings.iter().map(|(attribute, _)| attribute.clone()).collect();
        attributes.dedup();
        known = match mbeans.session.get_attributes(name, &attributes).await {
            Ok(known) => known,
            Err(fault) => {
                let _one_by_one = mbeans.of_mbean(name, fault).await?;
                is_answered = false;
                Vec::new()
            }
        };
    }
    // Of what was not answered at once, the first that there is.
    for (attribute, _) in readings.iter().filter(|_| !is_answered) {
        match one(name, attribute, mbeans).await? {
            Ok(value) => known.push(Attribute { name: attribute.clone(), value }),
            Err(Gap::Missing(_)) => continue,
            Err(failed) => {
                let attribute = selector.text().to_owned();
                return Ok(vec![Found::new(name.to_text(), attribute, Err(failed))]);
            }
        }
        break;
    }
    // The server may know several of them: the first that leads somewhere is meant.
    let of = |attribute: &str| known.iter().find(|one| one.name == attribute).map(|one| &one.value);
    let led = |(attribute, parts): &(String, Vec<Part>)| within(of(attribute)?, parts);
    let value = match readings.iter().find_map(led) {
        Some(value) => Ok(value),
        None if known.is_empty() => {
            let Some((attribute, parts)) = readings.last() else { return Ok(Vec::new()) };
            let missing = || Gap::Missing(NO_PART.to_owned());
            let value = one(name, attribute, mbeans).await?;
            value.and_then(|value| within(&value, parts).ok_or_else(missing))
        }
        None => Err(Gap::Missing(NO_PART.to_owned())),
    };
    Ok(vec![Found::new(name.to_text(), selector.text().to_owned(), value)])
}

/// All attributes of an MBean.
async fn every(name: &ObjectName, mbeans: &Mbeans) -> Result<Vec<Found>, Error> {
    some(name, &|_: &str| true, mbeans).await
}

/// Those attributes of an MBean for which this holds. An MBean whose description cannot be read has a gap.
async fn some(
    name: &ObjectName,
    is_wanted: &impl Fn(&str) -> bool,
    mbeans: &Mbeans,
) -> Result<Vec<Found>, Error> {
    match readable(name, mbeans).await? {
        Ok(mut attributes) => {
            attributes.retain(|(attribute, _)| is_wanted(attribute));
            all(name, attributes, mbeans).await
        }
        Err(words) => Ok(vec![gap(name, words)]),
    }
}

/// Nothing can be read of an MBean.
fn gap(name: &ObjectName, words: String) -> Found {
    Found::new(name.to_text(), String::new(), Err(Gap::Failed(words)))
}

/// An attribute that counts, as its descriptor says.
pub struct Counter {
    pub units: String,
    /// What stands in its arrays for what is not there.
    pub absent: Option<String>,
}

/// The attributes of an MBean that count.
pub async fn counters(name: &ObjectName, mbeans: &Mbeans) -> Result<BTreeMap<String, Counter>, Error> {
    let counter = |(attribute, descriptor): (String, Descriptor)| {
        let field = |wanted: &str| match field(&descriptor, wanted) {
            Some(Value::String(text)) => text.as_str(),
            _ => "",
        };
        let is_one = field("metricType").eq_ignore_ascii_case("counter");
        let (units, absent) = (field("units").to_owned(), self::field(&descriptor, "absent").map(text_of));
        is_one.then_some((attribute, Counter { units, absent }))
    };
    Ok(descriptors(name, mbeans).await?.into_iter().filter_map(counter).collect())
}

/// What a descriptor says about something.
pub fn field<'d>(descriptor: &'d Descriptor, wanted: &str) -> Option<&'d Value> {
    descriptor.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
}

/// The attributes of an MBean with their descriptors; none if that cannot be read.
pub async fn descriptors(name: &ObjectName, mbeans: &Mbeans) -> Result<Vec<(String, Descriptor)>, Error> {
    match mbeans.session.info(name).await {
        Ok(info) => {
            let of = |feature: Feature| Some((feature.name?, feature.descriptor));
            Ok(info.attributes.into_iter().filter_map(|attribute| of(attribute.feature)).collect())
        }
        Err(fault) => {
            let _unknown = mbeans.of_mbean(name, fault).await?;
            Ok(Vec::new())
        }
    }
}

/// The attributes that can be read, in order, with their descriptors, or why the MBean does not say. An MBean that is gone meanwhile
/// has none.
async fn readable(
    name: &ObjectName,
    mbeans: &Mbeans,
) -> Result<Result<Vec<(String, Descriptor)>, String>, Error> {
    let info = match mbeans.session.info(name).await {
        Ok(info) => info,
        Err(fault) if fault.is_no_mbean() => return Ok(Ok(Vec::new())),
        Err(fault) => return mbeans.of_mbean(name, fault).await.map(Err),
    };
    let readable = info.attributes.into_iter().filter(|attribute| attribute.readable);
    let described = readable.map(|attribute| (attribute.feature.name, attribute.feature.descriptor));
    let mut described: Vec<(String, Descriptor)> =
        described.filter_map(|(name, descriptor)| Some((name?, descriptor))).collect();
    // A JVM lists them in whatever order it finds them; objects of a MIB module have an order.
    if !described.iter().any(|(_, descriptor)| field(descriptor, "oid").is_some()) {
        described.sort_by(|(left, _), (right, _)| left.cmp(right));
    }
    Ok(Ok(described))
}

/// The values of attributes: at once, or, if one of them cannot be read, one by one.
async fn all(
    name: &ObjectName,
    attributes: Vec<(String, Descriptor)>,
    mbeans: &Mbeans,
) -> Result<Vec<Found>, Error> {
    let names: Vec<String> = attributes.iter().map(|(attribute, _)| attribute.clone()).collect();
    let at_once = match mbeans.session.get_attributes(name, &names).await {
        Ok(read) => read,
        Err(fault) if fault.is_no_mbean() => return Ok(Vec::new()),
        Err(fault) => {
            let answers = fault.is_unreadable() || fault.has_thrown();
            let words = mbeans.of_mbean(name, fault).await?;
            if !answers {
                return Ok(vec![gap(name, words)]);
            }
            Vec::new()
        }
    };
    let mut found = Vec::with_capacity(attributes.len());
    let mut left = at_once;
    for (attribute, descriptor) in attributes {
        let value = match left.iter().position(|one| one.name == attribute) {
            Some(at) => Ok(left.swap_remove(at).value),
            None => one(name, &attribute, mbeans).await?,
        };
        found.push(Found { mbean: name.to_text(), attribute, value, descriptor });
    }
    Ok(found)
}

/// The value of an attribute; what the JVM answers to it is not an error of the session.
async fn one(name: &ObjectName, attribute: &str, mbeans: &Mbeans) -> Result<Result<Value, Gap>, Error> {
    match mbeans.session.get_attribute(name, attribute).await {
        Ok(value) => Ok(Ok(value)),
        Err(fault) => {
            let gap = if fault.is_not_there() { Gap::Missing } else { Gap::Failed };
            mbeans.of_mbean(name, fault).await.map(|words| Err(gap(words)))
        }
    }
}

const NO_PART: &str = "no such part of the value";
