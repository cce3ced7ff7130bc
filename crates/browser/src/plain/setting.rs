//! Forms that change what is configured, for readers without scripts: a leaf with its value, and what is removed.

use std::fmt::Write as _;

use trunkline_restconf::json::Json;
use trunkline_yang::forest::Forest;

use super::entry::control;
use super::form::{blind, confirm, hidden, sentence, wrong};
use super::{Look, Shown, cell, escaped, members, text_of_leaf};
use crate::choice::Choices;
use crate::form::Fields;
use crate::setting::{Leaf, List, MayChange, is_entry};

/// The page of a leaf, or of an entry that is to be removed.
#[derive(Debug)]
pub struct Change<'f> {
    /// What is there now, as RESTCONF answers; `None`: there is nothing.
    pub now: Option<&'f [u8]>,
    /// Its entity tag; empty: there is none.
    pub tag: &'f str,
    /// The session's token; empty: there is no session.
    pub token: &'f str,
    /// Whether the reader may set it, and not read it.
    pub is_blind: bool,
    /// What a value removes besides, a line for each.
    pub others: &'f [String],
    /// What was written.
    pub given: &'f Fields,
    /// What the page reports.
    pub said: SaidOfChange<'f>,
}

/// What the page reports about a change.
#[derive(Clone, Copy, Debug)]
pub enum SaidOfChange<'f> {
    /// Nothing yet.
    Nothing,
    /// It was made.
    Done,
    /// It was not made, in words.
    Wrong(&'f str),
    /// This is to be written, if the reader confirms it.
    Review,
    /// This is to be removed, if the reader confirms it.
    Removal,
}

impl Shown {
    /// The leaf of the configuration that it shows, if that is one.
    pub fn setting<'f>(&self, forest: &'f Forest) -> Option<Leaf<'f>> {
        Leaf::of(forest, &self.target)
    }

    /// The choices that the leaf is in which it shows.
    pub fn choices<'t>(&'t self, forest: &'t Forest) -> Option<Choices<'t>> {
        Choices::of(forest, &self.target)
    }

    /// The list of the configuration that it shows as a whole, if that is one.
    pub fn list<'f>(&self, forest: &'f Forest) -> Option<List<'f>> {
        List::of(forest, &self.target)
    }

    /// Whether it shows an entry of the configuration of which the client may change something.
    pub fn is_entry(&self, forest: &Forest, may_change: MayChange<'_>) -> bool {
        is_entry(forest, &self.target, may_change)
    }

    /// The page that changes the leaf which it shows.
    pub fn leaf(&self, forest: &Forest, leaf: &Leaf<'_>, change: &Change<'_>) -> Vec<u8> {
        self.within(forest, |_, _, out| change.leaf(leaf, out))
    }

    /// The page that removes the entry which it shows.
    pub fn removal(&self, forest: &Forest, change: &Change<'_>) -> Vec<u8> {
        self.within(forest, |_, _, out| change.entry(out))
    }
}

/// The button that asks for the removal of an entry.
pub(super) fn remove(token: &str, out: &mut String) {
    out.push_str("<form method=\"post\">");
    hidden("token", token, out);
    out.push_str(
        "<p class=\"buttons\"><button name=\"step\" value=\"remove\">Remove this entry…</button></p></form>",
    );
}

