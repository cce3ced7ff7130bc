//! Configuration in two stages: TOML to a raw struct (`raw`), raw to a checked
//! [`Plan`] (`plan`). Every error names file, line and column, what was
//! expected, and shows the line.

mod plan;
mod raw;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use plan::{CommunityPlan, FreshnessPlan, Network, Plan, SnmpPlan, SystemPlan, TcpPlan};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}; name an existing file with --config FILE", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file says something that cannot be meant.
    #[error(transparent)]
    Wrong(#[from] WrongConfig),
}

/// What is wrong in a configuration file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongConfig {
    /// The file.
    pub path: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
    /// The guilty line and a mark below it.
    excerpt: String,
}

impl std::error::Error for WrongConfig {}

impl fmt::Display for WrongConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: {}", self.path.display(), self.line, self.column, self.message)?;
        f.write_str(&self.excerpt)
    }
}

/// Reads a configuration file, or takes the defaults when there is none.
pub fn load(path: Option<&Path>) -> Result<Plan, ConfigError> {
    let Some(path) = path else { return Ok(Plan::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Unreadable { path: path.to_path_buf(), source })?;
    Ok(parse(path, &text)?)
}

/// Checks the text of a configuration file; `path` is only named in errors.
pub fn parse(path: &Path, text: &str) -> Result<Plan, WrongConfig> {
    let place = Place { path, text };
    let raw: raw::Config = toml::from_str(text)
        .map_err(|error| place.wrong(error.span().unwrap_or(0..0), in_words_of_toml(error.message())))?;
    plan::check(raw, place)
}

/// The reader of TOML names some types as Rust does.
fn in_words_of_toml(message: &str) -> String {
    [("a sequence", "a list [...]"), ("a map", "a table"), ("expected i64", "expected a whole number")]
        .iter()
        .fold(message.to_string(), |message, (found, better)| message.replace(found, better))
}

/// The text that errors point into.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Place<'_> {
    fn wrong(&self, span: Range<usize>, message: String) -> WrongConfig {
        let start = floor(self.text, span.start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_text = self.text[line_start..].lines().next().unwrap_or("");
        let line = self.text[..line_start].matches('\n').count() + 1;
        // An error at the end of the line, which may be of two characters, is shown just behind its text.
        let line_end = line_start + line_text.len();
        let start = start.min(line_end);
        let end = floor(self.text, span.end).clamp(start, line_end);
        let before = &self.text[line_start..start];
        let column = before.chars().count() + 1;
        let marks = "^".repeat(self.text[start..end].chars().count().max(1));
        let gutter = " ".repeat(line.to_string().len());
        // A tab stays one, so that the marks stand where the line's characters do.
        let indent = before.chars().map(|c| if c == '\t' { c } else { ' ' });
        let indent: String = indent.collect();
        let line_text = visible(line_text);
        let excerpt = format!("{gutter} |\n{line} | {line_text}\n{gutter} | {indent}{marks}");
        WrongConfig { path: self.path.to_path_buf(), line, column, message: visible(&message), excerpt }
    }
}

/// Control characters, which would steer the terminal, are replaced one by one.
fn visible(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\t' | '\n');
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Plan, WrongConfig> {
        parse(Path::new("t.toml"), text)
    }

    fn wrong(text: &str) -> (usize, usize, String) {
        let error = check(text).unwrap_err();
        (error.line, error.column, error.message)
    }

    #[test]
    fn the_minimal_form_works() {
        let plan = check(
            "[snmp]\nlisten = [\"udp://127.0.0.1:1161\", \"tcp://127.0.0.1:1161\"]\n\
             [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n",
        )
        .unwrap();
        assert_eq!(plan.snmp.listen.len(), 2);
        assert_eq!(plan.snmp.communities[0].name, b"public");
        assert!(!plan.snmp.communities[0].may_write());
    }

    #[test]
    fn without_a_file_only_loopback_is_served() {
        let plan = Plan::default();
        assert!(plan.snmp.listen.iter().all(trunkline_transport::ListenUrl::is_loopback));
        assert_eq!(plan.snmp.communities.len(), 1);
        assert!(!plan.snmp.communities[0].may_write());
    }

    #[test]
    fn errors_say_where_and_what_was_expected() {
        let (line, column, message) = wrong("[snmp]\nlissen = []\n");
        assert_eq!((line, column), (2, 1));
        assert!(message.contains("lissen") && message.contains("listen"), "{message}");

        let (line, column, message) = wrong("[snmp]\nlisten = [\n  \"udp://127.0.0.1\",\n]\n");
        assert_eq!((line, column), (3, 3));
        assert!(message.contains("port"), "{message}");

        let (line, _, message) = wrong("[[snmp.community]]\nname = \"a\"\naccess = \"rw\"\n");
        assert_eq!(line, 3);
        assert!(message.contains("read") && message.contains("write"), "{message}");

        let (line, column, message) = wrong("[snmp\n");
        assert_eq!(line, 1);
        assert!(column > 1 && !message.is_empty());
    }

    #[test]
    fn marks_stand_below_what_is_wrong() {
        let excerpt = |text: &str| check(text).unwrap_err().excerpt;
        assert_eq!(
            excerpt("[system]\r\n\tservices = 300 # é\r\n"),
            "  |\n2 | \tservices = 300 # é\n  | \t           ^^^"
        );
        assert_eq!(excerpt("[snmp]\nlisten = [\"ü\"]"), "  |\n2 | listen = [\"ü\"]\n  |           ^^^");
        assert_eq!(excerpt("[system]\r\nname = \"n\r\n"), "  |\n2 | name = \"n\n  |          ^");
        // What would steer a terminal is not shown as it is.
        let hidden = check("[snmp]\n\"\\u001b[2J\" = \"\x1b\"").unwrap_err().to_string();
        assert!(hidden.contains('\u{fffd}') && !hidden.contains('\x1b'), "{hidden:?}");
        // A value that is not closed ends with its line.
        let open = excerpt("[system]\nname = \"ü\n");
        assert!(open.starts_with("  |\n2 | name = \"ü\n") && open.ends_with('^'), "{open}");
    }

    #[test]
    fn each_kind_of_wrong_value_is_refused() {
        let community = "[[snmp.community]]\nname = \"a\"\naccess = \"read\"\n";
        for (text, word) in [
            ("[snmp]\nlisten = []\n".to_string(), "at least one"),
            ("[snmp]\nlisten = \"udp://[::1]:0\"\n".into(), "a list"),
            ("[snmp]\nlisten = [\"udp://[::1]:161\", \"udp://[::1]:161\"]\n".into(), "twice"),
            ("[snmp.tcp]\nmax-connections = \"many\"\n".into(), "a whole number"),
            ("[snmp.tcp]\nmax-connections-per-peer = 0\n".into(), "1 to"),
            ("[snmp.tcp]\nmessage-timeout = \"0s\"\n".into(), "1ms"),
            ("[snmp.tcp]\nidle-timeout = \"5124095576030431h\"\n".into(), "8760h"),
            ("[freshness]\ndefault = \"5124095576030431h\"\n".into(), "greatest age"),
            (format!("{community}{community}"), "twice"),
            ("[[snmp.community]]\nname = \"\"\naccess = \"read\"\n".into(), "empty"),
            (format!("{community}view = [\"1.x\"]\n"), "1.x"),
            (format!("{community}sources = [\"10.0.0.0/33\"]\n"), "prefix"),
            (format!("{community}sources = [\"somewhere\"]\n"), "somewhere"),
            ("[freshness]\nnowhere = \"1s\"\n".into(), "nowhere"),
            ("[freshness]\ndefault = \"soon\"\n".into(), "soon"),
            ("[snmp]\nmax-message-size = 100\n".into(), "484"),
            ("[snmp]\nmax-bindings = 0\n".into(), "1"),
            ("[system]\nname = \"".to_string() + &"x".repeat(256) + "\"\n", "255"),
        ] {
            let (_, _, message) = wrong(&text);
            assert!(message.contains(word), "{text:?} gave {message:?}");
        }
    }
}
