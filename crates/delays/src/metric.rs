//! The name of a monitoring delay metric (EMANICS D7.1, section 6): which attribute, which delay, by which operation, between
//! whom, and how many objects the operation carries.
//!
//! ```text
//! FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1
//! ATTRIBUTE "-" ( "AttributeDelay" | "GroupDelay" ) "-" OPERATION "-" FROM "-" TO "-" COUNT
//! ```
//!
//! The grammar follows from the deliverable's one example. A name is read from its end, so that an attribute may have hyphens
//! (`IF-MIB::ifInOctets.1`); the other parts may not.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A delay metric.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Metric {
    attribute: String,
    which: MetricType,
    operation: String,
    from: String,
    to: String,
    objects: u32,
}

/// Which delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetricType {
    /// Of one attribute of one agent: one way for a notification, the round trip for polling.
    AttributeDelay,
    /// Of one attribute of a group: the maximum of a parallel round, the sum of a serial one.
    GroupDelay,
}

/// Why a text is not the name of a metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetricError {
    /// It has too few parts.
    #[error("`{found}` has {parts} parts: expected {GRAMMAR}")]
    Parts {
        /// The text.
        found: String,
        /// How many parts it has.
        parts: usize,
    },
    /// The second part is neither type.
    #[error("`{found}` is not a type of delay: expected AttributeDelay or GroupDelay, in {GRAMMAR}")]
    Type {
        /// What stands there.
        found: String,
    },
    /// A part is empty, too long, or has characters that a name has not.
    #[error("the {part} `{found}` of a metric: expected {expected}")]
    Part {
        /// Which one.
        part: &'static str,
        /// What it is.
        found: String,
        /// What it may be.
        expected: &'static str,
    },
}

impl Metric {
    /// A metric of these parts.
    ///
    /// # Errors
    /// A part is empty, too long, or has characters that would not be read back; the number of objects is 0.
    pub fn new(
        attribute: &str,
        which: MetricType,
        operation: &str,
        [from, to]: [&str; 2],
        objects: u32,
    ) -> Result<Self, MetricError> {
        let text = |part: &'static str, found: &str, hyphens: bool| {
            let fits = |letter: char| letter.is_ascii_graphic() && (hyphens || letter != '-');
            if found.is_empty() || found.len() > MOST_LETTERS || !found.chars().all(fits) {
                let expected = if hyphens { WITH_HYPHENS } else { WITHOUT_HYPHENS };
                return Err(MetricError::Part { part, found: found.to_owned(), expected });
            }
            Ok(found.to_owned())
        };
        let metric = Metric {
            attribute: text("attribute", attribute, true)?,
            which,
            operation: text("operation", operation, false)?,
            from: text("sender", from, false)?,
            to: text("receiver", to, false)?,
            objects,
        };
        if objects == 0 {
            return Err(MetricError::Part { part: COUNT, found: "0".into(), expected: A_NUMBER });
        }
        Ok(metric)
    }

    /// The attribute.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }

    /// Which delay.
    pub const fn which(&self) -> MetricType {
        self.which
    }

    /// The management operation.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Between whom: the one who asks or sends first.
    pub fn between(&self) -> [&str; 2] {
        [&self.from, &self.to]
    }

    /// How many objects the operation carries, at least 1.
    pub const fn objects(&self) -> u32 {
        self.objects
    }
}

impl fmt::Display for MetricType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            MetricType::AttributeDelay => "AttributeDelay",
            MetricType::GroupDelay => "GroupDelay",
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Metric { attribute, which, operation, from, to, objects } = self;
        write!(out, "{attribute}-{which}-{operation}-{from}-{to}-{objects}")
    }
}

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self, MetricError> {
        let parts: Vec<&str> = text.rsplitn(6, '-').collect();
        let [objects, to, from, operation, which, attribute] = parts[..] else {
            return Err(MetricError::Parts { found: text.to_owned(), parts: parts.len() });
        };
        let which = match which {
            "AttributeDelay" => MetricType::AttributeDelay,
            "GroupDelay" => MetricType::GroupDelay,
            other => return Err(MetricError::Type { found: other.to_owned() }),
        };
        let number = objects.parse().ok().filter(|number: &u32| number.to_string() == objects);
        let count = MetricError::Part { part: COUNT, found: objects.to_owned(), expected: A_NUMBER };
        Metric::new(attribute, which, operation, [from, to], number.ok_or(count)?)
    }
}

