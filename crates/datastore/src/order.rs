//! The order of lists and leaf-lists whose users choose it (RFC 7950 section 7.7.7): where in it an edit puts an entry, and what of it
//! differs between two configurations.

use std::collections::HashSet;
use std::sync::Arc;

use trunkline_netconf::YANG;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_yang::forest::{Forest, NodeId};

/// The keys of an entry, or the value of a leaf-list.
pub type Keys = Arc<[Box<str>]>;

/// Where an entry comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// A new one last; one that is there stays where it is.
    #[default]
    Kept,
    /// Before all others.
    First,
    /// Behind all others.
    Last,
    /// Before this one.
    Before(Keys),
    /// Behind this one.
    After(Keys),
}

impl Position {
    /// The entry that it is before or behind.
    pub(crate) const fn anchor(&self) -> Option<&Keys> {
        match self {
            Position::Before(keys) | Position::After(keys) => Some(keys),
            Position::Kept | Position::First | Position::Last => None,
        }
    }

    /// What the attributes of an entry or a value ask for (RFC 7950 sections 7.7.9 and 7.8.6).
    ///
    /// # Errors
    /// They cannot be what they are.
    pub fn of(forest: &Forest, node: NodeId, element: Element<'_>) -> Result<Position, RpcError> {
        let place = &forest[node].place;
        let (anchor, other) = if place.is_list() { ("key", "value") } else { ("value", "key") };
        let insert = element.attribute(YANG, "insert");
        let has = |name: &str| element.attribute(YANG, name).is_some();
        if insert.is_some() && !place.is_ordered() {
            let message = format!("{} has no order that insert could change", element.name());
            return Err(wrong(Tag::UnknownAttribute, message, "insert", element));
        }
        let is_relative = matches!(insert, Some("before" | "after"));
        let strange =
            if has(other) { Some(other) } else { Some(anchor).filter(|it| has(it) && !is_relative) };
        if let Some(name) = strange {
            let message = format!("{name} says nothing here: before and after have {anchor}");
            return Err(wrong(Tag::UnknownAttribute, message, name, element));
        }
        let position = match insert {
            None => return Ok(Position::Kept),
            Some("first") => return Ok(Position::First),
            Some("last") => return Ok(Position::Last),
            Some("before") => Position::Before,
            Some("after") => Position::After,
            Some(text) => {
                let text: String = text.chars().take(40).collect();
                let message = format!("insert must be first, last, before or after, found \"{text}\"");
                return Err(wrong(Tag::BadAttribute, message, "insert", element));
            }
        };
        let Some(text) = element.attribute(YANG, anchor) else {
            let message = format!("insert=\"before\" and insert=\"after\" need {anchor}");
            return Err(wrong(Tag::MissingAttribute, message, anchor, element));
        };
        let keys = match place.is_list() {
            true => keys_of(forest, node, text, element),
            false => value_of(forest, node, text, element).map(|it| Arc::from([it])),
        };
        keys.map(position).map_err(|reason| wrong(Tag::BadAttribute, reason, anchor, element))
    }
}

fn wrong(tag: Tag, message: String, name: &str, element: Element<'_>) -> RpcError {
    RpcError::new(Layer::Application, tag, message)
        .with(Info::BadAttribute(name.to_owned()))
        .with(Info::BadElement(element.name().to_owned()))
}

/// An entry or value that an edit puts something before or behind is not there (RFC 7950 section 15.7).
pub(crate) fn missing(forest: &Forest, node: NodeId, element: Element<'_>) -> RpcError {
    let name = if forest[node].place.is_list() { "key" } else { "value" };
    let message = format!("{name} names no {} that is there", element.name());
    wrong(Tag::BadAttribute, message, name, element).called("missing-instance")
}

/// The value of a leaf as a configuration keeps it.
fn value_of(forest: &Forest, leaf: NodeId, text: &str, scope: Element<'_>) -> Result<Box<str>, String> {
    let name = &forest[leaf].name;
    let setting = forest[leaf].place.setting().ok_or_else(|| format!("{name} cannot be set"))?;
    let value = setting.value.canonical(text, |prefix| scope.resolve(prefix));
    value.map(String::into_boxed_str).map_err(|reason| format!("{name} {reason}"))
}

