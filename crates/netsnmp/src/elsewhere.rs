//! Subtrees for which snmpd has another agent or a program answer.

use trunkline_smi::Oid;

use crate::source::Directive;
use crate::{oids, session};

/// The subtree of a `proxy`, `pass` or `pass_persist`, unless it is in a context of its own.
pub fn subtree(directive: &Directive) -> Option<Oid> {
    if directive.section.as_ref() != "snmpd" {
        return None;
    }
    let words = directive.words();
    let oid = match directive.name.to_ascii_lowercase().as_str() {
        "proxy" => {
            let (session, rest) = session::parse(&words).ok()?;
            let own = session.local_context.unwrap_or_default();
            rest.get(1).filter(|_| own.is_empty()).cloned()
        }
        "pass" | "pass_persist" => {
            let at = if words.first().is_some_and(|word| word == "-p") { 2 } else { 0 };
            words.get(at).cloned()
        }
        _ => None,
    };
    oids::parse(&oid?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, words};

    #[test]
    fn subtrees_of_others_are_known() {
        let check = |line: &str| {
            let (name, rest) = words::first(line);
            let origin = Origin { file: "f".into(), line: 1 };
            let directive = Directive { origin, section: "snmpd".into(), name, rest: rest.to_string() };
            subtree(&directive).map(|oid| oid.to_string())
        };
        for (line, expected) in [
            ("proxy -v2c -c public 127.0.0.1:9 .1.3.6.1.4.1.9999 .1.3.6.1.2.1", Some("1.3.6.1.4.1.9999")),
            ("proxy -Cn ctx -v2c -c public 127.0.0.1 .1.3", None),
            ("pass -p 3 .1.3.6.1.4.1.9999.1 /bin/prog", Some("1.3.6.1.4.1.9999.1")),
            ("pass_persist enterprises.9999.2 /bin/prog", Some("1.3.6.1.4.1.9999.2")),
            ("extend a /bin/prog", None),
            ("proxy -v2c", None),
        ] {
            assert_eq!(check(line).as_deref(), expected, "{line}");
        }
    }
}
