//! The text of a module (RFC 7950 section 6) as statements, and which nodes it defines where: as much as it takes to say that a path has a
//! name which is nowhere in the schema.
//!
//! Groupings are followed into other modules, whose texts the caller adds as [`Lookup::Needs`] names them. What an `augment` of the module has
//! counts below every node: a name that is only in another place is not noticed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// A statement with what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Its keyword, with the prefix of an extension.
    pub keyword: String,
    /// Its argument; empty if there is none.
    pub argument: String,
    /// The statements in it.
    pub children: Vec<Statement>,
}

/// Why a text is not a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// What should be there.
    pub expected: &'static str,
    /// Where, counted from 1.
    pub line: usize,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} in line {}", self.expected, self.line)
    }
}

impl std::error::Error for TextError {}

/// Texts of modules and submodules, by their names.
#[derive(Clone, Debug, Default)]
pub struct Texts(BTreeMap<String, Statement>);

/// What is known of a path in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// All of its names may be there.
    Found,
    /// A name is nowhere.
    Missing {
        /// Which step, counted from 0.
        at: usize,
        /// The names that are in its place, in their order.
        instead: Vec<String>,
    },
    /// It takes the text of this module or submodule to know.
    Needs(String),
}

impl Statement {
    /// Reads a module or submodule.
    ///
    /// # Errors
    /// It is not one.
    pub fn read(text: &str) -> Result<Statement, TextError> {
        let mut input = Input { text, at: 0 };
        let module = input.statement(0)?;
        input.space()?;
        if input.at < text.len() {
            return Err(input.expected("the end behind the module"));
        }
        match module.keyword.as_str() {
            "module" | "submodule" => Ok(module),
            _ => Err(TextError { expected: "module or submodule", line: 1 }),
        }
    }

    fn all<'s>(&'s self, keyword: &'s str) -> impl Iterator<Item = &'s Statement> {
        self.children.iter().filter(move |it| it.keyword == keyword)
    }

    /// A grouping, wherever in the module it is.
    fn grouping(&self, name: &str) -> Option<&Statement> {
        let is_it = |it: &&Statement| it.keyword == "grouping" && it.argument == name;
        self.children.iter().find(is_it).or_else(|| self.children.iter().find_map(|it| it.grouping(name)))
    }

    fn is_node(&self) -> bool {
        NODES.contains(&self.keyword.as_str())
    }
}

/// What has a name in data (RFC 7950 section 3, "data node"), and notifications.
const NODES: [&str; 7] = ["container", "list", "leaf", "leaf-list", "anydata", "anyxml", "notification"];

/// Nodes, each with the module whose prefixes count in it.
#[derive(Default)]
struct Nodes<'t> {
    all: Vec<(&'t Statement, &'t Statement)>,
    /// Statements that have been looked at: texts of strangers may multiply by their groupings.
    looked_at: usize,
}

impl Texts {
    /// Adds a text.
    ///
    /// # Errors
    /// It is not a module.
    pub fn add(&mut self, text: &str) -> Result<(), TextError> {
        let module = Statement::read(text)?;
        self.0.insert(module.argument.clone(), module);
        Ok(())
    }

    /// Whether there is one of this name.
    #[must_use]
    pub fn has(&self, module: &str) -> bool {
        self.0.contains_key(module)
    }

    /// Whether the names of a path are in a module, one below the other. `is_root`: the first of them is a root; else the module adds it to
    /// another one's node.
    #[must_use]
    pub fn look_up(&self, module: &str, names: &[&str], is_root: bool) -> Lookup {
        self.find(module, names, is_root).unwrap_or_else(Lookup::Needs)
    }

