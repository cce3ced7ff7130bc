//! The library's functions, found once, and where its memory comes from: this program's allocator, so that an allocator that counts also
//! counts what the library takes.

#![allow(unsafe_code)] // a library of C, found at run time

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::OnceLock;

use crate::LoadError;

/// The begin of the library's structure for errors, which all of its versions share.
#[repr(C)]
pub(crate) struct XmlError {
    pub domain: c_int,
    pub code: c_int,
    pub message: *const c_char,
}

type OnError = unsafe extern "C" fn(*mut c_void, *mut XmlError);
type Read = unsafe extern "C" fn(*const c_char, c_int, *const c_char, *const c_char, c_int) -> *mut c_void;
type Open = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type Make = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Report = unsafe extern "C" fn(*mut c_void, OnError, *mut c_void);
type Validate = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);
type LastError = unsafe extern "C" fn() -> *const XmlError;
type Act = unsafe extern "C" fn();
type Evaluate = unsafe extern "C" fn(*const c_char, *mut c_void) -> *mut XPathObject;
type FreeObject = unsafe extern "C" fn(*mut XPathObject);
type OnThread = unsafe extern "C" fn(*mut c_void, Option<OnError>);
type Declare = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> c_int;
type MakeBuffer = unsafe extern "C" fn() -> *mut c_void;
type Dump = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, c_int, c_int) -> c_int;
type Content = unsafe extern "C" fn(*const c_void) -> *const u8;
type Length = unsafe extern "C" fn(*const c_void) -> c_int;
type SetMemory = unsafe extern "C" fn(
    unsafe extern "C" fn(*mut c_void),
    unsafe extern "C" fn(usize) -> *mut c_void,
    unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    unsafe extern "C" fn(*const c_char) -> *mut c_char,
) -> c_int;

/// The begin of the library's result of an expression.
#[repr(C)]
pub(crate) struct XPathObject {
    pub kind: c_int,
    pub nodes: *const NodeSet,
}

/// The begin of the library's set of nodes.
#[repr(C)]
pub(crate) struct NodeSet {
    pub count: c_int,
    _room: c_int,
    pub nodes: *const *mut c_void,
}

/// The functions of the library.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    pub read_memory: Read,
    pub free_document: Free,
    pub last_error: LastError,
    pub reset_last_error: Act,
    pub new_parser: Open,
    pub parser_errors: Report,
    pub parse: Make,
    pub free_parser: Free,
    pub new_validation: Make,
    pub validation_errors: Report,
    pub validate: Validate,
    pub free_validation: Free,
    pub free_schema: Free,
    pub new_xpath: Make,
    pub declare: Declare,
    pub evaluate: Evaluate,
    pub free_object: FreeObject,
    pub free_xpath: Free,
    pub errors: OnThread,
    pub new_buffer: MakeBuffer,
    pub dump: Dump,
    pub content: Content,
    pub length: Length,
    pub free_buffer: Free,
}

static LIBRARY: OnceLock<Result<Library, LoadError>> = OnceLock::new();

impl Library {
    /// The library, which is looked for once.
    ///
    /// # Errors
    /// It is not there, or lacks a function.
    pub fn loaded() -> Result<Library, LoadError> {
        LIBRARY.get_or_init(Library::load).clone()
    }

