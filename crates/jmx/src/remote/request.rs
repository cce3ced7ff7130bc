//! A call of a client, as a value.

use std::fmt;

use super::Method;
use crate::jrmp::{Lease, ObjId, Vmid};
use crate::model::{MarshalledObject, ObjectName};

/// What a client requests. Subjects to which it would delegate are refused where they are not null.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// To change the registry: its arguments are not read. To be refused with `AccessException`.
    ChangeRegistry,
    /// The names in the registry.
    List,
    /// The stub with this name.
    Lookup(String),
    /// Objects are no longer used.
    Clean {
        /// Which.
        objects: Vec<ObjId>,
        /// Its number in the client's series.
        sequence: i64,
        /// By whom.
        client: Option<Vmid>,
        /// Whether an earlier `Dirty` may arrive late.
        strong: bool,
    },
    /// Objects are used.
    Dirty {
        /// Which.
        objects: Vec<ObjId>,
        /// Its number in the client's series.
        sequence: i64,
        /// For how long, and by whom.
        lease: Lease,
    },
    /// The version of the server.
    GetVersion,
    /// A connection.
    NewClient(Credentials),
    /// The name of the connection.
    GetConnectionId,
    /// The end of the connection.
    Close,
    /// A new MBean.
    CreateMBean(Creation),
    /// The end of an MBean.
    UnregisterMBean(ObjectName),
    /// An MBean with its class.
    GetObjectInstance(ObjectName),
    /// MBeans with their classes.
    QueryMBeans {
        /// Of this pattern; none is all.
        name: Option<ObjectName>,
        /// That a query selects.
        query: Option<MarshalledObject>,
    },
    /// Names of MBeans.
    QueryNames {
        /// Of this pattern; none is all.
        name: Option<ObjectName>,
        /// That a query selects.
        query: Option<MarshalledObject>,
    },
    /// Whether there is an MBean of this name.
    IsRegistered(ObjectName),
    /// How many MBeans there are.
    GetMBeanCount,
    /// The value of an attribute.
    GetAttribute {
        /// Of this MBean.
        name: ObjectName,
        /// Its name.
        attribute: String,
    },
    /// The values of attributes.
    GetAttributes {
        /// Of this MBean.
        name: ObjectName,
        /// Their names.
        attributes: Vec<String>,
    },
    /// A new value for an attribute.
    SetAttribute {
        /// Of this MBean.
        name: ObjectName,
        /// An `Attribute`.
        attribute: Option<MarshalledObject>,
    },
    /// New values for attributes.
    SetAttributes {
        /// Of this MBean.
        name: ObjectName,
        /// An `AttributeList`.
        attributes: Option<MarshalledObject>,
    },
    /// An operation.
    Invoke {
        /// Of this MBean.
        name: ObjectName,
        /// Its name.
        operation: String,
        /// `Object[]` of arguments.
        parameters: Option<MarshalledObject>,
        /// The classes of the parameters.
        signature: Option<Vec<String>>,
    },
    /// The domain of names without one.
    GetDefaultDomain,
    /// The domains that have MBeans.
    GetDomains,
    /// The description of an MBean.
    GetMBeanInfo(ObjectName),
    /// Whether an MBean is of a class.
    IsInstanceOf {
        /// The MBean.
        name: ObjectName,
        /// The name of the class.
        class: String,
    },
    /// An MBean that is to be notified by another.
    AddNotificationListener {
        /// The MBean that notifies.
        name: ObjectName,
        /// The MBean that is notified.
        listener: ObjectName,
        /// What it wants.
        filter: Option<MarshalledObject>,
        /// What it is given back.
        handback: Option<MarshalledObject>,
    },
    /// An MBean that is no longer to be notified by another.
    RemoveNotificationListener {
        /// The MBean that notifies.
        name: ObjectName,
        /// The MBean that was notified.
        listener: ObjectName,
        /// Only the entry with this filter and this handback; none is all entries.
        entry: Option<(Option<MarshalledObject>, Option<MarshalledObject>)>,
    },
    /// Listeners of the client.
    AddNotificationListeners {
        /// The MBeans that notify.
        names: Vec<ObjectName>,
        /// What each listener wants.
        filters: Vec<Option<MarshalledObject>>,
    },
    /// The end of listeners of the client.
    RemoveNotificationListeners {
        /// The MBean that notified.
        name: ObjectName,
        /// The numbers of the listeners.
        listeners: Vec<i32>,
    },
    /// Notifications for the client's listeners.
    FetchNotifications {
        /// From this number; negative: those to come.
        sequence: i64,
        /// So many at most.
        most: i32,
        /// For how long to wait if there are none, in milliseconds.
        timeout: i64,
    },
}

