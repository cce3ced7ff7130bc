//! Query parameters (RFC 8040 section 4.8): each at most once, and only where it means something.

use trunkline_netconf::nmda::Store;
use trunkline_netconf::operation::WithDefaults;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::selection::{Selection, Wanted, Within};

use crate::order::{Insertion, Where};
use crate::paging::Paging;
use crate::refusal::Refusal;
use crate::target::{child, decoded};

/// What a retrieval asks for beyond its path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Which kind of data.
    pub content: Content,
    /// How many levels, the resource itself being the first; `None`: all.
    pub depth: Option<u16>,
    /// What of the resource, not yet compared with the model.
    pub fields: Option<String>,
    /// Whether default values are there.
    pub with_defaults: Option<WithDefaults>,
    /// Whether it is shown where data comes from (RFC 8527 section 3.2.2).
    pub with_origin: bool,
    /// Which entries of a list; `None`: no parameter is about that.
    pub paging: Option<Paging>,
}

/// Which kind of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Both.
    #[default]
    All,
    /// The configuration.
    Config,
    /// The state.
    State,
}

/// What a subscription asks for (sections 4.8.7 to 4.8.9). The texts are checked by the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamQuery {
    /// An expression of XPath.
    pub filter: Option<String>,
    /// Since when events are replayed.
    pub start: Option<String>,
    /// Until when there are events.
    pub stop: Option<String>,
}

impl Query {
    /// That of a GET or HEAD of data. `store`: of a datastore of RFC 8527; `None`: of `/restconf/data`.
    ///
    /// # Errors
    /// 400: a parameter is unknown, given twice, or has a value that it cannot have, there or at all.
    pub fn of(query: Option<&str>, store: Option<Store>) -> Result<Query, Refusal> {
        let read = Query::read(query)?;
        let is_operational = store == Some(Store::Operational);
        if read.with_origin && !is_operational {
            return Err(Refusal::bad("with-origin is for /restconf/ds/ietf-datastores:operational alone"));
        }
        if read.with_defaults.is_some() && is_operational {
            return Err(Refusal::bad("with-defaults is not for the operational datastore here"));
        }
        Ok(read)
    }

    /// The same, wherever it is.
    ///
    /// # Errors
    /// As [`Query::of`].
    pub fn read(query: Option<&str>) -> Result<Query, Refusal> {
        let mut read = Query::default();
        for (name, value) in parameters(query)? {
            match name.as_str() {
                "content" => {
                    read.content = one_of(
                        &name,
                        &value,
                        &[("all", Content::All), ("config", Content::Config), ("nonconfig", Content::State)],
                    )?;
                }
                "depth" => read.depth = depth(&value)?,
                "fields" => read.fields = Some(value),
                "with-origin" if value.is_empty() => read.with_origin = true,
                "with-origin" => return Err(Refusal::bad("with-origin has no value")),
                "with-defaults" => read.with_defaults = Some(one_of(&name, &value, &WithDefaults::WORDS)?),
                _ => {
                    if !read.paging.get_or_insert_default().take(&name, &value)? {
                        return Err(unknown(&name, "a retrieval"));
                    }
                }
            }
        }
        read.paging.as_ref().map_or(Ok(()), Paging::check)?;
        Ok(read)
    }

    /// What of a resource is wanted, and how many levels of it are written; `None`: all. With `fields` they are levels of the nodes
    /// that those name, which have the level 1, as has everything that they are in (section 4.8.2).
    ///
    /// # Errors
    /// 400: `fields` is written wrongly, or the model has no such node.
    pub fn within(&self, of: Option<NodeId>, forest: &Forest) -> Result<(Within, Option<u16>), Refusal> {
        let Some(text) = &self.fields else { return Ok((Within::All, self.depth)) };
        let selection = fields(text, of, forest)?;
        let selection = match self.depth {
            Some(depth) => selection.limited(forest, depth),
            None => selection,
        };
        Ok((Within::Nodes(selection), None))
    }
}