/// The keys of `[p:name='value'][p:other="value"]`. A name without a prefix is of the list's module.
fn keys_of(forest: &Forest, list: NodeId, text: &str, scope: Element<'_>) -> Result<Keys, String> {
    let expected = || {
        let names: Vec<String> =
            forest.keys(list).map(|key| format!("[{}='...']", forest[key].name)).collect();
        format!("expected {} with the prefixes of the names, found \"{}\"", names.concat(), short(text))
    };
    let mut given: Vec<(NodeId, Box<str>)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let inner = rest.strip_prefix('[').ok_or_else(expected)?;
        let (name, behind) = inner.split_once('=').ok_or_else(expected)?;
        let (prefix, name) = name.trim().split_once(':').unwrap_or(("", name.trim()));
        let behind = behind.trim_start();
        let quote = behind.chars().next().filter(|it| matches!(it, '\'' | '"')).ok_or_else(expected)?;
        let (value, behind) = behind[1..].split_once(quote).ok_or_else(expected)?;
        rest = behind.trim_start().strip_prefix(']').ok_or_else(expected)?.trim_start();
        let is_it = |key: &NodeId| {
            let namespace = &forest.module(*key).namespace;
            forest[*key].name == name && (prefix.is_empty() || scope.resolve(prefix) == Some(namespace))
        };
        let key = forest.keys(list).find(is_it).ok_or_else(expected)?;
        if given.iter().any(|(known, _)| *known == key) {
            return Err(expected());
        }
        given.push((key, value_of(forest, key, value, scope)?));
    }
    let mut keys = forest.keys(list).map(|key| given.iter().find(|(known, _)| *known == key));
    let all: Option<Keys> = keys.by_ref().map(|it| it.map(|(_, value)| value.clone())).collect();
    all.ok_or_else(expected)
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// What has to be moved behind everything else, one after the other, to make one order another one; `old`: in its order.
pub(crate) fn moved<'k>(old: &[Keys], new: &'k [Keys]) -> &'k [Keys] {
    let mut stays = 0;
    let is_new: HashSet<&Keys> = new.iter().collect();
    let mut left = old.iter().filter(|keys| is_new.contains(keys));
    while stays < new.len() && left.next() == Some(&new[stays]) {
        stays += 1;
    }
    &new[stays..]
}

/// Whether what both orders have is in another order.
pub(crate) fn differs(old: &[Keys], new: &[Keys]) -> bool {
    let (of_old, of_new): (HashSet<_>, HashSet<_>) = (old.iter().collect(), new.iter().collect());
    let left = old.iter().filter(|keys| of_new.contains(keys));
    let right = new.iter().filter(|keys| of_old.contains(keys));
    left.ne(right)
}

