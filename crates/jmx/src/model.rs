//! What JMX speaks of: names, values, descriptions, queries, notifications and exceptions, and how they travel in a stream.

mod big;
mod evaluate;
mod exception;
mod glob;
mod info;
mod marshalled;
mod name;
mod notification;
mod open;
mod query;
mod read;
mod value;
mod work;
mod write;

pub use big::{BigDecimal, BigInteger};
pub use evaluate::Mbean;
pub use exception::Exception;
pub use glob::{Glob, TextPattern};
pub use info::{
    AttributeInfo, ConstructorInfo, Descriptor, Feature, Impact, Info, NotificationInfo, OpenLimits,
    OperationInfo, ParameterInfo,
};
pub use marshalled::MarshalledObject;
pub use name::{Matcher, NameError, ObjectName, quote, unquote};
pub use notification::{Detail, Filter, Monitored, Notification, NotificationResult, TargetedNotification};
pub use open::{ArrayType, CompositeType, Item, OpenType, SimpleType, TabularType};
pub use query::{Arithmetic, Operand, Query, Relation};
pub use read::Decoder;
pub use value::{Array, Attribute, CompositeData, ObjectInstance, TabularData, Texts, Value};
pub use work::Work;
pub use write::Encoder;
