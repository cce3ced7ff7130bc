//! `trunkline netconf subscribe` and `streams`: events of a server (RFC 5277) or its data (RFC 8641), printed as they
//! come.

use std::io::Write;

use serde::Serialize;
use trunkline_client::netconf::protocol::document::Element;
use trunkline_client::netconf::protocol::modules::Modules;
use trunkline_client::netconf::protocol::push::establish::When;
use trunkline_client::netconf::protocol::request::{self, Select};
use trunkline_client::netconf::{Event, NetconfFault, Push, Pushed, Subscribe, Told};
use trunkline_smi::visible;

use super::{Server, content, is_for_person, show};
use crate::arguments::netconf::{StreamsArgs, SubscribeArgs};
use crate::command::table::width;
use crate::connect::say;
use crate::error::Error;
use crate::interrupt::Interrupt;
use trunkline_show::draw::Drawing;

/// Where the streams are (RFC 5277 section 3.2.5.1).
const STREAMS: &str = "urn:ietf:params:xml:ns:netmod:notification";

/// The same over RESTCONF (RFC 8040 section 9.3).
const STREAMS_OF_RESTCONF: &str = "urn:ietf:params:xml:ns:yang:ietf-restconf-monitoring";

/// Subscribes, until `--count` or `--until` is reached or Ctrl-C is pressed.
pub async fn run(options: &SubscribeArgs, interrupt: &Interrupt, out: &mut impl Write) -> Result<(), Error> {
    let subtree = options.filter.as_deref().map(content).transpose()?;
    let begin = async {
        let server = Server::open(&options.server).await?;
        let session = &server.session;
        let selection = match options.xpath.as_ref().or(options.push.as_ref()) {
            Some(text) => {
                let selection = session.selection(text, &options.prefix).await;
                Some(selection.map_err(|fault| server.failed(&fault))?)
            }
            None => None,
        };
        // The names of modules, before the connection is the subscription's.
        let modules = session.modules().await.map_err(|fault| server.failed(&fault))?.clone();
        let subscribe = Subscribe {
            stream: options.stream.clone(),
            selection,
            subtree,
            since: options.since.clone(),
            until: options.until.clone(),
            push: pushing(options),
        };
        let subscription = session.subscribe(subscribe).await.map_err(|fault| server.failed(&fault))?;
        Ok((server, modules, subscription))
    };
    let (server, modules, mut subscription) = interrupt.stops(begin).await?;
    let mut left = options.count.unwrap_or(u64::MAX);
    let follow = async {
        while left > 0 {
            let Some(event) = subscription.next().await.map_err(|fault| server.failed(&fault))? else {
                break;
            };
            match event {
                Event::Notification { time, octets } => {
                    print(&time, &octets, options, &modules, out)?;
                    out.flush()?;
                    left -= 1;
                }
                Event::ReplayComplete => say("that was the past; events follow as they come"),
                Event::Lost { fault, pause } => {
                    say(&format!("{}: {fault}; connecting again in {} s", server.label, pause.as_secs()));
                }
                Event::Resumed { .. } if options.push.is_some() => say("connected again"),
                Event::Resumed { is_replayed: true } => say("connected again; what was missed is replayed"),
                Event::Resumed { is_replayed: false } => {
                    say("connected again; the server does not replay what was missed");
                }
            }
        }
        Ok(())
    };
    let ended = tokio::select! {
        ended = follow => ended,
        stopped = interrupt.pressed() => Err(stopped),
    };
    tokio::select! {
        () = subscription.close() => ended,
        // A second Ctrl-C does not wait for the server.
        stopped = interrupt.pressed() => Err(stopped),
    }
}

/// Data instead of events, if that is requested.
fn pushing(options: &SubscribeArgs) -> Option<Push> {
    options.push.as_ref()?;
    let when = match options.period {
        Some(period) => When::Periodic { period },
        None => When::OnChange { dampening: options.dampening.unwrap_or(0), syncs: true },
    };
    Some(Push { store: options.datastore.clone().unwrap_or_else(|| "operational".into()), when })
}

