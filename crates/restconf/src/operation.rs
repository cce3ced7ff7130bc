//! Operations (RFC 8040 section 3.6): their input as names and texts, and an output that is one text.

use trunkline_netconf::document::{Document, limits};
use trunkline_xml::Writer;
use trunkline_yang::json;

use crate::json::Json;
use crate::media::Encoding;
use crate::refusal::Refusal;

/// The leaves of the `input` of an operation of a module.
///
/// # Errors
/// 400: the body is not that.
pub fn input(
    octets: &[u8],
    encoding: Encoding,
    module: &str,
    namespace: &str,
) -> Result<Vec<(String, String)>, Refusal> {
    let expected =
        || Refusal::bad(&format!("the body must be the input of {module}, its leaves being strings"));
    match encoding {
        Encoding::Json => {
            let Json::Object(members) = Json::read(octets)? else { return Err(expected()) };
            let [(name, Json::Object(leaves))] = &members[..] else { return Err(expected()) };
            if *name != format!("{module}:input") {
                return Err(expected());
            }
            let leaf = |(name, value): &(String, Json)| match value {
                Json::Text(text) => Ok((name.clone(), text.clone())),
                _ => Err(expected()),
            };
            leaves.iter().map(leaf).collect()
        }
        Encoding::Xml => {
            let document = Document::read(octets, limits(octets.len().max(1)));
            let document = document.map_err(|error| Refusal::bad(&error.to_string()))?;
            let root = document.root();
            if !root.is(namespace, "input") || root.children().any(|it| it.namespace() != namespace) {
                return Err(expected());
            }
            Ok(root.children().map(|it| (it.name().to_owned(), it.value().to_owned())).collect())
        }
    }
}

/// An output with one leaf.
#[must_use]
pub fn output(name: &str, text: &str, encoding: Encoding, module: &str, namespace: &str) -> Vec<u8> {
    let mut octets = Vec::with_capacity(text.len() + 128);
    match encoding {
        Encoding::Json => {
            octets.extend_from_slice(format!("{{\"{module}:output\":{{\"{name}\":").as_bytes());
            json::string(text, &mut octets);
            octets.extend_from_slice(b"}}");
        }
        Encoding::Xml => {
            let mut writer = Writer::new(&mut octets);
            writer.start("output").attribute("xmlns", namespace).leaf(name, text).end("output");
        }
    }
    octets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_out_can_be_put_in() {
        for encoding in [Encoding::Json, Encoding::Xml] {
            let output = output("data", "a <b> \"c\"\n", encoding, "m", "urn:m");
            let text = String::from_utf8(output).unwrap().replace("output", "input");
            let read = input(text.as_bytes(), encoding, "m", "urn:m");
            let expected = if encoding == Encoding::Xml { "a <b> \"c\"" } else { "a <b> \"c\"\n" };
            assert_eq!(read, Ok(vec![("data".into(), expected.into())]));
            assert_eq!(input(text.as_bytes(), encoding, "n", "urn:n").map_err(|it| it.status), Err(400));
            assert!(input(b"", encoding, "m", "urn:m").is_err());
        }
        for wrong in ["[]", "{}", "{\"m:input\":{\"a\":1}}", "{\"m:input\":\"a\"}"] {
            assert!(input(wrong.as_bytes(), Encoding::Json, "m", "urn:m").is_err(), "{wrong}");
        }
    }
}