/// A new MBean.
#[derive(Clone, Debug, PartialEq)]
pub struct Creation {
    /// The name of its class.
    pub class: String,
    /// Its own name.
    pub name: Option<ObjectName>,
    /// By which loader; none within if it is the default one, none if the call does not say.
    pub loader: Option<Option<ObjectName>>,
    /// `Object[]` of arguments and the classes of the parameters, if the call has them.
    pub parameters: Option<(Option<MarshalledObject>, Option<Vec<String>>)>,
}

/// What a client proves itself with: user and password, or nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials(pub Option<Vec<String>>);

/// Without the secret, and without its length.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Credentials(..)" } else { "Credentials(none)" })
    }
}

impl Request {
    /// The method that is called.
    pub fn method(&self) -> Method {
        match self {
            Request::ChangeRegistry => Method::Bind,
            Request::List => Method::List,
            Request::Lookup(_) => Method::Lookup,
            Request::Clean { .. } => Method::Clean,
            Request::Dirty { .. } => Method::Dirty,
            Request::GetVersion => Method::GetVersion,
            Request::NewClient(_) => Method::NewClient,
            Request::GetConnectionId => Method::GetConnectionId,
            Request::Close => Method::Close,
            Request::CreateMBean(creation) => match (&creation.loader, &creation.parameters) {
                (None, None) => Method::CreateMBean,
                (Some(_), None) => Method::CreateMBeanWithLoader,
                (None, Some(_)) => Method::CreateMBeanWithParameters,
                (Some(_), Some(_)) => Method::CreateMBeanWithLoaderAndParameters,
            },
            Request::UnregisterMBean(_) => Method::UnregisterMBean,
            Request::GetObjectInstance(_) => Method::GetObjectInstance,
            Request::QueryMBeans { .. } => Method::QueryMBeans,
            Request::QueryNames { .. } => Method::QueryNames,
            Request::IsRegistered(_) => Method::IsRegistered,
            Request::GetMBeanCount => Method::GetMBeanCount,
            Request::GetAttribute { .. } => Method::GetAttribute,
            Request::GetAttributes { .. } => Method::GetAttributes,
            Request::SetAttribute { .. } => Method::SetAttribute,
            Request::SetAttributes { .. } => Method::SetAttributes,
            Request::Invoke { .. } => Method::Invoke,
            Request::GetDefaultDomain => Method::GetDefaultDomain,
            Request::GetDomains => Method::GetDomains,
            Request::GetMBeanInfo(_) => Method::GetMBeanInfo,
            Request::IsInstanceOf { .. } => Method::IsInstanceOf,
            Request::AddNotificationListener { .. } => Method::AddNotificationListener,
            Request::RemoveNotificationListener { entry: None, .. } => Method::RemoveNotificationListener,
            Request::RemoveNotificationListener { .. } => Method::RemoveNotificationListenerWithFilter,
            Request::AddNotificationListeners { .. } => Method::AddNotificationListeners,
            Request::RemoveNotificationListeners { .. } => Method::RemoveNotificationListeners,
            Request::FetchNotifications { .. } => Method::FetchNotifications,
        }
    }
}
