//! libxml2 as far as it checks documents against an XML Schema, and evaluates XPath over them, for tests and for the laboratory, which
//! measures its price.
//!
//! The library is looked for when it is needed, so that nothing here needs its headers or a parser of C to be built, and machines
//! without it build and run the rest (docs/decisions/0112). No program that ships uses it.

#![allow(unsafe_code)] // a library of C, found at run time

mod library;
mod xpath;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use library::{Library, XmlError};
pub use xpath::{Selection, XPath};

/// A schema that was read.
pub struct Schema {
    library: Library,
    /// One document at a time.
    schema: Mutex<Pointer>,
}

/// Why there is no schema.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The library is not on this machine.
    #[error("there is no libxml2 here (`apt-get install libxml2-utils`)")]
    NoLibrary,
    /// A library without what is needed.
    #[error("libxml2 has no {0}: it was built without schemas")]
    NoFunction(&'static str),
    /// The path cannot be one.
    #[error("the path of a schema cannot contain a null octet")]
    Path,
    /// It is not a schema.
    #[error("not a schema: {0}")]
    Schema(String),
}

/// Why a document is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Not well-formed, or with prefixes that are not declared.
    #[error("not well-formed: {0}")]
    Malformed(String),
    /// Not valid.
    #[error("not valid: {0}")]
    Invalid(String),
    /// The expression is not XPath 1.0, has a prefix that nobody declared, or selects no nodes but a text or a number.
    #[error("not an expression that selects nodes: {0}")]
    Expression(String),
}

/// Something that the library has made.
#[derive(Clone, Copy)]
struct Pointer(*mut c_void);

// SAFETY: a schema is not bound to a thread, and the lock around it allows one user at a time.
unsafe impl Send for Pointer {}

static LOADING: Mutex<()> = Mutex::new(());

impl Schema {
    /// Reads a schema from a file, with those that it imports from beside it.
    ///
    /// # Errors
    /// There is no library, or no schema.
    pub fn load(path: &Path) -> Result<Schema, LoadError> {
        let library = Library::loaded()?;
        // The library makes its tables with the first schema, for one thread.
        let _alone = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| LoadError::Path)?;
        let mut first: Option<String> = None;
        // SAFETY: the path ends with a null octet; `first` outlives the parser, which is freed here.
        let schema = unsafe {
            let parser = (library.new_parser)(path.as_ptr());
            if parser.is_null() {
                return Err(LoadError::Schema("no memory".to_owned()));
            }
            (library.parser_errors)(parser, keep, ptr::from_mut(&mut first).cast());
            let schema = (library.parse)(parser);
            (library.free_parser)(parser);
            schema
        };
        match schema.is_null() {
            true => Err(LoadError::Schema(first.unwrap_or_else(|| "it cannot be read".to_owned()))),
            false => Ok(Schema { library, schema: Mutex::new(Pointer(schema)) }),
        }
    }

    /// Parses a document and checks it.
    ///
    /// # Errors
    /// It is not XML, or not of this schema.
    pub fn check(&self, document: &[u8]) -> Result<(), Refusal> {
        let library = &self.library;
        let parsed = parse(library, document, 0)?;
        let schema = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        let mut first: Option<String> = None;
        // SAFETY: schema and document live; `first` outlives the validation. All that is made here is freed here.
        let found = unsafe {
            let validation = (library.new_validation)(schema.0);
            let found = if validation.is_null() {
                -1
            } else {
                (library.validation_errors)(validation, keep, ptr::from_mut(&mut first).cast());
                (library.validate)(validation, parsed)
            };
            (library.free_validation)(validation);
            (library.free_document)(parsed);
            found
        };
        match found {
            0 => Ok(()),
            _ => Err(Refusal::Invalid(first.unwrap_or_else(|| "the library failed".to_owned()))),
        }
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let schema = self.schema.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: nobody has it any more.
        unsafe { (self.library.free_schema)(schema.0) }
    }
}

/// The library's tree of a document, which the caller frees.
///
/// # Errors
/// It is not well-formed.
fn parse(library: &Library, document: &[u8], options: c_int) -> Result<*mut c_void, Refusal> {
    let length = c_int::try_from(document.len())
        .map_err(|_| Refusal::Malformed("longer than 2147483647 octets".to_owned()))?;
    // SAFETY: there are `length` octets, which live until the document is read; the text of an error is copied before
    // the library is called again on this thread.
    unsafe {
        (library.reset_last_error)();
        let options = options | NO_NETWORK | NO_ERRORS | NO_WARNINGS;
        let parsed =
            (library.read_memory)(document.as_ptr().cast(), length, ptr::null(), ptr::null(), options);
        let error = (library.last_error)();
        if !error.is_null()
            && ((*error).domain == OF_NAMESPACES && (*error).code != NOT_ABSOLUTE || parsed.is_null())
        {
            let words = text_of((*error).message);
            if !parsed.is_null() {
                (library.free_document)(parsed);
            }
            return Err(Refusal::Malformed(words));
        }
        match parsed.is_null() {
            true => Err(Refusal::Malformed("it cannot be read".to_owned())),
            false => Ok(parsed),
        }
    }
}

/// Keeps the first error, in an `Option<String>`.
///
/// # Safety
/// `first` is a place for it that lives, and `error` null or an error of the library.
unsafe extern "C" fn keep(first: *mut c_void, error: *mut XmlError) {
    // SAFETY: see above.
    unsafe {
        let first = &mut *first.cast::<Option<String>>();
        if first.is_none() && !error.is_null() {
            *first = Some(text_of((*error).message));
        }
    }
}

/// # Safety
/// The message is null, or ends with a null octet.
unsafe fn text_of(message: *const c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: see above.
    unsafe { CStr::from_ptr(message) }.to_string_lossy().trim_end().to_owned()
}

/// Options of the library's parser. Entities are not put into the text.
const NO_ERRORS: c_int = 1 << 5;
const NO_WARNINGS: c_int = 1 << 6;
const NO_NETWORK: c_int = 1 << 11;
/// The library's number for errors of namespaces.
const OF_NAMESPACES: c_int = 3;
/// Its number for a warning: the name of a namespace is a relative URI.
const NOT_ABSOLUTE: c_int = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_checked() {
        let folder = std::env::temp_dir().join(format!("trunkline-libxml-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("number.xsd");
        let schema = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='a' type='xs:int'/></xs:schema>";
        std::fs::write(&path, schema).unwrap();
        let read = Schema::load(&path);
        let missing = Schema::load(&folder.join("none.xsd"));
        std::fs::write(&path, "<a/>").unwrap();
        let other = Schema::load(&path);
        std::fs::remove_dir_all(&folder).unwrap();
        if read.as_ref().err() == Some(&LoadError::NoLibrary) {
            println!("left out: {}", LoadError::NoLibrary);
            return;
        }
        let read = read.unwrap();
        assert!(matches!(missing, Err(LoadError::Schema(_))) && matches!(other, Err(LoadError::Schema(_))));
        assert_eq!(Schema::load(Path::new("a\0")).err(), Some(LoadError::Path));
        assert_eq!(read.check(b"<a>1</a>"), Ok(()));
        assert!(matches!(read.check(b"<a>x</a>"), Err(Refusal::Invalid(why)) if why.contains("'x'")));
        for malformed in [&b"<a>"[..], b"", b"<p:a>1</p:a>"] {
            assert!(matches!(read.check(malformed), Err(Refusal::Malformed(_))), "{malformed:?}");
        }
    }
}
