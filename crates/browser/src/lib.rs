//! The web page through which people look after a machine, without I/O. The front of HTTP stores its [`Sessions`] and applies
//! [`forgery`]; a door serves [`files`], [`schema`] and, for readers without scripts, [`plain`]. Data comes by RESTCONF; [`object`] is
//! what the page sets of it that RESTCONF has as state.
//!
//! It knows neither the agent nor where it is served: all links of the page are relative.

pub mod choice;
pub mod cookie;
pub mod field;
pub mod files;
pub mod forgery;
pub mod form;
pub mod happening;
pub mod object;
pub mod plain;
pub mod row;
pub mod schema;
mod sessions;
pub mod setting;

pub use sessions::{Found, Mark, SessionId, Sessions, Use};
