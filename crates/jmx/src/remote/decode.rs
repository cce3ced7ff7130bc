//! A request from a call.

use super::{Creation, Credentials, Method, Request};
use crate::error::{Callee, Error};
use crate::jrmp::{Argument, Call, Lease, ObjId, Vmid};
use crate::model::{Array, Decoder, MarshalledObject, ObjectName, Value};
use crate::stream::classes::{java, management};
use crate::stream::{Class, Id, Limits};

impl Request {
    /// The request that a call is.
    ///
    /// # Errors
    /// If an argument is not of the method, or a subject is not null.
    pub fn decode(call: &Call, limits: Limits) -> Result<Self, Error> {
        let unknown = Error::Method { operation: call.header.operation, hash: call.header.hash };
        let method = Method::find(call.header.operation, call.header.hash).ok_or(unknown)?;
        let decoder = Decoder::new(&call.graph, limits);
        let mut arguments = Arguments { decoder, rest: call.arguments.iter() };
        arguments.request(method)
    }
}

/// The arguments that are not read.
struct Arguments<'c> {
    decoder: Decoder<'c>,
    rest: std::slice::Iter<'c, Argument>,
}

const MISSING: Error = Error::Value { what: "the number of arguments" };

impl<'c> Arguments<'c> {
    fn request(&mut self, method: Method) -> Result<Request, Error> {
        Ok(match method {
            Method::Bind | Method::Rebind | Method::Unbind => Request::ChangeRegistry,
            Method::List => Request::List,
            Method::Lookup => Request::Lookup(self.text(null("the name is null", Callee::Registry))?),
            Method::Clean => Request::Clean {
                objects: self.objects()?,
                sequence: self.long()?,
                client: {
                    let id = self.object()?;
                    Vmid::read(&mut self.decoder, id)?
                },
                strong: matches!(self.rest.next(), Some(Argument::Boolean(true))),
            },
            Method::Dirty => Request::Dirty {
                objects: self.objects()?,
                sequence: self.long()?,
                lease: {
                    let id = self.object()?;
                    Lease::read(&mut self.decoder, id)?
                },
            },
            Method::GetVersion => Request::GetVersion,
            Method::NewClient => Request::NewClient(self.credentials()?),
            Method::GetConnectionId => Request::GetConnectionId,
            Method::Close => Request::Close,
            Method::FetchNotifications => Request::FetchNotifications {
                sequence: self.long()?,
                most: self.int()?,
                timeout: self.long()?,
            },
            Method::AddNotificationListeners => {
                let names = self.array(&management::OBJECT_NAME_ARRAY, Decoder::name, NULL_ARRAY)?;
                let filters = self.array(&java::MARSHALLED_OBJECT_ARRAY, Decoder::marshalled, NULL_ARRAY)?;
                let names = names.into_iter().collect::<Option<Vec<_>>>();
                let names = names.ok_or(null("an ObjectName is null", Callee::Connection))?;
                let subjects = self.object()?;
                self.decoder
                    .items(subjects, &java::SUBJECT_ARRAY, |_, subject| no_subject(subject.is_none()))?;
                if names.len() != filters.len() {
                    return Err(Error::Argument {
                        what: "there are not as many filters as names",
                        callee: Callee::Connection,
                    });
                }
                Request::AddNotificationListeners { names, filters }
            }
            other => {
                let request = self.of_connection(other)?;
                no_subject(self.object()?.is_none())?;
                request
            }
        })
    }

