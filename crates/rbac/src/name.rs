//! Names of roles, users and devices: parts of the names of keys, of files, and of nodes of trunkline-keys.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// 1 to 32 letters, digits, `.`, `_` and `-`, of which the first is a letter, a digit or `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

impl Name {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let is_part = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'.' | b'_' | b'-');
        let begins = text.bytes().next().is_some_and(|first| !matches!(first, b'.' | b'-'));
        if begins && text.len() <= LONGEST && text.bytes().all(is_part) {
            return Ok(Name(text.to_owned()));
        }
        Err(Error::Name { found: text.chars().take(LONGEST * 2).collect() })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Characters of a name in trunkline-keys; of a role's also in trunkline-rbac and in the agent's configuration file, those of vacmGroupName.
const LONGEST: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_paths_and_of_keys() {
        for name in ["ann", "r-7.example_net", "_", "7", &"a".repeat(32)] {
            let name: Name = name.parse().unwrap();
            assert!(format!("operator/1/{name}").parse::<trunkline_xmlsec::KeyName>().is_ok(), "{name}");
        }
        for text in ["", ".", "..", ".hidden", "-x", "a/b", "a b", "\u{e9}", "a\n", &"a".repeat(33)] {
            assert!(text.parse::<Name>().is_err(), "{text:?}");
        }
    }
}
