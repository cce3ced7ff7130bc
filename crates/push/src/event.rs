//! What notifications tell (RFC 5277): what happens in NETCONF itself (RFC 6470), and the notifications of MIB modules as YANG has
//! them (RFC 6643 section 9).

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use crate::message::{begin, date};
use trunkline_datastore::{Change, Step, nameable, path};
use trunkline_netconf::data::DataWriter;
use trunkline_restconf::refusal::json_path;
use trunkline_smi::schema::Table;
use trunkline_smi::{Oid, Value, ValueKind, index_refs};
use trunkline_smi::{module, schema};
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::json::JsonWriter;
use trunkline_yang::lexical;
use trunkline_yang::selection::Wanted;

use trunkline_models::made::Made;

/// Something that happened, as data.
#[derive(Clone, Debug)]
pub struct Event {
    /// When.
    pub time: SystemTime,
    /// One root: the notification.
    pub instances: Instances,
    /// What decides who may see it.
    pub about: About,
}

/// A notification of a MIB module.
#[derive(Clone, Copy, Debug)]
pub struct Happened<'h> {
    /// Its name.
    pub oid: &'h Oid,
    /// Its objects.
    pub objects: &'h [(Oid, Value)],
    /// Where they are.
    pub context: &'h str,
}

/// What decides who may see it.
#[derive(Clone, Debug)]
pub enum About {
    /// A notification of a MIB module.
    Objects {
        /// Its name.
        name: Oid,
        /// The instances that it tells.
        told: Vec<Oid>,
        /// Where they are.
        context: String,
    },
    /// A session.
    Session(u32),
    /// A change of running.
    Config {
        /// By which session, unless by the agent.
        by: Option<u32>,
        /// Where.
        edits: Vec<Vec<Step>>,
    },
}

/// A session, as events name it.
#[derive(Clone, Debug)]
pub struct Who {
    /// The user.
    pub name: String,
    /// session-id.
    pub id: u32,
    /// From where.
    pub host: Option<IpAddr>,
    /// On behalf of which of its roles; events have no place for it, the log has.
    pub role: Option<String>,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// By its client.
    Closed,
    /// By this session.
    Killed(u32),
    /// The connection broke.
    Dropped,
    /// Its client was silent for too long.
    Timeout,
    /// The hello was wrong.
    BadHello,
    /// Something else.
    Other,
}

/// What happened to a confirmed commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// It is to be confirmed within seconds.
    Start(u32),
    /// The same again.
    Extend(u32),
    /// It is confirmed.
    Complete,
    /// It is taken back.
    Cancel,
    /// It was not confirmed in time.
    Timeout,
}

/// `replayComplete` or `notificationComplete` (RFC 5277 section 3.3), for its subscriber alone.
pub fn of_stream(name: &str, is_json: bool) -> Vec<u8> {
    if is_json {
        let time = date(SystemTime::now());
        let event = format!("\"eventTime\":\"{time}\",\"nc-notifications:{name}\":{{}}");
        return format!("{{\"ietf-restconf:notification\":{{{event}}}}}").into_bytes();
    }
    let mut octets = begin(SystemTime::now());
    octets.extend_from_slice(format!("<{name} xmlns=\"{STREAM_EVENTS}\"/></notification>").as_bytes());
    octets
}

const STREAM_EVENTS: &str = "urn:ietf:params:xml:ns:netmod:notification";

impl Who {
    fn make(&self, made: &mut Made<'_>) {
        made.leaf("username", &self.name);
        made.leaf("session-id", &self.id.to_string());
        if let Some(host) = self.host {
            made.leaf("source-host", &host.to_string());
        }
    }
}

