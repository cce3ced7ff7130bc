//! Data for readers without scripts: the answer of RESTCONF as a page of HTML. A container is a list of its leaves and of links,
//! a list is a table whose pages are links too.

use std::fmt::Write as _;

mod entry;
mod form;
mod groups;
mod links;
mod setting;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use trunkline_restconf::json::Json;
use trunkline_restconf::target::{Key, Target, encode, uri};
use trunkline_smi::ValueKind;
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::value_type::{ValueType, to_hex};

pub use entry::{Entry, SaidOfEntry};
pub use form::{Form, Said};
pub use groups::Groups;
pub use setting::{Change, SaidOfChange};

use crate::object::Object;
use crate::row::Creation;
use crate::schema;
use crate::schema::Rights;

/// What a page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    target: Target,
    /// How many rows of a table are before the page.
    offset: u64,
    /// Whether a value has just been set.
    is_set: bool,
    /// Whether the form of another entry of the list is wanted.
    is_new: bool,
    /// Whether the reader may create entries of the list.
    may_create: bool,
    /// The session's token, if the reader may remove the entry that it shows.
    removal: Option<String>,
    /// Whether there are groups of other agents, to which the page of all data leads.
    has_groups: bool,
    /// Whether the reader may read everything that it can have.
    is_whole: bool,
    /// Whether there is the entry that it is in, or is.
    presence: Presence,
    /// Devices besides this machine, to which the page of all data leads.
    devices: Vec<String>,
}

/// Whether an entry of a list is there, as far as its reader may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    There,
    /// There is none that the reader may read.
    Absent,
    /// Nobody tells: the reader may change something of it that the reader may not read.
    Unknown,
}

impl Shown {
    /// That of a path below `BASE/browser/plain/` and its query; `None`: there is nothing of this name.
    pub fn find(forest: &Forest, path: &str, query: Option<&str>) -> Option<Shown> {
        // The links of a page are relative to its path.
        if path.ends_with('/') {
            return None;
        }
        let target = Target::read(path, forest).ok()?;
        let offset =
            query.and_then(|query| query.strip_prefix("offset=")).and_then(|offset| offset.parse().ok());
        let (is_set, is_new) = (query == Some(AFTER), query == Some("new"));
        let offset = offset.unwrap_or(0);
        let (may_create, removal, has_groups, is_whole) = (false, None, false, false);
        let (presence, devices) = (Presence::There, Vec::new());
        Some(Shown {
            target,
            offset,
            is_set,
            is_new,
            may_create,
            removal,
            has_groups,
            is_whole,
            presence,
            devices,
        })
    }

