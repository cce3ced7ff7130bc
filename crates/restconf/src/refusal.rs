//! Why a request is not carried out: `ietf-restconf:errors` and the status (RFC 8040 section 7).

use trunkline_netconf::error::{Layer, Path, RpcError, Tag};
use trunkline_xml::Writer;
use trunkline_yang::forest::Forest;
use trunkline_yang::json;

use crate::RESTCONF;
use crate::media::Encoding;

/// What is wrong with a request, and its status.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// All that is wrong, at least one thing.
    pub errors: Vec<RpcError>,
}

impl Refusal {
    /// A refusal of the protocol itself: the tag is one that the status stands for.
    #[must_use]
    pub fn new(status: u16, message: &str) -> Refusal {
        let tag = match status {
            401 | 403 => Tag::AccessDenied,
            405 | 415 | 501 => Tag::OperationNotSupported,
            409 | 429 | 503 => Tag::ResourceDenied,
            412 | 500 | 502 => Tag::OperationFailed,
            413 => Tag::TooBig,
            _ => Tag::InvalidValue,
        };
        Refusal { status, errors: vec![RpcError::new(Layer::Protocol, tag, message)] }
    }

    /// 400, with `invalid-value`.
    #[must_use]
    pub fn bad(message: &str) -> Refusal {
        Refusal::new(400, message)
    }

    /// 404: it is not a resource of this server.
    #[must_use]
    pub fn nothing(what_there_is: &str) -> Refusal {
        Refusal::new(404, &format!("there is no such resource here: {what_there_is}"))
    }

    /// 400: an edit is about one entry.
    #[must_use]
    pub fn whole_list() -> Refusal {
        Refusal::bad(WHOLE_LIST)
    }

    /// 405: the same where the list is what the request names.
    #[must_use]
    pub fn of_whole_list() -> Refusal {
        Refusal::new(405, WHOLE_LIST)
    }

    /// The same about a node.
    #[must_use]
    pub fn at(mut self, path: Path) -> Refusal {
        if !path.text.is_empty() {
            self.errors = self.errors.into_iter().map(|error| error.at(path.clone())).collect();
        }
        self
    }

    /// The body of the answer.
    #[must_use]
    pub fn write(&self, encoding: Encoding, forest: &Forest) -> Vec<u8> {
        let mut octets = Vec::with_capacity(256);
        match encoding {
            Encoding::Json => {
                octets.extend_from_slice(b"{\"ietf-restconf:errors\":");
                self.json(forest, &mut octets);
                octets.push(b'}');
            }
            Encoding::Xml => self.xml(Some(RESTCONF), &mut Writer::new(&mut octets)),
        }
        octets
    }

    /// The value of `errors`.
    pub(crate) fn json(&self, forest: &Forest, octets: &mut Vec<u8>) {
        octets.extend_from_slice(b"{\"error\":[");
        for (at, error) in self.errors.iter().enumerate() {
            octets.extend_from_slice(if at == 0 { b"{" } else { b",{" });
            let mut comma = "";
            let mut member = |name: &str, value: &str| {
                octets.extend_from_slice(format!("{comma}\"{name}\":").as_bytes());
                json::string(value, octets);
                comma = ",";
            };
            member("error-type", error.layer.name());
            member("error-tag", error.tag.name());
            if let Some(app_tag) = &error.app_tag {
                member("error-app-tag", app_tag);
            }
            if let Some(path) = &error.path {
                member("error-path", &json_path(path, forest));
            }
            if let Some(message) = &error.message {
                member("error-message", message);
            }
            octets.push(b'}');
        }
        octets.extend_from_slice(b"]}");
    }

    /// The element `errors`, with a default namespace unless it has that already.
    pub(crate) fn xml(&self, namespace: Option<&str>, writer: &mut Writer<'_>) {
        writer.start("errors");
        if let Some(namespace) = namespace {
            writer.attribute("xmlns", namespace);
        }
        for error in &self.errors {
            writer.start("error");
            writer.leaf("error-type", error.layer.name());
            writer.leaf("error-tag", error.tag.name());
            if let Some(app_tag) = &error.app_tag {
                writer.leaf("error-app-tag", app_tag);
            }
            if let Some(path) = &error.path {
                path.write(writer, "error-path");
            }
            if let Some(message) = &error.message {
                writer.leaf("error-message", message);
            }
            writer.end("error");
        }
        writer.end("errors");
    }
}

impl Refusal {
    /// The same about something in a body: no 404, which is about the resource that was named.
    #[must_use]
    pub fn of_body(mut self) -> Refusal {
        if self.status == 404 {
            self.errors.iter_mut().for_each(|error| error.tag = Tag::InvalidValue);
            self.status = status(Tag::InvalidValue);
        }
        self
    }

    /// The same about what an edit needs: `data-missing`, 409.
    #[must_use]
    pub fn of_data_missing(mut self) -> Refusal {
        self.errors.iter_mut().for_each(|error| error.tag = Tag::DataMissing);
        Refusal { status: status(Tag::DataMissing), ..self }
    }
}

impl From<Vec<RpcError>> for Refusal {
    fn from(errors: Vec<RpcError>) -> Refusal {
        Refusal { status: errors.first().map_or(500, |error| status(error.tag)), errors }
    }
}