    fn find(&self, module: &str, names: &[&str], is_root: bool) -> Result<Lookup, String> {
        let parts = self.parts(module)?;
        let mut added = Nodes::default();
        for part in &parts {
            for augment in part.all("augment") {
                self.within(augment, part, 0, &mut added)?;
            }
        }
        let mut here = Nodes::default();
        if is_root {
            for part in &parts {
                self.within(part, part, 0, &mut here)?;
            }
        }
        for (at, name) in names.iter().enumerate() {
            if here.looked_at.max(added.looked_at) > MOST_STATEMENTS {
                break;
            }
            let found = here.all.iter().chain(&added.all).find(|(node, _)| node.argument == *name).copied();
            let Some((node, of)) = found else {
                let mut instead: Vec<String> =
                    here.all.iter().map(|(node, _)| node.argument.clone()).collect();
                instead.dedup();
                return Ok(Lookup::Missing { at, instead });
            };
            here.all.clear();
            self.within(node, of, 0, &mut here)?;
        }
        Ok(Lookup::Found)
    }

    /// A module and its submodules.
    fn parts(&self, module: &str) -> Result<Vec<&Statement>, String> {
        let mut parts: Vec<&Statement> = Vec::new();
        let mut wanted = vec![module];
        while let Some(name) = wanted.pop() {
            let part = self.0.get(name).ok_or_else(|| name.to_owned())?;
            if !parts.iter().any(|it| it.argument == part.argument) {
                parts.push(part);
                wanted.extend(part.all("include").map(|it| it.argument.as_str()));
            }
        }
        Ok(parts)
    }

