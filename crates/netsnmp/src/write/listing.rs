//! An entry of a list of tables: a heading, the lines it comes from, keys and values.

use crate::Origin;
use crate::write;

/// An entry such as `[[snmp.user]]`.
pub(super) struct Entry {
    header: &'static str,
    comments: Vec<String>,
    pairs: Vec<(&'static str, String)>,
    inner: Vec<Entry>,
}

impl Entry {
    /// An entry that comes from a line.
    pub fn new(header: &'static str, origin: &Origin, directive: &str) -> Self {
        Entry {
            header,
            comments: vec![format!("{origin} {directive}").trim_end().into()],
            pairs: Vec::new(),
            inner: Vec::new(),
        }
    }

    /// One more line that it comes from, or something to know.
    pub fn comment(&mut self, comment: impl Into<String>) -> &mut Self {
        let comment = comment.into();
        if !self.comments.contains(&comment) {
            self.comments.push(comment);
        }
        self
    }

    /// A key with a text.
    pub fn text(&mut self, key: &'static str, text: &str) -> &mut Self {
        self.raw(key, write::text(text))
    }

    /// A key with a value as TOML has it.
    pub fn raw(&mut self, key: &'static str, value: String) -> &mut Self {
        self.pairs.push((key, value));
        self
    }

    /// An entry below this one.
    pub fn inner(&mut self, entry: Entry) -> &mut Self {
        self.inner.push(entry);
        self
    }

    /// The text of it.
    pub fn to_text(&self) -> String {
        let mut text = String::from("\n");
        for comment in &self.comments {
            text.push_str(&format!("# {comment}\n"));
        }
        text.push_str(&format!("[[{}]]\n", self.header));
        for (key, value) in &self.pairs {
            text.push_str(&format!("{key} = {value}\n"));
        }
        for inner in &self.inner {
            text.push_str(inner.to_text().trim_start_matches('\n'));
        }
        text
    }
}