impl Change<'_> {
    /// What is there now; `None`: nothing.
    fn value(&self) -> Option<Json> {
        match Json::read(self.now?) {
            Ok(Json::Object(members)) => members.into_iter().next().map(|(_, value)| value),
            _ => None,
        }
    }

    fn leaf(&self, leaf: &Leaf<'_>, out: &mut String) {
        let (name, now) = (leaf.name(), self.value());
        let is_there = now.is_some();
        let text = now.as_ref().map(text_of_leaf).unwrap_or_default();
        if leaf.is_secret() {
            out.push_str("<p class=\"about\">A secret: it can be set, and nobody reads it.</p>");
        } else if self.is_blind {
            blind(out);
        } else if is_there {
            let _ = write!(out, "<p class=\"value\">{}</p>", escaped(&text));
        } else {
            out.push_str("<p class=\"value\"><span class=\"none\">not set</span></p>");
        }
        let old = if leaf.is_secret() { "••••" } else { &text };
        let given = self.given.get(&name);
        match self.said {
            SaidOfChange::Review => {
                let new = given.unwrap_or_default();
                let shown = if leaf.is_secret() { "••••".to_owned() } else { escaped(new) };
                let _ = write!(out, "<div class=\"difference\"><p>{}</p>", escaped(&name));
                self.old(is_there, old, out);
                for line in self.others {
                    self.old(true, line, out);
                }
                let _ = write!(out, "<p class=\"new\">+ <ins>{shown}</ins></p></div>");
                self.begin(out);
                hidden(&format!("v.{name}"), new, out);
                return confirm("apply", "?", out);
            }
            SaidOfChange::Removal => {
                let _ = write!(out, "<div class=\"difference\"><p>{}</p>", escaped(&name));
                self.old(is_there, old, out);
                out.push_str("<p>will be removed</p></div>");
                self.begin(out);
                return confirm("apply-removal", "?", out);
            }
            SaidOfChange::Nothing => {}
            SaidOfChange::Done => out.push_str("<p role=\"status\" class=\"done\">Applied.</p>"),
            SaidOfChange::Wrong(words) => wrong(words, out),
        }
        let Some(field) = leaf.field() else { return };
        self.begin(out);
        let _ = write!(out, "<p class=\"fields\"><label for=\"v.{}\">New value</label> ", escaped(&name));
        control((&format!("v.{name}"), &field), given.unwrap_or(&text), out);
        out.push_str(" <button name=\"step\" value=\"review\">Review</button>");
        if is_there {
            out.push_str(" <button name=\"step\" value=\"remove\" formnovalidate>Remove…</button>");
        }
        let _ = write!(out, "</p><p class=\"about\">{}</p></form>", escaped(&sentence(&field.expected)));
    }

    fn entry(&self, out: &mut String) {
        out.push_str("<div class=\"difference\">");
        let entry = match self.value() {
            Some(Json::Array(entries)) => entries.into_iter().next(),
            other => other,
        };
        for (name, value) in entry.as_ref().and_then(members).into_iter().flatten() {
            if !name.starts_with('@') {
                let _ = write!(out, "<p class=\"old\">− {}: <del>", escaped(name));
                cell(value, Look::Plain, out);
                out.push_str("</del></p>");
            }
        }
        if let SaidOfChange::Wrong(words) = self.said {
            out.push_str("</div>");
            wrong(words, out);
            out.push_str("<p><a class=\"button\" href=\"?\">Back to the entry</a></p>");
            return;
        }
        out.push_str("<p>will be removed</p></div>");
        self.begin(out);
        confirm("apply-removal", "?", out);
    }

    fn old(&self, is_there: bool, old: &str, out: &mut String) {
        if is_there {
            let _ = write!(out, "<p class=\"old\">− <del>{}</del></p>", escaped(old));
        }
    }

    fn begin(&self, out: &mut String) {
        out.push_str("<form method=\"post\">");
        hidden("token", self.token, out);
        if !self.tag.is_empty() {
            hidden("tag", self.tag, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::forest;

    fn page(path: &str, now: Option<&str>, body: &str, said: SaidOfChange<'_>) -> String {
        let forest = forest();
        let shown = Shown::find(&forest, path, None).unwrap();
        let given = Fields::read(body.as_bytes()).unwrap();
        let change = Change {
            now: now.map(str::as_bytes),
            tag: "\"a&\"",
            token: "t",
            others: &["udp/ip: <a>".to_owned()],
            is_blind: body == "step=review&v.contact=x",
            given: &given,
            said,
        };
        let page = match shown.setting(&forest) {
            Some(leaf) => shown.leaf(&forest, &leaf, &change),
            None => shown.removal(&forest, &change),
        };
        String::from_utf8(page).unwrap()
    }

    const CONTACT: &str = "ietf-system:system/contact";
    const NOW: Option<&str> = Some("{\"ietf-system:contact\":\"<old>\"}");

    #[test]
    fn a_leaf_has_its_value_a_difference_and_a_removal() {
        let form = page(CONTACT, NOW, "", SaidOfChange::Done);
        for part in [
            "<p class=\"value\">&lt;old&gt;</p>",
            "Applied.",
            "name=\"tag\" value=\"&quot;a&amp;&quot;\"",
            "name=\"v.contact\" autocomplete=\"off\" spellcheck=\"false\" value=\"&lt;old&gt;\"",
            "value=\"remove\"",
        ] {
            assert!(form.contains(part), "{part}\n{form}");
        }
        let none = page(CONTACT, None, "", SaidOfChange::Nothing);
        assert!(none.contains("not set") && !none.contains("value=\"remove\""), "{none}");
        let blind = page(CONTACT, None, "step=review&v.contact=x", SaidOfChange::Review);
        assert!(blind.contains("nobody notices") && !blind.contains("not set"), "{blind}");
        assert!(blind.contains("<ins>x</ins>") && blind.matches("<del>").count() == 1, "{blind}");
        let review = page(CONTACT, NOW, "v.contact=%3Cnew%3E", SaidOfChange::Review);
        for part in [
            "<del>&lt;old&gt;</del>",
            "<del>udp/ip: &lt;a&gt;</del>",
            "<ins>&lt;new&gt;</ins>",
            "name=\"v.contact\" value=\"&lt;new&gt;\"",
            "value=\"apply\"",
        ] {
            assert!(review.contains(part), "{part}\n{review}");
        }
        let removal = page(CONTACT, NOW, "", SaidOfChange::Removal);
        assert!(
            removal.contains("will be removed") && removal.contains("value=\"apply-removal\""),
            "{removal}"
        );
        let wrong = page(CONTACT, NOW, "v.contact=mine", SaidOfChange::Wrong("<no>"));
        assert!(wrong.contains("&lt;no&gt;") && wrong.contains("value=\"mine\""), "{wrong}");
    }

    #[test]
    fn an_entry_shows_what_will_be_removed() {
        let entry = "ietf-snmp:snmp/community=a";
        let now = Some("{\"ietf-snmp:community\":[{\"index\":\"a\",\"text-name\":\"<b>\",\"@\":{}}]}");
        let removal = page(entry, now, "", SaidOfChange::Removal);
        for part in [
            "− index: <del>a</del>",
            "− text-name: <del>&lt;b&gt;</del>",
            "will be removed",
            "value=\"apply-removal\"",
        ] {
            assert!(removal.contains(part), "{part}\n{removal}");
        }
        let wrong = page(entry, None, "", SaidOfChange::Wrong("gone"));
        assert!(wrong.contains("gone") && !wrong.contains("apply-removal"), "{wrong}");
        let late = page(entry, now, "", SaidOfChange::Wrong("above is what it is now"));
        assert!(late.contains("− index") && !late.contains("will be removed"), "{late}");
    }
}
