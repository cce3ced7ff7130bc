//! Relative links of the Markdown files lead somewhere: to a file, a folder or a heading that is there. So do the paths
//! that the pages name in code, except those of decisions and the changelog, which are of their day.

use std::io;

use super::Finding;
use crate::workspace::Workspace;

/// Checks every Markdown file of the workspace.
pub fn check(workspace: &Workspace) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for path in workspace.files(&[".md"])? {
        let text = workspace.read(&path)?;
        for (line, target) in links(&text) {
            let read = |file: &str| workspace.read(file).ok();
            let exists = |file: &str| workspace.path(file).exists();
            if let Err(words) = resolve(&path, &target, exists, read) {
                findings.push(Finding::new(format!("{path}:{line}"), words));
            }
        }
        let is_of_its_day = path.starts_with("docs/decisions/") || path == "CHANGELOG.md";
        for (line, named) in paths(&text).into_iter().filter(|_| !is_of_its_day) {
            if !workspace.path(&named).exists() {
                findings.push(Finding::new(format!("{path}:{line}"), format!("there is no `{named}`")));
            }
        }
    }
    Ok(findings)
}

/// Each inline link's line and target, code left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for (at, open) in prose.match_indices("](") {
            if let Some(target) = prose[at + open.len()..].split(')').next() {
                found.push((index + 1, target.split_whitespace().next().unwrap_or_default().to_owned()));
            }
        }
    }
    found
}

/// Each path below the root in code between backticks, with its line; those with a placeholder are left out.
fn paths(text: &str) -> Vec<(usize, String)> {
    let of_line = |(index, line): (usize, &'_ str)| -> Vec<(usize, String)> {
        let words = line.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
        words
            .filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
            .map(|word| word.split("::").next().unwrap_or(word))
            .filter(|word| !word.contains(['*', '<', '{']) && !word.split('/').any(is_placeholder))
            .map(|word| (index + 1, word.to_owned()))
            .collect()
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

/// As in `crates/ROOM`.
fn is_placeholder(part: &str) -> bool {
    part.chars().any(char::is_uppercase) && part.chars().all(|letter| letter.is_uppercase() || letter == '-')
}

/// Where paths begin that are ours; `target` and others come and go.
const FOLDERS: [&str; 7] = ["crates/", "docs/", "xtask/", "fuzz/", "peers/", "packaging/", ".ci/"];

/// Does a link in the file `from` lead anywhere?
fn resolve(
    from: &str,
    target: &str,
    exists: impl Fn(&str) -> bool,
    read: impl Fn(&str) -> Option<String>,
) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (path, heading) =
        target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
    let file = if path.is_empty() { Some(from.to_owned()) } else { join(from, path) };
    let Some(file) = file.filter(|file| exists(file)) else {
        return Err(format!("the link `{target}` leads nowhere"));
    };
    match heading {
        Some(heading)
            if !read(&file).is_some_and(|text| anchors(&text).iter().any(|anchor| anchor == heading)) =>
        {
            Err(format!("`{file}` has no heading `#{heading}`"))
        }
        _ => Ok(()),
    }
}

/// A path relative to the folder of `from`, made relative to the root; none if it leaves the root.
fn join(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The anchors of a file's headings, as code hosts make them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_prose_are_found_and_code_is_left_out() {
        let text = "[a](b.md) and [c](d.md#e \"title\") and `[x](y)`\n```\n[n](o)\n```\n[p](q)\n";
        let expected = [(1, "b.md"), (1, "d.md#e"), (5, "q")];
        assert_eq!(links(text), expected.map(|(line, target)| (line, target.to_owned())));
    }

    #[test]
    fn paths_in_code_are_found() {
        let text = "see `crates/smi/src/oid.rs` and crates/none\n`cargo run --manifest-path fuzz/Cargo.toml`, `crates/ROOM`, \
                    `docs/*.md`, `sysDescr`\n";
        let expected = [(1, "crates/smi/src/oid.rs"), (2, "fuzz/Cargo.toml")];
        assert_eq!(paths(text), expected.map(|(line, path)| (line, path.to_owned())));
    }

    #[test]
    fn links_resolve_from_the_files_own_folder() {
        let exists = |file: &str| ["README.md", "docs/a.md", "docs"].contains(&file);
        let read = |_: &str| Some("# One: the `first`\n".to_owned());
        for (target, expected) in [
            ("../README.md", true),
            ("a.md", true),
            ("#one-the-first", true),
            ("../README.md#one-the-first", true),
            ("https://example.org/x", true),
            ("README.md", false),
            ("../../README.md", false),
            ("a.md#two", false),
            ("#two", false),
        ] {
            assert_eq!(resolve("docs/a.md", target, exists, read).is_ok(), expected, "{target}");
        }
    }
}
