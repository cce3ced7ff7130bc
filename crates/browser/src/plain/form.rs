//! The form that sets an object, for readers without scripts: the value and a field for another one, then the difference, then what
//! became of it.

use std::fmt::Write as _;

use super::entry::control;
use super::escaped;
use crate::field::Kind;
use crate::form::Change;
use crate::object::{Object, Octets};

/// What the page of an object shows.
#[derive(Debug)]
pub struct Form<'f> {
    /// The object.
    pub object: &'f Object,
    /// Its value, as RESTCONF writes it; `None`: there is none that the reader may see.
    pub now: Option<&'f str>,
    /// Whether the reader may set it, and not read it.
    pub is_blind: bool,
    /// The session's token; empty: there is no session.
    pub token: &'f str,
    /// What was written, if it was not set.
    pub given: Option<&'f Change>,
    /// What the page reports about it.
    pub said: Said<'f>,
}

/// What the page reports about the value.
#[derive(Debug)]
pub enum Said<'f> {
    /// Nothing yet.
    Nothing,
    /// It was set.
    Set,
    /// It was not set, in words.
    Wrong(&'f str),
    /// This is to be set, if the reader confirms it.
    Review(&'f Change),
}

impl Form<'_> {
    pub(super) fn write(&self, out: &mut String) {
        let (now, form) = self.now.map_or_else(Default::default, |now| self.object.editable(now));
        match self.now {
            Some(_) => {
                let _ = write!(out, "<p class=\"value\">{}</p>", escaped(&now));
            }
            None if self.is_blind => blind(out),
            None => out.push_str("<p class=\"value\"><span class=\"none\">not set</span></p>"),
        }
        match self.said {
            Said::Nothing => {}
            Said::Set => out.push_str("<p role=\"status\" class=\"done\">Applied.</p>"),
            Said::Wrong(words) => wrong(words, out),
            Said::Review(change) => return self.review(&now, change, out),
        }
        self.begin(out);
        let _ = write!(out, "<p class=\"fields\"><label for=\"new\">New value</label> ");
        let (now, form) = self.given.map_or((now.as_str(), form), |given| (given.new.as_str(), given.octets));
        let field = self.object.field();
        control(("new", &field), now, out);
        if field.kind == Kind::Octets {
            octets("octets", form, out);
        }
        let _ = write!(
            out,
            " <button name=\"step\" value=\"review\">Review</button></p><p class=\"about\">{}</p></form>",
            escaped(&sentence(&field.expected))
        );
    }

    /// The difference, and what confirms it.
    fn review(&self, now: &str, change: &Change, out: &mut String) {
        let _ = write!(out, "<div class=\"difference\"><p>{}</p>", escaped(self.object.label));
        if self.now.is_some() {
            let _ = write!(out, "<p class=\"old\">− <del>{}</del></p>", escaped(now));
        }
        let _ = write!(out, "<p class=\"new\">+ <ins>{}</ins></p></div>", escaped(&change.new));
        self.begin(out);
        for (name, value) in [("new", change.new.as_str()), ("octets", word(change.octets))] {
            hidden(name, value, out);
        }
        confirm("apply", "?", out);
    }

    fn begin(&self, out: &mut String) {
        out.push_str("<form method=\"post\">");
        hidden("token", self.token, out);
        if let Some(now) = self.now {
            hidden("old", now, out);
        }
    }
}

/// Of what somebody may set and not read nothing is shown, so that nothing tells whether it has changed.
pub(super) fn blind(out: &mut String) {
    out.push_str(
        "<p class=\"about\">You may set this and not read it. If somebody else changes it at the same time, nobody notices.</p>",
    );
}

/// What was not done, in words.
pub(super) fn wrong(words: &str, out: &mut String) {
    let _ = write!(out, "<p role=\"alert\" class=\"wrong\">{}</p>", escaped(words));
}

/// The end of a form that is to be confirmed, or left by the other way.
pub(super) fn confirm(step: &str, back: &str, out: &mut String) {
    let _ = write!(
        out,
        "<p class=\"buttons\"><button class=\"main\" name=\"step\" value=\"{step}\">Apply</button> \
         <a class=\"button\" href=\"{back}\">Cancel</a></p></form>"
    );
}

