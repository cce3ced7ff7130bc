//! A request from a call.

use super::{Creation, Credentials, Method, Request};
use crate::error::Error;
use crate::jrmp::{Argument, Call, Lease, ObjId, Vmid};
use crate::model::{Array, Decoder, MarshalledObject, ObjectName, Value};
use crate::stream::Limits;
use crate::stream::classes::{java, management};

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
            Method::Lookup => Request::Lookup(self.text()?),
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
                let names = self.items(&management::OBJECT_NAME_ARRAY, Decoder::name)?;
                let names = names.into_iter().collect::<Option<Vec<_>>>().ok_or(NAME)?;
                let filters = self.items(&java::MARSHALLED_OBJECT_ARRAY, Decoder::marshalled)?;
                let subjects = self.object()?;
                self.decoder
                    .items(subjects, &java::SUBJECT_ARRAY, |_, subject| no_subject(subject.is_none()))?;
                if names.len() != filters.len() {
                    return Err(Error::Value { what: "the number of filters" });
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
            Method::GetAttribute => Request::GetAttribute { name: self.name()?, attribute: self.text()? },
            Method::GetAttributes => {
                let name = self.name()?;
                let attributes =
                    self.strings()?.ok_or(Error::Value { what: "null in place of attributes" })?;
                Request::GetAttributes { name, attributes }
            }
            Method::SetAttribute => {
                Request::SetAttribute { name: self.name()?, attribute: self.marshalled()? }
            }
            Method::SetAttributes => {
                Request::SetAttributes { name: self.name()?, attributes: self.marshalled()? }
            }
            Method::Invoke => Request::Invoke {
                name: self.name()?,
                operation: self.text()?,
                parameters: self.marshalled()?,
                signature: self.strings()?,
            },
            Method::GetDefaultDomain => Request::GetDefaultDomain,
            Method::GetDomains => Request::GetDomains,
            Method::GetMBeanInfo => Request::GetMBeanInfo(self.name()?),
            Method::IsInstanceOf => Request::IsInstanceOf { name: self.name()?, class: self.text()? },
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
                name: self.name()?,
                listeners: self.items(&java::INTEGER_ARRAY, Decoder::integer)?,
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
            class: self.text()?,
            name: self.optional_name()?,
            loader: if with_loader { Some(self.optional_name()?) } else { None },
            parameters: if with_parameters { Some((self.marshalled()?, self.strings()?)) } else { None },
        })
    }

    fn object(&mut self) -> Result<Option<crate::stream::Id>, Error> {
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

    fn text(&mut self) -> Result<String, Error> {
        let id = self.object()?;
        self.decoder.text(id, "null in place of a text")
    }

    fn strings(&mut self) -> Result<Option<Vec<String>>, Error> {
        let id = self.object()?;
        self.decoder.strings(id)
    }

    fn optional_name(&mut self) -> Result<Option<ObjectName>, Error> {
        let id = self.object()?;
        self.decoder.name(id)
    }

    fn name(&mut self) -> Result<ObjectName, Error> {
        self.optional_name()?.ok_or(NAME)
    }

    fn marshalled(&mut self) -> Result<Option<MarshalledObject>, Error> {
        let id = self.object()?;
        self.decoder.marshalled(id)
    }

    fn items<T>(
        &mut self,
        class: &'static crate::stream::Class,
        read: impl FnMut(&mut Decoder<'c>, Option<crate::stream::Id>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let id = self.object()?;
        let items = self.decoder.items(id, class, read)?;
        items.ok_or(Error::Value { what: "null in place of an array" })
    }

    fn objects(&mut self) -> Result<Vec<ObjId>, Error> {
        self.items(&java::OBJ_ID_ARRAY, ObjId::read)
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

const NAME: Error = Error::Value { what: "null in place of an ObjectName" };
