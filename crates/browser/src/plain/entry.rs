//! Forms of whole entries for readers without scripts: a field for each leaf, then the difference, then what became of it. Rows of MIB
//! tables and entries of the configuration have the same form.

use std::fmt::Write as _;

use trunkline_yang::forest::Forest;

use super::form::{confirm, hidden, octets, word, wrong};
use super::{Shown, escaped};
use crate::field::{Field, Kind};
use crate::form::Fields;

/// The page with the form.
#[derive(Debug)]
pub struct Entry<'f> {
    /// The fields, with the keys first.
    pub fields: &'f [Field],
    /// What was written before.
    pub given: &'f Fields,
    /// The session's token; empty: there is no session.
    pub token: &'f str,
    /// What the page reports.
    pub said: SaidOfEntry<'f>,
}

/// What the page reports about an entry.
#[derive(Debug)]
pub enum SaidOfEntry<'f> {
    /// Nothing yet.
    Nothing,
    /// It was not created, in words.
    Wrong(&'f str),
    /// This is to be created, if the reader confirms it.
    Review,
}

impl Shown {
    /// The page with the form of another entry of the list that it shows.
    pub fn entry(&self, forest: &Forest, entry: &Entry<'_>) -> Vec<u8> {
        self.within(forest, |_, _, out| entry.write(out))
    }
}

impl Entry<'_> {
    fn write(&self, out: &mut String) {
        match self.said {
            SaidOfEntry::Nothing => {}
            SaidOfEntry::Wrong(words) => wrong(words, out),
            SaidOfEntry::Review => return self.review(out),
        }
        out.push_str("<form method=\"post\" action=\"?new\">");
        hidden("token", self.token, out);
        out.push_str("<table class=\"leaves\"><tbody>");
        let mut choice = None;
        for field in self.fields {
            if let Some(words) = field.choice.as_deref().filter(|words| choice != Some(*words)) {
                let _ = write!(out, "<tr><th scope=\"rowgroup\" colspan=\"2\">{}</th></tr>", escaped(words));
            }
            choice = field.choice.as_deref();
            let name = escaped(&field.name);
            let _ = write!(out, "<tr><th scope=\"row\"><label for=\"v.{name}\">{name}</label></th><td>");
            self.field(field, out);
            let _ = write!(out, " <small>{}</small></td></tr>", escaped(&field.expected));
        }
        out.push_str(
            "</tbody></table><p class=\"buttons\"><button name=\"step\" value=\"review\">Review</button> \
             <a class=\"button\" href=\"?\">Back to the list</a></p></form>",
        );
    }

    fn field(&self, field: &Field, out: &mut String) {
        control((&format!("v.{}", field.name), field), self.given.get(&field.name).unwrap_or_default(), out);
        if field.kind == Kind::Octets {
            octets(&format!("o.{}", field.name), self.given.octets(&field.name), out);
        }
    }

    /// What will be there, and what confirms it.
    fn review(&self, out: &mut String) {
        let given = || {
            let texts = self.fields.iter().filter_map(|field| Some((field, self.given.get(&field.name)?)));
            texts.filter(|(_, text)| !text.is_empty())
        };
        out.push_str("<div class=\"difference\">");
        for (field, text) in given() {
            let shown = if field.kind == Kind::Secret { "••••".to_owned() } else { escaped(text) };
            let _ = write!(out, "<p class=\"new\">+ {}: <ins>{shown}</ins></p>", escaped(&field.name));
        }
        out.push_str("</div><form method=\"post\" action=\"?new\">");
        hidden("token", self.token, out);
        for (field, text) in given() {
            hidden(&format!("v.{}", field.name), text, out);
            if field.kind == Kind::Octets {
                hidden(&format!("o.{}", field.name), word(self.given.octets(&field.name)), out);
            }
        }
        confirm("apply", "?new", out);
    }
}