/// What `--json` writes of an update of data; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct UpdateRecord<'r> {
    time: &'r str,
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subscription: Option<u32>,
    incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaves: Option<Vec<Leaf<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<ChangeRecord<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
}

#[derive(Serialize)]
struct ChangeRecord<'r> {
    operation: &'r str,
    target: &'r str,
    leaves: Vec<Leaf<'r>>,
}

fn leaves_of(leaves: &[(String, String)]) -> Vec<Leaf<'_>> {
    leaves.iter().map(|(path, value)| Leaf { path, value }).collect()
}

fn print_update(time: &str, update: &Pushed, is_json: bool, out: &mut impl Write) -> Result<(), Error> {
    let (is_whole, is_changes) = (update.name == "push-update", update.name == "push-change-update");
    if is_json {
        let changes = update.edits.iter().map(|edit| ChangeRecord {
            operation: &edit.operation,
            target: &edit.target,
            leaves: leaves_of(&edit.leaves),
        });
        let record = UpdateRecord {
            time,
            name: &update.name,
            subscription: update.id,
            incomplete: update.is_incomplete,
            leaves: is_whole.then(|| leaves_of(&update.leaves)),
            changes: is_changes.then(|| changes.collect()),
            reason: update.reason.as_deref(),
        };
        let line = serde_json::to_string(&record).map_err(std::io::Error::from)?;
        return Ok(writeln!(out, "{line}")?);
    }
    let incomplete = if update.is_incomplete { " (incomplete)" } else { "" };
    let reason = update.reason.as_ref().map(|reason| format!(": {}", visible(reason))).unwrap_or_default();
    writeln!(out, "{} {}{incomplete}{reason}", visible(time), visible(&update.name))?;
    for (path, value) in &update.leaves {
        writeln!(out, "    {} = {}", visible(path), visible(value))?;
    }
    for edit in &update.edits {
        if edit.leaves.is_empty() {
            let mark = if edit.operation == "delete" { "-" } else { "+" };
            writeln!(out, "  {mark} {}", visible(&edit.target))?;
        }
        for (path, value) in &edit.leaves {
            writeln!(out, "  + {} = {}", visible(path), visible(value))?;
        }
    }
    Ok(())
}

/// What `--json` writes of an event; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Record<'r> {
    time: &'r str,
    name: &'r str,
    leaves: Vec<Leaf<'r>>,
}

#[derive(Serialize)]
struct Leaf<'r> {
    path: &'r str,
    value: &'r str,
}

fn print(
    time: &str,
    octets: &[u8],
    options: &SubscribeArgs,
    modules: &Modules,
    out: &mut impl Write,
) -> Result<(), Error> {
    if options.xml {
        return show::document(octets, is_for_person(), out);
    }
    let failed = |fault: NetconfFault| Error::Runtime(visible(&fault.to_string()).into());
    if let Some(update) = Pushed::read(octets, modules).map_err(failed)? {
        return print_update(time, &update, options.json, out);
    }
    let told = Told::read(octets, modules).map_err(failed)?;
    if options.json {
        let leaves = told.leaves.iter().map(|(path, value)| Leaf { path, value }).collect();
        let line = serde_json::to_string(&Record { time, name: &told.name, leaves });
        return Ok(writeln!(out, "{}", line.map_err(std::io::Error::from)?)?);
    }
    writeln!(out, "{} {}", visible(time), visible(&told.name))?;
    for (path, value) in &told.leaves {
        let path = path.strip_prefix(&format!("/{}/", told.name)).unwrap_or(path);
        writeln!(out, "    {} = {}", visible(path), visible(value))?;
    }
    Ok(())
}

/// A stream; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Stream<'s> {
    name: &'s str,
    replay: bool,
    /// Since when its events are kept.
    since: Option<&'s str>,
    description: &'s str,
}

