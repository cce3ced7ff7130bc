//! `trunkline install-names DIR`: Net-SNMP's names as links to this program.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::tool::Tool;

/// Why a link could not be made.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Something else has the name: it may be Net-SNMP's own tool.
    #[error("{} exists and is not a link to trunkline: remove it, or choose another directory", .0.display())]
    Occupied(PathBuf),
    /// The folder or the program, which must be found to be linked to.
    #[error("{}: {source}", .path.display())]
    Io {
        /// What was tried.
        path: PathBuf,
        /// The result.
        source: io::Error,
    },
}

/// Makes a link for each tool and each name of `more` in `folder`, which is made if it is not there. Links to a
/// `trunkline` are replaced; anything else with such a name is left alone, and then none is made.
pub fn install(folder: &Path, program: &Path, more: &[&str]) -> Result<Vec<PathBuf>, LinkError> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        move |source| LinkError::Io { path, source }
    };
    fs::create_dir_all(folder).map_err(fault(folder))?;
    let names = Tool::ALL.iter().map(|tool| tool.name()).chain(more.iter().copied());
    let links: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
    if let Some(occupied) = links.iter().find(|link| fs::symlink_metadata(link).is_ok() && !is_ours(link)) {
        return Err(LinkError::Occupied(occupied.clone()));
    }
    for link in &links {
        if fs::symlink_metadata(link).is_ok() {
            fs::remove_file(link).map_err(fault(link))?;
        }
        symlink(program, link).map_err(fault(link))?;
    }
    Ok(links)
}

/// Whether it is a link to a program named trunkline.
fn is_ours(link: &Path) -> bool {
    fs::read_link(link).is_ok_and(|target| target.file_name().is_some_and(|name| name == "trunkline"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_made_and_made_again_but_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("bin");
        let program = Path::new("/usr/bin/trunkline");
        for _ in 0..2 {
            assert_eq!(install(&place, program, &["snmptrapd"]).unwrap().len(), Tool::ALL.len() + 1);
        }
        assert_eq!(fs::read_link(place.join("snmpget")).unwrap(), program);
        fs::remove_file(place.join("snmpset")).unwrap();
        fs::write(place.join("snmpset"), "another's").unwrap();
        assert!(
            matches!(install(&place, program, &[]), Err(LinkError::Occupied(path)) if path.ends_with("snmpset"))
        );
        assert_eq!(fs::read_to_string(place.join("snmpset")).unwrap(), "another's");
    }
}
