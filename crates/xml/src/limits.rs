//! How much a stranger's document may ask for.

/// What a [`crate::Reader`] takes; more than this is an error that says which limit it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Octets of the whole document.
    pub octets: usize,
    /// Elements within each other.
    pub depth: usize,
    /// Attributes of one element, declarations of namespaces among them.
    pub attributes: usize,
    /// Octets of a name with its prefix.
    pub name: usize,
    /// Octets of one text, of an attribute's value or of a namespace's name.
    pub text: usize,
    /// Namespaces declared on the elements that are open at one time.
    pub namespaces: usize,
}

impl Limits {
    /// For a message of a management protocol.
    pub const MESSAGE: Self = Self {
        octets: 4 * 1024 * 1024,
        depth: 32,
        attributes: 32,
        name: 256,
        text: 256 * 1024,
        namespaces: 32,
    };
}
