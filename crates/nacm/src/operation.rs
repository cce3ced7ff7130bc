//! Who may use which operation (RFC 8341 section 3.4.4).

/// What somebody needs for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Nothing: `close-session` is always permitted.
    Nothing,
    /// A view to read.
    Read,
    /// A view to write that includes something.
    Write,
    /// The right to change the whole configuration: RFC 8341 leaves these operations to nobody by default.
    Everything,
}

/// Operations that need more than the right to read, or less, with their modules.
pub const OPERATIONS: [(&str, &str, Right); 14] = [
    ("ietf-netconf", "close-session", Right::Nothing),
    ("ietf-netconf", "kill-session", Right::Everything),
    ("ietf-netconf", "delete-config", Right::Everything),
    ("ietf-netconf", "edit-config", Right::Write),
    ("ietf-netconf", "copy-config", Right::Write),
    ("ietf-netconf", "lock", Right::Write),
    ("ietf-netconf", "unlock", Right::Write),
    ("ietf-netconf", "validate", Right::Write),
    ("ietf-netconf", "commit", Right::Write),
    ("ietf-netconf", "cancel-commit", Right::Write),
    ("ietf-netconf", "discard-changes", Right::Write),
    ("ietf-netconf-nmda", "edit-data", Right::Write),
    ("ietf-netconf-partial-lock", "partial-lock", Right::Write),
    ("ietf-netconf-partial-lock", "partial-unlock", Right::Write),
];

/// What an operation needs; those that are not listed only read.
#[must_use]
pub fn right_of(operation: &str) -> Right {
    let found = OPERATIONS.iter().find(|(_, name, _)| *name == operation);
    found.map_or(Right::Read, |(_, _, right)| *right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_that_change_something_need_a_right_to_write() {
        assert_eq!(right_of("get"), Right::Read);
        assert_eq!(right_of("create-subscription"), Right::Read);
        assert_eq!(right_of("no-operation"), Right::Read);
        assert_eq!(right_of("close-session"), Right::Nothing);
        assert_eq!(right_of("commit"), Right::Write);
        assert_eq!(right_of("kill-session"), Right::Everything);
        assert!(Right::Nothing < Right::Read && Right::Write < Right::Everything);
    }
}