/// Lists the streams.
pub async fn streams(options: &StreamsArgs, out: &mut impl Write) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    let (root, namespace) = match server.session.is_restconf() {
        true => ("restconf-state", STREAMS_OF_RESTCONF),
        false => ("netconf", STREAMS),
    };
    let filter = format!("<{root} xmlns=\"{namespace}\"><streams/></{root}>");
    let octets = server.fetch(&request::get(Select::Subtree(filter.as_bytes()), None)).await?;
    let reply = server.read(&octets)?;
    let all = reply.content().filter_map(|data| data.child(namespace, root)?.child(namespace, "streams"));
    let all = all.flat_map(Element::children).filter(|it| it.is(namespace, "stream"));
    let streams: Vec<Stream<'_>> = all
        .map(|stream| {
            let value = |name| stream.child(namespace, name).map(Element::value);
            Stream {
                name: value("name").unwrap_or_default(),
                replay: value("replaySupport").or_else(|| value("replay-support")) == Some("true"),
                since: value("replayLogCreationTime").or_else(|| value("replay-log-creation-time")),
                description: value("description").unwrap_or_default(),
            }
        })
        .collect();
    if options.json {
        let text = serde_json::to_string_pretty(&streams).map_err(std::io::Error::from)?;
        return Ok(writeln!(out, "{text}")?);
    }
    if streams.is_empty() {
        say(&format!(
            "{} lists no streams: it sends no notifications, or you may not read which",
            server.label
        ));
        return Ok(());
    }
    let replay = |stream: &Stream<'_>| match (stream.replay, stream.since) {
        (true, Some(since)) => format!("since {since}"),
        (true, None) => "yes".to_owned(),
        (false, _) => "no".to_owned(),
    };
    let row = |stream: &Stream<'_>| {
        let words = stream.description.split_whitespace().collect::<Vec<_>>().join(" ");
        vec![stream.name.to_owned(), replay(stream), words]
    };
    let drawing = Drawing {
        header: ["Stream", "Replay", "Description"].map(str::to_owned).to_vec(),
        keys: 1,
        rows: streams.iter().map(row).collect(),
        numeric: vec![false; 3],
    };
    Ok(out.write_all(drawing.draw(width(None)).as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_client::netconf::PushedEdit;

    fn printed(update: &Pushed, is_json: bool) -> String {
        let mut out = Vec::new();
        print_update("T", update, is_json, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn updates_are_lines() {
        let leaves = |value: &str| vec![("/m:a/b".to_owned(), value.to_owned())];
        let whole =
            Pushed { id: Some(7), name: "push-update".into(), leaves: leaves("1"), ..Pushed::default() };
        assert_eq!(printed(&whole, false), "T push-update\n    /m:a/b = 1\n");
        assert_eq!(
            printed(&whole, true),
            "{\"time\":\"T\",\"name\":\"push-update\",\"subscription\":7,\"incomplete\":false,\
             \"leaves\":[{\"path\":\"/m:a/b\",\"value\":\"1\"}]}\n"
        );
        let edit = |operation: &str, leaves| PushedEdit {
            operation: operation.into(),
            target: "/m:a/b".into(),
            leaves,
        };
        let changes = Pushed {
            name: "push-change-update".into(),
            is_incomplete: true,
            edits: vec![edit("replace", leaves("2\u{1b}")), edit("delete", vec![]), edit("create", vec![])],
            ..Pushed::default()
        };
        assert_eq!(
            printed(&changes, false),
            "T push-change-update (incomplete)\n  + /m:a/b = 2\\x1B\n  - /m:a/b\n  + /m:a/b\n"
        );
        assert_eq!(
            printed(&changes, true),
            "{\"time\":\"T\",\"name\":\"push-change-update\",\"incomplete\":true,\"changes\":[\
             {\"operation\":\"replace\",\"target\":\"/m:a/b\",\"leaves\":[{\"path\":\"/m:a/b\",\"value\":\"2\\u001b\"}]},\
             {\"operation\":\"delete\",\"target\":\"/m:a/b\",\"leaves\":[]},\
             {\"operation\":\"create\",\"target\":\"/m:a/b\",\"leaves\":[]}]}\n"
        );
        let state = Pushed {
            name: "subscription-terminated".into(),
            reason: Some("sn:no-such-subscription".into()),
            ..Pushed::default()
        };
        assert_eq!(printed(&state, false), "T subscription-terminated: sn:no-such-subscription\n");
        assert!(printed(&state, true).ends_with("\"reason\":\"sn:no-such-subscription\"}\n"));
    }
}
