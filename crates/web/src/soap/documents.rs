//! The descriptions of a service: constant, long, and public. Each is made once and shared by all its answers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use trunkline_soap::encoding::Encoding;
use trunkline_transport::http::Bytes;

/// A description, of all modules or of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Document {
    /// The operations of an encoding: WSDL without its end.
    Operations(Encoding, Option<&'static str>),
    /// The schema of this name.
    Schema(String, Option<&'static str>),
}

/// Those that have been requested. There are as many as modules, twice, and a few more.
#[derive(Default)]
pub struct Documents(Mutex<HashMap<Document, Bytes>>);

impl Documents {
    /// The existing one, or a new one; `None` if there is no such document, which is not cached.
    pub fn get(&self, document: Document, make: impl FnOnce() -> Option<Vec<u8>>) -> Option<Bytes> {
        // Another request for it meanwhile waits instead of making it too.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&document) {
            return Some(known.clone());
        }
        let mut made = make()?;
        made.shrink_to_fit();
        let made = Bytes::from(made);
        known.insert(document, made.clone());
        Some(made)
    }
}
