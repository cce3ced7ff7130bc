//! The groups of other agents for readers without scripts: the groups, what is computed of them, and their members, the worst first.

use std::fmt::Write as _;

use trunkline_restconf::json::Json;
use trunkline_restconf::target::encode;

use super::form::wrong;
use super::{escaped, frame, members, remaining, text_of_leaf};

/// What the page shows of the members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// How many are before the page.
    offset: u64,
    /// What the name, the state or the reason of a member has in it; empty: all.
    has: String,
}

impl Groups {
    /// That of a query, which a form without scripts makes.
    pub fn find(query: Option<&str>) -> Groups {
        let mut found = Groups::default();
        for (name, value) in crate::form::pairs(query.unwrap_or_default().as_bytes()).flatten() {
            match name.as_str() {
                "offset" => found.offset = value.parse().unwrap_or(0),
                "has" => found.has = value.to_string(),
                _ => {}
            }
        }
        found
    }

    /// The query below `/data` for groups and what is computed.
    pub fn whole() -> (&'static str, &'static str) {
        (
            "/data",
            "fields=SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime;TRUNKLINE-MIB:TRUNKLINE-MIB/groupTable/groupEntry;\
             TRUNKLINE-MIB:TRUNKLINE-MIB/groupAggregateTable/groupAggregateEntry",
        )
    }

    /// The path and the query of a page of members.
    pub fn members(&self) -> (&'static str, String) {
        let mut query = format!("limit={ROWS}&offset={}&sort-by=groupMemberState", self.offset);
        if !self.has.is_empty() {
            let has = self.has.replace('\'', "");
            let of = |name| format!("contains({name},'{has}')");
            let columns = ["groupName", "groupMemberName", "groupMemberState", "groupMemberReason"];
            query += "&where=";
            encode(&columns.map(of).join(" or "), &mut query);
        }
        ("/data/TRUNKLINE-MIB:TRUNKLINE-MIB/groupMemberTable/groupMemberEntry", query)
    }

    /// The page, of the bodies of RESTCONF's answers, where `is_device` says which names have a page of their own.
    pub fn page(
        &self,
        whole: Result<&[u8], &str>,
        rows: Result<&[u8], &str>,
        is_device: &dyn Fn(&str) -> bool,
    ) -> Vec<u8> {
        frame("Groups", "", "", |out| {
            let words = match whole.map(Json::read) {
                Ok(Ok(json)) => return self.write(&json, rows, is_device, out),
                Ok(Err(_)) => "The answer cannot be read.",
                Err(words) => words,
            };
            wrong(words, out);
        })
    }

    fn write(
        &self,
        json: &Json,
        rows: Result<&[u8], &str>,
        is_device: &dyn Fn(&str) -> bool,
        out: &mut String,
    ) {
        let data = within(json, &["ietf-restconf:data"]);
        let up = data.and_then(|it| within(it, &["SNMPv2-MIB:SNMPv2-MIB", "system", "sysUpTime"]));
        let up: Option<u32> = up.and_then(|up| text_of_leaf(up).parse().ok());
        let table = |table: &str, entry: &str| -> Vec<&Json> {
            match data.and_then(|it| within(it, &["TRUNKLINE-MIB:TRUNKLINE-MIB", table, entry])) {
                Some(Json::Array(rows)) => rows.iter().collect(),
                _ => Vec::new(),
            }
        };
        let groups = table("groupTable", "groupEntry");
        if groups.is_empty() {
            out.push_str("<p>There are no groups that you may read.</p>");
            return;
        }
        begin(out, "Groups", &["Group", "Reachable", "Read by", "Last cycle"]);
        for group in groups {
            let of = |name| column(group, name);
            let cells = [
                format!("{} of {}", of("groupReachable"), of("groupMembers")),
                reader(&of("groupRole"), &of("groupPeer"), &of("groupPeerState")),
                ago(&of("groupLastCycle"), up),
            ];
            line(out, &escaped(&of("groupName")), &cells);
        }
        out.push_str(END);
        let aggregates = table("groupAggregateTable", "groupAggregateEntry");
        if !aggregates.is_empty() {
            out.push_str("<h2>Aggregates</h2>");
            let names = [
                "Group",
                "Aggregate",
                "Value",
                "Units",
                "Function",
                "Values",
                "Missing",
                "Oldest value (ms)",
            ];
            begin(out, "Aggregates", &names);
            for aggregate in aggregates {
                let of = |name| column(aggregate, &format!("groupAggregate{name}"));
                let value = Some(of("Text")).filter(|text| !text.is_empty());
                let value = value.unwrap_or_else(|| "no value".into());
                let more = ["Units", "Function", "Counted", "Missing", "Age"].map(of);
                let cells: Vec<String> = [of("Name"), value].into_iter().chain(more).collect();
                line(out, &escaped(&column(aggregate, "groupName")), &cells);
            }
            out.push_str(END);
        }
        out.push_str("<h2>Members</h2>");
        let _ = write!(
            out,
            "<form class=\"filter\"><label for=\"has\">Those with</label> <input id=\"has\" name=\"has\" type=\"search\" value=\"{}\"> \
             <button>Filter</button></form>",
            escaped(&self.has)
        );
        match rows {
            Ok(body) => self.rows(body, up, is_device, out),
            Err(_) => out.push_str("<p>There are no such members that you may read.</p>"),
        }
    }