    /// Whether the form of another entry of the list is wanted.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The table that it shows, if managers create its rows.
    pub fn creation<'f>(&self, forest: &'f Forest) -> Option<Creation<'f>> {
        Creation::of(forest, &self.target)
    }

    /// The same for a reader who may create entries of the list.
    #[must_use]
    pub fn with_creation(self, may_create: bool) -> Shown {
        Shown { may_create, ..self }
    }

    /// The same for a reader who may remove the entry that it shows, with the session's token.
    #[must_use]
    pub fn with_removal(self, token: Option<String>) -> Shown {
        Shown { removal: token, ..self }
    }

    /// Its path behind the root of the data.
    pub fn path(&self, forest: &Forest) -> String {
        uri(&self.target, forest)
    }

    /// The same where there are groups of other agents.
    #[must_use]
    pub fn with_groups(self, has_groups: bool) -> Shown {
        Shown { has_groups, ..self }
    }

    /// The same where these devices can be read too.
    #[must_use]
    pub fn with_devices(self, devices: Vec<String>) -> Shown {
        Shown { devices, ..self }
    }

    /// The path of the entry that it is in, or is, and the node of its list; `None`: it is in none.
    pub fn within_entry(&self, forest: &Forest) -> Option<(String, NodeId)> {
        let at = self.target.steps.iter().rposition(|step| !step.keys.is_empty())?;
        Some((uri(&self.target.first(at + 1), forest), self.target.steps[at].node))
    }

    /// The same if there is such an entry, or none.
    #[must_use]
    pub fn with_presence(self, presence: Presence) -> Shown {
        Shown { presence, ..self }
    }

    /// The page where there is no such entry.
    pub fn absent(&self, forest: &Forest) -> Vec<u8> {
        let words = if self.is_whole { NO_ENTRY } else { NO_READABLE_ENTRY };
        self.within(forest, |_, _, out| {
            let _ = write!(out, "<p role=\"alert\" class=\"wrong\">{words}</p>");
        })
    }

    /// The same for a reader with these rights.
    #[must_use]
    pub fn read_with(self, forest: &Forest, rights: Rights<'_>) -> Shown {
        let is_whole = self.node().is_some_and(|node| rights.is_whole(forest, node));
        Shown { is_whole, ..self }
    }

    fn node(&self) -> Option<NodeId> {
        self.target.node()
    }

    /// What the page shows where there is nothing: access is a reason only for those whose access is limited.
    fn nothing(&self, forest: &Forest) -> &'static str {
        match (self.is_whole, self.target.is_whole_list(forest)) {
            (false, _) => ABSENT,
            (true, true) => "This list is empty.",
            (true, false) => "There is nothing here.",
        }
    }

    /// Whether a value has just been set.
    pub fn is_set(&self) -> bool {
        self.is_set
    }

    /// The path and the query of what it shows, behind the root of RESTCONF; `None`: it shows nothing but names.
    pub fn resource(&self, forest: &Forest) -> Option<(String, String)> {
        let node = self.node()?;
        let query = match self.target.is_whole_list(forest) {
            true => format!("limit={ROWS}&offset={}", self.offset),
            false if forest[node].place.syntax().is_some() => "depth=1".to_owned(),
            false => "depth=2".to_owned(),
        };
        Some((format!("/data{}", uri(&self.target, forest)), query))
    }

    /// The object that it shows, if that is one that can be set.
    pub fn object(&self, forest: &Forest) -> Option<Object> {
        Object::of(forest, &self.target)
    }

    /// The page, of the body of RESTCONF's answer; `Err` has its error in words.
    pub fn page(&self, forest: &Forest, answer: Result<&[u8], &str>, rights: Rights<'_>) -> Vec<u8> {
        self.within(forest, |path, up, out| {
            self.links(forest, up, answer.unwrap_or_default(), out);
            if self.may_create {
                out.push_str("<p class=\"buttons\"><a class=\"button\" href=\"?new\">New entry…</a></p>");
            }
            match (self.node(), answer) {
                (None, _) => {}
                (Some(node), Err(words)) => {
                    let before = out.len();
                    // What is not there may be set.
                    if words == ABSENT
                        && (forest[node].place.is_plain_container() || self.presence == Presence::Unknown)
                    {
                        Data { shown: self, forest, node, path, up, rights }.leaves(&[], out);
                    }
                    if out.len() == before && words == ABSENT && self.is_whole {
                        let _ = write!(out, "<p>{}</p>", self.nothing(forest));
                    } else if out.len() == before {
                        let _ = write!(out, "<p role=\"alert\" class=\"wrong\">{}</p>", escaped(words));
                    }
                }
                (Some(node), Ok(body)) => {
                    Data { shown: self, forest, node, path, up, rights }.write(body, out);
                }
            }
            if let Some(token) = &self.removal {
                setting::remove(token, out);
            }
        })
    }

    /// The page with the form that sets the object which it shows.
    pub fn form(&self, forest: &Forest, form: &Form<'_>) -> Vec<u8> {
        self.within(forest, |_, _, out| form.write(out))
    }

    /// What is around the content of every page. `content` gets the path and the way to the folder of `plain/`.
    fn within(&self, forest: &Forest, content: impl FnOnce(&str, &str, &mut String)) -> Vec<u8> {
        let path = uri(&self.target, forest);
        // From the folder of the page's own URL to `plain/`.
        let up = "../".repeat(path.matches('/').count().saturating_sub(1));
        let mut trail = String::new();
        self.trail(forest, &up, &mut trail);
        frame(&self.title(forest), &up, &trail, |out| {
            if self.presence == Presence::Unknown {
                let _ = write!(out, "<p class=\"about\">{UNKNOWN_ENTRY}</p>");
            }
            content(&path, &up, out);
        })
    }

    fn title(&self, forest: &Forest) -> String {
        let Some(last) = self.target.steps.last() else { return "All data".into() };
        let new = if self.is_new { "New " } else { "" };
        format!("{new}{} {}", forest[last.node].name, text_of(&last.keys)).trim_end().to_owned()
    }

    /// Links to what it is in.
    fn trail(&self, forest: &Forest, up: &str, out: &mut String) {
        for length in 1..=self.target.steps.len() {
            let mut part = self.target.first(length);
            let Some(last) = part.steps.last_mut() else { continue };
            let keys = std::mem::take(&mut last.keys);
            let name = forest[last.node].name.clone();
            let mut link = |part: &Target, text: &str| {
                let _ = write!(out, " / <a href=\"{up}../plain{}\">{}</a>", uri(part, forest), escaped(text));
            };
            link(&part, &name);
            // An entry is behind its list.
            if let (Some(last), false) = (part.steps.last_mut(), keys.is_empty()) {
                let text = text_of(&keys);
                last.keys = keys;
                link(&part, &text);
            }
        }
    }

    /// Which rows these are, and links to those before and behind them.
    fn pages(&self, rows: &[Json], out: &mut String) {
        let last = self.offset.saturating_add(rows.len() as u64);
        let remaining = rows.first().and_then(remaining).unwrap_or(0);
        let _ = write!(
            out,
            "<nav class=\"pages\" aria-label=\"Pages\">Rows {} to {last} of {}",
            self.offset.saturating_add(1),
            last.saturating_add(remaining)
        );
        if self.offset > 0 {
            let _ = write!(
                out,
                " <a rel=\"prev\" href=\"?offset={}\">Previous</a>",
                self.offset.saturating_sub(ROWS)
            );
        }
        if remaining > 0 {
            let _ = write!(out, " <a rel=\"next\" href=\"?offset={last}\">Next</a>");
        }
        out.push_str("</nav>");
    }
}