    /// The methods of a connection whose last argument is a subject.
    fn of_connection(&mut self, method: Method) -> Result<Request, Error> {
        Ok(match method {
            Method::CreateMBean
            | Method::CreateMBeanWithLoader
            | Method::CreateMBeanWithParameters
            | Method::CreateMBeanWithLoaderAndParameters => Request::CreateMBean(self.creation(method)?),
            Method::UnregisterMBean => Request::UnregisterMBean(self.name()?),
            Method::GetObjectInstance => Request::GetObjectInstance(self.name()?),
            Method::QueryMBeans => {
                Request::QueryMBeans { name: self.optional_name()?, query: self.marshalled()? }
            }
            Method::QueryNames => {
                Request::QueryNames { name: self.optional_name()?, query: self.marshalled()? }
            }
            Method::IsRegistered => Request::IsRegistered(self.name()?),
            Method::GetMBeanCount => Request::GetMBeanCount,
            Method::GetAttribute => Request::GetAttribute {
                name: self.name()?,
                attribute: self.text(null("the name of the attribute is null", Callee::MBeanServer))?,
            },
            Method::GetAttributes => {
                Request::GetAttributes { name: self.name()?, attributes: self.attributes()? }
            }
            Method::SetAttribute => {
                Request::SetAttribute { name: self.name()?, attribute: self.marshalled()? }
            }
            Method::SetAttributes => {
                Request::SetAttributes { name: self.name()?, attributes: self.marshalled()? }
            }
            Method::Invoke => Request::Invoke {
                name: self.name()?,
                operation: self.text(null("the name of the operation is null", Callee::MBeanServer))?,
                parameters: self.marshalled()?,
                signature: self.signature()?,
            },
            Method::GetDefaultDomain => Request::GetDefaultDomain,
            Method::GetDomains => Request::GetDomains,
            Method::GetMBeanInfo => Request::GetMBeanInfo(self.name()?),
            Method::IsInstanceOf => Request::IsInstanceOf {
                name: self.name()?,
                class: {
                    let id = self.object()?;
                    self.decoder.string(id)?.unwrap_or_else(no_class)
                },
            },
            Method::AddNotificationListener => Request::AddNotificationListener {
                name: self.name()?,
                listener: self.name()?,
                filter: self.marshalled()?,
                handback: self.marshalled()?,
            },
            Method::RemoveNotificationListener => Request::RemoveNotificationListener {
                name: self.name()?,
                listener: self.name()?,
                entry: None,
            },
            Method::RemoveNotificationListenerWithFilter => Request::RemoveNotificationListener {
                name: self.name()?,
                listener: self.name()?,
                entry: Some((self.marshalled()?, self.marshalled()?)),
            },
            Method::RemoveNotificationListeners => Request::RemoveNotificationListeners {
                name: self.optional_name()?.ok_or(null("the ObjectName is null", Callee::Connection))?,
                listeners: {
                    let listener = |decoder: &mut Decoder<'c>, id: Option<Id>| match id {
                        None => Err(null("the number of a listener is null", Callee::Connection)),
                        some => decoder.integer(some),
                    };
                    self.array(&java::INTEGER_ARRAY, listener, NULL_ARRAY)?
                },
            },
            other => {
                let (operation, hash) = other.number();
                return Err(Error::Method { operation, hash });
            }
        })
    }

    fn creation(&mut self, method: Method) -> Result<Creation, Error> {
        let with_loader =
            matches!(method, Method::CreateMBeanWithLoader | Method::CreateMBeanWithLoaderAndParameters);
        let with_parameters =
            matches!(method, Method::CreateMBeanWithParameters | Method::CreateMBeanWithLoaderAndParameters);
        Ok(Creation {
            class: self.text(null("the name of the class is null", Callee::MBeanServer))?,
            name: self.optional_name()?,
            loader: if with_loader { Some(self.optional_name()?) } else { None },
            parameters: if with_parameters { Some((self.marshalled()?, self.signature()?)) } else { None },
        })
    }

    fn object(&mut self) -> Result<Option<Id>, Error> {
        match self.rest.next() {
            Some(Argument::Object(id)) => Ok(*id),
            _ => Err(MISSING),
        }
    }

    fn long(&mut self) -> Result<i64, Error> {
        match self.rest.next() {
            Some(Argument::Long(value)) => Ok(*value),
            _ => Err(MISSING),
        }
    }

    fn int(&mut self) -> Result<i32, Error> {
        match self.rest.next() {
            Some(Argument::Int(value)) => Ok(*value),
            _ => Err(MISSING),
        }
    }

    fn text(&mut self, null: Error) -> Result<String, Error> {
        let id = self.object()?;
        self.decoder.string(id)?.ok_or(null)
    }

    fn texts_or_null(&mut self) -> Result<Option<Vec<Option<String>>>, Error> {
        let id = self.object()?;
        self.decoder.items(id, &java::STRING_ARRAY, Decoder::string)
    }

    /// The names of attributes. Those that the MBean does not have are left out, and no attribute is called null.
    fn attributes(&mut self) -> Result<Vec<String>, Error> {
        let names = self.texts_or_null()?;
        let names = names.ok_or(null("the names of the attributes are null", Callee::MBeanServer))?;
        Ok(names.into_iter().flatten().collect())
    }

    /// The classes of parameters.
    fn signature(&mut self) -> Result<Option<Vec<String>>, Error> {
        let classes = self.texts_or_null()?;
        Ok(classes.map(|classes| classes.into_iter().map(|class| class.unwrap_or_else(no_class)).collect()))
    }

    fn optional_name(&mut self) -> Result<Option<ObjectName>, Error> {
        let id = self.object()?;
        self.decoder.name(id)
    }

    fn name(&mut self) -> Result<ObjectName, Error> {
        self.optional_name()?.ok_or(null("the ObjectName is null", Callee::MBeanServer))
    }

    fn marshalled(&mut self) -> Result<Option<MarshalledObject>, Error> {
        let id = self.object()?;
        self.decoder.marshalled(id)
    }

    fn array<T>(
        &mut self,
        class: &'static Class,
        read: impl FnMut(&mut Decoder<'c>, Option<Id>) -> Result<T, Error>,
        null: Error,
    ) -> Result<Vec<T>, Error> {
        let id = self.object()?;
        self.decoder.items(id, class, read)?.ok_or(null)
    }

    fn objects(&mut self) -> Result<Vec<ObjId>, Error> {
        self.array(&java::OBJ_ID_ARRAY, ObjId::read, Error::Value { what: "null in place of an array" })
    }

    /// null, or texts. Java's own server takes no other either (`jmx.remote.rmi.server.credentials.filter.pattern`).
    fn credentials(&mut self) -> Result<Credentials, Error> {
        let id = self.object()?;
        match self.decoder.value(id)? {
            Value::Null => Ok(Credentials(None)),
            Value::Array(Array::Strings(texts)) => Ok(Credentials(Some(texts))),
            other => Err(Error::kind("credentials of type String[]", other.class_name())),
        }
    }
}

fn no_subject(null: bool) -> Result<(), Error> {
    if null { Ok(()) } else { Err(Error::Value { what: "a subject to delegate to" }) }
}

/// What a method of Java ends in that is called with null.
const fn null(what: &'static str, callee: Callee) -> Error {
    Error::Argument { what, callee }
}

/// The name that stands for null where a class is named: no class has it.
fn no_class() -> String {
    String::new()
}

const NULL_ARRAY: Error = null("an array is null", Callee::Connection);
