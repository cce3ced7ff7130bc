//! Every file of tests is in a program. A room whose manifest has `autotests = false` lists its test programs itself, and most of
//! its tests are modules of one, `tests/all.rs`: a file in neither would never run.

use super::{Finding, RustFile};

/// Compares the files of `tests` with a room's manifest.
pub fn check(
    files: &[RustFile],
    manifest_of: impl Fn(&str) -> std::io::Result<String>,
) -> std::io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for all in files.iter().filter(|file| file.path.ends_with("/tests/all.rs")) {
        let room = all.path.trim_end_matches("/tests/all.rs");
        let manifest = manifest_of(room)?;
        if !manifest.contains("\nautotests = false\n") {
            findings.push(Finding::new(&all.path, "the room's manifest does not say `autotests = false`"));
        }
        let own = files.iter().filter_map(|file| file.path.strip_prefix(room)?.strip_prefix("/tests/"));
        for path in own.filter(|path| is_root(path)) {
            if !manifest.contains(&format!("path = \"tests/{path}\"")) && !has_module(&all.text, path) {
                let words = format!(
                    "its tests do not run: it is neither a module of {} nor a program of its own",
                    all.path
                );
                findings.push(Finding::new(format!("{room}/tests/{path}"), words));
            }
        }
    }
    Ok(findings)
}

/// Whether cargo would take the file below `tests` for a program: `name.rs` or `name/main.rs`.
fn is_root(path: &str) -> bool {
    match path.split_once('/') {
        None => true,
        Some((_, rest)) => rest == "main.rs",
    }
}

/// Whether the text declares the module of such a file.
fn has_module(text: &str, path: &str) -> bool {
    let name = path.trim_end_matches("/main.rs").trim_end_matches(".rs");
    let by_path = format!("#[path = \"{path}\"]\nmod {name};\n");
    text.contains(&by_path) || !path.contains('/') && text.contains(&format!("\nmod {name};\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(paths: &[&str], all: &str, manifest: &str) -> Vec<String> {
        let mut files = vec![RustFile::new("crates/room/tests/all.rs", all.to_owned())];
        files.extend(paths.iter().map(|path| RustFile::new(path, String::new())));
        let findings = check(&files, |_| Ok(manifest.to_owned())).unwrap();
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_that_is_in_no_program_is_found() {
        let manifest = "[package]\nautotests = false\n\n[[test]]\npath = \"tests/all.rs\"\n[[test]]\npath = \"tests/alone.rs\"\n";
        let all = "mod support;\n\nmod one;\n#[path = \"two/main.rs\"]\nmod two;\n";
        let good = ["one.rs", "alone.rs", "two/main.rs", "two/more.rs", "support/mod.rs"];
        let good = good.map(|path| format!("crates/room/tests/{path}"));
        let good: Vec<&str> = good.iter().map(String::as_str).collect();
        assert_eq!(words(&good, all, manifest), [""; 0]);
        for lost in ["three.rs", "three/main.rs", "on.rs"] {
            let path = format!("crates/room/tests/{lost}");
            let found = words(&[&good[..], &[&path]].concat(), all, manifest);
            assert!(found.len() == 1 && found[0].starts_with(&path), "{found:?}");
        }
        assert_eq!(words(&good, all, &manifest.replace("autotests = false", "")).len(), 1);
    }

    /// A room without such a program has as many as cargo finds.
    #[test]
    fn other_rooms_have_the_programs_that_cargo_finds() {
        let files = [RustFile::new("crates/room/tests/one.rs", String::new())];
        assert_eq!(check(&files, |_| unreachable!()).unwrap(), []);
    }
}