/// A page with a title, the way to the folder of `plain/`, and links behind that to all data.
fn frame(title: &str, up: &str, trail: &str, content: impl FnOnce(&mut String)) -> Vec<u8> {
    let title = escaped(title);
    let mut out = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><link rel=\"stylesheet\" href=\"{up}../style.css\">\
         <link rel=\"icon\" href=\"{up}../icon.svg\"></head><body class=\"plain\"><header><nav aria-label=\"Where this is\">\
         <a href=\"{up}../plain/\">All data</a>{trail}</nav><form method=\"post\" action=\"{up}../logout\">\
         <button>Log out</button></form></header><main><h1>{title}</h1>"
    );
    content(&mut out);
    out.push_str("</main></body></html>");
    out.into_bytes()
}

/// The data of a page, and how it is written.
struct Data<'a> {
    shown: &'a Shown,
    forest: &'a Forest,
    node: NodeId,
    path: &'a str,
    up: &'a str,
    rights: Rights<'a>,
}

impl Data<'_> {
    fn write(&self, body: &[u8], out: &mut String) {
        let json = match Json::read(body) {
            Ok(Json::Object(members)) => members.into_iter().next().map(|(_, value)| value),
            _ => None,
        };
        let is_leaf_page = self.forest[self.node].place.syntax().is_some();
        match json {
            Some(Json::Array(rows)) if self.shown.target.is_whole_list(self.forest) && !rows.is_empty() => {
                self.table(&rows, out);
            }
            Some(Json::Array(entries)) if self.forest[self.node].place.is_list() && !entries.is_empty() => {
                self.leaves(entries.first().and_then(members).map_or(&[][..], Vec::as_slice), out);
            }
            Some(Json::Object(members)) => self.leaves(&members, out),
            Some(value) if is_leaf_page && is_leaf(&value) => {
                out.push_str("<p class=\"value\">");
                cell(&value, Look::of(&self.forest[self.node].place), out);
                out.push_str("</p>");
            }
            _ => {
                let _ = write!(out, "<p>{}</p>", self.shown.nothing(self.forest));
            }
        }
    }

    /// A list of names and values, each with a link to its form if it can be set.
    fn leaves(&self, members: &[(String, Json)], out: &mut String) {
        let leaves = members.iter().filter(|(name, value)| !name.starts_with('@') && is_leaf(value));
        let leaves: Vec<(&str, &Json, bool)> =
            leaves.map(|(name, value)| (name.as_str(), value, self.is_settable(name))).collect();
        let missing = self.missing(members);
        if leaves.is_empty() && missing.is_empty() {
            return;
        }
        let has_forms = !missing.is_empty() || leaves.iter().any(|(.., is_settable)| *is_settable);
        out.push_str("<table class=\"leaves\">");
        for (name, value, is_settable) in leaves {
            let _ = write!(out, "<tr><th scope=\"row\">{}</th><td>", escaped(name));
            cell(value, look(self.forest, self.node, name), out);
            out.push_str("</td>");
            if is_settable {
                self.edit(name, out);
            } else if has_forms {
                out.push_str("<td></td>");
            }
            out.push_str("</tr>");
        }
        for name in missing {
            let is_hidden = leaf_of(self.forest, self.node, &name)
                .is_some_and(|leaf| self.rights.is_hidden(&self.forest[leaf].place));
            let _ = write!(
                out,
                "<tr><th scope=\"row\">{}</th><td><span class=\"none\">{}</span></td>",
                escaped(&name),
                if is_hidden { "not shown" } else { "not set" }
            );
            self.edit(&name, out);
            out.push_str("</tr>");
        }
        out.push_str("</table>");
    }

    fn edit(&self, name: &str, out: &mut String) {
        let _ = write!(
            out,
            "<td><a class=\"button\" href=\"{}../plain{}/{name}\">Edit<span class=\"unseen\"> {name}</span></a></td>",
            self.up,
            self.path,
            name = escaped(name)
        );
    }

    fn is_changed(&self, leaf: NodeId) -> bool {
        let place = &self.forest[leaf].place;
        let is_single = !place.is_key() && !place.is_leaf_list();
        is_single && (self.rights.may_change)(place)
    }

    /// Leaves that the reader may set, and that are not there, or not shown: those of the configuration, and objects that may not be read.
    fn missing(&self, members: &[(String, Json)]) -> Vec<String> {
        let is_missing = |leaf: &&NodeId| {
            let place = &self.forest[**leaf].place;
            let is_offered = match place.setting() {
                _ if self.shown.presence == Presence::Unknown => self.rights.is_hidden(place),
                Some(setting) => !matches!(setting.value, ValueType::Empty),
                None => self.rights.is_blind(place),
            };
            is_offered && self.is_changed(**leaf)
        };
        let leaves = self.forest.children(Some(self.node)).iter().filter(is_missing);
        let names = leaves.map(|leaf| schema::name_within(self.forest, *leaf));
        names.filter(|name| members.iter().all(|(known, _)| known != name)).collect()
    }

    fn is_settable(&self, name: &str) -> bool {
        leaf_of(self.forest, self.node, name).is_some_and(|leaf| self.is_changed(leaf))
    }

    fn table(&self, rows: &[Json], out: &mut String) {
        let (forest, node) = (self.forest, self.node);
        let objects = || rows.iter().filter_map(members);
        let mut columns: Vec<&str> = Vec::new();
        for (name, _) in objects().flatten().filter(|(name, _)| !name.starts_with('@')) {
            if !columns.contains(&name.as_str()) {
                columns.push(name);
            }
        }
        // As the schema has them: a row may lack some.
        let order = |name: &str| {
            let bare = name.rsplit(':').next().unwrap_or(name);
            forest.children(Some(node)).iter().position(|it| forest[*it].name == bare).unwrap_or(usize::MAX)
        };
        columns.sort_by_key(|name| order(name));
        self.shown.pages(rows, out);
        out.push_str(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table><thead><tr>",
        );
        for column in &columns {
            let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(column));
        }
        out.push_str("</tr></thead><tbody>");
        let columns: Vec<(&str, Look)> =
            columns.into_iter().map(|name| (name, look(forest, node, name))).collect();
        for row in objects() {
            out.push_str("<tr>");
            let entry = self.entry(row);
            for (at, (column, look)) in columns.iter().enumerate() {
                out.push_str("<td>");
                let mut text = String::new();
                if let Some((_, value)) = row.iter().find(|(name, _)| name == column) {
                    cell(value, *look, &mut text);
                }
                match &entry {
                    Some(path) if at == 0 => {
                        let text = if text.is_empty() { "(empty)" } else { &text };
                        let _ = write!(out, "<a href=\"{}../plain{path}\">{text}</a>", self.up);
                    }
                    _ => out.push_str(&text),
                }
                out.push_str("</td>");
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>");
    }

    /// The path of a row's own page; `None`: it does not have all its keys.
    fn entry(&self, row: &[(String, Json)]) -> Option<String> {
        let mut path = self.path.to_owned();
        let mut count = 0;
        for key in self.forest.keys(self.node) {
            let name = &self.forest[key].name;
            let (_, value) = row.iter().find(|(known, _)| known == name)?;
            let text = match value {
                Json::Text(text) | Json::Number(text) => text.as_str(),
                Json::Boolean(true) => "true",
                Json::Boolean(false) => "false",
                _ => return None,
            };
            path.push(if count == 0 { '=' } else { ',' });
            encode(text, &mut path);
            count += 1;
        }
        (count > 0).then_some(path)
    }
}

