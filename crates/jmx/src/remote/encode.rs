//! A call from a request.

use super::{Creation, Request};
use crate::jrmp::{Client, Header, ObjId, Vmid};
use crate::model::{Array, Encoder, MarshalledObject, Value};
use crate::stream::classes::{java, management};

impl Request {
    /// Writes the request as a call of an object. What changes the registry has no arguments, and servers refuse it.
    pub fn encode(&self, client: &mut Client, object: ObjId, out: &mut Vec<u8>) {
        let method = self.method();
        let (operation, hash) = method.number();
        let header = Header { object, operation, hash };
        client.call(out, header, method.signature().result, |encoder| self.arguments(encoder));
    }

    fn arguments(&self, encoder: &mut Encoder<'_, '_>) {
        match self {
            Request::ChangeRegistry
            | Request::List
            | Request::GetVersion
            | Request::GetConnectionId
            | Request::Close => {}
            Request::Lookup(name) => encoder.writer.text(name),
            Request::Clean { objects, sequence, client, strong } => {
                encoder.items(&java::OBJ_ID_ARRAY, objects, |encoder, object| object.write(encoder));
                encoder.writer.block(&sequence.to_be_bytes());
                Vmid::write(client.as_ref(), encoder);
                encoder.writer.block(&[u8::from(*strong)]);
            }
            Request::Dirty { objects, sequence, lease } => {
                encoder.items(&java::OBJ_ID_ARRAY, objects, |encoder, object| object.write(encoder));
                encoder.writer.block(&sequence.to_be_bytes());
                lease.write(encoder);
            }
            Request::NewClient(credentials) => encoder.value(&match &credentials.0 {
                None => Value::Null,
                Some(texts) => Value::Array(Array::Strings(texts.clone())),
            }),
            Request::FetchNotifications { sequence, most, timeout } => {
                encoder.writer.block(&sequence.to_be_bytes());
                encoder.writer.block(&most.to_be_bytes());
                encoder.writer.block(&timeout.to_be_bytes());
            }
            Request::AddNotificationListeners { names, filters } => {
                encoder.items(&management::OBJECT_NAME_ARRAY, names, |encoder, name| encoder.name(name));
                encoder.items(&java::MARSHALLED_OBJECT_ARRAY, filters, |encoder, filter| {
                    marshalled(encoder, filter.as_ref());
                });
                encoder.items(&java::SUBJECT_ARRAY, names, |encoder, _| encoder.writer.null());
            }
            of_connection => {
                of_connection.connection_arguments(encoder);
                // No subject to delegate to.
                encoder.writer.null();
            }
        }
    }

    /// The arguments before a subject.
    fn connection_arguments(&self, encoder: &mut Encoder<'_, '_>) {
        match self {
            Request::CreateMBean(creation) => create(encoder, creation),
            Request::UnregisterMBean(name)
            | Request::GetObjectInstance(name)
            | Request::IsRegistered(name)
            | Request::GetMBeanInfo(name) => encoder.name(name),
            Request::QueryMBeans { name, query } | Request::QueryNames { name, query } => {
                encoder.optional_name(name.as_ref());
                marshalled(encoder, query.as_ref());
            }
            Request::GetAttribute { name, attribute: text } | Request::IsInstanceOf { name, class: text } => {
                encoder.name(name);
                encoder.writer.text(text);
            }
            Request::GetAttributes { name, attributes } => {
                encoder.name(name);
                encoder.strings(attributes);
            }
            Request::SetAttribute { name, attribute: value }
            | Request::SetAttributes { name, attributes: value } => {
                encoder.name(name);
                marshalled(encoder, value.as_ref());
            }
            Request::Invoke { name, operation, parameters, signature } => {
                encoder.name(name);
                encoder.writer.text(operation);
                marshalled(encoder, parameters.as_ref());
                strings(encoder, signature.as_deref());
            }
            Request::AddNotificationListener { name, listener, filter, handback } => {
                encoder.name(name);
                encoder.name(listener);
                marshalled(encoder, filter.as_ref());
                marshalled(encoder, handback.as_ref());
            }
            Request::RemoveNotificationListener { name, listener, entry } => {
                encoder.name(name);
                encoder.name(listener);
                if let Some((filter, handback)) = entry {
                    marshalled(encoder, filter.as_ref());
                    marshalled(encoder, handback.as_ref());
                }
            }
            Request::RemoveNotificationListeners { name, listeners } => {
                encoder.name(name);
                encoder.items(&java::INTEGER_ARRAY, listeners, |encoder, listener| {
                    encoder.value(&Value::Integer(*listener));
                });
            }
            _ => {}
        }
    }
}

fn create(encoder: &mut Encoder<'_, '_>, creation: &Creation) {
    encoder.writer.text(&creation.class);
    encoder.optional_name(creation.name.as_ref());
    if let Some(loader) = &creation.loader {
        encoder.optional_name(loader.as_ref());
    }
    if let Some((parameters, signature)) = &creation.parameters {
        marshalled(encoder, parameters.as_ref());
        strings(encoder, signature.as_deref());
    }
}

fn marshalled(encoder: &mut Encoder<'_, '_>, object: Option<&MarshalledObject>) {
    match object {
        Some(object) => encoder.marshalled(object),
        None => encoder.writer.null(),
    }
}

fn strings(encoder: &mut Encoder<'_, '_>, texts: Option<&[String]>) {
    match texts {
        Some(texts) => encoder.strings(texts),
        None => encoder.writer.null(),
    }
}