impl StreamQuery {
    /// That of a GET of a stream.
    ///
    /// # Errors
    /// 400: a parameter is unknown or given twice.
    pub fn read(query: Option<&str>) -> Result<StreamQuery, Refusal> {
        let mut read = StreamQuery::default();
        for (name, value) in parameters(query)? {
            let place = match name.as_str() {
                "filter" => &mut read.filter,
                "start-time" => &mut read.start,
                "stop-time" => &mut read.stop,
                _ => return Err(unknown(&name, "a stream")),
            };
            *place = Some(value);
        }
        Ok(read)
    }
}

/// The query of a POST or PUT of data: where an entry goes among those that users order (sections 4.8.5 and 4.8.6).
///
/// # Errors
/// 400: it has another parameter, a place that is not one, or a point where that says nothing.
pub fn insertion(query: Option<&str>) -> Result<Option<Insertion>, Refusal> {
    let (mut place, mut point) = (None, None);
    for (name, value) in parameters(query)? {
        match name.as_str() {
            "insert" => place = Some(one_of(&name, &value, &Where::WORDS)?),
            "point" => point = Some(value),
            _ => return Err(unknown(&name, "this method")),
        }
    }
    match (place, &point) {
        (None, None) => Ok(None),
        (Some(place), Some(_)) if !place.is_relative() => {
            Err(Refusal::bad("point is for insert=before and insert=after: first and last need none"))
        }
        (Some(place), None) if place.is_relative() => {
            Err(Refusal::bad("insert=before and insert=after need point, the path of the entry beside it"))
        }
        (None, Some(_)) => Err(Refusal::bad("point needs insert=before or insert=after")),
        (Some(place), _) => Ok(Some(Insertion { place, point })),
    }
}

/// Checks the query of a request that has none: another edit, or an operation.
///
/// # Errors
/// 400: there is one.
pub fn none(query: Option<&str>) -> Result<(), Refusal> {
    match parameters(query)?.first() {
        None => Ok(()),
        Some((name, _)) if name == "insert" || name == "point" => {
            Err(Refusal::bad(&format!("{name} is for POST and PUT of data")))
        }
        Some((name, _)) => Err(unknown(name, "this method")),
    }
}

fn unknown(name: &str, what: &str) -> Refusal {
    let name: String = name.chars().take(40).collect();
    Refusal::bad(&format!("{what} has no query parameter {name}"))
}

/// Names and values without their escapes.
fn parameters(query: Option<&str>) -> Result<Vec<(String, String)>, Refusal> {
    let mut found: Vec<(String, String)> = Vec::new();
    for part in query.unwrap_or_default().split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (name, value) = (decoded(name)?, decoded(value)?);
        if found.iter().any(|(known, _)| *known == name) {
            let name: String = name.chars().take(40).collect();
            return Err(Refusal::bad(&format!("the query parameter {name} is given twice")));
        }
        if found.len() == MOST_PARAMETERS {
            return Err(Refusal::bad("too many query parameters"));
        }
        found.push((name, value));
    }
    Ok(found)
}

fn one_of<T: Copy>(name: &str, value: &str, words: &[(&'static str, T)]) -> Result<T, Refusal> {
    let found = words.iter().find(|(word, _)| *word == value).map(|(_, meant)| *meant);
    found.ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        Refusal::bad(&format!("{name} must be one of {}", words.join(", ")))
    })
}

fn depth(value: &str) -> Result<Option<u16>, Refusal> {
    match value.parse() {
        Ok(depth) if depth > 0 => Ok(Some(depth)),
        _ if value == "unbounded" => Ok(None),
        _ => Err(Refusal::bad("depth must be a number from 1 to 65535, or unbounded")),
    }
}

/// What the value of `fields` wants of a node (section 4.8.3); of none, of the datastore.
///
/// # Errors
/// 400: it is written wrongly, or the model has no such node.
pub fn fields(text: &str, of: Option<NodeId>, forest: &Forest) -> Result<Selection, Refusal> {
    let mut parser = Fields { rest: text, forest, depth: 0 };
    let selection = parser.list(of)?;
    match parser.rest {
        "" => Ok(selection),
        _ => Err(wrong()),
    }
}

struct Fields<'f> {
    rest: &'f str,
    forest: &'f Forest,
    depth: usize,
}