/// What is in the body of a resource that is there once.
pub(crate) fn only(body: &[u8]) -> Option<Json> {
    let Ok(Json::Object(members)) = Json::read(body) else { return None };
    match members.into_iter().next()?.1 {
        Json::Array(entries) => entries.into_iter().next(),
        json => Some(json),
    }
}

/// The keys of an entry, for people.
fn text_of(keys: &[Key]) -> String {
    keys.iter().map(|key| key.text.as_str()).collect::<Vec<_>>().join(", ")
}

/// How many entries are behind a page, by the annotation of its first entry.
fn remaining(first: &Json) -> Option<u64> {
    let notes = members(first)?.iter().find(|(name, _)| name == "@").map(|(_, notes)| notes)?;
    let number =
        members(notes)?.iter().find(|(name, _)| name.ends_with(":remaining")).map(|(_, number)| number)?;
    match number {
        Json::Number(number) | Json::Text(number) => number.parse().ok(),
        _ => None,
    }
}

fn members(json: &Json) -> Option<&Vec<(String, Json)>> {
    match json {
        Json::Object(members) => Some(members),
        _ => None,
    }
}

fn is_leaf(json: &Json) -> bool {
    match json {
        Json::Object(_) => false,
        Json::Array(values) => values.iter().all(is_leaf),
        _ => true,
    }
}