impl Event {
    /// What of it a subscriber sees: of the changes of a configuration those that it may see.
    pub fn seen(&self, forest: &Forest, may_see: impl Fn(&[Step]) -> bool) -> Cow<'_, Instances> {
        let About::Config { edits, .. } = &self.about else { return Cow::Borrowed(&self.instances) };
        let mut may_see = edits.iter().map(|edit| may_see(edit));
        let mut seen = Instances::new();
        for root in self.instances.children(Instances::ROOT) {
            self.copy(root, forest, &mut || may_see.next().unwrap_or(false), &mut seen);
        }
        Cow::Owned(seen)
    }

    fn copy(
        &self,
        id: InstanceId,
        forest: &Forest,
        may_see_next: &mut dyn FnMut() -> bool,
        seen: &mut Instances,
    ) {
        let Some(node) = self.instances.node(id) else { return };
        if forest[node].place.syntax().is_some() {
            seen.leaf(node, self.instances.value(id));
            return;
        }
        if forest[node].place.is_list() && !may_see_next() {
            return;
        }
        seen.open(node);
        for child in self.instances.children(id) {
            self.copy(child, forest, may_see_next, seen);
        }
        seen.close();
    }

    fn of(forest: &Forest, name: &str, about: About, fill: impl FnOnce(&mut Made<'_>)) -> Option<Event> {
        let root = forest.child(None, name)?;
        let mut made = Made::begin(forest, root, &Wanted::All);
        fill(&mut made);
        Some(Event { time: exact(SystemTime::now()), instances: made.end(), about })
    }

    /// `netconf-session-start`.
    pub fn session_start(forest: &Forest, who: &Who) -> Option<Event> {
        Event::of(forest, "netconf-session-start", About::Session(who.id), |made| who.make(made))
    }

    /// `netconf-session-end`.
    pub fn session_end(forest: &Forest, who: &Who, reason: Reason) -> Option<Event> {
        Event::of(forest, "netconf-session-end", About::Session(who.id), |made| {
            who.make(made);
            if let Reason::Killed(by) = reason {
                made.leaf("killed-by", &by.to_string());
            }
            let reason = match reason {
                Reason::Closed => "closed",
                Reason::Killed(_) => "killed",
                Reason::Dropped => "dropped",
                Reason::Timeout => "timeout",
                Reason::BadHello => "bad-hello",
                Reason::Other => "other",
            };
            made.leaf("termination-reason", reason);
        })
    }

    /// `netconf-config-change` of running; `None` if nothing is changed. `by`: a session, or else the agent itself.
    pub fn config_change(
        forest: &Forest,
        data: &Forest,
        by: Option<&Who>,
        changes: &[Change],
    ) -> Option<Event> {
        // Entries and containers are named by what is in them, and keys by the paths of the rest.
        let is_named = |change: &&Change| {
            let node = change.path.last().map(|step| &data[step.node].place);
            node.is_some_and(|place| place.syntax().is_some() && !place.is_key())
        };
        let named: Vec<&Change> = changes.iter().filter(is_named).collect();
        let edits = named.iter().map(|change| change.path.clone()).collect();
        let about = About::Config { by: by.map(|who| who.id), edits };
        let event = Event::of(forest, "netconf-config-change", about, |made| {
            made.within("changed-by", |made| match by {
                Some(who) => who.make(made),
                None => made.leaf("server", ""),
            });
            made.leaf("datastore", "running");
            for change in &named {
                made.within("edit", |made| {
                    made.leaf("target", &path(data, &change.path).text);
                    let operation = match (&change.before, &change.after) {
                        // Its entry has no name that can be written: what that is in has changed.
                        _ if nameable(&change.path) < change.path.len() => "merge",
                        (None, _) => "create",
                        (_, None) => "delete",
                        _ => "replace",
                    };
                    made.leaf("operation", operation);
                });
            }
        });
        event.filter(|_| !changes.is_empty())
    }

    /// `netconf-confirmed-commit`. `who`: nobody after a time-out.
    pub fn confirmed_commit(forest: &Forest, who: Option<&Who>, confirm: Confirm) -> Option<Event> {
        let about = About::Session(who.map_or(0, |who| who.id));
        Event::of(forest, "netconf-confirmed-commit", about, |made| {
            who.inspect(|who| who.make(made));
            let (event, timeout) = match confirm {
                Confirm::Start(timeout) => ("start", Some(timeout)),
                Confirm::Extend(timeout) => ("extend", Some(timeout)),
                Confirm::Complete => ("complete", None),
                Confirm::Cancel => ("cancel", None),
                Confirm::Timeout => ("timeout", None),
            };
            made.leaf("confirm-event", event);
            timeout.inspect(|timeout| made.leaf("timeout", &timeout.to_string()));
        })
    }

    /// A notification of a MIB module; `None` of one that no module here has.
    pub fn happened(forest: &Forest, happened: Happened<'_>, time: SystemTime) -> Option<Event> {
        let (module, notification) = notification(happened.oid)?;
        let is_it = |root: &&NodeId| {
            forest[**root].name == notification.name && forest.module(**root).name == module.name
        };
        let root = *forest.roots().iter().find(is_it)?;
        let mut made = Made::begin(forest, root, &Wanted::All);
        for (&object, (name, value)) in forest[root].children.iter().zip(happened.objects) {
            made.within_node(object, |made| leaves(forest, object, name, value, made));
        }
        let told = happened.objects.iter().map(|(name, _)| name.clone()).collect();
        let about = About::Objects { name: happened.oid.clone(), told, context: happened.context.to_owned() };
        Some(Event { time: exact(time), instances: made.end(), about })
    }

    /// The whole message in JSON (RFC 8040 section 6.4). `may_see`: as for [`Event::write`].
    pub fn write_json(&self, forest: &Forest, data: &Forest, may_see: impl Fn(&[Step]) -> bool) -> Vec<u8> {
        let edits: &[Vec<Step>] = if let About::Config { edits, .. } = &self.about { edits } else { &[] };
        let mut edits = edits.iter().map(|edit| may_see(edit).then_some(&edit[..]));
        let mut writer = JsonWriter::new(forest, Vec::with_capacity(512));
        for root in self.instances.children(Instances::ROOT) {
            self.put_json(root, &mut writer, data, &mut || edits.next().flatten());
        }
        writer.end();
        let time = date(self.time);
        // Its object has the time too.
        let head = format!("{{\"ietf-restconf:notification\":{{\"eventTime\":\"{time}\",");
        [head.as_bytes(), writer.octets.get(1..).unwrap_or_default(), b"}"].concat()
    }

    fn put_json<'e>(
        &'e self,
        id: InstanceId,
        writer: &mut JsonWriter<'_>,
        data: &Forest,
        next_edit: &mut dyn FnMut() -> Option<&'e [Step]>,
    ) {
        let forest = writer.forest();
        let Some(node) = self.instances.node(id) else { return };
        if forest[node].place.syntax().is_some() {
            writer.leaf_text(node, self.instances.value(id));
            return;
        }
        let mut target = None;
        if forest[node].place.is_list() {
            let Some(steps) = next_edit() else { return };
            target = Some(json_path(&path(data, steps), data));
        }
        writer.open(node);
        for child in self.instances.children(id) {
            match (&target, self.instances.node(child)) {
                (Some(target), Some(of)) if forest[of].name == "target" => writer.leaf_text(of, target),
                _ => self.put_json(child, writer, data, next_edit),
            }
        }
        writer.close(node);
    }

    /// The whole message. `may_see`: whether an edit at this place may be told.
    pub fn write(&self, forest: &Forest, data: &Forest, may_see: impl Fn(&[Step]) -> bool) -> Vec<u8> {
        let mut writer = DataWriter::new(forest, begin(self.time));
        let edits: &[Vec<Step>] = if let About::Config { edits, .. } = &self.about { edits } else { &[] };
        let mut edits = edits.iter().map(|edit| may_see(edit).then_some(&edit[..]));
        for root in self.instances.children(Instances::ROOT) {
            self.put(root, &mut writer, data, &mut || edits.next().flatten());
        }
        let mut octets = writer.octets;
        octets.extend_from_slice(b"</notification>");
        octets
    }

    fn put<'e>(
        &'e self,
        id: InstanceId,
        writer: &mut DataWriter<'_>,
        data: &Forest,
        next_edit: &mut dyn FnMut() -> Option<&'e [Step]>,
    ) {
        let forest = writer.forest();
        let Some(node) = self.instances.node(id) else { return };
        if forest[node].place.syntax().is_some() {
            match self.instances.value(id) {
                // A leaf of type empty.
                "" if forest[node].name == "server" => writer.empty(node),
                value => writer.leaf_text(node, value),
            }
            return;
        }
        if forest[node].place.is_list() {
            let Some(steps) = next_edit() else { return };
            writer.open(node);
            for leaf in self.instances.children(id) {
                match self.instances.node(leaf) {
                    Some(of) if forest[of].name == "target" => {
                        path(data, steps).write(&mut Writer::new(&mut writer.octets), "target");
                    }
                    Some(of) => writer.leaf_text(of, self.instances.value(leaf)),
                    None => {}
                }
            }
            writer.close(node);
            return;
        }
        let mut children = self.instances.children(id).peekable();
        if children.peek().is_none() {
            writer.empty(node);
            return;
        }
        writer.open(node);
        for child in children {
            self.put(child, writer, data, next_edit);
        }
        writer.close(node);
    }
}

