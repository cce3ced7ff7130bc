//! Requests for MBeans: their client, what it may do, and which MBeans there are.

use std::sync::Arc;
use std::time::Instant;

use trunkline_beans::{Bean, Catalog};
use trunkline_core::{Made, Settings};
use trunkline_jmx::model::{Array, Exception, ObjectInstance, ObjectName, Value};
use trunkline_jmx::remote::{Reply, Request};
use trunkline_tree::policy::ViewType;
use trunkline_tree::{Access, Coverage};

use crate::connection::Connection;
use crate::door::Connector;
use crate::refusal;

/// One request.
pub(crate) struct Ask<'a> {
    pub door: &'a Connector,
    pub connection: &'a Connection,
    pub settings: Arc<Settings>,
    /// What the client may do.
    pub access: Arc<Access>,
    pub catalog: Arc<Made<Catalog>>,
    /// When the request arrived.
    pub arrived: Instant,
}

impl<'a> Ask<'a> {
    /// A request of a client.
    ///
    /// # Errors
    /// It may read nothing any more.
    pub fn new(door: &'a Connector, connection: &'a Connection) -> Result<Self, Exception> {
        let settings = door.core.settings();
        let access = door.core.access_of(&settings, &connection.principal, b"", ViewType::Read);
        let access = access.map_err(|_| refusal::access("this principal may read nothing here"))?;
        let catalog = door.catalog(&settings);
        Ok(Ask { door, connection, settings, access, catalog, arrived: Instant::now() })
    }

    /// Its answer.
    ///
    /// # Errors
    /// The exception in which it ends.
    pub async fn answer(&self, request: Request) -> Result<Reply, Exception> {
        Ok(match request {
            Request::QueryNames { name, query } => {
                Reply::Names(self.query(name, query).await?.into_iter().map(|(name, _)| name).collect())
            }
            Request::QueryMBeans { name, query } => {
                let instance = |(name, class)| ObjectInstance { name, class: Some(class) };
                Reply::Instances(self.query(name, query).await?.into_iter().map(instance).collect())
            }
            Request::GetMBeanCount => Reply::Value(Value::Integer(self.count().await?)),
            Request::GetDefaultDomain => Reply::Value(trunkline_beans::DOMAIN.into()),
            Request::GetDomains => {
                let domains = ["JMImplementation", trunkline_beans::DOMAIN].map(str::to_owned).to_vec();
                Reply::Value(Value::Array(Array::Strings(domains)))
            }
            Request::IsRegistered(name) => Reply::Boolean(match self.catalog.resolve(&name) {
                Some(bean) => self.is_there(&bean).await?,
                None => false,
            }),
            Request::GetObjectInstance(name) => {
                let class = self.bean(&name).await?.class_name();
                Reply::Value(Value::Instance(ObjectInstance { name, class: Some(class) }))
            }
            Request::IsInstanceOf { name, class } => {
                Reply::Boolean(self.bean(&name).await?.is_instance_of(&class))
            }
            Request::GetMBeanInfo(name) => {
                let may_write = |object: &[u32]| self.access.may_write_below(object) != Coverage::None;
                Reply::Info(Box::new(self.bean(&name).await?.info(&may_write)))
            }
            Request::GetAttribute { name, attribute } => {
                Reply::Value(self.attribute(&name, &attribute).await?)
            }
            Request::GetAttributes { name, attributes } => {
                Reply::Value(Value::Attributes(self.attributes(&name, attributes).await?))
            }
            Request::SetAttribute { name, attribute } => {
                self.set_attribute(&name, attribute).await?;
                Reply::Void
            }
            Request::SetAttributes { name, attributes } => {
                Reply::Value(Value::Attributes(self.set_attributes(&name, attributes).await?))
            }
            Request::Invoke { name, operation, parameters, signature } => {
                Reply::Value(self.invoke(&name, &operation, parameters, signature.as_deref()).await?)
            }
            Request::CreateMBean(_) | Request::UnregisterMBean(_) => {
                return Err(refusal::unsupported("MBeans of this agent are made of what it serves"));
            }
            Request::AddNotificationListener { .. } | Request::RemoveNotificationListener { .. } => {
                return Err(refusal::unsupported("MBeans of this agent do not listen to others"));
            }
            _ => return Ok(Reply::no_such_object()),
        })
    }

    /// The MBean of a name, which is there.
    pub async fn bean(&self, name: &ObjectName) -> Result<Bean<'_>, Exception> {
        let bean = self.catalog.resolve(name).ok_or_else(|| refusal::no_instance(name))?;
        match self.is_there(&bean).await? {
            true => Ok(bean),
            false => Err(refusal::no_instance(name)),
        }
    }

    /// Whether an MBean is there, and the client may read something of it.
    pub async fn is_there(&self, bean: &Bean<'_>) -> Result<bool, Exception> {
        let may_read = |object: &[u32]| self.access.may_read_below(object) != Coverage::None;
        Ok(match bean {
            Bean::Delegate | Bean::Notifications => true,
            Bean::Group(group) => {
                group.attributes.iter().any(|attribute| attribute.oid(None).is_some_and(|oid| may_read(&oid)))
            }
            Bean::Table(table) => may_read(table.table.oid),
            Bean::Row(table, index) => self.has_row(table, index).await?,
        })
    }
}
