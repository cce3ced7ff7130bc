//! Subtree filters (RFC 6241 section 6) as requests, and applied to what a server answers.

use trunkline_xml::Writer;

use super::place::{Place, encode, qualified};
use super::{Method, Request, Server, Then, copy, start};
use crate::document::Element;

/// All data.
pub(super) fn everything(more: &[&str]) -> Request {
    let place = "/data".to_owned();
    Request {
        method: Method::Get,
        target: with(place, more),
        body: None,
        then: Then::Data(Default::default()),
    }
}

/// The request for one element of a filter: the path goes down as long as there is one way, with keys that are known; what is wanted
/// below is in `fields`. What neither says is left to [`pruned`].
pub(super) fn request(wanted: Element<'_>, more: &[&str], server: Server<'_>) -> Request {
    let mut place = Place::datastore(server);
    let mut rest = vec![wanted];
    // Whether the server's answer is what the filter selects.
    let mut is_exact = true;
    while let [only] = rest[..] {
        let Some(next) = descend(&mut place, only) else { break };
        rest = next;
    }
    let mut query: Vec<String> = more.iter().map(|it| (*it).to_owned()).collect();
    if !rest.is_empty() {
        let outer = rest.first().and_then(|it| it.parent()).map(Element::namespace);
        let outer = outer.filter(|_| !place.is_datastore());
        match list(&rest, outer, server).filter(|_| server.has_fields) {
            Some(fields) => {
                let mut text = "fields=".to_owned();
                fields.split_inclusive(['/', ';', '(', ')', ':']).for_each(|piece| {
                    let (name, mark) = piece.split_at(piece.trim_end_matches(MARKS).len());
                    encode(name, &mut text);
                    text.push_str(mark);
                });
                query.push(text);
                is_exact = rest.iter().all(|it| is_plain(*it));
            }
            None => {
                // The whole resource that all of it is in, which in XML must be one.
                if place.is_datastore()
                    && let [only] = rest[..]
                    && place.child(only).is_some_and(|node| !server.forest[node].place.is_many())
                {
                    place.step(only, &[]);
                }
                is_exact = false;
            }
        }
    }
    let filter = (!is_exact).then(|| {
        let mut octets = Vec::new();
        copy(wanted, Some(""), &mut Writer::new(&mut octets));
        octets
    });
    let query: Vec<&str> = query.iter().map(String::as_str).collect();
    let target = with(place.path.clone(), &query);
    Request { method: Method::Get, target, body: None, then: Then::Data(place.around(filter)) }
}

const MARKS: [char; 5] = ['/', ';', '(', ')', ':'];

fn with(mut target: String, query: &[&str]) -> String {
    for (at, parameter) in query.iter().enumerate() {
        target.push(if at == 0 { '?' } else { '&' });
        target.push_str(parameter);
    }
    target
}

/// Goes to an element, if it is one resource; returns what is wanted in it, nothing for all of it.
fn descend<'d>(place: &mut Place<'_>, element: Element<'d>) -> Option<Vec<Element<'d>>> {
    if !element.attributes().is_empty() || is_match(element) {
        return None;
    }
    let node = place.child(element)?;
    let forest = place.forest();
    let kind = &forest[node].place;
    let mut keys = Vec::new();
    // A key comes with its entry.
    if kind.is_key() {
        return None;
    }
    if kind.is_list() {
        for key in forest.keys(node) {
            let (name, namespace) = (&forest[key].name, &forest.module(key).namespace);
            let mut given = element.children().filter(|it| it.is(namespace, name) && is_match(*it));
            let (first, None) = (given.next()?, given.next()) else { return None };
            keys.push(first);
        }
        if keys.is_empty() {
            return None;
        }
    } else if kind.is_many() {
        return None;
    }
    let is_key = |it: &Element<'_>| is_match(*it) && keys.iter().any(|key| key.is(it.namespace(), it.name()));
    let rest: Vec<Element<'d>> = element.children().filter(|it| !is_key(it)).collect();
    place.step(element, &keys).then_some(rest)
}

