//! Paths of data as people write them, with the names of modules: `/ietf-interfaces:interfaces/interface[name='lo']/oper-status`.
//!
//! That is the form of instance-identifiers in JSON (RFC 7951 section 6.11): a step without the name of a module is of the module of
//! the step before. A path may select several instances, since a list needs no keys. [`Path::subtree`] and [`Path::xpath`] make
//! filters of it; what is more than a path is an expression of XPath, whose prefixes [`declarations`] finds.

use std::fmt;

use thiserror::Error;
use trunkline_xml::Writer;

/// A path from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// At least one.
    pub steps: Vec<Step>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The module, or a prefix; `None`: that of the step before.
    pub module: Option<String>,
    /// The name of the node.
    pub name: String,
    /// What must hold there.
    pub tests: Vec<Test>,
}

/// A leaf with a value, in brackets behind a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The module, or a prefix; `None`: that of the step.
    pub module: Option<String>,
    /// The leaf; `None` for the node itself: an entry of a leaf-list.
    pub name: Option<String>,
    /// Its value.
    pub value: String,
}

/// Why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a path: expected {expected} at character {position}")]
pub struct NotPath {
    /// The text.
    pub text: String,
    /// What should be there.
    pub expected: &'static str,
    /// Where, counted from 1.
    pub position: usize,
}

/// A prefix that stands for no namespace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the server announces no module {prefix}, and no option declares it as a prefix")]
pub struct UnknownPrefix {
    /// As it was written.
    pub prefix: String,
}

/// A name of a path that is nowhere in the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownNode {
    /// The name.
    pub name: String,
    /// The path that it is looked for in; empty: among the roots.
    pub within: String,
    /// Its module.
    pub module: String,
    /// Names that are there, those that resemble it first.
    pub instead: Vec<String>,
}

impl std::error::Error for UnknownNode {}

