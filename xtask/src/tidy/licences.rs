//! Licences and sources of every package in the graph, against `deny.toml`.
//!
//! The same list serves `cargo deny`, which looks deeper where it is installed;
//! this check needs nothing but `cargo metadata`, so it runs everywhere.

use super::Finding;
use crate::workspace::Package;

/// Checks each package that is not ours.
pub fn check(deny: &str, packages: &[Package]) -> Vec<Finding> {
    let allowed = allowed(deny);
    if allowed.is_empty() {
        return vec![Finding::new("deny.toml", "no `allow = [...]` under `[licenses]`")];
    }
    packages.iter().filter_map(|package| judge(package, &allowed)).collect()
}

fn judge(package: &Package, allowed: &[String]) -> Option<Finding> {
    let Some(source) = &package.source else {
        let ours = package.folder.is_some();
        return (!ours).then(|| finding(package, "a path outside the workspace"));
    };
    if !source.starts_with("registry+") {
        return Some(finding(package, &format!("comes from {source}; only the registry is allowed")));
    }
    match &package.license {
        None => Some(finding(package, "has no licence expression")),
        Some(expression) if !is_allowed(expression, allowed) => {
            Some(finding(package, &format!("licence `{expression}` is not allowed by deny.toml")))
        }
        Some(_) => None,
    }
}

/// The strings of `allow = [...]` below `[licenses]`.
fn allowed(deny: &str) -> Vec<String> {
    let section = deny.split("[licenses]").nth(1).unwrap_or_default();
    let list = section.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

/// Does an SPDX expression leave a choice among the allowed licences?
///
/// `AND` binds closer than `OR`; `A/B`, the old form, means `A OR B`.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any(&mut rest, allowed) && rest.is_empty()
}

fn any(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut fits = all(words, allowed);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        fits |= all(words, allowed);
    }
    fits
}

fn all(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut fits = one(words, allowed);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        fits &= one(words, allowed);
    }
    fits
}

/// One licence, with its exception if it has one, or a bracketed expression.
fn one(words: &mut &[&str], allowed: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    *words = rest;
    if *first == "(" {
        let fits = any(words, allowed);
        let closed = words.first() == Some(&")");
        *words = words.get(1..).unwrap_or_default();
        return fits && closed;
    }
    let mut name = (*first).to_owned();
    if let ["WITH", exception, rest @ ..] = *words {
        name = format!("{name} WITH {exception}");
        *words = rest;
    }
    allowed.contains(&name)
}

fn finding(package: &Package, words: &str) -> Finding {
    Finding::new(format!("{} {}", package.name, package.version), words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "[advisories]\n[licenses]\nallow = [\n  \"MIT\", # \"GPL-3.0\"\n  \"ISC\",\n  \
                        \"Apache-2.0 WITH LLVM-exception\",\n]\n[bans]\nallow = [\"x\"]\n";

    fn package(license: Option<&str>, source: &str) -> Package {
        Package {
            name: "p".to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: Some(source.to_owned()),
            folder: None,
            published: true,
            unsaid: Vec::new(),
            dependencies: Vec::new(),
        }
    }

    #[test]
    fn expressions_are_judged_as_spdx_says() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("MIT/GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("MIT AND (GPL-3.0 OR ISC)", true),
            ("GPL-3.0 OR MIT AND ISC", true),
            ("(MIT OR ISC) AND GPL-3.0", false),
            ("Apache-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("(MIT", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(expression, &allowed(DENY)), expected, "{expression}");
        }
    }

    #[test]
    fn foreign_sources_and_missing_licences_are_found() {
        assert_eq!(check(DENY, &[package(Some("MIT"), "registry+here")]), []);
        for wrong in [
            package(Some("MIT"), "git+there"),
            package(None, "registry+here"),
            package(Some("GPL-3.0"), "registry+here"),
            Package { source: None, ..package(Some("MIT"), "") },
        ] {
            assert_eq!(check(DENY, &[wrong]).len(), 1);
        }
        assert_eq!(check("[licenses]\n", &[]).len(), 1);
    }
}
