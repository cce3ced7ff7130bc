//! `list-pagination` of NETCONF (draft-ietf-netconf-list-pagination-nc-11 section 3).

use trunkline_netconf::PAGINATION;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError};
use trunkline_yang::forest::Forest;

use super::Paging;
use crate::refusal::Refusal;

impl Paging {
    /// What the element asks for. Prefixes in its values are those in scope there.
    ///
    /// # Errors
    /// It has another child, one twice, or one with a value that it cannot have.
    pub fn read(element: Element<'_>, forest: &Forest) -> Result<Paging, RpcError> {
        let mut paging = Paging::default();
        let mut seen: Vec<&str> = Vec::new();
        for child in element.children() {
            let name = child.name();
            if child.namespace() != PAGINATION {
                return Err(RpcError::unknown_element(Layer::Protocol, child));
            }
            if seen.contains(&name) {
                return Err(RpcError::given_twice(Layer::Protocol, child));
            }
            seen.push(name);
            let value = match name {
                "sort-by" => with_modules(child, forest),
                _ => child.value().to_owned(),
            };
            if !paging.take(name, &value).map_err(first)? {
                return Err(RpcError::unknown_element(Layer::Protocol, child));
            }
            if name == "where" {
                paging.prefixes = Some(prefixes(child));
            }
        }
        paging.check().map_err(first)?;
        Ok(paging)
    }
}

fn first(refusal: Refusal) -> RpcError {
    refusal.errors.into_iter().next().unwrap_or_else(|| super::error("list-pagination has a wrong value"))
}

/// A path with the names of modules in the place where its prefixes were.
fn with_modules(element: Element<'_>, forest: &Forest) -> String {
    let module = |prefix: &str| {
        let namespace = element.resolve(prefix)?;
        forest.modules().iter().find(|module| module.namespace == namespace).map(|module| module.name)
    };
    let step = |step: &str| match step.split_once(':') {
        Some((prefix, name)) => format!("{}:{name}", module(prefix).unwrap_or(prefix)),
        None => step.to_owned(),
    };
    element.value().split('/').map(step).collect::<Vec<_>>().join("/")
}

/// What seem to be prefixes in an expression, with their namespaces.
fn prefixes(element: Element<'_>) -> Vec<(String, String)> {
    let text = element.value();
    let mut found: Vec<(String, String)> = Vec::new();
    for (at, _) in text.match_indices(':') {
        let begin = text[..at].rfind(|it: char| !(it.is_alphanumeric() || "-_.".contains(it)));
        let begin = begin.map_or(0, |begin| begin + text[begin..].chars().next().map_or(1, char::len_utf8));
        let prefix = &text[begin..at];
        if let Some(namespace) = element.resolve(prefix).filter(|_| !prefix.is_empty())
            && found.iter().all(|(known, _)| known != prefix)
        {
            found.push((prefix.to_owned(), namespace.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    use super::*;

    #[test]
    fn the_element_is_read_with_its_prefixes() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let read = |inner: &str| {
            let text = format!(
                "<list-pagination xmlns='{PAGINATION}' xmlns:i='urn:ietf:params:xml:ns:yang:ietf-interfaces'>{inner}</list-pagination>"
            );
            let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
            Paging::read(document.root(), &forest).map_err(|error| error.tag.name())
        };
        let all = "<where>i:enabled = 'true' or \"a:b\"</where><sort-by>i:statistics/in-octets</sort-by><direction>backwards</direction>\
                   <offset>1</offset><limit>2</limit><sublist-limit>3</sublist-limit><locale>C</locale>";
        let paging = read(all).unwrap();
        assert_eq!(paging.filter.as_deref(), Some("i:enabled = 'true' or \"a:b\""));
        let namespace = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
        assert_eq!(paging.prefixes, Some(vec![("i".into(), namespace.into())]));
        assert_eq!(paging.sort_by.as_deref(), Some("ietf-interfaces:statistics/in-octets"));
        assert_eq!((paging.offset, paging.limit, paging.sublist_limit), (Some(1), Some(2), Some(3)));
        assert!(paging.is_backwards);
        for (wrong, tag) in [
            ("<limit>0</limit>", "invalid-value"),
            ("<odd/>", "unknown-element"),
            ("<limit xmlns='urn:odd'>1</limit>", "unknown-element"),
            ("<limit>1</limit><limit>2</limit>", "bad-element"),
            ("<offset>1</offset><cursor>a</cursor>", "invalid-value"),
            ("<locale>sv_SE</locale><sort-by>name</sort-by>", "invalid-value"),
        ] {
            assert_eq!(read(wrong), Err(tag), "{wrong}");
        }
    }
}
