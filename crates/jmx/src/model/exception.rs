//! Exceptions: which, what they say, and what caused them.

use crate::stream::{Class, Field};

/// An exception of the list of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// Its class.
    pub class: &'static Class,
    /// Its message.
    pub message: Option<String>,
    /// What it wraps, or what caused it.
    pub cause: Option<Box<Exception>>,
}

impl Exception {
    /// An exception without a cause.
    pub fn new(class: &'static Class, message: impl Into<String>) -> Self {
        Exception { class, message: Some(message.into()), cause: None }
    }

    /// The same with a cause.
    pub fn caused_by(mut self, cause: Exception) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }
}

/// The fields of classes in which they keep the exception that they wrap, instead of the `cause` of Throwable.
pub(super) fn wraps(field: &Field) -> bool {
    matches!(
        (field.name, field.signature),
        (
            "detail" | "cause" | "ex" | "target" | "undeclaredThrowable" | "rootException",
            "Ljava/lang/Throwable;"
        ) | ("exception", "Ljava/lang/Exception;")
            | ("runtimeException", "Ljava/lang/RuntimeException;")
            | ("error" | "cause", "Ljava/lang/Error;")
    )
}

impl std::fmt::Display for Exception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.class.name)?;
        if let Some(message) = &self.message {
            write!(f, ": {message}")?;
        }
        match &self.cause {
            Some(cause) => write!(f, "; caused by {cause}"),
            None => Ok(()),
        }
    }
}