    fn rows(&self, body: &[u8], up: Option<u32>, is_device: &dyn Fn(&str) -> bool, out: &mut String) {
        let json = Json::read(body).ok();
        let rows = match json.as_ref().and_then(members).and_then(|members| members.first()) {
            Some((_, Json::Array(rows))) => rows.as_slice(),
            _ => &[],
        };
        let Some(first) = rows.first() else {
            out.push_str("<p>There are no such members that you may read.</p>");
            return;
        };
        self.pages(rows.len() as u64, remaining(first).unwrap_or(0), out);
        let names = ["Member", "Group", "State", "Reason", "Last success", "Failures", "Protocol", "Address"];
        begin(out, "Members", &names);
        for row in rows {
            let of = |name| column(row, &format!("groupMember{name}"));
            let (group, name) = (column(row, "groupName"), of("Name"));
            let device = format!("{group}.{name}");
            let member = match is_device(&device) {
                true => format!("<a href=\"../../devices/{device}/browser/plain/\">{}</a>", escaped(&name)),
                false => escaped(&name),
            };
            let last = ago(&of("LastSuccess"), up);
            let more = ["Failures", "Protocol", "Address"].map(of);
            let cells: Vec<String> =
                [group, state(&of("State")).into(), of("Reason"), last].into_iter().chain(more).collect();
            line(out, &member, &cells);
        }
        out.push_str(END);
    }

    fn pages(&self, count: u64, remaining: u64, out: &mut String) {
        let last = self.offset.saturating_add(count);
        let _ = write!(
            out,
            "<nav class=\"pages\" aria-label=\"Pages\">Members {} to {last} of {}",
            self.offset.saturating_add(1),
            last.saturating_add(remaining)
        );
        let mut has = String::new();
        encode(&self.has, &mut has);
        let mut link = |rel: &str, words: &str, offset: u64| {
            let _ = write!(out, " <a rel=\"{rel}\" href=\"?offset={offset}&amp;has={has}\">{words}</a>");
        };
        if self.offset > 0 {
            link("prev", "Previous", self.offset.saturating_sub(ROWS));
        }
        if remaining > 0 {
            link("next", "Next", last);
        }
        out.push_str("</nav>");
    }
}

fn within<'a>(json: &'a Json, path: &[&str]) -> Option<&'a Json> {
    path.iter().try_fold(json, |json, name| {
        members(json)?.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    })
}

fn column(row: &Json, name: &str) -> String {
    within(row, &[name]).map(text_of_leaf).unwrap_or_default()
}

/// Which of two agents reads a group.
fn reader(role: &str, peer: &str, state: &str) -> String {
    match (role, state) {
        ("active", "none") => "this agent".into(),
        ("active", "standby") => format!("this agent; {peer} is on standby"),
        ("active", "lost") => format!("this agent; {peer} does not answer"),
        ("active", "active") => format!("this agent, and {peer} too"),
        ("active", _) => format!("this agent; {peer} has not answered yet"),
        ("standby", "active") => format!("{peer}; this agent is on standby"),
        ("standby", "standby") => format!("nobody: {peer} is on standby too"),
        ("standby", "lost") => format!("nobody: {peer} does not answer"),
        ("standby", "none") => "nobody: this agent is on standby".into(),
        ("standby", _) => format!("perhaps {peer}, which has not answered yet"),
        _ => String::new(),
    }
}

fn state(state: &str) -> &str {
    if state == "notRead" { "not read here" } else { state }
}

