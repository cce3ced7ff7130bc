//! Data for readers without scripts: the answer of RESTCONF as a page of HTML. A container is a list of its leaves and of links,
//! a list is a table whose pages are links too.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use trunkline_restconf::json::Json;
use trunkline_yang::forest::{Forest, NodeId, PathOf};
use trunkline_yang::value_type::to_hex;

use crate::schema;

/// What a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    node: Option<NodeId>,
    /// How many rows of a table are before the page.
    offset: u64,
}

impl Shown {
    /// That of a path below `BASE/browser/plain/` and its query; `None`: there is nothing of this name.
    pub fn find(forest: &Forest, path: &str, query: Option<&str>) -> Option<Shown> {
        // The links of a page are relative to its path.
        if path.ends_with('/') {
            return None;
        }
        let mut node = None;
        for step in path.split('/').filter(|step| !step.is_empty()) {
            node = Some(match step.split_once(':') {
                Some((module, name)) => forest.child_of(node, module, name)?,
                None => forest.children(node).iter().copied().find(|it| {
                    forest[*it].name == step
                        && node.is_some_and(|above| forest[above].module == forest[*it].module)
                })?,
            });
        }
        let offset =
            query.and_then(|query| query.strip_prefix("offset=")).and_then(|offset| offset.parse().ok());
        Some(Shown { node, offset: offset.unwrap_or(0) })
    }

    /// The path and the query of what it shows, behind the root of RESTCONF; `None`: it shows nothing but names.
    pub fn resource(&self, forest: &Forest) -> Option<(String, String)> {
        let node = self.node?;
        let query = match forest[node].place.is_list() {
            true => format!("limit={ROWS}&offset={}", self.offset),
            false => "depth=2".to_owned(),
        };
        Some((format!("/data{}", PathOf(forest, node)), query))
    }

    /// The page, of the body of RESTCONF's answer; `Err` has its error in words.
    pub fn page(&self, forest: &Forest, answer: Result<&[u8], &str>) -> Vec<u8> {
        let mut out = String::with_capacity(8 << 10);
        let path = self.node.map(|node| PathOf(forest, node).to_string()).unwrap_or_default();
        // From the folder of the page's own URL to `plain/`.
        let up = "../".repeat(path.matches('/').count().saturating_sub(1));
        let title = self.node.map_or("All data", |node| &forest[node].name);
        let _ = write!(
            out,
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><meta name=\"viewport\" \
             content=\"width=device-width,initial-scale=1\"><link rel=\"stylesheet\" href=\"{up}../style.css\">\
             <link rel=\"icon\" href=\"{up}../icon.svg\"></head><body class=\"plain\"><header><nav aria-label=\"Where this is\">\
             <a href=\"{up}../plain/\">All data</a>",
            title = escaped(title),
        );
        self.trail(forest, &up, &mut out);
        let _ = write!(
            out,
            "</nav><form method=\"post\" action=\"{up}../logout\"><button>Log out</button></form></header><main><h1>{}</h1>",
            escaped(title)
        );
        self.links(forest, &up, &mut out);
        match (self.node, answer) {
            (None, _) => {}
            (Some(_), Err(words)) => {
                let _ = write!(out, "<p role=\"alert\" class=\"wrong\">{}</p>", escaped(words));
            }
            (Some(node), Ok(body)) => self.data(forest, node, body, &mut out),
        }
        out.push_str("</main></body></html>");
        out.into_bytes()
    }

    /// Links to what it is in.
    fn trail(&self, forest: &Forest, up: &str, out: &mut String) {
        let mut above = Vec::new();
        let mut node = self.node;
        while let Some(id) = node {
            above.push(id);
            node = forest[id].parent;
        }
        for id in above.into_iter().rev() {
            let _ = write!(
                out,
                " / <a href=\"{up}../plain{}\">{}</a>",
                PathOf(forest, id),
                escaped(&forest[id].name)
            );
        }
    }

    /// Links to containers and lists in it.
    fn links(&self, forest: &Forest, up: &str, out: &mut String) {
        if self.node.is_some_and(|node| forest[node].place.is_list()) {
            return;
        }
        let inner = forest.children(self.node).iter().filter(|id| forest[**id].place.syntax().is_none());
        let links: Vec<NodeId> = inner.copied().collect();
        if links.is_empty() {
            return;
        }
        out.push_str("<ul class=\"links\">");
        for id in links {
            let kind = if forest[id].place.is_list() { " (table)" } else { "" };
            let module = if self.node.is_none() { forest.module(id).name } else { &forest[id].name };
            let _ = write!(
                out,
                "<li><a href=\"{up}../plain{}\">{}</a>{kind}</li>",
                PathOf(forest, id),
                escaped(module)
            );
        }
        out.push_str("</ul>");
    }

