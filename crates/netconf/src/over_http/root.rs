//! What a server of RESTCONF says of itself: where its root is (RFC 8040 section 3.1), its capabilities, modules and streams.

use trunkline_xml::XmlError;

use crate::document::{Document, Element, limits};
use crate::hello::Hello;
use crate::modules::LIBRARY;

/// Where everybody finds the root.
pub const HOST_META: &str = "/.well-known/host-meta";
/// The root of a server without that document.
pub const USUAL: &str = "/restconf";
/// The state of the server, behind the root.
pub const STATE: &str = "/data/ietf-restconf-monitoring:restconf-state";
/// Its modules, by RFC 8525 and by RFC 7895.
pub const LIBRARIES: [(&str, &str); 2] = [
    ("/data/ietf-yang-library:yang-library", "?fields=module-set(name;module(name;revision;namespace))"),
    ("/data/ietf-yang-library:modules-state", "?fields=module(name;revision;namespace)"),
];

const XRD: &str = "http://docs.oasis-open.org/ns/xri/xrd-1.0";
const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-restconf-monitoring";
/// Octets of what is read here.
pub const MOST: usize = 16 << 20;

/// The root that a host's document names: the path of its link, without a slash at the end.
///
/// # Errors
/// It is not well-formed.
pub fn of_host_meta(octets: &[u8]) -> Result<Option<String>, XmlError> {
    let document = Document::read(octets, limits(MOST))?;
    let links = document.root().children().filter(|it| it.is(XRD, "Link"));
    let mut links = links.filter(|it| it.attribute("", "rel") == Some("restconf"));
    Ok(links.find_map(|link| path_of(link.attribute("", "href")?)))
}

/// The path of a reference, without host, query and the slash at its end.
#[must_use]
pub fn path_of(reference: &str) -> Option<String> {
    let behind = match reference.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => reference,
    };
    let path = behind.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let is_path = path.is_empty() || path.starts_with('/') && !path.starts_with("//");
    (is_path && path.bytes().all(|it| it.is_ascii_graphic())).then(|| path.to_owned())
}

/// A stream of events in XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Its name.
    pub name: String,
    /// The path of its resource.
    pub path: String,
}

/// Adds the capabilities of `restconf-state` to a hello; returns the streams.
///
/// # Errors
/// It is not well-formed.
pub fn read_state(octets: &[u8], hello: &mut Hello) -> Result<Vec<Stream>, XmlError> {
    let document = Document::read(octets, limits(MOST))?;
    let named = |of: Element<'_>, name: &str| of.child(MONITORING, name).map(|it| it.value().to_owned());
    let mut streams = Vec::new();
    for part in document.root().children() {
        match part.name() {
            "capabilities" => hello.capabilities.extend(part.children().map(|it| it.value().to_owned())),
            "streams" => {
                for stream in part.children() {
                    let mut accesses = stream.children().filter(|it| it.is(MONITORING, "access"));
                    let xml = accesses.find(|it| named(*it, "encoding").as_deref() == Some("xml"));
                    let path = xml.and_then(|it| path_of(&named(it, "location")?));
                    if let (Some(name), Some(path)) = (named(stream, "name"), path) {
                        streams.push(Stream { name, path });
                    }
                }
            }
            _ => {}
        }
    }
    Ok(streams)
}

/// Adds the modules of a library, either form, as a hello of NETCONF announces them.
///
/// # Errors
/// It is not well-formed.
pub fn read_library(octets: &[u8], hello: &mut Hello) -> Result<(), XmlError> {
    let document = Document::read(octets, limits(MOST))?;
    let root = document.root();
    let sets = root.children().filter(|it| it.is(LIBRARY, "module-set"));
    for listed in sets.chain([root]) {
        for module in listed.children().filter(|it| it.is(LIBRARY, "module")) {
            let value = |name| module.child(LIBRARY, name).map(Element::value).unwrap_or_default();
            let (name, revision, namespace) = (value("name"), value("revision"), value("namespace"));
            if !name.is_empty() && !namespace.is_empty() {
                hello.capabilities.push(format!("{namespace}?module={name}&revision={revision}"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_where_the_host_says() {
        // RFC 8040 section 3.1.
        let document = "<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'><Link rel='other' href='/x'/><Link rel='restconf' href='/restconf'/></XRD>";
        assert_eq!(of_host_meta(document.as_bytes()), Ok(Some("/restconf".into())));
        assert_eq!(of_host_meta(b"<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'/>"), Ok(None));
        assert!(of_host_meta(b"<XRD").is_err());
        for (reference, path) in [
            ("/top/restconf/", Some("/top/restconf")),
            ("https://h:1/restconf?x", Some("/restconf")),
            ("https://h", Some("")),
            ("//evil/x", None),
            ("restconf", None),
            ("/a b", None),
        ] {
            assert_eq!(path_of(reference).as_deref(), path, "{reference}");
        }
    }

    #[test]
    fn state_and_library_become_a_hello() {
        let mut hello = Hello::default();
        let state = format!(
            "<restconf-state xmlns='{MONITORING}'><capabilities><capability>urn:a</capability></capabilities><streams><stream><name>NETCONF</name>\
             <access><encoding>json</encoding><location>https://h/s/json</location></access>\
             <access><encoding>xml</encoding><location>https://h/s/xml</location></access></stream></streams></restconf-state>"
        );
        let streams = read_state(state.as_bytes(), &mut hello).unwrap();
        assert_eq!(streams, [Stream { name: "NETCONF".into(), path: "/s/xml".into() }]);
        let module = |name: &str| {
            format!(
                "<module><name>{name}</name><revision>2020-01-01</revision><namespace>urn:{name}</namespace></module>"
            )
        };
        let new = format!(
            "<yang-library xmlns='{LIBRARY}'><module-set><name>s</name>{}</module-set></yang-library>",
            module("b")
        );
        let old = format!("<modules-state xmlns='{LIBRARY}'>{}</modules-state>", module("c"));
        read_library(new.as_bytes(), &mut hello).unwrap();
        read_library(old.as_bytes(), &mut hello).unwrap();
        assert_eq!(
            hello.capabilities,
            ["urn:a", "urn:b?module=b&revision=2020-01-01", "urn:c?module=c&revision=2020-01-01"]
        );
    }
}
