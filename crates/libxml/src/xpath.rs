//! XPath 1.0 over a document that is finished: its text is read into the library's tree, the expression evaluated over that, and the text of
//! the nodes taken from it.

#![allow(unsafe_code)] // a library of C, found at run time

use std::ffi::{CString, c_int, c_void};
use std::{ptr, slice};

use crate::library::{Library, XPathObject};
use crate::{LoadError, Refusal, keep, parse};

/// The library, as far as it evaluates expressions.
#[derive(Clone, Copy)]
pub struct XPath {
    library: Library,
}

/// What is to be selected.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// The expression.
    pub expression: &'a str,
    /// The prefixes in it, and their namespaces.
    pub prefixes: &'a [(&'a str, &'a str)],
}

impl XPath {
    /// Looks for the library.
    ///
    /// # Errors
    /// There is none.
    pub fn load() -> Result<XPath, LoadError> {
        Ok(XPath { library: Library::loaded()? })
    }

    /// The texts of the selected nodes of a document, in its order, one behind the other. Namespaces that are declared above a node are
    /// not declared in its text.
    ///
    /// # Errors
    /// It is not XML, or the expression selects no nodes.
    pub fn select(&self, document: &[u8], selection: &Selection<'_>) -> Result<Vec<u8>, Refusal> {
        let parsed = Document { library: &self.library, at: parse(&self.library, document, HUGE)? };
        let terminated = |text: &str| {
            CString::new(text).map_err(|_| Refusal::Expression("it has a null octet".to_owned()))
        };
        let expression = terminated(selection.expression)?;
        let prefixes = selection.prefixes.iter();
        let prefixes = prefixes.map(|(prefix, namespace)| Ok((terminated(prefix)?, terminated(namespace)?)));
        let prefixes: Vec<(CString, CString)> = prefixes.collect::<Result<_, Refusal>>()?;
        let library = &self.library;
        // SAFETY: all texts end with a null octet and live until the end; all that is made here is freed here, the result before the
        // context and the context before the document.
        unsafe {
            let context = (library.new_xpath)(parsed.at);
            if context.is_null() {
                return Err(Refusal::Expression("no memory".to_owned()));
            }
            for (prefix, namespace) in &prefixes {
                (library.declare)(context, prefix.as_ptr(), namespace.as_ptr());
            }
            // Without somebody who takes them, it prints its errors.
            let mut first: Option<String> = None;
            (library.errors)(ptr::from_mut(&mut first).cast(), Some(keep));
            let found = (library.evaluate)(expression.as_ptr(), context);
            (library.errors)(ptr::null_mut(), None);
            let texts = if found.is_null() {
                Err(Refusal::Expression(first.unwrap_or_else(|| "the library failed".to_owned())))
            } else {
                let texts = parsed.texts(&*found);
                (library.free_object)(found);
                texts
            };
            (library.free_xpath)(context);
            texts
        }
    }
}

/// A document that was read.
struct Document<'a> {
    library: &'a Library,
    at: *mut c_void,
}

impl Document<'_> {
    /// The texts of the nodes of a result.
    ///
    /// # Safety
    /// It is a result over this document.
    unsafe fn texts(&self, found: &XPathObject) -> Result<Vec<u8>, Refusal> {
        if found.kind != NODES {
            return Err(Refusal::Expression("its value is not a set of nodes".to_owned()));
        }
        let library = self.library;
        // SAFETY: a set has as many nodes as it says, and what a buffer contains is copied before it is freed. Null stands for an
        // empty set.
        unsafe {
            let nodes = match found.nodes.as_ref() {
                Some(set) if set.count > 0 => slice::from_raw_parts(set.nodes, set.count as usize),
                _ => &[],
            };
            let buffer = (library.new_buffer)();
            if buffer.is_null() {
                return Err(Refusal::Expression("no memory".to_owned()));
            }
            let mut written = 0;
            for &node in nodes {
                written = (library.dump)(buffer, self.at, node, 0, 0).min(written);
            }
            let length = usize::try_from((library.length)(buffer)).unwrap_or(0);
            let content = (library.content)(buffer);
            let texts =
                if content.is_null() { vec![] } else { slice::from_raw_parts(content, length).to_vec() };
            (library.free_buffer)(buffer);
            if written < 0 {
                Err(Refusal::Expression("a node cannot be written".to_owned()))
            } else {
                Ok(texts)
            }
        }
    }
}

impl Drop for Document<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { (self.library.free_document)(self.at) }
    }
}

/// The library's number for a result that is a set of nodes.
const NODES: c_int = 1;
/// An option of its parser: documents may be longer than 10,000,000 octets.
const HUGE: c_int = 1 << 19;

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &[u8] =
        b"<a xmlns='urn:a'><r><i>1</i><k>x</k></r><r><i>2</i><k>&lt;</k></r><b:r xmlns:b='urn:b'/></a>";

    fn select(document: &[u8], expression: &str) -> Option<Result<String, Refusal>> {
        let xpath = match XPath::load() {
            Err(LoadError::NoLibrary) => {
                println!("left out: {}", LoadError::NoLibrary);
                return None;
            }
            other => other.unwrap(),
        };
        let selection = Selection { expression, prefixes: &[("m", "urn:a"), ("n", "urn:b")] };
        Some(xpath.select(document, &selection).map(|octets| String::from_utf8(octets).unwrap()))
    }

    #[test]
    fn selected_nodes_are_written_in_their_order() {
        for (expression, expected) in [
            ("//m:r[m:i = 2]", "<r><i>2</i><k>&lt;</k></r>"),
            ("/m:a/m:r/m:i", "<i>1</i><i>2</i>"),
            ("//m:k/text()", "x&lt;"),
            ("//n:r", "<b:r xmlns:b=\"urn:b\"/>"),
            ("//m:r[m:i > 2]", ""),
            ("//r", ""),
        ] {
            let Some(found) = select(DOCUMENT, expression) else { return };
            assert_eq!(found.as_deref(), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn what_selects_no_nodes_is_refused() {
        for expression in ["", "//m:r[", "//unknown:r", "count(//m:r)", "'text'", "//m:r\0"] {
            let Some(found) = select(DOCUMENT, expression) else { return };
            assert!(matches!(found, Err(Refusal::Expression(_))), "{expression}: {found:?}");
        }
        assert!(matches!(select(b"<a>", "//m:r"), None | Some(Err(Refusal::Malformed(_)))));
    }

    #[test]
    fn documents_may_be_long() {
        let row = "<r><i>1</i><k>a text of some length, so that it takes less to make it long</k></r>";
        let rows = 12_000_000 / row.len();
        let document = format!("<a xmlns='urn:a'>{}<r><i>2</i></r></a>", row.repeat(rows));
        let Some(found) = select(document.as_bytes(), "/m:a/m:r[m:i=2]") else { return };
        assert_eq!(found.as_deref(), Ok("<r><i>2</i></r>"));
    }
}