    fn data(&self, forest: &Forest, node: NodeId, body: &[u8], out: &mut String) {
        let json = match Json::read(body) {
            Ok(Json::Object(members)) => members.into_iter().next().map(|(_, value)| value),
            _ => None,
        };
        match json {
            Some(Json::Array(rows)) if forest[node].place.is_list() && !rows.is_empty() => {
                self.table(forest, node, &rows, out);
            }
            Some(Json::Object(members)) => {
                let leaves = members.iter().filter(|(name, value)| !name.starts_with('@') && is_leaf(value));
                let mut rows = String::new();
                for (name, value) in leaves {
                    let _ = write!(rows, "<tr><th scope=\"row\">{}</th><td>", escaped(name));
                    cell(value, is_binary(forest, node, name), &mut rows);
                    rows.push_str("</td></tr>");
                }
                if !rows.is_empty() {
                    let _ = write!(out, "<table>{rows}</table>");
                }
            }
            _ => out.push_str("<p>There is nothing here that you may read.</p>"),
        }
    }

    fn table(&self, forest: &Forest, node: NodeId, rows: &[Json], out: &mut String) {
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
        self.pages(rows, out);
        out.push_str(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table><thead><tr>",
        );
        for column in &columns {
            let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(column));
        }
        out.push_str("</tr></thead><tbody>");
        let columns: Vec<(&str, bool)> =
            columns.into_iter().map(|name| (name, is_binary(forest, node, name))).collect();
        for row in objects() {
            out.push_str("<tr>");
            for (column, is_binary) in &columns {
                out.push_str("<td>");
                if let Some((_, value)) = row.iter().find(|(name, _)| name == column) {
                    cell(value, *is_binary, out);
                }
                out.push_str("</td>");
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>");
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
fn is_binary(forest: &Forest, node: NodeId, name: &str) -> bool {
    let bare = name.rsplit(':').next().unwrap_or(name);
    let leaf = forest.children(Some(node)).iter().find(|it| forest[**it].name == bare);
    leaf.is_some_and(|leaf| schema::is_binary(&forest[*leaf].place))
}

/// Octets in base64 as text where they are some, otherwise in hexadecimal.
fn octets(base64: &str) -> Option<String> {
    let octets = STANDARD.decode(base64).ok()?;
    match String::from_utf8(octets) {
        Ok(text) if !text.chars().any(char::is_control) => Some(text),
        Ok(text) => Some(to_hex(text.as_bytes())),
        Err(error) => Some(to_hex(error.as_bytes())),
    }
}

/// A value in a cell; what is in a container or list is written in short.
fn cell(value: &Json, is_binary: bool, out: &mut String) {
    match value {
        Json::Text(value) if is_binary => {
            out.push_str(&escaped(octets(value).as_deref().unwrap_or(value)));
        }
        Json::Null => {}
        Json::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(value) | Json::Text(value) => out.push_str(&escaped(value)),
        Json::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                cell(value, is_binary, out);
            }
        }
        Json::Object(members) => {
            let members = members.iter().filter(|(name, _)| !name.starts_with('@'));
            for (at, (name, value)) in members.enumerate() {
                let _ = write!(out, "{}{}: ", if at > 0 { "; " } else { "" }, escaped(name));
                cell(value, false, out);
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

/// Rows of a page.
const ROWS: u64 = 50;

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::schema::forest;

    static FOREST: LazyLock<Forest> = LazyLock::new(forest);

    fn page(path: &str, query: Option<&str>, answer: Result<&str, &str>) -> String {
        let shown = Shown::find(&FOREST, path, query).unwrap();
        String::from_utf8(shown.page(&FOREST, answer.map(str::as_bytes))).unwrap()
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
        assert_eq!(resource("ietf-system:system", None), of("/data/ietf-system:system", "depth=2"));
        for path in [
            "IF-MIB",
            "ietf-system:system/",
            "IF-MIB:IF-MIB/other",
            "IF-MIB:IF-MIB/ifTable/ifEntry=1",
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
            "<td>1</td><td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td></td>",
            "<td>2</td><td>b</td><td>a: 1, 2</td>",
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