impl TryFrom<String> for Metric {
    type Error = MetricError;

    fn try_from(text: String) -> Result<Self, MetricError> {
        text.parse()
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> String {
        metric.to_string()
    }
}

/// As errors show it.
const GRAMMAR: &str = "ATTRIBUTE-AttributeDelay-OPERATION-FROM-TO-COUNT, as in FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1";
const MOST_LETTERS: usize = 100;
const WITH_HYPHENS: &str = "1 to 100 visible characters of ASCII";
const WITHOUT_HYPHENS: &str = "1 to 100 visible characters of ASCII without hyphens";
const COUNT: &str = "number of objects";
const A_NUMBER: &str = "1 to 4294967295";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_the_deliverable() {
        let text = "FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1";
        let metric: Metric = text.parse().unwrap();
        assert_eq!(metric.attribute(), "FreeMemory");
        assert_eq!((metric.which(), metric.objects()), (MetricType::AttributeDelay, 1));
        assert_eq!((metric.operation(), metric.between()), ("GetAttribute", ["Manager", "Agent"]));
        assert_eq!(metric.to_string(), text);
        let hyphens: Metric = "IF-MIB::ifInOctets.1-GroupDelay-Get-Manager-Agents700-22".parse().unwrap();
        assert_eq!((hyphens.attribute(), hyphens.objects()), ("IF-MIB::ifInOctets.1", 22));
        assert_eq!(serde_json::to_string(&metric).unwrap(), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Metric>(&format!("\"{text}\"")).unwrap(), metric);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| text.parse::<Metric>().unwrap_err();
        assert!(matches!(error("FreeMemory-AttributeDelay"), MetricError::Parts { parts: 2, .. }));
        assert!(error("").to_string().contains("FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1"));
        assert!(matches!(error("A-Delay-Get-M-A-1"), MetricError::Type { found } if found == "Delay"));
        for (text, which) in [
            ("-AttributeDelay-Get-M-A-1", "attribute"),
            ("A-AttributeDelay--M-A-1", "operation"),
            ("A-AttributeDelay-Get-M M-A-1", "sender"),
            ("A-AttributeDelay-Get-M-\u{e9}-1", "receiver"),
            ("A-AttributeDelay-Get-M-A-0", COUNT),
            ("A-AttributeDelay-Get-M-A-01", COUNT),
            ("A-AttributeDelay-Get-M-A-x", COUNT),
            ("A-AttributeDelay-Get-M-A-4294967296", COUNT),
        ] {
            assert!(matches!(error(text), MetricError::Part { part, .. } if part == which), "{text}");
        }
        let long = "a".repeat(MOST_LETTERS + 1);
        assert!(Metric::new(&long, MetricType::GroupDelay, "Get", ["M", "A"], 1).is_err());
        assert!(Metric::new("A", MetricType::GroupDelay, "G-et", ["M", "A"], 1).is_err());
    }

    proptest! {
        #[test]
        fn a_name_is_read_as_it_was_written(
            attribute in "[!-~]{1,40}", operation in "[!-,.-~]{1,20}", from in "[!-,.-~]{1,20}", to in "[!-,.-~]{1,20}",
            objects in 1..=u32::MAX, group: bool
        ) {
            let which = if group { MetricType::GroupDelay } else { MetricType::AttributeDelay };
            let metric = Metric::new(&attribute, which, &operation, [&from, &to], objects).unwrap();
            prop_assert_eq!(metric.to_string().parse::<Metric>().unwrap(), metric);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,80}") {
            if let Ok(metric) = text.parse::<Metric>() {
                prop_assert_eq!(metric.to_string(), text);
            }
        }
    }
}