impl fmt::Display for UnknownNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownNode { name, within, module, instead } = self;
        match within.is_empty() {
            true => write!(f, "the module {module} has no {name} at its top")?,
            false => write!(f, "{within} has no {name} in the module {module}")?,
        }
        match instead.get(..MOST_NAMES.min(instead.len())).unwrap_or_default() {
            [] => Ok(()),
            [only] => write!(f, ", but {only}"),
            some => {
                let more = if instead.len() > some.len() { ", ..." } else { "" };
                write!(f, ", but {}{more}", some.join(", "))
            }
        }
    }
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// It is something else, perhaps an expression of XPath.
    pub fn parse(text: &str) -> Result<Path, NotPath> {
        let mut input = Input { text, at: 0 };
        let mut steps = Vec::new();
        while input.at < text.len() || steps.is_empty() {
            if steps.len() == MOST_STEPS {
                return Err(input.expected("the end: a path has at most 128 steps"));
            }
            input.take('/').ok_or_else(|| input.expected("`/`"))?;
            let (module, name) = input.qualified()?;
            let mut tests = Vec::new();
            while input.take('[').is_some() {
                tests.push(input.test()?);
            }
            steps.push(Step { module, name, tests });
        }
        Ok(Path { steps })
    }

    /// The modules and prefixes that it has, some more than once.
    pub fn prefixes(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().flat_map(|step| {
            let of_tests = step.tests.iter().filter_map(|test| test.module.as_deref());
            step.module.as_deref().into_iter().chain(of_tests)
        })
    }

    /// The content of a subtree filter that selects the same (RFC 6241 section 6); `None`: there is none. `namespace` knows those of
    /// prefixes.
    ///
    /// # Errors
    /// A prefix that stands for no namespace.
    pub fn subtree<'n>(
        &self,
        namespace: impl Fn(&str) -> Option<&'n str>,
    ) -> Result<Option<Vec<u8>>, UnknownPrefix> {
        let tests = || self.steps.iter().flat_map(|step| &step.tests);
        // A value without any octet, and white space at its ends, cannot be matched (section 6.2.5).
        if tests().any(|test| test.name.is_none() || test.value.trim() != test.value || test.value.is_empty())
        {
            return Ok(None);
        }
        let known =
            |prefix: &str| namespace(prefix).ok_or_else(|| UnknownPrefix { prefix: prefix.to_owned() });
        let mut octets = Vec::new();
        let mut writer = Writer::new(&mut octets);
        let mut current = None;
        for step in &self.steps {
            writer.start(&step.name);
            // Without a namespace it matches in any (section 6.2.1).
            let of_step = step.module.as_deref().map_or(Ok(current.unwrap_or_default()), known)?;
            if current != Some(of_step) {
                writer.attribute("xmlns", of_step);
            }
            current = Some(of_step);
            for Test { module, name, value } in &step.tests {
                let name = name.as_deref().unwrap_or_default();
                writer.start(name);
                if let Some(module) = module {
                    writer.attribute("xmlns", known(module)?);
                }
                // An identity has a prefix (RFC 7950 section 9.10.3).
                if let Some((prefix, declared)) = identity(value, &namespace) {
                    writer.attribute(&format!("xmlns:{prefix}"), declared);
                }
                writer.text(value).end(name);
            }
        }
        self.steps.iter().rev().for_each(|step| {
            writer.end(&step.name);
        });
        Ok(Some(octets))
    }

    /// The same as an expression of XPath, each name with its prefix. A test's literal is in the quotes that are not in it.
    #[must_use]
    pub fn xpath(&self) -> String {
        let mut text = String::new();
        let mut current = None;
        let named = |text: &mut String, module: Option<&str>, name: &str| {
            if let Some(module) = module {
                text.push_str(module);
                text.push(':');
            }
            text.push_str(name);
        };
        for step in &self.steps {
            current = step.module.as_deref().or(current);
            text.push('/');
            named(&mut text, current, &step.name);
            for Test { module, name, value } in &step.tests {
                text.push('[');
                match name {
                    Some(name) => named(&mut text, module.as_deref().or(current), name),
                    None => text.push('.'),
                }
                let quote = if value.contains('\'') { '"' } else { '\'' };
                text.push('=');
                text.push(quote);
                text.push_str(value);
                text.push(quote);
                text.push(']');
            }
        }
        text
    }
}

impl fmt::Display for Path {
    /// As people write it: a module only where another one begins.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Step { module, name, tests } in &self.steps {
            let module = module.as_ref().map(|module| format!("{module}:")).unwrap_or_default();
            write!(f, "/{module}{name}")?;
            for Test { module, name, value } in tests {
                let module = module.as_ref().map(|module| format!("{module}:")).unwrap_or_default();
                let quote = if value.contains('\'') { '"' } else { '\'' };
                write!(f, "[{module}{}={quote}{value}{quote}]", name.as_deref().unwrap_or("."))?;
            }
        }
        Ok(())
    }
}

/// The prefixes of an expression of XPath, and in its literals those that are known, with their namespaces.
///
/// # Errors
/// A prefix of a name that stands for no namespace.
pub fn declarations<'n>(
    expression: &str,
    namespace: impl Fn(&str) -> Option<&'n str>,
) -> Result<Vec<(String, String)>, UnknownPrefix> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut declare = |prefix: &str, namespace: &str| {
        if !found.iter().any(|(known, _)| known == prefix) {
            found.push((prefix.to_owned(), namespace.to_owned()));
        }
    };
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        if matches!(first, '\'' | '"') {
            let (literal, behind) = rest[1..].split_once(first).unwrap_or((&rest[1..], ""));
            if let Some((prefix, namespace)) = identity(literal, &namespace) {
                declare(prefix, namespace);
            }
            rest = behind;
            continue;
        }
        let name = name_of(rest);
        rest = &rest[name.len().max(first.len_utf8())..];
        // An axis has two colons behind it.
        if !name.is_empty() && rest.starts_with(':') && !rest.starts_with("::") {
            let of_name = namespace(name).ok_or_else(|| UnknownPrefix { prefix: name.to_owned() })?;
            declare(name, of_name);
        } else if !name.is_empty() && rest.starts_with("::") {
            rest = &rest[2..];
        }
    }
    Ok(found)
}

