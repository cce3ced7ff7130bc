//! `MBeanServerDelegate`: the MBean that every agent has. Clients listen to it, and read what the agent is.

use trunkline_jmx::model::{ObjectName, Value};

/// What the agent says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegate {
    /// The identifier of the agent.
    pub id: String,
    /// The version of the agent.
    pub version: String,
}

impl Delegate {
    /// The names of its attributes.
    pub const ATTRIBUTES: [&'static str; 7] = [
        "MBeanServerId",
        "SpecificationName",
        "SpecificationVersion",
        "SpecificationVendor",
        "ImplementationName",
        "ImplementationVersion",
        "ImplementationVendor",
    ];

    /// The value of an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<Value> {
        Some(Value::from(match name {
            "MBeanServerId" => self.id.as_str(),
            "SpecificationName" => "Java Management Extensions",
            "SpecificationVersion" => "1.4",
            "SpecificationVendor" => "Oracle Corporation",
            "ImplementationName" => "trunklined",
            "ImplementationVersion" => self.version.as_str(),
            "ImplementationVendor" => "Trunkline",
            _ => return None,
        }))
    }
}

/// Its class.
pub(crate) const CLASS: &str = "javax.management.MBeanServerDelegate";
/// Its domain.
pub(crate) const DOMAIN: &str = "JMImplementation";

/// Its name.
pub(crate) fn name() -> ObjectName {
    let name = ObjectName::new(DOMAIN, [("type", "MBeanServerDelegate")]);
    name.unwrap_or_else(|error| unreachable!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attribute_has_a_value() {
        let delegate = Delegate { id: "host_1".to_owned(), version: "0.1".to_owned() };
        for name in Delegate::ATTRIBUTES {
            assert!(
                matches!(delegate.attribute(name), Some(Value::String(text)) if !text.is_empty()),
                "{name}"
            );
        }
        assert_eq!(delegate.attribute("MBeanServerId"), Some("host_1".into()));
        assert_eq!(delegate.attribute("Other"), None);
        assert_eq!(name().to_text(), "JMImplementation:type=MBeanServerDelegate");
    }
}
