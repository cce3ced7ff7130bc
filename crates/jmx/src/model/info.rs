//! What an MBean says of itself (`MBeanInfo`).

use super::{OpenType, Value};

/// Fields beside a description.
pub type Descriptor = Vec<(String, Value)>;

/// The description of an MBean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// The name of its class.
    pub class: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its attributes.
    pub attributes: Vec<AttributeInfo>,
    /// Its operations.
    pub operations: Vec<OperationInfo>,
    /// Its constructors.
    pub constructors: Vec<ConstructorInfo>,
    /// The notifications that it sends.
    pub notifications: Vec<NotificationInfo>,
    /// More about it.
    pub descriptor: Descriptor,
    /// Whether it is `OpenMBeanInfoSupport`.
    pub open: bool,
}

/// What all parts of a description have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feature {
    /// Its name.
    pub name: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// More about it.
    pub descriptor: Descriptor,
}

/// An attribute.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttributeInfo {
    /// Name and description.
    pub feature: Feature,
    /// The name of its class, as `Class.getName` has it.
    pub class: Option<String>,
    /// Whether it can be read.
    pub readable: bool,
    /// Whether it can be written.
    pub writable: bool,
    /// Whether its getter begins with `is`.
    pub is: bool,
    /// Its open type, if it is described by one.
    pub open: Option<Box<OpenLimits>>,
}

/// What open descriptions add.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLimits {
    /// The type.
    pub open_type: OpenType,
    /// The default value, or null.
    pub default: Value,
    /// The values that it may have, a set or null.
    pub legal: Value,
    /// The least value, or null.
    pub min: Value,
    /// The greatest value, or null.
    pub max: Value,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Impact {
    /// It reads.
    Info = 0,
    /// It writes.
    Action = 1,
    /// Both.
    ActionInfo = 2,
    /// It does not say.
    #[default]
    Unknown = 3,
}

/// An operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationInfo {
    /// Name and description.
    pub feature: Feature,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// The class of its result.
    pub class: Option<String>,
    /// What it does.
    pub impact: Impact,
    /// The open type of its result, if it is described by one.
    pub open: Option<OpenType>,
}

/// A constructor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstructorInfo {
    /// Name and description.
    pub feature: Feature,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// Whether it is `OpenMBeanConstructorInfoSupport`.
    pub open: bool,
}

/// A parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterInfo {
    /// Name and description.
    pub feature: Feature,
    /// The name of its class.
    pub class: Option<String>,
    /// Its open type, if it is described by one.
    pub open: Option<Box<OpenLimits>>,
}

/// Notifications of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotificationInfo {
    /// The class of the notifications, and what they are.
    pub feature: Feature,
    /// Their types.
    pub types: Vec<String>,
}

impl Feature {
    /// With a name and a description.
    pub fn new(name: &str, description: &str) -> Self {
        Feature {
            name: Some(name.to_owned()),
            description: Some(description.to_owned()),
            descriptor: Vec::new(),
        }
    }
}

impl OpenLimits {
    /// Only a type.
    pub fn of(open_type: OpenType) -> Self {
        OpenLimits { open_type, default: Value::Null, legal: Value::Null, min: Value::Null, max: Value::Null }
    }
}

impl From<i32> for Impact {
    fn from(number: i32) -> Self {
        match number {
            0 => Impact::Info,
            1 => Impact::Action,
            2 => Impact::ActionInfo,
            _ => Impact::Unknown,
        }
    }
}