/// The prefix of a value that may be an identity, and its namespace.
pub(crate) fn identity<'v, 'n>(
    value: &'v str,
    namespace: impl Fn(&str) -> Option<&'n str>,
) -> Option<(&'v str, &'n str)> {
    let (prefix, name) = value.split_once(':')?;
    let is_identity = name_of(prefix).len() == prefix.len() && name_of(name).len() == name.len();
    (is_identity && !prefix.is_empty() && !name.is_empty()).then(|| Some((prefix, namespace(prefix)?)))?
}

/// The name that a text begins with; empty if it begins with none.
fn name_of(text: &str) -> &str {
    let is_first = text.starts_with(|it: char| it.is_alphabetic() || it == '_');
    let end = text.find(|it: char| !it.is_alphanumeric() && !"_-.".contains(it)).unwrap_or(text.len());
    if is_first { &text[..end] } else { "" }
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

    fn take(&mut self, wanted: char) -> Option<()> {
        self.rest().starts_with(wanted).then(|| self.at += wanted.len_utf8())
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    fn name(&mut self) -> Result<&'t str, NotPath> {
        let name = name_of(self.rest());
        self.at += name.len();
        if name.is_empty() { Err(self.expected("a name")) } else { Ok(name) }
    }

    /// A name, perhaps with the module's in front.
    fn qualified(&mut self) -> Result<(Option<String>, String), NotPath> {
        let name = self.name()?;
        // `child::name` is of XPath.
        if self.rest().starts_with("::") || self.take(':').is_none() {
            return Ok((None, name.to_owned()));
        }
        Ok((Some(name.to_owned()), self.name()?.to_owned()))
    }

    /// What is in brackets, behind the first one.
    fn test(&mut self) -> Result<Test, NotPath> {
        self.space();
        let (module, name) = match self.take('.') {
            Some(()) => (None, None),
            None => {
                let (module, name) = self.qualified()?;
                (module, Some(name))
            }
        };
        self.space();
        self.take('=').ok_or_else(|| self.expected("`=`"))?;
        self.space();
        let value = self.value()?;
        self.space();
        self.take(']').ok_or_else(|| self.expected("`]`"))?;
        Ok(Test { module, name, value })
    }

    /// A text in quotes, or a whole number as it is written in data.
    fn value(&mut self) -> Result<String, NotPath> {
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|it| matches!(it, '\'' | '"')) {
            let end = rest[1..].find(quote).ok_or_else(|| self.expected("a value with quotes around it"))?;
            self.at += end + 2;
            return Ok(rest[1..=end].to_owned());
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || (digits > 1 && rest.starts_with('0')) {
            return Err(self.expected("a value: text in quotes, or a number"));
        }
        self.at += digits;
        Ok(rest[..digits].to_owned())
    }

    fn expected(&self, expected: &'static str) -> NotPath {
        let position = self.text[..self.at].chars().count() + 1;
        NotPath { text: self.text.to_owned(), expected, position }
    }
}

