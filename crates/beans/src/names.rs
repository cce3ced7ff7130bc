//! The domain of MBeans, and the names of their classes.

/// The domain of all MBeans of the agent, and the default one.
pub const DOMAIN: &str = "trunkline";

/// The name of a class, which are those of the schema.
pub(crate) fn class(name: &str) -> String {
    format!("{DOMAIN}.{name}")
}
