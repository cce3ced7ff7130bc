//! Refusals, as the exceptions that clients of Java expect.

use trunkline_core::{NotSet, Unanswered};
use trunkline_jmx::model::{Exception, ObjectName, Value, Work};
use trunkline_jmx::stream::classes::exceptions;
use trunkline_tree::SetStatus;

/// The MBean is not there, or may not be seen.
pub(crate) fn no_instance(name: &ObjectName) -> Exception {
    Exception::new(&exceptions::INSTANCE_NOT_FOUND_EXCEPTION, name.to_text())
}

/// The MBean has no such attribute.
pub(crate) fn no_attribute(name: &str) -> Exception {
    Exception::new(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION, format!("No such attribute: {name}"))
}

/// The MBean has no such operation.
pub(crate) fn no_operation(words: &str) -> Exception {
    let cause = Exception::new(&exceptions::NO_SUCH_METHOD_EXCEPTION, words);
    Exception::new(&exceptions::REFLECTION_EXCEPTION, words).caused_by(cause)
}

/// An argument cannot be used.
pub(crate) fn argument(words: impl Into<String>) -> Exception {
    let words = words.into();
    let cause = Exception::new(&exceptions::ILLEGAL_ARGUMENT_EXCEPTION, words.clone());
    Exception::new(&exceptions::RUNTIME_OPERATIONS_EXCEPTION, words).caused_by(cause)
}

/// An argument of the connection itself, and not of an MBean, cannot be used.
pub(crate) fn illegal(words: &str) -> Exception {
    Exception::new(&exceptions::ILLEGAL_ARGUMENT_EXCEPTION, words)
}

/// An argument in a stream of its own is of another class than that of the method.
pub(crate) fn wrong_class(found: &Value, expected: &str) -> Exception {
    let words = format!("Cannot cast {} to {expected}", found.class_name());
    Exception::new(&exceptions::CLASS_CAST_EXCEPTION, words)
}

/// A query had too much to do.
pub(crate) fn too_much(work: &Work) -> Result<(), Exception> {
    match work.is_over() {
        true => Err(argument(
            "the query takes too much work: use fewer conditions, or shorter texts and patterns",
        )),
        false => Ok(()),
    }
}

/// The client may not.
pub(crate) fn access(words: impl Into<String>) -> Exception {
    Exception::new(&exceptions::SECURITY_EXCEPTION, format!("Access denied! {}", words.into()))
}

/// The client did not prove who it is.
pub(crate) fn authentication(words: &str) -> Exception {
    Exception::new(&exceptions::SECURITY_EXCEPTION, format!("Authentication failed! {words}"))
}

/// What this agent does not do.
pub(crate) fn unsupported(words: &str) -> Exception {
    Exception::new(&exceptions::UNSUPPORTED_OPERATION_EXCEPTION, words)
}

/// The agent cannot do it now.
pub(crate) fn failed(words: impl Into<String>) -> Exception {
    let words = words.into();
    let cause = Exception::new(&exceptions::ILLEGAL_STATE_EXCEPTION, words.clone());
    Exception::new(&exceptions::MBEAN_EXCEPTION, words).caused_by(cause)
}

/// The connection cannot do it: an exception that every remote method may end in.
pub(crate) fn io(words: &str) -> Exception {
    Exception::new(&exceptions::IO_EXCEPTION, words)
}

/// A source has no answer.
pub(crate) fn unanswered(error: Unanswered) -> Exception {
    failed(error.to_string())
}

/// A value cannot be set.
pub(crate) fn not_set(attribute: &str, error: &NotSet) -> Exception {
    let NotSet::Refused(failure) = error else {
        return failed("the provider of the object has failed; the agent's log says how");
    };
    let reason = match failure.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    let words = format!("{attribute}: {}{reason}", failure.status.name());
    match failure.status {
        SetStatus::NoAccess => access(words),
        SetStatus::NotWritable => Exception::new(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION, words),
        SetStatus::WrongType
        | SetStatus::WrongLength
        | SetStatus::WrongValue
        | SetStatus::NoCreation
        | SetStatus::InconsistentName
        | SetStatus::InconsistentValue => {
            Exception::new(&exceptions::INVALID_ATTRIBUTE_VALUE_EXCEPTION, words)
        }
        SetStatus::ResourceUnavailable | SetStatus::CommitFailed | SetStatus::UndoFailed => failed(words),
    }
}
