//! What a configuration must fulfil beside the types of its leaves (RFC 7950 section 8.1).

/// A constraint of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// `must`: an expression, evaluated at each instance, and what it says to people (section 7.5.3).
    Must(&'static str, &'static str),
    /// `leafref`: the value is one of the leaf that these names lead to, from the root on (section 9.9).
    Reference(&'static [&'static str]),
    /// The same of a leaf that is in another root.
    Elsewhere(&'static [&'static str]),
    /// `min-elements`, in each instance of what it is in (section 7.7.5).
    AtLeast(usize),
    /// `max-elements` (section 7.7.6).
    AtMost(usize),
    /// The `choice` of this name is mandatory (section 7.9.4): a container has one of its nodes that belong to a case.
    Choice(&'static str),
}
