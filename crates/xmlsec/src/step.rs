//! What sealing and opening consist of, for those who measure them.

/// A step of sealing or opening a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Reading its form and checking its signature.
    Verify,
    /// Decrypting its content.
    Decrypt,
    /// Writing its header and encrypting its content; a content that is not encrypted has no such step.
    Encrypt,
    /// Signing it, and all of a message that is not encrypted.
    Sign,
}

/// Called when a step begins, which ends the one before.
pub type Steps<'s> = &'s dyn Fn(Step);
