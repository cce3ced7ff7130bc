//! Published attacks.