    fn load() -> Result<Library, LoadError> {
        let names = [c"libxml2.so.2", c"libxml2.so.16", c"libxml2.so"];
        // SAFETY: the names end with a null octet. The library's initialisation is what any program that uses it runs. It stays
        // loaded, so that its functions stay where they are.
        let open = |name: &&CStr| unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let library = names.iter().map(open).find(|it| !it.is_null()).ok_or(LoadError::NoLibrary)?;
        let find = |name: &'static str| {
            let symbol = CString::new(name).map_err(|_| LoadError::NoFunction(name))?;
            // SAFETY: the library is open, and the name ends with a null octet.
            let found = unsafe { libc::dlsym(library, symbol.as_ptr()) };
            if found.is_null() { Err(LoadError::NoFunction(name)) } else { Ok(found) }
        };
        // SAFETY: the types are those of the library's documentation (xmlschemas.h, parser.h, tree.h, xpath.h, xmlmemory.h, xmlerror.h), the same in all
        // versions of both names. A pointer to a function has the size of one to data where there is `dlsym`.
        unsafe {
            let library = Library {
                read_memory: transmute::<*mut c_void, Read>(find("xmlReadMemory")?),
                free_document: transmute::<*mut c_void, Free>(find("xmlFreeDoc")?),
                last_error: transmute::<*mut c_void, LastError>(find("xmlGetLastError")?),
                reset_last_error: transmute::<*mut c_void, Act>(find("xmlResetLastError")?),
                new_parser: transmute::<*mut c_void, Open>(find("xmlSchemaNewParserCtxt")?),
                parser_errors: transmute::<*mut c_void, Report>(find("xmlSchemaSetParserStructuredErrors")?),
                parse: transmute::<*mut c_void, Make>(find("xmlSchemaParse")?),
                free_parser: transmute::<*mut c_void, Free>(find("xmlSchemaFreeParserCtxt")?),
                new_validation: transmute::<*mut c_void, Make>(find("xmlSchemaNewValidCtxt")?),
                validation_errors: transmute::<*mut c_void, Report>(find(
                    "xmlSchemaSetValidStructuredErrors",
                )?),
                validate: transmute::<*mut c_void, Validate>(find("xmlSchemaValidateDoc")?),
                free_validation: transmute::<*mut c_void, Free>(find("xmlSchemaFreeValidCtxt")?),
                free_schema: transmute::<*mut c_void, Free>(find("xmlSchemaFree")?),
                new_xpath: transmute::<*mut c_void, Make>(find("xmlXPathNewContext")?),
                declare: transmute::<*mut c_void, Declare>(find("xmlXPathRegisterNs")?),
                evaluate: transmute::<*mut c_void, Evaluate>(find("xmlXPathEvalExpression")?),
                free_object: transmute::<*mut c_void, FreeObject>(find("xmlXPathFreeObject")?),
                free_xpath: transmute::<*mut c_void, Free>(find("xmlXPathFreeContext")?),
                errors: transmute::<*mut c_void, OnThread>(find("xmlSetStructuredErrorFunc")?),
                new_buffer: transmute::<*mut c_void, MakeBuffer>(find("xmlBufferCreate")?),
                dump: transmute::<*mut c_void, Dump>(find("xmlNodeDump")?),
                content: transmute::<*mut c_void, Content>(find("xmlBufferContent")?),
                length: transmute::<*mut c_void, Length>(find("xmlBufferLength")?),
                free_buffer: transmute::<*mut c_void, Free>(find("xmlBufferFree")?),
            };
            // Before the library allocates anything.
            transmute::<*mut c_void, SetMemory>(find("xmlMemSetup")?)(give_back, take, resize, copy);
            transmute::<*mut c_void, Act>(find("xmlInitParser")?)();
            Ok(library)
        }
    }
}

/// The octets before each block that hold its size; a multiple of every alignment that C needs.
const HEAD: usize = 16;

/// The layout of a block for this many octets, with its head.
fn layout(octets: usize) -> Option<Layout> {
    Layout::from_size_align(octets.checked_add(HEAD)?, HEAD).ok()
}

/// As `malloc`.
///
/// # Safety
/// None is needed; the library wants this type.
unsafe extern "C" fn take(octets: usize) -> *mut c_void {
    let Some(layout) = layout(octets) else { return ptr::null_mut() };
    // SAFETY: the layout has a head at least, into which its size is written.
    unsafe {
        let block = alloc(layout);
        if block.is_null() {
            return ptr::null_mut();
        }
        block.cast::<usize>().write(layout.size());
        block.add(HEAD).cast()
    }
}

/// As `free`.
///
/// # Safety
/// The block is null, or of [`take`], [`resize`] or [`copy`], and not used again.
unsafe extern "C" fn give_back(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the size stands before the block.
    unsafe {
        let begin = block.cast::<u8>().sub(HEAD);
        let size = begin.cast::<usize>().read();
        dealloc(begin, Layout::from_size_align_unchecked(size, HEAD));
    }
}

/// As `realloc`.
///
/// # Safety
/// As [`give_back`].
unsafe extern "C" fn resize(block: *mut c_void, octets: usize) -> *mut c_void {
    // SAFETY: as in the others.
    unsafe {
        if block.is_null() {
            return take(octets);
        }
        let Some(wanted) = layout(octets) else { return ptr::null_mut() };
        let begin = block.cast::<u8>().sub(HEAD);
        let before = begin.cast::<usize>().read();
        let moved = realloc(begin, Layout::from_size_align_unchecked(before, HEAD), wanted.size());
        if moved.is_null() {
            return ptr::null_mut();
        }
        moved.cast::<usize>().write(wanted.size());
        moved.add(HEAD).cast()
    }
}

/// As `strdup`.
///
/// # Safety
/// The text ends with a null octet.
unsafe extern "C" fn copy(text: *const c_char) -> *mut c_char {
    // SAFETY: there is room for the text and its end.
    unsafe {
        let text = CStr::from_ptr(text).to_bytes_with_nul();
        let copy = take(text.len()).cast::<u8>();
        if !copy.is_null() {
            ptr::copy_nonoverlapping(text.as_ptr(), copy, text.len());
        }
        copy.cast()
    }
}