impl Fields<'_> {
    /// `a/b(c;d);e`
    fn list(&mut self, of: Option<NodeId>) -> Result<Selection, Refusal> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return Err(Refusal::bad("fields is nested too deeply"));
        }
        let mut selection = Selection::default();
        loop {
            let mut path = Vec::new();
            loop {
                let parent = path.last().copied().or(of);
                path.push(self.name(parent)?);
                if !self.takes('/') {
                    break;
                }
            }
            let mut wanted = Wanted::All;
            if self.takes('(') {
                wanted = Wanted::nodes(self.list(path.last().copied())?);
                if !self.takes(')') {
                    return Err(wrong());
                }
            }
            while let Some(node) = path.pop() {
                let mut within = Selection::default();
                match path.is_empty() {
                    true => selection.add(node, std::mem::replace(&mut wanted, Wanted::All)),
                    false => {
                        within.add(node, wanted);
                        self.add_keys(path.last().copied(), &mut within);
                        wanted = Wanted::nodes(within);
                    }
                }
            }
            if !self.takes(';') {
                self.depth -= 1;
                self.add_keys(of, &mut selection);
                return Ok(selection);
            }
        }
    }

    /// An entry is there with its keys, whatever of its other nodes it has.
    fn add_keys(&self, of: Option<NodeId>, selection: &mut Selection) {
        if let Some(list) = of.filter(|node| self.forest[*node].place.is_list()) {
            selection.add_keys(self.forest, list);
        }
    }

    fn takes(&mut self, mark: char) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn name(&mut self, parent: Option<NodeId>) -> Result<NodeId, Refusal> {
        let end = self.rest.find(['/', ';', '(', ')']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(wrong());
        }
        self.rest = rest;
        child(self.forest, parent, name).ok_or_else(|| {
            let name: String = name.chars().take(80).collect();
            Refusal::bad(&format!("fields: the model has no {name} there"))
        })
    }
}

fn wrong() -> Refusal {
    Refusal::bad("fields must be names as in a/b;c(d;e)")
}

