//! What a call returns, to octets and from them.

use super::Method;
use crate::error::{Callee, Error};
use crate::jrmp::{self, Argument, Lease, Outcome, Return, Stub, Uid};
use crate::model::{
    Decoder, Encoder, Exception, Info, NotificationResult, ObjectInstance, ObjectName, Value,
};
use crate::stream::Limits;
use crate::stream::classes::{exceptions, java};

/// The result of a call, or the exception in which it ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Of methods without a result.
    Void,
    /// Of `isRegistered` and `isInstanceOf`.
    Boolean(bool),
    /// Of methods that return a value, a text, a number, attributes or an MBean.
    Value(Value),
    /// Of `lookup` and `newClient`.
    Stub(Stub),
    /// Of `dirty`.
    Lease(Lease),
    /// Of `queryNames`.
    Names(Vec<ObjectName>),
    /// Of `queryMBeans`.
    Instances(Vec<ObjectInstance>),
    /// Of `getMBeanInfo`.
    Info(Box<Info>),
    /// Of `addNotificationListeners`.
    Listeners(Vec<i32>),
    /// Of `fetchNotifications`.
    Notifications(NotificationResult),
    /// Of any.
    Exception(Exception),
}

impl Reply {
    /// Writes the return of a call, with a number for its acknowledgement.
    pub fn encode(&self, number: Uid, out: &mut Vec<u8>) {
        let exceptional = matches!(self, Reply::Exception(_));
        jrmp::reply(out, number, exceptional, |encoder| self.write(encoder));
    }

    fn write(&self, encoder: &mut Encoder<'_, '_>) {
        match self {
            Reply::Void => {}
            Reply::Boolean(truth) => encoder.writer.block(&[u8::from(*truth)]),
            Reply::Value(value) => encoder.value(value),
            Reply::Stub(stub) => stub.write(encoder),
            Reply::Lease(lease) => lease.write(encoder),
            Reply::Names(names) => encoder.set(names, |encoder, name| encoder.name(name)),
            Reply::Instances(instances) => {
                encoder.set(instances, |encoder, instance| encoder.instance(instance))
            }
            Reply::Info(info) => encoder.info(info),
            Reply::Listeners(numbers) => encoder.items(&java::INTEGER_ARRAY, numbers, |encoder, number| {
                encoder.value(&Value::Integer(*number));
            }),
            Reply::Notifications(result) => encoder.notification_result(result),
            Reply::Exception(exception) => encoder.exception(exception),
        }
    }

    /// The reply to a call of this method.
    ///
    /// # Errors
    /// If the result is not one of the method.
    pub fn decode(method: Method, returned: &Return, limits: Limits) -> Result<Self, Error> {
        let mut decoder = Decoder::new(&returned.graph, limits);
        let id = match returned.outcome {
            Outcome::Exception(id) => {
                let exception =
                    decoder.exception(id)?.ok_or(Error::Value { what: "null in place of an exception" })?;
                return Ok(Reply::Exception(exception));
            }
            Outcome::Result(Argument::Void) => return Ok(Reply::Void),
            Outcome::Result(Argument::Boolean(truth)) => return Ok(Reply::Boolean(truth)),
            Outcome::Result(Argument::Object(id)) => id,
            Outcome::Result(Argument::Int(_) | Argument::Long(_)) | Outcome::PingAck => {
                return Err(Error::kind("the result of a method", "a number"));
            }
        };
        Ok(match method {
            Method::Lookup | Method::NewClient => Reply::Stub(Stub::read(&mut decoder, id)?),
            Method::Dirty => Reply::Lease(Lease::read(&mut decoder, id)?),
            Method::QueryNames => Reply::Names(decoder.set(id, |decoder, id| {
                decoder.name(id)?.ok_or(Error::Value { what: "null in a set of names" })
            })?),
            Method::QueryMBeans => Reply::Instances(decoder.set(id, |decoder, id| {
                decoder.instance(id)?.ok_or(Error::Value { what: "null in a set of MBeans" })
            })?),
            Method::GetMBeanInfo => Reply::Info(Box::new(decoder.info(id)?)),
            Method::AddNotificationListeners => {
                let numbers = decoder.items(id, &java::INTEGER_ARRAY, Decoder::integer)?;
                Reply::Listeners(numbers.ok_or(Error::Value { what: "null in place of listeners" })?)
            }
            Method::FetchNotifications => Reply::Notifications(decoder.notification_result(id)?),
            _ => Reply::Value(decoder.value(id)?),
        })
    }

    /// The answer to a call of an object that is not there.
    pub fn no_such_object() -> Self {
        Reply::Exception(Exception::new(&exceptions::NO_SUCH_OBJECT_EXCEPTION, "no such object in table"))
    }

    /// The answer to a lookup of a name that the registry does not have.
    pub fn not_bound(name: &str) -> Self {
        Reply::Exception(Exception::new(&exceptions::NOT_BOUND_EXCEPTION, name))
    }

    /// The answer to [`super::Request::ChangeRegistry`], as Java's own agent gives it.
    pub fn registry_is_fixed() -> Self {
        wrapped(Exception::new(&exceptions::ACCESS_EXCEPTION, "Cannot modify this registry"))
    }

    /// The answer to a call that cannot be read, as Java's servers give it: `ServerException` around `UnmarshalException`, but
    /// for [`Error::Argument`] the exception of the method.
    pub fn refusal(error: &Error) -> Self {
        let inner = match error {
            Error::Argument { what, callee } => return Reply::Exception(callee.exception(what)),
            Error::UnknownClass { name } => {
                Exception::new(&exceptions::CLASS_NOT_FOUND_EXCEPTION, name.clone())
            }
            Error::Method { .. } => {
                let text = "unrecognized method hash: method not supported by remote object";
                return wrapped(Exception::new(&exceptions::UNMARSHAL_EXCEPTION, text));
            }
            other => Exception::new(&exceptions::INVALID_CLASS_EXCEPTION, other.to_string()),
        };
        wrapped(
            Exception::new(&exceptions::UNMARSHAL_EXCEPTION, "error unmarshalling arguments")
                .caused_by(inner),
        )
    }
}

impl Callee {
    fn exception(self, what: &str) -> Exception {
        let illegal = || Exception::new(&exceptions::ILLEGAL_ARGUMENT_EXCEPTION, what);
        match self {
            Callee::MBeanServer => {
                Exception::new(&exceptions::RUNTIME_OPERATIONS_EXCEPTION, what).caused_by(illegal())
            }
            Callee::Connection => illegal(),
            Callee::Registry => Exception::new(&exceptions::NULL_POINTER_EXCEPTION, what),
        }
    }
}

fn wrapped(cause: Exception) -> Reply {
    let text = "RemoteException occurred in server thread";
    Reply::Exception(Exception::new(&exceptions::SERVER_EXCEPTION, text).caused_by(cause))
}
