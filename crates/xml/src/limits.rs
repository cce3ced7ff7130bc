//! Limits on a stranger's document.

/// What a [`crate::Reader`] accepts; the error for more than this names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Octets of the whole document.
    pub octets: usize,
    /// Nested elements.
    pub depth: usize,
    /// Attributes of one element, declarations of namespaces among them.
    pub attributes: usize,
    /// Octets of a name with its prefix.
    pub name: usize,
    /// Octets of one text, of an attribute's value or of a namespace's name.
    pub text: usize,
    /// Namespaces declared on the elements that are open at the same time.
    pub namespaces: usize,
}

impl Limits {
    /// For a message of a management protocol.
    pub const MESSAGE: Self = Self {
        octets: 4 * 1024 * 1024,
        depth: 32,
        // Clients made from our WSDL may declare the namespace of each MIB module in every message.
        attributes: 128,
        name: 256,
        text: 256 * 1024,
        namespaces: 128,
    };
}