const MOST_PARAMETERS: usize = 32;
const MOST_NESTED: usize = 32;

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use proptest::prelude::*;
    use trunkline_yang::own::ALL;
    use trunkline_yang::selection::Within;

    static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));

    #[test]
    fn parameters_of_a_retrieval_are_read() {
        let read = |query: &str| Query::read(Some(query)).map_err(|it| it.status);
        assert_eq!(Query::read(None), Ok(Query::default()));
        let query = read("content=config&depth=3&fields=a%3Bb&with-defaults=trim").unwrap();
        assert_eq!((query.content, query.depth), (Content::Config, Some(3)));
        assert_eq!((query.fields.as_deref(), query.with_defaults), (Some("a;b"), Some(WithDefaults::Trim)));
        assert_eq!(read("depth=unbounded&content=nonconfig").unwrap().content, Content::State);
        for wrong in [
            "content=both",
            "depth=0",
            "depth=65536",
            "depth=",
            "content=all&content=all",
            "with-defaults=odd",
            "filter=a",
            "insert=first",
            "odd",
            "depth=%zz",
        ] {
            assert_eq!(read(wrong), Err(400), "{wrong}");
        }
        let of = |query: &str, store| Query::of(Some(query), store).map_err(|it| it.status);
        let (operational, intended) = (Some(Store::Operational), Some(Store::Intended));
        assert!(of("with-origin", operational).unwrap().with_origin);
        assert_eq!(of("with-origin=1", operational), Err(400));
        assert_eq!((of("with-origin", None), of("with-origin=", intended)), (Err(400), Err(400)));
        assert_eq!(of("with-defaults=trim", operational), Err(400));
        assert!(of("with-defaults=trim", intended).is_ok());
        assert_eq!(none(Some("")), Ok(()));
        assert!(none(Some("insert=first")).is_err() && none(Some("point=a")).is_err());
        let placed = |query: &str| insertion(Some(query)).map_err(|it| it.status);
        assert_eq!(placed(""), Ok(None));
        assert_eq!(placed("insert=first"), Ok(Some(Insertion { place: Where::First, point: None })));
        let point = Some("/m:a=b%2Fc".to_owned());
        assert_eq!(
            placed("insert=after&point=/m:a=b%252Fc"),
            Ok(Some(Insertion { place: Where::After, point }))
        );
        for wrong in ["insert", "insert=odd", "insert=after", "point=/a", "insert=last&point=/a", "depth=1"] {
            assert_eq!(placed(wrong), Err(400), "{wrong}");
        }
        let stream = StreamQuery::read(Some("filter=%2Fa&start-time=2026-11-25T10:00:00Z")).unwrap();
        assert_eq!(stream.filter.as_deref(), Some("/a"));
        assert_eq!(StreamQuery::read(Some("depth=1")).map_err(|it| it.status), Err(400));
    }

    /// Names of what is selected, in the notation of the parameter.
    fn shown(selection: &Selection, forest: &Forest) -> String {
        let one = |it: &trunkline_yang::selection::Selected| match &it.wanted {
            Wanted::All => forest[it.node].name.clone(),
            Wanted::Some(all) => {
                let within = all.iter().map(|it| match &it.within {
                    Within::All => "*".to_owned(),
                    Within::Nodes(nodes) => shown(nodes, forest),
                });
                format!("{}({})", forest[it.node].name, within.collect::<Vec<_>>().join("|"))
            }
        };
        selection.nodes.iter().map(one).collect::<Vec<_>>().join(";")
    }

    /// RFC 8040 section 4.8.2: the nodes that fields name have the level 1, and so has what they are in.
    #[test]
    fn depth_counts_from_the_nodes_of_fields() {
        let forest = &*FOREST;
        let interfaces = forest.child(None, "interfaces");
        let of = |query: &str| {
            let (within, depth) = Query::read(Some(query)).unwrap().within(interfaces, forest).unwrap();
            match within {
                Within::All => format!("* {depth:?}"),
                Within::Nodes(nodes) => format!("{} {depth:?}", shown(&nodes, forest)),
            }
        };
        assert_eq!(of("depth=2"), "* Some(2)");
        assert_eq!(of("fields=interface/statistics&depth=1"), "interface(name;statistics()) None");
        let deep = of("fields=interface(name;statistics)&depth=2");
        assert!(
            deep.starts_with("interface(name;statistics(discontinuity-time") && deep.contains(";in-octets"),
            "{deep}"
        );
        assert_eq!(of("fields=interface/statistics"), "interface(name;statistics) None");
    }

    #[test]
    fn fields_become_a_selection() {
        let forest = &*FOREST;
        let interfaces = forest.child(None, "interfaces");
        let of = |text: &str| {
            fields(text, interfaces, forest).map(|it| shown(&it, forest)).map_err(|it| it.status)
        };
        for (text, expected) in [
            ("interface", "interface"),
            ("interface/name", "interface(name)"),
            ("interface(name;ietf-ip:ipv4/address(ip))", "interface(name;ipv4(address(ip)))"),
            ("interface/name;interface/enabled", "interface(name;enabled)"),
            ("interface/name;interface", "interface"),
            (
                "ietf-interfaces:interface/statistics(in-octets;out-octets)",
                // An entry has its keys, whatever else it has of what is selected.
                "interface(name;statistics(in-octets;out-octets))",
            ),
        ] {
            assert_eq!(of(text).as_deref(), Ok(expected), "{text}");
        }
        for wrong in [
            "",
            "interface(",
            "interface)",
            "interface()",
            "interface/",
            "nothing",
            "interface/ipv4",
            ";",
            "a(b)c",
        ] {
            assert_eq!(of(wrong), Err(400), "{wrong}");
        }
        let nested = format!("interface{}", "(".repeat(100));
        assert_eq!(of(&nested), Err(400));
        let root = fields("ietf-system:system/contact;ietf-interfaces:interfaces", None, forest).unwrap();
        assert_eq!(shown(&root, forest), "system(contact);interfaces");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z():;/&=%-]{0,60}") {
            let forest = &*FOREST;
            let _ = fields(&text, forest.child(None, "interfaces"), forest);
            let _ = Query::read(Some(&text));
            let _ = StreamQuery::read(Some(&text));
        }
    }
}
