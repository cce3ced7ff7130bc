//! `trunkline netconf subscribe` and `streams`: events of a server (RFC 5277), printed as they come.

use std::io::Write;

use serde::Serialize;
use trunkline_client::netconf::protocol::document::Element;
use trunkline_client::netconf::protocol::modules::Modules;
use trunkline_client::netconf::protocol::request::{self, Select};
use trunkline_client::netconf::{Event, Subscribe, Told};
use trunkline_smi::visible;

use super::{Server, content, is_for_person, show};
use crate::arguments::netconf::{StreamsArgs, SubscribeArgs};
use crate::command::table::width;
use crate::connect::say;
use crate::draw::Drawing;
use crate::error::Error;
use crate::interrupt::Interrupt;

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
        let selection = match &options.xpath {
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
    let told =
        Told::read(octets, modules).map_err(|fault| Error::Runtime(visible(&fault.to_string()).into()))?;
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
