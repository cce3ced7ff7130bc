//! The agent's credentials, from its configuration: certificates, keys and users with which it answers sessions of others and
//! opens its own.

pub mod logins;
pub mod secure;
pub mod users;
