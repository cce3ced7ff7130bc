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
        f.write_str(&self.head())?;
        let mut outer = self;
        while let Some(cause) = &outer.cause {
            // Java's wrappers take the text of what they wrap as their own.
            let head = cause.head();
            if !outer.message.as_ref().is_some_and(|message| message.ends_with(&head)) {
                write!(f, "; caused by {head}")?;
            }
            outer = cause;
        }
        Ok(())
    }
}

impl Exception {
    /// Its class and its message, as Java's `toString` has them.
    fn head(&self) -> String {
        match &self.message {
            Some(message) => format!("{}: {message}", self.class.name),
            None => self.class.name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::classes::exceptions::{
        ILLEGAL_STATE_EXCEPTION, IO_EXCEPTION, MBEAN_EXCEPTION, RUNTIME_MBEAN_EXCEPTION,
    };

    #[test]
    fn causes_are_named_once() {
        let inner = || Exception::new(&ILLEGAL_STATE_EXCEPTION, "down");
        let wrapped = Exception::new(&RUNTIME_MBEAN_EXCEPTION, "java.lang.IllegalStateException: down");
        let root = Exception { class: &IO_EXCEPTION, message: None, cause: None };
        let shown = wrapped.caused_by(inner().caused_by(root)).to_string();
        let expected = "javax.management.RuntimeMBeanException: java.lang.IllegalStateException: down; caused by java.io.IOException";
        assert_eq!(shown, expected);
        let other = Exception::new(&MBEAN_EXCEPTION, "wrapped").caused_by(inner());
        let expected =
            "javax.management.MBeanException: wrapped; caused by java.lang.IllegalStateException: down";
        assert_eq!(other.to_string(), expected);
    }
}