/// Whether the values of a leaf in a node are octets in base64.
fn look(forest: &Forest, node: NodeId, name: &str) -> Look {
    leaf_of(forest, node, name).map_or(Look::Plain, |leaf| Look::of(&forest[leaf].place))
}

/// The leaf in a node that a member of JSON is.
fn leaf_of(forest: &Forest, node: NodeId, name: &str) -> Option<NodeId> {
    let bare = name.rsplit(':').next().unwrap_or(name);
    forest.children(Some(node)).iter().copied().find(|it| forest[*it].name == bare)
}

/// How a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Plain,
    /// Octets, which are base64 in RESTCONF.
    Octets,
    /// A time in hundredths of a second.
    Ticks,
}

impl Look {
    fn of(place: &Place) -> Look {
        let is_ticks = || {
            let syntax = place.syntax().filter(|_| !matches!(place, Place::Own { .. }));
            syntax.is_some_and(|syntax| {
                syntax.kind == ValueKind::TimeTicks || syntax.convention == "TimeInterval"
            })
        };
        match schema::is_binary(place) {
            true => Look::Octets,
            false if is_ticks() => Look::Ticks,
            false => Look::Plain,
        }
    }
}

/// Octets as text where they are some, otherwise in hexadecimal.
pub(crate) fn octets(octets: Vec<u8>) -> String {
    match String::from_utf8(octets) {
        Ok(text) if !text.chars().any(char::is_control) => text,
        Ok(text) => to_hex(text.as_bytes()),
        Err(error) => to_hex(error.as_bytes()),
    }
}

/// The text of a leaf.
fn text_of_leaf(json: &Json) -> String {
    match json {
        Json::Text(text) | Json::Number(text) => text.clone(),
        Json::Boolean(value) => value.to_string(),
        _ => String::new(),
    }
}

/// Hundredths of a second as days, hours, minutes and seconds, the two greatest of them.
fn ticks(hundredths: u32) -> String {
    let mut seconds = hundredths / 100;
    let mut parts = Vec::new();
    for (size, name) in [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")] {
        if seconds >= size || (size == 1 && parts.is_empty()) {
            parts.push(format!("{} {name}", seconds / size));
        }
        seconds %= size;
    }
    parts.truncate(2);
    parts.join(" ")
}

/// A value in a line.
pub(crate) fn text_of_value(value: &Json) -> String {
    match value {
        Json::Array(values) => values.iter().map(text_of_value).collect::<Vec<_>>().join(", "),
        Json::Object(members) => {
            let members = members.iter().filter(|(name, _)| !name.starts_with('@'));
            members.map(|(name, it)| format!("{name}: {}", text_of_value(it))).collect::<Vec<_>>().join("; ")
        }
        leaf => text_of_leaf(leaf),
    }
}

/// A value in a cell; what is in a container or list is written in short.
fn cell(value: &Json, look: Look, out: &mut String) {
    match value {
        Json::Text(value) if look == Look::Octets => {
            let text = STANDARD.decode(value).map_or_else(|_| value.clone(), octets);
            out.push_str(&escaped(&text));
        }
        Json::Number(value) if look == Look::Ticks => {
            out.push_str(&value.parse().map_or_else(|_| escaped(value), ticks));
        }
        Json::Null => {}
        Json::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(value) | Json::Text(value) => out.push_str(&escaped(value)),
        Json::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                cell(value, look, out);
            }
        }
        Json::Object(members) => {
            let members = members.iter().filter(|(name, _)| !name.starts_with('@'));
            for (at, (name, value)) in members.enumerate() {
                let _ = write!(out, "{}{}: ", if at > 0 { "; " } else { "" }, escaped(name));
                cell(value, Look::Plain, out);
            }
        }
    }
}

