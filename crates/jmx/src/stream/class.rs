//! What a class is to a stream: its descriptor.

/// A class of the allow-list.
#[derive(Debug)]
pub struct Class {
    /// As `Class.getName` has it: `java.lang.Long`, `[J`.
    pub name: &'static str,
    /// Its serialVersionUID.
    pub suid: i64,
    /// `SC_SERIALIZABLE` and its like.
    pub flags: u8,
    /// Its nearest serializable superclass.
    pub parent: Option<&'static Class>,
    /// Primitive fields first, then the others, each by name.
    pub fields: &'static [Field],
}

/// A field of a descriptor.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type: `J`, `[J`, `Ljava/lang/String;`.
    pub signature: &'static str,
}

/// `SC_WRITE_METHOD`: what `writeObject` wrote follows the fields.
pub(super) const WRITES: u8 = 1;
/// `SC_SERIALIZABLE`.
pub(super) const SERIALIZABLE: u8 = 2;

impl Field {
    pub(super) const fn new(name: &'static str, signature: &'static str) -> Self {
        Field { name, signature }
    }

    /// The first character of its type: `L` and `[` are references.
    pub fn code(&self) -> u8 {
        self.signature.as_bytes().first().copied().unwrap_or(0)
    }

    /// Whether it holds an object.
    pub fn is_reference(&self) -> bool {
        matches!(self.code(), b'L' | b'[')
    }
}

impl Class {
    /// Whether this is the other, not only a class of the same name.
    pub fn is(&self, other: &Class) -> bool {
        std::ptr::eq(self, other)
    }

    /// Whether it is the other or extends it.
    pub fn extends(&self, other: &Class) -> bool {
        self.is(other) || self.parent.is_some_and(|parent| parent.extends(other))
    }

    /// Whether what `writeObject` wrote follows the fields.
    pub fn has_extra(&self) -> bool {
        self.flags & WRITES != 0
    }

    /// The class and those that it extends, the topmost last.
    pub fn lineage(&'static self) -> impl Iterator<Item = &'static Class> {
        std::iter::successors(Some(self), |class| class.parent)
    }

    /// The code of an array's elements, if it is the class of an array.
    pub fn element(&self) -> Option<u8> {
        self.name.strip_prefix('[').and_then(|rest| rest.bytes().next())
    }
}

impl PartialEq for Class {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for Class {}
