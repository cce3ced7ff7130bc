//! Names of agents and managers: each is a common name in a certificate and a file's name.

use std::fmt;

use crate::Error;

/// A name that can be a common name (at most 64 octets, RFC 5280 appendix A.1) and the name of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

impl Name {
    /// The most octets of a common name: ub-common-name.
    pub const MAX_OCTETS: usize = 64;
    /// The most octets of a name that a session can be accounted to: a longer common name is mapped to no
    /// principal (tmSecurityName, RFC 6353 section 5.3.1).
    pub const MAX_PRINCIPAL_OCTETS: usize = 32;

    /// Checks a name.
    ///
    /// # Errors
    /// [`Error::Name`]: empty, too long, a path, hidden, like an option, or with white space at an end,
    /// control characters or a wildcard.
    pub fn new(name: &str) -> Result<Self, Error> {
        let reason = if name.is_empty() {
            "it is empty"
        } else if name.len() > Self::MAX_OCTETS {
            "it has more than 64 octets"
        } else if name.contains('/') {
            "it has a slash"
        } else if name.starts_with('.') {
            "it begins with a dot"
        } else if name.starts_with('-') {
            "it begins with a hyphen"
        } else if name.trim() != name {
            "it begins or ends with white space"
        } else if name.chars().any(char::is_control) {
            "it has a control character"
        } else if name.contains('*') {
            "it has a wildcard"
        } else {
            return Ok(Name(name.to_owned()));
        };
        Err(Error::Name { name: name.escape_debug().to_string(), reason })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a session can be accounted to the name itself.
    pub fn is_principal(&self) -> bool {
        self.0.len() <= Self::MAX_PRINCIPAL_OCTETS
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text is a host's name: labels of letters, digits and hyphens, at most 253 octets; the first
/// label may be a `*` where `wildcard` allows it (RFC 6125 section 6.4.3).
pub(crate) fn is_host_name(text: &str, wildcard: bool) -> bool {
    let labels = text.strip_prefix("*.").filter(|_| wildcard).unwrap_or(text);
    let sound = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|octet| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_'))
    };
    text.len() <= 253 && labels.split('.').all(sound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_wrong_are_refused_with_the_reason() {
        let long = "x".repeat(65);
        let cases = [
            ("", "empty"),
            (long.as_str(), "64"),
            ("a/b", "slash"),
            ("../ca", "slash"),
            ("..", "dot"),
            (".hidden", "dot"),
            ("-f", "hyphen"),
            (" ann", "white space"),
            ("a\nb", "control"),
            ("a\0b", "control"),
            ("*.example.org", "wildcard"),
        ];
        for (name, reason) in cases {
            let fault = Name::new(name).unwrap_err().to_string();
            assert!(fault.contains(reason), "{name:?}: {fault}");
            assert!(!fault.contains('\n') && !fault.contains('\0'), "{fault:?}");
        }
    }

    #[test]
    fn names_that_are_right() {
        for name in
            ["localhost", "router-1.example.org", "ann", "ann@example.org", "192.0.2.1", "::1", "Jörg"]
        {
            assert_eq!(Name::new(name).unwrap().as_str(), name);
        }
        assert!(Name::new(&"x".repeat(64)).is_ok_and(|name| !name.is_principal()));
        assert!(Name::new(&"x".repeat(32)).is_ok_and(|name| name.is_principal()));
    }

    #[test]
    fn host_names() {
        assert!(is_host_name("a.b-c.d1", false) && is_host_name("*.example.org", true));
        for wrong in ["", "a..b", "-a", "a b", "ann@example.org", "*.example.org", "Jörg", "a."] {
            assert!(!is_host_name(wrong, false), "{wrong}");
        }
        assert!(!is_host_name("a.*.b", true));
    }
}