/// A text in HTML, also in an attribute's value. What would reorder the text around it, or is not seen, is left out.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            it if trunkline_smi::is_hidden(it) => out.push('\u{fffd}'),
            it => out.push(it),
        }
    }
    out
}

/// The query of the page to which a value that was set leads.
pub const AFTER: &str = "set";
/// The words of an answer that there is nothing.
pub const ABSENT: &str = "There is nothing here that you may read.";
const NO_ENTRY: &str = "There is no such entry.";
const NO_READABLE_ENTRY: &str = "There is no such entry that you may read.";
const UNKNOWN_ENTRY: &str = "It is not known whether there is such an entry: you may not read it.";
/// Rows of a page.
const ROWS: u64 = 50;

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::schema::{Reads, forest};

    static FOREST: LazyLock<Forest> = LazyLock::new(forest);
    const SYSTEM: &[u32] = &[1, 3, 6, 1, 2, 1, 1];

    fn page(path: &str, query: Option<&str>, answer: Result<&str, &str>) -> String {
        let shown = Shown::find(&FOREST, path, query).unwrap();
        let may_change =
            |place: &Place| schema::object_of(place).is_some_and(|object| object.starts_with(SYSTEM));
        let rights = Rights { may_change: &may_change, reads: &reads_most };
        let shown = shown.read_with(&FOREST, rights);
        String::from_utf8(shown.page(&FOREST, answer.map(str::as_bytes), rights)).unwrap()
    }

    /// Everything but sysContact and hosts' resources.
    fn reads_most(object: &[u32]) -> Reads {
        let hidden: [&[u32]; 2] = [&[1, 3, 6, 1, 2, 1, 1, 4], &[1, 3, 6, 1, 2, 1, 25]];
        match object {
            object if hidden.iter().any(|hidden| object.starts_with(hidden)) => Reads::Nothing,
            object if hidden.iter().any(|hidden| hidden.starts_with(object)) => Reads::Some,
            _ => Reads::All,
        }
    }

    #[test]
    fn access_is_blamed_only_where_it_is_limited() {
        for (path, words) in [
            ("IF-MIB:IF-MIB/ifTable/ifEntry", "<p>This list is empty.</p>"),
            ("IF-MIB:IF-MIB/ifTable/ifEntry=1", "<p>There is nothing here.</p>"),
            ("HOST-RESOURCES-MIB:HOST-RESOURCES-MIB/hrSWRunTable/hrSWRunEntry", "that you may read."),
            ("ietf-interfaces:interfaces/interface", "that you may read."),
        ] {
            for answer in [Err(ABSENT), Ok("{\"a\":[]}")] {
                let page = page(path, None, answer);
                assert!(page.contains(words), "{path} {page}");
            }
        }
        // What is not shown can be set.
        let system = page("SNMPv2-MIB:SNMPv2-MIB/system", None, Ok("{\"a\":{\"sysName\":\"x\"}}"));
        assert!(
            system.contains("sysContact</th><td><span class=\"none\">not shown</span></td><td><a"),
            "{system}"
        );
        assert!(!system.contains("sysLocation</th>"), "it is not there");
    }

    #[test]
    fn the_cases_of_a_choice_that_are_not_used_are_called_so() {
        let all = |_: &[u32]| Reads::All;
        let rights = Rights { may_change: &|_| true, reads: &all };
        let page = |path: &str, body: &str| {
            let shown = Shown::find(&FOREST, path, None).unwrap().read_with(&FOREST, rights);
            String::from_utf8(shown.page(&FOREST, Ok(body.as_bytes()), rights)).unwrap()
        };
        let target = page("ietf-snmp:snmp/target=a", r#"{"a":[{"name":"a","udp":{},"timeout":1}]}"#);
        assert!(
            target.contains("udp\">udp</a></li>") && target.contains("tls\">tls</a> (not used)</li>"),
            "{target}"
        );
        let none = page("ietf-snmp:snmp/target=a", r#"{"a":[{"name":"a"}]}"#);
        assert_eq!(none.matches("(not used)").count(), 4, "{none}");
        // Keys are secrets: nobody tells which of them is set.
        let auth = page("ietf-snmp:snmp/usm/local/user=a/auth", r#"{"a":{}}"#);
        assert!(auth.contains(">sha</a>") && !auth.contains("not used"), "{auth}");
        let community = page("ietf-snmp:snmp/community=a", r#"{"a":[{"index":"a","security-name":"b"}]}"#);
        assert!(community.contains("text-name</th><td><span class=\"none\">not shown"), "{community}");
        assert!(community.contains("context</th><td><span class=\"none\">not set"), "{community}");
    }

    #[test]
    fn of_an_entry_that_may_not_be_there_only_what_is_hidden_is_changed() {
        let nothing = |_: &[u32]| Reads::Nothing;
        let rights = Rights { may_change: &|_| true, reads: &nothing };
        let shown = Shown::find(&FOREST, "ietf-snmp:snmp/target=a", None).unwrap();
        let (path, list) = shown.within_entry(&FOREST).unwrap();
        assert!(path == "/ietf-snmp:snmp/target=a" && rights.has_blind(&FOREST, list));
        let absent = String::from_utf8(shown.absent(&FOREST)).unwrap();
        assert!(
            absent.contains("There is no such entry that you may read.") && !absent.contains("Edit"),
            "{absent}"
        );
        let shown = shown.with_presence(Presence::Unknown);
        let unknown = String::from_utf8(shown.page(&FOREST, Err(ABSENT), rights)).unwrap();
        for part in ["It is not known whether", "timeout</th><td><span class=\"none\">not shown", "Edit"] {
            assert!(unknown.contains(part), "{part} {unknown}");
        }
        let whole = Shown::find(&FOREST, "ietf-snmp:snmp/target", None).unwrap();
        assert_eq!(whole.within_entry(&FOREST), None);
    }

    #[test]
    fn the_page_of_all_data_leads_to_devices() {
        let shown = Shown::find(&FOREST, "", None).unwrap().with_devices(vec!["edge.a".into(), "<b>".into()]);
        let rights = Rights { may_change: &|_| false, reads: &reads_most };
        let page = String::from_utf8(shown.page(&FOREST, Ok(b""), rights)).unwrap();
        for link in [
            "<a href=\"../../devices/edge.a/browser/plain/\">edge.a</a>",
            "<a href=\"../../devices/%3Cb%3E/browser/plain/\">&lt;b&gt;</a>",
        ] {
            assert!(page.contains(link), "{link} {page}");
        }
        assert!(!self::page("", None, Ok("")).contains("Devices"));
    }

    #[test]
    fn paths_lead_to_resources() {
        let resource = |path, query| Shown::find(&FOREST, path, query).map(|shown| shown.resource(&FOREST));
        let of = |path: &str, query: &str| Some(Some((path.to_owned(), query.to_owned())));
        assert_eq!(resource("", None), Some(None));
        assert_eq!(
            resource("IF-MIB:IF-MIB/ifTable/ifEntry", Some("offset=100")),
            of("/data/IF-MIB:IF-MIB/ifTable/ifEntry", "limit=50&offset=100")
        );
        assert_eq!(
            resource("IF-MIB:IF-MIB/ifTable/ifEntry=1", None),
            of("/data/IF-MIB:IF-MIB/ifTable/ifEntry=1", "depth=2")
        );
        assert_eq!(
            resource("IF-MIB:IF-MIB/ifTable/ifEntry=1/ifDescr", None),
            of("/data/IF-MIB:IF-MIB/ifTable/ifEntry=1/ifDescr", "depth=1")
        );
        assert_eq!(resource("ietf-system:system", None), of("/data/ietf-system:system", "depth=2"));
        for path in [
            "IF-MIB",
            "ietf-system:system/",
            "IF-MIB:IF-MIB/other",
            "IF-MIB:IF-MIB/ifTable/ifEntry=x",
            "IF-MIB:IF-MIB/ifTable/ifEntry/ifDescr",
            "../a",
        ] {
            assert_eq!(resource(path, None), None, "{path}");
        }
    }

    #[test]
    fn a_table_has_columns_rows_and_links_to_its_pages() {
        let body = r#"{"IF-MIB:ifEntry":[{"ifDescr":"<script>alert(1)</script>","ifIndex":1,
            "@":{"ietf-list-pagination:remaining":7}},{"ifIndex":2,"ifDescr":"b","x:more":{"a":[1,2]}}]}"#;
        let page = page("IF-MIB:IF-MIB/ifTable/ifEntry", Some("offset=50"), Ok(body));
        for part in [
            "<th scope=\"col\">ifIndex</th><th scope=\"col\">ifDescr</th><th scope=\"col\">x:more</th>",
            "<td><a href=\"../../../plain/IF-MIB:IF-MIB/ifTable/ifEntry=1\">1</a></td><td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td></td>",
            "ifEntry=2\">2</a></td><td>b</td><td>a: 1, 2</td>",
            "Rows 51 to 52 of 59 <a rel=\"prev\" href=\"?offset=0\">Previous</a> <a rel=\"next\" href=\"?offset=52\">Next</a>",
            "<a href=\"../../../plain/IF-MIB:IF-MIB/ifTable\">ifTable</a>",
            "href=\"../../../style.css\"",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("<script"), "{page}");
    }

    #[test]
    fn octets_are_text_where_they_are_some() {
        let body = r#"{"a":[{"hrSWRunName":"PGI+","hrSWRunPath":"AP8=","hrSWRunParameters":"?"}]}"#;
        let page = page("HOST-RESOURCES-MIB:HOST-RESOURCES-MIB/hrSWRunTable/hrSWRunEntry", None, Ok(body));
        assert!(page.contains("<td>&lt;b&gt;</td><td>00:ff</td><td>?</td>"), "{page}");
    }

    #[test]
    fn times_are_times() {
        let system =
            page("SNMPv2-MIB:SNMPv2-MIB/system", None, Ok(r#"{"a":{"sysUpTime":9030100,"sysServices":72}}"#));
        assert!(system.contains("<td>1 d 1 h</td>") && system.contains("<td>72</td>"), "{system}");
    }

    #[test]
    fn a_container_has_its_leaves_and_links() {
        let body = r#"{"ietf-system:system":{"contact":"a & b","clock":{},"ntp":[{"x":1}]}}"#;
        let page = page("ietf-system:system", None, Ok(body));
        assert!(page.contains("<tr><th scope=\"row\">contact</th><td>a &amp; b</td></tr></table>"), "{page}");
        let all = self::page("", None, Err("not used"));
        assert!(all.contains("<li><a href=\"../plain/IF-MIB:IF-MIB\">IF-MIB</a></li>"), "{all}");
        let refused = self::page("ietf-system:system", None, Err("no <access>"));
        assert!(refused.contains("<p role=\"alert\" class=\"wrong\">no &lt;access&gt;</p>"), "{refused}");
        for empty in ["{}", "", "[1]", r#"{"a":1}"#, r#"{"a":[]}"#] {
            let page = self::page("ietf-system:system", None, Ok(empty));
            assert!(page.contains("<p>There is nothing here that you may read.</p>"), "{empty}: {page}");
        }
    }

    #[test]
    fn an_entry_and_a_leaf_have_pages() {
        let entry =
            page("IF-MIB:IF-MIB/ifTable/ifEntry=1", None, Ok(r#"{"a":[{"ifIndex":1,"ifDescr":"lo"}]}"#));
        assert!(entry.contains("<h1>ifEntry 1</h1>") && entry.contains("<td>lo</td></tr>"), "{entry}");
        let system = r#"{"SNMPv2-MIB:system":{"sysDescr":"x","sysContact":"ann"}}"#;
        let system = page("SNMPv2-MIB:SNMPv2-MIB/system", None, Ok(system));
        let edit = "<td>ann</td><td><a class=\"button\" href=\"../../plain/SNMPv2-MIB:SNMPv2-MIB/system/sysContact\">";
        assert!(system.contains(edit) && system.contains("<td>x</td><td></td></tr>"), "{system}");
        let leaf = page("IF-MIB:IF-MIB/ifTable/ifEntry=1/ifDescr", None, Ok(r#"{"IF-MIB:ifDescr":"<lo>"}"#));
        assert!(leaf.contains("<p class=\"value\">&lt;lo&gt;</p>"), "{leaf}");
    }

    proptest! {
        #[test]
        fn whatever_stands_in_the_data_is_text(name in "\\PC{0,20}", value in "\\PC{0,40}") {
            let mut body = String::from("{\"a\":[{");
            crate::schema::text(&mut body, &format!("n{name}"));
            body.push(':');
            crate::schema::text(&mut body, &value);
            body.push_str("}]}");
            let page = page("IF-MIB:IF-MIB/ifTable/ifEntry", None, Ok(&body));
            let inner = page.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
            let text = inner.strip_prefix("<tr><td>").and_then(|it| it.strip_suffix("</td></tr>")).unwrap();
            prop_assert!(!text.contains(['<', '>', '"']), "{}", text);
        }
    }
}