impl From<RpcError> for Refusal {
    fn from(error: RpcError) -> Refusal {
        Refusal::from(vec![error])
    }
}

const WHOLE_LIST: &str =
    "name one entry: of a list by its keys (list=key,key), of a leaf-list by its value (leaf-list=value)";

/// The status of a tag (RFC 8040 section 7).
const fn status(tag: Tag) -> u16 {
    match tag {
        Tag::InUse | Tag::LockDenied | Tag::ResourceDenied | Tag::DataExists | Tag::DataMissing => 409,
        Tag::TooBig => 413,
        Tag::InvalidValue
        | Tag::MissingAttribute
        | Tag::BadAttribute
        | Tag::UnknownAttribute
        | Tag::MissingElement
        | Tag::BadElement
        | Tag::UnknownElement
        | Tag::UnknownNamespace
        | Tag::MalformedMessage => 400,
        Tag::AccessDenied => 403,
        Tag::OperationNotSupported => 501,
        Tag::OperationFailed | Tag::RollbackFailed | Tag::PartialOperation => 500,
    }
}

/// An instance identifier with the names of modules, where they change (RFC 7951 section 6.11).
#[must_use]
pub fn json_path(path: &Path, forest: &Forest) -> String {
    let module_of = |prefix: &str| {
        let (_, namespace) = path.namespaces.iter().find(|(known, _)| known == prefix)?;
        forest.modules().iter().find(|module| module.namespace == *namespace).map(|module| module.name)
    };
    let mut out = String::with_capacity(path.text.len() + 32);
    // The module of the step; keys are of its list's.
    let mut within = "";
    let mut rest = path.text.as_str();
    while let Some(at) = rest.find(['/', '[', '\'', '"']) {
        let (before, from) = rest.split_at(at + 1);
        out.push_str(before);
        rest = from;
        let mark = before.as_bytes()[at];
        if mark == b'\'' || mark == b'"' {
            let end = rest.find(char::from(mark)).map_or(rest.len(), |end| end + 1);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if let Some((prefix, name)) = rest.split_once(':')
            && let Some(module) = module_of(prefix)
        {
            if module != within {
                out.push_str(module);
                out.push(':');
            }
            if mark == b'/' {
                within = module;
            }
            rest = name;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    fn forest() -> Forest {
        ALL.into_iter().fold(Forest::of(&[]), Forest::with)
    }

    #[test]
    fn errors_are_written_in_both_encodings() {
        let interfaces = "urn:ietf:params:xml:ns:yang:ietf-interfaces".to_owned();
        let ip = "urn:ietf:params:xml:ns:yang:ietf-ip".to_owned();
        let path = Path {
            text: "/if:interfaces/if:interface[if:name='a/b:\"c']/ip:ipv4/ip:mtu".into(),
            namespaces: vec![("if".into(), interfaces), ("ip".into(), ip)],
        };
        let error = RpcError::new(Layer::Application, Tag::InvalidValue, "a \"b\" < c").at(path);
        let refusal = Refusal::from(error.called("odd"));
        assert_eq!(refusal.status, 400);
        let json = String::from_utf8(refusal.write(Encoding::Json, &forest())).unwrap();
        let expected = r#"{"ietf-restconf:errors":{"error":[{"error-type":"application","error-tag":"invalid-value","error-app-tag":"odd","error-path":"/ietf-interfaces:interfaces/interface[name='a/b:\"c']/ietf-ip:ipv4/mtu","error-message":"a \"b\" < c"}]}}"#;
        assert_eq!(json, expected);
        let xml = refusal.write(Encoding::Xml, &forest());
        let document = Document::read(&xml, limits(10_000)).unwrap();
        let root = document.root();
        assert!(root.is(RESTCONF, "errors"));
        let error = root.child(RESTCONF, "error").unwrap();
        let message = error.child(RESTCONF, "error-message").unwrap();
        assert_eq!(message.value(), "a \"b\" < c");
        let path = error.child(RESTCONF, "error-path").unwrap();
        assert_eq!(path.resolve("ip"), Some("urn:ietf:params:xml:ns:yang:ietf-ip"));
    }

    #[test]
    fn each_tag_has_its_status() {
        for (tag, expected) in [
            (Tag::InUse, 409),
            (Tag::LockDenied, 409),
            (Tag::ResourceDenied, 409),
            (Tag::DataExists, 409),
            (Tag::DataMissing, 409),
            (Tag::InvalidValue, 400),
            (Tag::TooBig, 413),
            (Tag::MissingElement, 400),
            (Tag::UnknownNamespace, 400),
            (Tag::MalformedMessage, 400),
            (Tag::AccessDenied, 403),
            (Tag::OperationNotSupported, 501),
            (Tag::OperationFailed, 500),
            (Tag::RollbackFailed, 500),
        ] {
            assert_eq!(Refusal::from(RpcError::new(Layer::Rpc, tag, "")).status, expected, "{}", tag.name());
        }
        for status in [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 429, 500, 501, 503] {
            let refusal = Refusal::new(status, "");
            let of_tag = super::status(refusal.errors[0].tag);
            // One tag may stand for several.
            let several = matches!(status, 401 | 404 | 405 | 406 | 412 | 415 | 429 | 503);
            assert!(of_tag == status || several, "{status}");
        }
    }
}
