//! The methods of JMX.

use trunkline_jmx::model::{
    Array, Attribute, Info, MarshalledObject, ObjectInstance, ObjectName, Query, Value,
};
use trunkline_jmx::remote::{Reply, Request};

use crate::error::Error;
use crate::session::JmxSession;

/// Errors of all methods: [`Error::Exception`] if the server answers with one, and those of the connection.
impl JmxSession {
    /// The value of an attribute.
    ///
    /// # Errors
    /// As all methods.
    pub async fn get_attribute(&self, name: &ObjectName, attribute: &str) -> Result<Value, Error> {
        let request = Request::GetAttribute { name: name.clone(), attribute: attribute.to_owned() };
        value(self.read(&request).await?, &request)
    }

    /// The values of attributes, in their order; those that the MBean does not have, or fails to read, are left out.
    ///
    /// # Errors
    /// As all methods.
    pub async fn get_attributes(
        &self,
        name: &ObjectName,
        attributes: &[String],
    ) -> Result<Vec<Attribute>, Error> {
        let request = Request::GetAttributes { name: name.clone(), attributes: attributes.to_vec() };
        match value(self.read(&request).await?, &request)? {
            Value::Attributes(attributes) => Ok(attributes),
            _ => Err(unexpected(&request)),
        }
    }

    /// Sets an attribute.
    ///
    /// # Errors
    /// As all methods.
    pub async fn set_attribute(&self, name: &ObjectName, attribute: Attribute) -> Result<(), Error> {
        let attribute = Some(MarshalledObject::new(&Value::Attribute(Box::new(attribute))));
        let request = Request::SetAttribute { name: name.clone(), attribute };
        match self.write(&request).await? {
            Reply::Void => Ok(()),
            _ => Err(unexpected(&request)),
        }
    }

    /// Sets attributes; returns those that were set, with their values.
    ///
    /// # Errors
    /// As all methods.
    pub async fn set_attributes(
        &self,
        name: &ObjectName,
        attributes: Vec<Attribute>,
    ) -> Result<Vec<Attribute>, Error> {
        let attributes = Some(MarshalledObject::new(&Value::Attributes(attributes)));
        let request = Request::SetAttributes { name: name.clone(), attributes };
        match value(self.write(&request).await?, &request)? {
            Value::Attributes(attributes) => Ok(attributes),
            _ => Err(unexpected(&request)),
        }
    }

    /// The names of the MBeans of a pattern, in order; without one of all. A query selects among them.
    ///
    /// # Errors
    /// As all methods.
    pub async fn query_names(
        &self,
        pattern: Option<&ObjectName>,
        query: Option<Query>,
    ) -> Result<Vec<ObjectName>, Error> {
        let request = Request::QueryNames { name: pattern.cloned(), query: marshalled(query) };
        match self.read(&request).await? {
            Reply::Names(mut names) => {
                names.sort_by_cached_key(ObjectName::canonical);
                Ok(names)
            }
            _ => Err(unexpected(&request)),
        }
    }

    /// The same with their classes.
    ///
    /// # Errors
    /// As all methods.
    pub async fn query_mbeans(
        &self,
        pattern: Option<&ObjectName>,
        query: Option<Query>,
    ) -> Result<Vec<ObjectInstance>, Error> {
        let request = Request::QueryMBeans { name: pattern.cloned(), query: marshalled(query) };
        match self.read(&request).await? {
            Reply::Instances(mut instances) => {
                instances.sort_by_cached_key(|instance| instance.name.canonical());
                Ok(instances)
            }
            _ => Err(unexpected(&request)),
        }
    }

    /// The description of an MBean.
    ///
    /// # Errors
    /// As all methods.
    pub async fn info(&self, name: &ObjectName) -> Result<Info, Error> {
        let request = Request::GetMBeanInfo(name.clone());
        match self.read(&request).await? {
            Reply::Info(info) => Ok(*info),
            _ => Err(unexpected(&request)),
        }
    }

    /// Calls an operation. The signature has the class of each parameter.
    ///
    /// # Errors
    /// As all methods.
    pub async fn invoke(
        &self,
        name: &ObjectName,
        operation: &str,
        parameters: Vec<Value>,
        signature: Vec<String>,
    ) -> Result<Value, Error> {
        let request = invocation(name, operation, parameters, signature);
        value(self.write(&request).await?, &request)
    }

    /// Calls an operation that is known to only read: the call may be repeated.
    pub(crate) async fn inquire(
        &self,
        name: &ObjectName,
        operation: &str,
        parameters: Vec<Value>,
        signature: &[&str],
    ) -> Result<Value, Error> {
        let signature = signature.iter().map(|class| (*class).to_owned()).collect();
        let request = invocation(name, operation, parameters, signature);
        value(self.read(&request).await?, &request)
    }

    /// Whether there is an MBean of this name.
    ///
    /// # Errors
    /// As all methods.
    pub async fn is_registered(&self, name: &ObjectName) -> Result<bool, Error> {
        let request = Request::IsRegistered(name.clone());
        match self.read(&request).await? {
            Reply::Boolean(is_registered) => Ok(is_registered),
            _ => Err(unexpected(&request)),
        }
    }

    /// Whether an MBean is of a class.
    ///
    /// # Errors
    /// As all methods.
    pub async fn is_instance_of(&self, name: &ObjectName, class: &str) -> Result<bool, Error> {
        let request = Request::IsInstanceOf { name: name.clone(), class: class.to_owned() };
        match self.read(&request).await? {
            Reply::Boolean(is_instance) => Ok(is_instance),
            _ => Err(unexpected(&request)),
        }
    }
}

fn invocation(name: &ObjectName, operation: &str, parameters: Vec<Value>, signature: Vec<String>) -> Request {
    Request::Invoke {
        name: name.clone(),
        operation: operation.to_owned(),
        parameters: Some(MarshalledObject::new(&Value::Array(Array::objects(parameters)))),
        signature: Some(signature),
    }
}

fn marshalled(query: Option<Query>) -> Option<MarshalledObject> {
    query.map(|query| MarshalledObject::new(&Value::Query(Box::new(query))))
}

fn value(reply: Reply, request: &Request) -> Result<Value, Error> {
    match reply {
        Reply::Value(value) => Ok(value),
        _ => Err(unexpected(request)),
    }
}

pub(crate) fn unexpected(request: &Request) -> Error {
    Error::Unexpected { method: request.method().name() }
}
