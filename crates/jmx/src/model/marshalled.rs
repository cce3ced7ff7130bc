//! `java.rmi.MarshalledObject`: a value in a stream of its own, which is read only where it is wanted.

/// A value in a stream of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarshalledObject {
    /// The stream; none for null.
    pub object: Option<Vec<u8>>,
    /// The codebases of its classes, which are never used.
    pub location: Option<Vec<u8>>,
    /// A hash of the stream.
    pub hash: i32,
}