    /// The nodes in a statement: choices and cases have no names in data, and groupings stand for what is in them.
    fn within<'t>(
        &'t self,
        statement: &'t Statement,
        module: &'t Statement,
        depth: usize,
        found: &mut Nodes<'t>,
    ) -> Result<(), String> {
        for child in &statement.children {
            found.looked_at += 1;
            if depth > MOST_DEPTH || found.looked_at > MOST_STATEMENTS {
                break;
            }
            match child.keyword.as_str() {
                _ if child.is_node() => found.all.push((child, module)),
                "choice" | "case" => self.within(child, module, depth + 1, found)?,
                "uses" => {
                    let (of, name) = self.grouping_of(module, &child.argument)?;
                    for part in self.parts(&of.argument)? {
                        if let Some(grouping) = part.grouping(name) {
                            self.within(grouping, part, depth + 1, found)?;
                        }
                    }
                    for augment in child.all("augment") {
                        self.within(augment, module, depth + 1, found)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The module that a grouping is in, and its name there.
    fn grouping_of<'t>(
        &'t self,
        module: &'t Statement,
        argument: &'t str,
    ) -> Result<(&'t Statement, &'t str), String> {
        // A submodule shares the groupings of what it belongs to.
        let whole = module.all("belongs-to").next();
        let own = whole.map_or(module.argument.as_str(), |it| it.argument.as_str());
        let of_text = |name: &str| self.0.get(name).ok_or_else(|| name.to_owned());
        let Some((prefix, name)) = argument.split_once(':') else { return Ok((of_text(own)?, argument)) };
        let has_prefix = |it: &&Statement| it.all("prefix").any(|it| it.argument == prefix);
        match module.all("import").find(has_prefix) {
            Some(import) => Ok((of_text(&import.argument)?, name)),
            None => Ok((of_text(own)?, name)),
        }
    }
}

/// What is not yet read of a text.
struct Input<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Input<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn expected(&self, expected: &'static str) -> TextError {
        TextError { expected, line: self.text[..self.at].matches('\n').count() + 1 }
    }

    /// White space and comments (section 6.1.1).
    fn space(&mut self) -> Result<(), TextError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|it: char| it.is_whitespace() || it == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let end = comment.find("*/").ok_or_else(|| self.expected("the end of the comment"))?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Statement, TextError> {
        if depth > MOST_DEPTH {
            return Err(self.expected("fewer statements in each other"));
        }
        self.space()?;
        let keyword = self.word();
        if keyword.is_empty() {
            return Err(self.expected("a keyword"));
        }
        self.space()?;
        let argument = match self.rest().starts_with([';', '{']) {
            true => Cow::Borrowed(""),
            false => self.argument()?,
        };
        self.space()?;
        let mut statement =
            Statement { keyword: keyword.to_owned(), argument: argument.into_owned(), children: Vec::new() };
        if self.take(';') {
            return Ok(statement);
        }
        if !self.take('{') {
            return Err(self.expected("`;` or `{`"));
        }
        loop {
            self.space()?;
            if self.take('}') {
                return Ok(statement);
            }
            if self.rest().is_empty() {
                return Err(self.expected("`}`"));
            }
            statement.children.push(self.statement(depth + 1)?);
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.rest().starts_with(wanted);
        self.at += if is_there { wanted.len_utf8() } else { 0 };
        is_there
    }

    /// What stands without quotes.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let ends = |it: char| it.is_whitespace() || ";{}\"'".contains(it);
        let end = rest.find(ends).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A word, or strings in quotes with `+` between them (section 6.1.3).
    fn argument(&mut self) -> Result<Cow<'t, str>, TextError> {
        if !self.rest().starts_with(['"', '\'']) {
            return Ok(Cow::Borrowed(self.word()));
        }
        let mut whole = self.quoted()?;
        loop {
            self.space()?;
            if !self.take('+') {
                return Ok(whole);
            }
            self.space()?;
            if !self.rest().starts_with(['"', '\'']) {
                return Err(self.expected("a string in quotes behind `+`"));
            }
            whole = Cow::Owned(whole.into_owned() + &self.quoted()?);
        }
    }

    fn quoted(&mut self) -> Result<Cow<'t, str>, TextError> {
        let rest = self.rest();
        let is_double = rest.starts_with('"');
        let mut octets = rest.bytes().enumerate().skip(1);
        let mut has_escapes = false;
        while let Some((at, octet)) = octets.next() {
            match octet {
                b'\\' if is_double => {
                    has_escapes = true;
                    octets.next();
                }
                b'"' if is_double => {
                    self.at += at + 1;
                    let raw = &rest[1..at];
                    return Ok(if has_escapes { Cow::Owned(unescaped(raw)) } else { Cow::Borrowed(raw) });
                }
                b'\'' if !is_double => {
                    self.at += at + 1;
                    return Ok(Cow::Borrowed(&rest[1..at]));
                }
                _ => {}
            }
        }
        Err(self.expected("the end of the string"))
    }
}

fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut all = raw.chars();
    while let Some(it) = all.next() {
        match (it, all.as_str().chars().next()) {
            ('\\', Some(next @ ('n' | 't' | '"' | '\\'))) => {
                all.next();
                text.push(match next {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
            }
            (it, _) => text.push(it),
        }
    }
    text
}

/// Statements in each other, and groupings that use groupings.
const MOST_DEPTH: usize = 64;

/// Statements that are looked at for a path: beyond that, all of its names may be there.
const MOST_STATEMENTS: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const A: &str = r#"module a { // a comment
  namespace "urn:a"; prefix a;
  import b { prefix b; }
  include a-sub;
  /* another
     one */
  description "It has \"quotes\" and a \\ and" + ' more "of" them';
  grouping own { leaf from-own { type string; } }
  container top {
    leaf one { type string; }
    list entry { key "k"; leaf k { type string; } uses b:g { augment "in-b" { leaf refined { type string; } } } }
    choice either { case x { leaf two { type string; } } container three { uses own; } }
    a:extension;
  }
  augment "/b:other/b:node" { leaf added { type string; } }
}"#;
    const SUB: &str = "submodule a-sub { belongs-to a { prefix a; } container sub { uses own; } }";
    const B: &str = "module b { namespace 'urn:b'; prefix b; grouping g { container in-b { uses inner; } } grouping inner { leaf deep {} } }";

    fn texts(all: &[&str]) -> Texts {
        let mut texts = Texts::default();
        all.iter().for_each(|text| texts.add(text).unwrap());
        texts
    }

    #[test]
    fn statements_are_read() {
        let module = Statement::read(A).unwrap();
        assert_eq!((module.keyword.as_str(), module.argument.as_str()), ("module", "a"));
        let description = module.all("description").next().unwrap();
        assert_eq!(description.argument, "It has \"quotes\" and a \\ and more \"of\" them");
        assert_eq!(
            Statement::read(" \u{feff}module x{a 'b\n\\n';}//").unwrap().children[0].argument,
            "b\n\\n"
        );
        for (text, expected, line) in [
            ("", "a keyword", 1),
            ("module", "`;` or `{`", 1),
            ("container x;", "module or submodule", 1),
            ("module x {\n leaf", "`;` or `{`", 2),
            ("module x {\n leaf y;", "`}`", 2),
            ("module x;\n y", "the end behind the module", 2),
            ("module \"x", "the end of the string", 1),
            ("module x { /* ", "the end of the comment", 1),
            ("module \"x\" + y;", "a string in quotes behind `+`", 1),
            ("module x { ; }", "a keyword", 1),
        ] {
            assert_eq!(Statement::read(text), Err(TextError { expected, line }), "{text}");
        }
        assert!(Statement::read(&"module x {".repeat(100)).is_err());
    }

    #[test]
    fn names_are_looked_up_where_they_are_defined() {
        let all = texts(&[A, SUB, B]);
        let found = |names: &[&str]| all.look_up("a", names, true);
        for names in [
            &["top"][..],
            &["top", "one"],
            &["top", "two"],
            &["top", "three", "from-own"],
            &["top", "entry", "k"],
            &["top", "entry", "in-b", "deep"],
            &["sub", "from-own"],
            &["top", "added"],
        ] {
            assert_eq!(found(names), Lookup::Found, "{names:?}");
        }
        for (names, at, instead) in [
            (&["tap"][..], 0, &["top", "sub"][..]),
            (&["top", "on"], 1, &["one", "entry", "two", "three"]),
            (&["top", "one", "more"], 2, &[]),
            (&["top", "entry", "in-b", "shallow"], 3, &["deep"]),
            (&["top", "either"], 1, &["one", "entry", "two", "three"]),
        ] {
            let instead = instead.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(found(names), Lookup::Missing { at, instead }, "{names:?}");
        }
        assert_eq!(all.look_up("a", &["added"], false), Lookup::Found);
        assert!(matches!(all.look_up("a", &["top"], false), Lookup::Missing { at: 0, .. }));
        // Texts that are not there yet.
        assert_eq!(texts(&[]).look_up("a", &["top"], true), Lookup::Needs("a".into()));
        assert_eq!(texts(&[A]).look_up("a", &["top"], true), Lookup::Needs("a-sub".into()));
        assert_eq!(texts(&[A, SUB]).look_up("a", &["top", "entry", "x"], true), Lookup::Needs("b".into()));
        let circle = "module c { grouping g { uses g; leaf x {} } container top { uses g; } }";
        assert!(matches!(texts(&[circle]).look_up("c", &["top", "y"], true), Lookup::Missing { .. }));
        let bomb = "module d { grouping g { uses g; uses g; } container top { uses g; } }";
        assert_eq!(texts(&[bomb]).look_up("d", &["top", "y"], true), Lookup::Found);
    }

    /// A statement as text.
    fn written(statement: &Statement) -> String {
        let argument = statement.argument.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let within: String = statement.children.iter().map(written).collect();
        format!("{} \"{argument}\" {{ {within} }}", statement.keyword)
    }

    fn statements() -> impl Strategy<Value = Statement> {
        let leaf = ("[a-z:-]{1,8}", "[a-z\"'\\\\;{}+/* \n]{0,12}")
            .prop_map(|(keyword, argument)| Statement { keyword, argument, children: Vec::new() });
        leaf.prop_recursive(4, 20, 4, |inner| {
            ("[a-z:-]{1,8}", "[a-z ]{0,8}", prop::collection::vec(inner, 0..4))
                .prop_map(|(keyword, argument, children)| Statement { keyword, argument, children })
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(children in prop::collection::vec(statements(), 0..4)) {
            let module = Statement { keyword: "module".into(), argument: "m".into(), children };
            prop_assert_eq!(Statement::read(&written(&module)), Ok(module));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[a-z\"'\\\\;{}+/* \n\u{e9}]{0,60}") {
            let _ = Statement::read(&format!("module m {{{text}"));
        }
    }
}
