//! The texts of modules (RFC 6022 section 3.1). Our own are in the program; those of standards the operator may place in a folder.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use trunkline_models::library::{imported, submodules};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_yang::own::{ALL, TEXTS};

use super::Netconf;

/// The text of a module.
///
/// # Errors
/// It is not here in this version and format.
pub(super) async fn text(
    door: &Netconf,
    identifier: &str,
    version: Option<&str>,
    format: Option<&str>,
) -> Result<String, RpcError> {
    // It is an identityref, whose prefix is the sender's.
    let format = format.map(|format| format.rsplit(':').next().unwrap_or_default());
    if let Some(other) = format.filter(|format| *format != "yang") {
        return Err(invalid(format!("modules are given in the format yang, not {other}")));
    }
    if let Some(module) = door.models().modules.iter().find(|module| module.name == identifier) {
        return match version.is_none_or(str::is_empty) {
            true => Ok(trunkline_yang::print(module)),
            false => Err(invalid(format!("the module {identifier} has no revisions: ask without a version"))),
        };
    }
    let Some((name, revision)) = standard().chain(own()).find(|(name, _)| *name == identifier) else {
        return Err(invalid(format!("there is no module {identifier} here")));
    };
    if version.is_some_and(|version| version != revision) {
        return Err(invalid(format!("the module {name} has the revision {revision} here")));
    }
    if let Some((_, text)) = TEXTS.iter().find(|(module, _)| module.name == name) {
        return Ok((*text).to_owned());
    }
    let folder = directory(door);
    let read = move || folder.as_deref().and_then(|folder| read(folder, name, revision));
    let found = tokio::task::spawn_blocking(read).await.ok().flatten();
    found.ok_or_else(|| {
        let message = format!(
            "the agent has no text of the standard module {name}, revision {revision}: its operator can place it in the folder that \
             modules-directory in [netconf] names"
        );
        invalid(message)
    })
}

/// Standard modules that are served or imported, with their revisions.
pub(super) fn standard() -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_own = |name: &str| own().any(|(own, _)| own == name);
    let served = ALL.iter().map(|module| (module.name, module.revision));
    let parts =
        ALL.iter().flat_map(|module| submodules(module.name).iter().map(|name| (*name, module.revision)));
    served.filter(move |(name, _)| !is_own(name)).chain(parts).chain(imported())
}

fn own() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXTS.iter().map(|(module, _)| (module.name, module.revision))
}

/// Where the texts of standard modules are.
pub(super) fn directory(door: &Netconf) -> Option<PathBuf> {
    door.plan.load().as_ref().and_then(|plan| plan.modules.clone())
}

/// The file with a module's text.
pub(super) fn file(folder: &Path, name: &str, revision: &str) -> Option<PathBuf> {
    let names = [format!("{name}@{revision}.yang"), format!("{name}.yang")];
    names.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

fn read(folder: &Path, name: &str, revision: &str) -> Option<String> {
    let path = file(folder, name, revision)?;
    let mut text = String::new();
    let done = File::open(&path).and_then(|file| file.take(MOST + 1).read_to_string(&mut text));
    let wrong = match done {
        Err(error) => error.to_string(),
        Ok(_) if text.len() as u64 > MOST => format!("it has more than {MOST} octets"),
        Ok(_) if !is_it(&text, name, revision) => format!("it is not the module {name} of {revision}"),
        Ok(_) => return Some(text),
    };
    tracing::warn!(file = %path.display(), "the text of a module cannot be given: {wrong}");
    None
}

/// Whether a text is a module's, and the newest revision in it is this one.
fn is_it(text: &str, name: &str, revision: &str) -> bool {
    let argument = |keyword: &str| {
        let mut lines = text.lines().filter_map(|line| line.trim_start().strip_prefix(keyword));
        let rest = lines.find(|rest| rest.starts_with([' ', '\t']))?;
        rest.split(['{', ';']).next().map(|argument| argument.trim().trim_matches(['"', '\'']))
    };
    let named = argument("module").or_else(|| argument("submodule"));
    named == Some(name) && argument("revision") == Some(revision)
}

fn invalid(message: String) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::InvalidValue, message)
}

/// Octets of a module's text.
const MOST: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::is_it;

    #[test]
    fn a_text_is_known_by_its_name_and_its_newest_revision() {
        let text =
            "module a-b {\n  // revision\n  revision \"2018-02-20\" {\n  }\n  revision 2014-05-08;\n}\n";
        assert!(is_it(text, "a-b", "2018-02-20"));
        assert!(!is_it(text, "a-b", "2014-05-08"));
        assert!(!is_it(text, "a", "2018-02-20"));
        assert!(!is_it("", "a", "2018-02-20"));
    }
}