/// How long a moment is ago, both as sysUpTime.
fn ago(stamp: &str, up: Option<u32>) -> String {
    let (Ok(stamp), Some(up)) = (stamp.parse::<u32>(), up) else { return String::new() };
    format!("{} ago", super::ticks(up.wrapping_sub(stamp)))
}

fn begin(out: &mut String, label: &str, names: &[&str]) {
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table><thead><tr>"
    );
    for name in names {
        let _ = write!(out, "<th scope=\"col\">{name}</th>");
    }
    out.push_str("</tr></thead><tbody>");
}

/// A row: its head in HTML, the others as text.
fn line(out: &mut String, head: &str, cells: &[String]) {
    let _ = write!(out, "<tr><th scope=\"row\">{head}</th>");
    for cell in cells {
        let _ = write!(out, "<td>{}</td>", escaped(cell));
    }
    out.push_str("</tr>");
}

const END: &str = "</tbody></table></div>";
/// Members of a page.
const ROWS: u64 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"ietf-restconf:data":{"SNMPv2-MIB:SNMPv2-MIB":{"system":{"sysUpTime":30000}},
        "TRUNKLINE-MIB:TRUNKLINE-MIB":{"groupTable":{"groupEntry":[{"groupName":"edge","groupMembers":2,"groupReachable":1,
        "groupRole":"standby","groupPeer":"udp://<b>","groupPeerState":"active","groupLastCycle":29900}]},
        "groupAggregateTable":{"groupAggregateEntry":[{"groupName":"edge","groupAggregateName":"sum","groupAggregateMissing":3}]}}}}"#;
    const ROWS_OF_TWO: &str = r#"{"TRUNKLINE-MIB:groupMemberEntry":[
        {"groupName":"edge","groupMemberName":"a","groupMemberState":"down","groupMemberReason":"<i>",
         "@":{"ietf-list-pagination:remaining":7}},
        {"groupName":"edge","groupMemberName":"b","groupMemberState":"notRead","groupMemberLastSuccess":4294967000}]}"#;

    fn page(query: &str, rows: Result<&str, &str>) -> String {
        let rows = rows.map(str::as_bytes);
        let page = Groups::find(Some(query)).page(Ok(WHOLE.as_bytes()), rows, &|name| name == "edge.b");
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn groups_aggregates_and_members_are_tables() {
        let page = page("offset=200&has=a%26b", Ok(ROWS_OF_TWO));
        for part in [
            "<th scope=\"row\">edge</th><td>1 of 2</td><td>udp://&lt;b&gt;; this agent is on standby</td><td>1 s ago</td>",
            "<td>sum</td><td>no value</td><td></td><td></td><td></td><td>3</td>",
            "<th scope=\"row\">a</th><td>edge</td><td>down</td><td>&lt;i&gt;</td><td></td>",
            "<a href=\"../../devices/edge.b/browser/plain/\">b</a></th><td>edge</td><td>not read here</td>",
            // sysUpTime began again.
            "<td>5 min 2 s ago</td>",
            "Members 201 to 202 of 209 <a rel=\"prev\" href=\"?offset=0&amp;has=a%26b\">Previous</a> <a rel=\"next\" href=\"?offset=202&amp;has=a%26b\">",
            "value=\"a&amp;b\"",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(self::page("", Err("x")).contains("There are no such members"));
        let refused = String::from_utf8(Groups::default().page(Err("<no>"), Err(""), &|_| false)).unwrap();
        assert!(refused.contains("class=\"wrong\">&lt;no&gt;</p>"), "{refused}");
        for empty in ["{}", "[]", "{\"ietf-restconf:data\":{}}"] {
            let page = Groups::default().page(Ok(empty.as_bytes()), Ok(b""), &|_| false);
            assert!(String::from_utf8(page).unwrap().contains("There are no groups that you may read."));
        }
    }

    #[test]
    fn a_filter_is_an_expression() {
        assert_eq!(Groups::find(None).members().1, "limit=200&offset=0&sort-by=groupMemberState");
        let query = Groups::find(Some("has=o%27x+%26")).members().1;
        assert!(query.contains("contains%28groupMemberState%2C%27ox%20%26%27%29%20or%20"), "{query}");
    }

    #[test]
    fn each_role_and_state_of_two_managers_has_words() {
        for role in ["active", "standby"] {
            for state in ["none", "unknown", "active", "standby", "lost"] {
                assert!(!reader(role, "p", state).is_empty(), "{role} {state}");
            }
        }
    }
}
