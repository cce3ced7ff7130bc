//! The methods of `RMIServer` and `RMIConnection`, of the registry and of leases: a [`Request`] from a call and to one, a
//! [`Reply`] from a return and to one.

mod decode;
mod encode;
mod method;
mod reply;
mod request;

pub use method::Method;
pub use reply::Reply;
pub use request::{Creation, Credentials, Request};
