//! Names of objects as people write them, and back.

use std::collections::HashMap;

use trunkline_smi::schema::{Module, Syntax};
use trunkline_smi::{Oid, ParseOidError};

use crate::near::near;
use crate::number;

/// An object that a request names, as it was written and as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// As it was written.
    pub text: String,
    /// What it stands for.
    pub oid: Oid,
}

/// Why a text names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No such descriptor in what is served.
    #[error("unknown name {name:?}{}", did_you_mean(near))]
    Unknown {
        /// What was found.
        name: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// A known name followed by something that is not an index.
    #[error("{rest:?} after {name} is not an index: expected numbers separated by dots, as in {name}.0")]
    Index {
        /// The descriptor.
        name: String,
        /// What followed it.
        rest: String,
    },
    /// Numbers, but no object identifier.
    #[error(transparent)]
    Oid(#[from] ParseOidError),
}

fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// Descriptors and their objects.
#[derive(Debug)]
pub(super) struct Names {
    /// By descriptor: the module and the OID.
    by_name: HashMap<&'static str, Vec<(&'static str, Oid)>>,
    /// Objects with values, by OID.
    objects: Vec<Object>,
}

#[derive(Debug)]
struct Object {
    oid: Oid,
    module: &'static str,
    name: &'static str,
    syntax: Syntax,
}

impl Names {
    pub fn new(modules: &'static [&'static Module]) -> Self {
        let mut names = Names { by_name: HashMap::new(), objects: Vec::new() };
        for module in modules {
            for node in module.nodes {
                names.add(module, node.name, node.oid);
            }
            for scalar in module.scalars {
                names.object(module, scalar.name, Oid::EMPTY.child(scalar.oid), scalar.syntax);
            }
            for table in module.tables {
                names.add(module, table.name, table.oid);
                let entry = Oid::EMPTY.child(table.oid).child(&[1]);
                names.add(module, table.entry, &entry);
                for column in table.columns {
                    names.object(module, column.name, entry.child(&[column.id]), column.syntax);
                }
            }
        }
        names.objects.sort_by(|a, b| a.oid.cmp(&b.oid));
        names
    }

    fn add(&mut self, module: &'static Module, name: &'static str, oid: &[u32]) {
        self.by_name.entry(name).or_default().push((module.name, Oid::EMPTY.child(oid)));
    }

    fn object(&mut self, module: &'static Module, name: &'static str, oid: Oid, syntax: Syntax) {
        self.add(module, name, &oid);
        self.objects.push(Object { oid, module: module.name, name, syntax });
    }

    pub fn parse(&self, text: &str) -> Result<ObjectName, NameError> {
        let text = text.trim();
        let (module, rest) =
            text.split_once("::").map_or((None, text), |(module, rest)| (Some(module), rest));
        if rest.starts_with(|first: char| first.is_ascii_digit() || first == '.') || rest.is_empty() {
            return Ok(ObjectName { text: text.into(), oid: rest.parse()? });
        }
        let (name, index) = rest.split_once('.').map_or((rest, None), |(name, index)| (name, Some(index)));
        let of_module = |(known, _): &&(&str, Oid)| module.is_none_or(|wanted| wanted == *known);
        let found = self.by_name.get(name).and_then(|all| all.iter().find(of_module));
        let Some((_, base)) = found else {
            let near = near(name, self.by_name.keys().copied());
            return Err(NameError::Unknown { name: text.chars().take(LONGEST_SHOWN).collect(), near });
        };
        let oid = match index {
            None => base.clone(),
            Some(index) => {
                let wrong = || NameError::Index {
                    name: name.into(),
                    rest: index.chars().take(LONGEST_SHOWN).collect(),
                };
                let tail: Oid = index.parse().map_err(|_| wrong())?;
                let mut whole = base.to_vec();
                whole.extend_from_slice(&tail);
                Oid::new(&whole).map_err(|_| wrong())?
            }
        };
        Ok(ObjectName { text: text.into(), oid })
    }

    fn find(&self, oid: &[u32]) -> Option<&Object> {
        let behind = self.objects.partition_point(|object| object.oid[..] <= *oid);
        self.objects[..behind].last().filter(|object| oid.starts_with(&object.oid))
    }

    pub fn object_of(&self, oid: &[u32]) -> Option<(&'static str, &'static str, Syntax, usize)> {
        self.find(oid).map(|object| (object.module, object.name, object.syntax, object.oid.len()))
    }

    pub fn write(&self, oid: &[u32], into: &mut Vec<u8>) {
        let Some(object) = self.find(oid) else { return number::write_oid(into, oid, b'.') };
        into.extend_from_slice(object.module.as_bytes());
        into.extend_from_slice(b"::");
        into.extend_from_slice(object.name.as_bytes());
        if oid.len() > object.oid.len() {
            into.push(b'.');
            number::write_oid(into, &oid[object.oid.len()..], b'.');
        }
    }
}

/// Of a wrong name, as much as this is repeated in the fault.
const LONGEST_SHOWN: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::new(trunkline_smi::module::ALL)
    }

    #[test]
    fn names_are_read_and_written() {
        let names = names();
        for text in ["IF-MIB::ifDescr.2", "ifDescr.2", "1.3.6.1.2.1.2.2.1.2.2", ".1.3.6.1.2.1.2.2.1.2.2"] {
            let parsed = names.parse(text).unwrap();
            let mut written = Vec::new();
            names.write(&parsed.oid, &mut written);
            assert_eq!(String::from_utf8(written).unwrap(), "IF-MIB::ifDescr.2", "{text}");
        }
        let mut written = Vec::new();
        names.write(&[1, 3, 6, 1, 4, 1, 99999, 1], &mut written);
        assert_eq!(written, b"1.3.6.1.4.1.99999.1");
    }

    #[test]
    fn wrong_names_are_reported_with_a_near_match() {
        let names = names();
        let unknown = names.parse("IF-MIB::ifDesc.2").unwrap_err();
        assert!(unknown.to_string().contains("ifDescr"), "{unknown}");
        assert!(matches!(names.parse("ifDescr.x"), Err(NameError::Index { .. })));
        assert!(matches!(names.parse("IP-MIB::ifDescr.1"), Err(NameError::Unknown { .. })));
        assert!(matches!(names.parse("1.3.x"), Err(NameError::Oid(_))));
        assert!(matches!(names.parse(""), Err(NameError::Oid(_))));
    }
}
