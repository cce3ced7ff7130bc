//! Messages to standard error.

use std::io::{self, Write};

use trunkline_smi::visible_lines;

/// Prints a message. If standard error is closed nobody reads it.
pub fn tell(words: &str) {
    let end = if words.ends_with('\n') { "" } else { "\n" };
    let _ = write!(io::stderr().lock(), "{}{end}", visible_lines(words));
}