/// Its value may have characters that are not shown, which must come back.
pub(super) fn hidden(name: &str, value: &str, out: &mut String) {
    let _ = write!(out, "<input type=\"hidden\" name=\"{name}\" value=\"");
    for character in value.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            it => out.push(it),
        }
    }
    out.push_str("\">");
}

/// The choice of how octets are written.
pub(super) fn octets(name: &str, chosen: Octets, out: &mut String) {
    let _ = write!(out, " <select name=\"{}\" aria-label=\"How it is written\">", escaped(name));
    for (form, words) in [(Octets::Text, "as text"), (Octets::Hex, "in hexadecimal")] {
        let selected = if form == chosen { " selected" } else { "" };
        let _ = write!(out, "<option value=\"{}\"{selected}>{words}</option>", word(form));
    }
    out.push_str("</select>");
}

/// The form's word for it.
pub(super) const fn word(octets: Octets) -> &'static str {
    match octets {
        Octets::Text => "text",
        Octets::Hex => "hex",
    }
}

/// What is expected, as a sentence; nothing of nothing.
pub(super) fn sentence(words: &str) -> String {
    if words.is_empty() {
        return String::new();
    }
    let mut characters = words.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::Shown;
    use super::*;
    use crate::schema::forest;

    fn page(path: &str, now: Option<&str>, said: Said<'_>) -> String {
        let forest = forest();
        let shown = Shown::find(&forest, path, None).unwrap();
        let object = shown.object(&forest).unwrap();
        let given = matches!(said, Said::Wrong(_)).then(|| Change::read(b"old=b&new=typed").unwrap());
        let given = given.as_ref();
        let form = Form { object: &object, now, is_blind: false, token: "t", given, said };
        String::from_utf8(shown.form(&forest, &form)).unwrap()
    }

    const CONTACT: &str = "SNMPv2-MIB:SNMPv2-MIB/system/sysContact";

    #[test]
    fn a_form_has_the_choice_or_the_range() {
        let status = page("IF-MIB:IF-MIB/ifTable/ifEntry=1/ifAdminStatus", Some("down"), Said::Nothing);
        assert!(
            status.contains("<option>up</option><option selected>down</option><option>testing</option>"),
            "{status}"
        );
        assert!(
            status.contains("name=\"token\" value=\"t\"") && status.contains("name=\"old\" value=\"down\""),
            "{status}"
        );
        let number = page("SNMPv2-MIB:SNMPv2-MIB/snmpSet/snmpSetSerialNo", Some("7"), Said::Nothing);
        assert!(
            number.contains("type=\"number\" min=\"0\" max=\"2147483647\" required value=\"7\""),
            "{number}"
        );
        let none = page(CONTACT, None, Said::Set);
        assert!(
            none.contains("not set") && !none.contains("name=\"old\"") && none.contains("Applied."),
            "{none}"
        );
        assert!(none.contains("At most 255 octets."), "{none}");
    }

    #[test]
    fn a_difference_is_text_and_can_be_confirmed() {
        let change = Change::read(b"old=a&new=%3Cb%3E%22").unwrap();
        let review = page(CONTACT, Some("a\u{200b}&"), Said::Review(&change));
        for part in [
            "<del>a\u{fffd}&amp;</del>",
            "<ins>&lt;b&gt;&quot;</ins>",
            "name=\"old\" value=\"a\u{200b}&amp;\"",
            "name=\"new\" value=\"&lt;b&gt;&quot;\"",
            "name=\"step\" value=\"apply\"",
        ] {
            assert!(review.contains(part), "{part} {review}");
        }
        let wrong = page(CONTACT, Some("a"), Said::Wrong("<no>"));
        assert!(wrong.contains("class=\"wrong\">&lt;no&gt;</p>"), "{wrong}");
        assert!(wrong.contains("class=\"value\">a</p>") && wrong.contains(" value=\"typed\">"), "{wrong}");
    }
}