/// An order in words, for those who read what changes.
pub(crate) fn words(order: &[Keys]) -> Arc<str> {
    let entries: Vec<String> = order.iter().map(|keys| keys.join(",")).collect();
    entries.join(" ").into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_netconf::BASE;
    use trunkline_netconf::document::{Document, limits};
    use trunkline_netconf::operation::{DefaultOperation, ErrorOption};
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::{Config, EDIT, changes, check, delta, edit, read, trimmed, with_all};

    fn forest() -> Forest {
        ALL.into_iter().fold(Forest::of(&[]), Forest::with)
    }

    fn document(content: &str) -> Document {
        let text =
            format!("<config xmlns='{BASE}' xmlns:b='urn:trunkline:yang:bgp' {EDIT}>{content}</config>");
        Document::read(text.as_bytes(), limits(1 << 20)).unwrap()
    }

    /// A policy with these statements, in the words of XML or by their names alone.
    fn policy(statements: &str) -> String {
        let statements: String = statements
            .split_whitespace()
            .map(|name| format!("<b:statement><b:name>{name}</b:name></b:statement>"))
            .collect();
        of_policy(&statements)
    }

    fn of_policy(statements: &str) -> String {
        format!("<b:bgp><b:policies><b:policy><b:name>p</b:name>{statements}</b:policy></b:policies></b:bgp>")
    }

    fn of_neighbor(policies: &str) -> String {
        format!(
            "<b:bgp><b:neighbors><b:neighbor><b:remote-address>192.0.2.2</b:remote-address><b:apply-policy>{policies}</b:apply-policy>\
             </b:neighbor></b:neighbors></b:bgp>"
        )
    }

    fn change(config: &mut Config, content: &str) -> Result<(), RpcError> {
        let (merge, rollback) = (DefaultOperation::Merge, ErrorOption::RollbackOnError);
        edit(config, &forest(), document(content).root(), merge, rollback).map_err(|mut it| it.remove(0))
    }

    /// The values of all leaves of this name.
    fn values(config: &Config, leaf: &str) -> String {
        let mut octets = Vec::new();
        config.write(&forest(), &mut octets);
        let text = String::from_utf8(octets).unwrap();
        let (start, end) = (format!("<{leaf}>"), format!("</{leaf}>"));
        let all: Vec<&str> = text.split(&start).skip(1).map(|it| it.split(&end).next().unwrap()).collect();
        all.join(" ")
    }

    fn statement(attributes: &str, name: &str) -> String {
        of_policy(&format!("<b:statement {attributes}><b:name>{name}</b:name></b:statement>"))
    }

    /// RFC 7950 section 7.8.6: attributes, an entry, and the order of `b c a` afterwards or the error.
    #[test]
    fn entries_come_where_their_users_want_them() {
        let cases = [
            ("", "d", Ok("b c a d")),
            ("", "b", Ok("b c a")),
            ("yang:insert='first'", "d", Ok("d b c a")),
            ("yang:insert='last'", "b", Ok("c a b")),
            ("yang:insert='first'", "a", Ok("a b c")),
            ("yang:insert='before' yang:key=\"[b:name='c']\"", "d", Ok("b d c a")),
            ("yang:insert='after' yang:key=\"[b:name='c']\"", "b", Ok("c b a")),
            ("yang:insert='after' yang:key='[name=\"a\"] '", "b", Ok("c a b")),
            ("yang:insert='before' yang:key=\"[b:name='b']\"", "b", Ok("b c a")),
            ("nc:operation='create' yang:insert='first'", "d", Ok("d b c a")),
            ("nc:operation='replace' yang:insert='first'", "c", Ok("c b a")),
            ("nc:operation='delete'", "c", Ok("b a")),
            ("yang:insert='before'", "d", Err("missing-attribute key")),
            (
                "yang:insert='before' yang:key=\"[b:name='x']\"",
                "d",
                Err("bad-attribute key missing-instance"),
            ),
            ("yang:insert='before' yang:key=\"[b:other='b']\"", "d", Err("bad-attribute key")),
            ("yang:insert='before' yang:key=\"[b:name='b'\"", "d", Err("bad-attribute key")),
            ("yang:insert='before' yang:key=\"[nc:name='b']\"", "d", Err("bad-attribute key")),
            ("yang:insert='before' yang:key=''", "d", Err("bad-attribute key")),
            ("yang:insert='before' yang:value='b'", "d", Err("unknown-attribute value")),
            ("yang:insert='first' yang:key=\"[b:name='b']\"", "d", Err("unknown-attribute key")),
            ("yang:insert='middle'", "d", Err("bad-attribute insert")),
            ("nc:operation='delete' yang:insert='first'", "b", Err("bad-attribute insert")),
        ];
        for (attributes, name, expected) in cases {
            let mut config = read(&forest(), document(&policy("b c a")).root()).unwrap();
            let done = change(&mut config, &statement(attributes, name));
            let found = match done {
                Ok(()) => Ok(values(&config, "name")),
                Err(error) => {
                    let attribute = error.info.iter().find_map(|info| match info {
                        Info::BadAttribute(name) => Some(name.as_str()),
                        _ => None,
                    });
                    let app_tag = error.app_tag.as_deref().map(|it| format!(" {it}")).unwrap_or_default();
                    Err(format!("{} {}{app_tag}", error.tag.name(), attribute.unwrap_or_default()))
                }
            };
            let expected = expected.map(|order| format!("p {order}")).map_err(str::to_owned);
            assert_eq!(found, expected, "{attributes} {name}");
        }
        // What has no order of its users cannot be given one.
        let error = change(
            &mut Config::default(),
            "<b:bgp><b:neighbors><b:neighbor yang:insert='first'>\
            <b:remote-address>192.0.2.2</b:remote-address></b:neighbor></b:neighbors></b:bgp>",
        );
        assert_eq!(error.unwrap_err().tag, Tag::UnknownAttribute);
    }

    /// RFC 7950 section 7.7.9.
    #[test]
    fn values_of_a_leaf_list_are_entries_too() {
        let value = |attributes: &str, value: &str| {
            of_neighbor(&format!("<b:import-policy {attributes}>{value}</b:import-policy>"))
        };
        let mut config = Config::default();
        for (edit, expected) in [
            (value("", "b"), Ok("b")),
            (value("", "a"), Ok("b a")),
            (value("", "b"), Ok("b a")),
            (value("yang:insert='after' yang:value='b'", "c"), Ok("b c a")),
            (value("yang:insert='first'", "a"), Ok("a b c")),
            (value("nc:operation='delete'", "b"), Ok("a c")),
            (value("nc:operation='delete'", "b"), Err(Tag::DataMissing)),
            (value("nc:operation='create'", "a"), Err(Tag::DataExists)),
            (value("yang:insert='after' yang:value='x'", "d"), Err(Tag::BadAttribute)),
            (value("yang:insert='after' yang:value='not a name'", "d"), Err(Tag::BadAttribute)),
            (value("", "not a name"), Err(Tag::InvalidValue)),
        ] {
            let done = change(&mut config, &edit).map(|()| values(&config, "import-policy"));
            assert_eq!(done.map_err(|error| error.tag), expected.map(str::to_owned), "{edit}");
        }
        let error = change(&mut config, &value("nc:operation='delete'", "b")).unwrap_err();
        let place = error.path.unwrap().text;
        assert!(place.ends_with("/tlb:apply-policy/tlb:import-policy[.='b']"), "{place}");
    }

    #[test]
    fn another_order_is_a_change() {
        let config = |text: &str| read(&forest(), document(&policy(text)).root()).unwrap();
        let (one, other) = (config("b c a"), config("c b a"));
        assert!(one != other && changes(&one, &one.clone()).is_empty());
        let changed = changes(&one, &other);
        assert_eq!(changed.len(), 1);
        let path = crate::path(&forest(), &changed[0].path).text;
        assert_eq!(path, "/tlb:bgp/tlb:policies/tlb:policy[tlb:name='p']/tlb:statement");
        assert_eq!(
            (changed[0].before.as_deref(), changed[0].after.as_deref()),
            (Some("b c a"), Some("c b a"))
        );
        // Entries that come and go are changes themselves, and no other order.
        assert!(
            changes(&one, &config("b x a"))
                .iter()
                .all(|it| it.path.last().unwrap().keys.len() == 1 || it.path.len() > 4)
        );
        // Defaults do not disturb it.
        assert_eq!(values(&trimmed(&forest(), &with_all(&forest(), &one)), "name"), "p b c a");
    }

    /// RFC 7950 section 15.
    #[test]
    fn rules_are_checked_with_their_errors() {
        let neighbor = |more: &str| {
            format!(
                "<b:neighbors><b:neighbor><b:remote-address>192.0.2.2</b:remote-address><b:peer-as>2</b:peer-as>{more}</b:neighbor></b:neighbors>"
            )
        };
        let global = "<b:global><b:as>1</b:as><b:afi-safis><b:afi-safi><b:name>ipv4-unicast</b:name></b:afi-safi></b:afi-safis></b:global>";
        let of_family = |name: &str| {
            format!("<b:afi-safis><b:afi-safi><b:name>{name}</b:name></b:afi-safi></b:afi-safis>")
        };
        let policies: String = (0..17)
            .map(|at| {
                format!(
                    "<b:policy><b:name>p{at}</b:name><b:statement><b:name>s</b:name></b:statement></b:policy>"
                )
            })
            .collect();
        let uses: String = (0..17).map(|at| format!("<b:import-policy>p{at}</b:import-policy>")).collect();
        let timers = |times: &str| neighbor(&format!("<b:timers>{times}</b:timers>"));
        let cases = [
            (format!("{global}{}", neighbor("")), ""),
            (neighbor(""), "operation-failed must-violation /tlb:neighbors"),
            (format!("{global}{}", neighbor(&of_family("ipv4-unicast"))), ""),
            (format!("{global}{}", neighbor(&of_family("ipv6-unicast"))), "data-missing instance-required [tlb:name='ipv6-unicast']/tlb:name"),
            (format!("{global}{}", timers("<b:hold-time>0</b:hold-time>")), ""),
            (format!("{global}{}", timers("<b:hold-time>2</b:hold-time><b:keepalive>1</b:keepalive>")), "operation-failed must-violation /tlb:timers"),
            (format!("{global}{}", timers("<b:hold-time>10</b:hold-time>")), "operation-failed must-violation /tlb:timers"),
            (format!("{global}{}", timers("<b:hold-time>10</b:hold-time><b:keepalive>3</b:keepalive>")), ""),
            ("<b:policies><b:policy><b:name>p</b:name></b:policy></b:policies>".into(), "operation-failed too-few-elements /tlb:statement"),
            (
                format!("{global}<b:policies>{policies}</b:policies>{}", neighbor(&format!("<b:apply-policy>{uses}</b:apply-policy>"))),
                "operation-failed too-many-elements /tlb:import-policy",
            ),
            (
                format!("{global}{}", neighbor("<b:apply-policy><b:export-policy>x</b:export-policy></b:apply-policy>")),
                "data-missing instance-required /tlb:export-policy[.='x']",
            ),
            (
                "<b:global><b:as>1</b:as><b:afi-safis><b:afi-safi><b:name>ipv6-unicast</b:name><b:network><b:prefix>192.0.2.0/24</b:prefix>\
                 </b:network></b:afi-safi></b:afi-safis></b:global>".into(),
                "operation-failed must-violation [tlb:prefix='192.0.2.0/24']",
            ),
            ("<b:global/>".into(), "data-missing  /tlb:global/tlb:as"),
        ];
        for (content, expected) in cases {
            let config = read(&forest(), document(&format!("<b:bgp>{content}</b:bgp>")).root()).unwrap();
            match (check(&forest(), &config), expected) {
                (Ok(()), "") => {}
                (Ok(()), _) => panic!("{content} is {expected}"),
                (Err(errors), _) => {
                    let error = &errors[0];
                    let app_tag = error.app_tag.as_deref().unwrap_or_default();
                    let found =
                        format!("{} {app_tag} {}", error.tag.name(), error.path.as_ref().unwrap().text);
                    let (tags, end) = expected.rsplit_once(' ').unwrap_or_default();
                    assert!(
                        found.starts_with(tags) && found.ends_with(end) && errors.len() == 1,
                        "{content}: {errors:?}"
                    );
                }
            }
        }
    }

    proptest! {
        /// Whatever the orders, the difference of two configurations makes one of the other.
        #[test]
        fn a_difference_keeps_the_order(
            old in Just(vec!["a", "b", "c", "d", "e", "f"]).prop_shuffle(),
            new in Just(vec!["a", "b", "c", "d", "e", "g"]).prop_shuffle(),
            sizes in (0_usize..=6, 0_usize..=6),
        ) {
            let of = |names: &[&str]| {
                let values: String = names.iter().map(|it| format!("<b:import-policy>{it}</b:import-policy>")).collect();
                let both = [policy(&names.join(" ")).replace("</b:bgp>", ""), of_neighbor(&values).replace("<b:bgp>", "")];
                read(&forest(), document(&both.concat()).root()).unwrap()
            };
            let (before, after) = (of(&old[..sizes.0]), of(&new[..sizes.1]));
            let mut octets = Vec::new();
            delta(&forest(), &before, &after, &mut octets);
            let mut edited = before.clone();
            change(&mut edited, std::str::from_utf8(&octets).unwrap()).unwrap();
            prop_assert_eq!(&edited, &after, "{}", String::from_utf8_lossy(&octets));
            prop_assert_eq!(values(&edited, "name"), values(&after, "name"));
            prop_assert_eq!(changes(&before, &after).is_empty(), before == after);
        }
    }
}