/// As exact as it is written, so that a replay from or up to it has the event.
fn exact(time: SystemTime) -> SystemTime {
    let beyond = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos() % 1000);
    time - Duration::from_nanos(beyond.into())
}

fn notification(oid: &Oid) -> Option<(&'static schema::Module, &'static schema::Notification)> {
    module::ALL.iter().find_map(|module| {
        let found = module.notifications.iter().find(|it| it.oid == &oid[..]);
        found.map(|found| (*module, found))
    })
}

/// Whether a value is one that the leaf of an object can have: what a trigger of DISMAN-EVENT-MIB has sampled may be of any type, and
/// mteHotValue is a number.
fn is_of_type(value: &Value, syntax: &schema::Syntax) -> bool {
    let is_small = |number: u64| syntax.kind == ValueKind::Integer && i32::try_from(number).is_ok();
    value.kind() == syntax.kind
        || match value {
            Value::Unsigned32(number) | Value::Counter32(number) | Value::TimeTicks(number) => {
                is_small((*number).into())
            }
            Value::Counter64(number) => is_small(*number),
            _ => false,
        }
}

/// An object of a notification: the keys of its row, and its value if it is of its type.
fn leaves(forest: &Forest, object: NodeId, name: &Oid, value: &Value, made: &mut Made<'_>) {
    let Some((&last, keys)) = forest[object].children.split_last() else { return };
    let mut text = String::new();
    if let Place::Column(table, column) = forest[last].place
        && let Some(index) = name.strip_prefix(&[table.oid, &[1, column.id]].concat()[..])
    {
        for &key in keys {
            text.clear();
            if key_text(table, index, &forest[key].name, &mut text) {
                made.leaf_of(key, &text);
            }
        }
    }
    if let Some(syntax) = forest[last].place.syntax().filter(|syntax| is_of_type(value, syntax)) {
        text.clear();
        lexical::write(value.as_value_ref(), syntax, &mut text);
        made.leaf_of(last, &text);
    }
}

fn key_text(table: &Table, index: &[u32], name: &str, text: &mut String) -> bool {
    let Some(at) = table.index.iter().position(|part| part.name == name) else { return false };
    let Some(Ok(part)) = index_refs(table.index, index).nth(at) else { return false };
    let mut octets = Vec::new();
    let Some(value) = part.value(&table.index[at], &mut octets) else { return false };
    lexical::write(value, &table.index[at].syntax, text);
    true
}