/// What a value is written into: a part of the form with this name.
pub(super) fn control((name, field): (&str, &Field), given: &str, out: &mut String) {
    let name = escaped(name);
    let required = if field.is_required { " required" } else { "" };
    let kind = match &field.kind {
        Kind::Choice(names) => {
            let _ = write!(out, "<select id=\"{name}\" name=\"{name}\">");
            if !field.is_required {
                out.push_str("<option value=\"\"></option>");
            }
            for choice in names {
                let selected = if choice == given { " selected" } else { "" };
                let _ = write!(out, "<option{selected}>{}</option>", escaped(choice));
            }
            out.push_str("</select>");
            return;
        }
        // What has several lines stays so.
        Kind::Text if given.contains('\n') => {
            let _ = write!(
                out,
                "<textarea id=\"{name}\" name=\"{name}\" rows=\"4\">\n{}</textarea>",
                lines(given)
            );
            return;
        }
        Kind::Number(least, most) => format!(" type=\"number\" min=\"{least}\" max=\"{most}\""),
        Kind::Secret => " type=\"password\"".to_owned(),
        Kind::Text | Kind::Octets => String::new(),
    };
    let given = if field.kind == Kind::Secret { "" } else { given };
    let _ = write!(
        out,
        "<input id=\"{name}\" name=\"{name}\" autocomplete=\"off\" spellcheck=\"false\"{kind}{required} value=\"{}\">",
        escaped(given)
    );
}

/// A text whose ends of lines stay.
fn lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::forest;

    fn page(body: &str, said: SaidOfEntry<'_>) -> String {
        let forest = forest();
        let shown = Shown::find(&forest, "ietf-snmp:snmp/community", Some("new")).unwrap();
        assert!(shown.is_new());
        let field = |name: &str, is_key, kind| Field {
            name: name.into(),
            is_key,
            is_required: is_key,
            kind,
            expected: "a <text>".into(),
            choice: None,
        };
        let of =
            |name: &str| Field { choice: Some("way: one of a, b".into()), ..field(name, false, Kind::Text) };
        let fields = [
            field("index", true, Kind::Text),
            field("model", false, Kind::Choice(vec!["one".into(), "two".into()])),
            field("count", false, Kind::Number("0".into(), "9".into())),
            field("engine", false, Kind::Octets),
            field("key", false, Kind::Secret),
            of("a/x"),
            of("b/x"),
        ];
        let given = Fields::read(body.as_bytes()).unwrap();
        let entry = Entry { fields: &fields, given: &given, token: "t", said };
        String::from_utf8(shown.entry(&forest, &entry)).unwrap()
    }

    #[test]
    fn a_form_has_a_field_for_each_leaf() {
        let page = page("v.index=%3Cb%3E&v.model=two&o.engine=hex&v.key=secret", SaidOfEntry::Wrong("<no>"));
        for part in [
            "class=\"wrong\">&lt;no&gt;</p>",
            "<label for=\"v.index\">index</label>",
            "required value=\"&lt;b&gt;\">",
            "<small>a &lt;text&gt;</small>",
            "<option value=\"\"></option><option>one</option><option selected>two</option>",
            "type=\"number\" min=\"0\" max=\"9\"",
            "name=\"o.engine\"",
            "<option value=\"hex\" selected>",
            "type=\"password\" value=\"\"",
            "name=\"token\" value=\"t\"",
            "way: one of a, b</th></tr><tr><th scope=\"row\"><label for=\"v.a/x\">a/x</label>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert_eq!(page.matches("way: one of").count(), 1);
    }

    #[test]
    fn a_review_has_what_was_written_and_no_more() {
        let page = page(
            "v.index=%3Cb%3E&v.engine=00&o.engine=hex&v.key=secret&v.other=x&v.count=",
            SaidOfEntry::Review,
        );
        for part in [
            "+ index: <ins>&lt;b&gt;</ins>",
            "+ key: <ins>••••</ins>",
            "name=\"v.engine\" value=\"00\"",
            "name=\"o.engine\" value=\"hex\"",
            "name=\"v.key\" value=\"secret\"",
            "name=\"step\" value=\"apply\"",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("other") && !page.contains("count"), "{page}");
    }
}
