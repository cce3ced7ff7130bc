//! Leaves at paths, with the values that they are to have, as the content of an `edit-config`.

use trunkline_xml::Writer;

use crate::path::{Path, Step, UnknownPrefix, identity};

/// A leaf and its value.
pub type Assignment = (Path, String);

/// The content of `config` for these leaves; `namespace` knows those of modules. Leaves of one container or entry stand in it together.
///
/// # Errors
/// A module that stands for no namespace.
pub fn config<'n>(
    assignments: &[Assignment],
    namespace: impl Fn(&str) -> Option<&'n str>,
) -> Result<Vec<u8>, UnknownPrefix> {
    let mut roots: Vec<Node<'_>> = Vec::new();
    for (path, value) in assignments {
        let mut within = &mut roots;
        for step in &path.steps {
            let known = within.iter().position(|node| node.step == step);
            let at = known.unwrap_or_else(|| {
                within.push(Node { step, value: None, within: Vec::new() });
                within.len() - 1
            });
            if std::ptr::eq(step, &path.steps[path.steps.len() - 1]) {
                within[at].value = Some(value);
            }
            within = &mut within[at].within;
        }
    }
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    roots.iter().try_for_each(|root| root.write(None, &namespace, &mut writer))?;
    Ok(octets)
}

struct Node<'p> {
    step: &'p Step,
    /// Of a leaf.
    value: Option<&'p str>,
    within: Vec<Node<'p>>,
}

impl Node<'_> {
    fn write<'n>(
        &self,
        outer: Option<&str>,
        namespace: &impl Fn(&str) -> Option<&'n str>,
        writer: &mut Writer<'_>,
    ) -> Result<(), UnknownPrefix> {
        let known =
            |prefix: &str| namespace(prefix).ok_or_else(|| UnknownPrefix { prefix: prefix.to_owned() });
        let Step { module, name, tests } = self.step;
        let own = match (module, outer) {
            (Some(module), _) => known(module)?,
            (None, Some(outer)) => outer,
            (None, None) => return Err(UnknownPrefix { prefix: String::new() }),
        };
        writer.start(name);
        if outer != Some(own) {
            writer.attribute("xmlns", own);
        }
        let declare = |value: &str, writer: &mut Writer<'_>| {
            // An identity has a prefix (RFC 7950 section 9.10.3).
            if let Some((prefix, declared)) = identity(value, namespace) {
                writer.attribute(&format!("xmlns:{prefix}"), declared);
            }
        };
        if let Some(value) = self.value {
            declare(value, writer);
            writer.text(value).end(name);
            return Ok(());
        }
        writer.raw(b"");
        for test in tests {
            let Some(leaf) = &test.name else { continue };
            writer.start(leaf);
            if let Some(module) = &test.module {
                writer.attribute("xmlns", known(module)?);
            }
            declare(&test.value, writer);
            writer.text(&test.value).end(leaf);
        }
        self.within.iter().try_for_each(|node| node.write(Some(own), namespace, writer))?;
        writer.end(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_stand_together_in_what_they_are_in() {
        let assignments: Vec<Assignment> =
            [("/a:x/y[k='1']/z", "p:q"), ("/a:x/y[k='1']/w", "<"), ("/a:x/y[k='2']/b:v", "3"), ("/b:u", "")]
                .map(|(path, value)| (Path::parse(path).unwrap(), value.to_owned()))
                .to_vec();
        let namespace = |prefix: &str| match prefix {
            "a" => Some("urn:a"),
            "b" => Some("urn:b"),
            "p" => Some("urn:p"),
            _ => None,
        };
        let written = String::from_utf8(config(&assignments, namespace).unwrap()).unwrap();
        assert_eq!(
            written,
            "<x xmlns=\"urn:a\"><y><k>1</k><z xmlns:p=\"urn:p\">p:q</z><w>&lt;</w></y><y><k>2</k><v xmlns=\"urn:b\">3</v></y></x>\
             <u xmlns=\"urn:b\"></u>"
        );
        let unknown = [(Path::parse("/c:x").unwrap(), String::new())];
        assert_eq!(config(&unknown, namespace), Err(UnknownPrefix { prefix: "c".into() }));
    }
}
