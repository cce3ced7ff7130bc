//! The files of Net-SNMP's configuration as a row of directives: sections, comments and included
//! files (snmp_config(5)).

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::words;
use super::{ImportError, Origin};

/// A line with a directive.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its position.
    pub origin: Origin,
    /// The program that the line is for: the one whose file it is in, unless a `[section]` says otherwise.
    pub section: Rc<str>,
    /// Its first word, as written.
    pub name: String,
    /// What follows, without white space at the ends.
    pub rest: String,
}

impl Directive {
    /// The words after the name.
    pub fn words(&self) -> Vec<String> {
        words::split(&self.rest)
    }
}

/// A line that includes files, and what it read.
#[derive(Clone, Debug)]
pub struct Included {
    /// Its position.
    pub origin: Origin,
    /// Its first word, as written.
    pub name: String,
    /// What follows.
    pub arguments: String,
    /// What it read.
    pub what: String,
}

/// Files that include each other deeper than this count as a circle.
const MAX_DEPTH: usize = 20;

/// The directives, and the problems.
pub struct Lines {
    /// The program whose files they are: its lines need no `[section]`.
    program: Rc<str>,
    /// The directives, in the order in which they count.
    pub directives: Vec<Directive>,
    /// Problems of lines that are not directives.
    pub problems: Vec<(Origin, String, String)>,
    /// Every file that was read.
    pub files: Vec<PathBuf>,
    /// Lines that include files.
    pub included: Vec<Included>,
}

impl Lines {
    fn new(program: &str) -> Self {
        let (directives, problems, files, included) = Default::default();
        Lines { program: program.into(), directives, problems, files, included }
    }
}

/// Reads files of a program, such as `snmpd`, and everything that they include.
///
/// # Errors
/// A file that cannot be read. One that is included and cannot be is only a problem, as for snmpd.
pub fn read(files: &[PathBuf], program: &str) -> Result<Lines, ImportError> {
    let mut lines = Lines::new(program);
    for file in files {
        let text = read_text(file, &mut lines.problems)
            .map_err(|source| ImportError::Unreadable { path: file.clone(), source })?;
        take(file, &text, 0, &mut lines);
    }
    Ok(lines)
}

/// Directives of a text of snmpd; included files are not read.
pub fn read_text_only(name: &str, text: &str) -> Lines {
    let mut lines = Lines::new("snmpd");
    take(Path::new(name), text, MAX_DEPTH, &mut lines);
    lines
}

/// A file as text. A line that is not UTF-8 is Latin-1, as it was when such files were written; it is reported, since
/// its octets are others as UTF-8.
fn read_text(path: &Path, problems: &mut Vec<(Origin, String, String)>) -> std::io::Result<String> {
    let octets = trunkline_config::read_regular(path)?;
    let mut text = String::with_capacity(octets.len());
    for (at, line) in octets.split(|octet| *octet == b'\n').enumerate() {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => {
                let line: String = line.iter().map(|octet| char::from(*octet)).collect();
                let directive = words::first(line.trim()).0;
                if !directive.is_empty() {
                    let origin = Origin { file: shown(path), line: at + 1 };
                    problems.push((origin, directive, NOT_UTF8.into()));
                }
                text.push_str(&line);
            }
        }
        text.push('\n');
    }
    Ok(text)
}

const NOT_UTF8: &str = "octets that are not UTF-8 are read as Latin-1 and written as UTF-8: a community, password or name with \
                        them is another one now";

/// A file's name, for comments and messages, where a line break would start something else.
fn shown(path: &Path) -> Rc<str> {
    path.display().to_string().replace(char::is_control, "\u{fffd}").into()
}

fn take(path: &Path, text: &str, depth: usize, lines: &mut Lines) {
    let text = &text.replace('\0', "");
    lines.files.push(path.to_path_buf());
    let file = shown(path);
    let mut section = Rc::clone(&lines.program);
    for (at, line) in text.lines().enumerate() {
        let origin = Origin { file: file.clone(), line: at + 1 };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut rest = line;
        let mut of_line = section.clone();
        if let Some(inner) = line.strip_prefix('[') {
            let Some((name, behind)) = inner.split_once(']') else {
                let (name, arguments, what) = (line.to_string(), String::new(), "reads nothing".into());
                lines.included.push(Included { origin: origin.clone(), name, arguments, what });
                lines.problems.push((origin, line.to_string(), "a section without its ]".into()));
                continue;
            };
            of_line = name.trim().to_ascii_lowercase().into();
            rest = behind.trim();
            if rest.is_empty() || rest.starts_with('#') {
                section = of_line;
                continue;
            }
        }
        let (name, rest) = words::first(rest);
        let directive = Directive { origin, section: of_line, name, rest: rest.to_string() };
        if !include(&directive, path, depth, lines) {
            lines.directives.push(directive);
        }
    }
}

/// `includeFile`, `includeDir`, `includeSearch`; `false` for any other directive.
fn include(directive: &Directive, parent: &Path, depth: usize, lines: &mut Lines) -> bool {
    let name = directive.name.to_ascii_lowercase();
    let included = |what: String| {
        let Directive { origin, name, rest, .. } = directive.clone();
        Included { origin, name, arguments: rest, what }
    };
    let beside = parent.parent().unwrap_or(Path::new("")).to_path_buf();
    let argument = directive.words().into_iter().next().unwrap_or_default();
    let found = match name.as_str() {
        "includefile" => vec![beside.join(&argument)],
        "includesearch" => search(&argument, &beside),
        "includedir" | "includealldir" | "includeallconfigs" => match configurations(Path::new(&argument)) {
            Ok(found) => found,
            Err(error) => {
                let why = format!("cannot list {argument}: {error}");
                lines.included.push(included(why.clone()));
                lines.problems.push((directive.origin.clone(), directive.name.clone(), why));
                return true;
            }
        },
        _ => return false,
    };
    if depth >= MAX_DEPTH {
        lines.included.push(included("reads nothing".into()));
        let why = format!("files include each other more than {MAX_DEPTH} deep");
        lines.problems.push((directive.origin.clone(), directive.name.clone(), why));
        return true;
    }
    let read = match found.len() {
        0 if name == "includesearch" => "there is no such file".into(),
        0 => "there are no files there whose names end in .conf".into(),
        _ => format!(
            "reads {}",
            found.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
        ),
    };
    lines.included.push(included(read));
    for path in found {
        match read_text(&path, &mut lines.problems) {
            Ok(text) => take(&path, &text, depth + 1, lines),
            Err(error) => {
                let why = format!("cannot read {}: {error}", path.display());
                lines.problems.push((directive.origin.clone(), directive.name.clone(), why));
            }
        }
    }
    true
}

/// Every file of this name on the path of configurations.
fn search(name: &str, beside: &Path) -> Vec<PathBuf> {
    let path = std::env::var("SNMPCONFPATH").unwrap_or_else(|_| beside.display().to_string());
    path.split(':').map(|folder| Path::new(folder).join(name)).filter(|file| file.is_file()).collect()
}

/// The files of a folder that end in `.conf`, by name: Net-SNMP guarantees no order, so any will do.
fn configurations(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "conf") && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
