//! Converts Net-SNMP's configuration: `snmpd.conf`, `snmpd.local.conf`, the persistent file, and the files that
//! they include, to the text of our configuration file, and notes about what could not be converted.
//!
//! `source` reads files into directives, `directives` collects each into `collected`, and `write` turns the whole
//! into TOML, since one directive depends on others: a community on its group, a group on its access, an access
//! on its views.

pub mod addresses;
pub mod arguments;
pub mod background;
mod certificates;
mod collected;
pub mod command_line;
mod directives;
pub mod elsewhere;
pub mod explain;
pub mod files;
pub mod log_to;
mod note;
pub mod oids;
pub mod pid_file;
mod session;
pub mod source;
pub mod words;
mod write;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::PathBuf;

use collected::Collected;
pub use note::{ImportError, Note, Origin};
use source::Directive;

/// A configuration that was carried over.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The text of our configuration file; it holds the secrets of the old one.
    pub toml: String,
    /// What could not be carried over; a line may have several.
    pub notes: Vec<Note>,
    /// What to know about lines that lose nothing.
    pub remarks: Vec<Note>,
    /// How many lines of the files are state of snmpd that the agent does not need.
    pub kept: usize,
    /// Every line of the files, and what became of it.
    pub lines: Vec<explain::Line>,
    /// Every file that was read.
    pub files: Vec<PathBuf>,
    /// Whether none of them has a directive.
    pub is_empty: bool,
    /// `leave_pidfile`: the pid file stays when the agent ends.
    pub leave_pid_file: bool,
    /// Whether addresses to listen on are named, and none of them can be used.
    pub listens_nowhere: bool,
}

impl Imported {
    /// The positions of the lines that were not carried over, or only in part, each once.
    pub fn lost(&self) -> BTreeSet<&Origin> {
        self.notes.iter().map(|note| &note.origin).collect()
    }

    /// How many lines were lost, without those whose directive may be (`accepted`, in any case).
    pub fn refused(&self, accepted: &[String]) -> usize {
        let is_accepted =
            |note: &Note| accepted.iter().any(|name| name.eq_ignore_ascii_case(&note.directive));
        let refused = self.notes.iter().filter(|note| !is_accepted(note)).map(|note| &note.origin);
        refused.collect::<BTreeSet<_>>().len()
    }

    /// How much was carried over, in a sentence without its end.
    pub fn summary(&self) -> String {
        let what = match self.lost().len() {
            0 => "everything was carried over".to_string(),
            several => format!("{} not carried over", lines(several)),
        };
        match self.kept {
            0 => what,
            1 => format!("{what}; 1 line of snmpd's own state is not needed"),
            several => format!("{what}; {several} lines of snmpd's own state are not needed"),
        }
    }

    /// Notes and remarks, in the order of the lines.
    pub fn all_notes(&self) -> Vec<&Note> {
        let mut all: Vec<&Note> = self.notes.iter().chain(&self.remarks).collect();
        all.sort_by(|a, b| a.origin.cmp(&b.origin));
        all
    }
}

/// So many lines, with their verb.
pub fn lines(count: usize) -> String {
    if count == 1 { "1 line was".into() } else { format!("{count} lines were") }
}

/// What an import needs besides the files.
pub struct Surroundings<'a> {
    /// Resolves the addresses of a host name: Net-SNMP does that when it starts.
    pub resolve: &'a dyn Fn(&str) -> Vec<IpAddr>,
    /// Directives that count before the files (`true`) or after them, as from a command line.
    pub extra: Vec<(String, String)>,
    /// Listening addresses that replace those in the files.
    pub listen: Vec<String>,
    /// The comment at the top of the text.
    pub title: String,
}

/// Carries files over, the later ones after the earlier ones as snmpd reads them.
///
/// # Errors
/// A file that cannot be read.
pub fn import(files: &[PathBuf], surroundings: &Surroundings<'_>) -> Result<Imported, ImportError> {
    Ok(convert(source::read(files, "snmpd")?, surroundings))
}

/// Converts a text from a file with this name; included files are not read.
pub fn import_text(name: &str, text: &str, surroundings: &Surroundings<'_>) -> Imported {
    convert(source::read_text_only(name, text), surroundings)
}

fn convert(lines: source::Lines, surroundings: &Surroundings<'_>) -> Imported {
    let mut collected = Collected::new(surroundings.resolve);
    collected.certificate_folders = certificates::folders(&lines.files);
    for (origin, directive, why) in lines.problems {
        collected.notes.push(Note { origin, directive, why });
    }
    let command_line = Origin { file: "command line".into(), line: 0 };
    let extra = surroundings.extra.iter().map(|(name, rest)| Directive {
        origin: command_line.clone(),
        section: "snmpd".into(),
        name: name.clone(),
        rest: rest.clone(),
    });
    let is_empty = lines.directives.is_empty();
    for directive in lines.directives.iter().cloned().chain(extra) {
        directives::take(&mut collected, &directive);
    }
    if !surroundings.listen.is_empty() {
        collected.listen.clear();
        let rest = surroundings.listen.join(",");
        let name = "agentAddress".into();
        directives::take(
            &mut collected,
            &Directive { origin: command_line, section: "snmpd".into(), name, rest },
        );
    }
    let leave_pid_file = collected.leave_pid_file;
    let toml = write::write(&mut collected, &surroundings.title);
    collected.notes.sort_by(|a, b| a.origin.cmp(&b.origin));
    let listens_nowhere = collected.listen.is_empty() && collected.names_addresses;
    let explained = explain::explain(&lines.directives, &lines.included, &collected, &toml);
    Imported {
        toml,
        kept: collected.kept.len(),
        notes: collected.notes,
        remarks: collected.remarks,
        lines: explained,
        files: lines.files,
        is_empty,
        leave_pid_file,
        listens_nowhere,
    }
}

/// Every directive that is known here and what becomes of it, a line for each.
pub fn known_directives() -> String {
    directives::known()
}

/// The addresses of a name as the system knows them; none if it knows it not.
pub fn resolve(name: &str) -> Vec<IpAddr> {
    use std::net::ToSocketAddrs;
    (name, 0).to_socket_addrs().map(|found| found.map(|address| address.ip()).collect()).unwrap_or_default()
}
