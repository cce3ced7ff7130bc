//! `subscribe`: notifications of MBeans, as they come.

use std::borrow::Cow;
use std::io::Write;
use std::time::Duration;

use serde_json::json;
use trunkline_jmxclient::jmx::model::{Detail, Notification, ObjectName, Value};
use trunkline_jmxclient::leaves::{date, text_of};
use trunkline_jmxclient::{Heard, Subscription, json};
use trunkline_smi::visible;

use super::{Mbeans, pattern};
use crate::arguments::SubscribeArgs;
use crate::command::watch::clock;
use crate::destination::Destination;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::print::{Form, Printer};

/// The interface of MBeans that send notifications.
const BROADCASTER: &str = "javax.management.NotificationBroadcaster";

const HEADER: [&str; 7] = ["time", "mbean", "type", "sequence", "message", "source", "user_data"];

/// Runs the command until `--count` is reached, the session fails, or Ctrl-C stops it.
pub async fn subscribe<W: Write>(
    arguments: &SubscribeArgs,
    destination: &Destination,
    interrupt: &Interrupt,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let mbeans = tokio::select! {
        opened = Mbeans::open(destination, false) => opened?,
        stopped = interrupt.pressed() => return Err(stopped),
    };
    let (text, types) = wanted(arguments, &mbeans)?;
    let names = broadcasting(text, &mbeans).await?;
    if names.is_empty() {
        let words = "has no MBean of that name that sends notifications, or none that you may read";
        return Err(Error::Usage(format!("{text}: the JVM {words}")));
    }
    let subscribed = mbeans.session.subscribe(&names, types).await;
    let mut heard = subscribed.map_err(|fault| mbeans.failed(&fault))?;
    mbeans.note(&match &names[..] {
        [only] => visible(&format!("listening to {}", only.to_text())).into_owned(),
        names => format!("listening to {} MBeans", names.len()),
    });
    let result = tokio::select! {
        ended = follow(arguments, &mut heard, &mbeans, printer) => ended,
        stopped = interrupt.pressed() => Err(stopped),
    };
    printer.finish()?;
    tokio::select! {
        _ = heard.end() => {}
        // A second Ctrl-C does not wait for the JVM.
        stopped = interrupt.pressed() => return Err(stopped),
    }
    mbeans.close().await;
    result
}

/// The MBeans, and the types that are wanted: all of the URL's MBeans, or those of the first word.
fn wanted<'a>(arguments: &'a SubscribeArgs, mbeans: &'a Mbeans) -> Result<(&'a str, &'a [String]), Error> {
    match (mbeans.path(), arguments.notifications.split_first()) {
        (Some(path), _) => Ok((path, &arguments.notifications)),
        (None, Some((name, types))) => Ok((name, types)),
        (None, None) => {
            let words = "no MBean is given: name one or a pattern, as in 'java.lang:type=GarbageCollector,*'";
            Err(Error::Usage(words.to_owned()))
        }
    }
}

/// Those MBeans of a name or a pattern that send notifications.
async fn broadcasting(text: &str, mbeans: &Mbeans) -> Result<Vec<ObjectName>, Error> {
    let name = pattern(text)?;
    let names = mbeans.session.query_names(Some(&name), None).await;
    let names = names.map_err(|fault| mbeans.failed(&fault))?;
    if !name.is_pattern() {
        return Ok(names);
    }
    let mut broadcasting = Vec::new();
    for name in names {
        // A description need not say that there are any.
        let is_one = match mbeans.session.is_instance_of(&name, BROADCASTER).await {
            Ok(false) => mbeans.session.info(&name).await.map(|info| !info.notifications.is_empty()),
            known => known,
        };
        match is_one {
            Ok(true) => broadcasting.push(name),
            Ok(false) => {}
            Err(fault) if fault.is_no_mbean() => {}
            Err(fault) => {
                let words = mbeans.of_mbean(&name, fault).await?;
                mbeans.note(&visible(&format!("{} is left out: {words}", name.to_text())));
            }
        }
    }
    Ok(broadcasting)
}

async fn follow<W: Write>(
    arguments: &SubscribeArgs,
    heard: &mut Subscription<'_>,
    mbeans: &Mbeans,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let mut left = arguments.count.unwrap_or(u64::MAX);
    while left > 0 {
        match heard.next().await.map_err(|fault| mbeans.failed(&fault))? {
            Heard::Notification(name, notification) => {
                write(&name, &notification, printer)?;
                left -= 1;
            }
            Heard::Lost(count) => {
                mbeans.note(&format!(
                    "{count} notifications were overwritten at the JVM before they were fetched"
                ));
            }
            Heard::Unreadable(fault) => {
                mbeans.note(&visible(&format!("a notification is left out: {fault}")));
            }
        }
    }
    Ok(())
}

/// What has changed of an attribute.
fn change(notification: &Notification) -> String {
    match &notification.detail {
        Detail::AttributeChange { name: Some(name), old, new, .. } => {
            format!("{name}: {} -> {}", text_of(old), text_of(new))
        }
        _ => String::new(),
    }
}

/// A text with an end: the state of all pools of a heap, as in notifications of collectors, is for readers of JSON.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}... ({} characters)", &text[..end], text.chars().count()).into(),
        None => text.into(),
    }
}

/// The longest text of a line, in characters.
const LONGEST: usize = 400;

fn write<W: Write>(
    name: &ObjectName,
    notification: &Notification,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let mbean = name.to_text();
    let message = notification.message.as_deref().unwrap_or_default();
    let user_data = match &notification.user_data {
        Value::Null => String::new(),
        value => text_of(value),
    };
    match printer.form() {
        Form::Json | Form::JsonLines => {
            let mut record = json!({ "mbean": mbean });
            if let (Some(record), serde_json::Value::Object(fields)) =
                (record.as_object_mut(), json::notification(notification))
            {
                record.extend(fields);
            }
            printer.object(&record)?;
        }
        Form::Csv => {
            let source = text_of(&notification.source);
            let (kind, sequence) = (notification.kind.clone(), notification.sequence.to_string());
            let time = date(notification.time);
            printer.row(&HEADER, &[time, mbean, kind, sequence, message.to_owned(), source, user_data])?;
        }
        Form::Text => {
            let time = Duration::from_millis(u64::try_from(notification.time).unwrap_or_default());
            let (mbean, kind) = (visible(&mbean), visible(&notification.kind));
            let mut line = format!("{} {mbean} {kind}", clock(time));
            for more in [message, &change(notification), &user_data] {
                if !more.is_empty() {
                    line.push_str(&format!(": {}", visible(&shortened(more))));
                }
            }
            printer.text(&(line + "\n"))?;
        }
    }
    // The user wants to see it at once.
    Ok(printer.flush()?)
}