/// The value of `fields` for what is wanted; `None`: it cannot say it.
fn list(wanted: &[Element<'_>], outer: Option<&str>, server: Server<'_>) -> Option<String> {
    let mut parts = Vec::with_capacity(wanted.len());
    for element in wanted {
        let mut part = qualified(*element, outer, server)?;
        let children: Vec<Element<'_>> = element.children().collect();
        // Values alone select all that is beside them.
        if children.iter().any(|it| !is_match(*it)) {
            part.push('(');
            part.push_str(&list(&children, Some(element.namespace()), server)?);
            part.push(')');
        }
        parts.push(part);
    }
    Some(parts.join(";"))
}

/// Whether names alone say what is wanted.
fn is_plain(element: Element<'_>) -> bool {
    element.attributes().is_empty() && !is_match(element) && element.children().all(is_plain)
}

/// A leaf with a value that its siblings are selected by (RFC 6241 section 6.2.5).
fn is_match(element: Element<'_>) -> bool {
    !element.has_children() && !element.value().is_empty()
}

/// Writes what the content of a filter selects of data. Returns whether that is anything.
pub fn pruned(filter: Element<'_>, data: Element<'_>, writer: &mut Writer<'_>) -> bool {
    let wanted: Vec<Element<'_>> = filter.children().collect();
    within(&wanted, data, None, writer)
}

fn within(wanted: &[Element<'_>], data: Element<'_>, outer: Option<&str>, writer: &mut Writer<'_>) -> bool {
    let mut is_any = false;
    let mut before: Option<(&str, &str)> = None;
    let all: Vec<Element<'_>> = data.children().collect();
    for (at, child) in all.iter().enumerate() {
        let of_child: Vec<Element<'_>> =
            wanted.iter().copied().filter(|it| is_of(*it, *child) && holds(*it, *child)).collect();
        let name = (child.namespace(), child.name());
        let is_repeated = before == Some(name)
            || all.get(at + 1).is_some_and(|next| (next.namespace(), next.name()) == name);
        before = Some(name);
        if of_child.is_empty() {
            continue;
        }
        if of_child.iter().any(|it| it.children().all(is_match)) {
            copy(*child, outer, writer);
            is_any = true;
            continue;
        }
        let mut octets = Vec::new();
        let mut inner = Writer::new(&mut octets);
        let parts: Vec<Element<'_>> = of_child.iter().flat_map(|it| it.children()).collect();
        let namespace = child.namespace();
        // The first leaf of an entry is most likely its key, which an answer of NETCONF always has.
        let key = child.children().next().filter(|it| is_repeated && !it.has_children());
        let key = key.filter(|key| !parts.iter().any(|part| is_of(*part, *key)));
        key.iter().for_each(|key| copy(*key, Some(namespace), &mut inner));
        if within(&parts, *child, Some(namespace), &mut inner) {
            start(*child, outer, writer);
            writer.raw(&octets).end(child.name());
            is_any = true;
        }
    }
    is_any
}

fn is_of(wanted: Element<'_>, found: Element<'_>) -> bool {
    wanted.name() == found.name()
        && (wanted.namespace().is_empty() || wanted.namespace() == found.namespace())
}

/// Whether the leaves of what was found have the values that are wanted.
fn holds(wanted: Element<'_>, found: Element<'_>) -> bool {
    if is_match(wanted) {
        return is_same(wanted, found);
    }
    let mut tests = wanted.children().filter(|it| is_match(*it));
    tests.all(|test| found.children().any(|leaf| is_of(test, leaf) && is_same(test, leaf)))
}

/// Whether two leaves have the same value: an identity is the same with any prefix of its namespace.
fn is_same(one: Element<'_>, other: Element<'_>) -> bool {
    if one.value() == other.value() {
        return true;
    }
    let [one, other] = [one, other].map(|it| {
        let (prefix, name) = it.value().split_once(':')?;
        Some((it.resolve(prefix)?, name))
    });
    one.is_some() && one == other
}
