//! The one XML reader, with limits, and the one writer, straight into a buffer.
