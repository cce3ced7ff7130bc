//! Programs, folders and files that the configuration names, as the agent's user finds them.

use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD};
use trunkline_config::Plan;

use trunkline_process::privilege::Account;

/// Why a program cannot be started; `None`: it can.
pub(super) fn unusable(program: &Path, account: Option<&Account>) -> Option<String> {
    match std::fs::metadata(program) {
        Err(error) => Some(format!("cannot be started: {error}")),
        Ok(found) if !found.is_file() => Some("is not a regular file".into()),
        Ok(_) if !may(program, account, Access::EXEC_OK) => {
            Some(format!("is not executable for {}; run chmod +x on it", user(account)))
        }
        Ok(_) => None,
    }
}

/// Folders of NETCONF that cannot be used.
pub(super) fn folders(plan: &Plan, account: Option<&Account>) -> Vec<String> {
    let Some(netconf) = &plan.netconf else { return Vec::new() };
    let files = netconf.files.iter().map(|path| {
        (
            "files",
            path,
            Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK,
            "clients can copy nothing to it",
        )
    });
    let modules = netconf.modules.iter().map(|path| {
        ("modules-directory", path, Access::READ_OK | Access::EXEC_OK, "get-schema returns nothing from it")
    });
    files
        .chain(modules)
        .filter_map(|(key, path, access, so)| {
            let shown = path.display();
            let why = match std::fs::metadata(path) {
                Err(error) => format!("{shown} cannot be used: {error}"),
                Ok(found) if !found.is_dir() => format!("{shown} is not a folder"),
                Ok(_) if may(path, account, access) => return None,
                Ok(_) => format!(
                    "{} may not {} {shown}",
                    user(account),
                    if access.contains(Access::WRITE_OK) { "write" } else { "read" }
                ),
            };
            Some(format!("[netconf] {key}: {why}, so that {so}"))
        })
        .collect()
}

/// Why the agent's user may not read a file.
pub(super) fn unreadable(path: &Path, account: Option<&Account>) -> Option<String> {
    (!may(path, account, Access::READ_OK)).then(|| format!("{} may not read it", user(account)))
}

/// Whether the agent's user may do something with a file.
fn may(path: &Path, account: Option<&Account>, access: Access) -> bool {
    match account.filter(|_| rustix::process::geteuid().is_root()) {
        Some(account) => account.may(path, access),
        None => rustix::fs::accessat(CWD, path, access, AtFlags::EACCESS).is_ok(),
    }
}

fn user(account: Option<&Account>) -> String {
    account.map_or_else(|| "this user".to_owned(), |account| format!("the user {}", account.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Plan {
        trunkline_config::parse(Path::new("test.toml"), text).unwrap()
    }

    #[test]
    fn folders_that_cannot_be_used_are_reported_by_their_keys() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let said = |files: &Path, modules: &Path| {
            let text = format!("[netconf]\nfiles = {files:?}\nmodules-directory = {modules:?}\n");
            folders(&plan(&text), None)
        };
        assert!(said(folder.path(), folder.path()).is_empty());
        let found = said(&folder.path().join("gone"), &file);
        assert!(found[0].starts_with("[netconf] files: ") && found[0].contains("No such file"), "{found:?}");
        assert!(
            found[1].starts_with("[netconf] modules-directory: ") && found[1].contains("is not a folder"),
            "{found:?}"
        );
    }
}