/// Names that are shown.
const MOST_NAMES: usize = 6;
/// Steps of a path: data is not deeper.
const MOST_STEPS: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(prefix: &str) -> Option<&'static str> {
        [("a", "urn:a"), ("b-c", "urn:b"), ("t", "urn:t")]
            .into_iter()
            .find(|(known, _)| *known == prefix)
            .map(|(_, namespace)| namespace)
    }

    #[test]
    fn paths_become_filters() {
        for (text, subtree, xpath) in [
            ("/a:x", "<x xmlns=\"urn:a\"/>", "/a:x"),
            ("/x/y", "<x xmlns=\"\"><y/></x>", "/x/y"),
            (
                "/a:x/y[k='v &'][ b-c:l = 7 ]/b-c:z/w",
                "<x xmlns=\"urn:a\"><y><k>v &amp;</k><l xmlns=\"urn:b\">7</l><z xmlns=\"urn:b\"><w/></z></y></x>",
                "/a:x/a:y[a:k='v &'][b-c:l='7']/b-c:z/b-c:w",
            ),
            (
                "/a:x[type=\"t:it's\"]",
                "<x xmlns=\"urn:a\"><type>t:it's</type></x>",
                "/a:x[a:type=\"t:it's\"]",
            ),
            (
                "/a:x[type='t:one']",
                "<x xmlns=\"urn:a\"><type xmlns:t=\"urn:t\">t:one</type></x>",
                "/a:x[a:type='t:one']",
            ),
            ("/a:x[k='2001:db8::1']", "<x xmlns=\"urn:a\"><k>2001:db8::1</k></x>", "/a:x[a:k='2001:db8::1']"),
            ("/a:x[.='v']", "", "/a:x[.='v']"),
            ("/a:x[k='']", "", "/a:x[a:k='']"),
            ("/a:x[k=' v']", "", "/a:x[a:k=' v']"),
        ] {
            let path = Path::parse(text).unwrap();
            let found = path.subtree(namespace).unwrap().unwrap_or_default();
            assert_eq!(String::from_utf8(found).unwrap(), subtree, "{text}");
            assert_eq!(path.xpath(), xpath, "{text}");
            // As written it is a path again, of which the same is selected.
            let again = Path::parse(&path.xpath()).unwrap();
            assert_eq!(again.xpath(), xpath);
            assert_eq!(Path::parse(&path.to_string()).as_ref(), Ok(&path), "{path}");
        }
        let path = Path::parse("/a:x[b-c:y='1']/nothing:z").unwrap();
        assert_eq!(path.prefixes().collect::<Vec<_>>(), ["a", "b-c", "nothing"]);
        let error = path.subtree(namespace).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the server announces no module nothing, and no option declares it as a prefix"
        );
    }

    #[test]
    fn other_texts_are_not_paths() {
        for (text, expected, position) in [
            ("", "`/`", 1),
            ("x", "`/`", 1),
            ("//x", "a name", 2),
            ("/", "a name", 2),
            ("/x/", "a name", 4),
            ("/x/*", "a name", 4),
            ("/child::x", "`/`", 7),
            ("/x[1]", "a name", 4),
            ("/x[k]", "`=`", 5),
            ("/x[k=07]", "a value: text in quotes, or a number", 6),
            ("/x[k='v", "a value with quotes around it", 6),
            ("/x[k='v' and l='w']", "`]`", 10),
            ("/x | /y", "`/`", 3),
            ("/\u{e9}[\u{e9}=x]", "a value: text in quotes, or a number", 6),
        ] {
            let error = Path::parse(text).unwrap_err();
            assert_eq!((error.expected, error.position), (expected, position), "{text}");
        }
        assert!(Path::parse(&"/x".repeat(MOST_STEPS)).is_ok());
        assert!(Path::parse(&"/x".repeat(MOST_STEPS + 1)).is_err());
    }

    #[test]
    fn prefixes_of_expressions_are_declared() {
        let found = |text: &str| {
            declarations(text, namespace).map(|all| {
                all.into_iter().map(|(prefix, namespace)| format!("{prefix}={namespace}")).collect::<Vec<_>>()
            })
        };
        assert_eq!(
            found("//a:x[child::b-c:y = 't:one' or a:z = \"u:v\"]"),
            Ok(vec!["a=urn:a".into(), "b-c=urn:b".into(), "t=urn:t".into()])
        );
        assert_eq!(found("/x/self::node()[contains(., 'a b')]"), Ok(vec![]));
        assert_eq!(found("//u:x").unwrap_err().prefix, "u");
        assert_eq!(found("/x['unfinished"), Ok(vec![]));
    }
}
