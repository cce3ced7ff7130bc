//! Which prefix maps to which namespace, at the current position.

use crate::error::XmlErrorKind;

/// The declarations of the elements that are open.
pub(super) struct Namespaces<'i> {
    declared: Vec<Declaration<'i>>,
}

struct Declaration<'i> {
    /// Empty for the default namespace.
    prefix: &'i str,
    namespace: &'i str,
    /// How many elements were open with the one that declares it.
    depth: usize,
}

impl<'i> Namespaces<'i> {
    pub(super) fn new() -> Self {
        Self { declared: Vec::with_capacity(8) }
    }

    /// How many are declared.
    pub(super) fn len(&self) -> usize {
        self.declared.len()
    }

    /// All of them, outer ones first.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'i str, &'i str)> {
        self.declared.iter().map(|it| (it.prefix, it.namespace))
    }

    /// Declares a namespace for the element that is this deep.
    pub(super) fn declare(
        &mut self,
        prefix: &'i str,
        namespace: &'i str,
        depth: usize,
    ) -> Result<(), XmlErrorKind> {
        let problem = match (prefix, namespace) {
            ("xml", XML) => return Ok(()),
            ("xml" | "xmlns", _) => "the prefixes xml and xmlns are reserved",
            (_, XML | XMLNS) => "this namespace has its own prefix",
            ("", _) => return self.keep(prefix, namespace, depth),
            (_, "") => "a prefix cannot stand for an empty namespace",
            _ => return self.keep(prefix, namespace, depth),
        };
        Err(XmlErrorKind::Declaration { problem })
    }

    fn keep(&mut self, prefix: &'i str, namespace: &'i str, depth: usize) -> Result<(), XmlErrorKind> {
        if self.declared.iter().any(|known| known.depth == depth && known.prefix == prefix) {
            let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
            return Err(XmlErrorKind::Duplicate { name });
        }
        self.declared.push(Declaration { prefix, namespace, depth });
        Ok(())
    }

    /// Forgets what elements that deep, or deeper, declared.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.declared.last().is_some_and(|last| last.depth >= depth) {
            self.declared.pop();
        }
    }

    /// The namespace of a prefix; the empty prefix is the default namespace, which is none if nothing declares
    /// it.
    pub(super) fn resolve(&self, prefix: &str) -> Option<&'i str> {
        if prefix == "xml" {
            return Some(XML);
        }
        let found = self.declared.iter().rev().find(|known| known.prefix == prefix);
        found.map(|known| known.namespace).or(prefix.is_empty().then_some(""))
    }
}

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
