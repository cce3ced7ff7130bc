//! MBeans made of the schema of what the agent serves, without I/O: which there are, their names both ways, what they say of
//! themselves, and values as Java has them. Nothing is registered: a name is resolved when somebody uses it.

mod array;
mod catalog;
mod changes;
mod delegate;
mod describe;
mod names;
mod notification;
mod rows;
mod seen;
mod text;
mod value;

pub use array::{ABSENT_FLOAT, ABSENT_INTEGER, ABSENT_LONG, ColumnArray, cells_of};
pub use catalog::{Attribute, Bean, Catalog, Group, Match, Source, TableBean};
pub use changes::AttributeChange;
pub use delegate::Delegate;
pub use describe::{ROW_COUNT, ROWS};
pub use names::DOMAIN;
pub use notification::{Emitted, Happened};
pub use rows::{RowsCall, WrongCall};
pub use seen::{Seen, attributes_of};
pub use value::{JavaType, WrongValue, from_java, to_java};
